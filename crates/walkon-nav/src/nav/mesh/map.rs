//! The map of polygons: its source, the state of its areas, and the views that bodies have of it.
//!
//! In: a source once, then edits, a set a tick. Out: answers about points, and what plans walk on. Holds: a
//! view depends on the source and the state alone, so after any edits everything but the revision equals a
//! map built again; views are made when they are first asked for and kept while they are in use; neither
//! changes an answer. Not here: ways (`plan`), lines (`ground_query`).

use std::sync::{Arc, Mutex, PoisonError};

use glam::Vec3;

use crate::base::geom::{self, Point};
use crate::base::hash::StateHash;
use crate::base::ids::AreaId;
use crate::nav::Links;
use crate::nav::edits::{AreaState, AreaStates, FACTOR_RANGE, clamp_factor};
use crate::nav::mesh::build::{AreaOutline, MeshBlocker, MeshInput, MeshView, ViewKey};
use crate::nav::mesh::carve::CarvedPieces;
use crate::nav::mesh::local_view::GroundPieces;
use crate::nav::mesh::raw::{COORDINATE_MAX_M, CheckedMesh};
use crate::nav::mesh::traversal_cost::TraversalCosts;
use crate::nav::mesh::triangulate::{GroundSegment, MeetingCount, count_meetings};
use crate::nav::{AreaShape, NavEdit, Traversal};

mod backend;

/// Views kept; beyond this the one not used for longest is dropped.
const KEPT_MAX: usize = 32;
/// The heights of areas and obstacles that lie on every floor.
const ALL_FLOORS_M: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];
/// The most areas and obstacles a mesh may have together.
pub const AREAS_MAX: usize = 60_000;
/// The most corners all areas and obstacles may have together.
pub const AREA_CORNERS_MAX: usize = 200_000;
/// Most places where outlines of areas and obstacles cut one another, each of which becomes corners of the
/// mesh; and most pairs of their edges that have to be compared to know it, which takes about a second.
const MEETINGS_MAX: MeetingCount = MeetingCount { cuts: 100_000, pairs: 20_000_000 };

/// What a mesh is made from: polygons, or the areas and obstacles of a level. `Default` has neither.
#[derive(Clone, Debug, Default)]
pub struct MeshSource {
    /// Polygons that are ground unless an area takes them; None: the areas are the ground.
    pub ground: Option<CheckedMesh>,
    /// What can be walked on while available. An `AreaId` is the place in this list.
    pub areas: Vec<AreaShape>,
    /// What cannot. Their `AreaId`s follow those of the areas.
    pub obstacles: Vec<AreaShape>,
    /// Least and greatest height of the ground that each area, then each obstacle, lies on, metres; beyond
    /// the end of the list ground at any height.
    pub heights_m: Vec<[f64; 2]>,
    /// Half-width of the bodies that obstacles are kept away from, metres.
    pub agent_radius_m: f64,
    /// Extra distance kept from obstacles, metres.
    pub object_padding_m: f64,
    /// Distance kept from the outer edge of the union of available areas, metres.
    pub boundary_padding_m: f64,
    /// Height of the floor that areas make, metres.
    pub floor_y_m: f64,
    /// How wider bodies keep off walls.
    pub avoidance: Avoidance,
}

/// How bodies wider than a mesh allows for keep off its walls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Avoidance {
    /// The ground is narrower by the rest of the radius, with rounded corners: they never come nearer.
    #[default]
    Radius,
    /// Corners of paths are moved off walls that are near, as seed 002 does it; passages too narrow are
    /// taken, and touched.
    Waypoints,
}

