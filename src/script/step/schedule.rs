//! Step 3: what runs because of the time.
//!
//! In: timers, behaviours, predicates and tasks whose time has come. Out: calls, in this order: timers by due
//! tick, then by creation; the level script's `onTick` and predicates; each behaviour's `update` and
//! predicates, by character; tasks by id; tasks that were started meanwhile. Holds: what the fuel of a tick
//! does not suffice for waits for the next tick, and comes first then, so nothing is passed over twice. Not
//! here: what runs because of what happened (`dispatch`).

use std::collections::{BTreeMap, BTreeSet};

use mlua::{Function, Lua, MultiValue, Table, Value};

use crate::base::hash::StateHash;
use crate::base::time::Tick;
use crate::script::state::callback::{Callback, WhenOrder};
use crate::script::step::handlers::{self, Delivering};
use crate::script::step::invoke::{self, Call};
use crate::script::step::owner::{self, OwnerKind, OwnerRecord};
use crate::script::step::runtime::{self, CodeName, Runtime, ScriptWork};
use crate::script::step::task::{self, NewTask, TaskRole};
use crate::script::step::testing;
use crate::script::step::timer;
use crate::script::step::{behaviour, blackboard, tree};
use crate::script::vm::ScriptVm;
use crate::script::vm::payload;
use crate::world::event::Fact;
use crate::world::walk::Owner;

/// One thing for step 3 to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Job {
    /// A timer that is due.
    Timer(u64),
    /// `onTick` of the level script.
    LevelTick,
    /// `update` of a behaviour.
    Update(Owner),
    /// The tree of a behaviour.
    Tree(Owner),
    /// A predicate of `region.when`.
    Predicate(u32),
    /// A faulted `run` that begins again.
    RunAgain(Owner),
    /// A task whose time has come, or that tests a predicate.
    Wake(u64),
}

impl Job {
    pub(crate) fn hash_into(self, hash: &mut StateHash) {
        let (kind, number) = match self {
            Self::Timer(id) => (1, id),
            Self::LevelTick => (2, 0),
            Self::Update(owner) => (3, u64::from(owner.0)),
            Self::Predicate(id) => (4, u64::from(id)),
            Self::RunAgain(owner) => (5, u64::from(owner.0)),
            Self::Wake(task) => (6, task),
            Self::Tree(owner) => (7, u64::from(owner.0)),
        };
        hash.word(kind).word(number);
    }
}

/// A watch over a predicate.
#[derive(Debug)]
pub(crate) struct Predicate {
    pub(crate) owner: Owner,
    function: Function,
    on_true: Option<Callback>,
    on_false: Option<Callback>,
    every_ticks: u64,
    next: Tick,
    value: bool,
    enabled: bool,
}

/// All watches over predicates.
#[derive(Debug, Default)]
pub(crate) struct Predicates {
    predicates: BTreeMap<u32, Predicate>,
    /// Those of each owner that has any: the ids above, once more.
    by_owner: BTreeMap<Owner, BTreeSet<u32>>,
    last: u32,
}

impl Predicates {
    fn of(&self, owner: Owner) -> impl Iterator<Item = u32> {
        self.by_owner.get(&owner).into_iter().flatten().copied()
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.predicates.len()
    }

    /// Owners that have any, in order of beginning.
    fn owners(&self) -> impl Iterator<Item = Owner> {
        self.by_owner.keys().copied()
    }

    /// The enabled predicates of an owner, by id.
    pub(crate) fn of_owner(&self, owner: Owner) -> Vec<u32> {
        let is_enabled = |id: &u32| self.predicates.get(id).is_some_and(|predicate| predicate.enabled);
        self.of(owner).filter(is_enabled).collect()
    }

    pub(crate) fn add(&mut self, owner: Owner, now: Tick, order: WhenOrder) -> u32 {
        self.last += 1;
        let predicate = Predicate {
            owner,
            function: order.predicate,
            on_true: order.on_true,
            on_false: order.on_false,
            every_ticks: order.every_ticks.max(1),
            next: now.after(1),
            value: false,
            enabled: true,
        };
        self.predicates.insert(self.last, predicate);
        self.by_owner.entry(owner).or_default().insert(self.last);
        self.last
    }

    /// Ends a watch; its owner, if there was such a watch.
    pub(crate) fn remove(&mut self, id: u32) -> Option<Owner> {
        let owner = self.predicates.remove(&id)?.owner;
        if let Some(ids) = self.by_owner.get_mut(&owner) {
            ids.remove(&id);
            if ids.is_empty() {
                self.by_owner.remove(&owner);
            }
        }
        Some(owner)
    }

