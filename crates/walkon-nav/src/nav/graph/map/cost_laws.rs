//! Laws of costs over ground of several prices: compared with Dijkstra over the links, and with sums over
//! many places of the way.

use glam::Vec3;

use super::*;
use crate::base::rng::Rng;
use crate::nav::graph::climb::STEP_M;
use crate::nav::graph::lookup::spot;
use crate::nav::{AreaEdit, Backend, NavMap, Path, PathQuery, PathStatus, Search};

/// Rows of points, some apart from their places, of which most neighbours are linked; every third one has
/// a floor above it and stairs.
fn draft(rng: &mut Rng) -> EditableGraph {
    let (side, apart_m) = (3 + rng.below(9) as u32, 0.5 + 2.0 * rng.unit() as f32);
    let floors = if rng.unit() < 0.33 { 2 } else { 1 };
    let astray_m = if rng.unit() < 0.5 { 0.0 } else { 0.5 * apart_m };
    let place = |at: u32, rng: &mut Rng| {
        let (floor, x, z) = (at / (side * side), at % side, at / side % side);
        let mut aside = || (rng.unit() as f32 - 0.5) * astray_m;
        Vec3::new(x as f32 * apart_m + aside(), floor as f32 * 2.0, z as f32 * apart_m + aside())
    };
    let points: Vec<Vec3> = (0..floors * side * side).map(|at| place(at, rng)).collect();
    let mut links = Vec::new();
    for at in 0..floors * side * side {
        let (x, z) = (at % side, at / side % side);
        let right = (x + 1 < side).then_some(at + 1);
        let below = (z + 1 < side).then_some(at + side);
        let across = (x + 1 < side && z + 1 < side && rng.unit() < 0.7).then_some(at + side + 1);
        // Up to the next place of the floor above, as stairs do.
        let up = (floors == 2 && at + 1 < side * side && rng.unit() < 0.1).then_some(at + side * side + 1);
        let ends = right.into_iter().chain(below).chain(across).chain(up).map(|to| [at, to]);
        links.extend(ends.filter(|_| rng.unit() < 0.9));
    }
    EditableGraph::new(points, &links, Vec::new()).unwrap()
}

fn mud(rng: &mut Rng, size_m: f64) -> GraphArea {
    let mut value = |size: f64| rng.unit() * size;
    let (x, z, width, depth) = (value(size_m), value(size_m), value(0.4 * size_m), value(0.4 * size_m));
    let polygon = vec![[x, z], [x + width, z], [x + width, z + depth], [x, z + depth]];
    let factor = [0.3, 2.0, 3.0, 5.0, 100.0][value(5.0) as usize];
    let heights_m = if value(1.0) < 0.5 { [-1.0, 1.0] } else { [-9.0, 9.0] };
    GraphArea { polygon, heights_m, available: true, factor, is_obstacle: false }
}

fn muddy_map(rng: &mut Rng) -> PointGraph {
    let draft = draft(rng);
    let size_m = draft.points().iter().fold(0.0, |most: f32, point| most.max(point.x).max(point.z));
    let areas = (0..1 + rng.below(4)).map(|_| mud(rng, f64::from(size_m))).collect();
    let width_m = [0.0, 0.05, 0.125, 0.3][rng.below(4) as usize];
    PointGraph::new(GraphSource { draft, width_m, agent_radius_m: 0.4, areas, uses_parts: false })
}

/// What a metre of a link costs.
fn factor(map: &PointGraph, link: u32, by: &Traversal) -> f64 {
    match map.passage(link, by) {
        LinkPassage::Open(factor) => f64::from(factor),
        LinkPassage::Closed | LinkPassage::Through(..) => f64::INFINITY,
    }
}

/// The cost of the cheapest way over links from a point to each, metres: links are tried until none helps.
fn cheapest_m(map: &PointGraph, from: u32, by: &Traversal) -> Vec<f64> {
    let mut cost_m = vec![f64::INFINITY; map.net().points().len()];
    cost_m[from as usize] = 0.0;
    loop {
        let before = cost_m.clone();
        for (link, &[a, b]) in (0..).zip(map.net().links()) {
            let [from, to] = map.net().places(link);
            let step_m = f64::from(from.distance(to)) * factor(map, link, by);
            let [one, two] = [a, b].map(|end| cost_m[end as usize]);
            (cost_m[a as usize], cost_m[b as usize]) = (one.min(two + step_m), two.min(one + step_m));
        }
        if cost_m == before {
            return cost_m;
        }
    }
}

