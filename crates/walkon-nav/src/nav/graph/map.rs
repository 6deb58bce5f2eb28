//! The map of points and links that bodies walk on.
//!
//! In: a draft, how wide its links are, areas that lie across them; then edits. Out: answers about places,
//! and what searches walk on. Holds: the ground is everything within the width of an open link, at the height
//! of the link; a link belongs to the first area that it crosses and is open as that is; the ground keeps a
//! body's radius from every obstacle of the level that stands; one revision a set of edits. Not here: making
//! drafts (`generate`), finding paths (`plan`).

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use glam::Vec3;

use crate::base::cost::Cost;
use crate::base::geom::{self, Bounds, Point, Segment, ground};
use crate::base::hash::{StateHash, mix};
use crate::base::ids::AreaId;
use crate::nav::Links;
use crate::nav::edits::{AreaState, AreaStates, clamp_factor};
use crate::nav::graph::adjacency::Adjacency;
use crate::nav::graph::connected_components::{AreaAccess, AreaSet, Known, labels};
use crate::nav::graph::editable_graph::{EditableGraph, PointEdit};
use crate::nav::graph::link_lengths::LinkLengths;
use crate::nav::graph::lookup::{LinkLookup, LinkSpot};
use crate::nav::graph::precomputed_routes::PrecomputedRoutes;
use crate::nav::smooth::Effort;
use crate::nav::solids::Solids;
use crate::nav::{GraphEdit, Location, MapChange, NavEdit, NodeId, PathFailure, Traversal};

mod backend;
mod questions;

/// How far from a link in height a body may be and still stand on it, metres.
pub(crate) use crate::base::geom::STOREY_M;
/// How much nearer than it may a link comes to an obstacle before it counts, metres: rounding.
const KEEP_SPARE_M: f64 = 1e-6;

/// Points that are looked at to see whether a link that goes has cut something off, before all labels are
/// made again.
const SEEN_MAX: usize = 4096;
/// The effort of a question about connections, and of a glance at what lies across a link.
const QUESTION_EFFORT: u64 = 512;
const GLANCE_EFFORT: u64 = 1;

/// Points of a graph that is searched with landmarks: below, a search looks at few points anyway.
const PREPARED_MIN: usize = 1000;

/// Ground that lies across links.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphArea {
    /// Corners, world metres.
    pub polygon: Vec<Point>,
    /// Least and greatest height of the links that it holds, metres.
    pub heights_m: [f32; 2],
    /// Whether it is there at first.
    pub available: bool,
    /// Cost of a metre in it over a metre of plain ground, 0.1 to 100.
    pub factor: f32,
    /// Whether it blocks while it is there, as obstacles do.
    pub is_obstacle: bool,
}

/// The furthest from a link that a body's middle may be, metres.
pub const WIDTH_MAX_M: f32 = 100.0;

/// What a graph map is made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphSource {
    /// The points, links and parts.
    pub draft: EditableGraph,
    /// How far from a link a body's middle may be, metres: the nearest from 0 to [`WIDTH_MAX_M`].
    pub width_m: f32,
    /// Half the width of the widest body that the links have room for, metres.
    pub agent_radius_m: f32,
    /// Areas first, then obstacles: an `AreaId` is the place in this list.
    pub areas: Vec<GraphArea>,
    /// Whether ways between parts are worked out beforehand and used.
    pub uses_parts: bool,
}

/// A navigation map of points and links in space. `Default` has none.
#[derive(Clone, Debug, Default)]
pub struct PointGraph {
    source: Arc<GraphSource>,
    /// What it was made from, before any edit.
    authored: Arc<GraphSource>,
    net: Arc<Adjacency>,
    lookup: Arc<LinkLookup>,
    routes: Arc<PrecomputedRoutes>,
    areas: Vec<GraphArea>,
    states: AreaStates,
    /// What lies across each link.
    across: Across,
    /// What blocks lines of sight; None where they follow the links.
    pub(super) scene: Option<Arc<Solids>>,
    /// The middle of the points that lie in an area, by point: 0 for none, else the area and one.
    inside: Vec<u16>,
    revision: u64,
    /// Of what it was made from.
    start_hash: u64,
    /// The shares of what differs from that: see [`PointGraph::edit_shares`].
    edit_hash: u64,
    known: Known,
    /// Worked out again at the first question after links, or what lies across them, have changed.
    lengths: OnceLock<Arc<LinkLengths>>,
    /// Ways over what no link of the net crosses, such as jumps.
    pub(super) links: Links,
}

/// Whether areas that are not available count as closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClosedDoors {
    AsTheyAre,
    Open,
}

