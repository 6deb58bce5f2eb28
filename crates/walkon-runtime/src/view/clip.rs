//! Clips shapes at the edge of the map.
//!
//! In: corners or points in pixels, a rectangle. Out: the parts of them inside it. Holds: a polygon stays one
//! polygon, whose edges may run along the rectangle; a line may fall into several. Not here: words, which are
//! left out rather than cut.
//! Source: polygons after Sutherland and Hodgman 1974, lines after Liang and Barsky 1984.

use super::hatch::Pixel;

/// Left, top, right, bottom.
pub(super) type Box4 = [f32; 4];

/// Corners of a circle that is cut: more would look the same.
const CIRCLE_CORNERS: u32 = 96;

/// Whether all of the points lie inside.
pub(super) fn holds(map: Box4, points: &[Pixel]) -> bool {
    points.iter().all(|[x, y]| *x >= map[0] && *x <= map[2] && *y >= map[1] && *y <= map[3])
}

/// The part of a polygon that lies inside; empty when nothing does.
pub(super) fn polygon(corners: &[Pixel], map: Box4) -> Vec<Pixel> {
    let mut left = corners.to_vec();
    for (axis, edge, sign) in [(0, map[0], 1.0), (1, map[1], 1.0), (0, map[2], -1.0), (1, map[3], -1.0)] {
        let depth = |point: &Pixel| (point[axis] - edge) * sign;
        let mut kept = Vec::with_capacity(left.len() + 4);
        for index in 0..left.len() {
            let (a, b) = (left[index], left[(index + 1) % left.len()]);
            let (from, to) = (depth(&a), depth(&b));
            if from >= 0.0 {
                kept.push(a);
            }
            if (from < 0.0) != (to < 0.0) {
                let part = from / (from - to);
                kept.push([0, 1].map(|axis| a[axis] + (b[axis] - a[axis]) * part));
            }
        }
        left = kept;
    }
    left
}

/// A circle as a polygon.
pub(super) fn circle([x, y]: Pixel, radius: f32) -> Vec<Pixel> {
    let corner = |index: u32| {
        let angle = index as f32 / CIRCLE_CORNERS as f32 * std::f32::consts::TAU;
        [x + radius * crate::base::trig::cos(angle), y + radius * crate::base::trig::sin(angle)]
    };
    (0..CIRCLE_CORNERS).map(corner).collect()
}

/// The parts of a line that lie inside, each of two or more points.
pub(super) fn line(points: &[Pixel], map: Box4) -> Vec<Vec<Pixel>> {
    let mut parts: Vec<Vec<Pixel>> = Vec::new();
    for pair in points.windows(2) {
        let Some([a, b]) = segment(pair[0], pair[1], map) else { continue };
        match parts.last_mut() {
            Some(part) if part.last() == Some(&a) => part.push(b),
            _ => parts.push(vec![a, b]),
        }
    }
    parts
}

fn segment(a: Pixel, b: Pixel, map: Box4) -> Option<[Pixel; 2]> {
    let (mut first, mut last) = (0.0f32, 1.0f32);
    for axis in 0..2 {
        let step = b[axis] - a[axis];
        for (room, toward) in [(a[axis] - map[axis], -step), (map[axis + 2] - a[axis], step)] {
            if toward == 0.0 && room < 0.0 {
                return None;
            }
            if toward > 0.0 {
                last = last.min(room / toward);
            } else if toward < 0.0 {
                first = first.max(room / toward);
            }
        }
    }
    let at = |part: f32| [0, 1].map(|axis| a[axis] + (b[axis] - a[axis]) * part);
    let ends = [if first > 0.0 { at(first) } else { a }, if last < 1.0 { at(last) } else { b }];
    (first < last).then_some(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: Box4 = [0.0, 0.0, 10.0, 10.0];

    #[test]
    fn what_lies_outside_is_cut_off() {
        assert_eq!(
            line(&[[-5.0, 5.0], [5.0, 5.0], [5.0, 20.0]], MAP),
            vec![vec![[0.0, 5.0], [5.0, 5.0], [5.0, 10.0]]]
        );
        assert_eq!(line(&[[-5.0, 5.0], [-1.0, 20.0]], MAP), Vec::<Vec<Pixel>>::new());
        let cut = polygon(&[[5.0, -5.0], [15.0, 5.0], [5.0, 5.0]], MAP);
        assert!(holds(MAP, &cut) && cut.len() >= 3, "{cut:?}");
        assert!(polygon(&[[20.0, 20.0], [30.0, 20.0], [30.0, 30.0]], MAP).is_empty());
    }

    #[test]
    fn what_lies_inside_stays_as_it_is() {
        let inside = [[1.0, 1.0], [9.0, 1.0], [9.0, 9.0]];
        assert_eq!(polygon(&inside, MAP), inside.to_vec());
        assert_eq!(line(&inside, MAP), vec![inside.to_vec()]);
    }
}
