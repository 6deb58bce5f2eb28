//! Rows of the seed of tile maps that no other file holds: what is wrong with an end, limits, walks that fail
//! and say so.
//!
//! Method: small maps whose ways are known by hand, asked directly or walked over; a large one for the
//! defaults.

use glam::Vec3;
use walkon_runtime::base::geom::flat_distance;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::nav::{
    Accept, LayerPoint, PathAnswer, PathFailure, PathQuery, PathStatus, RandomPoint, Search, Traversal,
};
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::tiles::{self, TileChange};
use walkon_runtime::world::ops::walk_changes;
use walkon_runtime::world::tiles::TileSpot;
use walkon_runtime::world::walk::WalkPace;

use crate::fixture::{Stage, put, send};

fn at(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

fn drawn(rows: &[String]) -> String {
    rows.iter().map(|row| format!("\"{row}\"")).collect::<Vec<_>>().join(",")
}

/// A map of tiles with these keys beside its layers, one layer of these rows.
fn stage(keys: &str, rows: &[&str]) -> Stage {
    let rows: Vec<String> = rows.iter().map(|&row| row.to_owned()).collect();
    let layers = format!("\"layers\": [ {{ \"name\": \"ground\", \"rows\": [{}] }} ]", drawn(&rows));
    Stage::of(&format!("{{ {keys} \"navigation\": {{ \"kind\": \"tiles\", {layers} }} }}"))
}

fn ask(stage: &Stage, (start, goal): (Vec3, Vec3), expansions_max: u32) -> PathAnswer {
    let by = Traversal::default();
    let accept = Accept::Nearest;
    let query = PathQuery { start, goal, by, accept, goal_layer: None, expansions_max, others: None };
    stage.world().nav().plan(&query, &mut Search::default())
}

fn set(stage: &mut Stage, column: u32, row: u32, navigable: bool) {
    let change = TileChange { navigable: Some(navigable), ..TileChange::default() };
    assert!(tiles::set(stage.game.world_mut(), TileSpot { layer: 0, column, row }, change).unwrap());
}

#[test]
fn seed_o3_what_is_wrong_with_either_end_is_told_apart() {
    // Wide walls: a start is put right when ground lies within eight metres.
    let wall = "#".repeat(20);
    let row = format!("....{wall}....");
    let stage = stage("", &[&row, &row, &row]);
    let here = at(1.5, 1.5);
    let told = |start, goal| {
        let answer = ask(&stage, (start, goal), u32::MAX);
        let wrong = if answer.status == PathStatus::None { start } else { goal };
        let tile = tiles::tile_at(stage.world(), 0, wrong).unwrap().map(|tile| tile.navigable);
        (answer.status, answer.trouble, tile)
    };
    let cases = [
        told(at(-20.0, 1.5), here),
        told(at(14.0, 1.5), here),
        told(here, at(-20.0, 1.5)),
        told(here, at(14.0, 1.5)),
    ];
    let (off, no) = (Some(PathFailure::StartOffNav), Some(PathFailure::NoPath));
    assert_eq!(
        cases,
        [
            (PathStatus::None, off, None),
            (PathStatus::None, off, Some(false)),
            (PathStatus::Partial, no, None),
            (PathStatus::Partial, no, Some(false)),
        ]
    );
}

#[test]
fn seed_o4_who_stands_on_the_goal_has_a_path_of_one_point_and_is_told_once() {
    let mut stage = stage("", &["....", "...."]);
    let answer = ask(&stage, (at(1.5, 1.5), at(1.5, 1.5)), u32::MAX);
    assert_eq!((answer.status, answer.path.points.len()), (PathStatus::Complete, 1));
    let anna = put(&mut stage, "anna", at(1.5, 1.5));
    send(&mut stage, anna, Goal::Point(at(1.5, 1.5)), |_| {});
    stage.ticks(120);
    assert_eq!(stage.ends, ["arrived/alreadyThere"]);
}

/// A serpentine of as many rows and columns.
fn serpentine(side: usize) -> Vec<String> {
    let row = |z: usize| match (z % 2, z / 2 % 2) {
        (0, _) => ".".repeat(side),
        (_, 0) => format!("{}.", "#".repeat(side - 1)),
        _ => format!(".{}", "#".repeat(side - 1)),
    };
    (0..side).map(row).collect()
}

#[test]
fn seed_o6_a_maze_of_a_million_tiles_is_solved_by_default_and_a_limit_of_ten_is_a_limit() {
    let rows = serpentine(1000);
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let large = stage("", &rows);
    assert_eq!(large.world().settings().limits.expansions_per_path, None, "no limit but the map itself");
    let answer = ask(&large, (at(0.5, 0.5), at(0.5, 998.5)), u32::MAX);
    assert_eq!((answer.status, answer.trouble), (PathStatus::Complete, None));
    assert!(answer.path.length_m > 499_000.0, "{}", answer.path.length_m);
    assert!(answer.expansions <= 1_000_000, "no more than the map has tiles: {}", answer.expansions);
}

#[test]
fn seed_o6_a_search_that_gave_up_is_told_apart_from_one_that_found_no_way() {
    let rows = serpentine(20);
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let ends = |keys: &str, goal: Vec3, wall: bool| {
        let mut stage = stage(keys, &rows);
        if wall {
            set(&mut stage, 10, 10, false);
            stage.tick();
        }
        let anna = put(&mut stage, "anna", at(0.5, 0.5));
        send(&mut stage, anna, Goal::Point(goal), |options| options.pace = WalkPace::Speed(40.0));
        stage.until_settled(1, 2000).join(" ")
    };
    let limit = "\"limits\": { \"expansionsPerPath\": 10 },";
    let far = at(0.5, 18.5);
    assert_eq!(ends("", far, false), "arrived/reached");
    assert_eq!(ends(limit, far, false), "blocked/limit");
    assert_eq!(ends("", far, true), "partial/nearest", "there is no way");
    let stage = stage("", &rows);
    let (gave_up, whole) = (ask(&stage, (at(0.5, 0.5), far), 10), ask(&stage, (at(0.5, 0.5), far), u32::MAX));
    assert_eq!((gave_up.status, gave_up.trouble), (PathStatus::None, Some(PathFailure::Limit)));
    assert_eq!(whole.trouble, None);
}

#[test]
fn seed_o15_random_points_of_a_layer_lie_evenly_on_its_own_ground() {
    let open = vec![".".repeat(60); 60];
    // The ground below has a wall where the sky has none, and the other way about.
    let split: Vec<String> = (0..60).map(|_| format!("{}##{}", ".".repeat(29), ".".repeat(29))).collect();
    let level = format!(
        r#"{{ "navigation": {{ "kind": "tiles", "layers": [
        {{ "name": "ground", "rows": [{}] }}, {{ "name": "sky", "rows": [{}] }} ] }} }}"#,
        drawn(&split),
        drawn(&open)
    );
    let stage = Stage::of(&level);
    let centre = at(30.0, 30.0);
    let draw = |seed: u64, layer: u8| -> Vec<Vec3> {
        let mut rng = Rng::stream(seed, "points");
        let by = Traversal { layer, ..Traversal::default() };
        let reachable_from = Some(LayerPoint { layer, point: at(20.0, 30.0) });
        let wish = RandomPoint {
            centre: Some(centre),
            within_m: 20.0,
            area: None,
            reachable_from,
            by,
            attempts: 10,
        };
        (0..4000).map(|_| stage.world().nav().random_point(&wish, &mut rng).unwrap()).collect()
    };
    let sky = draw(1, 1);
    assert_eq!(sky, draw(1, 1));
    assert_ne!(sky, draw(2, 1));
    let inner = sky.iter().filter(|&&point| flat_distance(point, centre) < 10.0).count();
    assert!((920..=1080).contains(&inner), "{inner} of 4000 within half the radius, expected a quarter");
    assert!(sky.iter().any(|point| (29.0..31.0).contains(&point.x)), "above the wall");
    assert!(draw(1, 0).iter().all(|point| point.x < 29.0), "on the ground only on this side of the wall");
}

