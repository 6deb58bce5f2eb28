//! Outlines as authors draw them: closed or not, turning either way, sometimes crossing themselves.
//!
//! In: the corners as written. Out: the corners without repeats, whether they enclose anything, and a pair of
//! edges that cross. Holds: the cost is bounded for any outline. Not here: which cells lie inside (`nav`).

use crate::base::geom::{Point, Segment, cross};
use crate::base::ordered;

/// Pairs of edges compared in one level before the search for crossings ends: about 50 ms.
pub(crate) const PAIRS_MAX: usize = 20_000_000;

/// The corners without repeats, the closing one included.
pub(crate) fn without_repeats(mut corners: Vec<Point>) -> Vec<Point> {
    corners.dedup();
    // Bounded: every turn removes a corner.
    while corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    corners
}

/// Why an outline encloses nothing, as a sentence goes on after its name. None when it does enclose
/// something.
pub(crate) fn degenerate(corners: &[Point]) -> Option<String> {
    let mut different = corners.to_vec();
    ordered::sort_by(&mut different, |a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    different.dedup();
    if different.len() < 3 {
        return Some(format!("has {} different corners, expected at least 3", different.len()));
    }
    let (first, last) = (different[0], different[different.len() - 1]);
    let flat = different.iter().all(|corner| cross(first, last, *corner) == 0.0);
    flat.then(|| "encloses nothing: all its corners lie on one line".to_owned())
}

/// What a search for crossing edges found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum EdgeCrossing {
    /// No two edges cross.
    Nowhere,
    /// These two do, counted by the corner they begin at.
    Between(usize, usize),
    /// The allowance was spent first.
    Unknown,
}

/// The first pair of edges that cross each other, in order along x. `pairs_left` is the number of pairs that
/// may still be compared.
pub(crate) fn crossing(corners: &[Point], pairs_left: &mut usize) -> EdgeCrossing {
    let count = corners.len();
    let ends = |edge: usize| Segment { from: corners[edge], to: corners[(edge + 1) % count] };
    let mut order: Vec<usize> = (0..count).collect();
    ordered::sort_by(&mut order, |a, b| least_x(ends(*a)).total_cmp(&least_x(ends(*b))).then(a.cmp(b)));
    for (position, &edge) in order.iter().enumerate() {
        let one = ends(edge);
        let reach = one.from[0].max(one.to[0]);
        for &other in &order[position + 1..] {
            let next = ends(other);
            if least_x(next) > reach {
                break;
            }
            if *pairs_left == 0 {
                return EdgeCrossing::Unknown;
            }
            *pairs_left -= 1;
            let neighbours = (edge + 1) % count == other || (other + 1) % count == edge;
            if !neighbours && segments_cross(one, next) {
                return EdgeCrossing::Between(edge.min(other), edge.max(other));
            }
        }
    }
    EdgeCrossing::Nowhere
}

fn least_x(segment: Segment<Point>) -> f64 {
    segment.from[0].min(segment.to[0])
}

/// Whether the two segments pass through each other; touching is not crossing, because outlines that pinch to
/// a point mean what they show.
fn segments_cross(one: Segment<Point>, other: Segment<Point>) -> bool {
    let (Segment { from: a, to: b }, Segment { from: c, to: d }) = (one, other);
    let (c_side, d_side) = (cross(a, b, c), cross(a, b, d));
    let (a_side, b_side) = (cross(c, d, a), cross(c, d, b));
    c_side * d_side < 0.0 && a_side * b_side < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crossing_of(corners: &[Point]) -> EdgeCrossing {
        crossing(corners, &mut PAIRS_MAX.clone())
    }

    #[test]
    fn a_bow_tie_crosses_and_a_square_does_not() {
        assert_eq!(
            crossing_of(&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]]),
            EdgeCrossing::Between(0, 2)
        );
        assert_eq!(crossing_of(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]), EdgeCrossing::Nowhere);
    }

    #[test]
    fn a_bow_tie_encloses_something_though_its_signed_area_is_zero() {
        assert_eq!(degenerate(&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]]), None);
    }

    #[test]
    fn lines_and_repeats_enclose_nothing() {
        assert!(degenerate(&[]).is_some());
        assert!(degenerate(&[[0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]).is_some());
        assert!(degenerate(&[[0.0, 0.0], [1.0, 1.0], [3.0, 3.0], [2.0, 2.0]]).is_some());
        assert_eq!(without_repeats(vec![[0.0, 0.0]; 9]), vec![[0.0, 0.0]]);
    }

    #[test]
    fn the_search_for_crossings_ends_at_its_allowance() {
        let comb: Vec<Point> = (0..2000).map(|i| [f64::from(i % 2) * 100.0, f64::from(i)]).collect();
        let mut pairs_left = 1000;
        assert_eq!(crossing(&comb, &mut pairs_left), EdgeCrossing::Unknown);
        assert_eq!(pairs_left, 0);
    }
}
