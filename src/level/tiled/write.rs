//! A level as the text of a level file.
//!
//! In: a [`LevelDef`] that came from a map of Tiled. Out: JSON that reads back to the same level. Holds: what
//! has its default is left out; keys stand in the order of the documentation; numbers are the shortest text
//! that reads back equal. Not here: where the text goes (`shell`).

use crate::level::def::{
    CharacterDef, DoorDef, DoorHabit, Hierarchy, LevelDef, LinkDef, LinkEnd, NavigationDef, PlaceDef,
    Position, Projection, PropsDef, RegionDef, RegionOutline, RouteDef, StaggerAxis, StaggerIndex, StopDef,
    TileLayout, TileLegendDef, TilesDef,
};
use crate::level::numbers;
use crate::world::tiles::Terrain;
use serde_json::{Value, json};

/// The text of a level file. Maps of other kinds than those that Tiled makes are left out.
#[must_use]
pub fn text(def: &LevelDef) -> String {
    let mut root = Object::default();
    root.put("name", &def.name);
    root.unless(def.tick_rate, numbers::TICK_RATE.default as u32, "tickRate");
    root.unless(def.seed, numbers::SEED.default as u64, "seed");
    if let NavigationDef::Tiles(tiles) = &def.navigation {
        root.add("navigation", navigation(tiles));
    }
    root.list("doors", def.doors.iter().map(door));
    root.map("marks", def.marks.iter().map(|mark| (mark.name.value.clone(), place(&mark.place))));
    root.map("routes", def.routes.iter().map(|one| (one.name.value.clone(), route(one))));
    root.list("regions", def.regions.iter().map(region));
    root.list("characters", def.characters.iter().map(character));
    if let Some(script) = &def.script {
        root.put("script", &script.value);
    }
    root.unless(def.path_budget, numbers::PATH_BUDGET.default as u32, "pathBudget");
    let mut out = String::new();
    write(&mut out, &OrderedJson::Object(root), 0);
    out.push('\n');
    out
}

/// JSON whose keys keep their order.
enum OrderedJson {
    Leaf(Value),
    List(Vec<OrderedJson>),
    Object(Object),
}

/// Keys in the order in which they are put.
#[derive(Default)]
struct Object(Vec<(String, OrderedJson)>);

impl Object {
    fn add(&mut self, key: &str, value: OrderedJson) {
        self.0.push((key.to_owned(), value));
    }

    fn put(&mut self, key: &str, value: impl serde::Serialize) {
        // What is put is text, numbers and lists of them: it always has a JSON form.
        self.add(key, tree(serde_json::to_value(value).unwrap_or_default()));
    }

    fn unless<T: PartialEq + serde::Serialize>(&mut self, value: T, default: T, key: &str) {
        if value != default {
            self.put(key, value);
        }
    }

    fn list(&mut self, key: &str, values: impl Iterator<Item = OrderedJson>) {
        let values: Vec<OrderedJson> = values.collect();
        if !values.is_empty() {
            self.add(key, OrderedJson::List(values));
        }
    }

    fn map(&mut self, key: &str, values: impl Iterator<Item = (String, OrderedJson)>) {
        let values: Vec<(String, OrderedJson)> = values.collect();
        if !values.is_empty() {
            self.add(key, OrderedJson::Object(Self(values)));
        }
    }
}

/// A value as a tree: lists apart, and whole numbers without a fraction.
fn tree(value: Value) -> OrderedJson {
    match value {
        Value::Array(list) => OrderedJson::List(list.into_iter().map(tree).collect()),
        Value::Object(map) => {
            OrderedJson::Object(Object(map.into_iter().map(|(key, value)| (key, tree(value))).collect()))
        }
        Value::Number(number) => {
            let whole = number.as_f64().filter(|value| *value == value.trunc() && value.abs() < 1e15);
            OrderedJson::Leaf(whole.map_or(Value::Number(number), |whole| Value::from(whole as i64)))
        }
        leaf => OrderedJson::Leaf(leaf),
    }
}

