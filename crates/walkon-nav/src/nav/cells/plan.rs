//! From a query to a path: where to begin, where to go instead, the search, and the line through what it
//! found.
//!
//! In: a map, a query, an allowance. Out: an answer, at once or after some slices. Holds: an unreachable goal
//! is decided by labels, without a search; a path begins at the real start and every segment on the map
//! passes the exact test with the cells of the search; slices change nothing but when. A way that crosses a
//! one-way area against its direction is searched again with that area as a wall, which is exact: anyone who
//! could use the area the right way on the other side of it is already there. Others in the way are kept out
//! of by an overlay; what they may have cut off is found out from both ends before the search begins, so that
//! no search floods a map for a goal that they close in, and when they close the only way the plan is made
//! once more without them. Among reachable cells equally near to a goal that is not, the cheapest to reach is
//! taken, then the least id.

use std::sync::Arc;

use glam::Vec3;

use crate::base::cost::Cost;
use crate::base::geom::{self, Point};
use crate::base::ids::AreaId;
use crate::nav::cells::agent_mask::{self, AgentMask, Rest};
use crate::nav::cells::bits::Cells;
use crate::nav::cells::fallback_goals::Choice;
use crate::nav::cells::lattice::Norm;
use crate::nav::cells::map::{CellMap, CellView, Reached, distance_sq};
use crate::nav::cells::string_pulling::{Knot, RawPath, Rope, Turn};
use crate::nav::cells::{MapFrame, WeightedGround, line_of_sight};
use crate::nav::hierarchy::SectorRoute;
use crate::nav::search::Search;
use crate::nav::search_state::{Ends, SearchStep};
use crate::nav::smooth::{Lines, smooth};
use crate::nav::{
    Accept, Backend, Crossing, NodeId, Others, PassRules, Path, PathAnswer, PathQuery, PathStatus,
    PathTrouble, Reach, Traversal,
};

/// Expansions of a search before it is asked whether others cut off its goal: more than most that end well
/// need.
const SEARCH_ALONE: u32 = 64;
/// Expansions of a search for each one of the question whether others cut off its goal.
const SEARCH_SHARE: u32 = 4;

/// Cells equally near to an unreachable goal that are compared by cost.
const TIES_MAX: usize = 16;

/// The paused work on one query. Goes with the `Search` it was begun with, and with one revision of the map.
#[derive(Clone, Debug)]
pub(crate) struct CellPlan {
    /// Who walks, with one-way areas as walls once a way has crossed them the wrong way.
    by: Traversal,
    /// Made for this query alone, when the map was not prepared for it.
    own_view: Option<CellView>,
    tolls: Vec<u32>,
    start: (u32, u32),
    /// Where the start had to be moved to.
    moved: Option<Vec3>,
    /// Cells to search for in turn, cheapest guess first; one, but for ties.
    targets: Vec<(u32, u32)>,
    next: usize,
    /// Whether the search for the next target has begun.
    begun: bool,
    best: Option<(Cost, (u32, u32), Vec<NodeId>)>,
    /// None when the goal itself is reached.
    trouble: Option<PathTrouble>,
    /// The cells that those leave who stand in the way; None when they leave them all, or are ignored.
    overlay: Option<Box<AgentMask>>,
    /// Whether the overlay is known not to cut off the target searched for.
    is_sure: bool,
    /// Where else to go under the overlay.
    choice: Option<Choice>,
    others: Others,
    /// Who stands on the goal.
    covered: Option<u32>,
    /// The way by gates, while it is searched for, and when it was found.
    route: Option<Box<SectorRoute>>,
    /// Charged to searches that have ended, and to looking beside goals that are held.
    spent: u32,
    /// What the way found costs from cell to cell, metres of plain ground.
    cost_m: f64,
}

impl CellMap {
    /// Whether one point can be reached from another. Cost: two labels when all is legal.
    #[must_use]
    pub(crate) fn reach_by_labels(&self, from: Vec3, to: Vec3, by: &Traversal) -> Reach {
        if !by.one_way().is_empty() {
            return self.reach_one_way(from, to, by);
        }
        let view = self.view(by);
        match self.begin_at(&view, from, by) {
            Ok((start, _)) => match self.trouble(&view, start, to, by) {
                None => Reach::Yes,
                Some(trouble) => Reach::No(trouble),
            },
            Err(trouble) => Reach::No(trouble),
        }
    }

