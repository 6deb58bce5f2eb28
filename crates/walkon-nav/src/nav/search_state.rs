//! Inputs and results of searches, and their record of a node.
//!
//! Holds: plain data that every kernel shares. Not here: the paused search itself (`search`), the kernels.

use crate::nav::NodeId;

/// Where a search begins and where it wants to go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// The node it begins at.
    pub start: NodeId,
    /// The node it looks for.
    pub goal: NodeId,
}

/// The result of a slice of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchStep {
    /// The allowance is spent; step again, with the same map.
    Running,
    /// The cheapest way is known: see [`Search::cost`](crate::nav::Search::cost) and
    /// [`Search::nodes`](crate::nav::Search::nodes).
    Found,
    /// Everything that can be reached was looked at, and the goal was not there. Also before the first
    /// search.
    #[default]
    Exhausted,
}

/// Whether searches keep a list of the nodes they expanded, for pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchLog {
    /// They do not.
    #[default]
    Off,
    /// They do, from the next search on; costs a few nanoseconds a pop.
    On,
}

/// What a search knows of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NodeRecord {
    pub(crate) g: u32,
    pub(crate) parent: u32,
    /// The generation in the upper 24 bits; below, what the kernel wants to remember (see there).
    pub(crate) stamp: u32,
}

/// Nodes met from one end, first come first served.
#[derive(Clone, Debug, Default)]
pub(crate) struct FloodSide {
    met: Vec<u32>,
    next: usize,
}

impl FloodSide {
    pub(crate) fn clear(&mut self) {
        self.met.clear();
        self.next = 0;
    }

    /// All of them, those taken included.
    pub(crate) fn met(&self) -> &[u32] {
        &self.met
    }

    pub(crate) fn add(&mut self, id: u32) {
        self.met.push(id);
    }

    /// The next one.
    pub(crate) fn take(&mut self) -> Option<u32> {
        let id = self.met.get(self.next).copied();
        self.next += usize::from(id.is_some());
        id
    }

    /// Those not yet taken.
    pub(crate) fn waiting(&self) -> &[u32] {
        &self.met[self.next..]
    }
}

/// Which way costs are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// From the first cell to all others.
    From,
    /// From all others to it.
    To,
}

/// Which kernel the paused state belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// From gate to gate; gates wait in the bucket queue.
    #[default]
    Gates,
    /// Steps from cell to cell; like leaps, cells wait in the bucket queue as `id << 8 | directions`.
    Steps,
    /// Jump points.
    Leaps,
    /// Steps from tile to tile. Each tile has a mark in place of a record; steps wait in the bucket queue.
    Tiles,
}

/// Set in a stamp while the node waits to be expanded at its present cost.
pub(crate) const WAITING: u32 = 1;
