//! Walks without scripts: every way in which the world ends one, following at every rate, doors on the way.
//!
//! Goal: the rows F, B9, U4, U5 and the G rows of the fault catalogue that need no crowd. Method: small
//! levels driven tick by tick through the verbs of a host; ends are read from the trace.

use glam::Vec3;
use walkon_runtime::base::geom::flat_distance;
use walkon_runtime::base::ids::CharacterId;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::base::trig;
use walkon_runtime::nav::Traversal;
use walkon_runtime::world::area::Availability;
use walkon_runtime::world::door::{DoorAim, DoorPolicy};
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::doors::{self, DoorOrder, DoorSpeed};
use walkon_runtime::world::ops::{areas, characters, walks};
use walkon_runtime::world::owner::Owner;
use walkon_runtime::world::walk::{AcceptEnd, Crowd, LookTarget, WalkOptions, WalkPace};

use crate::crowd::crowd_rows::Run;
use crate::fixture::{HALL, Stage, TWO_ROOMS, options};

fn check_stays_on_ground(stage: &Stage) {
    let at = stage.position();
    assert!(stage.world().nav().is_walkable(at, &Traversal::default()), "{at} is off the ground");
}

#[test]
fn seed_f5_a_walk_arrives_at_the_exact_goal_and_settles_once() {
    let mut stage = Stage::of(TWO_ROOMS);
    stage.walk(18.3, 2.7, |_| {});
    assert_eq!(stage.until_settled(1, 2000), ["arrived/reached"]);
    assert!(flat_distance(stage.position(), Vec3::new(18.3, 0.0, 2.7)) <= 0.05);
    stage.ticks(120);
    assert_eq!(stage.ends.len(), 1, "nothing settles twice");
}

#[test]
fn fault_g4_walking_to_where_one_stands_settles_already_there_in_the_same_tick() {
    let mut stage = Stage::of(TWO_ROOMS);
    stage.walk(2.0, 5.0, |_| {});
    stage.tick();
    assert_eq!(stage.ends, ["arrived/alreadyThere"]);
}

#[test]
fn seed_a7_a_short_walk_inside_one_cell_reaches_the_exact_goal() {
    let mut stage = Stage::of(TWO_ROOMS);
    stage.walk(2.15, 5.1, |_| {});
    assert_eq!(stage.until_settled(1, 60), ["arrived/reached"]);
    assert!(flat_distance(stage.position(), Vec3::new(2.15, 0.0, 5.1)) < 0.051);
}

#[test]
fn seed_u4_a_goal_on_an_island_ends_at_the_nearest_point_standing() {
    let mut stage = Stage::of(TWO_ROOMS);
    stage.walk(32.0, 2.0, |_| {});
    assert_eq!(stage.until_settled(1, 3000), ["partial/nearest"]);
    assert!(stage.position().x > 20.0, "it went as near as it gets: {}", stage.position());
    let facts = stage.facts("walkSettled");
    assert!(facts[0]["remaining"].as_f64().unwrap() > 9.0, "the distance left is told");
    stage.tick();
    assert!(!stage.world().character(stage.hero()).unwrap().is_moving);
}

#[test]
fn seed_u5_the_second_walk_to_the_same_unreachable_point_moves_nothing() {
    let mut stage = Stage::of(TWO_ROOMS);
    stage.walk(32.0, 2.0, |_| {});
    stage.until_settled(1, 3000);
    let before = stage.position();
    stage.walk(32.0, 2.0, |_| {});
    stage.tick();
    assert_eq!(stage.ends, ["partial/nearest", "partial/nearest"]);
    assert_eq!(stage.position(), before);
}

#[test]
fn what_is_accepted_decides_how_an_unreachable_goal_ends() {
    let cases = [
        (AcceptEnd::Partial, "partial/nearest"),
        (AcceptEnd::Near, "partial/nearest"),
        (AcceptEnd::Nearest, "arrived/nearest"),
        (AcceptEnd::Exact, "blocked/noPath"),
    ];
    for (accept, end) in cases {
        let mut stage = Stage::of(TWO_ROOMS);
        stage.walk(32.0, 2.0, |options| options.accept = accept);
        assert_eq!(stage.until_settled(1, 3000), [end], "{accept:?}");
    }
}

#[test]
fn seed_f3_every_tick_rate_arrives_at_the_same_time_on_the_same_way() {
    let mut lengths = Vec::new();
    for rate in [30, 60, 120] {
        let mut stage = Stage::at_rate(TWO_ROOMS, rate);
        stage.walk(18.0, 8.0, |_| {});
        stage.until_settled(1, 60 * u64::from(rate));
        let fact = &stage.facts("walkSettled")[0];
        let seconds = fact["ticks"].as_f64().unwrap() / f64::from(rate);
        lengths.push((seconds, fact["travelled"].as_f64().unwrap()));
    }
    for (seconds, travelled) in &lengths {
        assert!((seconds - lengths[0].0).abs() <= 2.0 / 30.0, "{lengths:?}");
        assert!((travelled / lengths[0].1 - 1.0).abs() < 0.01, "{lengths:?}");
    }
}

#[test]
fn fault_g19_a_walker_at_fifty_metres_a_second_never_leaves_the_ground() {
    let mut stage = Stage::of(TWO_ROOMS);
    stage.walk(18.0, 1.0, |options| options.pace = WalkPace::Speed(50.0));
    for _ in 0..60 {
        stage.tick();
        check_stays_on_ground(&stage);
    }
    assert_eq!(stage.ends, ["arrived/reached"]);
}

#[test]
fn seed_f3_turning_round_takes_as_long_as_the_turning_speed_says() {
    let mut stage = Stage::of(HALL);
    let hero = stage.hero();
    characters::face(stage.game.world_mut(), hero, LookTarget::Angle(std::f32::consts::PI)).unwrap();
    let ticks = (1..200)
        .find(|_| {
            stage.tick();
            stage.world().character(hero).unwrap().turn.is_none()
        })
        .unwrap();
    let expected = (std::f32::consts::PI / 8.0 * 60.0).ceil() as i32;
    assert!((ticks - expected).abs() <= 1, "half a turn at 8 rad/s took {ticks} ticks, expected {expected}");
}

