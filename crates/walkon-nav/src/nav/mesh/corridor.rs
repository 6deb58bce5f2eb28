//! A* over polygons, and the funnel algorithm that pulls its corridor tight.
//!
//! In: a surface, prices of its polygons, two places. Out: the edges crossed, the places of the crossings,
//! and the shortest line through them. Holds: a search stops only between expansions, and slices change only
//! when it ends. For ground that is more expensive by the metre; on even ground `polyanya` is shorter and no
//! slower. Each edge is crossed where that is shortest from the place before to the goal. Source: Hart,
//! Nilsson and Raphael 1968; the funnel of Lee and Preparata 1984, as Mononen 2010 walks it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::base::geom::{self, Point};
use crate::nav::mesh::locate::MeshSpot;
use crate::nav::mesh::polygon::length;
use crate::nav::mesh::topology::{NONE, Topology};
use crate::nav::mesh::traversal_cost::TraversalCosts;
use crate::nav::search_state::{SearchLog, SearchStep};

/// What is known of an edge, seen from the polygon that is entered by it.
#[derive(Clone, Copy, Debug, Default)]
struct EdgeRecord {
    generation: u32,
    parent: u32,
    cost: f64,
    point: Point,
}

/// How a polygon is entered: by which edge, [`NONE`] where the way begins in it, at what cost, and where.
#[derive(Clone, Copy, Debug)]
struct PolygonEntry {
    polygon: u32,
    edge: u32,
    cost: f64,
    point: Point,
}

/// The paused state of a search, reusable from one to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Corridor {
    records: Vec<EdgeRecord>,
    open: BinaryHeap<Reverse<(u64, u32)>>,
    generation: u32,
    start: MeshSpot,
    goal: MeshSpot,
    /// The cheapest way to the goal so far, and the edge by which its polygon is entered.
    best: (f64, u32),
    spent: u32,
    state: SearchStep,
    expanded: Vec<u32>,
    is_watched: bool,
}

impl Corridor {
    /// Makes ready for a search between two places.
    pub(crate) fn begin(
        &mut self,
        surface: &Topology,
        prices: &TraversalCosts,
        start: MeshSpot,
        goal: MeshSpot,
    ) {
        self.open.clear();
        self.expanded.clear();
        if self.records.len() < surface.ring.len() || self.generation == u32::MAX {
            self.records.clear();
            self.records.resize(surface.ring.len(), EdgeRecord::default());
            self.generation = 0;
        }
        self.generation += 1;
        (self.start, self.goal, self.spent) = (start, goal, 0);
        (self.best, self.state) = ((f64::INFINITY, NONE), SearchStep::Running);
        if start.polygon == goal.polygon {
            self.best.0 = length(start.point, goal.point) * prices.factor(start.polygon);
        }
        let begin = PolygonEntry { polygon: start.polygon, edge: NONE, cost: 0.0, point: start.point };
        self.enter(surface, prices, begin);
    }

    pub(crate) fn watch(&mut self, log: SearchLog) {
        self.is_watched = log == SearchLog::On;
    }

    pub(crate) fn expanded(&self) -> &[u32] {
        &self.expanded
    }

    pub(crate) fn spent(&self) -> u32 {
        self.spent
    }

    /// Offers the edges of a polygon from a place in it.
    fn enter(&mut self, surface: &Topology, prices: &TraversalCosts, entry: PolygonEntry) {
        let PolygonEntry { polygon, edge: entry, cost, point } = entry;
        let goal = self.goal.point;
        for edge in surface.edges(polygon).filter(|&edge| edge != entry) {
            let twin = surface.twin[edge as usize];
            if twin == NONE {
                continue;
            }
            let crossing = crossing(point, goal, surface.from(edge), surface.to(edge));
            let beyond = surface.face[twin as usize];
            let toll = prices.tolls().between(polygon, beyond);
            let to_there = cost + length(point, crossing) * prices.factor(polygon) + toll;
            let record = &mut self.records[twin as usize];
            let bound = to_there + length(crossing, goal) * prices.cheapest();
            if (record.generation == self.generation && record.cost <= to_there) || bound >= self.best.0 {
                continue;
            }
            *record =
                EdgeRecord { generation: self.generation, parent: entry, cost: to_there, point: crossing };
            if beyond == self.goal.polygon {
                let whole = to_there + length(crossing, goal) * prices.factor(beyond);
                if whole < self.best.0 {
                    self.best = (whole, twin);
                }
            }
            self.open.push(Reverse((bound.to_bits(), twin)));
        }
    }

