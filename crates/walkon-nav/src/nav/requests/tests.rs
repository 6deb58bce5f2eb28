//! Requests under any budget against paths planned at once.

use std::sync::Arc;

use glam::Vec3;

use super::*;
use crate::base::ids::AreaId;
use crate::base::rng::Rng;
use crate::nav::cells::{CellArea, CellMap, CellSource, MapFrame};
use crate::nav::graph::{EditableGraph, GraphArea, GraphSource, PointGraph};
use crate::nav::{
    AreaEdit, AreaShape, Backend, Disc, LayerLink, LayerPoint, Layers, MeshSource, NavEdit, NavMesh,
    PathStatus, RawMesh,
};

/// Scattered blocks; the last column is area 0, so that the map can change without a path changing much.
fn field(side: u32, rng: &mut Rng) -> NavMap {
    let count = (side * side) as usize;
    let source = CellSource {
        frame: MapFrame { width: side, depth: side, cell_size_m: 1.0, ..MapFrame::default() },
        walkable: (0..count).map(|_| !rng.chance(0.25)).collect(),
        area: (0..count).map(|cell| u16::from(cell as u32 % side == side - 1)).collect(),
        areas: vec![CellArea { available: true, factor: 1.0 }],
        ..CellSource::default()
    };
    CellMap::from_cells(&source).unwrap().into()
}

fn place(rng: &mut Rng, side: u32) -> Vec3 {
    let mut axis = || rng.float(0.0, f64::from(side)) as f32;
    Vec3::new(axis(), 0.0, axis())
}

fn query(start: Vec3, goal: Vec3) -> PathQuery {
    PathQuery {
        start,
        goal,
        by: Traversal::default(),
        accept: Accept::Nearest,
        goal_layer: None,
        expansions_max: u32::MAX,
        others: None,
    }
}

fn toggle(map: &mut NavMap) {
    let now = map.cells().and_then(|cells| cells.area_state(AreaId(0))).unwrap().0;
    map.apply(&[NavEdit::Area(AreaEdit { area: AreaId(0), available: Some(!now), factor: None })]).unwrap();
}

fn hash(requests: &PathRequests) -> u64 {
    let mut hash = StateHash::default();
    requests.hash_into(&mut hash);
    hash.finish()
}

#[test]
fn inv_p8_any_budget_gives_the_answers_of_no_budget() {
    let mut rng = Rng::stream(1, "requests");
    let map = field(60, &mut rng);
    let queries: Vec<PathQuery> = (0..60).map(|_| query(place(&mut rng, 60), place(&mut rng, 60))).collect();
    let mut search = Search::default();
    let expected: Vec<PathAnswer> = queries.iter().map(|query| map.plan(query, &mut search)).collect();
    for budget in [1, 7, 64, 1000, u32::MAX] {
        let mut requests = PathRequests::default();
        let tokens: Vec<PathToken> = queries.iter().map(|query| requests.push(query.clone())).collect();
        let mut answers = Vec::new();
        let mut spent = 0u64;
        let mut steps = 0u64;
        while requests.waiting() > 0 {
            let charged = requests.step(&map, budget, &mut answers);
            assert!(charged <= budget, "seed:N6: {charged} of {budget}");
            spent += u64::from(charged);
            steps += 1;
            assert!(steps < 200_000, "fault:G23: it ends");
        }
        assert_eq!(answers.len(), queries.len(), "each is answered once");
        for (token, expected) in tokens.iter().zip(&expected) {
            let (_, answer) = answers.iter().find(|(other, _)| other == token).unwrap();
            assert_eq!(answer, expected, "budget {budget}");
        }
        // One of those that need no search costs one.
        let work: u64 = expected.iter().map(|answer| u64::from(answer.expansions.max(1))).sum();
        assert_eq!(spent + requests.debt, work + requests.repeated, "budget {budget}");
        let repeated_max = expected.len() as u64 * u64::from(SHORT_EXPANSIONS + MIDDLE_EXPANSIONS);
        assert!(requests.repeated <= repeated_max, "each makes room twice at most");
        if budget < 2000 {
            let bound = (work + requests.repeated) / u64::from(budget) + 1;
            assert!(steps <= bound, "fault:G23: {steps} steps for {work} at {budget}");
        }
    }
}

