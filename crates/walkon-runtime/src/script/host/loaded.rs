//! Behaviours between a load and their first step.

use std::rc::Rc;

use crate::base::ids::CharacterId;
use crate::script::host::reload::commit::LoadedInstance;
use crate::script::state::behaviours::{Class, Suspended};
use crate::script::state::scenes::SavedScene;

/// The instances that are there again after a load and begin in the next step 3.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loaded {
    pub(super) has_level: bool,
    /// In the order of their characters.
    pub(super) instances: Vec<LoadedInstance>,
    /// Behaviours that were switched off and whose files have changed since.
    pub(super) revived: Vec<(CharacterId, Rc<Class>, Suspended)>,
    pub(super) scenes: Vec<SavedScene>,
}
