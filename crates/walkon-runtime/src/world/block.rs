//! Blocks: obstacles that scripts and the host put on the map and take away again.
//!
//! Holds: a block belongs to an owner and ends with it; the map follows in step 5, and afterwards it is as if
//! the block had never been there.

use crate::base::ids::AreaId;
use crate::nav::LayerPoint;
use crate::world::owner::Owner;

/// Ground that nobody may walk on for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its number, from 1 over the level.
    pub serial: u64,
    /// On whose behalf.
    pub owner: Owner,
    /// What the host calls it; empty for a block of a script, which has a handle.
    pub name: String,
    /// Its middle, metres, and the layer of the map that it lies on.
    pub centre: LayerPoint,
    /// Cells whose centre lies within this distance are blocked, metres.
    pub radius_m: f32,
    /// The obstacle of the map that stands for it.
    pub area: AreaId,
    /// Whether it ends in the next step 5.
    pub is_over: bool,
}
