//! One line of a trace: a JSON object whose fields keep their order.
//!
//! In: names and values. Out: text without a line break. Holds: single-precision numbers are written as the
//! shortest text that reads back equal; absent values are left out; text is escaped, so that no script can
//! forge a line (fault:C19).

use std::fmt::Write as _;

use glam::Vec3;
use serde_json::Value;

use crate::base::value::{Plain, PlainKey};
use crate::world::World;

/// A JSON object under construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonLine(String);

impl Default for JsonLine {
    fn default() -> Self {
        Self("{".to_owned())
    }
}

impl JsonLine {
    /// A line about something that happened at a tick: `{"t":12,"e":"spawned"`.
    #[must_use]
    pub fn fact(tick: u64, event: &str) -> Self {
        Self::default().count("t", tick).text("e", event)
    }

    fn key(mut self, name: &str) -> Self {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(&quoted(name));
        self.0.push(':');
        self
    }

    /// Adds a value that is JSON already.
    #[must_use]
    pub fn raw(self, name: &str, json: &str) -> Self {
        let mut line = self.key(name);
        line.0.push_str(json);
        line
    }

    /// Adds text.
    #[must_use]
    pub fn text(self, name: &str, text: &str) -> Self {
        self.raw(name, &quoted(text))
    }

    /// Adds text if there is any.
    #[must_use]
    pub fn maybe_text(self, name: &str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.text(name, text),
            None => self,
        }
    }

    /// Adds a whole number.
    #[must_use]
    pub fn count(self, name: &str, count: u64) -> Self {
        self.raw(name, &count.to_string())
    }

    /// Adds a single-precision number.
    #[must_use]
    pub fn number(self, name: &str, number: f32) -> Self {
        self.raw(name, &float(number))
    }

    /// Adds a truth value.
    #[must_use]
    pub fn flag(self, name: &str, flag: bool) -> Self {
        self.raw(name, if flag { "true" } else { "false" })
    }

    /// Adds a hash: 16 hexadecimal digits in quotes.
    #[must_use]
    pub fn hash(self, name: &str, hash: u64) -> Self {
        self.raw(name, &format!("\"{hash:016x}\""))
    }

    /// Adds a position as `[x, z]`.
    #[must_use]
    pub fn place(self, name: &str, position: Vec3) -> Self {
        self.raw(name, &place(position))
    }

    /// Adds plain data; characters and doors by name.
    #[must_use]
    pub fn plain(self, name: &str, world: &World, value: &Plain) -> Self {
        let json = plain(world, value);
        self.raw(name, &json)
    }

    /// Adds plain data if there is any.
    #[must_use]
    pub fn maybe_plain(self, name: &str, world: &World, value: Option<&Plain>) -> Self {
        match value {
            Some(value) => self.plain(name, world, value),
            None => self,
        }
    }

    /// Adds the entries of a map as fields of their own; anything else under the name `value`.
    #[must_use]
    pub fn entries(self, world: &World, value: &Plain) -> Self {
        match value {
            Plain::Map(entries) => {
                entries.iter().fold(self, |line, (key, value)| line.plain(&key_text(key), world, value))
            }
            other => self.plain("value", world, other),
        }
    }

    /// The finished object.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// Text in quotes, escaped; also what a terminal or an editor could read as a command or a direction.
