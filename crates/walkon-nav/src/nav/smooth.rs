//! Path smoothing: straight lines instead of staircases.
//!
//! In: points from start to goal whose neighbours see each other, and tests of straight lines. Out: some of
//! them, the first and the last included. Holds: every segment passed the test or was there before; the
//! result is never longer or more expensive; no point can be left out: its neighbours do not see each other,
//! or the way past it would be more expensive; it may be made in slices, which change only when it ends. Not
//! here: which points are worth trying; on cells those where the way turns (every cell costs 3 to 8 times
//! more). Method: pulled tight from the front, then points that became idle are dropped. Where a line costs
//! as much to look along as it is long, the next one tried is twice as many points on while all is clear, and
//! half as many once one is not: a way of n points takes some n log n instead of n squared.

use std::cell::Cell;

use glam::Vec3;

/// How work on lines is charged to the budget of searches, in expansions.
struct Charge {
    /// How much work is worth an expansion.
    effort_per_expansion: u64,
    /// Expansions of a search for which as much smoothing is free, at most.
    free_expansions: u32,
    /// Expansions that are free beside.
    free_beside: u32,
}

/// An expansion is worth some two microseconds.
pub(crate) const EFFORT_PER_EXPANSION: u64 = 1024;

/// A search does more for its expansions than to look along lines, and nobody
/// waits longer than need be for a line through a maze. Unit tests have every line made in slices.
const CHARGE: Charge = if cfg!(test) {
    Charge { effort_per_expansion: 32, free_expansions: 1, free_beside: 0 }
} else {
    Charge { effort_per_expansion: EFFORT_PER_EXPANSION, free_expansions: 1024, free_beside: 128 }
};

/// Work on lines, in about the time that it takes to look at a cell.
#[derive(Debug)]
pub(crate) struct Effort {
    done: Cell<u64>,
    most: u64,
}

impl Effort {
    /// Counts some work.
    #[inline(always)]
    pub(crate) fn add(&self, units: u64) {
        self.done.set(self.done.get() + units);
    }

    /// Counts expansions of a search.
    pub(crate) fn add_expansions(&self, count: u64) {
        self.add(count.saturating_mul(EFFORT_PER_EXPANSION));
    }

    /// Whether a slice is to end.
    #[inline(always)]
    pub(crate) fn is_spent(&self) -> bool {
        self.done.get() >= self.most
    }

    /// Without an end.
    pub(crate) fn endless() -> Self {
        Self { done: Cell::new(0), most: u64::MAX }
    }

    /// What was done, in expansions.
    pub(crate) fn expansions(&self) -> u64 {
        self.done.get() / EFFORT_PER_EXPANSION
    }
}

/// The charge for smoothing a way. Work that is little beside the search for the way is free.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SmoothingBill {
    done: u64,
    free: u64,
}

impl SmoothingBill {
    /// For a way that was found by a search of so many expansions.
    pub(crate) fn after(expansions: u32) -> Self {
        let free = expansions.min(CHARGE.free_expansions) + CHARGE.free_beside;
        Self { done: 0, free: u64::from(free) * CHARGE.effort_per_expansion }
    }

    /// The same where a search does less for its expansions: over links, which are looked up and not worked
    /// out.
    pub(crate) fn after_links(expansions: u32) -> Self {
        let Self { done, free } = Self::after(expansions / 2);
        let beside = u64::from(CHARGE.free_beside) * CHARGE.effort_per_expansion;
        Self { done, free: free - beside * 3 / 4 }
    }

    /// Charged so far, expansions.
    pub(crate) fn charged(&self) -> u32 {
        u32::try_from(self.done.saturating_sub(self.free) / CHARGE.effort_per_expansion).unwrap_or(u32::MAX)
    }

    /// The part of the work so far that is free, expansions.
    pub(crate) fn granted(&self) -> u32 {
        u32::try_from(self.done.min(self.free) / CHARGE.effort_per_expansion).unwrap_or(u32::MAX)
    }

    /// A slice of so many expansions.
    pub(crate) fn slice(&self, allowance: u32) -> Effort {
        let most = u64::from(self.charged()) + u64::from(allowance);
        let most = self.free.saturating_add(most.saturating_mul(CHARGE.effort_per_expansion));
        Effort { done: Cell::new(self.done), most }
    }

    /// Takes in the work of a slice.
    pub(crate) fn take(&mut self, slice: &Effort) {
        self.done = slice.done.get();
    }
}

/// Tests of straight lines.
pub(crate) struct LineTests<'a> {
    /// Whether a body can walk straight from one point to another.
    pub(crate) clear: &'a dyn Fn(Vec3, Vec3) -> bool,
    /// What that costs; None on even ground, where a straight line is never more expensive than a bent one.
    pub(crate) cost: Option<&'a dyn Fn(Vec3, Vec3) -> u64>,
}