#[test]
fn seed_o16_a_standing_goal_on_a_still_map_costs_one_search() {
    let mut stage = stage("", &["..........", ".########.", ".........."]);
    let anna = put(&mut stage, "anna", at(0.5, 0.5));
    send(&mut stage, anna, Goal::Point(at(4.5, 2.5)), |_| {});
    stage.ticks(3);
    let first = stage.world().path_counts();
    assert!(first.requests == 1 && first.expansions > 0);
    while stage.ends.is_empty() && stage.world().tick().0 < 1200 {
        // What is asked for again without a change costs nothing either.
        set_same(&mut stage);
        stage.tick();
        let now = stage.world().path_counts();
        assert_eq!((now.requests, now.expansions), (first.requests, first.expansions));
    }
    assert_eq!(stage.ends, ["arrived/reached"]);
}

/// Asks for a tile to be what it is.
fn set_same(stage: &mut Stage) {
    let (spot, change) = (TileSpot { layer: 0, column: 5, row: 2 }, TileChange::default());
    let change = TileChange { navigable: Some(true), ..change };
    assert!(!tiles::set(stage.game.world_mut(), spot, change).unwrap(), "that is no change");
}

#[test]
fn seed_o18_ten_thousand_searches_in_one_memory_answer_like_the_first() {
    let mut rng = Rng::stream(4, "maze");
    let rows: Vec<String> = (0..24)
        .map(|_| (0..24).map(|_| ["#", ".", ".", "~"][rng.below(4) as usize]).collect::<String>())
        .collect();
    let level = format!(
        r#"{{ "navigation": {{ "kind": "tiles", "layers": [ {{ "name": "ground", "rows": [{}] }} ],
        "legend": {{ "~": {{ "terrain": "water" }} }} }} }}"#,
        drawn(&rows)
    );
    let stage = Stage::of(&level);
    let mut search = Search::default();
    let mut queries: Vec<(PathQuery, PathAnswer)> = Vec::new();
    let mut place = || at(rng.below(24) as f32 + 0.5, rng.below(24) as f32 + 0.5);
    for _ in 0..100 {
        let (by, accept) = (Traversal::default(), Accept::Nearest);
        let (start, goal) = (place(), place());
        let query =
            PathQuery { start, goal, by, accept, goal_layer: None, expansions_max: u32::MAX, others: None };
        // Each in a memory of its own.
        let answer = stage.world().nav().plan(&query, &mut Search::default());
        queries.push((query, answer));
    }
    for turn in 0..10_000 {
        let (query, expected) = &queries[turn * 37 % queries.len()];
        assert_eq!(&stage.world().nav().plan(query, &mut search), expected, "search {turn}");
    }
}

