//! Facts: what happened in the world, in order, for scripts, host and trace.
//!
//! Systems and verbs push; step 12 hands the facts that scripts can hear to them; the recorder reads
//! all of them in step 14. Holds: a closed list; facts that do not fit a tick wait for the next; beyond a
//! bound, news that no code waits for is not kept for scripts, and counted; answers and ends are always told;
//! a fact may name something that is gone.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use glam::Vec3;

use crate::base::bytes::COUNT_MAX;
use crate::base::hash;
use crate::base::ids::{CharacterId, DoorId, PathToken, RegionId, WalkId};
use crate::base::value::Plain;
use crate::nav::{PathAnswer, Revision};
use crate::world::cue::{Cue, CueKind};
use crate::world::door::{DoorReason, DoorSignal, DoorState};
use crate::world::event_name;
use crate::world::outcome::{Blocker, Reason};
use crate::world::place::Mark;
use crate::world::region::{CrossingKind, WatchId};
use crate::world::sense::{SenseId, Unseen};
use crate::world::walk::Ask;

/// A fact.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// A character appeared.
    Spawned(CharacterId),
    /// A character was removed.
    Despawned(CharacterId),
    /// A walk was accepted.
    WalkStarted(WalkId),
    /// A walk ended; its result is with the walk until step 13.
    WalkSettled(WalkId),
    /// A walk took a new plan.
    Replanned {
        /// The walk.
        walk: WalkId,
        /// Why it asked.
        why: Ask,
    },
    /// A character in the way was asked to step aside.
    Nudged {
        /// The character that steps aside.
        character: CharacterId,
        /// The character that wants to pass.
        by: CharacterId,
        /// Where it will stand, metres.
        to: Vec3,
    },
    /// Something happened on the way of a walk, and somebody wants to know.
    WalkNews {
        /// The walk.
        walk: WalkId,
        /// What happened.
        news: WalkNews,
    },
    /// A door entered a state, or its lock changed.
    DoorChanged {
        /// The door.
        door: DoorId,
        /// Its state.
        state: DoorState,
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
    /// A request about a door was answered.
    DoorMoveEnded {
        /// Number of the request.
        serial: u64,
        /// The door.
        door: DoorId,
        /// The answer.
        reason: DoorReason,
        /// The character that stood in the way or did it.
        by: Option<CharacterId>,
    },
    /// A walk has come to a link that needs an action: the character begins it.
    LinkBegun {
        /// The walk.
        walk: WalkId,
        /// The character.
        character: CharacterId,
        /// The action.
        action: String,
        /// Where the link begins and ends.
        ends: [Vec3; 2],
        /// How long it takes where no script takes it over.
        seconds: f64,
    },
    /// An area was toggled or priced.
    AreaChanged {
        /// Its name.
        area: String,
        /// In force or not.
        available: bool,
        /// Cost of a metre.
        factor: f32,
    },
    /// The map took its edits.
    MapRevision(Revision),
    /// Somebody came into a region of the level.
    RegionEntered {
        /// The region.
        region: RegionId,
        /// The character.
        character: CharacterId,
        /// How.
        how: CrossingKind,
    },
    /// Somebody left a region of the level.
    RegionLeft {
        /// The region.
        region: RegionId,
        /// The character.
        character: CharacterId,
        /// How.
        how: CrossingKind,
    },
    /// Somebody came into what a watch looks at.
    WatchEntered {
        /// The watch.
        watch: WatchId,
        /// The character.
        character: CharacterId,
        /// How.
        how: CrossingKind,
    },
    /// Somebody left what a watch looks at.
    WatchLeft {
        /// The watch.
        watch: WatchId,
        /// The character.
        character: CharacterId,
        /// How.
        how: CrossingKind,
    },
    /// A target of a watch came into sight.
    Noticed {
        /// The watch.
        watch: SenseId,
        /// The target.
        character: CharacterId,
        /// Where they stood, metres.
        position: Vec3,
    },
    /// A target of a watch was lost from sight.
    SightLost {
        /// The watch.
        watch: SenseId,
        /// The target.
        character: CharacterId,
        /// Where they were seen last, metres.
        position: Vec3,
        /// Why they are not seen.
        why: Unseen,
    },
    /// A watch heard a noise.
    NoiseHeard {
        /// The watch.
        watch: SenseId,
        /// The character that made the noise.
        character: CharacterId,
        /// Where, metres.
        position: Vec3,
        /// How far it reaches, metres.
        loudness_m: f32,
    },
    /// A turn ended.
    TurnEnded {
        /// Its number.
        serial: u64,
        /// Whether it reached its angle.
        ok: bool,
    },
    /// An animation ended.
    PlayEnded {
        /// Its number.
        serial: u64,
        /// Whether it ran its time.
        ok: bool,
    },
    /// A path that a script asked for is ready.
    PathAnswered {
        /// The request.
        token: PathToken,
        /// The character that stands on the goal.
        by: Option<CharacterId>,
        /// The answer.
        answer: Box<PathAnswer>,
    },
    /// A script emitted an event; for everybody, or for one character's behaviour.
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
        /// The kind of input, as traces name it.
        what: &'static str,
        /// Why, a sentence.
        why: String,
    },
    /// A text of the host was evaluated.
    Evaluated(Box<Evaluation>),
    /// A scene asks something of the host.
    Cue(Box<Cue>),
    /// A scene began.
    SceneStarted {
        /// Its name.
        name: String,
        /// What it locks.
        locks: Vec<String>,
    },
    /// A scene ended; `info` has the fields of `SceneInfo`.
    SceneEnded {
        /// Its name.
        name: String,
        /// The fields of `SceneInfo`.
        info: Plain,
    },
    /// A script wrote a line.
    Logged(Box<LogLine>),
    /// A script faulted; the fields of `Fault` and the strikes of its owner.
    Faulted(Plain),
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
        /// What of.
        what: NoticeKind,
        /// How many.
        count: u64,
        /// Number of the walk, for `undelivered`.
        walk: Option<u64>,
        /// Why, for `undelivered`.
        why: Option<String>,
    },
}

