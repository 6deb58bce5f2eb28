//! An input as a line of the trace, and the line as an input again.
//!
//! In: an input, the world whose names it uses. Out: one line; from the line the same input. Holds: an event
//! has `name` and `payload`, every other input a `kind` and fields of its own; a reload carries whole texts,
//! so that a replay reads no file (fault:E20); values that a script would tell apart are told apart: handles
//! and vectors inside a payload, which JSON has no form for, are listed beside it under `kinds` (place as a
//! JSON pointer, kind), with their bits where a name or a number would not give them back; the input of a
//! line is done or refused as the one that it was written of. Not here: what an input does (`inputs`).

use std::collections::BTreeMap;

use glam::Vec3;
use serde_json::Value;

use crate::base::hash;
use crate::base::ids::{CharacterId, DoorId, GenerationalKey};
use crate::base::ordered::CollectOrdered;
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

/// The input of a line.
///
/// # Errors
/// A sentence about what the line lacks.
pub fn read(world: &World, line: &Value) -> Result<Input, String> {
    let text = |name: &str| line[name].as_str().map(str::to_owned);
    let needed = |name: &str| text(name).ok_or_else(|| format!("an input without \"{name}\""));
    let data = |name: &str| {
        let reader = PayloadReader { world, kinds: &line["kinds"] };
        match &line[name] {
            Value::Null if reader.bits("", "number").is_none() => Ok(None),
            json => reader.plain(json, "").map(Some),
        }
    };
    Ok(match line["kind"].as_str() {
        None => Input::Event { name: needed("name")?, payload: data("payload")? },
        Some("answer") => Input::Answer { id: needed("id")?, option: needed("option")? },
        Some("continue") => Input::Continue { scene: text("scene") },
        Some("skip") => Input::Skip { scene: text("scene") },
        Some("reload") => Input::Reload(read_reload(line)?),
        Some("walk") => Input::Walk { character: needed("character")?, to: read_goal(&line["to"])? },
        Some("stop") => Input::Stop { character: needed("character")? },
        Some("remove") => Input::Remove { character: needed("character")? },
        Some("teleport") => Input::Teleport(InputTeleport {
            character: needed("character")?,
            to: read_place(&line["to"])?,
            facing_rad: line.get("facing").map(read_number),
        }),
        Some("spawn") => Input::Spawn(InputSpawn {
            name: needed("name")?,
            at: read_place(&line["at"])?,
            behaviour: text("behaviour"),
            params: data("params")?,
            tags: read_tags(&line["tags"])?,
        }),
        Some("door") => Input::Door { door: needed("door")?, order: read_order(&needed("order")?)? },
        Some("area") => {
            let is_available = line["available"].as_bool().ok_or("an input without \"available\"")?;
            Input::Area { area: needed("area")?, is_available }
        }
        Some("block") => Input::Block {
            name: needed("name")?,
            at: read_place(&line["at"])?,
            radius_m: line.get("radius").map(read_number).ok_or("an input without \"radius\"")?,
            layer: text("layer"),
        },
        Some("unblock") => Input::Unblock { name: needed("name")? },
        Some("evaluate") => Input::Evaluate { text: needed("text")? },
        Some("attend") => {
            let is_attended = line["attended"].as_bool().ok_or("an input without \"attended\"")?;
            Input::Attend { is_attended }
        }
        Some(other) => return Err(format!("an input of the unknown kind {}", quoted(other))),
    })
}

fn read_goal(json: &Value) -> Result<InputGoal, String> {
    match json {
        Value::String(name) => Ok(InputGoal::Named(name.clone())),
        other => read_place(other).map(InputGoal::Point),
    }
}

/// A place of the host.
fn read_place(json: &Value) -> Result<[f32; 3], String> {
    let numbers = json.as_array().map_or(&[][..], Vec::as_slice);
    <[f32; 3]>::try_from(numbers.iter().map(read_number).collect::<Vec<f32>>())
        .map_err(|_| "a place is not three numbers".to_owned())
}

/// A number of the host; see [`exact`].
fn read_number(json: &Value) -> f32 {
    match json.as_str() {
        Some("inf") => f32::INFINITY,
        Some("-inf") => f32::NEG_INFINITY,
        _ => json.as_f64().map_or(f32::NAN, |number| number as f32),
    }
}

fn read_tags(json: &Value) -> Result<Vec<String>, String> {
    let tags = json.as_array().map_or(&[][..], Vec::as_slice).iter();
    tags.map(|tag| tag.as_str().map(str::to_owned).ok_or_else(|| "a tag is no text".to_owned())).collect()
}

fn read_order(word: &str) -> Result<DoorCommand, String> {
    let found = DoorCommand::ALL.into_iter().find(|order| order.name() == word);
    found.ok_or_else(|| format!("an input with the unknown order {}", quoted(word)))
}

fn read_reload(line: &Value) -> Result<Reload, String> {
    let scripts = line["scripts"].as_object().ok_or("a reload without scripts")?;
    let script = |(path, file): (&String, &Value)| match file {
        Value::Null => Ok((path.clone(), None)),
        file => {
            let text = String::from_utf8(read_file(path, file)?).map_err(|_| format!("{path} is no text"))?;
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

/// The bytes of a file, seen to have the hash that stands beside them.
fn read_file(path: &str, file: &Value) -> Result<Vec<u8>, String> {
    let bytes = match (&file["text"], &file["hex"]) {
        (Value::String(text), _) => text.clone().into_bytes(),
        (_, Value::String(digits)) => {
            unhex(digits).ok_or_else(|| format!("{path} is no hexadecimal text"))?
        }
        _ => return Err(format!("{path} has no text")),
    };
    let hash = format!("{:016x}", hash::of_bytes(&bytes));
    if file["hash"] == hash { Ok(bytes) } else { Err(format!("{path} has not the hash beside it")) }
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
            return u32::try_from(bits).ok().map(|at| Plain::Door(DoorId(at)));
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
