//! Requests that live on over many ticks: what a walk holds while it is under way.
//!
//! Goal: rows N of the seeds, each sentence. Method: a hall full of pillars and a budget of a few expansions
//! a tick, so that searches take long; the same with a large budget says what they have to find.

use std::collections::BTreeMap;

use glam::Vec3;
use walkon_runtime::base::geom::flat_distance;
use walkon_runtime::base::ids::WalkId;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};
use walkon_runtime::world::area::Availability;
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::characters::teleport;
use walkon_runtime::world::ops::walk_changes::retarget;
use walkon_runtime::world::ops::walks::stop_in_place;
use walkon_runtime::world::ops::{areas, blocks};
use walkon_runtime::world::owner::Owner;
use walkon_runtime::world::walk::WalkPace;

use crate::fixture::{Stage, ground, points, put, send};

fn at(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

/// A hall of 40 x 40 m with long walls across it that leave gaps on alternating sides, and pillars; `strip`
/// beside it is expensive, so that searches look at cell after cell.
fn hall(budget: u32) -> Stage {
    hall_of(budget, 2.0)
}

fn hall_of(budget: u32, cost: f64) -> Stage {
    let mut obstacles = Vec::new();
    for row in 0..4 {
        let z = 8.0 * f64::from(row) + 7.0;
        let (from, to) = if row % 2 == 0 { (0.0, 34.0) } else { (6.0, 40.0) };
        obstacles.push(format!(
            r#"{{ "name": "wall{row}", "polygon": [[{from},{z}],[{to},{z}],[{to},{}],[{from},{}]] }}"#,
            z + 0.4,
            z + 0.4
        ));
    }
    for n in 0..24 {
        let (x, z) = (3.0 + 6.0 * f64::from(n % 6), 3.5 + 8.0 * f64::from(n / 6));
        obstacles.push(format!(
            r#"{{ "name": "pillar{n}", "polygon": [[{x},{z}],[{},{z}],[{},{}],[{x},{}]] }}"#,
            x + 1.0,
            x + 1.0,
            z + 1.0,
            z + 1.0
        ));
    }
    Stage::of(&format!(
        r#"{{ "pathBudget": {budget}, "navigation": {{ "agentRadius": 0.35, "objectPadding": 0.0,
          "areas": [
            {{ "name": "hall", "polygon": [[0,0],[40,0],[40,40],[0,40]] }},
            {{ "name": "strip", "cost": {cost}, "polygon": [[40,0],[44,0],[44,3],[40,3]] }} ],
          "obstacles": [ {} ] }},
        "characters": [ {{ "name": "hero", "position": [2, 2] }} ] }}"#,
        obstacles.join(",")
    ))
}

/// Ticks until a walk has a path, at most `most`; the path.
fn first_path(stage: &mut Stage, walk: WalkId, most: u64) -> (u64, Vec<Vec3>) {
    for tick in 1..=most {
        stage.tick();
        let points = points(stage, walk);
        if !points.is_empty() {
            return (tick, points);
        }
    }
    panic!("no path within {most} ticks");
}

fn expansions(stage: &Stage) -> u64 {
    stage.world().path_counts().expansions
}

const FAR: (f32, f32) = (2.0, 38.0);

#[test]
fn seed_n6_n7_any_budget_gives_the_same_path_only_later_and_is_kept_in_every_tick() {
    let (mut ticks_before, mut expected) = (0, None);
    for budget in [100_000, 1000, 100, 30] {
        let mut stage = hall(budget);
        let walk = stage.walk(FAR.0, FAR.1, |_| {});
        let mut spent = expansions(&stage);
        for _ in 0..3000 {
            if !points(&stage, walk).is_empty() {
                break;
            }
            assert_eq!(stage.position(), at(2.0, 2.0), "it stands until it has its path");
            stage.tick();
            assert!(expansions(&stage) - spent <= u64::from(budget), "seed:N6");
            spent = expansions(&stage);
        }
        let (tick, found) = (stage.world().tick().0, points(&stage, walk));
        assert_eq!(expected.get_or_insert(found.clone()), &found, "{budget} a tick");
        assert!(tick > ticks_before, "{budget} a tick: {tick} ticks, {ticks_before} with more");
        ticks_before = tick;
    }
}

#[test]
fn seed_n8_asking_costs_nothing_at_once() {
    let mut stage = hall(50);
    for n in 0..20 {
        put(&mut stage, &format!("c{n}"), at(1.0 + n as f32, 1.0));
    }
    let before = expansions(&stage);
    for n in 0..20 {
        let who = stage.world().find_character(&format!("c{n}")).unwrap();
        send(&mut stage, who, Goal::Point(at(FAR.0, FAR.1)), |_| {});
    }
    assert_eq!(expansions(&stage), before);
    stage.ticks(300);
    assert!(stage.world().path_counts().max_per_tick <= 50);
    assert!(expansions(&stage) > before + 1000, "the searches are long");
}

