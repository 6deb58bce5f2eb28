//! Applies an edit of the level, or rolls it back when scripts refuse it.
//!
//! In: a new level, the world. Out: the world on it; or the world as it was, when the scripts refuse. Holds:
//! a rollback restores all of the world, so walks, watches, numbers and random streams are as before; only
//! the log shows what ran meanwhile. Not here: how a world comes onto a level (`level_reload`), references of
//! scripts to the discarded world (`script::host::reload`).

use crate::game::level_reload::{self, Edited, Origin, StagedLevel};
use crate::script::host::reload::{LevelBehaviours, LevelChange};
use crate::world::World;
use crate::world::event::Fact;

/// A level that is to take the place of the one that runs.
#[derive(Debug)]
pub(super) struct LevelEdit<'a> {
    origin: &'a mut Origin,
    staged: StagedLevel,
    before: Option<Box<(World, Origin)>>,
    /// What the edit has done, once it is applied.
    pub(super) edited: Edited,
}

impl<'a> LevelEdit<'a> {
    pub(super) fn new(origin: &'a mut Origin, staged: StagedLevel) -> Self {
        Self { origin, staged, before: None, edited: Edited::default() }
    }
}

impl LevelChange for LevelEdit<'_> {
    fn apply(&mut self, world: &mut World) -> LevelBehaviours {
        self.before = Some(Box::new((world.clone(), self.origin.clone())));
        self.edited = level_reload::apply(world, self.origin, self.staged.clone());
        self.edited.behaviours.clone()
    }

    fn take_back(&mut self, world: &mut World) {
        let Some(before) = self.before.take() else { return };
        let (before, origin) = *before;
        let told = before.events.recorded().len().min(world.events.recorded().len());
        let log: Vec<Fact> =
            world.events.recorded()[told..].iter().filter(|fact| is_log(fact)).cloned().collect();
        *world = before;
        *self.origin = origin;
        log.into_iter().for_each(|fact| world.events.push(fact));
    }
}

/// Whether a fact tells people of code that ran, and scripts of nothing.
fn is_log(fact: &Fact) -> bool {
    matches!(fact, Fact::Logged(_) | Fact::Faulted(_) | Fact::SwitchedOff(_) | Fact::Notice { .. })
}
