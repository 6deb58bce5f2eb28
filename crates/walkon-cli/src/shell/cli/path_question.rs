//! Path queries as commands take them: start, goal, layers.
//!
//! In: places and names of layers as they are typed. Out: answers of the map, with their cost. Not here:
//! showing answers (`path`, `draw`, `graph`).

use std::sync::Arc;
use std::time::Instant;

use glam::Vec3;
use walkon_shell::CommandFailure;

use super::args::PlaceArg;
use crate::base::suggestions;
use crate::nav::{Disc, NavMap, PathAnswer, PathQuery, SearchRecord, Traversal};
use crate::world::World;
use crate::world::ops::paths;
use crate::world::tiles::Tiles;

/// A question for a path.
pub(super) struct PathQuestion {
    pub from: Vec3,
    pub to: Vec3,
    pub by: Traversal,
    /// Where it is to end; None for the layer that it begins on.
    pub goal_layer: Option<u8>,
    /// The people in the way; None when nobody counts.
    pub others: Option<Arc<[Disc]>>,
}

/// Its answer.
pub(super) struct Answered {
    pub answer: PathAnswer,
    pub record: SearchRecord,
    pub micros: f64,
    /// Where it was to end.
    pub goal: Vec3,
}

impl PathQuestion {
    /// Asks the map as walkers on it do, under the level's limit of expansions.
    pub fn answer(&self, world: &mut World) -> Answered {
        let query = paths::query(world, self.from, self.to, self.by.clone());
        let query = PathQuery { goal_layer: self.goal_layer, others: self.others.clone(), ..query };
        let clock = Instant::now();
        let found = paths::find_recorded(world, &query, &mut || clock.elapsed().as_secs_f64());
        Answered { answer: found.answer, record: found.record, micros: found.seconds * 1e6, goal: self.to }
    }
}

/// The number of a layer by the name that `--layer` has; the first when none is named.
pub(super) fn layer_of(world: &World, name: Option<&str>) -> Result<u8, CommandFailure> {
    let Some(name) = name else { return Ok(0) };
    layer_among(&layers_of(world), "--layer", name)
}

/// The number of the layer that `--to-layer` names, where it is given.
pub(super) fn goal_layer_of(world: &World, name: Option<&str>) -> Result<Option<u8>, CommandFailure> {
    name.map(|name| layer_among(&layers_of(world), "--to-layer", name)).transpose()
}

fn layers_of(world: &World) -> Vec<&str> {
    world.tiles().into_iter().flat_map(Tiles::layer_names).collect()
}

/// The number of a layer by the name that an option has, among those of a map.
pub(super) fn layer_among(names: &[&str], option: &str, name: &str) -> Result<u8, CommandFailure> {
    if names.is_empty() {
        return Err(CommandFailure::usage(format!("{option} {name}: this map has no layers")));
    }
    if let Some(index) = names.iter().position(|own| *own == name) {
        return Ok(index as u8);
    }
    let failure = CommandFailure::usage(format!("{option} {name}: this map has no layer of that name"));
    let help = suggestions::did_you_mean(name, names.iter().copied());
    Err(failure.help(help.unwrap_or_else(|| format!("its layers are {}", names.join(", ")))))
}

/// Height of the floor of a map, metres; None where it has several.
pub(super) fn floor_of(nav: &NavMap) -> Option<f64> {
    match (nav.mesh(), nav.graph()) {
        (Some(mesh), _) => mesh.floor_y_m(),
        (_, Some(_)) => None,
        (None, None) => Some(nav.cells().map_or(0.0, |cells| cells.frame().floor_y_m)),
    }
}

/// A place as typed, on the floor of a flat map; elsewhere at its own height, 0 when none was typed.
pub(super) fn on_floor(place: PlaceArg, floor_y_m: Option<f64>) -> Result<Vec3, CommandFailure> {
    if place.y.is_some() && floor_y_m.is_some() {
        return Err(CommandFailure::usage("--from and --to: this map is flat, expected X,Z"));
    }
    let y = floor_y_m.or(place.y).unwrap_or(0.0);
    Ok(Vec3::new(place.x as f32, y as f32, place.z as f32))
}
