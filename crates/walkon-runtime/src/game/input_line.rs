//! Writes an input as a line of the trace, and reads it back.
//!
//! In: an input, the world whose names it uses. Out: one line; from the line the same input. Holds: an event
//! has `name` and `payload`, every other input a `kind` and fields of its own; a reload carries whole texts,
//! so that a replay reads no file (fault:E20); values that a script would tell apart are told apart: handles
//! and vectors inside a payload, which JSON has no form for, are listed beside it under `kinds` (place as a
//! JSON pointer, kind), with their bits where a name or a number would not give them back; the input read
//! from a line is done or refused like the original. Not here: what an input does (`inputs`).

use std::collections::BTreeMap;

use glam::Vec3;
use serde_json::Value;

use crate::base::hash;
use crate::base::ids::{CharacterId, DoorId, GenerationalKey};
use crate::base::ordered::CollectOrdered;
use crate::base::suggestions::did_you_mean_or_all;
use crate::base::value::{Plain, PlainKey};
use crate::game::inputs::{DoorCommand, Input, InputGoal, InputSpawn, InputTeleport, LevelTexts, Reload};
use crate::game::line::{self, JsonLine, quoted};
use crate::world::World;
use crate::world::ops::checks;

/// What the line of an input says after its tick, up to its fields.
pub const MARK: &str = "\"e\":\"input\"";

/// The line of an input that is heard in the coming tick.
#[must_use]
pub fn line(world: &World, tick: u64, input: &Input) -> String {
    let fact = JsonLine::fact(tick, "input");
    let of = || JsonLine::fact(tick, "input").text("kind", input.kind());
    let line = match input {
        Input::Event { name, payload } => {
            with_data(fact.text("name", name), world, "payload", payload.as_ref())
        }
        Input::Answer { id, option } => of().text("id", id).text("option", option),
        Input::Continue { scene } | Input::Skip { scene } => of().maybe_text("scene", scene.as_deref()),
        Input::Reload(reload) => with_texts(of(), reload),
        Input::Walk { character, to } => {
            let line = of().text("character", character);
            match to {
                InputGoal::Point(point) => line.raw("to", &place(*point)),
                InputGoal::Named(name) => line.text("to", name),
            }
        }
        Input::Stop { character } | Input::Remove { character } => of().text("character", character),
        Input::Teleport(order) => with_teleport(of(), order),
        Input::Spawn(order) => with_spawn(of(), world, order),
        Input::Door { door, order } => of().text("door", door).text("order", order.name()),
        Input::Area { area, is_available } => of().text("area", area).flag("available", *is_available),
        Input::Block { name, at, radius_m, layer } => of()
            .text("name", name)
            .raw("at", &place(*at))
            .raw("radius", &exact(*radius_m))
            .maybe_text("layer", layer.as_deref()),
        Input::Unblock { name } => of().text("name", name),
        Input::Evaluate { text } => of().text("text", text),
        Input::Attend { is_attended } => of().flag("attended", *is_attended),
    };
    line.finish()
}

/// A number of the host, to the bit: what is refused is told with it.
fn exact(number: f32) -> String {
    if number.is_finite() { format!("{number}") } else { quoted(&number.to_string()) }
}

fn place(place: [f32; 3]) -> String {
    format!("[{}]", place.map(exact).join(","))
}

fn with_teleport(line: JsonLine, order: &InputTeleport) -> JsonLine {
    let line = line.text("character", &order.character).raw("to", &place(order.to));
    match order.facing_rad {
        Some(facing_rad) => line.raw("facing", &exact(facing_rad)),
        None => line,
    }
}

fn with_spawn(line: JsonLine, world: &World, order: &InputSpawn) -> JsonLine {
    let tags: Vec<String> = order.tags.iter().map(|tag| quoted(tag)).collect();
    let line = line.text("name", &order.name).raw("at", &place(order.at));
    let line = line.maybe_text("behaviour", order.behaviour.as_deref());
    let line = if tags.is_empty() { line } else { line.raw("tags", &format!("[{}]", tags.join(","))) };
    with_data(line, world, "params", order.params.as_ref())
}

