//! `walkon test`: runs every file of level tests, headlessly, in parallel.
//!
//! In: paths, options. Out: a line for each test, for a failure what, where and when, the last events, a map
//! and the command that repeats it; `N passed, N failed`, or one JSON object; JUnit XML in a file. Holds: the
//! order does not depend on the threads. Not here: running them (`shell::suite`).

use std::path::Path;

use walkon_shell::{CommandFailure, Exit};

use super::args::{Format, TestArgs};
use super::shell::Shell;
use crate::base::suggestions::counted;
use crate::game::line::{JsonLine, quoted};
use crate::game::testing::TestResult;
use crate::script::state::profile::Profile;
use crate::shell::debug::Connection;
use crate::shell::interrupts::Interrupts;
use crate::shell::junit;
use crate::shell::output::{AskedOutput, OutputFile, Results, Tone, refuse_shared, tell};
use crate::shell::profiling::Profiling;
use crate::shell::progress::ProgressWork;
use crate::shell::report::clean;
use crate::shell::suite::{self, FileResult, SuiteOrder, TestFile, TestNews, is_of_file};

pub(super) fn run(shell: &Shell, args: &TestArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
    let files = suite::files(&args.paths)?;
    let junit = args.junit.iter().map(|path| AskedOutput { option: "--junit", path });
    let profile = args.profile.profile.iter().map(|path| AskedOutput { option: "--profile", path });
    refuse_shared(&junit.chain(profile).collect::<Vec<_>>())?;
    let writes = args.junit.is_some() || args.profile.profile.is_some();
    let inputs = if writes { suite::inputs(&files)? } else { Vec::new() };
    let may_go = if args.force { |_: &[u8]| true } else { junit::is_report };
    let claim = |path| OutputFile::claim_over(path, &inputs, may_go);
    let junit = args.junit.as_deref().map(claim).transpose()?;
    let profiling = Profiling::asked(&args.profile, &inputs)?;
    profiling.as_ref().map_or(Ok(()), Profiling::refuse_chart)?;
    if junit.as_ref().is_some_and(OutputFile::is_stdout)
        || profiling.as_ref().is_some_and(Profiling::is_stdout)
    {
        *results = Results::stderr(&shell.general);
    }
    shell.more(|| format!("found {} of tests", counted(files.len() as u64, "file")));
    let interrupts = Interrupts::listen();
    let order = SuiteOrder {
        filter: args.filter.clone(),
        seed: args.seed,
        jobs: args.jobs,
        keeps_going: args.keep_going,
        debug: args.debug.map(|port| Connection::listen(port, interrupts.clone())).transpose()?,
        sample_every: profiling.as_ref().map(|_| args.profile.profile_every),
    };
    let mut bar = None;
    let done = suite::run(&files, &order, &interrupts, |news| {
        if let TestNews::Count(done, all) = news {
            let work = ProgressWork { name: "testing", unit: "runs", all };
            bar.get_or_insert_with(|| shell.progress(work)).reach(done);
            return Ok(());
        }
        if args.format == Format::Human { tell_news(shell, results, &news) } else { Ok(()) }
    })?;
    drop(bar);
    let done: Vec<(String, FileResult)> = files.iter().map(shown).zip(done).collect();
    let _time = (junit.is_some() || profiling.is_some()).then(|| interrupts.take_time());
    if let Some(target) = junit {
        target.write(junit::document(&done).as_bytes())?;
    }
    let (passed, failed) = tell_results(args, results, &done, profiling.as_ref())?;
    if let Some(exit) = interrupts.asked() {
        return Err(CommandFailure::Told(exit));
    }
    let exit = match (passed + failed, failed) {
        (0, _) => nothing_to_run(args)?,
        (_, 0) => Exit::Ok,
        _ => Exit::Failed,
    };
    if let Some(client) = &order.debug {
        client.finish(exit.code());
    }
    Ok(exit)
}

/// Writes the profile and the result of all tests; how many have passed, and how many have not.
fn tell_results(
    args: &TestArgs,
    results: &mut Results,
    done: &[(String, FileResult)],
    profiling: Option<&Profiling>,
) -> Result<(usize, usize), CommandFailure> {
    let tests = || done.iter().flat_map(|(_, file)| &file.tests);
    if let Some(profiling) = profiling {
        let mut sum = Profile::default();
        tests().filter_map(|test| test.profile.as_ref()).for_each(|profile| sum.add(profile));
        profiling.write("tests", &sum)?;
    }
    let count = |passed: bool| tests().filter(|test| test.result.passed == passed).count();
    let (passed, failed) = (count(true), count(false));
    match args.format {
        Format::Human => {
            tell_sum(results, passed, failed, done.iter().map(|(_, file)| file.stopped.len()).sum())?;
        }
        Format::Json => results.line(&json(done, passed, failed))?,
    }
    Ok((passed, failed))
}

