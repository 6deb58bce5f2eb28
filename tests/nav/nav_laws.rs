//! Laws of the search kernels: every one costs what Dijkstra costs, exactly, however it is sliced.
//!
//! Method: all maps of sixteen cells, and random maps of four kinds. Oracles are a Dijkstra on a sorted set,
//! Floyd and Warshall on 16 cells, flood fills and plain loops; they share no code with what they judge.
use std::collections::{BTreeSet, VecDeque};

use walkon_runtime::base::cost::Cost;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::nav::cells::{
    Bits, CellLandmarks, Extra, FACTOR_ONE, SearchStrategy, Unit, WeightedGround,
};
use walkon_runtime::nav::{ConnectedComponents, Ends, NodeId, Search, SearchStep};

const STEPS: [(i32, i32); 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];

/// A map as a plain table: what the oracles read.
#[derive(Clone, Debug)]
pub struct Table {
    pub width: i32,
    pub depth: i32,
    pub free: Vec<bool>,
    pub factor: Vec<u16>,
}

impl Table {
    pub fn blank(width: i32, depth: i32, free: bool) -> Self {
        let cells = (width * depth) as usize;
        Self { width, depth, free: vec![free; cells], factor: vec![FACTOR_ONE; cells] }
    }

    /// Rows of `.` and anything else.
    fn drawn(rows: &[&str]) -> Self {
        let mut table = Self::blank(rows[0].len() as i32, rows.len() as i32, false);
        table.free = rows.iter().flat_map(|row| row.chars().map(|cell| cell == '.')).collect();
        table
    }

    pub fn at(&self, x: i32, z: i32) -> bool {
        (0..self.width).contains(&x) && (0..self.depth).contains(&z) && self.free[self.id(x, z)]
    }

    pub fn id(&self, x: i32, z: i32) -> usize {
        (z * self.width + x) as usize
    }

    pub fn bits(&self) -> Bits {
        let mut bits = Bits::new(self.width as u32, self.depth as u32);
        for z in 0..self.depth {
            for x in 0..self.width {
                bits.set(x as u32, z as u32, self.at(x, z));
            }
        }
        bits
    }

    /// Neighbours of a cell and whether the step is diagonal, from the rule as it is written.
    fn steps(&self, id: usize) -> Vec<(usize, bool)> {
        let (x, z) = (id as i32 % self.width, id as i32 / self.width);
        let legal = |&(dx, dz): &(i32, i32)| {
            self.at(x + dx, z + dz) && (dx == 0 || dz == 0 || self.at(x + dx, z) && self.at(x, z + dz))
        };
        STEPS
            .iter()
            .filter(|step| legal(step))
            .map(|(dx, dz)| (self.id(x + dx, z + dz), dx * dz != 0))
            .collect()
    }

    /// Costs from one cell to all, `u64::MAX` where no way leads; `price` of a step by from, to, diagonal.
    pub fn dijkstra(&self, start: usize, price: impl Fn(usize, usize, bool) -> u64) -> Vec<u64> {
        let mut cost = vec![u64::MAX; self.free.len()];
        let mut waiting = BTreeSet::from([(0, start)]);
        cost[start] = 0;
        while let Some((so_far, id)) = waiting.pop_first() {
            for (to, diagonal) in self.steps(id) {
                let total = so_far + price(id, to, diagonal);
                if total < cost[to] {
                    waiting.remove(&(cost[to], to));
                    cost[to] = total;
                    waiting.insert((total, to));
                }
            }
        }
        cost
    }

