//! Step 1: what the host has to say.
//!
//! In: this tick's inputs. Out: facts for step 12; what is to be reloaded, as one unit, for steps 2 and 3.
//! Holds: an input is plain data, so that a recording can repeat it; the list is closed. Not here: how
//! scripts and levels are reloaded (`script::reload`, `level_reload`).

use std::collections::BTreeMap;

use crate::base::value::Plain;
use crate::world::World;
use crate::world::event::Fact;

/// Something the host tells the level.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A key, a click, a message: an event under this name in step 12.
    Event {
        /// The name under which scripts hear it.
        name: String,
        /// Its payload, if it has one.
        payload: Option<Plain>,
    },
    /// The answer to a choice: to the one of that id under way, and to every later one.
    Answer {
        /// Id of the choice.
        id: String,
        /// The option that was picked.
        option: String,
    },
    /// The line under way in a scene is over: the player pressed on.
    Continue {
        /// Name of the scene; none: every scene.
        scene: Option<String>,
    },
    /// The host skips a scene.
    Skip {
        /// Name of the scene; none: the oldest.
        scene: Option<String>,
    },
    /// Changed texts of the project, one unit.
    Reload(Reload),
}

impl Input {
    /// An event of this name without a payload.
    #[must_use]
    pub fn event(name: &str) -> Self {
        Self::Event { name: name.to_owned(), payload: None }
    }

    /// The answer to a choice.
    #[must_use]
    pub fn answer(id: &str, option: &str) -> Self {
        Self::Answer { id: id.to_owned(), option: option.to_owned() }
    }
}

/// Changed texts of a project: all of it takes effect, or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reload {
    /// Script texts by path below the script folders, with suffix; none for a deleted file.
    pub scripts: BTreeMap<String, Option<String>>,
    /// The level and every file that it names, when one of those changed.
    pub level: Option<LevelTexts>,
}

/// A level file and every file that it names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelTexts {
    /// Path of the level file, as it was loaded.
    pub path: String,
    /// Contents by path, the level file among them.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Reload {
    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.scripts.is_empty() && self.level.is_none()
    }

    /// Takes a later reload of the same tick in: what it says of a file counts.
    pub fn merge(&mut self, later: Self) {
        self.scripts.extend(later.scripts);
        if later.level.is_some() {
            self.level = later.level;
        }
    }
}

/// Queues the events among the inputs as facts; what is to be reloaded comes back.
pub fn run(world: &mut World, inputs: &[Input]) -> Reload {
    let mut reload = Reload::default();
    for input in inputs {
        match input {
            Input::Event { name, payload } => {
                world.events.push(Fact::Input { name: name.clone(), payload: payload.clone() });
            }
            Input::Reload(texts) => reload.merge(texts.clone()),
            // These are for scenes; the game hands them to the scripts.
            Input::Answer { .. } | Input::Continue { .. } | Input::Skip { .. } => {}
        }
    }
    reload
}
