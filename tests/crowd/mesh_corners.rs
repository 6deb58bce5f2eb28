//! Laws about bodies at the corners of meshes.
//!
//! Goal: a character that is pushed about at a corner of the ground stays on it, whole. Method: rooms full of
//! pillars that touch, and lanes with bays; again and again people are put at random corners of the ground of
//! a body, one of them on the very corner, and sent in random directions, at 30, 60 and 120 ticks a second;
//! the judge of `tests/invariants.rs` after every tick.

use walkon_runtime::base::ids::CharacterId;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::glam::Vec3;
use walkon_runtime::nav::Traversal;
use walkon_runtime::nav::mesh::Corner;
use walkon_runtime::world::ops::characters;
use walkon_runtime::world::walk::AcceptEnd;

use crate::crowd::crowd_rows::Run;
use crate::crowd::lanes::Lane;
use crate::crowd::walks::pillars;
use crate::long_form::number;

/// Levels that are tried at each rate, and the seed of the first: at a corner of the third a body came off
/// the ground.
const LEVELS: u64 = 3;
const FIRST: u64 = 31;
/// Groups in each level, one at each corner, and how many are in one.
const GROUPS: u32 = 8;
const PEOPLE: u32 = 4;
/// How often they are put at other corners, and how long they walk from there, seconds.
const ROUNDS: u32 = 10;
const ROUND_S: f64 = 0.4;
/// As near to one another as they begin, metres: nearer, and pushing takes longer steps than the judge
/// allows.
const APART_MIN_M: f32 = 0.62;
/// Longer than a level runs, seconds.
const OVERLAP_MAX_S: f64 = 60.0;

/// A level drawn from a seed, at a rate.
fn level(rng: &mut Rng, rate_hz: u32) -> String {
    let json = match rng.int(0, 1) {
        0 => pillars(rng, "mesh", 0.0),
        _ => loop {
            let Lane { json, .. } = Lane::drawn(rng);
            if json.contains(r#""kind": "mesh""#) {
                break json;
            }
        },
    };
    json.replacen('{', &format!("{{ \"tickRate\": {rate_hz}, "), 1)
}

/// Where the ground of the people ends.
fn rims(run: &Run, by: &Traversal) -> Vec<[Corner; 2]> {
    run.world().nav().mesh().map(|mesh| mesh.rims(by)).unwrap_or_default()
}

/// Places at random corners, apart from one another.
fn places(run: &Run, rng: &mut Rng) -> Vec<Vec3> {
    let by = Traversal { radius_m: 0.35, ..Traversal::default() };
    let rims = rims(run, &by);
    let mut there: Vec<Vec3> = Vec::new();
    for _ in 0..GROUPS {
        let [([x, z], _), _] = rims[rng.below(rims.len() as u64) as usize];
        // A few tries for each.
        for at in 0..4 * PEOPLE {
            let reach_m = if at == 0 { 1e-3 } else { 0.9 };
            let mut aside = || rng.float(-reach_m, reach_m) as f32;
            let place = Vec3::new(x as f32 + aside(), 0.0, z as f32 + aside());
            let is_apart = |other: &Vec3| place.distance(*other) >= APART_MIN_M;
            if run.world().nav().is_walkable(place, &by) && there.iter().all(is_apart) {
                there.push(place);
            }
        }
    }
    there.truncate((GROUPS * PEOPLE) as usize);
    there
}

/// Puts people at places, and sends most of them somewhere.
fn send(run: &mut Run, rng: &mut Rng, round: u32, places: &[Vec3]) -> Vec<CharacterId> {
    let put = |(at, place): (usize, &Vec3)| {
        let (way, away_m) = (rng.float(0.0, std::f64::consts::TAU), rng.float(0.5, 6.0));
        let who = run.spawn(&format!("p{round} {at}"), (place.x, place.z));
        let beside = [away_m * libm::cos(way), away_m * libm::sin(way)].map(|beside_m| beside_m as f32);
        if rng.int(0, 4) > 0 {
            let goal = (place.x + beside[0], place.z + beside[1]);
            run.walk_with(who, goal, |options| options.accept = AcceptEnd::Nearest);
        }
        who
    };
    places.iter().enumerate().map(put).collect()
}

#[test]
fn anyone_pushed_about_at_a_corner_of_a_mesh_stays_on_the_ground() {
    let levels = number("LEVELS", LEVELS);
    let first = number("SEED", FIRST);
    for (seed, rate_hz) in (first..first + levels).flat_map(|seed| [30, 60, 120].map(|rate| (seed, rate))) {
        let mut rng = Rng::stream(seed, "mesh corners");
        let mut run = Run::within(&level(&mut rng, rate_hz), OVERLAP_MAX_S);
        for round in 0..ROUNDS {
            let places = places(&run, &mut rng);
            let people = send(&mut run, &mut rng, round, &places);
            run.run(ROUND_S);
            run.assert_clean(&format!("seed {seed} at {rate_hz} Hz"));
            for who in people {
                characters::despawn(run.game.world_mut(), who, "a test").expect("a person");
            }
        }
    }
}
