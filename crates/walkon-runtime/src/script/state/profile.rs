//! The profile of scripts: fuel and time of every call, by owner.
//!
//! In: calls as they begin and end, with the fuel that they took; a stopwatch of the shell. Out: a
//! [`Profile`]. Holds: fuel is counted and never timed, so it is the same on every machine; all fuel of calls
//! is in it, each unit once; no result of a run depends on it. Not here: the stack samples (`stacks`), the
//! output of the numbers (`report`).

pub mod report;
pub(crate) mod stacks;
mod subjects;

use std::fmt;
use std::rc::Rc;

use crate::script::state::code_name::CodeName;
use crate::script::state::profile::subjects::{CallSubject, NAMES_MAX, NONE, Subjects};
use crate::world::owner::Owner;

pub use report::{Profile, Use};
pub use subjects::Who;

/// Tells the time. The shell has one; nothing below it reads a clock.
pub trait Stopwatch {
    /// Nanoseconds since some moment before the level began.
    fn nanoseconds(&self) -> u64;
}

/// What it holds is not shown: all of it would have to be compiled to be shown.
impl fmt::Debug for dyn Stopwatch + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stopwatch")
    }
}

/// What is to be profiled.
#[derive(Debug, Default)]
pub struct ProfileSetup {
    /// Safepoints between two looks at the stack, for fuel by function and line; with 0 there are none. After
    /// 1,024 looks it is nearly twice as many (1 stays 1).
    pub sample_every: u32,
    /// Without one no call is timed.
    pub stopwatch: Option<Box<dyn Stopwatch>>,
    /// Whether each call is kept with its time, for a chart over time.
    pub keeps_calls: bool,
}

impl ProfileSetup {
    /// Safepoints between two looks at the stack where nobody says otherwise: a prime, and twice of it less
    /// one is another, so that loops do not keep step.
    pub const SAMPLE_EVERY: u32 = 271;
}

/// What one call cost, or several together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallCost {
    pub(crate) fuel: u64,
    pub(crate) nanoseconds: u64,
}

/// A sum over calls, and over those of the tick that cost most.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    fuel: u64,
    nanoseconds: u64,
    tick_fuel: u64,
    worst_fuel: u64,
    // Narrow, so that a tally is a line of the cache: more ticks and calls no run has.
    calls: u32,
    first_tick: u32,
    tick: u32,
    worst_tick: u32,
}

impl Tally {
    #[inline]
    fn add(&mut self, tick: u32, cost: CallCost) {
        self.add_many(tick, 1, cost);
    }

    /// Adds what so many calls came to together.
    #[inline]
    fn add_many(&mut self, tick: u32, calls: u32, cost: CallCost) {
        if self.calls == 0 {
            self.first_tick = tick;
        }
        if self.tick != tick {
            (self.worst_fuel, self.worst_tick) = self.worst();
            (self.tick, self.tick_fuel) = (tick, 0);
        }
        self.calls = self.calls.saturating_add(calls);
        self.fuel += cost.fuel;
        self.nanoseconds += cost.nanoseconds;
        self.tick_fuel += cost.fuel;
    }

    /// The most fuel of a tick, and which. What a level takes to start is no tick.
    fn worst(&self) -> (u64, u32) {
        if self.tick > 0 && self.tick_fuel > self.worst_fuel {
            (self.tick_fuel, self.tick)
        } else {
            (self.worst_fuel, self.worst_tick)
        }
    }

    fn used(&self) -> Use {
        let (worst_fuel, worst_tick) = self.worst();
        let (calls, worst_tick) = (self.calls.into(), worst_tick.into());
        Use { calls, fuel: self.fuel, nanoseconds: self.nanoseconds, worst_fuel, worst_tick }
    }
}

/// What is called of an owner: `update`, `onArrived`, ...
#[derive(Debug)]
struct Context {
    subject: u32,
    callback: CodeName,
    /// The next one of the same subject.
    next: u32,
}

/// A call with its time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptCall {
    pub(crate) context: u32,
    pub(crate) tick: u32,
    pub(crate) begun_ns: u64,
    pub(crate) cost: CallCost,
}

/// Whose code an owner runs, and what of it was called last: nearly always the same again.
#[derive(Clone, Copy, Debug)]
struct KnownOwner {
    subject: u32,
    context: u32,
    callback: Option<&'static str>,
}

impl KnownOwner {
    const NOBODY: Self = Self { subject: NONE, context: NONE, callback: None };
}

/// For whom a context counts.
#[derive(Clone, Copy, Debug)]
struct Route {
    /// None for the only context of its subject: what the one took is what the other took.
    subject: u32,
    file: u32,
}

