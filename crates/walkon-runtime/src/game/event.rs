//! Typed events of a level for hosts: walks with their results, doors, regions, scenes, faults.
//!
//! In: facts of the world, before step 13 frees what they name. Out: [`Event`], a closed list. Holds: an
//! event keeps its meaning after the tick, also when what it names is gone by then; traces and sentences are
//! written from the same events. Not here: facts that only scripts wait for, such as the end of a turn.

use std::collections::BTreeMap;

use crate::base::ids::{CharacterId, DoorId, RegionId};
use crate::base::value::{Plain, PlainKey};
use crate::game::line;
use crate::nav::Revision;
use crate::world::World;
use crate::world::cue::Cue;
use crate::world::door::{DoorSignal, DoorState};
use crate::world::event::{Evaluation, EvaluationFailure, Fact, LogLine, ReloadedFile, SwitchedOff};
use crate::world::event_name;
use crate::world::outcome::WalkResult;
use crate::world::region::CrossingKind;
use crate::world::walk::Ask;

/// Something that happened in a tick. Positions are metres.
///
/// ```
/// use walkon::Event;
/// # let mut game = walkon_runtime::example::game()?;
///
/// let anna = game.character("anna").ok_or("there is no anna")?;
/// game.walk_to(anna, [16.0, 0.0, 6.0])?;
/// let tick = game.tick(&[]);
/// for event in &tick.events {
///     match event {
///         Event::WalkStarted { character, goal, .. } => assert_eq!((*character, goal[0]), (anna, 16.0)),
///         Event::Faulted { fault, .. } => panic!("{}", fault.message),
///         _ => {}
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A character appeared.
    Spawned {
        /// Which.
        character: CharacterId,
        /// Where it stands as the tick ends, after the step of the crowd in it, which parts characters that
        /// stand in one another.
        position: Option<[f32; 3]>,
    },
    /// A character was removed.
    Despawned {
        /// Which.
        character: CharacterId,
        /// Where it stood.
        position: Option<[f32; 3]>,
    },
    /// A walk was accepted.
    WalkStarted {
        /// Number of the walk, as in its result.
        walk: u64,
        /// The walker.
        character: CharacterId,
        /// Where it is to go.
        goal: [f32; 3],
        /// Number of the code that asked for it; 0 for the host.
        owner: u32,
    },
    /// A walk ended; each walk does once.
    WalkSettled(WalkResult),
    /// A walk took a new path.
    Replanned {
        /// Number of the walk.
        walk: u64,
        /// The walker.
        character: CharacterId,
        /// Why it asked.
        why: Ask,
    },
    /// A character in the way was asked to step aside.
    Nudged {
        /// The character that steps aside.
        character: CharacterId,
        /// The character that wants to pass.
        by: CharacterId,
        /// Where it will stand.
        to: [f32; 3],
    },
    /// A door entered a state, or its lock changed.
    DoorChanged {
        /// The door.
        door: DoorId,
        /// Its state.
        state: DoorState,
        /// Whether it is locked as the tick ends.
        is_locked: bool,
        /// On whose account.
        by: Option<CharacterId>,
    },
    /// What a door tells its listeners.
    DoorSignal {
        /// The door.
        door: DoorId,
        /// What happened.
        what: DoorSignal,
        /// On whose account.
        by: Option<CharacterId>,
    },
    /// A walk has come to a link that needs an action, such as `climb`: a host shows it.
    LinkBegun {
        /// The character.
        character: CharacterId,
        /// The action, as the level names it.
        action: String,
        /// Where the link begins and ends, x, y, z in metres.
        ends: [[f32; 3]; 2],
        /// How long it takes where no script takes it over.
        seconds: f64,
    },
    /// An area was toggled or priced.
    AreaChanged {
        /// Its name.
        area: String,
        /// In force or not.
        is_available: bool,
        /// Cost of a metre.
        factor: f32,
    },
    /// The map took its edits.
    MapChanged(Revision),
    /// A character came into a region of the level.
    RegionEntered {
        /// The region.
        region: RegionId,
        /// The character.
        character: CharacterId,
        /// How.
        how: CrossingKind,
    },
    /// A character left a region of the level.
    RegionLeft {
        /// The region.
        region: RegionId,
        /// The character.
        character: CharacterId,
        /// How.
        how: CrossingKind,
    },
    /// A script emitted an event.
    Emitted {
        /// Its name.
        name: String,
        /// Its payload, if it has one.
        payload: Option<Plain>,
        /// The one it is for, if it is for one.
        to: Option<CharacterId>,
        /// The emitter, as a label such as `behaviour "guard"`.
        by: String,
    },
    /// The host sent an input.
    Input {
        /// Its name.
        name: String,
        /// Its payload, if it has one.
        payload: Option<Plain>,
    },
    /// An input could not be carried out, and has changed nothing.
    InputRefused {
        /// The kind of input, as [`Input::kind`](crate::game::inputs::Input::kind) names it.
        what: &'static str,
        /// Why, a sentence.
        why: String,
    },
    /// A text of [`Input::Evaluate`](crate::game::inputs::Input::Evaluate) has run.
    Evaluated {
        /// What messages call the text: `console:1`.
        chunk: String,
        /// The text.
        text: String,
        /// What it returned, as text; empty when it returned nothing or failed.
        result: String,
        /// Why it did not come to its end.
        failure: Option<EvaluationFailure>,
    },
    /// A scene asks something of the host: a line, a choice, the camera.
    Cue(Cue),
    /// A scene began.
    SceneStarted {
        /// Its name.
        name: String,
        /// What it locks.
        locks: Vec<String>,
    },
    /// A scene ended.
    SceneEnded {
        /// Its name.
        name: String,
        /// How, by the names of `SceneInfo`.
        info: Plain,
    },
    /// A script wrote a line.
    Logged(LogLine),
    /// A script faulted.
    Faulted {
        /// What happened, and where.
        fault: ScriptFault,
        /// Everything that is known of it, by the names that scripts use.
        fields: Plain,
    },
    /// The code of an owner was switched off after its faults.
    SwitchedOff(SwitchedOff),
    /// Changed texts took effect.
    Reloaded {
        /// The files that were given, by path: scripts below their folders, then what belongs to the level.
        files: BTreeMap<String, ReloadedFile>,
        /// What could not be kept, or was missed, in sentences.
        notes: Vec<String>,
    },
    /// Changed texts were refused; the old ones run on.
    ReloadRefused {
        /// The file with the first mistake; empty when it is none of a file.
        file: String,
        /// Line in it, from 1; 0 when unknown.
        line: u32,
        /// What is wrong, with the place in front where it is known.
        message: String,
        /// The files that were given.
        files: BTreeMap<String, ReloadedFile>,
    },
    /// The runtime has something to say: dropped lines, deferred scripts, undelivered results.
    Notice {
        /// `scriptDeferred`, `scriptStopped`, `watchesDeferred`, `regionsDeferred`, `roundsExhausted`,
        /// `printDropped`, `eventsDropped`, `noisesDropped`, `timeDropped` or `undelivered`.
        what: &'static str,
        /// How many.
        count: u64,
        /// Number of the walk, for `undelivered`.
        walk: Option<u64>,
        /// Why, for `undelivered`.
        why: Option<String>,
    },
}

