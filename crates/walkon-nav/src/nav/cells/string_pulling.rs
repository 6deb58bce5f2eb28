//! String pulling: the shortest line along a way over even ground.
//!
//! In: the places of a way from cell to cell, an exact test of straight lines, the cells. Out: places that
//! join to a line. Holds: every segment passed the test or joins two neighbours of the way; the line is never
//! longer than the one that takes, from each place, the furthest place of the way in line of sight; no place
//! can be left out. Method: first that line itself. A wall that hides one place hides all in its shadow,
//! which is convex: a straight run of the way with both ends in the shadow needs no test. Then every corner
//! of the line is pulled tight around the walls between its neighbours: the corners of walls furthest from
//! the straight line, and again on either side of each. Cost: a few tests of straight lines for each corner;
//! only places that are looked at are worked out. It may be done in slices, which change nothing but when.
//! Not here: ground of several prices (`nav/smooth.rs`).

use glam::Vec3;

use crate::base::geom::{self, Point};
use crate::nav::cell::Cell;
use crate::nav::cells::bits::Cells;
use crate::nav::cells::hex;
use crate::nav::cells::layout::OFFSETS;
use crate::nav::cells::tiling::CellShape;
use crate::nav::smooth::Effort;

/// Shadows remembered from one place: more are seldom of use.
const SHADOWS: usize = 8;
/// How far a wall is followed to either side for the sake of a wider shadow, cells.
const WALL_CELLS: u32 = 32;
/// Corners of walls that the line between two places may be pulled around at once.
const CORNERS_MAX: u32 = 6;
/// What a look along a line costs, about, beside the cells that it touches.
pub(crate) const LOOK_EFFORT: u64 = 32;
/// Cells of a wall that are followed to its corner.
const CLIMB_MAX: usize = 64;
/// What a way may be longer than the shortest, as part of its length.
const SPARE: f64 = 0.125;
/// By how much a detour is less from a cell one step back, at most, for each cell of the way: a diagonal step
/// towards the place it is seen from, and one less of the way.
const DETOUR_LOST: f64 = core::f64::consts::SQRT_2 + 1.0;
/// Shorter by less is not shorter.
const SLACK: f64 = 1e-7;

/// A place of a way: in the world, and in cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Knot {
    pub(crate) place: Vec3,
    pub(crate) at: Point,
}

/// What lines are pulled over.
pub(crate) struct Rope<'a, C> {
    cells: C,
    /// Whether a body can walk straight between two points, in cells.
    clear: &'a dyn Fn(Point, Point) -> bool,
    /// The middle of a cell.
    middle: &'a dyn Fn(Cell) -> Knot,
    /// What is looked at is counted here, but for what `clear` looks at.
    effort: &'a Effort,
}

/// A way: its places, by number, and those that its straight runs begin and end at, the first and the last
/// included.
pub(crate) struct RawPath<'a> {
    pub(crate) place: &'a dyn Fn(usize) -> Knot,
    pub(crate) turns: &'a [WayTurn],
}

/// A line as far as it is pulled.
#[derive(Clone, Debug, Default)]
pub(crate) struct PulledLine {
    line: Vec<Knot>,
    /// The last place taken, and the run of the way that holds it; none before the first.
    anchor: Option<WayTurn>,
    run: usize,
    tightening: Option<Tightening>,
}

/// How far a line is pulled tight around walls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tightening {
    /// The knot that is next.
    at: usize,
    /// Each change shortens the line; few are needed.
    left: usize,
}

impl Tightening {
    pub(crate) fn of(line: &[Knot]) -> Self {
        Self { at: 1, left: 8 * line.len() + 16 }
    }
}

impl PulledLine {
    /// The line; where it is not pulled yet, with the turns of the way that are left.
    pub(crate) fn line(mut self, turns: &[WayTurn]) -> Vec<Knot> {
        let taken = self.anchor.map(|anchor| anchor.index);
        let left = turns.iter().filter(|turn| taken.is_none_or(|taken| turn.index > taken));
        self.line.extend(left.map(|turn| turn.knot));
        self.line
    }
}

