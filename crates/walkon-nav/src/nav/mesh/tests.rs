use std::sync::Arc;

use glam::Vec3;

use crate::base::geom::{self, Segment};
use crate::base::ids::AreaId;
use crate::base::rng::Rng;
use crate::nav::mesh::corridor::Corridor;
use crate::nav::mesh::polyanya::{Polyanya, Tolls};
use crate::nav::mesh::traversal_cost::TraversalCosts;
use crate::nav::mesh::triangulate::MeetingCount;
use crate::nav::mesh::wall_offset::around;
use crate::nav::plan::PlanTask;
use crate::nav::search_state::SearchStep;
use crate::nav::{
    AreaEdit, AreaShape, Avoidance, Backend, CellMap, Disc, GridSource, LayerPoint, MeshSource, NavEdit,
    NavMap, NavMesh, Others, PathAnswer, PathFailure, PathQuery, PathStatus, Reach, Search, Traversal,
};

fn at(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

fn rectangle(x: [f64; 2], z: [f64; 2]) -> AreaShape {
    let polygon = vec![[x[0], z[0]], [x[1], z[0]], [x[1], z[1]], [x[0], z[1]]];
    AreaShape { polygon, available: true, factor: 1.0 }
}

/// Two rooms of 4 by 4 metres, side by side along x, and a doorway a metre wide between them, from z = 1.5
/// on.
fn rooms(is_open: bool) -> MeshSource {
    let door = AreaShape { available: is_open, ..rectangle([4.0, 5.0], [1.5, 2.5]) };
    MeshSource {
        areas: vec![rectangle([0.0, 4.0], [0.0, 4.0]), rectangle([5.0, 9.0], [0.0, 4.0]), door],
        ..MeshSource::default()
    }
}

fn map(source: &MeshSource) -> NavMap {
    NavMap::from(NavMesh::new(source).expect("a mesh"))
}

fn wide(radius_m: f32) -> Traversal {
    Traversal { radius_m, ..Traversal::default() }
}

fn query(start: Vec3, goal: Vec3, by: &Traversal) -> PathQuery {
    PathQuery {
        start,
        goal,
        by: by.clone(),
        goal_layer: None,
        accept: crate::nav::Accept::Nearest,
        expansions_max: 100_000,
        others: None,
    }
}

fn plan(map: &NavMap, start: Vec3, goal: Vec3, by: &Traversal) -> PathAnswer {
    map.plan(&query(start, goal, by), &mut Search::default())
}

#[test]
fn a_path_leads_through_an_open_doorway() {
    let map = map(&rooms(true));
    let answer = plan(&map, at(1.0, 0.5), at(8.0, 3.5), &wide(0.0));
    assert_eq!((answer.status, answer.trouble), (PathStatus::Complete, None));
    assert_eq!(answer.path.points.first(), Some(&at(1.0, 0.5)));
    assert_eq!(answer.path.points.last(), Some(&at(8.0, 3.5)));
    let straight = geom::flat_distance(at(1.0, 0.5), at(8.0, 3.5));
    assert!(answer.path.length_m >= straight && answer.path.length_m < 1.1 * straight, "{answer:?}");
}

#[test]
fn a_closed_area_is_a_wall_that_has_a_name() {
    let mut map = map(&rooms(false));
    let by = wide(0.3);
    let answer = plan(&map, at(1.0, 1.0), at(8.0, 1.0), &by);
    assert_eq!((answer.status, answer.trouble), (PathStatus::Partial, Some(PathFailure::Area(AreaId(2)))));
    assert_eq!(map.reach(at(1.0, 1.0), at(8.0, 1.0), &by), Reach::No(PathFailure::Area(AreaId(2))));
    let open = NavEdit::Area(AreaEdit { area: AreaId(2), available: Some(true), factor: None });
    let change = map.apply(&[open]).expect("a change");
    assert!(change.opened && !change.closed);
    assert_eq!(map.reach(at(1.0, 1.0), at(8.0, 1.0), &by), Reach::Yes);
    assert_eq!(plan(&map, at(1.0, 1.0), at(8.0, 1.0), &by).status, PathStatus::Complete);
    assert!(map.apply(&[open]).is_none(), "nothing changes twice");
}

#[test]
fn who_can_open_a_door_plans_through_it_and_pays() {
    let map = map(&rooms(false));
    let by = Traversal { through: Some(Arc::from([(AreaId(2), 3.0)])), ..wide(0.3) };
    let answer = plan(&map, at(1.0, 2.0), at(8.0, 2.0), &by);
    assert_eq!(answer.status, PathStatus::Complete);
    assert!(
        (answer.path.length_m - 7.0).abs() < 1e-3 && (answer.path.cost_m - 10.0).abs() < 1e-3,
        "{answer:?}"
    );
    let crossing = answer.path.crossings[0];
    assert_eq!(crossing.area, AreaId(2));
    assert!((crossing.enter_m - 3.0).abs() < 0.01 && (crossing.leave_m - 4.0).abs() < 0.01, "{crossing:?}");
}

#[test]
fn a_way_round_is_taken_when_the_door_costs_more() {
    let mut source = rooms(false);
    source.areas.push(rectangle([3.0, 6.0], [-2.0, 0.0]));
    source.areas.push(rectangle([3.0, 4.0], [-1.0, 0.5]));
    let map = map(&source);
    for (toll, opens) in [(0.5, true), (50.0, false)] {
        let by = Traversal { through: Some(Arc::from([(AreaId(2), toll)])), ..wide(0.2) };
        let answer = plan(&map, at(3.0, 2.0), at(6.0, 2.0), &by);
        assert_eq!(answer.path.crossings.len(), usize::from(opens), "toll {toll}: {answer:?}");
    }
}

#[test]
fn a_body_too_wide_for_the_doorway_is_told_so() {
    let map = map(&rooms(true));
    assert_eq!(map.reach(at(1.0, 2.0), at(8.0, 2.0), &wide(0.45)), Reach::Yes);
    assert_eq!(map.reach(at(1.0, 2.0), at(8.0, 2.0), &wide(0.55)), Reach::No(PathFailure::TooWide));
    let answer = plan(&map, at(1.0, 2.0), at(8.0, 2.0), &wide(0.55));
    assert_eq!((answer.status, answer.trouble), (PathStatus::Partial, Some(PathFailure::TooWide)));
}

#[test]
fn outlines_that_meet_or_may_meet_too_often_are_refused() {
    // Slivers along one diagonal: none crosses another, but each may.
    let sliver = |at: u8| {
        let aside = f64::from(at) * 0.1;
        AreaShape {
            polygon: vec![[aside, 0.0], [aside + 0.05, 0.0], [aside + 9.0, 9.0]],
            available: true,
            factor: 1.0,
        }
    };
    let source = MeshSource { obstacles: (0..20).map(sliver).collect(), ..MeshSource::default() };
    let limit = |cuts, pairs| source.check_meetings(MeetingCount { cuts, pairs });
    assert_eq!(limit(0, 2000), Ok(()));
    assert_eq!(
        limit(0, 100).unwrap_err().to_string(),
        "pairs of edges of areas and obstacles that may cross: 101, limit 100; merge some"
    );
    let crossing = MeshSource { areas: vec![rectangle([0.0, 9.0], [4.0, 5.0])], ..source.clone() };
    let refusal = crossing.check_meetings(MeetingCount { cuts: 10, pairs: 10_000 }).unwrap_err().to_string();
    assert!(
        refusal.starts_with("places where outlines of areas and obstacles cross or touch: 1"),
        "{refusal}"
    );
}

#[test]
fn expensive_ground_is_walked_around() {
    let mut source = MeshSource { areas: vec![rectangle([0.0, 20.0], [0.0, 20.0])], ..MeshSource::default() };
    source.areas.push(AreaShape { factor: 20.0, ..rectangle([8.0, 12.0], [2.0, 20.0]) });
    let map = map(&source);
    let answer = plan(&map, at(2.0, 10.0), at(18.0, 10.0), &wide(0.0));
    assert!(answer.path.cost_m < 30.0 && answer.path.length_m > 20.0, "{answer:?}");
    let straight = map.straight(at(2.0, 10.0), at(18.0, 10.0), &wide(0.0)).expect("clear");
    assert!((map.metres(straight) - (12.0 + 80.0)).abs() < 0.01);
}

#[test]
fn a_straight_line_leaves_by_the_opening_that_it_meets_of_several_in_one_wall() {
    let openings = [[1.0, 2.0], [4.0, 5.0], [7.0, 8.0]];
    let mut areas = vec![rectangle([0.0, 6.0], [0.0, 10.0]), rectangle([14.0, 20.0], [0.0, 10.0])];
    areas.extend(openings.map(|z| rectangle([6.0, 14.0], z)));
    let map = map(&MeshSource { areas, ..MeshSource::default() });
    for radius in [0.0, 0.2, 0.3] {
        let by = wide(radius);
        let ground = map.footing(&by);
        for step in 0..200 {
            let z = 0.5 + 0.045 * step as f32;
            // No line is asked about that runs within a hand's breadth of a corner.
            let into = openings.map(|[from, to]| (z - from as f32 - radius).min(to as f32 - radius - z));
            let into = into.into_iter().fold(f32::NEG_INFINITY, f32::max);
            for begin in [3.0, 5.0, 6.0 - radius] {
                if into.abs() > 0.1 && (into > 0.0 || begin == 3.0) {
                    assert_eq!(ground.clear(at(begin, z), at(10.0, z)), into > 0.0, "{radius} {begin} {z}");
                }
            }
        }
    }
}

#[test]
fn whoever_stands_in_the_way_is_walked_around_or_named() {
    let map = map(&rooms(true));
    let by = wide(0.2);
    let disc = |x: f32, z: f32| -> Option<Arc<[Disc]>> {
        Some(Arc::from([Disc { centre: at(x, z), radius_m: 0.6 }]))
    };
    let asked = |others| {
        let query = PathQuery { others, ..query(at(1.0, 2.0), at(8.0, 2.0), &by) };
        map.plan(&query, &mut Search::default())
    };
    let around = asked(disc(2.5, 2.0));
    assert_eq!((around.status, around.others), (PathStatus::Complete, Others::Avoided));
    assert!(around.path.length_m > 7.05);
    for pair in around.path.points.windows(2) {
        let [a, b] = [pair[0], pair[1]].map(geom::ground);
        assert!(geom::segment_distance_sq([2.5, 2.0], a, b).sqrt() >= 0.6 - 1e-3);
        assert!(map.is_clear_of(pair[0], pair[1], &by, &[Disc { centre: at(2.5, 2.0), radius_m: 0.6 }]));
    }
    let closed = asked(disc(4.5, 2.0));
    assert_eq!((closed.status, closed.others), (PathStatus::Complete, Others::Ignored));
    let on_goal = asked(disc(8.0, 2.0));
    assert_eq!((on_goal.trouble, on_goal.covered), (Some(PathFailure::Occupied), Some(0)));
    let end = on_goal.path.points.last().copied().expect("points");
    assert!((geom::flat_distance(end, at(8.0, 2.0)) - 0.6).abs() < 0.02);
}

#[test]
fn the_price_of_a_detour_is_that_of_the_ground_of_the_body_that_asks() {
    let map = map(&rooms(true));
    let (by, nobody) = (wide(0.3), Traversal::default());
    let others = [Disc { centre: at(2.5, 2.0), radius_m: 0.6 }];
    assert!(map.detour_price(&others, &by) >= 8);
    assert!(map.is_prepared(&by) && !map.is_prepared(&nobody), "no ground is made that nobody walks on");
    assert_eq!(map.detour_price(&[], &nobody), 0);
}

#[test]
fn a_body_in_a_closed_door_gets_out_on_either_side_but_not_through_a_wall() {
    let map = map(&rooms(false));
    let start = map.start(at(4.8, 2.0), &wide(0.0)).expect("a start");
    assert!((start.point.x - 5.0).abs() < 0.01);
    assert!(map.start(at(4.5, 30.0), &wide(0.0)).is_none());
}

/// Blocks in a square field, none nearer to another than may be.
fn field(rng: &mut Rng) -> GridSource {
    let mut obstacles = Vec::new();
    for _ in 0..8 {
        let (x, z) = (rng.unit() * 16.0 + 1.0, rng.unit() * 16.0 + 1.0);
        let corners = 3 + rng.below(4);
        let size = 0.5 + rng.unit() * 2.5;
        let polygon = (0..corners)
            .map(|corner| {
                let angle = std::f64::consts::TAU * (corner as f64 + 0.7 * rng.unit()) / corners as f64;
                [x + size * libm::cos(angle), z + size * libm::sin(angle)]
            })
            .collect();
        obstacles.push(AreaShape { polygon, available: true, factor: 1.0 });
    }
    let areas = vec![rectangle([0.0, 20.0], [0.0, 20.0])];
    GridSource {
        cell_size_m: 0.1,
        agent_radius_m: 0.3,
        object_padding_m: 0.0,
        areas,
        obstacles,
        ..GridSource::default()
    }
}

fn as_mesh(grid: &GridSource) -> MeshSource {
    MeshSource {
        ground: None,
        areas: grid.areas.clone(),
        obstacles: grid.obstacles.clone(),
        heights_m: Vec::new(),
        agent_radius_m: grid.agent_radius_m,
        object_padding_m: grid.object_padding_m,
        boundary_padding_m: grid.boundary_padding_m,
        floor_y_m: grid.floor_y_m,
        avoidance: Avoidance::Radius,
    }
}

/// The distance of a segment from the polygons, 0 inside one.
fn clearance(from: Vec3, to: Vec3, obstacles: &[AreaShape]) -> f64 {
    let steps = 40;
    let mut least = f64::INFINITY;
    for step in 0..=steps {
        let place = geom::ground(from.lerp(to, step as f32 / steps as f32));
        for obstacle in obstacles {
            if geom::polygon_contains(&obstacle.polygon, place) {
                return 0.0;
            }
        }
    }
    let (a, b) = (geom::ground(from), geom::ground(to));
    for Segment { from: c, to: d } in obstacles.iter().flat_map(|obstacle| geom::edges(&obstacle.polygon)) {
        for (point, ends) in [(c, (a, b)), (d, (a, b)), (a, (c, d)), (b, (c, d))] {
            least = least.min(geom::segment_distance_sq(point, ends.0, ends.1).sqrt());
        }
    }
    least
}

#[test]
fn seed_w3_grid_and_mesh_of_the_same_areas_agree_on_who_gets_where() {
    let mut rng = Rng::stream(7, "mesh");
    let (mut agreed, mut apart, mut reached) = (0, 0, 0);
    for _ in 0..12 {
        let grid_source = field(&mut rng);
        let cells = NavMap::from(CellMap::from_grid(&grid_source).expect("a grid"));
        let mesh = map(&as_mesh(&grid_source));
        for _ in 0..40 {
            let place = |rng: &mut Rng| at((rng.unit() * 20.0) as f32, (rng.unit() * 20.0) as f32);
            let (from, to) = (place(&mut rng), place(&mut rng));
            let by = wide(0.3);
            // Within a cell of a wall the two may differ.
            let margin = |point: Vec3| clearance(point, point, &grid_source.obstacles) - 0.3;
            if margin(from).abs() < 0.15 || margin(to).abs() < 0.15 || margin(from) < 0.0 || margin(to) < 0.0
            {
                continue;
            }
            assert!(mesh.is_walkable(from, &by) && cells.is_walkable(from, &by), "{from}");
            let (on_cells, on_mesh) = (cells.reach(from, to, &by), mesh.reach(from, to, &by));
            if on_cells == on_mesh {
                agreed += 1
            } else {
                apart += 1
            }
            if (on_cells, on_mesh) != (Reach::Yes, Reach::Yes) {
                continue;
            }
            reached += 1;
            let (a, b) = (plan(&cells, from, to, &by), plan(&mesh, from, to, &by));
            assert!(
                b.path.length_m <= a.path.length_m * 1.02 + 0.1,
                "{from} {to}: {} {}",
                b.path.length_m,
                a.path.length_m
            );
        }
    }
    assert!(apart * 50 <= agreed && reached > 100, "{agreed} agree, {apart} do not, {reached} reached");
}

#[test]
fn seed_w9_bodies_of_any_radius_keep_it_clear_of_all_walls() {
    let mut rng = Rng::stream(11, "mesh");
    let mut found = 0;
    for _ in 0..12 {
        let grid_source = field(&mut rng);
        let mesh = map(&as_mesh(&grid_source));
        for _ in 0..20 {
            let by = wide((0.3 + rng.unit() * 0.8) as f32);
            let place = |rng: &mut Rng| at((rng.unit() * 20.0) as f32, (rng.unit() * 20.0) as f32);
            let (from, to) = (place(&mut rng), place(&mut rng));
            if !mesh.is_walkable(from, &by) || !mesh.is_walkable(to, &by) {
                continue;
            }
            let answer = plan(&mesh, from, to, &by);
            if answer.status == PathStatus::Complete {
                assert_eq!(answer.path.points.last(), Some(&to), "the goal is never moved");
                found += 1;
            }
            for pair in answer.path.points.windows(2) {
                let clear = clearance(pair[0], pair[1], &grid_source.obstacles);
                assert!(clear >= f64::from(by.radius_m) - 2e-3, "{pair:?} {clear} for {}", by.radius_m);
                assert!(mesh.footing(&by).clear(pair[0], pair[1]), "{pair:?} can be walked");
                assert!(mesh.footing(&by).clear(pair[1], pair[0]), "{pair:?} can be walked back");
            }
        }
    }
    assert!(found > 60, "{found} found");
}

#[test]
fn slices_change_nothing_but_when() {
    let mut rng = Rng::stream(3, "mesh");
    let mesh = map(&as_mesh(&field(&mut rng)));
    let query = query(at(0.5, 0.5), at(19.5, 19.5), &wide(0.3));
    let whole = mesh.plan(&query, &mut Search::default());
    let mut search = Search::default();
    let mut plan = mesh.begin(&query).expect("a search");
    let mut slices = 0;
    let sliced = loop {
        slices += 1;
        if let Some(answer) = mesh.step(&mut plan, PlanTask { query: &query, search: &mut search }, 1) {
            break answer;
        }
    };
    assert!(slices > 3, "{slices}");
    assert_eq!(whole, sliced);
}

#[test]
fn obstacles_added_later_are_carved_out_and_come_back() {
    let mut map = map(&rooms(true));
    let by = wide(0.2);
    let before = plan(&map, at(1.0, 2.0), at(8.0, 2.0), &by);
    let disc = map.add_obstacle(&[], LayerPoint { layer: 0, point: at(2.5, 2.0) }, 0.8);
    let edit = |available| [NavEdit::Area(AreaEdit { area: disc, available: Some(available), factor: None })];
    assert!(map.apply(&edit(true)).expect("a change").closed);
    let around = plan(&map, at(1.0, 2.0), at(8.0, 2.0), &by);
    assert!(around.path.length_m > before.path.length_m + 0.1);
    assert!(!map.is_walkable(at(2.5, 2.0), &by));
    map.apply(&edit(false));
    let mut after = plan(&map, at(1.0, 2.0), at(8.0, 2.0), &by);
    (after.revision, after.path.revision) = (before.revision, before.path.revision);
    assert_eq!(before, after);
}

/// A square spiral: two flights of stairs up to a gallery that lies above the hall.
fn storeys() -> MeshSource {
    let vertices = vec![
        [0.0, 0.0, 0.0],
        [8.0, 0.0, 0.0],
        [8.0, 0.0, 6.0],
        [0.0, 0.0, 6.0],
        // Stairs beside the hall, from its end at x = 8 up to x = 14.
        [14.0, 3.0, 0.0],
        [14.0, 3.0, 3.0],
        [8.0, 0.0, 3.0],
        // A landing, and the gallery back over the hall.
        [16.0, 3.0, 0.0],
        [16.0, 3.0, 6.0],
        [14.0, 3.0, 6.0],
        [0.0, 3.0, 3.0],
        [0.0, 3.0, 6.0],
    ];
    let polygons = vec![vec![0, 1, 6, 2, 3], vec![1, 4, 5, 6], vec![4, 7, 8, 9, 5], vec![5, 9, 11, 10]];
    let raw = crate::nav::RawMesh { vertices, polygons };
    MeshSource { ground: Some(raw.check().expect("two storeys")), ..MeshSource::default() }
}

#[test]
fn seed_w1_a_mesh_of_two_storeys_is_told_apart_by_height() {
    let map = map(&storeys());
    for radius_m in [0.0, 0.3, 0.8] {
        let by = wide(radius_m);
        let (hall, gallery) = (Vec3::new(2.0, 0.1, 4.5), Vec3::new(2.0, 3.1, 4.5));
        let [below, above] = [hall, gallery].map(|place| map.locate(place, &by).expect("ground").point.y);
        assert_eq!((below, above), (0.0, 3.0), "radius {radius_m}");
        assert!(!map.footing(&by).clear(hall, gallery), "not through the ceiling");
        let answer = plan(&map, hall, gallery, &by);
        assert_eq!(answer.status, PathStatus::Complete, "radius {radius_m}: {answer:?}");
        assert!(answer.path.length_m > 20.0, "up the stairs and back: {}", answer.path.length_m);
        for pair in answer.path.points.windows(2) {
            assert!(map.footing(&by).clear(pair[0], pair[1]), "radius {radius_m}: {pair:?}");
        }
    }
    assert_eq!(
        map.reach(Vec3::new(2.0, 0.0, 4.5), Vec3::new(2.0, 3.0, 4.5), &wide(1.6)),
        Reach::No(PathFailure::TooWide)
    );
}

/// Puts an area or obstacle in force, or takes it away.
fn toggle(map: &mut NavMap, area: AreaId, available: bool) {
    map.apply(&[NavEdit::Area(AreaEdit { area, available: Some(available), factor: None })]);
}

#[test]
fn what_is_put_on_one_floor_blocks_no_other() {
    let mut map = map(&storeys());
    let (hall, gallery) = (Vec3::new(4.0, 0.0, 4.5), Vec3::new(4.0, 3.0, 4.5));
    for (here, elsewhere) in [(hall, gallery), (gallery, hall)] {
        let barrel = map.add_obstacle(&[], LayerPoint { layer: 0, point: here }, 0.8);
        toggle(&mut map, barrel, true);
        for radius_m in [0.0, 0.3] {
            let by = wide(radius_m);
            assert!(!map.is_walkable(here, &by), "radius {radius_m} at {here}");
            assert!(map.is_walkable(elsewhere, &by), "radius {radius_m} at {elsewhere}");
            let aside = Vec3::X * 2.0;
            let [through, beside] =
                [here, elsewhere].map(|at| map.footing(&by).clear(at - aside, at + aside));
            assert_eq!((through, beside), (false, true), "radius {radius_m} around {here}");
        }
        toggle(&mut map, barrel, false);
    }
}

#[test]
fn lines_of_one_floor_may_cut_polygons_of_another_and_change_no_way_there() {
    // An obstacle on one floor is laid as lines through all of them. Polygons on both sides of such a line
    // belong together, so they are joined again as far as they stay convex. The lines that are left cost a
    // little, and nobody sees them.
    let plain = map(&storeys());
    let mut full = map(&storeys());
    for x in 1..6 {
        let barrel =
            full.add_obstacle(&[], LayerPoint { layer: 0, point: Vec3::new(x as f32 + 0.7, 0.0, 4.5) }, 0.3);
        toggle(&mut full, barrel, true);
    }
    let counts = [&plain, &full].map(|map| map.node_count());
    assert!(counts[1] <= counts[0] + 5 * 3 * 16, "{counts:?}");
    let mut rng = Rng::stream(5, "gallery");
    for radius_m in [0.0, 0.3] {
        for _ in 0..50 {
            let mut any =
                || Vec3::new((rng.unit() * 14.0 + 0.5) as f32, 3.0, (rng.unit() * 2.0 + 3.5) as f32);
            let (from, to, by) = (any(), any(), wide(radius_m));
            let [one, two] = [&plain, &full].map(|map| plan(map, from, to, &by));
            assert_eq!((one.status, one.trouble), (two.status, two.trouble), "{from} to {to}");
            assert!((one.path.length_m - two.path.length_m).abs() < 1e-3, "{from} to {to}: {one:?} {two:?}");
            assert_eq!(
                plain.footing(&by).clear(from, to),
                full.footing(&by).clear(from, to),
                "{from} to {to}"
            );
        }
    }
}

#[test]
fn a_closed_area_takes_its_own_ground_from_polygons_and_no_more() {
    let vertices = [[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 9.0]].map(|[x, z]| [x, 0.0, z]).to_vec();
    let raw = crate::nav::RawMesh { vertices, polygons: vec![vec![0, 1, 2, 3]] };
    let area = AreaShape { available: false, ..rectangle([3.0, 5.0], [2.0, 7.0]) };
    let ground = Some(raw.check().expect("a mesh"));
    let map = map(&MeshSource { ground, areas: vec![area], ..MeshSource::default() });
    for step in 0..90 {
        let x = 0.05 + 0.1 * step as f32;
        assert_eq!(map.is_walkable(at(x, 4.0), &wide(0.0)), !(3.0..=5.0).contains(&x), "{x}");
    }
}

#[test]
fn areas_and_obstacles_lie_on_the_floors_between_their_heights() {
    let (hall, gallery) = (Vec3::new(4.0, 0.0, 4.5), Vec3::new(4.0, 3.0, 4.5));
    for (heights_m, floors) in [
        ([-1.0, 1.0], [true, false]),
        ([2.0, 4.0], [false, true]),
        ([-1.0, 4.0], [true, true]),
        ([8.0, 9.0], [false, false]),
    ] {
        let shape = rectangle([3.0, 5.0], [4.0, 5.0]);
        let obstacle = MeshSource {
            obstacles: vec![shape.clone()],
            heights_m: vec![heights_m],
            agent_radius_m: 0.3,
            object_padding_m: 0.1,
            ..storeys()
        };
        let area = MeshSource {
            areas: vec![AreaShape { factor: 4.0, ..shape }],
            heights_m: vec![heights_m],
            ..storeys()
        };
        let (blocked, mut expensive) = (map(&obstacle), map(&area));
        for (place, is_on) in [hall, gallery].into_iter().zip(floors) {
            // The padding keeps to the floors of its obstacle, too.
            let beside = place + Vec3::Z * 0.8;
            let stands = [place, beside].map(|at| blocked.is_walkable(at, &wide(0.3)));
            assert_eq!(stands, [!is_on; 2], "{heights_m:?} at {place}");
            assert_eq!(expensive.holds(AreaId(0), place), is_on, "{heights_m:?} at {place}");
            let (from, to) = (place - Vec3::X * 2.0, place + Vec3::X * 2.0);
            let cost = expensive.straight(from, to, &wide(0.0)).expect("clear");
            let metres = if is_on { 2.0 + 4.0 * 2.0 } else { 4.0 };
            assert!((expensive.metres(cost) - metres).abs() < 0.01, "{heights_m:?} at {place}: {cost:?}");
        }
        toggle(&mut expensive, AreaId(0), false);
        for (place, is_on) in [hall, gallery].into_iter().zip(floors) {
            assert_eq!(expensive.is_walkable(place, &wide(0.0)), !is_on, "closed: {heights_m:?} at {place}");
        }
    }
}

#[test]
fn seed_w6_a_sloped_mesh_gives_the_way_of_its_flat_copy() {
    let places = [[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0], [8.0, 3.0], [8.0, 7.0], [4.0, 7.0]];
    let polygons = vec![vec![0, 1, 2, 3], vec![2, 4, 5, 6], vec![1, 4, 2]];
    let made = |slope: f64| {
        let vertices = places.iter().map(|&[x, z]| [x, slope * (x + z), z]).collect();
        let raw = crate::nav::RawMesh { vertices, polygons: polygons.clone() };
        map(&MeshSource { ground: Some(raw.check().expect("a mesh")), ..MeshSource::default() })
    };
    let (flat, sloped) = (made(0.0), made(0.4));
    for radius_m in [0.0, 0.4] {
        let ends = |map: &NavMap| {
            let answer = plan(map, at(0.8, 2.5), at(5.0, 6.0), &wide(radius_m));
            assert_eq!(answer.status, PathStatus::Complete);
            answer.path.points.iter().map(|point| (point.x, point.z)).collect::<Vec<_>>()
        };
        let (on_flat, on_slope) = (ends(&flat), ends(&sloped));
        assert_eq!(on_flat.len(), on_slope.len(), "radius {radius_m}: {on_flat:?} {on_slope:?}");
        for (a, b) in on_flat.iter().zip(&on_slope) {
            assert!((a.0 - b.0).abs() < 1e-3 && (a.1 - b.1).abs() < 1e-3);
        }
    }
}

#[test]
fn r6_no_search_goes_round_and_round_a_corner_between_areas() {
    // Found by the fuzz target `level`: where edges of areas cross there is a corner with ground all around
    // it. An edge that led back to such a corner was seen through from outside, and the search went around it
    // until the memory was full.
    let quad = |polygon: [[f64; 2]; 4]| AreaShape { polygon: polygon.to_vec(), available: true, factor: 1.0 };
    let source = MeshSource {
        areas: vec![
            quad([[1.0, 0.0], [6.0, 0.0], [6.0, 20.0], [2.0, 20.0]]),
            quad([[14.0, 0.0], [20.0, 0.0], [20.0, 20.0], [14.0, 20.0]]),
            quad([[3.0, 9.6], [14.0, 9.6], [14.0, 10.4], [6.0, 10.4]]),
            quad([[6.0, 4.0], [14.0, 4.0], [14.0, 5.4], [6.0, 5.4]]),
            quad([[6.0, 15.0], [14.0, 15.0], [14.0, 18.5], [6.0, 18.5]]),
        ],
        obstacles: vec![quad([[17.0, 9.0], [18.0, 9.0], [18.0, 11.0], [16.0, 11.0]])],
        ..MeshSource::default()
    };
    let map = map(&source);
    let mut rng = Rng::stream(21, "mesh");
    let mut found = 0;
    for radius_m in [0.0, 0.2, 0.35, 0.5, 0.9] {
        let by = wide(radius_m);
        let most = 20 * map.mesh().expect("a mesh").patches(&by).len() as u32;
        for _ in 0..60 {
            let mut place = || at((rng.unit() * 20.0) as f32, (rng.unit() * 20.0) as f32);
            let (from, to) = (place(), place());
            if !map.is_walkable(from, &by) || map.reach(from, to, &by) != Reach::Yes {
                continue;
            }
            let answer =
                map.plan(&PathQuery { expansions_max: most, ..query(from, to, &by) }, &mut Search::default());
            assert_eq!(answer.status, PathStatus::Complete, "{from} to {to} for {radius_m}: {answer:?}");
            found += 1;
        }
    }
    assert!(found > 60, "{found}");
}

#[test]
fn no_search_goes_round_and_round_a_start_on_a_corner() {
    // Four areas meet at the start, and a wall hides the goal: the search went around the start, where every
    // edge is as near to the goal as it, until the limit was reached.
    let quarters = [[0.0, 4.0], [4.0, 8.0]];
    let areas = quarters.iter().flat_map(|&x| quarters.map(|z| rectangle(x, z))).collect();
    let map = map(&MeshSource {
        areas,
        obstacles: vec![rectangle([5.0, 6.0], [1.0, 7.5])],
        ..MeshSource::default()
    });
    for start in [at(4.0, 4.0), at(4.0, 2.0), at(2.0, 4.0)] {
        let answer = plan(&map, start, at(7.0, 4.0), &wide(0.0));
        assert_eq!(answer.status, PathStatus::Complete, "{start}: {answer:?}");
        assert!(answer.expansions < 100, "{start}: {answer:?}");
    }
}

#[test]
fn seed_w5_places_are_found_where_they_are() {
    let mut rng = Rng::stream(5, "mesh");
    let mesh = map(&as_mesh(&field(&mut rng)));
    let NavMap::Mesh(mesh) = &mesh else { panic!("a mesh") };
    let patches = mesh.patches(&wide(0.3));
    for _ in 0..10_000 {
        let polygon = rng.below(patches.len() as u64) as usize;
        let corners = &patches[polygon].outline;
        // A point well inside: the middle, and a share of the way to a corner.
        let middle = super::polygon::centre(corners);
        let corner = corners[rng.below(corners.len() as u64) as usize];
        let part = rng.unit() * 0.9;
        let place = [0, 1].map(|axis| middle[axis] + part * (corner[axis] - middle[axis]));
        let found = mesh.locate(geom::raise(place, 0.0), &wide(0.3)).expect("on the mesh");
        let edge_m = geom::edges(corners)
            .map(|Segment { from: a, to: b }| geom::segment_distance_sq(place, a, b))
            .fold(f64::INFINITY, f64::min)
            .sqrt();
        assert!(found.node.index() == polygon || edge_m < 2e-3, "{place:?}");
    }
}

/// A corridor along x, from 0 to 20 and z from 0, that bends up at its end.
fn corridor(wide_m: f64, obstacles: Vec<AreaShape>, avoidance: Avoidance) -> NavMap {
    let areas = vec![rectangle([0.0, 20.0], [0.0, wide_m]), rectangle([20.0, 20.0 + wide_m], [0.0, 20.0])];
    map(&MeshSource { areas, obstacles, avoidance, ..MeshSource::default() })
}

#[test]
fn seed_w7_moved_waypoints_stay_on_the_ground_and_the_goal_is_the_goal() {
    for tenths in 10..=40 {
        let radius_m = 0.5;
        let wide_m = 0.1 * f64::from(tenths) * radius_m;
        let map = corridor(wide_m, Vec::new(), Avoidance::Waypoints);
        let middle = (wide_m / 2.0) as f32;
        let (from, to) = (at(1.0, middle), at(20.0 + middle, 19.0));
        let answer = plan(&map, from, to, &wide(radius_m as f32));
        assert_eq!((answer.status, answer.path.points.last()), (PathStatus::Complete, Some(&to)), "{wide_m}");
        for pair in answer.path.points.windows(2) {
            assert!(map.footing(&wide(0.0)).clear(pair[0], pair[1]), "{wide_m}: {pair:?}");
        }
    }
}

#[test]
fn seed_w8_a_pillar_within_the_radius_bends_the_path_one_beyond_it_does_not() {
    let ends = (at(1.0, 2.0), at(18.0, 2.0));
    for (edge, bends) in [(2.3, true), (2.6, false)] {
        let pillar = rectangle([9.0, 9.4], [edge, edge + 0.4]);
        let map = corridor(6.0, vec![pillar.clone()], Avoidance::Waypoints);
        let points = plan(&map, ends.0, ends.1, &wide(0.5)).path.points;
        assert_eq!(points.len() > 2, bends, "edge at {edge}: {points:?}");
        let nearest = |points: &[Vec3]| {
            points
                .windows(2)
                .map(|pair| clearance(pair[0], pair[1], std::slice::from_ref(&pillar)))
                .fold(f64::INFINITY, f64::min)
        };
        let as_written = nearest(&points);
        let by_radius = corridor(6.0, vec![pillar.clone()], Avoidance::Radius);
        let narrowed = nearest(&plan(&by_radius, ends.0, ends.1, &wide(0.5)).path.points);
        assert!(narrowed >= 0.5 - 1e-3 && (as_written > edge - 2.0 || !bends), "{as_written} {narrowed}");
    }
}

fn measure(line: &[[f64; 2]]) -> f64 {
    line.windows(2).map(|pair| super::polygon::length(pair[0], pair[1])).sum()
}

#[test]
fn the_any_angle_search_is_never_longer_than_the_funnel_and_both_keep_to_the_ground() {
    let mut rng = Rng::stream(17, "mesh");
    let (mut sums, mut queries) = ([0.0; 2], 0);
    for _ in 0..8 {
        let map = map(&as_mesh(&field(&mut rng)));
        let view = map.mesh().expect("a mesh").view(&wide(0.3));
        let surface = &view.surface;
        let (mut polyanya, mut corridor, prices) =
            (Polyanya::default(), Corridor::default(), TraversalCosts::default());
        for _ in 0..30 {
            let place =
                |rng: &mut Rng| surface.spot(at((rng.unit() * 20.0) as f32, (rng.unit() * 20.0) as f32));
            let (Some(from), Some(to)) = (place(&mut rng), place(&mut rng)) else { continue };
            if surface.label[from.polygon as usize] != surface.label[to.polygon as usize] {
                continue;
            }
            polyanya.begin(surface, Tolls::default(), from, to);
            assert_eq!(polyanya.step(surface, Tolls::default(), u32::MAX), SearchStep::Found);
            corridor.begin(surface, &prices, from, to);
            assert_eq!(corridor.step(surface, &prices, u32::MAX), SearchStep::Found);
            let (mut tight, mut pulled) = (Vec::new(), Vec::new());
            polyanya.points(&mut tight);
            corridor.points(surface, &mut pulled);
            assert!(
                (measure(&tight) - polyanya.cost()).abs() < 1e-6
                    && measure(&tight) <= measure(&pulled) + 1e-6
            );
            for pair in tight.windows(2).chain(pulled.windows(2)) {
                let spot = surface.spot(geom::raise(pair[0], 0.0)).expect("on the mesh");
                assert!(surface.line(spot, pair[1], &mut |_, _, _| {}).is_clear, "{pair:?}");
            }
            sums = [sums[0] + measure(&tight), sums[1] + measure(&pulled)];
            queries += 1;
        }
    }
    assert!(queries > 60 && sums[1] <= 1.08 * sums[0], "{queries} queries, {sums:?}");
}

/// Goal: obstacles that come and go while a level runs leave the ground that they would leave if the level
/// had them. Method: random rooms with obstacles, circles that are added one after the other and taken away
/// again, bodies of two sizes; where they may stand and how far they walk, against a mesh made with all.
#[test]
fn added_obstacles_leave_the_ground_of_a_mesh_that_was_made_with_them() {
    let mut rng = Rng::stream(8, "added");
    for round in 0..30 {
        let mut block = |most: f64| {
            let (x, z) = (rng.float(0.5, 8.0), rng.float(0.5, 6.0));
            rectangle([x, x + rng.float(0.2, most)], [z, z + rng.float(0.2, most)])
        };
        let obstacles: Vec<AreaShape> = (0..4).map(|_| block(1.5)).collect();
        let areas = vec![rectangle([0.0, 9.0], [0.0, 7.0])];
        let source = MeshSource { areas, obstacles, ..MeshSource::default() };
        let circles: Vec<(Vec3, f32)> = (0..5)
            .map(|_| (at(rng.float(0.0, 9.0) as f32, rng.float(0.0, 7.0) as f32), rng.float(0.2, 0.8) as f32))
            .collect();
        let mut edited = map(&source);
        let set = |area: AreaId, available: bool, edited: &mut NavMap| {
            edited.apply(&[NavEdit::Area(AreaEdit { area, available: Some(available), factor: None })]);
        };
        let added: Vec<AreaId> = circles
            .iter()
            .map(|&(point, radius_m)| {
                let area = edited.add_obstacle(&[], LayerPoint { layer: 0, point }, radius_m);
                set(area, true, &mut edited);
                let _ = edited.is_walkable(at(1.0, 1.0), &wide(0.3));
                area
            })
            .collect();
        set(added[1], false, &mut edited);
        let there = circles.iter().enumerate().filter(|(nth, _)| *nth != 1).map(|(_, circle)| *circle);
        let made = there.map(|(middle, radius_m)| AreaShape {
            polygon: around(geom::ground(middle), f64::from(radius_m)),
            available: true,
            factor: 1.0,
        });
        let whole = map(&MeshSource {
            obstacles: source.obstacles.iter().cloned().chain(made).collect(),
            ..source.clone()
        });
        for by in [wide(0.0), wide(0.3)] {
            for _ in 0..40 {
                let [from, to] = [(); 2].map(|()| at(rng.float(0.0, 9.0) as f32, rng.float(0.0, 7.0) as f32));
                assert_eq!(edited.is_walkable(from, &by), whole.is_walkable(from, &by), "{round}: {from}");
                if !whole.is_walkable(from, &by) || !whole.is_walkable(to, &by) {
                    continue;
                }
                let [one, other] = [&edited, &whole].map(|map| plan(map, from, to, &by));
                assert_eq!((one.status, one.trouble), (other.status, other.trouble), "{round}: {from} {to}");
                let (one_m, other_m) = (one.path.length_m, other.path.length_m);
                assert!((one_m - other_m).abs() < 2e-3 * (1.0 + other_m), "{round}: {one_m} {other_m}");
            }
        }
    }
}

mod local_view;
mod shortest;

#[test]
fn a_height_of_an_area_that_is_no_number_is_refused() {
    for heights_m in [[f64::NAN, f64::NAN], [0.0, f64::NAN], [f64::NAN, 1.0]] {
        let source = MeshSource { heights_m: vec![heights_m], ..rooms(true) };
        let refused = NavMesh::new(&source).expect_err("no number is no height");
        assert!(refused.to_string().contains("NaN"), "{refused}");
    }
    assert!(NavMesh::new(&MeshSource { heights_m: vec![[f64::NEG_INFINITY, 3.0]], ..rooms(true) }).is_ok());
}