#[test]
fn seed_f6_one_walk_is_stand_walk_stand() {
    let mut stage = Stage::of(TWO_ROOMS);
    stage.walk(8.0, 8.0, |_| {});
    let mut states: Vec<String> = vec!["stand".to_owned()];
    for _ in 0..600 {
        stage.tick();
        let state = stage.world().character(stage.hero()).unwrap().animation().to_owned();
        if states.last() != Some(&state) {
            states.push(state);
        }
    }
    assert_eq!(states, ["stand", "walk", "stand"]);
}

#[test]
fn seed_f9_stopping_settles_a_walk_and_says_nothing_to_who_stands() {
    let mut stage = Stage::of(TWO_ROOMS);
    let hero = stage.hero();
    assert!(!walks::stop_in_place(stage.game.world_mut(), hero).unwrap());
    stage.walk(8.0, 8.0, |_| {});
    stage.ticks(30);
    assert!(walks::stop_in_place(stage.game.world_mut(), hero).unwrap());
    stage.tick();
    assert_eq!(stage.ends, ["cancelled/stopped"]);
}

#[test]
fn seed_f10_the_same_walk_again_takes_over_the_path_without_standing() {
    let mut stage = Stage::of(TWO_ROOMS);
    stage.walk(18.0, 8.0, |_| {});
    stage.ticks(60);
    let requests = stage.world().path_counts().requests;
    stage.walk(18.1, 8.0, |_| {});
    let before = stage.position();
    stage.tick();
    assert!(flat_distance(before, stage.position()) > 0.02, "it goes on in the same tick");
    assert_eq!(stage.world().path_counts().requests, requests, "no extra search");
    assert_eq!(stage.until_settled(2, 2000), ["cancelled/superseded", "arrived/reached"]);
    assert!(flat_distance(stage.position(), Vec3::new(18.1, 0.0, 8.0)) <= 0.051);
}

#[test]
fn a_walk_given_again_every_tick_does_not_stand_for_one() {
    for budget in [2000, 1] {
        let mut stage = Stage::of(&TWO_ROOMS.replacen('{', &format!("{{ \"pathBudget\": {budget},"), 1));
        let mut stood = 0;
        for tick in 0..120 {
            // The goal creeps, always within a quarter of a metre of where it was a tick ago.
            stage.walk(18.0 + 0.001 * tick as f32, 9.0, |_| {});
            let before = stage.position();
            stage.tick();
            stood += u32::from(flat_distance(before, stage.position()) < 0.01);
        }
        assert!(budget != 1 || stood > 1, "the search was to take several ticks");
        // A character that sets out turns on the spot first.
        assert!(stood <= if budget == 1 { 60 } else { 12 }, "budget {budget}: {stood} ticks without a step");
        assert_eq!(stage.until_settled(120, 2000).last().unwrap(), "arrived/reached");
        assert!(flat_distance(stage.position(), Vec3::new(18.119, 0.0, 9.0)) <= 0.051);
        assert!(stage.ends[..119].iter().all(|end| end == "cancelled/superseded"));
    }
}

#[test]
fn a_search_taken_over_for_a_point_beside_a_wall_is_made_again() {
    // Searched for in the wall, wanted beside it: what was found out about the wall is no answer.
    let mut stage = Stage::of(&TWO_ROOMS.replacen('{', "{ \"pathBudget\": 1,", 1));
    stage.walk(15.0, 10.1, |_| {});
    stage.tick();
    stage.walk(15.0, 9.9, |_| {});
    assert_eq!(stage.until_settled(2, 3000), ["cancelled/superseded", "arrived/reached"]);
    assert!(flat_distance(stage.position(), Vec3::new(15.0, 0.0, 9.9)) <= 0.051);
}

#[test]
fn another_goal_is_walked_to_without_standing_for_a_tick() {
    for budget in [2000, 1] {
        let mut stage = Stage::of(&TWO_ROOMS.replacen('{', &format!("{{ \"pathBudget\": {budget},"), 1));
        stage.walk(18.0, 9.0, |_| {});
        while stage.position().x < 3.0 {
            stage.tick();
        }
        stage.walk(18.0, 1.0, |_| {});
        while stage.ends.len() < 2 && stage.position().x < 17.5 {
            let before = stage.position();
            stage.tick();
            assert!(flat_distance(before, stage.position()) > 0.01, "budget {budget}: it stands at {before}");
        }
        assert_eq!(stage.until_settled(2, 2000), ["cancelled/superseded", "arrived/reached"]);
    }
}

#[test]
fn seed_f10_after_a_change_of_the_map_the_same_walk_searches_anew() {
    let mut stage = Stage::of(TWO_ROOMS);
    stage.walk(8.0, 8.0, |_| {});
    stage.ticks(30);
    let gate = stage.gate();
    doors::set(stage.game.world_mut(), gate, DoorAim::Closed, DoorSpeed::Instant);
    stage.tick();
    let requests = stage.world().path_counts().requests;
    stage.walk(8.05, 8.0, |_| {});
    stage.tick();
    assert_eq!(stage.world().path_counts().requests, requests + 1);
}

#[test]
fn fault_d8_a_second_order_supersedes_the_first() {
    let mut stage = Stage::of(TWO_ROOMS);
    stage.walk(8.0, 8.0, |_| {});
    stage.walk(3.0, 2.0, |_| {});
    assert_eq!(stage.until_settled(2, 2000), ["cancelled/superseded", "arrived/reached"]);
}

#[test]
fn fault_g6_a_door_that_closes_on_the_way_is_never_walked_through() {
    let mut stage = Stage::of(TWO_ROOMS);
    stage.walk(18.0, 5.0, |_| {});
    stage.ticks(120);
    let gate = stage.gate();
    doors::set(stage.game.world_mut(), gate, DoorAim::Closed, DoorSpeed::Instant);
    stage.tick();
    assert_eq!(stage.facts("replanned").len(), 1, "it asks again in the same tick");
    for _ in 0..900 {
        stage.tick();
        check_stays_on_ground(&stage);
        assert!(stage.position().x < 10.0);
    }
    assert_eq!(stage.ends, ["partial/nearest"]);
    assert_eq!(stage.facts("walkSettled")[0]["by"], "gate", "and names the door");
}

