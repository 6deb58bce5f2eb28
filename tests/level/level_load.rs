//! Levels with their files and maps: what is refused or warned of once the map is built, the round trip of
//! text grids, the levels that ship, and twenty thousand mutated files that must never panic.

use walkon_runtime::level::{
    self, Diagnostic, FileSource, Level, LevelError, MemorySource, Severity, SourceError,
};

const HOUSE: &[u8] = include_bytes!("../../levels/house.json");
const RUINS: &[u8] = include_bytes!("../../levels/ruins.json");
const EVERY_KEY: &[u8] = include_bytes!("../data/every_key.json");

fn files(level: &str) -> MemorySource {
    MemorySource::new().with("levels/test.json", level)
}

fn load(level: &str) -> Result<Level, LevelError> {
    level::load("levels/test.json", &files(level))
}

fn loaded(level: &str) -> Level {
    load(level).unwrap_or_else(|error| panic!("{error}"))
}

/// The only warning of a level that loads.
fn warning(level: &str) -> Diagnostic {
    let level = loaded(level);
    assert_eq!(level.diagnostics.len(), 1, "expected one warning, got {:#?}", level.diagnostics);
    level.diagnostics[0].clone()
}

/// The only error of a level that does not load.
fn error(level: &str) -> Diagnostic {
    match load(level) {
        Ok(_) => panic!("expected an error"),
        Err(error) => only_error(error),
    }
}

fn only_error(error: LevelError) -> Diagnostic {
    let errors: Vec<_> = error.diagnostics.into_iter().filter(|d| d.severity == Severity::Error).collect();
    assert_eq!(errors.len(), 1, "expected one error, got {errors:#?}");
    errors.into_iter().next().unwrap()
}

/// A level of areas and obstacles by name and polygon, with more keys after the map.
fn level(areas: &[(&str, &str)], obstacles: &[(&str, &str)], rest: &str) -> String {
    let list = |items: &[(&str, &str)]| {
        let items: Vec<String> = items
            .iter()
            .map(|(name, polygon)| format!("{{ \"name\": \"{name}\", \"polygon\": {polygon} }}"))
            .collect();
        items.join(", ")
    };
    let comma = if rest.is_empty() { "" } else { ",\n" };
    format!(
        "{{ \"navigation\": {{ \"areas\": [{}], \"obstacles\": [{}] }}{comma}{rest} }}",
        list(areas),
        list(obstacles)
    )
}

const ROOM: (&str, &str) = ("room", "[[0,0],[10,0],[10,10],[0,10]]");

fn walkable(level: &Level) -> Vec<bool> {
    level::text_grid(level, 0).unwrap().walkable
}

#[test]
fn fault_f11_a_grid_too_big_is_refused_before_anything_is_allocated() {
    let text = "{ \"navigation\": { \"cellSize\": 0.01, \"areas\": [ { \"name\": \"plain\", \"polygon\": [[-500000,-500000],[500000,-500000],[500000,500000],[-500000,500000]] } ] } }";
    let found = error(text);
    assert_eq!(
        (found.code, found.line, found.column, found.pointer.as_str()),
        ("grid-too-big", 1, 17, "/navigation")
    );
    assert_eq!(found.message, "the grid needs 10^16 cells, limit 16,777,216");
    assert_eq!(found.help.as_deref(), Some("make the areas smaller"));
    let read = level::read(text.as_bytes(), "levels/test.json");
    assert_eq!(read.diagnostics[0], found, "reading alone says the same");
    let found = error(&level(&[("plain", "[[0,0],[4000,0],[4000,4000],[0,4000]]")], &[], ""));
    assert_eq!(found.help.as_deref(), Some("set cellSize to 0.98 or more, or make the areas smaller"));
}

#[test]
fn fault_f12_an_area_thinner_than_a_cell_is_a_warning() {
    let found = warning(&level(&[ROOM, ("sill", "[[20,0.21],[24,0.21],[24,0.29],[20,0.29]]")], &[], ""));
    assert_eq!(
        (found.code, found.severity, found.pointer.as_str()),
        ("no-cells", Severity::Warning, "/navigation/areas/1")
    );
    assert_eq!(found.message, "area \"sill\" owns no cell: the middle of none lies inside it");
}

#[test]
fn a_map_far_from_the_origin_is_a_warning_that_says_how_far_and_where_to() {
    let shifted = |by: u32| {
        let [low, high] = [by, by + 10];
        format!("[[{low},0],[{high},0],[{high},10],[{low},10]]")
    };
    let found = warning(&level(&[("room", &shifted(300_000))], &[], ""));
    assert_eq!((found.code, found.pointer.as_str()), ("extent", "/navigation"));
    assert!(
        found.message.starts_with("the map reaches to [300012, 12], expected -50000 to 50000 metres: places there are rounded to 0.031 m"),
        "{}",
        found.message
    );
    assert_eq!(found.help.as_deref(), Some("move the whole level near to [0, 0]"));
    let near = loaded(&level(&[("room", &shifted(49_000))], &[], ""));
    assert!(near.diagnostics.iter().all(|found| found.code != "extent"));
    assert!(level::manual().contains("50000 metres"));
}

