//! Whole levels: ticks a second, and how long a run takes to start.
//!
//! `cargo bench -p walkon-benches --bench levels`. Every shipped level runs headlessly with its scripts; the
//! fastest of five runs counts. Start-up is the whole process of `walkon run LEVEL --ticks 1`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Levels, with the ticks that are run.
const LEVELS: [(&str, u64); 4] =
    [("courtyard", 36_000), ("house", 18_000), ("ruins", 18_000), ("market", 6_000)];

fn main() {
    let program = program();
    println!("| level | ticks | ticks a second | start-up ms |\n|---|---|---|---|");
    for (level, ticks) in LEVELS {
        let whole = fastest(&program, level, ticks);
        let start = fastest(&program, level, 1);
        let rate = ticks as f64 / (whole - start).max(1e-9);
        println!("| {level} | {ticks} | {rate:.0} | {:.1} |", start * 1e3);
    }
}

/// The program, built with the profile of the benchmarks.
fn program() -> PathBuf {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--profile", "bench", "--bin", "walkon"])
        .current_dir(ROOT)
        .status()
        .unwrap();
    assert!(built.success(), "walkon does not build");
    let bench = std::env::current_exe().unwrap();
    bench.parent().and_then(Path::parent).unwrap().join(format!("walkon{}", std::env::consts::EXE_SUFFIX))
}

/// Seconds of the fastest of five whole processes.
fn fastest(program: &Path, level: &str, ticks: u64) -> f64 {
    let run = || {
        let began = Instant::now();
        let ended = Command::new(program)
            .args(["run", &format!("levels/{level}.json"), "--ticks", &ticks.to_string(), "--format", "json"])
            .current_dir(ROOT)
            .output()
            .unwrap();
        assert!(ended.status.success(), "{level}");
        began.elapsed().as_secs_f64()
    };
    (0..5).map(|_| run()).fold(f64::INFINITY, f64::min)
}
