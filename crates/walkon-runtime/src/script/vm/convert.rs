//! Reads values from Lua, raw and by type; errors name the argument.
//!
//! In: the arguments of one call. Out: Rust values, or a `UsageError` in the words of the reference. Holds:
//! no metamethod of a script is called; a text is not taken for a number; a number is finite; a mistake is
//! raised at the caller's line. Not here: what the values mean in the world (`bind`), plain data (`payload`).

use std::borrow::Cow;
use std::ops::RangeInclusive;

use glam::Vec3;
use mlua::{Buffer, Function, IntoLuaMulti, Lua, MultiValue, Table, Value};

use crate::script::vm::lend::{BindError, PanicWatch};
use crate::script::vm::shown_names::{shorten, suggested_option, suggestion};
use crate::script::vm::{fault, fuel, hints};

/// The beginning of the mistake of a method that was called without its handle.
const DOT: &str = "called with a dot; write ";

fn dot(receiver: &str, name: &str) -> String {
    format!("{DOT}{receiver}:{name}(...)")
}

/// A programmer's mistake in a call: the function, and what is wrong. Raised at the caller's line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{function}: {what}")]
pub struct UsageError {
    function: String,
    what: String,
    /// Fuel that telling it takes.
    price: u64,
}

/// The fuel of telling that a name is unknown, when it is compared with so many names.
pub(crate) fn price_of_unknown(name_count: u64) -> u64 {
    /// Names that the price of any such mistake covers, and what each further one costs.
    const COVERED: u64 = 64;
    const PRICE: u64 = 8;
    512 + PRICE * name_count.saturating_sub(COVERED)
}

impl BindError {
    /// The error a script sees from the function called `function`.
    #[must_use]
    pub fn mistake(self, function: &str) -> UsageError {
        UsageError::new(function, self.to_string())
    }
}

impl UsageError {
    /// The function `function` was used wrongly: `what` says how, with the expected form and advice.
    #[must_use]
    pub fn new(function: impl Into<String>, what: impl Into<String>) -> Self {
        Self { function: function.into(), what: what.into(), price: 32 }
    }

    /// `goal is nil, expected a mark's name`.
    #[must_use]
    pub fn expected(function: &str, name: &str, value: &Value, expected: &str) -> Self {
        Self::new(function, format!("{name} is {}, expected {expected}", describe(value)))
    }

    /// `unknown mark "gatte"; did you mean "gate"?`.
    #[must_use]
    pub fn unknown<'a>(
        function: &str,
        kind: &str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut name_count = 0;
        let known = known.into_iter().inspect(|_| name_count += 1);
        let what = format!("unknown {kind} \"{}\"{}", shorten(name), suggestion(name, known));
        Self { price: price_of_unknown(name_count), ..Self::new(function, what) }
    }

    /// `door with no name: ...` and the like: the error as Lua sees it, the caller's line in front.
    #[must_use]
    pub fn raise(&self, lua: &Lua) -> mlua::Error {
        fuel::charge_running(self.price);
        let Some(frame) = fault::frames(lua, 1).into_iter().next() else {
            return mlua::Error::RuntimeError(self.to_string());
        };
        let Self { function, what, .. } = self;
        let name = function.rsplit('.').next().unwrap_or(function);
        let shown = if what.starts_with(DOT) {
            hints::receiver(lua, &frame, name).map(|receiver| dot(&receiver, name))
        } else {
            // The library itself came as the first argument: whatever is wrong with it, the colon is the
            // cause.
            hints::has_colon(lua, &frame, function, what)
                .then(|| format!("called with a colon; write {function}(...)"))
        };
        let what = shown.as_ref().unwrap_or(what);
        if what == fault::OUT_OF_MEMORY {
            return mlua::Error::RuntimeError(what.clone());
        }
        // The mistake of a file that the function loads: its own place goes first.
        if fault::place_in(what).is_some() {
            return mlua::Error::RuntimeError(format!(
                "{what}, in {function} at {}:{}",
                frame.file, frame.line
            ));
        }
        mlua::Error::RuntimeError(format!("{}:{}: {function}: {what}", frame.file, frame.line))
    }

    /// `walkTo: called with a dot; write guard:walkTo(...)`; the name of the variable is put right where the
    /// line shows it.
    #[must_use]
    pub fn called_with_a_dot(function: &str, variable: &str) -> Self {
        Self::new(function, dot(variable, function.rsplit('.').next().unwrap_or(function)))
    }
}

