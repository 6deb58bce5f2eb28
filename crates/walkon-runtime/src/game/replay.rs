//! Replays a trace and compares it line by line.
//!
//! In: a recording, its level, its scripts. Out: a [`ReplayResult`]: the same, or the first line that differs
//! and how, and the first tick whose hash differs and in which part. Holds: lines are compared as text, so no
//! difference is overlooked; inputs come from the trace; a cut trace counts up to its last whole line. Not
//! here: whether the trace belongs to this level (`header`), files.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::base::ordered::{self, CollectOrdered};
use crate::game::headless::{self, Host, Onlooker};
use crate::game::inputs::Input;
use crate::game::recorder::Recorder;
use crate::game::recording::{Recording, is_of_the_clock, tick_of, unrepeatable};
use crate::game::tick::Tick;
use crate::game::{Game, Setup, StartError};
use crate::level::Level;
use crate::script::vm::fuel::Signals;
use crate::world::World;

/// How a line of the trace and one of the replay differ.
#[derive(Clone, Debug, PartialEq)]
pub enum DifferenceKind {
    /// Both tell of the same kind of thing; the first field that differs, with both values as JSON.
    Field {
        /// Its place, such as `position[0]`.
        field: String,
        /// In the trace.
        expected: String,
        /// In the replay.
        got: String,
    },
    /// The trace has a line that the replay has not.
    Extra,
    /// The replay has a line that the trace has not.
    Missing,
    /// The line of the trace is not one.
    Unreadable,
    /// The two tell of different things.
    Other,
}

/// The first line that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The tick.
    pub tick: u64,
    /// Number of the line in the file; where it should stand, for a missing one.
    pub line: usize,
    /// How.
    pub what: DifferenceKind,
    /// The line of the trace, if there is one.
    pub expected: Option<String>,
    /// The line of the replay, if there is one.
    pub got: Option<String>,
}

/// The first tick whose hash differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashDifference {
    /// The tick.
    pub tick: u64,
    /// The parts of the state that differ, as traces name them.
    pub parts: Vec<String>,
    /// In the trace.
    pub expected: String,
    /// In the replay.
    pub got: String,
}

/// The result of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayResult {
    /// Ticks that were run.
    pub ticks: u64,
    /// Lines that were found equal.
    pub lines: usize,
    /// Hashes among them.
    pub hashes: u64,
    /// The state at the end of the replay.
    pub hash: u64,
    /// Whether the trace lacks its end.
    pub is_cut: bool,
    /// Whether the replay was stopped before the end of the trace.
    pub is_stopped: bool,
    /// The first line that differs.
    pub difference: Option<Difference>,
    /// The first tick whose hash differs.
    pub hash_difference: Option<HashDifference>,
    /// Why no replay can be the same from some tick on, and that tick.
    pub because: Option<(u64, &'static str)>,
}

impl ReplayResult {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.difference.is_none() && self.hash_difference.is_none()
    }
}

/// Runs a recording again. `is_stopped` is asked once a tick. What the host said by inputs is said again; its
/// verbs ([`Game::walk_to`](Game::walk_to) and the like) leave no line, so a run that used them differs.
///
/// ```
/// use std::collections::BTreeMap;
/// use std::sync::Arc;
/// use walkon::{
///     Bound, Game, Onlooker, RecordOptions, Recorder, Recording, RunSetup, Setup, TraceHeader, replay,
///     run_headless,
/// };
/// # let (level, scripts) = (walkon_runtime::example::level()?, walkon_runtime::example::scripts());
///
/// let options = RecordOptions { trace: true, hash_every: 30, ..RecordOptions::default() };
/// let bound = Bound { ticks_max: 60, until: None, is_strict: false };
/// let run = RunSetup { level_file: "yard.json", seed: 7, bound: bound.clone(), args: Vec::new(), options };
/// let mut trace = vec![TraceHeader::of(&level, &scripts, BTreeMap::new(), run).line()];
///
/// let recorder = Recorder::new(options);
/// let setup = Setup { scripts: scripts.clone(), seed: Some(7), recorder, ..Setup::default() };
/// let mut game = Game::load(level.clone(), setup)?;
/// let report = run_headless(&mut game, &bound, |_, tick| {
///     trace.extend(tick.lines.iter().cloned());
///     Onlooker::GoOn
/// });
/// trace.push(report.last_line());
///
/// let text = trace.join("\n") + "\n";
/// let recording = Recording::read(&text)?;
/// let result = replay(&recording, level, scripts, Arc::default(), &mut || false)?;
/// assert!(result.is_same() && result.hash == report.hash);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the scripts do not start.
pub fn replay(
    recording: &Recording<'_>,
    level: Level,
    scripts: BTreeMap<String, String>,
    signals: Arc<Signals>,
    is_stopped: &mut dyn FnMut() -> bool,
) -> Result<ReplayResult, StartError> {
    let header = &recording.header;
    let setup = Setup {
        scripts,
        seed: Some(header.seed),
        args: header.args.clone(),
        recorder: Recorder::new(header.options),
        signals,
        is_interactive: header.is_interactive,
        ..Setup::default()
    };
    let mut game = match &header.from {
        None => Game::load(level, setup)?,
        Some(save) => {
            Game::restore(level, setup, save).map_err(|error| StartError::Save(error.to_string()))?
        }
    };
    let mut comparison = Comparison {
        recording,
        is_stopped,
        at: 0,
        lines: 0,
        hashes: 0,
        stopped: false,
        difference: None,
        hash_difference: None,
        hash_lines: None,
    };
    let report = headless::run_hosted(&mut game, &header.bound, &mut comparison);
    comparison.finish(&report.last_line(), report.last_tick.0);
    let seen =
        comparison.difference.as_ref().map_or(recording.lines.len(), |found| found.line.saturating_sub(1));
    let because =
        recording.lines.iter().take(seen).find_map(|line| Some((tick_of(line)?, unrepeatable(line)?)));
    Ok(ReplayResult {
        ticks: report.ticks,
        lines: comparison.lines,
        hashes: comparison.hashes,
        hash: report.hash,
        is_cut: recording.is_cut(),
        is_stopped: comparison.stopped,
        difference: comparison.difference,
        hash_difference: comparison.hash_difference,
        because,
    })
}

