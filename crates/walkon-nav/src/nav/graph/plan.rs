//! From a query to a path over points and links.
//!
//! In: a map, a query, an allowance. Out: an answer, at once or after some slices. Holds: an unreachable goal
//! is decided by labels, without a search; the path begins at the real start and ends at the goal itself,
//! both on their links; every straight line of it is a link, or is clear; slices change nothing but when.
//! Others in the way close the links that they stand on; when that closes the only way the plan is made once
//! more without them. Ways between parts worked out beforehand are used where they are at most a tenth more
//! expensive than the cheapest way can be.

use std::cell::RefCell;

use glam::Vec3;

use crate::nav::graph::adjacency::{AdjacentPoint, link_mm};
use crate::nav::graph::astar::{EXACT, LinkCosts, Toward};
use crate::nav::graph::dijkstra::{FAR, Tip};
use crate::nav::graph::ground_query::{Chain, GraphGroundQuery};
use crate::nav::graph::lookup::LinkSpot;
use crate::nav::graph::map::{Passage, PointGraph, disc_meets};
use crate::nav::graph::precomputed_routes::left_of;
use crate::nav::graph::scratch::Scratch;
use crate::nav::smooth::{Lines, smooth};
use crate::nav::{
    Accept, Backend, Crossing, Disc, Others, Path, PathAnswer, PathQuery, PathStatus, PathTrouble, Search,
    SearchStep, Traversal,
};

/// How much the points of a way may differ in height on level ground, metres.
const LEVEL_M: f32 = 1e-3;

/// The paused work on one query.
#[derive(Clone, Debug)]
pub(crate) struct GraphPlan {
    start: LinkSpot,
    goal: LinkSpot,
    /// Where the path begins and ends, at the height of the ground.
    ends: [Vec3; 2],
    trouble: Option<PathTrouble>,
    others: Others,
    covered: Option<u32>,
    /// Links that others stand on, sorted.
    held: Vec<u32>,
    /// What links are to the one who asks, by what lies across them.
    passages: Vec<Passage>,
    begun: bool,
    /// Whether ways worked out beforehand have yet to be tried.
    tries_parts: bool,
    spent: u32,
}

/// What steps cost: the length of a link at the price of what lies across it.
#[derive(Clone, Copy)]
struct LinkPrices<'a> {
    map: &'a PointGraph,
    held: &'a [u32],
    passages: &'a [Passage],
}

impl LinkPrices<'_> {
    /// What a step costs; [`FAR`] where nobody may go, or others stand.
    #[inline(always)]
    fn step(self, from: u32, step: AdjacentPoint) -> u32 {
        let is_held = !self.held.is_empty() && self.held.binary_search(&step.link).is_ok();
        match self.map.set_across(step.link) {
            _ if is_held => FAR,
            0 => step.cost_mm,
            set => self.stretch(Some(from), self.passages[set as usize], step.cost_mm),
        }
    }

    /// What a stretch of a link costs that begins at a point of the graph, or between two.
    fn stretch(self, from: Option<u32>, passage: Passage, length_mm: u32) -> u32 {
        let mm = f64::from(length_mm);
        let cost = match passage {
            Passage::Closed => return FAR,
            Passage::Open(factor) => mm * f64::from(factor),
            Passage::Through(area, metres) => {
                let is_inside = from.is_some_and(|from| self.map.area_of_point(from) == Some(area));
                mm + if is_inside { 0.0 } else { f64::from(metres) * 1000.0 }
            }
        };
        // The cast saturates: a price without limit is no way through.
        (cost.ceil() as u32).max(1)
    }

    /// What a stretch of the link of a spot costs from the spot, or to it.
    fn part(self, from: Option<u32>, spot: &LinkSpot, [a, b]: [Vec3; 2]) -> u32 {
        self.stretch(from, self.passages[self.map.set_across(spot.link) as usize], link_mm(a, b))
    }
}

