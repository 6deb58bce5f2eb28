//! Brushes on every kind of map of tiles.
//!
//! Goal: what is painted is the tile under the pointer, however tiles lie and are shown, and nothing else.
//! Method: small maps of every layout, drawn in a level or by Tiled; the pointer is asked about hundreds of
//! places and compared with the map that the runtime made; then the brush is used, and the levels of the
//! files before and after differ in the tiles that were touched. A stroke is as fast as a mouse can be: the
//! window hears of its ends and its middle.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use walkon_runtime::level::{self, MemorySource};
use walkon_runtime::world::World;
use walkon_runtime::world::tiles::TileSpot;

use super::browser::{self, Browser, Page};
use super::gestures::{spot_of, until};
use super::hand::Viewed;
use super::page::{at_ease, at_rest, settled};

const COLUMNS: u32 = 7;
const ROWS: u32 = 6;
/// Places that the pointer is asked about, on each map.
const PLACES: u32 = 300;

/// A level by its files, the first one that which is opened; which of them is painted, and with what.
struct Painted {
    name: String,
    files: Vec<(&'static str, String)>,
    map: &'static str,
    brush: &'static str,
    /// Columns and rows that the painted layer is drawn away from its place.
    offset: [i64; 2],
}

/// Numbers as good as random, the same every time.
struct Numbers(u64);

impl Numbers {
    /// From 0 to 1.
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / f64::from(1 << 24)
    }
}

/// A map drawn with characters, of two layers, and one of its brushes: terrain, cost, or one-way ground of a
/// cost.
fn drawn(keys: &str, brush: &'static str) -> Painted {
    let way = match keys {
        keys if keys.contains("hexPointy") => "east",
        keys if keys.contains("staggered") => "southEast",
        _ => "south",
    };
    let rows = |letter: &str| vec![format!("        \"{}\"", letter.repeat(COLUMNS as usize)); ROWS as usize];
    let text = format!(
        "{{\n  \"navigation\": {{\n    \"kind\": \"tiles\", {keys},\n    \"origin\": [ 2, -3 ],\n    \
         \"legend\": {{\n      \"~\": {{ \"terrain\": \"water\" }},\n      \",\": {{ \"cost\": 1.6 }},\n      \
         \"v\": {{ \"oneWay\": \"{way}\", \"cost\": 1.3 }}\n    }},\n    \"layers\": [\n      {{ \"name\": \"ground\", \"rows\": [\n{}\n      ] }},\n      \
         {{ \"rows\": [\n{}\n      ], \"name\": \"upper\" }}\n    ]\n  }}\n}}\n",
        rows(".").join(",\n"),
        rows("#").join(",\n")
    );
    Painted {
        name: keys.to_owned(),
        files: vec![("level.json", text)],
        map: "level.json",
        brush,
        offset: [0, 0],
    }
}

/// A map of Tiled; its third tile stands nowhere yet.
fn tiled(keys: &str, flip: Option<bool>) -> Painted {
    let row = "1,".repeat(COLUMNS as usize);
    let cells = vec![row; ROWS as usize].join("\n");
    let map = format!(
        "<?xml version=\"1.0\"?>\n<map version=\"1.10\" {keys} width=\"{COLUMNS}\" height=\"{ROWS}\" infinite=\"0\">\n \
         <tileset firstgid=\"1\" name=\"t\" tilewidth=\"16\" tileheight=\"16\" tilecount=\"4\" columns=\"4\">\n  \
         <tile id=\"2\">\n   <properties>\n    <property name=\"blocked\" type=\"bool\" value=\"true\"/>\n   </properties>\n  \
         </tile>\n </tileset>\n <layer id=\"1\" name=\"floor\" width=\"{COLUMNS}\" height=\"{ROWS}\">\n  <data encoding=\"csv\">\n{}\n\
         </data>\n </layer>\n</map>\n",
        cells.trim_end_matches(',')
    );
    let mut files = vec![("map.tmx", map)];
    if let Some(flip) = flip {
        let level = json!({ "navigation": { "kind": "tiled", "file": "map.tmx", "flip": flip } });
        files.insert(0, ("level.json", level.to_string()));
    }
    Painted { name: format!("{keys} {flip:?}"), files, map: "map.tmx", brush: "brush-3", offset: [0, 0] }
}

