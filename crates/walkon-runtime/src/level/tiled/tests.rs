//! Maps of Tiled: where their cells lie, and the limits that keep small files small.

use std::fmt::Write as _;

use super::distinct::{DISTINCT_MAX, Distinct};
use super::ground::{CellKind, TileGround};
use super::inheritance::{BYTES_MAX, Inheritance, Overdraft};
use super::place::{MapPlacement, area};
use super::raw::{Orientation, RawContent, RawMap, Rect};
use super::{Imported, import};
use crate::level::diagnostic::{Severity, Span};
use crate::level::source::MemorySource;
use crate::level::tiled::TiledOptions;

/// Every kind of map: its orientation, the size of its tiles in pixels, the side of its hexagons.
const KINDS: [(Orientation, [u32; 2], u32); 5] = [
    (Orientation::Orthogonal, [16, 24], 0),
    (Orientation::Isometric, [64, 32], 0),
    (Orientation::Staggered, [64, 32], 0),
    (Orientation::Hexagonal, [14, 12], 6),
    (Orientation::Hexagonal, [60, 60], 20),
];

fn map(orientation: Orientation, [width, height]: [u32; 2], tile: [u32; 2], side: u32) -> RawMap {
    RawMap {
        orientation,
        width,
        height,
        tile_width_px: tile[0],
        tile_height_px: tile[1],
        hex_side_px: side,
        stagger_x: false,
        stagger_even: false,
        infinite: false,
        bounds: Rect { x: 0, y: 0, width, height },
        properties: Default::default(),
        tilesets: Vec::new(),
        layers: Vec::new(),
        span: Span::default(),
        folder: String::new(),
    }
}

/// Twice the area that a shape has in common with a convex outline, both in corners.
/// Source: Sutherland and Hodgman, 1974; the clipped shape may be of any form, its area comes out right.
fn common_area(shape: &[[f64; 2]], outline: &[[f64; 2]]) -> f64 {
    let mut left: Vec<[f64; 2]> = shape.to_vec();
    let turn = area(outline).signum();
    for (index, from) in outline.iter().enumerate() {
        let to = outline[(index + 1) % outline.len()];
        let side = |p: &[f64; 2]| {
            turn * ((to[0] - from[0]) * (p[1] - from[1]) - (to[1] - from[1]) * (p[0] - from[0]))
        };
        let mut kept = Vec::with_capacity(left.len() + 4);
        for (index, here) in left.iter().enumerate() {
            let next = &left[(index + 1) % left.len()];
            let (a, b) = (side(here), side(next));
            if a >= 0.0 {
                kept.push(*here);
            }
            if (a < 0.0) != (b < 0.0) {
                let part = a / (a - b);
                kept.push([here[0] + part * (next[0] - here[0]), here[1] + part * (next[1] - here[1])]);
            }
        }
        left = kept;
    }
    area(&left).abs()
}

#[test]
fn seed_t19_isometric_objects_count_heights_of_a_tile_along_both_axes() {
    let map = map(Orientation::Isometric, [100, 100], [58, 27], 0);
    let place = MapPlacement::new(&map, &TiledOptions::default());
    let object = [1818.4, 1064.26];
    // A tile is a metre: the world position is the tile with its fraction.
    let [x, z] = place.world(object);
    assert!((x - 67.35).abs() < 0.005 && (z - 39.42).abs() < 0.005, "{x}, {z}");
    assert_eq!(place.cell_at(object), [67, 39]);
    let [right, down] = place.drawn_offset(object);
    assert!((right - 810.0).abs() < 0.5 && (down - 1441.0).abs() < 0.5, "{right}, {down}");
}