/// A line as far as it is smoothed. Leaves out as many points as can be, at the cost of about one test for
/// each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Smoothing {
    points: Vec<Vec3>,
    kept: Vec<Vec3>,
    /// The last point kept, and the furthest one known to be seen from it; the same when none was looked at.
    anchor: usize,
    reached: usize,
    /// What the line between them costs.
    spent: u64,
    /// The kept point that may be dropped next.
    idle: usize,
    /// How many points are leapt over; None where each is tried.
    leaps: Option<Leaps>,
}

/// How a line is tried that leads further than the next point.
#[derive(Clone, Debug, Default)]
struct Leaps {
    /// How far the next one leads, points.
    stride: usize,
    /// The nearest point to which none leads; beyond the last while there is none.
    refused: usize,
    /// What the way costs from its beginning to each of its points, as far as it was asked about.
    along: Vec<u64>,
}

impl Smoothing {
    pub(crate) fn of(points: Vec<Vec3>) -> Self {
        let kept = points.first().copied().into_iter().collect();
        Self { points, kept, idle: 1, ..Self::default() }
    }

    /// A smoothing that leaps, for lines that take as long to look along as they are long.
    pub(crate) fn leaping(points: Vec<Vec3>) -> Self {
        Self { leaps: Some(Leaps::default()), ..Self::of(points) }
    }

    /// Goes on until the line is smooth, or the effort is spent; whether it is smooth. The tests count what
    /// they do.
    pub(crate) fn step(&mut self, lines: &LineTests, effort: &Effort) -> bool {
        // Bounded by the points: each round sees further, or less far for the last time, or keeps one.
        while self.anchor + 1 < self.points.len() {
            if effort.is_spent() {
                return false;
            }
            effort.add(1);
            match self.leaps.take() {
                Some(mut leaps) => {
                    self.leap(&mut leaps, lines);
                    self.leaps = Some(leaps);
                }
                None => self.pull(lines),
            }
        }
        // Bounded: each round moves on or removes a point, and goes back one place for each point removed.
        while self.idle + 1 < self.kept.len() {
            if effort.is_spent() {
                return false;
            }
            effort.add(1);
            self.drop_idle(lines);
        }
        true
    }

    /// The points that stay; the part of the way that is not smooth yet keeps all its points.
    pub(crate) fn line(mut self) -> Vec<Vec3> {
        self.kept.extend(self.points.iter().skip(self.anchor + 1));
        self.kept
    }

    fn pull(&mut self, lines: &LineTests) {
        if self.reached == self.anchor {
            self.reached += 1;
            self.spent = lines.price(self.points[self.anchor], self.points[self.reached]);
        }
        let here = self.points[self.reached];
        let further = self.points.get(self.reached + 1).and_then(|&next| {
            let through = self.spent.saturating_add(lines.price(here, next));
            lines.shortcut(self.points[self.anchor], next, through)
        });
        match further {
            Some(price) => (self.reached, self.spent) = (self.reached + 1, price),
            None => {
                self.kept.push(here);
                self.anchor = self.reached;
            }
        }
    }

    /// The same, point by point no longer.
    fn leap(&mut self, leaps: &mut Leaps, lines: &LineTests) {
        if self.reached == self.anchor {
            (leaps.stride, leaps.refused) = (1, self.points.len());
        }
        let is_begun = self.reached > self.anchor;
        let room = leaps.refused - self.reached - 1;
        let step = match () {
            () if !is_begun => 1,
            () if leaps.refused == self.points.len() => leaps.stride.min(room),
            () => room.div_ceil(2),
        };
        let to = self.reached + step;
        if lines.cost.is_some() && leaps.along.len() <= to {
            let [before, here] = [leaps.along.len().saturating_sub(1), leaps.along.len()];
            let so_far = leaps.along.last().copied().unwrap_or(0);
            leaps.along.push(so_far + lines.price(self.points[before], self.points[here]));
            return;
        }
        let along = |at: usize| leaps.along.get(at).copied().unwrap_or(0);
        if !is_begun {
            (self.reached, self.spent) = (to, along(to) - along(self.anchor));
            return;
        }
        if step == 0 {
            self.kept.push(self.points[self.reached]);
            self.anchor = self.reached;
            return;
        }
        let through = self.spent + along(to) - along(self.reached);
        match lines.shortcut(self.points[self.anchor], self.points[to], through) {
            Some(price) => {
                (self.reached, self.spent) = (to, price);
                leaps.stride *= 2;
            }
            None => leaps.refused = to,
        }
    }

    /// Drops a point whose neighbours see each other.
    fn drop_idle(&mut self, lines: &LineTests) {
        let at = self.idle;
        let [before, here, after] = [self.kept[at - 1], self.kept[at], self.kept[at + 1]];
        let through = lines.price(before, here).saturating_add(lines.price(here, after));
        if lines.shortcut(before, after, through).is_some() {
            self.kept.remove(at);
            self.idle = (at - 1).max(1);
        } else {
            self.idle += 1;
        }
    }
}

