use proptest::prelude::*;
use serde_json::{Value, json};

use crate::edit::json::{Json, by_key, number_text};
use crate::edit::patch::{Change, PatchKind, below, patch, pointer};
use crate::edit::span::{index, key_of, open, root, tokens, value_span};

const COURTYARD: &str = include_str!("../../../../../levels/courtyard.json");
const MARKET: &str = include_str!("../../../../../levels/market.json");

fn patched(text: &str, change: Change) -> String {
    patch(text, &[change]).unwrap()
}

/// The lines of one text that the other does not have, in order.
fn new_lines<'t>(text: &'t str, old: &str) -> Vec<&'t str> {
    text.lines().filter(|line| !old.lines().any(|other| other == *line)).collect()
}

#[test]
fn an_object_of_many_keys_in_another_order_is_set_where_it_differs() {
    const KEYS: usize = 6_000;
    let member = |at: usize| format!("  \"m{at}\": [{at}, 0]");
    let text = format!("{{\n{}\n}}\n", (0..KEYS).map(member).collect::<Vec<_>>().join(",\n"));
    let new = (0..KEYS).rev().map(|at| (format!("m{at}"), Json::from(json!([at, usize::from(at == 7)]))));
    let patched = patched(&text, Change::set("", Json::Object(new.collect())));
    assert!(patched == text.replace("\"m7\": [7, 0]", "\"m7\": [7, 1]"));
}

#[test]
fn a_value_is_set_where_it_stands() {
    let text = patched(COURTYARD, Change::set("/doors/0/open", json!(true)));
    assert_eq!(text, COURTYARD.replace("\"open\": false", "\"open\": true"));
    let text = patched(COURTYARD, Change::set("/navigation/obstacles/0/polygon/1", json!([11.5, 5])));
    assert_eq!(text, COURTYARD.replace("[11, 5]", "[11.5, 5]"));
    let text = patched(COURTYARD, Change::set("/marks/post/0", json!(4.0)));
    assert_eq!(text, COURTYARD.replace("\"post\": [3, 3]", "\"post\": [4, 3]"));
}

#[test]
fn what_is_new_takes_the_layout_of_its_neighbours() {
    let cook = json!({ "name": "cook", "position": [1, 2.5], "walkSpeed": 1.2 });
    let text = patched(COURTYARD, Change::insert("/characters/-", cook.clone()));
    let player = "{ \"name\": \"player\", \"position\": [6, 6], \"facingDegrees\": 90, \"player\": true }";
    let line = "{ \"name\": \"cook\", \"position\": [1, 2.5], \"walkSpeed\": 1.2 }";
    assert_eq!(text, COURTYARD.replace(player, &format!("{player},\n    {line}")));
    // Before the first of all, which stands on several lines.
    let text = patched(COURTYARD, Change::insert("/characters/0", cook));
    assert_eq!(text, COURTYARD.replacen("    {\n", &format!("    {line},\n    {{\n"), 1));
    // A list on one line stays on it.
    let door = json!({ "name": "back", "area": "alcove" });
    let text = patched(COURTYARD, Change::insert("/doors/-", door));
    assert_eq!(text, COURTYARD.replace("0.6 }]", "0.6 }, { \"name\": \"back\", \"area\": \"alcove\" }]"));
    let text = patched(COURTYARD, Change::insert("/marks/well~1two", json!({ "position": [1, 2] })));
    assert_eq!(text, COURTYARD.replace("[24, 10]", "[24, 10],\n    \"well/two\": { \"position\": [1, 2] }"));
    let text = patched(COURTYARD, Change::set("/characters/2/radius", json!(0.25)));
    assert_eq!(text, COURTYARD.replace("\"walkSpeed\": 1.2 }", "\"walkSpeed\": 1.2, \"radius\": 0.25 }"));
    // The habit of another file.
    let area = json!({ "name": "yard", "polygon": [[0, 0], [1, 0], [1, 1]] });
    let text = patched(MARKET, Change::insert("/navigation/areas/1", area));
    let line = "      {\"name\": \"yard\", \"polygon\": [[0, 0], [1, 0], [1, 1]]},";
    assert_eq!(new_lines(&text, MARKET), [line]);
    assert_eq!(text.replace(&format!("{line}\n"), ""), MARKET);
}

