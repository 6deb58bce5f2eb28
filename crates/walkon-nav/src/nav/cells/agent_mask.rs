//! An overlay that blocks the cells under other bodies, for one plan on a shared map.
//!
//! In: circles on the ground, the cell in which the plan begins. Out: the cells that are left, for every
//! kernel. Holds: a circle blocks every cell whose rectangle it reaches into and always the one with its
//! centre, never the cell in which the plan begins; the map is neither changed nor copied. Words of 64 cells
//! that differ from the map are kept in chains, one a line, so that a line on which no body stands costs one
//! comparison more. Not here: the choice of bodies, plans that they close in (`plan`).

use glam::Vec3;

use crate::base::geom::{self, Point};
use crate::nav::cell::Cell;
use crate::nav::cells::bits::{Cells, Plane, ScanStop};
use crate::nav::cells::map::CellMap;
use crate::nav::cells::tiling::CellShape;
use crate::nav::cells::{Bits, MapFrame, line_of_sight};
use crate::nav::connected_components::arcs;
use crate::nav::{Disc, Traversal};

/// The end of a chain.
const NONE: u32 = u32::MAX;

/// Room for what one body of ordinary size changes: some lines, two words where it stands on the border of
/// one.
const PATCHES_PER_DISC: usize = 6;

/// For the cells around one, by row and column: the bit of the direction that leads to it. Directions as in
/// `layout::OFFSETS`.
const TOWARDS: [[u8; 3]; 3] = [[1 << 1, 1 << 2, 1 << 3], [1, 0, 1 << 4], [1 << 7, 1 << 6, 1 << 5]];

/// A circle in cells; its radius in the unit of length of the map.
#[derive(Clone, Copy, Debug)]
struct Footprint {
    centre: [f64; 2],
    radius: f64,
    /// The cell with its centre.
    own: Cell<i64>,
    shape: CellShape,
}

impl Footprint {
    /// None for a circle that is nowhere.
    fn of(frame: &MapFrame, disc: &Disc) -> Option<Self> {
        let centre = frame.to_cells(geom::ground(disc.centre));
        let radius = (f64::from(disc.radius_m) / frame.cell_size_m).max(0.0);
        let (own, shape) = (frame.cell_around(centre), frame.tiling.shape());
        centre.into_iter().all(f64::is_finite).then_some(Self { centre, radius, own, shape })
    }

    /// Whether it blocks a cell.
    fn holds(&self, x: i64, z: i64) -> bool {
        if !self.shape.is_plain() {
            return self.own == Cell { x, z }
                || self.shape.away_sq(self.centre, Cell { x, z }) < self.radius * self.radius;
        }
        let [cx, cz] = self.centre;
        let away = |low: i64, centre: f64| (low as f64 - centre).max(centre - low as f64 - 1.0).max(0.0);
        let (dx, dz) = (away(x, cx), away(z, cz));
        dx * dx + dz * dz < self.radius * self.radius || self.own == Cell { x, z }
    }

    /// The cells of the map that it may block: ranges of x and z.
    fn window(&self, frame: &MapFrame) -> [[u32; 2]; 2] {
        let [reach_x, reach_z] = self.shape.reach(self.radius);
        let range = |centre: f64, reach: f64, count: u32| {
            let clamp = |value: f64| value.clamp(0.0, f64::from(count)) as u32;
            [clamp((centre - reach).floor()), clamp((centre + reach).floor() + 1.0)]
        };
        [range(self.centre[0], reach_x, frame.width), range(self.centre[1], reach_z, frame.depth)]
    }
}

/// What differs from the map in one word of a line.
#[derive(Clone, Copy, Debug)]
struct MaskPatch {
    line: u32,
    word: u32,
    /// The next patch of the same line, in no order.
    next: u32,
    blocked: u64,
    /// Where scans stop beyond where they do on the map, towards higher positions and towards lower ones.
    rising: u64,
    falling: u64,
}

/// The patches of all rows, or of all columns.
#[derive(Clone, Debug)]
struct MaskLines {
    /// The first line that has any.
    first: u32,
    /// The first patch of each line from there on.
    heads: Vec<u32>,
    patches: Vec<MaskPatch>,
}

