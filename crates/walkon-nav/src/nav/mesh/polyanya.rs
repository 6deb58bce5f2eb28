//! Polyanya: the exact shortest way over polygons, by a search over visible intervals.
//!
//! In: a surface, two places on it, what entering polygons costs. Out: the corners at which the shortest line
//! turns, and its cost. Holds: no line on the ground is shorter, to the precision of doubles; a search stops
//! only between expansions, and slices change only when it ends. Entering a group of polygons (a closed door)
//! may cost a toll; ground that is more expensive by the metre is `corridor`'s. Source: Polyanya, Cui,
//! Harabor and Grastien 2017, "Compromise-free pathfinding on a navigation mesh", with their pruning of roots
//! and of dead ends.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::base::geom::{self, Point};
use crate::nav::mesh::locate::MeshSpot;
use crate::nav::mesh::polygon::length;
use crate::nav::mesh::topology::{NONE, Topology};
use crate::nav::search_state::{SearchLog, SearchStep};

/// Interval ends nearer to a corner than this part of the edge are the corner.
const CORNER_PART: f64 = 1e-9;

/// An interval of an edge. All of it is seen from one root.
#[derive(Clone, Copy, Debug)]
struct Interval {
    left: Point,
    right: Point,
    root: Point,
    /// The way from the start to the root.
    root_cost: f64,
    /// Tolls since then.
    toll: f64,
    /// The corners at the ends of the interval and at the root; NONE where there is none.
    left_corner: u32,
    right_corner: u32,
    root_corner: u32,
    /// The edge of the polygon that it is entered by; NONE for the goal.
    edge: u32,
    parent: u32,
}

/// The paused state of a search, reusable from one to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Polyanya {
    nodes: Vec<Interval>,
    /// Lower bounds of non-negative costs order as their bits do.
    open: BinaryHeap<Reverse<(u64, u32)>>,
    /// By corner: the generation that reached it, and the cheapest cost to it.
    roots: Vec<(u32, f64)>,
    generation: u32,
    start: MeshSpot,
    goal: MeshSpot,
    found: u32,
    spent: u32,
    state: SearchStep,
    expanded: Vec<u32>,
    is_watched: bool,
}

impl Default for MeshSpot {
    fn default() -> Self {
        Self { polygon: 0, point: [0.0, 0.0] }
    }
}

/// What entering polygons costs, metres; without an entry nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tolls<'a> {
    /// By polygon: its group and the toll for entering it from another; empty when there are none. Group 0 is
    /// free.
    pub(crate) by_polygon: &'a [(u32, f64)],
}

impl Tolls<'_> {
    #[inline(always)]
    pub(crate) fn between(&self, from: u32, to: u32) -> f64 {
        if self.by_polygon.is_empty() {
            return 0.0;
        }
        let (before, (group, toll)) = (self.by_polygon[from as usize].0, self.by_polygon[to as usize]);
        if group == 0 || group == before { 0.0 } else { toll }
    }

    #[inline(always)]
    fn is_free(&self, polygon: u32) -> bool {
        self.by_polygon.is_empty() || self.by_polygon[polygon as usize].0 == 0
    }
}

/// What the expansion of a node looks at.
#[derive(Clone, Copy)]
struct Expansion<'a> {
    surface: &'a Topology,
    tolls: Tolls<'a>,
}

impl Polyanya {
    /// Makes ready for a search between two places that are not in the same polygon, or are.
    pub(crate) fn begin(&mut self, surface: &Topology, tolls: Tolls, start: MeshSpot, goal: MeshSpot) {
        self.nodes.clear();
        self.open.clear();
        self.expanded.clear();
        if self.roots.len() < surface.points.len() || self.generation == u32::MAX {
            self.roots.clear();
            self.roots.resize(surface.points.len(), (0, 0.0));
            self.generation = 0;
        }
        self.generation += 1;
        (self.start, self.goal, self.found, self.spent) = (start, goal, NONE, 0);
        self.state = SearchStep::Running;
        let view = Expansion { surface, tolls };
        let root = Interval {
            left: start.point,
            right: start.point,
            root: start.point,
            root_cost: 0.0,
            toll: 0.0,
            left_corner: NONE,
            right_corner: NONE,
            root_corner: NONE,
            edge: NONE,
            parent: NONE,
        };
        if start.polygon == goal.polygon {
            self.nodes.push(root);
            (self.found, self.state) = (0, SearchStep::Found);
            return;
        }
        for edge in surface.edges(start.polygon) {
            let seen = VisibleStretch {
                right: start_of(surface, edge),
                left: start_of(surface, surface.next(edge)),
            };
            let _ =
                self.offer(view, edge, seen, Interval { parent: NONE, ..root }).map(|next| self.push(next));
        }
    }

