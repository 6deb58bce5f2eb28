//! `walkon draw --gif`: draws a run as an animation.
//!
//! In: a level, its scripts, which ticks. Out: one GIF. Holds: its size is known and bounded before the first
//! tick; every frame is the picture of its tick, and all have one size and one legend; the same level,
//! scripts, seed and options give the same bytes. Not here: the look of a picture (`view`), the file format
//! (`pictures::animation`).

use std::collections::VecDeque;
use std::path::Path;

use glam::Vec3;
use walkon_shell::{CommandFailure, Exit};

use super::source::{DrawSource, not_before};
use crate::base::suggestions::counted;
use crate::base::time::{TickNumber, TickRate};
use crate::game::Game;
use crate::game::recording::Recording;
use crate::nav::Revision;
use crate::shell::cli::args::DrawArgs;
use crate::shell::cli::canvas::{blank, draw_backdrop, slant_of};
use crate::shell::cli::path_question::layer_of;
use crate::shell::cli::shell::Shell;
use crate::shell::cli::{run, scenery};
use crate::shell::interrupts::Interrupts;
use crate::shell::output::{OutputFile, is_stream, tell};
use crate::shell::pictures::animation::{Animation, PIXELS_MAX};
use crate::shell::progress::ProgressWork;
use crate::shell::report::clean;
use crate::view::{
    KnownColours, LabelPlaces, LegendEntry, Parts, Picture, PicturePart, Screen, Slant, draw_ground,
    draw_scene,
};
use crate::world::World;

/// Game seconds of an animation that names no ticks.
const SECONDS: f64 = 10.0;
/// Lines under the title, and game seconds that one stands there at most.
const CAPTIONS_MAX: usize = 3;
const CAPTION_S: f64 = 3.0;
/// Frames a second of one that names none.
const FPS: f64 = 20.0;
/// Longer side of a map that no scale was asked for, pixels: fits a page and a chat.
const MAP_SIDE_PX: f64 = 800.0;
/// Shortest and longest time of a frame, hundredths of a second: viewers take less than two for ten.
const DELAY_RANGE: (f64, f64) = (2.0, 6000.0);

/// Which ticks are shown, and for how long.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FrameTiming {
    first: u64,
    last: u64,
    every: u64,
    /// From one frame to the next, hundredths of a second.
    delay: f64,
}

impl FrameTiming {
    /// Of a run that begins in the tick `begun`.
    fn of(args: &DrawArgs, rate: TickRate, begun: u64) -> Self {
        let (first, last) = match &args.ticks {
            Some(ticks) => (*ticks.start(), *ticks.end()),
            None => (begun, begun + rate.ticks(SECONDS)),
        };
        let per_second = f64::from(rate.per_second());
        let ticks = |hundredths: f64| hundredths * per_second / 100.0;
        let (every, delay) = match (args.every, args.fps) {
            (Some(every), Some(fps)) => (every, 100.0 / fps),
            (every, fps) => {
                let every = every.unwrap_or_else(|| ticks(100.0 / fps.unwrap_or(FPS)).round() as u64);
                // As many more as make a frame long enough.
                let every = every.max(ticks(DELAY_RANGE.0).ceil() as u64).max(1);
                (every, every as f64 * 100.0 / per_second)
            }
        };
        Self { first, last, every, delay }
    }

    fn frames(&self) -> u64 {
        (self.last - self.first) / self.every + 1
    }

    /// How long a frame is shown, hundredths of a second: what rounding leaves goes to the next one.
    fn delay_of(&self, index: u64) -> u16 {
        let until = |index: u64| (index as f64 * self.delay).round();
        (until(index + 1) - until(index)).clamp(DELAY_RANGE.0, DELAY_RANGE.1) as u16
    }
}

pub(super) fn run(
    shell: &Shell,
    args: &DrawArgs,
    file: &Path,
    source: DrawSource,
    trace: Option<&Recording<'_>>,
) -> Result<Exit, CommandFailure> {
    if !is_stream(file) && !file.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("gif")) {
        return Err(CommandFailure::usage(format!("{}: expected a name that ends in .gif", file.display())));
    }
    let (found, loaded, start) = source.start(shell)?;
    let rate = TickRate::new(loaded.def.tick_rate).unwrap_or_default();
    let target = OutputFile::claim(file, &found.project.folder.files_read())?;
    let interrupts = Interrupts::listen();
    let backdrop = scenery::backdrop(&found, &loaded.def.navigation);
    let mut game = run::game(shell, &found, loaded, start)?;
    not_before(&game, "--ticks", args.ticks.as_ref().map(|ticks| *ticks.start()))?;
    let mut pace = FrameTiming::of(args, rate, game.world().tick().0);
    if let (Some(trace), None) = (trace, &args.ticks) {
        pace.last = trace.last_tick().max(pace.first);
    }
    if let Some(every) = args.every.filter(|every| *every < pace.every && !shell.is_quiet) {
        let shown = pace.every;
        tell(&format!(
            "warning: --every {every}: viewers show no frame for less than 0.02 s; every {shown} ticks are shown"
        ));
    }
    let mut film = Film::new(game.world(), pace, args)?;
    film.backdrop = backdrop;
    let mut bar = shell.progress(ProgressWork { name: "drawing", unit: "frames", all: pace.frames() });
    for index in 0..pace.frames() {
        run::run_to(&mut game, pace.first + index * pace.every, trace, &interrupts, |tick, recorded| {
            bar.look();
            film.hear(TickNumber(tick), recorded.captions);
        })?;
        film.take(game.world(), pace.delay_of(index))?;
        bar.reach(index + 1);
        if game.outcome().is_some() {
            break;
        }
    }
    drop(bar);
    if let Some(what) = beyond_the_end(&game, trace, pace).filter(|_| args.ticks.is_some() && !shell.is_quiet)
    {
        tell(&format!("warning: {what}"));
    }
    target.write(&film.finish()?)?;
    Ok(Exit::Ok)
}

