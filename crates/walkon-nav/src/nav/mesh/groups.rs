//! Groups rectangles that overlap, or that are joined for other reasons (union-find).
//!
//! In: rectangles, pairs of them. Out: the groups. Holds: the order of the pairs changes nothing. Not here:
//! why they belong together (`local_view`, `carve`).

use std::collections::BTreeMap;

use crate::base::disjoint_sets::DisjointSets;
use crate::base::geom::Bounds;
use crate::nav::mesh::tree::RectangleTree;

/// Rectangles by number, in sets.
pub(crate) struct RectangleGroups(DisjointSets);

impl RectangleGroups {
    /// Those that overlap are of one group.
    pub(crate) fn of_overlapping(bounds: &[Bounds]) -> Self {
        let mut groups = Self(DisjointSets::new(bounds.len()));
        let tree = RectangleTree::new(bounds);
        for (at, around) in bounds.iter().enumerate() {
            tree.visit(*around, &mut |other| {
                if bounds[other as usize].overlaps(around) {
                    groups.join(other as usize, at);
                }
            });
        }
        groups
    }

    /// Makes one group of those of two rectangles.
    pub(crate) fn join(&mut self, one: usize, other: usize) {
        self.0.join(one as u32, other as u32);
    }

    /// The rectangles of each group, in order. Groups are in order of their first rectangles.
    pub(crate) fn lists(self) -> Vec<Vec<usize>> {
        let mut lists: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (at, first) in self.0.all_lowest().into_iter().enumerate() {
            lists.entry(first).or_default().push(at);
        }
        lists.into_values().collect()
    }
}
