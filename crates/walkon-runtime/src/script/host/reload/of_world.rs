//! Rolls back what scripts know of a world, when the world is rolled back.
//!
//! In: the runtime before new code runs on a new level; the level that is taken back. Out: the runtime as it
//! fits the world of before. Holds: walks, scenes and attachments that new code began are dropped: their
//! numbers are given again. Not here: code, states, boards and random streams (`commit`).

use std::collections::{BTreeMap, BTreeSet};

use crate::base::ids::CharacterId;
use crate::base::ordered::CollectOrdered;
use crate::script::host::reload::level_change::LevelChange;
use crate::script::state::handlers::HandlersOfWalks;
use crate::script::state::runtime::Runtime;
use crate::script::state::scenes::ScenesBefore;
use crate::script::vm::{ScriptVm, lend, store};
use crate::world::World;
use crate::world::owner::Owner;

/// What is known of the world before new code runs.
#[derive(Debug)]
pub(super) struct OfWorld {
    walks: HandlersOfWalks,
    scenes: ScenesBefore,
    removed_by: BTreeMap<CharacterId, Owner>,
}

impl OfWorld {
    pub(super) fn of(runtime: &Runtime) -> Self {
        Self {
            walks: runtime.registered.handlers.of_walks(),
            scenes: runtime.cinematics.scenes.before(),
            removed_by: runtime.owners.removed_by.clone(),
        }
    }

    /// Takes the level back, and what new code has made of the world with it; there were `work` pieces of
    /// work before. The world is lent, the new code has ended.
    pub(super) fn go_back(self, vm: &ScriptVm, level: &mut dyn LevelChange, work: usize) {
        let lua = vm.lua();
        let behaviours = store::with(lua, |runtime| {
            let behaviours = &runtime.actors.behaviours;
            let owner_of = |(_, owner)| Some((behaviours.get(owner)?.character, owner));
            behaviours.in_order().filter_map(owner_of).collect::<Vec<_>>()
        });
        store::with(lua, |runtime| runtime.cinematics.scenes.go_back(self.scenes));
        let found = lend::with_world(lua, |world: &mut World| {
            level.take_back(world);
            let alive =
                behaviours.iter().filter(|(character, _)| world.characters.alive(*character).is_some());
            let mut alive: Vec<Owner> = alive.map(|(_, owner)| *owner).collect();
            let is_alive = |character| world.characters.alive(character).is_some();
            alive.extend(store::with(lua, |runtime| runtime.cinematics.scenes.going_on(is_alive)));
            let walks: BTreeSet<_> = world.walks.ids().collect_set();
            (alive, walks, world.events.waiting() as u64)
        });
        let Ok((alive, walks, facts)) = found else { return };
        store::with(lua, |runtime| {
            runtime.registered.handlers.go_back(self.walks, &walks);
            runtime.queue.forget_orders(work, facts);
            runtime.owners.removed_by = self.removed_by;
            alive.into_iter().for_each(|owner| runtime.owners.unmark_gone(owner));
        });
    }
}