impl GraphPlan {
    /// Decides all that needs no search: the answer, or the work that is left.
    pub(crate) fn begin(map: &PointGraph, query: &PathQuery) -> Result<Self, Box<PathAnswer>> {
        let none = |trouble| PathAnswer {
            trouble: Some(trouble),
            revision: map.revision(),
            ..PathAnswer::default()
        };
        let by = &query.by;
        if !map.fits(by) {
            return Err(Box::new(none(PathTrouble::TooWide)));
        }
        if !query.goal.is_finite() {
            return Err(Box::new(none(PathTrouble::NoPath)));
        }
        let under = map.spot_through(query.start, by);
        let Some(start) = under.or_else(|| map.start_spot(query.start, by)) else {
            return Err(Box::new(none(PathTrouble::StartOffNav)));
        };
        // A body off the ground walks to the nearest place of it first, not straight to the first point of
        // the way.
        let began = if under.is_some() { start.above(query.start) } else { start.point };
        let labels = map.labels(by);
        let trouble = map.trouble(&labels, &start, query.goal, by);
        let label = |link: u32| labels[map.net().links()[link as usize][0] as usize];
        let goal = match trouble {
            None => map.spot_through(query.goal, by),
            Some(_) => map.lookup().nearest(map.net(), query.goal, f32::INFINITY, &|link| {
                label(link) == label(start.link) && map.passage(link, by) != Passage::Closed
            }),
        };
        let Some(goal) = goal else { return Err(Box::new(none(PathTrouble::NoPath))) };
        let end = if trouble.is_none() { goal.above(query.goal) } else { goal.point };
        if let (Accept::Exact, Some(trouble)) = (query.accept, trouble) {
            return Err(Box::new(PathAnswer { nearest: Some(end), ..none(trouble) }));
        }
        let mut plan = Self {
            ends: [began, end],
            start,
            goal,
            trouble,
            others: Others::Avoided,
            covered: None,
            held: Vec::new(),
            passages: map.passages(by),
            begun: false,
            tries_parts: uses_parts(map, by) && start.link != goal.link,
            spent: 0,
        };
        plan.keep_out_of_others(map, query);
        Ok(plan)
    }

    /// Closes the links that others stand on, but for the one it begins on and the one it ends on.
    fn keep_out_of_others(&mut self, map: &PointGraph, query: &PathQuery) {
        let discs = query.others.as_deref().unwrap_or(&[]);
        let covers = |disc: &Disc| disc_meets(disc, self.ends[1], self.ends[1]);
        self.covered = discs.iter().position(covers).map(|at| at as u32);
        if self.covered.is_some() {
            self.trouble = self.trouble.or(Some(PathTrouble::Occupied));
        }
        let mut near = Vec::new();
        for disc in discs.iter().filter(|disc| disc.centre.is_finite()) {
            map.lookup().along(disc.centre, disc.centre, disc.radius_m.max(0.0), &mut near);
            for &link in &near {
                let [a, b] = map.net().links()[link as usize].map(|end| map.net().points()[end as usize]);
                if link != self.start.link && link != self.goal.link && disc_meets(disc, a, b) {
                    self.held.push(link);
                }
            }
        }
        self.held.sort_unstable();
        self.held.dedup();
    }

    /// A way worked out beforehand, where there is one that is good enough.
    fn shortcut(&mut self, map: &PointGraph, search: &mut Search) -> Option<Vec<u32>> {
        let is_plain = |link: u32| self.passages[map.set_across(link) as usize] == Passage::Open(1.0);
        let is_open =
            |link: u32| is_plain(link) && (self.held.is_empty() || self.held.binary_search(&link).is_err());
        if !is_plain(self.start.link) || !is_plain(self.goal.link) {
            return None;
        }
        let [from, to] = [&self.start, &self.goal].map(|spot| tips(map, spot));
        let (found, looked) = map.routes().shortcut(map.net(), (&from, &to), is_open, search);
        self.spent = self.spent.saturating_add(looked);
        found.map(|route| route.points)
    }

