//! Read-only fields: the error for setting one, and the call that changes it.

use mlua::{Function, Lua, Value};

use crate::script::vm::convert::{UsageError, describe};

/// Raises for every assignment.
pub(crate) fn read_only(lua: &Lua, owner: &'static str, names: Vec<&'static str>) -> mlua::Result<Function> {
    lua.create_function(move |lua, (_, key, _): (Value, Value, Value)| {
        let field = key.as_string().map(|key| key.to_string_lossy());
        let instead = instead(owner, field.as_deref().unwrap_or_default(), &names);
        let what = format!("fields are read-only, {} cannot be set; {instead}", describe(&key));
        Err::<(), _>(UsageError::new(owner, what).raise(lua))
    })
}

/// How scripts change a field that they can only read: owner, field, the call to write.
const SETTERS: &[(&str, &str, &str)] = &[
    ("Character", "position", "use :teleport(...)"),
    ("Character", "layer", "use :teleport(...)"),
    ("Character", "facing", "use :face(...)"),
    ("Character", "walkSpeed", "use :setSpeed(...)"),
    ("Character", "runSpeed", "use :setSpeed(...)"),
    ("Character", "animation", "use :play(...)"),
    ("Character", "currentWalk", "use :walkTo(...) or :stop(...)"),
    ("Character", "alive", "use :despawn(...)"),
    ("Character", "behaviour", "use :attach(...) or :detach(...)"),
    ("Character", "blackboard", "use .blackboard:set(...)"),
    ("Character", "heldBy", "use cinematic.play(...)"),
    ("Door", "state", "use :open(...) or :close(...)"),
    ("Door", "passable", "use :open(...) or :close(...)"),
    ("Door", "locked", "use :lock(...) or :unlock(...)"),
    ("Door", "key", "use :lock(...)"),
    ("Walk", "goal", "use :retarget(...)"),
    ("Walk", "state", "use :pause(...), :resume(...) or :stop(...)"),
    ("Scene", "mark", "use :mark(...)"),
    ("Scene", "skipping", "use :skip(...)"),
    ("Task", "status", "use :cancel(...)"),
    ("level", "outcome", "use level.finish(...)"),
    ("blackboard", "level", "use blackboard.level:set(...)"),
    ("nav", "pending", "use nav.setAreaAvailable(...)"),
];

/// What to write instead of `owner.field = ...`, where the owner has these names.
pub(crate) fn instead(owner: &str, field: &str, names: &[&str]) -> &'static str {
    let setter = |is_meant: &dyn Fn(&str) -> bool| {
        SETTERS.iter().find(|(of, name, _)| *of == owner && is_meant(name)).map(|(_, _, instead)| *instead)
    };
    // The end of a name may be what is meant: `speed` for `walkSpeed`.
    let ends_so = |name: &str| name.to_lowercase().ends_with(&field.to_lowercase()) && field.len() > 2;
    match setter(&|name| name == field) {
        Some(instead) => instead,
        None if names.contains(&field) => "nothing sets it",
        None => setter(&ends_so).unwrap_or("keep what is the script's own in self, or in a table of its own"),
    }
}
