//! The text log of a run for people: one line for each notable event.
//!
//! In: events. Out: text. Not here: when and where it is printed.

use crate::base::ids::CharacterId;
use crate::game::event::Event;
use crate::game::line;
use crate::game::tick_notes::ReloadNote;
use crate::script::host::reload::UNUSED;
use crate::world::World;
use crate::world::cue::{Cue, CueKind};
use crate::world::door::DoorSignal;

/// The owner of lines about a reload.
pub const RELOAD: &str = "reload";

/// A sentence about an event; none when it is not worth one.
#[must_use]
pub fn sentence(world: &World, event: &Event) -> Option<String> {
    Some(match event {
        Event::WalkSettled(result) => {
            format!("{}: {}", world.name_of(result.journey.character), world.summary(result))
        }
        Event::LinkBegun { character, action, .. } => {
            format!("{} begins to {action}", world.name_of(*character))
        }
        Event::DoorSignal { door, what, by } => {
            let done = door_words(*what)?;
            format!("door \"{}\" {done}{}", world.doors().get(door.index())?.name, by_whom(world, *by))
        }
        Event::RegionEntered { region, character, .. } => {
            format!("{} enters {}", world.name_of(*character), world.regions().get(region.index())?.name)
        }
        Event::RegionLeft { region, character, .. } => {
            format!("{} leaves {}", world.name_of(*character), world.regions().get(region.index())?.name)
        }
        Event::Despawned { character, .. } => format!("{} is gone", world.name_of(*character)),
        Event::Emitted { name, payload, .. } => {
            format!(
                "event {name} {}",
                payload.as_ref().map_or(String::new(), |payload| line::plain(world, payload))
            )
        }
        Event::Cue(cue) => cue_sentence(cue),
        Event::SceneStarted { name, .. } => format!("scene \"{name}\" begins"),
        Event::SceneEnded { name, info } => format!("scene \"{name}\" ends {}", line::plain(world, info)),
        Event::Logged(line) if line.file.is_empty() => {
            format!("[{}] {}: {}", line.level, line.owner, line.message)
        }
        Event::Logged(line) => {
            format!("[{}] {}:{}: {}", line.level, line.file, line.line, line.message)
        }
        Event::Faulted { fault, .. } => {
            format!("fault in {} {}: {}", fault.owner, fault.callback, fault.message)
        }
        Event::SwitchedOff(off) => format!("{} is switched off after its faults; {}", off.owner, off.again),
        Event::Reloaded { .. } => reloaded(&ReloadNote::of(event)?, "", ""),
        Event::ReloadRefused { message, .. } => format!("reload refused: {message}; the old code runs on"),
        Event::InputRefused { what, why } => format!("{what} refused: {why}"),
        Event::Evaluated { chunk, failure: None, result, .. } => format!("{chunk}: {result}"),
        Event::Evaluated { chunk, failure: Some(failure), .. } => {
            format!("{chunk} failed: {}", failure.message)
        }
        Event::Notice { what, count, .. } => format!("notice: {what} ({count})"),
        _ => return None,
    })
}

/// The sentence of an event that belongs under a picture. The picture itself shows the walks.
#[must_use]
pub fn caption(world: &World, event: &Event) -> Option<String> {
    match event {
        Event::Cue(_)
        | Event::SceneStarted { .. }
        | Event::SceneEnded { .. }
        | Event::Emitted { .. }
        | Event::Faulted { .. }
        | Event::DoorSignal { .. } => sentence(world, event),
        _ => None,
    }
}

/// The line of a reload that took effect: `time` is how long it took, `mended` whether one was refused before
/// it. A file that was deleted, or that nothing uses, is not said to be reloaded.
#[must_use]
pub fn reloaded(note: &ReloadNote, time: &str, mended: &str) -> String {
    let is_unused = |file: &str| note.notes.iter().any(|note| note.strip_suffix(UNUSED) == Some(file));
    let is_taken = |file: &&String| !note.deleted.contains(file) && !is_unused(file);
    let taken: Vec<&str> = note.files.iter().filter(is_taken).map(String::as_str).collect();
    let mut parts = Vec::new();
    if !taken.is_empty() {
        parts.push(format!("reloaded {}{time}{mended}", taken.join(", ")));
    }
    let is_told = |file: &str| note.notes.iter().any(|note| note.starts_with(&format!("{file} was deleted")));
    parts.extend(note.deleted.iter().filter(|file| !is_told(file)).map(|file| format!("{file} was deleted")));
    parts.extend(note.notes.iter().cloned());
    if taken.is_empty()
        && let Some(first) = parts.first_mut()
    {
        first.push_str(mended);
    }
    parts.join("; ")
}

