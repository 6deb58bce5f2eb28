//! Optimal paths on published game maps: ours beside `pathfinding` A* and `grid_pathfinding`, in one run.
//!
//! In: the MovingAI maps in `../shared/data/movingai`; without them it says so and stops. Out: a markdown
//! table of mean microseconds a query, path extraction included, by family, and ratios of these means.
//! Method: forty scenario lines a map, evenly spaced; each solver goes over all of them three times, warm,
//! and its fastest round in processor time counts. Every cost is compared with the published optimum;
//! `grid_pathfinding` cuts corners, so it solves an easier problem and its costs are not compared. Options:
//! `cargo bench -p walkon-benches --bench paths -- FAMILY...` for some families (or `support`, `terrain`,
//! `others` or `lengths`), `--lines N` for other numbers of lines.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use cpu_time::ThreadTime;
use grid_pathfinding::PathingGrid;
use grid_util::grid::ValueGrid;
use grid_util::point::Point;
use walkon_runtime::nav::cells::{
    Bits, CellLandmarks, CellMap, CellSource, MapFrame, SearchStrategy, Unit, WeightedGround, line_of_sight,
};
use walkon_runtime::nav::{
    Accept, ConnectedComponents, Disc, Ends, NavMap, NodeId, PathQuery, Search, SearchStep, Traversal,
};

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

const FAMILIES: [&str; 8] = ["dao", "da2", "sc1", "bg512", "mazes", "rooms", "random", "cities"];
const ROUNDS: usize = 3;

struct Map {
    width: u32,
    depth: u32,
    cells: Vec<bool>,
}

struct Line {
    start: (u32, u32),
    goal: (u32, u32),
    optimum: f64,
}

/// Mean microseconds a query, by solver.
#[derive(Clone, Default)]
struct Means {
    /// By jumps alone, and with landmarks.
    ours: [f64; 2],
    expansions: [f64; 2],
    /// Milliseconds it takes to make landmarks, and what they take, bytes a walkable cell.
    made: f64,
    bytes: f64,
    weighted: f64,
    peer_astar: f64,
    peer_jps: f64,
}

fn main() {
    let mut lines = 40;
    let mut wanted: Vec<String> = Vec::new();
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        if argument == "--lines" {
            lines = arguments.next().and_then(|count| count.parse().ok()).expect("--lines needs a number");
        } else {
            wanted.push(argument);
        }
    }
    if wanted.is_empty() || wanted.iter().any(|name| name == "lengths") {
        lengths();
    }
    let Some(root) = data() else {
        println!("skipped: ../shared/data/movingai is not there");
        return;
    };
    println!(
        "| family | queries | jumps us | expansions | with landmarks us | expansions | gain | landmarks made in ms | bytes a walkable cell | weighted us | `pathfinding` us | `grid_pathfinding` us | ratio to `pathfinding` | to `grid_pathfinding` |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for family in
        FAMILIES.iter().filter(|family| wanted.is_empty() || wanted.iter().any(|name| name == *family))
    {
        run_family(&root.join(family), family, lines);
    }
    if wanted.is_empty() || wanted.iter().any(|name| name == "support") {
        support(&root.join("sc1/Aurora.map"));
    }
    if wanted.is_empty() || wanted.iter().any(|name| name == "terrain") {
        println!(
            "\n| map | terrain | ours us | expansions | without landmarks us | expansions | landmarks made in ms | `pathfinding` us | ratio |"
        );
        println!("|---|---|---|---|---|---|---|---|---|");
        for map in ["dao/brc202d.map", "da2/ht_0_hightown.map", "sc1/Aurora.map", "cities/NewYork_1_512.map"]
        {
            terrain(&root.join(map), lines);
        }
    }
    if wanted.is_empty() || wanted.iter().any(|name| name == "others") {
        println!(
            "\n| plans, means in us | nobody | 5 others | 20 others | 5 / nobody | 20 / nobody | closed in by 20 | `pathfinding` on a stamped copy, 20 | to 20 |"
        );
        println!("|---|---|---|---|---|---|---|---|---|");
        for map in ["dao/brc202d.map", "sc1/Aurora.map", "rooms/16room_000.map", "cities/NewYork_1_512.map"] {
            others(&root.join(map), lines);
        }
    }
}

