//! Edited maps against maps built again, and doors against floods.

use super::*;
use crate::base::rng::Rng;
use crate::nav::cells::source::{AreaShape, CellArea};
use crate::nav::search::Search;
use crate::nav::search_state::Ends;
use crate::nav::{AreaEdit, NavEdit};

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
            Self::Grid(source) => CellMap::from_grid(source).unwrap(),
            Self::Cells(source) => CellMap::from_cells(source).unwrap(),
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
            let before = map.states.clone();
            let (revision, bits) = (map.revision(), map.base.bare.clone());
            let change = map.apply(&edits);
            assert_eq!(change.is_some(), map.states != before, "a revision only for a change");
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
fn flood(bits: &Bits, from: (u32, u32)) -> Vec<bool> {
    let at = |x: u32, z: u32| (z * bits.width() + x) as usize;
    let mut seen = vec![false; (bits.width() * bits.depth()) as usize];
    let mut stack = vec![from];
    while let Some((x, z)) = stack.pop() {
        if !bits.get(x, z) || std::mem::replace(&mut seen[at(x, z)], true) {
            continue;
        }
        for (dx, dz) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
            let (x, z) = (i64::from(x) + dx, i64::from(z) + dz);
            if bits.at(x, z) {
                stack.push((x as u32, z as u32));
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
            let from = (rng.below(u64::from(bits.width())) as u32, rng.below(u64::from(bits.depth())) as u32);
            let seen = flood(bits, from);
            let start = view.region(from.0, from.1);
            assert_eq!(start.is_some(), bits.get(from.0, from.1));
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

#[test]
fn landmarks_survive_every_edit_that_opens_closes_or_recosts_ground() {
    let (mut compared, mut through_cheaper) = (0, 0);
    for round in 0..120 {
        let mut rng = Rng::stream(round, "landmarks of an edited map");
        let source = random_grid(&mut rng);
        let Ok(mut map) = CellMap::from_grid(&source) else { continue };
        let areas = map.states.len() as u64;
        let recost = |rng: &mut Rng| {
            NavEdit::Area(AreaEdit {
                area: AreaId(rng.below(areas + 1) as u32),
                available: rng.chance(0.7).then(|| rng.chance(0.5)),
                factor: rng.chance(0.6).then(|| [1.0, 1.5, 0.8, 4.0][rng.below(4) as usize]),
            })
        };
        for _ in 0..10 {
            map.apply(&[recost(&mut rng), recost(&mut rng)]);
            if map.landmarks.is_none() && !map.factors.is_empty() {
                let open: Vec<u32> = (0..map.node_count() as u32)
                    .filter(|id| map.walkable(id % map.frame().width, id / map.frame().width))
                    .collect();
                let Some(&seed) = open.first() else { continue };
                let ground = WeightedGround {
                    bits: &map.base.open,
                    factor: &map.factors,
                    cheapest: map.cheapest,
                    unit: map.unit,
                    extra: None,
                    far: None,
                    exits: &[],
                };
                map.landmarks = Some(Arc::new(CellLandmarks::of(&ground, NodeId(seed))));
            }
            let view = map.view(&Traversal::default());
            let (plain, guided) = (map.ground(&view, &[]), map.ground_to_search(&view, &[]));
            let Some(AltHeuristic { .. }) = guided.far else { continue };
            let mut search = Search::default();
            for _ in 0..6 {
                let [start, goal] = [0, 1].map(|_| NodeId(rng.below(map.node_count()) as u32));
                let mut cost = |ground: &WeightedGround| {
                    search.begin_weighted(ground, Ends { start, goal });
                    search.step_weighted(ground, u32::MAX);
                    search.cost()
                };
                assert_eq!(cost(&guided), cost(&plain), "round {round}, {start:?} to {goal:?}");
                compared += 1;
                through_cheaper += u32::from(!map.cheaper.is_empty());
            }
        }
    }
    assert!(
        compared > 500 && through_cheaper > 100,
        "{compared} compared, {through_cheaper} after cheaper ground"
    );
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
                let Tile { walkable, factor, leave } = map.tile(x, z).unwrap();
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
