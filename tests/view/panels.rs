//! What people do beside the stage: the timeline, the panels, the bars.
//!
//! Goal: the past, the future, scenes, forms, layers and colours answer as they are asked. Method: real
//! presses in Chromium; what they came to is read from the files, from the program over a socket of its own,
//! or from the words on the page.

use serde_json::{Value, json};

use super::browser::Page;
use super::gestures::{fill, spot_of, until};
use super::hand::Viewed;
use super::page::{at_ease, opened, place_of};

/// Where a tick is on the timeline, pixels of the window.
pub fn spot_of_tick(page: &mut Page, tick: u64) -> [f64; 2] {
    let spot = page.value(&format!("(at => [at.x, at.y])(window.walkon.spotOfTick({tick}))"));
    [spot[0].as_f64().unwrap(), spot[1].as_f64().unwrap()]
}

/// The words of what carries a mark.
pub fn words(mark: &str) -> String {
    format!("(document.querySelector('[data-test=\"{mark}\"]')?.innerText ?? '')")
}

#[test]
fn the_timeline_is_dragged_and_the_level_goes_on_from_there() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let mut hand = viewed.client();
    let hash = hand.step(120)["hash"].clone();
    hand.step(200);
    page.until("window.walkon.state.tick === 320");
    let ends = [300, 120].map(|tick| spot_of_tick(&mut page, tick));
    page.drag(ends, "left");
    let sought = page.until("window.walkon.sought").as_u64().unwrap();
    assert!((118..=122).contains(&sought), "{sought}");
    page.until(&format!("window.walkon.drawn === {sought}"));
    // To the tick exactly, by keys.
    page.value("document.getElementById('timeline').focus(), true");
    for _ in sought..120 {
        page.key("ArrowRight", 39);
    }
    for _ in 120..sought {
        page.key("ArrowLeft", 37);
    }
    page.until("window.walkon.sought === 120");
    page.press("go-on");
    page.until("window.walkon.sought === null && window.walkon.state.tick === 120");
    assert_eq!(hand.state_at(120)["hash"], hash, "the level is as it was");
    page.press("step");
    page.until("window.walkon.state.tick === 121");
    at_ease(&mut page);
}

#[test]
fn the_past_shows_those_who_are_gone_since() {
    let viewed = Viewed::level("courtyard");
    let mut hand = viewed.client();
    hand.get(json!({ "do": "input", "spawn": "guest", "at": [14, 0, 4], "tags": ["late"] }));
    hand.step(20);
    hand.get(json!({ "do": "input", "remove": "guest" }));
    hand.step(20);
    // The page comes when everything is over.
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    assert_eq!(page.until("window.walkon.characters"), 4);
    let [from, to] = [40, 10].map(|tick| spot_of_tick(&mut page, tick));
    page.drag([from, to], "left");
    page.until("window.walkon.characters === 5 && window.walkon.sought < 20");
    let place = place_of(&mut page, "guest");
    page.click(place, 0);
    page.until("window.walkon.selection?.name === 'guest'");
    page.until(&format!("{}.includes('late')", words("inspector")));
    page.press("live");
    page.until(&format!("{}.includes('there is no character')", words("inspector")));
    at_ease(&mut page);
}

#[test]
fn a_saved_script_draws_the_ghosts_of_before() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    page.press("future");
    page.until("window.walkon.future.isOn && !!window.walkon.future.base?.isDone");
    let script = viewed.file("scripts/behaviours/guard.lua");
    let text = std::fs::read_to_string(&script).unwrap();
    assert!(text.contains("default = 1.5"), "{text}");
    std::fs::write(&script, text.replace("default = 1.5", "default = 4")).unwrap();
    page.until("!!window.walkon.future.newest?.isDone && window.walkon.future.differences.length > 0");
    // In the middle of the future the guard is not where it was to be.
    let middle = spot_of_tick(&mut page, 1200);
    page.click(middle, 0);
    page.until("window.walkon.model.ahead !== null && window.walkon.future.outlines > 0");
    page.until("document.querySelector('#differences').innerText.includes('guard')");
    at_ease(&mut page);
}

