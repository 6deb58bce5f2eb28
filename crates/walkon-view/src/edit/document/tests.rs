use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;
use walkon_runtime::level::MemorySource;

use crate::edit::document::{
    Checked, DiskChange, Document, DocumentSaveError, EditError, Resolution, Save, StepLabel, Surroundings,
    Texts, check_level,
};
use crate::edit::patch::Change;

const COURTYARD: &str = include_str!("../../../../../levels/courtyard.json");
const LEVEL: &str = "levels/courtyard.json";

/// A disk in memory, which can be made to refuse.
struct Disk {
    files: BTreeMap<String, String>,
    refuses: bool,
    writes: usize,
}

impl Disk {
    fn new() -> Self {
        let files = BTreeMap::from([(LEVEL.to_owned(), COURTYARD.to_owned())]);
        Self { files, refuses: false, writes: 0 }
    }

    fn text(&self) -> &str {
        &self.files[LEVEL]
    }

    fn document(&mut self) -> Document {
        let texts = Texts::from([(LEVEL.to_owned(), Arc::from(COURTYARD))]);
        Document::new(LEVEL, texts, self)
    }
}

impl Surroundings for Disk {
    fn check(&mut self, texts: &Texts) -> Checked {
        check_level(LEVEL, texts, &MemorySource::new())
    }

    fn save(&mut self, save: Save<'_>) -> Result<(), DocumentSaveError> {
        let there = self.files.get(save.file).cloned();
        if self.refuses {
            return Err(DocumentSaveError::Failed("the disk is full".to_owned()));
        }
        if there.as_deref() != save.over {
            return Err(DocumentSaveError::Changed(there));
        }
        self.writes += 1;
        match save.text {
            Some(text) => _ = self.files.insert(save.file.to_owned(), text.to_owned()),
            None => _ = self.files.remove(save.file),
        }
        Ok(())
    }
}

fn label(text: &str, joins: &str) -> StepLabel {
    StepLabel { text: text.to_owned(), joins: joins.to_owned() }
}

fn open_gate() -> [Change; 1] {
    [Change::set("/doors/0/open", json!(true))]
}

fn move_well(x: f64) -> [Change; 1] {
    [Change::set("/marks/well/position/0", json!(x))]
}

#[test]
fn an_edit_is_checked_written_undone_and_redone() {
    let mut disk = Disk::new();
    let mut document = disk.document();
    assert!(document.checked().loads);
    let applied = document.apply("", &open_gate(), label("open gate", ""), &mut disk).unwrap();
    let opened = COURTYARD.replace("\"open\": false", "\"open\": true");
    assert_eq!((disk.text(), applied.files[LEVEL].as_deref()), (opened.as_str(), Some(opened.as_str())));
    assert_eq!((document.undoes(), document.redoes()), (Some("open gate"), None));
    let applied = document.undo(&mut disk).unwrap();
    assert_eq!((disk.text(), applied.label.as_str()), (COURTYARD, "open gate"));
    assert_eq!((document.undoes(), document.redoes()), (None, Some("open gate")));
    document.redo(&mut disk).unwrap();
    assert_eq!(disk.text(), opened);
    assert_eq!(document.redo(&mut disk), Err(EditError::NothingToRedo));
    document.undo(&mut disk).unwrap();
    assert_eq!(document.undo(&mut disk), Err(EditError::NothingToUndo));
    // What changes nothing is no step.
    let before = disk.writes;
    document.apply("", &[Change::set("/seed", json!(1.0))], label("seed", ""), &mut disk).unwrap();
    assert_eq!((document.undoes(), disk.writes), (None, before));
}