#[test]
fn fault_g8_a_door_that_opens_again_sends_the_walker_to_its_true_goal() {
    let mut stage = Stage::of(TWO_ROOMS);
    let gate = stage.gate();
    doors::set(stage.game.world_mut(), gate, DoorAim::Closed, DoorSpeed::Instant);
    stage.tick();
    stage.walk(18.0, 5.0, |_| {});
    stage.ticks(60);
    doors::open(stage.game.world_mut(), gate, &DoorOrder::default());
    assert_eq!(stage.until_settled(1, 2000), ["arrived/reached"]);
}

#[test]
fn what_opens_elsewhere_sends_nobody_to_search_again() {
    let mut stage = Stage::of(TWO_ROOMS);
    stage.walk(32.0, 2.0, |_| {});
    stage.ticks(5);
    let requests = stage.world().path_counts().requests;
    let island = stage.world().find_area("island").unwrap();
    for available in [false, true] {
        areas::set_available(stage.game.world_mut(), island, Availability::of(available)).unwrap();
        stage.tick();
    }
    assert_eq!(stage.facts("mapRevision").len(), 2);
    assert_eq!(stage.world().path_counts().requests, requests, "as near as before, and no nearer");
    assert_eq!(stage.until_settled(1, 3000), ["partial/nearest"]);
}

#[test]
fn who_opens_doors_walks_through_a_closed_one_and_leaves_it_open() {
    let mut stage = Stage::of(TWO_ROOMS);
    let gate = stage.gate();
    doors::set(stage.game.world_mut(), gate, DoorAim::Closed, DoorSpeed::Instant);
    stage.tick();
    stage.walk(18.0, 5.0, |options| options.doors = Some(DoorPolicy::Open));
    assert_eq!(stage.until_settled(1, 2000), ["arrived/reached"]);
    assert!(stage.world().doors()[0].is_passable());
    let facts = stage.facts("doorChanged");
    assert!(facts.iter().any(|fact| fact["by"] == "hero"), "it opened it itself");
}

#[test]
fn who_waits_at_doors_stands_until_somebody_opens_or_patience_ends() {
    for (opens, end) in [(true, "arrived/reached"), (false, "blocked/doorClosed")] {
        let mut stage = Stage::of(TWO_ROOMS);
        let gate = stage.gate();
        doors::set(stage.game.world_mut(), gate, DoorAim::Closed, DoorSpeed::Instant);
        stage.tick();
        stage.walk(18.0, 5.0, |options| {
            options.doors = Some(DoorPolicy::Wait);
            options.patience_ticks = 120;
        });
        stage.ticks(400);
        if opens {
            doors::open(stage.game.world_mut(), gate, &DoorOrder::default());
        }
        let ends = stage.until_settled(1, 2000);
        // It reaches the door after about 330 ticks and has 120 of patience.
        assert_eq!(ends, [end], "opens: {opens}");
    }
}

#[test]
fn a_locked_door_opens_to_who_carries_its_key() {
    for (keys, end) in [(vec!["bone".to_owned()], "arrived/reached"), (vec![], "partial/nearest")] {
        let mut stage = Stage::of(TWO_ROOMS);
        let gate = stage.gate();
        doors::set(stage.game.world_mut(), gate, DoorAim::Closed, DoorSpeed::Instant);
        doors::lock(stage.game.world_mut(), gate, Some("bone".to_owned()));
        stage.tick();
        stage.walk(18.0, 5.0, |options| {
            options.doors = Some(DoorPolicy::Open);
            options.keys = keys;
        });
        assert_eq!(stage.until_settled(1, 2000), [end]);
    }
}

#[test]
fn fault_g9_a_door_waits_refuses_or_pushes_when_somebody_stands_in_it() {
    use walkon_runtime::world::door::{DoorState, WhenOccupied};
    for (manner, state) in [
        (WhenOccupied::Wait, DoorState::Open),
        (WhenOccupied::Refuse, DoorState::Open),
        (WhenOccupied::Push, DoorState::Closed),
    ] {
        let mut stage = Stage::of(TWO_ROOMS);
        let (hero, gate) = (stage.hero(), stage.gate());
        characters::teleport(stage.game.world_mut(), hero, Vec3::new(10.5, 0.0, 5.0), None).unwrap();
        let order = DoorOrder { when_occupied: manner, ..DoorOrder::default() };
        doors::close(stage.game.world_mut(), gate, &order);
        stage.ticks(60);
        assert_eq!(stage.world().doors()[0].state, state, "{manner:?}");
        check_stays_on_ground(&stage);
        if manner == WhenOccupied::Wait {
            stage.walk(5.0, 5.0, |_| {});
            stage.ticks(120);
            assert_eq!(stage.world().doors()[0].state, DoorState::Closed, "it closes once it is clear");
        }
    }
}

#[test]
fn fault_d16_a_door_toggled_a_thousand_times_in_a_tick_moves_once() {
    let mut stage = Stage::of(TWO_ROOMS);
    let gate = stage.gate();
    let before = stage.world().nav().revision();
    for _ in 0..1001 {
        doors::toggle(stage.game.world_mut(), gate, &DoorOrder::default());
    }
    stage.ticks(60);
    assert_eq!(stage.world().nav().revision().0, before.0 + 1);
    assert_eq!(stage.facts("mapRevision").len(), 1);
}

#[test]
fn seed_b9_a_toggle_to_the_same_value_is_no_revision() {
    let mut stage = Stage::of(TWO_ROOMS);
    let left = stage.world().find_area("island").unwrap();
    assert!(!areas::set_available(stage.game.world_mut(), left, Availability::Available).unwrap());
    assert!(areas::set_available(stage.game.world_mut(), left, Availability::Unavailable).unwrap());
    assert!(areas::set_available(stage.game.world_mut(), left, Availability::Available).unwrap());
    stage.tick();
    assert!(stage.facts("mapRevision").is_empty());
}

#[test]
fn fault_g3_who_stands_on_ground_that_went_away_leaves_it_or_is_off_the_map() {
    let mut stage = Stage::of(TWO_ROOMS);
    let hero = stage.hero();
    characters::teleport(stage.game.world_mut(), hero, Vec3::new(32.0, 0.0, 2.0), None).unwrap();
    let island = stage.world().find_area("island").unwrap();
    areas::set_available(stage.game.world_mut(), island, Availability::Unavailable).unwrap();
    stage.tick();
    stage.walk(5.0, 5.0, |_| {});
    assert_eq!(stage.until_settled(1, 60), ["blocked/startOffNav"]);
    assert!(stage.world().character(hero).unwrap().is_alive());
}

