//! Hexagons against dense sampling, and against the distance to the nearest centre.

use super::*;
use crate::base::rng::Rng;
use crate::nav::cell::Cell;
use crate::nav::cells::Bits;
use crate::nav::cells::layout::Neighbours;
use crate::nav::cells::line_of_sight;
use crate::nav::cells::tiling::{CellShape, Metric};

/// How far a place lies out of a hexagon: 1 on its border.
fn out(point: Point, Cell { x, z }: Cell<i64>) -> f64 {
    let [a, b] = [point[0] - x as f64 - 0.5, point[1] - z as f64 - 0.5];
    (2.0 * a + b).abs().max((a + 2.0 * b).abs()).max((a - b).abs())
}

fn point_between(from: Point, to: Point, part: f64) -> Point {
    [0, 1].map(|axis| from[axis] + part * (to[axis] - from[axis]))
}

/// A random point, often on a border, a corner or a centre.
fn point(rng: &mut Rng) -> Point {
    let cell = [rng.below(8) as f64 + 1.5, rng.below(8) as f64 + 1.5];
    match rng.below(6) {
        0 => cell,
        1 => {
            let corner = CORNERS[rng.below(6) as usize];
            [cell[0] + corner[0], cell[1] + corner[1]]
        }
        2 => {
            let at = rng.below(6) as usize;
            let (a, b) = (CORNERS[at], CORNERS[(at + 1) % 6]);
            let edge = point_between(a, b, [0.5, 0.25, rng.unit()][rng.below(3) as usize]);
            [cell[0] + edge[0], cell[1] + edge[1]]
        }
        _ => [rng.float(1.0, 9.0), rng.float(1.0, 9.0)],
    }
}

#[test]
fn every_point_belongs_to_a_hexagon_that_holds_it() {
    let mut rng = Rng::stream(1, "hex cells");
    for _ in 0..20_000 {
        let point = point(&mut rng);
        assert!(out(point, cell_at(point)) <= 1.0 + 1e-3, "{point:?}");
    }
    let Cell { x: _, z } = cell_at([f64::NAN, f64::INFINITY]);
    assert!(z > 1 << 30, "far beyond every map");
}

/// How far out of a hexagon the nearest point of a line is: sampled finely, then around the nearest sample
/// more so, unless the samples have settled already whether the line meets the hexagon.
fn least_out(from: Point, to: Point, cell: Cell<i64>) -> f64 {
    let at = |part: f64| (out(point_between(from, to, part), cell), part);
    let nearer = |one: (f64, f64), other: (f64, f64)| if other.0 < one.0 { other } else { one };
    let mut best = (1..=64).map(|i| at(f64::from(i) / 64.0)).fold(at(0.0), nearer);
    // From one sample to the next it changes by less than three times the step on the longer axis.
    let change_max = 3.0 * (0..2).map(|axis| (to[axis] - from[axis]).abs()).fold(0.0, f64::max) / 64.0;
    if best.0 < 0.99 || best.0 > 1.01 + change_max {
        return best.0;
    }
    let mut step = 1.0 / 64.0;
    for _ in 0..40 {
        let beside = [best.1 - step, best.1 + step].map(|part| at(part.clamp(0.0, 1.0)));
        best = beside.into_iter().fold(best, nearer);
        step /= 2.0;
    }
    best.0
}

#[test]
fn a_line_touches_the_hexagons_that_dense_sampling_finds_and_no_others() {
    let mut rng = Rng::stream(2, "hex lines");
    let mut corners = 0;
    for round in 0..6000 {
        let (from, to) = (point(&mut rng), point(&mut rng));
        let found = touched(from, to);
        for x in 0..11 {
            for z in 0..11 {
                let out = least_out(from, to, Cell { x, z });
                let is_found = found.iter().any(|touched| (touched.x, touched.z) == (x, z));
                if out < 1.0 - 3e-3 {
                    assert!(is_found, "round {round}: {from:?} {to:?} cell {x} {z} out {out}");
                } else if out > 1.0 + 3e-3 {
                    assert!(!is_found, "round {round}: {from:?} {to:?} cell {x} {z} out {out}");
                } else {
                    corners += 1;
                }
            }
        }
        let back = touched(to, from);
        let cells = |list: &[Touched]| {
            let mut cells: Vec<_> = list.iter().map(|touched| (touched.x, touched.z)).collect();
            cells.sort_unstable();
            cells
        };
        assert_eq!(cells(&found), cells(&back), "round {round}: the same there and back");
        let parts: f64 = found.iter().filter(|touched| !touched.is_beside).map(|t| t.leave - t.enter).sum();
        assert!((parts - 1.0).abs() < 1e-9, "round {round}: the parts of {from:?} {to:?} make {parts}");
        for part in found.iter().filter(|part| part.leave > part.enter) {
            let middle = point_between(from, to, (part.enter + part.leave) / 2.0);
            assert!(out(middle, Cell { x: part.x, z: part.z }) < 1.0 + 3e-3, "round {round}: {part:?}");
        }
    }
    assert!(corners > 300, "{corners} lines met a border exactly");
}

