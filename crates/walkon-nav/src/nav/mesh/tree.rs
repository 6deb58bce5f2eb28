//! Rectangles in a tree, to find those around a place.
//!
//! In: rectangles once, places after that. Out: the rectangles that touch a window, or the items of a list
//! nearest to a place. Holds: the answers depend on the rectangles alone; the order of a visit is that of the
//! tree, callers that care sort. Source: a bounding volume hierarchy split at the median of the longer axis.

use crate::base::geom::{Bounds, Point};

/// Items in a leaf.
const LEAF: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Branch {
    bounds: Bounds,
    /// Of a leaf: its first item. Else the right child; the left one follows its parent.
    first: u32,
    /// Of a leaf: its items. Else 0.
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
        self.branches[at].count = 0;
        self.grow(bounds, high, first + half as u32);
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
            if branch.count > 0 {
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
            if branch.count > 0 {
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

fn touches(a: &Bounds, b: &Bounds) -> bool {
    a.min[0] <= b.max[0] && b.min[0] <= a.max[0] && a.min[1] <= b.max[1] && b.min[1] <= a.max[1]
}

/// The distance of a point from a rectangle, squared.
fn away_sq_to(bounds: &Bounds, point: Point) -> f64 {
    let away = |axis: usize| (bounds.min[axis] - point[axis]).max(point[axis] - bounds.max[axis]).max(0.0);
    let (dx, dz) = (away(0), away(1));
    dx * dx + dz * dz
}