/// A place of a way at which it turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WayTurn {
    /// Its number.
    pub(crate) index: usize,
    pub(crate) knot: Knot,
    /// How far it is there along the way, in cells; 0 where nothing follows from that.
    pub(crate) walked: f64,
}

/// What is known of a line between two points.
enum Sight {
    Clear,
    Blocked,
    /// By this cell among others.
    Hidden(Cell<i64>),
}

/// The points that a wall hides from a place, relative to that place: those between two tangents and further
/// along the line of sight than the wall.
#[derive(Clone, Copy, Default)]
struct Shadow {
    left: Point,
    right: Point,
    sight: Point,
    /// Times the length of the line of sight.
    beyond: f64,
}

/// Corners found around walls.
struct WallCorners {
    corners: Vec<Knot>,
    left: u32,
    /// The corner there is now: when it is the first one found, the line is tight.
    known: Point,
}

impl<'a, C: Cells> Rope<'a, C> {
    /// Over cells, with a test whether a body can walk straight between two points, in cells, and the middle
    /// of a cell.
    pub(crate) fn new(
        cells: C,
        clear: &'a dyn Fn(Point, Point) -> bool,
        middle: &'a dyn Fn(Cell) -> Knot,
        effort: &'a Effort,
    ) -> Self {
        Self { cells, clear, middle, effort }
    }

    /// Goes on with the line along a way until it is tight, or the effort is spent; whether it is tight.
    pub(crate) fn pull(&self, way: &RawPath, pulled: &mut PulledLine) -> bool {
        if pulled.tightening.is_none() && !self.furthest(way, pulled) {
            return false;
        }
        let line = &mut pulled.line;
        let tightening = pulled.tightening.get_or_insert_with(|| Tightening::of(line));
        self.tighten(line, tightening, |_, _| true)
    }

    /// From each place to the furthest in line of sight; whether it came to the end.
    fn furthest(&self, way: &RawPath, pulled: &mut PulledLine) -> bool {
        let (Some(&start), Some(last)) = (way.turns.first(), way.turns.last()) else { return true };
        if pulled.anchor.is_none() {
            pulled.line.push(start.knot);
        }
        let mut anchor = pulled.anchor.unwrap_or(start);
        // Bounded by the places: each round takes a later one.
        while anchor.index < last.index && !self.effort.is_spent() {
            while way.turns[pulled.run + 1].index <= anchor.index {
                pulled.run += 1;
            }
            let [before, after] = [way.turns[pulled.run], way.turns[pulled.run + 1]];
            let part = (anchor.index - before.index) as f64 / (after.index - before.index) as f64;
            anchor.walked = before.walked + part * (after.walked - before.walked);
            anchor = self.furthest_from(way, anchor, &way.turns[pulled.run..]);
            pulled.line.push(anchor.knot);
        }
        pulled.anchor = Some(anchor);
        anchor.index >= last.index
    }

    /// The furthest place in line of sight of one; the next at least. `turns` begin with the run that holds
    /// it.
    fn furthest_from(&self, way: &RawPath, anchor: WayTurn, turns: &[WayTurn]) -> WayTurn {
        let at = |index: usize| WayTurn { index, knot: (way.place)(index), walked: 0.0 };
        let away = |turn: WayTurn| minus(turn.knot.at, anchor.knot.at);
        let next = anchor.index + 1;
        let mut shadows = Shadows::default();
        let mut run = turns.len() - 1;
        while run > 0 {
            run -= 1;
            self.effort.add(4);
            let (first, last) = (turns[run], turns[run + 1]);
            let first = if first.index < next { at(next) } else { first };
            let ends = [away(first), away(last)];
            let over = self.detour(&anchor, &last, ends[1]);
            if over > 0.0 {
                // What is left of the detour shrinks by no more than this from cell to cell.
                let hidden = last.walked - over / DETOUR_LOST;
                if self.detour(&anchor, &first, ends[0]) > 0.0 || hidden <= first.walked {
                    run = turns[..=run].partition_point(|turn| turn.walked < hidden).min(run);
                    continue;
                }
            }
            if shadows.hide(ends) {
                continue;
            }
            if let Some(seen) = self.furthest_of_run(anchor, first, last, &mut shadows, &at) {
                return seen;
            }
        }
        at(next)
    }

