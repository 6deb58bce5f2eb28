//! Edited maps against maps built again, and doors against floods.

use super::*;
use crate::base::rng::Rng;
use crate::nav::cell::Cell;
use crate::nav::cells::layout::OFFSETS;
use crate::nav::cells::line_of_sight;
use crate::nav::cells::plan::CellPlan;
use crate::nav::cells::reached::ReachedCells;
use crate::nav::cells::source::{AreaShape, CellArea};
use crate::nav::plan::{Plan, PlanTask};
use crate::nav::search::Search;
use crate::nav::{Accept, AreaEdit, Disc, LayerPoint, NavEdit, OneWay, PassRules, PathQuery};

fn rectangle(rng: &mut Rng, size: f64) -> Vec<Point> {
    let (x, z) = (rng.float(0.0, size * 0.8), rng.float(0.0, size * 0.8));
    let (width, depth) = (rng.float(0.3, size * 0.5), rng.float(0.3, size * 0.5));
    // Whole numbers now and then, so that edges coincide.
    let snap = |value: f64, whole: bool| if whole { value.round() } else { value };
    let whole = rng.chance(0.5);
    let (x, z, right, far) =
        (snap(x, whole), snap(z, whole), snap(x + width + 0.5, whole), snap(z + depth + 0.5, whole));
    let mut polygon = vec![[x, z], [right, z], [right, far], [x, far]];
    if rng.chance(0.2) {
        polygon.truncate(3);
    }
    polygon
}

fn random_grid(rng: &mut Rng) -> GridSource {
    let size = rng.float(4.0, 45.0);
    let mut shapes = |most: u64| -> Vec<AreaShape> {
        let count = 1 + rng.below(most);
        (0..count)
            .map(|_| AreaShape {
                polygon: rectangle(rng, size),
                available: rng.chance(0.7),
                factor: if rng.chance(0.8) { 1.0 } else { 2.5 },
            })
            .collect()
    };
    let (areas, obstacles) = (shapes(8), shapes(3));
    GridSource {
        boundary_padding_m: [0.0, 0.3, 0.9][rng.below(3) as usize],
        agent_radius_m: 0.2,
        areas,
        obstacles,
        ..GridSource::default()
    }
}

fn random_cells(rng: &mut Rng) -> CellSource {
    let (width, depth) = (3 + rng.below(90) as u32, 3 + rng.below(30) as u32);
    let count = (width * depth) as usize;
    let areas = rng.below(5) as usize;
    let mut area = vec![0; count];
    for cell in &mut area {
        if rng.chance(0.3) {
            *cell = rng.below(areas as u64 + 1) as u16;
        }
    }
    CellSource {
        frame: MapFrame { width, depth, ..MapFrame::default() },
        agent_radius_m: 0.2,
        walkable: (0..count).map(|_| rng.chance(0.8)).collect(),
        factor: if rng.chance(0.5) {
            Vec::new()
        } else {
            (0..count).map(|at| 1.0 + (at % 3) as f32).collect()
        },
        area,
        areas: (0..areas).map(|_| CellArea { available: rng.chance(0.5), factor: 1.0 }).collect(),
        ..CellSource::default()
    }
}

/// The sources as they would be if the map had been written down now.
#[allow(clippy::large_enum_variant, reason = "a few at a time")]
enum Source {
    Grid(GridSource),
    Cells(CellSource),
}

impl Source {
    fn build(&self) -> CellMap {
        match self {
            Self::Grid(source) => CellMap::from_grid(source).unwrap().with_landmarks_anywhere(),
            Self::Cells(source) => CellMap::from_cells(source).unwrap().with_landmarks_anywhere(),
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::Grid(source) => source.areas.len() + source.obstacles.len(),
            Self::Cells(source) => source.areas.len(),
        }
    }

    fn set(&mut self, at: usize, state: AreaState) {
        match self {
            Self::Grid(source) => {
                let count = source.areas.len();
                let shape =
                    if at < count { &mut source.areas[at] } else { &mut source.obstacles[at - count] };
                (shape.available, shape.factor) = (state.available, state.factor);
            }
            Self::Cells(source) => {
                source.areas[at] = CellArea { available: state.available, factor: state.factor };
            }
        }
    }
}

