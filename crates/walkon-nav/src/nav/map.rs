//! The navigation map: the one place that knows which backend there is.
//!
//! In: questions about points, edits, queries. Out: answers that do not show the backend. Holds: every
//! operation matches once; nodes and costs mean something on their own map only. Not here: requests over many
//! ticks (`requests`).

use glam::Vec3;

use crate::base::cost::Cost;
use crate::base::geom::Bounds;
use crate::base::hash::StateHash;
use crate::base::ids::AreaId;
use crate::base::rng::Rng;
use crate::nav::cells::{self, CellMap};
use crate::nav::graph::{GraphPlan, PointGraph};
use crate::nav::layers::{LayerPoint, Layers, LayersPlan};
use crate::nav::mesh::{self, NavMesh};
use crate::nav::{
    Disc, GroundQuery, Island, Location, MapChange, NavEdit, PathAnswer, PathQuery, PathTrouble, RandomPoint,
    Reach, Revision, Search, SearchLog, SearchRecord, Traversal,
};

/// What characters find their way on. `Default` is a map without ground.
///
/// A `Traversal` whose radius, doors or areas the map does not know costs a pass over the map at every
/// question: see [`NavMap::prepare`].
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

/// The same question to whichever backend there is: every backend has methods of the same names.
macro_rules! on_backend {
    ($nav:expr, $map:ident => $answer:expr) => {
        match $nav {
            Self::Cells($map) => $answer,
            Self::Graph($map) => $answer,
            Self::Layers($map) => $answer,
            Self::Mesh($map) => $answer,
        }
    };
}

/// The paused work on one query, for the backend it was begun on.
#[derive(Clone, Debug)]
pub(crate) enum BackendPlan {
    Cells(Box<cells::CellPlan>),
    Graph(Box<GraphPlan>),
    Layers(Box<LayersPlan>),
    Mesh(Box<mesh::MeshPlan>),
}

impl BackendPlan {
    /// Expansions charged so far, those of its search included.
    pub(crate) fn spent(&self, search: &Search) -> u32 {
        match self {
            Self::Cells(plan) => plan.spent(search),
            Self::Graph(plan) => plan.spent(search),
            Self::Layers(plan) => plan.spent(search),
            Self::Mesh(plan) => plan.spent(search),
        }
    }

