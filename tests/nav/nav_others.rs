//! Laws of plans that keep out of those who stand in the way, against the same maps with their cells blocked.
//!
//! Goal: a plan with circles costs what Dijkstra finds on a copy of the map on which their cells are walls;
//! they are ignored exactly when that copy has no way and the map has; the map is not touched. Method: random
//! maps of four kinds, even and with factors, random crowds; the oracle measures rectangles by itself and
//! shares no code with the plans.

use glam::Vec3;
use walkon_runtime::base::geom::{ground, segment_distance_sq};
use walkon_runtime::base::hash::StateHash;
use walkon_runtime::base::ids::AreaId;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::nav::cells::{CellArea, CellMap, CellSource, FACTOR_ONE, MapFrame, Unit};
use walkon_runtime::nav::{
    Accept, AreaEdit, Disc, NavEdit, NavMap, OneWay, Others, PassRules, Path, PathAnswer, PathFailure,
    PathQuery, PathRequests, PathStatus, Search, Traversal,
};

use crate::nav::nav_laws::{Table, random_table, with_factors};

/// A map of a table, cells of half a metre, bodies without width.
fn map_of(table: &Table) -> NavMap {
    let source = CellSource {
        frame: MapFrame {
            cell_size_m: 0.5,
            width: table.width as u32,
            depth: table.depth as u32,
            ..MapFrame::default()
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
        goal_layer: None,
        expansions_max: u32::MAX,
        others: Some(discs.into()),
    }
}

fn unit(table: &Table) -> Unit {
    let costliest =
        table.factor.iter().zip(&table.free).filter(|(_, free)| **free).map(|(factor, _)| *factor);
    Unit::for_map(table.free.len() as u64, costliest.max().unwrap_or(FACTOR_ONE))
}

fn hash(map: &NavMap) -> (u64, walkon_runtime::nav::cells::Bits) {
    let mut hash = StateHash::default();
    map.hash_into(&mut hash);
    (hash.finish(), map.cells().unwrap().bits().clone())
}

/// Every segment of a path is clear on a copy of the map on which the others are walls.
fn assert_keeps_out(copy: &Table, answer: &PathAnswer) {
    let map = map_of(copy);
    for pair in answer.path.points.windows(2) {
        assert!(map.sight(pair[0], pair[1], &Traversal::default()).0, "seed:M1 {pair:?}");
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
            assert_keeps_out(&copy, &answer);
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
    let (mut beside, mut ignored) = (0, 0);
    for _ in 0..1500 {
        let table = random_table(&mut rng, 24);
        let map = map_of(&table);
        let (Some(from), Some(to)) = (table.some_free(&mut rng), table.some_free(&mut rng)) else { continue };
        let (start, goal) = (place(&mut rng, &table, from), place(&mut rng, &table, to));
        let mut discs = crowd(&mut rng, &table, 4);
        discs.push(Disc { centre: goal, radius_m: 0.21 });
        let copy = stamped(&table, &discs, from);
        let with = copy.dijkstra(from, |_, _, _| 1);
        let reachable = table.dijkstra(from, |_, _, _| 1)[to] < u64::MAX;
        if !reachable || copy.free[to] {
            continue;
        }
        // In a clear line from the middle of the goal's cell but for the others, nearest first.
        let middle = |cell: usize| {
            let (x, z) = (cell as i32 % table.width, cell as i32 / table.width);
            Vec3::new(x as f32 * 0.5 + 0.25, 0.0, z as f32 * 0.5 + 0.25)
        };
        let away = |cell: usize| (middle(cell) - goal).length();
        let near = (0..copy.free.len())
            .filter(|&cell| copy.free[cell] && with[cell] < u64::MAX && away(cell) <= 8.0);
        let near = near.filter(|&cell| map.sight(middle(to), middle(cell), &Traversal::default()).0);
        let nearest = near.map(away).fold(f32::INFINITY, f32::min);
        let answer = map.plan(&query(start, goal, &discs), &mut Search::default());
        if nearest == f32::INFINITY {
            assert_eq!((answer.others, answer.covered), (Others::Ignored, None));
            assert_eq!(answer.status, PathStatus::Complete);
            ignored += 1;
            continue;
        }
        beside += 1;
        assert_eq!((answer.others, answer.covered), (Others::Avoided, Some(4)));
        assert_eq!((answer.status, answer.trouble), (PathStatus::Partial, Some(PathFailure::Occupied)));
        let (&end, way) = answer.path.points.split_last().unwrap();
        let cell = cell_of(&table, end);
        // The last stretch leads on towards the goal, past others by their circles and not by their cells.
        let leads_on = !copy.free[cell];
        let before =
            PathAnswer { path: Path { points: way.to_vec(), ..answer.path.clone() }, ..answer.clone() };
        assert_keeps_out(&copy, if leads_on { &before } else { &answer });
        let last = *way.last().unwrap_or(&end);
        assert!(map.sight(last, end, &Traversal::default()).0, "no wall on the last stretch");
        let closest_m = |disc: &Disc| {
            let (a, b) = (ground(last), ground(end));
            segment_distance_sq(ground(disc.centre), a, b).sqrt() - f64::from(disc.radius_m)
        };
        // One may begin among others.
        let begins_in = |disc: &Disc| (disc.centre - last).length() < disc.radius_m + 1e-3;
        let is_past = || discs.iter().all(|disc| closest_m(disc) > -1e-3 || begins_in(disc));
        assert!(!leads_on || is_past(), "past the others");
        assert!(leads_on || with[cell] < u64::MAX, "free and reachable past the others");
        assert!((end - goal).length() < nearest + 0.5 + 1e-3, "{end} {nearest}");
        assert_eq!(answer.nearest, Some(end));
        let exact = map
            .plan(&PathQuery { accept: Accept::Exact, ..query(start, goal, &discs) }, &mut Search::default());
        assert_eq!(exact, answer, "people move on");
    }
    assert!(beside > 200 && ignored > 10, "{beside} {ignored}");
}

#[test]
fn a_place_beside_a_covered_goal_is_as_near_on_large_cells_as_on_small_ones() {
    let mut rng = Rng::stream(44, "others");
    for cell_size_m in [0.1, 0.25, 0.4, 1.0, 2.0, 4.0] {
        let side = (40.0 / cell_size_m) as u32;
        let map = NavMap::from(
            CellMap::from_cells(&CellSource {
                frame: MapFrame { width: side, depth: side, cell_size_m, ..MapFrame::default() },
                walkable: vec![true; (side * side) as usize],
                ..CellSource::default()
            })
            .unwrap(),
        );
        for _ in 0..200 {
            let goal = Vec3::new(12.0 + 16.0 * rng.unit() as f32, 0.0, 12.0 + 16.0 * rng.unit() as f32);
            let start = Vec3::new(40.0 * rng.unit() as f32, 0.0, 5.0 * rng.unit() as f32);
            let disc = Disc { centre: goal, radius_m: 0.1 + 0.5 * rng.unit() as f32 };
            let radius_m = 0.1 + 0.4 * rng.unit() as f32;
            let by = Traversal { radius_m, ..Traversal::default() };
            let query = PathQuery { by, ..query(start, goal, &[disc]) };
            let answer = map.plan(&query, &mut Search::default());
            let path = &answer.path;
            let away_m = (*path.points.last().unwrap() - goal).length();
            let room_m = disc.radius_m + radius_m;
            assert!(away_m > disc.radius_m - 1e-3, "{cell_size_m}: {away_m} inside {disc:?}");
            assert!(away_m < room_m + 0.11, "{cell_size_m}: {away_m} from a goal with room at {room_m}");
            let lengths = path.points.windows(2).map(|leg| (leg[1] - leg[0]).length());
            let length_m: f32 = lengths.sum();
            assert!((path.length_m - length_m).abs() < 1e-3, "{} {length_m}", path.length_m);
            assert!((path.cost_m - length_m).abs() < 0.01 * length_m + 1e-2, "{} {length_m}", path.cost_m);
        }
    }
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
    let mut ignored = 0;
    for round in 0..400 {
        let mut table = random_table(&mut rng, 30);
        if round % 4 == 0 {
            table = with_factors(&mut rng, table);
        }
        let map = map_of(&table);
        let (Some(from), Some(to)) = (table.some_free(&mut rng), table.some_free(&mut rng)) else { continue };
        let mut discs = crowd(&mut rng, &table, 9);
        let goal = place(&mut rng, &table, to);
        if rng.chance(0.5) {
            discs.push(Disc { centre: goal, radius_m: 0.6 });
        }
        let query = query(place(&mut rng, &table, from), goal, &discs);
        let whole = map.plan(&query, &mut Search::default());
        let mut requests = PathRequests::default();
        let token = requests.push(query);
        let mut answers = Vec::new();
        // Bounded by the cells of the map.
        while answers.is_empty() {
            requests.step(&map, 1 + rng.below(9) as u32, &mut answers);
        }
        ignored += u32::from(whole.others == Others::Ignored);
        assert_eq!(answers, [(token, whole)]);
    }
    assert!(ignored > 20, "{ignored}");
}

/// Two halls of cells of half a metre, 1000 x 400 each, joined by nothing but a doorway two cells wide.
fn halls() -> Table {
    let mut table = Table::blank(1000, 801, true);
    (0..1000).filter(|x| !(500..502).contains(x)).for_each(|x| {
        let wall = table.id(x, 400);
        table.free[wall] = false;
    });
    table
}

#[test]
fn seed_d6_who_stands_in_the_only_doorway_is_planned_through_and_no_hall_is_flooded() {
    let mut search = Search::default();
    let guard = Disc { centre: Vec3::new(250.5, 0.0, 200.25), radius_m: 0.3 };
    let (south, north) = (Vec3::new(240.0, 0.0, 180.0), Vec3::new(260.0, 0.0, 230.0));
    let mut swampy = halls();
    let in_swamp = swampy.id(490, 380);
    swampy.factor[in_swamp] = 2 * FACTOR_ONE;
    for table in [halls(), swampy] {
        let map = map_of(&table);
        let alone = map.plan(&query(south, north, &[]), &mut search);
        let answer = map.plan(&query(south, north, &[guard]), &mut search);
        assert_eq!((answer.others, answer.status), (Others::Ignored, PathStatus::Complete));
        assert_eq!(answer.path, alone.path);
        // Found out by rows, of which each hall has 400, at a fifth of the expansions; the halls have 400,000
        // cells each.
        let spent = answer.expansions - alone.expansions;
        assert!(spent < 100 + 5 * 2 * 400, "{spent}");
    }
    let map = map_of(&halls());
    // A character that stands beside the doorway is walked round.
    let beside = Disc { centre: Vec3::new(250.2, 0.0, 200.25), radius_m: 0.21 };
    let answer = map.plan(&query(south, north, &[beside]), &mut search);
    assert_eq!((answer.others, answer.status), (Others::Avoided, PathStatus::Complete));
}

#[test]
fn seed_n15_who_is_closed_in_by_others_costs_as_little_as_the_space_it_has_left() {
    let mut table = Table::blank(900, 900, true);
    // Uneven, so that each cell of a flood counts; one expansion of jumps may span this field.
    table.factor[0] = 2 * FACTOR_ONE;
    let map = map_of(&table);
    let ring = |centre: Vec3| -> Vec<Disc> {
        let around =
            |step: i32| Vec3::new((step / 12) as f32 * 0.5 - 3.0, 0.0, (step % 12) as f32 * 0.5 - 3.0);
        let edge = |offset: &Vec3| offset.x.abs().max(offset.z.abs()) > 2.4;
        let offsets = (0..144).map(around).filter(edge);
        offsets.map(|offset| Disc { centre: centre + offset, radius_m: 0.3 }).collect()
    };
    let (here, there) = (Vec3::new(100.3, 0.0, 100.3), Vec3::new(400.3, 0.0, 300.3));
    let mut search = Search::default();
    let alone = map.plan(&query(here, there, &[]), &mut search);
    for closed in [here, there] {
        let answer = map.plan(&query(here, there, &ring(closed)), &mut search);
        assert_eq!((answer.others, answer.status), (Others::Ignored, PathStatus::Complete));
        assert_eq!(answer.path, alone.path);
        let spent = answer.expansions - alone.expansions;
        assert!(spent < 100 + 5 * 2 * 16, "twice 13 rows at a fifth of the expansions, not {spent}");
    }
}

#[test]
fn seed_d5_a_gap_that_is_open_at_six_tenths_of_the_radius_is_planned_through() {
    // A passage of four cells of half a metre between two who stand 2.25 m apart.
    let mut table = Table::blank(40, 11, true);
    for z in (0..11).filter(|z| !(3..8).contains(z)) {
        let wall = table.id(20, z);
        table.free[wall] = false;
    }
    let map = map_of(&table);
    let pair = |share: f32| {
        let stand = |z: f32| Disc { centre: Vec3::new(10.25, 0.0, z), radius_m: share * 0.95 };
        [stand(1.75), stand(3.75)]
    };
    let (west, east) = (Vec3::new(5.25, 0.0, 2.75), Vec3::new(15.25, 0.0, 2.75));
    let mut search = Search::default();
    let through = map.plan(&query(west, east, &pair(0.6)), &mut search);
    assert_eq!((through.others, through.status), (Others::Avoided, PathStatus::Complete));
    assert_eq!(map.plan(&query(west, east, &pair(1.0)), &mut search).others, Others::Ignored);
}

#[test]
fn fault_g25_an_edit_while_a_plan_with_others_is_paused_begins_it_again() {
    let rows = 60_usize;
    let mut area = vec![0; rows * rows];
    (0..rows).filter(|z| *z != 30).for_each(|z| area[z * rows + 30] = 1);
    let source = CellSource {
        frame: MapFrame { cell_size_m: 0.5, width: 60, depth: 60, ..MapFrame::default() },
        walkable: (0..rows * rows)
            .map(|id| id % 7 != 3 || (id / rows).is_multiple_of(5) || id % rows == 30)
            .collect(),
        area,
        areas: vec![CellArea { available: false, factor: 1.0 }],
        ..CellSource::default()
    };
    let mut map: NavMap = CellMap::from_cells(&source).unwrap().into();
    // In the gap of the wall, so that the way is closed until the wall opens.
    let discs = [Disc { centre: Vec3::new(15.25, 0.0, 15.25), radius_m: 0.2 }];
    let query = query(Vec3::new(0.25, 0.0, 0.25), Vec3::new(29.75, 0.0, 29.75), &discs);
    assert_eq!(map.plan(&query, &mut Search::default()).others, Others::Ignored);
    for slices in 0..60 {
        let mut requests = PathRequests::default();
        let token = requests.push(query.clone());
        let mut answers = Vec::new();
        (0..slices).for_each(|_| _ = requests.step(&map, 2, &mut answers));
        let edit = |available| {
            [NavEdit::Area(AreaEdit { area: AreaId(0), available: Some(available), factor: None })]
        };
        map.apply(&edit(true)).unwrap();
        let is_early = !answers.is_empty();
        // Bounded by the cells of the map, begun twice.
        while answers.is_empty() {
            requests.step(&map, 2, &mut answers);
        }
        let fresh = map.plan(&query, &mut Search::default());
        assert_eq!((fresh.others, answers[0].0), (Others::Avoided, token));
        assert!(is_early || answers[0].1.path == fresh.path && answers[0].1.others == Others::Avoided);
        map.apply(&edit(false)).unwrap();
        // Taken back while it is paused, nothing comes of it.
        let token = requests.push(query.clone());
        let mut late = Vec::new();
        (0..slices / 2).for_each(|_| _ = requests.step(&map, 2, &mut late));
        requests.cancel(token);
        late.clear();
        (0..200).for_each(|_| _ = requests.step(&map, 50, &mut late));
        assert_eq!((late, requests.waiting()), (Vec::new(), 0));
    }
}

#[test]
fn doors_and_bodies_of_other_widths_are_planned_past_others_too() {
    // A wall with a closed door at z = 3 and a gap at z = 12; a character stands in the gap.
    let (width, depth) = (24, 16);
    let wall = |id: usize| id % width == 12;
    let (is_door, is_gap) = (|id: usize| id / width == 3, |id: usize| (11..14).contains(&(id / width)));
    let source = CellSource {
        frame: MapFrame { cell_size_m: 0.5, width: 24, depth: 16, ..MapFrame::default() },
        walkable: (0..width * depth).map(|id| !wall(id) || is_door(id) || is_gap(id)).collect(),
        area: (0..width * depth).map(|id| u16::from(wall(id) && is_door(id))).collect(),
        areas: vec![CellArea { available: false, factor: 1.0 }],
        ..CellSource::default()
    };
    let map: NavMap = CellMap::from_cells(&source).unwrap().into();
    let stands = [Disc { centre: Vec3::new(6.25, 0.0, 6.25), radius_m: 0.6 }];
    let (west, east) = (Vec3::new(1.25, 0.0, 6.25), Vec3::new(10.75, 0.0, 6.25));
    let opens = Traversal { through: Some([(AreaId(0), 0.5)].into()), ..Traversal::default() };
    let mut search = Search::default();
    let round = map.plan(&PathQuery { by: opens, ..query(west, east, &stands) }, &mut search);
    assert_eq!((round.others, round.path.crossings.len()), (Others::Avoided, 1));
    let locked_out = map.plan(&query(west, east, &stands), &mut search);
    assert_eq!((locked_out.others, locked_out.path.crossings.len()), (Others::Ignored, 0));
    let shunned = Traversal { areas: Some([(AreaId(0), None)].into()), ..Traversal::default() };
    let shuns = map.plan(&PathQuery { by: shunned, ..query(west, east, &stands) }, &mut search);
    assert_eq!(shuns.others, Others::Ignored);
    let wide = Traversal { radius_m: 0.5, ..Traversal::default() };
    let small = [Disc { centre: Vec3::new(6.25, 0.0, 6.25), radius_m: 0.1 }];
    assert_eq!(
        map.plan(&PathQuery { by: wide, ..query(west, east, &small) }, &mut search).others,
        Others::Ignored
    );
    assert_eq!(map.plan(&query(west, east, &small), &mut search).others, Others::Avoided);
}

#[test]
fn a_one_way_door_that_others_force_the_way_through_is_not_passed_against_its_direction() {
    // A wall with a gate to the east at z = 3 and a gap at z = 12; a character stands in the gap of a way
    // west.
    let (width, depth) = (24, 16);
    let wall = |id: usize| id % width == 12;
    let (is_gate, is_gap) = (|id: usize| id / width == 3, |id: usize| id / width == 12);
    let source = CellSource {
        frame: MapFrame { cell_size_m: 0.5, width: 24, depth: 16, ..MapFrame::default() },
        walkable: (0..width * depth).map(|id| !wall(id) || is_gate(id) || is_gap(id)).collect(),
        area: (0..width * depth).map(|id| u16::from(wall(id) && is_gate(id))).collect(),
        areas: vec![CellArea { available: true, factor: 1.0 }],
        ..CellSource::default()
    };
    let map: NavMap = CellMap::from_cells(&source).unwrap().into();
    let gate = OneWay { area: AreaId(0), middle: Vec3::new(6.25, 0.0, 1.75), direction: [1.0, 0.0] };
    let rules = PassRules { barred: Vec::new(), one_way: vec![gate] };
    let by = Traversal { rules: Some(rules.into()), ..Traversal::default() };
    let stands = [Disc { centre: Vec3::new(6.25, 0.0, 6.25), radius_m: 0.2 }];
    let (west, east) = (Vec3::new(1.25, 0.0, 1.75), Vec3::new(10.75, 0.0, 1.75));
    let mut search = Search::default();
    let along = map.plan(&PathQuery { by: by.clone(), ..query(west, east, &stands) }, &mut search);
    assert_eq!((along.others, along.path.points.len()), (Others::Avoided, 2));
    let against = map.plan(&PathQuery { by: by.clone(), ..query(east, west, &stands) }, &mut search);
    assert_eq!((against.others, against.status), (Others::Ignored, PathStatus::Complete));
    assert!(against.path.points.iter().any(|point| point.z > 6.0), "{:?}", against.path.points);
    let alone = map.plan(&PathQuery { by, others: None, ..query(east, west, &[]) }, &mut search);
    assert_eq!(against.path, alone.path);
}

#[test]
fn inv_p6_a_line_is_clear_of_others_exactly_when_it_is_on_a_stamped_copy() {
    let mut rng = Rng::stream(45, "others");
    let by = Traversal::default();
    let (mut clear, mut blocked) = (0, 0);
    for _ in 0..200 {
        let table = random_table(&mut rng, 30);
        let map = map_of(&table);
        let discs = crowd(&mut rng, &table, 6);
        for _ in 0..20 {
            let (Some(from), Some(to)) = (table.some_free(&mut rng), table.some_free(&mut rng)) else {
                continue;
            };
            let (start, end) = (place(&mut rng, &table, from), place(&mut rng, &table, to));
            let expected = map_of(&stamped(&table, &discs, from)).sight(start, end, &by).0;
            assert_eq!(map.is_clear_of(start, end, &by, &discs), expected, "{start} {end} {discs:?}");
            *(if expected { &mut clear } else { &mut blocked }) += 1;
        }
    }
    assert!(clear > 100 && blocked > 100, "{clear} {blocked}");
}

#[test]
fn the_nearest_point_to_a_goal_in_a_wall_is_left_to_who_stands_there() {
    let mut table = Table::blank(40, 20, true);
    (0..20).flat_map(|z| (30..40).map(move |x| (x, z))).for_each(|(x, z)| {
        let wall = table.id(x, z);
        table.free[wall] = false;
    });
    let map = map_of(&table);
    let (start, goal) = (Vec3::new(2.25, 0.0, 5.25), Vec3::new(17.25, 0.0, 5.25));
    let mut search = Search::default();
    let alone = map.plan(&query(start, goal, &[]), &mut search);
    let nearest = alone.nearest.unwrap();
    assert_eq!((alone.status, alone.covered), (PathStatus::Partial, None));
    let other = Disc { centre: Vec3::new(5.0, 0.0, 9.0), radius_m: 0.2 };
    let stands = Disc { centre: nearest, radius_m: 0.2 };
    let answer = map.plan(&query(start, goal, &[other, stands]), &mut search);
    assert_eq!((answer.status, answer.trouble), (PathStatus::Partial, Some(PathFailure::NoPath)));
    assert_eq!((answer.covered, answer.others), (Some(1), Others::Avoided));
    let gap = (*answer.path.points.last().unwrap() - nearest).length();
    assert!(gap > 0.2 && gap < 1.1, "beside: {gap}");
    let exact = PathQuery { accept: Accept::Exact, ..query(start, goal, &[other, stands]) };
    assert_eq!(map.plan(&exact, &mut search).status, PathStatus::None);
}

#[test]
fn absurd_circles_do_no_harm() {
    let table = Table::blank(70, 20, true);
    let map = map_of(&table);
    let (start, goal) = (Vec3::new(2.25, 0.0, 5.25), Vec3::new(30.25, 0.0, 5.25));
    let mut search = Search::default();
    let middle = Vec3::new(15.0, 0.0, 5.0);
    for (centre, radius_m, others) in [
        (Vec3::new(f32::NAN, 0.0, 0.0), 1.0, Others::Avoided),
        (Vec3::new(f32::MAX, 0.0, -f32::MAX), 1.0, Others::Avoided),
        (middle, f32::NAN, Others::Avoided),
        (middle, -3.0, Others::Avoided),
        (middle, f32::INFINITY, Others::Ignored),
        (middle, f32::MAX, Others::Ignored),
    ] {
        let answer = map.plan(&query(start, goal, &[Disc { centre, radius_m }]), &mut search);
        assert_eq!((answer.status, answer.others), (PathStatus::Complete, others), "{centre} {radius_m}");
    }
}
