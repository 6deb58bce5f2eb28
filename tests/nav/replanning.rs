//! Plans that see others: who counts as standing in the way, goals that a character holds, planning again.
//!
//! Goal: rows D, R and N of the seeds as far as they are about plans and requests. Method: one open hall and
//! a hand that puts characters where they are needed; the look-up is compared with a look at everybody.

use glam::Vec3;
use walkon_runtime::base::geom::{flat_distance, ground, segment_distance_sq};
use walkon_runtime::base::ids::{CharacterId, WalkId};
use walkon_runtime::base::rng::Rng;
use walkon_runtime::world::area::Availability;
use walkon_runtime::world::bystanders::{Bystanders, Straight};
use walkon_runtime::world::door::DoorPolicy;
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::characters::{self, Spawn, despawn, teleport};
use walkon_runtime::world::ops::walk_changes::{pause, retarget};
use walkon_runtime::world::ops::walks::stop_in_place;
use walkon_runtime::world::walk::{AcceptEnd, Crowd, LookTarget, Walk};

use crate::crowd::crowd_rows::{CORRIDOR, Run};
use crate::fixture::{HALL, Stage, TWO_ROOMS, points, put, send};

fn at(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

fn place_of(stage: &Stage, who: CharacterId) -> Vec3 {
    stage.world().character(who).unwrap().body.position
}

/// How near a line through points comes to a place, metres.
fn nearest_m(points: &[Vec3], place: Vec3) -> f64 {
    let legs = points.windows(2);
    legs.map(|leg| segment_distance_sq(ground(place), ground(leg[0]), ground(leg[1])).sqrt())
        .fold(f64::INFINITY, f64::min)
}

fn settled(stage: &Stage, name: &str) -> Vec<(String, serde_json::Value)> {
    let facts = stage.facts("walkSettled").into_iter().filter(|fact| fact["character"] == name);
    let end = |fact: &serde_json::Value| {
        format!("{}/{}", fact["status"].as_str().unwrap(), fact["reason"].as_str().unwrap())
    };
    facts.map(|fact| (end(&fact), fact)).collect()
}

/// The ends of a character's walks.
fn ends(stage: &Stage, name: &str) -> Vec<String> {
    settled(stage, name).into_iter().map(|(end, _)| end).collect()
}

fn replans(stage: &Stage, name: &str) -> Vec<u64> {
    let facts = stage.facts("replanned").into_iter().filter(|fact| fact["character"] == name);
    facts.filter(|fact| fact["why"] == "crowd").map(|fact| fact["t"].as_u64().unwrap()).collect()
}

fn seen(stage: &mut Stage, from: Vec3, to: Vec3, but: &[CharacterId]) -> Vec<CharacterId> {
    let found = stage.game.world_mut().bystanders(Straight {
        from,
        to,
        layer: 0,
        keeps_off: None,
        goes_through: Some(&[]),
        but,
    });
    found.map(|found: Bystanders| found.who().to_vec()).unwrap_or_default()
}

#[test]
fn seed_d3_f8_who_counts_as_standing_in_the_way() {
    let mut stage = Stage::of(HALL);
    let (from, to) = (at(4.0, 20.0), at(36.0, 20.0));
    let ben = put(&mut stage, "ben", at(20.0, 25.9));
    stage.tick();
    assert_eq!(seen(&mut stage, from, to, &[]), [ben], "within 6 m of the straight line");
    assert_eq!(seen(&mut stage, from, to, &[ben]), [], "not oneself, nor whom one ignores");
    teleport(stage.game.world_mut(), ben, at(20.0, 26.1), None).unwrap();
    assert_eq!(seen(&mut stage, from, to, &[]), [], "farther away");
    teleport(stage.game.world_mut(), ben, at(20.0, 22.0), None).unwrap();
    assert_eq!(seen(&mut stage, from, to, &[]), [ben], "put back within the same tick");
    let walk = send(&mut stage, ben, Goal::Point(at(20.0, 30.0)), |_| {});
    assert_eq!(seen(&mut stage, from, to, &[]), [], "about to move");
    stage.tick();
    assert_eq!(seen(&mut stage, from, to, &[]), [], "moving");
    pause(stage.game.world_mut(), walk);
    assert_eq!(seen(&mut stage, from, to, &[]), [ben], "told to stand");
    stop_in_place(stage.game.world_mut(), ben).unwrap();
    assert_eq!(seen(&mut stage, from, to, &[]), [ben], "seed:F8: it has stopped");
    despawn(stage.game.world_mut(), ben, "test").unwrap();
    assert_eq!(seen(&mut stage, from, to, &[]), [], "dead");
}

#[test]
fn seed_d1_d3_the_look_up_finds_whom_a_look_at_everybody_finds() {
    let mut rng = Rng::stream(1, "bystanders");
    let place = |rng: &mut Rng| at(rng.float(1.0, 39.0) as f32, rng.float(1.0, 39.0) as f32);
    let mut stage = Stage::of(HALL);
    let mut crowd: Vec<CharacterId> = (0..150)
        .map(|n| {
            let to = place(&mut rng);
            put(&mut stage, &format!("c{n}"), to)
        })
        .collect();
    for round in 0..40 {
        if round % 8 == 0 {
            stage.tick();
        }
        // Changes that scripts make between two questions: more than the list of late ones holds, now and
        // then.
        for late in 0..rng.below(40) {
            let who = crowd[rng.below(crowd.len() as u64) as usize];
            match rng.below(4) {
                0 => {
                    let to = place(&mut rng);
                    teleport(stage.game.world_mut(), who, to, None).unwrap();
                }
                1 => {
                    let to = place(&mut rng);
                    send(&mut stage, who, Goal::Point(to), |_| {});
                }
                2 => {
                    stop_in_place(stage.game.world_mut(), who).unwrap();
                }
                _ if crowd.len() > 50 && rng.chance(0.2) => {
                    crowd.retain(|&other| other != who);
                    despawn(stage.game.world_mut(), who, "test").unwrap();
                }
                _ => {
                    let to = place(&mut rng);
                    crowd.push(put(&mut stage, &format!("l{round}-{late}"), to));
                }
            }
        }
        let (from, to, but) = (place(&mut rng), place(&mut rng), crowd[0]);
        let world = stage.world();
        let is_under_way = |id: WalkId| world.walk(id).is_some_and(Walk::is_under_way);
        let expected: Vec<CharacterId> = world
            .characters()
            .filter(|&(id, own)| {
                let away = segment_distance_sq(ground(own.body.position), ground(from), ground(to)).sqrt();
                let stands = own.nudge.is_none() && !own.walk.is_some_and(is_under_way);
                id != but && stands && away <= 6.0
            })
            .map(|(id, _)| id)
            .collect();
        let found = seen(&mut stage, from, to, &[but]);
        assert_eq!(found, expected, "round {round}");
        assert_eq!(seen(&mut stage, from, to, &[but]), expected, "seed:D1: the second question of a tick");
    }
}

#[test]
fn seed_d2_d4_d5_plans_go_around_who_stands_and_through_who_moves() {
    let mut stage = Stage::of(HALL);
    let ben = put(&mut stage, "ben", at(20.0, 20.0));
    let hero = stage.hero();
    teleport(stage.game.world_mut(), hero, at(10.0, 20.0), None).unwrap();
    stage.tick();
    let map = stage.game.fingerprint().map;
    let walk = stage.walk(30.0, 20.0, |_| {});
    stage.tick();
    assert_eq!(stage.game.fingerprint().map, map, "seed:D2: the map is never changed");
    let way = points(&stage, walk);
    assert!(nearest_m(&way, at(20.0, 20.0)) >= 0.21, "seed:D5: 0.6 of the radius: {way:?}");
    assert!(nearest_m(&way, at(20.0, 20.0)) < 1.2, "no wider than that takes: {way:?}");
    let ghost = stage.walk(30.0, 20.0, |options| options.crowd = Crowd::Ghost);
    stage.tick();
    assert_eq!(points(&stage, ghost).len(), 2, "ghosts pass through");
    send(&mut stage, ben, Goal::Point(at(38.0, 20.0)), |_| {});
    let behind = stage.walk(36.0, 20.0, |_| {});
    stage.tick();
    assert_eq!(points(&stage, behind).len(), 2, "seed:D4: head to tail, straight on");
}

#[test]
fn seed_d5_a_gap_that_is_open_at_a_part_of_the_radius_is_planned_through() {
    for (fraction, open) in [(0.6, true), (1.0, false)] {
        let json = HALL.replacen(
            '{',
            &format!("{{ \"crowd\": {{ \"dynamicObstacleRadiusFraction\": {fraction} }},"),
            1,
        );
        let mut stage = Stage::of(&json);
        let hero = stage.hero();
        teleport(stage.game.world_mut(), hero, at(10.1, 20.1), None).unwrap();
        // A row of people 1.2 m apart, each a bit off the middle of its cell: between circles of 0.21 m a
        // cell in three is free, between those of 0.35 m none.
        for n in 0..7 {
            put(&mut stage, &format!("c{n}"), at(20.2, 17.0 + 1.2 * n as f32));
        }
        stage.tick();
        let walk = stage.walk(30.1, 20.3, |_| {});
        stage.tick();
        let way = points(&stage, walk);
        let through = way.iter().all(|point| (point.z - 20.1).abs() < 3.0);
        assert_eq!(through, open, "{fraction}: {way:?}");
    }
}

#[test]
fn seed_d6_who_stands_in_the_only_door_is_planned_through() {
    let mut stage = Stage::of(TWO_ROOMS);
    put(&mut stage, "ben", at(10.5, 4.7));
    put(&mut stage, "carl", at(10.5, 5.3));
    stage.tick();
    let walk = stage.walk(18.0, 5.0, |_| {});
    stage.tick();
    let way = points(&stage, walk);
    assert!(way.last().is_some_and(|end| flat_distance(*end, at(18.0, 5.0)) < 1e-4), "{way:?}");
}

/// Runs until a character's walks have come to an end, at most twelve seconds.
fn until(stage: &mut Stage, name: &str) -> Vec<String> {
    for _ in 0..720 {
        if !ends(stage, name).is_empty() {
            break;
        }
        stage.tick();
    }
    ends(stage, name)
}

#[test]
fn a_goal_that_somebody_holds_ends_as_the_walk_accepts() {
    let cases = [
        (AcceptEnd::Partial, "blocked/occupied"),
        (AcceptEnd::Exact, "blocked/occupied"),
        (AcceptEnd::Near, "arrived/closeEnough"),
        (AcceptEnd::Nearest, "arrived/closeEnough"),
    ];
    for (accept, end) in cases {
        let mut stage = Stage::of(HALL);
        let ben = put(&mut stage, "ben", at(12.0, 4.0));
        stage.tick();
        stage.walk(12.0, 4.0, |options| (options.accept, options.patience_ticks) = (accept, 60));
        assert_eq!(until(&mut stage, "hero"), [end], "{accept:?}");
        let (_, fact) = settled(&stage, "hero").remove(0);
        assert_eq!(fact["by"], "ben", "{accept:?}: {fact}");
        let gap_m = flat_distance(stage.position(), place_of(&stage, ben));
        assert!(gap_m > 0.69 && gap_m < 1.0, "{accept:?}: beside, not on top: {gap_m}");
        let remaining_m = fact["remaining"].as_f64().unwrap();
        assert!((remaining_m - f64::from(gap_m)).abs() < 0.05, "{accept:?}: {remaining_m} of {gap_m}");
        let ticks = fact["ticks"].as_u64().unwrap();
        let walking = (f64::from(8.0 - gap_m) / 1.4 * 60.0) as u64;
        let waiting = if end.starts_with("blocked") { 60 } else { 0 };
        assert!(ticks.abs_diff(walking + waiting) < 90, "{accept:?}: {ticks}, {walking} of them on the way");
        let rest = (stage.position(), place_of(&stage, ben));
        stage.ticks(120);
        assert!(flat_distance(stage.position(), rest.0) < 0.05, "{accept:?}: it stands");
        assert!(flat_distance(place_of(&stage, ben), rest.1) < 0.05, "{accept:?}: nobody was pushed off");
    }
}

#[test]
fn who_waits_beside_a_goal_takes_it_when_it_is_left() {
    let mut stage = Stage::of(HALL);
    let ben = put(&mut stage, "ben", at(12.0, 4.0));
    stage.tick();
    let walk = stage.walk(12.0, 4.0, |_| {});
    stage.ticks(400);
    assert_eq!(stage.world().walk(walk).unwrap().state_name(), "waiting");
    send(&mut stage, ben, Goal::Point(at(20.0, 4.0)), |_| {});
    assert_eq!(until(&mut stage, "hero"), ["arrived/reached"]);
    let (_, fact) = settled(&stage, "hero").remove(0);
    assert!(fact["by"].is_null(), "{fact}");
    assert!(flat_distance(stage.position(), at(12.0, 4.0)) <= 0.05);
    assert_eq!(replans(&stage, "hero").len(), 1);
}

#[test]
fn a_goal_that_somebody_takes_on_the_way_is_held() {
    let mut stage = Stage::of(HALL);
    let ben = put(&mut stage, "ben", at(20.0, 6.0));
    stage.walk(20.0, 4.0, |options| options.patience_ticks = 30);
    send(&mut stage, ben, Goal::Point(at(20.0, 4.0)), |_| {});
    assert_eq!(until(&mut stage, "ben"), ["arrived/reached"]);
    assert_eq!(until(&mut stage, "hero"), ["blocked/occupied"]);
    assert_eq!(replans(&stage, "hero").len(), 1, "when ben came to stand there");
}

#[test]
fn of_several_walkers_to_one_goal_the_first_to_stand_there_holds_it() {
    let mut stage = Stage::of(HALL);
    let names = ["ben", "carl", "dora"];
    for (n, name) in names.iter().enumerate() {
        let who = put(&mut stage, name, at(24.0 + 2.0 * n as f32, 20.0 + n as f32));
        send(&mut stage, who, Goal::Point(at(20.0, 20.0)), |options| options.accept = AcceptEnd::Near);
    }
    stage.ticks(900);
    assert_eq!(ends(&stage, "ben"), ["arrived/reached"]);
    for name in ["carl", "dora"] {
        assert_eq!(ends(&stage, name), ["arrived/closeEnough"]);
        assert_eq!(settled(&stage, name)[0].1["by"], "ben");
    }
}

#[test]
fn seed_d3_walking_up_to_a_character_ends_within_talking_distance_however_near_it_was_to_come() {
    for (radius, end) in [(None, "arrived/reached"), (Some(0.1), "arrived/closeEnough")] {
        let mut stage = Stage::of(HALL);
        let ben = put(&mut stage, "ben", at(12.0, 4.0));
        stage.tick();
        let hero = stage.hero();
        send(&mut stage, hero, Goal::Character(ben), |options| options.radius_m = radius);
        assert_eq!(until(&mut stage, "hero"), [end], "{radius:?}");
        assert!(flat_distance(stage.position(), place_of(&stage, ben)) <= 1.35);
    }
}

#[test]
fn seed_n17_two_that_walk_to_each_other_meet_and_stand() {
    let mut stage = Stage::of(HALL);
    let (hero, ben) = (stage.hero(), put(&mut stage, "ben", at(30.0, 24.0)));
    send(&mut stage, hero, Goal::Character(ben), |_| {});
    send(&mut stage, ben, Goal::Character(hero), |_| {});
    assert_eq!(until(&mut stage, "hero"), ["arrived/reached"]);
    stage.ticks(2);
    assert_eq!(ends(&stage, "ben"), ["arrived/reached"]);
    let met = [place_of(&stage, hero), place_of(&stage, ben)];
    let gap_m = flat_distance(met[0], met[1]);
    assert!(gap_m <= 1.35 && gap_m > 1.0, "{gap_m}");
    for _ in 0..600 {
        stage.tick();
        assert!(flat_distance(place_of(&stage, hero), met[0]) <= 0.05);
        assert!(flat_distance(place_of(&stage, ben), met[1]) <= 0.05);
    }
    assert_eq!((ends(&stage, "hero").len(), ends(&stage, "ben").len()), (1, 1));
}

/// A walker from west to east through the middle of the hall, under way for a second.
fn crossing(rate: u32) -> (Stage, WalkId) {
    let mut stage = Stage::at_rate(HALL, rate);
    let hero = stage.hero();
    teleport(stage.game.world_mut(), hero, at(4.0, 20.0), None).unwrap();
    let walk = stage.walk(36.0, 20.0, |_| {});
    stage.ticks(u64::from(rate));
    (stage, walk)
}

#[test]
fn seed_r1_displacement_adds_up_until_it_counts_at_every_tick_rate() {
    for rate in [30, 60, 120] {
        let (mut stage, walk) = crossing(rate);
        let ben = put(&mut stage, "ben", at(10.0, 21.5));
        stage.ticks(2);
        assert_eq!(replans(&stage, "hero").len(), 0, "{rate} Hz: it stands beside the way");
        // Dragged onto the way, 0.6 m/s: less than 0.05 m a tick at every rate.
        let mut z = 21.5;
        while z > 20.0 {
            z -= 0.6 / rate as f32;
            teleport(stage.game.world_mut(), ben, at(10.0, z), None).unwrap();
            stage.tick();
        }
        stage.ticks(2);
        assert!(!replans(&stage, "hero").is_empty(), "{rate} Hz");
        let way = points(&stage, walk);
        assert!(nearest_m(&way, place_of(&stage, ben)) > 0.15, "{rate} Hz: {way:?}");
    }
}

#[test]
fn seed_r2_r4_who_stops_in_the_way_causes_one_plan_around_it() {
    for rate in [30, 60, 120] {
        let (mut stage, walk) = crossing(rate);
        let ben = put(&mut stage, "ben", at(16.0, 26.0));
        send(&mut stage, ben, Goal::Point(at(16.0, 20.0)), |options| {
            options.pace = walkon_runtime::world::walk::WalkPace::Speed(3.0)
        });
        assert_eq!(until(&mut stage, "ben"), ["arrived/reached"]);
        stage.tick();
        let way = points(&stage, walk);
        assert!(nearest_m(&way, at(16.0, 20.0)) >= 0.21, "{rate} Hz: {way:?}");
        for _ in 0..60 * rate {
            if !ends(&stage, "hero").is_empty() {
                break;
            }
            stage.tick();
        }
        assert_eq!(replans(&stage, "hero").len(), 1, "{rate} Hz");
        let (end, fact) = settled(&stage, "hero").remove(0);
        assert_eq!((end.as_str(), &fact["repaths"]), ("arrived/reached", &1.into()), "seed:R4");
        assert_eq!(fact["walk"], 1, "seed:R4: the same walk");
    }
}

#[test]
fn seed_r3_nobody_plans_anew_more_than_twice_a_second() {
    for rate in [30, 60, 120] {
        let (mut stage, _) = crossing(rate);
        let ben = put(&mut stage, "ben", at(30.0, 30.0));
        for tick in 0..10 * rate {
            // A pest that stands on the way ahead, here and there, eight times a second.
            if tick % (rate / 8) == 0 {
                let side = if tick % (rate / 4) == 0 { 0.0 } else { 1.5 };
                let place = stage.position() + at(1.7, side);
                teleport(stage.game.world_mut(), ben, place, None).unwrap();
            }
            stage.tick();
        }
        let replans = replans(&stage, "hero");
        assert!(replans.len() <= 20 && replans.len() >= 5, "{rate} Hz: {}", replans.len());
        let cooldown = u64::from(rate) / 2;
        assert!(replans.windows(2).all(|pair| pair[1] - pair[0] >= cooldown), "{rate} Hz: {replans:?}");
    }
}

#[test]
fn seed_r3_somebody_who_walks_round_a_walker_causes_no_plan() {
    let (mut stage, _) = crossing(60);
    let ben = put(&mut stage, "ben", at(8.0, 21.0));
    let expansions = stage.world().path_counts().requests;
    let walk = send(&mut stage, ben, Goal::Point(at(8.0, 19.0)), |_| {});
    stage.tick();
    for tick in 0..600 {
        // Round and round on its walk, without ever standing.
        let angle = tick as f32 * 0.05;
        let goal = stage.position() + at(angle.sin(), angle.cos()) * 1.5;
        retarget(stage.game.world_mut(), walk, Goal::Point(goal)).unwrap();
        stage.tick();
    }
    assert!(stage.world().path_counts().requests > expansions, "the other one did plan");
    assert_eq!(replans(&stage, "hero").len(), 0);
}

#[test]
fn seed_r6_pushes_too_small_to_count_cause_no_plan() {
    for (push_m, counts) in [(0.02, false), (0.9, true)] {
        let (mut stage, _) = crossing(60);
        let start = stage.position();
        let crowd: Vec<CharacterId> =
            (0..20).map(|n| put(&mut stage, &format!("c{n}"), start + at(1.0 + n as f32, 0.9))).collect();
        stage.ticks(2);
        let before = replans(&stage, "hero").len();
        for tick in 0..300 {
            for (n, &who) in crowd.iter().enumerate() {
                let pushed = if tick % 2 == 0 { push_m } else { 0.0 };
                let place = start + at(1.0 + n as f32, 0.9 - pushed);
                teleport(stage.game.world_mut(), who, place, None).unwrap();
            }
            stage.tick();
        }
        assert_eq!(replans(&stage, "hero").len() > before, counts, "{push_m}");
    }
}

#[test]
fn seed_r5_who_is_walled_in_settles_once_standing_on_the_ground() {
    let json = r#"{ "navigation": { "agentRadius": 0.35, "objectPadding": 0.0, "areas": [
        { "name": "west", "polygon": [[0,0],[10,0],[10,10],[0,10]] },
        { "name": "middle", "polygon": [[10,0],[20,0],[20,10],[10,10]] },
        { "name": "east", "polygon": [[20,0],[30,0],[30,10],[20,10]] } ] },
      "characters": [ { "name": "hero", "position": [2, 5] } ] }"#;
    let mut stage = Stage::of(json);
    stage.walk(28.0, 5.0, |_| {});
    stage.ticks(500);
    let inside = stage.position();
    assert!(inside.x > 11.0 && inside.x < 19.0, "{inside}");
    for name in ["west", "east"] {
        let area = stage.world().find_area(name).unwrap();
        walkon_runtime::world::ops::areas::set_available(
            stage.game.world_mut(),
            area,
            Availability::Unavailable,
        )
        .unwrap();
    }
    stage.ticks(1200);
    assert_eq!(ends(&stage, "hero"), ["partial/nearest"]);
    let own = stage.world().character(stage.hero()).unwrap();
    assert!(!own.is_moving && stage.world().nav().is_walkable(own.body.position, &Default::default()));
    assert!(own.body.position.x > 10.0 && own.body.position.x < 20.0);
}

