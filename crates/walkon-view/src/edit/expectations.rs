//! Expected paths of a level: a list, run again at each edit, kept as a file of level tests.
//!
//! In: start, goal, character and expected result of each; a way to ask the map; the text of a file that was
//! written here. Out: the result of each; the text of that file, which `walkon test` runs. Holds: reading a
//! file gives the list that was written into it; every row is a test with a name that says what is expected.
//! Not here: when they are run, where the file lies.

use std::fmt::Write as _;

use glam::Vec3;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use walkon_runtime::level::NAME_BYTES_MAX;
use walkon_runtime::nav::PathStatus;
use walkon_runtime::world::World;
use walkon_runtime::world::asker::Asker;
use walkon_runtime::world::character::Gait;
use walkon_runtime::world::door::DoorPolicy;
use walkon_runtime::world::ops::paths;

use super::json::{number_text, quoted};

/// The first line of a file that was written here.
const MARKER: &str = "-- walkon view: expected paths, form 1";
/// What stands before a row of the list.
const ROW: &str = "-- expected path: ";
/// Most rows of a list: they are run at each edit.
pub const EXPECTATIONS_MAX: usize = 1000;
/// Most keys of a row.
const KEYS_MAX: usize = 64;

/// Whether doors that are closed count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Doors {
    /// They are walls.
    #[default]
    Closed,
    /// Paths lead through them, also through those that nobody can open.
    Open,
}

/// What comes of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PathEnd {
    /// The path leads to the goal.
    #[default]
    Complete,
    /// It ends short of it.
    Partial,
    /// There is none at all.
    None,
}

impl From<PathStatus> for PathEnd {
    fn from(status: PathStatus) -> Self {
        match status {
            PathStatus::Complete => Self::Complete,
            PathStatus::Partial => Self::Partial,
            PathStatus::None => Self::None,
        }
    }
}

impl PathEnd {
    fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Partial => "partial",
            Self::None => "none",
        }
    }
}

/// A path that is expected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Expectation {
    /// Where it begins, world metres.
    pub from: [f32; 3],
    /// Where it is to end.
    pub to: [f32; 3],
    /// Half the width of the body, metres.
    #[serde(default = "usual_radius_m")]
    pub radius: f32,
    /// Whether closed doors count.
    #[serde(default)]
    pub doors: Doors,
    /// Keys that are carried: with some, open doors are those that they open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// Whether it leads around the characters that stand there when the level begins.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub avoid_characters: bool,
    /// The layer of the map; none: the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// What is to come of it.
    #[serde(default)]
    pub status: PathEnd,
}

fn usual_radius_m() -> f32 {
    0.35
}

/// What came of a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExpectationRow {
    /// What was expected; its status is told as `expected`.
    #[serde(flatten)]
    pub row: Expectation,
    /// What is to come of it.
    pub expected: PathEnd,
    /// What came of it; none where the level has no such layer, which ends the test that is saved of the row.
    pub got: Option<PathEnd>,
    /// Whether that is the same.
    pub ok: bool,
}

/// Why a file or a row is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpectationError {
    /// `walkon view` did not write the file.
    #[error("the file was not written by `walkon view`, expected its first line to be \"{MARKER}\"")]
    NotOurs,
    /// A row that cannot be read.
    #[error("line {line}: {message}")]
    Row {
        /// From 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// More than there may be.
    #[error("there are {EXPECTATIONS_MAX} expected paths, the most allowed")]
    Full,
    /// A place or a radius that is none.
    #[error("expected places of finite numbers and a radius of 0 to 10 m")]
    Number,
    /// More or longer names than a row may have.
    #[error(
        "expected at most {KEYS_MAX} keys, and names of 1 to {NAME_BYTES_MAX} bytes without control \
         characters but tabs and line ends"
    )]
    Names,
    /// No row of that number.
    #[error("there is no expected path {number}: there are {count}, counted from 0")]
    NoRow {
        /// What was asked for.
        number: usize,
        /// How many there are.
        count: usize,
    },
}

/// A list of expected paths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expectations {
    rows: Vec<Expectation>,
}

impl Expectations {
    /// The list.
    #[must_use]
    pub fn rows(&self) -> &[Expectation] {
        &self.rows
    }

