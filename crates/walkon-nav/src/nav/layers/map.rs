//! The layers of a map and the links between them, kept up to date.
//!
//! In: grids, links, then edits. Out: answers about points, each from the layer that is asked about. Holds:
//! an edit of one layer leaves the revision of the others alone; that of the whole grows with any. All layers
//! have the same areas, by number: an area is changed on the layers where it has cells. Not here: ways
//! (`plan`).

use glam::Vec3;

use crate::base::cost::Cost;
use crate::base::geom::Bounds;
use crate::base::hash::StateHash;
use crate::base::ids::AreaId;
use crate::base::rng::Rng;
use crate::nav::cells::{CellMap, CellView, Reached};
use crate::nav::{
    Backend, ChangedPart, Disc, GroundQuery, Island, Location, MapChange, NavEdit, PathTrouble, RandomPoint,
    Reach, Revision, Search, TileEdit, Traversal,
};

/// The most layers a map may have.
pub const LAYERS_MAX: usize = 8;
/// The most links between layers a map may have: a plan weighs all of them against one another.
pub const LINKS_MAX: usize = 256;

/// A place on a layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerPoint {
    /// The layer.
    pub layer: u8,
    /// World metres; the height is of no meaning on a flat floor.
    pub point: Vec3,
}

/// A way from a place on one layer to a place on another: stairs, a ladder, a hatch. It is closed while a
/// body may not stand at one of its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerLink {
    /// Where it begins.
    pub from: LayerPoint,
    /// Where it ends.
    pub to: LayerPoint,
    /// Whether it may be taken back as well.
    pub both_ways: bool,
    /// What taking it adds to a path, metres of plain ground, 0 to 1e6.
    pub cost_m: f32,
}

/// Why there can be no such layers. Levels report these with a place in the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum LayersError {
    #[error("layers: {count}, expected 1 to 8")]
    Count { count: usize },
    #[error("layer {layer}: {found} areas, expected as many as on the first, {expected}")]
    Areas { layer: usize, found: usize, expected: usize },
    #[error("links: {count}, expected 256 at most")]
    TooManyLinks { count: usize },
    #[error("link {link}: layer {layer}, expected 0 to {last}")]
    UnknownLayer { link: usize, layer: u8, last: usize },
    #[error("link {link}: an end lies beyond layer {layer}")]
    Beyond { link: usize, layer: u8 },
    #[error("link {link}: costs {value} m, expected 0 to 1000000")]
    LinkCost { link: usize, value: f32 },
}

/// Independent grids with links between them.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    maps: Vec<CellMap>,
    links: Vec<LayerLink>,
    /// Added to the revisions of all layers, so that the whole counts on from a map whose place it took.
    counted: u64,
    /// For layers that are not there.
    nowhere: CellMap,
}

/// One direction of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hop {
    pub(crate) from: LayerPoint,
    pub(crate) to: LayerPoint,
    pub(crate) cost_m: f64,
}

/// What can be reached from a place over all layers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Everywhere {
    /// By layer: what is reached from each place at which one comes to it.
    pub(crate) layers: Vec<Vec<Reached>>,
}

impl Layers {
    /// Joins grids by links. The first is the ground.
    ///
    /// # Errors
    /// A number of layers or links beyond its limit, layers that do not have the same number of areas, a link
    /// that leads nowhere.
    pub fn new(maps: Vec<CellMap>, links: Vec<LayerLink>) -> Result<Self, LayersError> {
        if maps.is_empty() || maps.len() > LAYERS_MAX {
            return Err(LayersError::Count { count: maps.len() });
        }
        let expected = maps[0].area_count();
        if let Some((layer, map)) = maps.iter().enumerate().find(|(_, map)| map.area_count() != expected) {
            return Err(LayersError::Areas { layer, found: map.area_count(), expected });
        }
        if links.len() > LINKS_MAX {
            return Err(LayersError::TooManyLinks { count: links.len() });
        }
        for (link, way) in links.iter().enumerate() {
            for end in [way.from, way.to] {
                let last = maps.len() - 1;
                let Some(map) = maps.get(usize::from(end.layer)) else {
                    return Err(LayersError::UnknownLayer { link, layer: end.layer, last });
                };
                if map.node_centre(end.point).is_none() {
                    return Err(LayersError::Beyond { link, layer: end.layer });
                }
            }
            if !(0.0..=1e6).contains(&way.cost_m) {
                return Err(LayersError::LinkCost { link, value: way.cost_m });
            }
        }
        Ok(Self { maps, links, counted: 0, nowhere: CellMap::default() })
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.maps.len()
    }

    /// The grid of a layer.
    #[must_use]
    pub fn layer(&self, layer: u8) -> Option<&CellMap> {
        self.maps.get(usize::from(layer))
    }

    /// The links, in their order.
    #[must_use]
    pub fn links(&self) -> &[LayerLink] {
        &self.links
    }

    /// The grid that somebody walks on.
    pub(crate) fn of(&self, by: &Traversal) -> &CellMap {
        self.layer(by.layer).unwrap_or(&self.nowhere)
    }

    fn first(&self) -> &CellMap {
        self.maps.first().unwrap_or(&self.nowhere)
    }

