//! `walkon batch --merge`: merges the rows of shards.
//!
//! In: files of rows, the seeds that there should be. Out: every row on stdout, by level and seed, as one
//! batch would have printed them; the table of measures. Holds: nothing is printed unless every level has
//! every seed exactly once; rows of one run with different hashes are named as such, because then two
//! machines have not played the same game. Not here: making rows.

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Instant;

use serde_json::Value;
use walkon_shell::project::is_stream;
use walkon_shell::{CommandFailure, Exit, exit_of_row};

use super::table::{ResultTable, RunMeasures};
use crate::base::suggestions::counted;
use crate::disk;
use crate::shell::cli::args::BatchArgs;
use crate::shell::cli::shell::Shell;
use crate::shell::output::{Results, tell};
use crate::shell::report::clean;

/// Most problems that are told.
const TOLD_MAX: usize = 20;

pub(super) fn run(shell: &Shell, args: &BatchArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
    let began = Instant::now();
    let mut joined = JoinedRows::default();
    for path in &args.levels {
        joined.read(path)?;
    }
    joined.complete(args.seeds.as_ref());
    if let Some(failure) = joined.refusal() {
        return Err(failure);
    }
    let mut table = ResultTable::default();
    for ((level, seed), row) in &joined.rows {
        results.line(&row.line)?;
        table.add(&joined.levels[*level], *seed, row.exit, row.measures.as_ref());
    }
    results.flush()?;
    table.tell(shell, began.elapsed());
    Ok(table.worst)
}

/// A row, and where it stood.
struct MergedRow {
    line: String,
    hash: Option<String>,
    exit: Exit,
    measures: Option<RunMeasures>,
    place: String,
}

/// The rows of all shards.
#[derive(Default)]
struct JoinedRows {
    /// Names of levels, in the order in which they first appear.
    levels: Vec<String>,
    /// By place of the level among them, and seed.
    rows: BTreeMap<(usize, u64), MergedRow>,
    problems: Vec<String>,
    problem_count: usize,
    /// Whether two rows of one run have different hashes.
    differs: bool,
}

impl JoinedRows {
    fn read(&mut self, path: &Path) -> Result<(), CommandFailure> {
        let failed = |why: &dyn std::fmt::Display| CommandFailure::io(format!("{}: {why}", path.display()));
        let mut text = String::new();
        let read = if is_stream(path) {
            std::io::stdin().lock().read_to_string(&mut text)
        } else {
            let mut file = disk::open_regular(path).map_err(|error| failed(&error))?;
            file.read_to_string(&mut text)
        };
        read.map_err(|error| failed(&error))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        for (number, line) in text.lines().enumerate() {
            let place = format!("{}:{}", path.display(), number + 1);
            self.line(line, place).map_err(|place| {
                CommandFailure::io(format!("{place}: not a batch row, expected one JSON object per line"))
                    .help(
                        "a batch that was killed leaves a torn last line: remove it, and run the shard again",
                    )
            })?;
        }
        Ok(())
    }

    fn line(&mut self, line: &str, place: String) -> Result<(), String> {
        let Some((level, seed, row)) = row_of(line, &place) else { return Err(place) };
        let known = self.levels.iter().position(|own| *own == level);
        let index = known.unwrap_or_else(|| {
            self.levels.push(level.clone());
            self.levels.len() - 1
        });
        let Some(first) = self.rows.get(&(index, seed)) else {
            self.rows.insert((index, seed), row);
            return Ok(());
        };
        let run = format!("{} seed {seed}", clean(&level));
        let (one, other) = (&first.place, &row.place);
        let problem = if first.hash == row.hash {
            format!("{run} is there twice: {one}, {other}")
        } else {
            self.differs = true;
            let hash = |row: &MergedRow| row.hash.clone().unwrap_or_else(|| "none".to_owned());
            format!("{run} has the hash {} in {one} and {} in {other}", hash(first), hash(&row))
        };
        self.problem(problem);
        Ok(())
    }

    fn problem(&mut self, problem: String) {
        self.problem_count += 1;
        if self.problems.len() < TOLD_MAX {
            self.problems.push(problem);
        }
    }

    /// Sees to it that every level has every seed, and no other: those that were said, else those from the
    /// first to the last of all rows.
    fn complete(&mut self, seeds: Option<&RangeInclusive<u64>>) {
        let all = || self.rows.keys().map(|(_, seed)| *seed);
        let seeds = match (seeds, all().min(), all().max()) {
            (Some(seeds), ..) => seeds.clone(),
            (None, Some(first), Some(last)) => first..=last,
            _ => return self.problem("there are no rows".to_owned()),
        };
        let mut found = Vec::new();
        for (index, level) in self.levels.iter().enumerate() {
            let level = clean(level);
            let own = self.rows.range((index, 0)..=(index, u64::MAX)).map(|((_, seed), _)| *seed);
            // None behind the largest seed that there can be.
            let (mut next, mut strange) = (Some(*seeds.start()), 0_u64);
            for seed in own {
                if !seeds.contains(&seed) {
                    strange += 1;
                    continue;
                }
                if let Some(next) = next.filter(|next| *next < seed) {
                    found.push(gap(&level, next, seed - 1));
                }
                next = seed.checked_add(1);
            }
            if let Some(next) = next.filter(|next| next <= seeds.end()) {
                found.push(gap(&level, next, *seeds.end()));
            }
            if strange > 0 {
                let (first, last) = (seeds.start(), seeds.end());
                found.push(format!("{level} has {} outside {first}..{last}", counted(strange, "seed")));
            }
        }
        if self.levels.is_empty() {
            found.push("there are no rows".to_owned());
        }
        found.into_iter().for_each(|problem| self.problem(problem));
    }

