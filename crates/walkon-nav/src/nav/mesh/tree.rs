//! Rectangles in a tree, to find those around a place.
//!
//! In: rectangles once, places after that; a tree with some rectangles taken out and others put in. Out: the
//! rectangles that touch a window, or the items of a list nearest to a place. Holds: the answers depend on
//! the rectangles alone; the order of a visit is that of the tree, callers that care sort. Source: a bounding
//! volume hierarchy split at the median of the longer axis.

use crate::base::geom::{Bounds, Point};

/// Items in a leaf.
const LEAF: usize = 4;
/// The count of a branch that is no leaf.
const INNER: u32 = u32::MAX;
/// A tree is built again rather than patched when more than one item in so many is new.
const PATCHED_PART: usize = 4;

/// The number of an item that is left out.
pub(crate) const NO_ITEM: u32 = u32::MAX;

/// An item and its rectangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundedItem {
    pub(crate) item: u32,
    pub(crate) bounds: Bounds,
}

#[derive(Clone, Copy, Debug)]
struct Branch {
    bounds: Bounds,
    /// Of a leaf: its first item. Else the right child; the left one follows its parent.
    first: u32,
    /// Of a leaf: its items. Else `INNER`.
    count: u32,
}

/// Rectangles by place.
#[derive(Clone, Debug, Default)]
pub(crate) struct RectangleTree {
    branches: Vec<Branch>,
    items: Vec<u32>,
}

impl RectangleTree {
    pub(crate) fn new(bounds: &[Bounds]) -> Self {
        let mut tree = Self { branches: Vec::new(), items: (0..bounds.len() as u32).collect() };
        if !bounds.is_empty() {
            let mut items = std::mem::take(&mut tree.items);
            tree.grow(bounds, &mut items, 0);
            tree.items = items;
        }
        tree
    }

    /// The same rectangles under other numbers, those without a new number left out, and others added. None
    /// when a tree of all of them serves better. Cost: linear, a hundredth of a microsecond an item.
    ///
    /// `numbers` holds the new number of each item, or [`NO_ITEM`].
    pub(crate) fn patched(&self, numbers: &[u32], added: &[BoundedItem]) -> Option<Self> {
        if added.len() > self.items.len() / PATCHED_PART {
            return None;
        }
        let mut tree = Self {
            branches: Vec::with_capacity(1 + self.branches.len() + added.len()),
            items: Vec::with_capacity(self.items.len() + added.len()),
        };
        let has_root = !added.is_empty();
        let own = self.branches.first().map_or(Bounds::EMPTY, |branch| branch.bounds);
        if has_root {
            let bounds = added.iter().fold(own, |all, item| all.union(item.bounds));
            tree.branches.push(Branch { bounds, first: 1 + self.branches.len() as u32, count: INNER });
        }
        for branch in &self.branches {
            let mut branch = *branch;
            if branch.count == INNER {
                branch.first += u32::from(has_root);
            } else {
                let items = &self.items[branch.first as usize..][..branch.count as usize];
                branch.first = tree.items.len() as u32;
                let left = items.iter().map(|&item| numbers[item as usize]).filter(|&item| item != NO_ITEM);
                tree.items.extend(left);
                branch.count = tree.items.len() as u32 - branch.first;
            }
            tree.branches.push(branch);
        }
        if has_root {
            let bounds: Vec<Bounds> = added.iter().map(|item| item.bounds).collect();
            let mut items: Vec<u32> = (0..added.len() as u32).collect();
            tree.grow(&bounds, &mut items, tree.items.len() as u32);
            tree.items.extend(items.into_iter().map(|at| added[at as usize].item));
        }
        Some(tree)
    }

    /// Bounded by the logarithm of the items: halves.
    fn grow(&mut self, bounds: &[Bounds], items: &mut [u32], first: u32) {
        let around = items.iter().fold(Bounds::EMPTY, |all, &item| all.union(bounds[item as usize]));
        let at = self.branches.len();
        self.branches.push(Branch { bounds: around, first, count: items.len() as u32 });
        if items.len() <= LEAF {
            return;
        }
        let axis = usize::from(around.max[1] - around.min[1] > around.max[0] - around.min[0]);
        let key = |item: u32| bounds[item as usize].min[axis] + bounds[item as usize].max[axis];
        let half = items.len() / 2;
        items.select_nth_unstable_by(half, |&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
        let (low, high) = items.split_at_mut(half);
        self.grow(bounds, low, first);
        self.branches[at].first = self.branches.len() as u32;
        self.branches[at].count = INNER;
        self.grow(bounds, high, first + half as u32);
    }

    /// By item: its place in the order of a visit.
    pub(crate) fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.items.len()];
        for (place, &item) in (0..).zip(&self.items) {
            places[item as usize] = place;
        }
        places
    }

    /// Calls `visit` with every item whose rectangle touches a window.
    pub(crate) fn visit(&self, window: Bounds, visit: &mut impl FnMut(u32)) {
        if self.branches.is_empty() {
            return;
        }
        // Deep enough for 2^32 items: the tree is balanced.
        let mut stack = [0_u32; 40];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let at = stack[top];
            let branch = &self.branches[at as usize];
            if !touches(&branch.bounds, &window) {
                continue;
            }
            if branch.count != INNER {
                let first = branch.first as usize;
                self.items[first..first + branch.count as usize].iter().for_each(|&item| visit(item));
            } else {
                stack[top] = branch.first;
                stack[top + 1] = at + 1;
                top += 2;
            }
        }
    }

    /// The item nearest to a point by a measure (squared distance, None: not eligible) that is never less
    /// than the distance to the item's rectangle; ties go to the lower item. Not beyond `within_sq`.
    pub(crate) fn nearest(
        &self,
        point: Point,
        within_sq: f64,
        measure: &mut impl FnMut(u32) -> Option<f64>,
    ) -> Option<(f64, u32)> {
        let mut best: Option<(f64, u32)> = None;
        if self.branches.is_empty() {
            return None;
        }
        let mut stack = [(0.0, 0_u32); 40];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (away_sq, at) = stack[top];
            if away_sq > best.map_or(within_sq, |best| best.0) {
                continue;
            }
            let branch = &self.branches[at as usize];
            if branch.count != INNER {
                let first = branch.first as usize;
                for &item in &self.items[first..first + branch.count as usize] {
                    let Some(distance_sq) = measure(item).filter(|&distance| distance <= within_sq) else {
                        continue;
                    };
                    if best.is_none_or(|best| (distance_sq, item) < best) {
                        best = Some((distance_sq, item));
                    }
                }
                continue;
            }
            let mut children = [at + 1, branch.first]
                .map(|child| (away_sq_to(&self.branches[child as usize].bounds, point), child));
            if children[0].0 < children[1].0 {
                children.swap(0, 1);
            }
            stack[top] = children[0];
            stack[top + 1] = children[1];
            top += 2;
        }
        best
    }
}

#[inline]
fn touches(a: &Bounds, b: &Bounds) -> bool {
    a.min[0] <= b.max[0] && b.min[0] <= a.max[0] && a.min[1] <= b.max[1] && b.min[1] <= a.max[1]
}

/// The distance of a point from a rectangle, squared.
#[inline]
fn away_sq_to(bounds: &Bounds, point: Point) -> f64 {
    let away = |axis: usize| (bounds.min[axis] - point[axis]).max(point[axis] - bounds.max[axis]).max(0.0);
    let (dx, dz) = (away(0), away(1));
    dx * dx + dz * dz
}
