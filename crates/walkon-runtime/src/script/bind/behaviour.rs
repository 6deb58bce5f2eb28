//! The behaviour verbs of a `Character`: `behaviour`, `attach`, `detach`.
//!
//! In: calls of scripts. Out: the `self` of a behaviour, or work for step 12. Not here: starting and stopping
//! behaviours (`step::behaviour`).

use mlua::{Lua, Value};

use crate::base::ids::CharacterId;
use crate::script::bind::call::{answer, myself, nothing, op, with};
use crate::script::bind::registration;
use crate::script::bind::table::{Binding, HostResult, param};
use crate::script::state::work::ScriptWork;
use crate::script::vm::convert::Args;
use crate::script::vm::{machine_of, store};
use crate::world::ops::alive;

const TYPE: &str = "Character";

/// Everything a `Character` has because of behaviours.
pub const ENTRIES: &[Binding] = &[
    Binding {
        doc: "The `self` of its behaviour.",
        example: "assert(guard.behaviour == nil)",
        ..Binding::field(TYPE, "behaviour", "any", behaviour)
    },
    Binding {
        params: &[param("behaviour", "BehaviourName", "\"idle\""), param("params", "{[string]: any}?", "{}")],
        raises: "name data gone",
        doc: "Starts a behaviour at the next dispatch; the one it has stops with `\"detached\"`.",
        example: "guard:attach(\"idle\")",
        price: 128,
        ..Binding::method(TYPE, "attach", attach)
    },
    Binding {
        raises: "gone",
        doc: "Stops its behaviour with `\"detached\"` at the next dispatch.",
        example: "guard:detach()",
        price: 48,
        ..Binding::method(TYPE, "detach", detach)
    },
];

fn behaviour(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<CharacterId>(args)?, args.function());
    with(lua, args, |world| alive(&world.characters, id).map(|_| ()).map_err(op(function)))?;
    let this = store::with(lua, |runtime| {
        runtime.actors.behaviours.of(id).and_then(|owner| runtime.actors.behaviours.this(owner))
    });
    let this = this.map_or(Value::Nil, Value::Table);
    answer(lua, machine_of(lua).map_or(Ok(this.clone()), |machine| machine.handed_out(lua, this))?)
}

fn attach(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<CharacterId>(args)?, args.function());
    with(lua, args, |world| alive(&world.characters, id).map(|_| ()).map_err(op(function)))?;
    let (name, params) = (args.take("behaviour"), args.take("params"));
    let attachment = registration::check_behaviour(lua, &name, &params)?;
    if let Some(what) = store::work_at_limit(lua) {
        return Err(args.mistake(what).into());
    }
    registration::attach(lua, id, attachment);
    nothing()
}

fn detach(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<CharacterId>(args)?, args.function());
    with(lua, args, |world| alive(&world.characters, id).map(|_| ()).map_err(op(function)))?;
    if let Some(what) = store::work_at_limit(lua) {
        return Err(args.mistake(what).into());
    }
    store::push_work(lua, ScriptWork::Detach { character: id, why: "detached" });
    nothing()
}
