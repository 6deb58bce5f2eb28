//! The place of code, a line of a script, for viewers.
//!
//! In: what the VM says of functions and coroutines. Out: the same as data. Not here: asking it
//! (`vm::shown`).

/// Where code of a script stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodePlace {
    /// The script file, as messages name it.
    pub file: String,
    /// Line in it, from 1.
    pub line: u32,
}
