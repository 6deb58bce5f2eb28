//! Spans against the exact tests on every centre.

use super::*;
use crate::base::rng::Rng;
use crate::nav::Tiling;

const FRAME: MapFrame = MapFrame {
    min_x: -3.1,
    min_z: -2.7,
    cell_size_m: 0.31,
    width: 41,
    depth: 37,
    floor_y_m: 0.0,
    tiling: Tiling::SQUARES,
};

fn check(frame: &MapFrame, spans: &Spans, expected: impl Fn(Point) -> bool, what: &str) {
    let mut count = 0;
    for z in 0..frame.depth {
        for x in 0..frame.width {
            let wanted = expected(frame.centre(x, z));
            assert_eq!(spans.contains(x, z), wanted, "{what}: cell ({x}, {z})");
            count += u32::from(wanted);
        }
        for pair in spans.row(z).windows(2) {
            assert!(pair[0][1] < pair[1][0], "spans of a row lie apart");
        }
    }
    assert_eq!(spans.cell_count(), count);
    let listed: Vec<_> = (0..count).map(|index| spans.cell(index)).collect();
    assert!(listed.iter().all(|cell| cell.is_some_and(|Cell { x, z }| spans.contains(x, z))));
    assert_eq!(spans.cell(count), None);
}

/// Corners sometimes on centres, on cell edges, or anywhere, so that ties happen.
fn corner(rng: &mut Rng, frame: &MapFrame) -> Point {
    let mut axis = |min: f64, count: u32| {
        let at = rng.float(-4.0, f64::from(count) + 4.0);
        let at = match rng.below(4) {
            0 => at.floor() + 0.5,
            1 => at.floor(),
            _ => at,
        };
        min + at * frame.cell_size_m
    };
    [axis(frame.min_x, frame.width), axis(frame.min_z, frame.depth)]
}

fn polygon(rng: &mut Rng, frame: &MapFrame) -> Vec<Point> {
    let corners = 1 + rng.below(7);
    let mut polygon: Vec<Point> = (0..corners).map(|_| corner(rng, frame)).collect();
    if rng.chance(0.3) {
        // Straight sides along the axes.
        for at in 1..polygon.len() {
            let axis = at % 2;
            polygon[at][axis] = polygon[at - 1][axis];
        }
    }
    if rng.chance(0.3) {
        polygon.push(polygon[0]);
    }
    polygon
}

#[test]
fn seed_b6_a_centre_inside_or_on_the_edge_is_filled() {
    let mut rng = Rng::stream(11, "raster");
    let whole = MapFrame { min_x: -4.0, min_z: -3.0, cell_size_m: 0.5, ..FRAME };
    for round in 0..1500 {
        let frame = if round % 2 == 0 { FRAME } else { whole };
        let shape = polygon(&mut rng, &frame);
        let spans = inside(&frame, &shape);
        check(&frame, &spans, |centre| geom::polygon_contains(&shape, centre), &format!("{shape:?}"));
    }
}

#[test]
fn fault_f17_direction_and_closing_point_change_nothing() {
    let mut rng = Rng::stream(12, "raster");
    for _ in 0..300 {
        let shape = polygon(&mut rng, &FRAME);
        let mut other = shape.clone();
        other.reverse();
        other.push(other[0]);
        assert_eq!(inside(&FRAME, &shape), inside(&FRAME, &other), "{shape:?}");
        assert_eq!(inflated(&FRAME, &shape, 0.4), inflated(&FRAME, &other, 0.4), "{shape:?}");
    }
}

