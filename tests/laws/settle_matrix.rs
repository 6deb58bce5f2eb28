//! Every way a walk ends, by every cause of section 7.4, told in every style.
//!
//! Goal: the same status and reason however they are asked for: by handlers, by the handle, by a task that
//! waits for the handle, by a task that waits in `walk`. Method: one table; each case runs once for each
//! style in a level of its own, and everything that is logged is compared, so that nothing is told twice.

use std::collections::BTreeMap;

use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};

/// A hall, a vault behind a closed door, an island.
const LEVEL: &str = r#"{
  "script": "level.lua",
  "navigation": { "agentRadius": 0.35, "objectPadding": 0.0, "areas": [
    { "name": "hall", "polygon": [[0,0],[20,0],[20,20],[0,20]] },
    { "name": "doorway", "polygon": [[20,9],[21,9],[21,11],[20,11]] },
    { "name": "vault", "polygon": [[21,0],[30,0],[30,20],[21,20]] },
    { "name": "island", "polygon": [[40,0],[44,0],[44,4],[40,4]] } ] },
  "doors": [ { "name": "gate", "area": "doorway", "open": false, "seconds": 0.1 } ],
  "marks": { "post": [3,3], "near": [3.5,3], "far": [15,3], "cell": [25,10], "island": [42,2] },
  "characters": [
    { "name": "anna", "position": [3,3] },
    { "name": "ben", "position": [3,8], "behaviour": "ben.lua" },
    { "name": "wide", "position": [12,10], "radius": 2.0 } ]
}"#;

/// How the end is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// `onArrived`, `onFailed`, `onCancelled`, `onSettled`.
    Handlers,
    /// `walk.result`, looked at every tick.
    Handle,
    /// `walk:wait()` in a task.
    Wait,
    /// `character:walk` in a task.
    Walk,
}

const ALL: [Style; 4] = [Style::Handlers, Style::Handle, Style::Wait, Style::Walk];
/// Without `character:walk`, for verbs that have no waiting form.
const STARTED: [Style; 3] = [Style::Handlers, Style::Handle, Style::Wait];

/// One line of the matrix.
#[derive(Clone, Copy)]
struct Case {
    /// Who walks.
    who: &'static str,
    /// The verb that starts it.
    verb: &'static str,
    /// Its first argument.
    goal: &'static str,
    /// Entries of the table of options.
    options: &'static str,
    /// Lua that runs before.
    before: &'static str,
    /// Lua that runs after half a second.
    cause: &'static str,
    /// `status/reason`.
    end: &'static str,
    styles: &'static [Style],
    /// What is replaced in the level.
    level: (&'static str, &'static str),
}

const CASE: Case = Case {
    who: "anna",
    verb: "walkTo",
    goal: "\"far\"",
    options: "",
    before: "",
    cause: "",
    end: "",
    styles: &ALL,
    level: ("", ""),
};

