//! Areas and obstacles in the world: a name, and their state for the map.
//!
//! Out: states that scripts read back at once, although the map follows in step 5.

use crate::base::ids::DoorId;
use crate::nav::Veil;

/// The kind of an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AreaKind {
    /// Ground to walk on.
    Ground,
    /// An impassable zone.
    Obstacle,
}

/// Whether an area is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// Ground can be walked, an obstacle is in the way.
    Available,
    /// As if it were not there.
    Unavailable,
}

impl Availability {
    /// As scripts and inputs say it.
    #[must_use]
    pub fn of(is_available: bool) -> Self {
        if is_available { Self::Available } else { Self::Unavailable }
    }

    /// The same as an area keeps it.
    #[must_use]
    pub fn is_available(self) -> bool {
        self == Self::Available
    }
}

/// A named part of the map that can be toggled and priced.
#[derive(Clone, Debug, PartialEq)]
pub struct Area {
    /// Unique among areas and obstacles; may be empty for cells without an author's name.
    pub name: String,
    /// Ground or obstacle.
    pub kind: AreaKind,
    /// Whether it is in force: ground can be walked, an obstacle is in the way. As last asked for;
    /// the map follows in step 5.
    pub available: bool,
    /// Cost of a metre, 0.1 to 100. As last asked for.
    pub factor: f32,
    /// The door that rules it, if any.
    pub door: Option<DoorId>,
    /// What it does to looks.
    pub veil: Veil,
}