/// What a link is to a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LinkPassage {
    /// It can be walked, at a price for each metre.
    Open(f32),
    /// It is closed.
    Closed,
    /// It leads through an area that is not available, which costs so many metres to open.
    Through(AreaId, f32),
}

impl PointGraph {
    /// Whether an area holds a point, for the one-way areas of a body.
    pub(super) fn gate(&self) -> impl Fn(AreaId, Vec3) -> bool + '_ {
        |area, point| self.areas.get(area.index()).is_some_and(|area| area.holds(point))
    }

    /// Gives it links of its own, over what those of the net do not cross.
    pub fn set_links(&mut self, links: Links) {
        self.links = links;
    }

    /// The links that it was given.
    #[must_use]
    pub fn crossings(&self) -> &Links {
        &self.links
    }

    /// Makes a map. Cost: points and links, and the areas that lie across each.
    #[must_use]
    pub fn new(source: GraphSource) -> Self {
        let net = Adjacency::new(&source.draft);
        let routes = match source.uses_parts {
            true => PrecomputedRoutes::new(&net, source.draft.parts(), &mut |_, _| {}),
            false => PrecomputedRoutes::default(),
        };
        Self::with_routes(source, net, routes)
    }

    /// The same with ways between its parts that were worked out before.
    #[must_use]
    pub fn with_routes(mut source: GraphSource, mut net: Adjacency, routes: PrecomputedRoutes) -> Self {
        let width_m = if source.width_m.is_nan() { 0.0 } else { source.width_m };
        source.width_m = width_m.clamp(0.0, WIDTH_MAX_M);
        // Ways between parts are used where bounds show them to be good enough.
        if net.landmarks().is_none() && (source.uses_parts || net.points().len() >= PREPARED_MIN) {
            net.prepare();
        }
        let states: Vec<AreaState> = source
            .areas
            .iter()
            .map(|area| AreaState { available: area.available, factor: area.factor })
            .collect();
        let source = Arc::new(source);
        let mut map = Self {
            scene: None,
            authored: Arc::clone(&source),
            lookup: Arc::new(LinkLookup::new(&net, source.width_m)),
            net: Arc::new(net),
            routes: Arc::new(routes),
            areas: source.areas.clone(),
            states: AreaStates::new(states),
            across: Across::default(),
            inside: Vec::new(),
            revision: 0,
            start_hash: 0,
            edit_hash: 0,
            known: Known::default(),
            lengths: OnceLock::new(),
            links: Links::default(),
            source,
        };
        map.lay_areas();
        map.link_lengths();
        map.start_hash = map.draft_hash();
        map
    }

    /// Finds out which links each area holds.
    fn lay_areas(&mut self) {
        self.lengths = OnceLock::new();
        self.across = Across::new(self.net.links().len());
        self.inside = vec![0; self.net.points().len()];
        for at in 0..self.areas.len() {
            self.lay_area(at);
        }
    }

    fn lay_area(&mut self, at: usize) {
        self.lengths = OnceLock::new();
        let (area, keep_m) = (&self.areas[at], self.keep_m(at));
        for (link, &ends) in self.net.links().iter().enumerate() {
            if area.meets(ends.map(|end| self.net.points()[end as usize]), keep_m) {
                self.across.put(link, at as u16);
            }
        }
        if area.is_obstacle {
            return;
        }
        for (inside, &point) in self.inside.iter_mut().zip(self.net.points()) {
            if *inside == 0 && area.holds(point) {
                *inside = at as u16 + 1;
            }
        }
    }

    /// How near to an area a link may come without lying across it, metres. Bodies stray from links, and have
    /// room beside obstacles still; what was blocked later is ground that nobody stands on, as on every map.
    /// Areas without walls hold what they touch.
    fn keep_m(&self, at: usize) -> f64 {
        match self.areas[at].is_obstacle {
            true if at < self.states.authored() => {
                f64::from(self.source.width_m + self.source.agent_radius_m)
            }
            true => f64::from(self.source.width_m),
            false => 0.0,
        }
    }

    /// Points, links and parts as they are now.
    #[must_use]
    pub fn draft(&self) -> &EditableGraph {
        &self.source.draft
    }

    /// Points and links laid out for searching.
    #[must_use]
    pub fn net(&self) -> &Adjacency {
        &self.net
    }

    pub(crate) fn lookup(&self) -> &LinkLookup {
        &self.lookup
    }

    pub(crate) fn routes(&self) -> &PrecomputedRoutes {
        &self.routes
    }

    /// How far from a link a body's middle may be, metres.
    #[must_use]
    pub fn width_m(&self) -> f32 {
        self.source.width_m
    }

    /// Links in groups, to draw one of them.
    pub(crate) fn link_lengths(&self) -> &LinkLengths {
        self.lengths.get_or_init(|| Arc::new(LinkLengths::new(&self.net, &self.across.set_of)))
    }

    /// The number of the set of areas across a link, for [`PointGraph::passages`]; 0 for none.
    #[inline(always)]
    pub(crate) fn set_across(&self, link: u32) -> u32 {
        self.across.set_of[link as usize]
    }

    /// What links are to a body, by the number of the set of areas across them.
    pub(crate) fn passages(&self, by: &Traversal) -> Vec<LinkPassage> {
        self.across.sets.iter().map(|areas| self.passage_over(areas, by)).collect()
    }

    /// What a link is to a body.
    pub(crate) fn passage(&self, link: u32, by: &Traversal) -> LinkPassage {
        self.passage_over(self.across.areas(link as usize), by)
    }

    fn passage_over(&self, areas: &[u16], by: &Traversal) -> LinkPassage {
        let mut factor = None;
        let mut through = None;
        for &at in areas {
            let (area, state) = (&self.areas[usize::from(at)], self.states[usize::from(at)]);
            let id = AreaId::from(usize::from(at));
            if area.is_obstacle {
                if state.available {
                    return LinkPassage::Closed;
                }
                continue;
            }
            if by.barred().binary_search(&id).is_ok() {
                return LinkPassage::Closed;
            }
            let own = by.areas.as_ref().and_then(|list| {
                list.binary_search_by_key(&id, |entry| entry.0).ok().map(|place| list[place].1)
            });
            match own {
                Some(None) => return LinkPassage::Closed,
                Some(Some(own)) => factor = factor.or(Some(clamp_factor(own))),
                None => factor = factor.or(Some(state.factor)),
            }
            if !state.available {
                let list = by.through.as_deref().unwrap_or(&[]);
                let Ok(place) = list.binary_search_by_key(&id, |entry| entry.0) else {
                    return LinkPassage::Closed;
                };
                through = through.or(Some((id, list[place].1)));
            }
        }
        match through {
            Some((id, metres)) => LinkPassage::Through(id, metres),
            None => LinkPassage::Open(factor.unwrap_or(1.0)),
        }
    }

    /// Whether a body can walk a link now; not through closed doors.
    pub(crate) fn is_open(&self, link: u32, by: &Traversal) -> bool {
        self.fits(by) && matches!(self.passage(link, by), LinkPassage::Open(_))
    }

    /// Whether links have room for a body.
    pub(crate) fn fits(&self, by: &Traversal) -> bool {
        by.radius_m <= self.source.agent_radius_m + 1e-4
    }

    /// The area that alone closes a link to bodies that nothing bars; None when the link is open, or closed
    /// by more than that.
    pub(crate) fn closed_by(&self, link: u32) -> Option<AreaId> {
        let is_closed = |at: &&u16| {
            let at = usize::from(**at);
            self.areas[at].is_obstacle == self.states[at].available
        };
        let mut closed = self.across.areas(link as usize).iter().filter(is_closed);
        match (closed.next(), closed.next()) {
            (Some(&at), None) if !self.areas[usize::from(at)].is_obstacle => {
                Some(AreaId::from(usize::from(at)))
            }
            _ => None,
        }
    }

    /// The area that a point of the graph lies in.
    pub(crate) fn area_of_point(&self, at: u32) -> Option<AreaId> {
        self.inside[at as usize].checked_sub(1).map(|area| AreaId::from(usize::from(area)))
    }

    /// The place under a body, when it may stand there.
    pub(crate) fn spot(&self, point: Vec3, by: &Traversal) -> Option<LinkSpot> {
        self.lookup.under(&self.net, point, self.width_m(), &|link| self.is_open(link, by))
    }

    /// The same where it may plan through closed doors.
    pub(crate) fn spot_through(&self, point: Vec3, by: &Traversal) -> Option<LinkSpot> {
        let usable = |link: u32| self.fits(by) && self.passage(link, by) != LinkPassage::Closed;
        self.lookup.under(&self.net, point, self.width_m(), &usable)
    }

    /// All places on links under a body, the one right below it first: a place belongs to all of them.
    pub(crate) fn spots_through(&self, point: Vec3, by: &Traversal) -> Vec<LinkSpot> {
        let usable = |link: u32| self.fits(by) && self.passage(link, by) != LinkPassage::Closed;
        self.lookup.holding(&self.net, point, self.width_m(), &usable)
    }

    /// The group of connected points that a link belongs to.
    pub(crate) fn group_of(&self, labels: &[u32], link: u32) -> u32 {
        labels[self.net.links()[link as usize][0] as usize]
    }

    fn location(&self, spot: &LinkSpot, point: Vec3) -> Location {
        Location { node: NodeId(self.net.links()[spot.link as usize][0]), point }
    }

    /// The areas whose links are walls to a body.
    pub(crate) fn walls_of(&self, by: &Traversal) -> Vec<AreaId> {
        let walls = self.closed_to(&AreaAccess::of(by), ClosedDoors::AsTheyAre);
        (0..self.areas.len()).filter(|&at| walls.has(at)).map(AreaId::from).collect()
    }

    /// Whether a place lies in an area, or nearer to it than links may come that it does not lie across.
    pub(crate) fn is_within(&self, area: AreaId, point: Vec3) -> bool {
        self.areas[area.index()].is_near(point, self.keep_m(area.index()))
    }

    /// Whether an area lies across a straight stretch to a body at its beginning. One that stands nearer to
    /// it than bodies keep goes away from it, and one that stands in it comes out.
    pub(crate) fn comes_into(&self, area: AreaId, ends: [Vec3; 2]) -> bool {
        let (shape, is_near) = (&self.areas[area.index()], self.is_within(area, ends[0]));
        let keep_m = if is_near { 0.0 } else { self.keep_m(area.index()) };
        !shape.holds(ends[0]) && shape.meets(ends, keep_m)
    }

    /// For each point the lowest-numbered point that it is connected to. Cost: a look at the areas; for a
    /// traversal that is not prepared, and once after links have changed, the links.
    pub(crate) fn labels(&self, by: &Traversal) -> Arc<[u32]> {
        let closed = self.closed_to(&AreaAccess::of(by), ClosedDoors::AsTheyAre);
        self.labels_without(&closed)
    }

    /// The same as if all closed areas that it is not barred from were open.
    fn labels_opened(&self, by: &Traversal) -> Arc<[u32]> {
        let closed = self.closed_to(&AreaAccess::of(by), ClosedDoors::Open);
        self.labels_without(&closed)
    }

    fn labels_without(&self, closed: &AreaSet) -> Arc<[u32]> {
        self.known.labels(closed, || {
            let is_open = |areas: &Vec<u16>| !areas.iter().any(|&area| closed.has(usize::from(area)));
            let open: Vec<bool> = self.across.sets.iter().map(is_open).collect();
            let links = self.net.links().iter().zip(&self.across.set_of);
            let links = links.filter(|(_, set)| open[**set as usize]);
            labels(self.net.points().len(), links.map(|(&ends, _)| ends))
        })
    }

    /// The areas whose links are walls to a kind of bodies.
    fn closed_to(&self, kind: &AreaAccess, doors: ClosedDoors) -> AreaSet {
        let mut closed = AreaSet::default();
        for (at, (area, state)) in self.areas.iter().zip(self.states.iter()).enumerate() {
            let id = AreaId::from(at);
            let is_open = match area.is_obstacle {
                true => !state.available,
                false => {
                    kind.barred.binary_search(&id).is_err()
                        && (state.available
                            || doors == ClosedDoors::Open
                            || kind.through.binary_search(&id).is_ok())
                }
            };
            if !is_open {
                closed.insert(at);
            }
        }
        closed
    }

    /// Gets ready for what kinds that are kept will ask about the areas as they are now.
    fn expect_questions(&mut self) {
        let kinds = self.known.kinds().iter().rev();
        let sets: Vec<AreaSet> = kinds
            .flat_map(|kind| {
                [ClosedDoors::Open, ClosedDoors::AsTheyAre].map(|doors| self.closed_to(kind, doors))
            })
            .collect();
        sets.into_iter().for_each(|closed| self.known.expect(closed));
    }

    /// The same map in a scene, which blocks lines of sight.
    #[must_use]
    pub fn in_scene(self, scene: Option<Solids>) -> Self {
        Self { scene: scene.map(Arc::new), ..self }
    }

    /// The areas and obstacles of the level, without those that scripts have put there.
    pub(crate) fn laid_areas(&self) -> &[GraphArea] {
        &self.areas[..self.states.authored()]
    }

    /// The polygon of an area or obstacle; None for an unknown id.
    #[must_use]
    pub fn area_outline(&self, area: AreaId) -> Option<&[Point]> {
        self.areas.get(area.index()).map(|area| area.polygon.as_slice())
    }

    /// Least and greatest height of the links that an area or obstacle lies across, metres; None for an
    /// unknown id.
    #[must_use]
    pub fn area_heights_m(&self, area: AreaId) -> Option<[f64; 2]> {
        self.areas.get(area.index()).map(|area| area.heights_m.map(f64::from))
    }

    /// Whether a metre costs the same everywhere.
    pub(crate) fn is_plain(&self) -> bool {
        self.areas.iter().zip(self.states.iter()).all(|(area, state)| area.is_obstacle || state.factor == 1.0)
    }

    fn draft_hash(&self) -> u64 {
        let mut hash = StateHash::default();
        for point in self.net.points() {
            hash.word(u64::from(point.x.to_bits()) << 32 | u64::from(point.y.to_bits()))
                .word(point.z.to_bits().into());
        }
        for &[a, b] in self.net.links() {
            hash.word(u64::from(a) << 32 | u64::from(b));
        }
        hash.finish()
    }

    /// The edits of points and links among others.
    fn draft_edits(&self, edits: &[NavEdit]) -> Vec<PointEdit> {
        let mut next = self.net.points().len() as u32;
        let graph = edits.iter().filter_map(|edit| match edit {
            NavEdit::Graph(edit) => Some(*edit),
            NavEdit::Area(_) | NavEdit::Tile(_) => None,
        });
        graph
            .map(|edit| match edit {
                GraphEdit::Add(point) => {
                    next += 1;
                    PointEdit::Add { at: next - 1, point, links: Vec::new(), part: None }
                }
                GraphEdit::Link(ends) => PointEdit::Link { ends },
                GraphEdit::Unlink(ends) => PointEdit::Unlink { ends },
            })
            .collect()
    }

    /// Carries out those edits of points and links that are possible, and tells what they did. What was
    /// worked out beforehand stays while points keep their numbers and places, else it is worked out again at
    /// once, which takes a quarter of a second for the ways between the parts of 50,000 points. Cost: what
    /// each touches; the whole graph once where points move or get other numbers.
    fn redraft(&mut self, edits: &[PointEdit], change: &mut MapChange) {
        let mut renumbers = false;
        for edit in edits {
            let touched = self.touched(&self.source.draft, edit);
            let count = self.source.draft.points().len();
            if Arc::make_mut(&mut self.source).draft.apply(edit).is_err() {
                continue;
            }
            let takes_away = matches!(edit, PointEdit::Unlink { .. });
            change.opened |= !takes_away;
            change.closed |= !matches!(edit, PointEdit::Add { .. } | PointEdit::Link { .. });
            change.touch(touched);
            // Once all of it is laid out again nothing is patched any more.
            renumbers = renumbers || !self.patch(edit, count);
        }
        if change.bounds.is_empty() {
            return;
        }
        if renumbers {
            self.lay_out();
            self.routes = Arc::new(self.new_routes());
        } else {
            self.expect_questions();
        }
    }

    /// Does to what was laid out for searching what an edit has done to the draft, which had so many points.
    /// False where it cannot.
    fn patch(&mut self, edit: &PointEdit, count: usize) -> bool {
        match edit {
            PointEdit::Add { at, point, links, part: None } if links.is_empty() && *at as usize == count => {
                self.patch_point(*point);
                true
            }
            PointEdit::Link { ends } => {
                self.patch_link([ends[0].min(ends[1]), ends[0].max(ends[1])]);
                true
            }
            PointEdit::Unlink { ends } => self.patch_unlink([ends[0].min(ends[1]), ends[0].max(ends[1])]),
            _ => false,
        }
    }

    fn patch_point(&mut self, point: Vec3) {
        let at = self.net.points().len();
        Arc::make_mut(&mut self.net).add(point);
        if self.routes.part_count() > 0 {
            Arc::make_mut(&mut self.routes).add_point();
        }
        let holds = |area: &GraphArea| !area.is_obstacle && area.holds(point);
        self.inside.push(self.areas.iter().position(holds).map_or(0, |area| area as u16 + 1));
        self.known.add_point();
        self.edit_hash = self.edit_hash.wrapping_add(point_hash(at as u32, point));
    }

    fn patch_link(&mut self, ends: [u32; 2]) {
        self.lengths = OnceLock::new();
        let link = Arc::make_mut(&mut self.net).link(ends);
        if self.routes.part_count() > 0 {
            Arc::make_mut(&mut self.routes).add_link(&self.net, ends);
        }
        Arc::make_mut(&mut self.lookup).put(&self.net, link);
        self.across.add_link();
        let places = ends.map(|end| self.net.points()[end as usize]);
        for at in 0..self.areas.len() {
            if self.areas[at].meets(places, self.keep_m(at)) {
                self.across.put(link as usize, at as u16);
            }
        }
        let areas = self.across.areas(link as usize);
        self.known.join(ends, |closed| !areas.iter().any(|&area| closed.has(usize::from(area))));
        self.edit_hash = self.edit_hash.wrapping_add(link_hash(ends));
    }

    fn patch_unlink(&mut self, ends: [u32; 2]) -> bool {
        let Some(step) = self.net.step(ends[0], ends[1]) else { return false };
        self.lengths = OnceLock::new();
        let last = self.net.links().len() as u32 - 1;
        let lookup = Arc::make_mut(&mut self.lookup);
        lookup.take(&self.net, step.link);
        lookup.take(&self.net, last);
        Arc::make_mut(&mut self.net).unlink(ends);
        if step.link != last {
            lookup.put(&self.net, step.link);
        }
        let was_across = self.across.take_link(step.link as usize);
        let (net, across) = (&self.net, &self.across);
        self.known.part(|closed| {
            let is_open = |areas: &[u16]| !areas.iter().any(|&area| closed.has(usize::from(area)));
            // What was closed joined nothing.
            !is_open(&was_across) || are_connected(net, ends, |link| is_open(across.areas(link as usize)))
        });
        self.edit_hash = self.edit_hash.wrapping_sub(link_hash(ends));
        true
    }

    /// The ground that an edit touches.
    fn touched(&self, draft: &EditableGraph, edit: &PointEdit) -> Bounds {
        let place = |at: u32| draft.points().get(at as usize).copied();
        let beside = |at: u32| {
            draft.links().filter(move |ends| ends.contains(&at)).filter_map(move |[a, b]| place(a ^ b ^ at))
        };
        let touched: Vec<Vec3> = match edit {
            PointEdit::Add { point, links, .. } => {
                links.iter().filter_map(|&at| place(at)).chain([*point]).collect()
            }
            PointEdit::Remove { at } => beside(*at).chain(place(*at)).collect(),
            PointEdit::Move { at, point } => beside(*at).chain(place(*at)).chain([*point]).collect(),
            PointEdit::Link { ends } | PointEdit::Unlink { ends } => {
                ends.iter().filter_map(|&at| place(at)).collect()
            }
        };
        let points: Vec<Point> = touched.iter().map(|&point| ground(point)).collect();
        if points.is_empty() { Bounds::EMPTY } else { Bounds::of(&points).grown(f64::from(self.width_m())) }
    }

    /// Ways between parts, where they are used.
    fn new_routes(&self) -> PrecomputedRoutes {
        match self.source.uses_parts {
            true => PrecomputedRoutes::new(&self.net, self.source.draft.parts(), &mut |_, _| {}),
            false => PrecomputedRoutes::default(),
        }
    }

    /// Lays out all of the draft again.
    fn lay_out(&mut self) {
        let mut net = Adjacency::new(&self.source.draft);
        if self.net.landmarks().is_some() {
            net.prepare();
        }
        self.lookup = Arc::new(LinkLookup::new(&net, self.source.width_m));
        self.net = Arc::new(net);
        self.lay_areas();
        self.edit_hash = self.edit_shares();
        self.known.forget();
        self.expect_questions();
    }

    /// The shares in the hash of the state of all that differs from what the map was made from, whatever
    /// edits led there.
    fn edit_shares(&self) -> u64 {
        let drawn = content_hash(&self.source.draft).wrapping_sub(content_hash(&self.authored.draft));
        drawn.wrapping_add(self.states.hash())
    }

    /// Takes over what was changed of the points and links of a map whose place it takes, where its author
    /// has changed none of them.
    pub(crate) fn keep_edits(&mut self, before: &Self) {
        if self.authored.draft == before.authored.draft && self.source.draft != before.source.draft {
            Arc::make_mut(&mut self.source).draft = before.source.draft.clone();
            self.lay_out();
            // The same points, links and parts: its ways are good here, too.
            let has_ways = self.source.uses_parts && before.source.uses_parts;
            self.routes = if has_ways { Arc::clone(&before.routes) } else { Arc::new(self.new_routes()) };
        }
    }

    /// The edits that make the points and links of a map as its author gave it those of this one.
    #[must_use]
    pub fn edits(&self) -> Vec<GraphEdit> {
        let (first, now) = (&self.authored.draft, &self.source.draft);
        let (was, is): (BTreeSet<_>, BTreeSet<_>) = (first.links().collect(), now.links().collect());
        let added = now.points().iter().skip(first.points().len()).map(|&point| GraphEdit::Add(point));
        let gone = was.difference(&is).map(|&ends| GraphEdit::Unlink(ends));
        let linked = is.difference(&was).map(|&ends| GraphEdit::Link(ends));
        added.chain(gone).chain(linked).collect()
    }

    /// A hash of what its author gave it.
    #[must_use]
    pub fn authored_hash(&self) -> u64 {
        let mut hash = StateHash::default();
        self.authored.draft.points().iter().for_each(|&point| _ = hash.vector(point));
        self.authored.draft.links().for_each(|[a, b]| _ = hash.pair(a, b));
        hash.finish()
    }

    /// The point nearest to a place in space, and how far it is, linked or not; ties to the lower. Cost: the
    /// points.
    #[must_use]
    pub fn nearest_point(&self, place: Vec3) -> Option<(u32, f32)> {
        let mut nearest = None;
        for (at, point) in (0..).zip(self.net.points()) {
            let away_m_sq = point.distance_squared(place);
            if nearest.is_none_or(|(_, least_m_sq)| away_m_sq < least_m_sq) {
                nearest = Some((at, away_m_sq));
            }
        }
        nearest.map(|(at, away_m_sq)| (at, away_m_sq.sqrt()))
    }
}

