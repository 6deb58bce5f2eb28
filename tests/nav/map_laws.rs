//! Laws of navigation maps: what is walkable, where paths begin and end, what edits do.
//!
//! Goal: every answer of `NavMap` agrees with an oracle that shares no code with it: distances over all cells
//! and polygons, floods, Dijkstra over a sorted list, dense sampling of lines. Method: random maps small
//! enough for brute force, and the cases of the checklist by name.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::Vec3;
use walkon_runtime::base::geom::{self, Point};
use walkon_runtime::base::hash::StateHash;
use walkon_runtime::base::ids::AreaId;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::nav::cells::{
    AreaShape, CellArea, CellMap, CellSource, GridSource, MapFrame, grid_frame,
};
use walkon_runtime::nav::{
    Accept, AreaEdit, LayerPoint, NavEdit, NavMap, PathAnswer, PathFailure, PathQuery, PathStatus,
    RandomPoint, Reach, Search, Traversal,
};

use crate::fixture::Stage;

const CELL_M: f64 = 0.4;

fn area(polygon: &[Point]) -> AreaShape {
    AreaShape { polygon: polygon.to_vec(), available: true, factor: 1.0 }
}

fn rectangle(min: Point, max: Point) -> AreaShape {
    area(&[min, [max[0], min[1]], max, [min[0], max[1]]])
}

fn grid(areas: &[AreaShape], obstacles: &[AreaShape]) -> GridSource {
    GridSource { areas: areas.to_vec(), obstacles: obstacles.to_vec(), ..GridSource::default() }
}

fn build(source: &GridSource) -> NavMap {
    CellMap::from_grid(source).unwrap().into()
}

/// A map from a drawing: `#` blocked, `.` free, `~` free at factor 4, a digit k free and of area k. Row 0 at
/// the smallest z; cells of one metre; bodies without width.
fn drawing(rows: &[&str]) -> NavMap {
    drawn(rows).into()
}

fn drawn(rows: &[&str]) -> CellMap {
    let cells: Vec<u8> = rows.iter().flat_map(|row| row.bytes()).collect();
    let digit = |&cell: &u8| if cell.is_ascii_digit() { u16::from(cell - b'0') + 1 } else { 0 };
    let area: Vec<u16> = cells.iter().map(digit).collect();
    let count = usize::from(*area.iter().max().unwrap());
    let source = CellSource {
        frame: MapFrame {
            cell_size_m: 1.0,
            width: rows[0].len() as u32,
            depth: rows.len() as u32,
            ..MapFrame::default()
        },
        walkable: cells.iter().map(|&cell| cell != b'#').collect(),
        factor: cells.iter().map(|&cell| if cell == b'~' { 4.0 } else { 1.0 }).collect(),
        area: if count == 0 { Vec::new() } else { area },
        areas: vec![CellArea { available: true, factor: 1.0 }; count],
        ..CellSource::default()
    };
    CellMap::from_cells(&source).unwrap()
}

fn at(x: f64, z: f64) -> Vec3 {
    Vec3::new(x as f32, 0.0, z as f32)
}

fn shut(map: &mut NavMap, area: u32) {
    map.apply(&[NavEdit::Area(AreaEdit { area: AreaId(area), available: Some(false), factor: None })])
        .unwrap();
}

fn thin() -> Traversal {
    Traversal::default()
}

fn query(start: Vec3, goal: Vec3) -> PathQuery {
    PathQuery {
        start,
        goal,
        by: thin(),
        accept: Accept::Nearest,
        goal_layer: None,
        expansions_max: u32::MAX,
        others: None,
    }
}

fn plan(map: &NavMap, query: &PathQuery) -> PathAnswer {
    map.plan(query, &mut Search::default())
}

fn cells(map: &NavMap) -> &CellMap {
    map.cells().unwrap()
}

fn centre(map: &NavMap, x: u32, z: u32) -> Vec3 {
    let frame = cells(map).frame();
    frame.on_floor(frame.centre(x, z))
}

fn cell_of(map: &NavMap, point: Vec3) -> (i64, i64) {
    cells(map).frame().cell_at(geom::ground(point))
}

fn passable(map: &NavMap, x: i64, z: i64, by: &Traversal) -> bool {
    let frame = cells(map).frame();
    let inside = (0..i64::from(frame.width)).contains(&x) && (0..i64::from(frame.depth)).contains(&z);
    inside && map.is_walkable(centre(map, x as u32, z as u32), by)
}

/// All cells that can be reached from one, 4-connected: with corners kept that is all.
fn flood(map: &NavMap, from: (i64, i64), by: &Traversal) -> BTreeSet<(i64, i64)> {
    let mut seen = BTreeSet::new();
    let mut stack = vec![from];
    while let Some((x, z)) = stack.pop() {
        if passable(map, x, z, by) && seen.insert((x, z)) {
            stack.extend([(x - 1, z), (x + 1, z), (x, z - 1), (x, z + 1)]);
        }
    }
    seen
}

/// The distance in metres from the centre of a cell to a point.
fn away_m(map: &NavMap, (x, z): (i64, i64), point: Vec3) -> f64 {
    let frame = cells(map).frame();
    let [cx, cz] = frame.to_world([x as f64 + 0.5, z as f64 + 0.5]);
    ((cx - f64::from(point.x)).powi(2) + (cz - f64::from(point.z)).powi(2)).sqrt()
}

/// Cheapest cost between two cells, metres: Dijkstra over a sorted list, factor of the entered cell.
fn dijkstra_m(map: &NavMap, from: (i64, i64), to: (i64, i64), by: &Traversal) -> Option<f64> {
    let cell_m = cells(map).frame().cell_size_m;
    let mut settled = BTreeSet::new();
    let mut waiting: Vec<(f64, (i64, i64))> = vec![(0.0, from)];
    while !waiting.is_empty() {
        let least = (0..waiting.len()).min_by(|&a, &b| waiting[a].0.total_cmp(&waiting[b].0))?;
        let (cost, (x, z)) = waiting.swap_remove(least);
        if !settled.insert((x, z)) {
            continue;
        }
        if (x, z) == to {
            return Some(cost);
        }
        for (dx, dz) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)] {
            let free = |x, z| passable(map, x, z, by);
            if free(x + dx, z + dz)
                && free(x + dx, z)
                && free(x, z + dz)
                && !settled.contains(&(x + dx, z + dz))
            {
                let length = f64::from(((dx * dx + dz * dz) as f32).sqrt()) * cell_m;
                let factor = f64::from(cells(map).factor_at((x + dx) as u32, (z + dz) as u32));
                waiting.push((cost + length * factor, (x + dx, z + dz)));
            }
        }
    }
    None
}

/// A line sampled at 1/64 of a cell: a necessary check.
fn samples_are_legal(map: &NavMap, from: Vec3, to: Vec3, by: &Traversal) -> bool {
    let steps = (f64::from(from.distance(to)) / cells(map).frame().cell_size_m * 64.0).ceil().max(1.0) as u32;
    (0..=steps).all(|step| map.is_walkable(from.lerp(to, step as f32 / steps as f32), by))
}

fn random_drawing(rng: &mut Rng, blocked: f64, expensive: f64) -> Vec<String> {
    let (width, depth) = (2 + rng.below(24), 2 + rng.below(14));
    let mut cell = || match rng.unit() {
        value if value < blocked => '#',
        value if value < blocked + expensive => '~',
        _ => '.',
    };
    (0..depth).map(|_| (0..width).map(|_| cell()).collect()).collect()
}

fn random_map(rng: &mut Rng, blocked: f64, expensive: f64) -> NavMap {
    let rows = random_drawing(rng, blocked, expensive);
    drawing(&rows.iter().map(String::as_str).collect::<Vec<_>>())
}

fn random_place(rng: &mut Rng, map: &NavMap, beyond_m: f64) -> Vec3 {
    let bounds = map.bounds().grown(beyond_m);
    at(rng.float(bounds.min[0], bounds.max[0]), rng.float(bounds.min[1], bounds.max[1]))
}