    /// The furthest place of a straight run, from its first to its last, in line of sight of a place before
    /// it.
    fn furthest_of_run(
        &self,
        anchor: WayTurn,
        first: WayTurn,
        mut last: WayTurn,
        shadows: &mut Shadows,
        at: &impl Fn(usize) -> WayTurn,
    ) -> Option<WayTurn> {
        let from = anchor.knot.at;
        let away = |turn: WayTurn| minus(turn.knot.at, from);
        // Bounded by the places of the run: every round leaves some behind, or finds what hides the last.
        while last.index >= first.index && last.index > anchor.index + 1 {
            let here = away(last);
            let before = match shadows.over(here) {
                Some(shadow) => {
                    self.effort.add(LOOK_EFFORT);
                    lit_before(&shadow, first.index, last.index, [away(first), here])
                }
                None => match self.look(from, last.knot.at) {
                    Sight::Clear => return Some(last),
                    Sight::Blocked => last.index - 1,
                    Sight::Hidden(cell) => {
                        let shadow = self.shadow(cell, from, here);
                        if shadow.hides(here) {
                            shadows.note(shadow);
                            continue;
                        } else if (self.clear)(from, last.knot.at) {
                            return Some(last);
                        }
                        last.index - 1
                    }
                },
            };
            last = at(before);
        }
        None
    }

    /// By how much the way from one place to another is longer than any that follows a straight line between
    /// them from cell to cell: when it is, and no shorter way was found, they do not see each other. With
    /// something to spare, for ways that are not quite the shortest.
    fn detour(&self, from: &WayTurn, to: &WayTurn, away: Point) -> f64 {
        (to.walked - from.walked) * (1.0 - SPARE) - longest_straight(self.cells.bits().shape(), away)
    }

    fn is_open(&self, Cell { x, z }: Cell<i64>) -> bool {
        self.cells.bits().at(x, z) && self.cells.is_open(x as u32, z as u32)
    }

    /// What lies between two points.
    fn look(&self, from: Point, to: Point) -> Sight {
        let is_steep = (to[1] - from[1]).abs() > (to[0] - from[0]).abs();
        let hidden = if self.cells.bits().shape().is_hexagonal() {
            self.first_blocked_hexagon(from, to)
        } else if is_steep {
            let [from, to] = [from, to].map(|[x, z]| [z, x]);
            self.first_blocked::<false>(from, to).map(|[z, x]| Cell { x, z })
        } else {
            self.first_blocked::<true>(from, to).map(|[x, z]| Cell { x, z })
        };
        let [dx, dz] = match hidden {
            Some(Cell { x, z }) => minus([x as f64, z as f64], from),
            None => minus(to, from),
        };
        self.effort.add(LOOK_EFFORT + dx.abs().max(dz.abs()) as u64);
        match hidden {
            Some(cell) => Sight::Hidden(cell),
            None if (self.clear)(from, to) => Sight::Clear,
            None => Sight::Blocked,
        }
    }

    fn first_blocked_hexagon(&self, from: Point, to: Point) -> Option<Cell<i64>> {
        let first = std::cell::Cell::new(None);
        let _ = hex::is_clear_where(from, to, |x, z| {
            let is_open = self.is_open(Cell { x, z });
            if !is_open {
                first.set(Some(Cell { x, z }));
            }
            is_open
        });
        first.get()
    }

