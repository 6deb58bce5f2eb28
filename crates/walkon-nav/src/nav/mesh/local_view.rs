//! Rebuilds the ground around changes, within ground that was built whole.
//!
//! In: the view of a key as it was at first, and the areas and obstacles that have come or gone since. Out:
//! the view of the key. Holds: it is the ground of the same rules as one made whole, in other polygons here
//! and there; it depends on the source and the key alone. Only polygons near what changed are made again; the
//! others are carried over. Changes that lie far apart are pieces of their own, which are kept: another
//! change makes its own piece only. Cost: the neighbourhood of what changed last, a fitting of the other
//! pieces, and a tenth of a microsecond for each of the other polygons. Not here: the rules (`build`), when a
//! view is wanted (`map`).

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::base::geom::{self, Bounds, Point};
use crate::base::ordered;
use crate::nav::mesh::build::{MeshBlocker, MeshInput, MeshView, OutlineIndex, Sets, ViewKey, keep_off};
use crate::nav::mesh::carve::CarvedPieces;
use crate::nav::mesh::floor_layers::is_convex;
use crate::nav::mesh::groups::RectangleGroups;
use crate::nav::mesh::kept_pieces::KeptPieces;
use crate::nav::mesh::locate::distance_sq;
use crate::nav::mesh::polygon::length;
use crate::nav::mesh::topology::{NONE, Topology};
use crate::nav::mesh::topology_patch::TopologyPatch;
use crate::nav::mesh::tree::RectangleTree;
use crate::nav::mesh::triangulate::{GroundSegment, OwnedRings, arrange, arrange_rings, rounded};
use crate::nav::mesh::wall_offset::{WallOffset, WallOffsets, WallSide, beside};

/// With fewer corners than this in all outlines and polygons the whole ground is made within some 20
/// milliseconds, and made whole it has fewer polygons.
const SMALL_CORNERS: usize = 400;
/// Offsets reach beyond their distance by less than a hundredth of it: the polygons around circles do.
const OFFSET_REACH: f64 = 1.01;
/// What is made again reaches this far beyond what may have changed, metres.
const MARGIN_M: f64 = 0.05;
/// Ends of lines this near to one another are meant to be one, metres.
const SAME_M: f64 = 1e-5;
/// Ground is made whole when more than one polygon in so many lies near what changed.
const LOCAL_PART: usize = 2;

/// The surroundings of what changed: outside them the ground is as it was.
struct ChangedWindows {
    bounds: Vec<Bounds>,
    tree: RectangleTree,
}

impl ChangedWindows {
    fn new(bounds: Vec<Bounds>) -> Self {
        Self { tree: RectangleTree::new(&bounds), bounds }
    }

    fn grown(&self, by_m: f64) -> Self {
        Self::new(self.bounds.iter().map(|window| window.grown(by_m)).collect())
    }

    /// Whether one of them touches a rectangle.
    fn touch(&self, around: Bounds) -> bool {
        let mut touched = false;
        self.tree.visit(around, &mut |at| touched |= self.bounds[at as usize].overlaps(&around));
        touched
    }

    fn touch_line(&self, line: &GroundSegment) -> bool {
        self.touch(Bounds::of(&[line.from, line.to]))
    }

    fn hold(&self, point: Point) -> bool {
        self.touch(Bounds { min: point, max: point })
    }

