//! Cells that may not be left in every direction.
//!
//! Goal: what a search finds costs what Dijkstra on a sorted list finds; what can be reached is what a flood
//! finds; no path crosses an edge against its direction, however finely it is looked at. Method: random maps,
//! oracles that know the rule in its plainest form: a straight step needs the permission of the cell left, a
//! diagonal that of all four edges around the corner and its own.

use glam::Vec3;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::nav::{
    Accept, CellMap, CellSource, MapFrame, NavEdit, NavMap, PathFailure, PathQuery, PathStatus, Reach,
    Search, TileEdit, Traversal,
};

/// Directions of travel: offsets in x and z.
const STEPS: [(i32, i32); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// A map as authored.
#[derive(Clone, Debug)]
struct Field {
    width: u32,
    depth: u32,
    walkable: Vec<bool>,
    /// In fiftieths, so that they are exact.
    factor: Vec<u32>,
    leave: Vec<u8>,
}

impl Field {
    fn random(rng: &mut Rng, share: f64) -> Self {
        let (width, depth) = (2 + rng.below(13) as u32, 2 + rng.below(11) as u32);
        let count = (width * depth) as usize;
        let weighted = rng.chance(0.5);
        Self {
            width,
            depth,
            walkable: (0..count).map(|_| rng.chance(0.85)).collect(),
            factor: (0..count)
                .map(|_| if weighted { [40, 50, 100, 150][rng.below(4) as usize] } else { 50 })
                .collect(),
            leave: (0..count)
                .map(|_| if rng.chance(share) { rng.below(256) as u8 & !0xaa | odd(rng) } else { 0 })
                .collect(),
        }
    }

    /// A map drawn with `#` for walls and `>`, `v`, `<`, `^` for cells that may be left in that direction
    /// only.
    fn drawn(rows: &[&str]) -> Self {
        let cells: Vec<u8> = rows.iter().flat_map(|row| row.bytes()).collect();
        let only = |direction: u8| !(1 << direction) & 0b0101_0101;
        Self {
            width: rows[0].len() as u32,
            depth: rows.len() as u32,
            walkable: cells.iter().map(|&cell| cell != b'#').collect(),
            factor: vec![50; cells.len()],
            leave: cells
                .iter()
                .map(|cell| b">v<^".iter().position(|arrow| arrow == cell).map_or(0, |at| only(2 * at as u8)))
                .collect(),
        }
    }

    fn source(&self) -> CellSource {
        CellSource {
            frame: MapFrame { width: self.width, depth: self.depth, cell_size_m: 1.0, ..MapFrame::default() },
            walkable: self.walkable.clone(),
            factor: self.factor.iter().map(|&factor| factor as f32 / 50.0).collect(),
            leave: self.leave.clone(),
            ..CellSource::default()
        }
    }

    fn map(&self) -> NavMap {
        CellMap::from_cells(&self.source()).expect("a map").into()
    }

    fn open(&self, x: i64, z: i64) -> bool {
        x >= 0
            && z >= 0
            && x < i64::from(self.width)
            && z < i64::from(self.depth)
            && self.walkable[self.at(x, z)]
    }

    fn at(&self, x: i64, z: i64) -> usize {
        z as usize * self.width as usize + x as usize
    }

    fn forbids(&self, x: i64, z: i64, direction: usize) -> bool {
        self.leave[self.at(x, z)] >> direction & 1 != 0
    }

    /// Whether a step may be taken, by the plain rule.
    fn may_step(&self, x: i64, z: i64, direction: usize) -> bool {
        let to = |direction: usize| (x + i64::from(STEPS[direction].0), z + i64::from(STEPS[direction].1));
        let (to_x, to_z) = to(direction);
        if !self.open(x, z) || !self.open(to_x, to_z) || self.forbids(x, z, direction) {
            return false;
        }
        if direction.is_multiple_of(2) {
            return true;
        }
        let (first, second) = (direction - 1, (direction + 1) % 8);
        let [(first_x, first_z), (second_x, second_z)] = [to(first), to(second)];
        self.open(first_x, first_z)
            && self.open(second_x, second_z)
            && !self.forbids(x, z, first)
            && !self.forbids(first_x, first_z, second)
            && !self.forbids(x, z, second)
            && !self.forbids(second_x, second_z, first)
    }

    /// The cost of the cheapest way to every cell: Dijkstra on a sorted list.
    fn costs(&self, start: (i64, i64)) -> Vec<Option<u64>> {
        let mut costs = vec![None; self.walkable.len()];
        let mut waiting = vec![(0, start)];
        while let Some((cost, (x, z))) = waiting.pop() {
            if costs[self.at(x, z)].is_some() {
                continue;
            }
            costs[self.at(x, z)] = Some(cost);
            for (direction, &(dx, dz)) in STEPS.iter().enumerate() {
                if self.may_step(x, z, direction) {
                    let to = (x + i64::from(dx), z + i64::from(dz));
                    let length = if direction.is_multiple_of(2) { 13_860 } else { 19_601 };
                    let scaled = u64::from(self.factor[self.at(to.0, to.1)]) * length;
                    waiting.push((cost + (scaled + 25) / 50, to));
                }
            }
            waiting.sort_by_key(|entry| std::cmp::Reverse(entry.0));
        }
        costs
    }

    fn place(&self, rng: &mut Rng) -> Option<(i64, i64)> {
        let (x, z) = (rng.below(u64::from(self.width)) as i64, rng.below(u64::from(self.depth)) as i64);
        self.open(x, z).then_some((x, z))
    }
}

fn odd(rng: &mut Rng) -> u8 {
    if rng.chance(0.2) { rng.below(256) as u8 & 0xaa } else { 0 }
}

fn middle((x, z): (i64, i64)) -> Vec3 {
    Vec3::new(x as f32 + 0.5, 0.0, z as f32 + 0.5)
}

pub fn query(start: Vec3, goal: Vec3) -> PathQuery {
    PathQuery {
        start,
        goal,
        by: Traversal::default(),
        goal_layer: None,
        accept: Accept::Nearest,
        expansions_max: u32::MAX,
        others: None,
    }
}

/// Looks along a straight line in many small steps, smaller still near corners: no edge is crossed against
/// its direction, no wall entered.
fn walk_along(field: &Field, from: Vec3, to: Vec3) -> Result<(), String> {
    let (from, to) = ([from.x, from.z].map(f64::from), [to.x, to.z].map(f64::from));
    let at = |part: f64| {
        let axis = |axis: usize| (from[axis] + (to[axis] - from[axis]) * part).floor() as i64;
        (axis(0), axis(1))
    };
    let count = (200.0 * (to[0] - from[0]).hypot(to[1] - from[1])).ceil() + 1.0;
    // Stretches still to be looked at, the next one last.
    let mut stretches: Vec<[f64; 2]> =
        (0..count as u32).rev().map(|step| [f64::from(step) / count, f64::from(step + 1) / count]).collect();
    while let Some([first, end]) = stretches.pop() {
        let (last, now) = (at(first), at(end));
        let (dx, dz) = (now.0 - last.0, now.1 - last.1);
        if dx != 0 && dz != 0 && end - first > 1e-9 {
            let middle = (first + end) / 2.0;
            stretches.extend([[middle, end], [first, middle]]);
            continue;
        }
        if (dx, dz) != (0, 0) {
            let direction = STEPS.iter().position(|&(x, z)| (i64::from(x), i64::from(z)) == (dx, dz));
            let direction = direction.ok_or("a jump")?;
            if !field.may_step(last.0, last.1, direction) {
                return Err(format!("{last:?} left in direction {direction} at {first}"));
            }
        }
    }
    Ok(())
}

#[test]
fn searches_cost_what_dijkstra_costs_and_reach_what_a_flood_reaches() {
    let mut search = Search::default();
    let (mut trapped, mut reached, mut partial) = (0, 0, 0);
    for round in 0..400 {
        let mut rng = Rng::stream(round, "one-way");
        let share = [0.03, 0.15, 0.5][rng.below(3) as usize];
        let field = Field::random(&mut rng, share);
        let map = field.map();
        for _ in 0..12 {
            let (Some(start), Some(goal)) = (field.place(&mut rng), field.place(&mut rng)) else { continue };
            let costs = field.costs(start);
            let answer = map.plan(&query(middle(start), middle(goal)), &mut search);
            let reach = map.reach(middle(start), middle(goal), &Traversal::default());
            let best = costs[field.at(goal.0, goal.1)];
            let place = format!("round {round}: {start:?} to {goal:?} on {field:?}");
            for pair in answer.path.points.windows(2) {
                walk_along(&field, pair[0], pair[1]).unwrap_or_else(|wrong| panic!("{wrong}, {place}"));
                assert!(map.straight(pair[0], pair[1], &Traversal::default()).is_some(), "{place}");
            }
            match best {
                Some(best) => {
                    reached += 1;
                    assert_eq!((answer.status, reach), (PathStatus::Complete, Reach::Yes), "{place}");
                    if start != goal {
                        assert_eq!(u64::from(search.cost().0), best, "{place}");
                    }
                }
                None => {
                    trapped += 1;
                    assert_eq!(reach, Reach::No(PathFailure::NoPath), "{place}");
                    assert_eq!(answer.trouble, Some(PathFailure::NoPath), "{place}");
                    partial += u32::from(answer.status == PathStatus::Partial);
                    let away = |cell: usize| {
                        let (x, z) =
                            (cell as i64 % i64::from(field.width), cell as i64 / i64::from(field.width));
                        (x - goal.0).pow(2) + (z - goal.1).pow(2)
                    };
                    let nearest = (0..costs.len()).filter(|&cell| costs[cell].is_some()).map(away).min();
                    let end = answer.path.points[answer.path.points.len() - 1];
                    let end = field.at(end.x.floor() as i64, end.z.floor() as i64);
                    assert_eq!(Some(away(end)), nearest, "the nearest place that can be reached, {place}");
                    assert!(costs[end].is_some(), "{place}");
                }
            }
        }
    }
    assert!(trapped > 300 && reached > 1000 && partial == trapped, "{trapped} {reached} {partial}");
}

#[test]
fn straight_lines_are_clear_exactly_where_small_steps_along_them_are() {
    let (mut clear, mut refused) = (0, 0);
    for round in 0..300 {
        let mut rng = Rng::stream(round, "lines");
        let mut field = Field::random(&mut rng, 0.2);
        field.walkable.fill(true);
        let map = field.map();
        let by = Traversal::default();
        for _ in 0..30 {
            let mut axis = |count: u32| rng.float(0.0, f64::from(count)) as f32;
            let (from, to) = (
                Vec3::new(axis(field.width), 0.0, axis(field.depth)),
                Vec3::new(axis(field.width), 0.0, axis(field.depth)),
            );
            let small = walk_along(&field, from, to);
            let is_clear = map.straight(from, to, &by).is_some();
            // Small steps may pass a corner without seeing one of its cells: then they see less.
            if is_clear {
                assert!(small.is_ok(), "round {round}: {from} to {to}: {small:?} on {field:?}");
                clear += 1;
            } else if small.is_err() {
                refused += 1;
            }
            let (whole, last) = map.sight(from, to, &by);
            assert_eq!(whole, is_clear);
            assert!(walk_along(&field, from, last).is_ok(), "round {round}: {from} to {to} stops at {last}");
            assert_eq!(map.footing(&by).clear(from, to), is_clear);
        }
    }
    assert!(clear > 1000 && refused > 1000, "{clear} {refused}");
}

#[test]
fn a_line_through_a_corner_needs_all_four_edges() {
    let free = Field::drawn(&["..", ".."]);
    let (from, to) = (middle((0, 0)), middle((1, 1)));
    let by = Traversal::default();
    assert!(free.map().straight(from, to, &by).is_some());
    for (cell, direction) in [(0, 0), (0, 2), (1, 2), (2, 0), (0, 1)] {
        let mut field = free.clone();
        field.leave[cell] = 1 << direction;
        assert!(field.map().straight(from, to, &by).is_none(), "cell {cell}, direction {direction}");
        assert!(field.map().straight(to, from, &by).is_some(), "only forth is forbidden");
    }
}

#[test]
fn seed_t9_a_forbidden_direction_is_that_of_leaving() {
    let map = Field::drawn(&["...>...", "###.###"]).map();
    let by = Traversal::default();
    let (west, gate, east) = (middle((0, 0)), middle((3, 0)), middle((6, 0)));
    assert_eq!(map.reach(west, east, &by), Reach::Yes);
    assert_eq!(map.reach(gate, west, &by), Reach::No(PathFailure::NoPath));
    assert_eq!(map.reach(east, gate, &by), Reach::Yes, "it may be entered from everywhere");
    assert_eq!(map.reach(east, west, &by), Reach::No(PathFailure::NoPath));
    let answer = map.plan(&query(east, west), &mut Search::default());
    assert_eq!(answer.nearest, Some(gate), "the nearest place that can be reached is the gate itself");
}

#[test]
fn fault_f36_a_trap_is_legal_and_cannot_be_left() {
    let field = Field::drawn(&[".....", ".>.<.", ".....", "..^.."]);
    // A pit: the cell in the middle may be entered from all sides and left to none.
    let mut pit = field.clone();
    pit.leave = vec![0; 20];
    pit.leave[7] = 0xff;
    let (map, by) = (pit.map(), Traversal::default());
    assert_eq!(map.reach(middle((0, 0)), middle((2, 1)), &by), Reach::Yes);
    assert_eq!(map.reach(middle((2, 1)), middle((0, 0)), &by), Reach::No(PathFailure::NoPath));
    let answer = map.plan(&query(middle((2, 1)), middle((0, 0))), &mut Search::default());
    assert_eq!((answer.status, answer.path.points.len()), (PathStatus::Partial, 1), "it stays where it is");
    let exact = PathQuery { accept: Accept::Exact, ..query(middle((2, 1)), middle((0, 0))) };
    assert_eq!(map.plan(&exact, &mut Search::default()).status, PathStatus::None);
}

#[test]
fn directions_that_come_and_go_at_run_time_count_at_once() {
    let mut map = Field::drawn(&["....."]).map();
    let by = Traversal::default();
    let (west, east) = (middle((0, 0)), middle((4, 0)));
    let edit = |leave| {
        NavEdit::Tile(TileEdit { layer: 0, cell: [2, 0], walkable: None, factor: None, leave: Some(leave) })
    };
    assert_eq!(map.reach(east, west, &by), Reach::Yes);
    let change = map.apply(&[edit(1 << 4)]).expect("a change");
    assert!(change.closed && !change.opened && !change.recosted);
    assert_eq!(map.reach(east, west, &by), Reach::No(PathFailure::NoPath));
    assert_eq!(map.reach(west, east, &by), Reach::Yes);
    let change = map.apply(&[edit(0)]).expect("a change");
    assert!(change.opened && !change.closed);
    assert_eq!(map.reach(east, west, &by), Reach::Yes);
    assert!(map.apply(&[edit(0)]).is_none());
}
