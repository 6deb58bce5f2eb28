//! The interface of every kind of navigation map, and its rules.
//!
//! In: questions about points, edits. Out: answers that do not show what the map is made of. Holds: a new
//! kind of map is this trait, its ground query and its plan; nodes and costs are valid on their own map only.
//! Not here: paths (`plan` of each kind), which of the kinds a level has (`map`).

use glam::Vec3;

use crate::base::cost::Cost;
use crate::base::geom::{Bounds, flat_distance, ground};
use crate::base::hash::StateHash;
use crate::base::ids::AreaId;
use crate::base::rng::Rng;
use crate::nav::LayerPoint;
use crate::nav::edits::clamp_factor;
use crate::nav::{
    Disc, Island, Location, Look, MapChange, NavEdit, OwnArea, Path, RandomPoint, Reach, Revision, Search,
    Traversal,
};

/// The disc of an obstacle that is added: None around what is no place.
pub(crate) fn obstacle_disc(centre: Vec3, radius_m: f32) -> Option<Disc> {
    /// A circle without any width would lie on every line through its middle, metres.
    const RADIUS_MIN_M: f32 = 1e-3;
    /// Beyond every map, metres.
    const RADIUS_MAX_M: f32 = 1e7;
    let is_narrow = radius_m.is_nan() || radius_m < RADIUS_MIN_M;
    let radius_m = if is_narrow { RADIUS_MIN_M } else { radius_m.min(RADIUS_MAX_M) };
    centre.is_finite().then_some(Disc { centre, radius_m })
}

/// A kind of navigation map: cells, points and links, layers, a mesh. [`NavMap`](crate::nav::NavMap) holds
/// one and lends it, so that everything here can be asked of a `NavMap`.
pub trait Backend {
    /// How often the map has changed.
    #[must_use]
    fn revision(&self) -> Revision;

    /// Counts on from another map, whose place this one takes.
    fn set_revision(&mut self, revision: u64);

    /// The rectangle that holds all of it, world metres.
    #[must_use]
    fn bounds(&self) -> Bounds;

    /// The middle of the node under a point, whether it can be walked on or not; None off the map.
    #[must_use]
    fn node_centre(&self, point: Vec3) -> Option<Vec3>;

    /// Carries out all edits of a tick, in order; None, and no new revision, when that changes nothing. Cost:
    /// the ground they touch, and a pass over the runs of cells for what is connected.
    fn apply(&mut self, edits: &[NavEdit]) -> Option<MapChange>;

    /// Adds an obstacle of all nodes whose middle lies within a distance of a point, to be put in force by an
    /// edit. It takes the place of one added before that is not `used` any more, else the next id. Ids are
    /// those of all layers; on a layer that is not there, and around what is no place, it holds nothing. A
    /// radius below a millimetre, or of no number, counts as a millimetre. Cost: the nodes around the point.
    fn add_obstacle(&mut self, used: &[AreaId], centre: LayerPoint, radius_m: f32) -> AreaId;

    /// Keeps what a traversal needs up to date from now on, so that questions for it are fast. Call it when a
    /// character appears or changes its radius or doors. Answers are the same without, but everything that is
    /// asked for a radius, a set of doors or areas of one's own not prepared costs a pass over the map. The
    /// twelve last used are kept; areas of one's own are to be prepared again after every change of the map.
    /// On cells the first call also measures how far it is to a few places, which makes all later searches
    /// there several times faster: 10 ms for 40,000 cells and 16 bytes for each that is walkable, where cells
    /// have several factors 40 ms and 32 bytes for each of the map. It does not on small maps, nor on those
    /// above half a million cells, nor where ways are hardly longer than the distance. Ways cost the same
    /// without; which of several is found may differ.
    fn prepare(&mut self, by: &Traversal);

    /// The same for questions of what can be reached, where areas may have a direction. What it took, in
    /// expansions of a search.
    fn prepare_reach(&mut self, by: &Traversal) -> u64 {
        self.prepare_walled(by)
    }