#[test]
fn something_wide_is_broken_into_lines_and_a_filled_object_is_filled() {
    let tags = vec!["a word of some length"; 3];
    let wide = json!({ "name": "cook", "position": [1, 2], "tags": tags, "player": false, "radius": 0.25 });
    let text = patched(COURTYARD, Change::insert("/characters/2", wide));
    assert_eq!(
        new_lines(&text, COURTYARD),
        [
            "      \"name\": \"cook\", \"position\": [1, 2], \"radius\": 0.25, \"player\": false,",
            "      \"tags\": [\"a word of some length\", \"a word of some length\", \"a word of some length\"]",
        ]
    );
    let text =
        patched(COURTYARD, Change::set("/characters/0/props", json!({ "title": "captain of the guard" })));
    let line =
        "      \"tags\": [\"watch\"], \"behaviour\": \"guard.lua\", \"params\": { \"route\": \"rounds\" },";
    assert_eq!(
        new_lines(&text, COURTYARD),
        [line, "      \"props\": { \"title\": \"captain of the guard\" }"]
    );
}

#[test]
fn what_goes_takes_its_comma_and_its_line() {
    let without = |from: &str| COURTYARD.replacen(from, "", 1);
    let text = patched(COURTYARD, Change::remove("/characters/2"));
    assert_eq!(
        text,
        without(
            "    { \"name\": \"regent\", \"position\": [32.6, 6], \"facingDegrees\": 270, \"walkSpeed\": 1.2 },\n"
        )
    );
    let text = patched(COURTYARD, Change::remove("/marks/hearth"));
    assert_eq!(text, without(",\n    \"hearth\": [24, 10]"));
    let text = patched(COURTYARD, Change::remove("/characters/0/walkSpeed"));
    assert_eq!(text, without(", \"walkSpeed\": 1.6"));
    let text = patched(COURTYARD, Change::remove("/doors/0"));
    assert_eq!(
        text,
        COURTYARD.replace(
            "[{ \"name\": \"gate\", \"area\": \"gateway\", \"open\": false, \"seconds\": 0.6 }]",
            "[]"
        )
    );
    let text = patched(COURTYARD, Change::remove("/seed"));
    assert_eq!(text, without("  \"seed\": 1,\n"));
}

#[test]
fn setting_a_whole_changes_only_what_differs_in_it() {
    let value: Value = serde_json::from_str(COURTYARD).unwrap();
    assert_eq!(patched(COURTYARD, Change::set("", value.clone())), COURTYARD);
    let mut other = value;
    other["characters"][0]["position"][0] = json!(4);
    other["marks"]["well"]["facingDegrees"] = json!(90.5);
    other["navigation"]["areas"].as_array_mut().unwrap().remove(1);
    let text = patched(COURTYARD, Change::set("", other.clone()));
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), other);
    assert_eq!(new_lines(&text, COURTYARD).len(), 2);
    let text = patched("[15.0, 30.00]", Change::set("", json!([15, 31])));
    assert_eq!(text, "[15.0, 31]");
}

#[test]
fn what_is_missing_on_the_way_is_made() {
    let text = patched("{ \"name\": \"a\" }", Change::insert("/characters/-", json!({ "name": "b" })));
    assert_eq!(text, "{ \"name\": \"a\", \"characters\": [{ \"name\": \"b\" }] }");
    let text = patched(COURTYARD, Change::set("/limits/characters", json!(10)));
    assert_eq!(new_lines(&text, COURTYARD).len(), 2, "{text}");
    assert!(text.ends_with("\"courtyard.lua\",\n  \"limits\": { \"characters\": 10 }\n}\n"), "{text}");
    let text = patched("{\n  \"a\": [\n  ]\n}", Change::insert("/a/0", json!(1)));
    assert_eq!(text, "{\n  \"a\": [\n    1\n  ]\n}");
}