impl MaskLines {
    /// For lines from `first` to `end`, exclusive, with room for some patches.
    fn over([first, end]: [u32; 2], room: usize) -> Self {
        let heads = vec![NONE; end.saturating_sub(first) as usize];
        Self { first, heads, patches: Vec::with_capacity(room) }
    }

    /// The first patch of a line.
    #[inline(always)]
    fn head(&self, line: u32) -> u32 {
        self.heads.get(line.wrapping_sub(self.first) as usize).copied().unwrap_or(NONE)
    }

    /// The patch of a word. Bounded by the patches of the line.
    #[inline(always)]
    fn find(&self, line: u32, word: u32) -> Option<usize> {
        let mut at = self.head(line);
        while at != NONE {
            let patch = &self.patches[at as usize];
            if patch.word == word {
                return Some(at as usize);
            }
            at = patch.next;
        }
        None
    }

    /// The same, made when there is none.
    fn put(&mut self, line: u32, word: u32) -> usize {
        if let Some(found) = self.find(line, word) {
            return found;
        }
        let head = &mut self.heads[(line - self.first) as usize];
        let new = self.patches.len();
        self.patches.push(MaskPatch { line, word, next: *head, blocked: 0, rising: 0, falling: 0 });
        *head = new as u32;
        new
    }

    #[inline(always)]
    fn is_blocked(&self, line: u32, at: u32) -> bool {
        self.find(line, at >> 6).is_some_and(|patch| self.patches[patch].blocked >> (at & 63) & 1 != 0)
    }

    fn block(&mut self, line: u32, at: u32) {
        let patch = self.put(line, at >> 6);
        let (patch, bit) = (&mut self.patches[patch], 1 << (at & 63));
        (patch.blocked, patch.rising, patch.falling) =
            (patch.blocked | bit, patch.rising | bit, patch.falling | bit);
    }

    /// Lets scans along the lines beside blocked cells stop where there is room to turn past them.
    fn stop_beside(&mut self, plane: &Plane) {
        for at in 0..self.patches.len() {
            let MaskPatch { line, word, blocked, .. } = self.patches[at];
            if blocked == 0 {
                continue;
            }
            let open = plane.word(line, word) & !blocked;
            self.stop(plane, line, word, blocked << 1 & open, blocked >> 1 & open);
            // From the last cell of a word to the first of the next, and back.
            let is_open = |lines: &Self, at: u32| plane.get(line, at) && !lines.is_blocked(line, at);
            if blocked >> 63 != 0 && 64 * word + 64 < plane.length() && is_open(self, 64 * word + 64) {
                self.stop(plane, line, word + 1, 1, 0);
            }
            if blocked & 1 != 0 && word > 0 && is_open(self, 64 * word - 1) {
                self.stop(plane, line, word - 1, 0, 1 << 63);
            }
        }
    }

    /// Adds stops, rising and falling, to a word of the lines before and after one.
    fn stop(&mut self, plane: &Plane, line: u32, word: u32, rising: u64, falling: u64) {
        if rising | falling == 0 {
            return;
        }
        for beside in [line.wrapping_sub(1), line + 1] {
            if beside < plane.lines() {
                let patch = self.put(beside, word);
                let patch = &mut self.patches[patch];
                (patch.rising, patch.falling) = (patch.rising | rising, patch.falling | falling);
            }
        }
    }

    /// A stop of the map, or one before it.
    #[inline(never)]
    fn rise(&self, plane: &Plane, line: u32, at: u32, mut found: ScanStop) -> ScanStop {
        let mut next = self.head(line);
        // Bounded by the patches of the line.
        while next != NONE {
            let patch = &self.patches[next as usize];
            let ahead = if patch.word == at >> 6 { !1 << (at & 63) } else { !0 };
            let stops = if patch.word >= at >> 6 { patch.rising & ahead } else { 0 };
            let stop = 64 * patch.word + (stops.trailing_zeros() & 63);
            if stops != 0 && stop <= found.at {
                let is_open = plane.get(line, stop) && patch.blocked >> (stop & 63) & 1 == 0;
                found = ScanStop { at: stop, is_open };
            }
            next = patch.next;
        }
        found
    }

