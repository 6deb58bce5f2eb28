//! Plans a path over a mesh: where to begin, where to go instead, the search, and its line.
//!
//! In: a map, a query, an allowance. Out: an answer, at once or after some slices. Holds: an unreachable goal
//! is decided by labels, without a search; a path begins at the real start; slices change only when the
//! answer comes. On even ground the path is the shortest one (`polyanya`), else, or where rounding hides that
//! one, the cheaper of two through the corridor of an A* (`corridor`). Others in the way are carved out of
//! the ground; when they close the only way the plan is made once more without them. A way that crosses a
//! one-way area against its direction is searched again with that area as a wall.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use glam::Vec3;

use crate::base::geom::{self, Point};
use crate::base::ids::AreaId;
use crate::nav::link_search::{LinkedPlan, Stage};
use crate::nav::linked::{self, Linked};
use crate::nav::links::{self, Hop};
use crate::nav::mesh::NavMesh;
use crate::nav::mesh::build::MeshView;
use crate::nav::mesh::carve::carve;
use crate::nav::mesh::corridor::crossing;
use crate::nav::mesh::ground_query::MeshGroundQuery;
use crate::nav::mesh::locate::MeshSpot;
use crate::nav::mesh::polygon::length;
use crate::nav::mesh::topology::{NONE, Topology};
use crate::nav::mesh::traversal_cost::TraversalCosts;
use crate::nav::mesh::wall_offset::{WallOffset, WallOffsets, around};
use crate::nav::mesh::waypoints::spread;
use crate::nav::plan::{self, Plan, PlanTask, Remarks, reach};
use crate::nav::search::Search;
use crate::nav::search_state::SearchStep;
use crate::nav::smooth::{Effort, LineTests, Smoothing, SmoothingBill};
use crate::nav::{
    Accept, Backend, Disc, LayerPoint, Links, NodeId, Others, Path, PathAnswer, PathFailure, PathQuery,
    Reach, SearchRecord, Traversal,
};

/// The paused work on one query. Goes with the `Search` it was begun with, and with one revision of the map.
#[derive(Clone, Debug)]
pub(crate) struct MeshPlan {
    /// The walker, with one-way areas as walls once a way has crossed them the wrong way.
    by: Traversal,
    /// The ground, others carved out.
    view: Arc<MeshView>,
    prices: TraversalCosts,
    start: MeshSpot,
    /// Where the start had to be moved to.
    moved: Option<Vec3>,
    target: MeshSpot,
    /// None when the goal itself is reached.
    trouble: Option<PathFailure>,
    others: Others,
    covered: Option<u32>,
    begun: bool,
    /// Whether rounding hid the way from the search for the shortest one.
    is_hidden: bool,
    /// The line over the way found, while it is made.
    line: Option<Box<MeshLine>>,
    /// Charged to searches that have ended.
    spent: u32,
}

/// What a line over polygons costs to look along, about.
const LINE_EFFORT: u64 = 256;

/// A line over the way found as far as it is made.
#[derive(Clone, Debug)]
struct MeshLine {
    /// Through the corridor.
    tight: Vec<Vec3>,
    /// Over the edges that the way crosses; None on even ground, where nothing is shorter than a tight line.
    crossings: Option<Smoothing>,
    bill: SmoothingBill,
}

type BegunMeshPlan = plan::Begun<MeshPlan>;

/// How a search from the goal back comes to a polygon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EnteredBy {
    /// Over this edge, of the polygon before.
    Edge(u32),
    /// Back over the link of this number.
    Link(usize),
    /// It begins there.
    Goal,
}

impl NavMesh {
    /// Whether one point can be reached from another. Cost: two labels when all is legal, and a search where
    /// the direction of areas decides.
    #[must_use]
    pub(crate) fn reach_by_labels(&self, from: Vec3, to: Vec3, by: &Traversal, effort: &Effort) -> Reach {
        reach::<MeshPlan>(self, [from, to], by, effort, &|to, by| {
            let view = self.view(by);
            let trouble = |(start, _)| self.trouble(&view, start, to, by);
            self.begin_at(&view, from, by).map_or_else(Some, trouble).map_or(Reach::Yes, Reach::No)
        })
    }