#[test]
fn inv_p2_paths_are_legal_minimal_and_never_longer_or_dearer_than_what_the_search_found() {
    let mut rng = Rng::stream(1, "plan");
    let (mut complete, mut partial) = (0, 0);
    let mut search = Search::default();
    for round in 0..700 {
        let map =
            random_map(&mut rng, 0.05 + 0.1 * f64::from(round % 4), if round % 3 == 0 { 0.3 } else { 0.0 });
        let weighted = round % 3 == 0;
        let (start, goal) = (random_place(&mut rng, &map, 0.0), random_place(&mut rng, &map, 3.0));
        if !map.is_walkable(start, &thin()) {
            continue;
        }
        let (answer, record) = map.plan_recorded(&query(start, goal), &mut search);
        let points = &answer.path.points;
        assert_eq!(points[0], start, "paths begin at the real start");
        let reachable = flood(&map, cell_of(&map, start), &thin());
        let whole = reachable.contains(&cell_of(&map, goal));
        assert_eq!(answer.status == PathStatus::Complete, whole, "round {round}");
        assert_eq!(answer.path.whole, whole);
        let end = points[points.len() - 1];
        if whole {
            complete += 1;
            assert_eq!(end, goal, "seed:A8: the exact goal");
        } else {
            partial += 1;
            assert_eq!(answer.nearest, Some(end));
            let best = reachable.iter().map(|&cell| away_m(&map, cell, goal)).fold(f64::INFINITY, f64::min);
            let found = away_m(&map, cell_of(&map, end), goal);
            assert!(found <= best + 1e-9, "seed:U3: {found} m, nearest {best} m");
        }
        for pair in points.windows(2) {
            assert!(map.straight(pair[0], pair[1], &thin()).is_some(), "seed:M3: {pair:?} is clear");
            assert!(samples_are_legal(&map, pair[0], pair[1], &thin()));
        }
        for three in points.windows(3) {
            let skipped = map.straight(three[0], three[2], &thin());
            let taken = map.straight(three[0], three[1], &thin()).unwrap().0
                + map.straight(three[1], three[2], &thin()).unwrap().0;
            let idle = skipped.is_some_and(|cost| !weighted || cost.0 <= taken);
            assert!(!idle, "seed:M3: {:?} can be left out", three[1]);
        }
        let mut raw = vec![start];
        let width = cells(&map).frame().width;
        raw.extend(record.raw.iter().map(|node| centre(&map, node.0 % width, node.0 / width)));
        raw.push(end);
        let length = |points: &[Vec3]| points.windows(2).map(|pair| pair[0].distance(pair[1])).sum::<f32>();
        let price = |points: &[Vec3]| {
            points
                .windows(2)
                .map(|pair| map.metres(map.straight(pair[0], pair[1], &thin()).unwrap()))
                .sum::<f64>()
        };
        assert!((length(points) - answer.path.length_m).abs() < 1e-3);
        if !record.raw.is_empty() {
            assert!(length(points) <= length(&raw) + 1e-4, "not longer than raw");
            assert!(price(points) <= price(&raw) + 1e-3 * raw.len() as f64, "not more expensive than raw");
            let ends = [record.raw[0], record.raw[record.raw.len() - 1]];
            let cell = |node: u32| (i64::from(node % width), i64::from(node / width));
            let best = dijkstra_m(&map, cell(ends[0].0), cell(ends[1].0), &thin()).unwrap();
            let steps: f64 =
                record.raw.windows(2).map(|pair| step_m(&map, cell(pair[0].0), cell(pair[1].0))).sum();
            assert!((best - steps).abs() < 1e-4, "seed:A1: {steps} m, cheapest {best} m");
        }
    }
    assert!(complete > 100 && partial > 100, "{complete} complete, {partial} partial");
}

fn step_m(map: &NavMap, from: (i64, i64), to: (i64, i64)) -> f64 {
    let (dx, dz) = (to.0 - from.0, to.1 - from.1);
    assert!(dx.abs().max(dz.abs()) == 1, "neighbours");
    let factor = f64::from(cells(map).factor_at(to.0 as u32, to.1 as u32));
    ((dx * dx + dz * dz) as f64).sqrt() * cells(map).frame().cell_size_m * factor
}

// ---- The grid: seed:G, fault:F ----

#[test]
fn seed_g1_heights_do_not_matter_and_waypoints_lie_on_the_floor() {
    let mut source = grid(&[rectangle([0.0, 0.0], [10.0, 10.0])], &[rectangle([4.0, 0.0], [5.0, 8.0])]);
    source.floor_y_m = 1.5;
    let map = build(&source);
    let flat = plan(&map, &query(at(1.0, 1.0), at(9.0, 1.0)));
    assert_eq!(flat.status, PathStatus::Complete);
    assert!(flat.path.points.len() > 2 && flat.path.points.iter().all(|point| point.y == 1.5));
    let high = |point: Vec3, y: f32| Vec3::new(point.x, y, point.z);
    assert_eq!(plan(&map, &query(high(at(1.0, 1.0), -7.0), high(at(9.0, 1.0), 99.0))), flat);
}

#[test]
fn seed_g2_ids_count_along_x_first() {
    let map = drawing(&["...", "..."]);
    assert_eq!(map.locate(at(2.5, 1.5), &thin()).unwrap().node.0, 5);
}

#[test]
fn seed_g4_the_frame_covers_all_areas_and_a_margin() {
    let mut source = grid(&[rectangle([0.0, 0.0], [10.0, 10.0])], &[]);
    let frame = grid_frame(&source).unwrap();
    assert_eq!((frame.min_x, frame.min_z, frame.width, frame.depth), (-1.5, -1.5, 33, 33));
    source.areas[0].available = false;
    assert_eq!(grid_frame(&source).unwrap(), frame);
    assert_eq!(grid_frame(&grid(&[], &[])).unwrap().cell_count(), 0);
}

#[test]
fn seed_g5_the_centre_of_a_cell_lies_in_it_and_cells_begin_at_the_minimum() {
    let mut rng = Rng::stream(2, "frames");
    for _ in 0..1000 {
        let frame = MapFrame {
            min_x: rng.float(-5000.0, 100.0),
            min_z: rng.float(-5000.0, 100.0),
            cell_size_m: rng.float(0.01, 5.0),
            width: 1 + rng.below(300) as u32,
            depth: 1 + rng.below(20) as u32,
            ..MapFrame::default()
        };
        for z in 0..frame.depth {
            for x in 0..frame.width {
                assert_eq!(frame.cell_in(frame.centre(x, z)), Some((x, z)));
            }
        }
        let below = [frame.min_x - frame.cell_size_m * 1e-3, frame.centre(0, 0)[1]];
        assert_eq!((frame.cell_at(below).0, frame.cell_in(below)), (-1, None), "floor, not truncation");
    }
}

