//! Builds the map of points and links of a level.
//!
//! In: a [`GraphDef`] whose points are at hand, and what its names stand for. Out: the map. Not here: reading
//! either (`graph`, `text`, `compact`).

use super::GraphDef;
use crate::level::resolve::Resolved;
use crate::level::tile_layout::Hierarchy;
use crate::nav::graph::adjacency::Adjacency;
use crate::nav::graph::{GraphArea, GraphSource, PointGraph, PrecomputedRoutes};
use crate::nav::solids::Solids;

/// The heights of areas that lie at any height, metres.
const ANY_HEIGHT_M: [f64; 2] = [-1e6, 1e6];

/// The map of a graph level, with the scene that hides things in it.
pub(crate) fn build(def: &GraphDef, resolved: &Resolved) -> PointGraph {
    let solids = def.triangles.as_ref().and_then(|triangles| Solids::new(triangles).ok());
    without_scene(def, resolved).in_scene(solids)
}

fn without_scene(def: &GraphDef, resolved: &Resolved) -> PointGraph {
    let shapes = def.areas.iter().chain(&def.obstacles).zip(&resolved.areas);
    let areas = shapes
        .map(|(area, state)| GraphArea {
            polygon: area.polygon.clone(),
            heights_m: area.heights_m.unwrap_or(ANY_HEIGHT_M).map(|height| height as f32),
            available: state.available,
            factor: state.cost,
            is_obstacle: state.obstacle,
        })
        .collect();
    let mut source = GraphSource {
        draft: (*def.draft).clone(),
        width_m: def.width_m as f32,
        agent_radius_m: def.agent_radius_m as f32,
        areas,
        uses_parts: false,
    };
    if def.hierarchy == Hierarchy::Off || source.draft.parts().len() < 2 {
        return PointGraph::new(source);
    }
    let mut net = Adjacency::new(&source.draft);
    net.prepare();
    let parts = source.draft.parts();
    let routes = match &def.ways {
        Some(ways) => PrecomputedRoutes::restore(&net, parts, ways.clone()),
        None => PrecomputedRoutes::new(&net, parts, &mut |_, _| {}),
    };
    // Left to us, it is measured: the same graph gives the same verdict, whatever form it was read from.
    source.uses_parts = def.hierarchy == Hierarchy::On || routes.measure(&net).pays();
    if source.uses_parts { PointGraph::with_routes(source, net, routes) } else { PointGraph::new(source) }
}