#[test]
fn seed_n1_a_request_that_is_taken_back_never_reaches_whoever_gets_its_number() {
    let mut stage = hall(20);
    let (hero, ben) = (stage.hero(), put(&mut stage, "ben", at(4.0, 2.0)));
    let first = stage.walk(FAR.0, FAR.1, |_| {});
    stage.ticks(3);
    assert!(stage.world().walk(first).unwrap().token.is_some());
    stop_in_place(stage.game.world_mut(), hero).unwrap();
    let second = send(&mut stage, ben, Goal::Point(at(12.0, 1.0)), |_| {});
    let (_, way) = first_path(&mut stage, second, 200);
    assert_eq!(way.last(), Some(&at(12.0, 1.0)));
    stage.ticks(900);
    assert_eq!(stage.position(), at(2.0, 2.0));
    assert_eq!(stage.ends, ["cancelled/stopped", "arrived/reached"]);
}

#[test]
fn seed_n2_another_goal_for_a_request_under_way_changes_its_result_and_nothing_else() {
    let run = |changes: bool| {
        let mut stage = hall(60);
        let ben = put(&mut stage, "ben", at(4.0, 2.0));
        let (one, other) =
            (stage.walk(FAR.0, FAR.1, |_| {}), send(&mut stage, ben, Goal::Point(at(30.0, 38.0)), |_| {}));
        stage.ticks(5);
        assert!(stage.world().walk(one).unwrap().token.is_some());
        if changes {
            retarget(stage.game.world_mut(), one, Goal::Point(at(38.0, 5.0))).unwrap();
        }
        for _ in 0..900 {
            stage.tick();
            if !points(&stage, one).is_empty() && !points(&stage, other).is_empty() {
                break;
            }
        }
        (points(&stage, one), points(&stage, other))
    };
    let (plain, changed) = (run(false), run(true));
    assert_eq!(plain.0.last(), Some(&at(FAR.0, FAR.1)));
    assert_eq!(changed.0.last(), Some(&at(38.0, 5.0)));
    assert_eq!(plain.1, changed.1);
}

#[test]
fn seed_n4_n7_the_old_path_is_walked_until_the_new_one_is_there_and_never_back() {
    let mut stage = hall(20);
    let walk = stage.walk(38.0, 2.0, |_| {});
    let (_, _) = first_path(&mut stage, walk, 2000);
    stage.ticks(60);
    retarget(stage.game.world_mut(), walk, Goal::Point(at(38.0, 11.0))).unwrap();
    let (mut waited, mut before) = (0, stage.position());
    for _ in 0..600 {
        stage.tick();
        let place = stage.position();
        assert!(flat_distance(place, before) > 0.01, "it does not stand for a tick");
        waited += u32::from(stage.world().walk(walk).unwrap().token.is_some());
        if place.x > 30.0 {
            break;
        }
        assert!(place.x > before.x - 0.02, "back towards where it set out: {before} to {place}");
        before = place;
    }
    assert!(waited >= 30, "the search took {waited} ticks");
    assert_eq!(stage.until_settled(1, 3000), ["arrived/reached"]);
    assert!(flat_distance(stage.position(), at(38.0, 11.0)) <= 0.05);
}

#[test]
fn seed_n5_o16_a_quiet_level_searches_nothing() {
    let mut stage = hall(2000);
    let walk = stage.walk(FAR.0, FAR.1, |_| {});
    first_path(&mut stage, walk, 100);
    let before = expansions(&stage);
    for _ in 0..300 {
        stage.tick();
        assert_eq!(expansions(&stage), before);
    }
    assert_eq!(stage.world().path_counts().requests, 1);
}

#[test]
fn seed_n5_a_wall_put_up_ahead_changes_the_path_as_soon_as_the_budget_allows() {
    for (budget, most) in [(20_000, 1), (40, 250)] {
        let mut stage = hall(budget);
        let walk = stage.walk(30.0, 2.0, |_| {});
        let (_, way) = first_path(&mut stage, walk, 2000);
        stage.ticks(30);
        blocks::add(stage.game.world_mut(), Owner::HOST, ground(at(15.0, 2.0)), 1.0).unwrap();
        let mut ticks = 0;
        while points(&stage, walk).last().is_some() && points(&stage, walk) == way && ticks < 300 {
            stage.tick();
            ticks += 1;
        }
        assert!((1..=most).contains(&ticks), "{budget} a tick: {ticks} ticks");
        assert_eq!(stage.until_settled(1, 3000), ["arrived/reached"], "{budget} a tick");
    }
}