#[test]
fn a_broken_script_is_marked_at_its_line_in_the_source() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let script = viewed.file("scripts/behaviours/guard.lua");
    let text = std::fs::read_to_string(&script).unwrap();
    page.press("tab-source");
    page.until("document.querySelector('[data-test=\"source-file\"]').options.length > 3");
    page.set("[data-test=\"source-file\"]", "behaviours/guard.lua");
    page.until(&format!("{}.includes('A guard: walks a route')", words("source-text")));
    std::fs::write(&script, format!("-- one\nlocal x = = 1\n{text}")).unwrap();
    let marked = "document.querySelector('.codeline.error .lineno')?.innerText";
    page.until(&format!("{marked} === '2'"));
    std::fs::write(&script, &text).unwrap();
    page.until(&format!("{marked} === undefined && !{}.includes('local x')", words("source-text")));
    // It is edited here while another client changes another line: both are kept.
    page.press("edit-script");
    page.set("[data-test=\"source-edit\"]", &format!("-- ours\n{text}"));
    std::fs::write(&script, format!("{text}-- theirs\n")).unwrap();
    page.until("[...document.querySelectorAll('[data-test=notice]')].some(it => it.innerText.includes('somebody else'))");
    page.press("save");
    let both = format!("-- ours\n{text}-- theirs\n");
    until("both texts", || std::fs::read_to_string(&script).unwrap() == both);
    page.until("document.querySelector('[data-test=\"source-edit\"]').value.includes('-- theirs')");
    at_ease(&mut page);
}

#[test]
fn a_change_on_disk_reaches_the_form_and_names_are_carried() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let file = viewed.file("levels/courtyard.json");
    let text = std::fs::read_to_string(&file).unwrap();
    page.press("tab-edit");
    page.press("item-character-guard");
    page.until("document.querySelector('[data-test=\"field-walkSpeed\"]')?.value === '1.6'");
    let friend =
        text.replace("\"walkSpeed\": 1.6", "\"walkSpeed\": 2.25, \"props\": { \"friends\": [\"regent\"] }");
    std::fs::write(&file, &friend).unwrap();
    page.until("document.querySelector('[data-test=\"field-walkSpeed\"]')?.value === '2.25'");
    // What check finds is told at its field.
    std::fs::write(&file, friend.replace("\"route\": \"rounds\" }", "\"route\": \"rnouds\" }")).unwrap();
    page.until(&format!("{}.includes('rnouds')", words("field-problem")));
    std::fs::write(&file, &friend).unwrap();
    page.until("!document.querySelector('[data-test=\"field-problem\"]')");
    page.press("item-character-regent");
    page.until("!!document.querySelector('input[data-at$=\"/name\"]')");
    page.set("input[data-at$=\"/name\"]", "queen");
    let renamed = friend.replace("\"regent\"", "\"queen\"");
    until("another name everywhere", || std::fs::read_to_string(&file).unwrap() == renamed);
    at_ease(&mut page);
}

#[test]
fn a_number_that_is_dragged_redraws_the_future_before_it_is_saved() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let file = viewed.file("levels/courtyard.json");
    let text = std::fs::read_to_string(&file).unwrap();
    page.press("future");
    page.until("!!window.walkon.future.base?.isDone");
    page.press("tab-edit");
    page.press("item-character-guard");
    let from = page.middle_of("drag-walkSpeed");
    let to = [from[0] + 60.0, from[1]];
    page.hold([from, to]);
    page.until("window.walkon.future.isTrial && window.walkon.future.differences.length > 0");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "nothing is saved yet");
    page.release(to);
    until("another speed", || std::fs::read_to_string(&file).unwrap() != text);
    page.until("!window.walkon.future.isTrial && window.walkon.future.differences.length > 0");
    at_ease(&mut page);
}

