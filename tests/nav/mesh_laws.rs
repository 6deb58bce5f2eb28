//! Laws of meshes made of areas and obstacles, against exact geometry and against grids of the same areas.
//!
//! Method: maps of overlapping polygons from a seeded generator. Where their ground ends is worked out by
//! itself: every edge is cut wherever it meets another, and the pieces with ground on one side alone are the
//! walls. Distances from those are exact.

use glam::Vec3;
use walkon_runtime::base::geom::{self, Point};
use walkon_runtime::base::ids::AreaId;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::nav::cells::{AreaShape, CellMap, GridSource};
use walkon_runtime::nav::{
    Accept, Avoidance, MeshSource, NavMap, NavMesh, PathAnswer, PathQuery, PathStatus, Reach, Search,
    Traversal,
};

/// How far a rounded corner of narrower ground may lie beyond the radius, as a part of it, and what single
/// precision costs, metres.
const ROUNDING: f64 = 0.012;
const PRECISION_M: f64 = 2e-3;

type Segment = geom::Segment<Point>;

/// A map of polygons, and where its ground ends.
struct Field {
    areas: Vec<AreaShape>,
    obstacles: Vec<AreaShape>,
    walls: Vec<Segment>,
}

fn shape(polygon: Vec<Point>) -> AreaShape {
    AreaShape { polygon, available: true, factor: 1.0 }
}

/// A polygon around a point that may have dents but does not cross itself.
fn star(rng: &mut Rng, middle: Point, sizes_m: [f64; 2]) -> AreaShape {
    let corners = 3 + rng.below(6);
    let corner = |at: u64, rng: &mut Rng| {
        let angle = std::f64::consts::TAU * (at as f64 + 0.8 * rng.unit()) / corners as f64;
        let away = rng.float(sizes_m[0], sizes_m[1]);
        [middle[0] + away * libm::cos(angle), middle[1] + away * libm::sin(angle)]
    };
    shape((0..corners).map(|at| corner(at, rng)).collect())
}

impl Field {
    /// Areas along a way and beside it, with things in between, within 20 metres.
    fn new(rng: &mut Rng) -> Self {
        let anywhere = |rng: &mut Rng| [rng.float(3.0, 17.0), rng.float(3.0, 17.0)];
        let mut areas: Vec<AreaShape> = (0..7)
            .map(|_| {
                let middle = anywhere(rng);
                star(rng, middle, [2.0, 5.0])
            })
            .collect();
        areas.push(shape(vec![[1.0, 9.0], [19.0, 8.5], [19.0, 10.5], [1.0, 11.0]]));
        let obstacles = (0..6)
            .map(|_| {
                let middle = anywhere(rng);
                star(rng, middle, [0.3, 1.6])
            })
            .collect();
        let mut field = Self { areas, obstacles, walls: Vec::new() };
        field.walls = field.find_walls();
        field
    }

    fn is_ground(&self, point: Point) -> bool {
        let holds = |shape: &AreaShape| geom::polygon_contains(&shape.polygon, point);
        self.areas.iter().any(holds) && !self.obstacles.iter().any(holds)
    }

    fn find_walls(&self) -> Vec<Segment> {
        let shapes = self.areas.iter().chain(&self.obstacles);
        let edges: Vec<Segment> = shapes.flat_map(|shape| geom::edges(&shape.polygon)).collect();
        let mut walls = Vec::new();
        for &Segment { from: a, to: b } in &edges {
            let at = |part: f64| [a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])];
            let mut parts = vec![0.0, 1.0];
            for &Segment { from: c, to: d } in &edges {
                let (from, to) = (geom::cross(c, d, a), geom::cross(c, d, b));
                if (from > 0.0) != (to > 0.0) {
                    parts.push(from / (from - to));
                }
            }
            parts.sort_by(f64::total_cmp);
            let long = distance(a, b);
            let side = [(a[1] - b[1]) / long * 1e-6, (b[0] - a[0]) / long * 1e-6];
            for pair in parts.windows(2) {
                let middle = at((pair[0] + pair[1]) / 2.0);
                let [left, right] = [1.0, -1.0]
                    .map(|sign| self.is_ground([middle[0] + sign * side[0], middle[1] + sign * side[1]]));
                if left != right {
                    walls.push(Segment { from: at(pair[0]), to: at(pair[1]) });
                }
            }
        }
        walls
    }

    /// How far a segment keeps from the walls, metres; 0 when it is not on the ground or meets one.
    fn clearance(&self, from: Vec3, to: Vec3) -> f64 {
        let line = Segment { from: geom::ground(from), to: geom::ground(to) };
        let to_walls = self.walls.iter().map(|&wall| apart(line, wall));
        let least = to_walls.fold(f64::INFINITY, f64::min);
        if self.is_ground(line.from) { least } else { 0.0 }
    }

    fn mesh(&self, avoidance: Avoidance) -> NavMap {
        let source = MeshSource {
            areas: self.areas.clone(),
            obstacles: self.obstacles.clone(),
            avoidance,
            ..MeshSource::default()
        };
        NavMap::from(NavMesh::new(&source).expect("a mesh"))
    }

    fn cells(&self) -> CellMap {
        let source = GridSource {
            cell_size_m: CELL_M,
            agent_radius_m: 0.0,
            object_padding_m: 0.0,
            boundary_padding_m: 0.0,
            areas: self.areas.clone(),
            obstacles: self.obstacles.clone(),
            ..GridSource::default()
        };
        CellMap::from_grid(&source).expect("a grid")
    }
}

