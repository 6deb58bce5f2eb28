//! The cheapest way over links, which join places of one ground or of several.
//!
//! In: links, a start, a goal, a search for the legs between them. Out: an answer, after some slices.
//! Holds: the way is the cheapest by the cost of its legs and links, and the cost of every leg is exact;
//! slices change only when the answer comes. Method: A* over the links. The legs between them wait with a
//! lower bound, and a leg is searched for only once nothing that waits could be cheaper; the least costs of
//! legs over all links bound the rest of a way. Not here: the legs (`Stage`), which links there are
//! (`links`). Source: lazy evaluation of edges, Cohen, Phillips and Likhachev 2014.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use glam::Vec3;

use crate::base::geom;
use crate::nav::backend::Backend;
use crate::nav::links::Hop;
use crate::nav::node::LayerPoint;
use crate::nav::path::{Accept, Crossing, LayerChange, Path, PathAnswer, PathFailure, PathQuery};
use crate::nav::plan::{Begun, Plan, PlanTask, Remarks};
use crate::nav::search::Search;
use crate::nav::traversal::Traversal;

/// The map that the links lie on: it searches for legs between them, and knows bounds of them before.
pub(crate) trait Stage: Backend + Sized {
    /// How a leg is searched for.
    type Leg: Plan;

    /// Decides all of a query that needs no search.
    fn begin(&self, query: &PathQuery) -> Begun<LinkedPlan<Self>>;

    /// The answer of a ground alone as that of the whole map.
    fn answer_alone(&self, answer: PathAnswer) -> PathAnswer {
        answer
    }

    /// The ground of a leg.
    fn ground(&self, by: &Traversal) -> &<Self::Leg as Plan>::Map;

    /// What is known of the least costs of legs, for as long as a plan needs it.
    type LegBounds: Clone + std::fmt::Debug;

    /// That of a body.
    fn leg_bounds(&self, by: &Traversal) -> Self::LegBounds;

    /// The least that a leg can cost, metres; infinite between grounds.
    fn least_m(&self, bounds: &Self::LegBounds, from: LayerPoint, to: LayerPoint) -> f64;

    /// The cost of a leg that was searched for, metres.
    fn leg_m(leg: &Self::Leg, answer: &PathAnswer) -> f64;

    /// Where one stands at the end of a link.
    fn standing(&self, at: LayerPoint) -> Vec3;
}

/// The paused work on one query, on one ground or over links.
#[derive(Clone, Debug)]
pub(crate) enum LinkedPlan<S: Stage> {
    /// On one ground alone.
    Alone(Box<S::Leg>),
    /// Over links.
    OverLinks(Box<LinkSearch<S>>),
}

impl<S: Stage> Plan for LinkedPlan<S> {
    type Map = S;

    fn begin(map: &S, query: &PathQuery) -> Begun<Self> {
        map.begin(query)
    }

    fn begun_for(&self) -> u32 {
        match self {
            Self::Alone(plan) => plan.begun_for(),
            Self::OverLinks(plan) => plan.begun_for(),
        }
    }

    fn spent(&self, search: &Search) -> u32 {
        match self {
            Self::Alone(plan) => plan.spent(search),
            Self::OverLinks(plan) => plan.spent(search),
        }
    }

    fn step(&mut self, map: &S, task: PlanTask<'_>, allowance: u32) -> Option<PathAnswer> {
        match self {
            Self::Alone(plan) => {
                let ground = map.ground(&task.query.by);
                plan.step(ground, task, allowance).map(|answer| map.answer_alone(answer))
            }
            Self::OverLinks(plan) => plan.step(map, task, allowance),
        }
    }
}

/// Places that a way may lead through: the start, the far ends of links, the goal.
type Node = usize;

/// The paused work on a way over links.
#[derive(Clone, Debug)]
pub(crate) struct LinkSearch<S: Stage> {
    hops: Vec<Hop>,
    bounds: S::LegBounds,
    /// By node: its place, and the least distance that is left to the goal, metres.
    places: Vec<LayerPoint>,
    left_m: Vec<f64>,
    /// By node: once the cheapest way to it is known, its cost in metres and the last leg.
    known: Vec<Option<NodeArrival>>,
    /// Ways that wait.
    waiting: BinaryHeap<Reverse<OpenNode>>,
    /// By the ends of their last legs, far end first: ways that wait and whose legs were searched for.
    evaluated: BTreeMap<[Node; 2], NodeArrival>,
    /// The leg that is searched for.
    leg: Option<LinkLeg<S::Leg>>,
    /// Why it does not lead to the goal itself.
    trouble: Option<PathFailure>,
    /// The goal as asked for.
    goal: LayerPoint,
    /// Charged to legs that have ended.
    spent: u32,
    /// Work on their lines that was not charged.
    granted: u32,
    /// What the way found costs from cell to cell, metres.
    #[cfg(test)]
    pub(crate) found_m: f64,
}