#[test]
fn seed_b6_an_area_of_three_decimetres_is_reported_by_name() {
    // Cells are 0.4 m wide and begin at -1.5, so none has its middle between 0.91 and 1.21.
    let text = level(&[ROOM, ("plank", "[[12,0.75],[20,0.75],[20,1.05],[12,1.05]]")], &[], "");
    let level = loaded(&text);
    assert!(level.diagnostics.iter().any(|d| d.code == "no-cells" && d.message.contains("\"plank\"")));
}

#[test]
fn fault_f13_an_ignored_obstacle_takes_nothing_away() {
    let with = loaded(&level(&[ROOM], &[("line", "[[2,2],[8,8]]")], ""));
    assert_eq!(walkable(&with), walkable(&loaded(&level(&[ROOM], &[], ""))));
    assert_eq!(with.resolved.areas[1].name, "line", "its name is still known");
}

#[test]
fn fault_f14_a_bow_tie_is_walkable_by_the_even_odd_rule() {
    let level = loaded(&level(&[("tie", "[[0,0],[10,10],[10,0],[0,10]]")], &[], ""));
    let inside =
        |x, z| level.map.is_walkable(glam::Vec3::new(x, 0.0, z), &walkon_runtime::nav::Traversal::default());
    assert!(inside(1.0, 5.0) && inside(9.0, 5.0) && !inside(5.0, 1.0) && !inside(5.0, 9.0));
}

#[test]
fn what_is_said_of_a_whole_map_is_said_of_the_level_whatever_files_it_names() {
    let root = walkon_runtime::disk::Folder::open(crate::place::root()).unwrap();
    for path in ["levels/courtyard.json", "levels/tavern.json", "levels/tower.json", "levels/village.json"] {
        let found = level::report(&level::load(path, &root).unwrap());
        let said: Vec<&str> =
            found.iter().filter(|one| one.code == "map").map(|one| one.path.as_str()).collect();
        assert!(!said.is_empty() && said.iter().all(|own| *own == path), "{path}: {said:?}");
    }
}

#[test]
fn fault_f15_an_area_in_a_component_of_its_own_is_reported() {
    let far = ("island", "[[20,0],[25,0],[25,5],[20,5]]");
    let level = loaded(&level(&[ROOM, ("annex", "[[10,0],[14,0],[14,10],[10,10]]"), far], &[], ""));
    let found = level::report(&level);
    let warnings: Vec<_> = found.iter().filter(|d| d.severity == Severity::Warning).collect();
    assert_eq!(warnings.len(), 1, "{found:#?}");
    assert_eq!((warnings[0].code, warnings[0].pointer.as_str()), ("island", "/navigation/areas/2"));
    assert_eq!(
        warnings[0].message,
        "no way leads from area \"island\" to any other, even with every door open"
    );
    assert!(found.iter().any(|d| d.code == "map" && d.message.contains("in 2 parts")), "{found:#?}");
}

#[test]
fn fault_f15_holes_that_share_a_corner_and_overlapping_areas_load_in_silence() {
    let level = loaded(&level(
        &[ROOM, ("rug", "[[4,4],[14,4],[14,8],[4,8]]"), ("twin", "[[4,4],[14,4],[14,8],[4,8]]")],
        &[("a", "[[2,2],[3,2],[3,3],[2,3]]"), ("b", "[[3,3],[4,3],[4,4],[3,4]]")],
        "",
    ));
    assert_eq!(level.diagnostics, []);
}

#[test]
fn fault_f16_ten_thousand_polygons_load_within_the_time() {
    let squares: Vec<(String, String)> = (0..10_000)
        .map(|i| {
            let (x, z) = (f64::from(i % 100) * 4.0, f64::from(i / 100) * 4.0);
            (format!("a{i}"), format!("[[{x},{z}],[{0},{z}],[{0},{1}],[{x},{1}]]", x + 3.0, z + 3.0))
        })
        .collect();
    let squares: Vec<(&str, &str)> =
        squares.iter().map(|(name, polygon)| (name.as_str(), polygon.as_str())).collect();
    let level = loaded(&level(&squares, &[], ""));
    assert_eq!(level.resolved.areas.len(), 10_000);
}

#[test]
fn fault_f19_a_map_file_that_is_missing_is_refused_with_the_nearest() {
    let source = files("{ \"navigation\": \"hal.txt\" }").with("levels/hall.txt", "");
    let found = only_error(level::load("levels/test.json", &source).unwrap_err());
    assert_eq!(
        (found.code, found.line, found.column, found.pointer.as_str()),
        ("unresolved", 1, 17, "/navigation")
    );
    assert_eq!(found.message, "\"levels/hal.txt\" cannot be read: there is no such file");
    assert_eq!(found.help.as_deref(), Some("did you mean \"levels/hall.txt\"?"));
    let missing = level::load("levels/tset.json", &source).unwrap_err();
    assert_eq!(missing.source, Some(SourceError::NotFound));
    assert_eq!(only_error(missing).help.as_deref(), Some("did you mean \"levels/test.json\"?"));
}

