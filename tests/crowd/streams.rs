//! Laws about streams of people who walk against one another through one corridor.
//!
//! Goal: whoever sets out arrives, however many there are on either side and however narrow the corridor is:
//! they use it in lanes where two fit beside each other, and in turns where they do not; the time is in
//! proportion to the number of people. Method: corridors of several widths and lengths between two rooms, on
//! grids and meshes, with people drawn from a seed in both rooms; the judge of `tests/invariants.rs` after
//! every tick; ends of walks are read from the trace.

use walkon_runtime::base::rng::Rng;
use walkon_runtime::glam::Vec3;
use walkon_runtime::world::ops::characters::{self, Spawn};
use walkon_runtime::world::walk::AcceptEnd;

use crate::crowd::crowd_rows::Run;
use crate::long_form::number;

/// Pairs of streams that are drawn.
const STREAMS: u64 = 24;
/// Radius of everybody, metres.
const RADIUS_M: f32 = 0.3;
/// Seconds that a pair of streams takes at most, and for each of its people. One who is alone takes 9 s to
/// the end of a corridor of 12 m.
const MOST_S: f64 = 60.0;
const EACH_S: f64 = 5.0;

/// A corridor between two rooms.
#[derive(Clone, Copy, Debug)]
struct Corridor {
    kind: &'static str,
    width_m: f32,
    length_m: f32,
}

impl Corridor {
    const ROOM_M: f32 = 10.0;

    fn json(&self) -> String {
        let Self { kind, width_m, length_m } = *self;
        // The ground of a grid is where centres may be, that of a mesh where bodies may.
        let (half_m, agent_m) =
            if kind == "mesh" { (width_m / 2.0, 0.0) } else { (width_m / 2.0 - RADIUS_M, RADIUS_M) };
        let (room_m, side_m) = (Self::ROOM_M, Self::ROOM_M / 2.0);
        let area = |name: &str, [west, east]: [f32; 2], half: f32| {
            format!(
                r#"{{ "name": "{name}", "polygon": [[{west},-{half}],[{east},-{half}],[{east},{half}],[{west},{half}]] }}"#
            )
        };
        let areas = [
            area("west", [-room_m, 0.0], side_m),
            area("corridor", [0.0, length_m], half_m),
            area("east", [length_m, length_m + room_m], side_m),
        ];
        format!(
            r#"{{ "navigation": {{ "kind": "{kind}", "cellSize": 0.2, "agentRadius": {agent_m}, "objectPadding": 0,
            "areas": [{}] }} }}"#,
            areas.join(",")
        )
    }

    /// A place in one of the rooms, so many metres from the corridor and beside its middle.
    fn in_room(&self, is_east: bool, (deep_m, side_m): (f32, f32)) -> (f32, f32) {
        if is_east { (self.length_m + deep_m, side_m) } else { (-deep_m, side_m) }
    }
}

/// So many places in a room, apart from one another, in an order that is drawn.
fn places(rng: &mut Rng, count: usize) -> Vec<(f32, f32)> {
    let at_m = |from_m: f32, at: u8| from_m + 1.1 * f32::from(at);
    let row = |row: u8| (0..8).map(move |column| (at_m(1.0, row), at_m(-4.0, column)));
    let mut all: Vec<(f32, f32)> = (0..8).flat_map(row).collect();
    for at in (1..all.len()).rev() {
        all.swap(at, rng.below(at as u64 + 1) as usize);
    }
    all.truncate(count);
    all
}

/// Sends so many people from either room to the other.
fn streams(corridor: &Corridor, counts: [usize; 2], rng: &mut Rng) -> Run {
    let mut run = Run::within(&corridor.json(), 1.0);
    for (is_east, count) in [(false, counts[0]), (true, counts[1])] {
        let ways = places(rng, count).into_iter().zip(places(rng, count));
        for (at, (start, goal)) in ways.enumerate() {
            let (x, z) = corridor.in_room(is_east, start);
            let mut person =
                Spawn::new(format!("{}{at}", if is_east { "e" } else { "w" }), Vec3::new(x, 0.0, z));
            person.radius_m = RADIUS_M;
            let who = characters::spawn(run.game.world_mut(), person).unwrap().unwrap();
            // Whoever was asked aside may have come to stand on the goal of another.
            run.walk_with(who, corridor.in_room(!is_east, goal), |options| options.accept = AcceptEnd::Near);
        }
    }
    run
}

/// How long two streams take until all have arrived.
fn arrive(corridor: &Corridor, counts: [usize; 2], seed: u64) -> Result<f64, String> {
    let what = format!("seed {seed}: {counts:?} through {corridor:?}");
    let mut run = streams(corridor, counts, &mut Rng::stream(seed, "streams"));
    let count = counts[0] + counts[1];
    let most_s = MOST_S + EACH_S * count as f64;
    while run.ends.len() < count && run.seconds() < most_s {
        run.tick();
    }
    run.assert_clean(&what);
    let others: Vec<_> = run.ends.iter().filter(|(_, end, ..)| !end.starts_with("arrived/")).collect();
    if run.ends.len() < count || !others.is_empty() {
        let under_way = count - run.ends.len();
        return Err(format!("{what}: {under_way} of {count} are under way after {most_s} s, {others:?}"));
    }
    Ok(run.seconds())
}

