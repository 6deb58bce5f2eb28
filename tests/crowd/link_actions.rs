//! Links with an action: who can take them, who is asked to, and how the walk ends.
//!
//! Goal: a walk over such a link settles once, whatever `onTraverse` does. Method: a wall that only a link
//! leads over, on maps of each kind that has links; a character with the tag of the action, a character
//! without.

use std::collections::BTreeMap;

use walkon_runtime::game::event::Event;
use walkon_runtime::game::inputs::{Input, LevelTexts, Reload};
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};

/// A wall along z = 3 and a link over it, two metres long and as expensive as `cost`.
fn tiles(link: &str) -> String {
    format!(
        r#"{{ "kind": "tiles", "layers": [{{ "name": "ground", "rows": [
        "..........", "..........", "..........", "XXXXXXXXXX", "..........", "..........", ".........." ] }}],
        "legend": {{ "X": {{ "walkable": false }} }},
        "links": [{{ "from": {{ "layer": "ground", "position": [5.5, 2.5] }},
                    "to": {{ "layer": "ground", "position": [5.5, 4.5] }}, "cost": 4 {link} }}] }}"#
    )
}

/// The same wall as a gap between two parts of a graph.
fn graph(link: &str) -> String {
    format!(
        r#"{{ "kind": "graph", "points": [[5.5, 0, 0.5], [5.5, 0, 2.5], [5.5, 0, 4.5], [5.5, 0, 6.5]], "links": [[0, 1], [2, 3]],
        "actionLinks": [{{ "from": [5.5, 0, 2.5], "to": [5.5, 0, 4.5], "cost": 4 {link} }}] }}"#
    )
}

/// The same between two areas of a mesh.
fn mesh(link: &str) -> String {
    format!(
        r#"{{ "kind": "mesh", "agentRadius": 0.3, "areas": [
        {{ "name": "near", "polygon": [[0, 0], [10, 0], [10, 3], [0, 3]] }},
        {{ "name": "far", "polygon": [[0, 4], [10, 4], [10, 7], [0, 7]] }} ],
        "actionLinks": [{{ "from": [5.5, 2.5], "to": [5.5, 4.5], "cost": 4 {link} }}] }}"#
    )
}

/// The wall on every kind of map that has links.
pub(crate) fn kinds() -> [String; 3] {
    [tiles(CLIMB), graph(CLIMB), mesh(CLIMB)]
}

/// A graph on two floors: the way up leads past below the place where the link begins.
const TOWER: &str = r#"{ "kind": "graph",
    "points": [[0, 0, 0], [3, 0, 0], [6, 0, 0], [9, 1.5, 0], [9, 1.5, 3], [6, 3, 3], [6, 3, 0], [3, 3, 0], [3, 3, -4], [0, 3, -4]],
    "links": [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [8, 9]],
    "actionLinks": [{ "from": [3, 3, 0], "to": [3, 3, -4], "cost": 1, "action": "climb" }] }"#;

/// Goal: a link is taken where it begins, and not below. Method: the way there passes below it, by where the
/// walk is when it begins to climb.
#[test]
fn a_walk_that_passes_below_a_link_takes_it_on_its_own_floor() {
    let json = format!(
        r#"{{ "navigation": {TOWER}, "script": "level.lua", "characters": [
            {{ "name": "anna", "position": [0, 0, 0], "radius": 0.3, "tags": ["climb"] }} ] }}"#
    );
    let level = load("tower.json", &MemorySource::new().with("tower.json", json.as_str())).unwrap();
    let script = "function onStart() world.character(\"anna\"):walkTo(vector.create(0, 3, -4)) end";
    let scripts = BTreeMap::from([("level.lua".to_owned(), script.to_owned())]);
    let mut game = Game::load(level, Setup { scripts, ..Setup::default() }).unwrap();
    let (mut began_at, mut ends) = (Vec::new(), Vec::new());
    for _ in 0..60 * 60 {
        let tick = game.tick(&[]);
        for event in &tick.events {
            match event {
                Event::LinkBegun { .. } => {
                    began_at.push(game.world().characters().next().unwrap().1.body.position)
                }
                Event::WalkSettled(result) => ends.push(result.reason().name()),
                _ => {}
            }
        }
    }
    let [at] = began_at[..] else { panic!("{began_at:?}") };
    assert!((at.y - 3.0).abs() < 0.1, "{at}");
    assert_eq!(ends, ["reached"]);
}

struct Run {
    game: Game,
    /// Ends of walks, links begun, and what scripts said.
    told: Vec<String>,
    /// Who is to blame for each fault.
    blamed: Vec<String>,
}

