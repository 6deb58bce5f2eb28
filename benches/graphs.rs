//! Graphs of points and links out of a scene: made, linked, divided, searched; the searches beside `astar` of
//! `pathfinding`.
//!
//! In: `nav_test.obj` of `../shared/data/meshes`; without it this says so and stops. Out: three markdown
//! tables: what making a graph costs, what changing it costs, and mean microseconds of processor time a path.
//! Method: rows of points so near to one another that there are some fifty thousand; two hundred pairs of
//! points of its largest island; each solver goes over all of them some times, warm, and the fastest round
//! counts. Every direct cost is compared, and every joined one with the tenth that it may be more expensive.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use cpu_time::ThreadTime;
use glam::Vec3;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::level::scene::scene_triangles;
use walkon_runtime::nav::graph::{
    Adjacency, EditableGraph, GenerateOptions, GraphSource, LinkOptions, PointGraph, PrecomputedRoutes,
    RouteSource, SceneBox, divide, generate, groups, link,
};
use walkon_runtime::nav::solids::{Room, Solids};
use walkon_runtime::nav::{Backend, GraphEdit, NavEdit, Search};

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

const SPACING_M: f32 = 0.29;
const ROOM: Room = Room { radius_m: 0.4, step_m: 0.5, height_m: 1.8 };
const POINTS_EACH: usize = 600;
const PAIRS: usize = 200;
const ROUNDS: usize = 8;
const EDITS: usize = 20;

/// Runs a step, and prints what it took and the most memory that the process ever had.
fn stage<R>(name: &str, work: impl FnOnce() -> R) -> R {
    let began = Instant::now();
    let result = work();
    let seconds = began.elapsed().as_secs_f64();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak_mb = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse::<f64>().ok());
    println!("| {name} | {seconds:.3} | {:.0} |", peak_mb.unwrap_or(f64::NAN) / 1024.0);
    result
}

fn main() {
    let path = Path::new(ROOT).join("../shared/data/meshes/nav_test.obj");
    let Ok(bytes) = std::fs::read(&path) else {
        println!("there is no {}: nothing to measure", path.display());
        return;
    };
    println!("| step | s | peak MB |\n|---|---|---|");
    let triangles = stage("read the scene", || {
        scene_triangles("nav_test.obj", &bytes, &mut |_| Err("no files".to_owned())).unwrap()
    });
    let solids = stage("tree of its triangles", || Solids::new(&triangles).unwrap());
    let around = SceneBox { min: Vec3::new(-28.8, -5.0, -46.0), max: Vec3::new(62.4, 17.2, 31.0) };
    let options = GenerateOptions { spacing_m: SPACING_M, room: ROOM, ..GenerateOptions::default() };
    let found = stage("points", || generate(&solids, &[around], &options, &mut |_, _| {}));
    let mut draft = EditableGraph::new(found.points, &[], Vec::new()).unwrap();
    let options = LinkOptions { distance_max_m: 1.5 * SPACING_M, room: ROOM, ..LinkOptions::default() };
    stage("links", || link(&mut draft, Some(&solids), &options, &mut |_, _| {}).unwrap());
    let islands = stage("islands", || groups(&draft));
    stage("parts", || divide(&mut draft, POINTS_EACH, &mut |_, _| {}).unwrap());
    let mut net = stage("layout for searching", || Adjacency::new(&draft));
    stage("lengths from far points", || net.prepare());
    let routes = stage("ways between parts", || PrecomputedRoutes::new(&net, draft.parts(), &mut |_, _| {}));
    println!(
        "\n{} points, {} links, {} islands, {} parts\n",
        net.points().len(),
        net.links().len(),
        islands.len(),
        draft.parts().len()
    );
    edits(&draft);
    searches(&net, &routes, &islands[0].points);
}

