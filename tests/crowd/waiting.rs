//! Walks that wait: for a search within a small budget, for a goal that creeps, for a character that does not
//! move, for those before them in a queue.
//!
//! Goal: waiting for the budget is not being stuck; a goal that creeps is searched for as it moves; a
//! character who gives up says who or what was in the way; a queue that moves ends for nobody. Method: levels
//! whose searches take long; scenes drawn at random, judged by where everybody stands.

use glam::Vec3;
use walkon_runtime::base::geom::flat_distance;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::world::area::Availability;
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::{areas, characters, walk_changes};
use walkon_runtime::world::walk::{AcceptEnd, Crowd};

use crate::fixture::{Stage, put, send};

fn at(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

/// A hall of 60 x 60 m that two walls make long to cross, with a strip of mud so that searches look at cell
/// after cell.
fn long_hall(budget: u32) -> String {
    format!(
        r#"{{ "pathBudget": {budget}, "navigation": {{ "areas": [
            {{ "name": "hall", "polygon": [[0,0],[60,0],[60,60],[0,60]] }},
            {{ "name": "mud", "cost": 2, "polygon": [[30,0],[32,0],[32,60],[30,60]] }},
            {{ "name": "annex", "available": false, "polygon": [[60,0],[64,0],[64,4],[60,4]] }} ],
          "obstacles": [
            {{ "name": "first", "polygon": [[10,-1],[10.2,-1],[10.2,50],[10,50]] }},
            {{ "name": "second", "polygon": [[20,10],[20.2,10],[20.2,61],[20,61]] }} ] }},
          "characters": [ {{ "name": "hero", "position": [9.05, 50.55] }} ] }}"#
    )
}

/// A walk that stood for a hundred times its patience because it was told to goes on where it was.
#[test]
fn time_in_which_a_walk_is_paused_does_not_count_for_its_patience() {
    let mut stage = Stage::of(
        r#"{ "navigation": { "areas": [{ "name": "yard", "polygon": [[0,0],[20,0],[20,10],[0,10]] }] },
             "characters": [{ "name": "hero", "position": [2, 5] }] }"#,
    );
    let walk = stage.walk(12.0, 5.0, |options| options.patience_ticks = 10);
    stage.ticks(60);
    assert!(walk_changes::pause(stage.game.world_mut(), walk));
    stage.ticks(1300);
    assert!(stage.ends.is_empty(), "{:?}", stage.ends);
    assert!(walk_changes::resume(stage.game.world_mut(), walk));
    assert_eq!(stage.until_settled(1, 600), ["arrived/reached"]);
}

/// However small the budget, a walk gets its path and arrives, with a patience of half a second, although
/// a character pushes the walker out of the sight of its first path, and the map changes elsewhere while it
/// waits.
#[test]
fn waiting_for_the_budget_is_not_being_stuck() {
    for budget in [100_000, 200, 12, 5] {
        for (pushes, changes) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut stage = Stage::of(&long_hall(budget));
            stage.walk(50.0, 50.0, |options| options.patience_ticks = 30);
            stage.ticks(40);
            if pushes {
                put(&mut stage, "pusher", at(9.2, 51.0));
            }
            if changes {
                let annex = stage.world().find_area("annex").unwrap();
                areas::set_available(stage.game.world_mut(), annex, Availability::Available).unwrap();
            }
            let ends = stage.until_settled(1, 30_000);
            assert_eq!(ends, ["arrived/reached"], "{budget} a tick, pushed: {pushes}, changed: {changes}");
        }
    }
}

