//! Buffers for searches of a graph, kept from one to the next.
//!
//! Holds: buffers, and the points of the last way found. Not here: the searches (`astar`,
//! `precomputed_routes`).

use crate::nav::NodeId;
use crate::nav::graph::astar::GraphSearch;

/// What searches of a graph need, kept from one to the next. Memory: 20 bytes a point of the largest graph it
/// has seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphScratch {
    pub(crate) finder: GraphSearch,
    /// By point: what is left of a way that it lies on; [`FAR`](super::dijkstra::FAR) between two questions.
    pub(super) left_mm: Vec<u32>,
    /// The points of the last way found, for pictures.
    pub(crate) found: Vec<NodeId>,
}

impl GraphScratch {
    pub(crate) fn note_found(&mut self, points: &[u32]) {
        self.found.clear();
        self.found.extend(points.iter().copied().map(NodeId));
    }
}