/// Whole plans (ends, search, smoothing) past people who stand on the way itself, beside the same without
/// them.
fn others(file: &Path, lines: usize) {
    const RADIUS_M: f32 = 0.35 * 0.6;
    let map = read_map(&std::fs::read_to_string(file).unwrap());
    let all = read_lines(&std::fs::read_to_string(format!("{}.scen", file.display())).unwrap());
    let chosen: Vec<&Line> = (0..lines).map(|nth| &all[(2 * nth + 1) * all.len() / (2 * lines)]).collect();
    let frame = MapFrame { cell_size_m: 0.4, width: map.width, depth: map.depth, ..MapFrame::default() };
    let source = CellSource { frame, walkable: map.cells.clone(), ..CellSource::default() };
    let nav = NavMap::from(CellMap::from_cells(&source).unwrap());
    let at = |cell: (u32, u32)| frame.on_floor(frame.centre(cell.0, cell.1));
    let mut search = Search::default();
    let query = |line: &Line, discs: Vec<Disc>| PathQuery {
        start: at(line.start),
        goal: at(line.goal),
        by: Traversal::default(),
        accept: Accept::Exact,
        goal_layer: None,
        expansions_max: u32::MAX,
        others: (!discs.is_empty()).then(|| discs.into()),
    };
    // On the way, evenly spaced, and not over its ends.
    let on_the_way = |line: &Line, count: usize, search: &mut Search| -> Vec<Disc> {
        let _ = nav.plan(&query(line, Vec::new()), search);
        let mut nodes = Vec::new();
        search.nodes(&mut nodes);
        let inner = nodes.get(3..nodes.len().saturating_sub(3)).unwrap_or(&[]);
        let place = |nth: usize| inner.get((2 * nth + 1) * inner.len() / (2 * count));
        let nodes = (0..count).filter_map(place);
        let centre = |node: &NodeId| at((node.0 % map.width, node.0 / map.width));
        nodes.map(|node| Disc { centre: centre(node), radius_m: RADIUS_M }).collect()
    };
    let around = |line: &Line| -> Vec<Disc> {
        let centre = at(line.goal);
        let point = |nth: usize| {
            let angle = nth as f32 / 20.0 * std::f32::consts::TAU;
            centre + 1.6 * glam::Vec3::new(angle.cos(), 0.0, angle.sin())
        };
        (0..20).map(|nth| Disc { centre: point(nth), radius_m: 0.3 }).collect()
    };
    let mut sets: Vec<Vec<PathQuery>> = Vec::new();
    for count in [0, 5, 20] {
        sets.push(chosen.iter().map(|line| query(line, on_the_way(line, count, &mut search))).collect());
    }
    sets.push(chosen.iter().map(|line| query(line, around(line))).collect());
    // The fastest of several rounds for each, because a round of long plans is seldom left in peace.
    let mean = |queries: &[PathQuery], search: &mut Search| {
        let mut best = vec![f64::INFINITY; queries.len()];
        for _ in 0..9 {
            for (best, query) in best.iter_mut().zip(queries) {
                let begun = ThreadTime::now();
                drop(black_box(nav.plan(query, search)));
                *best = best.min(begun.elapsed().as_secs_f64() * 1e6);
            }
        }
        best.iter().sum::<f64>() / queries.len() as f64
    };
    let ours: Vec<f64> = sets.iter().map(|queries| mean(queries, &mut search)).collect();
    let peer_round = |line: &Line, query: &PathQuery| {
        let begun = ThreadTime::now();
        let mut copy = Map { width: map.width, depth: map.depth, cells: map.cells.clone() };
        for disc in query.others.as_deref().unwrap_or(&[]) {
            let (x, z) = frame.cell_in([disc.centre.x.into(), disc.centre.z.into()]).unwrap();
            // The circle reaches over the edges of the cell that holds its centre by a centimetre.
            for (dx, dz) in [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1)] {
                let (x, z) = (x.wrapping_add_signed(dx), z.wrapping_add_signed(dz));
                if x < map.width && z < map.depth {
                    copy.cells[(z * map.width + x) as usize] = false;
                }
            }
        }
        black_box(pathfinding::directed::astar::astar(
            &line.start,
            |&cell| copy.steps(cell),
            |&cell| octile(cell, line.goal),
            |&cell| cell == line.goal,
        ));
        begun.elapsed().as_secs_f64() * 1e6
    };
    let fastest = |(line, query): (&&Line, &PathQuery)| {
        (0..ROUNDS).map(|_| peer_round(line, query)).fold(f64::INFINITY, f64::min)
    };
    let peer = chosen.iter().zip(&sets[2]).map(fastest).sum::<f64>() / chosen.len() as f64;
    let name = file.file_stem().unwrap().to_string_lossy();
    println!(
        "| {name} | {:.1} | {:.1} | {:.1} | {:.2} | {:.2} | {:.1} | {peer:.0} | {:.0} |",
        ours[0],
        ours[1],
        ours[2],
        ours[1] / ours[0],
        ours[2] / ours[0],
        ours[3],
        peer / ours[2]
    );
}

