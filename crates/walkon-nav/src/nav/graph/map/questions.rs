//! What plans ask about places, and what it takes to answer: the cost of a straight line, where a way begins,
//! why it does not get to its goal.
//!
//! In: places, a traversal. Out: answers; the work is added to an `Effort`. Not here: the ground under a body
//! (`ground_query`), what a link is to a body (`map`).

use glam::Vec3;

use super::*;
use crate::nav::graph::footing::Footing;
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

    /// Whether a straight line to the ground crosses no area that is a wall to a body, but one in which it
    /// begins.
    pub(crate) fn leads_out(&self, from: Vec3, to: Vec3, by: &Traversal) -> bool {
        let mut areas = self.walls_of(by).into_iter().map(|area| &self.areas[area.index()]);
        !areas.any(|area| !area.holds(from) && area.meets([from, to], 0.0))
    }

    /// Why a body at a place does not get to a point; None when it does. Cost: a look-up; where it does not,
    /// a glance at what lies across each link.
    pub(crate) fn trouble(
        &self,
        labels: &[u32],
        start: &Footing,
        to: Vec3,
        by: &Traversal,
        effort: &Effort,
    ) -> Option<PathFailure> {
        effort.add(QUESTION_EFFORT + GraphGroundQuery::under_effort(self, to));
        let groups = start.groups(self, labels);
        let goals = self.spots_through(to, by);
        let leads_there = |goal: &LinkSpot| groups.contains(&self.group_of(labels, goal.link));
        if goals.iter().any(leads_there) || start.goal_beside(self, to).is_some() {
            return None;
        }
        effort.add(QUESTION_EFFORT + GLANCE_EFFORT * self.net.links().len() as u64);
        self.first_door(labels, start, to, by)
            .map_or(Some(PathFailure::NoPath), |area| Some(PathFailure::Area(area)))
    }

    /// The first area that is closed, or closed to a body, when only such ones are in the way.
    fn first_door(&self, labels: &[u32], start: &Footing, to: Vec3, by: &Traversal) -> Option<AreaId> {
        let is_closed = |area: AreaId| {
            let at = area.index();
            let is_barred = by.barred().binary_search(&area).is_ok();
            !self.areas[at].is_obstacle && (is_barred || !self.states[at].available)
        };
        let areas: Vec<(AreaId, f32)> = (0..self.states.len())
            .map(AreaId::from)
            .filter(|&area| is_closed(area))
            .map(|area| (area, 0.0))
            .collect();
        if areas.is_empty() {
            return None;
        }
        let opened = Traversal { through: Some(areas.into()), rules: None, ..by.clone() };
        let all = self.labels_opened(&opened);
        let groups = start.groups_opened(self, &all);
        let goals = self.spots_through(to, &opened);
        if !goals.iter().any(|goal| groups.contains(&self.group_of(&all, goal.link))) {
            return None;
        }
        let here = start.groups(self, labels);
        let (passages, now) = (self.passages(&opened), self.passages(by));
        (0..).zip(&self.across.set_of).filter(|(_, set)| **set != 0).find_map(|(link, &set)| {
            let ends: [u32; 2] = self.net.links()[link];
            let is_edge = ends.iter().any(|&end| here.contains(&labels[end as usize]))
                || start.spots.iter().any(|spot| spot.link as usize == link);
            let opens =
                passages[set as usize] != LinkPassage::Closed && now[set as usize] == LinkPassage::Closed;
            let mut areas =
                self.across.sets[set as usize].iter().map(|&area| AreaId::from(usize::from(area)));
            areas.find(|&area| is_edge && opens && is_closed(area))
        })
    }
}