/// How one comes to a node.
#[derive(Clone, Debug)]
struct NodeArrival {
    cost_m: f64,
    from: Node,
    /// Up to the near end of the link, or to the goal.
    leg: Option<Box<PathAnswer>>,
}

/// A way to a node that may be the cheapest. Their order is that in which they are taken: among equally long
/// ones first one whose leg is known, then by node. No two are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OpenNode {
    /// Its length with the least that is left to the goal: see [`rank_of`].
    whole: i64,
    /// Whether its leg is only bounded, not known.
    is_bound: bool,
    to: Node,
    from: Node,
}

#[derive(Clone, Debug)]
struct LinkLeg<L> {
    from: Node,
    to: Node,
    query: PathQuery,
    plan: Box<L>,
}

/// Where a way over links begins and ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkedEnds {
    pub(crate) start: LayerPoint,
    /// Where the last leg leads.
    pub(crate) target: LayerPoint,
    /// What was asked for, which may be out of reach.
    pub(crate) goal: LayerPoint,
}

/// A leg that was searched for: its nodes and its query.
struct LegQuery {
    from: Node,
    to: Node,
    query: PathQuery,
}

const START: Node = 0;

impl<S: Stage> LinkSearch<S> {
    pub(crate) fn new(
        stage: &S,
        query: &PathQuery,
        ends: LinkedEnds,
        hops: Vec<Hop>,
        trouble: Option<PathFailure>,
    ) -> Self {
        let LinkedEnds { start, target, goal } = ends;
        let far_ends = hops.iter().map(|hop| hop.to);
        let places: Vec<LayerPoint> = std::iter::once(start).chain(far_ends).chain([target]).collect();
        let known = vec![None; places.len()];
        let mut plan = Self {
            bounds: stage.leg_bounds(&query.by),
            left_m: Vec::new(),
            hops,
            places,
            known,
            waiting: BinaryHeap::new(),
            evaluated: BTreeMap::new(),
            leg: None,
            trouble,
            goal,
            spent: 0,
            granted: 0,
            #[cfg(test)]
            found_m: 0.0,
        };
        plan.left_m = plan.least_left_m(stage);
        let first = NodeArrival { cost_m: 0.0, from: START, leg: None };
        plan.wait_known(START, 0.0, first);
        plan
    }

    fn target(&self) -> Node {
        self.places.len() - 1
    }

    /// Where a leg to a node ends: before the link that leads there.
    fn near_end(&self, to: Node) -> LayerPoint {
        if to == self.target() { self.places[to] } else { self.hops[to - 1].from }
    }

    /// What the link to a node costs, metres.
    fn link_m(&self, to: Node) -> f64 {
        if to == START || to == self.target() { 0.0 } else { self.hops[to - 1].cost_m }
    }

    /// The least that a leg and the link behind it can cost, metres; infinite where there is none.
    fn least_m(&self, stage: &S, from: Node, to: Node) -> f64 {
        if to == START || from == to {
            return f64::INFINITY;
        }
        let (start, end) = (self.places[from], self.near_end(to));
        stage.least_m(&self.bounds, start, end) + self.link_m(to)
    }

    /// By node the least that is left to the goal: the shortest ways over the least costs. Cost: the nodes
    /// squared.
    fn least_left_m(&self, stage: &S) -> Vec<f64> {
        let count = self.places.len();
        let mut left = vec![f64::INFINITY; count];
        let mut done = vec![false; count];
        left[self.target()] = 0.0;
        // Bounded by the nodes: each is done once.
        loop {
            let open = (0..count).filter(|&node| !done[node] && left[node] < f64::INFINITY);
            let Some(next) = open.min_by(|&a, &b| left[a].total_cmp(&left[b])) else { return left };
            done[next] = true;
            for from in 0..count {
                let through = left[next] + self.least_m(stage, from, next);
                left[from] = left[from].min(through);
            }
        }
    }

    /// What the bounds took, expansions.
    pub(crate) fn begun_for(&self) -> u32 {
        /// Bounds of a leg in the time of an expansion.
        const BOUNDS: usize = 32;
        u32::try_from(self.places.len().saturating_mul(self.places.len()) / BOUNDS).unwrap_or(u32::MAX)
    }

    pub(crate) fn spent(&self, search: &Search) -> u32 {
        self.spent.saturating_add(self.leg.as_ref().map_or(0, |leg| leg.plan.spent(search)))
    }

