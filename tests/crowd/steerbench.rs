//! Small crowd cases in the manner of SteerBench, run to their end and judged as `benches/steerbench.rs`
//! judges all of them.
//!
//! Goal: everybody arrives in time, nobody stands in a wall or crosses one, no pair overlaps for more than
//! half a second, and the mean travel time is at most 1.3 times that of walking alone. Method: cells of 0.2
//! m, walls as boxes, walks as the converter of the benchmark makes them: near the goal within the body's own
//! radius, then off the level.

use std::collections::BTreeMap;

use walkon_runtime::base::ids::CharacterId;
use walkon_runtime::game::Game;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::glam::Vec3;
use walkon_runtime::level::{MemorySource, load, spawn};
use walkon_runtime::nav::{Accept, PathQuery, Search, Traversal};
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::characters::{self, Spawn};
use walkon_runtime::world::ops::walks::{WalkOrder, walk_to};
use walkon_runtime::world::owner::Owner;
use walkon_runtime::world::walk::{AcceptEnd, WalkOptions};

use crate::invariants::Judge;

/// A wall: from (x, z) to (x, z).
type Wall = ((f32, f32), (f32, f32));
/// A character: from, to, radius, speed.
type Agent = ((f32, f32), (f32, f32), f32, f32);

const TIMEOUT_S: f64 = 120.0;
const OVERLAP_MAX_S: f64 = 0.5;
const TIME_RATIO_MAX: f64 = 1.3;

fn level(walls: &[Wall]) -> String {
    let boxes: Vec<String> = walls
        .iter()
        .enumerate()
        .map(|(index, ((left, near), (right, far)))| {
            format!(
                r#"{{ "name": "w{index}", "polygon": [[{left},{near}],[{right},{near}],[{right},{far}],[{left},{far}]] }}"#
            )
        })
        .collect();
    format!(
        r#"{{ "navigation": {{ "cellSize": 0.2, "agentRadius": 0.35, "objectPadding": 0.0,
        "areas": [ {{ "name": "floor", "polygon": [[-20,-14],[20,-14],[20,14],[-20,14]] }} ], "obstacles": [{}] }} }}"#,
        boxes.join(",")
    )
}

struct Case {
    game: Game,
    goals: BTreeMap<CharacterId, (Vec3, f64)>,
}

