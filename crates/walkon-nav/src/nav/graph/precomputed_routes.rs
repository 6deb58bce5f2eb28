//! Precomputed ways from every part of a graph to every other, and searches that use them.
//!
//! In: a net, its parts; then pairs of points, and which links are open. Out: a way, and how it was found.
//! Holds: a way that is found is never more than a tenth more expensive than the cheapest one, because every
//! shortcut is compared with a lower bound, and dropped for a direct search where it does not hold; a way
//! through a link that is closed is never used; closing links makes bounds lower than need be, never wrong;
//! points and links that come are made up for (`add_point`, `add_link`). Not here: points that move or go
//! (the owner makes new routes then). Source: seed 003, "Precompute Paths"; joined where it is cheapest
//! instead of at the centres. Lower bounds by landmarks: Goldberg and Harrelson 2005.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use crate::base::rng::Rng;
use crate::nav::graph::adjacency::Adjacency;
use crate::nav::graph::astar::{EXACT, LinkCosts, Toward};
use crate::nav::graph::connected_components::labels;
use crate::nav::graph::dijkstra::{Dijkstra, FAR, Tip};
use crate::nav::graph::editable_graph::GraphPart;
use crate::nav::graph::link_rows::{AdjacentPoint, link_mm};
use crate::nav::graph::scratch::GraphScratch;
use crate::nav::{Search, SearchStep};

/// A point of no part.
const NONE: u16 = u16::MAX;

/// Ways between the parts of a graph. `Default` has no parts, so that every search is direct.
/// Memory: 10 bytes a point, and the ways.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrecomputedRoutes {
    names: Vec<String>,
    /// The part of each point.
    owner: Vec<u16>,
    /// The middle of each part: the point of it that has the least way to its furthest one, roughly.
    centres: Vec<u32>,
    /// From each point to the nearest one of another part.
    to_border_mm: Vec<u32>,
    /// From part to part: `from * parts + to`; empty when there is no way.
    ways: Arc<Vec<StoredRoute>>,
}

/// A way worked out beforehand.
#[derive(Clone, Debug, Default, PartialEq)]
struct StoredRoute {
    points: Vec<u32>,
    /// What is left of it at each of its points.
    left_mm: Vec<u32>,
}

impl StoredRoute {
    /// The way over some points; None where two of them are not linked.
    fn along(net: &Adjacency, points: Vec<u32>) -> Option<Self> {
        let steps: Option<Vec<u32>> =
            points.windows(2).map(|pair| net.step(pair[0], pair[1]).map(|step| step.cost_mm)).collect();
        let mut left_mm = vec![0u32; points.len()];
        for (at, cost_mm) in steps?.into_iter().enumerate().rev() {
            left_mm[at] = left_mm[at + 1].saturating_add(cost_mm);
        }
        Some(Self { points, left_mm })
    }
}

/// Where a way begins or ends: the part of its nearest tip, and the tips.
#[derive(Clone, Copy, Debug)]
struct WayEnd<'a> {
    part: usize,
    tips: &'a [Tip],
}

/// How much more expensive a way may be joined than where it is cheapest: by every 2^4-th part.
const JOIN_SLACK: u32 = 4;
/// Points looked at to join a way; where that is not enough, the whole way is searched for.
const JOIN_POINTS_MAX: u32 = 2000;
/// Points of the shortest joined way that is taken. A shorter one is soon found by a search of its own, and
/// one corner that the straight line over it has too many is more than a tenth of it.
const JOINED_POINTS_MIN: usize = 16;

/// What a joined way may cost, in hundredths of what the cheapest one may. Less than a tenth more expensive:
/// the lines that are drawn through both are shorter, and need not be shorter by as much. Those are rarely a
/// tenth apart, but may be.
const COSTLIER_MAX_PERCENT: u64 = 107;

/// What the cheapest way may cost, in hundredths of the straight line, where one is joined at all. A line
/// over parts is taken where it is a tenth longer than the straight line at most (`plan`): where ways are
/// longer than this, few are.
const BENT_MAX_PERCENT: u64 = 112;

/// How a way was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RouteSource {
    /// By a search of the whole graph.
    #[default]
    Direct,
    /// By a search within one part: no way outside could be cheaper.
    Inside,
    /// By a way worked out beforehand, joined at both ends: at most a tenth more expensive than the cheapest.
    Joined,
}

