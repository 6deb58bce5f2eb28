//! Path queries and their answers.
//!
//! In: a start, a goal, the walker. Out: points to walk along, and whether they lead all the way. Holds: a
//! path begins at the real start; a complete one ends exactly at the goal, a partial one at the reachable
//! point nearest to it; a path never leads through what its traversal may not enter. Not here: following it.

use std::borrow::Cow;
use std::sync::Arc;

use glam::Vec3;

use crate::base::geom::flat_distance;
use crate::base::ids::AreaId;
use crate::nav::{LayerPoint, LinkAction, NodeId, Revision, Traversal};

/// A request for a path.
///
/// ```
/// use walkon_nav::nav::cells::{AreaShape, CellMap, GridSource};
/// use walkon_nav::nav::{NavMap, PathQuery, PathStatus, Search, Traversal};
///
/// let polygon = vec![[0.0, 0.0], [20.0, 0.0], [20.0, 12.0], [0.0, 12.0]];
/// let yard = AreaShape { polygon, available: true, factor: 1.0 };
/// let map = NavMap::from(CellMap::from_grid(&GridSource { areas: vec![yard], ..GridSource::default() })?);
///
/// let by = Traversal { radius_m: 0.3, ..Traversal::default() };
/// let query = PathQuery::new([2.0, 0.0, 6.0], [18.0, 0.0, 6.0], by);
/// let answer = map.plan(&query, &mut Search::default());
/// assert_eq!(answer.status, PathStatus::Complete);
/// assert!((answer.path.length_m - 16.0).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PathQuery {
    /// Where the body stands, world metres; its height is of no meaning on a flat floor.
    pub start: Vec3,
    /// Where it wants to be, world metres; may lie in a wall or beyond the map.
    pub goal: Vec3,
    /// The walker.
    pub by: Traversal,
    /// The layer of the goal; None for the one that `by` walks on. On maps without layers it is of no
    /// meaning.
    pub goal_layer: Option<u8>,
    /// What to do about a goal that cannot be reached.
    pub accept: Accept,
    /// Expansions after which the search gives up with [`PathFailure::Limit`].
    pub expansions_max: u32,
    /// The people in the way; None for nobody. See [`Others`].
    pub others: Option<Arc<[Disc]>>,
}

impl PathQuery {
    /// A path between two places in metres, or to the reachable point nearest to the goal; nobody stands in
    /// the way, and the search may take as long as the map is large.
    #[must_use]
    pub fn new(start: impl Into<Vec3>, goal: impl Into<Vec3>, by: Traversal) -> Self {
        Self {
            start: start.into(),
            goal: goal.into(),
            by,
            goal_layer: None,
            accept: Accept::default(),
            expansions_max: u32::MAX,
            others: None,
        }
    }
}

/// A circle on the ground that a plan keeps out of: a body stands there.
///
/// On cells it blocks every cell whose rectangle it reaches into, and always the one that holds its centre;
/// never the one in which the body that plans begins.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Disc {
    /// Its middle, world metres; the height is of no meaning on a flat floor. Nobody's when it is not finite.
    pub centre: Vec3,
    /// Its radius, metres; below zero, or no number, it counts as zero.
    pub radius_m: f32,
}

/// What to do about a goal that cannot be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Accept {
    /// Go to the reachable point nearest to it: a partial path.
    #[default]
    Nearest,
    /// Do not set out: no path.
    Exact,
}

/// The answer to a [`PathQuery`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PathAnswer {
    /// How far the path leads.
    pub status: PathStatus,
    /// Why it does not lead to the goal; None when it does.
    pub trouble: Option<PathFailure>,
    /// The path; without points when there is none.
    pub path: Path,
    /// The reachable point nearest to a goal that cannot be reached, when a start was found.
    pub nearest: Option<Vec3>,
    /// What the search cost, in the unit of path budgets; 0 when none was needed.
    pub expansions: u32,
    /// Work on lines that no budget was charged for, in the same unit.
    pub granted: u32,
    /// The map it holds for.
    pub revision: Revision,
    /// What the plan made of the people in the way.
    pub others: Others,
    /// The index in [`PathQuery::others`] of the body that stands on the goal (on the nearest reachable
    /// point, when the goal cannot be reached): the path then ends beside it, whatever the query accepts,
    /// because bodies move on. The trouble is [`PathFailure::Occupied`], unless the map itself has a reason.
    pub covered: Option<u32>,
}

/// What a plan made of the people in the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Others {
    /// The path keeps out of their circles, or there is nobody.
    #[default]
    Avoided,
    /// They close the only way; the path is the one without them.
    Ignored,
}

/// How far a path leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathStatus {
    /// To the goal itself.
    Complete,
    /// To the reachable point nearest to the goal.
    Partial,
    /// There is no path; the trouble says why.
    #[default]
    None,
}