fn assert_all_arrive(outcomes: impl Iterator<Item = Result<f64, String>>) {
    let outcomes: Vec<Result<f64, String>> = outcomes.collect();
    let failed: Vec<&String> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    assert!(failed.is_empty(), "{} of {}:\n{failed:#?}", failed.len(), outcomes.len());
}

/// A wide body and a narrow one in a corridor with room for either, and hardly for both.
#[test]
fn a_wide_and_a_narrow_who_meet_in_a_corridor_both_arrive() {
    const RADII_M: [f32; 2] = [0.8, 0.35];
    let mut failed = Vec::new();
    for width_m in [1.7, 1.9, 2.1, 2.2, 2.28, 2.3, 2.32, 2.4] {
        for length_m in [3.0, 6.0, 12.0] {
            for is_wide_east in [false, true] {
                for aside_m in [0.0, 0.3] {
                    let corridor = Corridor { kind: "mesh", width_m, length_m };
                    let mut run = Run::within(&corridor.json(), 1.0);
                    for (radius_m, is_east) in RADII_M.into_iter().zip([is_wide_east, !is_wide_east]) {
                        let (x, z) = corridor.in_room(is_east, (3.0, aside_m));
                        let mut person = Spawn::new(format!("r{radius_m}"), Vec3::new(x, 0.0, z));
                        person.radius_m = radius_m;
                        let who = characters::spawn(run.game.world_mut(), person).unwrap().unwrap();
                        run.walk(who, corridor.in_room(!is_east, (4.0, 0.0)));
                    }
                    while run.ends.len() < 2 && run.seconds() < 90.0 {
                        run.tick();
                    }
                    let what = format!("{corridor:?}, wide in the east {is_wide_east}, {aside_m} m aside");
                    if run.ends.len() < 2 || run.ends.iter().any(|(_, end, ..)| end != "arrived/reached") {
                        failed.push(format!("{what}: {:?}", run.ends));
                    }
                    run.assert_clean(&what);
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn streams_through_one_corridor_all_arrive() {
    let first = number("SEED", 0);
    assert_all_arrive((first..first + number("STREAMS", STREAMS)).map(|seed| {
        let mut rng = Rng::stream(seed, "corridors");
        let widths_m = [1.0, 1.1, 1.2, 1.3, 1.5, 1.75, 2.0];
        let corridor = Corridor {
            kind: ["grid", "mesh"][rng.below(2) as usize],
            width_m: widths_m[rng.below(widths_m.len() as u64) as usize],
            length_m: rng.int(3, 12) as f32,
        };
        let counts = [rng.int(1, 20), rng.int(1, 20)].map(|count| count as usize);
        arrive(&corridor, counts, seed)
    }));
}

/// Corridors that two bodies fill to the hair, or all but fill: there is room beside one another, and none to
/// pass.
#[test]
fn streams_take_turns_where_two_bodies_fit_exactly() {
    let widths_m = [1.14, 1.16, 1.18, 1.19, 4.0 * RADIUS_M, 1.21, 1.22];
    let corridors = widths_m.map(|width_m| Corridor { kind: "mesh", width_m, length_m: 6.0 });
    let of_cells = Corridor { kind: "grid", width_m: 4.0 * RADIUS_M, length_m: 6.0 };
    let counts = [1, 2, 3, 5, 20];
    assert_all_arrive(
        corridors
            .into_iter()
            .chain([of_cells])
            .flat_map(|corridor| counts.map(|count| arrive(&corridor, [count; 2], 0))),
    );
}

/// Both lanes of such a corridor fill with people from both sides, who stand against each other in each.
#[test]
fn streams_that_jam_two_lanes_come_apart() {
    assert_all_arrive(["grid", "mesh"].into_iter().flat_map(|kind| {
        [3.0, 6.0].map(|length_m| arrive(&Corridor { kind, width_m: 1.5, length_m }, [20; 2], 0))
    }));
}

/// Streams that fill both lanes of a corridor from either end: those who stand before it let the others out,
/// and all are through in five seconds each.
#[test]
fn streams_of_thirty_each_way_come_through_two_lanes() {
    const PEOPLE: usize = 30;
    const EACH_MOST_S: f64 = 5.0;
    let corridors = ["grid", "mesh"].into_iter().flat_map(|kind| {
        [1.3, 1.4].into_iter().map(move |width_m| Corridor { kind, width_m, length_m: 6.0 })
    });
    assert_all_arrive(corridors.flat_map(|corridor| {
        (0..3).map(move |seed| {
            let took_s = arrive(&corridor, [PEOPLE; 2], seed)?;
            let most_s = EACH_MOST_S * 2.0 * PEOPLE as f64;
            (took_s <= most_s).then_some(took_s).ok_or(format!("{took_s} s: {corridor:?}, seed {seed}"))
        })
    }));
}
