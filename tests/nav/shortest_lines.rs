//! How short paths over cells are: beside greedy string pulling over all cells, and beside the shortest line there is.
//!
//! Oracles: lines are tested against every cell near them in whole numbers; the shortest line comes from all corners of all walls.

use walkon::base::rng::Rng;
use walkon::nav::cells::{AreaShape, CellMap, CellSource, GridSource, Layout, MapFrame, Stagger, TileGrid};
use walkon::nav::{Accept, NavMap, PathQuery, PathStatus, Search, Traversal};

const SIDE: i64 = 32;

/// A field of squares, and which of them are open.
struct Field {
    open: Vec<bool>,
}

impl Field {
    fn is_open(&self, x: i64, z: i64) -> bool {
        (0..SIDE).contains(&x) && (0..SIDE).contains(&z) && self.open[(z * SIDE + x) as usize]
    }

    /// Whether the line between the middles of two cells touches open cells only.
    fn sees(&self, from: (i64, i64), to: (i64, i64)) -> bool {
        // Twice as fine, so that middles are whole numbers.
        let ends = [from, to].map(|(x, z)| (2 * x + 1, 2 * z + 1));
        let touches = |x: i64, z: i64| {
            let side = |(px, pz): (i64, i64)| {
                (ends[1].0 - ends[0].0) * (pz - ends[0].1) - (ends[1].1 - ends[0].1) * (px - ends[0].0)
            };
            let corners = [(0, 0), (2, 0), (0, 2), (2, 2)].map(|(dx, dz)| side((2 * x + dx, 2 * z + dz)));
            corners.iter().any(|at| *at >= 0) && corners.iter().any(|at| *at <= 0)
        };
        let (first_x, last_x) = (from.0.min(to.0), from.0.max(to.0));
        let (first_z, last_z) = (from.1.min(to.1), from.1.max(to.1));
        // A line along an axis keeps to the middles of its row; others touch no more than the cells around them.
        (first_z..=last_z).all(|z| (first_x..=last_x).all(|x| self.is_open(x, z) || !touches(x, z)))
    }

    /// The length of the line that takes the furthest cell in line of sight from each.
    fn greedy(&self, cells: &[(i64, i64)]) -> f64 {
        let (mut at, mut length) = (0, 0.0);
        while at + 1 < cells.len() {
            let next =
                (at + 2..cells.len()).rev().find(|&to| self.sees(cells[at], cells[to])).unwrap_or(at + 1);
            length += away(cells[at], cells[next]);
            at = next;
        }
        length
    }

    /// The length of the shortest line over middles of cells.
    fn shortest(&self, from: (i64, i64), to: (i64, i64)) -> f64 {
        let mut places = vec![from, to];
        for (x, z) in (0..SIDE).flat_map(|z| (0..SIDE).map(move |x| (x, z))) {
            let is_corner = |(dx, dz): (i64, i64)| {
                !self.is_open(x + dx, z + dz) && self.is_open(x + dx, z) && self.is_open(x, z + dz)
            };
            if self.is_open(x, z) && [(1, 1), (1, -1), (-1, 1), (-1, -1)].into_iter().any(is_corner) {
                places.push((x, z));
            }
        }
        let mut length = vec![f64::INFINITY; places.len()];
        let mut left: Vec<usize> = (0..places.len()).collect();
        length[0] = 0.0;
        while let Some(nth) = (0..left.len()).min_by(|a, b| length[left[*a]].total_cmp(&length[left[*b]])) {
            let here = left.swap_remove(nth);
            if here == 1 {
                break;
            }
            for &there in &left {
                let through = length[here] + away(places[here], places[there]);
                if through < length[there] && self.sees(places[here], places[there]) {
                    length[there] = through;
                }
            }
        }
        length[1]
    }
}

fn away(from: (i64, i64), to: (i64, i64)) -> f64 {
    ((from.0 - to.0) as f64).hypot((from.1 - to.1) as f64)
}