const CASES: &[(&str, Case)] = &[
    ("within the radius", Case { goal: "\"near\"", end: "arrived/reached", ..CASE }),
    ("it stood there", Case { goal: "\"post\"", end: "arrived/alreadyThere", ..CASE }),
    (
        "as near as it gets is enough",
        Case {
            goal: "\"island\"",
            options: "speed = 20, accept = \"nearest\"",
            end: "arrived/nearest",
            ..CASE
        },
    ),
    (
        "put there",
        Case { goal: "\"island\"", options: "speed = 20, ensure = true", end: "arrived/forced", ..CASE },
    ),
    (
        "as near as it gets",
        Case { goal: "\"island\"", options: "speed = 20", end: "partial/nearest", ..CASE },
    ),
    (
        "as near as it gets, for want of a narrower body",
        Case {
            who: "wide",
            goal: "\"cell\"",
            options: "speed = 20",
            before: "world.setDoor(\"gate\", true)",
            end: "partial/nearest",
            ..CASE
        },
    ),
    (
        "no way, and it does not set out",
        Case { goal: "\"island\"", options: "accept = \"exact\"", end: "blocked/noPath", ..CASE },
    ),
    (
        "a door, and it does not set out",
        Case { goal: "\"cell\"", options: "accept = \"exact\"", end: "blocked/doorClosed", ..CASE },
    ),
    (
        "a door that nobody opens",
        Case {
            goal: "\"cell\"",
            options: "speed = 20, doors = \"wait\", patience = 0.5",
            end: "blocked/doorClosed",
            ..CASE
        },
    ),
    (
        "the ground is gone",
        Case { before: "nav.setAreaAvailable(\"hall\", false)", end: "blocked/startOffNav", ..CASE },
    ),
    (
        "too wide, and it does not set out",
        Case {
            who: "wide",
            goal: "\"cell\"",
            options: "accept = \"exact\"",
            before: "door:set(true, { instant = true })",
            end: "blocked/tooWide",
            ..CASE
        },
    ),
    (
        "somebody holds the goal",
        Case { goal: BEN, options: "speed = 20, patience = 0.5", end: "blocked/occupied", ..CASE },
    ),
    (
        "somebody holds the goal, and nothing else will do",
        Case {
            goal: BEN,
            options: "speed = 20, patience = 0.5, accept = \"exact\"",
            end: "blocked/occupied",
            ..CASE
        },
    ),
    (
        "beside anyone who holds the goal is near enough",
        Case { goal: BEN, options: "speed = 20, accept = \"near\"", end: "arrived/closeEnough", ..CASE },
    ),
    (
        "beside anyone who holds the goal is as near as it gets",
        Case { goal: BEN, options: "speed = 20, accept = \"nearest\"", end: "arrived/closeEnough", ..CASE },
    ),
    (
        "nearer to somebody than bodies come",
        Case { goal: "ben", options: "speed = 20, radius = 0.1", end: "arrived/closeEnough", ..CASE },
    ),
    (
        "who passes through others stands on anyone who holds the goal",
        Case { goal: BEN, options: "speed = 20, crowd = \"ghost\"", end: "arrived/reached", ..CASE },
    ),
    (
        "who holds the goal leaves in time",
        Case { goal: BEN, options: "speed = 20", cause: "ben:walkTo(12, 8)", end: "arrived/reached", ..CASE },
    ),
    (
        "a held stop is passed over",
        Case {
            verb: "patrol",
            goal: "{ vector.create(3, 0, 8), \"near\" }",
            options: "speed = 20, patience = 0.5, loop = false",
            end: "arrived/reached",
            styles: &STARTED,
            ..CASE
        },
    ),
    (
        "a held place on the way is passed",
        Case {
            goal: "\"near\"",
            options: "speed = 20, via = { vector.create(3, 0, 8) }",
            end: "arrived/reached",
            ..CASE
        },
    ),
    (
        "the search is too long",
        Case {
            goal: "\"cell\"",
            options: "doors = \"open\"",
            end: "blocked/limit",
            level: ("\"script\"", "\"limits\": { \"expansionsPerPath\": 2 }, \"script\""),
            ..CASE
        },
    ),
    (
        "the scene it belongs to is skipped",
        Case { before: SKIPPED, cause: "assert(cinematic.running():skip())", end: "arrived/skipped", ..CASE },
    ),
    (
        "too many walks in a tick",
        Case {
            before: "for _ = 1, 4 do ben:walkTo(4, 8) end",
            end: "blocked/limit",
            level: ("\"script\"", "\"limits\": { \"walksPerOwnerPerTick\": 4 }, \"script\""),
            ..CASE
        },
    ),
    (
        "the way is shunned",
        Case {
            goal: "\"cell\"",
            options: "speed = 20, doors = \"open\", avoid = { \"doorway\" }",
            end: "partial/nearest",
            ..CASE
        },
    ),
    (
        "the goal is shunned, and it does not set out",
        Case {
            goal: "\"cell\"",
            options: "doors = \"open\", avoid = { \"vault\" }, accept = \"exact\"",
            end: "blocked/noPath",
            ..CASE
        },
    ),
    (
        "a expensive way is a way",
        Case {
            goal: "\"cell\"",
            options: "speed = 20, doors = \"open\", costs = { doorway = 100, vault = 0.1 }",
            end: "arrived/reached",
            ..CASE
        },
    ),
    (
        "no progress",
        Case {
            goal: "\"cell\"",
            options: "speed = 20, patience = 0.5",
            before: "world.setDoor(\"gate\", true)",
            end: "blocked/stuck",
            level: (
                "\"wide\", \"position\": [12,10], \"radius\": 2.0",
                "\"wide\", \"position\": [20.5,10], \"radius\": 0.95, \"player\": true",
            ),
            ..CASE
        },
    ),
    ("its time is over", Case { options: "timeout = 0.4", end: "blocked/timeout", ..CASE }),
    (
        "its time is over while it stands",
        Case {
            options: "timeout = 0.4",
            before: "timer.after(0.1, function() anna.currentWalk:pause() end)",
            end: "blocked/timeout",
            ..CASE
        },
    ),
    ("stopped", Case { cause: "assert(anna:stopInPlace())", end: "cancelled/stopped", ..CASE }),
    (
        "stopped by its handle",
        Case { cause: "assert(anna.currentWalk:stop())", end: "cancelled/stopped", ..CASE },
    ),
    ("put elsewhere", Case { cause: "anna:teleport(10, 10)", end: "cancelled/stopped", ..CASE }),
    ("a newer walk", Case { cause: "anna:walkTo(4, 4)", end: "cancelled/superseded", ..CASE }),
    (
        "a newer walk to the same goal",
        Case { cause: "anna:walkTo(\"far\")", end: "cancelled/superseded", ..CASE },
    ),
    ("it follows somebody now", Case { cause: "anna:follow(ben)", end: "cancelled/superseded", ..CASE }),
    (
        "a scene takes it",
        Case { before: SCENE, cause: "cinematic.play(\"scene\")", end: "cancelled/superseded", ..CASE },
    ),
    ("somebody else's scene holds it already", Case { before: HELD, end: "cancelled/superseded", ..CASE }),
    (
        "the target is gone",
        Case {
            goal: "ben",
            options: "speed = 1",
            cause: "ben:despawn()",
            end: "cancelled/targetGone",
            ..CASE
        },
    ),
    ("the walker is gone", Case { cause: "anna:despawn()", end: "cancelled/despawned", ..CASE }),
    (
        "another entry of a race wins",
        Case {
            cause: "task.spawn(function() task.race({ anna.currentWalk, timer.after(0) }) end)",
            end: "cancelled/lostRace",
            ..CASE
        },
    ),
    (
        "the time of an entry is over",
        Case {
            cause: "task.spawn(function() task.timeout(0, anna.currentWalk) end)",
            end: "cancelled/lostRace",
            ..CASE
        },
    ),
    (
        "the followed is lost",
        Case {
            verb: "follow",
            goal: "ben",
            options: "loseBeyond = 1, loseAfter = 0.2",
            end: "cancelled/targetGone",
            styles: &STARTED,
            ..CASE
        },
    ),
    (
        "the followed is gone",
        Case {
            verb: "follow",
            goal: "ben",
            options: "speed = 1",
            cause: "ben:despawn()",
            end: "cancelled/targetGone",
            styles: &STARTED,
            ..CASE
        },
    ),
    (
        "the followed is out of reach",
        Case {
            verb: "follow",
            goal: "ben",
            options: "speed = 20, patience = 0.3",
            before: "ben:teleport(\"island\")",
            end: "blocked/noPath",
            styles: &STARTED,
            ..CASE
        },
    ),
    (
        "the followed is behind a door",
        Case {
            verb: "follow",
            goal: "ben",
            options: "speed = 20, patience = 0.3",
            before: "ben:teleport(\"cell\")",
            end: "blocked/doorClosed",
            styles: &STARTED,
            ..CASE
        },
    ),
    (
        "near enough",
        Case {
            verb: "follow",
            goal: "ben",
            options: "speed = 20",
            end: "arrived/reached",
            styles: &STARTED,
            ..CASE
        },
    ),
    (
        "far enough away",
        Case {
            verb: "flee",
            goal: "ben",
            options: "speed = 20",
            end: "arrived/reached",
            styles: &STARTED,
            ..CASE
        },
    ),
    (
        "cornered",
        Case {
            verb: "flee",
            goal: "\"far\"",
            options: "speed = 20, distance = 100",
            end: "partial/nearest",
            styles: &STARTED,
            ..CASE
        },
    ),
    (
        "the last stop",
        Case {
            verb: "patrol",
            goal: "{ \"near\", \"post\" }",
            options: "loop = false",
            end: "arrived/reached",
            styles: &STARTED,
            ..CASE
        },
    ),
    (
        "no stop in reach",
        Case {
            verb: "patrol",
            goal: "{ \"island\", \"cell\" }",
            end: "blocked/noPath",
            styles: &STARTED,
            ..CASE
        },
    ),
    (
        "a patrol that is stopped while it pauses",
        Case {
            verb: "patrol",
            goal: "{ \"post\", \"far\" }",
            options: "pause = 100",
            cause: "assert(anna.currentWalk.state == \"waiting\") anna:stop()",
            end: "cancelled/stopped",
            styles: &STARTED,
            ..CASE
        },
    ),
];

