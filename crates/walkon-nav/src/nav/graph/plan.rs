//! Plans a path over points and links.
//!
//! In: a map, a query, an allowance. Out: an answer, at once or after some slices. Holds: an unreachable goal
//! is decided by labels, without a search; the path begins at the real start and ends at the goal itself,
//! both on their links; every straight line of it is a link, or is clear; slices change nothing but when.
//! Others in the way close the links that they stand on; when that closes the only way the plan is made once
//! more without them. Ways between parts worked out beforehand are used where they are at most a tenth more
//! expensive than the cheapest way can be, and the line that is drawn over them is at most a tenth longer
//! than the straight line: so no line over parts is a tenth longer than the line over the cheapest way.

use std::cell::RefCell;

use glam::Vec3;

use crate::base::geom::Segment;
use crate::base::ordered;
use crate::nav::graph::astar::{EXACT, LinkCosts, Toward};
use crate::nav::graph::climb::{ClimbingWay, is_climb, is_steep};
use crate::nav::graph::dijkstra::{FAR, Tip};
use crate::nav::graph::footing::{Footing, FootingKind};
use crate::nav::graph::ground_query::{Chain, GraphGroundQuery, is_level};
use crate::nav::graph::line_price::LinePrices;
use crate::nav::graph::link_rows::{AdjacentPoint, DEAREST, link_mm};
use crate::nav::graph::lookup::LinkSpot;
use crate::nav::graph::map::{LinkPassage, PointGraph, disc_meets};
use crate::nav::graph::precomputed_routes::left_of;
use crate::nav::graph::scratch::GraphScratch;
use crate::nav::link_search::{LinkedPlan, Stage};
use crate::nav::linked::{self, Linked};
use crate::nav::plan::{Begun, Plan, PlanTask, Remarks, reach};
use crate::nav::smooth::{Effort, LineTests, Smoothing, SmoothingBill};
use crate::nav::{
    Accept, Backend, Crossing, Disc, LayerChange, LayerPoint, Links, Others, Path, PathAnswer, PathFailure,
    PathQuery, Reach, Search, SearchStep, Traversal,
};

/// How much the points of a way may differ in height on level ground, metres.
const LEVEL_M: f32 = 1e-3;

/// The paused work on one query.
#[derive(Clone, Debug)]
pub(crate) struct GraphPlan {
    start: Footing,
    /// The links on which it may end, the one right below its end first; none where it ends beside its start.
    goals: Vec<LinkSpot>,
    /// Where the path begins and ends, at the height of the ground.
    ends: [Vec3; 2],
    trouble: Option<PathFailure>,
    others: Others,
    covered: Option<u32>,
    /// Links that others stand on, sorted.
    held: Vec<u32>,
    /// What is asked, where one-way areas that a way crossed the wrong way are walls; None: as it was asked.
    walled: Option<Box<PathQuery>>,
    /// What links are to the body that asks, by what lies across them.
    passages: Vec<LinkPassage>,
    begun: bool,
    /// Whether ways worked out beforehand have yet to be tried.
    tries_parts: bool,
    /// Whether the line leads over such a way.
    is_over_parts: bool,
    /// The answer over parts that was not straight enough: better than none when the limit is spent.
    bent: Option<Box<PathAnswer>>,
    /// The part of the line over such a way that was free, where the line was not taken, expansions.
    granted: u32,
    /// The line over the way found, while it is made.
    line: Option<Box<GraphLine>>,
    /// Whether nothing was looked at yet.
    is_new: bool,
    spent: u32,
}

/// What a line over parts may be long, over the straight line. No line over the cheapest way is shorter than
/// the straight one.
const OVER_STRAIGHT_MAX: f32 = 1.1;

/// What it takes to see whether a line comes near to a body.
const DISC_EFFORT: u64 = 8;

/// A line over the way found as far as it is made.
#[derive(Clone, Debug)]
struct GraphLine {
    smoothing: Smoothing,
    is_level: bool,
    /// The stretches that are climbed, in order.
    climbs: Vec<Segment<Vec3>>,
    /// The links below the last line that was found clear: what it costs is asked next.
    last: ClearLine,
    /// What is smooth, then with a point wherever the ground below bends, then measured.
    smooth: Vec<Vec3>,
    laid: Vec<Vec3>,
    laid_to: usize,
    measure: Measure,
    bill: SmoothingBill,
}