    /// Charged so far.
    pub(crate) fn spent(&self, search: &Search) -> u32 {
        self.spent.saturating_add(if self.begun { search.graph.finder.spent() } else { 0 })
    }

    /// Goes on until there is an answer or the allowance is spent.
    pub(crate) fn step(
        &mut self,
        map: &PointGraph,
        (query, search): (&PathQuery, &mut Search),
        allowance: u32,
    ) -> Option<PathAnswer> {
        let stop_at = self.spent(search).saturating_add(allowance);
        if !self.begun && self.spent == 0 {
            search.forget_nodes();
        }
        if std::mem::take(&mut self.tries_parts)
            && let Some(points) = self.shortcut(map, search)
        {
            search.graph.note_found(&points);
            return Some(self.answer(map, query, &points));
        }
        // Bounded: the search ends or the allowance does; it begins again without others once at most.
        loop {
            let left = stop_at.saturating_sub(self.spent(search));
            let limit = query.expansions_max.saturating_sub(self.spent(search));
            if limit == 0 {
                self.spent = self.spent(search);
                return Some(self.none(map, PathTrouble::Limit));
            }
            if left == 0 {
                return None;
            }
            match self.step_search(map, query, search, left.min(limit)) {
                SearchStep::Running => {}
                SearchStep::Found => {
                    let points = search.graph.finder.way();
                    search.graph.note_found(&points);
                    self.spent = self.spent(search);
                    self.begun = false;
                    return Some(self.answer(map, query, &points));
                }
                SearchStep::Exhausted if self.held.is_empty() => {
                    self.spent = self.spent(search);
                    self.begun = false;
                    return Some(self.none(map, PathTrouble::NoPath));
                }
                SearchStep::Exhausted => {
                    self.spent = self.spent(search);
                    self.begun = false;
                    self.held.clear();
                    self.others = Others::Ignored;
                }
            }
        }
    }

    fn step_search(
        &mut self,
        map: &PointGraph,
        query: &PathQuery,
        search: &mut Search,
        left: u32,
    ) -> SearchStep {
        let prices = LinkPrices { map, held: &self.held, passages: &self.passages };
        let (net, [start, goal]) = (map.net(), [&self.start, &self.goal]);
        let place = |at: u32| net.points()[at as usize];
        let to: [Tip; 2] = net.links()[goal.link as usize]
            .map(|end| (end, prices.part(Some(end), goal, [place(end), goal.point])));
        let cheapest = f64::from(map.cheapest_factor().min(own_cheapest(&query.by)));
        let toward = Toward::new(net, &to, cheapest);
        let is_watched = search.is_watched();
        let Search { graph: Scratch { finder, .. }, popped, .. } = search;
        if !self.begun {
            let from = net.links()[start.link as usize]
                .map(|end| (end, prices.part(None, start, [start.point, place(end)])));
            let is_one = start.link == goal.link;
            let whole = if is_one { prices.part(None, start, [start.point, goal.point]) } else { FAR };
            finder.begin(&toward, from.into_iter().filter(|tip| tip.1 != FAR), whole, EXACT);
            self.begun = true;
        }
        let price = |from, step| prices.step(from, step);
        let ground = LinkCosts { net, toward: &toward, price, left: |at: u32| left_of(&to, at) };
        finder.step(&ground, left, |node| {
            if is_watched {
                popped.push(node);
            }
        })
    }

    fn none(&self, map: &PointGraph, trouble: PathTrouble) -> PathAnswer {
        PathAnswer {
            trouble: Some(trouble),
            revision: map.revision(),
            expansions: self.spent,
            others: self.others,
            ..PathAnswer::default()
        }
    }

