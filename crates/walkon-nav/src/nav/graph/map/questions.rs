//! What plans ask about places, and what it takes to answer: the cost of a straight line, where a way begins,
//! why it does not get to its goal.
//!
//! In: places, a traversal. Out: answers; the work is added to an `Effort`. Not here: the ground under a body
//! (`ground_query`), what a link is to a body (`map`).

use glam::Vec3;

use super::*;
use crate::nav::graph::ground_query::GraphGroundQuery;

impl PointGraph {
    /// The cost of walking straight, and what it takes to find it is counted; None when something is in the
    /// way.
    pub(crate) fn straight_at(&self, line: Segment<Vec3>, by: &Traversal, effort: &Effort) -> Option<Cost> {
        let (clear, end) = GraphGroundQuery::new(self, by).sight_at(line, effort);
        clear.then(|| self.cost_of(line, end, by, effort))
    }

    /// The cost of a straight line that is clear and ends at `end`, at the height of the ground.
    pub(crate) fn cost_of(
        &self,
        Segment { from, to }: Segment<Vec3>,
        end: Vec3,
        by: &Traversal,
        effort: &Effort,
    ) -> Cost {
        let places = [from, to, from.midpoint(to)];
        places.into_iter().for_each(|place| effort.add(GraphGroundQuery::under_effort(self, place)));
        let factor = f64::from(self.costliest(from, to, by));
        // The cast saturates.
        Cost((f64::from(from.distance(end)) * 1000.0 * factor).ceil() as u32)
    }

    /// The most expensive factor of the links under the ends of a line: a shortcut is never taken for cheaper
    /// than it is.
    fn costliest(&self, from: Vec3, to: Vec3, by: &Traversal) -> f32 {
        let factor = |point: Vec3| {
            let link = self.spot(point, by).map(|spot| self.passage(spot.link, by));
            if let Some(LinkPassage::Open(factor)) = link { factor } else { 1.0 }
        };
        factor(from).max(factor(to)).max(factor(from.midpoint(to)))
    }

    /// Where a body begins, through closed doors if need be.
    pub(crate) fn start_spot(&self, point: Vec3, by: &Traversal, effort: &Effort) -> Option<LinkSpot> {
        effort.add(GraphGroundQuery::under_effort(self, point));
        self.spot_through(point, by).or_else(|| {
            let usable = |link: u32| self.fits(by) && self.passage(link, by) != LinkPassage::Closed;
            let nearest = self.lookup.nearest(&self.net, point, START_MAX_M, &usable, effort);
            nearest.filter(|spot| self.leads_out(point, spot.point, by))
        })
    }

    /// Whether a straight line to the ground crosses no area that is a wall to a body, but one in which it
    /// begins.
    fn leads_out(&self, from: Vec3, to: Vec3, by: &Traversal) -> bool {
        let walls = self.closed_to(&AreaAccess::of(by), ClosedDoors::AsTheyAre);
        let mut areas = (0..).zip(&self.areas).filter(|(at, _)| walls.has(*at));
        !areas.any(|(_, area)| !area.holds(from) && area.meets([from, to], 0.0))
    }

    /// Why a body at a place does not get to a point; None when it does. Cost: a look-up; where it does not,
    /// a glance at what lies across each link.
    pub(crate) fn trouble(
        &self,
        labels: &[u32],
        start: &LinkSpot,
        to: Vec3,
        by: &Traversal,
        effort: &Effort,
    ) -> Option<PathFailure> {
        effort.add(QUESTION_EFFORT + GraphGroundQuery::under_effort(self, to));
        let label = |spot: &LinkSpot| labels[self.net.links()[spot.link as usize][0] as usize];
        if let Some(goal) = self.spot_through(to, by)
            && label(&goal) == label(start)
        {
            return None;
        }
        effort.add(QUESTION_EFFORT + GLANCE_EFFORT * self.net.links().len() as u64);
        self.first_door(labels, start, to, by)
            .map_or(Some(PathFailure::NoPath), |area| Some(PathFailure::Area(area)))
    }
}
