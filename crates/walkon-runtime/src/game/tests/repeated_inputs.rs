//! Inputs of the host in traces: what was said is said again, to the bit, and refused alike.
//!
//! Method: drawn inputs, with every number that JSON has no form for, handles of what is gone, keys that look
//! alike and tables of any depth, are written and read; games that were told them are recorded and replayed.

use super::*;
use crate::base::ids::{CharacterId, DoorId};
use crate::base::rng::Rng;
use crate::base::value::{Plain, PlainKey};
use crate::game::event::Event;
use crate::game::header::{Header, RunSetup};
use crate::game::headless::Bound;
use crate::game::input_line;
use crate::game::inputs::{InputGoal, InputSpawn, InputTeleport, LevelTexts};
use crate::game::recording::Recording;
use crate::game::replay::replay;
use crate::world::cue::{Cue, CueKind};
use crate::world::ops::characters::Spawn;

const LEVEL: &str = r#"{ "name": "a", "seed": 3, "script": "a.lua",
  "navigation": { "areas": [
    { "name": "yard", "polygon": [[0, 0], [9, 0], [9, 6], [0, 6]] },
    { "name": "doorway", "polygon": [[9, 2], [10, 2], [10, 4], [9, 4]] },
    { "name": "hall", "polygon": [[10, 0], [19, 0], [19, 6], [10, 6]] } ] },
  "doors": [ { "name": "gate", "area": "doorway", "seconds": 0.2 } ],
  "characters": [ { "name": "anna", "position": [2.5, 2.5] }, { "name": "ben", "position": [5.5, 2.5] } ] }"#;

/// Tells what it hears, as text and as data.
const SCRIPT: &str = r#"
function onStart()
  event.on("bell", function(e) event.emit("heard", e) log.info("%s", tostring(e)) end)
end
"#;

fn level() -> Level {
    load("a.json", &MemorySource::new().with("a.json", LEVEL)).expect("the level is right")
}

fn scripts() -> BTreeMap<String, String> {
    BTreeMap::from([("a.lua".to_owned(), SCRIPT.to_owned())])
}

fn setup(recorder: Recorder) -> Setup {
    Setup { scripts: scripts(), seed: Some(7), recorder, ..Setup::default() }
}

/// Numbers that are hard to keep.
const NUMBERS: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.1,
    0.3,
    1e6,
    1e7,
    1e300,
    -1e-300,
    5e-324,
    9_007_199_254_740_993.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
];

/// What inputs are drawn from.
struct Draw<'a> {
    rng: &'a mut Rng,
    characters: &'a [CharacterId],
}

impl Draw<'_> {
    fn number(&mut self) -> f64 {
        match self.rng.below(3) {
            0 => NUMBERS[self.rng.below(NUMBERS.len() as u64) as usize],
            // Any bits but those of numbers that are none, of which there are many.
            1 => Some(f64::from_bits(self.rng.bits())).filter(|number| !number.is_nan()).unwrap_or(0.7),
            _ => self.rng.float(-20.0, 20.0),
        }
    }

    fn short(&mut self) -> f32 {
        if self.rng.chance(0.5) { self.rng.float(0.0, 8.0) as f32 } else { self.number() as f32 }
    }

    fn place(&mut self) -> [f32; 3] {
        [self.short(), self.short(), self.short()]
    }

    fn name(&mut self) -> String {
        let names =
            ["anna", "ben", "new", "7", "-7", "07", "7'", "", "a\n\"b", "a/~b", "yard", "barrel", "x y:z"];
        names[self.rng.below(names.len() as u64) as usize].to_owned()
    }

    fn plain(&mut self, depth_max: u32) -> Plain {
        let kinds = if depth_max == 0 { 6 } else { 9 };
        match self.rng.below(kinds) {
            0 => Plain::Bool(self.rng.chance(0.5)),
            1 | 2 => Plain::Number(self.number()),
            3 => Plain::Text(self.name()),
            4 => Plain::Vector(self.place().into()),
            5 if self.rng.chance(0.5) => Plain::Door(DoorId(self.rng.below(3) as u32)),
            5 => Plain::Character(self.characters[self.rng.below(self.characters.len() as u64) as usize]),
            6 => Plain::List((0..self.rng.below(4)).map(|_| self.plain(depth_max - 1)).collect()),
            7 => (0..self.rng.below(40)).fold(self.plain(0), |inner, _| Plain::List(vec![inner])),
            _ => {
                Plain::Map((0..self.rng.below(5)).map(|_| (self.key(), self.plain(depth_max - 1))).collect())
            }
        }
    }

    fn key(&mut self) -> PlainKey {
        if self.rng.chance(0.5) { PlainKey::Index(self.rng.int(-8, 8)) } else { PlainKey::Name(self.name()) }
    }

    fn input(&mut self) -> Input {
        let name = self.name();
        match self.rng.below(9) {
            0 | 1 => Input::Event { name: "bell".to_owned(), payload: Some(self.plain(4)) },
            2 => Input::Walk { character: name, to: InputGoal::Point(self.place()) },
            3 => {
                let facing_rad = self.rng.chance(0.7).then(|| self.short());
                Input::Teleport(InputTeleport { character: name, to: self.place(), facing_rad })
            }
            4 => {
                let params = self.rng.chance(0.3).then(|| self.plain(2));
                Input::Spawn(InputSpawn { name, at: self.place(), params, ..InputSpawn::default() })
            }
            5 => Input::Remove { character: name },
            6 => Input::Block {
                name,
                at: self.place(),
                radius_m: self.short(),
                layer: self.rng.chance(0.3).then(|| self.name()),
            },
            7 => Input::Unblock { name },
            _ => {
                let files = BTreeMap::from([(self.name(), LEVEL.as_bytes().to_vec())]);
                let level = Some(LevelTexts { path: self.name(), files });
                Input::Reload(Reload { scripts: BTreeMap::new(), level })
            }
        }
    }
}

