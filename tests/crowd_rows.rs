//! The crowd rows of the fault catalogue, G12, G13, G17 and G34, each with the outcome that stands there.
//!
//! Method: small levels made here, walks sent by the host, the judge of `tests/invariants.rs` after every tick; ends are
//! read from the trace.

use walkon::base::ids::CharacterId;
use walkon::game::Game;
use walkon::game::recorder::{RecordOptions, Recorder};
use walkon::glam::Vec3;
use walkon::level::{MemorySource, load, spawn};
use walkon::world::World;
use walkon::world::ops::characters::{self, Spawn};
use walkon::world::ops::walks::{WalkOrder, walk_to};
use walkon::world::walk::{AcceptEnd, Goal, Owner, WalkOptions};

use crate::invariants::Judge;

/// Two rooms and a door's width in the wall between them.
const DOORWAY: &str = r#"{ "navigation": { "agentRadius": 0.35, "areas": [
  { "name": "west", "polygon": [[0,0],[12,0],[12,12],[0,12]] },
  { "name": "doorway", "polygon": [[12,5.6],[12.4,5.6],[12.4,6.4],[12,6.4]] },
  { "name": "east", "polygon": [[12.4,0],[24,0],[24,12],[12.4,12]] } ] } }"#;

const OPEN: &str = r#"{ "limits": { "characters": 65536 }, "navigation": { "agentRadius": 0.35, "areas": [
  { "name": "field", "polygon": [[0,0],[220,0],[220,220],[0,220]] } ] } }"#;

/// A level under test, with nobody in it yet.
struct Run {
    game: Game,
    judge: Judge,
    /// Ends of walks: who, `status/reason`, by whom, when in seconds.
    ends: Vec<(String, String, Option<String>, f64)>,
}