    /// The same towards lower positions; none wraps around below zero.
    #[inline(never)]
    fn fall(&self, plane: &Plane, line: u32, at: u32, mut found: ScanStop) -> ScanStop {
        let mut next = self.head(line);
        // Bounded by the patches of the line.
        while next != NONE {
            let patch = &self.patches[next as usize];
            let ahead = if patch.word == at >> 6 { (1 << (at & 63)) - 1 } else { !0 };
            let stops = if patch.word <= at >> 6 { patch.falling & ahead } else { 0 };
            let stop = 64 * patch.word + (63 - (stops | 1).leading_zeros());
            if stops != 0 && stop + 1 >= found.at.wrapping_add(1) {
                let is_open = plane.get(line, stop) && patch.blocked >> (stop & 63) & 1 == 0;
                found = ScanStop { at: stop, is_open };
            }
            next = patch.next;
        }
        found
    }
}

/// What the bodies in the way change about the cells of a plan.
#[derive(Clone, Debug)]
pub(crate) struct AgentMask {
    rows: MaskLines,
    columns: MaskLines,
    /// By patch of the rows: what lies around the cells of its word.
    around: Vec<[u8; 64]>,
    may_divide: bool,
}

impl AgentMask {
    /// None when nobody blocks a cell. Cost: about the cells that are blocked, and the lines between the
    /// first and the last.
    pub(crate) fn new(frame: &MapFrame, bits: &Bits, start: Cell, discs: &[Disc]) -> Option<Self> {
        let footprints = || discs.iter().filter_map(|disc| Footprint::of(frame, disc));
        let mut around = [[u32::MAX, 0]; 2];
        for window in footprints().map(|footprint| footprint.window(frame)) {
            if window.iter().all(|[first, end]| first < end) {
                let join = |all: [u32; 2], own: [u32; 2]| [all[0].min(own[0]), all[1].max(own[1])];
                around = [join(around[0], window[0]), join(around[1], window[1])];
            }
        }
        let [columns, rows] = around;
        if rows[0] >= rows[1] {
            return None;
        }
        let grown = |[first, end]: [u32; 2], count: u32| [first.saturating_sub(1), (end + 1).min(count)];
        let room = PATCHES_PER_DISC * discs.len();
        let mut new = Self {
            rows: MaskLines::over(grown(rows, frame.depth), room),
            columns: MaskLines::over(grown(columns, frame.width), room),
            around: Vec::with_capacity(room),
            may_divide: false,
        };
        let mut is_met = false;
        for footprint in footprints() {
            let [columns, rows] = footprint.window(frame);
            for z in rows[0]..rows[1] {
                for x in columns[0]..columns[1] {
                    let is_in = Cell { x, z } != start && footprint.holds(i64::from(x), i64::from(z));
                    if is_in && bits.get(x, z) && !new.rows.is_blocked(z, x) {
                        new.block(bits, x, z);
                        is_met = true;
                    }
                }
            }
        }
        new.rows.stop_beside(bits.plane::<true>());
        new.columns.stop_beside(bits.plane::<false>());
        new.look_around(bits);
        is_met.then_some(new)
    }

    fn block(&mut self, bits: &Bits, x: u32, z: u32) {
        let patch = self.row_patch(bits, z, x >> 6);
        self.may_divide |= arcs(self.around[patch][(x & 63) as usize], bits.shape()) > 1;
        self.rows.block(z, x);
        self.columns.block(x, z);
        for (row, towards) in (0..).zip(TOWARDS) {
            let line = (z + row).wrapping_sub(1);
            if line >= bits.depth() {
                continue;
            }
            let mut patch = self.row_patch(bits, line, x >> 6);
            let in_word = (x & 63) as usize;
            if (1..63).contains(&in_word) && x + 1 < bits.width() {
                // All three lie in one word, as nearly always.
                let [before, here, after] = towards;
                let around = &mut self.around[patch];
                around[in_word - 1] &= !before;
                around[in_word] &= !here;
                around[in_word + 1] &= !after;
                continue;
            }
            for (column, bit) in (0..).zip(towards) {
                let at = (x + column).wrapping_sub(1);
                if at >= bits.width() {
                    continue;
                }
                if at >> 6 != self.rows.patches[patch].word {
                    patch = self.row_patch(bits, line, at >> 6);
                }
                self.around[patch][(at & 63) as usize] &= !bit;
            }
        }
    }