/// Where ben stands.
const BEN: &str = "vector.create(3, 0, 8)";
const SCENE: &str =
    "cinematic.define(\"scene\", { holds = { \"anna\" }, script = function(c) c:wait(100) end })";
const HELD: &str = "cinematic.define(\"scene\", { holds = { \"anna\" }, script = function(c) c:wait(100) end }) cinematic.play(\"scene\") delay = 0.1";

/// The walk belongs to a scene, which is skipped.
const SKIPPED: &str = "delay = 100 cinematic.define(\"scene\", { holds = { \"anna\" }, script = function(c) begin() c:wait(0.1) anna.currentWalk:wait() c:wait(0.5) end }) cinematic.play(\"scene\")";

/// The level script of a case in a style.
fn script(case: &Case, style: Style) -> String {
    let Case { who, verb, goal, options, before, cause, .. } = *case;
    let style_name = format!("{style:?}");
    format!(
        "local delay = 0
local function tell(how) return function(r) log.info(\"%s %s/%s\", how, r.status, r.reason) end end
local walk, told
function onTick()
    if \"{style_name}\" == \"Handle\" and walk and walk.result and not told then
        told = true
        assert(walk.state == \"settled\")
        tell(\"result\")(walk.result)
    end
end
function onStart()
    local anna, ben, door = world.character(\"anna\"), world.character(\"ben\"), world.door(\"gate\")
    local who = world.character(\"{who}\")
    local begin
    {before}
    begin = function()
        local options = {{ {options} }}
        if \"{style_name}\" == \"Handlers\" then
            for _, name in {{ \"onArrived\", \"onFailed\", \"onCancelled\", \"onSettled\" }} do options[name] = tell(name) end
        end
        if \"{style_name}\" == \"Walk\" then
            task.spawn(function() tell(\"walk\")(who:walk({goal}, options)) end)
            return
        end
        walk = who:{verb}({goal}, options)
        local own = walk
        if \"{style_name}\" == \"Wait\" then
            task.spawn(function() tell(\"wait\")(own:wait()) end)
        end
    end
    if delay > 0 then timer.after(delay, begin) else begin() end
    timer.after(0.5, function() {cause} end)
end"
    )
}

/// What was logged, faults included, in a run of twelve seconds.
fn run(level: &str, texts: &[(&str, &str)]) -> Vec<String> {
    let source = MemorySource::new().with("matrix.json", level);
    let level = load("matrix.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
    let scripts: BTreeMap<String, String> =
        texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let options = RecordOptions { trace: true, ..RecordOptions::default() };
    let mut game =
        Game::load(level, Setup { scripts, recorder: Recorder::new(options), ..Setup::default() }).unwrap();
    let mut lines = game.start_facts().lines;
    for _ in 0..720 {
        lines.extend(game.tick(&[]).lines);
    }
    lines.extend(game.end().lines);
    let lines = lines.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let told = lines.filter_map(|line| {
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        match line["e"].as_str() {
            Some("log") => Some(text("message")),
            Some("scriptFault") => Some(format!("fault: {}", text("message"))),
            Some("notice") => Some(format!("notice: {} {}", text("what"), text("why"))),
            _ => None,
        }
    });
    told.collect()
}

fn expected(end: &str, style: Style) -> Vec<String> {
    let specific = match end.split('/').next() {
        Some("arrived") => "onArrived",
        Some("cancelled") => "onCancelled",
        _ => "onFailed",
    };
    match style {
        Style::Handlers => vec![format!("{specific} {end}"), format!("onSettled {end}")],
        Style::Handle => vec![format!("result {end}")],
        Style::Wait => vec![format!("wait {end}")],
        Style::Walk => vec![format!("walk {end}")],
    }
}

#[test]
fn every_cause_ends_a_walk_the_same_in_every_style() {
    let mut wrong = Vec::new();
    for (name, case) in CASES {
        for &style in case.styles {
            let level = LEVEL.replacen(case.level.0, case.level.1, 1);
            let told = run(&level, &[("level.lua", &script(case, style)), ("ben.lua", "return {}")]);
            if told != expected(case.end, style) {
                wrong.push(format!("{name}, {style:?}: expected {}, told {told:?}", case.end));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Walks of an owner that ends: its handlers are not called, and everybody else who waits is told.
#[test]
fn a_walk_whose_owner_ends_is_told_to_others_only() {
    let ben = "return { start = function(self)
        local tell = function(r) log.info(\"handler %s\", r.reason) end
        world.character(\"anna\"):walkTo(\"far\", { onCancelled = tell, onSettled = tell })
    end, breakDown = function() error(\"broken\") end }";
    let level_script = |cause: &str| {
        format!(
            "function onStart() timer.after(0.2, function()
                local anna, ben = world.character(\"anna\"), world.character(\"ben\")
                local walk = anna.currentWalk
                task.spawn(function()
                    local r = walk:wait()
                    log.info(\"wait %s/%s\", r.status, r.reason)
                    assert(walk.result == r)
                end)
                timer.after(0.2, function() {cause} end)
            end) end"
        )
    };
    for cause in ["ben:detach()", "ben:despawn()", "ben:attach(\"ben2\")"] {
        let texts = [
            ("level.lua", level_script(cause)),
            ("ben.lua", ben.to_owned()),
            ("ben2.lua", "return {}".to_owned()),
        ];
        let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let told = run(LEVEL, &texts);
        assert_eq!(told, ["notice: undelivered ownerGone", "wait cancelled/ownerGone"], "{cause}");
    }
}

/// Three faults suspend an owner, and its walks end with it: those of a behaviour, and those of the level
/// script.
#[test]
fn a_walk_whose_owner_is_suspended_for_its_faults_ends_once() {
    let begins = "local tell = function(r) log.info(\"handler %s\", r.reason) end
        world.character(\"anna\"):walkTo(\"far\", { onCancelled = tell, onSettled = tell })
        for i = 1, 3 do timer.after(0.3 + 0.1 * i, function() error(\"broken\") end) end";
    let watches = "timer.after(0.2, function()
            local walk = world.character(\"anna\").currentWalk
            local r = walk:wait()
            log.info(\"wait %s/%s\", r.status, r.reason)
            assert(walk.result == r)
        end)";
    for (level, ben) in [(watches, begins), (begins, watches)] {
        let level = format!("function onStart() {level} end");
        let ben = format!("return {{ start = function(self) {ben} end }}");
        let told = run(LEVEL, &[("level.lua", &level), ("ben.lua", &ben)]);
        let (faults, rest): (Vec<&String>, Vec<&String>) =
            told.iter().partition(|line| line.starts_with("fault: "));
        assert_eq!(faults.len(), 3, "{told:?}");
        assert_eq!(rest, ["notice: undelivered ownerGone", "wait cancelled/ownerGone"], "{told:?}");
    }
}

#[test]
fn a_walk_ends_with_the_task_that_waits_in_it() {
    let told = run(
        LEVEL,
        &[
            (
                "level.lua",
                "function onStart()
                    local anna = world.character(\"anna\")
                    local own = task.spawn(function() anna:walk(\"far\") log.info(\"never\") end)
                    timer.after(0.2, function()
                        local walk = anna.currentWalk
                        task.spawn(function() local r = walk:wait() log.info(\"%s/%s\", r.status, r.reason) end)
                        timer.after(0.1, function() own:cancel() end)
                    end)
                end",
            ),
            ("ben.lua", "return {}"),
        ],
    );
    assert_eq!(told, ["cancelled/ownerGone"]);
}

#[test]
fn the_end_of_the_level_is_told_to_handlers_once() {
    let told = run(
        LEVEL,
        &[
            (
                "level.lua",
                "function onStart()
                    local tell = function(r) log.info(\"%s/%s\", r.status, r.reason) end
                    world.character(\"anna\"):walkTo(\"far\", { speed = 0.1, patience = 60, onCancelled = tell, onSettled = tell })
                end",
            ),
            ("ben.lua", "return {}"),
        ],
    );
    assert_eq!(told, ["cancelled/levelEnd", "cancelled/levelEnd"]);
}

/// fault:D11: who stands is not stopped.
#[test]
fn fault_d11_stopping_settles_a_walk_once_and_says_nothing_to_who_stands() {
    let told = run(
        LEVEL,
        &[
            (
                "level.lua",
                "function onStart()
                    local anna = world.character(\"anna\")
                    log.info(\"%s\", tostring(anna:stop()))
                    anna:walkTo(\"far\", { onSettled = function(r) log.info(\"%s/%s\", r.status, r.reason) end })
                    timer.after(0.2, function() log.info(\"%s %s\", tostring(anna:stop()), tostring(anna:stop())) end)
                end",
            ),
            ("ben.lua", "return {}"),
        ],
    );
    assert_eq!(told, ["false", "true false", "cancelled/stopped"]);
}

/// fault:D5: the request is seen at once, the door moves in step 4 of the next tick and waits until nobody
/// stands in it.
#[test]
fn fault_d5_on_arrived_may_close_the_door_that_the_walker_stands_in() {
    let told = run(
        LEVEL,
        &[
            (
                "level.lua",
                "function onStart()
                    local anna, door = world.character(\"anna\"), world.door(\"gate\")
                    door:set(true, { instant = true })
                    anna:walkTo(20.5, 10, { speed = 20, onArrived = function()
                        local move = door:close()
                        log.info(\"%s, %d inside\", door.state, #door:occupants())
                        task.sleep(1)
                        log.info(\"%s\", door.state)
                        anna:walkTo(15, 10)
                        log.info(\"%s\", move:wait().reason)
                    end })
                end",
            ),
            ("ben.lua", "return {}"),
        ],
    );
    assert_eq!(told, ["open, 1 inside", "open", "done"]);
}
