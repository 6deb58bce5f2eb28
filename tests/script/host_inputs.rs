//! What a viewer may do to a level: walks, teleports, newcomers, doors, areas, and texts of
//! Luau.
//!
//! Goal: such an input does what it says, or changes nothing and says why. Method: a room with a door, a
//! behaviour and a level script is told things, and the events of the tick are compared; hostile texts are
//! evaluated and the level must go on.

use std::collections::BTreeMap;

use walkon_runtime::base::value::Plain;
use walkon_runtime::game::event::Event;
use walkon_runtime::game::inputs::{DoorCommand, Input, InputGoal, InputSpawn, InputTeleport};
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::tick::Tick;
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};

/// Two rooms, a door between them that is locked, `hero` and `carl`.
const LEVEL: &str = r#"{
  "name": "rooms", SCRIPT
  "navigation": { "agentRadius": 0.35, "objectPadding": 0.0, "areas": [
    { "name": "left", "polygon": [[0,0],[10,0],[10,10],[0,10]] },
    { "name": "doorway", "polygon": [[10,4],[11,4],[11,6],[10,6]] },
    { "name": "right", "polygon": [[11,0],[21,0],[21,10],[11,10]] },
    { "name": "shed", "polygon": [[0,10],[4,10],[4,14],[0,14]] } ] },
  "doors": [ { "name": "gate", "area": "doorway", "open": false, "seconds": 0.1, "locked": true, "key": "iron" } ],
  "marks": { "well": [8, 8] },
  "characters": [ { "name": "hero", "position": [2, 5] }, { "name": "carl", "position": [5, 2] } ]
}"#;

const LEVEL_SCRIPT: &str = "
count = 3
function double(n) return 2 * n end
function onStart() event.on('bell', function() count = count + 1 end) end";

const GREETER: &str = "
return { params = { word = { type = 'string' } },
  start = function(self) log.info('%s says %s', self.character.name, self.params.word) end }";

struct Run {
    game: Game,
}

impl Run {
    fn new() -> Self {
        Self::with("\"script\": \"level.lua\",")
    }

