//! Parameters of behaviours: declared by the behaviour, given by the level or by `attach`, checked once.
//!
//! In: declarations, plain data, the world for names. Out: the values with defaults filled in. Holds: every
//! mistake names the parameter, what it is and what was expected; an unknown parameter names the nearest one.
//! References stay names. Not here: what a declaration is (`state::params`).

use std::collections::BTreeMap;

use glam::Vec3;
use mlua::{Lua, Table, Value};

use crate::base::value::{Plain, PlainKey};
use crate::script::state::params::{Param, ParamType, Params};
use crate::script::vm::convert::{Argument, describe};
use crate::script::vm::payload;
use crate::script::vm::shown_names::suggestion;
use crate::world::World;

/// The parameter that a sentence of [`fill`] is about.
pub(crate) fn parameter_of(sentence: &str) -> Option<&str> {
    match sentence.strip_prefix("unknown parameter \"") {
        Some(rest) => rest.split('"').next(),
        None => sentence.strip_prefix("params.")?.split([' ', ':']).next(),
    }
}

const KEYS: [&str; 6] = ["type", "default", "optional", "min", "max", "oneOf"];

/// Reads the `params` of a behaviour; a sentence about the first mistake.
pub(crate) fn declare(lua: &Lua, value: &Value) -> Result<Params, String> {
    let mut params = Params::new();
    let table = match value {
        Value::Nil => return Ok(params),
        Value::Table(table) => table,
        other => return Err(format!("params is {}, expected a table", describe(other))),
    };
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = pair.map_err(|error| error.to_string())?;
        let Some(name) = key.as_string().map(|key| key.to_string_lossy()) else {
            return Err(format!("params has the key {}, expected names", describe(&key)));
        };
        let Value::Table(declared) = value else {
            return Err(format!("params.{name} is {}, expected a table with a type", describe(&value)));
        };
        params.insert(name.clone(), declare_one(lua, &name, &declared)?);
    }
    Ok(params)
}

fn declare_one(lua: &Lua, name: &str, declared: &Table) -> Result<Param, String> {
    for pair in declared.pairs::<Value, Value>() {
        let (key, _) = pair.map_err(|error| error.to_string())?;
        let key = key.as_string().map_or_else(|| describe(&key), |key| key.to_string_lossy());
        if !KEYS.contains(&key.as_str()) {
            return Err(format!("params.{name} has an unknown key \"{key}\"{}", suggestion(&key, KEYS)));
        }
    }
    let get = |key: &str| declared.raw_get::<Value>(key).unwrap_or(Value::Nil);
    let types: Vec<&str> = ParamType::NAMES.iter().map(|(name, _)| *name).collect();
    let given = get("type");
    let word = given.as_string().map(|word| word.to_string_lossy());
    let kind = word.as_ref().and_then(|word| ParamType::NAMES.iter().find(|(name, _)| name == word));
    let Some(&(_, kind)) = kind else {
        return Err(format!(
            "params.{name}.type is {}, expected one of {}",
            describe(&given),
            types.join(", ")
        ));
    };
    let number = |key: &str| match get(key) {
        Value::Nil => Ok(None),
        Value::Integer(value) => Ok(Some(value as f64)),
        Value::Number(value) if value.is_finite() => Ok(Some(value)),
        other => Err(format!("params.{name}.{key} is {}, expected a number", describe(&other))),
    };
    let plain = |key: &str| match get(key) {
        Value::Nil => Ok(None),
        value => {
            let given = Argument::new("params", &format!("params.{name}.{key}"), value);
            payload::read(lua, &given, 256).map(Some).map_err(|mistake| mistake.to_string())
        }
    };
    let one_of = match plain("oneOf")? {
        None => None,
        Some(Plain::List(values)) => Some(values),
        Some(_) => return Err(format!("params.{name}.oneOf is not a list, expected values to choose from")),
    };
    let optional = match get("optional") {
        Value::Nil => false,
        Value::Boolean(value) => value,
        other => {
            return Err(format!("params.{name}.optional is {}, expected true or false", describe(&other)));
        }
    };
    let (min, max) = (number("min")?, number("max")?);
    if let (Some(low), Some(high)) = (min, max)
        && low > high
    {
        return Err(format!("params.{name}.min is {low} and max {high}, expected min not above max"));
    }
    let param = Param { kind, default: None, optional, min, max, one_of };
    let default = match plain("default")? {
        None => None,
        // Names are looked up when a level uses the default.
        Some(value) => Some(fit(&param, name, value, None)?),
    };
    Ok(Param { default, ..param })
}