    /// The same where areas have a direction. Labels decide unless the answer hangs on it; then a search
    /// does.
    fn reach_one_way(&self, from: Vec3, to: Vec3, by: &Traversal) -> Reach {
        let both_ways = PassRules { barred: by.barred().to_vec(), one_way: Vec::new() };
        let both_ways = Traversal { rules: Some(Arc::new(both_ways)), ..by.clone() };
        let wide = self.reach_by_labels(from, to, &both_ways);
        let walled = by.one_way().iter().fold(by.clone(), |by, gate| by.barring(gate.area));
        if wide != Reach::Yes || self.reach_by_labels(from, to, &walled) == Reach::Yes {
            return wide;
        }
        let query = PathQuery {
            start: from,
            goal: to,
            by: by.clone(),
            accept: Accept::Exact,
            goal_layer: None,
            expansions_max: u32::MAX,
            others: None,
        };
        let mut search = Search::default();
        let mut plan = match CellPlan::begin(self, &query) {
            Ok(plan) => plan,
            Err(answer) => return answer.trouble.map_or(Reach::Yes, Reach::No),
        };
        // Bounded by the cells, once for each one-way area.
        loop {
            if let Some(answer) = plan.step(self, (&query, &mut search), u32::MAX) {
                return answer.trouble.map_or(Reach::Yes, Reach::No);
            }
        }
    }

    /// The cell to begin in, and the point when that is not where the body stands.
    pub(crate) fn begin_at(
        &self,
        view: &CellView,
        point: Vec3,
        by: &Traversal,
    ) -> Result<((u32, u32), Option<Vec3>), PathTrouble> {
        if let Some(cell) = self.cell_of(point).filter(|&(x, z)| view.bits().get(x, z)) {
            return Ok((cell, None));
        }
        if let Some(start) = self.start_in(view, point, by) {
            let width = self.frame().width;
            return Ok(((start.node.0 % width, start.node.0 / width), Some(start.point)));
        }
        let narrow = Traversal { radius_m: 0.0, ..by.clone() };
        let fits =
            !view.standing.class.is_base() && self.start_in(&self.view(&narrow), point, &narrow).is_some();
        Err(if fits { PathTrouble::TooWide } else { PathTrouble::StartOffNav })
    }

    /// Why a body that begins in a cell does not get to a point; None when it does.
    fn trouble(&self, view: &CellView, start: (u32, u32), to: Vec3, by: &Traversal) -> Option<PathTrouble> {
        let Some(goal) = self.cell_of(to) else { return Some(PathTrouble::NoPath) };
        let is_reached = |view: &CellView| {
            let reached = view.reached_from(start.0, start.1);
            reached.is_some_and(|reached| view.is_reached(&reached, goal.0, goal.1))
        };
        if is_reached(view) {
            return None;
        }
        let known = |area: AreaId| {
            let list = by.through.as_ref();
            list.is_some_and(|list| list.binary_search_by_key(&area, |entry| entry.0).is_ok())
        };
        let standing = &view.standing;
        if let Some(area) = standing.doors.first_between(&standing.labels, (start, goal), known) {
            return Some(PathTrouble::Area(area));
        }
        if !standing.class.is_base() {
            let narrow = Traversal { radius_m: 0.0, ..by.clone() };
            if is_reached(&self.view(&narrow)) {
                return Some(PathTrouble::TooWide);
            }
        }
        Some(PathTrouble::NoPath)
    }

    /// The cells nearest to a point of what can be reached, all equally near.
    fn nearest_in(&self, view: &CellView, reached: &Reached, point: Point) -> Vec<(u32, u32)> {
        let Some(first) = view.closest_reached(reached, point) else { return Vec::new() };
        let metric = view.bits().shape().metric;
        let least = distance_sq(metric, first, point);
        // Distances that differ by rounding alone are equal.
        let limit = least + 1e-9 * (1.0 + least);
        let radius = limit.sqrt();
        let mut cells = Vec::new();
        let MapFrame { width, depth, .. } = *self.frame();
        let end = |value: f64| value.clamp(0.0, f64::from(depth)) as u32;
        let rows = radius / metric.across().sqrt();
        for z in end(point[1] - rows - 1.0)..end(point[1] + rows + 2.0) {
            let away = f64::from(z) + 0.5 - point[1];
            let half = ((limit - metric.across() * (away * away)).max(0.0) / metric.along()).sqrt();
            let middle = point[0] - metric.lean() * away;
            // The cells around the two ends of the row's chord; one when the circle only touches the row.
            let row = [middle - half, middle + half].map(|x| if x >= 0.0 { x as u32 } else { u32::MAX });
            for &x in &row[usize::from(row[0] == row[1])..] {
                let near = x < width && distance_sq(metric, (x, z), point) <= limit;
                if near && view.is_reached(reached, x, z) {
                    cells.push((x, z));
                }
            }
            if cells.len() >= TIES_MAX {
                break;
            }
        }
        if cells.is_empty() { vec![first] } else { cells }
    }