    /// The part of [`Backend::prepare_reach`] that all kinds share: areas with a direction as walls.
    fn prepare_walled(&mut self, by: &Traversal) -> u64 {
        let walled = by.walled();
        let prepare = |by: &Traversal| {
            let price = if self.is_prepared(by) { 0 } else { self.preparing_price() };
            self.prepare(by);
            price
        };
        walled.iter().chain([by]).map(prepare).sum()
    }

    /// Goes on with work that makes later searches faster and can wait, for so many expansions of a search at
    /// most; what it took. On cells that all cost the same, what [`Backend::prepare`] measures is measured
    /// again once ground has opened; on others, sectors are made again where costs changed, a few a call
    /// whatever is allowed.
    fn precompute_idle(&mut self, _allowance: u32) -> u32 {
        0
    }

    /// What edits left to be made in calls of [`Backend::precompute_idle`]: sectors of cells, each by its
    /// layer and number, in order. While there is any, paths are searched for from cell to cell.
    #[must_use]
    fn unmade(&self) -> Vec<(u8, u32)> {
        Vec::new()
    }

    /// Leaves just these to be made, as a map that was saved had them; the others are made at once. What the
    /// map does not have is passed over.
    fn restore_unmade(&mut self, _unmade: &[(u8, u32)]) {}

    /// Makes room for what so many kinds of bodies need, beside the twelve last used; see
    /// [`Backend::prepare`].
    fn keep_body_classes(&mut self, kinds: usize);

    /// The class of bodies of a radius in metres: the map is the same ground to all of a class.
    #[must_use]
    fn body_class(&self, radius_m: f32) -> u64;

    /// Whether questions for a traversal cost no pass over the map; see [`Backend::prepare`].
    #[must_use]
    fn is_prepared(&self, by: &Traversal) -> bool;

    /// How many nodes the map has, walkable or not.
    #[must_use]
    fn node_count(&self) -> u64;

    /// What an expansion of a search takes beside one over squares, at least 1.
    #[must_use]
    fn expansion_price(&self) -> u64 {
        1
    }

    /// Sets aside the memory that searches over it need; none where that grows with what they look at.
    fn make_room(&self, _search: &mut Search) {}

    /// Whether a body may stand at a point.
    #[must_use]
    fn is_walkable(&self, point: Vec3, by: &Traversal) -> bool;

    /// The node that holds a point, when a body may stand there.
    #[must_use]
    fn locate(&self, point: Vec3, by: &Traversal) -> Option<Location>;

    /// The nearest place for a body within a distance, walls or not: the point itself when legal, else the
    /// centre of the cell whose centre is nearest; ties by (distance, z, x).
    #[must_use]
    fn nearest(&self, point: Vec3, within_m: f32, by: &Traversal) -> Option<Location>;

    /// Where a body at a point may begin: there when legal, else at the nearest legal cell within eight
    /// metres in a clear line, which crosses no obstacle, no unavailable area and no missing ground, except
    /// where it stands.
    #[must_use]
    fn start(&self, point: Vec3, by: &Traversal) -> Option<Location>;

    /// The cost of walking straight, over every cell touched; None when something is in the way.
    #[must_use]
    fn straight(&self, from: Vec3, to: Vec3, by: &Traversal) -> Option<Cost>;

