//! `walkon path --map --scen`: answers the queries of a MovingAI scenario, and compares each cost with the
//! expected one.
//!
//! Holds: costs are those of the cells, not of the smoothed line: square-8, no corner cutting, unit cells;
//! a cost that differs from the file by more than a thousandth, and by more than the file's own rounding,
//! counts as wrong, and one wrong answer fails the command.

use std::path::Path;
use std::time::Instant;

use walkon_shell::{CommandFailure, Exit};

use super::args::{Format, PathArgs};
use crate::disk;
use crate::level::movingai::{MovingAiError, Scenario, map, scenarios};
use crate::nav::{Accept, NavMap, PathQuery, PathStatus, Search, Traversal};
use crate::shell::output::Results;

/// Largest map or scenario file.
const BYTES_MAX: u64 = 256 << 20;
/// Part of a length that an answer may differ by.
const TOLERANCE: f64 = 1e-3;

pub(super) fn run(
    args: &PathArgs,
    map_path: &Path,
    scen_path: &Path,
    results: &mut Results,
) -> Result<Exit, CommandFailure> {
    let refused = |path: &Path| {
        let path = path.display().to_string();
        move |error: MovingAiError| {
            CommandFailure::new(Exit::Level, format!("{path}:{}: {}", error.line, error.message))
        }
    };
    let mut nav = map(&text(map_path)?).map_err(refused(map_path))?;
    let list = scenarios(&text(scen_path)?).map_err(refused(scen_path))?;
    let by = Traversal::default();
    nav.prepare(&by);
    if let Some(other) = list.iter().find(|scenario| Some(scenario.size) != size_of(&nav)) {
        let [width, height] = other.size;
        log::warn!(
            "{}: the scenario is for a map of {width} x {height} cells, but {} is not that size",
            scen_path.display(),
            map_path.display()
        );
    }
    let mut search = Search::default();
    let mut sum = Sum::default();
    for scenario in list.iter().step_by(args.every.try_into().unwrap_or(usize::MAX)) {
        let began = Instant::now();
        let cost = answer(&nav, scenario, &mut search);
        let micros = began.elapsed().as_secs_f64() * 1e6;
        let is_right = is_right(scenario, cost);
        sum.add(micros);
        sum.wrong += u64::from(!is_right);
        if args.format == Format::Json || !is_right {
            results.line(&line(scenario, cost, micros))?;
        }
    }
    results.line(&sum.line())?;
    Ok(if sum.wrong == 0 { Exit::Ok } else { Exit::Failed })
}

fn size_of(nav: &NavMap) -> Option<[u32; 2]> {
    nav.cells().map(|cells| [cells.frame().width, cells.frame().depth])
}

fn text(path: &Path) -> Result<String, CommandFailure> {
    let failed = |why: &dyn std::fmt::Display| CommandFailure::io(format!("{}: {why}", path.display()));
    let bytes = disk::read_regular(path, BYTES_MAX).map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|_| failed(&"it is not UTF-8 text"))
}

/// The length of the best way over the cells; none where there is no way, or a cell is blocked or not on the
/// map.
fn answer(nav: &NavMap, scenario: &Scenario, search: &mut Search) -> Option<f64> {
    let cells = nav.cells()?;
    let frame = cells.frame();
    let is_free = |[x, z]: [u32; 2]| x < frame.width && z < frame.depth && cells.walkable(x, z);
    if !is_free(scenario.start) || !is_free(scenario.goal) {
        return None;
    }
    if scenario.start == scenario.goal {
        return Some(0.0);
    }
    let at = |[x, z]: [u32; 2]| frame.on_floor(frame.centre(x, z));
    let query = PathQuery {
        start: at(scenario.start),
        goal: at(scenario.goal),
        by: Traversal::default(),
        accept: Accept::Exact,
        goal_layer: None,
        expansions_max: u32::MAX,
        others: None,
    };
    let answer = nav.plan(&query, search);
    (answer.status == PathStatus::Complete).then(|| nav.metres(search.cost()))
}

fn is_right(scenario: &Scenario, cost: Option<f64>) -> bool {
    match cost {
        // 1 + 1 + the root of two is printed as 3.41 in some files: off by more than a thousandth, and right.
        Some(cost) => {
            (cost - scenario.optimal).abs() <= (TOLERANCE * scenario.optimal).max(scenario.rounding)
        }
        None => scenario.optimal == 0.0,
    }
}

fn line(scenario: &Scenario, cost: Option<f64>, micros: f64) -> String {
    let cost = cost.map_or_else(|| "null".to_owned(), |cost| format!("{cost:.6}"));
    format!(
        "{{\"bucket\":{},\"cost\":{cost},\"optimal\":{},\"micros\":{micros:.1}}}",
        scenario.bucket, scenario.optimal
    )
}

#[derive(Default)]
struct Sum {
    queries: u64,
    wrong: u64,
    micros: f64,
}

impl Sum {
    fn add(&mut self, micros: f64) {
        self.queries += 1;
        self.micros += micros;
    }

    fn line(&self) -> String {
        let mean = self.micros / (self.queries.max(1) as f64);
        format!("{{\"queries\":{},\"wrong\":{},\"meanMicros\":{mean:.1}}}", self.queries, self.wrong)
    }
}