/// Why there can be no mesh from a source. Levels report these with a place in the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum MeshSourceError {
    #[error("coordinate: {value}, expected a finite number of metres within 1e6 of the origin")]
    Coordinate { value: f64 },
    #[error("height of an area: {value}, expected a number of metres, or infinity for no bound")]
    Height { value: f64 },
    #[error("{what}: {value} m, expected 0 to 1000")]
    Padding { what: &'static str, value: f64 },
    #[error("area {area}: cost factor {value}, expected 0.1 to 100")]
    AreaFactor { area: usize, value: f32 },
    #[error("{what}: {count}, limit {limit}; merge some")]
    TooMany { what: &'static str, count: usize, limit: usize },
}

/// A navigation map of convex polygons. `Default` has none.
#[derive(Clone, Debug, Default)]
pub struct NavMesh {
    pub(super) source: Arc<MeshInput>,
    /// Agent radius, object and boundary padding it was made with, metres.
    paddings_m: [f64; 3],
    avoidance: Avoidance,
    pub(super) states: AreaStates,
    /// The key of a body without width that opens, shuns and is barred from nothing.
    plain_key: ViewKey,
    views: Views,
    pieces: PieceTables,
    carved: CarvedPieces,
    /// Views to keep beside those last used.
    kinds: usize,
    revision: u64,
    start_hash: u64,
    /// Sum over the areas that are not as at first.
    edit_hash: u64,
    /// Ways over gaps in the ground.
    pub(super) links: Links,
}

/// The pieces made so far within views as they were at first, by the keys of those; those used last at the
/// end.
#[derive(Clone, Debug, Default)]
struct PieceTables(Arc<Mutex<Vec<(ViewKey, GroundPieces)>>>);

impl PieceTables {
    /// Those within the view of a key.
    fn within(&self, first: &ViewKey, most: usize) -> GroundPieces {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = match kept.iter().position(|(other, _)| other == first) {
            Some(at) => kept.remove(at),
            None => (first.clone(), GroundPieces::default()),
        };
        if kept.len() >= most {
            kept.remove(0);
        }
        let pieces = entry.1.clone();
        kept.push(entry);
        pieces
    }
}

/// A view and what it depends on.
type KeptView = (ViewKey, Arc<MeshView>);

/// Views made so far for one source, last used last.
#[derive(Clone, Debug, Default)]
struct Views(Arc<Mutex<Vec<KeptView>>>);

impl Views {
    fn find(&self, key: &ViewKey) -> Option<Arc<MeshView>> {
        // A view is put in whole or not at all.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(other, _)| other == key)?;
        kept[at..].rotate_left(1);
        kept.last().map(|(_, view)| view.clone())
    }

    /// Those in which an obstacle, counted from the first, is not in force.
    fn without(&self, obstacle: usize) -> Self {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_out = |key: &ViewKey| !key.blocking.get(obstacle).copied().unwrap_or(false);
        Self(Arc::new(Mutex::new(kept.iter().filter(|(key, _)| is_out(key)).cloned().collect())))
    }

    fn keep(&self, key: ViewKey, view: &Arc<MeshView>, most: usize) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= most {
            kept.remove(0);
        }
        kept.push((key, view.clone()));
    }
}

impl MeshSource {
    fn check(&self) -> Result<(), MeshSourceError> {
        let shapes = || self.areas.iter().chain(&self.obstacles);
        let corners = shapes().map(|shape| shape.polygon.len()).sum();
        for (what, count, limit) in [
            ("areas and obstacles", self.areas.len() + self.obstacles.len(), AREAS_MAX),
            ("corners of areas and obstacles", corners, AREA_CORNERS_MAX),
        ] {
            if count > limit {
                return Err(MeshSourceError::TooMany { what, count, limit });
            }
        }
        for (what, value) in [
            ("agent radius", self.agent_radius_m),
            ("object padding", self.object_padding_m),
            ("boundary padding", self.boundary_padding_m),
        ] {
            if !(0.0..=1000.0).contains(&value) {
                return Err(MeshSourceError::Padding { what, value });
            }
        }
        let numbers = shapes().flat_map(|shape| shape.polygon.iter().flatten()).chain([&self.floor_y_m]);
        let is_far = |value: &&f64| value.is_nan() || value.abs() > COORDINATE_MAX_M;
        if let Some(&value) = numbers.into_iter().find(is_far) {
            return Err(MeshSourceError::Coordinate { value });
        }
        if let Some(&value) = self.heights_m.iter().flatten().find(|value| value.is_nan()) {
            return Err(MeshSourceError::Height { value });
        }
        if let Some((area, shape)) =
            shapes().enumerate().find(|(_, shape)| !FACTOR_RANGE.contains(&shape.factor))
        {
            return Err(MeshSourceError::AreaFactor { area, value: shape.factor });
        }
        self.check_meetings(MEETINGS_MAX)
    }

