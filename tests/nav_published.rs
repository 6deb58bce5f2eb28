//! Published maps with published optima: the MovingAI scenarios (Sturtevant 2012), when they are at hand.
//! Every tenth scenario line; all of them with `WALKON_ALL=1`.
#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};

use walkon::nav::cells::{Bits, Ground};
use walkon::nav::{Ends, Labels, NodeId, Search, Step};

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
    let Some(folder) = folder() else { return };
    let every = if std::env::var("WALKON_ALL").is_ok() { 1 } else { 10 };
    let (mut search, mut nodes, mut answered) = (Search::default(), Vec::new(), 0);
    for file in maps(&folder) {
        let Published { bits, lines } = read(&file);
        let labels = Labels::of(&bits);
        let cell = |node: NodeId| (node.0 % bits.width(), node.0 / bits.width());
        let unit = f64::from(Ground::even(&bits).unit.straight);
        for (ends, optimum) in lines.into_iter().step_by(every) {
            let ((start_x, start_z), (goal_x, goal_z)) = (cell(ends.start), cell(ends.goal));
            let reachable = labels.label(start_x, start_z) == labels.label(goal_x, goal_z);
            search.begin_jump(&bits, ends);
            let step = search.step_jump(&bits, u32::MAX);
            assert_eq!(step == Step::Found, reachable, "{} {ends:?}", file.display());
            // Some files give two decimals only. Lines whose optimum is zero are trivial or cannot be reached.
            if step == Step::Found && optimum > 0.0 {
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
}
