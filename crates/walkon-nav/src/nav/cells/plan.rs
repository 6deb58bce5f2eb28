//! Plans a path over cells: where to begin, where to go instead, the search, and smoothing.
//!
//! In: a map, a query, an allowance. Out: an answer, at once or after some slices. Holds: an unreachable goal
//! is decided by labels, without a search; a path begins at the real start and every segment on the map
//! passes the exact test with the cells of the search; slices change nothing but when. A way that crosses a
//! one-way area against its direction is searched again with that area as a wall, which is exact: a body that
//! could use the area the right way on its other side is already there. An overlay blocks the cells of other
//! bodies. A flood from both ends tests before the search whether they cut off the goal, so no search floods
//! a map for a goal that they close in; where they close the only way, the plan is made once more without
//! them. If the goal cannot be reached, the nearest reachable cell is taken: of several the cheapest to
//! reach, then the least id.

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::Vec3;

use crate::base::cost::Cost;
use crate::base::geom::Point;
use crate::base::ids::AreaId;
use crate::base::ordered;
use crate::nav::cell::Cell;
use crate::nav::cells::MapFrame;
use crate::nav::cells::agent_mask::{self, AgentMask};
use crate::nav::cells::bits::Cells;
use crate::nav::cells::fallback_goals::{CellChoice, CellPathEnd, CoveredGoal, PlanGround};
use crate::nav::cells::far_ground::FarWays;
use crate::nav::cells::lattice::Norm;
use crate::nav::cells::map::CellMap;
use crate::nav::cells::smoothing::{CellLine, FoundWay, StraightLines};
use crate::nav::cells::view::{CellView, Reached, distance_sq};
use crate::nav::cells::weighted_ground::WeightedGround;
use crate::nav::hierarchy::SectorRoute;
use crate::nav::plan::{Begun, Plan, PlanTask, Remarks, reach};
use crate::nav::search::Search;
use crate::nav::search_state::{Ends, SearchStep};
use crate::nav::smooth::{Effort, SmoothingBill};
use crate::nav::{Accept, Backend, NodeId, Others, PathAnswer, PathFailure, PathQuery, Reach, Traversal};

/// Expansions of a search before it is asked whether others cut off its goal: more than most that end well
/// need.
const SEARCH_ALONE: u32 = 64;
/// Expansions of a search for each one of the question whether others cut off its goal.
const SEARCH_SHARE: u32 = 4;

/// Nodes of a way that are gone back over for an expansion, and how many are free.
const NODES_PER_EXPANSION: usize = 64;
const NODES_FREE: usize = if cfg!(test) { 8 } else { 1 << 16 };

/// Cells equally near to an unreachable goal that are compared by cost.
const TIES_MAX: usize = 16;

/// The paused work on one query. Goes with the `Search` it was begun with, and with one revision of the map.
#[derive(Clone, Debug)]
pub(crate) struct CellPlan {
    /// The walker, with one-way areas as walls once a way has crossed them the wrong way.
    by: Traversal,
    /// Made for this query alone, when the map was not prepared for it.
    own_view: Option<CellView>,
    tolls: Vec<u32>,
    start: Cell,
    /// Where the start had to be moved to.
    moved: Option<Vec3>,
    /// Cells to search for in turn, cheapest guess first; one, but for ties.
    targets: Vec<Cell>,
    next: usize,
    /// Whether the search for the next target has begun.
    begun: bool,
    best: Option<(Cost, Cell, Vec<NodeId>)>,
    /// The way just found, from its end back, as far as it is known.
    trace: Vec<NodeId>,
    /// The line over the way found, while it is made.
    line: Option<Box<CellLine>>,
    /// None when the goal itself is reached.
    trouble: Option<PathFailure>,
    /// The cells that the bodies in the way leave; None when they leave all of them, or are ignored.
    overlay: Option<Box<AgentMask>>,
    /// Whether the overlay is known not to cut off the target searched for.
    is_sure: bool,
    /// Where else to go under the overlay.
    choice: Option<CellChoice>,
    others: Others,
    /// The place in the list of others of the one that stands on the goal.
    covered: Option<u32>,
    /// What is known of far ways, from the beginning of a search to its end.
    far: Option<FarWays>,
    /// The way by gates, while it is searched for, and when it was found.
    route: Option<Box<SectorRoute>>,
    /// Charged to searches that have ended, and to looking beside goals that are held.
    spent: u32,
    /// What the way found costs from cell to cell, metres of plain ground.
    cost_m: f64,
}

