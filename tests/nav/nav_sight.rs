//! Laws of straight lines over cells, against fractions of whole numbers that share no code with them.

use walkon_runtime::base::rng::Rng;
use walkon_runtime::glam::Vec3;
use walkon_runtime::level::{MemorySource, load};
use walkon_runtime::nav::Traversal;
use walkon_runtime::nav::cells::{Bits, WeightedGround, line_of_sight};

use crate::nav::nav_laws::{Table, random_table};

const ONE: i64 = 1 << 16;

/// A fraction with a positive denominator.
#[derive(Clone, Copy)]
struct Fraction(i128, i128);

impl Fraction {
    fn new(above: i128, below: i128) -> Self {
        if below < 0 { Self(-above, -below) } else { Self(above, below) }
    }

    fn le(self, other: Self) -> bool {
        self.0 * other.1 <= other.0 * self.1
    }

    fn lt(self, other: Self) -> bool {
        !other.le(self)
    }

    fn max(self, other: Self) -> Self {
        if self.le(other) { other } else { self }
    }

    fn min(self, other: Self) -> Self {
        if self.le(other) { self } else { other }
    }
}

/// Whether a point strictly between the ends lies in a cell, edges included.
fn touches(from: [i64; 2], to: [i64; 2], cell: [i64; 2]) -> bool {
    let (mut enter, mut leave) = (Fraction(-1, 1), Fraction(2, 1));
    for axis in 0..2 {
        let (low, high) = (cell[axis] * ONE, (cell[axis] + 1) * ONE);
        let run = to[axis] - from[axis];
        if run == 0 {
            if from[axis] < low || from[axis] > high {
                return false;
            }
            continue;
        }
        let at = |edge: i64| Fraction::new(i128::from(edge - from[axis]), i128::from(run));
        let (first, last) = if run > 0 { (at(low), at(high)) } else { (at(high), at(low)) };
        (enter, leave) = (enter.max(first), leave.min(last));
    }
    enter.le(leave) && Fraction(0, 1).lt(leave) && enter.lt(Fraction(1, 1))
}

fn oracle(table: &Table, from: [i64; 2], to: [i64; 2]) -> bool {
    let free = |x: i64, z: i64| table.at(x as i32, z as i32);
    for (end, other) in [(from, to), (to, from)] {
        let (x, z) = (end[0].div_euclid(ONE), end[1].div_euclid(ONE));
        let corner = end[0].rem_euclid(ONE) == 0 && end[1].rem_euclid(ONE) == 0;
        let slips = corner && other[0] < end[0] && other[1] < end[1];
        if !free(x, z) || slips && !(free(x - 1, z) && free(x, z - 1)) {
            return false;
        }
    }
    if from == to {
        return true;
    }
    (-1..=i64::from(table.depth))
        .all(|z| (-1..=i64::from(table.width)).all(|x| free(x, z) || !touches(from, to, [x, z])))
}

fn point(fixed: [i64; 2]) -> [f64; 2] {
    fixed.map(|value| value as f64 / ONE as f64)
}

/// Ends of every degree of malice: anywhere, at centres, on halves and quarters, on edges and corners.
fn random_end(rng: &mut Rng, table: &Table) -> [i64; 2] {
    let grain = [1, ONE / 4, ONE / 2, ONE][rng.below(4) as usize];
    let mut coordinate = |side: i32| rng.int(0, i64::from(side) * ONE / grain) * grain;
    [coordinate(table.width), coordinate(table.depth)]
}

fn sparse(rng: &mut Rng) -> Table {
    let mut table = random_table(rng, 14);
    let share = rng.float(0.0, 0.2);
    if rng.chance(0.7) {
        table.free.iter_mut().for_each(|free| *free = !rng.chance(share));
    }
    table
}

#[test]
fn inv_p6_lines_are_clear_exactly_where_fractions_say_so_and_both_ways() {
    let (mut open, mut shut) = (0, 0);
    for seed in 0..1_000 {
        let mut rng = Rng::stream(seed, "sight");
        let table = sparse(&mut rng);
        let bits = table.bits();
        for _ in 0..20 {
            let (from, to) = (random_end(&mut rng, &table), random_end(&mut rng, &table));
            let expected = oracle(&table, from, to);
            let (a, b) = (point(from), point(to));
            assert_eq!(line_of_sight::clear(&bits, a, b), expected, "seed {seed} {a:?} {b:?}");
            assert_eq!(line_of_sight::clear(&bits, b, a), expected, "seed {seed} {b:?} {a:?}");
            if expected { open += 1 } else { shut += 1 }
        }
    }
    assert!(open > 3_000 && shut > 3_000, "both answers are tested: {open} open, {shut} shut");
}

