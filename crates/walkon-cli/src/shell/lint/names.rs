//! Checks names of things in levels, and names in scripts that lead nowhere.
//!
//! In: the links of a script, the levels that use it. Out: findings. Holds: a name is unknown when no level
//! that uses the script has it and no script gives it. Not here: the use of scripts by levels (`graph`).

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{LintFinding, code, is_full};
use super::links::{Made, QuotedName};
use crate::level::{LevelDef, Resolved};
use crate::script::vm::hints::instead_of_mark;

/// Names of a level, by kind: `DoorName` and the like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::shell) struct LevelNames(pub BTreeMap<&'static str, BTreeSet<String>>);

impl LevelNames {
    /// The names of a level.
    pub fn of(def: &LevelDef, resolved: &Resolved) -> Self {
        let mut names = BTreeMap::new();
        let mut put = |kind: &'static str, list: Vec<String>| {
            names.insert(kind, list.into_iter().collect::<BTreeSet<_>>());
        };
        put("MarkName", resolved.marks.iter().filter_map(|mark| mark.name.clone()).collect());
        put("RouteName", resolved.routes.iter().map(|route| route.name.clone()).collect());
        put("AreaName", resolved.areas.iter().map(|area| area.name.clone()).collect());
        put("DoorName", def.doors.iter().map(|door| door.name.value.clone()).collect());
        put("RegionName", def.regions.iter().map(|region| region.name.value.clone()).collect());
        put("CharacterName", def.characters.iter().map(|own| own.name.value.clone()).collect());
        Self(names)
    }

    /// Names of things of one kind: of a `door`.
    pub fn of_noun(&self, wanted: &str) -> &BTreeSet<String> {
        static NONE: BTreeSet<String> = BTreeSet::new();
        self.0.iter().find(|(kind, _)| noun(kind) == wanted).map_or(&NONE, |(_, names)| names)
    }

    /// How to write what is no mark, as a character or a door has the name.
    fn other_place(&self, link: &QuotedName) -> Option<String> {
        let has = |kind: &str| self.0.get(kind).is_some_and(|names| names.contains(&link.name));
        let kind = ["CharacterName", "DoorName"].into_iter().find(|kind| has(kind));
        // Everything else that takes a mark takes these as well.
        let is_place = link.kind == "MarkName" && link.called != "nav.mark";
        let kind = noun(kind.filter(|_| is_place)?);
        Some(instead_of_mark(&kind, &link.name))
    }

    /// These names, and those of another level.
    pub fn add(&mut self, other: &Self) {
        for (kind, names) in &other.0 {
            self.0.entry(kind).or_default().extend(names.iter().cloned());
        }
    }
}

/// A kind of name in words: `door`.
fn noun(kind: &str) -> String {
    kind.trim_end_matches("Name").to_lowercase()
}

/// Whether a script gives a name of this kind.
pub(super) fn is_made(made: &BTreeSet<(&'static str, Made)>, kind: &'static str, name: &str) -> bool {
    let parts = (kind, Made::Prefix(String::new()))..=(kind, Made::Any);
    made.contains(&(kind, Made::Whole(name.to_owned()))) || made.range(parts).any(|(_, own)| own.is(name))
}

/// Links to things that no level has.
pub(super) fn check(
    links: &[QuotedName],
    known: &LevelNames,
    made: &BTreeSet<(&'static str, Made)>,
    findings: &mut Vec<LintFinding>,
) {
    for link in links {
        let Some(names) = known.0.get(link.kind) else { continue };
        if names.contains(&link.name) || is_made(made, link.kind, &link.name) {
            continue;
        }
        if is_full(findings) {
            return;
        }
        let message = format!("{}: unknown {} \"{}\"", link.called, noun(link.kind), link.name);
        let candidates = names.iter().map(String::as_str);
        let finding = LintFinding::error(code::UNRESOLVED, link.place, message);
        findings.push(match known.other_place(link) {
            Some(instead) => finding.help(instead),
            None => finding.suggest(&link.name, candidates),
        });
    }
}