/// A way between two points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundRoute {
    /// The points, both ends included.
    pub points: Vec<u32>,
    /// What it costs, millimetres.
    pub cost_mm: u32,
    /// How it was found.
    pub how: RouteSource,
    /// Points looked at.
    pub expansions: u32,
}

/// Pairs of points that both kinds of search are measured on.
const MEASURED_PAIRS: u32 = 64;

/// What searches cost directly and with parts, measured on the same pairs of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// How many pairs.
    pub pairs: u32,
    /// Points that direct searches looked at.
    pub direct: u64,
    /// Points that searches with parts looked at.
    pub with_parts: u64,
}

impl Measured {
    /// Whether searches with parts are the cheaper ones.
    #[must_use]
    pub fn pays(self) -> bool {
        self.with_parts < self.direct
    }
}

impl PrecomputedRoutes {
    /// Measures what searches cost with these ways and without, on pairs of connected points. The same graph
    /// gives the same answer, because points are counted and not time. Cost: that many searches, twice.
    #[must_use]
    pub fn measure(&self, net: &Adjacency) -> Measured {
        let mut measured = Measured::default();
        let count = net.points().len() as u64;
        if count == 0 {
            return measured;
        }
        let labels = labels(net.points().len(), net.links().iter().copied());
        let (mut rng, mut search, plain) = (Rng::stream(0, "parts"), Search::default(), Self::default());
        // Bounded: a graph of nothing but islands has no pairs to measure.
        for _ in 0..16 * MEASURED_PAIRS {
            let (from, to) = (rng.below(count) as u32, rng.below(count) as u32);
            if measured.pairs == MEASURED_PAIRS {
                break;
            }
            if from == to || labels[from as usize] != labels[to as usize] {
                continue;
            }
            let looked = |routes: &Self, search: &mut Search| {
                let found = routes.find(net, from, to, |_| true, search);
                found.map_or(0, |route| u64::from(route.expansions))
            };
            measured.pairs += 1;
            measured.direct += looked(&plain, &mut search);
            measured.with_parts += looked(self, &mut search);
        }
        measured
    }

    /// Works out the ways. `progress` hears how many parts are done, of how many. Cost: three walks over the
    /// graph for each part.
    #[must_use]
    pub fn new(net: &Adjacency, parts: &[GraphPart], progress: &mut dyn FnMut(u64, u64)) -> Self {
        let mut routes = Self::bare(net, parts);
        let mut ways = vec![StoredRoute::default(); parts.len() * parts.len()];
        let mut spread = Dijkstra::default();
        for (part, GraphPart { points, .. }) in parts.iter().enumerate() {
            progress(part as u64, parts.len() as u64);
            let Some(&centre) = routes.centres.get(part).filter(|_| !points.is_empty()) else { continue };
            spread.run(net, [(centre, 0)], FAR, |_, _| true);
            for (other, &goal) in routes.centres.iter().enumerate() {
                if other != part && !parts[other].points.is_empty() && spread.cost_mm(goal) != FAR {
                    let points = spread.way(goal);
                    let left_mm =
                        points.iter().map(|&at| spread.cost_mm(goal) - spread.cost_mm(at)).collect();
                    ways[part * parts.len() + other] = StoredRoute { points, left_mm };
                }
            }
        }
        progress(parts.len() as u64, parts.len() as u64);
        routes.ways = Arc::new(ways);
        routes
    }

    /// Parts without ways between them.
    fn bare(net: &Adjacency, parts: &[GraphPart]) -> Self {
        let count = net.points().len();
        let mut routes = Self {
            names: parts.iter().map(|part| part.name.clone()).collect(),
            owner: vec![NONE; count],
            centres: Vec::with_capacity(parts.len()),
            to_border_mm: vec![FAR; count],
            ways: Arc::default(),
        };
        routes.lay_parts(net, parts);
        routes
    }