/// What the runtime has something to say of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// Scripts had no turn for want of fuel.
    ScriptDeferred,
    /// The watchdog ended a call.
    ScriptStopped,
    /// Watches were not looked at in this tick.
    WatchesDeferred,
    /// Regions were not looked at in this tick.
    RegionsDeferred,
    /// Events that events had caused wait for the next tick.
    RoundsExhausted,
    /// Lines that scripts wrote were left out.
    PrintDropped,
    /// News was not kept for scripts.
    EventsDropped,
    /// Ticks were given up, or time was no number.
    TimeDropped,
    /// The result of a walk reached nobody.
    Undelivered,
    /// Noises made room for others before their time.
    NoisesDropped,
}

impl NoticeKind {
    /// The word that hosts and traces use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ScriptDeferred => "scriptDeferred",
            Self::ScriptStopped => "scriptStopped",
            Self::WatchesDeferred => "watchesDeferred",
            Self::RegionsDeferred => "regionsDeferred",
            Self::RoundsExhausted => "roundsExhausted",
            Self::PrintDropped => "printDropped",
            Self::EventsDropped => "eventsDropped",
            Self::TimeDropped => "timeDropped",
            Self::Undelivered => "undelivered",
            Self::NoisesDropped => "noisesDropped",
        }
    }
}

/// Code that was switched off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchedOff {
    /// Whose: `behaviour "guard" of "anna"`, `level script`.
    pub owner: String,
    /// The character whose behaviour it is.
    pub character: Option<CharacterId>,
    /// What starts it again, as a sentence goes on: `a reload of guard.lua starts it again`.
    pub again: String,
}

/// One changed file of a reload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReloadedFile {
    /// Hash of the text, 0 for a deleted file.
    pub hash: u64,
    /// The text; none for a deleted file.
    pub text: Option<String>,
}

impl ReloadedFile {
    /// A file with this text, or a deleted one.
    #[must_use]
    pub fn new(text: Option<&str>) -> Self {
        let hash = text.map_or(0, |text| hash::of_bytes(text.as_bytes()));
        Self { hash, text: text.map(str::to_owned) }
    }
}

