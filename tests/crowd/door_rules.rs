//! Rules of doors: nobody swings between a door and a detour; one-way doors; doors of teams.
//!
//! Method: two rooms joined by a door and, if the level says so, by a passage that is always open.

use glam::Vec3;
use walkon_runtime::base::ids::{CharacterId, DoorId};
use walkon_runtime::base::rng::Rng;
use walkon_runtime::nav::{PathFailure, Reach};
use walkon_runtime::world::door::{DoorAim, DoorPolicy, WhenOccupied};
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::characters::teleport;
use walkon_runtime::world::ops::doors::{self, DoorOrder, DoorSpeed};
use walkon_runtime::world::ops::walks::{WalkOrder, walk_to};
use walkon_runtime::world::owner::Owner;
use walkon_runtime::world::walk::{Phase, WalkPace};

use crate::fixture::{Stage, TWO_ROOMS, options, send};

const PASSAGE: &str = r#"{ "name": "passage", "polygon": [[10,0],[11,0],[11,2],[10,2]] },"#;

/// Two rooms; `gate` between them with these further keys, open; with or without a passage beside it.
fn rooms(passage: &str, gate: &str, hero: &str) -> Stage {
    Stage::of(&format!(
        r#"{{
  "navigation": {{ "agentRadius": 0.35, "objectPadding": 0.0,
    "areas": [
      {{ "name": "left", "polygon": [[0,0],[10,0],[10,10],[0,10]] }}, {passage}
      {{ "name": "doorway", "polygon": [[10,4],[11,4],[11,6],[10,6]] }},
      {{ "name": "right", "polygon": [[11,0],[21,0],[21,10],[11,10]] }}
    ] }},
  "doors": [ {{ "name": "gate", "area": "doorway", "open": true, "seconds": 0.2 {gate} }} ],
  "characters": [
    {{ "name": "hero", "position": [2, 5] {hero} }},
    {{ "name": "bait", "position": [18, 8] }}
  ]
}}"#
    ))
}

/// Runs until the hero's walk settles; whether it stood in the doorway on the way.
fn passes_the_door(stage: &mut Stage, ends: usize) -> bool {
    let mut passed = false;
    for _ in 0..3000 {
        if stage.ends.len() >= ends {
            break;
        }
        stage.tick();
        let at = stage.position();
        passed |= at.x > 10.2 && at.x < 10.8 && at.z > 3.0;
    }
    passed
}

fn settled(stage: &Stage, walk: usize) -> serde_json::Value {
    stage.facts("walkSettled")[walk].clone()
}

/// What the map says to the hero's walk, by labels.
fn reach(stage: &mut Stage, x: f32, z: f32) -> Reach {
    let walk = stage.walk(x, z, |_| {});
    let world = stage.world();
    let by = world.traversal_of(world.walk(walk).unwrap());
    let found = world.nav().reach(stage.position(), Vec3::new(x, 0.0, z), &by);
    stage.tick();
    found
}

#[test]
fn a_door_that_toggles_every_second_does_not_make_a_walker_swing() {
    for policy in [DoorPolicy::Avoid, DoorPolicy::Open, DoorPolicy::Wait] {
        let mut stage = rooms(PASSAGE, "", "");
        stage.walk(18.0, 5.0, |options| options.doors = Some(policy));
        for tick in 1..3000 {
            if !stage.ends.is_empty() {
                break;
            }
            if tick % 60 == 0 {
                let gate = stage.gate();
                doors::toggle(stage.game.world_mut(), gate, &DoorOrder::default());
            }
            stage.tick();
        }
        assert_eq!(stage.ends, ["arrived/reached"], "{policy:?}");
        let repaths = settled(&stage, 0)["repaths"].as_u64().unwrap();
        assert!(repaths < 5, "{policy:?}: {repaths} new plans");
    }
}