/// Side of the cells of grids, metres.
const CELL_M: f64 = 0.1;

fn distance(a: Point, b: Point) -> f64 {
    ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
}

/// The distance of two segments, metres; 0 where they cross.
fn apart(one: Segment, other: Segment) -> f64 {
    let (Segment { from: a, to: b }, Segment { from: c, to: d }) = (one, other);
    let sides = [geom::cross(a, b, c), geom::cross(a, b, d), geom::cross(c, d, a), geom::cross(c, d, b)];
    if sides[0] * sides[1] < 0.0 && sides[2] * sides[3] < 0.0 {
        return 0.0;
    }
    let ends = [(c, one), (d, one), (a, other), (b, other)];
    let nearest = ends.map(|(point, line)| geom::segment_distance_sq(point, line.from, line.to));
    nearest.into_iter().fold(f64::INFINITY, f64::min).sqrt()
}

fn anywhere(rng: &mut Rng) -> Vec3 {
    Vec3::new(rng.float(0.0, 20.0) as f32, 0.0, rng.float(0.0, 20.0) as f32)
}

fn wide(radius_m: f64) -> Traversal {
    Traversal { radius_m: radius_m as f32, ..Traversal::default() }
}

fn plan(map: &NavMap, (start, goal): (Vec3, Vec3), by: &Traversal) -> PathAnswer {
    let query = PathQuery {
        start,
        goal,
        by: by.clone(),
        goal_layer: None,
        accept: Accept::Exact,
        expansions_max: 1_000_000,
        others: None,
    };
    map.plan(&query, &mut Search::default())
}

#[test]
fn seed_w2_a_line_is_clear_for_a_width_exactly_when_no_wall_is_nearer() {
    let mut rng = Rng::stream(2, "mesh laws");
    let (mut clear, mut blocked, mut near) = (0, 0, 0);
    for _ in 0..7 {
        let field = Field::new(&mut rng);
        let map = field.mesh(Avoidance::Radius);
        for _ in 0..8 {
            let radius_m = rng.float(0.0, 1.2);
            let by = wide(radius_m);
            let ground = map.footing(&by);
            for _ in 0..180 {
                let from = anywhere(&mut rng);
                let reach_m = rng.float(0.2, 5.0) as f32;
                let way = anywhere(&mut rng) - anywhere(&mut rng);
                let to = from + way.normalize_or(Vec3::X) * reach_m;
                let away_m = field.clearance(from, to);
                let beyond_m = away_m - radius_m;
                match ground.clear(from, to) {
                    _ if beyond_m.abs() < PRECISION_M || (0.0..ROUNDING * radius_m).contains(&beyond_m) => {
                        near += 1
                    }
                    is_clear => {
                        assert_eq!(
                            is_clear,
                            beyond_m > 0.0,
                            "{from} to {to}: {away_m} from a wall, for {radius_m}"
                        );
                        if is_clear { clear += 1 } else { blocked += 1 }
                    }
                }
            }
        }
    }
    assert!(
        clear + blocked + near >= 10_000 && clear > 500 && near < 200,
        "{clear} clear, {blocked} not, {near} near"
    );
}

/// How far a line may stray from the ground on its way round corners that it grazes, metres: what it starts
/// off by, and what it passes each of them by.
const STRAYS_M: f32 = 3e-3;

