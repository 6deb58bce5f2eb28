//! The answers that a test gives to the choices of scenes.
//!
//! In: `t:answer`, choices as scenes ask them. Out: the answer to a choice, the failure of an answer that is
//! not one of its options. Holds: an answer counts from the moment it is given; the last answer to a choice
//! counts. Not here: choices under way and the answers of a host (`step::dialogue`), answers that nobody
//! asked for (`step::testing`).

use mlua::Lua;

use crate::script::state::test_run::{GivenAnswer, TestFailure};
use crate::script::step::testing::{place_in_test, with_run};
use crate::script::vm::shown_names::{shorten, suggestion};

/// The test answers a choice: also to the host, for one that is under way.
pub(crate) fn give(lua: &Lua, choice: String, option: String) {
    let (file, line) = place_in_test(lua).unwrap_or_default();
    with_run(lua, |run| {
        let given = GivenAnswer { option: option.clone(), file, line, is_asked: false };
        run.answers.given.insert(choice.clone(), given);
        run.asked.answers.push((choice, option));
    });
}

/// A choice is asked: the test's answer, if it gave one. An answer that is none of the options fails the test
/// where it was given.
pub(crate) fn asked(lua: &Lua, choice: &str, options: &[String]) -> Option<String> {
    let answer = with_run(lua, |run| {
        run.answers.asked.insert(choice.to_owned());
        let given = run.answers.given.get_mut(choice)?;
        given.is_asked = true;
        if options.contains(&given.option) {
            return Some(given.option.clone());
        }
        let hint = suggestion(&given.option, options.iter().map(String::as_str));
        let offered: Vec<String> = options.iter().map(|option| format!("\"{}\"", shorten(option))).collect();
        let message = format!(
            "answer: the choice \"{}\" has no option \"{}\", only {}{hint}",
            shorten(choice),
            shorten(&given.option),
            offered.join(", ")
        );
        run.failure.get_or_insert(TestFailure { message, file: given.file.clone(), line: given.line });
        None
    });
    answer.flatten()
}
