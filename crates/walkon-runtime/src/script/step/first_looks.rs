//! Who counts as inside a watch: filters, and the first look of a watch that tells nobody of it.
//!
//! In: watches that have looked for the first time, characters inside. Out: the characters that count, whose
//! staying and going out is told. Holds: without `initial` those inside at the first look count like all
//! others, but for their entering; a watch that is switched off before it looks finds nobody so. Not here:
//! looking (`sim::regions`), calls of `onEnter`, `onStay` and `onExit` (`dispatch`).

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

/// Queues those whom watches found inside at their first look, in the order in which the watches were made.
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

/// Counts somebody who was inside at the first look.
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

/// Somebody counts as inside a watch from now on.
pub(crate) fn note_inside(lua: &Lua, watch: WatchId, character: CharacterId, how: &'static str) {
    store::with(lua, |runtime| {
        let Some(record) = runtime.registered.handlers.watches.get_mut(&watch) else {
            return;
        };
        let now = runtime.owners.time_of(record.owner, runtime.clock.now);
        record.inside.insert(character, (how, now.after(record.handlers.every_ticks.max(1))));
    });
}
