//! What a walker with areas of its own makes of a map: some are walls to it, some cost it something else.
//!
//! In: a map, a traversal. Out: the cells, components, doors and factors of a map on which these areas are so
//! for every body. Holds: answers equal those of such a map, so that labels decide what can be reached here
//! too. Cost: a pass over the cells; what is not changed is shared with the map. Not here: what keeps it
//! (`map`).

use std::sync::Arc;

use crate::base::ids::AreaId;
use crate::nav::cells::clearance::RadiusClass;
use crate::nav::cells::map::{CellMap, CellView, unit_for};
use crate::nav::cells::raster::{Spans, Window};
use crate::nav::cells::{FACTOR_ONE, Unit, fixed_factor};
use crate::nav::edits::clamp_factor;
use crate::nav::{OwnArea, Traversal};

/// Factors of one walker.
#[derive(Clone, Debug)]
pub(crate) struct Paint {
    /// By cell; empty when all are 1.
    pub(crate) factors: Vec<u16>,
    pub(crate) cheapest: u16,
    pub(crate) unit: Unit,
}

/// A view, and whose it is.
#[derive(Clone, Debug)]
pub(crate) struct CustomCosts {
    class: RadiusClass,
    through: Vec<AreaId>,
    areas: Option<Arc<[OwnArea]>>,
    barred: Vec<AreaId>,
    pub(crate) view: CellView,
}

fn through(map: &CellMap, by: &Traversal) -> Vec<AreaId> {
    map.through(by).map_or_else(Vec::new, |list| list.iter().map(|(area, _)| *area).collect())
}

impl CustomCosts {
    /// Made for a traversal, on the map as it is.
    pub(crate) fn new(map: &CellMap, by: &Traversal) -> Self {
        let areas = by.areas.as_deref().unwrap_or(&[]);
        let mut view = map.plain_view(by);
        let shunned = areas.iter().filter(|(_, factor)| factor.is_none());
        let cut: Vec<&Spans> = shunned.filter_map(|(area, _)| map.terrain.area(area.index())).collect();
        if !cut.is_empty() {
            let states = map.states_for(by.barred());
            let (terrain, states) = (&*map.terrain, &states[..]);
            view.walkability = Arc::new(view.walkability.without(&cut, terrain, states));
            let passage = view.passage.take();
            view.passage =
                passage.map(|passage| Arc::new(passage.without(&cut, &view.walkability, terrain, states)));
        }
        view.paint = paint(map, areas).map(Arc::new);
        let barred = by.barred().to_vec();
        Self { class: map.class(by), through: through(map, by), areas: by.areas.clone(), barred, view }
    }

    /// Whether it serves a traversal.
    pub(crate) fn is_for(&self, map: &CellMap, by: &Traversal) -> bool {
        let is_same = self.areas == by.areas && self.barred == by.barred();
        is_same && self.class == map.class(by) && self.through == through(map, by)
    }
}

/// The factors of one walker; None when they are those of the map.
fn paint(map: &CellMap, areas: &[OwnArea]) -> Option<Paint> {
    let mut states = map.states.to_vec();
    for (area, factor) in areas {
        if let (Some(factor), true) = (factor, area.index() < map.area_count()) {
            states[area.index()].factor = clamp_factor(*factor);
        }
    }
    if states == *map.states {
        return None;
    }
    let terrain = &map.terrain;
    if !terrain.is_weighted(&states) {
        return Some(Paint { factors: Vec::new(), cheapest: FACTOR_ONE, unit: unit_for(terrain, 1.0) });
    }
    let (cheapest, costliest) = terrain.factor_range(&states);
    let mut factors = vec![FACTOR_ONE; terrain.frame.cell_count() as usize];
    terrain.paint_factors(Window::all(&terrain.frame), &states, &mut factors);
    Some(Paint { factors, cheapest: fixed_factor(cheapest), unit: unit_for(terrain, costliest) })
}
