//! The laws of every layout: labels, bodies that are wide, those in the way, edits, whole plans; against
//! oracles that know tiles by the distance of their centres and by their corners alone.

use std::sync::Arc;

use glam::Vec3;

use crate::base::geom::{self, Point, Segment};
use crate::base::ids::AreaId;
use crate::base::rng::Rng;
use crate::nav::cells::{Bits, CellArea, CellMap, CellSource, FACTOR_ONE, Layout, MapFrame, TileGrid};
use crate::nav::{
    Accept, AreaEdit, Backend, Disc, NavEdit, NavMap, PathAnswer, PathFailure, PathQuery, PathStatus,
    RandomPoint, Reach, Search, Traversal,
};

/// A random map of tiles.
struct World {
    frame: MapFrame,
    source: CellSource,
    map: NavMap,
}

fn world(rng: &mut Rng, layout: Layout, open: f64, areas: usize) -> World {
    let tile_m = [[1.0, 1.0], [2.0, 1.2], [1.1, 1.9], [2.0, 4.0 / 3.0_f64.sqrt()]][rng.below(4) as usize];
    let (columns, rows) = (3 + rng.below(8) as u32, 3 + rng.below(8) as u32);
    let min = [rng.float(-20.0, 20.0), rng.float(-20.0, 20.0)];
    let frame = TileGrid { layout, columns, rows, tile_m, min, floor_y_m: 0.25 }.frame().unwrap();
    let count = frame.cell_count() as usize;
    let kinds = [1.0, 1.0, 1.2, 1.5, 2.0, 0.8, 1.3, 1.1];
    let weighted = rng.chance(0.6);
    let source = CellSource {
        frame,
        agent_radius_m: 0.2,
        walkable: (0..count).map(|_| rng.chance(open)).collect(),
        factor: if weighted {
            (0..count).map(|_| kinds[rng.below(8) as usize]).collect()
        } else {
            Vec::new()
        },
        area: (0..count)
            .map(|_| if rng.chance(0.25) { rng.below(areas as u64 + 1) as u16 } else { 0 })
            .collect(),
        areas: (0..areas).map(|_| CellArea { available: rng.chance(0.6), factor: 1.0 }).collect(),
        ..CellSource::default()
    };
    let map = CellMap::from_cells(&source).unwrap().with_landmarks_anywhere().into();
    World { frame, source, map }
}

impl World {
    fn cells(&self) -> &CellMap {
        self.map.cells().unwrap()
    }

    fn tiles(&self) -> Vec<[u32; 2]> {
        let [columns, rows] = self.frame.tile_count();
        (0..rows).flat_map(|row| (0..columns).map(move |column| [column, row])).collect()
    }

    fn centre(&self, tile: [u32; 2]) -> Point {
        self.frame.tile_centre(tile).unwrap()
    }

    fn place(&self, tile: [u32; 2]) -> Vec3 {
        self.frame.on_floor(self.centre(tile))
    }

    fn outline(&self, tile: [u32; 2]) -> Vec<Point> {
        let (x, z) = self.frame.cell_of_tile(tile).unwrap();
        let mut corners = Vec::new();
        self.frame.outline(x, z, &mut corners);
        corners
    }

    /// Whether a tile can be walked on, by the source.
    fn is_open(&self, tile: [u32; 2]) -> bool {
        let (x, z) = self.frame.cell_of_tile(tile).unwrap();
        let at = (z * self.frame.width + x) as usize;
        let area = self.source.area[at];
        self.source.walkable[at] && (area == 0 || self.source.areas[usize::from(area) - 1].available)
    }

    /// Whether two tiles share an edge: two corners.
    fn share_an_edge(&self, a: [u32; 2], b: [u32; 2]) -> bool {
        let (a, b) = (self.outline(a), self.outline(b));
        let shared =
            |corner: &&Point| b.iter().any(|other| (0..2).all(|i| (other[i] - corner[i]).abs() < 1e-6));
        a.iter().filter(shared).count() == 2
    }

