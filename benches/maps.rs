//! What building, editing and asking a navigation map costs: a table, nothing is asserted.
//!
//! `cargo bench -p walkon-benches --bench maps [-- paths]`. Method: a map of 2048 x 2048 cells cut from a
//! thousand polygons, rooms and the gateways between them, with obstacles inside; times are the fastest of
//! some rounds, in one process on one thread.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use glam::Vec3;
use walkon_runtime::base::geom::{self, Point};
use walkon_runtime::base::ids::AreaId;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::nav::cells::{AreaShape, CellMap, GridSource, SearchStrategy, WeightedGround};
use walkon_runtime::nav::{Accept, AreaEdit, NavEdit, NavMap, PathQuery, PathStatus, Search, Traversal};

/// Rooms a side; with a gateway to the right and one below each, about three times its square polygons.
const SIDE: u32 = 17;
const CELLS: f64 = 2048.0;
const CELL_M: f64 = 0.4;

fn polygon(corners: &[Point]) -> AreaShape {
    AreaShape { polygon: corners.to_vec(), available: true, factor: 1.0 }
}

fn rectangle(x: f64, z: f64, width: f64, depth: f64) -> AreaShape {
    polygon(&[[x, z], [x + width, z], [x + width, z + depth], [x, z + depth]])
}

/// The rooms first, then the gateways: their ids begin at `SIDE * SIDE`.
fn source(boundary_padding_m: f64) -> GridSource {
    let mut rng = Rng::stream(1, "bench");
    let span = (CELLS * CELL_M - 3.0) / f64::from(SIDE);
    let (mut rooms, mut gates, mut obstacles) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..SIDE {
        for column in 0..SIDE {
            let (x, z) = (f64::from(column) * span, f64::from(row) * span);
            let room = span - 4.0;
            rooms.push(rectangle(x, z, room, room));
            if column + 1 < SIDE {
                gates.push(rectangle(x + room, z + rng.float(4.0, room - 8.0), 4.0, 3.0));
            }
            if row + 1 < SIDE {
                gates.push(rectangle(x + rng.float(4.0, room - 8.0), z + room, 3.0, 4.0));
            }
            let middle = [x + rng.float(8.0, room - 8.0), z + rng.float(8.0, room - 8.0)];
            let corners: Vec<Point> = (0..8)
                .map(|corner| {
                    let angle = f64::from(corner) * std::f64::consts::TAU / 8.0;
                    let away = rng.float(1.0, 5.0);
                    [middle[0] + away * libm::cos(angle), middle[1] + away * libm::sin(angle)]
                })
                .collect();
            obstacles.push(polygon(&corners));
        }
    }
    rooms.append(&mut gates);
    GridSource { areas: rooms, obstacles, boundary_padding_m, ..GridSource::default() }
}

/// The fastest of some rounds, seconds each.
fn fastest(rounds: u32, mut run: impl FnMut()) -> f64 {
    let time = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..rounds).map(|_| time(&mut run)).fold(f64::INFINITY, f64::min)
}

fn row(what: &str, seconds: f64) {
    let (value, unit) = match seconds {
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "us"),
        s => (s * 1e3, "ms"),
    };
    println!("{what:<66} {value:>9.2} {unit}");
}

fn toggles(map: &mut NavMap, door: AreaId, what: &str) {
    let mut open = false;
    let seconds = fastest(40, || {
        map.apply(&[NavEdit::Area(AreaEdit { area: door, available: Some(open), factor: None })]);
        open = !open;
    });
    map.apply(&[NavEdit::Area(AreaEdit { area: door, available: Some(true), factor: None })]);
    row(what, seconds);
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let plain = source(0.0);
    if wanted.iter().any(|word| word == "paths") {
        return smoothing(&CellMap::from_grid(&plain).unwrap().into());
    }
    println!("{} areas, {} obstacles", plain.areas.len(), plain.obstacles.len());
    row("build 2048 x 2048 cells", fastest(5, || drop(black_box(CellMap::from_grid(&plain)))));
    let padded = source(0.3);
    row("the same with a boundary padding", fastest(3, || drop(black_box(CellMap::from_grid(&padded)))));
    let map = CellMap::from_grid(&plain).unwrap();
    println!("{} x {} cells, {} walkable", map.frame().width, map.frame().depth, map.bits().count());
    let mut map: NavMap = map.into();
    let mut uneven = plain.clone();
    uneven.areas[3].factor = 2.0;
    row("the same with area factors", fastest(3, || drop(black_box(CellMap::from_grid(&uneven)))));

    let door = AreaId(SIDE * SIDE + 40);
    toggles(&mut map, door, "toggle a door, components and doors relabelled");
    let wide = Traversal { radius_m: 0.9, ..Traversal::default() };
    row("prepare a wider radius", fastest(3, || map.clone().prepare(&wide)));
    map.prepare(&wide);
    toggles(&mut map, door, "toggle with a wider radius kept");
    let doors: Arc<[(AreaId, f32)]> = (0..100).map(|at| (AreaId(SIDE * SIDE + at), 1.0)).collect();
    let through = Traversal { radius_m: 0.4, through: Some(doors), ..Traversal::default() };
    map.prepare(&through);
    toggles(&mut map, door, "toggle with a wider radius and 100 doors to plan through kept");

    questions(&map, "", &Traversal::default());
    map.apply(&[NavEdit::Area(AreaEdit { area: door, available: Some(false), factor: None })]);
    questions(&map, ", through doors", &through);
    smoothing(&map);
}

