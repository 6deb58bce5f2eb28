//! The navigation map: dispatches to its backend (grid, layers, mesh or graph).
//!
//! In: questions about points, edits, queries. Out: answers that do not show the backend. Holds: every
//! operation matches once; nodes and costs are valid on their own map only. Not here: requests over many
//! ticks (`requests`).

use std::ops::{Deref, DerefMut};

use glam::Vec3;

use crate::base::geom::{ground, segment_distance_sq};
use crate::nav::cells::{self, CellGroundQuery, CellMap};
use crate::nav::graph::{GraphGroundQuery, PointGraph};
use crate::nav::layers::{Layers, LayersPlan};
use crate::nav::link_search::LinkedPlan;
use crate::nav::links::{LayerLink, Links};
use crate::nav::mesh::{MeshGroundQuery, NavMesh};
use crate::nav::plan::{Begun, Plan, PlanTask};
use crate::nav::{
    Accept, Backend, Crossing, Disc, GroundQuery, PathAnswer, PathFailure, PathQuery, PathStatus, Search,
    SearchLog, SearchRecord, Traversal,
};

/// What characters find their way on. `Default` is a map without ground.
///
/// A `Traversal` whose radius, doors or areas the map does not know costs a pass over the map at every
/// question: see [`Backend::prepare`].
#[derive(Clone, Debug)]
pub enum NavMap {
    /// A uniform grid.
    Cells(CellMap),
    /// Points and links in space.
    Graph(PointGraph),
    /// Uniform grids above one another, joined by links.
    Layers(Layers),
    /// Convex polygons.
    Mesh(NavMesh),
}

/// The paused work on one query, for the backend it was begun on.
#[derive(Clone, Debug)]
pub(crate) enum BackendPlan {
    Cells(Box<cells::CellPlan>),
    Graph(Box<LinkedPlan<PointGraph>>),
    Layers(Box<LayersPlan>),
    Mesh(Box<LinkedPlan<NavMesh>>),
    WayIn(Box<WayInPlan>),
}

/// The work on a query whose goal lies in an area with a direction, once it is known that no way leads there
/// from behind: a way to a place before the area, and from there straight to the goal.
#[derive(Clone, Debug)]
pub(crate) struct WayInPlan {
    to_there: BackendPlan,
    query: PathQuery,
    /// The answer where that fails.
    without: PathAnswer,
}

impl BackendPlan {
    fn begin<P: Plan>(map: &P::Map, query: &PathQuery, of: fn(Box<P>) -> Self) -> Begun<Self> {
        P::begin(map, query).map(|plan| of(Box::new(plan)))
    }

    /// Expansions charged so far, those of its search included.
    pub(crate) fn spent(&self, search: &Search) -> u32 {
        match self {
            Self::Cells(plan) => plan.spent(search),
            Self::Graph(plan) => plan.spent(search),
            Self::Layers(plan) => plan.spent(search),
            Self::Mesh(plan) => plan.spent(search),
            Self::WayIn(plan) => plan.without.expansions.saturating_add(plan.to_there.spent(search)),
        }
    }

    /// What beginning it took, as expansions, without the marking of people in the way.
    pub(crate) fn begun_for(&self) -> u32 {
        match self {
            Self::Cells(plan) => plan.begun_for(),
            Self::Graph(plan) => plan.begun_for(),
            Self::Layers(plan) => plan.begun_for(),
            Self::Mesh(plan) => plan.begun_for(),
            Self::WayIn(plan) => plan.without.expansions.saturating_add(plan.to_there.begun_for()),
        }
    }
}

impl Search {
    /// A search whose memory for a map is there before the first path is asked for; else the first search
    /// over a map makes it, which takes some milliseconds on a large one.
    #[must_use]
    pub fn for_map(map: &NavMap) -> Self {
        let mut search = Self::default();
        map.make_room(&mut search);
        search
    }
}

impl Default for NavMap {
    fn default() -> Self {
        Self::Cells(CellMap::default())
    }
}

impl From<CellMap> for NavMap {
    fn from(cells: CellMap) -> Self {
        Self::Cells(cells)
    }
}

impl From<PointGraph> for NavMap {
    fn from(graph: PointGraph) -> Self {
        Self::Graph(graph)
    }
}

