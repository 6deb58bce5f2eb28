//! Laws about people who come to one place: to a person, to a point, past a character that stands.
//!
//! Goal: all who walk to one goal end in peace, a character that has arrived is left alone, files back out of
//! lanes, and nobody walks on the spot. Method: random parties drawn from a seed, small levels made here; the
//! judge of `tests/invariants.rs` after every tick; steps aside and ends of walks are read from the trace.

use std::collections::{BTreeMap, VecDeque};

use walkon_runtime::base::ids::CharacterId;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::base::trig;
use walkon_runtime::glam::Vec3;
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::characters::{self, Spawn};
use walkon_runtime::world::ops::walks::{WalkOrder, walk_to};
use walkon_runtime::world::owner::Owner;
use walkon_runtime::world::walk::{AcceptEnd, WalkOptions};

use crate::crowd::crowd_rows::Run;
use crate::crowd::walks::hall_with_pillars;

/// Halls with pillars that are tried.
const SEEDS_BETWEEN_PILLARS: u64 = 20;

/// A hall of 40 m by 40 m.
const HALL: &str = r#"{ "navigation": { "agentRadius": 0.35, "areas": [
  { "name": "hall", "polygon": [[0,0],[40,0],[40,40],[0,40]] } ] } }"#;

/// Two rooms joined by a lane of 12 m and one cell.
const LANE: &str = r#"{ "navigation": { "agentRadius": 0.35, "areas": [
  { "name": "west", "polygon": [[0,0],[6,0],[6,6],[0,6]] },
  { "name": "lane", "polygon": [[6,2.6],[18,2.6],[18,3.0],[6,3.0]] },
  { "name": "east", "polygon": [[18,0],[24,0],[24,6],[18,6]] } ] } }"#;

/// Two rooms joined by an archway of 0.8 m, as wide as one body and a little.
fn arch(kind: &str, agent_radius_m: f32) -> String {
    format!(
        r#"{{ "navigation": {{ "kind": "{kind}", "agentRadius": {agent_radius_m}, "objectPadding": 0, "areas": [
  {{ "name": "west", "polygon": [[0,0],[8,0],[8,8],[0,8]] }},
  {{ "name": "arch", "polygon": [[8,3.55],[8.8,3.55],[8.8,4.45],[8,4.45]] }},
  {{ "name": "east", "polygon": [[8.8,0],[16.8,0],[16.8,8],[8.8,8]] }} ] }} }}"#
    )
}

fn sized(run: &mut Run, name: &str, (x, z): (f32, f32), radius_m: f32) -> CharacterId {
    let mut person = Spawn::new(name, Vec3::new(x, 0.0, z));
    person.radius_m = radius_m;
    characters::spawn(run.game.world_mut(), person).unwrap().unwrap()
}

fn walk_up_to(run: &mut Run, character: CharacterId, target: CharacterId) {
    let options = WalkOptions::at(run.world().rate());
    let goal = Goal::Character(target);
    walk_to(run.game.world_mut(), WalkOrder { character, goal, options, owner: Owner::HOST }).unwrap();
}

/// Where they all go.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Centre {
    /// To a character that stands.
    Person,
    /// To a point.
    Point,
    /// To a point on which a character stands.
    HeldPoint,
}

