//! `walkon draw`: the map, a tick of a run, or a search, as text, SVG or PNG; a run as GIF.

mod animate;
mod source;

use std::path::Path;
use std::sync::Arc;

use glam::Vec3;
use walkon_shell::{CommandFailure, Exit};

use self::source::{DrawSource, trace_text};
use super::args::{DrawArgs, ViewArg};
use super::path::{PathQuestion, floor_of, layer_of, on_floor};
use super::shell::Shell;
use super::{replay, run, scenery};
use crate::base::geom::{Bounds, Point, Segment, raise};
use crate::base::suggestions::counted;
use crate::game::Game;
use crate::game::recording::Recording;
use crate::nav::mesh::Patch;
use crate::nav::{Layout, NavMap, Traversal};
use crate::shell::interrupts::Interrupts;
use crate::shell::output::{OutputFile, Results, is_stream, tell};
use crate::shell::pictures;
use crate::shell::progress::ProgressWork;
use crate::view::{
    GroundProjection, Parts, Picture, PicturePart, Screen, ScreenError, SearchScene, Slant, ascii,
    draw_ground, draw_scene, draw_scenery, draw_search, svg,
};
use crate::world::World;
use crate::world::bystanders::Straight;
use crate::world::character::Gait;

/// What is left free above and below a map that is seen from the side, metres.
const ROOM_M: f64 = 0.5;

/// The form of a picture, by the suffix of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PictureFormat {
    Png,
    Svg,
    Text,
}

/// The form that a file's name asks for.
pub(super) fn form_of(path: &Path) -> Result<PictureFormat, CommandFailure> {
    if is_stream(path) {
        return Ok(PictureFormat::Text);
    }
    let suffix = path.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default().to_ascii_lowercase();
    match suffix.as_str() {
        "png" => Ok(PictureFormat::Png),
        "svg" => Ok(PictureFormat::Svg),
        "txt" => Ok(PictureFormat::Text),
        _ => Err(CommandFailure::usage(format!(
            "{}: expected a name that ends in .png, .svg or .txt",
            path.display()
        ))),
    }
}

pub(super) fn run(shell: &Shell, args: &DrawArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
    without_animation(args)?;
    let form = args.out.as_deref().map(form_of).transpose()?;
    let traced = trace_text(&args.level)?;
    let trace = traced.as_deref().map(|text| replay::read(&args.level, text)).transpose()?;
    let source = DrawSource::open(shell, args, trace.as_ref())?;
    if let Some(file) = &args.gif {
        return animate::run(shell, args, file, source, trace.as_ref());
    }
    let floor_y_m = floor_of(&source.loaded.map);
    let slant = slant_of(args.view, &source.loaded.map)?;
    let ends = match (args.from, args.to) {
        (Some(from), Some(to)) => {
            Some(Segment { from: on_floor(from, floor_y_m)?, to: on_floor(to, floor_y_m)? })
        }
        _ => None,
    };
    // A trace is drawn as it ended.
    let tick = args.tick.unwrap_or_else(|| trace.as_ref().map_or(0, Recording::last_tick));
    let backdrop = scenery::backdrop(&source.found, &source.loaded.def.navigation);
    let files_read = source.found.project.folder.files_read();
    let mut stage = DrawnMoment::at(tick, shell, source, trace.as_ref())?;
    let target = args.out.as_deref().map(|out| OutputFile::claim(out, &files_read)).transpose()?;
    let shown = layers_of(stage.world_mut(), args.layer.as_deref())?;
    let world = stage.world_mut();
    let goal_layer = args.to_layer.as_deref().map(|name| layer_of(world, Some(name))).transpose()?;
    let pictures: Vec<Picture> = match ends {
        Some(ends) => searched(world, ends, goal_layer, args.layers, &shown, slant),
        None => {
            let parts = args.layers.unwrap_or_default();
            let picture = |&layer: &u8| world_picture(world, layer, slant, parts, &backdrop);
            shown.iter().map(picture).collect()
        }
    };
    match (target, form) {
        (Some(target), Some(form)) => {
            write(&pictures, form, args.scale, &target)?;
            shell.more(|| {
                format!("wrote {}: {}", target.path().display(), counted(pictures.len() as u64, "picture"))
            });
        }
        _ => results.text(&text(&pictures, args.scale))?,
    }
    Ok(Exit::Ok)
}

/// Options of an animation without one. The parser lets them pass beside what an animation excludes.
fn without_animation(args: &DrawArgs) -> Result<(), CommandFailure> {
    let given =
        [("--ticks", args.ticks.is_some()), ("--every", args.every.is_some()), ("--fps", args.fps.is_some())];
    match given.iter().find(|(_, is_given)| *is_given && args.gif.is_none()) {
        Some((option, _)) => {
            let what = format!("{option} is for animations, expected --gif FILE beside it");
            Err(CommandFailure::usage(what).help("one moment is drawn with --tick N"))
        }
        None => Ok(()),
    }
}

