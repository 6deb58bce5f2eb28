//! Handlers of a walk under way: stops, corners, the near end, obstructions.
//!
//! In: news of walks. Out: handlers called; the answer of `onBlocked`, carried out. Holds: handlers end with
//! their walk or their owner; `onBlocked` may not wait and is asked once for each obstruction. Not here: the
//! table (`state::progress_handlers`), the end of a walk (`dispatch`).

use mlua::{Lua, MultiValue, Table, Value};

use crate::base::ids::WalkId;
use crate::script::bind::results;
use crate::script::state::callback::Callback;
use crate::script::step::handlers::{self, Delivering};
use crate::script::step::invoke::{self, Call};
use crate::script::vm::convert::vector;
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::{ScriptVm, convert, handles, lend, store};
use crate::world::World;
use crate::world::event::WalkNews;
use crate::world::ops::{walk_changes, walks};
use crate::world::outcome::Reason;
use crate::world::owner::Owner;
use crate::world::walk::Crowd;

/// What `onBlocked` may answer.
const ANSWERS: [&str; 4] = ["wait", "repath", "push", "giveUp"];

/// Calls the handler for a piece of news, if there is one.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn tell(vm: &ScriptVm, walk: WalkId, news: &WalkNews) -> mlua::Result<()> {
    let lua = vm.lua();
    let Some((owner, callback)) =
        store::with(lua, |runtime| runtime.registered.handlers.underway.find(walk, news))
    else {
        return Ok(());
    };
    let Some(payload) = payload(lua, walk, news)? else {
        return Ok(());
    };
    let label = match news {
        WalkNews::Stop { .. } => "onStop",
        WalkNews::Waypoint { .. } => "onWaypoint",
        WalkNews::Near { .. } => "onNear",
        WalkNews::Blocked { reason, .. } => {
            if let Some(said) = ask(vm, owner, callback, payload) {
                obey(vm, owner, walk, *reason, &said);
            }
            return Ok(());
        }
    };
    // A walk that its owner gave to another character goes on while the owner stands still, a patrol for
    // ever.
    let handler = Delivering::new(owner, &callback, &payload, label);
    handlers::deliver(vm, Delivering { is_event: true, ..handler });
    Ok(())
}

fn payload(lua: &Lua, walk: WalkId, news: &WalkNews) -> mlua::Result<Option<Value>> {
    let found = lend::with_world(lua, |world: &mut World| {
        let own = world.walk(walk)?;
        Some((own.serial, own.character, world.rate()))
    });
    let Ok(Some((serial, character, rate))) = found else {
        return Ok(None);
    };
    let table: Table = lua.create_table()?;
    table.raw_set("character", handles::character(lua, character)?)?;
    table.raw_set("walk", serial)?;
    match news {
        WalkNews::Stop { index, mark } => {
            table.raw_set("mark", handles::mark(lua, mark)?)?;
            table.raw_set("index", *index)?;
        }
        WalkNews::Waypoint { index, position } => {
            table.raw_set("index", *index)?;
            table.raw_set("position", vector(*position))?;
        }
        WalkNews::Near { remaining_m } => table.raw_set("remaining", *remaining_m)?,
        WalkNews::Blocked { reason, by, ticks } => {
            table.raw_set("by", results::blocker(lua, *by)?)?;
            table.raw_set("reason", reason.name())?;
            table.raw_set("seconds", *ticks as f64 / f64::from(rate.per_second()))?;
        }
    }
    table.set_readonly(true);
    Ok(Some(Value::Table(table)))
}

/// Asks `onBlocked` what is to be done. An owner that stands still is not asked: the walk waits.
fn ask(vm: &ScriptVm, owner: Owner, callback: Callback, payload: Value) -> Option<Value> {
    let lua = vm.lua();
    if store::with(lua, |runtime| runtime.owners.is_paused(owner)) {
        return None;
    }
    let mut args = MultiValue::new();
    let function = handlers::resolve(lua, owner, callback, &mut args)?;
    args.push_back(payload);
    let values = invoke::call(vm, &Call::plain(owner, "onBlocked"), &function, args)?;
    Some(values.into_iter().next().unwrap_or(Value::Nil))
}

/// Does what `onBlocked` of the owner of a walk said.
fn obey(vm: &ScriptVm, owner: Owner, walk: WalkId, reason: Reason, said: &Value) {
    let word = said.as_string().map(|word| word.to_string_lossy());
    match word.as_deref() {
        None if said.is_nil() => {}
        Some("wait") => {}
        Some(word) if ANSWERS.contains(&word) => carry_out(vm.lua(), walk, reason, word),
        _ => {
            let what = format!(
                "onBlocked: answered {}, expected \"wait\", \"repath\", \"push\" or \"giveUp\"",
                convert::describe(said)
            );
            invoke::report(
                vm,
                &Call::plain(owner, "onBlocked"),
                CallFailure::new(FaultKind::Error, what, None),
            );
        }
    }
}

fn carry_out(lua: &Lua, walk: WalkId, reason: Reason, word: &str) {
    let _ = lend::with_world(lua, |world: &mut World| match word {
        "repath" => walk_changes::ask_again(world, walk),
        "push" => {
            if let Some(walk) = world.walks.get_mut(walk) {
                walk.options.crowd = Crowd::Push;
            }
        }
        _ => {
            walks::conclude(world, walk, reason.usual_status(), reason);
        }
    });
}