    fn with(script: &str) -> Self {
        let source = MemorySource::new().with("rooms.json", LEVEL.replace("SCRIPT", script));
        let level = load("rooms.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
        let files = [("level.lua", LEVEL_SCRIPT), ("greeter.lua", GREETER), ("broken.lua", "return {")];
        let scripts = files.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
        let options = RecordOptions { trace: true, sentences: true, ..RecordOptions::default() };
        let setup = Setup { scripts, recorder: Recorder::new(options), ..Setup::default() };
        let mut game = Game::load(level, setup).unwrap_or_else(|error| panic!("{error}"));
        let _ = game.start_facts();
        Self { game }
    }

    fn tell(&mut self, input: Input) -> Tick {
        self.game.tick(&[input])
    }

    fn ticks(&mut self, count: u64) -> Vec<Event> {
        (0..count).flat_map(|_| self.game.tick(&[]).events).collect()
    }

    /// Why an input is refused; it must have changed nothing beside the tick.
    fn refusal(&mut self, input: Input) -> String {
        let mut alone = Self::new();
        alone.ticks(self.game.world().tick().0);
        assert_eq!(alone.game.fingerprint(), self.game.fingerprint(), "both runs stand at the same place");
        let kind = input.kind();
        let tick = self.tell(input);
        alone.ticks(1);
        assert_eq!(alone.game.fingerprint(), self.game.fingerprint(), "a refused {kind} changes nothing");
        let [Event::InputRefused { what, why }] = &tick.events[..] else { panic!("{:?}", tick.events) };
        assert_eq!(*what, kind);
        assert_eq!(tick.sentences, [format!("{kind} refused: {why}")]);
        let line: serde_json::Value = serde_json::from_str(&tick.lines[1]).unwrap();
        assert_eq!((&line["e"], &line["what"]), (&"inputRefused".into(), &kind.into()), "{line}");
        why.clone()
    }

    /// What a text comes to: its result, or `! ` and the message.
    fn evaluate(&mut self, text: &str) -> String {
        let tick = self.tell(Input::Evaluate { text: text.to_owned() });
        let mut results = tick.events.iter().filter_map(|event| match event {
            Event::Evaluated { failure: Some(failure), .. } => Some(format!("! {}", failure.message)),
            Event::Evaluated { result, .. } => Some(result.clone()),
            _ => None,
        });
        let result = results.next().unwrap_or_else(|| panic!("{:?}", tick.events));
        assert_eq!(results.next(), None);
        result
    }
}

fn named(name: &str) -> String {
    name.to_owned()
}

fn walk(character: &str, to: InputGoal) -> Input {
    Input::Walk { character: named(character), to }
}

fn spawn(name: &str, at: [f32; 3]) -> InputSpawn {
    InputSpawn { name: named(name), at, ..InputSpawn::default() }
}

fn door(order: DoorCommand) -> Input {
    Input::Door { door: named("gate"), order }
}

#[test]
fn a_walk_leads_to_a_point_a_mark_or_a_character_and_is_stopped() {
    let mut run = Run::new();
    for (goal, at) in [
        (InputGoal::Point([3.0, 0.0, 3.0]), [3.0, 3.0]),
        (InputGoal::Named(named("well")), [8.0, 8.0]),
        (InputGoal::Named(named("carl")), [5.0, 2.0]),
    ] {
        let tick = run.tell(walk("hero", goal));
        let started = tick.events.iter().find_map(|event| match event {
            Event::WalkStarted { goal, owner, .. } => Some(([goal[0], goal[2]], *owner)),
            _ => None,
        });
        assert_eq!(started, Some((at, 0)), "the walk is the host's");
        run.ticks(20);
    }
    let tick = run.tell(Input::Stop { character: named("hero") });
    let reasons: Vec<_> = tick.settled().map(|result| result.reason().name()).collect();
    assert_eq!(reasons, ["stopped"]);
}

#[test]
fn somebody_is_put_somewhere_appears_with_a_behaviour_and_is_removed() {
    let mut run = Run::new();
    let to = InputTeleport { character: named("hero"), to: [7.0, 0.0, 1.0], facing_rad: Some(1.0) };
    run.tell(Input::Teleport(to));
    let pose = run.game.pose(run.game.character("hero").unwrap()).unwrap();
    assert_eq!((pose.position, pose.facing_rad), ([7.0, 0.0, 1.0], 1.0));
    let params = Plain::map([("word", Plain::Text(named("hello")))]);
    let order = InputSpawn {
        behaviour: Some(named("greeter")),
        params: Some(params),
        tags: vec![named("guest")],
        ..spawn("bo", [4.0, 0.0, 4.0])
    };
    let tick = run.tell(Input::Spawn(order));
    let logged: Vec<_> = tick.sentences.iter().filter(|sentence| sentence.contains("says")).collect();
    assert_eq!(logged.len(), 1, "{:?}", tick.sentences);
    assert!(logged[0].ends_with("bo says hello"), "{logged:?}");
    let bo = run.game.character("bo").unwrap();
    assert!(run.game.world().character(bo).unwrap().has_tag("guest"));
    run.tell(Input::Remove { character: named("bo") });
    assert_eq!(run.game.character("bo"), None);
}

#[test]
fn doors_and_areas_obey_and_a_locked_door_refuses() {
    let mut run = Run::new();
    let refused = run.refusal(door(DoorCommand::Open));
    assert_eq!(refused, "door \"gate\" is locked; unlock it first");
    let state = |run: &Run| {
        let door = &run.game.world().doors()[0];
        (door.state.name(), door.is_locked)
    };
    run.tell(door(DoorCommand::Unlock));
    run.tell(door(DoorCommand::Open));
    run.ticks(10);
    assert_eq!(state(&run), ("open", false));
    run.tell(door(DoorCommand::Close));
    run.ticks(10);
    run.tell(door(DoorCommand::Lock));
    assert_eq!(state(&run), ("closed", true));
    let tick = run.tell(Input::Area { area: named("shed"), is_available: false });
    let changed = |event: &Event| matches!(event, Event::AreaChanged { area, is_available: false, .. } if area == "shed");
    assert!(tick.events.iter().any(changed), "{:?}", tick.events);
}

#[test]
fn what_cannot_be_done_changes_nothing_and_says_why() {
    let mut run = Run::new();
    let teleport = |to| Input::Teleport(InputTeleport { character: named("hero"), to, facing_rad: None });
    let behaving = |behaviour: &str, params: Option<Plain>| {
        Input::Spawn(InputSpawn { behaviour: Some(named(behaviour)), params, ..spawn("bo", [4.0, 0.0, 4.0]) })
    };
    let somebody = |name: &str, at| Input::Spawn(spawn(name, at));
    let point = InputGoal::Point([1.0, 0.0, 1.0]);
    let cases = [
        (walk("hreo", point.clone()), "unknown character \"hreo\"; did you mean \"hero\"?"),
        (
            walk("hero", InputGoal::Named(named("wel"))),
            "unknown mark or character \"wel\"; did you mean \"well\"?",
        ),
        (
            walk("hero", InputGoal::Point([f32::NAN, 0.0, 1.0])),
            "goal is (NaN, 0, 1), expected three numbers from -1000000 to 1000000 metres",
        ),
        (Input::Stop { character: named("hero") }, "character \"hero\" has no walk"),
        (teleport([90.0, 0.0, 90.0]), "no walkable ground lies within 8 m of (90.00, 0.00, 90.00)"),
        (
            somebody("hero", [1.0, 0.0, 1.0]),
            "the name \"hero\" is taken by a living character; choose another",
        ),
        (somebody("bo", [90.0, 0.0, 90.0]), "no walkable ground lies within 8 m of (90.00, 0.00, 90.00)"),
        (behaving("greter", None), "unknown script \"greter\"; did you mean \"greeter\"?"),
        (behaving("greeter", None), "params.word is missing, expected a text"),
        (
            Input::Spawn(InputSpawn { params: Some(Plain::map([])), ..spawn("bo", [4.0, 0.0, 4.0]) }),
            "params are given without a behaviour; give both or none",
        ),
        (Input::Remove { character: named("karl") }, "unknown character \"karl\"; did you mean \"carl\"?"),
        (
            Input::Door { door: named("gatte"), order: DoorCommand::Open },
            "unknown door \"gatte\"; did you mean \"gate\"?",
        ),
        (
            Input::Area { area: named("shad"), is_available: false },
            "unknown area \"shad\"; did you mean \"shed\"?",
        ),
        (Input::Continue { scene: None }, "no scene has a line under way"),
        (Input::Continue { scene: Some(named("nope")) }, "no scene \"nope\" has a line under way"),
        (Input::Skip { scene: None }, "no scene runs"),
        (Input::Skip { scene: Some(named("nope")) }, "no scene \"nope\" runs"),
    ];
    for (input, why) in cases {
        assert_eq!(run.refusal(input), why);
    }
    let broken = run.refusal(behaving("broken", None));
    assert!(broken.starts_with("broken.lua:1: "), "{broken}");
}

#[test]
fn a_text_runs_in_the_environment_of_the_level_script() {
    let mut run = Run::new();
    assert_eq!(run.evaluate("double(count)"), "6");
    assert_eq!(run.evaluate("count = 10"), "");
    run.tell(Input::event("bell"));
    assert_eq!(run.evaluate("count, 'text', nil, { 1, { a = true } }"), "11, text, nil, [1,{\"a\":true}]");
    assert_eq!(run.evaluate("world.character('hero')"), "\"hero\"");
    assert_eq!(run.evaluate("double"), "a function (level.lua:3)");
    assert_eq!(run.evaluate("for i = 1, 3 do print(i) end"), "");
    assert_eq!(run.evaluate("world.character('hero'):walkTo(5, 5) return 'sent'"), "sent");
    let ends = run.ticks(300).into_iter().filter(|event| matches!(event, Event::WalkSettled(_))).count();
    assert_eq!(ends, 1, "what a text starts goes on");
}

#[test]
fn a_text_that_fails_says_where_and_counts_against_nobody() {
    let mut run = Run::new();
    assert_eq!(run.evaluate("local a = 1\nerror('oh')"), "! console:1:2: oh");
    assert_eq!(run.evaluate("x = = 1").split(": ").next(), Some("! console:2:1"));
    assert!(run.evaluate("nowhere.x").starts_with("! console:3:1: attempt to index nil"));
    assert!(run.evaluate("world.character('hreo')").contains("did you mean \"hero\"?"));
    assert!(run.evaluate("task.sleep(1)").starts_with("! console:5:1: "), "a text may not wait");
    assert_eq!(run.game.fault_count(), 0);
    assert!(run.game.switched_off().is_empty());
    assert_eq!(run.evaluate("count"), "3", "the level script goes on");
}

#[test]
fn texts_of_a_level_without_a_script_keep_their_names_over_the_run() {
    let mut run = Run::with("");
    assert_eq!(run.evaluate("mine = { 1 }"), "");
    run.ticks(3);
    assert_eq!(run.evaluate("table.insert(mine, 2) return mine"), "[1,2]");
    assert_eq!(run.evaluate("print == _G.print, rawget(_G, 'io')"), "true, nil");
}

#[test]
fn fault_a12_hostile_texts_end_like_any_script_and_the_level_goes_on() {
    let mut run = Run::with("\"script\": \"level.lua\", \"limits\": { \"memoryMiB\": 4 },");
    assert!(run.evaluate("while true do end").starts_with("! console:1:1: stopped after "));
    assert!(
        run.evaluate("local t = {} while true do t[#t + 1] = ('x'):rep(100000) .. #t end").contains("memory")
    );
    assert!(run.evaluate("setmetatable({}, { __tostring = function() while true do end end })") == "{}");
    assert!(run.evaluate("\u{1b}Lua").starts_with("! "), "no bytecode");
    assert!(run.evaluate("string.rep = nil").starts_with("! "), "libraries stay as they are");
    let many = "return table.unpack(table.create(5000, { ('x'):rep(5000), ('y'):rep(5000) }))";
    let shown = run.evaluate(many);
    assert!(shown.len() < 40_000 && shown.contains("xxx..."), "{}", shown.len());
    let long = "x".repeat(2 * 1024 * 1024);
    assert!(run.tell(Input::Evaluate { text: long }).has("inputRefused"));
    assert_eq!(run.evaluate("double(count)"), "6");
    let many: Vec<Input> = (0..80).map(|_| Input::Evaluate { text: named("1") }).collect();
    let names = run.game.tick(&many);
    let count = |name: &str| names.names().filter(|own| *own == name).count();
    assert_eq!((count("evaluated"), count("inputRefused")), (64, 16));
}

#[test]
fn handlers_and_tasks_of_a_text_end_with_the_level_and_outlive_a_reload_of_its_script() {
    let mut run = Run::new();
    run.evaluate("event.on('ring', function() print('rung') end) task.spawn(function() task.sleep(9) end)");
    let text = format!("{LEVEL_SCRIPT}\n-- saved again");
    let scripts = BTreeMap::from([(named("level.lua"), Some(text))]);
    let reload = walkon_runtime::game::inputs::Reload { scripts, level: None };
    assert!(run.tell(Input::Reload(reload)).has("reloaded"));
    let tick = run.tell(Input::event("ring"));
    assert!(tick.sentences.iter().any(|sentence| sentence.ends_with("rung")), "{:?}", tick.sentences);
    assert_eq!(run.evaluate("count"), "3", "texts see the new environment");
    let end = run.game.end();
    assert!(end.faults().next().is_none(), "{:?}", end.events);
}

#[test]
fn a_game_without_scripts_refuses_texts_and_behaviours() {
    let source = MemorySource::new().with("rooms.json", LEVEL.replace("SCRIPT", ""));
    let world = walkon_runtime::level::spawn::build(load("rooms.json", &source).unwrap(), None).world;
    let mut game = Game::new(world, Recorder::default());
    let _ = game.start_facts();
    let order = InputSpawn { behaviour: Some(named("greeter")), ..spawn("bo", [4.0, 0.0, 4.0]) };
    let tick = game.tick(&[Input::Evaluate { text: named("1") }, Input::Spawn(order)]);
    assert_eq!(tick.names().collect::<Vec<_>>(), ["inputRefused", "inputRefused"]);
}
