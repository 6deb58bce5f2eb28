//! Ways across maps of up to 4,096 x 4,096 cells: sectors and gates beside a flat search and
//! `hierarchical_pathfinding`.
//!
//! In: MovingAI maps in `../shared/data/movingai`, every cell of them several cells wide, with terrain of six
//! factors; without them it says so and stops. Out: markdown tables of means a query, everything included
//! that a walk would pay: ends, search, joining, smoothing. Method: random pairs of reachable cells, each in
//! the fastest of its rounds, in processor time; the cost of a path is that of its straight lines over the
//! cells they cross, and is compared with that of the smoothed flat path, which is as good as it gets. The
//! peer knows no lengths of diagonal steps and cuts corners: its paths are priced by our rule, corners
//! allowed, unsmoothed beside our unsmoothed ones. Options:
//! `cargo bench -p walkon-benches --bench large -- [MAP...] [--pairs N] [--side N] [--no-peer]`.

use std::path::{Path, PathBuf};

use cpu_time::ThreadTime;
use glam::Vec3;
use hierarchical_pathfinding::prelude::*;
use walkon_runtime::base::ids::AreaId;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::nav::cells::{CellArea, CellMap, CellSource, HierarchyUse, MapFrame, Method};
use walkon_runtime::nav::{
    Accept, AreaEdit, Backend, NavEdit, NavMap, PathAnswer, PathQuery, Search, Traversal,
};

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

const MAPS: [&str; 3] = ["cities/NewYork_1_512", "dao/brc202d", "sc1/Aurora"];
const FACTORS: [f32; 6] = [1.0, 1.2, 1.5, 2.0, 0.8, 1.3];

struct Map {
    width: u32,
    depth: u32,
    cells: Vec<bool>,
}

struct Options {
    maps: Vec<String>,
    pairs: usize,
    side: u32,
    peer: bool,
}

fn main() {
    let mut options = Options { maps: Vec::new(), pairs: 12, side: 4096, peer: true };
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse().ok()).expect("a number");
        match argument.as_str() {
            "--pairs" => options.pairs = number(),
            "--side" => options.side = number() as u32,
            "--no-peer" => options.peer = false,
            _ => options.maps.push(argument),
        }
    }
    let here = Path::new(ROOT);
    let places = ["../shared/data/movingai", "../../shared/data/movingai"];
    let Some(root) = places.iter().map(|place| here.join(place)).find(|path| path.is_dir()) else {
        println!("skipped: ../shared/data/movingai is not there");
        return;
    };
    println!(
        "| map | cells | terrain | made ms | MiB | edit ms | gates us | flat us | gates / flat | cost mean | cost worst | peer made ms | peer us | peer cost | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for name in MAPS {
        if options.maps.is_empty() || options.maps.iter().any(|wanted| name.contains(wanted.as_str())) {
            for terrain in ["patches", "roads"] {
                weighted(&root, name, terrain, &options);
            }
        }
    }
    println!("\n| uniform map | cells | jump points us | gates us | cost of gates |\n|---|---|---|---|---|");
    for name in MAPS {
        if options.maps.is_empty() || options.maps.iter().any(|wanted| name.contains(wanted.as_str())) {
            uniform(&root, name, &options);
        }
    }
}

/// A map with every cell as many cells wide as fit.
fn scaled(root: &Path, name: &str, side: u32) -> Map {
    let file: PathBuf = root.join(format!("{name}.map"));
    let text = std::fs::read_to_string(file).unwrap();
    let (head, body) = text.split_once("map\n").or_else(|| text.split_once("map\r\n")).unwrap();
    let number = |key: &str| -> u32 {
        let line = head.lines().find(|line| line.starts_with(key)).unwrap();
        line[key.len()..].trim().parse().unwrap()
    };
    let (width, depth) = (number("width"), number("height"));
    let small: Vec<bool> =
        body.lines().flat_map(|row| row.trim_end().chars().map(|cell| ".GS".contains(cell))).collect();
    let times = (side / width.max(depth)).max(1);
    let cell = |id: u32| {
        let (x, z) = (id % (width * times), id / (width * times));
        small[(z / times * width + x / times) as usize]
    };
    let cells = (0..width * depth * times * times).map(cell).collect();
    Map { width: width * times, depth: depth * times, cells }
}

