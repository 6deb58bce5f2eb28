//! Laws of plans that keep out of those who stand in the way, against the same maps with their cells blocked.
//!
//! Goal: a plan with circles costs what Dijkstra finds on a copy of the map on which their cells are walls; they are
//! ignored exactly when that copy has no way and the map has; the map is not touched. Method: random maps of four kinds, even
//! and with factors, random crowds; the oracle measures rectangles by itself and shares no code with the plans.

use glam::Vec3;
use walkon::base::hash::StateHash;
use walkon::base::rng::Rng;
use walkon::nav::cells::{CellMap, CellSource, FACTOR_ONE, Frame, Unit};
use walkon::nav::{
    Accept, Disc, NavMap, Others, PathAnswer, PathQuery, PathRequests, PathStatus, PathTrouble, Search,
    Traversal,
};

use crate::nav_laws::{Table, random_table, with_factors};

/// A map of a table, cells of half a metre, bodies without width.
fn map_of(table: &Table) -> NavMap {
    let source = CellSource {
        frame: Frame {
            cell_size_m: 0.5,
            width: table.width as u32,
            depth: table.depth as u32,
            ..Frame::default()
        },
        walkable: table.free.clone(),
        factor: table.factor.iter().map(|&factor| f32::from(factor) / f32::from(FACTOR_ONE)).collect(),
        ..CellSource::default()
    };
    CellMap::from_cells(&source).unwrap().into()
}

fn place(rng: &mut Rng, table: &Table, cell: usize) -> Vec3 {
    let (x, z) = (cell as i32 % table.width, cell as i32 / table.width);
    let mut within = |low: i32| ((f64::from(low) + rng.float(0.01, 0.99)) * 0.5) as f32;
    Vec3::new(within(x), 0.0, within(z))
}

fn cell_of(table: &Table, point: Vec3) -> usize {
    table.id((point.x / 0.5).floor() as i32, (point.z / 0.5).floor() as i32)
}

/// People of all sizes all over a map, some in a row, some just anywhere.
fn crowd(rng: &mut Rng, table: &Table, count: u64) -> Vec<Disc> {
    let span = |cells: i32| f64::from(cells) * 0.5;
    let mut at = [rng.float(0.0, span(table.width)), rng.float(0.0, span(table.depth))];
    (0..count)
        .map(|_| {
            if rng.chance(0.5) {
                at = [rng.float(-0.3, span(table.width)), rng.float(-0.3, span(table.depth))];
            } else {
                at[rng.below(2) as usize] += 0.4;
            }
            let radius_m = [0.0, 0.21, 0.35, 0.6][rng.below(4) as usize];
            Disc { centre: Vec3::new(at[0] as f32, 0.0, at[1] as f32), radius_m }
        })
        .collect()
}

/// Whether a circle blocks a cell: its centre lies in it, or nearer to its rectangle than the radius.
fn blocks(disc: &Disc, x: i32, z: i32) -> bool {
    let (cx, cz) = (f64::from(disc.centre.x), f64::from(disc.centre.z));
    let (low_x, low_z) = (f64::from(x) * 0.5, f64::from(z) * 0.5);
    let inside = cx >= low_x && cx < low_x + 0.5 && cz >= low_z && cz < low_z + 0.5;
    let (dx, dz) = (cx - cx.clamp(low_x, low_x + 0.5), cz - cz.clamp(low_z, low_z + 0.5));
    inside || (dx * dx + dz * dz).sqrt() < f64::from(disc.radius_m)
}

/// The copy of a table on which everybody is a wall, but not over the start.
fn stamped(table: &Table, discs: &[Disc], start: usize) -> Table {
    let mut copy = table.clone();
    for z in 0..table.depth {
        for x in 0..table.width {
            let id = table.id(x, z);
            copy.free[id] &= id == start || !discs.iter().any(|disc| blocks(disc, x, z));
        }
    }
    copy
}

fn query(start: Vec3, goal: Vec3, discs: &[Disc]) -> PathQuery {
    PathQuery {
        start,
        goal,
        by: Traversal::default(),
        accept: Accept::Nearest,
        expansions_max: u32::MAX,
        others: Some(discs.into()),
    }
}

fn unit(table: &Table) -> Unit {
    let dearest = table.factor.iter().zip(&table.free).filter(|(_, free)| **free).map(|(factor, _)| *factor);
    Unit::for_map(table.free.len() as u64, dearest.max().unwrap_or(FACTOR_ONE))
}

fn hash(map: &NavMap) -> (u64, walkon::nav::cells::Bits) {
    let mut hash = StateHash::default();
    map.hash_into(&mut hash);
    (hash.finish(), map.cells().unwrap().bits().clone())
}

fn assert_keeps_out(map: &NavMap, answer: &PathAnswer, discs: &[Disc]) {
    for (nth, pair) in answer.path.points.windows(2).enumerate() {
        let clear = match nth {
            0 => map.is_clear_of(pair[0], pair[1], &Traversal::default(), discs),
            _ => map.straight(pair[0], pair[1], &Traversal::default()).is_some(),
        };
        assert!(clear, "{pair:?}");
    }
}

