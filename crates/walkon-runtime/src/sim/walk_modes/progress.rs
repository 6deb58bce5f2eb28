//! Progress of a walk with a mode, as its mode and step 10 judge it.

use crate::sim::wayfinding::Wayfinding;
use crate::world::asker::goal_layer;
use crate::world::character::{Character, Characters};
use crate::world::walk::Walk;

/// What step 10 makes of a walk with a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModeStep {
    /// It goes on; its patience is to be looked at.
    On,
    /// It goes on, and stands because it wants to.
    Content,
    /// It has arrived.
    Arrived,
    /// It has settled.
    Over,
}

/// Where a way leads, and how far along it a walker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RouteProgress {
    /// To the aim.
    Whole,
    /// To the aim, and it has been walked.
    WholeAtEnd,
    /// Not to the aim, and it has been walked.
    AtEnd,
    /// Not to the aim, or it is not known.
    Unknown,
}

pub(super) fn way(walk: &Walk) -> RouteProgress {
    let Some(following) = &walk.following else {
        return RouteProgress::Unknown;
    };
    match (following.path.whole, following.cursor.next(&following.path)) {
        (true, Some(_)) => RouteProgress::Whole,
        (true, None) => RouteProgress::WholeAtEnd,
        (false, None) => RouteProgress::AtEnd,
        (false, Some(_)) => RouteProgress::Unknown,
    }
}

/// Whether enough time has passed since the walk last chose a new target for it to choose another.
pub(super) fn is_rested(parts: &Wayfinding<'_>, walk: &Walk) -> bool {
    let ago = walk.clock(parts.clock.landing()).since(walk.retargeted);
    ago >= parts.settings.crowd.replan_cooldown_ticks(parts.clock.rate)
}

/// Whether a walker is on the layer of the map on which its walk ends.
pub(super) fn is_on_layer(characters: &Characters, own: &Character, walk: &Walk) -> bool {
    goal_layer(characters, walk).is_none_or(|layer| layer == own.layer)
}