    fn answer(&self, map: &PointGraph, query: &PathQuery, nodes: &[u32]) -> PathAnswer {
        let by = &query.by;
        let [start, end] = self.ends;
        let mut points = vec![start];
        points.extend(nodes.iter().map(|&node| map.net().points()[node as usize]));
        points.push(end);
        points.dedup();
        let footing = GraphGroundQuery::new(map, by);
        let others: &[Disc] = match self.others {
            Others::Avoided => query.others.as_deref().unwrap_or(&[]),
            Others::Ignored => &[],
        };
        let level = points.first().map_or(0.0, |first| first.y);
        let is_level_way = points.iter().all(|point| (point.y - level).abs() < LEVEL_M);
        // The links below the last line that was found clear: what it costs is asked next.
        let last: RefCell<(Vec3, Vec3, Chain)> = RefCell::default();
        let is_open = |link: u32| map.is_open(link, by);
        let clear = |from: Vec3, to: Vec3| {
            let meets = |disc: &Disc| !disc_meets(disc, start, start) && disc_meets(disc, from, to);
            if others.iter().any(meets) {
                return false;
            }
            if is_level_way {
                let (is_clear, reached) = footing.sight(from, to);
                return is_clear && is_level(reached, to);
            }
            let chain = footing.chain((from, to), &is_open);
            let is_clear = footing.end_over(to, &chain).is_some_and(|end| is_level(end, to));
            if is_clear {
                *last.borrow_mut() = (from, to, chain);
            }
            is_clear
        };
        let is_plain = map.is_plain() && by.areas.is_none();
        let usable = |link: u32| map.passage(link, by) != Passage::Closed;
        let price = |from: Vec3, to: Vec3| {
            map.straight(from, to, by).map_or(u64::from(link_mm(from, to)), |cost| u64::from(cost.0))
        };
        let bends = |from: Vec3, to: Vec3| {
            let last = last.borrow();
            let is_known = (last.0, last.1) == (from, to);
            if is_known {
                footing.bends_over((from, to), &last.2)
            } else {
                footing.bends((from, to), &usable)
            }
        };
        // Over steps and slopes a line is as long as the ground below it.
        let cost = |from: Vec3, to: Vec3| {
            let bends = if is_level_way { Vec::new() } else { bends(from, to) };
            let stops = std::iter::once(from).chain(bends.iter().copied());
            let stretches = stops.zip(bends.iter().copied().chain([to]));
            stretches
                .map(|(from, to)| if is_plain { u64::from(link_mm(from, to)) } else { price(from, to) })
                .sum()
        };
        let mut points = smooth(
            &points,
            &Lines { clear: &clear, cost: if is_plain && is_level_way { None } else { Some(&cost) } },
        );
        let covered = self.covered.filter(|_| self.others == Others::Avoided || self.covered.is_some());
        if let Some(disc) =
            covered.and_then(|at| query.others.as_deref().and_then(|discs| discs.get(at as usize)))
        {
            stop_beside(&mut points, disc);
        }
        let real = Vec3::new(query.start.x, start.y, query.start.z);
        if real != points[0] {
            points.insert(0, real);
        }
        let points = laid(&footing, &points, &usable);
        let whole = self.trouble.is_none();
        let end = points.last().copied().unwrap_or(start);
        let mut path = Path { points, whole, revision: map.revision(), ..Path::default() };
        measure(map, by, &mut path);
        PathAnswer {
            status: if whole { PathStatus::Complete } else { PathStatus::Partial },
            trouble: self.trouble,
            path,
            nearest: (!whole).then_some(end),
            expansions: self.spent,
            revision: map.revision(),
            others: self.others,
            covered,
        }
    }
}

/// The ends of the link of a place, the nearer first.
fn tips(map: &PointGraph, spot: &LinkSpot) -> [Tip; 2] {
    let ends = map.net().links()[spot.link as usize];
    let mut tips = ends.map(|end| (end, link_mm(spot.point, map.net().points()[end as usize])));
    tips.sort_unstable_by_key(|&(at, cost)| (cost, at));
    tips
}

