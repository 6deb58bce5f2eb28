//! Tile maps as levels: what their legends and layers mean, and everything that can be wrong with them.
//!
//! Method: levels are written as text; each wrong input names the place, what was expected and what was got.

use glam::Vec3;
use walkon_runtime::level::{self, Diagnostic, Level, MemorySource, Severity};
use walkon_runtime::nav::{Accept, NavMap, PathQuery, PathStatus, Search, Traversal};
use walkon_runtime::world::World;
use walkon_runtime::world::ops::tiles::tile_at;
use walkon_runtime::world::tiles::Terrain;

/// A level of a tile map with these keys, and what stands beside it.
fn level(map: &str, rest: &str) -> String {
    let comma = if rest.is_empty() { "" } else { ", " };
    format!("{{ \"navigation\": {{ \"kind\": \"tiles\", {map} }}{comma}{rest} }}")
}

/// One layer called `ground`.
fn ground(rows: &[&str]) -> String {
    format!("\"layers\": [{}]", layer("ground", rows))
}

fn layer(name: &str, rows: &[&str]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
    format!("{{ \"name\": \"{name}\", \"rows\": [{}] }}", rows.join(", "))
}

const LEGEND: &str = r#""legend": { ",": { "terrain": "grass" }, "s": { "terrain": "sand" }, "m": { "terrain": "mud" },
    "~": { "terrain": "water" }, "i": { "terrain": "ice" }, "w": { "terrain": "snow" }, "r": { "terrain": "rock" },
    "b": { "terrain": "bridge" }, "L": { "terrain": "lava" } }"#;

fn load(level: &str) -> Result<Level, Vec<Diagnostic>> {
    level::load("levels/test.json", &MemorySource::new().with("levels/test.json", level))
        .map_err(|refused| refused.diagnostics)
}

fn loaded(level: &str) -> Level {
    load(level).unwrap_or_else(|found| panic!("{level}\n{found:#?}"))
}

fn world(level: &str) -> World {
    level::spawn::build(loaded(level), None).world
}

/// The only error of a level that does not load: its code, pointer and message.
fn error(level: &str) -> (String, String, String) {
    let found = load(level).err().unwrap_or_else(|| panic!("expected an error of {level}"));
    let errors: Vec<_> = found.iter().filter(|found| found.severity == Severity::Error).collect();
    assert_eq!(errors.len(), 1, "{level}: {errors:#?}");
    (errors[0].code.to_owned(), errors[0].pointer.clone(), errors[0].message.clone())
}

fn query(start: Vec3, goal: Vec3) -> PathQuery {
    let by = Traversal::default();
    PathQuery {
        start,
        goal,
        by,
        goal_layer: None,
        accept: Accept::Nearest,
        expansions_max: u32::MAX,
        others: None,
    }
}

fn path(map: &NavMap, from: [f32; 2], to: [f32; 2]) -> walkon_runtime::nav::PathAnswer {
    let at = |[x, z]: [f32; 2]| Vec3::new(x, 0.0, z);
    map.plan(&query(at(from), at(to)), &mut Search::default())
}

/// What a path costs, in metres of plain ground.
fn cost(map: &NavMap, from: [f32; 2], to: [f32; 2]) -> f64 {
    let answer = path(map, from, to);
    assert_eq!(answer.status, PathStatus::Complete, "{from:?} to {to:?}: {:?}", answer.trouble);
    f64::from(answer.path.cost_m)
}

#[test]
fn seed_o11_an_untouched_tile_is_plain_ground() {
    let world = world(&level(&ground(&["#.", ".."]), ""));
    let tile = |x, z| tile_at(&world, 0, Vec3::new(x, 0.0, z)).unwrap().unwrap().clone();
    assert_eq!((tile(1.5, 0.5).navigable, tile(1.5, 0.5).cost), (true, 1.0));
    assert_eq!((tile(1.5, 0.5).terrain, tile(1.5, 0.5).tags.len()), (Terrain::Ground, 0));
    assert!(!tile(0.5, 0.5).navigable);
}

