//! Areas and obstacles: polygons of ground.
//!
//! In: lists of areas in a map of polygons. Out: [`AreaDef`]s. Holds: an obstacle that encloses nothing takes
//! nothing away, an area that encloses nothing is an error. Not here: how outlines are read (`forms`), what
//! their names stand for (`resolve`).

use std::marker::PhantomData;

use serde_json::Value;

use super::diagnostic::{Located, code};
use super::forms::{Heights, Name, Outline, Truth, list};
use super::json::{JsonReader, JsonValue};
use super::numbers;
use super::object::{Form, Object, SchemaParts, object};
use crate::base::geom::Point;

/// Most areas, obstacles, regions, doors or routes, each.
pub const POLYGONS_MAX: usize = 10_000;

object! {
    (reader, fields)
    /// An area or an obstacle.
    pub struct AreaDef as "Area" {
        /// Name, one of its kind in the level.
        "name" => name: Located<String> [required Name];
        /// Corners `[x, z]` in metres, in either direction; the last may repeat the first.
        "polygon" => polygon: Vec<Point> [required Outline];
        /// Whether it is there when the level begins.
        "available" => available: Option<bool> [optional Truth, shows true];
        /// Price of a metre on it. Obstacles have none.
        "cost" => cost: f64 [numbers::COST];
        /// Whether it hides what lies behind it. When left out, an obstacle does while it is there and an
        /// area while it is not there: closed doors hide. `false`: never, like a low table or a gate of bars;
        /// `true`: an area does while one can walk in it, too, like reeds.
        "blocksSight" => blocks_sight: Option<bool> [optional Truth];
    }
    plus {
        /// Least and greatest height of the ground that belongs to it, on maps with heights, metres; None for
        /// any height.
        heights_m: Option<[f64; 2]> = None;
        /// Where `available` stands, else where the area stands.
        available_spot: Located<()> = Located::new((), reader.span_of(fields, "available"));
    }
}

object! {
    (reader, fields)
    /// An area or an obstacle of a map with heights: a mesh or a graph.
    pub(crate) struct FloorArea as "FloorArea" {
        /// Name, one of its kind in the level.
        "name" => name: Located<String> [required Name];
        /// Corners `[x, z]` in metres, in either direction.
        "polygon" => polygon: Vec<Point> [required Outline];
        /// Whether it is there when the level begins.
        "available" => available: Option<bool> [optional Truth, shows true];
        /// Price of a metre on it. Obstacles have none.
        "cost" => cost: f64 [numbers::COST];
        /// Whether it hides what lies behind it. When left out, an obstacle does while it is there and an
        /// area while it is not there: closed doors hide. `false`: never, like a low table or a gate of bars;
        /// `true`: an area does while one can walk in it, too, like reeds.
        "blocksSight" => blocks_sight: Option<bool> [optional Truth];
        /// Least and greatest height of the ground or the links that belong to it, metres; any height when
        /// left out.
        "heights" => heights_m: Option<[f64; 2]> [optional Heights];
    }
    plus {
        available_spot: Located<()> = Located::new((), reader.span_of(fields, "available"));
    }
}

impl From<FloorArea> for AreaDef {
    fn from(area: FloorArea) -> Self {
        let FloorArea { name, polygon, available, cost, blocks_sight, heights_m, available_spot } = area;
        Self { name, polygon, available, cost, blocks_sight, heights_m, available_spot }
    }
}

/// What areas have and obstacles have not.
const PRICE: &str = "cost";

/// The areas or the obstacles of a map, declared as some object.
pub(crate) struct Areas<T> {
    is_obstacle: bool,
    is_filled: bool,
    object: PhantomData<T>,
}

impl<T> Areas<T> {
    /// Areas; at least one is required.
    pub(crate) const fn filled() -> Self {
        Self { is_obstacle: false, is_filled: true, object: PhantomData }
    }

    /// Areas; there may be none.
    pub(crate) const fn any() -> Self {
        Self { is_obstacle: false, is_filled: false, object: PhantomData }
    }

    /// Ground taken away.
    pub(crate) const fn obstacles() -> Self {
        Self { is_obstacle: true, is_filled: false, object: PhantomData }
    }
}

impl<T: Object + Into<AreaDef>> Form for Areas<T> {
    type Value = Vec<AreaDef>;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<Vec<AreaDef>> {
        let mut names = T::names();
        names.retain(|name| !self.is_obstacle || *name != PRICE);
        reader.around.is_obstacle = self.is_obstacle;
        let areas = reader.list(node, POLYGONS_MAX, |reader, node| {
            let area = reader.fields(node, &names).and_then(|fields| T::read(reader, &fields));
            Some(area.unwrap_or_default().into())
        });
        reader.around.is_obstacle = false;
        let areas: Vec<AreaDef> = areas?;
        if self.is_filled && areas.is_empty() {
            reader.error(code::DEGENERATE, node, "is empty, expected at least one area");
        }
        Some(areas)
    }

    fn schema(&self, parts: &mut SchemaParts) -> Value {
        list(parts.object::<T>())
    }
}