    /// The price of a step by the rule: length times the factor of the cell entered, rounded.
    pub fn price(&self, unit: Unit) -> impl Fn(usize, usize, bool) -> u64 + '_ {
        move |_, to, diagonal| {
            let length = u64::from(if diagonal { unit.diagonal } else { unit.straight });
            (length * u64::from(self.factor[to]) + 250) / 500
        }
    }

    /// A number per component, by flooding over the four sides.
    fn flood(&self) -> Vec<Option<u32>> {
        let mut label = vec![None; self.free.len()];
        let mut next = 0;
        for start in 0..self.free.len() {
            if !self.free[start] || label[start].is_some() {
                continue;
            }
            let mut waiting = VecDeque::from([start]);
            label[start] = Some(next);
            while let Some(id) = waiting.pop_front() {
                let (x, z) = (id as i32 % self.width, id as i32 / self.width);
                for (dx, dz) in &STEPS[..4] {
                    if self.at(x + dx, z + dz) && label[self.id(x + dx, z + dz)].is_none() {
                        label[self.id(x + dx, z + dz)] = Some(next);
                        waiting.push_back(self.id(x + dx, z + dz));
                    }
                }
            }
            next += 1;
        }
        label
    }

    pub fn some_free(&self, rng: &mut Rng) -> Option<usize> {
        let free: Vec<usize> = (0..self.free.len()).filter(|&id| self.free[id]).collect();
        (!free.is_empty()).then(|| free[rng.below(free.len() as u64) as usize])
    }
}

/// A map of one of four kinds: noise, rooms with doors, a maze, open ground with islands.
pub fn random_table(rng: &mut Rng, side_max: i64) -> Table {
    let (width, depth) = (rng.int(1, side_max) as i32, rng.int(1, side_max) as i32);
    match rng.below(4) {
        0 => noise(rng, width, depth),
        1 => rooms(rng, width, depth),
        2 => maze(rng, width, depth),
        _ => islands(rng, width, depth),
    }
}

fn noise(rng: &mut Rng, width: i32, depth: i32) -> Table {
    let share = rng.float(0.05, 0.6);
    let mut table = Table::blank(width, depth, true);
    table.free.iter_mut().for_each(|free| *free = !rng.chance(share));
    table
}

fn rooms(rng: &mut Rng, width: i32, depth: i32) -> Table {
    let mut table = Table::blank(width, depth, true);
    let room = rng.int(3, 9) as i32;
    for z in 0..depth {
        for x in 0..width {
            let wall = x % room == room - 1 || z % room == room - 1;
            let id = table.id(x, z);
            table.free[id] = !wall || rng.chance(0.12);
        }
    }
    table
}

fn maze(rng: &mut Rng, width: i32, depth: i32) -> Table {
    let mut table = Table::blank(width, depth, false);
    let mut trail = vec![(0, 0)];
    table.free[0] = true;
    while let Some(&(x, z)) = trail.last() {
        let unseen = |(dx, dz): &(i32, i32)| {
            let (x, z) = (x + 2 * dx, z + 2 * dz);
            (0..width).contains(&x) && (0..depth).contains(&z) && !table.at(x, z)
        };
        let open: Vec<(i32, i32)> = STEPS[..4].iter().copied().filter(unseen).collect();
        if open.is_empty() {
            trail.pop();
            continue;
        }
        let (dx, dz) = open[rng.below(open.len() as u64) as usize];
        for step in 1..=2 {
            let id = table.id(x + step * dx, z + step * dz);
            table.free[id] = true;
        }
        trail.push((x + 2 * dx, z + 2 * dz));
    }
    table.free.iter_mut().for_each(|free| *free |= rng.chance(0.03));
    table
}

fn islands(rng: &mut Rng, width: i32, depth: i32) -> Table {
    let mut table = Table::blank(width, depth, true);
    for _ in 0..rng.below(8) {
        let (left, top) = (rng.below(width as u64) as i32, rng.below(depth as u64) as i32);
        let (right, bottom) = (left + rng.int(1, 8) as i32, top + rng.int(1, 8) as i32);
        for z in top..bottom.min(depth) {
            for x in left..right.min(width) {
                let id = table.id(x, z);
                table.free[id] = false;
            }
        }
    }
    table
}