fn with_texts(line: JsonLine, reload: &Reload) -> JsonLine {
    let scripts = reload.scripts.iter().fold(JsonLine::default(), |line, (path, text)| {
        let Some(text) = text else { return line.raw(path, "null") };
        let hash = hash::of_bytes(text.as_bytes());
        line.raw(path, &JsonLine::default().hash("hash", hash).text("text", text).finish())
    });
    let line = line.raw("scripts", &scripts.finish());
    let Some(level) = &reload.level else { return line };
    let files = level.files.iter().fold(JsonLine::default(), |line, (path, bytes)| {
        let file = JsonLine::default().hash("hash", hash::of_bytes(bytes));
        let file = match std::str::from_utf8(bytes) {
            Ok(text) => file.text("text", text),
            Err(_) => file.text("hex", &hex(bytes)),
        };
        line.raw(path, &file.finish())
    });
    let level = JsonLine::default().text("path", &level.path).raw("files", &files.finish());
    line.raw("level", &level.finish())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Adds plain data under a name, and what JSON has no form for in it.
fn with_data(line: JsonLine, world: &World, name: &str, data: Option<&Plain>) -> JsonLine {
    let Some(payload) = data else { return line };
    let mut writer = PayloadWriter { world, kinds: BTreeMap::new() };
    let json = writer.plain(payload, "", 0);
    let line = line.raw(name, &json);
    if writer.kinds.is_empty() {
        return line;
    }
    let kinds = writer
        .kinds
        .iter()
        .fold(JsonLine::default(), |line, (place, kind)| line.text(place, &kind.join(" ")));
    line.raw("kinds", &kinds.finish())
}

/// Writes plain data, and beside it, by place, what JSON has no form for or would not give back to the bit.
struct PayloadWriter<'a> {
    world: &'a World,
    kinds: BTreeMap<String, Vec<String>>,
}

impl PayloadWriter<'_> {
    /// `depth` is how many tables are around it. One deeper than data may be is written without what is in
    /// it: it is refused all the same, and no JSON is too deep to be read.
    fn plain(&mut self, value: &Plain, place: &str, depth: usize) -> String {
        match value {
            Plain::List(_) if depth >= checks::PLAIN_DEPTH_MAX => "[]".to_owned(),
            Plain::Map(_) if depth >= checks::PLAIN_DEPTH_MAX => "{}".to_owned(),
            Plain::List(items) => {
                let numbered = items.iter().enumerate();
                let items = numbered.map(|(index, item)| {
                    let place = below(place, &index.to_string());
                    self.plain(item, &place, depth + 1)
                });
                format!("[{}]", items.collect::<Vec<_>>().join(","))
            }
            Plain::Map(entries) => {
                let each = entries.iter().fold(JsonLine::default(), |line, (key, item)| {
                    let (name, kind) = key_of(entries, key);
                    let place = below(place, &name);
                    self.is(&place, kind);
                    line.raw(&name, &self.plain(item, &place, depth + 1))
                });
                each.finish()
            }
            single => {
                self.is(place, kind_of(self.world, single));
                line::plain(self.world, single)
            }
        }
    }

    fn is(&mut self, place: &str, kind: Option<String>) {
        if let Some(kind) = kind {
            self.kinds.entry(place.to_owned()).or_default().push(kind);
        }
    }
}

