//! What pictures show of people, watches, padding and searches, and what animations say.
//!
//! Goal: a reader can tell which character is which and why. Method: the real program draws SVG, whose shapes
//! say what they show; animations are compared with the same animation without words.

use std::collections::BTreeSet;

use crate::cli::commands::Project;

/// A yard in which three people walk, one stands, and a script watches and speaks.
fn project() -> Project {
    let project = Project::new();
    project.write(
        "levels/square.json",
        r#"{ "script": "square.lua",
          "navigation": { "cellSize": 0.5, "agentRadius": 0.4, "objectPadding": 0.4,
            "areas": [ { "name": "a", "polygon": [[0,0],[16,0],[16,12],[0,12]] } ],
            "obstacles": [ { "name": "well", "polygon": [[7,5],[9,5],[9,7],[7,7]] } ] },
          "marks": { "spot": [12, 9] },
          "characters": [
            { "name": "anna", "position": [2, 2] }, { "name": "bert", "position": [2, 6] },
            { "name": "carl", "position": [2, 10] }, { "name": "hero", "position": [14, 2], "player": true } ] }"#,
    );
    project.write(
        "scripts/square.lua",
        "function onStart()
          for name, z in { anna = 2, bert = 6, carl = 10 } do world.character(name):walkTo(14, z) end
          region.near('spot', 1.5, { onEnter = function() end })
          region.near(world.character('anna'), 2, { onEnter = function() end })
        end
        function onTick() if level.tick == 20 then event.emit('bell') end end",
    );
    project
}

/// The value of an attribute of every shape of a kind, words left out.
fn values<'a>(svg: &'a str, kind: &str, attribute: &str) -> Vec<&'a str> {
    let kind = format!("data-kind=\"{kind}\"");
    let tags = svg.split('<').filter(|tag| tag.contains(&kind) && !tag.starts_with("text"));
    let of = |tag: &'a str| tag.split(&format!(" {attribute}=\"")).nth(1)?.split('"').next();
    tags.filter_map(of).collect()
}

#[test]
fn people_are_told_apart_by_colour_and_each_path_has_that_of_its_walker() {
    let project = project();
    project.expect(0, &["draw", "square", "--tick", "30", "--out", "square.svg"]);
    let svg = project.read("square.svg");
    let bodies: Vec<&str> =
        values(&svg, "character", "fill").into_iter().filter(|fill| *fill != "none").collect();
    let people: BTreeSet<&str> = bodies.iter().copied().collect();
    assert_eq!(people.len(), 4, "three people and the player: {bodies:?}");
    let paths: BTreeSet<&str> =
        values(&svg, "walk", "stroke").into_iter().filter(|stroke| people.contains(stroke)).collect();
    assert_eq!(paths.len(), 3, "{:?} of {people:?}", values(&svg, "walk", "stroke"));
    for word in
        ["anna", "bert", "carl", "player", "path", "goal", "velocity", "desired velocity", "padding", "watch"]
    {
        assert!(svg.contains(&format!(">{word}</text>")), "{word} is in the legend");
    }
}

#[test]
fn many_people_have_the_colour_of_their_first_tag() {
    let project = project();
    let person = |number: usize| {
        let tag = if number < 8 { "guards" } else { "guests" };
        format!("{{ \"name\": \"p{number}\", \"position\": [{}, 10], \"tags\": [\"{tag}\"] }}", 1 + number)
    };
    let people: Vec<String> = (0..13).map(person).collect();
    let level = format!(
        "{{ \"navigation\": {{ \"areas\": [ {{ \"name\": \"a\", \"polygon\": [[0,0],[16,0],[16,12],[0,12]] }} ] }},
           \"characters\": [ {} ] }}",
        people.join(", ")
    );
    project.write("levels/many.json", &level);
    project.expect(0, &["draw", "many", "--out", "many.svg"]);
    let svg = project.read("many.svg");
    let fills: BTreeSet<&str> =
        values(&svg, "character", "fill").into_iter().filter(|fill| *fill != "none").collect();
    assert_eq!(fills.len(), 2, "{fills:?}");
    assert!(svg.contains(">guards</text>") && svg.contains(">guests</text>"));
}