#[test]
fn seed_o21_an_arrival_distance_of_two_metres_stops_within_two_metres() {
    let mut stage = stage("", &["..........", ".........."]);
    let anna = put(&mut stage, "anna", at(0.5, 0.5));
    send(&mut stage, anna, Goal::Point(at(8.5, 1.5)), |options| options.radius_m = Some(2.0));
    assert_eq!(stage.until_settled(1, 900), ["arrived/reached"]);
    let left = flat_distance(stage.world().character(anna).unwrap().body.position, at(8.5, 1.5));
    assert!(left <= 2.0 && left > 1.8, "{left}");
}

#[test]
fn seed_o22_whoever_finds_no_way_any_more_is_told_and_does_not_freeze() {
    let mut stage = stage("", &["..........", "#########.", ".........."]);
    let anna = put(&mut stage, "anna", at(0.5, 0.5));
    send(&mut stage, anna, Goal::Point(at(0.5, 2.5)), |_| {});
    stage.ticks(60);
    set(&mut stage, 9, 1, false);
    assert_eq!(stage.until_settled(1, 900), ["partial/nearest"]);
    let settled = stage.facts("walkSettled");
    assert_eq!(settled.len(), 1, "told once");
    stage.ends.clear();
    send(&mut stage, anna, Goal::Point(at(5.5, 0.5)), |_| {});
    assert_eq!(stage.until_settled(1, 900), ["arrived/reached"], "and it walks on when it is sent");
}