#[test]
fn seed_n5_fault_g25_whatever_the_tick_a_request_is_taken_back_nothing_arrives_afterwards() {
    let mut stage = hall(20);
    let walk = stage.walk(FAR.0, FAR.1, |_| {});
    let (needed, _) = first_path(&mut stage, walk, 2000);
    for tick in (0..needed).step_by(needed as usize / 12) {
        let mut stage = hall(20);
        let walk = stage.walk(FAR.0, FAR.1, |_| {});
        stage.ticks(tick);
        let hero = stage.hero();
        stop_in_place(stage.game.world_mut(), hero).unwrap();
        let spent = expansions(&stage);
        stage.ticks(needed);
        assert!(points(&stage, walk).is_empty() && stage.position() == at(2.0, 2.0), "after {tick} ticks");
        assert_eq!(stage.ends, ["cancelled/stopped"], "after {tick} ticks");
        // What the last turn overran is charged to the next tick.
        assert!(expansions(&stage) - spent <= 64, "after {tick} ticks");
    }
}

#[test]
fn seed_n7_a_wall_that_comes_while_a_search_is_paused_is_never_walked_into() {
    let mut stage = hall(200);
    let walk = stage.walk(FAR.0, FAR.1, |_| {});
    stage.ticks(8);
    assert!(stage.world().walk(walk).unwrap().token.is_some());
    // Over most of the gap that every way leads through.
    blocks::add(stage.game.world_mut(), Owner::HOST, ground(at(35.2, 7.2)), 1.2).unwrap();
    for _ in 0..9000 {
        stage.tick();
        let place = stage.position();
        assert!(flat_distance(place, at(35.2, 7.2)) > 1.0, "{place}");
        if !stage.ends.is_empty() {
            break;
        }
    }
    assert_eq!(stage.ends, ["arrived/reached"]);
}

#[test]
fn seed_n7_who_hunts_somebody_who_runs_gets_paths_all_the_time() {
    let mut stage = hall(30);
    let ben = put(&mut stage, "ben", at(12.0, 1.5));
    send(&mut stage, ben, Goal::Point(at(FAR.0, FAR.1)), |options| options.pace = WalkPace::Speed(1.6));
    let hero = stage.hero();
    let hunt = send(&mut stage, hero, Goal::Character(ben), |options| options.pace = WalkPace::Speed(1.4));
    let (mut stood, mut quiet, mut last) = (0, 0, 0);
    stage.ticks(240);
    assert!(stage.world().walk(hunt).is_some_and(|walk| walk.is_open()), "it has not caught up");
    for _ in 0..1200 {
        let before = stage.position();
        stage.tick();
        stood += u32::from(flat_distance(before, stage.position()) < 0.005);
        let repaths = stage.world().walk(hunt).map_or(0, |walk| walk.repaths);
        quiet = if repaths == last { quiet + 1 } else { 0 };
        last = repaths;
        assert!(quiet < 400, "no new path for {quiet} ticks");
    }
    assert!(last > 5 && stood < 60, "{last} paths, stood for {stood} ticks");
}

#[test]
fn seed_n5_other_parameters_ask_again_and_a_creeping_target_does_not() {
    let mut stage = hall(20_000);
    let ben = put(&mut stage, "ben", at(30.0, 2.0));
    let hero = stage.hero();
    let walk = send(&mut stage, hero, Goal::Character(ben), |_| {});
    stage.ticks(60);
    let requests = stage.world().path_counts().requests;
    for step in 1..=12 {
        teleport(stage.game.world_mut(), ben, at(30.0 + 0.02 * step as f32, 2.0), None).unwrap();
        stage.ticks(3);
    }
    assert_eq!(stage.world().path_counts().requests, requests, "0.24 m");
    teleport(stage.game.world_mut(), ben, at(30.5, 2.0), None).unwrap();
    stage.ticks(2);
    assert_eq!(stage.world().path_counts().requests, requests + 1, "0.5 m");
    assert!(flat_distance(*points(&stage, walk).last().unwrap(), at(30.5, 2.0)) < 1e-4);
    let strip = stage.world().find_area("strip").unwrap();
    areas::set_available(stage.game.world_mut(), strip, Availability::Unavailable).unwrap();
    stage.ticks(2);
    assert_eq!(stage.world().path_counts().requests, requests + 1, "the map changed, but not on the way");
}