/// A query with people in the way of it, or for the goal alone, as it comes.
fn any_query(rng: &mut Rng, side: u32) -> PathQuery {
    let discs = (0..rng.below(4)).map(|_| Disc { centre: place(rng, side), radius_m: 0.8 });
    let others: Vec<Disc> = discs.collect();
    PathQuery {
        accept: if rng.chance(0.3) { Accept::Exact } else { Accept::Nearest },
        expansions_max: if rng.chance(0.1) { rng.below(300) as u32 } else { u32::MAX },
        others: (!others.is_empty()).then(|| others.into()),
        ..query(place(rng, side), place(rng, side))
    }
}

/// One step after another of the same requests on one thread and on several, with edits and cancelled ones in
/// between.
#[test]
fn requests_are_answered_alike_on_any_number_of_threads() {
    let (mut speculated_count, mut repeated) = (0, 0);
    for (seed, threads) in [(1, 2), (2, 3), (3, 8), (4, 2)] {
        let mut rng = Rng::stream(seed, "threads");
        let side = if seed == 4 { 250 } else { 90 };
        let mut map = field(side, &mut rng);
        let threads = Threads::new(std::num::NonZeroUsize::new(threads).unwrap());
        let (mut alone, mut shared) = (PathRequests::default(), PathRequests::default());
        let mut tokens = Vec::new();
        for step in 0..60 {
            for _ in 0..rng.below(120) {
                let query = any_query(&mut rng, side);
                let token = alone.push(query.clone());
                assert_eq!(shared.push(query), token);
                tokens.push(token);
            }
            if rng.chance(0.2) {
                toggle(&mut map);
            }
            for _ in 0..rng.below(8) {
                let token = tokens[rng.below(tokens.len() as u64 + 1).min(tokens.len() as u64 - 1) as usize];
                alone.cancel(token);
                shared.cancel(token);
            }
            let budget = 1 + rng.below(if step < 50 { 6_000 } else { 100_000 }) as u32;
            let [mut expected, mut answers] = [Vec::new(), Vec::new()];
            let charged = alone.step(&map, budget, &mut expected);
            assert_eq!(shared.step_on(threads, &map, budget, &mut answers), charged, "seed {seed}, {step}");
            assert_eq!(answers, expected, "seed {seed}, step {step}");
            assert_eq!(hash(&shared), hash(&alone), "seed {seed}, step {step}");
            assert_eq!((shared.repeated, shared.debt), (alone.repeated, alone.debt));
        }
        speculated_count += shared.speculative.speculated_count;
        repeated += shared.repeated;
    }
    assert!(speculated_count > 1_000, "many were worked out beforehand: {speculated_count}");
    assert!(repeated > 0, "some made room for others");
}

#[test]
fn seed_n3_equal_requests_share_the_budget() {
    let mut rng = Rng::stream(2, "requests");
    let map = field(40, &mut rng);
    let mut search = Search::default();
    let walk = loop {
        let walk = query(place(&mut rng, 40), place(&mut rng, 40));
        if map.plan(&walk, &mut search).expansions > 20 {
            break walk;
        }
    };
    let each = map.plan(&walk, &mut search).expansions;
    let mut requests = PathRequests::default();
    (0..100).for_each(|_| {
        requests.push(walk.clone());
    });
    let mut answers = Vec::new();
    requests.step(&map, 50 * each, &mut answers);
    requests.step(&map, 50 * each, &mut answers);
    assert_eq!(answers.len(), 100);
}

/// A corridor that winds through a square of 200 m, with costs that make a search look at cell after cell.
fn serpentine() -> NavMap {
    let side = 200;
    let walls = |cell: u32| {
        let (x, z) = (cell % side, cell / side);
        z % 2 == 0 || (z % 4 == 1 && x == side - 1) || (z % 4 == 3 && x == 0)
    };
    let source = CellSource {
        frame: MapFrame { width: side, depth: side, cell_size_m: 1.0, ..MapFrame::default() },
        walkable: (0..side * side).map(walls).collect(),
        factor: (0..side * side).map(|cell| 1.0 + (cell % 2) as f32).collect(),
        ..CellSource::default()
    };
    CellMap::from_cells(&source).unwrap().into()
}

