//! Step 3: what runs because of the time.
//!
//! In: timers, behaviours, predicates and tasks whose time has come. Out: calls, in this order: timers by due
//! tick, then by creation; the level script's `onTick` and predicates; each behaviour's `update` and
//! predicates, by character; tasks by id; tasks that were started meanwhile. Holds: what the fuel of a tick
//! does not suffice for waits for the next tick, and comes first then, so nothing is passed over twice. Not
//! here: what runs because of what happened (`dispatch`).

use std::collections::BTreeSet;

use mlua::{Function, Lua, MultiValue, Value};

use crate::script::state::callback::Callback;
use crate::script::state::code_name::CodeName;
use crate::script::state::predicates::Job;
use crate::script::state::tasks::{NewTask, TaskRole};
use crate::script::state::work::ScriptWork;
use crate::script::step::handlers::{self, Delivering};
use crate::script::step::invoke::{self, Call};
use crate::script::step::{behaviour, blackboard, level_script, owner, task, testing, timer, tree, updates};
use crate::script::vm::{ScriptVm, payload, store};
use crate::world::event::Fact;

/// Runs step 3. The world is lent.
pub(crate) fn run(vm: &ScriptVm) {
    let lua = vm.lua();
    blackboard::clear_due(lua);
    store::with(lua, |runtime| {
        runtime.clock.step = 3;
        let jobs = runtime.due_jobs();
        let waiting: BTreeSet<Job> = runtime.queue.jobs.iter().copied().collect();
        runtime.queue.jobs.extend(jobs.into_iter().filter(|job| !waiting.contains(job)));
    });
    // A step 12 that was cut short gets its share of this tick.
    let reserve =
        if store::with(lua, |runtime| runtime.queue.is_behind) { vm.limits().fuel_per_tick / 2 } else { 0 };
    while let Some(job) = store::with(lua, |runtime| runtime.queue.jobs.pop_front()) {
        if vm.tick_left() <= reserve {
            put_back(lua, job);
            break;
        }
        run_job(vm, job, reserve);
    }
    run_spawned(vm, reserve);
    if testing::take_turn(vm) {
        run_spawned(vm, reserve);
    }
    let count = store::with(lua, |runtime| runtime.queue.jobs.len() + runtime.tasks.spawned.len());
    if count > 0 {
        invoke::push(vm, Fact::Notice { what: "scriptDeferred", count: count as u64, walk: None, why: None });
    }
}

/// Tasks that were started in this step, in order; those they start in turn, up to as many generations as
/// step 12 has rounds.
pub(crate) fn run_spawned(vm: &ScriptVm, reserve: u64) {
    let lua = vm.lua();
    let generations = store::with(lua, |runtime| runtime.limits.event_rounds);
    for _ in 0..generations {
        let count = store::with(lua, |runtime| runtime.tasks.spawned.len());
        for _ in 0..count {
            if vm.tick_left() <= reserve {
                return;
            }
            if let Some(id) = store::with(lua, |runtime| runtime.tasks.spawned.pop_front()) {
                task::begin(vm, id);
            }
        }
    }
}

/// A job that the fuel of the tick does not suffice for comes first in the next one. `update`s in a row become
/// one job each: by then others may stand among them.
fn put_back(lua: &Lua, job: Job) {
    store::with(lua, |runtime| {
        let (roster, jobs) = (&runtime.actors.roster, &mut runtime.queue.jobs);
        match job {
            Job::Updates { from, to } => {
                let owners = (from..to).rev().map(|place| roster.owner_at(place));
                owners.for_each(|owner| jobs.push_front(Job::Update(owner)));
            }
            _ => jobs.push_front(job),
        }
    });
}

fn run_job(vm: &ScriptVm, job: Job, reserve: u64) {
    match job {
        Job::Updates { from, to } => {
            let left = updates::run(vm, from..to, reserve);
            if !left.is_empty() {
                put_back(vm.lua(), Job::Updates { from: left.start, to: left.end });
            }
        }
        Job::Timer(id) => run_timer(vm, id),
        Job::LevelTick => level_script::tick(vm),
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
    let found = store::with(lua, |runtime| {
        let timer = runtime.registered.timers.get(id)?.clone();
        if runtime.owners.is_paused(timer.owner) {
            return None;
        }
        let is_last = runtime.registered.timers.turn(id, runtime.clock.now, runtime.clock.rate)?;
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

pub(crate) fn run_predicate(vm: &ScriptVm, id: u32) {
    let lua = vm.lua();
    let found = store::with(lua, |runtime| {
        let owner = runtime.registered.predicates.get(id)?.owner;
        if runtime.owners.is_paused(owner) {
            return None;
        }
        Some((owner, runtime.registered.predicates.ask(id, runtime.clock.now)?))
    });
    let Some((owner, function)) = found else {
        return;
    };
    let call = Call::plain(owner, "when");
    match invoke::test(vm, &call, &function, ()) {
        Ok(value) => {
            if store::with(lua, |runtime| runtime.registered.predicates.answer(id, value)) {
                store::push_work(lua, ScriptWork::Turned { predicate: id, value });
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
