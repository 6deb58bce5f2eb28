//! Runs a level to its end, as fast as possible.
//!
//! In: a game, when to end, an onlooker. Out: a [`Report`]. Holds: the run ends at its bound at the latest;
//! every walk has settled by then. Not here: clocks, printing, real time (`shell`).

use std::collections::BTreeMap;

use crate::base::time::TickNumber;
use crate::game::inputs::Input;
use crate::game::line::{JsonLine, quoted};
use crate::game::tick::Tick;
use crate::game::tick_notes::CrowdCounts;
use crate::game::{Game, TickStep};
use crate::world::World;
use crate::world::event::SwitchedOff;
use crate::world::scratch::PathCounts;
use crate::world::walks::WalkCounts;

/// When a run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Whether any script fault ends and fails it.
    pub is_strict: bool,
    /// After this many ticks, at the latest.
    pub ticks_max: u64,
    /// When an event of this name happens: one of `event.emit` or of the runtime.
    pub until: Option<String>,
}

/// Why a run ended, as `ended` of its JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The bound was reached.
    Bound,
    /// The level's script called `level.finish`.
    Finish,
    /// The event that was waited for happened.
    Until,
    /// A script faulted under `--strict`.
    Fault,
    /// A limit stopped it.
    Limit,
    /// The process was asked to stop.
    Signal,
}

impl RunEnd {
    /// The word that JSON and traces use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bound => "bound",
            Self::Finish => "finish",
            Self::Until => "until",
            Self::Fault => "fault",
            Self::Limit => "limit",
            Self::Signal => "signal",
        }
    }
}

/// What an onlooker wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Onlooker {
    /// Go on.
    GoOn,
    /// End after this tick: the process was asked to stop.
    Stop,
}

/// The host of a run: gives its inputs, looks on, and hears of the steps.
pub trait Host {
    /// What the host has to say in the coming tick, whose number is `tick`.
    fn inputs(&mut self, world: &World, tick: u64) -> Vec<Input> {
        let _ = (world, tick);
        Vec::new()
    }

    /// Whether the process was asked to stop while the host waited for the coming tick: it is not run then.
    fn is_over(&self) -> bool {
        false
    }

    /// Sees a tick. The first call is about tick 0, the last about the end of the level.
    fn watch(&mut self, world: &World, recorded: &Tick) -> Onlooker;

    /// Sees the game between two ticks: before the first, and after each.
    fn between(&mut self, game: &Game) {
        let _ = game;
    }

    /// Hears of each step of a tick as it ends.
    fn done(&mut self, step: TickStep) {
        let _ = step;
    }
}

/// The result of a run. What it counts is that of the game, since it began or since the save game that it
/// went on from: another run of a game that has ended runs no tick, and counts the same again.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Name of the level.
    pub level: String,
    /// Seed of the run.
    pub seed: u64,
    /// Ticks that the game has run, those before a save game left out that it went on from.
    pub ticks: u64,
    /// The tick at which it ended.
    pub last_tick: TickNumber,
    /// Game seconds of those ticks.
    pub seconds: f64,
    /// Why it ended.
    pub ended: RunEnd,
    /// Whether it ended well.
    pub ok: bool,
    /// What `level.finish` had to say.
    pub note: Option<String>,
    /// The state at the end.
    pub hash: u64,
    /// Whether another run would be the same; false after the watchdog fired.
    pub is_reproducible: bool,
    /// Characters alive at the end.
    pub characters: usize,
    /// Ends of walks.
    pub walks: WalkCounts,
    /// Script faults.
    pub faults: u64,
    /// Code that is switched off at the end.
    pub switched_off: Vec<SwitchedOff>,
    /// Reloads that took effect.
    pub reloads: u64,
    /// Cost of searching.
    pub paths: PathCounts,
    /// What walkers did because of doors, the map and one another.
    pub crowd: CrowdCounts,
    /// The last values of `level.measure`.
    pub measures: BTreeMap<String, f64>,
}

