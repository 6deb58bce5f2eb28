//! The interface of a graph map for the rest of the crate.
//!
//! Not here: the points and links themselves (`map`), ways over them (`plan`).

use std::f32::consts::{PI, TAU};

use glam::Vec3;

use super::*;
use crate::base::cost::Cost;
use crate::base::geom::{Bounds, Point, Segment, ground};
use crate::base::hash::StateHash;
use crate::base::ids::AreaId;
use crate::base::ordered;
use crate::base::rng::Rng;
use crate::base::trig;
use crate::nav::backend::obstacle_disc;
use crate::nav::graph::connected_components::AreaAccess;
use crate::nav::graph::editable_graph::PointEdit;
use crate::nav::graph::footing::START_MAX_M;
use crate::nav::graph::ground_query::GraphGroundQuery;
use crate::nav::linked::Linked;
use crate::nav::reached_labels::ReachedLabels;
use crate::nav::smooth::Effort;
use crate::nav::{
    Backend, Disc, Island, LayerPoint, Location, Look, MapChange, NavEdit, RandomPoint, Reach, Revision,
    Search, Traversal,
};

impl Backend for PointGraph {
    fn expansion_price(&self) -> u64 {
        // Links have lengths and levels of their own, and are looked at one by one.
        3
    }

    fn make_room(&self, search: &mut Search) {
        search.make_room(self.node_count() as usize);
    }

    fn revision(&self) -> Revision {
        Revision(self.revision)
    }

    fn set_revision(&mut self, revision: u64) {
        self.revision = revision;
    }

    fn bounds(&self) -> Bounds {
        let points: Vec<Point> = self.net.points().iter().map(|&point| ground(point)).collect();
        if points.is_empty() {
            return Bounds { min: [0.0; 2], max: [0.0; 2] };
        }
        Bounds::of(&points).grown(f64::from(self.width_m()))
    }

    fn node_centre(&self, point: Vec3) -> Option<Vec3> {
        self.lookup.nearest_point(&self.net, point).map(|at| self.net.points()[at as usize])
    }

    fn apply(&mut self, edits: &[NavEdit]) -> Option<MapChange> {
        let mut change = MapChange { revision: self.revision(), ..MapChange::default() };
        let redrawn: Vec<PointEdit> = self.draft_edits(edits);
        if !redrawn.is_empty() {
            self.redraft(&redrawn, &mut change);
        }
        let before = self.states.to_vec();
        for edit in edits {
            if let NavEdit::Area(edit) = edit
                && let Some(state) = self.states.get_mut(edit.area.index())
            {
                let is_obstacle = self.areas[edit.area.index()].is_obstacle;
                if is_obstacle { state.edit_obstacle(edit) } else { state.edit_area(edit) }
            }
        }
        let changed = self.states.changed_since(&before);
        self.edit_hash = self.edit_hash.wrapping_add(self.states.hash_change(&before, &changed));
        for at in changed {
            let (was, now) = (before[at], self.states[at]);
            let area = &self.areas[at];
            change.touch(Bounds::of(&area.polygon).grown(self.keep_m(at)));
            change.recosted |= was.factor != now.factor;
            if was.available != now.available {
                let opens = now.available != area.is_obstacle;
                change.opened |= opens;
                change.closed |= !opens;
            }
        }
        if change.bounds.is_empty() {
            return None;
        }
        self.revision = self.revision.wrapping_add(1);
        self.expect_questions();
        change.revision = self.revision();
        Some(change)
    }

    fn add_obstacle(&mut self, used: &[AreaId], centre: LayerPoint, radius_m: f32) -> AreaId {
        let disc = obstacle_disc(centre.point, radius_m);
        let polygon = disc.map(|disc| obstacle_outline(&disc)).unwrap_or_default();
        let heights_m = [centre.point.y - STOREY_M, centre.point.y + STOREY_M];
        let area = GraphArea { polygon, heights_m, available: false, factor: 1.0, is_obstacle: true };
        let id = self.states.free_obstacle(used, |id| self.states.is_in_force(id));
        let at = id.index();
        if at == self.states.len() {
            self.areas.push(area);
            self.states.add_obstacle();
            self.lay_area(at);
        } else {
            self.areas[at] = area;
            self.across.take_away(at as u16);
            self.lay_area(at);
            self.known.forget();
            self.expect_questions();
        }
        id
    }