#[test]
fn every_cell_is_found_by_its_own_middle_on_every_kind_of_map() {
    for (orientation, tile, side) in KINDS {
        for (stagger_x, stagger_even) in [(false, false), (false, true), (true, false), (true, true)] {
            let map = RawMap { stagger_x, stagger_even, ..map(orientation, [7, 6], tile, side) };
            let options = TiledOptions { metres_per_pixel: Some(0.01), ..TiledOptions::default() };
            let place = MapPlacement::new(&map, &options);
            for cell in (0..6).flat_map(|row| (0..7).map(move |column| [column, row])) {
                let outline = place.outline_px(cell);
                assert_eq!(
                    place.cell_at(place.centre_px(cell)),
                    cell,
                    "{orientation:?} {stagger_x} {stagger_even}"
                );
                // Cells share edges and no ground.
                for beside in place.around(cell) {
                    let shared = common_area(&outline, &place.outline_px(beside));
                    assert!(shared < 1e-6, "{orientation:?}: {cell:?} and {beside:?} share {shared}");
                }
            }
        }
    }
}

#[test]
fn what_lies_around_a_cell_depends_on_the_parity_of_its_column_and_row_alone() {
    for (orientation, tile, side) in KINDS {
        for (stagger_x, stagger_even) in [(false, false), (false, true), (true, false), (true, true)] {
            let map = RawMap { stagger_x, stagger_even, ..map(orientation, [7, 6], tile, side) };
            let place = MapPlacement::new(&map, &TiledOptions::default());
            let surroundings = place.surroundings();
            for cell in (-5..6).flat_map(|row| (-5..6).map(move |column| [column, row])) {
                let (mut told, mut worked_out) =
                    (surroundings.of(cell).collect::<Vec<_>>(), place.around(cell));
                told.sort_unstable();
                worked_out.sort_unstable();
                assert_eq!(told, worked_out, "{orientation:?} {stagger_x} {stagger_even} {cell:?}");
                assert!(told.len() >= 6, "{orientation:?}");
            }
        }
    }
}

/// The map that `source` has under the name of one.
fn imported(name: &str, source: &MemorySource) -> Result<Imported, Vec<String>> {
    import(name, source, &TiledOptions::default()).map_err(|refused| {
        let errors = refused.diagnostics.into_iter().filter(|found| found.severity == Severity::Error);
        errors.map(|found| found.message).collect()
    })
}

const HEAD: &str = "<map orientation=\"orthogonal\" tilewidth=\"16\" tileheight=\"16\"";

#[test]
fn objects_and_layers_know_the_way_to_them() {
    let xml = format!(
        "{HEAD} width=\"2\" height=\"2\"><group name=\"g\"><objectgroup name=\"a\"/><objectgroup name=\"b\">
        <object id=\"1\"/><properties/><object id=\"2\"/></objectgroup></group></map>"
    );
    let json = r#"{ "type": "map", "orientation": "orthogonal", "width": 2, "height": 2, "tilewidth": 16, "tileheight": 16,
        "layers": [{ "type": "group", "name": "g", "layers": [{ "type": "objectgroup", "name": "a", "objects": [] },
        { "type": "objectgroup", "name": "b", "objects": [{ "id": 1 }, { "id": 2 }] }] }] }"#;
    let source = MemorySource::new().with("a.tmx", xml).with("a.tmj", json);
    for (name, layer_way, object_way) in [
        ("a.tmx", "/map/group[1]/objectgroup[2]", "/map/group[1]/objectgroup[2]/object[2]"),
        ("a.tmj", "/layers/0/layers/1", "/layers/0/layers/1/objects/1"),
    ] {
        let raw = imported(name, &source).unwrap().tiled.raw;
        let layer = &raw.layers[1];
        let RawContent::Objects(objects) = &layer.content else { panic!("{layer:?}") };
        assert_eq!((layer.pointer.as_str(), objects[1].pointer.as_str()), (layer_way, object_way));
    }
}