/// A host function for scripts: reads its arguments from [`Args`]; a [`UsageError`] is raised at the caller's
/// line.
///
/// # Errors
/// When the memory of the VM is spent.
pub fn function<R: IntoLuaMulti>(
    lua: &Lua,
    name: &'static str,
    body: impl Fn(&Lua, &mut Args) -> Result<R, UsageError> + 'static,
) -> mlua::Result<Function> {
    lua.create_function(move |lua, values: MultiValue| {
        let _watch = PanicWatch;
        pay(PRICE, &values)?;
        body(lua, &mut Args::paid_for(name, values)).map_err(|mistake| mistake.raise(lua))
    })
}

/// The fuel of a host function that says nothing else.
pub const PRICE: u64 = 4;

/// Bytes of a text argument in a unit of fuel.
pub(crate) const BYTES_PER_UNIT: usize = 256;

/// Longest name of a thing, bytes.
pub(crate) const NAME_BYTES_MAX: usize = 128;

/// Counts the fuel of a call of a host function: its price, how many values it is given, and the length of
/// the texts among them.
///
/// # Errors
/// When there is not so much left; then the function does not run.
pub(crate) fn pay(price: u64, values: &MultiValue) -> mlua::Result<()> {
    /// Values that every call may have, and further ones for a unit of fuel.
    const VALUES_COVERED: usize = 16;
    const VALUES_PER_UNIT: usize = 8;
    let length = |value: &Value| match value {
        Value::String(text) => text.as_bytes().len() / BYTES_PER_UNIT,
        _ => 0,
    };
    let more_values = values.len().saturating_sub(VALUES_COVERED) / VALUES_PER_UNIT;
    let units = price + (values.iter().map(length).sum::<usize>() + more_values) as u64;
    if fuel::charge_running(units) { Ok(()) } else { Err(mlua::Error::runtime("out of fuel")) }
}

/// The arguments of one call, taken one by one.
#[derive(Debug)]
pub struct Args {
    function: &'static str,
    values: std::collections::VecDeque<Value>,
    /// Whether the length of their texts is counted already ([`pay`]).
    is_paid_for: bool,
}

impl Args {
    /// The arguments `values` of a call of `function`.
    #[must_use]
    pub fn new(function: &'static str, values: MultiValue) -> Self {
        Self { function, values: values.into_vec().into(), is_paid_for: false }
    }

    /// The same where the length of the texts is counted already ([`pay`]).
    pub(crate) fn paid_for(function: &'static str, values: MultiValue) -> Self {
        Self { is_paid_for: true, ..Self::new(function, values) }
    }

    /// The name of the called function, as messages show it.
    #[must_use]
    pub fn function(&self) -> &'static str {
        self.function
    }

    /// The next argument, which messages call `name`; nil when there are no more.
    pub fn take(&mut self, name: &'static str) -> Argument {
        let value = self.values.pop_front().unwrap_or(Value::Nil);
        let (function, is_paid_for) = (Cow::Borrowed(self.function), self.is_paid_for);
        Argument { function, name: Cow::Borrowed(name), value, is_paid_for }
    }

    /// The next argument without taking it.
    #[must_use]
    pub fn peek(&self) -> &Value {
        self.values.front().unwrap_or(&Value::Nil)
    }

    /// How many arguments are left; a nil that was written counts.
    #[must_use]
    pub fn left(&self) -> usize {
        self.values.len()
    }

    /// The last argument: a table with keys out of `allowed`, or nothing.
    ///
    /// # Errors
    /// When it is no table, or has a key that is not allowed.
    pub fn options(&mut self, allowed: &'static [&'static str]) -> Result<Options, UsageError> {
        self.take("options").options(allowed)
    }

    /// The mistake `what` in this call.
    #[must_use]
    pub fn mistake(&self, what: impl Into<String>) -> UsageError {
        UsageError::new(self.function, what)
    }
}

