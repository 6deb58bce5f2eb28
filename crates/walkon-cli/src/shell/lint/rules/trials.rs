//! Mistakes in arguments that types do not show, such as ranges: asks the binding itself, with the values in
//! the text.
//!
//! In: a reading. Out: findings, in the words of a run. Holds: a call is tried when every argument stands in
//! the text, or can be stood in for without saying anything of its value: nodes, functions, points. Not here:
//! the VM that it is tried in (`script::check::trial`).

use std::fmt::Write as _;

use crate::script::bind::table::EntryKind;
use crate::script::check::trial::Trial;
use crate::script::types::luau_type::{self, Type};
use crate::shell::lint::finding::{LintFinding, code, is_full};
use crate::shell::lint::infer::{ApiCall, Reading, bare};
use crate::shell::lint::rules::arguments::is_open;
use crate::shell::lint::rules::options;
use crate::shell::lint::tree::{ExprId, ExprKind, TableItem, TextPlace};
use crate::shell::lint::value::InferredValue;

/// How deep tables may lie in one another.
const DEPTH_MAX: u32 = 6;
/// Longest call that is tried, bytes.
const CALL_BYTES_MAX: usize = 16 * 1024;

/// Looks at every call that can be tried. One in which something is found already is left alone.
pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    for id in reading.tree.ids() {
        let Some(called) = reading.called(id).filter(|called| Trial::judges(called.entry)) else { continue };
        let Some(written) = WrittenCall::read(reading, &called) else { continue };
        let place = reading.tree.place(id);
        let is_said = |found: &LintFinding| within(place, found.place) && !written.stands_in(found.place);
        if findings.iter().any(is_said) {
            continue;
        }
        if is_full(findings) {
            return;
        }
        let name = called.entry.called;
        let Some(what) = reading.api.trial().and_then(|trial| trial.mistake(name, &written.text)) else {
            continue;
        };
        let (what, help) = what.split_once("; ").map_or((what.as_str(), None), |(a, b)| (a, Some(b)));
        let code = if what.starts_with("unknown option") { code::UNKNOWN_OPTION } else { code::ARGUMENT };
        let finding = LintFinding::error(code, place, format!("{name}: {what}"));
        findings.push(match help {
            Some(help) => finding.help(help),
            None => finding,
        });
    }
}

fn within(outer: TextPlace, inner: TextPlace) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// A call as it is tried.
struct WrittenCall<'a, 'r> {
    reading: &'r Reading<'a>,
    text: String,
    /// Places that something stands in for.
    left_out: Vec<TextPlace>,
}

impl<'a, 'r> WrittenCall<'a, 'r> {
    /// The call; none when a value is not known.
    fn read(reading: &'r Reading<'a>, called: &ApiCall<'_>) -> Option<Self> {
        let entry = called.entry;
        let text = match (entry.kind, Trial::handle(entry.owner)) {
            (EntryKind::Method, Some(handle)) => format!("{handle}:{}(", entry.name()),
            _ => format!("{}(", entry.called),
        };
        let mut written = Self { reading, text, left_out: Vec::new() };
        let given = reading.arguments(called)?;
        if given.len() != called.args.len() || is_open(reading, called) {
            return None; // x and z in place of one, more than are read, or nobody knows how many.
        }
        for (at, (index, value)) in given.into_iter().enumerate() {
            let wanted = luau_type::read(entry.params.get(index)?.luau);
            written.separate(at);
            written.value(value, wanted.as_ref(), DEPTH_MAX)?;
        }
        written.text.push(')');
        (written.text.len() <= CALL_BYTES_MAX).then_some(written)
    }

    /// Whether a place lies in something that another value stands in for.
    fn stands_in(&self, place: TextPlace) -> bool {
        self.left_out.iter().any(|left_out| within(*left_out, place))
    }

    fn separate(&mut self, at: usize) {
        if at > 0 {
            self.text.push_str(", ");
        }
    }

