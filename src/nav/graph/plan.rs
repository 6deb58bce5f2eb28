//! From a query to a path over points and links.
//!
//! In: a map, a query, an allowance. Out: an answer, at once or after some slices. Holds: an unreachable goal is decided by
//! labels, without a search; the path begins at the real start and ends at the goal itself, both on their links; every straight
//! line of it is a link, or is clear; slices change nothing but when. Others in the way close the links that they stand on; when
//! that closes the only way the plan is made once more without them. Ways between parts worked out beforehand are used where
//! they are at most a tenth dearer than the cheapest way can be.

use glam::Vec3;

use crate::base::cost::Cost;
use crate::nav::graph::footing::GraphFooting;
use crate::nav::graph::lookup::Spot;
use crate::nav::graph::map::{Passage, PointGraph, disc_meets};
use crate::nav::graph::net::{NetStep, link_mm};
use crate::nav::graph::routes::Tip;
use crate::nav::smooth::{Lines, smooth};
use crate::nav::{
    Accept, Crossing, Disc, Ends, Graph, NodeId, Others, Path, PathAnswer, PathQuery, PathStatus,
    PathTrouble, Search, Step, Traversal,
};

/// The paused work on one query.
#[derive(Clone, Debug)]
pub(crate) struct GraphPlan {
    start: Spot,
    goal: Spot,
    /// Where the path begins and ends, at the height of the ground.
    ends: [Vec3; 2],
    trouble: Option<PathTrouble>,
    others: Others,
    covered: Option<u32>,
    /// Links that others stand on, sorted.
    held: Vec<u32>,
    begun: bool,
    /// Whether ways worked out beforehand have yet to be tried.
    tries_parts: bool,
    spent: u32,
}

/// What the search sees: the graph, and the two ends as points of their own.
struct Ways<'a> {
    map: &'a PointGraph,
    start: &'a Spot,
    goal: &'a Spot,
    held: &'a [u32],
    cheapest: f64,
}

impl Ways<'_> {
    fn start_node(&self) -> u32 {
        self.map.net().points().len() as u32
    }

    fn place(&self, node: u32) -> Vec3 {
        let points = self.map.net().points();
        match (node as usize).checked_sub(points.len()) {
            None => points[node as usize],
            Some(0) => self.start.point,
            Some(_) => self.goal.point,
        }
    }

    /// What a stretch of a link costs that begins at a point of the graph, or between two.
    fn price(&self, from: Option<u32>, link: u32, length_mm: u32, by: &Traversal) -> Option<Cost> {
        if self.held.binary_search(&link).is_ok() {
            return None;
        }
        let mm = f64::from(length_mm);
        let cost = match self.map.passage(link, by) {
            Passage::Closed => return None,
            Passage::Open(factor) => mm * f64::from(factor),
            Passage::Through(area, metres) => {
                let is_inside = from.is_some_and(|from| self.map.area_of_point(from) == Some(area));
                mm + if is_inside { 0.0 } else { f64::from(metres) * 1000.0 }
            }
        };
        // The cast saturates: a price without limit is no way through.
        Some(Cost((cost.ceil() as u32).max(1)))
    }
}

