//! Tests of the overlay against cells that were blocked one by one.

use super::*;
use crate::base::rng::Rng;
use crate::nav::cell::Cell;

fn frame(bits: &Bits) -> MapFrame {
    MapFrame { cell_size_m: 1.0, width: bits.width(), depth: bits.depth(), ..MapFrame::default() }
}

fn random_bits(rng: &mut Rng) -> Bits {
    let mut bits = Bits::new(rng.int(1, 150) as u32, rng.int(1, 90) as u32);
    let share = rng.float(0.5, 1.0);
    for z in 0..bits.depth() {
        for x in 0..bits.width() {
            bits.set(x, z, rng.chance(share));
        }
    }
    bits
}

fn discs(rng: &mut Rng, bits: &Bits) -> Vec<Disc> {
    let count = rng.below(12);
    let (width, depth) = (f64::from(bits.width()), f64::from(bits.depth()));
    let mut place =
        || Vec3::new(rng.float(-2.0, width + 2.0) as f32, 0.0, rng.float(-2.0, depth + 2.0) as f32);
    let centres: Vec<Vec3> = (0..count).map(|_| place()).collect();
    let radius = |rng: &mut Rng| [0.0, 0.3, 0.7, 1.5, 4.0][rng.below(5) as usize];
    centres.into_iter().map(|centre| Disc { centre, radius_m: radius(rng) }).collect()
}

fn any_cell(rng: &mut Rng, bits: &Bits) -> Cell {
    Cell { x: rng.below(bits.width().into()) as u32, z: rng.below(bits.depth().into()) as u32 }
}

/// The same cells blocked on a copy.
fn stamped(bits: &Bits, start: Cell, discs: &[Disc]) -> Bits {
    let mut copy = bits.clone();
    for z in 0..bits.depth() {
        for x in 0..bits.width() {
            let is_met = |disc: &Disc| {
                let (dx, dz) = (
                    disc.centre.x - disc.centre.x.clamp(x as f32, x as f32 + 1.0),
                    disc.centre.z - disc.centre.z.clamp(z as f32, z as f32 + 1.0),
                );
                let inside = (disc.centre.x.floor(), disc.centre.z.floor()) == (x as f32, z as f32);
                inside || f64::from(dx).powi(2) + f64::from(dz).powi(2) < f64::from(disc.radius_m).powi(2)
            };
            if (x, z) != (start.x, start.z) && discs.iter().any(is_met) {
                copy.set(x, z, false);
            }
        }
    }
    copy
}

#[test]
fn seed_d2_what_is_left_is_what_a_stamped_copy_has() {
    let mut rng = Rng::stream(1, "overlay");
    for _ in 0..150 {
        let bits = random_bits(&mut rng);
        let start = any_cell(&mut rng, &bits);
        let discs = discs(&mut rng, &bits);
        let copy = stamped(&bits, start, &discs);
        let Some(overlay) = AgentMask::new(&frame(&bits), &bits, start, &discs) else {
            assert_eq!(copy, bits);
            continue;
        };
        let (rest, copy) = (overlay.over(&bits), &copy);
        for z in 0..bits.depth() {
            for word in 0..bits.width().div_ceil(64) {
                assert_eq!(rest.row_word(z, word), Cells::row_word(&copy, z, word));
            }
            for x in 0..bits.width() {
                assert_eq!(rest.is_open(x, z), copy.get(x, z), "({x}, {z})");
                let id = z * bits.width() + x;
                if copy.get(x, z) {
                    assert_eq!(rest.around(Cell { x, z }, id), copy.around(Cell { x, z }, id), "({x}, {z})");
                    scans(&rest, &copy, Cell { x, z });
                }
            }
        }
        for z in -1..=i64::from(bits.depth()) {
            (0..i64::from(bits.width())).for_each(|x| {
                assert_eq!(rest.probe::<true>(z, x), copy.probe::<true>(z, x));
            });
        }
    }
}

/// Scans stop where they do on a copy, or before, at a cell that is open there.
fn scans(rest: &impl Cells, copy: &impl Cells, Cell { x, z }: Cell) {
    let blocks = &mut 0;
    let up = [
        (rest.rise::<true>(z, x, blocks), copy.rise::<true>(z, x, blocks)),
        (rest.rise::<false>(x, z, blocks), copy.rise::<false>(x, z, blocks)),
    ];
    for (stop, expected) in up {
        assert!(stop.at < expected.at && stop.is_open || stop == expected, "({x}, {z})");
    }
    let down = [
        (rest.fall::<true>(z, x, blocks), copy.fall::<true>(z, x, blocks)),
        (rest.fall::<false>(x, z, blocks), copy.fall::<false>(x, z, blocks)),
    ];
    for (stop, expected) in down {
        let is_before = stop.at.wrapping_add(1) > expected.at.wrapping_add(1) && stop.is_open;
        assert!(is_before || stop == expected, "({x}, {z})");
    }
}

#[test]
fn circles_that_may_not_divide_leave_together_what_hung_together() {
    let mut rng = Rng::stream(2, "overlay");
    let (mut harmless, mut dividing) = (0, 0);
    for _ in 0..400 {
        let bits = random_bits(&mut rng);
        let start = any_cell(&mut rng, &bits);
        let discs = discs(&mut rng, &bits);
        let Some(overlay) = AgentMask::new(&frame(&bits), &bits, start, &discs) else { continue };
        if overlay.may_divide() {
            dividing += 1;
            continue;
        }
        harmless += 1;
        let copy = stamped(&bits, start, &discs);
        let (before, after) =
            (crate::nav::ConnectedComponents::of(&bits), crate::nav::ConnectedComponents::of(&copy));
        let mut pairs = std::collections::BTreeMap::new();
        for z in 0..bits.depth() {
            for x in 0..bits.width() {
                if let (Some(old), Some(new)) = (before.label(x, z), after.label(x, z)) {
                    assert_eq!(*pairs.entry(old).or_insert(new), new, "({x}, {z}) was cut off");
                }
            }
        }
    }
    assert!(harmless > 20 && dividing > 20, "{harmless} {dividing}");
}

#[test]
fn along_a_line_the_discs_about_a_cell_are_among_those_that_hold_it() {
    let mut rng = Rng::stream(2, "row");
    let (mut held, mut asked, mut all) = (0, 0, 0);
    for _ in 0..100 {
        let frame = frame(&Bits::new(100, 100));
        let mut place = || [rng.float(0.0, 100.0), rng.float(0.0, 100.0)];
        let (line, centres) = ([place(), place()], (0..60).map(|_| place()).collect::<Vec<Point>>());
        let disc = |centre| Disc { centre: geom::raise(centre, 0.0), radius_m: rng.float(0.0, 3.0) as f32 };
        let discs = centres.into_iter().map(disc);
        let row = RowOfDiscs::new(line, discs.filter_map(|disc| Footprint::of(&frame, &disc)).collect());
        for (x, z) in (0..100).flat_map(|x| (0..100).map(move |z| (x, z))) {
            let is_held = row.discs.iter().any(|disc| disc.holds(x, z));
            let about = || row.about(x, z);
            assert_eq!(about().any(|disc| disc.holds(x, z)), is_held);
            held += u32::from(is_held);
            asked += about().count();
            all += row.discs.len();
        }
    }
    assert!(held > 1000 && asked * 5 < all, "{held}: {asked} of {all}");
}
