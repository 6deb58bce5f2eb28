//! What a person is told of a run: one line for each notable fact.
//!
//! In: facts, before step 13 frees what they name. Out: text. Not here: when and where it is printed.

use crate::base::ids::{CharacterId, WalkId};
use crate::game::line::plain;
use crate::world::World;
use crate::world::cue::{Cue, CueKind};
use crate::world::door::{DoorSignal, DoorState};
use crate::world::event::Event;

/// A sentence about a fact; none when it is not worth one.
#[must_use]
pub fn sentence(world: &World, event: &Event) -> Option<String> {
    Some(match event {
        Event::WalkSettled(id) => walk_settled(world, *id)?,
        Event::DoorChanged { door, state, by } if matches!(state, DoorState::Open | DoorState::Closed) => {
            format!(
                "door \"{}\" is {}{}",
                world.doors().get(door.index())?.name,
                state.name(),
                by_whom(world, *by)
            )
        }
        Event::DoorSignal { door, what: DoorSignal::Refused, by } => {
            format!("door \"{}\" is locked{}", world.doors().get(door.index())?.name, by_whom(world, *by))
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
        Event::Notice { what, count, .. } => format!("notice: {what} ({count})"),
        _ => return None,
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
        CueKind::Choice { id, answer, .. } => format!("choice {id}: {answer}"),
        CueKind::Camera { kind, .. } => format!("camera: {kind}"),
        CueKind::Other { kind, .. } => format!("cue: {kind}"),
    }
}