/// What consecutive calls of one file cost together. The sum of the file is updated once for all of them.
#[derive(Clone, Copy, Debug)]
struct FileRow {
    file: u32,
    calls: u32,
    cost: CallCost,
}

impl FileRow {
    fn of(file: u32) -> Self {
        Self { file, calls: 0, cost: CallCost::default() }
    }
}

/// Calls that were timed together: those up to this one, and when they began and ended.
#[derive(Clone, Copy, Debug)]
struct TimedCalls {
    until: usize,
    begun_ns: u64,
    ended_ns: u64,
    units: u64,
}

/// What is called of the owners of a row of `update`s.
#[derive(Debug)]
struct KnownRow {
    owners: Rc<[Owner]>,
    contexts: Rc<[u32]>,
}

/// What a call costs beside its fuel, in units of it.
const CALL: u64 = 8;

/// Units of calls that are timed together: the clock is read once for them, and not for each.
const TOGETHER: u64 = 128;

/// Calls of a step that wait to be counted, at most. Counted in a row, one after another, they cost little:
/// what the sums take of the cache is not taken from the scripts in between.
const WAITING_MAX: usize = 65_536;

/// Calls that are kept with their times, at most; the rest are counted only.
const KEPT_CALLS_MAX: usize = 1_000_000;

/// The sums of a run.
#[derive(Debug)]
pub(crate) struct Ledger {
    stopwatch: Option<Box<dyn Stopwatch>>,
    keeps_calls: bool,
    subjects: Subjects,
    /// By number of the owner.
    of_owner: Vec<KnownOwner>,
    contexts: Vec<Context>,
    /// By context.
    routes: Vec<Route>,
    /// By number what each of them took.
    of_contexts: Vec<Tally>,
    of_subjects: Vec<Tally>,
    of_files: Vec<Tally>,
    /// The row of `update`s that was called last.
    row: Option<KnownRow>,
    under_way: Option<u32>,
    /// Calls of the step that have ended and are not counted yet, with their fuel.
    ended: Vec<(u32, u64)>,
    /// Those of them that are timed.
    spans: Vec<TimedCalls>,
    timed: usize,
    /// What the others come to, and when the first of them began.
    units: u64,
    begun_ns: u64,
    /// The tick under way.
    tick: u32,
    /// When those that were counted last in this step ended; none before the first.
    last_ns: Option<u64>,
    kept: Vec<KeptCall>,
    dropped: u64,
}

impl Ledger {
    pub(crate) fn new(setup: ProfileSetup) -> Self {
        let ProfileSetup { stopwatch, keeps_calls, .. } = setup;
        let mut ledger = Self {
            stopwatch,
            keeps_calls,
            subjects: Subjects::default(),
            of_owner: Vec::new(),
            contexts: Vec::new(),
            routes: Vec::new(),
            of_contexts: Vec::new(),
            of_subjects: Vec::new(),
            of_files: Vec::new(),
            row: None,
            under_way: None,
            ended: Vec::new(),
            spans: Vec::new(),
            timed: 0,
            units: 0,
            begun_ns: 0,
            tick: 0,
            last_ns: None,
            kept: Vec::new(),
            dropped: 0,
        };
        ledger.know(Owner::HOST, &Who { file: String::new(), name: "host".to_owned() });
        ledger
    }

    /// The number of what is called of an owner, if it is what was called of that owner last.
    #[inline]
    pub(crate) fn last_context(&self, owner: Owner, callback: &CodeName) -> Option<u32> {
        let known = self.of_owner.get(owner.0 as usize)?;
        let CodeName::Fixed(name) = callback else { return None };
        known.callback.filter(|last| std::ptr::eq(*last, *name)).map(|_| known.context)
    }

    /// Whether it is known whose code this owner runs.
    pub(crate) fn knows(&self, owner: Owner) -> bool {
        self.of_owner.get(owner.0 as usize).is_some_and(|known| known.subject != NONE)
    }

    /// Notes whose code an owner runs.
    pub(crate) fn know(&mut self, owner: Owner, who: &Who) {
        let index = owner.0 as usize;
        if self.of_owner.len() <= index {
            self.of_owner.resize(index + 1, KnownOwner::NOBODY);
        }
        let subject = self.subjects.number(who).unwrap_or(0);
        self.of_subjects.resize(self.subjects.len(), Tally::default());
        self.of_files.resize(self.subjects.files.len(), Tally::default());
        self.of_owner[index] = KnownOwner { subject, ..KnownOwner::NOBODY };
    }

