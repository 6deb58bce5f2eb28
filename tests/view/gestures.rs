//! What people do on the stage with a mouse.
//!
//! Goal: each gesture does what it says: points and links of graphs by hand, tiles, doors, expected paths,
//! floors that are turned. Method: real presses and drags in Chromium; what they came to is read from the
//! files and from the program over a socket of its own, not from the page.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::browser::Page;
use super::hand::{Hand, Viewed};
use super::page::{at_ease, opened, place_of, settled};

/// What is waited for at most: a deadline for a hang, not a measure.
const PATIENCE: Duration = Duration::from_secs(90);

/// Waits until something holds.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "{what} never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Makes a gesture, and makes it again as people do when nothing comes of it: a busy machine may still be
/// drawing.
fn made_until(what: &str, mut gesture: impl FnMut(), mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        gesture();
        let look = Instant::now() + Duration::from_secs(6);
        while Instant::now() < look {
            if holds() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(Instant::now() < deadline, "{what} never came");
    }
}

/// Where a place of the world is in the window.
pub fn spot_of(page: &mut Page, place: [f64; 3]) -> [f64; 2] {
    let spot = page.value(&format!("(at => [at.x, at.y])(window.walkon.spotOf({}))", json!(place)));
    [spot[0].as_f64().unwrap(), spot[1].as_f64().unwrap()]
}

/// Waits until a place of the world stays where it is in the window: the view is fitted again once the
/// heights of the scene are known.
fn spot_at_rest(page: &mut Page, place: [f64; 3]) {
    let mut spot = spot_of(page, place);
    let mut since = Instant::now();
    while since.elapsed() < Duration::from_millis(500) {
        std::thread::sleep(Duration::from_millis(50));
        let now = spot_of(page, place);
        if now != spot {
            (spot, since) = (now, Instant::now());
        }
    }
}

/// All texts of the level as the program has them; a file may go while they are asked for.
fn texts(hand: &mut Hand) -> Vec<String> {
    let files = hand.get(json!({ "do": "files" }))["level"].clone();
    let text =
        |file: &Value| Some(hand.ask(json!({ "do": "source", "file": file })).ok()?["text"].to_string());
    files.as_array().unwrap().iter().filter_map(text).collect()
}

/// Count of points and of links of the graph of the level.
fn graph_size(hand: &mut Hand) -> [u64; 2] {
    let told = hand.get(json!({ "do": "graph", "action": "island" }));
    [&told["points"], &told["links"]].map(|count| count.as_u64().unwrap())
}

fn from_above(page: &mut Page) {
    page.press("compass");
    page.until("window.walkon.pose.tilt > 1.57 && window.walkon.pose.turn === 0");
}

#[test]
fn points_and_links_are_laid_moved_and_taken_away_by_hand() {
    let viewed = Viewed::level("tower");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let mut hand = viewed.client();
    let before = texts(&mut hand);
    let [points, links] = graph_size(&mut hand);
    from_above(&mut page);
    (0..6).for_each(|_| page.press("zoom-in"));
    page.press("tab-edit");
    // Everything that can be added to a graph stands in one row.
    page.until("(high => high > 30 && high < 50)(document.querySelector('.toolbar')?.getBoundingClientRect().height)");
    page.press("graph-points");
    // A point in the middle of the stage, on the highest floor there.
    let old = page.until(
        "(() => { const { model, spotOf } = window.walkon; const [x, y] = [window.innerWidth * 0.35, window.innerHeight * 0.4]; \
         const away = at => Math.hypot(at.x - x, at.y - y); \
         const all = model.scene.layers.flatMap(layer => layer.shapes).filter(shape => shape.key === 'point' && shape.mid && shape.mid[1] > 2); \
         return all.map(shape => shape.mid).sort((a, b) => away(spotOf(a)) - away(spotOf(b)))[0]; })()",
    );
    let old: [f64; 3] = serde_json::from_value(old).unwrap();
    let new = [old[0] + 0.12, old[1], old[2] + 0.12];
    let [at_old, at_new] = [old, new].map(|place| spot_of(&mut page, place));
    let mut is = |what: &str, points: u64, links: u64| {
        until(what, || graph_size(&mut hand) == [points, links]);
    };
    page.click(at_new, 0);
    is("a point", points + 1, links);
    page.click(at_new, 0);
    page.click(at_old, 0);
    is("a link", points + 1, links + 1);
    page.click(at_new, 0);
    page.click(at_old, 0);
    is("a link less", points + 1, links);
    let moved = [at_new[0] + 20.0, at_new[1]];
    let was = texts(&mut hand);
    page.drag([at_new, moved], "left");
    until("a point elsewhere", || texts(&mut hand) != was);
    page.point_at(moved);
    page.key("Delete", 46);
    until("a point less", || graph_size(&mut hand) == [points, links]);
    // As fast as the mouse goes: each press takes one step back, however the page is busy.
    (0..5).for_each(|_| page.click_on("undo"));
    until("the graph as it was", || texts(&mut hand) == before);
    assert!(hand.ask(json!({ "do": "undo" })).is_err(), "there were no other steps");
    at_ease(&mut page);
}

