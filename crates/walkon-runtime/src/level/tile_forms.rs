//! Value formats of tile maps: layouts, projections, terrain, ways out.
//!
//! In: a value with its place. Out: its meaning, or findings. Holds: the layout decides which words after it
//! mean something. Not here: the keys (`def`), the words (`tile_layout`).

use serde_json::{Value, json};

use super::choices::Choices as _;
use super::diagnostic::code;
use super::forms::choice;
use super::json::{JsonReader, JsonValue};
use super::object::{Form, SchemaParts};
use super::ordered_json::OrderedJson;
use super::tile_layout::{Heading, Projection, TileLayout};
use crate::world::tiles::Terrain;

/// Words after the layout depend on it.
pub(crate) fn keep_layout(reader: &mut JsonReader<'_>, _node: JsonValue<'_, '_>, layout: &TileLayout) {
    reader.around.layout = *layout;
}

/// Only square tiles are shown as diamonds.
pub(crate) fn check_projection(
    reader: &mut JsonReader<'_>,
    node: JsonValue<'_, '_>,
    projection: &Projection,
) {
    if *projection == Projection::Isometric && !reader.around.layout.is_square() {
        let name = reader.around.layout.name();
        let what = format!(
            "is \"isometric\", which shows square tiles, but the layout is \"{name}\", expected \"flat\""
        );
        reader.error(code::CHOICE, node, what);
    }
}

/// The name of a terrain.
pub(crate) struct TerrainName;

impl Form for TerrainName {
    type Value = Terrain;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<Terrain> {
        reader.choice(node, &Terrain::ALL.map(|terrain| (terrain.name(), terrain)))
    }

    fn schema(&self, parts: &mut SchemaParts) -> Value {
        parts.named("Terrain", |_| {
            json!({
                "description": "What the ground is made of, and with it what a metre costs.",
                "type": "string", "enum": Terrain::ALL.map(Terrain::name)
            })
        })
    }

    fn write(&self, terrain: &Terrain) -> OrderedJson {
        OrderedJson::Leaf(json!(terrain.name()))
    }
}

/// The directions in which alone a tile may be left: one, or a list.
pub(crate) struct OneWayForm;

impl Form for OneWayForm {
    type Value = Vec<Heading>;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<Vec<Heading>> {
        let exits = reader.around.layout.exits();
        // From north on, as people count them.
        let headings = Heading::ALL.iter().cycle().skip(6).take(Heading::ALL.len());
        let known: Vec<(&'static str, Heading)> = headings
            .map(|(word, heading, _)| (*word, *heading))
            .filter(|(_, heading)| exits.contains(&Some(*heading)))
            .collect();
        if node.text.starts_with('[') {
            reader.list(node, known.len(), |r, n| r.choice(n, &known))
        } else {
            reader.choice(node, &known).map(|heading| vec![heading])
        }
    }

    fn schema(&self, parts: &mut SchemaParts) -> Value {
        parts.named("OneWay", |parts| {
            let heading = choice::<Heading>().schema(parts);
            json!({
                "description": "A direction, or a list of directions.",
                "anyOf": [heading, { "type": "array", "items": heading, "maxItems": Heading::ALL.len() }]
            })
        })
    }

    fn write(&self, ways: &Vec<Heading>) -> OrderedJson {
        OrderedJson::from(json!(ways.iter().map(|way| way.name()).collect::<Vec<_>>()))
    }
}
