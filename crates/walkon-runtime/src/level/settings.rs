//! The settings of a level: limits of scripts and searches, and how bodies follow paths and avoid one
//! another.
//!
//! In: the objects `limits` and `crowd`. Out: [`Limits`] and [`CrowdDef`]. Holds: counts are whole; lengths,
//! fractions and times need not be. Not here: the same settings in a world (`world/settings`).

use super::forms::{Count, Truth};
use super::numbers::Number;
use super::object::{Object as _, object};

const fn number(default: f64, min: f64, max: f64, unit: &'static str) -> Number {
    Number { default, min, max, unit }
}

object! {
    /// Crowd settings of a level.
    pub struct CrowdDef: Copy as "Crowd" {
        /// Distance at which a goal or a point of a path counts as reached, metres. Default radius of a walk.
        /// Smaller than what can be seen, larger than what rounding can miss.
        "walkThreshold" => walk_threshold_m: f64 [number(0.05, 0.001, 10.0, "metres")];
        /// How far a followed target may move before the walk plans again, metres. A target that creeps does
        /// not cost a search every tick.
        "targetReplanThreshold" => target_replan_threshold_m: f64 [number(0.25, 0.01, 100.0, "metres")];
        /// Standing bodies within this distance of the straight line from start to goal are planned around,
        /// metres. Bodies further away do not affect the search.
        "dynamicObstacleInfluenceDist" => dynamic_obstacle_influence_m: f64 [number(6.0, 0.0, 100.0, "metres")];
        /// Part of a standing body's radius that is planned around, without a unit. Below 1, because pushing
        /// keeps bodies apart at their full radius, and a plan that keeps less clear finds a way where two
        /// people narrow a passage.
        "dynamicObstacleRadiusFraction" => dynamic_obstacle_radius_fraction: f64 [number(0.6, 0.0, 2.0, "")];
        /// How far a standing body steps aside for a walker, metres. A body's width and the walker's, and a
        /// little room.
        "nudgeDist" => nudge_m: f64 [number(1.2, 0.0, 100.0, "metres")];
        /// Walkers whose way to the next point of their path passes within this distance of a character that
        /// came to stand, was moved or went away may plan again, metres. Generous, so that small corrections
        /// by pushing are no news.
        "replanTriggerDist" => replan_trigger_m: f64 [number(1.8, 0.0, 100.0, "metres")];
        /// Least game time between two plans of one walker for others in the way, milliseconds. At most two a
        /// second.
        "replanCooldownMs" => replan_cooldown_ms: f64 [number(500.0, 0.0, 60000.0, "milliseconds")];
        /// Distance between the middles of two bodies at which walking up to a character counts as arrived,
        /// metres. Near enough to talk. Default radius of a walk to a character.
        "npcTalkDistance" => npc_talk_distance_m: f64 [number(1.35, 0.01, 100.0, "metres")];
        /// Passes that push overlapping bodies apart in a sixtieth of a second; a step of the crowd has twice
        /// as many. One push makes the next overlap; three settle a small knot.
        "iterations" => iterations: f64 [Count(number(3.0, 1.0, 16.0, "passes"))];
        /// A body whose displacement adds up to this much has moved, metres. It adds up over ticks, so that
        /// the tick rate decides nothing.
        "movedEps" => moved_eps_m: f64 [number(0.05, 0.0, 10.0, "metres")];
        /// Least game time between two steps aside of one body, milliseconds. Long enough to have taken the
        /// first.
        "nudgeCooldownMs" => nudge_cooldown_ms: f64 [number(500.0, 0.0, 60000.0, "milliseconds")];
        /// Whether walkers avoid their neighbours before they touch.
        "reciprocal" => reciprocal: bool [or true, Truth];
    }
}

