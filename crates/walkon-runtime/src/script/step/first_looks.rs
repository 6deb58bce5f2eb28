//! Decides which characters count as inside a watch: filters, and first looks that are not reported.
//!
//! In: watches that have looked for the first time, characters inside. Out: the characters that count, whose
//! stay and exit are reported. Holds: without `initial`, characters inside at the first look count like all
//! others, except that their entering is not reported; a watch that is switched off before its first look
//! finds nobody. Not here: looking (`sim::regions`), calls of `onEnter`, `onStay` and `onExit` (`dispatch`).

use mlua::{Function, Lua};

use crate::base::ids::CharacterId;
use crate::script::state::work::ScriptWork;
use crate::script::step::invoke::{self, Call};
use crate::script::vm::{ScriptVm, handles, lend, store};
use crate::world::World;
use crate::world::owner::Owner;
use crate::world::region::{CrossingKind, WatchId};

/// What has become of the first look of a watch.
enum FirstLook {
    /// It has not looked yet.
    ToCome,
    /// It found them inside.
    Found(Vec<CharacterId>),
}

/// Queues the characters that watches found inside at their first look, in the order of the watches.
pub(crate) fn queue(lua: &Lua) {
    let watches = store::with(lua, |runtime| std::mem::take(&mut runtime.registered.handlers.to_look_first));
    for watch in watches {
        match first_look(lua, watch) {
            Some(FirstLook::ToCome) => {
                store::with(lua, |runtime| runtime.registered.handlers.to_look_first.push(watch));
            }
            Some(FirstLook::Found(inside)) => {
                for character in inside {
                    store::push_work(lua, ScriptWork::FoundInside(watch, character));
                }
            }
            None => {}
        }
    }
}

/// None for a watch that is over.
fn first_look(lua: &Lua, watch: WatchId) -> Option<FirstLook> {
    let look = lend::with_world(lua, |world: &mut World| {
        let watch = world.triggers.watches.get(watch)?;
        Some(match watch.fresh {
            Some(_) => FirstLook::ToCome,
            None => FirstLook::Found(watch.inside.values().copied().collect()),
        })
    });
    look.ok().flatten()
}

/// Counts a character that was inside at the first look.
pub(crate) fn count(vm: &ScriptVm, watch: WatchId, character: CharacterId) -> mlua::Result<()> {
    let lua = vm.lua();
    let found = store::with(lua, |runtime| {
        let record = runtime.registered.handlers.watches.get(&watch)?;
        Some((record.owner, record.handlers.filter.clone()))
    });
    if let Some((owner, filter)) = found
        && passes(vm, owner, filter.as_ref(), character)?
    {
        note_inside(lua, watch, character, CrossingKind::Initial.name());
    }
    Ok(())
}

/// Whether a filter that is a function says yes to a character; true without one. A fault counts as no.
pub(crate) fn passes(
    vm: &ScriptVm,
    owner: Owner,
    filter: Option<&Function>,
    character: CharacterId,
) -> mlua::Result<bool> {
    let Some(filter) = filter else {
        return Ok(true);
    };
    let call = Call::plain(owner, "filter");
    let answer = invoke::test(vm, &call, filter, handles::character(vm.lua(), character)?);
    Ok(answer.unwrap_or_else(|failure| {
        invoke::report(vm, &call, failure);
        false
    }))
}

/// From now on a character counts as inside a watch.
pub(crate) fn note_inside(lua: &Lua, watch: WatchId, character: CharacterId, how: &'static str) {
    store::with(lua, |runtime| {
        let Some(record) = runtime.registered.handlers.watches.get_mut(&watch) else {
            return;
        };
        let now = runtime.owners.time_of(record.owner, runtime.clock.now);
        record.inside.insert(character, (how, now.after(record.handlers.every_ticks.max(1))));
    });
}
