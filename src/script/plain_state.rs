//! What scripts keep in `state` and `self.state`, which has to be plain data.
//!
//! In: a state, whose it is. Out: a copy as plain data, or a fault that names the owner, its file and the key. Holds: a state
//! that stays wrong in the same way is reported once. Not here: what plain data is (`payload`), when states are looked at.

use mlua::Value;

use crate::base::plain::Plain;
use crate::script::convert::Named;
use crate::script::fault::{Failure, FaultKind};
use crate::script::invoke::{self, Call};
use crate::script::vm::ScriptVm;
use crate::script::{payload, runtime};
use crate::world::walk::Owner;

/// What the report of such a fault names as the callback.
const CALLBACK: &str = "state";

/// A state as plain data. Cost: its size.
///
/// # Errors
/// `behaviour "guard" of "anna": self.state.target is a function, expected plain data`, in the file of the owner.
pub(crate) fn read(vm: &ScriptVm, owner: Owner, name: &str, state: Value) -> Result<Plain, Failure> {
    let label = runtime::with(vm.lua(), |runtime| runtime.label(owner));
    let given = Named::new(&label, name, state);
    payload::read(vm.lua(), &given, vm.limits().state_kib).map_err(|mistake| Failure {
        kind: FaultKind::Data,
        message: mistake.to_string(),
        traceback: String::new(),
        file: file_of(vm, owner),
        // Which line has put the value there is not known.
        line: 0,
    })
}

/// The same, and a mistake is reported, unless it was before and nothing has changed since.
///
/// # Errors
/// As [`read`].
pub(crate) fn check(vm: &ScriptVm, owner: Owner, name: &str, state: Value) -> Result<Plain, Failure> {
    let read = read(vm, owner, name, state);
    let is_news = runtime::with(vm.lua(), |runtime| match &read {
        Ok(_) => {
            runtime.told_states.remove(&owner);
            false
        }
        Err(failure) => {
            let owners = &runtime.owners;
            runtime.told_states.retain(|known, _| *known == owner || owners.get(*known).is_some());
            let before = runtime.told_states.insert(owner, failure.message.clone());
            before.as_ref() != Some(&failure.message)
        }
    });
    if let (true, Err(failure)) = (is_news, &read) {
        invoke::report(vm, &Call::plain(owner, CALLBACK), failure.clone());
    }
    read
}

/// The path of the script that an owner runs; empty when it has none.
fn file_of(vm: &ScriptVm, owner: Owner) -> String {
    let (class, environment) = runtime::with(vm.lua(), |runtime| {
        let class = runtime.behaviours.parts(owner).map(|(_, class, ..)| class.file.clone());
        let level = runtime.level.as_ref().filter(|(level, _)| *level == owner);
        (class, level.map(|(_, environment)| environment.clone()))
    });
    let name = class.or_else(|| vm.loads().name_of(&environment?)).unwrap_or_default();
    vm.texts().get(&name).map_or(name.clone(), |file| file.path.clone())
}
