//! Laws over every kind of map: numbers that are none, or lie beyond every map, are nowhere.

use glam::Vec3;

use crate::base::ids::AreaId;
use crate::base::rng::Rng;
use crate::base::trig;
use crate::nav::cells::{CellMap, CellSource, GridSource, Layout, MapFrame, Stagger, TileGrid};
use crate::nav::graph::{EditableGraph, GraphSource, PointGraph, WIDTH_MAX_M};
use crate::nav::{
    AreaEdit, AreaShape, Disc, FACTOR_RANGE, LayerPoint, MeshSource, NavEdit, NavMap, NavMesh, PathQuery,
    PathStatus, Search, Traversal,
};

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

fn floor() -> AreaShape {
    let polygon = vec![[0.0, 0.0], [8.0, 0.0], [8.0, 8.0], [0.0, 8.0]];
    AreaShape { polygon, available: true, factor: 1.0 }
}

fn tiles(layout: Layout) -> NavMap {
    let grid = TileGrid { layout, columns: 8, rows: 8, tile_m: [1.0, 1.0], min: [0.0, 0.0], floor_y_m: 0.0 };
    of_frame(grid.frame().expect("a frame"))
}

fn of_frame(frame: MapFrame) -> NavMap {
    let count = frame.cell_count() as usize;
    let source =
        CellSource { frame, walkable: vec![true; count], factor: vec![1.0; count], ..CellSource::default() };
    CellMap::from_cells(&source).expect("a map").into()
}

/// A map of every kind, all of which one can walk on about (2, 2) and (4, 2).
fn maps() -> Vec<(&'static str, NavMap)> {
    let grid = GridSource { areas: vec![floor()], ..GridSource::default() };
    let mesh = MeshSource { areas: vec![floor()], ..MeshSource::default() };
    let points = (0..8u8).map(|x| Vec3::new(f32::from(x), 0.0, 2.0)).collect();
    let links: Vec<[u32; 2]> = (0..7).map(|at| [at, at + 1]).collect();
    let draft = EditableGraph::new(points, &links, Vec::new()).expect("a graph");
    let graph = GraphSource { draft, width_m: 0.3, ..GraphSource::default() };
    let square = MapFrame { cell_size_m: 1.0, width: 8, depth: 8, ..MapFrame::default() };
    vec![
        ("grid", CellMap::from_grid(&grid).expect("a map").into()),
        ("cells", of_frame(square)),
        ("squares", tiles(Layout::Square8)),
        ("diamonds", tiles(Layout::StaggeredRows(Stagger::Odd))),
        ("hexagons", tiles(Layout::HexPointy(Stagger::Odd))),
        ("mesh", NavMesh::new(&mesh).expect("a map").into()),
        ("graph", PointGraph::new(graph).into()),
    ]
}

/// The same tiles, one of which may not be left towards larger x.
fn one_way_tiles(layout: Layout) -> NavMap {
    let grid = TileGrid { layout, columns: 8, rows: 8, tile_m: [1.0, 1.0], min: [0.0, 0.0], floor_y_m: 0.0 };
    let frame = grid.frame().expect("a frame");
    let mut leave = vec![0; frame.cell_count() as usize];
    leave[3 * 8 + 5] = 1;
    let open = vec![true; leave.len()];
    let factor = vec![1.0; leave.len()];
    let source = CellSource { frame, walkable: open, factor, leave, ..CellSource::default() };
    CellMap::from_cells(&source).expect("a map").into()
}

fn bad_places() -> Vec<Vec3> {
    let bad = [NAN, INF, -INF, 1e30, -1e30];
    bad.iter().flat_map(|&bad| [Vec3::new(bad, 0.0, 2.0), Vec3::new(2.0, 0.0, bad)]).collect()
}