/// Whole plans by the length of the way, over fields that need no files.
fn lengths() {
    println!(
        "| field of 512 x 512 | cells | first plan us | first, room made before us | later plans us | with landmarks us | `pathfinding` us | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (name, blocked) in [("open", 0), ("one cell in fifty blocked", 512 * 512 / 50)] {
        let mut cells = vec![true; 512 * 512];
        scattered(blocked, 512 * 512).into_iter().for_each(|cell| cells[cell as usize] = false);
        let map = Map { width: 512, depth: 512, cells };
        let frame = MapFrame { cell_size_m: 0.4, width: 512, depth: 512, ..MapFrame::default() };
        let source = CellSource { frame, walkable: map.cells.clone(), ..CellSource::default() };
        let nav = NavMap::from(CellMap::from_cells(&source).unwrap());
        let mut prepared = nav.clone();
        prepared.prepare(&Traversal::default());
        for length in [5, 20, 100, 500] {
            lengths_row(name, (&map, [&nav, &prepared], frame), length);
        }
    }
}

/// One row: ways that go two cells along for each one aside, between open cells.
fn lengths_row(name: &str, (map, [nav, prepared], frame): (&Map, [&NavMap; 2], MapFrame), length: u32) {
    let begin = |nth: u32| {
        let start = (6 + nth * 7 % (506 - length).max(1), 3 + nth * 13 % (505 - length / 2));
        (start, (start.0 + length, start.1 + length / 2))
    };
    let is_open = |cell: (u32, u32)| map.free(cell.0, cell.1);
    let pairs: Vec<_> =
        (0..400).map(begin).filter(|(start, goal)| is_open(*start) && is_open(*goal)).take(40).collect();
    let at = |cell: (u32, u32)| frame.on_floor(frame.centre(cell.0, cell.1));
    let query = |&(start, goal): &((u32, u32), (u32, u32))| PathQuery {
        start: at(start),
        goal: at(goal),
        by: Traversal::default(),
        accept: Accept::Exact,
        goal_layer: None,
        expansions_max: u32::MAX,
        others: None,
    };
    let queries: Vec<PathQuery> = pairs.iter().map(query).collect();
    let micros = |nav: &NavMap, search: &mut Search, queries: &[PathQuery]| {
        let begun = ThreadTime::now();
        queries.iter().for_each(|query| drop(black_box(nav.plan(query, search))));
        begun.elapsed().as_secs_f64() * 1e6 / queries.len() as f64
    };
    let first = micros(nav, &mut Search::default(), &queries[..1]);
    let mut search = Search::for_map(nav);
    let ready = micros(nav, &mut search, &queries[..1]);
    let (mut later, mut guided) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..9 {
        later = later.min(micros(nav, &mut search, &queries));
        guided = guided.min(micros(prepared, &mut search, &queries));
    }
    let peer = |&(start, goal): &((u32, u32), (u32, u32))| {
        black_box(pathfinding::directed::astar::astar(
            &start,
            |&cell| map.steps(cell),
            |&cell| octile(cell, goal),
            |&cell| cell == goal,
        ));
    };
    let peer_round = || {
        let begun = ThreadTime::now();
        pairs.iter().for_each(peer);
        begun.elapsed().as_secs_f64() * 1e6 / pairs.len() as f64
    };
    let peer = (0..ROUNDS).map(|_| peer_round()).fold(f64::INFINITY, f64::min);
    println!(
        "| {name} | {length} | {first:.1} | {ready:.1} | {later:.2} | {guided:.2} | {peer:.1} | {:.0} |",
        peer / guided
    );
}

