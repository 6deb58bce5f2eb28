use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use walkon_runtime::level::MemorySource;

use crate::edit::document::{Checked, Document, DocumentSaveError, Save, Surroundings, Texts, check_level};
use crate::edit::graph::{GraphAction, GraphActionError, GraphDone, act, graph_files};

const TOWER: &str = include_str!("../../../../../levels/tower.json");
const SCENE: &str = include_str!("../../../../../levels/scenes/tower.obj");
const POINTS: &str = include_str!("../../../../../levels/paths/tower.graph.json");
const LEVEL: &str = "levels/tower.json";
const FILE: &str = "levels/paths/tower.graph.json";
const EDITS: &str = "levels/paths/tower.edits.graph.json";

struct Project {
    files: MemorySource,
    written: BTreeMap<String, Option<String>>,
}

impl Surroundings for Project {
    fn check(&mut self, texts: &Texts) -> Checked {
        check_level(LEVEL, texts, &self.files)
    }

    fn save(&mut self, save: Save<'_>) -> Result<(), DocumentSaveError> {
        self.written.insert(save.file.to_owned(), save.text.map(str::to_owned));
        Ok(())
    }
}

/// A document and what lies around it.
struct Table {
    project: Project,
    document: Document,
}

impl Table {
    fn new(level: &str, files: MemorySource) -> Self {
        let files = files.with(LEVEL, level).with("levels/scenes/tower.obj", SCENE);
        let mut project = Project { files, written: BTreeMap::new() };
        let texts = Texts::from([(LEVEL.to_owned(), Arc::from(level))]);
        let document = Document::new(LEVEL, texts, &mut project);
        Self { project, document }
    }

    fn tower() -> Self {
        Self::new(TOWER, MemorySource::new().with(FILE, POINTS))
    }

    fn act(&mut self, action: Value) -> Result<GraphDone, GraphActionError> {
        let action: GraphAction = serde_json::from_value(action).unwrap();
        let below = self.project.files.clone();
        act(&mut self.document, &action, &below, &mut self.project, &mut |_, _| {})
    }

    fn answer(&mut self, action: Value) -> Value {
        self.act(action).unwrap().answer
    }

    fn text(&self, file: &str) -> &str {
        self.document.text(file).unwrap()
    }
}

#[test]
fn points_that_are_generated_are_those_of_the_command_and_one_step() {
    let mut table = Table::new(TOWER, MemorySource::new());
    assert!(!table.document.checked().loads, "there are no points yet");
    let done = table.act(json!({ "action": "generate", "id": 7, "do": "graph" })).unwrap();
    let made = table.text(FILE).to_owned();
    assert_eq!(done.answer["file"], FILE);
    assert_eq!(done.answer["boxes"].as_array().map(Vec::len), Some(2));
    assert!(done.applied.unwrap().checked.loads);
    assert_eq!(table.project.written[FILE].as_ref(), Some(&made));
    assert_eq!(table.document.undoes(), Some("generate points"));
    table.document.undo(&mut table.project).unwrap();
    assert_eq!((table.document.text(FILE), &table.project.written[FILE]), (None, &None));
    table.document.redo(&mut table.project).unwrap();
    assert_eq!(table.text(FILE), made);
    // Linked again, it is what is there already.
    let done = table.act(json!({ "action": "link" })).unwrap();
    assert!(done.applied.unwrap().files.is_empty());
    // The file beside the level was made by the command, and has no islands any more.
    table.answer(json!({ "action": "remove", "points": 200 }));
    assert_eq!(table.text(FILE), POINTS);
}

#[test]
fn edits_by_hand_survive_generating_and_are_taken_back_either_way() {
    let mut table = Table::new(TOWER, MemorySource::new());
    table.answer(json!({ "action": "generate" }));
    let made = table.text(FILE).to_owned();
    let island = table.answer(json!({ "action": "island" }));
    let (points, groups) = (island["points"].as_u64().unwrap(), island["groups"].as_array().unwrap().len());
    let answer = table.answer(json!({ "action": "edit", "add": [[6, 4.5, 3]], "link": [[0, points]] }));
    assert_eq!((&answer["edits"], &answer["points"]), (&json!(2), &json!(points + 1)));
    assert_eq!(answer["warnings"][0]["ends"], json!([0, points]), "it is far too steep");
    let edited = table.text(FILE).to_owned();
    let answer = table.answer(json!({ "action": "generate" }));
    assert_eq!((&answer["edits"], &answer["conflicts"]), (&json!(2), &json!([])));
    assert_eq!(table.text(FILE), edited);
    let undone = table.answer(json!({ "action": "undo" }));
    assert_eq!((&undone["undone"], table.text(FILE)), (&json!(2), made.as_str()));
    // The document takes that back as well.
    table.document.undo(&mut table.project).unwrap();
    assert_eq!(table.text(FILE), edited);
    table.answer(
        json!({ "action": "edit", "remove": [points], "move": [{ "point": 0, "to": [0.61, 0, 0.6] }] }),
    );
    assert!(table.text(FILE).contains("[0.61,0.0,0.6]"));
    assert_eq!(table.answer(json!({ "action": "island" }))["groups"].as_array().unwrap().len(), groups);
    let nothing = table.act(json!({ "action": "edit" }));
    assert!(nothing.unwrap_err().to_string().starts_with("expected points to add"));
    assert!(matches!(
        table.act(json!({ "action": "edit", "remove": [99999] })),
        Err(GraphActionError::Points(_))
    ));
}

