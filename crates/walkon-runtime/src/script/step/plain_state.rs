//! Checks that the data in `state` and `self.state` is plain.
//!
//! In: a state, its owner, the owner whose code has just run. Out: a copy as plain data, or a fault that
//! names the owner, the key, and the line that sets it if that can be found. Holds: the state of a behaviour
//! is looked at when a call of it ends, so a mistake shows where it is made and not first at a reload; the
//! cost in a tick is bounded (`state::state_checks`); a state that stays wrong in the same way is reported
//! once. Not here: what plain data is (`vm::payload`), what a reload keeps (`host::reload::commit`).

use std::rc::Rc;

use mlua::{Lua, Table, Value};

use crate::base::value::Plain;
use crate::script::state::running::Current;
use crate::script::step::reports;
use crate::script::vm::convert::Argument;
use crate::script::vm::fault::{CallFailure, FaultKind};
use crate::script::vm::{ScriptVm, payload, store};
use crate::world::owner::Owner;

/// What the report of such a fault names as the callback.
const CALLBACK: &str = "state";

/// Looks at the state of the behaviour whose code has just run.
pub(crate) fn after_call(vm: &ScriptVm, call: &Current) {
    let lua = vm.lua();
    let this = store::with(lua, |runtime| {
        let instance = runtime.actors.behaviours.get(call.owner)?;
        runtime.actors.checks.may_look(call.owner).then(|| Rc::clone(&instance.this))
    });
    if let Some(this) = this {
        let spent = look(vm, call, &this);
        store::with(lua, |runtime| runtime.actors.checks.spend(spent));
    }
}

/// Looks at the next state that was put off; false when there is none, or no look is left in this tick.
pub(crate) fn look_at_next(vm: &ScriptVm) -> bool {
    let lua = vm.lua();
    let next = store::with(lua, |runtime| {
        let owner = runtime.actors.checks.next_put_off();
        owner.map(|owner| (owner, runtime.actors.behaviours.shared_this(owner)))
    });
    let Some((owner, this)) = next else {
        return false;
    };
    let spent = this.map_or(1, |this| look(vm, &Current::plain(owner, CALLBACK), &this));
    store::with(lua, |runtime| runtime.actors.checks.spend(spent));
    true
}

/// Looks at the state in a `self`; what that cost in entries.
#[inline]
fn look(vm: &ScriptVm, call: &Current, this: &Table) -> i64 {
    let state = this.raw_get::<Value>("state").unwrap_or(Value::Nil);
    look_at(vm, call, "self.state", state)
}

/// Looks at `state`, which all scripts of the level share; once a tick.
pub(crate) fn look_at_shared(vm: &ScriptVm, owner: Owner, state: &Table) {
    look_at(vm, &Current::plain(owner, CALLBACK), "state", Value::Table(state.clone()));
}

fn look_at(vm: &ScriptVm, call: &Current, name: &'static str, state: Value) -> i64 {
    let (is_plain, entries) = payload::is_plain(vm.lua(), &state, vm.limits().state_kib);
    if is_plain && state.is_table() {
        store::with(vm.lua(), |runtime| runtime.actors.checks.is_plain(call.owner));
    } else {
        check_after(vm, call, name, state);
    }
    // Finding the state costs as much as two entries.
    2 + i64::try_from(entries).unwrap_or(i64::MAX / 2)
}

/// A state as plain data. Cost: its size.
///
/// # Errors
/// `guard.lua:9: behaviour "guard" of "anna": self.state.target is a function, expected plain data`, in the
/// file of the owner.
pub(crate) fn read(vm: &ScriptVm, call: &Current, name: &str, state: Value) -> Result<Plain, CallFailure> {
    let label = store::with(vm.lua(), |runtime| runtime.owners.label(call.owner));
    let given = Argument::new(&label, name, state);
    let read = given.table("a table of plain data").map(|_| ());
    read.and_then(|()| payload::read(vm.lua(), &given, vm.limits().state_kib)).map_err(|mistake| {
        let message = mistake.to_string();
        let (file, line) = place(vm, call, &message);
        let place = (line > 0).then_some((file.as_str(), line));
        CallFailure { file: file.clone(), ..CallFailure::new(FaultKind::Data, message, place) }
    })
}

/// Reports a state that is not plain data, unless that was reported before and nothing has changed since.
pub(crate) fn check(vm: &ScriptVm, owner: Owner, name: &str, state: Value) {
    check_after(vm, &Current::plain(owner, CALLBACK), name, state);
}

