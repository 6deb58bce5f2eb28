//! Every number that a level may set: its default, its range, its unit, and why.
//!
//! In: nothing. Out: one [`Number`] each. Holds: a default lies in its range. Not here: the keys that hold
//! them (`def`), settings of the whole level (`settings`). Source: seed 000's table of constants; the limits
//! of the fault catalogue.

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
    ($($(#[$doc:meta])* $name:ident: $default:literal, $min:literal to $max:literal, $unit:literal;)*) => {
        $(
            $(#[$doc])*
            pub const $name: Number = Number { default: $default, min: $min, max: $max, unit: $unit };
        )*

        /// Every number above, for the tests.
        #[cfg(test)]
        pub(crate) const ALL: &[(&str, Number)] = &[$((stringify!($name), $name)),*];
    };
}

numbers! {
    /// Width and depth of a cell. Finer than 0.01 m no map of a useful size fits the cell limit.
    CELL_SIZE: 0.4, 0.01 to 100.0, "metres";
    /// Half-width of the bodies that the walkable cells are cut for.
    AGENT_RADIUS: 0.45, 0.0 to 100.0, "metres";
    /// Extra distance kept from obstacles.
    OBJECT_PADDING: 0.25, 0.0 to 100.0, "metres";
    /// Distance kept from the outer edge of the areas. With 0 a body hangs over the edge by its radius.
    BOUNDARY_PADDING: 0.0, 0.0 to 100.0, "metres";
    /// Height of the floor.
    FLOOR_Y: 0.0, -1000000.0 to 1000000.0, "metres";
    /// Any coordinate. A million metres leave a single-precision position six centimetres of precision.
    COORDINATE: 0.0, -1000000.0 to 1000000.0, "metres";
    /// Price of a metre on an area. Search costs are fixed-point, so neither free nor endless ground exists.
    COST: 1.0, 0.1 to 100.0, "";
    /// Width or height of a tile.
    TILE_SIZE: 1.0, 0.01 to 100.0, "metres";
    /// What taking a way between layers costs, in metres of plain ground.
    LINK_COST: 1.0, 0.0 to 10000.0, "metres";
    /// Metres of a pixel of a map of Tiled. Its default is one tile, whatever that has in pixels.
    METRES_PER_PIXEL: 0.03125, 0.0001 to 100.0, "metres";
    /// Ticks per game second.
    TICK_RATE: 60.0, 10.0 to 240.0, "ticks per second";
    /// Seed of every random stream. Above 2^53 - 1 a JSON number is not exact.
    SEED: 1.0, 0.0 to 9007199254740991.0, "";
    /// Node expansions per tick, shared by all path searches.
    PATH_BUDGET: 2000.0, 1.0 to 100000000.0, "expansions";
    /// Time a door takes to open or close.
    DOOR_SECONDS: 0.6, 0.0 to 3600.0, "seconds";
    /// Game seconds that a minute of the clock takes.
    SECONDS_PER_MINUTE: 1.0, 0.001 to 3600.0, "seconds";
    /// A direction: 0 looks along +z, 90 along +x.
    FACING_DEGREES: 0.0, -360.0 to 360.0, "degrees";
    /// Half the width a body needs.
    RADIUS: 0.35, 0.05 to 10.0, "metres";
    /// How far from a link of a graph a body's middle may be.
    LINK_WIDTH: 0.125, 0.01 to 100.0, "metres";
    /// What a body steps over.
    STEP_HEIGHT: 0.4, 0.0 to 10.0, "metres";
    /// The steepest ground that can be walked.
    SLOPE_DEGREES: 45.0, 0.0 to 85.0, "degrees";
    /// Distance between the points of a graph that is generated.
    SPACING: 0.5, 0.05 to 100.0, "metres";
    /// The longest link of a graph that is linked; one and a half times the spacing when left out.
    LINK_DISTANCE: 0.75, 0.05 to 1000.0, "metres";
    /// The number of a point of a graph.
    POINT_NUMBER: 0.0, 0.0 to 1048575.0, "";
    /// Height of a body.
    HEIGHT: 1.8, 0.1 to 100.0, "metres";
    /// Speed of a walk.
    WALK_SPEED: 1.4, 0.01 to 50.0, "metres per second";
    /// Speed of a run; twice the walking speed when left out.
    RUN_SPEED: 2.8, 0.01 to 50.0, "metres per second";
    /// How fast a body turns.
    ROTATION_SPEED: 8.0, 0.01 to 1000.0, "radians per second";
    /// Radius of a round region.
    REGION_RADIUS: 1.0, 0.01 to 1000000.0, "metres";
}

/// How far from the origin a map may reach before it is warned of, metres. There a place is rounded to 4 mm,
/// a tenth of a step of the crowd at walking speed; at five times the distance walks get stuck.
pub const NEAR_ORIGIN_M: f64 = 50_000.0;
