//! The API by name: an index of the registration table.
//!
//! In: the table (`script::bind`), the globals of Luau. Out: entries of libraries and types, fields of
//! tables, types of values. Holds: no name of the API is written here. Not here: its use by a script.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use walkon_runtime::base::ordered::CollectOrdered;

use super::value::InferredValue;
use crate::script::bind;
use crate::script::bind::table::{ApiParam, Binding, EntryKind};
use crate::script::check;
use crate::script::check::trial::Trial;
use crate::script::types::luau_type::{self, Type};

/// The API, indexed.
#[derive(Debug)]
pub(super) struct Api {
    libraries: BTreeMap<&'static str, Vec<&'static Binding>>,
    types: BTreeMap<&'static str, Vec<&'static Binding>>,
    shapes: BTreeMap<&'static str, &'static [ApiParam]>,
    aliases: BTreeMap<&'static str, Type>,
    names: BTreeSet<&'static str>,
    /// Globals of Luau, and what is in them.
    globals: BTreeMap<String, BTreeSet<String>>,
    /// Where calls are tried; none when it cannot be made.
    trial: OnceCell<Option<Trial>>,
}

/// A field of a table that the API knows.
#[derive(Clone, Debug)]
pub(super) struct ApiField {
    pub name: String,
    pub own: Type,
    pub doc: &'static str,
    pub is_optional: bool,
}

impl ApiField {
    /// The fields of a table whose type is written out.
    pub fn of_record(fields: &[(String, Type)]) -> Vec<Self> {
        let read = fields.iter().map(|(name, own)| Self {
            name: name.clone(),
            own: own.clone(),
            doc: "",
            is_optional: matches!(own, Type::Optional(_)),
        });
        read.collect()
    }
}

impl Api {
    pub fn new() -> Result<Self, String> {
        let of = |is_type: bool| {
            let groups = bind::groups().into_iter().filter(move |group| group.is_type == is_type);
            let named = groups.map(|group| {
                let own = bind::entries_of(group.name);
                (group.name, own.collect::<Vec<_>>())
            });
            named.collect_map()
        };
        let aliases = bind::NAMES.iter().chain(bind::ALIASES);
        Ok(Self {
            libraries: of(false),
            types: of(true),
            shapes: bind::shapes().into_iter().map(|shape| (shape.name, shape.fields)).collect_map(),
            aliases: aliases
                .filter_map(|alias| Some((alias.name, luau_type::read(alias.luau)?)))
                .collect_map(),
            names: bind::NAMES.iter().map(|alias| alias.name).collect_set(),
            globals: check::globals()?,
            trial: OnceCell::new(),
        })
    }

    /// Where calls are tried, made when the first one is.
    pub fn trial(&self) -> Option<&Trial> {
        self.trial.get_or_init(|| Trial::new().ok()).as_ref()
    }

    /// Whether a global is there without a definition in a script.
    pub fn is_global(&self, name: &str) -> bool {
        self.libraries.contains_key(name) || self.globals.contains_key(name) || name == "state"
    }

    /// Names of all globals, for suggestions.
    pub fn global_names(&self) -> impl Iterator<Item = &str> {
        let known = self.globals.keys().map(String::as_str);
        known.chain(self.libraries.keys().copied()).chain(["state"])
    }

    /// What the value of a global is.
    pub fn global(&self, name: &str) -> InferredValue {
        if let Some((name, _)) = self.libraries.get_key_value(name) {
            return InferredValue::Library(name);
        }
        match self.globals.get(name) {
            Some(members) if !members.is_empty() => InferredValue::Native(name.to_owned()),
            _ => InferredValue::Unknown,
        }
    }

    /// What is in a library of Luau.
    pub fn members(&self, library: &str) -> Option<&BTreeSet<String>> {
        self.globals.get(library)
    }

    /// Entries of a library or a handle type.
    pub fn entries(&self, value: &InferredValue) -> Option<&[&'static Binding]> {
        match value {
            InferredValue::Library(name) => self.libraries.get(name).map(Vec::as_slice),
            InferredValue::Handle(name) => self.types.get(name).map(Vec::as_slice),
            _ => None,
        }
    }

    pub fn entry(&self, value: &InferredValue, name: &str) -> Option<&'static Binding> {
        self.entries(value)?.iter().find(|entry| entry.name() == name).copied()
    }

    /// What a call of a member calls: never a field, which may share its name with a method.
    pub fn callee(&self, value: &InferredValue, name: &str) -> Option<&'static Binding> {
        let is_called = |entry: &&&Binding| entry.name() == name && entry.kind != EntryKind::Field;
        self.entries(value)?.iter().find(is_called).copied()
    }

    /// Fields of a table of the API.
    pub fn fields(&self, name: &str) -> Option<Vec<ApiField>> {
        if let Some(params) = self.shapes.get(name) {
            let read = params.iter().map(|param| {
                Some(ApiField {
                    name: param.name.to_owned(),
                    own: luau_type::read(param.luau)?,
                    doc: param.doc,
                    is_optional: param.is_optional() || param.luau == "any",
                })
            });
            return read.collect();
        }
        let Some(Type::Record(fields)) = self.aliases.get(name) else { return None };
        Some(ApiField::of_record(fields))
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
    pub fn value(&self, own: &Type) -> InferredValue {
        match own {
            Type::Name(name) => self.named(name),
            // A value that may be nil is looked at as if it were there.
            Type::Optional(inner) => self.value(inner),
            Type::Union(parts) => {
                let mut values = parts.iter().map(|part| self.value(part));
                let first = values.next().unwrap_or(InferredValue::Unknown);
                if values.all(|value| value == first) { first } else { InferredValue::Unknown }
            }
            Type::List(inner) => InferredValue::List(Box::new(self.value(inner))),
            Type::Map(_, inner) => InferredValue::Map(Box::new(self.value(inner))),
            Type::Record(_) | Type::Function(..) => InferredValue::Unknown,
        }
    }

    fn named(&self, name: &str) -> InferredValue {
        match name {
            "number" => return InferredValue::Number,
            "string" => return InferredValue::Text,
            "boolean" => return InferredValue::Bool,
            "vector" => return InferredValue::Vector,
            _ => {}
        }
        if name.starts_with('"') || self.names.contains(name) {
            return InferredValue::Text;
        }
        if let Some((name, _)) = self.types.get_key_value(name) {
            return InferredValue::Handle(name);
        }
        if let Some((name, _)) = self.shapes.get_key_value(name) {
            return InferredValue::Shape(name);
        }
        match self.aliases.get_key_value(name) {
            Some((name, Type::Record(_))) => InferredValue::Shape(name),
            Some((_, own)) => self.value(own),
            None => InferredValue::Unknown,
        }
    }

    /// The value of a type as a script declares it.
    pub fn annotated(&self, text: &str) -> InferredValue {
        luau_type::read(text).map_or(InferredValue::Unknown, |own| self.value(&own))
    }

    /// What an entry gives back: one of its results.
    pub fn result(&self, entry: &Binding, index: usize) -> InferredValue {
        if entry.kind == EntryKind::Field {
            return self.annotated(entry.returns);
        }
        entry.returns.split(", ").nth(index).map_or(InferredValue::Unknown, |own| self.annotated(own))
    }
}
