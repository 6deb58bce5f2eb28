//! Whether a place can be reached is one question with one answer: `reach` says yes exactly where `plan`
//! gives a whole path.
//!
//! Goal: on every kind of map, with doors that are open, closed, locked or let people through in one
//! direction, with links that lead one way, for wide and narrow bodies, both say what a flood over rooms
//! says; what cannot be reached is approached. Method: drawn houses of rooms three metres square on one
//! to three storeys, joined by doorways a metre wide and, where the kind of map has them, by links; doors are
//! opened and closed between questions.

use glam::Vec3;
use walkon_runtime::base::ids::DoorId;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::nav::{
    Accept, LayerPoint, PathAnswer, PathQuery, PathStatus, RandomPoint, Reach, Search, Traversal,
};
use walkon_runtime::world::asker::Asker;
use walkon_runtime::world::door::DoorPolicy;
use walkon_runtime::world::ops::doors::{self, DoorOrder};

use crate::fixture::Stage;

/// Rooms side by side, and rows of them.
const ROOMS: [usize; 2] = [3, 2];
/// From room to room, metres.
const PITCH_M: f32 = 4.0;

/// A room: storey, column, row.
type Room = (usize, usize, usize);

/// What lies between two rooms side by side.
#[derive(Clone, Debug)]
struct Doorway {
    from: Room,
    to: Room,
    /// Of the door; None for a doorway without one.
    door: Option<HouseDoor>,
}

#[derive(Clone, Debug)]
struct HouseDoor {
    is_locked: bool,
    /// Whether only from `from` to `to` (1), or only back (-1).
    one_way: i32,
}

/// Stairs or a climb.
#[derive(Clone, Debug)]
struct Stairs {
    from: Room,
    to: Room,
    both_ways: bool,
}

#[derive(Clone, Debug)]
struct House {
    kind: &'static str,
    storeys: usize,
    doorways: Vec<Doorway>,
    stairs: Vec<Stairs>,
}

const KINDS: [&str; 7] = ["grid", "mesh", "graph", "square8", "square4", "hexPointy", "hexFlat"];

impl House {
    fn random(rng: &mut Rng) -> Self {
        let kind = KINDS[rng.below(KINDS.len() as u64) as usize];
        let is_tiles = kind.starts_with("square") || kind.starts_with("hex");
        let storeys = if is_tiles { 1 + rng.below(3) as usize } else { 1 };
        let mut doorways = Vec::new();
        for storey in 0..storeys {
            for row in 0..ROOMS[1] {
                for column in 0..ROOMS[0] {
                    for (dx, dz) in [(1, 0), (0, 1)] {
                        let (from, to) = ((storey, column, row), (storey, column + dx, row + dz));
                        if to.1 < ROOMS[0] && to.2 < ROOMS[1] && rng.chance(0.8) {
                            let one_way = [0, 1, -1][rng.below(3) as usize];
                            let door = HouseDoor { is_locked: rng.chance(0.2), one_way };
                            doorways.push(Doorway { from, to, door: rng.chance(0.8).then_some(door) });
                        }
                    }
                }
            }
        }
        let links = if kind == "grid" { 0 } else { rng.below(5) };
        let room = |rng: &mut Rng| {
            let below = |rng: &mut Rng, count: usize| rng.below(count as u64) as usize;
            (below(rng, storeys), below(rng, ROOMS[0]), below(rng, ROOMS[1]))
        };
        let stairs = (0..links)
            .map(|_| Stairs { from: room(rng), to: room(rng), both_ways: rng.chance(0.5) })
            .filter(|stairs| stairs.from != stairs.to)
            .collect();
        Self { kind, storeys, doorways, stairs }
    }

    fn is_tiles(&self) -> bool {
        self.kind.starts_with("square") || self.kind.starts_with("hex")
    }

    fn doors(&self) -> impl Iterator<Item = (&Doorway, &HouseDoor)> {
        self.doorways.iter().filter_map(|way| way.door.as_ref().map(|door| (way, door)))
    }

    /// The number of a doorway among those with a door.
    fn number(&self, at: usize) -> usize {
        self.doorways[..at].iter().filter(|way| way.door.is_some()).count()
    }