impl Graph for Ways<'_> {
    fn node_count(&self) -> u32 {
        self.start_node() + 2
    }

    fn for_each_edge(&self, from: NodeId, by: &Traversal, visit: &mut impl FnMut(NodeId, Cost)) {
        let (net, start) = (self.map.net(), self.start_node());
        if from.0 == start {
            let begin = self.start.point;
            for end in net.links()[self.start.link as usize] {
                if let Some(cost) = self.price(None, self.start.link, link_mm(begin, self.place(end)), by) {
                    visit(NodeId(end), cost);
                }
            }
            if self.start.link == self.goal.link
                && let Some(cost) = self.price(None, self.start.link, link_mm(begin, self.goal.point), by)
            {
                visit(NodeId(start + 1), cost);
            }
            return;
        }
        for &NetStep { to, link, cost_mm } in net.steps(from.0) {
            if let Some(cost) = self.price(Some(from.0), link, cost_mm, by) {
                visit(NodeId(to), cost);
                if link == self.goal.link {
                    let part_mm = link_mm(self.place(from.0), self.goal.point);
                    if let Some(cost) = self.price(Some(from.0), link, part_mm, by) {
                        visit(NodeId(start + 1), cost);
                    }
                }
            }
        }
    }

    fn heuristic(&self, from: NodeId, to: NodeId, _by: &Traversal) -> Cost {
        let length = (self.place(to.0).as_dvec3() - self.place(from.0).as_dvec3()).length();
        Cost((length * 1000.0 * self.cheapest) as u32)
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
        let Some(start) = map.start_spot(query.start, by) else {
            return Err(Box::new(none(PathTrouble::StartOffNav)));
        };
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
            ends: [start.above(query.start), end],
            start,
            goal,
            trouble,
            others: Others::Avoided,
            covered: None,
            held: Vec::new(),
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
    fn shortcut(&mut self, map: &PointGraph, query: &PathQuery, search: &mut Search) -> Option<Vec<u32>> {
        let is_plain = |link: u32| map.passage(link, &query.by) == Passage::Open(1.0);
        let is_open = |link: u32| is_plain(link) && self.held.binary_search(&link).is_err();
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
        self.spent.saturating_add(if self.begun { search.spent() } else { 0 })
    }

    /// Goes on until there is an answer or the allowance is spent.
    pub(crate) fn step(
        &mut self,
        map: &PointGraph,
        (query, search): (&PathQuery, &mut Search),
        allowance: u32,
    ) -> Option<PathAnswer> {
        let stop_at = self.spent(search).saturating_add(allowance);
        if std::mem::take(&mut self.tries_parts)
            && let Some(points) = self.shortcut(map, query, search)
        {
            return Some(self.answer(map, query, &points));
        }
        // Bounded: the search ends or the allowance does; it begins anew without others once at most.
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
                Step::Running => {}
                Step::Found => {
                    let mut nodes = Vec::new();
                    search.nodes(&mut nodes);
                    let inner = nodes.get(1..nodes.len().saturating_sub(1)).unwrap_or_default();
                    let points: Vec<u32> = inner.iter().map(|node| node.0).collect();
                    self.spent = self.spent(search);
                    self.begun = false;
                    return Some(self.answer(map, query, &points));
                }
                Step::Exhausted if self.held.is_empty() => {
                    self.spent = self.spent(search);
                    self.begun = false;
                    return Some(self.none(map, PathTrouble::NoPath));
                }
                Step::Exhausted => {
                    self.spent = self.spent(search);
                    self.begun = false;
                    self.held.clear();
                    self.others = Others::Ignored;
                }
            }
        }
    }

    fn step_search(&mut self, map: &PointGraph, query: &PathQuery, search: &mut Search, left: u32) -> Step {
        let ways = Ways {
            map,
            start: &self.start,
            goal: &self.goal,
            held: &self.held,
            cheapest: f64::from(map.cheapest_factor().min(own_cheapest(&query.by))),
        };
        if !self.begun {
            let start = ways.start_node();
            search.begin_graph(&ways, &query.by, Ends { start: NodeId(start), goal: NodeId(start + 1) });
            self.begun = true;
        }
        search.step_graph(&ways, &query.by, left)
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
        let footing = GraphFooting::new(map, by);
        let others: &[Disc] = match self.others {
            Others::Avoided => query.others.as_deref().unwrap_or(&[]),
            Others::Ignored => &[],
        };
        let clear = |from: Vec3, to: Vec3| {
            let meets = |disc: &Disc| !disc_meets(disc, start, start) && disc_meets(disc, from, to);
            let (is_clear, reached) = footing.sight(from, to);
            is_clear && (reached.y - to.y).abs() < 0.1 && !others.iter().any(meets)
        };
        let is_even = map.cheapest_factor() == 1.0 && own_cheapest(by) == 1.0 && by.areas.is_none();
        let cost = |from: Vec3, to: Vec3| {
            map.straight(from, to, by).map_or(u64::from(link_mm(from, to)), |cost| u64::from(cost.0))
        };
        let mut points =
            smooth(&points, &Lines { clear: &clear, cost: if is_even { None } else { Some(&cost) } });
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
fn tips(map: &PointGraph, spot: &Spot) -> [Tip; 2] {
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
                cost_m += map.straight(pair[0], pair[1], by).map_or(stretch_m, |cost| map.metres(cost));
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
