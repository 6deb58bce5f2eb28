//! Looks against points sampled along them, over every kind of map.

use glam::Vec3;

use crate::base::geom::{Point, polygon_contains};
use crate::base::ids::AreaId;
use crate::base::rng::Rng;
use crate::nav::cells::CellMap;
use crate::nav::graph::{EditableGraph, GraphArea, GraphSource, PointGraph};
use crate::nav::sight::{HAIR_M, Look, Veil};
use crate::nav::solids::Solids;
use crate::nav::{
    AreaEdit, AreaShape, CellArea, CellSource, GridSource, LayerLink, LayerPoint, Layers, MapFrame,
    MeshSource, NavEdit, NavMap, NavMesh, RawMesh,
};

const SIDE_M: f64 = 12.0;

/// Polygons, each with what it does to looks.
struct Scene {
    areas: Vec<AreaShape>,
    obstacles: Vec<AreaShape>,
    veils: Vec<Veil>,
}

impl Scene {
    fn random(rng: &mut Rng) -> Self {
        let mut shapes = |count: u64| -> Vec<AreaShape> {
            (0..count)
                .map(|_| AreaShape { polygon: polygon(rng), available: rng.chance(0.7), factor: 1.0 })
                .collect()
        };
        let (mut areas, obstacles) = (shapes(4), shapes(3));
        areas.push(AreaShape { polygon: rectangle([0.0, 0.0], [SIDE_M, 7.0]), available: true, factor: 1.0 });
        let kinds = [Veil::AsItStands, Veil::AsItStands, Veil::Never, Veil::Always];
        let veils = (0..areas.len() + obstacles.len()).map(|_| kinds[rng.below(4) as usize]).collect();
        Self { areas, obstacles, veils }
    }

    fn is_hidden(&self, point: Point) -> bool {
        let hides_above = |(at, shape): (usize, &AreaShape)| {
            let holds = polygon_contains(&shape.polygon, point);
            let veil = self.veils[at];
            holds
                && if at < self.areas.len() {
                    veil == Veil::Always
                } else {
                    shape.available && veil != Veil::Never
                }
        };
        let is_ground = self.areas.iter().zip(&self.veils).any(|(shape, veil)| {
            (shape.available || *veil == Veil::Never) && polygon_contains(&shape.polygon, point)
        });
        !is_ground || self.areas.iter().chain(&self.obstacles).enumerate().any(hides_above)
    }

    /// Whether a look is clear, by points along it; None where that is a matter of a hair.
    fn expected(&self, from: Vec3, to: Vec3) -> Option<bool> {
        let length_m = f64::from((to - from).length()).max(1e-6);
        let count = (length_m / (HAIR_M / 2.0)).ceil() as usize + 2;
        let (mut run, mut longest) = (0_usize, 0_usize);
        for at in 0..=count {
            let part = at as f64 / count as f64;
            let along = |a: f32, b: f32| f64::from(a) + part * (f64::from(b) - f64::from(a));
            run = if self.is_hidden([along(from.x, to.x), along(from.z, to.z)]) { run + 1 } else { 0 };
            longest = longest.max(run);
        }
        let hidden_m = longest as f64 * HAIR_M / 2.0;
        if hidden_m == 0.0 { Some(true) } else { (hidden_m > 4.0 * HAIR_M).then_some(false) }
    }

    fn look(&self, map: &NavMap, [from, to]: [Vec3; 2]) -> bool {
        map.sees(&Look { from, to, layer: 0, veil: &|area: AreaId| self.veils[area.index()] })
    }
}

fn rectangle(from: Point, to: Point) -> Vec<Point> {
    vec![from, [to[0], from[1]], to, [from[0], to[1]]]
}

/// Rectangles, thin walls and triangles, often with edges in common.
fn polygon(rng: &mut Rng) -> Vec<Point> {
    let mut place = || [rng.int(0, 24) as f64 * 0.5, rng.int(0, 24) as f64 * 0.5];
    let (a, b, c) = (place(), place(), place());
    match rng.below(3) {
        0 => rectangle(a, [b[0].max(a[0] + 0.5), b[1].max(a[1] + 0.5)]),
        1 => rectangle(a, [a[0] + 0.02, a[1] + 3.0]),
        _ if ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs() > 0.5 => vec![a, b, c],
        _ => rectangle(a, [a[0] + 2.0, a[1] + 2.0]),
    }
}

/// Anywhere, and on the lines that edges lie on.
fn ends(rng: &mut Rng) -> [Vec3; 2] {
    let grain = [0.001, 0.25, 0.5][rng.below(3) as usize];
    let most = (SIDE_M / grain) as i64;
    let mut place = || {
        let mut side = || (rng.int(0, most) as f64 * grain) as f32;
        Vec3::new(side(), 0.0, side())
    };
    [place(), place()]
}