    fn prepare(&mut self, by: &Traversal) {
        let kind = AreaAccess::of(by);
        // Every edit of areas or links prepares for the kinds of bodies that are known.
        if self.known.kinds().first() == Some(&kind) {
            return;
        }
        self.known.remember(kind);
        self.expect_questions();
    }

    fn keep_body_classes(&mut self, kinds: usize) {
        self.known.keep(kinds);
    }

    fn body_class(&self, radius_m: f32) -> u64 {
        u64::from(radius_m.to_bits())
    }

    fn is_prepared(&self, by: &Traversal) -> bool {
        self.known.is_known(&AreaAccess::of(by))
    }

    fn node_count(&self) -> u64 {
        self.net.points().len() as u64
    }

    fn is_walkable(&self, point: Vec3, by: &Traversal) -> bool {
        self.spot(point, by).is_some()
    }

    fn locate(&self, point: Vec3, by: &Traversal) -> Option<Location> {
        self.spot(point, by).map(|spot| self.location(&spot, spot.above(point)))
    }

    fn nearest(&self, point: Vec3, within_m: f32, by: &Traversal) -> Option<Location> {
        self.nearest_counted(point, within_m, by).0
    }

    fn nearest_counted(&self, point: Vec3, within_m: f32, by: &Traversal) -> (Option<Location>, u64) {
        let (effort, within_m) = (Effort::endless(), within_m.max(0.0));
        effort.add(GraphGroundQuery::under_effort(self, point));
        let nearest = || {
            let usable = |link: u32| self.is_open(link, by);
            let spot = self.lookup.nearest(&self.net, point, within_m, &usable, &effort)?;
            Some(self.location(&spot, spot.point))
        };
        let found = self.locate(point, by).or_else(nearest);
        (found, effort.expansions())
    }

    fn start(&self, point: Vec3, by: &Traversal) -> Option<Location> {
        self.nearest(point, START_MAX_M, by)
    }

    fn straight(&self, from: Vec3, to: Vec3, by: &Traversal) -> Option<Cost> {
        self.straight_at(Segment { from, to }, by, &Effort::endless())
    }

    fn sight(&self, from: Vec3, to: Vec3, by: &Traversal) -> (bool, Vec3) {
        GraphGroundQuery::new(self, by).sight(from, to)
    }

    fn sight_counted(&self, from: Vec3, to: Vec3, by: &Traversal) -> ((bool, Vec3), u64) {
        let effort = Effort::endless();
        let seen = GraphGroundQuery::new(self, by).sight_at(Segment { from, to }, &effort);
        (seen, effort.expansions())
    }

    fn sees(&self, look: &Look<'_>) -> bool {
        self.sees_over(look)
    }

    fn is_clear_of(&self, from: Vec3, to: Vec3, by: &Traversal, others: &[crate::nav::Disc]) -> bool {
        let meets = |disc: &crate::nav::Disc| disc_meets(disc, from, to);
        self.sight(from, to, by).0 && !others.iter().any(meets)
    }

    fn reach(&self, from: Vec3, to: Vec3, by: &Traversal) -> Reach {
        self.reach_counted(from, to, by).0
    }

    fn reach_counted(&self, from: Vec3, to: Vec3, by: &Traversal) -> (Reach, u64) {
        let effort = Effort::endless();
        let along = |from, to| self.reach_along(from, to, by, &effort);
        let stands = |place| self.may_stand(place, by);
        let reach = self.links.reach([from, to], by.actions, stands, along);
        (reach, effort.expansions())
    }

    fn random_point_counted(&self, query: &RandomPoint, rng: &mut Rng) -> (Option<Vec3>, u64) {
        let effort = Effort::endless();
        (self.draw_point(query, rng, &effort), effort.expansions())
    }

    fn holds(&self, area: AreaId, point: Vec3) -> bool {
        self.areas.get(area.index()).is_some_and(|area| !area.is_obstacle && area.holds(point))
    }

