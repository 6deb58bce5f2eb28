//! The layers of a map and the links between them, kept up to date.
//!
//! In: grids, links, then edits. Out: answers about points, each from the layer that is asked about. Holds:
//! an edit of one layer leaves the revision of the others alone; that of the whole grows with any. All layers
//! have the same areas, by number: an area is changed on the layers where it has cells. Not here: ways
//! (`plan`).

use crate::nav::cell::Cell;
use crate::nav::cells::{CellMap, CellView, Reached};
use crate::nav::links::{self, Hop, LINKS_MAX, LayerLink};
use crate::nav::{Backend, LayerPoint, LinkActions, Traversal};

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
#[derive(Clone, Debug, Default)]
pub(crate) struct ReachableSet {
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

    /// The part of each layer that a walker can use. Cost: next to nothing when it was prepared, else a pass
    /// over the map.
    pub(crate) fn views(&self, by: &Traversal) -> Vec<CellView> {
        self.maps.iter().map(|map| map.view(by)).collect()
    }

    /// What can be reached from a cell of a layer, over links whose ends can be stood on. Cost: labels, for
    /// each link.
    pub(crate) fn reachable_over_links(
        &self,
        views: &[CellView],
        by: &Traversal,
        Cell { x, z }: Cell,
    ) -> ReachableSet {
        let layer = by.layer;
        let mut found = ReachableSet { layers: vec![Vec::new(); self.maps.len()] };
        found.layers[usize::from(layer)].extend(views[usize::from(layer)].reached_from(x, z));
        let mut waiting: Vec<Hop> = self.hops(by.actions).collect();
        // Bounded by the links: each round takes one at least.
        loop {
            let before = waiting.len();
            waiting.retain(|hop| {
                if !found.holds(self, views, hop.from) {
                    return true;
                }
                if !found.holds(self, views, hop.to)
                    && let Some(Cell { x, z }) = self.cell(hop.to)
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
    pub(crate) fn cell(&self, at: LayerPoint) -> Option<Cell> {
        self.layer(at.layer)?.cell_of(at.point)
    }
}

impl ReachableSet {
    /// Whether a place is among those that are reached.
    pub(crate) fn holds(&self, layers: &Layers, views: &[CellView], at: LayerPoint) -> bool {
        let Some((Cell { x, z }, view)) = layers.cell(at).zip(views.get(usize::from(at.layer))) else {
            return false;
        };
        self.layers[usize::from(at.layer)].iter().any(|reached| view.is_reached(reached, x, z))
    }
}
