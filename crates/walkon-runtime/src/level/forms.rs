//! Value formats of a level file: numbers, names, places, outlines, lists, words.
//!
//! In: a value with its place. Out: its meaning, or findings; its schema for editors; its text. Holds: a form
//! serves reader, schema and writer alike. Not here: which keys have which form (`def`), rules between keys
//! (`read`).

use std::collections::BTreeMap;
use std::marker::PhantomData;

use serde_json::{Value, json};

use super::choices::Choices;
use super::diagnostic::{Located, PendingDiagnostic, code};
use super::json::{Around, JsonPath, JsonReader, JsonValue, shown};
use super::numbers::{self, Number};
use super::object::{Form, Object, SchemaParts, Standard, lines, written};
use super::ordered_json::{OrderedJson, OrderedObject};
use super::polygon::{self, EdgeCrossing};
use super::source::checked_path;
use crate::base::geom::Point;
use crate::world::character::Character;

/// Most corners of one polygon.
pub const POINTS_MAX: usize = 4096;
/// Most rows of an ascii map.
pub const ROWS_MAX: usize = 65_536;
/// Most tags of one character.
pub const TAGS_MAX: usize = Character::TAGS_MAX;
/// Largest `params` of one character, bytes of JSON.
pub const PARAMS_BYTES_MAX: usize = 256 * 1024;

/// What is said of a thing beyond what a level reads, by name: plain data for scripts.
pub type PropsDef = BTreeMap<String, Located<Value>>;

/// A position on the ground, or in space on maps with heights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Position {
    /// Metres along x.
    pub x: f64,
    /// Height, metres; None means the floor.
    pub y: Option<f64>,
    /// Metres along z.
    pub z: f64,
}

/// A form that is read by a function of the reader, and whose schema is the same wherever it stands.
macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident: $value:ty = |$reader:ident, $node:ident| $read:expr, |$parts:ident| $schema:expr $(, |$written:ident| $write:expr)?;)*) => {
        $(
            $(#[$doc])*
            pub(crate) struct $name;

            impl Form for $name {
                type Value = $value;

                fn read(&self, $reader: &mut JsonReader<'_>, $node: JsonValue<'_, '_>) -> Option<$value> {
                    $read
                }

                #[allow(unused_variables, reason = "most forms refer to no other part")]
                fn schema(&self, $parts: &mut SchemaParts) -> Value {
                    $schema
                }

                $(
                    fn write(&self, $written: &$value) -> OrderedJson {
                        OrderedJson::from($write)
                    }

                    fn shown(&self, $written: &$value) -> Value {
                        $write
                    }
                )?
            }
        )*
    };
}

forms! {
    /// True or false.
    Truth: bool = |r, n| r.truth(n), |parts| json!({ "type": "boolean" }), |truth| json!(truth);
    /// A name, with its place.
    Name: Located<String> = |r, n| r.name(n), |parts| text(), |name| json!(name.value);
    /// A name, without its place.
    Word: String = |r, n| Some(r.name(n)?.value), |parts| text(), |word| json!(word);
    /// Text that nobody reads.
    Anything: String = |r, n| r.text(n, "text").map(String::from), |parts| json!({ "type": ["string", "null"] });
    /// A path that stays inside the project.
    FileName: Located<String> = |r, n| r.path(n), |parts| text(), |path| json!(path.value);
    /// Words that scripts select by.
    Tags: Vec<String> = |r, n| r.tags(n), |parts| list(text()), |tags| json!(tags);
    /// At least one tag.
    Teams: Vec<String> = |r, n| r.teams(n),
        |parts| json!({ "type": "array", "items": text(), "minItems": 1, "maxItems": TAGS_MAX }), |tags| json!(tags);
    /// Plain data by name.
    Props: PropsDef = |r, n| r.params(n), |parts| names_to(parts.named("Param", |_| json!({ "description": "Plain data." }))),
        |props| props_json(props);
    /// A place on the ground, or in space.
    Place: Position = |r, n| r.position(n), |parts| position(parts), |position| match position.y {
        Some(y) => json!([position.x, y, position.z]),
        None => json!([position.x, position.z]),
    };
    /// A corner of a map, on the ground.
    Corner: Point = |r, n| r.point(n), |parts| position(parts), |corner| json!(corner);
    /// The outline of ground, in corners without repeats.
    Outline: Vec<Point> = |r, n| r.polygon(n), |parts| parts.named("Polygon", |_| json!({
        "description": "Corners [x, z] in metres, in either direction; the last may repeat the first.",
        "type": "array", "minItems": 3, "maxItems": POINTS_MAX,
        "items": { "type": "array", "items": coordinate(), "minItems": 2, "maxItems": 2 }
    })), |corners| json!(corners);
    /// A direction on the ground.
    Direction: [f64; 2] = |r, n| r.direction(n), |parts| doubles(2), |way| json!(way);
    /// The least and the greatest height.
    Heights: [f64; 2] = |r, n| r.heights(n), |parts| doubles(2);
    /// A point in space.
    Point3: glam::Vec3 = |r, n| r.point3(n, "a point [x, y, z]"), |parts| doubles(3);
    /// A corner of a box.
    BoxCorner: glam::Vec3 = |r, n| r.point3(n, "a corner [x, y, z]"), |parts| doubles(3);
    /// A time of day, in minutes since midnight.
    TimeOfDay: f64 = |r, n| r.time_of_day(n), |parts| parts.named("TimeOfDay", |_| json!({
        "description": "A time of day from \"0:00\" to \"23:59\".", "type": "string", "pattern": "^([01]?[0-9]|2[0-3]):[0-5][0-9]$"
    })), |minutes| json!(crate::world::day::text_of(*minutes));
    /// Rows of a drawing.
    Rows: Vec<Located<String>> = |r, n| r.rows(n), |parts| list(text()),
        |rows| rows.iter().map(|row| row.value.as_str()).collect::<Value>();
}

