//! Maps of Tiled: every encoding gives one map, what layers and objects mean, every fault with its code and
//! place.
//!
//! Method: small maps in `tests/data/tiled`, one per encoding, written out by hand below; one file per fault
//! in `faults/`, whose name begins with the code it ends with; maps with one property each, written in the
//! tests. The maps that Tiled ships are read beside a scan of their text that knows nothing of the reader.

use std::fs;
use std::path::{Path, PathBuf};

use glam::Vec3;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::level::tiled::raw::{GID_MASK, Orientation, RawContent, RawMap};
use walkon_runtime::level::tiled::{self, Imported, TiledOptions, paint};
use walkon_runtime::level::{self, Diagnostic, Level, MemorySource, NavigationDef, RegionOutline, Severity};
use walkon_runtime::nav::{Accept, Layout, PathQuery, PathStatus, Search, Traversal};
use walkon_runtime::view::{Figure, Parts, Picture, SearchScene, Tag, draw_search};
use walkon_runtime::world::door::DoorPolicy;
use walkon_runtime::world::goal::Goal;

use crate::fixture::{Stage, put, send};
use crate::when_at_hand::at_hand;

fn root() -> PathBuf {
    crate::place::root().to_owned()
}

/// Every file of a folder of `tests/data`, by name.
fn folder(name: &str) -> MemorySource {
    let mut source = MemorySource::new();
    for file in files(&root().join("tests/data").join(name)) {
        let bytes = fs::read(&file).unwrap();
        source = source.with(&file_name(&file), bytes);
    }
    source
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

fn import(source: &MemorySource, name: &str) -> Result<Imported, Vec<Diagnostic>> {
    tiled::import(name, source, &TiledOptions::default()).map_err(|error| error.diagnostics)
}

fn imported(source: &MemorySource, name: &str) -> Imported {
    import(source, name).unwrap_or_else(|found| panic!("{name}: {}", found[0].message))
}

/// A map of one layer of the tiles 1 and 0 with what stands between, 16 pixels each; `rows` of digits.
fn map(rows: &[&str], properties: &str, tiles: &str, objects: &str) -> String {
    let cells: Vec<String> =
        rows.iter().map(|row| row.chars().map(|c| format!("{c},")).collect::<String>()).collect();
    let data = cells.concat();
    let (width, height) = (rows[0].len(), rows.len());
    format!(
        "<map orientation=\"orthogonal\" width=\"{width}\" height=\"{height}\" tilewidth=\"16\" tileheight=\"16\">\
         <tileset firstgid=\"1\" name=\"t\" tilewidth=\"16\" tileheight=\"16\" tilecount=\"9\" columns=\"9\">{tiles}</tileset>\
         <layer name=\"floor\" width=\"{width}\" height=\"{height}\"><properties>{properties}</properties>\
         <data encoding=\"csv\">{}</data></layer>{objects}</map>",
        data.trim_end_matches(',')
    )
}

const WALKABLE: &str = "<property name=\"isTilesetWalkable\" type=\"bool\" value=\"true\"/>";

fn load(text: &str) -> Level {
    let source = MemorySource::new().with("map.tmx", text);
    level::load("map.tmx", &source).unwrap_or_else(|error| panic!("{error}"))
}

/// The cells that can be walked on, a row a line.
fn walkable(level: &Level) -> Vec<String> {
    let cells = level.map.cells().unwrap();
    let frame = cells.frame();
    let row = |z| (0..frame.width).map(|x| if cells.walkable(x, z) { '.' } else { '#' }).collect();
    (0..frame.depth).map(row).collect()
}

fn refusal(text: &str) -> Diagnostic {
    let source = MemorySource::new().with("map.tmx", text);
    let found = import(&source, "map.tmx").expect_err("it is refused");
    found.into_iter().find(|found| found.severity == Severity::Error).unwrap()
}

/// The layers of a map: name, rectangle and cells without flags.
fn layers(raw: &RawMap) -> Vec<(String, u32, u32, Vec<u32>)> {
    let tiles = raw.layers.iter().filter_map(|layer| match &layer.content {
        RawContent::Tiles { rect, gids } => {
            let name = layer.name.rsplit('/').next().unwrap_or_default();
            let gids = gids.iter().map(|gid| gid & GID_MASK).collect();
            Some((name.to_owned(), rect.width, rect.height, gids))
        }
        _ => None,
    });
    tiles.collect()
}

#[test]
fn seed_t15_and_t16_one_map_in_every_encoding_gives_the_same_cells() {
    let source = folder("tiled");
    let floor = [2, 2, 2, 2, 2, 0, 2, 1, 1, 3, 1, 0, 2, 1, 1, 3, 1, 0, 1, 2, 2, 2, 2, 0];
    let mut walls = [0; 24];
    (walls[2], walls[14]) = (4, 4);
    let stated = vec![("floor".to_owned(), 6, 4, floor.to_vec()), ("walls".to_owned(), 6, 4, walls.to_vec())];
    let first = level::load("csv.tmx", &source).unwrap();
    assert_eq!(walkable(&first), ["..#..#", ".....#", "..#..#", ".....#"]);
    let mut count = 0;
    for file in files(&root().join("tests/data/tiled")) {
        let name = file_name(&file);
        if !tiled::is_tiled(&name) {
            continue;
        }
        count += 1;
        assert_eq!(layers(&imported(&source, &name).tiled.raw), stated, "{name}");
        let other = level::load(&name, &source).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(walkable(&other), walkable(&first), "{name}");
        let (one, two) = (first.map.cells().unwrap(), other.map.cells().unwrap());
        for (x, z) in (0..4).flat_map(|z| (0..6).map(move |x| (x, z))) {
            assert_eq!(one.factor_at(x, z), two.factor_at(x, z), "{name}: {x},{z}");
        }
    }
    assert_eq!(count, 18, "six encodings and their kin");
}

#[test]
fn faults_f28_to_f34_every_broken_map_ends_with_its_code_at_its_place() {
    let source = folder("tiled/faults");
    let mut lines = Vec::new();
    for file in files(&root().join("tests/data/tiled/faults")) {
        let name = file_name(&file);
        if !tiled::is_tiled(&name) {
            continue;
        }
        let found = import(&source, &name).err().unwrap_or_else(|| panic!("{name} is refused"));
        let first = found.iter().find(|found| found.severity == Severity::Error).unwrap();
        assert_eq!(Some(first.code), name.split('.').next(), "{name}: {}", first.message);
        let Diagnostic { path, line, column, pointer, message, .. } = first;
        lines.push(format!("{name}\n  {path}:{line}:{column} {pointer}\n  {message}\n"));
    }
    assert!(lines.len() > 45, "every fault has its file");
    let golden = root().join("tests/golden/tiled_faults.txt");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&golden, lines.concat()).unwrap();
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    for (line, expected) in lines.concat().lines().zip(expected.lines()) {
        assert_eq!(line, expected, "read the diff after UPDATE=1 cargo test");
    }
    assert_eq!(lines.concat(), expected);
}

#[test]
fn fault_f32_eight_hundred_thousand_attributes_end_in_a_limit() {
    let many: String = (0..800_000).map(|number| format!(" a{number}=\"\"")).collect();
    let text = format!("<map{many}/>");
    assert_eq!(refusal(&text).code, "limit");
    // The same over many elements.
    let some: String = (0..200).map(|number| format!(" a{number}=\"\"")).collect();
    let text = format!("<map>{}</map>", format!("<x{some}/>").repeat(6_000));
    assert_eq!(refusal(&text).code, "limit");
    let text = format!("<map>{}</map>", "<x/>".repeat(300_000));
    assert_eq!(refusal(&text).code, "limit");
}

#[test]
fn a_tileset_that_does_not_say_how_many_tiles_it_has_offers_those_that_are_known_and_leaves_room() {
    let text = "<map width=\"3\" height=\"1\" tilewidth=\"16\" tileheight=\"16\">\
        <tileset firstgid=\"1\" tilewidth=\"16\" tileheight=\"16\"><tile id=\"6\" type=\"Wall\"/></tileset>\
        <tileset firstgid=\"100\" tilewidth=\"16\" tileheight=\"16\" tilecount=\"2\"/>\
        <layer name=\"floor\" width=\"3\" height=\"1\"><data encoding=\"csv\">1,51,101</data></layer></map>";
    let palette = paint::palette("map.tmx", &MemorySource::new().with("map.tmx", text));
    let tiles: Vec<(u32, &str)> = palette.tiles.iter().map(|(id, words)| (*id, words.as_str())).collect();
    assert_eq!(tiles, [(1, ""), (7, "Wall"), (51, ""), (100, ""), (101, "")]);
}

