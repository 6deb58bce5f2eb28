//! Edits of the level file while it runs: doors, areas, regions, behaviours that are added, renamed, moved or
//! removed.
//!
//! Method: a house of two rooms with a doorway; scripts say what they see, the level file changes under them.

use walkon_runtime::game::inputs::{Input, Reload};

use crate::script::reload::{Run, diary, edit, save};

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

/// The house with anna, who walks, ben, who follows her, and a watch for each kind of ground; what an edit of
/// the level can change is replaced in it.
fn busy_house(changes: &[(&str, &str)]) -> String {
    let people = r#"{ "name": "anna", "position": [3,10], "behaviour": "anna.lua" },
        { "name": "ben", "position": [5,12], "behaviour": "ben.lua" }, { "name": "carl", "position": [7,7] }"#;
    let mut json = HOUSE.json();
    let start = json.find(r#"{ "name": "anna""#).unwrap();
    json.replace_range(start..json.rfind(']').unwrap(), people);
    for (from, to) in changes {
        assert!(json.contains(from), "{from}");
        json = json.replace(from, to);
    }
    json
}

const BUSY_LEVEL: &str = r#"function onStart()
    region.on("yard", { onEnter = function(e) log.info("%s in the yard", e.character.name) end })
    region.area("left", { initial = true, onEnter = function(e) log.info("%s left", e.character.name) end,
        onExit = function(e) log.info("%s not left", e.character.name) end })
    event.on("spawned", function(e) log.info("spawned %s", e.name) end)
    event.on("despawned", function(e) log.info("despawned %s", e.name) end)
    event.on("walkSettled", function(r) log.info("settled %s", r.reason) end)
    world.door("gate"):on("opened", function() log.info("gate opened") end)
    world.character("carl"):walkTo(world.character("ben"))
end"#;

const BUSY_BEN: &str = r#"local b = {}
    function b:start() region.near(self.character, 2, { onEnter = function(e) log.info("ben sees %s", e.character.name) end }) end
    function b:run() self.character:follow(world.character("anna"), { distance = 2 }) end
    function b:stop(why) log.info("ben stops %s", why) end
    return b"#;

/// Anna's behaviour: walks by a named handler, watches, draws random numbers; `first` begins `start`.
fn busy_anna(first: &str) -> String {
    r#"local b = {}
    function b:back(r) log.info("back %s %d", r.reason, self.rng:int(1, 1000)) end
    function b:start(why)
        FIRST
        region.near(self.character, 3, { onEnter = "near" })
        timer.every(0.7, "tick")
        nav.block(vector.create(18, 0, 18), 0.5)
        if why == "attach" then self.character:walkTo("far", { doors = "open", onSettled = "back" }) end
    end
    function b:near(e) log.info("near %s", e.character.name) end
    function b:tick() self.state.ticks = (self.state.ticks or 0) + 1 log.info("tick %d", self.state.ticks) end
    function b:stop(why) log.info("anna stops %s", why) end
    return b"#
        .replace("FIRST", first)
}

/// Law: where new code faults, the level that was saved with it changes nothing, whatever it would have
/// changed and whatever the new code did in it: from then on the run is, bit for bit, one in which the
/// scripts alone had been saved. Oracle: that run.
#[test]
fn a_level_that_goes_with_refused_scripts_leaves_no_trace() {
    let sign = (r#""marks": {"#, r#""marks": { "sign": [1,1],"#);
    let edits: &[&[(&str, &str)]] = &[
        &[],
        &[(GATE, "")],
        &[(GATE, ""), (DOORWAY, r#"{ "name": "hole", "polygon": [[10,15],[11,15],[11,17],[10,17]] }"#)],
        &[(
            DOORWAY,
            r#"{ "name": "den", "polygon": [[0,20],[5,20],[5,22],[0,22]] }, { "name": "doorway", "polygon": [[10,9],[11,9],[11,11],[10,11]] }"#,
        )],
        &[(YARD, r#"{ "name": "court", "centre": [15,10], "radius": 2 }"#)],
        &[("[[0,0],[10,0],[10,20],[0,20]]", "[[0,9],[10,9],[10,20],[0,20]]")],
        &[(r#", { "name": "carl", "position": [7,7] }"#, "")],
        &[(
            r#""ben", "position": [5,12], "behaviour": "ben.lua""#,
            r#""dora", "position": [5,12], "behaviour": "ben.lua""#,
        )],
        &[(
            r#"{ "name": "carl","#,
            r#"{ "name": "first", "position": [9,9], "behaviour": "ben.lua" }, { "name": "carl","#,
        )],
        &[(
            r#""carl", "position": [7,7]"#,
            r#""carl", "radius": 0.2, "tags": ["thin"], "position": [7,7], "behaviour": "ben.lua""#,
        )],
        &[(r#""ben", "position": [5,12], "behaviour": "ben.lua""#, r#""ben", "position": [5,12]"#)],
    ];
    let deeds = [
        "",
        r#"self.character:walkTo(vector.create(3, 0, 3), { onSettled = "back" })"#,
        "self.character:teleport(2, 2)",
        "self.character:stop()",
        r#"world.spawn({ name = "newcomer", at = vector.create(2, 0, 2) }):attach("ben.lua")"#,
        r#"world.character("carl"):despawn() self.character:despawn()"#,
        r#"world.character("anna"):detach()"#,
        r#"cinematic.define("talk", { holds = { "carl" }, script = function() log.info("talk") end }) cinematic.play("talk")"#,
        r#"event.emit("spawned", { name = "nobody" }) world.door("gate"):lock()"#,
        r#"self.character:setSpeed(3) self.character:face(vector.zero) nav.addMark("made", vector.create(4, 0, 4))"#,
        r#"state.word = "new" self.state.ticks = 99 self.rng:int(1, 6) nav.setAreaAvailable("right", false)"#,
    ];
    for edit in edits {
        for deed in deeds {
            let changes: Vec<(&str, &str)> = edit.iter().copied().chain([sign]).collect();
            let wrong = busy_anna(&format!(r#"if pcall(nav.mark, "sign") then {deed} end error("no")"#));
            let with = run_refused(&wrong, Some(&busy_house(&changes)));
            let without = run_refused(&wrong, None);
            assert_eq!(with.len(), without.len());
            for (tick, (with, without)) in with.iter().zip(&without).enumerate() {
                assert_eq!(with, without, "tick {tick} after the save, {edit:?} {deed}");
            }
        }
    }
}

/// The hash and the lines of each tick from a save on that is refused.
fn run_refused(wrong: &str, level: Option<&str>) -> Vec<(String, Vec<String>)> {
    let files = [("level.lua", BUSY_LEVEL), ("anna.lua", &*busy_anna("")), ("ben.lua", BUSY_BEN)];
    let mut run = Run::on(&busy_house(&[]), &files);
    run.ticks(80);
    run.forget();
    save(&mut run, &[("anna.lua", wrong)], level);
    assert_eq!(run.facts("reloadRefused").len(), 1);
    let mut told = Vec::new();
    for _ in 0..120 {
        let facts = run.facts_but(&["input", "reloadRefused"]);
        told.push((format!("{:?}", run.game.fingerprint()), facts));
        run.forget();
        run.ticks(1);
    }
    told
}

/// A level whose parameters a behaviour does not stand is refused whole, and comes with the script that does.
#[test]
fn a_level_that_scripts_refuse_comes_with_the_script_that_takes_it() {
    let anna = |most: u32| {
        format!(
            r#"local b = {{ params = {{ n = {{ type = "number", default = 1 }} }} }}
            function b:start(why) if self.params.n > {most} then error("too many") end log.info("%s %d", why, self.params.n) end
            return b"#
        )
    };
    let given = |n: u32| format!(r#", "behaviour": "anna.lua", "params": {{ "n": {n} }}"#);
    let level = |n: u32, doors: &'static str| House { anna: given(n).leak(), doors, ..HOUSE }.json();
    let mut run =
        Run::on(&level(1, GATE), &[("level.lua", ""), ("anna.lua", &anna(5)), ("ben.lua", "return {}")]);
    run.ticks(2);
    assert_eq!(told(&mut run), ["attach 1"]);
    edit(&mut run, &level(9, ""));
    let lines = run.taken();
    assert!(
        lines[0].ends_with("reload 1") && lines[1].contains("- anna.lua:") && lines.len() == 2,
        "{lines:?}"
    );
    assert!(run.game.world().find_door("gate").is_some());
    run.reload(&[("ben.lua", "return { run = function() end }")]);
    assert!(run.game.world().find_door("gate").is_some(), "a script that has nothing to do with it");
    run.taken();
    run.reload(&[("anna.lua", &anna(6))]);
    assert_eq!(told(&mut run).last().map(String::as_str), Some("reload 1"), "it is right without the level");
    assert!(run.game.world().find_door("gate").is_some());
    run.reload(&[("anna.lua", &anna(10))]);
    let lines = run.taken();
    assert!(lines[0].ends_with(": reload 9"), "{lines:?}");
    assert!(lines[1].ends_with("+ anna.lua reload.json; door \"gate\" is gone"), "{lines:?}");
    assert!(run.game.world().find_door("gate").is_none());
    assert_eq!(run.game.fault_count(), 0);
}

/// A level that names what no script has comes with the script that has it, and keeps no other out meanwhile.
#[test]
fn a_level_that_lacks_something_comes_with_the_script_that_has_it() {
    let given = r#", "behaviour": "new.lua", "params": { "n": 9 }"#;
    let new =
        |params: &str| format!("return {{ {params} start = function(self, why) log.info('%s', why) end }}");
    let takes = new("params = { n = { type = 'number', default = 1 } },");
    let level = House { anna: given, doors: "", ..HOUSE }.json();
    for with in [None, Some(new(""))] {
        let mut run = Run::on(&HOUSE.json(), &[("level.lua", ""), ("ben.lua", "return {}")]);
        run.ticks(2);
        match &with {
            None => edit(&mut run, &level),
            Some(new) => save(&mut run, &[("new.lua", new)], Some(&level)),
        }
        run.reload(&[("ben.lua", "return { run = function() end }")]);
        let lines = run.taken();
        assert!(lines.len() == 2 && lines[0].contains("- ") && lines[1].contains("+ ben.lua"), "{lines:?}");
        assert!(run.game.world().find_door("gate").is_some());
        run.reload(&[("new.lua", &takes)]);
        let lines = run.taken();
        assert!(lines.iter().any(|line| line.ends_with(": attach")), "{lines:?}");
        assert!(run.game.world().find_door("gate").is_none(), "{lines:?}");
        assert_eq!(run.game.fault_count(), 0);
    }
}

/// Law: a character that a save removes hears of its removal and of nothing else, in its old code. The rest
/// of the save takes effect: new code of the same file and of other files, and the character in its place.
#[test]
fn one_that_a_save_removes_is_told_so_and_keeps_nothing_out() {
    let cook = |word: &str| {
        format!(
            r#"local b = {{}}
            function b:start(why) region.near(self.character, 2, {{}}) log.info("%s start %s {word}", self.character.name, why) end
            function b:stop(why) log.info("%s stop %s {word}", self.character.name, why) end
            return b"#
        )
    };
    let with = |people: &str| {
        busy_house(&[])
            .replace(r#""behaviour": "anna.lua" }"#, &format!(r#""behaviour": "cook.lua" }}{people}"#))
    };
    let extra = r#"{ "name": "extra", "position": [2,2], "behaviour": "cook.lua" }"#;
    let helper = extra.replace("extra", "helper");
    let people = |extra: &str| with(extra).replace(r#", "behaviour": "ben.lua""#, "");
    for (now, expected) in [
        (
            format!(", {helper}"),
            &[
                "anna stop reload old",
                "anna start reload new",
                "helper start attach new",
                "extra stop despawned old",
            ][..],
        ),
        (String::new(), &["anna stop reload old", "anna start reload new", "extra stop despawned old"][..]),
    ] {
        let mut run =
            Run::on(&people(&format!(", {extra}")), &[("level.lua", ""), ("cook.lua", &cook("old"))]);
        run.ticks(2);
        run.taken();
        save(&mut run, &[("cook.lua", &cook("new"))], Some(&people(&now)));
        run.ticks(2);
        let lines = run.taken();
        let said: Vec<&str> = lines.iter().filter_map(|line| Some(line.split_once(": ")?.1)).collect();
        assert_eq!(said, expected, "{lines:?}");
        assert_eq!((run.facts("reloaded").len(), run.game.fault_count()), (1, 0), "{lines:?}");
    }
}

/// The same of one that the host removes, or that other new code removes first.
#[test]
fn one_that_is_removed_as_code_changes_is_told_so_alone() {
    let cook = |word: &str| {
        format!(
            r#"local b = {{}}
            function b:start(why) log.info("%s start %s {word}", self.character.name, why) self.character:face(vector.zero) end
            function b:stop(why) log.info("%s stop %s {word}", self.character.name, why) end
            return b"#
        )
    };
    let level = |tail: &str| format!("local lib = require('lib') function onStart(why) {tail} end");
    let lib = |word: &str| format!("return '{word}'");
    let people =
        busy_house(&[]).replace(r#""anna.lua""#, r#""cook.lua""#).replace(r#""ben.lua""#, r#""cook.lua""#);
    for does_host in [true, false] {
        for fails in ["", "error('no')"] {
            let old = format!("local lib = require('lib') {}", cook("old"));
            let begin = || {
                Run::on(
                    &people,
                    &[("level.lua", &*level("")), ("cook.lua", &*old), ("lib.lua", &*lib("old"))],
                )
            };
            let mut run = begin();
            run.ticks(2);
            run.taken();
            let new = format!("local lib = require('lib') {}", cook("new"));
            let new = new.replace("function b:start(why)", &format!("function b:start(why) {fails}"));
            let removes = level("world.character('ben'):despawn()");
            let scripts = if does_host {
                vec![("cook.lua", new)]
            } else {
                vec![("cook.lua", new), ("level.lua", removes)]
            };
            let scripts = scripts.into_iter().map(|(path, text)| (path.to_owned(), Some(text))).collect();
            let remove = Input::Remove { character: "ben".to_owned() };
            let reload = Input::Reload(Reload { scripts, level: None });
            run.input(&if does_host { vec![remove, reload] } else { vec![reload] }).ticks(2);
            let lines = run.taken();
            let of_ben: Vec<&str> =
                lines.iter().filter_map(|line| line.split_once(": ")?.1.strip_prefix("ben ")).collect();
            assert_eq!(of_ben, ["stop despawned old"], "{does_host} {fails}: {lines:?}");
            assert_eq!(run.game.fault_count(), 0, "{lines:?}");
        }
    }
}