/// The value of a parameter, checked; `world` for the names it refers to.
fn fit(param: &Param, name: &str, value: Plain, world: Option<&World>) -> Result<Plain, String> {
    let refused =
        |value: &Plain| format!("params.{name} is {}, expected {}", show(value), param.kind.expected());
    let value = match (param.kind, value) {
        (ParamType::Any, value) => value,
        (ParamType::Number, Plain::Number(number)) => Plain::Number(number),
        (ParamType::Integer, Plain::Number(number)) if libm::floor(number) == number => Plain::Number(number),
        (ParamType::Boolean, Plain::Bool(value)) => Plain::Bool(value),
        (ParamType::String, Plain::Text(text)) => Plain::Text(text),
        (ParamType::Vector, Plain::Vector(vector)) => Plain::Vector(vector),
        (ParamType::Vector, Plain::List(parts)) => match vector(&parts) {
            Some(vector) => Plain::Vector(vector),
            None => return Err(refused(&Plain::List(parts))),
        },
        (
            ParamType::Number
            | ParamType::Integer
            | ParamType::Boolean
            | ParamType::String
            | ParamType::Vector,
            other,
        ) => return Err(refused(&other)),
        (reference, Plain::Text(text)) => {
            if let Some(world) = world.filter(|world| !reference.is_known(world, &text)) {
                let known = reference.known(world).unwrap_or_default();
                let noun =
                    ParamType::NAMES.iter().find(|(_, kind)| *kind == reference).map_or("", |(name, _)| name);
                let hint = suggestion(&text, known.iter().map(String::as_str));
                return Err(format!("params.{name}: unknown {noun} \"{text}\"{hint}"));
            }
            Plain::Text(text)
        }
        (_, other) => return Err(refused(&other)),
    };
    if let Plain::Number(number) = value {
        let (low, high) = (param.min.unwrap_or(f64::NEG_INFINITY), param.max.unwrap_or(f64::INFINITY));
        if number < low || number > high {
            let range = match (param.min, param.max) {
                (Some(low), Some(high)) => format!("{low} to {high}"),
                (Some(low), None) => format!("{low} or more"),
                (None, high) => format!("{} or less", high.unwrap_or_default()),
            };
            return Err(format!("params.{name} is {number}, expected {range}"));
        }
    }
    if let Some(choices) = &param.one_of
        && !choices.contains(&value)
    {
        let choices: Vec<String> = choices.iter().map(show).collect();
        return Err(format!("params.{name} is {}, expected one of {}", show(&value), choices.join(", ")));
    }
    Ok(value)
}

fn vector(parts: &[Plain]) -> Option<Vec3> {
    let numbers: Option<Vec<f32>> = parts
        .iter()
        .map(|part| match part {
            Plain::Number(number) => Some(*number as f32),
            _ => None,
        })
        .collect();
    let vector = match numbers?.as_slice() {
        [x, z] => Some(Vec3::new(*x, 0.0, *z)),
        [x, y, z] => Some(Vec3::new(*x, *y, *z)),
        _ => None,
    };
    // Large numbers are none in single precision.
    vector.filter(|vector| vector.is_finite())
}

fn show(value: &Plain) -> String {
    match value {
        Plain::Bool(value) => value.to_string(),
        Plain::Number(value) => value.to_string(),
        Plain::Text(text) => format!("\"{text}\""),
        Plain::Vector(v) => format!("({}, {}, {})", v.x, v.y, v.z),
        Plain::Character(_) => "a character".to_owned(),
        Plain::Door(_) => "a door".to_owned(),
        Plain::List(_) => "a list".to_owned(),
        Plain::Map(_) => "a table".to_owned(),
    }
}

