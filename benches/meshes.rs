//! What searches over meshes cost, and how long their lines are, beside the crate `polyanya`: a table.
//! Asserted is that no line of ours is shorter than the optimum, and by how much the sums may be longer.
//!
//! `cargo bench -p walkon-benches --bench meshes`. Method: the 160 queries of arena.scen over the meshes of
//! the Polyanya authors, read from `../shared/data/meshes` (without them it says so and stops); finding the
//! places included; each over them again and again in turn, and the fastest round of each counts; one
//! process, one thread. Lengths are sums over the 160 lines, over those of `polyanya`. With `-- edits` in
//! place of that: what changes of a mesh with many obstacles cost (no data needed).

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::Vec3;
use landmass_glam::Vec2;
use polyanya::PolyanyaFile;
use walkon_runtime::base::ids::AreaId;
use walkon_runtime::nav::{
    Accept, AreaEdit, AreaShape, LayerPoint, MeshSource, NavEdit, NavMap, NavMesh, PathQuery, Search,
    Traversal,
};

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Rounds over all queries.
const ROUNDS: u32 = 200;

type Query = [f32; 4];

fn data(name: &str) -> PathBuf {
    Path::new(ROOT).join("../shared/data/meshes").join(name)
}

fn queries(scenario: &str) -> Vec<Query> {
    let lines = scenario.lines().skip(1).filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let mut numbers = line.split_whitespace().skip(4).map(|word| word.parse().unwrap());
            [(); 4].map(|()| numbers.next().unwrap())
        })
        .collect()
}

/// The sum of the lengths, and microseconds a query in the fastest round.
#[derive(Clone, Copy)]
struct Took {
    sum_m: f64,
    fastest_us: f64,
}

impl Took {
    const NOTHING: Self = Self { sum_m: 0.0, fastest_us: f64::INFINITY };

    fn round(&mut self, queries: &[Query], mut ask: impl FnMut(Query) -> f64) {
        let start = Instant::now();
        let sum_m: f64 = queries.iter().map(|&query| black_box(ask(black_box(query)))).sum();
        let took_us = start.elapsed().as_secs_f64() * 1e6 / queries.len() as f64;
        *self = Self { sum_m, fastest_us: self.fastest_us.min(took_us) };
    }
}

fn compare(name: &str, queries: &[Query]) {
    let Ok(text) = std::fs::read_to_string(data(&format!("{name}.mesh"))) else { return };
    let mut theirs: polyanya::Mesh = PolyanyaFile::from_bytes(text.as_bytes()).try_into().unwrap();
    theirs.bake();
    let checked = walkon_runtime::level::from_mesh(&text).unwrap().mesh.check().unwrap();
    let ours = NavMesh::new(&MeshSource { ground: Some(checked), ..MeshSource::default() }).unwrap();
    let by = Traversal::default();
    let mut compared = ours.compared(&by);
    let mut map = NavMap::from(ours);
    map.prepare(&by);
    let mut search = Search::default();
    let place = |x: f32, z: f32| Vec3::new(x, 0.0, z);

    let mut took = [Took::NOTHING; 4];
    for _ in 0..ROUNDS {
        took[0].round(queries, |[x, z, to_x, to_z]| {
            compared.any_angle_m(place(x, z), place(to_x, to_z)).unwrap()
        });
        took[1]
            .round(queries, |[x, z, to_x, to_z]| compared.funnel_m(place(x, z), place(to_x, to_z)).unwrap());
        took[2].round(queries, |[x, z, to_x, to_z]| {
            let query = PathQuery {
                start: place(x, z),
                goal: place(to_x, to_z),
                by: by.clone(),
                goal_layer: None,
                accept: Accept::Exact,
                expansions_max: 100_000,
                others: None,
            };
            f64::from(map.plan(&query, &mut search).path.length_m)
        });
        took[3].round(queries, |[x, z, to_x, to_z]| {
            f64::from(theirs.path(Vec2::new(x, z), Vec2::new(to_x, to_z)).unwrap().length)
        });
    }
    let optimum = took[3];
    no_shorter_than_the_optimum(queries, &mut compared, &theirs);
    let long = |took: Took| took.sum_m / optimum.sum_m;
    assert!(long(took[0]) < 1.01 && long(took[1]) < 1.08, "{name}: lines are too long");
    println!("{name}, {} queries", queries.len());
    for (what, took) in ["any-angle", "funnel", "whole plan", "polyanya"].iter().zip(took) {
        let (ratio, long) = (took.fastest_us / optimum.fastest_us, took.sum_m / optimum.sum_m);
        println!("  {what:<12} {:>8.2} us  {ratio:>6.2} of polyanya  length {long:.6}", took.fastest_us);
    }
}