/// A line that is clear, and what is below it.
#[derive(Clone, Debug, Default)]
struct ClearLine {
    from: Vec3,
    to: Vec3,
    chain: Chain,
}

/// A path as far as it is measured.
#[derive(Clone, Debug, Default)]
struct Measure {
    /// Points gone over.
    done: usize,
    length_m: f64,
    cost_m: f64,
    crossings: Vec<Crossing>,
}

/// What a path is measured on.
#[derive(Clone, Copy)]
struct MeasuredGround<'a> {
    map: &'a PointGraph,
    by: &'a Traversal,
    prices: LinePrices<'a>,
}

/// What steps cost: the length of a link at the price of what lies across it.
#[derive(Clone, Copy)]
struct LinkPrices<'a> {
    map: &'a PointGraph,
    held: &'a [u32],
    passages: &'a [LinkPassage],
}

/// One of the two ends of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TipEnd {
    Start,
    Goal,
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
    fn stretch(self, from: Option<u32>, passage: LinkPassage, length_mm: u32) -> u32 {
        let mm = f64::from(length_mm);
        let cost = match passage {
            LinkPassage::Closed => return FAR,
            LinkPassage::Open(factor) => mm * f64::from(factor),
            LinkPassage::Through(area, metres) => {
                let is_inside = from.is_some_and(|from| self.map.area_of_point(from) == Some(area));
                mm + if is_inside { 0.0 } else { f64::from(metres) * 1000.0 }
            }
        };
        // The cast saturates.
        (cost.ceil() as u32).clamp(1, DEAREST)
    }

    /// The points that a way may begin with from some places, or end with before them, each once, at what the
    /// stretch between costs.
    fn tips(self, spots: &[LinkSpot], end: TipEnd) -> Vec<Tip> {
        let mut tips: Vec<Tip> = spots.iter().flat_map(|spot| self.tips_of(spot, end)).collect();
        tips.retain(|tip| tip.1 != FAR);
        ordered::sort_by(&mut tips, Ord::cmp);
        tips.dedup_by_key(|tip| tip.0);
        tips
    }

    /// The same for a place on one link: at its end there is no need to go to the other one.
    fn tips_of(self, spot: &LinkSpot, end: TipEnd) -> Vec<Tip> {
        let [a, b] = self.map.net().links()[spot.link as usize];
        let place = |at: u32| self.map.net().points()[at as usize];
        let price = |at: u32| match end {
            TipEnd::Start => self.part(None, spot, [spot.point, place(at)]),
            TipEnd::Goal => self.part(Some(at), spot, [place(at), spot.point]),
        };
        match spot.part {
            0.0 => vec![(a, 1)],
            1.0 => vec![(b, 1)],
            _ => vec![(a, price(a)), (b, price(b))],
        }
    }

    /// What a stretch of the link of a spot costs from the spot, or to it.
    fn part(self, from: Option<u32>, spot: &LinkSpot, [a, b]: [Vec3; 2]) -> u32 {
        if self.held.binary_search(&spot.link).is_ok() {
            return FAR;
        }
        self.stretch(from, self.passages[self.map.set_across(spot.link) as usize], link_mm(a, b))
    }
}

impl GraphPlan {
    /// Closes the links that others stand on, but for those that it begins and ends on.
    fn keep_out_of_others(&mut self, map: &PointGraph, query: &PathQuery) {
        let discs = query.others.as_deref().unwrap_or(&[]);
        let covers = |disc: &Disc| disc_meets(disc, self.ends[1], self.ends[1]);
        self.covered = discs.iter().position(covers).map(|at| at as u32);
        if self.covered.is_some() {
            self.trouble = self.trouble.or(Some(PathFailure::Occupied));
        }
        let mut near = Vec::new();
        for disc in discs.iter().filter(|disc| disc.centre.is_finite()) {
            let own = self.own_links(disc);
            map.lookup().along(disc.centre, disc.centre, disc.radius_m.max(0.0), &mut near);
            for &link in &near {
                let [a, b] = map.net().links()[link as usize].map(|end| map.net().points()[end as usize]);
                if !own.contains(&link) && disc_meets(disc, a, b) {
                    self.held.push(link);
                }
            }
        }
        self.held.sort_unstable();
        self.held.dedup();
    }

