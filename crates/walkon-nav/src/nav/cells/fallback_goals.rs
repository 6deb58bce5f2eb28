//! Goals to try when other bodies are in the way: the goal itself, or places beside the body that stands
//! there.
//!
//! In: the cells that would do, or a covered goal. Out: cells to try, group by group. Holds: beside means
//! free, within eight metres and in a clear line from the goal but for the bodies that stand there; a group
//! is the nearest cell not yet tried and those less than a cell farther away from which one comes as near, so
//! that no body walks round the other to be a hand's breadth nearer. From the cell the way leads on towards
//! the goal as far as the bodies leave room, so that it ends as near on large cells as on small ones. Not
//! here: which of them can be reached (`plan`, `bidirectional_flood`).

use std::ops::Range;
use std::sync::Arc;

use glam::Vec3;

use crate::base::geom::{self, Point};
use crate::base::ordered;
use crate::nav::cell::Cell;
use crate::nav::cells::agent_mask::RestOfMap;
use crate::nav::cells::bits::Cells;
use crate::nav::cells::line_of_sight;
use crate::nav::cells::map::CellMap;
use crate::nav::cells::start::SNAP_M;
use crate::nav::cells::view::{CellView, distance_sq};
use crate::nav::{Backend, Disc, Path, Traversal};

/// How much farther from a goal than the nearest cell others may lie that do as well, in cells.
const SLACK: f64 = 1.0;
/// How much nearer one place beside a goal must be than another to be worth a longer way, metres.
const NEARER_M: f32 = 0.4;
/// How far from a covered goal is looked at first, in cells. Most people cover no more.
const FIRST: f64 = 4.0;

/// Cells asked about in the time of an expansion: whether the line to each is clear.
const CELLS_PER_EXPANSION: u32 = 8;

/// What a plan may walk on: as the map is, and without the cells of the bodies that stand there.
#[derive(Clone, Copy)]
pub(crate) struct PlanGround<'a> {
    pub(crate) view: &'a CellView,
    pub(crate) rest: RestOfMap<'a>,
}

/// Cells to choose from.
#[derive(Clone, Debug)]
pub(crate) struct CellChoice {
    /// Distances from the goal and cells not yet tried, nearest first.
    cells: Vec<(f64, Cell)>,
    /// The goal, when it is covered.
    around: Option<GoalSurroundings>,
    /// Cells that were asked about and not paid for yet.
    asked: u32,
}

/// A goal that is covered, for a body.
#[derive(Clone, Debug)]
pub(crate) struct CoveredGoal {
    pub(crate) cell: Cell,
    /// Metres.
    pub(crate) point: Vec3,
    /// The radius of the body that is to go there, metres.
    pub(crate) radius_m: f32,
    /// Those that stand in the way.
    pub(crate) discs: Arc<[Disc]>,
}

/// Where a path ends that was led on towards a covered goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellPathEnd {
    /// At the goal: its cell is covered, and the goal itself is not.
    Goal,
    /// As near as the bodies leave room.
    Beside,
}

/// Where to look for cells beside a goal.
#[derive(Clone, Debug)]
struct GoalSurroundings {
    goal: CoveredGoal,
    /// The goal in cells.
    point: Point,
    /// All cells up to here are listed, in cells.
    looked: f64,
}

impl CellChoice {
    /// These cells, all alike.
    pub(crate) fn among(cells: impl Iterator<Item = Cell>) -> Self {
        Self { cells: cells.map(|cell| (0.0, cell)).collect(), around: None, asked: 0 }
    }

    /// Cells beside a goal; distances count from a point in it, in cells.
    pub(crate) fn beside(map: &CellMap, goal: CoveredGoal) -> Self {
        let point = map.to_cells(goal.point);
        Self { cells: Vec::new(), around: Some(GoalSurroundings { goal, point, looked: 0.0 }), asked: 0 }
    }

    /// The goal, when it is covered.
    pub(crate) fn covered(&self) -> Option<&CoveredGoal> {
        self.around.as_ref().map(|around| &around.goal)
    }

    /// The expansions that are worth as much as what was asked since the last time.
    pub(crate) fn take_price(&mut self) -> u32 {
        std::mem::take(&mut self.asked) / CELLS_PER_EXPANSION
    }