/// The same but for the insides of tables that are deeper than data may be.
fn as_deep_as_may_be(value: &Plain, depth: usize) -> Plain {
    match value {
        Plain::List(_) if depth == 32 => Plain::List(Vec::new()),
        Plain::Map(_) if depth == 32 => Plain::Map(BTreeMap::new()),
        Plain::List(items) => {
            Plain::List(items.iter().map(|item| as_deep_as_may_be(item, depth + 1)).collect())
        }
        Plain::Map(entries) => {
            let entries = entries.iter();
            Plain::Map(entries.map(|(key, item)| (key.clone(), as_deep_as_may_be(item, depth + 1))).collect())
        }
        other => other.clone(),
    }
}

fn as_written(input: Input) -> Input {
    match input {
        Input::Event { name, payload } => {
            Input::Event { name, payload: payload.map(|payload| as_deep_as_may_be(&payload, 0)) }
        }
        Input::Spawn(spawn) => {
            let params = spawn.params.map(|params| as_deep_as_may_be(&params, 0));
            Input::Spawn(InputSpawn { params, ..spawn })
        }
        other => other,
    }
}

/// A game, and handles: of its characters, and of nobody.
fn game_with_handles(recorder: Recorder) -> (Game, Vec<CharacterId>) {
    let game = Game::load(level(), setup(recorder)).expect("it starts");
    let handles = ["anna", "ben"].map(|name| game.character(name).expect("both are there"));
    (game, [&handles[..], &[CharacterId::default()]].concat())
}

#[test]
fn every_input_reads_back_as_it_was_said() {
    let (mut game, mut characters) = game_with_handles(Recorder::default());
    game.remove_character(characters[0]).expect("she is removed");
    game.tick(&[]);
    let anna = game.add_character(Spawn::new("anna", [2.5, 0.0, 2.5]));
    characters.extend(anna.expect("her name is free"));
    for seed in 0..3000 {
        let mut rng = Rng::stream(seed, "inputs");
        let input = Draw { rng: &mut rng, characters: &characters }.input();
        let line = input_line::line(game.world(), 3, &input);
        assert!(!line.contains('\n'), "{line}");
        let json = serde_json::from_str(&line).unwrap_or_else(|wrong| panic!("{seed}: {wrong}: {line}"));
        let read =
            input_line::read(game.world(), &json).unwrap_or_else(|wrong| panic!("{seed}: {wrong}: {line}"));
        // Numbers that are none equal nothing; as text they are what they are.
        assert_eq!(format!("{read:?}"), format!("{:?}", as_written(input)), "{seed}: {line}");
    }
}

#[test]
fn what_a_host_says_is_done_or_refused_alike_in_a_replay() {
    const TICKS: u64 = 60;
    let options = RecordOptions { trace: true, hash_every: 1, ..RecordOptions::default() };
    let (mut taken, mut refused) = (0, 0);
    for seed in 0..12 {
        let bound = Bound { ticks_max: TICKS, until: None, is_strict: false };
        let run = RunSetup { level_file: "a.json", seed: 7, bound, args: Vec::new(), options };
        let mut trace = vec![Header::of(&level(), &scripts(), BTreeMap::new(), run).line()];
        let (mut game, mut characters) = game_with_handles(Recorder::new(options));
        let mut rng = Rng::stream(seed, "said");
        trace.extend(game.start_facts().lines);
        for _ in 0..TICKS {
            characters.extend(game.poses().map(|pose| pose.character));
            characters.dedup();
            let inputs: Vec<Input> =
                (0..rng.below(4)).map(|_| Draw { rng: &mut rng, characters: &characters }.input()).collect();
            let tick = game.tick(&inputs);
            let refusals = tick.events.iter().filter(|event| matches!(event, Event::InputRefused { .. }));
            let count = refusals.count();
            (taken, refused) = (taken + inputs.len() - count, refused + count);
            trace.extend(tick.lines);
        }
        let text = trace.join("\n") + "\n";
        let recording = Recording::read(&text).expect("it is a trace");
        let replayed =
            replay(&recording, level(), scripts(), Arc::default(), &mut || false).expect("it starts");
        assert!(replayed.is_same() && replayed.hashes == TICKS, "{seed}: {replayed:?}");
    }
    assert!(taken > 200 && refused > 200, "{taken} {refused}");
}

