//! The turns of the one test that runs in this VM.
//!
//! In: the task of the test, the tick. Out: the same, begun, resumed, ended. Holds: the test comes last in
//! steps 3 and 12; its fuel is not that of the level, so a test does not change the level; everything it
//! started ends with it. Not here: its expectations (`testing`).

use mlua::{MultiValue, Value};

use crate::script::state::owners::OwnerKind;
use crate::script::state::tasks::{NewTask, TaskRole, Why};
use crate::script::step::invoke::{self, Call};
use crate::script::step::task;
use crate::script::step::testing::{TestId, holds_so_far, owner_of, with_run};
use crate::script::vm::{ScriptVm, handles, store};

/// The owner and the task of the test: at the start of the level, after everything else has started. It
/// begins in step 3 of the first tick.
pub(crate) fn prepare(vm: &ScriptVm) {
    let lua = vm.lua();
    let Some((name, function, variant)) =
        with_run(lua, |run| (run.name.clone(), run.function.clone(), run.variant.clone()))
    else {
        return;
    };
    let label = format!("test \"{name}\"");
    let owner = store::with(lua, |runtime| {
        runtime.has_test = true;
        runtime.owners.begin(OwnerKind::Test, label)
    });
    let mut args = MultiValue::new();
    let handle = handles::make(lua, TestId(1)).unwrap_or(Value::Nil);
    args.push_back(handle);
    if let Some(variant) = variant
        && let Ok(variant) = lua.create_string(variant)
    {
        args.push_back(Value::String(variant));
    }
    let spawn = NewTask { owner, callback: "test".into(), role: TaskRole::Test, function, args, name: None };
    let task = task::add(lua, spawn);
    with_run(lua, |run| run.own = Some((owner, task)));
}

/// The turn of the test in step 3 or 12; whether it ran.
pub(crate) fn take_turn(vm: &ScriptVm) -> bool {
    let lua = vm.lua();
    let found = with_run(lua, |run| {
        let (_, task) = run.own?;
        let begins = !std::mem::replace(&mut run.has_begun, true);
        let wakes = std::mem::take(&mut run.wakes);
        let held = run.held.take();
        let has_turn = begins || wakes || held.is_some();
        run.is_last = has_turn;
        has_turn.then_some((task, begins, wakes, held))
    });
    let Some(Some((id, begins, wakes, held))) = found else {
        return false;
    };
    vm.off_the_books(|| {
        if begins {
            task::begin(vm, id);
        }
        if wakes {
            task::wake(vm, id);
        }
        if let Some((serial, answer)) = held {
            task::resume(vm, id, serial, answer);
        }
    });
    with_run(lua, |run| run.is_last = false);
    true
}

/// After every tick, last in step 12: the functions of `t:always`, also after the one in which the test has
/// returned.
pub(crate) fn after_tick(vm: &ScriptVm) {
    let lua = vm.lua();
    if !holds_so_far(lua) {
        return;
    }
    let Some(owner) = owner_of(lua) else {
        return;
    };
    for function in with_run(lua, |run| run.always.clone()).unwrap_or_default() {
        let call = Call::plain(owner, "always");
        vm.off_the_books(|| invoke::run(vm, &call, &function, ()));
        if !holds_so_far(lua) {
            return;
        }
    }
}

/// The end of the level: everything that the test started ends with it.
pub(crate) fn end(vm: &ScriptVm) {
    if let Some(owner) = owner_of(vm.lua()) {
        invoke::end_owner(vm, owner, Why::LevelEnd);
    }
}