#[test]
fn inv_p6_every_sample_of_a_clear_line_is_walkable_and_every_part_of_it_is_clear() {
    for seed in 0..1_000 {
        let mut rng = Rng::stream(seed, "samples");
        let table = sparse(&mut rng);
        let bits = table.bits();
        let (from, to) = (point(random_end(&mut rng, &table)), point(random_end(&mut rng, &table)));
        if !line_of_sight::clear(&bits, from, to) {
            continue;
        }
        let at = |part: f64| [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
        for sample in 1..500 {
            let [x, z] = at(f64::from(sample) / 500.0);
            assert!(table.at(x.floor() as i32, z.floor() as i32), "seed {seed} {from:?} {to:?} ({x}, {z})");
        }
    }
}

#[test]
fn seed_m2_lines_do_not_slip_past_corners_or_between_samples() {
    let clear = |blocked: (i32, i32), to: [f64; 2]| {
        let mut table = Table::blank(4, 4, true);
        let id = table.id(blocked.0, blocked.1);
        table.free[id] = false;
        line_of_sight::clear(&table.bits(), [0.5, 0.5], to)
    };
    assert!(!clear((0, 1), [2.5, 3.5]));
    assert!(!clear((1, 0), [1.5, 1.5]));
    assert!(!clear((0, 1), [1.5, 1.5]));
    assert!(clear((3, 0), [2.5, 3.5]));
}

#[test]
fn a_point_on_an_edge_can_be_left_and_reached_but_not_walked_along_a_wall() {
    let mut table = Table::blank(4, 3, true);
    (0..3).for_each(|z| table.free[z * 4 + 1] = false);
    let bits = table.bits();
    assert!(line_of_sight::clear(&bits, [2.0, 1.0], [2.0, 1.0]));
    assert!(line_of_sight::clear(&bits, [2.0, 1.0], [3.5, 1.5]));
    assert!(line_of_sight::clear(&bits, [3.5, 1.5], [2.0, 1.0]));
    assert!(!line_of_sight::clear(&bits, [2.0, 0.5], [2.0, 2.5]));
    assert!(!line_of_sight::clear(&bits, [2.0, 1.0], [0.5, 1.0]));
}

#[test]
fn a_point_a_hair_before_an_edge_lies_in_the_cell_before_it() {
    // Closer to the edge than a point counts: 1.65 m in single precision, where cells of 0.2 m have an edge
    // at 1.65 m.
    let mut table = Table::blank(4, 4, true);
    (0..16).for_each(|cell| table.free[cell] = cell % 4 < 2);
    let bits = table.bits();
    let edge = [2.0 - 1e-7, 1.5];
    assert!(line_of_sight::clear(&bits, edge, edge), "it stands on open ground");
    assert!(line_of_sight::clear(&bits, edge, [0.5, 2.5]) && line_of_sight::clear(&bits, [0.5, 0.5], edge));
    assert!(!line_of_sight::clear(&bits, [2.0 + 1e-7, 1.5], [0.5, 2.5]), "beyond the edge is a wall");
}

#[test]
fn points_that_are_no_numbers_or_off_the_map_see_nothing() {
    let bits = Table::blank(3, 3, true).bits();
    for odd in [f64::NAN, f64::INFINITY, -0.5, 3.0, 1e300] {
        assert!(!line_of_sight::clear(&bits, [1.5, 1.5], [odd, 1.5]), "{odd}");
        assert!(!line_of_sight::clear(&bits, [1.5, odd], [1.5, 1.5]), "{odd}");
        let stop = line_of_sight::last_clear(&bits, [1.5, 1.5], [odd, 1.5]);
        assert!(line_of_sight::clear(&bits, [1.5, 1.5], stop), "{odd}");
    }
    assert!(!line_of_sight::clear(&Bits::default(), [0.0, 0.0], [0.0, 0.0]));
}

#[test]
fn the_last_clear_point_can_be_reached_and_lies_shortly_before_what_blocks() {
    let mut slipped = 0;
    for seed in 0..2_000 {
        let mut rng = Rng::stream(seed, "last");
        let table = sparse(&mut rng);
        let bits = table.bits();
        let (from, to) = (point(random_end(&mut rng, &table)), point(random_end(&mut rng, &table)));
        let last = line_of_sight::last_clear(&bits, from, to);
        if !line_of_sight::clear(&bits, from, from) {
            assert_eq!(last, from, "seed {seed}");
            continue;
        }
        assert!(line_of_sight::clear(&bits, from, last), "seed {seed} {from:?} {to:?} {last:?}");
        if line_of_sight::clear(&bits, from, to) {
            assert_eq!(last, to, "seed {seed}");
            continue;
        }
        // Further on, by more than the margin measured across the wall, it is blocked.
        let (dx, dz) = (to[0] - from[0], to[1] - from[1]);
        let slope = (dx.abs().min(dz.abs()) / dx.abs().max(dz.abs())).max(1e-9);
        let (length, beyond) = (libm::hypot(dx, dz), 0.005 / slope);
        let part = ((libm::hypot(last[0] - from[0], last[1] - from[1]) + beyond) / length).min(1.0);
        let further = [from[0] + dx * part, from[1] + dz * part];
        if slope > 1e-3 && line_of_sight::clear(&bits, from, further) {
            slipped += 1;
        }
    }
    // A line exactly through a corner is blocked there, while one to a point rounded to either side may pass
    // it.
    assert!(slipped <= 5, "{slipped} of 2000 lines were cut off too early");
}

#[test]
fn seed_x2_the_cost_of_a_line_is_its_length_in_each_cell_times_the_factor() {
    for seed in 0..800 {
        let mut rng = Rng::stream(seed, "line cost");
        let mut table = Table::blank(rng.int(1, 12) as i32, rng.int(1, 12) as i32, true);
        table.factor.iter_mut().for_each(|factor| *factor = [400, 500, 750, 1000][rng.below(4) as usize]);
        let bits = table.bits();
        let ground = WeightedGround { factor: &table.factor, cheapest: 400, ..WeightedGround::even(&bits) };
        let mut inside = |side: i32| rng.float(0.0, f64::from(side));
        let from = [inside(table.width), inside(table.depth)];
        let to = [inside(table.width), inside(table.depth)];
        let cost = line_of_sight::cost(&ground, from, to).unwrap();
        assert_eq!(line_of_sight::cost(&ground, to, from), Some(cost), "seed {seed}");
        let samples = 20_000;
        let mut sum = 0.0;
        for sample in 0..samples {
            let part = (f64::from(sample) + 0.5) / f64::from(samples);
            let (x, z) = (from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part);
            sum += f64::from(table.factor[table.id(x.floor() as i32, z.floor() as i32)]);
        }
        let length = libm::hypot(to[0] - from[0], to[1] - from[1]);
        let expected = sum / f64::from(samples) / 500.0 * length * f64::from(ground.unit.straight);
        let difference = (f64::from(cost.0) - expected).abs();
        assert!(difference <= 0.002 * expected + 5.0, "seed {seed}: {cost:?}, sampled {expected}");
        let even = line_of_sight::cost(&WeightedGround::even(&bits), from, to).unwrap();
        assert!((f64::from(even.0) - length * f64::from(ground.unit.straight)).abs() < 3.0, "seed {seed}");
    }
}

#[test]
fn inv_n1_however_shallow_a_line_meets_a_wall_the_place_before_it_is_ground() {
    // A room whose last row of cells ends at 79.4 m.
    let json = r#"{ "navigation": { "agentRadius": 0.35, "areas": [
        { "name": "room", "polygon": [[0,0],[80,0],[80,79.2],[0,79.2]] } ] } }"#;
    let level = load("room.json", &MemorySource::new().with("room.json", json)).unwrap();
    let ground = level.map.footing(&Traversal { radius_m: 0.35, ..Traversal::default() });
    let edge_m = (0..4000).map(|step| 79.0 + step as f32 * 1e-3);
    let edge_m = edge_m.take_while(|&z| ground.is_walkable(Vec3::new(40.0, 0.0, z))).last().unwrap();
    let mut rng = Rng::stream(3, "shallow");
    let mut cut = 0;
    for _ in 0..20_000 {
        let from = Vec3::new(40.0, 0.0, edge_m + rng.float(0.0, 1e-3) as f32);
        let to = Vec3::new(40.0 - rng.float(0.0, 0.02) as f32, 0.0, from.z + rng.float(0.0, 1e-4) as f32);
        if ground.is_walkable(from) && !ground.clear(from, to) {
            let reached = ground.last_clear(from, to);
            assert!(ground.is_walkable(reached) && ground.clear(from, reached), "{from} {to}: {reached}");
            cut += 1;
        }
    }
    assert!(cut > 300, "{cut} lines met the wall");
}