    /// The first blocked square on the way between two points on the map, but for rounding and for those that
    /// are only touched. The first coordinate is the one that changes more: x when `IN_ROW`, else z.
    fn first_blocked<const IN_ROW: bool>(&self, from: Point, to: Point) -> Option<[i64; 2]> {
        /// Parts of a cell.
        const ONE: f64 = (1_i64 << 32) as f64;
        let bits = self.cells.bits();
        let [long, wide] =
            if IN_ROW { [bits.width(), bits.depth()] } else { [bits.depth(), bits.width()] }.map(f64::from);
        let is_on_map = |[along, aside]: Point| along >= 0.0 && aside >= 0.0 && along < long && aside < wide;
        if !is_on_map(from) || !is_on_map(to) {
            return None;
        }
        let (mut column, last) = (from[0] as i64, to[0] as i64);
        let (mut row, last_row) = (from[1] as i64, to[1] as i64);
        let step = if last >= column { 1 } else { -1 };
        let slope = (to[1] - from[1]) / (to[0] - from[0]).abs();
        let to_edge = if step > 0 { (column + 1) as f64 - from[0] } else { from[0] - column as f64 };
        // Off by a millionth of a cell at the end of the longest line: rounding.
        let mut leave = ((from[1] + slope * to_edge) * ONE) as i64;
        let rise = (slope * ONE) as i64;
        // Bounded by the columns between the ends.
        while column != last {
            if !self.cells.probe::<IN_ROW>(row, column) {
                return Some([column, row]);
            }
            let next = leave >> 32;
            if next != row && !self.cells.probe::<IN_ROW>(next, column) {
                return Some([column, next]);
            }
            row = next;
            leave += rise;
            column += step;
        }
        let hidden = [row, last_row].into_iter().find(|&row| !self.cells.probe::<IN_ROW>(row, last));
        hidden.map(|row| [last, row])
    }

    /// What a blocked cell hides from a place, with those beside it that belong to the same wall across the
    /// line of sight.
    fn shadow(&self, cell: Cell<i64>, from: Point, sight: Point) -> Shadow {
        self.effort.add(2 * LOOK_EFFORT);
        let length = libm::sqrt(sight[0] * sight[0] + sight[1] * sight[1]);
        let (x_m, z_m) = (cell.x as f64 - from[0], cell.z as f64 - from[1]);
        if self.cells.bits().shape().is_hexagonal() {
            // A square well within the hexagon.
            let beyond = along(sight, [x_m + 0.5, z_m + 0.5]) + 0.5 * length;
            let corners = corners_of([x_m + 0.25, z_m + 0.25], 0.5);
            return Shadow { left: tangent(corners, 1.0), right: tangent(corners, -1.0), sight, beyond };
        }
        let [left, right] = [1.0, -1.0].map(|side| self.wall(cell, from, sight, side));
        Shadow {
            left: tangent(corners_of(left.0, 1.0), 1.0),
            right: tangent(corners_of(right.0, 1.0), -1.0),
            sight,
            // Every corner of a cell is less than this from its middle.
            beyond: left.1.max(right.1) + 0.708 * length,
        }
    }

    /// Follows a wall from one of its cells to one side of a line of sight, along cells that touch: the
    /// lowest corner of the one seen furthest to that side, relative to the place that looks, and how far
    /// along the line of sight the middles of those on the way lie, times its length.
    fn wall(&self, cell: Cell<i64>, from: Point, sight: Point, side: f64) -> (Point, f64) {
        let width = i64::from(self.cells.bits().width());
        let depth = i64::from(self.cells.bits().depth());
        let length = libm::sqrt(sight[0] * sight[0] + sight[1] * sight[1]);
        let middle = |Cell { x, z }: Cell<i64>| [x as f64 + 0.5 - from[0], z as f64 + 0.5 - from[1]];
        let lowest = |middle: Point| [middle[0] - 0.5, middle[1] - 0.5];
        let is_on_map = |Cell { x, z }: Cell<i64>| x >= 0 && z >= 0 && x < width && z < depth;
        let mut best = (middle(cell), along(sight, middle(cell)));
        if !is_on_map(cell) {
            return (lowest(best.0), best.1);
        }
        // Not as far as what it is to hide, nor back beside the one that looks.
        let (nearest, furthest) = (0.5 * length, length * (length - 1.0));
        let directions = directions_aside(sight, side);
        let (mut here, mut deepest, mut idle) = (cell, best.1, 0);
        for _ in 0..WALL_CELLS {
            self.effort.add(4);
            let id = (here.z * width + here.x) as u32;
            let around = self.cells.around(Cell { x: here.x as u32, z: here.z as u32 }, id);
            let Some(direction) = directions.into_iter().find(|direction| around >> direction & 1 == 0)
            else {
                break;
            };
            let (dx, dz) = OFFSETS[direction];
            here = Cell { x: here.x + i64::from(dx), z: here.z + i64::from(dz) };
            let there = middle(here);
            let depth = along(sight, there);
            if !is_on_map(here) || depth < nearest || depth > furthest {
                break;
            }
            deepest = depth.max(deepest);
            idle += 1;
            if side * turn(best.0, there) > 0.0 {
                (best, idle) = ((there, deepest), 0);
            } else if idle > 4 {
                break;
            }
        }
        (lowest(best.0), best.1)
    }