/// What has to be said of a value that is no table; its bits, where JSON would not give them back.
fn kind_of(world: &World, value: &Plain) -> Option<String> {
    match value {
        Plain::Number(number) => {
            let read: Option<f64> = serde_json::from_str(&line::double(*number)).ok();
            let is_kept = read.is_some_and(|read| read.to_bits() == number.to_bits());
            (!is_kept).then(|| format!("number:{:016x}", number.to_bits()))
        }
        Plain::Vector(vector) => {
            let parts = vector.to_array();
            let is_kept = parts.iter().all(|part| part.is_finite() && part.to_bits() != (-0.0f32).to_bits());
            let bits = || parts.map(|part| format!("{:08x}", part.to_bits())).concat();
            Some(if is_kept { "vector".to_owned() } else { format!("vector:{}", bits()) })
        }
        Plain::Character(id) => {
            let is_found = world.find_character(world.name_of(*id)) == Some(*id);
            Some(if is_found { "character".to_owned() } else { format!("character:{:x}", id.bits()) })
        }
        Plain::Door(id) => {
            let name = world.doors().get(id.index()).map(|door| door.name.as_str());
            let is_found = name.and_then(|name| world.find_door(name)) == Some(*id);
            Some(if is_found { "door".to_owned() } else { format!("door:{:x}", id.0) })
        }
        Plain::Bool(_) | Plain::Text(_) | Plain::List(_) | Plain::Map(_) => None,
    }
}

/// A key as JSON has it, and what has to be said of it: a number may look like a name beside it.
fn key_of(entries: &BTreeMap<PlainKey, Plain>, key: &PlainKey) -> (String, Option<String>) {
    match key {
        PlainKey::Index(index) => (index.to_string(), Some("index".to_owned())),
        PlainKey::Name(name) => {
            let is_number = |name: &str| {
                let index: Option<i64> = name.parse().ok();
                index.is_some_and(|index| {
                    index.to_string() == name && entries.contains_key(&PlainKey::Index(index))
                })
            };
            if !is_number(name) {
                return (name.clone(), None);
            }
            let mut other = format!("{name}'");
            while entries.contains_key(&PlainKey::Name(other.clone())) {
                other.push('\'');
            }
            (other, Some(format!("name:{name}")))
        }
    }
}

/// The place of an entry, as a JSON pointer.
fn below(place: &str, key: &str) -> String {
    format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// The input of a line. A field that is null is not given.
///
/// # Errors
/// A sentence about what the line lacks, or has and should not.
pub fn read(world: &World, line: &Value) -> Result<Input, String> {
    let fields = InputFields { world, line };
    let kind = fields.text("kind")?;
    let kind = kind.as_deref().unwrap_or(EVENT);
    let Some((_, known)) = FIELDS.iter().find(|(name, _)| *name == kind) else {
        return Err(format!("an input of the unknown kind {}", quoted(kind)));
    };
    fields.are_among(known)?;
    let text = |name: &str| fields.text(name);
    let needed = |name: &str| fields.needed(name);
    Ok(match kind {
        "answer" => Input::Answer { id: needed("id")?, option: needed("option")? },
        "continue" => Input::Continue { scene: text("scene")? },
        "skip" => Input::Skip { scene: text("scene")? },
        "reload" => Input::Reload(read_reload(line)?),
        "walk" => Input::Walk { character: needed("character")?, to: read_goal(&line["to"])? },
        "stop" => Input::Stop { character: needed("character")? },
        "remove" => Input::Remove { character: needed("character")? },
        "teleport" => Input::Teleport(InputTeleport {
            character: needed("character")?,
            to: read_place(&line["to"])?,
            facing_rad: fields.number("facing")?,
        }),
        "spawn" => Input::Spawn(InputSpawn {
            name: needed("name")?,
            at: read_place(&line["at"])?,
            behaviour: text("behaviour")?,
            params: fields.data("params")?,
            tags: read_tags(&line["tags"])?,
        }),
        "door" => Input::Door { door: needed("door")?, order: read_order(&needed("order")?)? },
        "area" => Input::Area { area: needed("area")?, is_available: fields.flag("available")? },
        "block" => Input::Block {
            name: needed("name")?,
            at: read_place(&line["at"])?,
            radius_m: fields.number("radius")?.ok_or_else(|| without("radius"))?,
            layer: text("layer")?,
        },
        "unblock" => Input::Unblock { name: needed("name")? },
        "evaluate" => Input::Evaluate { text: needed("text")? },
        "attend" => Input::Attend { is_attended: fields.flag("attended")? },
        _ => Input::Event { name: needed("name")?, payload: fields.data("payload")? },
    })
}

/// What stands for the kind of an event, whose line has none.
const EVENT: &str = "";

/// The fields of each kind of input, beside the kind.
const FIELDS: [(&str, &[&str]); 16] = [
    (EVENT, &["name", "payload", "kinds"]),
    ("answer", &["id", "option"]),
    ("continue", &["scene"]),
    ("skip", &["scene"]),
    ("reload", &["scripts", "level"]),
    ("walk", &["character", "to"]),
    ("stop", &["character"]),
    ("remove", &["character"]),
    ("teleport", &["character", "to", "facing"]),
    ("spawn", &["name", "at", "behaviour", "params", "tags", "kinds"]),
    ("door", &["door", "order"]),
    ("area", &["area", "available"]),
    ("block", &["name", "at", "radius", "layer"]),
    ("unblock", &["name"]),
    ("evaluate", &["text"]),
    ("attend", &["attended"]),
];

/// The fields of a line.
struct InputFields<'a> {
    world: &'a World,
    line: &'a Value,
}