#[test]
fn seed_t2_layers_are_walkable_obstacles_or_pictures() {
    let layer = |name: &str, role: &str, cells: &str| {
        let role = match role {
            "" => String::new(),
            role => format!(
                "<properties><property name=\"isTilesetWalkable\" type=\"bool\" value=\"{role}\"/></properties>"
            ),
        };
        format!(
            "<layer name=\"{name}\" width=\"4\" height=\"1\">{role}<data encoding=\"csv\">{cells}</data></layer>"
        )
    };
    let wrap = |layers: &str| {
        format!(
            "<map width=\"4\" height=\"1\" tilewidth=\"16\" tileheight=\"16\">\
             <tileset firstgid=\"1\" tilewidth=\"16\" tileheight=\"16\" tilecount=\"9\"/>{layers}</map>"
        )
    };
    let (floor, wall) = (layer("floor", "true", "1,1,1,0"), layer("wall", "false", "0,2,0,0"));
    let picture = layer("picture", "", "3,3,3,3");
    let all = [&picture, &floor, &wall].map(String::as_str);
    assert_eq!(walkable(&load(&wrap(&all.concat()))), [".#.#"]);
    // seed:T4: in either order an obstacle blocks, and what nobody painted is no ground.
    assert_eq!(walkable(&load(&wrap(&[wall.as_str(), &floor].concat()))), [".#.#"]);
    assert_eq!(walkable(&load(&wrap(&wall))), [".#.."], "without a walkable layer the rest is open");
    assert_eq!(walkable(&load(&wrap(&picture))), ["...."]);
}

#[test]
fn seed_t3_a_border_of_sixteen_is_drawn_around_an_island_of_nine() {
    let border = "<property name=\"useTilesetBorder\" type=\"bool\" value=\"true\"/>";
    let rows = ["0000000", "0000000", "0011100", "0011100", "0011100", "0000000", "0000000"];
    let text = map(&rows, border, "", "");
    let source = MemorySource::new().with("map.tmx", text.as_str());
    let report = imported(&source, "map.tmx").tiled.report;
    // seed:T13: the numbers of a known map.
    assert_eq!((report.layers[0].counts.border, report.total.border), (16, 16));
    assert_eq!((report.total.navigable, report.total.blocked), (33, 16));
    let ring = [".......", ".#####.", ".#...#.", ".#...#.", ".#...#.", ".#####.", "......."];
    assert_eq!(walkable(&load(&text)), ring);
    let both = format!("{border}<property name=\"isTilesetWalkable\" type=\"bool\" value=\"false\"/>");
    let text = map(&rows, &both, "", "");
    let source = MemorySource::new().with("map.tmx", text);
    let found = imported(&source, "map.tmx").diagnostics;
    assert!(found.iter().any(|found| found.message.contains("closes ways of up to two tiles")));
}

#[test]
fn seed_t6_and_t7_terrain_has_its_price_and_lava_none() {
    let names = ["Ground", "Grass", "Sand", "Mud", "Water", "Ice", "Snow", "Rock", "Lava"];
    let tile = |(id, name): (usize, &&str)| {
        format!(
            "<tile id=\"{id}\"><properties><property name=\"terrainType\" value=\"{name}\"/></properties></tile>"
        )
    };
    let tiles: String = names.iter().enumerate().map(tile).collect();
    let level = load(&map(&["123456789"], WALKABLE, &tiles, ""));
    assert_eq!(walkable(&level), ["........#"]);
    let cells = level.map.cells().unwrap();
    let costs = [1.0, 1.0, 1.2, 1.5, 2.0, 0.8, 1.3, 1.1];
    for (x, cost) in costs.into_iter().enumerate() {
        assert_eq!(cells.factor_at(x as u32, 0), cost, "{}", names[x]);
    }
    let slow = "<tile id=\"0\"><properties><property name=\"terrainType\" value=\"Mud\"/>\
         <property name=\"slowMultiplier\" type=\"float\" value=\"2\"/></properties></tile>";
    let level = load(&map(&["1"], WALKABLE, slow, ""));
    assert_eq!(level.map.cells().unwrap().factor_at(0, 0), 3.0);
    for wrong in ["0", "-1", "1000"] {
        let tile = slow.replace("value=\"2\"", &format!("value=\"{wrong}\""));
        let level = load(&map(&["1"], WALKABLE, &tile, ""));
        assert_eq!(level.map.cells().unwrap().factor_at(0, 0), 1.5, "{wrong}: mud alone");
        let note = level.diagnostics.iter().find(|found| found.code == "property").unwrap();
        assert!(note.message.contains("slowMultiplier of tile 0"), "{}", note.message);
    }
    let unknown = slow.replace("Mud", "Custard").replace("value=\"2\"", "value=\"1\"");
    let level = load(&map(&["1"], WALKABLE, &unknown, ""));
    assert_eq!(level.map.cells().unwrap().factor_at(0, 0), 1.0);
    assert!(level.diagnostics.iter().any(|found| found.message.contains("not a terrain")));
}

#[test]
fn seed_t12_a_rectangle_blocks_the_cells_it_touches() {
    for name in ["Collision layer", "outer WALLS"] {
        let objects = format!(
            "<objectgroup name=\"{name}\"><object id=\"1\" x=\"16\" y=\"16\" width=\"40\" height=\"16\"/></objectgroup>"
        );
        let level = load(&map(&["111111"; 4], WALKABLE, "", &objects));
        assert_eq!(walkable(&level), ["......", ".###..", "......", "......"], "{name}");
    }
    let named = "<objectgroup name=\"rocks\"><properties><property name=\"collision\" type=\"bool\" value=\"true\"/></properties>\
        <object id=\"1\" x=\"0\" y=\"0\" width=\"32\" height=\"32\"><ellipse/></object>\
        <object id=\"2\" x=\"64\" y=\"64\"><polygon points=\"0,0 0,-32 32,0\"/></object></objectgroup>";
    let level = load(&map(&["111111"; 4], WALKABLE, "", named));
    assert_eq!(walkable(&level), ["##....", "##....", "....#.", "....##"]);
}

/// A polygon or line drawn in a layer of walls: the cells that it leads through, and those in whose middle it
/// is around an odd number of times.
#[test]
fn a_shape_blocks_the_cells_that_it_leads_through_and_those_inside_of_it() {
    const SIDE: usize = 8;
    let mut rng = Rng::stream(11, "shapes");
    for _ in 0..300 {
        let is_line = rng.below(2) == 0;
        let count = 2 + rng.below(5) as usize;
        let corner = |rng: &mut Rng| [0, 1].map(|_| rng.below(1270) as f64 / 10.0 + 0.53);
        let corners: Vec<[f64; 2]> = (0..count + usize::from(!is_line)).map(|_| corner(&mut rng)).collect();
        // What it leads through, and what it may touch by less than rounding makes.
        let mut surely = [[false; SIDE]; SIDE];
        let mut perhaps = [[false; SIDE]; SIDE];
        let sides = corners.len() - usize::from(is_line);
        for side in 0..sides {
            let (from, to) = (corners[side], corners[(side + 1) % corners.len()]);
            for part in 0..=4000 {
                let at = [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * f64::from(part) / 4000.0);
                let at = at.map(|px| px / 16.0);
                let [x, y] = at.map(|at| at as usize);
                surely[y][x] |= at.iter().all(|at| (0.01..0.99).contains(&at.fract()));
                for (dx, dy) in [(-0.01, -0.01), (-0.01, 0.01), (0.01, -0.01), (0.01, 0.01)] {
                    let [x, y] = [at[0] + dx, at[1] + dy].map(|at| (at as usize).min(SIDE - 1));
                    perhaps[y][x] = true;
                }
            }
        }
        let crossings = |[x, y]: [f64; 2]| {
            let sides = (0..corners.len()).map(|at| (corners[at], corners[(at + 1) % corners.len()]));
            sides
                .filter(|(a, b)| (a[1] > y) != (b[1] > y))
                .filter(|(a, b)| x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]))
                .count()
        };
        let points: Vec<String> = corners.iter().map(|[x, y]| format!("{x},{y}")).collect();
        let (shape, points) = (if is_line { "polyline" } else { "polygon" }, points.join(" "));
        let objects = format!(
            "<objectgroup name=\"walls\"><object id=\"1\" x=\"0\" y=\"0\"><{shape} points=\"{points}\"/></object></objectgroup>"
        );
        let imported = imported(
            &MemorySource::new().with("map.tmx", map(&["11111111"; SIDE], WALKABLE, "", &objects)),
            "map.tmx",
        );
        let NavigationDef::Tiles(tiles) = &imported.tiled.def.navigation else { panic!("tiles") };
        let rows: Vec<&str> = tiles.layers[0].rows.iter().map(|row| row.value.as_str()).collect();
        for (row, cells) in rows.iter().enumerate() {
            for (column, cell) in cells.chars().enumerate() {
                let middle = [column, row].map(|number| 16.0 * (number as f64 + 0.5));
                let is_inside = !is_line && crossings(middle) % 2 == 1;
                let case = format!("{shape} {points}: {column}, {row}");
                assert!(cell == '#' || !is_inside && !surely[row][column], "{case} is open");
                assert!(cell == '.' || is_inside || perhaps[row][column], "{case} is blocked");
            }
        }
    }
}