    /// Pulls corners of a line around the walls between their neighbours, where a test agrees to what takes
    /// the place of three knots, until all are or the effort is spent; whether all are.
    pub(crate) fn tighten(
        &self,
        line: &mut Vec<Knot>,
        tightening: &mut Tightening,
        agrees: impl Fn([Knot; 3], &[Knot]) -> bool,
    ) -> bool {
        let Tightening { at, left } = tightening;
        while *at + 1 < line.len() && *left > 0 {
            if self.effort.is_spent() {
                return false;
            }
            *left -= 1;
            let three = [line[*at - 1], line[*at], line[*at + 1]];
            match self.around(three).filter(|corners| agrees(three, corners)) {
                Some(corners) => {
                    line.splice(*at..=*at, corners);
                    *at = (*at - 1).max(1);
                }
                None => *at += 1,
            }
        }
        true
    }

    /// The corners of a shorter line from the first of three knots to the last; None when the one in the
    /// middle is best.
    fn around(&self, [from, knot, to]: [Knot; 3]) -> Option<Vec<Knot>> {
        let wall = match self.look(from.at, to.at) {
            Sight::Clear => return Some(Vec::new()),
            Sight::Blocked => return None,
            Sight::Hidden(wall) => wall,
        };
        let side = geom::cross(from.at, to.at, knot.at);
        if side == 0.0 {
            return None;
        }
        let mut around = WallCorners { corners: Vec::new(), left: CORNERS_MAX, known: knot.at };
        if !self.go_past(wall, [from, to], side.signum(), &mut around) {
            return None;
        }
        let corners = around.corners;
        let mut length = 0.0;
        let mut last = from;
        for &next in corners.iter().chain([&to]) {
            length += self.between(last, next);
            last = next;
        }
        let now = self.between(from, knot) + self.between(knot, to);
        (length < now * (1.0 - SLACK)).then_some(corners)
    }

    fn between(&self, from: Knot, to: Knot) -> f64 {
        let [dx, dz] = minus(to.at, from.at);
        self.cells.bits().shape().metric.length_sq(dx, dz).sqrt()
    }

    /// Adds the corners around the walls between two knots, on one side; whether they make a clear line.
    /// Bounded by the corners.
    fn go_around(&self, from: Knot, to: Knot, side: f64, around: &mut WallCorners) -> bool {
        match self.look(from.at, to.at) {
            Sight::Clear => true,
            Sight::Blocked => false,
            Sight::Hidden(wall) => self.go_past(wall, [from, to], side, around),
        }
    }

    /// The same where a wall is known to be between them.
    fn go_past(&self, wall: Cell<i64>, [from, to]: [Knot; 2], side: f64, around: &mut WallCorners) -> bool {
        if around.left == 0 {
            return false;
        }
        around.left -= 1;
        let Some(cell) = self.corner(wall, minus(to.at, from.at), side) else { return false };
        let corner = (self.middle)(cell);
        let is_known = around.corners.is_empty() && corner.at == around.known;
        if is_known || corner.at == from.at || corner.at == to.at {
            return false;
        }
        if !self.go_around(from, corner, side, around) {
            return false;
        }
        around.corners.push(corner);
        self.go_around(corner, to, side, around)
    }