impl InputFields<'_> {
    /// Refuses a field that is none of `known`, and of no line of a trace.
    fn are_among(&self, known: &[&str]) -> Result<(), String> {
        let has = |key: &str| known.contains(&key) || matches!(key, "kind" | "t" | "e");
        let given = self.line.as_object().into_iter().flat_map(serde_json::Map::keys);
        let Some(key) = given.into_iter().find(|key| !has(key)) else { return Ok(()) };
        let hint = did_you_mean_or_all(key, known).map_or_else(String::new, |hint| format!("; {hint}"));
        Err(format!("an input with the unknown field {}{hint}", quoted(key)))
    }

    fn text(&self, name: &str) -> Result<Option<String>, String> {
        match &self.line[name] {
            Value::Null => Ok(None),
            Value::String(text) => Ok(Some(text.clone())),
            _ => Err(wrong(name, "a text")),
        }
    }

    fn needed(&self, name: &str) -> Result<String, String> {
        self.text(name)?.ok_or_else(|| without(name))
    }

    fn flag(&self, name: &str) -> Result<bool, String> {
        match &self.line[name] {
            Value::Null => Err(without(name)),
            Value::Bool(flag) => Ok(*flag),
            _ => Err(wrong(name, "true or false")),
        }
    }

    fn number(&self, name: &str) -> Result<Option<f32>, String> {
        match &self.line[name] {
            Value::Null => Ok(None),
            json => read_number(json).map(Some).ok_or_else(|| wrong(name, "a number")),
        }
    }

    fn data(&self, name: &str) -> Result<Option<Plain>, String> {
        let kinds = &self.line["kinds"];
        let are_texts = |kinds: &serde_json::Map<String, Value>| kinds.values().all(Value::is_string);
        if !kinds.is_null() && !kinds.as_object().is_some_and(are_texts) {
            return Err(wrong("kinds", "an object of texts"));
        }
        let reader = PayloadReader { world: self.world, kinds };
        match &self.line[name] {
            Value::Null if reader.bits("", "number").is_none() => Ok(None),
            json => reader.plain(json, "").map(Some),
        }
    }
}

fn without(name: &str) -> String {
    format!("an input without \"{name}\"")
}

fn wrong(name: &str, expected: &str) -> String {
    format!("an input whose \"{name}\" is not {expected}")
}

fn read_goal(json: &Value) -> Result<InputGoal, String> {
    match json {
        Value::String(name) => Ok(InputGoal::Named(name.clone())),
        other => read_place(other).map(InputGoal::Point),
    }
}

/// A place of the host.
fn read_place(json: &Value) -> Result<[f32; 3], String> {
    let numbers: Option<Vec<f32>> =
        json.as_array().and_then(|numbers| numbers.iter().map(read_number).collect());
    let place = numbers.and_then(|numbers| <[f32; 3]>::try_from(numbers).ok());
    place.ok_or_else(|| "a place is not three numbers".to_owned())
}

