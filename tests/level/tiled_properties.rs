//! Properties of maps of Tiled: one reading of truth, nothing of another program refuses a map, nothing is
//! forgotten without a word.
//!
//! Method: small maps written in the tests; each form of truth at each place that asks for one; what is
//! imported is read back, run and asked by a script.

use walkon_runtime::level::tiled::{self, Imported, TiledOptions};
use walkon_runtime::level::{self, Diagnostic, Level, MemorySource, NavigationDef, Severity};

/// A map of one row: cells of the floor, more layers and objects; properties of the tile 2.
fn map(cells: &str, tile: &str, more: &str) -> String {
    let width = cells.split(',').count();
    format!(
        "<map orientation=\"orthogonal\" width=\"{width}\" height=\"1\" tilewidth=\"16\" tileheight=\"16\">\
         <tileset firstgid=\"1\" name=\"t\" tilewidth=\"16\" tileheight=\"16\" tilecount=\"9\" columns=\"9\">\
         <tile id=\"1\"><properties>{tile}</properties></tile></tileset>\
         <layer id=\"1\" name=\"floor\" width=\"{width}\" height=\"1\"><properties>{}</properties>\
         <data encoding=\"csv\">{cells}</data></layer>{more}</map>",
        truth("isTilesetWalkable", "type=\"bool\" value=\"true\"")
    )
}

fn truth(name: &str, value: &str) -> String {
    format!("<property name=\"{name}\" {value}/>")
}