    fn no_path(&self, trouble: PathTrouble) -> PathAnswer {
        PathAnswer { trouble: Some(trouble), revision: self.revision(), ..PathAnswer::default() }
    }
}

impl CellPlan {
    /// Decides all that needs no search: the answer, or the work that is left.
    pub(crate) fn begin(map: &CellMap, query: &PathQuery) -> Result<Self, Box<PathAnswer>> {
        Self::begin_for(map, query, query.by.clone(), Others::Avoided)
    }

    fn begin_for(
        map: &CellMap,
        query: &PathQuery,
        by: Traversal,
        others: Others,
    ) -> Result<Self, Box<PathAnswer>> {
        let view = map.view(&by);
        if !query.goal.is_finite() {
            return Err(Box::new(map.no_path(PathTrouble::NoPath)));
        }
        let (start, moved) =
            map.begin_at(&view, query.start, &by).map_err(|trouble| Box::new(map.no_path(trouble)))?;
        let trouble = map.trouble(&view, start, query.goal, &by);
        let goal_cell = map.cell_of(query.goal);
        let mut plan = Self {
            tolls: map.tolls(&by, view.unit(map)),
            by,
            own_view: None,
            start,
            moved,
            targets: Vec::new(),
            next: 0,
            begun: false,
            best: None,
            trouble,
            overlay: None,
            is_sure: true,
            choice: None,
            others,
            covered: None,
            route: None,
            spent: 0,
            cost_m: 0.0,
        };
        if let (None, Some(goal)) = (trouble, goal_cell) {
            plan.targets.push(goal);
        } else if let Some(reached) = view.reached_from(start.0, start.1) {
            let mut targets = map.nearest_in(&view, &reached, map.to_cells(query.goal));
            plan.sort_by_guess(&mut targets, view.guess(map));
            plan.targets = targets;
        }
        if let (Accept::Exact, Some(trouble)) = (query.accept, trouble) {
            let nearest = plan.targets.first().map(|&cell| plan.stand_in(map, query, cell));
            return Err(Box::new(PathAnswer { nearest, ..map.no_path(trouble) }));
        }
        plan.keep_out_of_others(map, query, &view);
        if plan.overlay.is_some() && plan.targets.is_empty() {
            let spent = plan.spent;
            return Self::begin_for(map, query, query.by.clone(), Others::Ignored)
                .map(|again| again.after(spent))
                .map_err(|answer| Box::new(PathAnswer { expansions: answer.expansions + spent, ..*answer }));
        }
        plan.stay_in_start(map);
        if plan.next > 0 {
            return Err(Box::new(plan.answer(map, query, &view)));
        }
        if !map.is_prepared(&plan.by) {
            plan.own_view = Some(view);
        }
        Ok(plan)
    }

    /// The same plan where so much was spent before it.
    fn after(self, spent: u32) -> Self {
        Self { spent: self.spent.saturating_add(spent), ..self }
    }

    /// What beginning it took, beside marking those who stand in the way.
    pub(crate) fn begun_for(&self) -> u32 {
        self.spent
    }

    /// Takes those who stand in the way into account.
    fn keep_out_of_others(&mut self, map: &CellMap, query: &PathQuery, view: &CellView) {
        let discs = query.others.as_deref().unwrap_or(&[]);
        if discs.is_empty() || self.others == Others::Ignored || self.targets.contains(&self.start) {
            return;
        }
        let Some(overlay) = AgentMask::new(map.frame(), view.bits(), self.start, discs) else { return };
        let rest = overlay.over(view.bits());
        let free = self.targets.iter().copied().filter(|&(x, z)| rest.is_open(x, z));
        let mut choice = Choice::among(free);
        if let (true, Some(&goal)) = (choice.is_empty(), self.targets.first()) {
            let point = if self.trouble.is_none() { query.goal } else { map.centre(goal) };
            self.covered = agent_mask::occupant(map.frame(), discs, goal, point);
            self.trouble = self.trouble.or(Some(PathTrouble::Occupied));
            choice = Choice::beside(goal, map.to_cells(point));
        }
        self.overlay = Some(Box::new(overlay));
        self.choice = Some(choice);
        self.choose(map, view);
    }

    /// Goes for the next cells that would do; none are left when others close the only way.
    fn choose(&mut self, map: &CellMap, view: &CellView) {
        let (Some(choice), Some(overlay)) = (&mut self.choice, &self.overlay) else { return };
        let mut targets = choice.next(map, (view, overlay.over(view.bits())), self.start);
        self.spent = self.spent.saturating_add(choice.take_price());
        self.sort_by_guess(&mut targets, view.guess(map));
        (self.targets, self.next) = (targets, 0);
        self.stay_in_start(map);
    }

