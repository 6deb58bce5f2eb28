//! The rules, one a file: each looks at a script and says what is wrong.
//!
//! In: a reading. Out: the findings of all rules, in the order of the text. Not here: values of expressions
//! (`infer`), findings that need several files (`graph`, `names`).

pub(super) mod arguments;
mod colons;
mod dropped;
mod endless;
mod fields;
mod globals;
mod handlers;
mod held;
mod loading;
pub(super) mod options;
mod order;
mod read_only;
mod waits;

use super::finding::LintFinding;
use super::infer::Reading;

/// A rule.
type Rule = fn(&Reading<'_>, &mut Vec<LintFinding>);

/// Every rule that needs nothing but the script.
const RULES: [Rule; 14] = [
    globals::check,
    fields::check,
    colons::check,
    arguments::check,
    options::check,
    options::compared,
    read_only::check,
    handlers::check,
    loading::check,
    waits::check,
    dropped::check,
    endless::check,
    held::check,
    order::check,
];

/// The findings of all rules, in the order of the text, the same place with the same code once.
pub(super) fn check(reading: &Reading<'_>) -> Vec<LintFinding> {
    let mut findings = Vec::new();
    RULES.iter().for_each(|rule| rule(reading, &mut findings));
    findings
}