/// People of all sizes, from all over the hall or from one corner, in no order.
fn party(rng: &mut Rng, centre: Centre) -> Run {
    let mut run = Run::of(HALL);
    let host = (centre != Centre::Point).then(|| sized(&mut run, "host", (20.0, 20.0), 0.35));
    let (count, from_corner) = (rng.int(2, 24), rng.int(0, 1) == 0);
    let mut taken: Vec<(f32, f32)> = Vec::new();
    let people: Vec<CharacterId> = (0..count)
        .map(|index| {
            let place = loop {
                let most = if from_corner { 10.0 } else { 39.0 };
                let place = (rng.float(1.0, most) as f32, rng.float(1.0, most) as f32);
                let is_far = (place.0 - 20.0).hypot(place.1 - 20.0) > 6.0;
                if is_far && taken.iter().all(|other| (place.0 - other.0).hypot(place.1 - other.1) > 1.0) {
                    break place;
                }
            };
            taken.push(place);
            sized(&mut run, &format!("guest{index}"), place, rng.float(0.25, 0.45) as f32)
        })
        .collect();
    for &person in &people {
        match (centre, host) {
            (Centre::Person, Some(host)) => walk_up_to(&mut run, person, host),
            _ => run.walk_with(person, (20.0, 20.0), |options| options.accept = AcceptEnd::Near),
        }
    }
    // The furthest come 27 m, and wait a little for one another.
    run.until_ends(people.len(), 45.0);
    run
}

#[test]
fn all_who_walk_to_one_goal_end_in_peace_and_leave_alone_who_has_arrived() {
    let mut rng = Rng::stream(15, "gatherings");
    for round in 0..12 {
        for centre in [Centre::Person, Centre::Point, Centre::HeldPoint] {
            let mut run = party(&mut rng, centre);
            let what = format!("round {round}, {centre:?}");
            let arrived = |end: &str| matches!(end, "arrived/reached" | "arrived/closeEnough");
            assert!(run.ends.iter().all(|(_, end, ..)| arrived(end)), "{what}: {:?}", run.ends);
            assert_eq!(run.nudges, [], "{what}: nobody is asked aside");
            if centre != Centre::Point {
                let host = run.world().find_character("host").unwrap();
                let moved_m = run.at(host).distance(Vec3::new(20.0, 0.0, 20.0));
                // A character that comes to the point itself may touch a character that stands on it before
                // it stops beside.
                let most_m = if centre == Centre::Person { 0.01 } else { 0.2 };
                assert!(moved_m < most_m, "{what}: the host was dragged {moved_m} m");
            }
            run.run(1.0);
            let before: Vec<Vec3> = run.world().characters().map(|(_, who)| who.body.position).collect();
            run.run(1.0);
            let after = run.world().characters().map(|(_, who)| who.body.position);
            let stirred_m = after.zip(before).map(|(now, then)| now.distance(then)).fold(0.0, f32::max);
            assert!(stirred_m < 0.01, "{what}: somebody moved {stirred_m} m afterwards");
            run.assert_clean(&what);
        }
    }
}

/// Those on the outside stand further from the point than anybody looks for a place beside it.
#[test]
fn two_hundred_who_walk_to_one_point_all_arrive() {
    let mut rng = Rng::stream(15, "two hundred");
    let mut scattered: Vec<(f32, f32)> = Vec::new();
    while scattered.len() < 200 {
        let place = (rng.float(1.0, 39.0) as f32, rng.float(1.0, 39.0) as f32);
        let is_far = |other: (f32, f32), far_m: f32| (place.0 - other.0).hypot(place.1 - other.1) > far_m;
        if is_far((20.0, 20.0), 4.0) && scattered.iter().all(|&other| is_far(other, 0.8)) {
            scattered.push(place);
        }
    }
    let spiral = (0..200_u8).map(|at| {
        let (angle, out) = (0.4 + 2.4 * f64::from(at), 6.0 + f64::from(at) / 18.0);
        ((20.0 + out * libm::cos(angle)) as f32, (20.0 + out * libm::sin(angle)) as f32)
    });
    for (kind, places) in [("mesh", scattered), ("grid", spiral.collect())] {
        let hall = HALL.replace("\"agentRadius\"", &format!("\"kind\": \"{kind}\", \"agentRadius\""));
        let mut run = Run::within(&hall, 5.0);
        for (at, &place) in places.iter().enumerate() {
            let who = run.spawn(&format!("g{at}"), place);
            run.walk_with(who, (20.0, 20.0), |options| options.accept = AcceptEnd::Near);
        }
        run.until_ends(places.len(), 240.0);
        let left: Vec<_> = run.ends.iter().filter(|end| !end.1.starts_with("arrived/")).collect();
        assert!(left.is_empty(), "{kind}: {} of {}: {left:?}", left.len(), places.len());
    }
}