#[test]
fn a_block_of_the_host_is_saved_and_named_once() {
    let mut game = Game::load(level(), setup(Recorder::default())).expect("it starts");
    let block =
        |name: &str| Input::Block { name: name.to_owned(), at: [3.5, 0.0, 2.5], radius_m: 1.0, layer: None };
    let why = |tick: &Tick| {
        let mut refusals = tick.events.iter().filter_map(|event| match event {
            Event::InputRefused { why, .. } => Some(why.clone()),
            _ => None,
        });
        refusals.next()
    };
    assert_eq!(why(&game.tick(&[block("barrel")])), None);
    let is_free = |game: &Game| game.world().nav().is_walkable([3.5, 0.0, 2.5].into(), &Default::default());
    assert!(!is_free(&game));
    let there = "block \"barrel\" is there already; remove it first, or choose another name";
    assert_eq!(why(&game.tick(&[block("barrel")])).as_deref(), Some(there));
    assert_eq!(
        game.add_block("barrel", [7.5, 0.0, 2.5], 1.0, 0).expect_err("it is there").to_string(),
        there
    );

    let bytes = game.save().expect("it can be saved");
    let mut loaded = Game::restore(level(), setup(Recorder::default()), &bytes).expect("it can be loaded");
    for game in [&mut game, &mut loaded] {
        game.tick(&[]);
        assert!(!is_free(game), "a save keeps it");
        let moved = [Input::Unblock { name: "barrel".to_owned() }, block("barrel")];
        assert_eq!(why(&game.tick(&moved)), None, "its name is free at once");
        game.remove_block("barrel").expect("it is there");
        game.tick(&[]);
        assert!(is_free(game));
        let gone = "the host has no block \"barrel\"; it was never there, or was removed";
        assert_eq!(game.remove_block("barrel").expect_err("it is gone").to_string(), gone);
        let named = Input::Block {
            name: "b".to_owned(),
            at: [0.0; 3],
            radius_m: 1.0,
            layer: Some("groud".to_owned()),
        };
        let expected = "unknown layer \"groud\"; did you mean \"ground\"?";
        assert_eq!(why(&game.tick(&[named])).as_deref(), Some(expected));
    }
    assert_eq!(game.fingerprint().map, loaded.fingerprint().map);
}

#[test]
fn what_a_scene_asked_for_before_the_first_tick_is_told_after_a_load() {
    let mut game = Game::load(level(), setup(Recorder::default())).expect("it starts");
    let cue = |scene: &str, line: &str| {
        let (character, line) = ("anna".to_owned(), line.to_owned());
        let kind = CueKind::Said { character, line, vars: Plain::map([]), seconds: 1.5 };
        Cue { scene: scene.to_owned(), kind }
    };
    let choice = CueKind::Choice { id: "well".to_owned(), options: vec!["yes".to_owned()], answer: None };
    let (fade, shake) = ("fade".to_owned(), "shake".to_owned());
    let options = Plain::map([("seconds", Plain::Number(0.5))]);
    let of_intro = [
        cue("intro", "Hello."),
        Cue { scene: "intro".to_owned(), kind: choice },
        Cue { scene: "intro".to_owned(), kind: CueKind::Camera { kind: shake, options: options.clone() } },
        Cue { scene: "intro".to_owned(), kind: CueKind::Other { kind: fade, options } },
    ];
    let events = &mut game.world_mut().events;
    events.tell_host(Fact::Cue(Box::new(cue("talk", "A scene that goes on says it again."))));
    of_intro.iter().for_each(|cue| events.tell_host(Fact::Cue(Box::new(cue.clone()))));
    events.tell_host(Fact::SceneEnded { name: "intro".to_owned(), info: Plain::map([]) });
    let bytes = game.save().expect("it can be saved");

    let mut loaded = Game::restore(level(), setup(Recorder::default()), &bytes).expect("it can be loaded");
    assert_eq!(loaded.save().as_ref(), Ok(&bytes), "a save of the load is the same");
    assert_eq!(loaded.start_facts().cues().count(), 0, "the start tells who is there");
    let told: Vec<Cue> = loaded.tick(&[]).cues().cloned().collect();
    assert_eq!(told, of_intro);
}