    /// Adds a row at the end.
    ///
    /// # Errors
    /// When there is no room, or when its numbers are none.
    pub fn add(&mut self, row: Expectation) -> Result<(), ExpectationError> {
        let places = row.from.iter().chain(&row.to).all(|value| value.is_finite() && value.abs() <= 1e6);
        if !places || !(0.0..=10.0).contains(&row.radius) {
            return Err(ExpectationError::Number);
        }
        if self.rows.len() >= EXPECTATIONS_MAX {
            return Err(ExpectationError::Full);
        }
        // In the file they stand in texts of Luau, which escapes only some control characters as JSON does.
        let is_written_otherwise = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        let is_name = |name: &String| {
            (1..=NAME_BYTES_MAX).contains(&name.len()) && !name.chars().any(is_written_otherwise)
        };
        if row.keys.len() > KEYS_MAX || !row.keys.iter().chain(&row.layer).all(is_name) {
            return Err(ExpectationError::Names);
        }
        let (from, to, radius) = (row.from.map(kept), row.to.map(kept), kept(row.radius));
        self.rows.push(Expectation { from, to, radius, ..row });
        Ok(())
    }

    /// Takes a row away.
    ///
    /// # Errors
    /// When there is none of that number.
    pub fn remove(&mut self, number: usize) -> Result<Expectation, ExpectationError> {
        let count = self.rows.len();
        if number >= count {
            return Err(ExpectationError::NoRow { number, count });
        }
        Ok(self.rows.remove(number))
    }

    /// Asks for every path, and compares.
    pub fn run(&self, ask: &mut dyn FnMut(&Expectation) -> Option<PathEnd>) -> Vec<ExpectationRow> {
        self.rows
            .iter()
            .map(|row| {
                let got = ask(row);
                ExpectationRow { row: row.clone(), expected: row.status, got, ok: got == Some(row.status) }
            })
            .collect()
    }

    /// The file of level tests for the level of a name, as `test.level` knows it.
    #[must_use]
    pub fn text(&self, level: &str) -> String {
        let mut text = format!(
            "{MARKER}\n-- The page of `walkon view` reads its list back from this file. Run with: walkon test\n"
        );
        for (number, row) in (1..).zip(&self.rows) {
            let name = quoted(&format!("path {number}: {}", row.in_words()));
            let [from, to] = [row.from, row.to].map(vector);
            // Writing to a String cannot fail.
            let _ = write!(
                text,
                "\n{ROW}{}\ntest.level({name}, {{ level = {}, maxTicks = 60 }}, function(t)\n  \
                 local path = nav.findPath({from}, {to}, {{ {} }})\n  \
                 t:expect(path.status):toBe(\"{}\")\nend)\n",
                row.json(),
                quoted(level),
                row.options(),
                row.status.name(),
            );
        }
        text
    }

    /// The name of that file, for the level of a name.
    #[must_use]
    pub fn file_name(level: &str) -> String {
        format!("{level}_paths_test.lua")
    }

    /// The list that was written into a file.
    ///
    /// # Errors
    /// When the file is none of ours, or a row cannot be read.
    pub fn read(text: &str) -> Result<Self, ExpectationError> {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        if text.lines().next().map(str::trim_end) != Some(MARKER) {
            return Err(ExpectationError::NotOurs);
        }
        let mut list = Self::default();
        for (line, text) in (1..).zip(text.lines()) {
            let Some(row) = text.strip_prefix(ROW) else { continue };
            let wrong = |message: String| ExpectationError::Row { line, message };
            let row: Expectation = serde_json::from_str(row).map_err(|error| wrong(error.to_string()))?;
            list.add(row).map_err(|error| wrong(error.to_string()))?;
        }
        Ok(list)
    }
}