    /// Refuses outlines that meet too often, or lie beside one another in too many places to find out.
    pub(super) fn check_meetings(&self, limit: MeetingCount) -> Result<(), MeshSourceError> {
        let shapes = self.areas.iter().chain(&self.obstacles);
        let edges: Vec<GroundSegment> = shapes.flat_map(|shape| geom::edges(&shape.polygon)).collect();
        let count = count_meetings(&edges, limit);
        for (what, count, limit) in [
            ("places where outlines of areas and obstacles cross or touch", count.cuts, limit.cuts),
            ("pairs of edges of areas and obstacles that may cross", count.pairs, limit.pairs),
        ] {
            if count > limit {
                return Err(MeshSourceError::TooMany { what, count, limit });
            }
        }
        Ok(())
    }
}

impl NavMesh {
    /// Gives it links over gaps in the ground.
    pub fn set_links(&mut self, links: Links) {
        self.links = links;
    }

    /// The links that it was given.
    #[must_use]
    pub fn crossings(&self) -> &Links {
        &self.links
    }

    /// Makes a mesh. Cost: a triangulation of all edges, at the first question.
    ///
    /// # Errors
    /// A number or a size beyond its limit.
    pub fn new(source: &MeshSource) -> Result<Self, MeshSourceError> {
        source.check()?;
        let keep_m = source.agent_radius_m + source.object_padding_m;
        let heights = |at: usize| source.heights_m.get(at).copied().unwrap_or(ALL_FLOORS_M);
        let outline = |(at, shape): (usize, &AreaShape)| AreaOutline::new(shape.polygon.clone(), heights(at));
        let areas: Vec<AreaOutline> = source.areas.iter().enumerate().map(outline).collect();
        let obstacles = (areas.len()..).zip(&source.obstacles);
        let blockers =
            obstacles.map(|shape| MeshBlocker { outline: outline(shape), keep_m, disc: None }).collect();
        let states: Vec<AreaState> = source
            .areas
            .iter()
            .chain(&source.obstacles)
            .map(|shape| AreaState { available: shape.available, factor: shape.factor })
            .collect();
        let ground = source.ground.as_ref().map(|checked| Arc::new(checked.surface.clone()));
        let mut map = Self {
            source: Arc::new(MeshInput {
                has_floors: ground.as_ref().is_some_and(|ground| ground.has_floors()),
                ground,
                areas,
                blockers,
                boundary_padding_m: source.boundary_padding_m,
                floor_y_m: source.floor_y_m,
            }),
            paddings_m: [source.agent_radius_m, source.object_padding_m, source.boundary_padding_m],
            avoidance: source.avoidance,
            states: AreaStates::new(states),
            ..Self::default()
        };
        map.start_hash = map.hash_source();
        map.plain_key = map.make_plain_key();
        Ok(map)
    }