    /// The links that a body does not close: those below the start and the goal, and all on which they lie
    /// where the body covers them.
    fn own_links(&self, disc: &Disc) -> Vec<u32> {
        let ends = [(&self.start.spots, self.ends[0]), (&self.goals, self.ends[1])];
        let own = ends.into_iter().flat_map(|(spots, place)| {
            let count = if disc_meets(disc, place, place) { spots.len() } else { 1 };
            spots.iter().take(count).map(|spot| spot.link)
        });
        own.collect()
    }

    /// A way worked out beforehand, where there is one that is good enough.
    fn shortcut(&mut self, map: &PointGraph, search: &mut Search) -> Option<Vec<u32>> {
        let is_plain = |link: u32| self.passages[map.set_across(link) as usize] == LinkPassage::Open(1.0);
        let is_open =
            |link: u32| is_plain(link) && (self.held.is_empty() || self.held.binary_search(&link).is_err());
        if !self.start.spots.iter().chain(&self.goals).all(|spot| is_plain(spot.link)) {
            return None;
        }
        // The nearer first: it says which part the place lies in.
        let [from, to] = self.tips(map).map(|mut tips| {
            ordered::sort_by(&mut tips, |a, b| (a.1, a.0).cmp(&(b.1, b.0)));
            tips
        });
        let (found, looked) = map.routes().shortcut(map.net(), &from, &to, is_open, search);
        self.spent = self.spent.saturating_add(looked);
        found.map(|route| route.points)
    }

    fn step_search(
        &mut self,
        map: &PointGraph,
        query: &PathQuery,
        search: &mut Search,
        left: u32,
    ) -> SearchStep {
        let net = map.net();
        let [from, to] = self.tips(map);
        let cheapest = f64::from(map.cheapest_factor_for(query.by.areas.as_deref()));
        let toward = Toward::new(net, &to, cheapest);
        let is_watched = search.is_watched();
        let Search { graph: GraphScratch { finder, .. }, popped, .. } = search;
        if !self.begun {
            finder.begin(&toward, from, self.whole(map), EXACT);
            self.begun = true;
        }
        let prices = self.prices(map);
        let price = |from, step| prices.step(from, step);
        let ground = LinkCosts { net, toward: &toward, price, left: |at: u32| left_of(&to, at) };
        finder.step(&ground, left, |node| {
            if is_watched {
                popped.push(node);
            }
        })
    }

    fn prices<'a>(&'a self, map: &'a PointGraph) -> LinkPrices<'a> {
        LinkPrices { map, held: &self.held, passages: &self.passages }
    }

    /// The points that a way may begin with, and those that it may end with.
    fn tips(&self, map: &PointGraph) -> [Vec<Tip>; 2] {
        let prices = self.prices(map);
        let from = match &self.start.kind {
            FootingKind::Open => prices.tips(&self.start.spots, TipEnd::Start),
            FootingKind::Closed { tips, .. } => tips.clone(),
            FootingKind::Point(_) => Vec::new(),
        };
        [from, prices.tips(&self.goals, TipEnd::Goal)]
    }

    /// What a way costs that touches no point; [`FAR`] where there is none.
    fn whole(&self, map: &PointGraph) -> u32 {
        if self.goals.is_empty() {
            return link_mm(self.ends[0], self.ends[1]);
        }
        let own = self.start.spots.iter().filter(|_| self.start.is_open());
        let pairs = own.flat_map(|start| self.goals.iter().map(move |goal| (start, goal)));
        let shared = pairs.filter(|(start, goal)| start.link == goal.link);
        let price = |(start, goal): (&LinkSpot, &LinkSpot)| {
            self.prices(map).part(None, start, [start.point, goal.point])
        };
        shared.map(price).min().unwrap_or(FAR)
    }

    fn none(&self, map: &PointGraph, trouble: PathFailure) -> PathAnswer {
        let none = PathAnswer::none(trouble, map.revision());
        PathAnswer { expansions: self.spent, others: self.others, ..none }
    }

