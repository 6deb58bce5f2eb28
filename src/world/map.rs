//! The map of a level: where one can walk, what is named on it, and what waits to change it.
//!
//! In: verbs (`ops::{areas, blocks, doors, graph, tiles}`), doors under way. Out: answers about ground, read
//! back at once where scripts wrote. Holds: the navigation map changes in step 5 only, by all edits that
//! wait together. Not here: searches under way (`paths`).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::ids::AreaId;
use crate::nav::{AreaEdit, GraphEdit, NavMap, TileEdit};
use crate::world::area::Area;
use crate::world::block::Block;
use crate::world::door::Door;
use crate::world::tiles::{TileSpot, Tiles};

/// The ground of a level, with the doors in it.
#[derive(Clone, Debug, Default)]
pub struct LevelMap {
    /// The navigation map; changed in step 5 only.
    pub(crate) nav: NavMap,
    /// Areas, then obstacles, in level order.
    pub(crate) areas: Vec<Area>,
    /// Doors in level order.
    pub(crate) doors: Vec<Door>,
    /// Number of the last wish about a door.
    pub(crate) door_moves: u64,
    /// Blocks that scripts made, in order of creation.
    pub(crate) blocks: Vec<Block>,
    /// Number of the last block.
    pub(crate) blocks_made: u64,
    /// What the tiles are made of, where the map is one of tiles.
    pub(crate) tiles: Option<Arc<Tiles>>,
    /// Whether the map is a precomputed grid, whose areas cannot be toggled.
    pub(crate) is_precomputed: bool,
    /// What waits for step 5.
    pub(crate) edits: PendingEdits,
}

/// Edits of the navigation map that wait for step 5.
#[derive(Clone, Debug, Default)]
pub struct PendingEdits {
    /// The last wish for each area.
    pub(crate) areas: BTreeMap<AreaId, AreaEdit>,
    /// Of tiles.
    pub(crate) tiles: BTreeMap<TileSpot, TileEdit>,
    /// Of points and links, in order.
    pub(crate) graph: Vec<GraphEdit>,
}

impl PendingEdits {
    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.areas.is_empty() && self.tiles.is_empty() && self.graph.is_empty()
    }
}
