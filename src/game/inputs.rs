//! Step 1: what the host has to say.
//!
//! In: this tick's inputs. Out: facts for step 12. Holds: an input is plain data, so that a recording
//! can repeat it.

use crate::base::plain::Plain;
use crate::world::World;
use crate::world::event::Event;

/// Something the host tells the level: a key, a click, an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The name under which scripts hear it.
    pub name: String,
    /// Its payload, if it has one.
    pub payload: Option<Plain>,
}

/// Queues the inputs as facts.
pub fn run(world: &mut World, inputs: &[Input]) {
    for input in inputs {
        world.events.push(Event::Input { name: input.name.clone(), payload: input.payload.clone() });
    }
}
