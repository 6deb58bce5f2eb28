//! The waits of tasks, and their results.
//!
//! In: waits that tasks ask for, results, handlers to be called. Out: what a waiting task is resumed with;
//! what is kept for an owner that stands still. Not here: the waiting tasks (`tasks`), what the end of an
//! entry means for its group (`step::task`).

use std::collections::BTreeMap;

use mlua::{Function, Value};

use crate::base::time::TickNumber;
use crate::script::state::callback::Callback;
use crate::script::state::code_name::CodeName;
use crate::script::state::dialogue::Dialogue;
use crate::script::state::wait::{Outcome, Wait};

/// Longest sleep, seconds: eleven days.
pub(crate) const SECONDS_MAX: f64 = 1e6;

/// Longest sleep, ticks.
pub(crate) const TICKS_MAX: i64 = 1_000_000_000;

/// The receiver of a result: a task, one of its waits, and the entry of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answering {
    pub(crate) task: u64,
    pub(crate) serial: u64,
    pub(crate) entry: Option<usize>,
}

/// What a wait returns in the task.
#[derive(Clone, Debug)]
pub(crate) enum WaitResult {
    /// These values.
    Values(Vec<Value>),
    /// A table of these entries.
    Table(Vec<(Value, Value)>),
    /// It raises.
    Error(String),
}

impl WaitResult {
    pub(crate) fn one(value: Value) -> Self {
        Self::Values(vec![value])
    }
}

impl From<Outcome> for WaitResult {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Value(value) => Self::one(value),
            Outcome::Failed(message) => Self::Error(message),
            Outcome::Cancelled => Self::one(Value::Nil),
        }
    }
}

/// Which wait over several entries it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupKind {
    All,
    Race,
    Timeout,
}

/// One entry of a group.
#[derive(Clone, Debug)]
pub(crate) struct GroupEntry {
    pub(crate) key: Value,
    pub(crate) wait: Wait,
    pub(crate) outcome: Option<Value>,
}

/// What a task waits for.
#[derive(Clone, Debug)]
pub(crate) enum TaskPause {
    /// A tick.
    Until(TickNumber),
    /// A predicate, tested each tick, of the function `asked_by`.
    Test { predicate: Function, deadline: Option<TickNumber>, asked_by: &'static str },
    /// An event.
    Event { name: String, test: Option<Function>, deadline: Option<TickNumber> },
    /// One thing; when `owned`, it ends with the task.
    One { wait: Wait, owned: bool },
    /// A line or a choice: until the host says so, or its time is over.
    Host(Box<Dialogue>),
    /// Several things, which end with the task.
    Group { kind: GroupKind, entries: Vec<GroupEntry>, deadline: Option<TickNumber> },
}

impl TaskPause {
    #[inline]
    pub(crate) fn deadline(&mut self) -> Option<&mut TickNumber> {
        match self {
            Self::Until(tick) => Some(tick),
            Self::Test { deadline, .. } | Self::Event { deadline, .. } | Self::Group { deadline, .. } => {
                deadline.as_mut()
            }
            Self::Host(prompt) => prompt.deadline.as_mut(),
            Self::One { .. } => None,
        }
    }

    /// When it is over by time alone.
    pub(crate) fn end(&self) -> Option<TickNumber> {
        match self {
            Self::Until(tick) => Some(*tick),
            Self::Test { deadline, .. } | Self::Event { deadline, .. } | Self::Group { deadline, .. } => {
                *deadline
            }
            Self::Host(prompt) => prompt.deadline,
            Self::One { .. } => None,
        }
    }
}

/// A wait that the running task has asked for: it begins when the task yields this serial.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) serial: u64,
    pub(crate) pause: TaskPause,
    /// Results that are there already, by entry.
    pub(crate) known: Vec<(Option<usize>, Outcome)>,
}

/// What reaches an owner; kept when it stands still.
#[derive(Clone, Debug)]
pub(crate) enum Delivery {
    /// A handler to be called.
    Handler { callback: Callback, payload: Value, label: CodeName, is_event: bool, with_receiver: bool },
    /// A task to be resumed.
    Resume { task: u64, serial: u64, answer: WaitResult },
}

impl Delivery {
    /// Whether it is for a handler that the code which comes after a reload or a load has as well: one that
    /// was given by name, or one in `on`.
    pub(crate) fn outlives_code(&self) -> bool {
        match self {
            Self::Handler { callback, with_receiver, .. } => {
                *with_receiver || matches!(callback, Callback::Named(_))
            }
            Self::Resume { .. } => false,
        }
    }

    /// The same for the code that has come in place of the old: handlers given by name, and events for
    /// listeners in `on`. What is left of the old code is gone.
    pub(crate) fn under(self, on: &BTreeMap<String, Function>) -> Option<Self> {
        match self {
            Self::Handler { payload, label, is_event, with_receiver: true, .. } => {
                let callback = Callback::Function(on.get(&*label)?.clone());
                Some(Self::Handler { callback, payload, label, is_event, with_receiver: true })
            }
            Self::Handler { callback: Callback::Named(_), .. } => Some(self),
            Self::Handler { .. } | Self::Resume { .. } => None,
        }
    }
}
