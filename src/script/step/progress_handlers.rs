//! Handlers of a walk under way: stops, corners, the near end, obstructions.
//!
//! In: news of walks. Out: handlers called; the answer of `onBlocked`, carried out. Holds: handlers end with
//! their walk or their owner; `onBlocked` may not wait and is asked once for each obstruction. Not here: the
//! end of a walk (`dispatch`).

use std::collections::BTreeMap;

use mlua::{Lua, MultiValue, Table, Value};

use crate::base::hash::StateHash;
use crate::base::ids::WalkId;
use crate::script::bind::call::vector;
use crate::script::bind::handles;
use crate::script::bind::results;
use crate::script::state::callback::{Callback, Underway};
use crate::script::step::handlers::{self, Delivering};
use crate::script::step::invoke::{self, Call};
use crate::script::step::runtime;
use crate::script::vm::ScriptVm;
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::{convert, lend};
use crate::world::World;
use crate::world::event::WalkNews;
use crate::world::ops::{walk_changes, walks};
use crate::world::outcome::Reason;
use crate::world::walk::{Crowd, Owner};

/// Handlers of walks under way, by walk.
#[derive(Debug, Default)]
pub(crate) struct UnderwayHandlers(BTreeMap<WalkId, (Owner, Underway)>);

impl UnderwayHandlers {
    pub(crate) fn set(&mut self, walk: WalkId, owner: Owner, handlers: Underway) {
        if !handlers.is_empty() {
            self.0.insert(walk, (owner, handlers));
        }
    }

    pub(crate) fn forget(&mut self, walk: WalkId) {
        self.0.remove(&walk);
    }

    pub(crate) fn end_owner(&mut self, owner: Owner) {
        self.0.retain(|_, (other, _)| *other != owner);
    }

    /// The code of an owner was replaced: handlers that are names stay.
    pub(crate) fn reload_owner(&mut self, owner: Owner) {
        for (_, handlers) in self.0.values_mut().filter(|(other, _)| *other == owner) {
            for handler in
                [&mut handlers.stop, &mut handlers.waypoint, &mut handlers.near, &mut handlers.blocked]
            {
                if matches!(handler, Some(Callback::Function(_))) {
                    *handler = None;
                }
            }
        }
        self.0.retain(|_, (_, handlers)| !handlers.is_empty());
    }

    /// Names of handlers of an owner's walks under way.
    pub(crate) fn names_of(&self, owner: Owner) -> Vec<String> {
        let own = self.0.values().filter(|(other, _)| *other == owner);
        let all = own.flat_map(|(_, handlers)| {
            [&handlers.stop, &handlers.waypoint, &handlers.near, &handlers.blocked]
        });
        let name = |handler: &Option<Callback>| match handler {
            Some(Callback::Named(name)) => Some(name.clone()),
            _ => None,
        };
        all.filter_map(name).collect()
    }

    fn find(&self, walk: WalkId, news: &WalkNews) -> Option<(Owner, Callback)> {
        let (owner, handlers) = self.0.get(&walk)?;
        let callback = match news {
            WalkNews::Stop { .. } => &handlers.stop,
            WalkNews::Waypoint { .. } => &handlers.waypoint,
            WalkNews::Near { .. } => &handlers.near,
            WalkNews::Blocked { .. } => &handlers.blocked,
        };
        Some((*owner, callback.clone()?))
    }

    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        for (walk, (owner, handlers)) in &self.0 {
            hash.word(slotmap::Key::data(walk).as_ffi()).word(u64::from(owner.0));
            for callback in [&handlers.stop, &handlers.waypoint, &handlers.near, &handlers.blocked] {
                handlers::hash_callback(hash, callback.as_ref());
            }
        }
    }
}

/// What `onBlocked` may answer.
const ANSWERS: [&str; 4] = ["wait", "repath", "push", "giveUp"];

/// Calls the handler for a piece of news, if there is one.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn tell(vm: &ScriptVm, walk: WalkId, news: &WalkNews) -> mlua::Result<()> {
    let lua = vm.lua();
    let Some((owner, callback)) = runtime::with(lua, |runtime| runtime.handlers.underway.find(walk, news))
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
            ask(vm, (walk, *reason), (owner, callback), payload);
            return Ok(());
        }
    };
    handlers::deliver(vm, Delivering::new(owner, callback, payload, label));
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

/// Asks `onBlocked` and does what it says. An owner that stands still is not asked: the walk waits.
fn ask(
    vm: &ScriptVm,
    (walk, reason): (WalkId, Reason),
    (owner, callback): (Owner, Callback),
    payload: Value,
) {
    let lua = vm.lua();
    if runtime::with(lua, |runtime| runtime.owners.is_paused(owner)) {
        return;
    }
    let mut args = MultiValue::new();
    let Some(function) = handlers::resolve(lua, owner, callback, &mut args) else {
        return;
    };
    args.push_back(payload);
    let call = Call::plain(owner, "onBlocked");
    let Some(values) = invoke::call(vm, &call, &function, args) else {
        return;
    };
    let said = values.into_iter().next().unwrap_or(Value::Nil);
    let word = said.as_string().map(|word| word.to_string_lossy());
    match word.as_deref() {
        None if said.is_nil() => {}
        Some("wait") => {}
        Some(word) if ANSWERS.contains(&word) => carry_out(lua, walk, reason, word),
        _ => {
            let what = format!(
                "onBlocked: answered {}, expected \"wait\", \"repath\", \"push\" or \"giveUp\"",
                convert::describe(&said)
            );
            invoke::report(vm, &call, CallFailure::new(FaultKind::Error, what, None));
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
