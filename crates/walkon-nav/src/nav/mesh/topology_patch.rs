//! A topology derived from another one in which some polygons were cut to pieces.
//!
//! In: the polygons of the new ground in order, each as it is in the old one or with new corners. Out: a
//! [`Topology`]. Holds: edges between two polygons that were kept are joined as before, whatever corners they
//! share with others; the edges of pieces, and those beside pieces, are joined where two lead along each
//! other. Cost: linear in the old ground with a small factor, n log n in the pieces. Not here: what is cut
//! where (`floor_layers`).

use std::ops::Range;

use crate::base::geom::Point;
use crate::nav::mesh::topology::{NONE, Topology};
use crate::nav::mesh::tree::{BoundedItem, NO_ITEM, RectangleTree};

/// The polygons of a new ground. `Default` has none.
#[derive(Clone, Debug, Default)]
pub(crate) struct TopologyPatch {
    /// The corners of the old ground first, under their old numbers.
    pub(crate) points: Vec<Point>,
    /// By corner.
    pub(crate) heights: Vec<f64>,
    polygons: Vec<PatchedPolygons>,
    /// By polygon.
    owners: Vec<u32>,
    /// The corners of the pieces, one ring after the other.
    rings: Vec<u32>,
}

#[derive(Clone, Debug)]
enum PatchedPolygons {
    /// Some polygons of the old ground, one after the other.
    Kept(Range<u32>),
    /// A piece: its place in `rings`.
    Piece(Range<usize>),
}

impl TopologyPatch {
    /// Appends a polygon of the old ground.
    pub(crate) fn keep(&mut self, polygon: u32, owner: u32) {
        self.owners.push(owner);
        match self.polygons.last_mut() {
            Some(PatchedPolygons::Kept(kept)) if kept.end == polygon => kept.end += 1,
            _ => self.polygons.push(PatchedPolygons::Kept(polygon..polygon + 1)),
        }
    }

    /// Appends a polygon with these corners, the inside to the left.
    pub(crate) fn put(&mut self, ring: impl IntoIterator<Item = u32>, owner: u32) {
        let first = self.rings.len();
        self.rings.extend(ring);
        self.owners.push(owner);
        self.polygons.push(PatchedPolygons::Piece(first..self.rings.len()));
    }

    /// The new ground.
    pub(crate) fn of(self, old: &Topology) -> Topology {
        let Self { points, heights, polygons, owners, rings } = self;
        let mut laid = LaidPolygons {
            made: Topology::with_room(owners.len(), old.ring.len() + rings.len()),
            was_at: Vec::with_capacity(old.ring.len() + rings.len()),
            now_at: vec![NONE; old.ring.len()],
            number: vec![NO_ITEM; old.polygon_count() as usize],
        };
        (laid.made.points, laid.made.heights, laid.made.owner) = (points, heights, owners);
        for polygon in polygons {
            match polygon {
                PatchedPolygons::Kept(kept) => laid.keep(old, kept),
                PatchedPolygons::Piece(at) => laid.put(&rings[at]),
            }
        }
        laid.join(old);
        laid.made.gather();
        laid.made.find_turns();
        laid.made.find_parts();
        laid.made.measure();
        laid.made.tree = laid.polygon_tree(old);
        laid.made.wall_tree = laid.wall_tree(old);
        laid.made
    }
}

impl Topology {
    /// Joins polygons whose rings share corners. Corners used by none are kept. Cost: n log n.
    pub(crate) fn new(points: Vec<Point>, heights: Vec<f64>, rings: &[Vec<u32>], owner: Vec<u32>) -> Self {
        let mut patch = TopologyPatch { points, heights, ..TopologyPatch::default() };
        rings.iter().zip(owner).for_each(|(ring, owner)| patch.put(ring.iter().copied(), owner));
        patch.of(&Self::default())
    }
}