/// Theirs is in single precision, hence the room below it.
fn no_shorter_than_the_optimum(
    queries: &[Query],
    ours: &mut walkon_runtime::nav::mesh::Compared,
    theirs: &polyanya::Mesh,
) {
    for &[x, z, to_x, to_z] in queries {
        let (from, to) = (Vec3::new(x, 0.0, z), Vec3::new(to_x, 0.0, to_z));
        let optimum_m = f64::from(theirs.path(Vec2::new(x, z), Vec2::new(to_x, to_z)).unwrap().length);
        let least_m = optimum_m * (1.0 - 1e-5) - 1e-3;
        let (any_angle_m, funnel_m) = (ours.any_angle_m(from, to).unwrap(), ours.funnel_m(from, to).unwrap());
        assert!(
            any_angle_m >= least_m && funnel_m >= least_m,
            "{from} to {to}: {any_angle_m} {funnel_m} {optimum_m}"
        );
    }
}

/// One area with so many rows of so many square obstacles.
fn with_obstacles(rows: u32) -> NavMap {
    let side = f64::from(rows) * 5.0;
    let rectangle = |x: [f64; 2], z: [f64; 2]| {
        let polygon = vec![[x[0], z[0]], [x[1], z[0]], [x[1], z[1]], [x[0], z[1]]];
        AreaShape { polygon, available: true, factor: 1.0 }
    };
    let square = |at: u32| {
        let [x, z] = [at % rows, at / rows].map(|step| 2.0 + 5.0 * f64::from(step));
        let aside = f64::from(at % 7) * 0.13;
        rectangle([x + aside, x + 1.0 + aside], [z - aside, z + 1.2])
    };
    let source = MeshSource {
        areas: vec![rectangle([0.0, side], [0.0, side])],
        obstacles: (0..rows * rows).map(square).collect(),
        agent_radius_m: 0.3,
        object_padding_m: 0.1,
        ..MeshSource::default()
    };
    NavMap::from(NavMesh::new(&source).unwrap())
}

/// Prints what it costs to make the ground of a body, of a wider one, and of the first again after edits.
fn edits(rows: u32) {
    let mut map = with_obstacles(rows);
    let wide = |radius_m| Traversal { radius_m, ..Traversal::default() };
    let middle = Vec3::new(rows as f32 * 2.5, 0.0, rows as f32 * 2.5 + 2.0);
    let asked = |map: &NavMap, radius_m| {
        let start = Instant::now();
        black_box(map.is_walkable(middle, &wide(radius_m)));
        start.elapsed().as_secs_f64() * 1e3
    };
    let (first_ms, wider_ms) = (asked(&map, 0.3), asked(&map, 0.5));
    let mut edited = |edit: &dyn Fn(&mut NavMap) -> (AreaId, bool)| {
        let start = Instant::now();
        let (area, available) = edit(&mut map);
        map.apply(&[NavEdit::Area(AreaEdit { area, available: Some(available), factor: None })]);
        black_box(map.is_walkable(middle, &wide(0.3)));
        start.elapsed().as_secs_f64() * 1e3
    };
    let toggled = |at: u32| move |_: &mut NavMap| (AreaId(1 + rows * rows / 2 + 5 * at), false);
    let toggled_ms: Vec<f64> = (0..6).map(|at| edited(&toggled(at))).collect();
    let blocked = |at: u32| {
        move |map: &mut NavMap| {
            let point = Vec3::new(4.0 + 5.0 * at as f32, 0.0, 4.5);
            (map.add_obstacle(&[], LayerPoint { layer: 0, point }, 0.5), true)
        }
    };
    let blocked_ms: Vec<f64> = (0..4).map(|at| edited(&blocked(at))).collect();
    println!("{} obstacles, milliseconds: first {first_ms:.1}, wider {wider_ms:.1}", rows * rows);
    println!("  obstacles that go {toggled_ms:.1?}, obstacles that are new {blocked_ms:.1?}");
}

fn main() {
    if std::env::args().any(|argument| argument == "edits") {
        [20, 40].into_iter().for_each(edits);
        return;
    }
    let Ok(scenario) = std::fs::read_to_string(data("arena.scen")) else {
        println!("no meshes in ../shared/data/meshes");
        return;
    };
    let queries = queries(&scenario);
    for name in ["arena", "arena-merged"] {
        compare(name, &queries);
    }
}