    /// The place to begin at, and the point when that is not where the body stands.
    fn begin_at(
        &self,
        view: &MeshView,
        point: Vec3,
        by: &Traversal,
    ) -> Result<(MeshSpot, Option<Vec3>), PathFailure> {
        if let Some(spot) = point.is_finite().then(|| view.surface.spot(point)).flatten() {
            return Ok((spot, None));
        }
        if let Some(spot) = self.start_in(view, point, by) {
            return Ok((spot, Some(view.surface.raised(spot))));
        }
        let narrow = Traversal { radius_m: 0.0, ..by.clone() };
        let is_wide = self.key(by).wider_um > 0;
        let fits = is_wide && self.start_in(&self.view(&narrow), point, &narrow).is_some();
        Err(if fits { PathFailure::TooWide } else { PathFailure::StartOffNav })
    }

    /// Why a body that begins at a place does not get to a point; None when it does.
    fn trouble(&self, view: &MeshView, start: MeshSpot, to: Vec3, by: &Traversal) -> Option<PathFailure> {
        let joined = |surface: &Topology, from: Option<MeshSpot>| {
            let ends = from.zip(surface.spot(to));
            ends.is_some_and(|(a, b)| surface.label[a.polygon as usize] == surface.label[b.polygon as usize])
        };
        if joined(&view.surface, Some(start)) {
            return None;
        }
        let from = view.surface.raised(start);
        if let Some(area) = self.first_between(from, to, by) {
            return Some(PathFailure::Area(area));
        }
        if self.key(by).wider_um > 0 {
            let narrow = Traversal { radius_m: 0.0, ..by.clone() };
            let bare = self.view(&narrow);
            if joined(&bare.surface, bare.surface.spot(from)) {
                return Some(PathFailure::TooWide);
            }
        }
        Some(PathFailure::NoPath)
    }

    /// The first area that would have to be opened on a way, over links or without, on the one with the
    /// fewest; of several such ways on the shortest, as far as straight lines from edge to edge tell.
    fn first_between(&self, from: Vec3, to: Vec3, by: &Traversal) -> Option<AreaId> {
        let view = self.view_all_open(by);
        let surface = &view.surface;
        let (start, goal) = (surface.spot(from)?, surface.spot(to)?);
        let shut: Vec<u32> = view.sets.iter().map(|set| self.shut_of(set, by)).collect();
        let group = |polygon: u32| shut[surface.owner[polygon as usize] as usize];
        let ends = |hop: Hop| {
            let places = [surface.spot(hop.from.point)?, surface.spot(hop.to.point)?];
            Some((places, hop.cost_m.max(length(places[0].point, places[1].point))))
        };
        let hops: Vec<([MeshSpot; 2], f64)> =
            links::hops(self.links.all(), by.actions).filter_map(ends).collect();
        // From the goal, so that the parents lead there from the start.
        let mut parents = vec![NONE; surface.polygon_count() as usize];
        let mut places = vec![goal.point; parents.len()];
        let mut open = BinaryHeap::from([Reverse((0_u32, 0_u64, goal.polygon, EnteredBy::Goal))]);
        // Bounded by the edges and links: each is offered once from either side.
        while let Some(Reverse((opened, metres, polygon, entry))) = open.pop() {
            if parents[polygon as usize] != NONE {
                continue;
            }
            let (came_from, place) = match entry {
                EnteredBy::Goal => (goal.polygon, goal.point),
                EnteredBy::Link(at) => (hops[at].0[1].polygon, hops[at].0[0].point),
                EnteredBy::Edge(edge) => {
                    let before = surface.face[edge as usize];
                    let (a, b) = (surface.from(edge), surface.to(edge));
                    (before, crossing(places[before as usize], start.point, a, b))
                }
            };
            parents[polygon as usize] = came_from;
            places[polygon as usize] = place;
            let mut offer = |beyond: u32, over: Point, more_m: f64, entry: EnteredBy| {
                if parents[beyond as usize] == NONE {
                    let opens = group(beyond) != 0 && group(beyond) != group(polygon);
                    let last_m = if beyond == start.polygon { length(over, start.point) } else { 0.0 };
                    let on_m = f64::from_bits(metres) + more_m + last_m;
                    open.push(Reverse((opened + u32::from(opens), on_m.to_bits(), beyond, entry)));
                }
            };
            for edge in surface.edges(polygon) {
                let twin = surface.twin[edge as usize];
                if twin != NONE {
                    let over = crossing(place, start.point, surface.from(edge), surface.to(edge));
                    offer(surface.face[twin as usize], over, length(place, over), EnteredBy::Edge(edge));
                }
            }
            for (at, &([near, far], link_m)) in hops.iter().enumerate() {
                if far.polygon == polygon {
                    let more_m = length(place, far.point) + link_m;
                    offer(near.polygon, near.point, more_m, EnteredBy::Link(at));
                }
            }
        }
        let mut polygon = start.polygon;
        // Bounded by the polygons: parents lead to the goal.
        while parents[polygon as usize] != NONE {
            if group(polygon) != 0 {
                return Some(AreaId(group(polygon) - 1));
            }
            if polygon == goal.polygon {
                return None;
            }
            polygon = parents[polygon as usize];
        }
        None
    }

