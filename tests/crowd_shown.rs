//! What pictures and traces show of searches and of a crowd.
//!
//! Goal: whoever looks at a picture or a trace sees what the runtime decided and why. Method: small levels whose answer is
//! known by hand, drawn and traced; counts are taken from the picture's shapes, not from what they were made of.

use glam::Vec3;
use walkon::game::recorder::{RecordOptions, Recorder};
use walkon::game::{Game, Setup};
use walkon::level::{self, MemorySource};
use walkon::nav::{Accept, PathQuery, Search, Traversal};
use walkon::view::{Form, Picture, SearchScene, draw_search};
use walkon::world::World;
use walkon::world::ops::walks::{WalkOrder, walk_to};
use walkon::world::walk::{Goal, Owner};

use crate::fixture::options;

/// A level of cells of one metre that its rows say; `~` costs twice as much.
fn level(rows: &[&str], rest: &str) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
    let rows = rows.join(",");
    format!(
        r#"{{ "navigation": {{ "kind": "ascii", "cellSize": 1, "rows": [{rows}],
        "legend": {{ "~": {{ "cost": 2 }} }} }} {rest} }}"#
    )
}

fn game(text: &str, options: RecordOptions) -> Game {
    let source = MemorySource::new().with("hall.json", text);
    let setup = Setup { recorder: Recorder::new(options), ..Setup::default() };
    Game::load(level::load("hall.json", &source).unwrap(), setup).unwrap()
}

/// A picture of the search between two cells.
fn search_picture(world: &World, from: [f32; 2], to: [f32; 2]) -> Picture {
    let [from, to] = [from, to].map(|[x, z]| Vec3::new(x + 0.5, 0.0, z + 0.5));
    let query = PathQuery {
        start: from,
        goal: to,
        by: Traversal { radius_m: 0.35, ..Traversal::default() },
        accept: Accept::Nearest,
        expansions_max: u32::MAX,
        others: None,
    };
    let (answer, record) = world.nav().plan_recorded(&query, &mut Search::default());
    let mut picture = Picture::new("search", world.nav().bounds(), 1.0);
    draw_search(&mut picture, &SearchScene { world, from, to, record: &record, answer: &answer });
    picture
}

/// How many cells of a kind the picture shows: cells are a metre wide, so it is their area.
fn cells(picture: &Picture, kind: &str) -> usize {
    let shapes = picture.shapes_of("cells").filter(|shape| shape.tag.key() == kind);
    let blocks = shapes.flat_map(|shape| match &shape.form {
        Form::Blocks(blocks) => blocks.clone(),
        other => panic!("cells are blocks, not {other:?}"),
    });
    blocks.map(|block| ((block.max[0] - block.min[0]) * (block.max[1] - block.min[1])).round() as usize).sum()
}

/// Free, frontier, searched, path, blocked.
fn counts(picture: &Picture) -> [usize; 5] {
    ["free", "frontier", "searched", "path", "blocked"].map(|kind| cells(picture, kind))
}

#[test]
fn seed_n11_a_picture_of_a_known_search_has_the_known_number_of_cells_of_each_kind() {
    let corridor = game(&level(&["#########", "#.......#", "#########"], ""), RecordOptions::default());
    // Seven cells in a row: all of them are the path, whatever was looked at in which order.
    assert_eq!(counts(&search_picture(corridor.world(), [1.0, 1.0], [7.0, 1.0])), [0, 0, 0, 7, 20]);

    let rows = [
        "###########",
        "#.........#",
        "#.#######.#",
        "#.#.....#.#",
        "#.#######.#",
        "#.........#",
        "###########",
    ];
    let ring = game(&level(&rows, ""), RecordOptions::default());
    let picture = search_picture(ring.world(), [1.0, 3.0], [9.0, 3.0]);
    let [free, frontier, searched, path, blocked] = counts(&picture);
    // Two ways round of equal length, 13 cells each with both ends; nobody can look into the five cells in the middle.
    assert_eq!((path, blocked), (13, 77 - 24 - 5));
    assert_eq!(free + frontier + searched, 24 - 13 + 5);
    assert!(free >= 5 && searched + frontier > 0, "the other way was at least begun: {:?}", counts(&picture));

    // There is no way to the middle: decided without a search, so nothing was looked at.
    let inside = search_picture(ring.world(), [1.0, 3.0], [5.0, 3.0]);
    let [free, frontier, searched, path, blocked] = counts(&inside);
    assert_eq!(free + frontier + searched + path, 29);
    assert_eq!(blocked, 48);
}

