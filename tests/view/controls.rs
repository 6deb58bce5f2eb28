//! The controls of the page: what they take, what they say, and what they forget.
//!
//! Goal: a run that begins again is a run of its own, keys go to what has the focus, numbers that nobody
//! expects are dealt with, and all words can be read. Method: real presses in Chromium, small windows
//! included; what they came to is read from the page and told by the program.

use serde_json::{Value, json};

use super::browser::Page;
use super::debugger::yard;
use super::hand::{Hand, Viewed};
use super::page::{at_ease, at_rest, opened, settled};
use super::panels::{spot_of_tick, words};
use crate::debugger::protocol::IN_ADD;

/// What scenes say on the page.
const FILM: &str = "document.querySelector('#film').innerText";
/// A choice that can be answered.
const CHOICE: &str = "!!document.querySelector('[data-test=choice] button:not([disabled])')";
/// Whether the button says that choices are answered here.
const PRESSED: &str = "document.querySelector('[data-test=attend]').getAttribute('aria-pressed')";

/// Runs until a choice waits; its tick. Nobody answers it.
fn until_a_choice(hand: &mut Hand) -> u64 {
    hand.forget();
    hand.get(json!({ "do": "speed", "times": "max" }));
    hand.get(json!({ "do": "play" }));
    let choice = hand.wait(|message| message["tell"] == "cue" && message["kind"] == "choice");
    assert!(choice["answer"].is_null(), "{choice}");
    hand.get(json!({ "do": "pause" }));
    choice["tick"].as_u64().unwrap()
}

/// The tick of the running level as the page knows it, once the page has drawn it.
fn live_at(page: &mut Page, tick: u64) {
    page.until(&format!("window.walkon.state.tick === {tick} && window.walkon.drawn === {tick}"));
}

#[test]
fn a_run_that_begins_again_shows_nothing_of_the_one_before() {
    let viewed = Viewed::level("courtyard");
    let Some((browser, mut page)) = opened(&viewed) else { return };
    let mut hand = viewed.client();
    page.press("attend");
    page.until(&format!("{PRESSED} === 'true'"));
    let tick = until_a_choice(&mut hand);
    page.until(CHOICE);
    page.press("option-grant");
    page.until(&format!("!({CHOICE})"));
    hand.step(5);
    // Another client goes back to before it, then to between it and its answer: both times it waits again.
    for (to, ticks) in [(tick - 50, 60), (tick + 1, 1)] {
        hand.get(json!({ "do": "goOn", "tick": to }));
        live_at(&mut page, to);
        page.until("window.walkon.state.attends");
        hand.step(ticks);
        page.until(CHOICE);
        page.press("option-refuse");
        page.until(&format!("!({CHOICE})"));
        hand.step(5);
    }
    // So does it after a restart, whose scenes are those of the new run alone.
    page.press("restart");
    live_at(&mut page, 0);
    page.until(&format!("{FILM} === '' && window.walkon.state.attends"));
    assert_eq!(until_a_choice(&mut hand), tick);
    page.until(CHOICE);
    hand.get(json!({ "do": "input", "spawn": "guest", "at": [14, 0, 4] }));
    let last = hand.step(1)["tick"].as_u64().unwrap();
    page.press("tab-inspect");
    let guest = "document.querySelector('[data-test=people] [data-select=guest]')";
    page.until(&format!("!!{guest}"));
    page.value(&format!("{guest}.click(), true"));
    page.until(&format!("{}.includes('Remove')", words("actions")));
    hand.get(json!({ "do": "restart" }));
    live_at(&mut page, 0);
    hand.get(json!({ "do": "input", "remove": "player" }));
    hand.step(last);
    live_at(&mut page, last);
    assert_eq!(page.value(FILM), "", "nobody was led before the regent");
    // Somebody who is not there any more is offered nothing.
    page.until(&format!("{}.includes('not there now')", words("actions")));
    assert_eq!(page.value("document.querySelectorAll('[data-test=actions] button').length"), 0);
    // The button goes by the level, on every page.
    let mut two = settled(browser.open(&viewed.address));
    two.until(&format!("{PRESSED} === 'true'"));
    hand.get(json!({ "do": "input", "attend": false }));
    two.until(&format!("{PRESSED} === 'false'"));
    page.until(&format!("{PRESSED} === 'false'"));
    at_ease(&mut page);
    at_ease(&mut two);
}

