//! The live page in a browser.
//!
//! Goal: what people do on the page works, from the first look to an edit in the file. Method: a level under
//! view and Chromium without a window; without a browser the tests say so and are counted. A page that
//! complains on its console fails its test. `WALKON_FRAMES=10` measures for ten seconds how fast ten thousand
//! people are drawn.

use std::io::Write as _;

use serde_json::{Value, json};

use super::browser::{self, Browser, Page};
use super::hand::Viewed;

/// Every test that needs a browser.
const NEED_A_BROWSER: [&str; 43] = [
    "a_page_plays_pauses_steps_and_goes_back",
    "a_click_on_a_character_shows_its_state",
    "a_walk_that_is_clicked_changes_the_run",
    "an_edit_lands_in_the_file_and_is_taken_back",
    "a_saved_script_shows_its_ghost_and_a_broken_one_its_line",
    "the_console_evaluates_in_the_level",
    "a_path_is_tested_between_two_clicks",
    "a_page_that_lags_shows_the_last_of_all",
    "two_pages_and_a_lost_connection",
    "ten_thousand_people_are_drawn",
    "points_and_links_are_laid_moved_and_taken_away_by_hand",
    "tiles_are_painted_with_a_stroke",
    "doors_are_opened_and_locked_on_the_stage",
    "expected_paths_are_seen_by_everybody_and_forgotten",
    "a_level_with_floors_is_turned_and_walked_on",
    "the_slider_leaves_out_floors_and_people_above_it_and_shows_them_again",
    "boxes_marks_and_obstacles_are_worked_on_from_the_side",
    "a_refused_value_stays_in_its_field_with_what_is_wrong",
    "the_timeline_is_dragged_and_the_level_goes_on_from_there",
    "the_past_shows_those_who_are_gone_since",
    "a_saved_script_draws_the_ghosts_of_before",
    "a_broken_script_is_marked_at_its_line_in_the_source",
    "a_change_on_disk_reaches_the_form_and_names_are_carried",
    "a_number_that_is_dragged_redraws_the_future_before_it_is_saved",
    "choices_are_answered_and_scenes_are_looked_into_and_skipped",
    "things_are_found_by_name_in_light_and_in_dark",
    "layers_and_colours_are_chosen_and_explained",
    "what_scripts_cost_is_sorted_and_told",
    "doors_and_round_regions_are_worked_on",
    "a_new_symbol_is_made_and_painted",
    "the_rows_of_a_text_file_are_painted",
    "a_click_on_a_line_number_stops_there",
    "an_event_for_everybody_is_selected_itself",
    "a_map_of_tiled_is_painted_layer_by_layer",
    "things_of_every_kind_are_added_and_deleted_and_both_is_taken_back",
    "brushes_hit_the_tile_under_the_pointer_however_tiles_lie",
    "brushes_hit_the_tile_of_tiled_under_the_pointer_in_every_projection",
    "a_run_that_begins_again_shows_nothing_of_the_one_before",
    "either_the_past_is_seen_or_the_forecast",
    "controls_take_the_keys_they_know",
    "fields_let_the_keys_of_the_debugger_through",
    "speeds_and_seeds_that_are_in_no_list_are_dealt_with",
    "nothing_covers_what_scenes_say_and_everything_can_be_read",
];

/// The browser, and the page of a level; none where there is no browser, which is told.
pub fn opened(viewed: &Viewed) -> Option<(Browser, Page)> {
    let browser = Browser::start(&browser::program()?);
    let page = browser.open(&viewed.address);
    Some((browser, settled(page)))
}

/// The page once it shows its level and waits for nothing.
pub fn settled(mut page: Page) -> Page {
    page.until(
        "window.walkon && window.walkon.isOpen && window.walkon.isSettled && window.walkon.frames > 0",
    );
    page
}

/// Waits until the page has heard and drawn what came of the last gesture: until then the next one may miss,
/// because the view is fitted again and the bars grow.
pub fn at_rest(page: &mut Page) {
    page.until("window.walkon.isSettled");
}

/// No complaints.
pub fn at_ease(page: &mut Page) {
    page.value("1");
    assert!(page.complaints.is_empty(), "{:?}", page.complaints);
}

/// Where a character stands in the window, pixels.
pub fn place_of(page: &mut Page, name: &str) -> [f64; 2] {
    let expression = format!(
        "(() => {{ const at = window.walkon.placeOf({}); return at && [at.x, at.y]; }})()",
        Value::from(name)
    );
    let place = page.until(&expression);
    [place[0].as_f64().unwrap(), place[1].as_f64().unwrap()]
}

