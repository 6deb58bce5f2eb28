use std::collections::BTreeMap;
use std::sync::Arc;

use glam::Vec3;

use crate::base::geom::{self, Bounds, Point};
use crate::base::rng::Rng;
use crate::nav::mesh::carve::carve;
use crate::nav::mesh::corridor::Corridor;
use crate::nav::mesh::floor_layers::arrange_on;
use crate::nav::mesh::floor_layers::buildings::{Building, CELL_M, LatticeCell, Rectangle};
use crate::nav::mesh::locate::MeshSpot;
use crate::nav::mesh::polyanya::{Polyanya, Tolls};
use crate::nav::mesh::polygon::length;
use crate::nav::mesh::topology::{NONE, Topology};
use crate::nav::mesh::traversal_cost::TraversalCosts;
use crate::nav::mesh::wall_offset::{WallOffset, WallOffsets, around};
use crate::nav::search_state::SearchStep;
use crate::nav::{
    Accept, AreaShape, Disc, MeshSource, NavMap, NavMesh, PathAnswer, PathQuery, PathStatus, RawMesh, Search,
    Traversal,
};

fn rectangle(x: [f64; 2], z: [f64; 2]) -> AreaShape {
    let polygon = vec![[x[0], z[0]], [x[1], z[0]], [x[1], z[1]], [x[0], z[1]]];
    AreaShape { polygon, available: true, factor: 1.0 }
}

fn ground(vertices: &[[f64; 3]], polygons: &[&[u32]]) -> MeshSource {
    let polygons = polygons.iter().map(|ring| ring.to_vec()).collect();
    let raw = RawMesh { vertices: vertices.to_vec(), polygons };
    MeshSource { ground: Some(raw.check().expect("a mesh")), ..MeshSource::default() }
}

