//! What pictures show of tile maps: colours by cost, tiles in their shape and projection, paths in the seed's
//! colours.
//!
//! Method: maps of a few tiles whose picture is known by hand; shapes and their colours are read from the
//! picture, corners in pixels from the screen that SVG and PNG are made of.

use glam::Vec3;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::level::{self, MemorySource};
use walkon_runtime::nav::{Accept, PathQuery, Search, Traversal};
use walkon_runtime::view::{
    Colour, Figure, GroundProjection, Parts, Picture, PicturePart, ScreenOutline, SearchScene, Shape, Style,
    Tag, ascii, draw_ground, draw_search, svg, theme,
};
use walkon_runtime::world::World;

use super::commands::Project;

fn world(keys: &str, rows: &[&str]) -> World {
    let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
    let text = format!(
        r#"{{ "navigation": {{ "kind": "tiles", {keys} "layers": [ {{ "name": "ground", "rows": [{}] }} ],
        "legend": {{ "i": {{ "terrain": "ice" }}, "s": {{ "terrain": "sand" }}, "~": {{ "terrain": "water" }},
        "f": {{ "cost": 5 }}, "t": {{ "cost": 20 }} }} }} }}"#,
        rows.join(",")
    );
    let level = level::load("map.json", &MemorySource::new().with("map.json", text));
    level::spawn::build(level.unwrap_or_else(|refused| panic!("{refused:?}")), None).world
}

fn picture(world: &World, projection: GroundProjection) -> Picture {
    let mut picture = Picture::new("map", world.nav().bounds(), 1.0);
    picture.projection = projection;
    draw_ground(&mut picture, world, Parts::NONE.with(PicturePart::Cells));
    picture
}

/// The colour of the ground at a point, as the shapes of the picture tell.
fn colour_at(picture: &Picture, point: [f64; 2]) -> Option<Colour> {
    let holds = |form: &Figure| match form {
        Figure::Blocks(blocks) => blocks.iter().any(|block| block.contains(point)),
        Figure::Facets(facets) => {
            facets.iter().any(|facet| walkon_runtime::base::geom::polygon_contains(facet, point))
        }
        _ => false,
    };
    picture.shapes_of("cells").find(|shape| holds(&shape.form)).and_then(|shape| shape.look.fill)
}

/// Which of red, green and blue lead: `green`, `yellow`, `red` or `dark`.
fn word(Colour(red, green, blue, _): Colour) -> &'static str {
    let [red, green, blue] = [red, green, blue].map(i32::from);
    match () {
        () if red.max(green).max(blue) < 128 => "dark",
        () if green >= red && green > blue => "green",
        () if red - green < 40 && green - blue > 40 => "yellow",
        () if red - green > 30 => "red",
        () => "other",
    }
}

#[test]
fn seed_o23_five_tiles_have_the_colours_of_their_costs() {
    let world = world("", &["i.s~#"]);
    let picture = picture(&world, GroundProjection::Flat);
    let colours: Vec<&str> =
        (0..5).map(|x| word(colour_at(&picture, [f64::from(x) + 0.5, 0.5]).unwrap())).collect();
    assert_eq!(colours, ["green", "green", "yellow", "red", "dark"]);
}

#[test]
fn seed_t14_costs_of_one_and_twenty_differ_and_so_do_those_between() {
    let world = world("", &[".s~ft"]);
    let picture = picture(&world, GroundProjection::Flat);
    let colours: Vec<Colour> =
        (0..5).map(|x| colour_at(&picture, [f64::from(x) + 0.5, 0.5]).unwrap()).collect();
    for (index, colour) in colours.iter().enumerate() {
        assert!(!colours[..index].contains(colour), "{colours:?}");
    }
    assert!(colours[4].1 < colours[2].1, "the more expensive, the deeper the red");
}

