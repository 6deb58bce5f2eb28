use proptest::prelude::*;

use super::*;
use crate::base::rng::Rng;

fn everyone_within(points: &[Vec2], centre: Vec2, radius_m: f32) -> Vec<u32> {
    let is_near = |point: &Vec2| {
        let (dx, dz) = (point.x - centre.x, point.y - centre.y);
        dx * dx + dz * dz <= radius_m * radius_m
    };
    (0..points.len() as u32).filter(|&id| is_near(&points[id as usize])).collect()
}

fn nearest_few(points: &[Vec2], centre: Vec2, radius_m: f32, count: usize) -> Vec<u32> {
    let distance_sq = |id: u32| {
        let (dx, dz) = (points[id as usize].x - centre.x, points[id as usize].y - centre.y);
        dx * dx + dz * dz
    };
    let mut ids = everyone_within(points, centre, radius_m);
    ids.sort_by(|&a, &b| distance_sq(a).total_cmp(&distance_sq(b)).then(a.cmp(&b)));
    ids.truncate(count);
    ids
}

/// All points near a place, in rising order.
fn within(near: &SpatialHash, place: Vec2, radius_m: f32) -> Vec<u32> {
    let mut found = Vec::new();
    near.visit(place, radius_m, Lookup::ALL, |id, _| found.push(id));
    found.sort_unstable();
    found
}

fn check(points: &[Vec2], cell_m: f32, radius_m: f32, centres: &[Vec2]) {
    let (mut near, mut nearest) = (SpatialHash::default(), Nearest::new(5));
    let sizes = HashCells { dense_m: cell_m, sparse_m: 2.5 * cell_m };
    let builds: [&dyn Fn(&mut SpatialHash); 2] =
        [&|near| near.build(points, cell_m), &|near| near.build_by_density(points, sizes)];
    for build in builds {
        build(&mut near);
        for &centre in centres {
            let found = within(&near, centre, radius_m);
            assert_eq!(found, everyone_within(points, centre, radius_m), "{centre} within {radius_m}");
            near.nearest(centre, radius_m, Lookup::ALL, &mut nearest);
            let ids: Vec<u32> = nearest.iter().map(|neighbour| neighbour.id).collect();
            assert_eq!(
                ids,
                nearest_few(points, centre, radius_m, 5),
                "nearest to {centre} within {radius_m}"
            );
        }
    }
}

proptest! {
    #[test]
    fn cells_are_those_of_rounding_down(value in prop_oneof![-10.0f32..10.0, -3.9e6f32..3.9e6]) {
        prop_assert_eq!(cell_number(value), value.floor() as i32);
        prop_assert_eq!(cell_number(value.round()), value.round() as i32);
    }
}

#[test]
fn cells_never_fall_as_the_coordinate_rises_however_far_it_is() {
    let far = [1e5, 3.999_999e6, 4e6, 4.1e6, 1e7, 1e12, f32::MAX, f32::INFINITY];
    let rising: Vec<f32> = far.iter().rev().map(|far| -far).chain([-0.0, 0.0]).chain(far).collect();
    assert!(rising.windows(2).all(|pair| cell_number(pair[0]) <= cell_number(pair[1])), "{rising:?}");
    assert_eq!(cell_number(f32::NAN), cell_number(f32::NEG_INFINITY));
}

/// A crowd spread out has large cells, which are looked at whole; one heap in it, or many close together, and
/// the cells are small and looked at in part.
#[test]
fn cells_are_large_where_the_points_are_spread_out() {
    let sizes = HashCells { dense_m: 1.0, sparse_m: 4.0 };
    let spread = |apart_m: f32| -> Vec<Vec2> {
        (0..400).map(|at| Vec2::new((at % 20) as f32, (at / 20) as f32) * apart_m).collect()
    };
    let heap = |count: usize| std::iter::repeat_n(Vec2::new(1.0, 1.0), count);
    let is_large = |points: &[Vec2]| {
        let mut near = SpatialHash::default();
        near.build_by_density(points, sizes);
        near.cells_per_m < 1.0
    };
    assert!(is_large(&spread(3.0)));
    assert!(!is_large(&spread(1.0)));
    assert!(is_large(&spread(3.0).into_iter().chain(heap(20)).collect::<Vec<_>>()));
    assert!(!is_large(&spread(30.0).into_iter().chain(heap(40)).collect::<Vec<_>>()));
    // As many as a limit of one for each cell would cut short.
    let mut near = SpatialHash::default();
    near.build_by_density(&spread(3.0).into_iter().chain(heap(20)).collect::<Vec<_>>(), sizes);
    let mut count = 0;
    near.visit(Vec2::new(1.0, 1.0), 0.5, Lookup { per_cell_max: 1, ..Lookup::ALL }, |_, _| count += 1);
    assert_eq!(count, 20);
}