#[test]
fn fault_f19_a_door_into_a_map_file_is_checked_against_that_file() {
    let source = files("{ \"navigation\": \"hall.json\", \"doors\": [ { \"name\": \"gate\", \"area\": \"gatway\" } ] }")
        .with("levels/hall.json", "{ \"areas\": [ { \"name\": \"gateway\", \"polygon\": [[0,0],[9,0],[9,9]] }, { \"name\": \"gate\", \"polygon\": [[9,0],[19,0],[19,9]] } ] }");
    let found = only_error(level::load("levels/test.json", &source).unwrap_err());
    assert_eq!(
        (found.code, found.path.as_str(), found.pointer.as_str()),
        ("unresolved", "levels/test.json", "/doors/0/area")
    );
    assert_eq!(found.help.as_deref(), Some("did you mean \"gateway\"?"));
}

#[test]
fn a_fault_in_a_map_file_is_placed_in_that_file() {
    let source = files("{ \"navigation\": \"hall.json\" }")
        .with("levels/hall.json", "{\n \"areas\": [ { \"name\": \"a\" } ] }");
    let found = only_error(level::load("levels/test.json", &source).unwrap_err());
    assert_eq!(
        (found.path.as_str(), found.line, found.column, found.pointer.as_str()),
        ("levels/hall.json", 2, 13, "/areas/0")
    );
}

#[test]
fn fault_f20_a_map_without_a_walkable_cell_loads_with_a_warning() {
    let found = loaded("{ \"navigation\": { \"kind\": \"ascii\", \"rows\": [\"##\", \"##\"] } }").diagnostics;
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].code, found[0].message.as_str()),
        ("no-cells", "no cell of this map can be walked on")
    );
}

#[test]
fn fault_f20_the_help_is_about_the_kind_of_map() {
    let help = |map: &str| {
        let found = loaded(&format!("{{ \"navigation\": {{ {map} }} }}")).diagnostics;
        let found = found.into_iter().find(|found| found.code == "no-cells").expect(map);
        (found.message, found.help.unwrap())
    };
    let (message, advice) = help("\"kind\": \"graph\", \"points\": [], \"links\": []");
    assert_eq!(message, "no point of this map can be walked on");
    assert_eq!(advice, "give the graph points, and links between them");
    let (_, advice) = help("\"kind\": \"mesh\", \"vertices\": [], \"polygons\": []");
    assert_eq!(advice, "give the mesh polygons");
    let (_, advice) = help("\"kind\": \"tiles\", \"layers\": [{ \"name\": \"g\", \"rows\": [\"###\"] }]");
    assert_eq!(advice, "draw tiles that can be walked on");
    let (_, advice) = help("\"kind\": \"ascii\", \"rows\": [\"##\"]");
    assert_eq!(advice, "draw cells that can be walked on");
    let (_, advice) = help("\"areas\": [{ \"name\": \"a\", \"polygon\": [[0,0],[0.1,0],[0,0.1]] }]");
    assert_eq!(advice, "make the areas larger, or cellSize and the paddings smaller");
}

#[test]
fn fault_f20_ground_that_is_shut_is_named_and_meshes_have_no_cells() {
    let found = |level: &str, code: &str| {
        let found = match load(level) {
            Ok(level) => level.diagnostics,
            Err(error) => error.diagnostics,
        };
        let found = found.into_iter().find(|found| found.code == code).expect(level);
        (found.message, found.help.unwrap())
    };
    let area = "\"areas\": [{ \"name\": \"cell\", \"polygon\": [[0,0],[4,0],[4,4],[0,4]]";
    for kind in ["", "\"kind\": \"mesh\", "] {
        let door = format!(
            "{{ \"navigation\": {{ {kind}{area} }}] }}, \"doors\": [{{ \"name\": \"d\", \"area\": \"cell\" }}], \
             \"characters\": [{{ \"name\": \"c\", \"position\": [2,2] }}] }}"
        );
        let (_, advice) = found(&door, "no-cells");
        assert_eq!(
            advice,
            "door \"d\" is closed over area \"cell\": open it, or lay ground that is not part of a door"
        );
        assert_eq!(found(&door, "spawn").1, "this map has no ground to stand on");
        let off = format!("{{ \"navigation\": {{ {kind}{area}, \"available\": false }}] }} }}");
        let (_, advice) = found(&off, "no-cells");
        assert_eq!(advice, "area \"cell\" is not available: make it available, or lay other ground");
    }
    let thin = format!(
        "{{ \"navigation\": {{ \"kind\": \"mesh\", \"boundaryPadding\": 0.35, {area} }}, {{ \"name\": \"thin\", \
         \"polygon\": [[20,0],[20.05,0],[20.05,0.05],[20,0.05]] }}] }} }}"
    );
    let (message, advice) = found(&thin, "no-cells");
    assert_eq!(message, "area \"thin\" has no polygon: the paddings leave nothing of it");
    assert_eq!(advice, "make it larger, or the paddings smaller");
}