impl Report {
    /// The object that `run --format json` prints, without what differs from run to run.
    #[doc(hidden)]
    #[must_use]
    pub fn fields(&self) -> JsonLine {
        let walks = JsonLine::default()
            .count("accepted", self.walks.accepted)
            .count("arrived", self.walks.arrived)
            .count("partial", self.walks.partial)
            .count("blocked", self.walks.blocked)
            .count("cancelled", self.walks.cancelled);
        let paths = JsonLine::default()
            .count("requests", self.paths.requests)
            .count("expansions", self.paths.expansions)
            .count("maxPerTick", self.paths.max_per_tick)
            .count("restarts", self.paths.restarts);
        let replans = JsonLine::default()
            .count("door", self.crowd.for_doors)
            .count("map", self.crowd.for_map)
            .count("crowd", self.crowd.for_crowd)
            .count("target", self.crowd.for_target);
        let crowd = JsonLine::default().raw("replans", &replans.finish()).count("nudges", self.crowd.nudges);
        let off: Vec<String> = self.switched_off.iter().map(|off| quoted(&off.owner)).collect();
        let measures = self
            .measures
            .iter()
            .fold(JsonLine::default(), |line, (name, value)| line.raw(name, &value.to_string()));
        JsonLine::default()
            .text("level", &self.level)
            .count("seed", self.seed)
            .count("ticks", self.ticks)
            .raw("seconds", &format!("{:?}", self.seconds))
            .text("ended", self.ended.name())
            .flag("ok", self.ok)
            .raw("note", &self.note.as_deref().map_or("null".to_owned(), quoted))
            .hash("hash", self.hash)
            .flag("reproducible", self.is_reproducible)
            .count("characters", self.characters as u64)
            .raw("walks", &walks.finish())
            .count("faults", self.faults)
            .raw("switchedOff", &format!("[{}]", off.join(",")))
            .count("reloads", self.reloads)
            .raw("paths", &paths.finish())
            .raw("crowd", &crowd.finish())
            .raw("measures", &measures.finish())
    }

    /// The last line of a trace.
    #[must_use]
    pub fn last_line(&self) -> String {
        let line = JsonLine::default().count("t", self.last_tick.0).text("end", self.ended.name());
        let line = line.hash("hash", self.hash).flag("ok", self.ok);
        if self.is_reproducible { line } else { line.flag("reproducible", false) }.finish()
    }
}

/// Runs a game to its end. `watch` sees every tick and may ask to stop; the first call is about tick 0, and
/// the last about what happened as the level ended. The game has ended then and goes no further: another run
/// of it ends at once, at its bound, and its report counts what the first one counted.
pub fn run(game: &mut Game, bound: &Bound, watch: impl FnMut(&World, &Tick) -> Onlooker) -> Report {
    run_timed(game, bound, watch, &mut |_| {})
}

/// The same; `done` hears of each step of each tick as it ends.
pub fn run_timed(
    game: &mut Game,
    bound: &Bound,
    watch: impl FnMut(&World, &Tick) -> Onlooker,
    done: &mut dyn FnMut(TickStep),
) -> Report {
    run_hosted(game, bound, &mut Silent { watch, done })
}

/// A host that has nothing to say.
struct Silent<'done, W> {
    watch: W,
    done: &'done mut dyn FnMut(TickStep),
}

impl<W: FnMut(&World, &Tick) -> Onlooker> Host for Silent<'_, W> {
    fn watch(&mut self, world: &World, recorded: &Tick) -> Onlooker {
        (self.watch)(world, recorded)
    }

    fn done(&mut self, step: TickStep) {
        (self.done)(step);
    }
}