#[test]
fn seed_o12_terrain_costs_what_the_seed_says_and_the_cheaper_way_is_taken() {
    let map = loaded(&level(&format!("{}, {LEGEND}", ground(&[",,,,,,,,", "mmmmmmmm"])), "")).map;
    assert!((cost(&map, [0.5, 0.5], [3.5, 0.5]) - 3.0).abs() < 1e-3);
    let over_grass = path(&map, [0.5, 1.5], [7.5, 1.5]).path;
    assert!(over_grass.cost_m < 7.0 * 1.5 && over_grass.points.iter().any(|point| point.z < 1.0));
    let mud = loaded(&level(&format!("{}, {LEGEND}", ground(&["mmmm"])), "")).map;
    assert!((cost(&mud, [0.5, 0.5], [3.5, 0.5]) - 4.5).abs() < 1e-3);
}

#[test]
fn seed_o12_a_row_of_ice_beside_the_straight_row_is_used() {
    let plain = ".............";
    let ice = "iiiiiiiiiiiii";
    let map = |layout: &str| {
        let rows = ground(&[plain, plain, plain, ice, plain]);
        loaded(&level(&format!("\"layout\": \"{layout}\", {rows}, {LEGEND}"), "")).map
    };
    // From middle to middle two diagonals, one of them onto ice, and ten steps of ice: 1.4142 * 0.8 + 10 *
    // 0.8 + 1.4142 = 10.545. A line that is bent where it pays costs a little less; along the straight row it
    // is 12.
    let found = cost(&map("square8"), [0.5, 2.5], [12.5, 2.5]);
    assert!((10.4..10.546).contains(&found), "{found}");
}

#[test]
fn a_legend_gives_cost_and_walkability_over_the_terrains_own() {
    let legend = r#""legend": { "a": { "terrain": "mud", "cost": 3.5 }, "b": { "terrain": "rock", "walkable": false },
        "c": { "terrain": "lava" }, "d": { "terrain": "lava", "walkable": true }, "e": { "tags": ["safe", "dry", "safe"] } }"#;
    let world = world(&level(&format!("{}, {legend}", ground(&["abcde"])), ""));
    let tile = |x: u8| tile_at(&world, 0, Vec3::new(f32::from(x) + 0.5, 0.0, 0.5)).unwrap().unwrap().clone();
    assert_eq!((tile(0).cost, tile(0).terrain, tile(0).navigable), (3.5, Terrain::Mud, true));
    assert_eq!((tile(1).cost, tile(1).terrain, tile(1).navigable), (1.1, Terrain::Rock, false));
    assert_eq!((tile(2).navigable, tile(3).navigable), (false, true));
    assert_eq!(tile(4).tags, ["dry", "safe"]);
    let cells = world.nav().cells().unwrap();
    assert_eq!([0, 1, 2, 3].map(|x| cells.walkable(x, 0)), [true, false, false, true]);
    assert_eq!(cells.factor_at(0, 0), 3.5);
}

#[test]
fn seed_o1_two_levels_do_not_see_each_others_tiles() {
    let first = world(&level(&ground(&["#."]), ""));
    let second = world(&level(&ground(&[".#"]), ""));
    let open = |world: &World| tile_at(world, 0, Vec3::new(0.5, 0.0, 0.5)).unwrap().unwrap().navigable;
    assert!(!open(&first) && open(&second));
}

#[test]
fn seed_o2_a_path_on_tiles_of_two_metres_goes_through_centres_two_metres_apart() {
    let map = loaded(&level(
        &format!("\"tileWidth\": 2, \"tileHeight\": 2, {}", ground(&["...", "##.", "..."])),
        "",
    ));
    let (_, record) = map
        .map
        .plan_recorded(&query(Vec3::new(1.0, 0.0, 1.0), Vec3::new(1.0, 0.0, 5.0)), &mut Search::default());
    let frame = map.map.cells().unwrap().frame();
    let centres: Vec<_> =
        record.raw.iter().map(|node| frame.centre(node.0 % frame.width, node.0 / frame.width)).collect();
    assert_eq!(centres, [[1.0, 1.0], [3.0, 1.0], [5.0, 1.0], [5.0, 3.0], [5.0, 5.0], [3.0, 5.0], [1.0, 5.0]]);
}