impl From<NavMesh> for NavMap {
    fn from(mesh: NavMesh) -> Self {
        Self::Mesh(mesh)
    }
}

impl From<Layers> for NavMap {
    fn from(layers: Layers) -> Self {
        Self::Layers(layers)
    }
}

/// Everything that a [`Backend`] answers can be asked of the map itself.
impl Deref for NavMap {
    type Target = dyn Backend;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Cells(map) => map,
            Self::Graph(map) => map,
            Self::Layers(map) => map,
            Self::Mesh(map) => map,
        }
    }
}

impl DerefMut for NavMap {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Cells(map) => map,
            Self::Graph(map) => map,
            Self::Layers(map) => map,
            Self::Mesh(map) => map,
        }
    }
}

impl NavMap {
    /// Whether links lead straight up or down from one place to another, all along; never to or from what is
    /// no place. Cost: a look at each half metre.
    #[must_use]
    pub fn can_climb(&self, from: Vec3, to: Vec3, by: &Traversal) -> bool {
        /// Metres between two places that are looked at, and how far off links may be.
        const APART_M: f32 = 0.5;
        const OFF_M: f32 = 0.1;
        let count = (from.distance(to) / APART_M).ceil().clamp(1.0, 1024.0);
        let holds =
            |place: Vec3| self.locate(place, by).is_some_and(|at| (at.point.y - place.y).abs() < OFF_M);
        from.is_finite()
            && to.is_finite()
            && (0..count as u32).all(|at| holds(from.lerp(to, (at as f32 + 0.5) / count)))
    }