    fn begin_line(&mut self, map: &PointGraph, nodes: &[u32]) {
        let [start, end] = self.ends;
        let mut points = vec![start];
        points.extend(nodes.iter().map(|&node| map.net().points()[node as usize]));
        points.push(end);
        points.dedup();
        let ClimbingWay { points, climbs } = ClimbingWay::new(&points);
        let level = points.first().map_or(0.0, |first| first.y);
        self.line = Some(Box::new(GraphLine {
            is_level: points.iter().all(|point| (point.y - level).abs() < LEVEL_M),
            smoothing: Smoothing::leaping(points),
            climbs,
            last: ClearLine::default(),
            smooth: Vec::new(),
            laid: Vec::new(),
            laid_to: 0,
            measure: Measure::default(),
            bill: SmoothingBill::after_links(self.spent),
        }));
    }

    /// Goes on with the line over the way found; the answer, once it is measured. At the limit of the query
    /// it is smoothed no further.
    fn answer(&mut self, map: &PointGraph, query: &PathQuery, allowance: u32) -> Option<PathAnswer> {
        let mut line = self.line.take()?;
        let effort = line.bill.slice(allowance);
        let is_done = self.step_line(map, query, &mut line, &effort);
        line.bill.take(&effort);
        let spent = self.spent.saturating_add(line.bill.charged());
        if !is_done {
            if spent < query.expansions_max {
                self.line = Some(line);
                return None;
            }
            self.cut_short(map, query, &mut line);
        }
        self.spent = spent;
        let granted = line.bill.granted().saturating_add(self.granted);
        let whole = self.trouble.is_none();
        let layers = line.climbed(query.by.layer);
        let Measure { length_m, cost_m, crossings, .. } = line.measure;
        let path = Path {
            points: line.laid,
            length_m: length_m as f32,
            cost_m: cost_m as f32,
            whole,
            revision: map.revision(),
            crossings,
            layers,
        };
        let Self { trouble, others, covered, .. } = *self;
        Some(Remarks { trouble, others, covered, expansions: self.spent, granted }.of(path))
    }

    /// Goes on until the line is smooth, laid on the ground and measured, or the effort is spent; whether it
    /// is.
    fn step_line(&self, map: &PointGraph, query: &PathQuery, line: &mut GraphLine, effort: &Effort) -> bool {
        if line.smooth.is_empty() {
            if !self.smooth(map, query, line, effort) {
                return false;
            }
            self.end_smoothing(query, line);
        }
        self.lay(map, query, line, effort) && self.measure(map, query, line, effort)
    }

    /// Goes on to measure what is laid, until it is measured or the effort is spent; whether it is.
    fn measure(&self, map: &PointGraph, query: &PathQuery, line: &mut GraphLine, effort: &Effort) -> bool {
        let ground = GraphGroundQuery::new(map, &query.by);
        let prices = LinePrices::new(&ground, &self.passages);
        line.measure.step(&MeasuredGround { map, by: &query.by, prices }, &line.laid, effort)
    }

    /// Ends what is left of a line without smoothing it.
    fn cut_short(&self, map: &PointGraph, query: &PathQuery, line: &mut GraphLine) {
        if line.smooth.is_empty() {
            self.end_smoothing(query, line);
        }
        let endless = SmoothingBill::default().slice(u32::MAX);
        let is_laid = self.lay(map, query, line, &endless);
        let is_measured = self.measure(map, query, line, &endless);
        debug_assert!(is_laid && is_measured, "what has no end ends by itself");
    }

    /// Takes the points that are left, from where the body really stands to the body that stands on the goal.
    fn end_smoothing(&self, query: &PathQuery, line: &mut GraphLine) {
        let mut points = std::mem::take(&mut line.smoothing).line();
        let others = query.others.as_deref().unwrap_or(&[]);
        if let Some(disc) = self.covered.and_then(|at| others.get(at as usize)) {
            stop_beside(&mut points, disc);
        }
        let real = Vec3::new(query.start.x, self.ends[0].y, query.start.z);
        if real != points[0] {
            points.insert(0, real);
        }
        // Whose ladder went away comes straight down, or up, to where its way begins.
        if is_climb([query.start, self.ends[0]]) {
            points.insert(0, query.start);
            line.climbs.insert(0, Segment { from: query.start, to: points[1] });
        }
        line.smooth = points;
    }