/// People in a row across the way, alike on both sides of it.
fn row(stage: &mut Stage, x: f32, half: i32) -> Vec<CharacterId> {
    (-half..=half).map(|n| put(stage, &format!("r{n}"), at(x, 20.0 + 0.7 * n as f32))).collect()
}

#[test]
fn nobody_swings_between_two_ways_that_are_as_good() {
    let (mut stage, _) = crossing(60);
    let crowd = row(&mut stage, 20.0, 4);
    let mut rng = Rng::stream(3, "swing");
    let (mut sides, mut last) = (0, 0.0f32);
    for tick in 0..3000 {
        if !ends(&stage, "hero").is_empty() {
            break;
        }
        // The row shuffles: now one side of it is the shorter way round, now the other.
        if tick % 20 == 0 {
            let shift = rng.float(-0.35, 0.35) as f32;
            for (n, &who) in crowd.iter().enumerate() {
                let place = at(20.0, 20.0 + shift + 0.7 * (n as f32 - 4.0));
                teleport(stage.game.world_mut(), who, place, None).unwrap();
            }
        }
        stage.tick();
        let place = stage.position();
        let side =
            if (place.z - 20.0).abs() < 0.3 || place.x > 19.0 { last } else { (place.z - 20.0).signum() };
        sides += u32::from(side != last && last != 0.0);
        last = side;
    }
    assert!(sides <= 1, "changed sides {sides} times");
    assert_eq!(ends(&stage, "hero"), ["arrived/reached"]);
}