    /// The links in both directions, where they have both.
    pub(crate) fn hops(&self) -> impl Iterator<Item = Hop> + '_ {
        self.links.iter().flat_map(|link| {
            let there = Hop { from: link.from, to: link.to, cost_m: f64::from(link.cost_m) };
            let back = Hop { from: link.to, to: link.from, ..there };
            std::iter::once(there).chain(link.both_ways.then_some(back))
        })
    }

    /// What somebody can use of each layer. Cost: nothing to speak of when it was prepared, else a pass over
    /// the map.
    pub(crate) fn views(&self, by: &Traversal) -> Vec<CellView> {
        self.maps.iter().map(|map| map.view(by)).collect()
    }

    /// What can be reached from a cell of a layer, over links whose ends can be stood on. Cost: labels, for
    /// each link.
    pub(crate) fn everywhere(&self, views: &[CellView], layer: u8, (x, z): (u32, u32)) -> Everywhere {
        let mut found = Everywhere { layers: vec![Vec::new(); self.maps.len()] };
        found.layers[usize::from(layer)].extend(views[usize::from(layer)].reached_from(x, z));
        let mut waiting: Vec<Hop> = self.hops().collect();
        // Bounded by the links: each round takes one at least.
        loop {
            let before = waiting.len();
            waiting.retain(|hop| {
                if !found.holds(self, views, hop.from) {
                    return true;
                }
                if !found.holds(self, views, hop.to)
                    && let Some((x, z)) = self.cell(hop.to)
                {
                    let layer = usize::from(hop.to.layer);
                    found.layers[layer].extend(views[layer].reached_from(x, z));
                }
                false
            });
            if waiting.len() == before {
                return found;
            }
        }
    }

    /// The cell at a place.
    pub(crate) fn cell(&self, at: LayerPoint) -> Option<(u32, u32)> {
        self.layer(at.layer)?.cell_of(at.point)
    }
}

impl Everywhere {
    /// Whether a place is among what is reached.
    pub(crate) fn holds(&self, layers: &Layers, views: &[CellView], at: LayerPoint) -> bool {
        let Some(((x, z), view)) = layers.cell(at).zip(views.get(usize::from(at.layer))) else {
            return false;
        };
        self.layers[usize::from(at.layer)].iter().any(|reached| view.is_reached(reached, x, z))
    }
}

impl Backend for Layers {
    fn make_room(&self, search: &mut Search) {
        self.maps.iter().for_each(|cells| cells.make_room(search));
    }

    fn reach_on(&self, from: Vec3, to: LayerPoint, by: &Traversal) -> Reach {
        let views = self.views(by);
        let Some(view) = views.get(usize::from(by.layer)) else { return Reach::No(PathTrouble::StartOffNav) };
        let start = match self.of(by).begin_at(view, from, by) {
            Ok((start, _)) => start,
            Err(trouble) => return Reach::No(trouble),
        };
        if self.everywhere(&views, by.layer, start).holds(self, &views, to) {
            return Reach::Yes;
        }
        match to.layer == by.layer {
            // Why not is known there.
            true => match self.of(by).reach(from, to.point, by) {
                Reach::Yes => Reach::No(PathTrouble::NoPath),
                no => no,
            },
            false => Reach::No(PathTrouble::NoPath),
        }
    }

    fn revision(&self) -> Revision {
        let sum = self.maps.iter().fold(self.counted, |sum, map| sum.wrapping_add(map.revision().0));
        Revision(sum)
    }

    fn set_revision(&mut self, revision: u64) {
        self.counted = self.counted.wrapping_add(revision.wrapping_sub(self.revision().0));
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
                    let has = |map: &CellMap| map.area_cells(area.area) > 0;
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

    fn add_obstacle(&mut self, used: &[AreaId], centre: Vec3, radius_m: f32) -> AreaId {
        match self.maps.first_mut() {
            Some(map) => map.add_obstacle(used, centre, radius_m),
            None => self.nowhere.add_obstacle(used, centre, radius_m),
        }
    }

    fn prepare(&mut self, by: &Traversal) {
        self.maps.iter_mut().for_each(|map| map.prepare(by));
    }

    fn keep(&mut self, kinds: usize) {
        self.maps.iter_mut().for_each(|map| map.keep(kinds));
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
        self.maps.iter().all(|map| map.is_prepared(by))
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
        // Costs are told in the unit of the first layer.
        let per_metre = self.first().metres(Cost(1 << 20)) / f64::from(1 << 20);
        let metres = self.of(by).metres(cost);
        Some(if by.layer == 0 { cost } else { Cost((metres / per_metre).ceil() as u32) })
    }

    fn sight(&self, from: Vec3, to: Vec3, by: &Traversal) -> (bool, Vec3) {
        self.of(by).sight(from, to, by)
    }

    fn is_clear_of(&self, from: Vec3, to: Vec3, by: &Traversal, others: &[Disc]) -> bool {
        self.of(by).is_clear_of(from, to, by, others)
    }

    fn footing(&self, by: &Traversal) -> GroundQuery<'_> {
        self.of(by).footing(by)
    }

    fn reach(&self, from: Vec3, to: Vec3, by: &Traversal) -> Reach {
        self.reach_on(from, LayerPoint { layer: by.layer, point: to }, by)
    }

    fn random_point(&self, query: &RandomPoint, rng: &mut Rng) -> Option<Vec3> {
        let Some(from) = query.reachable_from else { return self.of(&query.by).random_point(query, rng) };
        let views = self.views(&query.by);
        let layer = usize::from(query.by.layer);
        let (start, _) = self.of(&query.by).begin_at(views.get(layer)?, from, &query.by).ok()?;
        let reached = self.everywhere(&views, query.by.layer, start).layers.swap_remove(layer);
        self.of(&query.by).random_point_among(query, reached, rng)
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
        hash.word(self.maps.len() as u64).word(self.links.len() as u64).word(self.counted);
        self.maps.iter().for_each(|map| map.hash_into(hash));
        for link in &self.links {
            for end in [link.from, link.to] {
                hash.word(u64::from(end.layer)).vector(end.point);
            }
            hash.flag(link.both_ways).float(link.cost_m);
        }
    }
}
