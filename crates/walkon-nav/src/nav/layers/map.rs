//! The layers of a map and the links between them, kept up to date.
//!
//! In: grids, links, then edits. Out: answers about points, each from the layer that is asked about. Holds:
//! an edit of one layer leaves the revision of the others alone; that of the whole grows with any. All layers
//! have the same areas, by number: an area is changed on the layers where it has cells. Not here: ways
//! (`plan`).

use glam::Vec3;

use crate::nav::cell::Cell;
use crate::nav::cells::{CellMap, CellView, LegBounds, ReachedCells};
use crate::nav::links::{self, Hop, LINKS_MAX, LayerLink};
use crate::nav::smooth::Effort;
use crate::nav::{Backend, LayerPoint, LinkActions, PathFailure, Reach, Traversal};

mod backend;

/// The most layers a map may have.
pub const LAYERS_MAX: usize = 8;

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
    revision_offset: u64,
    /// For layers that are not there.
    nowhere: CellMap,
}

/// What can be reached from a place over all layers.
#[derive(Clone, Debug)]
pub(crate) struct ReachableSet {
    /// By layer.
    pub(crate) layers: Vec<ReachedCells>,
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
        Ok(Self { maps, links, revision_offset: 0, nowhere: CellMap::default() })
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

    /// The grid that a body walks on.
    pub(crate) fn of(&self, by: &Traversal) -> &CellMap {
        self.layer(by.layer).unwrap_or(&self.nowhere)
    }

    fn first(&self) -> &CellMap {
        self.maps.first().unwrap_or(&self.nowhere)
    }

    /// The links that a body can take, in both directions where they have both.
    pub(crate) fn hops(&self, actions: LinkActions) -> impl Iterator<Item = Hop> + '_ {
        links::hops(&self.links, actions)
    }

    /// By layer what is known of the least costs of ways for a body.
    pub(crate) fn leg_bounds_by_layer(&self, by: &Traversal) -> Vec<LegBounds> {
        self.maps.iter().map(|map| map.leg_bounds(by)).collect()
    }

    /// The part of each layer that a walker can use. Cost: next to nothing when it was prepared, else a pass
    /// over the map.
    pub(crate) fn views(&self, by: &Traversal) -> Vec<CellView> {
        self.maps.iter().map(|map| map.view(by)).collect()
    }

    /// What can be reached from a cell of the layer that a body walks on, over links whose ends can be stood
    /// on. Cost: labels, for each link; where areas have a direction, see [`ReachedCells`].
    pub(crate) fn reachable_over_links(
        &self,
        views: Vec<CellView>,
        by: &Traversal,
        start: Cell,
    ) -> ReachableSet {
        let none = |(map, view)| ReachedCells::none(map, view, by);
        let mut found = ReachableSet { layers: self.maps.iter().zip(views).map(none).collect() };
        found.add(by.layer, start);
        let mut waiting: Vec<Hop> = self.hops(by.actions).collect();
        // Bounded by the links: each round takes one at least.
        loop {
            let before = waiting.len();
            waiting.retain(|hop| {
                if !found.holds(self, hop.from, by) {
                    return true;
                }
                if let Some(cell) = self.cell(hop.to) {
                    found.add(hop.to.layer, cell);
                }
                false
            });
            if waiting.len() == before {
                return found;
            }
        }
    }

    /// Whether a place can be reached, over links or without.
    pub(crate) fn reach_along(&self, from: Vec3, to: LayerPoint, by: &Traversal, effort: &Effort) -> Reach {
        let views = self.views(by);
        let Some(view) = views.get(usize::from(by.layer)) else { return Reach::No(PathFailure::StartOffNav) };
        let start = match self.of(by).begin_at(view, from, by) {
            Ok((start, _)) => start,
            Err(trouble) => return Reach::No(trouble),
        };
        match self.reachable_over_links(views, by, start).holds(self, to, by) {
            true => Reach::Yes,
            false => Reach::No(self.why_not(from, to, by, effort)),
        }
    }

    /// Why a place that is not reached is not.
    pub(crate) fn why_not(&self, from: Vec3, to: LayerPoint, by: &Traversal, effort: &Effort) -> PathFailure {
        let views = self.views(by);
        let own = views.get(usize::from(by.layer));
        let start = own.and_then(|view| self.of(by).begin_at(view, from, by).ok());
        let Some((start, _)) = start else { return PathFailure::NoPath };
        let ends = [LayerPoint { layer: by.layer, point: self.of(by).centre(start) }, to];
        if let Some(area) = self.first_door_between(&views, by, ends) {
            return PathFailure::Area(area);
        }
        if to.layer != by.layer {
            return PathFailure::NoPath;
        }
        // That is known to its layer.
        match self.of(by).reach_by_labels(from, to.point, by, effort) {
            Reach::No(why) => why,
            Reach::Yes => PathFailure::NoPath,
        }
    }

    /// The cell at a place.
    pub(crate) fn cell(&self, at: LayerPoint) -> Option<Cell> {
        self.layer(at.layer)?.cell_of(at.point)
    }
}

impl ReachableSet {
    fn add(&mut self, layer: u8, from: Cell) {
        self.layers.get_mut(usize::from(layer)).into_iter().for_each(|reached| reached.add(from));
    }

    /// Whether a place is among those that are reached.
    pub(crate) fn holds(&self, layers: &Layers, at: LayerPoint, by: &Traversal) -> bool {
        let reached = layers.layer(at.layer).zip(self.layers.get(usize::from(at.layer)));
        reached.is_some_and(|(map, reached)| reached.holds_point(map, at.point, by))
    }
}
