//! What commands show of maps with several layers, and of ground that nobody can leave.
//!
//! Method: the real binary on maps of a few tiles; findings are read from the library, pictures from their
//! SVG and text.

use walkon_runtime::level::{self, MemorySource, Severity};

use crate::cli::commands::Project;

/// Two floors joined by stairs at (6.5, 0.5); the upper one has a wall with no way around.
const FLOORS: &str = r#####"{
  "name": "floors",
  "navigation": {
    "kind": "tiles", KEYS
    "layers": [
      { "name": "ground", "rows": [".......", "###.###", "......."] },
      { "name": "upper", "rows": ["...#...", "...#...", "...#..."] }
    ],
    "links": [
      { "from": { "layer": "ground", "position": [6.5, 0.5] }, "to": { "layer": "upper", "position": [6.5, 0.5] }, "cost": 2 }
    ]
  }
}"#####;

fn project(keys: &str) -> Project {
    let project = Project::new();
    // Shifted tiles are narrower: there the stairs stand in the corner.
    let stairs = if keys.is_empty() { "[6.5, 0.5]" } else { "[0.6, 0.5]" };
    let floors = FLOORS.replace("KEYS", keys).replace("[6.5, 0.5]", stairs);
    project.write("levels/floors.json", &floors);
    project
}

/// Code, severity and message of what a report says of a map.
fn report(text: &str) -> Vec<(String, Severity, String)> {
    let loaded = level::load("map.json", &MemorySource::new().with("map.json", text));
    let loaded = loaded.unwrap_or_else(|refused| panic!("{refused:#?}"));
    let told = level::report(&loaded).into_iter();
    told.map(|found| (found.code.to_owned(), found.severity, found.message)).collect()
}

fn messages(text: &str, code: &str) -> Vec<String> {
    report(text).into_iter().filter(|found| found.0 == code).map(|found| found.2).collect()
}

#[test]
fn a_region_is_drawn_on_its_layer_and_an_unknown_layer_is_named() {
    let project = project("");
    let with = |layer: &str| {
        let region = format!(
            r#""regions": [ {{ "name": "loft", "layer": "{layer}", "centre": [1.5, 1.5], "radius": 1 }} ],"#
        );
        FLOORS.replace("KEYS", "").replacen("\"navigation\"", &format!("{region} \"navigation\""), 1)
    };
    project.write("levels/floors.json", &with("upper"));
    for (layer, shown) in [("ground", false), ("upper", true)] {
        project.expect(0, &["draw", "floors", "--layer", layer, "--out", "floors.svg"]);
        assert_eq!(project.read("floors.svg").contains("loft"), shown, "{layer}");
    }
    let refused = level::load("map.json", &MemorySource::new().with("map.json", with("attic"))).unwrap_err();
    let told = format!("{refused:?}");
    assert!(told.contains("regions[0].layer is \\\"attic\\\", which is not a layer of this map"), "{told}");
}

/// A mark is drawn on the layers where one can stand on it.
#[test]
fn a_mark_is_drawn_where_one_can_stand_on_it() {
    let project = project("");
    let marks = r#""marks": { "hall": [0.5, 1.5], "bridge": [3.5, 1.5], "wall": [3.5, 0.5] },"#;
    let level = FLOORS.replace("KEYS", "").replacen("\"navigation\"", &format!("{marks} \"navigation\""), 1);
    project.write("levels/floors.json", &level);
    for (layer, shown) in [("ground", ["bridge", "wall"].as_slice()), ("upper", ["hall"].as_slice())] {
        project.expect(0, &["draw", "floors", "--layer", layer, "--out", "floors.svg"]);
        let picture = project.read("floors.svg");
        for mark in ["hall", "bridge", "wall"] {
            assert_eq!(picture.contains(mark), shown.contains(&mark), "{mark} on {layer}");
        }
    }
}