impl Expectation {
    /// As people read it: `from (3, 3) to (31, 6) is complete, radius 0.35, doors closed`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let is_flat = self.from[1] == self.to[1];
        let place = |[x, y, z]: [f32; 3]| match is_flat {
            true => format!("({}, {})", number_of(x), number_of(z)),
            false => format!("({}, {}, {})", number_of(x), number_of(y), number_of(z)),
        };
        let doors = match self.doors {
            Doors::Closed => "closed",
            Doors::Open => "open",
        };
        let (from, to, status) = (place(self.from), place(self.to), self.status.name());
        let mut words =
            format!("from {from} to {to} is {status}, radius {}, doors {doors}", number_of(self.radius));
        if !self.keys.is_empty() {
            words += &format!(", keys {}", self.keys.join(" "));
        }
        if self.avoid_characters {
            words += ", around others";
        }
        if let Some(layer) = &self.layer {
            words += &format!(", layer {layer}");
        }
        words
    }

    /// What it is to doors that are not open.
    fn policy(&self) -> DoorPolicy {
        match (self.doors, self.keys.is_empty()) {
            (Doors::Closed, _) => DoorPolicy::Avoid,
            (Doors::Open, true) => DoorPolicy::Wait,
            (Doors::Open, false) => DoorPolicy::Open,
        }
    }

    /// What a script asks for it with.
    fn options(&self) -> String {
        let doors = match self.policy() {
            DoorPolicy::Avoid => "avoid",
            DoorPolicy::Wait => "wait",
            DoorPolicy::Open => "open",
        };
        let mut options = format!("radius = {}, doors = \"{doors}\"", number_of(self.radius));
        if !self.keys.is_empty() {
            let keys: Vec<String> = self.keys.iter().map(|key| quoted(key)).collect();
            options += &format!(", keys = {{ {} }}", keys.join(", "));
        }
        if let Some(layer) = &self.layer {
            options += &format!(", layer = {}", quoted(layer));
        }
        // Standing characters are in the way of a script's question unless it says otherwise.
        if !self.avoid_characters {
            options += ", ignore = world.characters()";
        }
        options
    }

    fn json(&self) -> String {
        let list = |place: [f32; 3]| format!("[{}]", place.map(number_of).join(","));
        let doors = serde_json::to_value(self.doors).unwrap_or(Value::Null);
        let mut more = String::new();
        if !self.keys.is_empty() {
            more += &format!(",\"keys\":{}", Value::from(self.keys.clone()));
        }
        if self.avoid_characters {
            more += ",\"avoidCharacters\":true";
        }
        if let Some(layer) = &self.layer {
            more += &format!(",\"layer\":{}", Value::from(layer.as_str()));
        }
        format!(
            "{{\"from\":{},\"to\":{},\"radius\":{},\"doors\":{doors}{more},\"status\":\"{}\"}}",
            list(self.from),
            list(self.to),
            number_of(self.radius),
            self.status.name()
        )
    }
}

/// The shortest digits of a number that stand for it.
fn number_of(value: f32) -> String {
    // The digits of the narrow number: those of the wide one are noise.
    let wide = value.to_string().parse::<f64>().unwrap_or_default();
    Number::from_f64(wide).map_or_else(|| "0".to_owned(), |number| number_text(&number))
}

/// A number as its file gives it back.
fn kept(value: f32) -> f32 {
    number_of(value).parse().unwrap_or(value)
}

fn vector(place: [f32; 3]) -> String {
    format!("vector.create({})", place.map(number_of).join(", "))
}

/// What comes of an expected path in a world as it is now; none without a layer of that name.
pub fn ask_world(world: &mut World, row: &Expectation) -> Option<PathEnd> {
    let floor_y_m = match (world.nav().mesh(), world.nav().graph(), world.nav().cells()) {
        (Some(mesh), ..) => mesh.floor_y_m(),
        (None, Some(_), _) => None,
        (None, None, cells) => cells.map(|cells| cells.frame().floor_y_m),
    };
    let place = |[x, y, z]: [f32; 3]| Vec3::new(x, floor_y_m.map_or(y, |floor| floor as f32), z);
    let layer = layer_of(world, row.layer.as_deref())?;
    let asker = Asker {
        tags: None,
        layer,
        radius_m: row.radius,
        doors: row.policy(),
        keys: &row.keys,
        speed_mps: Gait::WALK_MPS,
    };
    let by = world.traversal_for(asker);
    let (from, to) = (place(row.from), place(row.to));
    let query = match row.avoid_characters {
        true => paths::query_around(world, from, to, by, &[]).0,
        false => paths::query(world, from, to, by),
    };
    Some(paths::find(world, &query).status.into())
}

