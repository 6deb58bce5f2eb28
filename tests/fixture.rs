//! Small levels for tests: two rooms with a door between them, and a hand to drive them.

use glam::Vec3;
use walkon_runtime::base::ids::{CharacterId, DoorId, WalkId};
use walkon_runtime::base::time::TickRate;
use walkon_runtime::game::Game;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::level::{MemorySource, load, spawn};
use walkon_runtime::nav::LayerPoint;
use walkon_runtime::world::World;
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::characters::{self, Spawn};
use walkon_runtime::world::ops::walks::{WalkOrder, walk_to};
use walkon_runtime::world::owner::Owner;
use walkon_runtime::world::walk::WalkOptions;

/// Two rooms of 10 x 10 m joined by a doorway of 1 x 2 m; `hero` in the left one, nobody else.
pub const TWO_ROOMS: &str = r#"{
  "navigation": { "agentRadius": 0.35, "objectPadding": 0.0,
    "areas": [
      { "name": "left", "polygon": [[0,0],[10,0],[10,10],[0,10]] },
      { "name": "doorway", "polygon": [[10,4],[11,4],[11,6],[10,6]] },
      { "name": "right", "polygon": [[11,0],[21,0],[21,10],[11,10]] },
      { "name": "island", "polygon": [[30,0],[34,0],[34,4],[30,4]] }
    ] },
  "doors": [ { "name": "gate", "area": "doorway", "open": true, "seconds": 0.5 } ],
  "characters": [ { "name": "hero", "position": [2, 5] } ]
}"#;

/// One open room of 40 x 40 m with `hero` in a corner.
pub const HALL: &str = r#"{
  "navigation": { "areas": [ { "name": "hall", "polygon": [[0,0],[40,0],[40,40],[0,40]] } ] },
  "characters": [ { "name": "hero", "position": [4, 4] } ]
}"#;

/// A level under test.
pub struct Stage {
    /// The game.
    pub game: Game,
    /// Ends of walks as `status/reason`, in the order they settled, as the trace tells them.
    pub ends: Vec<String>,
    /// Trace lines so far.
    pub lines: Vec<String>,
}

impl Stage {
    /// The level in `json`, at tick 0. Panics when it is refused, with every reason.
    pub fn of(json: &str) -> Self {
        Self::of_file("stage.json", json)
    }

    /// The level in a file of that name, at tick 0.
    pub fn of_file(name: &str, text: &str) -> Self {
        let level = load(name, &MemorySource::new().with(name, text));
        let level = level.unwrap_or_else(|refused| panic!("{refused:?}"));
        Self::on(spawn::build(level, None).world)
    }

    /// A level among the files of a source.
    pub fn from(path: &str, source: &MemorySource) -> Self {
        let level = load(path, source).unwrap_or_else(|refused| panic!("{refused:?}"));
        Self::on(spawn::build(level, None).world)
    }

    /// The same at another tick rate.
    pub fn at_rate(json: &str, tick_rate: u32) -> Self {
        Self::of(&json.replacen('{', &format!("{{ \"tickRate\": {tick_rate},"), 1))
    }

    fn on(world: World) -> Self {
        let options = RecordOptions { trace: true, hash_every: 1, ..RecordOptions::default() };
        let game = Game::new(world, Recorder::new(options));
        Self { game, ends: Vec::new(), lines: Vec::new() }
    }

    pub fn world(&self) -> &World {
        self.game.world()
    }

    pub fn hero(&self) -> CharacterId {
        self.world().find_character("hero").unwrap()
    }

    pub fn gate(&self) -> DoorId {
        self.world().find_door("gate").unwrap()
    }

    pub fn position(&self) -> Vec3 {
        self.world().character(self.hero()).unwrap().body.position
    }

    /// Sends the hero; options by `adjust`.
    pub fn walk(&mut self, x: f32, z: f32, adjust: impl FnOnce(&mut WalkOptions)) -> WalkId {
        let hero = self.hero();
        send(self, hero, Goal::Point(Vec3::new(x, 0.0, z)), adjust)
    }

    /// One tick; what settled in it is added to `ends`.
    pub fn tick(&mut self) {
        let recorded = self.game.tick(&[]);
        self.take(recorded.lines);
    }

    pub fn take(&mut self, lines: Vec<String>) {
        for line in &lines {
            let fact: serde_json::Value = serde_json::from_str(line).unwrap();
            if fact["e"] == "walkSettled" {
                let text = |key: &str| fact[key].as_str().unwrap().to_owned();
                self.ends.push(format!("{}/{}", text("status"), text("reason")));
            }
        }
        self.lines.extend(lines);
    }

    pub fn ticks(&mut self, count: u64) {
        for _ in 0..count {
            self.tick();
        }
    }

    /// Runs until as many walks have settled as `count`, at most `ticks_max`; their ends.
    pub fn until_settled(&mut self, count: usize, ticks_max: u64) -> Vec<String> {
        for _ in 0..ticks_max {
            if self.ends.len() >= count {
                break;
            }
            self.tick();
        }
        self.ends.clone()
    }

    /// Ends the level.
    pub fn end(&mut self) {
        let recorded = self.game.end();
        self.take(recorded.lines);
    }

    /// Facts of one kind so far, as JSON.
    pub fn facts(&self, kind: &str) -> Vec<serde_json::Value> {
        // Loops ask this in every tick: only lines that name the kind are read.
        let word = format!("\"{kind}\"");
        let named = self.lines.iter().filter(|line| line.contains(&word));
        let facts = named.map(|line| serde_json::from_str(line).unwrap());
        facts.filter(|fact: &serde_json::Value| fact["e"] == kind).collect()
    }
}

/// The options of a walk that says nothing.
pub fn options() -> WalkOptions {
    WalkOptions::at(TickRate::DEFAULT)
}

/// A place on the first layer of a map.
pub fn ground(point: Vec3) -> LayerPoint {
    LayerPoint { layer: 0, point }
}

/// One character more.
pub fn put(stage: &mut Stage, name: &str, place: Vec3) -> CharacterId {
    characters::spawn(stage.game.world_mut(), Spawn::new(name, place)).unwrap().unwrap()
}

/// Sends a character; options by `adjust`.
pub fn send(
    stage: &mut Stage,
    who: CharacterId,
    goal: Goal,
    adjust: impl FnOnce(&mut WalkOptions),
) -> WalkId {
    let mut options = options();
    adjust(&mut options);
    let order = WalkOrder { character: who, goal, options, owner: Owner::HOST };
    walk_to(stage.game.world_mut(), order).unwrap()
}

/// The points of the path that a walk uses; none while it has none.
pub fn points(stage: &Stage, walk: WalkId) -> Vec<Vec3> {
    let following = stage.world().walk(walk).and_then(|walk| walk.following.as_ref());
    following.map(|following| following.path.points.clone()).unwrap_or_default()
}