fn props_json(props: &PropsDef) -> Value {
    let mut object = serde_json::Map::new();
    object.extend(props.iter().map(|(name, value)| (name.clone(), value.value.clone())));
    Value::Object(object)
}

fn text() -> Value {
    json!({ "type": "string" })
}

/// A number, as the schema calls what is read into 64 bits.
pub(super) fn double() -> Value {
    json!({ "type": "number", "format": "double" })
}

/// A whole number from 0, as the schema calls what is read into 32 bits.
pub(super) fn natural() -> Value {
    json!({ "type": "integer", "format": "uint32", "minimum": 0 })
}

pub(super) fn list(of: Value) -> Value {
    json!({ "type": "array", "items": of })
}

fn doubles(count: usize) -> Value {
    json!({ "type": "array", "items": double(), "minItems": count, "maxItems": count })
}

fn names_to(of: Value) -> Value {
    json!({ "type": "object", "additionalProperties": of })
}

fn coordinate() -> Value {
    let number = numbers::COORDINATE;
    json!({ "type": "number", "minimum": number.min, "maximum": number.max })
}

fn position(parts: &mut SchemaParts) -> Value {
    parts.named("Position", |_| {
        json!({
            "description": "[x, z], or [x, y, z] on maps with heights, metres.",
            "type": "array", "items": coordinate(), "minItems": 2, "maxItems": 3
        })
    })
}

/// A number in its range.
impl Form for Number {
    type Value = f64;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<f64> {
        reader.number(node, self)
    }

    fn schema(&self, _parts: &mut SchemaParts) -> Value {
        json!({ "type": "number", "format": "double", "minimum": self.min, "maximum": self.max })
    }

    fn write(&self, value: &f64) -> OrderedJson {
        OrderedJson::from(json!(value))
    }

    fn shown(&self, value: &f64) -> Value {
        json!(value)
    }

    fn number(&self) -> Option<Number> {
        Some(*self)
    }
}

impl Standard for Number {
    fn standard(&self) -> f64 {
        self.default
    }
}

/// A whole number in its range that is kept among other numbers.
pub(crate) struct Count(pub Number);

impl Form for Count {
    type Value = f64;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<f64> {
        reader.whole(node, &self.0).map(|value| value as f64)
    }

    fn schema(&self, parts: &mut SchemaParts) -> Value {
        self.0.schema(parts)
    }

    fn shown(&self, value: &f64) -> Value {
        self.0.shown(value)
    }

    fn number(&self) -> Option<Number> {
        Some(self.0)
    }
}

impl Standard for Count {
    fn standard(&self) -> f64 {
        self.0.default
    }
}

/// A whole number in its range.
pub(crate) struct Whole<T>(pub Number, pub PhantomData<T>);

