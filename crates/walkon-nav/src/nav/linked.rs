//! Plans on ground with links of its own (a graph, a mesh): how they begin.
//!
//! In: a map with links, a query. Out: a plan, or an answer. Holds: a walker that can take no link gets the
//! path over the ground alone; a walker that cannot get to the goal at all gets the path to the nearest place
//! on the ground. Not here: the choice of links (`link_search`), how it begins on layers (`layers`).

use crate::nav::backend::Backend;
use crate::nav::link_search::{LinkSearch, LinkedEnds, LinkedPlan, Stage};
use crate::nav::links::{Hop, Links};
use crate::nav::node::LayerPoint;
use crate::nav::path::{PathQuery, Reach};
use crate::nav::plan::{Begun, Plan};
use crate::nav::traversal::Traversal;

/// A ground with links.
pub(crate) trait Linked: Backend {
    /// Its links.
    fn links(&self) -> &Links;

    /// Whether a body may stand at the end of one, in a door that it goes through as well.
    fn may_stand(&self, place: glam::Vec3, by: &Traversal) -> bool {
        self.is_walkable(place, by)
    }

    /// Whether a place can be reached without them.
    fn reach_without(&self, query: &PathQuery, to: [glam::Vec3; 2]) -> Reach;
}

/// Begins a plan on a ground with links.
pub(crate) fn begin<M>(map: &M, query: &PathQuery) -> Begun<LinkedPlan<M>>
where
    M: Linked + Stage,
    M::Leg: Plan<Map = M>,
{
    let alone = || M::Leg::begin(map, query).map(|plan| LinkedPlan::Alone(Box::new(plan)));
    if map.links().all().is_empty() || !query.goal.is_finite() {
        return alone();
    }
    let walks = |from, to| map.reach_without(query, [from, to]) == Reach::Yes;
    let stands = |place| map.may_stand(place, &query.by);
    let hops: Vec<Hop> = map.links().hops_from(query.start, query.by.actions, stands, walks);
    if hops.is_empty() || map.reach(query.start, query.goal, &query.by) != Reach::Yes {
        return alone();
    }
    let at = |point| LayerPoint { layer: query.by.layer, point };
    let goal = at(query.goal);
    let ends = LinkedEnds { start: at(query.start), target: goal, goal };
    Ok(LinkedPlan::OverLinks(Box::new(LinkSearch::new(map, query, ends, hops, None))))
}