    /// Nothing is left to search for when it begins in a cell that does.
    fn stay_in_start(&mut self, map: &CellMap) {
        if self.targets.contains(&self.start) {
            self.best = Some((Cost::ZERO, self.start, vec![map.node(self.start)]));
            self.next = self.targets.len();
        }
    }

    /// Goes on with the search for a target. So that it does not flood the map for one that others cut off,
    /// it takes turns with asking from both ends whether they do.
    fn step_target(
        &mut self,
        map: &CellMap,
        (view, search): (&CellView, &mut Search),
        left: u32,
    ) -> SearchStep {
        if self.route.is_some() {
            return self.step_route(map, (view, search), left);
        }
        let Some(overlay) = self.overlay.as_ref().filter(|_| !self.is_sure) else {
            return self.step_search(map, (view, search), left);
        };
        let (asked, searched) = (search.sides.spent(), search.spent());
        let due = SEARCH_ALONE.saturating_add(SEARCH_SHARE.saturating_mul(asked));
        if searched < due && search.state() == SearchStep::Running {
            let step = self.step_search(map, (view, search), left.min(due - searched));
            let is_last =
                self.next + 1 == self.targets.len() && self.choice.as_ref().is_none_or(Choice::is_empty);
            // What else was cut off is of interest only while there is something else.
            return if step == SearchStep::Exhausted && !is_last { SearchStep::Running } else { step };
        }
        let rest = overlay.over(view.bits());
        if asked == 0 {
            let ends = Ends { start: map.node(self.start), goal: map.node(self.targets[self.next]) };
            search.sides.begin(rest, ends);
        }
        search.sides.take_turn(rest);
        match search.sides.state() {
            SearchStep::Running => return SearchStep::Running,
            SearchStep::Found => self.is_sure = true,
            SearchStep::Exhausted => {
                let (sides, start) = (&search.sides, self.start);
                let may_do = |cell| match sides.is_closed(0) {
                    true => sides.has_met(rest, cell, 0),
                    false => !sides.has_met(rest, cell, 1),
                };
                let later = self.targets.split_off(self.next + 1);
                self.targets.extend(later.into_iter().filter(|cell| may_do(*cell)));
                if let Some(choice) = &mut self.choice {
                    choice.keep(map, (view, rest), start, may_do);
                    self.spent = self.spent.saturating_add(choice.take_price());
                }
            }
        }
        if self.is_sure { SearchStep::Running } else { SearchStep::Exhausted }
    }

    fn sort_by_guess(&self, targets: &mut [(u32, u32)], guess: Norm) {
        let away = |cell: (u32, u32)| guess.between(self.start, cell);
        targets.sort_by_key(|&cell| (away(cell), cell.1, cell.0));
    }

    /// Begins again with a one-way area as a wall that the way found crosses the wrong way. When others leave
    /// no way that leads as far without it, the way without them is asked for from the beginning.
    fn begin_barring(&self, map: &CellMap, query: &PathQuery, area: AreaId) -> Result<Self, Box<PathAnswer>> {
        let again = Self::begin_for(map, query, self.by.barring(area), self.others);
        let (others, trouble) = match &again {
            Ok(plan) => (plan.others, plan.trouble),
            Err(answer) => (answer.others, answer.trouble),
        };
        if self.overlay.is_none() || others == self.others && trouble == self.trouble {
            return again;
        }
        Self::begin_for(map, query, query.by.clone(), Others::Ignored)
    }

    /// What the way found costs from cell to cell, before it is smoothed, metres of plain ground; 0 until
    /// there is one.
    pub(crate) fn cost_m(&self) -> f64 {
        self.cost_m
    }

    /// Charged so far.
    pub(crate) fn spent(&self, search: &Search) -> u32 {
        // A search that ended was counted already, and the next one counts from zero.
        let route = self.route.as_ref().map_or(0, |route| route.spent());
        let running = search.spent().saturating_add(search.sides.spent()).saturating_add(route);
        self.spent.saturating_add(if self.begun { running } else { 0 })
    }