#[test]
fn a_place_of_no_number_is_nowhere_on_every_kind_of_map() {
    let (here, by) = (Vec3::new(2.0, 0.0, 2.0), Traversal::default());
    for (kind, map) in maps() {
        let plan =
            |from: Vec3, to: Vec3| map.plan(&PathQuery::new(from, to, by.clone()), &mut Search::default());
        assert_eq!(plan(here, Vec3::new(4.0, 0.0, 2.0)).status, PathStatus::Complete, "{kind}");
        for place in bad_places() {
            assert!(!map.is_walkable(place, &by), "{kind} {place}");
            let mut walls = Vec::new();
            map.footing(&by).walls_near(place, 1.0, &mut walls);
            assert!(walls.is_empty(), "{kind} {place}: {walls:?}");
            assert_eq!(map.locate(place, &by), None, "{kind} {place}");
            for within_m in [0.0, 1.0, 8.0, 1e6, INF, NAN] {
                let near = map.nearest(place, within_m, &by);
                assert!(
                    near.is_none_or(|near| near.point.is_finite()),
                    "{kind} {place} {within_m}: {near:?}"
                );
                assert!(near.is_none() || !place.is_nan(), "{kind} {place} {within_m}: {near:?}");
            }
            assert_eq!(map.start(place, &by), None, "{kind} {place}");
            assert_eq!(map.straight(place, here, &by), None, "{kind} {place}");
            assert_eq!(map.straight(here, place, &by), None, "{kind} {place}");
            assert!(!map.can_climb(here, place, &by) && !map.can_climb(place, here, &by), "{kind} {place}");
            let from = plan(place, here);
            assert!(from.path.points.is_empty() && from.status != PathStatus::Complete, "{kind}: {from:?}");
            let to = plan(here, place);
            assert!(to.status != PathStatus::Complete, "{kind} {place}: {to:?}");
            assert!(to.path.points.iter().all(|point| point.is_finite()), "{kind} {place}: {to:?}");
        }
    }
}

#[test]
fn a_line_ends_at_the_same_place_however_far_beyond_the_map_it_is_to_lead() {
    let (here, by) = (Vec3::new(2.0, 0.0, 2.0), Traversal::default());
    let mut maps = maps();
    for (kind, layout) in
        [("one way, squares", Layout::Square8), ("one way, hexagons", Layout::HexPointy(Stagger::Odd))]
    {
        maps.push((kind, one_way_tiles(layout)));
    }
    for (kind, map) in maps {
        for turn in 0..16u8 {
            let angle = f32::from(turn) * std::f32::consts::TAU / 16.0 + 0.1;
            let way = trig::direction(angle);
            let near = map.sight(here, here + way * 100.0, &by);
            assert!(!near.0 && map.is_walkable(near.1, &by), "{kind} {turn}: {near:?}");
            for far_m in [1e3, 1e5, 1e6, 1e7, 3e7, 1e9] {
                let to = here + way * far_m;
                let far = map.sight(here, to, &by);
                assert!(!far.0 && far.1.distance(near.1) < 0.01, "{kind} {turn} {far_m}: {far:?}, {near:?}");
                assert!(map.slide(here, to, &by).distance(near.1) < 0.01, "{kind} {turn} {far_m}");
                assert_eq!(map.straight(here, to, &by), None, "{kind} {turn} {far_m}");
                assert_eq!(map.straight(to, here, &by), None, "{kind} {turn} {far_m}");
            }
        }
    }
}

#[test]
fn an_asker_counts_areas_within_the_same_bounds_on_every_kind_of_map() {
    let (from, to) = (Vec3::new(2.0, 0.0, 2.0), Vec3::new(6.0, 0.0, 2.0));
    for (kind, map) in maps().into_iter().filter(|(kind, _)| ["grid", "mesh"].contains(kind)) {
        let cost_m = |factor: f32| {
            let by = Traversal { areas: Some([(AreaId(0), Some(factor))].into()), ..Traversal::default() };
            let answer = map.plan(&PathQuery::new(from, to, by), &mut Search::default());
            assert_eq!(answer.status, PathStatus::Complete, "{kind} {factor}");
            answer.path.cost_m
        };
        let (least, most) = (cost_m(*FACTOR_RANGE.start()), cost_m(*FACTOR_RANGE.end()));
        for factor in [-INF, -1.0, 0.0, 1e-30] {
            assert_eq!(cost_m(factor), least, "{kind} {factor}");
        }
        for factor in [101.0, 1e9, 1e38, INF] {
            assert_eq!(cost_m(factor), most, "{kind} {factor}");
        }
        assert_eq!(cost_m(NAN), cost_m(1.0), "{kind}");
    }
}