/// Why a goal is not reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFailure {
    /// The goal lies in a wall, beyond the map or in another part of it. Not worth asking again on this
    /// revision.
    NoPath,
    /// No legal point within eight metres of the start in a clear line.
    StartOffNav,
    /// Only areas that are not available are in the way, this one first: open it and ask again.
    Area(AreaId),
    /// A narrower body would get there.
    TooWide,
    /// A body stands on the goal: see [`PathAnswer::covered`].
    Occupied,
    /// The search was given up at its limit of expansions, or the map changed under it too often.
    Limit,
}

/// Whether a goal can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It can.
    Yes,
    /// It cannot, for this reason.
    No(PathFailure),
}

/// Points to walk along.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    /// World metres, on the floor: the real start first, n >= 1; empty only when there is no path.
    pub points: Vec<Vec3>,
    /// Length of the line through the points on the ground plane, metres: the rest of a path is measured so.
    pub length_m: f32,
    /// The length in space with each metre times the factor of the ground below, and what opening its doors
    /// adds.
    pub cost_m: f32,
    /// Whether it leads to the goal itself.
    pub whole: bool,
    /// The map it was made for.
    pub revision: Revision,
    /// The unavailable areas it goes through, in order along the path.
    pub crossings: Vec<Crossing>,
    /// Where along it the body changes to another layer or climbs, in order; empty when it walks on one layer
    /// all along. Both ends of each link are points of the path.
    pub layers: Vec<LayerChange>,
}

/// A place on a path from which on it leads over another layer, or up or down what is too steep to walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerChange {
    /// Where the link begins, metres along the path.
    pub at_m: f32,
    /// The layer it leads to.
    pub layer: u8,
    /// The point of the path where the link begins.
    pub from: Vec3,
    /// The point of the path where it ends, on the other layer; the same when it leads straight up or down.
    pub to: Vec3,
    /// How long it is to walk, metres: it adds this to the cost, and it is no shorter than the distance
    /// between its ends.
    pub length_m: f32,
    /// What has to be done to get over it; none for links that are walked.
    pub action: Option<LinkAction>,
}

impl LayerChange {
    /// Whether it is a stretch of a graph too steep to walk, such as a ladder, on which a body is on its way
    /// between the two ends.
    #[must_use]
    pub fn is_climb(&self) -> bool {
        // Links between layers lead from one to another of the same height: layers lie in one plane.
        self.action.is_none() && self.from.y != self.to.y
    }

    /// The place on the straight line between its ends that is nearest to another.
    #[must_use]
    pub fn nearest(&self, place: Vec3) -> Vec3 {
        let along = self.to - self.from;
        let part = (place - self.from).dot(along) / along.length_squared().max(f32::MIN_POSITIVE);
        self.from + along * part.clamp(0.0, 1.0)
    }

    /// The place of a body at `place` that climbs so many metres further: onto the line between the ends
    /// first, then along it.
    #[must_use]
    pub fn climbed(&self, place: Vec3, step_m: f32) -> Vec3 {
        let beside = self.nearest(place);
        let aside_m = place.distance(beside);
        if aside_m > step_m {
            return place.lerp(beside, step_m / aside_m);
        }
        let (left_m, step_m) = (beside.distance(self.to), step_m - aside_m);
        if left_m <= step_m { self.to } else { beside.lerp(self.to, step_m / left_m) }
    }
}

impl Path {
    /// The path along some points, by straight lines on one layer; as for a default path, nothing else is
    /// said of it.
    #[must_use]
    pub fn through(points: Vec<Vec3>) -> Self {
        let length_m = points.windows(2).map(|leg| flat_distance(leg[0], leg[1])).sum();
        Self { points, length_m, ..Self::default() }
    }

    /// Length of the way in space, slopes and steps included, metres.
    #[must_use]
    pub fn length_in_space_m(&self) -> f32 {
        let climb = |pair: &[Vec3]| {
            f64::from(pair[0].distance(pair[1]))
                - f64::from(crate::base::geom::flat_distance(pair[0], pair[1]))
        };
        (f64::from(self.length_m) + self.points.windows(2).map(climb).sum::<f64>()) as f32
    }

    /// The place so many metres along the path, measured on the ground plane; one of its ends beyond them.
    #[must_use]
    pub fn place_at(&self, along_m: f32) -> Vec3 {
        let mut left_m = along_m;
        for pair in self.points.windows(2) {
            let leg_m = flat_distance(pair[0], pair[1]);
            if left_m < leg_m {
                return pair[0].lerp(pair[1], (left_m / leg_m).max(0.0));
            }
            left_m -= leg_m;
        }
        self.points.last().copied().unwrap_or_default()
    }