/// Anna stands on one side of the wall and, as a level script says, walks to the other side.
fn run(navigation: &str, tags: &str, behaviour: &str, script: &str, ticks: u64) -> Run {
    let json = format!(
        r#"{{ "navigation": {navigation}, "script": "level.lua", "marks": {{ "beyond": [5.5, 6.5] }},
        "characters": [{{ "name": "anna", "position": [5.5, 0.5], "walkSpeed": 2, "tags": [{tags}], "behaviour": "anna.lua" }}] }}"#
    );
    let level = load("wall.json", &MemorySource::new().with("wall.json", json.as_str()));
    let level = level.unwrap_or_else(|refused| panic!("{refused:?}"));
    let scripts = BTreeMap::from([
        ("level.lua".to_owned(), script.to_owned()),
        ("anna.lua".to_owned(), format!("local anna = {{}}\n{behaviour}\nreturn anna")),
    ]);
    let recorder = Recorder::new(RecordOptions { trace: true, ..RecordOptions::default() });
    let game = Game::load(level, Setup { scripts, recorder, ..Setup::default() }).unwrap();
    let mut run = Run { game, told: Vec::new(), blamed: Vec::new() };
    (0..ticks).for_each(|_| run.tick());
    run
}

impl Run {
    fn tick(&mut self) {
        let tick = self.game.tick(&[]);
        for event in &tick.events {
            match event {
                Event::WalkSettled(result) => {
                    self.told.push(format!("{}/{}", result.status().name(), result.reason().name()));
                }
                Event::LinkBegun { action, seconds, .. } => self.told.push(format!("{action} {seconds:.1}")),
                _ => {}
            }
        }
        for line in &tick.lines {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            if line["e"] == "scriptFault" {
                self.blamed.push(line["owner"].as_str().unwrap().to_owned());
            }
            if line["e"] == "log" || line["e"] == "scriptFault" {
                self.told.push(line["message"].as_str().unwrap().to_owned());
            }
        }
    }

    fn z(&self) -> f32 {
        let anna = self.game.character("anna").unwrap();
        self.game.pose(anna).unwrap().position[2]
    }
}

const CLIMB: &str = r#", "action": "climb""#;
const GO: &str =
    "function onStart() world.character(\"anna\"):walkTo(\"beyond\", { accept = \"exact\" }) end";

#[test]
fn who_has_the_tag_takes_the_link_in_its_time_and_the_host_hears_of_it() {
    for map in kinds() {
        let run = run(&map, "\"climb\"", "", GO, 480);
        assert_eq!(run.told, ["climb 2.0", "arrived/reached"], "{map}");
        assert!(run.z() > 6.0, "{map}");
    }
}

#[test]
fn who_lacks_the_tag_finds_no_way_and_a_link_without_an_action_is_for_all() {
    for map in kinds() {
        let other = run(&map, "\"swim\"", "", GO, 480);
        assert_eq!(other.told, ["blocked/noPath"], "{map}");
        assert!(other.z() < 3.0, "{map}");
    }
    let other = run(&tiles(""), "", "", GO, 480);
    assert_eq!(other.told, ["arrived/reached"]);
}

#[test]
fn on_traverse_is_handed_the_link_may_wait_and_the_walk_goes_on_when_it_returns() {
    let behaviour = "function anna:onTraverse(link)\n\
        log.info(\"%s %.1f to %.1f, %s\", link.action, link.from.z, link.to.z, link.walk.state)\n  task.sleep(3)\n  log.info(\"over\")\nend";
    for map in kinds() {
        let run = run(&map, "\"climb\"", behaviour, GO, 600);
        assert_eq!(run.told, ["climb 2.0", "climb 2.5 to 4.5, moving", "over", "arrived/reached"], "{map}");
        assert!(run.z() > 6.0, "{map}");
    }
}

#[test]
fn nobody_takes_a_link_back_that_leads_one_way_and_a_way_around_may_be_cheaper() {
    let back = "function onStart() world.character(\"anna\"):teleport(\"beyond\")\n\
        world.character(\"anna\"):walkTo(5.5, 0.5, { accept = \"exact\" }) end";
    for map in kinds() {
        let both = run(&map, "\"climb\"", "", back, 480);
        assert_eq!(both.told.last().map(String::as_str), Some("arrived/reached"), "{map}");
        let one_way = map.replace("\"cost\": 4", "\"cost\": 4, \"bothWays\": false");
        assert_eq!(run(&one_way, "\"climb\"", "", back, 480).told, ["blocked/noPath"], "{map}");
    }
    // The wall ends at x = 8, the way around is some six metres longer than straight on.
    for (cost, expected) in [(2, &["climb 1.0", "arrived/reached"][..]), (40, &["arrived/reached"])] {
        let map = tiles(CLIMB)
            .replace("XXXXXXXXXX", "XXXXXXXX..")
            .replace("\"cost\": 4", &format!("\"cost\": {cost}"));
        assert_eq!(run(&map, "\"climb\"", "", GO, 900).told, expected, "{cost}");
    }
}