#[test]
fn lines_along_the_borders_of_cells_are_walls_of_one_row() {
    for (shape, expected) in [
        ("x=\"16\" y=\"32\" width=\"48\" height=\"0\"/>", ["......", "......", ".###..", "......"]),
        (
            "x=\"32\" y=\"0\"><polyline points=\"0,0 0,32 32,32\"/></object>",
            ["..#...", "..#...", "..##..", "......"],
        ),
        ("x=\"24\" y=\"24\" width=\"0\" height=\"0\"/>", ["......", ".#....", "......", "......"]),
    ] {
        let objects = format!("<objectgroup name=\"walls\"><object id=\"1\" {shape}</objectgroup>");
        assert_eq!(walkable(&load(&map(&["111111"; 4], WALKABLE, "", &objects))), expected, "{shape}");
    }
}

#[test]
fn a_door_stays_in_a_wall_that_is_drawn_before_or_after_it() {
    let door = "<objectgroup id=\"2\" name=\"doors\"><object id=\"1\" name=\"gate\" type=\"door\" x=\"32\" y=\"0\" \
        width=\"16\" height=\"16\"/></objectgroup>";
    let wall = "<objectgroup id=\"3\" name=\"collision\"><object id=\"2\" x=\"32\" y=\"0\" width=\"16\" \
        height=\"32\"/></objectgroup>";
    for objects in [format!("{door}{wall}"), format!("{wall}{door}")] {
        let level = load(&map(&["11111"; 2], WALKABLE, "", &objects));
        assert_eq!(level.map.area_cells(walkon_runtime::base::ids::AreaId::from(0)), 1, "{objects}");
        assert_eq!(walkable(&level)[1], "..#..", "{objects}");
    }
}

#[test]
fn an_isometric_tile_lies_where_it_is_drawn_however_it_is_aligned() {
    // Where the position lies in the picture, from its upper left corner, in parts of its size.
    let alignments = [
        ("topleft", [0.0, 0.0]),
        ("top", [0.5, 0.0]),
        ("topright", [1.0, 0.0]),
        ("left", [0.0, 0.5]),
        ("center", [0.5, 0.5]),
        ("right", [1.0, 0.5]),
        ("bottomleft", [0.0, 1.0]),
        ("bottom", [0.5, 1.0]),
        ("bottomright", [1.0, 1.0]),
        ("unspecified", [0.5, 1.0]),
    ];
    for (alignment, [part_x, part_y]) in alignments {
        for height in [32.0, 64.0] {
            // The diamond of cell (2, 3), whose lowest point is the corner (3, 4), lies at the foot of it.
            let lowest = [(3.0 - 4.0) * 32.0, (3.0 + 4.0) * 16.0];
            let at = [lowest[0] - 32.0 + 64.0 * part_x, lowest[1] - height + height * part_y];
            let [x, y] = [at[0] / 64.0 + at[1] / 32.0, at[1] / 32.0 - at[0] / 64.0].map(|part| part * 32.0);
            let object = |id: u32, class: &str| {
                format!(
                    "<object id=\"{id}\" name=\"o\" type=\"{class}\" gid=\"1\" x=\"{x}\" y=\"{y}\" width=\"64\" height=\"{height}\"/>"
                )
            };
            let cells = vec!["1"; 36].join(",");
            let text = format!(
                "<map orientation=\"isometric\" width=\"6\" height=\"6\" tilewidth=\"64\" tileheight=\"32\">\
                 <tileset firstgid=\"1\" name=\"t\" tilewidth=\"64\" tileheight=\"32\" tilecount=\"1\" objectalignment=\"{alignment}\"/>\
                 <layer name=\"floor\" width=\"6\" height=\"6\"><properties>{WALKABLE}</properties><data encoding=\"csv\">{cells}</data></layer>\
                 <objectgroup>{}{}</objectgroup></map>",
                object(1, "mark"),
                object(2, "door")
            );
            let level = load(&text);
            let place = level.resolved.marks[0].position;
            assert!((place - Vec3::new(2.5, 0.0, 3.5)).length() < 1e-4, "{alignment} {height}: {place}");
            let bounds = level.resolved.areas[0].bounds.centre();
            assert_eq!(bounds, [2.5, 3.5], "{alignment} {height}");
            assert_eq!(level.map.area_cells(walkon_runtime::base::ids::AreaId::from(0)), 1);
        }
    }
}

#[test]
fn regions_belong_to_the_layer_that_they_or_their_layer_name() {
    let region = |id: u32, own: &str| {
        format!(
            "<object id=\"{id}\" name=\"r{id}\" type=\"region\" x=\"0\" y=\"0\" width=\"32\" height=\"16\"><properties>{own}</properties></object>"
        )
    };
    let on = |value: &str| format!("<property name=\"collisionLayer\" value=\"{value}\"/>");
    let group = |own: &str, objects: &str| {
        format!("<objectgroup><properties>{own}</properties>{objects}</objectgroup>")
    };
    let sky = format!(
        "<layer name=\"s\" width=\"3\" height=\"1\"><properties>{WALKABLE}{}</properties><data encoding=\"csv\">1,1,1</data></layer>",
        on("sky")
    );
    let objects = [
        group("", &[region(1, ""), region(2, &on("sky")), region(3, &on("1"))].concat()),
        group(&on("sky"), &[region(4, ""), region(5, &on("ground")), region(6, &on("5"))].concat()),
    ];
    let level = load(&map(&["111"], WALKABLE, "", &format!("{sky}{}", objects.concat())));
    let layers: Vec<Option<&str>> = level
        .def
        .regions
        .iter()
        .map(|region| region.layer.as_ref().map(|layer| layer.value.as_str()))
        .collect();
    let (ground, sky) = (Some("ground"), Some("sky"));
    assert_eq!(layers, [None, sky, sky, sky, ground, ground]);
    assert!(
        level
            .diagnostics
            .iter()
            .any(|found| found.message.contains("has collisionLayer \"5\", expected 0 to 1"))
    );
    let alone = load(&map(&["111"], WALKABLE, "", &group(&on("ground"), &region(1, ""))));
    assert!(alone.def.regions[0].layer.is_none(), "there is one layer");
}

#[test]
fn what_old_and_turned_maps_say_arrives() {
    let route = ["9", "8", "7"].map(|order| {
        format!(
            "<object name=\"p{order}\" type=\"waypoint\" x=\"{order}\" y=\"8\"><point/><properties><property name=\"group\" \
             value=\"r\"/><property name=\"order\" value=\"{order}\"/></properties></object>"
        )
    });
    let facing = "<object name=\"bo\" type=\"npc\" x=\"8\" y=\"8\"><point/><properties><property name=\"facing\" type=\"float\" \
        value=\"-200\"/><property name=\"says\">one &lt;b&gt;\n\n&lt;/b&gt; &amp; two</property></properties></object>";
    let walls = "<group name=\"town\"><objectgroup name=\"walls/inner\"><object x=\"32\" y=\"0\" width=\"16\" height=\"16\"/>\
        </objectgroup></group><group name=\"walls\"><objectgroup name=\"deco\"><object x=\"16\" y=\"0\" width=\"16\" height=\"16\"/>\
        </objectgroup></group>";
    let objects = format!("<objectgroup>{}{facing}</objectgroup>{walls}", route.concat());
    let text = map(&["111"], WALKABLE, "", &objects);
    let source = MemorySource::new().with("map.tmx", text);
    for is_flipped in [false, true] {
        let options = TiledOptions { is_flipped, ..TiledOptions::default() };
        let level = level::load_map("map.tmx", &source, &options).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(walkable(&level), ["..#"], "names of layers, and not of groups");
        // Objects without numbers keep their order, and routes go by their own.
        let stops: Vec<_> = level.resolved.routes[0].stops.iter().map(|stop| stop.position.x).collect();
        assert!(stops.is_sorted() && stops.len() == 3, "{stops:?}");
        let said = format!("{:?}", level.def.characters[0].props);
        assert!(said.contains(r"one <b>\n\n</b> & two"), "{said}");
        let degrees = level.def.characters[0].facing_degrees;
        assert_eq!(degrees, if is_flipped { 20.0 } else { -200.0 });
    }
}