/// A random place at most so far from a corner.
fn beside(rng: &mut Rng, [x, z]: [f64; 2], reach_m: f64) -> Vec3 {
    let (angle, away_m) = (rng.float(0.0, std::f64::consts::TAU), rng.float(0.0, reach_m));
    let place = [x + away_m * libm::cos(angle), z + away_m * libm::sin(angle)];
    Vec3::new(place[0] as f32, 0.0, place[1] as f32)
}

/// Where a body has come to is where it can go on from: no line, however it grazes the corners of the ground,
/// ends off it.
#[test]
fn lines_at_the_corners_of_the_ground_end_on_it_and_so_do_the_parts_of_them() {
    let mut rng = Rng::stream(9, "mesh laws");
    let mut clear = 0;
    for _ in 0..6 {
        let field = Field::new(&mut rng);
        let map = field.mesh(Avoidance::Radius);
        for radius_m in [0.0, 0.35, rng.float(0.05, 1.0)] {
            let by = wide(radius_m);
            let ground = map.footing(&by);
            let rims = map.mesh().map(|mesh| mesh.rims(&by)).unwrap_or_default();
            for _ in 0..if rims.is_empty() { 0 } else { 1500 } {
                let [([x, z], _), _] = rims[rng.below(rims.len() as u64) as usize];
                let [from, to] = [2e-3, 0.3].map(|reach_m| beside(&mut rng, [x, z], reach_m));
                if !ground.is_walkable(from) {
                    continue;
                }
                let reached = ground.last_clear(from, to);
                let what = format!("{from} to {to}, for {radius_m}: {reached}");
                assert!(ground.is_walkable(reached), "{what}");
                assert!(ground.clear(from, reached), "{what}");
                if ground.clear(from, to) {
                    clear += 1;
                    let parts = (0..=16_u8).map(|part| from.lerp(to, f32::from(part) / 16.0));
                    for place in parts {
                        assert!(map.nearest(place, STRAYS_M, &by).is_some(), "{what}, at {place}");
                    }
                }
            }
        }
    }
    assert!(clear > 2000, "{clear} clear");
}

/// Lines from corner to corner graze what lies between. Only a few, which lie off the ground by just the
/// tolerance, are answered otherwise than by a look at many places of the line.
#[test]
fn lines_from_corner_to_corner_are_clear_where_every_place_of_them_is_ground() {
    /// Lines of which one may be answered otherwise.
    const ONE_OF: u32 = 400;
    let mut rng = Rng::stream(19, "mesh laws");
    let (mut clear, mut refused, mut let_through) = (0, 0, 0);
    for _ in 0..10 {
        let field = Field::new(&mut rng);
        let map = field.mesh(Avoidance::Radius);
        for radius_m in [0.35, rng.float(0.05, 1.0)] {
            let by = wide(radius_m);
            let ground = map.footing(&by);
            let rims = map.mesh().map(|mesh| mesh.rims(&by)).unwrap_or_default();
            for _ in 0..if rims.is_empty() { 0 } else { 3000 } {
                let [one, two] = [0; 2].map(|_| rims[rng.below(rims.len() as u64) as usize]);
                // Along a wall either way, or to any corner.
                let ends = [[one[0], one[1]], [one[1], one[0]], [one[0], two[0]]];
                let [from, to] =
                    ends[rng.below(3) as usize].map(|(corner, _)| beside(&mut rng, corner, 1e-3));
                let mut places = (0..=200_u16).map(|part| from.lerp(to, f32::from(part) / 200.0));
                match (ground.clear(from, to), places.all(|place| ground.is_walkable(place))) {
                    (true, true) => clear += 1,
                    (false, true) => refused += 1,
                    (true, false) => let_through += 1,
                    (false, false) => {}
                }
            }
        }
    }
    assert!(clear > 20_000, "{clear} clear");
    assert!(
        refused * ONE_OF < clear && let_through * ONE_OF < clear,
        "{clear} clear, {refused} refused, {let_through} let through"
    );
}