#[test]
fn links_that_end_on_no_ground_are_warned_of() {
    let mesh = "\"kind\": \"mesh\", \"vertices\": [[0,0],[10,0],[10,10],[0,10]], \"polygons\": [[0,1,2,3]]";
    let graph = "\"kind\": \"graph\", \"points\": [[0,0,0],[10,0,10]], \"links\": [[0,1]]";
    let cases =
        [("[1,1]", "[50,50]", Some("to")), ("[-50,1]", "[9,9]", Some("from")), ("[1,1]", "[9,9]", None)];
    for (map, (from, to, end)) in [mesh, graph].into_iter().flat_map(|map| cases.map(|case| (map, case))) {
        let links = format!("\"actionLinks\": [{{ \"from\": {from}, \"to\": {to}, \"action\": \"jump\" }}]");
        let found = loaded(&format!("{{ \"navigation\": {{ {map}, {links} }} }}")).diagnostics;
        let pointers: Vec<&str> = found.iter().map(|found| found.pointer.as_str()).collect();
        let expected = end.map(|end| format!("/navigation/actionLinks/0/{end}"));
        assert_eq!(pointers, Vec::from_iter(expected.as_deref()), "{map}: {found:?}");
    }
}

#[test]
fn fault_f21_a_character_in_a_wall_is_moved_or_refused() {
    let guard = |x: f64| format!("\"characters\": [ {{ \"name\": \"guard\", \"position\": [{x}, 5] }} ]");
    let found = warning(&level(&[ROOM], &[], &guard(-3.0)));
    assert_eq!((found.code, found.line, found.pointer.as_str()), ("spawn", 2, "/characters/0/position"));
    assert!(
        found.message.starts_with("character \"guard\" cannot stand here and will begin at ["),
        "{}",
        found.message
    );
    let found = error(&level(&[ROOM], &[], &guard(-30.0)));
    assert_eq!((found.code, found.severity), ("spawn", Severity::Error));
    assert_eq!(found.message, "character \"guard\" cannot stand here, nor anywhere within 8 m");
    assert!(found.help.unwrap().starts_with("the nearest place to stand is ["));
    assert_eq!(loaded(&level(&[ROOM], &[], &guard(5.0))).diagnostics, []);
}

#[test]
fn fault_f25_a_file_above_the_limit_is_refused_by_the_source() {
    let big = vec![b' '; 16 * 1024 * 1024 + 1];
    let source = MemorySource::new().with("big.json", big);
    let refused = level::load("big.json", &source).unwrap_err();
    assert_eq!(refused.source, Some(SourceError::TooBig { bytes_max: 16 * 1024 * 1024 }));
    assert_eq!(only_error(refused).code, "size");
    assert_eq!(source.read("big.json", 10), Err(SourceError::TooBig { bytes_max: 10 }));
}

#[test]
fn fault_f40_a_decimal_comma_is_never_a_number() {
    let found = error("{ \"navigation\": { \"cellSize\": 0,4 } }");
    assert_eq!((found.code, found.line, found.column), ("syntax", 1, 33));
    let grid = level::text_grid(&loaded(&level(&[ROOM], &[], "")), 0).unwrap().text();
    assert!(grid.starts_with("cellSize 0.4\nagentRadius 0.45\n") && !grid.contains(','));
}

#[test]
fn fault_f43_a_name_in_another_case_is_not_found_and_the_right_one_suggested() {
    let refused = level::load("levels/Test.json", &files("{}")).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "levels/Test.json:1:1: \"levels/Test.json\" cannot be read: there is no such file"
    );
    assert_eq!(only_error(refused).help.as_deref(), Some("did you mean \"levels/test.json\"?"));
}

#[test]
fn the_hash_of_a_level_covers_every_file_it_names() {
    let grid = "cellSize 0.4\nminX 0.0\nminZ 0.0\ngridWidth 2\ngridDepth 1\n11\n";
    let source = files("{ \"navigation\": \"hall.txt\" }").with("levels/hall.txt", grid);
    let hash = |source: &MemorySource| level::load("levels/test.json", source).unwrap().hash();
    assert_eq!(hash(&source), hash(&source.clone()));
    assert_ne!(hash(&source), hash(&source.clone().with("levels/hall.txt", grid.replace("11", "10"))));
    assert_ne!(hash(&source), hash(&source.with("levels/test.json", "{ \"navigation\": \"hall.txt\"  }")));
}

#[test]
fn two_doors_of_one_area_are_refused() {
    let doors =
        "\"doors\": [ { \"name\": \"a\", \"area\": \"room\" }, { \"name\": \"b\", \"area\": \"room\" } ]";
    let found = error(&level(&[ROOM], &[], doors));
    assert_eq!((found.code, found.pointer.as_str()), ("door", "/doors/1/area"));
}

#[test]
fn fault_f42_a_level_with_nobody_on_it_loads() {
    let level = loaded(&level(&[ROOM], &[], ""));
    assert!(level.def.characters.is_empty() && level.def.script.is_none() && level.diagnostics.is_empty());
}

