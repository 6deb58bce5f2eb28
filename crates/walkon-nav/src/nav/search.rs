//! The paused state of any search.
//!
//! In: two nodes of a map, an allowance of expansions a slice. Out: whether a way was found, its cost, its
//! nodes. Holds: a search stops only between pops, once it has spent its allowance; all it needs to go on is
//! in `Search`; slicing changes neither the pops nor the answer; costs are exact, so all kernels agree with
//! `==`. A pop may overrun the allowance: the caller carries the overrun to the next slice as a debt. Not
//! here: the kernels, `cells/weighted_astar.rs`, `cells/tile_astar.rs`, `cells/jump.rs` and
//! `hierarchy/gates.rs`; which request gets which of them.

use crate::base::cost::Cost;
use crate::nav::NodeId;
use crate::nav::buckets::Buckets;
use crate::nav::cell::Cell;
use crate::nav::cells::FarGoal;
use crate::nav::cells::bidirectional_flood::BidirectionalFlood;
use crate::nav::cells::lattice::Norm;
use crate::nav::cells::layout::{Columns, OFFSETS, Unit};
use crate::nav::cells::search_marks::{SEASONS, SearchMarks};
use crate::nav::search_state::{Ends, Kernel, NodeRecord, SearchLog, SearchStep, WAITING};

/// Buffers for searches, reusable from one to the next and from map to map, and the paused state of the last
/// one.
///
/// Memory: 12 bytes a node of the largest map it has seen, 8 a cell of the largest of tiles or with terrain,
/// 12 an entry of its queue at its longest, and a quarter of a byte a cell once others cut off a goal.
#[derive(Clone, Debug, Default)]
pub struct Search {
    pub(crate) records: Vec<NodeRecord>,
    /// In place of records, of the kernel on tiles.
    pub(crate) marks: SearchMarks,
    /// Records stamped otherwise belong to an earlier search. 24 bits; zero means never used.
    pub(crate) generation: u32,
    pub(crate) queue: Buckets,
    /// Whether a plan's goal is cut off (`cells/plan.rs`).
    pub(crate) sides: BidirectionalFlood,
    pub(crate) kernel: Kernel,
    pub(crate) ends: Ends,
    /// Cost of the cheapest way to the goal so far; `u32::MAX` while there is none.
    pub(crate) best: u32,
    pub(crate) spent: u32,
    pub(crate) state: SearchStep,
    pub(crate) unit: Unit,
    /// In place of the unit, of cells that are not plain squares.
    pub(crate) norm: Norm,
    pub(crate) columns: Columns,
    pub(crate) goal_cell: Cell,
    pub(crate) far: FarGoal,
    watch: SearchLog,
    /// The searches over polygons.
    pub(crate) mesh: crate::nav::mesh::MeshScratch,
    /// The ends of ways worked out beforehand.
    pub(crate) graph: crate::nav::graph::GraphScratch,
    pub(crate) popped: Vec<NodeId>,
}

impl Search {
    /// Sets memory aside for searches over so many nodes.
    pub(crate) fn make_room(&mut self, node_count: usize) {
        if self.records.len() < node_count {
            self.records.resize(node_count, NodeRecord::default());
        }
    }