    pub(crate) fn watch(&mut self, log: SearchLog) {
        self.is_watched = log == SearchLog::On;
    }

    /// Polygons entered so far, in order, some perhaps twice; only while watched.
    pub(crate) fn expanded(&self) -> &[u32] {
        &self.expanded
    }

    /// Polygons that wait to be entered.
    pub(crate) fn frontier<'a>(&'a self, surface: &'a Topology) -> impl Iterator<Item = u32> + 'a {
        let nodes = self.open.iter().map(|Reverse((_, at))| self.nodes[*at as usize].edge);
        nodes.filter(|&edge| edge != NONE).map(|edge| surface.face[edge as usize])
    }

    /// Expansions so far.
    pub(crate) fn spent(&self) -> u32 {
        self.spent
    }

    /// Metres of the way found, tolls included.
    #[cfg(test)]
    pub(crate) fn cost(&self) -> f64 {
        let Some(node) = self.nodes.get(self.found as usize) else { return f64::INFINITY };
        node.root_cost + node.toll + length(node.root, self.goal.point)
    }

    /// The points of the way found, from the start to the goal.
    pub(crate) fn points(&self, out: &mut Vec<Point>) {
        out.clear();
        out.extend(self.corners().into_iter().map(|(point, _)| point));
    }

    /// The points of the way found, from the start to the goal, with the corners of the ground that they are;
    /// NONE for the ends.
    pub(crate) fn corners(&self) -> Vec<(Point, u32)> {
        let Some(last) = self.nodes.get(self.found as usize).filter(|_| self.state == SearchStep::Found)
        else {
            return Vec::new();
        };
        let mut out = vec![(self.goal.point, NONE)];
        let mut node = last;
        // Bounded: parents come before their children.
        loop {
            if out.last().is_none_or(|(point, _)| *point != node.root) {
                out.push((node.root, node.root_corner));
            }
            match self.nodes.get(node.parent as usize) {
                Some(parent) => node = parent,
                None => break,
            }
        }
        out.reverse();
        out
    }

    /// Goes on until it ends or has spent `allowance` expansions.
    pub(crate) fn step(&mut self, surface: &Topology, tolls: Tolls, allowance: u32) -> SearchStep {
        let stop_at = self.spent.saturating_add(allowance);
        let view = Expansion { surface, tolls };
        // Bounded by the allowance.
        while self.state == SearchStep::Running && self.spent < stop_at {
            let Some(Reverse((_, at))) = self.open.pop() else {
                self.state = SearchStep::Exhausted;
                break;
            };
            let node = self.nodes[at as usize];
            if node.edge == NONE {
                (self.found, self.state) = (at, SearchStep::Found);
                break;
            }
            if self.is_dominated(view, &node) {
                continue;
            }
            self.expand(view, node, at);
        }
        self.state
    }

    /// Whether the root was reached more cheaply since; roots within a door are not compared, because of its
    /// toll.
    #[inline(always)]
    fn is_dominated(&self, view: Expansion, node: &Interval) -> bool {
        if node.root_corner == NONE || !view.tolls.is_free(view.surface.face[node.edge as usize]) {
            return false;
        }
        let (generation, cost) = self.roots[node.root_corner as usize];
        generation == self.generation && cost + 1e-9 < node.root_cost
    }

    fn push(&mut self, Successor { bound, node }: Successor) {
        let at = self.nodes.len() as u32;
        self.nodes.push(node);
        self.open.push(Reverse((bound.to_bits(), at)));
    }

