//! What the API has, looked up by name: the registration table, read once.
//!
//! In: the table (`script::bind`), the globals of Luau. Out: entries of libraries and types, fields of tables, types of values.
//! Holds: no name of the API is written here. Not here: what a script does with it.

use std::collections::{BTreeMap, BTreeSet};

use super::value::Value;
use crate::script::bind;
use crate::script::bind::table::{Entry, Kind, Param};
use crate::script::check;
use crate::script::types::luau_type::{self, Type};

/// The API, indexed.
#[derive(Debug)]
pub(super) struct Api {
    libraries: BTreeMap<&'static str, Vec<&'static Entry>>,
    types: BTreeMap<&'static str, Vec<&'static Entry>>,
    shapes: BTreeMap<&'static str, &'static [Param]>,
    aliases: BTreeMap<&'static str, Type>,
    names: BTreeSet<&'static str>,
    /// Globals of Luau, and what is in them.
    globals: BTreeMap<String, BTreeSet<String>>,
}

/// A field of a table that the API knows.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub name: String,
    pub own: Type,
    pub doc: &'static str,
    pub is_optional: bool,
}

impl Api {
    pub fn new() -> Result<Self, String> {
        let of = |is_type: bool| {
            let groups = bind::groups().into_iter().filter(move |group| group.is_type == is_type);
            let named = groups.map(|group| {
                let own = bind::entries().into_iter().filter(|entry| entry.owner == group.name);
                (group.name, own.collect::<Vec<_>>())
            });
            named.collect::<BTreeMap<_, _>>()
        };
        let aliases = bind::NAMES.iter().chain(bind::ALIASES);
        Ok(Self {
            libraries: of(false),
            types: of(true),
            shapes: bind::shapes().into_iter().map(|shape| (shape.name, shape.fields)).collect(),
            aliases: aliases.filter_map(|alias| Some((alias.name, luau_type::read(alias.luau)?))).collect(),
            names: bind::NAMES.iter().map(|alias| alias.name).collect(),
            globals: check::globals()?,
        })
    }

    /// Whether a global is there without anybody writing it.
    pub fn is_global(&self, name: &str) -> bool {
        self.libraries.contains_key(name) || self.globals.contains_key(name) || name == "state"
    }

    /// Names of all globals, for suggestions.
    pub fn global_names(&self) -> impl Iterator<Item = &str> {
        let known = self.globals.keys().map(String::as_str);
        known.chain(self.libraries.keys().copied()).chain(["state"])
    }

    /// What the value of a global is.
    pub fn global(&self, name: &str) -> Value {
        if let Some((name, _)) = self.libraries.get_key_value(name) {
            return Value::Library(name);
        }
        match self.globals.get(name) {
            Some(members) if !members.is_empty() => Value::Native(name.to_owned()),
            _ => Value::Unknown,
        }
    }

    /// What is in a library of Luau.
    pub fn members(&self, library: &str) -> Option<&BTreeSet<String>> {
        self.globals.get(library)
    }

    /// Entries of a library or a handle type.
    pub fn entries(&self, value: &Value) -> Option<&[&'static Entry]> {
        match value {
            Value::Library(name) => self.libraries.get(name).map(Vec::as_slice),
            Value::Handle(name) => self.types.get(name).map(Vec::as_slice),
            _ => None,
        }
    }

    pub fn entry(&self, value: &Value, name: &str) -> Option<&'static Entry> {
        self.entries(value)?.iter().find(|entry| entry.name() == name).copied()
    }

    /// Fields of a table of the API.
    pub fn fields(&self, name: &str) -> Option<Vec<Field>> {
        if let Some(params) = self.shapes.get(name) {
            let read = params.iter().map(|param| {
                Some(Field {
                    name: param.name.to_owned(),
                    own: luau_type::read(param.luau)?,
                    doc: param.doc,
                    is_optional: param.is_optional() || param.luau == "any",
                })
            });
            return read.collect();
        }
        let Some(Type::Record(fields)) = self.aliases.get(name) else { return None };
        let read = fields.iter().map(|(name, own)| Field {
            name: name.clone(),
            own: own.clone(),
            doc: "",
            is_optional: matches!(own, Type::Optional(_)),
        });
        Some(read.collect())
    }

    /// The same type without the names of types that are other types, one step.
    pub fn unfolded<'a>(&'a self, own: &'a Type) -> &'a Type {
        match own {
            Type::Name(name) if !self.names.contains(name.as_str()) => {
                self.aliases.get(name.as_str()).unwrap_or(own)
            }
            _ => own,
        }
    }

    /// The kinds of names that a text of this type can be, such as `MarkName`.
    pub fn name_kinds(&self, own: &Type, kinds: &mut BTreeSet<&'static str>) {
        match self.unfolded(own) {
            Type::Name(name) => kinds.extend(self.names.get(name.as_str()).copied()),
            Type::Optional(inner) => self.name_kinds(inner, kinds),
            Type::Union(parts) => parts.iter().for_each(|part| self.name_kinds(part, kinds)),
            _ => {}
        }
    }

    /// What a value of a type is, as far as one can say.
    pub fn value(&self, own: &Type) -> Value {
        match own {
            Type::Name(name) => self.named(name),
            // What may be nil is looked at as if it were there.
            Type::Optional(inner) => self.value(inner),
            Type::Union(parts) => {
                let mut values = parts.iter().map(|part| self.value(part));
                let first = values.next().unwrap_or(Value::Unknown);
                if values.all(|value| value == first) { first } else { Value::Unknown }
            }
            Type::List(inner) => Value::List(Box::new(self.value(inner))),
            Type::Map(_, inner) => Value::Map(Box::new(self.value(inner))),
            Type::Record(_) | Type::Function(..) => Value::Unknown,
        }
    }

    fn named(&self, name: &str) -> Value {
        match name {
            "number" => return Value::Number,
            "string" => return Value::Text,
            "boolean" => return Value::Bool,
            "vector" => return Value::Vector,
            _ => {}
        }
        if name.starts_with('"') || self.names.contains(name) {
            return Value::Text;
        }
        if let Some((name, _)) = self.types.get_key_value(name) {
            return Value::Handle(name);
        }
        if let Some((name, _)) = self.shapes.get_key_value(name) {
            return Value::Shape(name);
        }
        match self.aliases.get_key_value(name) {
            Some((name, Type::Record(_))) => Value::Shape(name),
            Some((_, own)) => self.value(own),
            None => Value::Unknown,
        }
    }

    /// The value of a type as somebody wrote it down.
    pub fn annotated(&self, text: &str) -> Value {
        luau_type::read(text).map_or(Value::Unknown, |own| self.value(&own))
    }

    /// What an entry gives back: one of its results.
    pub fn result(&self, entry: &Entry, index: usize) -> Value {
        if entry.kind == Kind::Field {
            return self.annotated(entry.returns);
        }
        entry.returns.split(", ").nth(index).map_or(Value::Unknown, |own| self.annotated(own))
    }
}