#[test]
fn what_is_taken_over_is_measured_until_it_is_spent() {
    let mut inheritance = Inheritance::default();
    assert_eq!(inheritance.pay(|| BYTES_MAX - 1), Ok(()));
    assert_eq!(inheritance.pay(|| 1), Ok(()));
    assert_eq!(inheritance.pay(|| 1), Err(Overdraft::Now));
    assert_eq!(inheritance.pay(|| unreachable!("nothing is left")), Err(Overdraft::Before));
}

#[test]
fn objects_and_layers_take_over_no_more_than_a_map_may() {
    let property =
        format!("<properties><property name=\"p\" value=\"{}\"/></properties>", "x".repeat(1 << 23));
    let template = format!("<template><object name=\"t\">{property}</object></template>");
    let tileset = format!("<tileset tilecount=\"1\"><tile id=\"0\">{property}</tile></tileset>");
    let classes = format!(
        "<objecttypes><objecttype name=\"c\">{}</objecttype></objecttypes>",
        property
            .replace("properties>", "x>")
            .replace("value", "default")
            .replace("<x>", "")
            .replace("</x>", "")
    );
    let map = |inside: &str| format!("{HEAD} width=\"2\" height=\"2\">{inside}</map>");
    let layer = |object: &str| map(&format!("<objectgroup>{}</objectgroup>", object.repeat(9)));
    let source = MemorySource::new()
        .with("t.tx", template)
        .with("s.tsx", tileset)
        .with("templates.tmx", layer("<object template=\"t.tx\"/>"))
        .with(
            "tiles.tmx",
            layer("<object gid=\"1\"/>")
                .replace("<objectgroup>", "<tileset firstgid=\"1\" source=\"s.tsx\"/><objectgroup>"),
        )
        .with("groups.tmx", map(&format!("<group>{property}{}</group>", "<objectgroup/>".repeat(9))))
        .with("types/classes.tmx", layer("<object class=\"c\"/>"))
        .with("types/objecttypes.xml", classes);
    let message = "layers and objects take over more than 67108864 bytes from groups, templates and tiles, which is the limit";
    for name in ["templates.tmx", "tiles.tmx", "groups.tmx"] {
        assert_eq!(imported(name, &source).unwrap_err(), [message], "{name}");
    }
    let message =
        "objects and tiles take over more than 67108864 bytes from their classes, which is the limit";
    let found = imported("types/classes.tmx", &source).unwrap_err();
    assert!(found.iter().any(|found| found == message), "{found:?}");
}

#[test]
fn doors_that_are_drawn_end_at_the_limit_of_doors() {
    const SIDE: usize = 250;
    let mut cells = String::new();
    for at in 0..SIDE * SIDE {
        let is_door = (at % SIDE).is_multiple_of(2) && (at / SIDE).is_multiple_of(2);
        write!(cells, "{},", u8::from(is_door)).unwrap();
    }
    let xml = format!(
        "{HEAD} width=\"{SIDE}\" height=\"{SIDE}\"><tileset firstgid=\"1\" tilecount=\"1\"><tile id=\"0\"><properties>
        <property name=\"door\" type=\"bool\" value=\"true\"/></properties></tile></tileset>
        <layer name=\"a\"><data encoding=\"csv\">{}</data></layer></map>",
        cells.trim_end_matches(',')
    );
    let found = imported("a.tmx", &MemorySource::new().with("a.tmx", xml)).unwrap_err();
    let more = |what: &str| format!("the map has more than 10000 {what}, which is the limit");
    assert_eq!(found, [more("doors"), more("areas")]);
}

#[test]
fn kinds_of_cells_are_found_again_and_end_at_their_limit() {
    let mut list = Distinct::default();
    let numbers = [3, 1, 2, 1, 3].map(|value: i32| list.number(value, Ord::cmp));
    assert_eq!(numbers, [Some(0), Some(1), Some(2), Some(1), Some(0)]);
    assert_eq!(list.values, [3, 1, 2]);
    let mut ground = TileGround::default();
    let kind = |area: usize| CellKind { area: Some(area as u16), ..CellKind::default() };
    for number in 0..DISTINCT_MAX {
        assert_eq!(usize::from(ground.number(kind(number))), number);
    }
    assert_eq!((ground.number(kind(17)), ground.has_too_many_kinds), (17, false));
    assert_eq!((ground.number(kind(DISTINCT_MAX)), ground.has_too_many_kinds), (0, true));
}

