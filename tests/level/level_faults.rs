//! Level files as people break them: every row of part 1.F of the fault catalogue that a level can hold,
//! with the code, the place and the help it must be refused with.

use walkon_runtime::level::{self, Diagnostic, LevelDef, Severity};

/// A level with `text` spliced into an otherwise sound one.
fn yard(rest: &str) -> String {
    format!(
        "{{\n  \"navigation\": {{ \"areas\": [ {{ \"name\": \"yard\", \"polygon\": [[0,0],[20,0],[20,12],[0,12]] }} ] }}{}{rest}\n}}",
        if rest.is_empty() { "" } else { ",\n  " }
    )
}

/// A level whose map has these keys.
fn map(keys: &str) -> String {
    format!("{{ \"navigation\": {{ {keys} }} }}")
}

/// A level of areas with these polygons.
fn areas(polygons: &[&str]) -> String {
    let areas: Vec<String> = polygons
        .iter()
        .enumerate()
        .map(|(index, polygon)| format!("{{ \"name\": \"a{index}\", \"polygon\": {polygon} }}"))
        .collect();
    map(&format!("\"areas\": [{}]", areas.join(", ")))
}

fn diagnostics(bytes: impl AsRef<[u8]>) -> Vec<Diagnostic> {
    level::read(bytes.as_ref(), "levels/test.json").diagnostics
}

/// The only error of a level.
fn error(bytes: impl AsRef<[u8]>) -> Diagnostic {
    let outcome = level::read(bytes.as_ref(), "levels/test.json");
    assert!(outcome.def.is_none(), "a level with an error is not handed out");
    let errors: Vec<_> = outcome.diagnostics.into_iter().filter(|d| d.severity == Severity::Error).collect();
    assert_eq!(errors.len(), 1, "expected one error, got {errors:#?}");
    errors.into_iter().next().unwrap()
}

/// The only warning of a level that loads.
fn warning(bytes: impl AsRef<[u8]>) -> Diagnostic {
    let outcome = level::read(bytes.as_ref(), "levels/test.json");
    assert!(outcome.def.is_some(), "a warning does not refuse a level: {:#?}", outcome.diagnostics);
    assert_eq!(outcome.diagnostics.len(), 1, "expected one warning, got {:#?}", outcome.diagnostics);
    let found = outcome.diagnostics.into_iter().next().unwrap();
    assert_eq!(found.severity, Severity::Warning);
    found
}

fn sound(bytes: impl AsRef<[u8]>) -> LevelDef {
    let outcome = level::read(bytes.as_ref(), "levels/test.json");
    assert_eq!(outcome.diagnostics, [], "expected a sound level");
    outcome.def.unwrap()
}

/// Code and place of an error.
fn refused(bytes: impl AsRef<[u8]>) -> (&'static str, u32, u32, String) {
    let found = error(bytes);
    (found.code, found.line, found.column, found.pointer)
}

fn at(code: &'static str, line: u32, column: u32, pointer: &str) -> (&'static str, u32, u32, String) {
    (code, line, column, pointer.to_owned())
}

#[test]
fn fault_f1_an_empty_file_and_white_space_are_refused() {
    for text in ["", " ", "\n\n\t \r\n"] {
        assert_eq!(refused(text), at("empty", 1, 1, ""));
    }
}

#[test]
fn fault_f2_a_byte_order_mark_is_skipped_with_a_warning() {
    let found = warning(format!("\u{FEFF}{}", yard("")));
    assert_eq!((found.code, found.line, found.column), ("encoding", 1, 1));
    let found = diagnostics(
        "\u{FEFF}{ \"navigatoin\": 1, \"navigation\": {\"areas\":[{\"name\":\"a\",\"polygon\":[[0,0],[1,0],[1,1]]}]} }",
    );
    assert_eq!(
        (found[1].code, found[1].line, found[1].column),
        ("unknown-field", 1, 3),
        "columns do not count the mark"
    );
}

