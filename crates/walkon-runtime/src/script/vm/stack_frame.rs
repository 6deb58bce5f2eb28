//! A stack frame of a script, and the limit of a traceback.
//!
//! In: nothing. Out: one struct. Not here: how frames are found (`fault`, `fuel::tripped`, `debug`).

/// Frames shown of a traceback; the rest is counted.
pub(crate) const FRAMES_SHOWN: usize = 20;

/// One frame of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackFrame {
    /// The script file, as messages name it.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The function, where it has a name.
    pub function: Option<String>,
}