#[test]
fn a_door_that_pushes_a_walker_back_over_and_over_ends_the_walk() {
    for period in [30, 54, 70] {
        let mut stage = rooms("", "", "");
        stage.walk(18.0, 5.0, |options| options.doors = Some(DoorPolicy::Wait));
        for tick in 0..7200 {
            let gate = stage.gate();
            let (world, slam) = (stage.game.world_mut(), WhenOccupied::Push);
            match tick % period {
                0 => _ = doors::open(world, gate, &DoorOrder::default()),
                18 => {
                    _ = doors::close(world, gate, &DoorOrder { when_occupied: slam, ..DoorOrder::default() })
                }
                _ => {}
            }
            stage.tick();
        }
        let ends = &stage.ends;
        assert!(ends.len() == 1 && ends[0] != "cancelled/levelEnd", "{period} ticks: {ends:?}");
    }
}

/// The bait steps back and forth, which makes the hero look for a way again and again, while the door
/// toggles.
fn chase(stage: &mut Stage, bait: CharacterId) {
    let order = WalkOrder {
        character: stage.hero(),
        goal: Goal::Character(bait),
        options: options(),
        owner: Owner::HOST,
    };
    walk_to(stage.game.world_mut(), order).unwrap();
    for tick in 1..3000_u32 {
        if !stage.ends.is_empty() {
            break;
        }
        if tick % 60 == 0 {
            let gate = stage.gate();
            doors::toggle(stage.game.world_mut(), gate, &DoorOrder::default());
        }
        if tick % 30 == 0 {
            let z = if tick % 60 == 0 { 5.0 } else { 3.5 };
            teleport(stage.game.world_mut(), bait, Vec3::new(18.0, 0.0, z), None).unwrap();
        }
        stage.tick();
    }
}

#[test]
fn who_made_a_plan_for_a_door_leaves_it_only_for_one_a_fifth_cheaper() {
    let mut stage = rooms(PASSAGE, "", "");
    let hero = stage.hero();
    teleport(stage.game.world_mut(), hero, Vec3::new(2.0, 0.0, 4.0), None).unwrap();
    let bait = stage.world().find_character("bait").unwrap();
    chase(&mut stage, bait);
    assert_eq!(stage.ends, ["arrived/reached"]);
    let told = stage.facts("replanned");
    let first = told.iter().position(|fact| fact["why"] == "door").expect("the door closes on its way");
    let later = told.len() - first - 1;
    assert!(later < 5, "the plan for the door is kept: {later} plans after it, {told:#?}");
    let travelled = settled(&stage, 0)["travelled"].as_f64().unwrap_or(0.0);
    assert!(travelled < 20.0, "{travelled} m");
}

