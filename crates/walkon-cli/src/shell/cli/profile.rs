//! `walkon profile`: prints the cost of a level's scripts, as a table.
//!
//! In: a level, a bound, the kind of rows. Out: a row for each file, character, callback, function or line
//! with its fuel, or one JSON object. Holds: fuel is the same on every machine; time is that of this one. Not
//! here: the sums (`script::state::profile`), files of other tools (`shell::profile_files`).

use std::fmt::Write as _;

use walkon_shell::project::find_level;
use walkon_shell::{CommandFailure, Exit};

use super::args::{Format, ProfileCommandArgs, ProfileRows};
use super::run::{Start, game_with};
use super::shell::Shell;
use crate::base::ordered;
use crate::base::suggestions::counted;
use crate::base::time::TickRate;
use crate::game::headless::{self, Bound, Onlooker, Report};
use crate::game::line::JsonLine;
use crate::script::state::profile::Use;
use crate::script::state::profile::report::Profile;
use crate::shell::interrupts::Interrupts;
use crate::shell::output::Results;
use crate::shell::profiling::Profiling;
use crate::shell::report::clean;

/// Game seconds of a profile that names no bound.
const SECONDS: f64 = 60.0;
/// Rows that are shown to people unless they ask for more or fewer.
const ROWS: usize = 20;

pub(super) fn run(
    shell: &Shell,
    args: &ProfileCommandArgs,
    results: &mut Results,
) -> Result<Exit, CommandFailure> {
    let found = find_level(&args.level)?;
    let level = shell.load(&found)?;
    let scripts = shell.scripts(&found, &level)?;
    let rate = TickRate::new(level.def.tick_rate).unwrap_or_default();
    let ticks_max = args.ticks.unwrap_or_else(|| rate.ticks(args.seconds.unwrap_or(SECONDS)));
    let bound = Bound { ticks_max, until: None, is_strict: false };
    let profiling = Profiling::new(args.every);
    let start = Start { scripts, seed: args.seed, args: args.args.clone(), from: None };
    let mut game = game_with(shell, &found, level, start, Some(profiling.setup()))?;
    let interrupts = Interrupts::listen();
    let watch = |_: &_, _: &_| if interrupts.asked().is_some() { Onlooker::Stop } else { Onlooker::GoOn };
    let report = headless::run(&mut game, &bound, watch);
    let profile = game.profile().unwrap_or_default();
    let rows = rows(&profile, args.by);
    let top = match args.format {
        Format::Human => args.top.unwrap_or(ROWS),
        Format::Json => args.top.unwrap_or(rows.len()),
    };
    let shown = &rows[..rows.len().min(top)];
    match args.format {
        Format::Human => {
            results.line(&table(&profile, shown, args.by, rate, &report))?;
            if rows.len() > shown.len() {
                let more = counted((rows.len() - shown.len()) as u64, "row");
                results.line(&format!("  {more} more; --top {} shows them", rows.len()))?;
            }
            if rows.is_empty() && args.by.is_sampled() && profile.fuel() > 0 {
                let too_few = format!("too few safepoints for a stack sample every {}", args.every);
                results.line(&format!("  {too_few}; --every 1 samples each"))?;
            }
        }
        Format::Json => results.line(&json(&profile, shown, &report))?,
    }
    match interrupts.asked() {
        Some(exit) => Err(CommandFailure::Told(exit)),
        None => Ok(Exit::Ok),
    }
}

/// One row: a name, and what it took. Of functions and lines only the fuel is known.
struct ProfileRow {
    who: String,
    used: Use,
    is_sampled: bool,
}

