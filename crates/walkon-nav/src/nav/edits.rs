//! Edits of a map: areas, obstacles and cells that come, go or change their cost; and the part they touched.
//!
//! In: the edits of one tick. Out: one new revision and the part of the world it touches, or nothing when
//! nothing changed. Not here: where edits come from, doors, walks that must ask again.

use std::ops::{Deref, DerefMut, RangeInclusive};

use glam::Vec3;

use crate::base::geom::Bounds;
use crate::base::hash::mix;
use crate::base::ids::AreaId;
use crate::nav::Revision;

/// What a metre of an area or a cell may cost over a metre of plain ground.
pub const FACTOR_RANGE: RangeInclusive<f32> = 0.1..=100.0;

/// The factor within [`FACTOR_RANGE`] that is nearest to `factor`; plain ground for what is not a number.
pub(crate) fn clamp_factor(factor: f32) -> f32 {
    if factor.is_nan() { 1.0 } else { factor.clamp(*FACTOR_RANGE.start(), *FACTOR_RANGE.end()) }
}

/// A change to a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NavEdit {
    /// Of an area or obstacle.
    Area(AreaEdit),
    /// Of one cell.
    Tile(TileEdit),
    /// Of the points and links of a graph.
    Graph(GraphEdit),
}

/// A change to the points and links of a graph. An impossible change changes nothing, nor does any on a map
/// of another kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GraphEdit {
    /// One more point, numbered as many as there were, without links.
    Add(Vec3),
    /// A link between two points, both ways.
    Link([u32; 2]),
    /// The link between two points goes.
    Unlink([u32; 2]),
}

/// A change to one cell. Fields that are None stay as they are; cells beyond the map change nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileEdit {
    /// The layer it lies on; 0 on maps without layers.
    pub layer: u8,
    /// Column and row, as the map stores them.
    pub cell: [u32; 2],
    /// Whether it can be walked on. Where areas are given cell by cell, a cell of an area is walkable only
    /// while the area is available too.
    pub walkable: Option<bool>,
    /// Cost of a metre in it over a metre of plain ground; kept within 0.1 to 100.
    pub factor: Option<f32>,
    /// The directions in which it may not be left: bit d for direction d, clockwise from +x seen from above;
    /// for diagonals see [`CellSource::leave`](crate::nav::CellSource::leave).
    pub leave: Option<u8>,
}

/// A change to one area or obstacle. Fields that are None stay as they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AreaEdit {
    /// Which one: areas first, then obstacles, in level order. Unknown ids change nothing.
    pub area: AreaId,
    /// Whether it is there: an area can be walked on while available, an obstacle blocks while available.
    pub available: Option<bool>,
    /// Cost of a metre in it over a metre of plain ground; kept within 0.1 to 100. Nothing for obstacles.
    pub factor: Option<f32>,
}

/// One cell by itself, whatever areas and obstacles lie there: see [`TileEdit`] for the fields.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the edit says what the fields are")]
pub struct SingleTile {
    pub walkable: bool,
    pub factor: f32,
    pub leave: u8,
}

/// Whether an area or obstacle is there, and what a metre in it costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AreaState {
    pub(crate) available: bool,
    pub(crate) factor: f32,
}

impl AreaState {
    /// Edits an area. A factor that is not finite changes nothing.
    pub(crate) fn edit_area(&mut self, edit: &AreaEdit) {
        self.edit_obstacle(edit);
        if let Some(factor) = edit.factor.filter(|factor| factor.is_finite()) {
            self.factor = clamp_factor(factor);
        }
    }

    /// Edits an obstacle, which has no factor.
    pub(crate) fn edit_obstacle(&mut self, edit: &AreaEdit) {
        self.available = edit.available.unwrap_or(self.available);
    }

    /// The share of the area of that number in the hash of the state: nothing while it is as at first.
    fn share(&self, at: usize, initial: &Self) -> u64 {
        if self == initial {
            return 0;
        }
        let value = u64::from(self.factor.to_bits()) << 1 | u64::from(self.available);
        mix(mix(at as u64 + 1) ^ value)
    }
}