/// What happened on the way of a walk.
#[derive(Clone, Debug, PartialEq)]
pub enum WalkNews {
    /// A patrol has come to a stop.
    Stop {
        /// Which, from 1.
        index: u32,
        /// The stop.
        mark: Mark,
    },
    /// A corner of the way was passed.
    Waypoint {
        /// Which, counted from 1 over the walk.
        index: u32,
        /// Where, metres.
        position: Vec3,
    },
    /// The end of the way is near.
    Near {
        /// Metres left.
        remaining_m: f32,
    },
    /// Something keeps the walker from getting on.
    Blocked {
        /// How the walk will end if nothing changes.
        reason: Reason,
        /// The blocker.
        by: Option<Blocker>,
        /// For how long already.
        ticks: u64,
    },
}

/// A line that a script wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// `debug`, `info`, `warn` or `error`.
    pub level: &'static str,
    /// The owner that wrote it.
    pub owner: String,
    /// Script file.
    pub file: String,
    /// Line in it, from 1; 0 when unknown.
    pub line: u32,
    /// The text.
    pub message: String,
}

/// What a text came to that the host had evaluated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// What messages call the text: `console:1`.
    pub chunk: String,
    /// The text.
    pub text: String,
    /// The returned value, as data for people: a value that is not plain becomes a few words.
    pub values: Vec<Plain>,
    /// Why it did not come to its end.
    pub failure: Option<EvaluationFailure>,
}

/// Why a text of the host did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluationFailure {
    /// The kind, as faults of scripts have it.
    pub kind: &'static str,
    /// What happened, with the place in front where it is known.
    pub message: String,
    /// The script file in which it happened, or the chunk; empty when nothing ran.
    pub file: String,
    /// Line in it, from 1; 0 when unknown.
    pub line: u32,
    /// One frame a line, innermost first.
    pub traceback: String,
}

impl Fact {
    /// A notice of so many, of no walk.
    #[must_use]
    pub(crate) fn notice(what: NoticeKind, count: u64) -> Self {
        Self::Notice { what, count, walk: None, why: None }
    }

    /// Whether scripts can hear it; the rest is for host and trace only.
    #[must_use]
    pub fn is_for_scripts(&self) -> bool {
        !matches!(
            self,
            Self::WalkStarted(_)
                | Self::Replanned { .. }
                | Self::Nudged { .. }
                | Self::Cue(_)
                | Self::Logged(_)
                | Self::Notice { .. }
                | Self::InputRefused { .. }
                | Self::Evaluated(_)
                | Self::SwitchedOff(_)
                | Self::RegionEntered { .. }
                | Self::RegionLeft { .. }
        )
    }
}

impl Fact {
    /// Whether it only tells of what can be seen in the world as well: no task waits for it, nothing ends by
    /// it, and where it is missed a link takes its usual time.
    fn is_news(&self) -> bool {
        matches!(
            self,
            Self::WalkNews { .. }
                | Self::DoorChanged { .. }
                | Self::DoorSignal { .. }
                | Self::LinkBegun { .. }
                | Self::AreaChanged { .. }
                | Self::MapRevision(_)
        )
    }