/// The parameters of one instance: those given, checked, and defaults for the rest; a sentence about the
/// first mistake. Without a world, names of things in the level are not looked up.
pub(crate) fn fill(params: &Params, given: &Plain, world: Option<&World>) -> Result<Plain, String> {
    let empty = BTreeMap::new();
    let given = match given {
        Plain::Map(entries) => entries,
        Plain::List(entries) if entries.is_empty() => &empty,
        _ => return Err("params is a list, expected names and values".to_owned()),
    };
    for key in given.keys() {
        let PlainKey::Name(name) = key else {
            return Err("params has a number as a key, expected names".to_owned());
        };
        if !params.contains_key(name) {
            let hint = suggestion(name, params.keys().map(String::as_str));
            return Err(format!("unknown parameter \"{name}\"{hint}"));
        }
    }
    let mut filled = BTreeMap::new();
    for (name, param) in params {
        let key = PlainKey::Name(name.clone());
        let value = match (given.get(&key), &param.default) {
            (Some(value), _) => Some(fit(param, name, value.clone(), world)?),
            (None, Some(default)) => Some(fit(param, name, default.clone(), world)?),
            (None, None) if param.optional => None,
            (None, None) => {
                return Err(format!("params.{name} is missing, expected {}", param.kind.expected()));
            }
        };
        if let Some(value) = value {
            filled.insert(key, value);
        }
    }
    Ok(Plain::Map(filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(text: &str) -> Params {
        let lua = Lua::new();
        let value: Value = lua.load(text).eval().expect("the text is Lua");
        declare(&lua, &value).expect("the declaration is right")
    }

    fn given(entries: &[(&str, Plain)]) -> Plain {
        Plain::Map(
            entries.iter().map(|(name, value)| (PlainKey::Name((*name).to_owned()), value.clone())).collect(),
        )
    }

    #[test]
    fn mistakes_name_the_parameter_and_what_was_expected() {
        let params = declared(
            r#"{ pause = { type = "number", default = 1.5, min = 0, max = 9 }, route = { type = "route", optional = true },
                 mood = { type = "string", oneOf = { "calm", "angry" }, default = "calm" }, count = { type = "integer", optional = true },
                 at = { type = "vector", optional = true } }"#,
        );
        let cases = [
            (given(&[("pause", Plain::Bool(true))]), "params.pause is true, expected a number"),
            (given(&[("pause", Plain::Number(-1.0))]), "params.pause is -1, expected 0 to 9"),
            (given(&[("paus", Plain::Number(1.0))]), "unknown parameter \"paus\"; did you mean \"pause\"?"),
            (
                given(&[("mood", Plain::Text("sad".into()))]),
                "params.mood is \"sad\", expected one of \"calm\", \"angry\"",
            ),
            (given(&[("count", Plain::Number(1.5))]), "params.count is 1.5, expected a whole number"),
            (given(&[("route", Plain::Number(1.0))]), "params.route is 1, expected the name of a route"),
        ];
        for (given, expected) in cases {
            assert_eq!(fill(&params, &given, None), Err(expected.to_owned()));
            let Plain::Map(entries) = given else { panic!("a map was given") };
            let name = entries.keys().next().and_then(|key| match key {
                PlainKey::Name(name) => Some(name.as_str()),
                PlainKey::Index(_) => None,
            });
            assert_eq!(parameter_of(expected), name, "{expected}");
        }
        let endless = given(&[("at", Plain::List(vec![Plain::Number(1e300), Plain::Number(2.0)]))]);
        assert!(fill(&params, &endless, None).is_err_and(|told| told.contains("expected a vector")));
        let vector = Plain::List(vec![Plain::Number(1.0), Plain::Number(2.0)]);
        let filled = fill(&params, &given(&[("at", vector)]), None).expect("all is well");
        let expected = given(&[
            ("at", Plain::Vector(Vec3::new(1.0, 0.0, 2.0))),
            ("mood", Plain::Text("calm".into())),
            ("pause", Plain::Number(1.5)),
        ]);
        assert_eq!(filled, expected);
    }

    #[test]
    fn a_range_that_holds_no_number_is_refused() {
        let lua = Lua::new();
        let declared = |text: &str| {
            let value: Value = lua.load(text).eval().expect("it is a table");
            declare(&lua, &value).map(|_| ())
        };
        for kind in ["number", "integer"] {
            for (range, shown) in
                [("min = 3, max = 1", "3 and max 1"), ("max = -2, min = -1.5", "-1.5 and max -2")]
            {
                for rest in ["", "optional = true", "default = 2", "oneOf = { 1, 2 }"] {
                    let told = declared(&format!("{{ pause = {{ type = '{kind}', {range}, {rest} }} }}"));
                    let expected = format!("params.pause.min is {shown}, expected min not above max");
                    assert_eq!(told, Err(expected), "{kind} {range} {rest}");
                }
            }
            for range in ["min = 1, max = 1", "min = 1", "max = -1", "min = -2, max = -1", ""] {
                assert_eq!(
                    declared(&format!("{{ pause = {{ type = '{kind}', {range} }} }}")),
                    Ok(()),
                    "{range}"
                );
            }
        }
    }
}
