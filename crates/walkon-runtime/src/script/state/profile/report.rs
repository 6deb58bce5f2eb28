//! The profile in a form for tools.
//!
//! In: the sums of a ledger, the stacks that were seen. Out: fuel and time by file, by owner, by call, by
//! stack. Holds: the fuel of the stacks of a call is that of the call, to the unit; profiles of several runs
//! add up. Not here: formats of files (`shell::profile_files`).

use std::collections::BTreeMap;

use crate::script::state::profile::stacks::{FunctionName, Seen, Stacks};
use crate::script::state::profile::{Ledger, Who};

/// What some code took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// How often it was called.
    pub calls: u64,
    /// Fuel: safepoints, and what functions of the API cost.
    pub fuel: u64,
    /// Time in it; 0 without a stopwatch.
    pub nanoseconds: u64,
    /// The most fuel that it took in a tick.
    pub worst_fuel: u64,
    /// In which tick.
    pub worst_tick: u64,
}

impl Use {
    /// Adds what the same code took in another run.
    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.fuel += other.fuel;
        self.nanoseconds += other.nanoseconds;
        if other.worst_fuel > self.worst_fuel {
            (self.worst_fuel, self.worst_tick) = (other.worst_fuel, other.worst_tick);
        }
    }
}

/// What is called: the owner of the code, and which part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallKey {
    /// The owner of the code.
    pub who: Who,
    /// `update`, `onArrived`, ...
    pub callback: String,
}

/// A stack in a call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StackKey {
    /// The call.
    pub call: CallKey,
    /// Functions from the outermost; empty where the call was never looked into.
    pub frames: Vec<FunctionName>,
    /// The line of the innermost; 0 where it is not known.
    pub line: u32,
}

/// One call with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedCall {
    /// Its place in [`Profile::call_names`].
    pub call: u32,
    /// The tick.
    pub tick: u64,
    /// When it began.
    pub begun_ns: u64,
    /// How long it took.
    pub nanoseconds: u64,
    /// The fuel that it took.
    pub fuel: u64,
}

/// What the scripts of a run, or of several, cost.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Ticks of the runs.
    pub ticks: u64,
    /// By file that was asked for.
    pub files: BTreeMap<String, Use>,
    /// By file and character.
    pub callers: BTreeMap<Who, Use>,
    /// By what is called.
    pub calls: BTreeMap<CallKey, Use>,
    /// Fuel by stack; only whole calls where no stacks were looked at.
    pub stacks: BTreeMap<StackKey, u64>,
    /// The names of the calls of a chart over time.
    pub call_names: Vec<CallKey>,
    /// Calls in order, if they were to be kept.
    pub timed: Vec<TimedCall>,
    /// Calls that were too many to be kept.
    pub dropped_calls: u64,
}

impl Profile {
    pub(crate) fn of(ledger: &Ledger, stacks: Stacks, ticks: u64) -> Self {
        let who = |subject: u32| ledger.subjects.get(subject).map(|subject| ledger.subjects.who(subject));
        let call_names: Vec<CallKey> = ledger
            .contexts
            .iter()
            .map(|context| CallKey {
                who: who(context.subject).unwrap_or_default(),
                callback: context.callback.to_string(),
            })
            .collect();
        let mut profile = Self { ticks, dropped_calls: ledger.dropped, ..Self::default() };
        let files = ledger.subjects.files.iter().zip(&ledger.of_files);
        for (file, tally) in files.filter(|(_, tally)| tally.calls > 0) {
            profile.files.entry(file.clone()).or_default().add(&tally.used());
        }
        for (subject, tally) in ledger.subjects().filter(|(_, tally)| tally.calls > 0) {
            profile.callers.entry(ledger.subjects.who(subject)).or_default().add(&tally.used());
        }
        for (key, tally) in call_names.iter().zip(&ledger.of_contexts).filter(|(_, tally)| tally.calls > 0) {
            profile.calls.entry(key.clone()).or_default().add(&tally.used());
        }
        profile.share_out(ledger, stacks, &call_names);
        profile.timed = ledger
            .kept
            .iter()
            .map(|kept| TimedCall {
                call: kept.context,
                tick: kept.tick.into(),
                begun_ns: kept.begun_ns,
                nanoseconds: kept.cost.nanoseconds,
                fuel: kept.cost.fuel,
            })
            .collect();
        profile.call_names = call_names;
        profile
    }

    /// Shares the fuel of each call out to the stacks that were seen in it, by their weights.
    fn share_out(&mut self, ledger: &Ledger, mut stacks: Stacks, names: &[CallKey]) {
        let mut seen = stacks.take_weights().into_iter().peekable();
        for (index, (name, tally)) in names.iter().zip(&ledger.of_contexts).enumerate() {
            let mut of_call: Vec<(Seen, u64)> = Vec::new();
            while let Some((key, weight)) = seen.next_if(|(key, _)| key.context as usize <= index) {
                if key.context as usize == index {
                    of_call.push((key, weight));
                }
            }
            if of_call.is_empty() {
                of_call.push((Seen { context: index as u32, node: 0, line: 0 }, 1));
            }
            let mut left_weight: u64 = of_call.iter().map(|(_, weight)| weight).sum();
            let mut left_fuel = tally.fuel;
            for (key, weight) in of_call {
                let share = u128::from(left_fuel) * u128::from(weight) / u128::from(left_weight.max(1));
                let fuel = u64::try_from(share).unwrap_or(left_fuel);
                left_fuel -= fuel.min(left_fuel);
                left_weight -= weight;
                let (frames, line) = (stacks.frames_of(key.node), key.line);
                *self.stacks.entry(StackKey { call: name.clone(), frames, line }).or_default() += fuel;
            }
        }
        self.stacks.retain(|_, fuel| *fuel > 0);
    }

    /// Adds another run. Charts over time are of one run, and end here.
    pub fn add(&mut self, other: &Self) {
        fn sum<K: Clone + Ord>(into: &mut BTreeMap<K, Use>, other: &BTreeMap<K, Use>) {
            other.iter().for_each(|(key, used)| into.entry(key.clone()).or_default().add(used));
        }
        self.ticks += other.ticks;
        sum(&mut self.files, &other.files);
        sum(&mut self.callers, &other.callers);
        sum(&mut self.calls, &other.calls);
        for (key, fuel) in &other.stacks {
            *self.stacks.entry(key.clone()).or_default() += fuel;
        }
        (self.call_names, self.timed) = (Vec::new(), Vec::new());
    }

    /// All fuel.
    #[must_use]
    pub fn fuel(&self) -> u64 {
        self.files.values().map(|used| used.fuel).sum()
    }

    /// Fuel by function: what was spent in it, not in what it called.
    #[must_use]
    pub fn by_function(&self) -> BTreeMap<FunctionName, u64> {
        let mut sums = BTreeMap::new();
        for (key, fuel) in &self.stacks {
            if let Some(function) = key.frames.last() {
                *sums.entry(function.clone()).or_default() += fuel;
            }
        }
        sums
    }

    /// Fuel by line of a file.
    #[must_use]
    pub fn by_line(&self) -> BTreeMap<(String, u32), u64> {
        let mut sums = BTreeMap::new();
        for (key, fuel) in &self.stacks {
            if let Some(function) = key.frames.iter().rev().find(|function| !function.file.is_empty()) {
                *sums.entry((function.file.clone(), key.line)).or_default() += fuel;
            }
        }
        sums
    }
}