#[test]
fn fault_f3_other_encodings_are_refused_with_the_byte() {
    let utf16: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain("{}".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(error(&utf16).code, "encoding");
    assert_eq!(error("{}".encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>()).code, "encoding");
    let found = error(b"{ \"name\": \"caf\xE9\" }");
    assert_eq!((found.code, found.line, found.column), ("encoding", 1, 15));
    assert_eq!(found.message, "byte 14 (0xe9) is not UTF-8, expected UTF-8 text");
    let found = error(
        "{ \"name\": \"half \\ud800\", \"navigation\": {\"areas\":[{\"name\":\"a\",\"polygon\":[[0,0],[1,0],[1,1]]}]} }",
    );
    assert_eq!((found.code, found.pointer.as_str()), ("encoding", "/name"));
}

#[test]
fn fault_f4_trailing_garbage_is_refused() {
    assert_eq!(refused("{} x"), at("trailing", 1, 4, ""));
    assert_eq!(refused(format!("{}\n{{}}", yard(""))), at("trailing", 4, 1, ""));
}

#[test]
fn fault_f4_broken_syntax_is_refused_at_its_place() {
    assert_eq!(refused("{ \"name\": \"a\",, }"), at("syntax", 1, 15, ""));
    assert_eq!(refused("{\n  \"name\": \"a\"\n  \"seed\": 1 }"), at("syntax", 3, 3, ""));
    assert_eq!(error("{ \"name\": ").code, "syntax");
    assert_eq!(error("// no comments\n{}").code, "syntax");
}

#[test]
fn fault_f4_what_json_has_not_is_told_with_what_to_do() {
    let comments = "JSON has no comments; a key whose name begins with \"x-\" may hold one";
    for (text, help) in [
        ("{ \"name\": \"a\", }", Some("remove the comma before it")),
        ("{ \"name\": \"a\",, \"seed\": 1 }", Some("remove the comma before it")),
        ("{ \"marks\": { \"post\": [1, 2,\n ] } }", Some("remove the comma before it")),
        ("// a yard\n{}", Some(comments)),
        ("{ \"name\": \"a\", /* a yard */ \"seed\": 1 }", Some(comments)),
        ("{ \"name\": 'a' }", Some("JSON has texts in double quotes")),
        ("{ 'name': \"a\" }", Some("JSON has texts in double quotes")),
        ("{ \"name\": a }", None),
        ("{ \"name\" ", None),
    ] {
        let found = error(text);
        assert_eq!((found.code, found.help.as_deref()), ("syntax", help), "{text}: {found:?}");
    }
}

#[test]
fn fault_f5_nesting_ends_at_32() {
    assert_eq!(refused("[".repeat(100_000)), at("depth", 1, 33, ""));
    let nested = |depth: usize| yard(&format!("\"x-deep\": {}{}", "[".repeat(depth), "]".repeat(depth)));
    sound(nested(31));
    assert_eq!(error(nested(32)).code, "depth");
}

#[test]
fn fault_f6_numbers_that_are_none_are_refused() {
    assert_eq!(refused("{ \"seed\": NaN }"), at("number", 1, 11, ""));
    assert_eq!(refused("{ \"seed\": -Infinity }").0, "number");
    assert_eq!(refused(yard("\"seed\": 1e999")), at("number", 3, 11, "/seed"));
    let level =
        sound(map("\"floorY\": -0.0, \"areas\": [{\"name\":\"a\",\"polygon\":[[-0.0,0],[1,0],[1,1]]}]"));
    let level::NavigationDef::Grid(grid) = level.navigation else { panic!("a grid") };
    assert!(grid.sizes.floor_y_m.is_sign_positive() && grid.areas[0].polygon[0][0].is_sign_positive());
}

#[test]
fn fault_f7_a_key_twice_is_refused_with_both_places() {
    let found = error(yard("\"seed\": 1,\n  \"seed\": 2"));
    assert_eq!(
        (found.code, found.line, found.column, found.pointer.as_str()),
        ("duplicate-key", 4, 3, "/seed")
    );
    assert_eq!(found.message, "the level has the key \"seed\" twice, first at 3:3");
    assert_eq!(error(yard("\"marks\": { \"a\": [1,1], \"\\u0061\": [2,2] }")).code, "duplicate-key");
}

#[test]
fn fault_f8_an_unknown_field_is_refused_with_the_nearest() {
    let found = error(map("\"cellsize\": 1, \"areas\": [{\"name\":\"a\",\"polygon\":[[0,0],[1,0],[1,1]]}]"));
    assert_eq!((found.code, found.line, found.column), ("unknown-field", 1, 19));
    assert_eq!(found.pointer, "/navigation/cellsize");
    assert_eq!(found.message, "unknown field \"cellsize\" in navigation");
    assert_eq!(found.help.as_deref(), Some("did you mean \"cellSize\"?"));
    let found =
        error(map("\"tileHeight\": 1, \"areas\": [{\"name\":\"a\",\"polygon\":[[0,0],[1,0],[1,1]]}]"));
    let help = found.help.unwrap();
    assert!(help.starts_with("known fields are ") && help.contains(", cellSize, "), "{help}");
    assert!(help.ends_with("; a name that begins with \"x-\" is yours"), "{help}");
    let found = diagnostics(yard("\"characters\": [{ \"name\": \"a\", \"pos\": [1, 1] }]"));
    assert!(found.iter().any(|d| d.help.as_deref() == Some("did you mean \"position\"?")), "{found:?}");
    for part in ["doors", "regions", "characters"] {
        let found = diagnostics(yard(&format!("\"{part}\": [{{ \"nmae\": 1 }}]")));
        let unknown = found.iter().find(|d| d.code == "unknown-field").unwrap();
        assert_eq!(unknown.pointer, format!("/{part}/0/nmae"));
        assert_eq!(unknown.help.as_deref(), Some("did you mean \"name\"?"));
    }
    assert_eq!(
        error(yard("\"limits\": { \"fuelPerCal\": 1000 }")).help.as_deref(),
        Some("did you mean \"fuelPerCall\"?")
    );
    assert_eq!(
        error(yard("\"crowd\": { \"nudgDist\": 1 }")).help.as_deref(),
        Some("did you mean \"nudgeDist\"?")
    );
}

#[test]
fn fault_f8_fields_that_begin_with_x_are_free_everywhere() {
    sound(yard(
        "\"x-editor\": { \"zoom\": [1, null, \"NaN\"] }, \"marks\": { \"x-note\": \"free\", \"post\": [1,1] },
        \"crowd\": { \"x-a\": 1 }, \"characters\": [ { \"name\": \"guard\", \"position\": [1,1], \"x-art\": \"guard.png\" } ]",
    ));
}

#[test]
fn fault_f9_what_is_missing_or_of_another_type_is_named() {
    let found = error("{ \"name\": \"a\" }");
    assert_eq!(
        (found.code, found.pointer.as_str(), found.message.as_str()),
        ("missing-field", "", "the level has no \"navigation\"")
    );
    let found = error(yard("\"doors\": [ { \"name\": \"gate\" } ]"));
    assert_eq!(
        (found.code, found.line, found.column, found.pointer.as_str()),
        ("missing-field", 3, 14, "/doors/0")
    );
    assert_eq!(found.message, "doors[0] has no \"area\"");

    let found = error(yard(
        "\"characters\": [ { \"name\": \"a\", \"position\": [1,1], \"facingDegrees\": \"east\" } ]",
    ));
    assert_eq!(found.message, "characters[0].facingDegrees is \"east\", expected a number of degrees");
    assert_eq!((found.code, found.pointer.as_str()), ("type", "/characters/0/facingDegrees"));
    let found = error(yard("\"tickRate\": \"60\""));
    assert_eq!((found.code, found.help.as_deref()), ("type", Some("remove the quotes")));
    let found = error(yard("\"script\": null"));
    assert_eq!((found.code, found.help.as_deref()), ("type", Some("leave the key out to get its default")));
    for wrong in ["[]", "3", "true", "null", "\"x\""] {
        assert_eq!(error(yard(&format!("\"crowd\": {wrong}"))).code, "type", "{wrong}");
    }
    for wrong in ["[]", "3", "\"text\"", "null"] {
        assert_eq!(error(wrong).code, "type", "{wrong} is no level");
    }
    assert_eq!(refused(yard("\"marks\": { \"post\": [1] }")), at("type", 3, 22, "/marks/post"));
    assert_eq!(refused(yard("\"tickRate\": 59.5")), at("range", 3, 15, "/tickRate"));
}

#[test]
fn fault_f9_everything_wrong_is_said_at_once() {
    let found = diagnostics(yard(
        "\"seed\": -1, \"tickRate\": 5,
        \"doors\": [ { \"name\": \"gate\", \"area\": \"yrad\" }, { \"name\": \"gate\", \"area\": \"yard\", \"secnds\": 1 } ],
        \"routes\": { \"rounds\": [\"pst\"] }, \"marks\": { \"post\": [1,1] }",
    ));
    let codes: Vec<_> = found.iter().map(|d| (d.code, d.pointer.as_str())).collect();
    assert_eq!(
        codes,
        [
            ("range", "/seed"),
            ("range", "/tickRate"),
            ("unresolved", "/doors/0/area"),
            ("duplicate-name", "/doors/1/name"),
            ("unknown-field", "/doors/1/secnds"),
            ("unresolved", "/routes/rounds/0"),
        ]
    );
}

#[test]
fn fault_f10_cell_sizes_have_a_range() {
    for size in ["0", "-1", "1e-9", "1e9"] {
        let found = error(map(&format!(
            "\"cellSize\": {size}, \"areas\": [{{\"name\":\"a\",\"polygon\":[[0,0],[1,0],[1,1]]}}]"
        )));
        assert_eq!((found.code, found.pointer.as_str()), ("range", "/navigation/cellSize"));
        assert_eq!(found.message, format!("navigation.cellSize is {size}, expected 0.01 to 100 metres"));
    }
}

#[test]
fn fault_f12_coordinates_end_at_a_thousand_kilometres() {
    let found = error(areas(&["[[0,0],[1000001,0],[1,1]]"]));
    assert_eq!((found.code, found.pointer.as_str()), ("extent", "/navigation/areas/0/polygon/1/0"));
    assert_eq!(error(yard("\"marks\": { \"far\": [-1e7, 0] }")).code, "extent");
    sound(yard("\"marks\": { \"far\": [-1e6, 1e6] }"));
}

#[test]
fn fault_f13_an_area_that_encloses_nothing_is_refused() {
    for polygon in [
        "[]",
        "[[0,0]]",
        "[[0,0],[1,1]]",
        "[[2,2],[2,2],[2,2],[2,2]]",
        "[[0,0],[1,1],[2,2]]",
        "[[0,0],[1,1],[0,0],[1,1]]",
    ] {
        let found = error(areas(&[polygon]));
        assert_eq!(
            (found.code, found.pointer.as_str()),
            ("degenerate", "/navigation/areas/0/polygon"),
            "{polygon}"
        );
    }
    assert_eq!(error(map("\"areas\": []")).code, "degenerate");
    assert_eq!(
        error(yard("\"regions\": [ { \"name\": \"r\", \"polygon\": [[0,0],[1,1]] } ]")).code,
        "degenerate"
    );
}

#[test]
fn fault_f13_an_obstacle_that_encloses_nothing_is_ignored_with_a_warning() {
    for polygon in ["[]", "[[0,0]]", "[[0,0],[1,1],[2,2]]"] {
        let found = warning(map(&format!(
            "\"areas\": [{{\"name\":\"a\",\"polygon\":[[0,0],[9,0],[9,9]]}}], \"obstacles\": [{{\"name\":\"well\",\"polygon\":{polygon}}}]"
        )));
        assert_eq!(
            (found.code, found.pointer.as_str()),
            ("degenerate", "/navigation/obstacles/0/polygon"),
            "{polygon}"
        );
    }
}

#[test]
fn fault_f14_a_self_crossing_polygon_is_a_warning_with_both_edges() {
    let found = warning(areas(&["[[0,0],[4,4],[4,0],[0,4]]"]));
    assert_eq!((found.code, found.pointer.as_str()), ("self-crossing", "/navigation/areas/0/polygon"));
    assert!(found.message.contains("edges [0, 0]-[4, 4] and [4, 0]-[0, 4]"), "{}", found.message);
}

#[test]
fn fault_f16_more_corners_or_polygons_than_allowed_are_refused() {
    let corners = |count: usize| {
        let corners: Vec<String> =
            (0..count).map(|i| format!("[{i},{}]", if i % 2 == 0 { i } else { i + 1 })).collect();
        format!("[{}]", corners.join(","))
    };
    let found = error(areas(&[&corners(1_000_000)]));
    assert_eq!((found.code, found.pointer.as_str()), ("limit", "/navigation/areas/0/polygon"));
    assert_eq!(found.message, "navigation.areas[0].polygon has 1000000 corners, the limit is 4096");
    let found = error(areas(&vec!["[[0,0],[1,0],[1,1]]"; 100_000]));
    assert_eq!((found.code, found.pointer.as_str()), ("limit", "/navigation/areas"));
    let many = areas(&[&corners(4096)]).replace("\"areas\"", "\"cellSize\": 2, \"areas\"");
    assert!(diagnostics(many).iter().all(|d| d.severity != Severity::Error));
}

#[test]
fn fault_f17_turning_and_closing_change_nothing() {
    let level = |polygon| match sound(areas(&[polygon])).navigation {
        level::NavigationDef::Grid(grid) => grid.areas[0].polygon.clone(),
        _ => panic!("a grid"),
    };
    let open = level("[[0,0],[4,0],[4,4],[0,4]]");
    assert_eq!(open, level("[[0,0],[4,0],[4,4],[0,4],[0,0]]"));
    assert_eq!(open, level("[[0,0],[0,0],[4,0],[4,4],[4,4],[0,4],[0,0],[0,0]]"));
    let mut turned = level("[[0,4],[4,4],[4,0],[0,0]]");
    turned.reverse();
    assert_eq!(open, turned);
}

#[test]
fn fault_f18_names_are_there_once_whatever_their_case() {
    let found = error(yard(
        "\"regions\": [ { \"name\": \"r\", \"centre\": [1,1], \"radius\": 1 },\n    { \"name\": \"r\", \"centre\": [2,2], \"radius\": 1 } ]",
    ));
    assert_eq!(
        (found.code, found.line, found.column, found.pointer.as_str()),
        ("duplicate-name", 4, 15, "/regions/1/name")
    );
    assert_eq!(found.message, "region \"r\" is there twice, first at 3:26");
    let found = error(yard(
        "\"characters\": [ { \"name\": \"\u{C4}nne\", \"position\": [1,1] }, { \"name\": \"\u{E4}nne\", \"position\": [2,2] } ]",
    ));
    assert_eq!(found.message, "character \"\u{E4}nne\" differs from \"\u{C4}nne\" at 3:29 only by case");
    let found = error(yard("\"marks\": { \"post\": [1,1], \"Post\": [2,2] }"));
    assert_eq!((found.code, found.pointer.as_str()), ("duplicate-name", "/marks/Post"));
    let found = error(map(
        "\"areas\": [{\"name\":\"well\",\"polygon\":[[0,0],[9,0],[9,9]]}], \"obstacles\": [{\"name\":\"well\",\"polygon\":[[1,1],[2,1],[2,2]]}]",
    ));
    assert_eq!((found.code, found.pointer.as_str()), ("duplicate-name", "/navigation/obstacles/0/name"));
    sound(yard("\"marks\": { \"gate\": [1,1] }, \"routes\": { \"gate\": [\"gate\"] }"));
}

#[test]
fn fault_f19_a_reference_that_leads_nowhere_is_refused_with_the_nearest_name() {
    let found = error(yard("\"doors\": [ { \"name\": \"gate\", \"area\": \"yrad\" } ]"));
    assert_eq!(
        (found.code, found.line, found.column, found.pointer.as_str()),
        ("unresolved", 3, 40, "/doors/0/area")
    );
    assert_eq!(found.message, "doors[0].area is \"yrad\", which is not an area of this map");
    assert_eq!(found.help.as_deref(), Some("did you mean \"yard\"?"));
    let found = error(yard("\"marks\": { \"post\": [1,1] }, \"routes\": { \"rounds\": [[2,2], \"posst\"] }"));
    assert_eq!((found.code, found.pointer.as_str()), ("unresolved", "/routes/rounds/1"));
    assert_eq!(found.help.as_deref(), Some("did you mean \"post\"?"));
    let found = error(map(
        "\"areas\": [{\"name\":\"a\",\"polygon\":[[0,0],[9,0],[9,9]]}], \"obstacles\": [{\"name\":\"well\",\"polygon\":[[1,1],[2,1],[2,2]]}] }, \"doors\": [{\"name\":\"d\",\"area\":\"well\"}], \"x-end\": {",
    ));
    assert_eq!(
        found.message,
        "doors[0].area is \"well\", which is an obstacle, expected the name of an area"
    );
    assert_eq!(
        error(yard("\"characters\": [ { \"name\": \"a\", \"position\": [1,1], \"layer\": \"roof\" } ]")).code,
        "unresolved"
    );
}

#[test]
fn fault_f22_paths_are_judged_by_their_text() {
    use level::PathError as E;
    for (path, why) in [
        ("../../etc/passwd", E::Dots),
        ("a/../b", E::Dots),
        ("./a", E::Dots),
        ("a/...", E::Dots),
        ("/etc/passwd", E::Absolute),
        ("C:\\x", E::Absolute),
        ("c:x", E::Absolute),
        ("https://example.org/x", E::Absolute),
        ("a\\..\\b", E::Backslash),
        ("file.lua\0.txt", E::Character),
        ("a\nb", E::Character),
        ("file.lua:stream", E::Character),
        ("CON", E::Device),
        ("a/nul.lua", E::Device),
        ("Com1.txt", E::Device),
        ("guard.lua.", E::TrailingDot),
        ("guard ", E::TrailingDot),
        ("", E::Empty),
        ("a//b", E::Empty),
        ("a/", E::Empty),
    ] {
        assert_eq!(level::checked_path(path), Err(why), "{path:?}");
    }
    assert_eq!(level::checked_path(&"a/".repeat(600)), Err(E::TooLong));
    assert_eq!(level::checked_path(&"a".repeat(256)), Err(E::TooLong));
    for path in
        ["guard.lua", "behaviours/guard", "a/b/c.json", "console.lua", "com10", ".hidden", "caf\u{E9}.lua"]
    {
        assert_eq!(level::checked_path(path), Ok(()), "{path:?}");
    }
    let found = error(yard("\"script\": \"../../etc/passwd\""));
    assert_eq!((found.code, found.line, found.column, found.pointer.as_str()), ("path", 3, 13, "/script"));
    let found = error(yard(
        "\"characters\": [ { \"name\": \"a\", \"position\": [1,1], \"behaviour\": \"file.lua\\u0000.txt\" } ]",
    ));
    assert_eq!((found.code, found.pointer.as_str()), ("path", "/characters/0/behaviour"));
    assert_eq!(error("{ \"navigation\": \"/etc/map.json\" }").code, "path");
}

#[test]
fn fault_f25_a_file_above_16_mib_is_refused() {
    let mut text = yard("");
    text.push_str(&" ".repeat(16 * 1024 * 1024));
    assert_eq!(refused(text), at("size", 1, 1, ""));
}

/// A text grid of 3 x 2 cells with a line replaced.
fn grid_with(line: usize, text: &str) -> String {
    let mut lines =
        vec!["cellSize 0.4", "minX -5.0", "minZ -5.0", "gridWidth 3", "gridDepth 2", "111", "101"];
    lines[line - 1] = text;
    lines.retain(|line| !line.is_empty());
    lines.join("\n") + "\n"
}

fn grid_error(text: &str) -> (&'static str, u32, u32) {
    let outcome = level::read(text.as_bytes(), "maps/hall.txt");
    assert!(outcome.def.is_none());
    let found = &outcome.diagnostics[0];
    (found.code, found.line, found.column)
}

#[test]
fn fault_f26_a_broken_text_grid_is_refused_at_its_line() {
    assert_eq!(grid_error(&grid_with(1, "")), ("missing-field", 4, 1));
    assert_eq!(grid_error(&grid_with(7, "")), ("rows", 7, 1));
    assert_eq!(grid_error(&grid_with(7, "101\n111")), ("rows", 8, 1));
    assert_eq!(grid_error(&grid_with(7, "10")), ("rows", 7, 1));
    assert_eq!(grid_error(&grid_with(6, "1x1")), ("rows", 6, 2));
    assert_eq!(grid_error(&grid_with(2, "minX")), ("type", 2, 1));
    assert_eq!(grid_error(&grid_with(2, "minX 1 2")), ("syntax", 2, 1));
    assert_eq!(grid_error(&grid_with(2, "cellSize 0.5")), ("duplicate-key", 2, 1));
    assert_eq!(grid_error(&grid_with(4, "gridWidth 5000000")), ("rows", 6, 1));
    assert_eq!(grid_error(&grid_with(4, "gridWidth 16777216")), ("grid-too-big", 5, 1));
}

#[test]
fn fault_f26_crlf_unknown_keys_and_any_order_are_accepted() {
    let read = |text: &str| level::read(text.as_bytes(), "maps/hall.txt");
    let plain = read(&grid_with(1, "cellSize 0.4"));
    assert_eq!(plain.diagnostics, []);
    let crlf = read(&grid_with(1, "cellSize 0.4").replace('\n', "\r\n"));
    assert_eq!(crlf, plain);
    let level = plain.def.unwrap();
    assert_eq!(level.name, "hall");
    let unknown = read(&grid_with(1, "cellSize 0.4\nagentRadios 1"));
    assert_eq!((unknown.diagnostics[0].code, unknown.diagnostics[0].line), ("unknown-field", 2));
    assert_eq!(unknown.diagnostics[0].help.as_deref(), Some("did you mean \"agentRadius\"?"));
    assert!(unknown.def.is_some());
    let turned = "gridDepth 2\ngridWidth 3\nminZ -5\nminX -5\ncellSize 0.4\n111\n101";
    assert_eq!(read(turned).def.unwrap(), level);
}

#[test]
fn fault_f27_numbers_of_a_text_grid_have_ranges() {
    for (line, text) in [
        (1, "cellSize inf"),
        (1, "cellSize 0"),
        (1, "cellSize -0.4"),
        (2, "minX NaN"),
        (2, "minX 1e7"),
        (4, "gridWidth -1"),
        (4, "gridWidth 0"),
        (4, "gridWidth 2.5"),
        (5, "gridDepth 4294967296"),
    ] {
        assert_eq!(grid_error(&grid_with(line, text)), ("range", line as u32, 1), "{text}");
    }
    assert_eq!(grid_error(&grid_with(1, "cellSize 0,4")), ("type", 1, 1));
}

#[test]
fn fault_f35_costs_have_a_range() {
    for cost in ["0", "-1", "1e30", "0.05"] {
        let found = error(map(&format!(
            "\"areas\": [{{\"name\":\"a\",\"cost\":{cost},\"polygon\":[[0,0],[1,0],[1,1]]}}]"
        )));
        assert_eq!((found.code, found.pointer.as_str()), ("range", "/navigation/areas/0/cost"));
        assert_eq!(found.message, format!("navigation.areas[0].cost is {cost}, expected 0.1 to 100"));
    }
}

#[test]
fn fault_f41_a_million_mistakes_end_at_a_hundred() {
    let many: Vec<String> = (0..200_000).map(|i| format!("\"k{i}\":0")).collect();
    let found = diagnostics(yard(&many.join(",")));
    assert_eq!(found.len(), 101);
    assert_eq!(
        (found[100].code, found[100].message.as_str(), found[100].severity),
        ("more", "199900 more", Severity::Note)
    );
    let warnings: Vec<&str> = vec!["{\"name\":\"o\",\"polygon\":[]}"; 5000];
    let found = diagnostics(map(&format!(
        "\"areas\": [{{\"name\":\"a\",\"polygon\":[[0,0],[9,0],[9,9]]}}], \"obstacles\": [{}], \"nonsense\": 1",
        warnings.join(",")
    )));
    assert!(found.iter().any(|d| d.code == "unknown-field"), "warnings never crowd out an error");
}

#[test]
fn fault_f41_a_line_of_ten_megabytes_is_read() {
    let level = yard(&format!("\"x-note\": \"{}\", \"sed\": 1", "a".repeat(10_000_000)));
    assert_eq!(error(level).code, "unknown-field");
}

#[test]
fn kinds_that_there_are_not_are_refused_with_the_nearest() {
    let found = error(map("\"kind\": \"voxels\", \"file\": \"x\""));
    assert_eq!((found.code, found.pointer.as_str()), ("choice", "/navigation/kind"));
    assert_eq!(error(map("\"kind\": \"textgrid\"")).help.as_deref(), Some("did you mean \"textGrid\"?"));
    assert_eq!(error("{ \"navigation\": \"map.png\" }").code, "choice");
}

#[test]
fn at_most_one_character_is_the_player() {
    let found = error(yard(
        "\"characters\": [ { \"name\": \"a\", \"position\": [1,1], \"player\": true }, { \"name\": \"b\", \"position\": [2,2], \"player\": true } ]",
    ));
    assert_eq!((found.code, found.pointer.as_str()), ("limit", "/characters/1/player"));
}

#[test]
fn characters_end_at_the_limit_of_the_level() {
    let character = |i: usize| format!("{{\"name\":\"c{i}\",\"position\":[1,1]}}");
    let three: Vec<String> = (0..3).map(character).collect();
    let found =
        error(yard(&format!("\"limits\": {{ \"characters\": 2 }}, \"characters\": [{}]", three.join(","))));
    assert_eq!((found.code, found.pointer.as_str()), ("limit", "/characters"));
    assert_eq!(found.message, "characters has 3 entries, the limit is 2 (limits.characters)");
}

#[test]
fn a_link_of_a_graph_that_is_none_is_named_where_it_stands() {
    let graph = |links: &str| {
        format!(
            "{{ \"navigation\": {{ \"kind\": \"graph\", \"points\": [[0,0,0],[4,0,0]],\n\"links\": [[0,1],\n{links}] }} }}"
        )
    };
    for (links, line, pointer, what) in [
        (
            "[0, 2]",
            3,
            "/navigation/links/1",
            "navigation.links[1] is not a valid link: there is no point 2: the graph has 2",
        ),
        (
            "[1,0],[1,1]",
            3,
            "/navigation/links/2",
            "navigation.links[2] is not a valid link: point 1 cannot be linked with itself",
        ),
    ] {
        let found = error(graph(links));
        assert_eq!((found.code, found.line, found.pointer.as_str()), ("range", line, pointer), "{found:?}");
        assert_eq!(found.message, what);
    }
}

#[test]
fn parameters_without_a_behaviour_are_a_warning_where_the_first_one_stands() {
    let with =
        |more: &str| yard(&format!("\"characters\": [ {{ \"name\": \"y\", \"position\": [1,1]{more} }} ]"));
    let found = warning(with(", \"params\": { \"route\": \"rounds\" }"));
    assert_eq!((found.code, found.pointer.as_str()), ("params", "/characters/0/params"));
    assert_eq!(found.message, "characters[0] \"y\" has params and no behaviour, so nothing reads them");
    sound(with(", \"params\": {}"));
    sound(with(", \"behaviour\": \"guard\", \"params\": { \"route\": \"rounds\" }"));
}

#[test]
fn an_area_that_disagrees_with_its_door_is_a_warning_at_the_area() {
    let level = |available: &str, open: &str| {
        format!(
            "{{ \"navigation\": {{ \"areas\": [ {{ \"name\": \"hall\", \"polygon\": [[0,0],[9,0],[9,9]] }}, {{ \"name\": \"way\", \"available\": {available}, \"polygon\": [[9,0],[10,0],[10,1]] }} ] }},
            \"doors\": [ {{ \"name\": \"gate\", \"area\": \"way\", \"open\": {open} }} ] }}"
        )
    };
    let found = warning(level("true", "false"));
    assert_eq!(
        (found.code, found.line, found.pointer.as_str()),
        ("door", 1, "/navigation/areas/1/available")
    );
    assert_eq!(
        found.message,
        "area \"way\" has available true, but its door \"gate\" is closed; the door rules"
    );
    assert_eq!(warning(level("false", "true")).code, "door");
    sound(level("false", "false"));
    sound(level("true", "true"));
}

#[test]
fn rules_of_doors_that_mean_nothing_are_refused() {
    let door = |rules: &str| {
        let found =
            error(yard(&format!("\"doors\": [{{ \"name\": \"gate\", \"area\": \"yard\", {rules} }}]")));
        (found.code, found.message)
    };
    let said = |code, message: &str| (code, message.to_owned());
    assert_eq!(
        door("\"oneWay\": [0, 0]"),
        said("degenerate", "doors[0].oneWay is [0, 0], expected a direction [x, z]")
    );
    assert_eq!(
        door("\"oneWay\": [1]"),
        said("type", "doors[0].oneWay has 1 numbers, expected a direction [x, z]")
    );
    assert_eq!(door("\"oneWay\": \"north\"").0, "type");
    assert_eq!(
        door("\"teams\": []"),
        said("degenerate", "doors[0].teams is empty, expected at least one tag")
    );
    assert_eq!(door("\"teams\": \"watch\"").0, "type");
}

/// The errors that `check` tells of a level.
fn load_errors(text: &str) -> Vec<String> {
    let source = level::MemorySource::new().with("levels/test.json", text);
    let refused = level::load("levels/test.json", &source).err();
    refused.into_iter().flat_map(|error| error.diagnostics).map(|found| found.message).collect()
}

#[test]
fn one_mistake_in_a_link_or_a_legend_is_one_error() {
    let link = |ends: &str| {
        load_errors(&map(&format!(
            "\"kind\": \"graph\", \"points\": [[0,0,0],[1,0,0]], \"links\": [[0,1],{ends}]"
        )))
    };
    let place = "navigation.links[1]";
    let range = "expected a whole number, 0 to 1048575";
    assert_eq!(link("[1,5000000000]"), [format!("{place}[1] is 5000000000, {range}")]);
    assert_eq!(link("[-1,0]"), [format!("{place}[0] is -1, {range}")]);
    assert_eq!(link("[-1,5000000000]").len(), 2, "two mistakes");
    for (ends, count) in [("[]", 0), ("[1]", 1), ("[0,1,1]", 3), ("[5000000000]", 1)] {
        let expected = format!("{place} has {count} numbers, expected the numbers of two points");
        assert_eq!(link(ends), [expected]);
    }
    let kinds = [
        "\"kind\": \"tiles\", \"layers\": [{ \"name\": \"g\", \"rows\": [\"..x\"] }]",
        "\"kind\": \"ascii\", \"rows\": [\"..x\"]",
    ];
    for kind in kinds {
        let legend =
            |keys: &str| load_errors(&map(&format!("{kind}, \"legend\": {{ \"x\": {{ {keys} }} }}")));
        let sight = "\"blocksSight\": true";
        let wrong = legend(&format!("\"area\": \"\", {sight}"));
        assert_eq!(wrong, ["navigation.legend.x.area is \"\", expected a name"], "{kind}");
        assert_eq!(legend(&format!("\"area\": 7, {sight}")).len(), 1, "{kind}");
        assert_eq!(legend(sight), ["legend 'x' has blocksSight without an area"], "{kind}");
        assert_eq!(legend(&format!("\"area\": \"hedge\", {sight}")), [""; 0], "{kind}");
    }
}

#[test]
fn every_key_of_a_level_is_read() {
    let level = sound(include_bytes!("../data/every_key.json"));
    assert_eq!((level.name.as_str(), level.tick_rate, level.seed, level.path_budget), ("keys", 30, 7, 500));
    let guard = &level.characters[0];
    assert_eq!(
        (guard.radius_m, guard.height_m, guard.walk_speed_mps, guard.run_speed_mps),
        (0.4, 1.7, 1.6, 5.0)
    );
    assert_eq!((guard.facing_degrees, guard.rotation_speed_radps, guard.player), (90.0, 6.0, true));
    assert_eq!(
        (guard.doors, guard.tags.as_slice()),
        (level::DoorHabit::Open, &["watch".to_owned(), "night".to_owned()][..])
    );
    assert_eq!(guard.behaviour.as_ref().unwrap().value, "guard.lua");
    assert_eq!(guard.params["route"].value, "rounds");
    assert_eq!(guard.params["pause"].value, 2);
    assert_eq!(level.doors[0].key.as_deref(), Some("iron"));
    assert_eq!((level.doors[0].duration_s, level.doors[0].is_locked()), (1.5, true));
    assert_eq!(level.doors[0].one_way, Some([1.0, 0.5]));
    assert_eq!(level.doors[0].teams, ["watch"]);
    assert_eq!((level.crowd.iterations, level.crowd.reciprocal), (5.0, false));
    assert_eq!(level.limits.memory_mib, 64.0);
    assert_eq!((level.regions.len(), level.routes[0].stops.len(), level.marks.len()), (2, 3, 2));
    assert_eq!((level.routes[1].stops.len(), &level.routes[1].props["looped"].value), (2, &true.into()));
    let level::StopDef::Place(stop) = &level.routes[0].stops[2] else { panic!("a place") };
    assert_eq!(
        (&stop.props["wait"].value, &level.marks[1].place.props["gold"].value),
        (&2.5.into(), &5.into())
    );
    assert_eq!(level.doors[0].props["leadsTo"].value, "cellar");
    assert_eq!(
        (&level.regions[1].props["onEnter"].value, &guard.props["hp"].value),
        (&"wet".into(), &7.into())
    );
}

#[test]
fn a_door_that_wants_a_key_is_locked_unless_it_says_that_it_is_not() {
    let level = |door: &str| {
        format!(
            r#"{{ "navigation": {{ "kind": "tiles", "legend": {{ "a": {{ "area": "gate" }} }},
                "layers": [{{ "name": "ground", "rows": [".a."] }}] }},
                "doors": [{{ "name": "gate", "area": "gate"{door} }}] }}"#
        )
    };
    let cases = [
        ("", false),
        (r#", "key": "iron""#, true),
        (r#", "key": "iron", "locked": false"#, false),
        (r#", "locked": true"#, true),
    ];
    for (door, is_locked) in cases {
        assert_eq!(sound(level(door).as_bytes()).doors[0].is_locked(), is_locked, "{door}");
    }
}

#[test]
fn seed_g3_a_config_with_only_areas_has_the_five_defaults() {
    let sizes = |text: &str| match sound(text).navigation {
        level::NavigationDef::Grid(grid) => grid.sizes,
        _ => panic!("a grid"),
    };
    let polygon = "\"areas\": [{ \"name\": \"a\", \"polygon\": [[0,0],[10,0],[10,10],[0,10]] }]";
    let plain = sizes(&format!("{{ {polygon} }}"));
    let five = [
        plain.cell_size_m,
        plain.agent_radius_m,
        plain.object_padding_m,
        plain.boundary_padding_m,
        plain.floor_y_m,
    ];
    assert_eq!(five, [0.4, 0.45, 0.25, 0.0, 0.0]);
    for (index, key) in
        ["cellSize", "agentRadius", "objectPadding", "boundaryPadding", "floorY"].into_iter().enumerate()
    {
        let own = sizes(&format!("{{ \"{key}\": 1.5, {polygon} }}"));
        let mut expected = five;
        expected[index] = 1.5;
        assert_eq!(
            [
                own.cell_size_m,
                own.agent_radius_m,
                own.object_padding_m,
                own.boundary_padding_m,
                own.floor_y_m
            ],
            expected
        );
    }
}

#[test]
fn seed_b4_the_config_of_the_seed_loads_unchanged() {
    let text = r#"{
  "cellSize": 0.4,
  "areas": [
    { "name": "main_room", "available": true, "polygon": [[0,0],[8,0],[8,6],[0,6]] }
  ],
  "obstacles": [
    { "name": "table", "polygon": [[3,2],[5,2],[5,4],[3,4]] }
  ]
}"#;
    let level = sound(text);
    assert_eq!(level.name, "test", "named after its file");
    let level::NavigationDef::Grid(grid) = &level.navigation else { panic!("a grid") };
    assert_eq!((grid.areas.len(), grid.obstacles.len()), (1, 1));
    assert_eq!(
        (grid.areas[0].name.value.as_str(), grid.obstacles[0].name.value.as_str()),
        ("main_room", "table")
    );
    assert_eq!(grid.areas[0].available, Some(true));
    let inline = sound(format!("{{ \"navigation\": {text} }}"));
    let level::NavigationDef::Grid(inline) = &inline.navigation else { panic!("a grid") };
    assert_eq!(inline.areas[0].polygon, grid.areas[0].polygon);
    let without = text.replace("\"available\": true, ", "");
    let level::NavigationDef::Grid(without) = sound(without).navigation else { panic!("a grid") };
    assert_eq!(without.areas[0].available, None, "left out means available");
}

fn crowd_numbers(crowd: &level::CrowdDef) -> [(&'static str, f64); 11] {
    [
        ("walkThreshold", crowd.walk_threshold_m),
        ("targetReplanThreshold", crowd.target_replan_threshold_m),
        ("dynamicObstacleInfluenceDist", crowd.dynamic_obstacle_influence_m),
        ("dynamicObstacleRadiusFraction", crowd.dynamic_obstacle_radius_fraction),
        ("nudgeDist", crowd.nudge_m),
        ("replanTriggerDist", crowd.replan_trigger_m),
        ("replanCooldownMs", crowd.replan_cooldown_ms),
        ("npcTalkDistance", crowd.npc_talk_distance_m),
        ("iterations", crowd.iterations),
        ("movedEps", crowd.moved_eps_m),
        ("nudgeCooldownMs", crowd.nudge_cooldown_ms),
    ]
}

#[test]
fn seed_k1_every_constant_has_the_default_of_the_table() {
    let level = sound(yard("\"characters\": [ { \"name\": \"a\", \"position\": [1,1] } ]"));
    let defaults = [
        ("walkThreshold", 0.05),
        ("targetReplanThreshold", 0.25),
        ("dynamicObstacleInfluenceDist", 6.0),
        ("dynamicObstacleRadiusFraction", 0.6),
        ("nudgeDist", 1.2),
        ("replanTriggerDist", 1.8),
        ("replanCooldownMs", 500.0),
        ("npcTalkDistance", 1.35),
        ("iterations", 3.0),
        ("movedEps", 0.05),
        ("nudgeCooldownMs", 500.0),
    ];
    assert_eq!(crowd_numbers(&level.crowd), defaults);
    assert!(level.crowd.reciprocal);
    for (key, _) in defaults {
        let own = sound(yard(&format!("\"crowd\": {{ \"{key}\": 2 }}")));
        let changed: Vec<_> =
            crowd_numbers(&own.crowd).into_iter().zip(defaults).filter(|(own, old)| own != old).collect();
        assert_eq!(changed, [((key, 2.0), defaults[defaults.iter().position(|(k, _)| *k == key).unwrap()])]);
    }
    let someone = &level.characters[0];
    assert_eq!(
        (someone.radius_m, someone.walk_speed_mps, someone.run_speed_mps, someone.rotation_speed_radps),
        (0.35, 1.4, 2.8, 8.0)
    );
    assert_eq!((level.tick_rate, level.seed, level.path_budget), (60, 1, 2000));
    let level::NavigationDef::Grid(grid) = &level.navigation else { panic!("a grid") };
    let sizes = &grid.sizes;
    assert_eq!(
        (sizes.cell_size_m, sizes.agent_radius_m, sizes.object_padding_m, sizes.boundary_padding_m),
        (0.4, 0.45, 0.25, 0.0)
    );
    assert_eq!((sizes.floor_y_m, level::SNAP_M), (0.0, 8.0));
}

#[test]
fn seed_k1_every_constant_is_in_the_schema_with_its_unit_its_default_and_its_range() {
    let schema = level::schema();
    let properties = &schema["$defs"]["Crowd"]["properties"];
    for (key, number) in level::CrowdDef::numbers() {
        let entry = &properties[key];
        let told = entry["description"].as_str().unwrap_or_default();
        let unit = if number.unit.is_empty() { "without a unit" } else { number.unit };
        assert!(told.to_lowercase().contains(unit), "{key} ({unit}): {entry}");
        assert_eq!(entry["default"].as_f64(), Some(number.default), "{key}: {entry}");
        assert_eq!(entry["minimum"].as_f64(), Some(number.min), "{key}: {entry}");
        assert_eq!(entry["maximum"].as_f64(), Some(number.max), "{key}: {entry}");
    }
    assert_eq!(properties["reciprocal"]["default"], true, "{properties}");
}