/// Every layer for the word `all`, unless one has that name; else the one that is named, or the first.
fn layers_of(world: &World, name: Option<&str>) -> Result<Vec<u8>, CommandFailure> {
    let has = |name| world.tiles().is_some_and(|tiles| tiles.layer(name).is_some());
    match name {
        Some("all") if !has("all") => Ok((0..world.nav().layer_count() as u8).collect()),
        name => Ok(vec![layer_of(world, name)?]),
    }
}

/// What is drawn: a level as loaded, or after some ticks.
enum DrawnMoment {
    Loaded(Box<World>),
    Run(Box<Game>),
}

impl DrawnMoment {
    /// The level in this tick, of a run as the trace has it, if there is one.
    fn at(
        tick: u64,
        shell: &Shell,
        source: DrawSource,
        trace: Option<&Recording<'_>>,
    ) -> Result<Self, CommandFailure> {
        if tick == 0 {
            let seed = source.seed();
            return Ok(Self::Loaded(Box::new(crate::level::spawn::build(source.loaded, seed).world)));
        }
        let interrupts = Interrupts::listen();
        let (found, loaded, start) = source.start(shell)?;
        let mut game = run::game(shell, &found, loaded, start)?;
        let mut bar = shell.progress(ProgressWork { name: "running", unit: "ticks", all: tick });
        let finished = run::run_to(&mut game, tick, trace, &interrupts, |tick, _| bar.reach(tick))?;
        drop(bar);
        let traced = trace.map(Recording::last_tick).filter(|last| *last < tick);
        if let Some(last) = traced.or(finished).filter(|_| !shell.is_quiet) {
            let why = if traced.is_some() { "the trace ends" } else { "the level's script ends the run" };
            tell(&format!("warning: {why} in tick {last}; tick {tick} is what would have come of it"));
        }
        Ok(Self::Run(Box::new(game)))
    }

    fn world_mut(&mut self) -> &mut World {
        match self {
            Self::Loaded(world) => world,
            Self::Run(game) => game.world_mut(),
        }
    }
}

/// Pictures of a search for a body of usual size, which begins on the first layer that is shown. It goes
/// around standing characters when they are asked for as a layer, as a walk would; else it is a question to
/// the map alone, like that of `path`.
fn searched(
    world: &mut World,
    Segment { from, to }: Segment<Vec3>,
    goal_layer: Option<u8>,
    parts: Option<Parts>,
    shown: &[u8],
    slant: Slant,
) -> Vec<Picture> {
    let layer = shown.first().copied().unwrap_or_default();
    let by = Traversal { radius_m: Gait::RADIUS_M, layer, ..Traversal::default() };
    let is_among_others = parts.is_some_and(|parts| parts.has(PicturePart::Obstacles));
    let around =
        if is_among_others { world.bystanders(Straight { from, to, layer, but: &[] }) } else { None };
    let others = around.map(|around| Arc::clone(around.discs()));
    let asked = PathQuestion { from, to, by, goal_layer, others };
    let answered = asked.answer(world);
    let others = asked.others.as_deref().unwrap_or(&[]);
    let (record, answer) = (&answered.record, &answered.answer);
    let scene = SearchScene { world, from, to, by: &asked.by, record, answer, others };
    shown.iter().map(|&layer| search_picture(&scene, layer, slant)).collect()
}

/// A picture of a search.
pub(super) fn search_picture(scene: &SearchScene<'_>, layer: u8, slant: Slant) -> Picture {
    let words = match scene.answer.status {
        crate::nav::PathStatus::None => "no path".to_owned(),
        _ => format!("{:.2} m", scene.answer.path.length_in_space_m()),
    };
    let name = name_of(scene.world, layer);
    let title = format!("{name}  path: {words}, {} expansions", scene.answer.expansions);
    let mut picture = blank(scene.world, layer, slant, title);
    draw_search(&mut picture, scene);
    picture
}

/// A picture of a level as it stands.
fn world_picture(world: &World, layer: u8, slant: Slant, parts: Parts, backdrop: &[[Vec3; 3]]) -> Picture {
    let (tick, seconds) = (world.tick().0, world.rate().seconds(world.tick()));
    let title = format!("{}  tick {tick} ({seconds:.2} s)", name_of(world, layer));
    let mut picture = blank(world, layer, slant, title);
    draw_backdrop(&mut picture, world, parts, backdrop);
    draw_ground(&mut picture, world, parts);
    draw_scene(&mut picture, world, parts);
    picture
}

/// The scene below a graph, where the cells of the map are shown.
fn draw_backdrop(picture: &mut Picture, world: &World, parts: Parts, backdrop: &[[Vec3; 3]]) {
    if let Some(graph) = world.nav().graph().filter(|_| parts.has(PicturePart::Cells)) {
        draw_scenery(picture, backdrop, graph.draft().points());
    }
}