    /// Numbers by flood fill over edges, by tile in order; None for those that cannot be walked on.
    fn flood(&self, open: impl Fn([u32; 2]) -> bool) -> Vec<Option<usize>> {
        let tiles = self.tiles();
        let mut number = vec![None; tiles.len()];
        for start in 0..tiles.len() {
            if number[start].is_some() || !open(tiles[start]) {
                continue;
            }
            let mut waiting = vec![start];
            number[start] = Some(start);
            while let Some(at) = waiting.pop() {
                for next in 0..tiles.len() {
                    if number[next].is_none()
                        && open(tiles[next])
                        && self.share_an_edge(tiles[at], tiles[next])
                    {
                        number[next] = Some(start);
                        waiting.push(next);
                    }
                }
            }
        }
        number
    }

    fn plan(&self, from: Vec3, to: Vec3, by: &Traversal, others: Option<Vec<Disc>>) -> PathAnswer {
        let query = PathQuery {
            start: from,
            goal: to,
            by: by.clone(),
            goal_layer: None,
            accept: Accept::Nearest,
            expansions_max: u32::MAX,
            others: others.map(Arc::from),
        };
        self.map.plan(&query, &mut Search::default())
    }
}

#[test]
fn labels_are_those_of_a_flood_over_shared_edges_on_every_layout() {
    let mut rng = Rng::stream(1, "shapes");
    for round in 0..12 {
        for layout in Layout::ALL {
            let world = world(&mut rng, layout, 0.6, 2);
            let (tiles, by) = (world.tiles(), Traversal::default());
            let number = world.flood(|tile| world.is_open(tile));
            for _ in 0..40 {
                let [a, b] = [0, 1].map(|_| rng.below(tiles.len() as u64) as usize);
                let reach = world.map.reach(world.place(tiles[a]), world.place(tiles[b]), &by);
                if number[a].is_some() {
                    let expected = number[a] == number[b];
                    assert_eq!(
                        reach == Reach::Yes,
                        expected,
                        "{round} {layout:?} {:?} {:?}",
                        tiles[a],
                        tiles[b]
                    );
                }
            }
            let islands: std::collections::BTreeSet<usize> = number.iter().copied().flatten().collect();
            assert_eq!(world.map.islands().len(), islands.len(), "{round} {layout:?}");
        }
    }
}

#[test]
fn plans_reach_what_can_be_reached_and_end_nearest_to_what_cannot_on_every_layout() {
    let mut rng = Rng::stream(2, "shapes");
    let (mut whole, mut partial) = (0, 0);
    for round in 0..10 {
        for layout in Layout::ALL {
            let world = world(&mut rng, layout, 0.7, 1);
            let (tiles, by) = (world.tiles(), Traversal::default());
            let number = world.flood(|tile| world.is_open(tile));
            for _ in 0..12 {
                let [a, b] = [0, 1].map(|_| rng.below(tiles.len() as u64) as usize);
                if number[a].is_none() {
                    continue;
                }
                let label =
                    format!("{round} {layout:?} {:?} to {:?} on {:?}", tiles[a], tiles[b], world.frame);
                let (from, to) = (world.place(tiles[a]), world.place(tiles[b]));
                let answer = world.plan(from, to, &by, None);
                let points = &answer.path.points;
                assert_eq!(points[0], from, "seed:O7 {label}");
                // Every segment over tiles that can be walked on, sampled.
                for pair in points.windows(2) {
                    assert!(world.map.straight(pair[0], pair[1], &by).is_some(), "{label}");
                    for part in 0..=50 {
                        let place = pair[0].lerp(pair[1], part as f32 / 50.0);
                        // A line through a corner may be a hair beside it in single precision.
                        let beside = [(0.0, 0.0), (1e-3, 1e-3), (1e-3, -1e-3), (-1e-3, 1e-3), (-1e-3, -1e-3)];
                        let mut beside = beside.into_iter().map(|(dx, dz)| place + Vec3::new(dx, 0.0, dz));
                        assert!(beside.any(|place| world.map.is_walkable(place, &by)), "{label}: {place}");
                    }
                }
                let end = points[points.len() - 1];
                if number[a] == number[b] {
                    whole += 1;
                    assert_eq!((answer.status, end), (PathStatus::Complete, to), "{label}");
                } else {
                    partial += 1;
                    assert_eq!(answer.status, PathStatus::Partial, "{label}");
                    let away = |tile: [u32; 2]| {
                        let centre = world.centre(tile);
                        let to = world.centre(tiles[b]);
                        ((centre[0] - to[0]).powi(2) + (centre[1] - to[1]).powi(2)).sqrt()
                    };
                    let nearest =
                        (0..tiles.len()).filter(|&at| number[at] == number[a]).map(|at| away(tiles[at]));
                    let nearest = nearest.fold(f64::INFINITY, f64::min);
                    let reached = geom::ground(end);
                    let goal = geom::ground(to);
                    let left = ((reached[0] - goal[0]).powi(2) + (reached[1] - goal[1]).powi(2)).sqrt();
                    assert!((left - nearest).abs() < 1e-4, "{label}: {left} m left, expected {nearest}");
                }
            }
        }
    }
    assert!(whole > 200 && partial > 100, "{whole} whole, {partial} partial");
}

