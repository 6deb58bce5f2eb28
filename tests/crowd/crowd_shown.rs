//! What pictures and traces show of searches and of a crowd.
//!
//! Goal: a reader of a picture or a trace sees what the runtime decided and why. Method: small levels
//! whose answer is known by hand, drawn and traced; counts are taken from the picture's shapes, not from what
//! they were made of.

use std::collections::BTreeMap;

use glam::Vec3;
use walkon_runtime::base::ids::CharacterId;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{self, MemorySource};
use walkon_runtime::nav::{Accept, Disc, PathQuery, Search, Traversal};
use walkon_runtime::view::{
    Figure, KnownColours, Parts, Picture, PicturePart, SearchScene, Shape, Tag, character_colours,
    draw_ground, draw_scene, draw_search, theme,
};
use walkon_runtime::world::World;
use walkon_runtime::world::character::Character;
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::characters::{self, Spawn};
use walkon_runtime::world::ops::walks::{WalkOrder, walk_to};
use walkon_runtime::world::owner::Owner;

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
    search_picture_among(world, from, to, &[])
}

/// The same around some circles.
fn search_picture_among(world: &World, from: [f32; 2], to: [f32; 2], others: &[Disc]) -> Picture {
    let [from, to] = [from, to].map(|[x, z]| Vec3::new(x + 0.5, 0.0, z + 0.5));
    let query = PathQuery {
        start: from,
        goal: to,
        by: Traversal { radius_m: 0.35, ..Traversal::default() },
        accept: Accept::Nearest,
        goal_layer: None,
        expansions_max: u32::MAX,
        others: (!others.is_empty()).then(|| others.into()),
    };
    let (answer, record) = world.nav().plan_recorded(&query, &mut Search::default());
    let mut picture = Picture::new("search", world.nav().bounds(), 1.0);
    let by = &query.by;
    let (record, answer, parts) = (&record, &answer, Parts::all());
    draw_search(&mut picture, &SearchScene { world, from, to, by, record, answer, others, parts });
    picture
}