/// Nanoseconds of one round of `work`, in the fastest of several.
fn nanos(mut work: impl FnMut()) -> f64 {
    let round = |work: &mut dyn FnMut()| {
        let begun = ThreadTime::now();
        work();
        begun.elapsed().as_secs_f64() * 1e9
    };
    (0..7).map(|_| round(&mut work)).fold(f64::INFINITY, f64::min)
}

/// A cheap repeatable sequence of numbers below a bound.
fn scattered(count: u32, bound: u32) -> Vec<u32> {
    (0..count).map(|nth| (u64::from(nth).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as u32 % bound).collect()
}

/// The operations around a search, on one large map.
fn support(file: &Path) {
    let map = read_map(&std::fs::read_to_string(file).unwrap());
    let cells = f64::from(map.width * map.depth);
    let mut bits = map.bits();
    let words = map.width.div_ceil(64) as usize;
    let rows: Vec<u64> = (0..map.depth)
        .flat_map(|z| (0..words).map(move |word| (z, word)))
        .map(|(z, word)| bits.row_word(z, word))
        .collect();
    let places: Vec<(u32, u32)> = scattered(100_000, map.width * map.depth)
        .into_iter()
        .map(|id| (id % map.width, id / map.width))
        .collect();
    let count = places.len() as f64;
    println!("\n| operation on {} x {} cells | ns |\n|---|---|", map.width, map.depth);
    let build = nanos(|| drop(black_box(Bits::from_rows(map.width, map.depth, &rows))));
    println!("| build bits, per cell | {:.2} |", build / cells);
    let label = nanos(|| drop(black_box(ConnectedComponents::of(&bits))));
    println!("| label components, per cell (whole map {:.2} ms) | {:.2} |", label / 1e6, label / cells);
    let labels = ConnectedComponents::of(&bits);
    let ask =
        nanos(|| places.iter().for_each(|&(x, z)| assert!(black_box(labels.label(x, z)) != Some(u32::MAX))));
    println!("| label of a cell | {:.1} |", ask / count);
    let set = nanos(|| {
        places.iter().for_each(|&(x, z)| {
            let free = bits.get(x, z);
            bits.set(x, z, !free);
        });
    });
    println!("| flip a cell | {:.1} |", set / count);
    let (mut long, mut touched) = (Vec::new(), 0.0);
    for pair in places.windows(2).take(20_000) {
        let [from, to] = [pair[0], pair[1]].map(|(x, z)| [f64::from(x) + 0.5, f64::from(z) + 0.5]);
        touched += (from[0] - to[0]).abs().max((from[1] - to[1]).abs());
        long.push((from, to));
    }
    let open = Bits::from_rows(map.width, map.depth, &vec![!0; rows.len()]);
    let sight = nanos(|| {
        long.iter().for_each(|&(from, to)| assert!(black_box(line_of_sight::clear(&open, from, to))))
    });
    println!("| clear line, per column of cells crossed | {:.2} |", sight / touched);
    let largest = labels.runs().map(|run| run.label).max_by_key(|&label| labels.cells(label)).unwrap();
    let far = nanos(|| {
        for &(x, z) in places.iter().take(1000) {
            let (point, is_largest) = ([x.into(), z.into()], |label| label == largest);
            assert!(black_box(labels.closest_where(point, f64::INFINITY, is_largest)).is_some());
        }
    });
    println!("| nearest cell of the largest component | {:.0} |", far / 1000.0);
}

/// Kinds of terrain laid over a map.
const TERRAINS: [&str; 5] = ["patches", "wide patches", "noise", "roads", "bands"];

/// The fixed-point factor of every cell of a map under some terrain.
fn painted(map: &Map, terrain: &str) -> Vec<u16> {
    let kinds = [500, 600, 750, 1000, 400, 650];
    let cells = map.width * map.depth;
    let random = scattered(cells, 6);
    let middles: Vec<(u32, u32)> =
        scattered(cells / 1600 + 1, cells).into_iter().map(|id| (id % map.width, id / map.width)).collect();
    let nearest = |x: u32, z: u32| {
        let away = |&(mx, mz): &(u32, u32)| mx.abs_diff(x).pow(2) + mz.abs_diff(z).pow(2);
        (0..middles.len()).min_by_key(|&nth| away(&middles[nth])).unwrap()
    };
    let factor = |id: u32| {
        let (x, z) = (id % map.width, id / map.width);
        match terrain {
            "patches" => kinds[((x / 12 * 7 + z / 9 * 3) ^ (x / 31 * z / 17)) as usize % 6],
            "wide patches" => kinds[nearest(x, z) * 7 % 6],
            "noise" => kinds[random[id as usize] as usize],
            "roads" if x % 37 < 2 || z % 41 < 2 => 400,
            "roads" => 600 + 400 * u16::from((x / 23 + z / 29) % 5 == 0),
            _ => kinds[((x + 2 * z) / 24) as usize % 6],
        }
    };
    (0..cells).map(factor).collect()
}

/// Terrain of six factors, ours beside `pathfinding`.
fn terrain(file: &Path, lines: usize) {
    let map = read_map(&std::fs::read_to_string(file).unwrap());
    let all = read_lines(&std::fs::read_to_string(format!("{}.scen", file.display())).unwrap());
    let chosen: Vec<&Line> = (0..lines).map(|nth| &all[(2 * nth + 1) * all.len() / (2 * lines)]).collect();
    let name = file.file_stem().unwrap().to_string_lossy();
    for terrain in TERRAINS {
        let row = weigh(&map, &painted(&map, terrain), &chosen);
        println!("| {name} | {terrain} | {row} |");
    }
}

/// One row: with landmarks, without, and the peer, all at the same costs.
fn weigh(map: &Map, factor: &[u16], chosen: &[&Line]) -> String {
    let bits = map.bits();
    let unit = Unit::for_map(u64::from(map.width * map.depth), 1000);
    let plain = WeightedGround { factor, cheapest: 400, unit, ..WeightedGround::even(&bits) };
    let id = |cell: (u32, u32)| NodeId(cell.1 * map.width + cell.0);
    let begun = ThreadTime::now();
    let landmarks = CellLandmarks::of(&plain, id(chosen[0].start));
    let made = begun.elapsed().as_secs_f64() * 1e3;
    let guided = WeightedGround { far: Some((&landmarks).into()), ..plain };
    let (mut search, mut nodes) = (Search::default(), Vec::new());
    let mut costs: Vec<u32> = Vec::new();
    let [(near, near_expansions), (far, far_expansions)] = [plain, guided].map(|ground| {
        let mut expansions = 0;
        costs.clear();
        let mean = fastest(chosen, |line| {
            search.begin_weighted(&ground, Ends { start: id(line.start), goal: id(line.goal) });
            search.step_weighted(&ground, u32::MAX);
            search.nodes(&mut nodes);
            expansions += search.spent();
            costs.push(search.cost().0);
        });
        (mean, f64::from(expansions) / (ROUNDS * chosen.len()) as f64)
    });
    let price = |length: u32, cell: (u32, u32)| (length * u32::from(factor[id(cell).index()]) + 250) / 500;
    let floor = unit.scaled(400);
    let mut nth = 0;
    let peer = fastest(chosen, |line| {
        let path = pathfinding::directed::astar::astar(
            &line.start,
            |&cell| {
                map.steps(cell).map(|(to, length)| {
                    (to, price(if length == 13_860 { unit.straight } else { unit.diagonal }, to))
                })
            },
            |&cell| {
                let (dx, dz) = (cell.0.abs_diff(line.goal.0), cell.1.abs_diff(line.goal.1));
                floor.straight * dx.max(dz) + (floor.diagonal - floor.straight) * dx.min(dz)
            },
            |&cell| cell == line.goal,
        );
        if let Some((_, cost)) = black_box(path) {
            assert_eq!(cost, costs[nth % chosen.len()]);
        }
        nth += 1;
    });
    let ratio = peer / far;
    format!(
        "{far:.0} | {far_expansions:.0} | {near:.0} | {near_expansions:.0} | {made:.0} | {peer:.0} | {ratio:.1}"
    )
}

fn data() -> Option<PathBuf> {
    let here = Path::new(ROOT);
    let places = ["../shared/data/movingai", "../../shared/data/movingai"];
    places.iter().map(|place| here.join(place)).find(|path| path.is_dir())
}

fn run_family(folder: &Path, family: &str, lines: usize) {
    let mut total = Means::default();
    let mut queries = 0_u32;
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "map"));
    files.sort();
    for file in files {
        let map = read_map(&std::fs::read_to_string(&file).unwrap());
        let all = read_lines(&std::fs::read_to_string(format!("{}.scen", file.display())).unwrap());
        let chosen: Vec<&Line> =
            (0..lines).map(|nth| &all[(2 * nth + 1) * all.len() / (2 * lines)]).collect();
        let mut means = run_map(&map, &chosen, &file.display().to_string());
        queries += chosen.len() as u32;
        for (sum, mean) in total.fields().into_iter().zip(means.fields()) {
            *sum += *mean * chosen.len() as f64;
        }
    }
    total.fields().into_iter().for_each(|sum| *sum /= f64::from(queries));
    let Means { ours, expansions, made, bytes, weighted, peer_astar, peer_jps } = total;
    println!(
        "| {family} | {queries} | {:.1} | {:.0} | {:.1} | {:.0} | {:.2} | {made:.1} | {bytes:.1} | {weighted:.0} | {peer_astar:.0} | {peer_jps:.0} | {:.1} | {:.1} |",
        ours[0],
        expansions[0],
        ours[1],
        expansions[1],
        ours[0] / ours[1],
        peer_astar / ours[1],
        peer_jps / ours[1]
    );
}

