//! Costs on every layout against Dijkstra on a sorted list, whose neighbours are those that a picture of the
//! tiles shows.

use super::{SearchStep as Outcome, *};
use crate::base::geom::Point;
use crate::base::rng::Rng;
use crate::nav::NodeId;
use crate::nav::cells::layout::Unit;
use crate::nav::cells::{Bits, CellLandmarks, FACTOR_ONE, Layout, MapFrame, Stagger, TileGrid};

/// A random map: its frame, walkable cells, factors and gates by cell.
struct Table {
    frame: MapFrame,
    bits: Bits,
    factor: Vec<u16>,
    gate: Vec<u16>,
    tolls: Vec<u32>,
}

fn table(rng: &mut Rng, layout: Layout, weighted: bool, gated: bool) -> Table {
    let tile_m = match rng.below(4) {
        0 => [58.3, 27.7],
        1 => [2.0, 4.0 / 3.0_f64.sqrt()],
        2 => [4.0 / 3.0_f64.sqrt(), 2.0],
        _ => [rng.float(1.0, 9.0), rng.float(1.0, 9.0)],
    };
    let (columns, rows) = (2 + rng.below(9) as u32, 2 + rng.below(9) as u32);
    let grid = TileGrid { layout, columns, rows, tile_m, min: [0.0; 2], floor_y_m: 0.0 };
    let frame = grid.frame().unwrap();
    let count = frame.cell_count() as usize;
    let mut bits = Bits::new(frame.width, frame.depth).shaped(frame.tiling.shape());
    let open = [0.95, 0.8, 0.6][rng.below(3) as usize];
    for z in 0..frame.depth {
        for x in 0..frame.width {
            bits.set(x, z, frame.tile_of_cell(x, z).is_some() && rng.chance(open));
        }
    }
    let kinds = [400, 500, 550, 600, 650, 750, 1000, 50, 5000];
    let few = 1 + rng.below(kinds.len() as u64);
    let pick = |rng: &mut Rng| kinds[rng.below(few) as usize];
    let factor = if weighted { (0..count).map(|_| pick(rng)).collect() } else { Vec::new() };
    let gate =
        (0..count).map(|_| if gated && rng.chance(0.15) { 1 + rng.below(2) as u16 } else { 0 }).collect();
    Table { frame, bits, factor, gate, tolls: vec![0, 30_000, 5_000] }
}

/// A step by columns and rows, and those to the two tiles beside it when it leads across a corner.
type Step = ([i64; 2], Option<[[i64; 2]; 2]>);