    /// Notes whose each point is, and the middle of each part.
    fn lay_parts(&mut self, net: &Adjacency, parts: &[GraphPart]) {
        for (part, GraphPart { points, .. }) in (0..).zip(parts) {
            points.iter().for_each(|&at| self.owner[at as usize] = part);
        }
        let mut spread = Dijkstra::default();
        for part in parts {
            let centre = self.middle(net, &part.points, &mut spread);
            self.centres.push(centre);
            self.find_borders(net, &part.points, &mut spread);
        }
    }

    /// The same with ways that were worked out before: those that do not lead from middle to middle over
    /// links are dropped. Cost: the points of each part.
    #[must_use]
    pub fn restore(net: &Adjacency, parts: &[GraphPart], ways: Vec<Vec<u32>>) -> Self {
        let mut routes = Self::bare(net, parts);
        let mut known = vec![StoredRoute::default(); parts.len() * parts.len()];
        for ((at, known), points) in known.iter_mut().enumerate().zip(ways) {
            let [from, to] = [at / parts.len(), at % parts.len()].map(|part| routes.centres[part]);
            let leads = points.first() == Some(&from) && points.last() == Some(&to) && from != to;
            if leads && let Some(way) = StoredRoute::along(net, points) {
                *known = way;
            }
        }
        routes.ways = Arc::new(known);
        routes
    }

    /// The ways from every part to every other, for [`PrecomputedRoutes::restore`].
    #[must_use]
    pub fn all_ways(&self) -> Vec<Vec<u32>> {
        self.ways.iter().map(|way| way.points.clone()).collect()
    }

    /// The point that lies between the two ends of the longest way through a part.
    fn middle(&self, net: &Adjacency, points: &[u32], spread: &mut Dijkstra) -> u32 {
        let Some(&first) = points.first() else { return 0 };
        let part = self.owner[first as usize];
        let within = |_: u32, step: AdjacentPoint| self.owner[step.to as usize] == part;
        let furthest = |spread: &Dijkstra| {
            let far = spread.reached().iter().map(|&at| (spread.cost_mm(at), std::cmp::Reverse(at))).max();
            far.map_or(first, |(_, std::cmp::Reverse(at))| at)
        };
        spread.run(net, [(first, 0)], FAR, within);
        let one = furthest(spread);
        spread.run(net, [(one, 0)], FAR, within);
        let two = furthest(spread);
        let way = spread.way(two);
        let half = spread.cost_mm(two) / 2;
        way.into_iter().find(|&at| spread.cost_mm(at) >= half).unwrap_or(first)
    }

    fn find_borders(&mut self, net: &Adjacency, points: &[u32], spread: &mut Dijkstra) {
        let owner = &self.owner;
        let leaves = |&at: &u32| {
            let out = net.steps(at).iter().filter(|step| owner[step.to as usize] != owner[at as usize]);
            out.map(|step| step.cost_mm).min().map(|cost| (at, cost))
        };
        let from: Vec<(u32, u32)> = points.iter().filter_map(leaves).collect();
        spread.run(net, from, FAR, |at, step| owner[step.to as usize] == owner[at as usize]);
        points.iter().for_each(|&at| self.to_border_mm[at as usize] = spread.cost_mm(at));
    }

    /// Makes room for a point that came; it belongs to no part.
    pub(crate) fn add_point(&mut self) {
        self.owner.push(NONE);
        self.to_border_mm.push(FAR);
    }

    /// Makes up for a link that came, on a net that has it: ways stay what they are, and bounds what they
    /// claim to be. Cost: the points that come nearer to another part.
    pub(crate) fn add_link(&mut self, net: &Adjacency, [a, b]: [u32; 2]) {
        let Some(link) = net.step(a, b) else { return };
        let mut nearer = BinaryHeap::new();
        for (at, to) in [(a, b), (b, a)] {
            let is_within = self.owner[at as usize] == self.owner[to as usize];
            let rest_mm = if is_within { self.to_border_mm[to as usize] } else { 0 };
            nearer.push(Reverse((link.cost_mm.saturating_add(rest_mm), at)));
        }
        // Bounded: whatever is pushed again has come nearer.
        while let Some(Reverse((cost, at))) = nearer.pop() {
            let (owner, known) = (self.owner[at as usize], &mut self.to_border_mm[at as usize]);
            if owner == NONE || cost >= *known {
                continue;
            }
            *known = cost;
            let within = net.steps(at).iter().filter(|step| self.owner[step.to as usize] == owner);
            nearer.extend(within.map(|step| Reverse((cost.saturating_add(step.cost_mm), step.to))));
        }
    }