#[test]
fn seed_o22_a_changed_target_is_walked_to_although_the_path_in_use_is_valid() {
    let mut stage = stage("", &["..........", ".........."]);
    let anna = put(&mut stage, "anna", at(0.5, 0.5));
    let walk = send(&mut stage, anna, Goal::Point(at(9.5, 0.5)), |_| {});
    stage.ticks(60);
    walk_changes::retarget(stage.game.world_mut(), walk, Goal::Point(at(0.5, 1.5))).unwrap();
    assert_eq!(stage.until_settled(1, 900), ["arrived/reached"]);
    assert!(flat_distance(stage.world().character(anna).unwrap().body.position, at(0.5, 1.5)) < 0.06);
}

#[test]
fn seed_o22_no_step_overshoots_at_any_speed_and_none_is_no_number() {
    for speed_mps in [0.3, 1.4, 12.0, 50.0] {
        let mut stage = stage("", &["..........", ".########.", ".........."]);
        let anna = put(&mut stage, "anna", at(0.5, 0.5));
        send(&mut stage, anna, Goal::Point(at(8.5, 2.5)), |options| {
            options.pace = WalkPace::Speed(speed_mps)
        });
        let mut before = at(0.5, 0.5);
        while stage.ends.is_empty() && stage.world().tick().0 < 6000 {
            stage.tick();
            let now = stage.world().character(anna).unwrap().body.position;
            assert!(now.is_finite(), "{speed_mps}");
            assert!(flat_distance(before, now) <= speed_mps / 60.0 + 1e-3, "{speed_mps}: {before} {now}");
            assert!(stage.world().nav().is_walkable(now, &Traversal::default()), "{speed_mps}: {now}");
            before = now;
        }
        assert_eq!(stage.ends, ["arrived/reached"], "{speed_mps}");
        assert!(flat_distance(before, at(8.5, 2.5)) < 0.06, "{speed_mps}: {before}");
    }
}

#[test]
fn seed_o24_places_are_checked_without_anybody_asking() {
    let mut stage = stage("", &["....", ".##.", "...."]);
    let anna = put(&mut stage, "anna", at(0.5, 0.5));
    // A goal far off the map, and one in a wall: as near as one gets, and no fault of any character.
    for (goal, place) in [(at(1e6, 0.5), at(3.5, 0.5)), (at(1.4, 1.5), at(0.5, 1.5))] {
        stage.ends.clear();
        send(&mut stage, anna, Goal::Point(goal), |_| {});
        assert_eq!(stage.until_settled(1, 900), ["partial/nearest"], "{goal}");
        let stands = stage.world().character(anna).unwrap().body.position;
        assert!(flat_distance(stands, place) < 0.75, "{goal}: {stands}");
    }
}

#[test]
fn seed_x3_pixels_become_metres_once_and_y_on_the_picture_becomes_z() {
    let map = r#"<?xml version="1.0" encoding="UTF-8"?>
<map version="1.10" orientation="orthogonal" width="4" height="3" tilewidth="32" tileheight="32" infinite="0">
 <tileset firstgid="1" name="t" tilewidth="32" tileheight="32" tilecount="1" columns="1"><tile id="0"/></tileset>
 <layer id="1" name="floor" width="4" height="3"><data encoding="csv">1,1,1,1,1,1,1,1,1,1,1,1</data></layer>
 <objectgroup id="2" name="things"><object id="1" name="post" x="112" y="80"><point/></object></objectgroup>
</map>"#;
    let source = walkon_runtime::level::MemorySource::new().with("map.tmx", map);
    let level =
        walkon_runtime::level::load("map.tmx", &source).unwrap_or_else(|refused| panic!("{refused:#?}"));
    let world = walkon_runtime::level::spawn::build(level, None).world;
    assert_eq!(world.mark("post").unwrap().position, at(3.5, 2.5), "112 and 80 pixels of 32 a metre");
    let bounds = world.nav().bounds();
    assert_eq!((bounds.min, bounds.max), ([0.0, 0.0], [4.0, 3.0]));
    let query = PathQuery {
        start: at(0.5, 2.5),
        goal: at(3.5, 2.5),
        by: Traversal::default(),
        accept: Accept::Exact,
        goal_layer: None,
        expansions_max: u32::MAX,
        others: None,
    };
    assert_eq!(world.nav().plan(&query, &mut Search::default()).path.length_m, 3.0, "metres, not pixels");
}
