//! The cells along a straight line, in walking order, with the part of the line in each.
//!
//! In: two points in cells. Out: cells and stretches. Holds: stretches follow one another from 0 to 1. Not
//! here: whether the line is clear, which `line_of_sight` decides exactly; through a corner this goes either
//! way. Source: Amanatides and Woo 1987.

use crate::base::geom::Point;
use crate::nav::cells::hex;
use crate::nav::cells::tiling::CellShape;

/// A cell and the part of the line in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stretch {
    pub(crate) x: i64,
    pub(crate) z: i64,
    /// 0 at the start of the line, 1 at its end.
    pub(crate) enter: f64,
    pub(crate) leave: f64,
}

/// The cells from one point to another, in cells.
pub(crate) fn cells_along(shape: CellShape, from: Point, to: Point) -> impl Iterator<Item = Stretch> {
    let hexagons = if shape.is_hexagonal() { hex::touched(from, to) } else { Vec::new() };
    let stretch = |hex::Touched { x, z, enter, leave, .. }| Stretch { x, z, enter, leave };
    // A corner that is only touched belongs to the stretches before and after it.
    let hexagons = hexagons
        .into_iter()
        .filter(move |touched| !touched.is_beside && touched.enter < touched.leave || from == to);
    hexagons.map(stretch).chain(squares_along(from, to).filter(move |_| !shape.is_hexagonal()))
}

/// The same over squares.
fn squares_along(from: Point, to: Point) -> impl Iterator<Item = Stretch> {
    let cell = |point: Point| [point[0].floor() as i64, point[1].floor() as i64];
    let (mut at, end) = (cell(from), cell(to));
    let mut left = at[0].abs_diff(end[0]) + at[1].abs_diff(end[1]) + 1;
    let mut enter = 0.0;
    std::iter::from_fn(move || {
        // Bounded by the cells between the ends, counted along both axes.
        left = left.checked_sub(1)?;
        let part = |axis: usize| {
            let length = to[axis] - from[axis];
            if at[axis] == end[axis] {
                return f64::INFINITY;
            }
            let edge = if length > 0.0 { at[axis] + 1 } else { at[axis] };
            (edge as f64 - from[axis]) / length
        };
        let parts = [part(0), part(1)];
        let axis = usize::from(parts[1] < parts[0]);
        let leave = if left == 0 { 1.0 } else { parts[axis].clamp(enter, 1.0) };
        let stretch = Stretch { x: at[0], z: at[1], enter, leave };
        at[axis] += if to[axis] > from[axis] { 1 } else { -1 };
        enter = leave;
        Some(stretch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_follow_one_another_and_lie_in_their_cells() {
        let mut rng = crate::base::rng::Rng::stream(1, "line");
        for _ in 0..2000 {
            let mut point = || [rng.float(-9.0, 9.0), rng.float(-9.0, 9.0)];
            let (from, to) = (point(), point());
            let stretches: Vec<Stretch> = cells_along(CellShape::default(), from, to).collect();
            assert_eq!(stretches[0].enter, 0.0);
            assert_eq!(stretches[stretches.len() - 1].leave, 1.0);
            for pair in stretches.windows(2) {
                assert_eq!(pair[0].leave, pair[1].enter);
                assert_eq!(pair[0].x.abs_diff(pair[1].x) + pair[0].z.abs_diff(pair[1].z), 1);
            }
            for stretch in stretches {
                let part = (stretch.enter + stretch.leave) / 2.0;
                let middle = [0, 1].map(|axis| from[axis] + part * (to[axis] - from[axis]));
                let inside =
                    |value: f64, cell: i64| value > cell as f64 - 1e-9 && value < cell as f64 + 1.0 + 1e-9;
                assert!(
                    inside(middle[0], stretch.x) && inside(middle[1], stretch.z),
                    "{from:?} {to:?} {stretch:?}"
                );
            }
        }
    }
}
