//! Those who stand in the way of one plan, over the cells of a map that everybody shares.
//!
//! In: circles on the ground, the cell in which the plan begins. Out: the cells they block for this plan alone.
//! Holds: a circle blocks every cell whose rectangle it reaches into and always the one with its centre, never the cell in
//! which the plan begins; the map is not changed. Not here: who counts as standing in the way.

use glam::Vec3;

use crate::base::geom;
use crate::nav::cells::map::{CellMap, View};
use crate::nav::cells::{Bits, Frame, sight};
use crate::nav::{Disc, Labels, Traversal};

/// How far from a goal that is covered a place beside it is looked for, metres.
pub(crate) const BESIDE_M: f64 = 8.0;

/// A circle in cells.
#[derive(Clone, Copy, Debug)]
struct Footprint {
    centre: [f64; 2],
    radius: f64,
}

impl Footprint {
    /// None for a circle that is nowhere.
    fn of(frame: &Frame, disc: &Disc) -> Option<Self> {
        let centre = frame.to_cells(geom::ground(disc.centre));
        let radius = (f64::from(disc.radius_m) / frame.cell_size_m).max(0.0);
        centre.into_iter().all(f64::is_finite).then_some(Self { centre, radius })
    }

    /// Whether it blocks a cell.
    fn holds(&self, x: i64, z: i64) -> bool {
        let [cx, cz] = self.centre;
        let away = |low: i64, centre: f64| (low as f64 - centre).max(centre - low as f64 - 1.0).max(0.0);
        let (dx, dz) = (away(x, cx), away(z, cz));
        dx * dx + dz * dz < self.radius * self.radius || (cx.floor() as i64, cz.floor() as i64) == (x, z)
    }

    /// The cells that it may block, as ranges of x and z, cut at the edges of the map.
    fn window(&self, frame: &Frame) -> [std::ops::Range<u32>; 2] {
        let range = |centre: f64, count: u32| {
            let clamp = |value: f64| value.clamp(0.0, f64::from(count)) as u32;
            clamp((centre - self.radius).floor())..clamp((centre + self.radius).floor() + 1.0)
        };
        [range(self.centre[0], frame.width), range(self.centre[1], frame.depth)]
    }
}

/// The cells of one plan, without those on which others stand.
#[derive(Clone, Debug)]
pub(crate) struct Overlay {
    bits: Bits,
    labels: Labels,
}

impl Overlay {
    /// None when nobody blocks a cell.
    pub(crate) fn new(frame: &Frame, bits: &Bits, start: (u32, u32), discs: &[Disc]) -> Option<Self> {
        let mut stamped = bits.clone();
        for footprint in discs.iter().filter_map(|disc| Footprint::of(frame, disc)) {
            let [columns, rows] = footprint.window(frame);
            for z in rows {
                for x in columns.clone() {
                    if (x, z) != start && footprint.holds(i64::from(x), i64::from(z)) {
                        stamped.set(x, z, false);
                    }
                }
            }
        }
        (stamped != *bits).then(|| Self { labels: Labels::of(&stamped), bits: stamped })
    }

    /// The cells that are left.
    pub(crate) fn bits(&self) -> &Bits {
        &self.bits
    }

    /// Whether a way joins two cells.
    pub(crate) fn joins(&self, from: (u32, u32), to: (u32, u32)) -> bool {
        let label = self.labels.label(from.0, from.1);
        label.is_some() && label == self.labels.label(to.0, to.1)
    }
}

/// Who stands on a cell: of several the one whose centre is nearest to a point, then the first.
pub(crate) fn occupant(frame: &Frame, discs: &[Disc], cell: (u32, u32), point: Vec3) -> Option<u32> {
    let standing = (0..).zip(discs).filter(|(_, disc)| {
        Footprint::of(frame, disc).is_some_and(|footprint| footprint.holds(cell.0.into(), cell.1.into()))
    });
    let away = |disc: &Disc| geom::flat_distance(disc.centre, point);
    standing.min_by(|a, b| away(a.1).total_cmp(&away(b.1))).map(|(index, _)| index)
}

impl CellMap {
    /// Whether the straight line is clear of what is in the way and of some circles, but for the cell in which it begins.
    #[must_use]
    pub fn is_clear_of(&self, from: Vec3, to: Vec3, by: &Traversal, discs: &[Disc]) -> bool {
        let (start, end) = (self.to_cells(from), self.to_cells(to));
        let view: View = self.view(by);
        if self.wrong_way(from, to, by).is_some() || !sight::clear(view.bits(), start, end) {
            return false;
        }
        // Farther than this from the line a circle cannot reach into a cell that the line touches.
        let near: Vec<Footprint> = discs
            .iter()
            .filter_map(|disc| Footprint::of(self.frame(), disc))
            .filter(|disc| {
                let reach = disc.radius + 3.0;
                geom::segment_distance_sq(disc.centre, start, end) < reach * reach
            })
            .collect();
        let own = (start[0].floor() as i64, start[1].floor() as i64);
        near.is_empty()
            || sight::touched(start, end).iter().all(|touch| {
                (touch.x, touch.z) == own || !near.iter().any(|disc| disc.holds(touch.x, touch.z))
            })
    }
}