#[test]
fn line_ends_byte_order_marks_and_tabs_are_kept() {
    let text = format!("\u{FEFF}{}", COURTYARD.trim_end().replace("\n", "\r\n").replace("  ", "\t"));
    let cook = json!({ "name": "cook", "position": [1, 2], "tags": vec!["a"; 40] });
    let changed = patched(&text, Change::insert("/characters/-", cook));
    assert!(changed.starts_with('\u{FEFF}') && changed.ends_with('}'));
    assert_eq!(changed.matches('\n').count(), changed.matches("\r\n").count());
    assert!(changed.contains("\r\n\t\t{\r\n\t\t\t\"name\": \"cook\", \"position\": [1, 2],\r\n\t\t\t\"tags\": [\r\n\t\t\t\t\"a\", \"a\""), "{changed}");
    assert!(changed.starts_with(&text[..1000]));
}

#[test]
fn texts_that_break_everything_and_texts_without_lines_keep_their_habit() {
    let value = json!({ "a": [{ "b": [1, 2], "c": { "d": true } }] });
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    let new = json!({ "b": [3], "c": {} });
    let text = patched(&pretty, Change::insert("/a/-", new.clone()));
    let mut after = value.clone();
    after["a"].as_array_mut().unwrap().push(new.clone());
    assert_eq!(text, serde_json::to_string_pretty(&after).unwrap());
    let text = patched(&value.to_string(), Change::insert("/a/-", new));
    assert_eq!(text, after.to_string());
}

#[test]
fn mistakes_name_the_place_and_what_was_expected() {
    let said = |change: Change| patch(COURTYARD, &[change]).unwrap_err().to_string();
    assert_eq!(
        said(Change::set("/doors/3/open", json!(true))),
        "/doors/3/open is not there: the list has 1 items, expected an index below 1"
    );
    assert_eq!(
        said(Change::insert("/seed/a", json!(1))),
        "/seed/a cannot be set: its parent is a number, expected a list or an object"
    );
    assert_eq!(
        said(Change::insert("/marks/well", json!(1))),
        "/marks/well is there already, expected a new key"
    );
    assert_eq!(
        said(Change::insert("/doors/2", json!(1))),
        "/doors/2 is not there: the list has 1 items, expected 0 to 1 or -"
    );
    assert_eq!(said(Change::remove("/marks/x")), "/marks/x is not there, expected something to remove");
    assert_eq!(
        said(Change::set("doors", json!(1))),
        "doors is not a JSON pointer, expected it to begin with /"
    );
    assert_eq!(said(Change::remove("")), "the text cannot be removed as a whole");
    assert!(patch("{", &[]).unwrap_err().to_string().starts_with("the text is not JSON: EOF"));
}

#[test]
fn what_is_nested_deeply_takes_no_longer_than_it_is_long() {
    let deep = |depth: usize| (0..depth).fold(json!([1, 2]), |inner, _| json!({ "a": [inner, 1] }));
    let pretty = serde_json::to_string_pretty(&deep(30)).unwrap();
    let text = patched(&pretty, Change::insert("/a/-", deep(60)));
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["a"][2], deep(60));
    let wide = json!({ "name": "x".repeat(200), "a": deep(50) });
    let text = patched(COURTYARD, Change::insert("/characters/-", wide.clone()));
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["characters"][4], wide);
    let far = patch("{}", &[Change::set("/a".repeat(100_000), json!(1))]).unwrap_err();
    assert_eq!(far.what, "is nested deeper than 100");
}

#[test]
fn changes_are_read_as_clients_send_them() {
    let text = r#"[{"at": "/a", "set": null}, {"at": "/b/-", "insert": {"z": 1, "a": 2}}, {"at": "/c", "remove": true}]"#;
    let changes: Vec<Change> = serde_json::from_str(text).unwrap();
    let new = Json::Object(vec![("z".into(), Json::from(json!(1))), ("a".into(), Json::from(json!(2)))]);
    assert_eq!(
        changes,
        [
            Change { at: "/a".into(), what: PatchKind::Set(Json::Null) },
            Change { at: "/b/-".into(), what: PatchKind::Insert(new) },
            Change::remove("/c"),
        ]
    );
    for wrong in [r#"{"at": "/a"}"#, r#"{"at": "/a", "set": 1, "remove": true}"#, r#"{"at": "/a", "put": 1}"#]
    {
        assert!(serde_json::from_str::<Change>(wrong).is_err(), "{wrong}");
    }
}

/// Numbers out of one.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }
}