fn grid(scene: &Scene) -> NavMap {
    let source = GridSource {
        areas: scene.areas.clone(),
        obstacles: scene.obstacles.clone(),
        cell_size_m: 0.5,
        agent_radius_m: 0.45,
        object_padding_m: 0.25,
        boundary_padding_m: 0.1,
        ..GridSource::default()
    };
    CellMap::from_grid(&source).unwrap().into()
}

fn mesh(scene: &Scene) -> NavMap {
    let source = MeshSource {
        areas: scene.areas.clone(),
        obstacles: scene.obstacles.clone(),
        agent_radius_m: 0.45,
        ..MeshSource::default()
    };
    NavMesh::new(&source).unwrap().into()
}

#[test]
fn polygons_hide_what_points_along_the_line_say_on_grids_and_meshes_alike() {
    let (mut clear, mut hidden) = (0, 0);
    for seed in 0..100 {
        let mut rng = Rng::stream(seed, "looks");
        let scene = Scene::random(&mut rng);
        let (grid, mesh) = (grid(&scene), mesh(&scene));
        for _ in 0..12 {
            let pair = ends(&mut rng);
            let seen = scene.look(&grid, pair);
            assert_eq!(scene.look(&grid, [pair[1], pair[0]]), seen, "seed {seed} {pair:?}, the other way");
            assert_eq!(scene.look(&mesh, pair), seen, "seed {seed} {pair:?}, on a mesh");
            let Some(expected) = scene.expected(pair[0], pair[1]) else { continue };
            assert_eq!(seen, expected, "seed {seed} {pair:?}");
            *(if seen { &mut clear } else { &mut hidden }) += 1;
        }
    }
    assert!(clear > 150 && hidden > 150, "{clear} clear, {hidden} hidden");
}

#[test]
fn the_end_of_a_look_is_where_it_is_hidden() {
    for seed in 0..60 {
        let mut rng = Rng::stream(seed, "ends of looks");
        let scene = Scene::random(&mut rng);
        let map = grid(&scene);
        for _ in 0..10 {
            let [from, to] = ends(&mut rng);
            let look = Look { from, to, layer: 0, veil: &|area: AreaId| scene.veils[area.index()] };
            let end = map.seen_to(&look);
            assert!(end == from || map.sees(&Look { to: end, ..look }), "seed {seed}");
            let beyond = end + (to - end).normalize_or_zero() * 0.02;
            let is_far = (to - end).length() > 0.03;
            assert!(!is_far || !map.sees(&Look { to: beyond, ..look }), "seed {seed} {from} {to} {end}");
        }
    }
}

/// A map of cells with a room of cells and an area in the middle of it.
fn cells(rows: &[&str], available: bool) -> CellMap {
    let width = rows[0].len() as u32;
    let text: Vec<char> = rows.iter().flat_map(|row| row.chars()).collect();
    let frame = MapFrame { width, depth: rows.len() as u32, cell_size_m: 1.0, ..MapFrame::default() };
    let source = CellSource {
        frame,
        walkable: text.iter().map(|mark| !matches!(mark, '#' | 'o')).collect(),
        area: text.iter().map(|mark| u16::from(matches!(mark, 'd' | 'o'))).collect(),
        areas: vec![CellArea { available, factor: 1.0 }],
        ..CellSource::default()
    };
    CellMap::from_cells(&source).unwrap()
}

fn seen_with(map: &NavMap, layer: u8, veil: Veil, [from, to]: [[f32; 2]; 2]) -> bool {
    let place = |[x, z]: [f32; 2]| Vec3::new(x, 0.0, z);
    map.sees(&Look { from: place(from), to: place(to), layer, veil: &|_| veil })
}

#[test]
fn cells_hide_by_what_they_are_and_as_their_area_says() {
    let (left, right, over) = ([0.5, 1.5], [6.5, 1.5], [[0.5, 0.5], [6.5, 0.5]]);
    for (rows, available, expected) in [
        // A door: open, closed.
        (["###d###", "...d...", "###d###"], true, [true, true, false]),
        (["###d###", "...d...", "###d###"], false, [false, true, false]),
        // A table that nobody walks on.
        (["...o...", "...o...", "...o..."], true, [false, true, false]),
    ] {
        let map = NavMap::from(cells(&rows, available));
        let found =
            [Veil::AsItStands, Veil::Never, Veil::Always].map(|veil| seen_with(&map, 0, veil, [left, right]));
        assert_eq!(found, expected, "{rows:?} {available}");
        assert_eq!(seen_with(&map, 0, Veil::Never, over), rows[0].starts_with('.'));
    }
}

#[test]
fn looks_stay_on_their_layer_and_every_layer_hides_its_own() {
    let walled = cells(&["...#...", "...#...", "...#..."], true);
    let open = cells(&["...d...", "...d...", "...d..."], true);
    let map = NavMap::from(Layers::new(vec![walled, open], Vec::<LayerLink>::new()).unwrap());
    let across = [[0.5, 1.5], [6.5, 1.5]];
    let seen: Vec<bool> = (0..3).map(|layer| seen_with(&map, layer, Veil::AsItStands, across)).collect();
    assert_eq!(seen, [false, true, false]);
}