#[test]
fn what_would_be_no_level_any_more_is_refused_and_a_broken_one_may_be_mended() {
    let mut disk = Disk::new();
    let mut document = disk.document();
    let wrong = [Change::set("/doors/0/area", json!("nowhere"))];
    let error = document.apply(LEVEL, &wrong, label("", ""), &mut disk).unwrap_err();
    assert!(error.to_string().contains("nowhere"), "{error}");
    let EditError::Refused(diagnostics) = error else { panic!("{error}") };
    assert_eq!(diagnostics[0].pointer, "/doors/0/area");
    assert_eq!((disk.text(), document.undoes()), (COURTYARD, None));
    // On disk it breaks all the same, and is mended here step by step.
    let broken =
        COURTYARD.replace("\"area\": \"gateway\"", "\"area\": \"nowhere\"").replace("\"from\"", "\"form\"");
    disk.files.insert(LEVEL.to_owned(), broken.clone());
    let DiskChange::Taken(taken) = document.changed_on_disk(LEVEL, Some(&broken), &mut disk) else {
        panic!()
    };
    assert!(!taken.checked.loads);
    document.apply("", &move_well(4.0), label("move", ""), &mut disk).unwrap();
    let mended = [Change::set("/doors/0/area", json!("gateway"))];
    assert!(document.apply("", &mended, label("mend", ""), &mut disk).unwrap().checked.loads);
    // The way back leads through the broken one.
    assert!(!document.undo(&mut disk).unwrap().checked.loads);
    assert!(document.redo(&mut disk).unwrap().checked.loads);
    assert_eq!(
        document.apply("levels/other.json", &mended, label("", ""), &mut disk),
        Err(EditError::NoFile("levels/other.json".to_owned()))
    );
    assert!(matches!(
        document.apply("", &[Change::remove("/x")], label("", ""), &mut disk),
        Err(EditError::Patch(_))
    ));
}

#[test]
fn edits_of_one_word_are_one_step_until_something_else_happens() {
    let mut disk = Disk::new();
    let mut document = disk.document();
    for x in [9.0, 8.5, 8.0] {
        document.apply("", &move_well(x), label("move well", "drag 1"), &mut disk).unwrap();
    }
    document.undo(&mut disk).unwrap();
    assert_eq!((disk.text(), document.undoes()), (COURTYARD, None));
    document.redo(&mut disk).unwrap();
    assert!(disk.text().contains("\"position\": [8, 8.6]"));
    for (x, word) in [(7.0, "drag 1"), (6.0, "drag 2"), (5.0, ""), (4.0, "")] {
        document.apply("", &move_well(x), label("move well", word), &mut disk).unwrap();
    }
    let mut steps = 0;
    while document.undo(&mut disk).is_ok() {
        steps += 1;
    }
    assert_eq!((steps, disk.text()), (5, COURTYARD));
}

#[test]
fn the_history_is_bounded() {
    let mut disk = Disk::new();
    let mut document = disk.document();
    for number in 0..520 {
        let x = f64::from(number) * 0.01;
        document.apply("", &move_well(x), label("move", ""), &mut disk).unwrap();
    }
    let mut steps = 0;
    while document.undo(&mut disk).is_ok() {
        steps += 1;
    }
    assert_eq!(steps, 500);
    assert!(disk.text().contains("\"position\": [0.19, 8.6]"), "{}", disk.text());
}

#[test]
fn a_change_on_disk_is_taken_and_steps_before_it_are_undone_around_it() {
    let mut disk = Disk::new();
    let mut document = disk.document();
    document.apply("", &open_gate(), label("open gate", ""), &mut disk).unwrap();
    let theirs = disk.text().replace("[24, 10]", "[25, 10]");
    disk.files.insert(LEVEL.to_owned(), theirs.clone());
    let DiskChange::Taken(taken) = document.changed_on_disk(LEVEL, Some(&theirs), &mut disk) else {
        panic!()
    };
    assert_eq!(taken.files[LEVEL].as_deref(), Some(theirs.as_str()));
    assert_eq!(document.changed_on_disk(LEVEL, Some(&theirs), &mut disk), DiskChange::Known);
    document.undo(&mut disk).unwrap();
    assert_eq!(disk.text(), COURTYARD.replace("[24, 10]", "[25, 10]"));
    document.redo(&mut disk).unwrap();
    assert_eq!(disk.text(), theirs);
    // At the same place there is no way back.
    let theirs = theirs.replace("\"seconds\": 0.6", "\"seconds\": 0.7");
    disk.files.insert(LEVEL.to_owned(), theirs.clone());
    document.changed_on_disk(LEVEL, Some(&theirs), &mut disk);
    let changed = EditError::Changed { label: "open gate".to_owned(), file: LEVEL.to_owned() };
    assert_eq!(document.undo(&mut disk), Err(changed));
    assert_eq!((disk.text(), document.undoes()), (theirs.as_str(), Some("open gate")));
}