#[test]
fn tiles_take_the_defaults_of_their_class() {
    let types = "<objecttypes><objecttype name=\"Swamp\"><property name=\"terrainType\" type=\"string\" default=\"Mud\"/></objecttype></objecttypes>";
    let tiles = "<tile id=\"1\" class=\"Swamp\"/><tile id=\"2\" class=\"Swamp\"><properties><property name=\"terrainType\" \
        value=\"Sand\"/></properties></tile>";
    let source = MemorySource::new()
        .with("map.tmx", map(&["123"], WALKABLE, tiles, ""))
        .with("objecttypes.xml", types);
    let level = level::load("map.tmx", &source).unwrap_or_else(|error| panic!("{error}"));
    let cells = level.map.cells().unwrap();
    assert_eq!([0, 1, 2].map(|x| cells.factor_at(x, 0)), [1.0, 1.5, 1.2]);
    let source = source.with("objecttypes.xml", map(&["1"], "", "", ""));
    let refused = import(&source, "map.tmx").unwrap_err();
    assert!(refused[0].message.contains("the file is a map, expected the types"), "{}", refused[0].message);
}

#[test]
fn seed_t20_every_shape_becomes_what_it_is() {
    let objects = "<objectgroup name=\"things\">\
        <object id=\"1\" name=\"well\" x=\"24\" y=\"40\"><point/></object>\
        <object id=\"2\" name=\"rounds\" x=\"16\" y=\"16\"><polyline points=\"0,0 32,0 32,32\"/></object>\
        <object id=\"3\" name=\"yard\" x=\"0\" y=\"0\"><polygon points=\"0,0 48,0 0,48\"/></object>\
        <object id=\"4\" name=\"hall\" x=\"16\" y=\"0\" width=\"32\" height=\"16\"/>\
        <object id=\"5\" name=\"pond\" x=\"16\" y=\"16\" width=\"32\" height=\"32\"><ellipse/></object>\
        <object id=\"6\" name=\"sign\" x=\"0\" y=\"0\" width=\"9\" height=\"9\"><text>hello &amp; welcome</text></object>\
        <object id=\"7\" name=\"swamp\" class=\"area\" x=\"64\" y=\"0\" width=\"32\" height=\"64\">\
        <properties><property name=\"cost\" type=\"float\" value=\"4\"/></properties></object>\
        <object id=\"8\" name=\"rug\" gid=\"3\" x=\"0\" y=\"64\" width=\"16\" height=\"16\"/></objectgroup>";
    let level = load(&map(&["111111"; 4], WALKABLE, "", objects));
    let def = &level.def;
    let mark = &def.marks[0];
    assert_eq!((mark.name.value.as_str(), mark.place.position.x, mark.place.position.z), ("well", 1.5, 2.5));
    assert_eq!((def.marks.len(), def.routes.len(), def.regions.len()), (2, 1, 3));
    assert_eq!(def.marks[1].name.value, "rug", "a tile with a name is a place");
    let stops = &level.resolved.routes[0].stops;
    assert_eq!(
        stops.iter().map(|stop| [stop.position.x, stop.position.z]).collect::<Vec<_>>(),
        [[1.0, 1.0], [3.0, 1.0], [3.0, 3.0]]
    );
    assert_eq!(def.regions[0].outline, RegionOutline::Polygon(vec![[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]]));
    assert_eq!(
        def.regions[1].outline,
        RegionOutline::Polygon(vec![[1.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0]])
    );
    assert!(
        matches!(def.regions[2].outline, RegionOutline::Circle { centre: c, radius_m } if [radius_m, c.x, c.z] == [1.0, 2.0, 2.0])
    );
    assert_eq!(level.resolved.areas[0].name, "swamp");
    assert_eq!(level.map.cells().unwrap().factor_at(4, 1), 4.0);
}

const SPAWNS: &str = "<objectgroup name=\"people\">\
    <object id=\"1\" type=\"player\" x=\"8\" y=\"8\"><point/><properties>\
     <property name=\"spawnId\" value=\"start\"/><property name=\"facing\" value=\"east\"/></properties></object>\
    <object id=\"2\" name=\"anna\" type=\"npc\" x=\"40\" y=\"8\"><point/><properties>\
     <property name=\"script\" value=\"villager.lua\"/><property name=\"wanderRadius\" type=\"float\" value=\"48\"/>\
     <property name=\"friend\" type=\"object\" value=\"3\"/></properties></object>\
    <object id=\"3\" name=\"wolf\" class=\"enemy\" x=\"72\" y=\"8\"><point/><properties>\
     <property name=\"detectionRadius\" type=\"float\" value=\"80\"/><property name=\"aggressive\" type=\"bool\" value=\"true\"/>\
     <property name=\"Hunter.patience\" type=\"int\" value=\"9\"/><property name=\"patience\" type=\"int\" value=\"3\"/>\
     <property name=\"stats\" type=\"class\" propertytype=\"Stats\"><properties>\
     <property name=\"hp\" type=\"int\" value=\"7\"/></properties></property>\
    </properties></object></objectgroup>";

#[test]
fn seed_t21_and_t24_spawns_stand_at_their_places_with_their_parameters() {
    let level = load(&map(&["111111"], WALKABLE, "", SPAWNS));
    let [player, anna, wolf] = &level.def.characters[..] else { panic!("three of them") };
    assert_eq!((player.name.value.as_str(), player.player, player.facing_degrees), ("player", true, 90.0));
    assert_eq!(player.props["spawnId"].value, "start");
    assert!(player.params.is_empty(), "nobody takes parameters without a behaviour");
    assert_eq!((anna.position.value.x, anna.position.value.z), (2.5, 0.5));
    assert_eq!(anna.behaviour.as_ref().unwrap().value, "villager.lua");
    assert_eq!(
        (&anna.params["wanderRadius"].value, &anna.props["friend"].value),
        (&3.0.into(), &"wolf".into())
    );
    assert_eq!(
        (&wolf.props["detectionRadius"].value, &wolf.props["aggressive"].value),
        (&5.0.into(), &true.into())
    );
    assert_eq!(wolf.props["patience"].value, 9, "what is said of a component is closer to the point");
    assert_eq!(wolf.props["stats"].value["hp"], 7);
    assert_eq!(wolf.tags, ["enemy"]);
}

#[test]
fn seed_t22_waypoints_of_a_group_are_a_route_and_links_lead_somewhere() {
    let objects = "<objectgroup name=\"ways\">\
        <object id=\"1\" type=\"waypoint\" x=\"24\" y=\"8\"><point/><properties><property name=\"group\" value=\"rounds\"/>\
         <property name=\"order\" type=\"int\" value=\"2\"/></properties></object>\
        <object id=\"2\" type=\"waypoint\" x=\"8\" y=\"8\"><point/><properties><property name=\"group\" value=\"rounds\"/>\
         <property name=\"order\" type=\"int\" value=\"1\"/></properties></object>\
        <object id=\"3\" name=\"cellar\" type=\"trigger\" x=\"0\" y=\"0\" width=\"16\" height=\"16\"><properties>\
         <property name=\"targetObject\" value=\"attic\"/><property name=\"onEnter\" value=\"go\"/></properties></object>\
        <object id=\"4\" name=\"attic\" type=\"trigger\" x=\"32\" y=\"0\" width=\"16\" height=\"16\"/></objectgroup>";
    let level = load(&map(&["111"], WALKABLE, "", objects));
    let stops = &level.resolved.routes[0].stops;
    assert_eq!(level.resolved.routes[0].name, "rounds");
    assert_eq!(stops.iter().map(|stop| stop.position.x).collect::<Vec<_>>(), [0.5, 1.5]);
    assert_eq!(level.def.regions.len(), 2);
    let wrong = objects.replace("value=\"attic\"", "value=\"atic\"");
    let level = load(&map(&["111"], WALKABLE, "", &wrong));
    let found = level.diagnostics.iter().find(|found| found.severity == Severity::Warning).unwrap();
    assert_eq!((found.code, found.help.as_deref()), ("unresolved", Some("did you mean \"attic\"?")));
    let stairs = wrong.replace("name=\"cellar\" type=\"trigger\"", "name=\"cellar\" type=\"stairs\"");
    let found = refusal(&map(&["111"], WALKABLE, "", &stairs));
    assert_eq!((found.code, found.help.as_deref()), ("unresolved", Some("did you mean \"attic\"?")));
}

