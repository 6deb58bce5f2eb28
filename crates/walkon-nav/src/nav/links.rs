//! Links (off-mesh connections): ways between places that no ground joins, such as stairs, ladders, jumps.
//!
//! In: ends, prices, actions. Out: the links that a walker can take, in each direction; what is reached over
//! them. Holds: a link with an action is there only for walkers that can do it; a walker cannot take a link
//! whose far end it may not stand at: a way from there would lead out of something closed. Not here: which
//! links are worth taking (`link_search`).

use std::sync::Arc;

use glam::Vec3;

use crate::nav::node::LayerPoint;
use crate::nav::path::{PathFailure, Reach};
use crate::nav::traversal::{LinkAction, LinkActions};

/// The most links a map may have: a plan weighs all of them against one another.
pub const LINKS_MAX: usize = 256;

/// A way from a place on one layer to a place on another, or on the same: stairs, a ladder, a hatch, a jump.
/// It is closed while a body may not stand at one of its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerLink {
    /// Where it begins.
    pub from: LayerPoint,
    /// Where it ends.
    pub to: LayerPoint,
    /// Whether it may be taken back as well.
    pub both_ways: bool,
    /// What taking it adds to a path, metres of plain ground, 0 to 1e6.
    pub cost_m: f32,
    /// What has to be done to get over it; none where it is walked.
    pub action: Option<LinkAction>,
}

/// One direction of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hop {
    pub(crate) from: LayerPoint,
    pub(crate) to: LayerPoint,
    pub(crate) cost_m: f64,
    pub(crate) action: Option<LinkAction>,
}

/// The links that a body can take, in both directions where they have both.
pub(crate) fn hops(links: &[LayerLink], actions: LinkActions) -> impl Iterator<Item = Hop> + '_ {
    links.iter().filter(move |link| actions.allow(link.action)).flat_map(|link| {
        let (cost_m, action) = (f64::from(link.cost_m), link.action);
        let there = Hop { from: link.from, to: link.to, cost_m, action };
        let back = Hop { from: link.to, to: link.from, ..there };
        std::iter::once(there).chain(link.both_ways.then_some(back))
    })
}

/// Links over a ground that has no layers. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Links(Arc<[LayerLink]>);

impl Links {
    /// These links; those beyond [`LINKS_MAX`] are left out.
    #[must_use]
    pub fn new(mut links: Vec<LayerLink>) -> Self {
        links.truncate(LINKS_MAX);
        Self(links.into())
    }

    /// All of them, in their order.
    #[must_use]
    pub fn all(&self) -> &[LayerLink] {
        &self.0
    }

    /// The links that a body can take and come to from `start`. Cost: a question for each pair of links at
    /// most.
    pub(crate) fn hops_from(
        &self,
        start: Vec3,
        actions: LinkActions,
        stands: impl Fn(Vec3) -> bool,
        walks: impl Fn(Vec3, Vec3) -> bool,
    ) -> Vec<Hop> {
        let mut waiting: Vec<Hop> = hops(&self.0, actions).filter(|hop| stands(hop.to.point)).collect();
        let (mut taken, mut places) = (Vec::new(), vec![start]);
        // Bounded by the links: each place but the first is the end of one.
        while let Some(place) = places.pop() {
            let (near, far): (Vec<Hop>, Vec<Hop>) =
                waiting.into_iter().partition(|hop| walks(place, hop.from.point));
            waiting = far;
            places.extend(near.iter().map(|hop| hop.to.point));
            taken.extend(near);
        }
        taken
    }

    /// Whether one place can be reached from another, over links or without; `reach` says what the ground
    /// alone allows.
    pub(crate) fn reach(
        &self,
        [from, to]: [Vec3; 2],
        actions: LinkActions,
        stands: impl Fn(Vec3) -> bool,
        reach: impl Fn(Vec3, Vec3) -> Reach,
    ) -> Reach {
        let alone = reach(from, to);
        let is_decided = matches!(alone, Reach::Yes | Reach::No(PathFailure::StartOffNav));
        if self.0.is_empty() || is_decided {
            return alone;
        }
        let walks = |from: Vec3, to: Vec3| reach(from, to) == Reach::Yes;
        let taken = self.hops_from(from, actions, stands, walks);
        if taken.iter().any(|hop| walks(hop.to.point, to)) { Reach::Yes } else { alone }
    }
}