/// The new ground while it is made.
struct LaidPolygons {
    made: Topology,
    /// By new edge: the old one; NONE for those of pieces.
    was_at: Vec<u32>,
    /// By old edge: the new one; NONE where it is gone.
    now_at: Vec<u32>,
    /// By old polygon: the new one; `NO_ITEM` where it is gone.
    number: Vec<u32>,
}

impl LaidPolygons {
    /// Appends polygons of the old ground that lie one behind the other in it.
    fn keep(&mut self, old: &Topology, kept: Range<u32>) {
        let edges = old.first[kept.start as usize]..old.first[kept.end as usize];
        let at = edges.start as usize..edges.end as usize;
        let (first_edge, first) = (self.made.ring.len() as u32, self.made.first.len() as u32 - 1);
        self.made.ring.extend_from_slice(&old.ring[at.clone()]);
        self.was_at.extend(edges.clone());
        set_in_turn(&mut self.now_at[at.clone()], first_edge);
        set_in_turn(&mut self.number[kept.start as usize..kept.end as usize], first);
        self.made.face.extend(old.face[at].iter().map(|face| face - kept.start + first));
        let ends = &old.first[kept.start as usize + 1..=kept.end as usize];
        self.made.first.extend(ends.iter().map(|end| end - edges.start + first_edge));
    }

    /// Appends a piece.
    fn put(&mut self, ring: &[u32]) {
        let number = self.made.first.len() as u32 - 1;
        self.made.ring.extend_from_slice(ring);
        let edge_count = self.made.ring.len();
        self.was_at.resize(edge_count, NONE);
        self.made.face.resize(edge_count, number);
        self.made.first.push(edge_count as u32);
    }

    /// Joins the polygons along their edges.
    fn join(&mut self, old: &Topology) {
        self.made.twin = vec![NONE; self.made.ring.len()];
        let mut loose = Vec::new();
        for (edge, &was_at) in (0_u32..).zip(&self.was_at) {
            if was_at == NONE {
                loose.push(edge);
                continue;
            }
            let twin = old.twin[was_at as usize];
            if twin == NONE {
                continue;
            }
            match self.now_at[twin as usize] {
                NONE => loose.push(edge),
                now_at => self.made.twin[edge as usize] = now_at,
            }
        }
        self.made.pair(loose);
    }

    fn polygon_tree(&self, old: &Topology) -> RectangleTree {
        let made = &self.made;
        let is_piece = |polygon: &u32| self.was_at[made.first[*polygon as usize] as usize] == NONE;
        let pieces = (0..made.polygon_count()).filter(is_piece);
        let pieces: Vec<BoundedItem> =
            pieces.map(|polygon| BoundedItem { item: polygon, bounds: made.span(polygon) }).collect();
        old.tree.patched(&self.number, &pieces).unwrap_or_else(|| {
            let spans: Vec<_> = (0..made.polygon_count()).map(|polygon| made.span(polygon)).collect();
            RectangleTree::new(&spans)
        })
    }

    fn wall_tree(&self, old: &Topology) -> RectangleTree {
        let made = &self.made;
        let mut number = vec![NO_ITEM; old.walls.len()];
        let mut new = Vec::new();
        // Both lists are in the order of their edges, and kept polygons keep theirs.
        let mut before = (0_usize..).zip(&old.walls);
        for (item, &wall) in (0_u32..).zip(&made.walls) {
            let was_at = self.was_at[wall as usize];
            let is_old = was_at != NONE && old.twin[was_at as usize] == NONE;
            let found = if is_old { before.find(|(_, old_wall)| **old_wall == was_at) } else { None };
            match found {
                Some((at, _)) => number[at] = item,
                None => new.push(BoundedItem { item, bounds: made.wall_span(wall) }),
            }
        }
        old.wall_tree.patched(&number, &new).unwrap_or_else(|| {
            let spans: Vec<_> = made.walls.iter().map(|&wall| made.wall_span(wall)).collect();
            RectangleTree::new(&spans)
        })
    }
}

/// Counts up from a number.
fn set_in_turn(places: &mut [u32], first: u32) {
    for (place, number) in places.iter_mut().zip(first..) {
        *place = number;
    }
}