    /// The parts of a line that lie in them, each from a share of its length to another, in order.
    fn shares(&self, line: &GroundSegment) -> Vec<[f64; 2]> {
        let mut shares = Vec::new();
        self.tree.visit(Bounds::of(&[line.from, line.to]), &mut |at| {
            shares.extend(share_within(line, self.bounds[at as usize]));
        });
        ordered::sort_by(&mut shares, |a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        shares.dedup_by(|next, before| {
            let is_one = next[0] <= before[1];
            before[1] = if is_one { before[1].max(next[1]) } else { before[1] };
            is_one
        });
        shares
    }

    /// The parts of lines that lie in them. Where they are cut off they end at one of `ends`, if it is near.
    fn within(&self, lines: &[GroundSegment], ends: &CutEnds) -> Vec<GroundSegment> {
        let parts = lines.iter().flat_map(|line| {
            self.shares(line).into_iter().map(move |[first, last]| {
                let end =
                    |share| if share == 0.0 || share == 1.0 { None } else { ends.near(at(line, share)) };
                GroundSegment {
                    from: end(first).unwrap_or_else(|| at(line, first)),
                    to: end(last).unwrap_or_else(|| at(line, last)),
                }
            })
        });
        parts.collect()
    }

    /// The parts of a line that lie in none of them.
    fn beyond(&self, line: &GroundSegment) -> Vec<GroundSegment> {
        let mut parts = Vec::new();
        let mut from = 0.0;
        for [first, last] in self.shares(line).into_iter().chain([[1.0, 1.0]]) {
            if from < first {
                parts.push(GroundSegment { from: at(line, from), to: at(line, first) });
            }
            from = last;
        }
        parts
    }

    /// The lines around them.
    fn outlines(&self) -> impl Iterator<Item = GroundSegment> + '_ {
        self.bounds.iter().flat_map(|Bounds { min, max }| {
            let corners = [*min, [max[0], min[1]], *max, [min[0], max[1]]];
            (0..4).map(move |at| GroundSegment { from: corners[at], to: corners[(at + 1) % 4] })
        })
    }
}

/// The point of a line at a share of its length; the ends themselves there, so that lines still meet.
fn at(line: &GroundSegment, share: f64) -> Point {
    let GroundSegment { from, to } = line;
    match share {
        0.0 => *from,
        1.0 => *to,
        _ => [0, 1].map(|axis| rounded(from[axis] + share * (to[axis] - from[axis]))),
    }
}

/// The part of a line within a rectangle, from a share of its length to another.
fn share_within(line: &GroundSegment, window: Bounds) -> Option<[f64; 2]> {
    let GroundSegment { from, to } = line;
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for axis in 0..2 {
        let way = to[axis] - from[axis];
        let [low, high] = [window.min[axis] - from[axis], window.max[axis] - from[axis]];
        if way == 0.0 {
            if low > 0.0 || high < 0.0 {
                return None;
            }
            continue;
        }
        let (enter, leave) = if way > 0.0 { (low / way, high / way) } else { (high / way, low / way) };
        (first, last) = (first.max(enter), last.min(leave));
    }
    (first < last).then_some([first, last])
}

/// Where lines that stay were cut off: the new lines that go on from there differ from them by rounding.
struct CutEnds {
    places: Vec<Point>,
    tree: RectangleTree,
}

impl CutEnds {
    fn new(places: Vec<Point>) -> Self {
        let bounds: Vec<Bounds> = places.iter().map(|place| Bounds { min: *place, max: *place }).collect();
        Self { tree: RectangleTree::new(&bounds), places }
    }

    /// The nearest one that rounding may have moved away from a place.
    fn near(&self, place: Point) -> Option<Point> {
        let mut away_sq = |at: u32| Some(distance_sq(self.places[at as usize], place));
        let found = self.tree.nearest(place, SAME_M * SAME_M, &mut away_sq);
        found.map(|(_, at)| self.places[at as usize])
    }
}

/// What lies in and around some windows by the rules of a key.
struct NearRule<'a> {
    input: &'a MeshInput,
    key: &'a ViewKey,
    windows: &'a ChangedWindows,
    areas: OutlineIndex<'a>,
}

impl<'a> NearRule<'a> {
    /// The lines between ground and none, and between sets of areas, before anything keeps off.
    fn plain_lines(&self, windows: &ChangedWindows) -> Vec<GroundSegment> {
        let near = self.input.areas_with_lines(self.key).filter(|area| windows.touch(area.bounds));
        let mut lines: Vec<GroundSegment> = near.flat_map(|area| geom::edges(&area.polygon)).collect();
        if let Some(ground) = &self.input.ground {
            ground.lines(&mut lines);
        }
        lines.retain(|line| windows.touch_line(line));
        lines
    }

