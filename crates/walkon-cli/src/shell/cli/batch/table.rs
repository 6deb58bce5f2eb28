//! Summary table of many runs, for people.
//!
//! In: how each run ended, what was measured in it. Out: lines with the spread of every measure, the runs
//! that failed, those that were not made. Holds: memory does not grow with the runs. Not here: the rows
//! themselves.

use std::collections::BTreeMap;
use std::time::Duration;

use walkon_runtime::base::ordered;

use walkon_shell::Exit;

use crate::game::headless::Report;
use crate::shell::cli::shell::Shell;
use crate::shell::output::tell;
use crate::shell::report::clean;

/// Most seeds that are listed as failing.
const LISTED_MAX: usize = 10;

/// What the runs came to, for people.
#[derive(Default)]
pub(super) struct ResultTable {
    runs: usize,
    /// The highest code of the runs.
    pub worst: Exit,
    failing: Vec<String>,
    failed: usize,
    measures: BTreeMap<String, Distribution>,
    /// Level, first and last seed of runs that a signal kept from running, as many as are listed; and how
    /// many there are.
    missing: Vec<(String, u64, u64)>,
    missing_count: usize,
}

/// What was measured in one run, by name.
pub(super) struct RunMeasures(Vec<(String, f64)>);

impl RunMeasures {
    /// `own` are the four that every run has: seconds, walks that arrived and that were blocked, faults;
    /// `named` those of its script.
    pub fn new<'a>(own: [f64; 4], named: impl Iterator<Item = (&'a str, f64)>) -> Self {
        // Blanks in front sort them before those of scripts.
        let names = ["  seconds", "  arrived", "  blocked", "  faults"].map(str::to_owned);
        Self(names.into_iter().zip(own).chain(named.map(|(name, value)| (clean(name), value))).collect())
    }

    /// Those of a run that was made here.
    pub fn of(report: &Report) -> Self {
        let walks = &report.walks;
        let own = [report.seconds, walks.arrived as f64, walks.blocked as f64, report.faults as f64];
        Self::new(own, report.measures.iter().map(|(name, value)| (name.as_str(), *value)))
    }
}

/// Most values of a measure that are kept for its percentiles; of more, every second, fourth, ... one is.
const KEPT_MAX: usize = 1 << 20;

/// How the values of a measure are spread.
struct Distribution {
    sum: f64,
    count: u64,
    least: f64,
    most: f64,
    kept: Vec<f64>,
    /// Of how many values one is kept.
    stride: u64,
}

impl Default for Distribution {
    fn default() -> Self {
        Self {
            sum: 0.0,
            count: 0,
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
            kept: Vec::new(),
            stride: 1,
        }
    }
}

impl Distribution {
    fn add(&mut self, value: f64) {
        if self.count.is_multiple_of(self.stride) {
            if self.kept.len() >= KEPT_MAX {
                let mut index = 0;
                self.kept.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.stride *= 2;
            }
            if self.count.is_multiple_of(self.stride) {
                self.kept.push(value);
            }
        }
        self.count += 1;
        self.sum += value;
        (self.least, self.most) = (self.least.min(value), self.most.max(value));
    }

    /// The smallest values that 5, 50 and 95 of a hundred do not exceed.
    fn percentiles(&self) -> [f64; 3] {
        let mut sorted = self.kept.clone();
        ordered::sort_by(&mut sorted, f64::total_cmp);
        let rank = |percent: usize| (sorted.len() * percent).div_ceil(100).max(1) - 1;
        [5, 50, 95].map(|percent| sorted.get(rank(percent)).copied().unwrap_or(f64::NAN))
    }

    fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }
}

impl ResultTable {
    /// Shows the table of measures, and what is missing.
    pub fn tell(&self, shell: &Shell, took: Duration) {
        if !shell.is_quiet {
            self.lines(took.as_secs_f64()).iter().for_each(|line| tell(line));
        }
        if let Some(missing) = self.missing_words() {
            tell(&missing);
        }
    }