    /// The number of what is called of an owner.
    pub(crate) fn context(&mut self, owner: Owner, callback: &CodeName) -> u32 {
        self.last_context(owner, callback).unwrap_or_else(|| self.find_context(owner, callback))
    }

    fn find_context(&mut self, owner: Owner, callback: &CodeName) -> u32 {
        let known = self.of_owner.get(owner.0 as usize).filter(|known| known.subject != NONE);
        let subject = known.map(|known| known.subject).unwrap_or_default();
        let context = self.context_of(subject, callback);
        if let (Some(known), CodeName::Fixed(name)) = (self.of_owner.get_mut(owner.0 as usize), callback) {
            (known.context, known.callback) = (context, Some(*name));
        }
        context
    }

    fn context_of(&mut self, subject: u32, callback: &CodeName) -> u32 {
        let Some(&CallSubject { file, first, .. }) = self.subjects.get(subject) else { return 0 };
        let mut at = first;
        while at != NONE {
            let context = &self.contexts[at as usize];
            if callback.is_same(&context.callback) {
                return at;
            }
            at = context.next;
        }
        if self.contexts.len() >= NAMES_MAX {
            return 0;
        }
        self.contexts.push(Context { subject, callback: callback.clone(), next: first });
        let is_only = first == NONE;
        if let Some(before) = self.routes.get_mut(first as usize).filter(|route| route.subject == NONE) {
            before.subject = subject;
            self.of_subjects[subject as usize] = self.of_contexts[first as usize];
        }
        self.routes.push(Route { subject: if is_only { NONE } else { subject }, file });
        self.of_contexts.push(Tally::default());
        let made = self.contexts.len() as u32 - 1;
        if let Some(subject) = self.subjects.get_mut(subject) {
            subject.first = made;
        }
        made
    }

    /// A call begins.
    #[inline]
    pub(crate) fn begin(&mut self, context: u32) {
        if self.ended.len() == self.timed {
            self.begun_ns = self.last_ns.unwrap_or_else(|| self.now());
        }
        self.under_way = Some(context);
    }

    /// The call under way has taken so much fuel and has ended.
    #[inline]
    pub(crate) fn end(&mut self, fuel: u64) {
        if let Some(context) = self.under_way.take() {
            self.ended.push((context, fuel));
            self.units += fuel + CALL;
            if self.units >= TOGETHER || self.keeps_calls {
                self.time();
            }
        }
    }

    /// Calls that were made in a row have ended: what is called in each, and the fuel that it took.
    pub(crate) fn end_row(&mut self, calls: &[(u32, u64)]) {
        self.under_way = None;
        self.ended.extend_from_slice(calls);
        self.units += calls.iter().map(|(_, fuel)| fuel + CALL).sum::<u64>();
        self.time();
    }

    /// Reads the clock for the calls that have ended since it was read.
    fn time(&mut self) {
        self.close_span();
        if self.timed >= WAITING_MAX {
            self.settle();
        }
    }

    fn close_span(&mut self) {
        if self.ended.len() > self.timed {
            let (ended_ns, units) = (self.now(), std::mem::take(&mut self.units));
            self.timed = self.ended.len();
            self.spans.push(TimedCalls { until: self.timed, begun_ns: self.begun_ns, ended_ns, units });
            self.last_ns = Some(ended_ns);
        }
    }

    /// Counts the calls that have ended; the time of those that were timed together is shared out by what
    /// they cost.
    pub(crate) fn settle(&mut self) {
        self.close_span();
        let (mut spans, mut ended) = (std::mem::take(&mut self.spans), std::mem::take(&mut self.ended));
        let mut calls = ended.drain(..);
        let mut counted = 0;
        let mut row = FileRow::of(NONE);
        for TimedCalls { until, begun_ns, ended_ns, units } in spans.drain(..) {
            let each_ns = ended_ns.saturating_sub(begun_ns) as f64 / units.max(1) as f64;
            let (mut sum, mut last_ns) = (0, begun_ns);
            for (context, fuel) in calls.by_ref().take(until - counted) {
                sum += fuel + CALL;
                let end_ns = if sum == units { ended_ns } else { begun_ns + (sum as f64 * each_ns) as u64 };
                let nanoseconds = end_ns.saturating_sub(last_ns);
                self.add(context, last_ns, CallCost { fuel, nanoseconds }, &mut row);
                last_ns = end_ns;
            }
            counted = until;
        }
        self.add_row(row);
        drop(calls);
        (self.spans, self.ended, self.timed) = (spans, ended, 0);
    }