#[test]
fn seed_t23_an_object_without_properties_takes_those_of_its_type() {
    let types = "<objecttypes><objecttype name=\"guard\"><property name=\"speed\" type=\"float\" default=\"60\"/>\
        <property name=\"alertRadius\" type=\"float\" default=\"100\"/></objecttype></objecttypes>";
    let json = "[{\"name\":\"guard\",\"properties\":[{\"name\":\"speed\",\"type\":\"float\",\"value\":60},\
        {\"name\":\"alertRadius\",\"type\":\"float\",\"value\":100}]}]";
    let project = "{\"propertyTypes\":[{\"name\":\"guard\",\"type\":\"class\",\"members\":[{\"name\":\"speed\",\
        \"type\":\"float\",\
        \"value\":60},{\"name\":\"alertRadius\",\"type\":\"float\",\"value\":100}]}]}";
    let text = map(
        &["111"],
        WALKABLE,
        "",
        "<objectgroup><object id=\"1\" name=\"bo\" type=\"guard\" x=\"8\" y=\"8\"><point/></object></objectgroup>",
    );
    for (file, types) in
        [("objecttypes.xml", types), ("objecttypes.json", json), ("propertytypes.json", project)]
    {
        let source = MemorySource::new().with("map.tmx", text.as_str()).with(file, types);
        let level = level::load("map.tmx", &source).unwrap_or_else(|error| panic!("{file}: {error}"));
        let guard = &level.def.characters[0];
        assert_eq!(guard.walk_speed_mps, 60.0 / 16.0, "{file}");
        assert_eq!(guard.props["alertRadius"].value, 100.0 / 16.0, "{file}");
    }
}

#[test]
fn seed_t10_door_tiles_become_doors() {
    let tiles = "<tile id=\"1\"><properties><property name=\"door\" type=\"int\" value=\"2\"/>\
        <property name=\"key\" value=\"brass\"/></properties></tile>\
        <tile id=\"2\"><properties><property name=\"doorFlags\" type=\"int\" value=\"1\"/></properties></tile>";
    let level = load(&map(&["11211", "11211", "00300"], WALKABLE, tiles, ""));
    let [locked, open] = &level.def.doors[..] else { panic!("two doors") };
    assert!(locked.is_locked() && !locked.open && open.open && !open.is_locked());
    assert_eq!(locked.key.as_deref(), Some("brass"));
    assert_eq!(walkable(&level), ["..#..", "..#..", "##.##"], "closed and open, as the level begins");
}

#[test]
fn seed_t10_a_locked_door_tile_is_passed_with_its_key_alone() {
    let tiles = "<tile id=\"1\"><properties><property name=\"door\" type=\"int\" value=\"2\"/>\
        <property name=\"key\" value=\"brass\"/></properties></tile>";
    let text = map(&["110111", "112111", "110111"], WALKABLE, tiles, "");
    let ends = |keys: &[&str]| {
        let mut stage = Stage::of_file("map.tmx", &text);
        let anna = put(&mut stage, "anna", Vec3::new(0.5, 0.0, 1.5));
        send(&mut stage, anna, Goal::Point(Vec3::new(5.5, 0.0, 0.5)), |options| {
            options.doors = Some(if keys.is_empty() { DoorPolicy::Wait } else { DoorPolicy::Open });
            options.keys = keys.iter().map(|&key| key.to_owned()).collect();
        });
        let end = stage.until_settled(1, 1800).join(" ");
        let by = stage.facts("walkSettled")[0]["by"].clone();
        let door = stage.world().doors()[0].name.clone();
        (end, by.to_string().contains(&door), stage.world().character(anna).unwrap().body.position)
    };
    let (end, is_by_the_door, place) = ends(&[]);
    assert_eq!((end.as_str(), is_by_the_door), ("blocked/doorClosed", true));
    assert!(place.x < 2.0, "{place}");
    let (end, _, place) = ends(&["brass"]);
    assert_eq!(end, "arrived/reached");
    assert!(place.x > 5.0, "{place}");
}

#[test]
fn seed_t3_a_border_is_that_of_the_plain_rule_whatever_is_painted() {
    let mut rng = Rng::stream(5, "border");
    for round in 0..30 {
        let rows: Vec<String> =
            (0..9).map(|_| (0..11).map(|_| if rng.chance(0.8) { '1' } else { '0' }).collect()).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let border = "<property name=\"useTilesetBorder\" type=\"bool\" value=\"true\"/>";
        let text = map(&rows, &format!("{WALKABLE}{border}"), "", "");
        let report = imported(&MemorySource::new().with("map.tmx", text), "map.tmx").tiled.report;
        let painted = |x: i64, y: i64| {
            let row = usize::try_from(y).ok().and_then(|y| rows.get(y));
            row.zip(usize::try_from(x).ok()).is_some_and(|(row, x)| row.as_bytes().get(x) == Some(&b'1'))
        };
        let is_border =
            |x: i64, y: i64| !painted(x, y) && (-1..=1).any(|dy| (-1..=1).any(|dx| painted(x + dx, y + dy)));
        let count =
            (0..9).flat_map(|y| (0..11).map(move |x| (x, y))).filter(|&(x, y)| is_border(x, y)).count();
        assert_eq!(report.total.border, count as u64, "round {round}: {rows:?}");
    }
}

#[test]
fn seed_t18_a_layer_of_another_size_is_refused() {
    let found = refusal(
        &map(&["111", "111"], "", "", "").replace("name=\"floor\" width=\"3\"", "name=\"floor\" width=\"2\""),
    );
    assert_eq!(found.message, "layer \"floor\" has 2 x 2 cells, expected 3 x 2 as the map has");
}

#[test]
fn templates_give_what_their_objects_leave_out() {
    let template = "<template><tileset firstgid=\"1\" source=\"t.tsx\"/>\
        <object name=\"chest\" type=\"npc\" gid=\"2\" width=\"16\" height=\"16\">\
        <properties><property name=\"gold\" type=\"int\" value=\"5\"/><property name=\"lid\" value=\"shut\"/></properties>\
        </object></template>";
    let set = "<tileset name=\"t\" tilewidth=\"16\" tileheight=\"16\" tilecount=\"4\"><tile id=\"1\"><properties>\
        <property name=\"heavy\" type=\"bool\" value=\"true\"/></properties></tile></tileset>";
    let objects = "<objectgroup><object id=\"1\" template=\"objects/chest.tx\" x=\"16\" y=\"16\"><properties>\
        <property name=\"gold\" type=\"int\" value=\"9\"/></properties></object></objectgroup>";
    let source = MemorySource::new()
        .with("maps/map.tmx", map(&["111"], WALKABLE, "", objects))
        .with("maps/objects/chest.tx", template.replace("t.tsx", "../../sets/t.tsx"))
        .with("sets/t.tsx", set);
    let level = level::load("maps/map.tmx", &source).unwrap_or_else(|error| panic!("{error}"));
    let chest = &level.def.characters[0];
    assert_eq!(chest.name.value, "chest");
    assert_eq!((chest.position.value.x, chest.position.value.z), (1.5, 0.5));
    assert_eq!(
        (&chest.props["gold"].value, &chest.props["lid"].value, &chest.props["heavy"].value),
        (&9.into(), &"shut".into(), &true.into())
    );
    assert_eq!(level.files.len(), 3, "map, template and tileset");
}

#[test]
fn seed_t25_one_scale_for_both_axes_and_a_flip_in_place() {
    let objects = "<objectgroup><object id=\"1\" name=\"p\" x=\"8\" y=\"8\"><point/></object></objectgroup>";
    let text = map(&["111", "010"], WALKABLE, "", objects);
    let level = |more: &str| {
        let json = format!("{{\"navigation\": {{\"kind\": \"tiled\", \"file\": \"map.tmx\"{more}}}}}");
        let source = MemorySource::new().with("map.tmx", text.as_str()).with("a.json", json);
        level::load("a.json", &source).unwrap_or_else(|error| panic!("{error}"))
    };
    let plain = level("");
    assert_eq!(
        (walkable(&plain), plain.resolved.marks[0].position.z),
        (vec!["...".into(), "#.#".into()], 0.5)
    );
    let flipped = level(", \"flip\": true, \"metresPerPixel\": 0.125");
    assert_eq!(walkable(&flipped), ["#.#", "..."]);
    let mark = flipped.resolved.marks[0].position;
    assert_eq!((mark.x, mark.z), (1.0, 3.0), "a tile is two metres, the first row lies at the far end");
}

