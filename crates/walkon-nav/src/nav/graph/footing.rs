//! The links and points under a body, and the first step of its way from there.
//!
//! In: a place, a traversal. Out: the links that hold the place, and the points that the body gets to from
//! it. Holds: a place belongs to every open link that holds it; a body on a closed link, or at a point
//! without links, leaves it along links alone, up to the area that closes them; a body beside all links, or
//! within a closed area, begins at the nearest place in a clear line. Not here: where a way leads (`plan`).

use glam::Vec3;

use crate::base::ids::AreaId;
use crate::base::ordered;
use crate::nav::Traversal;
use crate::nav::graph::GraphGroundQuery;
use crate::nav::graph::dijkstra::Tip;
use crate::nav::graph::link_rows::link_mm;
use crate::nav::graph::lookup::{LinkSpot, is_below, spot, spot_in_space};
use crate::nav::graph::map::{LinkPassage, PointGraph};
use crate::nav::smooth::Effort;

/// How far off the ground a body may be from it to begin a walk, metres.
pub(crate) const START_MAX_M: f32 = 8.0;
/// How far short of what closes its link a body stops, metres.
const SHORT_M: f32 = 0.01;
/// Halvings of a link that find where it is closed: to less than a millimetre on a kilometre.
const HALVINGS: u8 = 24;
/// The effort of finding how far a closed link is free.
const FREE_EFFORT: u64 = 2048;
/// The effort of a glance at a point.
const POINT_EFFORT: u64 = 1;

/// Where a body stands.
#[derive(Clone, Debug)]
pub(crate) struct Footing {
    /// Where its way begins, on the ground.
    pub(crate) place: Vec3,
    /// The links that it stands on, the one right below it first; none at a point without links.
    pub(crate) spots: Vec<LinkSpot>,
    /// What it stands on.
    pub(crate) kind: FootingKind,
}

/// What a body stands on.
#[derive(Clone, Debug)]
pub(crate) enum FootingKind {
    /// Links that it can walk.
    Open,
    /// Links that are closed further on.
    Closed {
        /// The points that it gets to along them.
        tips: Vec<Tip>,
        /// The stretches of them that it can walk.
        free: Vec<FreeStretch>,
    },
    /// A point without links.
    Point(u32),
}

/// What can be walked of a link that is closed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeStretch {
    link: u32,
    /// Where it begins and ends on the link, 0 to 1.
    parts: [f32; 2],
}

impl Footing {
    /// The groups of connected points that the body gets to.
    pub(crate) fn groups(&self, map: &PointGraph, labels: &[u32]) -> Vec<u32> {
        let points: Vec<u32> = match &self.kind {
            FootingKind::Open => self.ends(map),
            FootingKind::Closed { tips, .. } => tips.iter().map(|tip| tip.0).collect(),
            FootingKind::Point(at) => vec![*at],
        };
        groups_of(&points, labels)
    }

    /// The groups that it would get to if its links were open.
    pub(crate) fn groups_opened(&self, map: &PointGraph, labels: &[u32]) -> Vec<u32> {
        match self.kind {
            FootingKind::Point(at) => groups_of(&[at], labels),
            FootingKind::Open | FootingKind::Closed { .. } => groups_of(&self.ends(map), labels),
        }
    }

    /// The links on which its way may begin, open or closed.
    pub(crate) fn links(&self, map: &PointGraph) -> Vec<u32> {
        let at = |point: u32| map.net().steps(point).iter().map(|step| step.link);
        let own = self.spots.iter().map(|spot| spot.link);
        match &self.kind {
            FootingKind::Open => own.collect(),
            FootingKind::Closed { tips, .. } => own.chain(tips.iter().flat_map(|tip| at(tip.0))).collect(),
            FootingKind::Point(point) => at(*point).collect(),
        }
    }

    fn ends(&self, map: &PointGraph) -> Vec<u32> {
        self.spots.iter().map(|spot| map.net().links()[spot.link as usize][0]).collect()
    }