#[test]
fn seed_x2_smoothed_paths_are_no_dearer_than_the_way_through_the_centres() {
    let mut rng = Rng::stream(3, "shapes");
    let mut shorter = 0;
    for round in 0..14 {
        for layout in Layout::ALL {
            let world = world(&mut rng, layout, 0.85, 0);
            let (tiles, by) = (world.tiles(), Traversal::default());
            for _ in 0..10 {
                let [a, b] = [0, 1].map(|_| tiles[rng.below(tiles.len() as u64) as usize]);
                if !world.is_open(a) || !world.is_open(b) {
                    continue;
                }
                let query = PathQuery {
                    start: world.place(a),
                    goal: world.place(b),
                    by: by.clone(),
                    goal_layer: None,
                    accept: Accept::Exact,
                    expansions_max: u32::MAX,
                    others: None,
                };
                let (answer, record) = world.map.plan_recorded(&query, &mut Search::default());
                if answer.status != PathStatus::Complete || record.raw.len() < 2 {
                    continue;
                }
                let label = format!("{round} {layout:?} {a:?} to {b:?} on {:?}", world.frame);
                let cell = |id: u32| (id % world.frame.width, id / world.frame.width);
                let centres: Vec<Point> = record
                    .raw
                    .iter()
                    .map(|node| cell(node.0))
                    .map(|(x, z)| world.frame.centre(x, z))
                    .collect();
                // Half of each step in either tile: what walking it costs, against half of both in the tile
                // entered.
                let walked = sampled_cost(&world, &centres);
                let points: Vec<Point> =
                    answer.path.points.iter().map(|point| geom::ground(*point)).collect();
                let smoothed = sampled_cost(&world, &points);
                assert!(smoothed[0] <= walked[1] * 1.003 + 0.02, "{label}: {smoothed:?} after {walked:?}");
                let told = f64::from(answer.path.cost_m);
                let slack = 0.01 * told + 0.03;
                assert!(
                    smoothed[0] - slack < told && told < smoothed[1] + slack,
                    "{label}: {smoothed:?}, told {told}"
                );
                shorter += u32::from(smoothed[1] < walked[0] - 0.01);
            }
        }
    }
    assert!(shorter > 100, "{shorter} became shorter");
}