    /// The areas around a point when they make ground of it, before anything keeps off.
    fn plain_set_at(&self, point: Point) -> Option<Vec<u32>> {
        if let Some(ground) = &self.input.ground {
            ground.holder(point)?;
        }
        self.input.set_at(self.key, &self.areas, point, self.input.flat_y_m())
    }

    /// How far to keep off the outer edges near the windows.
    fn edge_offsets(&self) -> Vec<WallOffset> {
        let edge_m = self.input.boundary_padding_m + self.key.wider_m();
        if edge_m <= 0.0 {
            return Vec::new();
        }
        // The outlines of this are taken for edges, too: they are too far off to matter.
        let around = self.windows.grown(2.0 * OFFSET_REACH * edge_m + MARGIN_M);
        let mut lines = self.plain_lines(&around);
        lines.extend(around.outlines());
        let owner = |point| (around.hold(point) && self.plain_set_at(point).is_some()).then_some(0);
        let plain = arrange(&lines, &owner, self.input.flat_y_m());
        let mut offsets = beside(&plain, edge_m, WallSide::Within);
        offsets.retain(|offset| self.windows.touch(Bounds::of(&offset.polygon)));
        offsets
    }

    /// The obstacles in force that reach the windows with their distances.
    fn blockers(&self) -> Vec<&'a MeshBlocker> {
        let mut near = self.input.in_force(self.key);
        near.retain(|blocker| self.windows.touch(self.input.reach_of(blocker, self.key)));
        near
    }

    /// The polygons of a patch by these rules within the windows, and as they were beyond. None where they
    /// would not fit between the others.
    fn made(&self, patch: &GroundPatch<'_>, sets: &RefCell<Sets>) -> Option<OwnedRings> {
        let (mut lines, mut offsets) = (self.plain_lines(self.windows), self.edge_offsets());
        let blockers = self.blockers();
        keep_off(&blockers, self.key.wider_m(), &mut lines, &mut offsets);
        let blocked = OutlineIndex::new(blockers.iter().map(|blocker| &blocker.outline).collect());
        let keepouts = WallOffsets::new(offsets);
        keepouts.lines(&mut lines);
        let (beyond, ends) = patch.lines(self.windows);
        let mut lines = self.windows.within(&lines, &ends);
        lines.extend(beyond);
        let y = self.input.flat_y_m();
        let owner = |point: Point| {
            if !self.windows.hold(point) {
                return patch.owner(point);
            }
            let is_blocked =
                blocked.is_in_one(point, |outline| outline.holds(point, y)) || keepouts.holds(point, y);
            let set = if is_blocked { None } else { self.plain_set_at(point) };
            set.map(|set| sets.borrow_mut().number(set))
        };
        let made = arrange_rings(&lines, &owner);
        (made.refused == 0).then_some(made)
    }
}

/// The polygons of a ground that are made again.
struct GroundPatch<'a> {
    ground: &'a Topology,
    /// By polygon of the ground.
    is_in: Vec<bool>,
    polygons: Vec<u32>,
}

impl<'a> GroundPatch<'a> {
    /// The polygons that touch some windows.
    fn new(ground: &'a Topology, windows: &ChangedWindows) -> Self {
        let mut is_in = vec![false; ground.polygon_count() as usize];
        for &window in &windows.bounds {
            polygons_in(ground, window).into_iter().for_each(|polygon| is_in[polygon as usize] = true);
        }
        let polygons = (0..ground.polygon_count()).filter(|polygon| is_in[*polygon as usize]).collect();
        Self { ground, is_in, polygons }
    }