    /// What beginning it took, as expansions, beside marking those who stand in the way.
    pub(crate) fn begun_for(&self) -> u32 {
        match self {
            Self::Cells(plan) => plan.begun_for(),
            Self::Graph(_) | Self::Layers(_) | Self::Mesh(_) => 0,
        }
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

impl NavMap {
    /// How often the map has changed.
    #[must_use]
    pub fn revision(&self) -> Revision {
        on_backend!(self, map => map.revision())
    }

    /// The rectangle that holds all of it, world metres.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        on_backend!(self, map => map.bounds())
    }

    /// The middle of the node under a point, whether it can be walked on or not; None off the map.
    #[must_use]
    pub fn node_centre(&self, point: Vec3) -> Option<Vec3> {
        on_backend!(self, map => map.node_centre(point))
    }

    /// Carries out all edits of a tick, in order; None, and no new revision, when that changes nothing. Cost:
    /// the ground they touch, and a pass over the runs of cells for what is connected.
    pub fn apply(&mut self, edits: &[NavEdit]) -> Option<MapChange> {
        on_backend!(self, map => map.apply(edits))
    }

    /// Adds an obstacle of all nodes whose middle lies within a distance of a point, to be put in force by an
    /// edit. It takes the place of one added before that is not `used` any more, else the next id. Cost: the
    /// nodes around the point.
    pub fn add_obstacle(&mut self, used: &[AreaId], centre: Vec3, radius_m: f32) -> AreaId {
        on_backend!(self, map => map.add_obstacle(used, centre, radius_m))
    }

    /// Keeps what a traversal needs up to date from now on, so that questions for it are fast. Call it when a
    /// character appears or changes its radius or doors. Answers are the same without. The twelve last used
    /// are kept.
    pub fn prepare(&mut self, by: &Traversal) {
        on_backend!(self, map => map.prepare(by))
    }

    /// Makes room for what so many kinds of bodies need, beside the twelve last used; see
    /// [`NavMap::prepare`].
    pub fn keep(&mut self, kinds: usize) {
        on_backend!(self, map => map.keep(kinds))
    }

    /// The class of bodies of a radius in metres: the map is the same ground to all of a class.
    #[must_use]
    pub fn body_class(&self, radius_m: f32) -> u64 {
        on_backend!(self, map => map.body_class(radius_m))
    }

    /// Whether questions for a traversal cost no pass over the map; see [`NavMap::prepare`].
    #[must_use]
    pub fn is_prepared(&self, by: &Traversal) -> bool {
        on_backend!(self, map => map.is_prepared(by))
    }

    /// How many nodes the map has, walkable or not.
    #[must_use]
    pub fn node_count(&self) -> u64 {
        on_backend!(self, map => map.node_count())
    }

    /// Sets aside the memory that searches over it need.
    pub fn make_room(&self, search: &mut Search) {
        match self {
            Self::Cells(cells) => cells.make_room(search),
            Self::Graph(graph) => search.make_room(graph.node_count() as usize),
            Self::Layers(layers) => {
                (0..8).filter_map(|layer| layers.layer(layer)).for_each(|cells| cells.make_room(search));
            }
            // Searches over polygons grow with what they look at.
            Self::Mesh(_) => {}
        }
    }

    /// Whether a body may stand at a point.
    #[must_use]
    pub fn is_walkable(&self, point: Vec3, by: &Traversal) -> bool {
        on_backend!(self, map => map.is_walkable(point, by))
    }

    /// The node that holds a point, when a body may stand there.
    #[must_use]
    pub fn locate(&self, point: Vec3, by: &Traversal) -> Option<Location> {
        on_backend!(self, map => map.locate(point, by))
    }

    /// The nearest place for a body within a distance, walls or not: the point itself when legal, else the
    /// centre of the cell whose centre is nearest; ties by (distance, z, x).
    #[must_use]
    pub fn nearest(&self, point: Vec3, within_m: f32, by: &Traversal) -> Option<Location> {
        on_backend!(self, map => map.nearest(point, within_m, by))
    }

    /// Where a body at a point may begin: there when legal, else at the nearest legal cell within eight
    /// metres in a clear line, which crosses no obstacle, no unavailable area and no ground that is none, but
    /// what it stands in.
    #[must_use]
    pub fn start(&self, point: Vec3, by: &Traversal) -> Option<Location> {
        on_backend!(self, map => map.start(point, by))
    }

    /// The cost of walking straight, over every cell touched; None when something is in the way.
    #[must_use]
    pub fn straight(&self, from: Vec3, to: Vec3, by: &Traversal) -> Option<Cost> {
        on_backend!(self, map => map.straight(from, to, by))
    }

    /// Whether the straight line is clear, and the last point up to which it is: `to` or, shortly before what
    /// is in the way, a legal one; `from` when that is not legal.
    #[must_use]
    pub fn sight(&self, from: Vec3, to: Vec3, by: &Traversal) -> (bool, Vec3) {
        on_backend!(self, map => map.sight(from, to, by))
    }

    /// The furthest legal point when a body moves straight on; `from` when that is not legal. For moving,
    /// `by` must not go `through` closed doors.
    #[must_use]
    pub fn slide(&self, from: Vec3, to: Vec3, by: &Traversal) -> Vec3 {
        self.sight(from, to, by).1
    }

    /// Whether a straight line is clear of walls and of those who stand in the way, by the same rule as the
    /// plans that keep out of them: every cell touched, but for the one in which the line begins. For asking
    /// whether a path still holds.
    #[must_use]
    pub fn is_clear_of(&self, from: Vec3, to: Vec3, by: &Traversal, others: &[Disc]) -> bool {
        on_backend!(self, map => map.is_clear_of(from, to, by, others))
    }

    /// The ground under one kind of body, for many questions between two changes of the map. Cost: that of
    /// one question.
    #[must_use]
    pub fn footing(&self, by: &Traversal) -> GroundQuery<'_> {
        on_backend!(self, map => map.footing(by).into())
    }

    /// Whether one point can be reached from another, by labels, without a search.
    #[must_use]
    pub fn reach(&self, from: Vec3, to: Vec3, by: &Traversal) -> Reach {
        on_backend!(self, map => map.reach(from, to, by))
    }