/// What lies across each link: few sets of areas, obstacles included, and the number of one for each link.
#[derive(Clone, Debug, Default)]
struct Across {
    set_of: Vec<u32>,
    /// The first is empty; each in order of the ids.
    sets: Vec<Vec<u16>>,
    number_by_set: std::collections::BTreeMap<Vec<u16>, u32>,
}

impl Across {
    /// Nothing across so many links.
    fn new(links: usize) -> Self {
        let number_by_set = std::collections::BTreeMap::from([(Vec::new(), 0)]);
        Self { set_of: vec![0; links], sets: vec![Vec::new()], number_by_set }
    }

    fn areas(&self, link: usize) -> &[u16] {
        &self.sets[self.set_of[link] as usize]
    }

    /// One more link, with nothing across it.
    fn add_link(&mut self) {
        if self.sets.is_empty() {
            *self = Self::new(self.set_of.len());
        }
        self.set_of.push(0);
    }

    /// Takes a link away, whose number the last one gets: what lay across it.
    fn take_link(&mut self, link: usize) -> Vec<u16> {
        let areas = self.areas(link).to_vec();
        self.set_of.swap_remove(link);
        areas
    }

    /// Lays an area across a link that it does not lie across yet.
    fn put(&mut self, link: usize, area: u16) {
        let mut areas = self.areas(link).to_vec();
        areas.insert(areas.partition_point(|&other| other < area), area);
        self.set_of[link] = self.number(areas);
    }