    /// Goes on until the line is smooth, or the effort is spent; whether it is smooth.
    fn smooth(&self, map: &PointGraph, query: &PathQuery, line: &mut GraphLine, effort: &Effort) -> bool {
        let (by, start) = (&query.by, self.ends[0]);
        let ground = GraphGroundQuery::new(map, by);
        let others: &[Disc] = match self.others {
            Others::Avoided => query.others.as_deref().unwrap_or(&[]),
            Others::Ignored => &[],
        };
        let is_level_way = line.is_level;
        let last = RefCell::new(std::mem::take(&mut line.last));
        // No shortcut leads over what is climbed.
        let has_climbs = !line.climbs.is_empty();
        let is_open = |link: u32| map.is_open(link, by) && !(has_climbs && is_steep(map.net().places(link)));
        let clear = |from: Vec3, to: Vec3| {
            effort.add(others.len() as u64 * DISC_EFFORT);
            let meets = |disc: &Disc| !disc_meets(disc, start, start) && disc_meets(disc, from, to);
            if others.iter().any(meets) {
                return false;
            }
            if is_level_way {
                let (is_clear, reached) = ground.sight_at(Segment { from, to }, effort);
                return is_clear && is_level(reached, to);
            }
            let chain = ground.chain(Segment { from, to }, &is_open, effort);
            let is_clear = ground.end_over(to, &chain).is_some_and(|end| is_level(end, to));
            if is_clear {
                *last.borrow_mut() = ClearLine { from, to, chain };
            }
            is_clear
        };
        let is_plain = map.is_plain() && by.areas.is_none();
        let usable = |link: u32| map.passage(link, by) != LinkPassage::Closed;
        let prices = LinePrices::new(&ground, &self.passages);
        // In thousandths of a millimetre: whole ones would add up to more for two stretches than for one.
        let price = |from: Vec3, to: Vec3| (prices.mm(Segment { from, to }, effort) * 1000.0) as u64;
        let bends = |from: Vec3, to: Vec3| {
            let last = last.borrow();
            let is_known = (last.from, last.to) == (from, to);
            if is_known {
                ground.bends_over(Segment { from, to }, &last.chain, effort)
            } else {
                ground.bends(Segment { from, to }, &usable, effort)
            }
        };
        // Over steps and slopes a line is as long as the ground below it.
        let cost = |from: Vec3, to: Vec3| {
            effort.add(1);
            let bends = if is_level_way { Vec::new() } else { bends(from, to) };
            let stops = std::iter::once(from).chain(bends.iter().copied());
            let stretches = stops.zip(bends.iter().copied().chain([to]));
            stretches
                .map(|(from, to)| if is_plain { u64::from(link_mm(from, to)) } else { price(from, to) })
                .sum()
        };
        let lines =
            LineTests { clear: &clear, cost: if is_plain && is_level_way { None } else { Some(&cost) } };
        let is_smooth = line.smoothing.step(&lines, effort);
        line.last = last.into_inner();
        is_smooth
    }

    /// Goes on until the line has a point wherever the ground below it bends, or the effort is spent: it lies
    /// on the links. Whether it does.
    fn lay(&self, map: &PointGraph, query: &PathQuery, line: &mut GraphLine, effort: &Effort) -> bool {
        let ground = GraphGroundQuery::new(map, &query.by);
        let usable = |link: u32| map.passage(link, &query.by) != LinkPassage::Closed;
        line.laid.extend(line.smooth.first().filter(|_| line.laid.is_empty()));
        // Bounded by the points: each round goes on to the next.
        while line.laid_to + 1 < line.smooth.len() {
            if effort.is_spent() {
                return false;
            }
            let [from, to] = [line.smooth[line.laid_to], line.smooth[line.laid_to + 1]];
            if !line.climbs.contains(&Segment { from, to }) {
                line.laid.extend(ground.bends(Segment { from, to }, &usable, effort));
            }
            line.laid.push(to);
            line.laid_to += 1;
        }
        true
    }
}

impl Plan for GraphPlan {
    type Map = PointGraph;

    fn begin(map: &PointGraph, query: &PathQuery) -> Begun<Self> {
        Self::begin_within(map, query, &query.by)
    }