    /// Bytes of the memory that searches over nodes use.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.records.as_slice()) + self.marks.len() * size_of::<u64>()
    }

    /// Expansions charged to the present search so far. The kernel decides what one costs.
    #[must_use]
    pub fn spent(&self) -> u32 {
        self.spent
    }

    /// The result of the last slice.
    #[must_use]
    pub fn state(&self) -> SearchStep {
        self.state
    }

    /// The cost of the way found; [`Cost::BLOCKED`] until then.
    #[must_use]
    pub fn cost(&self) -> Cost {
        if self.state == SearchStep::Found { Cost(self.best) } else { Cost::BLOCKED }
    }

    /// Whether to list expanded nodes, from the next search on.
    pub fn watch(&mut self, watch: SearchLog) {
        self.watch = watch;
    }

    /// Whether to list expanded nodes, as a word.
    pub(crate) fn log(&self) -> SearchLog {
        self.watch
    }

    /// Whether expanded nodes are to be listed.
    pub(crate) fn is_watched(&self) -> bool {
        self.watch == SearchLog::On
    }

    /// The nodes expanded so far, in order, some perhaps twice. Empty unless watched.
    #[must_use]
    pub fn expanded(&self) -> &[NodeId] {
        &self.popped
    }

    /// Appends the nodes that still wait to be expanded, some perhaps twice.
    pub fn frontier(&self, out: &mut Vec<NodeId>) {
        match self.kernel {
            Kernel::Gates | Kernel::Tiles => out.extend(self.queue.values().map(NodeId)),
            Kernel::Steps | Kernel::Leaps => out.extend(self.queue.values().map(|value| NodeId(value >> 8))),
        }
    }

    /// Replaces `out` by the nodes of the way found, start and goal included: n >= 1, adjacent ones differ by
    /// one edge. Empty unless a way was found. Cost: per node.
    pub fn nodes(&self, out: &mut Vec<NodeId>) {
        out.clear();
        while !self.trace(out, usize::MAX) {}
        out.reverse();
    }

    /// Goes on with the nodes of the way found, from the goal back, until all are there or so many at least;
    /// whether all are. None unless a way was found.
    pub(crate) fn trace(&self, out: &mut Vec<NodeId>, most: usize) -> bool {
        if self.state != SearchStep::Found {
            return true;
        }
        if out.is_empty() {
            out.push(self.ends.goal);
        }
        let mut node = out.last().map_or(self.ends.goal.0, |node| node.0);
        // Bounded by the node count: a parent is cheaper than its child, so none comes twice.
        while node != self.ends.start.0 {
            if out.len() >= most {
                return false;
            }
            assert!(
                out.len() <= self.records.len().max(self.marks.len()),
                "a way holds every node once at most"
            );
            node = self.step_back_from(node, out);
        }
        true
    }

    /// Appends the nodes from one, exclusive, back to the one before it on the way, which it returns.
    fn step_back_from(&self, node: u32, out: &mut Vec<NodeId>) -> u32 {
        let parent = match self.kernel {
            Kernel::Tiles => {
                let (dx, dz) = OFFSETS[self.marks.arrival(node)];
                node.wrapping_add_signed(-dx - dz * self.columns.width() as i32)
            }
            _ => self.records[node as usize].parent,
        };
        match self.kernel {
            Kernel::Gates | Kernel::Tiles => out.push(NodeId(parent)),
            Kernel::Steps | Kernel::Leaps => self.fill(node, parent, out),
        }
        parent
    }

    /// Appends the cells from `child`, exclusive, back to `parent`, inclusive: seen from the parent the
    /// diagonal steps come first.
    fn fill(&self, child: u32, parent: u32, out: &mut Vec<NodeId>) {
        let Cell { x: child_x, z: child_z } = self.columns.split(child);
        let Cell { x: parent_x, z: parent_z } = self.columns.split(parent);
        let (dx, dz) = (parent_x.abs_diff(child_x), parent_z.abs_diff(child_z));
        let step_x = (i64::from(parent_x) - i64::from(child_x)).signum() as i32;
        let step_z = (i64::from(parent_z) - i64::from(child_z)).signum() as i32 * self.columns.width() as i32;
        let straight = if dx > dz { step_x } else { step_z };
        let steps = dx.abs_diff(dz);
        let turn = child.wrapping_add_signed(straight.wrapping_mul(steps as i32));
        out.extend((1..=steps as i32).map(|step| NodeId(child.wrapping_add_signed(straight * step))));
        let diagonal = step_x + step_z;
        out.extend((1..=dx.min(dz) as i32).map(|step| NodeId(turn.wrapping_add_signed(diagonal * step))));
    }

    /// Makes ready for a search over `node_count` nodes that begins at `ends.start` with cost zero.
    pub(crate) fn begin(&mut self, kernel: Kernel, node_count: u32, ends: Ends) {
        let has_records = kernel != Kernel::Tiles;
        if has_records {
            self.make_room(node_count as usize);
        }
        self.generation += 1;
        if self.generation == SEASONS {
            self.records.fill(NodeRecord::default());
            self.marks.clear();
            self.generation = 1;
        }
        self.popped.clear();
        (self.kernel, self.ends) = (kernel, ends);
        (self.best, self.spent) = (u32::MAX, 0);
        self.state = if ends.start == ends.goal { SearchStep::Found } else { SearchStep::Running };
        let known = ends.start.0.max(ends.goal.0) < node_count;
        if !known {
            self.state = SearchStep::Exhausted;
        } else if has_records {
            let stamp = self.generation << 8 | WAITING;
            self.records[ends.start.index()] = NodeRecord { g: 0, parent: ends.start.0, stamp };
        }
        if self.state == SearchStep::Found {
            self.best = 0;
        }
    }

    /// Takes the mark that `id` waits; false when it was expanded at its present cost already.
    #[inline(always)]
    pub(crate) fn claim(&mut self, id: u32) -> bool {
        let record = &mut self.records[id as usize];
        let waiting = record.stamp & WAITING != 0;
        record.stamp &= !WAITING;
        waiting
    }

    /// Counts the expansion of a node.
    #[inline(always)]
    pub(crate) fn charge(&mut self, node: u32, units: u32) {
        self.spent = self.spent.saturating_add(units);
        if self.watch == SearchLog::On {
            self.popped.push(NodeId(node));
        }
    }

    /// Ends the search: nothing that is left could be cheaper than the way that was found.
    pub(crate) fn finish(&mut self) -> SearchStep {
        self.state = if self.best == u32::MAX { SearchStep::Exhausted } else { SearchStep::Found };
        self.state
    }

    /// Forgets which nodes it went over, those of a graph that nobody outside knows.
    pub(crate) fn forget_nodes(&mut self) {
        self.popped.clear();
        self.state = SearchStep::Exhausted;
    }

    /// Lists nodes as expanded that were so elsewhere.
    pub(crate) fn note_expanded(&mut self, nodes: &[NodeId]) {
        if self.watch == SearchLog::On {
            self.popped.extend_from_slice(nodes);
        }
    }
}