    /// The number of a set, which is made when there is none.
    fn number(&mut self, areas: Vec<u16>) -> u32 {
        let next = self.sets.len() as u32;
        let number = *self.number_by_set.entry(areas.clone()).or_insert(next);
        if number == next {
            self.sets.push(areas);
        }
        number
    }

    /// Takes an area away from wherever it lies. Cost: the sets.
    fn take_away(&mut self, area: u16) {
        let before = std::mem::take(&mut self.sets);
        let set_of = std::mem::take(&mut self.set_of);
        *self = Self { set_of, ..Self::new(0) };
        let left = |areas: Vec<u16>| areas.into_iter().filter(|&other| other != area).collect();
        let numbers: Vec<u32> = before.into_iter().map(|areas| self.number(left(areas))).collect();
        self.set_of.iter_mut().for_each(|set| *set = numbers[*set as usize]);
    }
}

impl GraphArea {
    fn holds(&self, point: Vec3) -> bool {
        (self.heights_m[0]..=self.heights_m[1]).contains(&point.y)
            && geom::polygon_contains(&self.polygon, ground(point))
    }

    /// Whether a place lies in it, or nearer to it than a distance.
    fn is_near(&self, point: Vec3, keep_m: f64) -> bool {
        let near_m = keep_m - KEEP_SPARE_M;
        let is_beside = |edge: Segment<Point>| {
            near_m > 0.0 && geom::segment_distance_sq(ground(point), edge.from, edge.to) < near_m * near_m
        };
        (self.heights_m[0]..=self.heights_m[1]).contains(&point.y)
            && (geom::polygon_contains(&self.polygon, ground(point))
                || geom::edges(&self.polygon).any(is_beside))
    }