    /// Whether there is nothing to choose from.
    pub(crate) fn is_empty(&self) -> bool {
        self.cells.is_empty() && self.around.is_none()
    }

    /// The next cells to try, all as good; none when there are no more.
    pub(crate) fn next(&mut self, map: &CellMap, ground: PlanGround<'_>, start: Cell) -> Vec<Cell> {
        // Bounded by the doubling.
        while let Some(around) = &self.around {
            let end = self.cells.first().map_or(f64::INFINITY, |first| first.0 + SLACK);
            if around.looked >= end || !self.look_further(map, ground, start) {
                break;
            }
        }
        let end = self.cells.first().map_or(0.0, |first| first.0 + SLACK);
        let group = self.cells.partition_point(|cell| cell.0 < end);
        let group: Vec<(f64, Cell)> = self.cells.drain(..group).collect();
        let Some(goal) = self.covered() else { return group.into_iter().map(|(_, cell)| cell).collect() };
        let left_m: Vec<f32> = group.iter().map(|&(_, cell)| goal.left_m(map.centre(cell))).collect();
        let nearest_m = left_m.iter().copied().fold(f32::INFINITY, f32::min);
        let is_as_near = left_m.into_iter().map(|left_m| left_m <= nearest_m + NEARER_M);
        let (as_near, others): (Vec<_>, Vec<_>) =
            group.into_iter().zip(is_as_near).partition(|(_, is_as_near)| *is_as_near);
        self.cells.splice(..0, others.into_iter().map(|(cell, _)| cell));
        as_near.into_iter().map(|((_, cell), _)| cell).collect()
    }

    /// Of the cells not yet tried, however far away, only those that may do.
    pub(crate) fn keep(
        &mut self,
        map: &CellMap,
        ground: PlanGround<'_>,
        start: Cell,
        may_do: impl Fn(Cell) -> bool,
    ) {
        // Bounded by the doubling.
        while self.look_further(map, ground, start) {}
        self.cells.retain(|&(_, cell)| may_do(cell));
    }

    /// Lists cells twice as far away as before; whether there were any to look at.
    fn look_further(&mut self, map: &CellMap, ground: PlanGround<'_>, start: Cell) -> bool {
        let furthest = SNAP_M / map.frame().cell_size_m;
        let Some(around) = self.around.as_mut().filter(|around| around.looked < furthest) else {
            return false;
        };
        let ring = around.looked..(2.0 * around.looked).max(FIRST).min(furthest);
        around.looked = ring.end;
        self.cells.extend(around.ring(map, ground, ring, &mut self.asked, start));
        true
    }
}

impl CoveredGoal {
    /// How far from a place on the way to the goal one comes before the body meets one that stands.
    fn nearest_from(&self, place: Vec3) -> Vec3 {
        /// So that rounding leads into no circle, metres.
        const APART_M: f32 = 1e-3;
        let share = |disc: &Disc| share_outside(disc, self.radius_m + APART_M, [place, self.point]);
        let share = self.discs.iter().map(share).fold(1.0, f64::min);
        if share < 1.0 { place.lerp(self.point, share as f32) } else { self.point }
    }

    /// Whether the body has room at the goal itself.
    fn is_free(&self) -> bool {
        let room = |disc: &Disc| {
            geom::flat_distance(disc.centre, self.point) >= disc.radius_m.max(0.0) + self.radius_m
        };
        self.discs.iter().all(room)
    }

    /// What is left to the goal from there, metres.
    fn left_m(&self, place: Vec3) -> f32 {
        geom::flat_distance(self.nearest_from(place), self.point)
    }