#[test]
fn watches_are_circles_at_their_place_or_around_their_character() {
    let project = project();
    project.expect(0, &["draw", "square", "--tick", "30", "--out", "watched.svg"]);
    assert_eq!(values(&project.read("watched.svg"), "watch", "data-key").len(), 2);
    project
        .expect(0, &["draw", "square", "--tick", "30", "--layers", "cells,characters", "--out", "bare.svg"]);
    assert_eq!(values(&project.read("bare.svg"), "watch", "data-key").len(), 0);
}

#[test]
fn options_of_an_animation_are_not_taken_for_a_picture() {
    let project = project();
    for option in [&["--ticks", "1..9"], &["--every", "2"], &["--fps", "10"]] {
        for out in [&["--out", "square.svg"] as &[&str], &[]] {
            let (_, err) =
                project.expect(2, &[["draw", "square"].as_slice(), option.as_slice(), out].concat());
            assert!(err.contains("--gif"), "{option:?} {out:?}: {err}");
        }
    }
}

#[test]
fn a_tick_behind_the_end_of_a_run_is_drawn_with_a_word_about_it() {
    let project = project();
    let script = "function onTick() if level.tick == 5 then level.finish(true) end end";
    project.write("scripts/ends.lua", script);
    let areas = r#""navigation": { "areas": [ { "name": "a", "polygon": [[0,0],[8,0],[8,8],[0,8]] } ] }"#;
    project.write("levels/ends.json", &format!("{{ {areas}, \"script\": \"ends\" }}"));
    let (_, err) = project.expect(0, &["draw", "ends", "--tick", "9"]);
    assert!(err.contains("the level's script ends the run in tick 5; tick 9 shows how"), "{err}");
    let (_, err) = project.expect(0, &["draw", "ends", "--tick", "5"]);
    assert_eq!(err, "");
    project.expect(0, &["run", "ends", "--trace", "ends.jsonl"]);
    let (_, err) = project.expect(0, &["draw", "ends.jsonl", "--tick", "7"]);
    assert!(err.contains("the trace ends in tick 5"), "{err}");
}

#[test]
fn a_watch_along_walkable_lines_shows_what_it_sees() {
    let project = project();
    let outline = || {
        project.expect(0, &["draw", "square", "--tick", "1", "--out", "seen.svg"]);
        let svg = project.read("seen.svg");
        let watches = values(&svg, "watch", "points").into_iter().chain(values(&svg, "watch", "d"));
        (svg.contains(">seen by a watch</text>"), watches.map(str::to_owned).collect::<Vec<_>>())
    };
    assert!(!outline().0);
    let text = project.read("scripts/square.lua");
    project.write("scripts/square.lua", &text.replace("'spot', 1.5, {", "'spot', 6, { lineOfWalk = true,"));
    let (is_told, around_the_well) = outline();
    assert!(is_told && !around_the_well.is_empty());
    let level = project.read("levels/square.json");
    project.write(
        "levels/square.json",
        &level.replace("[[7,5],[9,5],[9,7],[7,7]]", "[[1,0],[2,0],[2,1],[1,1]]"),
    );
    assert_ne!(outline().1, around_the_well, "the well hides what is behind it");
}

#[test]
fn padding_lies_around_obstacles_and_only_there() {
    let project = project();
    project.expect(0, &["draw", "square", "--out", "padded.svg"]);
    assert_eq!(values(&project.read("padded.svg"), "cells", "data-key"), ["free", "padding", "blocked"]);
    let bare = project.read("levels/square.json").replace("\"agentRadius\": 0.4", "\"agentRadius\": 0.0");
    project.write("levels/square.json", &bare.replace("\"objectPadding\": 0.4", "\"objectPadding\": 0.0"));
    project.expect(0, &["draw", "square", "--out", "bare.svg"]);
    assert_eq!(values(&project.read("bare.svg"), "cells", "data-key"), ["free", "blocked"]);
}