    pub(crate) fn enable(&mut self, id: u32, enabled: bool) {
        if let Some(predicate) = self.predicates.get_mut(&id) {
            predicate.enabled = enabled;
        }
    }

    pub(crate) fn end_owner(&mut self, owner: Owner) {
        for id in self.by_owner.remove(&owner).into_iter().flatten() {
            self.predicates.remove(&id);
        }
    }

    /// Owner and handler for an answer that changed.
    pub(crate) fn handler(&self, id: u32, value: bool) -> Option<(Owner, Callback)> {
        let predicate = self.predicates.get(&id)?;
        let callback = if value { predicate.on_true.clone() } else { predicate.on_false.clone() };
        Some((predicate.owner, callback?))
    }

    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        hash.word(u64::from(self.last));
        for (&id, predicate) in &self.predicates {
            hash.word(u64::from(id)).word(u64::from(predicate.owner.0)).word(predicate.next.0);
            hash.word(predicate.every_ticks).flag(predicate.value).flag(predicate.enabled);
        }
    }
}

/// Runs step 3. The world is lent.
pub(crate) fn run(vm: &ScriptVm) {
    let lua = vm.lua();
    blackboard::clear_due(lua);
    runtime::with(lua, |runtime| {
        runtime.step = 3;
        let jobs = due_jobs(runtime);
        let waiting: BTreeSet<Job> = runtime.jobs.iter().copied().collect();
        runtime.jobs.extend(jobs.into_iter().filter(|job| !waiting.contains(job)));
    });
    // A step 12 that was cut short gets its share of this tick.
    let reserve =
        if runtime::with(lua, |runtime| runtime.is_behind) { vm.limits().fuel_per_tick / 2 } else { 0 };
    while let Some(job) = runtime::with(lua, |runtime| runtime.jobs.pop_front()) {
        if vm.tick_left() <= reserve {
            runtime::with(lua, |runtime| runtime.jobs.push_front(job));
            break;
        }
        run_job(vm, job);
    }
    run_spawned(vm, reserve);
    if testing::take_turn(vm) {
        run_spawned(vm, reserve);
    }
    let count = runtime::with(lua, |runtime| runtime.jobs.len() + runtime.tasks.spawned.len());
    if count > 0 {
        invoke::push(vm, Fact::Notice { what: "scriptDeferred", count: count as u64, walk: None, why: None });
    }
}

/// Tasks that were started in this step, in order; those they start in turn, up to as many generations as
/// step 12 has rounds.
pub(crate) fn run_spawned(vm: &ScriptVm, reserve: u64) {
    let lua = vm.lua();
    let generations = runtime::with(lua, |runtime| runtime.limits.event_rounds);
    for _ in 0..generations {
        let count = runtime::with(lua, |runtime| runtime.tasks.spawned.len());
        for _ in 0..count {
            if vm.tick_left() <= reserve {
                return;
            }
            if let Some(id) = runtime::with(lua, |runtime| runtime.tasks.spawned.pop_front()) {
                task::begin(vm, id);
            }
        }
    }
}

fn due_jobs(runtime: &mut Runtime) -> Vec<Job> {
    let now = runtime.now;
    let mut jobs: Vec<Job> = runtime.timers.due(now).into_iter().map(Job::Timer).collect();
    let due = |predicate: &Predicate| predicate.enabled && predicate.next <= now;
    let all = &runtime.predicates;
    let predicates =
        |owner: Owner| all.of(owner).filter(|id| all.predicates.get(id).is_some_and(due)).map(Job::Predicate);
    if let Some((owner, _)) = runtime.level {
        jobs.push(Job::LevelTick);
        jobs.extend(predicates(owner));
    }
    let plays = |record: &OwnerRecord| matches!(record.kind, OwnerKind::Scene(_) | OwnerKind::Test);
    for owner in all.owners().filter(|owner| runtime.owners.get(*owner).is_some_and(plays)) {
        jobs.extend(predicates(owner));
    }
    for (serial, owner) in runtime.behaviours.in_order() {
        let is_free = !runtime.owners.is_paused(owner);
        let Some(record) = runtime.owners.get(owner).filter(|_| is_free) else {
            continue;
        };
        if record.run_again.is_some_and(|tick| tick <= now) {
            jobs.push(Job::RunAgain(owner));
        }
        let (updates, has_tree) = runtime.behaviours.due_at(owner, serial, now);
        if updates {
            jobs.push(Job::Update(owner));
        }
        if has_tree && runtime.trees.is_due(owner, now) {
            jobs.push(Job::Tree(owner));
        }
        jobs.extend(predicates(owner));
    }
    jobs.extend(runtime.tasks.take_due(now).into_iter().map(Job::Wake));
    jobs
}