/// A number of the host; see [`exact`].
fn read_number(json: &Value) -> Option<f32> {
    match json.as_str() {
        Some("inf") => Some(f32::INFINITY),
        Some("-inf") => Some(f32::NEG_INFINITY),
        Some("NaN") => Some(f32::NAN),
        _ => json.as_f64().map(|number| number as f32),
    }
}

fn read_tags(json: &Value) -> Result<Vec<String>, String> {
    let tags = match json {
        Value::Null => return Ok(Vec::new()),
        Value::Array(tags) => tags.iter(),
        _ => return Err(wrong("tags", "a list")),
    };
    tags.map(|tag| tag.as_str().map(str::to_owned).ok_or_else(|| "a tag is not a text".to_owned())).collect()
}

fn read_order(word: &str) -> Result<DoorCommand, String> {
    let found = DoorCommand::ALL.into_iter().find(|order| order.name() == word);
    found.ok_or_else(|| format!("an input with the unknown order {}", quoted(word)))
}

fn read_reload(line: &Value) -> Result<Reload, String> {
    let nothing = serde_json::Map::new();
    let scripts = match &line["scripts"] {
        Value::Null if !line["level"].is_null() => &nothing,
        scripts => scripts.as_object().ok_or("a reload without scripts")?,
    };
    let script = |(path, file): (&String, &Value)| match file {
        Value::Null => Ok((path.clone(), None)),
        file => {
            let text =
                String::from_utf8(read_file(path, file)?).map_err(|_| format!("{path} is not UTF-8 text"))?;
            Ok((path.clone(), Some(text)))
        }
    };
    let scripts = scripts.iter().map(script).try_collect_map::<_, _, String>()?;
    let level = match &line["level"] {
        Value::Null => None,
        level => {
            let files = level["files"].as_object().ok_or("a level without files")?;
            let files = files.iter().map(|(path, file)| Ok((path.clone(), read_file(path, file)?)));
            let path = level["path"].as_str().ok_or("a level without a path")?.to_owned();
            Some(LevelTexts { path, files: files.try_collect_map::<_, _, String>()? })
        }
    };
    Ok(Reload { scripts, level })
}

/// The bytes of a file: a text, or an object with its text and the hash of it, which traces have.
fn read_file(path: &str, file: &Value) -> Result<Vec<u8>, String> {
    let bytes = match (file, &file["text"], &file["hex"]) {
        (Value::String(text), ..) | (_, Value::String(text), Value::Null) => text.clone().into_bytes(),
        (_, Value::Null, Value::String(digits)) => {
            unhex(digits).ok_or_else(|| format!("{path} is not a hexadecimal text"))?
        }
        _ => return Err(format!("{path} has no text")),
    };
    let hash = &file["hash"];
    if hash.is_null() || *hash == format!("{:016x}", hash::of_bytes(&bytes)) {
        return Ok(bytes);
    }
    Err(format!("{path} has not the hash beside it"))
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// Reads a payload with the kinds that stand beside it.
struct PayloadReader<'a> {
    world: &'a World,
    kinds: &'a Value,
}