    fn hash_source(&self) -> u64 {
        let mut hash = StateHash::default();
        self.paddings_m.iter().for_each(|&padding| {
            hash.number(padding);
        });
        hash.number(self.source.floor_y_m).flag(self.avoidance == Avoidance::Waypoints);
        if let Some(ground) = &self.source.ground {
            for (point, &y) in ground.points.iter().zip(&ground.heights) {
                hash.number(point[0]).number(y).number(point[1]);
            }
            ground.ring.iter().zip(&ground.face).for_each(|(&corner, &face)| {
                hash.word(u64::from(face) << 32 | u64::from(corner));
            });
        }
        let blockers = self.source.blockers.iter().map(|blocker| &blocker.outline);
        for (outline, state) in self.source.areas.iter().chain(blockers).zip(self.states.iter()) {
            hash.word(outline.polygon.len() as u64).flag(state.available).float(state.factor);
            // Areas on all floors hash as they did before there were heights, so that the hashes of flat
            // levels stay.
            if [outline.low_m, outline.high_m] != ALL_FLOORS_M {
                hash.number(outline.low_m).number(outline.high_m);
            }
            outline.polygon.iter().for_each(|point| {
                hash.number(point[0]).number(point[1]);
            });
        }
        hash.finish()
    }

    /// Half-width of the bodies that the mesh already allows for, metres.
    #[must_use]
    pub fn agent_radius_m(&self) -> f64 {
        self.paddings_m[0]
    }

    /// Number of areas; ids from here on are obstacles.
    #[must_use]
    pub fn area_count(&self) -> usize {
        self.source.areas.len()
    }

    /// The polygon of an area or obstacle; None for an unknown id.
    #[must_use]
    pub fn area_outline(&self, area: AreaId) -> Option<&[Point]> {
        self.outline(area).map(|outline| outline.polygon.as_slice())
    }

    /// Least and greatest height of the ground that an area or obstacle means, metres; None for an unknown
    /// id.
    #[must_use]
    pub fn area_heights_m(&self, area: AreaId) -> Option<[f64; 2]> {
        self.outline(area).map(|outline| [outline.low_m, outline.high_m])
    }

    fn outline(&self, area: AreaId) -> Option<&AreaOutline> {
        let areas = &self.source.areas;
        let blocker = || self.source.blockers.get(area.index() - areas.len());
        areas.get(area.index()).or_else(|| blocker().map(|blocker| &blocker.outline))
    }

    /// Whether an area in some state can be used by a body: it is there, or can be opened.
    fn is_open_to(&self, area: AreaId, state: &AreaState, by: &Traversal) -> bool {
        let list = by.through.as_deref().unwrap_or(&[]);
        let is_listed = list.binary_search_by_key(&area, |entry| entry.0).is_ok();
        is_listed || is_there(area, state, by)
    }

    /// Whether an area is there for a body without opening anything.
    pub(super) fn is_there_for(&self, area: usize, by: &Traversal) -> bool {
        is_there(AreaId::from(area), &self.states[area], by)
    }

    /// Whether an area is ground that a body may stand on.
    pub(super) fn may_stand_in(&self, area: usize, by: &Traversal) -> bool {
        self.is_open_to(AreaId::from(area), &self.states[area], by) && !self.is_shunned(area, by)
    }

    /// The key of a body without width that opens, shuns and is barred from nothing. Cost: a glance at all
    /// areas and obstacles, once for each set of edits.
    fn make_plain_key(&self) -> ViewKey {
        let (areas, obstacles) = self.states.split_at(self.area_count());
        // Obstacles that were added later and are not in force make no other key.
        let (authored, added) = obstacles.split_at(self.states.authored() - areas.len());
        let added_count = added.iter().rposition(|state| state.available).map_or(0, |last| last + 1);
        let is_changed =
            |at: &usize| self.states[*at].available != self.states.initial(AreaId::from(*at)).available;
        ViewKey {
            open: areas.iter().map(|state| state.available).collect(),
            shunned: vec![false; areas.len()].into(),
            blocking: authored.iter().chain(&added[..added_count]).map(|state| state.available).collect(),
            wider_um: 0,
            changes: (0..self.states.authored()).filter(is_changed).map(|at| at as u32).collect(),
        }
    }