/// Goal: of those who walk to a point that nobody can reach, each ends as near as it gets, and none sends the
/// others round and round. Method: points in and beside a block in the middle of a room, and outside of it,
/// as many as come from all sides, on cells and on a mesh.
#[test]
fn all_who_walk_to_a_point_that_cannot_be_reached_end_as_near_as_they_get() {
    for kind in ["grid", "mesh"] {
        let room = format!(
            r#"{{ "navigation": {{ "kind": "{kind}", "areas": [
                {{ "name": "room", "polygon": [[0, 0], [20, 0], [20, 20], [0, 20]] }} ],
            "obstacles": [{{ "name": "block", "polygon": [[9, 9], [11, 9], [11, 11], [9, 11]] }}] }} }}"#
        );
        for goal in [(10.1, 11.2), (11.3, 10.2), (10.0, 10.0), (10.9, 10.9), (22.0, 13.0)] {
            for count in [2, 4, 7, 12] {
                for accept in [AcceptEnd::Partial, AcceptEnd::Near, AcceptEnd::Nearest] {
                    let mut run = Run::within(&room, 1.0);
                    for at in 0..count {
                        let angle = std::f64::consts::TAU * f64::from(at) / f64::from(count);
                        let place = (10.0 + 7.0 * libm::cos(angle), 10.0 + 7.0 * libm::sin(angle));
                        let who = run.spawn(&format!("w{at}"), (place.0 as f32, place.1 as f32));
                        run.walk_with(who, goal, |options| options.accept = accept);
                    }
                    run.until_ends(count as usize, 40.0);
                    let as_near =
                        if accept == AcceptEnd::Nearest { "arrived/nearest" } else { "partial/nearest" };
                    let what = format!("{kind}, {count} to {goal:?}, {accept:?}");
                    assert!(run.ends.iter().all(|end| end.1 == as_near), "{what}: {:?}", run.ends);
                    run.assert_clean(&what);
                }
            }
        }
    }
}

#[test]
fn a_goal_beside_somebody_who_stands_is_come_as_near_to_as_there_is_room() {
    for side in 0..8_u8 {
        let angle = f64::from(side) * std::f64::consts::FRAC_PI_4;
        let way = Vec3::new(libm::cos(angle) as f32, 0.0, libm::sin(angle) as f32);
        for (away_m, accept, end) in [
            (0.4, AcceptEnd::Partial, "arrived/closeEnough"),
            (0.5, AcceptEnd::Near, "arrived/closeEnough"),
            (0.6, AcceptEnd::Partial, "arrived/closeEnough"),
            (0.6, AcceptEnd::Nearest, "arrived/closeEnough"),
            (0.2, AcceptEnd::Near, "arrived/closeEnough"),
            (0.2, AcceptEnd::Partial, "blocked/occupied"),
            (0.75, AcceptEnd::Partial, "arrived/reached"),
        ] {
            let mut run = Run::of(HALL);
            let stands = run.spawn("stands", (20.1, 20.1));
            let mover = run.spawn("mover", (13.0, 20.0));
            let goal = run.at(stands) + way * away_m;
            run.walk_with(mover, (goal.x, goal.z), |options| options.accept = accept);
            run.until_ends(1, 15.0);
            let what = format!("{away_m} m beside, from {side}, {accept:?}");
            assert_eq!(run.ends[0].1, end, "{what}: {:?}", run.ends);
            let moved_m = run.at(stands).distance(Vec3::new(20.1, 0.0, 20.1));
            // To a goal that leaves a gap of five centimetres one may brush past.
            let most_m = if end == "arrived/reached" { 0.15 } else { 0.05 };
            assert!(moved_m < most_m, "{what}: who stands was moved {moved_m} m");
            // A character that stands between a walker and its goal is asked once.
            let most = usize::from(end == "arrived/reached");
            assert!(run.nudges.len() <= most, "{what}: {:?}", run.nudges);
            let off_m = run.at(mover).distance(goal);
            // Beside a character that stands there, on the side it comes from: it does not go round.
            let beside_m = away_m + 0.7 + 0.1;
            assert!(end != "arrived/closeEnough" || off_m < beside_m, "{what}: it stands {off_m} m off");
            run.assert_clean(&what);
        }
    }
}

