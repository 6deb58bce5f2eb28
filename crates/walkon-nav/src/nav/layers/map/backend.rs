//! The interface of a layered map for the rest of the crate.
//!
//! In: the questions and edits of a [`Backend`]. Out: answers for all layers. Holds: a question about one
//! place is one to the grid of its layer. Not here: the layers themselves (`map`), ways over them (`plan`).

use glam::Vec3;

use super::*;
use crate::base::cost::Cost;
use crate::base::geom::Bounds;
use crate::base::hash::StateHash;
use crate::base::ids::AreaId;
use crate::base::rng::Rng;
use crate::nav::cells::CellMap;
use crate::nav::smooth::Effort;
use crate::nav::{
    Backend, ChangedPart, Disc, Island, LayerPoint, Location, Look, MapChange, NavEdit, RandomPoint, Reach,
    Revision, Search, TileEdit, Traversal,
};

/// What it takes to see what is reached over a link.
const LINK_EFFORT: u64 = 512;

impl Backend for Layers {
    fn expansion_price(&self) -> u64 {
        self.first().expansion_price()
    }

    fn make_room(&self, search: &mut Search) {
        self.maps.iter().for_each(|cells| cells.make_room(search));
    }

    fn reach_on(&self, from: Vec3, to: LayerPoint, by: &Traversal) -> Reach {
        self.reach_along(from, to, by, &Effort::endless())
    }

    fn revision(&self) -> Revision {
        let sum = self.maps.iter().fold(self.revision_offset, |sum, map| sum.wrapping_add(map.revision().0));
        Revision(sum)
    }

    fn set_revision(&mut self, revision: u64) {
        self.revision_offset = self.revision_offset.wrapping_add(revision.wrapping_sub(self.revision().0));
    }

    fn bounds(&self) -> Bounds {
        self.maps.iter().fold(Bounds::EMPTY, |all, map| all.union(map.bounds()))
    }

    fn node_centre(&self, point: Vec3) -> Option<Vec3> {
        self.first().node_centre(point)
    }

    fn apply(&mut self, edits: &[NavEdit]) -> Option<MapChange> {
        let mut own: Vec<Vec<NavEdit>> = vec![Vec::new(); self.maps.len()];
        for edit in edits {
            match edit {
                NavEdit::Tile(tile) => {
                    if let Some(list) = own.get_mut(usize::from(tile.layer)) {
                        list.push(NavEdit::Tile(TileEdit { layer: 0, ..*tile }));
                    }
                }
                NavEdit::Graph(_) => {}
                NavEdit::Area(area) => {
                    let has = |map: &CellMap| map.has_ground(area.area);
                    let nobody = !self.maps.iter().any(has);
                    for (at, list) in own.iter_mut().enumerate() {
                        if has(&self.maps[at]) || nobody && at == 0 {
                            list.push(*edit);
                        }
                    }
                }
            }
        }
        let mut all: Option<MapChange> = None;
        for ((layer, map), edits) in (0..).zip(&mut self.maps).zip(own) {
            let Some(change) = map.apply(&edits) else { continue };
            let all = all.get_or_insert_default();
            all.bounds = all.bounds.union(change.bounds);
            all.parts.extend(change.parts.into_iter().map(|part| ChangedPart { layer, ..part }));
            all.opened |= change.opened;
            all.closed |= change.closed;
            all.recosted |= change.recosted;
        }
        let revision = self.revision();
        all.map(|all| MapChange { revision, ..all })
    }

    fn add_obstacle(&mut self, used: &[AreaId], centre: LayerPoint, radius_m: f32) -> AreaId {
        let is_in_force = |id| self.maps.iter().any(|map| map.is_in_force(id));
        let id = self.first().free_obstacle(used, is_in_force);
        // Every layer knows it, so that the numbers are those of all.
        for (layer, map) in (0..).zip(&mut self.maps) {
            map.lay_obstacle(id, (layer == centre.layer).then_some(centre.point), radius_m);
        }
        id
    }

    fn prepare(&mut self, by: &Traversal) {
        // Which links lead on is a question of what can be reached.
        for map in &mut self.maps {
            map.prepare_reach(by);
        }
    }

    fn precompute_idle(&mut self, allowance: u32) -> u32 {
        self.maps
            .iter_mut()
            .fold(0, |spent, map| spent + map.precompute_idle(allowance.saturating_sub(spent)))
    }

    fn unmade(&self) -> Vec<(u8, u32)> {
        let of_layer =
            |(layer, map): (u8, &CellMap)| map.unmade().into_iter().map(move |(_, sector)| (layer, sector));
        (0..).zip(&self.maps).flat_map(of_layer).collect()
    }

    fn restore_unmade(&mut self, unmade: &[(u8, u32)]) {
        for (layer, map) in (0..).zip(&mut self.maps) {
            let own: Vec<(u8, u32)> = unmade.iter().copied().filter(|(of, _)| *of == layer).collect();
            map.restore_unmade(&own);
        }
    }

    fn keep_body_classes(&mut self, kinds: usize) {
        self.maps.iter_mut().for_each(|map| map.keep_body_classes(kinds));
    }

    fn body_class(&self, radius_m: f32) -> u64 {
        let classes = self.maps.iter().map(|map| map.body_class(radius_m));
        let mut hash = StateHash::default();
        classes.for_each(|class| {
            hash.word(class);
        });
        hash.finish()
    }

