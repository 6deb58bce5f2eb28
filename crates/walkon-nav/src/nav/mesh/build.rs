//! Builds polygons for one kind of body, from areas, obstacles and walls.
//!
//! In: what a mesh is made from, which areas and obstacles are in force, how much wider a body is than the
//! mesh allows for. Out: a [`MeshView`]: the ground it can stand on with its middle. Holds: the same rules as
//! on a grid: ground lies in an area that can be used, unless it lies in a shunned one or an obstacle too;
//! obstacles keep their paddings, the outer edge of the areas its own, and wider bodies keep off every wall
//! of the rest. A view depends on the source and the key alone. Not here: keeping views (`map`).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::geom::{self, Bounds, Point};
use crate::base::ordered;
use crate::base::ordered::CollectOrdered;
use crate::nav::mesh::carve::CarvedPieces;
use crate::nav::mesh::floor_layers::{arrange_on, is_convex};
use crate::nav::mesh::topology::{NONE, Topology};
use crate::nav::mesh::tree::RectangleTree;
use crate::nav::mesh::triangulate::{GroundSegment, arrange};
use crate::nav::mesh::wall_offset::{WallOffset, WallOffsets, WallSide, around, beside};
use crate::nav::path::Disc;

/// The polygon of an area, and the ground that it lies on: from one height to another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AreaOutline {
    pub(crate) polygon: Vec<Point>,
    pub(crate) bounds: Bounds,
    pub(crate) low_m: f64,
    pub(crate) high_m: f64,
}

impl AreaOutline {
    pub(crate) fn new(polygon: Vec<Point>, [low_m, high_m]: [f64; 2]) -> Self {
        Self { bounds: Bounds::of(&polygon), polygon, low_m, high_m }
    }

    /// Whether ground at a height may belong to it.
    pub(crate) fn is_at(&self, y: f64) -> bool {
        (self.low_m..=self.high_m).contains(&y)
    }

    /// Whether it holds ground at a height.
    pub(crate) fn holds(&self, point: Point, y: f64) -> bool {
        self.is_at(y) && self.is_above_or_below(point)
    }

    /// Whether its edge passes within so many metres of a point, which are few.
    pub(crate) fn passes(&self, point: Point, y: f64, reach_m: impl Fn() -> f64) -> bool {
        /// More than the reach, metres.
        const NEAR_M: f64 = 0.1;
        let is_near = self.is_at(y) && self.bounds.grown(NEAR_M).contains(point);
        is_near && {
            let reach_sq = reach_m().powi(2);
            let away_sq = |edge: geom::Segment<Point>| geom::segment_distance_sq(point, edge.from, edge.to);
            geom::edges(&self.polygon).any(|edge| away_sq(edge) <= reach_sq)
        }
    }

    /// Whether it holds a point, whatever the height.
    fn is_above_or_below(&self, point: Point) -> bool {
        self.bounds.grown(geom::EDGE_M).contains(point) && geom::polygon_contains(&self.polygon, point)
    }
}

/// Ground that is blocked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MeshBlocker {
    pub(crate) outline: AreaOutline,
    /// How far the middle of a body keeps off, metres.
    pub(crate) keep_m: f64,
    /// The circle that its outline was made around; none of one that was authored.
    pub(crate) disc: Option<Disc>,
}

impl MeshBlocker {
    /// What those have in common that block as one.
    fn kind(&self) -> [f64; 3] {
        [self.keep_m, self.outline.low_m, self.outline.high_m]
    }

    /// What a body keeps off that is wider than the mesh allows for. None where that is no single convex
    /// polygon.
    fn kept_off(&self, wider_m: f64) -> Option<WallOffset> {
        let Disc { centre, radius_m } = self.disc?;
        let polygon = around(geom::ground(centre), f64::from(radius_m) + self.keep_m + wider_m);
        Some(WallOffset { polygon, low_m: self.outline.low_m, high_m: self.outline.high_m })
    }
}

/// What a mesh is made from.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeshInput {
    /// Polygons as authored; without them the areas are the ground.
    pub(crate) ground: Option<Arc<Topology>>,
    /// Whether some of those polygons lie above others.
    pub(crate) has_floors: bool,
    pub(crate) areas: Vec<AreaOutline>,
    pub(crate) blockers: Vec<MeshBlocker>,
    pub(crate) boundary_padding_m: f64,
    pub(crate) floor_y_m: f64,
}

