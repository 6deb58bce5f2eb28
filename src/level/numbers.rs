//! Every number that a level may set: its default, its range, its unit, and why.
//!
//! In: nothing. Out: one [`Number`] each, and the two lists `limits` and `crowd` as structs that are read,
//! documented and put into the schema from the same lines. Holds: a default lies in its range.
//! Source: seed 000's table of constants; the limits of the fault catalogue.

use super::json::{JsonReader, JsonValue};
use schemars::JsonSchema;

/// A number of a level: what it is when left out, and what it may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// Used when the key is left out.
    pub default: f64,
    /// Smallest value allowed.
    pub min: f64,
    /// Largest value allowed.
    pub max: f64,
    /// What it counts, as in "metres"; empty for pure numbers.
    pub unit: &'static str,
}

impl Number {
    const fn new(default: f64, min: f64, max: f64, unit: &'static str) -> Self {
        Self { default, min, max, unit }
    }

    /// Whether a value is allowed.
    #[must_use]
    pub fn holds(&self, value: f64) -> bool {
        self.min <= value && value <= self.max
    }

    /// The range as a sentence has it: `0.01 to 100 metres`.
    #[must_use]
    pub fn range(&self) -> String {
        let space = if self.unit.is_empty() { "" } else { " " };
        format!("{} to {}{space}{}", self.min, self.max, self.unit)
    }

    pub(crate) fn of_unit(&self) -> String {
        if self.unit.is_empty() { String::new() } else { format!(" of {}", self.unit) }
    }
}

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident $($default_fn:ident)?: $default:literal, $min:literal to $max:literal, $unit:literal;)*) => {
        $(
            $(#[$doc])*
            pub const $name: Number = Number::new($default, $min, $max, $unit);
            $(pub(crate) fn $default_fn() -> f64 { $name.default })?
        )*

        /// Every number above, for the tests.
        #[cfg(test)]
        pub(crate) const ALL: &[(&str, Number)] = &[$((stringify!($name), $name)),*];
    };
}

numbers! {
    /// Width and depth of a cell. Finer than 0.01 m no map of a useful size fits the cell limit.
    CELL_SIZE cell_size: 0.4, 0.01 to 100.0, "metres";
    /// Half-width of the bodies that the walkable cells are cut for.
    AGENT_RADIUS agent_radius: 0.45, 0.0 to 100.0, "metres";
    /// Extra distance kept from obstacles.
    OBJECT_PADDING object_padding: 0.25, 0.0 to 100.0, "metres";
    /// Distance kept from the outer edge of the areas. With 0 a body hangs over the edge by its radius.
    BOUNDARY_PADDING boundary_padding: 0.0, 0.0 to 100.0, "metres";
    /// Height of the floor.
    FLOOR_Y floor_y: 0.0, -1000000.0 to 1000000.0, "metres";
    /// Any coordinate. A million metres leave a single-precision position six centimetres of precision.
    COORDINATE: 0.0, -1000000.0 to 1000000.0, "metres";
    /// Price of a metre on an area. Search costs are fixed-point, so neither free nor endless ground exists.
    COST cost: 1.0, 0.1 to 100.0, "";
    /// Width or height of a tile.
    TILE_SIZE tile_size: 1.0, 0.01 to 100.0, "metres";
    /// What taking a way between layers costs, in metres of plain ground.
    LINK_COST link_cost: 1.0, 0.0 to 10000.0, "metres";
    /// Metres of a pixel of a map of Tiled. Its default is one tile, whatever that has in pixels.
    METRES_PER_PIXEL: 0.03125, 0.0001 to 100.0, "metres";
    /// Ticks per game second.
    TICK_RATE: 60.0, 10.0 to 240.0, "ticks per second";
    /// Seed of every random stream. Above 2^53 - 1 a JSON number is not exact.
    SEED: 1.0, 0.0 to 9007199254740991.0, "";
    /// Node expansions per tick, shared by all path searches.
    PATH_BUDGET: 2000.0, 1.0 to 100000000.0, "expansions";
    /// Time a door takes to open or close.
    DOOR_SECONDS door_seconds: 0.6, 0.0 to 3600.0, "seconds";
    /// A direction: 0 looks along +z, 90 along +x.
    FACING_DEGREES: 0.0, -360.0 to 360.0, "degrees";
    /// Half the width a body needs.
    RADIUS radius: 0.35, 0.05 to 10.0, "metres";
    /// How far from a link of a graph a body's middle may be.
    LINK_WIDTH link_width: 0.125, 0.01 to 100.0, "metres";
    /// What a body steps over.
    STEP_HEIGHT step_height: 0.4, 0.0 to 10.0, "metres";
    /// The steepest ground that can be walked.
    SLOPE_DEGREES slope_degrees: 45.0, 0.0 to 85.0, "degrees";
    /// Distance between the points of a graph that is generated.
    SPACING spacing: 0.5, 0.05 to 100.0, "metres";
    /// The longest link of a graph that is linked; one and a half times the spacing when left out.
    LINK_DISTANCE: 0.75, 0.05 to 1000.0, "metres";
    /// The number of a point of a graph.
    POINT_NUMBER: 0.0, 0.0 to 1048575.0, "";
    /// Height of a body.
    HEIGHT height: 1.8, 0.1 to 100.0, "metres";
    /// Speed of a walk.
    WALK_SPEED walk_speed: 1.4, 0.01 to 50.0, "metres per second";
    /// Speed of a run; twice the walking speed when left out.
    RUN_SPEED run_speed: 2.8, 0.01 to 50.0, "metres per second";
    /// How fast a body turns.
    ROTATION_SPEED rotation_speed: 8.0, 0.01 to 1000.0, "radians per second";
    /// Radius of a round region.
    REGION_RADIUS: 1.0, 0.01 to 1000000.0, "metres";
}