    /// The index of the point where the next link begins; that of the last point where there is none.
    #[must_use]
    pub fn leg_end(&self) -> usize {
        let last = self.points.len().saturating_sub(1);
        let link = self.layers.first().map(|link| link.from);
        link.and_then(|from| self.points.iter().position(|&point| point == from)).unwrap_or(last)
    }

    /// The path up to the next link, all of it on one layer; for following it, without its doors. Cost: its
    /// points, when there is a link, else none.
    #[must_use]
    pub fn leg(&self) -> Cow<'_, Self> {
        let Some(link) = self.layers.first() else { return Cow::Borrowed(self) };
        let points = self.points[..(self.leg_end() + 1).min(self.points.len())].to_vec();
        Cow::Owned(Self { points, length_m: link.at_m, ..Self::default() })
    }

    /// The path from the far end of the next link on; none where there is no link. Its price is in proportion
    /// to its length.
    #[must_use]
    pub fn beyond_link(&self) -> Option<Self> {
        let link = *self.layers.first()?;
        let mut points = vec![link.to];
        let behind = self.points.iter().skip(self.leg_end() + 1).copied();
        points.extend(behind.skip_while(|&point| point == link.to));
        let gone_m = link.at_m + flat_distance(link.from, link.to);
        let length_m = (self.length_m - gone_m).max(0.0);
        let part = if self.length_m > 0.0 { length_m / self.length_m } else { 0.0 };
        let crossings = self.crossings.iter().filter(|crossing| crossing.leave_m > gone_m);
        let crossings = crossings.map(|crossing| Crossing {
            enter_m: (crossing.enter_m - gone_m).max(0.0),
            leave_m: crossing.leave_m - gone_m,
            ..*crossing
        });
        let later = self.layers.iter().skip(1);
        let layers = later.map(|change| LayerChange { at_m: (change.at_m - gone_m).max(0.0), ..*change });
        Some(Self {
            points,
            length_m,
            cost_m: self.cost_m * part,
            whole: self.whole,
            revision: self.revision,
            crossings: crossings.collect(),
            layers: layers.collect(),
        })
    }
}

/// A stretch of a path through an area that is not available: a closed door to open or wait for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The area.
    pub area: AreaId,
    /// Where the path enters it, metres along the path.
    pub enter_m: f32,
    /// Where the path leaves it, metres along the path.
    pub leave_m: f32,
}

/// What a search looked at, for pictures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchRecord {
    /// Nodes expanded, in order.
    pub expanded: Vec<NodeId>,
    /// Nodes that still waited when the search ended.
    pub frontier: Vec<NodeId>,
    /// The nodes of the way before smoothing.
    pub raw: Vec<NodeId>,
}

/// A request for a random point.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomPoint {
    /// Middle of the disc to draw from; None for the whole map.
    pub centre: Option<Vec3>,
    /// Radius of the disc, metres.
    pub within_m: f32,
    /// Only points of this area.
    pub area: Option<AreaId>,
    /// Only points that can be reached from here.
    pub reachable_from: Option<LayerPoint>,
    /// The body that is to stand there, on the layer to draw from.
    pub by: Traversal,
    /// Points to draw before choosing among the cells that qualify.
    pub attempts: u32,
}

impl RandomPoint {
    /// Points that are drawn unless more or fewer are asked for.
    pub const ATTEMPTS: u32 = 64;

    /// A point anywhere on the layer of a body.
    ///
    /// ```
    /// use walkon_nav::base::rng::Rng;
    /// use walkon_nav::nav::cells::{AreaShape, CellMap, GridSource};
    /// use walkon_nav::nav::{NavMap, RandomPoint, Traversal};
    ///
    /// let polygon = vec![[0.0, 0.0], [20.0, 0.0], [20.0, 12.0], [0.0, 12.0]];
    /// let yard = AreaShape { polygon, available: true, factor: 1.0 };
    /// let source = GridSource { areas: vec![yard], ..GridSource::default() };
    /// let map = NavMap::from(CellMap::from_grid(&source)?);
    ///
    /// let by = Traversal { radius_m: 0.3, ..Traversal::default() };
    /// let query = RandomPoint { within_m: 3.0, ..RandomPoint::anywhere(by) };
    /// let near = RandomPoint { centre: Some([4.0, 0.0, 6.0].into()), ..query };
    /// let point = map.random_point(&near, &mut Rng::stream(7, "spawns"));
    /// assert!(point.is_some_and(|point| point.x < 7.1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn anywhere(by: Traversal) -> Self {
        let (centre, area, reachable_from) = (None, None, None);
        Self { centre, within_m: 0.0, area, reachable_from, by, attempts: Self::ATTEMPTS }
    }
}

/// A connected part of the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Island {
    /// Its cells.
    pub cells: u32,
    /// The rectangle around them, world metres.
    pub bounds: crate::base::geom::Bounds,
    /// The middle of one of them.
    pub sample: Vec3,
}
