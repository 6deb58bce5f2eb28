//! The rules of the linter, one to a file.
//!
//! In: a reading. Out: the findings of all rules, in the order of the text. Not here: values of expressions
//! (`infer`), findings that need several files (`graph`, `names`).

pub(super) mod arguments;
mod colons;
mod dropped;
mod endless;
pub(super) mod fields;
mod globals;
mod handlers;
mod held;
mod loading;
pub(super) mod options;
mod order;
mod read_only;
mod refused;
mod scenes;
mod trials;
mod twice;
mod waits;

use super::finding::LintFinding;
use super::infer::Reading;

/// A rule.
type Rule = fn(&Reading<'_>, &mut Vec<LintFinding>);

/// Every rule that needs nothing but the script. The last one looks at what the others have found.
const RULES: [Rule; 18] = [
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
    scenes::check,
    twice::check,
    refused::check,
    trials::check,
];

/// The findings of all rules, in the order of the text, the same place with the same code once.
pub(super) fn check(reading: &Reading<'_>) -> Vec<LintFinding> {
    let mut findings = Vec::new();
    RULES.iter().for_each(|rule| rule(reading, &mut findings));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::lint::api::Api;
    use crate::shell::lint::finding::FINDINGS_MAX;
    use crate::shell::lint::lower::lower;
    use crate::shell::lint::role::{ScriptName, role};

    /// Law: what looks for the nearest of many names stops when no more findings are reported, at the first
    /// ones of the text.
    #[test]
    fn names_are_looked_up_for_no_more_findings_than_are_reported() {
        let api = Api::new().expect("a VM");
        let absent_calls: Rule = |reading, findings| {
            let made = reading.tree.ids().find(|&id| reading.tree.table(id).is_some());
            fields::absent_calls(reading, made.expect("there is a table"), &|_| false, findings);
        };
        let cases: [(Rule, &str); 5] = [
            (globals::check, "wrold.tick()"),
            (fields::check, "print(log.inof)"),
            (fields::check, "log.inof('x')"),
            (fields::check, "world.player():nmae()"),
            (absent_calls, "self:foo()"),
        ];
        for (rule, line) in cases {
            let lines = format!("  {line}\n").repeat(FINDINGS_MAX + 100);
            let text = format!("local own = {{}}\nfunction own:run()\n{lines}end\nreturn own\n");
            let tree = lower(&text).expect("it compiles");
            let reading =
                Reading::new(&tree, &api, role(&tree, &api, "behaviours/own.lua", ScriptName::default()));
            let mut findings = Vec::new();
            rule(&reading, &mut findings);
            assert_eq!(findings.len(), FINDINGS_MAX, "{line}");
            let last = findings.iter().map(|found| found.place.line).max();
            assert_eq!(last, Some(FINDINGS_MAX as u32 + 2), "{line}: the first lines");
        }
    }
}