    /// For a goal in an area with a direction, before its middle: a place before the area, from which one
    /// walks there straight. A body that comes from behind the area has to go round to there.
    #[must_use]
    fn way_in(&self, goal: Vec3, by: &Traversal) -> Option<Vec3> {
        /// Looks along the way out of the area, and from there on as far as a body is kept off by it.
        const LOOKS_MAX: u8 = 128;
        let gate = by.one_way().iter().find(|gate| gate.is_before(goal) && self.holds(gate.area, goal))?;
        let step_m = self.node_m() / 4.0;
        let away_m = (1..=LOOKS_MAX).map(|look| step_m * f32::from(look));
        let out_m = away_m.into_iter().find(|&away_m| !self.holds(gate.area, gate.before(goal, away_m)))?;
        let beyond_m = [2.0, 1.0, 0.0].map(|part| part * (by.radius_m + self.node_m()));
        let places = beyond_m.map(|beyond_m| gate.before(goal, out_m + beyond_m));
        places.into_iter().find(|&place| self.straight(place, goal, by).is_some())
    }

    /// Whether the straight line is clear, and the last point up to which it is: `to` or, shortly before what
    /// is in the way, a legal one; `from` when that is not legal.
    #[must_use]
    fn sight(&self, from: Vec3, to: Vec3, by: &Traversal) -> (bool, Vec3);

    /// The same, and what it took, in expansions of a search.
    #[must_use]
    fn sight_counted(&self, from: Vec3, to: Vec3, by: &Traversal) -> ((bool, Vec3), u64) {
        /// Nodes that a line crosses in the time of an expansion.
        const NODES: f32 = 8.0;
        let seen = self.sight(from, to, by);
        // The cast saturates.
        (seen, (flat_distance(from, seen.1) / (NODES * self.node_m())) as u64)
    }

    /// [`Backend::nearest`], and what it took, in expansions of a search.
    #[must_use]
    fn nearest_counted(&self, point: Vec3, within_m: f32, by: &Traversal) -> (Option<Location>, u64) {
        (self.nearest(point, within_m, by), 0)
    }