#[test]
fn areas_doors_marks_and_routes_stand_in_the_legend() {
    let legend = r#""legend": { "D": { "area": "gateway" }, "p": { "mark": "post", "terrain": "grass" } }"#;
    let rest = r#""doors": [ { "name": "gate", "area": "gateway" } ], "routes": { "r": ["post"] }"#;
    let map = format!("\"origin\": [10, 20], \"floorY\": 2, {}, {legend}", ground(&["####", "#pD.", "####"]));
    let level = loaded(&level(&map, rest));
    assert_eq!(level.diagnostics, []);
    assert_eq!(level.resolved.marks[0].position, Vec3::new(11.5, 2.0, 21.5));
    assert_eq!(level.resolved.areas[0].bounds.min, [12.0, 21.0]);
    assert_eq!(level.resolved.areas[0].bounds.max, [13.0, 22.0]);
    assert!(!level.map.is_walkable(Vec3::new(12.5, 2.0, 21.5), &Traversal::default()));
}

#[test]
fn seed_x1_one_map_as_grid_ascii_and_tiles_gives_one_set_of_paths() {
    let rows = ["........", ".####.#.", ".#....#.", ".#.##.#.", "...##.#.", ".####...", "........"];
    let rows_json: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
    let ascii = format!(
        "{{ \"navigation\": {{ \"kind\": \"ascii\", \"cellSize\": 1, \"rows\": [{}] }} }}",
        rows_json.join(",")
    );
    let mut text = String::from("cellSize 1.0\nminX 0.0\nminZ 0.0\ngridWidth 8\ngridDepth 7\n");
    for row in rows {
        text += &(row.replace('.', "1").replace('#', "0") + "\n");
    }
    // As polygons: every open tile is an area of its own, cells of one metre without paddings.
    let mut areas = Vec::new();
    for (z, row) in rows.iter().enumerate() {
        for (x, _) in row.chars().enumerate().filter(|(_, tile)| *tile == '.') {
            areas.push(format!(
                "{{ \"name\": \"a{x}_{z}\", \"polygon\": [[{x},{z}],[{},{z}],[{},{}],[{x},{}]] }}",
                x + 1,
                x + 1,
                z + 1,
                z + 1
            ));
        }
    }
    let grid = format!(
        "{{ \"navigation\": {{ \"cellSize\": 1, \"agentRadius\": 0, \"objectPadding\": 0, \"areas\": [{}] }} }}",
        areas.join(",")
    );
    let tiles = loaded(&level(&ground(&rows), "")).map;
    let text_grid = level::load("a.txt", &MemorySource::new().with("a.txt", text.as_str())).unwrap().map;
    let others = [("ascii", loaded(&ascii).map), ("textGrid", text_grid), ("grid", loaded(&grid).map)];
    let places = [[0.5, 0.5], [2.5, 2.5], [7.5, 3.5], [0.5, 6.5], [5.5, 1.5], [6.5, 5.5], [3.2, 2.7]];
    for from in places {
        for to in places {
            let own = path(&tiles, from, to);
            for (kind, map) in &others {
                let other = path(map, from, to);
                assert_eq!(own.status, other.status, "{kind}");
                // Of equally good ways a grid, whose cells begin a margin further out, may take another.
                assert!(*kind == "grid" || own.path.points == other.path.points, "{kind} {from:?} {to:?}");
                assert!((own.path.cost_m - other.path.cost_m).abs() < 1e-3, "{kind} {from:?} {to:?}");
            }
        }
    }
}