impl Case {
    fn of(walls: &[Wall], agents: &[Agent]) -> Self {
        let source = MemorySource::new().with("case.json", level(walls));
        let loaded = load("case.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
        let options = RecordOptions { trace: true, ..RecordOptions::default() };
        let mut case = Self {
            game: Game::new(spawn::build(loaded, None).world, Recorder::new(options)),
            goals: BTreeMap::new(),
        };
        for (index, &(from, to, radius_m, speed_mps)) in agents.iter().enumerate() {
            let at = |(x, z): (f32, f32)| Vec3::new(x, 0.0, z);
            let mut person = Spawn::new(format!("agent{index}"), at(from));
            (person.radius_m, person.gait.walk_mps) = (radius_m, speed_mps);
            let id = characters::spawn(case.game.world_mut(), person).unwrap().unwrap();
            let alone_s = case.alone_s(id, at(to));
            case.goals.insert(id, (at(to), alone_s));
            case.send(id, at(to), radius_m);
        }
        case
    }

    fn send(&mut self, character: CharacterId, to: Vec3, radius_m: f32) {
        let rate = self.game.world().rate();
        let options = WalkOptions {
            radius_m: Some(radius_m),
            accept: AcceptEnd::Near,
            timeout_ticks: Some(rate.ticks(TIMEOUT_S)),
            ..WalkOptions::at(rate)
        };
        let order = WalkOrder { character, goal: Goal::Point(to), options, owner: Owner::HOST };
        walk_to(self.game.world_mut(), order).unwrap();
    }

    /// Seconds to the goal with nobody else there.
    fn alone_s(&self, id: CharacterId, goal: Vec3) -> f64 {
        let person = self.game.world().character(id).unwrap();
        let by = Traversal { radius_m: person.body.radius_m, ..Traversal::default() };
        let query = PathQuery {
            start: person.body.position,
            goal,
            by,
            accept: Accept::Nearest,
            goal_layer: None,
            expansions_max: u32::MAX,
            others: None,
        };
        let length_m = self.game.world().nav().plan(&query, &mut Search::default()).path.length_m;
        f64::from((length_m - person.body.radius_m) / person.gait.walk_mps)
    }

    /// Runs until everybody has arrived and left.
    fn check(mut self, name: &str) {
        let mut judge = Judge::new(self.game.world(), OVERLAP_MAX_S);
        let (mut ratios, mut gone) = (Vec::new(), 0);
        let most = self.game.world().rate().ticks(TIMEOUT_S) + 60;
        while gone < self.goals.len() {
            let recorded = self.game.tick(&[]);
            judge.look(self.game.world(), &recorded.lines);
            let now_s = self.game.world().rate().seconds(self.game.world().tick());
            for line in recorded.lines.iter().filter(|line| line.contains("walkSettled")) {
                let fact: serde_json::Value = serde_json::from_str(line).unwrap();
                assert_eq!(fact["status"], "arrived", "{name}: {line}");
                let id = self.game.world().find_character(fact["character"].as_str().unwrap()).unwrap();
                ratios.push(now_s / self.goals[&id].1);
                characters::despawn(self.game.world_mut(), id, "case").unwrap();
                gone += 1;
            }
            assert!(self.game.world().tick().0 < most, "{name}: {gone} have arrived");
        }
        let ratio = ratios.iter().sum::<f64>() / ratios.len() as f64;
        judge.assert_clean(name);
        assert!(ratio <= TIME_RATIO_MAX, "{name}: {ratio:.2} times the time of walking alone");
    }
}

/// From where to where.
type Way = ((f32, f32), (f32, f32));

/// Everybody of one size and speed.
fn same(ways: &[Way]) -> Vec<Agent> {
    ways.iter().map(|&(from, to)| (from, to, 0.35, 1.3)).collect()
}

const CORRIDOR_2M: [Wall; 2] = [((-8.0, 1.0), (8.0, 3.0)), ((-8.0, -3.0), (8.0, -1.0))];
const DOOR: [Wall; 2] = [((-0.5, 0.7), (0.5, 14.0)), ((-0.5, -14.0), (0.5, -0.7))];

#[test]
fn two_head_on_and_two_who_cross_pass_in_the_open() {
    Case::of(&[], &same(&[((-8.0, 0.0), (8.0, 0.0)), ((8.0, 0.0), (-8.0, 0.0))])).check("oncoming");
    Case::of(&[], &same(&[((-8.0, 0.0), (8.0, 0.0)), ((0.0, -8.0), (0.0, 8.0))])).check("crossing");
    Case::of(
        &[],
        &same(&[
            ((-8.0, 0.1), (8.0, -0.1)),
            ((8.0, -0.1), (-8.0, 0.1)),
            ((0.0, -8.0), (0.0, 8.0)),
            ((0.0, 8.0), (0.0, -8.0)),
        ]),
    )
    .check("four ways");
}

#[test]
fn two_pass_in_a_corridor_of_two_metres_and_three_do() {
    Case::of(&CORRIDOR_2M, &same(&[((-10.0, 0.0), (12.0, 0.0)), ((10.0, 0.0), (-12.0, 0.0))]))
        .check("squeeze");
    let three =
        same(&[((-10.0, 0.4), (12.0, 0.0)), ((-10.0, -0.4), (13.0, 0.0)), ((10.0, 0.0), (-12.0, 0.0))]);
    Case::of(&CORRIDOR_2M, &three).check("3-squeeze");
}

#[test]
fn two_abreast_meet_two_abreast_where_three_do_not_fit() {
    let walls = [((-20.0, 1.25), (20.0, 3.0)), ((-20.0, -3.0), (20.0, -1.25))];
    let agents: Vec<Agent> = [(-10.0, 0.5), (10.0, 0.5), (-10.0, -0.5), (10.0, -0.5)]
        .map(|(x, z): (f32, f32)| ((x, z), (-1.5 * x, 0.0), 0.5, 1.3))
        .to_vec();
    Case::of(&walls, &agents).check("double-squeeze");
}

#[test]
fn two_meet_at_a_door() {
    Case::of(&DOOR, &same(&[((-6.0, 1.0), (6.0, 1.0)), ((6.0, -1.0), (-6.0, -1.0))]))
        .check("doorway, both ways");
    Case::of(&DOOR, &same(&[((-6.0, 1.0), (6.0, 1.0)), ((-6.0, -1.0), (6.0, -1.0))]))
        .check("doorway, one way");
}

#[test]
fn the_fast_overtake_the_slow() {
    let agents = [((-8.0, 0.0), (8.0, 0.0), 0.35, 0.7), ((-10.0, 0.0), (10.0, 0.0), 0.35, 1.8)];
    Case::of(&[], &agents).check("overtake");
}

#[test]
fn six_each_way_pass_in_a_corridor_of_two_metres() {
    let ways: Vec<_> = (0..12_u8)
        .map(|index| {
            let (side, place) = (if index % 2 == 0 { -1.0 } else { 1.0 }, f32::from(index / 2));
            (
                (side * (10.0 + 0.8 * place), 0.4 * (place % 3.0 - 1.0)),
                (-side * (11.0 + place), 0.3 * (place % 2.0)),
            )
        })
        .collect();
    Case::of(&CORRIDOR_2M, &same(&ways)).check("counter-flow");
}
