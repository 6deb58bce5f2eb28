//! `walkon draw`: draws the map, a tick of a run, or a search, as text, SVG or PNG; a run as GIF.

mod animate;
mod source;

use glam::Vec3;
use walkon_shell::{CommandFailure, Exit};

use self::source::{DrawSource, DrawnText, not_before};
use super::args::DrawArgs;
use super::canvas::{form_of, search_picture, slant_of, text, world_picture, write};
use super::path_question::{PathQuestion, floor_of, goal_layer_of, layer_of, on_floor};
use super::shell::Shell;
use super::{replay, run, scenery};
use crate::base::geom::Segment;
use crate::game::Game;
use crate::game::recording::Recording;
use crate::shell::interrupts::Interrupts;
use crate::shell::output::{OutputFile, Results, tell};
use crate::shell::progress::ProgressWork;
use crate::view::{Parts, Picture, PicturePart, SearchScene, Slant, draw_scene};
use crate::world::World;
use crate::world::character::Gait;
use crate::world::ops::paths;

pub(super) fn run(shell: &Shell, args: &DrawArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
    without_animation(args)?;
    let form = args.out.as_deref().map(form_of).transpose()?;
    let traced;
    let (source, trace) = match DrawnText::at(&args.level)? {
        DrawnText::Level(found) => (DrawSource::of_level(shell, args, *found)?, None),
        DrawnText::Trace(read) => {
            traced = read;
            let trace = replay::read(&args.level, &traced)?;
            (DrawSource::of_trace(shell, args, &trace)?, Some(trace))
        }
    };
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
    let backdrop = scenery::backdrop(&source.found, &source.loaded.def.navigation);
    let files_read = source.found.project.folder.files_read();
    let mut stage = DrawnMoment::at(args.tick, shell, source, trace.as_ref())?;
    let target = args.out.as_deref().map(|out| OutputFile::claim(out, &files_read)).transpose()?;
    let shown = layers_of(stage.world_mut(), args.layer.as_deref())?;
    let world = stage.world_mut();
    let goal_layer = goal_layer_of(world, args.to_layer.as_deref())?;
    let pictures: Vec<Picture> = match ends {
        Some(ends) => {
            let from_layer = shown.first().copied().unwrap_or_default();
            let asked = question(world, ends, from_layer, goal_layer, args.layers);
            searched(world, &asked, &shown, slant, args.layers)
        }
        None => {
            let parts = args.layers.unwrap_or_default();
            let picture = |&layer: &u8| world_picture(world, layer, slant, parts, &backdrop);
            shown.iter().map(picture).collect()
        }
    };
    match (target, form) {
        (Some(target), Some(form)) => write(&pictures, form, args.scale, &target)?,
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
    /// The level in this tick, of a run as the trace has it, if there is one; by default as that ended.
    fn at(
        asked: Option<u64>,
        shell: &Shell,
        source: DrawSource,
        trace: Option<&Recording<'_>>,
    ) -> Result<Self, CommandFailure> {
        let tick = asked.unwrap_or_else(|| trace.map_or(0, Recording::last_tick));
        if tick == 0 && !source.is_from_save() {
            let seed = source.seed();
            return Ok(Self::Loaded(Box::new(crate::level::spawn::build(source.loaded, seed).world)));
        }
        let interrupts = Interrupts::listen();
        let (found, loaded, start) = source.start(shell)?;
        let mut game = run::game(shell, &found, loaded, start)?;
        not_before(&game, "--tick", asked)?;
        let mut bar = shell.progress(ProgressWork { name: "running", unit: "ticks", all: tick });
        let finished = run::run_to(&mut game, tick, trace, &interrupts, |tick, _| bar.reach(tick))?;
        drop(bar);
        let traced = trace.map(Recording::last_tick).filter(|last| *last < tick);
        if let Some(last) = traced.or(finished).filter(|_| !shell.is_quiet) {
            let why = if traced.is_some() { "the trace ends" } else { "the level's script ends the run" };
            tell(&format!(
                "warning: {why} in tick {last}; tick {tick} shows how the run would have continued"
            ));
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

/// A search for a body of usual size, which begins on a layer. It goes around standing characters when they
/// are asked for as a layer, as a walk would; else it is a question to the map alone, like that of `path`.
fn question(
    world: &mut World,
    Segment { from, to }: Segment<Vec3>,
    layer: u8,
    goal_layer: Option<u8>,
    parts: Option<Parts>,
) -> PathQuestion {
    let by = world.traversal_of_nobody(layer, Gait::RADIUS_M);
    let is_among_others = parts.is_some_and(|parts| parts.has(PicturePart::Obstacles));
    let others = match is_among_others {
        true => paths::query_around(world, from, to, by.clone(), &[]).0.others,
        false => None,
    };
    PathQuestion { from, to, by, goal_layer, others }
}

/// Pictures of a search on the layers that are shown.
fn searched(
    world: &mut World,
    asked: &PathQuestion,
    shown: &[u8],
    slant: Slant,
    wanted: Option<Parts>,
) -> Vec<Picture> {
    let PathQuestion { from, to, .. } = *asked;
    let answered = asked.answer(world);
    let others = asked.others.as_deref().unwrap_or(&[]);
    let (record, answer) = (&answered.record, &answered.answer);
    let scene = SearchScene {
        world,
        from,
        to,
        by: &asked.by,
        record,
        answer,
        others,
        parts: wanted.unwrap_or_default(),
    };
    let picture = |&layer: &u8| {
        let mut picture = search_picture(&scene, layer, slant);
        // What a search alone does not show, where it is asked for; the rest is drawn by then.
        let drawn = [PicturePart::Links, PicturePart::Doors, PicturePart::Paths, PicturePart::Obstacles];
        if let Some(parts) = wanted {
            draw_scene(&mut picture, world, drawn.into_iter().fold(parts, Parts::without));
        }
        picture
    };
    shown.iter().map(picture).collect()
}