/// A ground floor whose halves meet at x = 5, and an upper floor over the far half, whose border lies
/// straight above that joint. A ramp leads out at z = 0, up to a landing, and a bridge from there to the
/// upper floor.
fn ledge() -> MeshSource {
    let vertices = [
        [0.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [4.0, 0.0, 0.0],
        [5.0, 0.0, 0.0],
        [10.0, 0.0, 0.0],
        [10.0, 0.0, 10.0],
        [5.0, 0.0, 10.0],
        [0.0, 0.0, 10.0],
        // The ramp and the landing, from 8 on.
        [2.0, 3.0, -6.0],
        [4.0, 3.0, -6.0],
        [2.0, 3.0, -8.0],
        [8.0, 3.0, -8.0],
        [8.0, 3.0, -6.0],
        [6.0, 3.0, -6.0],
        // The upper floor, from 14 on.
        [5.0, 3.0, 0.0],
        [6.0, 3.0, 0.0],
        [8.0, 3.0, 0.0],
        [10.0, 3.0, 0.0],
        [10.0, 3.0, 10.0],
        [5.0, 3.0, 10.0],
    ];
    ground(
        &vertices,
        &[
            &[0, 1, 2, 3, 6, 7],
            &[3, 4, 5, 6],
            &[1, 8, 9, 2],
            &[8, 10, 11, 12, 13, 9],
            &[13, 12, 16, 15],
            &[14, 15, 16, 17, 18, 19],
        ],
    )
}

/// Two strips of the same outline, each of two halves, one 3 m above the other.
fn strips() -> MeshSource {
    let strip = |y: f64| {
        [[0.0, 0.0], [5.0, 0.0], [10.0, 0.0], [10.0, 2.0], [5.0, 2.0], [0.0, 2.0]].map(|[x, z]| [x, y, z])
    };
    let vertices = [strip(0.0), strip(3.0)].concat();
    ground(&vertices, &[&[0, 1, 4, 5], &[1, 2, 3, 4], &[6, 7, 10, 11], &[7, 8, 9, 10]])
}

/// Two terraces side by side: the border of the upper one lies straight over that of the lower. A ramp beside
/// them joins both.
fn terraces() -> MeshSource {
    let vertices = [
        [0.0, 0.0, 0.0],
        [5.0, 0.0, 0.0],
        [5.0, 0.0, 4.0],
        [0.0, 0.0, 4.0],
        [5.0, 2.0, 0.0],
        [10.0, 2.0, 0.0],
        [10.0, 2.0, 4.0],
        [5.0, 2.0, 4.0],
        // Below the ramp a landing, above it another.
        [0.0, 0.0, 6.0],
        [2.0, 0.0, 6.0],
        [2.0, 0.0, 4.0],
        [8.0, 2.0, 4.0],
        [8.0, 2.0, 6.0],
        [10.0, 2.0, 6.0],
    ];
    ground(
        &vertices,
        &[&[0, 1, 2, 10, 3], &[4, 5, 6, 11, 7], &[3, 10, 9, 8], &[10, 11, 12, 9], &[11, 6, 13, 12]],
    )
}

fn map(source: &MeshSource) -> NavMap {
    NavMap::from(NavMesh::new(source).expect("a map"))
}

fn plan(map: &NavMap, start: Vec3, goal: Vec3, others: &[Disc]) -> PathAnswer {
    let query = PathQuery {
        start,
        goal,
        by: Traversal::default(),
        goal_layer: None,
        accept: Accept::Nearest,
        expansions_max: 100_000,
        others: (!others.is_empty()).then(|| Arc::from(others)),
    };
    map.plan(&query, &mut Search::default())
}

#[test]
fn an_area_over_two_floors_opens_no_way_over_a_ledge() {
    let (below, above) = (Vec3::new(4.5, 0.0, 5.0), Vec3::new(5.5, 3.0, 5.0));
    for area in [rectangle([1.0, 9.0], [1.0, 9.0]), rectangle([5.0, 9.0], [1.0, 9.0])] {
        for obstacles in [Vec::new(), vec![rectangle([4.0, 5.0], [1.0, 3.0])]] {
            let map = map(&MeshSource { areas: vec![area.clone()], obstacles, ..ledge() });
            let answer = plan(&map, below, above, &[]);
            assert_eq!(answer.status, PathStatus::Complete);
            assert!(answer.path.length_m > 20.0, "by the ramp: {:?}", answer.path);
            let beyond = Vec3::new(5.5, 0.0, 5.0);
            let across = plan(&map, below, beyond, &[]);
            assert!((across.path.length_m - 1.0).abs() < 1e-3, "below the ledge: {:?}", across.path);
        }
    }
}

#[test]
fn a_terrace_is_climbed_by_its_ramp_alone() {
    let (below, above) = (Vec3::new(4.5, 0.0, 1.0), Vec3::new(5.5, 2.0, 1.0));
    for areas in [Vec::new(), vec![rectangle([1.0, 9.0], [0.5, 3.0])]] {
        for others in [&[][..], &[Disc { centre: Vec3::new(4.0, 0.0, 2.0), radius_m: 0.4 }]] {
            let answer = plan(&map(&MeshSource { areas: areas.clone(), ..terraces() }), below, above, others);
            assert_eq!(answer.status, PathStatus::Complete);
            assert!(answer.path.length_m > 8.0, "by the ramp: {:?}", answer.path);
        }
    }
}

#[test]
fn what_stands_on_one_of_two_equal_strips_leaves_the_other_joined() {
    let ends = |y: f32| (Vec3::new(1.0, y, 1.0), Vec3::new(9.0, y, 1.0));
    for (band, blocked, free) in [([2.0, 4.0], 3.0, 0.0), ([-1.0, 1.0], 0.0, 3.0)] {
        for x in [[4.0, 6.0], [5.0, 6.0]] {
            let obstacle = rectangle(x, [0.5, 1.5]);
            let map = map(&MeshSource { obstacles: vec![obstacle], heights_m: vec![band], ..strips() });
            for (y, is_free) in [(free, true), (blocked, false)] {
                let (from, to) = ends(y);
                let answer = plan(&map, from, to, &[]);
                assert_eq!(answer.status, PathStatus::Complete, "{band:?} {x:?} at {y}");
                assert_eq!((answer.path.length_m - 8.0).abs() < 1e-3, is_free, "{band:?} {x:?} at {y}");
            }
        }
    }
}

#[test]
fn somebody_who_stands_on_one_floor_leaves_the_joints_of_the_others() {
    let map = map(&strips());
    for (stands, walks) in [(0.0, 3.0), (3.0, 0.0)] {
        for x in [5.0, 4.9, 4.7] {
            let disc = Disc { centre: Vec3::new(x, stands, 1.0), radius_m: 0.3 };
            let answer = plan(&map, Vec3::new(1.0, walks, 1.0), Vec3::new(9.0, walks, 1.0), &[disc]);
            assert_eq!(answer.status, PathStatus::Complete, "{x} {stands}");
            assert!((answer.path.length_m - 8.0).abs() < 1e-3, "{x} {stands}: {:?}", answer.path);
        }
    }
}

/// The polygon of the ground that a polygon cut out of it belongs to.
fn parent(ground: &Topology, surface: &Topology, polygon: u32) -> Option<u32> {
    let middle = surface.centre(polygon);
    let y = surface.height(polygon, middle);
    let is_near = |other: &u32| (ground.height(*other, middle) - y).abs() < 0.05;
    (0..ground.polygon_count()).filter(|&other| ground.contains(other, middle)).find(is_near)
}

/// The edges of a polygon that a point lies on.
fn edges_at(ground: &Topology, polygon: u32, point: Point) -> impl Iterator<Item = u32> {
    let is_on =
        move |&edge: &u32| geom::segment_distance_sq(point, ground.from(edge), ground.to(edge)) < 25e-12;
    ground.edges(polygon).filter(is_on)
}

/// Every joint was one, and every wall was one or has blocked ground behind it.
fn check_joints(
    ground: &Topology,
    surface: &Topology,
    is_blocked: &dyn Fn(u32, Point) -> bool,
) -> Result<(), String> {
    let parents: Vec<Option<u32>> =
        (0..surface.polygon_count()).map(|polygon| parent(ground, surface, polygon)).collect();
    for edge in 0..surface.ring.len() as u32 {
        let (a, b) = (surface.from(edge), surface.to(edge));
        let Some(own) = parents[surface.face[edge as usize] as usize].filter(|_| length(a, b) > 1e-3) else {
            continue;
        };
        let middle = [0, 1].map(|axis| (a[axis] + b[axis]) / 2.0);
        let beyond = |edge: u32| {
            let twin = ground.twin[edge as usize];
            (twin != NONE).then(|| ground.face[twin as usize])
        };
        let twin = surface.twin[edge as usize];
        if twin != NONE {
            let other = parents[surface.face[twin as usize] as usize];
            let was_joined = || edges_at(ground, own, middle).any(|edge| beyond(edge) == other);
            if other.is_some_and(|other| other != own) && !was_joined() {
                return Err(format!("{own} and {other:?} are joined at {middle:?}"));
            }
            continue;
        }
        let outside = [0, 1].map(|axis| {
            let normal = [b[1] - a[1], a[0] - b[0]];
            middle[axis] + 1e-4 * normal[axis] / length(a, b)
        });
        let behind: Vec<u32> = match ground.contains(own, outside) {
            true => vec![own],
            false => edges_at(ground, own, middle).filter_map(beyond).collect(),
        };
        if let Some(behind) = behind.into_iter().find(|&behind| !is_blocked(behind, outside)) {
            return Err(format!("{own} ends at {middle:?}, and {behind} is free"));
        }
    }
    Ok(())
}

/// A place of a polygon: a corner, on an edge, or within.
fn place_in(surface: &Topology, rng: &mut Rng) -> MeshSpot {
    let polygon = rng.below(u64::from(surface.polygon_count())) as u32;
    let edges = surface.edges(polygon);
    let edge = edges.start + rng.below(u64::from(edges.end - edges.start)) as u32;
    let between = |a: Point, b: Point, part: f64| [0, 1].map(|axis| a[axis] + part * (b[axis] - a[axis]));
    let point = match rng.below(3) {
        0 => surface.from(edge),
        1 => between(surface.from(edge), surface.to(edge), rng.unit()),
        _ => between(surface.centre(polygon), surface.from(edge), rng.unit()),
    };
    MeshSpot { polygon, point }
}

/// Connected places have a path, and the funnel finds none that is shorter.
fn check_ways(surface: &Topology, rng: &mut Rng) -> Result<(), String> {
    if surface.polygon_count() == 0 {
        return Ok(());
    }
    let (mut polyanya, mut corridor, prices) =
        (Polyanya::default(), Corridor::default(), TraversalCosts::default());
    for _ in 0..60 {
        let [from, to] = [(); 2].map(|()| place_in(surface, rng));
        if surface.label[from.polygon as usize] != surface.label[to.polygon as usize] {
            continue;
        }
        polyanya.begin(surface, Tolls::default(), from, to);
        if polyanya.step(surface, Tolls::default(), 100_000) != SearchStep::Found {
            return Err(format!("no way from {from:?} to {to:?}"));
        }
        corridor.begin(surface, &prices, from, to);
        if corridor.step(surface, &prices, u32::MAX) != SearchStep::Found {
            return Err(format!("no corridor from {from:?} to {to:?}"));
        }
        let mut pulled = Vec::new();
        corridor.points(surface, &mut pulled);
        let pulled_m: f64 = pulled.windows(2).map(|pair| length(pair[0], pair[1])).sum();
        if polyanya.cost() > pulled_m + 1e-4 {
            return Err(format!("{} m instead of {pulled_m} from {from:?} to {to:?}", polyanya.cost()));
        }
    }
    Ok(())
}

/// What blocks a rectangle.
struct Blocker {
    over: Rectangle,
    heights_m: [f64; 2],
    is_open: bool,
}

impl Blocker {
    fn random(building: &Building, rng: &mut Rng) -> Self {
        let over = Rectangle::random(rng);
        Self { over, heights_m: building.heights(over, rng), is_open: rng.chance(0.6) }
    }

    fn holds(&self, building: &Building, cell: LatticeCell) -> bool {
        let y = building.middle(cell).1;
        self.over.holds(cell.at) && (self.heights_m[0]..=self.heights_m[1]).contains(&y)
    }

    fn shape(&self, building: &Building) -> AreaShape {
        AreaShape { polygon: building.outline(self.over), available: self.is_open, factor: 1.0 }
    }

    fn offset(&self, building: &Building) -> WallOffset {
        let [low_m, high_m] = self.heights_m;
        WallOffset { polygon: building.outline(self.over), low_m, high_m }
    }
}

/// A building with areas, obstacles and people in it.
struct Scene {
    seed: u64,
    building: Building,
    areas: Vec<Blocker>,
    obstacles: Vec<Blocker>,
    people: Vec<Blocker>,
}

impl Scene {
    fn random(seed: u64) -> Self {
        let mut rng = Rng::stream(seed, "building");
        let building = Building::random(&mut rng);
        let mut some = |most: i64| -> Vec<Blocker> {
            (0..rng.int(0, most)).map(|_| Blocker::random(&building, &mut rng)).collect()
        };
        let (areas, obstacles, people) = (some(4), some(3), some(3));
        Self { seed, building, areas, obstacles, people }
    }

    fn surface(&self) -> Topology {
        let shapes = |list: &[Blocker]| list.iter().map(|one| one.shape(&self.building)).collect::<Vec<_>>();
        let mut obstacles = shapes(&self.obstacles);
        obstacles.iter_mut().for_each(|obstacle| obstacle.available = true);
        let source = MeshSource {
            ground: Some(self.building.ground.clone()),
            areas: shapes(&self.areas),
            obstacles,
            heights_m: self.areas.iter().chain(&self.obstacles).map(|one| one.heights_m).collect(),
            ..MeshSource::default()
        };
        let mesh = NavMesh::new(&source).expect("a mesh");
        let surface = mesh.view_of(mesh.key(&Traversal::default())).surface.clone();
        if self.people.is_empty() {
            return surface;
        }
        carve(&surface, &WallOffsets::new(self.people.iter().map(|one| one.offset(&self.building)).collect()))
    }

    fn is_free(&self, cell: LatticeCell) -> bool {
        let holds = |one: &&Blocker| one.holds(&self.building, cell);
        let mut areas = self.areas.iter().filter(holds).peekable();
        let is_open = areas.peek().is_none() || areas.any(|area| area.is_open);
        is_open && !self.obstacles.iter().chain(&self.people).any(|one| holds(&one))
    }
}

/// The polygons that hold the middle of a cell, at its height.
fn holders(surface: &Topology, building: &Building, cell: LatticeCell) -> Vec<u32> {
    let (middle, y) = building.middle(cell);
    let mut found = Vec::new();
    surface.tree.visit(geom::Bounds { min: middle, max: middle }, &mut |polygon| {
        if surface.contains(polygon, middle) && (surface.height(polygon, middle) - y).abs() < 0.05 {
            found.push(polygon);
        }
    });
    found
}

fn check_scene(scene: &Scene) -> Result<(), String> {
    let (building, surface) = (&scene.building, scene.surface());
    let (free, blocked): (Vec<LatticeCell>, Vec<LatticeCell>) =
        building.cells().into_iter().partition(|cell| scene.is_free(*cell));
    if let Some(cell) = blocked.iter().find(|cell| !holders(&surface, building, **cell).is_empty()) {
        return Err(format!("{cell:?} is blocked and is ground"));
    }
    let area: f64 = (0..surface.polygon_count()).map(|polygon| surface.area(polygon)).sum();
    if (area - free.len() as f64 * CELL_M * CELL_M).abs() > 1e-3 {
        return Err(format!("{area} m2 instead of {} cells", free.len()));
    }
    let mut labels: [BTreeMap<usize, usize>; 2] = Default::default();
    for (cell, part) in free.iter().zip(building.parts(&free)) {
        let holders = holders(&surface, building, *cell);
        let [holder] = holders[..] else { return Err(format!("{cell:?} is held by {holders:?}")) };
        let label = surface.label[holder as usize] as usize;
        for (map, [key, value]) in labels.iter_mut().zip([[part, label], [label, part]]) {
            if *map.entry(key).or_insert(value) != value {
                return Err(format!("{cell:?}: part {part}, label {label}: {labels:?}"));
            }
        }
    }
    let is_blocked = |polygon: u32, point: Point| !scene.is_free(building.cell_at(polygon, point));
    check_joints(building.surface(), &surface, &is_blocked)?;
    check_ways(&surface, &mut Rng::stream(scene.seed, "ways"))
}

/// Goal: what is cut keeps the joints of the ground, and makes none. Method: buildings whose floors, ramps,
/// areas, obstacles and people lie on one lattice, turned by any angle, so that edges of different floors
/// coincide or nearly do; cell by cell, what is held by a polygon and what hangs together is compared with a
/// flood over the cells.
#[test]
fn what_is_cut_hangs_together_as_the_cells_of_the_building_do() {
    let failures: Vec<String> = (0..400)
        .filter_map(|seed| check_scene(&Scene::random(seed)).err().map(|what| format!("seed {seed}: {what}")))
        .collect();
    assert!(failures.is_empty(), "{} of 400:\n{}", failures.len(), failures.join("\n"));
}

/// A building with round and three-cornered shapes anywhere on it.
fn check_shapes(seed: u64) -> Result<(), String> {
    let mut rng = Rng::stream(seed, "shapes");
    let building = Building::random(&mut rng);
    let ground = building.surface();
    let mut place = |within: f64| -> Point { [rng.float(-within, within), rng.float(-within, within)] };
    let triangle = |middle: Point, mut aside: Box<dyn FnMut() -> Point>| {
        let polygon = (0..3).map(|_| aside()).map(|by| [middle[0] + by[0], middle[1] + by[1]]).collect();
        AreaShape { polygon, available: true, factor: 2.0 }
    };
    let mut areas = Vec::new();
    for _ in 0..3 {
        let (middle, corners) = (place(8.0), [place(4.0), place(4.0), place(4.0)]);
        let mut corners = corners.into_iter();
        areas.push(triangle(middle, Box::new(move || corners.next().unwrap_or([0.0, 0.0]))));
    }
    let source = MeshSource { ground: Some(building.ground.clone()), areas, ..MeshSource::default() };
    let mesh = NavMesh::new(&source).expect("a mesh");
    let view = mesh.view_of(mesh.key(&Traversal::default())).surface.clone();
    check_joints(ground, &view, &|_, _| false).map_err(|what| format!("areas: {what}"))?;
    check_areas(ground, &view)?;
    if ground.label_count != view.label_count {
        return Err(format!("{} parts instead of {}", view.label_count, ground.label_count));
    }
    let mut person = || {
        let polygon = rng.below(u64::from(ground.polygon_count())) as u32;
        let aside = [rng.float(-1.0, 1.0), rng.float(-1.0, 1.0)];
        let centre = [0, 1].map(|axis| ground.centre(polygon)[axis] + aside[axis]);
        let y = ground.height(polygon, centre);
        // Beside a ramp a body blocks a part of its rise, which ends at no line.
        let is_cut_off = |cell: LatticeCell| {
            let (middle, height) = building.middle(cell);
            building.is_ramp[cell.polygon as usize]
                && length(middle, centre) < 1.4
                && (height - y).abs() > 1.3
        };
        let is_clear = !building.cells().into_iter().any(is_cut_off);
        is_clear.then(|| WallOffset::near(around(centre, rng.float(0.2, 0.9)), [y, y]))
    };
    let people: Vec<WallOffset> = (0..6).filter_map(|_| person()).collect();
    let people = WallOffsets::new(people);
    let carved = carve(&view, &people);
    let is_blocked = |polygon: u32, point: Point| people.holds(point, ground.height(polygon, point));
    check_joints(ground, &carved, &is_blocked).map_err(|what| format!("people: {what}"))?;
    check_patch(&carved, &mut rng)?;
    check_ways(&carved, &mut rng)
}

/// Ground that was made from other ground is what all its polygons together make.
fn check_patch(surface: &Topology, rng: &mut Rng) -> Result<(), String> {
    let ring = |polygon| surface.edges(polygon).map(|edge| surface.ring[edge as usize]).collect();
    let rings: Vec<Vec<u32>> = (0..surface.polygon_count()).map(ring).collect();
    let (points, heights) = (surface.points.clone(), surface.heights.clone());
    let whole = Topology::new(points, heights, &rings, surface.owner.clone());
    let is_same = surface.twin == whole.twin
        && surface.walls == whole.walls
        && surface.turns == whole.turns
        && surface.label == whole.label
        && surface.bounds == whole.bounds;
    if !is_same {
        return Err("joints, walls, turns, parts or bounds differ".to_owned());
    }
    let spans: Vec<Bounds> = (0..surface.polygon_count()).map(|polygon| surface.span(polygon)).collect();
    let walls: Vec<Bounds> = surface.walls.iter().map(|&wall| surface.wall_span(wall)).collect();
    for _ in 0..40 {
        let [a, b] = [(); 2].map(|()| [rng.float(-9.0, 9.0), rng.float(-9.0, 9.0)]);
        let window = Bounds::of(&[a, [a[0] + 0.2 * b[0], a[1] + 0.2 * b[1]]]);
        for (tree, spans) in [(&surface.tree, &spans), (&surface.wall_tree, &walls)] {
            // A leaf that touches the window names all its items.
            let mut seen = vec![0; spans.len()];
            tree.visit(window, &mut |item| seen[item as usize] += 1);
            let mut items = seen.iter().zip(spans);
            if !items.all(|(&count, span)| count == 1 || count == 0 && !span.overlaps(&window)) {
                return Err(format!("an item is missed or seen twice in {window:?}"));
            }
        }
    }
    Ok(())
}

/// Flat ground with holes, in squares.
fn squares_with_holes(side: u32, rng: &mut Rng) -> Topology {
    let corner = |x: u32, z: u32| z * (side + 1) + x;
    let vertices =
        (0..(side + 1) * (side + 1)).map(|at| [(at % (side + 1)).into(), 0.0, (at / (side + 1)).into()]);
    let squares = (0..side * side).filter(|_| rng.chance(0.8)).map(|at| (at % side, at / side));
    let ring = |(x, z)| vec![corner(x, z), corner(x + 1, z), corner(x + 1, z + 1), corner(x, z + 1)];
    let raw = RawMesh { vertices: vertices.collect(), polygons: squares.map(ring).collect() };
    raw.check().expect("a mesh").surface
}

/// Goal: ways over ground that was cut polygon by polygon are as long as over ground that was made as a
/// whole. Method: flat ground with holes and people, random places, the shortest ways over both.
#[test]
fn flat_ground_that_is_cut_has_the_ways_of_ground_made_as_a_whole() {
    let mut rng = Rng::stream(5, "holes");
    let mut way_count = 0;
    for _ in 0..40 {
        let ground = squares_with_holes(12, &mut rng);
        let mut person = || {
            let centre = [rng.float(0.0, 12.0), rng.float(0.0, 12.0)];
            WallOffset::of_all_floors(around(centre, rng.float(0.1, 0.6)))
        };
        let people = WallOffsets::new((0..8).map(|_| person()).collect());
        let cut = carve(&ground, &people);
        check_patch(&cut, &mut rng).expect("a ground");
        let mut lines = Vec::new();
        people.lines(&mut lines);
        let is_free = |polygon: u32, point: Point| !people.holds(point, ground.height(polygon, point));
        let whole = arrange_on(&ground, &lines, &|polygon, point| is_free(polygon, point).then_some(0));
        let mut polyanya = Polyanya::default();
        for _ in 0..30 {
            // Not on corners: one at which ground meets ground that it is not joined to belongs to either.
            let ends = [(); 2].map(|()| {
                let polygon = rng.below(u64::from(cut.polygon_count())) as u32;
                let (middle, corner) = (cut.centre(polygon), cut.from(cut.edges(polygon).start));
                let part = rng.float(0.0, 0.9);
                geom::raise([0, 1].map(|axis| middle[axis] + part * (corner[axis] - middle[axis])), 0.0)
            });
            let mut cost = |surface: &Topology| {
                let [from, to] = [surface.spot(ends[0])?, surface.spot(ends[1])?];
                polyanya.begin(surface, Tolls::default(), from, to);
                let is_found = polyanya.step(surface, Tolls::default(), 100_000) == SearchStep::Found;
                is_found.then(|| polyanya.cost())
            };
            match (cost(&cut), cost(&whole)) {
                (Some(one), Some(other)) => assert!((one - other).abs() < 1e-3, "{one} {other} {ends:?}"),
                (one, other) => assert_eq!(one, other, "{ends:?}"),
            }
            way_count += 1;
        }
    }
    assert_eq!(way_count, 1200);
}

/// Each polygon of the ground keeps its square metres.
fn check_areas(ground: &Topology, surface: &Topology) -> Result<(), String> {
    let mut areas = vec![0.0; ground.polygon_count() as usize];
    for polygon in 0..surface.polygon_count() {
        let area = surface.area(polygon);
        match parent(ground, surface, polygon) {
            Some(parent) => areas[parent as usize] += area,
            None if area > 1e-4 => return Err(format!("{polygon} lies nowhere")),
            None => {}
        }
    }
    let polygons = (0..ground.polygon_count()).zip(areas);
    let mut wrong = polygons.filter(|(polygon, area)| (ground.area(*polygon) - area).abs() > 1e-3);
    wrong.next().map_or(Ok(()), |(polygon, area)| Err(format!("{polygon} has {area} m2")))
}

/// The same of shapes that lie anywhere: round ones and three-cornered ones. Each joint and each wall is
/// compared with the ground.
#[test]
fn shapes_that_lie_anywhere_make_no_joint_and_cut_none() {
    let failures: Vec<String> = (0..400)
        .filter_map(|seed| check_shapes(seed).err().map(|what| format!("seed {seed}: {what}")))
        .collect();
    assert!(failures.is_empty(), "{} of 400:\n{}", failures.len(), failures.join("\n"));
}