#[test]
fn a_line_through_a_corner_touches_all_three_hexagons_around_it() {
    // From the middle of one hexagon straight through a corner of it, along the edge between the two beyond,
    // into the next.
    let (from, to) = ([5.5, 5.5], [6.5, 6.5]);
    let mut cells: Vec<_> = touched(from, to).iter().map(|touched| (touched.x, touched.z)).collect();
    cells.sort_unstable();
    assert_eq!(cells, [(5, 5), (5, 6), (6, 5), (6, 6)]);
    let shape = CellShape { neighbours: Neighbours::Six, metric: Metric::default() };
    for blocked in cells {
        let mut bits = Bits::new(12, 12).shaped(shape);
        (0..144)
            .for_each(|at| bits.set(at % 12, at / 12, (i64::from(at % 12), i64::from(at / 12)) != blocked));
        assert!(
            !line_of_sight::clear(&bits, from, to) && !line_of_sight::clear(&bits, to, from),
            "{blocked:?}"
        );
    }
}

#[test]
fn clear_lines_stay_clear_in_parts_and_blocked_ones_end_before_what_is_in_the_way() {
    let mut rng = Rng::stream(3, "hex sight");
    let shape = CellShape { neighbours: Neighbours::Six, metric: Metric::default() };
    let (mut clear, mut cut, mut early) = (0, 0, 0);
    for round in 0..400 {
        let mut bits = Bits::new(11, 11).shaped(shape);
        (0..121).for_each(|at| bits.set(at % 11, at / 11, rng.chance(0.85)));
        for _ in 0..20 {
            let (from, to) = (point(&mut rng), point(&mut rng));
            let label = format!("round {round}: {from:?} {to:?}");
            let is_clear = line_of_sight::clear(&bits, from, to);
            assert_eq!(is_clear, line_of_sight::clear(&bits, to, from), "{label}");
            // But for those that lie on a border, to the precision of coordinates.
            let samples = || {
                let points = (0..=400).map(|i| point_between(from, to, f64::from(i) / 400.0));
                points.filter(|&point| out(point, cell_at(point)) < 1.0 - 3e-3).map(cell_at)
            };
            if is_clear {
                clear += 1;
                assert!(samples().all(|Cell { x, z }| bits.at(x, z)), "{label}");
            }
            let last = line_of_sight::last_clear(&bits, from, to);
            let start = cell_at(from);
            if !bits.at(start.x, start.z) {
                assert_eq!(last, from, "{label}");
                continue;
            }
            assert!(line_of_sight::clear(&bits, from, last), "{label}");
            assert_eq!(last == to, is_clear, "{label}");
            if !is_clear {
                cut += 1;
                // Cut off at the first hexagon that is in the way, or earlier by a margin that a shallow line
                // needs.
                let blocked = touched(from, to).into_iter().filter(|touched| !bits.at(touched.x, touched.z));
                let first = blocked.map(|touched| touched.enter).fold(1.0, f64::min);
                let done =
                    |point: Point| ((point[0] - from[0]).powi(2) + (point[1] - from[1]).powi(2)).sqrt();
                assert!(done(last) <= first * done(to) + 1e-9, "{label}");
                early += u32::from(done(last) + 0.02 < first * done(to));
            }
        }
    }
    assert!(clear > 500 && cut > 500 && 20 * early < cut, "{clear} clear, {cut} cut, {early} of them early");
}
