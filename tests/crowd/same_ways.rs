//! A crowd goes the same ways whatever does not concern it.
//!
//! Goal: neither the layer of a map, nor the height of a floor, nor how a level writes the same ground, nor
//! names, nor a stranger behind walls changes where people go. Method: rooms with a lane between them, in
//! which a crowd is drawn from a seed, and the same once more with one thing changed. Places and ends of
//! walks are compared tick by tick, to the bit.

use std::collections::BTreeMap;

use walkon_runtime::base::rng::Rng;
use walkon_runtime::game::event::Event;
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::glam::Vec3;
use walkon_runtime::level::{MemorySource, load};

use crate::long_form::number;

/// Crowds that are drawn.
const CROWDS: u64 = 14;

/// Rooms at both ends of a lane that bends, a niche in it, and a cell that is walled up.
const ROOMS: [&str; 9] = [
    "................",
    "....#######.....",
    "....#.#####.....",
    "....####.##.....",
    "...............#",
    "....######.#...#",
    "....######.#...#",
    "....######......",
    "....############",
];

/// Column and row of that cell.
const WALLED_UP: (usize, usize) = (5, 2);

/// Columns and rows of the free cells.
fn free_cells() -> Vec<(usize, usize)> {
    let is_free = |x: usize, z: usize| ROOMS[z].as_bytes()[x] == b'.';
    let row = |z: usize| (0..ROOMS[z].len()).filter(move |&x| is_free(x, z)).map(move |x| (x, z));
    (0..ROOMS.len()).flat_map(row).collect()
}

/// The rooms as a level writes them.
struct Setting {
    navigation: String,
    height_m: f32,
    /// What the names of the characters begin with.
    name: &'static str,
    /// Whether another character, which is made last, stands in the cell that is walled up.
    has_stranger: bool,
}

impl Setting {
    fn of(navigation: String, height_m: f32) -> Self {
        Self { navigation, height_m, name: "c", has_stranger: false }
    }
}

