//! Objects of the level file, each key declared once: reader, writer, schema, known names, defaults and
//! ranges come from the same line.
//!
//! In: `object!` with a struct whose fields carry their key, whether it must be there, its default and its
//! [`Form`]. Out: the struct with its `Default`, and [`Object`], which reads and writes it and lists its
//! keys. Holds: keys are read in the order of the declaration; a key that cannot be read has its default, and
//! the rest is read on. Not here: the forms (`forms`), the objects (`def`), rules between keys (`read`).

use serde_json::{Map, Value, json};

use super::json::{Fields, JsonReader, JsonValue};
use super::numbers::Number;
use super::ordered_json::{OrderedJson, OrderedObject};

/// How a value is written in a level file.
pub(crate) trait Form {
    /// What it is read into.
    type Value;

    /// The value; none after a finding.
    fn read(&self, reader: &mut JsonReader<'_>, node: JsonValue<'_, '_>) -> Option<Self::Value>;

    /// What an editor is told of it.
    fn schema(&self, parts: &mut SchemaParts) -> Value;

    /// The value as it stands in a file; nothing for forms of maps that are never written.
    fn write(&self, _value: &Self::Value) -> OrderedJson {
        OrderedJson::Leaf(Value::Null)
    }

    /// The value as the schema shows it where it is a default.
    fn shown(&self, _value: &Self::Value) -> Value {
        Value::Null
    }

    /// The number that it is in the range of, if it is one.
    fn number(&self) -> Option<Number> {
        None
    }
}

/// A form with a default of its own.
pub(crate) trait Standard: Form {
    fn standard(&self) -> Self::Value;
}

/// A key of an object.
pub(crate) struct Key {
    pub name: &'static str,
    /// What it means, line by line.
    pub doc: &'static [&'static str],
    pub is_required: bool,
    pub schema: fn(&mut SchemaParts) -> Value,
    /// The default that the schema shows.
    pub default: fn() -> Option<Value>,
    /// The number that its value is in the range of, if it is one.
    pub number: fn() -> Option<Number>,
}

/// An object of the level file.
pub(crate) trait Object: Sized + Default {
    /// What the schema calls it.
    const TITLE: &'static str;
    /// What it is, line by line.
    const DOC: &'static [&'static str];

    /// Its keys, in order.
    fn keys() -> Vec<&'static Key>;

    /// The object from its keys; none where it is nothing without one of them.
    fn read(reader: &mut JsonReader<'_>, fields: &Fields<'_, '_>) -> Option<Self>;

    /// Its keys as they stand in a file, without those that have their default.
    fn write(&self, out: &mut OrderedObject);

    /// The names of its keys.
    fn names() -> Vec<&'static str> {
        Self::keys().into_iter().map(|key| key.name).collect()
    }
}

impl JsonReader<'_> {
    /// An object whose keys are those of its declaration.
    pub(crate) fn object<T: Object>(&mut self, node: JsonValue<'_, '_>) -> Option<T> {
        let fields = self.fields(node, &T::names())?;
        T::read(self, &fields)
    }
}

/// An object in the order of its keys.
pub(crate) fn written(value: &impl Object) -> OrderedJson {
    let mut object = OrderedObject::default();
    value.write(&mut object);
    OrderedJson::Object(object)
}

