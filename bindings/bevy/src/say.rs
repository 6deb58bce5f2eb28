//! What a game says to a level, by commands.
//!
//! In: inputs and saves for a level entity. Out: the same, heard in its next tick. Holds: inputs are heard in the order
//! in which they were said; those for an entity that is no level are lost. Not here: what they do.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use walkon::Input;

use crate::game::{Waiting, WalkonLevel};

/// Says something to the level of an entity.
pub trait SayExt {
    /// An input for its next tick: an event, an answer, a walk, a door, a teleport.
    fn say(&mut self, input: Input) -> &mut Self;
}

impl SayExt for EntityCommands<'_> {
    fn say(&mut self, input: Input) -> &mut Self {
        self.queue(move |mut level: EntityWorldMut<'_>| {
            if let Some(mut waiting) = level.get_mut::<Waiting>() {
                waiting.0.push(input);
            }
        })
    }
}

/// Goes back to a save of the level of an entity.
pub trait RestoreExt {
    /// The game goes on from what [`LiveGame::save`](walkon_shell::LiveGame::save) made, in place of the one under way;
    /// inputs that wait are dropped. What cannot be restored is told by `LevelRefused`.
    fn restore(&mut self, save: impl Into<Arc<[u8]>>) -> &mut Self;
}

impl RestoreExt for EntityCommands<'_> {
    fn restore(&mut self, save: impl Into<Arc<[u8]>>) -> &mut Self {
        let save = Some(save.into());
        self.queue(move |mut level: EntityWorldMut<'_>| {
            // Taken away and inserted, so that the same save may be gone back to twice.
            if let Some(asked) = level.take::<WalkonLevel>() {
                level.insert((WalkonLevel { save, ..asked }, Waiting::default()));
            }
        })
    }
}