    /// Goes on until there is an answer or the allowance is spent.
    pub(crate) fn step(
        &mut self,
        map: &CellMap,
        (query, search): (&PathQuery, &mut Search),
        allowance: u32,
    ) -> Option<PathAnswer> {
        let mut view = self.own_view.take().unwrap_or_else(|| map.view(&self.by));
        let stop_at = self.spent(search).saturating_add(allowance);
        // Bounded by the targets and the one-way areas: each round ends a search, bars an area or spends the
        // allowance.
        let answer = loop {
            let spent = self.spent(search);
            if self.next >= self.targets.len() {
                if self.best.is_none() && self.overlay.is_some() {
                    self.choose(map, &view);
                    if !self.targets.is_empty() {
                        continue;
                    }
                    // They close the only way.
                    match Self::begin_for(map, query, query.by.clone(), Others::Ignored) {
                        Ok(again) => *self = again.after(spent),
                        Err(answer) => break Some(PathAnswer { expansions: spent, ..*answer }),
                    }
                    view = self.own_view.take().unwrap_or_else(|| map.view(&self.by));
                    continue;
                }
                let answer = self.answer(map, query, &view);
                let Some(area) = map.wrong_way_along(&answer.path.points, &self.by) else {
                    break Some(answer);
                };
                match self.begin_barring(map, query, area) {
                    Ok(again) => *self = again.after(spent),
                    Err(answer) => break Some(PathAnswer { expansions: spent, ..*answer }),
                }
                view = self.own_view.take().unwrap_or_else(|| map.view(&self.by));
                continue;
            }
            if spent >= query.expansions_max {
                break Some(PathAnswer { expansions: spent, ..map.no_path(PathTrouble::Limit) });
            }
            if spent >= stop_at {
                break None;
            }
            let left = stop_at.min(query.expansions_max) - spent;
            if !self.begun {
                self.begin_next(map, &view, search);
            }
            let step = self.step_target(map, (&view, search), left);
            if step != SearchStep::Running {
                self.end_search(map, (&view, search), step);
            }
        };
        if answer.is_none() && !map.is_prepared(&self.by) {
            self.own_view = Some(view);
        }
        answer
    }

    fn begin_next(&mut self, map: &CellMap, view: &CellView, search: &mut Search) {
        let ends = Ends { start: map.node(self.start), goal: map.node(self.targets[self.next]) };
        let ground = map.ground_to_search(view, &self.tolls);
        let (bits, unit, pace) = (ground.bits, ground.unit, view.standing.pace);
        search.sides.forget();
        let may_divide = |overlay: &AgentMask| overlay.may_divide() || view.is_directed();
        self.is_sure = self.overlay.as_deref().is_none_or(|overlay| !may_divide(overlay));
        self.begun = true;
        if let (Some(sectors), None) = (map.sectors_for(view), &self.overlay) {
            let route = SectorRoute::begin(sectors, &ground, [self.start, self.targets[self.next]], search);
            self.route = route.map(Box::new);
            if self.route.is_some() {
                return;
            }
        }
        match (jumps(map, view), &self.overlay) {
            (true, None) => search.begin_jump_over(bits, unit, pace, ends),
            (true, Some(overlay)) => search.begin_jump_over(overlay.over(bits), unit, pace, ends),
            (false, None) => search.begin_weighted_over(bits, &ground, ends),
            (false, Some(overlay)) => search.begin_weighted_over(overlay.over(bits), &ground, ends),
        }
    }

    /// Goes on by gates. Where they do not lead, what was spent counts, and the search begins again from cell
    /// to cell.
    fn step_route(
        &mut self,
        map: &CellMap,
        (view, search): (&CellView, &mut Search),
        allowance: u32,
    ) -> SearchStep {
        let ground = map.ground_to_search(view, &self.tolls);
        let (Some(route), Some(sectors)) = (&mut self.route, map.sectors_for(view)) else {
            return SearchStep::Exhausted;
        };
        let step = route.step((sectors, &ground), search, allowance);
        match step {
            SearchStep::Found => search.note_expanded(route.nodes()),
            SearchStep::Running => {}
            SearchStep::Exhausted => {
                self.spent = self.spent(search);
                self.route = None;
                let ends = Ends { start: map.node(self.start), goal: map.node(self.targets[self.next]) };
                search.begin_weighted_over(ground.bits, &ground, ends);
                return SearchStep::Running;
            }
        }
        step
    }

    fn step_search(
        &self,
        map: &CellMap,
        (view, search): (&CellView, &mut Search),
        allowance: u32,
    ) -> SearchStep {
        let ground = map.ground_to_search(view, &self.tolls);
        let bits = ground.bits;
        match (jumps(map, view), &self.overlay) {
            (true, None) => search.step_jump_over(bits, allowance),
            (true, Some(overlay)) => search.step_jump_over(overlay.over(bits), allowance),
            (false, None) => search.step_weighted_over(bits, &ground, allowance),
            (false, Some(overlay)) => search.step_weighted_over(overlay.over(bits), &ground, allowance),
        }
    }