#[test]
fn the_largest_numbers_of_a_host_overflow_nothing_on_any_kind_of_map() {
    let (here, beyond) = (Vec3::new(2.0, 0.0, 2.0), Vec3::new(-2.0, 0.0, 2.0));
    for (kind, mut map) in maps() {
        map.keep_body_classes(usize::MAX);
        for radius_m in [0.1, 0.2, 0.3] {
            map.prepare(&Traversal { radius_m, ..Traversal::default() });
        }
        map.set_revision(u64::MAX);
        let area = map.add_obstacle(&[], LayerPoint { layer: 0, point: here }, 1.0);
        map.apply(&[NavEdit::Area(AreaEdit { area, available: Some(true), factor: None })]);
        let mut next = map.clone();
        map.set_revision(u64::MAX);
        next.succeed(&map);
        for within_m in [-5.0, 0.0, -INF, NAN] {
            assert_eq!(map.nearest(beyond, within_m, &Traversal::default()), None, "{kind} {within_m}");
        }
    }
    let frame = MapFrame { width: u32::MAX, depth: 2, ..MapFrame::default() };
    assert_eq!(frame.cell_count(), u32::MAX);
    let _ = Rng::stream_after(1, "a", u64::MAX).bits();
    for width_m in [1e5, INF, NAN, -1.0] {
        let draft = EditableGraph::new(vec![here, beyond], &[[0, 1]], Vec::new()).expect("a graph");
        let graph = PointGraph::new(GraphSource { draft, width_m, ..GraphSource::default() });
        assert!((0.0..=WIDTH_MAX_M).contains(&graph.width_m()), "{width_m}");
    }
}

#[test]
fn an_obstacle_of_no_radius_or_no_place_is_the_same_on_every_kind_of_map() {
    let (here, by) = (Vec3::new(2.0, 0.0, 2.0), Traversal::default());
    let (there, away) = (Vec3::new(4.0, 0.0, 2.0), Vec3::new(6.0, 0.0, 2.0));
    let lay = |map: &mut NavMap, point: Vec3, radius_m: f32| -> AreaId {
        let area = map.add_obstacle(&[], LayerPoint { layer: 0, point }, radius_m);
        map.apply(&[NavEdit::Area(AreaEdit { area, available: Some(true), factor: None })]);
        area
    };
    for (kind, plain) in maps() {
        for radius_m in [NAN, -1.0, -INF, 0.0] {
            let (mut map, mut none) = (plain.clone(), plain.clone());
            lay(&mut map, there, radius_m);
            lay(&mut none, there, 0.0);
            for place in [here, there, away] {
                let is_open = map.is_walkable(place, &by);
                assert_eq!(is_open, none.is_walkable(place, &by), "{kind} {radius_m} {place}");
            }
            assert!(map.is_walkable(away, &by) && map.is_walkable(here, &by), "{kind} {radius_m}");
        }
        for radius_m in [1e6, 1e30, INF] {
            let mut map = plain.clone();
            lay(&mut map, there, radius_m);
            assert!(
                ![here, there, away].iter().any(|&place| map.is_walkable(place, &by)),
                "{kind} {radius_m}"
            );
        }
        for place in bad_places() {
            let mut map = plain.clone();
            lay(&mut map, place, 1.0);
            assert!(map.is_walkable(there, &by) && map.is_walkable(here, &by), "{kind} {place}");
        }
    }
}

#[test]
fn people_cost_a_plan_no_more_than_the_ground_that_they_stand_on() {
    let by = Traversal::default();
    for (kind, map) in maps() {
        let price = |x: f32, radius_m: f32| {
            map.detour_price(&[Disc { centre: Vec3::new(x, 0.0, 2.0), radius_m }], &by)
        };
        assert!(price(2.0, 0.3) <= 9, "{kind}");
        let most = price(2.0, 0.3).max(map.node_count() as u32);
        for radius_m in [1.0, 100.0, 1e6, 1e30, INF] {
            assert!(price(2.0, radius_m) <= most, "{kind} {radius_m}");
        }
        if kind != "mesh" {
            let far = [(50.0, 1.0), (5000.0, 1000.0), (1e7, 1e5), (NAN, 100.0), (INF, 1.0), (2.0, NAN)];
            assert!(far.iter().all(|&(x, radius_m)| price(x, radius_m) == 0), "{kind}");
        }
    }
}

#[test]
fn no_reach_is_too_odd_to_ask_whether_ground_is_open() {
    let (here, by) = (Vec3::new(2.0, 0.0, 2.0), Traversal::default());
    for (kind, map) in maps() {
        for reach_m in [-INF, -1e30, -1.0, NAN, INF, 1e30] {
            let _ = map.footing(&by).is_open(here, reach_m);
            assert!(!map.footing(&by).is_open(here, INF), "{kind}");
        }
    }
}