    /// Counts a run: of which level and seed, how it ended, and what was measured in it.
    pub fn add(&mut self, level: &str, seed: u64, exit: Exit, measured: Option<&RunMeasures>) {
        self.runs += 1;
        if exit.code() > self.worst.code() {
            self.worst = exit;
        }
        if exit != Exit::Ok {
            self.failed += 1;
            if self.failing.len() < LISTED_MAX {
                self.failing.push(format!("{} {} (exit {})", clean(level), seed, exit.code()));
            }
        }
        for (name, value) in measured.into_iter().flat_map(|measured| &measured.0) {
            self.measures.entry(name.clone()).or_default().add(*value);
        }
    }

    /// What there is to say, with the time that all of it took.
    pub fn lines(&self, wall_seconds: f64) -> Vec<String> {
        let mut lines = vec![format!(
            "{} runs in {wall_seconds:.2} s: {} ok, {} not",
            self.runs,
            self.runs - self.failed,
            self.failed
        )];
        if !self.measures.is_empty() {
            let heads = ["mean", "min", "p5", "p50", "p95", "max"].map(|head| format!("{head:>11}"));
            lines.push(format!("  {:<20} {}", "measure", heads.join(" ")));
        }
        for (name, spread) in &self.measures {
            let [p5, p50, p95] = spread.percentiles();
            let cells = [spread.mean(), spread.least, p5, p50, p95, spread.most];
            // What rounds to nothing has no sign.
            let cells = cells.map(|cell| format!("{:>11.3}", (cell * 1e3).round() / 1e3 + 0.0));
            lines.push(format!("  {:<20} {}", name.trim_start(), cells.join(" ")));
        }
        if !self.failing.is_empty() {
            let more = self.failed - self.failing.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            lines.push(format!("  failing: {}{more}", self.failing.join(", ")));
        }
        lines
    }

    /// A signal kept this one from running.
    pub fn miss(&mut self, level: &str, seed: u64) {
        self.missing_count += 1;
        if let Some((last, _, to)) = self.missing.last_mut()
            && last == level
            && *to + 1 == seed
        {
            *to = seed;
        } else if self.missing.len() <= LISTED_MAX {
            // One more than is shown, to know that there are more.
            self.missing.push((level.to_owned(), seed, seed));
        }
    }

    /// What was not run, when a signal came: by level, neighbouring seeds as one.
    pub fn missing_words(&self) -> Option<String> {
        if self.missing.is_empty() {
            return None;
        }
        let words = self.missing.iter().take(LISTED_MAX).map(|(level, from, to)| match from == to {
            true => format!("{} {from}", clean(level)),
            false => format!("{} {from}..{to}", clean(level)),
        });
        let words: Vec<String> = words.collect();
        let more = if self.missing.len() > LISTED_MAX { ", ..." } else { "" };
        let all = self.runs + self.missing_count;
        Some(format!("interrupted: {} of {all} not run: {}{more}", self.missing_count, words.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_so_many_do_not_exceed() {
        let spread = |values: &mut dyn Iterator<Item = u32>| {
            let mut spread = Distribution::default();
            values.for_each(|value| spread.add(f64::from(value)));
            spread
        };
        assert_eq!(spread(&mut (1..=100).rev()).percentiles(), [5.0, 50.0, 95.0]);
        assert_eq!(spread(&mut (7..=7)).percentiles(), [7.0, 7.0, 7.0]);
        assert_eq!(spread(&mut (1..=4)).percentiles(), [1.0, 2.0, 4.0]);
    }

    #[test]
    fn many_values_are_thinned_evenly() {
        let mut spread = Distribution::default();
        (0..3 * KEPT_MAX as u32).for_each(|value| spread.add(f64::from(value)));
        assert!(spread.kept.len() <= KEPT_MAX && spread.stride == 4);
        let [_, half, _] = spread.percentiles();
        assert!((half / (1.5 * KEPT_MAX as f64) - 1.0).abs() < 1e-3, "{half}");
        assert!(spread.kept.windows(2).all(|two| two[1] - two[0] == 4.0));
    }

    #[test]
    fn what_was_not_run_is_named_by_level_with_neighbouring_seeds_as_one() {
        let mut table = ResultTable { runs: 2, ..ResultTable::default() };
        assert_eq!(table.missing_words(), None);
        for (level, seed) in [("yard", 3), ("yard", 4), ("yard", 5), ("yard", 9), ("hall", 10)] {
            table.miss(level, seed);
        }
        let words = table.missing_words().unwrap();
        assert_eq!(words, "interrupted: 5 of 7 not run: yard 3..5, yard 9, hall 10");
    }
}