fn values() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i32>().prop_map(|number| Json::Number(number.into())),
        (-1e6..1e6_f64).prop_map(|number| Json::from(json!(number))),
        "[a-z \"\\\\/~é\n]{0,5}".prop_map(Json::Text),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Json::List),
            prop::collection::btree_map("[a-c/~\"é0]{1,2}", inner, 0..5)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

/// A text of a value, spaced and spelled at random.
fn spelled(value: &Json, dice: &mut Dice) -> String {
    let space = |dice: &mut Dice| ["", "", " ", "\n  ", "\r\n\t", "\n\n"][dice.roll(6)];
    match value {
        Json::List(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|item| format!("{}{}{}", space(dice), spelled(item, dice), space(dice)))
                .collect();
            format!("[{}{}]", items.join(","), if items.is_empty() { space(dice) } else { "" })
        }
        Json::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(key, item)| {
                    let key = serde_json::to_string(key).unwrap();
                    let [a, b, c, d] = [0; 4].map(|_| space(dice));
                    format!("{a}{key}{b}:{c}{}{d}", spelled(item, dice))
                })
                .collect();
            format!("{{{}{}}}", members.join(","), if members.is_empty() { space(dice) } else { "" })
        }
        Json::Number(number) if dice.roll(2) == 0 => match number.as_i64() {
            Some(number) if dice.roll(2) == 0 => format!("{number}.00"),
            Some(number) => format!("{number}e0"),
            None => number.to_string(),
        },
        leaf => serde_json::to_string(&Value::from(leaf)).unwrap(),
    }
}

/// The pointers of a value and of everything in it.
fn pointers(value: &Json, here: String, all: &mut Vec<String>) {
    match value {
        Json::List(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(number, item)| pointers(item, format!("{here}/{number}"), all));
        }
        Json::Object(members) => {
            members.iter().for_each(|(key, item)| pointers(item, below(&here, key), all));
        }
        _ => {}
    }
    all.push(here);
}

fn find<'v>(value: &'v mut Json, tokens: &[String]) -> &'v mut Json {
    let Some((first, rest)) = tokens.split_first() else { return value };
    match value {
        Json::List(items) => find(&mut items[index(first).unwrap()], rest),
        Json::Object(members) => {
            find(members.iter_mut().find(|(key, _)| key == first).map(|(_, item)| item).unwrap(), rest)
        }
        _ => panic!("no such place"),
    }
}

/// The same change by the book.
fn by_the_book(value: &mut Json, change: &Change) {
    let tokens = tokens(&change.at).unwrap();
    if let PatchKind::Set(new) = &change.what {
        *find(value, &tokens) = new.clone();
        return;
    }
    let (last, parents) = tokens.split_last().unwrap();
    match (find(value, parents), &change.what) {
        (Json::List(items), PatchKind::Insert(new)) => {
            let number = index(last).unwrap_or(items.len());
            items.insert(number, new.clone());
        }
        (Json::Object(members), PatchKind::Insert(new)) => members.push((last.clone(), new.clone())),
        (Json::List(items), _) => _ = items.remove(index(last).unwrap()),
        (Json::Object(members), _) => members.retain(|(key, _)| key != last),
        _ => panic!("no such place"),
    }
}

/// A change that is possible.
fn some_change(value: &Json, new: &Json, dice: &mut Dice) -> Change {
    let mut all = Vec::new();
    pointers(value, String::new(), &mut all);
    let at = all[dice.roll(all.len())].clone();
    let mut copy = value.clone();
    match (dice.roll(3), find(&mut copy, &tokens(&at).unwrap())) {
        (0, _) if !at.is_empty() => Change::remove(at),
        (1, Json::List(items)) => match dice.roll(items.len() + 2) {
            number if number <= items.len() => Change::insert(format!("{at}/{number}"), new.clone()),
            _ => Change::insert(format!("{at}/-"), new.clone()),
        },
        (1, Json::Object(members)) => {
            let key = format!("new ~/\"{}", "'".repeat(members.len()));
            match by_key(members).get(key.as_str()).copied() {
                None => Change::insert(below(&at, &key), new.clone()),
                Some(_) => Change::remove(below(&at, &key)),
            }
        }
        // The same with a piece of it changed, so that most of it is kept.
        (2, there) => {
            let mut inner = Vec::new();
            pointers(there, String::new(), &mut inner);
            let inner = inner[dice.roll(inner.len())].clone();
            *find(there, &tokens(&inner).unwrap()) = new.clone();
            Change::set(at, there.clone())
        }
        _ => Change::set(at, new.clone()),
    }
}

