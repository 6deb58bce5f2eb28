//! Geometry of polygons seen from above: area, centre, width, heights within them, shared parts of two.
//!
//! In: corners. Out: numbers, places, corners. Not here: polygons joined to a surface (`topology`).

use crate::base::geom::{self, Point, Segment};

/// Height at a point of a convex polygon, from the triangle of its fan around the first corner that holds the
/// point.
pub(crate) fn height_in_fan(count: usize, corner: impl Fn(usize) -> (Point, f64), point: Point) -> f64 {
    let (a, ya) = corner(0);
    for at in 1..count.saturating_sub(1) {
        let ((b, yb), (c, yc)) = (corner(at), corner(at + 1));
        let whole = geom::cross(a, b, c);
        // Beyond the last diagonal all that is left is the last triangle.
        let is_last = at + 2 == count;
        if whole.abs() > 0.0 && (is_last || geom::cross(a, c, point) <= 0.0) {
            let (part_b, part_c) = (geom::cross(a, point, c) / whole, geom::cross(a, b, point) / whole);
            return ya + (yb - ya) * part_b + (yc - ya) * part_c;
        }
    }
    ya
}

/// Twice the area, positive when x turns towards z.
pub(crate) fn twice_area(places: &[Point]) -> f64 {
    let Some(&a) = places.first() else { return 0.0 };
    places.windows(2).map(|pair| geom::cross(a, pair[0], pair[1])).sum()
}

/// The distance between two places.
#[inline]
pub(crate) fn length(a: Point, b: Point) -> f64 {
    let (dx, dz) = (b[0] - a[0], b[1] - a[1]);
    (dx * dx + dz * dz).sqrt()
}

/// The place half way between two others.
pub(crate) fn middle(a: Point, b: Point) -> Point {
    [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0]
}

/// The mean of some corners.
pub(crate) fn centre(places: &[Point]) -> Point {
    let count = places.len().max(1) as f64;
    let sum = places.iter().fold([0.0, 0.0], |sum, place| [sum[0] + place[0], sum[1] + place[1]]);
    [sum[0] / count, sum[1] / count]
}

/// What two convex polygons have in common (Sutherland and Hodgman 1974).
pub(crate) fn clip(subject: &[Point], window: &[Point]) -> Vec<Point> {
    let mut left: Vec<Point> = subject.to_vec();
    for Segment { from: a, to: b } in geom::edges(window) {
        let before = std::mem::take(&mut left);
        for Segment { from: p, to: q } in geom::edges(&before) {
            let (side_p, side_q) = (geom::cross(a, b, p), geom::cross(a, b, q));
            if side_p >= 0.0 {
                left.push(p);
            }
            if (side_p > 0.0 && side_q < 0.0) || (side_p < 0.0 && side_q > 0.0) {
                let part = side_p / (side_p - side_q);
                left.push([p[0] + part * (q[0] - p[0]), p[1] + part * (q[1] - p[1])]);
            }
        }
    }
    left
}

/// About how wide a convex polygon is at its narrowest.
pub(crate) fn inner_width(places: &[Point]) -> f64 {
    let longest = geom::edges(places).map(|Segment { from: a, to: b }| length(a, b)).fold(0.0, f64::max);
    if longest > 0.0 { twice_area(places).abs() / longest } else { 0.0 }
}