    /// The ground under one kind of body, for many questions between two changes of the map. Cost: that of
    /// one question.
    #[must_use]
    pub fn footing(&self, by: &Traversal) -> GroundQuery<'_> {
        match self {
            Self::Cells(map) => CellGroundQuery::new(map, by).into(),
            Self::Graph(map) => GraphGroundQuery::new(map, by).into(),
            Self::Layers(map) => CellGroundQuery::new(map.of(by), by).into(),
            Self::Mesh(map) => MeshGroundQuery::new(map, by).into(),
        }
    }

    /// A path, all at once. Cost: the search, at most `query.expansions_max`.
    #[must_use]
    pub fn plan(&self, query: &PathQuery, search: &mut Search) -> PathAnswer {
        match self.begin(query) {
            Err(answer) => *answer,
            Ok(mut plan) => {
                // Bounded by the limit of the query: every step with a full allowance ends.
                loop {
                    if let Some(answer) = self.step(&mut plan, PlanTask { query, search }, u32::MAX) {
                        return answer;
                    }
                }
            }
        }
    }

    /// A path, and what the search looked at.
    #[must_use]
    pub fn plan_recorded(&self, query: &PathQuery, search: &mut Search) -> (PathAnswer, SearchRecord) {
        let mut watched = Search::default();
        watched.watch(SearchLog::On);
        std::mem::swap(search, &mut watched);
        let answer = self.plan(query, search);
        let mut is_told = answer.expansions > 0;
        if let Self::Layers(layers) = self {
            // A record does not tell layers apart. A way on one layer is that of its grid alone.
            *search = Search::default();
            search.watch(SearchLog::On);
            is_told = answer.path.layers.is_empty() && layers.plan_alone(query, search);
        }
        std::mem::swap(search, &mut watched);
        let mut record = SearchRecord::default();
        if self.mesh().is_some() {
            record = std::mem::take(&mut watched.mesh.record);
        } else if self.graph().is_some() {
            let finder = &watched.graph.finder;
            record.expanded.extend_from_slice(watched.expanded());
            record.frontier.extend(finder.waiting());
            record.raw.extend(watched.graph.found.iter().copied());
        } else if is_told {
            record.expanded.extend_from_slice(watched.expanded());
            watched.frontier(&mut record.frontier);
            watched.nodes(&mut record.raw);
        }
        (answer, record)
    }

    /// The answer, when it needs no search.
    #[must_use]
    pub fn answered(&self, query: &PathQuery) -> Option<Box<PathAnswer>> {
        self.begin(query).err()
    }

    /// The answer, when it needs no search, or the work that is left.
    pub(crate) fn begin(&self, query: &PathQuery) -> Begun<BackendPlan> {
        self.begin_straight(query).or_else(|answer| self.begin_way_in(query, *answer))
    }

    /// Goes on with a plan until there is an answer or the allowance is spent.
    pub(crate) fn step(
        &self,
        plan: &mut BackendPlan,
        task: PlanTask<'_>,
        allowance: u32,
    ) -> Option<PathAnswer> {
        let PlanTask { query, search } = task;
        if let BackendPlan::WayIn(way) = plan {
            let WayInPlan { to_there, query: to, without } = &mut **way;
            let answer = self.step_straight(to_there, PlanTask { query: to, search }, allowance)?;
            let expansions = without.expansions.saturating_add(answer.expansions);
            let whole = self.led_in(query, answer).unwrap_or_else(|| std::mem::take(without));
            return Some(PathAnswer { expansions, ..whole });
        }
        let answer = self.step_straight(plan, PlanTask { query, search }, allowance)?;
        match self.begin_way_in(query, answer) {
            Ok(way) => *plan = way,
            Err(answer) => return Some(*answer),
        }
        None
    }

    /// Goes round to the other side of the area that a goal lies in, where no way was found from this side.
    fn begin_way_in(&self, query: &PathQuery, answer: PathAnswer) -> Begun<BackendPlan> {
        let is_cut_off = matches!(answer.trouble, Some(PathFailure::NoPath | PathFailure::Area(_)));
        let way_in = || self.way_in(query.goal, &self.at_goal(query));
        let Some(goal) = (is_cut_off && query.goal.is_finite()).then(way_in).flatten() else {
            return Err(Box::new(answer));
        };
        let expansions_max = query.expansions_max.saturating_sub(answer.expansions);
        let to = PathQuery { goal, accept: Accept::Exact, expansions_max, ..query.clone() };
        match self.begin_straight(&to) {
            Ok(to_there) => {
                Ok(BackendPlan::WayIn(Box::new(WayInPlan { to_there, query: to, without: answer })))
            }
            Err(there) => {
                let expansions = answer.expansions.saturating_add(there.expansions);
                let whole = self.led_in(query, *there).unwrap_or(answer);
                Err(Box::new(PathAnswer { expansions, ..whole }))
            }
        }
    }

    /// A way to a place before the area that a goal lies in, led on to the goal; None where others stand on
    /// the rest.
    fn led_in(&self, query: &PathQuery, mut answer: PathAnswer) -> Option<PathAnswer> {
        let (by, path) = (self.at_goal(query), &mut answer.path);
        let from = *path.points.last().filter(|_| answer.status == PathStatus::Complete)?;
        let goal = self.locate(query.goal, &by).map_or(query.goal, |at| at.point);
        let is_taken = |disc: &Disc| {
            let reach_m = f64::from(disc.radius_m.max(0.0));
            segment_distance_sq(ground(disc.centre), ground(from), ground(goal)) <= reach_m * reach_m
        };
        if query.others.iter().flat_map(|others| others.iter()).any(is_taken) {
            return None;
        }
        let is_shut = |area| self.holds(area, goal) && self.area_state(area).is_some_and(|state| !state.0);
        let through = by.through.iter().flat_map(|list| list.iter());
        let shut = through.copied().find(|&(area, _)| is_shut(area));
        let (length_m, enter_m) = (from.distance(goal), path.length_m);
        let cost = self.straight(from, goal, &by).map(|cost| self.metres(cost) as f32);
        path.cost_m += cost.unwrap_or_else(|| length_m + shut.map_or(0.0, |(_, toll_m)| toll_m));
        path.length_m += length_m;
        path.points.push(goal);
        let leave_m = path.length_m;
        path.crossings.extend(shut.map(|(area, _)| Crossing { area, enter_m, leave_m }));
        Some(answer)
    }

    /// The walker of a query, where its goal lies.
    fn at_goal(&self, query: &PathQuery) -> Traversal {
        Traversal { layer: query.goal_layer.unwrap_or(query.by.layer), ..query.by.clone() }
    }

    fn begin_straight(&self, query: &PathQuery) -> Begun<BackendPlan> {
        match self {
            Self::Cells(map) => BackendPlan::begin(map, query, BackendPlan::Cells),
            Self::Graph(map) => BackendPlan::begin(map, query, BackendPlan::Graph),
            Self::Layers(map) => BackendPlan::begin(map, query, BackendPlan::Layers),
            Self::Mesh(map) => BackendPlan::begin(map, query, BackendPlan::Mesh),
        }
    }

    fn step_straight(
        &self,
        plan: &mut BackendPlan,
        task: PlanTask<'_>,
        allowance: u32,
    ) -> Option<PathAnswer> {
        match (self, plan) {
            (Self::Cells(map), BackendPlan::Cells(plan)) => plan.step(map, task, allowance),
            (Self::Graph(map), BackendPlan::Graph(plan)) => plan.step(map, task, allowance),
            (Self::Layers(map), BackendPlan::Layers(plan)) => plan.step(map, task, allowance),
            (Self::Mesh(map), BackendPlan::Mesh(plan)) => plan.step(map, task, allowance),
            // Begun on a map of another kind, whose place this one took: given up, to be asked again.
            _ => Some(PathAnswer::none(PathFailure::Limit, self.revision())),
        }
    }

    /// Gives a graph or a mesh links of its own; a grid has them in [`Layers`].
    pub fn set_links(&mut self, links: Links) {
        match self {
            Self::Graph(map) => map.set_links(links),
            Self::Mesh(map) => map.set_links(links),
            Self::Cells(_) | Self::Layers(_) => {}
        }
    }

    /// Links between layers, or those of a graph or a mesh.
    #[must_use]
    pub fn links(&self) -> &[LayerLink] {
        match self {
            Self::Layers(layers) => layers.links(),
            Self::Graph(map) => map.crossings().all(),
            Self::Mesh(map) => map.crossings().all(),
            Self::Cells(_) => &[],
        }
    }

    /// Takes the place of another map: one revision on, so that searches under way begin again. What was
    /// changed of the points and links of a graph stays, where the graph was made from the same.
    pub fn succeed(&mut self, before: &Self) {
        if let (Self::Graph(map), Self::Graph(before)) = (&mut *self, before) {
            map.keep_edits(before);
        }
        let revision = before.revision().0.wrapping_add(1);
        self.set_revision(revision);
    }

    /// The grid, where the map is one; the first of several.
    #[must_use]
    pub fn cells(&self) -> Option<&CellMap> {
        self.layer(0)
    }

    /// The grid of a layer; None where there is no such layer, or the map is no grid.
    #[must_use]
    pub fn layer(&self, layer: u8) -> Option<&CellMap> {
        match self {
            Self::Cells(cells) => Some(cells).filter(|_| layer == 0),
            Self::Layers(layers) => layers.layer(layer),
            Self::Graph(_) | Self::Mesh(_) => None,
        }
    }

    /// What lies on a layer: its grid where there are several, else the whole map.
    #[must_use]
    pub fn on_layer(&self, layer: u8) -> &dyn Backend {
        match self.layers().and_then(|layers| layers.layer(layer)) {
            Some(grid) => grid,
            None => &**self,
        }
    }

    /// How many layers there are, 1 to 8.
    #[must_use]
    pub fn layer_count(&self) -> usize {
        self.layers().map_or(1, Layers::count)
    }

    /// The layers, where there are several.
    #[must_use]
    pub fn layers(&self) -> Option<&Layers> {
        match self {
            Self::Layers(layers) => Some(layers),
            Self::Cells(_) | Self::Graph(_) | Self::Mesh(_) => None,
        }
    }

    /// The ground below a body on a link of a graph that is closed to it further on, as by a door; None where
    /// it stands on open ground, and on none.
    #[must_use]
    pub fn closed_ground(&self, point: Vec3, by: &Traversal) -> Option<Vec3> {
        self.graph()?.closed_ground(point, by)
    }

    /// The points and links, where the map is made of them.
    #[must_use]
    pub fn graph(&self) -> Option<&PointGraph> {
        match self {
            Self::Graph(graph) => Some(graph),
            Self::Cells(_) | Self::Mesh(_) | Self::Layers(_) => None,
        }
    }

    /// The mesh, where the map is one.
    #[must_use]
    pub fn mesh(&self) -> Option<&NavMesh> {
        match self {
            Self::Mesh(mesh) => Some(mesh),
            Self::Cells(_) | Self::Graph(_) | Self::Layers(_) => None,
        }
    }
}