/// `N passed, N failed`; with errors only, it is shown when there are some.
fn tell_sum(
    results: &mut Results,
    passed: usize,
    failed: usize,
    stopped: usize,
) -> Result<(), CommandFailure> {
    if failed + stopped == 0 && results.is_quiet() {
        return Ok(());
    }
    let tone = |count: usize, tone: Tone| if count > 0 { tone } else { Tone::Faint };
    let passed = results.paint(tone(passed, Tone::Good), &format!("{passed} passed"));
    let failed = results.paint(tone(failed, Tone::Bad), &format!("{failed} failed"));
    let stopped = if stopped > 0 { format!(", {stopped} not run: interrupted") } else { String::new() };
    results.line(&format!("{passed}, {failed}{stopped}"))
}

/// Nothing was run: a mistake when something was asked for.
fn nothing_to_run(args: &TestArgs) -> Result<Exit, CommandFailure> {
    if let Some(part) = &args.filter {
        return Err(CommandFailure::usage(format!("no test has \"{part}\" in its name")));
    }
    if !args.paths.is_empty() {
        return Err(CommandFailure::usage("there are no tests below the given paths")
            .help("files of tests end in _test.lua"));
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

fn tell_news(shell: &Shell, results: &mut Results, news: &TestNews<'_>) -> Result<(), CommandFailure> {
    match news {
        TestNews::Ended(file, test) if test.result.passed => {
            let result = &test.result;
            let as_expected = match result.outcome.name() {
                "pass" => String::new(),
                other => format!(" ({other}, as expected)"),
            };
            let more = if shell.general.verbose > 0 {
                let (seed, tick, seconds) = (result.seed, result.tick, test.took.as_secs_f64());
                results.paint(Tone::Faint, &format!(" (seed {seed}, {tick} ticks, {seconds:.2} s)"))
            } else {
                String::new()
            };
            let ok = results.paint(Tone::Good, "ok");
            results.report(&format!(
                "{ok}    {}: {}{as_expected}{more}",
                shown(file),
                clean(&result.name)
            ))?;
        }
        TestNews::Ended(file, test) => tell_failure(results, &shown(file), file, &test.result)?,
        TestNews::Skipped(file, count) => results.line(&format!(
            "      {}: {count} not run after this failure; --keep-going runs them",
            shown(file)
        ))?,
        TestNews::Count(..) => {}
    }
    results.flush()
}

fn tell_failure(
    results: &mut Results,
    path: &str,
    file: &TestFile,
    result: &TestResult,
) -> Result<(), CommandFailure> {
    let fail = results.paint(Tone::Bad, "FAIL");
    results.line(&format!("{fail}  {path}: {}", clean(&result.name)))?;
    let variant =
        result.variant.as_ref().map_or_else(String::new, |variant| format!(", variant {variant:?}"));
    let outcome = result.outcome.name();
    let when = match is_of_file(result) {
        true => String::new(),
        false => format!(" at tick {}, seed {}{variant}", result.tick, result.seed),
    };
    results.line(&format!("  {path}:{}: {outcome}{when}", result.line))?;
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
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    text.lines().nth(line.checked_sub(1)? as usize).map(str::to_owned)
}

/// The command that runs this test again, with this seed.
fn command(path: &str, result: &TestResult) -> String {
    if is_of_file(result) {
        return format!("walkon test {}", in_shell(path));
    }
    let (path, name) = (in_shell(path), in_shell(&result.name));
    // A name that begins like an option would be taken for one.
    let mark = if result.name.starts_with('-') { '=' } else { ' ' };
    format!("walkon test {path} --filter{mark}{name} --seed {}", result.seed)
}

/// A word as a shell takes it.
fn in_shell(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+=:".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", clean(word).replace('\'', "'\\''"))
}

/// `{"passed":7,"failed":1,"notRun":0,"interrupted":false,"tests":[...]}`.
fn json(done: &[(String, FileResult)], passed: usize, failed: usize) -> String {
    let tests: Vec<String> = done
        .iter()
        .flat_map(|(path, file)| file.tests.iter().map(move |test| (path, &test.result)))
        .map(|(path, result)| {
            let or_null = |text: &Option<String>| text.as_deref().map_or_else(|| "null".to_owned(), quoted);
            JsonLine::default()
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
    let files = || done.iter().map(|(_, file)| file);
    let stopped: usize = files().map(|file| file.stopped.len()).sum();
    let skipped: usize = files().map(|file| file.skipped.len()).sum();
    let line = JsonLine::default().count("passed", passed as u64).count("failed", failed as u64);
    let line = line.count("notRun", (skipped + stopped) as u64).flag("interrupted", stopped > 0);
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