#[test]
fn a_file_in_a_lane_backs_out_before_who_asks() {
    for count in 1..=5_u8 {
        let mut run = Run::of(LANE);
        let file: Vec<CharacterId> =
            (0..count).map(|at| run.spawn(&format!("p{at}"), (9.0 + f32::from(at), 2.8))).collect();
        let mover = run.spawn("mover", (2.0, 2.8));
        run.walk(mover, (22.0, 3.0));
        run.until_ends(1, 60.0);
        assert_eq!(run.ends[0].1, "arrived/reached", "{count} in the lane: {:?} {:?}", run.ends, run.nudges);
        for (at, &who) in file.iter().enumerate() {
            let moved_m = run.at(who).distance(Vec3::new(9.0 + at as f32, 0.0, 2.8));
            // To the end of the lane and out of the way.
            assert!(moved_m < 14.0, "p{at} of {count} was led {moved_m} m");
        }
        run.assert_clean("a file in a lane");
    }
}

#[test]
fn who_stands_in_an_archway_steps_aside_once() {
    for (kind, agent_radius_m) in [("mesh", 0.0), ("grid", 0.35)] {
        for (z, goal_x) in [(4.0, 14.0), (3.0, 14.0), (4.2, 12.0), (5.0, 15.0), (2.0, 14.0), (6.5, 12.0)] {
            let mut run = Run::of(&arch(kind, agent_radius_m));
            run.spawn("post", (8.4, 4.0));
            let mover = run.spawn("mover", (2.0, z));
            run.walk(mover, (goal_x, 4.0));
            run.until_ends(1, 20.0);
            let what = format!("{kind}, from {z} to {goal_x}");
            assert_eq!(run.ends[0].1, "arrived/reached", "{what}: {:?}", run.ends);
            assert_eq!(run.nudges.len(), 1, "{what}: {:?}", run.nudges);
            run.assert_clean(&what);
        }
    }
}

#[test]
fn a_stream_moves_who_stands_in_it_out_of_its_way_and_no_further() {
    let mut run = Run::of(HALL);
    let stands = run.spawn("stands", (20.0, 20.0));
    let stream: Vec<CharacterId> = (0..24)
        .map(|at: u8| {
            let (file, row) = (f32::from(at % 3), f32::from(at / 3));
            run.spawn(&format!("s{at}"), (14.0 - 1.2 * row, 19.1 + 0.9 * file))
        })
        .collect();
    for (at, &who) in stream.iter().enumerate() {
        run.walk(who, (34.0, 6.0 + 1.2 * at as f32));
    }
    run.until_ends(stream.len(), 60.0);
    let moved_m = run.at(stands).distance(Vec3::new(20.0, 0.0, 20.0));
    assert!(moved_m < 5.0, "it was led {moved_m} m by {:?}", run.nudges);
    assert!(run.ends.iter().all(|(_, end, ..)| end == "arrived/reached"), "{:?}", run.ends);
    run.assert_clean("a stream");
}