/// A watch along walkable lines looks along the layer of whom it is around, and notices nobody on another.
#[test]
fn a_watch_along_lines_looks_along_its_own_layer() {
    let project = project("");
    let people = r#""characters": [
        { "name": "guard", "position": [0.5, 1.5], "layer": "upper" },
        { "name": "near", "position": [2.5, 1.5], "layer": "upper" },
        { "name": "behind", "position": [5.5, 1.5], "layer": "upper" },
        { "name": "below", "position": [0.5, 0.5], "layer": "ground" }
    ], "script": "watch.lua","#;
    let level = FLOORS.replace("KEYS", "").replacen("\"navigation\"", &format!("{people} \"navigation\""), 1);
    project.write("levels/floors.json", &level);
    project.write(
        "scripts/watch.lua",
        "function onStart()\n    region.near(world.character(\"guard\"), 6, { initial = true, lineOfWalk = true, \
         onEnter = function(event) log.info(\"sees %s\", event.character.name) end })\nend\n",
    );
    let (out, _) = project.expect(0, &["run", "floors"]);
    let seen: Vec<&str> = out.lines().filter_map(|line| line.split("sees ").nth(1)).collect();
    assert_eq!(seen, ["near"], "{out}");
}

#[test]
fn path_begins_and_ends_on_the_layers_that_are_named() {
    let project = project("");
    let ask = |more: &[&str]| {
        let words = ["path", "floors", "--format", "json", "--from", "0.5,0.5", "--to", "5.5,2.5"];
        project.json(0, &[words.as_slice(), more].concat())
    };
    let ground = ask(&[]);
    assert_eq!((ground["status"].as_str(), ground["cost"].as_f64() > Some(6.0)), (Some("complete"), true));
    assert_eq!(ask(&["--layer", "ground"])["waypoints"], ground["waypoints"]);
    let upper = ask(&["--layer", "upper"]);
    assert_eq!(upper["status"], "partial", "behind the wall");
    assert_eq!(upper["nearest"][0].as_f64(), Some(2.5));
    let up = ask(&["--to-layer", "upper"]);
    assert_eq!(up["status"], "complete");
    let corner = serde_json::json!([6.5, 0.5]);
    assert!(up["waypoints"].as_array().unwrap().contains(&corner), "over the stairs: {up}");
    // Six metres along the ground, two for the stairs, then down the other room.
    assert!((up["cost"].as_f64().unwrap() - (6.0 + 2.0 + 5f64.sqrt())).abs() < 0.01, "{up}");
    let words = ["path", "floors", "--from", "0.5,0.5", "--to", "5.5,2.5", "--to-layer", "upper"];
    let (told, _) = project.expect(0, &words);
    assert!(told.contains("\n  6.50, 0.50 to layer upper\n  5.50, 2.50"), "{told}");
}

#[test]
fn raw_paths_are_those_of_the_layer_and_over_links_their_corners() {
    let project = project("");
    let points = |more: &[&str]| {
        let words = ["path", "floors", "--format", "json", "--raw", "--from", "0.5,0.5", "--to", "2.5,2.5"];
        let answer = project.json(0, &[words.as_slice(), more].concat());
        answer["waypoints"].as_array().unwrap().clone()
    };
    let upper = points(&["--layer", "upper"]);
    assert_eq!(upper.len(), 3, "along the diagonal: {upper:?}");
    assert_eq!(upper[1], serde_json::json!([1.5, 1.5]));
    assert!(points(&["--to-layer", "upper"]).len() >= 2);
}

#[test]
fn layers_that_are_not_there_get_a_suggestion() {
    let project = project("");
    for command in ["path", "draw"] {
        for option in ["--layer", "--to-layer"] {
            let words = [command, "floors", "--from", "0.5,0.5", "--to", "1.5,0.5", option, "uper"];
            let (_, told) = project.expect(2, &words);
            assert!(told.contains("this map has no layer of that name"), "{told}");
            assert!(told.contains("did you mean \"upper\"?"), "{told}");
        }
        let words = [command, "yard", "--from", "1,1", "--to", "2,2", "--layer", "sky"];
        assert!(project.expect(2, &words).1.contains("this map has no layers"));
    }
}