/// Values by cell: noise, or rectangles over even ground.
fn patches(rng: &mut Rng, table: &Table, ground: u16, kinds: &[u16]) -> Vec<u16> {
    let pick = |rng: &mut Rng| kinds[rng.below(kinds.len() as u64) as usize];
    if rng.chance(0.3) {
        return table.free.iter().map(|_| if rng.chance(0.4) { pick(rng) } else { ground }).collect();
    }
    let mut values = vec![ground; table.free.len()];
    for _ in 0..rng.below(7) {
        let (left, top) = (rng.below(table.width as u64) as i32, rng.below(table.depth as u64) as i32);
        let (right, bottom) = (left + rng.int(1, 12) as i32, top + rng.int(1, 12) as i32);
        let kind = pick(rng);
        for z in top..bottom.min(table.depth) {
            for x in left..right.min(table.width) {
                values[table.id(x, z)] = kind;
            }
        }
    }
    values
}

pub fn with_factors(rng: &mut Rng, mut table: Table) -> Table {
    let ground = [500, 750][rng.below(2) as usize];
    table.factor = patches(rng, &table, ground, &[50, 400, 500, 600, 650, 750, 1000, 50_000]);
    table
}

fn ends(start: usize, goal: usize) -> Ends {
    Ends { start: NodeId(start as u32), goal: NodeId(goal as u32) }
}

fn unit_of(table: &Table) -> Unit {
    Unit::for_map(table.free.len() as u64, table.factor.iter().copied().max().unwrap_or(FACTOR_ONE))
}

fn ground<'a>(table: &'a Table, bits: &'a Bits) -> WeightedGround<'a> {
    let cheapest = table.factor.iter().copied().min().unwrap_or(FACTOR_ONE);
    WeightedGround {
        bits,
        factor: &table.factor,
        cheapest,
        unit: unit_of(table),
        extra: None,
        far: None,
        exits: &[],
    }
}

fn jump(search: &mut Search, bits: &Bits, pace: SearchStrategy, ends: Ends) -> u64 {
    let even = WeightedGround::even(bits);
    search.begin_jump(&even, pace, ends);
    answer(search.step_jump(&even, u32::MAX), search)
}

fn weighted(search: &mut Search, ground: &WeightedGround, ends: Ends) -> u64 {
    search.begin_weighted(ground, ends);
    answer(search.step_weighted(ground, u32::MAX), search)
}

fn answer(step: SearchStep, search: &Search) -> u64 {
    assert_ne!(step, SearchStep::Running);
    if step == SearchStep::Found { u64::from(search.cost().0) } else { u64::MAX }
}

/// Every step of the nodes is legal, they lead from start to goal, and their prices add up to the cost.
fn check_nodes(table: &Table, search: &Search, ends: Ends, price: impl Fn(usize, usize, bool) -> u64) {
    let mut nodes = Vec::new();
    search.nodes(&mut nodes);
    if search.state() != SearchStep::Found {
        assert!(nodes.is_empty());
        return;
    }
    assert_eq!((nodes[0], nodes[nodes.len() - 1]), (ends.start, ends.goal));
    let mut total = 0;
    for pair in nodes.windows(2) {
        let (from, to) = (pair[0].index(), pair[1].index());
        let steps = table.steps(from);
        let (_, diagonal) =
            steps.iter().find(|(cell, _)| *cell == to).expect("adjacent nodes are one legal step apart");
        total += price(from, to, *diagonal);
    }
    assert_eq!(total, u64::from(search.cost().0));
}