#[test]
fn a_search_on_tiles_shows_what_it_looked_at() {
    let project = project();
    project.write(
        "levels/field.json",
        r#"{ "navigation": { "kind": "tiles", "legend": { "~": { "terrain": "water" }, "m": { "terrain": "mud" } },
            "layers": [ { "name": "ground", "rows": [
              "............", "..mmmm......", "..m###......", "..m..#..mm..", ".....#..mm..", "............" ] } ] } }"#,
    );
    project.expect(0, &["draw", "field", "--from", "0.5,3.5", "--to", "11.5,3.5", "--out", "field.svg"]);
    let svg = project.read("field.svg");
    let cells = values(&svg, "cells", "data-key");
    assert!(cells.contains(&"free") && cells.contains(&"searched"), "{cells:?}");
    assert!(svg.contains(">searched</text>"));
}

#[test]
fn animations_say_what_happens_below_their_title() {
    let project = project();
    let gif = |name: &str| {
        project.expect(0, &["draw", "square", "--gif", name, "--ticks", "18..24", "--every", "3"]);
        std::fs::read(project.path().join(name)).unwrap()
    };
    let told = gif("told.gif");
    let silent = project.read("scripts/square.lua").replace("event.emit('bell')", "local _ = 'bell'");
    project.write("scripts/square.lua", &silent);
    let quiet = gif("quiet.gif");
    assert_ne!(told, quiet, "an event is told");
    assert_eq!(told[6..10], quiet[6..10], "room for words is kept, said or not");
}

/// A hall with a box in the middle of it; a character looks over there along +x.
const HALL: &str = r#"{ "script": "hall.lua",
  "navigation": { "areas": [{ "name": "hall", "polygon": [[0,0],[20,0],[20,10],[0,10]] }],
    "obstacles": [{ "name": "box", "polygon": [[6,4],[7,4],[7,6],[6,6]]SIGHT }] },
  "characters": [{ "name": "guard", "position": [2, 5], "facingDegrees": 90 }, { "name": "player", "position": [3, 5], "player": true }] }"#;

#[test]
fn senses_are_cones_as_far_as_nothing_hides_and_circles_of_hearing() {
    let script = "function onStart()\n  sense.watch(world.character(\"guard\"), { tag = \"player\" }, \
                  { range = 15, degrees = 60, hearing = 4 })\nend\n";
    let drawn = |sight: &str| {
        let project = Project::new();
        project.write("levels/hall.json", &HALL.replace("SIGHT", sight));
        project.write("scripts/hall.lua", script);
        project.expect(0, &["draw", "hall", "--tick", "10", "--out", "hall.svg"]);
        project.read("hall.svg")
    };
    let (boxed, over) = (drawn(""), drawn(", \"blocksSight\": false"));
    let keys = values(&boxed, "sense", "data-key");
    let is_whole = keys.len() >= 3 && keys.iter().all(|key| *key == "1");
    assert!(is_whole, "what is seen, its reach, what is heard: {keys:?}");
    assert!(boxed.contains("seen by a sense"));
    let outlines = |svg| [values(svg, "sense", "points"), values(svg, "sense", "d")].concat();
    assert!(!outlines(&boxed).is_empty());
    assert_ne!(outlines(&boxed), outlines(&over), "the box hides unless it is low");
}

#[test]
fn tiles_that_are_blocked_by_themselves_are_no_padding_whatever_area_they_belong_to() {
    let project = Project::new();
    project.write(
        "levels/river.json",
        r#"{ "navigation": { "kind": "tiles", "layers": [ { "name": "ground", "rows": ["...O..", "...O.#", "...O.."] } ],
            "legend": { "O": { "walkable": false, "area": "river" } } } }"#,
    );
    project.expect(0, &["draw", "river", "--out", "river.svg"]);
    assert_eq!(values(&project.read("river.svg"), "cells", "data-key"), ["free", "blocked"]);
}

