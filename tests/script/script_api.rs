//! The names that scripts see: every example of the table runs, every argument is checked, messages are those
//! of the reference.
//!
//! Method: one level (below), one VM with the scheduler's tables but nobody who runs them; Lua is given as
//! text and what it prints is compared.

use mlua::{Function, Table};
use walkon_runtime::game::Game;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::level::{MemorySource, load, spawn};
use walkon_runtime::script::bind;
use walkon_runtime::script::bind::table::{ApiParam, Binding, EntryKind, TableType};
use walkon_runtime::script::host::{ScriptHost, ScriptSetup, install_tables};
use walkon_runtime::script::vm::files::ScriptTexts;
use walkon_runtime::script::vm::{ScriptVm, VmSettings, lend};
use walkon_runtime::world::event::Fact;
use walkon_runtime::world::owner::Owner;

/// A yard with `guard` and `player`, a hall behind a closed door.
pub const LEVEL: &str = r#"{
  "name": "courtyard", "clock": { "start": "8:00" },
  "navigation": { "agentRadius": 0.35, "objectPadding": 0.0,
    "areas": [
      { "name": "yard", "polygon": [[0,0],[20,0],[20,12],[0,12]] },
      { "name": "gateway", "polygon": [[20,5],[21,5],[21,7],[20,7]], "available": false },
      { "name": "inner", "polygon": [[21,0],[34,0],[34,12],[21,12]] }
    ] },
  "doors": [ { "name": "gate", "area": "gateway", "seconds": 0.5 } ],
  "marks": { "post": [3, 3], "gate": { "position": [18, 6], "facingDegrees": 90 }, "throne": [32, 6] },
  "routes": { "rounds": ["gate", "post", [5, 9]] },
  "regions": [ { "name": "hall", "polygon": [[24,2],[32,2],[32,10],[24,10]] } ],
  "characters": [
    { "name": "guard", "position": [6, 6], "tags": ["watch"] },
    { "name": "player", "position": [10, 6], "player": true }
  ]
}"#;

/// The same people and marks on tiles: grass with a pond, a wall and a bit of mud.
pub const TILES: &str = r##"{
  "name": "meadow",
  "navigation": { "kind": "tiles",
    "legend": { ",": { "terrain": "grass" }, "~": { "terrain": "water" }, "m": { "terrain": "mud", "tags": ["slow"] },
      "b": { "area": "yard", "terrain": "grass" }, "D": { "area": "gateway" } },
    "layers": [ { "name": "ground", "rows": [
      ",,,,,,,,,,,,~~,,,,,,,,",
      ",,,,,,,,,,,,~~,,,,,,,,",
      ",,,,mm,,,,,,~~,,,,,,,,",
      ",,,,mm,,,,,,~~,,,,,,,,",
      ",,,,,,,,,,,,~~,,####,,",
      ",,bb,,,,,,,,~~,,#..#,,",
      ",,bb,,,,,,,,~~,,D..#,,",
      ",,,,,,,,,,,,~~,,####,,",
      ",,,,,,,,,,,,,,,,,,,,,,"] } ] },
  "doors": [ { "name": "gate", "area": "gateway", "seconds": 0.5 } ],
  "marks": { "post": [3, 3], "gate": { "position": [14.5, 6.5], "facingDegrees": 90 }, "throne": [18, 6] },
  "characters": [
    { "name": "guard", "position": [6, 6], "tags": ["watch"] },
    { "name": "player", "position": [10, 6], "player": true }
  ]
}"##;

/// The same people and marks on a graph: a point under each, one after the other.
pub const GRAPH: &str = r#"{
  "name": "ridge",
  "navigation": { "kind": "graph", "width": 0.3, "agentRadius": 0.4,
    "points": [[3, 0, 3], [6, 0, 6], [10, 0, 6], [14.5, 0, 6.5], [18, 0, 6]],
    "links": [[0, 1], [1, 2], [2, 3], [3, 4]],
    "areas": [ { "name": "gateway", "polygon": [[14, 6], [15, 6], [15, 7], [14, 7]] } ] },
  "doors": [ { "name": "gate", "area": "gateway", "seconds": 0.5 } ],
  "marks": { "post": [3, 3], "gate": { "position": [14.5, 6.5], "facingDegrees": 90 }, "throne": [18, 6] },
  "characters": [
    { "name": "guard", "position": [6, 6], "tags": ["watch"] },
    { "name": "player", "position": [10, 6], "player": true }
  ]
}"#;

/// The level that an entry of the table is shown on.
pub fn shown_on(entry: &Binding) -> &'static str {
    let is_among = |entries: &[Binding]| entries.iter().any(|other| other.called == entry.called);
    match () {
        () if is_among(bind::tiles::ENTRIES) => TILES,
        () if is_among(bind::graph::ENTRIES) => GRAPH,
        () => LEVEL,
    }
}

/// A level with a VM.
struct Bench {
    game: Game,
    vm: ScriptVm,
    files: u32,
}

impl Bench {
    fn new() -> Self {
        Self::on(LEVEL)
    }

    fn of(entry: &Binding) -> Self {
        Self::on(shown_on(entry))
    }

    fn on(level: &str) -> Self {
        let source = MemorySource::new().with("courtyard.json", level);
        let level = load("courtyard.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
        let game = Game::new(spawn::build(level, None).world, Recorder::new(RecordOptions::default()));
        let vm = ScriptVm::new(VmSettings::default()).unwrap();
        install_tables(vm.lua(), game.world().settings());
        let waiting = |_: &Binding| None::<Function>;
        let setup = bind::BindingSetup { args: &[], waiting: &waiting };
        let state: Table = bind::install(&vm, &setup).unwrap();
        vm.seal().unwrap();
        state.set_readonly(false);
        Self { game, vm, files: 0 }
    }

    /// Runs Lua as the body of a function of `guard.lua`, which begins on the first line; what it printed.
    fn run(&mut self, lua: &str) -> Result<Vec<String>, String> {
        self.files += 1;
        let path = format!("{}/guard.lua", self.files);
        let body = format!(
            "function main() local guard, player, door = world.findCharacter(\"guard\"), world.player(), world.findDoor(\"gate\") {lua}\nend"
        );
        self.vm.set_texts(
            ScriptTexts::new([(path.clone(), body), ("idle.lua".to_owned(), "return {}".to_owned())])
                .unwrap(),
        );
        let loaded = self.vm.load(&path).map_err(|failure| failure.message)?;
        let main: Function = loaded.environment.raw_get("main").unwrap();
        let vm = &self.vm;
        let outcome = lend::phase(vm.lua(), self.game.world_mut(), |_| vm.call(&main, (), 100_000));
        let printed = self.vm.take_printed().0.into_iter().map(|line| line.text).collect();
        match outcome {
            Ok(_) => Ok(printed),
            Err(failure) => Err(failure.message.replace(&path, "guard.lua")),
        }
    }

    fn ticks(&mut self, count: u64) {
        for _ in 0..count {
            self.game.tick(&[]);
        }
    }
}

/// Entries that need no scheduler: those that wait, start or listen are tried in `script_flow`.
fn bindings() -> impl Iterator<Item = &'static Binding> {
    let scheduled = [
        "task",
        "Task",
        "timer",
        "Timer",
        "event",
        "Listener",
        "cinematic",
        "Scene",
        "Cue",
        "blackboard",
        "Blackboard",
        "Change",
        "test",
        "Test",
        "Expectation",
    ];
    let of_behaviours = ["behaviour", "attach", "detach", "blackboard"];
    bind::entries().into_iter().filter(move |entry| {
        !entry.waits
            && !scheduled.contains(&entry.owner)
            && !of_behaviours.contains(&entry.name())
            && entry.name() != "subtree"
    })
}

