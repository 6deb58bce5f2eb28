//! Calls whose result is unused and that have no other effect: a path search, a timer without a handler, an
//! expectation that expects nothing.
//!
//! In: a reading. Out: warnings. Holds: a call with a handler, or with options that could hold one, is not
//! reported.

use crate::script::bind::table::Binding;
use crate::shell::lint::finding::{LintFinding, code};
use crate::shell::lint::infer::Reading;
use crate::shell::lint::tree::{ExprId, ExprKind, ValueUse};

/// Results that do nothing by themselves: a script has to wait for them, or give them a handler.
const IDLE: [&str; 3] = ["PathRequest", "Timer", "Change"];
/// What a test says next of a value.
const EXPECTATION: &str = "Expectation";

pub(super) fn check(reading: &Reading<'_>, findings: &mut Vec<LintFinding>) {
    for id in reading.tree.ids() {
        if !matches!(reading.tree.expr(id).used, ValueUse::Dropped) {
            continue;
        }
        let Some(called) = reading.called(id) else { continue };
        if called.entry.returns == EXPECTATION {
            let message = format!("{}: nothing is expected of the value", called.entry.called);
            let help = "go on with a check, as in t:expect(value):toBe(true)";
            findings.push(LintFinding::warning(code::DROPPED, reading.tree.place(id), message).help(help));
        } else if IDLE.contains(&called.entry.returns) && !tells_somebody(reading, called.entry, called.args)
        {
            let entry = called.entry.called;
            let message =
                format!("{entry}: nobody waits for the {} and nobody is told", called.entry.returns);
            let help = "wait for it with :wait(), or give a handler";
            findings.push(LintFinding::warning(code::DROPPED, reading.tree.place(id), message).help(help));
        }
    }
}

/// Whether a handler is given, or something that could hold one.
fn tells_somebody(reading: &Reading<'_>, entry: &Binding, args: &[ExprId]) -> bool {
    entry.params.iter().zip(args).any(|(param, arg)| {
        let takes_handler = param.luau.contains("Handler");
        match reading.tree.kind(*arg) {
            ExprKind::Nil => false,
            ExprKind::Table(_) => {
                reading.tree.names_in(*arg).iter().any(|(word, _)| word.text.starts_with("on"))
            }
            _ => takes_handler || param.luau.contains("Options"),
        }
    })
}