/// From the beginning of the serpentine to the row of that number.
fn along_it(row: u32) -> PathQuery {
    let end = if row == 0 { 8.5 } else { 0.5 };
    query(Vec3::new(0.5, 0.0, 0.5), Vec3::new(end, 0.0, row as f32 + 0.5))
}

#[test]
fn fault_g24_small_requests_pass_a_huge_one() {
    let map = serpentine();
    let (huge, small) = (along_it(198), along_it(0));
    let mut search = Search::default();
    let huge_work = map.plan(&huge, &mut search).expansions;
    let small_work = map.plan(&small, &mut search).expansions;
    assert!(huge_work > 1000 * small_work);
    let mut requests = PathRequests::default();
    let first = requests.push(huge);
    let tokens: Vec<PathToken> = (0..1000).map(|_| requests.push(small.clone())).collect();
    let (mut answers, mut steps) = (Vec::new(), 0);
    while answers.len() < 1000 {
        requests.step(&map, 100, &mut answers);
        steps += 1;
    }
    assert!(answers.iter().all(|(token, _)| *token != first));
    for (place, token) in tokens.iter().enumerate() {
        let served = answers.iter().position(|answer| answer.0 == *token).unwrap();
        assert!(served.abs_diff(place) < POOL, "first come, first served: {place} came as {served}");
    }
    let fair = 1000 * small_work / 100 + 1;
    assert!(steps <= 2 * fair, "{steps} steps, alone {fair}");
}

/// Steps of a budget until a request is answered that is made now.
fn steps_until_answered(requests: &mut PathRequests, (map, budget): (&NavMap, u32), query: PathQuery) -> u64 {
    let token = requests.push(query);
    let mut answers = Vec::new();
    for step in 1..1_000_000 {
        requests.step(map, budget, &mut answers);
        if answers.iter().any(|answer| answer.0 == token) {
            return step;
        }
    }
    panic!("it is never answered");
}

#[test]
fn fault_g24_nobody_waits_for_requests_that_are_longer_than_its_own_however_many_are_under_way() {
    let map = serpentine();
    let mut search = Search::default();
    let mut work_of = |row: u32| u64::from(map.plan(&along_it(row), &mut search).expansions);
    let (small, middle, huge) = (work_of(0), work_of(30), work_of(198));
    assert!(small < 64 && middle > 4 * u64::from(SHORT_EXPANSIONS) && middle < u64::from(MIDDLE_EXPANSIONS));
    assert!(huge > u64::from(MIDDLE_EXPANSIONS));
    for count in [1, 3, 4, 5, 9, 20] {
        for budget in [30, 200, 2000] {
            let mut requests = PathRequests::default();
            let mut answers = Vec::new();
            let tokens: Vec<PathToken> = (0..count).map(|_| requests.push(along_it(198))).collect();
            // Until it is known of all of them how long they are, or nearly so.
            for _ in 0..(20_000 * count / u64::from(budget)).min(200) {
                requests.step(&map, budget, &mut answers);
            }
            let bound = |ahead: u64, work: u64| {
                let turns = u64::from(TURN_EXPANSIONS);
                POOL as u64 * (ahead + work + turns * POOL as u64) / u64::from(budget) + 2
            };
            let unknown = requests.queues[0].len() as u64 + 1;
            let waited = steps_until_answered(&mut requests, (&map, budget), along_it(0));
            let bound_short = bound(unknown * u64::from(SHORT_EXPANSIONS), small);
            assert!(waited <= bound_short, "{count} at {budget}: short after {waited} of {bound_short}");
            let unknown = requests.queues[0].len() + requests.queues[1].len() + 2;
            let ahead = unknown as u64 * u64::from(SHORT_EXPANSIONS + MIDDLE_EXPANSIONS);
            let waited = steps_until_answered(&mut requests, (&map, budget), along_it(30));
            let bound_middle = bound(ahead, middle);
            assert!(waited <= bound_middle, "{count} at {budget}: middle after {waited} of {bound_middle}");
            // A stream of short ones does not keep the long ones waiting for ever.
            let mut steps = 0;
            while requests.waiting() > 0 && steps < 60 * huge * count / u64::from(budget) {
                if requests.waiting() < 64 {
                    requests.push(along_it(0));
                }
                requests.step(&map, budget, &mut answers);
                steps += 1;
                if tokens.iter().all(|token| requests.progress(*token).is_none()) {
                    break;
                }
            }
            let open = tokens.iter().filter(|token| requests.progress(**token).is_some()).count();
            assert_eq!(open, 0, "{count} at {budget}: every request ends, after {steps} steps");
        }
    }
}

