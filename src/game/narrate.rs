//! What a person is told of a run: one line for each notable fact.
//!
//! In: facts, before step 13 frees what they name. Out: text. Not here: when and where it is printed.

use crate::base::ids::{CharacterId, WalkId};
use crate::base::plain::{Plain, PlainKey};
use crate::game::line::plain;
use crate::world::World;
use crate::world::cue::{Cue, CueKind};
use crate::world::door::DoorSignal;
use crate::world::event::Event;

/// A sentence about a fact; none when it is not worth one.
#[must_use]
pub fn sentence(world: &World, event: &Event) -> Option<String> {
    Some(match event {
        Event::WalkSettled(id) => walk_settled(world, *id)?,
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
        Event::Despawned(id) => format!("{} is gone", world.name_of(*id)),
        Event::Emitted { name, payload, .. } => {
            format!(
                "event {name} {}",
                payload.as_ref().map_or(String::new(), |payload| plain(world, payload))
            )
        }
        Event::Cue(cue) => cue_sentence(cue),
        Event::SceneStarted { name, .. } => format!("scene \"{name}\" begins"),
        Event::SceneEnded { name, info } => format!("scene \"{name}\" ends {}", plain(world, info)),
        Event::Logged(line) => {
            format!("[{}] {}:{}: {}", line.level, line.file, line.line, line.message)
        }
        Event::Faulted(fault) => fault_sentence(fault)?,
        Event::Reloaded { files, notes } => {
            let names: Vec<&str> = files.keys().map(String::as_str).collect();
            let notes: String = notes.iter().map(|note| format!("; {note}")).collect();
            format!("reloaded {}{notes}", names.join(", "))
        }
        Event::ReloadRefused { message, .. } => format!("reload refused: {message}; the old code runs on"),
        Event::Notice { what, count, .. } => format!("notice: {what} ({count})"),
        _ => return None,
    })
}

/// A fault in one line; its frames are with the fact.
fn fault_sentence(fault: &Plain) -> Option<String> {
    let Plain::Map(fields) = fault else {
        return None;
    };
    let text = |key: &str| match fields.get(&PlainKey::Name(key.to_owned())) {
        Some(Plain::Text(text)) => text.as_str(),
        _ => "",
    };
    Some(format!("fault in {} {}: {}", text("owner"), text("callback"), text("message")))
}

/// What a door did, as a sentence goes on; nothing for a movement that has only begun.
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

fn walk_settled(world: &World, id: WalkId) -> Option<String> {
    let walk = world.walk(id)?;
    let result = walk.result()?;
    Some(format!("{}: {}", world.name_of(walk.character), world.summary(result)))
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