impl PayloadReader<'_> {
    fn is(&self, place: &str, kind: &str) -> bool {
        self.kinds[place].as_str().is_some_and(|kinds| kinds.split(' ').any(|one| one == kind))
    }

    /// The bits that stand behind a kind.
    fn bits(&self, place: &str, kind: &str) -> Option<&str> {
        let mut kinds = self.kinds[place].as_str()?.split(' ');
        kinds.find_map(|one| one.strip_prefix(kind)?.strip_prefix(':'))
    }

    /// A value of which the bits are told.
    fn exact(&self, place: &str) -> Option<Plain> {
        let whole = |kind: &str| u64::from_str_radix(self.bits(place, kind)?, 16).ok();
        if let Some(bits) = whole("number") {
            return Some(Plain::Number(f64::from_bits(bits)));
        }
        if let Some(bits) = whole("character") {
            return Some(Plain::Character(CharacterId::from_bits(bits)));
        }
        if let Some(bits) = whole("door") {
            // No level has more; a save game could not tell it either.
            let at = u32::try_from(bits).ok().filter(|at| *at <= i32::MAX.cast_unsigned())?;
            return Some(Plain::Door(DoorId(at)));
        }
        let bits = u128::from_str_radix(self.bits(place, "vector")?, 16).ok()?;
        let part = |at: u32| f32::from_bits((bits >> (32 * at)) as u32);
        Some(Plain::Vector(Vec3::new(part(2), part(1), part(0))))
    }

    fn plain(&self, json: &Value, place: &str) -> Result<Plain, String> {
        if let Some(value) = self.exact(place) {
            return Ok(value);
        }
        match json {
            Value::Array(_) if self.is(place, "vector") => vector(json).map(Plain::Vector),
            Value::String(name) if self.is(place, "character") => {
                let found = self.world.find_character(name);
                found.map(Plain::Character).ok_or_else(|| format!("no character {}", quoted(name)))
            }
            Value::String(name) if self.is(place, "door") => {
                let found = self.world.find_door(name);
                found.map(Plain::Door).ok_or_else(|| format!("no door {}", quoted(name)))
            }
            Value::Bool(flag) => Ok(Plain::Bool(*flag)),
            Value::Number(number) => Ok(Plain::Number(number.as_f64().unwrap_or_default())),
            Value::String(text) => Ok(Plain::Text(text.clone())),
            Value::Array(items) => self.list(items, place),
            Value::Object(entries) => self.map(entries, place),
            Value::Null => Err("a payload with nothing in it".to_owned()),
        }
    }

    fn list(&self, items: &[Value], place: &str) -> Result<Plain, String> {
        let numbered = items.iter().enumerate();
        let items = numbered.map(|(index, item)| self.plain(item, &below(place, &index.to_string())));
        Ok(Plain::List(items.collect::<Result<_, _>>()?))
    }

    fn map(&self, entries: &serde_json::Map<String, Value>, place: &str) -> Result<Plain, String> {
        let entry = |(key, item): (&String, &Value)| {
            let place = below(place, key);
            let index = key.parse().ok().filter(|_| self.is(&place, "index"));
            let name = self.bits(&place, "name").unwrap_or(key);
            let key = index.map_or_else(|| PlainKey::Name(name.to_owned()), PlainKey::Index);
            Ok((key, self.plain(item, &place)?))
        };
        Ok(Plain::Map(entries.iter().map(entry).try_collect_map::<_, _, String>()?))
    }
}