/// What is to be said where a run ends before the last frame that was asked for.
fn beyond_the_end(game: &Game, trace: Option<&Recording<'_>>, pace: FrameTiming) -> Option<String> {
    let last = pace.first + (pace.frames() - 1) * pace.every;
    let reached = game.world().tick().0;
    if game.outcome().is_some() && reached < last {
        return Some(format!(
            "the level's script ends the run in tick {reached}, so the animation is shorter"
        ));
    }
    let end = trace.map(Recording::last_tick).filter(|end| *end < last)?;
    let first = pace.first.max(end + 1);
    Some(format!(
        "the trace ends in tick {end}; ticks {first} to {last} show how the run would have continued"
    ))
}

/// An animation in the making.
struct Film {
    parts: Parts,
    scale: f64,
    layer: u8,
    slant: Slant,
    last: TickNumber,
    animation: Animation,
    /// The scene below a graph.
    backdrop: Vec<[Vec3; 3]>,
    /// Words and legend of the ground, and the revision of the map that they are of.
    ground: Option<(Revision, Picture)>,
    /// The first frame, for the legend that only the last one completes.
    first: Option<Picture>,
    legend: Vec<LegendEntry>,
    /// Where names stood last.
    stood: LabelPlaces,
    /// The colours of people so far.
    people: KnownColours,
    frames: u64,
    /// What stands under the title, and since when; oldest first.
    captions: VecDeque<(TickNumber, String)>,
}

impl Film {
    /// Nothing yet; refused when all its frames together would be too large.
    fn new(world: &World, pace: FrameTiming, args: &DrawArgs) -> Result<Self, CommandFailure> {
        let layer = layer_of(world, args.layer.as_deref())?;
        let slant = slant_of(args.view, world.nav())?;
        let picture = blank(world, layer, slant, title(world, TickNumber(pace.last)));
        let scale = args.scale.unwrap_or_else(|| picture.scale_to(MAP_SIDE_PX));
        let screen = screen(&Picture { caption_rows: CAPTIONS_MAX, ..picture }, scale)?;
        let pixels = pace.frames().saturating_mul(u64::from(screen.width_px) * u64::from(screen.body_px));
        if pixels > PIXELS_MAX {
            let size = format!(
                "{} of {} x {} pixels",
                counted(pace.frames(), "frame"),
                screen.width_px,
                screen.body_px
            );
            let limit = PIXELS_MAX / 1_000_000;
            return Err(CommandFailure::usage(format!(
                "the animation would have {size}, expected at most {limit} million pixels in all"
            ))
            .help("choose a smaller --scale, fewer --ticks, or a larger --every"));
        }
        let animation = Animation::new();
        let (parts, last) = (args.layers.unwrap_or_default(), TickNumber(pace.last));
        let (legend, stood) = (Vec::new(), LabelPlaces::new());
        Ok(Self {
            parts,
            scale,
            layer,
            slant,
            last,
            animation,
            backdrop: Vec::new(),
            ground: None,
            first: None,
            legend,
            stood,
            people: KnownColours::new(),
            frames: 0,
            captions: VecDeque::new(),
        })
    }

    /// Keeps what is to stand under the title.
    fn hear(&mut self, tick: TickNumber, captions: Vec<String>) {
        for caption in captions {
            if self.captions.len() == CAPTIONS_MAX {
                self.captions.pop_front();
            }
            self.captions.push_back((tick, clean(&caption)));
        }
    }