    fn begun_for(&self) -> u32 {
        self.spent
    }

    fn spent(&self, search: &Search) -> u32 {
        let smoothed = self.line.as_ref().map_or(0, |line| line.bill.charged());
        self.spent.saturating_add(if self.begun { search.graph.finder.spent() } else { smoothed })
    }

    fn step(&mut self, map: &PointGraph, task: PlanTask<'_>, allowance: u32) -> Option<PathAnswer> {
        let PlanTask { query, search } = task;
        let stop_at = self.spent(search).saturating_add(allowance);
        // Bounded by the one-way areas: each round bars one, or ends.
        loop {
            let left = stop_at.saturating_sub(self.spent(search));
            let walled = self.walled.take();
            let asked = walled.as_deref().unwrap_or(query);
            let answer = self.step_asked(map, PlanTask { query: asked, search: &mut *search }, left);
            let Some(answer) = answer else {
                self.walled = walled;
                return None;
            };
            let Some(area) = asked.by.wrong_way_along(&answer.path.points, map.gate()) else {
                return Some(answer);
            };
            let barring = PathQuery { by: asked.by.barring(&[area]), ..asked.clone() };
            let spent = answer.expansions;
            match Self::begin_within(map, &barring, &query.by) {
                Ok(again) => {
                    let trouble = again.trouble.map(|trouble| first_trouble(answer.trouble, trouble));
                    *self = Self { spent: again.spent.saturating_add(spent), trouble, ..again };
                }
                Err(answer) => {
                    let expansions = answer.expansions.saturating_add(spent);
                    return Some(PathAnswer { expansions, ..*answer });
                }
            }
            self.walled = Some(Box::new(barring));
        }
    }
}

impl GraphPlan {
    /// Begins for a body that goes no way against the one-way areas of `gates` either.
    fn begin_within(map: &PointGraph, query: &PathQuery, gates: &Traversal) -> Begun<Self> {
        let none = |trouble| PathAnswer::none(trouble, map.revision());
        let by = &query.by;
        if !map.fits(by) {
            return Err(Box::new(none(PathFailure::TooWide)));
        }
        if !query.goal.is_finite() {
            return Err(Box::new(none(PathFailure::NoPath)));
        }
        let effort = Effort::endless();
        let Some(start) = map.footing_within(query.start, [by, gates], &effort) else {
            return Err(Box::new(none(PathFailure::StartOffNav)));
        };
        let labels = map.labels(by);
        let trouble = map.trouble(&labels, &start, query.goal, by, &effort);
        let goal =
            PlanGoal::of(map, query, &GoalQuestion { start: &start, labels: &labels, trouble }, &effort);
        let Some(PlanGoal { end, spots: goals }) = goal else {
            return Err(Box::new(none(PathFailure::NoPath)));
        };
        if let (Accept::Exact, Some(trouble)) = (query.accept, trouble) {
            let expansions = begun_for(&effort);
            return Err(Box::new(PathAnswer { nearest: Some(end), expansions, ..none(trouble) }));
        }
        let is_one = |goal: &LinkSpot| start.spots.iter().any(|spot| spot.link == goal.link);
        let mut plan = Self {
            ends: [start.place, end],
            trouble,
            others: Others::Avoided,
            covered: None,
            held: Vec::new(),
            walled: None,
            passages: map.passages(by),
            begun: false,
            tries_parts: uses_parts(map, by) && start.is_open() && !goals.iter().any(is_one),
            is_over_parts: false,
            bent: None,
            granted: 0,
            line: None,
            is_new: true,
            spent: begun_for(&effort),
            start,
            goals,
        };
        plan.keep_out_of_others(map, query);
        Ok(plan)
    }