    /// The edges of the patch.
    fn edges(&self) -> impl Iterator<Item = u32> + '_ {
        self.polygons.iter().flat_map(|&polygon| self.ground.edges(polygon))
    }

    /// The polygon beyond an edge.
    fn beyond(&self, edge: u32) -> Option<u32> {
        let twin = self.ground.twin[edge as usize];
        (twin != NONE).then(|| self.ground.face[twin as usize])
    }

    /// Whether an edge lies between a polygon of the patch and one that stays.
    fn is_seam(&self, edge: u32) -> bool {
        self.beyond(edge).is_some_and(|polygon| !self.is_in[polygon as usize])
    }

    /// The lines of the patch that stay as they were: those to the other polygons, and beyond the windows
    /// those that mean something; and where these are cut off.
    fn lines(&self, windows: &ChangedWindows) -> (Vec<GroundSegment>, CutEnds) {
        let owner = |polygon: u32| self.ground.owner[polygon as usize];
        let (mut lines, mut ends) = (Vec::new(), Vec::new());
        for edge in self.edges() {
            let line = self.ground.side(edge);
            let own = owner(self.ground.face[edge as usize]);
            if self.is_seam(edge) {
                lines.push(line);
            } else if self.beyond(edge).is_none_or(|beyond| owner(beyond) != own) {
                let parts = windows.beyond(&line);
                let is_cut = |end: &Point| *end != line.from && *end != line.to;
                ends.extend(parts.iter().flat_map(|part| [part.from, part.to]).filter(is_cut));
                lines.extend(parts);
            }
        }
        (lines, CutEnds::new(ends))
    }

    /// The owner of the polygon of the patch that holds a point.
    fn owner(&self, point: Point) -> Option<u32> {
        /// Points on an edge belong to both sides.
        const EDGE_M: f64 = 1e-9;
        let mut found = NONE;
        self.ground.tree.visit(Bounds { min: point, max: point }.grown(EDGE_M), &mut |polygon| {
            let is_lower = self.is_in[polygon as usize] && polygon < found;
            if is_lower && self.ground.holds_within(polygon, point, EDGE_M) {
                found = polygon;
            }
        });
        (found != NONE).then(|| self.ground.owner[found as usize])
    }

    /// The corners of the patch by their places. None where places are not rounded, or are those of two
    /// corners: what is made again would not meet them.
    fn corners(&self) -> Option<BTreeMap<[u64; 2], u32>> {
        let mut corners = BTreeMap::new();
        for edge in self.edges() {
            let (corner, place) = (self.ground.ring[edge as usize], self.ground.from(edge));
            let other = corners.insert(place.map(f64::to_bits), corner);
            if place.map(rounded) != place || other.is_some_and(|other| other != corner) {
                return None;
            }
        }
        Some(corners)
    }

    /// The ground with some polygons in place of those of the patch. None where they leave a gap to the
    /// others, or lie over them: rounding does that, rarely.
    fn replaced(&self, made: OwnedRings) -> Option<Topology> {
        let ground = self.ground;
        let mut patch = TopologyPatch::default();
        (patch.points, patch.heights) = (ground.points.clone(), ground.heights.clone());
        for (polygon, _) in (0..).zip(&self.is_in).filter(|(_, is_in)| !**is_in) {
            patch.keep(polygon, ground.owner[polygon as usize]);
        }
        let known = self.corners()?;
        let mut corner_of = vec![NONE; made.points.len()];
        let mut rings = made.rings;
        for at in rings.iter_mut().flatten() {
            let corner = &mut corner_of[*at as usize];
            if *corner == NONE {
                let place = made.points[*at as usize];
                *corner = known.get(&place.map(f64::to_bits)).copied().unwrap_or_else(|| {
                    patch.points.push(place);
                    patch.heights.push(ground.floor_y_m());
                    patch.points.len() as u32 - 1
                });
            }
            *at = *corner;
        }
        if !self.is_filled_by(&rings) {
            return None;
        }
        rings.into_iter().zip(made.owners).for_each(|(ring, owner)| patch.put(ring, owner));
        Some(patch.of(ground))
    }

    /// Whether some rings lie along all edges between the patch and the other polygons, once, and on the
    /// side of the patch.
    fn is_filled_by(&self, rings: &[Vec<u32>]) -> bool {
        let ends = |edge: u32| [edge, self.ground.next(edge)].map(|edge| self.ground.ring[edge as usize]);
        let mut open: BTreeMap<[u32; 2], u32> =
            self.edges().filter(|edge| self.is_seam(*edge)).map(|edge| (ends(edge), 0)).collect();
        for ring in rings {
            for (at, &from) in ring.iter().enumerate() {
                let to = ring[(at + 1) % ring.len()];
                if let Some(count) = open.get_mut(&[from, to]) {
                    *count += 1;
                } else if open.contains_key(&[to, from]) {
                    return false;
                }
            }
        }
        open.values().all(|count| *count == 1)
    }
}