#[test]
fn choices_are_answered_and_scenes_are_looked_into_and_skipped() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let mut hand = viewed.client();
    page.press("attend");
    page.until("window.walkon.state.attends");
    hand.get(json!({ "do": "speed", "times": 50 }));
    page.press("play");
    let option = page.until("document.querySelector('[data-test=choice] button')?.dataset.test");
    hand.get(json!({ "do": "speed", "times": 1 }));
    let scene = page.until("document.querySelector('[data-test=scene] strong')?.innerText");
    page.press(&format!("scene-{}", scene.as_str().unwrap()));
    page.until("window.walkon.selection?.kind === 'scene'");
    page.until(&format!("{}.includes('Cast')", words("inspector")));
    page.press(option.as_str().unwrap());
    page.until("!document.querySelector('[data-test=choice]')");
    page.press("skip");
    page.until("!document.querySelector('[data-test=scene]')");
    let tick = hand.get(json!({ "do": "pause" }))["tick"].as_u64().unwrap();
    let told = hand.get(json!({ "do": "history", "from": 0, "to": tick })).to_string();
    assert!(told.contains("cinematicEnded") && told.contains("skip"), "{told}");
    at_ease(&mut page);
}

#[test]
fn things_are_found_by_name_in_light_and_in_dark() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    page.enter("search", "");
    page.value("document.querySelector('[data-test=search]').focus(), true");
    page.set("[data-test=\"search\"]", "mess");
    page.until(&format!("{}.includes('messenger')", words("found")));
    page.enter("search", "");
    page.until("window.walkon.selection?.name === 'messenger'");
    page.set("[data-test=\"search\"]", "rounds");
    page.value("document.querySelector('[data-test=search]').focus(), true");
    page.until(&format!("{}.includes('rounds')", words("found")));
    page.enter("search", "");
    // A route is inspected like everything else.
    page.until(&format!("{0}.includes('Stops') && {0}.includes('post')", words("inspector")));
    let theme = "document.documentElement.dataset.theme";
    let before = page.value(theme);
    page.press("theme");
    page.until(&format!("{theme} !== {before}"));
    page.press("theme");
    page.until(&format!("{theme} === {before}"));
    at_ease(&mut page);
}

#[test]
fn an_event_for_everybody_is_selected_itself() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let mut hand = viewed.client();
    hand.step(2);
    hand.get(json!({ "do": "input", "evaluate": "event.emit(\"bell\", { loud = true })" }));
    hand.step(5);
    page.press("tab-events");
    page.until("!!document.querySelector('[data-kind=event][data-name=bell]')");
    page.value("document.querySelector('[data-kind=event][data-name=bell]').click(), true");
    page.until("window.walkon.selection?.kind === 'event' && window.walkon.selection.name === 'bell'");
    page.press("tab-inspect");
    page.until(&format!("{0}.includes('Payload') && {0}.includes('loud')", words("inspector")));
    at_ease(&mut page);
}

#[test]
fn layers_and_colours_are_chosen_and_explained() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let mut hand = viewed.client();
    page.press("legend-view");
    page.press("layers");
    for layer in ["watches", "steering", "searched", "padding"] {
        page.press(&format!("layer-{layer}"));
    }
    page.until("window.walkon.model.parts.has('watches') && !window.walkon.model.parts.has('padding')");
    hand.step(30);
    for line in ["seen by a sense", "path"] {
        page.until(&format!("{}.includes('{line}')", words("legend-moving")));
    }
    page.set("[data-test=\"coloured-by\"]", "behaviour");
    page.until(&format!("{}.includes('without a behaviour')", words("legend-people")));
    page.set("[data-test=\"coloured-by\"]", "name");
    page.until(&format!("{}.includes('messenger')", words("legend-people")));
    page.value("document.querySelector('[data-test=people] [data-select=guard]').click(), true");
    page.until(&format!("{}.includes('cells of the path')", words("legend-moving")));
    at_ease(&mut page);
}