#[test]
fn a_better_way_is_taken_when_it_is_a_tenth_cheaper_and_not_for_less() {
    // A long row makes a long way round, a short row hardly any.
    for (half, despawns, taken) in [(7, false, true), (7, true, true), (1, false, false)] {
        let (mut stage, _) = crossing(60);
        let crowd = row(&mut stage, 10.0, half);
        stage.tick();
        let walk = stage.walk(14.0, 20.0, |_| {});
        stage.ticks(40);
        let around = points(&stage, walk);
        assert!(around.len() > 2, "{around:?}");
        let before = replans(&stage, "hero").len();
        for who in crowd {
            if despawns {
                despawn(stage.game.world_mut(), who, "test").unwrap();
            } else {
                send(&mut stage, who, Goal::Point(at(38.0, 38.0)), |_| {});
            }
        }
        stage.ticks(60);
        assert_eq!(replans(&stage, "hero").len() > before, taken, "row of {half}");
        assert_eq!(points(&stage, walk).len() == 2, taken, "row of {half}");
    }
}

#[test]
fn walkers_in_motion_ask_for_nothing() {
    let mut stage = Stage::of(HALL);
    let mut rng = Rng::stream(4, "motion");
    for n in 0..60 {
        let place = |rng: &mut Rng| at(rng.float(1.0, 39.0) as f32, rng.float(1.0, 39.0) as f32);
        let (from, to) = (place(&mut rng), place(&mut rng));
        let who = put(&mut stage, &format!("c{n}"), from);
        send(&mut stage, who, Goal::Point(to), |options| {
            options.pace = walkon_runtime::world::walk::WalkPace::Speed(0.5)
        });
    }
    stage.ticks(2);
    let before = stage.world().path_counts();
    stage.ticks(30);
    let unsettled = stage.ends.len();
    assert_eq!(stage.world().path_counts().requests - before.requests, 0, "{unsettled} have arrived");
}

