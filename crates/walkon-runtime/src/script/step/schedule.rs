//! Step 3: runs code whose time has come.
//!
//! In: timers, behaviours, predicates and tasks whose time has come. Out: calls, in this order: timers by due
//! tick, then by creation; the level script's `onTick` and predicates; each behaviour's `update` and
//! predicates, by character; tasks by id; tasks that were started meanwhile. Holds: calls for which the fuel
//! of a tick does not suffice wait for the next tick, tasks that were to begin among them, and come first
//! then, so nothing is passed over twice; `update`s in a row have the same results as one by one: the same
//! fuel for each, the same faults, in the same order. Not here: code that runs because something happened
//! (`dispatch`).

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use mlua::{Function, Lua, MultiValue, Value};

use crate::base::ordered::CollectOrdered;
use crate::script::state::behaviours::Class;
use crate::script::state::call_memory::CallMemory;
use crate::script::state::callback::Callback;
use crate::script::state::code_name::CodeName;
use crate::script::state::predicates::Job;
use crate::script::state::roster::{DueUpdate, UpdateLists};
use crate::script::state::running::UpdatesUnderWay;
use crate::script::state::runtime::Runtime;
use crate::script::state::tasks::{NewTask, TaskRole};
use crate::script::state::work::ScriptWork;
use crate::script::step::handlers::{self, Delivering};
use crate::script::step::invoke::{self, Call};
use crate::script::step::{
    behaviour, blackboard, call_memory, level_script, owner, task, testing, timer, tree,
};
use crate::script::vm::fuel::batch_plan::{BatchCall, BatchPlan};
use crate::script::vm::{ScriptVm, payload, profile, store};
use crate::world::event::{Fact, NoticeKind};
use crate::world::owner::Owner;