#[test]
fn a_point_that_is_moved_or_added_tells_what_cannot_be_walked_there() {
    let mut table = Table::tower();
    let count = table.answer(json!({ "action": "island" }))["points"].as_u64().unwrap();
    let moved = table.answer(json!({ "action": "edit", "move": [{ "point": 0, "to": [0.6, 1.5, 0.6] }] }));
    let warnings = moved["warnings"].as_array().unwrap();
    let (last, links) = warnings.split_last().unwrap();
    assert!(!links.is_empty() && links.iter().all(|link| link["ends"][0] == 0), "{moved}");
    assert_eq!((&last["point"], &last["text"]), (&json!(0), &json!("no body can stand at the point 0")));
    table.document.undo(&mut table.project).unwrap();
    let added = table.answer(json!({ "action": "edit", "add": [[500, 0, 0]] }));
    assert_eq!(added["warnings"][0]["point"], count, "{added}");
    let far = table.act(json!({ "action": "space", "name": "far", "from": [600, 0, 0], "within": 3 }));
    assert!(far.unwrap_err().to_string().contains(" is 100.0 m away, expected one within 8 m"));
}

#[test]
fn islands_are_listed_removed_and_stitched() {
    let mut table = Table::tower();
    let whole = table.answer(json!({ "action": "island" }));
    let count = whole["points"].as_u64().unwrap();
    table.answer(
        json!({ "action": "edit", "add": [[6, 3, 6.6], [6.2, 3, 6.6]], "link": [[count, count + 1]] }),
    );
    let island = table.answer(json!({ "action": "island" }));
    let last = island["groups"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["points"], &last["at"]), (&json!(2), &json!([6.0, 3.0, 6.6_f32])));
    let number = island["groups"].as_array().unwrap().len() - 1;
    let stitched = table.answer(json!({ "action": "stitch" }));
    assert_eq!((&stitched["made"], stitched["groups"].as_array().unwrap().len()), (&json!(number), 1));
    table.document.undo(&mut table.project).unwrap();
    let removed = table.answer(json!({ "action": "remove", "island": number }));
    assert_eq!((&removed["removed"], table.text(FILE)), (&json!(2), POINTS));
    table.document.undo(&mut table.project).unwrap();
    let removed = table.answer(json!({ "action": "remove", "points": 2 }));
    assert_eq!((&removed["removed"], table.text(FILE)), (&json!(2), POINTS));
    let none = table.act(json!({ "action": "remove", "island": 40 })).unwrap_err().to_string();
    assert!(none.starts_with("there is no island 40"), "{none}");
    assert_eq!(whole["doors"][0]["door"], "stairDoor");
}

#[test]
fn blocked_links_show_what_hit_them_and_go() {
    let mut table = Table::tower();
    assert_eq!(table.answer(json!({ "action": "blocked" }))["count"], 0);
    // Across the wall of the stairs, or up into the floor above: something is in the way.
    let island = table.answer(json!({ "action": "island" }));
    let count = island["points"].as_u64().unwrap();
    table.answer(json!({ "action": "edit", "link": [[0, count - 1]] }));
    let blocked = table.answer(json!({ "action": "blocked" }));
    assert_eq!((&blocked["count"], &blocked["links"][0]["ends"]), (&json!(1), &json!([0, count - 1])));
    assert!(blocked["links"][0]["hit"].is_array(), "{blocked}");
    table.answer(json!({ "action": "blocked", "remove": true }));
    assert_eq!(table.text(FILE), POINTS);
}

#[test]
fn a_box_is_tried_without_keeping_anything() {
    let mut table = Table::tower();
    let answer =
        table.answer(json!({ "action": "preview", "min": [0.35, -0.5, 0.35], "max": [2.35, 2, 2.35] }));
    assert_eq!(answer["rays"], 81);
    let points = answer["points"].as_array().unwrap();
    assert!(!points.is_empty() && points.len() <= 81 && points[0] == json!([0.6, 0.0, 0.6]), "{answer}");
    assert_eq!(table.document.undoes(), None);
    let wide = table.act(json!({ "action": "preview", "min": [0, 0, 0], "max": [1e5, 1, 1e5] })).unwrap_err();
    assert!(wide.to_string().contains("rays, the limit of a preview is"), "{wide}");
    assert!(table.act(json!({ "action": "preview", "min": [1, 0, 0], "max": [0, 1, 1] })).is_err());
}