#[test]
fn what_on_traverse_does_ends_the_walk_once() {
    for (body, expected) in [
        ("return false", vec!["climb 2.0", "blocked/stuck"]),
        ("task.sleep(60)", vec!["climb 2.0", "blocked/timeout"]),
        ("error(\"slips\")", vec!["climb 2.0", "anna.lua:3: slips", "blocked/stuck"]),
        (
            "self.character:stop()\n  task.sleep(1)\n  log.info(\"not said\")",
            vec!["climb 2.0", "cancelled/stopped"],
        ),
        (
            "self.character:walkTo(5.5, 0.5)\n  task.sleep(1)",
            vec!["climb 2.0", "cancelled/superseded", "arrived/reached"],
        ),
        (
            "task.onCancel(function(why) log.info(why) end)\n  task.sleep(60)",
            vec!["climb 2.0", "blocked/timeout", "ownerGone"],
        ),
    ] {
        let behaviour = format!("function anna:onTraverse(link)\n  {body}\nend");
        let run = run(&tiles(CLIMB), "\"climb\"", &behaviour, GO, 2400);
        assert_eq!(run.told, expected, "{body}");
        assert!(run.z() < 3.0, "{body}");
    }
}

#[test]
fn a_level_names_what_it_allows() {
    let refused = |link: &str| {
        let json = format!(r#"{{ "navigation": {} }}"#, tiles(link));
        load("wall.json", &MemorySource::new().with("wall.json", json.as_str())).unwrap_err().to_string()
    };
    assert!(refused(r#", "action": 3"#).contains("action"));
    assert!(refused(r#", "acton": "climb""#).contains("acton"));
    let links: Vec<String> = (0..33)
        .map(|index| {
            format!(
                r#"{{ "from": {{ "layer": "ground", "position": [0.5, 0.5] }}, "to": {{ "layer": "ground", "position": [5.5, 0.5] }},
                "action": "a{index}" }}"#
            )
        })
        .collect();
    let json = format!(
        r#"{{ "navigation": {{ "kind": "tiles", "layers": [{{ "name": "ground", "rows": [".........."] }}], "links": [{}] }} }}"#,
        links.join(",")
    );
    let refused = load("wall.json", &MemorySource::new().with("wall.json", json.as_str())).unwrap_err();
    assert!(refused.to_string().contains("33 actions, expected 32 at most"), "{refused}");
}

/// Goal: after an edit of the level, links still mean their actions. Method: an edit adds a link whose action
/// comes first in the order of names; a character that may swim alone walks over the wall.
#[test]
fn an_edit_that_adds_an_action_leaves_the_others_to_those_who_may_take_them() {
    let json = |more: &str| {
        let swim = r#", "action": "swim" }, { "from": { "layer": "ground", "position": [1.5, 2.5] },
            "to": { "layer": "ground", "position": [1.5, 4.5] }, "cost": 1 MORE"#;
        format!(
            r#"{{ "navigation": {}, "marks": {{ "beyond": [5.5, 6.5] }}, "script": "level.lua",
            "characters": [{{ "name": "anna", "position": [1.5, 0.5], "walkSpeed": 2, "tags": ["swim"] }}] }}"#,
            tiles(&swim.replace("MORE", more))
        )
    };
    let source = |json: String| MemorySource::new().with("wall.json", json.as_str());
    let level = load("wall.json", &source(json(r#", "action": "swim""#))).expect("a level");
    let script =
        "function onStart() event.on('go', function() world.character('anna'):walkTo('beyond') end) end";
    let scripts = BTreeMap::from([("level.lua".to_owned(), script.to_owned())]);
    let mut run = Run {
        game: Game::load(level, Setup { scripts, ..Setup::default() }).unwrap(),
        told: Vec::new(),
        blamed: Vec::new(),
    };
    run.tick();
    let files = BTreeMap::from([("wall.json".to_owned(), json(r#", "action": "crawl""#).into_bytes())]);
    let level = LevelTexts { path: "wall.json".to_owned(), files };
    run.game.tick(&[Input::Reload(Reload { scripts: BTreeMap::new(), level: Some(level) })]);
    run.game.tick(&[Input::event("go")]);
    (0..900).for_each(|_| run.tick());
    assert_eq!(run.told.last().map(String::as_str), Some("arrived/reached"), "{:?}", run.told);
    assert!(
        run.told.iter().any(|told| told.starts_with("swim")),
        "not the link to crawl over: {:?}",
        run.told
    );
}

#[test]
fn a_scene_has_those_it_walks_take_links_as_their_behaviours_do() {
    let behaviour = "function anna:onTraverse(link)\n\
        log.info(\"%s\", link.action)\n  task.sleep(0.4)\n  log.info(\"over\")\nend";
    let scene = |more: &str| {
        format!(
            "function onStart()\n  local anna = world.character(\"anna\")\n\
             cinematic.define(\"over\", {{ holds = {{ \"anna\" }}, script = function(c)\n\
             local walked = c:walk(anna, \"beyond\")\n  log.info(\"%s\", walked.reason)\nend }})\n\
             local scene = cinematic.play(\"over\")\n{more}\nend"
        )
    };
    for map in kinds() {
        let watched = run(&map, "\"climb\"", behaviour, &scene(""), 480);
        assert_eq!(watched.told, ["climb 2.0", "climb", "over", "arrived/reached", "reached"], "{map}");
        assert!(watched.z() > 6.0, "{map}");
        // Skipped before the link, in the middle of it, and behind it.
        for seconds in ["0", "0.5", "1.2", "1.4", "2"] {
            let skip = format!("timer.after({seconds}, function() scene:skip() end)");
            let mut skipped = run(&map, "\"climb\"", behaviour, &scene(&skip), 480);
            skipped.told.sort();
            let told = ["arrived/skipped", "climb", "climb 2.0", "over", "skipped"];
            assert_eq!(skipped.told, told, "{map}, skipped after {seconds} s");
            assert!(skipped.z() > 6.0, "{map}, skipped after {seconds} s");
        }
    }
}

#[test]
fn what_on_traverse_says_counts_in_a_scene_too_and_ends_with_its_walk() {
    let scene = |more: &str| {
        format!(
            "function onStart()\n  local anna = world.character(\"anna\")\n\
             cinematic.define(\"over\", {{ holds = {{ \"anna\" }}, script = function(c)\n\
             local walk = anna:walkTo(\"beyond\")\n{more}\n  log.info(\"%s\", walk:wait().reason)\nend }})\n\
             cinematic.play(\"over\")\nend"
        )
    };
    for map in kinds() {
        let refused = run(&map, "\"climb\"", "function anna:onTraverse() return false end", &scene(""), 480);
        assert_eq!(refused.told, ["climb 2.0", "blocked/stuck", "stuck"], "{map}");
        let behaviour = "function anna:onTraverse()\n\
            task.onCancel(function() log.info(\"let go\") end)\n  task.sleep(9)\nend";
        let stopped = run(&map, "\"climb\"", behaviour, &scene("c:wait(2) walk:stop()"), 480);
        let mut told = stopped.told;
        told.sort();
        assert_eq!(told, ["cancelled/stopped", "climb 2.0", "let go", "stopped"], "{map}");
        assert!(stopped.game.character("anna").is_some(), "{map}");
    }
}

#[test]
fn a_fault_of_on_traverse_in_a_scene_ends_its_walk_and_names_the_behaviour() {
    let behaviour = "function anna:onTraverse() error(\"slips\") end";
    let scene = "function onStart()\n  local anna = world.character(\"anna\")\n\
        local bert = world.spawn({ name = \"bert\", at = vector.create(5.5, 0, 6) })\n\
        cinematic.define(\"over\", { holds = { \"anna\", \"bert\" }, script = function(c)\n\
        local other = bert:walkTo(vector.create(5.5, 0, 5))\n\
        log.info(\"%s\", anna:walkTo(\"beyond\"):wait().reason)\n\
        log.info(\"bert %s\", other:wait().status)\nend,\n\
        onEnd = function(news) log.info(\"%s\", news.outcome) end })\n\
        cinematic.play(\"over\")\nend";
    for map in kinds() {
        let Run { told, blamed, .. } = run(&map, "\"climb\"", behaviour, scene, 900);
        let is_named = blamed.len() == 1 && blamed[0].contains("anna");
        assert!(is_named, "{map}: {blamed:?}, {told:?}");
        for line in ["blocked/stuck", "stuck", "bert arrived", "finished"] {
            assert!(told.iter().any(|told| told == line), "{map}, no {line}: {told:?}");
        }
    }
}