    /// What was authored and is not as it was at first, as far as that changes the ground of a body.
    fn changes_for(&self, by: &Traversal) -> Arc<[u32]> {
        let is_other = |at: usize| {
            let area = AreaId::from(at);
            let is_open_in = |state: &AreaState| self.is_open_to(area, state, by);
            at >= self.area_count() || is_open_in(&self.states[at]) != is_open_in(self.states.initial(area))
        };
        self.plain_key.changes.iter().copied().filter(|at| is_other(*at as usize)).collect()
    }

    pub(super) fn is_shunned(&self, area: usize, by: &Traversal) -> bool {
        let own = by.areas.as_deref().unwrap_or(&[]);
        own.iter().any(|(id, factor)| id.index() == area && factor.is_none())
    }

    pub(super) fn key(&self, by: &Traversal) -> ViewKey {
        let wider_m = match self.avoidance {
            Avoidance::Radius => (f64::from(by.radius_m) - self.paddings_m[0]).max(0.0),
            Avoidance::Waypoints => 0.0,
        };
        // A tenth of a millimetre is no difference; the cast saturates.
        let wider_um = if wider_m > 1e-4 { (wider_m * 1e6).round() as u32 } else { 0 };
        let plain = ViewKey { wider_um, ..self.plain_key.clone() };
        if by.through.is_none() && by.areas.is_none() && by.barred().is_empty() {
            return plain;
        }
        let is_open = |area: usize| self.is_open_to(AreaId::from(area), &self.states[area], by);
        ViewKey {
            open: (0..self.area_count()).map(is_open).collect(),
            shunned: (0..self.area_count()).map(|area| self.is_shunned(area, by)).collect(),
            changes: self.changes_for(by),
            ..plain
        }
    }

    /// How far moved corners lead a body off walls, metres; 0 where its ground is made narrower instead.
    pub(super) fn led_off_m(&self, by: &Traversal) -> f64 {
        match self.avoidance {
            Avoidance::Radius => 0.0,
            Avoidance::Waypoints => (f64::from(by.radius_m) - self.paddings_m[0]).max(0.0),
        }
    }

    pub(super) fn view_of(&self, key: ViewKey) -> Arc<MeshView> {
        self.views.find(&key).unwrap_or_else(|| {
            let view = Arc::new(self.make_view(&key));
            self.views.keep(key, &view, self.kept_max());
            view
        })
    }

    fn kept_max(&self) -> usize {
        KEPT_MAX.saturating_add(self.kinds)
    }

    /// How many pieces of the ground of a body are kept.
    #[cfg(test)]
    pub(super) fn piece_count(&self, by: &Traversal) -> usize {
        self.pieces.within(&self.key(by).at_first(), self.kept_max()).count()
    }

    /// Obstacles that were added later come and go while the level runs: they are carved out of the view
    /// without them, which is kept.
    fn make_view(&self, key: &ViewKey) -> MeshView {
        let authored = self.states.authored() - self.area_count();
        if !key.blocking.iter().skip(authored).any(|is| *is) {
            return self.edited_view(key).unwrap_or_else(|| self.source.view(key));
        }
        let (mut before, mut added) = (key.clone(), key.clone());
        before.blocking = key.blocking[..authored].into();
        Arc::make_mut(&mut added.blocking)[..authored].fill(false);
        self.source.without_added(&self.view_of(before), &added, &self.carved)
    }

    /// The view at first, made again around what has changed since. It depends on the key alone, not on the
    /// views in between. None where one made whole serves better.
    pub(super) fn edited_view(&self, key: &ViewKey) -> Option<MeshView> {
        if key.changes.is_empty() || self.source.is_small() {
            return None;
        }
        let first = key.at_first();
        let pieces = self.pieces.within(&first, self.kept_max());
        self.source.view_around_changes(&self.view_of(first), key, &pieces, &self.carved)
    }

    /// How far beyond the edge of an area a body may stand, metres: corners of the ground are rounded.
    pub(super) fn tolerance_m(&self) -> f64 {
        1.01 * self.view(&Traversal::default()).surface.tolerance_m
    }