    /// How many parts there are.
    #[must_use]
    pub fn part_count(&self) -> usize {
        self.names.len()
    }

    /// The part that a point belongs to.
    #[must_use]
    pub fn part_of(&self, at: u32) -> Option<usize> {
        self.owner.get(at as usize).filter(|&&owner| owner != NONE).map(|&owner| usize::from(owner))
    }

    /// The way worked out from one part to another; None when there is none.
    #[must_use]
    pub fn way(&self, from: usize, to: usize) -> Option<&[u32]> {
        let way = self.ways.get(from * self.part_count() + to)?;
        (!way.points.is_empty()).then_some(way.points.as_slice())
    }

    /// The pairs of parts without a way between them, by name, each once.
    #[must_use]
    pub fn missing(&self) -> Vec<[&str; 2]> {
        let count = self.part_count();
        let pairs = (0..count).flat_map(|from| (from + 1..count).map(move |to| [from, to]));
        pairs
            .filter(|&[from, to]| self.way(from, to).is_none())
            .map(|pair| pair.map(|part| self.names[part].as_str()))
            .collect()
    }

    /// A way between two points over open links, at most a tenth more expensive than the cheapest one; None
    /// when there is none. Cost: the two ends, where a way worked out beforehand serves; else a search.
    #[must_use]
    pub fn find(
        &self,
        net: &Adjacency,
        from: u32,
        to: u32,
        is_open: impl Fn(u32) -> bool + Copy,
        search: &mut Search,
    ) -> Option<FoundRoute> {
        let (from, to) = ([(from, 0)], [(to, 0)]);
        let (shortcut, looked) = self.shortcut(net, &from, &to, is_open, search);
        if shortcut.is_some() {
            return shortcut;
        }
        let mut search = RouteSearch { net, is_open, search, looked };
        let price = search.price();
        let route = search.direct(&Toward::new(net, &to, 1.0), &from, &to, price)?;
        Some(FoundRoute { expansions: search.looked, ..route })
    }

