//! Above and below: what a character on another layer or floor is to those that follow it, flee from it, or
//! ask about it.
//!
//! Goal: near means near on its own floor; a question about a character is one about its own floor. Method:
//! two floors, with stairs between them and without, as layers of tiles of several layouts and as one mesh;
//! the oracle of every answer is how a walk to the character with `accept = "exact"` ends.

use crate::crowd::beside_goals::said;

/// Two floors of 12 by 4 tiles, with stairs in the east if there are any.
fn tiles(layout: &str, stairs: &str) -> String {
    let floor = |from: &str| {
        let rows = [format!("{from}..........."), "............".to_owned(), "............".to_owned()];
        let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
        rows.join(",")
    };
    format!(
        r#"{{ "kind": "tiles", "layout": "{layout}", "agentRadius": 0, "layers": [
            {{ "name": "ground", "rows": [{}] }}, {{ "name": "up", "rows": [{}, "BBBB........"] }} ],
          "legend": {{ "B": {{ "area": "balcony" }} }}, "links": [{stairs}] }}"#,
        floor(".") + ", \"............\"",
        floor(".")
    )
}

/// A floor, another three metres above it, and a ramp from one to the other if it is walked.
fn mesh(ramp: &str) -> String {
    format!(
        r#"{{ "kind": "mesh", "vertices": [[0, 0, 0], [10, 0, 0], [10, 0, 4], [0, 0, 4], [-2, 0, 0], [-2, 0, 4],
            [0, 0, 6], [-2, 0, 6], [10, 3, 4], [10, 3, 6], [12, 3, 4], [12, 3, 6], [10, 3, 0], [12, 3, 0], [0, 3, 0], [0, 3, 4]],
          "polygons": [[0, 1, 2, 3], [4, 0, 3, 5], [5, 3, 6, 7], {ramp} [8, 10, 11, 9], [12, 13, 10, 8], [14, 12, 8, 15]] }}"#
    )
}

const STAIRS: &str = r#"{ "from": { "layer": "up", "position": [8.5, 1.5] },
    "to": { "layer": "ground", "position": [8.5, 1.5] }, "cost": 2 }"#;

/// Every kind of two floors: with the layer and height of the upper one, and whether a way leads there.
fn houses() -> Vec<(String, String, bool)> {
    let mut houses = Vec::new();
    for layout in ["square8", "square4", "hexPointy", "hexFlat"] {
        let up = r#""position": [4.5, 1.5], "layer": "up""#;
        houses.push((tiles(layout, STAIRS), up.to_owned(), true));
        houses.push((tiles(layout, ""), up.to_owned(), false));
    }
    let up = r#""position": [5.5, 3, 1.5]"#;
    houses.push((mesh("[3, 8, 9, 6],"), up.to_owned(), true));
    houses.push((mesh(""), up.to_owned(), false));
    houses
}

