//! What plans ask about places, and what it takes to answer: the cost of a straight line, where a way begins,
//! why it does not get to its goal.
//!
//! In: places, a traversal. Out: answers; the work is added to an `Effort`. Not here: the ground under a body
//! (`ground_query`), what a link is to a body (`map`).

use glam::Vec3;

use super::*;
use crate::nav::graph::ground_query::GraphGroundQuery;
use crate::nav::graph::link_rows::DEAREST;

impl PointGraph {
    /// The cost of walking straight, and what it takes to find it is counted; None when something is in the
    /// way.
    pub(crate) fn straight_at(&self, line: Segment<Vec3>, by: &Traversal, effort: &Effort) -> Option<Cost> {
        let (clear, end) = GraphGroundQuery::new(self, by).sight_at(line, effort);
        // The cast saturates.
        let mm = || self.line_mm(Segment { from: line.from, to: end }, by, effort).ceil() as u32;
        clear.then(|| Cost(mm().min(DEAREST)))
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
