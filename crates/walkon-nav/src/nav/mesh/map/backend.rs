//! The interface of a mesh for the rest of the crate.
//!
//! In: the questions and edits of a [`Backend`]. Out: answers of the mesh. Not here: the polygons and the
//! views of them (`map`), ways over them (`plan`).

use std::sync::Arc;

use glam::Vec3;

use super::*;
use crate::base::cost::Cost;
use crate::base::geom::{self, Bounds};
use crate::base::hash::StateHash;
use crate::base::ids::AreaId;
use crate::base::ordered;
use crate::base::rng::Rng;
use crate::nav::backend::obstacle_disc;
use crate::nav::mesh::build::{AreaOutline, MeshBlocker};
use crate::nav::mesh::ground_query::MeshGroundQuery;
use crate::nav::mesh::wall_offset::around;
use crate::nav::smooth::Effort;
use crate::nav::{
    Backend, Disc, Island, LayerPoint, Location, Look, MapChange, NavEdit, NodeId, Path, RandomPoint, Reach,
    Revision, Traversal,
};

impl Backend for NavMesh {
    fn expansion_price(&self) -> u64 {
        // An interval is carried over the sides of a triangle.
        3
    }

    fn cells_by_area(&self, count: usize) -> Vec<u32> {
        let view = self.view_all_open(&Traversal::default());
        let mut counts = vec![0; self.area_count()];
        for &owner in &view.surface.owner {
            for &area in &view.sets[owner as usize] {
                counts[area as usize] += 1;
            }
        }
        counts.resize(count, 0);
        counts
    }

    fn keep_body_classes(&mut self, kinds: usize) {
        self.kinds = kinds;
    }

    fn reach(&self, from: Vec3, to: Vec3, by: &Traversal) -> Reach {
        self.reach_counted(from, to, by).0
    }

    fn reach_counted(&self, from: Vec3, to: Vec3, by: &Traversal) -> (Reach, u64) {
        let effort = Effort::endless();
        let alone = |from, to| self.reach_by_labels(from, to, by, &effort);
        let stands = |place| self.is_walkable(place, by);
        (self.links.reach([from, to], by.actions, stands, alone), effort.expansions())
    }

    fn sees(&self, look: &Look<'_>) -> bool {
        self.sees_over(look)
    }

    fn is_clear_of(&self, from: Vec3, to: Vec3, by: &Traversal, others: &[Disc]) -> bool {
        self.is_clear_of_discs(from, to, by, others)
    }

    fn random_point_counted(&self, query: &RandomPoint, rng: &mut Rng) -> (Option<Vec3>, u64) {
        let effort = Effort::endless();
        (self.draw_point(query, rng, &effort), effort.expansions())
    }

    fn start(&self, point: Vec3, by: &Traversal) -> Option<Location> {
        let view = self.view(by);
        let spot = self.start_in(&view, point, by)?;
        let exact = view.surface.spot(point).is_some();
        let y = view.surface.height(spot.polygon, spot.point) as f32;
        let place = if exact { Vec3::new(point.x, y, point.z) } else { view.surface.raised(spot) };
        Some(Location { node: NodeId(spot.polygon), point: place })
    }

    fn revision(&self) -> Revision {
        Revision(self.revision)
    }

    fn set_revision(&mut self, revision: u64) {
        self.revision = revision;
    }

    fn bounds(&self) -> Bounds {
        let areas = self.source.areas.iter().fold(Bounds::EMPTY, |all, area| all.union(area.bounds));
        self.source.ground.as_ref().map_or(areas, |ground| ground.bounds.union(areas))
    }

    fn node_centre(&self, point: Vec3) -> Option<Vec3> {
        let surface = &self.view(&Traversal::default()).surface;
        let spot = surface.spot(point)?;
        let centre = surface.centre(spot.polygon);
        Some(geom::raise(centre, surface.height(spot.polygon, centre)))
    }