/// Runs a game to its end for a host that may have something to say in every tick.
pub fn run_hosted(game: &mut Game, bound: &Bound, host: &mut dyn Host) -> Report {
    let start = game.start_facts();
    let stop = host.watch(game.world(), &start) == Onlooker::Stop;
    host.between(game);
    // What `onStart` did counts: it may have finished the level, faulted, or emitted what is waited for.
    let mut ended = if stop { Some(RunEnd::Signal) } else { after_tick(game, bound, &start) };
    // Bounded by the bound.
    while ended.is_none() {
        let tick = game.world().tick().0;
        // A game that has ended, by an earlier run or by the host, goes no further.
        if tick >= bound.ticks_max || game.has_ended() {
            ended = Some(RunEnd::Bound);
            break;
        }
        let inputs = host.inputs(game.world(), tick + 1);
        if host.is_over() {
            ended = Some(RunEnd::Signal);
            break;
        }
        let recorded = game.tick_watched(&inputs, &mut |step| host.done(step));
        let stop = host.watch(game.world(), &recorded) == Onlooker::Stop;
        host.between(game);
        // A signal comes first: the call that it cut short counts as a fault, but is none of the script's.
        ended = if stop { Some(RunEnd::Signal) } else { after_tick(game, bound, &recorded) };
    }
    let (last, report) = end(game, bound, ended.unwrap_or(RunEnd::Bound));
    let _ = host.watch(game.world(), &last);
    report
}

/// Ends a run whose ticks are run already: what happens as the level ends, and the report.
pub fn end(game: &mut Game, bound: &Bound, ended: RunEnd) -> (Tick, Report) {
    let hash = game.fingerprint().whole();
    let switched_off = game.switched_off();
    let last = game.end();
    // Scripts may fault, too, as they hear of the end.
    let ended = match ended {
        RunEnd::Bound | RunEnd::Finish | RunEnd::Until if has_failed(game, bound) => RunEnd::Fault,
        ended => ended,
    };
    (last, Report { switched_off, ..report(game, ended, bound, hash) })
}

/// Why a run ends that goes no further than it has come.
#[must_use]
pub fn end_of(game: &Game) -> RunEnd {
    if game.is_memory_exhausted() {
        return RunEnd::Limit;
    }
    if game.outcome().is_some() { RunEnd::Finish } else { RunEnd::Bound }
}

/// Whether a script has faulted that may not.
fn has_failed(game: &Game, bound: &Bound) -> bool {
    bound.is_strict && game.fault_count() > 0
}

/// Why a run ends after this tick, if it does.
fn after_tick(game: &Game, bound: &Bound, recorded: &Tick) -> Option<RunEnd> {
    if has_failed(game, bound) {
        return Some(RunEnd::Fault);
    }
    if game.is_memory_exhausted() {
        return Some(RunEnd::Limit);
    }
    if game.outcome().is_some() {
        return Some(RunEnd::Finish);
    }
    let until = bound.until.as_deref()?;
    recorded.has(until).then_some(RunEnd::Until)
}

fn report(game: &Game, ended: RunEnd, bound: &Bound, hash: u64) -> Report {
    let world = game.world();
    let ticks = world.tick().since(game.began());
    let outcome = game.outcome();
    let has_come_to_its_end = match ended {
        RunEnd::Finish | RunEnd::Until => true,
        RunEnd::Bound => bound.until.is_none(),
        RunEnd::Fault | RunEnd::Limit | RunEnd::Signal => false,
    };
    // The level may be judged as late as when its scripts hear of the end.
    let ok = has_come_to_its_end && outcome.as_ref().is_none_or(|outcome| outcome.ok);
    Report {
        level: world.level_name().to_owned(),
        seed: world.seed(),
        ticks,
        last_tick: world.tick(),
        seconds: world.rate().seconds(TickNumber(ticks)),
        ended,
        ok,
        note: outcome.and_then(|outcome| outcome.note),
        hash,
        is_reproducible: game.is_reproducible(),
        characters: world.character_count(),
        walks: world.walk_counts(),
        faults: game.fault_count(),
        switched_off: Vec::new(),
        reloads: game.reload_count(),
        paths: world.path_counts(),
        crowd: game.crowd_counts(),
        measures: game.measures(),
    }
}