#[test]
fn a_save_that_raced_is_merged_and_nothing_is_lost() {
    let mut disk = Disk::new();
    let mut document = disk.document();
    // Another program saves; nobody has told yet.
    disk.files.insert(LEVEL.to_owned(), COURTYARD.replace("[24, 10]", "[25, 10]"));
    let applied = document.apply("", &open_gate(), label("open gate", ""), &mut disk).unwrap();
    let both = COURTYARD.replace("[24, 10]", "[25, 10]").replace("\"open\": false", "\"open\": true");
    assert_eq!((disk.text(), applied.files[LEVEL].as_deref()), (both.as_str(), Some(both.as_str())));
    assert_eq!((applied.conflicts.len(), document.unsaved().len()), (0, 0));
    document.undo(&mut disk).unwrap();
    assert_eq!(disk.text(), COURTYARD.replace("[24, 10]", "[25, 10]"));
}

#[test]
fn a_write_that_failed_is_merged_with_what_comes_from_disk_and_written_later() {
    let mut disk = Disk::new();
    let mut document = disk.document();
    disk.refuses = true;
    let applied = document.apply("", &open_gate(), label("open gate", ""), &mut disk).unwrap();
    assert_eq!(applied.unsaved[LEVEL], "the disk is full");
    assert_eq!((disk.text(), document.unsaved()), (COURTYARD, vec![LEVEL]));
    disk.refuses = false;
    let theirs = COURTYARD.replace("[24, 10]", "[25, 10]");
    disk.files.insert(LEVEL.to_owned(), theirs.clone());
    let DiskChange::Merged(merged) = document.changed_on_disk(LEVEL, Some(&theirs), &mut disk) else {
        panic!()
    };
    let both = theirs.replace("\"open\": false", "\"open\": true");
    assert_eq!((disk.text(), merged.files[LEVEL].as_deref()), (both.as_str(), Some(both.as_str())));
    // Without anything from disk it is written as it is.
    disk.refuses = true;
    document.apply("", &move_well(4.0), label("move", ""), &mut disk).unwrap();
    disk.refuses = false;
    assert!(document.save_again(&mut disk).unsaved.is_empty());
    assert_eq!((disk.text(), document.unsaved().len()), (&**document.text("").unwrap(), 0));
}

#[test]
fn a_conflict_keeps_both_texts_until_somebody_decides() {
    let decide = |resolution: Resolution| {
        let mut disk = Disk::new();
        let mut document = disk.document();
        let theirs = COURTYARD.replace("\"seconds\": 0.6", "\"seconds\": 0.7");
        disk.files.insert(LEVEL.to_owned(), theirs.clone());
        let applied = document.apply("", &open_gate(), label("open gate", ""), &mut disk).unwrap();
        let ours = COURTYARD.replace("\"open\": false", "\"open\": true");
        let conflict = &applied.conflicts[0];
        assert_eq!(conflict.ours.as_deref(), Some(ours.as_str()));
        assert_eq!((conflict.theirs.as_deref(), disk.text()), (Some(theirs.as_str()), theirs.as_str()));
        // Until then nothing goes on.
        let edit = document.apply("", &move_well(4.0), label("move", ""), &mut disk);
        assert_eq!(edit, Err(EditError::Conflict(LEVEL.to_owned())));
        assert_eq!(document.undo(&mut disk), Err(EditError::Conflict(LEVEL.to_owned())));
        document.save_again(&mut disk);
        assert_eq!(disk.text(), theirs);
        assert_eq!(document.conflicts().collect::<Vec<_>>(), applied.conflicts);
        document.resolve("", resolution.clone(), &mut disk).unwrap();
        assert_eq!(document.conflicts().count(), 0);
        let again = |file: &str, document: &mut Document, disk: &mut Disk| {
            document.resolve(file, resolution.clone(), disk).unwrap_err()
        };
        assert_eq!(again("", &mut document, &mut disk), EditError::NoConflict(LEVEL.to_owned()));
        assert_eq!(again("a.json", &mut document, &mut disk), EditError::NoFile("a.json".to_owned()));
        assert_eq!(disk.text(), &**document.text("").unwrap());
        let decided = disk.text().to_owned();
        document.apply("", &move_well(4.0), label("move", ""), &mut disk).unwrap();
        document.undo(&mut disk).unwrap();
        assert_eq!(disk.text(), decided);
        (decided, document, disk)
    };
    let (text, ..) = decide(Resolution::Ours);
    assert!(text.contains("\"open\": true, \"seconds\": 0.6"));
    let (text, mut document, mut disk) = decide(Resolution::Theirs);
    assert!(text.contains("\"open\": false, \"seconds\": 0.7"));
    // The text of the page is not lost.
    document.undo(&mut disk).unwrap();
    assert!(disk.text().contains("\"open\": true, \"seconds\": 0.6"));
    let other = COURTYARD.replace("0.6 }]", "0.8 }]");
    assert_eq!(decide(Resolution::Text(other.clone())).0, other);
}

