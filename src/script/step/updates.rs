//! `update` of many behaviours, one right after another.
//!
//! In: which are due, in the order of their characters. Out: their calls. Holds: what comes of it is what came
//! of calling them one by one: the same fuel for each, the same faults, in the same order. Not here: one
//! `update` alone (`behaviour`), the calls themselves (`vm::fuel::batch`).

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use mlua::{Lua, Value};

use crate::script::state::roster::{DueUpdate, UpdateLists};
use crate::script::state::running::UpdatesUnderWay;
use crate::script::state::runtime::Runtime;
use crate::script::step::behaviour;
use crate::script::step::invoke::{self, Call};
use crate::script::vm::fuel::batch::{BatchCall, BatchPlan};
use crate::script::vm::{ScriptVm, store};
use crate::world::owner::Owner;

/// Runs the `update`s at these places among those that are due, until no more fuel is left than `reserve`; the
/// places that are left then.
pub(crate) fn run(vm: &ScriptVm, mut places: Range<u32>, reserve: u64) -> Range<u32> {
    while !places.is_empty() && vm.tick_left() > reserve {
        let calls = store::with(vm.lua(), |runtime| calls(runtime, places.clone()));
        let begun = match calls.and_then(|calls| Some((calls, lists(vm.lua())?))) {
            Some((calls, lists)) if !calls.is_empty() => run_calls(vm, calls, &lists, reserve),
            _ => Vec::new(),
        };
        places.start = match begun.last() {
            Some(&row) => after(vm.lua(), places.clone(), row),
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
fn calls(runtime: &Runtime, places: Range<u32>) -> Option<Vec<BatchCall>> {
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
fn lists(lua: &Lua) -> Option<UpdateLists> {
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
    let lists = UpdateLists { updates, selves };
    store::with(lua, |runtime| runtime.actors.roster.set_lists(lists.clone()));
    Some(lists)
}

/// Makes calls until something has to be done, and does it. The rows of those that were begun.
fn run_calls(vm: &ScriptVm, calls: Vec<BatchCall>, lists: &UpdateLists, reserve: u64) -> Vec<u32> {
    let lua = vm.lua();
    let mut rows: Vec<u32> = calls.iter().map(|call| call.row).collect();
    let row = Rc::new(Cell::new(0));
    let (owners, interrupt) = store::with(lua, |runtime| {
        let owners = Rc::clone(runtime.actors.roster.owners());
        let updates = UpdatesUnderWay { owners: Rc::clone(&owners), row: Rc::clone(&row) };
        runtime.running.updates = Some(updates);
        (owners, runtime.running.interrupt.clone())
    });
    let (fuel_per_call, cost_max) = (vm.limits().fuel_per_call, vm.tick_left() - reserve);
    vm.fuel().plan_batch(BatchPlan { calls, row, interrupt, fuel_per_call, cost_max });
    let outcome = vm.run_batch(&lists.updates, &lists.selves);
    rows.truncate(vm.fuel().batch_begun());
    let owner_of = |row: &u32| owners.get(*row as usize).copied().unwrap_or(Owner::HOST);
    store::with(lua, |runtime| {
        runtime.running.updates = None;
        rows.iter().map(owner_of).for_each(|owner| runtime.actors.checks.put_off(owner));
    });
    if let Some(owner) = rows.last().map(owner_of) {
        invoke::returned(vm, &Call::plain(owner, "update"), outcome);
    }
    rows
}

/// The place behind that of a row, among those that are due.
fn after(lua: &Lua, places: Range<u32>, row: u32) -> u32 {
    store::with(lua, |runtime| {
        let due = runtime.actors.roster.due(places.clone());
        let found = due.iter().position(|due| due.row == row);
        found.map_or(places.end, |index| places.start + index as u32 + 1)
    })
}
