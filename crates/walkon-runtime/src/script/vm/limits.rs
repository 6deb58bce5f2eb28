//! The limits of one level's scripts.
//!
//! In: the `limits` object of a level, where it names any. Out: the figures every other file of this module
//! counts against. Holds: each figure has a default and a hard maximum (`walkon limits`). Not here: the
//! counting.

use crate::world::ops::checks::PLAIN_DEPTH_MAX;
use crate::world::settings;

/// The limits of one level. Defaults are those of the reference, one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptLimits {
    /// Safepoints one call from the host may pass: loop turns, calls, returns, steps of a pattern match.
    pub fuel_per_call: u64,
    /// Safepoints of all calls of one tick, four for each unit that a function takes; what is left then waits
    /// for the next tick.
    pub fuel_per_tick: u64,
    /// Safepoints the body of one file may pass while it loads.
    pub fuel_at_load: u64,
    /// Memory of the level's VM above what the libraries take, MiB.
    pub memory_mib: u32,
    /// Coroutines of a script's own making that may run inside each other.
    pub coroutine_depth: u32,
    /// Size of one plain value: a `state`, a board, a payload, KiB.
    pub state_kib: u32,
    /// Result of one string function, KiB.
    pub string_kib: u32,
    /// Length of one pattern, bytes.
    pub pattern_bytes: u32,
    /// Elements one table function may touch or make.
    pub table_elements: u32,
    /// Printed lines of one tick; the rest is counted, not printed.
    pub log_lines_per_tick: u32,
    /// Wall-clock time of one call before the watchdog of the shell ends it, milliseconds.
    pub watchdog_ms: u32,
}

/// The Luau that is built in. Traces record it: fuel is counted in its safepoints, so another one counts
/// otherwise.
pub const LUAU_VERSION: &str = "0.740";

impl ScriptLimits {
    /// Longest subject a pattern is matched against, bytes. Plain searches have no such limit.
    pub const SUBJECT_BYTES: usize = 64 * 1024;
    /// Longest script text, bytes.
    pub const SOURCE_BYTES: usize = 1024 * 1024;
    /// Longest printed line and longest error message, bytes.
    pub const LINE_BYTES: usize = 4096;
    /// Files whose bodies run inside one another. Each takes two of the 200 calls of the C stack of Luau, and
    /// what they call takes some as well.
    pub const REQUIRE_DEPTH: usize = 64;
    /// Tables inside tables in plain data.
    pub const DATA_DEPTH: usize = PLAIN_DEPTH_MAX;
}

impl From<&settings::LevelLimits> for ScriptLimits {
    fn from(limits: &settings::LevelLimits) -> Self {
        let narrow = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        Self {
            fuel_per_call: limits.fuel_per_call,
            fuel_per_tick: limits.fuel_per_tick,
            fuel_at_load: limits.fuel_at_load,
            memory_mib: narrow(limits.memory_mib),
            coroutine_depth: limits.coroutine_depth,
            state_kib: narrow(limits.state_kib),
            string_kib: narrow(limits.string_kib),
            pattern_bytes: narrow(limits.pattern_bytes),
            table_elements: narrow(limits.table_elements),
            log_lines_per_tick: limits.log_lines_per_tick,
            watchdog_ms: narrow(limits.watchdog_ms),
        }
    }
}

/// The defaults of a level: they stand once, in `world::settings`.
impl Default for ScriptLimits {
    fn default() -> Self {
        Self::from(&settings::LevelLimits::default())
    }
}

#[cfg(test)]
mod tests {
    use super::LUAU_VERSION;

    #[test]
    fn the_version_of_luau_is_the_one_that_is_built_in() {
        let locked = include_str!("../../../../../Cargo.lock");
        let source = locked.split("name = \"luau0-src\"").nth(1).and_then(|rest| rest.split("+luau").nth(1));
        let built = source.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
        assert_eq!(built.as_deref(), LUAU_VERSION.strip_prefix("0."));
    }
}