/// The number of a layer; the first without a name.
fn layer_of(world: &World, name: Option<&str>) -> Option<u8> {
    let Some(name) = name else { return Some(0) };
    match world.tiles() {
        Some(tiles) => tiles.layer(name),
        None => (name == "ground").then_some(0),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use proptest::prelude::*;
    use walkon_runtime::game::testing::{self, Suite};
    use walkon_runtime::level::{MemorySource, load};
    use walkon_runtime::script::vm::fuel::Signals;

    use crate::edit::expectations::{
        Doors, Expectation, ExpectationError, Expectations, MARKER, PathEnd, ask_world,
    };

    const COURTYARD: &str = include_str!("../../../../levels/courtyard.json");

    fn row(from: [f32; 2], to: [f32; 2], doors: Doors, status: PathEnd) -> Expectation {
        let place = |[x, z]: [f32; 2]| [x, 0.0, z];
        let (from, to) = (place(from), place(to));
        Expectation {
            from,
            to,
            radius: 0.35,
            doors,
            keys: Vec::new(),
            avoid_characters: false,
            layer: None,
            status,
        }
    }

    fn level() -> walkon_runtime::level::Level {
        // Without its script nothing moves.
        let text = COURTYARD.replace(",\n  \"script\": \"courtyard.lua\"", "");
        let text = text
            .replace("\"behaviour\": \"guard.lua\", ", "")
            .replace("\"behaviour\": \"messenger.lua\", ", "");
        let text = text.replace(", \"params\": { \"route\": \"rounds\" }", "");
        let text = text.replace("\"params\": { \"from\": \"well\", \"to\": \"hearth\" }", "\"tags\": []");
        load("courtyard.json", &MemorySource::new().with("courtyard.json", text)).unwrap()
    }

    /// The second is wrong, and the last is in the way of a character.
    fn list() -> Expectations {
        let mut list = Expectations::default();
        for row in [
            row([5.0, 3.0], [31.0, 6.0], Doors::Closed, PathEnd::Partial),
            row([5.0, 3.0], [31.0, 6.0], Doors::Closed, PathEnd::Complete),
            row([5.0, 3.0], [31.0, 6.0], Doors::Open, PathEnd::Complete),
            row([-50.0, -50.0], [31.0, 6.0], Doors::Open, PathEnd::None),
            row([5.0, 3.0], [12.0, 10.0], Doors::Closed, PathEnd::Complete),
        ] {
            list.add(row).unwrap();
        }
        let base = || row([5.0, 3.0], [31.0, 6.0], Doors::Open, PathEnd::Complete);
        for row in [
            Expectation { keys: vec!["bronze".to_owned()], ..base() },
            Expectation { avoid_characters: true, ..base() },
            Expectation { layer: Some("ground".to_owned()), ..base() },
        ] {
            list.add(row).unwrap();
        }
        list
    }

    const GOT: [PathEnd; 8] = [
        PathEnd::Partial,
        PathEnd::Partial,
        PathEnd::Complete,
        PathEnd::None,
        PathEnd::Complete,
        PathEnd::Complete,
        PathEnd::Complete,
        PathEnd::Complete,
    ];

    #[test]
    fn rows_are_asked_of_a_world_and_compared() {
        let mut world = walkon_runtime::level::spawn::build(level(), None).world;
        let rows = list().run(&mut |row| ask_world(&mut world, row));
        assert_eq!(rows.iter().filter_map(|row| row.got).collect::<Vec<_>>(), GOT);
        assert_eq!(
            rows.iter().map(|row| row.ok).collect::<Vec<_>>(),
            [true, false, true, true, true, true, true, true]
        );
        let json = serde_json::to_value(&rows[1]).unwrap();
        assert_eq!(
            (&json["expected"], &json["got"], &json["doors"]),
            (&"complete".into(), &"partial".into(), &"closed".into())
        );
    }

    #[test]
    fn a_layer_that_the_level_lacks_is_never_as_expected() {
        let mut world = walkon_runtime::level::spawn::build(level(), None).world;
        for status in [PathEnd::None, PathEnd::Complete] {
            let mut list = Expectations::default();
            list.add(Expectation { layer: Some("nix".to_owned()), status, ..list_row() }).unwrap();
            let rows = list.run(&mut |row| ask_world(&mut world, row));
            assert_eq!((rows[0].got, rows[0].ok), (None, false), "its test ends as a fault");
        }
    }

    fn list_row() -> Expectation {
        list().rows()[0].clone()
    }

    #[test]
    fn the_file_is_one_of_level_tests_that_says_the_same() {
        let texts = BTreeMap::from([("paths_test.lua".to_owned(), list().text("courtyard"))]);
        let levels = ["courtyard".to_owned()];
        let signals = Arc::new(Signals::default());
        let tests = testing::collect(&texts, "paths_test.lua", &levels, Arc::clone(&signals)).unwrap();
        assert_eq!(tests[0].name, "path 1: from (5, 3) to (31, 6) is partial, radius 0.35, doors closed");
        let passed: Vec<bool> = (0..)
            .zip(&tests)
            .map(|(index, test)| {
                let mut suite = Suite {
                    profile: None,
                    scripts: &texts,
                    load_level: &mut |_| Ok(level()),
                    signals: Arc::clone(&signals),
                    debugger: None,
                    goes_on: &mut || true,
                };
                let result = testing::run(&mut suite, test, index, [None]).unwrap();
                assert!(result.message.is_none() || index == 1, "{result:?}");
                result.passed
            })
            .collect();
        assert_eq!(passed, [true, false, true, true, true, true, true, true]);
    }

    #[test]
    fn files_of_others_and_broken_rows_are_not_read() {
        assert_eq!(Expectations::read("test.level(1)"), Err(ExpectationError::NotOurs));
        assert_eq!(Expectations::read(""), Err(ExpectationError::NotOurs));
        let text = list().text("courtyard");
        let broken = text.replacen("\"from\"", "\"form\"", 2);
        assert!(matches!(Expectations::read(&broken), Err(ExpectationError::Row { line: 4, .. })));
        assert_eq!(Expectations::read(&format!("\u{FEFF}{}", text.replace('\n', "\r\n"))), Ok(list()));
        assert_eq!(Expectations::read(&format!("{MARKER}\n-- by hand\n")), Ok(Expectations::default()));
    }

    #[test]
    fn rows_are_bounded_and_removed_by_number() {
        let mut list = list();
        let mut wrong = list.rows()[0].clone();
        wrong.to[0] = f32::NAN;
        assert_eq!(list.add(wrong), Err(ExpectationError::Number));
        wrong = Expectation { radius: -1.0, ..list.rows()[0].clone() };
        assert_eq!(list.add(wrong), Err(ExpectationError::Number));
        for name in ["", "a\u{1}"] {
            wrong = Expectation { keys: vec![name.to_owned()], ..list.rows()[0].clone() };
            assert_eq!(list.add(wrong), Err(ExpectationError::Names));
            wrong = Expectation { layer: Some(name.to_owned()), ..list.rows()[0].clone() };
            assert_eq!(list.add(wrong), Err(ExpectationError::Names));
        }
        list.remove(0).unwrap();
        assert_eq!(list.remove(7), Err(ExpectationError::NoRow { number: 7, count: 7 }));
        for _ in 7..1000 {
            list.add(list.rows()[0].clone()).unwrap();
        }
        assert_eq!(list.add(list.rows()[0].clone()), Err(ExpectationError::Full));
    }

    #[test]
    fn a_client_may_leave_out_what_is_usual() {
        let row: Expectation = serde_json::from_str(r#"{"from": [5, 0, 3], "to": [31, 0, 6]}"#).unwrap();
        assert_eq!(row, super::tests::row([5.0, 3.0], [31.0, 6.0], Doors::Closed, PathEnd::Complete));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_written_is_read_back(
            numbers in prop::collection::vec((-100_000_i32..100_000, 0_u32..100, any::<bool>(), 0_u8..3), 0..8),
        ) {
            let mut list = Expectations::default();
            for (number, radius, is_open, status) in numbers {
                let value = number as f32 / 64.0;
                let row = Expectation {
                    from: [value, 0.5 * value, -value],
                    to: [0.1, value, 2.0 * value],
                    radius: radius as f32 * 0.05,
                    doors: if is_open { Doors::Open } else { Doors::Closed },
                    keys: if is_open { vec!["a \"key\"\\\n".to_owned()] } else { Vec::new() },
                    avoid_characters: !is_open,
                    layer: is_open.then(|| "upper".to_owned()),
                    status: [PathEnd::Complete, PathEnd::Partial, PathEnd::None][usize::from(status)],
                };
                let y = row.to[1];
                list.add(row).unwrap();
                prop_assert!((list.rows().last().unwrap().to[1] - y).abs() <= 1e-6);
            }
            prop_assert_eq!(Expectations::read(&list.text("a \"level\"\\")), Ok(list));
        }
    }
}
