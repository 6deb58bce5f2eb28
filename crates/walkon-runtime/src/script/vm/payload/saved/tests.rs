//! The law of data in save games: without a tree in between it is as with one, to the byte and to the word.

use mlua::{LightUserData, Lua, Value};
use slotmap::{Key, KeyData};

use super::*;
use crate::base::bytes::Saved;
use crate::base::rng::Rng;
use crate::base::time::TickNumber;
use crate::script::vm::convert::Argument;
use crate::script::vm::payload;

const LIMIT_KIB: u32 = 4;

/// A VM whose handles of characters are the bits of their ids; those of doors are told by a high bit.
fn vm() -> Lua {
    const DOOR: usize = 1 << 60;
    let lua = Lua::new();
    let read = |value: &Value| match value {
        Value::LightUserData(handle) if handle.0.addr() & DOOR != 0 => {
            Some(Plain::Door(DoorId((handle.0.addr() & !DOOR) as u32)))
        }
        Value::LightUserData(handle) if handle.0.addr() != 0 => {
            Some(Plain::Character(KeyData::from_ffi(handle.0.addr() as u64).into()))
        }
        _ => None,
    };
    let make = |_: &Lua, plain: &Plain| {
        let bits = match plain {
            Plain::Character(id) => id.data().as_ffi() as usize,
            Plain::Door(id) => DOOR | id.0 as usize,
            _ => 0,
        };
        Ok(Value::LightUserData(LightUserData(std::ptr::without_provenance_mut(bits))))
    };
    payload::install(&lua, Handles { read, make });
    lua
}

fn text(rng: &mut Rng) -> String {
    let words = ["state", "stop", "a", "", "ä", "z\"", "two words", "9", "größe"];
    words[rng.below(words.len() as u64) as usize].to_owned()
}

fn number(rng: &mut Rng) -> f64 {
    let special = [0.0, -0.0, 1.0, -1.0, 1e300, -2.5, 9_007_199_254_740_993.0, 1e18, -1e19, 2e19];
    match rng.below(3) {
        0 => rng.int(-5, 9) as f64,
        1 => special[rng.below(special.len() as u64) as usize],
        _ => rng.float(-1e3, 1e3),
    }
}

/// Anything that a script may keep; with `may_be_wrong` also what no state may hold.
fn value(lua: &Lua, rng: &mut Rng, depth: u32, may_be_wrong: bool) -> mlua::Result<Value> {
    let wrong = may_be_wrong && rng.below(24) == 0;
    Ok(match rng.below(if depth == 0 { 6 } else { 9 }) {
        _ if wrong => match rng.below(6) {
            0 => Value::Number(f64::NAN),
            1 => Value::Number(f64::INFINITY),
            2 => Value::String(lua.create_string(b"\xff\xfe")?),
            3 => Value::Function(lua.load("return 1").into_function()?),
            4 => Value::Vector(mlua::Vector::new(f32::NAN, 0.0, 0.0)),
            _ => {
                let table = lua.create_table()?;
                table.set_metatable(Some(lua.create_table()?))?;
                Value::Table(table)
            }
        },
        0 => Value::Boolean(rng.chance(0.5)),
        1 | 2 => Value::Number(number(rng)),
        3 => Value::String(lua.create_string(text(rng))?),
        4 => Value::Vector(mlua::Vector::new(rng.float(-9.0, 9.0) as f32, 0.0, -0.0)),
        5 => {
            let bits = if rng.chance(0.5) { 1 << 32 | rng.below(50) } else { 1 << 60 | rng.below(9) };
            Value::LightUserData(LightUserData(std::ptr::without_provenance_mut(bits as usize)))
        }
        6 => {
            let list = lua.create_table()?;
            for _ in 0..rng.below(5) {
                list.raw_push(value(lua, rng, depth - 1, may_be_wrong)?)?;
            }
            Value::Table(list)
        }
        _ => {
            let map = lua.create_table()?;
            for _ in 0..rng.below(6) {
                let key = match rng.below(4) {
                    0 => Value::Number(number(rng)),
                    1 => Value::Integer(rng.int(1, 4)),
                    _ if may_be_wrong && rng.below(30) == 0 => Value::Boolean(true),
                    _ => Value::String(lua.create_string(text(rng))?),
                };
                map.raw_set(key, value(lua, rng, depth - 1, may_be_wrong)?)?;
            }
            if may_be_wrong && rng.below(60) == 0 {
                map.raw_set("me", &map)?;
            }
            if may_be_wrong && rng.below(60) == 0 {
                map.raw_set("long", "x".repeat(LIMIT_KIB as usize * 1024))?;
            }
            Value::Table(map)
        }
    })
}

