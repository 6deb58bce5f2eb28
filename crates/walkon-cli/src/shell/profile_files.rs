//! Profiles as files of other tools: folded stacks, speedscope, Chrome trace.
//!
//! In: a profile, the steps of its ticks. Out: the bytes of a file. Holds: the fuel in folded stacks and in
//! speedscope is all fuel of the run, to the unit, in the same order every time. Not here: what is profiled
//! (`script::state::profile`), where the file goes (`profiling`).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::ValueEnum;

use crate::game::TickStep;
use crate::game::line::JsonLine;
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
    /// The text of a file.
    pub(crate) fn text(&self, form: ProfileForm) -> String {
        match form {
            ProfileForm::Folded => self.folded(),
            ProfileForm::Speedscope => self.speedscope(),
            ProfileForm::Chrome => self.chrome(),
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

    fn chrome(&self) -> String {
        /// The track of the steps; those of characters come after it.
        const STEPS: usize = 0;
        let Profile { call_names, timed, .. } = self.profile;
        let mut tracks: Vec<String> = vec!["steps of the tick".to_owned()];
        let mut track_of = BTreeMap::new();
        let mut events = Vec::new();
        for call in timed {
            let Some(name) = call_names.get(call.call as usize) else { continue };
            let track = *track_of.entry(&name.who).or_insert_with(|| {
                tracks.push(name.who.name.clone());
                tracks.len() - 1
            });
            let args = JsonLine::default().text("file", &name.who.file).count("tick", call.tick);
            let args = args.count("fuel", call.fuel).finish();
            let span =
                Span { name: &name.callback, track, begun_ns: call.begun_ns, nanoseconds: call.nanoseconds };
            events.push(span.json(&args));
        }
        for step in self.steps {
            let args = JsonLine::default().count("tick", step.tick).finish();
            let (begun_ns, nanoseconds) = (step.begun_ns, step.nanoseconds);
            events.push(Span { name: step.step.name(), track: STEPS, begun_ns, nanoseconds }.json(&args));
        }
        let named = tracks.iter().enumerate().map(|(track, name)| {
            let args = JsonLine::default().text("name", name).finish();
            let line = JsonLine::default().text("ph", "M").text("name", "thread_name").count("pid", 1);
            line.count("tid", track as u64).raw("args", &args).finish()
        });
        let all: Vec<String> = named.chain(events).collect();
        let line = JsonLine::default().raw("traceEvents", &format!("[{}]", all.join(",\n")));
        let about = JsonLine::default().text("level", self.level);
        let about = about.count("callsLeftOut", self.profile.dropped_calls).finish();
        line.text("displayTimeUnit", "ms").raw("otherData", &about).finish()
    }
}

/// An event of a Chrome trace with a length.
struct Span<'a> {
    name: &'a str,
    track: usize,
    begun_ns: u64,
    nanoseconds: u64,
}

impl Span<'_> {
    fn json(&self, args: &str) -> String {
        let us = |nanoseconds: u64| format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
        let line = JsonLine::default().text("ph", "X").text("name", self.name).count("pid", 1);
        let line = line.count("tid", self.track as u64).raw("ts", &us(self.begun_ns));
        line.raw("dur", &us(self.nanoseconds)).raw("args", args).finish()
    }
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
