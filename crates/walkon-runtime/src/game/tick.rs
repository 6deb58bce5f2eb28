//! The result of a tick: typed events and cues, and the lines of the recorder.
//!
//! In: nothing; [`super::Game::tick`] fills it. Out: plain data that a host keeps as long as it likes. Not
//! here: how traces and sentences are written (`recorder`, `log_text`).

use crate::game::event::{Event, ScriptFault};
use crate::game::tick_notes::{CrowdCounts, ReloadNote};
use crate::world::cue::Cue;
use crate::world::outcome::WalkResult;

/// The result of a tick.
///
/// ```
/// use walkon::Input;
/// # let mut game = walkon_runtime::example::game()?;
///
/// let tick = game.tick(&[Input::event("bell")]);
/// assert_eq!(tick.number, 1);
/// assert!(tick.has("bell"));
/// assert_eq!(tick.faults().count(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tick {
    /// Its number; 0 before the first.
    pub number: u64,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// Trace lines, without line breaks.
    pub lines: Vec<String>,
    /// Sentences for a person.
    pub sentences: Vec<String>,
    /// The events that belong under a picture: scenes, what is said, events, doors, faults.
    pub captions: Vec<String>,
    /// What became of reloads.
    pub reloads: Vec<ReloadNote>,
    /// What walkers did because of doors, the map and one another.
    pub crowd: CrowdCounts,
}

impl Tick {
    /// What scenes ask of the host: the camera, a line, a choice, a fade.
    pub fn cues(&self) -> impl Iterator<Item = &Cue> {
        self.events.iter().filter_map(|event| match event {
            Event::Cue(cue) => Some(cue),
            _ => None,
        })
    }

    /// The walks that ended.
    pub fn settled(&self) -> impl Iterator<Item = &WalkResult> {
        self.events.iter().filter_map(|event| match event {
            Event::WalkSettled(result) => Some(result),
            _ => None,
        })
    }

    /// The faults of scripts.
    pub fn faults(&self) -> impl Iterator<Item = &ScriptFault> {
        self.events.iter().filter_map(|event| match event {
            Event::Faulted { fault, .. } => Some(fault),
            _ => None,
        })
    }

    /// The names of the events: those of scripts, and those of the runtime, such as `walkSettled`.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.events.iter().filter_map(Event::name)
    }

    /// Whether an event of this name happened.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.names().any(|own| own == name)
    }
}
