//! Tiles that change while people walk: who plans again and when, what a tile reads like afterwards, and
//! going back.
//!
//! Method: small maps whose ways are known by hand; the walker is sent by the host, tiles change between
//! ticks as scripts would change them, and what happened is read from the trace.

use glam::Vec3;
use walkon_runtime::base::ids::CharacterId;
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::tiles::{self, TileChange};
use walkon_runtime::world::tiles::{Terrain, TileSpot};

use crate::fixture::{Stage, put, send};

fn at(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

/// A stage on a tile map of these rows; `M` is mud, `~` water, `W` a wall of rock.
fn stage(layout: &str, rows: &[&str]) -> Stage {
    let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
    Stage::of(&format!(
        r#"{{ "navigation": {{ "kind": "tiles", {layout} "layers": [ {{ "name": "ground", "rows": [{}] }} ],
        "legend": {{ "M": {{ "terrain": "mud" }}, "~": {{ "terrain": "water" }},
        "W": {{ "terrain": "rock", "walkable": false }} }} }} }}"#,
        rows.join(",")
    ))
}

fn set(stage: &mut Stage, column: u32, row: u32, change: TileChange) -> bool {
    let spot = TileSpot { layer: 0, column, row };
    tiles::set(stage.game.world_mut(), spot, change).unwrap()
}

fn open(stage: &mut Stage, column: u32, row: u32, navigable: bool) -> bool {
    set(stage, column, row, TileChange { navigable: Some(navigable), ..TileChange::default() })
}

fn tile(stage: &Stage, column: u32, row: u32) -> walkon_runtime::world::tiles::Tile {
    stage.world().tiles().unwrap().tile(TileSpot { layer: 0, column, row }).unwrap().clone()
}

/// Ticks at which a character planned again because the map changed.
fn replanned(stage: &Stage, name: &str) -> Vec<u64> {
    let facts = stage.facts("replanned").into_iter().filter(|fact| fact["character"] == name);
    facts.filter(|fact| fact["why"] == "map").map(|fact| fact["t"].as_u64().unwrap()).collect()
}

fn place_of(stage: &Stage, who: CharacterId) -> Vec3 {
    stage.world().character(who).unwrap().body.position
}

fn hash(stage: &Stage) -> u64 {
    walkon_runtime::world::state_hash::of(stage.world()).whole()
}

#[test]
fn seed_o13_a_tile_that_is_closed_and_opened_keeps_its_cost() {
    let mut stage = stage("", &["....", ".M..", "...."]);
    assert!(open(&mut stage, 1, 1, false));
    assert_eq!((tile(&stage, 1, 1).navigable, tile(&stage, 1, 1).cost), (false, 1.5), "read back at once");
    assert!(stage.world().has_pending_edits());
    stage.tick();
    assert!(!stage.world().nav().cells().unwrap().walkable(1, 1));
    assert!(open(&mut stage, 1, 1, true));
    stage.tick();
    assert_eq!((tile(&stage, 1, 1).cost, tile(&stage, 1, 1).terrain), (1.5, Terrain::Mud));
    assert_eq!(stage.world().nav().cells().unwrap().factor_at(1, 1), 1.5);
    assert!(!open(&mut stage, 1, 1, true), "it is open");
    assert!(!stage.world().has_pending_edits());
}

#[test]
fn seed_o13_a_blocked_tile_that_is_opened_is_walked() {
    let mut stage = stage("", &["..W..", "..W..", "..W.."]);
    assert!(open(&mut stage, 2, 1, true));
    stage.tick();
    assert_eq!(tile(&stage, 2, 1).terrain, Terrain::Rock, "it is still made of rock");
    let anna = put(&mut stage, "anna", at(0.5, 1.5));
    send(&mut stage, anna, Goal::Point(at(4.5, 1.5)), |_| {});
    assert_eq!(stage.until_settled(1, 600), ["arrived/reached"]);
}

#[test]
fn seed_o13_what_an_edit_leaves_out_stays_and_a_terrain_brings_its_own() {
    let mut stage = stage("", &["M~W."]);
    let change = |terrain| TileChange { terrain: Some(terrain), ..TileChange::default() };
    set(
        &mut stage,
        0,
        0,
        TileChange { tags: Some(vec!["b".into(), "a".into(), "a".into()]), ..Default::default() },
    );
    assert_eq!((tile(&stage, 0, 0).cost, tile(&stage, 0, 0).terrain), (1.5, Terrain::Mud));
    assert_eq!(tile(&stage, 0, 0).tags, ["a", "b"]);
    set(&mut stage, 0, 0, TileChange { cost: Some(7.0), ..Default::default() });
    assert_eq!((tile(&stage, 0, 0).cost, tile(&stage, 0, 0).tags.len()), (7.0, 2));
    set(&mut stage, 1, 0, change(Terrain::Lava));
    assert!(!tile(&stage, 1, 0).navigable, "nobody walks on lava");
    set(&mut stage, 1, 0, change(Terrain::Ice));
    assert_eq!((tile(&stage, 1, 0).navigable, tile(&stage, 1, 0).cost), (true, 0.8));
    set(&mut stage, 3, 0, TileChange { navigable: Some(true), cost: Some(3.0), ..change(Terrain::Lava) });
    assert_eq!((tile(&stage, 3, 0).navigable, tile(&stage, 3, 0).cost), (true, 3.0), "what is given wins");
    assert!(!set(&mut stage, 9, 9, change(Terrain::Ice)), "off the map nothing changes");
}