    /// Whether a place can be seen from another: see [`sight`](crate::nav::sight). Cost: the areas and
    /// obstacles beside the line, or the cells below it.
    #[must_use]
    fn sees(&self, look: &Look<'_>) -> bool;

    /// The last place up to which a look is clear. Cost: some fifteen looks.
    #[must_use]
    fn seen_to(&self, look: &Look<'_>) -> Vec3 {
        look.end(|nearer| self.sees(nearer))
    }

    /// The furthest legal point when a body moves straight on; `from` when that is not legal. For moving,
    /// `by` must not go `through` closed doors.
    #[must_use]
    fn slide(&self, from: Vec3, to: Vec3, by: &Traversal) -> Vec3 {
        self.sight(from, to, by).1
    }

    /// Whether a straight line is clear of walls and of people in the way, by the same rule as the plans that
    /// keep out of them: every cell touched, but for the one in which the line begins. For asking whether a
    /// path still holds.
    #[must_use]
    fn is_clear_of(&self, from: Vec3, to: Vec3, by: &Traversal, others: &[Disc]) -> bool;

    /// Whether one point can be reached from another, by labels, without a search.
    #[must_use]
    fn reach(&self, from: Vec3, to: Vec3, by: &Traversal) -> Reach;

    /// The same, and what it took, in expansions of a search.
    #[must_use]
    fn reach_counted(&self, from: Vec3, to: Vec3, by: &Traversal) -> (Reach, u64) {
        (self.reach(from, to, by), 0)
    }

    /// The same for a place on a layer, from one on the layer of the traversal.
    #[must_use]
    fn reach_on(&self, from: Vec3, to: LayerPoint, by: &Traversal) -> Reach {
        self.reach(from, to.point, by)
    }

    /// The same, and what it took, in expansions of a search.
    #[must_use]
    fn reach_on_counted(&self, from: Vec3, to: LayerPoint, by: &Traversal) -> (Reach, u64) {
        self.reach_counted(from, to.point, by)
    }

    /// A random point, uniform over the disc; after `attempts` misses, the centre of a random cell among
    /// those that qualify; None only when there is none.
    #[must_use]
    fn random_point(&self, query: &RandomPoint, rng: &mut Rng) -> Option<Vec3> {
        self.random_point_counted(query, rng).0
    }

    /// The same, and what it took, in expansions of a search.
    #[must_use]
    fn random_point_counted(&self, query: &RandomPoint, rng: &mut Rng) -> (Option<Vec3>, u64);

    /// Whether the node that holds a point belongs to an area, available or not; false for obstacles.
    #[must_use]
    fn holds(&self, area: AreaId, point: Vec3) -> bool;

    /// Appends the areas and obstacles around a point, available or not, by id.
    fn areas_at(&self, point: Vec3, out: &mut Vec<AreaId>);

    /// The connected parts of the map for bodies of its own radius, doors as they are, largest first, then by
    /// first node.
    #[must_use]
    fn islands(&self) -> Vec<Island>;

    /// Whether an area or obstacle is there, and what a metre in it costs; None for an unknown id.
    #[must_use]
    fn area_state(&self, area: AreaId) -> Option<(bool, f32)>;

    /// Cells whose centre an area holds, available or not; 0 for obstacles and unknown ids.
    #[must_use]
    fn area_cells(&self, area: AreaId) -> u32;

    /// The same of the first `count` areas, by id. Cheaper on a mesh than asking for one after the other.
    #[must_use]
    fn cells_by_area(&self, count: usize) -> Vec<u32> {
        (0..count).map(|area| self.area_cells(AreaId::from(area))).collect()
    }

    /// A cost in metres of plain ground.
    #[must_use]
    fn metres(&self, cost: Cost) -> f64;

    /// Length of a path in space, metres: slopes, steps and climbs included. Cost: on sloping meshes that of
    /// its lines, else of its points.
    #[must_use]
    fn length_in_space_m(&self, path: &Path) -> f32 {
        path.length_in_space_m()
    }

    /// How far a body of a radius in metres is kept off the edge of ground that a closed door leaves,
    /// metres; 0 where it may come up to it.
    #[must_use]
    fn kept_off_m(&self, _radius_m: f32) -> f32 {
        0.0
    }

    /// The least that a metre costs anywhere, metres of plain ground; areas that an asker treats in its own
    /// way are left aside.
    #[must_use]
    fn cheapest_factor(&self) -> f32;

    /// The same for an asker that treats these areas in its own way.
    #[must_use]
    fn cheapest_factor_for(&self, own: Option<&[OwnArea]>) -> f32 {
        let own = own.unwrap_or_default().iter().filter_map(|(_, factor)| factor.map(clamp_factor));
        own.fold(self.cheapest_factor(), f32::min)
    }

    /// How large a node is, metres from corner to corner.
    #[must_use]
    fn node_m(&self) -> f32;

    /// What it takes to lead a plan of a body around some people, beside its search, in expansions. A few
    /// cost next to nothing, a thousand as much as a search: each plan takes them into account by itself.
    #[must_use]
    fn detour_price(&self, others: &[Disc], _by: &Traversal) -> u32 {
        /// Nodes that are marked as taken in the time of an expansion.
        const NODES: f32 = 8.0;
        let (bounds, all) = (self.bounds(), self.node_count() as f32);
        let nodes = |disc: &Disc| {
            let square = Bounds::of(&[ground(disc.centre)]).grown(f64::from(disc.radius_m));
            // What is not finite meets nothing.
            let meets = disc.centre.is_finite() && square.overlaps(&bounds);
            if meets { (2.0 * disc.radius_m / self.node_m() + 1.0).powi(2).min(all) } else { 0.0 }
        };
        (others.iter().map(nodes).sum::<f32>() / NODES) as u32
    }

    /// What making it ready for a body, or for doors, that are new to it takes, in expansions over squares.
    #[must_use]
    fn preparing_price(&self) -> u64 {
        /// Nodes that are looked at for one.
        const NODES: u64 = 32;
        self.node_count() / NODES
    }

    /// Mixes in the whole state of the map. Cost: constant.
    fn hash_into(&self, hash: &mut StateHash);
}