    /// The last of a set of areas (id + 1) when a body can use none of them; else 0.
    fn shut_of(&self, set: &[u32], by: &Traversal) -> u32 {
        let list = by.through.as_deref().unwrap_or(&[]);
        let can_use = |area: &u32| {
            self.is_there_for(*area as usize, by) || list.iter().any(|entry| entry.0 == AreaId(*area))
        };
        if set.iter().any(can_use) { 0 } else { set.last().map_or(0, |area| area + 1) }
    }

    /// Whether a straight line is clear of walls and of people in the way.
    #[must_use]
    pub(crate) fn is_clear_of_discs(&self, from: Vec3, to: Vec3, by: &Traversal, others: &[Disc]) -> bool {
        let (a, b) = (geom::ground(from), geom::ground(to));
        let is_past = |disc: &Disc| {
            let radius_m = kept_off(disc, a).unwrap_or(0.0) - 2e-3;
            let centre = geom::ground(disc.centre);
            radius_m <= 0.0 || geom::segment_distance_sq(centre, a, b) >= radius_m * radius_m
        };
        MeshGroundQuery::new(self, by).clear(from, to) && others.iter().all(is_past)
    }
}

/// A place a little nearer to a walker than its goal. Around a body in the middle of its ground all places
/// are equally near to the goal: of those this chooses the one on the side that the walker comes from.
fn on_near_side(goal: Vec3, walker: Vec3) -> Vec3 {
    const NEARER_M: f32 = 0.01;
    goal + (walker - goal).with_y(0.0).clamp_length_max(NEARER_M)
}

/// How far to keep from the middle of a body in the way, metres. A body that stands within it may get out,
/// not through. None when nothing has to be kept off.
fn kept_off(disc: &Disc, start: Point) -> Option<f64> {
    if !disc.centre.is_finite() {
        return None;
    }
    let radius_m = if disc.radius_m > 0.0 { f64::from(disc.radius_m) } else { 0.0 };
    let away_m = length(geom::ground(disc.centre), start);
    // The polygon around the circle reaches a hundredth beyond it.
    let free_m = away_m / 1.01 - 0.01;
    Some(if free_m < radius_m { free_m } else { radius_m }).filter(|&radius_m| radius_m > 0.0)
}

impl MeshPlan {
    fn begin_for(map: &NavMesh, query: &PathQuery, by: Traversal, others: Others) -> BegunMeshPlan {
        let fail = |trouble| Box::new(PathAnswer::none(trouble, map.revision()));
        if !query.goal.is_finite() {
            return Err(fail(PathFailure::NoPath));
        }
        let view = map.view(&by);
        let (start, moved) = map.begin_at(&view, query.start, &by).map_err(fail)?;
        let trouble = map.trouble(&view, start, query.goal, &by);
        let label = view.surface.label[start.polygon as usize];
        let is_near = |polygon: u32| view.surface.label[polygon as usize] == label;
        let target = match trouble {
            None => view.surface.spot(query.goal),
            Some(_) => view.surface.nearest_spot(query.goal, f64::INFINITY, is_near),
        };
        let target = target.unwrap_or(start);
        if let (Accept::Exact, Some(trouble)) = (query.accept, trouble) {
            let nearest = Some(view.surface.raised(target));
            return Err(Box::new(PathAnswer { nearest, ..*fail(trouble) }));
        }
        let prices = map.prices(&view, &by);
        let mut plan = Self {
            by,
            view,
            prices,
            start,
            moved,
            target,
            trouble,
            others,
            covered: None,
            begun: false,
            is_hidden: false,
            line: None,
            spent: 0,
        };
        if !plan.keep_out_of_others(map, query) {
            return Self::begin_for(map, query, plan.by, Others::Ignored);
        }
        Ok(plan)
    }