#[test]
fn seed_w2_on_cells_a_line_is_clear_for_a_width_when_no_blocked_rectangle_is_nearer() {
    let mut rng = Rng::stream(3, "mesh laws");
    let (mut clear, mut blocked) = (0, 0);
    // A line is as clear as the middles of the cells that it touches.
    let band_m = CELL_M * std::f64::consts::FRAC_1_SQRT_2 + PRECISION_M;
    for _ in 0..2 {
        let cells = Field::new(&mut rng).cells();
        let frame = *cells.frame();
        let in_map = |x: u32, z: u32| x < frame.width && z < frame.depth && cells.walkable(x, z);
        // Blocked cells beside others are enough, and a rim around the map.
        let mut rectangles: Vec<Segment> = Vec::new();
        for (x, z) in (0..frame.depth).flat_map(|z| (0..frame.width).map(move |x| (x, z))) {
            if !in_map(x, z) {
                continue;
            }
            let [low, high] = [frame.centre(x, z); 2].map(|centre| centre.map(|value| value - CELL_M / 2.0));
            let high = high.map(|value| value + CELL_M);
            let sides = [
                (in_map(x.wrapping_sub(1), z), ([low[0], low[1]], [low[0], high[1]])),
                (in_map(x + 1, z), ([high[0], low[1]], [high[0], high[1]])),
                (in_map(x, z.wrapping_sub(1)), ([low[0], low[1]], [high[0], low[1]])),
                (in_map(x, z + 1), ([low[0], high[1]], [high[0], high[1]])),
            ];
            let sides = sides.into_iter().filter(|side| !side.0).map(|(_, (from, to))| Segment { from, to });
            rectangles.extend(sides);
        }
        let map = NavMap::from(cells.clone());
        for _ in 0..5 {
            let radius_m = rng.float(0.1, 1.2);
            let by = wide(radius_m);
            let ground = map.footing(&by);
            for _ in 0..500 {
                let from = anywhere(&mut rng);
                let to = from + (anywhere(&mut rng) - anywhere(&mut rng)) * 0.2;
                let segment = Segment { from: geom::ground(from), to: geom::ground(to) };
                let is_ground = map.is_walkable(from, &wide(0.0));
                let to_walls = rectangles.iter().map(|&side| apart(segment, side));
                let away_m = if is_ground { to_walls.fold(f64::INFINITY, f64::min) } else { 0.0 };
                if (away_m - radius_m).abs() > band_m {
                    let is_clear = ground.clear(from, to);
                    assert_eq!(
                        is_clear,
                        away_m > radius_m,
                        "{from} to {to}: {away_m} from a wall, for {radius_m}"
                    );
                    if is_clear { clear += 1 } else { blocked += 1 }
                }
            }
        }
    }
    assert!(clear > 150 && blocked > 1500, "{clear} clear, {blocked} not");
}

#[test]
fn seed_w4_every_segment_of_a_path_keeps_the_radius_after_all_changes() {
    let mut rng = Rng::stream(4, "mesh laws");
    let (mut segments, mut turns) = (0, 0);
    for _ in 0..8 {
        let field = Field::new(&mut rng);
        let map = field.mesh(Avoidance::Radius);
        for _ in 0..6 {
            let radius_m = rng.float(0.05, 0.9);
            let by = wide(radius_m);
            for _ in 0..40 {
                let ends = (anywhere(&mut rng), anywhere(&mut rng));
                if !map.is_walkable(ends.0, &by) || map.reach(ends.0, ends.1, &by) != Reach::Yes {
                    continue;
                }
                let answer = plan(&map, ends, &by);
                assert_eq!(answer.status, PathStatus::Complete, "{ends:?}");
                let points = &answer.path.points;
                assert_eq!(
                    (points.first(), points.last()),
                    (Some(&ends.0), Some(&ends.1)),
                    "ends are not moved"
                );
                turns += points.len() - 2.min(points.len());
                for pair in points.windows(2) {
                    segments += 1;
                    let away_m = field.clearance(pair[0], pair[1]);
                    assert!(
                        away_m >= radius_m - PRECISION_M,
                        "{pair:?}: {away_m} from a wall, for {radius_m}"
                    );
                }
            }
        }
    }
    assert!(segments > 500 && turns > 150, "{segments} segments, {turns} turns");
}

#[test]
fn the_polygons_of_all_areas_are_those_of_each() {
    let mut rng = Rng::stream(7, "polygons of areas");
    for _ in 0..8 {
        let field = Field::new(&mut rng);
        let map = field.mesh(Avoidance::Radius);
        let areas = field.areas.len() + field.obstacles.len();
        let each: Vec<u32> = (0..areas).map(|area| map.area_cells(AreaId::from(area))).collect();
        assert!(each.iter().any(|count| *count > 0));
        assert_eq!(map.cells_by_area(areas), each);
    }
}