/// What a view depends on, beside the source. Its lists are shared by the keys of one state: one that is
/// cloned costs nothing, and is soon found to be equal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ViewKey {
    /// Areas that can be used, by id.
    pub(crate) open: Arc<[bool]>,
    /// Areas that are walls.
    pub(crate) shunned: Arc<[bool]>,
    /// Obstacles in force.
    pub(crate) blocking: Arc<[bool]>,
    /// Additional distance to all walls, micrometres.
    pub(crate) wider_um: u32,
    /// What was authored and is not as at first, by id and in order: areas whose part of `open` changed,
    /// obstacles whose part of `blocking` did.
    pub(crate) changes: Arc<[u32]>,
}

impl ViewKey {
    /// The same before anything changed.
    pub(crate) fn at_first(&self) -> Self {
        let mut first = Self { changes: Arc::default(), ..self.clone() };
        for &change in &*self.changes {
            let (list, at) = match (change as usize).checked_sub(self.open.len()) {
                None => (&mut first.open, change as usize),
                Some(obstacle) => (&mut first.blocking, obstacle),
            };
            Arc::make_mut(list)[at] = !list[at];
        }
        first
    }

    /// The same where only some of what changed did.
    pub(crate) fn with_only(&self, changes: &[u32]) -> Self {
        let others = self.changes.iter().filter(|change| !changes.contains(change));
        let others = Self { changes: others.copied().collect(), ..self.clone() };
        Self { changes: changes.into(), ..others.at_first() }
    }

    /// Additional distance to all walls, metres.
    pub(crate) fn wider_m(&self) -> f64 {
        f64::from(self.wider_um) * 1e-6
    }
}

/// The ground of one kind of body.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeshView {
    pub(crate) surface: Topology,
    /// By owner of polygons: the areas that hold them, by id.
    pub(crate) sets: Vec<Vec<u32>>,
}

/// Sets of areas by number.
#[derive(Default)]
pub(crate) struct Sets {
    pub(crate) known: Vec<Vec<u32>>,
    /// The same the other way round.
    numbers: BTreeMap<Vec<u32>, u32>,
}

impl Sets {
    /// Some that are numbered.
    pub(crate) fn of(known: &[Vec<u32>]) -> Self {
        Self { known: known.to_vec(), numbers: known.iter().cloned().zip(0..).collect_map() }
    }

    pub(crate) fn number(&mut self, set: Vec<u32>) -> u32 {
        let next = self.known.len() as u32;
        let number = *self.numbers.entry(set.clone()).or_insert(next);
        if number == next {
            self.known.push(set);
        }
        number
    }
}

/// Outlines that are found by place.
pub(crate) struct OutlineIndex<'source> {
    outlines: Vec<&'source AreaOutline>,
    tree: RectangleTree,
}

impl<'source> OutlineIndex<'source> {
    pub(crate) fn new(outlines: Vec<&'source AreaOutline>) -> Self {
        let bounds: Vec<Bounds> = outlines.iter().map(|outline| outline.bounds).collect();
        Self { tree: RectangleTree::new(&bounds), outlines }
    }

    /// Those around a point that `holds` knows to hold it, in order.
    pub(crate) fn at(&self, point: Point, holds: impl Fn(&AreaOutline) -> bool) -> Vec<u32> {
        let mut found = Vec::new();
        self.tree.visit(Bounds { min: point, max: point }, &mut |at| {
            if holds(self.outlines[at as usize]) {
                found.push(at);
            }
        });
        found.sort_unstable();
        found
    }

    /// Whether `holds` knows one of them to hold a point.
    pub(crate) fn is_in_one(&self, point: Point, holds: impl Fn(&AreaOutline) -> bool) -> bool {
        let mut is_held = false;
        self.tree.visit(Bounds { min: point, max: point }, &mut |at| {
            is_held = is_held || holds(self.outlines[at as usize]);
        });
        is_held
    }
}

impl MeshInput {
    /// The areas around a point when they make ground of it.
    pub(crate) fn set_at(
        &self,
        key: &ViewKey,
        areas: &OutlineIndex<'_>,
        point: Point,
        y: f64,
    ) -> Option<Vec<u32>> {
        let set = areas.at(point, |area| area.holds(point, y));
        let is_open =
            set.iter().any(|&area| key.open[area as usize]) || set.is_empty() && self.ground.is_some();
        let is_shunned = set.iter().any(|&area| key.shunned[area as usize]);
        (is_open && !is_shunned).then_some(set)
    }

