//! Properties of things that the runtime does not read: plain data for scripts.
//!
//! In: the level. Out: the data of a thing, by its kind and its name. Holds: nothing in a run changes it, so
//! it is no part of the state; an edit of the level replaces it. Not here: marks and stops, which carry their
//! own (`place`).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::value::Plain;

/// A kind of thing that has properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A character of the level.
    Character,
    /// A door.
    Door,
    /// A region.
    Region,
    /// A route.
    Route,
}

/// Plain data by thing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Props {
    by_name: BTreeMap<(Subject, String), Arc<Plain>>,
}

impl Props {
    /// Sets the properties of a thing; earlier ones are gone.
    pub fn put(&mut self, subject: Subject, name: &str, said: Plain) {
        self.by_name.insert((subject, name.to_owned()), Arc::new(said));
    }

    /// The properties of a thing, a map by name. None when it has none.
    #[must_use]
    pub fn of(&self, subject: Subject, name: &str) -> Option<&Arc<Plain>> {
        self.by_name.get(&(subject, name.to_owned()))
    }
}