    /// Says what is wrong, if anything is.
    fn refusal(&self) -> Option<CommandFailure> {
        if self.problem_count == 0 {
            return None;
        }
        self.problems.iter().for_each(|problem| tell(problem));
        let more = self.problem_count - self.problems.len();
        if more > 0 {
            tell(&format!("... and {more} more"));
        }
        let exit = if self.differs { Exit::Limit } else { Exit::Failed };
        let what = counted(self.problem_count as u64, "problem");
        let failure = CommandFailure::new(exit, format!("the shards do not join: {what}"));
        Some(failure.help("every shard of the same batch is needed, once, made by one version of walkon"))
    }
}

fn gap(level: &str, first: u64, last: u64) -> String {
    if first == last {
        format!("{level} seed {first} is missing")
    } else {
        format!("{level} seeds {first}..{last} are missing")
    }
}

/// Level and seed of a row, and what else is needed of it.
fn row_of(line: &str, place: &str) -> Option<(String, u64, MergedRow)> {
    let json: Value = serde_json::from_str(line).ok()?;
    let (level, seed) = (json["level"].as_str()?.to_owned(), json["seed"].as_u64()?);
    let row = MergedRow {
        line: line.to_owned(),
        hash: json["hash"].as_str().map(str::to_owned),
        exit: exit_of_row(&json)?,
        measures: measures(&json),
        place: place.to_owned(),
    };
    Some((level, seed, row))
}

/// What was measured in a run; none when it did not begin.
fn measures(row: &Value) -> Option<RunMeasures> {
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let own = [
        row["seconds"].as_f64()?,
        number(&row["walks"]["arrived"]),
        number(&row["walks"]["blocked"]),
        number(&row["faults"]),
    ];
    let named = row["measures"].as_object().into_iter().flatten();
    Some(RunMeasures::new(own, named.map(|(name, value)| (name.as_str(), number(value)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(level: &str, seed: u64, hash: &str) -> String {
        format!(
            r#"{{"level":"{level}","seed":{seed},"seconds":1.0,"ended":"bound","ok":true,"reproducible":true,"hash":"{hash}"}}"#
        )
    }

    fn joined(rows: &[String], seeds: Option<RangeInclusive<u64>>) -> JoinedRows {
        let mut joined = JoinedRows::default();
        for (number, line) in rows.iter().enumerate() {
            joined.line(line, format!("a:{number}")).unwrap();
        }
        joined.complete(seeds.as_ref());
        joined
    }

    #[test]
    fn rows_of_shards_in_any_order_join_by_level_and_seed() {
        let rows = [row("yard", 2, "b"), row("hall", 1, "c"), row("yard", 1, "a"), row("hall", 2, "d")];
        let joined = joined(&rows, Some(1..=2));
        assert_eq!(joined.problems, Vec::<String>::new());
        let hashes: Vec<_> = joined.rows.values().filter_map(|row| row.hash.as_deref()).collect();
        assert_eq!(hashes, ["a", "b", "c", "d"]);
    }

    #[test]
    fn gaps_doubles_and_differing_hashes_are_named() {
        let rows = [row("yard", 1, "a"), row("yard", 1, "a"), row("yard", 5, "e"), row("yard", 5, "f")];
        let within = joined(&rows, None);
        assert!(within.differs);
        assert_eq!(
            within.problems,
            [
                "yard seed 1 is there twice: a:0, a:1",
                "yard seed 5 has the hash e in a:2 and f in a:3",
                "yard seeds 2..4 are missing",
            ]
        );
        let all = joined(&[row("yard", 1, "a"), row("yard", 2, "b"), row("hall", 2, "c")], Some(2..=3));
        assert_eq!(
            all.problems,
            ["yard seed 3 is missing", "yard has 1 seed outside 2..3", "hall seed 3 is missing"]
        );
        assert_eq!(joined(&[], Some(1..=2)).problems, ["there are no rows"]);
        let last = joined(&[row("yard", u64::MAX - 2, "a"), row("yard", u64::MAX, "b")], None);
        assert_eq!(last.problems, ["yard seed 18446744073709551614 is missing"]);
    }

    #[test]
    fn what_is_no_row_is_none() {
        for line in ["", "{", "[]", "{\"level\":\"yard\"}", "{\"level\":\"yard\",\"seed\":1}"] {
            assert_eq!(JoinedRows::default().line(line, "a:1".to_owned()), Err("a:1".to_owned()), "{line}");
        }
    }
}