#[test]
fn what_scripts_cost_is_sorted_and_told() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let mut hand = viewed.client();
    hand.step(300);
    let rows = hand.get(json!({ "do": "heat" }))["rows"].clone();
    assert!(rows.as_array().unwrap().iter().any(|row| row[1].as_f64() > Some(0.0)), "{rows}");
    page.press("by-cost");
    let figures = page.until(
        "(list => list.length > 1 && list[0] > 0 && list)\
         ([...document.querySelectorAll('[data-test=people] .fuel')].map(it => Number(it.innerText || 0)))",
    );
    let figures: Vec<f64> = serde_json::from_value(figures).unwrap();
    assert!(figures.is_sorted_by(|one, next| one >= next), "{figures:?}");
    page.click_on("by-cost");
    page.until("document.querySelector('[data-test=by-cost]')?.getAttribute('aria-pressed') === 'false'");
    let guard = place_of(&mut page, "guard");
    page.click(guard, 0);
    page.until(&format!("{}.includes('fuel a tick')", words("fuel")));
    at_ease(&mut page);
}

#[test]
fn doors_and_round_regions_are_worked_on() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let file = viewed.file("levels/courtyard.json");
    let before = std::fs::read_to_string(&file).unwrap();
    let level = || serde_json::from_str::<Value>(&std::fs::read_to_string(&file).unwrap()).unwrap();
    page.press("tab-edit");
    let gate = spot_of(&mut page, [20.6, 0.0, 5.6]);
    page.click(gate, 0);
    page.until(&format!("{0}.includes('gate') && {0}.includes('door')", words("form")));
    page.press("add-round");
    let ends = [[5.0, 0.0, 6.0], [7.0, 0.0, 6.0]].map(|place| spot_of(&mut page, place));
    page.drag(ends, "left");
    until("a round region", || level()["regions"].as_array().map(Vec::len) == Some(2));
    let made = level()["regions"][1].clone();
    assert_eq!((&made["centre"], made["radius"].as_f64()), (&json!([5, 6]), Some(2.0)), "{made}");
    page.until(&format!("{}.includes('region1')", words("form")));
    // Its rim is dragged, then its middle.
    let rim = [[7.0, 0.0, 6.0], [8.0, 0.0, 6.0]].map(|place| spot_of(&mut page, place));
    page.drag(rim, "left");
    until("a wider one", || level()["regions"][1]["radius"].as_f64() == Some(3.0));
    let middle = [[5.0, 0.0, 6.0], [6.0, 0.0, 5.0]].map(|place| spot_of(&mut page, place));
    page.drag(middle, "left");
    until("one elsewhere", || level()["regions"][1]["centre"] == json!([6, 5]));
    (0..3).for_each(|_| page.click_on("undo"));
    until("the level as it was", || std::fs::read_to_string(&file).unwrap() == before);
    at_ease(&mut page);
}

