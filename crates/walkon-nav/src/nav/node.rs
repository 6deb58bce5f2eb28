//! Nodes of a map, places on it, and its revision.
//!
//! Holds: ids are dense. Not here: facts about a node, which each backend knows.

use glam::Vec3;

/// A node of a navigation map: dense, 0 to the node count of the map, meaningless on another map.
/// On cells it is `z * width + x`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The position in arrays that hold one entry a node.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How often a map has changed. Paths and searches of another revision may be stale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

/// A place on the map: a point in world metres and the node that holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Location {
    /// The node that holds the point.
    pub node: NodeId,
    /// The point, world metres.
    pub point: Vec3,
}

/// A place on a layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerPoint {
    /// The layer.
    pub layer: u8,
    /// World metres; the height is of no meaning on a flat floor.
    pub point: Vec3,
}
