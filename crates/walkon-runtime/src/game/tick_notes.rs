//! Notes of a tick beside its events: results of reloads, how often walkers planned again.
//!
//! In: events. Out: plain data that a host keeps as long as it likes. Not here: the events themselves
//! (`event`), how they are written down (`recorder`, `log_text`).

use std::collections::BTreeMap;

use crate::game::event::{Event, ScriptFault};
use crate::world::event::ReloadedFile;
use crate::world::walk::Ask;

/// How often walkers planned again, by reason, and stepped aside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CrowdCounts {
    /// New plans because of a door.
    pub for_doors: u64,
    /// Because the map changed.
    pub for_map: u64,
    /// Because of others in the way.
    pub for_crowd: u64,
    /// Because the target moved.
    pub for_target: u64,
    /// How often a character was asked to step aside.
    pub nudges: u64,
}

impl CrowdCounts {
    /// Counts an event, if it is one of these.
    pub(super) fn count(&mut self, event: &Event) {
        match event {
            Event::Replanned { why: Ask::Door, .. } => self.for_doors += 1,
            Event::Replanned { why: Ask::Map | Ask::Better, .. } => self.for_map += 1,
            Event::Replanned { why: Ask::Crowd, .. } => self.for_crowd += 1,
            Event::Replanned { why: Ask::Target, .. } => self.for_target += 1,
            Event::Nudged { .. } => self.nudges += 1,
            _ => {}
        }
    }

    /// Adds those of another tick.
    pub(crate) fn add(&mut self, more: Self) {
        self.for_doors += more.for_doors;
        self.for_map += more.for_map;
        self.for_crowd += more.for_crowd;
        self.for_target += more.for_target;
        self.nudges += more.nudges;
    }

    /// New plans, whatever they were for.
    #[must_use]
    pub fn replans(&self) -> u64 {
        self.for_doors + self.for_map + self.for_crowd + self.for_target
    }
}

/// What became of a reload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReloadNote {
    /// The files that were given, by path.
    pub files: Vec<String>,
    /// Those of them that were deleted.
    pub deleted: Vec<String>,
    /// What could not be kept, or was missed, in sentences.
    pub notes: Vec<String>,
    /// Why it was refused, and where; none for one that took effect.
    pub refused: Option<ScriptFault>,
}

impl ReloadNote {
    /// Whether it can have mended what was refused before: not when all it did was to let the code of deleted
    /// files run on.
    #[must_use]
    pub fn mends(&self) -> bool {
        self.notes.is_empty() || self.files.iter().any(|file| !self.deleted.contains(file))
    }

    /// What an event says of a reload; none for other events.
    pub(super) fn of(event: &Event) -> Option<Self> {
        let gone = |files: &BTreeMap<String, ReloadedFile>| {
            let gone = files.iter().filter(|(_, file)| file.text.is_none());
            gone.map(|(path, _)| path.clone()).collect()
        };
        let names = |files: &BTreeMap<String, ReloadedFile>| files.keys().cloned().collect();
        match event {
            Event::Reloaded { files, notes } => {
                Some(Self { files: names(files), deleted: gone(files), notes: notes.clone(), refused: None })
            }
            Event::ReloadRefused { file, line, message, files } => {
                let (file, message) = (file.clone(), message.clone());
                let refused = ScriptFault { file, line: *line, message, ..ScriptFault::default() };
                Some(Self {
                    files: names(files),
                    deleted: gone(files),
                    notes: Vec::new(),
                    refused: Some(refused),
                })
            }
            _ => None,
        }
    }
}