    fn json(&self) -> String {
        let navigation = match self.kind {
            "grid" => format!(r#""kind": "grid", "cellSize": 0.2, {}"#, self.polygons()),
            "mesh" => format!(
                r#""kind": "mesh", "actionLinks": [{}], {}"#,
                self.links(|(_, x, z)| format!("[{}, {}]", middle(x), middle(z)), r#", "action": "climb""#),
                self.polygons()
            ),
            "graph" => self.graph(),
            layout => format!(
                r#""kind": "tiles", "layout": "{layout}", "agentRadius": 0, "layers": [{}], "legend": {{ {} }}, "links": [{}]"#,
                (0..self.storeys).map(|storey| self.rows(storey)).collect::<Vec<_>>().join(","),
                (0..self.doors().count())
                    .map(|at| format!(r#""{}": {{ "area": "way{at}" }}"#, letter(at)))
                    .collect::<Vec<_>>()
                    .join(","),
                self.links(
                    |room| {
                        let at = self.tile_place(room);
                        format!(r#"{{ "layer": "s{}", "position": [{}, {}] }}"#, room.0, at.x, at.z)
                    },
                    ""
                ),
            ),
        };
        let doors = self.doors().enumerate().map(|(at, (way, door))| {
            let (dx, dz) = (way.to.1 as i32 - way.from.1 as i32, way.to.2 as i32 - way.from.2 as i32);
            let one_way = match door.one_way {
                0 => String::new(),
                sign => format!(r#", "oneWay": [{}, {}]"#, sign * dx, sign * dz),
            };
            let lock = if door.is_locked { r#", "key": "k""# } else { "" };
            format!(r#"{{ "name": "d{at}", "area": "way{at}", "seconds": 0 {one_way} {lock} }}"#)
        });
        let doors: Vec<String> = doors.collect();
        format!(r#"{{ "navigation": {{ {navigation} }}, "doors": [{}] }}"#, doors.join(","))
    }

    fn links(&self, end: impl Fn(Room) -> String, more: &str) -> String {
        let link = |stairs: &Stairs| {
            let (from, to) = (end(stairs.from), end(stairs.to));
            format!(r#"{{ "from": {from}, "to": {to}, "bothWays": {} {more} }}"#, stairs.both_ways)
        };
        self.stairs.iter().map(link).collect::<Vec<_>>().join(",")
    }

    fn polygons(&self) -> String {
        let area = |name: String, x: [f32; 2], z: [f32; 2]| {
            let ([a, b], [c, d]) = (x, z);
            format!(r#"{{ "name": "{name}", "polygon": [[{a}, {c}], [{b}, {c}], [{b}, {d}], [{a}, {d}]] }}"#)
        };
        let around = |at: usize, half_m: f32| [middle(at) - half_m, middle(at) + half_m];
        let mut areas: Vec<String> = (0..ROOMS[1])
            .flat_map(|row| (0..ROOMS[0]).map(move |column| (column, row)))
            .map(|(column, row)| area(format!("r{column}{row}"), around(column, 1.5), around(row, 1.5)))
            .collect();
        let mut doors = 0;
        for (at, way) in self.doorways.iter().enumerate() {
            let (_, column, row) = way.from;
            let beyond = |at: usize| [middle(at) + 1.5, middle(at) + PITCH_M - 1.5];
            let (x, z) = match way.to.1 > column {
                true => (beyond(column), around(row, 0.5)),
                false => (around(column, 0.5), beyond(row)),
            };
            let name = match way.door {
                Some(_) => format!("way{doors}"),
                None => format!("open{at}"),
            };
            doors += usize::from(way.door.is_some());
            areas.push(area(name, x, z));
        }
        format!(r#""agentRadius": 0, "objectPadding": 0, "areas": [{}]"#, areas.join(","))
    }

    fn graph(&self) -> String {
        let rooms = ROOMS[0] * ROOMS[1];
        let number = |(_, column, row): Room| row * ROOMS[0] + column;
        let mut points: Vec<String> = (0..rooms)
            .map(|at| format!("[{}, 0, {}]", middle(at % ROOMS[0]), middle(at / ROOMS[0])))
            .collect();
        let (mut links, mut areas) = (Vec::new(), Vec::new());
        // One stands on links: no room is without.
        for at in 0..rooms {
            links.push(format!("[{at}, {}]", points.len()));
            points.push(format!("[{}, 0, {}]", middle(at % ROOMS[0]) - 0.8, middle(at / ROOMS[0]) - 0.8));
        }
        for way in &self.doorways {
            let place = between(way);
            let at = points.len();
            points.push(format!("[{}, 0, {}]", place.x, place.z));
            links.push(format!("[{}, {at}], [{at}, {}]", number(way.from), number(way.to)));
            if way.door.is_some() {
                let [a, b, c, d] = [place.x - 0.5, place.x + 0.5, place.z - 0.5, place.z + 0.5];
                let corners = format!("[[{a}, {c}], [{b}, {c}], [{b}, {d}], [{a}, {d}]]");
                areas.push(format!(r#"{{ "name": "way{}", "polygon": {corners} }}"#, areas.len()));
            }
        }
        let ends =
            self.links(|(_, x, z)| format!("[{}, 0, {}]", middle(x), middle(z)), r#", "action": "climb""#);
        format!(
            r#""kind": "graph", "agentRadius": 0.3, "points": [{}], "links": [{}], "areas": [{}], "actionLinks": [{ends}]"#,
            points.join(","),
            links.join(","),
            areas.join(",")
        )
    }

    fn rows(&self, storey: usize) -> String {
        let (width, depth) = (4 * ROOMS[0] - 1, 4 * ROOMS[1] - 1);
        let mut rows = vec![vec!['#'; width]; depth];
        for (z, row) in rows.iter_mut().enumerate() {
            for (x, tile) in row.iter_mut().enumerate() {
                if x % 4 != 3 && z % 4 != 3 {
                    *tile = '.';
                }
            }
        }
        for (at, way) in self.doorways.iter().enumerate().filter(|(_, way)| way.from.0 == storey) {
            let (_, column, row) = way.from;
            let (x, z) = match way.to.1 > column {
                true => (4 * column + 3, 4 * row + 1),
                false => (4 * column + 1, 4 * row + 3),
            };
            rows[z][x] = if way.door.is_some() { letter(self.number(at)) } else { '.' };
        }
        let rows: Vec<String> =
            rows.iter().map(|row| format!("\"{}\"", row.iter().collect::<String>())).collect();
        format!(r#"{{ "name": "s{storey}", "rows": [{}] }}"#, rows.join(","))
    }

    /// The middle of a room on tiles a metre wide and high.
    fn tile_place(&self, (_, column, row): Room) -> Vec3 {
        let (x, z) = (4 * column + 1, 4 * row + 1);
        let shifted = |odd: usize| if odd % 2 == 1 { 0.5 } else { 0.0 };
        let (x_m, z_m) = (x as f32 + 0.5, z as f32 + 0.5);
        match self.kind {
            // The other rows or columns are shifted by half a tile, and stand three quarters apart.
            "hexPointy" => Vec3::new(x_m + shifted(z), 0.0, 0.75 * z as f32 + 0.5),
            "hexFlat" => Vec3::new(0.75 * x as f32 + 0.5, 0.0, z_m + shifted(x)),
            _ => Vec3::new(x_m, 0.0, z_m),
        }
    }

    fn place(&self, room: Room) -> LayerPoint {
        let point = match self.is_tiles() {
            true => self.tile_place(room),
            false => Vec3::new(middle(room.1), 0.0, middle(room.2)),
        };
        LayerPoint { layer: room.0 as u8, point }
    }

    /// The rooms that a body comes to.
    fn flood(&self, stage: &Stage, from: Room, body: &Body) -> Vec<Room> {
        let mut seen = vec![from];
        let mut next = 0;
        while next < seen.len() {
            let here = seen[next];
            next += 1;
            for (at, way) in self.doorways.iter().enumerate() {
                let (there, sign) = match here {
                    _ if way.from == here => (way.to, 1),
                    _ if way.to == here => (way.from, -1),
                    _ => continue,
                };
                let leads = way.door.as_ref().is_none_or(|door| {
                    let state = &stage.world().doors()[self.number(at)];
                    let opens = match body.doors {
                        DoorPolicy::Avoid => false,
                        DoorPolicy::Open => !door.is_locked || body.has_key,
                        DoorPolicy::Wait => true,
                    };
                    (state.is_passable() || opens) && door.one_way * sign >= 0
                });
                if leads && body.radius_m < 0.4 && !seen.contains(&there) {
                    seen.push(there);
                }
            }
            for stairs in &self.stairs {
                let ends = [(stairs.from, stairs.to, true), (stairs.to, stairs.from, stairs.both_ways)];
                for (from, to, is_open) in ends {
                    let may = body.climbs || self.is_tiles();
                    if from == here && is_open && may && !seen.contains(&to) {
                        seen.push(to);
                    }
                }
            }
        }
        seen
    }
}

fn letter(at: usize) -> char {
    char::from(b'a' + at as u8)
}

/// The middle of a room along one axis.
fn middle(at: usize) -> f32 {
    1.5 + PITCH_M * at as f32
}

fn between(way: &Doorway) -> Vec3 {
    let mean = |a: usize, b: usize| (middle(a) + middle(b)) / 2.0;
    Vec3::new(mean(way.from.1, way.to.1), 0.0, mean(way.from.2, way.to.2))
}

#[derive(Clone, Debug)]
struct Body {
    radius_m: f32,
    doors: DoorPolicy,
    has_key: bool,
    climbs: bool,
}

impl Body {
    fn random(rng: &mut Rng, house: &House) -> Self {
        let radius_m = match house.kind {
            // A body as wide as the links of a graph allow, or one that fits on none.
            "graph" => 0.3,
            _ => [0.0, 0.2, 0.3, 0.7][rng.below(4) as usize],
        };
        let doors = [DoorPolicy::Avoid, DoorPolicy::Open, DoorPolicy::Wait][rng.below(3) as usize];
        Self { radius_m, doors, has_key: rng.chance(0.5), climbs: rng.chance(0.7) }
    }

    fn traversal(&self, stage: &Stage, layer: u8) -> Traversal {
        let (tags, keys) = (["climb".to_owned()], ["k".to_owned()]);
        stage.world().traversal_for(Asker {
            tags: Some(if self.climbs { &tags } else { &[] }),
            layer,
            radius_m: self.radius_m,
            doors: self.doors,
            keys: if self.has_key { &keys } else { &[] },
            speed_mps: 1.5,
        })
    }
}

fn query(from: LayerPoint, to: LayerPoint, by: &Traversal, accept: Accept) -> PathQuery {
    let goal_layer = Some(to.layer);
    PathQuery { accept, goal_layer, ..PathQuery::new(from.point, to.point, by.clone()) }
}

#[test]
fn a_place_can_be_reached_exactly_where_a_path_leads_to_it() {
    let (mut whole, mut parted, mut over) = (0, 0, 0);
    let mut failed = Vec::new();
    for round in 0..280 {
        let mut rng = Rng::stream(round, "reach and paths");
        let house = House::random(&mut rng);
        let mut stage = Stage::of(&house.json());
        for _ in 0..4 {
            let count = house.doors().count();
            for at in (0..count).filter(|_| rng.chance(0.4)) {
                let order = DoorOrder { key: Some("k".to_owned()), ..DoorOrder::default() };
                doors::toggle(stage.game.world_mut(), DoorId(at as u32), &order);
            }
            stage.tick();
            for _ in 0..6 {
                let body = Body::random(&mut rng, &house);
                let mut room = || {
                    let mut below = |count: usize| rng.below(count as u64) as usize;
                    (below(house.storeys), below(ROOMS[0]), below(ROOMS[1]))
                };
                let (start, goal) = (room(), room());
                let (from, to) = (house.place(start), house.place(goal));
                let by = body.traversal(&stage, from.layer);
                let nav = stage.world().nav();
                let mut search = Search::default();
                let reach = nav.reach_on(from.point, to, &by);
                let answer = nav.plan(&query(from, to, &by, Accept::Nearest), &mut search);
                let exact = nav.plan(&query(from, to, &by, Accept::Exact), &mut search);
                let reached = house.flood(&stage, start, &body);
                let expected = reached.contains(&goal);
                let is_whole = answer.status == PathStatus::Complete;
                let end = answer.path.points.last().map(|&end| {
                    let layer = answer.path.layers.last().map_or(from.layer, |change| change.layer);
                    LayerPoint { layer, point: end }
                });
                let is_approached = is_whole
                    || answer.status == PathStatus::Partial
                        && end.is_some_and(|end| nav.reach_on(from.point, end, &by) == Reach::Yes);
                let said =
                    (reach == Reach::Yes, is_whole, exact.status == PathStatus::Complete, is_approached);
                if said != (expected, expected, expected, true) {
                    failed.push(format!(
                        "round {round}, {}, {} storeys: {start:?} to {goal:?}, {body:?}: expected {expected}, \
                         reach {reach:?}, plan {:?} {:?}, exact {:?}",
                        house.kind, house.storeys, answer.status, answer.trouble, exact.status
                    ));
                }
                let drawn = RandomPoint {
                    centre: None,
                    within_m: 0.0,
                    area: None,
                    reachable_from: Some(from),
                    by: by.clone(),
                    attempts: 4,
                };
                let at = nav.random_point(&drawn, &mut rng).expect("its own place");
                let at = LayerPoint { layer: from.layer, point: at };
                let reach = nav.reach_on(from.point, at, &by);
                assert_eq!(reach, Reach::Yes, "{at:?} from {from:?}, {body:?}, {house:?}");
                whole += u32::from(expected);
                parted += u32::from(!expected);
                over += u32::from(!answer.path.layers.is_empty());
            }
        }
    }
    assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
    assert!(whole > 1500 && parted > 1500 && over > 200, "{whole} {parted} {over}");
}

/// Which half of a doorway a place lies in decides from which side one comes there without crossing the door.
#[test]
fn a_place_in_a_doorway_can_be_reached_from_the_side_that_its_half_lies_on() {
    let (mut whole, mut parted, mut round_about) = (0, 0, 0);
    let mut failed = Vec::new();
    for round in 0..400 {
        let mut rng = Rng::stream(round, "doorways");
        let house = House::random(&mut rng);
        let mut stage = Stage::of(&house.json());
        let count = house.doors().count();
        for at in (0..count).filter(|_| rng.chance(0.5)) {
            let order = DoorOrder { key: Some("k".to_owned()), ..DoorOrder::default() };
            doors::toggle(stage.game.world_mut(), DoorId(at as u32), &order);
        }
        stage.tick();
        for (at, (way, door)) in house.doors().enumerate() {
            let body = Body { radius_m: 0.0, ..Body::random(&mut rng, &house) };
            let body = if house.kind == "graph" { Body { radius_m: 0.3, ..body } } else { body };
            let below = |rng: &mut Rng, count: usize| rng.below(count as u64) as usize;
            let start =
                (below(&mut rng, house.storeys), below(&mut rng, ROOMS[0]), below(&mut rng, ROOMS[1]));
            let from = house.place(start);
            let by = body.traversal(&stage, from.layer);
            let (nav, state) = (stage.world().nav(), &stage.world().doors()[at]);
            let is_open = state.is_passable()
                || match body.doors {
                    DoorPolicy::Avoid => false,
                    DoorPolicy::Open => !door.is_locked || body.has_key,
                    DoorPolicy::Wait => true,
                };
            let reached = house.flood(&stage, start, &body);
            let along = Vec3::new((way.to.1 - way.from.1) as f32, 0.0, (way.to.2 - way.from.2) as f32);
            for (half, near, far, with) in [(-0.25, way.from, way.to, -1), (0.25, way.to, way.from, 1)] {
                let goal = LayerPoint { layer: way.from.0 as u8, point: state.position + half * along };
                // From the other side one crosses the door.
                let [is_near, is_far] = [near, far].map(|room| reached.contains(&room));
                let expected = is_open && (is_near || is_far && door.one_way * with >= 0);
                let mut search = Search::default();
                let reach = nav.reach_on(from.point, goal, &by);
                let answers = [Accept::Nearest, Accept::Exact]
                    .map(|accept| nav.plan(&query(from, goal, &by, accept), &mut search));
                let is_whole = |answer: &PathAnswer| answer.status == PathStatus::Complete;
                let said = (reach == Reach::Yes, is_whole(&answers[0]), is_whole(&answers[1]));
                if said != (expected, expected, expected) {
                    failed.push(format!(
                        "round {round}, {}: {start:?} to {goal:?} in {at} {way:?}, {body:?}: expected {expected}, \
                         reach {reach:?}, {:?}: {:?} {:?}",
                        house.kind, answers[0].status, answers[0].trouble, answers[0].path.points
                    ));
                }
                whole += u32::from(expected);
                parted += u32::from(!expected);
                round_about += u32::from(expected && is_near && is_far && door.one_way * with < 0);
            }
        }
    }
    assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
    assert!(whole > 800 && parted > 800 && round_about > 100, "{whole} {parted} {round_about}");
}