    pub(super) fn view(&self, by: &Traversal) -> Arc<MeshView> {
        self.view_of(self.key(by))
    }

    /// The view of a walker to which every area is open.
    pub(super) fn view_all_open(&self, by: &Traversal) -> Arc<MeshView> {
        let mut key = self.key(by);
        Arc::make_mut(&mut key.open).fill(true);
        let is_obstacle = |change: &u32| *change as usize >= self.area_count();
        key.changes = key.changes.iter().copied().filter(is_obstacle).collect();
        self.view_of(key)
    }

    /// Whether all ground lies at one height.
    fn is_flat(&self) -> bool {
        self.source.ground.as_ref().is_none_or(|ground| ground.is_flat)
    }

    /// Whether an area holds a point, for the one-way areas of a body.
    pub(super) fn gate(&self) -> impl Fn(AreaId, Vec3) -> bool + '_ {
        |area, point| {
            self.area_outline(area)
                .is_some_and(|outline| geom::polygon_contains(outline, geom::ground(point)))
        }
    }

    /// The height of the ground that a point is meant for: on a flat mesh there is but one.
    pub(super) fn floor_of(&self, point: Vec3) -> f64 {
        match &self.source.ground {
            None => self.source.floor_y_m,
            Some(ground) if ground.is_flat => ground.floor_y_m(),
            Some(_) => f64::from(point.y),
        }
    }

    fn note(&mut self, edit: &NavEdit) {
        // Tiles are cells: there are none here.
        let NavEdit::Area(edit) = edit else { return };
        let is_area = edit.area.index() < self.area_count();
        let Some(state) = self.states.get_mut(edit.area.index()) else { return };
        if is_area { state.edit_area(edit) } else { state.edit_obstacle(edit) }
    }
}

impl NavMesh {
    /// What ground costs a body, by polygon of a view.
    pub(super) fn prices(&self, view: &MeshView, by: &Traversal) -> TraversalCosts {
        let mut prices = TraversalCosts::default();
        let factors: Vec<f64> = view.sets.iter().map(|set| self.factor_of(set, by)).collect();
        let tolls: Vec<(u32, f64)> = view.sets.iter().map(|set| self.toll_of(set, by)).collect();
        let owners = || view.surface.owner.iter().map(|owner| *owner as usize);
        if owners().any(|owner| factors[owner] != 1.0) {
            prices.factors = owners().map(|owner| factors[owner]).collect();
        }
        if owners().any(|owner| tolls[owner].0 != 0) {
            prices.tolls = owners().map(|owner| tolls[owner]).collect();
        }
        prices
    }

    fn factor_of(&self, set: &[u32], by: &Traversal) -> f64 {
        let there = |area: &&u32| self.is_there_for(**area as usize, by);
        let Some(&area) = set.iter().rev().find(there).or(set.last()) else { return 1.0 };
        let own = by.areas.as_deref().unwrap_or(&[]).iter().find(|own| own.0 == AreaId(area));
        let own = own.and_then(|own| own.1).map(clamp_factor);
        f64::from(own.unwrap_or(self.states[area as usize].factor))
    }

    /// The closed area that a set of areas lies in, of those that can be opened, and what opening it adds.
    fn toll_of(&self, set: &[u32], by: &Traversal) -> (u32, f64) {
        if set.iter().any(|&area| self.is_there_for(area as usize, by)) {
            return (0, 0.0);
        }
        let list = by.through.as_deref().unwrap_or(&[]);
        let price = |area: u32| list.iter().find(|entry| entry.0 == AreaId(area)).map(|entry| entry.1);
        let found = set.iter().rev().find_map(|&area| Some((area, price(area)?)));
        found.map_or((0, 0.0), |(area, metres)| (area + 1, f64::from(metres.max(0.0))))
    }
}

/// Whether an area in some state is there for a body without opening anything.
fn is_there(area: AreaId, state: &AreaState, by: &Traversal) -> bool {
    state.available && by.barred().binary_search(&area).is_err()
}