/// What changing points and links of a map in use costs.
fn edits(draft: &EditableGraph) {
    let source =
        GraphSource { draft: draft.clone(), width_m: 0.2, agent_radius_m: 0.4, ..GraphSource::default() };
    let mut map = PointGraph::new(source);
    let ends = map.net().links()[map.net().links().len() / 2];
    let edge = map.net().points()[0] - Vec3::X * SPACING_M;
    let both = [GraphEdit::Unlink(ends), GraphEdit::Link(ends)];
    println!("| change | us |\n|---|---|");
    for (name, edits) in [
        ("a link goes", vec![GraphEdit::Unlink(ends)]),
        ("a link comes", vec![GraphEdit::Link(ends)]),
        ("a point comes", vec![GraphEdit::Add(edge)]),
        ("a hundred changes of one tick", both.repeat(50)),
    ] {
        let edits: Vec<NavEdit> = edits.into_iter().map(NavEdit::Graph).collect();
        let rounds = (0..EDITS).map(|_| {
            // Put back what the last round did, off the clock.
            map.apply(&both.map(NavEdit::Graph)[usize::from(name == "a link goes")..]);
            if name == "a link comes" {
                map.apply(&[NavEdit::Graph(both[0])]);
            }
            let began = ThreadTime::now();
            black_box(map.apply(&edits));
            began.elapsed().as_secs_f64() * 1e6
        });
        println!("| {name} | {:.0} |", rounds.fold(f64::INFINITY, f64::min));
    }
    println!();
}

fn searches(net: &Adjacency, routes: &PrecomputedRoutes, island: &[u32]) {
    let mut rng = Rng::stream(1, "pairs");
    let mut any = || island[rng.below(island.len() as u64) as usize];
    let pairs: Vec<(u32, u32)> = (0..PAIRS).map(|_| (any(), any())).collect();
    let (mut search, plain) = (Search::default(), PrecomputedRoutes::default());
    let mut hows = [0u32; 3];
    let mut costliest = 1.0f64;
    for &pair in &pairs {
        let direct = plain.find(net, pair.0, pair.1, |_| true, &mut search).unwrap().cost_mm;
        assert_eq!(direct, theirs(net, pair), "{pair:?}");
        let parted = routes.find(net, pair.0, pair.1, |_| true, &mut search).unwrap();
        hows[parted.how as usize] += 1;
        costliest = costliest.max(f64::from(parted.cost_mm) / f64::from(direct.max(1)));
    }
    assert!(costliest <= 1.1, "a joined way costs at most a tenth more: {costliest}");
    let ours =
        fastest(&pairs, |pair| plain.find(net, pair.0, pair.1, |_| true, &mut search).unwrap().cost_mm);
    let mut search = Search::default();
    let parted =
        fastest(&pairs, |pair| routes.find(net, pair.0, pair.1, |_| true, &mut search).unwrap().cost_mm);
    let crates = fastest(&pairs, |pair| theirs(net, pair));
    println!("| search | us a path | ratio to ours |\n|---|---|---|");
    println!("| direct | {ours:.1} | 1 |");
    println!("| with parts | {parted:.1} | {:.2} |", parted / ours);
    println!("| `pathfinding` | {crates:.1} | {:.2} |", crates / ours);
    println!(
        "\nwith parts: {} direct, {} inside one part, {} joined; at most {:.1} % more expensive",
        hows[RouteSource::Direct as usize],
        hows[RouteSource::Inside as usize],
        hows[RouteSource::Joined as usize],
        100.0 * (costliest - 1.0)
    );
}

/// Mean microseconds a path of the fastest round.
fn fastest(pairs: &[(u32, u32)], mut solve: impl FnMut((u32, u32)) -> u32) -> f64 {
    let rounds = (0..ROUNDS).map(|_| {
        let began = ThreadTime::now();
        for &pair in pairs {
            black_box(solve(pair));
        }
        began.elapsed().as_secs_f64() * 1e6 / pairs.len() as f64
    });
    rounds.fold(f64::INFINITY, f64::min)
}

/// The same question to the crate.
fn theirs(net: &Adjacency, (from, to): (u32, u32)) -> u32 {
    let steps = |&at: &u32| net.steps(at).iter().map(|step| (step.to, step.cost_mm)).collect::<Vec<_>>();
    let point = |at: u32| net.points()[at as usize].as_dvec3();
    let straight_mm = |&at: &u32| (point(at).distance(point(to)) * 1000.0) as u32;
    let found = pathfinding::directed::astar::astar(&from, steps, straight_mm, |&at| at == to);
    found.unwrap().1
}