    /// Goes on until it ends or has spent `allowance` expansions.
    pub(crate) fn step(&mut self, surface: &Topology, prices: &TraversalCosts, allowance: u32) -> SearchStep {
        let stop_at = self.spent.saturating_add(allowance);
        // Bounded by the allowance.
        while self.state == SearchStep::Running && self.spent < stop_at {
            let next = self.open.pop().map(|Reverse(entry)| entry);
            let Some((bound, edge)) = next.filter(|(bound, _)| f64::from_bits(*bound) < self.best.0) else {
                self.state = if self.best.0.is_finite() { SearchStep::Found } else { SearchStep::Exhausted };
                break;
            };
            let EdgeRecord { cost, point, .. } = self.records[edge as usize];
            let known = cost + length(point, self.goal.point) * prices.cheapest();
            if known < f64::from_bits(bound) {
                continue;
            }
            self.spent = self.spent.saturating_add(1);
            let polygon = surface.face[edge as usize];
            if self.is_watched {
                self.expanded.push(polygon);
            }
            self.enter(surface, prices, PolygonEntry { polygon, edge, cost, point });
        }
        self.state
    }

    /// The edges by which polygons are entered on the way found, from the start on.
    fn entries(&self) -> Vec<u32> {
        let mut edges = Vec::new();
        let mut edge = self.best.1;
        // Bounded by the edges: a parent is cheaper than its child.
        while edge != NONE && edges.len() <= self.records.len() {
            edges.push(edge);
            edge = self.records[edge as usize].parent;
        }
        edges.reverse();
        edges
    }

    /// The places at which the way found crosses edges, start and goal included.
    pub(crate) fn crossings(&self, out: &mut Vec<Point>) {
        out.clear();
        out.push(self.start.point);
        out.extend(self.entries().into_iter().map(|edge| self.records[edge as usize].point));
        out.push(self.goal.point);
        out.dedup();
    }

    /// The shortest line through the polygons of the way found.
    pub(crate) fn points(&self, surface: &Topology, out: &mut Vec<Point>) {
        let portal = |edge: u32| (surface.from(edge), surface.to(edge));
        let portals: Vec<(Point, Point)> = self.entries().into_iter().map(portal).collect();
        funnel(self.start.point, &portals, self.goal.point, out);
    }
}

/// Where a line from one place to another crosses an edge so that it is shortest.
pub(crate) fn crossing(from: Point, to: Point, a: Point, b: Point) -> Point {
    let (dx, dz) = (b[0] - a[0], b[1] - a[1]);
    let along = |point: Point| ((point[0] - a[0]) * dx + (point[1] - a[1]) * dz) / (dx * dx + dz * dz);
    let (before, after) = (geom::cross(a, b, from).abs(), geom::cross(a, b, to).abs());
    let part = match before + after > 0.0 {
        true => (along(from) * after + along(to) * before) / (before + after),
        false => along(from),
    };
    let part = part.clamp(0.0, 1.0);
    [a[0] + part * dx, a[1] + part * dz]
}

/// The shortest line from `start` through passages, each with its left and right end, to `goal`.
pub(crate) fn funnel(start: Point, passages: &[(Point, Point)], goal: Point, out: &mut Vec<Point>) {
    out.clear();
    out.push(start);
    let end = [(goal, goal)];
    let passage = |at: usize| passages.get(at).copied().unwrap_or(end[0]);
    let (mut apex, mut left, mut right) = (start, start, start);
    let (mut left_at, mut right_at) = (0, 0);
    let mut at = 0;
    // Bounded: each turn begins again further along than the one before, or narrows the funnel.
    while at <= passages.len() {
        let (next_left, next_right) = passage(at);
        if geom::cross(apex, right, next_right) >= 0.0 {
            if apex == right || geom::cross(apex, left, next_right) < 0.0 {
                (right, right_at) = (next_right, at);
            } else {
                out.push(left);
                (apex, at) = (left, left_at);
                (right, right_at) = (apex, at);
                at += 1;
                continue;
            }
        }
        if geom::cross(apex, left, next_left) <= 0.0 {
            if apex == left || geom::cross(apex, right, next_left) > 0.0 {
                (left, left_at) = (next_left, at);
            } else {
                out.push(right);
                (apex, at) = (right, right_at);
                (left, left_at) = (apex, at);
                at += 1;
                continue;
            }
        }
        at += 1;
    }
    out.push(goal);
    out.dedup();
}