/// A map of Tiled whose layer is drawn elsewhere: pixels in its file, tiles in the world.
fn moved(keys: &str, flip: Option<bool>, px: [i64; 2], tiles: [i64; 2]) -> Painted {
    let mut painted = tiled(keys, flip);
    let attributes = format!("name=\"floor\" offsetx=\"{}\" offsety=\"{}\"", px[0], px[1]);
    for (_, text) in &mut painted.files {
        *text = text.replace("name=\"floor\"", &attributes);
    }
    Painted { name: format!("{} moved {px:?}", painted.name), offset: tiles, ..painted }
}

/// The level of the files as they are now.
fn world_of(viewed: &Viewed, painted: &Painted) -> World {
    let read =
        |(name, _): &(&'static str, String)| (*name, std::fs::read_to_string(viewed.file(name)).unwrap());
    let source = painted
        .files
        .iter()
        .map(read)
        .fold(MemorySource::new(), |source, (name, text)| source.with(name, text));
    let level = level::load(painted.files[0].0, &source)
        .unwrap_or_else(|refused| panic!("{}: {refused}", painted.name));
    level::spawn::build(level, None).world
}

fn tile_at(world: &World, place: [f64; 2]) -> Option<[u32; 2]> {
    world.nav().cells().unwrap().frame().tile_at(place)
}

/// The same where all around a place, so near that it makes no difference, is the same tile.
fn clear_tile_at(world: &World, [x, z]: [f64; 2], near_m: f64) -> Option<Option<[u32; 2]>> {
    let tile = tile_at(world, [x, z]);
    let around = [[near_m, 0.0], [-near_m, 0.0], [0.0, near_m], [0.0, -near_m]];
    around.iter().all(|[dx, dz]| tile_at(world, [x + dx, z + dz]) == tile).then_some(tile)
}

/// The tiles of the first layer that are other ones.
fn changed(before: &World, after: &World) -> BTreeSet<[u32; 2]> {
    let tile = |world: &World, [column, row]: [u32; 2]| {
        world.tiles().unwrap().tile(TileSpot { layer: 0, column, row }).cloned().unwrap()
    };
    let all = (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| [column, row]));
    all.filter(|at| tile(before, *at) != tile(after, *at)).collect()
}

/// The place of a tile on the painted layer; none where the layer does not reach.
fn on_layer([column, row]: [u32; 2], offset: [i64; 2]) -> Option<[i64; 2]> {
    let [column, row] = [i64::from(column) - offset[0], i64::from(row) - offset[1]];
    let is_there = (0..i64::from(COLUMNS)).contains(&column) && (0..i64::from(ROWS)).contains(&row);
    is_there.then_some([column, row])
}

/// A place on the map and its tile.
fn place_on(world: &World, numbers: &mut Numbers, near_m: f64, offset: [i64; 2]) -> ([f64; 2], [u32; 2]) {
    let bounds = world.nav().bounds();
    loop {
        let place =
            [0, 1].map(|axis| bounds.min[axis] + (bounds.max[axis] - bounds.min[axis]) * numbers.share());
        if let Some(Some(tile)) = clear_tile_at(world, place, near_m)
            && on_layer(tile, offset).is_some()
        {
            return (place, tile);
        }
    }
}

fn hits(page: &mut Page, world: &World, Painted { name, offset, .. }: &Painted) {
    let mut numbers = Numbers(7);
    let bounds = world.nav().bounds();
    let places: Vec<[f64; 2]> = (0..PLACES)
        .map(|_| {
            [0, 1].map(|axis| {
                bounds.min[axis] - 0.5 + (bounds.max[axis] - bounds.min[axis] + 1.0) * numbers.share()
            })
        })
        .collect();
    let told = page.value(&format!("{}.map(place => window.walkon.tileAt(place))", json!(places)));
    for (place, told) in places.iter().zip(told.as_array().unwrap()) {
        let Some(expected) = clear_tile_at(world, *place, 1e-3) else { continue };
        // Off the layer there may be tiles of it beyond the map.
        let Some(tile) = expected else {
            assert!(*offset != [0, 0] || told.is_null(), "{name}: at {place:?}, which is off the map");
            continue;
        };
        assert_eq!(told, &json!(on_layer(tile, *offset)), "{name}: at {place:?}");
    }
}