    /// Enters the polygon behind an interval: finds the parts of its edges that can be seen, or reached
    /// around the ends of the interval. While there is only one way on, it is taken at once.
    fn expand(&mut self, view: Expansion, mut node: Interval, mut at: u32) {
        let stop_at = self.spent.saturating_add(view.surface.polygon_count());
        // Bounded: dead ends and polygons with several ways on end it, and as many polygons as there are.
        loop {
            self.spent = self.spent.saturating_add(1);
            let polygon = view.surface.face[node.edge as usize];
            if self.is_watched {
                self.expanded.push(polygon);
            }
            if !turn_in(view.surface, &mut node) {
                return;
            }
            if polygon == self.goal.polygon {
                self.finish(view, &node, at);
                return;
            }
            let mut single: Option<Successor> = None;
            let mut count = 0;
            self.for_each_successor(view, &node, at, &mut |search, next| {
                count += 1;
                if let Some(before) = single.replace(next) {
                    search.push(before);
                }
            });
            let Some(last) = single else { return };
            if count > 1 || self.spent >= stop_at {
                self.push(last);
                return;
            }
            node = last.node;
            at = self.nodes.len() as u32;
            self.nodes.push(node);
        }
    }

    /// The last corner before the goal.
    fn finish(&mut self, view: Expansion, node: &Interval, at: u32) {
        let goal = self.goal.point;
        let surface = view.surface;
        let zero = surface.rounding_m2;
        let to_right = geom::cross(node.root, node.right, goal) < -zero;
        let to_left = geom::cross(node.root, node.left, goal) > zero;
        let (root, corner) = match (to_left, to_right) {
            (true, false) => (node.left, node.left_corner),
            (false, true) => (node.right, node.right_corner),
            _ => (node.root, NONE),
        };
        if root == node.root {
            let cost = node.root_cost + node.toll + length(node.root, goal);
            self.push(Successor { bound: cost, node: Interval { edge: NONE, parent: at, ..*node } });
        } else if corner != NONE && surface.turns[corner as usize] {
            let root_cost = node.root_cost + node.toll + length(node.root, root);
            let last =
                Interval { root, root_cost, toll: 0.0, root_corner: corner, edge: NONE, parent: at, ..*node };
            self.push(Successor { bound: root_cost + length(root, goal), node: last });
        }
    }

    #[inline(always)]
    fn for_each_successor(
        &mut self,
        view: Expansion,
        node: &Interval,
        at: u32,
        visit: &mut impl FnMut(&mut Self, Successor),
    ) {
        let surface = view.surface;
        let exit = IntervalExit::new(surface, node, at);
        let mut edge = surface.next(node.edge);
        let mut u = exit.sided(start_of(surface, edge));
        while edge != node.edge {
            let following = surface.next(edge);
            let w = exit.sided(start_of(surface, following));
            if surface.twin[edge as usize] != NONE {
                match exit.behind(u, w) {
                    Some(end) => {
                        let all = VisibleStretch { right: u.end, left: w.end };
                        self.visit_stretch(view, edge, all, exit.around(end), visit);
                    }
                    None => self.visit_parts(view, exit, SidedEdge { edge, u, w }, visit),
                }
            }
            (edge, u) = (following, w);
        }
    }

    /// Visits what is seen of an edge between the ends of an interval, and what is reached around them.
    #[inline(always)]
    fn visit_parts(
        &mut self,
        view: Expansion,
        exit: IntervalExit<'_>,
        SidedEdge { edge, u, w }: SidedEdge,
        visit: &mut impl FnMut(&mut Self, Successor),
    ) {
        let zero = exit.zero_m2;
        // From the right: beside the right end, between the ends, beside the left end.
        let first = match (u.right < -zero, w.right < -zero) {
            (false, _) => u.end,
            (true, true) => w.end,
            (true, false) => part_of(u.end, w.end, u.right / (u.right - w.right)),
        };
        let last = match (u.left > zero, w.left > zero) {
            (_, false) => w.end,
            (true, true) => u.end,
            (false, true) => part_of(u.end, w.end, u.left / (u.left - w.left)),
        };
        if u.right < -zero && first.place != u.end.place {
            let stretch = VisibleStretch { right: u.end, left: first };
            self.visit_stretch(view, edge, stretch, exit.around(IntervalEnd::Right), visit);
        }
        let is_beside = u.right < -zero && w.right < -zero || u.left > zero && w.left > zero;
        if !is_beside && first.place != last.place {
            let stretch = VisibleStretch { right: first, left: last };
            self.visit_stretch(view, edge, stretch, Some(exit.seen()), visit);
        }
        if w.left > zero && last.place != w.end.place {
            let stretch = VisibleStretch { right: last, left: w.end };
            self.visit_stretch(view, edge, stretch, exit.around(IntervalEnd::Left), visit);
        }
    }

