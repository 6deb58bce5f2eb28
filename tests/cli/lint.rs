//! What `walkon check` says of scripts without running them.
//!
//! Goal: every slip of a name is found with its place, and nothing is said of what is right. Method: one
//! project with a file for each case, checked by the real binary in one run; findings are compared whole, so
//! that none may be missing and none may be too many.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

const YARD: &str = r#"{
  "name": "yard",
  "navigation": { "agentRadius": 0.3, "objectPadding": 0.0,
    "areas": [
      { "name": "yard", "polygon": [[0,0],[10,0],[10,8],[0,8]] },
      { "name": "gateway", "polygon": [[10,3],[11,3],[11,5],[10,5]] },
      { "name": "hall", "polygon": [[11,0],[18,0],[18,8],[11,8]] }
    ] },
  "doors": [ { "name": "gate", "area": "gateway" } ],
  "marks": { "post": [1,1], "throne": [16,4] },
  "routes": { "rounds": ["post", [5,5]] },
  "regions": [ { "name": "entry", "polygon": [[11,3],[13,3],[13,5],[11,5]] } ],
  "characters": [
    { "name": "guard", "position": [1,1], "behaviour": "used" },
    { "name": "player", "position": [8,2], "player": true }
  ]
}"#;

/// A behaviour that is right, so that others can be named.
const USED: &str = "local own = {}\nfunction own:run() task.sleep(1) end\nreturn own\n";

/// What was found: line, code, message.
type Found = (u64, String, String);

/// Findings of `walkon check` in scripts, by path.
fn check(folder: &Path, paths: &[&str]) -> BTreeMap<String, Vec<Found>> {
    let mut command = Command::new(crate::place::program());
    command.current_dir(folder).arg("check").args(paths).args(["--format", "json"]);
    let output = command.env_remove("RUST_LOG").stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let list: Vec<Value> = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text}\n{}", String::from_utf8_lossy(&output.stderr)));
    let mut found: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    for one in list {
        let path = one["path"].as_str().unwrap();
        if path.ends_with(".lua") || path.ends_with(".luau") {
            let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
            let help = text("help");
            let message =
                if help.is_empty() { text("message") } else { format!("{}; {help}", text("message")) };
            let line = one["line"].as_u64().unwrap();
            found.entry(path.to_owned()).or_default().push((line, text("code"), message));
        }
    }
    found
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "walkon.json", "{}");
    write(folder.path(), "levels/yard.json", YARD);
    write(folder.path(), "scripts/behaviours/used.lua", USED);
    folder
}

/// A function of a level script, and the whole of its findings.
fn in_level(body: &str) -> String {
    format!("function onStart()\n  task.spawn(function()\n    {body}\n  end)\nend\n")
}

/// Cases of one line in a task of a level script: the line, the code, the message with its help.
const CASES: &[(&str, &str, &str)] = &[
    (
        "log.info(\"%s\", world.player().pos)",
        "unknown-name",
        "Character: unknown field \"pos\"; did you mean \"position\"?",
    ),
    (
        "log.info(\"%s\", world.player():dist(\"post\"))",
        "unknown-name",
        "Character: unknown field \"dist\"; did you mean \"distanceTo\"?",
    ),
    (
        "log.info(\"%s\", world.player().rot)",
        "unknown-name",
        "Character: unknown field \"rot\"; facing is the angle, in radians",
    ),
    (
        "log.info(\"%s\", world.player().vel)",
        "unknown-name",
        "Character: unknown field \"vel\"; walkSpeed and runSpeed are how fast it walks; isMoving() says whether it does",
    ),
    ("wrold.player()", "unknown-global", "unknown global \"wrold\"; did you mean \"world\"?"),
    ("wait(1)", "unknown-global", "unknown global \"wait\"; use task.sleep(seconds)"),
    (
        "io.open(\"x\")",
        "unknown-global",
        "unknown global \"io\"; scripts have no files; keep data in state and boards, write lines with log.info",
    ),
    ("task.wait(1)", "unknown-name", "task: unknown field \"wait\"; use task.sleep(seconds)"),
    (
        "world.player:walkTo(\"post\")",
        "unknown-name",
        "world.player is a function: it has no field \"walkTo\"; call it, world.player(...)",
    ),
    (
        "log.info(\"%s\", world.player.position)",
        "unknown-name",
        "world.player is a function: it has no field \"position\"; call it, world.player(...)",
    ),
    ("log.inof(\"x\")", "unknown-name", "log: unknown field \"inof\"; did you mean \"info\"?"),
    (
        "world.charcter(\"guard\")",
        "unknown-name",
        "world: unknown field \"charcter\"; did you mean \"character\"?",
    ),
    (
        "local guard = world.character(\"guard\") guard:walkTwo(\"post\")",
        "unknown-name",
        "Character: unknown field \"walkTwo\"; did you mean \"walkTo\"?",
    ),
    (
        "local name = world.player().nmae",
        "unknown-name",
        "Character: unknown field \"nmae\"; did you mean \"name\"?",
    ),
    (
        "local player = world.player() player:stopp()",
        "unknown-name",
        "Character: unknown field \"stopp\"; did you mean \"stop\"?",
    ),
    (
        "for _, own in ipairs(world.characters()) do log.info(\"%s\", own.postion) end",
        "unknown-name",
        "Character: unknown field \"postion\"; did you mean \"position\"?",
    ),
    (
        "local result = world.player():walk(\"post\") log.info(\"%s\", result.reson)",
        "unknown-name",
        "WalkResult: unknown field \"reson\"; did you mean \"reason\"?",
    ),
    (
        "if world.player():walkTo(\"post\").ok then log.info(\"there\") end",
        "unknown-name",
        "Walk: unknown field \"ok\"; this field belongs to WalkResult: call :wait() first",
    ),
    (
        "log.info(\"%s\", string.fromat(\"a\"))",
        "unknown-name",
        "string: unknown field \"fromat\"; did you mean \"format\"?",
    ),
    (
        "world.player():walkTo(\"post\", { onArive = function() end })",
        "unknown-option",
        "walkTo: unknown option \"onArive\"; did you mean \"onArrived\"?",
    ),
    (
        "world.player():walkTo(\"post\", { doors = \"opne\" })",
        "choice",
        "walkTo: doors is \"opne\", expected \"avoid\", \"open\" or \"wait\"; did you mean \"open\"?",
    ),
    (
        "world.player():walkTo(3, 4, { gaits = \"run\" })",
        "unknown-option",
        "walkTo: unknown option \"gaits\"; did you mean \"gait\"?",
    ),
    (
        "world.door(\"gatte\"):open()",
        "unresolved",
        "world.door: unknown door \"gatte\"; did you mean \"gate\"?",
    ),
    (
        "world.character(\"guard\"):patrol(\"ronds\")",
        "unresolved",
        "patrol: unknown route \"ronds\"; did you mean \"rounds\"?",
    ),
    (
        "world.character(\"guard\"):patrol({ \"post\", \"thrown\" })",
        "unresolved",
        "patrol: unknown mark \"thrown\"; did you mean \"throne\"?",
    ),
    (
        "world.character(\"guard\"):wander({ area = \"yrad\" })",
        "unresolved",
        "wander: unknown area \"yrad\"; did you mean \"yard\"?",
    ),
    (
        "world.player():walkTo(\"post\", { costs = { yrad = 3 } })",
        "unresolved",
        "walkTo: unknown area \"yrad\"; did you mean \"yard\"?",
    ),
    (
        "world.character(\"gaurd\")",
        "unresolved",
        "world.character: unknown character \"gaurd\"; did you mean \"guard\"?",
    ),
    (
        "world.player():walkTo(\"trone\")",
        "unresolved",
        "walkTo: unknown mark \"trone\"; did you mean \"throne\"?",
    ),
    (
        "world.player():walkTo(\"gate\")",
        "unresolved",
        "walkTo: unknown mark \"gate\"; it is the name of a door: write world.door(\"gate\")",
    ),
    ("region.on(\"entri\")", "unresolved", "region.on: unknown region \"entri\"; did you mean \"entry\"?"),
    ("nav.route(\"round\")", "unresolved", "nav.route: unknown route \"round\"; did you mean \"rounds\"?"),
    ("nav.mark(\"pots\")", "unresolved", "nav.mark: unknown mark \"pots\"; did you mean \"post\"?"),
    (
        "nav.setAreaAvailable(\"gatway\", true)",
        "unresolved",
        "nav.setAreaAvailable: unknown area \"gatway\"; did you mean \"gateway\"?",
    ),
    (
        "nav.randomPoint({ area = \"yrad\" })",
        "unresolved",
        "nav.randomPoint: unknown area \"yrad\"; did you mean \"yard\"?",
    ),
    (
        "local where = \"pst\" world.player():walkTo(where)",
        "unresolved",
        "walkTo: unknown mark \"pst\"; did you mean \"post\"?",
    ),
    ("world.player().walkTo(\"post\")", "colon", "walkTo: called with a dot; write :walkTo(...)"),
    ("world:player()", "colon", "world.player: called with a colon; write world.player(...)"),
    (
        "world.player().name = \"me\"",
        "read-only",
        "Character: fields are read-only, \"name\" cannot be set; nothing sets it",
    ),
    ("level.tick = 3", "read-only", "level: fields are read-only, \"tick\" cannot be set; nothing sets it"),
    ("task.sleep(\"1\")", "argument", "task.sleep: seconds is \"1\", expected a number"),
    ("world.player():hasTag()", "argument", "hasTag: tag is missing, expected a text"),
    ("world.spawn({ at = \"post\" })", "argument", "world.spawn: name is missing, expected a text"),
    (
        "world.player():walkTo(\"post\", { patience = true })",
        "argument",
        "walkTo: patience is true, expected a number",
    ),
    (
        "world.player():walkTo(\"post\", { onArrived = \"ariving\" })",
        "handler",
        "the level script has no handler \"ariving\"",
    ),
    (
        "timer.after(3)",
        "dropped",
        "timer.after: nobody waits for the Timer and nobody is told; wait for it with :wait(), or give a handler",
    ),
    (
        "task.waitUntil(function() return world.player():walk(\"post\").ok end)",
        "wait",
        "walk: a function given to task.waitUntil may not wait; start a task with task.spawn, or use handlers",
    ),
    (
        "task.onCancel(function() task.sleep(1) end)",
        "wait",
        "task.sleep: a function given to task.onCancel may not wait; start a task with task.spawn, or use handlers",
    ),
    (
        "cinematic.define(\"end\", { script = function(c) end, onEnd = function() task.sleep(1) end })",
        "wait",
        "task.sleep: onEnd may not wait; emit an event that other code hears",
    ),
    (
        "local seen = {} seen[world.player()] = 1 for own in pairs(seen) do log.info(\"%s\", own) end",
        "order",
        "the order of a loop over keys that are handles is not the same in every run; use .name or .id as the key, or keep a list beside it",
    ),
];