    /// Whether it can walk the links that it stands on.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.kind, FootingKind::Open)
    }

    /// A goal at the height of the ground, where the body gets there without a point of the graph although
    /// its own links are closed to it.
    pub(crate) fn goal_beside(&self, map: &PointGraph, goal: Vec3) -> Option<Vec3> {
        let is_here = |under: Vec3| is_below(under, goal, map.width_m());
        let under = match &self.kind {
            FootingKind::Open => None,
            FootingKind::Point(at) => Some(map.net().points()[*at as usize]).filter(|at| is_here(*at)),
            FootingKind::Closed { free, .. } => free.iter().find_map(|stretch| {
                let under = spot(map.net(), stretch.link, goal);
                let [low, high] = stretch.parts;
                (is_here(under.point) && low <= under.part && under.part <= high).then_some(under.point)
            }),
        };
        under.map(|under| Vec3::new(goal.x, under.y, goal.z))
    }

    /// The place nearest to a goal that the body gets to without a point of the graph, where its own links
    /// are closed to it.
    pub(crate) fn nearest_beside(&self, map: &PointGraph, goal: Vec3) -> Option<Vec3> {
        let FootingKind::Closed { free, .. } = &self.kind else {
            return (!self.is_open()).then_some(self.place);
        };
        let place = |stretch: &FreeStretch| {
            let [a, b] = map.net().places(stretch.link);
            let [low, high] = stretch.parts;
            a.lerp(b, spot_in_space(map.net(), stretch.link, goal).part.clamp(low, high))
        };
        let places = free.iter().map(place).chain([self.place]);
        places.min_by(|a, b| a.distance(goal).total_cmp(&b.distance(goal)))
    }
}

/// The groups of some points, each once.
fn groups_of(points: &[u32], labels: &[u32]) -> Vec<u32> {
    let mut groups: Vec<u32> = points.iter().map(|&at| labels[at as usize]).collect();
    ordered::sort_by(&mut groups, Ord::cmp);
    groups.dedup();
    groups
}

impl PointGraph {
    /// Where a body stands; None where it stands on no ground, and there is none near.
    pub(crate) fn footing(&self, point: Vec3, by: &Traversal, effort: &Effort) -> Option<Footing> {
        self.footing_within(point, [by, by], effort)
    }

    /// The same for a body that goes no way against the one-way areas of `gates` either.
    pub(crate) fn footing_within(
        &self,
        point: Vec3,
        [by, gates]: [&Traversal; 2],
        effort: &Effort,
    ) -> Option<Footing> {
        effort.add(GraphGroundQuery::under_effort(self, point));
        if !self.fits(by) {
            return None;
        }
        let spots = self.spots_through(point, by);
        if let Some(first) = spots.first() {
            return Some(Footing { place: first.above(point), spots, kind: FootingKind::Open });
        }
        let walls = Walls { map: self, by: [by, gates], areas: self.walls_of(by) };
        // What an area with a direction closes alone goes before what else is closed there.
        let mut held = self.spots_through(point, gates);
        if held.is_empty() {
            held = self.lookup().holding(self.net(), point, self.width_m(), &|_| true);
        }
        if held.is_empty() {
            return self.lone_footing(point, effort).or_else(|| self.footing_near(point, &walls, effort));
        }
        effort.add(FREE_EFFORT * held.len() as u64);
        // Who stands within what closes the link comes out of it. An area with a direction closes nothing.
        let near =
            if self.is_walled_in(point, gates) { self.footing_near(point, &walls, effort) } else { None };
        near.or_else(|| Some(walls.closed_footing(point, held)))
    }

    /// The ground below a body whose link is closed further on, and not where it stands.
    pub(crate) fn closed_ground(&self, point: Vec3, by: &Traversal) -> Option<Vec3> {
        let footing = self.footing(point, by, &Effort::endless())?;
        let is_closed = matches!(footing.kind, FootingKind::Closed { .. });
        (is_closed && !self.is_walled_in(point, by)).then_some(footing.place)
    }

