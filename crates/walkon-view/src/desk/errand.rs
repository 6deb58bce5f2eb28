//! What the desk is asked to do about files.

use serde_json::Value;
use walkon_runtime::game::inputs::Reload;
use walkon_runtime::level::Diagnostic;

use crate::client::Reply;

/// What another program saved.
#[derive(Debug, Default)]
pub struct SavedElsewhere {
    /// The texts.
    pub reload: Reload,
    /// What is wrong with the level, if that is refused.
    pub diagnostics: Vec<Diagnostic>,
}

/// Something to do about files.
#[derive(Debug)]
pub enum Errand {
    /// A command of a client.
    Command {
        /// All of it.
        command: Value,
        /// The way back to the client.
        reply: Reply,
    },
    /// Another program saved something.
    Saved(SavedElsewhere),
    /// The end.
    Stop,
}