    /// A step of scripts begins in this tick.
    pub(crate) fn begin_step(&mut self, tick: u64) {
        self.tick = u32::try_from(tick).unwrap_or(u32::MAX);
        self.last_ns = None;
    }

    /// The step of scripts has ended: what passes from now on is not theirs.
    pub(crate) fn end_step(&mut self) {
        self.settle();
        self.last_ns = None;
    }

    /// What is called of each of these owners; none when that is not known yet.
    pub(crate) fn known_row(&self, owners: &Rc<[Owner]>) -> Option<Rc<[u32]>> {
        let known = self.row.as_ref().filter(|known| Rc::ptr_eq(&known.owners, owners))?;
        Some(Rc::clone(&known.contexts))
    }

    /// Notes what is called of each of these owners.
    pub(crate) fn know_row(&mut self, owners: &Rc<[Owner]>, contexts: Rc<[u32]>) {
        self.row = Some(KnownRow { owners: Rc::clone(owners), contexts });
    }

    fn now(&self) -> u64 {
        self.stopwatch.as_ref().map_or(0, |stopwatch| stopwatch.nanoseconds())
    }

    #[inline]
    fn add(&mut self, context: u32, begun_ns: u64, cost: CallCost, row: &mut FileRow) {
        let (Some(&route), Some(tally)) =
            (self.routes.get(context as usize), self.of_contexts.get_mut(context as usize))
        else {
            return;
        };
        let tick = self.tick;
        tally.add(tick, cost);
        if let Some(tally) = self.of_subjects.get_mut(route.subject as usize) {
            tally.add(tick, cost);
        }
        if row.file != route.file {
            self.add_row(*row);
            *row = FileRow::of(route.file);
        }
        row.calls += 1;
        row.cost.fuel += cost.fuel;
        row.cost.nanoseconds += cost.nanoseconds;
        if !self.keeps_calls {
            return;
        }
        if self.kept.len() < KEPT_CALLS_MAX {
            self.kept.push(KeptCall { context, tick, begun_ns, cost });
        } else {
            self.dropped += 1;
        }
    }

    fn add_row(&mut self, row: FileRow) {
        if let Some(tally) = self.of_files.get_mut(row.file as usize).filter(|_| row.calls > 0) {
            tally.add_many(self.tick, row.calls, row.cost);
        }
    }

    /// Everybody whose code was called, and what that took.
    fn subjects(&self) -> impl Iterator<Item = (&CallSubject, &Tally)> {
        self.subjects.iter().zip(&self.of_subjects).map(|(subject, own)| {
            let first = subject.first as usize;
            let is_only = self.routes.get(first).is_some_and(|route| route.subject == NONE);
            (subject, if is_only { &self.of_contexts[first] } else { own })
        })
    }

    /// What one file took of each character that runs it; none when nothing of it was called.
    pub(crate) fn fuel_of(&self, file: &str, name: Option<&str>) -> Option<FuelUse> {
        let is_meant = |(subject, tally): &(&CallSubject, &Tally)| {
            let is_named = name.is_none_or(|name| self.subjects.name(subject) == name);
            self.subjects.file(subject) == file && is_named && tally.calls > 0
        };
        let mut found = None;
        let (mut fuel, mut ticks) = (0, 0);
        for (subject, tally) in self.subjects().filter(is_meant) {
            let (worst, worst_tick) = tally.worst();
            fuel += tally.fuel;
            ticks += u64::from(self.tick.saturating_sub(tally.first_tick)) + 1;
            let used = found.get_or_insert_with(FuelUse::default);
            if worst > used.worst {
                let who = self.subjects.name(subject).to_owned();
                (used.worst, used.worst_tick, used.worst_of) = (worst, worst_tick.into(), who);
            }
        }
        found.map(|used| FuelUse { mean: fuel as f64 / ticks.max(1) as f64, ..used })
    }

    /// The fuel of each owner that was called so far, in no order of importance.
    pub(crate) fn by_who(&self) -> impl Iterator<Item = (Who, u64)> {
        self.subjects().map(|(subject, tally)| (self.subjects.who(subject), tally.fuel))
    }
}

