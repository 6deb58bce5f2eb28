//! Inputs of a host to a level, as data.
//!
//! In: names, places in metres, texts. Out: the same as one closed list. Holds: an input is plain data and
//! names things by their names, so that a recording can repeat it. Not here: what inputs do (`apply_inputs`),
//! how scripts and levels are reloaded (`script::host::reload`, `level_reload`).

use std::collections::BTreeMap;

use crate::base::value::Plain;

/// Something the host tells the level.
///
/// ```
/// use walkon::{Event, Input, InputGoal};
/// # let mut game = walkon_runtime::example::game()?;
///
/// // Inputs name things by their names, so that a trace can repeat them.
/// let to = InputGoal::Named("well".to_owned());
/// let tick = game.tick(&[Input::Walk { character: "anna".to_owned(), to }]);
/// assert!(tick.events.iter().any(|event| matches!(event, Event::WalkStarted { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A key, a click, a message: an event under this name in step 12.
    Event {
        /// The name under which scripts hear it.
        name: String,
        /// Its payload, if it has one.
        payload: Option<Plain>,
    },
    /// The answer to a choice: to the one of that id under way, and to every later one that offers it. A
    /// later one that does not is asked. Answers to at most 4,096 ids are kept: one more is refused, or
    /// counts for the choice under way alone.
    Answer {
        /// Id of the choice: 1 to 128 bytes without control characters.
        id: String,
        /// The option that was picked: 1 to 256 bytes.
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
    /// A character walks, on behalf of the host.
    Walk {
        /// The character.
        character: String,
        /// Where to.
        to: InputGoal,
    },
    /// The walk of a character is cancelled.
    Stop {
        /// Whose.
        character: String,
    },
    /// A character is put somewhere.
    Teleport(InputTeleport),
    /// A character appears.
    Spawn(InputSpawn),
    /// A character is removed.
    Remove {
        /// The character.
        character: String,
    },
    /// A door is moved or locked.
    Door {
        /// Its name.
        door: String,
        /// What it is to do.
        order: DoorCommand,
    },
    /// An area or an obstacle is put in force or out of it.
    Area {
        /// Its name.
        area: String,
        /// Whether it is in force.
        is_available: bool,
    },
    /// The ground around a place is blocked: a barrel, a fallen tree.
    Block {
        /// Its name, which no block of the host has that is there.
        name: String,
        /// Its middle, metres.
        at: [f32; 3],
        /// How far from there nobody can stand, metres, 0.01 to 50.
        radius_m: f32,
        /// The layer of the map; none: the first.
        layer: Option<String>,
    },
    /// The ground of a block of the host is free again.
    Unblock {
        /// Its name.
        name: String,
    },
    /// A text of Luau runs in the environment of the level's script, in step 3 before anything else.
    Evaluate {
        /// An expression, or statements.
        text: String,
    },
    /// A player that answers choices is there, or gone: choices wait for [`Input::Answer`], or take their
    /// default.
    Attend {
        /// Whether a player is there.
        is_attended: bool,
    },
}

/// Where an [`Input::Walk`] leads.
#[derive(Clone, Debug, PartialEq)]
pub enum InputGoal {
    /// A place, metres.
    Point([f32; 3]),
    /// The mark of that name, else the character.
    Named(String),
}

/// A character is put somewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct InputTeleport {
    /// The character.
    pub character: String,
    /// The walkable point nearest to this is taken, metres.
    pub to: [f32; 3],
    /// Which way it looks there, radians about +y; as before when none is given.
    pub facing_rad: Option<f32>,
}

/// A character appears.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputSpawn {
    /// Its name, which nobody alive has.
    pub name: String,
    /// The walkable point nearest to this is taken, metres.
    pub at: [f32; 3],
    /// The behaviour that it gets, by the name of its file.
    pub behaviour: Option<String>,
    /// Parameters of the behaviour, a map.
    pub params: Option<Plain>,
    /// At most 64 tags, each as a name; its own name is added.
    pub tags: Vec<String>,
}

/// What a door is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoorCommand {
    /// Open, unless it is locked.
    Open,
    /// Close as soon as its doorway is clear.
    Close,
    /// Refuse to open from now on.
    Lock,
    /// Be locked no more, whatever key its lock wants.
    Unlock,
}

impl DoorCommand {
    /// Every command.
    pub const ALL: [Self; 4] = [Self::Open, Self::Close, Self::Lock, Self::Unlock];

    /// The word that traces use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Close => "close",
            Self::Lock => "lock",
            Self::Unlock => "unlock",
        }
    }
}

impl Input {
    /// The word that traces use for an input of this kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Event { .. } => "event",
            Self::Answer { .. } => "answer",
            Self::Continue { .. } => "continue",
            Self::Skip { .. } => "skip",
            Self::Reload(_) => "reload",
            Self::Walk { .. } => "walk",
            Self::Stop { .. } => "stop",
            Self::Teleport(_) => "teleport",
            Self::Spawn(_) => "spawn",
            Self::Remove { .. } => "remove",
            Self::Door { .. } => "door",
            Self::Area { .. } => "area",
            Self::Block { .. } => "block",
            Self::Unblock { .. } => "unblock",
            Self::Evaluate { .. } => "evaluate",
            Self::Attend { .. } => "attend",
        }
    }

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