/// Rounded as numbers are when they are written.
fn rounded(value: &Json) -> Json {
    match value {
        Json::Number(number) => Json::read(&number_text(number)).unwrap(),
        Json::List(items) => Json::List(items.iter().map(rounded).collect()),
        Json::Object(members) => {
            Json::Object(members.iter().map(|(key, item)| (key.clone(), rounded(item))).collect())
        }
        leaf => leaf.clone(),
    }
}

/// Every value beside the way to a change keeps its bytes.
fn assert_untouched(before: &str, after: &str, change: &Change) {
    let tokens = tokens(&change.at).unwrap();
    for depth in 0..tokens.len() {
        let here = pointer(&tokens[..depth]);
        let opened = |text: &str| value_span(text, &here).and_then(|at| open(text, &at)).unwrap();
        let (old, new) = (opened(before), opened(after));
        let is_list = before.as_bytes()[value_span(before, &here).unwrap().start] == b'[';
        let mut kept: Vec<&str> = Vec::new();
        for (number, item) in old.items.iter().enumerate() {
            let is_on_the_way = match is_list {
                true => index(&tokens[depth]) == Some(number),
                false => key_of(before, item).unwrap() == tokens[depth],
            };
            let is_last = depth + 1 == tokens.len();
            if !is_on_the_way || (is_last && matches!(change.what, PatchKind::Insert(_))) {
                kept.push(&before[item.whole()]);
            }
        }
        let mut there = new.items.iter().map(|item| &after[item.whole()]);
        for text in kept {
            assert!(there.any(|other| other == text), "{text:?} is not in {after:?} any more");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn patched_texts_mean_what_the_changes_say_and_keep_the_rest(
        value in values(), new in values(), seed in any::<u64>(),
    ) {
        let mut dice = Dice(seed);
        let mut text = spelled(&value, &mut dice);
        if dice.roll(4) == 0 {
            text = format!("\u{FEFF}{text}");
        }
        if dice.roll(2) == 0 {
            text.push('\n');
        }
        let mut expected = Json::read(text.trim_start_matches('\u{FEFF}')).unwrap();
        for _ in 0..3 {
            let change = some_change(&expected, &new, &mut dice);
            let after = patch(&text, std::slice::from_ref(&change)).unwrap();
            by_the_book(&mut expected, &change);
            let got = Json::read(after.trim_start_matches('\u{FEFF}')).unwrap();
            prop_assert!(rounded(&got).is_same(&rounded(&expected)), "{text}\n{change:?}\n{after}");
            assert_untouched(&text, &after, &change);
            let (old, now) = (root(&text), root(&after));
            prop_assert_eq!(&text[..old.start], &after[..now.start]);
            prop_assert_eq!(&text[old.end..], &after[now.end..]);
            text = after;
        }
    }

    #[test]
    fn any_change_gives_json_again_or_says_why_not(
        value in values(), new in values(), seed in any::<u64>(),
        at in "(/(-|0|1|2|01|a|b|~1|~0|é0?|)){0,4}", kind in 0_u8..3,
    ) {
        let text = spelled(&value, &mut Dice(seed));
        let change = match kind {
            0 => Change::set(at, new),
            1 => Change::insert(at, new),
            _ => Change::remove(at),
        };
        match patch(&text, &[change]) {
            Ok(after) => prop_assert!(Json::read(&after).is_ok(), "{text}\n{after}"),
            Err(error) => prop_assert!(error.to_string().contains(&error.what)),
        }
    }

    #[test]
    fn nothing_is_written_where_nothing_changes(value in values(), seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let text = spelled(&value, &mut dice);
        let same = Json::read(&text).unwrap();
        let mut all = Vec::new();
        pointers(&same, String::new(), &mut all);
        for at in all {
            let there = find(&mut same.clone(), &tokens(&at).unwrap()).clone();
            prop_assert_eq!(patch(&text, &[Change::set(at, there)]).unwrap(), text.clone());
        }
    }
}