    /// The open cell at the corner of a wall that is furthest to one side of a direction, near a cell of the
    /// wall.
    fn corner(&self, mut wall: Cell<i64>, towards: Point, side: f64) -> Option<Cell> {
        let bits = self.cells.bits();
        let is_hexagonal = bits.shape().is_hexagonal();
        let aside = DirectionRange::of(towards, side, bits.shape());
        for _ in 0..CLIMB_MAX {
            self.effort.add(4);
            let (x, z) = (u32::try_from(wall.x).ok()?, u32::try_from(wall.z).ok()?);
            if x >= bits.width() || z >= bits.depth() {
                return None;
            }
            let around = self.cells.around(Cell { x, z }, z * bits.width() + x);
            let is_open = |direction: &usize| around >> direction & 1 != 0;
            let known = &aside.directions[..aside.count];
            let climb = known.iter().find(|direction| !is_open(direction));
            let is_corner = |direction: &&usize| is_open(direction) && (*direction & 1 != 0 || is_hexagonal);
            let &direction = climb.or_else(|| known.iter().find(is_corner))?;
            let (dx, dz) = OFFSETS[direction];
            wall = Cell { x: wall.x + i64::from(dx), z: wall.z + i64::from(dz) };
            if climb.is_none() {
                return Some(Cell { x: u32::try_from(wall.x).ok()?, z: u32::try_from(wall.z).ok()? });
            }
        }
        None
    }
}

/// The directions of travel that lead to one side of a line, the one that leads furthest first.
struct DirectionRange {
    directions: [usize; 8],
    count: usize,
}

impl DirectionRange {
    fn of([dx, dz]: Point, side: f64, shape: CellShape) -> Self {
        let mut aside = Self { directions: [0; 8], count: 0 };
        let mut ranks = [[0.0; 2]; 8];
        for (direction, (x, z)) in OFFSETS.into_iter().enumerate() {
            let (along, across) = (f64::from(x), f64::from(z));
            let rank = [side * (dx * across - dz * along), dx * along + dz * across];
            if rank[0] <= 0.0 || shape.is_hexagonal() && direction & 3 == 1 {
                continue;
            }
            let mut at = aside.count;
            while at > 0 && rank > ranks[at - 1] {
                (ranks[at], aside.directions[at]) = (ranks[at - 1], aside.directions[at - 1]);
                at -= 1;
            }
            (ranks[at], aside.directions[at]) = (rank, direction);
            aside.count += 1;
        }
        aside
    }
}

/// How far it is along a straight run of a way, in cells; of ground on which no detour is known 0.
pub(crate) fn run_length(shape: CellShape, run: Point) -> f64 {
    if shape.is_plain() {
        let [dx, dz] = run.map(f64::abs);
        dx.max(dz) + (core::f64::consts::SQRT_2 - 1.0) * dx.min(dz)
    } else if shape.is_hexagonal() {
        libm::sqrt(shape.metric.length_sq(run[0], run[1]))
    } else {
        0.0
    }
}

/// How far it is at most from cell to cell along a straight line between two places.
fn longest_straight(shape: CellShape, [dx, dz]: Point) -> f64 {
    if !shape.is_hexagonal() {
        return dx.abs() + dz.abs() + 2.0;
    }
    // Hexagons have neighbours in x, in z, and where both change by one, the other way.
    let [along, across, aside] =
        [[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]].map(|[x, z]| libm::sqrt(shape.metric.length_sq(x, z)));
    let both = if dx * dz < 0.0 { dx.abs().min(dz.abs()) } else { 0.0 };
    let steps = along * (dx.abs() - both) + across * (dz.abs() - both) + aside * both;
    steps + 3.0 * along.max(across).max(aside)
}

/// The last place of a run before those that a shadow hides, of which its last is one; one before the run
/// when it hides all.
fn lit_before(shadow: &Shadow, first: usize, last: usize, [from, to]: [Point; 2]) -> usize {
    if shadow.hides(from) {
        return first - 1;
    }
    let step = [0, 1].map(|axis| (to[axis] - from[axis]) / (last - first) as f64);
    let (mut lit, mut hidden) = (first, last);
    while hidden - lit > 1 {
        let middle = lit.midpoint(hidden);
        let cells = (middle - first) as f64;
        if shadow.hides([from[0] + cells * step[0], from[1] + cells * step[1]]) {
            hidden = middle;
        } else {
            lit = middle;
        }
    }
    lit
}

impl Shadow {
    /// Whether a point lies in it, by a hair at least.
    #[inline(always)]
    fn hides(&self, point: Point) -> bool {
        // Middles of cells lie on a tangent, or further from it.
        const HAIR: f64 = 1e-2;
        turn(self.left, point) < -HAIR
            && turn(self.right, point) > HAIR
            && along(self.sight, point) > self.beyond
    }
}