#[test]
fn an_imported_level_reads_back_to_the_same_map_and_objects() {
    let objects =
        SPAWNS.replace("type=\"player\"", "type=\"player\" name=\"hero\"").replace("villager.lua", "");
    let more = "<objectgroup><object id=\"9\" name=\"gate\" type=\"door\" x=\"32\" y=\"16\" width=\"16\" height=\"16\">\
        <properties>\
        <property name=\"oneWay\" value=\"north\"/><property name=\"seconds\" type=\"float\" value=\"1.5\"/></properties>\
        </object>\
        <object id=\"10\" name=\"pond\" x=\"16\" y=\"16\" width=\"32\" height=\"32\"><ellipse/></object>\
        <object id=\"11\" name=\"line\" x=\"16\" y=\"16\"><polyline points=\"0,0 32,0 32,32\"/></object></objectgroup>";
    let tiles =
        "<tile id=\"2\"><properties><property name=\"terrainType\" value=\"Mud\"/></properties></tile>";
    let text = map(&["111111", "110311", "113131"], WALKABLE, tiles, &format!("{objects}{more}"));
    for is_flipped in [false, true] {
        let source = MemorySource::new().with("map.tmx", text.as_str());
        let options = TiledOptions { is_flipped, ..TiledOptions::default() };
        let imported = tiled::import("map.tmx", &source, &options).unwrap_or_else(|error| panic!("{error}"));
        let json = tiled::text(&imported.tiled.def);
        let direct = format!(
            "{{\"name\": \"map\", \"navigation\": {{\"kind\": \"tiled\", \"file\": \"map.tmx\", \"flip\": {is_flipped}}}}}"
        );
        let source = source.with("made.json", json.as_str()).with("direct.json", direct);
        let made = level::load("made.json", &source).unwrap_or_else(|error| panic!("{error}\n{json}"));
        let direct = level::load("direct.json", &source).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(walkable(&made), walkable(&direct));
        let again = tiled::text(&made.def);
        assert_eq!(again, json, "reading and writing changes nothing");
        let hash = |level: Level| {
            walkon_runtime::world::state_hash::of(&level::spawn::build(level, None).world).whole()
        };
        assert_eq!(hash(made), hash(direct), "the same world");
    }
}

/// The value of an attribute in the first tag of a name: a scan that knows nothing of the reader.
fn stated<'t>(text: &'t str, tag: &str, key: &str) -> &'t str {
    let from = text.find(&format!("<{tag} ")).unwrap();
    let tag = &text[from..from + text[from..].find('>').unwrap()];
    let key = format!(" {key}=\"");
    tag.find(&key).map_or("", |at| tag[at + key.len()..].split('"').next().unwrap())
}

#[test]
fn maps_that_tiled_ships_import_with_what_their_files_state() {
    let Some(folder) = at_hand("tiled") else { return };
    let mut source = MemorySource::new();
    for file in files(&folder) {
        source = source.with(&file_name(&file), fs::read(&file).unwrap());
    }
    for file in files(&folder) {
        let name = file_name(&file);
        if !name.ends_with(".tmx") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let raw = imported(&source, &name).tiled.raw;
        let number = |tag: &str, key: &str| stated(&text, tag, key).parse::<u32>().unwrap_or(0);
        assert_eq!(raw.orientation.name(), stated(&text, "map", "orientation"), "{name}");
        assert_eq!((raw.width, raw.height), (number("map", "width"), number("map", "height")), "{name}");
        assert_eq!(
            (raw.tile_width_px, raw.tile_height_px),
            (number("map", "tilewidth"), number("map", "tileheight")),
            "{name}"
        );
        assert_eq!(raw.hex_side_px, number("map", "hexsidelength"), "{name}");
        assert_eq!(raw.stagger_x, stated(&text, "map", "staggeraxis") == "x", "{name}");
        let count = ["<layer ", "<objectgroup ", "<imagelayer "]
            .iter()
            .map(|tag| text.matches(tag).count())
            .sum::<usize>();
        assert_eq!(raw.layers.len(), count, "{name}");
        assert_eq!(raw.orientation == Orientation::Hexagonal, raw.hex_side_px > 0, "{name}");
        let level = level::load(&name, &source).unwrap_or_else(|error| panic!("{name}: {error}"));
        let NavigationDef::Tiles(tiles) = &level.def.navigation else { panic!("{name}: tiles") };
        let rows = &tiles.layers[0].rows;
        let covered = (rows[0].value.len() as u32, rows.len() as u32);
        assert!(raw.infinite || covered == (raw.width, raw.height), "{name}: {covered:?}");
    }
}

#[test]
fn a_path_across_every_map_that_tiled_ships_is_found_and_drawn() {
    let Some(folder) = at_hand("tiled") else { return };
    let mut source = MemorySource::new();
    for file in files(&folder) {
        source = source.with(&file_name(&file), fs::read(&file).unwrap());
    }
    let mut drawn = 0;
    for name in files(&folder).iter().map(|file| file_name(file)).filter(|name| name.ends_with(".tmx")) {
        let level = level::load(&name, &source).unwrap_or_else(|error| panic!("{name}: {error}"));
        let world = level::spawn::build(level, None).world;
        let frame = *world.nav().cells().unwrap().frame();
        let [columns, rows] = frame.tile_count();
        let place = |tile| {
            let [x, z] = frame.tile_centre(tile).unwrap();
            Vec3::new(x as f32, 0.0, z as f32)
        };
        // What nobody painted around an infinite map is no ground: from its first tile to its last.
        let all = (0..rows).flat_map(|row| (0..columns).map(move |column| [column, row]));
        let by = Traversal::default();
        let ground: Vec<_> = all.filter(|&tile| world.nav().is_walkable(place(tile), &by)).collect();
        let (from, to) = (place(ground[0]), place(ground[ground.len() - 1]));
        let query = PathQuery {
            start: from,
            goal: to,
            by: by.clone(),
            accept: Accept::Nearest,
            goal_layer: None,
            expansions_max: u32::MAX,
            others: None,
        };
        let (answer, record) = world.nav().plan_recorded(&query, &mut Search::default());
        assert_eq!(answer.status, PathStatus::Complete, "{name}");
        let mut picture = Picture::new(name.as_str(), world.nav().bounds(), 1.0);
        let scene = SearchScene {
            world: &world,
            from,
            to,
            by: &by,
            record: &record,
            answer: &answer,
            others: &[],
            parts: Parts::all(),
        };
        draw_search(&mut picture, &scene);
        let tiles = picture.shapes_of("cells").map(|shape| match &shape.form {
            Figure::Facets(facets) => facets.len(),
            _ => 0,
        });
        let (tiles, is_shifted) =
            (tiles.sum::<usize>(), !matches!(frame.layout(), Layout::Square4 | Layout::Square8));
        // Each tile once, and once more where it was searched.
        let all = if is_shifted { (columns * rows) as usize } else { 0 };
        assert!((all..=2 * all).contains(&tiles), "{name}: {tiles} for {all} tiles");
        let line =
            picture.shapes_of("search").find(|shape| shape.tag == Tag::Search("smooth")).expect("a line");
        let Figure::Line(points) = &line.form else { panic!("{name}: a line") };
        assert_eq!(points.len(), answer.path.points.len(), "{name}");
        assert!(points.iter().all(|&point| picture.bounds.grown(1e-6).contains(point)), "{name}");
        drawn += 1;
    }
    assert!(drawn >= 6, "{drawn}");
}

#[test]
fn the_csv_of_a_shipped_map_is_what_its_text_says() {
    let Some(file) = at_hand("tiled/test_hexagonal_tile_60x60x30.tmx") else { return };
    let text = fs::read_to_string(file).unwrap();
    let raw = imported(&MemorySource::new().with("a.tmx", text.as_str()), "a.tmx").tiled.raw;
    let RawContent::Tiles { gids, .. } = &raw.layers[0].content else { panic!("a layer of tiles") };
    let data = text.split("csv\">").nth(1).unwrap().split('<').next().unwrap();
    let numbers: Vec<u32> = data.split(',').map(|number| number.trim().parse().unwrap()).collect();
    assert_eq!(*gids, numbers);
    assert!(
        gids.iter().filter(|gid| **gid != 0).all(|gid| gid & GID_MASK == 1),
        "every flip is the same tile"
    );
}

#[test]
fn what_old_and_new_versions_write_beside_is_left_out_with_a_note() {
    let head = "<?xml version=\"1.0\"?><!DOCTYPE map SYSTEM \"http://mapeditor.org/dtd/1.0/map.dtd\">";
    let more = "<imagelayer name=\"sky\"><image source=\"sky.png\"/></imagelayer><hologram depth=\"3\"/>\
        <objectgroup><object id=\"1\"><capsule/></object><object id=\"2\" name=\"t\" x=\"0\" y=\"0\">\
        <text wrap=\"1\">hi</text></object></objectgroup>";
    let text = format!(
        "{head}{}",
        map(&["11"], "", "<wangsets/><tile id=\"3\"><animation/><objectgroup/></tile>", more)
    );
    let source = MemorySource::new().with("map.tmx", text);
    let found = imported(&source, "map.tmx").diagnostics;
    let notes: Vec<&str> = found
        .iter()
        .filter(|found| found.message.starts_with("left out"))
        .map(|found| found.message.as_str())
        .collect();
    assert_eq!(notes.len(), 3, "{notes:?}");
    assert!(
        notes.iter().any(|note| note.contains("image layer"))
            && notes.iter().any(|note| note.contains("<hologram>"))
            && notes.iter().any(|note| note.contains("text of object \"t\""))
    );
}

