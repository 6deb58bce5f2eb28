//! Names in the declarations of tests: of test files, and of the levels that tests run in.
//!
//! In: paths, the name that a test gives. Out: whether a file holds tests; the one level that is meant, or a
//! sentence. Not here: finding out the tests of a file (`host::collect`), `test.level` itself
//! (`bind::test`).

use crate::base::suggestions;

/// Whether a file of that name holds tests.
#[must_use]
pub fn is_test_file(path: &str) -> bool {
    path.ends_with("_test.lua") || path.ends_with("_test.luau")
}

/// The level that `asked` means: its path below the level folders with or without suffix, or its stem while
/// that is unique.
///
/// # Errors
/// The end of a sentence: `unknown level "cript"; did you mean "crypt"?`.
pub fn resolve_level<'a>(levels: &'a [String], asked: &str) -> Result<&'a str, String> {
    let name = asked.strip_suffix(".json").unwrap_or(asked);
    let stem = |level: &str| level.rsplit('/').next().unwrap_or_default().to_owned();
    if let Some(exact) = levels.iter().find(|level| *level == name) {
        return Ok(exact);
    }
    let found: Vec<&String> = levels.iter().filter(|level| stem(level) == name).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => {
            let known = levels.iter().map(String::as_str);
            let hint =
                suggestions::did_you_mean(name, known).map_or_else(String::new, |hint| format!("; {hint}"));
            Err(format!("unknown level \"{asked}\"{hint}"))
        }
        several => {
            let names: Vec<&str> = several.iter().map(|name| name.as_str()).collect();
            Err(format!("\"{asked}\" is the name of {}; write one of them", names.join(" and ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_found_by_path_or_by_a_stem_that_is_unique() {
        let levels = ["crypt", "deep/crypt2", "a/hall", "b/hall"].map(str::to_owned);
        let cases = [
            ("crypt", Ok("crypt")),
            ("crypt.json", Ok("crypt")),
            ("crypt2", Ok("deep/crypt2")),
            ("a/hall", Ok("a/hall")),
            ("hall", Err("\"hall\" is the name of a/hall and b/hall; write one of them".to_owned())),
            ("cript", Err("unknown level \"cript\"; did you mean \"crypt\"?".to_owned())),
        ];
        for (asked, expected) in cases {
            assert_eq!(resolve_level(&levels, asked), expected, "{asked}");
        }
    }
}
