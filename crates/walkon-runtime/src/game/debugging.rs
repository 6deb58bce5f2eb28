//! Function breakpoints: stops between two ticks, at the events that a debugger asked for.
//!
//! In: the events of a tick that is over. Out: stops, by the names that function breakpoints have:
//! `walk.blocked`, `door.changed`, the names of events that scripts emit. Holds: it does nothing without a
//! debugger. Not here: stops inside a script (`script::debug`).

use crate::base::suggestions;
use crate::game::Game;
use crate::game::event::Event;
use crate::game::log_text;
use crate::game::tick::Tick;
use crate::script::debug::StopReason;
use crate::script::host::ScriptHost;
use crate::world::World;

/// The names of events of the runtime, as function breakpoints have them. Every event of a script has its own
/// name.
const EVENT_NAMES: &[&str] = &[
    "walk.started",
    "walk.replanned",
    "walk.settled",
    "walk.arrived",
    "walk.partial",
    "walk.blocked",
    "walk.cancelled",
    "door.changed",
    "door.opening",
    "door.opened",
    "door.closing",
    "door.closed",
    "door.locked",
    "door.unlocked",
    "door.refused",
    "character.spawned",
    "character.despawned",
    "link.begun",
    "region.entered",
    "region.left",
    "scene.started",
    "scene.ended",
    "map.changed",
    "area.changed",
    "script.faulted",
    "script.switchedOff",
    "reload.done",
    "reload.refused",
];

impl Game {
    /// The names of events of the runtime at which a debugger may stop. Every event of a script has its own
    /// name.
    pub const EVENT_NAMES: &'static [&'static str] = EVENT_NAMES;
}

/// The names of an event, the widest first.
fn names(event: &Event) -> Vec<String> {
    let fixed: &[&str] = match event {
        Event::WalkStarted { .. } => &["walk.started"],
        Event::Replanned { .. } => &["walk.replanned"],
        Event::WalkSettled(result) => {
            return vec!["walk.settled".to_owned(), format!("walk.{}", result.status().name())];
        }
        Event::DoorChanged { .. } => &["door.changed"],
        Event::DoorSignal { what, .. } => return vec![format!("door.{}", what.name())],
        Event::Spawned { .. } => &["character.spawned"],
        Event::Despawned { .. } => &["character.despawned"],
        Event::LinkBegun { .. } => &["link.begun"],
        Event::RegionEntered { .. } => &["region.entered"],
        Event::RegionLeft { .. } => &["region.left"],
        Event::SceneStarted { .. } => &["scene.started"],
        Event::SceneEnded { .. } => &["scene.ended"],
        Event::MapChanged(_) => &["map.changed"],
        Event::AreaChanged { .. } => &["area.changed"],
        Event::Faulted { .. } => &["script.faulted"],
        Event::SwitchedOff(_) => &["script.switchedOff"],
        Event::Reloaded { .. } => &["reload.done"],
        Event::ReloadRefused { .. } => &["reload.refused"],
        Event::Emitted { name, .. } | Event::Input { name, .. } => return vec![name.clone()],
        _ => &[],
    };
    fixed.iter().map(|name| (*name).to_owned()).collect()
}

/// What happened, in a sentence.
fn sentence(world: &World, event: &Event, name: &str) -> String {
    let of = |id| world.name_of(id).to_owned();
    match event {
        Event::DoorChanged { door, state, is_locked, .. } => {
            let door = world.doors().get(door.index()).map_or("", |door| &door.name);
            let locked = if *is_locked { ", locked" } else { "" };
            format!("door \"{door}\" is {}{locked}", state.name())
        }
        Event::WalkStarted { walk, character, .. } => format!("{}: walk {walk} begins", of(*character)),
        Event::Replanned { walk, character, .. } => format!("{}: walk {walk} has a new path", of(*character)),
        Event::Spawned { character, .. } => format!("{} appears", of(*character)),
        other => log_text::sentence(world, other).unwrap_or_else(|| name.to_owned()),
    }
}

/// Why a name is that of no event that can be stopped at. Names of the runtime have a dot and are known;
/// every other may be that of an event of a script.
#[must_use]
pub fn unknown_event(name: &str) -> Option<String> {
    let kind = name.split_once('.').map(|(kind, _)| format!("{kind}."));
    let is_ours = kind.is_some_and(|kind| EVENT_NAMES.iter().any(|known| known.starts_with(&kind)));
    if !name.is_empty() && (!is_ours || EVENT_NAMES.contains(&name)) {
        return None;
    }
    let near = suggestions::nearest(name, EVENT_NAMES.iter().copied());
    let near = near.map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
    Some(format!("unknown event \"{name}\"{near}"))
}

impl Game {
    /// Lets the debugger look between two ticks, so that what its client wants does not wait for the next
    /// one. It may stop here, as at the end of a tick.
    pub fn let_debugger_look(&mut self) {
        if let Some(scripts) = self.scripts.as_mut().filter(|scripts| scripts.is_debugged()) {
            scripts.debug_between_ticks(&mut self.world, Vec::new());
        }
    }

    /// Lets a debugger look at the end of a tick.
    pub(super) fn debug(&mut self, recorded: &Tick) {
        let Some(scripts) = self.scripts.as_mut().filter(|scripts| scripts.is_debugged()) else { return };
        let stops = stops(&self.world, scripts, recorded);
        // Lending the world costs more than the tick of a small level.
        if !stops.is_empty() || scripts.debugger_wants_to_look() {
            scripts.debug_between_ticks(&mut self.world, stops);
        }
    }
}

fn stops(world: &World, scripts: &ScriptHost, recorded: &Tick) -> Vec<StopReason> {
    let mut stops = Vec::new();
    if !scripts.stops_at_events() {
        return stops;
    }
    for event in &recorded.events {
        let names = names(event);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if let Some(name) = scripts.stop_of(&names) {
            let what = sentence(world, event, name);
            stops.push(StopReason::Event { name: name.to_owned(), what });
        }
    }
    stops
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::door::{DoorSignal, DoorState};
    use crate::world::outcome::Status;

    #[test]
    fn the_names_that_are_told_are_all_there() {
        let walks = Status::ALL.map(|status| format!("walk.{}", status.name()));
        let doors = DoorSignal::ALL.map(|what| format!("door.{}", what.name()));
        for name in walks.iter().chain(&doors) {
            assert!(EVENT_NAMES.contains(&name.as_str()), "{name}");
        }
        let changed = Event::DoorChanged {
            door: crate::base::ids::DoorId(0),
            state: DoorState::Open,
            is_locked: false,
            by: None,
        };
        assert_eq!(names(&changed), ["door.changed"]);
    }
}