impl CellMap {
    /// Whether one point can be reached from another. Cost: two labels when all is legal, and a search where
    /// the direction of areas decides.
    #[must_use]
    pub(crate) fn reach_by_labels(&self, from: Vec3, to: Vec3, by: &Traversal, effort: &Effort) -> Reach {
        reach::<CellPlan>(self, [from, to], by, effort, &|to, by| {
            let view = self.view(by);
            let trouble = |(start, _)| self.trouble(&view, start, to, by);
            self.begin_at(&view, from, by).map_or_else(Some, trouble).map_or(Reach::Yes, Reach::No)
        })
    }

    /// The cell to begin in, and the point when that is not where the body stands.
    pub(crate) fn begin_at(
        &self,
        view: &CellView,
        point: Vec3,
        by: &Traversal,
    ) -> Result<(Cell, Option<Vec3>), PathFailure> {
        if let Some(cell) = self.cell_of(point).filter(|&Cell { x, z }| view.bits().get(x, z)) {
            return Ok((cell, None));
        }
        if let Some(start) = self.start_in(view, point, by) {
            let width = self.frame().width;
            return Ok((Cell { x: start.node.0 % width, z: start.node.0 / width }, Some(start.point)));
        }
        let narrow = Traversal { radius_m: 0.0, ..by.clone() };
        let fits =
            !view.walkability.class.is_base() && self.start_in(&self.view(&narrow), point, &narrow).is_some();
        Err(if fits { PathFailure::TooWide } else { PathFailure::StartOffNav })
    }

    /// Why a body that begins in a cell does not get to a point; None when it does.
    fn trouble(&self, view: &CellView, start: Cell, to: Vec3, by: &Traversal) -> Option<PathFailure> {
        let Some(goal) = self.cell_of(to) else { return Some(PathFailure::NoPath) };
        let is_reached = |view: &CellView| {
            let reached = view.reached_from(start.x, start.z);
            reached.is_some_and(|reached| view.is_reached(&reached, goal.x, goal.z))
        };
        if is_reached(view) {
            return None;
        }
        let known = |area: AreaId| {
            let list = by.through.as_ref();
            list.is_some_and(|list| list.binary_search_by_key(&area, |entry| entry.0).is_ok())
        };
        let walkability = &view.walkability;
        if let Some(area) = walkability.doors.first_between(&walkability.labels, start, goal, known) {
            return Some(PathFailure::Area(area));
        }
        if !walkability.class.is_base() {
            let narrow = Traversal { radius_m: 0.0, ..by.clone() };
            if is_reached(&self.view(&narrow)) {
                return Some(PathFailure::TooWide);
            }
        }
        Some(PathFailure::NoPath)
    }

    /// The cells nearest to a point of what can be reached, all equally near.
    fn nearest_in(&self, view: &CellView, reached: &Reached, point: Point) -> Vec<Cell> {
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
                let near = x < width && distance_sq(metric, Cell { x, z }, point) <= limit;
                if near && view.is_reached(reached, x, z) {
                    cells.push(Cell { x, z });
                }
            }
            if cells.len() >= TIES_MAX {
                break;
            }
        }
        if cells.is_empty() { vec![first] } else { cells }
    }
}

impl CellPlan {
    fn begin_for(map: &CellMap, query: &PathQuery, by: Traversal, others: Others) -> Begun<Self> {
        let none = |trouble| PathAnswer::none(trouble, map.revision());
        let view = map.view(&by);
        let mut plan = Self::aimed(map, query, &view, by, others).map_err(|why| Box::new(none(why)))?;
        if let (Accept::Exact, Some(trouble)) = (query.accept, plan.trouble) {
            let nearest = plan.targets.first().map(|&cell| plan.stand_in(map, query, cell));
            return Err(Box::new(PathAnswer { nearest, ..none(trouble) }));
        }
        plan.keep_out_of_others(map, query, &view);
        if plan.overlay.is_some() && plan.targets.is_empty() {
            let spent = plan.spent;
            return Self::begin_for(map, query, query.by.clone(), Others::Ignored)
                .map(|again| again.after(spent))
                .map_err(|answer| Box::new(PathAnswer { expansions: answer.expansions + spent, ..*answer }));
        }
        plan.stay_in_start(map);
        if plan.next > 0
            && let Some(answer) = plan.answer(map, query, &view, 0)
        {
            return Err(Box::new(answer));
        }
        if !map.is_prepared(&plan.by) {
            plan.own_view = Some(view);
        }
        Ok(plan)
    }

