//! Exit codes, and the last message of a command.
//!
//! Holds: one code for one kind of reason (README.md); the kind is decided where the reason is known. Not
//! here: printing (`report`), the codes of a run (`run`).

/// The exit codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    #[default]
    Ok,
    /// The run finished; what was expected of it did not come true.
    Failed,
    /// Wrong arguments.
    Usage,
    /// The level was refused.
    Level,
    /// A script failed as it was loaded or in `init`, or faulted under `--strict`.
    Script,
    /// Stopped by a limit or by the watchdog, or not repeatable.
    Limit,
    /// Something could not be read or written.
    Io,
    /// A bug of ours.
    Bug,
    /// SIGINT.
    Interrupted,
    /// SIGTERM.
    Terminated,
}

impl Exit {
    /// The number that the process ends with.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Level => 3,
            Self::Script => 4,
            Self::Limit => 5,
            Self::Io => 6,
            Self::Bug => 70,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }
}

/// Why a command ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandFailure {
    /// Nobody reads the results any more: ends quietly, as if done.
    Closed,
    /// It has been said already.
    Told(Exit),
    /// To be said.
    Message {
        /// How to end.
        exit: Exit,
        /// What was asked, what is wrong, what was expected.
        message: String,
        /// What to do about it.
        help: Option<String>,
    },
}

impl CommandFailure {
    /// Of this kind, without advice.
    #[must_use]
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self::Message { exit, message: message.into(), help: None }
    }

    /// Wrong arguments.
    #[must_use]
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Something could not be read or written.
    #[must_use]
    pub fn io(message: impl Into<String>) -> Self {
        Self::new(Exit::Io, message)
    }

    /// The same with advice.
    #[must_use]
    pub fn help(self, advice: impl Into<String>) -> Self {
        match self {
            Self::Message { exit, message, .. } => Self::Message { exit, message, help: Some(advice.into()) },
            other => other,
        }
    }

    /// How to end.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            Self::Closed => Exit::Ok,
            Self::Told(exit) | Self::Message { exit, .. } => *exit,
        }
    }
}
