//! The shortest line along a way over even ground.
//!
//! In: the places of a way from cell to cell, an exact test of straight lines, the cells. Out: places that join to a line. Holds:
//! every segment passed the test or joins two neighbours of the way; the line is never longer than the one that takes, from each
//! place, the furthest place of the way in line of sight; no place can be left out.
//! Method: first that line itself. A wall that hides one place hides all in its shadow, which is convex: a straight run of the way
//! with both ends in the shadow needs no test. Then every corner of the line is pulled tight around the walls between its
//! neighbours: the corners of walls furthest from the straight line, and again on either side of each.
//! Cost: some ten tests of straight lines for each corner. Not here: ground of several prices (`nav/smooth.rs`).

use std::cell::Cell;

use glam::Vec3;

use crate::base::geom::{self, Point};
use crate::nav::cells::bits::Cells;
use crate::nav::cells::hex;
use crate::nav::cells::layout::OFFSETS;

/// Shadows remembered from one place: more are seldom of use.
const SHADOWS: usize = 4;
/// How far a wall is followed to either side for the sake of a wider shadow, cells.
const WALL_CELLS: i64 = 12;
/// Corners of walls that the line between two places may be pulled around at once.
const CORNERS_MAX: u32 = 6;
/// Cells of a wall that are followed to its corner.
const CLIMB_MAX: usize = 64;
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
    middle: &'a dyn Fn((u32, u32)) -> Knot,
}

/// A way: its places, and which of them its straight runs begin and end at, the first and the last included.
pub(crate) struct Way {
    pub(crate) knots: Vec<Knot>,
    pub(crate) turns: Vec<usize>,
}

/// What is known of a line between two points.
enum Sight {
    Clear,
    Blocked,
    /// By this cell among others.
    Hidden((i64, i64)),
}

/// The points that a wall hides from a place, relative to that place: those between two tangents and beyond the chord between the
/// points where they touch the wall.
#[derive(Clone, Copy, Default)]
struct Shadow {
    left: Point,
    right: Point,
}

/// Corners found around walls.
struct Around {
    corners: Vec<Knot>,
    left: u32,
    /// The corner there is now: when it is the first one found, the line is tight.
    known: Point,
}

impl<'a, C: Cells> Rope<'a, C> {
    /// Over cells, with a test whether a body can walk straight between two points, in cells, and the middle of a cell.
    pub(crate) fn new(
        cells: C,
        clear: &'a dyn Fn(Point, Point) -> bool,
        middle: &'a dyn Fn((u32, u32)) -> Knot,
    ) -> Self {
        Self { cells, clear, middle }
    }

    /// The line along a way.
    pub(crate) fn pull(&self, way: &Way) -> Vec<Knot> {
        let mut line = self.furthest(way);
        self.tighten(&mut line);
        line
    }

    /// From each place to the furthest in line of sight.
    fn furthest(&self, way: &Way) -> Vec<Knot> {
        let Some(last) = way.knots.len().checked_sub(1) else { return Vec::new() };
        let mut line = vec![way.knots[0]];
        let (mut anchor, mut run) = (0, 0);
        // Bounded by the places: each round takes a later one.
        while anchor < last {
            while way.turns[run + 1] <= anchor {
                run += 1;
            }
            anchor = self.furthest_from(way, anchor, &way.turns[run..]);
            line.push(way.knots[anchor]);
        }
        line
    }

    /// The furthest place in line of sight of one; the next at least. `turns` begin with the run that holds it.
    fn furthest_from(&self, way: &Way, anchor: usize, turns: &[usize]) -> usize {
        let from = way.knots[anchor].at;
        let next = anchor + 1;
        let away = |index: usize| minus(way.knots[index].at, from);
        let mut shadows = [Shadow::default(); SHADOWS];
        let mut cast = 0;
        for run in turns.windows(2).rev() {
            let (first, mut at) = (run[0].max(next), run[1]);
            let known = |cast: usize| cast.min(SHADOWS);
            let ends = [away(first), away(at)];
            let hides = |shadow: &Shadow| ends.iter().all(|end| shadow.hides(*end));
            if shadows[..known(cast)].iter().any(hides) {
                continue;
            }
            // Bounded by the places of the run: every round leaves some behind.
            while at >= first && at > next {
                let here = away(at);
                if let Some(shadow) = shadows[..known(cast)].iter().find(|shadow| shadow.hides(here)) {
                    at = lit_before(shadow, (first, at), away);
                    continue;
                }
                match self.look(from, way.knots[at].at) {
                    Sight::Clear => return at,
                    Sight::Blocked => at -= 1,
                    Sight::Hidden(cell) => {
                        let shadow = self.shadow(cell, from, here);
                        if shadow.hides(here) {
                            shadows[cast % SHADOWS] = shadow;
                            cast += 1;
                        } else if (self.clear)(from, way.knots[at].at) {
                            return at;
                        } else {
                            at -= 1;
                        }
                    }
                }
            }
        }
        next
    }