#[test]
fn spaces_grow_and_shrink_with_a_slider_as_one_step_and_have_a_table_of_ways() {
    let mut table = Table::tower();
    let taken = |answer: &Value| answer["taken"].as_u64().unwrap();
    let small = table.answer(json!({ "action": "space", "name": "hall", "from": [10, 0, 3], "within": 1 }));
    let large = table.answer(json!({ "action": "space", "name": "hall", "from": [10, 0, 3], "within": 3 }));
    let again = table.answer(json!({ "action": "space", "name": "hall", "from": [10, 0, 3], "within": 1 }));
    assert!(taken(&small) > 0 && taken(&large) > taken(&small) && taken(&again) == taken(&small));
    table.document.undo(&mut table.project).unwrap();
    assert_eq!(table.text(FILE), POINTS);
    table.answer(json!({ "action": "space", "auto": 200 }));
    let done = table.act(json!({ "action": "table", "keep": true })).unwrap();
    let (answer, compact) = (done.answer, done.compact.unwrap());
    let parts = answer["parts"].as_u64().unwrap();
    assert!(parts > 1);
    assert_eq!(answer["pairs"].as_array().unwrap().len() as u64, parts * (parts - 1) / 2);
    assert!(answer["pairs"][0]["length"].as_f64().unwrap() > 0.0);
    assert_eq!(
        (compact.path.as_str(), compact.bytes.len()),
        ("levels/paths/tower.graph", answer["bytes"].as_u64().unwrap() as usize)
    );
    // The level takes what was kept.
    let files = table.project.files.clone().with(&compact.path, compact.bytes);
    let checked = check_level(LEVEL, table.document.texts(), &files);
    assert!(checked.loads && checked.diagnostics.iter().all(|found| !found.message.contains("not used")));
    let cleared = table.answer(json!({ "action": "space", "clear": true }));
    assert_eq!((&cleared["parts"], table.text(FILE)), (&json!([]), POINTS));
    assert!(table.act(json!({ "action": "space", "name": "hall" })).is_err());
}

#[test]
fn points_that_stand_in_the_level_are_patched_there() {
    let navigation = r#""kind": "graph", "points": [[0, 0, 0], [1, 0.0, 0]], "links": [[0, 1]]"#;
    let level = format!("{{\n  \"name\": \"tower\",\n  \"navigation\": {{ {navigation} }}\n}}\n");
    let mut table = Table::new(&level, MemorySource::new());
    let done = table.act(json!({ "action": "edit", "add": [[2, 0.1, 0]], "link": [[1, 2]] })).unwrap();
    assert_eq!(done.answer["file"], LEVEL);
    let expected =
        level.replace("[1, 0.0, 0]]", "[1, 0.0, 0], [2, 0.1, 0]]").replace("[[0, 1]]", "[[0, 1], [1, 2]]");
    assert_eq!(table.text(LEVEL), expected);
    assert!(graph_files(LEVEL, table.document.texts(), &table.project.files).is_empty());
    let space =
        table.act(json!({ "action": "space", "name": "a", "from": [0, 0, 0], "within": 1 })).unwrap_err();
    assert!(space.to_string().contains("give it a file"), "{space}");
}

#[test]
fn what_is_missing_is_named() {
    let mut table = Table::new(TOWER, MemorySource::new());
    let said =
        |table: &mut Table, action: &str| table.act(json!({ "action": action })).unwrap_err().to_string();
    assert_eq!(said(&mut table, "link"), format!("{FILE}: there is no such file: generate points first"));
    assert_eq!(
        graph_files(LEVEL, table.document.texts(), &table.project.files).into_iter().collect::<Vec<_>>(),
        [EDITS, FILE]
    );
    let mut table =
        Table::new(&TOWER.replace("\"scene\"", "\"x-scene\""), MemorySource::new().with(FILE, POINTS));
    assert_eq!(said(&mut table, "generate"), "navigation.scene is missing, expected the file of a scene");
    let mut table = Table::new(TOWER, MemorySource::new().with(FILE, "{}"));
    assert!(said(&mut table, "island").starts_with("levels/paths/tower.graph.json: no graph: "));
    let grid = r#"{ "navigation": { "areas": [{ "name": "a", "polygon": [[0, 0], [9, 0], [9, 9]] }] } }"#;
    let mut table = Table::new(grid, MemorySource::new());
    assert!(said(&mut table, "island").contains("expected a level whose map is a graph"));
}
