//! The interface of a map of cells for the rest of the crate.
//!
//! Not here: their storage (`map`), ways over them (`plan`).

use std::collections::BTreeMap;

use glam::Vec3;

use super::*;
use crate::base::cost::Cost;
use crate::base::geom::{self, Bounds};
use crate::base::hash::StateHash;
use crate::base::ids::AreaId;
use crate::base::ordered;
use crate::base::rng::Rng;
use crate::nav::cell::Cell;
use crate::nav::cells::clearance::{self};
use crate::nav::cells::raster::{Spans, Window};
use crate::nav::cells::terrain::TileState;
use crate::nav::cells::{FACTOR_ONE, line_of_sight};
use crate::nav::smooth::Effort;
use crate::nav::traversal::point_before;
use crate::nav::{
    Backend, Disc, Island, LayerPoint, Location, Look, MapChange, NavEdit, RandomPoint, Reach, Revision,
    Search, Traversal,
};

impl Backend for CellMap {
    fn reach(&self, from: Vec3, to: Vec3, by: &Traversal) -> Reach {
        self.reach_counted(from, to, by).0
    }

    fn reach_counted(&self, from: Vec3, to: Vec3, by: &Traversal) -> (Reach, u64) {
        let effort = Effort::endless();
        (self.reach_by_labels(from, to, by, &effort), effort.expansions())
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
        self.start_in(&self.view(by), point, by)
    }

    fn revision(&self) -> Revision {
        Revision(self.revision)
    }

    fn set_revision(&mut self, revision: u64) {
        self.revision = revision;
    }

    fn bounds(&self) -> Bounds {
        self.frame().bounds()
    }

    fn node_centre(&self, point: Vec3) -> Option<Vec3> {
        self.cell_of(point).map(|cell| self.centre(cell))
    }

    fn apply(&mut self, edits: &[NavEdit]) -> Option<MapChange> {
        let before = self.states.to_vec();
        let mut tiles = BTreeMap::new();
        for edit in edits {
            match edit {
                NavEdit::Area(edit) => self.note(edit),
                NavEdit::Tile(edit) => self.note_tile(edit, &mut tiles),
                NavEdit::Graph(_) => {}
            }
        }
        let changed = self.states.changed_since(&before);
        let tiles: Vec<CellChange> =
            tiles.into_iter().filter_map(|(id, was)| self.tile_change(id, was)).collect();
        if changed.is_empty() && tiles.is_empty() {
            return None;
        }
        self.edit_hash = self.edit_hash.wrapping_add(self.states.hash_change(&before, &changed));
        for tile in &tiles {
            let share = |state: &TileState| tile_hash(tile.id, state, &self.edited[&tile.id]);
            self.edit_hash = self.edit_hash.wrapping_sub(share(&tile.was)).wrapping_add(share(&tile.is));
        }
        self.revision = self.revision.wrapping_add(1);
        self.variants.clear();
        self.gated.clear();
        let mut change = MapChange { revision: self.revision(), ..MapChange::default() };
        let toggled = changed.iter().filter(|&&at| before[at].available != self.states[at].available);
        let mut windows: Vec<Window> = toggled.filter_map(|&at| self.terrain.footprint(at)).collect();
        windows.extend(
            tiles.iter().filter(|tile| tile.was.walkable != tile.is.walkable).map(|tile| tile.window),
        );
        let windows = Window::joined(windows);
        let has_turned = tiles.iter().any(|tile| tile.was.leave != tile.is.leave);
        if !windows.is_empty() || has_turned {
            self.toggle(&windows, &mut change);
        }
        for tile in tiles.iter().filter(|tile| tile.was.leave != tile.is.leave) {
            change.closed |= tile.is.leave & !tile.was.leave != 0;
            change.opened |= tile.was.leave & !tile.is.leave != 0;
            change.touch(tile.window.bounds(self.frame()));
        }
        let mut touched: Vec<Window> =
            changed.iter().filter_map(|&at| self.terrain.area(at)?.window()).collect();
        touched.extend(tiles.iter().filter(|tile| tile.was.factor != tile.is.factor).map(|tile| tile.window));
        self.repaint(&touched, &mut change);
        self.redo_sectors(windows.into_iter().chain(touched));
        Some(change)
    }

    fn add_obstacle(&mut self, used: &[AreaId], centre: LayerPoint, radius_m: f32) -> AreaId {
        let id = self.free_obstacle(used, |id| self.is_in_force(id));
        self.lay_obstacle(id, Some(centre.point), radius_m);
        id
    }