/// The words of the legend and of all other furniture of a drawing.
fn words(svg: &str) -> BTreeSet<&str> {
    svg.split("<text").skip(1).filter_map(|text| text.split('>').nth(1)?.split('<').next()).collect()
}

#[test]
fn links_with_an_action_are_shown_and_named_on_every_kind_of_map() {
    let link = r#""action": "jump", "cost": 3"#;
    let ground = r#""areas": [ { "name": "a", "polygon": [[0,0],[4,0],[4,4],[0,4]] },
        { "name": "b", "polygon": [[6,0],[10,0],[10,4],[6,4]] } ]"#;
    let kinds = [
        (
            "graph",
            format!(
                r#""kind": "graph", "points": [[0,0,0],[1,0,0],[2,0,0],[4,0,0],[5,0,0]], "links": [[0,1],[1,2],[3,4]],
            "actionLinks": [ {{ "from": [2,0,0], "to": [4,0,0], {link} }} ]"#
            ),
        ),
        (
            "mesh",
            format!(
                r#""kind": "mesh", {ground}, "actionLinks": [ {{ "from": [3.5,2], "to": [6.5,2], {link} }} ]"#
            ),
        ),
        (
            "tiles",
            r####""kind": "tiles", "layers": [ { "name": "ground", "rows": ["...#...", "...#..."] } ]"####
                .to_owned(),
        ),
    ];
    for (name, navigation) in kinds {
        let end = |x: f64| format!(r#"{{ "layer": "ground", "position": [{x}, 0.5] }}"#);
        let links = match name {
            "tiles" => format!(r#", "links": [ {{ "from": {}, "to": {}, {link} }} ]"#, end(2.5), end(4.5)),
            _ => String::new(),
        };
        for both_ways in [true, false] {
            let project = Project::new();
            let text = format!(r#"{{ "navigation": {{ {navigation}{links} }} }}"#);
            let text = text.replace(r#""cost": 3"#, &format!(r#""cost": 3, "bothWays": {both_ways}"#));
            project.write("levels/gap.json", &text);
            project.expect(0, &["draw", "gap", "--out", "gap.svg"]);
            let svg = project.read("gap.svg");
            let found = words(&svg);
            assert!(found.contains("link: jump") && found.contains("jump"), "{name}: {found:?}");
            assert!(found.contains("start of a link"), "{name}: {found:?}");
            assert_eq!(found.contains("end of a link"), !both_ways, "{name}: {found:?}");
            assert!(!found.contains("link to a layer"), "{name}: {found:?}");
            assert_eq!(values(&svg, "link", "data-key"), ["0"; 3], "{name}: a line and its ends");
        }
    }
}

#[test]
fn the_legend_names_what_is_drawn_and_nothing_that_is_not() {
    let project = project();
    project.expect(0, &["draw", "square", "--tick", "30", "--out", "square.svg"]);
    let svg = project.read("square.svg");
    let found = words(&svg);
    for word in ["obstacle", "edge of an area", "corner", "facing", "mark"] {
        assert!(found.contains(word), "{word}: {found:?}");
    }
    // What lies beyond the map is not seen.
    let level = project
        .read("levels/square.json")
        .replace(r#""spot": [12, 9]"#, r#""spot": [12, 9], "far": [90, 9]"#);
    let regions = r#""regions": [ { "name": "away", "polygon": [[50,50],[60,50],[60,60]] } ],
        "routes": { "round": { "stops": [[70, 3], [80, 9]] } }, "marks""#;
    project.write("levels/square.json", &level.replacen(r#""marks""#, regions, 1));
    project.expect(0, &["draw", "square", "--tick", "30", "--out", "far.svg"]);
    assert_eq!(words(&project.read("far.svg")), found);
    project.write(
        "levels/sea.json",
        r#"{ "navigation": { "kind": "mesh", "areas": [ { "name": "a", "polygon": [[0,0],[9,0],[0,9]] } ] } }"#,
    );
    for search in [&[] as &[&str], &["--from", "1,1", "--to", "7,1"]] {
        project.expect(0, &[&["draw", "sea", "--out", "sea.svg"], search].concat());
        assert!(words(&project.read("sea.svg")).contains("no ground"), "{search:?}");
    }
}

#[test]
fn a_search_shows_the_layers_that_are_asked_for() {
    let project = project();
    let drawn = |layers: &str| {
        let search =
            ["draw", "square", "--from", "2,3", "--to", "14,10", "--out", "search.svg", "--layers", layers];
        project.expect(0, &search);
        let svg = project.read("search.svg");
        ["cells", "area", "mark", "character"].map(|kind| svg.contains(&format!("data-kind=\"{kind}\"")))
    };
    assert_eq!(drawn("cells,paths"), [true, false, false, false]);
    assert_eq!(drawn("paths"), [false; 4]);
    assert_eq!(drawn("areas,marks,paths"), [false, true, true, false]);
    assert_eq!(drawn("cells,characters"), [true, false, false, true]);
    project.expect(0, &["draw", "square", "--from", "2,3", "--to", "8,6", "--out", "search.svg"]);
    let svg = project.read("search.svg");
    assert!(svg.contains("m of the way"), "a title tells that the goal is not reached");
}

#[test]
fn the_title_of_a_search_tells_the_length_that_path_prints() {
    let project = Project::new();
    // Up and down by 45 degrees.
    let hill = r#""vertices": [[0,0,0],[6,6,0],[12,0,0],[12,0,4],[6,6,4],[0,0,4]],
        "polygons": [[0,1,4,5],[1,2,3,4]]"#;
    project.write("levels/hill.json", &format!(r#"{{ "navigation": {{ "kind": "mesh", {hill} }} }}"#));
    project.expect(0, &["draw", "hill", "--from", "1,2", "--to", "11,2", "--out", "hill.svg"]);
    let svg = project.read("hill.svg");
    assert!(words(&svg).iter().any(|words| words.contains("path: 14.14 m")), "{:?}", words(&svg));
    let (out, _) = project.expect(0, &["path", "hill", "--from", "1,2", "--to", "11,2"]);
    assert!(out.contains("14.14 m"), "{out}");
}

#[test]
fn layers_below_one_another_have_no_id_in_common() {
    let project = Project::new();
    let layers = r#""layers": [ { "name": "low", "rows": ["...."] }, { "name": "high", "rows": ["...."] } ]"#;
    project.write("levels/two.json", &format!(r#"{{ "navigation": {{ "kind": "tiles", {layers} }} }}"#));
    project.expect(0, &["draw", "two", "--layer", "all", "--out", "two.svg"]);
    let svg = project.read("two.svg");
    let ids: Vec<&str> = svg.split("id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
    let (_, err) = project.expect(2, &["draw", "two", "--layer", "zzz"]);
    assert!(err.contains("low, high"), "{err}");
}

#[test]
fn a_distance_of_frames_that_viewers_cannot_show_is_made_larger_with_a_word() {
    let project = project();
    let (_, err) =
        project.expect(0, &["draw", "square", "--gif", "a.gif", "--ticks", "0..6", "--every", "1"]);
    assert!(err.contains("every 2 ticks are shown"), "{err}");
    let gif = |name: &str, every: &str| {
        project.expect(0, &["draw", "square", "--gif", name, "--ticks", "0..6", "--every", every]);
        std::fs::read(project.path().join(name)).unwrap()
    };
    assert!(gif("one.gif", "1") == gif("two.gif", "2"));
}