#[test]
fn either_the_past_is_seen_or_the_forecast() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let mut hand = viewed.client();
    hand.step(300);
    live_at(&mut page, 300);
    page.press("future");
    page.until("!!window.walkon.future.base?.isDone && !!window.walkon.future.newest?.tracks");
    let past = spot_of_tick(&mut page, 100);
    page.click(past, 0);
    page.until("window.walkon.sought !== null && !!document.querySelector('[data-test=go-on]')");
    let ahead = spot_of_tick(&mut page, 330);
    page.click(ahead, 0);
    page.until("window.walkon.model.ahead !== null && window.walkon.sought === null");
    page.until("!document.querySelector('[data-test=go-on]') && window.walkon.drawn === 300");
    // Its ticks are gone through by the keys of the past.
    let at = page.value("window.walkon.model.ahead").as_u64().unwrap();
    for (key, number, tick) in [(".", 190, at + 1), (",", 188, at), (">", 190, at + 60), ("<", 188, at)] {
        page.key(key, number);
        page.until(&format!("window.walkon.model.ahead === {tick}"));
    }
    page.key("<", 188);
    page.until(&format!("window.walkon.model.ahead === null && window.walkon.sought === {}", at - 60));
    assert_eq!(page.value("window.walkon.state.tick"), 300, "the level stands");
    // A second on from the past is the running level, and no forecast.
    page.key(">", 190);
    page.until("window.walkon.model.ahead === null && window.walkon.sought === null");
    // What the level has caught up with is no forecast any more.
    page.click(ahead, 0);
    page.until("window.walkon.model.ahead !== null");
    hand.step(100);
    page.until("window.walkon.model.ahead === null && window.walkon.drawn === 400");
    at_ease(&mut page);
}

#[test]
fn controls_take_the_keys_they_know() {
    let viewed = Viewed::level("tower");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    page.press("tab-paths");
    at_rest(&mut page);
    let view = page.value("JSON.stringify(window.walkon.camera.middle)");
    let ceiling = "Number(document.querySelector('[data-test=ceiling]').value)";
    page.focus("[data-test=ceiling]");
    let high = page.value(ceiling).as_f64().unwrap();
    page.key("ArrowLeft", 37);
    page.until(&format!("{ceiling} < {high}"));
    page.key("Home", 36);
    page.until(&format!("{ceiling} === 0"));
    page.key("End", 35);
    page.until(&format!("{ceiling} === {high}"));
    page.focus("#grip");
    page.key("ArrowLeft", 37);
    assert_eq!(page.value("JSON.stringify(window.walkon.camera.middle[1])"), view_of(&view, 1));
    page.focus("#path-avoid");
    page.key(" ", 32);
    page.until("document.querySelector('#path-avoid').checked");
    assert_eq!(page.value("window.walkon.state.playing"), false);
    // What a checkbox does not know is a key of the page.
    page.key(".", 190);
    page.until("window.walkon.tick === 1");
    at_ease(&mut page);
}

/// One number of a place that was written down.
fn view_of(view: &Value, axis: usize) -> String {
    serde_json::from_str::<Value>(view.as_str().unwrap()).unwrap()[axis].to_string()
}

#[test]
fn fields_let_the_keys_of_the_debugger_through() {
    let viewed = yard();
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let mut hand = viewed.client();
    let lines = json!([{ "line": IN_ADD }]);
    hand.get(json!({ "do": "debug", "action": "breakpoints", "file": "guard.lua", "lines": lines }));
    page.press("tab-console");
    page.press("play");
    let stops = "((window.walkon.debugging.stop?.number ?? -1) + 1)";
    let mut seen = page.until(stops).as_u64().unwrap();
    page.value("window.isSamePage = true");
    for mark in ["console-input", "event-name", "event-payload", "search"] {
        for (key, number) in [("F10", 121), ("F5", 116)] {
            // Each stop shows its source.
            at_rest(&mut page);
            page.press("tab-console");
            page.focus(&format!("[data-test={mark}]"));
            page.key(key, number);
            seen = page.until(&format!("{stops} > {seen} && {stops}")).as_u64().unwrap();
        }
    }
    at_rest(&mut page);
    page.press("tab-console");
    assert_eq!(page.value("window.isSamePage"), true, "F5 goes on, and does not load the page again");
    page.focus("[data-test=console-input]");
    page.key_with("k", 75, 2);
    page.until("document.activeElement?.dataset.test === 'search'");
    at_ease(&mut page);
}

