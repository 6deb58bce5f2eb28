//! Hatches a polygon with slanted lines.
//!
//! In: corners in pixels and a distance. Out: segments inside the polygon, even-odd. Holds: lines lie on
//! multiples of the distance over the whole picture, so neighbouring shapes are hatched in one pattern.

use crate::base::ordered;

/// A point of the screen, pixels.
pub(super) type Pixel = [f32; 2];

/// Most lines for one shape: a bound for shapes far larger than any picture.
const LINES_MAX: i64 = 20_000;

/// Segments along x + y = k * `distance_px` that lie inside the polygon.
pub(super) fn hatch(corners: &[Pixel], distance_px: f32) -> Vec<[Pixel; 2]> {
    let sums = corners.iter().map(|corner| corner[0] + corner[1]);
    let (low, high) = sums.fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), sum| (a.min(sum), b.max(sum)));
    if low.is_nan() || high.is_nan() || low >= high {
        return Vec::new();
    }
    let first = (low / distance_px).ceil() as i64;
    let last = ((high / distance_px).floor() as i64).min(first + LINES_MAX);
    (first..=last).flat_map(|line| cut(corners, line as f32 * distance_px)).collect()
}

fn cut(corners: &[Pixel], sum: f32) -> Vec<[Pixel; 2]> {
    let count = corners.len();
    let mut xs: Vec<f32> = Vec::new();
    for index in 0..count {
        let (a, b) = (corners[index], corners[(index + 1) % count]);
        let (from, to) = (a[0] + a[1] - sum, b[0] + b[1] - sum);
        // Half open, so that a corner on the line is counted once.
        if (from <= 0.0) != (to <= 0.0) {
            xs.push(a[0] + (b[0] - a[0]) * from / (from - to));
        }
    }
    ordered::sort_by(&mut xs, f32::total_cmp);
    let pairs = xs.chunks_exact(2).filter(|pair| pair[1] - pair[0] > 1e-3);
    pairs.map(|pair| [[pair[0], sum - pair[0]], [pair[1], sum - pair[1]]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_square_end_on_its_edges() {
        let square = [[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]];
        let lines = hatch(&square, 5.0);
        assert_eq!(lines.len(), 3, "at 5, 10 and 15: the corners have no length");
        for [a, b] in lines {
            assert!((a[0] + a[1] - b[0] - b[1]).abs() < 1e-4);
            for [x, y] in [a, b] {
                assert!((-1e-4..=10.0001).contains(&x) && (-1e-4..=10.0001).contains(&y), "{x}, {y}");
            }
        }
    }
}