/// Runs `script` in every house: anna on the ground, bert almost straight above her; `same()` asks whether
/// they are on one floor, `home()` puts her back. It says whether a way leads to bert, then what it found
/// wrong.
fn holds_in_all(script: &str) {
    for (navigation, up, leads) in houses() {
        let people = format!(r#"{{ "name": "bert", {up} }}, {{ "name": "anna", "position": [3.5, 1.5] }}"#);
        let script = format!(
            "local anna, bert, place, layer\n\
             local function same() return anna.layer == bert.layer and math.abs(anna.position.y - bert.position.y) < 1.2 end\n\
             local function home() anna:teleport(place, {{ layer = layer }}) end\n\
             local function check(what, is, wanted) if is ~= wanted then log.info(\"%s: %s\", what, tostring(is)) end end\n\
             function onStart() task.spawn(function()\n\
             anna, bert = world.character(\"anna\"), world.character(\"bert\")\n  place, layer = anna.position, anna.layer\n\
             local exact = anna:walk(bert, {{ accept = \"exact\" }})\n  local leads = exact.status == \"arrived\"\n\
             log.info(\"%s\", tostring(leads))\n  home()\n{script}\nlog.info(\"done\")\nend) end"
        );
        let said = said(&navigation, &people, &script, 12_000);
        assert_eq!(said, [if leads { "true" } else { "false" }, "done"], "{navigation}");
    }
}

#[test]
fn seed_v25_a_follower_is_near_on_the_floor_of_the_one_it_follows() {
    holds_in_all(
        "local followed = anna:follow(bert, { patience = 1 }):wait()\n\
         check(\"follow\", followed.status .. \"/\" .. followed.reason, if leads then \"arrived/reached\" else \"blocked/noPath\")\n\
         check(\"follow on one floor\", same(), leads)\n  home()\n\
         local walk = anna:follow(bert, { keep = true, patience = 1 })\n  task.sleep(40)\n\
         check(\"keep\", if walk.result then walk.result.reason else \"goes on\", if leads then \"goes on\" else \"noPath\")\n\
         check(\"keep on one floor\", same(), leads)\n  walk:stop()\n  home()\n\
         local met = anna:walkTo(bert, { patience = 1 }):wait()\n\
         check(\"walk\", met.status == \"arrived\", leads)\n  check(\"walk on one floor\", same(), leads)",
    );
}

#[test]
fn who_is_spawned_at_a_character_stands_on_its_floor() {
    holds_in_all(
        "for _, beside in { anna, bert } do\n  local name = \"by \" .. beside.name\n\
         local spawned = world.spawn({ name = name, at = beside })\n\
         check(name, if spawned then spawned.layer else \"nowhere\", beside.layer)\nend",
    );
}

#[test]
fn questions_about_a_character_are_about_the_floor_that_it_stands_on() {
    holds_in_all(
        "check(\"canReach\", (anna:canReach(bert)), leads)\n\
         check(\"reachable\", (nav.reachable(anna, bert)), leads)\n\
         check(\"back\", (nav.reachable(bert, anna)), leads)\n\
         check(\"lineOfWalk\", (nav.lineOfWalk(anna, bert)), false)\n\
         local path = nav.findPath(anna, bert)\n  check(\"findPath\", path.status == \"complete\", leads)\n\
         check(\"length\", path.length > 4, leads and true or path.length > 4)\n\
         local asked = nav.requestPath(anna, bert):wait()\n  check(\"requestPath\", asked.status, path.status)\n\
         check(\"requested length\", asked.length, path.length)",
    );
}

/// The layer of a question is that of the goal, as for a walk; a character begins on its own.
#[test]
fn questions_about_a_place_on_another_layer_are_those_of_a_walk_there() {
    const UP_ONLY: &str = r#"{ "from": { "layer": "ground", "position": [8.5, 1.5] },
        "to": { "layer": "up", "position": [8.5, 1.5] }, "bothWays": false }"#;
    let script = "function onStart() task.spawn(function()\n\
        local anna, there = world.character(\"anna\"), vector.create(2.5, 0, 1.5)\n\
        for _, at in { \"ground\", \"up\" } do for _, layer in { \"ground\", \"up\" } do\n\
        anna:teleport(4.5, 1.5, { layer = at })\n\
        local from, walk = anna.position, anna:walk(there, { layer = layer, accept = \"exact\" })\n\
        local leads = walk.status == \"arrived\"\n\
        local function check(what, is) if is ~= leads then log.info(\"%s from %s to %s\", what, at, layer) end end\n\
        check(\"place\", nav.reachable(from, there, { fromLayer = at, layer = layer }))\n\
        check(\"path of a place\", nav.findPath(from, there, { fromLayer = at, layer = layer, ignore = { anna } }).status == \"complete\")\n\
        anna:teleport(4.5, 1.5, { layer = at })\n\
        check(\"canReach\", (anna:canReach(there, { layer = layer })))\n\
        check(\"reachable\", (nav.reachable(anna, there, { layer = layer })))\n\
        check(\"findPath\", nav.findPath(anna, there, { layer = layer }).status == \"complete\")\n\
        check(\"requestPath\", nav.requestPath(anna, there, { layer = layer }):wait().status == \"complete\")\n\
        log.info(\"%s\", tostring(leads))\n  end end\n  log.info(\"done\")\nend) end";
    const PEOPLE: &str = r#"{ "name": "anna", "position": [3.5, 1.5] }"#;
    for layout in ["square8", "square4", "hexPointy", "hexFlat"] {
        for (stairs, leads) in
            [("", [true, false, false, true]), (UP_ONLY, [true, true, false, true]), (STAIRS, [true; 4])]
        {
            let expected: Vec<String> =
                leads.map(|leads| leads.to_string()).into_iter().chain(["done".to_owned()]).collect();
            assert_eq!(said(&tiles(layout, stairs), PEOPLE, script, 12_000), expected, "{layout}, {stairs}");
        }
    }
}