    /// The areas whose outlines bound ground or sets of areas.
    pub(crate) fn areas_with_lines(&self, key: &ViewKey) -> impl Iterator<Item = &AreaOutline> {
        // A closed area is no ground, and where there are polygons it takes theirs.
        let has_lines = |at: usize| key.open[at] || key.shunned[at] || self.ground.is_some();
        self.areas.iter().enumerate().filter(move |(at, _)| has_lines(*at)).map(|(_, area)| area)
    }

    /// The ground of bodies of a key. Distances add up: a wider body keeps off obstacles and edges by as much
    /// more.
    pub(crate) fn view(&self, key: &ViewKey) -> MeshView {
        let wider_m = key.wider_m();
        let areas = OutlineIndex::new(self.areas.iter().collect());
        let mut lines: Vec<GroundSegment> =
            self.areas_with_lines(key).flat_map(|area| geom::edges(&area.polygon)).collect();
        let edge_m = self.boundary_padding_m + wider_m;
        let mut shapes = Vec::new();
        if edge_m > 0.0 || !key.blocking.contains(&true) {
            let plain = match &self.ground {
                Some(ground) if self.areas.is_empty() => {
                    let mut surface = (**ground).clone();
                    surface.whole = self.has_floors.then(|| ground.clone());
                    MeshView { surface, sets: vec![Vec::new()] }
                }
                _ => self.settle(&lines, &|point, y| self.set_at(key, &areas, point, y)),
            };
            if edge_m <= 0.0 {
                return plain;
            }
            shapes = beside(&plain.surface, edge_m, WallSide::Within);
        }
        let blocked = OutlineIndex::new(self.blocked(key, wider_m, &mut lines, &mut shapes));
        let keepouts = WallOffsets::new(shapes);
        keepouts.lines(&mut lines);
        self.settle(&lines, &|point, y| {
            let is_blocked =
                blocked.is_in_one(point, |outline| outline.holds(point, y)) || keepouts.holds(point, y);
            if is_blocked { None } else { self.set_at(key, &areas, point, y) }
        })
    }

    /// The obstacles in force. Appends how far to keep off what they cover together, and its edges.
    fn blocked(
        &self,
        key: &ViewKey,
        wider_m: f64,
        lines: &mut Vec<GroundSegment>,
        shapes: &mut Vec<WallOffset>,
    ) -> Vec<&AreaOutline> {
        let in_force = self.in_force(key);
        keep_off(&in_force, wider_m, lines, shapes);
        in_force.into_iter().map(|blocker| &blocker.outline).collect()
    }

    /// The obstacles that a key has, in order; of those that are the same in all respects the first.
    pub(crate) fn in_force(&self, key: &ViewKey) -> Vec<&MeshBlocker> {
        let all = self.blockers.iter().zip(&*key.blocking);
        let all = all.filter(|(_, is_blocking)| **is_blocking).map(|(blocker, _)| blocker);
        let mut by_place: BTreeMap<[u64; 4], Vec<&MeshBlocker>> = BTreeMap::new();
        let mut first = Vec::new();
        for blocker in all {
            let Bounds { min: [min_x, min_z], max: [max_x, max_z] } = blocker.outline.bounds;
            let there = by_place.entry([min_x, min_z, max_x, max_z].map(f64::to_bits)).or_default();
            if !there.contains(&blocker) {
                there.push(blocker);
                first.push(blocker);
            }
        }
        first
    }

    /// What the obstacles of a key that were added later leave of the ground without them. Each is convex,
    /// its inside to the left. Cost: that of the polygons on which something has changed since `pieces` were
    /// kept, and some microseconds an obstacle.
    pub(crate) fn without_added(
        &self,
        ground: &MeshView,
        added: &ViewKey,
        pieces: &CarvedPieces,
    ) -> MeshView {
        let mut shapes = Vec::new();
        let mut others = Vec::new();
        for blocker in self.in_force(added) {
            match blocker.kept_off(added.wider_m()) {
                Some(shape) => shapes.push(shape),
                None => others.push(blocker),
            }
        }
        let outline = |blocker: &&MeshBlocker| {
            let AreaOutline { polygon, low_m, high_m, .. } = blocker.outline.clone();
            WallOffset { polygon, low_m, high_m }
        };
        shapes.extend(others.iter().map(outline));
        keep_off(&others, added.wider_m(), &mut Vec::new(), &mut shapes);
        let surface = pieces.carve(&ground.surface, &WallOffsets::new(shapes));
        MeshView { surface, sets: ground.sets.clone() }
    }