/// What a way of straight lines costs at least and at most, sampled: metres times the factor of the tile that
/// holds the sample. Along an edge it may be either side's.
fn sampled_cost(world: &World, points: &[Point]) -> [f64; 2] {
    let mut costs = [0.0; 2];
    for pair in points.windows(2) {
        let way = [pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]];
        let length_m = (way[0] * way[0] + way[1] * way[1]).sqrt().max(1e-9);
        let count = 400;
        for at in 0..count {
            let part = (f64::from(at) + 0.5) / f64::from(count);
            let factor = |side: f64| {
                let [dx, dz] = [-way[1] / length_m * side, way[0] / length_m * side];
                let point = [pair[0][0] + part * way[0] + dx, pair[0][1] + part * way[1] + dz];
                world.frame.cell_in(point).map(|(x, z)| f64::from(world.cells().factor_at(x, z)))
            };
            let [left, right] = [factor(1e-3), factor(-1e-3)];
            let (left, right) = (left.or(right).unwrap_or(1.0), right.or(left).unwrap_or(1.0));
            costs[0] += left.min(right) * length_m / f64::from(count);
            costs[1] += left.max(right) * length_m / f64::from(count);
        }
    }
    costs
}

/// From a point to the nearest of a tile, metres.
fn away_m(corners: &[Point], point: Point) -> f64 {
    if geom::polygon_contains(corners, point) {
        return 0.0;
    }
    geom::edges(corners)
        .map(|Segment { from: a, to: b }| geom::segment_distance_sq(point, a, b))
        .fold(f64::INFINITY, f64::min)
        .sqrt()
}

#[test]
fn wide_bodies_stand_where_no_blocked_tile_is_nearer_than_their_radius_on_every_layout() {
    let mut rng = Rng::stream(4, "shapes");
    let mut narrow = 0;
    for round in 0..8 {
        for layout in Layout::ALL {
            let mut world = world(&mut rng, layout, 0.93, 1);
            let by = Traversal { radius_m: rng.float(0.25, 1.6) as f32, ..Traversal::default() };
            if rng.chance(0.5) {
                world.map.prepare(&by);
            }
            let needed = f64::from(by.radius_m) - world.source.agent_radius_m;
            let bounds = world.frame.bounds();
            for tile in world.tiles() {
                let centre = world.centre(tile);
                let blocked: Vec<f64> = world
                    .tiles()
                    .into_iter()
                    .filter(|&other| !world.is_open(other))
                    .map(|other| away_m(&world.outline(other), centre))
                    .collect();
                // What lies beyond the map is blocked as well: tiles that are missing around it.
                let nearest = blocked.into_iter().fold(f64::INFINITY, f64::min);
                let inside = (0..2).all(|axis| {
                    centre[axis] - bounds.min[axis] > needed + 3.0
                        && bounds.max[axis] - centre[axis] > needed + 3.0
                });
                let expected = nearest > needed - 1e-4;
                let stands = world.map.is_walkable(world.place(tile), &by);
                let label =
                    format!("{round} {layout:?} {tile:?} radius {} on {:?}", by.radius_m, world.frame);
                if (nearest - (needed - 1e-4)).abs() > 1e-9 {
                    assert!(!stands || expected, "{label}: {nearest} m");
                    assert!(!inside || stands == expected, "{label}: {nearest} m");
                }
                narrow += u32::from(world.is_open(tile) && !stands);
            }
        }
    }
    assert!(narrow > 300, "{narrow} tiles were too narrow");
}

#[test]
fn wide_bodies_keep_off_the_edge_of_the_map_by_its_missing_tiles() {
    for layout in Layout::ALL {
        let grid =
            TileGrid { layout, columns: 9, rows: 9, tile_m: [1.0, 1.0], min: [0.0; 2], floor_y_m: 0.0 };
        let frame = grid.frame().unwrap();
        let walkable = vec![true; frame.cell_count() as usize];
        let map = CellMap::from_cells(&CellSource { frame, walkable, ..CellSource::default() }).unwrap();
        let wide = Traversal { radius_m: 0.8, ..Traversal::default() };
        let stands = |tile| map.is_walkable(frame.on_floor(frame.tile_centre(tile).unwrap()), &wide);
        assert!(stands([4, 4]) && !stands([0, 0]) && !stands([8, 8]) && !stands([0, 8]), "{layout:?}");
    }
}