fn prepare(map: &mut CellMap, doors: &[AreaId]) {
    let through: Arc<[(AreaId, f32)]> = doors.iter().map(|&area| (area, 2.0)).collect();
    map.prepare(&Traversal { radius_m: 0.7, ..Traversal::default() });
    map.prepare(&Traversal { radius_m: 0.1, through: Some(through.clone()), ..Traversal::default() });
    map.prepare(&Traversal { radius_m: 0.9, through: Some(through), ..Traversal::default() });
}

#[test]
fn inv_p7_an_edited_map_equals_one_built_anew_and_undo_restores_it() {
    let mut rng = Rng::stream(31, "edits");
    for round in 0..150 {
        let mut source = match round % 2 {
            0 => Source::Grid(random_grid(&mut rng)),
            _ => Source::Cells(random_cells(&mut rng)),
        };
        let mut map = source.build();
        let first = map.clone();
        let doors: Vec<AreaId> = (0..map.area_count()).filter(|at| at % 2 == 0).map(AreaId::from).collect();
        prepare(&mut map, &doors);
        for _ in 0..12 {
            let count = source.count() as u64;
            let edits: Vec<NavEdit> = (0..1 + rng.below(3))
                .map(|_| {
                    NavEdit::Area(AreaEdit {
                        area: AreaId(rng.below(count + 1) as u32),
                        available: rng.chance(0.7).then(|| rng.chance(0.5)),
                        factor: rng.chance(0.2).then(|| [1.0, 1.5, 4.0][rng.below(3) as usize]),
                    })
                })
                .collect();
            let before = map.states.to_vec();
            let (revision, bits) = (map.revision(), map.base.bare.clone());
            let change = map.apply(&edits);
            assert_eq!(change.is_some(), *map.states != *before, "a revision only for a change");
            assert_eq!(
                map.revision().0,
                revision.0 + u64::from(change.is_some()),
                "one revision a set of edits"
            );
            if let Some(change) = change {
                check_change(&map, &bits, &change);
            }
            for (at, &state) in map.states.iter().enumerate() {
                source.set(at, state);
            }
            let mut fresh = source.build();
            fresh.edit_hash = map.edit_hash;
            prepare(&mut fresh, &doors);
            assert!(map.derived() == fresh.derived(), "round {round}: after {edits:?}");
        }
        let undo: Vec<NavEdit> = (0..source.count())
            .map(|at| {
                NavEdit::Area(AreaEdit {
                    area: AreaId::from(at),
                    available: Some(first.states[at].available),
                    factor: Some(first.states[at].factor),
                })
            })
            .collect();
        map.apply(&undo);
        let mut fresh = first.clone();
        prepare(&mut fresh, &doors);
        assert!(map.derived() == fresh.derived(), "round {round}: undone");
    }
}

fn check_change(map: &CellMap, before: &Bits, change: &MapChange) {
    let (mut opened, mut closed) = (false, false);
    for z in 0..before.depth() {
        for x in 0..before.width() {
            let (was, is) = (before.get(x, z), map.walkable(x, z));
            opened |= is && !was;
            closed |= was && !is;
            assert!(
                was == is || change.bounds.contains(map.frame().centre(x, z)),
                "({x}, {z}) outside {change:?}"
            );
        }
    }
    assert_eq!((change.opened, change.closed), (opened, closed));
}

/// Components of bits by flooding, 4-connected.
fn flood(bits: &Bits, from: Cell) -> Vec<bool> {
    let at = |x: u32, z: u32| (z * bits.width() + x) as usize;
    let mut seen = vec![false; (bits.width() * bits.depth()) as usize];
    let mut stack = vec![from];
    while let Some(Cell { x, z }) = stack.pop() {
        if !bits.get(x, z) || std::mem::replace(&mut seen[at(x, z)], true) {
            continue;
        }
        for (dx, dz) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
            let (x, z) = (i64::from(x) + dx, i64::from(z) + dz);
            if bits.at(x, z) {
                stack.push(Cell { x: x as u32, z: z as u32 });
            }
        }
    }
    seen
}