#[test]
fn fault_d12_a_target_that_goes_ends_the_walk_in_the_same_tick() {
    let mut stage = Stage::of(TWO_ROOMS);
    let world = stage.game.world_mut();
    let spawn = characters::Spawn::new("anna", Vec3::new(8.0, 0.0, 8.0));
    let anna = characters::spawn(world, spawn).unwrap().unwrap();
    let hero = world.find_character("hero").unwrap();
    let order = walks::WalkOrder {
        character: hero,
        goal: Goal::Character(anna),
        options: options(),
        owner: Owner::HOST,
    };
    walks::walk_to(world, order).unwrap();
    stage.ticks(20);
    characters::despawn(stage.game.world_mut(), anna, "a test").unwrap();
    stage.tick();
    assert_eq!(stage.ends, ["cancelled/targetGone"]);
}

#[test]
fn seed_k1_walking_up_to_a_character_ends_at_talk_distance_also_when_it_moves() {
    let mut stage = Stage::of(TWO_ROOMS);
    let world = stage.game.world_mut();
    let spawn = characters::Spawn::new("anna", Vec3::new(18.0, 0.0, 8.0));
    let anna = characters::spawn(world, spawn).unwrap().unwrap();
    let hero = world.find_character("hero").unwrap();
    for (character, goal) in [(hero, Goal::Character(anna)), (anna, Goal::Point(Vec3::new(12.0, 0.0, 1.0)))] {
        let order = walks::WalkOrder { character, goal, options: options(), owner: Owner::HOST };
        walks::walk_to(world, order).unwrap();
    }
    stage.until_settled(2, 2000);
    assert!(stage.ends.iter().all(|end| end == "arrived/reached"), "{:?}", stage.ends);
    let anna_at = stage.world().character(anna).unwrap().body.position;
    assert!(flat_distance(anna_at, stage.position()) <= 1.35 + 1e-3);
}