fn questions(map: &NavMap, how: &str, by: &Traversal) {
    let mut rng = Rng::stream(2, "bench");
    let everywhere = |rng: &mut Rng| {
        let bounds = map.bounds();
        geom::raise([rng.float(bounds.min[0], bounds.max[0]), rng.float(bounds.min[1], bounds.max[1])], 0.0)
    };
    let mut legal = || loop {
        let point = everywhere(&mut rng);
        if map.is_walkable(point, &Traversal::default()) {
            return point;
        }
    };
    let pairs: Vec<(Vec3, Vec3)> = (0..1000).map(|_| (legal(), legal())).collect();
    let each = |ask: &mut dyn FnMut(Vec3, Vec3)| {
        let all = || pairs.iter().for_each(|&(from, to)| ask(from, to));
        fastest(20, all) / pairs.len() as f64
    };
    row(
        &format!("is it walkable{how}"),
        each(&mut |from, _| {
            black_box(map.is_walkable(from, by));
        }),
    );
    row(
        &format!("can it be reached{how}"),
        each(&mut |from, to| {
            black_box(map.reach(from, to, by));
        }),
    );
    let wall = Vec3::new(-400.0, 0.0, 17.0);
    row(
        &format!("it cannot be reached, and why{how}"),
        each(&mut |from, _| {
            black_box(map.reach(from, wall, by));
        }),
    );
    let mut search = Search::default();
    let goal = Vec3::new(-400.0, 0.0, 17.0);
    let query = |start| PathQuery {
        start,
        goal,
        by: by.clone(),
        accept: Accept::Exact,
        goal_layer: None,
        expansions_max: u32::MAX,
        others: None,
    };
    row(&format!("refuse a goal beyond the map, nearest point named{how}"), {
        each(&mut |from, _| drop(black_box(map.plan(&query(from), &mut search))))
    });
}

/// Everything around the search against the search alone.
fn smoothing(map: &NavMap) {
    let mut rng = Rng::stream(3, "bench");
    let rooms = SIDE * SIDE;
    let cells = map.cells().unwrap();
    let mut place = || {
        let room = rng.below(u64::from(rooms)) as u32;
        let span = (CELLS * CELL_M - 3.0) / f64::from(SIDE);
        let (x, z) = (f64::from(room % SIDE) * span + 2.0, f64::from(room / SIDE) * span + 2.0);
        geom::raise([x, z], 0.0)
    };
    let queries: Vec<PathQuery> = (0..60)
        .map(|_| PathQuery {
            start: place(),
            goal: place(),
            by: Traversal::default(),
            accept: Accept::Nearest,
            goal_layer: None,
            expansions_max: u32::MAX,
            others: None,
        })
        .collect();
    let mut search = Search::default();
    let mut points = 0;
    let whole = fastest(40, || {
        points = 0;
        for query in &queries {
            let answer = map.plan(query, &mut search);
            assert!(answer.status == PathStatus::Complete);
            points += answer.path.points.len();
        }
    });
    let answers: Vec<_> = queries.iter().map(|query| map.plan(query, &mut search)).collect();
    let metres: f64 = answers.iter().map(|answer| f64::from(answer.path.length_m)).sum();
    let lines = fastest(10, || {
        for pair in answers.iter().flat_map(|answer| answer.path.points.windows(2)) {
            black_box(map.sight(pair[0], pair[1], &Traversal::default()));
        }
    });
    row("test a straight line, for each cell of its length", lines / (metres / CELL_M));
    let width = cells.frame().width;
    let node = |point: Vec3| {
        let (x, z) = cells.frame().cell_in(geom::ground(point)).unwrap();
        walkon_runtime::nav::NodeId(z * width + x)
    };
    let even = WeightedGround::even(cells.bits());
    let strategy = SearchStrategy::of(cells.bits());
    let alone = fastest(40, || {
        let mut nodes = Vec::new();
        for query in &queries {
            let ends = walkon_runtime::nav::Ends { start: node(query.start), goal: node(query.goal) };
            search.begin_jump(&even, strategy, ends);
            search.step_jump(&even, u32::MAX);
            search.nodes(&mut nodes);
            black_box(&nodes);
        }
    });
    row("search alone, nodes included", alone / queries.len() as f64);
    row("whole path: ends, search, smoothing, measuring", whole / queries.len() as f64);
    println!(
        "{:.1} points a path; beyond the search {:.1} %",
        points as f64 / 60.0,
        (whole / alone - 1.0) * 100.0
    );
}