#[test]
fn seed_t9_flags_forbid_leaving_and_diagonals_need_both_sides() {
    // The middle tile may not be left towards the east.
    let tiles = |value: &str| {
        format!("<tile id=\"1\"><properties><property name=\"oneWay\" {value}/></properties></tile>")
    };
    for value in ["type=\"int\" value=\"4\"", "value=\"east\""] {
        let level = load(&map(&["0111", "0211", "0111"], WALKABLE, &tiles(value), ""));
        let NavigationDef::Tiles(def) = &level.def.navigation else { panic!("tiles") };
        let ways: Vec<_> = def.legend.iter().filter_map(|(_, entry)| entry.one_way.clone()).collect();
        assert_eq!(format!("{ways:?}"), "[[South, West, North]]", "{value}");
    }
    let level = load(&map(&["12"], WALKABLE, &tiles("value=\"up\""), ""));
    let NavigationDef::Tiles(def) = &level.def.navigation else { panic!("tiles") };
    assert!(def.legend.iter().all(|(_, entry)| entry.one_way.is_none()));
    let note = level.diagnostics.iter().find(|found| found.code == "property").unwrap();
    assert!(note.message.contains("oneWay of tile 1 has \"up\""), "{}", note.message);
}

#[test]
fn seed_t5_layers_of_the_file_go_to_the_layer_they_name() {
    let layer = |number: &str, cells: &str| {
        format!(
            "<layer name=\"l\" width=\"2\" height=\"1\"><properties>{WALKABLE}\
        <property name=\"collisionLayer\" type=\"int\" value=\"{number}\"/></properties>\
        <data encoding=\"csv\">{cells}</data></layer>"
        )
    };
    let wrap = |count: &str, layers: &str| {
        format!(
            "<map width=\"2\" height=\"1\" tilewidth=\"16\" tileheight=\"16\"><properties>\
        <property name=\"navigationLayers\" type=\"int\" value=\"{count}\"/></properties>\
        <tileset firstgid=\"1\" tilewidth=\"16\" tileheight=\"16\" tilecount=\"9\"/>{layers}</map>"
        )
    };
    let text = wrap("3", &[layer("0", "1,0"), layer("1", "0,1")].concat());
    let level = load(&text);
    let NavigationDef::Tiles(tiles) = &level.def.navigation else { panic!("tiles") };
    let rows: Vec<_> =
        tiles.layers.iter().map(|layer| (layer.name.value.as_str(), layer.rows[0].value.as_str())).collect();
    assert_eq!(rows, [("ground", ".#"), ("sky", "#."), ("underground", "..")]);
    let level = load(&wrap("2", &layer("2", "1,0")));
    assert_eq!(walkable(&level), [".#"], "a layer that names no layer of walkers is one of the ground");
    assert!(level.diagnostics.iter().any(|found| found.message.contains("expected 0 to 1")));
}

#[test]
fn seed_t8_and_t11_words_of_a_tile_are_read_back() {
    let tiles = "<tile id=\"0\"><properties><property name=\"isSafeZone\" type=\"bool\" value=\"true\"/>\
        <property name=\"isDynamic\" type=\"bool\" value=\"true\"/><property name=\"destroyedState\" value=\"rubble\"/>\
        <property name=\"tags\" value=\"inn, quiet\"/></properties></tile>";
    let level = load(&map(&["1"], WALKABLE, tiles, ""));
    let world = level::spawn::build(level, None).world;
    let tags = world
        .tiles()
        .and_then(|tiles| tiles.tile(walkon_runtime::world::tiles::TileSpot { layer: 0, column: 0, row: 0 }))
        .map(|tile| tile.tags.clone());
    let expected = ["destroyedState=rubble", "dynamic", "inn", "quiet", "safeZone"];
    assert_eq!(tags.unwrap(), expected);
}

/// Every kind of map: orientation, stagger axis and index, tile in pixels, straight side of a hexagon.
fn kinds() -> Vec<(&'static str, bool, bool, [f64; 2], f64)> {
    let mut kinds =
        vec![("orthogonal", false, false, [16.0, 24.0], 0.0), ("isometric", false, false, [64.0, 32.0], 0.0)];
    for (stagger_x, is_even) in [(false, false), (false, true), (true, false), (true, true)] {
        kinds.push(("staggered", stagger_x, is_even, [64.0, 32.0], 0.0));
        kinds.push(("hexagonal", stagger_x, is_even, [60.0, 60.0], 30.0));
        kinds.push(("hexagonal", stagger_x, is_even, [32.0, 28.0], 10.0));
        // What slanted sides take is no whole number of pixels.
        kinds.push(("hexagonal", stagger_x, is_even, [18.0, 18.0], 9.0));
        kinds.push(("hexagonal", stagger_x, is_even, [14.0, 14.0], 7.0));
    }
    kinds
}

/// The middle of a tile in the pixels that objects count, as Tiled draws it.
fn middle_px(
    (orientation, stagger_x, is_even, [w, h], side): (&str, bool, bool, [f64; 2], f64),
    [x, y]: [u32; 2],
) -> [f64; 2] {
    let (column, row) = (f64::from(x), f64::from(y));
    let moved = |number: u32| if (number % 2 == 1) != is_even { 0.5 } else { 0.0 };
    let pitch = |size: f64| ((size - side) / 2.0).floor() + side;
    match (orientation, stagger_x) {
        ("orthogonal", _) => [(column + 0.5) * w, (row + 0.5) * h],
        ("isometric", _) => [(column + 0.5) * h, (row + 0.5) * h],
        (_, false) => [(column + 0.5 + moved(y)) * w, row * pitch(h) + h / 2.0],
        (_, true) => [column * pitch(w) + w / 2.0, (row + 0.5 + moved(x)) * h],
    }
}

#[test]
fn an_object_in_the_middle_of_a_tile_stands_on_that_tile_on_every_kind_of_map() {
    use walkon_runtime::nav::Traversal;
    let by = Traversal { radius_m: 0.0, ..Traversal::default() };
    for kind in kinds() {
        let (orientation, stagger_x, is_even, [w, h], side) = kind;
        for (tile, flip, infinite) in
            [([0, 0], false, false), ([2, 1], true, false), ([3, 3], false, true), ([1, 2], true, true)]
        {
            let [px, py] = middle_px(kind, tile);
            let cell = |at: u32| u32::from(at == tile[1] * 4 + tile[0]);
            let csv: Vec<String> = (0..20).map(|at| cell(at).to_string()).collect();
            let csv = csv.join(",");
            // A chunk further up and to the left makes the first row and column odd ones.
            let data = match infinite {
                false => csv,
                true => format!(
                    "<chunk x=\"-1\" y=\"-1\" width=\"1\" height=\"1\">1</chunk>\
                        <chunk x=\"0\" y=\"0\" width=\"4\" height=\"5\">{csv}</chunk>"
                ),
            };
            let (axis, index) = (if stagger_x { "x" } else { "y" }, if is_even { "even" } else { "odd" });
            let text = format!(
                "<map orientation=\"{orientation}\" width=\"4\" height=\"5\" tilewidth=\"{w}\" tileheight=\"{h}\" \
                 hexsidelength=\"{side}\" \
                 staggeraxis=\"{axis}\" staggerindex=\"{index}\" infinite=\"{}\"><tileset firstgid=\"1\" tilecount=\"1\"/>\
                 <layer name=\"a\" width=\"4\" height=\"5\"><properties>{WALKABLE}</properties>\
                 <data encoding=\"csv\">{data}</data></layer>\
                 <objectgroup><object id=\"1\" name=\"p\" x=\"{px}\" y=\"{py}\"><point/></object>\
                 <object id=\"2\" name=\"q\" type=\"door\" x=\"{px}\" y=\"{py}\"><point/></object></objectgroup></map>",
                u8::from(infinite)
            );
            let json =
                format!("{{\"navigation\": {{\"kind\": \"tiled\", \"file\": \"m.tmx\", \"flip\": {flip}}}}}");
            let source = MemorySource::new().with("m.tmx", text).with("a.json", json);
            let level = level::load("a.json", &source).unwrap_or_else(|error| panic!("{kind:?}: {error}"));
            let case = format!("{kind:?} tile {tile:?} flip {flip} infinite {infinite}");
            let at = level.resolved.marks[0].position;
            let area = &level.resolved.areas[0];
            let centre = area.bounds.centre();
            assert!(
                (centre[0] - f64::from(at.x)).abs() < 1e-3 && (centre[1] - f64::from(at.z)).abs() < 1e-3,
                "{case}: {at} in {centre:?}"
            );
            assert_eq!(level.map.area_cells(walkon_runtime::base::ids::AreaId::from(0)), 1, "{case}");
            let mut open = level.map.clone();
            let edit = walkon_runtime::nav::AreaEdit {
                area: walkon_runtime::base::ids::AreaId::from(0),
                available: Some(true),
                factor: None,
            };
            open.apply(&[walkon_runtime::nav::NavEdit::Area(edit)]);
            assert!(open.is_walkable(at, &by), "{case}: {at}");
        }
    }
}

