//! Walks to which areas are not what they are to others: shunned, or of another cost.
//!
//! Goal: the cheapest way under one's own factors, never through what is shunned, and reachability as labels
//! would have it. Method: Dijkstra on random grids, and maps on which the areas are like that for everybody;
//! then whole walks.

use std::sync::Arc;

use glam::Vec3;
use walkon_runtime::base::geom::flat_distance;
use walkon_runtime::base::ids::AreaId;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::nav::cells::{Unit, fixed_factor};
use walkon_runtime::nav::{
    Accept, AreaEdit, CellArea, CellMap, CellSource, MapFrame, NavEdit, NavMap, OwnArea, PathQuery,
    PathStatus, Search, Traversal,
};
use walkon_runtime::world::area::Availability;
use walkon_runtime::world::ops::{areas, characters};

use crate::fixture::Stage;
use crate::nav::nav_laws::Table;

/// A random grid of cells of half a metre with some areas, the last of which may be closed.
fn grid(rng: &mut Rng) -> CellSource {
    let (width, depth) = (rng.int(4, 22) as u32, rng.int(4, 22) as u32);
    let cells = (width * depth) as usize;
    let share = rng.float(0.0, 0.35);
    let mut source = CellSource {
        frame: MapFrame { cell_size_m: 0.5, width, depth, ..MapFrame::default() },
        walkable: (0..cells).map(|_| !rng.chance(share)).collect(),
        area: vec![0; cells],
        ..CellSource::default()
    };
    let count = rng.int(1, 4) as u16;
    for area in 1..=count {
        let factor = [1.0, 1.0, 0.5, 4.0][rng.below(4) as usize];
        source.areas.push(CellArea { available: area < count || rng.chance(0.5), factor });
        let (left, top) = (rng.below(u64::from(width)) as u32, rng.below(u64::from(depth)) as u32);
        let (right, bottom) = (left + rng.int(1, 9) as u32, top + rng.int(1, 9) as u32);
        for z in top..bottom.min(depth) {
            for x in left..right.min(width) {
                source.area[(z * width + x) as usize] = area;
            }
        }
    }
    source
}

/// For each area by chance: shunned, a factor of one's own, or nothing.
fn own_areas(rng: &mut Rng, source: &CellSource) -> Vec<OwnArea> {
    let mut own = Vec::new();
    for area in 0..source.areas.len() {
        match rng.below(3) {
            0 => own.push((AreaId::from(area), None)),
            1 => own.push((AreaId::from(area), Some([0.1, 0.5, 1.0, 3.0, 100.0][rng.below(5) as usize]))),
            _ => {}
        }
    }
    own
}

/// The same grid on which the areas are like that for everybody.
fn for_everybody(source: &CellSource, own: &[OwnArea]) -> CellSource {
    let mut source = source.clone();
    for &(area, factor) in own {
        match factor {
            Some(factor) => source.areas[area.index()].factor = factor,
            None => {
                for cell in 0..source.walkable.len() {
                    source.walkable[cell] &= usize::from(source.area[cell]) != area.index() + 1;
                }
            }
        }
    }
    source
}

fn centre(source: &CellSource, cell: usize) -> Vec3 {
    let (x, z) = (cell as u32 % source.frame.width, cell as u32 / source.frame.width);
    source.frame.on_floor(source.frame.centre(x, z))
}

fn query(source: &CellSource, (start, goal): (usize, usize), by: Traversal) -> PathQuery {
    let (start, goal) = (centre(source, start), centre(source, goal));
    PathQuery {
        start,
        goal,
        by,
        accept: Accept::Nearest,
        goal_layer: None,
        expansions_max: u32::MAX,
        others: None,
    }
}

