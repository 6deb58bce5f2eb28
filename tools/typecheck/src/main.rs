//! Luau's own analysis over walkon's editor definitions, under both of its solvers.
//!
//! In: a file of definitions, scripts. Out: one line for each solver and one for each thing that is wrong;
//! exit code 1 when anything is. `typecheck DEFINITIONS SCRIPT...` expects the scripts to be clean in strict
//! mode; `typecheck DEFINITIONS` alone expects every slip in `slips.lua` to be flagged in its line.

use std::process::ExitCode;

/// What a solver says of a script: lines, from 1, and sentences.
type Said = Vec<(u32, String)>;

/// A solver, by name.
struct Solver {
    name: &'static str,
    /// Checks a script in strict mode against definitions; a mistake in the definitions is in line 0.
    check: fn(definitions: &str, script: &str) -> Said,
}

/// The solver that most editors run.
const OLD: &str = "old solver";

/// Solvers that were built in.
const SOLVERS: &[Solver] = &[
    #[cfg(feature = "old")]
    Solver { name: OLD, check: old },
    #[cfg(feature = "new")]
    Solver { name: "new solver", check: new },
];

/// What makes the analysis strict; in the same line as the script's first.
const STRICT: &str = "--!strict\n";

#[cfg(feature = "old")]
fn old(definitions: &str, script: &str) -> Said {
    let checked = luaur_rt::check_with_definitions(&format!("{STRICT}{script}"), definitions);
    let all = checked.err().unwrap_or_default().into_iter();
    all.map(|own| (if own.in_definitions { 0 } else { own.line - 1 }, own.message)).collect()
}

#[cfg(feature = "new")]
fn new(definitions: &str, script: &str) -> Said {
    let checked = luau_analyze::Checker::new().and_then(|mut checker| {
        checker.add_definitions(definitions)?;
        checker.check(&format!("{STRICT}{script}"))
    });
    match checked {
        // Lint warnings are advice; what counts is what does not fit.
        Ok(result) => result.errors().into_iter().map(|own| (own.line, own.message.clone())).collect(),
        Err(error) => vec![(0, error.to_string())],
    }
}

/// A script of `slips.lua`.
struct Slip {
    script: String,
    /// The line that is wrong, from 1.
    line: u32,
    /// Whether only the old solver shows it.
    is_for_old: bool,
}

/// The scripts of `slips.lua`: each begins below a line `-- slip`, and is wrong in the line that ends in
/// `--!`.
fn slips(text: &str) -> Vec<Slip> {
    let parts = text.split("-- slip\n").skip(1);
    let slips = parts.map(|script| {
        let is_wrong = |line: &str| line.ends_with("--!") || line.ends_with("--! old");
        Slip {
            script: script.to_owned(),
            line: script.lines().position(is_wrong).map_or(0, |at| at as u32 + 1),
            is_for_old: script.lines().any(|line| line.ends_with("--! old")),
        }
    });
    slips.collect()
}

/// Every slip must be flagged in its line and nowhere else.
fn flagged(solver: &Solver, definitions: &str) -> u32 {
    let (mut asked, mut wrong) = (0, 0);
    for slip in slips(include_str!("../slips.lua")) {
        if slip.is_for_old && solver.name != OLD {
            continue;
        }
        asked += 1;
        let said = (solver.check)(definitions, &slip.script);
        if said.is_empty() || said.iter().any(|(line, _)| *line != slip.line) {
            wrong += 1;
            println!(
                "{}: expected a finding in line {}, got {said:?} for\n{}",
                solver.name, slip.line, slip.script
            );
        }
    }
    println!("{}: {asked} slips, {} flagged", solver.name, asked - wrong);
    wrong
}

/// Every script must be clean.
fn clean(solver: &Solver, definitions: &str, scripts: &[String]) -> u32 {
    let mut wrong = 0;
    for path in scripts {
        let said = match std::fs::read_to_string(path) {
            Ok(script) => (solver.check)(definitions, &script),
            Err(error) => vec![(0, error.to_string())],
        };
        wrong += u32::from(!said.is_empty());
        for (line, message) in said {
            println!("{}: {path}:{line}: {message}", solver.name);
        }
    }
    println!(
        "{}: {} scripts, {} clean in strict mode",
        solver.name,
        scripts.len(),
        scripts.len() as u32 - wrong
    );
    wrong
}

fn perform() -> u32 {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((path, scripts)) = arguments.split_first() else {
        println!("usage: typecheck DEFINITIONS [SCRIPT...]");
        return 1;
    };
    let definitions = match std::fs::read_to_string(path) {
        Ok(definitions) => definitions,
        Err(error) => {
            println!("{path}: {error}");
            return 1;
        }
    };
    let each = SOLVERS.iter().map(|solver| {
        let refused = (solver.check)(&definitions, "");
        for (_, message) in &refused {
            println!("{}: {path}: {message}", solver.name);
        }
        match scripts {
            _ if !refused.is_empty() => 1,
            [] => flagged(solver, &definitions),
            scripts => clean(solver, &definitions, scripts),
        }
    });
    each.sum()
}

fn main() -> ExitCode {
    // The analysis calls itself deeply.
    let wrong =
        std::thread::Builder::new().stack_size(256 << 20).spawn(perform).map(std::thread::JoinHandle::join);
    match wrong {
        Ok(Ok(0)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