/// Scattered cells, boxes, or rooms with doors.
fn field(kind: u32, rng: &mut Rng) -> Field {
    let mut open = vec![true; (SIDE * SIDE) as usize];
    let side = SIDE as u32;
    let mut below = |count: u32| rng.below(u64::from(count)) as u32;
    let mut set = |x: u32, z: u32, is_open: bool| {
        if x < side && z < side {
            open[(z * side + x) as usize] = is_open;
        }
    };
    match kind {
        0 => (0..side * side / 12).for_each(|_| set(below(side), below(side), false)),
        1 => {
            for _ in 0..12 {
                let (x, z, width, depth) = (below(side), below(side), 1 + below(7), 1 + below(7));
                (x..x + width).for_each(|x| (z..z + depth).for_each(|z| set(x, z, false)));
            }
        }
        _ => {
            for wall in (7..side).step_by(9) {
                (0..side).for_each(|at| {
                    set(at, wall, false);
                    set(wall, at, false);
                });
            }
            for wall in (7..side).step_by(9) {
                for room in (0..side).step_by(9) {
                    let [first, second] = [below(5), below(5)];
                    (0..2).for_each(|by| {
                        set(room + first + by, wall, true);
                        set(wall, room + second + by, true);
                    });
                }
            }
        }
    }
    Field { open }
}

fn asked(nav: &NavMap, ends: [glam::Vec3; 2]) -> PathQuery {
    assert!(nav.node_count() > 0);
    PathQuery {
        start: ends[0],
        goal: ends[1],
        by: Traversal::default(),
        accept: Accept::Exact,
        goal_layer: None,
        expansions_max: u32::MAX,
        others: None,
    }
}

#[test]
fn paths_are_no_longer_than_greedy_ones_and_near_the_shortest() {
    let mut rng = Rng::stream(15, "taut paths");
    let mut search = Search::default();
    let (mut sum, mut count) = (0.0, 0);
    for round in 0..60 {
        let field = field(round % 3, &mut rng);
        let frame =
            MapFrame { cell_size_m: 1.0, width: SIDE as u32, depth: SIDE as u32, ..MapFrame::default() };
        let source = CellSource { frame, walkable: field.open.clone(), ..CellSource::default() };
        let nav = NavMap::from(CellMap::from_cells(&source).unwrap());
        for _ in 0..6 {
            let mut cell = || (rng.below(SIDE as u64) as u32, rng.below(SIDE as u64) as u32);
            let ends = [cell(), cell()];
            let query = asked(&nav, ends.map(|(x, z)| frame.on_floor(frame.centre(x, z))));
            let (answer, record) = nav.plan_recorded(&query, &mut search);
            let is_open = ends.iter().all(|&(x, z)| field.is_open(i64::from(x), i64::from(z)));
            if answer.status != PathStatus::Complete || ends[0] == ends[1] || !is_open {
                continue;
            }
            let cells: Vec<(i64, i64)> =
                record.raw.iter().map(|node| (i64::from(node.0) % SIDE, i64::from(node.0) / SIDE)).collect();
            let length = f64::from(answer.path.length_m);
            let greedy = field.greedy(&cells);
            assert!(length <= greedy + 1e-4, "round {round}, {ends:?}: {length} m, greedy {greedy} m");
            let [from, to] = ends.map(|(x, z)| (i64::from(x), i64::from(z)));
            sum += length / field.shortest(from, to) - 1.0;
            count += 1;
        }
    }
    assert!(count > 200, "{count} queries had an answer");
    let mean = sum / f64::from(count);
    assert!(mean <= 0.005, "{:.2} % over the shortest line in the mean of {count}", mean * 100.0);
}

