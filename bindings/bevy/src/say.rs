//! What a game says to a level, by commands.
//!
//! In: inputs for a level entity. Out: the same, heard in its next tick. Holds: inputs are heard in the order
//! in which they were said; those for an entity that is no level are lost. Not here: what they do.

use bevy_ecs::prelude::*;
use walkon::Input;

use crate::game::Waiting;

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