    /// A path, all at once. Cost: the search, at most `query.expansions_max`.
    #[must_use]
    pub fn plan(&self, query: &PathQuery, search: &mut Search) -> PathAnswer {
        match self.begin(query) {
            Err(answer) => *answer,
            Ok(mut plan) => {
                // Bounded by the limit of the query: every step with a full allowance ends.
                loop {
                    if let Some(answer) = self.step(&mut plan, (query, search), u32::MAX) {
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
            // What was looked at on several layers cannot be told apart. A way on one is that of its grid
            // alone.
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
    pub(crate) fn begin(&self, query: &PathQuery) -> Result<BackendPlan, Box<PathAnswer>> {
        match self {
            Self::Cells(cells) => {
                cells::CellPlan::begin(cells, query).map(|plan| BackendPlan::Cells(Box::new(plan)))
            }
            Self::Graph(graph) => {
                GraphPlan::begin(graph, query).map(|plan| BackendPlan::Graph(Box::new(plan)))
            }
            Self::Layers(layers) => {
                LayersPlan::begin(layers, query).map(|plan| BackendPlan::Layers(Box::new(plan)))
            }
            Self::Mesh(mesh) => {
                mesh::MeshPlan::begin(mesh, query).map(|plan| BackendPlan::Mesh(Box::new(plan)))
            }
        }
    }

    /// Goes on with a plan until there is an answer or the allowance is spent.
    pub(crate) fn step(
        &self,
        plan: &mut BackendPlan,
        work: (&PathQuery, &mut Search),
        allowance: u32,
    ) -> Option<PathAnswer> {
        match (self, plan) {
            (Self::Cells(cells), BackendPlan::Cells(plan)) => plan.step(cells, work, allowance),
            (Self::Graph(graph), BackendPlan::Graph(plan)) => plan.step(graph, work, allowance),
            (Self::Layers(layers), BackendPlan::Layers(plan)) => plan.step(layers, work, allowance),
            (Self::Mesh(mesh), BackendPlan::Mesh(plan)) => plan.step(mesh, work, allowance),
            // Begun on a map of another kind, whose place this one took: given up, to be asked again.
            _ => Some(PathAnswer {
                trouble: Some(PathTrouble::Limit),
                revision: self.revision(),
                ..PathAnswer::default()
            }),
        }
    }

    /// A random point, uniform over the disc; after `attempts` misses, the centre of a random cell among
    /// those that qualify; None only when there is none.
    #[must_use]
    pub fn random_point(&self, query: &RandomPoint, rng: &mut Rng) -> Option<Vec3> {
        on_backend!(self, map => map.random_point(query, rng))
    }

    /// Whether the node that holds a point belongs to an area, available or not; false for obstacles.
    #[must_use]
    pub fn holds(&self, area: AreaId, point: Vec3) -> bool {
        on_backend!(self, map => map.holds(area, point))
    }

    /// Appends the areas and obstacles around a point, available or not, by id.
    pub fn areas_at(&self, point: Vec3, out: &mut Vec<AreaId>) {
        on_backend!(self, map => map.areas_at(point, out))
    }

    /// The connected parts of the map for bodies of its own radius, doors as they are, largest first.
    #[must_use]
    pub fn islands(&self) -> Vec<Island> {
        on_backend!(self, map => map.islands())
    }

    /// Cells whose centre an area holds, available or not; 0 for obstacles.
    #[must_use]
    pub fn area_cells(&self, area: AreaId) -> u32 {
        on_backend!(self, map => map.area_cells(area))
    }

    /// The same of the first `count` areas, by id. Cheaper on a mesh than asking for one after the other.
    #[must_use]
    pub fn cells_by_area(&self, count: usize) -> Vec<u32> {
        let mut cells = match self {
            Self::Mesh(mesh) => mesh.cells_by_area(),
            _ => (0..count).map(|area| self.area_cells(AreaId::from(area))).collect(),
        };
        cells.resize(count, 0);
        cells
    }

    /// A cost in metres of plain ground.
    #[must_use]
    pub fn metres(&self, cost: Cost) -> f64 {
        on_backend!(self, map => map.metres(cost))
    }

    /// What a metre costs at least anywhere, metres of plain ground; areas that are not to somebody what they
    /// are to others aside.
    #[must_use]
    pub fn cheapest_factor(&self) -> f32 {
        on_backend!(self, map => map.cheapest_factor())
    }

    /// How large a node is, metres from corner to corner.
    #[must_use]
    pub fn node_m(&self) -> f32 {
        on_backend!(self, map => map.node_m())
    }

    /// Takes the place of another map: one revision on, so that searches under way begin again. What was
    /// changed of the points and links of a graph stays, where the graph was made from the same.
    pub fn succeed(&mut self, before: &Self) {
        if let (Self::Graph(map), Self::Graph(before)) = (&mut *self, before) {
            map.keep_edits(before);
        }
        let revision = before.revision().0 + 1;
        on_backend!(self, map => map.set_revision(revision))
    }

    /// Mixes in the whole state of the map. Cost: constant.
    pub fn hash_into(&self, hash: &mut StateHash) {
        on_backend!(self, map => map.hash_into(hash))
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

    /// Whether a place on a layer can be reached from one on the layer of the traversal, by labels, without a
    /// search.
    #[must_use]
    pub fn reach_on(&self, from: Vec3, to: LayerPoint, by: &Traversal) -> Reach {
        match self {
            Self::Layers(layers) => layers.reach_on(from, to, by),
            Self::Cells(_) | Self::Graph(_) | Self::Mesh(_) => self.reach(from, to.point, by),
        }
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
