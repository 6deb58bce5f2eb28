//! Questions of plans about places: the cost of a straight line, where a way begins, why it fails.
//!
//! In: places, a traversal. Out: answers; the work is added to an `Effort`. Not here: the ground under a body
//! (`ground_query`), the links that a body can use (`map`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::Vec3;

use super::*;
use crate::nav::graph::footing::Footing;
use crate::nav::graph::ground_query::GraphGroundQuery;
use crate::nav::graph::link_rows::DEAREST;
use crate::nav::links;

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
        self.first_door(start, to, by).map_or(Some(PathFailure::NoPath), |area| Some(PathFailure::Area(area)))
    }

    /// The first area that is closed, or closed to a body, on the way with the fewest of them, over links of
    /// the map or without; of several such ways on the shortest. None where such areas alone are not in the
    /// way.
    fn first_door(&self, start: &Footing, to: Vec3, by: &Traversal) -> Option<AreaId> {
        let is_shut = |area: AreaId| {
            let at = area.index();
            let is_barred = by.barred().binary_search(&area).is_ok();
            !self.areas[at].is_obstacle && (is_barred || !self.states[at].available)
        };
        let areas: Vec<(AreaId, f32)> = (0..self.states.len())
            .map(AreaId::from)
            .filter(|&area| is_shut(area))
            .map(|area| (area, 0.0))
            .collect();
        if areas.is_empty() {
            return None;
        }
        let opened = Traversal { through: Some(areas.into()), rules: None, ..by.clone() };
        let goals = self.spots_through(to, &opened);
        let all = self.labels_opened(&opened);
        let groups = start.groups_opened(self, &all);
        let is_joined = goals.iter().any(|goal| groups.contains(&self.group_of(&all, goal.link)));
        if !is_joined && self.links.all().is_empty() {
            return None;
        }
        let through = by.through.as_deref().unwrap_or(&[]);
        let is_door =
            |area: AreaId| is_shut(area) && through.binary_search_by_key(&area, |entry| entry.0).is_err();
        self.first_area_between(start, &goals, &opened, &is_door)
    }

    /// The first of the areas that are `doors` on such a way, for a body to which all of them are open.
    fn first_area_between(
        &self,
        start: &Footing,
        goals: &[LinkSpot],
        opened: &Traversal,
        is_door: &dyn Fn(AreaId) -> bool,
    ) -> Option<AreaId> {
        const UNSEEN: u32 = u32::MAX;
        let passages = self.passages(opened);
        let leads = |link: u32| passages[self.across.set_of[link as usize] as usize] != LinkPassage::Closed;
        let doors = |link: u32| {
            let areas = self.across.areas(link as usize).iter();
            areas.map(|&area| AreaId::from(usize::from(area))).filter(|&area| is_door(area))
        };
        let under =
            |place| -> Vec<u32> { self.spots_through(place, opened).iter().map(|spot| spot.link).collect() };
        let hops: Vec<[Vec<u32>; 2]> = links::hops(self.links.all(), opened.actions)
            .map(|hop| [hop.from.point, hop.to.point].map(under))
            .collect();
        let begins = start.links(self);
        // From the goal, so that each link knows the next one on the way.
        let mut next = vec![UNSEEN; self.net.links().len()];
        let goals = goals.iter().map(|goal| Reverse((doors(goal.link).count(), 0_u64, goal.link, goal.link)));
        let mut open: BinaryHeap<_> = goals.collect();
        // Bounded by the links: each is offered once from each of its neighbours.
        while let Some(Reverse((opens, length_mm, link, towards))) = open.pop() {
            if next[link as usize] != UNSEEN {
                continue;
            }
            next[link as usize] = towards;
            if begins.contains(&link) {
                let mut link = link;
                // Bounded by the links: the last one is its own next.
                while next[link as usize] != link && doors(link).next().is_none() {
                    link = next[link as usize];
                }
                return doors(link).next();
            }
            let mut offer = |beyond: u32, more_mm: u32| {
                if next[beyond as usize] == UNSEEN && leads(beyond) {
                    let more = doors(beyond).filter(|area| doors(link).all(|held| held != *area)).count();
                    open.push(Reverse((opens + more, length_mm + u64::from(more_mm), beyond, link)));
                }
            };
            let steps = self.net.links()[link as usize].into_iter().flat_map(|end| self.net.steps(end));
            steps.for_each(|step| offer(step.link, step.cost_mm));
            let hops = hops.iter().filter(|[_, far]| far.contains(&link));
            hops.flat_map(|[near, _]| near).for_each(|&near| offer(near, 0));
        }
        None
    }
}
