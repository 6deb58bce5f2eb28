//! Plans a path over several layers.
//!
//! In: layers, a query, an allowance. Out: an answer, at once or after some slices. Holds: an unreachable
//! goal is decided by labels: the path ends at the nearest place that can be reached on the layer of the
//! goal, else on that of the start. A path without links is the one that its layer alone would give. Not
//! here: ways within a layer (`cells`), the choice of links (`link_search`).

use glam::Vec3;

use crate::base::geom;
use crate::nav::cell::Cell;
use crate::nav::cells;
use crate::nav::layers::Layers;
use crate::nav::layers::map::ReachableSet;
use crate::nav::link_search::{LinkSearch, LinkedEnds, LinkedPlan, Stage};
use crate::nav::links::Hop;
use crate::nav::plan::{Begun, Plan, PlanTask};
use crate::nav::search::Search;
use crate::nav::smooth::Effort;
use crate::nav::{Accept, Backend, LayerPoint, PathAnswer, PathFailure, PathQuery, Reach, Traversal};

/// The paused work on one query.
pub(crate) type LayersPlan = LinkedPlan<Layers>;

impl Layers {
    /// Searches the layer that a walker is on as if there were no links, to record the search. Whether it
    /// looked at anything.
    pub(crate) fn plan_alone(&self, query: &PathQuery, search: &mut Search) -> bool {
        let map = self.of(&query.by);
        let Ok(plan) = cells::CellPlan::begin(map, query) else { return false };
        plan.finish(map, PlanTask { query, search }).expansions > 0
    }
}

impl Stage for Layers {
    type Leg = cells::CellPlan;

    fn begin(&self, query: &PathQuery) -> Begun<LayersPlan> {
        let goal = LayerPoint { layer: query.goal_layer.unwrap_or(query.by.layer), point: query.goal };
        let alone = |trouble| Err(Box::new(PathAnswer::none(trouble, self.revision())));
        let views = self.views(&query.by);
        let Some(view) = views.get(usize::from(query.by.layer)) else {
            return alone(PathFailure::StartOffNav);
        };
        if !query.goal.is_finite() {
            return alone(PathFailure::NoPath);
        }
        let start = match self.of(&query.by).begin_at(view, query.start, &query.by) {
            Ok((start, _)) => start,
            Err(trouble) => return alone(trouble),
        };
        let reachable = self.reachable_over_links(views, &query.by, start);
        let own = LayerPoint { layer: query.by.layer, point: query.start };
        let hops: Vec<Hop> = self
            .hops(query.by.actions)
            .filter(|hop| {
                reachable.holds(self, hop.from, &query.by) && reachable.holds(self, hop.to, &query.by)
            })
            .collect();
        let is_alone = hops.is_empty() && goal.layer == query.by.layer;
        let is_known = is_alone && self.links().is_empty() || reachable.holds(self, goal, &query.by);
        let why = || self.why_not(query.start, goal, &query.by, &Effort::endless());
        let trouble = (!is_known).then(why);
        let own_ground = self.of(&query.by);
        // Of a door in the way to a link its layer knows nothing.
        let is_beyond = || {
            let alone = || own_ground.reach(query.start, query.goal, &query.by);
            matches!(trouble, Some(PathFailure::Area(_))) && alone() == Reach::No(PathFailure::NoPath)
        };
        if is_alone && !is_beyond() {
            let plan = cells::CellPlan::begin(own_ground, query);
            return match plan {
                Ok(plan) => Ok(LinkedPlan::Alone(Box::new(plan))),
                Err(answer) => Err(Box::new(PathAnswer { revision: self.revision(), ..*answer })),
            };
        }
        let mut target = goal;
        if let Some(why) = trouble {
            let near = |layer: u8| nearest(self, &reachable, LayerPoint { layer, ..goal });
            let Some(place) = near(goal.layer).or_else(|| near(query.by.layer)) else { return alone(why) };
            target = place;
            if query.accept == Accept::Exact {
                let revision = self.revision();
                let nearest = Some(target.point);
                return Err(Box::new(PathAnswer { trouble, nearest, revision, ..PathAnswer::default() }));
            }
        }
        let ends = LinkedEnds { start: own, target, goal };
        Ok(LinkedPlan::OverLinks(Box::new(LinkSearch::new(self, query, ends, hops, trouble))))
    }

    fn answer_alone(&self, mut answer: PathAnswer) -> PathAnswer {
        (answer.revision, answer.path.revision) = (self.revision(), self.revision());
        answer
    }

    fn ground(&self, by: &Traversal) -> &cells::CellMap {
        self.of(by)
    }

    /// By layer.
    type LegBounds = Vec<cells::LegBounds>;

    fn leg_bounds(&self, by: &Traversal) -> Vec<cells::LegBounds> {
        self.leg_bounds_by_layer(by)
    }

    fn least_m(&self, bounds: &Vec<cells::LegBounds>, from: LayerPoint, to: LayerPoint) -> f64 {
        let layer = usize::from(from.layer);
        let ground = self.layer(from.layer).zip(bounds.get(layer)).filter(|_| from.layer == to.layer);
        ground.map_or(f64::INFINITY, |(map, bounds)| map.least_m(bounds, from.point, to.point))
    }

    fn leg_m(leg: &cells::CellPlan, _: &PathAnswer) -> f64 {
        leg.cost_m()
    }

    fn standing(&self, at: LayerPoint) -> Vec3 {
        self.layer(at.layer).map_or(at.point, |map| map.floored(at.point))
    }
}

#[cfg(test)]
impl LayersPlan {
    /// What the way found costs from cell to cell, metres.
    pub(crate) fn cost_m(&self) -> f64 {
        match self {
            Self::Alone(plan) => plan.cost_m(),
            Self::OverLinks(plan) => plan.found_m,
        }
    }
}

/// The reachable place of a layer nearest to a point.
fn nearest(layers: &Layers, reachable: &ReachableSet, at: LayerPoint) -> Option<LayerPoint> {
    let map = layers.layer(at.layer)?;
    let cells = reachable.layers[usize::from(at.layer)].nearest(map.to_cells(at.point));
    let rank = |&Cell { x, z }: &Cell| (geom::flat_distance(map.centre(Cell { x, z }), at.point), z, x);
    let cell = cells.min_by(|a, b| {
        let (a, b) = (rank(a), rank(b));
        a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2)))
    })?;
    Some(LayerPoint { point: map.centre(cell), ..at })
}