    fn areas_at(&self, point: Vec3, out: &mut Vec<AreaId>) {
        out.extend((0..self.areas.len()).filter(|&at| self.areas[at].holds(point)).map(AreaId::from));
    }

    fn islands(&self) -> Vec<Island> {
        let labels = self.labels(&Traversal::default());
        let mut parts: std::collections::BTreeMap<u32, Island> = std::collections::BTreeMap::new();
        for (&label, &point) in labels.iter().zip(self.net.points()) {
            let island =
                parts.entry(label).or_insert(Island { cells: 0, bounds: Bounds::EMPTY, sample: point });
            island.cells += 1;
            island.bounds.include(ground(point));
        }
        let mut islands: Vec<Island> = parts.into_values().collect();
        ordered::sort_by_key(&mut islands, |island| std::cmp::Reverse(island.cells));
        islands
    }

    fn area_state(&self, area: AreaId) -> Option<(bool, f32)> {
        self.states.get(area.index()).map(|state| (state.available, state.factor))
    }

    fn area_cells(&self, area: AreaId) -> u32 {
        let is_area = self.areas.get(area.index()).is_some_and(|area| !area.is_obstacle);
        let links = 0..self.net.links().len();
        let held = |link: &usize| self.across.areas(*link).binary_search(&(area.index() as u16)).is_ok();
        if is_area { links.filter(held).count() as u32 } else { 0 }
    }

    fn way_in(&self, goal: Vec3, by: &Traversal) -> Option<Vec3> {
        let gate = by.one_way().iter().find(|gate| gate.is_before(goal) && self.holds(gate.area, goal))?;
        let ends = self.net.links()[self.spot_through(goal, by)?.link as usize];
        let places = ends.map(|end| self.net.points()[end as usize]);
        // A link is straight.
        let is_way_in = |place: &Vec3| !self.holds(gate.area, *place) && gate.is_before(*place);
        places.into_iter().find(is_way_in)
    }

    fn metres(&self, cost: Cost) -> f64 {
        f64::from(cost.0) / 1000.0
    }

    fn cheapest_factor(&self) -> f32 {
        let areas = self.areas.iter().zip(self.states.iter()).filter(|(area, _)| !area.is_obstacle);
        areas.map(|(_, state)| state.factor).fold(1.0, f32::min)
    }

    fn node_m(&self) -> f32 {
        2.0 * self.width_m()
    }

    fn hash_into(&self, hash: &mut StateHash) {
        hash.word(self.start_hash).word(self.edit_hash).word(self.revision);
    }
}

/// Effort of looking at a link, or at a group of links, for a random point: whether the point may lie on it,
/// and how long it is.
const STRETCH_EFFORT: u64 = 32;

/// Which links a random point may lie on.
pub(super) struct Admission<'a> {
    map: &'a PointGraph,
    area: Option<AreaId>,
    /// Whether links have room for the body.
    fits: bool,
    /// By set of areas across links.
    passages: Vec<LinkPassage>,
    /// What is connected, and what of it can be reached from where it has to be.
    reached: Option<(Arc<[u32]>, ReachedLabels)>,
    effort: &'a Effort,
}

impl Admission<'_> {
    /// Whether links with a set of areas across them are admitted, of which one begins at a point.
    pub(super) fn admits(&self, set: u32, point: u32) -> bool {
        let is_held =
            |area: AreaId| self.map.across.sets[set as usize].binary_search(&(area.index() as u16)).is_ok();
        self.fits
            && matches!(self.passages[set as usize], LinkPassage::Open(_))
            && self.area.is_none_or(is_held)
            && self.reached.as_ref().is_none_or(|(labels, reached)| {
                let place = || self.map.net.points()[point as usize];
                reached.holds(labels[point as usize], self.map, place, self.effort)
            })
    }
}

impl PointGraph {
    /// A random point, all of the links as likely as they are long. Cost: the links around the middle of the
    /// disc; the groups of links where none is given.
    fn draw_point(&self, query: &RandomPoint, rng: &mut Rng, effort: &Effort) -> Option<Vec3> {
        let admission = self.admission(query, effort)?;
        let mut draw = || match query.centre {
            None => self.draw_anywhere(&admission, rng, effort),
            Some(centre) => self.draw_within(centre, query.within_m, &admission, rng, effort),
        };
        let Some(area) = query.area else { return draw() };
        // A link of the area may lie in it in part.
        (0..query.attempts.max(1)).find_map(|_| draw().filter(|point| self.holds(area, *point)))
    }