fn factor(terrain: &str, x: u32, z: u32) -> f32 {
    match terrain {
        "patches" => FACTORS[((x / 48 * 7 + z / 36 * 3) ^ (x / 124 * z / 68)) as usize % 6],
        _ if x % 148 < 6 || z % 164 < 6 => 0.8,
        _ if (x / 92 + z / 116).is_multiple_of(5) => 2.0,
        _ => 1.2,
    }
}

fn source(map: &Map, factor: Vec<f32>) -> CellSource {
    let frame = MapFrame { cell_size_m: 0.5, width: map.width, depth: map.depth, ..MapFrame::default() };
    // One area somewhere in the middle, to be toggled.
    let (x, z) = (map.width / 2, map.depth / 2);
    let is_in = |id: u32| (id % map.width).abs_diff(x) < 3 && (id / map.width).abs_diff(z) < 3;
    let area = (0..map.width * map.depth).map(|id| u16::from(is_in(id))).collect();
    let areas = vec![CellArea { available: true, factor: 1.0 }];
    CellSource { frame, walkable: map.cells.clone(), factor, area, areas, ..CellSource::default() }
}

/// Random pairs, each reachable from the other.
fn pairs(nav: &NavMap, map: &Map, count: usize) -> Vec<PathQuery> {
    let mut rng = Rng::stream(3, "pairs");
    let frame = *nav.cells().unwrap().frame();
    let by = Traversal::default();
    let place = |rng: &mut Rng| -> Vec3 {
        frame.on_floor(
            frame.centre(rng.below(u64::from(map.width)) as u32, rng.below(u64::from(map.depth)) as u32),
        )
    };
    let mut pairs = Vec::new();
    while pairs.len() < count {
        let (start, goal) = (place(&mut rng), place(&mut rng));
        if nav.is_walkable(start, &by) && nav.reach(start, goal, &by) == walkon_runtime::nav::Reach::Yes {
            pairs.push(PathQuery {
                start,
                goal,
                by: by.clone(),
                accept: Accept::Exact,
                goal_layer: None,
                expansions_max: u32::MAX,
                others: None,
            });
        }
    }
    pairs
}

/// The answers, and the mean microseconds of each in its fastest round.
fn ask(nav: &NavMap, pairs: &[PathQuery], rounds: usize) -> (Vec<PathAnswer>, f64) {
    let mut search = Search::default();
    let (mut answers, mut sum) = (Vec::new(), 0.0);
    for query in pairs {
        let mut best = f64::INFINITY;
        let mut answer = None;
        for _ in 0..rounds {
            let begun = ThreadTime::now();
            answer = Some(nav.plan(query, &mut search));
            best = best.min(begun.elapsed().as_secs_f64() * 1e6);
        }
        sum += best;
        answers.extend(answer);
    }
    (answers, sum / pairs.len() as f64)
}

/// Mean and worst of what paths cost over what others do.
fn costlier(ours: &[PathAnswer], best: &[PathAnswer]) -> (f64, f64) {
    let ratio =
        |(ours, best): (&PathAnswer, &PathAnswer)| f64::from(ours.path.cost_m) / f64::from(best.path.cost_m);
    let ratios: Vec<f64> = ours.iter().zip(best).map(ratio).collect();
    (ratios.iter().sum::<f64>() / ratios.len() as f64, ratios.iter().fold(0.0, |a: f64, b| a.max(*b)))
}