#[test]
fn a_path_that_is_bent_to_a_new_end_leads_on_from_where_the_body_stands() {
    let mut stage = Stage::of(HALL);
    let ben = put(&mut stage, "ben", at(24.0, 4.05));
    send(&mut stage, ben, Goal::Point(at(2.0, 4.05)), |_| {});
    stage.walk(34.0, 4.0, |_| {});
    let mut bent = 0;
    for _ in 0..900 {
        stage.tick();
        let (place, hero) = (stage.position(), stage.hero());
        // Half a step beside its path, in the middle of passing.
        if (place.z - 4.0).abs() < 0.1 {
            continue;
        }
        let walk = stage.walk(34.0, 4.0 + 0.01 * (1 + bent % 9) as f32, |_| {});
        let following = stage.world().walk(walk).unwrap().following.clone().unwrap();
        let leg = following.cursor.segment as usize;
        assert_eq!(following.path.points[leg], place, "the leg under way begins where it stands");
        let left_m = following.cursor.left_m(&following.path, place);
        assert!(
            (left_m - flat_distance(place, following.path.points[leg + 1])).abs() < 1e-4,
            "{left_m} m left"
        );
        assert_eq!(stage.world().character(hero).unwrap().walk, Some(walk));
        bent += 1;
    }
    assert!(bent > 10, "it passed {bent} ticks beside its path");
}