#[test]
fn those_in_the_way_block_the_tiles_they_reach_into_on_every_layout() {
    let mut rng = Rng::stream(5, "shapes");
    let mut around = 0;
    for round in 0..8 {
        for layout in Layout::ALL {
            let world = world(&mut rng, layout, 0.9, 0);
            let (tiles, by) = (world.tiles(), Traversal::default());
            let bounds = world.frame.bounds();
            let disc = |rng: &mut Rng| {
                let centre = [0, 1].map(|axis| rng.float(bounds.min[axis], bounds.max[axis]));
                Disc { centre: world.frame.on_floor(centre), radius_m: rng.float(0.05, 0.9) as f32 }
            };
            let discs: Vec<Disc> = (0..3).map(|_| disc(&mut rng)).collect();
            let is_occupied = |tile: [u32; 2]| {
                let corners = world.outline(tile);
                let away = discs
                    .iter()
                    .map(|disc| away_m(&corners, geom::ground(disc.centre)) - f64::from(disc.radius_m));
                away.fold(f64::INFINITY, f64::min)
            };
            for &tile in &tiles {
                let (x, z) = world.frame.cell_of_tile(tile).unwrap();
                let (found, away) = (world.cells().is_occupied(x, z, &discs), is_occupied(tile));
                if away.abs() > 1e-4 {
                    assert_eq!(found, away < 0.0, "{round} {layout:?} {tile:?}: {away}");
                }
            }
            let free = |tile| world.is_open(tile) && is_occupied(tile) > 0.0;
            let number = world.flood(free);
            for _ in 0..8 {
                let [a, b] = [0, 1].map(|_| rng.below(tiles.len() as u64) as usize);
                if !free(tiles[a]) || !free(tiles[b]) {
                    continue;
                }
                let label =
                    format!("{round} {layout:?} {:?} to {:?} on {:?}", tiles[a], tiles[b], world.frame);
                let answer =
                    world.plan(world.place(tiles[a]), world.place(tiles[b]), &by, Some(discs.clone()));
                if number[a] == number[b] {
                    assert_eq!(
                        (answer.status, answer.others),
                        (PathStatus::Complete, crate::nav::Others::Avoided),
                        "{label}"
                    );
                    for pair in answer.path.points.windows(2) {
                        assert!(world.map.is_clear_of(pair[0], pair[1], &by, &discs), "{label}");
                        for part in 0..=40 {
                            let place = geom::ground(pair[0].lerp(pair[1], part as f32 / 40.0));
                            let within = |disc: &Disc| {
                                let centre = geom::ground(disc.centre);
                                let (dx, dz) = (place[0] - centre[0], place[1] - centre[1]);
                                (dx * dx + dz * dz).sqrt() < f64::from(disc.radius_m) - 1e-4
                            };
                            assert!(!discs.iter().any(within), "{label}: {place:?}");
                        }
                    }
                    around += 1;
                }
            }
        }
    }
    assert!(around > 100, "{around} ways led around others");
}

