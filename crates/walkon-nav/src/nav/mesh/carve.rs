//! Cuts shapes out of a surface: obstacles that come and go while the level runs, other bodies.
//!
//! In: a surface, convex shapes. Out: the surface without them. Holds: only polygons under shapes are cut;
//! with [`CarvedPieces`] only polygons under changed shapes are cut again, and the result is bit-identical.
//! Cost: that of the polygons under the shapes, and a tenth of a microsecond for each of the others. Not
//! here: how a polygon is cut (`floor_layers`), which shapes (`build`, `plan`).

use crate::base::geom::{Bounds, Point};
use crate::nav::mesh::floor_layers::{PolygonCuts, cut_along, cut_up};
use crate::nav::mesh::groups::RectangleGroups;
use crate::nav::mesh::kept_pieces::KeptPieces;
use crate::nav::mesh::topology::Topology;
use crate::nav::mesh::triangulate::{
    GroundSegment, NEAR_M, OwnedRings, arrange_within, leave_each_once, split,
};
use crate::nav::mesh::wall_offset::{WallOffset, WallOffsets};

/// What some shapes leave of a surface.
pub(crate) fn carve(surface: &Topology, keepouts: &WallOffsets) -> Topology {
    let mut lines: Vec<GroundSegment> = Vec::new();
    keepouts.lines(&mut lines);
    let carving = Carving::new(surface, keepouts);
    let mut carved = cut_up(surface, &lines, &|polygon, point| carving.owner(polygon, point));
    carved.whole = surface.whole.clone();
    carved
}

/// What polygons were cut into so far, and where shapes that lie over one another bound the rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct CarvedPieces {
    cuts: KeptPieces<OwnedRings>,
    lines: KeptPieces<Vec<GroundSegment>>,
}

impl CarvedPieces {
    /// The same as [`carve`], without cutting again what was cut before.
    pub(crate) fn carve(&self, surface: &Topology, keepouts: &WallOffsets) -> Topology {
        let lines = self.lines(keepouts);
        let carving = Carving::new(surface, keepouts);
        let cuts = PolygonCuts {
            owner: &|polygon, point| carving.owner(polygon, point),
            rings: &|polygon, rim, lines| {
                let make = || arrange_within(rim, lines, &|point| carving.owner(polygon, point));
                self.cuts.find_or_make(carving.numbers(polygon, rim, lines), make)
            },
        };
        let mut carved = cut_along(surface, &lines, &cuts);
        carved.whole = surface.whole.clone();
        carved
    }

    /// The lines that bound some shapes, cut where they meet.
    fn lines(&self, keepouts: &WallOffsets) -> Vec<GroundSegment> {
        let bounds: Vec<Bounds> = keepouts.bounds().map(|around| around.grown(2.0 * NEAR_M)).collect();
        let mut all = Vec::new();
        for heap in RectangleGroups::of_overlapping(&bounds).lists() {
            let shapes = || heap.iter().map(|&at| keepouts.shape(at));
            let kept = self.lines.find_or_make(shapes().flat_map(WallOffset::numbers).collect(), || {
                let mut lines = Vec::new();
                WallOffsets::new(shapes().cloned().collect()).lines(&mut lines);
                split(&lines)
            });
            all.extend_from_slice(&kept);
        }
        leave_each_once(&mut all);
        all
    }
}

/// Shapes that lie on a surface.
struct Carving<'a> {
    surface: &'a Topology,
    keepouts: &'a WallOffsets,
    /// By polygon: whether a shape may lie on it.
    is_near: Vec<bool>,
}

impl<'a> Carving<'a> {
    fn new(surface: &'a Topology, keepouts: &'a WallOffsets) -> Self {
        let mut is_near = vec![false; surface.polygon_count() as usize];
        for around in keepouts.bounds() {
            surface.tree.visit(around, &mut |polygon| is_near[polygon as usize] = true);
        }
        Self { surface, keepouts, is_near }
    }

