//! Ground that goes away, comes back or changes its cost while people stand and walk on it.
//!
//! Goal: a character that loses the ground below walks out by the shortest way and goes on; a character that
//! could walk a better way than before finds it. Method: one place, two halls joined by a near bridge and a
//! far one, as every kind of map; every way of changing the bridge; a character that stands on it, or walks.
//! All is judged by where bodies get to, not by plans.

use glam::Vec3;
use walkon_runtime::base::geom::flat_distance;
use walkon_runtime::base::ids::WalkId;
use walkon_runtime::nav::Traversal;
use walkon_runtime::world::area::Availability;
use walkon_runtime::world::door::{DoorAim, DoorPolicy};
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::doors::{self, DoorSpeed};
use walkon_runtime::world::ops::tiles::{self, TileChange};
use walkon_runtime::world::ops::{areas, blocks, characters, graph};
use walkon_runtime::world::owner::Owner;
use walkon_runtime::world::tiles::TileSpot;

use crate::fixture::{Stage, ground, put, send};

fn at(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

/// Two halls of 8 x 24 m, a near bridge of 4 x 4 m between them and a far one 16 m to the north. A rock that
/// covers the near bridge is not there at first, and a door makes half of it.
fn halls(kind: &str) -> String {
    format!(
        r#"{{ "navigation": {{ "kind": "{kind}", "agentRadius": 0.3, "objectPadding": 0.0,
          "areas": [
            {{ "name": "west", "polygon": [[0,0],[8,0],[8,24],[0,24]] }},
            {{ "name": "bridge", "polygon": [[8,2],[10,2],[10,6],[8,6]] }},
            {{ "name": "doorway", "polygon": [[10,2],[12,2],[12,6],[10,6]] }},
            {{ "name": "far", "polygon": [[8,18],[12,18],[12,22],[8,22]] }},
            {{ "name": "east", "polygon": [[12,0],[20,0],[20,24],[12,24]] }} ],
          "obstacles": [
            {{ "name": "rock", "available": false, "polygon": [[8,2],[12,2],[12,6],[8,6]] }} ] }},
          "doors": [ {{ "name": "gate", "area": "doorway", "open": true, "seconds": 0.5 }} ],
          "characters": [ {{ "name": "hero", "position": [4, 4] }} ] }}"#
    )
}

/// The same of tiles of one metre, without a door.
fn tiled() -> String {
    let row = |z: u32| {
        let is_bridge = (2..6).contains(&z) || (18..22).contains(&z);
        format!("\"........{}........\"", if is_bridge { "...." } else { "####" })
    };
    let rows: Vec<String> = (0..24).map(row).collect();
    format!(
        r#"{{ "navigation": {{ "kind": "tiles", "layers": [ {{ "name": "ground", "rows": [{}] }} ] }},
        "characters": [ {{ "name": "hero", "position": [4, 4] }} ] }}"#,
        rows.join(",")
    )
}

/// The same as a ring of links: two points on the near bridge, two on the far one.
const RING: &str = r#"{ "navigation": { "kind": "graph", "width": 0.4, "agentRadius": 0.4,
    "points": [[4, 0, 4], [8, 0, 4], [12, 0, 4], [16, 0, 4], [4, 0, 20], [16, 0, 20]],
    "links": [[0, 1], [1, 2], [2, 3], [0, 4], [4, 5], [5, 3]],
    "areas": [ { "name": "bridge", "polygon": [[8.5,2],[11.5,2],[11.5,6],[8.5,6]] } ],
    "obstacles": [ { "name": "rock", "available": false, "polygon": [[8.5,2],[11.5,2],[11.5,6],[8.5,6]] } ] },
    "characters": [ { "name": "hero", "position": [4, 0, 4] } ] }"#;

/// How the near bridge goes away, and comes back.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Means {
    Area,
    Obstacle,
    Block,
    Tiles,
    Link,
    Door,
}

const KINDS: [(&str, &[Means]); 4] = [
    ("grid", &[Means::Area, Means::Obstacle, Means::Block, Means::Door]),
    ("mesh", &[Means::Area, Means::Obstacle, Means::Block, Means::Door]),
    ("tiles", &[Means::Tiles, Means::Block]),
    ("graph", &[Means::Obstacle, Means::Link, Means::Block]),
];

