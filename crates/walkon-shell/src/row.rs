//! The row of a run: one line of JSON, and the exit code of the command that made it.
//!
//! In: the report of a run, how long it took. Out: the object that `run --format json` prints, an exit code.
//! Holds: this is the only place that writes it. Not here: what a run does
//! (`walkon_runtime::game::headless`).

use std::time::Duration;

use serde_json::Value;
use walkon_runtime::base::time::TickRate;
use walkon_runtime::game::headless::{Bound, Report, RunEnd};

use crate::exit::Exit;

/// Game seconds of a run that names no bound.
const SECONDS: f64 = 60.0;

/// When a run ends, as arguments say it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunBound {
    /// After this many ticks.
    pub ticks: Option<u64>,
    /// After this many game seconds, when no ticks are named; 60 when neither is.
    pub seconds: Option<f64>,
    /// At the event of this name.
    pub until: Option<String>,
    /// At the first fault of a script.
    pub is_strict: bool,
}

impl RunBound {
    /// The same for a level of this tick rate.
    #[must_use]
    pub fn at(&self, rate: TickRate) -> Bound {
        Bound {
            ticks_max: self.ticks.unwrap_or_else(|| rate.ticks(self.seconds.unwrap_or(SECONDS))),
            until: self.until.clone(),
            is_strict: self.is_strict,
        }
    }
}

/// The code that a run ends a command with.
#[must_use]
pub fn exit_of(report: &Report) -> Exit {
    Judged { ended: report.ended, is_reproducible: report.is_reproducible, ok: report.ok }.exit()
}

/// The same from the row of a run; none when the object is no row.
#[must_use]
pub fn exit_of_row(row: &Value) -> Option<Exit> {
    if row["error"].is_string() {
        return Some(if row["bug"] == true { Exit::Bug } else { Exit::Script });
    }
    const ENDS: [RunEnd; 6] =
        [RunEnd::Bound, RunEnd::Finish, RunEnd::Until, RunEnd::Fault, RunEnd::Limit, RunEnd::Signal];
    let ended = ENDS.into_iter().find(|end| row["ended"] == end.name())?;
    let (is_reproducible, ok) = (row["reproducible"].as_bool()?, row["ok"].as_bool()?);
    Some(Judged { ended, is_reproducible, ok }.exit())
}

/// What decides the code of a run.
struct Judged {
    ended: RunEnd,
    is_reproducible: bool,
    ok: bool,
}

impl Judged {
    fn exit(&self) -> Exit {
        match self.ended {
            RunEnd::Fault => Exit::Script,
            RunEnd::Limit => Exit::Limit,
            _ if !self.is_reproducible => Exit::Limit,
            RunEnd::Signal => Exit::Interrupted,
            RunEnd::Bound | RunEnd::Finish | RunEnd::Until if self.ok => Exit::Ok,
            RunEnd::Bound | RunEnd::Finish | RunEnd::Until => Exit::Failed,
        }
    }
}

/// The line of `--format json`.
#[must_use]
pub fn row(report: &Report, wall: Duration) -> String {
    let speed = report.seconds / wall.as_secs_f64().max(1e-9);
    let fields = report.fields().raw("wallSeconds", &format!("{:.6}", wall.as_secs_f64()));
    fields.raw("speed", &format!("{speed:.1}")).finish()
}