/// Runs `lua` in a fresh level and compares what it prints.
fn check(lua: &str, expected: &[&str]) {
    match Bench::new().run(lua) {
        Ok(printed) => assert_eq!(printed, expected, "{lua}"),
        Err(message) => panic!("{lua}\nfailed: {message}"),
    }
}

/// Runs `lua` in a fresh level and compares the error it ends with.
fn check_error(lua: &str, expected: &str) {
    match Bench::new().run(lua) {
        Ok(printed) => panic!("{lua}\nended without an error and printed {printed:?}"),
        Err(message) => assert_eq!(message, expected, "{lua}"),
    }
}

#[test]
fn every_example_of_the_table_runs() {
    let mut failed = Vec::new();
    for entry in bindings() {
        if let Err(message) = Bench::of(entry).run(entry.example) {
            failed.push(format!("{}: {message}\n{}", entry.called, entry.example));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// The call of an entry with these arguments.
fn call_of(entry: &Binding, args: &[String]) -> String {
    let args = args.join(", ");
    match entry.kind {
        EntryKind::Method => format!("{}:{}({args})", receiver(entry.owner), entry.name()),
        _ => format!("{}({args})", entry.called),
    }
}

fn receiver(owner: &str) -> &'static str {
    match owner {
        "Character" => "guard",
        "Walk" => "guard:walkTo(\"post\")",
        "Door" => "door",
        "DoorMove" => "door:open()",
        "Watch" => "region.on(\"hall\")",
        "PathRequest" => "nav.requestPath(guard, \"post\")",
        "Block" => "nav.block(\"post\", 1)",
        "Rng" => "rng.stream(\"test\")",
        "Timer" => "timer.after(1)",
        "Task" => "task.spawn(function() end)",
        "Listener" => "event.on(\"alarm\", function() end)",
        "Scene" => "c",
        "SenseWatch" => "sense.watch(guard, player)",
        "Blackboard" => "blackboard.level",
        other => panic!("no receiver for {other}"),
    }
}

fn samples(params: &[ApiParam]) -> Vec<String> {
    params.iter().map(|param| param.sample.to_owned()).collect()
}

/// A value that no parameter of that type takes; none for parameters that take everything.
fn wrong_value(luau: &str) -> Option<&'static str> {
    match luau.trim_end_matches('?') {
        "any" => None,
        "boolean" => Some("\"yes\""),
        _ => Some("true"),
    }
}

#[test]
fn every_parameter_refuses_a_wrong_type_by_name() {
    let mut wrong = Vec::new();
    for entry in bindings() {
        for (index, param) in entry.params.iter().enumerate() {
            let Some(value) = wrong_value(param.luau) else { continue };
            let mut args = samples(entry.params);
            args[index] = value.to_owned();
            let start = format!("guard.lua:1: {}: {} is {}, expected ", entry.called, param.name, value);
            expect_start(&mut wrong, &call_of(entry, &args), &start);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Entries that exist in level tests only: those are tried in `level_tests`.
pub fn of_tests(entry: &Binding) -> bool {
    ["test", "Test", "Expectation"].contains(&entry.owner)
}

/// What `lua` raises as a task of the level script, or of a scene that holds the guard; none when it ends
/// well.
fn raised_in_a_task(lua: &str, in_scene: bool) -> Option<String> {
    let source = MemorySource::new().with("courtyard.json", LEVEL);
    let level = load("courtyard.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
    let spawned = spawn::build(level, None);
    let body =
        format!("local ok, why = pcall(function() {lua} end) if not ok then log.error(\"%s\", why) end");
    let run = if in_scene {
        let scene = format!("{{ holds = {{ \"guard\" }}, script = function(c) {body} end }}");
        format!("cinematic.define(\"scene\", {scene}) cinematic.play(\"scene\")")
    } else {
        format!("task.spawn(function() {body} end)")
    };
    let names =
        "local guard, player, door = world.character(\"guard\"), world.player(), world.door(\"gate\")";
    let setup = ScriptSetup {
        texts: [
            ("level.lua".to_owned(), format!("function onStart() {names} {run} end")),
            ("idle.lua".to_owned(), "return {}".to_owned()),
        ]
        .into(),
        level_script: Some("level.lua".to_owned()),
        ..ScriptSetup::default()
    };
    let scripts = ScriptHost::new(setup, spawned.world.settings(), 1).unwrap();
    let options = RecordOptions { trace: true, ..RecordOptions::default() };
    let mut game = Game::with_scripts(spawned.world, scripts, Recorder::new(options)).unwrap();
    let mut lines = game.start_facts().lines;
    for _ in 0..3 {
        lines.extend(game.tick(&[]).lines);
    }
    let lines = lines.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let told = lines.filter(|line| line["e"] == "log" || line["e"] == "scriptFault");
    told.map(|line| line["message"].as_str().unwrap().to_owned()).next()
}

/// The same law for what waits, starts or listens, under the scheduler.
#[test]
fn every_parameter_under_the_scheduler_refuses_a_wrong_type_by_name() {
    let bound: Vec<&str> = bindings().map(|entry| entry.called).collect();
    let mut wrong = Vec::new();
    for entry in
        bind::entries().into_iter().filter(|entry| !bound.contains(&entry.called) && !of_tests(entry))
    {
        for (index, param) in entry.params.iter().enumerate() {
            let Some(value) = wrong_value(param.luau) else { continue };
            let mut args = samples(entry.params);
            args[index] = value.to_owned();
            let (call, in_scene) = (call_of(entry, &args), entry.owner == "Scene");
            let start = format!("level.lua:1: {}: {} is {value}, expected ", entry.called, param.name);
            match raised_in_a_task(&call, in_scene) {
                Some(message) if message.starts_with(&start) => {}
                other => wrong.push(format!("{call}: {other:?}, expected {start}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_needed_parameter_is_missed_by_name() {
    let mut wrong = Vec::new();
    for entry in bindings() {
        for (index, param) in entry.params.iter().enumerate().filter(|(_, param)| !param.is_optional()) {
            if param.luau == "any" {
                continue;
            }
            let args = samples(&entry.params[..index]);
            let start = format!("guard.lua:1: {}: {} is nil, expected ", entry.called, param.name);
            expect_start(&mut wrong, &call_of(entry, &args), &start);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_option_refuses_a_wrong_type_by_name_and_unknown_ones_are_named() {
    let mut wrong = Vec::new();
    for entry in bindings() {
        for (index, param) in entry.params.iter().enumerate() {
            let Some(shape) = shape_of(param) else { continue };
            let mut args = samples(entry.params);
            args[index] = "{ zzzzzz = 1 }".to_owned();
            let start = format!("guard.lua:1: {}: unknown option \"zzzzzz\"", entry.called);
            expect_start(&mut wrong, &call_of(entry, &args), &start);
            for option in shape.fields {
                args[index] = with_option(shape, option, wrong_value(option.luau).unwrap_or("nil"));
                let Some(value) = wrong_value(option.luau) else { continue };
                if option.luau.starts_with("{[string]") {
                    args[index] = with_option(shape, option, value).replace('}', ", behaviour = \"idle\" }");
                }
                let start = format!("guard.lua:1: {}: {} is {value}, expected ", entry.called, option.name);
                expect_start(&mut wrong, &call_of(entry, &args), &start);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_option_takes_its_sample() {
    let mut wrong = Vec::new();
    for entry in bindings() {
        for (index, param) in entry.params.iter().enumerate() {
            let Some(shape) = shape_of(param) else { continue };
            for option in
                shape.fields.iter().filter(|option| !["params", "near", "radius"].contains(&option.name))
            {
                let mut args = samples(entry.params);
                args[index] = with_option(shape, option, option.sample);
                let call = call_of(entry, &args);
                if let Err(message) = Bench::of(entry).run(&call) {
                    wrong.push(format!("{call}: {message}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A table with what `shape` needs and `option` set to `value`.
fn with_option(shape: &TableType, option: &ApiParam, value: &str) -> String {
    let needed = shape.fields.iter().filter(|field| !field.is_optional() && field.name != option.name);
    let mut fields: Vec<String> = needed.map(|field| format!("{} = {}", field.name, field.sample)).collect();
    fields.push(format!("{} = {value}", option.name));
    format!("{{ {} }}", fields.join(", "))
}

fn shape_of(param: &ApiParam) -> Option<&'static TableType> {
    let name = param.luau.trim_end_matches('?');
    bind::shapes().into_iter().find(|shape| shape.name == name)
}

fn expect_start(wrong: &mut Vec<String>, call: &str, start: &str) {
    match Bench::new().run(call) {
        Ok(_) => wrong.push(format!("{call}: no error, expected {start}")),
        Err(message) if !message.starts_with(start) => {
            wrong.push(format!("{call}: {message}, expected {start}"))
        }
        Err(_) => {}
    }
}

#[test]
fn every_method_called_with_a_dot_is_told_to_use_a_colon_with_the_name_at_hand() {
    let mut wrong = Vec::new();
    for entry in bindings().filter(|entry| entry.kind == EntryKind::Method) {
        let name = entry.name();
        let call = format!("local own = {{ it = {} }} own.it.{name}(1)", receiver(entry.owner));
        let start = format!("guard.lua:1: {}: called with a dot; write own.it:{name}(...)", entry.called);
        expect_start(&mut wrong, &call, &start);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_function_called_with_a_colon_that_refuses_the_library_is_told_to_use_a_dot() {
    let mut wrong = Vec::new();
    // Those that take anything as their first argument have nothing to refuse.
    let refuses =
        |entry: &&Binding| entry.params.first().is_some_and(|param| wrong_value(param.luau).is_some());
    // Lines take anything and never raise.
    let functions = bindings().filter(|entry| entry.kind == EntryKind::Function && entry.owner != "log");
    let mut count = 0;
    for entry in functions.filter(refuses) {
        let call = format!("{}:{}({})", entry.owner, entry.name(), samples(entry.params).join(", "));
        let start =
            format!("guard.lua:1: {}: called with a colon; write {}(...)", entry.called, entry.called);
        expect_start(&mut wrong, &call, &start);
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 30, "{count}");
}

#[test]
fn every_read_only_field_says_what_to_write_instead() {
    let mut wrong = Vec::new();
    for entry in bindings().filter(|entry| entry.kind == EntryKind::Field) {
        let (owner, field) = (entry.owner, entry.name());
        let is_library = bind::groups().iter().any(|group| group.name == owner && !group.is_type);
        let object = if is_library { owner } else { receiver(owner) };
        let instead = bind::instead_of_setting(owner, field);
        let start =
            format!("guard.lua:1: {owner}: fields are read-only, \"{field}\" cannot be set; {instead}");
        expect_start(&mut wrong, &format!("local own = {object} own.{field} = 1"), &start);
        assert!(instead == "nothing sets it" || instead.starts_with("use "), "{owner}.{field}: {instead}");
        // Whatever is named is there.
        for word in instead.split([' ', ',']).filter(|word| word.ends_with("(...)")) {
            let (object, name) = word.trim_end_matches("(...)").rsplit_once([':', '.']).unwrap();
            let exists =
                bind::entries().iter().any(|other| other.name() == name && other.kind != EntryKind::Field);
            assert!(exists, "{owner}.{field}: {word} of {object}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    check_error(
        "guard.speed = 3",
        "guard.lua:1: Character: fields are read-only, \"speed\" cannot be set; use :setSpeed(...)",
    );
    check_error(
        "guard.hat = 1",
        "guard.lua:1: Character: fields are read-only, \"hat\" cannot be set; keep what is the script's own in self, or in a table of its own",
    );
}

#[test]
fn every_option_misspelt_names_the_nearest() {
    let mut wrong = Vec::new();
    for entry in bindings() {
        for (index, param) in entry.params.iter().enumerate() {
            let Some(shape) = shape_of(param) else { continue };
            for option in shape.fields.iter().filter(|option| option.name.len() > 3) {
                let mut args = samples(entry.params);
                // Two letters swapped near the end.
                let mut letters: Vec<char> = option.name.chars().collect();
                let last = letters.len() - 1;
                letters.swap(last - 1, last);
                let misspelt: String = letters.into_iter().collect();
                if shape.fields.iter().any(|other| other.name == misspelt) || misspelt == option.name {
                    continue;
                }
                args[index] = format!("{{ {misspelt} = 1 }}");
                let start = format!(
                    "guard.lua:1: {}: unknown option \"{misspelt}\"; did you mean \"{}\"?",
                    entry.called, option.name
                );
                expect_start(&mut wrong, &call_of(entry, &args), &start);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_lua_has_elsewhere_says_what_to_use_here() {
    for (lua, expected) in [
        ("local t = os.time()", "there is no os.time here: level.time is the time of the level, in seconds"),
        ("io.write('x')", "there is no io.write here: use log.info or print"),
        ("local f = loadstring('x')", "there is no loadstring here: use require(name)"),
        ("wait(1)", "there is no wait here: use task.sleep(seconds)"),
        ("local x = debug.getinfo(1)", "there is no debug here: only debug.traceback is there"),
    ] {
        let level = format!("function onStart() {lua} end");
        let run = crate::script::script_flow::setup(&[("level.lua", &level)]).unwrap();
        assert!(run.lines.iter().any(|line| line.contains(expected)), "{lua}: {:?}", run.lines);
    }
}

#[test]
fn messages_are_those_of_the_reference_at_the_line_of_the_caller() {
    let at_31 = |lua: &str| format!("{}{lua}", "\n".repeat(30));
    let cases = [
        (
            "guard:walkTo(nil)",
            "walkTo: goal is nil, expected a mark's name, a vector, x and z, a character or a door",
        ),
        (
            "guard:walkTo({ 3, 4 })",
            "walkTo: goal is a table, expected a mark's name, a vector, x and z, a character or a door; \
             vector.create(x, y, z) makes a vector",
        ),
        ("task.wait(1)", "task: unknown field \"wait\"; use task.sleep(seconds)"),
        ("nowhere:walkTo(guard)", "attempt to index nil with 'walkTo'; nowhere is nil"),
        (
            "world.player:walkTo(guard)",
            "attempt to index function with 'walkTo'; world.player is a function; call it, world.player(...)",
        ),
        ("log.info(\"%d (of 3)\", cuont(guard))", "attempt to call a nil value; cuont is nil"),
        ("local own = {} own.laugh(3)", "attempt to call a nil value; own.laugh is nil"),
        (
            "local self = {} self:walkTo(guard)",
            "attempt to call missing method 'walkTo' of table; verbs of the character are its own; write self.character:walkTo(...)",
        ),
        ("guard:walkTo(0/0, 1)", "walkTo: x is NaN, expected a finite number of metres"),
        ("guard:walkTo(1)", "walkTo: z is nil, expected a finite number of metres"),
        ("guard:walkTo(2e6, 1)", "walkTo: x is 2000000, expected -1000000 to 1000000"),
        (
            "guard:walkTo(\"gate\", { onArive = print })",
            "walkTo: unknown option \"onArive\"; did you mean \"onArrived\"?",
        ),
        (
            "guard:walkTo(\"gate\", { doors = \"opne\" })",
            "walkTo: doors is \"opne\", expected \"avoid\", \"open\" or \"wait\"",
        ),
        ("guard.walkTo(12, 7)", "walkTo: called with a dot; write guard:walkTo(...)"),
        ("guard:walkTo(\"gatte\")", "walkTo: unknown mark \"gatte\"; did you mean \"gate\"?"),
        (
            "guard:walkTo(\"guard\")",
            "walkTo: unknown mark \"guard\"; it is the name of a character: write world.character(\"guard\")",
        ),
        ("nav.setAreaCost(\"yard\", 0)", "nav.setAreaCost: factor is 0, expected 0.1 to 100"),
        (
            "nav.link(\"post\", guard)",
            "nav.link: this map has no points and links; a map of kind \"graph\" has",
        ),
        ("guard:face(1e9)", "face: target is 1000000000, expected -1000000 to 1000000"),
        ("guard:setSpeed(99)", "setSpeed: walkSpeed is 99, expected 0.01 to 50"),
        (
            "world.character(\"gaurd\")",
            "world.character: unknown character \"gaurd\"; did you mean \"guard\"?",
        ),
        ("world.door(\"gat\")", "world.door: unknown door \"gat\"; did you mean \"gate\"?"),
        ("nav.areaCost(\"yrad\")", "nav.areaCost: unknown area \"yrad\"; did you mean \"yard\"?"),
        ("region.on(\"hal\")", "region.on: unknown region \"hal\"; did you mean \"hall\"?"),
        ("nav.route(\"round\")", "nav.route: unknown route \"round\"; did you mean \"rounds\"?"),
        ("guard:moveTo(\"gate\")", "Character: unknown field \"moveTo\"; use :walkTo(place)"),
        ("guard:walkTo(\"gate\"):cancel()", "Walk: unknown field \"cancel\"; use :stop()"),
        ("event.fire(\"x\")", "event: unknown field \"fire\"; use event.emit(name, payload)"),
        ("local p = guard.postion", "Character: unknown field \"postion\"; did you mean \"position\"?"),
        ("nav.findPaths(guard, player)", "nav: unknown field \"findPaths\"; did you mean \"findPath\"?"),
        ("guard.facing = 1", "Character: fields are read-only, \"facing\" cannot be set; use :face(...)"),
        ("level.tick = 1", "level: fields are read-only, \"tick\" cannot be set; nothing sets it"),
        (
            "guard:walkTo(\"gate\", { avoid = { \"inner\", \"yrad\" } })",
            "walkTo: unknown area \"yrad\"; did you mean \"yard\"?",
        ),
        ("guard:walkTo(\"gate\", { avoid = { 7 } })", "walkTo: avoid[1] is 7, expected an area's name"),
        (
            "guard:walkTo(\"gate\", { costs = { iner = 2 } })",
            "walkTo: unknown area \"iner\"; did you mean \"inner\"?",
        ),
        (
            "guard:walkTo(\"gate\", { costs = { inner = 0.05 } })",
            "walkTo: costs.inner is 0.05, expected 0.1 to 100",
        ),
        (
            "guard:walkTo(\"gate\", { costs = { inner = \"2\" } })",
            "walkTo: costs.inner is \"2\", expected a finite number",
        ),
        ("guard:walkTo(\"gate\", { costs = { 2 } })", "walkTo: a key of costs is 1, expected an area's name"),
        (
            "guard:walkTo(\"gate\", { avoid = { \"inner\" }, costs = { inner = 2 } })",
            "walkTo: \"inner\" is in avoid and in costs, expected one of them",
        ),
        ("nav.findPath(guard, \"post\", { layer = \"sky\" })", "nav.findPath: unknown layer \"sky\""),
        ("nav.findPath(guard, \"post\", { layer = 1 })", "nav.findPath: layer is 1, expected a layer's name"),
        ("nav.reachable(guard, \"post\", { layer = \"sky\" })", "nav.reachable: unknown layer \"sky\""),
        (
            "nav.lineOfWalk(guard, \"post\", { layer = true })",
            "nav.lineOfWalk: layer is true, expected a layer's name",
        ),
        ("nav.nearest(guard, { layer = \"sky\" })", "nav.nearest: unknown layer \"sky\""),
        ("nav.nearest(guard, { layer = 2 })", "nav.nearest: layer is 2, expected a layer's name"),
        (
            "nav.isWalkable(\"post\", { layer = \"Ground\" })",
            "nav.isWalkable: unknown layer \"Ground\"; did you mean \"ground\"?",
        ),
        ("nav.randomPoint({ layer = {} })", "nav.randomPoint: layer is a table, expected a layer's name"),
        ("nav.randomPoint({ layer = \"sky\" })", "nav.randomPoint: unknown layer \"sky\""),
        ("guard:canReach(\"post\", { layer = \"sky\" })", "canReach: unknown layer \"sky\""),
        ("guard:walkTo(\"post\", { layer = \"sky\" })", "walkTo: unknown layer \"sky\""),
        ("guard:walkTo(\"post\", { layer = 1 })", "walkTo: layer is 1, expected a layer's name"),
        ("guard:patrol(\"rounds\", { layer = \"sky\" })", "patrol: unknown layer \"sky\""),
        ("guard:wander({ layer = 3 })", "wander: layer is 3, expected a layer's name"),
        (
            "world.spawn({ name = \"scout\", at = \"post\", layer = 1 })",
            "world.spawn: layer is 1, expected a layer's name",
        ),
        (
            "nav.requestPath(guard, \"post\", { layer = \"groudn\" })",
            "nav.requestPath: unknown layer \"groudn\"; did you mean \"ground\"?",
        ),
        ("guard:teleport(\"post\", { layer = 1 })", "teleport: layer is 1, expected a layer's name"),
        ("guard:teleport(\"post\", { layer = \"sky\" })", "teleport: unknown layer \"sky\""),
        ("nav.findPath(guard, \"post\", { tags = { 1 } })", "nav.findPath: tags[1] is 1, expected a tag"),
        (
            "nav.findPath(guard, \"post\", { tags = \"watch\" })",
            "nav.findPath: tags is \"watch\", expected a list of tags",
        ),
        (
            "nav.reachable(guard, \"post\", { ignore = { player, \"guard\" } })",
            "nav.reachable: ignore[2] is \"guard\", expected a character",
        ),
        (
            "world.spawn({ name = \"scout\", at = \"post\", layer = \"sky\" })",
            "world.spawn: unknown layer \"sky\"",
        ),
        (
            "guard:walkTo(\"gate\", { speed = 1, gait = \"run\" })",
            "walkTo: speed and gait are both given, expected one of them",
        ),
        (
            "world.spawn({ name = \"guard\", at = \"post\" })",
            "world.spawn: the name \"guard\" is taken by a living character; choose another",
        ),
        ("rng.stream(\"a\"):int(2, 1)", "int: the range is 2 to 1, expected low not above high"),
        ("rng.stream(\"a\"):chance(2)", "chance: p is 2, expected 0 to 1"),
        (
            "region.area(\"yard\", { edge = \"any\" })",
            "region.area: edge is given, expected none or \"centre\": areas go by the centres of bodies",
        ),
        (
            "region.near(guard, 3, { filter = 1 })",
            "region.near: filter is 1, expected a tag, a list of tags, a character or a function",
        ),
        ("guard:walkTo(\"gate\", { keys = { 1 } })", "walkTo: keys[1] is 1, expected the name of a key"),
        (
            "guard:walkTo(\"gate\", { keys = { bronze = true } })",
            "walkTo: keys has entries that are not at 1, 2, 3 and so on, expected a list of keys",
        ),
        (
            "guard:walkTo(\"gate\", { avoid = { [2] = \"inner\" } })",
            "walkTo: avoid has entries that are not at 1, 2, 3 and so on, expected a list of areas",
        ),
        (
            "region.near(guard, 3, { filter = { tag = \"watch\" } })",
            "region.near: filter has entries that are not at 1, 2, 3 and so on, expected a list of names",
        ),
        (
            "world.spawn({ name = \"scout\", at = \"post\", tags = { thief = true } })",
            "world.spawn: tags has entries that are not at 1, 2, 3 and so on, expected a list of names",
        ),
        (
            "world.spawn({ name = \"scout\", at = \"post\", tags = { \"\" } })",
            "world.spawn: tags[1] is \"\", expected a name of 1 to 128 bytes without control characters",
        ),
        (
            "guard:patrol({ [2] = \"post\" })",
            "patrol: route has entries that are not at 1, 2, 3 and so on, expected a list of places",
        ),
        (
            "cinematic.define(\"own\", { holds = { guard = true }, script = print })",
            "cinematic.define: holds has entries that are not at 1, 2, 3 and so on, expected a list of names of characters",
        ),
        (
            "guard:patrol(\"rounds\", { pause = { 1, 2, 3 } })",
            "patrol: pause has more than two entries, expected { least, most }",
        ),
        ("bt.wait({ 1, 2, 3 })", "bt.wait: seconds has more than two entries, expected { low, high }"),
        ("guard:flee(guard)", "flee: a character cannot flee from itself"),
        (
            "guard:play(\"nod\", { loop = true, seconds = 1 })",
            "play: seconds and loop are both given, expected one of them: loop stays until it is replaced",
        ),
        (
            "region.on(\"hall\", { lineOfWalk = true })",
            "region.on: lineOfWalk is given, expected none: only region.near looks along lines",
        ),
        ("world.door(7) -- once world:door(7)", "world.door: name is 7, expected a door's name"),
        (
            "cinematic.define(\"own\", { onEnded = print, script = print })",
            "cinematic.define: unknown field \"onEnded\"; did you mean \"onEnd\"?",
        ),
        (
            "world.characters({ near = guard })",
            "world.characters: radius is nil, expected a finite number of metres, because near is given",
        ),
    ];
    for (lua, expected) in cases {
        check_error(&at_31(lua), &format!("guard.lua:31: {expected}"));
    }
}

#[test]
fn a_removed_character_answers_to_its_name_and_raises_otherwise() {
    let mut bench = Bench::new();
    let gone = "\n\nplayer:despawn() state.player = player print(player.alive, player.name, player.id, world.player())";
    assert_eq!(bench.run(gone).unwrap(), ["false\tplayer\t2\tnil"]);
    for ticks in [0, 2] {
        bench.ticks(ticks);
        let tick = bench.game.world().tick().0;
        let said = bench.run("local p = state.player print(p.alive, p.name, p.id, tostring(p))").unwrap();
        assert_eq!(said, ["false\tplayer\t2\tcharacter \"player\""], "tick {tick}");
        let expected = "character \"player\" was removed at tick 0 (despawned by 1/guard.lua:3)";
        for (lua, called) in [
            ("state.player:walkTo(1, 1)", "walkTo"),
            ("local p = state.player.position", "position"),
            ("guard:walkTo(state.player)", "walkTo"),
            ("guard:distanceTo(state.player)", "distanceTo"),
            ("state.player:despawn()", "despawn"),
            ("region.near(state.player, 2)", "region.near"),
        ] {
            assert_eq!(bench.run(lua).unwrap_err(), format!("guard.lua:1: {called}: {expected}"), "{lua}");
        }
    }
}

#[test]
fn nothing_of_the_world_works_while_a_file_loads_but_log() {
    let vm = Bench::new().vm;
    let texts = [
        ("a.lua", "world.character(\"guard\")"),
        ("b.lua", "local tick = level.tick"),
        ("c.lua", "rng.stream(\"a\")"),
        ("d.lua", "log.info(\"loading %s\", 1)"),
    ];
    vm.set_texts(ScriptTexts::new(texts.map(|(path, text)| (path.to_owned(), text.to_owned()))).unwrap());
    let load = |path: &str| vm.load(path).map(|_| ()).map_err(|failure| failure.message);
    let refused = |called: &str| {
        format!("{called}: there is no world while a file loads; call it from start or onStart")
    };
    assert_eq!(load("a.lua").unwrap_err(), format!("a.lua:1: {}", refused("world.character")));
    assert_eq!(load("b.lua").unwrap_err(), format!("b.lua:1: {}", refused("level.tick")));
    assert_eq!(load("c.lua").unwrap_err(), format!("c.lua:1: {}", refused("rng.stream")));
    load("d.lua").unwrap();
    assert_eq!(vm.take_printed().0[0].text, "loading 1");
}

#[test]
fn handles_are_values() {
    check(
        "local again = world.character(\"guard\")
         print(again == guard, rawequal(again, guard), typeof(guard), type(guard), tostring(guard))
         local seen = { [guard] = \"here\" } print(seen[again], seen[player])
         local walk = guard:walkTo(\"gate\") print(typeof(walk), tostring(walk), walk == guard.currentWalk)
         print(typeof(door), tostring(door), tostring(region.on(\"hall\")), typeof(rng.stream(\"a\")))
         print(tostring(door:open()), tostring(guard:face(1)), tostring(guard:play(\"wave\")))
         print(getmetatable(guard), pcall(setmetatable, guard, {}))
         print(nav.mark(\"gate\") == nav.mark(\"gate\"), nav.route(\"rounds\")[1] == nav.mark(\"gate\"))",
        &[
            "true\ttrue\tCharacter\tuserdata\tcharacter \"guard\"",
            "here\tnil",
            "Walk\twalk 1 of \"guard\"\ttrue",
            "Door\tdoor \"gate\"\twatch 1\tRng",
            "door move 1\tturn 1\tplay 1",
            "false\tfalse\t1/guard.lua:7: invalid argument #1 to 'setmetatable' (table expected, got Character)",
            "true\ttrue",
        ],
    );
}

#[test]
fn a_handle_that_was_collected_comes_back_as_the_same_thing() {
    let mut bench = Bench::new();
    bench.run("state.seen = { [guard.id] = true } for i = 1, 2000 do local t = { guard } end").unwrap();
    bench.vm.lua().gc_collect().unwrap();
    assert_eq!(bench.run("print(state.seen[guard.id], guard.alive)").unwrap(), ["true\ttrue"]);
}

#[test]
fn a_place_is_a_vector_a_name_a_mark_two_numbers_a_character_or_a_door() {
    check(
        "local function goal(walk) print(walk.goal.x, walk.goal.z) end
         goal(guard:walkTo(4, 2))
         goal(guard:walkTo(vector.create(5, 0, 3)))
         goal(guard:walkTo(\"post\"))
         goal(guard:walkTo(nav.mark(\"gate\")))
         goal(guard:walkTo(player))
         print(guard:walkTo(door).goal.x < 20)
         print(guard:distanceTo(10, 6), guard:distanceTo(player), guard:distanceTo(\"gate\"))",
        &["4\t2", "5\t3", "3\t3", "18\t6", "10\t6", "true", "4\t4\t12"],
    );
}

#[test]
fn a_walk_answers_from_the_world_and_then_from_its_result() {
    let mut bench = Bench::new();
    bench.run("state.walk = guard:walkTo(7, 6) print(state.walk.state)").unwrap();
    bench.ticks(20);
    let said = bench
        .run("local w = state.walk print(w.state, w:remaining() > 0, #w:path(), w.result, guard:isMoving())");
    assert_eq!(said.unwrap(), ["moving\ttrue\t1\tnil\ttrue"]);
    // As step 12 of the scheduler does: the result goes to the handle before the world forgets the walk.
    let mut settled = None;
    for _ in 0..200 {
        bench.ticks(1);
        let said = bench.run("local r = state.walk.result print(if r then tostring(r) else \"\")").unwrap();
        if !said[0].is_empty() {
            settled = Some(said[0].clone());
            break;
        }
    }
    assert_eq!(
        settled, None,
        "without a scheduler nobody latches, and the walk is forgotten in the tick it settles"
    );
    assert_eq!(
        bench.run("print(state.walk.state, state.walk:remaining(), state.walk:stop())").unwrap(),
        ["settled\tnil\tfalse"]
    );
}

#[test]
fn a_stopped_walk_has_its_result_at_once_and_keeps_it() {
    let mut bench = Bench::new();
    let lua = "local walk = guard:walkTo(\"gate\") state.walk = walk
        print(walk:stop(), walk.state, walk.result.ok, tostring(walk.result))
        print(walk.result == walk.result, walk.result.character == guard, walk.result.detail)
        print(pcall(function() walk.result.ok = true end))";
    let expected = [
        "true\tsettled\tfalse\tcancelled/stopped at (6.0, 6.0) after 0 ticks",
        "true\ttrue\tguard ended stopped, 12.0 m from the goal",
        "false\tguard.lua:4: attempt to modify a readonly table",
    ];
    assert_eq!(bench.run(lua).unwrap().join("\n").replace("1/guard", "guard"), expected.join("\n"));
    bench.ticks(3);
    let later =
        bench.run("local w = state.walk print(w.id, w.character == guard, w.goal.x, w.result.reason)");
    assert_eq!(later.unwrap(), ["1\ttrue\t18\tstopped"]);
}

#[test]
fn options_of_a_walk_reach_the_world() {
    let mut bench = Bench::new();
    bench
        .run(
            "guard:walkTo(\"gate\", { gait = \"run\", radius = 0.5, accept = \"near\", doors = \"open\", keys = { \"bronze\" },
               crowd = \"ghost\", patience = 2, timeout = 30, ensure = true, face = player,
               onArrived = function() end })",
        )
        .unwrap();
    let guard = bench.game.character("guard").unwrap();
    let walk = bench.game.world().character(guard).unwrap().walk.unwrap();
    let options = &bench.game.world().walk(walk).unwrap().options;
    assert_eq!((options.patience_ticks, options.timeout_ticks, options.ensure), (120, Some(1800), true));
    assert_eq!((options.radius_m, options.keys.as_slice()), (Some(0.5), ["bronze".to_owned()].as_slice()));
}

#[test]
fn costs_of_too_many_areas_are_refused_by_their_number_before_they_are_read() {
    let many = |first: &str| {
        format!(
            "local costs = {{ {first} }}\nfor n = 1, 1025 do costs['area' .. n] = 2 end\nguard:walkTo('gate', {{ costs = costs }})"
        )
    };
    let expected = "guard.lua:3: walkTo: costs has more than 1024 entries, expected at most 1024";
    // A name of the wrong kind comes late in the list: nobody gets to it.
    for first in ["", "[1.5] = 2"] {
        check_error(&many(first), expected);
    }
}

#[test]
fn path_questions_of_nobody_pass_doors_of_teams_unless_they_name_tags() {
    let teams = LEVEL.replace("\"name\": \"gate\", ", "\"name\": \"gate\", \"teams\": [\"watch\"], ");
    assert_ne!(teams, LEVEL);
    let told = Bench::on(&teams).run(
        "local from = guard.position
         local function ask(start, tags) return nav.findPath(start, \"throne\", { doors = \"open\", tags = tags }).status end
         print(ask(from), ask(from, { \"watch\" }), ask(from, { \"guest\" }), ask(from, {}))
         print(ask(guard, { \"guest\", \"watch\" }), ask(guard, {}), ask(guard) == ask(from, guard.tags))
         print(nav.reachable(from, \"throne\", { doors = \"open\", tags = {} }), nav.reachable(from, \"throne\", { doors = \"open\" }))",
    );
    let expected = ["complete\tcomplete\tpartial\tpartial", "complete\tpartial\ttrue", "false\ttrue\tnil"];
    assert_eq!(told.unwrap(), expected);
}

#[test]
fn path_questions_answer_about_the_map() {
    check(
        "local path = nav.findPath(guard, \"post\")
         print(path.status, path.reason, #path.waypoints, math.abs(path.length - guard:distanceTo(\"post\")) < 0.01)
         print(path.revision == nav.revision, path.expansions >= 0, path.by)
         local shut = nav.findPath(guard, \"throne\")
         print(shut.status, shut.reason, shut.by == door, shut.nearest ~= nil)
         print(nav.findPath(guard, \"throne\", { doors = \"open\" }).status)
         print(nav.reachable(guard, \"throne\"))
         print(guard:canReach(\"throne\"), guard:canReach(\"throne\", { doors = \"open\" }))
         print(nav.lineOfWalk(guard, \"throne\"), nav.isWalkable(vector.create(-5, 0, 3)))",
        &[
            "complete\tnil\t2\ttrue",
            "true\ttrue\tnil",
            "partial\tdoorClosed\ttrue\ttrue",
            "complete",
            "false\tdoorClosed",
            "false\ttrue\tnil",
            "false\tfalse",
        ],
    );
}

/// Each new radius costs a pass over the map, each search its expansions: a loop of them ends, and soon.
#[test]
fn fault_b_questions_to_the_map_are_paid_for() {
    let cases = [
        "for i = 1, 1e9 do nav.isWalkable(guard, { radius = i % 1000 / 250 }) end",
        "for i = 1, 1e9 do nav.findPath(guard, \"throne\", { doors = \"open\" }) end",
        "for i = 1, 1e9 do nav.randomPoint() end",
        "for i = 1, 1e9 do world.characters() end",
        "for i = 1, 1e9 do nav.lineOfWalk(guard, \"post\") end",
        "local list = table.create(90000, 1) local r = rng.stream(\"a\") while true do r:shuffle(list) end",
    ];
    for lua in cases {
        let message = Bench::new().run(lua).unwrap_err();
        assert!(message.contains("stopped after 100000 steps in one callback"), "{lua}: {message}");
    }
}

#[test]
fn areas_read_back_at_once_and_the_map_follows() {
    let mut bench = Bench::new();
    let lua = "print(nav.setAreaAvailable(\"inner\", false), nav.setAreaAvailable(\"inner\", false), nav.isAreaAvailable(\"inner\"))
        nav.setAreaCost(\"yard\", 2.5) print(nav.areaCost(\"yard\"), nav.pending, nav.isWalkable(\"throne\"))
        state.revision = nav.revision";
    assert_eq!(bench.run(lua).unwrap(), ["true\tfalse\tfalse", "2.5\ttrue\ttrue"]);
    bench.ticks(1);
    let later = "print(nav.pending, nav.isWalkable(\"throne\"), nav.revision - state.revision)";
    assert_eq!(bench.run(later).unwrap(), ["false\tfalse\t1"]);
}

#[test]
fn blocks_close_ground_in_step_5_and_give_it_back() {
    let mut bench = Bench::new();
    let lua = "state.revision = nav.revision state.block = nil
        local block = nav.block(\"post\", 1) print(nav.pending, nav.isWalkable(\"post\"), block)";
    assert_eq!(bench.run(lua).unwrap(), ["true\ttrue\tblock 1"]);
    bench.ticks(1);
    let blocked = "print(nav.isWalkable(\"post\"), nav.isWalkable(vector.create(4.5, 0, 3)), nav.revision - state.revision)";
    assert_eq!(bench.run(blocked).unwrap(), ["false\ttrue\t1"]);
    walkon_runtime::world::ops::walks::end_owner(bench.game.world_mut(), Owner::HOST);
    bench.ticks(1);
    assert_eq!(
        bench.run("print(nav.isWalkable(\"post\"), nav.reachable(guard, \"post\"))").unwrap(),
        ["true\ttrue\tnil"]
    );
}

#[test]
fn blocks_and_added_marks_say_what_is_wrong() {
    check_error("nav.block(\"post\", 0)", "guard.lua:1: nav.block: radius is 0, expected 0.01 to 50");
    check_error(
        "nav.addMark(\"gate\", guard)",
        "guard.lua:1: nav.addMark: the level has a mark \"gate\"; choose another name",
    );
    check_error(
        "nav.areasAt(\"gatte\")",
        "guard.lua:1: nav.areasAt: unknown mark \"gatte\"; did you mean \"gate\"?",
    );
    check(
        "nav.addMark(\"camp\", vector.create(5, 0, 9)) print(guard:walkTo(\"camp\").goal, nav.findMark(\"camp\").name)",
        &["5, 0, 9\tcamp"],
    );
    check(
        "for x = 5, 6 do nav.addMark(\"camp\", vector.create(x, 0, 9)) end print(guard:walkTo(\"camp\").goal)",
        &["6, 0, 9"],
    );
    check(
        "print(#nav.areasAt(vector.create(50, 0, 50)), table.concat(nav.areasAt(door), \" \"))",
        &["0\tgateway"],
    );
}

#[test]
fn doors_open_close_lock_and_tell() {
    let mut bench = Bench::new();
    let lua = "print(door.state, door.passable, door.locked, door.key, door.area, door.position.x)
        door:lock(\"bronze\") print(door.locked, door.key, door:unlock(), door:unlock(\"bronze\"), door.locked)
        state.move = door:open() print(door.state, state.move.result, world.toggleDoor(\"gate\") ~= state.move)
        world.setDoor(\"gate\", true) print(door.state, #world.doors({ open = true }), #world.doors())";
    let expected = [
        "closed\tfalse\tfalse\tnil\tgateway\t20.5",
        "true\tbronze\tfalse\ttrue\tfalse",
        "opening\tnil\ttrue",
        "opening\t0\t1",
    ];
    assert_eq!(bench.run(lua).unwrap(), expected);
    bench.ticks(40);
    assert_eq!(bench.run("print(door.state, door.passable, #door:occupants())").unwrap(), ["open\ttrue\t0"]);
    bench.run("guard:teleport(20.5, 6)").unwrap();
    assert_eq!(bench.run("print(door:occupants()[1] == guard)").unwrap(), ["true"]);
    bench.run("door:on(\"closed\", function() end)").unwrap();
}

#[test]
fn watches_know_who_is_inside_after_step_11() {
    let mut bench = Bench::new();
    bench.run("state.hall = region.on(\"hall\") state.near = region.near(guard, 5, { filter = { \"player\" } })").unwrap();
    bench.ticks(1);
    let lua = "print(#state.hall:inside(), state.near:occupied(), state.near:contains(player), state.near:contains(guard))";
    assert_eq!(bench.run(lua).unwrap(), ["0\ttrue\ttrue\tfalse"]);
    bench.run("player:teleport(28, 6)").unwrap();
    bench.ticks(1);
    assert_eq!(
        bench.run("print(state.hall:inside()[1] == player, state.near:occupied())").unwrap(),
        ["true\tfalse"]
    );
    assert_eq!(bench.run("print(world.characters({ region = \"hall\" })[1] == player)").unwrap(), ["true"]);
    bench.run("state.hall:disable() print(#state.hall:inside()) state.hall:enable()").unwrap();
    bench.run("state.hall:remove() print(state.hall:occupied())").unwrap();
}

#[test]
fn a_new_character_has_what_it_was_given() {
    let mut bench = Bench::new();
    let lua = "local scout = world.spawn({ name = \"scout\", at = \"post\", tags = { \"watch\" }, walkSpeed = 2, doors = \"open\", facing = 1 })
        print(scout.name, scout.walkSpeed, scout.runSpeed, scout:hasTag(\"watch\"), scout:hasTag(\"scout\"), scout.facing)
        local twin = world.spawn({ name = \"twin\", at = player, like = \"scout\", behaviour = \"idle\" })
        print(twin.walkSpeed, twin:hasTag(\"watch\"), twin:hasTag(\"scout\"), #world.characters({ tag = \"watch\" }))
        print(world.spawn({ name = \"lost\", at = vector.create(500, 0, 0) }))";
    let expected = [
        "scout\t2\t4\ttrue\ttrue\t1",
        "2\ttrue\tfalse\t3",
        "nil\tno walkable point lies within 8 m of the place for \"lost\"",
    ];
    assert_eq!(bench.run(lua).unwrap(), expected);
}

#[test]
fn a_character_turns_plays_and_jumps() {
    let mut bench = Bench::new();
    let lua =
        "guard:face(math.pi / 2) guard:play(\"wave\", { seconds = 0.1 }) print(guard.animation, guard.facing)
        print(guard:teleport(4, 4, { facing = 0 }) == guard.position, guard:teleport(500, 0))
        guard:face(player)";
    assert_eq!(bench.run(lua).unwrap(), ["wave\t0", "true\tnil"]);
    bench.ticks(30);
    let later = "local at = guard.position - player.position print(guard.animation, math.abs(guard.facing - math.atan2(-at.x, -at.z)) < 0.01)";
    assert_eq!(bench.run(later).unwrap(), ["stand\ttrue"]);
}

#[test]
fn streams_repeat_and_are_found_by_name() {
    let draw = "local r = rng.stream(\"loot\") local t = {} for i = 1, 5 do t[i] = r:int(1, 100) end
        local list = { 1, 2, 3, 4, 5 } r:shuffle(list)
        print(table.concat(t, \" \"), table.concat(list), r:pick({}), r:weighted({ { 0, 1 } }), r:pick({ 7 }))";
    let (one, other) = (Bench::new().run(draw).unwrap(), Bench::new().run(draw).unwrap());
    assert_eq!(one, other);
    let mut bench = Bench::new();
    let first = bench.run("print(rng.stream(\"a\"):float(), rng.stream(\"b\"):float())").unwrap();
    let second = bench.run("print(rng.stream(\"a\"):float(), rng.stream(\"b\"):float())").unwrap();
    assert_ne!(first, second, "a stream goes on");
}

#[test]
fn lines_take_anything_and_never_raise() {
    let mut bench = Bench::new();
    bench
        .run(
            "log.info(\"%s at %s has %d of %.2f%%\", guard, guard.position, 3, 1.5)
             log.warn(\"%s %d %s\", nil, \"x\") log.error(\"100% sure %z %\") log.debug(\"%5s|%-5s|\", \"a\", \"b\")
             log.info(\"%100d %.100f %099d\", 3, 4, 5)",
        )
        .unwrap();
    let lines: Vec<(String, u32, String)> = bench
        .game
        .world()
        .facts()
        .iter()
        .filter_map(|event| match event {
            Fact::Logged(line) => Some((line.level.to_owned(), line.line, line.message.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(
        lines,
        [
            ("info".to_owned(), 1, "character \"guard\" at 6, 0, 6 has 3 of 1.50%".to_owned()),
            ("warn".to_owned(), 2, "nil x nil".to_owned()),
            ("error".to_owned(), 2, "100% sure %z %".to_owned()),
            ("debug".to_owned(), 2, "    a|b    |".to_owned()),
            ("info".to_owned(), 3, format!("%100d %.100f {:099}", 3)),
        ]
    );
}

#[test]
fn the_first_finish_counts() {
    let mut bench = Bench::new();
    assert_eq!(bind::level::outcome(bench.vm.lua()), None);
    bench.run("level.finish(true, \"home\") level.finish(false)").unwrap();
    let outcome = bind::level::outcome(bench.vm.lua()).unwrap();
    assert_eq!((outcome.ok, outcome.note.as_deref()), (true, Some("home")));
}

#[test]
fn the_last_measure_of_a_name_counts_and_there_are_at_most_256() {
    let mut bench = Bench::new();
    bench.run("level.measure(\"visits\", 1) level.measure(\"visits\", 2.5)").unwrap();
    let measures = bind::level::measures(bench.vm.lua());
    assert_eq!(measures.into_iter().collect::<Vec<_>>(), [("visits".to_owned(), 2.5)]);
    let many = bench.run("for i = 1, 256 do level.measure(\"m\" .. i, i) end").unwrap_err();
    assert!(many.contains("this run has 256 measures already"), "{many}");
}

#[test]
fn names_of_later_tiers_are_absent() {
    for global in ["dialogue", "campaign"] {
        check(&format!("print({global})"), &["nil"]);
    }
}

/// The files under `scripts/types` are what the table says. With `UPDATE=1` they are written again.
#[test]
fn the_shipped_definitions_are_current() {
    let names = walkon_runtime::script::types::ProjectNames::new();
    are_current("scripts/types", walkon_runtime::script::types::files(&names));
}

#[test]
fn the_reference_is_current() {
    are_current("docs/reference", walkon_runtime::script::types::reference());
    are_current("docs/reference", vec![("level-file.md", walkon_runtime::level::manual())]);
}

/// Whether the files of a folder are what the table says; `UPDATE=1` writes them.
fn are_current(folder: &str, files: Vec<(impl AsRef<std::path::Path> + std::fmt::Debug, String)>) {
    let folder = crate::place::root().join(folder);
    for (name, text) in files {
        let path = folder.join(&name);
        if std::env::var_os("UPDATE").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let shipped = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(shipped == text, "{name:?} is not what the table says; run the tests with UPDATE=1");
    }
}

#[test]
fn layers_that_tile_maps_do_not_have_are_refused_by_every_function_that_takes_one() {
    for (lua, expected) in [
        ("nav.tileAt(\"post\", \"sky\")", "nav.tileAt: unknown layer \"sky\""),
        ("nav.tileAt(\"post\", 2)", "nav.tileAt: layer is 2, expected a layer's name"),
        (
            "nav.setTile(\"post\", { cost = 2 }, \"groud\")",
            "nav.setTile: unknown layer \"groud\"; did you mean \"ground\"?",
        ),
        (
            "nav.setTile(\"post\", { cost = 2 }, false)",
            "nav.setTile: layer is false, expected a layer's name",
        ),
        ("nav.setNavigable(\"post\", true, { layer = \"sky\" })", "nav.setNavigable: unknown layer \"sky\""),
        (
            "nav.setNavigable(\"post\", true, { layer = 0 })",
            "nav.setNavigable: layer is 0, expected a layer's name",
        ),
        ("nav.nearest(\"post\", { layer = \"sky\" })", "nav.nearest: unknown layer \"sky\""),
        ("guard:walkTo(\"post\", { layer = \"sky\" })", "walkTo: unknown layer \"sky\""),
    ] {
        let said = Bench::on(TILES).run(lua);
        assert!(
            said.as_ref().is_err_and(|said| said == expected || said.ends_with(expected)),
            "{lua}: {said:?}"
        );
    }
    assert_eq!(Bench::on(TILES).run("print(nav.tileAt(\"post\", \"ground\").terrain)").unwrap(), ["grass"]);
}

#[test]
fn what_a_level_says_of_its_things_reaches_the_scripts_and_cannot_be_changed() {
    const SAID: &str = r#"{
        "navigation": { "kind": "tiles", "legend": { "a": { "area": "gateway" } },
            "layers": [{ "name": "ground", "rows": ["....a."] }] },
        "doors": [{ "name": "gate", "area": "gateway", "props": { "leadsTo": "castle" } }],
        "marks": { "chest": { "position": [1.5, 0.5], "props": { "gold": 5, "lid": { "open": false } } }, "post": [0.5, 0.5] },
        "routes": { "rounds": { "stops": ["post", { "position": [2.5, 0.5], "props": { "wait": 2.5 } }], "props": { "looped": true } } },
        "regions": [{ "name": "exit", "polygon": [[0, 0], [1, 0], [1, 1], [0, 1]], "props": { "onEnter": "leave" } }],
        "characters": [{ "name": "guard", "position": [0.5, 0.5], "props": { "hp": 9 } }]
    }"#;
    let run = |lua: &str| Bench::on(SAID).run(lua);
    let asked =
        run("local guard, gate, chest = world.character('guard'), world.door('gate'), nav.mark('chest')\n\
         print(guard.props.hp, gate.props.leadsTo, chest.props.gold, chest.props.lid.open)\n\
         print(region.props('exit').onEnter, nav.routeProps('rounds').looped)\n\
         local stops = nav.route('rounds')\n\
         print(stops[1].props.wait, stops[2].props.wait)\n\
         assert(chest == nav.mark('chest') and gate.props == gate.props and guard.props == guard.props)");
    assert_eq!(asked.unwrap(), ["9\tcastle\t5\tfalse", "leave\ttrue", "nil\t2.5"]);
    for lua in [
        "nav.mark('chest').props.gold = 7",
        "nav.mark('chest').props.lid.open = true",
        "world.door('gate').props.x = 1",
    ] {
        let message = run(lua).unwrap_err();
        assert!(message.contains("readonly"), "{lua}: {message}");
    }
    assert!(run("region.props('exitt')").unwrap_err().contains("did you mean \"exit\"?"));
    assert!(run("nav.routeProps('round')").unwrap_err().contains("did you mean \"rounds\"?"));
}
