//! A map as seen by one walker that treats some areas as walls and prices others differently.
//!
//! In: a map as most walk on it, a walker's areas. Out: the cells, components, doors and factors of a map
//! with these areas changed for every body. Holds: answers equal those of such a map, so labels decide
//! reachability here too. Cost: a pass over the cells; unchanged parts are shared with the map. Not here:
//! what keeps it (`map`).

use std::sync::Arc;

use crate::base::ids::AreaId;
use crate::nav::OwnArea;
use crate::nav::cells::clearance::RadiusClass;
use crate::nav::cells::raster::{Spans, Window};
use crate::nav::cells::terrain::CellTerrain;
use crate::nav::cells::view::{CellView, Paint};
use crate::nav::cells::{FACTOR_ONE, fixed_factor};
use crate::nav::edits::{AreaState, clamp_factor};

/// What all bodies have in common that a view serves.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CostsKey {
    pub(crate) class: RadiusClass,
    /// The closed areas that they plan through.
    pub(crate) through: Vec<AreaId>,
    pub(crate) areas: Option<Arc<[OwnArea]>>,
    pub(crate) barred: Vec<AreaId>,
}

/// The ground and its areas as they are for all.
pub(crate) struct SharedGround<'a> {
    pub(crate) terrain: &'a CellTerrain,
    pub(crate) states: &'a [AreaState],
    /// The same where areas that are barred to a walker are closed.
    pub(crate) without_barred: &'a [AreaState],
}

/// A view, and whose it is.
#[derive(Clone, Debug)]
pub(crate) struct CustomCosts {
    pub(crate) key: CostsKey,
    pub(crate) view: CellView,
}

impl CustomCosts {
    /// Made from the view that bodies without areas of their own have.
    pub(crate) fn new(key: CostsKey, mut view: CellView, ground: &SharedGround<'_>) -> Self {
        let areas = key.areas.as_deref().unwrap_or(&[]);
        let shunned = areas.iter().filter(|(_, factor)| factor.is_none());
        let cut: Vec<&Spans> = shunned.filter_map(|(area, _)| ground.terrain.area(area.index())).collect();
        if !cut.is_empty() {
            let (terrain, states) = (ground.terrain, ground.without_barred);
            view.walkability = Arc::new(view.walkability.without(&cut, terrain, states));
            let passage = view.passage.take();
            view.passage =
                passage.map(|passage| Arc::new(passage.without(&cut, &view.walkability, terrain, states)));
        }
        view.paint = paint(ground, areas).map(Arc::new);
        Self { key, view }
    }
}

/// The factors of one walker; None when they are those of the map.
fn paint(ground: &SharedGround<'_>, areas: &[OwnArea]) -> Option<Paint> {
    let terrain = ground.terrain;
    let mut states = ground.states.to_vec();
    for (area, factor) in areas {
        if let (Some(factor), true) = (factor, area.index() < terrain.area_count()) {
            states[area.index()].factor = clamp_factor(*factor);
        }
    }
    if states == *ground.states {
        return None;
    }
    if !terrain.is_weighted(&states) {
        return Some(Paint { factors: Vec::new(), cheapest: FACTOR_ONE, unit: terrain.unit_for(1.0) });
    }
    let (cheapest, costliest) = terrain.factor_range(&states);
    let mut factors = vec![FACTOR_ONE; terrain.frame.cell_count() as usize];
    terrain.paint_factors(Window::all(&terrain.frame), &states, &mut factors);
    Some(Paint { factors, cheapest: fixed_factor(cheapest), unit: terrain.unit_for(costliest) })
}