#[test]
fn seed_b8_inflated_shapes_equal_the_distance_to_every_edge() {
    let mut rng = Rng::stream(13, "raster");
    for round in 0..700 {
        let frame = if round % 2 == 0 { FRAME } else { MapFrame { cell_size_m: 0.5, ..FRAME } };
        let shape = polygon(&mut rng, &frame);
        // Also distances that put edges exactly on the limit.
        let distance = [0.0, 0.5, 0.7, 1.0, 1.5][rng.below(5) as usize];
        let spans = inflated(&frame, &shape, distance);
        let expected = |centre| {
            geom::polygon_contains(&shape, centre)
                || geom::edges(&shape).any(|Segment { from: a, to: b }| {
                    geom::segment_distance_sq(centre, a, b) < distance * distance
                })
        };
        check(&frame, &spans, expected, &format!("{distance} around {shape:?}"));
        let (a, b) = (corner(&mut rng, &frame), corner(&mut rng, &frame));
        let line = near(&frame, a, b, distance);
        let within = |centre| geom::segment_distance_sq(centre, a, b) <= distance * distance;
        check(&frame, &line, within, &format!("{distance} along {a:?} {b:?}"));
    }
}

#[test]
fn nearly_level_and_tiny_edges_are_exact_too() {
    let mut rng = Rng::stream(14, "raster");
    for _ in 0..500 {
        let a = corner(&mut rng, &FRAME);
        let tilt = [1e-15, 1e-9, 1e-6, 1e-3][rng.below(4) as usize];
        let b = [a[0] + rng.float(-6.0, 6.0), a[1] + tilt * rng.float(-1.0, 1.0)];
        let c = [a[0] + tilt, a[1] + rng.float(-6.0, 6.0)];
        let shape = [a, b, c];
        check(&FRAME, &inside(&FRAME, &shape), |p| geom::polygon_contains(&shape, p), &format!("{shape:?}"));
        let line = near(&FRAME, a, b, 0.93);
        check(&FRAME, &line, |p| geom::segment_distance_sq(p, a, b) <= 0.93 * 0.93, &format!("{a:?} {b:?}"));
    }
}

#[test]
fn cells_given_one_by_one_become_runs() {
    let is_in = |x: u32, z: u32| (x / 3 + z).is_multiple_of(2);
    let cells: Vec<[u32; 2]> = (0..FRAME.cell_count())
        .map(|cell| [cell / FRAME.width, cell % FRAME.width])
        .filter(|&[z, x]| is_in(x, z))
        .collect();
    let spans = of_list(&FRAME, &cells);
    for z in 0..FRAME.depth {
        for x in 0..FRAME.width {
            assert_eq!(spans.contains(x, z), is_in(x, z));
        }
    }
    assert_eq!(of_list(&FRAME, &[]), Spans::default());
    assert_eq!(spans.window(), Some(Window { first_x: 0, end_x: 41, first_z: 0, end_z: 37 }));
}

#[test]
fn joined_windows_have_the_cells_of_all_and_no_more_work() {
    let mut rng = Rng::stream(7, "windows");
    for most in [1, 3, 20, 300] {
        let draw = |rng: &mut Rng| {
            let [first_x, first_z] = [0, 1].map(|_| rng.below(30) as u32);
            let [wide, deep] = [0, 1].map(|_| rng.below(9) as u32);
            Window { first_x, end_x: first_x + wide, first_z, end_z: first_z + deep }
        };
        let windows: Vec<Window> = (0..most).map(|_| draw(&mut rng)).collect();
        let joined = Window::joined(windows.clone());
        let cells = |windows: &[Window]| windows.iter().map(|window| window.cell_count()).sum::<u64>();
        assert!(cells(&joined) <= cells(&windows));
        let holds = |windows: &[Window], x: u32, z: u32| {
            let holds =
                |it: &Window| (it.first_x..it.end_x).contains(&x) && (it.first_z..it.end_z).contains(&z);
            windows.iter().any(holds)
        };
        for (x, z) in (0..40).flat_map(|x| (0..40).map(move |z| (x, z))) {
            assert!(!holds(&windows, x, z) || holds(&joined, x, z), "{most}: ({x}, {z})");
        }
    }
    let same = Window { first_x: 3, end_x: 9, first_z: 3, end_z: 9 };
    assert_eq!(Window::joined(vec![same; 1000]).len(), 1, "many edits of one place are one");
}