/// A fault of a script, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptFault {
    /// Script file, below the script folders; empty when no script ran.
    pub file: String,
    /// Line in it, from 1; 0 when unknown.
    pub line: u32,
    /// What happened, with the place in front where it is known.
    pub message: String,
    /// On whose behalf the script ran.
    pub owner: String,
    /// Which call it was.
    pub callback: String,
    /// One frame a line, innermost first.
    pub traceback: String,
}

impl ScriptFault {
    fn of(fields: &Plain) -> Self {
        let Plain::Map(entries) = fields else { return Self::default() };
        let field = |key: &str| entries.get(&PlainKey::Name(key.to_owned()));
        let text = |key: &str| match field(key) {
            Some(Plain::Text(text)) => text.clone(),
            _ => String::new(),
        };
        let line = match field("line") {
            Some(Plain::Number(line)) => *line as u32,
            _ => 0,
        };
        let (file, message, traceback) = (text("file"), text("message"), text("traceback"));
        Self { file, line, message, owner: text("owner"), callback: text("callback"), traceback }
    }
}

/// Values as `print` would show them, but with what tables hold.
fn printed(world: &World, values: &[Plain]) -> String {
    let shown = values.iter().map(|value| match value {
        Plain::Text(text) => text.clone(),
        other => line::plain(world, other),
    });
    shown.collect::<Vec<_>>().join(", ")
}