#[test]
fn people_who_queue_behind_a_slowly_opening_door_do_not_lose_patience() {
    let level = TWO_ROOMS.replace(r#""open": true, "seconds": 0.5"#, r#""open": false, "seconds": 12"#);
    let mut stage = Stage::of(&level);
    for index in 0..12 {
        let name = format!("c{index}");
        let who = put(&mut stage, &name, at(8.6 - 0.8 * (index / 2) as f32, 4.6 + 0.8 * (index % 2) as f32));
        let goal = Goal::Point(at(13.0 + 0.9 * (index / 2) as f32, 3.0 + 4.0 * (index % 2) as f32));
        send(&mut stage, who, goal, |options| options.doors = Some(DoorPolicy::Open));
    }
    while stage.facts("doorChanged").len() < 2 && stage.world().tick().0 < 60 * 20 {
        stage.tick();
    }
    assert!(stage.world().tick().0 > 60 * 12, "the door took its time");
    assert_eq!(stage.ends, [""; 0], "nobody has given up, four times their patience later");
    let ends = stage.until_settled(6, 60 * 30);
    assert!(ends.iter().filter(|end| *end == "arrived/reached").count() >= 5, "{ends:?}");
}

#[test]
fn who_steps_aside_goes_on_with_its_turn() {
    let mut run = Run::of(CORRIDOR);
    let mut post = Spawn::new("post", at(12.0, 3.0));
    post.gait.turn_radps = 0.3;
    let post = characters::spawn(run.game.world_mut(), post).unwrap().unwrap();
    let wanted_rad = 2.5;
    characters::face(run.game.world_mut(), post, LookTarget::Angle(wanted_rad)).unwrap();
    let mover = run.spawn("mover", (9.0, 3.0));
    run.walk(mover, (20.0, 3.0));
    while run.nudges.is_empty() && run.seconds() < 6.0 {
        run.tick();
    }
    assert!(!run.nudges.is_empty(), "it was asked aside");
    assert!(run.world().character(post).unwrap().turn.is_some(), "asked aside");
    while run.world().character(post).unwrap().turn.is_some() && run.seconds() < 120.0 {
        run.tick();
    }
    let post = run.world().character(post).unwrap();
    assert!(
        post.turn.is_none() && (post.facing_rad - wanted_rad).abs() < 1e-3,
        "it looks to {}",
        post.facing_rad
    );
}
