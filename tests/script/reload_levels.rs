//! Edits of the level file while it runs: doors, areas, regions, behaviours that are added, renamed, moved or
//! removed.
//!
//! Method: a house of two rooms with a doorway; scripts say what they see, the level file changes under them.

use walkon_runtime::game::inputs::Input;

use crate::script::reload::{Run, diary, edit};

/// Two rooms with a wall between, and what differs: the doorway, doors, regions, marks, the fields of anna.
struct House {
    doorway: &'static str,
    doors: &'static str,
    regions: &'static str,
    far: &'static str,
    anna: &'static str,
}

const DOORWAY: &str = r#"{ "name": "doorway", "polygon": [[10,9],[11,9],[11,11],[10,11]] }"#;
const GATE: &str = r#"{ "name": "gate", "area": "doorway", "seconds": 0.5 }"#;
const YARD: &str = r#"{ "name": "yard", "centre": [6,10], "radius": 1 }"#;

const HOUSE: House = House { doorway: DOORWAY, doors: GATE, regions: YARD, far: "[15,10]", anna: "" };

impl House {
    fn json(&self) -> String {
        r#"{ "seed": 7, "script": "level.lua",
          "navigation": { "agentRadius": 0.35, "objectPadding": 0.0, "areas": [
            { "name": "left", "polygon": [[0,0],[10,0],[10,20],[0,20]] },
            DOORWAY,
            { "name": "right", "polygon": [[11,0],[20,0],[20,20],[11,20]] } ] },
          "doors": [DOORS], "marks": { "far": FAR }, "regions": [REGIONS],
          "characters": [ { "name": "anna", "position": [3,10] ANNA } ] }"#
            .replace("DOORWAY", self.doorway)
            .replace("DOORS", self.doors)
            .replace("FAR", self.far)
            .replace("REGIONS", self.regions)
            .replace("ANNA", self.anna)
    }
}

fn told(run: &mut Run) -> Vec<String> {
    let lines = run.taken().into_iter();
    lines.filter_map(|line| Some(line.split_once(": ")?.1.to_owned())).collect()
}