/// The rooms as the last of so many layers of tiles.
fn tiles(layers: usize, height_m: f32) -> Setting {
    let rows = ROOMS.map(|row| format!("\"{row}\"")).join(", ");
    let names = (1..layers).map(|number| format!("below{number}")).chain(["rooms".to_owned()]);
    let layers: Vec<String> =
        names.map(|name| format!(r#"{{ "name": "{name}", "rows": [{rows}] }}"#)).collect();
    let layers = layers.join(", ");
    let navigation = format!(r#"{{ "kind": "tiles", "floorY": {height_m}, "layers": [{layers}] }}"#);
    Setting::of(navigation, height_m)
}

/// The rooms as a mesh of squares.
fn mesh(height_m: f32) -> Setting {
    let (columns, rows) = (ROOMS[0].len() + 1, ROOMS.len() + 1);
    let vertex = |z: usize, x: usize| format!("[{x}, {height_m}, {z}]");
    let vertices: Vec<String> = (0..rows).flat_map(|z| (0..columns).map(move |x| vertex(z, x))).collect();
    let polygon = |(x, z): (usize, usize)| {
        let corner = z * columns + x;
        format!("{:?}", [corner, corner + columns, corner + columns + 1, corner + 1])
    };
    let polygons: Vec<String> = free_cells().into_iter().map(polygon).collect();
    let (vertices, polygons) = (vertices.join(", "), polygons.join(", "));
    let navigation = format!(r#"{{ "kind": "mesh", "vertices": [{vertices}], "polygons": [{polygons}] }}"#);
    Setting::of(navigation, height_m)
}

/// The rooms as a graph, with a point in the middle of every free cell.
fn graph(height_m: f32) -> Setting {
    let cells = free_cells();
    let points: Vec<String> = cells.iter().map(|(x, z)| format!("[{x}.5, {height_m}, {z}.5]")).collect();
    let at = |cell: (usize, usize)| cells.iter().position(|&other| other == cell);
    let links = cells.iter().enumerate().flat_map(|(from, &(x, z))| {
        let beside = [(x + 1, z), (x, z + 1), (x + 1, z + 1)].map(at);
        let is_square = beside.iter().all(Option::is_some);
        let beside = if is_square { beside.to_vec() } else { beside[..2].to_vec() };
        beside.into_iter().flatten().map(move |to| format!("[{from}, {to}]"))
    });
    let (points, links) = (points.join(", "), links.collect::<Vec<_>>().join(", "));
    let navigation =
        format!(r#"{{ "kind": "graph", "width": 0.4, "points": [{points}], "links": [{links}] }}"#);
    Setting::of(navigation, height_m)
}

/// The rooms as rows of cells.
fn ascii(height_m: f32) -> Setting {
    let rows = ROOMS.map(|row| format!("\"{row}\"")).join(", ");
    let navigation = format!(
        r#"{{ "kind": "ascii", "cellSize": 1, "agentRadius": 0, "objectPadding": 0, "floorY": {height_m},
            "rows": [{rows}] }}"#
    );
    Setting::of(navigation, height_m)
}

/// The rooms as an area with an obstacle in every cell that is not free.
fn grid(height_m: f32) -> Setting {
    let free = free_cells();
    let rectangle = |x: usize, z: usize, [width, depth]: [usize; 2]| {
        let (right, far) = (x + width, z + depth);
        format!(r#""polygon": [[{x}, {z}], [{right}, {z}], [{right}, {far}], [{x}, {far}]] }}"#)
    };
    let all = (0..ROOMS.len()).flat_map(|z| (0..ROOMS[z].len()).map(move |x| (x, z)));
    let walls = all.filter(|cell| !free.contains(cell));
    let walls: Vec<String> =
        walls.map(|(x, z)| format!(r#"{{ "name": "wall{x}_{z}", {}"#, rectangle(x, z, [1, 1]))).collect();
    let (floor, walls) = (rectangle(0, 0, [ROOMS[0].len(), ROOMS.len()]), walls.join(", "));
    let navigation = format!(
        r#"{{ "kind": "grid", "cellSize": 1, "agentRadius": 0, "objectPadding": 0, "floorY": {height_m},
            "areas": [{{ "name": "floor", {floor}], "obstacles": [{walls}] }}"#
    );
    Setting::of(navigation, height_m)
}

/// Nine characters at places of their own, and orders for five: four walk, one follows the first.
fn drawn_crowd(seed: u64, setting: &Setting) -> (String, String) {
    let mut rng = Rng::stream(seed, "rooms");
    let free: Vec<(usize, usize)> = free_cells().into_iter().filter(|&cell| cell != WALLED_UP).collect();
    let mut drawn = || free[rng.below(free.len() as u64) as usize];
    let mut places = Vec::new();
    while places.len() < 9 {
        let place = drawn();
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let layer = if setting.navigation.contains("tiles") { r#", "layer": "rooms""# } else { "" };
    let Setting { name, height_m: y, .. } = setting;
    let mut cells = places.clone();
    cells.extend(setting.has_stranger.then_some(WALLED_UP));
    let person = |(number, (x, z)): (usize, &(usize, usize))| {
        format!(r#"{{ "name": "{name}{number}", "position": [{x}.5, {y}, {z}.5], "radius": 0.3{layer} }}"#)
    };
    let people: Vec<String> = cells.iter().enumerate().map(person).collect();
    let walk = |number: usize| {
        let (x, z) = drawn();
        format!("world.character(\"{name}{number}\"):walkTo(vector.create({x}.5, {y}, {z}.5))")
    };
    let mut orders: Vec<String> = (0..4).map(walk).collect();
    orders.push(format!(
        "world.character(\"{name}4\"):follow(world.character(\"{name}0\"), {{ keep = true }})"
    ));
    (people.join(", "), format!("function onStart()\n{}\nend", orders.join("\n")))
}

/// Where everybody is after every tick of a drawn crowd, and how walks end.
fn told(seed: u64, setting: &Setting) -> Vec<String> {
    let (people, script) = drawn_crowd(seed, setting);
    let navigation = &setting.navigation;
    let json =
        format!(r#"{{ "navigation": {navigation}, "script": "level.lua", "characters": [{people}] }}"#);
    let level = load("rooms.json", &MemorySource::new().with("rooms.json", json.as_str()));
    let level = level.unwrap_or_else(|refused| panic!("{refused:?}"));
    let scripts = BTreeMap::from([("level.lua".to_owned(), script)]);
    let mut game = Game::load(level, Setup { scripts, ..Setup::default() }).unwrap();
    let mut told = Vec::new();
    for _ in 0..1200 {
        let tick = game.tick(&[]);
        let ends: Vec<&str> = tick.events.iter().filter_map(end_of).collect();
        let up = Vec3::Y * setting.height_m;
        let places = game
            .world()
            .characters()
            .take(9)
            .map(|(_, character)| format!("{:?} {}", character.body.position - up, character.facing_rad));
        told.push(format!("{:?} {ends:?}", places.collect::<Vec<_>>()));
    }
    told
}

fn end_of(event: &Event) -> Option<&'static str> {
    match event {
        Event::WalkSettled(result) => Some(result.reason().name()),
        _ => None,
    }
}

/// Fails where a crowd does not go the same ways in all of some settings.
fn assert_same_ways(settings: &[(&str, Setting)]) {
    for seed in 0..number("CROWDS", CROWDS) {
        let all: Vec<Vec<String>> = settings.iter().map(|(_, setting)| told(seed, setting)).collect();
        for ((name, _), told) in settings.iter().zip(&all).skip(1) {
            let differs = all[0].iter().zip(told).position(|(first, other)| first != other);
            let places = differs.map(|tick| (&all[0][tick], &told[tick]));
            assert_eq!(differs, None, "seed {seed}, {}, {name}: {places:#?}", settings[0].0);
        }
    }
}

#[test]
fn a_crowd_goes_the_same_ways_on_tiles_of_whatever_layer_and_height() {
    let settings = [("ground", tiles(1, 0.0)), ("above", tiles(2, 0.0)), ("high", tiles(3, 8.0))];
    assert_same_ways(&settings);
}

#[test]
fn a_crowd_goes_the_same_ways_whatever_the_names_and_whoever_is_behind_walls() {
    let isometric =
        tiles(1, 0.0).navigation.replace("\"tiles\",", "\"tiles\", \"projection\": \"isometric\",");
    assert_same_ways(&[
        ("tiles", tiles(1, 0.0)),
        ("shown isometric", Setting::of(isometric, 0.0)),
        ("other names", Setting { name: "zoe", ..tiles(1, 0.0) }),
        ("a stranger", Setting { has_stranger: true, ..tiles(1, 0.0) }),
    ]);
    let stranger = Setting { has_stranger: true, ..mesh(0.0) };
    assert_same_ways(&[("mesh", mesh(0.0)), ("a stranger", stranger)]);
}

#[test]
fn a_crowd_goes_the_same_ways_on_a_mesh_at_whatever_height() {
    assert_same_ways(&[("ground", mesh(0.0)), ("high", mesh(8.0)), ("low", mesh(-64.0))]);
}

#[test]
fn a_crowd_goes_the_same_ways_on_a_graph_at_whatever_height() {
    assert_same_ways(&[("ground", graph(0.0)), ("high", graph(8.0)), ("low", graph(-64.0))]);
}

#[test]
fn a_crowd_goes_the_same_ways_on_cells_that_are_written_or_cut_from_areas() {
    assert_same_ways(&[("rows", ascii(0.0)), ("areas", grid(0.0)), ("high areas", grid(8.0))]);
}