impl Event {
    /// The event of a fact; none for facts that only scripts wait for.
    pub(super) fn of(world: &World, fact: Fact) -> Option<Self> {
        let position =
            |id: CharacterId| world.character(id).map(|character| character.body.position.to_array());
        Some(match fact {
            Fact::Spawned(character) => Self::Spawned { character, position: position(character) },
            Fact::Despawned(character) => Self::Despawned { character, position: position(character) },
            Fact::WalkStarted(id) => {
                let walk = world.walk(id)?;
                let (character, goal, owner) = (walk.character, walk.aim.to_array(), walk.owner.0);
                Self::WalkStarted { walk: walk.serial, character, goal, owner }
            }
            Fact::WalkSettled(id) => Self::WalkSettled(world.walk(id)?.result()?.clone()),
            Fact::Replanned { walk, why } => {
                let walk = world.walk(walk)?;
                Self::Replanned { walk: walk.serial, character: walk.character, why }
            }
            Fact::Nudged { character, by, to } => Self::Nudged { character, by, to: to.to_array() },
            Fact::DoorChanged { door, state, by } => {
                let is_locked = world.doors().get(door.index())?.is_locked;
                Self::DoorChanged { door, state, is_locked, by }
            }
            Fact::DoorSignal { door, what, by } => Self::DoorSignal { door, what, by },
            Fact::LinkBegun { walk: _, character, action, ends, seconds } => {
                let ends = ends.map(|end| end.to_array());
                Self::LinkBegun { character, action, ends, seconds }
            }
            Fact::AreaChanged { area, available, factor } => {
                Self::AreaChanged { area, is_available: available, factor }
            }
            Fact::MapRevision(revision) => Self::MapChanged(revision),
            Fact::RegionEntered { region, character, how } => Self::RegionEntered { region, character, how },
            Fact::RegionLeft { region, character, how } => Self::RegionLeft { region, character, how },
            Fact::Emitted { name, payload, to, by } => Self::Emitted { name, payload, to, by },
            Fact::Input { name, payload } => Self::Input { name, payload },
            Fact::InputRefused { what, why } => Self::InputRefused { what, why },
            Fact::Evaluated(evaluation) => {
                let Evaluation { chunk, text, values, failure } = *evaluation;
                Self::Evaluated { chunk, text, result: printed(world, &values), failure }
            }
            Fact::Cue(cue) => Self::Cue(*cue),
            Fact::SceneStarted { name, locks } => Self::SceneStarted { name, locks },
            Fact::SceneEnded { name, info } => Self::SceneEnded { name, info },
            Fact::Logged(line) => Self::Logged(*line),
            Fact::Faulted(fields) => Self::Faulted { fault: ScriptFault::of(&fields), fields },
            Fact::SwitchedOff(off) => Self::SwitchedOff(off),
            Fact::Reloaded { files, notes } => Self::Reloaded { files, notes },
            Fact::ReloadRefused { file, line, message, files } => {
                Self::ReloadRefused { file, line, message, files }
            }
            Fact::Notice { what, count, walk, why } => Self::Notice { what: what.name(), count, walk, why },
            Fact::WalkNews { .. }
            | Fact::DoorMoveEnded { .. }
            | Fact::WatchEntered { .. }
            | Fact::WatchLeft { .. }
            | Fact::Noticed { .. }
            | Fact::SightLost { .. }
            | Fact::NoiseHeard { .. }
            | Fact::TurnEnded { .. }
            | Fact::PlayEnded { .. }
            | Fact::PathAnswered { .. } => return None,
        })
    }