#[test]
fn stairs_join_the_layers_they_name() {
    let layer = |number: u8| {
        format!(
            "<layer name=\"l{number}\" width=\"4\" height=\"1\"><properties>{WALKABLE}\
        <property name=\"collisionLayer\" type=\"int\" value=\"{number}\"/></properties>\
        <data encoding=\"csv\">1,1,1,1</data></layer>"
        )
    };
    let objects = "<objectgroup><object id=\"1\" name=\"up\" type=\"stairs\" x=\"8\" y=\"8\"><point/><properties>\
        <property name=\"targetObject\" type=\"object\" value=\"2\"/>\
        <property name=\"bothWays\" type=\"bool\" value=\"false\"/></properties></object>\
        <object id=\"3\" name=\"hole\" type=\"ladder\" x=\"56\" y=\"8\"><point/><properties>\
        <property name=\"toLayer\" value=\"sky\"/></properties></object></objectgroup>\
        <objectgroup><properties><property name=\"collisionLayer\" type=\"int\" value=\"1\"/></properties>\
        <object id=\"2\" name=\"top\" x=\"40\" y=\"8\"><point/></object></objectgroup>";
    let wrap = |objects: &str| {
        format!(
            "<map width=\"4\" height=\"1\" tilewidth=\"16\" tileheight=\"16\">\
        <tileset firstgid=\"1\" tilewidth=\"16\" tileheight=\"16\" tilecount=\"9\"/>{}{}{objects}</map>",
            layer(0),
            layer(1)
        )
    };
    let source = MemorySource::new().with("map.tmx", wrap(objects));
    let def = imported(&source, "map.tmx").tiled.def;
    let NavigationDef::Tiles(tiles) = &def.navigation else { panic!("tiles") };
    let links: Vec<String> = tiles
        .links
        .iter()
        .map(|link| {
            let end = |end: &level::LinkEnd| format!("{} {}", end.layer.value, end.position.value.x);
            format!("{} -> {} {}", end(&link.from), end(&link.to), link.both_ways)
        })
        .collect();
    assert_eq!(links, ["ground 0.5 -> sky 2.5 false", "ground 3.5 -> sky 3.5 true"]);
    let json = tiled::text(&def);
    let source = source.with("made.json", json.as_str());
    let made = level::load("made.json", &source).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(tiled::text(&made.def), json);
    for (wrong, code) in [("value=\"2\"", "value=\"7\""), ("value=\"sky\"", "value=\"cellar\"")]
        .into_iter()
        .zip(["unresolved", "range"])
    {
        assert_eq!(refusal(&wrap(&objects.replace(wrong.0, wrong.1))).code, code);
    }
}

#[test]
fn fault_f16_objects_that_cover_the_map_a_thousand_times_end_in_a_limit() {
    let wide = "<object x=\"0\" y=\"0\" width=\"9999999\" height=\"9999999\"><ellipse/></object>".repeat(20);
    let text = format!(
        "<map width=\"1000\" height=\"1000\" tilewidth=\"16\" tileheight=\"16\">\
            <objectgroup name=\"collision\">{wide}</objectgroup></map>"
    );
    let found = refusal(&text);
    assert_eq!(found.code, "limit");
    assert!(found.message.contains("comparisons"), "{}", found.message);
}

#[test]
fn inv_mutated_maps_of_tiled_never_panic_and_every_refusal_has_a_place() {
    let folder_path = root().join("tests/data/tiled");
    let (mut state, mut refused, mut taken) = (0x9E37_79B9_7F4A_7C15u64, 0, 0);
    let mut roll = |sides: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % sides.max(1) as u64) as usize
    };
    let source = folder("tiled");
    let words: [&[u8]; 9] = [b"<", b"\"", b"-1", b"99999999999", b"&a;", b"{", b"]", b"0", b"\xFF"];
    for file in files(&folder_path) {
        let (name, bytes) = (file_name(&file), fs::read(&file).unwrap());
        if !tiled::is_tiled(&name) {
            continue;
        }
        for _ in 0..60 {
            let mut broken = bytes.clone();
            for _ in 0..=roll(3) {
                let at = roll(broken.len());
                match roll(4) {
                    0 => broken.truncate(at),
                    1 => broken[at] ^= 1 << roll(8),
                    2 => drop(broken.splice(at..at, words[roll(words.len())].iter().copied())),
                    _ => drop(broken.drain(at..(at + roll(20)).min(bytes.len().min(at + 1)))),
                }
                if broken.is_empty() {
                    break;
                }
            }
            match import(&source.clone().with(&name, broken), &name) {
                Ok(_) => taken += 1,
                Err(found) => {
                    refused += 1;
                    let first = found.iter().find(|found| found.severity == Severity::Error).unwrap();
                    assert!(first.line >= 1 && first.column >= 1 && !first.message.is_empty(), "{first:?}");
                }
            }
        }
    }
    assert!(refused > 300 && taken > 20, "{refused} refused, {taken} taken");
}

/// The errors of a map that has one fault.
fn errors_of(source: &MemorySource) -> Vec<Diagnostic> {
    let found = import(source, "maps/map.tmx").expect_err("it is refused");
    found.into_iter().filter(|found| found.severity == Severity::Error).collect()
}

#[test]
fn one_fault_of_a_map_is_one_error_and_what_is_offered_instead_fits() {
    let map = |tileset: &str, object: &str| {
        format!(
            "<map orientation=\"orthogonal\" width=\"2\" height=\"1\" tilewidth=\"16\" tileheight=\"16\">\
             <tileset firstgid=\"1\" source=\"{tileset}\"/>\
             <layer name=\"floor\" width=\"2\" height=\"1\"><data encoding=\"csv\">1,1</data></layer>\
             <objectgroup name=\"things\"><object id=\"1\" name=\"gold\" gid=\"1\" x=\"0\" y=\"16\"/>{object}</objectgroup></map>"
        )
    };
    let with = |text: String| {
        MemorySource::new()
            .with("maps/map.tmx", text)
            .with("maps/mop.tx", "<template><object/></template>")
            .with("maps/set.tsx", "<tileset tilewidth=\"16\" tileheight=\"16\" tilecount=\"4\"/>")
    };
    let point = |x: &str| format!("<object id=\"2\" x=\"{x}\" y=\"0\"><point/></object>");
    let line =
        |x: &str| format!("<object id=\"2\" x=\"0\" y=\"0\"><polyline points=\"0,0 {x},0\"/></object>");
    let of_template = |name: &str| format!("<object id=\"2\" template=\"{name}\" x=\"0\" y=\"0\"/>");
    for (text, code, said, help) in [
        (map("sat.tsx", ""), "unresolved", "cannot be read", Some("did you mean \"maps/set.tsx\"?")),
        (map("sat.tsj", ""), "unresolved", "cannot be read", Some("did you mean \"maps/set.tsx\"?")),
        (
            map("set.tsx", &of_template("map.tx")),
            "unresolved",
            "cannot be read",
            Some("did you mean \"maps/mop.tx\"?"),
        ),
        (
            map("set.tsx", &of_template("met.tx")),
            "unresolved",
            "cannot be read",
            Some("did you mean \"maps/mop.tx\"?"),
        ),
        (map("set.tsx", &of_template("far_off.tx")), "unresolved", "cannot be read", None),
        (map("set.tsx", &point("1e30")), "limit", "expected -1000000000 to 1000000000", None),
        (map("set.tsx", &line("1e30")), "limit", "each -1000000000 to 1000000000", None),
        (map("set.tsx", &point("inf")), "number", "expected a finite number", None),
        (map("set.tsx", &line("inf")), "number", "expected two numbers with a comma", None),
    ] {
        let errors = errors_of(&with(text.clone()));
        let [one] = &errors[..] else { panic!("{text}: {errors:#?}") };
        assert_eq!(one.code, code, "{text}: {one:?}");
        assert!(one.message.contains(said), "{text}: {one:?}");
        assert_eq!(one.help.as_deref(), help, "{text}");
    }
}

#[test]
fn a_map_that_is_drawn_askew_says_that_it_is_read_as_if_it_were_not() {
    let map = |orientation: &str| {
        let text = format!(
            "<map orientation=\"{orientation}\" width=\"2\" height=\"1\" tilewidth=\"16\" tileheight=\"16\">\
             <tileset firstgid=\"1\" tilewidth=\"16\" tileheight=\"16\" tilecount=\"4\"/>\
             <layer name=\"floor\" width=\"2\" height=\"1\"><data encoding=\"csv\">1,1</data></layer></map>"
        );
        let level = level::load("map.tmx", &MemorySource::new().with("map.tmx", text)).unwrap();
        level.diagnostics.iter().filter(|found| found.message.contains("oblique")).count()
    };
    assert_eq!((map("oblique"), map("orthogonal")), (1, 0));
}