    /// Visits the node behind a stretch of an edge, where there is a root that it is reached from.
    #[inline(always)]
    fn visit_stretch(
        &mut self,
        view: Expansion,
        edge: u32,
        stretch: VisibleStretch,
        from: Option<Interval>,
        visit: &mut impl FnMut(&mut Self, Successor),
    ) {
        if let Some(from) = from
            && let Some(next) = self.offer(view, edge, stretch, from)
        {
            visit(self, next);
        }
    }

    /// The node behind a stretch of an edge, with its lower bound; None when it leads nowhere or a better one
    /// is known.
    #[inline(always)]
    fn offer(
        &mut self,
        view: Expansion,
        edge: u32,
        stretch: VisibleStretch,
        from: Interval,
    ) -> Option<Successor> {
        let surface = view.surface;
        let twin = surface.twin[edge as usize];
        if twin == NONE {
            return None;
        }
        let polygon = surface.face[twin as usize];
        if polygon != self.goal.polygon && self.is_dead_end(surface, twin) {
            return None;
        }
        // A straight line never comes back to where it begins; around a start on a corner it would, again and
        // again.
        if from.root_corner == NONE && polygon == self.start.polygon {
            return None;
        }
        let before = surface.face[edge as usize];
        if from.root_corner != NONE && view.tolls.is_free(before) {
            let best = &mut self.roots[from.root_corner as usize];
            if best.0 != self.generation || from.root_cost < best.1 {
                *best = (self.generation, from.root_cost);
            } else if best.1 + 1e-9 < from.root_cost {
                return None;
            }
        }
        let node = Interval {
            left: stretch.left.place,
            left_corner: stretch.left.corner,
            right: stretch.right.place,
            right_corner: stretch.right.corner,
            edge: twin,
            toll: from.toll + view.tolls.between(before, polygon),
            ..from
        };
        Some(Successor { bound: node.root_cost + node.toll + self.to_go(&node), node })
    }

    #[inline(always)]
    fn is_dead_end(&self, surface: &Topology, entry: u32) -> bool {
        let edges = surface.edges(surface.face[entry as usize]);
        !edges.into_iter().any(|edge| edge != entry && surface.twin[edge as usize] != NONE)
    }

    /// The shortest line from the root through the interval to the goal, whatever lies behind.
    #[inline(always)]
    fn to_go(&self, node: &Interval) -> f64 {
        let (left, right, root) = (node.left, node.right, node.root);
        let mut goal = self.goal.point;
        let side = geom::cross(left, right, goal);
        if side < 0.0 {
            // On this side of the edge: as far as its mirror image.
            let (dx, dz) = (right[0] - left[0], right[1] - left[1]);
            let scale = 2.0 * side / (dx * dx + dz * dz);
            goal = [goal[0] + scale * dz, goal[1] - scale * dx];
        }
        if geom::cross(root, left, goal) > 0.0 {
            length(root, left) + length(left, goal)
        } else if geom::cross(root, right, goal) < 0.0 {
            length(root, right) + length(right, goal)
        } else {
            length(root, goal)
        }
    }
}

/// A node to go on from, and the least that a way through it costs.
#[derive(Clone, Copy)]
struct Successor {
    bound: f64,
    node: Interval,
}

/// A stretch of an edge, seen from behind it.
#[derive(Clone, Copy)]
struct VisibleStretch {
    right: StretchEnd,
    left: StretchEnd,
}

/// An end of a stretch, and the corner there or NONE.
#[derive(Clone, Copy)]
struct StretchEnd {
    place: Point,
    corner: u32,
}

/// A corner, and on which side it lies of the lines from a root through the ends of an interval, as twice an
/// area: negative to the right.
#[derive(Clone, Copy)]
struct SidedCorner {
    end: StretchEnd,
    right: f64,
    left: f64,
}