fn check_after(vm: &ScriptVm, call: &Current, name: &str, state: Value) {
    let owner = call.owner;
    let Err(failure) = read(vm, call, name, state) else {
        return store::with(vm.lua(), |runtime| runtime.actors.checks.is_plain(owner));
    };
    let is_news = store::with(vm.lua(), |runtime| {
        let owners = &runtime.owners;
        let what = what_of(&failure.message);
        runtime.actors.checks.is_news(owner, what, |known| owners.get(known).is_some())
    });
    if is_news {
        reports::report(vm, &Current::plain(owner, CALLBACK), failure);
    }
}

/// A message without the place in front of it.
fn what_of(message: &str) -> &str {
    match crate::script::vm::fault::place_in(message) {
        Some((file, line)) => message.get(file.len() + line.to_string().len() + 3..).unwrap_or(message),
        None => message,
    }
}

/// The script that an owner runs and the line that spoils its state: the only one that sets a field of that
/// name, else where the function begins that has just run; 0 when neither is known.
fn place(vm: &ScriptVm, call: &Current, message: &str) -> (String, u32) {
    let lua = vm.lua();
    let (class, environment) = store::with(lua, |runtime| {
        let class = runtime.actors.behaviours.parts(call.owner).map(|(_, class, ..)| class);
        let level = runtime.owners.level.as_ref().filter(|(level, _)| *level == call.owner);
        (class, level.map(|(_, environment)| environment.clone()))
    });
    let file = class.as_ref().map(|class| class.file.clone());
    let name =
        file.or_else(|| environment.as_ref().and_then(|table| vm.loads().name_of(table))).unwrap_or_default();
    let texts = vm.texts();
    let Some(script) = texts.get(&name) else {
        return (name, 0);
    };
    let begins = || {
        let functions = class.as_ref().map(|class| class.table.clone()).or(environment)?;
        let function = functions.raw_get::<Value>(&*call.callback).ok()?.as_function().cloned()?;
        u32::try_from(function.info().line_defined?).ok()
    };
    let line = field_of(message).and_then(|field| only_line_that_sets(&script.text, field));
    (script.path.clone(), line.or_else(begins).unwrap_or(0))
}

/// The name of the last field in `self.state.list[3].target is a function`.
fn field_of(message: &str) -> Option<&str> {
    let path = message.split(" is ").next()?.rsplit(' ').next()?;
    let name = path.rsplit('.').next()?.split('[').next()?;
    let is_word = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_word(name).then_some(name)
}

/// The line with `name =`, counted from 1; none when there are several, or none.
fn only_line_that_sets(text: &str, name: &str) -> Option<u32> {
    let sets = |line: &str| {
        line.match_indices(name).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + name.len()..].trim_start_matches(['"', '\'', ']']).trim_start();
            let is_whole = before.is_none_or(|c| !c.is_alphanumeric() && c != '_');
            is_whole && after.starts_with('=') && !after.starts_with("==")
        })
    };
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| sets(line)).map(|(number, _)| number);
    lines.next().filter(|_| lines.next().is_none())
}

/// The part of a state that can be kept over a reload, and sentences about the rest.
pub(crate) fn salvage(lua: &Lua, name: &str, state: &Value, limit_kib: u32) -> (Plain, Vec<String>) {
    if state.is_table() {
        return payload::salvage(lua, &Argument::new("reload", name, state.clone()), limit_kib);
    }
    let what = crate::script::vm::convert::describe(state);
    (reports::map([]), vec![format!("{name} is {what}, expected a table")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_that_is_wrong_is_found_in_the_message_and_in_the_text() {
        let message =
            "behaviour \"a\" of \"b is c\": self.state.list[3].target is a function, expected plain data";
        assert_eq!(field_of("x: self.state.list[3].target is a function"), Some("target"));
        assert_eq!(field_of(message), None, "a name of that kind only costs the line");
        let text = "local a = 1\nself.state.target = f\nif target == 1 then end\nstate.targets = 2";
        assert_eq!(only_line_that_sets(text, "target"), Some(2));
        assert_eq!(only_line_that_sets(text, "other"), None);
        assert_eq!(only_line_that_sets("a.x = 1\nb = { x = 2 }", "x"), None, "either may be meant");
        assert_eq!(only_line_that_sets("a[\"x\"] = 1", "x"), Some(1));
    }
}