    fn row_patch(&mut self, bits: &Bits, z: u32, word: u32) -> usize {
        let patch = self.rows.put(z, word);
        if self.around.len() < self.rows.patches.len() {
            self.look_around(bits);
        }
        patch
    }

    /// Copies what lies around the cells of the rows' patches that are new.
    fn look_around(&mut self, bits: &Bits) {
        for patch in &self.rows.patches[self.around.len()..] {
            let cells = bits.around_word(patch.line, patch.word);
            let mut around = [0; 64];
            around[..cells.len()].copy_from_slice(cells);
            self.around.push(around);
        }
    }

    #[inline(always)]
    fn lines<const IN_ROW: bool>(&self) -> &MaskLines {
        if IN_ROW { &self.rows } else { &self.columns }
    }

    /// Whether blocking its cells may have cut off others: false when all that hung together still does.
    pub(crate) fn may_divide(&self) -> bool {
        self.may_divide
    }

    /// The cells that are left of those of a map.
    pub(crate) fn over<'a>(&'a self, bits: &'a Bits) -> RestOfMap<'a> {
        RestOfMap { bits, overlay: self }
    }
}

/// The cells of a map without those on which others stand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RestOfMap<'a> {
    bits: &'a Bits,
    overlay: &'a AgentMask,
}

impl Cells for RestOfMap<'_> {
    #[inline(always)]
    fn bits(&self) -> &Bits {
        self.bits
    }

    #[inline(always)]
    fn is_open(&self, x: u32, z: u32) -> bool {
        self.bits.get(x, z) && !self.overlay.rows.is_blocked(z, x)
    }

    #[inline(always)]
    fn around(&self, Cell { x, z }: Cell, id: u32) -> u8 {
        match self.overlay.rows.find(z, x >> 6) {
            Some(patch) => self.overlay.around[patch][(x & 63) as usize],
            None => self.bits.around(Cell { x, z }, id),
        }
    }

    #[inline(always)]
    fn row_word(&self, z: u32, word: u32) -> u64 {
        let rows = &self.overlay.rows;
        let blocked = rows.find(z, word).map_or(0, |patch| rows.patches[patch].blocked);
        self.bits.row_word(z, word as usize) & !blocked
    }

    #[inline(always)]
    fn rise<const IN_ROW: bool>(&self, line: u32, at: u32, blocks: &mut u32) -> ScanStop {
        let (plane, lines) = (self.bits.plane::<IN_ROW>(), self.overlay.lines::<IN_ROW>());
        let found = plane.rise(line, at, blocks);
        if lines.head(line) == NONE { found } else { lines.rise(plane, line, at, found) }
    }

    #[inline(always)]
    fn fall<const IN_ROW: bool>(&self, line: u32, at: u32, blocks: &mut u32) -> ScanStop {
        let (plane, lines) = (self.bits.plane::<IN_ROW>(), self.overlay.lines::<IN_ROW>());
        let found = plane.fall(line, at, blocks);
        if lines.head(line) == NONE { found } else { lines.fall(plane, line, at, found) }
    }

    #[inline(always)]
    fn probe<const IN_ROW: bool>(&self, line: i64, at: i64) -> bool {
        self.bits.plane::<IN_ROW>().probe(line, at)
            && !self.overlay.lines::<IN_ROW>().is_blocked(line as u32, at as u32)
    }
}

/// The disc that stands on a cell: of several the one whose centre is nearest to a point, then the first.
pub(crate) fn occupant(frame: &MapFrame, discs: &[Disc], cell: Cell, point: Vec3) -> Option<u32> {
    let standing = (0..).zip(discs).filter(|(_, disc)| {
        Footprint::of(frame, disc).is_some_and(|footprint| footprint.holds(cell.x.into(), cell.z.into()))
    });
    let away = |disc: &Disc| geom::flat_distance(disc.centre, point);
    standing.min_by(|a, b| away(a.1).total_cmp(&away(b.1))).map(|(index, _)| index)
}