fn law(browser: &Browser, painted: &Painted) {
    let project = tempfile::tempdir().unwrap();
    for (file, text) in &painted.files {
        std::fs::write(project.path().join(file), text).unwrap();
    }
    let viewed = Viewed::of(project, painted.files[0].0, &["--paused"]);
    let mut page = settled(browser.open(&viewed.address));
    let name = &painted.name;
    let map = viewed.file(painted.map);
    let text = || std::fs::read_to_string(&map).unwrap();
    let first = world_of(&viewed, painted);
    page.press("tab-edit");
    page.press("paint");
    page.press(painted.brush);
    hits(&mut page, &first, painted);
    let [wide, deep] = first.nav().cells().unwrap().frame().tile_size_m();
    let near_m = wide.min(deep) / 12.0;
    let mut numbers = Numbers(11);
    let mut steps = Vec::new();
    // Clicks.
    for _ in 0..2 {
        let before = world_of(&viewed, painted);
        let (place, tile) = place_on(&before, &mut numbers, near_m, painted.offset);
        if steps.iter().any(|(_, tiles): &(String, BTreeSet<[u32; 2]>)| tiles.contains(&tile)) {
            continue;
        }
        let was = text();
        at_rest(&mut page);
        let spot = spot_of(&mut page, [place[0], 0.0, place[1]]);
        page.click(spot, 0);
        until(&format!("{name}: a tile at {place:?}"), || text() != was);
        let tiles = changed(&before, &world_of(&viewed, painted));
        assert_eq!(tiles, BTreeSet::from([tile]), "{name}: at {place:?}");
        steps.push((was, tiles));
    }
    // A stroke across the map.
    let before = world_of(&viewed, painted);
    let [from, to] = [[1, 4], [COLUMNS - 2, 1]].map(|tile| {
        let [x, z] = before.nav().cells().unwrap().frame().tile_centre(tile).unwrap();
        [x + 0.07 * wide, z + 0.11 * deep]
    });
    let mut crossed: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for step in 0..=1000 {
        let share = f64::from(step) / 1000.0;
        let place = [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * share);
        *crossed.entry(tile_at(&before, place).unwrap()).or_default() += 1;
    }
    let was = text();
    at_rest(&mut page);
    let ends = [from, to].map(|[x, z]| spot_of(&mut page, [x, 0.0, z]));
    page.drag(ends, "left");
    until(&format!("{name}: a stroke"), || text() != was);
    let tiles = changed(&before, &world_of(&viewed, painted));
    let earlier = |tile: &[u32; 2]| steps.iter().any(|(_, tiles)| tiles.contains(tile));
    for tile in &tiles {
        assert!(crossed.contains_key(tile), "{name}: {tile:?} is not on the way of the stroke");
    }
    for (tile, share) in &crossed {
        let is_clear = *share >= 25 && !earlier(tile);
        assert!(!is_clear || tiles.contains(tile), "{name}: the stroke left {tile:?} out: {tiles:?}");
    }
    assert_eq!(text().lines().count(), was.lines().count(), "{name}: the lines of the file");
    assert_eq!(text().len(), was.len(), "{name}: nothing else was written");
    steps.push((was, tiles));
    // Back again.
    for (text_before, _) in steps.into_iter().rev() {
        at_rest(&mut page);
        page.click_on("undo");
        until(&format!("{name}: a step back"), || text() == text_before);
    }
    at_ease(&mut page);
    page.close();
}