/// A replay under way.
struct Comparison<'a, 'stop> {
    recording: &'a Recording<'a>,
    is_stopped: &'stop mut dyn FnMut() -> bool,
    /// The next line of the trace.
    at: usize,
    lines: usize,
    hashes: u64,
    stopped: bool,
    difference: Option<Difference>,
    hash_difference: Option<HashDifference>,
    /// Lines with hashes from the first difference on, by tick: from there on only these are compared.
    hash_lines: Option<BTreeMap<u64, &'a str>>,
}

impl Host for Comparison<'_, '_> {
    fn inputs(&mut self, world: &World, tick: u64) -> Vec<Input> {
        // One that cannot be read is missing from the replay and named there.
        self.recording.inputs_for(world, tick)
    }

    fn watch(&mut self, world: &World, recorded: &Tick) -> Onlooker {
        let tick = world.tick().0;
        for (index, line) in recorded.lines.iter().enumerate() {
            self.take(tick, line, &recorded.lines[index + 1..]);
        }
        self.stopped |= (self.is_stopped)();
        let is_over = self.recording.is_cut() && self.at >= self.recording.lines.len();
        let signal = self.recording.end.as_ref().is_some_and(|end| end.word == "signal" && tick >= end.tick);
        let is_decided = self.difference.is_some()
            && (self.hash_difference.is_some() || self.hash_lines.as_ref().is_some_and(BTreeMap::is_empty));
        if is_over || signal || is_decided || self.stopped { Onlooker::Stop } else { Onlooker::GoOn }
    }
}