    /// Adds a frame of the world as it is, for so many hundredths of a second.
    fn take(&mut self, world: &World, delay: u16) -> Result<(), CommandFailure> {
        let mut picture = self.picture(world, self.parts)?;
        if self.first.is_none() {
            // The labels of the still parts have their places, whatever stands there at first.
            let still = self.picture(world, self.parts.without(PicturePart::Characters))?;
            self.stood = screen(&still, self.scale)?.stood;
        }
        picture.stood.clone_from(&self.stood);
        let seconds = world.rate().ticks(CAPTION_S);
        self.captions.retain(|(since, _)| world.tick().0 < since.0 + seconds);
        picture.captions = self.captions.iter().map(|(_, words)| words.clone()).collect();
        for entry in &picture.legend {
            if !self.legend.iter().any(|known| known.is_same_thing(entry)) {
                self.legend.push(entry.clone());
            }
        }
        self.people.clone_from(&picture.people);
        let screen = screen(&picture, self.scale)?;
        self.animation.add(&screen, delay).map_err(CommandFailure::io)?;
        self.frames += 1;
        self.stood.extend(screen.stood);
        self.first.get_or_insert(picture);
        Ok(())
    }

    /// What the world shows now.
    fn picture(&mut self, world: &World, parts: Parts) -> Result<Picture, CommandFailure> {
        let revision = world.nav().revision();
        if self.ground.as_ref().is_none_or(|(shown, _)| *shown != revision) {
            let mut picture = blank(world, self.layer, self.slant, String::new());
            draw_backdrop(&mut picture, world, self.parts, &self.backdrop);
            draw_ground(&mut picture, world, self.parts);
            picture.caption_rows = CAPTIONS_MAX;
            picture.title = title(world, self.last);
            self.animation.lay_ground(&screen(&picture, self.scale)?).map_err(CommandFailure::io)?;
            // It has been drawn: only its words and its legend are still to be.
            picture.layers.clear();
            self.ground = Some((revision, picture));
        }
        let ground = self.ground.as_ref().map(|(_, picture)| picture.clone());
        let mut picture = ground.unwrap_or_else(|| blank(world, self.layer, self.slant, String::new()));
        picture.title = title(world, self.last);
        picture.caption_rows = CAPTIONS_MAX;
        picture.people.clone_from(&self.people);
        draw_scene(&mut picture, world, parts);
        Ok(picture)
    }

    fn finish(self) -> Result<Vec<u8>, CommandFailure> {
        let Some(mut first) = self.first else {
            return Err(CommandFailure::io("an animation without frames"));
        };
        first.legend = self.legend;
        self.animation.finish(&screen(&first, self.scale)?).map_err(CommandFailure::io)
    }
}

fn screen(picture: &Picture, scale: f64) -> Result<Screen, CommandFailure> {
    picture.screen(Some(scale)).map_err(|error| CommandFailure::usage(error.to_string()))
}

/// The level and the time, as long at every tick up to `last`.
fn title(world: &World, last: TickNumber) -> String {
    let seconds = |tick| format!("{:.2}", world.rate().seconds(tick));
    let (tick, digits) = (world.tick(), last.0.to_string().len());
    format!(
        "{}  tick {:>digits$} ({:>width$} s)",
        world.level_name(),
        tick.0,
        seconds(tick),
        width = seconds(last).len()
    )
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::shell::cli::args::{Cli, Command};

    #[test]
    fn frames_run_in_real_time_unless_both_their_distance_and_their_speed_are_said() {
        let timing = |options: &str, rate| {
            let words =
                ["walkon", "draw", "yard", "--gif", "a.gif"].into_iter().chain(options.split_whitespace());
            let Command::Draw(args) = Cli::try_parse_from(words).unwrap().command else { panic!("draw") };
            FrameTiming::of(&args, TickRate::new(rate).unwrap(), 0)
        };
        let pace = |options: &str, rate| {
            let timing = timing(options, rate);
            (timing.frames(), timing.every, timing.delay)
        };
        assert_eq!(pace("", 60), (201, 3, 5.0));
        assert_eq!(pace("--ticks 0..0", 60), (1, 3, 5.0));
        assert_eq!(pace("--ticks 10..19 --every 3", 60), (4, 3, 5.0));
        assert_eq!(pace("--ticks 0..600 --every 6", 60), (101, 6, 10.0));
        assert_eq!(pace("--ticks 0..600 --every 6 --fps 50", 60), (101, 6, 2.0));
        assert_eq!(pace("--ticks 0..9 --every 1 --fps 50", 10), (10, 1, 2.0));
        let rates = [10, 11, 15, 20, 24, 25, 30, 48, 50, 59, 60, 75, 100, 120, 144, 200, 240];
        let options = ["", "--every 1", "--every 2", "--every 7", "--fps 1", "--fps 24", "--fps 50"];
        for (rate, options) in rates.into_iter().flat_map(|rate| options.map(|options| (rate, options))) {
            let timing = timing(options, rate);
            let hundredths = |frames: u64| (0..frames).map(|at| u64::from(timing.delay_of(at))).sum::<u64>();
            for frames in [1, 2, 3, 10, 1000] {
                let game = (frames * timing.every) as f64 / f64::from(rate) * 100.0;
                let shown = hundredths(frames) as f64;
                assert!((shown - game).abs() <= 0.5 + 1e-6, "{rate} {options:?}: {shown} of {game}");
            }
            assert!((0..1000).all(|at| timing.delay_of(at) >= 2), "{rate} {options:?}");
        }
    }
}
