//! The numbers of a level that are neither map nor characters: crowd constants and limits.
//!
//! In: nothing. Out: defaults, each once, with its unit and its source. Not here: names and ranges in level
//! files (`level::settings`, `level::numbers`).

use crate::base::time::TickRate;

/// Seed 000's constants and ours, one value for the level (seed:K1).
#[derive(Clone, Debug, PartialEq)]
pub struct CrowdSettings {
    /// Distance at which a point counts as reached, metres. 0.05 (seed 000, WALK_THRESHOLD).
    pub walk_threshold_m: f32,
    /// A target that moved this far is planned for again, metres. 0.25 (seed 000).
    pub target_replan_threshold_m: f32,
    /// How far from the straight line characters count as obstacles, metres. 6 (seed 000).
    pub dynamic_obstacle_influence_m: f32,
    /// Part of a body's radius that counts as an obstacle. 0.6 (seed 000).
    pub dynamic_obstacle_radius_fraction: f32,
    /// How far a character steps aside, metres. 1.2 (seed 000).
    pub nudge_m: f32,
    /// How near a mover must be to a walker's segment for a new plan, metres. 1.8 (seed 000).
    pub replan_trigger_m: f32,
    /// Least game time between two such plans, milliseconds. 500 (seed 000).
    pub replan_cooldown_ms: f32,
    /// Distance at which walking up to a character ends, metres. 1.35 (seed 000, NPC_TALK_DISTANCE).
    pub npc_talk_distance_m: f32,
    /// Passes that push overlapping bodies apart in a sixtieth of a second; a step of the crowd has twice as
    /// many. 3 (seed 000).
    pub iterations: u32,
    /// A displacement that makes a character a mover, metres. 0.05 (seed 000).
    pub moved_eps_m: f32,
    /// Least game time between two nudges of one character, milliseconds. 500.
    pub nudge_cooldown_ms: f32,
    /// Whether bodies avoid each other before they touch.
    pub is_reciprocal: bool,
}

impl Default for CrowdSettings {
    fn default() -> Self {
        Self {
            walk_threshold_m: 0.05,
            target_replan_threshold_m: 0.25,
            dynamic_obstacle_influence_m: 6.0,
            dynamic_obstacle_radius_fraction: 0.6,
            nudge_m: 1.2,
            replan_trigger_m: 1.8,
            replan_cooldown_ms: 500.0,
            npc_talk_distance_m: 1.35,
            iterations: 3,
            moved_eps_m: 0.05,
            nudge_cooldown_ms: 500.0,
            is_reciprocal: true,
        }
    }
}

impl CrowdSettings {
    /// Least game time between two plans of one walker because of others, ticks.
    pub(crate) fn replan_cooldown_ticks(&self, rate: TickRate) -> u64 {
        rate.ticks(f64::from(self.replan_cooldown_ms) / 1000.0)
    }
}

/// The limits a level may set, by the names that levels use, with their defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelLimits {
    /// Safepoints for one call from the host.
    pub fuel_per_call: u64,
    /// Safepoints for all scripts of a tick, four for each unit that a function takes.
    pub fuel_per_tick: u64,
    /// Safepoints for the body of a file.
    pub fuel_at_load: u64,
    /// Memory of the level's scripts, MiB.
    pub memory_mib: u64,
    /// Coroutines resumed inside one another.
    pub coroutine_depth: u32,
    /// Tasks of one owner.
    pub tasks_per_owner: u32,
    /// Tasks of the level.
    pub tasks: u32,
    /// Timers of one owner.
    pub timers_per_owner: u32,
    /// Handlers and listeners of one owner.
    pub handlers_per_owner: u32,
    /// Watches of one owner.
    pub watches_per_owner: u32,
    /// Looks of senses along the ground in one tick.
    pub looks_per_tick: u32,
    /// Walks of one owner in one tick.
    pub walks_per_owner_per_tick: u32,
    /// Expansions of one search; none means the number of nodes of the map.
    pub expansions_per_path: Option<u32>,
    /// Events handed to scripts in one tick.
    pub events_per_tick: u32,
    /// Rounds of step 12.
    pub event_rounds: u32,
    /// Living characters.
    pub characters: u32,
    /// Plain data in one `state`, board or payload, KiB.
    pub state_kib: u64,
    /// Result of one string operation, KiB.
    pub string_kib: u64,
    /// Length of a pattern, bytes.
    pub pattern_bytes: u64,
    /// Elements of one table operation.
    pub table_elements: u64,
    /// Lines written in one tick.
    pub log_lines_per_tick: u32,
    /// Wall-clock milliseconds for one call; saves the process, never decides anything.
    pub watchdog_ms: u64,
}

impl Default for LevelLimits {
    fn default() -> Self {
        Self {
            fuel_per_call: 100_000,
            fuel_per_tick: 200_000,
            fuel_at_load: 1_000_000,
            memory_mib: 256,
            coroutine_depth: 16,
            tasks_per_owner: 256,
            tasks: 65_536,
            timers_per_owner: 256,
            handlers_per_owner: 256,
            watches_per_owner: 256,
            looks_per_tick: 512,
            walks_per_owner_per_tick: 4096,
            expansions_per_path: None,
            events_per_tick: 65_536,
            event_rounds: 8,
            characters: 10_000,
            state_kib: 256,
            string_kib: 1024,
            pattern_bytes: 200,
            table_elements: 100_000,
            log_lines_per_tick: 100,
            watchdog_ms: 200,
        }
    }
}

/// All of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Crowd constants.
    pub crowd: CrowdSettings,
    /// Limits.
    pub limits: LevelLimits,
    /// Node expansions in step 6 of each tick, shared by all searches.
    pub path_budget: u32,
}

impl Settings {
    /// How far a start, a goal or a spawn is snapped to walkable ground, metres (seed:A5). Fixed.
    pub const SNAP_M: f32 = 8.0;
}

impl Default for Settings {
    fn default() -> Self {
        Self { crowd: CrowdSettings::default(), limits: LevelLimits::default(), path_budget: 2000 }
    }
}
