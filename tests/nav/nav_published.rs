//! Maps with known optima: one of our own, and the published MovingAI scenarios (Sturtevant 2012) when they
//! are at hand. Every tenth scenario line; all of them with `WALKON_ALL=1`.
#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};

use walkon_runtime::nav::cells::{Bits, SearchStrategy, WeightedGround};
use walkon_runtime::nav::{ConnectedComponents, Ends, NodeId, Search, SearchStep};

struct Published {
    bits: Bits,
    lines: Vec<(Ends, f64)>,
}

fn folder() -> Option<PathBuf> {
    crate::when_at_hand::at_hand("movingai")
}

fn maps(folder: &Path) -> Vec<PathBuf> {
    let list = |path: &Path| -> Vec<PathBuf> {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        entries
    };
    let mut files: Vec<PathBuf> = list(folder).iter().flat_map(|family| list(family)).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "map"));
    files
}

fn read(file: &Path) -> Published {
    let text = std::fs::read_to_string(file).unwrap();
    let rows: Vec<&str> = text.lines().skip(4).collect();
    let number =
        |line: usize| text.lines().nth(line).unwrap().split(' ').nth(1).unwrap().parse::<u32>().unwrap();
    let (depth, width) = (number(1), number(2));
    let mut bits = Bits::new(width, depth);
    for (z, row) in (0..depth).zip(rows) {
        for (x, cell) in (0..width).zip(row.bytes()) {
            bits.set(x, z, matches!(cell, b'.' | b'G' | b'S'));
        }
    }
    let scenarios = std::fs::read_to_string(format!("{}.scen", file.display())).unwrap();
    let line = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let cell = |at: usize| {
            let (x, z): (u32, u32) = (fields[at].parse().unwrap(), fields[at + 1].parse().unwrap());
            NodeId(z * width + x)
        };
        (Ends { start: cell(4), goal: cell(6) }, fields[8].parse().unwrap())
    };
    Published { bits, lines: scenarios.lines().skip(1).filter(|text| !text.is_empty()).map(line).collect() }
}

#[test]
fn seed_a1_published_scenarios_are_answered_with_their_optimum() {
    if let Some(folder) = folder() {
        answer_all(&folder);
    }
}

fn own() -> PathBuf {
    crate::place::root().join("tests/data/movingai")
}

#[test]
fn scenarios_of_our_own_are_answered_with_their_optimum() {
    assert!(answer_all(&own()) > 10);
}

/// The cheapest way by looking at everything, and by the rules of the format: no diagonal past a corner.
fn dijkstra(bits: &Bits, ends: Ends) -> f64 {
    let width = bits.width();
    let is_free = |x: i64, z: i64| {
        let is_inside = (0..i64::from(width)).contains(&x) && (0..i64::from(bits.depth())).contains(&z);
        is_inside && bits.get(x as u32, z as u32)
    };
    let count = (width * bits.depth()) as usize;
    let (mut costs, mut is_done) = (vec![f64::INFINITY; count], vec![false; count]);
    costs[ends.start.0 as usize] = 0.0;
    loop {
        let open = (0..count).filter(|&node| !is_done[node] && costs[node].is_finite());
        let Some(node) = open.min_by(|&a, &b| costs[a].total_cmp(&costs[b])) else { return f64::INFINITY };
        if node == ends.goal.0 as usize {
            return costs[node];
        }
        is_done[node] = true;
        let (x, z) = (node as i64 % i64::from(width), node as i64 / i64::from(width));
        for (dx, dz) in (-1..=1).flat_map(|dz| (-1..=1).map(move |dx| (dx, dz))) {
            if is_free(x + dx, z + dz) && is_free(x + dx, z) && is_free(x, z + dz) {
                let next = ((z + dz) * i64::from(width) + x + dx) as usize;
                let cost = costs[node] + ((dx * dx + dz * dz) as f64).sqrt();
                costs[next] = costs[next].min(cost);
            }
        }
    }
}

#[test]
fn the_optima_of_our_own_scenarios_are_those_of_dijkstra() {
    for file in maps(&own()) {
        let Published { bits, lines } = read(&file);
        for (ends, optimum) in lines.into_iter().step_by(8) {
            assert!((dijkstra(&bits, ends) - optimum).abs() < 1e-6, "{ends:?}: {optimum}");
        }
    }
}

/// Answers the scenarios of every map below a folder; how many lines.
fn answer_all(folder: &Path) -> usize {
    let every = if std::env::var("WALKON_ALL").is_ok() { 1 } else { 10 };
    let (mut search, mut nodes, mut answered) = (Search::default(), Vec::new(), 0);
    for file in maps(folder) {
        let Published { bits, lines } = read(&file);
        let labels = ConnectedComponents::of(&bits);
        let cell = |node: NodeId| (node.0 % bits.width(), node.0 / bits.width());
        let even = WeightedGround::even(&bits);
        let unit = f64::from(even.unit.straight);
        for (ends, optimum) in lines.into_iter().step_by(every) {
            let ((start_x, start_z), (goal_x, goal_z)) = (cell(ends.start), cell(ends.goal));
            let reachable = labels.label(start_x, start_z) == labels.label(goal_x, goal_z);
            search.begin_jump(&even, SearchStrategy::of(&bits), ends);
            let step = search.step_jump(&even, u32::MAX);
            assert_eq!(step == SearchStep::Found, reachable, "{} {ends:?}", file.display());
            // Some files give two decimals only. Lines whose optimum is zero are trivial or cannot be
            // reached.
            if step == SearchStep::Found && optimum > 0.0 {
                let cost = f64::from(search.cost().0) / unit;
                let difference = (cost - optimum).abs();
                assert!(
                    difference <= 1e-3 * optimum + 0.005,
                    "{} {ends:?}: {cost}, published {optimum}",
                    file.display()
                );
                search.nodes(&mut nodes);
                assert_eq!((nodes.first(), nodes.last()), (Some(&ends.start), Some(&ends.goal)));
            }
            answered += 1;
        }
    }
    println!("{answered} scenario lines answered");
    answered
}