    /// The polygons between some lines, each with its set of areas.
    fn settle(&self, lines: &[GroundSegment], set_at: &dyn Fn(Point, f64) -> Option<Vec<u32>>) -> MeshView {
        let sets = RefCell::new(Sets::default());
        let surface = match &self.ground {
            None => {
                let owner = |point| Some(sets.borrow_mut().number(set_at(point, self.floor_y_m)?));
                arrange(lines, &owner, self.floor_y_m)
            }
            Some(ground) => {
                let owner = |polygon: u32, point: Point| {
                    let set = set_at(point, ground.height(polygon, point))?;
                    Some(sets.borrow_mut().number(set))
                };
                let mut cut = arrange_on(ground, lines, &owner);
                cut.whole = self.has_floors.then(|| ground.clone());
                cut
            }
        };
        MeshView { surface, sets: sets.into_inner().known }
    }
}

/// Appends the edges of what obstacles cover together, and how far to keep off it.
pub(crate) fn keep_off(
    in_force: &[&MeshBlocker],
    wider_m: f64,
    lines: &mut Vec<GroundSegment>,
    shapes: &mut Vec<WallOffset>,
) {
    let mut in_force = in_force.to_vec();
    // Those authored keep paddings, those added have none; and each blocks its own floors.
    let order = |a: &&MeshBlocker, b: &&MeshBlocker| {
        let ([a_keep, a_low, a_high], [b_keep, b_low, b_high]) = (a.kind(), b.kind());
        a_keep.total_cmp(&b_keep).then(a_low.total_cmp(&b_low)).then(a_high.total_cmp(&b_high))
    };
    ordered::sort_by(&mut in_force, order);
    for alike in in_force.chunk_by(|a, b| a.kind() == b.kind()) {
        let found = OutlineIndex::new(alike.iter().map(|blocker| &blocker.outline).collect());
        let covers =
            |point: Point| found.is_in_one(point, |outline| outline.is_above_or_below(point)).then_some(0);
        let covered = arrange(&outer_edges(alike), &covers, 0.0);
        lines.extend(covered.wall_segments());
        let keep_m = alike[0].keep_m + wider_m;
        if keep_m > 0.0 {
            let [_, low_m, high_m] = alike[0].kind();
            let around = beside(&covered, keep_m, WallSide::Without);
            shapes.extend(around.into_iter().map(|shape| WallOffset { low_m, high_m, ..shape }));
        }
    }
}

/// The edges of obstacles on the same floors, but for those of convex ones that lie within another: heaps of
/// them are bounded by few.
fn outer_edges(alike: &[&MeshBlocker]) -> Vec<GroundSegment> {
    let (mut edges, mut convex) = (Vec::new(), Vec::new());
    for AreaOutline { polygon, low_m, high_m, .. } in alike.iter().map(|blocker| &blocker.outline) {
        if is_convex(polygon.len(), |at| polygon[at]) {
            convex.push(WallOffset { polygon: polygon.clone(), low_m: *low_m, high_m: *high_m });
        } else {
            edges.extend(geom::edges(polygon));
        }
    }
    WallOffsets::new(convex).lines(&mut edges);
    edges
}

impl Topology {
    /// The polygon that holds a point of the ground plane; of several the first.
    pub(crate) fn holder(&self, point: Point) -> Option<u32> {
        let mut found = NONE;
        self.tree.visit(Bounds { min: point, max: point }, &mut |polygon| {
            if polygon < found && self.contains(polygon, point) {
                found = polygon;
            }
        });
        (found != NONE).then_some(found)
    }

    pub(crate) fn side(&self, edge: u32) -> GroundSegment {
        GroundSegment { from: self.from(edge), to: self.to(edge) }
    }

    pub(crate) fn wall_segments(&self) -> impl Iterator<Item = GroundSegment> + '_ {
        self.walls.iter().map(|&wall| self.side(wall))
    }

    /// Appends the edges that mean something on flat ground: walls, and where owners differ.
    pub(crate) fn lines(&self, out: &mut Vec<GroundSegment>) {
        for edge in 0..self.ring.len() as u32 {
            let twin = self.twin[edge as usize];
            let owner = |edge: u32| self.owner[self.face[edge as usize] as usize];
            if twin == NONE || edge < twin && owner(edge) != owner(twin) {
                out.push(self.side(edge));
            }
        }
    }
}