    pub(crate) fn step(&mut self, stage: &S, task: PlanTask<'_>, allowance: u32) -> Option<PathAnswer> {
        let PlanTask { query, search } = task;
        let stop_at = self.spent(search).saturating_add(allowance);
        // Bounded by the pairs of nodes: each round ends a leg, goes through one that waits, or spends the
        // allowance.
        loop {
            if self.leg.is_some() {
                let left = stop_at.saturating_sub(self.spent(search));
                if left == 0 && self.spent(search) > self.spent {
                    return None;
                }
                match self.step_leg(stage, search, left.max(1)) {
                    LegEnd::Not => return None,
                    LegEnd::Limit => return Some(self.give_up(stage, PathFailure::Limit)),
                    LegEnd::Yes => continue,
                }
            }
            let Some(Reverse(next)) = self.waiting.pop() else {
                return Some(self.give_up(stage, self.trouble.unwrap_or(PathFailure::NoPath)));
            };
            let evaluated = if next.is_bound { None } else { self.evaluated.remove(&[next.to, next.from]) };
            if self.known[next.to].is_some() {
                continue;
            }
            let Some(arrival) = evaluated else {
                if self.spent >= query.expansions_max {
                    return Some(self.give_up(stage, PathFailure::Limit));
                }
                self.begin_leg(stage, query, next);
                continue;
            };
            self.known[next.to] = Some(arrival);
            if next.to == self.target() {
                #[cfg(test)]
                {
                    self.found_m = self.known[next.to].as_ref().map_or(0.0, |arrival| arrival.cost_m);
                }
                return Some(self.answer(stage, query));
            }
            self.wait_beyond(stage, next.to);
        }
    }

    /// Lets a way wait whose leg is known.
    fn wait_known(&mut self, to: Node, whole_m: f64, arrival: NodeArrival) {
        let from = arrival.from;
        self.waiting.push(Reverse(OpenNode { whole: rank_of(whole_m), is_bound: false, to, from }));
        self.evaluated.insert([to, from], arrival);
    }

    /// Lets all legs wait that begin at a node.
    fn wait_beyond(&mut self, stage: &S, from: Node) {
        let so_far = self.known[from].as_ref().map_or(0.0, |arrival| arrival.cost_m);
        for to in 1..self.places.len() {
            let cost_m = so_far + self.least_m(stage, from, to);
            let whole_m = cost_m + self.left_m[to];
            if whole_m < f64::INFINITY && self.known[to].is_none() {
                self.waiting.push(Reverse(OpenNode { whole: rank_of(whole_m), is_bound: true, to, from }));
            }
        }
    }

    fn begin_leg(&mut self, stage: &S, query: &PathQuery, way: OpenNode) {
        let OpenNode { from, to, .. } = way;
        let (start, end) = (self.places[from], self.near_end(to));
        let by = Traversal { layer: start.layer, ..query.by.clone() };
        // The people in the way stand on the layer where the way begins.
        let is_near = start.layer == query.by.layer;
        let others = query.others.clone().filter(|_| is_near);
        let query = PathQuery {
            start: start.point,
            goal: end.point,
            by,
            accept: Accept::Exact,
            goal_layer: None,
            expansions_max: query.expansions_max.saturating_sub(self.spent),
            others,
        };
        self.begin_leg_with(stage, LegQuery { from, to, query });
    }

    /// Begins to search for a leg; when there is none, another may lead there.
    fn begin_leg_with(&mut self, stage: &S, leg_query: LegQuery) {
        match S::Leg::begin(stage.ground(&leg_query.query.by), &leg_query.query) {
            Ok(plan) => {
                let LegQuery { from, to, query } = leg_query;
                self.leg = Some(LinkLeg { from, to, query, plan: Box::new(plan) });
            }
            Err(answer) => self.end_leg(stage, leg_query, *answer, 0.0),
        }
    }

    fn step_leg(&mut self, stage: &S, search: &mut Search, allowance: u32) -> LegEnd {
        let Some(mut leg) = self.leg.take() else { return LegEnd::Yes };
        let map = stage.ground(&leg.query.by);
        let Some(answer) = leg.plan.step(map, PlanTask { query: &leg.query, search }, allowance) else {
            self.leg = Some(leg);
            return LegEnd::Not;
        };
        self.spent = self.spent.saturating_add(answer.expansions);
        self.granted = self.granted.saturating_add(answer.granted);
        if answer.trouble == Some(PathFailure::Limit) {
            return LegEnd::Limit;
        }
        let cost_m = S::leg_m(&leg.plan, &answer);
        let leg_query = LegQuery { from: leg.from, to: leg.to, query: leg.query };
        self.end_leg(stage, leg_query, answer, cost_m);
        LegEnd::Yes
    }

