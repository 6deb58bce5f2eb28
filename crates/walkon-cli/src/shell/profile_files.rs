//! Writes profiles in formats of other tools: folded stacks, speedscope, Chrome trace.
//!
//! In: a profile, the steps of its ticks. Out: the bytes of a file. Holds: the fuel in folded stacks and in
//! speedscope is all fuel of the run, to the unit, in the same order every time. Not here: profiling
//! (`script::state::profile`), where the file goes (`profiling`).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use clap::ValueEnum;

use crate::game::TickStep;
use crate::game::line::JsonLine;
use crate::script::state::profile::Who;
use crate::script::state::profile::report::{CallKey, Profile, StackKey};

/// The form of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileForm {
    /// A stack a line, with its fuel: for inferno, flamegraph.pl and speedscope
    Folded,
    /// JSON for <https://www.speedscope.app>, fuel and time
    Speedscope,
    /// Chrome's trace: every call in its time, on a track for each character
    Chrome,
}

impl ProfileForm {
    /// The form that the name of a file asks for.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let has = |ending: &str| name.ends_with(ending);
        if has(".folded") || has(".collapsed") || has(".txt") {
            Some(Self::Folded)
        } else if has(".speedscope.json") || has(".speedscope") {
            Some(Self::Speedscope)
        } else if has(".json") {
            Some(Self::Chrome)
        } else {
            None
        }
    }
}

/// A step of a tick in its time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepSpan {
    pub(crate) tick: u64,
    pub(crate) step: TickStep,
    pub(crate) begun_ns: u64,
    pub(crate) nanoseconds: u64,
}

/// What a file is made of.
pub(crate) struct Profiled<'a> {
    pub(crate) level: &'a str,
    pub(crate) profile: &'a Profile,
    pub(crate) steps: &'a [StepSpan],
}

impl Profiled<'_> {
    /// Writes the file. A chart over time, which is long, is written event by event.
    ///
    /// # Errors
    /// What writing it comes to.
    pub(crate) fn write(&self, form: ProfileForm, out: &mut dyn Write) -> io::Result<()> {
        match form {
            ProfileForm::Folded => out.write_all(self.folded().as_bytes()),
            ProfileForm::Speedscope => out.write_all(self.speedscope().as_bytes()),
            ProfileForm::Chrome => self.write_chrome(out),
        }
    }

    fn folded(&self) -> String {
        let mut sums: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for (key, fuel) in &self.profile.stacks {
            *sums.entry(names_of_stack(key)).or_default() += fuel;
        }
        let mut text = String::new();
        for (names, fuel) in sums {
            let names: Vec<String> = names.iter().map(|name| name.replace([';', '\n'], ",")).collect();
            let _ = writeln!(text, "{} {fuel}", names.join(";"));
        }
        text
    }

    fn speedscope(&self) -> String {
        let mut frames = Frames::default();
        let mut fuel = Samples::default();
        for (key, weight) in &self.profile.stacks {
            let names = names_of_stack(key).into_iter().map(|name| frames.number(name)).collect();
            fuel.add(names, *weight);
        }
        let mut time = Samples::default();
        for (key, used) in self.profile.calls.iter().filter(|(_, used)| used.nanoseconds > 0) {
            let names = names_of_call(key).into_iter().map(|name| frames.number(name)).collect();
            time.add(names, used.nanoseconds);
        }
        let mut profiles = vec![fuel.json("fuel", "none")];
        if !time.weights.is_empty() {
            profiles.push(time.json("time", "nanoseconds"));
        }
        JsonLine::default()
            .text("$schema", "https://www.speedscope.app/file-format-schema.json")
            .text("name", self.level)
            .text("exporter", "walkon")
            .raw("shared", &JsonLine::default().raw("frames", &frames.json()).finish())
            .raw("profiles", &format!("[{}]", profiles.join(",")))
            .finish()
    }

    fn write_chrome(&self, out: &mut dyn Write) -> io::Result<()> {
        let Profile { call_names, timed, .. } = self.profile;
        let mut tracks = ChromeTracks::default();
        out.write_all(b"{\"traceEvents\":[")?;
        out.write_all(tracks.add("steps of the tick", "").as_bytes())?;
        // What all events of a call have in common, once it is known.
        let mut heads: Vec<Option<EventHead>> = Vec::new();
        heads.resize_with(call_names.len(), || None);
        let mut line = Vec::with_capacity(256);
        for call in timed {
            let place = call.call as usize;
            let (Some(name), Some(head)) = (call_names.get(place), heads.get_mut(place)) else { continue };
            line.clear();
            if head.is_none() {
                let (track, news) = tracks.of(&name.who);
                line.extend_from_slice(news.unwrap_or_default().as_bytes());
                *head = Some(EventHead::new(&name.callback, track));
            }
            let Some(head) = head else { continue };
            head.begin(&mut line, call.begun_ns, call.nanoseconds, call.tick);
            line.extend_from_slice(b",\"fuel\":");
            push_number(&mut line, call.fuel);
            line.extend_from_slice(b"}}");
            out.write_all(&line)?;
        }
        for step in self.steps {
            line.clear();
            let head = EventHead::new(step.step.name(), 0);
            head.begin(&mut line, step.begun_ns, step.nanoseconds, step.tick);
            line.extend_from_slice(b"}}");
            out.write_all(&line)?;
        }
        let about = JsonLine::default().text("level", self.level);
        let about = about.count("callsLeftOut", self.profile.dropped_calls).finish();
        write!(out, "],\"displayTimeUnit\":\"ms\",\"otherData\":{about}}}")
    }
}