#[test]
fn grid_and_mesh_agree_on_who_gets_where_and_the_mesh_is_not_longer() {
    let mut rng = Rng::stream(5, "mesh laws");
    // A cell is as clear as its middle, and its walls are rectangles around the true ones.
    let band_m = 2.5 * CELL_M;
    let (mut reached, mut not, mut sums) = (0, 0, [0.0_f64; 2]);
    for _ in 0..8 {
        let field = Field::new(&mut rng);
        let (cells, mesh) = (NavMap::from(field.cells()), field.mesh(Avoidance::Radius));
        for radius_m in [0.3, 0.5, 0.8] {
            for _ in 0..150 {
                let ends = (anywhere(&mut rng), anywhere(&mut rng));
                if [ends.0, ends.1].iter().any(|&end| field.clearance(end, end) < radius_m + band_m) {
                    continue;
                }
                let reach =
                    |map: &NavMap, radius_m: f64| map.reach(ends.0, ends.1, &wide(radius_m)) == Reach::Yes;
                let on_cells = reach(&cells, radius_m);
                let [wider, narrower] = [band_m, -band_m].map(|more_m| reach(&mesh, radius_m + more_m));
                assert!(on_cells || !wider, "{ends:?} for {radius_m}: not on cells");
                assert!(narrower || !on_cells, "{ends:?} for {radius_m}: on cells alone");
                if !on_cells {
                    not += 1;
                    continue;
                }
                reached += 1;
                let long = |map: &NavMap, radius_m: f64| plan(map, ends, &wide(radius_m)).path.length_m;
                let (grid_m, least_m) = (long(&cells, radius_m), long(&mesh, radius_m - band_m));
                assert!(
                    // Lines over cells keep the radius at their middles, and cut corners by what lies
                    // between.
                    least_m <= grid_m + 0.01 + 0.005 * grid_m,
                    "{ends:?} for {radius_m}: {least_m} on the mesh, {grid_m} on cells"
                );
                if reach(&mesh, radius_m) {
                    sums = [sums[0] + f64::from(grid_m), sums[1] + f64::from(long(&mesh, radius_m))];
                }
            }
        }
    }
    assert!(reached > 60 && not > 10, "{reached} reached, {not} not");
    assert!(sums[1] <= sums[0], "the mesh is longer for the same bodies: {sums:?}");
}

/// What paths of a way of keeping off walls come to.
#[derive(Debug, Default)]
struct Tally {
    paths: u32,
    metres: f64,
    segments: u32,
    /// Segments nearer to a wall than the radius, by more than a hundredth of it.
    too_near: u32,
    /// The nearest, as a part of the radius.
    nearest: f64,
}

#[test]
fn ground_made_narrower_beats_moved_waypoints() {
    let mut rng = Rng::stream(6, "mesh laws");
    let mut tallies = [(); 2].map(|()| Tally { nearest: f64::INFINITY, ..Tally::default() });
    for _ in 0..8 {
        let field = Field::new(&mut rng);
        let maps = [Avoidance::Radius, Avoidance::Waypoints].map(|avoidance| field.mesh(avoidance));
        for _ in 0..4 {
            let radius_m = rng.float(0.2, 0.7);
            let by = wide(radius_m);
            for _ in 0..100 {
                let ends = (anywhere(&mut rng), anywhere(&mut rng));
                // Where there is a way wide enough: it is no art to be far from walls where one does not go.
                if !maps[0].is_walkable(ends.0, &by) || maps[0].reach(ends.0, ends.1, &by) != Reach::Yes {
                    continue;
                }
                for (map, tally) in maps.iter().zip(&mut tallies) {
                    let path = plan(map, ends, &by).path;
                    tally.paths += 1;
                    tally.metres += f64::from(path.length_m);
                    for pair in path.points.windows(2) {
                        let part = field.clearance(pair[0], pair[1]) / radius_m;
                        tally.segments += 1;
                        tally.too_near += u32::from(part < 0.99);
                        tally.nearest = tally.nearest.min(part);
                    }
                }
            }
        }
    }
    let [narrower, moved] = &tallies;
    assert!(narrower.paths > 80 && narrower.paths == moved.paths, "{tallies:?}");
    assert!(narrower.too_near == 0 && narrower.nearest > 0.98, "{tallies:?}");
    // As seed 002 has it corners are moved by two radii, which makes ways longer, and a third of the segments
    // still scrape a wall.
    assert!(10 * moved.too_near > moved.segments && moved.nearest < 0.5, "{tallies:?}");
    assert!(narrower.metres < moved.metres, "{tallies:?}");
}