macro_rules! whole {
    ($($type:ident as $format:literal),*) => {
        $(
            impl Form for Whole<$type> {
                type Value = $type;

                fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<$type> {
                    reader.whole(node, &self.0).map(|value| value as $type)
                }

                fn schema(&self, _parts: &mut SchemaParts) -> Value {
                    let (min, max) = (self.0.min as $type, self.0.max as $type);
                    json!({ "type": "integer", "format": $format, "minimum": min, "maximum": max })
                }

                fn write(&self, value: &$type) -> OrderedJson {
                    OrderedJson::from(json!(value))
                }

                fn shown(&self, value: &$type) -> Value {
                    json!(value)
                }
            }

            impl Standard for Whole<$type> {
                fn standard(&self) -> $type {
                    self.0.default as $type
                }
            }
        )*
    };
}

whole!(u32 as "uint32", u64 as "uint64");

pub(crate) const fn whole<T>(number: Number) -> Whole<T> {
    Whole(number, PhantomData)
}

/// A value with its place.
pub(crate) struct At<F>(pub F);

impl<F: Form> Form for At<F> {
    type Value = Located<F::Value>;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<Self::Value> {
        self.0.read(reader, node).map(|value| Located::new(value, reader.span(node)))
    }

    fn schema(&self, parts: &mut SchemaParts) -> Value {
        self.0.schema(parts)
    }

    fn write(&self, value: &Self::Value) -> OrderedJson {
        self.0.write(&value.value)
    }

    fn shown(&self, value: &Self::Value) -> Value {
        self.0.shown(&value.value)
    }
}

/// One of the words of an enum; the schema has a part for the enum.
pub(crate) struct Choice<T>(pub PhantomData<T>);

pub(crate) const fn choice<T>() -> Choice<T> {
    Choice(PhantomData)
}

impl<T: Choices> Form for Choice<T> {
    type Value = T;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<T> {
        let words: Vec<(&'static str, T)> = T::ALL.iter().map(|(word, choice, _)| (*word, *choice)).collect();
        reader.choice(node, &words)
    }

    fn schema(&self, parts: &mut SchemaParts) -> Value {
        parts.named(T::TITLE, |_| {
            let word = |(word, _, doc): &(&str, T, &'static [&'static str])| {
                json!({ "type": "string", "const": word, "description": lines(doc) })
            };
            let words: Vec<Value> = T::ALL.iter().map(word).collect();
            json!({ "description": lines(T::DOC), "oneOf": words })
        })
    }

    fn write(&self, value: &T) -> OrderedJson {
        let word = T::ALL.iter().find(|(_, choice, _)| choice == value);
        OrderedJson::Leaf(word.map_or(Value::Null, |(word, ..)| json!(word)))
    }
}

