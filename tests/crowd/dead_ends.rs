//! Laws about leaders that want out of a dead end, past the followers that came in behind them.
//!
//! Goal: the followers back out to where there is room, the leader gets where it goes, and every follower
//! keeps close to it afterwards. Method: dead ends drawn from a seed off a room, straight and bent, of any
//! width in which nobody passes anybody, on grids and meshes; one to eight followers, in a file or all of the
//! leader; the judge of `tests/invariants.rs` after every tick; ends of walks are read from the trace.

use glam::Vec3;
use walkon_runtime::base::geom::flat_distance;
use walkon_runtime::base::ids::CharacterId;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::world::ops::characters::{self, Spawn};
use walkon_runtime::world::walk::Phase;

use crate::crowd::crowd_rows::Run;
use crate::crowd::narrow_places::keep_close;
use crate::long_form::number;

/// Dead ends that are tried.
const DEAD_ENDS: u64 = 40;

/// A dead end off a room in the west.
struct DeadEnd {
    json: String,
    /// The middle of it, from the room to its end.
    middle: Vec<(f32, f32)>,
    room_m: f32,
}

impl DeadEnd {
    fn drawn(rng: &mut Rng) -> Self {
        let room_m = rng.int(5, 8) as f32;
        let (mouth_m, length_m) = (10.0, rng.int(2, 12) as f32);
        let turn_m = mouth_m + length_m;
        let bends_m = if rng.int(0, 2) == 0 { rng.int(2, 6) as f32 } else { 0.0 };
        let is_mesh = rng.int(0, 1) == 0;
        // Half the width, metres. The ground of a grid is where centres may be, in cells of 0.2 m; that of a
        // mesh where bodies may.
        let half_m = if is_mesh { rng.float(0.4, 0.68) as f32 } else { 0.2 };
        let stretch = |name: &str, (west, south): (f32, f32), (east, north): (f32, f32)| {
            format!(
                r#"{{ "name": "{name}", "polygon": [[{west},{south}],[{east},{south}],[{east},{north}],[{west},{north}]] }}"#
            )
        };
        let side_m = room_m / 2.0;
        let mut areas = vec![
            stretch("room", (mouth_m - room_m, -side_m), (mouth_m, side_m)),
            stretch("lane", (mouth_m, -half_m), (turn_m, half_m)),
        ];
        let mut middle = vec![(mouth_m, 0.0), (turn_m - half_m, 0.0)];
        if bends_m > 0.0 {
            areas.push(stretch("bend", (turn_m - 2.0 * half_m, half_m), (turn_m, bends_m)));
            middle.push((turn_m - half_m, bends_m - half_m));
        }
        let (kind, radius_m) = if is_mesh { ("mesh", 0.0) } else { ("grid", 0.35) };
        let json = format!(
            r#"{{ "navigation": {{ "kind": "{kind}", "cellSize": 0.2, "agentRadius": {radius_m},
            "objectPadding": 0, "areas": [{}] }} }}"#,
            areas.join(",")
        );
        Self { json, middle, room_m }
    }

    fn end(&self) -> (f32, f32) {
        self.middle[self.middle.len() - 1]
    }

    /// A place so many metres from the end of it.
    fn before_end(&self, mut left_m: f32) -> (f32, f32) {
        for leg in self.middle.windows(2).rev() {
            let (from, to) = (leg[1], leg[0]);
            let length_m = (to.0 - from.0).hypot(to.1 - from.1);
            if left_m <= length_m {
                let part = left_m / length_m;
                return (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            }
            left_m -= length_m;
        }
        self.middle[0]
    }

    fn length_m(&self) -> f32 {
        self.middle.windows(2).map(|leg| (leg[1].0 - leg[0].0).hypot(leg[1].1 - leg[0].1)).sum()
    }

    /// One of nine places in the room.
    fn in_room(&self, at: u32) -> (f32, f32) {
        let (row, place) = (at / 3, at % 3);
        let apart_m = (self.room_m - 1.6) / 2.0;
        (10.0 - self.room_m + 0.8 + apart_m * row as f32, apart_m * (place as f32 - 1.0))
    }
}

/// A leader at the end of a dead end, with its followers behind it.
struct Trap {
    run: Run,
    leader: CharacterId,
    /// Each follower, the one it follows, and how close it keeps.
    followers: Vec<(CharacterId, CharacterId, f32)>,
    what: String,
}