/// Bytes under way: some texts were told, and some bits of a byte are taken.
fn begun(rng: &mut Rng) -> ByteWriter {
    let mut out = ByteWriter::at(TickNumber(0));
    (0..rng.below(9)).for_each(|_| out.flag(true));
    (0..rng.below(4)).for_each(|_| out.text(&text(rng)));
    out
}

#[test]
fn what_is_written_without_a_tree_is_what_its_tree_would_be() {
    let lua = vm();
    let mut writer = DataWriter::new(&lua, LIMIT_KIB);
    let (mut written, mut refused) = (0, 0);
    for seed in 0..3_000 {
        let mut rng = Rng::stream(seed, "data to save");
        let value = value(&lua, &mut rng, 4, seed % 2 == 0).unwrap();
        let plain = payload::read(&lua, &Argument::new("f", "p", value.clone()), LIMIT_KIB);
        let before = begun(&mut rng);
        let (mut straight, mut by_tree) = (before.clone(), before.clone());
        let is_written = writer.write(&value, &mut straight);
        assert_eq!(is_written, plain.is_ok(), "{seed}: {plain:?}");
        match plain {
            Ok(plain) => {
                plain.save(&mut by_tree);
                written += 1;
            }
            Err(_) => refused += 1,
        }
        assert_eq!(straight.finish(), by_tree.finish(), "{seed}");
    }
    assert!(written > 1_000 && refused > 200, "{written} {refused}");
}

/// What both ways read from bytes, and how many are left.
fn read_both_ways(lua: &Lua, bytes: &[u8]) -> Result<Plain, String> {
    let (mut one, mut other) = (ByteReader::at(TickNumber(0), bytes), ByteReader::at(TickNumber(0), bytes));
    let mut data = ReadData::default();
    let read = data.read(&mut one);
    let plain = Plain::load(&mut other);
    assert_eq!(read.as_ref().err(), plain.as_ref().err(), "{bytes:?}");
    let (place, plain) = (read.map_err(|error| error.0)?, plain.map_err(|error| error.0)?);
    assert_eq!(one.end(), other.end(), "{bytes:?}");
    assert_eq!(format!("{:?}", data.plain(place)), format!("{plain:?}"));
    let (made, written) = (data.make(lua, place).unwrap(), payload::write(lua, &plain).unwrap());
    let shape = |value: Value| {
        let mut out = ByteWriter::at(TickNumber(0));
        let is_plain = DataWriter::new(lua, 1 << 20).write(&value, &mut out);
        (is_plain, out.finish())
    };
    assert_eq!(shape(made), shape(written), "{bytes:?}");
    Ok(plain)
}

#[test]
fn what_is_read_without_a_tree_is_what_its_tree_would_be() {
    let lua = vm();
    let mut writer = DataWriter::new(&lua, LIMIT_KIB);
    let (mut whole, mut broken) = (0, 0);
    for seed in 0..1_500 {
        let mut rng = Rng::stream(seed, "data to load");
        let value = value(&lua, &mut rng, 4, false).unwrap();
        let mut out = ByteWriter::at(TickNumber(0));
        if !writer.write(&value, &mut out) {
            continue;
        }
        let mut bytes = out.finish();
        read_both_ways(&lua, &bytes).unwrap();
        whole += 1;
        for _ in 0..4 {
            if bytes.is_empty() {
                break;
            }
            let at = rng.below(bytes.len() as u64) as usize;
            match rng.below(3) {
                0 => bytes.truncate(at),
                1 => bytes[at] ^= 1 << rng.below(8),
                _ => bytes.insert(at, rng.below(256) as u8),
            }
            broken += usize::from(read_both_ways(&lua, &bytes).is_err());
        }
    }
    assert!(whole > 1_000 && broken > 500, "{whole} {broken}");
}

#[test]
fn a_text_of_many_values_is_made_once() {
    let lua = vm();
    let mut out = ByteWriter::at(TickNumber(0));
    let plain = Plain::map([("mood", Plain::Text("calm".to_owned()))]);
    (0..3).for_each(|_| plain.save(&mut out));
    let bytes = out.finish();
    let (mut input, mut data) = (ByteReader::at(TickNumber(0), &bytes), ReadData::default());
    let places = [(); 3].map(|()| data.read(&mut input).unwrap());
    for place in places {
        let Value::Table(table) = data.make(&lua, place).unwrap() else { panic!("a map") };
        assert_eq!(table.raw_get::<String>("mood").unwrap(), "calm");
    }
    assert_eq!(data.made.iter().flatten().count(), 2);
}