/// The word that an object always has under this key.
pub(crate) struct Kind(pub &'static str);

impl Form for Kind {
    type Value = ();

    fn read(&self, _reader: &mut JsonReader<'_>, _node: JsonValue<'_, '_>) -> Option<()> {
        Some(())
    }

    fn schema(&self, _parts: &mut SchemaParts) -> Value {
        json!({ "type": "string", "const": self.0 })
    }
}

/// The parts of a schema that others refer to, by name.
#[derive(Default)]
pub(crate) struct SchemaParts(Map<String, Value>);

impl SchemaParts {
    /// All of them, by name.
    pub(crate) fn all(self) -> Value {
        Value::Object(self.0)
    }

    /// A reference to a part, which is made when it is not there yet.
    pub(crate) fn named(&mut self, title: &str, make: impl FnOnce(&mut Self) -> Value) -> Value {
        if !self.0.contains_key(title) {
            // Found by parts that lead back to it.
            self.0.insert(title.to_owned(), Value::Null);
            let part = make(self);
            self.0.insert(title.to_owned(), part);
        }
        json!({ "$ref": format!("#/$defs/{title}") })
    }

    /// A reference to the part of an object.
    pub(crate) fn object<T: Object>(&mut self) -> Value {
        self.named(T::TITLE, |parts| {
            let mut part = parts.inline::<T>();
            part["description"] = Value::from(lines(T::DOC));
            part
        })
    }

    /// An object where it stands.
    pub(crate) fn inline<T: Object>(&mut self) -> Value {
        self.with_keys(&T::keys())
    }

    fn with_keys(&mut self, keys: &[&Key]) -> Value {
        let mut properties = Map::new();
        for key in keys {
            let property = self.property(key);
            properties.insert(key.name.to_owned(), property);
        }
        let mut part = json!({
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
            // Keys that begin with "x-" are the author's own, in every object.
            "patternProperties": { "^x-": true },
        });
        let required: Vec<&str> = keys.iter().filter(|key| key.is_required).map(|key| key.name).collect();
        if !required.is_empty() {
            part["required"] = json!(required);
        }
        part
    }

    fn property(&mut self, key: &Key) -> Value {
        let mut property = (key.schema)(self);
        property["description"] = Value::from(lines(key.doc));
        if let Some(default) = (key.default)() {
            property["default"] = default;
        }
        property
    }
}

/// A comment as text.
pub(crate) fn lines(doc: &[&str]) -> String {
    doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n")
}

/// Whether a value is not its default.
pub(crate) fn differs<T: PartialEq>(value: &T, default: &T) -> bool {
    value != default
}

/// Declares an object: `"key" => field: Type [how];`, where `how` is one of
/// - `FORM`: its default is that of the form,
/// - `or DEFAULT, FORM`: the schema shows the default,
/// - `else DEFAULT, FORM`: it does not, as with a default that other keys decide,
/// - `follows DEFAULT, FORM`: the schema shows the default of the form, but other keys decide,
/// - `optional FORM` and `optional FORM, shows DEFAULT`: an `Option`,
/// - `required FORM`: without it there is an error, and the object has its default there,
/// - `needed FORM`: without it there is no object,
/// - `when CONDITION, FORM`: required under that condition, else not read: an `Option`,
/// - `by READER, FORM`: read by that expression,
/// - `kind WORD`: always that word,
/// - `flat OBJECT`: the keys of another object; its own key is `""`.
///
/// Fields below `given` are worked out first and those below `plus` last, from all that was read; keys below
/// `from` are read before the others and are no fields.
macro_rules! object {
    (
        ($reader:ident, $fields:ident)
        $(#[doc = $doc:literal])*
        $vis:vis struct $name:ident $(: $derived:ident)? as $title:literal {
            $($(#[doc = $key_doc:literal])* $key:literal => $field:ident: $type:ty [$($how:tt)*];)*
        }
        $(from {
            $($(#[doc = $from_doc:literal])* $from_key:literal => $from:ident [$($from_how:tt)*];)*
        })?
        $(given {
            $($(#[doc = $given_doc:literal])* $given:ident: $given_type:ty = $given_value:expr;)*
        })?
        $(plus {
            $($(#[doc = $plus_doc:literal])* $plus:ident: $plus_type:ty = $plus_value:expr;)*
        })?
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq $(, $derived)?)]
        $vis struct $name {
            $($(#[doc = $key_doc])* pub $field: $type,)*
            $($($(#[doc = $given_doc])* pub $given: $given_type,)*)?
            $($($(#[doc = $plus_doc])* pub $plus: $plus_type,)*)?
        }

        impl Default for $name {
            fn default() -> Self {
                $(let $field: $type = $crate::level::object::how!(standard [] $($how)*);)*
                Self { $($field,)* $($($given: Default::default(),)*)? $($($plus: Default::default(),)*)? }
            }
        }

        impl $crate::level::object::Object for $name {
            const TITLE: &'static str = $title;
            const DOC: &'static [&'static str] = &[$($doc),*];

            fn keys() -> Vec<&'static $crate::level::object::Key> {
                let mut keys = Vec::new();
                $($($crate::level::object::how!(key [keys $from_key [$($from_doc),*]] $($from_how)*);)*)?
                $($crate::level::object::how!(key [keys $key [$($key_doc),*]] $($how)*);)*
                keys
            }

            #[allow(unused_variables, reason = "a kind is always the same word")]
            fn read(
                $reader: &mut $crate::level::json::JsonReader<'_>,
                $fields: &$crate::level::json::Fields<'_, '_>,
            ) -> Option<Self> {
                $($(let $given: $given_type = $given_value;)*)?
                $($(let $from = $crate::level::object::how!(read [$reader $fields $from_key] $($from_how)*);)*)?
                $(let $field = $crate::level::object::how!(read [$reader $fields $key] $($how)*);)*
                $($(let $plus: $plus_type = $plus_value;)*)?
                $(let $field: $type = $crate::level::object::how!(found [$field] $($how)*);)*
                Some(Self { $($field,)* $($($given,)*)? $($($plus,)*)? })
            }

            fn write(&self, out: &mut $crate::level::ordered_json::OrderedObject) {
                $($($crate::level::object::how!(write_kind [out $from_key] $($from_how)*);)*)?
                $(
                    let $field = &self.$field;
                    $crate::level::object::how!(write [out $key $field] $($how)*);
                )*
            }
        }
    };
    ($(#[doc = $doc:literal])* $vis:vis struct $($rest:tt)*) => {
        $crate::level::object::object! { (reader, fields) $(#[doc = $doc])* $vis struct $($rest)* }
    };
}

/// Calls one of the macros below with its own arguments and a key's class, whether it must be there, the
/// default that is shown, and its form.
macro_rules! how {
    ($then:ident $given:tt flat $object:ty) => { $crate::level::object::$then!($given (flat $object)) };
    ($then:ident $given:tt kind or $word:literal) => {
        $crate::level::object::$then!($given (kind $word) false [] $crate::level::object::Kind($word))
    };
    ($then:ident $given:tt kind $word:literal) => {
        $crate::level::object::$then!($given (kind $word) true [] $crate::level::object::Kind($word))
    };
    ($then:ident $given:tt required $form:expr) => {
        $crate::level::object::$then!($given (required) true [] $form)
    };
    ($then:ident $given:tt needed $form:expr) => {
        $crate::level::object::$then!($given (needed) true [] $form)
    };
    ($then:ident $given:tt optional $form:expr $(, shows $default:expr)?) => {
        $crate::level::object::$then!($given (optional) false [$($default)?] $form)
    };
    ($then:ident $given:tt when $condition:expr, $form:expr) => {
        $crate::level::object::$then!($given (when $condition) false [] $form)
    };
    ($then:ident $given:tt by $value:expr, $form:expr) => {
        $crate::level::object::$then!($given (by $value) false [] $form)
    };
    ($then:ident $given:tt or $default:expr, $form:expr) => {
        $crate::level::object::$then!($given (default $default) false [$default] $form)
    };
    ($then:ident $given:tt else $default:expr, $form:expr) => {
        $crate::level::object::$then!($given (default $default) false [] $form)
    };
    ($then:ident $given:tt follows $default:expr, $form:expr) => {
        $crate::level::object::$then!(
            $given (default $default) false [$crate::level::object::Standard::standard(&$form)] $form
        )
    };
    ($then:ident $given:tt $form:expr) => {
        $crate::level::object::how!($then $given or $crate::level::object::Standard::standard(&$form), $form)
    };
}

/// What a field is when its key is left out.
macro_rules! standard {
    ([] (flat $object:ty)) => {
        <$object>::default()
    };
    ([] (default $default:expr) $($rest:tt)*) => {
        $default
    };
    ([] $class:tt $($rest:tt)*) => {
        Default::default()
    };
}

/// Lists a key.
macro_rules! key {
    ([$keys:ident $key:literal $doc:tt] (flat $object:ty)) => {
        $keys.extend(<$object as $crate::level::object::Object>::keys())
    };
    ([$keys:ident $key:literal $doc:tt] $class:tt $is_required:literal [$($default:expr)?] $form:expr) => {{
        #[allow(unused_imports, reason = "only some defaults are shown")]
        use $crate::level::object::Form as _;
        const KEY: $crate::level::object::Key = $crate::level::object::Key {
            name: $key,
            doc: &$doc,
            is_required: $is_required,
            schema: |parts| $form.schema(parts),
            default: || None $(.or_else(|| Some($form.shown(&$default))))?,
            number: || $form.number(),
        };
        $keys.push(&KEY);
    }};
}

/// Reads a key.
macro_rules! read {
    ($given:tt (flat $object:ty)) => {
        $crate::level::object::read!(@ $given <$object as $crate::level::object::Object>::read)
    };
    (@ [$reader:ident $fields:ident $key:literal] $read:expr) => { $read($reader, $fields).unwrap_or_default() };
    ($given:tt (kind $word:literal) $($rest:tt)*) => { $word };
    ($given:tt (by $value:expr) $($rest:tt)*) => { $value };
    ($given:tt (required) $is:literal [] $form:expr) => {
        $crate::level::object::read!($given (needed) $is [] $form).unwrap_or_default()
    };
    ($given:tt (when $condition:expr) $is:literal [] $form:expr) => {
        if $condition { $crate::level::object::read!($given (needed) $is [] $form) } else { None }
    };
    ($given:tt (default $default:expr) $is:literal $shown:tt $form:expr) => {
        $crate::level::object::read!($given (optional) $is $shown $form).unwrap_or_else(|| $default)
    };
    ([$reader:ident $fields:ident $key:literal] (needed) $is:literal [] $form:expr) => {
        $reader.required($fields, $key, |r, n| $crate::level::object::Form::read(&$form, r, n))
    };
    ([$reader:ident $fields:ident $key:literal] (optional) $is:literal $shown:tt $form:expr) => {
        $reader.optional($fields, $key, |r, n| $crate::level::object::Form::read(&$form, r, n))
    };
}

/// The value of a field, once every key was read.
macro_rules! found {
    ([$field:ident] (needed) $($rest:tt)*) => {
        $field?
    };
    ([$field:ident] $($rest:tt)*) => {
        $field
    };
}

/// Writes the word that a kind of object always has.
macro_rules! write_kind {
    ([$out:ident $key:literal] (kind $word:literal) true $($rest:tt)*) => {
        $out.add($key, $crate::level::ordered_json::OrderedJson::Leaf($word.into()))
    };
    ([$out:ident $key:literal] $($rest:tt)*) => {};
}

/// Writes a key, when it has not its default.
macro_rules! write {
    ([$out:ident $key:literal $field:ident] (flat $object:ty)) => {
        $crate::level::object::Object::write($field, $out)
    };
    ([$out:ident $key:literal $field:ident] (by $value:expr) $($rest:tt)*) => { let _ = $field; };
    ($given:tt (when $condition:expr) $is:literal [] $form:expr) => {
        $crate::level::object::write!($given (optional) $is [] $form)
    };
    ([$out:ident $key:literal $field:ident] (optional) $is:literal $shown:tt $form:expr) => {
        if let Some(value) = $field {
            $out.add($key, $crate::level::object::Form::write(&$form, value));
        }
    };
    ([$out:ident $key:literal $field:ident] (default $default:expr) $is:literal $shown:tt $form:expr) => {
        if $crate::level::object::differs($field, &$default) {
            $out.add($key, $crate::level::object::Form::write(&$form, $field));
        }
    };
    ([$out:ident $key:literal $field:ident] $class:tt $is:literal [] $form:expr) => {
        $out.add($key, $crate::level::object::Form::write(&$form, $field))
    };
}

pub(crate) use {found, how, key, object, read, standard, write, write_kind};