#[test]
fn fault_g24_once_the_long_ones_are_known_a_short_one_waits_for_its_share_alone() {
    let map = serpentine();
    for count in [4, 9, 20] {
        let mut requests = PathRequests::default();
        let mut answers = Vec::new();
        (0..count).for_each(|_| {
            requests.push(along_it(198));
        });
        while !requests.queues[0].is_empty()
            || requests.next.is_some()
            || requests.pool[POOL - 1].work.is_some()
        {
            requests.step(&map, 2000, &mut answers);
        }
        assert!(answers.is_empty());
        for _ in 0..50 {
            assert_eq!(steps_until_answered(&mut requests, (&map, 2000), along_it(0)), 1, "{count}");
        }
    }
}

#[test]
fn seed_n5_a_cancelled_request_never_delivers() {
    let mut rng = Rng::stream(3, "requests");
    let map = field(50, &mut rng);
    for _ in 0..200 {
        let mut requests = PathRequests::default();
        let tokens: Vec<PathToken> =
            (0..8).map(|_| requests.push(query(place(&mut rng, 50), place(&mut rng, 50)))).collect();
        let victim = tokens[rng.below(8) as usize];
        let mut answers = Vec::new();
        for _ in 0..rng.below(6) {
            requests.step(&map, 20, &mut answers);
        }
        let before = answers.iter().any(|(token, _)| *token == victim);
        requests.cancel(victim);
        requests.cancel(victim);
        while requests.waiting() > 0 {
            requests.step(&map, 500, &mut answers);
        }
        assert_eq!(answers.len(), 7 + usize::from(before));
        assert_eq!(answers.iter().any(|(token, _)| *token == victim), before);
        let again = requests.push(query(place(&mut rng, 50), place(&mut rng, 50)));
        assert_ne!(again, victim, "seed:N1: an old token never means a new request");
    }
}

#[test]
fn seed_n7_a_search_that_was_restarted_three_times_ends_when_the_map_changes_once_more() {
    let mut rng = Rng::stream(4, "requests");
    let mut map = field(60, &mut rng);
    let mut search = Search::default();
    let walk = loop {
        let walk = query(place(&mut rng, 60), place(&mut rng, 60));
        let answer = map.plan(&walk, &mut search);
        if answer.expansions > 100 && answer.status == PathStatus::Complete {
            break walk;
        }
    };
    for changes in 0..=RESTARTS_MAX + 1 {
        let mut requests = PathRequests::default();
        requests.push(walk.clone());
        let mut answers = Vec::new();
        for _ in 0..changes {
            requests.step(&map, 5, &mut answers);
            toggle(&mut map);
        }
        assert!(answers.is_empty());
        if changes > RESTARTS_MAX {
            requests.step(&map, 5, &mut answers);
            assert_eq!(answers.len(), 1, "in one step, which later ones pay for");
            assert!(requests.debt > 90, "{}", requests.debt);
        }
        while requests.waiting() > 0 {
            requests.step(&map, 5, &mut answers);
        }
        let answer = &answers[0].1;
        let expected = map.plan(&walk, &mut search);
        assert_eq!(answer.path, expected.path, "planned on the map as it is");
        assert!(answer.expansions >= expected.expansions);
        assert_eq!(answer.revision, map.revision());
    }
}

/// Scattered blocks and twelve patches of ground that come and go.
fn patched(rng: &mut Rng, factors: &[f32]) -> CellMap {
    let mut area = vec![0; 60 * 60];
    for patch in 1..=12 {
        let corner = rng.below(55) * 60 + rng.below(55);
        (0..25).for_each(|at| area[(corner + at / 5 * 60 + at % 5) as usize] = patch);
    }
    let any = |rng: &mut Rng| factors[rng.below(factors.len() as u64) as usize];
    let source = CellSource {
        frame: MapFrame { width: 60, depth: 60, cell_size_m: 1.0, ..MapFrame::default() },
        walkable: area.iter().map(|_| !rng.chance(0.25)).collect(),
        factor: if factors.is_empty() { Vec::new() } else { area.iter().map(|_| any(rng)).collect() },
        areas: vec![CellArea { available: true, factor: 1.0 }; 12],
        area,
        ..CellSource::default()
    };
    CellMap::from_cells(&source).unwrap()
}