    /// Whether a link comes through it, or nearer to it than a distance.
    fn meets(&self, [a, b]: [Vec3; 2], keep_m: f64) -> bool {
        if a.y.max(b.y) < self.heights_m[0] || a.y.min(b.y) > self.heights_m[1] {
            return false;
        }
        let (from, to) = (ground(a), ground(b));
        // A link exactly as far off as it has to be has room, however its ends were rounded.
        let near_m = keep_m - KEEP_SPARE_M;
        let is_near = |(p, q, place): (Point, Point, Point)| {
            near_m > 0.0 && geom::segment_distance_sq(place, p, q) < near_m * near_m
        };
        let comes_near = |Segment { from: one, to: two }: Segment<Point>| {
            [(one, two, from), (one, two, to), (from, to, one), (from, to, two)].into_iter().any(is_near)
        };
        let meets = |Segment { from: one, to: two }: Segment<Point>| {
            let side = |p, q, r| geom::cross(p, q, r);
            side(from, to, one) * side(from, to, two) <= 0.0
                && side(one, two, from) * side(one, two, to) <= 0.0
        };
        geom::polygon_contains(&self.polygon, from)
            || geom::polygon_contains(&self.polygon, to)
            || geom::edges(&self.polygon).any(|edge| meets(edge) || comes_near(edge))
    }
}