    /// None where nothing is reached from where it has to be.
    pub(super) fn admission<'a>(&'a self, query: &RandomPoint, effort: &'a Effort) -> Option<Admission<'a>> {
        let walled = query.reachable_from.and_then(|_| query.by.walled());
        let by = walled.as_ref().unwrap_or(&query.by);
        let reached = match query.reachable_from {
            None => None,
            Some(from) => {
                effort.add(QUESTION_EFFORT);
                let labels = self.labels(by);
                let own = self.footing(from.point, &query.by, effort)?.groups(self, &labels);
                Some((labels, ReachedLabels::new(from.point, &query.by, own)))
            }
        };
        effort.add(GLANCE_EFFORT * self.across.sets.len() as u64);
        let (fits, passages) = (self.fits(by), self.passages(by));
        Some(Admission { map: self, area: query.area, fits, passages, reached, effort })
    }

    fn draw_anywhere(&self, admission: &Admission<'_>, rng: &mut Rng, effort: &Effort) -> Option<Vec3> {
        let lengths = self.link_lengths();
        effort.add(STRETCH_EFFORT * lengths.groups().len() as u64);
        let groups = || lengths.groups().iter().filter(|group| admission.admits(group.set, group.point));
        let total_m: f64 = groups().map(|group| group.length_m).sum();
        let mut along_m = rng.unit() * total_m;
        let mut last = None;
        for group in groups() {
            last = Some((group, along_m));
            if along_m <= group.length_m {
                break;
            }
            along_m -= group.length_m;
        }
        last.and_then(|(group, along_m)| lengths.place(&self.net, group, along_m))
    }

    fn draw_within(
        &self,
        centre: Vec3,
        within_m: f32,
        admission: &Admission<'_>,
        rng: &mut Rng,
        effort: &Effort,
    ) -> Option<Vec3> {
        let stretch = |link: u32| {
            let [point, _] = self.net.links()[link as usize];
            let is_admitted = admission.admits(self.set_across(link), point);
            if is_admitted { within_disc(self.net.places(link), centre, within_m) } else { None }
        };
        let mut near: Vec<u32> = Vec::new();
        let reach_m = within_m + WITHIN_SPARE_M;
        if centre.is_finite() && self.lookup.is_worth_looking(reach_m) {
            self.lookup.along_at(Segment { from: centre, to: centre }, reach_m, &mut near, effort);
        } else {
            near.extend(0..self.net.links().len() as u32);
        }
        // What lies within a disc is worked out, twice.
        effort.add(3 * STRETCH_EFFORT * near.len() as u64);
        let stretches = || near.iter().filter_map(|&link| stretch(link));
        let total: f64 = stretches().map(|ends| f64::from(ends[0].distance(ends[1]))).sum();
        let mut drawn = rng.unit() * total;
        let mut last = None;
        for [a, b] in stretches() {
            let length = f64::from(a.distance(b));
            if drawn <= length {
                return Some(a.lerp(b, if length > 0.0 { (drawn / length) as f32 } else { 0.0 }));
            }
            drawn -= length;
            last = Some(b);
        }
        last
    }
}

/// How much further than the disc of a random point links are looked for, metres: rounding.
const WITHIN_SPARE_M: f32 = 0.01;

/// A polygon of sixteen corners around a disc.
fn obstacle_outline(disc: &Disc) -> Vec<Point> {
    const CORNERS: u8 = 16;
    let reach_m = f64::from(disc.radius_m) / f64::from(trig::cos(PI / f32::from(CORNERS)));
    let [x, z] = ground(disc.centre);
    let corner = |at: u8| {
        let angle = TAU * f32::from(at) / f32::from(CORNERS);
        [x + reach_m * f64::from(trig::cos(angle)), z + reach_m * f64::from(trig::sin(angle))]
    };
    (0..CORNERS).map(corner).collect()
}
