//! Searches under way, and their askers.
//!
//! In: queries of walks and scripts. Out: answers in step 6. Holds: every walk that waits for an answer knows
//! its request, and the request its walk. Not here: using the answers (`sim::paths`), the costs of searching
//! (`scratch`).

use slotmap::SecondaryMap;

use crate::base::ids::{PathToken, WalkId};
use crate::nav::PathRequests;
use crate::world::bystanders::Bystanders;

/// Searches under way.
#[derive(Clone, Debug, Default)]
pub struct PathWork {
    /// Paths being searched. In a box: the world is small to move, which every script phase does.
    pub(crate) requests: Box<PathRequests>,
    /// The walk a request belongs to, as its `token` tells; requests of scripts have none.
    pub(crate) askers: SecondaryMap<PathToken, WalkId>,
    /// The people that a path of a script was planned around.
    pub(crate) asked_around: SecondaryMap<PathToken, Bystanders>,
}

impl PathWork {
    /// Takes the search of a walk back; it delivers nothing afterwards.
    pub(crate) fn drop_search(&mut self, token: PathToken) {
        self.requests.cancel(token);
        self.askers.remove(token);
    }
}