#[test]
fn edits_and_their_undoing_give_the_same_map_on_every_layout() {
    let mut rng = Rng::stream(6, "shapes");
    for round in 0..10 {
        for layout in Layout::ALL {
            let mut world = world(&mut rng, layout, 0.8, 4);
            let wide = Traversal { radius_m: 0.9, ..Traversal::default() };
            let doors: Vec<(AreaId, f32)> = (0..2).map(|area| (AreaId(area), 1.0)).collect();
            let through = Traversal { through: Some(Arc::from(doors)), ..Traversal::default() };
            world.map.prepare(&wide);
            world.map.prepare(&through);
            let before = world.cells().derived();
            for _ in 0..6 {
                let edits: Vec<NavEdit> = (0..1 + rng.below(3))
                    .map(|_| {
                        NavEdit::Area(AreaEdit {
                            area: AreaId(rng.below(4) as u32),
                            available: Some(rng.chance(0.5)),
                            factor: rng.chance(0.3).then(|| [1.0, 1.5, 4.0][rng.below(3) as usize]),
                        })
                    })
                    .collect();
                for edit in &edits {
                    let NavEdit::Area(edit) = edit else { continue };
                    let area = &mut world.source.areas[edit.area.index()];
                    area.available = edit.available.unwrap_or(area.available);
                    area.factor = edit.factor.unwrap_or(area.factor);
                }
                world.map.apply(&edits);
                let mut fresh = NavMap::from(CellMap::from_cells(&world.source).unwrap());
                fresh.prepare(&wide);
                fresh.prepare(&through);
                let tiles = world.tiles();
                for _ in 0..10 {
                    let [a, b] = [0, 1].map(|_| world.place(tiles[rng.below(tiles.len() as u64) as usize]));
                    for by in [&wide, &through] {
                        assert_eq!(world.map.reach(a, b, by), fresh.reach(a, b, by), "{round} {layout:?}");
                    }
                }
            }
            let undo: Vec<NavEdit> = (0..4)
                .map(|area| {
                    let first = before_of(&world, area);
                    NavEdit::Area(AreaEdit {
                        area: AreaId(area),
                        available: Some(first.0),
                        factor: Some(first.1),
                    })
                })
                .collect();
            world.map.apply(&undo);
            assert!(world.cells().derived() == before, "{round} {layout:?}");
        }
    }
}

/// How an area was at first.
fn before_of(world: &World, area: u32) -> (bool, f32) {
    world.cells().initial_state(AreaId(area))
}

#[test]
fn doors_join_what_they_open_and_are_named_on_every_layout() {
    let mut rng = Rng::stream(7, "shapes");
    let mut named = 0;
    for round in 0..10 {
        for layout in Layout::ALL {
            let mut world = world(&mut rng, layout, 0.75, 1);
            world.source.areas[0].available = false;
            world.map = CellMap::from_cells(&world.source).unwrap().into();
            let tiles = world.tiles();
            let closed = world.flood(|tile| world.is_open(tile));
            world.source.areas[0].available = true;
            let open = world.flood(|tile| world.is_open(tile));
            let (by, door) = (Traversal::default(), AreaId(0));
            let through = Traversal { through: Some(Arc::from(vec![(door, 2.0)])), ..Traversal::default() };
            for _ in 0..30 {
                let [a, b] = [0, 1].map(|_| rng.below(tiles.len() as u64) as usize);
                if closed[a].is_none() || open[b].is_none() {
                    continue;
                }
                let (from, to) = (world.place(tiles[a]), world.place(tiles[b]));
                let label = format!("{round} {layout:?} {:?} {:?}", tiles[a], tiles[b]);
                assert_eq!(world.map.reach(from, to, &through) == Reach::Yes, open[a] == open[b], "{label}");
                if closed[a] != closed[b] && open[a] == open[b] {
                    assert_eq!(world.map.reach(from, to, &by), Reach::No(PathFailure::Area(door)), "{label}");
                    let answer = world.plan(from, to, &through, None);
                    assert_eq!(answer.status, PathStatus::Complete, "{label}");
                    assert!(answer.path.crossings.iter().any(|crossing| crossing.area == door), "{label}");
                    named += 1;
                }
            }
        }
    }
    assert!(named > 100, "{named} ways led through the door");
}