    fn apply(&mut self, edits: &[NavEdit]) -> Option<MapChange> {
        let before = self.states.to_vec();
        edits.iter().for_each(|edit| self.note(edit));
        let changed = self.states.changed_since(&before);
        if changed.is_empty() {
            return None;
        }
        self.edit_hash = self.edit_hash.wrapping_add(self.states.hash_change(&before, &changed));
        self.plain_key = self.make_plain_key();
        self.revision = self.revision.wrapping_add(1);
        let mut change = MapChange { revision: self.revision(), ..MapChange::default() };
        for at in changed {
            let (old, new) = (before[at], self.states[at]);
            let is_area = at < self.area_count();
            change.recosted |= old.factor != new.factor;
            if old.available != new.available {
                change.opened |= new.available == is_area;
                change.closed |= new.available != is_area;
            }
            let outline = self.outline(AreaId::from(at)).map_or(Bounds::EMPTY, |outline| outline.bounds);
            change.touch(outline.grown(self.paddings_m.iter().sum()));
        }
        Some(change)
    }

    fn add_obstacle(&mut self, used: &[AreaId], centre: LayerPoint, radius_m: f32) -> AreaId {
        let disc = obstacle_disc(centre.point, radius_m);
        let outline = |disc: Disc| around(geom::ground(disc.centre), f64::from(disc.radius_m));
        let polygon = disc.map(outline).unwrap_or_default();
        let (y, storey_m) = (f64::from(centre.point.y), f64::from(geom::STOREY_M));
        let heights_m = if self.is_flat() { ALL_FLOORS_M } else { [y - storey_m, y + storey_m] };
        let blocker = MeshBlocker { outline: AreaOutline::new(polygon, heights_m), keep_m: 0.0, disc };
        let id = self.states.free_obstacle(used, |id| self.states.is_in_force(id));
        let source = Arc::make_mut(&mut self.source);
        let at = id.index() - source.areas.len();
        if id.index() == self.states.len() {
            source.blockers.push(blocker);
            self.states.add_obstacle();
        } else {
            source.blockers[at] = blocker;
        }
        self.views = self.views.without(at);
        id
    }

    fn prepare(&mut self, by: &Traversal) {
        let _ = self.view(by);
    }

    fn body_class(&self, radius_m: f32) -> u64 {
        let by = Traversal { radius_m, ..Traversal::default() };
        // Where waypoints are moved, they are moved by the radius itself.
        u64::from(self.key(&by).wider_um) << 32 | u64::from((self.led_off_m(&by) as f32).to_bits())
    }

    fn is_prepared(&self, by: &Traversal) -> bool {
        self.views.find(&self.key(by)).is_some()
    }

    fn node_count(&self) -> u64 {
        u64::from(self.view(&Traversal::default()).surface.polygon_count())
    }

    fn is_walkable(&self, point: Vec3, by: &Traversal) -> bool {
        self.view(by).surface.spot(point).is_some()
    }

    fn locate(&self, point: Vec3, by: &Traversal) -> Option<Location> {
        let view = self.view(by);
        let spot = view.surface.spot(point)?;
        let y = view.surface.height(spot.polygon, spot.point) as f32;
        Some(Location { node: NodeId(spot.polygon), point: Vec3::new(point.x, y, point.z) })
    }

    fn nearest(&self, point: Vec3, within_m: f32, by: &Traversal) -> Option<Location> {
        if let Some(here) = self.locate(point, by) {
            return Some(here);
        }
        let surface = &self.view(by).surface;
        let spot = surface.nearest_spot(point, f64::from(within_m.max(0.0)), |_| true)?;
        Some(Location { node: NodeId(spot.polygon), point: surface.raised(spot) })
    }

    fn straight(&self, from: Vec3, to: Vec3, by: &Traversal) -> Option<Cost> {
        let view = self.view(by);
        if !MeshGroundQuery::new(self, by).clear(from, to) {
            return None;
        }
        let prices = self.prices(&view, by);
        // The cast saturates: a price without limit is no way through.
        let metres = prices.along(&view.surface, &[from, to], None);
        Some(Cost((metres * 1000.0).ceil() as u32))
    }

    fn sight(&self, from: Vec3, to: Vec3, by: &Traversal) -> (bool, Vec3) {
        MeshGroundQuery::new(self, by).sight(from, to)
    }

    fn holds(&self, area: AreaId, point: Vec3) -> bool {
        let (at, y) = (geom::ground(point), self.floor_of(point));
        let areas = &self.source.areas;
        let Some(outline) = areas.get(area.index()) else { return false };
        let is_beside = || outline.passes(at, y, || self.tolerance_m());
        outline.holds(at, y) || is_beside() && !areas.iter().any(|other| other.holds(at, y))
    }