#[test]
fn isometric_tiles_are_diamonds_twice_as_wide_as_high() {
    let world = world(r#""projection": "isometric","#, &["#.", "~#"]);
    assert!(world.tiles().unwrap().is_isometric);
    let screen = picture(&world, GroundProjection::Isometric).screen(Some(40.0)).unwrap();
    let cells = screen.groups.iter().find(|group| group.name == "cells").unwrap();
    let diamonds: Vec<Vec<[f32; 2]>> = cells
        .primitives
        .iter()
        .flat_map(|part| match &part.outline {
            ScreenOutline::Facets(facets) => facets.clone(),
            other => panic!("diamonds, not {other:?}"),
        })
        .collect();
    assert_eq!(diamonds.len(), 4);
    for diamond in &diamonds {
        let size = |axis: usize| {
            let along = diamond.iter().map(|corner| corner[axis]);
            along.clone().fold(f32::MIN, f32::max) - along.fold(f32::MAX, f32::min)
        };
        assert!((size(0) - 40.0 * 2f32.sqrt()).abs() < 0.01, "{diamond:?}");
        assert!((size(0) - 2.0 * size(1)).abs() < 0.01, "{diamond:?}");
    }
    // The open tile (1, 0) lies to the right of (0, 0), the water (0, 1) to its left, both lower.
    let centre = |kind: &str| {
        let part = cells.primitives.iter().find(|part| part.tag.key() == kind).unwrap();
        let ScreenOutline::Facets(facets) = &part.outline else { panic!("diamonds") };
        let [x, y] = [0, 1].map(|axis| facets[0].iter().map(|corner| corner[axis]).sum::<f32>() / 4.0);
        [x, y]
    };
    assert!(
        centre("free")[0] > centre("dearest")[0] && (centre("free")[1] - centre("dearest")[1]).abs() < 0.01
    );
}

#[test]
fn hexagons_have_six_corners_and_diamonds_of_staggered_maps_four() {
    for (layout, corners) in [("hexPointy", 6), ("hexFlat", 6), ("staggered", 4)] {
        let world = world(&format!("\"layout\": \"{layout}\","), &[".~.", "#s.", "..."]);
        let picture = picture(&world, GroundProjection::Flat);
        let facets: Vec<Vec<[f64; 2]>> = picture
            .shapes_of("cells")
            .flat_map(|shape| match &shape.form {
                Figure::Facets(facets) => facets.clone(),
                other => panic!("{layout}: {other:?}"),
            })
            .collect();
        assert_eq!(facets.len(), 9, "{layout}");
        assert!(facets.iter().all(|facet| facet.len() == corners), "{layout}");
        let bounds = world.nav().bounds().grown(1e-6);
        assert!(facets.iter().flatten().all(|corner| bounds.contains(*corner)), "{layout}");
        let frame = world.nav().cells().unwrap().frame();
        let centre = frame.tile_centre([1, 0]).unwrap();
        assert_eq!(word(colour_at(&picture, centre).unwrap()), "red", "{layout}: the water");
        assert!(ascii::render(&picture, 80).contains('%'), "{layout}: text shows it as well");
        assert!(svg::render(&[picture.screen(None).unwrap()]).contains("data-kind=\"cells\""));
    }
}

#[test]
fn seed_o23_a_path_on_tiles_is_green_its_corners_yellow_and_its_end_red() {
    let world = world("", &["...", ".#.", "..."]);
    let (from, to) = (Vec3::new(0.5, 0.0, 1.5), Vec3::new(2.5, 0.0, 1.5));
    let query = PathQuery {
        start: from,
        goal: to,
        by: Traversal::default(),
        accept: Accept::Exact,
        goal_layer: None,
        expansions_max: u32::MAX,
        others: None,
    };
    let (answer, record) = world.nav().plan_recorded(&query, &mut Search::default());
    let mut picture = Picture::new("map", world.nav().bounds(), 1.0);
    let by = &query.by;
    let scene = SearchScene {
        world: &world,
        from,
        to,
        by,
        record: &record,
        answer: &answer,
        others: &[],
        parts: Parts::all(),
    };
    draw_search(&mut picture, &scene);
    let of = |what: &'static str| {
        picture.shapes_of("search").filter(move |shape| shape.tag == Tag::Search(what)).collect::<Vec<_>>()
    };
    assert_eq!(of("smooth")[0].look.stroke.unwrap().colour, theme::PATH);
    assert_eq!(word(theme::PATH.over(theme::PAPER, 0.9)), "green");
    assert_eq!(of("corner").len(), answer.path.points.len() - 2);
    assert!(of("corner").iter().all(|shape| {
        shape.look.fill == Some(theme::PATH_CORNER)
            && matches!(shape.form, Figure::Dot { radius_px: 3.0, .. })
    }));
    assert_eq!(of("goal")[0].look.fill, Some(theme::PATH_END));
    assert!(
        picture.shapes_of("cells").any(|shape| shape.tag.key() == "free"),
        "by cost, not by what was looked at"
    );
}