#[test]
fn fault_f35_a_tile_cannot_cost_what_no_ground_costs() {
    let mut stage = stage("", &["..."]);
    for cost in [0.0, -1.0, 0.09, 100.5, f32::NAN, f32::INFINITY] {
        let spot = TileSpot { layer: 0, column: 0, row: 0 };
        let change = TileChange { cost: Some(cost), ..TileChange::default() };
        assert!(tiles::set(stage.game.world_mut(), spot, change).is_err(), "{cost}");
    }
    assert_eq!(tile(&stage, 0, 0).cost, 1.0);
}

#[test]
fn edits_of_tiles_of_a_map_without_tiles_are_refused() {
    let mut stage = Stage::of(crate::fixture::HALL);
    let spot = TileSpot { layer: 0, column: 0, row: 0 };
    let refused = tiles::set(stage.game.world_mut(), spot, TileChange::default()).unwrap_err();
    assert_eq!(refused.to_string(), "this map has no tiles; a map of kind \"tiles\" has");
}

/// A long wall with an end far away, and a character that is to get to its other side.
fn along_the_wall() -> (Stage, CharacterId) {
    let mut rows = vec!["...W..."; 20];
    rows.push(".......");
    let mut stage = stage("", &rows);
    let anna = put(&mut stage, "anna", at(1.5, 2.5));
    send(&mut stage, anna, Goal::Point(at(5.5, 2.5)), |_| {});
    stage.ticks(60);
    (stage, anna)
}

#[test]
fn seed_o19_a_wall_that_is_opened_beside_a_detour_is_taken() {
    let (mut stage, anna) = along_the_wall();
    let z = place_of(&stage, anna).z;
    assert!(z > 3.0, "she is on her way around: {z}");
    let row = z as u32 + 2;
    open(&mut stage, 3, row, true);
    let tick = stage.world().tick().0;
    stage.tick();
    assert_eq!(replanned(&stage, "anna"), [tick + 1]);
    assert_eq!(stage.until_settled(1, 900), ["arrived/reached"]);
    let settled = &stage.facts("walkSettled")[0];
    assert!(settled["travelled"].as_f64().unwrap() < 14.0, "through the gap, not around: {settled}");
}

#[test]
fn seed_o19_a_bridge_over_water_costs_what_ground_costs_and_reads_as_a_bridge() {
    let mut stage = stage("", &["..~..", "..~..", "..~.."]);
    let from = at(0.5, 1.5);
    let anna = put(&mut stage, "anna", from);
    let cost = |stage: &Stage| {
        let query = walkon_runtime::nav::PathQuery {
            start: from,
            goal: at(4.5, 1.5),
            by: Default::default(),
            accept: walkon_runtime::nav::Accept::Exact,
            goal_layer: None,
            expansions_max: u32::MAX,
            others: None,
        };
        stage.world().nav().plan(&query, &mut Default::default()).path.cost_m
    };
    assert!((cost(&stage) - 5.0).abs() < 1e-3, "four metres, one of them in the water");
    set(&mut stage, 2, 1, TileChange { terrain: Some(Terrain::Bridge), ..TileChange::default() });
    stage.tick();
    assert!((cost(&stage) - 4.0).abs() < 1e-3);
    assert_eq!((tile(&stage, 2, 1).terrain.name(), tile(&stage, 2, 1).cost), ("bridge", 1.0));
    send(&mut stage, anna, Goal::Point(at(4.5, 1.5)), |_| {});
    assert_eq!(stage.until_settled(1, 600), ["arrived/reached"]);
}

#[test]
fn seed_o20_a_tile_that_closes_in_the_middle_of_a_long_leg_is_seen_in_that_tick() {
    let row = ".".repeat(44);
    let mut stage = stage("", &[&row, &row, &row]);
    let anna = put(&mut stage, "anna", at(1.5, 1.5));
    let bert = put(&mut stage, "bert", at(1.5, 0.5));
    send(&mut stage, anna, Goal::Point(at(41.5, 1.5)), |_| {});
    send(&mut stage, bert, Goal::Point(at(6.5, 0.5)), |_| {});
    stage.ticks(30);
    open(&mut stage, 21, 1, false);
    let tick = stage.world().tick().0;
    stage.tick();
    assert_eq!(replanned(&stage, "anna"), [tick + 1], "on the leg, far from both its ends");
    assert!(replanned(&stage, "bert").is_empty(), "whose way lies elsewhere");
    assert!(stage.until_settled(2, 3000).iter().all(|end| end == "arrived/reached"));
}