/// The name of the level, with that of the layer where it has several.
fn name_of(world: &World, layer: u8) -> String {
    let names = world.tiles().filter(|_| world.nav().layer_count() > 1);
    match names.and_then(|tiles| tiles.layer_names().nth(usize::from(layer))) {
        Some(name) => format!("{}  {name}", world.level_name()),
        None => world.level_name().to_owned(),
    }
}

fn blank(world: &World, layer: u8, slant: Slant, title: String) -> Picture {
    let frame = world.nav().cells().map(|cells| *cells.frame());
    let mut picture =
        Picture::new(title, bounds(world.nav(), slant), frame.map_or(0.0, |frame| frame.cell_size_m));
    (picture.map_layer, picture.slant) = (layer, slant);
    if let Some(frame) = frame {
        // Other layouts show the lines of their cells.
        let is_square = matches!(frame.layout(), Layout::Square4 | Layout::Square8);
        picture.tile_m = is_square.then(|| frame.tile_size_m());
    }
    if world.tiles().is_some_and(|tiles| tiles.is_isometric) {
        picture.projection = GroundProjection::Isometric;
    }
    picture
}

/// Where some places are looked at from: from the side floors above one another are lifted apart.
pub(super) fn slant_over(view: ViewArg, places: impl IntoIterator<Item = Vec3>) -> Slant {
    match view {
        ViewArg::Top => Slant::Top,
        ViewArg::Oblique => Slant::lifted(places),
    }
}

/// Where a map is looked at from; only one with heights can be looked at from the side.
fn slant_of(view: ViewArg, nav: &NavMap) -> Result<Slant, CommandFailure> {
    if view == ViewArg::Oblique && floor_of(nav).is_some() {
        return Err(CommandFailure::usage("--view oblique: this map is flat, expected --view top"));
    }
    if view == ViewArg::Top {
        return Ok(Slant::Top);
    }
    let corners = |patch: Patch| -> Vec<Vec3> {
        patch.outline.iter().zip(&patch.heights_m).map(|(&at, &y_m)| raise(at, y_m)).collect()
    };
    let places: Vec<Vec3> = match (nav.mesh(), nav.graph()) {
        (Some(mesh), _) => mesh.patches(&Traversal::default()).into_iter().flat_map(corners).collect(),
        (_, Some(graph)) => graph.draft().points().to_vec(),
        _ => Vec::new(),
    };
    Ok(slant_over(view, places))
}

/// What there is to see of a map.
fn bounds(nav: &NavMap, slant: Slant) -> Bounds {
    let mut bounds = nav.bounds();
    if slant == Slant::Top {
        return bounds;
    }
    // As wide as from above, as high as what is seen.
    let corners = |patch: Patch| slant.corners(&patch.outline, &patch.heights_m);
    let seen: Vec<Point> = match (nav.mesh(), nav.graph()) {
        (Some(mesh), _) => mesh.patches(&Traversal::default()).into_iter().flat_map(corners).collect(),
        (_, Some(graph)) => graph.draft().points().iter().map(|&point| slant.place(point)).collect(),
        _ => Vec::new(),
    };
    if !seen.is_empty() {
        let seen = Bounds::of(&seen).grown(ROOM_M);
        (bounds.min[1], bounds.max[1]) = (seen.min[1], seen.max[1]);
    }
    bounds
}

/// Writes pictures, below one another, in the form asked for.
pub(super) fn write(
    shown: &[Picture],
    form: PictureFormat,
    scale: Option<f64>,
    target: &OutputFile,
) -> Result<(), CommandFailure> {
    if form == PictureFormat::Text {
        return target.write(text(shown, scale).as_bytes());
    }
    let screens: Result<Vec<Screen>, ScreenError> = shown.iter().map(|one| one.screen(scale)).collect();
    let screens = screens.map_err(|error| CommandFailure::usage(error.to_string()))?;
    if form == PictureFormat::Svg {
        return target.write(svg::render(&screens).as_bytes());
    }
    let bytes = pictures::png(&screens);
    target.write(&bytes.map_err(|error| CommandFailure::io(format!("{}: {error}", target.path().display())))?)
}

/// Pictures as text, below one another.
pub(super) fn text(shown: &[Picture], scale: Option<f64>) -> String {
    let text = |picture: &Picture| ascii::render(picture, columns(picture, scale));
    shown.iter().map(text).collect::<Vec<String>>().join("\n")
}

/// Columns of the text form, from characters per metre.
fn columns(picture: &Picture, scale: Option<f64>) -> u32 {
    match scale {
        Some(scale) => (picture.size_m()[0] * scale).round().clamp(8.0, 16_384.0) as u32,
        None => ascii::COLUMNS,
    }
}