fn navigation(tiles: &TilesDef) -> OrderedJson {
    let mut map = Object::default();
    map.put("kind", "tiles");
    map.unless(tiles.layout.name(), TileLayout::default().name(), "layout");
    if tiles.projection == Projection::Isometric {
        map.put("projection", "isometric");
    }
    if tiles.stagger_index == StaggerIndex::Even {
        map.put("staggerIndex", "even");
    }
    if tiles.stagger_axis == StaggerAxis::X {
        map.put("staggerAxis", "x");
    }
    map.unless(tiles.tile_width_m, numbers::TILE_SIZE.default, "tileWidth");
    map.unless(tiles.tile_height_m, numbers::TILE_SIZE.default, "tileHeight");
    map.unless(tiles.sizes.agent_radius_m, numbers::AGENT_RADIUS.default, "agentRadius");
    map.unless(tiles.sizes.floor_y_m, numbers::FLOOR_Y.default, "floorY");
    map.unless(tiles.origin, [0.0, 0.0], "origin");
    match tiles.hierarchy {
        Hierarchy::Auto => {}
        Hierarchy::On => map.put("hierarchy", "on"),
        Hierarchy::Off => map.put("hierarchy", "off"),
    }
    map.map("legend", tiles.legend.iter().map(|(letter, entry)| (letter.value.to_string(), legend(entry))));
    map.list(
        "layers",
        tiles.layers.iter().map(|layer| {
            let mut entry = Object::default();
            entry.put("name", &layer.name.value);
            entry.list(
                "rows",
                layer.rows.iter().map(|row| OrderedJson::Leaf(Value::from(row.value.as_str()))),
            );
            OrderedJson::Object(entry)
        }),
    );
    map.list("links", tiles.links.iter().map(link));
    OrderedJson::Object(map)
}

fn link(link: &LinkDef) -> OrderedJson {
    let end = |end: &LinkEnd| {
        let mut entry = Object::default();
        entry.put("layer", &end.layer.value);
        entry.put("position", position(end.position.value));
        OrderedJson::Object(entry)
    };
    let mut entry = Object::default();
    entry.add("from", end(&link.from));
    entry.add("to", end(&link.to));
    entry.unless(link.both_ways, true, "bothWays");
    entry.unless(link.cost_m, numbers::LINK_COST.default, "cost");
    OrderedJson::Object(entry)
}

fn legend(legend: &TileLegendDef) -> OrderedJson {
    let mut entry = Object::default();
    if let Some(area) = &legend.area {
        entry.put("area", &area.value);
    }
    entry.unless(legend.terrain.name(), Terrain::default().name(), "terrain");
    if let Some(cost) = legend.cost {
        entry.put("cost", cost);
    }
    if let Some(walkable) = legend.walkable {
        entry.put("walkable", walkable);
    }
    if !legend.tags.is_empty() {
        entry.put("tags", &legend.tags);
    }
    if let Some(ways) = &legend.one_way {
        entry.put("oneWay", ways.iter().map(|way| way.name()).collect::<Vec<_>>());
    }
    OrderedJson::Object(entry)
}

fn door(door: &DoorDef) -> OrderedJson {
    let mut entry = Object::default();
    entry.put("name", &door.name.value);
    entry.put("area", &door.area.value);
    entry.unless(door.open, false, "open");
    entry.unless(door.duration_s, numbers::DOOR_SECONDS.default, "seconds");
    entry.unless(door.locked, door.key.is_some(), "locked");
    if let Some(key) = &door.key {
        entry.put("key", key);
    }
    if let Some(way) = door.one_way {
        entry.put("oneWay", way);
    }
    if !door.teams.is_empty() {
        entry.put("teams", &door.teams);
    }
    props(&mut entry, &door.props);
    OrderedJson::Object(entry)
}

fn position(position: Position) -> Value {
    match position.y {
        Some(y) => json!([position.x, y, position.z]),
        None => json!([position.x, position.z]),
    }
}

fn place(place: &PlaceDef) -> OrderedJson {
    if place.facing_degrees.is_none() && place.props.is_empty() {
        return tree(position(place.position));
    }
    let mut entry = Object::default();
    entry.put("position", position(place.position));
    if let Some(facing) = place.facing_degrees {
        entry.put("facingDegrees", facing);
    }
    props(&mut entry, &place.props);
    OrderedJson::Object(entry)
}

/// What scripts are told of a thing, behind everything else.
fn props(entry: &mut Object, props: &PropsDef) {
    entry.map("props", props.iter().map(|(name, value)| (name.clone(), tree(value.value.clone()))));
}

fn route(route: &RouteDef) -> OrderedJson {
    let stops = OrderedJson::List(route.stops.iter().map(stop).collect());
    if route.props.is_empty() {
        return stops;
    }
    let mut entry = Object::default();
    entry.add("stops", stops);
    props(&mut entry, &route.props);
    OrderedJson::Object(entry)
}

fn stop(stop: &StopDef) -> OrderedJson {
    match stop {
        StopDef::Mark(name) => OrderedJson::Leaf(Value::from(name.value.as_str())),
        StopDef::Place(own) => place(own),
    }
}