fn rectangle(x: [u8; 2], z: [u8; 2]) -> Vec<[f64; 2]> {
    let corners = [(x[0], z[0]), (x[1], z[0]), (x[1], z[1]), (x[0], z[1])];
    corners.map(|(x, z)| [f64::from(x), f64::from(z)]).into()
}

/// Five by five rooms of 11 m with a pillar each, and doorways between them that come and go.
fn rooms() -> NavMap {
    let mut areas = Vec::new();
    for (x, z) in (0..25).map(|at| (at % 5 * 12, at / 5 * 12)) {
        areas.push(rectangle([x, x + 11], [z, z + 11]));
        areas.push(rectangle([x + 11, x + 12], [z + 3, z + 5]));
        areas.push(rectangle([x + 6, x + 9], [z + 11, z + 12]));
    }
    let shape = |polygon| AreaShape { polygon, available: true, factor: 1.0 };
    let pillars = (0..25).map(|at| (at % 5 * 12, at / 5 * 12));
    let pillars = pillars.map(|(x, z)| shape(rectangle([x + 4, x + 7], [z + 4, z + 6]))).collect();
    let areas = areas.into_iter().map(shape).collect();
    NavMesh::new(&MeshSource { areas, obstacles: pillars, ..MeshSource::default() }).expect("a mesh").into()
}

/// Sixty by sixty points a metre apart, and twelve patches that close the links within them or open them.
fn net(rng: &mut Rng) -> NavMap {
    let points = (0..3600u16).map(|at| Vec3::new(f32::from(at % 60), 0.0, f32::from(at / 60))).collect();
    let mut links = Vec::new();
    for at in 0..3600 {
        let beside = [(at + 1, at % 60 < 59), (at + 60, at < 3540), (at + 61, at % 60 < 59 && at < 3540)];
        let there = beside.into_iter().filter(|&(_, is_there)| is_there && rng.chance(0.8));
        links.extend(there.map(|(to, _)| [at, to]));
    }
    let draft = EditableGraph::new(points, &links, Vec::new()).expect("a graph");
    let patch = |_| {
        let (x, z) = (rng.below(55) as u8, rng.below(55) as u8);
        GraphArea {
            polygon: rectangle([x, x + 5], [z, z + 5]),
            heights_m: [-1.0, 1.0],
            available: false,
            factor: 1.0,
            is_obstacle: true,
        }
    };
    let areas = (0..12).map(patch).collect();
    PointGraph::new(GraphSource { draft, width_m: 0.3, areas, ..GraphSource::default() }).into()
}

/// A map of each kind, parts of which come and go.
fn changing_maps(rng: &mut Rng) -> Vec<(&'static str, NavMap)> {
    let stair = |x: f32| {
        let at = |layer| LayerPoint { layer, point: Vec3::new(x, 0.0, 30.5) };
        LayerLink { from: at(0), to: at(1), both_ways: true, cost_m: 2.0, action: None }
    };
    let floors = vec![patched(rng, &[]), patched(rng, &[1.0, 2.0])];
    let house = Layers::new(floors, [3.5, 29.5, 55.5].map(stair).to_vec()).expect("layers");
    vec![
        ("cells", patched(rng, &[]).into()),
        ("weighted cells", patched(rng, &[0.5, 1.0, 3.0]).into()),
        ("layers", house.into()),
        ("mesh", rooms()),
        ("graph", net(rng)),
    ]
}

/// Has one of the areas of a map come or go.
fn toggle_any(map: &mut NavMap, rng: &mut Rng) {
    let count = (0..).take_while(|at| map.area_state(AreaId(*at)).is_some()).count();
    let area = AreaId(rng.below(count as u64) as u32);
    let now = map.area_state(area).unwrap().0;
    map.apply(&[NavEdit::Area(AreaEdit { area, available: Some(!now), factor: None })]).unwrap();
}

