//! Handlers as scripts give them: functions, or names of functions of their owner.
//!
//! In: what bindings read out of arguments. Out: data that the scheduler keeps under the owner. Holds:
//! nothing here calls Lua. Not here: reading them (`script::step::handlers`), calling them
//! (`script::step::invoke`).

use mlua::Function;

use crate::base::hash::StateHash;

/// A handler: a function, or the name of one of the owner's.
#[derive(Clone, Debug)]
pub enum Callback {
    /// A function.
    Function(Function),
    /// Looked up in the owner when it is called.
    Named(String),
}

/// Handlers of a walk.
#[derive(Clone, Debug, Default)]
pub struct WalkHandlers {
    /// `onArrived`.
    pub arrived: Option<Callback>,
    /// `onFailed`.
    pub failed: Option<Callback>,
    /// `onCancelled`.
    pub cancelled: Option<Callback>,
    /// `onSettled`.
    pub settled: Option<Callback>,
    /// Those that are called before its end.
    pub underway: Underway,
}

/// Handlers of a walk that are called on its way.
#[derive(Clone, Debug, Default)]
pub struct Underway {
    /// `onStop` of a patrol.
    pub stop: Option<Callback>,
    /// `onWaypoint`.
    pub waypoint: Option<Callback>,
    /// `onNear`.
    pub near: Option<Callback>,
    /// `onBlocked`.
    pub blocked: Option<Callback>,
}

impl Callback {
    /// The name of a handler that is one: what outlives the code that gave it.
    pub(crate) fn name_of(handler: &Option<Self>) -> Option<String> {
        match handler {
            Some(Self::Named(name)) => Some(name.clone()),
            Some(Self::Function(_)) | None => None,
        }
    }
}

impl Underway {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        [&self.stop, &self.waypoint, &self.near, &self.blocked].iter().all(|handler| handler.is_none())
    }
}

impl WalkHandlers {
    /// Every handler there may be.
    pub(crate) fn each_mut(&mut self) -> [&mut Option<Callback>; 4] {
        [&mut self.arrived, &mut self.failed, &mut self.cancelled, &mut self.settled]
    }

    /// The handlers that are names, in the order they are declared.
    pub(crate) fn names(&self) -> Vec<String> {
        let Self { arrived, failed, cancelled, settled, underway: _ } = self;
        [arrived, failed, cancelled, settled].into_iter().filter_map(Callback::name_of).collect()
    }

    /// Drops the handlers that are functions; whether there were any.
    pub(crate) fn drop_functions(&mut self) -> bool {
        let mut dropped = false;
        for handler in self.each_mut() {
            if matches!(handler, Some(Callback::Function(_))) {
                *handler = None;
                dropped = true;
            }
        }
        dropped
    }
}

/// Handlers of a watch, and how they are called.
#[derive(Clone, Debug, Default)]
pub struct WatchHandlers {
    /// `onEnter`.
    pub enter: Option<Callback>,
    /// `onExit`.
    pub exit: Option<Callback>,
    /// `onStay`.
    pub stay: Option<Callback>,
    /// Ticks between calls of `onStay`.
    pub every_ticks: u64,
    /// Whether the watch removes itself after the first enter.
    pub once: bool,
    /// Whether those inside at the first look enter.
    pub initial: bool,
    /// A filter that is a function: called with the character.
    pub filter: Option<Function>,
}

impl WatchHandlers {
    /// Whether characters inside at the first look count without a word: a handler is told which of them stay
    /// or go out, or which pass a filter that is a function.
    #[must_use]
    pub fn count_in_silence(&self) -> bool {
        !self.initial && (self.exit.is_some() || self.stay.is_some() || self.filter.is_some())
    }
}

/// Handlers of a watch for characters.
#[derive(Clone, Debug, Default)]
pub struct SenseHandlers {
    /// `onNotice`.
    pub notice: Option<Callback>,
    /// `onLose`.
    pub lose: Option<Callback>,
    /// `onHear`.
    pub hear: Option<Callback>,
}

/// A predicate to be watched.
#[derive(Clone, Debug)]
pub struct WhenOrder {
    /// Asked for its answer; may not wait.
    pub predicate: Function,
    /// `onTrue`.
    pub on_true: Option<Callback>,
    /// `onFalse`.
    pub on_false: Option<Callback>,
    /// Ticks between tests.
    pub every_ticks: u64,
}

/// Mixes in which of these there are, and those that are names.
pub(crate) fn hash_callbacks<const COUNT: usize>(
    hash: &mut StateHash,
    callbacks: [&Option<Callback>; COUNT],
) {
    let kind = |callback: &Option<Callback>| match callback {
        None => 0,
        Some(Callback::Function(_)) => 1,
        Some(Callback::Named(_)) => 2,
    };
    hash.word(callbacks.iter().fold(0, |kinds, callback| kinds << 2 | kind(callback)));
    for callback in callbacks {
        if let Some(Callback::Named(name)) = callback {
            hash.text(name);
        }
    }
}