/// The last shadows seen from one place.
#[derive(Default)]
struct Shadows {
    known: [Shadow; SHADOWS],
    noted: usize,
}

impl Shadows {
    fn note(&mut self, shadow: Shadow) {
        self.known[self.noted % SHADOWS] = shadow;
        self.noted += 1;
    }

    fn known(&self) -> &[Shadow] {
        &self.known[..self.noted.min(SHADOWS)]
    }

    /// Whether both ends of a straight run lie in one.
    fn hide(&self, ends: [Point; 2]) -> bool {
        self.known().iter().any(|shadow| shadow.hides(ends[0]) && shadow.hides(ends[1]))
    }

    /// One that a point lies in.
    fn over(&self, point: Point) -> Option<Shadow> {
        self.known().iter().find(|shadow| shadow.hides(point)).copied()
    }
}

/// The three directions of travel that lead most to one side of a direction (the left above zero), the one
/// that leads furthest back along it first.
fn directions_aside([dx, dz]: Point, side: f64) -> [usize; 3] {
    // The tangent of half the angle between two neighbours.
    const HALF: f64 = core::f64::consts::SQRT_2 - 1.0;
    let (long, wide) = (dx.abs().max(dz.abs()), dx.abs().min(dz.abs()));
    // The nearest of the eight, and whether the next one in their order is the next nearest.
    let quarter = match (dx.abs() >= dz.abs(), dx >= 0.0, dz >= 0.0) {
        (true, true, _) => 0,
        (true, false, _) => 4,
        (false, _, true) => 2,
        (false, _, false) => 6,
    };
    let is_onward = match quarter {
        0 => dz >= 0.0,
        4 => dz < 0.0,
        2 => dx < 0.0,
        _ => dx >= 0.0,
    };
    let is_slanted = wide > HALF * long;
    let onward = if is_onward { 1 } else { 7 };
    let nearest = if is_slanted { quarter + onward } else { quarter };
    let aside = nearest + if side > 0.0 { 2 } else { 6 };
    // Of those on either side of it, the one that turns away from the direction.
    let back = if side > 0.0 { 1 } else { 7 };
    [aside + back, aside, aside + 8 - back].map(|direction| direction & 7)
}

/// The corners of a square.
fn corners_of([x, z]: Point, side: f64) -> [Point; 4] {
    [[x, z], [x + side, z], [x + side, z + side], [x, z + side]]
}

/// The corner seen furthest to one side.
fn tangent(corners: [Point; 4], side: f64) -> Point {
    let further = |best: Point, next: Point| if side * turn(best, next) > 0.0 { next } else { best };
    corners.into_iter().fold(corners[0], further)
}

/// How far a point lies along a line of sight, times its length.
#[inline(always)]
fn along(sight: Point, point: Point) -> f64 {
    sight[0] * point[0] + sight[1] * point[1]
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

/// Above zero when the second direction is a turn to the left of the first.
fn turn(a: Point, b: Point) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_aside_lead_most_to_their_side() {
        for turn_of in 0..360 {
            let angle = f64::from(turn_of).to_radians() + 0.001;
            let sight = [libm::cos(angle) * 7.0, libm::sin(angle) * 7.0];
            for side in [1.0, -1.0] {
                let unit = |direction: usize| {
                    let [x, z] = [f64::from(OFFSETS[direction].0), f64::from(OFFSETS[direction].1)];
                    let length = libm::hypot(x, z);
                    [x / length, z / length]
                };
                let mut all: Vec<usize> = (0..8).collect();
                all.sort_by(|a, b| (side * turn(sight, unit(*b))).total_cmp(&(side * turn(sight, unit(*a)))));
                let found = directions_aside(sight, side);
                assert_eq!(found[1], all[0], "{turn_of} degrees, {side}");
                let mut sorted = found;
                sorted.sort_unstable();
                all[..3].sort_unstable();
                assert_eq!(sorted[..], all[..3], "{turn_of} degrees, {side}");
                assert!(
                    along(sight, unit(found[0])) < along(sight, unit(found[2])),
                    "{turn_of} degrees, {side}"
                );
            }
        }
    }
}