    fn is_open(&self, (x, z): (i64, i64)) -> bool {
        self.cells.bits().at(x, z) && self.cells.is_open(x as u32, z as u32)
    }

    /// What lies between two points.
    fn look(&self, from: Point, to: Point) -> Sight {
        let hidden = if self.cells.bits().shape().is_hexagonal() {
            let first = Cell::new(None);
            let _ = hex::is_clear_where(from, to, |x, z| {
                let is_open = self.is_open((x, z));
                if !is_open {
                    first.set(Some((x, z)));
                }
                is_open
            });
            first.get()
        } else {
            self.first_blocked(from, to)
        };
        match hidden {
            Some(cell) => Sight::Hidden(cell),
            None if (self.clear)(from, to) => Sight::Clear,
            None => Sight::Blocked,
        }
    }

    /// The first blocked square on the way between two points, but for rounding and for those that are only touched.
    fn first_blocked(&self, from: Point, to: Point) -> Option<(i64, i64)> {
        let steep = (to[1] - from[1]).abs() > (to[0] - from[0]).abs();
        let turn = |point: Point| if steep { [point[1], point[0]] } else { point };
        let (start, end) = (turn(from), turn(to));
        let slope = (end[1] - start[1]) / (end[0] - start[0]);
        let (first, last) = (geom::floor(start[0]), geom::floor(end[0]));
        let (step, ahead) = if last >= first { (1, 1) } else { (-1, 0) };
        let mut row = geom::floor(start[1]);
        let mut column = first;
        // Bounded by the columns between the ends.
        loop {
            let leave = match column == last {
                true => end[1],
                false => start[1] + slope * ((column + ahead) as f64 - start[0]),
            };
            let next = geom::floor(leave);
            for row in [row, next] {
                let cell = if steep { (row, column) } else { (column, row) };
                if !self.is_open(cell) {
                    return Some(cell);
                }
            }
            if column == last {
                return None;
            }
            (row, column) = (next, column + step);
        }
    }

    /// What a blocked cell hides from a place, with those beside it that belong to the same wall across the line of sight.
    fn shadow(&self, (x, z): (i64, i64), from: Point, towards: Point) -> Shadow {
        let (x_m, z_m) = (x as f64, z as f64);
        if self.cells.bits().shape().is_hexagonal() {
            // A square well within the hexagon.
            return Shadow::of([x_m + 0.25, z_m + 0.25], [x_m + 0.75, z_m + 0.75], from);
        }
        let reach = |dx: i64, dz: i64| {
            (1..=WALL_CELLS).take_while(|by| !self.is_open((x + by * dx, z + by * dz))).count() as f64
        };
        let [low, high] = match towards[0].abs() < towards[1].abs() {
            true => [[x_m - reach(-1, 0), z_m], [x_m + 1.0 + reach(1, 0), z_m + 1.0]],
            false => [[x_m, z_m - reach(0, -1)], [x_m + 1.0, z_m + 1.0 + reach(0, 1)]],
        };
        Shadow::of(low, high, from)
    }

    /// Pulls every corner of a line around the walls between its neighbours.
    pub(crate) fn tighten(&self, line: &mut Vec<Knot>) {
        self.tighten_where(line, |_, _| true);
    }

    /// The same where a test agrees to what takes the place of three knots.
    pub(crate) fn tighten_where(&self, line: &mut Vec<Knot>, agrees: impl Fn([Knot; 3], &[Knot]) -> bool) {
        let mut at = 1;
        // Each change shortens the line; few are needed.
        let mut left = 8 * line.len() + 16;
        while at + 1 < line.len() && left > 0 {
            left -= 1;
            let three = [line[at - 1], line[at], line[at + 1]];
            match self.around(three).filter(|corners| agrees(three, corners)) {
                Some(corners) => {
                    line.splice(at..=at, corners);
                    at = (at - 1).max(1);
                }
                None => at += 1,
            }
        }
    }

