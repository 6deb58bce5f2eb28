//! Where a plan goes that keeps out of others: to its goal, or beside the body that stands there.
//!
//! In: the cells that would do, or a covered goal. Out: cells to try, group by group. Holds: beside means
//! free, within eight metres and in a clear line from the goal but for the bodies that stand there; a group
//! is the nearest cell not yet tried and those less than a cell farther away, so that no body walks round the
//! other to be a hand's breadth nearer. Not here: which of them can be reached (`plan`,
//! `bidirectional_flood`).

use std::ops::Range;

use crate::base::geom::Point;
use crate::base::ordered;
use crate::nav::cell::Cell;
use crate::nav::cells::agent_mask::RestOfMap;
use crate::nav::cells::bits::Cells;
use crate::nav::cells::line_of_sight;
use crate::nav::cells::map::CellMap;
use crate::nav::cells::start::SNAP_M;
use crate::nav::cells::view::{CellView, distance_sq};

/// How much farther from a goal than the nearest cell others may lie that do as well, in cells.
const SLACK: f64 = 1.0;
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

/// Where to look for cells beside a goal.
#[derive(Clone, Copy, Debug)]
struct GoalSurroundings {
    goal: Cell,
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
    pub(crate) fn beside(goal: Cell, point: Point) -> Self {
        Self { cells: Vec::new(), around: Some(GoalSurroundings { goal, point, looked: 0.0 }), asked: 0 }
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
        self.cells.drain(..group).map(|(_, cell)| cell).collect()
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
            .filter(|&(_, cell)| line_of_sight::clear(view.bits(), middle(self.goal), middle(cell)))
            .collect();
        let key = |cell: Cell| (cell.z, cell.x);
        ordered::sort_by(&mut cells, |a, b| a.0.total_cmp(&b.0).then_with(|| key(a.1).cmp(&key(b.1))));
        cells
    }
}