#[test]
fn seed_k1_a_walk_to_a_character_fires_its_interaction_at_talk_distance() {
    // By default, as the level sets it, and as the walk asks.
    for (crowd, radius_m, expected_m) in
        [("", None, 1.35), (r#""npcTalkDistance": 2.5"#, None, 2.5), ("", Some(0.9), 0.9)]
    {
        let text = TWO_ROOMS.replacen('{', &format!("{{ \"crowd\": {{ {crowd} }},"), 1);
        let mut stage = Stage::of(&text);
        let world = stage.game.world_mut();
        let spawn = characters::Spawn::new("anna", Vec3::new(7.0, 0.0, 5.0));
        let anna = characters::spawn(world, spawn).unwrap().unwrap();
        let options = WalkOptions { radius_m, ..options() };
        let (character, goal) = (world.find_character("hero").unwrap(), Goal::Character(anna));
        walks::walk_to(world, walks::WalkOrder { character, goal, options, owner: Owner::HOST }).unwrap();
        let mut before_m = f32::INFINITY;
        // It looks whether it has come as its step ends.
        let step_ticks = stage.world().rate().ticks_per_step();
        while stage.ends.is_empty() {
            before_m = flat_distance(Vec3::new(7.0, 0.0, 5.0), stage.position());
            stage.ticks(step_ticks);
        }
        let at_m = flat_distance(Vec3::new(7.0, 0.0, 5.0), stage.position());
        assert_eq!(stage.ends, ["arrived/reached"]);
        assert!(before_m > expected_m && at_m <= expected_m, "{expected_m}: {before_m} then {at_m}");
        // One step of walking before it was too far.
        assert!(at_m > expected_m - 1.4 / 30.0 - 1e-3, "{expected_m}: {at_m}");
    }
}

#[test]
fn a_walk_with_a_face_settles_when_the_turn_is_done() {
    let mut stage = Stage::of(TWO_ROOMS);
    stage.walk(6.0, 5.0, |options| options.face = Some(LookTarget::Angle(-1.0)));
    assert_eq!(stage.until_settled(1, 2000), ["arrived/reached"]);
    assert!((stage.world().character(stage.hero()).unwrap().facing_rad + 1.0).abs() < 2e-3);
}

#[test]
fn a_walk_past_its_time_is_blocked_and_one_that_ensures_is_put_there() {
    let mut stage = Stage::of(TWO_ROOMS);
    stage.walk(18.0, 5.0, |options| options.timeout_ticks = Some(30));
    assert_eq!(stage.until_settled(1, 100), ["blocked/timeout"]);
    stage.walk(32.0, 2.0, |options| options.ensure = true);
    assert_eq!(stage.until_settled(2, 2000)[1], "arrived/forced");
    assert!(stage.position().x > 30.0);
}

#[test]
fn who_is_put_at_a_goal_by_ensure_stands_beside_the_one_who_is_there() {
    for goal_is_person in [true, false] {
        let mut stage = Stage::of(TWO_ROOMS);
        let spawn = characters::Spawn::new("anna", Vec3::new(18.0, 0.0, 5.0));
        let anna = characters::spawn(stage.game.world_mut(), spawn).unwrap().unwrap();
        let goal =
            if goal_is_person { Goal::Character(anna) } else { Goal::Point(Vec3::new(18.0, 0.0, 5.0)) };
        let options = WalkOptions { timeout_ticks: Some(60), ensure: true, ..options() };
        let order = walks::WalkOrder { character: stage.hero(), goal, options, owner: Owner::HOST };
        walks::walk_to(stage.game.world_mut(), order).unwrap();
        assert_eq!(stage.until_settled(1, 100), ["arrived/forced"]);
        let place = |stage: &Stage, id| stage.world().character(id).unwrap().body.position;
        let apart_m = (place(&stage, stage.hero()) - place(&stage, anna)).length();
        if goal_is_person {
            assert!((0.69..1.0).contains(&apart_m), "{apart_m} m apart");
            assert!(place(&stage, stage.hero()).x < place(&stage, anna).x, "on the side it came from");
        }
        stage.ticks(30);
        assert!(
            place(&stage, anna).distance(Vec3::new(18.0, 0.0, 5.0)) < if goal_is_person { 0.02 } else { 0.5 }
        );
    }
}

#[test]
fn who_is_put_at_the_goal_by_ensure_looks_where_it_was_to_look() {
    for (look, facing_rad) in [
        (LookTarget::Angle(-1.0), -1.0),
        (LookTarget::Point(Vec3::new(18.0, 0.0, 9.0)), trig::facing(Vec3::Z)),
    ] {
        let mut stage = Stage::of(TWO_ROOMS);
        stage.walk(18.0, 5.0, |options| {
            (options.timeout_ticks, options.ensure, options.face) = (Some(30), true, Some(look));
        });
        assert_eq!(stage.until_settled(1, 100), ["arrived/forced"]);
        stage.ticks(4);
        let hero = stage.world().character(stage.hero()).unwrap();
        let away_rad = trig::wrap(hero.facing_rad - facing_rad);
        assert!(away_rad.abs() < 2e-2, "{look:?}: {}", hero.facing_rad);
    }
}

#[test]
fn walks_of_an_owner_end_with_it_and_all_end_with_the_level() {
    let mut stage = Stage::of(TWO_ROOMS);
    let hero = stage.hero();
    let goal = Goal::Point(Vec3::new(18.0, 0.0, 5.0));
    let order = walks::WalkOrder { character: hero, goal, options: options(), owner: Owner(7) };
    walks::walk_to(stage.game.world_mut(), order).unwrap();
    stage.tick();
    walks::end_owner(stage.game.world_mut(), Owner(7));
    stage.walk(18.0, 5.0, |_| {});
    stage.tick();
    stage.end();
    assert_eq!(stage.ends, ["cancelled/ownerGone", "cancelled/levelEnd"]);
    let counts = stage.world().walk_counts();
    assert_eq!(counts.accepted, counts.arrived + counts.partial + counts.blocked + counts.cancelled);
}

#[test]
fn a_scene_that_holds_a_character_refuses_other_owners_walks() {
    let mut stage = Stage::of(TWO_ROOMS);
    let hero = stage.hero();
    stage.walk(18.0, 5.0, |_| {});
    characters::hold(stage.game.world_mut(), hero, "intro", Owner(3)).unwrap();
    assert!(characters::hold(stage.game.world_mut(), hero, "other", Owner(4)).is_err());
    stage.walk(18.0, 5.0, |_| {});
    stage.tick();
    assert_eq!(stage.ends, ["cancelled/superseded", "cancelled/superseded"]);
    characters::release(stage.game.world_mut(), hero, Owner(3));
    stage.walk(4.0, 5.0, |_| {});
    assert_eq!(stage.until_settled(3, 600)[2], "arrived/reached");
}

#[test]
fn fault_d17_names_limits_and_places_of_spawns_are_checked() {
    let mut stage = Stage::of(TWO_ROOMS);
    let world = stage.game.world_mut();
    let at = |x: f32| Vec3::new(x, 0.0, 5.0);
    assert!(characters::spawn(world, characters::Spawn::new("hero", at(3.0))).is_err(), "the name is taken");
    assert!(characters::spawn(world, characters::Spawn::new("", at(3.0))).is_err());
    assert!(characters::spawn(world, characters::Spawn::new("a\nb", at(3.0))).is_err());
    let far = characters::spawn(world, characters::Spawn::new("far", at(500.0))).unwrap();
    assert_eq!(far, None, "no ground within eight metres");
    let wall = characters::spawn(world, characters::Spawn::new("wall", at(-2.0))).unwrap().unwrap();
    assert!(world.character(wall).unwrap().body.position.x > 0.0, "snapped onto the ground");
    let mut wide = characters::Spawn::new("wide", at(3.0));
    wide.radius_m = 1e9;
    assert!(characters::spawn(world, wide).is_err());
}

#[test]
fn inv_t4_a_stale_id_never_means_another_character() {
    let mut stage = Stage::of(TWO_ROOMS);
    let hero = stage.hero();
    characters::despawn(stage.game.world_mut(), hero, "a test").unwrap();
    assert!(characters::despawn(stage.game.world_mut(), hero, "a test").is_err());
    stage.tick();
    let spawn = characters::Spawn::new("hero", Vec3::new(3.0, 0.0, 5.0));
    let again = characters::spawn(stage.game.world_mut(), spawn).unwrap().unwrap();
    assert_ne!(hero, again);
    let error = walks::stop_in_place(stage.game.world_mut(), hero).unwrap_err().to_string();
    assert_eq!(error, "character \"hero\" was removed at tick 0 (despawned by a test)");
}

#[test]
fn regions_report_enters_and_exits_in_pairs() {
    let json = TWO_ROOMS.replacen(
        "\"doors\"",
        "\"regions\": [ { \"name\": \"mid\", \"polygon\": [[4,0],[6,0],[6,10],[4,10]] } ], \"doors\"",
        1,
    );
    let mut stage = Stage::of(&json);
    stage.walk(9.0, 5.0, |_| {});
    stage.until_settled(1, 600);
    let hero = stage.hero();
    characters::teleport(stage.game.world_mut(), hero, Vec3::new(5.0, 0.0, 5.0), None).unwrap();
    stage.tick();
    characters::despawn(stage.game.world_mut(), hero, "a test").unwrap();
    stage.tick();
    let how = |kind: &str| -> Vec<String> {
        stage.facts(kind).iter().map(|fact| fact["how"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(how("regionEntered"), ["walked", "teleported"]);
    assert_eq!(how("regionLeft"), ["walked", "despawned"]);
}

#[test]
fn a_region_with_heights_counts_its_own_floor_alone() {
    let level = |heights: &str| {
        format!(
            r#"{{ "navigation": {{ "kind": "mesh", "agentRadius": 0.3, "vertices": [[0,0,0],[9,0,0],[9,0,9],[0,0,9],[0,3,0],[9,3,0],[9,3,9],[0,3,9]],
                "polygons": [[0,1,2,3],[4,5,6,7]] }},
            "regions": [{{ "name": "kitchen", "polygon": [[1,1],[8,1],[8,8],[1,8]]{heights} }}],
            "characters": [{{ "name": "cook", "position": [4,0,4] }}, {{ "name": "guest", "position": [4,3,4] }}] }}"#
        )
    };
    for (heights, expected) in [("", 2), (", \"heights\": [-1, 1.5]", 1), (", \"heights\": [2, 4]", 1)] {
        let mut stage = Stage::of(&level(heights));
        stage.tick();
        let inside: usize = stage.world().regions().iter().map(|region| region.inside.len()).sum();
        assert_eq!(inside, expected, "{heights}");
    }
}

#[test]
fn fault_g31_a_teleport_off_the_map_snaps_or_changes_nothing() {
    let mut stage = Stage::of(TWO_ROOMS);
    let hero = stage.hero();
    stage.walk(8.0, 8.0, |_| {});
    let world = stage.game.world_mut();
    assert_eq!(characters::teleport(world, hero, Vec3::new(0.0, 0.0, 900.0), None).unwrap(), None);
    assert_eq!(stage.position(), Vec3::new(2.0, 0.0, 5.0));
    stage.tick();
    assert!(stage.ends.is_empty(), "the walk goes on");
    let at =
        characters::teleport(stage.game.world_mut(), hero, Vec3::new(5.0, 0.0, 12.0), None).unwrap().unwrap();
    assert!(at.z < 10.0 && stage.world().nav().is_walkable(at, &Traversal::default()));
    stage.tick();
    assert_eq!(stage.ends, ["cancelled/stopped"]);
}

#[test]
fn who_stands_within_the_radius_from_the_start_takes_no_step() {
    let mut stage = Stage::of(TWO_ROOMS);
    let before = stage.position();
    stage.walk(2.2, 5.0, |options| options.radius_m = Some(0.3));
    stage.tick();
    assert_eq!(stage.ends, ["arrived/alreadyThere"]);
    assert_eq!(stage.position(), before);
}

/// A room that walls and a slanted pillar make crooked, on cells or polygons, and a body of some size.
fn crooked(kind: &str, (agent_m, body_m): (f32, f32), shift_m: f32) -> String {
    let wall = |name: &str, x: f32, low: f32, high: f32| {
        let (left, right) = (x + shift_m, x + shift_m + 0.3);
        format!(
            r#"{{ "name": "{name}", "polygon": [[{left},{low}],[{right},{low}],[{right},{high}],[{left},{high}]] }}"#
        )
    };
    let walls =
        [wall("first", 5.0, -1.0, 7.0), wall("second", 10.0, 3.0, 11.0), wall("third", 15.0, -1.0, 7.0)];
    format!(
        r#"{{ "navigation": {{ "kind": "{kind}", "agentRadius": {agent_m}, "objectPadding": 0.0,
            "areas": [ {{ "name": "room", "polygon": [[0,0],[40,0],[40,10],[0,10]] }} ],
            "obstacles": [ {}, {{ "name": "pillar", "polygon": [[18,5],[19,4],[20,5],[19,6]] }} ] }},
          "characters": [ {{ "name": "hero", "position": [2, 3], "radius": {body_m} }} ] }}"#,
        walls.join(",")
    )
}

