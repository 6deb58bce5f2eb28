//! The read-only bindings, which a debugger may call without changing the run.
//!
//! In: entries. Out: whether they only read. Holds: fields only read; a function that is not listed here
//! counts as changing something, drawing a random number, waiting or registering. Not here: refusing
//! (`register`).

use crate::script::bind::table::{Binding, EntryKind};

/// Functions and methods that only look, by library or type.
const LOOKS: &[(&str, &[&str])] = &[
    ("Blackboard", &["get", "has", "keys"]),
    ("Character", &["canReach", "distanceTo", "hasTag", "isMoving"]),
    ("Door", &["occupants"]),
    ("Walk", &["eta", "path", "remaining"]),
    ("Watch", &["contains", "inside", "occupied"]),
    ("cinematic", &["running"]),
    ("clock", &["isBetween", "secondsUntil"]),
    (
        "nav",
        &[
            "areaCost",
            "areasAt",
            "findMark",
            "findPath",
            "isAreaAvailable",
            "isWalkable",
            "lineOfWalk",
            "mark",
            "nearest",
            "reachable",
            "route",
            "routeProps",
            "tileAt",
        ],
    ),
    ("region", &["props"]),
    (
        "world",
        &["character", "characters", "door", "doors", "findCharacter", "findDoor", "isLocked", "player"],
    ),
];

/// Whether an entry only looks.
pub(crate) fn only_looks(entry: &Binding) -> bool {
    let listed = |(owner, names): &(&str, &[&str])| *owner == entry.owner && names.contains(&entry.name());
    entry.kind == EntryKind::Field || LOOKS.iter().any(listed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::bind::entries_of;

    #[test]
    fn everything_that_is_said_to_look_is_there_and_waits_for_nothing() {
        for (owner, names) in LOOKS {
            for name in *names {
                let found = entries_of(owner).find(|entry| entry.name() == *name);
                let entry = found.unwrap_or_else(|| panic!("{owner} has no {name}"));
                assert!(!entry.waits, "{owner}.{name}");
            }
        }
    }
}