/// One argument or option, with the name that messages use for it.
#[derive(Clone, Debug)]
pub struct Argument {
    function: Cow<'static, str>,
    name: Cow<'static, str>,
    value: Value,
    /// Whether its length is counted already, if it is a text.
    is_paid_for: bool,
}

impl Argument {
    /// The value `value`, called `name` in messages of `function`.
    #[must_use]
    pub fn new(function: &str, name: &str, value: Value) -> Self {
        let (function, name) = (Cow::Owned(function.to_owned()), Cow::Owned(name.to_owned()));
        Self { function, name, value, is_paid_for: false }
    }

    /// The function it was given to.
    #[must_use]
    pub fn function(&self) -> &str {
        &self.function
    }

    /// What messages call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value itself.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The value itself.
    #[must_use]
    pub fn into_value(self) -> Value {
        self.value
    }

    /// `None` for nil.
    #[must_use]
    pub fn present(self) -> Option<Self> {
        if self.value.is_nil() { None } else { Some(self) }
    }

    /// The mistake that it is not what was expected.
    #[must_use]
    pub fn not(&self, expected: &str) -> UsageError {
        UsageError::expected(&self.function, &self.name, &self.value, expected)
    }

    /// The mistake that not all of its entries are at 1, 2, 3 and so on.
    #[must_use]
    pub fn not_a_list(&self, expected: &str) -> UsageError {
        UsageError::new(&*self.function, format!("{} {NO_LIST}, expected {expected}", self.name))
    }

    /// A finite number; `of` names the unit: `a finite number of metres`, or empty.
    ///
    /// # Errors
    /// For anything else, also for a text that looks like a number.
    pub fn number(&self, of: &str) -> Result<f64, UsageError> {
        let number = match self.value {
            Value::Number(number) => Some(number),
            Value::Integer(number) => Some(number as f64),
            _ => None,
        };
        number.filter(|number| number.is_finite()).ok_or_else(|| {
            self.not(&if of.is_empty() {
                "a finite number".to_owned()
            } else {
                format!("a finite number of {of}")
            })
        })
    }

    /// A finite number of `of` within `range`.
    ///
    /// # Errors
    /// For anything else.
    pub fn number_in(&self, range: RangeInclusive<f64>, of: &str) -> Result<f64, UsageError> {
        let number = self.number(of)?;
        if range.contains(&number) {
            return Ok(number);
        }
        Err(self.not(&format!("{} to {}", show_number(*range.start()), show_number(*range.end()))))
    }

    /// A whole number within `range`.
    ///
    /// # Errors
    /// For anything else.
    pub fn integer_in(&self, range: RangeInclusive<i64>) -> Result<i64, UsageError> {
        let expected = || self.not(&format!("a whole number from {} to {}", range.start(), range.end()));
        let number = match self.value {
            Value::Integer(number) => number as f64,
            Value::Number(number) => number,
            _ => return Err(expected()),
        };
        let whole = number as i64;
        if whole as f64 == number && range.contains(&whole) { Ok(whole) } else { Err(expected()) }
    }

    /// A truth value.
    ///
    /// # Errors
    /// For anything else.
    pub fn boolean(&self) -> Result<bool, UsageError> {
        self.value.as_boolean().ok_or_else(|| self.not("true or false"))
    }

    /// Any text of valid UTF-8; `expected` says what it stands for: `a mark's name`.
    ///
    /// # Errors
    /// For anything else.
    pub fn text(&self, expected: &str) -> Result<String, UsageError> {
        let text = self.value.as_string().and_then(|text| text.to_str().ok().map(|text| text.to_owned()));
        if let Some(text) = text.as_ref().filter(|_| !self.is_paid_for) {
            fuel::charge_running((text.len() / BYTES_PER_UNIT) as u64);
        }
        text.ok_or_else(|| self.not(expected))
    }