fn run_job(vm: &ScriptVm, job: Job) {
    match job {
        Job::Timer(id) => run_timer(vm, id),
        Job::LevelTick => level_tick(vm),
        Job::Update(owner) => behaviour::update(vm, owner),
        Job::Tree(owner) => tree::tick(vm, owner),
        Job::Predicate(id) => run_predicate(vm, id),
        Job::RunAgain(owner) => behaviour::run_again(vm, owner),
        Job::Wake(task) if testing::wakes_later(vm.lua(), task) => {}
        Job::Wake(task) => task::wake(vm, task),
    }
}

pub(crate) fn run_timer(vm: &ScriptVm, id: u64) {
    let lua = vm.lua();
    let found = runtime::with(lua, |runtime| {
        let timer = runtime.timers.get(id)?.clone();
        if runtime.owners.is_paused(timer.owner) {
            return None;
        }
        let is_last = runtime.timers.turn(id, runtime.now, runtime.rate)?;
        Some((timer, is_last))
    });
    let Some((timer, is_last)) = found else {
        return;
    };
    if is_last {
        timer::complete(lua, id);
    }
    let Some(callback) = timer.callback else {
        return;
    };
    vm.spend(timer.payload.as_ref().map_or(0, payload::price_of));
    let payload = timer.payload.as_ref().map_or(Ok(Value::Nil), |payload| payload::write(lua, payload));
    let ends_by_false = !is_last && matches!(callback, Callback::Function(_));
    let mut handler = Delivering::new(timer.owner, callback, payload.unwrap_or(Value::Nil), "timer");
    if ends_by_false {
        handler.role = TaskRole::TimerHandler(id);
    }
    handlers::deliver(vm, handler);
}

fn level_tick(vm: &ScriptVm) {
    let found = runtime::with(vm.lua(), |runtime| {
        let (owner, environment) = runtime.level.clone()?;
        Some((owner, environment, f64::from(runtime.rate.tick_seconds())))
    });
    let Some((owner, environment, _)) = found else {
        return;
    };
    let rate = runtime::with(vm.lua(), |runtime| runtime.rate.per_second());
    if let Some(function) = global_function(&environment, "onTick") {
        invoke::run(vm, &Call::plain(owner, "onTick"), &function, 1.0 / f64::from(rate));
    }
}

/// A function that a script has as a global of its own.
pub(crate) fn global_function(environment: &Table, name: &str) -> Option<Function> {
    environment.raw_get::<Value>(name).ok().and_then(|value| value.as_function().cloned())
}

pub(crate) fn run_predicate(vm: &ScriptVm, id: u32) {
    let lua = vm.lua();
    let found = runtime::with(lua, |runtime| {
        let now = runtime.now;
        let predicate = runtime.predicates.predicates.get_mut(&id)?;
        if runtime.owners.is_paused(predicate.owner) {
            return None;
        }
        predicate.next = now.after(predicate.every_ticks);
        Some((predicate.owner, predicate.function.clone()))
    });
    let Some((owner, function)) = found else {
        return;
    };
    let call = Call::plain(owner, "when");
    match invoke::test(vm, &call, &function, ()) {
        Ok(value) => {
            let changed = runtime::with(lua, |runtime| {
                let predicate = runtime.predicates.predicates.get_mut(&id)?;
                (std::mem::replace(&mut predicate.value, value) != value).then_some(())
            });
            if changed.is_some() {
                runtime::push_work(lua, ScriptWork::Turned { predicate: id, value });
            }
        }
        Err(failure) => invoke::report(vm, &call, failure),
    }
}

/// Starts a task for the running owner: a function of a script, with its arguments.
pub(crate) fn spawn_current(lua: &Lua, function: Function, args: MultiValue, name: Option<String>) -> u64 {
    let owner = owner::current(lua);
    let callback = name.clone().map_or(CodeName::Fixed("task"), CodeName::from);
    task::spawn(lua, NewTask { owner, callback, role: TaskRole::Plain, function, args, name })
}