#[test]
fn the_verbs_of_a_door_that_an_edit_removed_raise_and_its_fields_can_be_read() {
    let level = r#"local gate
    local function try(f, ...) log.info("%s", select(2, pcall(f, ...))) end
    function onStart()
        gate = world.door("gate")
        gate:on("opened", function() log.info("opened") end)
        event.on("ask", function()
            log.info("%s %s %s %s %s", gate.name, gate.area, gate.state, tostring(gate.passable), tostring(gate.locked))
            log.info("%d %s", #world.doors(), tostring(world.findDoor("gate")))
            for _, verb in { "open", "close", "toggle", "lock", "unlock", "occupants" } do try(gate[verb], gate) end
            try(gate.set, gate, true)
            try(gate.on, gate, "opened", print)
            try(world.character("anna").walkTo, world.character("anna"), gate)
        end)
    end"#;
    let mut run = Run::on(&HOUSE.json(), &[("level.lua", level)]);
    run.ticks(1);
    edit(&mut run, &House { doors: "", ..HOUSE }.json());
    let lines = run.taken();
    assert_eq!(lines, ["2+ reload.json; door \"gate\" is gone"]);
    run.input(&[Input::event("ask")]);
    let lines = told(&mut run);
    assert_eq!(lines[..2], ["gate doorway open true false", "0 nil"]);
    let verbs = ["open", "close", "toggle", "lock", "unlock", "occupants", "set", "on", "walkTo"];
    assert_eq!(lines.len(), 2 + verbs.len(), "{lines:?}");
    for (verb, line) in verbs.iter().zip(&lines[2..]) {
        let expected = format!("{verb}: door \"gate\" was removed at tick 2 (an edit of the level)");
        assert!(line.ends_with(&expected), "{line}");
    }
    edit(&mut run, &HOUSE.json());
    run.input(&[Input::event("ask")]);
    let lines = told(&mut run);
    let expected = ["gate doorway closed false false", "1 door \"gate\""];
    assert_eq!(lines[..2], expected, "it is the same door again, as the file says");
    assert_eq!(run.game.fault_count(), 0);
}

#[test]
fn walkers_under_way_arrive_or_learn_that_there_is_no_way_when_a_level_edit_changes_doors() {
    let walks = |doors: &str| {
        format!(
            r#"function onStart()
                local anna = world.character("anna")
                anna:walkTo("far", {{ doors = "{doors}", patience = 1, onSettled = function(r) log.info("%s %s", r.reason, if r.position.x > 10 then "right" else "left") end }})
                world.door("gate"):on("opened", function() log.info("gate opened") end)
            end"#
        )
    };
    let renamed = House { doors: r#"{ "name": "portal", "area": "doorway", "seconds": 0.5 }"#, ..HOUSE };
    let removed = House { doors: "", ..HOUSE };
    let walled =
        House { doorway: r#"{ "name": "left2", "polygon": [[0,0],[1,0],[1,1],[0,1]] }"#, doors: "", ..HOUSE };
    let moved =
        House { doorway: r#"{ "name": "doorway", "polygon": [[10,15],[11,15],[11,17],[10,17]] }"#, ..HOUSE };
    let further = House { far: "[15,4]", ..HOUSE };
    let cases: [(&str, &House, &[&str]); 7] = [
        ("open", &HOUSE, &["gate opened", "reached right"]),
        ("open", &renamed, &["reached right"]),
        ("open", &removed, &["reached right"]),
        ("open", &walled, &["nearest left"]),
        ("open", &moved, &["gate opened", "reached right"]),
        ("wait", &removed, &["reached right"]),
        ("open", &further, &["gate opened", "reached right"]),
    ];
    for (index, (doors, house, expected)) in cases.into_iter().enumerate() {
        let mut run = Run::on(&HOUSE.json(), &[("level.lua", &walks(doors))]);
        run.ticks(60);
        edit(&mut run, &format!("{} ", house.json()));
        run.ticks(1500);
        let lines = told(&mut run);
        assert_eq!(lines, expected, "case {index}");
        assert_eq!(run.game.fault_count(), 0);
    }
}

#[test]
fn a_walker_in_front_of_a_door_goes_on_when_an_edit_takes_it_away_and_one_is_added_before_another() {
    let level = r#"function onStart()
        world.character("anna"):walkTo("far", { doors = "wait", patience = 60, onSettled = function(r) log.info("%s", r.reason) end })
    end"#;
    let mut run = Run::on(&HOUSE.json(), &[("level.lua", level)]);
    run.ticks(600);
    assert_eq!(told(&mut run), Vec::<String>::new(), "it stands at the door");
    edit(&mut run, &House { doors: "", ..HOUSE }.json());
    run.ticks(400);
    assert_eq!(told(&mut run), ["reached"]);
    let mut run = Run::on(&House { doors: "", ..HOUSE }.json(), &[("level.lua", level)]);
    run.ticks(60);
    edit(&mut run, &HOUSE.json());
    run.ticks(600);
    assert_eq!(told(&mut run), Vec::<String>::new(), "the new door is closed");
    let door = run.game.world().find_door("gate").unwrap();
    walkon_runtime::world::ops::doors::open(run.game.world_mut(), door, &Default::default());
    run.ticks(500);
    assert_eq!(told(&mut run), ["reached"]);
}

#[test]
fn watches_of_regions_and_areas_follow_an_edit_of_the_level() {
    let level = r#"function onStart()
        local function watch(name) return { onEnter = function(e) log.info("in %s", name) end, onExit = function(e) log.info("out %s", name) end } end
        region.on("yard", watch("yard"))
        local left = watch("left")
        left.initial = true
        region.area("left", left)
        region.area("right", watch("right"))
        world.character("anna"):walkTo("far", { doors = "open", onSettled = function(r) log.info("%s", r.reason) end })
    end"#;
    let wide = House { regions: r#"{ "name": "yard", "centre": [15,10], "radius": 2 }"#, ..HOUSE };
    let renamed = House { regions: r#"{ "name": "court", "centre": [6,10], "radius": 1 }"#, ..HOUSE };
    let added = House {
        regions: r#"{ "name": "first", "centre": [1,1], "radius": 1 }, { "name": "yard", "centre": [6,10], "radius": 1 }"#,
        doorway: r#"{ "name": "den", "polygon": [[0,20],[5,20],[5,22],[0,22]] }, { "name": "doorway", "polygon": [[10,9],[11,9],[11,11],[10,11]] }"#,
        ..HOUSE
    };
    let cases: [(&House, &[&str], &str); 3] = [
        (&wide, &["out left", "in right", "in yard", "reached"], ""),
        (
            &renamed,
            &["out left", "in right", "reached"],
            "; region \"yard\" is gone; level script: handlers ended with what they watched; save its script to make them again",
        ),
        (&added, &["in yard", "out yard", "out left", "in right", "reached"], ""),
    ];
    for (index, (house, expected, note)) in cases.into_iter().enumerate() {
        let mut run = Run::on(&HOUSE.json(), &[("level.lua", level)]);
        run.ticks(5);
        assert_eq!(told(&mut run), ["in left"]);
        edit(&mut run, &house.json());
        assert_eq!(run.taken(), [format!("6+ reload.json{note}")], "case {index}");
        run.ticks(1200);
        assert_eq!(told(&mut run), expected, "case {index}: nobody enters twice");
        assert_eq!(run.game.fault_count(), 0);
    }
}

#[test]
fn a_mark_that_an_edit_moves_is_found_at_its_new_place() {
    let level = r#"function onStart()
        log.info("%d", nav.mark("far").position.z)
        event.on("ask", function() log.info("%d", nav.mark("far").position.z) end)
    end"#;
    let mut run = Run::on(&HOUSE.json(), &[("level.lua", level)]);
    edit(&mut run, &House { far: "[15,4]", ..HOUSE }.json());
    run.input(&[Input::event("ask")]);
    assert_eq!(told(&mut run), ["10", "4"]);
}

#[test]
fn other_parameters_start_the_behaviour_again_and_another_behaviour_takes_its_place() {
    let params = r#"b.params = { pace = { type = "number", default = 1 } }
        function b:update() if not self.told then self.told = true log.info("pace %d", self.params.pace) end end"#;
    let (anna, ben) = (diary("anna", params), diary("ben", ""));
    let files = [("level.lua", ""), ("anna.lua", &*anna), ("ben.lua", &*ben)];
    let with = |anna| House { anna, ..HOUSE }.json();
    let mut run = Run::on(&with(r#", "behaviour": "anna.lua""#), &files);
    run.ticks(2);
    assert_eq!(told(&mut run), ["anna init", "anna start attach 1", "pace 1"]);
    edit(&mut run, &with(r#", "behaviour": "anna.lua", "params": { "pace": 3 }"#));
    assert_eq!(told(&mut run), ["anna stop reload", "anna start reload 2", "pace 3"]);
    edit(&mut run, &with(r#", "behaviour": "anna.lua", "params": { "pace": "fast" }"#));
    let refused = run.taken();
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert!(refused[0].starts_with("4- ") && refused[0].contains("params.pace"), "{refused:?}");
    edit(&mut run, &with(r#", "behaviour": "ben.lua""#));
    assert_eq!(told(&mut run), ["anna stop detached", "ben init", "ben start attach 1"]);
    edit(&mut run, &with(""));
    run.ticks(2);
    assert_eq!(told(&mut run), ["ben stop detached"]);
    edit(&mut run, &with(r#", "behaviour": "ben.lua""#));
    assert_eq!(told(&mut run), ["ben init", "ben start attach 1"]);
}

/// Goal: a level that the game itself is given has the parameters that it could start with. Method: the same
/// edit with the parameter left behind and with it carried along; what is refused changes nothing.
#[test]
fn an_edit_that_takes_away_what_parameters_name_is_refused() {
    let post = r#"return { params = { post = { type = "mark" } }, start = function(self) log.info("at %s", self.params.post) end }"#;
    let level = |far: &str, name: &str| {
        let anna = r#", "behaviour": "post.lua", "params": { "post": "far" }"#;
        HOUSE.json().replace(r#""far": [15,10]"#, &format!(r#""{far}": [15,10]"#)).replace(
            r#""position": [3,10] "#,
            &format!(r#""position": [3,10]{}"#, anna.replace(r#""far""#, &format!(r#""{name}""#))),
        )
    };
    let mut run = Run::on(&level("far", "far"), &[("level.lua", ""), ("post.lua", post)]);
    run.ticks(1);
    assert_eq!(told(&mut run), ["at far"]);
    edit(&mut run, &level("fars", "far"));
    let refused = run.taken().join("\n");
    assert!(refused.contains("unknown mark \"far\"; did you mean \"fars\"?"), "{refused}");
    assert!(refused.contains("reload.json:"), "{refused}");
    assert!(run.game.world().mark("far").is_some(), "the old level stays");
    edit(&mut run, &level("fars", "fars"));
    assert_eq!(told(&mut run).last().map(String::as_str), Some("at fars"));
    assert_eq!(run.game.fault_count(), 0);
}
