//! From a query to a path over a ground with links of its own: a graph, a mesh.
//!
//! In: a map with links, a query, an allowance. Out: an answer. Holds: a walker that can take no link gets
//! the path that the ground alone gives; so does one that cannot get to the goal at all, as near as the
//! ground leads. Not here: the choice of links (`link_search`), maps with layers (`layers`).

use crate::nav::backend::Backend;
use crate::nav::link_search::{LinkSearch, LinkedEnds, Stage};
use crate::nav::links::{Hop, Links};
use crate::nav::node::LayerPoint;
use crate::nav::path::{PathAnswer, PathQuery, Reach};
use crate::nav::plan::{Begun, Plan, PlanTask};
use crate::nav::search::Search;

/// A ground with links.
pub(crate) trait Linked: Backend {
    /// Its links.
    fn links(&self) -> &Links;

    /// Whether a place can be reached without them.
    fn reach_without(&self, query: &PathQuery, to: [glam::Vec3; 2]) -> Reach;
}

/// The paused work on one query.
#[derive(Clone, Debug)]
pub(crate) enum LinkedPlan<P> {
    /// On the ground alone.
    Alone(Box<P>),
    /// Over links.
    OverLinks(Box<LinkSearch<P>>),
}

impl<P> Plan for LinkedPlan<P>
where
    P: Plan,
    P::Map: Linked + Stage<Leg = P>,
{
    type Map = P::Map;

    fn begin(map: &P::Map, query: &PathQuery) -> Begun<Self> {
        let alone = || P::begin(map, query).map(|plan| Self::Alone(Box::new(plan)));
        if map.links().all().is_empty() || !query.goal.is_finite() {
            return alone();
        }
        let walks = |from, to| map.reach_without(query, [from, to]) == Reach::Yes;
        let hops: Vec<Hop> = map.links().hops_from(query.start, query.by.actions, walks);
        if hops.is_empty() || map.reach(query.start, query.goal, &query.by) != Reach::Yes {
            return alone();
        }
        let at = |point| LayerPoint { layer: query.by.layer, point };
        let goal = at(query.goal);
        let ends = LinkedEnds { start: at(query.start), target: goal, goal };
        Ok(Self::OverLinks(Box::new(LinkSearch::new(map, query, ends, hops, None))))
    }

    fn begun_for(&self) -> u32 {
        match self {
            Self::Alone(plan) => plan.begun_for(),
            Self::OverLinks(plan) => plan.begun_for(),
        }
    }

    fn spent(&self, search: &Search) -> u32 {
        match self {
            Self::Alone(plan) => plan.spent(search),
            Self::OverLinks(plan) => plan.spent(search),
        }
    }

    fn step(&mut self, map: &P::Map, task: PlanTask<'_>, allowance: u32) -> Option<PathAnswer> {
        match self {
            Self::Alone(plan) => plan.step(map, task, allowance),
            Self::OverLinks(plan) => plan.step(map, task, allowance),
        }
    }
}