    /// The same without a search of the whole graph, and how many points were looked at; None where one is
    /// needed. It may begin and end at any of the tips, the nearest first. Cost: the part of both ends, or
    /// what lies between each end and a way.
    pub(crate) fn shortcut<'a>(
        &self,
        net: &Adjacency,
        from: &'a [Tip],
        to: &'a [Tip],
        is_open: impl Fn(u32) -> bool + Copy,
        search: &mut Search,
    ) -> (Option<FoundRoute>, u32) {
        let mut search = RouteSearch { net, is_open, search, looked: 0 };
        let end = |tips: &'a [Tip]| self.part_of(tips.first()?.0).map(|part| WayEnd { part, tips });
        let found = match (end(from), end(to)) {
            (Some(from), Some(to)) if from.part == to.part => self.inside(from, to, &mut search),
            (Some(from), Some(to)) => self.joined(from, to, &mut search),
            _ => None,
        };
        let looked = search.looked;
        (found.map(|route| FoundRoute { expansions: looked, ..route }), looked)
    }

    /// A way that stays in the part of both ends, when none outside could be cheaper.
    fn inside(
        &self,
        from: WayEnd<'_>,
        to: WayEnd<'_>,
        search: &mut RouteSearch<'_, impl Fn(u32) -> bool + Copy>,
    ) -> Option<FoundRoute> {
        let is_open = search.is_open;
        let is_within = |at: u32| self.part_of(at) == Some(from.part);
        let price = |_: u32, step: AdjacentPoint| match is_open(step.link) && is_within(step.to) {
            true => step.cost_mm,
            false => FAR,
        };
        let begin: Vec<Tip> = from.tips.iter().copied().filter(|tip| is_within(tip.0)).collect();
        let toward = Toward::new(search.net, to.tips, 1.0);
        let route = search.direct(&toward, &begin, to.tips, price)?;
        let [out, back] = [from, to].map(|end| self.leaving_mm(end));
        (route.cost_mm <= out.saturating_add(back))
            .then_some(FoundRoute { how: RouteSource::Inside, ..route })
    }

    /// The least that it costs to get from a place out of its part.
    fn leaving_mm(&self, WayEnd { part, tips }: WayEnd<'_>) -> u32 {
        let leaving = |&(at, cost): &Tip| {
            let is_within = self.part_of(at) == Some(part);
            cost.saturating_add(if is_within { self.to_border_mm[at as usize] } else { 0 })
        };
        tips.iter().map(leaving).min().unwrap_or(FAR)
    }

    /// The way worked out beforehand, joined and left where that is cheap, when it is cheap enough.
    fn joined(
        &self,
        from: WayEnd<'_>,
        to: WayEnd<'_>,
        search: &mut RouteSearch<'_, impl Fn(u32) -> bool + Copy>,
    ) -> Option<FoundRoute> {
        let (net, is_open) = (search.net, search.is_open);
        let way = &self.ways[from.part * self.part_count() + to.part];
        let is_walkable = |pair: &[u32]| net.step(pair[0], pair[1]).is_some_and(|step| is_open(step.link));
        let &end = way.points.last()?;
        if !way.points.windows(2).all(is_walkable) {
            return None;
        }
        let toward = Toward::new(net, to.tips, 1.0);
        let bounds = from.tips.iter().map(|&(at, cost)| toward.bound_mm(at).saturating_add(cost));
        let least = u64::from(bounds.min()?);
        let [begin, goal] = [from, to].map(|end| end.tips.first().map(|tip| net.points()[tip.0 as usize]));
        if least * 100 > u64::from(link_mm(begin?, goal?)) * BENT_MAX_PERCENT {
            return None;
        }
        let most = least * COSTLIER_MAX_PERCENT / 100;
        let whole = RouteStretch { points: &way.points, left_mm: &way.left_mm };
        let join = search.near(from.tips, end, whole)?;
        let at = way.points.iter().position(|at| Some(at) == join.points.last())?;
        let rest: Vec<u32> = way.left_mm[at..].iter().map(|left| way.left_mm[at] - left).collect();
        let rest = RouteStretch { points: &way.points[at..], left_mm: &rest };
        let leave = search.near(to.tips, way.points[at], rest)?;
        let until = way.points.iter().position(|at| Some(at) == leave.points.last())?;
        let cost_mm = join.cost_mm.saturating_sub(way.left_mm[at]).saturating_add(leave.cost_mm);
        if u64::from(cost_mm) > most {
            return None;
        }
        let mut points = join.points;
        points.extend_from_slice(way.points.get(at + 1..=until).unwrap_or_default());
        points.extend(leave.points.iter().rev().skip(1));
        let route = FoundRoute { points, cost_mm, how: RouteSource::Joined, expansions: 0 };
        (route.points.len() >= JOINED_POINTS_MIN).then_some(route)
    }
}

/// A stretch of a way, and by point what is left to its end.
#[derive(Clone, Copy)]
struct RouteStretch<'a> {
    points: &'a [u32],
    left_mm: &'a [u32],
}

/// A search for one way: the net, which of its links are open, what it works in, and how many points it has
/// looked at.
struct RouteSearch<'s, O> {
    net: &'s Adjacency,
    is_open: O,
    search: &'s mut Search,
    looked: u32,
}