#[test]
fn inv_p1_all_maps_of_sixteen_cells_cost_what_floyd_and_warshall_find() {
    let mut search = Search::default();
    let mut table = Table::blank(4, 4, false);
    for map in 0..1_u32 << 16 {
        (0..16).for_each(|id| table.free[id] = map >> id & 1 != 0);
        let bits = Bits::from_rows(4, 4, &[0, 4, 8, 12].map(|shift| u64::from(map >> shift & 15)));
        let even = WeightedGround::even(&bits);
        let mut cost = [[u64::MAX; 16]; 16];
        for (from, cost) in cost.iter_mut().enumerate() {
            cost[from] = 0;
            if table.free[from] {
                for (to, diagonal) in table.steps(from) {
                    cost[to] = if diagonal { 19_601 } else { 13_860 };
                }
            }
        }
        for via in 0..16 {
            for from in 0..16 {
                for to in 0..16 {
                    cost[from][to] = cost[from][to].min(cost[from][via].saturating_add(cost[via][to]));
                }
            }
        }
        for start in (0..16).filter(|&id| table.free[id]) {
            for goal in (0..16).filter(|&id| table.free[id] && id != start) {
                let (ends, expected) = (ends(start, goal), cost[start][goal]);
                let found = [
                    jump(&mut search, &bits, SearchStrategy::Leaps, ends),
                    jump(&mut search, &bits, SearchStrategy::Steps, ends),
                    weighted(&mut search, &even, ends),
                ];
                assert_eq!(found, [expected; 3], "map {map:#06x} from {start} to {goal}");
            }
        }
    }
}

#[test]
fn seed_a1_inv_p1_p2_random_maps_cost_what_dijkstra_finds_with_every_kernel() {
    let mut search = Search::default();
    for seed in 0..10_000 {
        let mut rng = Rng::stream(seed, "laws");
        let table = random_table(&mut rng, if seed % 50 == 0 { 140 } else { 28 });
        let Some(start) = table.some_free(&mut rng) else { continue };
        let bits = table.bits();
        let unit = unit_of(&table);
        let cost = table.dijkstra(start, table.price(unit));
        for _ in 0..3 {
            let goal = table.some_free(&mut rng).unwrap();
            let ends = ends(start, goal);
            for pace in [SearchStrategy::Leaps, SearchStrategy::Steps] {
                assert_eq!(jump(&mut search, &bits, pace, ends), cost[goal], "seed {seed} {ends:?} {pace:?}");
                check_nodes(&table, &search, ends, table.price(unit));
            }
            assert_eq!(
                weighted(&mut search, &WeightedGround::even(&bits), ends),
                cost[goal],
                "seed {seed} {ends:?}"
            );
            check_nodes(&table, &search, ends, table.price(unit));
            // The way back costs the same (P4).
            let back = Ends { start: ends.goal, goal: ends.start };
            assert_eq!(
                jump(&mut search, &bits, SearchStrategy::of(&bits), back),
                cost[goal],
                "seed {seed} {back:?}"
            );
        }
    }
}

#[test]
fn seed_o5_inv_p1_random_terrain_costs_what_dijkstra_finds() {
    let mut search = Search::default();
    for seed in 0..4_000 {
        let mut rng = Rng::stream(seed, "terrain");
        let table = random_table(&mut rng, 28);
        let table = with_factors(&mut rng, table);
        let Some(start) = table.some_free(&mut rng) else { continue };
        let bits = table.bits();
        let unit = unit_of(&table);
        let cost = table.dijkstra(start, table.price(unit));
        for _ in 0..3 {
            let goal = table.some_free(&mut rng).unwrap();
            let ends = ends(start, goal);
            assert_eq!(
                weighted(&mut search, &ground(&table, &bits), ends),
                cost[goal],
                "seed {seed} {ends:?}"
            );
            check_nodes(&table, &search, ends, table.price(unit));
        }
    }
}