proptest! {
    #[test]
    fn neighbours_are_those_of_a_walk_over_everybody(
        points in prop::collection::vec((-30.0f32..30.0, -30.0f32..30.0), 0..300),
        cell_m in 0.05f32..12.0,
        radius_m in 0.0f32..20.0,
        // Far apart: the grid goes round several times.
        spread in prop::sample::select(vec![0.0f32, 0.1, 1.0, 100.0, 1e5, 1e12]),
    ) {
        let points: Vec<Vec2> = points.iter().map(|&(x, z)| Vec2::new(x * spread, z * spread)).collect();
        let mut centres: Vec<Vec2> = points.iter().copied().take(20).collect();
        centres.push(Vec2::new(0.5, -0.25));
        check(&points, cell_m, radius_m, &centres);
    }
}

#[test]
fn points_on_the_edge_of_the_radius_count() {
    let points: Vec<Vec2> = (0..40).map(|x| Vec2::new(x as f32 * 0.25 - 5.0, 1.5)).collect();
    for radius_m in [0.0, 0.25, 0.5, 1.0, 2.5] {
        check(&points, 0.5, radius_m, &points);
    }
}

#[test]
fn points_that_are_not_finite_are_nobodys_neighbours() {
    let points = [Vec2::ZERO, Vec2::new(f32::NAN, 0.0), Vec2::splat(f32::INFINITY), Vec2::new(0.5, 0.0)];
    let mut near = SpatialHash::default();
    near.build(&points, 1.0);
    assert_eq!(within(&near, Vec2::ZERO, 1e6), [0, 3]);
    assert_eq!(within(&near, points[1], 1e6), []);
}

#[test]
fn two_points_at_the_ends_of_the_world_need_no_more_cells_than_two_together() {
    let mut near = SpatialHash::default();
    near.build(&[Vec2::splat(-1e9), Vec2::splat(1e9)], 0.5);
    assert!(near.starts.len() <= CELLS_MIN + 1, "{} cells", near.starts.len());
}

#[test]
fn a_crowded_cell_is_looked_at_in_part_and_each_salt_sees_another_part() {
    let points = vec![Vec2::ZERO; 10_000];
    let mut near = SpatialHash::default();
    near.build(&points, 1.0);
    let seen = |salt| {
        let mut ids = Vec::new();
        near.visit(Vec2::ZERO, 0.5, Lookup { per_cell_max: 16, salt, but: u32::MAX }, |id, _| ids.push(id));
        ids.sort_unstable();
        ids.dedup();
        ids
    };
    assert!((16..=48).contains(&seen(0).len()), "{}", seen(0).len());
    assert_ne!(seen(1), seen(2));
    assert_eq!(seen(7), seen(7));
}

#[test]
fn the_order_by_cell_names_everybody_once() {
    let mut rng = Rng::stream(7, "points");
    let points: Vec<Vec2> =
        (0..1000).map(|_| Vec2::new(rng.unit() as f32, rng.unit() as f32) * 40.0).collect();
    let mut near = SpatialHash::default();
    near.build(&points, 1.0);
    let mut ids = near.by_cell().to_vec();
    assert!(ids.iter().zip(near.points_by_cell()).all(|(&id, &at)| points[id as usize] == at));
    ids.sort_unstable();
    assert!(ids.iter().copied().eq(0..1000));
}

fn all_pairs(points: &[Vec2], radius_m: f32) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for first in 0..points.len() {
        for second in first + 1..points.len() {
            let (dx, dz) = (points[second].x - points[first].x, points[second].y - points[first].y);
            if dx * dx + dz * dz <= radius_m * radius_m {
                pairs.push((first as u32, second as u32));
            }
        }
    }
    pairs
}

proptest! {
    #[test]
    fn pairs_are_those_of_everybody_with_everybody_each_once(
        points in prop::collection::vec((-20.0f32..20.0, -20.0f32..20.0), 0..300),
        cell_m in 0.2f32..12.0,
        part in 0.1f32..0.999,
        spread in prop::sample::select(vec![0.0f32, 0.1, 1.0, 30.0, 1e6]),
    ) {
        let points: Vec<Vec2> = points.iter().map(|&(x, z)| Vec2::new(x * spread, z * spread)).collect();
        let (mut near, mut found) = (SpatialHash::default(), Vec::new());
        for sparse_m in [cell_m, 3.0 * cell_m] {
            near.build_by_density(&points, HashCells { dense_m: cell_m, sparse_m });
            found.clear();
            near.pairs_in(0, 1, cell_m * part, u32::MAX, |one, other, _| {
                found.push((one.min(other), one.max(other)));
            });
            found.sort_unstable();
            assert_eq!(found, all_pairs(&points, cell_m * part));
        }
    }
}