impl Means {
    fn fields(&mut self) -> [&mut f64; 9] {
        let Self { ours: [jumps, far], expansions: [all, few], made, bytes, weighted, peer_astar, peer_jps } =
            self;
        [jumps, far, all, few, made, bytes, weighted, peer_astar, peer_jps]
    }
}

fn run_map(map: &Map, lines: &[&Line], name: &str) -> Means {
    let bits = map.bits();
    let ground = WeightedGround::even(&bits);
    let mut search = Search::default();
    let mut nodes = Vec::new();
    let unit = f64::from(ground.unit.straight);
    let id = |cell: (u32, u32)| NodeId(cell.1 * map.width + cell.0);
    let check = |cost: u32, line: &Line, solver: &str| {
        let difference = (f64::from(cost) / unit - line.optimum).abs();
        let (start, goal, optimum) = (line.start, line.goal, line.optimum);
        assert!(
            difference <= 1e-3 * optimum + 1e-4,
            "{name} {solver} {start:?} {goal:?}: optimum {optimum}, cost {cost}"
        );
    };
    let begun = ThreadTime::now();
    let landmarks = CellLandmarks::of(&ground, id(lines[0].start));
    let made = begun.elapsed().as_secs_f64() * 1e3;
    let bytes = landmarks.bytes() as f64 / bits.count() as f64;
    // As maps do: where they do not help they are left out.
    let guided = WeightedGround { far: landmarks.are_worth_it().then(|| (&landmarks).into()), ..ground };
    let pace = SearchStrategy::of(&bits);
    let mut expansions = [0.0; 2];
    let ours = [0, 1].map(|nth| {
        let ground = [&ground, &guided][nth];
        fastest(lines, |line| {
            search.begin_jump(ground, pace, Ends { start: id(line.start), goal: id(line.goal) });
            let step = search.step_jump(ground, u32::MAX);
            search.nodes(&mut nodes);
            expansions[nth] += f64::from(search.spent()) / (ROUNDS * lines.len()) as f64;
            black_box(nodes.len());
            if step == SearchStep::Found {
                check(search.cost().0, line, ["jumps", "landmarks"][nth]);
            }
        })
    });
    let weighted = fastest(lines, |line| {
        search.begin_weighted(&ground, Ends { start: id(line.start), goal: id(line.goal) });
        let step = search.step_weighted(&ground, u32::MAX);
        search.nodes(&mut nodes);
        black_box(nodes.len());
        if step == SearchStep::Found {
            check(search.cost().0, line, "weighted");
        }
    });
    let peer_astar = fastest(lines, |line| {
        let path = pathfinding::directed::astar::astar(
            &line.start,
            |&cell| map.steps(cell),
            |&cell| octile(cell, line.goal),
            |&cell| cell == line.goal,
        );
        if let Some((cells, _)) = black_box(path) {
            let cost: u32 = cells.windows(2).map(|pair| octile(pair[0], pair[1])).sum();
            assert!((f64::from(cost) / 13_860.0 - line.optimum).abs() <= 1e-3 * line.optimum + 1e-4);
        }
    });
    let grid = map.peer_grid();
    let peer_jps = fastest(lines, |line| {
        let point = |cell: (u32, u32)| Point::new(cell.0 as i32, cell.1 as i32);
        black_box(grid.get_path_single_goal(point(line.start), point(line.goal), false));
    });
    Means { ours, expansions, made, bytes, weighted, peer_astar, peer_jps }
}