impl Trap {
    /// With so many followers at most, and so many of them deep inside before their leader comes.
    fn drawn(seed: u64, most: i64, most_inside: u32) -> (Self, DeadEnd) {
        let mut rng = Rng::stream(seed, "dead ends");
        let place = DeadEnd::drawn(&mut rng);
        let mut run = Run::within(&place.json, 1.0);
        let leader = run.spawn("leader", place.in_room(7));
        let (count, is_file) = (rng.int(1, most) as u32, rng.int(0, 2) > 0);
        let inside = (((place.length_m() - 0.5) / 0.9) as u32).min(most_inside);
        let mut followers: Vec<(CharacterId, CharacterId, f32)> = Vec::new();
        for at in 0..count {
            let begins = match at {
                _ if at < inside => place.before_end(0.1 + 0.9 * at as f32),
                _ => place.in_room([4, 6, 8, 3, 5, 0, 1, 2][at as usize]),
            };
            let follower = run.spawn(&format!("f{at}"), begins);
            let target = followers.last().filter(|_| is_file).map_or(leader, |&(last, ..)| last);
            let distance_m = [0.9, 1.0, 1.35, 2.0][rng.int(0, 3) as usize];
            keep_close(&mut run, follower, target, distance_m);
            followers.push((follower, target, distance_m));
        }
        let shape = if is_file { "in a file" } else { "of the leader" };
        let what = format!("seed {seed}: {count} followers {shape}, {}", place.json.replace('\n', ""));
        (Self { run, leader, followers, what }, place)
    }

    /// Whether the leader gets to a goal in time.
    fn leads_to(&mut self, goal: (f32, f32), most_s: f64) -> Result<(), String> {
        let (before, began_s) = (self.run.ends.len(), self.run.seconds());
        self.run.walk(self.leader, goal);
        while self.run.ends.len() == before && self.run.seconds() < began_s + most_s {
            self.run.tick();
        }
        match self.run.ends.get(before) {
            Some((who, end, ..)) if who == "leader" && end == "arrived/reached" => Ok(()),
            end => Err(format!("{}\n   to {goal:?}: {end:?}", self.what)),
        }
    }

    /// Whether every follower still follows, and has come up to its leader or stands behind others.
    fn is_close(&self) -> Result<(), String> {
        for &(who, target, distance_m) in &self.followers {
            let world = self.run.world();
            let away_m = flat_distance(self.run.at(who), self.run.at(target));
            let Some(follower) = world.character(who) else {
                return Err(format!("{}\n   a follower is gone", self.what));
            };
            let walk = follower.walk.and_then(|walk| world.walk(walk));
            let stands = walk.is_some_and(|walk| walk.phase == Phase::Content);
            // Where there is no room beside the one it follows, a follower stands behind others.
            let line_m = 0.75 * self.followers.len() as f32;
            if !stands && (walk.is_none() || away_m > distance_m + line_m) {
                return Err(format!("{}\n   {} is {away_m} m away", self.what, follower.name));
            }
        }
        Ok(())
    }
}

/// Draws dead ends with so many followers at most, and so many of them deep inside, and holds that all ends
/// well in each.
fn holds_in_dead_ends(
    most: i64,
    most_inside: u32,
    ends_well: impl Fn(&mut Trap, &DeadEnd) -> Result<(), String>,
) {
    let (first, count) = (number("SEED", 0), number("LANES", DEAD_ENDS));
    let mut failed = Vec::new();
    for seed in first..first + count {
        let (mut trap, place) = Trap::drawn(seed, most, most_inside);
        failed.extend(ends_well(&mut trap, &place).err());
        trap.run.assert_clean(&trap.what);
    }
    assert!(failed.is_empty(), "{} of {count}:\n{}", failed.len(), failed.join("\n"));
}

/// The leader goes to the end in time, and back to the room; all come up to it.
fn there_and_back(trap: &mut Trap, place: &DeadEnd, there_s: f64) -> Result<(), String> {
    trap.leads_to(place.end(), there_s)?;
    trap.run.run(8.0);
    trap.leads_to(place.in_room(3), 120.0)?;
    trap.run.run(8.0);
    trap.is_close()
}

/// With up to three followers, when one or two are deeper inside than their leader: they come out, so that it
/// gets in.
#[test]
fn leaders_come_into_dead_ends_in_which_their_followers_are() {
    holds_in_dead_ends(3, 2, |trap, place| there_and_back(trap, place, 120.0));
}

#[test]
fn leaders_come_out_of_dead_ends_past_the_files_that_follow_them() {
    holds_in_dead_ends(8, 0, |trap, place| {
        there_and_back(trap, place, 60.0)?;
        there_and_back(trap, place, 60.0)
    });
}

#[test]
fn a_leader_whose_followers_cannot_back_out_waits_no_longer_than_they_are_asked() {
    let level = r#"{ "navigation": { "kind": "mesh", "agentRadius": 0, "objectPadding": 0, "areas": [
      { "name": "room", "polygon": [[0,-4],[8,-4],[8,4],[0,4]] },
      { "name": "lane", "polygon": [[8,-0.45],[16,-0.45],[16,0.45],[8,0.45]] } ] } }"#;
    let mut run = Run::within(level, 1.0);
    let leader = run.spawn("leader", (15.0, 0.0));
    let follower = run.spawn("follower", (13.9, 0.0));
    // The player is never asked aside.
    let mut player = Spawn::new("player", Vec3::new(12.8, 0.0, 0.0));
    player.is_player = true;
    characters::spawn(run.game.world_mut(), player).unwrap();
    keep_close(&mut run, follower, leader, 1.0);
    run.walk(leader, (4.0, 2.0));
    run.until_ends(1, 45.0);
    assert_eq!((run.ends[0].0.as_str(), run.ends[0].1.as_str()), ("leader", "blocked/stuck"));
}
