//! `walkon test`: every file of level tests, headlessly, in parallel.
//!
//! In: paths, options. Out: a line for each test, for a failure what, where and when, the last events, a map and the command
//! that repeats it; `N passed, N failed`, or one JSON object; JUnit XML in a file. Holds: the same order whatever the
//! threads do. Not here: running them (`shell::suite`).

use std::path::Path;

use super::args::{Format, TestArgs};
use super::exit::{Exit, Failure};
use crate::game::line::{Line, quoted};
use crate::game::testing::TestResult;
use crate::shell::junit;
use crate::shell::output::{Results, Target, tell};
use crate::shell::report::clean;
use crate::shell::suite::{self, FileResult, Order, TestFile};
use crate::shell::watchdog::Interrupts;

pub(super) fn run(args: &TestArgs, results: &mut Results) -> Result<Exit, Failure> {
    let files = suite::files(&args.paths)?;
    let inputs: Vec<_> = files.iter().map(|file| file.root.join(&file.path)).collect();
    let junit = args
        .junit
        .as_deref()
        .map(|path| Target::claim_over(path, &inputs, args.force, junit::is_report))
        .transpose()?;
    let interrupts = Interrupts::listen();
    let order = Order {
        filter: args.filter.clone(),
        seed: args.seed,
        jobs: args.jobs.map(std::num::NonZero::get),
        keeps_going: args.keep_going,
    };
    let mut done: Vec<(String, FileResult)> = Vec::new();
    suite::run(&files, &order, &interrupts, |file, result| {
        let path = shown(file);
        if args.format == Format::Human {
            tell_file(results, &path, file, &result)?;
            results.flush()?;
        }
        done.push((path, result));
        Ok(())
    })?;
    if let Some(target) = junit {
        target.write(junit::document(&done).as_bytes())?;
    }
    let all = || done.iter().flat_map(|(_, file)| &file.tests);
    let (passed, failed) =
        (all().filter(|test| test.result.passed).count(), all().filter(|test| !test.result.passed).count());
    match args.format {
        Format::Human => results.line(&format!("{passed} passed, {failed} failed"))?,
        Format::Json => results.line(&json(&done, (passed, failed)))?,
    }
    if let Some(exit) = interrupts.asked() {
        return Err(Failure::Told(exit));
    }
    if passed + failed == 0 {
        return nothing_to_run(args);
    }
    Ok(if failed > 0 { Exit::Failed } else { Exit::Ok })
}

/// Nothing was run: a mistake when something was asked for.
fn nothing_to_run(args: &TestArgs) -> Result<Exit, Failure> {
    if let Some(part) = &args.filter {
        return Err(Failure::usage(format!("no test has \"{part}\" in its name")));
    }
    if !args.paths.is_empty() {
        return Err(
            Failure::usage("there are no tests below what was named").help("files of tests end in _test.lua")
        );
    }
    tell("there are no tests in this project: files of tests end in _test.lua");
    Ok(Exit::Ok)
}

/// A file as people find it: from the current folder when it lies below, else from the root of the disk.
fn shown(file: &TestFile) -> String {
    let whole = file.root.join(&file.path);
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    let short = here.ok().and_then(|here| whole.strip_prefix(here).ok().map(Path::to_path_buf));
    short.unwrap_or(whole).display().to_string()
}

fn tell_file(results: &mut Results, path: &str, file: &TestFile, done: &FileResult) -> Result<(), Failure> {
    for test in &done.tests {
        let result = &test.result;
        if result.passed {
            let as_expected = match result.outcome.name() {
                "pass" => String::new(),
                other => format!(" ({other}, as expected)"),
            };
            results.line(&format!("ok    {path}: {}{as_expected}", clean(&result.name)))?;
        } else {
            tell_failure(results, path, file, result)?;
        }
    }
    if done.skipped > 0 {
        results.line(&format!(
            "      {path}: {} not run after this failure; --keep-going runs them",
            done.skipped
        ))?;
    }
    Ok(())
}

fn tell_failure(
    results: &mut Results,
    path: &str,
    file: &TestFile,
    result: &TestResult,
) -> Result<(), Failure> {
    results.line(&format!("FAIL  {path}: {}", clean(&result.name)))?;
    let variant =
        result.variant.as_ref().map_or_else(String::new, |variant| format!(", variant {variant:?}"));
    let (outcome, tick, seed) = (result.outcome.name(), result.tick, result.seed);
    results.line(&format!("  {path}:{}: {outcome} at tick {tick}, seed {seed}{variant}", result.line))?;
    if let Some(message) = &result.message {
        for line in message.lines() {
            results.line(&format!("  {}", clean(line)))?;
        }
    }
    if let Some(line) = source_line(file, result.line) {
        results.line(&format!("  {:>4} | {}", result.line, clean(&line)))?;
    }
    if let Some(scene) = &result.scene {
        if !scene.events.is_empty() {
            results.line("  last events:")?;
        }
        for event in &scene.events {
            results.line(&format!("  {}", clean(event)))?;
        }
        for line in scene.map.lines() {
            results.line(&format!("  {line}"))?;
        }
    }
    results.line(&format!("  repeat: {}", command(path, result)))
}

/// The line of the test's file, as it stands on the disk.
fn source_line(file: &TestFile, line: u32) -> Option<String> {
    let text = std::fs::read_to_string(file.root.join(&file.path)).ok()?;
    text.lines().nth(line.checked_sub(1)? as usize).map(str::to_owned)
}

/// The command that runs this test again, with this seed.
fn command(path: &str, result: &TestResult) -> String {
    if result.name == result.file {
        return format!("walkon test {}", in_shell(path));
    }
    let (path, name) = (in_shell(path), in_shell(&result.name));
    format!("walkon test {path} --filter {name} --seed {}", result.seed)
}

/// A word as a shell takes it.
fn in_shell(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+=:".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", clean(word).replace('\'', "'\\''"))
}

/// `{"passed":7,"failed":1,"tests":[...]}`.
fn json(done: &[(String, FileResult)], (passed, failed): (usize, usize)) -> String {
    let tests: Vec<String> = done
        .iter()
        .flat_map(|(path, file)| file.tests.iter().map(move |test| (path, &test.result)))
        .map(|(path, result)| {
            let or_null = |text: &Option<String>| text.as_deref().map_or_else(|| "null".to_owned(), quoted);
            Line::default()
                .text("name", &result.name)
                .text("file", path)
                .count("line", u64::from(result.line))
                .text("outcome", result.outcome.name())
                .flag("passed", result.passed)
                .raw("variant", &or_null(&result.variant))
                .count("seed", result.seed)
                .count("tick", result.tick)
                .raw("message", &or_null(&result.message))
                .finish()
        })
        .collect();
    let line = Line::default().count("passed", passed as u64).count("failed", failed as u64);
    line.raw("tests", &format!("[{}]", tests.join(","))).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(in_shell("scripts/crypt_test.lua"), "scripts/crypt_test.lua");
        assert_eq!(in_shell("the guard's gate"), "'the guard'\\''s gate'");
        assert_eq!(in_shell(""), "''");
    }
}
