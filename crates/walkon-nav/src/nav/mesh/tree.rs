//! A bounding volume hierarchy of rectangles, to find those around a place.
//!
//! In: rectangles once, places after that; a tree with some rectangles taken out and others put in. Out: the
//! rectangles that touch a window, or the items of a list nearest to a place. Holds: the answers depend on
//! the rectangles alone; the order of a visit is that of the tree, callers that care sort. Source: a bounding
//! volume hierarchy split at the median of the longer axis, its branches in the order of a visit: one that
//! does not touch the window is left by going on behind its end (Smits 1998).

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
    /// Of a leaf: its first item. Else where what is below it ends; the left child follows its parent, and
    /// the right one the end of the left.
    first: u32,
    /// Of a leaf: its items. Else `INNER`.
    count: u32,
}

/// An item while a tree is made: twice the middle of its rectangle on either axis, as a number in the order
/// of `total_cmp`.
#[derive(Clone, Copy, Debug)]
struct PlacedItem {
    middle: [i64; 2],
    item: u32,
}

impl PlacedItem {
    /// All of some rectangles, in order.
    fn all(bounds: &[Bounds]) -> Vec<Self> {
        let in_order = |value: f64| {
            let bits = value.to_bits().cast_signed();
            bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
        };
        let middle = |around: &Bounds| [0, 1].map(|axis| in_order(around.min[axis] + around.max[axis]));
        (0..).zip(bounds).map(|(item, around)| Self { middle: middle(around), item }).collect()
    }
}

/// Rectangles by place.
#[derive(Clone, Debug, Default)]
pub(crate) struct RectangleTree {
    branches: Vec<Branch>,
    items: Vec<u32>,
}

impl RectangleTree {
    pub(crate) fn new(bounds: &[Bounds]) -> Self {
        let mut tree = Self::default();
        if !bounds.is_empty() {
            let mut items = PlacedItem::all(bounds);
            tree.branches.reserve(items.len());
            tree.grow(bounds, &mut items, 0);
            tree.items = items.into_iter().map(|placed| placed.item).collect();
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
            let bounds = added.iter().fold(own, |all, item| wrap(all, &item.bounds));
            tree.branches.push(Branch { bounds, first: 0, count: INNER });
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
            let mut items = PlacedItem::all(&bounds);
            tree.grow(&bounds, &mut items, tree.items.len() as u32);
            tree.items.extend(items.into_iter().map(|placed| added[placed.item as usize].item));
            tree.branches[0].first = tree.branches.len() as u32;
        }
        Some(tree)
    }

    /// Bounded by the logarithm of the items: halves.
    fn grow(&mut self, bounds: &[Bounds], items: &mut [PlacedItem], first: u32) {
        let around = items.iter().fold(Bounds::EMPTY, |all, placed| wrap(all, &bounds[placed.item as usize]));
        let at = self.branches.len();
        self.branches.push(Branch { bounds: around, first, count: items.len() as u32 });
        if items.len() <= LEAF {
            return;
        }
        let axis = usize::from(around.max[1] - around.min[1] > around.max[0] - around.min[0]);
        let half = items.len() / 2;
        items.select_nth_unstable_by_key(half, |placed| (placed.middle[axis], placed.item));
        let (low, high) = items.split_at_mut(half);
        self.grow(bounds, low, first);
        self.grow(bounds, high, first + half as u32);
        let end = self.branches.len() as u32;
        self.branches[at] = Branch { bounds: around, first: end, count: INNER };
    }

    /// Where what is below a branch ends.
    #[inline]
    fn end(&self, at: u32) -> u32 {
        let branch = &self.branches[at as usize];
        if branch.count == INNER { branch.first } else { at + 1 }
    }