fn vector(json: &Value) -> Result<Vec3, String> {
    let numbers: Option<Vec<f32>> = json
        .as_array()
        .map(|list| list.iter().filter_map(|number| number.as_f64().map(|n| n as f32)).collect());
    match numbers.as_deref() {
        Some([x, y, z]) => Ok(Vec3::new(*x, *y, *z)),
        _ => Err("a vector is not three numbers".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_input_reads_back_as_it_was() {
        let world = World::default();
        let key = |name: &str| PlainKey::Name(name.to_owned());
        let payload = Plain::Map(BTreeMap::from([
            (PlainKey::Index(7), Plain::Vector(Vec3::new(0.1, 0.0, -3.5))),
            (key("7/~"), Plain::List(vec![Plain::Bool(true), Plain::Number(0.1)])),
            (key("at"), Plain::List(vec![Plain::Number(1.0), Plain::Number(2.0), Plain::Number(3.0)])),
        ]));
        let reload = Reload {
            scripts: BTreeMap::from([
                ("guard.lua".to_owned(), Some("return {}\n-- \u{202e}".to_owned())),
                ("gone.lua".to_owned(), None),
            ]),
            level: Some(LevelTexts {
                path: "levels/a.json".to_owned(),
                files: BTreeMap::from([
                    ("levels/a.json".to_owned(), b"{}".to_vec()),
                    ("levels/b.txt".to_owned(), vec![0xff, 0x00, 0x7f]),
                ]),
            }),
        };
        let named = |name: &str| name.to_owned();
        let mut inputs = vec![
            Input::event("bell"),
            Input::Event { name: "rung".to_owned(), payload: Some(payload.clone()) },
            Input::Answer { id: "a.b".to_owned(), option: "yes".to_owned() },
            Input::Continue { scene: None },
            Input::Skip { scene: Some("bridge".to_owned()) },
            Input::Reload(reload),
            Input::Walk { character: named("anna"), to: InputGoal::Point([0.1, -2.5, 1e-7]) },
            Input::Walk { character: named("anna"), to: InputGoal::Named(named("the \"well\"")) },
            Input::Stop { character: named("anna") },
            Input::Remove { character: named("anna") },
            Input::Area { area: named("yard"), is_available: false },
            Input::Evaluate { text: named("x = 1\nreturn x -- \u{202e}") },
            Input::Attend { is_attended: true },
        ];
        for facing_rad in [None, Some(0.1)] {
            let order = InputTeleport { character: named("anna"), to: [1.0, 0.0, 0.3], facing_rad };
            inputs.push(Input::Teleport(order));
        }
        let spawn = InputSpawn { name: named("bo"), at: [3.0, 0.5, 4.0], ..InputSpawn::default() };
        inputs.push(Input::Spawn(spawn.clone()));
        let (behaviour, tags) = (Some(named("guard")), vec![named("watch"), named("tall")]);
        inputs.push(Input::Spawn(InputSpawn { behaviour, params: Some(payload), tags, ..spawn }));
        let orders = DoorCommand::ALL.into_iter();
        inputs.extend(orders.map(|order| Input::Door { door: named("gate"), order }));
        for input in inputs {
            let line = line(&world, 3, &input);
            assert!(line.contains(MARK) && !line.contains('\n'), "{line}");
            let json: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(read(&world, &json), Ok(input), "{line}");
        }
    }

    /// Law: whatever the kind, a field of another type than its own is refused, and so is a field that the
    /// kind has not; one that is null is as good as none.
    #[test]
    fn a_field_of_a_wrong_type_or_of_no_kind_is_refused() {
        let world = World::default();
        let lines = [
            r#"{"name":"q","payload":{"a":1},"kinds":{"/a":"number:0"}}"#,
            r#"{"kind":"answer","id":"a","option":"b"}"#,
            r#"{"kind":"continue","scene":"a"}"#,
            r#"{"kind":"skip","scene":"a"}"#,
            r#"{"kind":"reload","scripts":{"a.lua":"return 1","b.lua":null},"level":{"path":"a","files":{"a":"{}"}}}"#,
            r#"{"kind":"walk","character":"a","to":[1,2,"-inf"]}"#,
            r#"{"kind":"stop","character":"a"}"#,
            r#"{"kind":"remove","character":"a"}"#,
            r#"{"kind":"teleport","character":"a","to":[1,2,3],"facing":"inf"}"#,
            r#"{"kind":"spawn","name":"a","at":[1,2,3],"behaviour":"b","params":7,"tags":["c"],"kinds":{"":"number:0"}}"#,
            r#"{"kind":"door","door":"a","order":"open"}"#,
            r#"{"kind":"area","area":"a","available":true}"#,
            r#"{"kind":"block","name":"a","at":[1,2,3],"radius":1,"layer":"b"}"#,
            r#"{"kind":"unblock","name":"a"}"#,
            r#"{"kind":"evaluate","text":"a"}"#,
            r#"{"kind":"attend","attended":false}"#,
        ];
        assert_eq!(lines.len(), FIELDS.len());
        let wrong = ["7", "true", "\"x\"", "[1]", "[[]]", "{\"q\":1}"]
            .map(|json| serde_json::from_str(json).unwrap());
        let read = |line: &Value| read(&world, line);
        for (text, (kind, known)) in lines.into_iter().zip(FIELDS) {
            let mut line: Value = serde_json::from_str(text).unwrap();
            line["t"] = 3.into();
            line["e"] = "input".into();
            let whole = read(&line).unwrap_or_else(|why| panic!("{text}: {why}"));
            assert_eq!(line["kind"].as_str().unwrap_or_default(), kind);
            for field in known.iter().chain(["kind"].iter().filter(|_| kind != EVENT)) {
                let own = line[*field].clone();
                let of_type = |value: &Value| std::mem::discriminant(value) == std::mem::discriminant(&own);
                for value in wrong.iter().filter(|value| !of_type(value)) {
                    let is_any =
                        matches!((*field, value), ("payload" | "params", _) | ("to", Value::String(_)));
                    let is_any = is_any && !(*field == "to" && kind == "teleport");
                    let is_number = matches!((*field, value), ("facing" | "radius", Value::Number(_)));
                    line[*field] = value.clone();
                    let is_read = read(&line).is_ok();
                    assert_eq!(is_read, is_any || is_number, "{line}");
                }
                line[*field] = Value::Null;
                let without = read(&line);
                line.as_object_mut().unwrap().remove(*field);
                assert_eq!(read(&line), without, "{line}");
                line[*field] = own;
                assert_eq!(read(&line).as_ref(), Ok(&whole), "{field} belongs to {line}");
                // One letter short, it is another field.
                let short = &field[..field.len() - 1];
                if *field != "kind" && !known.contains(&short) && !["kind", "t"].contains(&short) {
                    line[short] = line[*field].clone();
                    let why = read(&line).unwrap_err();
                    assert!(why.contains("unknown field") && why.contains(field), "{line}: {why}");
                    line.as_object_mut().unwrap().remove(short);
                }
            }
        }
    }

    #[test]
    fn a_reload_is_read_with_and_without_hashes() {
        let world = World::default();
        let told = |file: &str| {
            let line = format!(r#"{{"kind":"reload","scripts":{{"a.lua":{file}}}}}"#);
            read(&world, &serde_json::from_str(&line).unwrap())
        };
        let scripts = BTreeMap::from([("a.lua".to_owned(), Some("return 1".to_owned()))]);
        let reload = Input::Reload(Reload { scripts, level: None });
        let hash = hash::of_bytes(b"return 1");
        for file in [
            r#""return 1""#.to_owned(),
            r#"{"text":"return 1"}"#.to_owned(),
            r#"{"hash":null,"text":"return 1"}"#.to_owned(),
            format!(r#"{{"hash":"{hash:016x}","text":"return 1"}}"#),
        ] {
            assert_eq!(told(&file).as_ref(), Ok(&reload), "{file}");
        }
        for (file, why) in [
            (r#"{"hash":"0","text":"return 1"}"#, "has not the hash"),
            (r#"{"hash":7,"text":"return 1"}"#, "has not the hash"),
            (r#"{"text":7}"#, "has no text"),
            (r#"{"hash":"0"}"#, "has no text"),
            ("7", "has no text"),
        ] {
            assert!(told(file).unwrap_err().contains(why), "{file}");
        }
    }

    /// What no level has and no save game could tell is not made.
    #[test]
    fn a_door_beyond_all_doors_is_no_handle() {
        let world = World::default();
        for (bits, is_handle) in [("0", true), ("7fffffff", true), ("80000000", false), ("ffffffff", false)] {
            let line = format!(r#"{{"name":"d","payload":"x","kinds":{{"":"door:{bits}"}}}}"#);
            let read = read(&world, &serde_json::from_str(&line).unwrap()).unwrap();
            let is_door = matches!(read, Input::Event { payload: Some(Plain::Door(_)), .. });
            assert_eq!(is_door, is_handle, "{line}");
        }
    }

    #[test]
    fn a_reload_whose_text_was_changed_is_no_input() {
        let text = Some("return 1".to_owned());
        let reload = Reload { scripts: BTreeMap::from([("a.lua".to_owned(), text)]), level: None };
        let world = World::default();
        let line = line(&world, 1, &Input::Reload(reload)).replace("return 1", "return 2");
        let read = read(&world, &serde_json::from_str(&line).unwrap());
        assert!(read.unwrap_err().contains("a.lua has not the hash"), "and it says so");
    }
}