/// Mean microseconds a line in the fastest of the rounds.
fn fastest(lines: &[&Line], mut solve: impl FnMut(&Line)) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let begun = ThreadTime::now();
        lines.iter().for_each(|line| solve(line));
        best = best.min(begun.elapsed().as_secs_f64() * 1e6 / lines.len() as f64);
    }
    best
}

fn octile(a: (u32, u32), b: (u32, u32)) -> u32 {
    let (dx, dz) = (a.0.abs_diff(b.0), a.1.abs_diff(b.1));
    13_860 * dx.max(dz) + (19_601 - 13_860) * dx.min(dz)
}

impl Map {
    fn free(&self, x: u32, z: u32) -> bool {
        x < self.width && z < self.depth && self.cells[(z * self.width + x) as usize]
    }

    fn bits(&self) -> Bits {
        let words = self.width.div_ceil(64) as usize;
        let mut rows = vec![0; words * self.depth as usize];
        for (at, _) in self.cells.iter().enumerate().filter(|(_, free)| **free) {
            let (x, z) = (at % self.width as usize, at / self.width as usize);
            rows[z * words + x / 64] |= 1 << (x % 64);
        }
        Bits::from_rows(self.width, self.depth, &rows)
    }

    /// The steps of one cell for the peer, without an allocation.
    fn steps(&self, (x, z): (u32, u32)) -> impl Iterator<Item = ((u32, u32), u32)> + use<> {
        let (left, right) = (x.wrapping_sub(1), x + 1);
        let (up, down) = (z.wrapping_sub(1), z + 1);
        let (west, east) = (self.free(left, z), self.free(right, z));
        let (north, south) = (self.free(x, up), self.free(x, down));
        [
            east.then_some(((right, z), 13_860)),
            west.then_some(((left, z), 13_860)),
            south.then_some(((x, down), 13_860)),
            north.then_some(((x, up), 13_860)),
            (east && south && self.free(right, down)).then_some(((right, down), 19_601)),
            (east && north && self.free(right, up)).then_some(((right, up), 19_601)),
            (west && south && self.free(left, down)).then_some(((left, down), 19_601)),
            (west && north && self.free(left, up)).then_some(((left, up), 19_601)),
        ]
        .into_iter()
        .flatten()
    }

    fn peer_grid(&self) -> PathingGrid {
        let mut grid = PathingGrid::new(self.width as usize, self.depth as usize, true);
        for z in 0..self.depth {
            for x in 0..self.width {
                grid.set(x as i32, z as i32, !self.free(x, z));
            }
        }
        grid.initialize();
        grid.generate_components();
        grid
    }
}

fn read_map(text: &str) -> Map {
    let (head, body) = text.split_once("map\n").or_else(|| text.split_once("map\r\n")).unwrap();
    let number = |key: &str| {
        let line = head.lines().find(|line| line.starts_with(key)).unwrap();
        line[key.len()..].trim().parse().unwrap()
    };
    let cells =
        body.lines().flat_map(|row| row.trim_end().chars().map(|cell| ".GS".contains(cell))).collect();
    Map { width: number("width"), depth: number("height"), cells }
}

fn read_lines(text: &str) -> Vec<Line> {
    let line = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let at = |field: usize| fields[field].parse::<u32>().unwrap();
        Line { start: (at(4), at(5)), goal: (at(6), at(7)), optimum: fields[8].parse().unwrap() }
    };
    text.lines().filter(|line| line.split_whitespace().count() == 9).map(line).collect()
}