impl LineTests<'_> {
    /// The price of a straight line; 0 on even ground.
    pub(crate) fn price(&self, from: Vec3, to: Vec3) -> u64 {
        self.cost.map_or(0, |cost| cost(from, to))
    }

    /// The price of a straight line that is clear and no more expensive than the stretch it replaces.
    pub(crate) fn shortcut(&self, from: Vec3, to: Vec3, through: u64) -> Option<u64> {
        if !(self.clear)(from, to) {
            return None;
        }
        let price = self.price(from, to);
        (price <= through).then_some(price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    fn point(x: f32, z: f32) -> Vec3 {
        Vec3::new(x, 0.0, z)
    }

    /// The line smoothed in one go.
    fn smooth(points: &[Vec3], lines: &LineTests) -> Vec<Vec3> {
        let mut smoothing = Smoothing::of(points.to_vec());
        assert!(smoothing.step(lines, &Effort::endless()));
        smoothing.line()
    }

    #[test]
    fn in_the_open_only_the_ends_stay() {
        let points: Vec<Vec3> = (0..20).map(|at| point(at as f32, (at % 3) as f32)).collect();
        let lines = LineTests { clear: &|_, _| true, cost: None };
        assert_eq!(smooth(&points, &lines), [points[0], points[19]]);
        assert_eq!(smooth(&points[..1], &lines), [points[0]]);
        assert_eq!(smooth(&[], &lines), []);
    }

    #[test]
    fn where_nothing_is_clear_all_points_stay() {
        let points: Vec<Vec3> = (0..9).map(|at| point(at as f32, 0.0)).collect();
        let lines = LineTests { clear: &|_, _| false, cost: None };
        assert_eq!(smooth(&points, &lines), points);
    }

    #[test]
    fn slices_change_nothing_but_when() {
        let mut rng = Rng::stream(31, "slices");
        for _ in 0..200 {
            let points: Vec<Vec3> =
                (0..rng.below(40)).map(|at| point(at as f32, rng.float(0.0, 6.0) as f32)).collect();
            let reach = rng.float(1.0, 12.0) as f32;
            let clear = |from: Vec3, to: Vec3| from.distance(to) < reach && (from.x + to.z) as i64 % 3 != 0;
            let price = |from: Vec3, to: Vec3| (from.distance(to) * (1.0 + from.z)) as u64;
            let lines = LineTests { clear: &clear, cost: rng.chance(0.5).then_some(&price) };
            let leaps = rng.chance(0.5);
            let of =
                |points: Vec<Vec3>| if leaps { Smoothing::leaping(points) } else { Smoothing::of(points) };
            let mut smoothing = of(points.clone());
            let mut bill = SmoothingBill::default();
            loop {
                let left = smoothing.clone().line();
                assert!(left.first() == points.first() && left.last() == points.last());
                let slice = Effort { done: Cell::new(bill.done), most: bill.done + 1 + rng.below(5) };
                let is_done = smoothing.step(&lines, &slice);
                bill.take(&slice);
                if is_done {
                    break;
                }
            }
            let mut at_once = of(points.clone());
            assert!(at_once.step(&lines, &Effort::endless()));
            assert_eq!(smoothing.line(), at_once.line());
        }
    }

    /// Law: where nobody sees past what hides a nearer point, leaps find the line that steps find, with as
    /// many tests as grow with the points and their logarithm.
    #[test]
    fn leaps_find_what_steps_find_with_few_tests() {
        let mut rng = Rng::stream(32, "leaps");
        for round in 0..200 {
            let count = 1 + rng.below(if round % 10 == 0 { 3000 } else { 60 });
            let reach = rng.float(1.5, 90.0) as f32;
            let points: Vec<Vec3> =
                (0..count).map(|at| point(at as f32, rng.float(0.0, 1e-3) as f32)).collect();
            let tests = Cell::new(0);
            let clear = |from: Vec3, to: Vec3| {
                tests.set(tests.get() + 1);
                to.x - from.x < reach
            };
            let price = |from: Vec3, to: Vec3| (to.x - from.x) as u64 * 10;
            let lines = LineTests { clear: &clear, cost: rng.chance(0.5).then_some(&price) };
            let mut leaping = Smoothing::leaping(points.clone());
            assert!(leaping.step(&lines, &Effort::endless()));
            let stretch = (f64::from(reach).ceil() as u64 - 1).max(1);
            let most = (count / stretch + 2) * (2 * u64::from(stretch.ilog2()) + 6);
            assert!(tests.get() <= most, "{count} points, {reach} m: {} tests", tests.get());
            assert_eq!(leaping.line(), smooth(&points, &lines), "{count} points, {reach} m");
        }
    }

    #[test]
    fn a_shortcut_over_dear_ground_is_not_taken() {
        // A road along z = 0 around the corner of a swamp.
        let points = [point(0.0, 0.0), point(4.0, 0.0), point(4.0, 4.0)];
        let price = |from: Vec3, to: Vec3| {
            let straight = from.x == to.x || from.z == to.z;
            (from.distance(to) * if straight { 100.0 } else { 500.0 }) as u64
        };
        assert_eq!(smooth(&points, &LineTests { clear: &|_, _| true, cost: Some(&price) }), points);
    }
}