/// The ground around changes that lie near to one another.
#[derive(Debug)]
pub(crate) struct GroundPiece {
    made: OwnedRings,
    /// By owner of its polygons: the areas that hold them.
    sets: Vec<Vec<u32>>,
}

impl GroundPiece {
    /// Puts it beside other pieces.
    fn append_to(&self, all: &mut OwnedRings, sets: &mut Sets) {
        let first = all.points.len() as u32;
        all.points.extend_from_slice(&self.made.points);
        all.rings.extend(self.made.rings.iter().map(|ring| ring.iter().map(|at| first + at).collect()));
        let owners = self.made.owners.iter().map(|owner| self.sets[*owner as usize].clone());
        all.owners.extend(owners.map(|set| sets.number(set)));
    }
}

/// The pieces made so far within one ground as it was at first, by their changes. None: made, and of no use.
/// What changes in one place does not make the ground of another place again.
pub(crate) type GroundPieces = KeptPieces<Option<GroundPiece>>;

/// The places of windows in their list, in groups: those that overlap, or touch the same polygon of a ground,
/// are of one group.
fn groups(ground: &Topology, windows: &[Bounds]) -> Vec<Vec<usize>> {
    let mut groups = RectangleGroups::of_overlapping(windows);
    let mut owners: BTreeMap<u32, usize> = BTreeMap::new();
    for (at, window) in windows.iter().enumerate() {
        for polygon in polygons_in(ground, *window) {
            groups.join(*owners.entry(polygon).or_insert(at), at);
        }
    }
    groups.lists()
}

/// The polygons of a ground that touch a window; those that do so only for rounding, too.
fn polygons_in(ground: &Topology, window: Bounds) -> Vec<u32> {
    let window = window.grown(MARGIN_M / 2.0);
    let mut found = Vec::new();
    ground.tree.visit(window, &mut |polygon| {
        if ground.touches(polygon, window) {
            found.push(polygon);
        }
    });
    found
}

impl MeshInput {
    /// Whether the whole ground is made in next to no time.
    pub(crate) fn is_small(&self) -> bool {
        let blockers = self.blockers.iter().map(|blocker| &blocker.outline);
        let corners: usize = self.areas.iter().chain(blockers).map(|outline| outline.polygon.len()).sum();
        let ground = self.ground.as_ref().map_or(0, |ground| ground.ring.len());
        corners + ground < SMALL_CORNERS
    }