    /// Keeps the cheaper of this target and those before, and goes on to the next that could be cheaper
    /// still.
    fn end_search(&mut self, map: &CellMap, (view, search): (&CellView, &mut Search), step: SearchStep) {
        let target = self.targets[self.next];
        let rank = |cost: Cost, cell: (u32, u32)| (cost, cell.1, cell.0);
        let best = self.best.as_ref().map(|(cost, cell, _)| rank(*cost, *cell));
        debug_assert!(
            step == SearchStep::Found || self.overlay.is_some() && (!self.is_sure || view.is_directed()),
            "cells of one region are joined unless others stand between them"
        );
        let cost = self.route.as_ref().map_or(search.cost(), |route| Cost(route.cost()));
        if step == SearchStep::Found && best.is_none_or(|best| rank(cost, target) < best) {
            let mut nodes = Vec::new();
            match &self.route {
                Some(route) => nodes.extend_from_slice(route.nodes()),
                None => search.nodes(&mut nodes),
            }
            self.best = Some((cost, target, nodes));
        }
        self.spent = self.spent(search);
        self.route = None;
        self.begun = false;
        let floor = map.ground(view, &self.tolls).norm();
        let least = |cell: (u32, u32)| floor.between(self.start, cell);
        let best = self.best.as_ref().map_or(Cost::BLOCKED, |(cost, _, _)| *cost);
        self.next += 1;
        if self.covered.is_some() && self.best.is_some() {
            // Beside somebody one place is as good as another: where walls and doors are in the way, a search
            // for each of them costs as much as all the rest of a tick.
            self.next = self.targets.len();
        }
        while self.next < self.targets.len() && Cost(least(self.targets[self.next])) > best {
            self.next += 1;
        }
    }

    /// Where a body ends that goes to a cell: its centre, or where it stands when it is there.
    fn stand_in(&self, map: &CellMap, query: &PathQuery, cell: (u32, u32)) -> Vec3 {
        if cell == self.start { self.moved.unwrap_or(map.floored(query.start)) } else { map.centre(cell) }
    }

    fn answer(&mut self, map: &CellMap, query: &PathQuery, view: &CellView) -> PathAnswer {
        let Some((cost, target, nodes)) = self.best.take() else {
            return PathAnswer { expansions: self.spent, ..map.no_path(PathTrouble::NoPath) };
        };
        let whole = self.trouble.is_none();
        let end = if whole { map.floored(query.goal) } else { self.stand_in(map, query, target) };
        let ground = map.ground(view, &self.tolls);
        let rest = self.overlay.as_ref().map(|overlay| overlay.over(ground.bits));
        let line = StraightLines { map, ground: &ground, rest };
        self.cost_m = line.metres(cost);
        let real_start = map.floored(query.start);
        let mut points = line.through(&nodes, self.moved.unwrap_or(real_start), end);
        if self.moved.is_some() {
            points.insert(0, real_start);
        }
        let mut path = Path { points, whole, revision: map.revision(), ..Path::default() };
        line.measure(&mut path);
        if let Some(passage) = &view.passage {
            path.crossings = crossings(map, &path.points, |x, z| passage.doors.area_at(x, z));
        }
        PathAnswer {
            status: if whole { PathStatus::Complete } else { PathStatus::Partial },
            trouble: self.trouble,
            path,
            nearest: (!whole).then_some(end),
            expansions: self.spent,
            revision: map.revision(),
            others: self.others,
            covered: self.covered,
        }
    }
}

/// Whether jump points serve: plain squares, even ground, no doors on the way, no directions.
fn jumps(map: &CellMap, view: &CellView) -> bool {
    let is_plain = view.bits().shape().is_plain() && map.terrain.exits().is_empty();
    view.is_even(map) && view.passage.is_none() && is_plain
}

/// Straight lines on a map.
struct StraightLines<'a> {
    map: &'a CellMap,
    ground: &'a WeightedGround<'a>,
    /// Without the cells on which others stand.
    rest: Option<Rest<'a>>,
}

