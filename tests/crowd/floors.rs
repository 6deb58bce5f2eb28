//! A crowd goes the same ways on whatever floor it is.
//!
//! Goal: neither the layer of a map nor the height of a floor changes where people go. Method: rooms with a
//! lane between them, in which a crowd is drawn from a seed; the same rooms as the ground, on layers above
//! it, and higher up. Places and ends of walks are compared tick by tick, to the bit.

use std::collections::BTreeMap;

use walkon_runtime::base::rng::Rng;
use walkon_runtime::game::event::Event;
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::glam::Vec3;
use walkon_runtime::level::{MemorySource, load};

/// Rooms at both ends of a lane that bends, and a niche in it.
const ROOMS: [&str; 9] = [
    "................",
    "....#######.....",
    "....#######.....",
    "....####.##.....",
    "...............#",
    "....######.#...#",
    "....######.#...#",
    "....######......",
    "....############",
];

/// Columns and rows of the free cells.
fn free_cells() -> Vec<(usize, usize)> {
    let row =
        |z: usize| (0..ROOMS[z].len()).filter(move |&x| ROOMS[z].as_bytes()[x] == b'.').map(move |x| (x, z));
    (0..ROOMS.len()).flat_map(row).collect()
}

/// Where the rooms lie.
struct Floor {
    navigation: String,
    height_m: f32,
}

/// The rooms as the last of so many layers of tiles.
fn tiles(layers: usize, height_m: f32) -> Floor {
    let rows = ROOMS.map(|row| format!("\"{row}\"")).join(", ");
    let names = (1..layers).map(|number| format!("below{number}")).chain(["rooms".to_owned()]);
    let layers: Vec<String> =
        names.map(|name| format!(r#"{{ "name": "{name}", "rows": [{rows}] }}"#)).collect();
    let layers = layers.join(", ");
    let navigation = format!(r#"{{ "kind": "tiles", "floorY": {height_m}, "layers": [{layers}] }}"#);
    Floor { navigation, height_m }
}

/// The rooms as a mesh of squares.
fn mesh(height_m: f32) -> Floor {
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
    Floor { navigation, height_m }
}

/// Nine characters at places of their own, and orders for five: four walk, one follows the first.
fn drawn_crowd(seed: u64, floor: &Floor, radius_m: f32) -> (String, String) {
    let mut rng = Rng::stream(seed, "floors");
    let free = free_cells();
    let mut drawn = || free[rng.below(free.len() as u64) as usize];
    let mut places = Vec::new();
    while places.len() < 9 {
        let place = drawn();
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let layer = if floor.navigation.contains("tiles") { r#", "layer": "rooms""# } else { "" };
    let y = floor.height_m;
    let people = places.iter().enumerate().map(|(number, (x, z))| {
        format!(r#"{{ "name": "c{number}", "position": [{x}.5, {y}, {z}.5], "radius": {radius_m}{layer} }}"#)
    });
    let people: Vec<String> = people.collect();
    let walk = |number: usize| {
        let (x, z) = drawn();
        format!("world.character(\"c{number}\"):walkTo(vector.create({x}.5, {y}, {z}.5))")
    };
    let mut orders: Vec<String> = (0..4).map(walk).collect();
    orders.push("world.character(\"c4\"):follow(world.character(\"c0\"), { keep = true })".to_owned());
    (people.join(", "), format!("function onStart()\n{}\nend", orders.join("\n")))
}

/// Where everybody is after every tick of a drawn crowd, and how walks end.
fn told(seed: u64, floor: &Floor) -> Vec<String> {
    let (people, script) = drawn_crowd(seed, floor, 0.3);
    let navigation = &floor.navigation;
    let json =
        format!(r#"{{ "navigation": {navigation}, "script": "level.lua", "characters": [{people}] }}"#);
    let level = load("floors.json", &MemorySource::new().with("floors.json", json.as_str()));
    let level = level.unwrap_or_else(|refused| panic!("{refused:?}"));
    let scripts = BTreeMap::from([("level.lua".to_owned(), script)]);
    let mut game = Game::load(level, Setup { scripts, ..Setup::default() }).unwrap();
    let mut told = Vec::new();
    for _ in 0..1800 {
        let tick = game.tick(&[]);
        let ends: Vec<&str> = tick.events.iter().filter_map(end_of).collect();
        let up = Vec3::Y * floor.height_m;
        let places = game
            .world()
            .characters()
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

/// Fails where a crowd does not go the same ways on all of some floors.
fn assert_same_ways(floors: &[(&str, Floor)]) {
    for seed in 0..40 {
        let all: Vec<Vec<String>> = floors.iter().map(|(_, floor)| told(seed, floor)).collect();
        for ((name, _), told) in floors.iter().zip(&all).skip(1) {
            let differs = all[0].iter().zip(told).position(|(first, other)| first != other);
            let places = differs.map(|tick| (&all[0][tick], &told[tick]));
            assert_eq!(differs, None, "seed {seed}, {}, {name}: {places:#?}", floors[0].0);
        }
    }
}

#[test]
fn a_crowd_goes_the_same_ways_on_tiles_of_whatever_layer_and_height() {
    let floors = [("ground", tiles(1, 0.0)), ("above", tiles(2, 0.0)), ("high", tiles(3, 8.0))];
    assert_same_ways(&floors);
}

#[test]
fn a_crowd_goes_the_same_ways_on_a_mesh_at_whatever_height() {
    assert_same_ways(&[("ground", mesh(0.0)), ("high", mesh(8.0)), ("low", mesh(-64.0))]);
}