#[test]
fn paths_over_hexagons_are_no_longer_than_greedy_ones() {
    let mut rng = Rng::stream(15, "taut hexagons");
    let mut search = Search::default();
    let mut count = 0;
    for _ in 0..24 {
        let layout = Layout::HexPointy(Stagger::Odd);
        let tile_m = [3.0_f64.sqrt(), 2.0];
        let grid = TileGrid { layout, columns: 32, rows: 32, tile_m, min: [0.0; 2], floor_y_m: 0.0 };
        let frame = grid.frame().unwrap();
        let walkable = (0..frame.cell_count()).map(|_| rng.below(6) != 0).collect();
        let source = CellSource { frame, walkable, ..CellSource::default() };
        let nav = NavMap::from(CellMap::from_cells(&source).unwrap());
        for _ in 0..10 {
            let mut cell = || {
                let id = rng.below(u64::from(frame.cell_count())) as u32;
                frame.on_floor(frame.centre(id % frame.width, id / frame.width))
            };
            let ends = [cell(), cell()];
            let query = asked(&nav, ends);
            let (answer, record) = nav.plan_recorded(&query, &mut search);
            let is_open = nav.is_walkable(ends[0], &query.by);
            if answer.status != PathStatus::Complete || record.raw.len() < 2 || !is_open {
                continue;
            }
            let middles: Vec<glam::Vec3> = record
                .raw
                .iter()
                .map(|node| frame.on_floor(frame.centre(node.0 % frame.width, node.0 / frame.width)))
                .collect();
            let (mut at, mut greedy) = (0, 0.0);
            while at + 1 < middles.len() {
                let sees = |to: &usize| nav.sight(middles[at], middles[*to], &query.by).0;
                let next = (at + 2..middles.len()).rev().find(sees).unwrap_or(at + 1);
                greedy += middles[at].distance(middles[next]);
                at = next;
            }
            let length = answer.path.length_m;
            assert!(length <= greedy + 1e-4, "{length} m, greedy {greedy} m");
            count += 1;
        }
    }
    assert!(count > 50, "{count} queries had an answer");
}

#[test]
fn a_goal_in_line_of_sight_costs_one_expansion_however_large_the_map() {
    let frame = MapFrame { cell_size_m: 0.4, width: 512, depth: 512, ..MapFrame::default() };
    let source = CellSource { frame, walkable: vec![true; 512 * 512], ..CellSource::default() };
    let nav = NavMap::from(CellMap::from_cells(&source).unwrap());
    let mut search = Search::for_map(&nav);
    let at = |x: u32, z: u32| frame.on_floor(frame.centre(x, z));
    for goal in [(205, 202), (196, 200), (200, 460), (3, 7)] {
        let answer = nav.plan(&asked(&nav, [at(200, 200), at(goal.0, goal.1)]), &mut search);
        assert_eq!(answer.path.points, [at(200, 200), at(goal.0, goal.1)]);
        assert_eq!(answer.expansions, 1);
    }
}

fn ground(polygon: Vec<[f64; 2]>) -> AreaShape {
    AreaShape { polygon, available: true, factor: 1.0 }
}

#[test]
fn ground_reaches_as_far_on_both_sides_however_its_edges_round() {
    for size in [0.3, 0.4, 0.35] {
        let corners = vec![[0.0, 0.0], [24.0, 0.0], [24.0, 6.0], [0.0, 6.0]];
        let area = ground(corners);
        let source = GridSource {
            cell_size_m: size,
            agent_radius_m: 0.35,
            areas: vec![area],
            ..GridSource::default()
        };
        let map = CellMap::from_grid(&source).unwrap();
        let frame = *map.frame();
        for z in 0..frame.depth {
            for x in 0..frame.width {
                let centre = frame.centre(x, z);
                let beyond = [centre[0] - 24.0, -centre[0], centre[1] - 6.0, -centre[1]];
                let outside = beyond.into_iter().fold(f64::NEG_INFINITY, f64::max);
                assert_eq!(map.walkable(x, z), outside < 1e-9, "{centre:?} at cells of {size} m");
            }
        }
    }
}

#[test]
fn no_middle_falls_between_two_areas_that_share_a_slanted_edge() {
    let mut rng = Rng::stream(6, "shared edges");
    for _ in 0..60 {
        let mut tenths = || rng.below(100) as f64 * 0.06;
        let (low, high) = ([tenths(), 0.0], [tenths(), 6.0]);
        let area = |corners: [[f64; 2]; 4]| ground(corners.to_vec());
        let left = area([[-0.5, 0.0], low, high, [-0.5, 6.0]]);
        let right = area([low, [6.5, 0.0], [6.5, 6.0], high]);
        let source = GridSource { cell_size_m: 0.3, areas: vec![left, right], ..GridSource::default() };
        let map = CellMap::from_grid(&source).unwrap();
        let frame = *map.frame();
        for (x, z) in (0..frame.depth).flat_map(|z| (0..frame.width).map(move |x| (x, z))) {
            let [at_x, at_z] = frame.centre(x, z);
            let is_within = (-0.5..=6.5).contains(&at_x) && (0.0..=6.0).contains(&at_z);
            assert!(!is_within || map.walkable(x, z), "({at_x}, {at_z}) between {low:?} and {high:?}");
        }
    }
}