#[test]
fn seed_b1_one_map_loaded_both_ways_has_the_same_cells() {
    let polygons = loaded(&level(&[ROOM], &[("well", "[[4,4],[6,4],[6,6],[4,6]]")], ""));
    let text = level::text_grid(&polygons, 0).unwrap().text();
    let source = MemorySource::new()
        .with("levels/test.json", "{ \"navigation\": \"room.grid.txt\" }")
        .with(
            "levels/inline.json",
            "{ \"navigation\": { \"kind\": \"textGrid\", \"file\": \"room.grid.txt\" } }",
        )
        .with("levels/room.grid.txt", text.as_str());
    for name in ["levels/test.json", "levels/inline.json", "levels/room.grid.txt"] {
        let baked = level::load(name, &source).unwrap();
        assert_eq!(walkable(&baked), walkable(&polygons), "{name}");
        assert_eq!(baked.files.len(), if name.ends_with(".txt") { 1 } else { 2 });
    }
    let bare = "{ \"areas\": [ { \"name\": \"room\", \"polygon\": [[0,0],[10,0],[10,10],[0,10]] } ], \"obstacles\": [ { \"name\": \"well\", \"polygon\": [[4,4],[6,4],[6,6],[4,6]] } ] }";
    let source =
        source.with("levels/bare.json", bare).with("levels/named.json", "{ \"navigation\": \"bare.json\" }");
    for name in ["levels/bare.json", "levels/named.json"] {
        assert_eq!(walkable(&level::load(name, &source).unwrap()), walkable(&polygons), "{name}");
    }
    assert_eq!(level::load("levels/bare.json", &source).unwrap().def.name, "bare");
}

#[test]
fn seed_b2_the_header_of_the_seed_with_fifty_rows_loads() {
    let row = format!("1{}1\n", "0".repeat(48));
    let text = format!(
        "cellSize 0.4\nagentRadius 0.45\nfloorY 0.0\nminX -5.0\nminZ -5.0\ngridWidth 50\ngridDepth 50\n{}",
        row.repeat(50)
    );
    let level = level::load("hall.txt", &MemorySource::new().with("hall.txt", text)).unwrap();
    let frame = *level.map.cells().unwrap().frame();
    assert_eq!(
        (frame.width, frame.depth, frame.min_x, frame.min_z, frame.cell_size_m),
        (50, 50, -5.0, -5.0, 0.4)
    );
    assert!(
        level.map.is_walkable(glam::Vec3::new(-4.8, 0.0, 10.0), &walkon_runtime::nav::Traversal::default())
    );
    assert!(
        !level.map.is_walkable(glam::Vec3::new(0.0, 0.0, 10.0), &walkon_runtime::nav::Traversal::default())
    );
}

#[test]
fn seed_b3_bake_load_bake_gives_identical_bytes() {
    let source = MemorySource::new().with("house.json", HOUSE).with("ruins.json", RUINS);
    for name in ["house.json", "ruins.json"] {
        let first = level::text_grid(&level::load(name, &source).unwrap(), 0).unwrap().text();
        let again = level::load("a.txt", &MemorySource::new().with("a.txt", first.as_str())).unwrap();
        assert_eq!(level::text_grid(&again, 0).unwrap().text(), first, "{name}");
        let keys: Vec<&str> = first.lines().take(9).filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(
            keys,
            [
                "cellSize",
                "agentRadius",
                "objectPadding",
                "boundaryPadding",
                "floorY",
                "minX",
                "minZ",
                "gridWidth",
                "gridDepth"
            ]
        );
        assert!(!first.contains('\r') && first.ends_with('\n'));
    }
}

#[test]
fn seed_b5_the_notch_of_a_concave_area_is_not_walkable() {
    let level = loaded(&level(&[("ell", "[[0,0],[10,0],[10,4],[4,4],[4,10],[0,10]]")], &[], ""));
    let grid = level::text_grid(&level, 0).unwrap();
    for z in 0..grid.depth {
        for x in 0..grid.width {
            let centre = [grid.min_x + (f64::from(x) + 0.5) * 0.4, grid.min_z + (f64::from(z) + 0.5) * 0.4];
            if centre[0] > 4.0 && centre[1] > 4.0 {
                assert!(!grid.walkable[(z * grid.width + x) as usize], "{centre:?}");
            }
        }
    }
}

#[test]
fn seed_b9_a_door_inside_a_larger_area_is_a_warning() {
    let doors = "\"doors\": [ { \"name\": \"gate\", \"area\": \"gateway\" } ]";
    let found = warning(&level(&[ROOM, ("gateway", "[[4,0],[6,0],[6,10],[4,10]]")], &[], doors));
    assert_eq!((found.code, found.pointer.as_str()), ("door", "/navigation/areas/1"));
    assert!(found.message.starts_with("door \"gate\" closes nothing:"), "{}", found.message);
    let beside = level(&[ROOM, ("gateway", "[[10,4],[12,4],[12,6],[10,6]]")], &[], doors);
    assert_eq!(loaded(&beside).diagnostics, []);
}

#[test]
fn a_closed_door_is_closed_on_the_map_and_an_open_one_open() {
    let level = |open| {
        let doors = format!("\"doors\": [ {{ \"name\": \"gate\", \"area\": \"way\", \"open\": {open} }} ]");
        loaded(&level(&[ROOM, ("way", "[[10,4],[12,4],[12,6],[10,6]]")], &[], &doors))
    };
    let at = glam::Vec3::new(11.3, 0.0, 5.0);
    assert!(level(true).map.is_walkable(at, &walkon_runtime::nav::Traversal::default()));
    assert!(!level(false).map.is_walkable(at, &walkon_runtime::nav::Traversal::default()));
    let closed = level(false);
    assert_eq!((closed.resolved.door_areas[0].index(), closed.resolved.areas[1].door), (1, Some(0)));
    assert!(!closed.resolved.areas[1].available);
}