impl StraightLines<'_> {
    /// The smoothed way from `start` through the nodes to `end`.
    fn through(&self, nodes: &[NodeId], start: Vec3, end: Vec3) -> Vec<Vec3> {
        if start == end {
            return vec![start];
        }
        let is_uneven = !self.ground.factor.is_empty() || self.ground.extra.is_some();
        let is_plain = !is_uneven && self.is_clear(self.map.to_cells(start), self.map.to_cells(end));
        if nodes.len() <= 1 || is_plain {
            return vec![start, end];
        }
        let clear_at = |from: Point, to: Point| self.is_clear(from, to);
        let knot = |place: Vec3| Knot { place, at: self.map.to_cells(place) };
        let middle = |cell: (u32, u32)| knot(self.map.centre(cell));
        let bits = self.ground.bits;
        let place = |at: usize| self.place(nodes, [start, end], at);
        let way = RawPath { place: &place, turns: self.turns(nodes, &place) };
        let line = match (is_uneven, self.rest) {
            (false, None) => Rope::new(bits, &clear_at, &middle).pull(&way),
            (false, Some(rest)) => Rope::new(rest, &clear_at, &middle).pull(&way),
            (true, None) => self.over_prices(&Rope::new(bits, &clear_at, &middle), &way),
            (true, Some(rest)) => self.over_prices(&Rope::new(rest, &clear_at, &middle), &way),
        };
        let mut points: Vec<Vec3> = line.into_iter().map(|knot| knot.place).collect();
        points.dedup();
        points
    }

    /// Whether a body can walk straight between two points, in cells, past those who stand in the way.
    fn is_clear(&self, from: Point, to: Point) -> bool {
        let is_clear = match self.rest {
            None => line_of_sight::clear(self.ground.bits, from, to),
            Some(rest) => line_of_sight::clear_over(rest, from, to),
        };
        is_clear && self.map.terrain.exits().is_clear(from, to)
    }

    /// A place of a way from `start` through the nodes to `end`, by its number.
    fn place(&self, nodes: &[NodeId], [start, end]: [Vec3; 2], at: usize) -> Knot {
        let width = self.map.frame().width;
        let place = match at {
            0 => start,
            _ if at > nodes.len() => end,
            _ => self.map.centre((nodes[at - 1].0 % width, nodes[at - 1].0 / width)),
        };
        Knot { place, at: self.map.to_cells(place) }
    }

    /// Where a way through nodes turns, its ends included.
    fn turns(&self, nodes: &[NodeId], place: &impl Fn(usize) -> Knot) -> Vec<Turn> {
        let is_plain = self.ground.bits.shape().is_plain();
        let mut turns: Vec<Turn> = Vec::with_capacity(64);
        let mut add = |index: usize| {
            let knot = place(index);
            let walked = turns.last().filter(|_| is_plain).map_or(0.0, |before| {
                let [dx, dz] = [0, 1].map(|axis| (knot.at[axis] - before.knot.at[axis]).abs());
                before.walked + dx.max(dz) + (core::f64::consts::SQRT_2 - 1.0) * dx.min(dz)
            });
            turns.push(Turn { index, knot, walked });
        };
        // The start comes before the first cell.
        add(0);
        add(1);
        let mut step = nodes[1].0.wrapping_sub(nodes[0].0);
        for (at, pair) in nodes.windows(2).enumerate() {
            let next = pair[1].0.wrapping_sub(pair[0].0);
            if next != step {
                add(at + 1);
                step = next;
            }
        }
        add(nodes.len());
        add(nodes.len() + 1);
        turns
    }

    /// The line over ground of several prices, or past doors: no more expensive than the way.
    fn over_prices(&self, rope: &Rope<impl Cells>, way: &RawPath) -> Vec<Knot> {
        let corners: Vec<Knot> = way.turns.iter().map(|turn| turn.knot).collect();
        let start = corners[0].place;
        let price = |line: &[Knot]| -> u64 {
            line.windows(2).map(|pair| self.price(pair[0].place, pair[1].place, start)).sum()
        };
        if self.ground.factor.is_empty() {
            // Only doors cost anything beside the length.
            let line = rope.pull(way);
            if price(&line) <= price(&corners) {
                return line;
            }
        }
        let mut points: Vec<Vec3> = corners.iter().map(|knot| knot.place).collect();
        points.dedup();
        let clear = |from: Vec3, to: Vec3| self.is_clear(self.map.to_cells(from), self.map.to_cells(to));
        let cost = |from: Vec3, to: Vec3| self.price(from, to, start);
        let knot = |place: Vec3| Knot { place, at: self.map.to_cells(place) };
        let lines = Lines { clear: &clear, cost: Some(&cost) };
        // The one leaves out turns of the way, the other looks at every cell of it: neither is always the
        // cheaper.
        let pulled = [smooth(&points, &lines), smooth(&self.furthest_over_prices(way, &lines), &lines)];
        let [turns, furthest] = pulled.map(|points| {
            let mut line: Vec<Knot> = points.into_iter().map(knot).collect();
            rope.tighten_where(&mut line, |three, corners| {
                let around: Vec<Knot> =
                    [three[0]].into_iter().chain(corners.iter().copied()).chain([three[2]]).collect();
                price(&around) <= price(&three)
            });
            line
        });
        if price(&furthest) < price(&turns) { furthest } else { turns }
    }

    /// From each place of the way the furthest one in line of sight to which a straight line costs no more
    /// than the way between.
    fn furthest_over_prices(&self, way: &RawPath, lines: &Lines) -> Vec<Vec3> {
        /// So many places ahead are looked at, so that the cost grows with the length of the way and no
        /// faster.
        const AHEAD: usize = 64;
        let last = way.turns.last().map_or(0, |turn| turn.index);
        let places: Vec<Vec3> = (0..=last).map(|index| (way.place)(index).place).collect();
        let mut spent = vec![0];
        for pair in places.windows(2) {
            spent.push(spent[spent.len() - 1] + lines.price(pair[0], pair[1]));
        }
        let (mut points, mut at) = (vec![places[0]], 0);
        while at < last {
            let is_cheap =
                |&to: &usize| lines.shortcut(places[at], places[to], spent[to] - spent[at]).is_some();
            at = (at + 2..=last.min(at + AHEAD)).rev().find(is_cheap).unwrap_or(at + 1);
            points.push(places[at]);
        }
        points.dedup();
        points
    }

    /// What a straight line costs; only `start` may have been moved from where nobody can walk, all other
    /// lines are clear.
    fn price(&self, from: Vec3, to: Vec3, start: Vec3) -> u64 {
        let known = if from == start { None } else { self.cost_of_clear(from, to) };
        u64::from(known.unwrap_or_else(|| self.cost(from, to)).0)
    }

    /// What a straight line costs; the length where it is not clear, from a start that had to be moved.
    fn cost(&self, from: Vec3, to: Vec3) -> Cost {
        let (start, end) = (self.map.to_cells(from), self.map.to_cells(to));
        line_of_sight::cost(self.ground, start, end).unwrap_or_else(|| {
            let metric = self.ground.bits.shape().metric;
            let length = libm::sqrt(metric.length_sq(end[0] - start[0], end[1] - start[1]));
            Cost((length * f64::from(self.ground.unit.straight)) as u32)
        })
    }

    /// The same of a line known to be clear.
    fn cost_of_clear(&self, from: Vec3, to: Vec3) -> Option<Cost> {
        line_of_sight::cost_of_clear(self.ground, self.map.to_cells(from), self.map.to_cells(to))
    }

    /// A cost in metres of plain ground.
    fn metres(&self, cost: Cost) -> f64 {
        f64::from(cost.0) / f64::from(self.ground.unit.straight) * self.map.frame().cell_size_m
    }

    /// Fills in length and cost.
    fn measure(&self, path: &mut Path) {
        let segments = path.points.windows(2);
        let length_m: f64 = segments
            .clone()
            .map(|pair| {
                geom::segment_distance_sq(geom::ground(pair[0]), geom::ground(pair[1]), geom::ground(pair[1]))
            })
            .map(f64::sqrt)
            .fold(0.0, std::ops::Add::add);
        let even = self.ground.factor.is_empty() && self.ground.extra.is_none();
        let cost_m = match even {
            true => length_m,
            false => {
                segments.map(|pair| self.metres(self.cost(pair[0], pair[1]))).fold(0.0, std::ops::Add::add)
            }
        };
        (path.length_m, path.cost_m) = (length_m as f32, cost_m as f32);
    }
}