#[test]
fn own_factors_and_shunned_areas_cost_what_dijkstra_finds() {
    let (mut searched, mut shut_out) = (0, 0);
    for seed in 0..400 {
        let mut rng = Rng::stream(seed, "own areas");
        let source = grid(&mut rng);
        let own = own_areas(&mut rng, &source);
        let seen = for_everybody(&source, &own);
        let mut table = Table::blank(source.frame.width as i32, source.frame.depth as i32, true);
        let state = |cell: usize| usize::from(seen.area[cell]).checked_sub(1).map(|area| seen.areas[area]);
        for cell in 0..seen.walkable.len() {
            table.free[cell] = seen.walkable[cell] && state(cell).is_none_or(|area| area.available);
            table.factor[cell] = fixed_factor(state(cell).map_or(1.0, |area| area.factor));
        }
        let costliest = seen.areas.iter().fold(1.0, |most: f32, area| most.max(area.factor));
        let unit = Unit::for_map(table.free.len() as u64, fixed_factor(costliest));
        let free: Vec<usize> = (0..table.free.len()).filter(|&cell| table.free[cell]).collect();
        if free.is_empty() {
            continue;
        }
        let start = free[rng.below(free.len() as u64) as usize];
        let goal = rng.below(table.free.len() as u64) as usize;
        let costs = table.dijkstra(start, table.price(unit));
        let mut map = NavMap::from(CellMap::from_cells(&source).unwrap());
        let by = Traversal { areas: Some(Arc::from(own.clone())), ..Traversal::default() };
        if rng.chance(0.5) {
            map.prepare(&by);
        }
        let (answer, record) = map.plan_recorded(&query(&source, (start, goal), by), &mut Search::default());
        let reachable = table.free[goal] && costs[goal] != u64::MAX;
        assert_eq!(answer.status == PathStatus::Complete, reachable, "seed {seed}: {answer:?}");
        for pair in answer.path.points.windows(2) {
            for part in 0..=40 {
                let (x, z) = source
                    .frame
                    .cell_in(walkon_runtime::base::geom::ground(pair[0].lerp(pair[1], part as f32 / 40.0)))
                    .unwrap();
                assert!(
                    table.free[table.id(x as i32, z as i32)],
                    "seed {seed}: the way leads through ({x}, {z})"
                );
            }
        }
        if !reachable {
            shut_out += 1;
            let away = |cell: usize| flat_distance(centre(&source, cell), centre(&source, goal));
            let least = free.iter().filter(|&&cell| costs[cell] != u64::MAX).map(|&cell| away(cell));
            let least = least.fold(f32::INFINITY, f32::min);
            let end = *answer.path.points.last().unwrap();
            let gap = flat_distance(end, centre(&source, goal)) - least;
            assert!(gap.abs() < 1e-3, "seed {seed}: {gap} m beyond the nearest reachable cell");
        } else if start != goal {
            searched += 1;
            let nodes: Vec<usize> = record.raw.iter().map(|node| node.index()).collect();
            assert_eq!((nodes.first(), nodes.last()), (Some(&start), Some(&goal)), "seed {seed}");
            let mut sum = 0;
            for pair in jumps_filled(&nodes, source.frame.width as usize).windows(2) {
                let diagonal = pair[0] % source.frame.width as usize != pair[1] % source.frame.width as usize
                    && pair[0] / source.frame.width as usize != pair[1] / source.frame.width as usize;
                sum += table.price(unit)(pair[0], pair[1], diagonal);
            }
            assert_eq!(sum, costs[goal], "seed {seed}");
        }
    }
    assert!(searched > 100 && shut_out > 50, "{searched} searched, {shut_out} shut out");
}

/// Every cell between nodes that lie on one straight or diagonal line.
fn jumps_filled(nodes: &[usize], width: usize) -> Vec<usize> {
    let mut cells = vec![nodes[0]];
    for &node in &nodes[1..] {
        loop {
            let last = *cells.last().unwrap();
            if last == node {
                break;
            }
            let step = |from: usize, to: usize| (to > from) as i64 - (to < from) as i64;
            let (dx, dz) = (step(last % width, node % width), step(last / width, node / width));
            cells.push((last as i64 + dx + dz * width as i64) as usize);
        }
    }
    cells
}

#[test]
fn own_areas_answer_like_a_map_on_which_they_are_so_for_everybody() {
    for seed in 0..300 {
        let mut rng = Rng::stream(1000 + seed, "own areas");
        let source = grid(&mut rng);
        let own = own_areas(&mut rng, &source);
        let seen = for_everybody(&source, &own);
        let mut own_map = NavMap::from(CellMap::from_cells(&source).unwrap());
        let mut map = NavMap::from(CellMap::from_cells(&seen).unwrap());
        let through = rng.chance(0.5).then(|| Arc::from([(AreaId::from(source.areas.len() - 1), 1.5)]));
        let plain = Traversal { through, ..Traversal::default() };
        let by = Traversal { areas: Some(Arc::from(own.clone())), ..plain.clone() };
        for round in 0..4 {
            let free: Vec<usize> = (0..seen.walkable.len())
                .filter(|&cell| map.is_walkable(centre(&seen, cell), &plain))
                .collect();
            if free.is_empty() {
                break;
            }
            if rng.chance(0.5) {
                own_map.prepare(&by);
                map.prepare(&plain);
            }
            let start = free[rng.below(free.len() as u64) as usize];
            let goal = rng.below(seen.walkable.len() as u64) as usize;
            let ends = (start, goal);
            let (from, to) = (centre(&seen, start), centre(&seen, goal));
            let expected = map.plan(&query(&seen, ends, plain.clone()), &mut Search::default());
            let answer = own_map.plan(&query(&source, ends, by.clone()), &mut Search::default());
            assert_eq!(answer, expected, "seed {seed}, round {round}");
            assert_eq!(own_map.reach(from, to, &by), map.reach(from, to, &plain), "seed {seed}");
            assert_eq!(own_map.sight(from, to, &by), map.sight(from, to, &plain), "seed {seed}");
            assert_eq!(own_map.straight(from, to, &by), map.straight(from, to, &plain), "seed {seed}");
            assert_eq!(own_map.nearest(to, 9.0, &by), map.nearest(to, 9.0, &plain), "seed {seed}");
            // A change of the map is followed.
            let area = AreaId::from(rng.below(source.areas.len() as u64) as usize);
            let edit = NavEdit::Area(AreaEdit { area, available: Some(rng.chance(0.5)), factor: None });
            let _ = (own_map.apply(&[edit]), map.apply(&[edit]));
            if own_map.revision() != map.revision() {
                // On one of them nothing of that area was left to change.
                break;
            }
        }
    }
}

