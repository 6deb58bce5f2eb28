//! What a search needs from a map, and what turns the nodes it found into places.
//!
//! In: a traversal, nodes, points in world metres. Out: edges with integer costs, lower bounds, places.
//! Holds: ids are dense, edges round up and heuristics down, so costs found by any kernel agree exactly.
//! Not here: a backend; toy graphs in tests implement `Graph` alone.

use glam::Vec3;

use crate::base::cost::Cost;
use crate::nav::Traversal;

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

/// The passage between two neighbouring nodes, seen in walking direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Portal {
    /// The end on the left hand, world metres.
    pub left: Vec3,
    /// The end on the right hand, world metres.
    pub right: Vec3,
}

/// What a search needs. Toy graphs in tests implement only this.
pub trait Graph {
    /// Ids run from 0 to this, exclusive; holes are allowed.
    fn node_count(&self) -> u32;
    /// Calls `visit` with every neighbour and the cost of the step to it, in an order that only the map decides.
    fn for_each_edge(&self, from: NodeId, by: &Traversal, visit: &mut impl FnMut(NodeId, Cost));
    /// Calls `visit` with every node from which an edge leads to this one, and says whether it can tell. Where it can, a
    /// search also asks from its goal whether there is a way at all, and ends when that side is closed in: for graphs
    /// without labels. One-way edges make this differ from [`Graph::for_each_edge`].
    fn for_each_source(&self, to: NodeId, by: &Traversal, visit: &mut impl FnMut(NodeId)) -> bool {
        let _ = (to, by, visit);
        false
    }
    /// Never above the true cost, and never falls by more than the cost of a step along that step.
    fn heuristic(&self, from: NodeId, to: NodeId, by: &Traversal) -> Cost;
}

/// What turns nodes into places. Everything after the search uses only this.
pub trait Space: Graph {
    /// The node that holds the point, and the nearest legal point; None off the map.
    fn locate(&self, point: Vec3, by: &Traversal) -> Option<Location>;
    /// The middle of a node, world metres.
    fn centre(&self, node: NodeId) -> Vec3;
    /// Appends the passages from one node to a neighbour.
    fn portals(&self, from: NodeId, to: NodeId, by: &Traversal, out: &mut Vec<Portal>);
    /// Appends the corners of a node, counter-clockwise seen from above, not closed.
    fn outline(&self, node: NodeId, out: &mut Vec<Vec3>);
    /// The cost of walking straight; None when something is in the way.
    fn straight(&self, from: Location, to: Vec3, by: &Traversal) -> Option<Cost>;
    /// How often the map has changed.
    fn revision(&self) -> Revision;
}