    /// The name under which `--until` and [`super::Tick::has`] know it: that of an event of scripts, or of
    /// the runtime.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        Some(match self {
            Self::Spawned { .. } => event_name::SPAWNED,
            Self::Despawned { .. } => event_name::DESPAWNED,
            Self::WalkSettled(_) => event_name::WALK_SETTLED,
            Self::DoorChanged { .. } => event_name::DOOR_CHANGED,
            Self::LinkBegun { .. } => event_name::LINK_BEGUN,
            Self::AreaChanged { .. } => event_name::AREA_CHANGED,
            Self::MapChanged(_) => event_name::MAP_REVISION,
            Self::SceneStarted { .. } => event_name::CINEMATIC_STARTED,
            Self::SceneEnded { .. } => event_name::CINEMATIC_ENDED,
            Self::Faulted { .. } => event_name::SCRIPT_FAULT,
            Self::SwitchedOff(_) => event_name::SWITCHED_OFF,
            Self::Reloaded { .. } => event_name::RELOADED,
            Self::ReloadRefused { .. } => event_name::RELOAD_REFUSED,
            Self::RegionEntered { .. } => event_name::REGION_ENTERED,
            Self::RegionLeft { .. } => event_name::REGION_LEFT,
            Self::InputRefused { .. } => event_name::INPUT_REFUSED,
            Self::Evaluated { .. } => event_name::EVALUATED,
            Self::Emitted { name, .. } | Self::Input { name, .. } => name,
            Self::WalkStarted { .. }
            | Self::Replanned { .. }
            | Self::Nudged { .. }
            | Self::DoorSignal { .. }
            | Self::Cue(_)
            | Self::Logged(_)
            | Self::Notice { .. } => return None,
        })
    }

    /// The plain data that scripts chose for it.
    pub(super) fn payload(&self) -> Option<&Plain> {
        match self {
            Self::Emitted { payload, .. } | Self::Input { payload, .. } => payload.as_ref(),
            Self::SceneEnded { info, .. } => Some(info),
            Self::Faulted { fields, .. } => Some(fields),
            Self::Cue(cue) => cue.payload(),
            _ => None,
        }
    }

    /// The same with something short in place of that data, where scripts chose it.
    pub(super) fn with_payload(&self, short: &dyn Fn() -> Plain) -> Self {
        match self {
            Self::Emitted { name, to, by, .. } => {
                Self::Emitted { name: name.clone(), payload: Some(short()), to: *to, by: by.clone() }
            }
            Self::Input { name, .. } => Self::Input { name: name.clone(), payload: Some(short()) },
            Self::Cue(cue) => Self::Cue(cue.with_payload(short())),
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::door::DoorState;
    use crate::world::fixture::{door, sample};

    #[test]
    fn an_event_is_called_as_the_fact_that_it_was() {
        let mut scene = sample();
        scene.world.map.doors.push(door());
        let (character, how) = (scene.one, CrossingKind::Walked);
        let (door, region, by) = (DoorId(0), RegionId(0), None);
        let files = BTreeMap::new();
        let off = SwitchedOff { owner: String::new(), character: None, again: String::new() };
        let facts = [
            Fact::Spawned(character),
            Fact::Despawned(character),
            Fact::WalkStarted(scene.walk),
            Fact::AreaChanged { area: "shed".to_owned(), available: true, factor: 1.0 },
            Fact::MapRevision(Revision(1)),
            Fact::SceneStarted { name: "talk".to_owned(), locks: Vec::new() },
            Fact::SceneEnded { name: "talk".to_owned(), info: Plain::Bool(true) },
            Fact::Faulted(Plain::Bool(true)),
            Fact::SwitchedOff(off),
            Fact::Reloaded { files: files.clone(), notes: Vec::new() },
            Fact::ReloadRefused { file: String::new(), line: 0, message: String::new(), files },
            Fact::RegionEntered { region, character, how },
            Fact::RegionLeft { region, character, how },
            Fact::InputRefused { what: "walk", why: String::new() },
            Fact::Evaluated(Box::default()),
            Fact::DoorSignal { door, what: DoorSignal::Refused, by },
            Fact::LinkBegun {
                walk: scene.walk,
                character,
                action: "climb".to_owned(),
                ends: [glam::Vec3::ZERO; 2],
                seconds: 1.0,
            },
            Fact::DoorChanged { door, state: DoorState::Open, by },
        ];
        for fact in facts {
            let name = fact.name();
            let event = Event::of(&scene.world, fact);
            assert!(event.is_some(), "{name:?} is told to nobody");
            assert_eq!(event.as_ref().and_then(Event::name), name, "{event:?}");
        }
    }
}