#[test]
fn what_scripts_put_on_cells_hides_as_a_block_not_as_cells() {
    let mut map = NavMap::from(cells(&["......", "......", "......"], true));
    let area = map.add_obstacle(&[], LayerPoint { layer: 0, point: Vec3::new(3.5, 0.0, 1.5) }, 1.0);
    map.apply(&[NavEdit::Area(AreaEdit { area, available: Some(true), factor: None })]);
    assert!(!map.is_walkable(Vec3::new(3.5, 0.0, 1.5), &Default::default()));
    assert!(seen_with(&map, 0, Veil::AsItStands, [[0.5, 1.5], [5.5, 1.5]]));
}

#[test]
fn links_lead_looks_and_what_lies_across_them_hides() {
    let points = [[0.0, 0.0], [10.0, 0.0], [10.0, 10.0]].map(|[x, z]: [f32; 2]| Vec3::new(x, 0.0, z));
    let draft = EditableGraph::new(points.to_vec(), &[[0, 1], [1, 2]], Vec::new()).unwrap();
    for (available, is_obstacle, expected) in [
        (true, false, [true, true, false]),
        (false, false, [false, true, false]),
        (true, true, [false, true, false]),
        (false, true, [true, true, true]),
    ] {
        let polygon = rectangle([5.0, -1.0], [5.5, 1.0]);
        let door = GraphArea { polygon, heights_m: [-1.0, 1.0], available, factor: 1.0, is_obstacle };
        let source =
            GraphSource { draft: draft.clone(), width_m: 0.5, areas: vec![door], ..Default::default() };
        let map = NavMap::from(PointGraph::new(source));
        let found = [Veil::AsItStands, Veil::Never, Veil::Always]
            .map(|veil| seen_with(&map, 0, veil, [[1.0, 0.0], [9.0, 0.2]]));
        assert_eq!(found, expected, "{available} {is_obstacle}");
        // On this side of the door, and round the corner.
        assert!(seen_with(&map, 0, Veil::AsItStands, [[1.0, 0.0], [4.0, 0.0]]));
        assert!(!seen_with(&map, 0, Veil::Never, [[8.0, 0.0], [10.0, 5.0]]));
    }
}

#[test]
fn the_scene_of_a_graph_hides_at_the_height_of_eyes() {
    let draft = EditableGraph::new(vec![Vec3::ZERO, Vec3::X * 10.0], &[[0, 1]], Vec::new()).unwrap();
    let map = |height_m: f32| {
        let corner = |y: f32, z: f32| Vec3::new(5.0, y, z);
        let wall = [
            [corner(0.0, -2.0), corner(0.0, 2.0), corner(height_m, 2.0)],
            [corner(0.0, -2.0), corner(height_m, 2.0), corner(height_m, -2.0)],
        ];
        let source = GraphSource { draft: draft.clone(), width_m: 0.5, ..Default::default() };
        NavMap::from(PointGraph::new(source).in_scene(Some(Solids::new(&wall).unwrap())))
    };
    let along = [[1.0, 0.0], [9.0, 0.0]];
    assert!(!seen_with(&map(2.0), 0, Veil::AsItStands, along));
    assert!(seen_with(&map(1.0), 0, Veil::AsItStands, along), "over a low wall");
    assert!(seen_with(&map(2.0), 0, Veil::AsItStands, [[1.0, 0.0], [1.0, 6.0]]), "beside all links");
}

/// A floor of 10 by 10 m at height 0 and one like it 3 m above, not joined.
fn storeys(source: MeshSource) -> NavMap {
    let corners = [[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]];
    let vertices = [0.0, 3.0].into_iter().flat_map(|y| corners.map(|[x, z]| [x, y, z])).collect();
    let raw = RawMesh { vertices, polygons: vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]] };
    NavMesh::new(&MeshSource { ground: Some(raw.check().unwrap()), ..source }).unwrap().into()
}

#[test]
fn polygons_of_ground_lead_looks_on_their_own_floor() {
    let door = AreaShape { polygon: rectangle([4.0, 0.0], [5.0, 10.0]), available: false, factor: 1.0 };
    let heights_m = vec![[-1.0, 1.0]];
    let map = storeys(MeshSource { areas: vec![door], heights_m, ..MeshSource::default() });
    let sees = |from: Vec3, to: Vec3, veil: Veil| map.sees(&Look { from, to, layer: 0, veil: &|_| veil });
    let (near, far) = (Vec3::new(1.0, 0.0, 5.0), Vec3::new(9.0, 0.0, 5.0));
    let up = Vec3::Y * 3.0;
    assert!(!sees(near, far, Veil::AsItStands), "a closed door");
    assert!(sees(near, far, Veil::Never), "a gate of bars");
    assert!(sees(near + up, far + up, Veil::AsItStands), "the door is of the floor below");
    assert!(!sees(near, near + up, Veil::Never), "through the ceiling");
    assert!(!sees(near, near - Vec3::X * 3.0, Veil::Never), "beyond the ground");
}
