//! Laws about people who meet where one body has room, and no character can pass another.
//!
//! Goal: of two files that meet in a lane one backs out, whole, and both come to where they were going.
//! Method: random lanes drawn from a seed, straight and bent, between rooms, with bays, on grids and meshes,
//! one to four people from either side, in the rooms or in the lane already; the judge of
//! `tests/invariants.rs` after every tick; ends of walks are read from the trace.

use std::collections::BTreeMap;

use walkon_runtime::base::rng::Rng;

use crate::crowd::crowd_rows::Run;
use crate::long_form::number;

/// Lanes that are tried.
const LANES: u64 = 40;

/// A stretch of ground: from (x, z) to (x, z), metres.
type Stretch = ((f32, f32), (f32, f32));

/// A lane with what lies at its ends, and where people stand in it.
pub(super) struct Lane {
    pub(super) json: String,
    /// The middle of the lane from the room in the west to the room in the east.
    middle: Vec<(f32, f32)>,
    /// Sizes of the two rooms, metres.
    rooms_m: [f32; 2],
}

impl Lane {
    pub(super) fn drawn(rng: &mut Rng) -> Self {
        let rooms_m = [rng.int(4, 6) as f32, rng.int(4, 6) as f32];
        let length_m = rng.int(4, 14) as f32;
        let bends_m = if rng.int(0, 2) == 0 { rng.int(3, 8) as f32 } else { 0.0 };
        let (west_m, turn_m) = (8.0, 8.0 + length_m);
        let east = if bends_m > 0.0 { (turn_m, bends_m) } else { (turn_m, 0.0) };
        let is_mesh = rng.int(0, 1) == 0;
        // Half the width of the lane, metres. The ground of a grid is where centres may be, that of a mesh
        // where bodies may.
        let half_m = if is_mesh { 0.45 } else { 0.2 };
        let lies = |(from, to): Stretch| {
            format!("[[{0},{1}],[{2},{1}],[{2},{3}],[{0},{3}]]", from.0, from.1, to.0, to.1)
        };
        let mut stretches = vec![
            ((west_m - rooms_m[0], -rooms_m[0] / 2.0), (west_m, rooms_m[0] / 2.0)),
            ((west_m, -half_m), (turn_m + if bends_m > 0.0 { half_m } else { 0.0 }, half_m)),
        ];
        let middle = if bends_m > 0.0 {
            stretches.push(((turn_m - half_m, half_m), (turn_m + half_m, bends_m)));
            let side_m = rooms_m[1] / 2.0;
            stretches.push(((turn_m - side_m, bends_m), (turn_m + side_m, bends_m + rooms_m[1])));
            vec![(west_m, 0.0), (turn_m, 0.0), east]
        } else {
            stretches.push(((turn_m, -rooms_m[1] / 2.0), (turn_m + rooms_m[1], rooms_m[1] / 2.0)));
            vec![(west_m, 0.0), east]
        };
        for _ in 0..rng.int(0, 2) {
            let at_m = west_m + rng.float(1.0, f64::from(length_m) - 1.0) as f32;
            let deep_m = rng.float(0.9, 2.0) as f32;
            stretches.push(((at_m - 0.45, -deep_m), (at_m + 0.45, -half_m)));
        }
        let (kind, radius_m) = if is_mesh { ("mesh", 0.0) } else { ("grid", 0.35) };
        let areas: Vec<String> = (0..)
            .zip(stretches)
            .map(|(at, stretch)| format!(r#"{{ "name": "a{at}", "polygon": {} }}"#, lies(stretch)))
            .collect();
        let json = format!(
            r#"{{ "navigation": {{ "kind": "{kind}", "cellSize": 0.2, "agentRadius": {radius_m},
            "objectPadding": 0, "areas": [{}] }} }}"#,
            areas.join(",")
        );
        Self { json, middle, rooms_m }
    }

    /// A place so many metres from the west end of the lane along it; beyond its ends in the rooms.
    pub(super) fn along(&self, mut at_m: f32) -> (f32, f32) {
        let mut legs = self.middle.windows(2).peekable();
        while let Some(leg) = legs.next() {
            let (from, to) = (leg[0], leg[1]);
            let length_m = (to.0 - from.0).hypot(to.1 - from.1);
            if at_m <= length_m || legs.peek().is_none() {
                let part = at_m / length_m;
                return (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            }
            at_m -= length_m;
        }
        self.middle[0]
    }

    pub(super) fn length_m(&self) -> f32 {
        self.middle.windows(2).map(|leg| (leg[1].0 - leg[0].0).hypot(leg[1].1 - leg[0].1)).sum()
    }

    /// One of the places in a room in which four can stand.
    pub(super) fn in_room(&self, is_east: bool, at: u32) -> (f32, f32) {
        let size_m = self.rooms_m[usize::from(is_east)];
        let (deep_m, side_m) = (size_m - 0.6 - 1.0 * (at / 2) as f32, size_m / 2.0 - 0.6);
        let side_m = if at.is_multiple_of(2) { side_m } else { -side_m };
        let end = if is_east { self.middle[self.middle.len() - 1] } else { self.middle[0] };
        if !is_east {
            (end.0 - deep_m, side_m)
        } else if self.middle.len() == 2 {
            (end.0 + deep_m, side_m)
        } else {
            (end.0 + side_m, end.1 + deep_m)
        }
    }
}