fn region(region: &RegionDef) -> OrderedJson {
    let mut entry = Object::default();
    entry.put("name", &region.name.value);
    match &region.outline {
        RegionOutline::Polygon(corners) => entry.put("polygon", corners),
        RegionOutline::Circle { centre, radius_m } => {
            entry.put("centre", position(*centre));
            entry.put("radius", radius_m);
        }
    }
    if let Some(layer) = &region.layer {
        entry.put("layer", &layer.value);
    }
    props(&mut entry, &region.props);
    OrderedJson::Object(entry)
}

fn character(character: &CharacterDef) -> OrderedJson {
    let standard = CharacterDef::default();
    let mut entry = Object::default();
    entry.put("name", &character.name.value);
    entry.put("position", position(character.position.value));
    entry.unless(character.facing_degrees, standard.facing_degrees, "facingDegrees");
    entry.unless(character.radius_m, standard.radius_m, "radius");
    entry.unless(character.height_m, standard.height_m, "height");
    entry.unless(character.walk_speed_mps, standard.walk_speed_mps, "walkSpeed");
    let run = (2.0 * character.walk_speed_mps).min(numbers::RUN_SPEED.max);
    entry.unless(character.run_speed_mps, run, "runSpeed");
    entry.unless(character.rotation_speed_radps, standard.rotation_speed_radps, "rotationSpeed");
    entry.unless(character.player, false, "player");
    if !character.tags.is_empty() {
        entry.put("tags", &character.tags);
    }
    match character.doors {
        DoorHabit::Avoid => {}
        DoorHabit::Open => entry.put("doors", "open"),
        DoorHabit::Wait => entry.put("doors", "wait"),
    }
    if let Some(layer) = &character.layer {
        entry.put("layer", &layer.value);
    }
    if let Some(behaviour) = &character.behaviour {
        entry.put("behaviour", &behaviour.value);
    }
    let params = character.params.iter();
    entry.map("params", params.map(|(name, value)| (name.clone(), tree(value.value.clone()))));
    props(&mut entry, &character.props);
    OrderedJson::Object(entry)
}

/// Longest value that stays on one line.
const LINE_MAX: usize = 110;

/// Writes a value: short ones on one line, lists and objects a value a line.
fn write(out: &mut String, tree: &OrderedJson, depth: usize) {
    if let Some(line) = line(tree, LINE_MAX.saturating_sub(2 * depth)).filter(|_| depth > 0) {
        out.push_str(&line);
        return;
    }
    let indent = "  ".repeat(depth + 1);
    match tree {
        OrderedJson::Leaf(value) => out.push_str(&value.to_string()),
        OrderedJson::List(list) => {
            out.push('[');
            for (index, inner) in list.iter().enumerate() {
                out.push_str(if index == 0 { "\n" } else { ",\n" });
                out.push_str(&indent);
                write(out, inner, depth + 1);
            }
            out.push_str(&format!("\n{}]", "  ".repeat(depth)));
        }
        OrderedJson::Object(object) => {
            out.push('{');
            for (index, (key, inner)) in object.0.iter().enumerate() {
                out.push_str(if index == 0 { "\n" } else { ",\n" });
                out.push_str(&format!("{indent}{}: ", Value::from(key.as_str())));
                write(out, inner, depth + 1);
            }
            out.push_str(&format!("\n{}}}", "  ".repeat(depth)));
        }
    }
}

/// A value on one line of at most so many bytes. Rows of a drawing stand one below another, however short.
fn line(tree: &OrderedJson, bytes_max: usize) -> Option<String> {
    let text = match tree {
        OrderedJson::Leaf(value) => value.to_string(),
        OrderedJson::List(list)
            if list.len() * 2 > bytes_max || list.len() > 1 && list.iter().all(is_row) =>
        {
            return None;
        }
        OrderedJson::List(list) => {
            let parts: Option<Vec<String>> = list.iter().map(|inner| line(inner, bytes_max)).collect();
            format!("[{}]", parts?.join(", "))
        }
        OrderedJson::Object(object) if object.0.len() * 5 > bytes_max => return None,
        OrderedJson::Object(object) => {
            let part = |(key, inner): &(String, OrderedJson)| {
                Some(format!("{}: {}", Value::from(key.as_str()), line(inner, bytes_max)?))
            };
            let parts: Option<Vec<String>> = object.0.iter().map(part).collect();
            format!("{{ {} }}", parts?.join(", "))
        }
    };
    (text.len() <= bytes_max).then_some(text)
}

fn is_row(tree: &OrderedJson) -> bool {
    matches!(tree, OrderedJson::Leaf(Value::String(_)))
}