#[test]
fn tiles_are_painted_with_a_stroke() {
    let viewed = Viewed::level("ruins");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let file = viewed.file("levels/ruins.json");
    let before = std::fs::read_to_string(&file).unwrap();
    page.press("tab-edit");
    page.press("paint");
    page.press("brush-#");
    let value: Value = serde_json::from_str(&before).unwrap();
    let rows: Vec<&str> =
        value["navigation"]["rows"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect();
    // Three tiles of plain ground in a row, where nobody stands.
    let (row, column) =
        rows.iter().enumerate().rev().find_map(|(at, row)| Some((at, row.find(".....")? + 1))).unwrap();
    let side = value["navigation"]["cellSize"].as_f64().unwrap_or(0.4);
    let origin = |axis: usize| value["navigation"]["origin"][axis].as_f64().unwrap_or_default();
    let middle = |column: usize| {
        [origin(0) + (column as f64 + 0.5) * side, 0.0, origin(1) + (row as f64 + 0.5) * side]
    };
    let ends = [middle(column), middle(column + 2)].map(|place| spot_of(&mut page, place));
    page.drag(ends, "left");
    let mut painted = rows[row].to_owned();
    painted.replace_range(column..column + 3, "###");
    let after = before.replacen(rows[row], &painted, 1);
    until("a stroke", || {
        let text = std::fs::read_to_string(&file).unwrap();
        text != before && serde_json::from_str::<Value>(&text).unwrap()["navigation"]["rows"][row] == painted
    });
    assert_eq!(std::fs::read_to_string(&file).unwrap().len(), after.len(), "nothing else was written");
    page.click_on("undo");
    until("the map as it was", || std::fs::read_to_string(&file).unwrap() == before);
    at_ease(&mut page);
}

#[test]
fn doors_are_opened_and_locked_on_the_stage() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let mut hand = viewed.client();
    let at = page.until(
        "(() => { const door = window.walkon.model.raw.layers.flatMap(layer => layer.shapes).find(shape => shape.kind === 'door' && shape.name === 'gate'); \
         const corners = door?.polygon ?? door?.blocks?.flatMap(([a, b, c, d]) => [[a, b], [c, d]]); \
         const all = axis => corners.map(corner => corner[axis]); \
         return corners && [0, 1].map(axis => (Math.min(...all(axis)) + Math.max(...all(axis))) / 2); })()",
    );
    let gate = [at[0].as_f64().unwrap(), 0.0, at[1].as_f64().unwrap()];
    let spot = spot_of(&mut page, gate);
    for (entry, key, expected) in [
        ("menu-open", "state", json!("open")),
        ("menu-lock", "isLocked", json!(true)),
        ("menu-unlock", "isLocked", json!(false)),
        ("menu-close", "state", json!("closed")),
    ] {
        page.drag([spot, spot], "right");
        page.press(entry);
        until(entry, || {
            hand.step(30);
            hand.get(json!({ "do": "inspect", "kind": "door", "name": "gate" }))[key] == expected
        });
    }
    page.click(spot, 0);
    page.until("document.querySelector('[data-test=\"inspector\"]').innerText.includes('gate')");
    at_ease(&mut page);
}