/// The same for what comes after the first path: the next stop, and a way round what closed the way.
#[test]
fn waiting_for_a_later_path_is_not_being_stuck_either() {
    // Budgets with which answers come in every tick of a step of the crowd.
    for budget in [100_000, 1000, 400, 300, 200, 150, 100] {
        let mut stage = Stage::of(&long_hall(budget));
        stage.walk(5.0, 5.0, |options| {
            options.via = vec![at(15.0, 30.0), at(50.0, 30.0)];
            options.patience_ticks = 30;
        });
        assert_eq!(stage.until_settled(1, 60_000), ["arrived/reached"], "{budget} a tick: checkpoints");
        let mut stage = Stage::of(&long_hall(budget).replace(
            r#""obstacles": ["#,
            r#""obstacles": [ { "name": "bar", "available": false, "polygon": [[10,49],[20.2,49],[20.2,49.5],[10,49.5]] },"#,
        ));
        stage.walk(15.0, 48.0, |options| (options.patience_ticks, options.accept) = (30, AcceptEnd::Partial));
        while stage.position().x < 10.0 {
            stage.tick();
        }
        let bar = stage.world().find_area("bar").unwrap();
        areas::set_available(stage.game.world_mut(), bar, Availability::Available).unwrap();
        let ends = stage.until_settled(1, 60_000);
        assert_eq!(ends, ["partial/nearest"], "{budget} a tick: closed in");
    }
}

/// A goal that creeps along the far side of a wall, given again every tick: the walker goes round the end of
/// the wall that is the nearer by then, as one does who is sent there once.
#[test]
fn a_goal_that_creeps_is_measured_from_where_it_was_searched() {
    let level = |budget: u32| {
        format!(
            r#"{{ "pathBudget": {budget}, "navigation": {{ "areas": [
                {{ "name": "room", "polygon": [[0,0],[20,0],[20,40],[0,40]] }},
                {{ "name": "mud", "cost": 2, "polygon": [[18,0],[20,0],[20,40],[18,40]] }} ],
              "obstacles": [ {{ "name": "wall", "polygon": [[9.9,3],[10.1,3],[10.1,30],[9.9,30]] }} ] }},
              "characters": [ {{ "name": "hero", "position": [8.5, 17] }} ] }}"#
        )
    };
    for budget in [2000, 100] {
        for step_m in [0.05, 0.2, 0.24] {
            let mut stage = Stage::of(&level(budget));
            let mut z = 25.0_f32;
            let mut ticks = 0;
            while flat_distance(stage.position(), at(12.0, 4.0)) > 0.1 {
                z = (z - step_m).max(4.0);
                stage.walk(12.0, z, |_| {});
                stage.tick();
                ticks += 1;
                assert!(ticks < 3000, "{step_m} m a tick at {budget}: it stands at {}", stage.position());
            }
            // North until the way south is shorter, worked out by hand: place and goal are 33 m along the
            // wall in all then.
            let north_ticks = 9.0 / (step_m - 1.4 / 60.0);
            let best_ticks = north_ticks + (17.0 + north_ticks * 1.4 / 60.0 + 2.0) / 1.4 * 60.0;
            let late_ticks = 20_000.0 / budget as f32 + 60.0;
            assert!(
                (ticks as f32) < best_ticks + late_ticks,
                "{step_m} m a tick at {budget}: {ticks} ticks, {best_ticks}"
            );
        }
    }
}

/// Two yards that a passage joins, wide enough for one.
const PASSAGE: &str = r#"{ "navigation": { "agentRadius": 0.35, "objectPadding": 0.0, "areas": [
    { "name": "west", "polygon": [[0,0],[20,0],[20,40],[0,40]] },
    { "name": "passage", "polygon": [[20,19.4],[26,19.4],[26,20.6],[20,20.6]] },
    { "name": "east", "polygon": [[26,0],[40,0],[40,40],[26,40]] } ] } }"#;

/// A queue that lets walkers through ends for nobody, however far the crowd pushes those at its edge back and
/// however long they come no nearer.
#[test]
fn who_queues_where_others_get_through_gets_through_too() {
    for (seed, count, patience_ticks) in [(1, 100, 15), (2, 100, 20), (3, 150, 30)] {
        let mut rng = Rng::stream(seed, "queue");
        let mut stage = Stage::of(PASSAGE);
        for n in 0..count {
            let place = at(rng.float(10.0, 19.5) as f32, rng.float(8.0, 32.0) as f32);
            let who = put(&mut stage, &format!("c{n}"), place);
            send(&mut stage, who, Goal::Point(at(38.0, 20.0)), |options| {
                (options.radius_m, options.patience_ticks) = (Some(3.0), patience_ticks);
            });
        }
        let mut gone = 0;
        while gone < count {
            stage.lines.clear();
            stage.tick();
            for fact in stage.facts("walkSettled") {
                let now = stage.world().tick().0;
                assert_eq!(fact["status"], "arrived", "seed {seed}, tick {now}, {gone} are through: {fact}");
                let who = stage.world().find_character(fact["character"].as_str().unwrap()).unwrap();
                characters::despawn(stage.game.world_mut(), who, "through").unwrap();
                gone += 1;
            }
            assert!(stage.world().tick().0 < 30_000, "seed {seed}: {gone} are through");
        }
    }
}