impl Table {
    fn ground(&self, gated: bool) -> WeightedGround<'_> {
        let costliest = self.factor.iter().copied().max().unwrap_or(FACTOR_ONE);
        let cells = u64::from(self.frame.cell_count());
        WeightedGround {
            factor: &self.factor,
            cheapest: self.factor.iter().copied().min().unwrap_or(FACTOR_ONE),
            unit: Unit::for_map(cells, costliest),
            extra: gated.then_some(Extra { gate: &self.gate, cost: &self.tolls }),
            ..WeightedGround::even(&self.bits)
        }
    }

    /// Blocks some cells and makes some more expensive, but for one.
    fn worsen(&mut self, rng: &mut Rng, but_for: [u32; 2]) {
        for _ in 0..4 {
            let at = rng.below(u64::from(self.frame.cell_count())) as u32;
            let (x, z) = (at % self.frame.width, at / self.frame.width);
            if at as usize != self.id(but_for) && rng.chance(0.5) {
                self.bits.set(x, z, false);
            }
            // No more expensive than the most expensive: costs go on being counted as they were.
            let costliest = self.factor.iter().copied().max().unwrap_or(FACTOR_ONE);
            if let Some(factor) = self.factor.get_mut(at as usize) {
                *factor = costliest;
            }
        }
    }

    fn open_tiles(&self) -> Vec<[u32; 2]> {
        let [columns, rows] = self.frame.tile_count();
        let all = (0..rows).flat_map(|row| (0..columns).map(move |column| [column, row]));
        all.filter(|&tile| self.is_open(tile)).collect()
    }

    fn is_open(&self, tile: [u32; 2]) -> bool {
        self.frame.cell_of_tile(tile).is_some_and(|(x, z)| self.bits.get(x, z))
    }

    fn id(&self, tile: [u32; 2]) -> usize {
        let (x, z) = self.frame.cell_of_tile(tile).unwrap();
        (z * self.frame.width + x) as usize
    }

    /// The tile moved by a difference, when it is one of the map.
    fn moved(&self, tile: [u32; 2], step: [i64; 2]) -> Option<[u32; 2]> {
        let moved = [0, 1].map(|axis| u32::try_from(i64::from(tile[axis]) + step[axis]).ok());
        let moved = [moved[0]?, moved[1]?];
        self.frame.cell_of_tile(moved).map(|_| moved)
    }

    /// The steps from a tile, with the two tiles beside those across a corner, by columns and rows.
    fn steps(&self, tile: [u32; 2]) -> Vec<Step> {
        let odd = |line: u32, index: Stagger| (line % 2 == 1) == (index == Stagger::Odd);
        let sides: Vec<[i64; 2]> = match self.frame.layout() {
            Layout::Square8 | Layout::Square4 => vec![[1, 0], [0, 1], [-1, 0], [0, -1]],
            // Down right, down left, up left, up right.
            Layout::StaggeredRows(index) => {
                let right = i64::from(odd(tile[1], index));
                vec![[right, 1], [right - 1, 1], [right - 1, -1], [right, -1]]
            }
            // Right down, left down, left up, right up.
            Layout::StaggeredColumns(index) => {
                let down = i64::from(odd(tile[0], index));
                vec![[1, down], [-1, down], [-1, down - 1], [1, down - 1]]
            }
            Layout::HexPointy(index) => {
                let right = i64::from(odd(tile[1], index));
                return [[1, 0], [right, 1], [right - 1, 1], [-1, 0], [right - 1, -1], [right, -1]]
                    .map(|step| (step, None))
                    .to_vec();
            }
            Layout::HexFlat(index) => {
                let down = i64::from(odd(tile[0], index));
                return [[0, 1], [1, down], [1, down - 1], [0, -1], [-1, down - 1], [-1, down]]
                    .map(|step| (step, None))
                    .to_vec();
            }
        };
        let mut steps: Vec<_> = sides.iter().map(|&side| (side, None)).collect();
        let corners = match self.frame.layout() {
            Layout::Square4 | Layout::HexPointy(_) | Layout::HexFlat(_) => Vec::new(),
            Layout::Square8 => [[1, 1], [-1, 1], [-1, -1], [1, -1]]
                .map(|[x, z]: [i64; 2]| ([x, z], Some([[x, 0], [0, z]])))
                .to_vec(),
            // Straight down between the two below, and so on round.
            Layout::StaggeredRows(_) => vec![
                ([0, 2], Some([sides[0], sides[1]])),
                ([-1, 0], Some([sides[1], sides[2]])),
                ([0, -2], Some([sides[2], sides[3]])),
                ([1, 0], Some([sides[3], sides[0]])),
            ],
            Layout::StaggeredColumns(_) => vec![
                ([0, 1], Some([sides[0], sides[1]])),
                ([-2, 0], Some([sides[1], sides[2]])),
                ([0, -1], Some([sides[2], sides[3]])),
                ([2, 0], Some([sides[3], sides[0]])),
            ],
        };
        steps.extend(corners);
        steps
    }

    fn centre(&self, tile: [u32; 2]) -> Point {
        self.frame.tile_centre(tile).unwrap()
    }

    /// What a step costs, by the distance of the drawn centres; None where there is none.
    fn cost(
        &self,
        from: [u32; 2],
        to: [u32; 2],
        sides: Option<[[i64; 2]; 2]>,
        ground: &WeightedGround,
    ) -> Option<u64> {
        let beside: Vec<[u32; 2]> = match sides {
            None => Vec::new(),
            Some(sides) => vec![self.moved(from, sides[0])?, self.moved(from, sides[1])?],
        };
        if !self.is_open(to) || !beside.iter().all(|&tile| self.is_open(tile)) {
            return None;
        }
        let gate = |tile: [u32; 2]| if ground.extra.is_some() { self.gate[self.id(tile)] } else { 0 };
        let brushes = |tile: &[u32; 2]| ![0, gate(from), gate(to)].contains(&gate(*tile));
        if beside.iter().any(brushes) {
            return None;
        }
        let (a, b) = (self.centre(from), self.centre(to));
        let length_m = ((b[0] - a[0]).powi(2) + (b[1] - a[1]).powi(2)).sqrt();
        let mut length = (length_m / self.frame.cell_size_m * f64::from(ground.unit.straight)).round() as u64;
        if self.bits.shape().is_plain() && sides.is_some() {
            length = u64::from(ground.unit.diagonal);
        }
        let factor = self.factor.get(self.id(to)).copied().unwrap_or(FACTOR_ONE);
        let cost = (length * u64::from(factor) * 2 + 500) / 1000;
        let toll =
            if gate(to) == 0 || gate(to) == gate(from) { 0 } else { self.tolls[usize::from(gate(to))] };
        Some(cost.max(1) + u64::from(toll))
    }

    /// The cheapest costs from a tile to all others, by id; `u64::MAX` where there is no way.
    fn dijkstra(&self, from: [u32; 2], ground: &WeightedGround) -> Vec<u64> {
        let mut best = vec![u64::MAX; self.frame.cell_count() as usize];
        best[self.id(from)] = 0;
        let mut waiting = vec![(0, from)];
        while !waiting.is_empty() {
            waiting.sort_unstable();
            let (spent, tile) = waiting.remove(0);
            if spent > best[self.id(tile)] {
                continue;
            }
            for (step, sides) in self.steps(tile) {
                let Some(to) = self.moved(tile, step) else { continue };
                let Some(cost) = self.cost(tile, to, sides, ground) else { continue };
                if spent + cost < best[self.id(to)] {
                    best[self.id(to)] = spent + cost;
                    waiting.push((spent + cost, to));
                }
            }
        }
        best
    }

    /// What the way found costs, step by step.
    fn cost_of(&self, nodes: &[NodeId], ground: &WeightedGround) -> u64 {
        let tile = |node: NodeId| {
            let (x, z) = (node.0 % self.frame.width, node.0 / self.frame.width);
            self.frame.tile_of_cell(x, z).unwrap()
        };
        let pairs = nodes.windows(2);
        pairs
            .map(|pair| {
                let (from, to) = (tile(pair[0]), tile(pair[1]));
                let steps = self.steps(from);
                let step = steps.iter().find(|(step, _)| self.moved(from, *step) == Some(to)).unwrap();
                self.cost(from, to, step.1, ground).unwrap()
            })
            .sum()
    }
}