#[test]
fn ascii_maps_have_areas_costs_and_marks() {
    let level = loaded(
        r#####"{ "navigation": { "kind": "ascii", "cellSize": 1, "origin": [10, 20], "floorY": 2,
            "rows": ["####", "#pG#", "#~G#", "####"],
            "legend": { "G": { "area": "gate" }, "~": { "cost": 2.5 }, "p": { "mark": "post" } } },
            "doors": [ { "name": "gate", "area": "gate", "open": true } ], "routes": { "r": ["post"] } }"#####,
    );
    assert_eq!(level.diagnostics, []);
    assert_eq!(level.resolved.marks[0].position, glam::Vec3::new(11.5, 2.0, 21.5));
    assert_eq!(level.resolved.routes[0].stops[0].name.as_deref(), Some("post"));
    assert_eq!(level.resolved.areas[0].bounds.min, [12.0, 21.0]);
    assert_eq!(level.resolved.areas[0].bounds.max, [13.0, 23.0]);
    let cells = level.map.cells().unwrap();
    assert_eq!((cells.frame().width, cells.frame().depth), (4, 4));
    assert!(cells.walkable(1, 1) && cells.walkable(2, 2) && !cells.walkable(0, 1));
    assert_eq!(cells.factor_at(1, 2), 2.5);
}

#[test]
fn ascii_maps_with_broken_rows_are_refused_at_the_row() {
    let map = |rows: &str| {
        format!(
            "{{ \"navigation\": {{ \"kind\": \"ascii\", \"legend\": {{ \"p\": {{ \"mark\": \"post\" }} }},\n\"rows\": [{rows}] }} }}"
        )
    };
    let found = error(&map("\"p..\", \"..\""));
    assert_eq!(
        (found.code, found.line, found.column, found.pointer.as_str()),
        ("rows", 2, 17, "/navigation/rows/1")
    );
    assert_eq!(found.message, "navigation.rows[1] has 2 characters, expected 3 as the first row has");
    let found = error(&map("\"p.\", \".k\""));
    assert_eq!((found.code, found.line, found.column), ("rows", 2, 18));
    assert_eq!(found.help.as_deref(), Some("add 'k' to the legend, or draw # (blocked) or . (walkable)"));
    assert_eq!(error(&map("\"pp\"")).code, "duplicate-name");
    assert_eq!(error(&map("\"..\"")).code, "unresolved");
    assert_eq!(error(&map("")).code, "rows");
}

#[test]
fn marks_that_nobody_can_walk_to_are_reported() {
    let rest = "\"marks\": { \"wall\": [-1, -1], \"far\": [22, 2], \"near\": [5, 5] }, \"characters\": [ { \"name\": \"a\", \"position\": [1, 1] } ]";
    let level = loaded(&level(&[ROOM, ("island", "[[20,0],[25,0],[25,5],[20,5]]")], &[], rest));
    let found: Vec<_> = level::report(&level)
        .into_iter()
        .filter(|d| d.code == "unreachable")
        .map(|d| (d.pointer, d.message))
        .collect();
    assert_eq!(found.len(), 2, "{found:#?}");
    assert_eq!(found[0], ("/marks/wall".to_owned(), "mark \"wall\" lies where nobody can stand".to_owned()));
    assert_eq!(found[1].0, "/marks/far");
    assert!(found[1].1.starts_with("mark \"far\" is cut off"));
}

#[test]
fn stops_of_routes_that_nobody_can_walk_to_are_reported_once() {
    let rest = "\"marks\": { \"wall\": [-1, -1] }, \"routes\": { \"round\": [\"wall\", [5, 5], [22, 2], [60, 5]] }, \
                \"characters\": [ { \"name\": \"a\", \"position\": [1, 1] } ]";
    let level = loaded(&level(&[ROOM, ("island", "[[20,0],[25,0],[25,5],[20,5]]")], &[], rest));
    let found = level::report(&level).into_iter().filter(|found| found.code == "unreachable");
    let found: Vec<_> = found.map(|found| (found.pointer, found.message)).collect();
    let expected = [
        ("/marks/wall", "mark \"wall\" lies where nobody can stand"),
        (
            "/routes/round/2",
            "stop 3 of route \"round\" is cut off: no way leads to it from where the characters begin, even with every door open",
        ),
        ("/routes/round/3", "stop 4 of route \"round\" lies where nobody can stand"),
    ];
    assert_eq!(found, expected.map(|(pointer, message)| (pointer.to_owned(), message.to_owned())));
}

#[test]
fn marks_behind_a_closed_door_are_not_lost() {
    let rest = "\"doors\": [ { \"name\": \"d\", \"area\": \"way\" } ], \"marks\": { \"in\": [15, 5] }, \"characters\": [ { \"name\": \"a\", \"position\": [1, 1] } ]";
    let areas = [ROOM, ("way", "[[10,4],[12,4],[12,6],[10,6]]"), ("cell", "[[12,0],[18,0],[18,10],[12,10]]")];
    let level = loaded(&level(&areas, &[], rest));
    assert!(
        level::report(&level).iter().all(|d| d.severity == Severity::Note),
        "{:#?}",
        level::report(&level)
    );
}

