//! Eroded cells against the distance to every rectangle.

use super::*;
use crate::base::rng::Rng;

const CELL_M: f64 = 0.4;

fn random(rng: &mut Rng, width: u32, depth: u32, blocked: f64) -> Bits {
    let mut bits = Bits::new(width, depth);
    for z in 0..depth {
        for x in 0..width {
            bits.set(x, z, !rng.chance(blocked));
        }
    }
    bits
}

/// Metres from the centre of a cell to the nearest blocked rectangle, the outside included, by brute force.
fn clearance_m(bits: &Bits, x: u32, z: u32) -> f64 {
    let mut best = f64::INFINITY;
    for other_z in -1..=i64::from(bits.depth()) {
        for other_x in -1..=i64::from(bits.width()) {
            if bits.at(other_x, other_z) {
                continue;
            }
            let gap = |a: i64, b: u32| ((a - i64::from(b)).abs() as f64 - 0.5).max(0.0) * CELL_M;
            let (dx, dz) = (gap(other_x, x), gap(other_z, z));
            best = best.min((dx * dx + dz * dz).sqrt());
        }
    }
    best
}

#[test]
fn seed_w3_a_cell_is_passable_when_every_blocked_rectangle_is_far_enough() {
    let mut rng = Rng::stream(21, "clearance");
    let frame = MapFrame { cell_size_m: CELL_M, ..MapFrame::default() };
    for round in 0..120 {
        let (width, depth) = (1 + rng.below(150) as u32, 1 + rng.below(30) as u32);
        let bits = random(&mut rng, width, depth, [0.002, 0.02, 0.1][round % 3]);
        let radius_m = [0.46, 0.65, 0.6500001, 0.7, 0.95, 1.3, 3.3][rng.below(7) as usize];
        let class = RadiusClass::of(&frame, radius_m, 0.45);
        let mut passable = Bits::new(width, depth);
        let whole = Window { first_x: 0, end_x: width, first_z: 0, end_z: depth };
        erode(&bits, class, whole, &mut passable);
        for z in 0..depth {
            for x in 0..width {
                let expected = bits.get(x, z) && clearance_m(&bits, x, z) >= radius_m - 0.45 - TOLERANCE_M;
                assert_eq!(passable.get(x, z), expected, "({x}, {z}) for radius {radius_m}");
                assert_eq!(is_passable(&bits, class, Cell { x, z }), expected, "({x}, {z}) alone");
            }
        }
    }
}

#[test]
fn a_window_around_a_change_repairs_everything() {
    let mut rng = Rng::stream(22, "clearance");
    let frame = MapFrame { cell_size_m: CELL_M, width: 140, depth: 50, ..MapFrame::default() };
    for _ in 0..60 {
        let mut bits = random(&mut rng, 140, 50, 0.01);
        let class = RadiusClass::of(&frame, rng.float(0.4, 3.0), 0.4);
        let mut kept = Bits::new(140, 50);
        erode(&bits, class, Window::all(&frame), &mut kept);
        let (x, z) = (rng.below(140) as u32, rng.below(50) as u32);
        bits.set(x, z, !bits.get(x, z));
        let changed = Window { first_x: x, end_x: x + 1, first_z: z, end_z: z + 1 };
        erode(&bits, class, changed.grown(class.reach_cells(bits.shape()), &frame), &mut kept);
        assert_eq!(kept, eroded(&bits, class));
    }
}

#[test]
fn fault_g18_absurd_radii_pass_nowhere_and_small_ones_everywhere() {
    let frame = MapFrame { width: 20, depth: 10, ..MapFrame::default() };
    let bits = Bits::from_rows(20, 10, &[!0; 10]);
    for (radius_m, cells) in [(0.0, 200), (0.45, 200), (0.45 + 9e-5, 200), (1e9, 0), (f64::INFINITY, 0)] {
        let class = RadiusClass::of(&frame, radius_m, 0.45);
        let mut passable = Bits::new(20, 10);
        erode(&bits, class, Window::all(&frame), &mut passable);
        assert_eq!(passable.count(), cells, "radius {radius_m}");
    }
}