#[test]
fn a_disk_that_changes_all_the_time_ends_as_unsaved() {
    /// Changes the first line before every write.
    struct Restless(Disk);
    impl Surroundings for Restless {
        fn check(&mut self, texts: &Texts) -> Checked {
            self.0.check(texts)
        }

        fn save(&mut self, _: Save<'_>) -> Result<(), DocumentSaveError> {
            self.0.writes += 1;
            let seed = format!("\"seed\": {}", self.0.writes);
            Err(DocumentSaveError::Changed(Some(COURTYARD.replace("\"seed\": 1", &seed))))
        }
    }
    let mut disk = Restless(Disk::new());
    let mut document = disk.0.document();
    let applied = document.apply("", &open_gate(), label("open gate", ""), &mut disk).unwrap();
    assert_eq!((applied.unsaved.len(), document.unsaved()), (1, vec![LEVEL]));
    assert!(document.text("").unwrap().contains("\"open\": true") && disk.0.writes < 20);
}

#[test]
fn files_come_and_go_in_one_step() {
    let mut disk = Disk::new();
    let mut document = disk.document();
    let files = BTreeMap::from([
        ("levels/a.txt".to_owned(), Some("a".to_owned())),
        (LEVEL.to_owned(), Some(COURTYARD.replace("\"seed\": 1", "\"seed\": 2"))),
    ]);
    document.replace(files, label("two files", ""), &mut disk).unwrap();
    assert_eq!(disk.files["levels/a.txt"], "a");
    document.undo(&mut disk).unwrap();
    assert_eq!((disk.files.len(), disk.text()), (1, COURTYARD));
    document.redo(&mut disk).unwrap();
    assert_eq!(disk.files["levels/a.txt"], "a");
    // A file that went on disk went.
    disk.files.remove("levels/a.txt");
    let DiskChange::Taken(_) = document.changed_on_disk("levels/a.txt", None, &mut disk) else { panic!() };
    assert_eq!(document.text("levels/a.txt"), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_was_done_is_undone_to_the_byte(moves in prop::collection::vec((0_u8..4, 0_i32..12), 1..12)) {
        let mut disk = Disk::new();
        let mut document = disk.document();
        let mut texts = vec![COURTYARD.to_owned()];
        for (kind, number) in moves {
            let change = match kind {
                0 => Change::set("/marks/well/position/1", json!(f64::from(number) * 0.5)),
                1 => Change::insert("/characters/0", json!({
                    "name": format!("guest{}", texts.len()), "position": [2, 2.5 + 0.25 * f64::from(number)],
                })),
                2 => Change::remove("/navigation/obstacles/0"),
                _ => Change::set(format!("/marks/new{number}"), json!([number, 1])),
            };
            let before = disk.text().to_owned();
            if document.apply("", &[change], label("step", ""), &mut disk).is_ok() && disk.text() != before {
                texts.push(disk.text().to_owned());
            }
        }
        for _ in 0..2 {
            for text in texts.iter().rev().skip(1) {
                document.undo(&mut disk).unwrap();
                prop_assert_eq!(disk.text(), text);
            }
            for text in texts.iter().skip(1) {
                document.redo(&mut disk).unwrap();
                prop_assert_eq!(disk.text(), text);
            }
        }
    }
}
