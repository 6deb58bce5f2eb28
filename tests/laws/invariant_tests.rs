//! The judge of runs has to see what it is there for.

use walkon_runtime::base::rng::Rng;
use walkon_runtime::glam::Vec3;
use walkon_runtime::nav::Traversal;
use walkon_runtime::world::area::Availability;
use walkon_runtime::world::ops::{areas, characters};

use crate::fixture::{HALL, Stage};
use crate::invariants::{Judge, overlapping_in};

/// One room, two bodies on one point, one apart.
const CROWDED: &str = r#"{
  "navigation": { "agentRadius": 0.35, "areas": [ { "name": "room", "polygon": [[0,0],[10,0],[10,10],[0,10]] } ] },
  "characters": [ { "name": "hero", "position": [2, 5] }, { "name": "twin", "position": [2, 5] },
    { "name": "far", "position": [8, 5] } ]
}"#;

#[test]
fn the_judge_sees_bodies_in_one_another_and_how_long() {
    let mut stage = Stage::of(CROWDED);
    let (mut strict, mut patient) = (Judge::new(stage.world(), 0.0), Judge::new(stage.world(), 10.0));
    stage.tick();
    strict.look(stage.world(), &[]);
    patient.look(stage.world(), &[]);
    assert_eq!((strict.count("N6"), patient.count("N6")), (1, 0));
    assert_eq!(strict.worst_overlap(), (1, (1, 2)));
}

#[test]
fn the_judge_sees_leaps_and_walks_that_end_twice_or_far_away() {
    let stage = Stage::of(HALL);
    let elsewhere = HALL.replace("[4, 4]", "[9, 4]");
    let mut other = Stage::of(&elsewhere);
    other.walk(20.0, 20.0, |_| {});
    other.tick();
    let mut judge = Judge::new(stage.world(), 0.5);
    let line = r#"{"t":1,"e":"walkSettled","status":"arrived","reason":"reached","walk":1,"character":"hero","position":[9,4],"goal":[20,20]}"#;
    judge.look(other.world(), &[line.to_owned(), line.to_owned()]);
    assert_eq!(
        (judge.count("N4"), judge.count("N5"), judge.count("T1")),
        (1, 1, 1),
        "{:?}",
        judge.breaches()
    );
    judge.end(other.world(), &[]);
    assert_eq!(judge.count("T1"), 2, "a walk is still open");
}

#[test]
fn the_judge_sees_who_steps_into_a_wall_or_through_one() {
    let level = |x: f32, wall: &str| {
        format!(
            r#"{{ "navigation": {{ "agentRadius": 0.2, "cellSize": 0.1, "objectPadding": 0.0,
            "areas": [ {{ "name": "room", "polygon": [[0,0],[10,0],[10,10],[0,10]] }} ],
            "obstacles": [ {{ "name": "wall", "polygon": [[5,0],{wall},[5,10]] }} ] }},
            "characters": [ {{ "name": "hero", "position": [{x}, 5], "radius": 0.2, "walkSpeed": 25 }} ] }}"#
        )
    };
    let beside = Stage::of(&level(4.75, "[5.1,0],[5.1,10]"));
    let mut beyond = Stage::of(&level(5.35, "[5.1,0],[5.1,10]"));
    beyond.tick();
    let mut judge = Judge::new(beside.world(), 0.5);
    judge.look(beyond.world(), &[]);
    assert_eq!((judge.count("N2"), judge.count("N1")), (1, 0), "{:?}", judge.breaches());
    // The ground goes away under him: he may stay. Had he stood elsewhere, he would have walked into a wall.
    let halves = |x: f32| {
        format!(
            r#"{{ "navigation": {{ "areas": [ {{ "name": "left", "polygon": [[0,0],[4,0],[4,8],[0,8]] }},
            {{ "name": "right", "polygon": [[4,0],[8,0],[8,8],[4,8]] }} ] }},
            "characters": [ {{ "name": "hero", "position": [{x}, 4] }} ] }}"#
        )
    };
    let mut stranded = Stage::of(&halves(4.5));
    let mut same = Judge::new(stranded.world(), 0.5);
    let mut another = Judge::new(Stage::of(&halves(3.5)).world(), 0.5);
    let right = stranded.world().find_area("right").unwrap();
    areas::set_available(stranded.game.world_mut(), right, Availability::Unavailable).unwrap();
    stranded.tick();
    same.look(stranded.world(), &[]);
    another.look(stranded.world(), &[]);
    let at = stranded.position();
    assert!(!stranded.world().nav().is_walkable(at, &Traversal::default()), "{at}");
    assert_eq!((same.count("N1"), another.count("N1")), (0, 1), "{:?}", same.breaches());
}

#[test]
fn the_judges_pairs_are_those_of_every_pair_compared() {
    let mut rng = Rng::stream(3, "pairs");
    let mut stage = Stage::of(HALL);
    for index in 0..400 {
        let at = Vec3::new(rng.float(5.0, 25.0) as f32, 0.0, rng.float(5.0, 25.0) as f32);
        let mut person = characters::Spawn::new(format!("c{index}"), at);
        person.radius_m = rng.float(0.1, 1.5) as f32;
        characters::spawn(stage.game.world_mut(), person).unwrap();
    }
    let bodies: Vec<(u32, Vec3, f32)> = stage
        .world()
        .characters()
        .map(|(_, who)| (who.serial, who.body.position, who.body.radius_m))
        .collect();
    let mut expected = Vec::new();
    for (index, one) in bodies.iter().enumerate() {
        for other in &bodies[index + 1..] {
            if one.1.distance(other.1) < one.2 + other.2 - 0.05 * one.2.min(other.2) {
                expected.push((one.0, other.0));
            }
        }
    }
    let found: Vec<(u32, u32)> = overlapping_in(stage.world()).into_iter().map(|(pair, _)| pair).collect();
    assert!(expected.len() > 200, "{}", expected.len());
    assert_eq!(found, expected);
}