#[test]
fn seed_d1_d2_inv_p1_plans_with_others_cost_what_dijkstra_finds_on_a_stamped_copy() {
    let mut rng = Rng::stream(41, "others");
    let (mut avoided, mut ignored, mut covered) = (0, 0, 0);
    for round in 0..1500 {
        let mut table = random_table(&mut rng, 30);
        if round % 3 == 0 {
            table = with_factors(&mut rng, table);
        }
        let map = map_of(&table);
        let before = hash(&map);
        let (Some(from), Some(to)) = (table.some_free(&mut rng), table.some_free(&mut rng)) else { continue };
        let (start, goal) = (place(&mut rng, &table, from), place(&mut rng, &table, to));
        let count = rng.below(12) + 1;
        let discs = crowd(&mut rng, &table, count);
        let copy = stamped(&table, &discs, from);
        let without = table.dijkstra(from, table.price(unit(&table)));
        let with = copy.dijkstra(from, copy.price(unit(&table)));
        let mut search = Search::default();
        let answer = map.plan(&query(start, goal, &discs), &mut search);
        assert_eq!(hash(&map), before, "the map is not touched");
        if without[to] == u64::MAX {
            assert_ne!(answer.status, PathStatus::Complete);
            continue;
        }
        let cost = if from == to { 0 } else { u64::from(search.cost().0) };
        if !copy.free[to] {
            covered += 1;
            continue;
        }
        assert_eq!(answer.status, PathStatus::Complete);
        if with[to] < u64::MAX {
            assert_eq!((answer.others, cost), (Others::Avoided, with[to]), "round {round}");
            assert_keeps_out(&map, &answer, &discs);
            avoided += 1;
        } else {
            assert_eq!((answer.others, cost), (Others::Ignored, without[to]), "round {round}");
            let alone = map.plan(&PathQuery { others: None, ..query(start, goal, &[]) }, &mut search);
            assert_eq!(answer.path, alone.path);
            ignored += 1;
        }
    }
    assert!(avoided > 300 && ignored > 50 && covered > 50, "{avoided} {ignored} {covered}");
}

#[test]
fn seed_d3_a_goal_that_somebody_covers_is_walked_to_beside() {
    let mut rng = Rng::stream(42, "others");
    let mut seen = 0;
    for _ in 0..800 {
        let table = random_table(&mut rng, 24);
        let map = map_of(&table);
        let (Some(from), Some(to)) = (table.some_free(&mut rng), table.some_free(&mut rng)) else { continue };
        let (start, goal) = (place(&mut rng, &table, from), place(&mut rng, &table, to));
        let mut discs = crowd(&mut rng, &table, 4);
        discs.push(Disc { centre: goal, radius_m: 0.21 });
        let copy = stamped(&table, &discs, from);
        let with = copy.dijkstra(from, |_, _, _| 1);
        let mut search = Search::default();
        let answer = map.plan(&query(start, goal, &discs), &mut search);
        let reachable = table.dijkstra(from, |_, _, _| 1)[to] < u64::MAX;
        if !reachable || copy.free[to] || answer.others == Others::Ignored {
            continue;
        }
        seen += 1;
        assert_eq!((answer.covered, answer.trouble), (Some(4), Some(PathTrouble::Occupied)));
        assert_eq!(answer.status, PathStatus::Partial);
        assert_keeps_out(&map, &answer, &discs);
        let end = *answer.path.points.last().unwrap();
        let cell = cell_of(&table, end);
        assert!(copy.free[cell] && with[cell] < u64::MAX, "free and reachable past the others");
        assert_eq!(answer.nearest, Some(end));
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn seed_d2_the_smallest_body_blocks_a_cell_wherever_it_stands() {
    let mut rng = Rng::stream(43, "others");
    let table = Table::blank(60, 60, true);
    let map = map_of(&table);
    let by = Traversal::default();
    for _ in 0..10_000 {
        let centre = Vec3::new(rng.float(2.0, 28.0) as f32, 0.0, rng.float(2.0, 28.0) as f32);
        let disc = Disc { centre, radius_m: 0.35 * 0.6 };
        let away = centre + Vec3::new(1.3, 0.0, 0.0);
        assert!(!map.is_clear_of(away, centre, &by, &[disc]), "{centre}");
        assert!(map.is_clear_of(away, away + Vec3::new(0.2, 0.0, 0.4), &by, &[disc]), "{centre}");
    }
}

#[test]
fn seed_d2_nobody_stands_in_the_way_of_where_one_begins() {
    let table = Table::blank(20, 20, true);
    let map = map_of(&table);
    let here = Vec3::new(5.25, 0.0, 5.25);
    let on_top = [Disc { centre: here, radius_m: 0.1 }];
    let answer = map.plan(&query(here, Vec3::new(8.25, 0.0, 5.25), &on_top), &mut Search::default());
    assert_eq!(
        (answer.status, answer.others, answer.path.points.len()),
        (PathStatus::Complete, Others::Avoided, 2)
    );
    let stays = map.plan(&query(here, here, &on_top), &mut Search::default());
    assert_eq!((stays.status, stays.covered), (PathStatus::Complete, None));
    let nowhere = Disc { centre: Vec3::new(f32::INFINITY, 0.0, 1.0), radius_m: 9.0 };
    let answer = map.plan(&query(here, Vec3::new(8.25, 0.0, 5.25), &[nowhere]), &mut Search::default());
    assert_eq!((answer.status, answer.others), (PathStatus::Complete, Others::Avoided));
}

#[test]
fn inv_p8_plans_with_others_do_not_depend_on_the_budget() {
    let mut rng = Rng::stream(44, "others");
    for _ in 0..150 {
        let table = random_table(&mut rng, 30);
        let map = map_of(&table);
        let (Some(from), Some(to)) = (table.some_free(&mut rng), table.some_free(&mut rng)) else { continue };
        let discs = crowd(&mut rng, &table, 9);
        let query = query(place(&mut rng, &table, from), place(&mut rng, &table, to), &discs);
        let whole = map.plan(&query, &mut Search::default());
        let mut requests = PathRequests::default();
        let token = requests.push(query);
        let mut answers = Vec::new();
        // Bounded by the cells of the map.
        while answers.is_empty() {
            requests.step(&map, 1 + rng.below(9) as u32, &mut answers);
        }
        assert_eq!(answers, [(token, whole)]);
    }
}
