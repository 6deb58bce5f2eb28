//! Checks the return value of a file that is a behaviour or a cinematic, and the functions of a level script.
//!
//! In: a script that is being looked at, and how others name it. Out: findings. Holds: a file with different
//! return values is not judged; neither is a table that the file hands on to others. Functions and data of
//! the author's own are free, so only a likely slip is reported for an unknown name. Not here: the fields
//! that are there (`rules/options`).

use super::api::ApiField;
use super::finding::{LintFinding, code};
use super::infer::Reading;
use super::role::{self, ScriptName, ScriptRole};
use super::rules::arguments::name_of;
use super::rules::options::scene_slips;
use super::tree::{BODY, ExprId, ExprKind, SyntaxTree, TextPlace, Word};
use crate::base::suggestions;

/// A file, and how others use it.
pub(super) struct UsedFile<'a> {
    pub path: &'a str,
    pub text: &'a str,
    pub named: ScriptName,
    /// The first level that names it as the behaviour of a character.
    pub behaviour_in: Option<&'a str>,
}

/// Looks at a file.
pub(super) fn check(reading: &Reading<'_>, file: &UsedFile<'_>, findings: &mut Vec<LintFinding>) {
    let named = file.named;
    if role::is_test(file.path) {
        return;
    }
    let expected = match (named.as_behaviour, named.as_cinematic) {
        (true, _) => Some("a table of a behaviour"),
        (false, true) => Some("a table with a script"),
        _ => None,
    };
    if let Some(expected) = expected {
        let found = no_table(reading, file.text, expected);
        findings.extend(found.map(|finding| in_level(finding, file.behaviour_in)));
    }
    match reading.role {
        ScriptRole::Cinematic(table) => cinematic(reading, table, findings),
        // Others may use what a file has that they require.
        ScriptRole::Behaviour(table) if !named.as_module => behaviour(reading, table, findings),
        ScriptRole::Level => level_script(reading, findings),
        _ => {}
    }
}

/// The same with the level that wants the table: it need not be the one that is looked at.
fn in_level(mut finding: LintFinding, level: Option<&str>) -> LintFinding {
    if let Some(level) = level {
        finding.message.push_str(&format!(": it is a behaviour in {level}"));
    }
    finding
}

/// A file that certainly returns no table.
fn no_table(reading: &Reading<'_>, text: &str, expected: &str) -> Option<LintFinding> {
    let tree = reading.tree;
    let (what, place) = match tree.function(BODY).returns.as_slice() {
        [] => ("nothing".to_owned(), last_line(text)),
        [values] => match values.first() {
            None => ("nothing".to_owned(), last_line(text)),
            Some(value) => match tree.kind(*value) {
                ExprKind::Nil => ("nil".to_owned(), tree.place(*value)),
                ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Function(_) => {
                    (name_of(&reading.value(*value), reading, *value)?, tree.place(*value))
                }
                _ => return None,
            },
        },
        _ => return None,
    };
    let message = format!("the file returns {what}, expected {expected}");
    let finding = LintFinding::error(code::RETURNS, place, message);
    Some(match table_of(tree) {
        Some(name) => finding.help(format!("end it with `return {name}`")),
        None => finding,
    })
}

/// The local of the file that functions are written to: most likely it was to be returned.
fn table_of(tree: &SyntaxTree) -> Option<&str> {
    tree.field_writes.iter().find_map(|write| match tree.kind(write.object) {
        ExprKind::Local(local) if tree.table(write.object).is_some() => {
            Some(tree.local(*local).name.as_str())
        }
        _ => None,
    })
}

/// The last line with words in it.
fn last_line(text: &str) -> TextPlace {
    let whole = text.trim_end();
    let start = whole.rfind('\n').map_or(0, |at| at + 1);
    let start = start + (whole.len() - start) - whole[start..].trim_start().len();
    let line = whole.lines().count().max(1) as u32;
    TextPlace { line, column: 1, start: start as u32, end: whole.len() as u32 }
}