/// Goal: wherever and however often a map changes, and however small the budget is, each request is answered
/// as it would be at once on the map as it is by then. Method: twelve requests on a map of each kind, one of
/// its areas toggled once in so many steps, upon which some ask from another place; the search without a
/// budget as the oracle.
#[test]
fn seed_n7_each_request_is_answered_as_at_once_on_the_map_as_it_is_however_often_that_changes() {
    let mut rng = Rng::stream(8, "requests");
    for (kind, map) in changing_maps(&mut rng) {
        let mut begun_again_most = 0;
        for (budget, every) in [(1, 40), (10, 1), (10, 7), (50, 3), (300, 1)] {
            let (mut map, mut search) = (map.clone(), Search::default());
            let (mut requests, mut answers) = (PathRequests::default(), Vec::new());
            let mut asked = |_| {
                let accept = if rng.chance(0.3) { Accept::Exact } else { Accept::Nearest };
                let goal_layer = (kind == "layers").then(|| rng.below(2) as u8);
                PathQuery { accept, goal_layer, ..query(place(&mut rng, 60), place(&mut rng, 60)) }
            };
            let mut queries: Vec<PathQuery> = (0..12).map(&mut asked).collect();
            let tokens: Vec<PathToken> = queries.iter().map(|query| requests.push(query.clone())).collect();
            let mut steps = 0;
            while requests.waiting() > 0 {
                let before = answers.len();
                requests.step(&map, budget, &mut answers);
                for (token, answer) in &answers[before..] {
                    let at = tokens.iter().position(|other| other == token).unwrap();
                    let at_once = map.plan(&queries[at], &mut search);
                    let cause = format!("{kind}, {budget} a step, a change in {every}, request {at}");
                    assert_eq!(*answer, PathAnswer { expansions: answer.expansions, ..at_once }, "{cause}");
                }
                let restarts = |token: &PathToken| requests.progress(*token).map_or(0, |now| now.restarts);
                begun_again_most = begun_again_most.max(tokens.iter().map(restarts).max().unwrap_or(0));
                if rng.below(every) == 0 {
                    toggle_any(&mut map, &mut rng);
                    let at = rng.below(12) as usize;
                    queries[at].start = place(&mut rng, 60);
                    let is_open = requests.is_open(tokens[at]);
                    assert_eq!(requests.change(tokens[at], queries[at].clone()), is_open);
                }
                steps += 1;
                assert!(steps < 200_000, "{kind}, {budget} a step, a change in {every}: it ends");
            }
            assert_eq!(answers.len(), 12, "each is answered once");
        }
        assert!(begun_again_most >= RESTARTS_MAX, "{kind}: begun again {begun_again_most} times");
    }
}

#[test]
fn an_unreachable_goal_waits_for_its_place_and_not_for_searches() {
    let mut rng = Rng::stream(5, "requests");
    let map = field(60, &mut rng);
    let mut search = Search::default();
    let mut long = || loop {
        let walk = query(place(&mut rng, 60), place(&mut rng, 60));
        if map.plan(&walk, &mut search).expansions > 100 {
            break walk;
        }
    };
    let mut requests = PathRequests::default();
    (0..4).for_each(|_| {
        requests.push(long());
    });
    let beyond = Vec3::new(-40.0, 0.0, -40.0);
    let exact = PathQuery { accept: Accept::Exact, ..query(place(&mut Rng::stream(6, "x"), 60), beyond) };
    let unreachable = requests.push(exact);
    let mut answers = Vec::new();
    requests.step(&map, 10, &mut answers);
    assert_eq!(answers.len(), 1);
    assert_eq!((answers[0].0, answers[0].1.expansions), (unreachable, 0));
}

#[test]
fn every_part_of_the_state_is_in_the_hash() {
    let mut rng = Rng::stream(7, "requests");
    let map = field(60, &mut rng);
    let mut requests = PathRequests::default();
    let mut seen = vec![hash(&requests)];
    let mut note = |requests: &PathRequests| {
        let now = hash(requests);
        assert!(!seen.contains(&now), "after {} changes", seen.len());
        seen.push(now);
    };
    let start = Vec3::new(0.5, 0.0, 0.5);
    let token = requests.push(query(start, Vec3::new(55.0, 0.0, 50.0)));
    note(&requests);
    requests.push(query(start, Vec3::new(50.0, 0.0, 51.0)));
    note(&requests);
    let mut answers = Vec::new();
    while answers.is_empty() {
        requests.step(&map, 1, &mut answers);
        note(&requests);
    }
    requests.cancel(token);
    requests.push(PathQuery { accept: Accept::Exact, ..query(start, start) });
    note(&requests);
    let mut copy = requests.clone();
    assert_eq!(hash(&copy), hash(&requests));
    copy.debt += 1;
    assert_ne!(hash(&copy), hash(&requests));
}

