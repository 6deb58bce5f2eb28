//! What can be said of a script without running it.
//!
//! In: the text of a file. Out: its first mistake of syntax, with its line. Holds: nothing of the text runs and no VM
//! is made. Not here: names and parameters, which only a run can know.

use crate::script::fault::{Failure, FaultKind};
use crate::script::sandbox;

/// Compiles a script as a level would, and forgets it. `path` is what messages call it.
///
/// # Errors
/// The first mistake of syntax.
pub fn syntax(path: &str, text: &str) -> Result<(), Failure> {
    match sandbox::compiler().compile(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(mistake(path, &error)),
    }
}

/// `2: expected ...` into its line and its sentence.
fn mistake(path: &str, error: &mlua::Error) -> Failure {
    let text = match error {
        mlua::Error::SyntaxError { message, .. } => message.clone(),
        other => other.to_string(),
    };
    let numbered = text.trim_start_matches(':').split_once(':');
    let numbered =
        numbered.and_then(|(line, sentence)| Some((line.trim().parse().ok()?, sentence.trim().to_owned())));
    let (line, message) = numbered.unwrap_or((0, text));
    Failure { kind: FaultKind::Error, message, traceback: String::new(), file: path.to_owned(), line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_of_syntax_is_named_with_its_line_and_nothing_runs() {
        assert_eq!(syntax("a.lua", "while true do end"), Ok(()));
        assert_eq!(syntax("a.lua", "error('never')"), Ok(()));
        let failure = syntax("a.lua", "local a = 1\nlocal = 2\n").unwrap_err();
        assert_eq!((failure.line, failure.file.as_str()), (2, "a.lua"), "{failure:?}");
        assert!(!failure.message.is_empty() && !failure.message.contains(":2:"), "{}", failure.message);
    }
}