    /// A plan for the goal, or for the cells nearest to it where it cannot be reached, regardless of bodies
    /// in the way.
    fn aimed(
        map: &CellMap,
        query: &PathQuery,
        view: &CellView,
        by: Traversal,
        others: Others,
    ) -> Result<Self, PathFailure> {
        if !query.goal.is_finite() {
            return Err(PathFailure::NoPath);
        }
        let (start, moved) = map.begin_at(view, query.start, &by)?;
        let trouble = map.trouble(view, start, query.goal, &by);
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
            trace: Vec::new(),
            line: None,
            trouble,
            overlay: None,
            is_sure: true,
            choice: None,
            others,
            covered: None,
            far: None,
            route: None,
            spent: 0,
            cost_m: 0.0,
        };
        if let (None, Some(goal)) = (trouble, map.cell_of(query.goal)) {
            plan.targets.push(goal);
        } else if let Some(reached) = view.reached_from(start.x, start.z) {
            let mut targets = map.nearest_in(view, &reached, map.to_cells(query.goal));
            plan.sort_by_guess(&mut targets, view.guess(map));
            plan.targets = targets;
        }
        Ok(plan)
    }

    /// The same plan where so much was spent before it.
    fn after(self, spent: u32) -> Self {
        Self { spent: self.spent.saturating_add(spent), ..self }
    }

    /// Takes the bodies in the way into account.
    fn keep_out_of_others(&mut self, map: &CellMap, query: &PathQuery, view: &CellView) {
        let Some(discs) = query.others.as_ref().filter(|discs| !discs.is_empty()) else { return };
        if self.others == Others::Ignored || self.targets.contains(&self.start) {
            return;
        }
        let Some(overlay) = AgentMask::new(map.frame(), view.bits(), self.start, discs) else { return };
        let rest = overlay.over(view.bits());
        let free = self.targets.iter().copied().filter(|&Cell { x, z }| rest.is_open(x, z));
        let mut choice = CellChoice::among(free);
        if let (true, Some(&goal)) = (choice.is_empty(), self.targets.first()) {
            let point = if self.trouble.is_none() { query.goal } else { map.centre(goal) };
            self.covered = agent_mask::occupant(map.frame(), discs, goal, point);
            self.trouble = self.trouble.or(Some(PathFailure::Occupied));
            let (radius_m, discs) = (query.by.radius_m, Arc::clone(discs));
            choice = CellChoice::beside(map, CoveredGoal { cell: goal, point, radius_m, discs });
        }
        self.overlay = Some(Box::new(overlay));
        self.choice = Some(choice);
        self.choose(map, view);
    }

    /// Goes for the next cells that would do; none are left when others close the only way.
    fn choose(&mut self, map: &CellMap, view: &CellView) {
        let (Some(choice), Some(overlay)) = (&mut self.choice, &self.overlay) else { return };
        let mut targets = choice.next(map, PlanGround { view, rest: overlay.over(view.bits()) }, self.start);
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
    fn step_target(&mut self, map: &CellMap, view: &CellView, search: &mut Search, left: u32) -> SearchStep {
        if self.route.is_some() {
            return self.step_route(map, view, search, left);
        }
        let Some(overlay) = self.overlay.as_ref().filter(|_| !self.is_sure) else {
            return self.step_search(map, view, search, left);
        };
        let (asked, searched) = (search.sides.spent(), search.spent());
        let due = SEARCH_ALONE.saturating_add(SEARCH_SHARE.saturating_mul(asked));
        if searched < due && search.state() == SearchStep::Running {
            let step = self.step_search(map, view, search, left.min(due - searched));
            let is_last =
                self.next + 1 == self.targets.len() && self.choice.as_ref().is_none_or(CellChoice::is_empty);
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
                    choice.keep(map, PlanGround { view, rest }, start, may_do);
                    self.spent = self.spent.saturating_add(choice.take_price());
                }
            }
        }
        if self.is_sure { SearchStep::Running } else { SearchStep::Exhausted }
    }

    fn sort_by_guess(&self, targets: &mut [Cell], guess: Norm) {
        let away = |cell: Cell| guess.between(self.start, cell);
        ordered::sort_by_key(targets, |&cell| (away(cell), cell.z, cell.x));
    }

    /// Begins again with a one-way area as a wall that the way found crosses the wrong way. When others leave
    /// no way that leads as far without it, the way without them is asked for from the beginning.
    fn begin_barring(&self, map: &CellMap, query: &PathQuery, area: AreaId) -> Begun<Self> {
        let again = Self::begin_for(map, query, self.by.barring(&[area]), self.others);
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

    fn begin_next(&mut self, map: &CellMap, view: &CellView, search: &mut Search) {
        let ends = Ends { start: map.node(self.start), goal: map.node(self.targets[self.next]) };
        self.far = map.far_ways(view);
        let far = self.far.as_ref().map(FarWays::bounds);
        let ground = WeightedGround { far, ..map.ground(view, &self.tolls) };
        let (bits, strategy) = (ground.bits, view.walkability.strategy);
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
            (true, None) => search.begin_jump_over(bits, &ground, strategy, ends),
            (true, Some(overlay)) => search.begin_jump_over(overlay.over(bits), &ground, strategy, ends),
            (false, None) => search.begin_weighted_over(bits, &ground, ends),
            (false, Some(overlay)) => search.begin_weighted_over(overlay.over(bits), &ground, ends),
        }
    }

    /// Goes on by gates. Where they do not lead, what was spent counts, and the search begins again from cell
    /// to cell.
    fn step_route(
        &mut self,
        map: &CellMap,
        view: &CellView,
        search: &mut Search,
        allowance: u32,
    ) -> SearchStep {
        let far = self.far.as_ref().map(FarWays::bounds);
        let ground = WeightedGround { far, ..map.ground(view, &self.tolls) };
        let (step, nodes) = match (&mut self.route, map.sectors_for(view)) {
            (Some(route), Some(sectors)) => (route.step(sectors, &ground, search, allowance), route.nodes()),
            _ => (SearchStep::Exhausted, &[][..]),
        };
        match step {
            SearchStep::Found => search.note_expanded(nodes),
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

    fn step_search(&self, map: &CellMap, view: &CellView, search: &mut Search, allowance: u32) -> SearchStep {
        let far = self.far.as_ref().map(FarWays::bounds);
        let ground = WeightedGround { far, ..map.ground(view, &self.tolls) };
        let bits = ground.bits;
        match (jumps(map, view), &self.overlay) {
            (true, None) => search.step_jump_over(bits, ground.far, allowance),
            (true, Some(overlay)) => search.step_jump_over(overlay.over(bits), ground.far, allowance),
            (false, None) => search.step_weighted_over(bits, &ground, allowance),
            (false, Some(overlay)) => search.step_weighted_over(overlay.over(bits), &ground, allowance),
        }
    }

    /// What the way just found costs.
    fn found_cost(&self, search: &Search) -> Cost {
        self.route.as_ref().map_or(search.cost(), |route| Cost(route.cost()))
    }

    /// Whether the way just found is better than those to targets before.
    fn is_better(&self, search: &Search) -> bool {
        let rank = |cost: Cost, cell: Cell| (cost, cell.z, cell.x);
        let found = rank(self.found_cost(search), self.targets[self.next]);
        self.best.as_ref().is_none_or(|(cost, cell, _)| found < rank(*cost, *cell))
    }

    /// Goes back over the way just found, if it is to be kept; whether all of it is known.
    fn trace_way(&mut self, search: &Search, allowance: u32) -> bool {
        if self.route.is_some() || !self.is_better(search) {
            return true;
        }
        let more = (allowance as usize).saturating_mul(NODES_PER_EXPANSION);
        let most = self.trace.len().max(NODES_FREE).saturating_add(more);
        search.trace(&mut self.trace, most)
    }

    /// What going back over the way just found is charged so far.
    fn traced_for(&self) -> u32 {
        let nodes = self.trace.len().saturating_sub(NODES_FREE);
        u32::try_from(nodes / NODES_PER_EXPANSION).unwrap_or(u32::MAX)
    }

    /// Keeps the cheaper of this target and those before, and goes on to the next that could be cheaper
    /// still.
    fn end_search(&mut self, map: &CellMap, view: &CellView, search: &mut Search, step: SearchStep) {
        debug_assert!(
            step == SearchStep::Found || self.overlay.is_some() && (!self.is_sure || view.is_directed()),
            "cells of one region are joined unless others stand between them"
        );
        if step == SearchStep::Found && self.is_better(search) {
            self.spent = self.spent.saturating_add(self.traced_for());
            let mut nodes = std::mem::take(&mut self.trace);
            match &self.route {
                Some(route) => nodes.extend_from_slice(route.nodes()),
                None => nodes.reverse(),
            }
            self.best = Some((self.found_cost(search), self.targets[self.next], nodes));
        }
        self.spent = self.spent(search);
        self.route = None;
        self.begun = false;
        let floor = map.ground(view, &self.tolls).norm();
        let least = |cell: Cell| floor.between(self.start, cell);
        let best = self.best.as_ref().map_or(Cost::BLOCKED, |(cost, _, _)| *cost);
        self.next += 1;
        if self.covered.is_some() && self.best.is_some() {
            // Beside a body one place is as good as another: where walls and doors are in the way, a search
            // for each of them costs as much as all the rest of a tick.
            self.next = self.targets.len();
        }
        while self.next < self.targets.len() && Cost(least(self.targets[self.next])) > best {
            self.next += 1;
        }
    }

    /// Where a body ends that goes to a cell: its centre, or where it stands when it is there.
    fn stand_in(&self, map: &CellMap, query: &PathQuery, cell: Cell) -> Vec3 {
        if cell == self.start { self.moved.unwrap_or(map.floored(query.start)) } else { map.centre(cell) }
    }

    /// Goes on with the line over the way found; the answer, once it is smooth or the query's limit is
    /// reached.
    fn answer(
        &mut self,
        map: &CellMap,
        query: &PathQuery,
        view: &CellView,
        allowance: u32,
    ) -> Option<PathAnswer> {
        let bill = self.line.as_ref().map_or(SmoothingBill::after(self.spent), |line| line.bill());
        let (ground, effort) = (map.ground(view, &self.tolls), bill.slice(allowance));
        let rest = self.overlay.as_ref().map(|overlay| overlay.over(ground.bits));
        let passage = view.passage.as_deref();
        let lines = StraightLines { map, ground: &ground, rest, passage, effort: &effort };
        let mut line = match (self.line.take(), self.best.take()) {
            (Some(line), _) => line,
            (None, Some((cost, target, nodes))) => {
                self.cost_m = lines.metres(cost);
                let (ends, expansions) = (self.line_ends(map, query, target), self.spent);
                let led_from = self.moved.map(|_| map.floored(query.start));
                Box::new(CellLine::new(&lines, FoundWay { nodes, ends, led_from, expansions }))
            }
            (None, None) => {
                let none = PathAnswer::none(PathFailure::NoPath, map.revision());
                return Some(PathAnswer { expansions: self.spent, ..none });
            }
        };
        let is_smooth = line.step(&lines);
        line.charge(&effort);
        let spent = self.spent.saturating_add(line.bill().charged());
        if !is_smooth && spent < query.expansions_max {
            self.line = Some(line);
            return None;
        }
        self.spent = spent;
        let granted = line.bill().granted();
        let mut path = line.path(&lines);
        if let Some(goal) = self.choice.as_ref().and_then(CellChoice::covered)
            && goal.close_in(map, &self.by, &mut path) == CellPathEnd::Goal
            && self.trouble == Some(PathFailure::Occupied)
        {
            (self.trouble, self.covered) = (None, None);
        }
        (path.whole, path.revision) = (self.trouble.is_none(), map.revision());
        let Self { trouble, others, covered, .. } = *self;
        Some(Remarks { trouble, others, covered, expansions: self.spent, granted }.of(path))
    }

    /// Where the line over a way to a cell begins and ends.
    fn line_ends(&self, map: &CellMap, query: &PathQuery, target: Cell) -> [Vec3; 2] {
        let end = match self.trouble {
            None => map.floored(query.goal),
            Some(_) => self.stand_in(map, query, target),
        };
        [self.moved.unwrap_or(map.floored(query.start)), end]
    }
}

impl Plan for CellPlan {
    type Map = CellMap;

    fn begin(map: &CellMap, query: &PathQuery) -> Begun<Self> {
        Self::begin_for(map, query, query.by.clone(), Others::Avoided)
    }

    fn begun_for(&self) -> u32 {
        self.spent
    }

    fn spent(&self, search: &Search) -> u32 {
        // A search that ended was counted already, and the next one counts from zero.
        let route = self.route.as_ref().map_or(0, |route| route.spent());
        let running = search.spent().saturating_add(search.sides.spent()).saturating_add(route);
        let smoothed = self.line.as_ref().map_or(0, |line| line.bill().charged());
        let under_way = if self.begun { running.saturating_add(self.traced_for()) } else { smoothed };
        self.spent.saturating_add(under_way)
    }

    fn step(&mut self, map: &CellMap, task: PlanTask<'_>, allowance: u32) -> Option<PathAnswer> {
        let PlanTask { query, search } = task;
        let mut view = self.own_view.take().unwrap_or_else(|| map.view(&self.by));
        let stop_at = self.spent(search).saturating_add(allowance);
        // Bounded by the targets and the one-way areas: each round ends a search, bars an area or spends the
        // allowance.
        let answer = loop {
            let spent = self.spent(search);
            let left = stop_at.min(query.expansions_max).saturating_sub(spent);
            if self.next >= self.targets.len() {
                match self.end_targets(map, query, &mut view, SliceAllowance { spent, left }) {
                    ControlFlow::Continue(()) => continue,
                    ControlFlow::Break(answer) => break answer,
                }
            }
            if spent >= query.expansions_max {
                let none = PathAnswer::none(PathFailure::Limit, map.revision());
                break Some(PathAnswer { expansions: spent, ..none });
            }
            if spent >= stop_at {
                break None;
            }
            self.go_on(map, &view, search, left);
        };
        if answer.is_none() && !map.is_prepared(&self.by) {
            self.own_view = Some(view);
        }
        answer
    }
}

/// What a plan has spent, and what is left to it in this slice.
#[derive(Clone, Copy)]
struct SliceAllowance {
    spent: u32,
    left: u32,
}

impl CellPlan {
    /// Goes on with the search for the next target, or with the way back from it.
    #[inline]
    fn go_on(&mut self, map: &CellMap, view: &CellView, search: &mut Search, left: u32) {
        if !self.begun {
            self.begin_next(map, view, search);
        }
        let step = match self.trace.is_empty() {
            true => self.step_target(map, view, search, left),
            false => SearchStep::Found,
        };
        let is_running = step == SearchStep::Running;
        if !is_running && (step == SearchStep::Exhausted || self.trace_way(search, left)) {
            self.end_search(map, view, search, step);
        }
    }

    /// Once no target is left: breaks with the answer, or with none where the allowance is spent; continues
    /// with other targets where others close the way to all, or where it leads through an area the wrong way.
    fn end_targets(
        &mut self,
        map: &CellMap,
        query: &PathQuery,
        view: &mut CellView,
        SliceAllowance { spent, left }: SliceAllowance,
    ) -> ControlFlow<Option<PathAnswer>> {
        if self.best.is_none() && self.line.is_none() && self.overlay.is_some() {
            self.choose(map, view);
            if !self.targets.is_empty() {
                return ControlFlow::Continue(());
            }
            // They close the only way.
            let again = Self::begin_for(map, query, query.by.clone(), Others::Ignored);
            return self.begin_again(map, again, spent, view);
        }
        let Some(answer) = self.answer(map, query, view, left) else { return ControlFlow::Break(None) };
        match map.wrong_way_along(&answer.path.points, &self.by) {
            None => ControlFlow::Break(Some(answer)),
            Some(area) => {
                let again = self.begin_barring(map, query, area);
                self.begin_again(map, again, self.spent, view)
            }
        }
    }

    /// Takes the place of itself, where so much was spent before it.
    fn begin_again(
        &mut self,
        map: &CellMap,
        again: Begun<Self>,
        spent: u32,
        view: &mut CellView,
    ) -> ControlFlow<Option<PathAnswer>> {
        match again {
            Ok(again) => *self = again.after(spent),
            Err(answer) => return ControlFlow::Break(Some(PathAnswer { expansions: spent, ..*answer })),
        }
        *view = self.own_view.take().unwrap_or_else(|| map.view(&self.by));
        ControlFlow::Continue(())
    }
}

/// Whether jump points serve: plain squares, even ground, no doors on the way, no directions.
fn jumps(map: &CellMap, view: &CellView) -> bool {
    let is_plain = view.bits().shape().is_plain() && map.terrain.exits().is_empty();
    view.is_even(map) && view.passage.is_none() && is_plain
}
