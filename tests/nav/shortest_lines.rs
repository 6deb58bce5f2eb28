//! How short paths over cells are: beside greedy string pulling over all cells, and beside the shortest line
//! there is.
//!
//! Oracles: lines are tested against every cell near them in whole numbers; the shortest line comes from all
//! corners of all walls.

use walkon_runtime::base::rng::Rng;
use walkon_runtime::glam::Vec3;
use walkon_runtime::nav::cells::{
    AreaShape, CellMap, CellSource, GridSource, Layout, MapFrame, Stagger, TileGrid,
};
use walkon_runtime::nav::{Accept, NavMap, NodeId, PathQuery, PathStatus, Search, Traversal};

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
        self.keeps_to_open(from, to, |corners| {
            corners.iter().any(|at| *at >= 0) && corners.iter().any(|at| *at <= 0)
        })
    }

    /// Whether it leads through open cells only: a middle rounded to single precision lies a hair beside the
    /// corner that is touched.
    fn leads(&self, from: (i64, i64), to: (i64, i64)) -> bool {
        self.keeps_to_open(from, to, |corners| {
            corners.iter().any(|at| *at > 0) && corners.iter().any(|at| *at < 0)
        })
    }

    /// Whether every cell is open that a line meets, by the sides of it on which the corners of the cell lie.
    fn keeps_to_open(&self, from: (i64, i64), to: (i64, i64), meets: impl Fn([i64; 4]) -> bool) -> bool {
        // Twice as fine, so that middles are whole numbers.
        let ends = [from, to].map(|(x, z)| (2 * x + 1, 2 * z + 1));
        let touches = |x: i64, z: i64| {
            let side = |(px, pz): (i64, i64)| {
                (ends[1].0 - ends[0].0) * (pz - ends[0].1) - (ends[1].1 - ends[0].1) * (px - ends[0].0)
            };
            let corners = [(0, 0), (2, 0), (0, 2), (2, 2)].map(|(dx, dz)| side((2 * x + dx, 2 * z + dz)));
            meets(corners)
        };
        let (first_x, last_x) = (from.0.min(to.0), from.0.max(to.0));
        let (first_z, last_z) = (from.1.min(to.1), from.1.max(to.1));
        // A line along an axis keeps to the middles of its row; others touch no more than the cells around
        // them.
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

/// What a metre costs in each cell: plain ground with pools of mire and stretches of road.
fn prices(rng: &mut Rng) -> Vec<f32> {
    let mut prices = vec![1.0; (SIDE * SIDE) as usize];
    for _ in 0..10 {
        let mut below = |count: u64| rng.below(count) as i64;
        let (x, z, width, depth, price) = (below(28), below(28), 1 + below(9), 1 + below(9), below(4));
        for (at_x, at_z) in (x..x + width).flat_map(|x| (z..z + depth).map(move |z| (x, z))) {
            if at_x < SIDE && at_z < SIDE {
                prices[(at_z * SIDE + at_x) as usize] = [0.5, 2.0, 3.0, 8.0][price as usize];
            }
        }
    }
    prices
}

/// What a straight line costs over the ground that it leads over, by its stretches in each row and column of
/// cells.
fn price_of(prices: &[f32], from: [f64; 2], to: [f64; 2]) -> f64 {
    let along = [to[0] - from[0], to[1] - from[1]];
    let mut cuts = vec![0.0, 1.0];
    for axis in 0..2 {
        let lines = (0..=SIDE).map(|line| (line as f64 - from[axis]) / along[axis]);
        cuts.extend(lines.filter(|part| part.is_finite() && (0.0..1.0).contains(part)));
    }
    cuts.sort_by(f64::total_cmp);
    let length = along[0].hypot(along[1]);
    let stretches = cuts.windows(2).map(|pair| {
        let middle = (pair[0] + pair[1]) / 2.0;
        let [x, z] = [0, 1].map(|axis| (from[axis] + middle * along[axis]).floor() as i64);
        (pair[1] - pair[0]) * length * f64::from(prices[(z * SIDE + x) as usize])
    });
    stretches.sum()
}

impl Field {
    /// What the line costs that takes the furthest cell in line of sight from each to which it costs no more
    /// than over the cells between.
    fn greedy_price(&self, cells: &[(i64, i64)], prices: &[f32]) -> f64 {
        let middle = |(x, z): (i64, i64)| [x as f64 + 0.5, z as f64 + 0.5];
        let price = |from: usize, to: usize| price_of(prices, middle(cells[from]), middle(cells[to]));
        let (mut at, mut total) = (0, 0.0);
        while at + 1 < cells.len() {
            let over: Vec<f64> = (at..cells.len() - 1)
                .scan(0.0, |sum, cell| {
                    *sum += price(cell, cell + 1);
                    Some(*sum)
                })
                .collect();
            let may =
                |&to: &usize| self.sees(cells[at], cells[to]) && price(at, to) <= over[to - at - 1] + 1e-6;
            let next = (at + 2..cells.len()).rev().find(may).unwrap_or(at + 1);
            total += price(at, next);
            at = next;
        }
        total
    }
}

/// Cells of a map, which of them are open, and what a metre costs in each.
struct Priced {
    nav: NavMap,
    frame: MapFrame,
    field: Field,
    prices: Vec<f32>,
}

impl Priced {
    /// A field with ground of several prices.
    fn field(kind: u32, rng: &mut Rng) -> Self {
        let (field, prices) = (field(kind, rng), prices(rng));
        let frame =
            MapFrame { cell_size_m: 1.0, width: SIDE as u32, depth: SIDE as u32, ..MapFrame::default() };
        let (walkable, factor) = (field.open.clone(), prices.clone());
        let source = CellSource { frame, walkable, factor, ..CellSource::default() };
        Self { nav: NavMap::from(CellMap::from_cells(&source).unwrap()), frame, field, prices }
    }

    /// Ground with a slanted outer edge, mire in it, and walls kept away from as a body needs.
    fn ground(rng: &mut Rng) -> Self {
        let mut value = |low: f64, high: f64| low + rng.unit() * (high - low);
        let count = 5 + value(0.0, 4.0) as u8;
        let corner = |at: u8, value: &mut dyn FnMut(f64, f64) -> f64| {
            let angle = std::f64::consts::TAU * f64::from(at) / f64::from(count);
            let out = value(2.5, 5.8);
            [6.0 + out * libm::cos(angle), 6.0 + out * libm::sin(angle)]
        };
        let whole: Vec<[f64; 2]> = (0..count).map(|at| corner(at, &mut value)).collect();
        let mut rectangle = |low: f64, high: f64| {
            let (x, z, width, depth) = (value(1.0, 9.0), value(1.0, 9.0), value(low, high), value(low, high));
            vec![[x, z], [x + width, z], [x + width, z + depth], [x, z + depth]]
        };
        let mire = AreaShape { factor: 4.0, ..ground(rectangle(0.8, 4.0)) };
        let source = GridSource {
            agent_radius_m: 0.3,
            boundary_padding_m: 0.3,
            areas: vec![mire, ground(whole)],
            obstacles: (0..3).map(|_| ground(rectangle(0.1, 0.8))).collect(),
            ..GridSource::default()
        };
        let map = CellMap::from_grid(&source).unwrap();
        let frame = *map.frame();
        let cells = || (0..SIDE as u32).flat_map(|z| (0..SIDE as u32).map(move |x| (x, z)));
        let is_there = |(x, z): (u32, u32)| x < frame.width && z < frame.depth;
        let field = Field { open: cells().map(|(x, z)| is_there((x, z)) && map.walkable(x, z)).collect() };
        let price = |(x, z)| if is_there((x, z)) { map.factor_at(x, z) } else { 1.0 };
        let prices = cells().map(price).collect();
        Self { nav: NavMap::from(map), frame, field, prices }
    }

    /// What the path between two cells costs, and what one costs that is pulled greedily; none where there is
    /// none. It is no more expensive than the way from cell to cell, and leads over open cells alone.
    fn ask(&self, ends: [(u32, u32); 2], search: &mut Search) -> Option<(f64, f64)> {
        let query = asked(&self.nav, ends.map(|(x, z)| self.frame.on_floor(self.frame.centre(x, z))));
        let (answer, record) = self.nav.plan_recorded(&query, search);
        let is_open = ends.iter().all(|&(x, z)| self.field.is_open(i64::from(x), i64::from(z)));
        if answer.status != PathStatus::Complete || ends[0] == ends[1] || !is_open {
            return None;
        }
        let width = i64::from(self.frame.width);
        let cell = |node: &NodeId| (i64::from(node.0) % width, i64::from(node.0) / width);
        let cells: Vec<(i64, i64)> = record.raw.iter().map(cell).collect();
        let low = [self.frame.min_x, self.frame.min_z];
        let in_cells = |point: &Vec3| {
            [0, 1].map(|axis| ([point.x, point.z].map(f64::from)[axis] - low[axis]) / self.frame.cell_size_m)
        };
        let places: Vec<[f64; 2]> = answer.path.points.iter().map(in_cells).collect();
        let price = |line: &[[f64; 2]]| -> f64 {
            line.windows(2).map(|pair| price_of(&self.prices, pair[0], pair[1])).sum()
        };
        for pair in places.windows(2) {
            let [from, to] = [pair[0], pair[1]].map(|at| (at[0].floor() as i64, at[1].floor() as i64));
            assert!(self.field.leads(from, to), "{ends:?}: from {from:?} to {to:?}");
        }
        let raw: Vec<[f64; 2]> = cells.iter().map(|&(x, z)| [x as f64 + 0.5, z as f64 + 0.5]).collect();
        let (own, raw) = (price(&places), price(&raw));
        assert!(own <= raw * 1.0001 + 1e-3, "{ends:?}: {own}, from cell to cell {raw}");
        Some((own, self.field.greedy_price(&cells, &self.prices)))
    }
}

#[test]
fn paths_over_dear_and_cheap_ground_are_no_dearer_than_greedy_ones() {
    let mut rng = Rng::stream(16, "taut paths");
    let mut search = Search::default();
    let (mut counts, mut costlier, mut own_sum, mut greedy_sum) = ([0; 2], 0, 0.0, 0.0);
    for round in 0..120 {
        let is_ground = round % 2 == 1;
        let priced =
            if is_ground { Priced::ground(&mut rng) } else { Priced::field(round / 2 % 3, &mut rng) };
        let cells = (0..SIDE as u32).flat_map(|z| (0..SIDE as u32).map(move |x| (x, z)));
        let open: Vec<(u32, u32)> =
            cells.filter(|&(x, z)| priced.field.is_open(i64::from(x), i64::from(z))).collect();
        for _ in 0..if open.is_empty() { 0 } else { 6 } {
            let ends = [(); 2].map(|()| open[rng.below(open.len() as u64) as usize]);
            let Some((price, greedy)) = priced.ask(ends, &mut search) else { continue };
            // One in some hundreds is more expensive by less than half a hundredth.
            assert!(price <= greedy * 1.005, "round {round}, {ends:?}: {price}, greedy {greedy}");
            costlier += u32::from(price > greedy * 1.0001 + 1e-3);
            (own_sum, greedy_sum) = (own_sum + price, greedy_sum + greedy);
            counts[usize::from(is_ground)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 60), "{counts:?} queries had an answer");
    assert!(
        costlier <= 2 && own_sum < greedy_sum,
        "{costlier} of {counts:?}: {own_sum}, greedy {greedy_sum}"
    );
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