    /// A text that may be the name of something, and that the level keeps: no name is longer.
    ///
    /// # Errors
    /// For anything else.
    pub fn name_to_keep(&self, expected: &str) -> Result<String, UsageError> {
        self.text_up_to(NAME_BYTES_MAX, expected)
    }

    /// A text of at most so many bytes.
    ///
    /// # Errors
    /// For anything else.
    pub fn text_up_to(&self, bytes_max: usize, expected: &str) -> Result<String, UsageError> {
        match self.value.as_string() {
            Some(text) if text.as_bytes().len() > bytes_max => {
                Err(self.not(&format!("{expected} of at most {bytes_max} bytes")))
            }
            _ => self.text(expected),
        }
    }

    /// A name to give to something: 1 to 128 bytes of UTF-8 without control characters.
    ///
    /// # Errors
    /// For anything else.
    pub fn new_name(&self) -> Result<String, UsageError> {
        let name = self.text("a name")?;
        if (1..=NAME_BYTES_MAX).contains(&name.len()) && !name.chars().any(char::is_control) {
            return Ok(name);
        }
        Err(self.not("a name of 1 to 128 bytes without control characters"))
    }

    /// One of the `known` words.
    ///
    /// # Errors
    /// For anything else; the nearest word is not suggested, because all of them are listed.
    pub fn one_of(&self, known: &[&'static str]) -> Result<&'static str, UsageError> {
        let text = self.value.as_string();
        let word = text.and_then(|text| known.iter().find(|word| text.as_bytes() == word.as_bytes()));
        word.copied().ok_or_else(|| self.not(&list_words(known)))
    }

    /// A function.
    ///
    /// # Errors
    /// For anything else.
    pub fn callable(&self) -> Result<Function, UsageError> {
        self.value.as_function().cloned().ok_or_else(|| self.not("a function"))
    }

    /// A buffer.
    ///
    /// # Errors
    /// For anything else.
    pub fn buffer(&self) -> Result<Buffer, UsageError> {
        self.value.as_buffer().cloned().ok_or_else(|| self.not("a buffer"))
    }

    /// A table; its fields are to be read raw.
    ///
    /// # Errors
    /// For anything else.
    pub fn table(&self, expected: &str) -> Result<Table, UsageError> {
        self.value.as_table().cloned().ok_or_else(|| self.not(expected))
    }

    /// A vector with finite components.
    ///
    /// # Errors
    /// For anything else.
    pub fn vector(&self, expected: &str) -> Result<Vec3, UsageError> {
        match self.value {
            Value::Vector(vector) => {
                let vector = Vec3::new(vector.x(), vector.y(), vector.z());
                if vector.is_finite() { Ok(vector) } else { Err(self.not("a vector of finite numbers")) }
            }
            _ => Err(self.not(expected)),
        }
    }

    /// An options table with keys out of `allowed`; none at all when it is nil.
    ///
    /// # Errors
    /// When it is no table, or has a key that is not allowed.
    pub fn options(self, allowed: &'static [&'static str]) -> Result<Options, UsageError> {
        let Self { function, value, .. } = &self;
        let table = match value {
            Value::Nil => return Ok(Options { function: self.function, given: Vec::new(), allowed }),
            Value::Table(table) => table,
            _ => return Err(self.not("a table of options")),
        };
        let mut given = Vec::new();
        for pair in table.pairs::<Value, Value>() {
            let (key, value) =
                pair.map_err(|error| UsageError::new(&**function, fault::text_of_error(&error)))?;
            let name = key.as_string().and_then(|key| {
                let key = key.as_bytes();
                allowed.iter().find(|name| name.as_bytes() == &*key)
            });
            match name {
                Some(name) => given.push((*name, value)),
                None => return Err(unknown_option(function, &key, allowed)),
            }
        }
        Ok(Options { function: self.function, given, allowed })
    }
}

fn unknown_option(function: &str, key: &Value, allowed: &[&str]) -> UsageError {
    match key.as_string() {
        Some(name) => {
            let name = name.to_string_lossy();
            let what = format!("unknown option \"{}\"{}", shorten(&name), suggested_option(&name, allowed));
            UsageError { price: price_of_unknown(allowed.len() as u64), ..UsageError::new(function, what) }
        }
        None => UsageError::new(function, format!("unknown option {}, expected names", describe(key))),
    }
}

/// The options of one call: a table whose keys were checked.
#[derive(Clone, Debug)]
pub struct Options {
    function: Cow<'static, str>,
    /// What was given, each under its name.
    given: Vec<(&'static str, Value)>,
    allowed: &'static [&'static str],
}

impl Options {
    /// The option called `name`, nil where it is not given. It has to be among the allowed ones.
    #[must_use]
    pub fn get(&self, name: &'static str) -> Argument {
        debug_assert!(self.allowed.contains(&name), "only options that are allowed are read");
        let given = self.given.iter().find(|(given, _)| *given == name);
        let value = given.map_or(Value::Nil, |(_, value)| value.clone());
        Argument { function: self.function.clone(), name: Cow::Borrowed(name), value, is_paid_for: false }
    }