/// Two files drawn from a seed meet in a lane drawn from it.
fn meeting(seed: u64) -> (Run, usize, String) {
    let mut rng = Rng::stream(seed, "lanes");
    let lane = Lane::drawn(&mut rng);
    let mut run = Run::within(&lane.json, 0.5);
    let counts = [rng.int(1, 4) as u32, rng.int(1, 4) as u32];
    let mut told = Vec::new();
    for (is_east, count) in [(false, counts[0]), (true, counts[1])] {
        // In the lane the files stand apart, each with its back to its own room.
        let fits = 0.9 * (counts[0] + counts[1]) as f32 + 1.0 < lane.length_m();
        let in_lane = fits && rng.int(0, 1) == 0;
        told.push(format!("{count} {}", if in_lane { "in the lane" } else { "in the room" }));
        for at in 0..count {
            let deep_m = 0.5 + 0.9 * at as f32;
            let place = match (in_lane, is_east) {
                (true, true) => lane.along(lane.length_m() - deep_m),
                (true, false) => lane.along(deep_m),
                (false, _) => lane.in_room(is_east, at),
            };
            let side = if is_east { "e" } else { "w" };
            let who = run.spawn(&format!("{side}{at}"), place);
            let goal = lane.in_room(!is_east, at);
            run.walk(who, goal);
        }
    }
    let what = format!("seed {seed}: {} against {}, {}", told[0], told[1], lane.json.replace('\n', ""));
    (run, (counts[0] + counts[1]) as usize, what)
}

#[test]
fn of_two_files_that_meet_in_a_lane_one_backs_out_and_all_arrive() {
    let lanes = number("LANES", LANES);
    let first = number("SEED", 0);
    let mut failed = Vec::new();
    for seed in first..first + lanes {
        let (mut run, count, what) = meeting(seed);
        // The lane is walked four times, each body takes its turn.
        let most_s = 60.0 + 8.0 * count as f64;
        while run.ends.len() < count && run.seconds() < most_s {
            run.tick();
        }
        let took_s = run.seconds();
        // Nothing more is said of any character.
        run.run(1.0);
        let mut ends: BTreeMap<&str, u32> = BTreeMap::new();
        run.ends.iter().for_each(|(who, ..)| *ends.entry(who).or_default() += 1);
        assert!(ends.values().all(|&times| times == 1), "{what}: {:?}", run.ends);
        let all = ends.len() == count && run.ends.iter().all(|(_, end, ..)| end == "arrived/reached");
        if !all {
            failed.push(format!("{what}\n   {took_s:.1} s {:?}", run.ends));
        }
        run.assert_clean(&what);
    }
    assert!(failed.is_empty(), "{} of {lanes}:\n{}", failed.len(), failed.join("\n"));
}