#[must_use]
pub fn quoted(text: &str) -> String {
    let json = Value::String(text.to_owned()).to_string();
    if !json.chars().any(is_hidden) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_hidden(c) {
            // Writing to a String cannot fail.
            let _ = write!(escaped, "\\u{:04x}", c as u32);
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Characters that change how the text around them is shown: C1 controls, and marks of direction.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{9f}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A single-precision number, as short as reads back equal; -0 as 0, a number that is not finite as null.
#[must_use]
pub fn float(number: f32) -> String {
    if !number.is_finite() {
        return "null".to_owned();
    }
    if number == 0.0 { "0".to_owned() } else { format!("{number}") }
}

/// A position as `[x, z]`.
#[must_use]
pub fn place(position: Vec3) -> String {
    format!("[{},{}]", float(position.x), float(position.z))
}

/// A position as `[x, y, z]`.
#[must_use]
pub fn place_in_space(position: Vec3) -> String {
    format!("[{},{},{}]", float(position.x), float(position.y), float(position.z))
}

/// Plain data as JSON; characters and doors by name.
#[must_use]
pub fn plain(world: &World, value: &Plain) -> String {
    match value {
        Plain::Bool(flag) => flag.to_string(),
        Plain::Number(number) => double(*number),
        Plain::Text(text) => quoted(text),
        Plain::Vector(v) => format!("[{},{},{}]", float(v.x), float(v.y), float(v.z)),
        Plain::Character(id) => quoted(world.name_of(*id)),
        Plain::Door(id) => quoted(world.doors().get(id.index()).map_or("", |door| &door.name)),
        Plain::List(items) => {
            let items: Vec<String> = items.iter().map(|item| plain(world, item)).collect();
            format!("[{}]", items.join(","))
        }
        Plain::Map(_) => JsonLine::default().entries(world, value).finish(),
    }
}

/// Whole numbers below it are exact.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// A double-precision number as JSON: a whole number has no fraction.
pub(crate) fn double(number: f64) -> String {
    let whole = number as i64;
    if (whole as f64).to_bits() == number.to_bits() && number.abs() < WHOLE_MAX {
        return whole.to_string();
    }
    Value::from(number).to_string()
}

fn key_text(key: &PlainKey) -> String {
    match key {
        PlainKey::Index(index) => index.to_string(),
        PlainKey::Name(name) => name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_their_order_and_absent_ones_are_left_out() {
        let line = JsonLine::fact(12, "spawned").text("character", "guard").maybe_text("by", None);
        let line = line.place("position", Vec3::new(3.1, 0.0, -0.0)).finish();
        assert_eq!(line, r#"{"t":12,"e":"spawned","character":"guard","position":[3.1,0]}"#);
    }

    #[test]
    fn fault_c19_no_text_can_forge_a_line_or_a_terminal_command() {
        let line = JsonLine::default().text("m", "a\n{\"t\":1}\u{1b}[31m\u{202e}x\u{9b}").finish();
        assert!(!line.contains('\n') && !line.contains('\u{1b}') && !line.contains('\u{202e}'));
        let read: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(read["m"], "a\n{\"t\":1}\u{1b}[31m\u{202e}x\u{9b}", "and it reads back as it was");
    }

    #[test]
    fn whole_numbers_of_payloads_are_written_whole_and_read_back_to_the_bit() {
        let key = |name: &str| PlainKey::Name(name.to_owned());
        let inner = Plain::List(vec![Plain::Number(-0.0), Plain::Number(0.5), Plain::Number(-1.25)]);
        let payload = Plain::Map([(key("ticks"), Plain::Number(931.0)), (key("list"), inner)].into());
        let text =
            r#"{ "navigation": { "areas": [ { "name": "hall", "polygon": [[0,0],[9,0],[9,9],[0,9]] } ] } }"#;
        let source = crate::level::MemorySource::new().with("hall.json", text);
        let world = crate::level::spawn::build(crate::level::load("hall.json", &source).unwrap(), None).world;
        assert_eq!(plain(&world, &payload), r#"{"list":[-0.0,0.5,-1.25],"ticks":931}"#);
        let whole =
            [0.0, -0.0, 1.0, -7.0, 9_007_199_254_740_991.0, 9_007_199_254_740_992.0, 1e300, -0.1, 1e-300];
        for number in whole {
            let text = double(number);
            let read: f64 = serde_json::from_str(&text).unwrap();
            assert_eq!(read.to_bits(), number.to_bits(), "{text}");
            let is_whole =
                number.abs() < WHOLE_MAX && number.fract() == 0.0 && number.to_bits() != (-0.0_f64).to_bits();
            assert_eq!(text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'), is_whole, "{text}");
        }
    }
}