    /// The corners of a shorter line from the first of three knots to the last; None when the one in the middle is best.
    fn around(&self, [from, knot, to]: [Knot; 3]) -> Option<Vec<Knot>> {
        if (self.clear)(from.at, to.at) {
            return Some(Vec::new());
        }
        let side = geom::cross(from.at, to.at, knot.at);
        if side == 0.0 {
            return None;
        }
        let mut around = Around { corners: Vec::new(), left: CORNERS_MAX, known: knot.at };
        if !self.go_around(from, to, side.signum(), &mut around) {
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

    /// Adds the corners around the walls between two knots, on one side; whether they make a clear line. Bounded by the corners.
    fn go_around(&self, from: Knot, to: Knot, side: f64, around: &mut Around) -> bool {
        let wall = match self.look(from.at, to.at) {
            Sight::Clear => return true,
            Sight::Blocked => return false,
            Sight::Hidden(wall) => wall,
        };
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

    /// The open cell at the corner of a wall that is furthest to one side of a direction, near a cell of the wall.
    fn corner(&self, mut wall: (i64, i64), [dx, dz]: Point, side: f64) -> Option<(u32, u32)> {
        let is_hexagonal = self.cells.bits().shape().is_hexagonal();
        for _ in 0..CLIMB_MAX {
            let mut climb: Option<([f64; 2], (i64, i64))> = None;
            let mut corner = None;
            for (direction, (x, z)) in OFFSETS.into_iter().enumerate() {
                let is_slanted = direction & 1 != 0;
                if is_hexagonal && direction & 3 == 1 {
                    continue;
                }
                let (along, aside) = (f64::from(x), f64::from(z));
                let away = side * (dx * aside - dz * along);
                if away <= 0.0 {
                    continue;
                }
                let rank = [away, dx * along + dz * aside];
                let cell = (wall.0 + i64::from(x), wall.1 + i64::from(z));
                let best = match self.is_open(cell) {
                    false => &mut climb,
                    true if is_slanted || is_hexagonal => &mut corner,
                    true => continue,
                };
                if best.is_none_or(|(other, _)| rank > other) {
                    *best = Some((rank, cell));
                }
            }
            match climb {
                Some((_, higher)) => wall = higher,
                None => {
                    let (x, z) = corner?.1;
                    return Some((u32::try_from(x).ok()?, u32::try_from(z).ok()?));
                }
            }
        }
        None
    }
}

/// The last place of a run before those that a shadow hides, of which `at` is one; one before the run when it hides all.
fn lit_before(shadow: &Shadow, (first, at): (usize, usize), away: impl Fn(usize) -> Point) -> usize {
    if shadow.hides(away(first)) {
        return first - 1;
    }
    let (mut lit, mut hidden) = (first, at);
    while hidden - lit > 1 {
        let middle = lit.midpoint(hidden);
        if shadow.hides(away(middle)) {
            hidden = middle;
        } else {
            lit = middle;
        }
    }
    lit
}

impl Shadow {
    /// Of a rectangle, by its lowest and highest corner.
    fn of(low: Point, high: Point, from: Point) -> Self {
        let corners = [low, [high[0], low[1]], high, [low[0], high[1]]].map(|corner| minus(corner, from));
        let mut shadow = Self { left: corners[0], right: corners[0] };
        for corner in corners {
            if turn(shadow.left, corner) > 0.0 {
                shadow.left = corner;
            }
            if turn(shadow.right, corner) < 0.0 {
                shadow.right = corner;
            }
        }
        shadow
    }

    /// Whether a point lies in it, by a hair at least.
    fn hides(&self, point: Point) -> bool {
        const HAIR: f64 = 1e-9;
        let chord = minus(self.left, self.right);
        turn(self.left, point) < -HAIR
            && turn(self.right, point) > HAIR
            && turn(chord, minus(point, self.right)) < -HAIR
    }
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

/// Above zero when the second direction is a turn to the left of the first.
fn turn(a: Point, b: Point) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}