#[test]
fn brushes_hit_the_tile_under_the_pointer_however_tiles_lie() {
    let Some(program) = browser::program() else { return };
    let browser = Browser::start(&program);
    let size = "\"tileWidth\": 1.5, \"tileHeight\": 1";
    let hexagon = "\"tileWidth\": 1, \"tileHeight\": 1.25";
    let layouts = [
        format!("\"layout\": \"square4\", {size}"),
        format!("\"layout\": \"square8\", \"projection\": \"isometric\", {size}"),
        format!("\"layout\": \"staggered\", {size}"),
        format!("\"layout\": \"staggered\", \"staggerIndex\": \"even\", {size}"),
        format!("\"layout\": \"staggered\", \"staggerAxis\": \"x\", {size}"),
        format!("\"layout\": \"staggered\", \"staggerAxis\": \"x\", \"staggerIndex\": \"even\", {size}"),
        format!("\"layout\": \"hexPointy\", {hexagon}"),
        format!("\"layout\": \"hexPointy\", \"staggerIndex\": \"even\", {size}"),
        "\"layout\": \"hexPointy\"".to_owned(),
        format!("\"layout\": \"hexFlat\", {size}"),
        format!("\"layout\": \"hexFlat\", \"staggerIndex\": \"even\", {hexagon}"),
    ];
    for (keys, brush) in layouts.iter().zip(["brush-v", "brush-~", "brush-,"].into_iter().cycle()) {
        law(&browser, &drawn(keys, brush));
    }
}

#[test]
fn brushes_hit_the_tile_of_tiled_under_the_pointer_in_every_projection() {
    let Some(program) = browser::program() else { return };
    let browser = Browser::start(&program);
    let staggered = |axis: &str, index: &str| {
        format!(
            "orientation=\"staggered\" staggeraxis=\"{axis}\" staggerindex=\"{index}\" tilewidth=\"64\" tileheight=\"32\""
        )
    };
    let hexagonal = |axis: &str, index: &str, size: &str| {
        format!("orientation=\"hexagonal\" staggeraxis=\"{axis}\" staggerindex=\"{index}\" {size}")
    };
    let mini = "tilewidth=\"14\" tileheight=\"12\" hexsidelength=\"6\"";
    let wide = "tilewidth=\"60\" tileheight=\"60\" hexsidelength=\"30\"";
    let isometric = "orientation=\"isometric\" tilewidth=\"64\" tileheight=\"32\"";
    for (keys, flip) in [
        ("orientation=\"orthogonal\" tilewidth=\"32\" tileheight=\"24\"".to_owned(), Some(true)),
        (isometric.to_owned(), None),
        (isometric.to_owned(), Some(true)),
        (staggered("y", "odd"), None),
        (staggered("y", "even"), Some(true)),
        (staggered("x", "odd"), Some(false)),
        (staggered("x", "even"), None),
        (hexagonal("y", "odd", mini), None),
        (hexagonal("y", "odd", mini), Some(true)),
        (hexagonal("y", "even", wide), None),
        (hexagonal("x", "odd", wide), None),
        (hexagonal("x", "even", mini), Some(true)),
    ] {
        law(&browser, &tiled(&keys, flip));
    }
    let square = "orientation=\"orthogonal\" tilewidth=\"32\" tileheight=\"24\"";
    law(&browser, &moved(square, Some(true), [32, -24], [1, 1]));
    law(&browser, &moved(isometric, None, [64, 0], [1, -1]));
}

#[test]
fn the_brushes_of_tiled_are_all_tiles_of_the_map_with_what_they_mean() {
    let painted = tiled("orientation=\"orthogonal\" tilewidth=\"16\" tileheight=\"16\"", None);
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("map.tmx"), &painted.files[0].1).unwrap();
    let viewed = Viewed::of(project, "map.tmx", &["--paused"]);
    let told: Value = viewed.client().get(json!({ "do": "tiles" }))["tiles"].clone();
    let ids: Vec<u64> = told.as_array().unwrap().iter().map(|tile| tile["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, [1, 2, 3, 4], "{told}");
    assert_eq!((&told[2]["text"], &told[3]["text"]), (&json!("blocked true"), &json!("")), "{told}");
}