/// The slowest that a walker goes between setting out and coming in, as part of its speed.
fn slowest_part(level: &str, speed_mps: f32) -> f32 {
    let mut stage = Stage::of(level);
    stage.walk(36.0, 5.37, |options| options.pace = WalkPace::Speed(speed_mps));
    let (mut slowest, mut before) = (1.0_f32, stage.position());
    for tick in 0..6000 {
        stage.ticks(2);
        let now = stage.position();
        let part = flat_distance(before, now) * 30.0 / speed_mps;
        before = now;
        if now.x > 32.0 {
            assert!(tick > 10);
            return slowest;
        }
        if now.x > 3.5 {
            slowest = slowest.min(part);
        }
    }
    panic!("it stands at {}", stage.position());
}

#[test]
fn nobody_slows_down_at_corners_more_than_rounding_them_costs() {
    /// A body that goes wide round a corner keeps nine tenths of its speed, and the chord of its arc is a
    /// little shorter.
    const ROUNDING: f32 = 0.85;
    for kind in ["mesh", "grid"] {
        for sizes_m in [(0.0, 0.2), (0.2, 0.2), (0.0, 0.35), (0.35, 0.35)] {
            for (shift_m, speed_mps) in [0.0, 0.13]
                .into_iter()
                .flat_map(|shift_m| [0.7, 1.4, 3.0, 5.0, 8.0].map(|speed_mps| (shift_m, speed_mps)))
            {
                let what = format!("{kind}, map and body {sizes_m:?} m, walls {shift_m} m on");
                let part = slowest_part(&crooked(kind, sizes_m, shift_m), speed_mps);
                assert!(part > ROUNDING, "{what}: {part} of {speed_mps} m/s");
            }
        }
    }
}

#[test]
fn nobody_halts_or_leaps_between_the_ticks_of_a_step() {
    for kind in ["mesh", "grid"] {
        for (sizes_m, shift_m) in [(0.0, 0.2), (0.2, 0.2), (0.0, 0.35), (0.35, 0.35)]
            .into_iter()
            .flat_map(|sizes_m| [0.0, 0.07, 0.13].map(|shift_m| (sizes_m, shift_m)))
        {
            let mut stage = Stage::of(&crooked(kind, sizes_m, shift_m));
            stage.walk(36.0, 5.37, |options| options.pace = WalkPace::Speed(1.4));
            let (mut places, mut ticks) = (vec![stage.position()], 0);
            while places[places.len() - 1].x < 32.0 {
                stage.ticks(1);
                places.push(stage.position());
                ticks += 1;
                assert!(ticks < 6000, "{kind}, {sizes_m:?}: it stands at {}", stage.position());
            }
            // A step of the crowd takes two ticks of the same length, whatever the line that it follows.
            for two in places.windows(2).filter(|pair| pair[0].x > 3.5) {
                let part = flat_distance(two[0], two[1]) * 60.0 / 1.4;
                assert!(part > 0.8 && part < 1.1, "{kind}, {sizes_m:?}, {shift_m} m: {part} at {}", two[0]);
            }
        }
    }
}

/// A room of 30 by 30 m with pillars of all shapes in it, some of which touch.
pub(super) fn pillars(rng: &mut Rng, kind: &str, agent_m: f32) -> String {
    let mut pillar = |index: usize| {
        let (x, z, wide_m) = (rng.float(2.0, 28.0), rng.float(2.0, 28.0), rng.float(0.3, 1.5));
        let (count, first) = (rng.int(3, 6), rng.unit());
        let corner = |at: u64| {
            let angle = (first + at as f64 / count as f64) * std::f64::consts::TAU;
            format!("[{:.3},{:.3}]", x + wide_m * libm::cos(angle), z + wide_m * libm::sin(angle))
        };
        let corners: Vec<String> = (0..count as u64).map(corner).collect();
        format!(r#"{{ "name": "pillar{index}", "polygon": [{}] }}"#, corners.join(","))
    };
    let pillars: Vec<String> = (0..24).map(&mut pillar).collect();
    format!(
        r#"{{ "navigation": {{ "kind": "{kind}", "agentRadius": {agent_m}, "objectPadding": 0.0,
            "areas": [ {{ "name": "room", "polygon": [[0,0],[30,0],[30,30],[0,30]] }} ],
            "obstacles": [ {} ] }} }}"#,
        pillars.join(",")
    )
}