    fn prepare(&mut self, by: &Traversal) {
        self.prepare_plain(by);
        self.prepare_far();
        if by.areas.is_none() {
            return;
        }
        let key = self.costs_key(by);
        match self.variants.iter().position(|variant| variant.key == key) {
            Some(at) => self.variants[at..].rotate_left(1),
            None => {
                let variant = self.custom_costs(key, by);
                keep(&mut self.variants, KEPT_MAX, variant);
            }
        }
    }

    fn prepare_reach(&mut self, by: &Traversal) -> u64 {
        let price = self.prepare_walled(by);
        if let Some(key) = self.gates_key(by) {
            match self.gated.iter().position(|(own, _)| *own == key) {
                Some(at) => self.gated[at..].rotate_left(1),
                None => {
                    let ground = Arc::new(self.make_gated(self.view(by), by));
                    keep(&mut self.gated, KEPT_MAX, (key, ground));
                }
            }
        }
        price
    }

    fn precompute_idle(&mut self, allowance: u32) -> u32 {
        self.precompute_far(allowance)
    }

    fn unmade(&self) -> Vec<(u8, u32)> {
        let sectors = self.sectors.iter();
        sectors.flat_map(|sectors| sectors.waiting()).map(|sector| (0, sector)).collect()
    }

    fn restore_unmade(&mut self, unmade: &[(u8, u32)]) {
        let waiting: Vec<u32> = unmade.iter().map(|(_, sector)| *sector).collect();
        self.change_sectors(|sectors, ground| sectors.restore_waiting(ground, &waiting));
    }

    fn keep_body_classes(&mut self, kinds: usize) {
        self.kinds = kinds;
    }

    fn body_class(&self, radius_m: f32) -> u64 {
        self.class(&Traversal { radius_m, ..Traversal::default() }).number()
    }

    fn is_prepared(&self, by: &Traversal) -> bool {
        if !self.is_far_ready {
            return false;
        }
        let class = self.class(by);
        if by.areas.is_some() {
            let key = self.costs_key(by);
            return self.variants.iter().any(|variant| variant.key == key);
        }
        let passage = self.through(by).is_none_or(|_| self.kept_passage(class, by).is_some());
        passage && self.kept_walkability(class, by.barred()).is_some()
    }

    fn node_count(&self) -> u64 {
        u64::from(self.frame().width) * u64::from(self.frame().depth)
    }

    fn expansion_price(&self) -> u64 {
        // Hexagons are searched one by one, at the price of each step.
        if self.base.bare.shape().is_plain() { 1 } else { 3 }
    }

    fn make_room(&self, search: &mut Search) {
        let is_plain = self.base.bare.shape().is_plain();
        if is_plain {
            search.make_room(self.frame().cell_count() as usize);
        }
        if !is_plain || !self.factors.is_empty() {
            search.marks.make_room(self.frame().width, self.frame().depth);
        }
    }

    fn is_walkable(&self, point: Vec3, by: &Traversal) -> bool {
        let Some(Cell { x, z }) = self.cell_of(point) else { return false };
        let class = self.class(by);
        let barred = by.barred();
        let is_plain = by.areas.is_none() && self.through(by).is_none() && barred.is_empty();
        if is_plain && self.kept_walkability(class, barred).is_none() {
            return clearance::is_passable(&self.base.bare, class, Cell { x, z });
        }
        let is_bare = self.bare_view(by).is_some_and(|bare| bare.bits().get(x, z));
        is_bare || self.view(by).bits().get(x, z)
    }

    fn locate(&self, point: Vec3, by: &Traversal) -> Option<Location> {
        let cell = self.cell_of(point)?;
        self.is_walkable(point, by).then(|| Location { node: self.node(cell), point: self.floored(point) })
    }

    fn nearest(&self, point: Vec3, within_m: f32, by: &Traversal) -> Option<Location> {
        if let Some(here) = self.locate(point, by) {
            return Some(here);
        }
        let within = f64::from(within_m.max(0.0)) / self.frame().cell_size_m;
        let cell = self.view(by).closest(&|_| true, self.to_cells(point), within)?;
        Some(Location { node: self.node(cell), point: self.centre(cell) })
    }