    /// What scripts, hosts and traces call it, if it is an event of the runtime.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        Some(match self {
            Self::Spawned(_) => event_name::SPAWNED,
            Self::Despawned(_) => event_name::DESPAWNED,
            Self::WalkSettled(_) => event_name::WALK_SETTLED,
            Self::DoorChanged { .. } => event_name::DOOR_CHANGED,
            Self::LinkBegun { .. } => event_name::LINK_BEGUN,
            Self::AreaChanged { .. } => event_name::AREA_CHANGED,
            Self::MapRevision(_) => event_name::MAP_REVISION,
            Self::SceneStarted { .. } => event_name::CINEMATIC_STARTED,
            Self::SceneEnded { .. } => event_name::CINEMATIC_ENDED,
            Self::Faulted(_) => event_name::SCRIPT_FAULT,
            Self::SwitchedOff(_) => event_name::SWITCHED_OFF,
            Self::Reloaded { .. } => event_name::RELOADED,
            Self::ReloadRefused { .. } => event_name::RELOAD_REFUSED,
            Self::RegionEntered { .. } => event_name::REGION_ENTERED,
            Self::RegionLeft { .. } => event_name::REGION_LEFT,
            Self::InputRefused { .. } => event_name::INPUT_REFUSED,
            Self::Evaluated(_) => event_name::EVALUATED,
            // Events of scripts and of the host, which have names of their own.
            Self::Emitted { .. } | Self::Input { .. } => return None,
            // Told in another way.
            Self::WalkStarted(_)
            | Self::Replanned { .. }
            | Self::Nudged { .. }
            | Self::WalkNews { .. }
            | Self::DoorSignal { .. }
            | Self::DoorMoveEnded { .. }
            | Self::WatchEntered { .. }
            | Self::WatchLeft { .. }
            | Self::Noticed { .. }
            | Self::SightLost { .. }
            | Self::NoiseHeard { .. }
            | Self::TurnEnded { .. }
            | Self::PlayEnded { .. }
            | Self::PathAnswered { .. }
            | Self::Cue(_)
            | Self::Logged(_)
            | Self::Notice { .. } => return None,
        })
    }

    /// The plain data it carries.
    pub(crate) fn payload(&self) -> Option<&Plain> {
        match self {
            Self::Emitted { payload, .. } | Self::Input { payload, .. } => payload.as_ref(),
            Self::SceneEnded { info, .. } => Some(info),
            Self::Faulted(fault) => Some(fault),
            Self::Cue(cue) => cue.payload(),
            _ => None,
        }
    }
}

/// The facts of the tick: those that wait for step 12, and all of them for the recorder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventQueue {
    pub(super) waiting: VecDeque<Fact>,
    pub(super) recorded: Vec<Fact>,
    /// News since step 12 that did not fit in.
    pub(super) dropped: u64,
    /// Once the level has ended: what scripts began all the same; nobody is told of it.
    pub(super) after_end: Option<AfterEnd>,
    /// After a load, until it is told: how many facts a host hears of its start. They come first in
    /// `recorded`.
    pub(super) of_start: Option<usize>,
}

/// What scripts began after the level had ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct AfterEnd {
    walks: BTreeSet<WalkId>,
    /// Names of scenes that have not ended yet.
    scenes: Vec<String>,
}

impl AfterEnd {
    /// Whether a scene that ends had begun before the level ended.
    fn had_begun(&mut self, ended: &str) -> bool {
        let place = self.scenes.iter().position(|scene| scene == ended);
        place.map(|place| self.scenes.swap_remove(place)).is_none()
    }
}

impl EventQueue {
    /// Facts that may wait for scripts before scripts may cause no more, and news is dropped.
    pub const WAITING_MAX: usize = 65_536;

    /// The level has ended: orders from now on are not carried out any more, so they are no facts.
    pub fn close(&mut self) {
        self.after_end.get_or_insert_default();
    }

