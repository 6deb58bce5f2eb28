//! Named places: marks, and routes that join them.
//!
//! In: marks and routes of the level, marks of scripts. Out: places by name. Not here: finding the place that
//! an argument of a script means (`script::bind::place`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::Vec3;

use crate::base::value::Plain;

/// A place with a name, or a stop of a route that may have none.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Empty for a nameless stop of a route.
    pub name: String,
    /// Metres.
    pub position: Vec3,
    /// Which way to look there, radians about +y.
    pub facing_rad: Option<f32>,
    /// What the level says of it to scripts, a map by name; nothing for most.
    pub props: Option<Arc<Plain>>,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Marks by name.
    pub(crate) marks: BTreeMap<String, Mark>,
    /// Names of those marks that scripts made.
    pub(crate) made: BTreeSet<String>,
    /// Routes by name.
    pub(crate) routes: BTreeMap<String, Vec<Mark>>,
}
