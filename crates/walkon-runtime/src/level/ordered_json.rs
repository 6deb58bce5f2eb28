//! Writes JSON with its keys in order, for people to read.
//!
//! In: values, lists and objects put one after another. Out: text. Holds: numbers are the shortest text that
//! reads back equal; short values stand on one line. Not here: what is written (`object`).

use serde_json::Value;

/// JSON whose keys keep their order.
pub(crate) enum OrderedJson {
    Leaf(Value),
    List(Vec<OrderedJson>),
    Object(OrderedObject),
}

/// Keys in the order in which they are put.
#[derive(Default)]
pub(crate) struct OrderedObject(pub Vec<(String, OrderedJson)>);

impl OrderedObject {
    pub(crate) fn add(&mut self, key: &str, value: OrderedJson) {
        self.0.push((key.to_owned(), value));
    }
}

impl From<Value> for OrderedJson {
    /// Lists apart, and whole numbers without a fraction.
    fn from(value: Value) -> Self {
        match value {
            Value::Array(list) => Self::List(list.into_iter().map(Self::from).collect()),
            Value::Object(map) => Self::Object(OrderedObject(
                map.into_iter().map(|(key, value)| (key, Self::from(value))).collect(),
            )),
            Value::Number(number) => {
                let whole = number.as_f64().filter(|value| *value == value.trunc() && value.abs() < 1e15);
                Self::Leaf(whole.map_or(Value::Number(number), |whole| Value::from(whole as i64)))
            }
            leaf => Self::Leaf(leaf),
        }
    }
}
impl OrderedJson {
    /// The text, a line at its end.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        write(&mut out, self, 0);
        out.push('\n');
        out
    }
}

/// Longest value that stays on one line.
const LINE_MAX: usize = 110;

/// Writes a value: short ones on one line, lists and objects a value a line.
fn write(out: &mut String, tree: &OrderedJson, depth: usize) {
    if let Some(line) = line(tree, LINE_MAX.saturating_sub(2 * depth)).filter(|_| depth > 0) {
        out.push_str(&line);
        return;
    }
    let indent = "  ".repeat(depth + 1);
    match tree {
        OrderedJson::Leaf(value) => out.push_str(&value.to_string()),
        OrderedJson::List(list) => {
            out.push('[');
            for (index, inner) in list.iter().enumerate() {
                out.push_str(if index == 0 { "\n" } else { ",\n" });
                out.push_str(&indent);
                write(out, inner, depth + 1);
            }
            out.push_str(&format!("\n{}]", "  ".repeat(depth)));
        }
        OrderedJson::Object(object) => {
            out.push('{');
            for (index, (key, inner)) in object.0.iter().enumerate() {
                out.push_str(if index == 0 { "\n" } else { ",\n" });
                out.push_str(&format!("{indent}{}: ", Value::from(key.as_str())));
                write(out, inner, depth + 1);
            }
            out.push_str(&format!("\n{}}}", "  ".repeat(depth)));
        }
    }
}

/// A value on one line of at most so many bytes. Rows of a drawing stand one below another, however short.
fn line(tree: &OrderedJson, bytes_max: usize) -> Option<String> {
    let text = match tree {
        OrderedJson::Leaf(value) => value.to_string(),
        OrderedJson::List(list)
            if list.len() * 2 > bytes_max || list.len() > 1 && list.iter().all(is_row) =>
        {
            return None;
        }
        OrderedJson::List(list) => {
            let parts: Option<Vec<String>> = list.iter().map(|inner| line(inner, bytes_max)).collect();
            format!("[{}]", parts?.join(", "))
        }
        OrderedJson::Object(object) if object.0.len() * 5 > bytes_max => return None,
        OrderedJson::Object(object) => {
            let part = |(key, inner): &(String, OrderedJson)| {
                Some(format!("{}: {}", Value::from(key.as_str()), line(inner, bytes_max)?))
            };
            let parts: Option<Vec<String>> = object.0.iter().map(part).collect();
            format!("{{ {} }}", parts?.join(", "))
        }
    };
    (text.len() <= bytes_max).then_some(text)
}

fn is_row(tree: &OrderedJson) -> bool {
    matches!(tree, OrderedJson::Leaf(Value::String(_)))
}