#[test]
fn draw_shows_one_layer_or_all_of_them_below_one_another() {
    let project = project("");
    let (ground, _) = project.expect(0, &["draw", "floors"]);
    assert!(ground.contains("floors  ground  tick 0"), "{ground}");
    assert!(ground.contains("###.###"), "{ground}");
    let (upper, _) = project.expect(0, &["draw", "floors", "--layer", "upper"]);
    assert!(upper.contains("floors  upper  tick 0") && !upper.contains("###.###"), "{upper}");
    let (all, _) = project.expect(0, &["draw", "floors", "--layer", "all"]);
    assert_eq!(all, format!("{ground}\n{upper}"));

    let size = |svg: &str, key: &str| {
        let from = svg.split(&format!(" {key}=\"")).nth(1).unwrap();
        from.split('"').next().unwrap().parse::<u32>().unwrap()
    };
    project.expect(0, &["draw", "floors", "--layer", "upper", "--out", "one.svg"]);
    project.expect(0, &["draw", "floors", "--layer", "all", "--out", "all.svg"]);
    let (one, all) = (project.read("one.svg"), project.read("all.svg"));
    assert_eq!(all.matches("id=\"cells-").count(), 2);
    assert!(one.contains("to ground") && all.contains("to ground") && all.contains("to upper"), "the stairs");
    assert!(size(&all, "height") > size(&one, "height") && size(&all, "width") >= size(&one, "width"));
    project.expect(0, &["draw", "floors", "--layer", "all", "--out", "all.png"]);
    let bytes = std::fs::read(project.path().join("all.png")).unwrap();
    let height = u32::from_be_bytes(bytes[20..24].try_into().unwrap());
    assert_eq!(height, size(&all, "height"));
}

#[test]
fn a_search_over_stairs_is_drawn_on_both_layers() {
    let project = project("");
    let words = ["draw", "floors", "--from", "0.5,0.5", "--to", "5.5,2.5", "--to-layer", "upper", "--out"];
    project.expect(0, &[words.as_slice(), &["one.svg"]].concat());
    project.expect(0, &[words.as_slice(), &["all.svg", "--layer", "all"]].concat());
    let count = |name: &str, what: &str| project.read(name).matches(&format!("data-key=\"{what}\"")).count();
    assert_eq!((count("one.svg", "smooth"), count("one.svg", "elsewhere")), (1, 1));
    assert_eq!((count("all.svg", "smooth"), count("all.svg", "elsewhere")), (2, 2));
}

#[test]
fn searches_on_shifted_tiles_show_tiles_and_no_stored_cells() {
    for layout in ["hexPointy", "hexFlat", "staggered"] {
        let project = project(&format!("\"layout\": \"{layout}\","));
        let words = ["draw", "floors", "--from", "1,0.5", "--to", "5,0.5", "--out", "search.svg"];
        project.expect(0, &words);
        let svg = project.read("search.svg");
        let cells = svg.split("<g id=\"cells\">").nth(1).unwrap().split("</g>").next().unwrap();
        // 7 x 3 tiles, however many cells they are stored in.
        assert_eq!(cells.matches('M').count(), 21, "{layout}");
        assert_eq!(svg.matches("data-key=\"raw\"").count(), 0, "{layout}");
    }
}

#[test]
fn one_layer_of_several_is_baked_and_must_be_named() {
    let project = project("");
    let (_, told) = project.expect(2, &["bake", "floors"]);
    assert!(told.contains("its map has 2 layers, expected --layer"), "{told}");
    assert!(told.contains("of ground, upper"), "{told}");
    let (told, _) = project.expect(0, &["bake", "floors", "--layer", "upper"]);
    assert!(told.contains("7 x 3 cells of 1 m, 18 walkable"), "{told}");
    project.expect(0, &["bake", "floors", "--layer", "ground"]);
    let (upper, ground) =
        (project.read("levels/floors.upper.grid.txt"), project.read("levels/floors.ground.grid.txt"));
    assert_ne!(upper, ground);
    let words =
        ["path", "levels/floors.upper.grid.txt", "--from", "0.5,0.5", "--to", "5.5,2.5", "--format", "json"];
    assert_eq!(project.json(0, &words)["status"], "partial");
    let hexagons = self::project("\"layout\": \"hexFlat\",");
    let (_, told) = hexagons.expect(3, &["bake", "floors", "--layer", "upper"]);
    assert!(told.contains("its map has tiles of layout hexFlat, expected square cells with eight"), "{told}");
}