#[test]
fn seed_x2_a_step_costs_its_length_by_the_tile_it_enters() {
    let map = loaded(&level(&format!("{}, {LEGEND}", ground(&["..~", "..~", "~~~"])), "")).map;
    assert!((cost(&map, [1.5, 1.5], [2.5, 1.5]) - 1.5).abs() < 1e-3, "half a metre each of ground and water");
    let raw =
        map.plan_recorded(&query(Vec3::new(0.5, 0.0, 0.5), Vec3::new(0.5, 0.0, 2.5)), &mut Search::default());
    assert_eq!(raw.0.status, PathStatus::Complete);
}

#[test]
fn fault_f34_wrong_words_and_types_are_refused_where_they_stand() {
    let cases: &[(&str, &str, &str, &str)] = &[
        (
            r#""layout": "hex""#,
            "choice",
            "/navigation/layout",
            "navigation.layout is \"hex\", expected one of",
        ),
        (r#""layout": 4"#, "type", "/navigation/layout", "navigation.layout is 4, expected one of"),
        (r#""projection": "cube""#, "choice", "/navigation/projection", "navigation.projection is \"cube\""),
        (
            r#""layout": "hexPointy", "projection": "isometric""#,
            "choice",
            "/navigation/projection",
            "navigation.projection is \"isometric\", which shows square tiles, but the layout is \"hexPointy\"",
        ),
        (r#""staggerIndex": 1"#, "type", "/navigation/staggerIndex", "navigation.staggerIndex is 1"),
        (r#""staggerAxis": "y""#, "choice", "/navigation/staggerAxis", "navigation.staggerAxis is \"y\""),
        (r#""hierarchy": true"#, "type", "/navigation/hierarchy", "navigation.hierarchy is true"),
        (r#""tileWidth": 0"#, "range", "/navigation/tileWidth", "navigation.tileWidth is 0"),
        (r#""tileHeight": "1""#, "type", "/navigation/tileHeight", "navigation.tileHeight is \"1\""),
        (r#""cellSize": 1"#, "unknown-field", "/navigation/cellSize", ""),
        (r#""origin": [1]"#, "type", "/navigation/origin", "navigation.origin has 1 numbers"),
        (
            r#""legend": { "x": { "terrain": "swamp" } }"#,
            "choice",
            "/navigation/legend/x/terrain",
            "navigation.legend.x.terrain is \"swamp\", expected one of \"ground\", \"grass\"",
        ),
        (
            r#""legend": { "x": { "terrain": 3 } }"#,
            "type",
            "/navigation/legend/x/terrain",
            "navigation.legend.x.terrain is 3",
        ),
        (
            r#""legend": { "x": { "tags": "safe" } }"#,
            "type",
            "/navigation/legend/x/tags",
            "navigation.legend.x.tags is \"safe\"",
        ),
        (r#""legend": { "x": { "walkable": 1 } }"#, "type", "/navigation/legend/x/walkable", ""),
        (
            r#""legend": { "x": { "oneWay": "up" } }"#,
            "choice",
            "/navigation/legend/x/oneWay",
            "navigation.legend.x.oneWay is \"up\", expected one of \"north\", \"east\", \"south\", \"west\"",
        ),
        (r#""legend": { "x": { "oneWay": ["north", 1] } }"#, "type", "/navigation/legend/x/oneWay/1", ""),
        (r#""legend": { "x": { "oneWay": "northEast" } }"#, "choice", "/navigation/legend/x/oneWay", ""),
        (r#""legend": { "xx": {} }"#, "choice", "/navigation/legend/xx", ""),
        (r#""links": 4"#, "type", "/navigation/links", ""),
        (
            r#""links": [ { "from": { "layer": "ground", "position": [0.5, 0.5] } } ]"#,
            "missing-field",
            "/navigation/links/0",
            "",
        ),
    ];
    for (keys, code, pointer, message) in cases {
        let found = error(&level(&format!("{}, {keys}", ground(&[".."])), ""));
        assert_eq!((found.0.as_str(), found.1.as_str()), (*code, *pointer), "{keys}: {}", found.2);
        assert!(found.2.starts_with(message), "{keys}: {}", found.2);
    }
}

#[test]
fn fault_f35_costs_outside_their_range_are_refused() {
    for cost in ["0", "-1", "0.09", "100.5", "1e30"] {
        let legend = format!("\"legend\": {{ \"x\": {{ \"cost\": {cost} }} }}");
        let found = error(&level(&format!("{}, {legend}", ground(&["x."])), ""));
        assert_eq!((found.0.as_str(), found.1.as_str()), ("range", "/navigation/legend/x/cost"), "{cost}");
        assert!(found.2.contains("0.1 to 100"), "{}", found.2);
    }
}

#[test]
fn layers_are_one_to_eight_of_one_size_with_names_of_their_own() {
    let two = |first: &[&str], second: &[&str]| {
        level(&format!("\"layers\": [{}, {}]", layer("ground", first), layer("sky", second)), "")
    };
    let found = error(&two(&["..", ".."], &["..."]));
    assert_eq!((found.0.as_str(), found.1.as_str()), ("rows", "/navigation/layers/1/rows"));
    assert_eq!(
        found.2,
        "navigation.layers[1].rows has 1 rows of 3 characters, expected 2 rows of 2 as on the first layer"
    );
    let found = error(&two(&["..", "."], &["..", ".."]));
    assert_eq!((found.0.as_str(), found.1.as_str()), ("rows", "/navigation/layers/0/rows/1"));
    let found = error(&two(&["..", ".?"], &["..", ".."]));
    assert_eq!(found.2, "navigation.layers[0].rows[1] has '?' in column 2, which means nothing here");
    assert_eq!(error(&two(&[], &[".."])).0, "rows");
    let found = error(&level("\"layers\": []", ""));
    assert_eq!(
        (found.0.as_str(), found.2.as_str()),
        ("degenerate", "navigation.layers is empty, expected one to eight layers")
    );
    let nine: Vec<String> = (0..9).map(|index| layer(&format!("l{index}"), &["."])).collect();
    let found = error(&level(&format!("\"layers\": [{}]", nine.join(",")), ""));
    assert_eq!((found.0.as_str(), found.1.as_str()), ("limit", "/navigation/layers"));
    let twins = format!("\"layers\": [{}, {}]", layer("ground", &["."]), layer("Ground", &["."]));
    assert_eq!(error(&level(&twins, "")).0, "duplicate-name");
    assert_eq!(error(&level("\"tileWidth\": 1", "")).1, "/navigation");
    let found = error(&level(
        &ground(&["."]),
        "\"characters\": [ { \"name\": \"a\", \"position\": [0.5, 0.5], \"layer\": \"grund\" } ]",
    ));
    assert_eq!(found.1, "/characters/0/layer");
    assert_eq!(found.2, "characters[0].layer is \"grund\", which is not a layer of this map");
}

#[test]
fn a_mark_stands_on_one_tile() {
    let legend = r#""legend": { "p": { "mark": "post" } }"#;
    let found = error(&level(&format!("{}, {legend}", ground(&["p.p"])), ""));
    assert_eq!(
        found.2,
        "navigation.layers[0].rows[0] has 'p' again, expected one tile, because it is a mark"
    );
    let found = error(&level(&format!("{}, {legend}", ground(&["..."])), ""));
    assert_eq!((found.0.as_str(), found.1.as_str()), ("unresolved", "/navigation/legend/p/mark"));
}

#[test]
fn fault_f30_more_tiles_than_a_map_may_have_are_refused_before_they_are_laid_out() {
    let row = ".".repeat(4_000);
    let rows = vec![row.as_str(); 2_100];
    let two = format!("\"layers\": [{}, {}]", layer("a", &rows), layer("b", &rows));
    let found = load(&level(&two, "")).expect_err("16.8 million tiles are too many");
    assert_eq!(found[0].code, if found[0].code == "size" { "size" } else { "grid-too-big" });
}