fn stage(kind: &str, tick_rate: u32) -> Stage {
    let level = match kind {
        "tiles" => tiled(),
        "graph" => RING.to_owned(),
        _ => halls(kind),
    };
    Stage::at_rate(&level, tick_rate)
}

/// Where the near bridge is closed by a block, and how wide that is.
const MIDDLE: Vec3 = Vec3::new(10.0, 0.0, 4.0);

/// Takes the near bridge away, or brings it back.
fn set(stage: &mut Stage, means: Means, is_there: bool) {
    let area = |stage: &Stage, name: &str| stage.world().find_area(name).unwrap();
    match means {
        Means::Area => {
            for name in ["bridge", "doorway"] {
                let id = area(stage, name);
                areas::set_available(stage.game.world_mut(), id, Availability::of(is_there)).unwrap();
            }
        }
        Means::Obstacle => {
            let id = area(stage, "rock");
            areas::set_available(stage.game.world_mut(), id, Availability::of(!is_there)).unwrap();
        }
        Means::Block if is_there => assert!(blocks::remove(stage.game.world_mut(), 1)),
        Means::Block => _ = blocks::add(stage.game.world_mut(), Owner::HOST, ground(MIDDLE), 2.6).unwrap(),
        Means::Tiles => {
            for (column, row) in (8..12).flat_map(|column| (2..6).map(move |row| (column, row))) {
                let change = TileChange { navigable: Some(is_there), ..TileChange::default() };
                let spot = TileSpot { layer: 0, column, row };
                assert!(tiles::set(stage.game.world_mut(), spot, change).unwrap());
            }
        }
        Means::Link => {
            let (from, to) = (at(8.0, 4.0), at(12.0, 4.0));
            let world = stage.game.world_mut();
            let is_done =
                if is_there { graph::link(world, from, to) } else { graph::unlink(world, from, to) };
            assert_eq!(is_done, Ok(true));
        }
        Means::Door => {
            let gate = stage.gate();
            doors::set(stage.game.world_mut(), gate, DoorAim::of(is_there), DoorSpeed::Instant);
        }
    }
}

fn is_on_ground(stage: &Stage) -> bool {
    let radius_m = stage.world().character(stage.hero()).unwrap().body.radius_m;
    stage.world().nav().is_walkable(stage.position(), &Traversal { radius_m, ..Traversal::default() })
}

/// How far the hero is from the place where it comes onto the ground, metres.
fn out_m(stage: &Stage) -> f32 {
    let radius_m = stage.world().character(stage.hero()).unwrap().body.radius_m;
    let by = Traversal { radius_m, ..Traversal::default() };
    flat_distance(stage.position(), stage.world().nav().start(stage.position(), &by).unwrap().point)
}

/// Runs until the hero has settled: metres walked, and seconds off the ground. Once back on it, it stays on
/// it.
fn walk_out(stage: &mut Stage, name: &str, tick_rate: u32) -> (f32, f32) {
    let (mut walked_m, mut off_ticks, mut was_on) = (0.0, 0, is_on_ground(stage));
    for _ in 0..60 * tick_rate {
        let before = stage.position();
        stage.tick();
        walked_m += flat_distance(before, stage.position());
        let is_on = is_on_ground(stage);
        assert!(is_on || !was_on, "{name}: it leaves the ground at {}", stage.position());
        was_on = is_on;
        off_ticks += u32::from(!is_on);
        if !stage.ends.is_empty() {
            break;
        }
    }
    (walked_m, off_ticks as f32 / tick_rate as f32)
}

