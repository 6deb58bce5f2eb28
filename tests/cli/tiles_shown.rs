//! What pictures show of tile maps: colours by cost, tiles in their shape and projection, paths in the seed's
//! colours.
//!
//! Method: maps of a few tiles whose picture is known by hand; shapes and their colours are read from the
//! picture, corners in pixels from the screen that SVG and PNG are made of.

use glam::Vec3;
use walkon_runtime::level::{self, MemorySource};
use walkon_runtime::nav::{Accept, PathQuery, Search, Traversal};
use walkon_runtime::view::{
    Colour, Figure, GroundProjection, Parts, Picture, PicturePart, ScreenOutline, SearchScene, Tag, ascii,
    draw_ground, draw_search, svg, theme,
};
use walkon_runtime::world::World;

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
    let scene = SearchScene { world: &world, from, to, by, record: &record, answer: &answer, others: &[] };
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