#[test]
fn fault_f10_to_f13_sizes_beyond_the_limits_are_refused_before_anything_is_allocated() {
    let with = |change: &dyn Fn(&mut GridSource)| {
        let mut source = grid(&[rectangle([0.0, 0.0], [10.0, 10.0])], &[]);
        change(&mut source);
        CellMap::from_grid(&source).map(|_| ()).map_err(|error| error.to_string())
    };
    for value in [0.0, -1.0, 1e-9, 1e9, f64::NAN] {
        let error = with(&|source| source.cell_size_m = value).unwrap_err();
        assert!(error.contains("0.01 to 100"), "{error}");
    }
    let huge = with(&|source| {
        source.cell_size_m = 0.01;
        source.areas[0] = rectangle([0.0, 0.0], [1e6, 1e6]);
    });
    assert!(huge.unwrap_err().contains("limit 16777216"));
    for value in [1.1e6, f64::NAN, f64::INFINITY] {
        assert!(with(&|source| source.areas[0].polygon[0][0] = value).unwrap_err().contains("1e6"));
    }
    assert!(with(&|source| source.agent_radius_m = -0.1).unwrap_err().contains("agent radius"));
    for factor in [0.0, -1.0, f32::NAN, 1e30] {
        let error = with(&|source| source.areas[0].factor = factor).unwrap_err();
        assert!(error.contains("0.1 to 100"), "fault:F35: {error}");
    }
    for polygon in [vec![], vec![[1.0, 1.0]], vec![[1.0, 1.0], [2.0, 2.0]], vec![[1.0, 1.0]; 4]] {
        with(&|source| source.areas.push(area(&polygon))).unwrap();
        with(&|source| source.obstacles.push(area(&polygon))).unwrap();
    }
    let flat = grid(&[rectangle([0.0, 0.0], [4.0, 4.0])], &[area(&[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])]);
    assert!(build(&flat).is_walkable(at(2.0, 2.0), &thin()), "an obstacle without an inside is none");
    let bow = grid(&[area(&[[0.0, 0.0], [4.0, 4.0], [4.0, 0.0], [0.0, 4.0]])], &[]);
    let map = build(&bow);
    assert!(map.is_walkable(at(0.5, 2.0), &thin()) && map.is_walkable(at(3.5, 2.0), &thin()));
    assert!(
        !map.is_walkable(at(2.0, 0.7), &thin()) && !map.is_walkable(at(2.0, 3.3), &thin()),
        "fault:F14: even-odd"
    );
}

#[test]
fn cell_lists_must_fit_their_frame() {
    let frame = MapFrame { width: 2, depth: 2, ..MapFrame::default() };
    let good = CellSource { frame, walkable: vec![true; 4], ..CellSource::default() };
    assert!(CellMap::from_cells(&good).is_ok());
    let wrong = [
        CellSource { walkable: vec![true; 3], ..good.clone() },
        CellSource { factor: vec![1.0; 5], ..good.clone() },
        CellSource { factor: vec![1.0, 1.0, 0.0, 1.0], ..good.clone() },
        CellSource { area: vec![0, 0, 1, 0], ..good.clone() },
        CellSource { frame: MapFrame { cell_size_m: f64::NAN, ..frame }, ..good.clone() },
        CellSource { frame: MapFrame { width: u32::MAX, depth: u32::MAX, ..frame }, ..good.clone() },
    ];
    for source in wrong {
        assert!(CellMap::from_cells(&source).is_err());
    }
}

// ---- Building: seed:B ----

#[test]
fn seed_b1_a_grid_and_its_cells_written_down_give_one_hash_and_the_same_paths() {
    let source = grid(&[rectangle([0.0, 0.0], [9.0, 7.0])], &[rectangle([3.0, 0.0], [4.0, 4.0])]);
    let cut = CellMap::from_grid(&source).unwrap();
    let frame = *cut.frame();
    let walkable =
        (0..frame.cell_count()).map(|id| cut.walkable(id % frame.width, id / frame.width)).collect();
    let read = CellSource {
        frame,
        agent_radius_m: source.agent_radius_m,
        object_padding_m: source.object_padding_m,
        walkable,
        ..CellSource::default()
    };
    let (cut, read): (NavMap, NavMap) = (cut.into(), CellMap::from_cells(&read).unwrap().into());
    assert_eq!(hash(&cut), hash(&read));
    let walk = query(at(1.0, 1.0), at(8.0, 1.0));
    assert_eq!(plan(&cut, &walk), plan(&read, &walk));
}

fn hash(map: &NavMap) -> u64 {
    let mut hash = StateHash::default();
    map.hash_into(&mut hash);
    hash.finish()
}

#[test]
fn seed_b5_the_way_goes_round_the_inner_corner_of_an_l() {
    let corners = [[0.0, 0.0], [8.0, 0.0], [8.0, 3.0], [3.0, 3.0], [3.0, 8.0], [0.0, 8.0]];
    let map = build(&grid(&[area(&corners)], &[]));
    for z in 0..cells(&map).frame().depth {
        for x in 0..cells(&map).frame().width {
            let [cx, cz] = cells(&map).frame().centre(x, z);
            assert!(!(cx > 3.0 && cz > 3.0 && cells(&map).walkable(x, z)), "the notch is no ground");
        }
    }
    let answer = plan(&map, &query(at(7.0, 1.0), at(1.0, 7.0)));
    assert_eq!(answer.status, PathStatus::Complete);
    assert!(answer.path.length_m > (6.0_f32 * 6.0 * 2.0).sqrt() + 0.1);
}

#[test]
fn seed_b6_rooms_that_share_an_edge_through_cell_centres_are_connected() {
    // Centres lie at multiples of 0.4 from -1.3: 3.5 is one.
    let mut rooms = grid(&[rectangle([0.0, 0.0], [3.5, 4.0]), rectangle([3.5, 0.0], [8.0, 4.0])], &[]);
    rooms.areas.push(rectangle([10.0, 0.0], [10.05, 4.0]));
    let map = build(&rooms);
    let edge = cells(&map).frame().cell_in([3.5, 2.0]).unwrap();
    assert!((cells(&map).frame().centre(edge.0, edge.1)[0] - 3.5).abs() < 1e-12);
    assert_eq!(map.reach(at(1.0, 2.0), at(7.0, 2.0), &thin()), Reach::Yes);
    assert!(map.area_cells(AreaId(0)) > 0);
    assert_eq!(map.area_cells(AreaId(2)), 0, "an area between centres owns no cell");
    assert_eq!(map.islands().len(), 1);
}

#[test]
fn seed_b7_a_boundary_padding_keeps_off_the_outer_edge_and_leaves_doorways_open() {
    let mut rng = Rng::stream(3, "padding");
    let rooms = [
        rectangle([0.0, 0.0], [5.0, 5.0]),
        rectangle([5.0, 2.0], [6.0, 3.2]),
        rectangle([6.0, 0.0], [11.0, 5.0]),
    ];
    let mut source = grid(&rooms, &[]);
    source.boundary_padding_m = 0.3;
    let mut map = build(&source);
    assert_eq!(map.reach(at(1.0, 1.0), at(9.0, 4.0), &thin()), Reach::Yes);
    check_padding(&map, &source);
    shut(&mut map, 1);
    source.areas[1].available = false;
    check_padding(&map, &source);
    assert_eq!(map.reach(at(1.0, 1.0), at(9.0, 4.0), &thin()), Reach::No(PathFailure::Area(AreaId(1))));
    for _ in 0..60 {
        let mut corner = || rng.below(20) as f64 * 0.5;
        let shapes: Vec<AreaShape> = (0..4)
            .map(|_| {
                let (x, z) = (corner(), corner());
                rectangle([x, z], [x + 0.5 + corner() / 2.0, z + 0.5 + corner() / 2.0])
            })
            .collect();
        let source = GridSource { boundary_padding_m: 0.45, ..grid(&shapes, &[]) };
        check_padding(&build(&source), &source);
    }
}

/// A centre is blocked when ground is missing within the padding, looked for at points all around.
fn check_padding(map: &NavMap, source: &GridSource) {
    let ground = |point: Point| {
        let available = source.areas.iter().filter(|area| area.available);
        available.clone().any(|area| geom::polygon_contains(&area.polygon, point))
    };
    let missing = |[x, z]: Point, radius: f64| {
        (0..12).any(|ring| {
            let away = radius * f64::from(ring) / 11.0;
            (0..32).any(|turn| {
                let angle = f64::from(turn) * std::f64::consts::TAU / 32.0;
                let (sin, cos) = (libm::sin(angle), libm::cos(angle));
                !ground([x + away * cos, z + away * sin])
            })
        })
    };
    let frame = *cells(map).frame();
    for z in 0..frame.depth {
        for x in 0..frame.width {
            let centre = frame.centre(x, z);
            let walkable = cells(map).walkable(x, z);
            if missing(centre, source.boundary_padding_m - 0.01) {
                assert!(!walkable, "{centre:?} lies within the padding");
            } else if !missing(centre, source.boundary_padding_m + 0.15) {
                assert!(walkable, "{centre:?} lies clear of the edge of {:?}", source.areas);
            }
        }
    }
}