#[test]
fn tests_without_a_browser_are_counted() {
    let mut told = std::io::stderr();
    match browser::program() {
        Some(_) => writeln!(told, "skipped: none of the {} tests of the page", NEED_A_BROWSER.len()).unwrap(),
        None => {
            let names = NEED_A_BROWSER.join(", ");
            writeln!(
                told,
                "skipped: {} tests of the page, there is no Chromium: {names}",
                NEED_A_BROWSER.len()
            )
            .unwrap();
        }
    }
    let text = concat!(
        include_str!("page.rs"),
        include_str!("gestures.rs"),
        include_str!("panels.rs"),
        include_str!("brushes.rs"),
        include_str!("controls.rs"),
        include_str!("debugger.rs")
    );
    let written = text.matches("else { return };").count() - 1;
    assert_eq!(written, NEED_A_BROWSER.len(), "every test that needs a browser stands in the list");
    assert!(NEED_A_BROWSER.iter().all(|name| text.contains(&format!("fn {name}()"))));
}

#[test]
fn a_page_plays_pauses_steps_and_goes_back() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    assert_eq!(page.until("window.walkon.characters"), 4);
    page.press("step");
    page.until("window.walkon.tick === 1");
    page.press("play");
    page.until("window.walkon.tick > 60");
    page.press("play");
    page.until("window.walkon.state.playing === false");
    let last =
        page.until("window.walkon.state.hash && window.walkon.tick === window.walkon.state.tick && window.walkon.tick").as_u64().unwrap();
    page.press("back");
    page.until(&format!("window.walkon.tick === {}", last - 1));
    page.press("live");
    page.until(&format!("window.walkon.tick === {last}"));
    at_ease(&mut page);
    assert!(page.picture().len() > 10_000, "there is something to see");
}

#[test]
fn a_click_on_a_character_shows_its_state() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    (0..5).for_each(|_| page.press("step"));
    page.until("window.walkon.tick === 5");
    let place = place_of(&mut page, "guard");
    page.click(place, 0);
    let text = page.until("(text => text?.includes('rounds') && text)(document.querySelector('[data-test=inspector]')?.innerText)");
    let text = text.as_str().unwrap();
    for expected in ["guard.lua", "route", "watch"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    at_ease(&mut page);
}

#[test]
fn a_walk_that_is_clicked_changes_the_run() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let mut hand = viewed.client();
    let from = place_of(&mut page, "player");
    page.click([from[0] + 60.0, from[1] - 40.0], 8);
    page.press("step");
    let told =
        hand.wait(|message| message["tell"] == "happened" && message.to_string().contains("walkStarted"));
    let walks: Vec<&Value> =
        told["items"].as_array().unwrap().iter().filter(|item| item["name"] == "player").collect();
    assert!(walks.iter().any(|item| item["line"]["owner"] == 0), "the host sent the player: {told}");
    at_ease(&mut page);
}

#[test]
fn an_edit_lands_in_the_file_and_is_taken_back() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let file = viewed.file("levels/courtyard.json");
    let before = std::fs::read_to_string(&file).unwrap();
    page.press("tab-edit");
    let place = place_of(&mut page, "guard");
    page.click(place, 0);
    page.until("!!document.querySelector('[data-test=\"field-walkSpeed\"]')");
    page.value(
        "(() => { const input = document.querySelector('[data-test=\"field-walkSpeed\"]'); input.focus(); \
         input.value = '2.5'; input.dispatchEvent(new Event('input', { bubbles: true })); \
         input.dispatchEvent(new Event('change', { bubbles: true })); input.blur(); return true; })()",
    );
    let changed = before.replace("\"walkSpeed\": 1.6", "\"walkSpeed\": 2.5");
    let is = |text: &str| {
        let until = std::time::Instant::now() + std::time::Duration::from_secs(90);
        while std::fs::read_to_string(&file).unwrap() != text {
            assert!(std::time::Instant::now() < until, "{}", std::fs::read_to_string(&file).unwrap());
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    };
    is(&changed);
    page.press("undo");
    is(&before);
    page.press("redo");
    is(&changed);
    at_ease(&mut page);
}

#[test]
fn a_saved_script_shows_its_ghost_and_a_broken_one_its_line() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    page.press("future");
    page.until("window.walkon.future.isOn && !!window.walkon.future.base?.isDone");
    let level = viewed.file("levels/courtyard.json");
    let text = std::fs::read_to_string(&level).unwrap();
    std::fs::write(&level, text.replace("\"walkSpeed\": 1.6", "\"walkSpeed\": 0.8")).unwrap();
    page.until("!!window.walkon.future.newest?.isDone && window.walkon.future.differences.length > 0");
    assert!(page.picture().len() > 10_000);
    let script = viewed.file("scripts/behaviours/guard.lua");
    let text = std::fs::read_to_string(&script).unwrap();
    std::fs::write(&script, format!("local x = \n{text}")).unwrap();
    page.press("tab-problems");
    page.until("document.querySelector('[data-test=\"problems\"]').innerText.includes('guard.lua')");
    std::fs::write(&script, text).unwrap();
    page.until("!document.querySelector('[data-test=\"problems\"]').innerText.includes('guard.lua')");
    at_ease(&mut page);
}

