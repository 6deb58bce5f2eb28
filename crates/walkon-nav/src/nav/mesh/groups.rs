//! Rectangles in groups: those that overlap are of one group, and those that are joined for other reasons.
//!
//! In: rectangles, pairs of them. Out: the groups. Holds: the order of the pairs changes nothing. Not here:
//! why they belong together (`local_view`, `carve`). Source: disjoint sets, Galler and Fischer 1964.

use std::collections::BTreeMap;

use crate::base::geom::Bounds;
use crate::nav::mesh::tree::RectangleTree;

/// Rectangles by number, each with a lower one of its group; the first of a group with itself.
pub(crate) struct RectangleGroups(Vec<usize>);

impl RectangleGroups {
    /// Those that overlap are of one group.
    pub(crate) fn of_overlapping(bounds: &[Bounds]) -> Self {
        let mut groups = Self((0..bounds.len()).collect());
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
        let [one, other] = [one, other].map(|at| self.first_of(at));
        self.0[one.max(other)] = one.min(other);
    }

    /// The rectangles of each group, in order. Groups are in order of their first rectangles.
    pub(crate) fn lists(&self) -> Vec<Vec<usize>> {
        let mut lists: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for at in 0..self.0.len() {
            lists.entry(self.first_of(at)).or_default().push(at);
        }
        lists.into_values().collect()
    }

    /// The first of the group of one. Bounded: each leads to a lower one.
    fn first_of(&self, mut at: usize) -> usize {
        while self.0[at] != at {
            at = self.0[at];
        }
        at
    }
}