#[test]
fn a_mob_that_walks_through_one_spot_and_out_again_gets_away() {
    let mut run = Run::within(&HALL.replace("40", "80"), 2.0);
    let people: Vec<CharacterId> = (0..80_u8)
        .map(|at| {
            // A block of four by five on each side.
            let (side, row, file) = (at / 20, f32::from(at % 20 / 5), f32::from(at % 5) - 2.0);
            let (out, along) = (12.0 + row, file);
            let at_place = match side {
                0 => (40.0 + along, 40.0 + out),
                1 => (40.0 + along, 40.0 - out),
                2 => (40.0 + out, 40.0 + along),
                _ => (40.0 - out, 40.0 + along),
            };
            run.spawn(&format!("m{at}"), at_place)
        })
        .collect();
    let began: Vec<Vec3> = people.iter().map(|&who| run.at(who)).collect();
    for &who in &people {
        run.walk_with(who, (40.0, 40.0), |options| {
            (options.accept, options.radius_m) = (AcceptEnd::Near, Some(0.35));
        });
    }
    let (mut sent, mut gone) = (vec![false; people.len()], 0);
    while gone < people.len() {
        let before = run.ends.len();
        run.tick();
        let ended = run.ends[before..].to_vec();
        for (name, end, ..) in ended {
            assert!(end.starts_with("arrived"), "{name}: {end}");
            let at: usize = name[1..].parse().unwrap();
            if sent[at] {
                characters::despawn(run.game.world_mut(), people[at], "out").unwrap();
                gone += 1;
                continue;
            }
            sent[at] = true;
            run.walk_with(people[at], (80.0 - began[at].x, 80.0 - began[at].z), |options| {
                options.accept = AcceptEnd::Near;
            });
        }
        assert!(run.seconds() < 95.0, "{gone} of {} are out", people.len());
    }
    run.assert_clean("a mob");
}