#[test]
fn a_door_of_a_team_is_a_wall_for_strangers_however_it_stands() {
    let mut member = rooms(PASSAGE, r#", "teams": ["watch", "staff"]"#, r#", "tags": ["watch"]"#);
    member.walk(18.0, 5.0, |_| {});
    assert!(passes_the_door(&mut member, 1));
    assert_eq!(member.ends, ["arrived/reached"]);

    let mut stranger = rooms(PASSAGE, r#", "teams": ["watch"]"#, r#", "tags": ["guest"]"#);
    assert_eq!(reach(&mut stranger, 18.0, 5.0), Reach::Yes, "there is a detour");
    assert!(!passes_the_door(&mut stranger, 1), "and that is taken");
    assert_eq!(stranger.ends, ["arrived/reached"]);

    for policy in [DoorPolicy::Avoid, DoorPolicy::Open, DoorPolicy::Wait] {
        let mut shut_out = rooms("", r#", "teams": ["watch"]"#, "");
        shut_out.walk(18.0, 5.0, |options| options.doors = Some(policy));
        assert!(!passes_the_door(&mut shut_out, 1));
        assert_eq!(shut_out.ends, ["partial/nearest"], "{policy:?}");
        assert_eq!(settled(&shut_out, 0)["by"], "gate", "{policy:?}");
        assert!(matches!(reach(&mut shut_out, 18.0, 5.0), Reach::No(PathFailure::Area(_))), "{policy:?}");
    }
}

#[test]
fn a_member_opens_the_door_of_its_team_and_closing_it_keeps_everybody_out() {
    let mut stage = rooms("", r#", "teams": ["watch"]"#, r#", "tags": ["watch"]"#);
    let gate = stage.gate();
    doors::close(stage.game.world_mut(), gate, &DoorOrder::default());
    stage.ticks(60);
    stage.walk(18.0, 5.0, |_| {});
    stage.until_settled(1, 3000);
    stage.walk(18.0, 5.0, |options| options.doors = Some(DoorPolicy::Open));
    stage.until_settled(2, 3000);
    assert_eq!(stage.ends, ["partial/nearest", "arrived/reached"]);
}

#[test]
fn a_one_way_door_lets_through_in_its_direction_only() {
    let mut stage = rooms(PASSAGE, r#", "oneWay": [2, 0.5]"#, "");
    stage.walk(18.0, 5.0, |_| {});
    assert!(passes_the_door(&mut stage, 1), "there by the door");
    stage.walk(2.0, 5.0, |_| {});
    assert!(!passes_the_door(&mut stage, 2), "back by the passage");
    assert_eq!(stage.ends, ["arrived/reached", "arrived/reached"]);
}

#[test]
fn behind_a_one_way_door_without_a_detour_there_is_no_way_back() {
    for policy in [DoorPolicy::Avoid, DoorPolicy::Open] {
        let mut stage = rooms("", r#", "oneWay": [1, 0]"#, "");
        assert_eq!(reach(&mut stage, 18.0, 5.0), Reach::Yes);
        assert!(passes_the_door(&mut stage, 1));
        stage.walk(2.0, 5.0, |options| options.doors = Some(policy));
        assert!(!passes_the_door(&mut stage, 2));
        assert_eq!(stage.ends, ["arrived/reached", "partial/nearest"], "{policy:?}");
        assert_eq!(settled(&stage, 1)["by"], "gate");
        assert!(matches!(reach(&mut stage, 2.0, 5.0), Reach::No(PathFailure::Area(_))));
    }
}

#[test]
fn a_host_that_asks_for_a_way_hears_of_the_direction_of_a_door() {
    let mut stage = rooms("", r#", "oneWay": [1, 0]"#, "");
    let (left, right) = ([2.0, 0.0, 5.0], [18.0, 0.0, 5.0]);
    assert_eq!(stage.game.find_path(left, right, 0.35).trouble, None);
    let back = stage.game.find_path(right, left, 0.35);
    assert!(matches!(back.trouble, Some(PathFailure::Area(_))), "{:?}", back.trouble);
}

#[test]
fn two_one_way_doors_make_a_round() {
    let json = r#"{
  "navigation": { "agentRadius": 0.35, "objectPadding": 0.0,
    "areas": [
      { "name": "left", "polygon": [[0,0],[10,0],[10,10],[0,10]] },
      { "name": "out", "polygon": [[10,7],[11,7],[11,9],[10,9]] },
      { "name": "doorway", "polygon": [[10,1],[11,1],[11,3],[10,3]] },
      { "name": "right", "polygon": [[11,0],[21,0],[21,10],[11,10]] }
    ] },
  "doors": [
    { "name": "gate", "area": "doorway", "open": true, "oneWay": [-1, 0] },
    { "name": "exit", "area": "out", "open": true, "oneWay": [1, 0] }
  ],
  "characters": [ { "name": "hero", "position": [5, 2] } ]
}"#;
    let mut stage = Stage::of(json);
    stage.walk(16.0, 2.0, |_| {});
    stage.until_settled(1, 3000);
    let there = settled(&stage, 0)["travelled"].as_f64().unwrap();
    assert!(there > 14.0, "round by the other door: {there} m");
    stage.walk(5.0, 2.0, |_| {});
    stage.until_settled(2, 3000);
    let back = settled(&stage, 1)["travelled"].as_f64().unwrap();
    assert!(back < 12.0, "straight back: {back} m");
    assert_eq!(stage.ends, ["arrived/reached", "arrived/reached"]);
}

#[test]
fn rules_of_doors_are_state() {
    let hash = |gate: &str| rooms("", gate, "").game.fingerprint().doors;
    let hashes =
        [hash(""), hash(r#", "oneWay": [1, 0]"#), hash(r#", "oneWay": [0, 1]"#), hash(r#", "teams": ["a"]"#)];
    for (at, one) in hashes.iter().enumerate() {
        assert!(!hashes[..at].contains(one), "{at}");
    }
}

#[test]
fn fault_g9_a_door_never_closes_on_somebody_at_the_very_edge_of_it() {
    // The first cells of the doorway have their middle on its edge, which single precision puts outside.
    let mut stage = Stage::of(
        r#"{ "navigation": { "agentRadius": 0.35, "areas": [
          { "name": "left", "polygon": [[0,0],[19.2,0],[19.2,19.2],[0,19.2]] },
          { "name": "doorway", "polygon": [[19.2,7.6],[20,7.6],[20,11.6],[19.2,11.6]] },
          { "name": "right", "polygon": [[20,0],[39.2,0],[39.2,19.2],[20,19.2]] } ] },
        "doors": [ { "name": "gate", "area": "doorway", "open": true, "seconds": 0.2 } ],
        "characters": [ { "name": "hero", "position": [2, 5] } ] }"#,
    );
    let (hero, gate) = (stage.hero(), stage.gate());
    for step in 0..40 {
        let z = 7.3 + step as f32 * 0.0125;
        teleport(stage.game.world_mut(), hero, Vec3::new(19.6, 0.0, z), None).unwrap();
        let place = stage.position();
        doors::close(stage.game.world_mut(), gate, &DoorOrder::default());
        stage.ticks(30);
        let is_ground = stage.world().nav().is_walkable(place, &walkon_runtime::nav::Traversal::default());
        assert!(is_ground, "{place} is shut in");
        doors::open(stage.game.world_mut(), gate, &DoorOrder::default());
        stage.ticks(30);
    }
}

/// Goal: doors mean the same on every kind of map. Method: a corridor of three metres with a door in its
/// middle, as areas, cells and a graph.
#[test]
fn one_way_doors_and_those_of_teams_are_kept_to_on_every_kind_of_map() {
    let areas = r#""areas": [
        { "name": "left", "polygon": [[0,0],[2,0],[2,2],[0,2]] },
        { "name": "doorway", "polygon": [[2,0],[4,0],[4,2],[2,2]] },
        { "name": "right", "polygon": [[4,0],[6,0],[6,2],[4,2]] } ]"#;
    let points = r#""points": [[0.5,0,1],[1.5,0,1],[2.5,0,1],[3.5,0,1],[4.5,0,1],[5.5,0,1]],
        "links": [[0,1],[1,2],[2,3],[3,4],[4,5]],
        "areas": [{ "name": "doorway", "polygon": [[2,0],[4,0],[4,2],[2,2]] }]"#;
    let maps = [
        format!(r#""kind": "grid", {areas}"#),
        format!(r#""kind": "mesh", {areas}"#),
        format!(r#""kind": "graph", "agentRadius": 0.3, {points}"#),
    ];
    for map in &maps {
        let stage = |door: &str| {
            Stage::of(&format!(
                r#"{{ "navigation": {{ {map} }},
                "doors": [{{ "name": "gate", "area": "doorway", "open": true, {door} }}],
                "characters": [{{ "name": "hero", "position": [5.5, 1], "radius": 0.3 }}] }}"#
            ))
        };
        for (door, end) in [
            (r#""oneWay": [-1, 0]"#, "arrived/reached"),
            (r#""oneWay": [1, 0]"#, "partial/nearest"),
            (r#""teams": ["watch"]"#, "partial/nearest"),
        ] {
            let mut stage = stage(door);
            let can = reach(&mut stage, 0.5, 1.0);
            stage.until_settled(1, 1200);
            assert_eq!(stage.ends, [end], "{door} on {map}");
            assert_eq!(can == Reach::Yes, end == "arrived/reached", "{door} on {map}: {can:?}");
            if end == "partial/nearest" {
                assert_eq!(settled(&stage, 0)["by"], "gate", "{door} on {map}");
                assert!(stage.position().x > 2.5, "{door} on {map}: {}", stage.position());
            }
        }
    }
}

/// A character at the dead end of a link whose only way leads through a door that is shut to it stays there.
#[test]
fn from_a_dead_end_nobody_walks_through_a_door_that_is_shut_to_them() {
    let mut stage = Stage::of(
        r#"{ "navigation": { "kind": "graph", "agentRadius": 0.3,
            "points": [[0,0,1],[3,0,1],[6,0,1]], "links": [[0,1],[1,2]],
            "areas": [{ "name": "doorway", "polygon": [[4,0],[5,0],[5,2],[4,2]] }] },
        "doors": [{ "name": "gate", "area": "doorway", "open": true, "teams": ["watch"] }],
        "characters": [{ "name": "hero", "position": [6, 1], "radius": 0.3 }] }"#,
    );
    stage.walk(0.0, 1.0, |_| {});
    stage.until_settled(1, 1200);
    assert!(stage.position().x > 5.0, "{} {:?}", stage.position(), stage.ends);
}

#[test]
fn a_door_that_closes_before_a_fast_walker_is_opened_or_waited_for() {
    for speed_mps in [3.0, 4.0, 5.0, 6.0] {
        for (policy, end) in [(DoorPolicy::Open, "arrived/reached"), (DoorPolicy::Wait, "blocked/doorClosed")]
        {
            let mut stage = Stage::of(TWO_ROOMS);
            stage.walk(18.3, 2.7, |options| {
                options.doors = Some(policy);
                options.pace = WalkPace::Speed(speed_mps);
            });
            stage.ticks(24);
            let gate = stage.gate();
            doors::close(stage.game.world_mut(), gate, &DoorOrder::default());
            assert_eq!(stage.until_settled(1, 1200), [end], "{policy:?} at {speed_mps} m/s");
            let by = &stage.facts("walkSettled")[0]["by"];
            assert_eq!(by.is_null(), policy == DoorPolicy::Open, "{by}");
        }
    }
}

#[test]
fn a_walker_that_has_waited_long_for_a_slow_door_takes_a_way_that_opens_meanwhile() {
    let mut stage = Stage::of(
        r#"{ "navigation": { "agentRadius": 0.35, "objectPadding": 0.0,
    "areas": [
      { "name": "left", "polygon": [[0,0],[10,0],[10,10],[0,10]] },
      { "name": "passage", "polygon": [[10,0],[11,0],[11,2],[10,2]] },
      { "name": "doorway", "polygon": [[10,4],[11,4],[11,6],[10,6]] },
      { "name": "right", "polygon": [[11,0],[21,0],[21,10],[11,10]] }
    ] },
  "doors": [
    { "name": "gate", "area": "doorway", "seconds": 4 },
    { "name": "near", "area": "passage", "seconds": 60 }
  ],
  "characters": [ { "name": "hero", "position": [9, 3] } ] }"#,
    );
    stage.walk(12.0, 0.5, |options| options.doors = Some(DoorPolicy::Wait));
    stage.ticks(12);
    let (gate, near) = (stage.gate(), stage.world().find_door("near").unwrap());
    doors::open(stage.game.world_mut(), gate, &DoorOrder::default());
    stage.ticks(236);
    assert!(stage.ends.is_empty(), "patience does not count while the door opens");
    doors::set(stage.game.world_mut(), near, DoorAim::Open, DoorSpeed::Instant);
    assert_eq!(stage.until_settled(1, 1200), ["arrived/reached"]);
}

#[test]
fn a_walker_waits_at_no_door_that_is_open() {
    for late in 0..4 {
        let mut stage = rooms("", "", "");
        let toggle = |stage: &mut Stage| {
            doors::toggle(stage.game.world_mut(), DoorId(0), &DoorOrder::default());
        };
        toggle(&mut stage);
        stage.ticks(60);
        let walk = stage.walk(18.0, 5.0, |options| {
            options.doors = Some(DoorPolicy::Wait);
            options.patience_ticks = 6000;
        });
        stage.ticks(600 + late);
        let waits = |stage: &Stage| {
            stage.world().walk(walk).is_some_and(|walk| walk.phase == Phase::AtDoor(DoorId(0)))
        };
        assert!(waits(&stage), "{late}: it waits");
        toggle(&mut stage);
        for tick in 0..60 {
            stage.tick();
            let is_open = stage.world().doors()[0].is_passable();
            assert!(!(waits(&stage) && is_open), "{late}: after {tick} ticks");
        }
        assert!(!waits(&stage), "{late}: it goes on");
    }
}

/// A character that stands in a door of others, with rooms on both sides of it, and behind a wall of 0.15 m a
/// third that nothing joins.
#[test]
fn inv_n2_who_leaves_ground_that_is_not_its_own_goes_through_no_wall() {
    let mut rng = Rng::stream(5, "ways out");
    let mut arrived = 0;
    for case in 0..48 {
        let kind = if case % 2 == 0 { r#""kind": "grid", "cellSize": 0.1"# } else { r#""kind": "mesh""# };
        let (x, z) = (rng.float(7.0, 8.0), rng.float(3.2, 4.15));
        let goal = [[2.0, 1.0], [13.0, 3.5], [5.5, 3.9], [8.0, 6.0]][rng.below(4) as usize];
        let facing = rng.below(360);
        let others: Vec<String> = (0..rng.below(4))
            .map(|at| {
                let (x, z) = (5.5 - 0.8 * at as f64, rng.float(1.0, 4.0));
                format!(r#",{{ "name": "b{at}", "position": [{x}, {z}], "tags": ["blue"] }}"#)
            })
            .collect();
        let level = format!(
            r#"{{
  "navigation": {{ {kind}, "agentRadius": 0.35, "objectPadding": 0,
    "areas": [
      {{ "name": "west", "polygon": [[0,0],[6,0],[6,4.2],[0,4.2]] }},
      {{ "name": "way", "polygon": [[6,1.8],[9,1.8],[9,4.2],[6,4.2]] }},
      {{ "name": "east", "polygon": [[9,0],[15,0],[15,4.2],[9,4.2]] }},
      {{ "name": "cell", "polygon": [[4,4.35],[11,4.35],[11,7],[4,7]] }}
    ] }},
  "doors": [ {{ "name": "gate", "area": "way", "open": true, "teams": ["blue"] }} ],
  "characters": [ {{ "name": "hero", "position": [{x}, {z}], "facingDegrees": {facing} }} {} ]
}}"#,
            others.concat()
        );
        let mut stage = Stage::of(&level);
        for at in 0..others.len() {
            let who = stage.world().find_character(&format!("b{at}")).expect("there");
            send(&mut stage, who, Goal::Point(Vec3::new(11.0, 0.0, 3.5)), |_| {});
        }
        stage.walk(goal[0] as f32, goal[1] as f32, |_| {});
        for _ in 0..1200 {
            stage.tick();
            let at = stage.position();
            assert!(at.z <= 4.2 + 1e-3, "case {case}: to {goal:?} it came to {at}: {level}");
        }
        arrived += usize::from(settled(&stage, 0)["status"] == "arrived");
    }
    assert!(arrived >= 20, "{arrived} of 48 arrived, a quarter cannot");
}

/// Two rooms with a closed door between them, a mesh turned about the origin, and the places of a start and
/// of a goal on it.
fn turned_rooms(turn_rad: f64, gate_m: f64, padding_m: f64) -> (String, impl Fn([f64; 2]) -> [f64; 2]) {
    let (sin, cos) = turn_rad.sin_cos();
    let turned = move |[x, z]: [f64; 2]| [x * cos - z * sin, x * sin + z * cos];
    let area = |name: &str, [left, near]: [f64; 2], [right, far]: [f64; 2]| {
        let corners = [[left, near], [right, near], [right, far], [left, far]].map(turned);
        format!(r#"{{ "name": "{name}", "polygon": {corners:?} }}"#)
    };
    let areas = [
        area("left", [0.0, 0.0], [12.0, 14.0]),
        area("gateway", [12.0, 7.0 - gate_m / 2.0], [13.2, 7.0 + gate_m / 2.0]),
        area("right", [13.2, 0.0], [25.2, 14.0]),
    ];
    let navigation = format!(
        r#"{{ "kind": "mesh", "agentRadius": 0.2, "boundaryPadding": {padding_m}, "areas": [{}] }}"#,
        areas.join(",")
    );
    (navigation, turned)
}

#[test]
fn a_wide_body_comes_to_a_closed_door_however_far_it_is_kept_off_walls() {
    for (nth, radius_m) in [0.2, 0.45, 0.6, 0.85, 1.2].into_iter().enumerate() {
        for padding_m in [0.0, 0.3] {
            for turn in 0..6 {
                let turn_rad = 0.29 * f64::from(turn) + 0.1 * nth as f64;
                let (navigation, turned) =
                    turned_rooms(turn_rad, 2.0 * (radius_m + padding_m) + 0.5, padding_m);
                let (start, goal) = (turned([4.0, 3.0 + f64::from(turn)]), turned([21.0, 9.0]));
                let person = format!(r#"{{ "name": "anna", "position": {start:?}, "radius": {radius_m} }}"#);
                let walk = |options: &str| {
                    let script = format!(
                        "function onStart()\n\
                        world.character('anna'):walkTo(vector.create({}, 0, {}), {{ {options}, \
                        onSettled = function(result) log.info('%s/%s %s', result.status, result.reason, \
                        if result.by then result.by.name else '') log.info('done') end }})\nend",
                        goal[0], goal[1]
                    );
                    super::beside_goals::said(&navigation, &person, &script, 2400)
                };
                let case = format!("radius {radius_m}, padding {padding_m}, turn {turn_rad}");
                assert_eq!(walk("doors = 'open'"), ["arrived/reached ", "done"], "{case}");
                let waits = walk("doors = 'wait', patience = 2");
                assert_eq!(waits, ["blocked/doorClosed gate", "done"], "{case}");
            }
        }
    }
}

#[test]
fn of_several_closed_doors_the_one_on_the_shortest_way_is_named() {
    let room = |name: &str, left: f64, right: f64| {
        format!(
            r#"{{ "name": "{name}", "polygon": [[{left}, 0], [{right}, 0], [{right}, 24], [{left}, 24]] }}"#
        )
    };
    let gates = [2, 11, 20].map(|near| {
        let far = near + 2;
        format!(
            r#"{{ "name": "gate{near}", "polygon": [[8, {near}], [10, {near}], [10, {far}], [8, {far}]] }}"#
        )
    });
    let areas = [room("west", 0.0, 8.0), gates.join(","), room("east", 10.0, 18.0)].join(",");
    for kind in ["grid", "mesh"] {
        for (z, gate) in
            [(3.0, "gate2"), (12.0, "gate11"), (21.0, "gate20"), (8.5, "gate11"), (17.0, "gate20")]
        {
            for [from, to] in [[5.0, 13.0], [13.0, 5.0]] {
                let doors =
                    [2, 11, 20].map(|near| format!(r#"{{ "name": "gate{near}", "area": "gate{near}" }}"#));
                let mut stage = Stage::of(&format!(
                    r#"{{ "navigation": {{ "kind": "{kind}", "areas": [{areas}] }}, "doors": [{}],
                    "characters": [{{ "name": "hero", "position": [{from}, {z}] }},
                    {{ "name": "bait", "position": [1, 1] }}] }}"#,
                    doors.join(",")
                ));
                stage.walk(to, z, |options| options.doors = Some(DoorPolicy::Avoid));
                for _ in 0..1200 {
                    if stage.ends.is_empty() {
                        stage.tick();
                    }
                }
                let end = settled(&stage, 0);
                assert_eq!(end["by"], gate, "{kind}: from {from}, {z} to {to}: {end}");
            }
        }
    }
}