/// Whether a line comes nearer to the middle of a circle at its height than the radius.
pub(crate) fn disc_meets(disc: &crate::nav::Disc, from: Vec3, to: Vec3) -> bool {
    let (low, high) = (from.y.min(to.y) - STOREY_M, from.y.max(to.y) + STOREY_M);
    let radius = f64::from(disc.radius_m.max(0.0));
    disc.centre.is_finite()
        && (low..=high).contains(&disc.centre.y)
        && geom::segment_distance_sq(ground(disc.centre), ground(from), ground(to)) < radius * radius
}

/// The stretch of a link within a circle on the ground.
fn within_disc([a, b]: [Vec3; 2], centre: Vec3, within_m: f32) -> Option<[Vec3; 2]> {
    let (along, offset) = (b - a, a - centre);
    let flat = |v: Vec3, w: Vec3| f64::from(v.x) * f64::from(w.x) + f64::from(v.z) * f64::from(w.z);
    let (square, half, rest) = (
        flat(along, along),
        flat(along, offset),
        flat(offset, offset) - f64::from(within_m) * f64::from(within_m),
    );
    if square == 0.0 {
        return (rest <= 0.0).then_some([a, b]);
    }
    let under = half * half - square * rest;
    if under < 0.0 {
        return None;
    }
    let root = libm::sqrt(under);
    let [enter, leave] = [(-half - root) / square, (-half + root) / square].map(|part| part.clamp(0.0, 1.0));
    (enter < leave).then(|| [enter, leave].map(|part| a.lerp(b, part as f32)))
}