    /// Whether the level has ended.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.after_end.is_some()
    }

    /// Whether anybody is to hear of a fact.
    fn happens(&mut self, event: &Fact) -> bool {
        let Some(after_end) = &mut self.after_end else {
            return true;
        };
        match event {
            Fact::WalkStarted(walk) => {
                after_end.walks.insert(*walk);
                false
            }
            Fact::WalkSettled(walk) => !after_end.walks.contains(walk),
            Fact::SceneStarted { name, .. } => {
                after_end.scenes.push(name.clone());
                false
            }
            Fact::SceneEnded { name, .. } => after_end.had_begun(name),
            Fact::Logged(_) | Fact::Faulted(_) | Fact::SwitchedOff(_) | Fact::Notice { .. } => true,
            Fact::Cue(cue) => matches!(&cue.kind, CueKind::Camera { kind, .. } if kind == "reset"),
            _ => false,
        }
    }

    /// Adds a fact at the end.
    pub fn push(&mut self, event: Fact) {
        if !self.happens(&event) {
            return;
        }
        if event.is_news() && self.is_full() {
            self.dropped += 1;
        } else if event.is_for_scripts() {
            self.waiting.push_back(event.clone());
        }
        self.recorded.push(event);
    }

    /// Tells the host that so many ticks were given up. That time was no number is told once between ticks.
    pub(crate) fn note_dropped_time(&mut self, ticks: u64) {
        let is_of_time = |fact: &Fact| matches!(fact, Fact::Notice { what: NoticeKind::TimeDropped, .. });
        if ticks > 0 || !self.recorded.iter().any(is_of_time) {
            // No more than a save game tells.
            self.push(Fact::notice(NoticeKind::TimeDropped, ticks.min(COUNT_MAX)));
        }
    }

    /// Tells the host that a noise made room for another; of several in a row it tells the number.
    pub(crate) fn note_dropped_noise(&mut self) {
        match self.recorded.last_mut() {
            Some(Fact::Notice { what: NoticeKind::NoisesDropped, count, .. }) => *count += 1,
            _ => self.push(Fact::notice(NoticeKind::NoisesDropped, 1)),
        }
    }

    /// Tells the host how much news was dropped since the last call.
    pub(crate) fn tell_dropped(&mut self) {
        let count = std::mem::take(&mut self.dropped);
        if count > 0 {
            self.push(Fact::notice(NoticeKind::EventsDropped, count));
        }
    }

    /// Whether the fact that came last, and waits for scripts, is an event of that name.
    pub(crate) fn is_last(&self, event: &str) -> bool {
        matches!(self.waiting.back(), Some(Fact::Emitted { name, .. }) if name == event)
    }

    /// Tells the host alone of something that scripts know already.
    pub(crate) fn tell_host(&mut self, fact: Fact) {
        self.recorded.push(fact);
    }

    /// After a load: what is recorded is what a host hears of the start; `untold` is what it had yet to hear
    /// when the game was saved.
    pub(crate) fn begin_loaded(&mut self, untold: Vec<Fact>) {
        self.of_start = Some(self.recorded.len());
        self.recorded.extend(untold);
    }

    /// Adds to what a host hears of the start of a game that was loaded.
    pub(crate) fn tell_at_start(&mut self, facts: Vec<Fact>) {
        let at = self.of_start.unwrap_or_default();
        self.of_start = Some(at + facts.len());
        self.recorded.splice(at..at, facts);
    }

    /// Takes what is told of the start, in order: all that is recorded, or what a load said; the rest of that
    /// belongs to the next tick.
    pub(crate) fn take_start(&mut self) -> Vec<Fact> {
        let count = self.of_start.take().unwrap_or(self.recorded.len());
        let later = self.recorded.split_off(count);
        std::mem::replace(&mut self.recorded, later)
    }

    /// What the host has yet to hear, but for what a load has told of its start.
    pub(crate) fn untold(&self) -> &[Fact] {
        &self.recorded[self.of_start.unwrap_or_default()..]
    }

    /// Takes the oldest fact that scripts can hear.
    pub fn pop(&mut self) -> Option<Fact> {
        self.waiting.pop_front()
    }

    /// The characters whose removal scripts have yet to hear of.
    pub fn despawned(&self) -> impl Iterator<Item = CharacterId> {
        self.waiting.iter().filter_map(|event| match event {
            Fact::Despawned(id) => Some(*id),
            _ => None,
        })
    }

    /// Facts that wait for scripts.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Whether so many facts wait that scripts may not add to them.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.waiting.len() >= Self::WAITING_MAX
    }

    /// The plain data of all facts that are kept, those that wait and those of this tick.
    pub fn payloads(&self) -> impl Iterator<Item = &Plain> {
        self.waiting.iter().chain(&self.recorded).filter_map(Fact::payload)
    }

    /// Takes all facts since the last call, in order. Step 14.
    pub fn take_recorded(&mut self) -> Vec<Fact> {
        self.of_start = None;
        std::mem::take(&mut self.recorded)
    }

    /// All facts since step 14, in order.
    #[must_use]
    pub fn recorded(&self) -> &[Fact] {
        &self.recorded
    }
}
