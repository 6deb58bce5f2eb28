//! Optimal paths over hexagons: ours beside `a_star` of `hexx`, in one run.
//!
//! In: random maps of 256 by 256 hexagons, made here. Out: a markdown table of mean microseconds a query,
//! path extraction included, and ratios. Method: forty pairs of tiles that a way joins; each solver goes over
//! all of them some times, warm, and the fastest round in processor time counts. Prices of tiles are whole
//! numbers from one on, so that the heuristic of `hexx`, the number of steps, is as good as it can be; every
//! cost of ours is compared with its.

use std::hint::black_box;

use cpu_time::ThreadTime;
use hexx::Hex;
use hexx::algorithms::a_star;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::nav::cells::{CellLandmarks, CellMap, CellSource, FACTOR_ONE, Unit, WeightedGround};
use walkon_runtime::nav::{
    ConnectedComponents, Ends, Layout, MapFrame, NodeId, Search, SearchStep, Stagger, TileGrid,
};

const SIDE: u32 = 256;
const QUERIES: usize = 40;
const ROUNDS: usize = 5;

/// How prices lie.
#[derive(Clone, Copy, PartialEq)]
enum Terrain {
    /// In patches of 6 to 28 tiles across.
    Patches,
    /// Drawn again for every tile.
    Noise,
}

/// Name, share of tiles blocked, prices of tiles, how they lie.
const FIELDS: [(&str, f64, &[u16], Terrain); 7] = [
    ("open", 0.0, &[1], Terrain::Noise),
    ("a fifth blocked", 0.2, &[1], Terrain::Noise),
    ("a third blocked", 0.33, &[1], Terrain::Noise),
    ("patches of three prices", 0.0, &[1, 2, 3], Terrain::Patches),
    ("patches, a fifth blocked", 0.2, &[1, 2, 3], Terrain::Patches),
    ("three prices at random", 0.0, &[1, 2, 3], Terrain::Noise),
    ("at random, a fifth blocked", 0.2, &[1, 2, 3], Terrain::Noise),
];

struct Field {
    frame: MapFrame,
    map: CellMap,
    factor: Vec<u16>,
    /// By cell; 0 where nobody can walk.
    price: Vec<u32>,
}

fn main() {
    println!(
        "| field | ours us | expansions | without landmarks us | expansions | landmarks made in ms | `hexx` us | ratio | without |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, blocked, prices, terrain) in FIELDS {
        let mut rng = Rng::stream(1, name);
        let field = field(blocked, (prices, terrain), &mut rng);
        run(name, &field, &mut rng);
    }
}

fn field(blocked: f64, (prices, terrain): (&[u16], Terrain), rng: &mut Rng) -> Field {
    let tile_m = [3.0_f64.sqrt(), 2.0];
    let layout = Layout::HexPointy(Stagger::Odd);
    let grid = TileGrid { layout, columns: SIDE, rows: SIDE, tile_m, min: [0.0; 2], floor_y_m: 0.0 };
    let frame = grid.frame().unwrap();
    let count = frame.cell_count() as usize;
    let walkable = (0..count).map(|_| !rng.chance(blocked)).collect();
    let map = CellMap::from_cells(&CellSource { frame, walkable, ..CellSource::default() }).unwrap();
    let pick = |rng: &mut Rng| prices[rng.below(prices.len() as u64) as usize] * FACTOR_ONE;
    let factor: Vec<u16> = match terrain {
        _ if prices.len() == 1 => Vec::new(),
        Terrain::Noise => (0..count).map(|_| pick(rng)).collect(),
        Terrain::Patches => patches(&frame, pick, rng),
    };
    let price = |at: usize| {
        let (x, z) = (at as u32 % frame.width, at as u32 / frame.width);
        let price = factor.get(at).map_or(1, |factor| u32::from(factor / FACTOR_ONE));
        if map.bits().get(x, z) { price } else { 0 }
    };
    let price = (0..count).map(price).collect();
    Field { frame, map, factor, price }
}

/// Squares of cells over one another.
fn patches(frame: &MapFrame, pick: impl Fn(&mut Rng) -> u16, rng: &mut Rng) -> Vec<u16> {
    let mut factor = vec![FACTOR_ONE; frame.cell_count() as usize];
    for _ in 0..SIDE * SIDE / 300 {
        let middle = [frame.width, frame.depth].map(|size| rng.below(u64::from(size)) as u32);
        let (reach, price) = (rng.int(3, 14) as u32, pick(rng));
        let range = |middle: u32, size: u32| middle.saturating_sub(reach)..(middle + reach).min(size);
        for z in range(middle[1], frame.depth) {
            for x in range(middle[0], frame.width) {
                factor[(z * frame.width + x) as usize] = price;
            }
        }
    }
    factor
}