/// A character that gives up because it is stuck, or because its goal is occupied, says by whom, whenever
/// there is a character near it.
#[test]
fn who_gives_up_names_who_is_in_the_way() {
    let mut rng = Rng::stream(15, "who is in the way");
    let (mut named, mut unnamed) = (0, 0);
    for scene in 0..32 {
        let kind = if scene % 2 == 0 { "grid" } else { "mesh" };
        let width = rng.float(0.2, 1.4);
        let (low, high) = (4.0 - width / 2.0, 4.0 + width / 2.0);
        let mut stage = Stage::of(&format!(
            r#"{{ "navigation": {{ "kind": "{kind}", "agentRadius": 0.2, "objectPadding": 0.0, "areas": [
                {{ "name": "west", "polygon": [[0,0],[8,0],[8,8],[0,8]] }},
                {{ "name": "gap", "polygon": [[8,{low}],[9.2,{low}],[9.2,{high}],[8,{high}]] }},
                {{ "name": "east", "polygon": [[9.2,0],[17,0],[17,8],[9.2,8]] }} ] }},
              "characters": [ {{ "name": "hero", "position": [8.4, 4.0], "player": true }} ] }}"#
        ));
        let mut people = vec![stage.hero()];
        for n in 0..rng.below(7) + 2 {
            let place = at(rng.float(0.5, 7.5) as f32, rng.float(1.0, 7.0) as f32);
            people.push(put(&mut stage, &format!("c{n}"), place));
        }
        for &person in &people[1..] {
            let goal = match rng.below(4) {
                0 => Goal::Point(stage.position()),
                _ => Goal::Point(at(rng.float(10.0, 16.0) as f32, rng.float(1.0, 7.0) as f32)),
            };
            let crowd = [Crowd::Push, Crowd::Yield][rng.below(2) as usize];
            send(&mut stage, person, goal, |options| {
                (options.crowd, options.patience_ticks) = (crowd, 60 + 60 * rng.below(3));
            });
        }
        for _ in 0..900 {
            stage.lines.clear();
            stage.tick();
            for fact in stage.facts("walkSettled") {
                let text = |key: &str| fact[key].as_str().unwrap_or_default().to_owned();
                if !["stuck", "occupied"].contains(&text("reason").as_str()) {
                    continue;
                }
                let who = stage.world().find_character(&text("character")).unwrap();
                let near = nearest_gap_m(&stage, who);
                named += usize::from(fact["by"].is_string());
                unnamed += usize::from(!fact["by"].is_string());
                assert!(
                    fact["by"].is_string() || near > 0.6,
                    "{kind} {scene}: {fact}, somebody is {near} m off"
                );
            }
        }
    }
    assert!(named > 30 && unnamed <= named / 20, "{named} with a name, {unnamed} without");
}

/// Metres from the edge of a character to the nearest other.
fn nearest_gap_m(stage: &Stage, who: walkon_runtime::base::ids::CharacterId) -> f32 {
    let world = stage.world();
    let own = world.character(who).unwrap();
    let others = (0..9).filter_map(|n| world.find_character(&format!("c{n}"))).chain([stage.hero()]);
    let gaps = others.filter(|&other| other != who).map(|other| {
        let body = &world.character(other).unwrap().body;
        flat_distance(body.position, own.body.position) - body.radius_m - own.body.radius_m
    });
    gaps.fold(f32::INFINITY, f32::min)
}