object! {
    /// How much the scripts and searches of a level may use.
    pub struct Limits: Copy as "Limits" {
        /// Safepoints of one call into a script.
        "fuelPerCall" => fuel_per_call: f64 [Count(number(100000.0, 100.0, 10000000.0, "safepoints"))];
        /// Safepoints of all scripts in one tick; the rest waits for the next. Calls of functions count as
        /// well: a unit of fuel, such as a node of a search, is four safepoints. So do behaviour trees: two
        /// nodes are one safepoint, and sixteen in each tick of a tree are free.
        "fuelPerTick" => fuel_per_tick: f64 [Count(number(200000.0, 100.0, 1000000000.0, "safepoints"))];
        /// Safepoints while a script file is loaded.
        "fuelAtLoad" => fuel_at_load: f64 [Count(number(1000000.0, 100.0, 100000000.0, "safepoints"))];
        /// Memory of all scripts of the level, and of what is kept for them, MiB.
        "memoryMiB" => memory_mib: f64 [Count(number(256.0, 4.0, 4096.0, "MiB"))];
        /// Coroutines that may resume one another.
        "coroutineDepth" => coroutine_depth: f64 [Count(number(16.0, 1.0, 128.0, "coroutines"))];
        /// Tasks of one owner at a time.
        "tasksPerOwner" => tasks_per_owner: f64 [Count(number(256.0, 1.0, 4096.0, "tasks"))];
        /// Tasks of the level at a time.
        "tasks" => tasks: f64 [Count(number(65536.0, 1.0, 1000000.0, "tasks"))];
        /// Timers of one owner at a time.
        "timersPerOwner" => timers_per_owner: f64 [Count(number(256.0, 1.0, 4096.0, "timers"))];
        /// Handlers of one owner at a time.
        "handlersPerOwner" => handlers_per_owner: f64 [Count(number(256.0, 1.0, 4096.0, "handlers"))];
        /// Watches of one owner at a time.
        "watchesPerOwner" => watches_per_owner: f64 [Count(number(256.0, 1.0, 4096.0, "watches"))];
        /// Looks of senses along the ground in one tick, all watches together; the rest waits for the next.
        "looksPerTick" => looks_per_tick: f64 [Count(number(512.0, 1.0, 1000000.0, "looks"))];
        /// Walks that one owner may begin in a tick.
        "walksPerOwnerPerTick" => walks_per_owner_per_tick: f64 [Count(number(4096.0, 1.0, 65536.0, "walks"))];
        /// Node expansions of one path search; 0 means the number of nodes of the map.
        "expansionsPerPath" => expansions_per_path: f64 [Count(number(0.0, 0.0, 4294967295.0, "expansions"))];
        /// Events delivered in one tick; the rest waits for the next, 65,536 of them at most.
        "eventsPerTick" => events_per_tick: f64 [Count(number(65536.0, 1.0, 1000000.0, "events"))];
        /// Rounds of events that answer events in one tick.
        "eventRounds" => event_rounds: f64 [Count(number(8.0, 1.0, 64.0, "rounds"))];
        /// Characters alive at a time.
        "characters" => characters: f64 [Count(number(10000.0, 0.0, 65536.0, "characters"))];
        /// Size of each `state`, board and payload, KiB.
        "stateKiB" => state_kib: f64 [Count(number(256.0, 1.0, 16384.0, "KiB"))];
        /// Longest text that one library call may make, KiB.
        "stringKiB" => string_kib: f64 [Count(number(1024.0, 1.0, 65536.0, "KiB"))];
        /// Longest pattern of a text search, bytes.
        "patternBytes" => pattern_bytes: f64 [Count(number(200.0, 1.0, 10000.0, "bytes"))];
        /// Most elements that one library call may touch in a table.
        "tableElements" => table_elements: f64 [Count(number(100000.0, 1.0, 10000000.0, "elements"))];
        /// Lines of log kept in one tick; more are counted.
        "logLinesPerTick" => log_lines_per_tick: f64 [Count(number(100.0, 0.0, 100000.0, "lines"))];
        /// Time on a processor that one call may take before the watchdog ends it, milliseconds. A file that
        /// loads may take five times as long.
        "watchdogMs" => watchdog_ms: f64 [number(200.0, 10.0, 60000.0, "milliseconds")];
    }
}

impl CrowdDef {
    /// Every number with its key, default and range.
    #[must_use]
    pub fn numbers() -> Vec<(&'static str, Number)> {
        Self::keys().into_iter().filter_map(|key| Some((key.name, (key.number)()?))).collect()
    }
}
