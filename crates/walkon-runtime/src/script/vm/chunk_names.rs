//! Names of chunks that are not script files.
//!
//! In: nothing. Out: the names that frames and messages show for such code. Not here: the names of files
//! (`files`).

/// The chunk name of the Lua files that are part of walkon; frames of it are not shown.
pub(crate) const OWN_CHUNK: &str = "[walkon]";

/// Whether a chunk is no script: ours, or one of mlua's own, such as that of `Function::bind`.
pub(crate) fn is_own(chunk: &str) -> bool {
    chunk == OWN_CHUNK || chunk.starts_with("__mlua_")
}

/// The beginning of names of texts that the host has evaluated: a number follows.
pub(crate) const CONSOLE: &str = "console:";

/// The name of the text of a question.
pub(crate) const QUESTION: &str = "question";