    /// The view of a key from that of the key at first. None where one made whole serves better.
    pub(crate) fn view_around_changes(
        &self,
        first: &MeshView,
        key: &ViewKey,
        pieces: &GroundPieces,
        carved: &CarvedPieces,
    ) -> Option<MeshView> {
        if self.ground.as_ref().is_some_and(|ground| !ground.is_flat) {
            return self.carved_view(first, key, carved);
        }
        let windows: Vec<Bounds> = key.changes.iter().map(|&at| self.window(at, key)).collect();
        let patch = GroundPatch::new(&first.surface, &ChangedWindows::new(windows.clone()));
        if patch.polygons.len() > patch.is_in.len() / LOCAL_PART {
            return None;
        }
        let mut sets = Sets::of(&first.sets);
        let mut all = OwnedRings::default();
        for group in groups(&first.surface, &windows) {
            let changes: Vec<u32> = group.iter().map(|&at| key.changes[at]).collect();
            let piece = pieces.find_or_make(changes.iter().copied().map(u64::from).collect(), || {
                let windows = group.iter().map(|&at| windows[at]).collect();
                self.piece(first, &key.with_only(&changes), &ChangedWindows::new(windows))
            });
            piece.as_ref().as_ref()?.append_to(&mut all, &mut sets);
        }
        Some(MeshView { surface: patch.replaced(all)?, sets: sets.known })
    }

    /// The ground around the changes of a key, which lie near to one another. None where it would not fit
    /// between the rest.
    fn piece(&self, first: &MeshView, key: &ViewKey, windows: &ChangedWindows) -> Option<GroundPiece> {
        let patch = GroundPatch::new(&first.surface, windows);
        let areas = OutlineIndex::new(self.areas.iter().collect());
        let sets = RefCell::new(Sets::of(&first.sets));
        let made = NearRule { input: self, key, windows, areas }.made(&patch, &sets)?;
        Some(GroundPiece { made, sets: sets.into_inner().known })
    }

    /// On ground that is not flat: obstacles that have come are carved out. None for those that are not
    /// convex, or have their insides to the right.
    fn carved_view(&self, first: &MeshView, key: &ViewKey, carved: &CarvedPieces) -> Option<MeshView> {
        let mut blocking = vec![false; key.blocking.len()];
        for &change in &*key.changes {
            let obstacle = (change as usize).checked_sub(self.areas.len())?;
            let polygon = &self.blockers[obstacle].outline.polygon;
            let is_carved = key.blocking[obstacle] && is_convex(polygon.len(), |at| polygon[at]);
            blocking[obstacle] = is_carved.then_some(true)?;
        }
        let added = ViewKey { blocking: blocking.into(), ..key.clone() };
        Some(self.without_added(first, &added, carved))
    }

    /// Where the coming or going of an area or obstacle may change the ground.
    fn window(&self, change: u32, key: &ViewKey) -> Bounds {
        let around = match self.areas.get(change as usize) {
            Some(area) => area.bounds.grown(OFFSET_REACH * (self.boundary_padding_m + key.wider_m())),
            None => self.reach_of(&self.blockers[change as usize - self.areas.len()], key),
        };
        around.grown(MARGIN_M)
    }

    /// What an obstacle takes, with the distance kept from it.
    fn reach_of(&self, blocker: &MeshBlocker, key: &ViewKey) -> Bounds {
        blocker.outline.bounds.grown(OFFSET_REACH * (blocker.keep_m + key.wider_m()))
    }

    /// The height of flat ground.
    fn flat_y_m(&self) -> f64 {
        self.ground.as_ref().map_or(self.floor_y_m, |ground| ground.floor_y_m())
    }
}

impl Topology {
    /// Whether a polygon and a rectangle have something in common.
    fn touches(&self, polygon: u32, window: Bounds) -> bool {
        let Bounds { min, max } = window;
        let corners = [min, [max[0], min[1]], max, [min[0], max[1]]];
        let is_beside = |edge: u32| {
            let GroundSegment { from, to } = self.side(edge);
            corners.iter().all(|corner| geom::cross(from, to, *corner) < 0.0)
        };
        self.span(polygon).overlaps(&window) && !self.edges(polygon).any(is_beside)
    }

    /// Whether a polygon holds a point, or nearly.
    fn holds_within(&self, polygon: u32, point: Point, within_m: f64) -> bool {
        self.edges(polygon).all(|edge| {
            let GroundSegment { from, to } = self.side(edge);
            geom::cross(from, to, point) >= -within_m * length(from, to)
        })
    }
}