#[test]
fn a_new_symbol_is_made_and_painted() {
    let viewed = Viewed::level("ruins");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let file = viewed.file("levels/ruins.json");
    let level = || serde_json::from_str::<Value>(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let before = level();
    page.press("tab-edit");
    page.press("paint");
    page.press("new-symbol");
    page.set("#field-symbol", "%");
    page.set("#field-cost", "3");
    page.press("dialog-ok");
    until("a symbol", || level()["navigation"]["legend"]["%"]["cost"].as_f64() == Some(3.0));
    page.press("brush-%");
    page.press("edit-symbol");
    fill(&mut page, "field-cost", "4");
    until("another cost", || level()["navigation"]["legend"]["%"]["cost"].as_f64() == Some(4.0));
    (0..2).for_each(|_| page.click_on("undo"));
    until("the level as it was", || level() == before);
    at_ease(&mut page);
}

#[test]
fn the_rows_of_a_text_file_are_painted() {
    let project = tempfile::tempdir().unwrap();
    let grid = "cellSize 1\nminX 0\nminZ 0\ngridWidth 6\ngridDepth 4\n111111\n111111\n111111\n111111\n";
    let level = json!({ "navigation": "map.txt", "characters": [{ "name": "one", "position": [0.5, 0.5] }] });
    std::fs::write(project.path().join("map.txt"), grid).unwrap();
    std::fs::write(project.path().join("level.json"), level.to_string()).unwrap();
    let viewed = Viewed::of(project, "level.json", &["--paused"]);
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    page.press("tab-edit");
    page.press("paint");
    page.press("brush-0");
    let ends = [[2.5, 0.0, 2.5], [4.5, 0.0, 2.5]].map(|place| spot_of(&mut page, place));
    page.drag(ends, "left");
    let painted = grid.replacen("111111\n111111\n111111", "111111\n111111\n110001", 1);
    until("a stroke", || std::fs::read_to_string(viewed.file("map.txt")).unwrap() == painted);
    page.click_on("undo");
    until("the map as it was", || std::fs::read_to_string(viewed.file("map.txt")).unwrap() == grid);
    at_ease(&mut page);
}

#[test]
fn a_map_of_tiled_is_painted_layer_by_layer() {
    let viewed = Viewed::of(super::hand::shipped(), "levels/tavern.tmx", &["--paused"]);
    let file = viewed.file("levels/tavern.tmx");
    let before = std::fs::read_to_string(&file).unwrap();
    let mut hand = viewed.client();
    let map = hand.get(json!({ "do": "tiles" }));
    assert_eq!((&map["columns"], &map["layers"][0]["name"]), (&json!(24), &json!("floor")), "{map}");
    let cells = map["layers"][1]["cells"].as_array().unwrap();
    let (at, there) = (5 * 24 + 12, &cells[5 * 24 + 12]);
    // What changes no cell is no step.
    for cells in [json!([]), json!([[12, 5]])] {
        let answer = hand.get(json!({ "do": "paint", "layer": 1, "cells": cells, "tile": there }));
        assert_eq!(answer["canUndo"], Value::Null, "{answer}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    }
    let other = cells.iter().find(|cell| *cell != there).unwrap();
    hand.get(json!({ "do": "paint", "layer": 1, "cells": [[12, 5]], "tile": other }));
    assert_eq!(&hand.get(json!({ "do": "tiles" }))["layers"][1]["cells"][at], other);
    hand.get(json!({ "do": "undo" }));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before, "base64 as it was");
    let refused = hand.ask(json!({ "do": "paint", "layer": 0, "cells": [[24, 0]], "tile": 1 })).unwrap_err();
    assert!(refused.contains("24 columns and 14 rows"), "{refused}");
    assert!(
        hand.ask(json!({ "do": "paint", "layer": 0, "cells": [[1, 1]], "tile": 999 })).is_err(),
        "no such tile"
    );
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    page.press("tab-edit");
    page.press("paint");
    page.press("brush-4");
    let tile = page.until("window.walkon.model.welcome.tiling.size");
    let tile: [f64; 2] = serde_json::from_value(tile).unwrap();
    let ends = [7.5, 9.5].map(|column| spot_of(&mut page, [column * tile[0], 0.0, 2.5 * tile[1]]));
    page.drag(ends, "left");
    let painted = before.replacen("3,3,3,3,3,3,1,1,1,1,1", "3,3,3,3,3,3,1,4,4,4,1", 1);
    until("a stroke", || std::fs::read_to_string(&file).unwrap() == painted);
    page.click_on("undo");
    until("the map as it was", || std::fs::read_to_string(&file).unwrap() == before);
    at_ease(&mut page);
}