#[test]
fn speeds_and_seeds_that_are_in_no_list_are_dealt_with() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let mut hand = viewed.client();
    for (times, key, next) in [(3, "]", "4"), (30, "[", "25"), (3, "[", "2"), (100, "]", "'max'")] {
        hand.get(json!({ "do": "speed", "times": times }));
        page.until(&format!("window.walkon.state.speed === {times}"));
        page.key(key, 219);
        page.until(&format!("window.walkon.state.speed === {next}"));
    }
    let seed = page.value("window.walkon.state.seed");
    let restart = page.middle_of("restart");
    page.click(restart, 8);
    for text in ["abc", "", "1.5", "-1", "1e3", "99999999999999999999"] {
        page.set("#field-seed", text);
        page.value("document.querySelector('[data-test=dialog-mistake]').hidden = true");
        page.press("dialog-ok");
        page.until(&format!("{}.includes('whole number from 0')", words("dialog-mistake")));
    }
    assert_eq!(page.value("window.walkon.state.seed"), seed);
    page.set("#field-seed", "12");
    page.press("dialog-ok");
    page.until("!document.querySelector('dialog') && window.walkon.state.seed === 12");
    at_ease(&mut page);
}

/// The least contrast of words in small grey and coloured plates, as WCAG counts it, with what they say.
const FAINTEST: &str = "
    (() => {
        const brush = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        const over = (colour, ground) => {
            brush.fillStyle = `rgb(${ground})`; brush.fillRect(0, 0, 1, 1);
            brush.fillStyle = colour; brush.fillRect(0, 0, 1, 1);
            return [...brush.getImageData(0, 0, 1, 1).data].slice(0, 3);
        };
        const light = colour => {
            const [r, g, b] = colour.map(it => it / 255).map(it => it <= 0.03928 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const ground = it => it ? over(getComputedStyle(it).backgroundColor, ground(it.parentElement)) : [255, 255, 255];
        const contrast = it => {
            const [one, two] = [light(ground(it)), light(over(getComputedStyle(it).color, ground(it)))];
            return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
        };
        const all = [...document.querySelectorAll('.tag, .state, .soft, #tabs button, #toolhint')];
        const seen = all.filter(it => it.checkVisibility() && it.innerText.trim());
        return seen.map(it => [contrast(it), it.innerText]).sort((one, two) => one[0] - two[0])[0];
    })()";

/// Whether the hint of the tool lies over anything that scenes say, or one of them is not there.
const OVERLAP: &str = "
    (() => {
        const hint = document.querySelector('[data-test=tool-hint]').getBoundingClientRect();
        const all = [...document.querySelectorAll('#film .line, #film .choice, #film .chip')];
        return hint.width === 0 || all.length < 2 || all.map(it => it.getBoundingClientRect()).some(it =>
            it.left < hint.right && it.right > hint.left && it.top < hint.bottom && it.bottom > hint.top);
    })()";

#[test]
fn nothing_covers_what_scenes_say_and_everything_can_be_read() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let mut hand = viewed.client();
    page.press("attend");
    page.until("window.walkon.state.attends");
    until_a_choice(&mut hand);
    page.until(CHOICE);
    for size in [[800, 600], [1600, 900]] {
        page.size(size);
        for tool in ["edit", "walk", "path"] {
            page.press(&format!("tool-{tool}"));
            page.until(&format!("{}.length > 10", words("tool-hint")));
            assert_eq!(page.value(OVERLAP), false, "{size:?} {tool}");
        }
    }
    page.size([800, 600]);
    for tab in ["inspect", "problems", "console"] {
        page.press(&format!("tab-{tab}"));
        let widths = page.value("(it => [it.scrollWidth, it.clientWidth])(document.querySelector('#tabs'))");
        assert_eq!(widths[0], widths[1], "{tab}");
    }
    page.press("tab-inspect");
    page.until(&format!("{}.includes('Characters')", words("inspector")));
    for _ in ["one theme", "the other"] {
        let faintest = page.value(FAINTEST);
        assert!(faintest[0].as_f64() >= Some(4.5), "{faintest}");
        page.press("theme");
    }
    page.key("?", 191);
    let help = page.until("(it => it && [it.scrollTop, it.scrollHeight - it.clientHeight])(document.querySelector('[data-test=keys]'))");
    assert_eq!(help[0], 0, "{help}");
    assert!(help[1].as_f64() > Some(0.0), "it is longer than the window: {help}");
    at_ease(&mut page);
}