#[test]
fn nobody_alone_on_ground_that_stays_as_it_is_asks_for_a_path_again() {
    let mut rng = Rng::stream(15, "pillars");
    // Paths over cells touch their corners, so that more is asked of grids.
    let kinds = [("mesh", 0.0, 1), ("mesh", 0.35, 1), ("grid", 0.0, 3), ("grid", 0.35, 3)];
    for (kind, agent_m, count) in kinds {
        for speed_mps in
            [0.7, 1.4, 5.0].into_iter().flat_map(|speed_mps| std::iter::repeat_n(speed_mps, count))
        {
            let mut run = Run::of(&pillars(&mut rng, kind, agent_m));
            let by = Traversal { radius_m: 0.35, ..Traversal::default() };
            let people: Vec<CharacterId> = (0..40)
                .map(|index| {
                    let place = loop {
                        let place = (rng.float(0.4, 29.6) as f32, rng.float(0.4, 29.6) as f32);
                        if run.world().nav().is_walkable(Vec3::new(place.0, 0.0, place.1), &by) {
                            break place;
                        }
                    };
                    run.spawn(&format!("p{index}"), place)
                })
                .collect();
            for &who in &people {
                let goal = (rng.float(0.0, 30.0) as f32, rng.float(0.0, 30.0) as f32);
                run.walk_with(who, goal, |options| {
                    // Everybody as good as alone.
                    (options.crowd, options.accept) = (Crowd::Ghost, AcceptEnd::Nearest);
                    options.pace = WalkPace::Speed(speed_mps);
                });
            }
            let mut again = vec![0; people.len()];
            while run.ends.len() < people.len() {
                let before = run.ends.len();
                run.tick();
                // Nobody is in the way of the others.
                for (name, ..) in &run.ends[before..] {
                    let who = run.world().find_character(name).unwrap();
                    characters::despawn(run.game.world_mut(), who, "there").unwrap();
                }
                for (again, &who) in again.iter_mut().zip(&people) {
                    let walk = run.world().character(who).and_then(|who| run.world().walk(who.walk?));
                    *again = walk.map_or(*again, |walk| walk.repaths);
                }
                assert!(run.seconds() < 120.0, "{kind} {agent_m} m, {speed_mps} m/s: {:?}", run.ends);
            }
            assert!(run.ends.iter().all(|(_, end, ..)| end.starts_with("arrived")), "{:?}", run.ends);
            assert!(
                again.iter().all(|&again| again == 0),
                "{kind} {agent_m} m, {speed_mps} m/s: {again:?} paths"
            );
        }
    }
}

/// A hall of 22 m by 22 m with blocks of a metre in it, on the same places in every run; 1.2 m and more lie
/// between them.
pub(super) fn hall_with_pillars(rng: &mut Rng) -> String {
    let mut pillars = Vec::new();
    for row in 0..6 {
        for column in 0..6 {
            let x = 2.0 + 3.0 * f64::from(column) + rng.float(0.0, 0.8);
            let z = 2.0 + 3.0 * f64::from(row) + rng.float(0.0, 0.8);
            pillars.push(format!(
                r#"{{ "name": "pillar {row} {column}", "polygon": [[{x:.3},{z:.3}],[{:.3},{z:.3}],[{:.3},{:.3}],[{x:.3},{:.3}]] }}"#,
                x + 1.0,
                x + 1.0,
                z + 1.0,
                z + 1.0
            ));
        }
    }
    format!(
        r#"{{ "name": "pillars", "navigation": {{ "cellSize": 0.2, "agentRadius": 0.4, "objectPadding": 0.0,
            "areas": [ {{ "name": "floor", "polygon": [[0,0],[22,0],[22,22],[0,22]] }} ], "obstacles": [{}] }},
            "characters": [ {{ "name": "hero", "position": [1, 1], "radius": 0.4, "player": true }} ] }}"#,
        pillars.join(",")
    )
}

/// Where the corner of a blocked cell is, seen from a free one: the corner, and the direction in which the
/// blocked cell lies.
fn corner_of_a_wall(stage: &Stage, rng: &mut Rng) -> Option<(Vec3, Vec3)> {
    const CELL_M: f32 = 0.2;
    let by = Traversal { radius_m: 0.4, ..Traversal::default() };
    let mut sign = || if rng.int(0, 1) == 0 { -1.0f32 } else { 1.0 };
    let (side, ahead) = (sign() * CELL_M, sign() * CELL_M);
    let mut cell = || CELL_M * (rng.int(6, 103) as f32 + 0.5);
    let centre = Vec3::new(cell(), 0.0, cell());
    let is_open = |x: f32, z: f32| stage.world().nav().is_walkable(centre + Vec3::new(x, 0.0, z), &by);
    let is_corner = is_open(0.0, 0.0) && is_open(side, 0.0) && is_open(side, ahead) && !is_open(0.0, ahead);
    is_corner.then(|| (centre + Vec3::new(side / 2.0, 0.0, ahead / 2.0), Vec3::new(-side, 0.0, ahead)))
}