fn rows(profile: &Profile, by: ProfileRows) -> Vec<ProfileRow> {
    let whole = |who: String, used: &Use| ProfileRow { who, used: *used, is_sampled: false };
    let sampled =
        |who: String, fuel: u64| ProfileRow { who, used: Use { fuel, ..Use::default() }, is_sampled: true };
    let file = |file: &str| if file.is_empty() { "(no file)".to_owned() } else { file.to_owned() };
    let mut rows: Vec<ProfileRow> = match by {
        ProfileRows::Behaviour => profile.files.iter().map(|(name, used)| whole(file(name), used)).collect(),
        ProfileRows::Character => {
            profile.callers.iter().map(|(who, used)| whole(of_file(&who.name, &who.file), used)).collect()
        }
        ProfileRows::Callback => profile
            .calls
            .iter()
            .map(|(key, used)| {
                whole(of_file(&format!("{} {}", key.who.name, key.callback), &key.who.file), used)
            })
            .collect(),
        ProfileRows::Function => {
            profile.by_function().iter().map(|(function, fuel)| sampled(function.shown(), *fuel)).collect()
        }
        ProfileRows::Line => profile
            .by_line()
            .iter()
            .map(|((file, line), fuel)| sampled(format!("{file}:{line}"), *fuel))
            .collect(),
    };
    rows.retain(|row| row.used.fuel > 0 || row.used.calls > 0);
    let seen: u64 = rows.iter().map(|row| row.used.fuel).sum();
    if by.is_sampled() && seen > 0 && seen < profile.fuel() {
        // Between two looks at the stack, and where no code of a script stood on it.
        rows.push(sampled("(not seen)".to_owned(), profile.fuel() - seen));
    }
    ordered::sort_by(&mut rows, |one, other| {
        other.used.fuel.cmp(&one.used.fuel).then_with(|| one.who.cmp(&other.who))
    });
    rows
}

/// A name, with its file in brackets where it has one: what loads the files has none.
fn of_file(name: &str, file: &str) -> String {
    if file.is_empty() { name.to_owned() } else { format!("{name} ({file})") }
}

/// Widest name of a row.
const WHO_MAX: usize = 60;

fn table(profile: &Profile, rows: &[ProfileRow], by: ProfileRows, rate: TickRate, report: &Report) -> String {
    let whole = profile.fuel().max(1) as f64;
    let width = rows.iter().map(|row| row.who.chars().count()).max().unwrap_or(0).clamp(12, WHO_MAX);
    let mut text = format!(
        "{}: {:.1} s ({} ticks), fuel {}, {:.1} a tick",
        clean(&report.level),
        report.seconds,
        report.ticks,
        profile.fuel(),
        profile.fuel() as f64 / report.ticks.max(1) as f64
    );
    let (what, calls, time, worst) = (by.heading(), "calls", "us", "worst tick");
    let _ = match by.is_sampled() {
        true => write!(text, "\n  {what:<width$} {:>10} {:>7}", "fuel", "share"),
        false => {
            write!(text, "\n  {what:<width$} {calls:>8} {:>10} {time:>9} {:>7}  {worst}", "fuel", "share")
        }
    };
    for row in rows {
        let Use { calls, fuel, nanoseconds, worst_fuel, worst_tick } = row.used;
        let (who, share) = (clean(&row.who), fuel as f64 / whole * 100.0);
        let _ = write!(text, "\n  {who:<width$} ");
        if row.is_sampled {
            let _ = write!(text, "{fuel:>10} {share:>6.1}%");
            continue;
        }
        let us = nanoseconds as f64 / 1e3;
        let _ = write!(text, "{calls:>8} {fuel:>10} {us:>9.0} {share:>6.1}%  ");
        if worst_tick > 0 {
            let seconds = rate.seconds(crate::base::time::TickNumber(worst_tick));
            let _ = write!(text, "{worst_fuel} at {seconds:.2} s");
        }
    }
    text
}

fn json(profile: &Profile, rows: &[ProfileRow], report: &Report) -> String {
    let rows: Vec<String> = rows
        .iter()
        .map(|row| {
            let Use { calls, fuel, nanoseconds, worst_fuel, worst_tick } = row.used;
            let line = JsonLine::default().text("who", &row.who).count("fuel", fuel);
            if row.is_sampled {
                return line.finish();
            }
            let line = line.count("calls", calls).raw("us", &format!("{:.3}", nanoseconds as f64 / 1e3));
            line.count("worstFuel", worst_fuel).count("worstTick", worst_tick).finish()
        })
        .collect();
    JsonLine::default()
        .text("level", &report.level)
        .count("ticks", report.ticks)
        .count("fuel", profile.fuel())
        .hash("hash", report.hash)
        .raw("rows", &format!("[{}]", rows.join(",")))
        .finish()
}
