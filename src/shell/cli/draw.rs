//! `walkon draw`: the map, a tick of a run, or a search, as text, SVG or PNG; a run as GIF.

mod animate;

use std::path::Path;

use glam::Vec3;

use super::args::DrawArgs;
use super::exit::{Exit, Failure};
use super::path::{Asked, floor_of, layer_of, on_floor};
use super::{Shell, run};
use crate::game::Game;
use crate::nav::{Layout, Traversal};
use crate::shell::output::{Results, Target};
use crate::shell::pictures;
use crate::shell::project::find_level;
use crate::shell::watchdog::Interrupts;
use crate::view::{
    Part, Parts, Picture, Projection, SearchScene, ascii, draw_ground, draw_scene, draw_search, svg,
};
use crate::world::World;
use crate::world::character::Gait;
use crate::world::standing::Straight;

/// The form of a picture, by the suffix of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Png,
    Svg,
    Text,
}

/// The form that a file's name asks for.
pub(super) fn form_of(path: &Path) -> Result<Form, Failure> {
    let suffix = path.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default().to_ascii_lowercase();
    match suffix.as_str() {
        "png" => Ok(Form::Png),
        "svg" => Ok(Form::Svg),
        "txt" => Ok(Form::Text),
        _ => Err(Failure::usage(format!(
            "{}: expected a name that ends in .png, .svg or .txt",
            path.display()
        ))),
    }
}

pub(super) fn run(shell: &Shell, args: &DrawArgs, results: &mut Results) -> Result<Exit, Failure> {
    if let Some(file) = &args.gif {
        return animate::run(shell, args, file);
    }
    let form = args.out.as_deref().map(form_of).transpose()?;
    let found = find_level(&args.level)?;
    let loaded = shell.load(&found)?;
    let floor_y_m = floor_of(&loaded.map);
    let ends = match (args.from, args.to) {
        (Some(from), Some(to)) => Some((on_floor(from, floor_y_m)?, on_floor(to, floor_y_m)?)),
        _ => None,
    };
    let mut stage = if args.tick == 0 {
        Stage::Loaded(Box::new(crate::level::spawn::build(loaded, args.seed).world))
    } else {
        let interrupts = Interrupts::listen();
        let scripts = shell.scripts(&found, &loaded)?;
        let mut game = run::game(shell, &found, loaded, (scripts, args.seed))?;
        run::run_to(&mut game, args.tick, &interrupts)?;
        Stage::Run(Box::new(game))
    };
    let target =
        args.out.as_deref().map(|out| Target::claim(out, &found.project.folder.files_read())).transpose()?;
    let layer = layer_of(stage.world_mut(), args.layer.as_deref())?;
    let picture = match ends {
        Some(ends) => searched(stage.world_mut(), (ends, layer), args.layers),
        None => world_picture(stage.world_mut(), layer, args.layers.unwrap_or_default()),
    };
    match (target, form) {
        (Some(target), Some(form)) => write(&picture, form, args.scale, &target)?,
        _ => results.text(&text(&picture, args.scale))?,
    }
    Ok(Exit::Ok)
}

/// What is drawn: a level as loaded, or after some ticks.
enum Stage {
    Loaded(Box<World>),
    Run(Box<Game>),
}

impl Stage {
    fn world_mut(&mut self) -> &mut World {
        match self {
            Self::Loaded(world) => world,
            Self::Run(game) => game.world_mut(),
        }
    }
}

/// A picture of a search for a body of usual size. It goes around those who stand there when they are asked for as a
/// layer, as a walk would; else it is a question to the map alone, like that of `path`.
fn searched(world: &mut World, ((from, to), layer): ((Vec3, Vec3), u8), layers: Option<Parts>) -> Picture {
    let by = Traversal { radius_m: Gait::RADIUS_M, layer, ..Traversal::default() };
    let is_among_others = layers.is_some_and(|parts| parts.has(Part::Obstacles));
    let around =
        if is_among_others { world.bystanders(Straight { from, to, layer, but: &[] }) } else { None };
    let others = around.map(|around| around.discs);
    let asked = Asked { from, to, by, others };
    let answered = asked.answer(world.nav());
    let others = asked.others.as_deref().unwrap_or(&[]);
    let (record, answer) = (&answered.record, &answered.answer);
    search_picture(&SearchScene { world, from, to, by: &asked.by, record, answer, others }, layer)
}

/// A picture of a search.
pub(super) fn search_picture(scene: &SearchScene<'_>, layer: u8) -> Picture {
    let words = match scene.answer.status {
        crate::nav::PathStatus::None => "no path".to_owned(),
        _ => format!("{:.2} m", scene.answer.path.length_m),
    };
    let title =
        format!("{}  path: {words}, {} expansions", scene.world.level_name(), scene.answer.expansions);
    let mut picture = blank(scene.world, layer, title);
    draw_search(&mut picture, scene);
    picture
}

/// A picture of a level as it stands.
fn world_picture(world: &World, layer: u8, parts: Parts) -> Picture {
    let (tick, seconds) = (world.tick().0, world.rate().seconds(world.tick()));
    let title = format!("{}  tick {tick} ({seconds:.2} s)", world.level_name());
    let mut picture = blank(world, layer, title);
    draw_ground(&mut picture, world, parts);
    draw_scene(&mut picture, world, parts);
    picture
}

fn blank(world: &World, layer: u8, title: String) -> Picture {
    let frame = world.nav().cells().map(|cells| *cells.frame());
    let mut picture = Picture::new(title, world.nav().bounds(), frame.map_or(0.0, |frame| frame.cell_size_m));
    picture.map_layer = layer;
    if let Some(frame) = frame {
        // Other layouts show the lines of their cells.
        let is_square = matches!(frame.layout(), Layout::Square4 | Layout::Square8);
        picture.tile_m = is_square.then(|| frame.tile_size_m());
    }
    if world.tiles().is_some_and(|tiles| tiles.is_isometric) {
        picture.projection = Projection::Isometric;
    }
    picture
}

/// Writes a picture in the form asked for.
pub(super) fn write(
    picture: &Picture,
    form: Form,
    scale: Option<f64>,
    target: &Target,
) -> Result<(), Failure> {
    let screen = || picture.screen(scale).map_err(|error| Failure::usage(error.to_string()));
    match form {
        Form::Text => target.write(ascii::render(picture, columns(picture, scale)).as_bytes()),
        Form::Svg => target.write(svg::render(&screen()?).as_bytes()),
        Form::Png => {
            let bytes = pictures::png(&screen()?);
            target
                .write(&bytes.map_err(|error| Failure::io(format!("{}: {error}", target.path().display())))?)
        }
    }
}

/// A picture as text.
pub(super) fn text(picture: &Picture, scale: Option<f64>) -> String {
    ascii::render(picture, columns(picture, scale))
}

/// Columns of the text form, from characters per metre.
fn columns(picture: &Picture, scale: Option<f64>) -> u32 {
    match scale {
        Some(scale) => (picture.size_m()[0] * scale).round().clamp(8.0, 16_384.0) as u32,
        None => ascii::COLUMNS,
    }
}