impl<'a> Comparison<'a, '_> {
    /// The next line of the trace that a replay can have.
    fn next(&mut self) -> Option<&'a str> {
        while self.recording.lines.get(self.at).is_some_and(|line| is_of_the_clock(line)) {
            self.at += 1;
        }
        self.recording.lines.get(self.at).copied()
    }

    /// Compares a line of the replay; `rest` are those of the same tick after it.
    fn take(&mut self, tick: u64, got: &str, rest: &[String]) {
        if self.stopped {
            return;
        }
        if self.difference.is_some() {
            return self.take_hash(tick, got);
        }
        let expected = self.next();
        if expected == Some(got) {
            self.at += 1;
            self.lines += 1;
            self.hashes += u64::from(is_hash(got));
            return;
        }
        if expected.is_none() && self.recording.is_cut() {
            return;
        }
        let what = self.judge(got, rest);
        let told = tick_of(expected.unwrap_or_default()).map_or(tick, |there| there.min(tick));
        self.difference = Some(Difference {
            tick: told,
            line: Recording::number(self.at),
            expected: expected.filter(|_| what != DifferenceKind::Missing).map(str::to_owned),
            got: (what != DifferenceKind::Extra).then(|| got.to_owned()),
            what,
        });
        let after = &self.recording.lines[self.at..];
        let hashes = after.iter().filter(|line| is_hash(line));
        self.hash_lines = Some(hashes.filter_map(|line| Some((tick_of(line)?, *line))).collect_map());
        self.take_hash(tick, got);
    }

    /// After the first difference: only whether the state is the same.
    fn take_hash(&mut self, tick: u64, got: &str) {
        let Some(lines) = self.hash_lines.as_mut().filter(|_| self.hash_difference.is_none() && is_hash(got))
        else {
            return;
        };
        let Some(expected) = lines.remove(&tick).filter(|expected| *expected != got) else { return };
        self.hash_difference = hash_difference(tick, expected, got);
    }

    /// How the next line of the trace and a line of the replay differ.
    fn judge(&self, got: &str, rest: &[String]) -> DifferenceKind {
        let Some(expected) = self.recording.lines.get(self.at) else { return DifferenceKind::Missing };
        if rest.iter().any(|line| line == expected) {
            return DifferenceKind::Missing;
        }
        let tick = tick_of(got);
        // A line of a later tick: the trace has nothing more to say about this one.
        match tick_of(expected).cmp(&tick) {
            _ if tick_of(expected).is_none() => {}
            Ordering::Greater => return DifferenceKind::Missing,
            Ordering::Less => return DifferenceKind::Extra,
            Ordering::Equal => {}
        }
        let later = self.recording.lines[self.at + 1..].iter();
        if later.take_while(|line| tick_of(line) == tick).any(|line| *line == got)
            && tick_of(expected) == tick
        {
            return DifferenceKind::Extra;
        }
        let (Ok(there), Ok(here)) =
            (serde_json::from_str::<Value>(expected), serde_json::from_str::<Value>(got))
        else {
            return DifferenceKind::Unreadable;
        };
        if kind(&there) != kind(&here) {
            return DifferenceKind::Other;
        }
        match first_field(&there, &here, "") {
            Some((field, expected, got)) => DifferenceKind::Field { field, expected, got },
            // Equal as JSON and not as text: the line was edited.
            None => DifferenceKind::Other,
        }
    }

    /// Compares what is left once the run has ended.
    fn finish(&mut self, last: &str, ticks: u64) {
        let is_done = self.difference.is_some() || self.stopped;
        if is_done || (self.recording.is_cut() && self.next().is_none()) {
            return;
        }
        let rest: &[String] = &[];
        if self.recording.is_cut() {
            self.leftover(ticks);
        } else {
            self.take(ticks, last, rest);
            if self.difference.is_none() && self.next().is_some() {
                self.leftover(ticks);
            }
        }
    }

    /// The trace goes on where the replay has ended.
    fn leftover(&mut self, ticks: u64) {
        let expected = self.next().map(str::to_owned);
        let tick = expected.as_deref().and_then(tick_of).unwrap_or(ticks);
        let line = Recording::number(self.at);
        self.difference = Some(Difference { tick, line, what: DifferenceKind::Extra, expected, got: None });
    }
}

fn is_hash(line: &str) -> bool {
    line.strip_prefix("{\"t\":")
        .is_some_and(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(",\"hash\":"))
}

/// What a line tells of: the name of a fact, or the field that makes it another kind of line.
fn kind(line: &Value) -> (Option<u64>, String) {
    let kinds = ["hash", "positions", "detail", "end"];
    let name = line["e"].as_str().map(str::to_owned);
    let field = || kinds.iter().find(|kind| line.get(**kind).is_some()).map(|kind| format!(" {kind}"));
    (line["t"].as_u64(), name.or_else(field).unwrap_or_default())
}

fn hash_difference(tick: u64, expected: &str, got: &str) -> Option<HashDifference> {
    let (there, here): (Value, Value) =
        (serde_json::from_str(expected).ok()?, serde_json::from_str(got).ok()?);
    let parts = here["parts"].as_object()?.iter();
    let differ = parts.filter(|(name, hash)| there["parts"][name.as_str()] != **hash);
    let text = |line: &Value| line["hash"].as_str().unwrap_or_default().to_owned();
    let parts = differ.map(|(name, _)| name.clone()).collect();
    Some(HashDifference { tick, parts, expected: text(&there), got: text(&here) })
}

/// Place and values of the first field that differs. Cost: the size of the values.
fn first_field(there: &Value, here: &Value, place: &str) -> Option<(String, String, String)> {
    if there == here {
        return None;
    }
    match (there, here) {
        (Value::Object(one), Value::Object(other)) => {
            let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
            // The parts of a hash say more than the whole.
            ordered::sort_by_key(&mut names, |name| name.as_str() == "hash");
            names.iter().find_map(|name| {
                let place = if place.is_empty() { (*name).clone() } else { format!("{place}.{name}") };
                first_field(&there[name.as_str()], &here[name.as_str()], &place)
            })
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let pairs = one.iter().zip(other).enumerate();
            let mut found =
                pairs.map(|(index, (one, other))| first_field(one, other, &format!("{place}[{index}]")));
            found.find_map(|found| found)
        }
        _ => Some((place.to_owned(), there.to_string(), here.to_string())),
    }
}