#[test]
fn between_pillars_everybody_arrives_whoever_comes_towards_it() {
    for seed in 0..SEEDS_BETWEEN_PILLARS {
        let mut rng = Rng::stream(seed, "between pillars");
        let mut run = Run::within(&hall_with_pillars(&mut rng), 2.0);
        let hero = run.world().player().unwrap();
        characters::despawn(run.game.world_mut(), hero, "out").unwrap();
        // The lanes between the blocks lie about every third metre.
        let mut lane = || (1.0 + 3.0 * rng.int(0, 6) as f32, 1.0 + 3.0 * rng.int(0, 6) as f32);
        let mut places: Vec<(f32, f32)> = Vec::new();
        while places.len() < 16 {
            let place = lane();
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let people: Vec<CharacterId> =
            (0..).zip(&places).map(|(at, &place)| sized(&mut run, &format!("p{at}"), place, 0.4)).collect();
        for &who in &people {
            let goal = lane();
            run.walk_with(who, goal, |options| {
                (options.accept, options.radius_m) = (AcceptEnd::Near, Some(0.4));
            });
        }
        let (mut laps, mut seen) = (0, 0);
        while laps < 6 * people.len() {
            run.tick();
            let ended = run.ends[seen..].to_vec();
            seen = run.ends.len();
            for (name, end, ..) in ended {
                assert!(end.starts_with("arrived"), "seed {seed}, {:.1} s: {name} {end}", run.seconds());
                laps += 1;
                let (at, goal): (usize, _) = (name[1..].parse().unwrap(), lane());
                run.walk_with(people[at], goal, |options| {
                    (options.accept, options.radius_m) = (AcceptEnd::Near, Some(0.4));
                });
            }
            assert!(run.seconds() < 400.0, "seed {seed}: {laps} walks in all this time");
        }
        run.assert_clean(&format!("between pillars, seed {seed}"));
    }
}

/// Counts for how many ticks in a row a character is shown walking and gets nowhere, and how often it begins
/// to walk.
#[derive(Default)]
struct Gaits {
    still_ticks: u32,
    longest_ticks: u32,
    starts: u32,
    was_walking: bool,
}

impl Gaits {
    fn look(&mut self, run: &Run, who: CharacterId) {
        let who = run.world().character(who).unwrap();
        let is_walking = who.is_walking();
        assert_eq!(who.animation() != "stand", is_walking, "{}", who.name);
        let gets_nowhere = who.body.velocity.length() < 0.01;
        self.still_ticks = if is_walking && gets_nowhere { self.still_ticks + 1 } else { 0 };
        self.longest_ticks = self.longest_ticks.max(self.still_ticks);
        self.starts += u32::from(is_walking && !self.was_walking);
        self.was_walking = is_walking;
    }
}

#[test]
fn who_is_held_up_stands_and_looks_where_it_looked() {
    for (kind, agent_radius_m) in [("mesh", 0.0), ("grid", 0.35)] {
        let mut run = Run::of(&arch(kind, agent_radius_m));
        let mut post = Spawn::new("post", Vec3::new(8.4, 0.0, 4.0));
        post.is_player = true;
        characters::spawn(run.game.world_mut(), post).unwrap();
        let mover = run.spawn("mover", (2.0, 4.0));
        run.walk(mover, (14.0, 4.0));
        let (mut gaits, mut still_s, mut looks) = (Gaits::default(), 0.0, None);
        while run.ends.is_empty() {
            run.tick();
            gaits.look(&run, mover);
            let who = run.world().character(mover).unwrap();
            still_s = if who.is_walking() { 0.0 } else { still_s + 1.0 / 60.0 };
            looks = looks.filter(|_| still_s > 1.0).or((still_s > 1.0).then_some(who.facing_rad));
            let turned_rad = looks.map_or(0.0, |looks: f32| (who.facing_rad - looks).abs());
            assert!(turned_rad < 0.05, "{kind}: the head swings by {turned_rad}");
            assert!(run.seconds() < 20.0);
        }
        assert_eq!(run.ends[0].1, "blocked/stuck");
        assert!(gaits.longest_ticks <= 12, "{kind}: {} ticks on the spot", gaits.longest_ticks);
        assert!(gaits.starts <= 3, "{kind}: it set out {} times", gaits.starts);
        run.assert_clean(kind);
    }
}

#[test]
fn two_who_meet_in_a_lane_do_not_walk_on_the_spot() {
    let mut run = Run::of(LANE);
    let pair = [run.spawn("west", (2.0, 2.8)), run.spawn("east", (22.0, 2.8))];
    run.walk(pair[0], (22.0, 2.0));
    run.walk(pair[1], (2.0, 2.0));
    let mut gaits = [Gaits::default(), Gaits::default()];
    while run.ends.len() < 2 {
        run.tick();
        for (gait, &who) in gaits.iter_mut().zip(&pair) {
            gait.look(&run, who);
        }
        assert!(run.seconds() < 90.0, "{:?}", run.ends);
    }
    for gait in &gaits {
        assert!(gait.longest_ticks <= 12, "{} ticks on the spot", gait.longest_ticks);
        assert!(gait.starts <= 24, "it set out {} times", gait.starts);
    }
    run.assert_clean("a lane");
}

/// Where people looked over the last second, and how far those who stood swung their heads to and fro.
#[derive(Default)]
struct Heads {
    seen: BTreeMap<CharacterId, VecDeque<(Vec3, f32)>>,
    still_s: f32,
    swung_s: f32,
}

impl Heads {
    /// So many ticks are looked at together: a second.
    const TICKS: usize = 60;
    /// A character that moves so many ticks later has turned to set out.
    const SETS_OUT_TICKS: usize = 2;
    /// A character that comes no further than this in that time stands, metres.
    const STANDS_M: f32 = 0.05;
    /// Who turns to and fro by more than this in that time swings its head, radians.
    const SWING_RAD: f32 = 0.1;

    fn look(&mut self, run: &Run) {
        for (id, who) in run.world().characters() {
            let seen = self.seen.entry(id).or_default();
            // A character that has no walk any more turns where it is told to.
            if who.walk.is_none() || who.turn.is_some() {
                seen.clear();
                continue;
            }
            seen.push_back((who.body.position, who.facing_rad));
            if seen.len() <= Self::TICKS + Self::SETS_OUT_TICKS {
                continue;
            }
            seen.pop_front();
            let (first, _) = seen[0];
            if seen.iter().any(|(place, _)| place.distance(first) > Self::STANDS_M) {
                continue;
            }
            self.still_s += 1.0 / Self::TICKS as f32;
            let looked = seen.iter().take(Self::TICKS);
            let turns = looked.clone().zip(looked.skip(1)).map(|(one, two)| trig::wrap(two.1 - one.1));
            let (swung, net) = turns.fold((0.0, 0.0), |(all, net), turn| (all + turn.abs(), net + turn));
            // One turn to where its way leads now is none.
            let is_swung = swung - f32::abs(net) > Self::SWING_RAD;
            self.swung_s += if is_swung { 1.0 / Self::TICKS as f32 } else { 0.0 };
        }
    }
}

/// A mob that walks up to one place or person, from all around.
fn mob(count: u8, target: Centre) -> Run {
    let mut run = Run::within(HALL, 5.0);
    let host = (target != Centre::Point).then(|| sized(&mut run, "host", (20.0, 20.0), 0.35));
    for at in 0..count {
        let angle = std::f64::consts::TAU * f64::from(at) / 13.0;
        let out = 5.0 + 0.9 * f64::from(at / 13);
        let place = (20.0 + out * libm::cos(angle), 20.0 + out * libm::sin(angle));
        let who = run.spawn(&format!("m{at}"), (place.0 as f32, place.1 as f32));
        match host {
            Some(host) => walk_up_to(&mut run, who, host),
            None => run.walk(who, (20.0, 20.0)),
        }
    }
    run
}

/// Two crowds that want through one archway from both sides, where a third person stands and will not move.
fn crowded_arch(kind: &str, agent_radius_m: f32, is_held: bool) -> Run {
    let mut run = Run::within(&arch(kind, agent_radius_m), 5.0);
    if is_held {
        let mut post = Spawn::new("post", Vec3::new(8.4, 0.0, 4.0));
        post.is_player = true;
        characters::spawn(run.game.world_mut(), post).unwrap();
    }
    for at in 0..16_u8 {
        let (row, file) = (f32::from(at / 4), f32::from(at % 4));
        let from_west = (5.5 - row, 2.5 + file);
        let (from, to) = match at % 2 {
            0 => (from_west, (16.8 - from_west.0, from_west.1)),
            _ => ((16.8 - from_west.0, from_west.1), from_west),
        };
        let who = run.spawn(&format!("a{at}"), from);
        run.walk(who, to);
    }
    run
}

#[test]
fn heads_keep_still_while_people_wait_for_one_another() {
    let arches = [("mesh", 0.0), ("grid", 0.35)].into_iter().flat_map(|(kind, agent_radius_m)| {
        [false, true].map(|is_held| crowded_arch(kind, agent_radius_m, is_held))
    });
    assert_eq!(swung_of(arches, 45.0), 0.0, "in and before arches");
    // In a mob the way leads to the left and to the right by turns, and one is pushed past its goal and turns
    // back.
    let mobs = (20..=52)
        .step_by(4)
        .flat_map(|count| [Centre::Person, Centre::Point].map(|centre| mob(count, centre)));
    let swung = swung_of(mobs, 120.0);
    assert!(swung < 0.04, "in mobs in {swung} of the time");
}

/// The part of the time that people stand on their way in which they swing their heads; at least so many
/// seconds they have to stand.
fn swung_of(runs: impl Iterator<Item = Run>, least_still_s: f32) -> f32 {
    let mut heads = Heads::default();
    for mut run in runs {
        heads.seen.clear();
        let count = run.world().characters().count();
        while run.ends.len() < count && run.seconds() < 30.0 {
            run.tick();
            heads.look(&run);
        }
    }
    assert!(heads.still_s > least_still_s, "{} s", heads.still_s);
    heads.swung_s / heads.still_s
}