/// Runs step 3. The world is lent.
pub(crate) fn run(vm: &ScriptVm) {
    let lua = vm.lua();
    blackboard::clear_due(lua);
    timer::end_replaced(lua);
    store::with(lua, |runtime| {
        runtime.clock.step = 3;
        let jobs = runtime.due_jobs();
        let waiting: BTreeSet<Job> = runtime.queue.jobs.iter().copied().collect_set();
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
    if testing::turns::take_turn(vm) {
        run_spawned(vm, reserve);
    }
    timer::end_replaced(lua);
    let is_spent = vm.tick_left() <= reserve;
    let count = store::with(lua, |runtime| {
        let (jobs, spawned) = (&mut runtime.queue.jobs, &mut runtime.tasks.spawned);
        if is_spent {
            // Before all that comes due later: code that takes the fuel of every tick would keep them from
            // ever beginning.
            jobs.extend(spawned.drain(..).map(Job::Begin));
        }
        jobs.len() + spawned.len()
    });
    if count > 0 {
        invoke::push(vm, Fact::notice(NoticeKind::ScriptDeferred, count as u64));
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

/// A job that the fuel of the tick does not suffice for comes first in the next one. `update`s in a row
/// become one job each: by then others may stand among them.
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
            let left = run_updates(vm, from..to, reserve);
            if !left.is_empty() {
                put_back(vm.lua(), Job::Updates { from: left.start, to: left.end });
            }
        }
        Job::Timer(id) => run_timer(vm, id),
        Job::LevelTick => level_script::tick(vm),
        Job::Update(owner) => behaviour::update(vm, owner),
        Job::Tree(owner) => tree::tick(vm, owner),
        Job::Predicate(id) => _ = run_predicate(vm, id),
        Job::RunAgain(owner) => behaviour::run_again(vm, owner),
        Job::Wake(task) => task::wake_in_order(vm, task),
        Job::Begin(task) => task::begin(vm, task),
    }
}

/// The most `update`s that are called in one row: when every call must be followed by something, each begins
/// a row of its own, and beginning one costs in proportion to its length.
const ROW_MAX: u32 = 256;

/// Runs the `update`s at these places among those that are due, until no more fuel is left than `reserve`;
/// the places that are left then.
fn run_updates(vm: &ScriptVm, mut places: Range<u32>, reserve: u64) -> Range<u32> {
    while !places.is_empty() && vm.tick_left() > reserve {
        let row = places.start..places.end.min(places.start.saturating_add(ROW_MAX));
        let calls = store::with(vm.lua(), |runtime| update_calls(runtime, row.clone()));
        let begun = match calls.and_then(|calls| Some((calls, update_lists(vm)?))) {
            Some((calls, lists)) if !calls.is_empty() => run_update_calls(vm, calls, &lists, reserve),
            _ => Vec::new(),
        };
        places.start = match begun.last() {
            Some(call) => place_after(vm.lua(), row, call.row),
            None => {
                let owner = store::with(vm.lua(), |runtime| runtime.actors.roster.owner_at(places.start));
                behaviour::update(vm, owner);
                places.start + 1
            }
        };
    }
    places
}

/// The calls of these places, without behaviours that have come to stand still or have ended since the tick
/// began. None where one `update` alone is called: as long as states are looked at as soon as it returns.
fn update_calls(runtime: &Runtime, places: Range<u32>) -> Option<Vec<BatchCall>> {
    let (owners, actors) = (&runtime.owners, &runtime.actors);
    let roster = &actors.roster;
    if actors.checks.looks_at_once() || places.len() < 2 || !roster.calls_in_rows() {
        return None;
    }
    let is_fresh = roster.is_fresh(owners);
    let runs = |due: &&DueUpdate| {
        let owner = roster.owners().get(due.row as usize).copied().unwrap_or(Owner::HOST);
        is_fresh || !owners.is_paused(owner) && actors.behaviours.get(owner).is_some()
    };
    let rate = f64::from(runtime.clock.rate.per_second());
    let call = |due: &DueUpdate| BatchCall { row: due.row, argument: due.every_ticks as f64 / rate };
    Some(roster.due(places).iter().filter(runs).map(call).collect())
}

/// The lists that the calls are made from. None when the memory of the VM is spent.
fn update_lists(vm: &ScriptVm) -> Option<UpdateLists> {
    let lua = vm.lua();
    if let Some(lists) = store::with(lua, |runtime| runtime.actors.roster.lists()) {
        return Some(lists);
    }
    let owners = store::with(lua, |runtime| Rc::clone(runtime.actors.roster.owners()));
    let updates = lua.create_table_with_capacity(owners.len(), 0).ok()?;
    let selves = lua.create_table_with_capacity(owners.len(), 0).ok()?;
    for (index, &owner) in owners.iter().enumerate() {
        let found = store::with(lua, |runtime| {
            let instance = runtime.actors.behaviours.get(owner)?;
            Some((Rc::clone(&instance.class), Rc::clone(&instance.this)))
        });
        if let Some((class, this)) = found {
            let update = class.update.clone().map_or(Value::Boolean(false), Value::Function);
            updates.raw_set(index + 1, update).ok()?;
            selves.raw_set(index + 1, &*this).ok()?;
        }
    }
    let memory = read_self(vm).then(|| owners.iter().map(|_| Cell::default()).collect());
    let lists = UpdateLists { updates, selves, memory };
    store::with(lua, |runtime| runtime.actors.roster.set_lists(lists.clone()));
    Some(lists)
}

/// Whether any behaviour reads something of its `self`, as far as its file tells.
fn read_self(vm: &ScriptVm) -> bool {
    let texts = vm.texts();
    let reads =
        |class: &Rc<Class>| texts.get(&class.file).is_some_and(|script| script.text.contains("self."));
    store::with(vm.lua(), |runtime| runtime.actors.behaviours.classes().iter().any(reads))
}

/// Looks where the `self`s of some of these calls lie, so that each is looked at once in a while.
fn look_at_memory(vm: &ScriptVm, calls: &[BatchCall], lists: &UpdateLists) {
    let Some(memory) = &lists.memory else {
        return;
    };
    let now = store::with(vm.lua(), |runtime| runtime.clock.now);
    let known = |row: u32| memory.get(row as usize).map(Cell::get).unwrap_or_default();
    let is_due = |row: &u32| CallMemory::is_due(now, *row, || known(*row));
    for row in calls.iter().map(|call| call.row).filter(is_due).map(|row| row as usize) {
        let this = store::with(vm.lua(), |runtime| {
            let owner = runtime.actors.roster.owners().get(row).copied()?;
            runtime.actors.behaviours.shared_this(owner)
        });
        if let (Some(this), Some(memory)) = (this, memory.get(row)) {
            memory.set(call_memory::of(vm, &this));
        }
    }
}

/// Makes calls until something has to be done, and does it. Those that were begun.
fn run_update_calls(
    vm: &ScriptVm,
    calls: Vec<BatchCall>,
    lists: &UpdateLists,
    reserve: u64,
) -> Vec<BatchCall> {
    let lua = vm.lua();
    look_at_memory(vm, &calls, lists);
    let row = Rc::new(Cell::new(0));
    let (owners, interrupt) = store::with(lua, |runtime| {
        let owners = Rc::clone(runtime.actors.roster.owners());
        let updates = UpdatesUnderWay { owners: Rc::clone(&owners), row: Rc::clone(&row) };
        runtime.running.updates = Some(updates);
        (owners, runtime.running.interrupt.clone())
    });
    let (fuel_per_call, cost_max) = (vm.limits().fuel_per_call, vm.tick_left() - reserve);
    let owner_of = |call: &BatchCall| owners.get(call.row as usize).copied().unwrap_or(Owner::HOST);
    let contexts = profile::contexts(vm.lua(), &owners);
    let memory = lists.memory.clone();
    vm.fuel().plan_batch(BatchPlan { calls, row, interrupt, fuel_per_call, cost_max, contexts, memory });
    let outcome = vm.run_batch(&lists.updates, &lists.selves);
    let begun = vm.fuel().take_batch();
    store::with(lua, |runtime| {
        runtime.running.updates = None;
        begun.iter().map(owner_of).for_each(|owner| runtime.actors.checks.put_off(owner));
    });
    if let Some(owner) = begun.last().map(owner_of) {
        invoke::returned(vm, &Call::plain(owner, "update"), outcome);
    }
    begun
}

/// The place behind that of a row, among those that are due.
fn place_after(lua: &Lua, places: Range<u32>, row: u32) -> u32 {
    store::with(lua, |runtime| {
        let due = runtime.actors.roster.due(places.clone());
        let found = due.iter().position(|due| due.row == row);
        found.map_or(places.end, |index| places.start + index as u32 + 1)
    })
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
    let payload = payload.unwrap_or(Value::Nil);
    let ends_by_false = !is_last && matches!(callback, Callback::Function(_));
    let mut handler = Delivering::new(timer.owner, &callback, &payload, "timer");
    if ends_by_false {
        handler.role = TaskRole::TimerHandler(id);
    }
    handlers::deliver(vm, handler);
}

/// Asks a predicate; whether it said something else than before, or faulted.
pub(crate) fn run_predicate(vm: &ScriptVm, id: u32) -> bool {
    let lua = vm.lua();
    let found = store::with(lua, |runtime| {
        let owner = runtime.registered.predicates.get(id)?.owner;
        if runtime.owners.is_paused(owner) {
            return None;
        }
        Some((owner, runtime.registered.predicates.ask(id, runtime.clock.now)?))
    });
    let Some((owner, function)) = found else {
        return false;
    };
    let call = Call::plain(owner, "when");
    match invoke::test(vm, &call, &function, ()) {
        Ok(value) => {
            let has_turned = store::with(lua, |runtime| runtime.registered.predicates.answer(id, value));
            if has_turned {
                store::push_work(lua, ScriptWork::Turned { predicate: id, value });
            }
            has_turned
        }
        Err(failure) => {
            invoke::report(vm, &call, failure);
            true
        }
    }
}

/// Starts a task for the running owner: a function of a script, with its arguments.
pub(crate) fn spawn_current(lua: &Lua, function: Function, args: MultiValue, name: Option<String>) -> u64 {
    let owner = owner::current(lua);
    let callback = name.clone().map_or(CodeName::Fixed("task"), CodeName::from);
    task::spawn(lua, NewTask { owner, callback, role: TaskRole::Plain, function, args, name })
}