    /// The option called `name`, if it is given.
    #[must_use]
    pub fn find(&self, name: &'static str) -> Option<Argument> {
        // Most are not, and then nothing is made.
        let is_given = cfg!(debug_assertions) || self.given.iter().any(|(given, _)| *given == name);
        if is_given { self.get(name).present() } else { None }
    }
}

/// Whether those fields of a table that are there are functions; a sentence about the first that is none.
pub(crate) fn functions(table: &Table, keys: &[&str]) -> Result<(), String> {
    for key in keys {
        let value = table.raw_get::<Value>(*key).unwrap_or(Value::Nil);
        if !value.is_nil() && !value.is_function() {
            return Err(format!("{key} is {}, expected a function", describe(&value)));
        }
    }
    Ok(())
}

/// Whether a table has other entries beside so many at 1, 2, 3 and so on. Cost: those.
pub(crate) fn has_more_than(table: &Table, count: usize) -> bool {
    table.pairs::<Value, Value>().nth(count).is_some()
}

/// What is wrong with a table that is to be a list, and has other entries.
pub(crate) const NO_LIST: &str = "has entries that are not at 1, 2, 3 and so on";

/// What a value is, for a message: `nil`, `NaN`, `"opne"`, `a table`, `a Character`.
#[must_use]
pub fn describe(value: &Value) -> String {
    match value {
        Value::Nil => "nil".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Number(number) => show_number(*number),
        Value::String(text) => format!("\"{}\"", shorten(&text.to_string_lossy())),
        Value::Vector(vector) => format!("vector({}, {}, {})", vector.x(), vector.y(), vector.z()),
        Value::UserData(handle) => match handle.type_name() {
            Ok(name) => with_article(&name.to_string_lossy()),
            Err(_) => "a handle".to_owned(),
        },
        Value::Error(_) => "an error".to_owned(),
        // The one type whose handles are not objects of the VM.
        Value::LightUserData(_) => "a Character".to_owned(),
        other => with_article(other.type_name()),
    }
}

fn with_article(noun: &str) -> String {
    let vowel = noun.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']);
    format!("{} {noun}", if vowel { "an" } else { "a" })
}

fn show_number(number: f64) -> String {
    if number.is_nan() {
        "NaN".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { "infinity".to_owned() } else { "-infinity".to_owned() }
    } else if number != 0.0 && !(1e-5..1e15).contains(&number.abs()) {
        format!("{number:e}")
    } else {
        number.to_string()
    }
}

/// `"avoid", "open" or "wait"`.
fn list_words(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => String::new(),
    }
}

/// A position as scripts see it.
#[must_use]
pub fn vector(point: glam::Vec3) -> mlua::Vector {
    mlua::Vector::new(point.x, point.y, point.z)
}

/// A setting as its author wrote it: 1.4 and not 1.399999976158142.
#[must_use]
pub fn setting(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| f64::from(value))
}

#[cfg(test)]
mod tests;
