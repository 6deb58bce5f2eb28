//! Things that a task can wait for, and how they ended.
//!
//! In: numbers of walks, tasks, timers and the like. Out: the same as one key; results as opaque values. Not
//! here: the waiting tasks (`tasks`), how handles keep results (`step::wait`).

use mlua::Value;

use crate::base::hash::StateHash;
use crate::base::ids::{GenerationalKey, PathToken, WalkId};

/// Something that is over some day, with a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wait {
    /// A walk; its result is a `WalkResult`.
    Walk(WalkId),
    /// A request about a door, by its number; its result is a `DoorResult`.
    DoorMove(u64),
    /// A path that was asked for; its result is a `PathResult`.
    Path(PathToken),
    /// A turn, by its number; its result is a boolean.
    Turn(u64),
    /// An animation, by its number; its result is a boolean.
    Play(u64),
    /// A timer or a cue; its result is a boolean.
    Timer(u64),
    /// A task; its result is the first value that its function returned.
    Task(u64),
    /// A scene; its result is a `SceneInfo`.
    Scene(u64),
    /// The next change of a key of a board; its result is the new value, nil when it was cleared.
    Change(u64),
}

/// How something came to its end.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// With a result.
    Value(Value),
    /// A task that failed, with its message.
    Failed(String),
    /// A task that was cancelled.
    Cancelled,
}

impl Wait {
    pub(crate) fn hash_into(self, hash: &mut StateHash) {
        let (kind, number) = match self {
            Self::Walk(id) => (1, id.bits()),
            Self::DoorMove(serial) => (2, serial),
            Self::Path(token) => (3, token.bits()),
            Self::Turn(serial) => (4, serial),
            Self::Play(serial) => (5, serial),
            Self::Timer(serial) => (6, serial),
            Self::Task(serial) => (7, serial),
            Self::Scene(serial) => (8, serial),
            Self::Change(serial) => (9, serial),
        };
        hash.word(kind).word(number);
    }
}