    fn straight(&self, from: Vec3, to: Vec3, by: &Traversal) -> Option<Cost> {
        if self.goes_wrong(from, to, by) {
            return None;
        }
        let (start, end) = (self.to_cells(from), self.to_cells(to));
        // A line over ground that is open anyway opens nothing, and costs what it costs every body.
        let bare = self.bare_view(by).filter(|bare| line_of_sight::clear(bare.bits(), start, end));
        if let Some(bare) = bare {
            return line_of_sight::cost_of_clear(&self.ground(&bare, &[]), start, end);
        }
        let view = self.view(by);
        let unit = view.unit(self);
        let tolls = self.tolls(by, unit);
        let cost = line_of_sight::cost(&self.ground(&view, &tolls), start, end)?;
        if unit == self.unit {
            return Some(cost);
        }
        // Factors of its own may be counted in a coarser unit; costs are told in that of the map.
        let ratio = f64::from(self.unit.straight) / f64::from(unit.straight);
        Some(Cost((f64::from(cost.0) * ratio).ceil() as u32))
    }

    fn sight(&self, from: Vec3, to: Vec3, by: &Traversal) -> (bool, Vec3) {
        let view = self.view(by);
        let wrong = self.wrong_way(from, to, by).map(|wrong| wrong.part);
        let edge = self.terrain.exits().wrong_way(self.to_cells(from), self.to_cells(to));
        let wrong = wrong.into_iter().chain(edge.map(|part| part as f32)).min_by(f32::total_cmp);
        let to = wrong.map_or(to, |part| point_before(part, from, to));
        let (start, end) = (self.to_cells(from), self.to_cells(to));
        if line_of_sight::clear(view.bits(), start, end) {
            return (wrong.is_none(), self.floored(to));
        }
        let last = line_of_sight::last_clear(view.bits(), start, end);
        if last == start {
            return (false, self.floored(from));
        }
        (false, self.frame().on_floor(self.frame().to_world(last)))
    }

    fn holds(&self, area: AreaId, point: Vec3) -> bool {
        let cell = self.cell_of(point).zip(self.terrain.area(area.index()));
        cell.is_some_and(|(Cell { x, z }, spans)| spans.contains(x, z))
    }

    fn areas_at(&self, point: Vec3, out: &mut Vec<AreaId>) {
        let at = geom::ground(point);
        let outlines = self.terrain.outlines().iter().enumerate();
        let inside = outlines.filter(|(_, outline)| {
            outline.bounds.grown(geom::EDGE_M).contains(at) && geom::polygon_contains(&outline.polygon, at)
        });
        out.extend(inside.map(|(id, _)| AreaId::from(id)));
        if self.terrain.outlines().is_empty()
            && let Some(Cell { x, z }) = self.cell_of(point)
        {
            let owns = |area: &usize| self.terrain.area(*area).is_some_and(|spans| spans.contains(x, z));
            out.extend((0..self.area_count()).filter(owns).map(AreaId::from));
        }
    }

    fn islands(&self) -> Vec<Island> {
        let mut parts: Vec<Option<(Window, Cell)>> = vec![None; self.base.labels.count() as usize];
        for run in self.base.labels.runs() {
            let row = Window { first_x: run.first_x, end_x: run.end_x, first_z: run.z, end_z: run.z + 1 };
            let part = &mut parts[run.label as usize];
            *part = Some(match *part {
                Some((window, first)) => (window.union(row), first),
                None => (row, Cell { x: run.first_x, z: run.z }),
            });
        }
        let mut islands: Vec<Island> = (0..)
            .zip(parts)
            .filter_map(|(label, part)| part.map(|(window, first)| (label, window, first)))
            .map(|(label, window, first)| Island {
                cells: self.base.labels.cells(label) as u32,
                bounds: window.bounds(self.frame()),
                sample: self.centre(first),
            })
            .collect();
        ordered::sort_by_key(&mut islands, |island| std::cmp::Reverse(island.cells));
        islands
    }

    fn area_state(&self, area: AreaId) -> Option<(bool, f32)> {
        self.states.get(area.index()).map(|state| (state.available, state.factor))
    }

    fn area_cells(&self, area: AreaId) -> u32 {
        self.terrain.area(area.index()).map_or(0, Spans::cell_count)
    }

    fn metres(&self, cost: Cost) -> f64 {
        f64::from(cost.0) / f64::from(self.unit.straight) * self.frame().cell_size_m
    }

    fn cheapest_factor(&self) -> f32 {
        if self.factors.is_empty() { 1.0 } else { f32::from(self.cheapest) / f32::from(FACTOR_ONE) }
    }

    fn node_m(&self) -> f32 {
        let shape = self.frame().tiling.shape();
        let across = if shape.is_plain() { std::f64::consts::SQRT_2 } else { shape.width() };
        (self.frame().cell_size_m * across) as f32
    }

    fn hash_into(&self, hash: &mut StateHash) {
        self.hash_state(hash);
        hash.word(self.revision);
    }
}