/// How many cells of a kind the picture shows: cells are a metre wide, so it is their area.
fn cells(picture: &Picture, kind: &str) -> usize {
    let shapes = picture.shapes_of("cells").filter(|shape| shape.tag.key() == kind);
    let blocks = shapes.flat_map(|shape| match &shape.form {
        Figure::Blocks(blocks) => blocks.clone(),
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
    // Two ways round of equal length, 13 cells each with both ends; nobody can look into the five cells in
    // the middle.
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
fn seed_n11_cells_on_which_somebody_stands_are_shown_as_such() {
    let rows = ["#######", "#.....#", "#.....#", "#.....#", "#######"];
    let hall = game(&level(&rows, ""), RecordOptions::default());
    // In the middle of the middle cell, and on the corner of four cells.
    for (centre, cells_held) in [([3.5, 2.5], 1), ([3.0, 2.0], 4)] {
        let disc = Disc { centre: Vec3::new(centre[0], 0.0, centre[1]), radius_m: 0.2 };
        let picture = search_picture_among(hall.world(), [1.0, 3.0], [5.0, 3.0], &[disc]);
        assert_eq!(cells(&picture, "occupied"), cells_held, "{centre:?}");
        assert_eq!(counts(&picture).iter().sum::<usize>() + cells_held, 35);
        let circles: Vec<_> =
            picture.shapes_of("search").filter(|shape| shape.tag.key() == "other").collect();
        assert_eq!(circles.len(), 1);
    }
    let wide = Disc { centre: Vec3::new(3.5, 0.0, 3.5), radius_m: 0.3 };
    let around = search_picture_among(hall.world(), [1.0, 3.0], [5.0, 3.0], &[wide]);
    let straight = search_picture(hall.world(), [1.0, 3.0], [5.0, 3.0]);
    assert_eq!((cells(&straight, "path"), cells(&straight, "occupied")), (5, 0));
    assert!(cells(&around, "path") == 5 && cells(&around, "occupied") == 1, "one step up and one down");
}

#[test]
fn seed_n11_a_search_shows_both_lines_and_explains_itself() {
    let rows = ["######", "#....#", "#.##.#", "#....#", "######"];
    let hall = game(&level(&rows, ""), RecordOptions::default());
    let picture = search_picture(hall.world(), [1.0, 3.0], [4.0, 1.0]);
    let line = |key: &str| {
        let shape = picture.shapes_of("search").find(|shape| shape.tag.key() == key);
        match shape.map(|shape| &shape.form) {
            Some(Figure::Line(points)) => points.clone(),
            other => panic!("{key}: {other:?}"),
        }
    };
    let (raw, smooth) = (line("raw"), line("smooth"));
    assert_eq!(raw.len(), cells(&picture, "path"), "through the middle of every cell of the path");
    assert!(smooth.len() < raw.len() && smooth[0] == raw[0] && smooth.last() == raw.last());
    let words: Vec<&str> = picture.legend.iter().map(|entry| entry.text.as_str()).collect();
    for word in ["blocked", "cells of the path", "unsmoothed path", "path", "start", "goal"] {
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

/// An open hall with `anna` standing in it, and `bert` who is to walk past her.
fn hall() -> Game {
    let wide = "#".to_owned() + &".".repeat(18) + "#";
    let wall = "#".repeat(20);
    let mut rows = vec![wide.as_str(); 10];
    (rows[0], rows[9]) = (&wall, &wall);
    let people = r#", "characters": [ { "name": "anna", "position": [10, 5] },
        { "name": "bert", "position": [2, 5], "facingDegrees": 270 } ]"#;
    game(&level(&rows, people), RecordOptions { trace: true, detail_every: 1, ..RecordOptions::default() })
}

/// A picture of everything.
fn picture(world: &World) -> Picture {
    let mut picture = Picture::new("hall", world.nav().bounds(), 1.0);
    draw_ground(&mut picture, world, Parts::all());
    draw_scene(&mut picture, world, Parts::all());
    picture
}

/// The shapes of a kind that are about a character.
fn shapes<'a>(picture: &'a Picture, kind: &'a str, world: &World, name: &str) -> Vec<&'a Shape> {
    let key = Tag::Character(world.find_character(name).unwrap()).key();
    picture.shapes_of(kind).filter(|shape| shape.tag.key() == key).collect()
}

/// The one line among them.
fn line(shapes: &[&Shape]) -> Vec<[f64; 2]> {
    let mut lines = shapes.iter().filter_map(|shape| match &shape.form {
        Figure::Line(points) => Some(points.clone()),
        _ => None,
    });
    let found = lines.next().expect("a line");
    assert!(lines.next().is_none(), "one line");
    found
}

#[test]
fn seed_p4_the_desired_direction_is_orange_and_the_real_one_green() {
    let mut game = hall();
    walk(&mut game, "bert", [17.0, 5.0]);
    let seen = detail(&mut game, 10);
    let world = game.world();
    let bert = world.character(world.find_character("bert").unwrap()).unwrap();
    // He looked the other way: by now he has begun to turn, and goes nowhere near the speed he wants.
    assert!(bert.desired.x > 1.0, "{}", bert.desired);
    let (shown, at) = (picture(world), bert.body.position);
    for (kind, velocity, colour) in
        [("desired", bert.desired, theme::DESIRED), ("velocity", bert.body.velocity, theme::REAL)]
    {
        let shapes = shapes(&shown, kind, world, "bert");
        if velocity.length() < 0.02 {
            assert!(shapes.is_empty(), "{kind}: {velocity}");
            continue;
        }
        let [from, to] = line(&shapes)[..] else { panic!("two ends") };
        let expected = [at.x + 0.75 * velocity.x, at.z + 0.75 * velocity.z].map(f64::from);
        assert!((0..2).all(|axis| (to[axis] - expected[axis]).abs() < 1e-5), "{kind}: {to:?} {expected:?}");
        assert_eq!(from, [at.x, at.z].map(f64::from));
        assert_eq!(shapes[0].look.stroke.unwrap().colour, colour);
    }
    let told = &seen["characters"]["bert"];
    let pair = |value: &serde_json::Value| [0, 1].map(|axis| value[axis].as_f64().unwrap() as f32);
    assert_eq!(pair(&told["desired"]), [bert.desired.x, bert.desired.z]);
    assert_eq!(pair(&told["velocity"]), [bert.body.velocity.x, bert.body.velocity.z]);
    // A character that stands wants nothing.
    assert!(shapes(&shown, "desired", world, "anna").is_empty());
    assert!(shapes(&shown, "velocity", world, "anna").is_empty());
    assert_eq!(seen["characters"]["anna"]["desired"], serde_json::json!([0, 0]));
    let later = detail(&mut game, 60);
    let bert = later["characters"]["bert"]["velocity"].clone();
    assert!(pair(&bert)[0] > 1.0, "by now he walks: {bert}");
    assert_eq!(shapes(&picture(game.world()), "velocity", game.world(), "bert").len(), 1);
}

#[test]
fn those_who_are_planned_around_are_shown_as_large_as_plans_take_them() {
    let mut game = hall();
    assert_eq!(picture(game.world()).shapes_of("obstacle").count(), 0, "nobody walks");
    walk(&mut game, "bert", [17.0, 5.0]);
    let seen = detail(&mut game, 10);
    assert_eq!(seen["characters"]["bert"]["obstacles"], serde_json::json!(["anna"]));
    assert!(seen["characters"]["anna"]["obstacles"].is_null());
    let shown = picture(game.world());
    let around = shapes(&shown, "obstacle", game.world(), "anna");
    assert_eq!(shown.shapes_of("obstacle").count(), 1);
    assert_eq!(around[0].look.fill, None, "a ring leaves the colour of whom it is around");
    let Figure::Circle { centre, radius_m } = around[0].form else { panic!("{:?}", around[0]) };
    assert!((radius_m - 0.6 * 0.35).abs() < 1e-6, "{radius_m}");
    assert_eq!(centre, [10.0, 5.0]);
    // Gone past and arrived: nobody is planned around any more.
    let last = detail(&mut game, 1200);
    assert_eq!(last["characters"]["bert"]["waypoints"], 0, "{last}");
    assert_eq!(picture(game.world()).shapes_of("obstacle").count(), 0);
}

/// Somebody for the law of colours: every fifth would be the player, and every fourth has no tag.
fn somebody(number: u64, rng: &mut Rng) -> Spawn {
    let mut spawn = Spawn::new(format!("{}{number}", ["z", "a", "m"][(number % 3) as usize]), Vec3::ZERO);
    spawn.position = Vec3::new(rng.float(1.5, 18.0) as f32, 0.0, rng.float(1.5, 8.0) as f32);
    spawn.is_player = rng.chance(0.2);
    if rng.chance(0.75) {
        spawn.tags.push(format!("kind{}", rng.below(12)));
    }
    spawn
}

#[test]
fn up_to_ten_people_have_colours_of_their_own_and_keep_them_and_more_have_those_of_their_tags() {
    for seed in 0..40 {
        let mut rng = Rng::stream(seed, "colours");
        let mut game = game(&level(&[".".repeat(20).as_str(); 10], ""), RecordOptions::default());
        // In the first half never more than ten, so that nobody's colour may change.
        let (mut known, mut before, mut number) = (KnownColours::new(), BTreeMap::new(), 0);
        for step in 0..60 {
            let alive: Vec<CharacterId> = game.world().characters().map(|(id, _)| id).collect();
            let people = game.world().characters().filter(|(_, who)| !who.is_player).count();
            let most = if step < 30 { 10 } else { 30 };
            if people < most && rng.chance(0.7) {
                number += 1;
                let mut spawn = somebody(number, &mut rng);
                // There is one player at most.
                spawn.is_player &= game.world().characters().all(|(_, who)| !who.is_player);
                characters::spawn(game.world_mut(), spawn).unwrap().expect("there is ground");
            } else if let Some(id) = alive.get(rng.below(alive.len().max(1) as u64) as usize) {
                characters::despawn(game.world_mut(), *id, "a law").unwrap();
            }
            game.tick(&[]);
            let world = game.world();
            let mut picture =
                Picture { people: known.clone(), ..Picture::new("", world.nav().bounds(), 1.0) };
            draw_scene(&mut picture, world, Parts::all());
            known = picture.people.clone();
            let fill = |id| {
                let bodies = picture.shapes_of("character").filter(|shape| shape.tag == Tag::Character(id));
                bodies.filter_map(|shape| shape.look.fill).next().expect("a body")
            };
            let shown: Vec<_> = world.characters().map(|(id, who)| (id, who, fill(id))).collect();
            let alone: BTreeMap<_, _> = character_colours(world).into_iter().collect();
            let crowd: Vec<_> = shown.iter().filter(|(_, who, _)| !who.is_player).collect();
            for (index, (id, who, colour)) in crowd.iter().enumerate() {
                assert_ne!(*colour, theme::PLAYER);
                for (other_id, other, beside) in &crowd[..index] {
                    let told = format!("{seed} {step}: {} and {} of {}", who.name, other.name, crowd.len());
                    if crowd.len() <= 10 {
                        assert!(colour != beside && alone[id] != alone[other_id], "{told}");
                        continue;
                    }
                    let tag = |who: &Character| who.tags.iter().find(|tag| tag.starts_with("kind")).cloned();
                    let plain = theme::CHARACTER;
                    assert!(tag(who).is_some() || *colour == plain && alone[id] == plain, "{told}");
                    let is_one = tag(who) == tag(other);
                    assert!(is_one == (colour == beside) || *colour == plain, "{told}");
                    assert!(is_one == (alone[id] == alone[other_id]) || alone[id] == plain, "{told}");
                }
            }
            if step < 30 {
                for (id, _, colour) in &shown {
                    assert_eq!(before.insert(*id, *colour).unwrap_or(*colour), *colour, "{seed} {step}");
                }
            }
            let words = |words: &str| picture.legend.iter().any(|entry| entry.text == words);
            for (_, who, colour) in &crowd {
                let own = who.tags.iter().find(|tag| tag.starts_with("kind")).unwrap_or(&who.name);
                assert!(words(&who.name) || words(own) || words("character"), "{} {colour:?}", who.name);
            }
        }
    }
}

#[test]
fn a_step_aside_is_told_and_shown() {
    let wall = "#".repeat(20);
    let rows = [&wall, "#......#######.....#", "#..................#", "#......#######.....#", &wall];
    // Side by side they fill the passage, which is a metre wide.
    let people = r#", "characters": [ { "name": "anna", "position": [10.5, 2.14] },
        { "name": "carl", "position": [10.5, 2.86] },
        { "name": "bert", "position": [2.5, 2.5], "facingDegrees": 90 } ]"#;
    let options = RecordOptions { trace: true, detail_every: 1, ..RecordOptions::default() };
    let mut game = game(&level(&rows, people), options);
    walk(&mut game, "bert", [16.5, 2.5]);
    let mut told = None;
    for _ in 0..1200 {
        let lines = game.tick(&[]).lines;
        let facts: Vec<serde_json::Value> =
            lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        if let Some(fact) = facts.iter().find(|fact| fact["e"] == "nudged") {
            told = Some((fact.clone(), facts.last().unwrap()["detail"].clone()));
            break;
        }
    }
    let (fact, detail) = told.expect("they close the passage, so one is asked aside");
    let who = fact["character"].as_str().unwrap();
    assert!(["anna", "carl"].contains(&who) && fact["by"] == "bert", "{fact}");
    let to = &fact["to"];
    assert_eq!(detail["characters"][who]["nudge"], *to, "{detail}");
    let shown = picture(game.world());
    let nudges = shapes(&shown, "nudge", game.world(), who);
    let end = line(&nudges)[1];
    for (axis, value) in end.iter().enumerate() {
        assert!((value - to[axis].as_f64().unwrap()).abs() < 1e-4, "{end:?} {to}");
    }
    assert!(game.crowd_counts().nudges >= 1);
    assert!(shown.legend.iter().any(|entry| entry.text == "stepping aside"));
}

#[test]
fn a_layer_that_is_not_asked_for_is_not_drawn() {
    let mut game = hall();
    walk(&mut game, "bert", [17.0, 5.0]);
    game.tick(&[]);
    for part in PicturePart::ALL {
        let mut alone = Picture::new("hall", game.world().nav().bounds(), 1.0);
        let parts = Parts::NONE.with(part);
        draw_ground(&mut alone, game.world(), parts);
        draw_scene(&mut alone, game.world(), parts);
        let names: Vec<&str> = alone.layers.iter().map(|layer| layer.name).collect();
        assert!(names.iter().all(|name| *name == part.name()), "{}: {names:?}", part.name());
        assert!(alone.labels.is_empty(), "{}: names are a part of their own", part.name());
    }
}

fn walk(game: &mut Game, name: &str, [x, z]: [f32; 2]) {
    let world = game.world_mut();
    let character = world.find_character(name).unwrap();
    let goal = Goal::Point(Vec3::new(x, 0.0, z));
    walk_to(world, WalkOrder { character, goal, options: options(), owner: Owner::HOST }).unwrap();
}