#[test]
fn fault_g23_a_crowd_that_asks_in_one_tick_is_served_in_the_order_it_asked_within_the_budget() {
    const COUNT: usize = 400;
    let mut stage = hall_of(300, 1.0);
    let walks: Vec<WalkId> = (0..COUNT)
        .map(|n| {
            let who =
                put(&mut stage, &format!("c{n}"), at(1.0 + (n % 20) as f32 * 1.5, 1.0 + (n / 20 % 2) as f32));
            let goal = at(2.0 + (n % 17) as f32 * 2.0, 10.0 + (n % 13) as f32 * 2.0);
            send(&mut stage, who, Goal::Point(goal), |options| options.pace = WalkPace::Speed(0.01))
        })
        .collect();
    let (mut served, mut tick, mut total) = (vec![0u64; COUNT], 0u64, 0u64);
    while served.contains(&0) {
        tick += 1;
        assert!(tick < 3000, "{served:?}");
        let before = expansions(&stage);
        stage.tick();
        let spent = expansions(&stage) - before;
        assert!(spent <= 300, "{spent} in tick {tick}");
        total += spent;
        for (walk, served) in walks.iter().zip(&mut served) {
            let is_asking = stage.world().walk(*walk).is_some_and(|walk| walk.token.is_some());
            if *served == 0 && !is_asking {
                *served = tick;
            }
        }
    }
    let bound = total.div_ceil(300) + 1;
    assert!(tick <= bound, "{tick} ticks for {total} expansions");
    // Four searches share the budget, so a character may be passed by as many as go on beside it, and by no
    // more.
    let mut latest = 0;
    let passed = served
        .iter()
        .filter(|&&tick| {
            let late = tick + 12 < latest;
            latest = latest.max(tick);
            late
        })
        .count();
    assert_eq!(passed, 0, "{served:?}");
}

/// What a level with scripts logs in ten seconds.
fn logged(script: &str) -> Vec<String> {
    let level = r#"{ "script": "level.lua", "navigation": { "areas": [
        { "name": "hall", "polygon": [[0,0],[20,0],[20,20],[0,20]] } ] },
      "characters": [ { "name": "anna", "position": [3,10] }, { "name": "ben", "position": [10,10] } ] }"#;
    let level = load("l.json", &MemorySource::new().with("l.json", level)).unwrap();
    let scripts = BTreeMap::from([("level.lua".to_owned(), script.to_owned())]);
    let recorder = Recorder::new(RecordOptions { trace: true, ..RecordOptions::default() });
    let mut game = Game::load(level, Setup { scripts, recorder, ..Setup::default() }).unwrap();
    let mut lines = game.start_facts().lines;
    for _ in 0..600 {
        lines.extend(game.tick(&[]).lines);
    }
    let facts = lines.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let texts = facts.filter_map(|fact| match fact["e"].as_str() {
        Some("log" | "scriptFault") => fact["message"].as_str().map(str::to_owned),
        _ => None,
    });
    texts.collect()
}

#[test]
fn seed_n18_a_scene_walks_the_path_of_a_script_around_the_same_obstacles() {
    let tell = "local function tell() timer.after(0.5, function()
        local text = \"\"
        for _, p in anna.currentWalk:path() do text ..= string.format(\"%.3f %.3f; \", p.x, p.z) end
        log.info(\"%s\", text)
    end) end";
    let start = "local anna, ben = world.character(\"anna\"), world.character(\"ben\") nav.block(vector.create(12, 0, 11), 1)";
    let script = format!(
        "function onStart() {start} {tell} timer.after(0.1, function() anna:walkTo(17, 10) tell() end) end"
    );
    let scene = format!(
        "function onStart() {start} {tell}
            cinematic.define(\"scene\", {{ holds = {{ \"anna\" }}, script = function(c) tell() c:walk(anna, vector.create(17, 0, 10)) end }})
            timer.after(0.1, function() cinematic.play(\"scene\") end) end"
    );
    let (script, scene) = (logged(&script), logged(&scene));
    assert!(script.len() == 1 && script[0].matches(';').count() >= 2, "{script:?}");
    assert_eq!(script, scene);
}

#[test]
fn questions_of_scripts_for_a_path_see_who_stands_in_the_way_and_not_whom_they_ignore() {
    let told = logged(
        "function onStart()
            local anna, ben = world.character(\"anna\"), world.character(\"ben\")
            local to = vector.create(17, 0, 10)
            local function tell(how, path) log.info(\"%s %s %d %s\", how, path.status, #path.waypoints, tostring(path.reason)) end
            timer.after(0.1, function()
                tell(\"around\", nav.findPath(anna, to))
                tell(\"ignored\", nav.findPath(anna, to, { ignore = { ben } }))
                tell(\"to ben\", nav.findPath(anna, ben))
                local held = nav.findPath(anna, ben.position)
                tell(\"held\", held)
                assert(held.by == ben)
                nav.requestPath(anna, ben.position, { onPath = function(path) tell(\"asked\", path) assert(path.by == ben) end })
                ben:walkTo(10, 15)
                tell(\"moving\", nav.findPath(anna, to))
            end)
        end",
    );
    assert_eq!(
        told,
        [
            "around complete 3 nil",
            "ignored complete 2 nil",
            "to ben complete 2 nil",
            "held partial 2 occupied",
            "moving complete 2 nil",
            "asked partial 2 occupied",
        ]
    );
}
