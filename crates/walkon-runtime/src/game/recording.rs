//! A parsed trace: its header, its lines, the inputs of the host in it.
//!
//! In: the text of a trace. Out: a [`Recording`]. Holds: a trace cut at any byte is read up to its last whole
//! line; a line that does not parse stays a line like any other, so that a replay names it. Not here: running
//! it (`replay`).

use std::collections::BTreeMap;

use serde_json::Value;

use crate::game::header::Header;
use crate::game::input_line;
use crate::game::inputs::Input;
use crate::world::World;

/// Why a text is no trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Nothing, or a first line without its end.
    #[error("its first line is incomplete, so its run is unknown")]
    NoHeader,
    /// The first line is no header.
    #[error("line 1: {0}")]
    Header(String),
}

/// How a trace ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndLine {
    /// The last tick.
    pub tick: u64,
    /// Why, as `ended` of `run`.
    pub word: String,
}

/// A trace that was read.
#[derive(Clone, Debug)]
pub struct Recording<'a> {
    /// Its first line.
    pub header: Header,
    /// Every whole line after the first, without line breaks.
    pub lines: Vec<&'a str>,
    /// Its last line, when it has one.
    pub end: Option<EndLine>,
    /// Bytes after the last whole line.
    pub torn_bytes: usize,
    /// The tick that a signal cut short, whose lines are left out.
    pub cut_short: Option<u64>,
    inputs: BTreeMap<u64, Vec<Value>>,
}

impl<'a> Recording<'a> {
    /// Reads a trace. A byte order mark and the line ends of Windows, which other programs make of it, say
    /// nothing.
    ///
    /// # Errors
    /// When its first line is missing or no header.
    pub fn read(text: &'a str) -> Result<Self, ReadError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        let lines = text[..whole].split_terminator('\n');
        let mut lines = lines.map(|line| line.strip_suffix('\r').unwrap_or(line));
        let header = Header::read(lines.next().ok_or(ReadError::NoHeader)?).map_err(ReadError::Header)?;
        let mut lines: Vec<&str> = lines.collect();
        let end = lines.last().and_then(|line| end_of(line));
        let cut_short = end.as_ref().and_then(|end| leave_out_what_the_signal_cut_short(&mut lines, end));
        // What was left out makes it a trace without an end.
        let end = end.filter(|_| lines.last().is_some_and(|line| end_of(line).is_some()));
        let mut inputs: BTreeMap<u64, Vec<Value>> = BTreeMap::new();
        for line in &lines {
            if let Some(tick) = tick_of(line)
                && line.contains(input_line::MARK)
                && let Ok(json) = serde_json::from_str::<Value>(line)
                && json["e"] == "input"
            {
                inputs.entry(tick).or_default().push(json);
            }
        }
        Ok(Self { header, lines, end, torn_bytes: text.len() - whole, cut_short, inputs })
    }

    /// Whether it lacks its end: the run was killed, or the file was cut.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.end.is_none()
    }

    /// What the host said in a tick, as lines.
    #[must_use]
    pub fn inputs(&self, tick: u64) -> &[Value] {
        self.inputs.get(&tick).map_or(&[], Vec::as_slice)
    }

    /// The same as `world` understands it; what it cannot read is left out.
    #[must_use]
    pub fn inputs_for(&self, world: &World, tick: u64) -> Vec<Input> {
        self.inputs(tick).iter().filter_map(|line| input_line::read(world, line).ok()).collect()
    }

    /// The last tick that it tells of. A line of a tick that no run has come to counts for nothing: one
    /// beyond the bound of the run, or further on than its hashes are apart.
    #[must_use]
    pub fn last_tick(&self) -> u64 {
        let (bound, every) = (self.header.bound.ticks_max, self.header.options.hash_every);
        let mut last = None;
        for tick in self.lines.iter().filter_map(|line| tick_of(line)).filter(|tick| *tick <= bound) {
            // A run from a save game begins with the tick of that.
            let before = last.unwrap_or(if self.header.from.is_none() { 0 } else { tick });
            if every == 0 || tick <= before.saturating_add(every) {
                last = Some(tick.max(before));
            }
        }
        last.unwrap_or_default()
    }

    /// Number of a line in the file, from its place in `lines`.
    #[must_use]
    pub fn number(at: usize) -> usize {
        at + 2
    }
}

/// The tick that a line is about.
#[must_use]
pub fn tick_of(line: &str) -> Option<u64> {
    let rest = line.strip_prefix("{\"t\":")?;
    rest.split([',', '}']).next()?.parse().ok()
}

/// Whether real time and nothing else made this line: no replay has it.
#[must_use]
pub fn is_of_the_clock(line: &str) -> bool {
    line.contains("\"e\":\"notice\",\"what\":\"timeDropped\"")
}

/// Why no replay can repeat what this line tells: a script was ended by something that is not counted.
#[must_use]
pub fn unrepeatable(line: &str) -> Option<&'static str> {
    let tells_of_scripts = ["\"e\":\"scriptFault\"", "\"e\":\"evaluated\""];
    if !tells_of_scripts.iter().any(|told| line.contains(told)) {
        return None;
    }
    let kinds = [
        ("\"kind\":\"watchdog\"", "the watchdog ended a script there, by the clock"),
        ("\"kind\":\"memory\"", "a script had spent the memory there, which depends on the build"),
    ];
    kinds.iter().find(|(kind, _)| line.contains(kind)).map(|(_, why)| *why)
}

fn end_of(line: &str) -> Option<EndLine> {
    let tick = tick_of(line)?;
    let json: Value = serde_json::from_str(line).ok()?;
    Some(EndLine { tick, word: json["end"].as_str()?.to_owned() })
}

/// A signal that cut a script short (fault:H6) leaves a last tick that no other run has: the trace counts up
/// to it. That tick.
fn leave_out_what_the_signal_cut_short(lines: &mut Vec<&str>, end: &EndLine) -> Option<u64> {
    if end.word != "signal" {
        return None;
    }
    let last_tick = lines.iter().position(|line| tick_of(line) == Some(end.tick)).unwrap_or(lines.len());
    let is_torn = |line: &&str| line.contains("\"e\":\"notice\",\"what\":\"scriptStopped\"");
    let is_cut_short = lines[last_tick..].iter().any(is_torn);
    is_cut_short.then(|| {
        lines.truncate(last_tick);
        end.tick
    })
}