/// Landmarks are made once; then ground is blocked and made more expensive, which they must survive.
#[test]
fn landmarks_never_cost_a_path_its_optimum_on_their_ground_and_on_dearer() {
    let mut search = Search::default();
    let (mut plain, mut guided) = (0, 0);
    for seed in 0..1_500 {
        let mut rng = Rng::stream(seed, "landmarks");
        let table = random_table(&mut rng, 28);
        let mut table = with_factors(&mut rng, table);
        let Some(seen_from) = table.some_free(&mut rng) else { continue };
        let bits = table.bits();
        let unit = unit_of(&table);
        let landmarks = CellLandmarks::of(&ground(&table, &bits), NodeId(seen_from as u32));
        for round in 0..3 {
            let bits = table.bits();
            let Some(start) = table.some_free(&mut rng) else { break };
            let cost = table.dijkstra(start, table.price(unit));
            for _ in 0..4 {
                let ends = ends(start, table.some_free(&mut rng).unwrap());
                let mut ground = WeightedGround { unit, ..ground(&table, &bits) };
                assert_eq!(
                    weighted(&mut search, &ground, ends),
                    cost[ends.goal.index()],
                    "seed {seed} {ends:?}"
                );
                plain += search.spent();
                ground.far = Some((&landmarks).into());
                let found = weighted(&mut search, &ground, ends);
                assert_eq!(
                    found,
                    cost[ends.goal.index()],
                    "seed {seed} round {round} {ends:?} with landmarks"
                );
                guided += search.spent();
                check_nodes(&table, &search, ends, table.price(unit));
            }
            for _ in 0..rng.below(9) {
                let at = rng.below(table.free.len() as u64) as usize;
                table.free[at] &= rng.chance(0.5);
                table.factor[at] = table.factor[at].saturating_add(table.factor[at] / 2).min(50_000);
            }
        }
    }
    assert!(4 * guided < 3 * plain, "{guided} expansions with landmarks, {plain} without");
}

#[test]
fn gates_are_paid_once_on_entering() {
    let mut search = Search::default();
    for seed in 0..6_000 {
        let mut rng = Rng::stream(seed, "gates");
        let mut table = random_table(&mut rng, 20);
        if seed % 2 == 0 {
            table = with_factors(&mut rng, table);
        }
        let Some(start) = table.some_free(&mut rng) else { continue };
        let bits = table.bits();
        let gate = patches(&mut rng, &table, 0, &[0, 1, 2, 3]);
        let toll = [0, 30_000, 200_000];
        let price = table.price(unit_of(&table));
        let width = table.width as usize;
        let with_tolls = |from: usize, to: usize, diagonal: bool| {
            // A corner of a gate may not be cut in passing: there is always a way round by two straight
            // steps.
            let sides = [from / width * width + to % width, to / width * width + from % width];
            let foreign = |side: usize| gate[side] != 0 && gate[side] != gate[from] && gate[side] != gate[to];
            if diagonal && sides.into_iter().any(foreign) {
                return 1 << 40;
            }
            let entered = gate[to] != 0 && gate[to] != gate[from];
            let extra = if entered { toll.get(gate[to] as usize).copied().unwrap_or(0) } else { 0 };
            price(from, to, diagonal) + u64::from(extra)
        };
        let cost = table.dijkstra(start, with_tolls);
        let goal = table.some_free(&mut rng).unwrap();
        let mut ground = ground(&table, &bits);
        ground.extra = Some(Extra { gate: &gate, cost: &toll });
        assert_eq!(weighted(&mut search, &ground, ends(start, goal)), cost[goal], "seed {seed}");
        check_nodes(&table, &search, ends(start, goal), with_tolls);
    }
}

