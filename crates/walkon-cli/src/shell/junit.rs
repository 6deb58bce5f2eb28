//! Writes test results as JUnit XML, for build servers.
//!
//! In: results by file. Out: one document. Holds: it is well-formed whatever names and messages contain;
//! characters that XML cannot hold are replaced. Not here: where it is written.

use std::fmt::Write as _;
use std::time::Duration;

use super::suite::{FileResult, is_of_file};
use crate::game::testing::{TestOutcome, TestResult};

/// Whether a file that begins like this is a report of tests.
pub(super) fn is_report(start: &[u8]) -> bool {
    let start = String::from_utf8_lossy(start);
    start.trim_start().starts_with("<?xml") || start.contains("<testsuite")
}

/// Files of tests by path, each with its result.
pub(super) type Suites<'a> = &'a [(String, FileResult)];

/// The document.
pub(super) fn document(suites: Suites<'_>) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let whole = suites.iter().fold(CaseCounts::default(), |whole, (_, file)| whole.and(CaseCounts::of(file)));
    put(&mut text, format_args!("<testsuites name=\"walkon\" {}>\n", whole.attributes()));
    for (path, file) in suites {
        let counts = CaseCounts::of(file).attributes();
        put(&mut text, format_args!("  <testsuite name=\"{}\" {counts}>\n", escaped(path)));
        for test in &file.tests {
            case(&mut text, path, &test.result, test.took);
        }
        for name in file.skipped.iter().chain(&file.stopped) {
            let (name, class) = (escaped(name), class_of(path));
            let open =
                format!("    <testcase name=\"{name}\" classname=\"{class}\" file=\"{}\"", escaped(path));
            put(&mut text, format_args!("{open} time=\"0.000\">\n      <skipped/>\n    </testcase>\n"));
        }
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

#[derive(Clone, Copy, Default)]
struct CaseCounts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    took: Duration,
}

impl CaseCounts {
    fn of(file: &FileResult) -> Self {
        let wrong = |errors: bool| {
            let wrong = file.tests.iter().filter(|test| !test.result.passed);
            wrong.filter(|test| is_error(test.result.outcome) == errors).count()
        };
        Self {
            tests: file.tests.len(),
            failures: wrong(false),
            errors: wrong(true),
            skipped: file.skipped.len() + file.stopped.len(),
            took: file.tests.iter().map(|test| test.took).sum(),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            tests: self.tests + other.tests,
            failures: self.failures + other.failures,
            errors: self.errors + other.errors,
            skipped: self.skipped + other.skipped,
            took: self.took + other.took,
        }
    }

    fn attributes(self) -> String {
        let Self { tests, failures, errors, skipped, took } = self;
        let tests = tests + skipped;
        let seconds = took.as_secs_f64();
        format!(
            "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.3}\""
        )
    }
}

fn class_of(path: &str) -> String {
    escaped(path.trim_end_matches(".luau").trim_end_matches(".lua"))
}

/// Whether a test could not say what it was to say.
fn is_error(outcome: TestOutcome) -> bool {
    matches!(outcome, TestOutcome::Fault | TestOutcome::Invalid)
}

fn case(text: &mut String, path: &str, result: &TestResult, took: Duration) {
    let (name, file) = (escaped(&result.name), escaped(path));
    let class = class_of(path);
    let open = format!(
        "    <testcase name=\"{name}\" classname=\"{class}\" file=\"{file}\" line=\"{}\" time=\"{:.3}\"",
        result.line,
        took.as_secs_f64()
    );
    if result.passed {
        put(text, format_args!("{open}/>\n"));
        return;
    }
    let tag = if is_error(result.outcome) { "error" } else { "failure" };
    let outcome = result.outcome.name();
    let message = result.message.as_deref().unwrap_or(outcome);
    put(text, format_args!("{open}>\n      <{tag} type=\"{outcome}\" message=\"{}\">", escaped(message)));
    put(text, format_args!("{}</{tag}>\n    </testcase>\n", escaped(&details(result))));
}

/// What a person reads of a failure.
fn details(result: &TestResult) -> String {
    let message = result.message.as_deref().unwrap_or_default();
    let variant =
        result.variant.as_ref().map_or_else(String::new, |variant| format!(", variant {variant:?}"));
    let mut text = format!("{message}\n");
    if !is_of_file(result) {
        put(&mut text, format_args!("tick {}, seed {}{variant}\n", result.tick, result.seed));
    }
    if let Some(scene) = &result.scene {
        put(&mut text, format_args!("last events:\n{}\n{}", scene.events.join("\n"), scene.map));
    }
    text
}

fn put(text: &mut String, part: std::fmt::Arguments<'_>) {
    // Writing into a String cannot fail.
    let _ = text.write_fmt(part);
}

/// Text that may stand in an attribute and between tags.
fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\n' => shown.push_str("&#10;"),
            '\t' => shown.push_str("&#9;"),
            // XML 1.0 has no way to write these.
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                shown.push('\u{fffd}')
            }
            letter => shown.push(letter),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_escaped_or_replaced() {
        assert_eq!(escaped("a<b & \"c\">\n\u{1b}[31m"), "a&lt;b &amp; &quot;c&quot;&gt;&#10;\u{fffd}[31m");
    }
}
