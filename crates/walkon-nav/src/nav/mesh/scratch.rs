//! Buffers of both searches over a mesh, kept from one plan to the next.
//!
//! In: nothing. Out: buffers that the next plan uses again. Holds: nothing in them changes an answer. Not
//! here: the plans (`plan`).

use crate::nav::SearchRecord;
use crate::nav::mesh::corridor::Corridor;
use crate::nav::mesh::polyanya::Polyanya;

/// Buffers of both searches, for one plan after another.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeshScratch {
    pub(super) polyanya: Polyanya,
    pub(super) corridor: Corridor,
    /// What the last plan looked at, while watched.
    pub(crate) record: SearchRecord,
}