#[test]
fn inv_p8_random_slices_change_neither_nodes_nor_cost_nor_what_was_spent() {
    let (mut whole, mut sliced) = (Search::default(), Search::default());
    let (mut expected, mut found) = (Vec::new(), Vec::new());
    for seed in 0..3_000 {
        let mut rng = Rng::stream(seed, "slices");
        let table = random_table(&mut rng, 40);
        let (Some(start), Some(goal)) = (table.some_free(&mut rng), table.some_free(&mut rng)) else {
            continue;
        };
        let (bits, ends) = (table.bits(), ends(start, goal));
        let even = WeightedGround::even(&bits);
        for kernel in 0..3 {
            let pace = if kernel == 0 { SearchStrategy::Leaps } else { SearchStrategy::Steps };
            if kernel == 2 {
                weighted(&mut whole, &even, ends);
                sliced.begin_weighted(&even, ends);
            } else {
                jump(&mut whole, &bits, pace, ends);
                sliced.begin_jump(&even, pace, ends);
            }
            loop {
                let (before, allowance) = (sliced.spent(), rng.below(9) as u32);
                let step = if kernel == 2 {
                    sliced.step_weighted(&even, allowance)
                } else {
                    sliced.step_jump(&even, allowance)
                };
                if step != SearchStep::Running {
                    break;
                }
                assert!(sliced.spent() - before >= allowance, "a slice stops once its allowance is spent");
            }
            whole.nodes(&mut expected);
            sliced.nodes(&mut found);
            let outcome = |search: &Search| (search.state(), search.cost(), search.spent());
            assert_eq!(outcome(&whole), outcome(&sliced), "seed {seed} kernel {kernel}");
            assert_eq!(expected, found, "seed {seed} kernel {kernel}");
        }
    }
}

#[test]
fn inv_p5_mirroring_keeps_costs_and_opening_a_cell_never_raises_one() {
    let mut search = Search::default();
    for seed in 0..1_500 {
        let mut rng = Rng::stream(seed, "mirror");
        let table = random_table(&mut rng, 30);
        let (Some(start), Some(goal)) = (table.some_free(&mut rng), table.some_free(&mut rng)) else {
            continue;
        };
        let mut bits = table.bits();
        let cost = jump(&mut search, &bits, SearchStrategy::Leaps, ends(start, goal));
        let mut turned = Table::blank(table.depth, table.width, false);
        let turn = |id: usize| {
            let (x, z) = (id as i32 % table.width, id as i32 / table.width);
            ((table.width - 1 - x) * table.depth + z) as usize
        };
        (0..table.free.len()).for_each(|id| turned.free[turn(id)] = table.free[id]);
        let ends_turned = ends(turn(start), turn(goal));
        assert_eq!(
            jump(&mut search, &turned.bits(), SearchStrategy::Leaps, ends_turned),
            cost,
            "seed {seed} turned"
        );
        for _ in 0..10 {
            bits.set(rng.below(table.width as u64) as u32, rng.below(table.depth as u64) as u32, true);
        }
        assert!(
            jump(&mut search, &bits, SearchStrategy::Leaps, ends(start, goal)) <= cost,
            "seed {seed} opened"
        );
        assert!(
            jump(&mut search, &bits, SearchStrategy::Steps, ends(start, goal)) <= cost,
            "seed {seed} opened"
        );
    }
}

#[test]
fn seed_a2_corners_are_not_cut() {
    let mut search = Search::default();
    let ends = ends(0, 4);
    let mut table = Table::drawn(&[".#.", "...", "..."]);
    assert_eq!(jump(&mut search, &table.bits(), SearchStrategy::Leaps, ends), 2 * 13_860);
    table.free[3] = false;
    for pace in [SearchStrategy::Leaps, SearchStrategy::Steps] {
        assert_eq!(jump(&mut search, &table.bits(), pace, ends), u64::MAX);
        assert_eq!((search.state(), search.cost()), (SearchStep::Exhausted, Cost::BLOCKED));
    }
}

#[test]
fn seed_a3_steps_cost_their_length() {
    let mut search = Search::default();
    let table = Table::blank(6, 3, true);
    assert_eq!(jump(&mut search, &table.bits(), SearchStrategy::Leaps, ends(0, 17)), 3 * 13_860 + 2 * 19_601);
}