    fn is_prepared(&self, by: &Traversal) -> bool {
        let walled = by.walled();
        self.maps.iter().all(|map| walled.iter().chain([by]).all(|by| map.is_prepared(by)))
    }

    fn node_count(&self) -> u64 {
        self.maps.iter().map(CellMap::node_count).sum()
    }

    fn is_walkable(&self, point: Vec3, by: &Traversal) -> bool {
        self.of(by).is_walkable(point, by)
    }

    fn locate(&self, point: Vec3, by: &Traversal) -> Option<Location> {
        self.of(by).locate(point, by)
    }

    fn nearest(&self, point: Vec3, within_m: f32, by: &Traversal) -> Option<Location> {
        self.of(by).nearest(point, within_m, by)
    }

    fn start(&self, point: Vec3, by: &Traversal) -> Option<Location> {
        self.of(by).start(point, by)
    }

    fn straight(&self, from: Vec3, to: Vec3, by: &Traversal) -> Option<Cost> {
        let cost = self.of(by).straight(from, to, by)?;
        // Costs are in the unit of the first layer.
        let per_metre = self.first().metres(Cost(1 << 20)) / f64::from(1 << 20);
        let metres = self.of(by).metres(cost);
        Some(if by.layer == 0 { cost } else { Cost((metres / per_metre).ceil() as u32) })
    }

    fn sight(&self, from: Vec3, to: Vec3, by: &Traversal) -> (bool, Vec3) {
        self.of(by).sight(from, to, by)
    }

    fn sees(&self, look: &Look<'_>) -> bool {
        self.layer(look.layer).is_some_and(|map| map.sees(look))
    }

    fn is_clear_of(&self, from: Vec3, to: Vec3, by: &Traversal, others: &[Disc]) -> bool {
        self.of(by).is_clear_of(from, to, by, others)
    }

    fn reach(&self, from: Vec3, to: Vec3, by: &Traversal) -> Reach {
        self.reach_on(from, LayerPoint { layer: by.layer, point: to }, by)
    }

    fn reach_counted(&self, from: Vec3, to: Vec3, by: &Traversal) -> (Reach, u64) {
        self.reach_on_counted(from, LayerPoint { layer: by.layer, point: to }, by)
    }

    fn reach_on_counted(&self, from: Vec3, to: LayerPoint, by: &Traversal) -> (Reach, u64) {
        let effort = Effort::endless();
        effort.add(self.links().len() as u64 * LINK_EFFORT);
        (self.reach_along(from, to, by, &effort), effort.expansions())
    }

    fn random_point_counted(&self, query: &RandomPoint, rng: &mut Rng) -> (Option<Vec3>, u64) {
        let Some(from) = query.reachable_from else {
            return self.of(&query.by).random_point_counted(query, rng);
        };
        let effort = Effort::endless();
        effort.add(self.links().len() as u64 * LINK_EFFORT);
        let mut draw = || {
            let views = self.views(&query.by);
            let layer = usize::from(query.by.layer);
            let by = Traversal { layer: from.layer, ..query.by.clone() };
            let view = views.get(usize::from(from.layer))?;
            let (start, _) = self.of(&by).begin_at(view, from.point, &by).ok()?;
            let mut layers = self.reachable_over_links(views, &by, start).layers;
            let reached = (layer < layers.len()).then(|| layers.swap_remove(layer))?;
            self.of(&query.by).random_point_among(query, reached, rng, &effort)
        };
        (draw(), effort.expansions())
    }

    fn holds(&self, area: AreaId, point: Vec3) -> bool {
        self.maps.iter().any(|map| map.holds(area, point))
    }

    fn areas_at(&self, point: Vec3, out: &mut Vec<AreaId>) {
        let first = out.len();
        self.maps.iter().for_each(|map| map.areas_at(point, out));
        let mut own = out.split_off(first);
        own.sort_unstable();
        own.dedup();
        out.append(&mut own);
    }

    fn islands(&self) -> Vec<Island> {
        self.first().islands()
    }

    fn area_state(&self, area: AreaId) -> Option<(bool, f32)> {
        // An area that lies nowhere belongs to the first, as its edits do.
        let holder = self.maps.iter().find(|map| map.has_ground(area));
        holder.or(self.maps.first())?.area_state(area)
    }

    fn area_cells(&self, area: AreaId) -> u32 {
        self.maps.iter().map(|map| map.area_cells(area)).sum()
    }

    fn metres(&self, cost: Cost) -> f64 {
        self.first().metres(cost)
    }

    fn cheapest_factor(&self) -> f32 {
        self.maps.iter().map(CellMap::cheapest_factor).fold(1.0, f32::min)
    }

    fn node_m(&self) -> f32 {
        self.first().node_m()
    }

    fn hash_into(&self, hash: &mut StateHash) {
        hash.word(self.maps.len() as u64).word(self.links.len() as u64).word(self.revision().0);
        // A save game knows the revision of the whole, not those of the layers.
        self.maps.iter().for_each(|map| map.hash_state(hash));
        for link in &self.links {
            for end in [link.from, link.to] {
                hash.word(u64::from(end.layer)).vector(end.point);
            }
            hash.flag(link.both_ways).float(link.cost_m);
        }
    }
}