/// Whether open links connect two points. Cost: a flood from both ends, until they meet or the smaller side
/// is exhausted; after [`SEEN_MAX`] points the answer is no.
fn are_connected(net: &Adjacency, ends: [u32; 2], is_open: impl Fn(u32) -> bool) -> bool {
    let mut sides =
        ends.map(|end| (std::collections::BTreeSet::from([end]), std::collections::VecDeque::from([end])));
    for _ in 0..SEEN_MAX {
        let [(seen, waiting), other] = &mut sides;
        let Some(at) = waiting.pop_front() else { return false };
        for step in net.steps(at).iter().filter(|step| is_open(step.link)) {
            if other.0.contains(&step.to) {
                return true;
            }
            if seen.insert(step.to) {
                waiting.push_back(step.to);
            }
        }
        sides.swap(0, 1);
    }
    false
}

/// The shares of all points and links of a draft together: edits of single ones add to it and take from it.
fn content_hash(draft: &EditableGraph) -> u64 {
    let points = (0..).zip(draft.points()).map(|(at, &point)| point_hash(at, point));
    points.chain(draft.links().map(link_hash)).fold(0, u64::wrapping_add)
}

/// The share of a point that came at run time in the hash of the state.
fn point_hash(at: u32, point: Vec3) -> u64 {
    let [x, y, z] = point.to_array().map(|value| u64::from(value.to_bits()));
    mix(mix(mix(x << 32 | y) ^ z) ^ u64::from(at))
}

/// The share of a link that came or went at run time in the hash of the state.
fn link_hash([a, b]: [u32; 2]) -> u64 {
    mix(mix(u64::from(a) << 32 | u64::from(b)) ^ 0x6c69_6e6b)
}

#[cfg(test)]
mod cost_laws;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod start_laws;
#[cfg(test)]
mod tests;