#[test]
fn seed_b8_obstacles_keep_bodies_seventy_centimetres_away() {
    let room = rectangle([-6.0, -6.0], [6.0, 6.0]);
    // The nearest centre beside each side and corner, shifted to lie at a given distance.
    for (away, walkable) in [(0.69, false), (0.71, true)] {
        for side in 0..8 {
            let diagonal = side % 2 == 1;
            let (sx, sz) = [
                (1.0, 0.0),
                (1.0, 1.0),
                (0.0, 1.0),
                (-1.0, 1.0),
                (-1.0, 0.0),
                (-1.0, -1.0),
                (0.0, -1.0),
                (1.0, -1.0),
            ][side];
            let map = build(&grid(std::slice::from_ref(&room), &[]));
            let cell = cells(&map).frame().cell_in([2.3 * sx, 2.3 * sz]).unwrap();
            let centre = cells(&map).frame().centre(cell.0, cell.1);
            let step = if diagonal { away / f64::sqrt(2.0) } else { away };
            // The near corner or side of a square of two metres lies `step` closer to the middle.
            let near = [centre[0] - step * sx, centre[1] - step * sz];
            let min = [0, 1].map(|axis| match [sx, sz][axis] {
                s if s > 0.0 => near[axis] - 2.0,
                s if s < 0.0 => near[axis],
                _ => near[axis] - 1.0,
            });
            let map =
                build(&grid(std::slice::from_ref(&room), &[rectangle(min, [min[0] + 2.0, min[1] + 2.0])]));
            assert_eq!(cells(&map).walkable(cell.0, cell.1), walkable, "{away} m from side {side}");
        }
    }
}

#[test]
fn walkable_cells_equal_distances_to_everything() {
    let mut rng = Rng::stream(4, "grids");
    for _ in 0..60 {
        let mut polygon = || -> Vec<Point> {
            let corners = 3 + rng.below(5);
            (0..corners).map(|_| [rng.float(0.0, 14.0), rng.float(0.0, 14.0)]).collect()
        };
        let mut source = grid(&[area(&polygon()), area(&polygon()), area(&polygon())], &[area(&polygon())]);
        source.areas[1].available = rng.chance(0.5);
        source.areas[2].factor = 3.0;
        let map = build(&source);
        let frame = *cells(&map).frame();
        for z in 0..frame.depth {
            for x in 0..frame.width {
                let centre = frame.centre(x, z);
                let holds = |shape: &AreaShape| geom::polygon_contains(&shape.polygon, centre);
                let near = |shape: &AreaShape| {
                    let edges = geom::edges(&shape.polygon);
                    edges
                        .map(|geom::Segment { from: a, to: b }| geom::segment_distance_sq(centre, a, b))
                        .any(|away| away < 0.7 * 0.7)
                };
                let ground = source.areas.iter().any(|shape| shape.available && holds(shape));
                let blocked = source.obstacles.iter().any(|shape| holds(shape) || near(shape));
                assert_eq!(cells(&map).walkable(x, z), ground && !blocked, "{centre:?} of {source:?}");
                if ground {
                    let last = source.areas.iter().rfind(|shape| shape.available && holds(shape)).unwrap();
                    assert_eq!(cells(&map).factor_at(x, z), last.factor, "the last listed available area");
                }
            }
        }
    }
}

#[test]
fn seed_b9_a_thousand_toggles_are_one_revision_and_none_when_nothing_changes() {
    let mut map = build(&grid(&[rectangle([0.0, 0.0], [9.0, 4.0])], &[rectangle([4.0, 0.0], [5.0, 4.0])]));
    let wall = AreaId(1);
    let toggles = |count: usize| -> Vec<NavEdit> {
        (0..count)
            .map(|at| NavEdit::Area(AreaEdit { area: wall, available: Some(at % 2 == 1), factor: None }))
            .collect()
    };
    let first = hash(&map);
    assert_eq!(map.apply(&toggles(1000)), None, "on again at the end");
    assert_eq!((hash(&map), map.revision().0), (first, 0));
    let change = map.apply(&toggles(1001)).unwrap();
    assert_eq!((map.revision().0, change.opened, change.closed, change.recosted), (1, true, false, false));
    assert_eq!(map.reach(at(1.0, 2.0), at(8.0, 2.0), &thin()), Reach::Yes, "obstacles toggle like areas");
    let unknown = NavEdit::Area(AreaEdit { area: AreaId(77), available: Some(false), factor: Some(2.0) });
    assert_eq!(map.apply(&[unknown]), None);
    assert_ne!(hash(&map), first);
}

#[test]
fn fault_g30_an_area_toggled_for_an_hour_leaves_no_trace() {
    let mut map = build(&grid(&[rectangle([0.0, 0.0], [4.0, 4.0]), rectangle([4.0, 0.0], [6.0, 4.0])], &[]));
    let walk = query(at(1.0, 1.0), at(5.0, 1.0));
    let first = plan(&map, &walk);
    for tick in 0..20_000 {
        map.apply(&[NavEdit::Area(AreaEdit {
            area: AreaId(1),
            available: Some(tick % 2 == 1),
            factor: None,
        })])
        .unwrap();
    }
    let last = plan(&map, &walk);
    assert_eq!((last.path.points, map.revision().0), (first.path.points, 20_000));
}

// ---- Where paths begin and end: seed:A, seed:U, fault:G ----