/// A character that stands or walks on ground that goes away comes out by the shortest way, at its speed, and
/// goes on round to its goal.
#[test]
fn fault_g3_whoever_loses_the_ground_walks_out_and_goes_on_whatever_took_it() {
    for (kind, means) in KINDS {
        for &means in means.iter().filter(|means| **means != Means::Door) {
            for tick_rate in [30, 60, 120] {
                for walks in [false, true] {
                    let name = format!(
                        "{kind}, {means:?}, {tick_rate} Hz, {}",
                        if walks { "walks" } else { "stands" }
                    );
                    let mut stage = stage(kind, tick_rate);
                    let hero = stage.hero();
                    if walks {
                        stage.walk(16.0, 4.0, |_| {});
                        while stage.position().x < 9.2 {
                            stage.tick();
                        }
                    } else {
                        characters::teleport(stage.game.world_mut(), hero, at(9.3, 4.2), None).unwrap();
                        stage.ticks(5);
                    }
                    set(&mut stage, means, false);
                    stage.tick();
                    assert!(!is_on_ground(&stage), "{name}: the ground is gone");
                    let out_m = out_m(&stage);
                    if !walks {
                        stage.ticks(u64::from(tick_rate) / 2);
                        stage.walk(16.0, 4.0, |_| {});
                    }
                    let (walked_m, off_s) = walk_out(&mut stage, &name, tick_rate);
                    assert_eq!(stage.ends, ["arrived/reached"], "{name}");
                    // Out to the west and round over the far bridge: 4 + 16 + 12 + 16 m along a ring of links
                    // at most.
                    assert!(walked_m > 30.0 && walked_m < 52.0, "{name}: {walked_m} m");
                    // At 1.4 m/s, once it has turned right round; past the corners of cells it is a little
                    // slower.
                    let out_s = out_m / 1.4 + 2.5;
                    assert!(off_s < out_s, "{name}: {off_s} s off the ground for {out_m} m");
                }
            }
        }
    }
}

/// A character that is on its way the long way round takes the near bridge when that comes back; `m` metres
/// less would be no walk of a person who sees it.
#[test]
fn who_is_on_a_long_way_round_takes_a_short_one_that_opens() {
    for (kind, means) in KINDS {
        for &means in means {
            for seconds in [1, 4] {
                let name = format!("{kind}, {means:?}, after {seconds} s");
                let mut stage = stage(kind, 60);
                set(&mut stage, means, false);
                stage.ticks(5);
                let walk = stage.walk(16.0, 4.0, |options| options.doors = Some(DoorPolicy::Avoid));
                stage.ticks(60 * seconds);
                let there = stage.position();
                set(&mut stage, means, true);
                let (mut walked_m, mut before) = (0.0, stage.position());
                for _ in 0..3600 {
                    stage.tick();
                    walked_m += flat_distance(before, stage.position());
                    before = stage.position();
                    if !stage.ends.is_empty() {
                        break;
                    }
                }
                assert_eq!(stage.ends, ["arrived/reached"], "{name}");
                // Straight back, or along the links, and a metre for turning round and for the time until it
                // has looked.
                let best_m = flat_distance(there, at(8.0, 4.0)) + flat_distance(there, at(4.0, 4.0)) + 12.0;
                assert!(walked_m < best_m, "{name}: {walked_m} m, {best_m} m at most, from {there}");
                assert_eq!(repaths(&stage, walk), 1, "{name}");
            }
        }
    }
}

fn repaths(stage: &Stage, walk: WalkId) -> usize {
    let serial = stage.facts("walkStarted").len();
    assert!(serial > 0 || stage.world().walk(walk).is_some());
    stage.facts("replanned").len()
}

/// Mud across the whole hall but for a dry strip: a character that wades goes round when it becomes
/// expensive, and a character that goes round goes straight on when it becomes cheap.
#[test]
fn who_walks_where_it_becomes_dear_goes_round_and_back_when_it_becomes_cheap() {
    for kind in ["grid", "mesh"] {
        for (before, after, is_straight) in [(1.0, 20.0, false), (20.0, 1.0, true), (1.0, 1.02, true)] {
            let level = format!(
                r#"{{ "navigation": {{ "kind": "{kind}", "agentRadius": 0.3, "objectPadding": 0.0, "areas": [
                    {{ "name": "hall", "polygon": [[0,0],[30,0],[30,12],[0,12]] }},
                    {{ "name": "mud", "cost": {before}, "polygon": [[12,3],[18,3],[18,12],[12,12]] }} ] }},
                  "characters": [ {{ "name": "hero", "position": [2, 9] }} ] }}"#
            );
            let name = format!("{kind}: {before} to {after}");
            let mut stage = Stage::of(&level);
            stage.walk(28.0, 9.0, |_| {});
            stage.ticks(90);
            let mud = stage.world().find_area("mud").unwrap();
            areas::set_factor(stage.game.world_mut(), mud, after).unwrap();
            let mut waded_m = 0.0;
            while stage.ends.is_empty() && stage.world().tick().0 < 3600 {
                let was = stage.position();
                stage.tick();
                let is_in = stage.world().nav().holds(mud, stage.position());
                waded_m += if is_in { flat_distance(was, stage.position()) } else { 0.0 };
            }
            assert_eq!(stage.ends, ["arrived/reached"], "{name}");
            assert_eq!(waded_m > 5.0, is_straight, "{name}: {waded_m} m of mud");
            assert_eq!(stage.facts("replanned").len(), usize::from((after - before).abs() > 1.0), "{name}");
        }
    }
}