/// On random maps of every layout. Landmarks know the ground without gates, and before some of it became more
/// expensive or was blocked.
fn check(seed: &str, rounds: u32, weighted: impl Fn(&mut Rng) -> bool, gated: bool) {
    let mut rng = Rng::stream(1, seed);
    let mut search = Search::default();
    let (mut found, mut lost) = (0, 0);
    for round in 0..rounds {
        for layout in Layout::ALL {
            let weighted = weighted(&mut rng);
            let mut table = table(&mut rng, layout, weighted, gated);
            let tiles = table.open_tiles();
            if tiles.is_empty() {
                continue;
            }
            let start = tiles[rng.below(tiles.len() as u64) as usize];
            let landmarks = CellLandmarks::of(&table.ground(false), NodeId(table.id(start) as u32));
            if rng.chance(0.5) {
                table.worsen(&mut rng, start);
            }
            let ground =
                WeightedGround { far: rng.chance(0.5).then(|| (&landmarks).into()), ..table.ground(gated) };
            let costs = table.dijkstra(start, &ground);
            for _ in 0..6 {
                let goal = tiles[rng.below(tiles.len() as u64) as usize];
                let [from, to] = [start, goal].map(|tile| NodeId(table.id(tile) as u32));
                search.begin_weighted(&ground, Ends { start: from, goal: to });
                let slice = if rng.chance(0.5) { u32::MAX } else { 1 + rng.below(5) as u32 };
                while search.step_weighted(&ground, slice) == Outcome::Running {}
                let expected = costs[table.id(goal)];
                let label = format!("{seed} {round}: {layout:?} {:?} {start:?} to {goal:?}", table.frame);
                if expected == u64::MAX {
                    lost += 1;
                    assert_eq!(search.state(), Outcome::Exhausted, "{label}");
                    continue;
                }
                found += 1;
                assert_eq!(
                    (search.state(), u64::from(search.cost().0)),
                    (Outcome::Found, expected),
                    "{label}"
                );
                let mut nodes = Vec::new();
                search.nodes(&mut nodes);
                assert_eq!((nodes[0], nodes[nodes.len() - 1]), (from, to), "seed:O7, {label}");
                assert_eq!(table.cost_of(&nodes, &ground), expected, "{label}");
            }
        }
    }
    assert!(found > 20 * rounds && lost > rounds / 4, "{found} found, {lost} not");
}

#[test]
fn seed_o5_costs_on_even_ground_are_those_of_dijkstra_on_every_layout() {
    check("even", 150, |_| false, false);
}

#[test]
fn seed_x2_costs_on_uneven_ground_are_those_of_dijkstra_on_every_layout() {
    check("uneven", 250, |_| true, false);
}

#[test]
fn costs_through_gates_are_those_of_dijkstra_on_every_layout() {
    check("gates", 120, |rng| rng.chance(0.5), true);
}

#[test]
fn seed_o8_four_neighbours_are_those_across_the_edges() {
    assert_eq!(LEGAL_FOUR[0xff], 0b0101_0101);
    assert_eq!(LEGAL_FOUR[0b1010_1010], 0, "never across a corner");
}

#[test]
fn seed_o10_the_norm_of_hexagons_is_half_the_sum_of_three_differences() {
    let shape = Layout::HexPointy(Stagger::Odd);
    let grid = TileGrid {
        layout: shape,
        columns: 3,
        rows: 3,
        tile_m: [3.0_f64.sqrt(), 2.0],
        min: [0.0; 2],
        floor_y_m: 0.0,
    };
    let shape = grid.frame().unwrap().tiling.shape();
    let norm = Strides::new(Unit::default(), shape).norm(Neighbours::Six, FACTOR_ONE);
    for (dx, dz) in (-9..=9_i32).flat_map(|dx| (-9..=9_i32).map(move |dz| (dx, dz))) {
        let steps = (dx.abs() + (dx + dz).abs() + dz.abs()) / 2;
        assert_eq!(norm.of(dx, dz), Unit::default().straight * steps as u32, "{dx} {dz}");
    }
    assert!(Strides::new(Unit::default(), shape).are_equal(Neighbours::Six));
}