#[test]
fn seed_a5_the_nearest_cell_is_the_nearest_not_the_first_ring() {
    let mut rows = vec!["#######".to_string(); 6];
    rows[5].replace_range(5..6, ".");
    rows[0].replace_range(6..7, ".");
    let map = drawing(&rows.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(map.nearest(at(0.5, 0.5), 8.0, &thin()).unwrap().point, at(6.5, 0.5));
    assert_eq!(map.nearest(at(0.5, 0.5), 5.9, &thin()), None);
    assert_eq!(
        map.nearest(at(6.7, 0.2), 8.0, &thin()).unwrap().point,
        at(6.7, 0.2),
        "its own point when legal"
    );
}

#[test]
fn nearest_cells_equal_a_scan_of_all() {
    let mut rng = Rng::stream(5, "nearest");
    for _ in 0..600 {
        let map = random_map(&mut rng, 0.85, 0.0);
        let point = random_place(&mut rng, &map, 5.0);
        let frame = *cells(&map).frame();
        let all = (0..frame.depth).flat_map(|z| (0..frame.width).map(move |x| (x, z)));
        let free: Vec<(u32, u32)> = all.filter(|&(x, z)| cells(&map).walkable(x, z)).collect();
        let away = |&(x, z): &(u32, u32)| away_m(&map, (i64::from(x), i64::from(z)), point);
        let best = free.iter().map(away).fold(f64::INFINITY, f64::min);
        match map.nearest(point, 8.0, &thin()) {
            None => assert!(best > 8.0 - 1e-6),
            Some(found) if found.point == point => assert!(map.is_walkable(point, &thin())),
            Some(found) => {
                let cell = cell_of(&map, found.point);
                assert!((away_m(&map, cell, point) - best).abs() < 1e-9 && best <= 8.0 + 1e-6);
            }
        }
    }
}

#[test]
fn seed_a5_a_start_behind_a_wall_is_not_moved_through_it() {
    let by = Traversal { radius_m: 0.6, ..Traversal::default() };
    // A slot one cell wide is too narrow for this body, and the wall beside it two cells thick.
    let slot = drawing(&["########", "#.##....", "#.##....", "#.##....", "#.##....", "########"]);
    assert_eq!(slot.start(at(1.5, 2.5), &by), None);
    assert_eq!(
        plan(&slot, &PathQuery { by: by.clone(), ..query(at(1.5, 2.5), at(6.5, 2.5)) }).trouble,
        Some(PathFailure::TooWide)
    );
    assert_eq!(slot.start(at(4.2, 2.6), &by).unwrap().point, at(5.5, 2.5), "near a wall it steps aside");
    // Beyond the edge of the map, with a wall in between.
    let outside = drawing(&["##...", "##...", "##..."]);
    assert_eq!(outside.start(at(-1.0, 1.5), &thin()), None);
    assert_eq!(outside.start(at(1.2, 1.4), &thin()).unwrap().point, at(2.5, 1.5), "in the wall it steps out");
    assert_eq!(outside.start(at(6.0, 1.4), &thin()).unwrap().point, at(4.5, 1.5), "fault:G31");
    assert_eq!(outside.start(at(14.0, 1.4), &thin()), None, "more than eight metres away");
    // An obstacle far thinner than a cell.
    let fence = build(&grid(&[rectangle([0.0, 0.0], [4.0, 4.0])], &[rectangle([-1.0, -5.0], [-0.99, 9.0])]));
    assert_eq!(fence.start(at(-1.4, 2.0), &thin()), None);
    assert!(fence.start(at(-0.6, 2.0), &thin()).is_some());
}

#[test]
fn fault_g3_a_body_on_which_a_door_closed_steps_out_of_it() {
    let mut map = drawing(&["..0..", "..0..", "##0##", "..0.."]);
    shut(&mut map, 0);
    let from = at(2.4, 0.5);
    assert_eq!(map.start(from, &thin()).unwrap().point, at(1.5, 0.5));
    let answer = plan(&map, &query(from, at(0.5, 1.5)));
    assert_eq!(answer.status, PathStatus::Complete);
    assert_eq!(answer.path.points[0], from);
    assert_eq!(answer.path.points[1], at(1.5, 0.5), "the way out first");
    // Out of the other closed door is no way out of this one.
    let mut two = drawing(&["#####", "#01.#", "#####"]);
    two.apply(&[
        NavEdit::Area(AreaEdit { area: AreaId(0), available: Some(false), factor: None }),
        NavEdit::Area(AreaEdit { area: AreaId(1), available: Some(false), factor: None }),
    ]);
    assert_eq!(two.start(at(1.5, 1.5), &thin()), None);
    assert_eq!(two.start(at(2.5, 1.5), &thin()).unwrap().point, at(3.5, 1.5));
}

#[test]
fn seed_a7_a_walk_inside_one_cell_is_a_line_of_two_points() {
    let map = drawing(&["...", "...", "..."]);
    let answer = plan(&map, &query(at(1.2, 1.2), at(1.4, 1.2)));
    assert_eq!((answer.status, answer.expansions), (PathStatus::Complete, 0));
    assert_eq!(answer.path.points, [at(1.2, 1.2), at(1.4, 1.2)]);
    let here = plan(&map, &query(at(1.2, 1.2), at(1.2, 1.2)));
    assert_eq!((here.status, here.path.length_m), (PathStatus::Complete, 0.0), "fault:G4");
    assert_eq!(here.path.points, [at(1.2, 1.2)]);
}

#[test]
fn seed_a8_a_path_ends_at_the_exact_point() {
    let map = build(&grid(&[rectangle([0.0, 0.0], [10.0, 10.0])], &[]));
    let answer = plan(&map, &query(at(1.11, 8.3), at(3.37, 4.21)));
    assert_eq!(answer.path.points, [at(1.11, 8.3), at(3.37, 4.21)]);
    assert!((answer.path.length_m - 4.673).abs() < 1e-3 && answer.path.cost_m == answer.path.length_m);
}

#[test]
fn seed_m2_lines_past_one_blocked_cell_are_tested_exactly() {
    let map = drawing(&["...", "#..", "...", "..."]);
    assert_eq!(map.straight(at(0.5, 0.5), at(2.5, 3.5), &thin()), None);
    let corner = drawing(&[".#", ".."]);
    assert_eq!(corner.straight(at(0.5, 0.5), at(1.5, 1.5), &thin()), None);
    assert_eq!(corner.reach(at(0.5, 0.5), at(1.5, 1.5), &thin()), Reach::Yes);
    let (clear, last) = corner.sight(at(0.5, 0.5), at(1.9, 0.5), &thin());
    assert!(!clear && last.x > 0.9 && last.x < 1.0 && corner.is_walkable(last, &thin()));
    assert_eq!(corner.slide(at(0.5, 0.5), at(1.9, 0.5), &thin()), last);
    assert_eq!(corner.slide(at(1.5, 0.5), at(0.5, 0.5), &thin()), at(1.5, 0.5), "illegal bodies stay");
}

#[test]
fn seed_m1_a_smoothed_path_stays_on_the_road() {
    let map = drawing(&["......", "~~~~~.", "~~~~~.", "~~~~~.", "......"]);
    let answer = plan(&map, &query(at(0.5, 0.5), at(0.5, 4.5)));
    assert!(answer.path.points.len() > 2 && answer.path.cost_m < 16.0 + 1e-3, "{:?}", answer.path);
    let mud = drawing(&["~~~~~~~~", "~~~~~~~~"]);
    let through = plan(&mud, &query(at(0.5, 0.5), at(7.5, 0.5)));
    assert_eq!((through.path.points.len(), through.path.cost_m), (2, 28.0));
}

#[test]
fn seed_u1_the_four_answers_come_from_four_maps() {
    let answer = |rows: &[&str], limit: u32, accept: Accept| {
        let walk = PathQuery { expansions_max: limit, accept, ..query(at(0.5, 0.5), at(4.5, 2.5)) };
        let answer = plan(&drawing(rows), &walk);
        (answer.status, answer.trouble)
    };
    let open = [".....", ".###.", "....."];
    let cut = ["...#.", "...#.", "...#."];
    assert_eq!(answer(&open, u32::MAX, Accept::Exact), (PathStatus::Complete, None));
    assert_eq!(answer(&cut, u32::MAX, Accept::Nearest), (PathStatus::Partial, Some(PathFailure::NoPath)));
    assert_eq!(answer(&cut, u32::MAX, Accept::Exact), (PathStatus::None, Some(PathFailure::NoPath)));
    assert_eq!(answer(&open, 0, Accept::Nearest), (PathStatus::None, Some(PathFailure::Limit)), "fault:G29");
    let nothing = plan(&NavMap::default(), &query(at(0.0, 0.0), at(1.0, 1.0)));
    assert_eq!((nothing.status, nothing.trouble), (PathStatus::None, Some(PathFailure::StartOffNav)));
    let lost = plan(&drawing(&open), &query(at(0.5, 0.5), Vec3::NAN));
    assert_eq!(lost.status, PathStatus::None);
}

#[test]
fn seed_u2_an_unreachable_goal_is_decided_without_a_search() {
    let side = 400;
    let mut walkable = vec![true; side * side];
    for cell in [200 * side + 199, 200 * side + 201, 199 * side + 200, 201 * side + 200] {
        walkable[cell] = false;
    }
    let frame = MapFrame { width: side as u32, depth: side as u32, cell_size_m: 1.0, ..MapFrame::default() };
    let map: NavMap =
        CellMap::from_cells(&CellSource { frame, walkable, ..CellSource::default() }).unwrap().into();
    let walk = PathQuery { accept: Accept::Exact, ..query(at(3.5, 3.5), at(200.5, 200.5)) };
    let answer = plan(&map, &walk);
    assert_eq!((answer.trouble, answer.expansions), (Some(PathFailure::NoPath), 0), "seed:N14, seed:N15");
    assert_eq!(answer.nearest, Some(at(199.5, 199.5)));
    assert_eq!(map.reach(at(3.5, 3.5), at(200.5, 200.5), &thin()), Reach::No(PathFailure::NoPath));
}

#[test]
fn seed_u3_of_cells_equally_near_the_cheapest_to_reach_is_taken() {
    // All four sides of the block are equally near to its middle.
    let rows = [".......", ".......", "..###..", "..###..", "..###..", ".......", "......."];
    let map = drawing(&rows);
    let (middle, sides) = (at(3.5, 3.5), [(3, 1), (1, 3), (5, 3), (3, 5)]);
    for (start, expected) in
        [((6, 3), (5, 3)), ((3, 6), (3, 5)), ((0, 3), (1, 3)), ((3, 0), (3, 1)), ((6, 6), (5, 3))]
    {
        let answer = plan(&map, &query(centre(&map, start.0, start.1), middle));
        assert_eq!(answer.status, PathStatus::Partial);
        let end = answer.path.points[answer.path.points.len() - 1];
        assert_eq!(cell_of(&map, end), expected, "from {start:?}");
        assert_eq!(answer.nearest, Some(end));
        assert!(sides.contains(&(expected.0 as u32, expected.1 as u32)));
    }
    let mut rng = Rng::stream(6, "ties");
    for _ in 0..300 {
        let map = random_map(&mut rng, 0.4, 0.2);
        let frame = *cells(&map).frame();
        let cell = (rng.below(u64::from(frame.width)) as u32, rng.below(u64::from(frame.depth)) as u32);
        let start = random_place(&mut rng, &map, 0.0);
        let goal = centre(&map, cell.0, cell.1);
        let reachable = flood(&map, cell_of(&map, start), &thin());
        if !map.is_walkable(start, &thin()) || reachable.contains(&cell_of(&map, goal)) {
            continue;
        }
        let best = reachable.iter().map(|&cell| away_m(&map, cell, goal)).fold(f64::INFINITY, f64::min);
        let ties = reachable.iter().filter(|&&cell| away_m(&map, cell, goal) < best + 1e-9);
        let cost = |cell: (i64, i64)| dijkstra_m(&map, cell_of(&map, start), cell, &thin()).unwrap();
        let cheapest = ties.map(|&cell| cost(cell)).fold(f64::INFINITY, f64::min);
        let answer = plan(&map, &query(start, goal));
        let end = cell_of(&map, answer.nearest.unwrap());
        assert!(away_m(&map, end, goal) < best + 1e-9 && cost(end) < cheapest + 1e-4, "{end:?}");
    }
}

#[test]
fn seed_u5_a_body_at_the_best_place_already_stays_put() {
    let map = drawing(&["...#.", "...#.", "...#."]);
    let first = plan(&map, &query(at(0.5, 0.5), at(4.5, 1.5)));
    let end = first.nearest.unwrap();
    assert_eq!(end, at(2.5, 1.5));
    let second = plan(&map, &query(end, at(4.5, 1.5)));
    assert_eq!((second.status, second.path.points, second.expansions), (PathStatus::Partial, vec![end], 0));
    assert!(!second.path.whole && second.path.length_m == 0.0);
}

#[test]
fn seed_u6_no_reachable_cell_is_nearer_wherever_the_goal() {
    let mut rng = Rng::stream(7, "far");
    let rows = random_drawing(&mut rng, 0.3, 0.0);
    let map = drawing(&rows.iter().map(String::as_str).collect::<Vec<_>>());
    let mut done = 0;
    for round in 0..1500 {
        let start = random_place(&mut rng, &map, 0.0);
        let goal = random_place(&mut rng, &map, [0.0, 3.0, 1000.0, 9e5][round % 4]);
        if !map.is_walkable(start, &thin()) {
            continue;
        }
        done += 1;
        let answer = plan(&map, &query(start, goal));
        let end = answer.path.points[answer.path.points.len() - 1];
        let reachable = flood(&map, cell_of(&map, start), &thin());
        let best = reachable.iter().map(|&cell| away_m(&map, cell, goal)).fold(f64::INFINITY, f64::min);
        assert!(end == goal || away_m(&map, cell_of(&map, end), goal) <= best + 1e-6);
    }
    assert!(done > 500);
}

// ---- Wide bodies: seed:W3, fault:G18 ----

#[test]
fn seed_w3_a_gap_of_a_metre_is_for_bodies_narrower_than_it() {
    let mut source = grid(
        &[rectangle([0.0, 0.0], [10.0, 6.0])],
        &[rectangle([4.5, -1.0], [5.5, 2.5]), rectangle([4.5, 3.5], [5.5, 7.0])],
    );
    source.cell_size_m = 0.1;
    (source.agent_radius_m, source.object_padding_m) = (0.0, 0.0);
    let mut map = build(&source);
    let ask = |map: &NavMap, radius_m: f32| {
        let by = Traversal { radius_m, ..Traversal::default() };
        plan(map, &PathQuery { by, accept: Accept::Exact, ..query(at(2.0, 2.0), at(8.0, 4.0)) })
    };
    for prepared in [false, true] {
        let taken = ask(&map, 0.45);
        assert_eq!(taken.status, PathStatus::Complete);
        for pair in taken.path.points.windows(2) {
            for step in 0..=100 {
                let point = geom::ground(pair[0].lerp(pair[1], step as f32 / 100.0));
                let walls = source.obstacles.iter().flat_map(|wall| geom::edges(&wall.polygon));
                let away = walls
                    .map(|geom::Segment { from: a, to: b }| geom::segment_distance_sq(point, a, b))
                    .fold(f64::INFINITY, f64::min);
                assert!(away.sqrt() >= 0.45 - 0.1 * f64::sqrt(2.0) / 2.0, "{point:?}");
            }
        }
        let refused = ask(&map, 0.55);
        assert_eq!((refused.status, refused.trouble), (PathStatus::None, Some(PathFailure::TooWide)));
        let nowhere = ask(&map, 1e9);
        assert_eq!(nowhere.trouble, Some(PathFailure::TooWide), "fault:G18");
        assert!(!prepared || ask(&map, 0.45) == taken);
        for radius_m in [0.45, 0.55] {
            map.prepare(&Traversal { radius_m, ..Traversal::default() });
        }
    }
}

#[test]
fn prepared_or_not_the_answers_are_the_same() {
    let mut rng = Rng::stream(8, "prepared");
    for _ in 0..40 {
        let mut rows = random_drawing(&mut rng, 0.1, 0.0);
        for _ in 0..6 {
            let row = rng.below(rows.len() as u64) as usize;
            let at = rng.below(rows[row].len() as u64) as usize;
            rows[row].replace_range(at..=at, ["0", "1", "2"][rng.below(3) as usize]);
        }
        let mut map = drawing(&rows.iter().map(String::as_str).collect::<Vec<_>>());
        let mut kept = map.clone();
        let through: Arc<[(AreaId, f32)]> = [(AreaId(0), 1.0), (AreaId(2), 3.0)].into();
        let bys = [
            Traversal { radius_m: 0.9, ..Traversal::default() },
            Traversal { radius_m: 0.0, through: Some(through.clone()), ..Traversal::default() },
            Traversal { radius_m: 0.9, through: Some(through), ..Traversal::default() },
        ];
        bys.iter().for_each(|by| kept.prepare(by));
        let edits: Vec<NavEdit> = (0..3)
            .map(|area| {
                NavEdit::Area(AreaEdit { area: AreaId(area), available: Some(rng.chance(0.3)), factor: None })
            })
            .collect();
        assert_eq!(map.apply(&edits), kept.apply(&edits));
        for by in bys {
            for _ in 0..10 {
                let (from, to) = (random_place(&mut rng, &map, 1.0), random_place(&mut rng, &map, 1.0));
                let walk = PathQuery { by: by.clone(), ..query(from, to) };
                assert_eq!(plan(&map, &walk), plan(&kept, &walk));
                assert_eq!(map.reach(from, to, &by), kept.reach(from, to, &by));
                assert_eq!(map.is_walkable(from, &by), kept.is_walkable(from, &by));
                assert_eq!(map.sight(from, to, &by), kept.sight(from, to, &by));
            }
        }
    }
}

// ---- Doors ----

fn passing(doors: &[(u32, f32)]) -> Traversal {
    let through: Vec<(AreaId, f32)> = doors.iter().map(|&(area, metres)| (AreaId(area), metres)).collect();
    Traversal { radius_m: 0.0, through: Some(through.into()), ..Traversal::default() }
}

#[test]
fn a_closed_door_is_named_and_can_be_planned_through() {
    let mut map = drawing(&["....#...", "....0...", "....#..."]);
    shut(&mut map, 0);
    let (from, to) = (at(0.5, 1.5), at(7.5, 1.5));
    assert_eq!(map.reach(from, to, &thin()), Reach::No(PathFailure::Area(AreaId(0))));
    let near = plan(&map, &query(from, to));
    assert_eq!((near.status, near.trouble), (PathStatus::Partial, Some(PathFailure::Area(AreaId(0)))));
    assert_eq!(near.nearest, Some(at(3.5, 1.5)));
    let by = passing(&[(0, 2.5)]);
    assert_eq!(map.reach(from, to, &by), Reach::Yes);
    let answer = plan(&map, &PathQuery { by: by.clone(), ..query(from, to) });
    assert_eq!((answer.status, answer.trouble), (PathStatus::Complete, None));
    assert_eq!((answer.path.length_m, answer.path.cost_m), (7.0, 9.5), "opening it counts as metres");
    let crossing = answer.path.crossings[0];
    assert_eq!((answer.path.crossings.len(), crossing.area), (1, AreaId(0)));
    assert!((crossing.enter_m - 3.5).abs() < 1e-4 && (crossing.leave_m - 4.5).abs() < 1e-4, "{crossing:?}");
    assert!(map.is_walkable(at(4.5, 1.5), &by) && !map.is_walkable(at(4.5, 1.5), &thin()));
    let into = plan(&map, &query(from, at(4.5, 1.5)));
    assert_eq!(into.trouble, Some(PathFailure::Area(AreaId(0))), "a goal in a closed door");
}

#[test]
fn the_first_door_on_the_way_is_the_one_that_is_named() {
    let mut map = drawing(&["..#..#..", "..0..1..", "..#..#.."]);
    shut(&mut map, 0);
    shut(&mut map, 1);
    let (west, middle, east) = (at(0.5, 1.5), at(3.5, 1.5), at(7.5, 1.5));
    assert_eq!(map.reach(west, east, &thin()), Reach::No(PathFailure::Area(AreaId(0))));
    assert_eq!(map.reach(east, west, &thin()), Reach::No(PathFailure::Area(AreaId(1))));
    assert_eq!(map.reach(middle, east, &thin()), Reach::No(PathFailure::Area(AreaId(1))));
    let by = passing(&[(0, 1.0)]);
    assert_eq!(map.reach(west, middle, &by), Reach::Yes);
    assert_eq!(
        map.reach(west, east, &by),
        Reach::No(PathFailure::Area(AreaId(1))),
        "not the one it can open"
    );
    let near = plan(&map, &PathQuery { by, ..query(west, east) });
    assert_eq!(near.nearest, Some(at(4.5, 1.5)), "as far as its own doors lead");
}

#[test]
fn doors_are_planned_through_at_a_fair_price() {
    let mut rng = Rng::stream(9, "doors");
    let (mut through, mut round_about) = (0, 0);
    for _ in 0..400 {
        let mut rows = vec![".....#....."; 7];
        rows[3] = ".....0.....";
        rows[rng.below(7) as usize] = if rng.chance(0.5) { "..........." } else { ".....1....." };
        rows[0] = "...........";
        let mut map = drawing(&rows);
        let mut edits =
            vec![NavEdit::Area(AreaEdit { area: AreaId(0), available: Some(false), factor: None })];
        edits.push(NavEdit::Area(AreaEdit { area: AreaId(1), available: Some(false), factor: None }));
        if map.apply(&edits).is_none() {
            continue;
        }
        let tolls = [rng.float(0.0, 9.0) as f32, rng.float(0.0, 9.0) as f32];
        let by = passing(&[(0, tolls[0]), (1, tolls[1])]);
        let (from, to) =
            (at(rng.float(0.0, 4.9), rng.float(0.0, 6.9)), at(rng.float(6.1, 10.9), rng.float(0.0, 6.9)));
        let (answer, record) =
            map.plan_recorded(&PathQuery { by: by.clone(), ..query(from, to) }, &mut Search::default());
        assert_eq!(answer.status, PathStatus::Complete);
        through += usize::from(!answer.path.crossings.is_empty());
        round_about += usize::from(answer.path.crossings.is_empty());
        // By hand: the cheapest of the ways through each gap, over cells with factor one.
        let width = cells(&map).frame().width;
        let cell = |node: u32| (i64::from(node % width), i64::from(node / width));
        let ends = [cell(record.raw[0].0), cell(record.raw[record.raw.len() - 1].0)];
        let gaps = (0..7).filter_map(|z| match rows[z].as_bytes()[5] {
            b'0' => Some((z, f64::from(tolls[0]))),
            b'1' => Some((z, f64::from(tolls[1]))),
            b'.' => Some((z, 0.0)),
            _ => None,
        });
        let way = |z: usize| {
            let gap = (5, z as i64);
            dijkstra_side(&map, ends[0], gap, &by) + dijkstra_side(&map, gap, ends[1], &by)
        };
        let best = gaps.map(|(z, toll)| way(z) + toll).fold(f64::INFINITY, f64::min);
        let steps: f64 =
            record.raw.windows(2).map(|pair| step_m(&map, cell(pair[0].0), cell(pair[1].0))).sum();
        // Of the way as searched: smoothing may find that a straight line through a door is cheaper still.
        let gap = record.raw.iter().map(|node| cell(node.0)).find(|cell| cell.0 == 5).unwrap();
        let paid = match rows[gap.1 as usize].as_bytes()[5] {
            b'0' => f64::from(tolls[0]),
            b'1' => f64::from(tolls[1]),
            _ => 0.0,
        };
        assert!(
            (steps + paid - best).abs() < 1e-3,
            "{steps} + {paid}, best {best}: {from} to {to}, {tolls:?}, {rows:?}"
        );
    }
    assert!(through > 50 && round_about > 50, "{through} through, {round_about} round");
}

/// Cheapest way between two cells that uses no column-5 cell but its ends, metres.
fn dijkstra_side(map: &NavMap, from: (i64, i64), to: (i64, i64), by: &Traversal) -> f64 {
    // Gaps are single cells in a wall, entered straight: the way on each side is free ground.
    let (gap, end) = if from.0 == 5 { (from, to) } else { (to, from) };
    let beside = (if end.0 < 5 { 4 } else { 6 }, gap.1);
    assert!(passable(map, beside.0, beside.1, by));
    let (dx, dz) = (beside.0.abs_diff(end.0) as f64, beside.1.abs_diff(end.1) as f64);
    1.0 + dx.max(dz) + dx.min(dz) * (f64::sqrt(2.0) - 1.0)
}

// ---- Random points: seed:O15 ----

#[test]
fn seed_o15_random_points_are_uniform_reachable_and_repeatable() {
    let map = build(&grid(&[rectangle([-30.0, -30.0], [30.0, 30.0])], &[]));
    let wish = RandomPoint {
        centre: Some(at(1.0, 2.0)),
        within_m: 20.0,
        area: None,
        reachable_from: Some(LayerPoint { layer: 0, point: at(0.0, 0.0) }),
        by: thin(),
        attempts: 10,
    };
    let draw = |seed: u64| -> Vec<Vec3> {
        let mut rng = Rng::stream(seed, "wander");
        (0..10_000).map(|_| map.random_point(&wish, &mut rng).unwrap()).collect()
    };
    let points = draw(1);
    assert_eq!(points, draw(1));
    assert_ne!(points, draw(2));
    let inner = points.iter().filter(|point| geom::flat_distance(**point, at(1.0, 2.0)) < 10.0).count();
    assert!((2300..=2700).contains(&inner), "{inner} of 10000 within half the radius");
    assert!(points.iter().all(|point| geom::flat_distance(*point, at(1.0, 2.0)) <= 20.0));
}

#[test]
fn seed_o15_when_drawing_misses_the_cells_are_listed_and_only_none_is_none() {
    let map = drawing(&["...#.", "...#.", "####.", "0..#."]);
    let mut rng = Rng::stream(3, "wander");
    let wish = |centre, area, from: Option<Vec3>| RandomPoint {
        centre,
        within_m: 50.0,
        area,
        reachable_from: from.map(|point| LayerPoint { layer: 0, point }),
        by: thin(),
        attempts: 0,
    };
    let mut seen = BTreeSet::new();
    for _ in 0..300 {
        let point = map.random_point(&wish(None, None, Some(at(0.5, 0.5))), &mut rng).unwrap();
        seen.insert(cell_of(&map, point));
    }
    assert_eq!(seen, flood(&map, (0, 0), &thin()), "all that can be reached, and nothing else");
    let in_area = map.random_point(&wish(None, Some(AreaId(0)), None), &mut rng).unwrap();
    assert_eq!(cell_of(&map, in_area), (0, 3));
    let nowhere = wish(None, Some(AreaId(0)), Some(at(4.5, 0.5)));
    assert_eq!(map.random_point(&nowhere, &mut rng), None);
    assert_eq!(map.random_point(&wish(None, Some(AreaId(9)), None), &mut rng), None);
    let tight = RandomPoint { within_m: 0.1, attempts: 5, ..wish(Some(at(3.5, 0.5)), None, None) };
    assert_eq!(map.random_point(&tight, &mut rng), None, "a disc inside a wall");
}

// ---- Questions ----

#[test]
fn islands_are_listed_largest_first() {
    let map = drawing(&["...#.", "...#.", "####.", "0..#."]);
    let islands = map.islands();
    assert_eq!(islands.iter().map(|island| island.cells).collect::<Vec<_>>(), [6, 4, 3]);
    for island in &islands {
        assert!(
            map.is_walkable(island.sample, &thin()) && island.bounds.contains(geom::ground(island.sample))
        );
    }
    assert_eq!((islands[1].bounds.min, islands[1].bounds.max), ([4.0, 0.0], [5.0, 4.0]));
}

#[test]
fn areas_at_a_point_are_listed_whether_available_or_not() {
    let mut source = grid(
        &[rectangle([0.0, 0.0], [5.0, 5.0]), rectangle([3.0, 0.0], [8.0, 5.0])],
        &[rectangle([4.0, 2.0], [4.5, 2.5])],
    );
    source.areas[1].available = false;
    let map = build(&source);
    let areas = |map: &NavMap, point: Vec3| {
        let mut found = Vec::new();
        map.areas_at(point, &mut found);
        found.iter().map(|area| area.0).collect::<Vec<_>>()
    };
    assert_eq!(areas(&map, at(4.2, 2.2)), [0, 1, 2]);
    assert_eq!(areas(&map, at(1.0, 1.0)), [0]);
    assert_eq!(areas(&map, at(9.0, 1.0)), [0; 0]);
    let drawn = drawing(&["01", ".1"]);
    assert_eq!((areas(&drawn, at(0.5, 0.5)), areas(&drawn, at(1.5, 1.5))), (vec![0], vec![1]));
    assert_eq!((drawn.area_cells(AreaId(1)), drawn.area_cells(AreaId(7))), (2, 0));
    assert_eq!(map.area_cells(AreaId(2)), 0, "obstacles own no cells");
}

#[test]
fn inv_p4_and_p5_costs_are_symmetric_and_scale_with_factors() {
    let mut rng = Rng::stream(10, "scaling");
    for _ in 0..100 {
        let rows = random_drawing(&mut rng, 0.25, 0.0);
        let map = drawing(&rows.iter().map(String::as_str).collect::<Vec<_>>());
        let expensive = rows.iter().map(|row| row.replace('.', "~")).collect::<Vec<_>>();
        let expensive = drawing(&expensive.iter().map(String::as_str).collect::<Vec<_>>());
        let frame = *cells(&map).frame();
        let mut cell = || {
            centre(&map, rng.below(u64::from(frame.width)) as u32, rng.below(u64::from(frame.depth)) as u32)
        };
        let (from, to) = (cell(), cell());
        if !map.is_walkable(from, &thin()) || !map.is_walkable(to, &thin()) {
            continue;
        }
        let steps = |map: &NavMap, from: Vec3, to: Vec3| {
            let (answer, record) = map.plan_recorded(&query(from, to), &mut Search::default());
            let cell = |node: u32| (i64::from(node % frame.width), i64::from(node / frame.width));
            let sum: f64 =
                record.raw.windows(2).map(|pair| step_m(map, cell(pair[0].0), cell(pair[1].0))).sum();
            (answer.status == PathStatus::Complete).then_some(sum)
        };
        let (there, back) = (steps(&map, from, to), steps(&map, to, from));
        assert_eq!(there.is_some(), back.is_some());
        if let (Some(there), Some(back), Some(expensive)) = (there, back, steps(&expensive, from, to)) {
            assert!(
                (there - back).abs() < 1e-6 && (4.0 * there - expensive).abs() < 1e-3,
                "{there} {back} {expensive}"
            );
        }
    }
    assert_eq!(
        drawing(&["...."]).metres(drawing(&["...."]).straight(at(0.5, 0.5), at(3.5, 0.5), &thin()).unwrap()),
        3.0
    );
}

#[test]
fn published_cell_size_and_default_sizes_are_those_of_the_seed() {
    let source = GridSource::default();
    assert_eq!(source.cell_size_m, CELL_M, "seed:G3");
    assert_eq!((source.agent_radius_m, source.object_padding_m), (0.45, 0.25));
    assert_eq!((source.boundary_padding_m, source.floor_y_m), (0.0, 0.0));
}

#[test]
fn fault_f16_ten_thousand_polygons_are_cut_in_time() {
    let mut rng = Rng::stream(12, "caps");
    let shapes: Vec<AreaShape> = (0..10_000)
        .map(|at| {
            let (x, z) = (f64::from(at % 100) * 6.0, f64::from(at / 100) * 6.0);
            let corners = (0..24).map(|corner| {
                let angle = f64::from(corner) * std::f64::consts::TAU / 24.0;
                let away = rng.float(3.0, 5.0);
                [x + away * libm::cos(angle), z + away * libm::sin(angle)]
            });
            area(&corners.collect::<Vec<_>>())
        })
        .collect();
    let source = GridSource { boundary_padding_m: 0.3, ..grid(&shapes, &[]) };
    let map = build(&source);
    assert!(map.islands()[0].cells > 1_000_000);
}

/// Goal: a random point of an area lies in it. Method: an area whose edges lie within cells and across links,
/// on every kind of map.
#[test]
fn random_points_of_an_area_lie_in_it_on_every_kind_of_map() {
    let areas = r#""areas": [{ "name": "hall", "polygon": [[0,0],[10,0],[10,10],[0,10]] },
        { "name": "den", "polygon": [[4.05,1.02],[6.11,1.93],[5.97,8.04],[3.93,7.06]] }]"#;
    let lines = r#""points": [[0,0,3],[10,0,3],[0,0,6],[10,0,6],[5,0,0],[5,0,10]], "links": [[0,1],[2,3],[4,5]],
        "areas": [{ "name": "den", "polygon": [[4.05,1.02],[6.11,1.93],[5.97,8.04],[3.93,7.06]] }]"#;
    for (kind, map) in [("grid", areas), ("mesh", areas), ("graph", lines)] {
        let stage = Stage::of(&format!(r#"{{ "navigation": {{ "kind": "{kind}", {map} }} }}"#));
        let nav = stage.world().nav();
        let den = stage.world().find_area("den").unwrap();
        let mut rng = Rng::stream(4, "den");
        let query = RandomPoint {
            centre: None,
            within_m: 0.0,
            area: Some(den),
            reachable_from: None,
            by: Traversal::default(),
            attempts: 64,
        };
        for _ in 0..400 {
            let point = nav.random_point(&query, &mut rng).expect(kind);
            let mut around = Vec::new();
            nav.areas_at(point, &mut around);
            assert!(around.contains(&den), "{kind}: {point}");
        }
    }
}