    /// The next step of what is asked now.
    fn step_asked(&mut self, map: &PointGraph, task: PlanTask<'_>, allowance: u32) -> Option<PathAnswer> {
        let PlanTask { query, search } = task;
        let stop_at = self.spent(search).saturating_add(allowance);
        if std::mem::take(&mut self.is_new) {
            search.forget_nodes();
        }
        if std::mem::take(&mut self.tries_parts)
            && let Some(points) = self.shortcut(map, search)
        {
            search.graph.note_found(&points);
            self.is_over_parts = true;
            self.begin_line(map, &points);
        }
        // Bounded: the search ends or the allowance does; it begins again without others once at most, and so
        // it does after a line over parts.
        loop {
            let left = stop_at.saturating_sub(self.spent(search));
            let limit = query.expansions_max.saturating_sub(self.spent(search));
            if self.line.is_some() {
                let answer = self.answer(map, query, left.min(limit))?;
                let is_last = !self.is_over_parts || self.spent >= query.expansions_max;
                if is_last || self.is_nearly_straight(query, &answer.path) {
                    return Some(answer);
                }
                self.is_over_parts = false;
                self.granted = answer.granted;
                self.bent = Some(Box::new(answer));
                continue;
            }
            if limit == 0 {
                self.spent = self.spent(search);
                let bent = self.bent.take().map(|bent| PathAnswer { expansions: self.spent, ..*bent });
                return Some(bent.unwrap_or_else(|| self.none(map, PathFailure::Limit)));
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
                    self.begin_line(map, &points);
                }
                SearchStep::Exhausted if self.held.is_empty() => {
                    self.spent = self.spent(search);
                    self.begun = false;
                    return Some(self.none(map, PathFailure::NoPath));
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
}

impl GraphLine {
    /// The stretches of the line that are climbed, as a path on a layer has them.
    fn climbed(&self, layer: u8) -> Vec<LayerChange> {
        let mut climbs = self.climbs.iter().peekable();
        let (mut found, mut at_m) = (Vec::new(), 0.0);
        for pair in self.laid.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            if climbs.next_if(|climb| **climb == Segment { from, to }).is_some() {
                let length_m = from.distance(to);
                found.push(LayerChange { at_m: at_m as f32, layer, from, to, length_m, action: None });
            }
            at_m += f64::from(crate::base::geom::flat_distance(from, to));
        }
        found
    }
}

impl GraphPlan {
    /// Whether a line is so near to straight that none to its goal is shorter by a tenth.
    fn is_nearly_straight(&self, query: &PathQuery, path: &Path) -> bool {
        let others = query.others.as_deref().unwrap_or(&[]);
        let before_m = self.covered.and_then(|at| others.get(at as usize)).map_or(0.0, |disc| disc.radius_m);
        let goal_m = crate::base::geom::flat_distance(query.start, self.ends[1]) - 2.0 * before_m.max(0.0);
        path.length_m <= OVER_STRAIGHT_MAX * goal_m
    }
}

/// Why a way does not get to its goal that did not before an area was barred either: what kept it then.
fn first_trouble(before: Option<PathFailure>, now: PathFailure) -> PathFailure {
    match before {
        Some(before @ (PathFailure::Area(_) | PathFailure::NoPath)) => before,
        _ => now,
    }
}

/// What beginning a plan took, expansions: nothing to speak of, but where it begins or ends off the ground.
fn begun_for(effort: &Effort) -> u32 {
    u32::try_from(effort.expansions()).unwrap_or(u32::MAX).saturating_sub(1)
}

/// Where a way ends.
struct PlanGoal {
    end: Vec3,
    /// The links that it may end on; none where it ends beside its start.
    spots: Vec<LinkSpot>,
}

/// What decides where a way ends.
struct GoalQuestion<'a> {
    start: &'a Footing,
    labels: &'a [u32],
    trouble: Option<PathFailure>,
}

impl PlanGoal {
    /// At the goal itself, or at the nearest place that the body gets to.
    fn of(map: &PointGraph, query: &PathQuery, asked: &GoalQuestion<'_>, effort: &Effort) -> Option<Self> {
        let (goal, by) = (query.goal, &query.by);
        let groups = asked.start.groups(map, asked.labels);
        let gets_to = |link: u32| groups.contains(&map.group_of(asked.labels, link));
        if asked.trouble.is_none() {
            let spots = map.spots_through(goal, by);
            let spots: Vec<LinkSpot> = spots.into_iter().filter(|spot| gets_to(spot.link)).collect();
            let end = spots.first().map(|first| first.above(goal));
            return end.or_else(|| asked.start.goal_beside(map, goal)).map(|end| Self { end, spots });
        }
        let usable = |link: u32| gets_to(link) && map.passage(link, by) != LinkPassage::Closed;
        let nearest = map.lookup().nearest(map.net(), goal, f32::INFINITY, &usable, effort);
        let away_m = nearest.map_or(f32::INFINITY, |spot| spot.point.distance(goal));
        let beside = asked.start.nearest_beside(map, goal).filter(|place| place.distance(goal) < away_m);
        match (beside, nearest) {
            (Some(end), _) => Some(Self { end, spots: Vec::new() }),
            (None, nearest) => nearest.map(|spot| Self { end: spot.point, spots: vec![spot] }),
        }
    }
}

/// Whether ways worked out beforehand, on plain ground and with every door open, may serve a body.
fn uses_parts(map: &PointGraph, by: &Traversal) -> bool {
    map.routes().part_count() > 0
        && by.through.is_none()
        && by.areas.is_none()
        && map.cheapest_factor() >= 1.0
}

/// Ends a way where it comes within the circle of the body that stands on its goal.
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

impl Measure {
    /// Goes on to find length, cost, and the closed areas that a path goes through, until it is measured or
    /// the effort is spent; whether it is measured.
    fn step(&mut self, ground: &MeasuredGround<'_>, points: &[Vec3], effort: &Effort) -> bool {
        for pair in points.windows(2).skip(self.done) {
            if effort.is_spent() {
                return false;
            }
            self.add(ground, [pair[0], pair[1]], effort);
            self.done += 1;
        }
        true
    }