    fn areas_at(&self, point: Vec3, out: &mut Vec<AreaId>) {
        let at = geom::ground(point);
        let areas = &self.source.areas;
        let blockers = self.source.blockers.iter().map(|blocker| &blocker.outline);
        let y = self.floor_of(point);
        let all = areas.iter().chain(blockers).enumerate();
        let first = out.len();
        out.extend(all.filter(|(_, outline)| outline.holds(at, y)).map(|(id, _)| AreaId::from(id)));
        if !out[first..].iter().any(|area| area.index() < areas.len()) {
            // Bodies stand a hair beyond the edge of the ground, too.
            let beside = areas.iter().enumerate().filter(|(_, it)| it.passes(at, y, || self.tolerance_m()));
            out.extend(beside.map(|(id, _)| AreaId::from(id)));
            ordered::sort_by_key(&mut out[first..], |area| *area);
        }
    }

    fn islands(&self) -> Vec<Island> {
        let surface = &self.view(&Traversal::default()).surface;
        let mut parts: Vec<(f64, Island)> = Vec::new();
        for polygon in 0..surface.polygon_count() {
            let label = surface.label[polygon as usize] as usize;
            let around = Bounds::of(&surface.outline(polygon).collect::<Vec<_>>());
            if label == parts.len() {
                let centre = surface.centre(polygon);
                let sample = geom::raise(centre, surface.height(polygon, centre));
                parts.push((0.0, Island { cells: 0, bounds: Bounds::EMPTY, sample }));
            }
            let (area, island) = &mut parts[label];
            *area += surface.area(polygon);
            island.cells += 1;
            island.bounds = island.bounds.union(around);
        }
        ordered::sort_by(&mut parts, |a, b| b.0.total_cmp(&a.0));
        parts.into_iter().map(|part| part.1).collect()
    }

    fn area_state(&self, area: AreaId) -> Option<(bool, f32)> {
        self.states.get(area.index()).map(|state| (state.available, state.factor))
    }

    fn area_cells(&self, area: AreaId) -> u32 {
        if area.index() >= self.area_count() {
            return 0;
        }
        let view = self.view_all_open(&Traversal::default());
        let is_in = |owner: &&u32| view.sets[**owner as usize].contains(&area.0);
        view.surface.owner.iter().filter(is_in).count() as u32
    }

    fn length_in_space_m(&self, path: &Path) -> f32 {
        let surface = &self.view(&Traversal::default()).surface;
        if surface.is_flat {
            return path.length_in_space_m();
        }
        let lines = path.points.windows(2);
        lines.map(|line| surface.length_in_space_m(line[0], line[1])).sum::<f64>() as f32
    }

    fn kept_off_m(&self, radius_m: f32) -> f32 {
        let by = Traversal { radius_m, ..Traversal::default() };
        let wider_m = f64::from(self.key(&by).wider_um) * 1e-6;
        (self.paddings_m[2] + wider_m) as f32
    }

    fn metres(&self, cost: Cost) -> f64 {
        f64::from(cost.0) / 1000.0
    }

    fn cheapest_factor(&self) -> f32 {
        let factors = self.states[..self.area_count()].iter().map(|state| state.factor);
        factors.fold(1.0, f32::min)
    }

    fn node_m(&self) -> f32 {
        0.5
    }

    fn detour_price(&self, others: &[Disc], by: &Traversal) -> u32 {
        /// For what is carved out around a body: some 70 microseconds.
        const EACH: usize = 8;
        /// Polygons that are carried over to the ground around them in the time of an expansion.
        const POLYGONS: u64 = 128;
        if others.is_empty() {
            return 0;
        }
        let carried = u64::from(self.view(by).surface.polygon_count()) / POLYGONS;
        let carried = usize::try_from(carried).unwrap_or(usize::MAX);
        u32::try_from(others.len().saturating_mul(EACH).saturating_add(carried)).unwrap_or(u32::MAX)
    }

    fn preparing_price(&self) -> u64 {
        /// For a polygon: all of them are made again.
        const EACH: u64 = 8;
        /// Scripts can have it made for one new body in a call, however large it is, and not for two.
        const MOST: u64 = 13_000;
        (self.node_count() * EACH).min(MOST)
    }

    fn hash_into(&self, hash: &mut StateHash) {
        hash.word(self.start_hash).word(self.edit_hash).word(self.revision);
    }
}