/// One of a few words for values of another layer.
pub(crate) struct OneOf<T: 'static>(pub &'static [(&'static str, T)]);

impl<T: Copy> Form for OneOf<T> {
    type Value = T;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<T> {
        reader.choice(node, self.0)
    }

    fn schema(&self, _parts: &mut SchemaParts) -> Value {
        json!({ "type": "string", "enum": self.0.iter().map(|(word, _)| *word).collect::<Vec<_>>() })
    }
}

/// A list of at most so many values; those that cannot be read are left out.
pub(crate) struct List<F>(pub F, pub usize);

impl<F: Form> Form for List<F> {
    type Value = Vec<F::Value>;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<Self::Value> {
        reader.list(node, self.1, |r, n| self.0.read(r, n))
    }

    fn schema(&self, parts: &mut SchemaParts) -> Value {
        list(self.0.schema(parts))
    }

    fn write(&self, values: &Self::Value) -> OrderedJson {
        OrderedJson::List(values.iter().map(|value| self.0.write(value)).collect())
    }
}

/// An object of another declaration.
pub(crate) struct One<T>(pub PhantomData<T>);

pub(crate) const fn one<T>() -> One<T> {
    One(PhantomData)
}

impl<T: Object> Form for One<T> {
    type Value = T;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<T> {
        reader.object(node)
    }

    fn schema(&self, parts: &mut SchemaParts) -> Value {
        parts.object::<T>()
    }

    fn write(&self, value: &T) -> OrderedJson {
        written(value)
    }
}

/// A list of at most so many objects. What cannot be read keeps its number, so that later findings about its
/// neighbours point at the right ones.
pub(crate) struct Each<T>(pub usize, pub PhantomData<T>);

pub(crate) const fn each<T>(count_max: usize) -> Each<T> {
    Each(count_max, PhantomData)
}

impl<T: Object> Form for Each<T> {
    type Value = Vec<T>;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<Vec<T>> {
        reader.list(node, self.0, |r, n| Some(r.object(n).unwrap_or_default()))
    }

    fn schema(&self, parts: &mut SchemaParts) -> Value {
        list(parts.object::<T>())
    }

    fn write(&self, values: &Vec<T>) -> OrderedJson {
        OrderedJson::List(values.iter().map(written).collect())
    }
}

/// A form with something to do before it is read and when it was.
pub(crate) struct Watched<F: Form> {
    form: F,
    before: fn(&mut Around),
    after: fn(&mut JsonReader<'_>, JsonValue<'_, '_>, &F::Value),
}

/// A form before which what stands around it is set.
pub(crate) const fn before<F: Form>(before: fn(&mut Around), form: F) -> Watched<F> {
    Watched { form, before, after: |_, _, _| {} }
}

/// A form whose value is looked at once it was read.
pub(crate) const fn then<F: Form>(
    form: F,
    after: fn(&mut JsonReader<'_>, JsonValue<'_, '_>, &F::Value),
) -> Watched<F> {
    Watched { form, before: |_| {}, after }
}

impl<F: Form> Form for Watched<F> {
    type Value = F::Value;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<F::Value> {
        (self.before)(&mut reader.around);
        let value = self.form.read(reader, node)?;
        (self.after)(reader, node, &value);
        Some(value)
    }

    fn schema(&self, parts: &mut SchemaParts) -> Value {
        self.form.schema(parts)
    }

    fn write(&self, value: &F::Value) -> OrderedJson {
        self.form.write(value)
    }
}

/// At least one object, and at most so many; what is said when there is none.
pub(crate) struct Filled<T>(pub Each<T>, pub &'static str);

impl<T: Object> Form for Filled<T> {
    type Value = Vec<T>;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<Vec<T>> {
        let list = self.0.read(reader, node)?;
        if list.is_empty() {
            reader.error(code::DEGENERATE, node, self.1);
            return None;
        }
        Some(list)
    }

    fn schema(&self, parts: &mut SchemaParts) -> Value {
        json!({ "type": "array", "items": parts.object::<T>(), "minItems": 1, "maxItems": self.0.0 })
    }

    fn write(&self, list: &Vec<T>) -> OrderedJson {
        self.0.write(list)
    }
}

/// What characters of a drawing mean: objects by their character.
pub(crate) struct Legend<T>(pub PhantomData<T>);

pub(crate) const fn legend_of<T>() -> Legend<T> {
    Legend(PhantomData)
}

impl<T: Object> Form for Legend<T> {
    type Value = Vec<(Located<char>, T)>;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<Self::Value> {
        reader.legend(node)
    }

    fn schema(&self, parts: &mut SchemaParts) -> Value {
        names_to(parts.object::<T>())
    }

    fn write(&self, legend: &Self::Value) -> OrderedJson {
        let entries = legend.iter();
        OrderedJson::Object(OrderedObject(
            entries.map(|(letter, entry)| (letter.value.to_string(), written(entry))).collect(),
        ))
    }
}

/// An entry of an object whose keys are names.
pub(crate) trait Named: Sized {
    /// The entry of that name, or none after a finding.
    fn read(reader: &mut JsonReader<'_>, name: Located<String>, node: JsonValue<'_, '_>) -> Option<Self>;
    /// What an editor is told of the value.
    fn schema(parts: &mut SchemaParts) -> Value;
    /// Its name, and the value as it stands in a file.
    fn write(&self) -> (String, OrderedJson);
}

/// At most so many entries by their name.
pub(crate) struct NamedEntries<T>(pub usize, pub PhantomData<T>);

pub(crate) const fn by_name<T>(count_max: usize) -> NamedEntries<T> {
    NamedEntries(count_max, PhantomData)
}

impl<T: Named> Form for NamedEntries<T> {
    type Value = Vec<T>;

    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<Vec<T>> {
        reader.named(node, self.0, T::read)
    }

    fn schema(&self, parts: &mut SchemaParts) -> Value {
        names_to(T::schema(parts))
    }

    fn write(&self, values: &Vec<T>) -> OrderedJson {
        OrderedJson::Object(OrderedObject(values.iter().map(T::write).collect()))
    }
}

impl JsonReader<'_> {
    /// A path that stays inside the project.
    pub(super) fn path(&mut self, node: JsonValue<'_, '_>) -> Option<Located<String>> {
        let text = self.text(node, "the name of a file")?;
        let span = self.span(node);
        if let Err(error) = checked_path(&text) {
            self.findings.error(|| {
                let message = format!("{} is {}: {error}", node.place.words(), shown(node.text));
                PendingDiagnostic::new(code::PATH, span, message).at(node.place.pointer()).help(error.help())
            });
            return None;
        }
        Some(Located::new(text.into_owned(), span))
    }

    pub(super) fn heights(&mut self, node: JsonValue<'_, '_>) -> Option<[f64; 2]> {
        let heights = self.coordinates(node, "[least, greatest] height", &[2])?;
        if heights[0] > heights[1] {
            self.error(code::RANGE, node, "has the greater height first, expected [least, greatest]");
        }
        Some([heights[0], heights[1]])
    }

    /// Corners without repeats. None after an error; empty for an obstacle that encloses nothing.
    pub(super) fn polygon(&mut self, node: JsonValue<'_, '_>) -> Option<Vec<Point>> {
        let (count, _) = self.items(node, "a list of corners [x, z]", 0)?;
        if count > POINTS_MAX {
            self.error(code::LIMIT, node, format!("has {count} corners, the limit is {POINTS_MAX}"));
            return None;
        }
        let corners = self.list(node, POINTS_MAX, Self::point)?;
        if corners.len() < count {
            return None; // The corners that are missing were reported.
        }
        let corners = polygon::without_repeats(corners);
        if let Some(why) = polygon::degenerate(&corners) {
            if self.around.is_obstacle {
                self.warn(code::DEGENERATE, node, format!("{why}; the obstacle is ignored"));
                return Some(Vec::new());
            }
            self.error(code::DEGENERATE, node, why);
            return None;
        }
        self.warn_of_crossing(node, &corners);
        Some(corners)
    }

    fn warn_of_crossing(&mut self, node: JsonValue<'_, '_>, corners: &[Point]) {
        let spent_before = self.around.pairs_left == 0;
        match polygon::crossing(corners, &mut self.around.pairs_left) {
            EdgeCrossing::Nowhere => {}
            EdgeCrossing::Between(first, second) => {
                let edge = |from: usize| {
                    let (a, b) = (corners[from], corners[(from + 1) % corners.len()]);
                    format!("[{}, {}]-[{}, {}]", a[0], a[1], b[0], b[1])
                };
                let (one, other) = (edge(first), edge(second));
                let what = format!(
                    "crosses itself: edges {one} and {other}; the even-odd rule decides what is inside"
                );
                self.warn(code::SELF_CROSSING, node, what);
            }
            EdgeCrossing::Unknown if spent_before => {}
            EdgeCrossing::Unknown => {
                self.warn(
                    code::SELF_CROSSING,
                    node,
                    "and later ones were not searched for crossing edges: too many edges",
                );
            }
        }
    }

    fn coordinate(&mut self, node: JsonValue<'_, '_>) -> Option<f64> {
        let value = self.finite(node, "a number of metres")?;
        if numbers::COORDINATE.holds(value) {
            return Some(value);
        }
        self.error(
            code::EXTENT,
            node,
            format!("is {}, expected {}", shown(node.text), numbers::COORDINATE.range()),
        );
        None
    }

    pub(super) fn coordinates(
        &mut self,
        node: JsonValue<'_, '_>,
        form: &str,
        counts: &[usize],
    ) -> Option<Vec<f64>> {
        let (count, _) = self.items(node, form, 0)?;
        if !counts.contains(&count) {
            self.error(code::TYPE, node, format!("has {count} numbers, expected {form}"));
            return None;
        }
        let numbers = self.list(node, 3, Self::coordinate)?;
        (numbers.len() == count).then_some(numbers)
    }

    fn point(&mut self, node: JsonValue<'_, '_>) -> Option<Point> {
        let numbers = self.coordinates(node, "a corner [x, z]", &[2])?;
        Some([numbers[0], numbers[1]])
    }

    fn point3(&mut self, node: JsonValue<'_, '_>, form: &str) -> Option<glam::Vec3> {
        let at = self.coordinates(node, form, &[3])?;
        Some(glam::Vec3::new(at[0] as f32, at[1] as f32, at[2] as f32))
    }

    pub(super) fn position(&mut self, node: JsonValue<'_, '_>) -> Option<Position> {
        let numbers = self.coordinates(node, "a position [x, z]", &[2, 3])?;
        Some(match numbers[..] {
            [x, y, z] => Position { x, y: Some(y), z },
            _ => Position { x: numbers[0], y: None, z: numbers[1] },
        })
    }

    pub(super) fn rows(&mut self, node: JsonValue<'_, '_>) -> Option<Vec<Located<String>>> {
        self.list(node, ROWS_MAX, |r, n| {
            r.text(n, "a row of characters").map(|text| Located::new(text.into_owned(), r.span(n)))
        })
    }

    pub(super) fn direction(&mut self, node: JsonValue<'_, '_>) -> Option<[f64; 2]> {
        let numbers = self.coordinates(node, "a direction [x, z]", &[2])?;
        // As the world keeps it: a vector that is zero there is no direction either.
        if numbers.iter().all(|&number| number as f32 == 0.0) {
            self.error(code::DEGENERATE, node, "is [0, 0], expected a direction [x, z]");
            return None;
        }
        Some([numbers[0], numbers[1]])
    }

    pub(super) fn teams(&mut self, node: JsonValue<'_, '_>) -> Option<Vec<String>> {
        let teams = self.tags(node)?;
        if teams.is_empty() {
            self.error(code::DEGENERATE, node, "is empty, expected at least one tag");
        }
        Some(teams)
    }

    /// The entries of an object whose keys are names.
    pub(super) fn named<'a, T>(
        &mut self,
        node: JsonValue<'a, '_>,
        count_max: usize,
        mut read: impl FnMut(&mut Self, Located<String>, JsonValue<'a, '_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let members = self.members(node, "an object")?;
        if members.len() > count_max {
            self.error(code::LIMIT, node, format!("has {} entries, the limit is {count_max}", members.len()));
            return None;
        }
        let mut list = Vec::with_capacity(members.len());
        for member in members.iter().filter(|member| !member.key.starts_with("x-")) {
            let place = JsonPath::Key(node.place, &member.key);
            let key = JsonValue { text: member.key_item.text, at: member.key_item.at, place: &place };
            if let Some(name) = self.checked_name(&member.key, key) {
                list.extend(read(
                    self,
                    name,
                    JsonValue { text: member.value.text, at: member.value.at, place: &place },
                ));
            }
        }
        Some(list)
    }

    pub(super) fn tags(&mut self, node: JsonValue<'_, '_>) -> Option<Vec<String>> {
        self.list(node, TAGS_MAX, |r, n| r.name(n).map(|tag| tag.value))
    }

    pub(super) fn params(
        &mut self,
        node: JsonValue<'_, '_>,
    ) -> Option<BTreeMap<String, Located<serde_json::Value>>> {
        if node.text.len() > PARAMS_BYTES_MAX {
            self.error(
                code::LIMIT,
                node,
                format!("has {} bytes, the limit is {PARAMS_BYTES_MAX}", node.text.len()),
            );
            return None;
        }
        let members = self.members(node, "an object")?;
        let mut params = BTreeMap::new();
        for member in &members {
            let place = JsonPath::Key(node.place, &member.key);
            let value = JsonValue { text: member.value.text, at: member.value.at, place: &place };
            if let Some(data) = self.plain(value) {
                params.insert(member.key.to_string(), Located::new(data, self.span(value)));
            }
        }
        Some(params)
    }

    /// What the characters of a drawing mean.
    fn legend<T: Object>(&mut self, node: JsonValue<'_, '_>) -> Option<Vec<(Located<char>, T)>> {
        let members = self.members(node, "an object")?;
        let mut legend = Vec::new();
        for member in &members {
            let place = JsonPath::Key(node.place, &member.key);
            let key = JsonValue { text: member.key_item.text, at: member.key_item.at, place: &place };
            let mut characters = member.key.chars();
            let character = match (characters.next(), characters.next()) {
                (Some(character), None) if !"#.".contains(character) => character,
                (Some('#' | '.'), None) => {
                    self.error(code::CHOICE, key, "is taken: # is always blocked and . walkable");
                    continue;
                }
                _ => {
                    self.error(code::CHOICE, key, "is not one character, expected one");
                    continue;
                }
            };
            let value = JsonValue { text: member.value.text, at: member.value.at, place: &place };
            if let Some(entry) = self.object(value) {
                legend.push((Located::new(character, self.span(key)), entry));
            }
        }
        Some(legend)
    }
}
