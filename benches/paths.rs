//! Optimal paths on published game maps: ours beside `pathfinding` A* and `grid_pathfinding`, in one run.
//!
//! In: the MovingAI maps in `../shared/data/movingai`; without them it says so and stops. Out: a markdown table of
//! mean microseconds a query, path extraction included, by family, and ratios of these means.
//! Method: forty scenario lines a map, evenly spaced; each solver goes over all of them three times, warm, and its
//! fastest round counts. Every cost is compared with the published optimum; `grid_pathfinding` cuts corners, so it
//! solves an easier problem and its costs are not compared.
//! Options: `cargo bench --bench paths -- FAMILY...` for some families, `--lines N` for other numbers of lines.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_precision_loss
)]
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use grid_pathfinding::PathingGrid;
use grid_util::grid::ValueGrid;
use grid_util::point::Point;
use walkon::nav::cells::{Bits, Ground};
use walkon::nav::{Ends, NodeId, Search, Step};

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
#[derive(Clone, Copy, Default)]
struct Means {
    ours: f64,
    weighted: f64,
    peer_astar: f64,
    peer_jps: f64,
    expansions: f64,
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
    let Some(root) = data() else {
        println!("skipped: ../shared/data/movingai is not there");
        return;
    };
    println!(
        "| family | queries | ours us | expansions | weighted us | `pathfinding` us | `grid_pathfinding` us | ratio to `pathfinding` | to `grid_pathfinding` |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for family in
        FAMILIES.iter().filter(|family| wanted.is_empty() || wanted.iter().any(|name| name == *family))
    {
        run_family(&root.join(family), family, lines);
    }
}

fn data() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places = ["../shared/data/movingai", "../../shared/data/movingai"];
    places.iter().map(|place| here.join(place)).find(|path| path.is_dir())
}

fn run_family(folder: &Path, family: &str, lines: usize) {
    let mut total = Means::default();
    let mut queries = 0;
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "map"));
    files.sort();
    for file in files {
        let map = read_map(&std::fs::read_to_string(&file).unwrap());
        let all = read_lines(&std::fs::read_to_string(format!("{}.scen", file.display())).unwrap());
        let chosen: Vec<&Line> =
            (0..lines).map(|nth| &all[(2 * nth + 1) * all.len() / (2 * lines)]).collect();
        let means = run_map(&map, &chosen, &file.display().to_string());
        queries += chosen.len();
        for (sum, mean) in [
            (&mut total.ours, means.ours),
            (&mut total.weighted, means.weighted),
            (&mut total.peer_astar, means.peer_astar),
            (&mut total.peer_jps, means.peer_jps),
            (&mut total.expansions, means.expansions),
        ] {
            *sum += mean * chosen.len() as f64;
        }
    }
    let mean = |sum: f64| sum / queries as f64;
    println!(
        "| {family} | {queries} | {:.1} | {:.0} | {:.0} | {:.0} | {:.0} | {:.1} | {:.1} |",
        mean(total.ours),
        mean(total.expansions),
        mean(total.weighted),
        mean(total.peer_astar),
        mean(total.peer_jps),
        total.peer_astar / total.ours,
        total.peer_jps / total.ours
    );
}

fn run_map(map: &Map, lines: &[&Line], name: &str) -> Means {
    let bits = map.bits();
    let ground = Ground::even(&bits);
    let mut search = Search::default();
    let mut nodes = Vec::new();
    let mut expansions = 0;
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
    let ours = fastest(lines, |line| {
        search.begin_jump(&bits, Ends { start: id(line.start), goal: id(line.goal) });
        let step = search.step_jump(&bits, u32::MAX);
        search.nodes(&mut nodes);
        expansions += search.spent();
        black_box(nodes.len());
        if step == Step::Found {
            check(search.cost().0, line, "ours");
        }
    });
    let weighted = fastest(lines, |line| {
        search.begin_weighted(&ground, Ends { start: id(line.start), goal: id(line.goal) });
        let step = search.step_weighted(&ground, u32::MAX);
        search.nodes(&mut nodes);
        black_box(nodes.len());
        if step == Step::Found {
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
    let expansions = f64::from(expansions) / (ROUNDS * lines.len()) as f64;
    Means { ours, weighted, peer_astar, peer_jps, expansions }
}

/// Mean microseconds a line in the fastest of the rounds.
fn fastest(lines: &[&Line], mut solve: impl FnMut(&Line)) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let begun = Instant::now();
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