    /// Leads a path that ends beside the goal on towards it, as far as the bodies leave room, straight from
    /// the corner before its end where that can be seen.
    pub(crate) fn close_in(&self, map: &CellMap, by: &Traversal, path: &mut Path) -> CellPathEnd {
        /// A shorter stretch is not worth while, metres.
        const LEAST_M: f32 = 0.1;
        let by = Traversal { through: None, ..by.clone() };
        let Some(&end) = path.points.last() else { return CellPathEnd::Beside };
        let nearest = self.nearest_from(end);
        let is_goal = nearest == self.point && self.is_free();
        let reached = if is_goal { CellPathEnd::Goal } else { CellPathEnd::Beside };
        let to = map.floored(nearest);
        let is_worth_while = reached == CellPathEnd::Goal || geom::flat_distance(end, to) > LEAST_M;
        let Some(last) = map.straight(end, to, &by).filter(|_| is_worth_while) else {
            return CellPathEnd::Beside;
        };
        path.cost_m += map.metres(last) as f32;
        path.length_m += geom::flat_distance(end, to);
        let before = path.points.len().checked_sub(2).map(|at| path.points[at]);
        let is_free = |from: Vec3| self.discs.iter().all(|disc| share_outside(disc, 0.0, [from, to]) >= 1.0);
        let costs = before
            .filter(|&from| path.crossings.is_empty() && is_free(from))
            .and_then(|from| Some((from, map.straight(from, end, &by)?, map.straight(from, to, &by)?)));
        if let Some((from, bent, straight)) = costs {
            let bent_m = geom::flat_distance(from, end) + geom::flat_distance(end, to);
            path.length_m += geom::flat_distance(from, to) - bent_m;
            path.cost_m += (map.metres(straight) - map.metres(bent) - map.metres(last)) as f32;
            path.points.pop();
        }
        path.points.push(to);
        reached
    }
}

/// The share of a straight line that a body may go before it meets a circle; none of a line that begins where
/// they meet.
fn share_outside(disc: &Disc, radius_m: f32, [from, to]: [Vec3; 2]) -> f64 {
    let reach_m = f64::from(disc.radius_m.max(0.0) + radius_m);
    let (start, middle, end) = (geom::ground(from), geom::ground(disc.centre), geom::ground(to));
    let (way, away) = ([end[0] - start[0], end[1] - start[1]], [start[0] - middle[0], start[1] - middle[1]]);
    let dot = |a: Point, b: Point| a[0] * b[0] + a[1] * b[1];
    let (length_sq, towards, gap_sq) = (dot(way, way), dot(way, away), dot(away, away) - reach_m * reach_m);
    if gap_sq <= 0.0 {
        return if towards >= 0.0 { 1.0 } else { 0.0 };
    }
    let within = towards * towards - length_sq * gap_sq;
    if towards >= 0.0 || within <= 0.0 || length_sq == 0.0 {
        return 1.0;
    }
    ((-towards - within.sqrt()) / length_sq).min(1.0)
}

impl GoalSurroundings {
    /// Cells beside the goal, farther than one distance and no farther than another, in order.
    fn ring(
        &self,
        map: &CellMap,
        PlanGround { view, rest }: PlanGround<'_>,
        Range { start: inner, end: outer }: Range<f64>,
        asked: &mut u32,
        start: Cell,
    ) -> Vec<(f64, Cell)> {
        let shape = view.bits().shape();
        let [reach_x, reach_z] = shape.reach(outer);
        let range = |centre: f64, reach: f64, count: u32| {
            let clamp = |value: f64| value.clamp(0.0, f64::from(count)) as u32;
            clamp((centre - reach).floor())..clamp((centre + reach).ceil() + 1.0)
        };
        let columns = range(self.point[0], reach_x, map.frame().width);
        let Some(reached) = view.reached_from(start.x, start.z) else { return Vec::new() };
        let middle = |Cell { x, z }: Cell| [f64::from(x) + 0.5, f64::from(z) + 0.5];
        let mut cells: Vec<(f64, Cell)> = range(self.point[1], reach_z, map.frame().depth)
            .flat_map(|z| columns.clone().map(move |x| Cell { x, z }))
            .map(|cell| (distance_sq(shape.metric, cell, self.point).sqrt(), cell))
            .filter(|&(distance, _)| distance <= outer && (distance > inner || inner == 0.0))
            .filter(|&(_, Cell { x, z })| rest.is_open(x, z) && view.is_reached(&reached, x, z))
            .inspect(|_| *asked = asked.saturating_add(1))
            .filter(|&(_, cell)| line_of_sight::clear(view.bits(), middle(self.goal.cell), middle(cell)))
            .collect();
        let key = |cell: Cell| (cell.z, cell.x);
        ordered::sort_by(&mut cells, |a, b| a.0.total_cmp(&b.0).then_with(|| key(a.1).cmp(&key(b.1))));
        cells
    }
}