/// What a door did, as the rest of a sentence; nothing for a movement that has only begun.
fn door_words(what: DoorSignal) -> Option<&'static str> {
    Some(match what {
        DoorSignal::Opened => "is open",
        DoorSignal::Closed => "is closed",
        DoorSignal::Locked => "is locked",
        DoorSignal::Unlocked => "is unlocked",
        DoorSignal::Refused => "refuses to open",
        DoorSignal::Opening | DoorSignal::Closing => return None,
    })
}

fn by_whom(world: &World, by: Option<CharacterId>) -> String {
    by.map_or_else(String::new, |by| format!(" ({})", world.name_of(by)))
}

fn cue_sentence(cue: &Cue) -> String {
    match &cue.kind {
        CueKind::Said { character, line, .. } => format!("{character}: \"{line}\""),
        CueKind::Choice { id, answer: Some(answer), .. } => format!("choice {id}: {answer}"),
        CueKind::Choice { id, options, .. } => format!("choice {id}: {}?", options.join(", ")),
        CueKind::Camera { kind, .. } => format!("camera: {kind}"),
        CueKind::Other { kind, .. } => format!("cue: {kind}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_no_script_names_its_owner_and_no_place() {
        let source = crate::level::MemorySource::new().with(
            "a.json",
            r#"{ "navigation": { "areas": [ { "name": "a", "polygon": [[0, 0], [9, 0], [9, 9]] } ] } }"#,
        );
        let level = crate::level::load("a.json", &source).expect("a level");
        let world = crate::level::spawn::build(level, None).world;
        let line = |file: &str, line| crate::world::event::LogLine {
            level: "warn",
            owner: "load".to_owned(),
            file: file.to_owned(),
            line,
            message: "limits counts from the next start".to_owned(),
        };
        let said = |line| sentence(&world, &Event::Logged(line));
        assert_eq!(said(line("", 0)).as_deref(), Some("[warn] load: limits counts from the next start"));
        let of_script = "[warn] a.lua:3: limits counts from the next start";
        assert_eq!(said(line("a.lua", 3)).as_deref(), Some(of_script));
    }

    #[test]
    fn a_deleted_file_is_not_said_to_be_reloaded() {
        let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let note = |files: &[&str], deleted: &[&str], notes: &[&str]| ReloadNote {
            files: named(files),
            deleted: named(deleted),
            notes: named(notes),
            refused: None,
        };
        let gone = note(&["a.lua"], &["a.lua"], &["a.lua was deleted; its running code runs on"]);
        assert_eq!(reloaded(&gone, " in 5 ms", ""), "a.lua was deleted; its running code runs on");
        assert!(!gone.mends(), "the code that was mistaken is gone, and nothing took its place");
        let unused = note(&["a.lua"], &["a.lua"], &[]);
        assert_eq!(reloaded(&unused, " in 5 ms", ", mended"), "a.lua was deleted, mended");
        assert!(unused.mends());
        let renamed = note(&["a.lua", "b.lua"], &["a.lua"], &["x"]);
        assert_eq!(reloaded(&renamed, " in 5 ms", ""), "reloaded b.lua in 5 ms; a.lua was deleted; x");
    }

    #[test]
    fn a_file_that_nothing_uses_is_not_said_to_be_reloaded() {
        let note = |files: &[&str]| ReloadNote {
            files: files.iter().map(|name| (*name).to_owned()).collect(),
            notes: vec![format!("a.lua{UNUSED}")],
            ..ReloadNote::default()
        };
        assert_eq!(reloaded(&note(&["a.lua"]), " in 5 ms", ""), "a.lua is used by nothing so far");
        let both = reloaded(&note(&["a.lua", "b.lua"]), " in 5 ms", ", mended");
        assert_eq!(both, "reloaded b.lua in 5 ms, mended; a.lua is used by nothing so far");
    }
}