#[test]
fn cells_given_as_elements_do_not_count_with_their_attributes() {
    const SIDE: usize = 150;
    let attributes: String = (0..40).map(|number| format!(" a{number}=\"\"")).collect();
    let cells = format!("<tile{attributes}/>").repeat(SIDE * SIDE);
    let map = |cells: &str| {
        format!(
            "{HEAD} width=\"{SIDE}\" height=\"{SIDE}\"><layer name=\"a\"><data>{cells}</data></layer></map>"
        )
    };
    let long: String = (0..257).map(|number| format!(" a{number}=\"\"")).collect();
    let source = MemorySource::new().with("a.tmx", map(&cells)).with("b.tmx", map(&format!("<tile{long}/>")));
    assert!(40 * SIDE * SIDE > super::tree::ATTRIBUTES_MAX && imported("a.tmx", &source).is_ok());
    let found = imported("b.tmx", &source).unwrap_err();
    assert_eq!(found, ["the file has an element with more than 256 attributes, which is the limit"]);
}

#[test]
fn stairs_find_their_end_by_name() {
    let object = |id: u32, inside: &str| format!("<object id=\"{id}\" {inside}</object>");
    let target = "class=\"stairs\" x=\"8\" y=\"8\"><point/><properties><property name=\"targetObject\" value=\"top\"/></properties>";
    let sky = "<point/><properties><property name=\"collisionLayer\" type=\"int\" value=\"1\"/></properties>";
    let objects = [
        object(1, target),
        object(3, &format!("name=\"top\" x=\"24\" y=\"8\">{sky}")),
        object(2, &format!("name=\"top\" x=\"8\" y=\"24\">{sky}")),
    ];
    let xml = format!(
        "{HEAD} width=\"2\" height=\"2\"><properties><property name=\"navigationLayers\" type=\"int\" value=\"2\"/></properties>
        <objectgroup>{}</objectgroup></map>",
        objects.concat()
    );
    let made = imported("a.tmx", &MemorySource::new().with("a.tmx", xml)).unwrap();
    let crate::level::def::NavigationDef::Tiles(tiles) = made.tiled.def.navigation else {
        panic!("no tiles")
    };
    let to = &tiles.links[0].to;
    assert_eq!((to.layer.value.as_str(), to.position.value.z), ("sky", 1.5), "the lower number of the two");
}

#[test]
fn objects_of_one_name_get_names_of_their_own_whatever_their_numbers() {
    let point = |id: u32, name: &str| {
        format!("<object id=\"{id}\" name=\"{name}\" x=\"8\" y=\"8\"><point/></object>")
    };
    let names = |objects: &[String]| {
        let xml =
            format!("{HEAD} width=\"2\" height=\"2\"><objectgroup>{}</objectgroup></map>", objects.concat());
        let made = imported("a.tmx", &MemorySource::new().with("a.tmx", xml)).unwrap();
        let marks = made.tiled.def.marks.into_iter();
        marks.map(|mark| mark.name.value).collect::<Vec<_>>()
    };
    let posts = [u32::MAX, 5, u32::MAX, 3].map(|id| point(id, "post"));
    assert_eq!(names(&posts), ["post", "post 4294967295", "post 2", "post 3"]);
    let posts = [point(1, "post"), point(2, "post 4"), point(4, "post"), point(9, "post")];
    assert_eq!(names(&posts), ["post", "post 4", "post 2", "post 9"]);
    // As many as a file may hold are told apart in time.
    let all = names(&vec![point(u32::MAX, "post"); 5_000]);
    assert_eq!(all.last().map(String::as_str), Some("post 4999"));
}