/// What code takes of a tick.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FuelUse {
    /// Fuel that each of those who run it took in a tick, on average since it began.
    pub mean: f64,
    /// The most that one of them took in a tick.
    pub worst: u64,
    /// In which tick, and which owner.
    pub worst_tick: u64,
    /// The name of the one that took it.
    pub worst_of: String,
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    #[derive(Debug)]
    struct Told(Rc<Cell<u64>>);

    impl Stopwatch for Told {
        fn nanoseconds(&self) -> u64 {
            self.0.get()
        }
    }

    fn who(name: &str) -> Who {
        Who { file: "guard.lua".to_owned(), name: name.to_owned() }
    }

    fn ledger() -> (Ledger, Rc<Cell<u64>>) {
        let time = Rc::new(Cell::new(0));
        let stopwatch: Option<Box<dyn Stopwatch>> = Some(Box::new(Told(Rc::clone(&time))));
        let setup = ProfileSetup { stopwatch, keeps_calls: true, ..ProfileSetup::default() };
        (Ledger::new(setup), time)
    }

    #[test]
    fn calls_of_one_who_comes_back_count_together() {
        let (mut ledger, _) = ledger();
        for owner in [Owner(3), Owner(7)] {
            ledger.know(owner, &who("anna"));
            let context = ledger.context(owner, &"update".into());
            ledger.begin_step(1);
            ledger.begin(context);
            ledger.end(10);
            ledger.end_step();
            ledger.begin_step(2);
        }
        let used = ledger.fuel_of("guard.lua", None);
        assert_eq!(used.map(|used| (used.mean, used.worst)), Some((10.0, 20)));
        assert_eq!(ledger.subjects.len(), 2, "the host and anna");
    }

    #[test]
    fn the_worst_tick_is_not_the_start_of_the_level() {
        let (mut ledger, _) = ledger();
        ledger.know(Owner(1), &who("anna"));
        let context = ledger.context(Owner(1), &"update".into());
        for (tick, fuel) in [(0, 900), (1, 10), (2, 30), (2, 5), (3, 20)] {
            ledger.begin_step(tick);
            ledger.begin(context);
            ledger.end(fuel);
            ledger.end_step();
        }
        let used = ledger.fuel_of("guard.lua", Some("anna")).unwrap_or_default();
        assert_eq!((used.worst, used.worst_tick, used.worst_of.as_str()), (35, 2, "anna"));
        assert!(ledger.fuel_of("guard.lua", Some("bert")).is_none());
    }

    #[test]
    fn who_is_called_in_several_ways_took_what_they_took_together() {
        let (mut ledger, _) = ledger();
        ledger.know(Owner(1), &who("anna"));
        ledger.know(Owner(2), &who("bert"));
        let call = |ledger: &mut Ledger, owner: u32, callback: &'static str, fuel: u64| {
            let context = ledger.context(Owner(owner), &callback.into());
            ledger.begin(context);
            ledger.end(fuel);
        };
        // Another way is known while calls of the first are not counted yet, and after they were.
        ledger.begin_step(1);
        call(&mut ledger, 1, "update", 10);
        call(&mut ledger, 1, "run", 20);
        call(&mut ledger, 2, "update", 5);
        ledger.end_step();
        ledger.begin_step(2);
        call(&mut ledger, 2, "run", 7);
        call(&mut ledger, 2, "update", 2);
        call(&mut ledger, 1, "stop", 1);
        ledger.end_step();
        let of = |name: &str| ledger.fuel_of("guard.lua", Some(name)).unwrap_or_default();
        assert_eq!((of("anna").worst, of("anna").worst_tick), (30, 1));
        assert_eq!((of("bert").worst, of("bert").worst_tick), (9, 2));
        let all: Vec<(String, u64)> = ledger.by_who().map(|(who, fuel)| (who.name, fuel)).collect();
        assert_eq!(
            all,
            [("host", 0), ("anna", 31), ("bert", 14)].map(|(name, fuel)| (name.to_owned(), fuel))
        );
        let file = ledger.of_files.iter().map(Tally::used).find(|used| used.calls > 0);
        assert_eq!(file.map(|used| (used.calls, used.fuel, used.worst_fuel)), Some((6, 45, 35)));
    }

    #[test]
    fn the_time_of_a_row_is_shared_out_whole() {
        let (mut ledger, time) = ledger();
        ledger.know(Owner(1), &who("anna"));
        let context = ledger.context(Owner(1), &"update".into());
        ledger.begin(context);
        time.set(1001);
        ledger.end_row(&[(context, 2), (context, 22), (context, 7)]);
        ledger.end_step();
        let kept = &ledger.kept;
        assert_eq!(kept.iter().map(|call| call.cost.nanoseconds).sum::<u64>(), 1001);
        assert!(kept.windows(2).all(|two| two[0].begun_ns + two[0].cost.nanoseconds == two[1].begun_ns));
        assert!(kept[1].cost.nanoseconds > kept[0].cost.nanoseconds);
    }
}