/// A hall with a swamp across it, but for two metres at one end; `hero` to its left.
const SWAMP: &str = r#"{
  "navigation": { "areas": [
    { "name": "hall", "polygon": [[0,0],[30,0],[30,20],[0,20]] },
    { "name": "swamp", "polygon": [[12,0],[18,0],[18,18],[12,18]] } ] },
  "characters": [ { "name": "hero", "position": [4, 4] } ]
}"#;

fn is_in_swamp(at: Vec3) -> bool {
    // Less a cell, of which only the middle counts.
    at.x > 12.4 && at.x < 17.6 && at.z < 17.6
}

fn with(stage: &Stage, factor: Option<f32>) -> Option<Arc<[OwnArea]>> {
    Some(Arc::from([(stage.world().find_area("swamp").unwrap(), factor)]))
}

/// Sends the hero; where it walked, and how it ended.
fn walk(stage: &mut Stage, (x, z): (f32, f32), factor: Option<f32>) -> (Vec<Vec3>, String) {
    let areas = with(stage, factor);
    stage.walk(x, z, |options| options.areas = areas);
    let before = stage.ends.len();
    let mut way = Vec::new();
    while stage.ends.len() == before && way.len() < 4000 {
        stage.tick();
        way.push(stage.position());
    }
    (way, stage.ends.last().cloned().unwrap_or_default())
}

#[test]
fn who_shuns_an_area_goes_round_it_whatever_lies_below() {
    let mut stage = Stage::of(SWAMP);
    let (way, end) = walk(&mut stage, (26.0, 4.0), None);
    assert_eq!(end, "arrived/reached");
    assert!(!way.iter().any(|&at| is_in_swamp(at)), "it set foot in the swamp");
    let (way, end) = walk(&mut stage, (15.0, 4.0), None);
    assert_eq!(end, "partial/nearest", "what is shunned is no goal");
    assert!(!way.iter().any(|&at| is_in_swamp(at)));
}

#[test]
fn who_stands_in_what_it_shuns_leaves_it_by_the_shortest_way() {
    let mut stage = Stage::of(SWAMP);
    let hero = stage.hero();
    characters::teleport(stage.game.world_mut(), hero, Vec3::new(13.0, 0.0, 4.0), None).unwrap();
    let (way, end) = walk(&mut stage, (26.0, 4.0), None);
    assert_eq!(end, "arrived/reached");
    let inside = way.iter().filter(|&&at| is_in_swamp(at)).count();
    assert!(inside < 90, "{inside} ticks in the swamp, a metre takes 40");
    assert!(way.iter().any(|at| at.z > 17.0), "and goes round it then");
}

#[test]
fn own_costs_stand_in_for_those_of_the_area() {
    let crosses = |cost: f32, own: f32| {
        let mut stage = Stage::of(SWAMP);
        let swamp = stage.world().find_area("swamp").unwrap();
        areas::set_factor(stage.game.world_mut(), swamp, cost).unwrap();
        stage.tick();
        let (way, end) = walk(&mut stage, (26.0, 4.0), Some(own));
        assert_eq!(end, "arrived/reached");
        way.iter().any(|&at| is_in_swamp(at))
    };
    assert!(crosses(1.0, 1.5));
    assert!(!crosses(1.0, 50.0), "expensive to it alone");
    assert!(crosses(50.0, 1.0), "cheap to it alone: the factors are not multiplied");
}

#[test]
fn a_change_of_the_map_is_seen_by_who_shuns_an_area() {
    let mut stage = Stage::of(&SWAMP.replace(
        "] },\n  \"characters\"",
        ", { \"name\": \"pass\", \"polygon\": [[30,0],[32,0],[32,20],[30,20]] } ] },\n  \"characters\"",
    ));
    let areas_of_its_own = with(&stage, None);
    stage.walk(31.0, 4.0, |options| options.areas = areas_of_its_own);
    stage.ticks(60);
    let pass = stage.world().find_area("pass").unwrap();
    areas::set_available(stage.game.world_mut(), pass, Availability::Unavailable).unwrap();
    stage.tick();
    assert_eq!(stage.facts("replanned").len(), 1);
    let mut seen = Vec::new();
    while stage.ends.is_empty() && seen.len() < 4000 {
        stage.tick();
        seen.push(stage.position());
    }
    assert_eq!(stage.ends, ["partial/nearest"]);
    assert!(!seen.iter().any(|&at| is_in_swamp(at)));
}