/// Nobody is there, so nothing may stop a walker: not a hair beside the corner of a wall, and not looking
/// into it.
#[test]
fn from_beside_the_corner_of_a_wall_and_whatever_it_looks_at_a_walker_alone_arrives() {
    let mut rng = Rng::stream(23, "walls");
    let by = Traversal { radius_m: 0.4, ..Traversal::default() };
    let mut tried = 0;
    for _ in 0..4 {
        let mut stage = Stage::of(&hall_with_pillars(&mut rng));
        for _ in 0..20_000 {
            let Some((corner, blocked)) = corner_of_a_wall(&stage, &mut rng) else { continue };
            let hair_m = [1e-6, 1e-5, 1e-4, 1e-3][rng.int(0, 3) as usize];
            let (along_m, turned_rad) = (rng.float(1e-4, 0.03) as f32, rng.float(-0.8, 0.8) as f32);
            let beside = corner + Vec3::new(blocked.x.signum() * along_m, 0.0, -blocked.z.signum() * hair_m);
            let goal = corner + Vec3::new(-blocked.x * 1.5, 0.0, blocked.z * rng.float(8.0, 30.0) as f32);
            if !stage.world().nav().is_walkable(beside, &by) || !stage.world().nav().is_walkable(goal, &by) {
                continue;
            }
            tried += 1;
            let facing_rad = if blocked.z > 0.0 { turned_rad } else { std::f32::consts::PI + turned_rad };
            let hero = stage.hero();
            characters::teleport(stage.game.world_mut(), hero, beside, Some(facing_rad)).unwrap();
            stage.ticks(2);
            stage.ends.clear();
            stage.walk(goal.x, goal.z, |_| {});
            let ends = stage.until_settled(1, 3000);
            assert!(
                ends[0].starts_with("arrived"),
                "from {beside} facing {facing_rad} to {goal}: {ends:?} at {}",
                stage.position()
            );
        }
    }
    assert!(tried > 200, "{tried} tried");
}

/// Goal: a character alone on the map arrives at any speed. Method: a net of links as narrow as they may be,
/// and corridors of a metre that meet; from every direction, at speeds up to the greatest.
#[test]
fn whoever_is_alone_arrives_at_any_speed_on_nets_and_in_corridors() {
    let point = |at: usize| format!("[{}, 0, {}]", at % 4, at / 4);
    let points: Vec<String> = (0..16).map(point).collect();
    let along = (0..16).filter(|at| at % 4 < 3).map(|at| format!("[{at}, {}]", at + 1));
    let links: Vec<String> = along.chain((0..12).map(|at| format!("[{at}, {}]", at + 4))).collect();
    let net = format!(r#""kind": "graph", "points": [{}], "links": [{}]"#, points.join(","), links.join(","));
    let corridors = r#""kind": "grid", "cellSize": 0.1, "agentRadius": 0.35, "objectPadding": 0,
        "areas": [{ "name": "all", "polygon": [[-1,-1],[7,-1],[7,4],[-1,4]] }],
        "obstacles": [{ "name": "far", "polygon": [[-1,3],[7,3],[7,4],[-1,4]] },
            { "name": "left", "polygon": [[-1,-1],[2,-1],[2,2],[-1,2]] },
            { "name": "right", "polygon": [[3,-1],[7,-1],[7,2],[3,2]] }]"#;
    let cases: [(&str, [[f32; 2]; 3]); 2] =
        [(&net, [[0.0, 0.0], [3.0, 2.0], [1.0, 3.0]]), (corridors, [[2.5, 1.5], [0.5, 2.5], [5.5, 2.5]])];
    for (map, places) in cases {
        let level = format!(
            r#"{{ "navigation": {{ {map} }}, "characters": [{{ "name": "hero", "position": [{}, {}], "radius": 0.35, "rotationSpeed": 8.125 }}] }}"#,
            places[0][0], places[0][1]
        );
        let turning = [8.0, 2.0, 0.5];
        for (speed_mps, turn_radps) in
            [2.8, 4.0, 5.0, 8.0, 20.0, 50.0].into_iter().zip(turning.into_iter().cycle())
        {
            for turn in 0..8_u8 {
                let facing_rad = f32::from(turn) * std::f32::consts::FRAC_PI_4;
                let mut stage = Stage::of(&level.replace("8.125", &turn_radps.to_string()));
                let hero = stage.hero();
                for (nth, [x, z]) in places.into_iter().cycle().skip(1).take(5).enumerate() {
                    let here = stage.position();
                    characters::teleport(stage.game.world_mut(), hero, here, Some(facing_rad)).unwrap();
                    stage.walk(x, z, |options| options.pace = WalkPace::Speed(speed_mps));
                    stage.until_settled(nth + 1, 6000);
                }
                let ends = &stage.ends;
                assert!(
                    ends.len() == 5 && ends.iter().all(|end| end.starts_with("arrived")),
                    "{speed_mps} m/s, {turn_radps} rad/s, facing {facing_rad}: {ends:?} at {} on {map}",
                    stage.position()
                );
            }
        }
    }
}

#[test]
fn walks_end_far_from_the_origin_as_they_do_near_it() {
    for offset_m in [0, 9_000, 16_500, 20_000, 33_000, 49_000] {
        for kind in ["grid", "mesh"] {
            let square = |name: &str, x: i32| {
                let [left, right, near] = [offset_m + x, offset_m + x + 10, offset_m];
                let far = near + 10;
                format!(
                    r#"{{ "name": "{name}", "polygon": [[{left},{near}],[{right},{near}],[{right},{far}],[{left},{far}]] }}"#
                )
            };
            let navigation =
                format!(r#"{{ "kind": "{kind}", "areas": [{}, {}] }}"#, square("a", 0), square("b", 12));
            let at = |x: f32, z: f32| [offset_m as f32 + x, offset_m as f32 + z];
            let people = [("c", at(5.0, 3.125)), ("d", at(3.0, 8.0)), ("e", at(8.0, 1.0))];
            let people =
                people.map(|(name, [x, z])| format!(r#"{{ "name": "{name}", "position": [{x}, {z}] }}"#));
            let walk = |name: &str, [x, z]: [f32; 2], options: &str| {
                format!(
                    "world.character('{name}'):walkTo(vector.create({x}, 0, {z}), {{ {options} \
                    onSettled = function(result) log.info('{name} %s/%s', result.status, result.reason) end }})\n"
                )
            };
            let script = format!(
                "function onStart()\n{}{}{}timer.after(14, function() log.info('done') end)\nend",
                walk("c", at(17.0, 5.0), ""),
                walk("d", at(7.0, 8.0), "radius = 0,"),
                walk("e", at(15.0, 1.5), "accept = 'near',"),
            );
            let mut said = super::beside_goals::said(&navigation, &people.join(","), &script, 1200);
            said.sort();
            let ends = ["c partial/nearest", "d arrived/reached", "done", "e partial/nearest"];
            assert_eq!(said, ends, "{kind} at {offset_m} m");
        }
    }
}