#[test]
fn expected_paths_are_seen_by_everybody_and_forgotten() {
    let viewed = Viewed::level("courtyard");
    let Some((browser, mut one)) = opened(&viewed) else { return };
    let mut two = settled(browser.open(&viewed.address));
    two.press("tab-paths");
    one.press("tab-paths");
    let ends = ["guard", "messenger"].map(|name| place_of(&mut one, name));
    ends.into_iter().for_each(|end| one.click(end, 0));
    one.until("document.querySelector('[data-test=\"path-result\"]')?.innerText.includes('complete')");
    one.press("expect");
    let rows = "document.querySelectorAll('[data-test=\"expectations\"] tbody tr').length";
    one.until(&format!("{rows} === 1"));
    two.until(&format!("{rows} === 1"));
    two.press("forget-0");
    two.until(&format!("{rows} === 0"));
    one.until(&format!("{rows} === 0"));
    at_ease(&mut one);
    at_ease(&mut two);
}

#[test]
fn a_level_with_floors_is_turned_and_walked_on() {
    let viewed = Viewed::level("tower");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let mut hand = viewed.client();
    from_above(&mut page);
    let middle = [400.0, 350.0];
    page.drag([middle, [480.0, 300.0]], "right");
    page.until("window.walkon.pose.tilt < 1.4 && Math.abs(window.walkon.pose.turn) > 0.3");
    assert_eq!(page.value("!!document.querySelector('[data-test=\"menu\"]')"), false, "a drag opens no menu");
    page.press("fit");
    // What hides the guest is known when the level has been drawn from there.
    page.until("window.walkon.isSettled");
    let guest = place_of(&mut page, "guest");
    page.click(guest, 0);
    page.until("window.walkon.selection?.name === 'guest'");
    // To a mark on the upper floor, which is seen from here.
    let mark = hand.get(json!({ "do": "inspect", "kind": "mark", "name": "gallery" }))["position"].clone();
    let mark: [f64; 3] = serde_json::from_value(mark).unwrap();
    page.until("window.walkon.backdrops.count > 0");
    let click = || {
        let spot = spot_of(&mut page, mark);
        page.click(spot, 8);
    };
    made_until("a walk", click, || {
        hand.step(1);
        let walk = hand.get(json!({ "do": "inspect", "kind": "character", "name": "guest" }))["walk"].clone();
        let goal: [f64; 3] = serde_json::from_value(walk["goal"].clone()).unwrap_or_default();
        goal.iter().zip(mark).all(|(one, other)| (one - other).abs() < 0.6)
    });
    page.press("slant");
    page.until("window.walkon.pose.tilt > 1.57");
    assert!(page.picture().len() > 10_000);
    at_ease(&mut page);
}

/// A number for what is painted: it differs where a pixel does, nearly always.
fn painted(page: &mut Page) -> u64 {
    let sum = "(stage => stage.getContext('2d').getImageData(0, 0, stage.width, stage.height).data.reduce((sum, part) => (sum * 31 + part) % 16777213, 7))\
               (document.querySelector('[data-test=\"stage\"]'))";
    page.value(sum).as_u64().unwrap()
}

#[test]
fn the_slider_leaves_out_floors_and_people_above_it_and_shows_them_again() {
    let viewed = Viewed::level("tower");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    page.until("window.walkon.isSettled");
    let slide = |page: &mut Page, to: &str| {
        page.value(&format!(
            "(it => {{ it.value = {to}; it.dispatchEvent(new Event('input')); }})(document.querySelector('[data-test=\"ceiling\"]'))"
        ));
    };
    page.until("document.querySelector('[data-test=\"ceiling\"]')");
    let all = painted(&mut page);
    let mut seen = vec![all];
    for share in [0.75, 0.5, 0.25, 0.0] {
        slide(&mut page, &format!("Number(it.min) + {share} * (Number(it.max) - Number(it.min))"));
        until(&format!("fewer floors at {share}"), || !seen.contains(&painted(&mut page)));
        seen.push(painted(&mut page));
    }
    slide(&mut page, "it.max");
    until("all floors again", || painted(&mut page) == all);
    at_ease(&mut page);
}