#[test]
fn fault_g35_looking_beside_a_goal_that_many_hold_is_paid_for() {
    // Plain ground. In the one case a heap stands on the goal, so that each request has to look for a place
    // beside it.
    let source = CellSource {
        frame: MapFrame { width: 60, depth: 60, cell_size_m: 0.4, ..MapFrame::default() },
        walkable: vec![true; 3600],
        area: vec![0; 3600],
        areas: vec![CellArea { available: true, factor: 1.0 }],
        ..CellSource::default()
    };
    let map: NavMap = CellMap::from_cells(&source).unwrap().into();
    let (start, goal) = (Vec3::new(1.0, 0.0, 1.0), Vec3::new(12.0, 0.0, 12.0));
    let answered = |heap_count: usize| {
        let heap: Vec<Disc> = vec![Disc { centre: goal, radius_m: 3.0 }; heap_count];
        let asked = PathQuery { others: (heap_count > 0).then(|| heap.into()), ..query(start, goal) };
        let (mut requests, mut answers) = (PathRequests::default(), Vec::new());
        (0..5_000).for_each(|_| {
            requests.push(asked.clone());
        });
        // A step pays for the overrun of the one before, so the mean of several counts.
        for _ in 0..60 {
            requests.step(&map, 2000, &mut answers);
        }
        answers.len()
    };
    let (alone, one, heap) = (answered(0), answered(1), answered(200));
    assert!(alone == 5_000, "{alone} without anybody");
    assert!((heap + 1..5_000).contains(&one), "{one} beside one wide body");
    assert!((1..=60).contains(&heap), "{heap} beside a heap: no more than one a step");
}

/// Goal: going around people is paid for, also where it is done before the search begins. Method: sixty
/// requests at once over squares of a mesh, each past forty people.
#[test]
fn a_step_carves_out_no_more_people_than_its_budget_pays_for() {
    let vertices = (0..21 * 21).map(|at| [f64::from(at % 21) * 4.0, 0.0, f64::from(at / 21) * 4.0]);
    let ring = |at: u32| vec![at, at + 1, at + 22, at + 21];
    let squares = (0..20 * 20).map(|at| ring(at / 20 * 21 + at % 20));
    let raw = RawMesh { vertices: vertices.collect(), polygons: squares.collect() };
    let source = MeshSource { ground: Some(raw.check().expect("a mesh")), ..MeshSource::default() };
    let map: NavMap = NavMesh::new(&source).expect("a mesh").into();
    let mut rng = Rng::stream(2, "carved");
    let others: Arc<[Disc]> = (0..40).map(|_| Disc { centre: place(&mut rng, 80), radius_m: 0.6 }).collect();
    let mut requests = PathRequests::default();
    for _ in 0..60 {
        let past = query(place(&mut rng, 80), place(&mut rng, 80));
        requests.push(PathQuery { others: Some(Arc::clone(&others)), ..past });
    }
    let (mut answers, mut most) = (Vec::new(), 0);
    for _ in 0..60 {
        let before = answers.len();
        requests.step(&map, 2_000, &mut answers);
        most = most.max(answers.len() - before);
    }
    assert_eq!(answers.len(), 60, "{} wait", requests.waiting());
    assert!((3..=8).contains(&most), "{most} in one step");
}

#[test]
fn a_search_is_planned_at_once_where_that_is_not_too_long() {
    let mut rng = Rng::stream(9, "within");
    let map = field(96, &mut rng);
    let (mut whole, mut cut) = (0, 0);
    for _ in 0..200 {
        let query = query(place(&mut rng, 96), place(&mut rng, 96));
        let mut search = Search::default();
        let answer = map.plan(&query, &mut search);
        let most = rng.below(200);
        match plan_within(most, &map, &query, &mut search) {
            Ok(found) => {
                assert_eq!(found, answer);
                whole += 1;
            }
            Err(spent) => {
                assert!(u64::from(spent) <= most, "{spent} {most}");
                cut += 1;
            }
        }
    }
    assert!(whole > 20 && cut > 20, "{whole} whole, {cut} cut");
}