    /// The owner of the ground that is left at a point of a polygon.
    fn owner(&self, polygon: u32, point: Point) -> Option<u32> {
        let is_taken =
            self.is_near[polygon as usize] && self.keepouts.holds(point, self.surface.height(polygon, point));
        (!is_taken).then(|| self.surface.owner[polygon as usize])
    }

    /// All that decides about what a polygon is cut into.
    fn numbers(&self, polygon: u32, rim: &[Point], lines: &[GroundSegment]) -> Vec<u64> {
        let edges = self.surface.edges(polygon);
        let corners = edges.clone().map(|edge| self.surface.from(edge));
        let ends = lines.iter().flat_map(|line| [line.from, line.to]);
        let places = rim.iter().copied().chain(ends).chain(corners).flatten();
        let heights = edges.map(|edge| self.surface.height_from(edge));
        let owner = u64::from(self.surface.owner[polygon as usize]);
        let mut numbers = vec![owner, rim.len() as u64, lines.len() as u64];
        numbers.extend(places.chain(heights).map(f64::to_bits));
        let mut around = self.surface.span(polygon);
        rim.iter().for_each(|corner| around.include(*corner));
        self.keepouts.within(around).for_each(|shape| numbers.extend(shape.numbers()));
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;
    use crate::nav::RawMesh;
    use crate::nav::mesh::wall_offset::around;

    /// Squares of 4 m, the lines between them at random heights or all at one.
    fn ground(is_flat: bool, rng: &mut Rng) -> Topology {
        let rows: Vec<f64> = (0..6).map(|_| if is_flat { 0.0 } else { rng.float(0.0, 1.0) }).collect();
        let vertices =
            (0..36).map(|at| [f64::from(at % 6) * 4.0, rows[at as usize / 6], f64::from(at / 6) * 4.0]);
        let squares = (0..25).map(|at| at / 5 * 6 + at % 5);
        let polygons = squares.map(|at| vec![at, at + 1, at + 7, at + 6]).collect();
        RawMesh { vertices: vertices.collect(), polygons }.check().expect("squares").surface
    }

    /// Goal: what was cut before is cut no other way. Method: discs that come and go on flat and on folded
    /// ground, in heaps too; ground carved with all that was kept, against ground carved at once.
    #[test]
    fn ground_that_is_carved_bit_by_bit_is_that_carved_at_once() {
        let mut rng = Rng::stream(3, "carve");
        for round in 0..8 {
            let ground = ground(round % 2 == 0, &mut rng);
            let pieces = CarvedPieces::default();
            let mut shapes: Vec<WallOffset> = Vec::new();
            for _ in 0..20 {
                for _ in 0..1 + rng.below(4) {
                    let centre = [rng.float(-1.0, 21.0), rng.float(-1.0, 21.0)];
                    let radius_m = rng.float(0.05, [0.5, 3.0][round / 2 % 2]);
                    shapes.push(WallOffset::of_all_floors(around(centre, radius_m)));
                }
                if rng.unit() < 0.3 {
                    shapes.remove(rng.below(shapes.len() as u64) as usize);
                }
                let keepouts = WallOffsets::new(shapes.clone());
                let [one, other] = [pieces.carve(&ground, &keepouts), carve(&ground, &keepouts)];
                assert_eq!(format!("{one:?}"), format!("{other:?}"), "{} discs", shapes.len());
            }
            // In heaps of large discs, where one is cut bends its sides beyond the polygon.
            let before = pieces.cuts.count();
            shapes.push(WallOffset::of_all_floors(around([10.0, 10.0], 0.1)));
            pieces.carve(&ground, &WallOffsets::new(shapes));
            let again = pieces.cuts.count() - before;
            assert!(
                round / 2 % 2 == 1 || again <= 1,
                "{again} are cut again for a disc in the middle of one"
            );
        }
    }
}