#[test]
fn seed_n11_a_search_shows_both_lines_and_explains_itself() {
    let rows = ["######", "#....#", "#.##.#", "#....#", "######"];
    let hall = game(&level(&rows, ""), RecordOptions::default());
    let picture = search_picture(hall.world(), [1.0, 3.0], [4.0, 1.0]);
    let line = |key: &str| {
        let shape = picture.shapes_of("search").find(|shape| shape.tag.key() == key);
        match shape.map(|shape| &shape.form) {
            Some(Form::Line(points)) => points.clone(),
            other => panic!("{key}: {other:?}"),
        }
    };
    let (raw, smooth) = (line("raw"), line("smooth"));
    assert_eq!(raw.len(), cells(&picture, "path"), "through the middle of every cell of the path");
    assert!(smooth.len() < raw.len() && smooth[0] == raw[0] && smooth.last() == raw.last());
    let words: Vec<&str> = picture.legend.iter().map(|entry| entry.text.as_str()).collect();
    for word in ["blocked", "on the path", "through the cells", "path, smoothed", "start", "goal"] {
        assert!(words.contains(&word), "{word}: {words:?}");
    }
}

/// The last detail line of a run of some ticks.
fn detail(game: &mut Game, ticks: u32) -> serde_json::Value {
    let mut last = serde_json::Value::Null;
    for _ in 0..ticks {
        for line in game.tick(&[]).lines {
            let json: serde_json::Value = serde_json::from_str(&line).unwrap();
            if !json["detail"].is_null() {
                last = json["detail"].clone();
            }
        }
    }
    last
}

#[test]
fn a_trace_shows_what_searching_costs_and_who_waits_for_a_path() {
    // Costs, so that every cell is a step of the search.
    let wide = "#".to_owned() + &".~".repeat(30) + "#";
    let mut rows = vec![wide.as_str(); 60];
    let wall = "#".repeat(62);
    rows[0] = &wall;
    rows[59] = &wall;
    let most = "#".to_owned() + &"#".repeat(59) + ".#";
    rows[30] = &most;
    let people = r#", "pathBudget": 20, "characters": [ { "name": "anna", "position": [2, 2] } ]"#;
    let options = RecordOptions { trace: true, detail_every: 1, ..RecordOptions::default() };
    let mut game = game(&level(&rows, people), options);
    walk(&mut game, "anna", [2.5, 55.5]);
    let first = detail(&mut game, 1);
    assert_eq!(first["paths"]["budget"], 20);
    assert_eq!(first["paths"]["waiting"], 1, "{first}");
    let anna = &first["characters"]["anna"];
    assert_eq!((&anna["request"]["why"], &anna["request"]["searching"]), (&"first".into(), &true.into()));
    assert!(anna["request"]["spent"].as_u64().unwrap() > 0, "{first}");
    assert_eq!(anna["waypoints"], 0);
    let later = detail(&mut game, 400);
    assert_eq!(later["paths"]["waiting"], 0, "{later}");
    assert!(
        later["characters"]["anna"]["request"].is_null() && later["characters"]["anna"]["waypoints"] != 0
    );
    assert_eq!(later["paths"]["spent"], 0, "nobody searches any more");
}

fn walk(game: &mut Game, name: &str, [x, z]: [f32; 2]) {
    let world = game.world_mut();
    let character = world.find_character(name).unwrap();
    let goal = Goal::Point(Vec3::new(x, 0.0, z));
    walk_to(world, WalkOrder { character, goal, options: options(), owner: Owner::HOST }).unwrap();
}