/// Layouts of tiles with what else they need, by the line that is moved by half a tile.
const LAYOUTS: [(&str, Option<usize>); 10] = [
    (r#""layout": "square8","#, None),
    (r#""layout": "square4","#, None),
    (r#""layout": "staggered","#, Some(0)),
    (r#""layout": "staggered", "staggerIndex": "even","#, Some(0)),
    (r#""layout": "staggered", "staggerAxis": "x","#, Some(1)),
    (r#""layout": "staggered", "staggerAxis": "x", "staggerIndex": "even","#, Some(1)),
    (r#""layout": "hexPointy","#, Some(0)),
    (r#""layout": "hexPointy", "staggerIndex": "even","#, Some(0)),
    (r#""layout": "hexFlat","#, Some(1)),
    (r#""layout": "hexFlat", "staggerIndex": "even","#, Some(1)),
];

const SIZES: [&str; 4] = [
    "",
    r#""tileWidth": 2, "tileHeight": 1,"#,
    r#""tileWidth": 0.5, "tileHeight": 1,"#,
    r#""tileWidth": 0.7, "tileHeight": 3,"#,
];

/// Rows of ground and walls without a pattern.
fn noise(columns: usize, rows: usize) -> Vec<String> {
    let mut rng = Rng::stream(7, "rows");
    let mut tile = || if rng.chance(0.4) { '#' } else { '.' };
    (0..rows).map(|_| (0..columns).map(|_| tile()).collect()).collect()
}

fn text_lines(keys: &str, rows: &[String], columns: u32) -> Vec<String> {
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let world = world(keys, &rows);
    let mut picture = Picture::of_map("map", world.nav().bounds(), world.nav());
    draw_ground(&mut picture, &world, Parts::NONE.with(PicturePart::Cells));
    let text = ascii::render(&picture, columns);
    text.lines().skip(1).map(str::to_owned).collect()
}

/// The tiles of some lines, read as they are told to lie: of rows along the lines, of columns down them.
fn tiles_read(lines: &[String], moved: Option<usize>, [columns, rows]: [usize; 2]) -> Vec<String> {
    if moved != Some(1) {
        let row = |line: &String| line.chars().filter(|c| *c != ' ').collect();
        return lines[..rows].iter().map(row).collect();
    }
    let column = |column: usize| -> Vec<char> {
        lines[..2 * rows].iter().filter_map(|line| line.chars().nth(column)).filter(|c| *c != ' ').collect()
    };
    let read: Vec<Vec<char>> = (0..columns).map(column).collect();
    (0..rows).map(|row| read.iter().map(|column| column[row]).collect()).collect()
}

#[test]
fn text_shows_every_tile_of_every_layout_once_and_in_its_place() {
    for (layout, moved) in LAYOUTS {
        for size in SIZES {
            for count in [[1, 1], [1, 7], [9, 1], [6, 8], [7, 5], [40, 21]] {
                let rows = noise(count[0], count[1]);
                let lines = text_lines(&format!("{layout}{size}"), &rows, 160);
                assert_eq!(tiles_read(&lines, moved, count), rows, "{layout}{size}\n{}", lines.join("\n"));
            }
        }
    }
}

#[test]
fn text_moves_every_other_line_by_a_character_where_its_tiles_are_moved() {
    for (layout, is_even) in [("\"hexPointy\",", false), ("\"hexPointy\", \"staggerIndex\": \"even\",", true)]
    {
        let rows = noise(4, 2);
        let spaced = |row: &String| row.chars().map(String::from).collect::<Vec<_>>().join(" ");
        let [first, second] = [spaced(&rows[0]), spaced(&rows[1])];
        let expected = if is_even { [format!(" {first}"), second] } else { [first, format!(" {second}")] };
        assert_eq!(text_lines(&format!("\"layout\": {layout}"), &rows, 160)[..2], expected);
    }
}

/// Where two characters a tile do not fit, each tile has one; where not even that fits, each character shows
/// the tile in its middle.
#[test]
fn text_of_a_wide_map_shows_the_middle_tile_of_each_character() {
    for (layout, _) in LAYOUTS {
        for size in SIZES {
            let rows = noise(60, 23);
            for (columns, across, down) in [(60, 1, 1), (59, 2, 4), (20, 3, 6)] {
                // Flat hexagons and columns of diamonds have a character each while they fit.
                let lines = text_lines(&format!("{layout}{size}"), &rows, columns);
                if across == 1 && lines.len() > 2 * rows.len() {
                    continue;
                }
                let at = |index: usize, by: usize, count: usize| (index * by + by / 2).min(count - 1);
                let row = |row: usize| -> String {
                    let tiles: Vec<char> = rows[at(row, down, 23)].chars().collect();
                    (0..60usize.div_ceil(across)).map(|column| tiles[at(column, across, 60)]).collect()
                };
                let expected: Vec<String> = (0..23usize.div_ceil(down)).map(row).collect();
                assert_eq!(lines[..expected.len()], expected, "{layout}{size} in {columns} columns");
                let note = format!("each character: {across} x {down} cells");
                assert_eq!(lines.contains(&note), across > 1, "{layout}");
            }
        }
    }
}

#[test]
fn a_character_and_a_path_stand_in_text_on_the_tiles_that_hold_them() {
    for (layout, moved) in LAYOUTS {
        let rows = vec![".".repeat(6); 5];
        let world = world(layout, &rows.iter().map(String::as_str).collect::<Vec<_>>());
        let frame = *world.nav().cells().unwrap().frame();
        for tile in [[0, 0], [5, 4], [2, 3], [3, 1]] {
            let mut picture = Picture::of_map("map", world.nav().bounds(), world.nav());
            draw_ground(&mut picture, &world, Parts::NONE.with(PicturePart::Cells));
            let dot = Figure::Dot { centre: frame.tile_centre(tile).unwrap(), radius_px: 3.0 };
            let look = Style::filled(theme::PATH).glyph('B');
            picture.add("dots", vec![Shape::new(dot, look, Tag::Search("start"))]);
            let lines: Vec<String> =
                ascii::render(&picture, 160).lines().skip(1).map(str::to_owned).collect();
            let read = tiles_read(&lines, moved, [6, 5]);
            let [column, row] = tile.map(|index| index as usize);
            assert_eq!(read[row].chars().nth(column), Some('B'), "{layout} {tile:?}\n{}", lines.join("\n"));
        }
    }
}

#[test]
fn the_map_of_a_failing_test_is_the_one_that_draw_shows() {
    for (layout, _) in LAYOUTS {
        let project = Project::new();
        let rows = noise(7, 6).iter().map(|row| format!("\"{row}\"")).collect::<Vec<_>>().join(", ");
        let tiles = format!(r#""kind": "tiles", {layout} "tileWidth": 2, "tileHeight": 1.5,"#);
        let level = format!(
            r#"{{ "navigation": {{ {tiles} "layers": [{{ "name": "ground", "rows": [{rows}] }}] }} }}"#
        );
        project.write("levels/map.json", &level);
        project.write(
            "scripts/map_test.lua",
            "test.level(\"it fails\", { level = \"map\" }, function(t) t:expect(1):toBe(2) end)\n",
        );
        let (drawn, _) = project.expect(0, &["draw", "map"]);
        let (out, err) = project.expect(1, &["test"]);
        let ground: Vec<&str> = drawn.lines().skip(1).take_while(|line| !line.contains("free")).collect();
        assert!(ground.len() >= 6, "{drawn}");
        let told = format!("{out}{err}");
        let told: Vec<&str> = told.lines().map(str::trim_end).collect();
        let is_shown = |window: &[&str]| {
            window.iter().zip(&ground).all(|(line, row)| line.trim_start().ends_with(row.trim_start()))
        };
        assert!(told.windows(ground.len()).any(is_shown), "{layout}\n{drawn}\n{out}\n{err}");
    }
}