impl CellMap {
    /// Whether one of these circles blocks a cell for plans that do not begin in it. Cost: the circles.
    #[must_use]
    pub fn is_occupied(&self, x: u32, z: u32, discs: &[Disc]) -> bool {
        let mut footprints = discs.iter().filter_map(|disc| Footprint::of(self.frame(), disc));
        footprints.any(|footprint| footprint.holds(x.into(), z.into()))
    }

    /// Whether the straight line is clear of what is in the way and of some circles, but for the cell in
    /// which it begins.
    #[must_use]
    pub(crate) fn is_clear_of_discs(&self, from: Vec3, to: Vec3, by: &Traversal, discs: &[Disc]) -> bool {
        let (start, end) = (self.to_cells(from), self.to_cells(to));
        let view = self.view(by);
        if self.goes_wrong(from, to, by) || !line_of_sight::clear(view.bits(), start, end) {
            return false;
        }
        let shape = self.frame().tiling.shape();
        let (flat_start, flat_end) = (shape.metric.flat(start), shape.metric.flat(end));
        let widest = shape.width();
        let is_near = |disc: &Footprint| {
            // Farther from the line a circle reaches into no cell that the line touches.
            let reach = disc.radius + widest;
            geom::segment_distance_sq(shape.metric.flat(disc.centre), flat_start, flat_end) < reach * reach
        };
        let footprints = discs.iter().filter_map(|disc| Footprint::of(self.frame(), disc));
        let near = RowOfDiscs::new([flat_start, flat_end], footprints.filter(is_near).collect());
        let own = self.frame().cell_around(start);
        near.discs.is_empty()
            || line_of_sight::is_clear_where(shape, start, end, |x, z| {
                Cell { x, z } == own || !near.about(x, z).any(|disc| disc.holds(x, z))
            })
    }
}

/// Circles in the order in which a line passes them.
struct RowOfDiscs {
    start: Point,
    /// The direction of the line, of length 1.
    toward: Point,
    discs: Vec<Footprint>,
    /// How far along the line, from where counting begins, and the number of the disc.
    order: Vec<(u32, u32)>,
    reach: u32,
}

impl RowOfDiscs {
    fn new([start, end]: [Point; 2], discs: Vec<Footprint>) -> Self {
        let way = [end[0] - start[0], end[1] - start[1]];
        let length = libm::hypot(way[0], way[1]).max(f64::MIN_POSITIVE);
        let toward = [way[0] / length, way[1] / length];
        let widest = discs.iter().map(|disc| disc.radius + disc.shape.width()).fold(0.0, f64::max);
        // Rounded up, because places along the line are rounded down.
        let reach = (widest + 2.0) as u32;
        let mut row = Self { start, toward, discs, order: Vec::new(), reach };
        let along = |(at, disc): (u32, &Footprint)| (row.along(disc.shape.metric.flat(disc.centre)), at);
        row.order = (0..).zip(&row.discs).map(along).collect();
        row.order.sort_unstable();
        row
    }

    /// Whole cells, from far before the line.
    fn along(&self, point: Point) -> u32 {
        const BEFORE: f64 = 2_147_483_648.0;
        let away = [point[0] - self.start[0], point[1] - self.start[1]];
        (away[0] * self.toward[0] + away[1] * self.toward[1] + BEFORE) as u32
    }

    /// Those that may reach into a cell.
    fn about(&self, x: i64, z: i64) -> impl Iterator<Item = &Footprint> {
        let centre = [x as f64 + 0.5, z as f64 + 0.5];
        let along = self.discs.first().map_or(0, |disc| self.along(disc.shape.metric.flat(centre)));
        let (low, high) = (along.saturating_sub(self.reach), along.saturating_add(self.reach));
        let first = self.order.partition_point(|entry| entry.0 < low);
        let about = self.order[first..].iter().take_while(move |entry| entry.0 <= high);
        about.map(|entry| &self.discs[entry.1 as usize])
    }
}

#[cfg(test)]
mod tests;