#[test]
fn seed_g2_the_id_of_a_cell_is_its_row_times_the_width_plus_its_column() {
    let (mut search, mut nodes) = (Search::default(), Vec::new());
    let table = Table::drawn(&["###", "##."]);
    assert_eq!(jump(&mut search, &table.bits(), SearchStrategy::Leaps, ends(5, 5)), 0);
    search.nodes(&mut nodes);
    assert_eq!(nodes, [NodeId(5)]);
    for goal in [0, 4, 6, 1000] {
        assert_eq!(
            jump(&mut search, &table.bits(), SearchStrategy::Leaps, ends(5, goal)),
            u64::MAX,
            "goal {goal}"
        );
    }
}

#[test]
fn seed_o12_a_row_of_ice_beside_the_straight_way_is_worth_the_detour() {
    let mut search = Search::default();
    let mut table = Table::blank(13, 5, true);
    (0..13).for_each(|x| table.factor[3 * 13 + x] = 400);
    // Four sides only would cost 11.6; with diagonals onto the ice: sqrt 2 x 0.8 + 10 x 0.8 + sqrt 2.
    let bits = table.bits();
    let cost = weighted(&mut search, &ground(&table, &bits), ends(2 * 13, 2 * 13 + 12));
    let expected = table.dijkstra(2 * 13, table.price(unit_of(&table)))[2 * 13 + 12];
    assert_eq!(cost, expected);
    assert!(cost < 12 * 13_860 && cost > 10 * 13_860);
    assert_eq!(weighted(&mut search, &ground(&table, &bits), ends(39, 42)), 3 * 13_860 * 4 / 5);
}

#[test]
fn one_factor_everywhere_costs_the_same_with_jumps_and_with_weights() {
    let mut search = Search::default();
    for seed in 0..1_500 {
        let mut rng = Rng::stream(seed, "one factor");
        let mut table = random_table(&mut rng, 30);
        let factor = [50, 400, 1234, 50_000][seed as usize % 4];
        table.factor.fill(factor);
        let (Some(start), Some(goal)) = (table.some_free(&mut rng), table.some_free(&mut rng)) else {
            continue;
        };
        let bits = table.bits();
        let expected = weighted(&mut search, &ground(&table, &bits), ends(start, goal));
        let even = WeightedGround { unit: unit_of(&table).scaled(factor), ..WeightedGround::even(&bits) };
        search.begin_jump(&even, SearchStrategy::of(&bits), ends(start, goal));
        let step = search.step_jump(&even, u32::MAX);
        assert_eq!(answer(step, &search), expected, "seed {seed}");
    }
}

#[test]
fn inv_p3_labels_differ_exactly_where_a_flood_does() {
    for seed in 0..1_500 {
        let mut rng = Rng::stream(seed, "labels");
        let mut table = random_table(&mut rng, 70);
        let mut bits = table.bits();
        for flip in 0..12 {
            check_labels(&table, &ConnectedComponents::of(&bits), &format!("seed {seed} flip {flip}"));
            let (x, z) = (rng.below(table.width as u64) as i32, rng.below(table.depth as u64) as i32);
            let id = table.id(x, z);
            table.free[id] = !table.free[id];
            bits.set(x as u32, z as u32, table.free[id]);
        }
    }
}

fn check_labels(table: &Table, labels: &ConnectedComponents, when: &str) {
    let flood = table.flood();
    let mut pairs = BTreeSet::new();
    let (mut cells, mut covered) = (std::collections::BTreeMap::new(), 0);
    for (id, expected) in flood.iter().enumerate() {
        let (x, z) = (id as u32 % table.width as u32, id as u32 / table.width as u32);
        let label = labels.label(x, z);
        assert_eq!(label.is_some(), expected.is_some(), "{when} ({x}, {z})");
        if let (Some(label), Some(expected)) = (label, expected) {
            pairs.insert((label, *expected));
            *cells.entry(label).or_insert(0) += 1;
        }
    }
    let count = flood.iter().flatten().max().map_or(0, |last| last + 1);
    assert_eq!((pairs.len() as u32, labels.count()), (count, count), "{when}: one label for one flood");
    assert_eq!(cells.len() as u32, count, "{when}");
    for (label, size) in cells {
        assert_eq!(labels.cells(label), size, "{when}");
    }
    for run in labels.runs() {
        assert!(
            (run.first_x..run.end_x).all(|x| labels.label(x, run.z) == Some(run.label)),
            "{when} {run:?}"
        );
        assert!(!table.at(run.first_x as i32 - 1, run.z as i32) && !table.at(run.end_x as i32, run.z as i32));
        covered += run.end_x - run.first_x;
    }
    assert_eq!(covered as usize, flood.iter().flatten().count(), "{when}");
}