    /// Carves out the people in the way; false when they close the only way.
    fn keep_out_of_others(&mut self, map: &NavMesh, query: &PathQuery) -> bool {
        let discs = query.others.as_deref().unwrap_or(&[]);
        if discs.is_empty() || self.others == Others::Ignored {
            return true;
        }
        let shape = |disc: &Disc| {
            let centre = geom::ground(disc.centre);
            let y = f64::from(disc.centre.y);
            let radius_m = kept_off(disc, self.start.point)?;
            Some(self.keepout(around(centre, radius_m), y))
        };
        let keepouts = WallOffsets::new(discs.iter().filter_map(shape).collect());
        let surface = carve(&self.view.surface, &keepouts);
        let (from, to) = (self.view.surface.raised(self.start), self.view.surface.raised(self.target));
        let Some(start) = surface.spot(from) else { return false };
        let label = surface.label[start.polygon as usize];
        let mut target = surface.spot(to);
        if keepouts.holds(self.target.point, f64::from(to.y)) {
            let away =
                |disc: &Disc| length(geom::ground(disc.centre), self.target.point) - f64::from(disc.radius_m);
            let nearest = (0_u32..).zip(discs).min_by(|a, b| away(a.1).total_cmp(&away(b.1)));
            self.covered = nearest.map(|(at, _)| at);
            self.trouble = self.trouble.or(Some(PathFailure::Occupied));
            let is_joined = |polygon: u32| surface.label[polygon as usize] == label;
            target = surface.nearest_spot(on_near_side(to, from), f64::INFINITY, is_joined);
        }
        let Some(target) = target.filter(|target| surface.label[target.polygon as usize] == label) else {
            return false;
        };
        (self.start, self.target) = (start, target);
        self.view = Arc::new(MeshView { surface, sets: self.view.sets.clone() });
        self.prices = map.prices(&self.view, &self.by);
        true
    }

    /// The ground taken by a body that stands at a height; on flat ground heights have no meaning.
    fn keepout(&self, polygon: Vec<Point>, y: f64) -> WallOffset {
        match self.view.surface.is_flat {
            true => WallOffset::of_all_floors(polygon),
            false => WallOffset::near(polygon, [y, y]),
        }
    }

    /// Whether the shortest way is searched for, not a corridor.
    fn is_any_angle(&self) -> bool {
        self.prices.is_even() && !self.is_hidden
    }

    fn begin_search(&mut self, search: &mut Search) {
        let log = search.log();
        let (surface, scratch) = (&self.view.surface, &mut search.mesh);
        if self.is_any_angle() {
            scratch.polyanya.watch(log);
            scratch.polyanya.begin(surface, self.prices.tolls(), self.start, self.target);
        } else {
            scratch.corridor.watch(log);
            scratch.corridor.begin(surface, &self.prices, self.start, self.target);
        }
        self.begun = true;
    }

    fn step_search(&self, search: &mut Search, allowance: u32) -> SearchStep {
        let (surface, scratch) = (&self.view.surface, &mut search.mesh);
        match self.is_any_angle() {
            true => scratch.polyanya.step(surface, self.prices.tolls(), allowance),
            false => scratch.corridor.step(surface, &self.prices, allowance),
        }
    }

    /// Goes on with the line over the way found; the answer, once it is smooth or the query's limit is
    /// reached.
    fn answer(&mut self, map: &NavMesh, task: PlanTask<'_>, allowance: u32) -> Option<PathAnswer> {
        let PlanTask { query, search } = task;
        let mut line = self.line.take()?;
        let effort = line.bill.slice(allowance);
        let is_smooth = line.crossings.as_mut().is_none_or(|line| self.smooth(line, &effort));
        line.bill.take(&effort);
        let (charged, granted) = (line.bill.charged(), line.bill.granted());
        if !is_smooth && self.spent(search).saturating_add(charged) < query.expansions_max {
            self.line = Some(line);
            return None;
        }
        self.spent = self.spent.saturating_add(charged);
        let whole = self.trouble.is_none();
        let mut points = self.cheaper(*line);
        let surface = &self.view.surface;
        let floored = |point: Vec3, spot: MeshSpot| {
            Vec3::new(point.x, surface.height(spot.polygon, spot.point) as f32, point.z)
        };
        if let Some(last) = points.last_mut().filter(|_| whole) {
            *last = floored(query.goal, self.target);
        }
        if let Some(first) = points.first_mut().filter(|_| self.moved.is_none()) {
            *first = floored(query.start, self.start);
        }
        if self.moved.is_some() {
            points.insert(0, floored(query.start, self.start));
        }
        points.dedup();
        let mut path = Path { whole, revision: map.revision(), ..Path::default() };
        path.length_m = points.windows(2).map(|pair| geom::flat_distance(pair[0], pair[1])).sum();
        path.cost_m = self.prices.along(surface, &points, Some(&mut path.crossings)) as f32;
        path.points = points;
        self.note(search);
        let Self { trouble, others, covered, .. } = *self;
        let expansions = self.spent(search).max(1);
        Some(Remarks { trouble, others, covered, expansions, granted }.of(path))
    }