#[test]
fn walls_are_the_edges_between_open_and_blocked_tiles_with_the_ground_to_their_left() {
    let mut rng = Rng::stream(8, "shapes");
    let mut seen = 0;
    for _ in 0..6 {
        for layout in Layout::ALL {
            let world = world(&mut rng, layout, 0.75, 0);
            let (tiles, by) = (world.tiles(), Traversal::default());
            let ground = world.map.footing(&by);
            for _ in 0..20 {
                let tile = tiles[rng.below(tiles.len() as u64) as usize];
                if !world.is_open(tile) {
                    continue;
                }
                let place = world.place(tile);
                let mut walls = Vec::new();
                ground.walls_near(place, 1.0, &mut walls);
                for wall in &walls {
                    let [a, b] = wall.map(|end| [f64::from(end.x), f64::from(end.y)]);
                    let middle = [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0];
                    let length = ((b[0] - a[0]).powi(2) + (b[1] - a[1]).powi(2)).sqrt();
                    let left = [-(b[1] - a[1]) / length * 1e-3, (b[0] - a[0]) / length * 1e-3];
                    let at = |sign: f64| [middle[0] + sign * left[0], middle[1] + sign * left[1]];
                    let is_open =
                        |point: Point| world.frame.tile_at(point).is_some_and(|tile| world.is_open(tile));
                    // Long walls have more than one tile beside their middle's neighbours, all alike.
                    assert!(
                        is_open(at(1.0)) && !is_open(at(-1.0)),
                        "{layout:?} {tile:?}: {wall:?} on {:?}",
                        world.frame
                    );
                    seen += 1;
                }
                // No blocked tile may be nearer than the walls say.
                let blocked = tiles.iter().filter(|&&other| !world.is_open(other));
                let point = geom::ground(place);
                let nearest =
                    blocked.map(|&other| away_m(&world.outline(other), point)).fold(f64::INFINITY, f64::min);
                let to_wall = |wall: &[glam::Vec2; 2]| {
                    let [a, b] = wall.map(|end| [f64::from(end.x), f64::from(end.y)]);
                    geom::segment_distance_sq(point, a, b).sqrt()
                };
                let wall = walls.iter().map(to_wall).fold(f64::INFINITY, f64::min);
                assert!(
                    nearest > 1.0 || wall <= nearest + 1e-4,
                    "{layout:?} {tile:?}: {wall} m, blocked {nearest} m"
                );
                if ground.is_open(place, 1.0) {
                    assert!(nearest >= 1.0 - 1e-6, "{layout:?} {tile:?}: open, but {nearest} m");
                }
            }
        }
    }
    assert!(seen > 500, "{seen} walls");
}

#[test]
fn random_points_of_an_area_fill_its_tiles_evenly() {
    let mut rng = Rng::stream(9, "shapes");
    for layout in Layout::ALL {
        let mut world = world(&mut rng, layout, 1.1, 1);
        world.source.areas[0].available = true;
        world.map = CellMap::from_cells(&world.source).unwrap().into();
        let query = RandomPoint {
            centre: None,
            within_m: 0.0,
            area: Some(AreaId(0)),
            reachable_from: None,
            attempts: 1,
            by: Traversal::default(),
        };
        let Some(first) = world.map.random_point(&query, &mut rng) else { continue };
        assert!(world.map.holds(AreaId(0), first));
        // Averaged over many points, the way from the centre of the tile is none.
        let (mut sum, count) = ([0.0; 2], 3000);
        for _ in 0..count {
            let point = geom::ground(world.map.random_point(&query, &mut rng).unwrap());
            let tile = world.frame.tile_at(point).unwrap();
            let centre = world.centre(tile);
            (0..2)
                .for_each(|axis| sum[axis] += (point[axis] - centre[axis]) / world.frame.tile_size_m()[axis]);
        }
        assert!(sum.iter().all(|sum| (sum / f64::from(count)).abs() < 0.03), "{layout:?}: {sum:?}");
    }
}

#[test]
fn cells_without_a_tile_are_never_walkable() {
    for layout in Layout::ALL {
        let grid =
            TileGrid { layout, columns: 5, rows: 4, tile_m: [1.0, 1.0], min: [0.0; 2], floor_y_m: 0.0 };
        let frame = grid.frame().unwrap();
        let count = frame.cell_count() as usize;
        let source = CellSource {
            frame,
            walkable: vec![true; count],
            area: (0..count).map(|at| (at % 2) as u16).collect(),
            areas: vec![CellArea { available: true, factor: 1.0 }],
            ..CellSource::default()
        };
        let map = CellMap::from_cells(&source).unwrap();
        let bits: &Bits = map.bits();
        assert_eq!(bits.count(), 20, "{layout:?}");
        assert_eq!(map.factor_at(0, 0), f32::from(FACTOR_ONE) / f32::from(FACTOR_ONE));
    }
}