#[test]
fn the_levels_that_ship_load_without_a_word() {
    let source = MemorySource::new().with("house.json", HOUSE).with("ruins.json", RUINS);
    for name in ["house.json", "ruins.json"] {
        let level = level::load(name, &source).unwrap_or_else(|error| panic!("{:#?}", error.diagnostics));
        assert_eq!(level.diagnostics, [], "{name}");
        let warnings: Vec<_> =
            level::report(&level).into_iter().filter(|d| d.severity != Severity::Note).collect();
        assert_eq!(warnings, [], "{name}");
        assert!(level.def.characters.len() >= 5 && level.def.doors.len() >= 3, "{name}");
    }
}

/// The seeded generator of the mutation test: xorshift, as good as any here.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

/// What authors and disks do to files, and a few things only attackers do.
fn mutate(dice: &mut Dice, bytes: &mut Vec<u8>) {
    const TOKENS: &[&str] = &[
        "null",
        "-1",
        "1e999",
        "-0.0",
        "NaN",
        "[]",
        "{}",
        "\"\"",
        "\"x\"",
        "true",
        "[[",
        "}}",
        ",",
        ":",
        "\"name\":",
        "1e308",
        "\"areas\":",
        "\u{FEFF}",
        "\\u0000",
        "\\ud800",
        "9007199254740993",
        "0.30000000000000004",
        "\n",
        "gridWidth 4294967296\n",
    ];
    let at = dice.roll(bytes.len() + 1);
    let end = (at + dice.roll(40)).min(bytes.len());
    match dice.roll(7) {
        0 => bytes.truncate(at),
        1 if at < bytes.len() => bytes[at] ^= 1 << dice.roll(8),
        2 => drop(bytes.drain(at..end)),
        3 => {
            let piece = bytes[at..end].to_vec();
            let to = dice.roll(bytes.len() + 1);
            bytes.splice(to..to, piece);
        }
        4 => {
            let token = TOKENS[dice.roll(TOKENS.len())];
            bytes.splice(at..end, token.bytes());
        }
        5 => {
            let token = TOKENS[dice.roll(TOKENS.len())];
            bytes.splice(at..at, token.bytes());
        }
        _ => {
            // A whole number for another, so that the file often stays JSON.
            if let Some(digit) = (at..bytes.len()).find(|i| bytes[*i].is_ascii_digit()) {
                let text = ["0", "-7", "1e9", "255", "0.001"][dice.roll(5)];
                bytes.splice(digit..=digit, text.bytes());
            }
        }
    }
}

/// Goal: no bytes make reading panic, and every refusal has a place. Method: 20,000 seeded mutations, one to
/// four each, of the levels that ship, a level with every key, a bare config and a text grid.
#[test]
fn inv_mutated_files_never_panic_and_every_refusal_has_a_place() {
    let grid = "cellSize 0.4\nminX -5.0\nminZ -5.0\ngridWidth 3\ngridDepth 2\n111\n101\n";
    let bare = "{ \"areas\": [ { \"name\": \"a\", \"polygon\": [[0,0],[9,0],[9,9]] } ], \"obstacles\": [] }";
    let seeds: [(&str, &[u8]); 5] = [
        ("a.json", HOUSE),
        ("b.json", RUINS),
        ("c.json", EVERY_KEY),
        ("d.json", bare.as_bytes()),
        ("e.txt", grid.as_bytes()),
    ];
    for round in 0..20_000u64 {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ (round + 1).wrapping_mul(0xd134_2543_de82_ef95));
        let (name, seed) = seeds[dice.roll(seeds.len())];
        let mut bytes = seed.to_vec();
        for _ in 0..=dice.roll(4) {
            mutate(&mut dice, &mut bytes);
        }
        let outcome = level::read(&bytes, name);
        let refused = outcome.diagnostics.iter().any(|d| d.severity == Severity::Error);
        assert_eq!(outcome.def.is_none(), refused, "round {round}: {:#?}", outcome.diagnostics);
        assert!(outcome.diagnostics.len() <= 101, "round {round}");
        for found in &outcome.diagnostics {
            let (start, end) = (found.span.start as usize, found.span.end as usize);
            assert!(found.line >= 1 && found.column >= 1 && found.path == name, "round {round}: {found:#?}");
            assert!(
                start <= end && end <= bytes.len().max(1),
                "round {round}: {found:#?} in {} bytes",
                bytes.len()
            );
            assert!(!found.message.is_empty() && !found.code.is_empty(), "round {round}");
        }
    }
}

