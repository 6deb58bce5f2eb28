//! Events of a tick as items on the lanes of a timeline.
//!
//! In: the events of a tick. Out: items with a lane, a sentence and the line that a trace has for it. Holds:
//! what happens to every character all the time (new plans, steps aside) is left out, and long data as in a
//! trace. Not here: drawing.

use serde::Serialize;
use serde_json::value::RawValue;
use walkon_runtime::base::ids::CharacterId;
use walkon_runtime::game::event::Event;
use walkon_runtime::game::tick::Tick;
use walkon_runtime::game::{log_text, recorder};
use walkon_runtime::world::{World, event_name};

/// What messages call the script of the level.
const LEVEL_SCRIPT: &str = "level script";

/// Something that happened.
#[derive(Clone, Debug, Serialize)]
pub struct Item {
    /// When.
    pub tick: u64,
    /// Its lane: `scenes`, `events`, `faults`, `doors`, `regions`, `walks`, `log`, `reloads` or `inputs`.
    pub lane: &'static str,
    /// The word that the trace uses.
    pub kind: &'static str,
    /// A sentence for people.
    pub text: String,
    /// The character or thing that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The whole line of the trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Box<RawValue>>,
}

impl Item {
    /// Bytes that it takes, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let line = self.line.as_ref().map_or(0, |line| line.get().len());
        size_of::<Self>() + self.text.len() + self.name.as_ref().map_or(0, String::len) + line
    }
}

/// Everything worth telling of a tick.
#[must_use]
pub fn items(world: &World, tick: &Tick) -> Vec<Item> {
    let mut room = recorder::DATA_PER_TICK_BYTES;
    let told = |event| item(world, tick.number, &recorder::shortened(event, &mut room));
    tick.events.iter().filter_map(told).collect()
}

fn item(world: &World, tick: u64, event: &Event) -> Option<Item> {
    let (lane, kind) = place(event, tick)?;
    let text = match log_text::sentence(world, event) {
        Some(text) => text,
        None => plainly(world, event)?,
    };
    let line = recorder::line(world, event).and_then(|line| RawValue::from_string(line).ok());
    Some(Item { tick, lane, kind, text, name: name(world, event), line })
}

/// The lane of an event and its word; none for what is not told.
fn place(event: &Event, tick: u64) -> Option<(&'static str, &'static str)> {
    Some(match event {
        Event::WalkStarted { .. } => ("walks", "walkStarted"),
        Event::WalkSettled(_) => ("walks", event_name::WALK_SETTLED),
        Event::DoorSignal { .. } => ("doors", event_name::DOOR_CHANGED),
        Event::AreaChanged { .. } => ("doors", event_name::AREA_CHANGED),
        Event::RegionEntered { .. } => ("regions", event_name::REGION_ENTERED),
        Event::RegionLeft { .. } => ("regions", event_name::REGION_LEFT),
        Event::Emitted { .. } => ("events", "event"),
        // Every character of the level appears at its beginning.
        Event::Spawned { .. } if tick > 0 => ("events", event_name::SPAWNED),
        Event::Despawned { .. } => ("events", event_name::DESPAWNED),
        Event::Input { .. } => ("inputs", "input"),
        Event::InputRefused { .. } => ("inputs", event_name::INPUT_REFUSED),
        Event::Evaluated { .. } => ("inputs", event_name::EVALUATED),
        Event::Cue(_) => ("scenes", "cue"),
        Event::SceneStarted { .. } => ("scenes", event_name::CINEMATIC_STARTED),
        Event::SceneEnded { .. } => ("scenes", event_name::CINEMATIC_ENDED),
        Event::Logged(_) => ("log", "log"),
        Event::Notice { .. } => ("log", "notice"),
        Event::Faulted { .. } => ("faults", event_name::SCRIPT_FAULT),
        Event::SwitchedOff(_) => ("faults", event_name::SWITCHED_OFF),
        Event::Reloaded { .. } => ("reloads", event_name::RELOADED),
        Event::ReloadRefused { .. } => ("reloads", event_name::RELOAD_REFUSED),
        _ => return None,
    })
}

/// Words for what the log of a run leaves out.
fn plainly(world: &World, event: &Event) -> Option<String> {
    Some(match event {
        Event::WalkStarted { character, goal: [x, _, z], .. } => {
            format!("{} walks to ({x:.1}, {z:.1})", world.name_of(*character))
        }
        Event::Spawned { character, .. } => format!("{} appears", world.name_of(*character)),
        Event::AreaChanged { area, is_available, .. } => {
            format!("area \"{area}\" is {}", if *is_available { "open" } else { "closed" })
        }
        Event::Input { name, .. } => format!("input {name}"),
        _ => return None,
    })
}

/// The name of what an event is about.
fn name(world: &World, event: &Event) -> Option<String> {
    let who = |id: CharacterId| Some(world.name_of(id).to_owned());
    match event {
        Event::WalkStarted { character, .. }
        | Event::Spawned { character, .. }
        | Event::Despawned { character, .. }
        | Event::RegionEntered { character, .. }
        | Event::RegionLeft { character, .. } => who(*character),
        Event::WalkSettled(result) => who(result.journey.character),
        Event::DoorSignal { door, .. } => Some(world.doors().get(door.index())?.name.clone()),
        Event::SceneStarted { name, .. } | Event::SceneEnded { name, .. } => Some(name.clone()),
        Event::Cue(cue) => Some(cue.scene.clone()),
        Event::Emitted { name, to, .. } => to.and_then(who).or_else(|| Some(name.clone())),
        Event::Logged(line) => owner_name(world, &line.owner),
        Event::Faulted { fault, .. } => owner_name(world, &fault.owner),
        Event::SwitchedOff(off) => off.character.and_then(who).or_else(|| owner_name(world, &off.owner)),
        Event::AreaChanged { area, .. } => Some(area.clone()),
        _ => None,
    }
}

/// `anna` of `behaviour "guard" of "anna"`; the level's own name of its script.
fn owner_name(world: &World, owner: &str) -> Option<String> {
    if owner == LEVEL_SCRIPT {
        return Some(world.level_name().to_owned());
    }
    let (_, after) = owner.rsplit_once(" of \"")?;
    after.strip_suffix('"').map(str::to_owned)
}