/// Misspelt fields of a cinematic, and one without a script.
fn cinematic(reading: &Reading<'_>, table: ExprId, findings: &mut Vec<LintFinding>) {
    let tree = reading.tree;
    let names: Vec<&Word> = tree.names_in(table).into_iter().map(|(word, _)| word).collect();
    let is_misspelt = scene_slips(reading, table, "cinematic", findings).contains(&"script");
    if !names.iter().any(|word| word.text == "script") && !is_misspelt && !is_handed_on(tree, table) {
        let message = "cinematic: script is missing, expected a function";
        findings.push(LintFinding::error(code::RETURNS, tree.place(table), message));
    }
}

/// Misspelt fields of a behaviour. Those that its own code names are its own.
fn behaviour(reading: &Reading<'_>, table: ExprId, findings: &mut Vec<LintFinding>) {
    let tree = reading.tree;
    if is_handed_on(tree, table) {
        return;
    }
    let fields = reading.api.fields("BehaviourDefinition").unwrap_or_default();
    let names: Vec<&Word> = tree.names_in(table).into_iter().map(|(word, _)| word).collect();
    for slip in slips(&fields, &names).filter(|slip| !is_named(tree, &slip.word.text)) {
        let message = format!("behaviour: unknown field \"{}\"", slip.word.text);
        findings.push(slip.told(LintFinding::warning, message));
    }
}

/// Misspelt functions of a level script. Those that its own code names are its own.
fn level_script(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    let tree = reading.tree;
    let functions = reading.api.fields("LevelScript").unwrap_or_default();
    let names: Vec<&Word> = tree.global_writes.iter().map(|write| &write.name).collect();
    for slip in slips(&functions, &names).filter(|slip| !is_named(tree, &slip.word.text)) {
        let message = format!("level script: the runtime does not call \"{}\"", slip.word.text);
        findings.push(slip.told(LintFinding::warning, message));
    }
}

/// A name that is nearly one that the runtime knows.
struct Slip<'a> {
    word: &'a Word,
    near: &'a str,
}

impl Slip<'_> {
    /// What is said of it, `as_what`: as an error, as a warning.
    fn told(
        &self,
        as_what: fn(&'static str, TextPlace, String) -> LintFinding,
        message: String,
    ) -> LintFinding {
        as_what(code::UNKNOWN_OPTION, self.word.place, message)
            .help(format!("did you mean \"{}\"?", self.near))
    }
}

/// The names that are none of `fields` while a field that is near is not there.
fn slips<'a>(fields: &'a [ApiField], names: &'a [&'a Word]) -> impl Iterator<Item = Slip<'a>> {
    let is_field = |word: &Word| fields.iter().any(|field| field.name == word.text);
    let absent: Vec<&str> = fields
        .iter()
        .map(|field| field.name.as_str())
        .filter(|field| !names.iter().any(|word| word.text == *field))
        .collect();
    names.iter().filter(move |word| !is_field(word)).filter_map(move |word| {
        let near = suggestions::nearest(&word.text, absent.iter().copied())?;
        Some(Slip { word, near })
    })
}

/// Whether code of the file reads a field or a global of that name, or has the name in quotes, as of a
/// handler.
fn is_named(tree: &SyntaxTree, name: &str) -> bool {
    tree.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Field(_, word) | ExprKind::Method(_, word, _) => word.text == name,
        ExprKind::Global(own) | ExprKind::Text(own) => own == name,
        _ => false,
    })
}

/// Whether others get the table, or write to it under keys, so that nobody knows what is in it.
fn is_handed_on(tree: &SyntaxTree, table: ExprId) -> bool {
    let is_it = |id: &ExprId| tree.table(*id).is_some_and(|(made, _)| made == table);
    tree.key_writes.iter().any(|(object, _)| is_it(object))
        || tree.exprs.iter().any(|expr| match &expr.kind {
            ExprKind::Call(_, args) | ExprKind::Method(_, _, args) => args.iter().any(is_it),
            _ => false,
        })
}