#[test]
fn inv_p3_regions_are_floods_also_through_doors() {
    let mut rng = Rng::stream(32, "regions");
    for _ in 0..200 {
        let source = Source::Cells(random_cells(&mut rng));
        let map = source.build();
        let through: Arc<[(AreaId, f32)]> =
            (0..map.area_count()).filter(|_| rng.chance(0.6)).map(|at| (AreaId::from(at), 1.0)).collect();
        for by in [
            Traversal { radius_m: 0.2, ..Traversal::default() },
            Traversal { radius_m: 0.2, through: Some(through.clone()), ..Traversal::default() },
            Traversal { radius_m: 0.5, through: Some(through.clone()), ..Traversal::default() },
        ] {
            let view = map.view(&by);
            let bits = view.bits();
            let from = Cell {
                x: rng.below(u64::from(bits.width())) as u32,
                z: rng.below(u64::from(bits.depth())) as u32,
            };
            let seen = flood(bits, from);
            let start = view.region(from.x, from.z);
            assert_eq!(start.is_some(), bits.get(from.x, from.z));
            for z in 0..bits.depth() {
                for x in 0..bits.width() {
                    let same = start.is_some() && view.region(x, z) == start;
                    assert_eq!(
                        same,
                        seen[(z * bits.width() + x) as usize],
                        "{from:?} to ({x}, {z}) for {by:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn lines_and_places_beyond_doors_are_answered_as_over_all_that_can_be_passed() {
    let mut rng = Rng::stream(11, "bare");
    let (mut lines, mut tolled) = (0, 0);
    for _ in 0..120 {
        let source = random_grid(&mut rng);
        let mut map = CellMap::from_grid(&source).unwrap().with_landmarks_anywhere();
        let doors: Vec<u32> = (0..source.areas.len() as u32).filter(|_| rng.chance(0.6)).collect();
        let by = Traversal {
            radius_m: if rng.chance(0.3) { 0.9 } else { 0.0 },
            through: Some(doors.into_iter().map(|area| (AreaId(area), 1.5)).collect()),
            ..Traversal::default()
        };
        if rng.chance(0.5) {
            map.prepare(&by);
        }
        let bounds = map.frame().bounds();
        let place = |rng: &mut Rng| {
            let [x, z] = [0, 1].map(|axis| rng.float(bounds.min[axis], bounds.max[axis]) as f32);
            Vec3::new(x, 0.0, z)
        };
        for _ in 0..120 {
            let (from, to) = (place(&mut rng), place(&mut rng));
            let view = map.view(&by);
            let cell = map.cell_of(from);
            assert_eq!(map.is_walkable(from, &by), cell.is_some_and(|Cell { x, z }| view.bits().get(x, z)));
            let tolls = map.tolls(&by, view.unit(&map));
            let expected =
                line_of_sight::cost(&map.ground(&view, &tolls), map.to_cells(from), map.to_cells(to));
            assert_eq!(map.straight(from, to, &by), expected, "{from} to {to}");
            lines += u32::from(expected.is_some());
            let bare = Traversal { through: None, ..by.clone() };
            tolled += u32::from(expected.is_some() && map.straight(from, to, &bare).is_none());
        }
    }
    assert!(lines > 300 && tolled > 20, "{lines} lines, {tolled} through doors");
}

#[test]
fn the_hash_follows_the_state_and_returns_with_it() {
    let mut rng = Rng::stream(33, "hash");
    let source = random_grid(&mut rng);
    let mut map = CellMap::from_grid(&source).unwrap();
    let first = map.edit_hash;
    let toggle =
        |available| NavEdit::Area(AreaEdit { area: AreaId(0), available: Some(available), factor: None });
    map.apply(&[toggle(!source.areas[0].available)]);
    assert_ne!(map.edit_hash, first);
    map.apply(&[toggle(source.areas[0].available)]);
    assert_eq!(map.edit_hash, first);
    map.apply(&[NavEdit::Area(AreaEdit { area: AreaId(0), available: None, factor: Some(7.0) })]);
    assert_ne!(map.edit_hash, first);
}

/// Law: once all areas are open, closed and priced as at first, far ways are known as well as at first,
/// whatever was edited in between.
#[test]
fn landmarks_of_ground_of_several_factors_know_as_much_again_when_edits_are_undone() {
    let mut undone = 0;
    for round in 0..200 {
        let mut rng = Rng::stream(round, "landmarks of edits undone");
        let mut source = random_grid(&mut rng);
        source.areas.push(AreaShape { factor: 9.0, ..source.areas[0].clone() });
        let mut map = CellMap::from_grid(&source).unwrap().with_landmarks_anywhere();
        map.prepare(&Traversal::default());
        if map.far.state() != (true, false) {
            continue;
        }
        let first: Vec<AreaState> = (0..source.areas.len()).map(|at| map.states[at]).collect();
        let mut has_changed = false;
        for _ in 0..1 + rng.below(20) {
            map.apply(&[NavEdit::Area(AreaEdit {
                area: AreaId(rng.below(source.areas.len() as u64 - 1) as u32),
                available: Some(rng.chance(0.5)),
                factor: rng.chance(0.5).then(|| [1.0, 2.5, 6.0][rng.below(3) as usize]),
            })]);
            has_changed |= map.far.state().1;
        }
        let is_kept = map.far.state().0;
        for (at, state) in (0..).zip(first) {
            let (available, factor) = (Some(state.available), Some(state.factor));
            map.apply(&[NavEdit::Area(AreaEdit { area: AreaId(at), available, factor })]);
        }
        if is_kept && has_changed && map.far.state().0 {
            undone += 1;
            assert_eq!(map.far.state(), (true, false), "round {round}");
        }
    }
    assert!(undone > 20, "{undone} with something to undo");
}

/// What ways from a cell cost, by going over all steps, gates aside.
fn dijkstra(ground: &WeightedGround, from: u32) -> Vec<u32> {
    let (bits, width) = (ground.bits, ground.bits.width());
    let strides = Strides::new(ground.unit, bits.shape());
    let mut costs = vec![u32::MAX; (width * bits.depth()) as usize];
    let mut heap = std::collections::BinaryHeap::from([(std::cmp::Reverse(0), from)]);
    costs[from as usize] = 0;
    while let Some((std::cmp::Reverse(cost), id)) = heap.pop() {
        if cost != costs[id as usize] {
            continue;
        }
        let (x, z) = (i64::from(id % width), i64::from(id / width));
        for (direction, (dx, dz)) in OFFSETS.into_iter().enumerate() {
            let (dx, dz) = (i64::from(dx), i64::from(dz));
            let sides_are_open = bits.at(x + dx, z) && bits.at(x, z + dz);
            let is_left = ground.exits.get(id as usize).is_none_or(|exits| exits >> direction & 1 == 0);
            if !bits.at(x + dx, z + dz) || !is_left || direction & 1 != 0 && !sides_are_open {
                continue;
            }
            let to = (z + dz) as u32 * width + (x + dx) as u32;
            let factor = ground.factor.get(to as usize).copied().unwrap_or(FACTOR_ONE);
            let there = cost + strides.rates().cost(direction, factor);
            if there < costs[to as usize] {
                costs[to as usize] = there;
                heap.push((std::cmp::Reverse(there), to));
            }
        }
    }
    costs
}

/// Bodies of several widths that open doors, shun or price areas, or may not enter them.
fn random_body(rng: &mut Rng, areas: u64) -> Traversal {
    let some = |rng: &mut Rng| -> Vec<AreaId> {
        (0..areas).filter(|_| rng.chance(0.4)).map(|at| AreaId(at as u32)).collect()
    };
    let mut by = Traversal { radius_m: [0.1, 0.2, 0.5][rng.below(3) as usize], ..Traversal::default() };
    match rng.below(6) {
        0 => by.through = Some(some(rng).into_iter().map(|area| (area, 1.5)).collect()),
        1 => by.areas = Some(some(rng).into_iter().map(|area| (area, None)).collect()),
        2 => by.areas = Some(some(rng).into_iter().map(|area| (area, Some(0.5))).collect()),
        3 => {
            let rules = PassRules { barred: some(rng), one_way: Vec::new() };
            by.rules = Some(Arc::new(rules));
        }
        _ => {}
    }
    by
}

#[test]
fn ways_cost_what_they_cost_without_landmarks_whatever_was_edited_and_however_far_these_are_made() {
    #[derive(Default)]
    struct Seen {
        even: u32,
        priced: u32,
        through_cheaper: u32,
        by_dijkstra: u32,
        around_others: u32,
        made_again: u32,
    }
    let mut seen = Seen::default();
    for round in 0..160 {
        let mut rng = Rng::stream(round, "landmarks of an edited map");
        let mut source = match round % 2 {
            0 => Source::Grid(random_grid(&mut rng)),
            _ => Source::Cells(random_cells(&mut rng)),
        };
        let is_even = rng.chance(0.7);
        if let (true, Source::Cells(source)) = (is_even, &mut source) {
            source.factor.clear();
        }
        if let (true, Source::Grid(source)) = (is_even, &mut source) {
            source.areas.iter_mut().chain(&mut source.obstacles).for_each(|shape| shape.factor = 1.0);
        }
        let mut map = source.build();
        let frame = *map.frame();
        let areas = map.area_count() as u64;
        let mut added: Vec<AreaId> = Vec::new();
        if rng.chance(0.8) {
            map.prepare(&Traversal::default());
        }
        for _ in 0..12 {
            let mut edits = Vec::new();
            for _ in 0..1 + rng.below(3) {
                match rng.below(5) {
                    0 | 1 => edits.push(NavEdit::Area(AreaEdit {
                        area: AreaId(rng.below(map.states.len() as u64 + 1) as u32),
                        available: Some(rng.chance(0.5)),
                        factor: rng.chance(0.1).then(|| [1.0, 2.5, 0.8][rng.below(3) as usize]),
                    })),
                    2 => {
                        let (x, z) = (rng.below(frame.width.into()), rng.below(frame.depth.into()));
                        let centre = map.centre(Cell { x: x as u32, z: z as u32 });
                        let area = map.add_obstacle(
                            &added,
                            LayerPoint { layer: 0, point: centre },
                            rng.float(0.3, 2.0) as f32,
                        );
                        added.push(area);
                        edits.push(NavEdit::Area(AreaEdit { area, available: Some(true), factor: None }));
                    }
                    3 if !added.is_empty() => {
                        let area = added.swap_remove(rng.below(added.len() as u64) as usize);
                        edits.push(NavEdit::Area(AreaEdit { area, available: Some(false), factor: None }));
                    }
                    _ => match random_tile(&mut rng, &frame, None) {
                        NavEdit::Tile(tile) if is_even => {
                            edits.push(NavEdit::Tile(TileEdit { factor: None, ..tile }));
                        }
                        tile => edits.push(tile),
                    },
                }
            }
            map.apply(&edits);
            let had = map.far.state();
            if rng.chance(0.7) {
                map.precompute_idle(1 << rng.below(17));
            }
            seen.made_again += u32::from(had == (true, true) && map.far.state() == (true, false));
            if !is_even && rng.chance(0.4) {
                map.forget_far();
                map.prepare(&Traversal::default());
                // A flood each: seventeen make landmarks.
                (0..rng.below(60)).for_each(|_| _ = map.precompute_idle(1 << 16));
            }
            let mut search = Search::default();
            for _ in 0..4 {
                let by = random_body(&mut rng, areas);
                if rng.chance(0.5) {
                    map.prepare(&by);
                }
                let mut bare = map.clone();
                bare.far = FarGround::default();
                bare.sectors = None;
                map.sectors = None;
                let view = map.view(&by);
                let tolls = map.tolls(&by, view.unit(&map));
                let any_cell = |rng: &mut Rng| Cell {
                    x: rng.below(frame.width.into()) as u32,
                    z: rng.below(frame.depth.into()) as u32,
                };
                let [start, goal] = [0, 1].map(|_| any_cell(&mut rng));
                let disc = |rng: &mut Rng| Disc { centre: map.centre(any_cell(rng)), radius_m: 0.3 };
                let count = [0, 0, 4, 12][rng.below(4) as usize];
                let others: Vec<Disc> = (0..count).map(|_| disc(&mut rng)).collect();
                let query = PathQuery {
                    start: map.centre(start),
                    goal: map.centre(goal),
                    by: by.clone(),
                    accept: if rng.chance(0.8) { Accept::Nearest } else { Accept::Exact },
                    goal_layer: None,
                    expansions_max: u32::MAX,
                    others: (!others.is_empty()).then(|| others.into()),
                };
                let mut answer = |map: &CellMap, allowance: u32| {
                    let mut plan = match CellPlan::begin(map, &query) {
                        Ok(plan) => plan,
                        Err(answer) => return (0.0, answer.trouble, answer.covered),
                    };
                    loop {
                        let task = PlanTask { query: &query, search: &mut search };
                        if let Some(answer) = plan.step(map, task, allowance) {
                            return (plan.cost_m(), answer.trouble, answer.covered);
                        }
                    }
                };
                let allowance = if rng.chance(0.5) { u32::MAX } else { 1 + rng.below(9) as u32 };
                let (guided, plain) = (answer(&map, allowance), answer(&bare, u32::MAX));
                let label = format!("round {round}: {start:?} to {goal:?} for {by:?} after {edits:?}");
                assert_eq!(guided, plain, "{label}");
                let far = map.far_ways(&view);
                let is_even = view.is_even(&map);
                seen.even += u32::from(far.is_some() && is_even);
                seen.priced += u32::from(far.is_some() && !is_even);
                seen.through_cheaper += u32::from(far.is_some() && map.far.state().1);
                seen.around_others += u32::from(far.is_some() && query.others.is_some());
                let ground = map.ground(&view, &tolls);
                let is_whole = guided.1.is_none() && guided.0 > 0.0;
                if is_whole
                    && ground.extra.is_none()
                    && query.others.is_none()
                    && view.bits().get(start.x, start.z)
                {
                    let costs = dijkstra(&ground, map.node(start).0);
                    let cost = f64::from(costs[map.node(goal).index()]) / f64::from(ground.unit.straight);
                    assert!(
                        (cost * frame.cell_size_m - guided.0).abs() < 1e-9,
                        "{label}: {cost}, {guided:?}"
                    );
                    seen.by_dijkstra += u32::from(far.is_some());
                }
            }
        }
    }
    let Seen { even, priced, through_cheaper, by_dijkstra, around_others, made_again } = seen;
    assert!(even > 1500 && priced > 300, "{even} and {priced}");
    assert!(through_cheaper > 300 && made_again > 25, "{through_cheaper} and {made_again}");
    assert!(by_dijkstra > 300 && around_others > 500, "{by_dijkstra} and {around_others}");
}

/// A random change to a cell, now and then one beyond the map or on another layer, and what it does to a
/// source.
fn random_tile(rng: &mut Rng, frame: &MapFrame, source: Option<&mut CellSource>) -> NavEdit {
    let cell = [rng.below(u64::from(frame.width) + 1) as u32, rng.below(u64::from(frame.depth) + 1) as u32];
    let edit = TileEdit {
        layer: u8::from(rng.chance(0.05)),
        cell,
        walkable: rng.chance(0.6).then(|| rng.chance(0.5)),
        factor: rng.chance(0.4).then(|| [0.5, 1.0, 2.0, 3.5][rng.below(4) as usize]),
        leave: rng.chance(0.2).then(|| if rng.chance(0.6) { 0 } else { rng.below(256) as u8 }),
    };
    let inside = edit.layer == 0 && cell[0] < frame.width && cell[1] < frame.depth;
    if let (true, Some(source)) = (inside, source) {
        let (at, count) = ((cell[1] * frame.width + cell[0]) as usize, frame.cell_count() as usize);
        source.walkable[at] = edit.walkable.unwrap_or(source.walkable[at]);
        source.factor.resize(count, 1.0);
        source.factor[at] = edit.factor.unwrap_or(source.factor[at]);
        source.leave.resize(count, 0);
        source.leave[at] = edit.leave.unwrap_or(source.leave[at]);
    }
    NavEdit::Tile(edit)
}

#[test]
fn seed_o19_a_map_whose_cells_were_edited_equals_one_built_anew_and_undo_restores_it() {
    let mut rng = Rng::stream(34, "tiles");
    for round in 0..150 {
        let mut source = random_cells(&mut rng);
        let mut map = CellMap::from_cells(&source).unwrap();
        let (first, frame) = (map.clone(), *map.frame());
        let doors: Vec<AreaId> = (0..map.area_count()).filter(|at| at % 2 == 0).map(AreaId::from).collect();
        prepare(&mut map, &doors);
        for _ in 0..10 {
            let mut edits: Vec<NavEdit> =
                (0..1 + rng.below(4)).map(|_| random_tile(&mut rng, &frame, Some(&mut source))).collect();
            if let (true, false) = (rng.chance(0.3), source.areas.is_empty()) {
                let area = rng.below(source.areas.len() as u64) as usize;
                source.areas[area].available = rng.chance(0.5);
                let available = Some(source.areas[area].available);
                edits.push(NavEdit::Area(AreaEdit { area: AreaId::from(area), available, factor: None }));
            }
            let (revision, bits) = (map.revision(), map.base.bare.clone());
            // Directions open and close without a cell that does.
            let turns = edits.iter().any(|edit| matches!(edit, NavEdit::Tile(tile) if tile.leave.is_some()));
            match map.apply(&edits) {
                Some(change) if !turns => check_change(&map, &bits, &change),
                Some(_) => assert_eq!(map.revision().0, revision.0 + 1),
                None => assert_eq!(map.revision(), revision),
            }
            let mut fresh = CellMap::from_cells(&source).unwrap();
            fresh.edit_hash = map.edit_hash;
            prepare(&mut fresh, &doors);
            assert!(map.derived() == fresh.derived(), "round {round}: after {edits:?}");
        }
        let tiles = map.edited.iter().map(|(&id, was)| {
            let factor = Some(f32::from(was.factor) / f32::from(FACTOR_ONE));
            let cell = [id % frame.width, id / frame.width];
            let (walkable, leave) = (Some(was.walkable), Some(was.leave));
            NavEdit::Tile(TileEdit { layer: 0, cell, walkable, factor, leave })
        });
        let areas = first.states.iter().enumerate().map(|(at, state)| {
            NavEdit::Area(AreaEdit {
                area: AreaId::from(at),
                available: Some(state.available),
                factor: Some(state.factor),
            })
        });
        let undo: Vec<NavEdit> = tiles.chain(areas).collect();
        map.apply(&undo);
        let mut fresh = first.clone();
        prepare(&mut fresh, &doors);
        assert!(map.derived() == fresh.derived(), "round {round}: undone");
    }
}

#[test]
fn cells_of_a_map_cut_from_polygons_are_walls_until_they_are_freed() {
    let mut rng = Rng::stream(35, "cut");
    for round in 0..60 {
        let source = random_grid(&mut rng);
        let mut map = CellMap::from_grid(&source).unwrap();
        let (first, frame) = (map.clone(), *map.frame());
        prepare(&mut map, &[]);
        for _ in 0..10 {
            let edits: Vec<NavEdit> = (0..5).map(|_| random_tile(&mut rng, &frame, None)).collect();
            map.apply(&edits);
        }
        for z in 0..frame.depth {
            for x in 0..frame.width {
                let is_wall = map.tile(x, z).is_some_and(|tile| !tile.walkable);
                assert_eq!(map.walkable(x, z), first.walkable(x, z) && !is_wall, "round {round}: ({x}, {z})");
            }
        }
        let states: Vec<NavEdit> = map
            .edited
            .keys()
            .map(|&id| {
                let (x, z) = (id % frame.width, id / frame.width);
                let SingleTile { walkable, factor, leave } = map.tile(x, z).unwrap();
                let (walkable, factor, leave) = (Some(walkable), Some(factor), Some(leave));
                NavEdit::Tile(TileEdit { layer: 0, cell: [x, z], walkable, factor, leave })
            })
            .collect();
        let mut fresh = first.clone();
        fresh.apply(&states);
        prepare(&mut fresh, &[]);
        assert!(map.derived() == fresh.derived(), "round {round}");
    }
}

/// A body to which some areas have a direction.
fn one_way_body(rng: &mut Rng, map: &CellMap) -> Traversal {
    let frame = *map.frame();
    let mut by = random_body(rng, map.area_count() as u64);
    by.radius_m = 0.2;
    let barred = by.barred().to_vec();
    let gate = |rng: &mut Rng, at: usize| {
        let (x, z) = (rng.below(frame.width.into()) as u32, rng.below(frame.depth.into()) as u32);
        let direction = [[1.0, 0.0], [0.0, -1.0], [-0.6, 0.8]][rng.below(3) as usize];
        OneWay { area: AreaId(at as u32), middle: map.centre(Cell { x, z }), direction }
    };
    let gates = (0..map.area_count()).filter(|&at| !barred.contains(&AreaId(at as u32)));
    let one_way = gates.map(|at| gate(rng, at)).collect();
    by.rules = Some(Arc::new(PassRules { barred, one_way }));
    by
}

/// Steps from cell to cell, against no direction.
fn flooded(map: &CellMap, by: &Traversal, start: Cell) -> Vec<bool> {
    let (view, width) = (map.view(by), map.frame().width);
    let mut reached = vec![false; map.frame().cell_count() as usize];
    let mut waiting = vec![start];
    while let Some(from) = waiting.pop() {
        if !view.bits().get(from.x, from.z)
            || std::mem::replace(&mut reached[(from.z * width + from.x) as usize], true)
        {
            continue;
        }
        for (dx, dz) in [(1, 0), (0, 1), (-1, 0), (0, -1)] {
            let to = Cell { x: from.x.wrapping_add_signed(dx), z: from.z.wrapping_add_signed(dz) };
            let is_on_map = to.x < width && to.z < map.frame().depth;
            if is_on_map && !map.goes_wrong(map.centre(from), map.centre(to), by) {
                waiting.push(to);
            }
        }
    }
    reached
}

#[test]
fn what_lies_past_areas_with_a_direction_is_what_a_flood_finds_and_is_kept_until_the_map_changes() {
    let mut rng = Rng::stream(36, "gates");
    let (mut beyond, mut rounds) = (0, 0);
    for round in 0..120 {
        let source = random_cells(&mut rng);
        let Ok(mut map) = CellMap::from_cells(&source) else { continue };
        let by = one_way_body(&mut rng, &map);
        if by.one_way().is_empty() || !map.frame().tiling.shape().is_plain() {
            continue;
        }
        for change in 0..3 {
            map.prepare_reach(&by);
            let ground = map.gated_ground(map.view(&by), &by);
            assert!(Arc::ptr_eq(&ground, &map.gated_ground(map.view(&by), &by)), "round {round}: kept");
            let start = Cell {
                x: rng.below(map.frame().width.into()) as u32,
                z: rng.below(map.frame().depth.into()) as u32,
            };
            let mut reached = ReachedCells::none(&map, map.view(&by), &by);
            reached.add(start);
            let expected = flooded(&map, &by, start);
            for cell in 0..map.frame().cell_count() {
                let at = Cell { x: cell % map.frame().width, z: cell / map.frame().width };
                let label = || format!("round {round}, change {change}: {start:?} to {at:?}, {by:?}");
                assert_eq!(reached.holds(at), expected[cell as usize], "{}", label());
                beyond += u32::from(expected[cell as usize]);
            }
            rounds += 1;
            let tile = random_tile(&mut rng, map.frame(), None);
            if map.apply(&[tile]).is_some() {
                let after = map.gated_ground(map.view(&by), &by);
                assert!(!Arc::ptr_eq(&ground, &after), "round {round}: the same ground after an edit");
            }
        }
    }
    assert!(rounds > 100 && beyond > 5000, "{rounds} {beyond}");
}

#[test]
fn walls_in_place_of_directions_are_those_of_all_such_areas_at_once() {
    let mut rng = Rng::stream(37, "walls");
    for _ in 0..200 {
        let mut areas: Vec<AreaId> = (0..12).map(AreaId).filter(|_| rng.chance(0.6)).collect();
        let gates = areas.split_off(areas.len() / 2);
        let one_way = |&area: &AreaId| OneWay { area, middle: Vec3::ZERO, direction: [1.0, 0.0] };
        let through: Vec<(AreaId, f32)> =
            (0..12).map(|at| (AreaId(at), 1.0)).filter(|_| rng.chance(0.5)).collect();
        let rules = PassRules { barred: areas, one_way: gates.iter().map(one_way).collect() };
        let by =
            Traversal { rules: Some(Arc::new(rules)), through: Some(through.into()), ..Traversal::default() };
        let one_by_one = gates.iter().fold(by.clone(), |by, &gate| by.barring(&[gate]));
        assert_eq!(by.walled(), (!gates.is_empty()).then_some(one_by_one));
    }
}