#[test]
fn the_console_evaluates_in_the_level() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    page.press("tab-console");
    page.enter("console-input", "world.character(\"guard\").name .. \"!\"");
    page.press("step");
    page.until("document.querySelector('[data-test=\"console-output\"]').innerText.includes('guard!')");
    at_ease(&mut page);
}

#[test]
fn a_path_is_tested_between_two_clicks() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    page.press("tab-paths");
    page.press("tool-path");
    let (from, to) = (place_of(&mut page, "guard"), place_of(&mut page, "messenger"));
    page.click(from, 0);
    page.click(to, 0);
    page.until("document.querySelector('[data-test=\"path-result\"]')?.innerText.includes('complete')");
    page.press("expect");
    page.until("document.querySelector('[data-test=\"expectations\"]')?.innerText.length > 5");
    page.press("save-expectations");
    page.press("dialog-ok");
    let until = std::time::Instant::now() + std::time::Duration::from_secs(90);
    while !viewed.file("scripts/courtyard_paths_test.lua").exists() {
        assert!(std::time::Instant::now() < until);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let tested = crate::place::walkon(viewed.project.path(), &["test", "scripts/courtyard_paths_test.lua"]);
    assert!(tested.status.success(), "{}", String::from_utf8_lossy(&tested.stdout));
    at_ease(&mut page);
}

#[test]
fn a_page_that_lags_shows_the_last_of_all() {
    let viewed = Viewed::level("courtyard");
    let Some((browser, _)) = opened(&viewed) else { return };
    let mut page = settled(browser.open_lagging(&viewed.address, 400));
    let mut hand = viewed.client();
    page.press("legend-view");
    page.press("tab-events");
    hand.step(30);
    hand.get(json!({ "do": "input", "evaluate": "event.emit(\"bell\")" }));
    hand.step(1);
    page.until("document.querySelector('[data-test=\"event-list\"]').innerText.includes('bell')");
    page.until("window.walkon.model.overlay.tick === 31");
    at_ease(&mut page);
}

#[test]
fn two_pages_and_a_lost_connection() {
    let viewed = Viewed::level("courtyard");
    let Some((browser, mut one)) = opened(&viewed) else { return };
    let mut two = settled(browser.open(&viewed.address));
    one.press("step");
    two.until("window.walkon.tick === 1");
    at_ease(&mut one);
    at_ease(&mut two);
    drop(viewed);
    one.until("window.walkon.isOpen === false");
    one.until("document.querySelector('[data-test=\"banner\"]').innerText.length > 0");
}

/// A hall full of people who stroll.
fn crowd(count: usize) -> tempfile::TempDir {
    let project = tempfile::tempdir().unwrap();
    let side = (count as f64 * 4.0).sqrt().ceil();
    let per_row = (side / 2.0) as usize;
    let people: Vec<Value> = (0..count)
        .map(|index| {
            let (row, column) = (index / per_row, index % per_row);
            let at = [1.0 + 2.0 * column as f64, 1.0 + 2.0 * row as f64];
            json!({ "name": format!("c{index}"), "position": at, "behaviour": "stroll.lua" })
        })
        .collect();
    let depth = 2.0 * (count as f64 / per_row as f64).ceil() + 2.0;
    let level = json!({
        "limits": { "characters": count }, "characters": people,
        "navigation": { "areas": [{ "name": "hall", "polygon": [[0, 0], [side + 2.0, 0], [side + 2.0, depth], [0, depth]] }] },
    });
    std::fs::write(project.path().join("crowd.json"), level.to_string()).unwrap();
    let script =
        "return { start = function(self) self.character:wander({ within = 4, pause = { 0, 1 } }) end }\n";
    std::fs::write(project.path().join("stroll.lua"), script).unwrap();
    project
}

#[test]
fn ten_thousand_people_are_drawn() {
    let viewed = Viewed::of(crowd(10_000), "crowd.json", &[]);
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    page.until("window.walkon.characters === 10000 && window.walkon.tick > 5 && window.walkon.drawn >= 300");
    if let Some(seconds) = std::env::var("WALKON_FRAMES").ok().and_then(|text| text.parse::<f64>().ok()) {
        measure(&mut page, seconds);
    }
    at_ease(&mut page);
}

/// Tells how many frames a second are drawn and what one costs: a figure of the machine, which no test waits
/// for.
fn measure(page: &mut Page, seconds: f64) {
    let told = page.value(&format!(
        "new Promise(done => {{ const now = () => [performance.now(), window.walkon.frames, window.walkon.state.tick]; \
         const from = now(); setTimeout(() => {{ const to = now(); const per = at => (to[at] - from[at]) / (to[0] - from[0]) * 1000; \
         done([per(1), window.walkon.cost, per(2)]); }}, {}); }})",
        seconds * 1e3
    ));
    let [frames, cost, ticks] = [0, 1, 2].map(|at| told[at].as_f64().unwrap());
    let mut out = std::io::stderr();
    writeln!(out, "{frames:.1} frames a second, {cost:.1} ms each, {ticks:.1} ticks a second").unwrap();
}
