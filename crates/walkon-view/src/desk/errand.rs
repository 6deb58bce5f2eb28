//! Work for the desk.

use serde_json::Value;
use walkon_runtime::game::inputs::Reload;

use crate::client::Reply;

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
    Saved(Reload),
    /// The end.
    Stop,
}