#[test]
fn seed_a5_inv_n5_the_closest_cell_is_the_closest_of_all() {
    for seed in 0..1_500 {
        let mut rng = Rng::stream(seed, "closest");
        let table = random_table(&mut rng, 24);
        let labels = ConnectedComponents::of(&table.bits());
        let Some(cell) = table.some_free(&mut rng) else {
            assert_eq!(labels.closest_where([1.5, 1.5], 100.0, |_| true), None);
            continue;
        };
        let label = labels.label(cell as u32 % table.width as u32, cell as u32 / table.width as u32).unwrap();
        for _ in 0..20 {
            // Halves make ties; points may lie far outside.
            let mut coordinate = |side: i32| rng.int(-6, 2 * i64::from(side) + 6) as f64 / 2.0;
            let point = [coordinate(table.width), coordinate(table.depth)];
            let nearest = |within: f64, of: Option<u32>| {
                let mut all: Vec<(f64, u32, u32)> = Vec::new();
                for (id, _) in table.free.iter().enumerate().filter(|(_, free)| **free) {
                    let (x, z) = (id as u32 % table.width as u32, id as u32 / table.width as u32);
                    let (dx, dz) = (f64::from(x) + 0.5 - point[0], f64::from(z) + 0.5 - point[1]);
                    if dx * dx + dz * dz <= within * within && (of.is_none() || of == labels.label(x, z)) {
                        all.push((dx * dx + dz * dz, z, x));
                    }
                }
                all.into_iter().min_by(|a, b| a.partial_cmp(b).unwrap()).map(|(_, z, x)| (x, z))
            };
            for (within, of) in [(f64::INFINITY, Some(label)), (0.5, None), (2.5, None), (8.0, None)] {
                let closest = labels.closest_where(point, within, |other| of.is_none_or(|of| of == other));
                assert_eq!(
                    closest.map(|cell| (cell.x, cell.z)),
                    nearest(within, of),
                    "seed {seed} {point:?} {within} {of:?}"
                );
            }
        }
    }
}

#[test]
fn seed_a5_a_nearer_cell_on_an_outer_ring_wins() {
    let mut table = Table::blank(12, 12, false);
    let (corner, axis) = (table.id(5, 5), table.id(6, 0));
    (table.free[corner], table.free[axis]) = (true, true);
    let closest = ConnectedComponents::of(&table.bits()).closest_where([0.5, 0.5], 8.0, |_| true);
    assert_eq!(closest.map(|cell| (cell.x, cell.z)), Some((6, 0)));
}

#[test]
fn a_search_serves_maps_of_any_size_one_after_the_other() {
    let mut search = Search::default();
    for (width, depth) in [(1, 1), (200, 3), (3, 200), (64, 64), (65, 1), (1, 65)] {
        let table = Table::blank(width, depth, true);
        let goal = (width * depth - 1) as usize;
        let expected = table.dijkstra(0, table.price(unit_of(&table)))[goal];
        assert_eq!(jump(&mut search, &table.bits(), SearchStrategy::Leaps, ends(0, goal)), expected);
        assert_eq!(jump(&mut search, &table.bits(), SearchStrategy::Steps, ends(0, goal)), expected);
    }
}