#[test]
fn boxes_marks_and_obstacles_are_worked_on_from_the_side() {
    let viewed = Viewed::level("tower");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let file = viewed.file("levels/tower.json");
    let before = std::fs::read_to_string(&file).unwrap();
    let level = || serde_json::from_str::<Value>(&std::fs::read_to_string(&file).unwrap()).unwrap();
    page.until("window.walkon.pose.tilt < 1.5");
    page.press("tab-edit");
    // The top of a box, by the middle of that face; what it would find is shown meanwhile.
    let [low, high]: [[f64; 3]; 2] = ["min", "max"]
        .map(|end| serde_json::from_value(level()["navigation"]["boxes"][0][end].clone()).unwrap());
    let [x, z] = [(low[0] + high[0]) / 2.0, (low[2] + high[2]) / 2.0];
    let drag = || {
        // A drag that went wrong may have left another top, or have picked something else.
        page.press("item-box-ground floor");
        let top = level()["navigation"]["boxes"][0]["max"][1].as_f64().unwrap();
        spot_at_rest(&mut page, [x, top, z]);
        let ends = [[x, top, z], [x, high[1] + 0.5, z]].map(|place| spot_of(&mut page, place));
        page.drag(ends, "left");
    };
    made_until("a higher box", drag, || level()["navigation"]["boxes"][0]["max"][1] == json!(high[1] + 0.5));
    // A mark keeps its height.
    let ends = [[6.0, 3.0, 1.0], [7.0, 3.0, 2.0]].map(|place| spot_of(&mut page, place));
    page.drag(ends, "left");
    until("a mark elsewhere", || level()["marks"]["balcony"] == json!([7, 3, 2]));
    // An obstacle lies on the floor that it was drawn on, and on no other.
    page.press("add-obstacle");
    let ends = [[8.0, 3.0, 1.0], [9.0, 3.0, 2.0]].map(|place| spot_of(&mut page, place));
    page.drag(ends, "left");
    until("an obstacle", || level()["navigation"]["obstacles"][0]["heights"] == json!([2, 4]));
    let corners = json!([[8, 1], [9, 1], [9, 2], [8, 2]]);
    assert_eq!(level()["navigation"]["obstacles"][0]["polygon"], corners);
    (0..3).for_each(|_| page.click_on("undo"));
    until("the level as it was", || std::fs::read_to_string(&file).unwrap() == before);
    at_ease(&mut page);
}

/// How a thing of a kind is drawn: pressed and clicked at places, dragged between two, and whether Enter ends
/// it.
struct Drawn {
    kind: &'static str,
    list: &'static str,
    clicks: &'static [[f64; 2]],
    drag: Option<[[f64; 2]; 2]>,
    enters: bool,
}

const DRAWN: [Drawn; 9] = [
    Drawn {
        kind: "area",
        list: "/navigation/areas",
        clicks: &[[3.0, 8.5], [6.0, 8.5], [6.0, 11.0], [4.0, 11.5]],
        drag: None,
        enters: true,
    },
    Drawn {
        kind: "obstacle",
        list: "/navigation/obstacles",
        clicks: &[],
        drag: Some([[3.0, 9.0], [4.0, 10.0]]),
        enters: false,
    },
    Drawn {
        kind: "region",
        list: "/regions",
        clicks: &[[3.0, 8.5], [6.0, 8.5], [5.0, 11.0], [3.0, 8.5]],
        drag: None,
        enters: false,
    },
    Drawn {
        kind: "region",
        list: "/regions",
        clicks: &[],
        drag: Some([[3.0, 9.0], [5.0, 10.0]]),
        enters: false,
    },
    Drawn {
        kind: "round",
        list: "/regions",
        clicks: &[],
        drag: Some([[5.0, 9.0], [6.0, 9.0]]),
        enters: false,
    },
    Drawn { kind: "mark", list: "/marks", clicks: &[[4.0, 9.0]], drag: None, enters: false },
    Drawn {
        kind: "route",
        list: "/routes",
        clicks: &[[4.0, 9.0], [6.0, 10.0], [3.0, 3.0]],
        drag: None,
        enters: true,
    },
    Drawn { kind: "character", list: "/characters", clicks: &[[4.0, 9.0]], drag: None, enters: false },
    Drawn { kind: "door", list: "/doors", clicks: &[[35.4, 4.0]], drag: None, enters: false },
];

