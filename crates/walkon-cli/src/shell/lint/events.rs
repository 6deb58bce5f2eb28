//! Checks names of events in scripts: events of the runtime that a script emits, or names that are close to a
//! known one.
//!
//! In: the events that a script names, and those that the scripts of the project tell. Out: findings. Holds:
//! a name that some script emits is the author's own, however close it is to a known one; a host may emit any
//! other, so a close name is only a note. A name that differs by case or by one slip is a warning, as is a
//! name that is for hosts alone. Not here: events that nobody hears (`graph`).

use std::collections::BTreeSet;

use super::finding::{LintFinding, code, is_full};
use super::links::{EMIT, SEND, ScriptNames};
use crate::base::suggestions;
use crate::script::check::{host_events, runtime_events};

/// Whether an event is one of the runtime.
pub(super) fn is_of_runtime(name: &str) -> bool {
    runtime_events().any(|event| event == name)
}

/// Looks at the events of a script. `told` are those that scripts of the project tell; none when that is not
/// known.
pub(super) fn check(links: &ScriptNames, told: Option<&BTreeSet<String>>, findings: &mut Vec<LintFinding>) {
    let emitted = links.told.iter().filter(|event| [EMIT, SEND].contains(&event.called));
    for event in emitted.filter(|event| is_of_runtime(&event.name)) {
        if is_full(findings) {
            return;
        }
        let message = format!("{}: \"{}\" is an event of the runtime", event.called, event.name);
        findings.push(LintFinding::error(code::EVENT, event.place, message).help("choose another name"));
    }
    let Some(told) = told else { return };
    for event in links.heard.iter().filter(|event| !told.contains(&event.name)) {
        if is_full(findings) {
            return;
        }
        if let Some((name, heard)) = host_events().find(|(name, _)| *name == event.name) {
            let message = format!("{}: \"{name}\" is told to hosts alone", event.called);
            let help = heard.map_or("have a script emit an event of its own".to_owned(), |heard| {
                format!("{heard} tells a script")
            });
            findings.push(LintFinding::warning(code::EVENT, event.place, message).help(help));
            continue;
        }
        let known = runtime_events();
        let Some(near) = suggestions::nearest(&event.name, known).filter(|near| *near != event.name) else {
            continue;
        };
        let message = format!("{}: no script tells \"{}\"", event.called, event.name);
        let finding = match is_one_slip(near, &event.name) {
            true => LintFinding::warning(code::EVENT, event.place, message),
            false => LintFinding::note(code::EVENT, event.place, message),
        };
        findings.push(finding.help(format!("did you mean \"{near}\", an event of the runtime?")));
    }
}

/// Whether two names differ by their case, or by one letter that is changed, added, dropped or swapped with
/// its neighbour.
fn is_one_slip(one: &str, other: &str) -> bool {
    let folded = |name: &str| name.chars().flat_map(char::to_lowercase).collect::<Vec<_>>();
    let (one, other) = (folded(one), folded(other));
    let before = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[before..], &other[before..]);
    let after = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    match (&one[..one.len() - after], &other[..other.len() - after]) {
        ([a, b], [c, d]) => (a, b) == (d, c),
        (one, other) => one.len() <= 1 && other.len() <= 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_is_a_letter_changed_added_dropped_or_swapped() {
        for name in [
            "walkSettled",
            "walksettled",
            "walkSetled",
            "walkSetttled",
            "wlakSettled",
            "walkSettles",
            "alkSettled",
        ] {
            assert!(is_one_slip("walkSettled", name) && is_one_slip(name, "walkSettled"), "{name}");
        }
        for name in ["", "walk", "walkSeled", "wlakSetled", "walkedSettled", "klawSettled", "walkSettldes"] {
            assert!(!is_one_slip("walkSettled", name) && !is_one_slip(name, "walkSettled"), "{name}");
        }
    }
}