#[test]
fn check_tells_of_every_layer_and_counts_ways_over_links() {
    let floors = FLOORS.replace("KEYS", "");
    assert_eq!(
        messages(&floors, "map"),
        [
            "layer \"ground\" has 7 x 3 tiles of 1 x 1 m, 15 of them walkable, in 1 part",
            "layer \"upper\" has 7 x 3 tiles of 1 x 1 m, 18 of them walkable, in 2 parts"
        ]
    );
    // The stairs lead to one half of the upper floor; the other is the larger by name only: it is the first.
    let apart = messages(&floors, "island");
    assert_eq!(
        apart,
        Vec::<String>::new(),
        "both halves are what the layer is there for, or joined by the stairs"
    );
    let three =
        floors.replace("\"...#...\", \"...#...\", \"...#...\"", "\"...#.#.\", \"...#.#.\", \"...#.#.\"");
    let apart = messages(&three, "island");
    assert_eq!(apart.len(), 1, "{apart:?}");
    assert!(
        apart[0].contains("around [4.5, 0.5] on layer \"upper\" are joined to nothing else"),
        "{apart:?}"
    );
}

#[test]
fn marks_and_areas_of_any_layer_are_found_where_one_can_walk() {
    let with = |more: &str| FLOORS.replace("KEYS", "").replacen('{', &format!("{{ {more},"), 1);
    let marks = "\"marks\": { \"up\": [6.5, 1.5], \"west\": [1.5, 1.5], \"wall\": [3.5, 9.5] },
        \"characters\": [{ \"name\": \"a\", \"position\": [0.5, 0.5] }]";
    let told = messages(&with(marks), "unreachable");
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told[0].starts_with("mark \"west\" is cut off"),
        "only the upper floor has ground there: {told:?}"
    );
    assert!(told[1].starts_with("mark \"wall\" lies where nobody can stand"), "{told:?}");
    let starts_there =
        marks.replace("\"position\": [0.5, 0.5]", "\"layer\": \"upper\", \"position\": [0.5, 0.5]");
    let told = messages(&with(&starts_there), "unreachable");
    assert!(told.iter().any(|told| told.starts_with("mark \"up\" is cut off")), "{told:?}");
    assert!(!told.iter().any(|told| told.contains("west")), "{told:?}");
}

#[test]
fn fault_f36_check_warns_of_ground_that_is_entered_and_never_left() {
    let map = |rows: &[&str], layers: &str| {
        let rows = rows.iter().map(|row| format!("\"{row}\"")).collect::<Vec<_>>().join(",");
        format!(
            r#"{{ "navigation": {{ "kind": "tiles", "layers": [ {{ "name": "ground", "rows": [{rows}] }}{layers},
            "legend": {{ "v": {{ "oneWay": "south" }}, "^": {{ "oneWay": "north" }}, ">": {{ "oneWay": "east" }} }} }} }}"#
        )
    };
    let traps = |text: &str| {
        let told = report(text).into_iter().filter(|found| found.0 == "island");
        told.filter(|found| found.1 == Severity::Warning).map(|found| found.2).collect::<Vec<_>>()
    };
    // A ledge into a pit of four tiles.
    let pit = traps(&map(&["......", "......", "#v####", "....##"], "] "));
    assert_eq!(pit, ["no way leads out of 5 tiles around [1.5, 2.5] that can be entered"]);
    // With a way up elsewhere nobody is trapped.
    assert_eq!(traps(&map(&["......", "......", "#v^###", "....##"], "] ")), Vec::<String>::new());
    // Down from a small balcony: the square below is where one belongs.
    assert_eq!(traps(&map(&["..####", "v#####", "......", "......"], "] ")), Vec::<String>::new());
    // Two pits, one behind the other: the way between them is no way out.
    let two = traps(&map(&["........", "........", "#v######", "...>...#"], "] "));
    assert_eq!(two.len(), 1, "{two:?}");
    // Stairs lead out of it.
    let stairs = r#"] , "links": [ { "from": { "layer": "ground", "position": [0.5, 3.5] },
        "to": { "layer": "under", "position": [0.5, 0.5] } } ]"#;
    let under = r#", { "name": "under", "rows": ["......", "......", "......", "......"] }"#;
    let rows = &["......", "......", "#v####", "....##"];
    assert_eq!(traps(&map(rows, &format!("{under}{stairs}"))), Vec::<String>::new());
    assert_eq!(traps(&map(rows, &format!("{under}]"))).len(), 1);
}