/// The tracks of a Chrome trace: the steps of the tick, then all owners of scripts in the order of their
/// first calls.
#[derive(Default)]
struct ChromeTracks<'a> {
    of_who: BTreeMap<&'a Who, usize>,
    count: usize,
}

impl<'a> ChromeTracks<'a> {
    /// The number of an owner's track; and the event that names it, where it is new.
    fn of(&mut self, who: &'a Who) -> (usize, Option<String>) {
        if let Some(known) = self.of_who.get(who) {
            return (*known, None);
        }
        self.of_who.insert(who, self.count);
        (self.count, Some(self.add(&who.name, &who.file)))
    }

    /// The event that names the next track. The file stands there once and not at each call.
    fn add(&mut self, name: &str, file: &str) -> String {
        let args = JsonLine::default().text("name", name);
        let args = if file.is_empty() { args } else { args.text("file", file) }.finish();
        let line = JsonLine::default().text("ph", "M").text("name", "thread_name").count("pid", 1);
        let event = line.count("tid", self.count as u64).raw("args", &args).finish();
        self.count += 1;
        // Behind the first of all, each begins with what lies between two.
        if self.count == 1 { event } else { format!(",\n{event}") }
    }
}

/// The beginning of an event with a length, up to its time.
struct EventHead(Vec<u8>);

impl EventHead {
    fn new(name: &str, track: usize) -> Self {
        let line = JsonLine::default().text("ph", "X").text("name", name).count("pid", 1);
        let mut head = Vec::from(b",\n".as_slice());
        // Open: its time follows.
        let line = line.count("tid", track as u64).finish();
        head.extend_from_slice(line.trim_end_matches('}').as_bytes());
        head.extend_from_slice(b",\"ts\":");
        Self(head)
    }

    /// Writes an event up to its tick, its arguments open.
    fn begin(&self, line: &mut Vec<u8>, begun_ns: u64, nanoseconds: u64, tick: u64) {
        line.extend_from_slice(&self.0);
        push_microseconds(line, begun_ns);
        line.extend_from_slice(b",\"dur\":");
        push_microseconds(line, nanoseconds);
        line.extend_from_slice(b",\"args\":{\"tick\":");
        push_number(line, tick);
    }
}

/// Microseconds with three decimals.
fn push_microseconds(line: &mut Vec<u8>, nanoseconds: u64) {
    push_number(line, nanoseconds / 1000);
    let rest = nanoseconds % 1000;
    let digit = |value: u64| b'0' + (value % 10) as u8;
    line.extend_from_slice(&[b'.', digit(rest / 100), digit(rest / 10), digit(rest)]);
}

/// A whole number in digits: there are millions of them.
fn push_number(line: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[first..]);
}

/// Names of frames, each once.
#[derive(Default)]
struct Frames {
    numbers: BTreeMap<String, usize>,
    names: Vec<String>,
}

impl Frames {
    fn number(&mut self, name: String) -> usize {
        let next = self.names.len();
        let number = *self.numbers.entry(name.clone()).or_insert(next);
        if number == next {
            self.names.push(name);
        }
        number
    }

    fn json(&self) -> String {
        let frames: Vec<String> =
            self.names.iter().map(|name| JsonLine::default().text("name", name).finish()).collect();
        format!("[{}]", frames.join(","))
    }
}

/// Stacks of a profile of speedscope.
#[derive(Default)]
struct Samples {
    stacks: Vec<Vec<usize>>,
    weights: Vec<u64>,
}

impl Samples {
    fn add(&mut self, stack: Vec<usize>, weight: u64) {
        self.stacks.push(stack);
        self.weights.push(weight);
    }

    fn json(&self, name: &str, unit: &str) -> String {
        let list = |numbers: &mut dyn Iterator<Item = String>| {
            let numbers: Vec<String> = numbers.collect();
            format!("[{}]", numbers.join(","))
        };
        let stack = |stack: &Vec<usize>| list(&mut stack.iter().map(usize::to_string));
        let sum: u64 = self.weights.iter().sum();
        let line = JsonLine::default().text("type", "sampled").text("name", name).text("unit", unit);
        line.count("startValue", 0)
            .count("endValue", sum)
            .raw("samples", &list(&mut self.stacks.iter().map(stack)))
            .raw("weights", &list(&mut self.weights.iter().map(u64::to_string)))
            .finish()
    }
}

/// File, character, callback.
fn names_of_call(key: &CallKey) -> Vec<String> {
    let file = if key.who.file.is_empty() { "(no file)".to_owned() } else { key.who.file.clone() };
    vec![file, key.who.name.clone(), key.callback.clone()]
}

/// The same, then the functions from the outermost, then the line.
fn names_of_stack(key: &StackKey) -> Vec<String> {
    let mut names = names_of_call(&key.call);
    names.extend(key.frames.iter().map(|function| function.shown()));
    let innermost = key.frames.iter().rev().find(|function| !function.file.is_empty());
    if let Some(function) = innermost.filter(|_| key.line > 0) {
        names.push(format!("{}:{}", function.file, key.line));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_all_their_digits() {
        let shown = |push: fn(&mut Vec<u8>, u64), number: u64| {
            let mut line = Vec::new();
            push(&mut line, number);
            String::from_utf8(line).unwrap_or_default()
        };
        for number in [0, 7, 10, 999, 1_000, 1_234_567_890, u64::MAX] {
            assert_eq!(shown(push_number, number), number.to_string());
            let us = format!("{}.{:03}", number / 1000, number % 1000);
            assert_eq!(shown(push_microseconds, number), us);
        }
    }
}