#[test]
fn every_slip_is_found_and_named_and_nothing_else() {
    let folder = project();
    for (index, (line, ..)) in CASES.iter().enumerate() {
        write(folder.path(), &format!("scripts/case_{index:02}.lua"), &in_level(line));
    }
    let found = check(folder.path(), &["scripts"]);
    let mut wrong = Vec::new();
    for (index, (line, code, message)) in CASES.iter().enumerate() {
        let own = found.get(&format!("scripts/case_{index:02}.lua")).cloned().unwrap_or_default();
        if own != [(3, (*code).to_owned(), (*message).to_owned())] {
            wrong.push(format!("{line}\n  found    {own:?}\n  expected {code}: {message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Nodes that a run refuses as the file loads: the node, the code, the message with its help.
const NODES: &[(&str, &str, &str)] = &[
    (
        "bt.selector({ reactve = true, bt.wait(1) })",
        "unknown-option",
        "bt.selector: unknown option \"reactve\"; did you mean \"reactive\"?",
    ),
    (
        "bt.sequence({ made(), raective = true })",
        "unknown-option",
        "bt.sequence: unknown option \"raective\"; did you mean \"reactive\"?",
    ),
    ("bt.sequence({})", "argument", "bt.sequence: nodes is empty, expected at least one node"),
    ("bt.random({})", "argument", "bt.random: nodes is empty, expected at least one node"),
    (
        "bt.random({ bt.wait(1), reactive = true })",
        "unknown-option",
        "bt.random: unknown option \"reactive\"",
    ),
    (
        "bt.selector({ bt.wait(1), 3 })",
        "argument",
        "bt.selector: nodes[2] is 3, expected a node out of a builder of bt",
    ),
    (
        "bt.selector({ bt.wait(1), reactive = 1 })",
        "argument",
        "bt.selector: nodes.reactive is 1, expected a Node or true or false",
    ),
    (
        "bt.parallel({ bt.wait(1), succeed = \"some\" })",
        "argument",
        "bt.parallel: succeed is \"some\", expected \"all\" or \"any\"",
    ),
    (
        "bt.walkTo(\"post\", { gaitt = \"run\" })",
        "unknown-option",
        "bt.walkTo: unknown option \"gaitt\"; did you mean \"gait\"?",
    ),
    (
        "bt.walkTo(\"post\", { gait = \"rum\", speed = made() })",
        "choice",
        "bt.walkTo: gait is \"rum\", expected \"walk\" or \"run\"; did you mean \"run\"?",
    ),
    ("bt.walkTo(\"post\", { speed = 1000 })", "argument", "bt.walkTo: speed is 1000, expected 0.01 to 50"),
    ("bt.walkTo(made, { patience = -1 })", "argument", "bt.walkTo: patience is -1, expected 0 to 86400"),
    ("bt.walkTo()", "argument", "bt.walkTo: goal is missing, expected a Place or a function"),
    (
        "bt.action({ run = made, entr = made })",
        "unknown-option",
        "bt.action: unknown option \"entr\"; did you mean \"enter\"?",
    ),
    ("bt.action({ enter = made })", "argument", "bt.action: run is missing, expected a function"),
    ("bt.subtree(\"nope\")", "unresolved", "bt.subtree: unknown script \"nope\""),
    ("bt.subtree(\"usd\")", "unresolved", "bt.subtree: unknown script \"usd\"; did you mean \"used\"?"),
    ("bt.wait({ 2, 1 })", "argument", "bt.wait: the range is 2 to 1, expected low not above high"),
    ("bt.wait(-1)", "argument", "bt.wait: seconds is -1, expected 0 to 1000000"),
    ("bt.cooldown(bt.wait(1), -1)", "argument", "bt.cooldown: seconds is -1, expected 0 to 1000000"),
    (
        "bt.cooldown(bt.wait(1), 1, { kep = true })",
        "unknown-option",
        "bt.cooldown: unknown option \"kep\"; did you mean \"keep\"?",
    ),
    ("bt.timeLimit(made(), -1)", "argument", "bt.timeLimit: seconds is -1, expected 0 to 1000000"),
    (
        "bt.weighted({ { -1, bt.wait(1) } })",
        "argument",
        "bt.weighted: nodes[1][1] is -1, expected 0 to 1000000000",
    ),
    (
        "bt.weighted({ { 0, bt.wait(1) } })",
        "argument",
        "bt.weighted: nodes has no weight above 0, expected at least one",
    ),
    ("bt.retry(bt.wait(1))", "argument", "bt.retry: times is missing, expected a number"),
    (
        "bt.retry(bt.wait(1), 0)",
        "argument",
        "bt.retry: times is 0, expected a whole number from 1 to 1000000000",
    ),
    (
        "bt.repeatN(bt.wait(1), 1.5)",
        "argument",
        "bt.repeatN: times is 1.5, expected a whole number from 1 to 1000000000",
    ),
    ("bt.invert(3)", "argument", "bt.invert: node is 3, expected a Node"),
    ("bt.invert()", "argument", "bt.invert: node is missing, expected a Node"),
];

/// Nodes that are right, or that nobody can judge before they are made.
const RIGHT_NODES: &[&str] = &[
    "bt.selector({ bt.condition(made), bt.wait(1), reactive = true })",
    "bt.selector({ made(), reactive = level.tick > 3 })",
    "bt.selector({ made(), reactive = made() })",
    "bt.sequence({ table.unpack(made()) })",
    "bt.sequence(made())",
    "bt.retry(made())",
    "bt.retry(bt.wait(1), made())",
    "bt.parallel({ made(), succeed = made() })",
    "bt.parallel({ made(), succeed = \"any\" })",
    "bt.walkTo(\"post\", made())",
    "bt.walkTo(\"post\", { speed = made(), doors = \"open\" })",
    "bt.walkTo(function(self) return self.params.post end, { doors = \"open\", costs = { yard = 3 } })",
    "bt.walkTo(made, { face = \"post\", via = { \"post\", vector.create(1, 0, 1) } })",
    "bt.action(made)",
    "bt.action({ run = made, enter = made, exit = made })",
    "bt.action(made())",
    "bt.wait({ 1, 2 })",
    "bt.wait({ made(), 2 })",
    "bt.weighted({ { made(), bt.wait(1) }, { 1, made() } })",
    "bt.weighted({ made() })",
    "bt.subtree(\"used\")",
    "bt.subtree(made())",
    "bt.repeatN(bt.wait(1))",
    "bt.cooldown(bt.invert(bt.wait(1)), 3, { keep = true })",
];

/// Law: a node that a run refuses as the file loads is found, in the words of the run, wherever it stands in
/// a tree; nothing is said of others.
#[test]
fn trees_that_a_run_refuses_are_found() {
    let folder = project();
    let tree = |node: &str| {
        format!(
            "local made = ...\nlocal own = {{}}\nown.tree = bt.sequence({{ bt.wait(1),\n  {node} }})\nreturn own\n"
        )
    };
    for (index, (node, ..)) in NODES.iter().enumerate() {
        write(folder.path(), &format!("scripts/behaviours/wrong_{index:02}.lua"), &tree(node));
    }
    for (index, node) in RIGHT_NODES.iter().enumerate() {
        write(folder.path(), &format!("scripts/behaviours/right_{index:02}.lua"), &tree(node));
    }
    let mut found = check(folder.path(), &["scripts"]);
    let mut wrong = Vec::new();
    for (index, (node, code, message)) in NODES.iter().enumerate() {
        let own = found.remove(&format!("scripts/behaviours/wrong_{index:02}.lua")).unwrap_or_default();
        if own != [(4, (*code).to_owned(), (*message).to_owned())] {
            wrong.push(format!("{node}\n  found    {own:?}\n  expected {code}: {message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(found.is_empty(), "{found:#?}");
}

/// Scenes and others: what is wrong with the values themselves, whatever their types.
#[test]
fn values_that_a_call_refuses_wherever_it_is_made_are_found() {
    let folder = project();
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("c:wait()", &[("argument", "wait: seconds is missing, expected a number")]),
        (
            "c:parallel({ function() c:wait() end })",
            &[("argument", "wait: seconds is missing, expected a number")],
        ),
        ("c:wait(1) c:wait(args.pause)", &[]),
        ("local other = cinematic.running() if other then other:wait() end", &[]),
        (
            "c:camera(\"pin\")",
            &[(
                "choice",
                "camera: kind is \"pin\", expected \"pan\", \"follow\", \"cut\", \"shake\", \"zoom\" or \"reset\"; did you \
                 mean \"pan\"?",
            )],
        ),
        ("c:camera(\"pan\") c:camera(args.kind) c:cue(\"pin\")", &[]),
        (
            "c:choice(\"toll\", { \"pay\", \"refuse\" }, { default = \"pai\" })",
            &[(
                "choice",
                "choice: default is \"pai\", expected \"pay\" or \"refuse\"; did you mean \"pay\"?",
            )],
        ),
        (
            "c:choice(\"toll\", { \"a\", \"b\" }, { default = \"zebra\" })",
            &[("choice", "choice: default is \"zebra\", expected \"a\" or \"b\"")],
        ),
        ("c:choice(\"toll\", { \"a\", args.b }, { default = \"z\" })", &[]),
        (
            "c:choice(\"toll\", args.answers, { default = \"z\" }) c:choice(\"toll\", { \"a\" }, { default = \"a\" })",
            &[],
        ),
        ("c:choice(\"toll\")", &[("argument", "choice: options is missing, expected a list")]),
        ("c:say(world.player())", &[("argument", "say: line is missing, expected a text")]),
        (
            "clock.set(\"25:00\")",
            &[(
                "argument",
                "clock.set: time is \"25:00\", expected a time such as \"6:30\", or minutes since midnight",
            )],
        ),
        ("clock.set(1440)", &[("argument", "clock.set: time is 1440, expected 0 to less than 1440")]),
        ("clock.set(\"24:00\" .. args.x) clock.set(args.hour) clock.set(\"6:30\")", &[]),
        (
            "rng.stream(\"a\"):int(5, 1)",
            &[("argument", "int: the range is 5 to 1, expected low not above high")],
        ),
        (
            "rng.stream(\"a\"):int(1, args.most) rng.stream(\"a\"):int(args.least, 1) rng.stream(\"a\"):int(1, 5)",
            &[],
        ),
        ("rng.stream(\"a\"):chance(2)", &[("argument", "chance: p is 2, expected 0 to 1")]),
        (
            "world.player():walkTo(\"post\", { speed = 100 })",
            &[("argument", "walkTo: speed is 100, expected 0.01 to 50")],
        ),
        (
            "world.player():walkTo(\"post\", { speed = args.speed, timeout = 3, onArrived = function() end })",
            &[],
        ),
        (
            "event.on(\"walkSetled\", function() end)",
            &[(
                "event",
                "event.on: no script tells \"walkSetled\"; did you mean \"walkSettled\", an event of the runtime?",
            )],
        ),
    ];
    for (index, (line, _)) in cases.iter().enumerate() {
        let scene = format!(
            "return {{\n  holds = {{ \"player\" }},\n  script = function(c, args)\n    {line}\n  end,\n}}\n"
        );
        write(folder.path(), &format!("scripts/cinematics/scene_{index:02}.lua"), &scene);
    }
    let found = check(folder.path(), &["scripts"]);
    let mut wrong = Vec::new();
    for (index, (line, expected)) in cases.iter().enumerate() {
        let own = found.get(&format!("scripts/cinematics/scene_{index:02}.lua")).cloned().unwrap_or_default();
        let expected: Vec<Found> =
            expected.iter().map(|(code, message)| (4, (*code).to_owned(), (*message).to_owned())).collect();
        if own != expected {
            wrong.push(format!("{line}\n  found    {own:?}\n  expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Lines that are right, however odd.
const RIGHT: &[&str] = &[
    "local guard, player = world.character(\"guard\"), world.player() guard:follow(player, { distance = 2 })",
    "local player = world.player() for _, one in world.characters() do if one ~= player then one:follow(player) end end",
    "world.character(\"guard\"):patrol(\"rounds\") world.character(\"guard\"):patrol({ \"post\", world.player().position })",
    "world.character(\"guard\"):wander({ area = \"yard\", costs = { hall = 2 } })",
    "local guard = world.findCharacter(\"nobody\") if guard then guard:stop() end",
    "world.spawn({ name = \"rat\", at = \"post\" }) world.character(\"rat\"):stop()",
    "for i = 1, 3 do world.spawn({ name = \"bat_\" .. i, at = \"post\" }) end world.character(\"bat_2\"):stop()",
    "local place = level.tick > 3 and \"post\" or world.player() world.character(\"guard\"):walkTo(place)",
    "local who = world.player() who = world.character(\"guard\") who:walkTo(3, 4, { gait = \"run\" })",
    "local x, z = 3, 4 world.player():walkTo(x, z, { gait = \"run\" })",
    "local options = { doors = \"open\" } options.gait = \"run\" world.player():walkTo(\"post\", options)",
    "local t = { wait = 3 } t.anything = 4 log.info(\"%s\", t.something)",
    "local first, result = task.race({ a = world.player():walkTo(\"post\"), b = timer.after(1) }) log.info(\"%s\", result.ok, first)",
    "world.player():face(1.5):wait() world.player():face(3, 4) world.player():face(\"post\")",
    "local ok = pcall(function() task.sleep(1) end) log.info(\"%s\", ok)",
    "local log = { write = function() end } log.write()",
    "local known = {} for _, own in ipairs(world.characters()) do known[own.name] = own end for name in pairs(known) do log.info(name) end",
    "timer.after(3, function() task.sleep(1) end) local later = timer.after(3) later:wait()",
    "event.emit(\"anything\", { at = world.player().position }) task.waitEvent(\"anything\")",
    "while true do task.sleep(1) end",
    "while true do if level.tick > 3 then break end end",
    "while true do if level.tick > 3 then return end end",
    "repeat error(\"over\") until false",
    "local function rest() task.sleep(1) end while true do rest() end",
    "local function go(f) while true do f() end end go(function() task.sleep(1) end)",
    "while true do coroutine.yield() end",
    "world.character(\"guard\"):walkTo(\"post\", nil) world.character(\"guard\"):walkTo(\"post\", { speed = nil })",
    "local place = nil if level.tick > 3 then place = \"post\" end if place then world.character(\"guard\"):walkTo(place) end",
    "state.count = (state.count or 0) + 1 state.anything = state.something",
    "local v = world.player().position + vector.create(1, 0, 0) nav.nearest(v) world.player():walkTo(v)",
    "cinematic.define(\"talk\", { script = function(c) c:wait(1) end }) cinematic.play(\"talk\")",
    "table.sort({ 3, 1 }, function(a, b) return a < b end)",
    "local c = world.character(\"guard\") c:walkTo(18, c.position.z) c:teleport(4, c.position.z + 0.2)",
    "local function go(z) world.player():walkTo(18, z) world.player():distanceTo(2, z) end go(1.5)",
    "for _, z in { 1.5, 2 } do world.player():walkTo(18, z) world.player():canReach(18, z) end",
    "world.player():walkTo(18, math.random(1, 2)) world.player():walkTo(18, tonumber(\"1.5\"))",
    "local s = (\"x\"):upper() log.info(s:lower())",
    "world.player():attach(\"used\", {})",
    "local function f() return world.player() end f():walkTo(\"post\")",
    "for _, own in world.characters() do own:stop() end",
    "_G.shared = function() end shared() world.player():walkTo(\"post\", { onArrived = \"shared\" })",
];

/// Slips that show in one line and would stop the level or the script there.
#[test]
fn what_cannot_go_well_is_found_before_it_runs() {
    let never =
        "this loop never ends and never waits; wait in it, as with task.sleep, or leave it with break";
    let cases = [
        ("world.character(\"guard\"):walkTo(nil)", "argument", "walkTo: goal is nil, expected a Place"),
        (
            "local goal = nil world.character(\"guard\"):walk(goal)",
            "argument",
            "walk: goal is nil, expected a Place",
        ),
        (
            "if world.character(\"guard\"):walk(\"post\").status == \"arived\" then print(1) end",
            "choice",
            "status is \"arived\", expected \"arrived\", \"partial\", \"blocked\" or \"cancelled\"; did you mean \"arrived\"?",
        ),
        (
            "print(\"opened\" ~= world.door(\"gate\").state)",
            "choice",
            "state is \"opened\", expected \"open\", \"opening\", \"closed\" or \"closing\"; did you mean \"open\"?",
        ),
        (
            "cinematic.define(\"a\", { script = function(c) c:mark() end })",
            "argument",
            "mark: name is missing, expected a text",
        ),
        (
            "cinematic.define(\"a\", { script = function(c) c:mark(3) end })",
            "argument",
            "mark: name is 3, expected a text",
        ),
        (
            "cinematic.define(\"a\", { holds = { \"guard\" }, script = function(c) c:walk(world.character(\"player\"), \"post\") end })",
            "held",
            "walk: character \"player\" is not held by the cinematic; add \"player\" to holds",
        ),
        (
            "cinematic.define(\"a\", { holds = { \"player\" }, script = function(c) cinematic.define(\"b\", { script = \
             function(d) d:start(world.character(\"player\"), \"post\") end }) c:walk(world.character(\"player\"), \"post\") end })",
            "held",
            "start: character \"player\" is not held by the cinematic; add \"player\" to holds",
        ),
        ("while true do end", "endless", never),
        ("while 1 do local x = math.max(level.tick, 3) print(x) end", "endless", never),
        ("repeat world.character(\"guard\"):stop() until false", "endless", never),
        ("while true do for i = 1, 3 do break end end", "endless", never),
        ("while true do local f = function() return 1 end print(f()) end", "endless", never),
        ("local function count() return 1 end while true do count() end", "endless", never),
    ];
    let folder = project();
    for (index, (line, ..)) in cases.iter().enumerate() {
        write(folder.path(), &format!("scripts/case_{index:02}.lua"), &in_level(line));
    }
    let found = check(folder.path(), &["scripts"]);
    for (index, (line, code, message)) in cases.iter().enumerate() {
        let own = found.get(&format!("scripts/case_{index:02}.lua")).cloned().unwrap_or_default();
        assert_eq!(own, [(3, (*code).to_owned(), (*message).to_owned())], "{line}");
    }
}

#[test]
fn what_only_the_whole_project_shows_is_found() {
    let folder = project();
    write(folder.path(), "levels/yard.json", &YARD.replace(", \"player\": true", ""));
    let of = |other: &str| format!("local other = require(\"lib/{other}\")\nreturn {{ other = other }}\n");
    for (name, other) in [("a", "b"), ("b", "c"), ("c", "a"), ("leads", "a")] {
        write(folder.path(), &format!("scripts/lib/{name}.lua"), &of(other));
    }
    // What is required while something runs finds all files loaded.
    let late = "local late = {}\nfunction late.get() return require(\"lib/soon\") end\nreturn late\n";
    write(folder.path(), "scripts/lib/late.lua", late);
    write(folder.path(), "scripts/lib/soon.lua", &of("late"));
    write(
        folder.path(),
        "scripts/lone.lua",
        "function onStart()\n  world.player():stop()\n  local player = world.player()\n  if player then player:stop() end\n  \
         local hero = world.player()\n  hero:stop()\n  local sure = assert(world.player())\n  sure:stop()\n  \
         local other = world.player()\n  local name = other and other.name\n  print(name, other)\nend\n",
    );
    write(
        folder.path(),
        "scripts/cinematics/talk.lua",
        "local talk = { holds = { \"guard\", \"guard\" } }\nfunction talk.script(c)\n  c:walk(world.character(\"guard\"), \"post\")\n  \
         local other = world.character(\"player\")\n  c:start(other, \"post\")\nend\nreturn talk\n",
    );
    write(
        folder.path(),
        "scripts/alarm.lua",
        "function onStart()\n  event.on(\"alarm\", function() end)\n  event.emit(\"alarrm\")\n  event.emit(\"alarm\")\n  \
         event.emit(\"quiet\")\n  event.emit(\"quiet\")\n  event.emit(\"still\")\nend\n",
    );
    let found = check(folder.path(), &["scripts"]);
    let circle = |way: &str| {
        let message =
            format!("require: {way} is a circle of files; move what they share into a file of its own");
        vec![(1, "circle".to_owned(), message)]
    };
    let one = |line: u64, code: &str, message: &str| (line, code.to_owned(), message.to_owned());
    let nobody = "world.player: levels/yard.json has no player, so it gives nil; \
                  give one of its characters \"player\": true, or ask whether there is one";
    let expected: BTreeMap<String, Vec<Found>> = BTreeMap::from([
        ("scripts/lib/a.lua".to_owned(), circle("lib/a.lua -> lib/b.lua -> lib/c.lua -> lib/a.lua")),
        ("scripts/lib/b.lua".to_owned(), circle("lib/b.lua -> lib/c.lua -> lib/a.lua -> lib/b.lua")),
        ("scripts/lib/c.lua".to_owned(), circle("lib/c.lua -> lib/a.lua -> lib/b.lua -> lib/c.lua")),
        ("scripts/lone.lua".to_owned(), [2, 6].map(|line| one(line, "player", nobody)).to_vec()),
        (
            "scripts/cinematics/talk.lua".to_owned(),
            vec![
                one(1, "held", "holds: character \"guard\" is named twice; name each character once"),
                one(
                    5,
                    "held",
                    "start: character \"player\" is not held by the cinematic; add \"player\" to holds",
                ),
            ],
        ),
        (
            "scripts/alarm.lua".to_owned(),
            vec![
                one(3, "unheard", "event.emit: no script hears \"alarrm\"; did you mean \"alarm\"?"),
                one(5, "unheard", "event.emit: no script hears \"quiet\" or \"still\""),
            ],
        ),
    ]);
    assert_eq!(found, expected);
}

#[test]
fn what_a_behaviour_hears_is_known_however_its_on_is_written() {
    let ways = [
        "local b = { on = { bell = function() end } }\nreturn b\n",
        "local b = { on = {} }\nfunction b.on.bell() end\nreturn b\n",
        "local b = { on = {} }\nfunction b.on:bell() end\nreturn b\n",
        "local b = { on = {} }\nb.on.bell = function() end\nreturn b\n",
        "local b = { on = {} }\nb.on[\"bell\"] = function() end\nreturn b\n",
        "local on = {}\nfunction on.bell() end\nreturn { on = on }\n",
        "local b = {}\nb.on = {}\nfunction b.on.bell() end\nreturn b\n",
    ];
    for way in ways {
        let folder = project();
        write(folder.path(), "scripts/lone.lua", "function onStart()\n  event.emit(\"bell\")\nend\n");
        write(folder.path(), "scripts/behaviours/used.lua", way);
        let found = check(folder.path(), &["scripts"]);
        assert!(!found.values().flatten().any(|(_, code, _)| code == "unheard"), "{way}: {found:#?}");
    }
    let folder = project();
    write(folder.path(), "scripts/lone.lua", "function onStart()\n  event.emit(\"bell\")\nend\n");
    let other = "local b = { on = {} }\nfunction b.on.ball() end\nreturn b\n";
    write(folder.path(), "scripts/behaviours/used.lua", other);
    let found = check(folder.path(), &["scripts"]);
    assert!(found.values().flatten().any(|(_, code, _)| code == "unheard"), "{found:#?}");
}

/// Each level of nesting must cost the same: a cost that doubles would not end in a lifetime.
#[test]
fn deeply_nested_scripts_are_looked_at_once() {
    let nested = |before: &str, middle: &str, after: &str, depth: usize| {
        format!("{}{middle}{}", before.repeat(depth), after.repeat(depth))
    };
    let folder = project();
    for depth in [12, 40, 200] {
        let shapes = [
            nested("a[", "1", "]", depth),
            nested("if a then 1 else ", "1", "", depth),
            nested("if ", "true", " then 1 else 2", depth),
            nested("`{", "1", "}`", depth),
            nested("(", "1", " :: any)", depth),
            nested("f(", "1", ")", depth),
            nested("a:f(", "1", ")", depth),
            nested("{ a = ", "1", " }", depth),
            nested("{ [", "1", "] = 1 }", depth),
            nested("function() return ", "1", " end", depth),
            nested("1 .. ", "1", "", depth),
            nested("", "a.b(1)", "[1]", depth),
        ];
        for (index, shape) in shapes.iter().enumerate() {
            let text = format!("local a, f = {{}}, tostring\nlocal b = {shape}\nreturn {{ a, b, f }}\n");
            write(folder.path(), &format!("scripts/lib/nested_{depth}_{index:02}.lua"), &text);
        }
        let written = nested("a[function() ", "a.b += 1", " end] += 1", depth.min(100));
        write(
            folder.path(),
            &format!("scripts/lib/written_{depth}.lua"),
            &format!("local a = {{}}\n{written}\n"),
        );
    }
    // A table that stands in a table twice, and that in another twice, and so on: what it is as data has
    // 2^200 values.
    let mut shared = "local t0 = { type = \"any\" }\n".to_owned();
    for index in 1..=150 {
        shared.push_str(&format!("local t{index} = {{ t{0}, t{0} }}\n", index - 1));
    }
    shared.push_str("return { params = { one = { type = \"any\", default = t30 } } }\n");
    write(folder.path(), "scripts/behaviours/shared.lua", &shared);
    let found = check(folder.path(), &["scripts"]);
    // What the compiler of the VM refuses, as having too many registers, is its own matter.
    let other = found.iter().filter(|(_, list)| list.iter().any(|(_, code, _)| code != "syntax"));
    assert_eq!(other.collect::<Vec<_>>(), Vec::new());
    let understood = |depth: &str| found.keys().filter(|path| path.contains(depth)).count();
    assert_eq!((understood("nested_12_"), understood("nested_40_")), (0, 0), "{found:#?}");
}

#[test]
fn nothing_is_said_of_what_is_right() {
    let folder = project();
    for (index, line) in RIGHT.iter().enumerate() {
        write(folder.path(), &format!("scripts/right_{index:02}.lua"), &in_level(line));
    }
    let found = check(folder.path(), &["scripts"]);
    assert!(found.is_empty(), "{found:#?}");
}

/// A project as it is written in a hurry. Each line with a fault ends in `--! code`, or several codes.
const PLANTED: &[(&str, &str)] = &[
    (
        "scripts/yard.lua",
        r#"local HEAVY = { "player", "crate" }
local gate, watch

function onStart(why)
  gate = world.door("gaet") --! unresolved
  watch = region.on("entry", { filters = HEAVY, onEnter = "enterd" }) --! unknown-option handler
  region.when(bothPressed, { onTrue = "entered" })
  event.on("alarm", "alarmed") --! handler
  timer.every(5, function()
    gate:togle({ whenOccupied = "wiat" }) --! unknown-name
    gate:close({ whenOccupied = "wiat" }) --! choice
  end)
  cinematic.play("intor") --! unresolved
  world.player():walk("post") --! wait
end

function bothPressed()
  return watch:occuppied() --! unknown-name
end

function entered(e)
  helper() --! unknown-global
  e.character:walkTo("post")
end

function onTick(dt)
  approach() --! wait
end

function approach()
  local result = world.player():walk(gate, { radius = "1" }) --! argument
  if result.status == "arrived" then
    levle.finish(true) --! unknown-global
  end
end
"#,
    ),
    (
        "scripts/behaviours/sentry.lua",
        r#"local util = require("lib/utli") --! unresolved
local player = world.player() --! load

local sentry = {
  params = {
    route = { type = "rote" }, --! choice
    pause = { type = "number", defualt = 1 }, --! unknown-option
  },
}

function sentry:init()
  self.state.stop = 1
  task.sleep(1) --! wait
end

function sentry:start()
  region.near(self.charcter, 5, { onEnter = "saw" }) --! handler unknown-name
end

function sentry:seen(e)
  self.log.inof("seen %s", e.character.name) --! unknown-name
end

function sentry:update(dt)
  self:chase(e) --! unknown-global wait
end

function sentry:chase(who)
  local target = self.rng:pikc(world.characters()) --! unknown-name
  self.character:walk(who)
  self.character.position = target --! read-only
end

return sentry
"#,
    ),
    (
        "scripts/cinematics/intro.lua",
        r#"local scene = { holds = { "gaurd" }, locks = { "input" } } --! unresolved

function scene.script(c, args)
  local guard = world.character("guard")
  c:wlak(guard, "post") --! unknown-name
  c:walk(guard, "potst", { crowd = "yeild" }) --! choice held unresolved
  c:say(guard, "hello", { secnods = 2 }) --! unknown-option
  c.wait(2) --! colon
  nav.requestPath(guard, "post") --! dropped
end

function scene.onEnd(info)
  log.info("%s", info.outcom) --! unknown-name
  task.sleep(1) --! wait
end

return scene
"#,
    ),
];

#[test]
fn planted_faults_are_all_found_and_nothing_else() {
    let folder = project();
    let mut expected: BTreeMap<String, Vec<(u64, String)>> = BTreeMap::new();
    let mut count = 0;
    for (path, text) in PLANTED {
        write(folder.path(), path, text);
        for (index, line) in text.lines().enumerate() {
            for code in line.split("--! ").nth(1).into_iter().flat_map(str::split_whitespace) {
                expected.entry((*path).to_owned()).or_default().push((index as u64 + 1, code.to_owned()));
                count += 1;
            }
        }
    }
    assert!(count > 20, "{count}");
    let found = check(folder.path(), &["scripts"]);
    let sorted = |mut list: Vec<(u64, String)>| {
        list.sort();
        list
    };
    for (path, list) in expected {
        let own = found.get(&path).cloned().unwrap_or_default();
        let codes = own.iter().map(|(line, code, _)| (*line, code.clone())).collect();
        assert_eq!(sorted(codes), sorted(list), "{path}: {own:#?}");
    }
    assert_eq!(found.len(), PLANTED.len(), "{found:#?}");
}

#[test]
fn a_byte_order_mark_moves_no_place_and_hides_no_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "walkon.json", "{}");
    write(folder, "levels/yard.json", YARD);
    write(folder, "scripts/used.lua", &format!("\u{feff}{USED}"));
    write(folder, "scripts/one.lua", "\u{feff}local x = 1 local a = log.wran\nreturn log.wran");
    write(folder, "scripts/two.lua", "\u{feff}#!/usr/bin/walkon\nreturn log.wran");
    write(folder, "scripts/three.lua", "\u{feff}local = 1");
    let mut command = Command::new(crate::place::program());
    command.current_dir(folder).args(["check", "scripts", "--format", "json"]);
    let output = command.env_remove("RUST_LOG").stdin(Stdio::null()).output().unwrap();
    let list: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let places = list.iter().map(|one| {
        let number = |key: &str| one[key].as_u64().unwrap();
        (one["path"].as_str().unwrap(), number("line"), number("column"), one["code"].as_str().unwrap())
    });
    let field = "unknown-name";
    let places: Vec<_> = places.filter(|found| found.3 == field || found.3 == "syntax").collect();
    assert_eq!(
        places,
        [
            ("scripts/one.lua", 1, 27, field),
            ("scripts/one.lua", 2, 12, field),
            ("scripts/three.lua", 1, 1, "syntax"),
            ("scripts/two.lua", 2, 12, field),
        ],
        "{list:?}"
    );
}

#[test]
fn scripts_of_this_repository_have_nothing_to_say_about() {
    let folder = crate::place::root();
    let mut found = check(folder, &["levels", "scripts"]);
    // Events that are told to the host and to viewers.
    found.values_mut().for_each(|list| list.retain(|(_, code, _)| code != "unheard"));
    found.retain(|_, list| !list.is_empty());
    assert!(found.is_empty(), "{found:#?}");
}

/// The level with other parameters for the guard, and a behaviour that declares some.
fn with_params(params: &str) -> tempfile::TempDir {
    let folder = project();
    let behaviour = "local own = { params = {\n  route = { type = \"route\" },\n  pause = { type = \"number\", default = 1, min = 0 },\n\
                     } }\nfunction own:run() task.sleep(self.params.pause) end\nreturn own\n";
    write(folder.path(), "scripts/behaviours/used.lua", behaviour);
    let level = YARD
        .replace("\"behaviour\": \"used\"", &format!("\"behaviour\": \"used\",\n      \"params\": {params}"));
    write(folder.path(), "levels/yard.json", &level);
    folder
}

#[test]
fn wrong_parameters_are_shown_at_their_place_in_the_level_by_check_and_by_run() {
    let cases = [
        ("{ \"route\": \"round\" }", "route", "unknown route \"round\""),
        ("{ \"route\": \"rounds\", \"paus\": 2 }", "paus", "unknown parameter \"paus\""),
        ("{ \"route\": \"rounds\", \"pause\": -2 }", "pause", "params.pause is -2, expected 0 or more"),
        ("{ \"pause\": 2 }", "", "params.route is missing"),
    ];
    for (params, name, message) in cases {
        let folder = with_params(params);
        let mut command = Command::new(crate::place::program());
        command.current_dir(folder.path()).args(["check", "levels", "--format", "json"]);
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{params}");
        let list: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        let found: Vec<&Value> = list.iter().filter(|one| one["code"] == "params").collect();
        assert_eq!(found.len(), 1, "{params}: {list:#?}");
        let place = if name.is_empty() { "behaviour".to_owned() } else { format!("params/{name}") };
        assert_eq!(found[0]["pointer"], format!("/characters/0/{place}"), "{params}");
        assert!(found[0]["message"].as_str().unwrap().contains(message), "{}", found[0]);
        let line = if name.is_empty() { 14 } else { 15 };
        assert_eq!(found[0]["line"], line, "{}", found[0]);

        let mut command = Command::new(crate::place::program());
        command.current_dir(folder.path()).args(["run", "levels/yard.json", "--ticks", "1"]);
        let output = command.stdin(Stdio::null()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{told}");
        assert!(told.contains(message) && told.contains(&format!("levels/yard.json:{line}:")), "{told}");
    }
}

#[test]
fn types_list_the_names_of_the_project() {
    let folder = project();
    let names = "function onStart()\n  world.spawn({ name = \"rat\", at = \"post\" })\n  cinematic.play(\"intro\")\nend\n";
    write(folder.path(), "scripts/yard.lua", names);
    write(folder.path(), "scripts/intro.lua", "return { script = function(c) c:wait(1) end }\n");
    let written = || {
        let mut command = Command::new(crate::place::program());
        command.current_dir(folder.path()).arg("types").stdin(Stdio::null());
        assert!(command.output().unwrap().status.success());
        ["walkon.d.luau", "walkon.d.lua"]
            .map(|name| std::fs::read_to_string(folder.path().join("scripts/types").join(name)).unwrap())
    };
    let [luau, annotated] = written();
    for line in [
        "export type MarkName = \"post\" | \"throne\"\n",
        "export type DoorName = \"gate\"\n",
        "export type AreaName = \"gateway\" | \"hall\" | \"yard\"\n",
        "export type RegionName = \"entry\"\n",
        "export type RouteName = \"rounds\"\n",
        "export type CharacterName = \"guard\" | \"player\" | \"rat\"\n",
        "export type BehaviourName = \"used\"\n",
        "export type CinematicName = \"intro\"\n",
        "\tdoor: (name: DoorName) -> Door",
    ] {
        assert!(luau.contains(line), "{line} in\n{luau}");
    }
    assert!(annotated.contains("---@alias MarkName \"post\"|\"throne\"\n"), "{annotated}");
    assert_eq!([luau, annotated], written());
    // Names that are made up as the level runs: any text is right.
    let spawned = "function onStart()\n  for i = 1, 3 do world.spawn({ name = \"rat_\" .. i, at = \"post\" }) end\nend\n";
    write(folder.path(), "scripts/yard.lua", spawned);
    let [luau, _] = written();
    assert!(luau.contains("export type CharacterName = string\n"), "{luau}");
    // And names that are put together to ask for a character.
    let asked = "function onStart()\n  for i = 1, 3 do world.door(\"gate\" .. i):open() end\nend\n";
    write(folder.path(), "scripts/yard.lua", asked);
    let [luau, _] = written();
    assert!(luau.contains("export type DoorName = string\n"), "{luau}");
    assert!(luau.contains("export type CharacterName = \"guard\""), "{luau}");
}

#[test]
fn parameters_that_are_declared_as_the_file_runs_are_not_judged() {
    let folder = with_params("{ \"route\": \"rounds\", \"extra\": 3 }");
    let behaviour = "local own = { params = { route = { type = \"route\" } } }\n\
                     own.params.extra = { type = \"number\" }\nreturn own\n";
    write(folder.path(), "scripts/behaviours/used.lua", behaviour);
    let mut command = Command::new(crate::place::program());
    let output =
        command.current_dir(folder.path()).args(["check", "."]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Files that are used as behaviours and cinematics, the line of the finding, and its code and message.
const RETURNS: &[(&str, &str, u64, &str, &str)] = &[
    (
        "behaviours/none.lua",
        "local guard = {}\nfunction guard:run() end\n",
        2,
        "returns",
        "the file returns nothing, expected a table of a behaviour; end it with `return guard`",
    ),
    (
        "behaviours/five.lua",
        "return 5\n",
        1,
        "returns",
        "the file returns 5, expected a table of a behaviour",
    ),
    (
        "behaviours/parms.lua",
        "local own = { parms = {} }\nfunction own:run() end\nreturn own\n",
        1,
        "unknown-option",
        "behaviour: unknown field \"parms\"; did you mean \"params\"?",
    ),
    (
        "behaviours/inti.lua",
        "local own = {}\nfunction own:inti() end\nreturn own\n",
        2,
        "unknown-option",
        "behaviour: unknown field \"inti\"; did you mean \"init\"?",
    ),
    (
        "behaviours/onn.lua",
        "return {\n  onn = { alarm = function() end },\n}\n",
        2,
        "unknown-option",
        "behaviour: unknown field \"onn\"; did you mean \"on\"?",
    ),
    (
        "behaviours/rarely.lua",
        "return { updateevery = 30, update = function() end }\n",
        1,
        "unknown-option",
        "behaviour: unknown field \"updateevery\"; did you mean \"updateEvery\"?",
    ),
    ("behaviours/empty.lua", "", 1, "returns", "the file returns nothing, expected a table of a behaviour"),
    (
        "cinematics/slip.lua",
        "local scene = {}\nfunction scene.scrpt(c) c:wait(1) end\nreturn scene\n",
        2,
        "unknown-option",
        "cinematic: unknown field \"scrpt\"; did you mean \"script\"?",
    ),
    (
        "cinematics/hold.lua",
        "return {\n  hold = { \"guard\" },\n  script = function(c) c:wait(1) end,\n}\n",
        2,
        "unknown-option",
        "cinematic: unknown field \"hold\"; did you mean \"holds\"?",
    ),
    (
        "cinematics/bare.lua",
        "local scene = { locks = {} }\nreturn scene\n",
        1,
        "returns",
        "cinematic: script is missing, expected a function",
    ),
];

#[test]
fn a_file_that_another_level_uses_as_a_behaviour_is_told_with_that_level() {
    let folder = project();
    write(folder.path(), "scripts/start.lua", "function onStart() end\n");
    let scripted = YARD.replacen('{', "{ \"script\": \"start.lua\",", 1);
    write(folder.path(), "levels/yard.json", &scripted);
    write(folder.path(), "levels/other.json", &YARD.replace("\"used\"", "\"start\""));
    let found = check(folder.path(), &["levels/yard.json"]);
    let message =
        "the file returns nothing, expected a table of a behaviour: it is a behaviour in levels/other.json";
    let expected = vec![(1, "returns".to_owned(), message.to_owned())];
    assert_eq!(found.get("scripts/start.lua"), Some(&expected), "{found:#?}");
}

/// What a behaviour asks of itself, the line of it that is marked, and what is said of that.
const ASKED_OF_ITSELF: &[(&str, Option<&str>)] = &[
    (
        "self:walk(\"post\")",
        Some(
            "self: unknown field \"walk\"; verbs of the character are its own: write self.character:walk(...)",
        ),
    ),
    (
        "self:patrol(\"rounds\")",
        Some(
            "self: unknown field \"patrol\"; verbs of the character are its own: write self.character:patrol(...)",
        ),
    ),
    (
        "self.character:walk(self.params.psot)",
        Some("self.params: unknown parameter \"psot\"; did you mean \"post\"?"),
    ),
    ("self.log.info(\"%d\", self.params.count)", Some("self.params: unknown parameter \"count\"")),
    ("self.character:walk(self.params.post)", None),
    // Its own method of that name, and a field that some line gives it.
    ("self:flee()", None),
    ("self.teleport = print self.teleport(1) self:teleport()", None),
    ("local other = { params = {} } print(other.params.count)", None),
    (
        "self:foo()",
        Some(
            "self: unknown field \"foo\"; nothing gives it to the behaviour: write a function of that name in its table",
        ),
    ),
    (
        "local own = self task.spawn(function() own.dance(1) end)",
        Some(
            "self: unknown field \"dance\"; nothing gives it to the behaviour: write a function of that name in its table",
        ),
    ),
    ("self:fle()", Some("self: unknown field \"fle\"; did you mean \"flee\"?")),
    // It is asked for, and not called, or called where it is there.
    ("if self.foo then print(1) end", None),
    ("if self.hook then self:hook() end", None),
    // Who else gets it may give it something, and so may what is written under keys.
    ("setmetatable(self, { __index = getmetatable(\"\") }) self:foo()", None),
    ("self['f' .. 'oo'] = print self:foo()", None),
    ("local function give(it) rawset(it, \"foo\", print) end give(self) self.foo(1)", None),
    ("world.player().behaviour.fob = print self:fob()", None),
    ("local all = { self } rawset(all[1], \"foo\", print) self:foo()", None),
    // Another script of the project gives it (`scripts/giver.lua`).
    ("self:given()", None),
];

/// What is handed a behaviour may give it anything.
#[test]
fn behaviours_that_another_script_hands_out_may_have_any_field() {
    for given in ["mix(world.player().behaviour)", "local all = { world.player().behaviour } mix(all[1])"] {
        let folder = project();
        let own = "local own = {}\nfunction own:run() self:extra() end\nreturn own\n";
        write(folder.path(), "scripts/behaviours/own.lua", own);
        let is_said = |found: &BTreeMap<String, Vec<Found>>| {
            found.values().flatten().any(|(.., message)| message.contains("unknown field \"extra\""))
        };
        let before = check(folder.path(), &["scripts"]);
        assert!(is_said(&before), "{before:?}");
        let giver = format!(
            "local function mix(it) rawset(it, 'extra', function() end) end\nfunction onStart() {given} end\n"
        );
        write(folder.path(), "scripts/giver.lua", &giver);
        let after = check(folder.path(), &["scripts"]);
        assert!(!is_said(&after), "{given}: {after:?}");
    }
}

#[test]
fn what_a_behaviour_asks_of_itself_is_there() {
    let folder = project();
    for (index, (line, _)) in ASKED_OF_ITSELF.iter().enumerate() {
        let text = format!(
            "local own = {{ params = {{ post = {{ type = \"mark\", default = \"post\" }} }} }}\n\
             function own:flee() task.sleep(1) end\nfunction own:run()\n  {line}\nend\nreturn own\n"
        );
        write(folder.path(), &format!("scripts/behaviours/own_{index}.lua"), &text);
    }
    let giver = "function onStart()\n  world.player().behaviour.given = function() end\nend\n";
    write(folder.path(), "scripts/giver.lua", giver);
    // Parameters that the text does not say are not judged.
    let made = "local own = { params = require(\"lib/params\") }\nfunction own:run()\n  \
                self.character:walk(self.params.anything)\nend\nreturn own\n";
    write(folder.path(), "scripts/behaviours/made.lua", made);
    write(folder.path(), "scripts/lib/params.lua", "return { anything = { type = \"mark\" } }\n");
    let mut found = check(folder.path(), &["scripts"]);
    for (index, (line, message)) in ASKED_OF_ITSELF.iter().enumerate() {
        let own = found.remove(&format!("scripts/behaviours/own_{index}.lua")).unwrap_or_default();
        let expected = message.map(|message| (4, "unknown-name".to_owned(), message.to_owned()));
        assert_eq!(own, Vec::from_iter(expected), "{line}");
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn files_that_return_something_else_than_they_are_used_as_are_found() {
    let folder = project();
    let mut level = String::from("function onStart()\n");
    for (path, text, ..) in RETURNS {
        write(folder.path(), &format!("scripts/{path}"), text);
        let name = path.rsplit('/').next().unwrap().trim_end_matches(".lua");
        level.push_str(&match path.starts_with("behaviours") {
            true => format!("  world.player():attach(\"{name}\", {{}})\n"),
            false => format!("  cinematic.play(\"{name}\")\n"),
        });
    }
    write(folder.path(), "scripts/level.lua", &format!("{level}end\n"));
    let right = "local scene = { data = { 1 } }\nfunction scene.helper() end\n\
                 function scene.script(c) scene.helper() end\nreturn scene\n";
    write(folder.path(), "scripts/cinematics/right.lua", right);
    // Data and methods that its own code uses are its own, however near they are to names of the runtime.
    let right = "local own = { stops = { 1 } }\nfunction own:starts() return self.stops end\n\
                 function own:runs() end\nfunction own:update()\n  self:starts()\n  timer.after(1, \"runs\")\nend\nreturn own\n";
    write(folder.path(), "scripts/behaviours/right.lua", right);
    let mut found = check(folder.path(), &["scripts"]);
    for (path, text, line, code, message) in RETURNS {
        let own = found.remove(&format!("scripts/{path}")).unwrap_or_default();
        assert_eq!(own, [(*line, (*code).to_owned(), (*message).to_owned())], "{path}\n{text}");
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn functions_of_a_level_script_that_nobody_calls_are_found() {
    let folder = project();
    let script = "function onstart() end\nfunction onTikc() end\nfunction onPost() end\n\
                  function onStap() end\nfunction setOut() timer.after(1, \"onStap\") end\nsetOut = setOut\n";
    write(folder.path(), "scripts/lone.lua", script);
    let level =
        YARD.replace("\"name\": \"yard\",\n  \"nav", "\"name\": \"yard\", \"script\": \"lone\",\n  \"nav");
    write(folder.path(), "levels/yard.json", &level);
    let found = check(folder.path(), &["scripts"]);
    let one = |line: u64, name: &str, near: &str| {
        let message = format!("level script: the runtime does not call \"{name}\"; did you mean \"{near}\"?");
        (line, "unknown-option".to_owned(), message)
    };
    let expected = vec![one(1, "onstart", "onStart"), one(2, "onTikc", "onTick")];
    assert_eq!(found.get("scripts/lone.lua"), Some(&expected), "{found:#?}");
}

#[test]
fn events_of_the_runtime_are_not_told_by_scripts_and_are_heard_under_their_names() {
    let folder = project();
    let script = "function onStart()\n  event.on(\"walksettled\", function() end)\n  event.emit(\"walkSettled\")\n  \
                  event.send(world.character(\"guard\"), \"spawned\")\n  event.once(\"doorChange\", function() end)\n  \
                  event.on(\"respawned\", function() end)\n  event.emit(\"respawned\")\n  \
                  event.on(\"mapRevision\", function() end)\nend\n";
    write(folder.path(), "scripts/lone.lua", script);
    let behaviour = "return { on = { Reloaded = function() end } }\n";
    write(folder.path(), "scripts/behaviours/used.lua", behaviour);
    let found = check(folder.path(), &["scripts"]);
    let told = |line: u64, function: &str, name: &str| {
        let message = format!("{function}: \"{name}\" is an event of the runtime; choose another name");
        (line, "event".to_owned(), message)
    };
    let heard = |line: u64, function: &str, name: &str, near: &str| {
        let message = format!(
            "{function}: no script tells \"{name}\"; did you mean \"{near}\", an event of the runtime?"
        );
        (line, "event".to_owned(), message)
    };
    let expected: BTreeMap<String, Vec<Found>> = BTreeMap::from([
        (
            "scripts/lone.lua".to_owned(),
            vec![
                heard(2, "event.on", "walksettled", "walkSettled"),
                told(3, "event.emit", "walkSettled"),
                told(4, "event.send", "spawned"),
                heard(5, "event.once", "doorChange", "doorChanged"),
            ],
        ),
        ("scripts/behaviours/used.lua".to_owned(), vec![heard(1, "on", "Reloaded", "reloaded")]),
    ]);
    assert_eq!(found, expected);
}

/// What stands in a behaviour, and what is said of it.
const BEHAVIOURS: &[(&str, &[(&str, &str)])] = &[
    ("updateEvery = 0,", &[("argument", "behaviour: updateEvery is 0, expected a whole number from 1")]),
    ("updateEvery = -1,", &[("argument", "behaviour: updateEvery is -1, expected a whole number from 1")]),
    ("updateEvery = 1.5,", &[("argument", "behaviour: updateEvery is 1.5, expected a whole number from 1")]),
    ("version = 0,", &[("argument", "behaviour: version is 0, expected a whole number from 1")]),
    ("updateEvery = 1, version = 3,", &[]),
    ("updateEvery = math.max(0, 1),", &[]),
    (
        "params = { pause = { type = \"number\", min = 3, max = 1, optional = true } },",
        &[("params", "params.pause.min is 3 and max 1, expected min not above max")],
    ),
    ("params = { pause = { type = \"number\", min = 1, max = 1, optional = true } },", &[]),
    ("params = { pause = { type = \"number\", min = 3, optional = true } },", &[]),
    ("tag = 1, tag = 2,", &[("twice", "the table has \"tag\" twice: the last value holds")]),
    ("run = function() end,", &[("twice", "the table has \"run\" twice: the last value holds")]),
];

/// Lines of a task, and what is said of them.
const VALUES: &[(&str, &[(&str, &str)])] = &[
    ("task.race({})", &[("argument", "task.race: entries is empty, expected at least one entry")]),
    (
        "local race = task.race race({})",
        &[("argument", "task.race: entries is empty, expected at least one entry")],
    ),
    ("task.all({})", &[]),
    ("task.race({ a = timer.after(1) })", &[]),
    ("local entries = {} entries[1] = timer.after(1) task.race(entries)", &[]),
    (
        "world.player():walkTo(\"post\", { gait = \"run\", gait = \"walk\" })",
        &[("twice", "the table has \"gait\" twice: the last value holds")],
    ),
    (
        "print({ a = 1, b = { c = 1, c = 2 } })",
        &[("twice", "the table has \"c\" twice: the last value holds")],
    ),
    ("print({ a = 1, b = { a = 1 } }, { a = 2 }, { 1, 1, 2 })", &[]),
    ("local t = { a = 1 } t.a = 2 print(t)", &[]),
];

/// Fields of a scene that a level script defines and plays, and what is said of them: what a run says.
const SCENES: &[(&str, &[(&str, &str)])] = &[
    (
        "arrived = function() end, script = function(c) c:walk(world.player(), 1, 2, { onArrived = \"arrived\" }) end",
        &[],
    ),
    (
        "hold = function() end, locked = function() end, scripted = function() end, script = function() end",
        &[],
    ),
    ("duration = 5, participants = {}, script = function() end", &[]),
    (
        "hold = { \"guard\" }, script = function() end",
        &[("unknown-option", "cinematic.define: unknown field \"hold\"")],
    ),
    (
        "onEnded = function() end, script = function() end",
        &[("unknown-option", "cinematic.define: unknown field \"onEnded\"")],
    ),
    (
        "script = function(c) c:walk(world.player(), 1, 2, { onArrived = \"arived\" }) end, arrived = print",
        &[("handler", "the level script has no handler \"arived\"")],
    ),
];

#[test]
fn scenes_that_a_script_defines_have_fields_and_handlers_of_their_own() {
    for (fields, told) in SCENES {
        let folder = project();
        let script = format!(
            "function onStart()\n  cinematic.define(\"own\", {{\n {fields} }})\n  cinematic.play(\"own\")\nend\n"
        );
        // A file of the name of the scene is none of its.
        write(folder.path(), "scripts/own.lua", &script);
        let found = check(folder.path(), &["scripts/own.lua"]);
        let found: Vec<(&str, &str)> = found
            .values()
            .flatten()
            .map(|(_, code, message)| (code.as_str(), message.split("; did you").next().unwrap()))
            .collect();
        assert_eq!(found, *told, "{fields}");
    }
}

/// Goal: what `check` finds nothing in, `run` starts. Method: files that a run refuses, of which the text
/// alone says nothing.
#[test]
fn a_level_that_does_not_start_is_told() {
    let behaviours = [
        ("return { tree = \"x\" }", "tree"),
        ("return { on = { function() end } }", "on has the key 1"),
        ("return { params = { a = { type = \"number\", default = 0 / 0 } } }", "default"),
        ("return { params = { a = { type = \"mark\", default = \"nosuch\" } } }", "nosuch"),
        ("return { script = function() end }", "cinematic"),
        ("return { init = function(self) self.state = 5 end }", "state"),
        ("local own = setmetatable({}, {}) own.start = 5 return own", "start is 5"),
    ];
    let cases = behaviours.map(|(text, told)| ("behaviours/guard.lua", text, told));
    let levels = [
        ("level.lua", "onStart = 5", "onStart is 5, expected a function"),
        ("level.lua", "onTick = {}", "onTick is a table, expected a function"),
        ("level.lua", "local function boom() error(\"no\") end boom()", "no"),
    ];
    for (script, text, told) in cases.into_iter().chain(levels) {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "walkon.json", "{}");
        write(folder.path(), "scripts/level.lua", "function onStart() end\n");
        write(folder.path(), "scripts/behaviours/guard.lua", "return { start = function() end }\n");
        write(folder.path(), &format!("scripts/{script}"), text);
        write(
            folder.path(),
            "levels/yard.json",
            r#"{ "script": "level.lua", "navigation": { "areas": [
                { "name": "yard", "polygon": [[0, 0], [9, 0], [9, 9], [0, 9]] } ] },
              "characters": [{ "name": "anna", "position": [3, 3], "behaviour": "behaviours/guard.lua" }] }"#,
        );
        let output = |args: &[&str]| {
            let output = Command::new(crate::place::program()).current_dir(folder.path()).args(args).output();
            let output = output.unwrap();
            (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        let (code, error) = output(&["check"]);
        let (run_code, run_error) = output(&["run", "levels/yard.json", "--ticks", "1"]);
        assert!(run_code != Some(0) && run_error.contains(told), "{text}: {run_error}");
        assert!(code != Some(0) && error.contains(told), "{text}: {code:?} {error}");
    }
}

#[test]
fn values_that_no_run_takes_and_names_that_stand_twice_are_found() {
    let folder = project();
    for (index, (line, _)) in BEHAVIOURS.iter().enumerate() {
        let text = format!("return {{ run = function() end, update = function() end,\n  {line}\n}}\n");
        write(folder.path(), &format!("scripts/behaviours/own_{index:02}.lua"), &text);
    }
    for (index, (line, _)) in VALUES.iter().enumerate() {
        write(folder.path(), &format!("scripts/case_{index:02}.lua"), &in_level(line));
    }
    let scene =
        "return { script = function(c)\n  c:race({})\n  c:race({ a = function() c:wait(1) end })\nend }\n";
    write(folder.path(), "scripts/cinematics/scene.lua", scene);
    let mut found = check(folder.path(), &["scripts"]);
    let mut expected = BTreeMap::new();
    let mut expect = |path: String, line: u64, told: &[(&str, &str)]| {
        let told: Vec<Found> =
            told.iter().map(|(code, message)| (line, (*code).to_owned(), (*message).to_owned())).collect();
        if !told.is_empty() {
            expected.insert(path, told);
        }
    };
    for (index, (_, told)) in BEHAVIOURS.iter().enumerate() {
        expect(format!("scripts/behaviours/own_{index:02}.lua"), 2, told);
    }
    for (index, (_, told)) in VALUES.iter().enumerate() {
        expect(format!("scripts/case_{index:02}.lua"), 3, told);
    }
    let empty = [("argument", "race: entries is empty, expected at least one entry")];
    expect("scripts/cinematics/scene.lua".to_owned(), 2, &empty);
    found.retain(|_, told| !told.is_empty());
    assert_eq!(found, expected);
    let output = Command::new(crate::place::program())
        .current_dir(folder.path())
        .args(["check", "scripts/case_05.lua"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("note"), "what stands twice is a note: {text}");
}

/// The severity of what is said of an event that a script hears.
#[test]
fn an_event_that_is_one_slip_from_one_of_the_runtime_is_warned_of() {
    for (name, severity) in [
        ("said", Some("warning")),
        ("regionEntered", Some("warning")),
        ("walkSetled", Some("warning")),
        ("walksettled", Some("warning")),
        ("wlakSettled", Some("warning")),
        ("doorChange", Some("warning")),
        ("spawnd", Some("warning")),
        ("walkSetld", Some("note")),
        ("walkSettled", None),
        ("supper", None),
    ] {
        let folder = project();
        let script = format!("function onStart() event.on(\"{name}\", function() end) end\n");
        write(folder.path(), "scripts/lone.lua", &script);
        let output = Command::new(crate::place::program())
            .current_dir(folder.path())
            .args(["check", "scripts/lone.lua", "--format", "json"])
            .output()
            .unwrap();
        let found: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        let told: Vec<&str> = found.iter().filter_map(|one| one["severity"].as_str()).collect();
        assert_eq!(told, severity.as_slice(), "{name}: {found:?}");
        assert!(output.status.success(), "{name}");
    }
}

#[test]
fn a_mistake_at_the_end_of_a_file_is_shown_with_the_last_line() {
    let folder = project();
    let text = "function onStart()\n  if true then\n    print(1)\n  return 1\nend -- of if\n\n";
    write(folder.path(), "scripts/yard.lua", text);
    write(
        folder.path(),
        "levels/yard.json",
        &YARD.replace("\"name\": \"yard\",\n  \"nav", "\"name\": \"yard\", \"script\": \"yard\",\n  \"nav"),
    );
    let shown = |args: &[&str]| {
        let mut command = Command::new(crate::place::program());
        command.current_dir(folder.path()).args(args).env_remove("RUST_LOG").stdin(Stdio::null());
        String::from_utf8_lossy(&command.output().unwrap().stderr).into_owned()
    };
    let checked = shown(&["check", "scripts"]);
    assert!(checked.contains("scripts/yard.lua:5:13") && checked.contains("5 | end -- of if"), "{checked}");
    let ran = shown(&["run", "yard", "--ticks", "3"]);
    assert!(ran.contains("scripts/yard.lua:5:1") && ran.contains("5 | end -- of if"), "{ran}");
}

/// Law: a script with more mistakes than anyone reads is told of as many as there may be, whichever rule
/// finds them, and the first of them is the first in the text.
#[test]
fn of_very_many_mistakes_a_thousand_are_told() {
    const MOST: usize = 1000;
    let lines = [
        "wrold.tick()",
        "log.inof(\"x\")",
        "world.player:walkTo(\"post\")",
        "string.fromat(\"a\")",
        "world.player().nmae = 1",
    ];
    let folder = project();
    for (index, line) in lines.iter().enumerate() {
        let text = format!("function onStart()\n{}end\n", format!("  {line}\n").repeat(MOST + 500));
        write(folder.path(), &format!("scripts/many_{index}.lua"), &text);
    }
    let own =
        format!("local own = {{}}\nfunction own:run()\n{}end\nreturn own\n", "  self:foo()\n".repeat(1500));
    write(folder.path(), "scripts/behaviours/many_5.lua", &own);
    let found = check(folder.path(), &["scripts"]);
    for (path, first) in (0..5)
        .map(|index| (format!("scripts/many_{index}.lua"), 2))
        .chain([("scripts/behaviours/many_5.lua".to_owned(), 3)])
    {
        let all = &found[&path];
        assert_eq!((all.len(), all[0].0), (MOST, first), "{path}");
        let last = first + MOST as u64 - 1;
        assert_eq!(all[MOST - 1].0, last, "{path}: one for each line");
    }
}