    fn add(&mut self, ground: &MeasuredGround<'_>, [from, to]: [Vec3; 2], effort: &Effort) {
        let &MeasuredGround { map, by, prices } = ground;
        let stretch_m = f64::from(from.distance(to));
        let from_m = self.length_m;
        self.length_m += f64::from(crate::base::geom::flat_distance(from, to));
        effort.add(GraphGroundQuery::under_effort(map, from.midpoint(to)));
        let passage = map.spot_through(from.midpoint(to), by).map(|spot| map.passage(spot.link, by));
        let Some(LinkPassage::Through(area, metres)) = passage else {
            // Whole millimetres, as on every map.
            self.cost_m += prices.mm(Segment { from, to }, effort).ceil() / 1000.0;
            return;
        };
        self.cost_m += stretch_m;
        let [enter_m, leave_m] = [from_m as f32, self.length_m as f32];
        match self.crossings.last_mut() {
            Some(last) if last.area == area && enter_m <= last.leave_m + map.width_m() => {
                last.leave_m = leave_m
            }
            _ => {
                self.cost_m += f64::from(metres);
                self.crossings.push(Crossing { area, enter_m, leave_m });
            }
        }
    }
}

impl PointGraph {
    /// Whether one place can be reached from another along links of the net.
    pub(super) fn reach_along(&self, from: Vec3, to: Vec3, by: &Traversal, effort: &Effort) -> Reach {
        let gates = by;
        reach::<GraphPlan>(self, [from, to], by, effort, &|to, by| {
            if !self.fits(by) {
                return Reach::No(PathFailure::TooWide);
            }
            let Some(start) = self.footing_within(from, [by, gates], effort) else {
                return Reach::No(PathFailure::StartOffNav);
            };
            self.trouble(&self.labels(by), &start, to, by, effort).map_or(Reach::Yes, Reach::No)
        })
    }
}

impl Linked for PointGraph {
    fn links(&self) -> &Links {
        &self.links
    }

    fn may_stand(&self, place: Vec3, by: &Traversal) -> bool {
        !self.spots_through(place, by).is_empty()
    }

    fn reach_without(&self, query: &PathQuery, [from, to]: [Vec3; 2]) -> Reach {
        self.reach_along(from, to, &query.by, &Effort::endless())
    }
}

impl Stage for PointGraph {
    type Leg = GraphPlan;

    fn begin(&self, query: &PathQuery) -> Begun<LinkedPlan<Self>> {
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
        f64::from(from.point.distance(to.point)) * least_factor
    }

    fn leg_m(_: &GraphPlan, answer: &PathAnswer) -> f64 {
        f64::from(answer.path.cost_m)
    }

    fn standing(&self, at: LayerPoint) -> Vec3 {
        at.point
    }
}