impl Field {
    /// What a hexagon costs to enter; None where nobody can.
    fn price(&self, hex: Hex) -> Option<u32> {
        let (x, z) = (hex.x as u32, hex.y as u32);
        let inside = x < self.frame.width && z < self.frame.depth;
        let price = if inside { self.price[(z * self.frame.width + x) as usize] } else { 0 };
        (price > 0).then_some(price)
    }

    fn pairs(&self, rng: &mut Rng) -> Vec<[(u32, u32); 2]> {
        let labels = ConnectedComponents::of(self.map.bits());
        let mut tile = || {
            let tile = [0, 1].map(|_| rng.below(u64::from(SIDE)) as u32);
            self.frame.cell_of_tile(tile).unwrap()
        };
        let mut pairs = Vec::new();
        while pairs.len() < QUERIES {
            let pair = [tile(), tile()];
            let [from, to] = pair.map(|(x, z)| labels.label(x, z));
            if from.is_some() && from == to {
                pairs.push(pair);
            }
        }
        pairs
    }
}

fn run(name: &str, field: &Field, rng: &mut Rng) {
    let bits = field.map.bits();
    let costliest = field.factor.iter().copied().max().unwrap_or(FACTOR_ONE);
    let unit = Unit::for_map(bits.count(), costliest);
    let ground =
        WeightedGround { factor: &field.factor, cheapest: FACTOR_ONE, unit, ..WeightedGround::even(bits) };
    let pairs = field.pairs(rng);
    let id = |(x, z): (u32, u32)| NodeId(z * bits.width() + x);
    let hex = |(x, z): (u32, u32)| Hex::new(x as i32, z as i32);
    let begun = ThreadTime::now();
    // As maps have them: where ground is even, nobody makes any.
    let landmarks = (!field.factor.is_empty()).then(|| CellLandmarks::of(&ground, id(pairs[0][0])));
    let made_ms = begun.elapsed().as_secs_f64() * 1e3;
    let guided = WeightedGround { far: landmarks.as_ref().map(Into::into), ..ground };
    let (mut search, mut nodes) = (Search::default(), Vec::new());
    let mut ours = |ground: &WeightedGround, [start, goal]: [(u32, u32); 2]| {
        search.begin_weighted(ground, Ends { start: id(start), goal: id(goal) });
        assert_eq!(search.step_weighted(ground, u32::MAX), SearchStep::Found);
        search.nodes(&mut nodes);
        black_box(&nodes);
        (search.cost().0, search.spent())
    };
    let theirs = |[start, goal]: [(u32, u32); 2]| {
        a_star(hex(start), hex(goal), |_, to| field.price(to)).expect("a way")
    };
    let mut expansions = [0; 2];
    for &pair in &pairs {
        let cost: u32 = theirs(pair)[1..].iter().filter_map(|hex| field.price(*hex)).sum();
        for (expansions, ground) in expansions.iter_mut().zip([&guided, &ground]) {
            let (own, spent) = ours(ground, pair);
            assert_eq!(own, cost * unit.straight, "{name}: {pair:?}");
            *expansions += spent as usize;
        }
    }
    let mut best = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        for (best, ground) in best.iter_mut().zip([&guided, &ground]) {
            let spent = seconds(&pairs, |pair| {
                black_box(ours(ground, pair));
            });
            *best = best.min(spent);
        }
        let spent = seconds(&pairs, |pair| {
            black_box(theirs(pair));
        });
        best[2] = best[2].min(spent);
    }
    let [far_us, near_us, theirs_us] = best.map(|seconds| seconds / QUERIES as f64 * 1e6);
    let [far, near] = expansions.map(|expansions| expansions / QUERIES);
    println!(
        "| {name} | {far_us:.1} | {far} | {near_us:.1} | {near} | {made_ms:.0} | {theirs_us:.0} | {:.1} | {:.1} |",
        theirs_us / far_us,
        theirs_us / near_us
    );
}

/// Processor time of going over all pairs, warm.
fn seconds(pairs: &[[(u32, u32); 2]], mut solve: impl FnMut([(u32, u32); 2])) -> f64 {
    pairs.iter().for_each(|&pair| solve(pair));
    let clock = ThreadTime::now();
    pairs.iter().for_each(|&pair| solve(pair));
    clock.elapsed().as_secs_f64()
}