/// An edge from corner to corner.
#[derive(Clone, Copy)]
struct SidedEdge {
    edge: u32,
    u: SidedCorner,
    w: SidedCorner,
}

#[derive(Clone, Copy)]
enum IntervalEnd {
    Right,
    Left,
}

/// An interval whose polygon is left through its other edges.
#[derive(Clone, Copy)]
struct IntervalExit<'a> {
    node: &'a Interval,
    /// The number of the node.
    at: u32,
    /// Areas below it are none.
    zero_m2: f64,
    /// Whether paths turn at the ends.
    right_turns: bool,
    left_turns: bool,
}

impl<'a> IntervalExit<'a> {
    #[inline(always)]
    fn new(surface: &Topology, node: &'a Interval, at: u32) -> Self {
        let turns = |corner: u32| corner != NONE && surface.turns[corner as usize];
        let (right_turns, left_turns) = (turns(node.right_corner), turns(node.left_corner));
        Self { node, at, zero_m2: surface.rounding_m2, right_turns, left_turns }
    }

    #[inline(always)]
    fn sided(self, end: StretchEnd) -> SidedCorner {
        let side = |through: Point| geom::cross(self.node.root, through, end.place);
        SidedCorner { end, right: side(self.node.right), left: side(self.node.left) }
    }

    /// The end that an edge leads back behind. Such an edge, as one that begins or ends there may, shows
    /// nothing but its outside: one gets across it only around that end.
    #[inline(always)]
    fn behind(self, u: SidedCorner, w: SidedCorner) -> Option<IntervalEnd> {
        let zero = self.zero_m2;
        if u.right >= -zero && w.right < -zero {
            Some(IntervalEnd::Right)
        } else if u.left > zero && w.left <= zero {
            Some(IntervalEnd::Left)
        } else {
            None
        }
    }

    /// What is seen through it.
    #[inline(always)]
    fn seen(self) -> Interval {
        Interval { parent: self.at, ..*self.node }
    }

    /// What is seen from one of its ends; None where paths do not turn there.
    #[inline(always)]
    fn around(self, end: IntervalEnd) -> Option<Interval> {
        let node = self.node;
        let (turns, root, root_corner) = match end {
            IntervalEnd::Right => (self.right_turns, node.right, node.right_corner),
            IntervalEnd::Left => (self.left_turns, node.left, node.left_corner),
        };
        turns.then(|| {
            let root_cost = node.root_cost + node.toll + length(node.root, root);
            Interval { root, root_corner, root_cost, toll: 0.0, parent: self.at, ..*node }
        })
    }
}

/// The corner that an edge begins at.
#[inline(always)]
fn start_of(surface: &Topology, edge: u32) -> StretchEnd {
    StretchEnd { place: surface.from(edge), corner: surface.ring[edge as usize] }
}

/// A point between two corners, or one of them.
#[inline(always)]
fn part_of(u: StretchEnd, w: StretchEnd, part: f64) -> StretchEnd {
    if part <= CORNER_PART {
        return u;
    }
    if part >= 1.0 - CORNER_PART {
        return w;
    }
    let (a, b) = (u.place, w.place);
    StretchEnd { place: [a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])], corner: NONE }
}

/// Where the root lies on the line of the interval, beyond an end, the way leads through that end: it becomes
/// the root. False when it cannot turn there.
#[inline(always)]
fn turn_in(surface: &Topology, node: &mut Interval) -> bool {
    let (left, right, root) = (node.left, node.right, node.root);
    if root == left || root == right || geom::cross(root, left, right).abs() > surface.rounding_m2 {
        return true;
    }
    let along = |point: Point| {
        (point[0] - left[0]) * (right[0] - left[0]) + (point[1] - left[1]) * (right[1] - left[1])
    };
    let (place, whole) = (along(root), along(right));
    let (end, corner) = if place < 0.0 {
        (left, node.left_corner)
    } else if place > whole {
        (right, node.right_corner)
    } else {
        return true;
    };
    if corner == NONE || !surface.turns[corner as usize] {
        return false;
    }
    node.root_cost += node.toll + length(root, end);
    node.toll = 0.0;
    (node.root, node.root_corner) = (end, corner);
    true
}