    /// The line through the way found, with those that may be cheaper.
    fn begin_line(&self, search: &Search, led_off_m: f64) -> MeshLine {
        let (surface, scratch) = (&self.view.surface, &search.mesh);
        let bill = SmoothingBill::after(self.spent(search));
        if self.is_any_angle() {
            let spots = self.corners(&scratch.polyanya.corners());
            let spots = if led_off_m > 0.0 { spread(surface, &spots, led_off_m) } else { spots };
            let tight = spots.into_iter().map(|spot| surface.raised(spot)).collect();
            return MeshLine { tight, crossings: None, bill };
        }
        let mut flat = Vec::new();
        scratch.corridor.points(surface, &mut flat);
        let tight = self.raised(&flat);
        scratch.corridor.crossings(&mut flat);
        MeshLine { tight, crossings: Some(Smoothing::of(self.raised(&flat))), bill }
    }

    /// Goes on until a line is smooth, or the effort is spent; whether it is smooth.
    fn smooth(&self, line: &mut Smoothing, effort: &Effort) -> bool {
        let surface = &self.view.surface;
        let clear = |from: Vec3, to: Vec3| {
            effort.add(LINE_EFFORT);
            let spot = surface.spot(from);
            spot.is_some_and(|spot| surface.line(spot, geom::ground(to), &mut |_, _, _| {}).is_clear)
        };
        let price = |from: Vec3, to: Vec3| {
            effort.add(LINE_EFFORT);
            self.price(&[from, to])
        };
        line.step(&LineTests { clear: &clear, cost: Some(&price) }, effort)
    }

    fn price(&self, points: &[Vec3]) -> u64 {
        (self.prices.along(&self.view.surface, points, None) * 1000.0) as u64
    }

    /// The line over crossings where it is cheaper than the tight one.
    fn cheaper(&self, line: MeshLine) -> Vec<Vec3> {
        let over = line.crossings.map(Smoothing::line);
        over.filter(|over| self.price(over) < self.price(&line.tight)).unwrap_or(line.tight)
    }

    /// The points of a line with the polygons by which it leaves them; those that are corners of the ground
    /// keep their floor, though another lies beside them.
    fn corners(&self, line: &[(Point, u32)]) -> Vec<MeshSpot> {
        let mut spots: Vec<MeshSpot> = Vec::with_capacity(line.len());
        for &(point, corner) in line.iter().rev() {
            spots.push(match spots.last() {
                None => self.target,
                Some(_) if corner == NONE => self.start,
                Some(&next) => MeshSpot { polygon: self.view.surface.leaving(corner, next), point },
            });
        }
        spots.reverse();
        spots
    }

    /// Points of a line with their heights.
    fn raised(&self, flat: &[Point]) -> Vec<Vec3> {
        self.spots(flat).into_iter().map(|spot| self.view.surface.raised(spot)).collect()
    }

    /// Points of a line with the polygons that they lie on.
    fn spots(&self, flat: &[Point]) -> Vec<MeshSpot> {
        let mut spot = self.start;
        let mut spots = Vec::with_capacity(flat.len());
        for &point in flat {
            let polygon = self.view.surface.line(spot, point, &mut |_, _, _| {}).end.polygon;
            spot = MeshSpot { polygon, point };
            spots.push(spot);
        }
        spots
    }