/// The states of the areas and obstacles of a map, by number: those it was made with, then obstacles that
/// were added.
#[derive(Clone, Debug, Default)]
pub(crate) struct AreaStates {
    states: Vec<AreaState>,
    initial: Vec<AreaState>,
    authored: usize,
}

impl AreaStates {
    /// As a map was made with them.
    pub(crate) fn new(states: Vec<AreaState>) -> Self {
        Self { initial: states.clone(), authored: states.len(), states }
    }

    /// How many the map was made with; those from there on were added later.
    pub(crate) fn authored(&self) -> usize {
        self.authored
    }

    /// How an area was at first.
    pub(crate) fn initial(&self, area: AreaId) -> &AreaState {
        &self.initial[area.index()]
    }

    /// Whether an area or obstacle is there.
    pub(crate) fn is_in_force(&self, id: AreaId) -> bool {
        self.get(id.index()).is_some_and(|state| state.available)
    }

    /// The number for another obstacle: that of one added before which is neither used nor in force, else the
    /// next.
    pub(crate) fn free_obstacle(&self, used: &[AreaId], is_in_force: impl Fn(AreaId) -> bool) -> AreaId {
        let mut is_used = vec![false; self.len()];
        for id in used {
            if let Some(is_used) = is_used.get_mut(id.index()) {
                *is_used = true;
            }
        }
        let mut added = (self.authored..self.len()).map(AreaId::from);
        let free = added.find(|id| !is_in_force(*id) && !is_used[id.index()]);
        free.unwrap_or_else(|| AreaId::from(self.len()))
    }

    /// Adds an obstacle, which is not in force.
    pub(crate) fn add_obstacle(&mut self) {
        let state = AreaState { available: false, factor: 1.0 };
        self.states.push(state);
        self.initial.push(state);
    }

    /// Those that are not as they were before.
    pub(crate) fn changed_since(&self, before: &[AreaState]) -> Vec<usize> {
        (0..before.len()).filter(|&at| before[at] != self[at]).collect()
    }

    /// What their change adds to the sum of their shares in the hash of the state; `changed` are those that
    /// [`AreaStates::changed_since`] finds.
    pub(crate) fn hash_change(&self, before: &[AreaState], changed: &[usize]) -> u64 {
        let share = |state: &[AreaState], at: usize| state[at].share(at, &self.initial[at]);
        let share_change = |at: &usize| share(self, *at).wrapping_sub(share(before, *at));
        changed.iter().map(share_change).fold(0, u64::wrapping_add)
    }

    /// The sum of their shares in the hash of the state.
    pub(crate) fn hash(&self) -> u64 {
        self.hash_change(&self.initial, &self.changed_since(&self.initial))
    }
}

impl Deref for AreaStates {
    type Target = [AreaState];

    fn deref(&self) -> &[AreaState] {
        &self.states
    }
}

impl DerefMut for AreaStates {
    fn deref_mut(&mut self) -> &mut [AreaState] {
        &mut self.states
    }
}

/// What a set of edits did to a map. `Default` is nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct MapChange {
    /// The new revision.
    pub revision: Revision,
    /// Everything that changed lies in here, world metres; empty when no cell did.
    pub bounds: Bounds,
    /// The same piece by piece, so that what lies between two edits that are far apart is not disturbed.
    pub parts: Vec<ChangedPart>,
    /// Some cell became walkable: walks to a nearest point may now get further.
    pub opened: bool,
    /// Some cell became blocked: paths through `bounds` may be cut.
    pub closed: bool,
    /// Some cell changed its cost.
    pub recosted: bool,
}

/// One piece of what changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangedPart {
    /// The layer it lies on; 0 on maps without layers.
    pub layer: u8,
    /// It lies in here, world metres.
    pub bounds: Bounds,
}

impl Default for MapChange {
    fn default() -> Self {
        let revision = Revision::default();
        Self {
            revision,
            bounds: Bounds::EMPTY,
            parts: Vec::new(),
            opened: false,
            closed: false,
            recosted: false,
        }
    }
}

impl MapChange {
    /// Adds a piece on the first layer; an empty one adds nothing.
    pub(crate) fn touch(&mut self, bounds: Bounds) {
        if !bounds.is_empty() {
            self.bounds = self.bounds.union(bounds);
            self.parts.push(ChangedPart { layer: 0, bounds });
        }
    }
}