#[test]
fn who_flees_stays_on_its_floor_and_comes_to_an_end() {
    holds_in_all(
        "for _, distance in { 2, 3, 5, 8, 20 } do\n\
         local fled = anna:flee(bert, { distance = distance, patience = 1 })\n\
         local ended = task.timeout(30, fled)\n\
         check(\"flee \" .. distance .. \" ends\", fled.result ~= nil, true)\n\
         check(\"flee on one floor\", same(), false)\n\
         if distance == 2 then check(\"flee\", fled.result and fled.result.status, \"arrived\") end\n\
         fled:stop()\n  home()\nend",
    );
}

#[test]
fn who_wanders_in_an_area_goes_to_the_layer_on_which_it_lies() {
    let script = "function onStart() task.spawn(function()\n\
        local anna = world.character(\"anna\")\n\
        for at, options in { { area = \"balcony\" }, { area = \"balcony\", layer = \"up\" }, { layer = \"up\" } } do\n\
        local walk = anna:wander(options)\n  task.sleep(20)\n\
        log.info(\"%d %s %s\", at, if walk.result then walk.result.reason else \"goes on\", anna.layer)\n\
        walk:stop()\n  anna:teleport(3.5, 1.5, { layer = \"ground\" })\n  end\n\
        log.info(\"%s\", tostring(nav.randomPoint({ reachableFrom = anna, layer = \"up\" }) ~= nil))\nend) end";
    const PEOPLE: &str = r#"{ "name": "anna", "position": [3.5, 1.5] }"#;
    for layout in ["square8", "square4", "hexPointy", "hexFlat"] {
        let said_with = said(&tiles(layout, STAIRS), PEOPLE, script, 6000);
        assert_eq!(said_with, ["1 goes on up", "2 goes on up", "3 goes on up", "true"], "{layout}");
        let said_without = said(&tiles(layout, ""), PEOPLE, script, 6000);
        assert_eq!(
            said_without,
            ["1 noPath ground", "2 noPath ground", "3 noPath ground", "false"],
            "{layout}"
        );
    }
}

#[test]
fn who_goes_straight_up_is_followed_there_and_a_stop_is_on_the_floor_of_the_one_it_is_at() {
    let script = "function onStart() task.spawn(function()\n\
        local anna, bert = world.character(\"anna\"), world.character(\"bert\")\n\
        anna:follow(bert, { keep = true, patience = 2, onSettled = function(result) log.info(\"%s\", result.reason) end })\n\
        task.sleep(5)\n  bert:teleport(bert.position, { layer = \"up\" })\n  task.sleep(25)\n\
        log.info(\"%s %s\", anna.layer, tostring(anna.layer == bert.layer and anna:distanceTo(bert) < 1.4))\n\
        bert:stop()\n  anna:stop()\n  anna:teleport(4.5, 1.5, { layer = \"ground\" })\n\
        anna:patrol({ bert }, { loop = false, patience = 2, onStop = function() log.info(\"stop %s\", anna.layer) end,\n\
        onSettled = function(result) log.info(\"%s\", result.reason) end })\nend) end";
    const PEOPLE: &str =
        r#"{ "name": "anna", "position": [1.5, 1.5] }, { "name": "bert", "position": [5.5, 1.5] }"#;
    for layout in ["square8", "hexPointy"] {
        let with = said(&tiles(layout, STAIRS), PEOPLE, script, 4200);
        assert_eq!(with[..2], ["up true", "stopped"], "{layout}");
        assert_eq!(with[2..], ["stop up", "reached"], "{layout}");
        let without = said(&tiles(layout, ""), PEOPLE, script, 4200);
        assert_eq!(without, ["noPath", "ground false", "nearest"], "{layout}");
    }
}