macro_rules! settings {
    (
        $(#[$doc:meta])* $name:ident;
        $($(#[$field_doc:meta])* $field:ident = $key:literal: $default:literal, $min:literal to $max:literal, $unit:literal;)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, JsonSchema)]
        #[schemars(deny_unknown_fields, default)]
        pub struct $name {
            $($(#[$field_doc])* #[schemars(rename = $key, range(min = $min, max = $max))] pub $field: f64,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default),* }
            }
        }

        impl $name {
            /// Key, default and range of every setting, in the order of the reference.
            pub const NUMBERS: &[(&str, Number)] = &[$(($key, Number::new($default, $min, $max, $unit))),*];

            /// Every setting with its value, by key, in the order of the reference.
            #[must_use]
            pub fn values(&self) -> Vec<(&'static str, f64)> {
                vec![$(($key, self.$field)),*]
            }

            fn set(&mut self, key: &str, value: f64) {
                match key {
                    $($key => self.$field = value,)*
                    _ => {}
                }
            }
        }
    };
}

settings! {
    /// How bodies follow paths, avoid one another and plan again. One value each for the whole level.
    Crowd;
    /// Distance at which a goal or a point of a path counts as reached, metres. Default radius of a walk.
    /// Smaller than what can be seen, larger than what rounding can miss.
    walk_threshold_m = "walkThreshold": 0.05, 0.001 to 10.0, "metres";
    /// How far a followed target may move before the walk plans again, metres. A target that creeps does not
    /// cost a search every tick.
    target_replan_threshold_m = "targetReplanThreshold": 0.25, 0.01 to 100.0, "metres";
    /// Standing bodies within this distance of the straight line from start to goal are planned around,
    /// metres. Anyone who stands further away does not affect the search.
    dynamic_obstacle_influence_m = "dynamicObstacleInfluenceDist": 6.0, 0.0 to 100.0, "metres";
    /// Part of a standing body's radius that is planned around, without a unit. Below 1, because pushing
    /// keeps bodies apart at their full radius, and a plan that keeps less clear finds a way where two people
    /// narrow a passage.
    dynamic_obstacle_radius_fraction = "dynamicObstacleRadiusFraction": 0.6, 0.0 to 2.0, "";
    /// How far a standing body steps aside for a walker, metres. A body's width and the walker's, and a
    /// little room.
    nudge_m = "nudgeDist": 1.2, 0.0 to 100.0, "metres";
    /// Walkers whose way to the next point of their path passes within this distance of somebody who came to
    /// stand, was moved or went away may plan again, metres. Generous, so that small corrections by pushing
    /// are no news.
    replan_trigger_m = "replanTriggerDist": 1.8, 0.0 to 100.0, "metres";
    /// Least game time between two plans of one walker for others in the way, milliseconds. At most two a
    /// second.
    replan_cooldown_ms = "replanCooldownMs": 500.0, 0.0 to 60000.0, "milliseconds";
    /// Distance between the middles of two bodies at which walking up to a character counts as arrived,
    /// metres. Near enough to talk. Default radius of a walk to a character.
    npc_talk_distance_m = "npcTalkDistance": 1.35, 0.01 to 100.0, "metres";
    /// Passes that push overlapping bodies apart in a sixtieth of a second; a step of the crowd has twice as
    /// many. One push makes the next overlap; three settle a small knot.
    iterations = "iterations": 3.0, 1.0 to 16.0, "passes";
    /// A body whose displacement adds up to this much has moved, metres. It adds up over ticks, so that the
    /// tick rate decides nothing.
    moved_eps_m = "movedEps": 0.05, 0.0 to 10.0, "metres";
    /// Least game time between two steps aside of one body, milliseconds. Long enough to have taken the
    /// first.
    nudge_cooldown_ms = "nudgeCooldownMs": 500.0, 0.0 to 60000.0, "milliseconds";
}

settings! {
    /// How much the scripts and searches of a level may use.
    Limits;
    /// Safepoints of one call into a script.
    fuel_per_call = "fuelPerCall": 100000.0, 100.0 to 10000000.0, "safepoints";
    /// Safepoints of all scripts in one tick, four for each unit that a function takes; the rest waits for
    /// the next.
    fuel_per_tick = "fuelPerTick": 200000.0, 100.0 to 1000000000.0, "safepoints";
    /// Safepoints while a script file is loaded.
    fuel_at_load = "fuelAtLoad": 1000000.0, 100.0 to 100000000.0, "safepoints";
    /// Memory of all scripts of the level, MiB.
    memory_mib = "memoryMiB": 256.0, 4.0 to 4096.0, "MiB";
    /// Coroutines that may resume one another.
    coroutine_depth = "coroutineDepth": 16.0, 1.0 to 128.0, "coroutines";
    /// Tasks of one owner at a time.
    tasks_per_owner = "tasksPerOwner": 256.0, 1.0 to 4096.0, "tasks";
    /// Tasks of the level at a time.
    tasks = "tasks": 65536.0, 1.0 to 1000000.0, "tasks";
    /// Timers of one owner at a time.
    timers_per_owner = "timersPerOwner": 256.0, 1.0 to 4096.0, "timers";
    /// Handlers of one owner at a time.
    handlers_per_owner = "handlersPerOwner": 256.0, 1.0 to 4096.0, "handlers";
    /// Watches of one owner at a time.
    watches_per_owner = "watchesPerOwner": 256.0, 1.0 to 4096.0, "watches";
    /// Walks that one owner may begin in a tick.
    walks_per_owner_per_tick = "walksPerOwnerPerTick": 4096.0, 1.0 to 65536.0, "walks";
    /// Node expansions of one path search; 0 means the number of nodes of the map.
    expansions_per_path = "expansionsPerPath": 0.0, 0.0 to 4294967295.0, "expansions";
    /// Events delivered in one tick; the rest waits for the next.
    events_per_tick = "eventsPerTick": 65536.0, 1.0 to 1000000.0, "events";
    /// Rounds of events that answer events in one tick.
    event_rounds = "eventRounds": 8.0, 1.0 to 64.0, "rounds";
    /// Characters alive at a time.
    characters = "characters": 10000.0, 0.0 to 65536.0, "characters";
    /// Size of each `state`, board and payload, KiB.
    state_kib = "stateKiB": 256.0, 1.0 to 16384.0, "KiB";
    /// Longest text that one library call may make, KiB.
    string_kib = "stringKiB": 1024.0, 1.0 to 65536.0, "KiB";
    /// Longest pattern of a text search, bytes.
    pattern_bytes = "patternBytes": 200.0, 1.0 to 10000.0, "bytes";
    /// Most elements that one library call may touch in a table.
    table_elements = "tableElements": 100000.0, 1.0 to 10000000.0, "elements";
    /// Lines of log kept in one tick; more are counted.
    log_lines_per_tick = "logLinesPerTick": 100.0, 0.0 to 100000.0, "lines";
    /// Real time that one call may take before the watchdog ends it, milliseconds.
    watchdog_ms = "watchdogMs": 200.0, 10.0 to 60000.0, "milliseconds";
}

/// Crowd settings of a level, the two truth values included.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema)]
#[schemars(rename = "Crowd", deny_unknown_fields, default)]
pub struct CrowdDef {
    /// The numbers.
    #[schemars(flatten)]
    pub numbers: Crowd,
    /// Whether walkers avoid their neighbours before they touch.
    pub reciprocal: bool,
}

impl Default for CrowdDef {
    fn default() -> Self {
        Self { numbers: Crowd::default(), reciprocal: true }
    }
}

impl JsonReader<'_> {
    /// The object `crowd`.
    pub(crate) fn crowd(&mut self, node: JsonValue<'_, '_>) -> Option<CrowdDef> {
        let mut crowd = CrowdDef::default();
        self.settings(node, Crowd::NUMBERS, Some(("reciprocal", &mut crowd.reciprocal)), |key, value| {
            crowd.numbers.set(key, value);
        })?;
        Some(crowd)
    }

    /// The object `limits`.
    pub(crate) fn limits(&mut self, node: JsonValue<'_, '_>) -> Option<Limits> {
        let mut limits = Limits::default();
        self.settings(node, Limits::NUMBERS, None, |key, value| limits.set(key, value))?;
        Some(limits)
    }

    fn settings(
        &mut self,
        node: JsonValue<'_, '_>,
        numbers: &'static [(&'static str, Number)],
        truth: Option<(&'static str, &mut bool)>,
        mut set: impl FnMut(&str, f64),
    ) -> Option<()> {
        let mut known: Vec<&str> = numbers.iter().map(|(key, _)| *key).collect();
        known.extend(truth.iter().map(|(key, _)| *key));
        let fields = self.fields(node, &known)?;
        for (key, number) in numbers {
            // Counts are whole; lengths, fractions and times need not be.
            let counts = !matches!(number.unit, "metres" | "milliseconds" | "");
            let value = self.optional(&fields, key, |reader, node| match counts {
                true => reader.whole(node, number).map(|value| value as f64),
                false => reader.number(node, number),
            });
            if let Some(value) = value {
                set(key, value);
            }
        }
        if let Some((key, target)) = truth
            && let Some(value) = self.optional(&fields, key, Self::truth)
        {
            *target = value;
        }
        Some(())
    }
}