impl Run {
    fn of(json: &str) -> Self {
        let source = MemorySource::new().with("row.json", json);
        let level = load("row.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
        let options = RecordOptions { trace: true, ..RecordOptions::default() };
        let game = Game::new(spawn::build(level, None).world, Recorder::new(options));
        let judge = Judge::new(game.world(), 0.5);
        Self { game, judge, ends: Vec::new() }
    }

    fn world(&self) -> &World {
        self.game.world()
    }

    fn spawn(&mut self, name: &str, (x, z): (f32, f32)) -> CharacterId {
        characters::spawn(self.game.world_mut(), Spawn::new(name, Vec3::new(x, 0.0, z))).unwrap().unwrap()
    }

    fn walk(&mut self, character: CharacterId, (x, z): (f32, f32)) {
        self.walk_with(character, (x, z), |_| {});
    }

    fn walk_with(
        &mut self,
        character: CharacterId,
        (x, z): (f32, f32),
        adjust: impl FnOnce(&mut WalkOptions),
    ) {
        let mut options = WalkOptions::at(self.world().rate());
        adjust(&mut options);
        let goal = Goal::Point(Vec3::new(x, 0.0, z));
        walk_to(self.game.world_mut(), WalkOrder { character, goal, options, owner: Owner::HOST }).unwrap();
    }

    fn tick(&mut self) {
        let recorded = self.game.tick(&[]);
        self.judge.look(self.game.world(), &recorded.lines);
        let now_s = self.seconds();
        for line in recorded.lines.iter().filter(|line| line.contains("walkSettled")) {
            let fact: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = |key: &str| fact[key].as_str().unwrap_or("").to_owned();
            let by = fact["by"].as_str().map(str::to_owned);
            self.ends.push((text("character"), format!("{}/{}", text("status"), text("reason")), by, now_s));
        }
    }

    fn seconds(&self) -> f64 {
        self.world().rate().seconds(self.world().tick())
    }

    fn run(&mut self, seconds: f64) {
        (0..self.world().rate().ticks(seconds)).for_each(|_| self.tick());
    }

    /// Runs until so many walks have ended; fails after `seconds`.
    fn until_ends(&mut self, count: usize, seconds: f64) {
        let most = self.world().rate().ticks(seconds);
        for _ in 0..most {
            if self.ends.len() >= count {
                return;
            }
            self.tick();
        }
        panic!("only {} of {count} walks have ended after {seconds} s: {:?}", self.ends.len(), self.ends);
    }

    fn at(&self, id: CharacterId) -> Vec3 {
        self.world().character(id).unwrap().body.position
    }
}

#[test]
fn fault_g12_a_hundred_pass_one_door() {
    let mut run = Run::of(DOORWAY);
    let crowd: Vec<CharacterId> = (0..100)
        .map(|index| {
            let (row, column) = ((index / 10) as f32, (index % 10) as f32);
            run.spawn(&format!("c{index}"), (1.0 + row, 1.0 + column * 1.05))
        })
        .collect();
    for (index, &character) in crowd.iter().enumerate() {
        let (row, column) = ((index / 10) as f32, (index % 10) as f32);
        run.walk_with(character, (14.0 + row, 1.0 + column * 1.05), |options| {
            options.accept = AcceptEnd::Near
        });
    }
    let mut passed: Vec<f64> = Vec::new();
    let mut has_passed = vec![false; crowd.len()];
    while run.ends.len() < crowd.len() {
        run.tick();
        for (index, &character) in crowd.iter().enumerate() {
            if !has_passed[index] && run.at(character).x > 12.4 {
                has_passed[index] = true;
                passed.push(run.seconds());
            }
        }
        assert!(run.seconds() < 260.0, "{} have passed, {} walks have ended", passed.len(), run.ends.len());
    }
    assert_eq!(passed.len(), 100, "{:?}", run.ends);
    let per_second = 99.0 / (passed[99] - passed[0]);
    let longest_s = passed.windows(2).map(|two| two[1] - two[0]).fold(0.0, f64::max);
    println!("{per_second:.2} a second, longest standstill {longest_s:.1} s");
    assert!(
        per_second >= 0.5 && longest_s <= 5.0,
        "{per_second:.2} a second, longest standstill {longest_s:.1} s"
    );
    let arrived = run.ends.iter().filter(|(_, end, ..)| end.starts_with("arrived")).count();
    assert_eq!(arrived, 100, "{:?}", run.ends);
    run.judge.assert_clean("G12");
}

#[test]
fn fault_g13_head_on_in_the_open_they_are_past_each_other_in_three_seconds() {
    let mut run = Run::of(OPEN);
    let (left, right) = (run.spawn("left", (100.0, 100.0)), run.spawn("right", (104.0, 100.0)));
    run.walk(left, (108.0, 100.0));
    run.walk(right, (96.0, 100.0));
    run.run(3.0);
    assert!(run.at(left).x > run.at(right).x, "{} and {}", run.at(left), run.at(right));
    run.until_ends(2, 10.0);
    assert!(run.ends.iter().all(|(_, end, ..)| end == "arrived/reached"), "{:?}", run.ends);
    run.judge.assert_clean("G13");
}

#[test]
fn fault_g17_two_on_one_point_part_by_their_ids_the_same_way_every_time() {
    let places = |_| {
        let mut run = Run::of(OPEN);
        let (one, other) = (run.spawn("one", (50.0, 50.0)), run.spawn("other", (50.0, 50.0)));
        run.run(1.0);
        run.judge.assert_clean("G17");
        (run.at(one), run.at(other))
    };
    let all: Vec<(Vec3, Vec3)> = (0..3).map(places).collect();
    assert!(all.iter().all(|pair| *pair == all[0]), "{all:?}");
    assert!(all[0].0.distance(all[0].1) >= 0.69, "{all:?}");
}

#[test]
fn fault_g34_nobody_and_one_and_as_many_as_can_be() {
    let mut run = Run::of(OPEN);
    run.run(0.1);
    let first = run.spawn("first", (10.0, 10.0));
    run.walk(first, (12.0, 10.0));
    run.until_ends(1, 5.0);
    for index in 1..65_536 {
        let place = ((index % 256) as f32 * 0.85 + 1.0, (index / 256) as f32 * 0.85 + 1.0);
        run.spawn(&format!("c{index}"), place);
    }
    for _ in 0..2 {
        run.game.tick(&[]);
    }
    assert_eq!(run.world().character_count(), 65_536);
    let one_more = Spawn::new("more", Vec3::new(1.0, 0.0, 1.0));
    let refused = characters::spawn(run.game.world_mut(), one_more).unwrap_err().to_string();
    assert!(refused.contains("65536"), "{refused}");
}
