//! The owner whose code runs, for messages and limits.
//!
//! In: the call under way. Out: its owner, what messages call it, whether it may register or start more.
//! Holds: whatever a piece of code registers or starts belongs to the owner it runs for. Not here: the owners
//! (`state::owners`), how they end (`owner_end`, `cinematic`).

use mlua::Lua;

use crate::script::state::owners::{Counted, TIMERS_MAX, WATCHES_MAX};
use crate::script::vm::store;
use crate::world::owner::Owner;

/// On whose behalf the running Lua code runs; the host when none does.
#[must_use]
pub fn current(lua: &Lua) -> Owner {
    store::with(lua, |runtime| runtime.running.owner())
}

/// The owner as messages name it: `behaviour "guard" of "anna"`, `level script`.
#[must_use]
pub fn label(lua: &Lua, owner: Owner) -> String {
    store::with(lua, |runtime| runtime.owners.label(owner).to_string())
}

/// The end of the sentence when the running owner has as many as it may have:
/// `behaviour "guard" has 256 timers, the most allowed (limits.timersPerOwner); cancel some`.
#[must_use]
pub fn at_limit(lua: &Lua, what: Counted) -> Option<String> {
    let owner = current(lua);
    store::with(lua, |runtime| {
        let record = runtime.owners.get(owner)?;
        let limits = &runtime.limits;
        let (count, most, noun, limit, mend) = match what {
            Counted::Tasks => (record.tasks, limits.tasks_per_owner, "tasks", "tasksPerOwner", "cancel some"),
            Counted::Timers => {
                (record.timers, limits.timers_per_owner, "timers", "timersPerOwner", "cancel some")
            }
            Counted::Handlers => {
                (record.handlers, limits.handlers_per_owner, "handlers", "handlersPerOwner", "remove some")
            }
            Counted::Watches => {
                (record.watches, limits.watches_per_owner, "watches", "watchesPerOwner", "remove some")
            }
        };
        let label = &record.label;
        if count >= most {
            return Some(format!("{label} has {most} {noun}, the most allowed (limits.{limit}); {mend}"));
        }
        let (all, all_max) = match what {
            Counted::Watches => (runtime.registered.watches(), WATCHES_MAX),
            Counted::Timers => (runtime.registered.timers.count(), TIMERS_MAX),
            Counted::Tasks | Counted::Handlers => return None,
        };
        (all >= all_max).then(|| format!("the level has {all_max} {noun}, the most allowed; {mend}"))
    })
}