/// Whether ways worked out beforehand, on plain ground and with every door open, may serve somebody.
fn uses_parts(map: &PointGraph, by: &Traversal) -> bool {
    map.routes().part_count() > 0
        && by.through.is_none()
        && by.areas.is_none()
        && map.cheapest_factor() >= 1.0
}

/// The cheapest of the prices that areas have for somebody alone.
fn own_cheapest(by: &Traversal) -> f32 {
    by.areas.iter().flat_map(|list| list.iter()).filter_map(|(_, factor)| *factor).fold(1.0, f32::min)
}

/// Ends a way where it comes within the circle of the one who stands on its goal.
fn stop_beside(points: &mut Vec<Vec3>, disc: &Disc) {
    let radius = disc.radius_m.max(0.0);
    let is_outside = |point: Vec3| crate::base::geom::flat_distance(point, disc.centre) >= radius;
    // Bounded: each round drops a point or cuts the last stretch.
    while points.len() > 1 {
        let (before, last) = (points[points.len() - 2], points[points.len() - 1]);
        if is_outside(last) {
            return;
        }
        if !is_outside(before) {
            points.pop();
            continue;
        }
        let (mut outside, mut inside) = (0.0f32, 1.0f32);
        for _ in 0..24 {
            let middle = 0.5 * (outside + inside);
            if is_outside(before.lerp(last, middle)) { outside = middle } else { inside = middle }
        }
        let at = points.len() - 1;
        points[at] = before.lerp(last, outside);
        return;
    }
}

/// The same way with a point wherever the ground below it bends: it lies on the links.
fn laid(footing: &GraphGroundQuery<'_>, points: &[Vec3], usable: &dyn Fn(u32) -> bool) -> Vec<Vec3> {
    let mut way: Vec<Vec3> = points.first().copied().into_iter().collect();
    for pair in points.windows(2) {
        way.extend(footing.bends((pair[0], pair[1]), usable));
        way.push(pair[1]);
    }
    way
}

/// Whether a line that ends at a point ends where it was to end, and not on a link above or below.
fn is_level(end: Vec3, to: Vec3) -> bool {
    (end.y - to.y).abs() < 0.1
}

/// Fills in length, cost, and the closed areas that the path goes through.
fn measure(map: &PointGraph, by: &Traversal, path: &mut Path) {
    let (mut length_m, mut cost_m) = (0.0f64, 0.0f64);
    for pair in path.points.windows(2) {
        let stretch_m = f64::from(pair[0].distance(pair[1]));
        let flat_m = f64::from(crate::base::geom::flat_distance(pair[0], pair[1]));
        let passage = map.spot_through(pair[0].midpoint(pair[1]), by).map(|spot| map.passage(spot.link, by));
        let from_m = length_m;
        length_m += flat_m;
        match passage {
            Some(Passage::Open(_)) | Some(Passage::Closed) | None => {
                // Where links fork above one another the straight line may be another than the one meant.
                let (_, end) = map.sight(pair[0], pair[1], by);
                let straight = map.straight(pair[0], pair[1], by).filter(|_| is_level(end, pair[1]));
                let factor = if let Some(Passage::Open(factor)) = passage { f64::from(factor) } else { 1.0 };
                cost_m += straight.map_or(stretch_m * factor, |cost| map.metres(cost));
            }
            Some(Passage::Through(area, metres)) => {
                cost_m += stretch_m;
                let [enter_m, leave_m] = [from_m as f32, length_m as f32];
                match path.crossings.last_mut() {
                    Some(last) if last.area == area && enter_m <= last.leave_m + map.width_m() => {
                        last.leave_m = leave_m
                    }
                    _ => {
                        cost_m += f64::from(metres);
                        path.crossings.push(Crossing { area, enter_m, leave_m });
                    }
                }
            }
        }
    }
    (path.length_m, path.cost_m) = (length_m as f32, cost_m as f32);
}