    /// Keeps what the search looked at, for pictures.
    fn note(&self, search: &mut Search) {
        if !search.is_watched() {
            return;
        }
        let surface = &self.view.surface;
        let nodes = |polygons: &mut dyn Iterator<Item = u32>| polygons.map(NodeId).collect::<Vec<_>>();
        let scratch = &mut search.mesh;
        let (expanded, frontier) = match self.is_any_angle() {
            true => (
                nodes(&mut scratch.polyanya.expanded().iter().copied()),
                nodes(&mut scratch.polyanya.frontier(surface)),
            ),
            false => (nodes(&mut scratch.corridor.expanded().iter().copied()), Vec::new()),
        };
        scratch.record = SearchRecord { expanded, frontier, raw: Vec::new() };
    }
}

impl Plan for MeshPlan {
    type Map = NavMesh;

    fn begin(map: &NavMesh, query: &PathQuery) -> BegunMeshPlan {
        Self::begin_for(map, query, query.by.clone(), Others::Avoided)
    }

    fn spent(&self, search: &Search) -> u32 {
        let running = match (self.begun, self.is_any_angle()) {
            (false, _) => 0,
            (true, true) => search.mesh.polyanya.spent(),
            (true, false) => search.mesh.corridor.spent(),
        };
        let smoothed = self.line.as_ref().map_or(0, |line| line.bill.charged());
        self.spent.saturating_add(running).saturating_add(smoothed)
    }

    fn step(&mut self, map: &NavMesh, task: PlanTask<'_>, allowance: u32) -> Option<PathAnswer> {
        let PlanTask { query, search } = task;
        let stop_at = self.spent(search).saturating_add(allowance);
        // Bounded by the one-way areas: each round ends a search, bars an area or spends the allowance.
        loop {
            let spent = self.spent(search);
            let left = stop_at.min(query.expansions_max).saturating_sub(spent);
            if self.line.is_some() {
                let answer = self.answer(map, PlanTask { query, search: &mut *search }, left)?;
                let Some(area) = self.by.wrong_way_along(&answer.path.points, map.gate()) else {
                    return Some(answer);
                };
                let spent = self.spent(search);
                match Self::begin_for(map, query, self.by.barring(&[area]), self.others) {
                    Ok(again) => *self = Self { spent, ..again },
                    Err(answer) => return Some(PathAnswer { expansions: spent, ..*answer }),
                }
                continue;
            }
            let none =
                |trouble| PathAnswer { expansions: spent, ..PathAnswer::none(trouble, map.revision()) };
            if spent >= query.expansions_max {
                return Some(none(PathFailure::Limit));
            }
            if spent >= stop_at {
                return None;
            }
            if !self.begun {
                self.begin_search(search);
            }
            match self.step_search(search, left) {
                SearchStep::Running => {}
                SearchStep::Found => {
                    self.line = Some(Box::new(self.begin_line(search, map.led_off_m(&self.by))))
                }
                // Labels say that there is a way: nothing but rounding can have hidden it.
                SearchStep::Exhausted if self.is_any_angle() => {
                    self.spent = self.spent(search);
                    (self.is_hidden, self.begun) = (true, false);
                }
                SearchStep::Exhausted => return Some(none(PathFailure::NoPath)),
            }
        }
    }
}

impl Linked for NavMesh {
    fn links(&self) -> &Links {
        &self.links
    }

    fn reach_without(&self, query: &PathQuery, [from, to]: [Vec3; 2]) -> Reach {
        self.reach_by_labels(from, to, &query.by, &Effort::endless())
    }
}

impl Stage for NavMesh {
    type Leg = MeshPlan;

    fn begin(&self, query: &PathQuery) -> plan::Begun<LinkedPlan<Self>> {
        linked::begin(self, query)
    }

    fn ground(&self, _: &Traversal) -> &Self {
        self
    }

    /// The least factor.
    type LegBounds = f64;

    fn leg_bounds(&self, by: &Traversal) -> f64 {
        // Costs are rounded to single precision: a little less.
        f64::from(self.cheapest_factor_for(by.areas.as_deref())) * 0.9999
    }

    fn least_m(&self, least_factor: &f64, from: LayerPoint, to: LayerPoint) -> f64 {
        f64::from(geom::flat_distance(from.point, to.point)) * least_factor
    }

    fn leg_m(_: &MeshPlan, answer: &PathAnswer) -> f64 {
        f64::from(answer.path.cost_m)
    }

    fn standing(&self, at: LayerPoint) -> Vec3 {
        at.point
    }
}