fn weighted(root: &Path, name: &str, terrain: &str, options: &Options) {
    let map = scaled(root, name, options.side);
    let factors: Vec<f32> =
        (0..map.width * map.depth).map(|id| factor(terrain, id % map.width, id / map.width)).collect();
    let mut cells = CellMap::from_cells(&source(&map, factors.clone())).unwrap();
    let by = Traversal::default();
    cells.set_hierarchy(HierarchyUse::Off);
    let flat = NavMap::from(cells.clone());
    let queries = pairs(&flat, &map, options.pairs);
    let (best, flat_us) = ask(&flat, &queries, 1);
    drop(flat);
    cells.set_hierarchy(HierarchyUse::On);
    let begun = ThreadTime::now();
    cells.prepare(&by);
    let made_ms = begun.elapsed().as_secs_f64() * 1e3;
    assert_eq!(cells.method(&by), Method::Gates);
    let mib = cells.hierarchy_bytes() as f64 / f64::from(1 << 20);
    let mut nav = NavMap::from(cells);
    let (ours, gates_us) = ask(&nav, &queries, 3);
    let (mean, worst) = costlier(&ours, &best);
    let edit =
        |available| NavEdit::Area(AreaEdit { area: AreaId(0), available: Some(available), factor: None });
    let begun = ThreadTime::now();
    nav.apply(&[edit(false)]);
    nav.apply(&[edit(true)]);
    let edit_ms = begun.elapsed().as_secs_f64() * 1e3 / 2.0;
    let peer = options.peer.then(|| peer(&map, &factors, &queries, &nav)).map_or_else(
        || "- | - | - | -".into(),
        |(made, us, cost)| {
            let optimum: f64 = best.iter().map(|answer| f64::from(answer.path.cost_m)).sum();
            format!("{made:.0} | {us:.0} | {:.3} | {:.1}", cost / optimum, us / gates_us)
        },
    );
    println!(
        "| {name} | {} x {} | {terrain} | {made_ms:.0} | {mib:.1} | {edit_ms:.2} | {gates_us:.0} | {flat_us:.0} | {:.3} | {mean:.4} | {worst:.4} | {peer} |",
        map.width,
        map.depth,
        gates_us / flat_us
    );
}

/// Milliseconds to make, microseconds a query, and the sum of the costs in metres.
fn peer(map: &Map, factors: &[f32], queries: &[PathQuery], nav: &NavMap) -> (f64, f64, f64) {
    let (width, depth) = (map.width as usize, map.depth as usize);
    let price = |(x, z): (usize, usize)| {
        if map.cells[z * width + x] { (factors[z * width + x] * 10.0).round() as isize } else { -1 }
    };
    let begun = ThreadTime::now();
    let config = PathCacheConfig::with_chunk_size(32);
    let cache = PathCache::new((width, depth), price, MooreNeighborhood::new(width, depth), config);
    let made_ms = begun.elapsed().as_secs_f64() * 1e3;
    let frame = *nav.cells().unwrap().frame();
    let cell = |point: Vec3| {
        let (x, z) = frame.cell_in([point.x.into(), point.z.into()]).unwrap();
        (x as usize, z as usize)
    };
    let (mut sum, mut cost) = (0.0, 0.0);
    for query in queries {
        let (start, goal) = (cell(query.start), cell(query.goal));
        let mut steps: Vec<(usize, usize)> = Vec::new();
        let mut best = f64::INFINITY;
        for _ in 0..2 {
            let begun = ThreadTime::now();
            let mut path = cache.find_path(start, goal, price).unwrap();
            steps = std::iter::from_fn(|| path.safe_next(price)).collect();
            best = best.min(begun.elapsed().as_secs_f64() * 1e6);
        }
        sum += best;
        let mut at = start;
        for step in steps {
            let length = if step.0 != at.0 && step.1 != at.1 { std::f64::consts::SQRT_2 } else { 1.0 };
            cost += length * 0.5 * f64::from(factors[step.1 * width + step.0]);
            at = step;
        }
    }
    (made_ms, sum / queries.len() as f64, cost)
}

/// Jump points beside gates where all ground costs the same but for one cell.
fn uniform(root: &Path, name: &str, options: &Options) {
    let map = scaled(root, name, options.side);
    let even = NavMap::from(CellMap::from_cells(&source(&map, Vec::new())).unwrap());
    let queries = pairs(&even, &map, options.pairs);
    let (best, jump_us) = ask(&even, &queries, 3);
    let mut factors = vec![1.0; map.cells.len()];
    factors[0] = 1.1;
    let mut cells = CellMap::from_cells(&source(&map, factors)).unwrap();
    cells.set_hierarchy(HierarchyUse::On);
    cells.prepare(&Traversal::default());
    let (ours, gates_us) = ask(&NavMap::from(cells), &queries, 3);
    let (mean, _) = costlier(&ours, &best);
    println!("| {name} | {} x {} | {jump_us:.0} | {gates_us:.0} | {mean:.4} |", map.width, map.depth);
}