    /// Writes a value, or what may stand in for it. None when it is not known.
    fn value(&mut self, id: ExprId, wanted: Option<&Type>, depth: u32) -> Option<()> {
        let tree = self.reading.tree;
        if depth == 0 {
            return None;
        }
        if let Some(text) = tree.text(id) {
            // It may be the name of a handler, which the VM of the trial does not have.
            let is_handler = wanted.is_some_and(|wanted| takes_function(self.reading, wanted));
            self.text.push_str(&if is_handler { Trial::FUNCTION.to_owned() } else { quoted(text) });
            return Some(());
        }
        match tree.kind(id) {
            ExprKind::Nil => self.text.push_str("nil"),
            ExprKind::Bool(value) => self.text.push_str(if *value { "true" } else { "false" }),
            ExprKind::Number(value) => self.number(*value)?,
            ExprKind::Minus(inner) => match tree.kind(*inner) {
                ExprKind::Number(value) => self.number(-value)?,
                _ => return None,
            },
            ExprKind::Table(items) => self.table(items, wanted, depth)?,
            _ => {
                let stand_in = self.stand_in(id, wanted)?;
                self.text.push_str(stand_in);
                self.left_out.push(tree.place(id));
            }
        }
        Some(())
    }

    fn number(&mut self, value: f64) -> Option<()> {
        let _ = write!(self.text, "{value:?}");
        value.is_finite().then_some(())
    }

    fn table(&mut self, items: &[TableItem], wanted: Option<&Type>, depth: u32) -> Option<()> {
        self.text.push('{');
        for (at, item) in items.iter().enumerate() {
            self.separate(at);
            match item {
                TableItem::Named(word, value) => {
                    let _ = write!(self.text, "[{}] = ", quoted(&word.text));
                    let own =
                        wanted.and_then(|wanted| options::field_type_in(self.reading, wanted, &word.text));
                    self.value(*value, own.as_ref(), depth - 1)?;
                }
                TableItem::Listed(value) => {
                    let own = wanted.and_then(entry_type);
                    self.value(*value, own, depth - 1)?;
                }
                TableItem::Keyed(..) => return None,
            }
        }
        self.text.push('}');
        Some(())
    }

    /// What may stand in for a value that the text does not say.
    fn stand_in(&self, id: ExprId, wanted: Option<&Type>) -> Option<&'static str> {
        match self.reading.value(id) {
            InferredValue::Bool => Some("true"),
            InferredValue::Function(_) => Some(Trial::FUNCTION),
            InferredValue::Vector => Some(Trial::VECTOR),
            InferredValue::Shape("Node") => Some(Trial::NODE),
            // Nobody knows whether it is the one whose function is called.
            InferredValue::Handle("Character") => Some(Trial::OTHER_CHARACTER),
            InferredValue::Handle(name) => Trial::handle(name),
            // It is taken to be right.
            InferredValue::Unknown if names_node(wanted?) => Some(Trial::NODE),
            InferredValue::Unknown if takes_function(self.reading, wanted?) => Some(Trial::FUNCTION),
            _ => None,
        }
    }
}

/// The type of what is listed in a table.
fn entry_type(wanted: &Type) -> Option<&Type> {
    match bare(wanted) {
        Type::List(entry) | Type::Map(_, entry) => Some(entry),
        _ => None,
    }
}

fn names_node(own: &Type) -> bool {
    match bare(own) {
        Type::Name(name) => name == "Node",
        Type::Union(parts) => parts.iter().any(names_node),
        _ => false,
    }
}

fn takes_function(reading: &Reading<'_>, own: &Type) -> bool {
    match reading.api.unfolded(bare(own)) {
        Type::Function(..) => true,
        Type::Optional(inner) => takes_function(reading, inner),
        Type::Union(parts) => parts.iter().any(|part| takes_function(reading, part)),
        _ => false,
    }
}

/// A text in quotes, as Lua reads it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() && letter.is_ascii() => {
                let _ = write!(quoted, "\\{:03}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