/// The same for building: mutated maps either load or are refused. Cells are kept large, so that no map is.
#[test]
fn inv_mutated_maps_never_panic() {
    let text = "{ \"navigation\": { \"cellSize\": 1, \"areas\": [ { \"name\": \"a\", \"polygon\": [[0,0],[9,0],[9,9],[0,9]] },
        { \"name\": \"b\", \"polygon\": [[9,3],[12,3],[12,6],[9,6]], \"cost\": 2 } ], \"obstacles\": [ { \"name\": \"o\", \"polygon\": [[3,3],[5,3],[5,5],[3,5]] } ] },
        \"doors\": [ { \"name\": \"d\", \"area\": \"b\" } ], \"marks\": { \"m\": [1, 1] }, \"characters\": [ { \"name\": \"c\", \"position\": [2, 2] } ] }";
    for round in 0..1_500u64 {
        let mut dice = Dice(0x2545_f491_4f6c_dd1d ^ (round + 1).wrapping_mul(0xd134_2543_de82_ef95));
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=dice.roll(3) {
            mutate(&mut dice, &mut bytes);
        }
        let source = MemorySource::new().with("a.json", bytes);
        match level::load("a.json", &source) {
            Ok(level) => drop(level::report(&level)),
            Err(error) => {
                assert!(error.diagnostics.iter().any(|d| d.severity == Severity::Error), "round {round}")
            }
        }
    }
}

/// Files of nearly 16 MiB that make every kind of part as numerous as it can be: each is refused by a limit,
/// and nothing is kept for what lies beyond it.
#[test]
fn fault_f16_hostile_files_of_sixteen_mebibytes_are_refused_by_a_limit() {
    let fill = |start: &str, piece: &str, end: &str| {
        let count = (16 * 1024 * 1024 - start.len() - end.len() - 2) / (piece.len() + 1);
        format!("{start}{}{end}", vec![piece; count].join(","))
    };
    let grid = "{\"navigation\":{\"areas\":[{\"name\":\"a\",\"polygon\":[[0,0],[9,0],[9,9]]}]}";
    let guard = "\"characters\":[{\"name\":\"a\",\"position\":[1,1]";
    for (start, piece, end, pointer) in [
        (
            "{\"navigation\":{\"areas\":[{\"name\":\"a\",\"polygon\":[".to_owned(),
            "[0,1]",
            "]}]}}",
            "/navigation/areas/0/polygon",
        ),
        ("{\"navigation\":{\"areas\":[".to_owned(), "{}", "]}}", "/navigation/areas"),
        ("{\"navigation\":{\"kind\":\"ascii\",\"rows\":[".to_owned(), "\"\"", "]}}", "/navigation/rows"),
        (format!("{grid},\"doors\":["), "{}", "]}", "/doors"),
        (format!("{grid},\"characters\":["), "{}", "]}", "/characters"),
        ("{".to_owned(), "\"a\":1", "}", ""),
        (format!("{grid},\"marks\":{{"), "\"a\":[]", "}}", "/marks"),
        (format!("{grid},\"routes\":{{\"a\":["), "\"b\"", "]}}", "/routes/a"),
        (format!("{grid},{guard},\"params\":{{\"a\":["), "[]", "]}}]}", "/characters/0/params"),
        (format!("{grid},{guard},\"tags\":["), "\"\"", "]}]}", "/characters/0/tags"),
    ] {
        let outcome = level::read(fill(&start, piece, end).as_bytes(), "big.json");
        assert_eq!(
            (outcome.diagnostics[0].code, outcome.diagnostics[0].pointer.as_str()),
            ("limit", pointer)
        );
    }
}

#[test]
fn who_walks_faster_than_half_the_limit_runs_at_the_limit_and_is_there() {
    let people = r#""characters": [
        { "name": "hare", "position": [2, 2], "walkSpeed": 30 },
        { "name": "swift", "position": [5, 5], "walkSpeed": 50 } ]"#;
    let world = level::spawn::build(loaded(&level(&[ROOM], &[], people)), None).world;
    let speeds: Vec<_> = world.characters().map(|(_, who)| (who.gait.walk_mps, who.gait.run_mps)).collect();
    assert_eq!(speeds, [(30.0, 50.0), (50.0, 50.0)]);
    // What no body may do is said, not dropped.
    let refused = people.replace("\"walkSpeed\": 50", "\"runSpeed\": 60");
    assert!(error(&level(&[ROOM], &[], &refused)).message.contains("50"));
}

#[test]
fn a_mesh_of_very_many_squares_that_nothing_joins_is_told_in_one_sentence() {
    let area = |at: usize| {
        let (x, z) = (at % 50 * 4, at / 50 * 4);
        let polygon = format!("[[{x},{z}],[{},{z}],[{},{}],[{x},{}]]", x + 3, x + 3, z + 3, z + 3);
        format!("{{ \"name\": \"s{at}\", \"polygon\": {polygon} }}")
    };
    let text = |count: usize| {
        let areas: Vec<String> = (0..count).map(area).collect();
        format!("{{ \"navigation\": {{ \"kind\": \"mesh\", \"areas\": [{}] }} }}", areas.join(","))
    };
    let warnings = |count: usize| {
        let text = text(count);
        let source = MemorySource::new().with("squares.json", text.as_str());
        let loaded = level::load("squares.json", &source).unwrap();
        let all = level::report(&loaded).into_iter().map(|found| found.message);
        all.filter(|message| message.contains("no way") || message.contains("too many")).collect::<Vec<_>>()
    };
    // A few are named one by one.
    let few = warnings(20);
    assert!(few.iter().any(|message| message.contains("area \"s0\"")), "{few:#?}");
    let many = warnings(400);
    assert!(many.iter().any(|message| message.contains("too many areas")), "{many:#?}");
    assert!(!many.iter().any(|message| message.contains("area \"s0\"")), "{many:#?}");
}