#[test]
fn things_of_every_kind_are_added_and_deleted_and_both_is_taken_back() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let file = viewed.file("levels/courtyard.json");
    let text = || std::fs::read_to_string(&file).unwrap();
    let before = text();
    let count = |text: &str, list: &str| {
        let level: Value = serde_json::from_str(text).unwrap();
        let list = level.pointer(list).cloned().unwrap_or_default();
        list.as_array().map_or_else(|| list.as_object().map_or(0, serde_json::Map::len), Vec::len)
    };
    page.press("tab-edit");
    for Drawn { kind, list, clicks, drag, enters } in DRAWN {
        page.until(&format!("window.walkon.model.document.text === {}", json!(before)));
        page.press(&format!("add-{kind}"));
        let mut spot = |[x, z]: [f64; 2]| spot_of(&mut page, [x, 0.0, z]);
        let clicks: Vec<[f64; 2]> = clicks.iter().map(|place| spot(*place)).collect();
        let drag = drag.map(|ends| ends.map(spot));
        clicks.into_iter().for_each(|place| page.click(place, 0));
        if let Some(ends) = drag {
            page.drag(ends, "left");
        }
        if enters {
            page.key("Enter", 13);
        }
        until(&format!("a new {kind}"), || text() != before);
        let after = text();
        assert_eq!(count(&after, list), count(&before, list) + 1, "{kind}: {after}");
        let added: Vec<&str> =
            after.lines().filter(|line| !before.contains(line.trim_end_matches(','))).collect();
        assert!(added.len() <= 8, "{kind}: the rest of the text is as it was: {added:?}");
        // It is picked, and its name may be typed at once.
        page.until("document.activeElement?.matches('#thing-name, [data-at$=\"/name\"]')");
        page.key("Escape", 27);
        let aside = spot_of(&mut page, [10.0, 0.0, 10.5]);
        page.point_at(aside);
        page.key("Delete", 46);
        until(&format!("one {kind} less"), || text() == before);
        for expected in [&after, &before] {
            page.click_on("undo");
            until(&format!("{kind}: a step back"), || text() == *expected);
        }
        for expected in [&after, &before] {
            page.click_on("redo");
            until(&format!("{kind}: a step again"), || text() == *expected);
        }
    }
    at_ease(&mut page);
}

/// Types into a field of a form as people do: what was there is replaced, and Enter is pressed.
pub fn fill(page: &mut Page, mark: &str, text: &str) {
    page.until(&format!("!!document.querySelector('[data-test=\"{mark}\"]')"));
    page.value(&format!("document.querySelector('[data-test=\"{mark}\"]').select(), true"));
    page.enter(mark, text);
}

#[test]
fn a_refused_value_stays_in_its_field_with_what_is_wrong() {
    let viewed = Viewed::level("courtyard");
    let Some((_browser, mut page)) = opened(&viewed) else { return };
    let file = viewed.file("levels/courtyard.json");
    let before = std::fs::read_to_string(&file).unwrap();
    page.press("tab-edit");
    page.press("item-character-guard");
    fill(&mut page, "field-walkSpeed", "-5");
    let told = "document.querySelector('[data-test=\"field-problem\"]')?.innerText";
    page.until(&format!("{told}?.includes('walkSpeed')"));
    let typed = "document.querySelector('[data-test=\"field-walkSpeed\"]').value";
    assert_eq!(page.value(typed), "-5");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before, "nothing was written");
    page.press("take-back");
    page.until(&format!("{typed} === '1.6' && !{told}"));
    fill(&mut page, "field-walkSpeed", "-1");
    page.until(&format!("{told}?.includes('walkSpeed')"));
    fill(&mut page, "field-walkSpeed", "2");
    page.until(&format!("!{told}"));
    until("a faster guard", || std::fs::read_to_string(&file).unwrap().contains("\"walkSpeed\": 2,"));
    // Parameters of behaviours are held to what their scripts say.
    let mut hand = viewed.client();
    hand.get(json!({ "do": "edit", "changes": [{ "at": "/characters/0/params/pause", "set": 1 }] }));
    let paused = std::fs::read_to_string(&file).unwrap();
    fill(&mut page, "field-pause", "-2");
    page.until(&format!("{told}?.includes('params.pause')"));
    assert_eq!(page.value("document.querySelector('[data-test=\"field-pause\"]').value"), "-2");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), paused, "nothing was written");
    page.press("take-back");
    page.until(&format!("!{told}"));
    at_ease(&mut page);
}