impl<O: Fn(u32) -> bool + Copy> RouteSearch<'_, O> {
    /// What a step costs over open links.
    fn price(&self) -> impl Fn(u32, AdjacentPoint) -> u32 + use<O> {
        let is_open = self.is_open;
        move |_, step| if is_open(step.link) { step.cost_mm } else { FAR }
    }

    /// From an end to where a way is joined best: the points up to there, and what it costs to the end of
    /// the way.
    fn near(&mut self, tips: &[Tip], end: u32, way: RouteStretch<'_>) -> Option<FoundRoute> {
        let RouteStretch { points, left_mm } = way;
        let net = self.net;
        let mut left = std::mem::take(&mut self.search.graph.left_mm);
        left.resize(net.points().len().max(left.len()), FAR);
        points.iter().zip(left_mm).for_each(|(&at, &cost)| left[at as usize] = cost);
        let toward = Toward::new(net, &[(end, 0)], 1.0);
        let ground =
            LinkCosts { net, toward: &toward, price: self.price(), left: |at: u32| left[at as usize] };
        let route = self.run(&ground, tips, JOIN_SLACK, JOIN_POINTS_MAX);
        points.iter().for_each(|&at| left[at as usize] = FAR);
        self.search.graph.left_mm = left;
        route
    }

    /// The cheapest way between two places.
    fn direct(
        &mut self,
        toward: &Toward<'_>,
        from: &[Tip],
        to: &[Tip],
        price: impl Fn(u32, AdjacentPoint) -> u32,
    ) -> Option<FoundRoute> {
        let ground = LinkCosts { net: self.net, toward, price, left: |at: u32| left_of(to, at) };
        self.run(&ground, from, EXACT, FAR)
    }

    fn run<P: Fn(u32, AdjacentPoint) -> u32, L: Fn(u32) -> u32>(
        &mut self,
        ground: &LinkCosts<'_, P, L>,
        from: &[Tip],
        slack: u32,
        points_max: u32,
    ) -> Option<FoundRoute> {
        let is_watched = self.search.is_watched();
        let Search { graph: GraphScratch { finder, .. }, popped, .. } = &mut *self.search;
        finder.begin(ground.toward, from.iter().copied(), FAR, slack);
        let state = finder.step(ground, points_max, |node| {
            if is_watched {
                popped.push(node);
            }
        });
        self.looked = self.looked.saturating_add(finder.spent());
        (state == SearchStep::Found).then(|| FoundRoute {
            points: finder.way(),
            cost_mm: finder.cost_mm(),
            how: RouteSource::Direct,
            expansions: 0,
        })
    }
}