fn import(text: &str) -> Imported {
    let source = MemorySource::new().with("map.tmx", text);
    tiled::import("map.tmx", &source, &TiledOptions::default())
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn load(text: &str) -> Level {
    let source = MemorySource::new().with("map.tmx", text);
    level::load("map.tmx", &source).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The first row of the map.
fn row(level: &Level) -> String {
    let cells = level.map.cells().unwrap();
    (0..cells.frame().width).map(|x| if cells.walkable(x, 0) { '.' } else { '#' }).collect()
}

fn notes(found: &[Diagnostic]) -> Vec<&str> {
    found.iter().filter(|found| found.code == "property").map(|found| found.message.as_str()).collect()
}

/// Every form of a truth, and what it means; none for no truth at all.
const FORMS: [(&str, Option<bool>); 9] = [
    ("type=\"bool\" value=\"true\"", Some(true)),
    ("type=\"bool\" value=\"false\"", Some(false)),
    ("value=\"true\"", Some(true)),
    ("value=\"True\"", Some(true)),
    ("value=\"false\"", Some(false)),
    ("type=\"int\" value=\"1\"", Some(true)),
    ("type=\"int\" value=\"0\"", Some(false)),
    ("value=\"perhaps\"", None),
    ("type=\"bool\" value=\"maybe\"", None),
];

#[test]
fn truth_is_read_alike_everywhere_and_what_is_none_is_a_note() {
    for (form, expected) in FORMS {
        let is_noted = |found: &[Diagnostic]| !notes(found).is_empty();
        let blocked = load(&map("1,2,1", &truth("blocked", form), ""));
        assert_eq!(row(&blocked), if expected == Some(true) { ".#." } else { "..." }, "blocked {form}");
        assert_eq!(is_noted(&blocked.diagnostics), expected.is_none(), "blocked {form}");
        let closed = load(&map("1,2,1", &truth("walkable", form), ""));
        assert_eq!(row(&closed), if expected == Some(false) { ".#." } else { "..." }, "walkable {form}");
        let wall = format!(
            "<layer id=\"2\" name=\"wall\" width=\"3\" height=\"1\"><properties>{}</properties>\
             <data encoding=\"csv\">0,3,0</data></layer>",
            truth("isTilesetWalkable", form)
        );
        let wall = load(&map("1,1,1", "", &wall));
        assert_eq!(row(&wall), if expected == Some(false) { ".#." } else { "..." }, "wall {form}");
        assert_eq!(is_noted(&wall.diagnostics), expected.is_none(), "wall {form}");
        let door = |name: &str| {
            format!(
                "<objectgroup><object id=\"1\" name=\"gate\" type=\"door\" x=\"16\" y=\"0\" width=\"16\" height=\"16\">\
                 <properties>{}</properties></object></objectgroup>",
                truth(name, form)
            )
        };
        let (open, locked) =
            (load(&map("1,1,1", "", &door("open"))), load(&map("1,1,1", "", &door("locked"))));
        assert_eq!(open.def.doors[0].open, expected == Some(true), "open {form}");
        assert_eq!(locked.def.doors[0].is_locked(), expected == Some(true), "locked {form}");
    }
}

#[test]
fn a_tile_is_a_door_when_it_says_so_and_none_when_it_says_not() {
    for (form, is_door) in [
        ("type=\"bool\" value=\"true\"", true),
        ("value=\"true\"", true),
        ("type=\"bool\" value=\"false\"", false),
        ("value=\"false\"", false),
        ("value=\"\"", false),
        ("value=\"wooden\"", false),
        ("type=\"int\" value=\"77\"", false),
        ("value=\"closed\"", true),
        ("type=\"int\" value=\"2\"", true),
    ] {
        let level = load(&map("1,2,1", &truth("door", form), ""));
        assert_eq!(level.def.doors.len(), usize::from(is_door), "{form}");
        assert_eq!(row(&level), if is_door { ".#." } else { "..." }, "{form}");
    }
}

#[test]
fn a_key_locks_doors_of_tiles_and_objects_unless_they_say_that_they_are_open_to_all() {
    for key in ["key", "requiresKey"] {
        let key = truth(key, "value=\"iron\"");
        let tile = load(&map("1,2,1", &format!("{}{key}", truth("door", "value=\"true\"")), ""));
        assert_eq!((tile.def.doors[0].is_locked(), tile.def.doors[0].key.as_deref()), (true, Some("iron")));
        let object = |more: &str| {
            format!(
                "<objectgroup><object id=\"1\" name=\"gate\" type=\"door\" x=\"16\" y=\"0\" width=\"16\" height=\"16\">\
                 <properties>{key}{more}</properties></object></objectgroup>"
            )
        };
        for (more, is_locked) in [("", true), ("<property name=\"locked\" value=\"false\"/>", false)] {
            let text = map("1,1,1", "", &object(more));
            let door = &load(&text).def.doors[0];
            assert_eq!((door.is_locked(), door.key.as_deref()), (is_locked, Some("iron")), "{more}");
            // What is imported reads back to the same.
            let written = tiled::text(&import(&text).tiled.def);
            let source = MemorySource::new().with("level.json", written);
            assert_eq!(
                level::load("level.json", &source).unwrap().def.doors[0].is_locked(),
                is_locked,
                "{more}"
            );
        }
    }
}

#[test]
fn no_property_of_another_program_refuses_a_map() {
    // Names that are ours, with values that are not, wherever a property may stand.
    let values = [
        "value=\"axe\"",
        "type=\"int\" value=\"-7\"",
        "type=\"float\" value=\"1e8\"",
        "type=\"object\" value=\"99\"",
    ];
    let tile =
        ["terrainType", "cost", "slowMultiplier", "oneWay", "door", "blocked", "key", "tags", "isDynamic"];
    let object = [
        "facing",
        "radius",
        "height",
        "speed",
        "runSpeed",
        "rotationSpeed",
        "player",
        "doors",
        "behaviour",
        "open",
        "locked",
        "seconds",
        "oneWay",
        "teams",
        "cost",
        "order",
        "collisionLayer",
        "collision",
        "bothWays",
        "targetObject",
    ];
    for value in values {
        for name in tile {
            load(&map("1,2,1", &truth(name, value), ""));
        }
        for name in object {
            for class in ["guard", "door", "trigger", "area", "mark", "waypoint", "route", "obstacle", "shop"]
            {
                let objects = format!(
                    "<objectgroup><object id=\"1\" name=\"it\" type=\"{class}\" x=\"0\" y=\"0\" width=\"16\" height=\"16\">\
                     <properties>{}</properties></object></objectgroup>",
                    truth(name, value)
                );
                // A script of that name need not exist here: the level names it, `check` looks for it.
                let text = map("1,1,1", "", &objects);
                let source = MemorySource::new().with("map.tmx", text.as_str());
                let found = level::load("map.tmx", &source).err().map(|error| error.to_string());
                assert_eq!(found, None, "{name} {value} of a {class}");
            }
        }
        for name in ["navigationLayers", "script", "seed", "tickRate", "pathBudget"] {
            let text = map("1,1,1", "", "")
                .replace("<tileset", &format!("<properties>{}</properties><tileset", truth(name, value)));
            load(&text);
        }
    }
}

#[test]
fn a_layer_counts_where_its_offset_draws_it_as_its_objects_do() {
    let layers = |offset: &str| {
        format!(
            "<layer id=\"2\" name=\"wall\" width=\"4\" height=\"1\" {offset}><properties>\
             <property name=\"isTilesetWalkable\" type=\"bool\" value=\"false\"/></properties>\
             <data encoding=\"csv\">0,2,0,0</data></layer>\
             <objectgroup id=\"3\" name=\"o\" {offset}><object id=\"1\" name=\"m\" x=\"24\" y=\"8\"><point/></object></objectgroup>"
        )
    };
    for (offset, expected) in [
        ("", ".#.."),
        ("offsetx=\"16\"", "..#."),
        ("offsetx=\"-16\"", "#..."),
        ("offsetx=\"20\"", "..#."),
        ("offsetx=\"64\"", "...."),
    ] {
        let level = load(&map("1,1,1,1", "", &layers(offset)));
        assert_eq!(row(&level), expected, "{offset}");
        let mark = level.resolved.marks[0].position.x;
        if let Some(at) = expected.find('#') {
            assert_eq!(mark.floor() as usize, at, "{offset}: the mark stands on the tile of the wall");
        }
    }
    let found = import(&map("1,1,1,1", "", &layers("offsetx=\"64\""))).tiled.report.left_out;
    assert!(found.iter().any(|left| left.what.contains("off the map") && left.count == 1), "{found:?}");
}

#[test]
fn an_offset_moves_tiles_and_objects_together_on_every_kind_of_map() {
    for (head, [x, y]) in [
        ("orientation=\"orthogonal\" tilewidth=\"16\" tileheight=\"16\"", [16, 32]),
        // One column and two rows further, on the picture of diamonds of 32 by 16.
        ("orientation=\"isometric\" tilewidth=\"32\" tileheight=\"16\"", [-16, 24]),
        (
            "orientation=\"staggered\" tilewidth=\"32\" tileheight=\"16\" staggeraxis=\"y\" staggerindex=\"odd\"",
            [32, 16],
        ),
        (
            "orientation=\"hexagonal\" tilewidth=\"32\" tileheight=\"32\" hexsidelength=\"16\" staggeraxis=\"y\" staggerindex=\"odd\"",
            [32, 48],
        ),
    ] {
        let cells = (0..36).map(|at| if at == 14 { "2" } else { "0" }).collect::<Vec<_>>().join(",");
        let ground = ["1"; 36].join(",");
        let text = |offset: &str| {
            format!(
                "<map {head} width=\"6\" height=\"6\"><tileset firstgid=\"1\" tilewidth=\"16\" tileheight=\"16\" tilecount=\"9\"/>\
                 <layer id=\"1\" name=\"floor\" width=\"6\" height=\"6\"><properties>\
                 <property name=\"isTilesetWalkable\" type=\"bool\" value=\"true\"/></properties>\
                 <data encoding=\"csv\">{ground}</data></layer>\
                 <layer id=\"2\" name=\"wall\" width=\"6\" height=\"6\" {offset}><properties>\
                 <property name=\"isTilesetWalkable\" type=\"bool\" value=\"false\"/></properties>\
                 <data encoding=\"csv\">{cells}</data></layer></map>"
            )
        };
        let blocked = |level: &Level| {
            let NavigationDef::Tiles(tiles) = &level.def.navigation else { panic!("tiles") };
            let rows = tiles.layers[0].rows.iter().enumerate();
            let marked =
                rows.flat_map(|(row, text)| text.value.match_indices('#').map(move |(at, _)| (at, row)));
            marked.collect::<Vec<_>>()
        };
        assert_eq!(blocked(&load(&text(""))), [(2, 2)], "{head}");
        let moved = load(&text(&format!("offsetx=\"{x}\" offsety=\"{y}\"")));
        assert_eq!(blocked(&moved), [(3, 4)], "{head}");
        assert!(
            moved.diagnostics.iter().all(|found| !found.message.contains("whole number of tiles")),
            "{head}"
        );
    }
}

#[test]
fn cells_of_a_door_stay_its_own_below_an_area_and_go_to_a_later_door_with_a_warning() {
    let object = |id: u32, name: &str, class: &str, [x, width]: [u32; 2]| {
        format!(
            "<object id=\"{id}\" name=\"{name}\" type=\"{class}\" x=\"{x}\" y=\"0\" width=\"{width}\" height=\"16\"/>"
        )
    };
    let level = |objects: &[String]| {
        let objects = objects.concat();
        load(&map("1,1,1,1", "", &format!("<objectgroup id=\"3\" name=\"o\">{objects}</objectgroup>")))
    };
    let lost = |level: &Level| -> Vec<String> {
        let found = level.diagnostics.iter().filter(|found| found.code == "door");
        found.map(|found| found.message.clone()).collect()
    };
    let door = |id: u32, name: &str, span: [u32; 2]| object(id, name, "door", span);
    let beside = level(&[door(1, "a", [0, 16]), door(2, "b", [16, 16])]);
    assert!(lost(&beside).is_empty());
    for (span, cells) in [([0, 16], "a cell"), ([0, 32], "2 cells")] {
        let over = level(&[door(1, "a", [0, 32]), door(2, "b", span)]);
        let expected = format!("door \"b\" takes {cells} of door \"a\": a cell belongs to one door");
        assert_eq!(lost(&over), [expected]);
    }
    for below in [true, false] {
        let mut objects = vec![door(1, "a", [16, 16]), object(2, "mud", "area", [0, 64])];
        if below {
            objects.reverse();
        }
        let level = level(&objects);
        assert!(lost(&level).is_empty());
        let cells = level.map.cells().unwrap();
        let open: Vec<bool> = (0..4).map(|x| cells.walkable(x, 0)).collect();
        assert_eq!(open, [true, false, true, true], "the closed door blocks its cell alone");
    }
}

#[test]
fn an_infinite_map_reaches_as_far_as_offsets_draw_its_layers() {
    let text = |offset: &str| {
        let chunk = "<chunk x=\"0\" y=\"0\" width=\"4\" height=\"1\">1,1,1,1</chunk>";
        format!(
            "<map orientation=\"orthogonal\" width=\"4\" height=\"1\" tilewidth=\"16\" tileheight=\"16\" infinite=\"1\">\
             <tileset firstgid=\"1\" name=\"t\" tilewidth=\"16\" tileheight=\"16\" tilecount=\"9\" columns=\"9\"/>\
             <layer id=\"1\" name=\"floor\" width=\"4\" height=\"1\"><data encoding=\"csv\">{chunk}</data></layer>\
             <layer id=\"2\" name=\"floor 2\" width=\"4\" height=\"1\" {offset}><data encoding=\"csv\">{chunk}</data></layer></map>"
        )
    };
    for (offset, expected) in
        [("", "...."), ("offsetx=\"64\"", "........"), ("offsetx=\"-96\"", "....##....")]
    {
        let level = load(&text(offset));
        assert_eq!(row(&level), expected, "{offset}");
        assert!(import(&text(offset)).tiled.report.left_out.is_empty(), "{offset}");
    }
}

#[test]
fn what_nobody_painted_on_an_infinite_map_is_no_ground() {
    let text = |infinite: &str, layer: &str| {
        format!(
            "<map orientation=\"orthogonal\" width=\"4\" height=\"1\" tilewidth=\"16\" tileheight=\"16\" infinite=\"{infinite}\">\
             <tileset firstgid=\"1\" name=\"t\" tilewidth=\"16\" tileheight=\"16\" tilecount=\"9\" columns=\"9\"/>\
             <layer id=\"1\" name=\"floor\" width=\"4\" height=\"1\"><data encoding=\"csv\">{layer}</data></layer></map>"
        )
    };
    let infinite = load(&text("1", "<chunk x=\"-1\" y=\"0\" width=\"5\" height=\"1\">0,1,1,0,0</chunk>"));
    assert_eq!(row(&infinite), "#..##");
    assert_eq!(row(&load(&text("0", "0,1,1,0"))), "....", "a finite map has no padding");
}

const FORGOTTEN: &str = "<objectgroup id=\"2\" name=\"things\">\
    <object id=\"1\" name=\"exit\" type=\"trigger\" x=\"0\" y=\"0\" width=\"16\" height=\"16\"><properties>\
    <property name=\"onEnter\" value=\"leaveTown\"/><property name=\"oneTime\" type=\"bool\" value=\"true\"/></properties></object>\
    <object id=\"2\" type=\"waypoint\" x=\"24\" y=\"8\"><point/><properties><property name=\"group\" value=\"rounds\"/>\
    <property name=\"wait\" type=\"float\" value=\"2.5\"/></properties></object>\
    <object id=\"4\" name=\"gate\" type=\"door\" x=\"64\" y=\"0\" width=\"16\" height=\"16\"><properties>\
    <property name=\"targetLevel\" value=\"castle\"/></properties></object>\
    <object id=\"5\" name=\"chest\" x=\"40\" y=\"8\"><point/><properties><property name=\"gold\" type=\"int\" value=\"5\"/></properties></object>\
    <object id=\"6\" name=\"bo\" type=\"guard\" x=\"8\" y=\"8\"><properties><property name=\"hp\" type=\"int\" value=\"9\"/></properties>\
    <polyline points=\"0,0 32,0\"/></object>\
    <object id=\"7\" name=\"shrine\" type=\"shrine\" gid=\"2\" x=\"32\" y=\"16\" width=\"16\" height=\"16\"><properties>\
    <property name=\"god\" value=\"Thor\"/></properties></object>\
    <object id=\"8\" name=\"way\" x=\"0\" y=\"8\"><polyline points=\"0,0 32,0\"/><properties>\
    <property name=\"looped\" type=\"bool\" value=\"true\"/></properties></object>\
    <object id=\"9\" gid=\"3\" x=\"32\" y=\"16\" width=\"16\" height=\"16\"/>\
    <object id=\"10\" gid=\"3\" x=\"48\" y=\"16\" width=\"16\" height=\"16\"/>\
    <object id=\"11\" name=\"sign\" x=\"0\" y=\"0\"><text>hi</text></object>\
    <object id=\"12\" name=\"pond\" type=\"area\" x=\"32\" y=\"0\" width=\"16\" height=\"16\"><properties>\
    <property name=\"fish\" value=\"carp\"/></properties></object></objectgroup>";

#[test]
fn what_is_said_of_objects_goes_with_them_and_the_rest_is_named() {
    let tile = "<property name=\"sound\" value=\"step\"/>";
    let imported = import(&map("1,2,1,1,1", tile, FORGOTTEN));
    let def = &imported.tiled.def;
    assert_eq!(def.regions[0].props["onEnter"].value, "leaveTown");
    assert_eq!(def.regions[0].props["oneTime"].value, true);
    assert_eq!(def.doors[0].props["targetLevel"].value, "castle");
    let names: Vec<&str> = def.marks.iter().map(|mark| mark.name.value.as_str()).collect();
    assert_eq!(names, ["chest", "shrine"]);
    assert_eq!(
        (&def.marks[0].place.props["gold"].value, &def.marks[1].place.props["god"].value),
        (&5.into(), &"Thor".into())
    );
    assert_eq!(def.characters[0].props["hp"].value, 9);
    let routes: Vec<(&str, usize)> =
        def.routes.iter().map(|route| (route.name.value.as_str(), route.stops.len())).collect();
    assert_eq!(routes, [("bo", 2), ("way", 2), ("rounds", 1)]);
    assert_eq!(def.routes[1].props["looped"].value, true);
    let level::StopDef::Place(stop) = &def.routes[2].stops[0] else { panic!("a place") };
    assert_eq!(stop.props["wait"].value, 2.5);
    let left: Vec<(&str, u64)> =
        imported.tiled.report.left_out.iter().map(|left| (left.what.as_str(), left.count)).collect();
    let expected = [
        ("property \"fish\" of object \"pond\" (area)", 1),
        ("property \"sound\" of tiles", 1),
        ("text of object \"sign\"", 1),
        ("tile objects without a name", 2),
    ];
    assert_eq!(left, expected);
    for (what, _) in expected {
        assert!(
            imported.diagnostics.iter().any(|found| found.message.contains(what)),
            "{what} is a note as well"
        );
    }
    // The level that is written says the same.
    let text = tiled::text(def);
    let source = MemorySource::new().with("level.json", text.as_str());
    let read = level::load("level.json", &source).unwrap_or_else(|error| panic!("{error}\n{text}")).def;
    assert_eq!(tiled::text(&read), text);
    assert_eq!(read.regions[0].props["onEnter"].value, "leaveTown");
}

#[test]
fn a_name_that_is_nearly_known_is_a_note_with_the_known_one() {
    let help = |text: &str| {
        let found = import(text).diagnostics;
        let found = found.into_iter().find(|found| found.code == "property" && found.help.is_some());
        found.map(|found| (found.severity, found.help.unwrap()))
    };
    let note = |name: &str| Some((Severity::Note, format!("did you mean \"{name}\"?")));
    let layer = map("1,1", "", "").replace("isTilesetWalkable", "isTilesetWalkabel");
    assert_eq!(help(&layer), note("isTilesetWalkable"));
    assert_eq!(help(&map("1,2", &truth("terainType", "value=\"Mud\""), "")), note("terrainType"));
    let door = |name: &str| {
        format!(
            "<objectgroup><object id=\"1\" name=\"gate\" type=\"door\" x=\"0\" y=\"0\" width=\"16\" height=\"16\">\
             <properties>{}</properties></object></objectgroup>",
            truth(name, "value=\"iron\"")
        )
    };
    assert_eq!(help(&map("1,1", "", &door("requireKey"))), note("requiresKey"));
    assert_eq!(
        help(&map("1,1", "", &door("material"))),
        None,
        "what is nothing like ours is somebody else's"
    );
}

#[test]
fn a_world_of_several_maps_is_told_to_name_one() {
    let world = r#"{ "maps": [{ "fileName": "north.tmx", "x": 0, "y": 0 }, { "fileName": "south.tmx", "x": 0, "y": 64 }],
        "type": "world" }"#;
    let source = MemorySource::new().with("land.world", world);
    let imported = tiled::import("land.world", &source, &TiledOptions::default()).map(|_| ()).unwrap_err();
    let loaded = level::load("land.world", &source).map(|_| ()).unwrap_err();
    let named = r#"{ "navigation": { "kind": "tiled", "file": "land.world" } }"#;
    let named = level::load("level.json", &source.with("level.json", named)).map(|_| ()).unwrap_err();
    for error in [imported, loaded, named] {
        let message = &error.diagnostics[0].message;
        assert!(
            message.contains("a world of Tiled") && message.contains("\"north.tmx\", \"south.tmx\""),
            "{message}"
        );
    }
}

#[test]
fn a_file_outside_the_project_is_told_what_marks_the_root() {
    let text = map("1,1", "", "").replace("<tileset firstgid", "<tileset source=\"../tiles/t.tsx\" firstgid");
    let source = MemorySource::new().with("map.tmx", text);
    let error = tiled::import("map.tmx", &source, &TiledOptions::default()).map(|_| ()).unwrap_err();
    let help = error.diagnostics[0].help.clone().unwrap_or_default();
    assert!(help.contains("walkon.json"), "{help}");
}

#[test]
fn import_says_what_it_left_out_and_which_names_it_nearly_knows() {
    let project = crate::cli::commands::Project::new();
    project.write(
        "levels/map.tmx",
        &map("1,2,1,1,1", "<property name=\"terainType\" value=\"Mud\"/>", FORGOTTEN),
    );
    let (out, _) = project.expect(0, &["import", "levels/map.tmx", "-o", "levels/map.json"]);
    for line in [
        "left out: tile objects without a name (2 times)",
        "left out: property \"fish\" of object \"pond\" (area)",
        "note: property \"terainType\" of tile 1 is not known to walkon; did you mean \"terrainType\"?",
    ] {
        assert!(out.lines().any(|own| own == line), "{line}\n{out}");
    }
    let report = project
        .json(0, &["import", "levels/map.tmx", "-o", "levels/map.json", "--force", "--format", "json"]);
    assert!(report["leftOut"].as_array().unwrap().iter().any(|left| left["count"] == 2), "{report}");
    assert_eq!(report["notes"].as_array().unwrap().len(), 1, "{report}");
}

#[test]
fn import_names_scripts_that_are_not_there_with_the_object_and_the_place() {
    let project = crate::cli::commands::Project::new();
    project.write("scripts/there.lua", "return {}");
    let object = |id: u32, property: &str, script: &str| {
        format!(
            "\n<object id=\"{id}\" name=\"own{id}\" class=\"character\" x=\"8\" y=\"8\"><properties>\
             <property name=\"{property}\" value=\"{script}\"/></properties><point/></object>"
        )
    };
    let imported = |objects: &[String]| {
        let group = format!("<objectgroup id=\"2\" name=\"things\">{}</objectgroup>", objects.concat());
        project.write("levels/map.tmx", &map("1,1,1", "", &group));
        let words = ["import", "levels/map.tmx", "-o", "levels/map.json", "--force"];
        let (_, err) = project.expect(0, &words);
        (err, project.json(0, &[&words[..], &["--format", "json"]].concat()))
    };
    for property in ["script", "behaviour", "behavior"] {
        for script in ["there", "there.lua"] {
            let (err, report) = imported(&[object(1, property, script)]);
            assert!(!err.contains("warning"), "{property} {script}: {err}");
            assert_eq!(report["notes"], serde_json::json!([]), "{property} {script}");
        }
        let (err, report) = imported(&[
            object(1, property, "there"),
            object(2, property, "gone/x.lua"),
            object(3, property, "thre"),
            object(4, property, "gone/x.lua"),
        ]);
        let told = [
            "object \"own2\" and 1 other: unknown script \"gone/x.lua\"",
            "object \"own3\": unknown script \"thre\"; did you mean \"there\"?",
        ];
        assert_eq!(report["notes"], serde_json::json!(told), "{property}");
        assert_eq!(err.matches("warning[unresolved]").count(), 2, "{property}: {err}");
        for shown in ["levels/map.tmx:3:", "levels/map.tmx:4:", &format!("name=\"{property}\"")] {
            assert!(err.contains(shown), "{shown} in {err}");
        }
    }
}

#[test]
fn import_says_when_no_layer_tells_where_one_can_walk() {
    let project = crate::cli::commands::Project::new();
    for (name, property) in [
        ("silent", ""),
        (
            "ground",
            "<properties><property name=\"isTilesetWalkable\" type=\"bool\" value=\"true\"/></properties>",
        ),
        (
            "walls",
            "<properties><property name=\"isTilesetWalkable\" type=\"bool\" value=\"false\"/></properties>",
        ),
    ] {
        let map = format!(
            "<map version=\"1.10\" orientation=\"orthogonal\" width=\"2\" height=\"1\" tilewidth=\"16\" tileheight=\"16\">\
             <tileset firstgid=\"1\" name=\"t\" tilewidth=\"16\" tileheight=\"16\" tilecount=\"1\" columns=\"1\"/>\
             <layer id=\"1\" name=\"floor\" width=\"2\" height=\"1\">{property}<data encoding=\"csv\">1,0</data></layer></map>"
        );
        project.write(&format!("levels/{name}.tmx"), &map);
        let (from, to) = (format!("levels/{name}.tmx"), format!("levels/{name}.json"));
        let (out, _) = project.expect(0, &["import", &from, "-o", &to]);
        let noted = out.lines().filter(|line| line.starts_with("note: no layer has the property")).count();
        assert_eq!(noted, usize::from(name == "silent"), "{name}: {out}");
    }
}

#[test]
fn a_class_that_is_nearly_a_known_one_is_named_once_and_one_that_is_far_from_all_is_not() {
    let project = crate::cli::commands::Project::new();
    let object = |id: u32, class: &str| {
        format!("<object id=\"{id}\" class=\"{class}\" x=\"8\" y=\"8\"><point/></object>")
    };
    let objects =
        [object(1, "Charcter"), object(2, "Charcter"), object(3, "tavern"), object(4, "npc")].concat();
    let group = format!("<objectgroup id=\"2\" name=\"things\">{objects}</objectgroup>");
    project.write("levels/map.tmx", &map("1,1,1", "", &group));
    let report = project.json(0, &["import", "levels/map.tmx", "-o", "levels/map.json", "--format", "json"]);
    let note = "class \"Charcter\" is not known to walkon; the shape of its objects decides; \
                did you mean \"character\"?";
    assert_eq!(report["notes"], serde_json::json!([note]), "{report}");
    let (_, err) = project.expect(2, &["import", "levels/map.tmx", "-o", "levels/other.tmx"]);
    assert!(err.contains("ends in .json, such as levels/other.json"), "{err}");
}

#[test]
fn areas_and_obstacles_say_whether_they_hide_what_is_behind_them() {
    let sees = |class: &str, said: &str| {
        let object = format!(
            "<objectgroup id=\"2\" name=\"things\"><object id=\"1\" name=\"thing\" class=\"{class}\" x=\"16\" y=\"0\" width=\"16\" \
             height=\"16\"><properties>{said}</properties></object></objectgroup>"
        );
        let level = load(&map("1,1,1", "", &object));
        let walls = row(&level);
        let world = level::spawn::build(level, None).world;
        let place = |x: f32| walkon_runtime::glam::Vec3::new(x, 0.0, 0.5);
        (walls, !world.is_hidden(place(0.5), place(2.5), 0))
    };
    let (yes, no) = (truth("blocksSight", "value=\"true\""), truth("blocksSight", "value=\"false\""));
    assert_eq!(sees("obstacle", ""), (".#.".to_owned(), false));
    assert_eq!(sees("obstacle", &no), (".#.".to_owned(), true));
    assert_eq!(sees("area", ""), ("...".to_owned(), true));
    assert_eq!(sees("area", &yes), ("...".to_owned(), false));
}