/// The closed areas that a path goes through, joined where one follows on itself.
fn crossings(map: &CellMap, points: &[Vec3], area_at: impl Fn(u32, u32) -> Option<u32>) -> Vec<Crossing> {
    let shape = map.frame().tiling.shape();
    let mut found: Vec<Crossing> = Vec::new();
    let mut start_m = 0.0;
    for pair in points.windows(2) {
        let length_m = f64::from(geom::flat_distance(pair[0], pair[1]));
        for touch in line_of_sight::touched(shape, map.to_cells(pair[0]), map.to_cells(pair[1])) {
            let cell = u32::try_from(touch.x).ok().zip(u32::try_from(touch.z).ok());
            let Some(area) = cell.and_then(|(x, z)| area_at(x, z)).map(AreaId) else { continue };
            let [enter_m, leave_m] =
                [touch.enter, touch.leave].map(|part| (start_m + part * length_m) as f32);
            let cell_m = map.frame().cell_size_m as f32;
            match found.last_mut() {
                // Within a cell of where it was left: the line only grazed what lies beside the door.
                Some(last) if last.area == area && enter_m <= last.leave_m + cell_m => last.leave_m = leave_m,
                _ => found.push(Crossing { area, enter_m, leave_m }),
            }
        }
        start_m += length_m;
    }
    found
}