#[test]
fn seed_o20_a_tile_that_gets_dearer_on_the_way_is_a_reason_to_plan_anew() {
    let row = ".".repeat(20);
    let mut stage = stage("", &[&row, &row, &row]);
    let anna = put(&mut stage, "anna", at(1.5, 1.5));
    send(&mut stage, anna, Goal::Point(at(18.5, 1.5)), |_| {});
    stage.ticks(30);
    set(&mut stage, 10, 1, TileChange { cost: Some(50.0), ..TileChange::default() });
    let tick = stage.world().tick().0;
    stage.tick();
    assert_eq!(replanned(&stage, "anna"), [tick + 1]);
    let on_the_tile = |place: Vec3| (10.0..11.0).contains(&place.x) && (1.0..2.0).contains(&place.z);
    for _ in 0..900 {
        stage.tick();
        assert!(!on_the_tile(place_of(&stage, anna)), "around what costs fifty times as much");
    }
    assert_eq!(stage.ends, ["arrived/reached"]);
}

#[test]
fn changes_elsewhere_and_of_what_nobody_walks_on_disturb_nobody() {
    let row = ".".repeat(20);
    let mut stage = stage("", &[&row, &row, &row, &row, &row, &row, &row]);
    let anna = put(&mut stage, "anna", at(1.5, 1.5));
    send(&mut stage, anna, Goal::Point(at(18.5, 1.5)), |_| {});
    stage.ticks(30);
    open(&mut stage, 10, 6, false);
    set(&mut stage, 12, 1, TileChange { tags: Some(vec!["seen".to_owned()]), ..TileChange::default() });
    stage.ticks(2);
    open(&mut stage, 10, 6, true);
    stage.ticks(2);
    assert!(replanned(&stage, "anna").is_empty());
}

#[test]
fn a_walk_to_a_nearest_point_goes_on_when_a_tile_opens() {
    let mut stage = stage("", &["...W...", "...W...", "...W..."]);
    let anna = put(&mut stage, "anna", at(0.5, 1.5));
    send(&mut stage, anna, Goal::Point(at(5.5, 1.5)), |_| {});
    stage.ticks(20);
    open(&mut stage, 3, 0, true);
    assert_eq!(stage.until_settled(1, 900), ["arrived/reached"]);
}

#[test]
fn an_edit_taken_back_in_the_same_tick_changes_nothing() {
    let mut stage = stage("", &["...."]);
    stage.tick();
    let (before, revision) = (hash(&stage), stage.world().nav().revision());
    open(&mut stage, 1, 0, false);
    assert_ne!(hash(&stage), before, "what was asked for counts before the map has followed");
    open(&mut stage, 1, 0, true);
    let twin = {
        let mut twin = self::stage("", &["...."]);
        twin.ticks(2);
        hash(&twin)
    };
    stage.tick();
    assert_eq!(stage.world().nav().revision(), revision);
    assert_eq!(hash(&stage), twin, "as if nothing had been");
}

#[test]
fn seed_o26_one_scenario_runs_on_every_layout_and_everybody_arrives() {
    let rows = ["........", ".WWW..M.", "...W..M.", ".~.W..M.", ".~....M.", "........"];
    let layouts = [
        r#""layout": "square4","#,
        r#""layout": "square8","#,
        r#""layout": "square8", "projection": "isometric", "tileWidth": 1.25, "tileHeight": 0.9,"#,
        r#""layout": "staggered", "tileWidth": 2, "tileHeight": 2,"#,
        r#""layout": "staggered", "staggerAxis": "x", "staggerIndex": "even", "tileWidth": 2, "tileHeight": 2,"#,
        r#""layout": "hexPointy","#,
        r#""layout": "hexFlat", "staggerIndex": "even", "tileWidth": 1.2, "tileHeight": 1,"#,
    ];
    for layout in layouts {
        let mut stage = stage(layout, &rows);
        let frame = *stage.world().nav().cells().unwrap().frame();
        let middle = |column: u32, row: u32| {
            let [x, z] = frame.tile_centre([column, row]).unwrap();
            at(x as f32, z as f32)
        };
        for (name, from, to) in [("anna", (0, 0), (7, 5)), ("bert", (2, 2), (5, 1)), ("carl", (0, 5), (7, 0))]
        {
            let who = put(&mut stage, name, middle(from.0, from.1));
            send(&mut stage, who, Goal::Point(middle(to.0, to.1)), |_| {});
        }
        assert_eq!(stage.until_settled(3, 2400), ["arrived/reached"; 3], "{layout}");
    }
}