    /// Whether a link or a point lies below a place, whatever closes it.
    #[must_use]
    pub fn is_drawn_at(&self, place: Vec3) -> bool {
        let held = self.lookup().under(self.net(), place, self.width_m(), &|_| true);
        held.is_some() || self.lone_footing(place, &Effort::endless()).is_some()
    }

    /// Whether a place lies within what is a wall to a body, or nearer to it than bodies keep.
    fn is_walled_in(&self, point: Vec3, by: &Traversal) -> bool {
        self.walls_of(by).into_iter().any(|area| self.is_within(area, point))
    }

    /// The nearest open place in a clear line.
    fn footing_near(&self, point: Vec3, walls: &Walls<'_>, effort: &Effort) -> Option<Footing> {
        let [by, gates] = walls.by;
        let usable = |link: u32| self.passage(link, by) != LinkPassage::Closed;
        let nearest = self.lookup().nearest(self.net(), point, START_MAX_M, &usable, effort)?;
        let goes_wrong = gates.wrong_way(point, nearest.point, self.gate()).is_some();
        let leads_out = !goes_wrong && self.leads_out(point, nearest.point, by);
        leads_out.then(|| Footing { place: nearest.point, spots: vec![nearest], kind: FootingKind::Open })
    }

    /// A point without links below a body.
    fn lone_footing(&self, point: Vec3, effort: &Effort) -> Option<Footing> {
        effort.add(POINT_EFFORT * self.net().points().len() as u64);
        let lone = (0..)
            .zip(self.net().points())
            .find(|&(at, &place)| is_below(place, point, self.width_m()) && self.net().steps(at).is_empty());
        let (at, place) = lone?;
        let place = Vec3::new(point.x, place.y, point.z);
        Some(Footing { place, spots: Vec::new(), kind: FootingKind::Point(at) })
    }
}

/// What closes links to a body.
struct Walls<'a> {
    map: &'a PointGraph,
    /// The body, and the same as it was asked about, with all of its one-way areas.
    by: [&'a Traversal; 2],
    areas: Vec<AreaId>,
}

impl Walls<'_> {
    /// Whether a stretch of a link is closed.
    fn bar(&self, from: Vec3, to: Vec3) -> bool {
        let meets = |&area: &AreaId| self.map.comes_into(area, [from, to]);
        self.by[1].wrong_way(from, to, self.map.gate()).is_some() || self.areas.iter().any(meets)
    }

    /// Where a body stands whose links are closed.
    fn closed_footing(&self, point: Vec3, spots: Vec<LinkSpot>) -> Footing {
        let (mut tips, mut free): (Vec<Tip>, Vec<FreeStretch>) = (Vec::new(), Vec::new());
        for spot in &spots {
            let [low, high] = [0, 1].map(|end| self.free_to(spot, end));
            for (end, reached) in [low, high].into_iter().enumerate() {
                if reached == end as f32 {
                    let at = self.map.net().links()[spot.link as usize][end];
                    tips.push((at, link_mm(spot.point, self.map.net().points()[at as usize])));
                }
            }
            free.push(FreeStretch { link: spot.link, parts: [low, high] });
        }
        ordered::sort_by(&mut tips, Ord::cmp);
        tips.dedup_by_key(|tip| tip.0);
        let place = spots.first().map_or(point, |first| first.above(point));
        Footing { place, spots, kind: FootingKind::Closed { tips, free } }
    }

    /// How far towards one of its ends a link is free from a place of it on, 0 to 1.
    fn free_to(&self, spot: &LinkSpot, end: usize) -> f32 {
        let [a, b] = self.map.net().places(spot.link);
        let far = end as f32;
        let is_free = |part: f32| !self.bar(spot.point, a.lerp(b, part));
        if is_free(far) {
            return far;
        }
        let (mut free, mut closed) = (spot.part, far);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (free + closed);
            if is_free(middle) { free = middle } else { closed = middle }
        }
        let short = SHORT_M / a.distance(b).max(SHORT_M);
        if far > spot.part { (free - short).max(spot.part) } else { (free + short).min(spot.part) }
    }
}