/// The links whose strip may hold a place of a line.
fn links_beside(map: &PointGraph, ends: [Vec3; 2]) -> Vec<u32> {
    let grown = |ends: [Vec3; 2]| Bounds::of(&ends.map(ground)).grown(f64::from(map.width_m()) + 1e-3);
    let line = grown(ends);
    (0..map.net().links().len() as u32)
        .filter(|&link| grown(map.net().places(link)).overlaps(&line))
        .collect()
}

/// The sum of what a path costs over many of its places, each at the price of the cheapest link that holds
/// it; and by how much the sum may be off.
fn summed_m(map: &PointGraph, path: &Path, by: &Traversal) -> (f64, f64) {
    const PLACES: u16 = 400;
    let (mut sum_m, mut off_m) = (0.0, 0.0);
    for pair in path.points.windows(2) {
        let beside = links_beside(map, [pair[0], pair[1]]);
        let at_place = |place: Vec3| {
            let holds = |link: &&u32| {
                let under = spot(map.net(), **link, place).point;
                let is_near = geom::flat_distance(under, place) <= map.width_m() + 1e-4;
                is_near && (under.y - place.y).abs() <= STEP_M
            };
            let prices = beside.iter().filter(holds).map(|&link| factor(map, link, by));
            let least = prices.fold(f64::INFINITY, f64::min);
            if least.is_finite() { least } else { 1.0 }
        };
        let each_m = f64::from(pair[0].distance(pair[1])) / f64::from(PLACES);
        let places = (0..PLACES).map(|at| (f32::from(at) + 0.5) / f32::from(PLACES));
        let prices: Vec<f64> = places.map(|part| at_place(pair[0].lerp(pair[1], part))).collect();
        sum_m += prices.iter().sum::<f64>() * each_m;
        // Where the price changes between two places, and at one more where a strip is narrower than that.
        let most = beside.iter().map(|&link| factor(map, link, by)).fold(1.0, f64::max);
        let changes: f64 = prices.windows(2).map(|pair| (pair[0] - pair[1]).abs()).sum();
        off_m += 0.002 + each_m * (changes + if most > 1.0 || changes > 0.0 { most } else { 0.0 });
    }
    (sum_m, off_m)
}

/// Law: a path never costs more than the cheapest one along links, and its cost is the sum of what the ground
/// costs at every place of it.
#[test]
fn ways_cost_what_their_places_do_and_no_more_than_the_cheapest_over_links() {
    let mut search = Search::default();
    let (mut ways, mut cheaper) = (0, 0);
    for seed in 0..120 {
        let mut rng = Rng::stream(seed, "costs");
        let mut map = muddy_map(&mut rng);
        let own = (rng.unit() < 0.2).then(|| [(AreaId::from(0), Some(4.0))].into());
        let by = Traversal { radius_m: 0.3, areas: own, ..Traversal::default() };
        for _ in 0..4 {
            let count = map.net().points().len() as u64;
            let from = rng.below(count) as u32;
            let costs_m = cheapest_m(&map, from, &by);
            let nav = NavMap::from(map.clone());
            for _ in 0..6 {
                let to = rng.below(count) as u32;
                let [start, goal] = [from, to].map(|at| map.net().points()[at as usize]);
                let least_m = costs_m[to as usize];
                if from == to || least_m.is_infinite() {
                    continue;
                }
                let answer = nav.plan(&PathQuery::new(start, goal, by.clone()), &mut search);
                assert_eq!(answer.status, PathStatus::Complete, "seed {seed}: {from} to {to}");
                let cost_m = f64::from(answer.path.cost_m);
                // A millimetre for each link of the way at most.
                let most_m = least_m + 0.002 + 0.001 * count as f64 + 1e-5 * least_m;
                assert!(cost_m <= most_m, "seed {seed}: {from} to {to} for {cost_m}, {least_m} over links");
                let (sum_m, off_m) = summed_m(&map, &answer.path, &by);
                assert!((cost_m - sum_m).abs() <= off_m, "seed {seed}: {cost_m} for {sum_m} +- {off_m}");
                ways += 1;
                cheaper += usize::from(cost_m < 0.99 * least_m);
            }
            let area = AreaId::from(0);
            let factor = Some([0.5, 1.0, 7.0][rng.below(3) as usize]);
            map.apply(&[NavEdit::Area(AreaEdit { area, available: None, factor })]);
        }
    }
    assert!(ways > 1500 && cheaper > 400, "{ways} ways, {cheaper} cheaper than over links");
}