/// A door on the short way that opens and closes all the time: a character that was turned back a few times
/// goes the long way in the end.
#[test]
fn a_flapping_door_makes_nobody_dance() {
    for kind in ["grid", "mesh"] {
        for half_ticks in [20, 45, 90, 200] {
            let name = format!("{kind}, every {half_ticks} ticks");
            let mut stage = stage(kind, 60);
            stage.walk(16.0, 4.0, |options| options.doors = Some(DoorPolicy::Avoid));
            stage.ticks(20);
            // It would be through before the door is closed for the first time: it closes before it.
            let mut turns = 0;
            let mut heading = 0.0_f32;
            for tick in 0..7200 {
                let is_far = flat_distance(stage.position(), MIDDLE) > 2.2;
                if tick % half_ticks == 0 && is_far {
                    set(&mut stage, Means::Door, tick / half_ticks % 2 == 1);
                } else if !is_far {
                    set(&mut stage, Means::Door, false);
                }
                let before = stage.position();
                stage.tick();
                let moved_m = stage.position().z - before.z;
                if moved_m.abs() > 0.01 && moved_m * heading < 0.0 {
                    turns += 1;
                }
                if moved_m.abs() > 0.01 {
                    heading = moved_m;
                }
                if !stage.ends.is_empty() {
                    break;
                }
            }
            assert_eq!(stage.ends, ["arrived/reached"], "{name}: {turns} turns");
            assert!(turns <= 8, "{name}: {turns} turns");
            assert!(stage.world().tick().0 < 60 * 90, "{name}: it takes {}", stage.world().tick().0);
        }
    }
}

/// A crowd that goes the long way round: when the near bridge opens, all of them have looked within a bounded
/// time, and no tick spends more than the budget.
#[test]
fn a_crowd_looks_for_a_way_that_opened_a_few_at_a_time() {
    const COUNT: usize = 200;
    const BUDGET: u64 = 300;
    let mut stage = Stage::of(&halls("grid").replacen('{', &format!("{{ \"pathBudget\": {BUDGET},"), 1));
    set(&mut stage, Means::Obstacle, false);
    stage.tick();
    let walks: Vec<WalkId> = (0..COUNT)
        .map(|n| {
            let place = at(0.5 + (n % 14) as f32 * 0.5, 0.5 + (n / 14) as f32 * 0.6);
            let who = put(&mut stage, &format!("c{n}"), place);
            send(&mut stage, who, Goal::Point(at(19.0 - (n % 10) as f32 * 0.5, 3.0)), |_| {})
        })
        .collect();
    while walks.iter().any(|walk| stage.world().walk(*walk).is_some_and(|walk| walk.following.is_none())) {
        stage.tick();
        assert!(stage.world().tick().0 < 2000, "everybody gets a path");
    }
    set(&mut stage, Means::Obstacle, true);
    let before = stage.facts("replanned").len();
    let opened = stage.world().tick().0;
    let is_through = |stage: &Stage, walk: WalkId| {
        let following = stage.world().walk(walk).and_then(|walk| walk.following.as_ref());
        following.is_none_or(|way| way.path.points.iter().all(|point| point.z < 15.0))
    };
    let (mut spent, mut last) = (stage.world().path_counts().expansions, 0);
    while !walks.iter().all(|walk| is_through(&stage, *walk)) {
        stage.tick();
        let now = stage.world().path_counts().expansions;
        assert!(now - spent <= BUDGET, "{} in a tick", now - spent);
        (spent, last) = (now, stage.world().tick().0 - opened);
        assert!(last < 600, "not all have looked after {last} ticks");
    }
    assert!(stage.facts("replanned").len() >= before + COUNT / 2 && last > 2, "{last} ticks");
}