/// What is left from a point, when it is one of some tips.
#[inline(always)]
pub(crate) fn left_of(tips: &[Tip], at: u32) -> u32 {
    tips.iter().find(|tip| tip.0 == at).map_or(FAR, |tip| tip.1)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::nav::graph::{EditableGraph, divide, grow};

    /// Rooms of eight by eight points, joined by two doors each to the next, some links missing.
    fn building(rng: &mut Rng) -> EditableGraph {
        let side = 32u32;
        let points: Vec<Vec3> =
            (0..side * side).map(|at| Vec3::new((at % side) as f32, 0.0, (at / side) as f32)).collect();
        let mut links = Vec::new();
        for at in 0..side * side {
            let (x, z) = (at % side, at / side);
            for (dx, dz) in [(1, 0), (0, 1), (1, 1)] {
                let (to_x, to_z) = (x + dx, z + dz);
                if to_x >= side || to_z >= side {
                    continue;
                }
                let is_wall = to_x / 8 != x / 8 || to_z / 8 != z / 8;
                let is_door = (x % 8 == 3 || z % 8 == 5) && dx + dz == 1;
                if if is_wall { is_door } else { rng.unit() < 0.85 } {
                    links.push([at, to_z * side + to_x]);
                }
            }
        }
        EditableGraph::new(points, &links, Vec::new()).unwrap()
    }

    /// Bellman and Ford: no order, no heap.
    fn exact(net: &Adjacency, from: u32, is_open: &dyn Fn(u32) -> bool) -> Vec<u64> {
        let mut cost = vec![u64::MAX; net.points().len()];
        cost[from as usize] = 0;
        loop {
            let mut changed = false;
            for (link, &[a, b]) in (0..).zip(net.links()) {
                let length =
                    net.points()[a as usize].as_dvec3().distance(net.points()[b as usize].as_dvec3());
                let length = ((length * 1000.0).ceil() as u64).max(1);
                for (from, to) in [(a, b), (b, a)] {
                    let offer = cost[from as usize].saturating_add(length);
                    if is_open(link) && offer < cost[to as usize] {
                        cost[to as usize] = offer;
                        changed = true;
                    }
                }
            }
            if !changed {
                return cost;
            }
        }
    }

    #[test]
    fn seed_v15_joined_ways_are_at_most_a_tenth_dearer_and_never_use_a_closed_link() {
        let mut search = Search::default();
        let (mut hows, mut pairs) = ([0u32; 3], 0);
        for seed in 0..4 {
            let mut rng = Rng::stream(seed, "routes");
            let mut draft = building(&mut rng);
            if seed % 2 == 0 {
                grow(&mut draft, "hall", 200, 9.0).unwrap();
            }
            divide(&mut draft, 60, &mut |_, _| {}).unwrap();
            let mut net = Adjacency::new(&draft);
            net.prepare();
            let routes = PrecomputedRoutes::new(&net, draft.parts(), &mut |_, _| {});
            let closed: Vec<bool> = net.links().iter().map(|_| rng.unit() < 0.03).collect();
            for is_shut in [false, true] {
                let is_open = |link: u32| !(is_shut && closed[link as usize]);
                for _ in 0..10 {
                    let from = rng.below(1024) as u32;
                    let best = exact(&net, from, &is_open);
                    for _ in 0..25 {
                        let to = rng.below(1024) as u32;
                        pairs += 1;
                        let found = routes.find(&net, from, to, is_open, &mut search);
                        let Some(route) = found else {
                            assert_eq!(best[to as usize], u64::MAX, "{from} {to}");
                            continue;
                        };
                        hows[route.how as usize] += 1;
                        let walked: u64 = route
                            .points
                            .windows(2)
                            .map(|pair| {
                                let step = net.step(pair[0], pair[1]).expect("a link");
                                assert!(is_open(step.link));
                                u64::from(step.cost_mm)
                            })
                            .sum();
                        assert_eq!((route.points[0], *route.points.last().unwrap()), (from, to));
                        assert_eq!(walked, u64::from(route.cost_mm));
                        assert!(walked >= best[to as usize] && walked * 10 <= best[to as usize] * 11 + 10);
                        if route.how != RouteSource::Joined {
                            assert_eq!(walked, best[to as usize], "{:?}", route.how);
                        }
                        let bound = Toward::new(&net, &[(to, 0)], 1.0).bound_mm(from);
                        assert!(u64::from(bound) <= best[to as usize]);
                    }
                }
            }
        }
        assert_eq!(pairs, 2000);
        assert!(hows.iter().all(|&count| count > 30), "each way of finding happens: {hows:?}");
    }

    #[test]
    fn what_is_measured_is_the_same_each_time_and_parts_pay_only_where_they_look_at_less() {
        for seed in 0..4 {
            let mut draft = building(&mut Rng::stream(seed, "routes"));
            divide(&mut draft, 60, &mut |_, _| {}).unwrap();
            let mut net = Adjacency::new(&draft);
            net.prepare();
            let routes = PrecomputedRoutes::new(&net, draft.parts(), &mut |_, _| {});
            let measured = routes.measure(&net);
            assert_eq!(measured, routes.measure(&net));
            // Ways that were kept and ways worked out again are the same ways.
            assert_eq!(
                measured,
                PrecomputedRoutes::restore(&net, draft.parts(), routes.all_ways()).measure(&net)
            );
            assert!(measured.pairs == MEASURED_PAIRS && measured.direct > 0);
        }
        // Without parts both are the same search.
        let net = Adjacency::new(&building(&mut Rng::stream(1, "routes")));
        let plain = PrecomputedRoutes::default().measure(&net);
        assert!(plain.direct == plain.with_parts && !plain.pays());
        assert_eq!(
            PrecomputedRoutes::default().measure(&Adjacency::new(&EditableGraph::default())),
            Measured::default()
        );
    }

    #[test]
    fn seed_v18_every_pair_of_parts_has_a_way_or_is_named() {
        let mut draft = building(&mut Rng::stream(9, "routes"));
        let island = draft.points().len() as u32;
        let mut points = draft.points().to_vec();
        points.push(Vec3::new(-5.0, 0.0, 0.0));
        draft = EditableGraph::new(points, &draft.links().collect::<Vec<_>>(), Vec::new()).unwrap();
        grow(&mut draft, "alone", island, 1.0).unwrap();
        grow(&mut draft, "west", 0, 12.0).unwrap();
        grow(&mut draft, "east", 1023, 12.0).unwrap();
        let net = Adjacency::new(&draft);
        let routes = PrecomputedRoutes::new(&net, draft.parts(), &mut |_, _| {});
        assert_eq!(routes.missing(), [["alone", "west"], ["alone", "east"]]);
        assert!(routes.way(1, 2).is_some() && routes.way(2, 1).is_some());
    }
}