    /// Takes in the answer to a leg. When a body stands at the end of a link, the walker waits for it there
    /// instead of ending beside it.
    fn end_leg(&mut self, stage: &S, leg_query: LegQuery, answer: PathAnswer, leg_m: f64) {
        let LegQuery { from, to, query } = leg_query;
        if answer.covered.is_some() && to != self.target() {
            let query = PathQuery { others: None, ..query };
            return self.begin_leg_with(stage, LegQuery { from, to, query });
        }
        if answer.path.points.is_empty() {
            return;
        }
        let so_far = self.known[from].as_ref().map_or(0.0, |arrival| arrival.cost_m);
        let cost_m = so_far + leg_m + self.link_m(to);
        let whole_m = cost_m + self.left_m[to];
        let arrival = NodeArrival { cost_m, from, leg: Some(Box::new(answer)) };
        self.wait_known(to, whole_m, arrival);
    }

    fn give_up(&self, stage: &S, trouble: PathFailure) -> PathAnswer {
        let none = PathAnswer::none(trouble, stage.revision());
        PathAnswer { expansions: self.spent, granted: self.granted, ..none }
    }

    /// Puts the legs of the way found together.
    fn answer(&mut self, stage: &S, query: &PathQuery) -> PathAnswer {
        let mut way = Vec::new();
        let mut node = self.target();
        // Bounded by the nodes: each is known by one that was known before.
        while node != START {
            let Some(NodeArrival { from, leg, .. }) = self.known[node].take() else { break };
            way.extend(leg.map(|leg| (node, leg)));
            node = from;
        }
        way.reverse();
        let mut path = Path { whole: self.trouble.is_none(), revision: stage.revision(), ..Path::default() };
        let mut last = PathAnswer::default();
        for (to, leg) in way {
            add_leg(&mut path, &leg.path);
            if to != self.target() {
                let hop = self.hops[to - 1];
                path.cost_m += hop.cost_m as f32;
                let end = stage.standing(hop.to);
                let from = path.points.last().copied().unwrap_or(end);
                let length_m = (hop.cost_m as f32).max(geom::flat_distance(hop.from.point, hop.to.point));
                let at_m = path.length_m;
                let (layer, action) = (hop.to.layer, hop.action);
                path.layers.push(LayerChange { at_m, layer, from, to: end, length_m, action });
                add_point(&mut path, end);
            }
            last = *leg;
        }
        // The last leg knows which body stands on the goal.
        let trouble = self.trouble.or(last.trouble);
        path.whole = trouble.is_none();
        let covered = last.covered.filter(|_| self.goal.layer == query.by.layer);
        let (expansions, granted) = (self.spent, self.granted);
        Remarks { trouble, others: last.others, covered, expansions, granted }.of(path)
    }
}

/// The result of a step of a leg.
enum LegEnd {
    Not,
    Yes,
    Limit,
}

/// A whole number for each length, in the order of `total_cmp`.
fn rank_of(length_m: f64) -> i64 {
    let bits = length_m.to_bits() as i64;
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

/// Walks on to a point.
fn add_point(path: &mut Path, point: Vec3) {
    if let Some(&last) = path.points.last() {
        if last == point {
            return;
        }
        path.length_m += geom::flat_distance(last, point);
    }
    path.points.push(point);
}

/// Walks on along a leg that begins where the path ends.
fn add_leg(path: &mut Path, leg: &Path) {
    let (before_m, before) = (path.length_m, path.points.len());
    for &point in &leg.points {
        add_point(path, point);
    }
    if before == 0 || path.points.len() == before + leg.points.len() - 1 {
        path.length_m = before_m + leg.length_m;
    }
    path.cost_m += leg.cost_m;
    let shifted = leg.crossings.iter().map(|crossing| Crossing {
        enter_m: before_m + crossing.enter_m,
        leave_m: before_m + crossing.leave_m,
        ..*crossing
    });
    path.crossings.extend(shifted);
    let climbed = leg.layers.iter().map(|climb| LayerChange { at_m: before_m + climb.at_m, ..*climb });
    path.layers.extend(climbed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_taken_by_length_then_known_legs_first_then_by_node() {
        let lengths = [f64::NEG_INFINITY, -2.5, -0.0, 0.0, f64::MIN_POSITIVE, 1.0, 1.5, 1e300, f64::INFINITY];
        for (&one, &other) in lengths.iter().flat_map(|one| lengths.iter().map(move |other| (one, other))) {
            assert_eq!(rank_of(one).cmp(&rank_of(other)), one.total_cmp(&other), "{one} {other}");
        }
        let way =
            |length_m, is_bound, to, from| Reverse(OpenNode { whole: rank_of(length_m), is_bound, to, from });
        let in_order = [
            way(1.0, false, 2, 9),
            way(1.0, false, 3, 0),
            way(1.0, false, 3, 1),
            way(1.0, true, 1, 0),
            way(2.0, false, 0, 0),
        ];
        let mut waiting: BinaryHeap<_> = in_order.into_iter().rev().collect();
        assert!(in_order.iter().all(|way| waiting.pop().as_ref() == Some(way)));
    }
}