    /// By item: its place in the order of a visit.
    pub(crate) fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.items.len()];
        for (place, &item) in (0..).zip(&self.items) {
            places[item as usize] = place;
        }
        places
    }

    /// The item at a place in the order of a visit.
    #[inline]
    pub(crate) fn item_at(&self, place: u32) -> u32 {
        self.items[place as usize]
    }

    /// Calls `visit` with every item whose rectangle touches a window.
    pub(crate) fn visit(&self, window: Bounds, visit: &mut impl FnMut(u32)) {
        let mut at = 0;
        // Bounded by the branches: each round goes on to one behind.
        while let Some(branch) = self.branches.get(at as usize) {
            if !touches(&branch.bounds, &window) {
                at = self.end(at);
                continue;
            }
            if branch.count != INNER {
                let first = branch.first as usize;
                self.items[first..first + branch.count as usize].iter().for_each(|&item| visit(item));
            }
            at += 1;
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
        // Deep enough for 2^32 items: the tree is balanced.
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
            let mut children = [at + 1, self.end(at + 1)]
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

/// The smallest rectangle around both.
#[inline]
fn wrap(all: Bounds, other: &Bounds) -> Bounds {
    let low = |axis: usize| if other.min[axis] < all.min[axis] { other.min[axis] } else { all.min[axis] };
    let high = |axis: usize| if other.max[axis] > all.max[axis] { other.max[axis] } else { all.max[axis] };
    Bounds { min: [low(0), low(1)], max: [high(0), high(1)] }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    fn some_bounds(rng: &mut Rng) -> Bounds {
        let mut span = || {
            let from = rng.float(-20.0, 20.0);
            [from, from + rng.float(0.0, 3.0)]
        };
        let [x, z] = [span(), span()];
        Bounds { min: [x[0], z[0]], max: [x[1], z[1]] }
    }

    /// What a tree must find among rectangles by item; None: there is none of that number.
    fn check(tree: &RectangleTree, known: &[Option<Bounds>], rng: &mut Rng) {
        for _ in 0..20 {
            let window = some_bounds(rng);
            let mut found = Vec::new();
            tree.visit(window, &mut |item| {
                found.extend(known[item as usize].filter(|own| touches(own, &window)).map(|_| item));
            });
            found.sort_unstable();
            let touching = (0..).zip(known).filter(|(_, own)| own.is_some_and(|own| touches(&own, &window)));
            assert_eq!(found, touching.map(|(item, _)| item).collect::<Vec<u32>>());
            let away_sq = |item: u32| known[item as usize].map(|own| away_sq_to(&own, window.min));
            let within_sq = rng.float(0.0, 30.0);
            let ranked = (0..known.len() as u32).filter_map(|item| Some((away_sq(item)?, item)));
            let nearest = ranked.filter(|(away_sq, _)| *away_sq <= within_sq);
            let nearest = nearest.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            assert_eq!(tree.nearest(window.min, within_sq, &mut |item| away_sq(item)), nearest);
        }
    }

    /// Law: a tree finds what a look at every rectangle finds, and so does one that was patched many times.
    #[test]
    fn a_tree_finds_what_a_look_at_every_rectangle_finds() {
        let mut rng = Rng::stream(5, "rectangles");
        for count in [0, 1, 4, 5, 9, 40, 200] {
            let bounds: Vec<Bounds> = (0..count).map(|_| some_bounds(&mut rng)).collect();
            let mut tree = RectangleTree::new(&bounds);
            let mut known: Vec<Option<Bounds>> = bounds.into_iter().map(Some).collect();
            check(&tree, &known, &mut rng);
            for _ in 0..4 {
                let mut numbers = vec![NO_ITEM; known.len()];
                let mut left = Vec::new();
                for (at, own) in known.iter().enumerate().filter(|(_, own)| own.is_some()) {
                    if rng.unit() < 0.8 {
                        numbers[at] = left.len() as u32;
                        left.push(*own);
                    }
                }
                let first = left.len() as u32;
                let added: Vec<BoundedItem> = (first..first + rng.below(6) as u32)
                    .map(|item| BoundedItem { item, bounds: some_bounds(&mut rng) })
                    .collect();
                let Some(patched) = tree.patched(&numbers, &added) else { continue };
                left.extend(added.iter().map(|item| Some(item.bounds)));
                (tree, known) = (patched, left);
                check(&tree, &known, &mut rng);
            }
        }
    }
}
