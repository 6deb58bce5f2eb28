//! Links that end in doors, begin in them, or have them somewhere beyond.
//!
//! Goal: every walk settles in bounded time and once; `reach`, `plan` and the walk say the same as a flood;
//! of what a closed door shuts off the reason names one, and so many doors opened as are in the way at least,
//! one after the other as they are named, make the way. Method: drawn maps of every kind that has links: rows
//! of places that only links join, doors and link ends on any of them; doors stand, or open and close during
//! the walk.

use std::collections::BTreeSet;

use glam::Vec3;
use walkon_runtime::base::ids::DoorId;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::nav::{Accept, LayerPoint, PathFailure, PathQuery, PathStatus, Reach, Search, Traversal};
use walkon_runtime::world::asker::Asker;
use walkon_runtime::world::door::{DoorAim, DoorPolicy};
use walkon_runtime::world::goal::Goal;
use walkon_runtime::world::ops::doors::{self, DoorOrder, DoorSpeed};
use walkon_runtime::world::walk::AcceptEnd;

use crate::fixture::{Stage, send};

/// Kinds of maps; the layouts of tiles with each row on a layer of its own, and with all rows on one.
const KINDS: [&str; 8] =
    ["square4", "square8", "hexPointy", "square4 flat", "square8 flat", "hexPointy flat", "mesh", "graph"];
/// Places in a row.
const PLACES: usize = 5;

/// A place: its row, and where in it.
type RowPlace = (usize, usize);

#[derive(Clone, Debug)]
struct Rows {
    kind: &'static str,
    count: usize,
    walls: Vec<RowPlace>,
    doors: Vec<RowDoor>,
    links: Vec<RowLink>,
}

#[derive(Clone, Debug)]
struct RowDoor {
    at: RowPlace,
    is_open: bool,
    is_locked: bool,
}

#[derive(Clone, Debug)]
struct RowLink {
    ends: [RowPlace; 2],
    both_ways: bool,
}

fn below(rng: &mut Rng, count: usize) -> usize {
    rng.below(count as u64) as usize
}

impl Rows {
    fn random(rng: &mut Rng) -> Self {
        let kind = KINDS[below(rng, KINDS.len())];
        let count = 2 + below(rng, 2);
        let mut free: Vec<RowPlace> =
            (0..count).flat_map(|row| (0..PLACES).map(move |at| (row, at))).collect();
        let mut take = |rng: &mut Rng| free.swap_remove(below(rng, free.len()));
        let walls = (0..below(rng, 3)).map(|_| take(rng)).collect();
        let doors: Vec<RowDoor> = (0..1 + below(rng, 3))
            .map(|_| RowDoor { at: take(rng), is_open: rng.chance(0.3), is_locked: rng.chance(0.2) })
            .collect();
        let end = |rng: &mut Rng| match rng.chance(0.4) {
            true => doors[below(rng, doors.len())].at,
            false => free[below(rng, free.len())],
        };
        let links = (0..1 + below(rng, 3))
            .map(|_| RowLink { ends: [end(rng), end(rng)], both_ways: rng.chance(0.5) })
            .filter(|link| link.ends[0] != link.ends[1])
            .collect();
        Self { kind, count, walls, doors, links }
    }

    fn is_flat(&self) -> bool {
        self.kind.ends_with(" flat")
    }

    fn is_tiles(&self) -> bool {
        self.kind != "mesh" && self.kind != "graph"
    }

    fn is_wall(&self, place: RowPlace) -> bool {
        place.1 >= PLACES || self.walls.contains(&place)
    }

    fn door_at(&self, place: RowPlace) -> Option<usize> {
        self.doors.iter().position(|door| door.at == place)
    }

    fn layer(&self, (row, _): RowPlace) -> u8 {
        if self.is_tiles() && !self.is_flat() { row as u8 } else { 0 }
    }

    fn point(&self, (row, at): RowPlace) -> Vec3 {
        let (row_m, at_m) = (row as f32, at as f32);
        match self.kind {
            "mesh" | "graph" => Vec3::new(2.0 * at_m + 1.0, 0.0, 4.0 * row_m + 1.0),
            "hexPointy flat" => Vec3::new(at_m + 0.5, 0.0, 1.5 * row_m + 0.5),
            _ if self.is_flat() => Vec3::new(at_m + 0.5, 0.0, 2.0 * row_m + 0.5),
            _ => Vec3::new(at_m + 0.5, 0.0, 0.5),
        }
    }

    fn layered(&self, place: RowPlace) -> LayerPoint {
        LayerPoint { layer: self.layer(place), point: self.point(place) }
    }

    fn json(&self, hero: RowPlace) -> String {
        let navigation = match self.kind {
            "mesh" => format!(r#""kind": "mesh", "agentRadius": 0.2, {}"#, self.areas()),
            "graph" => self.graph(),
            _ => self.tiles(),
        };
        let doors: Vec<String> = (0..)
            .zip(&self.doors)
            .map(|(at, door)| {
                let lock = if door.is_locked { r#", "key": "k""# } else { "" };
                format!(
                    r#"{{ "name": "d{at}", "area": "d{at}", "seconds": 0.3, "open": {}{lock} }}"#,
                    door.is_open
                )
            })
            .collect();
        let at = self.layered(hero);
        let layer = if self.is_tiles() { format!(r#", "layer": "s{}""#, at.layer) } else { String::new() };
        format!(
            r#"{{ "navigation": {{ {navigation} }}, "doors": [{}], "characters": [{{ "name": "hero",
                "position": [{}, 0, {}], "radius": 0.2, "walkSpeed": 3, "tags": ["climb"]{layer} }}] }}"#,
            doors.join(","),
            at.point.x,
            at.point.z
        )
    }

    fn links(&self, end: impl Fn(RowPlace) -> String, more: &str) -> String {
        let link = |link: &RowLink| {
            let [from, to] = link.ends.map(&end);
            format!(r#"{{ "from": {from}, "to": {to}, "bothWays": {}{more} }}"#, link.both_ways)
        };
        self.links.iter().map(link).collect::<Vec<_>>().join(",")
    }

    fn action_links(&self) -> String {
        let end = |place| format!("[{}, 0, {}]", self.point(place).x, self.point(place).z);
        self.links(end, r#", "action": "climb""#)
    }

    fn tiles(&self) -> String {
        let row = |row: usize| -> String {
            let tile = |at| match (self.is_wall((row, at)), self.door_at((row, at))) {
                (true, _) => '#',
                (_, Some(door)) => char::from(b'a' + door as u8),
                _ => '.',
            };
            format!("\"{}\"", (0..PLACES).map(tile).collect::<String>())
        };
        let rows: Vec<String> = (0..self.count).map(row).collect();
        let layers: Vec<String> = match self.is_flat() {
            true => vec![format!(r#"{{ "name": "s0", "rows": [{}] }}"#, rows.join(", \"#####\", "))],
            false => (0..)
                .zip(rows)
                .map(|(at, row): (usize, _)| format!(r#"{{ "name": "s{at}", "rows": [{row}] }}"#))
                .collect(),
        };
        let legend: Vec<String> = (0..self.doors.len())
            .map(|at| format!(r#""{}": {{ "area": "d{at}" }}"#, char::from(b'a' + at as u8)))
            .collect();
        let end = |place| {
            let LayerPoint { layer, point } = self.layered(place);
            format!(r#"{{ "layer": "s{layer}", "position": [{}, {}] }}"#, point.x, point.z)
        };
        let layout = self.kind.trim_end_matches(" flat");
        format!(
            r#""kind": "tiles", "layout": "{layout}", "agentRadius": 0, "layers": [{}], "legend": {{ {} }}, "links": [{}]"#,
            layers.join(","),
            legend.join(","),
            self.links(end, "")
        )
    }

    fn area(&self, place: RowPlace, half_m: [f32; 2]) -> String {
        let (at, [x, z]) = (self.point(place), half_m);
        let [a, b, c, d] = [at.x - x, at.x + x, at.z - z, at.z + z];
        let name = match self.door_at(place) {
            Some(door) => format!("d{door}"),
            None => format!("r{}_{}", place.0, place.1),
        };
        format!(r#"{{ "name": "{name}", "polygon": [[{a}, {c}], [{b}, {c}], [{b}, {d}], [{a}, {d}]] }}"#)
    }

    fn places(&self) -> impl Iterator<Item = RowPlace> + '_ {
        (0..self.count)
            .flat_map(|row| (0..PLACES).map(move |at| (row, at)))
            .filter(|&place| !self.is_wall(place))
    }

    fn areas(&self) -> String {
        let areas: Vec<String> = self.places().map(|place| self.area(place, [1.0, 1.0])).collect();
        format!(r#""areas": [{}], "actionLinks": [{}]"#, areas.join(","), self.action_links())
    }

    fn graph(&self) -> String {
        let (mut points, mut links, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for place in self.places() {
            let at = self.point(place);
            // One stands on links: no place is without.
            links.push(format!("[{}, {}]", points.len(), points.len() + 1));
            numbers.push((place, points.len()));
            points.push(format!("[{}, 0, {}]", at.x, at.z));
            points.push(format!("[{}, 0, {}]", at.x, at.z + 0.3));
        }
        for &((row, at), number) in &numbers {
            let beside = numbers.iter().find(|(place, _)| *place == (row, at + 1));
            links.extend(beside.map(|(_, beside)| format!("[{number}, {beside}]")));
        }
        let areas: Vec<String> = self.doors.iter().map(|door| self.area(door.at, [0.6, 0.6])).collect();
        format!(
            r#""kind": "graph", "agentRadius": 0.2, "points": [{}], "links": [{}], "areas": [{}], "actionLinks": [{}]"#,
            points.join(","),
            links.join(","),
            areas.join(","),
            self.action_links()
        )
    }

    /// From a place, the least number of doors in the way to another, none of them `open`; None where there
    /// is no way.
    fn doors_between(&self, from: RowPlace, to: RowPlace, open: &[bool]) -> Option<usize> {
        let price = |place: RowPlace| usize::from(self.door_at(place).is_some_and(|door| !open[door]));
        let mut waiting = BTreeSet::from([(0, from)]);
        let mut seen = BTreeSet::new();
        while let Some((doors, place)) = waiting.pop_first() {
            if place == to {
                return Some(doors);
            }
            if !seen.insert(place) {
                continue;
            }
            let (row, at) = place;
            let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().map(|at| (row, at));
            let beyond = self.links.iter().flat_map(|link| {
                let [from, to] = link.ends;
                [(from, to, true), (to, from, link.both_ways)]
            });
            let beyond = beyond.filter(|&(from, _, leads)| leads && from == place).map(|(_, to, _)| to);
            let next = beside.chain(beyond).filter(|&next| !self.is_wall(next));
            waiting.extend(next.map(|next| (doors + price(next), next)).collect::<Vec<_>>());
        }
        None
    }

    /// The doors that a body goes through, as they stand.
    fn open_to(&self, stage: &Stage, body: &DoorBody) -> Vec<bool> {
        let is_open = |(at, door): (usize, &RowDoor)| {
            let opens = match body.doors {
                DoorPolicy::Avoid => false,
                DoorPolicy::Open => !door.is_locked || body.has_key,
                DoorPolicy::Wait => true,
            };
            stage.world().doors()[at].is_passable() || opens
        };
        self.doors.iter().enumerate().map(is_open).collect()
    }
}

#[derive(Clone, Debug)]
struct DoorBody {
    doors: DoorPolicy,
    has_key: bool,
    accept: AcceptEnd,
}

impl DoorBody {
    fn random(rng: &mut Rng) -> Self {
        let doors = [DoorPolicy::Avoid, DoorPolicy::Open, DoorPolicy::Wait][below(rng, 3)];
        let accept = [AcceptEnd::Exact, AcceptEnd::Partial][below(rng, 2)];
        Self { doors, has_key: rng.chance(0.3), accept }
    }

    fn keys(&self) -> Vec<String> {
        if self.has_key { vec!["k".to_owned()] } else { Vec::new() }
    }

    fn traversal(&self, stage: &Stage, layer: u8) -> Traversal {
        stage.world().traversal_for(Asker {
            tags: Some(&["climb".to_owned()]),
            layer,
            radius_m: 0.2,
            doors: self.doors,
            keys: &self.keys(),
            speed_mps: 3.0,
        })
    }
}

/// A drawn case: a map, a way to go, and somebody to go it.
struct LinkCase {
    rows: Rows,
    from: RowPlace,
    to: RowPlace,
    body: DoorBody,
}

impl LinkCase {
    fn random(rng: &mut Rng) -> Self {
        let rows = Rows::random(rng);
        let places: Vec<RowPlace> = rows.places().collect();
        let begins: Vec<RowPlace> = places.iter().copied().filter(|&at| rows.door_at(at).is_none()).collect();
        let (from, to) = (begins[below(rng, begins.len())], places[below(rng, places.len())]);
        Self { from, to, body: DoorBody::random(rng), rows }
    }

    fn send(&self, stage: &mut Stage) {
        let (hero, goal) = (stage.hero(), self.rows.layered(self.to));
        send(stage, hero, Goal::Point(goal.point), |options| {
            options.doors = Some(self.body.doors);
            options.keys = self.body.keys();
            options.accept = self.body.accept;
            options.patience_ticks = 60;
            options.layer = Some(goal.layer);
        });
    }

    /// What `reach` says; an error where `plan` says something else.
    fn reach(&self, stage: &Stage) -> Result<Reach, String> {
        let (from, to) = (self.rows.layered(self.from), self.rows.layered(self.to));
        let by = self.body.traversal(stage, from.layer);
        let nav = stage.world().nav();
        let reach = nav.reach_on(from.point, to, &by);
        for accept in [Accept::Nearest, Accept::Exact] {
            let goal_layer = Some(to.layer);
            let query = PathQuery { accept, goal_layer, ..PathQuery::new(from.point, to.point, by.clone()) };
            let answer = nav.plan(&query, &mut Search::default());
            let said = answer.trouble.map_or(Reach::Yes, Reach::No);
            if (said, answer.status == PathStatus::Complete) != (reach, reach == Reach::Yes) {
                return Err(format!("reach {reach:?}, plan {said:?} {:?}", answer.status));
            }
        }
        Ok(reach)
    }

    /// Opens the doors that are named, one after the other, until there is a way or none is named; how many.
    /// An error where that is not what the flood says.
    fn open_named(&self, stage: &mut Stage) -> Result<u32, String> {
        let mut opened = 0;
        // Bounded by the doors: each is named once.
        loop {
            let open = self.rows.open_to(stage, &self.body);
            let expected = self.rows.doors_between(self.from, self.to, &open);
            let reach = self.reach(stage)?;
            match (reach, expected) {
                (Reach::Yes, Some(0)) | (Reach::No(PathFailure::NoPath), None) => return Ok(opened),
                (Reach::No(PathFailure::Area(area)), Some(1..)) => {
                    let doors = stage.world().doors();
                    let named = doors.iter().position(|door| door.area == area).expect("it is a door");
                    let door = DoorId(named as u32);
                    doors::set(stage.game.world_mut(), door, DoorAim::Open, DoorSpeed::Instant);
                    stage.ticks(2);
                    let now = self.rows.open_to(stage, &self.body);
                    let left = self.rows.doors_between(self.from, self.to, &now);
                    if open[named] || left.map(|left| left + 1) != expected {
                        return Err(format!("d{named} was named, {expected:?} doors before, {left:?} after"));
                    }
                    opened += 1;
                }
                _ => return Err(format!("{reach:?}, expected {expected:?} doors")),
            }
        }
    }
}

#[test]
fn what_doors_beyond_links_shut_off_is_said_alike_by_all_and_their_names_make_the_way() {
    let (mut whole, mut parted, mut several, mut over) = (0, 0, 0, 0);
    let mut failed = Vec::new();
    for round in 0..3000 {
        let mut rng = Rng::stream(round, "link doors");
        let case = LinkCase::random(&mut rng);
        let mut stage = Stage::of(&case.rows.json(case.from));
        stage.tick();
        match case.open_named(&mut stage) {
            Ok(opened) => {
                whole += u32::from(opened == 0);
                parted += u32::from(opened > 0);
                several += u32::from(opened > 1);
                over += u32::from(case.from.0 != case.to.0 && opened > 0);
            }
            Err(why) => failed.push(format!(
                "round {round}: {why}, {:?} to {:?}, {:?}, {:?}",
                case.from, case.to, case.rows, case.body
            )),
        }
    }
    assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
    assert!(whole > 1000 && parted > 150 && several > 20 && over > 100, "{whole} {parted} {several} {over}");
}

#[test]
fn walks_over_links_and_through_doors_end_as_the_map_said_before() {
    const WITHIN_TICKS: u64 = 60 * 60;
    let (mut reached, mut shut, mut short) = (0, 0, 0);
    let mut failed = Vec::new();
    for round in 0..1500 {
        let mut rng = Rng::stream(round, "walks over links");
        let case = LinkCase::random(&mut rng);
        let mut stage = Stage::of(&case.rows.json(case.from));
        stage.tick();
        let open = case.rows.open_to(&stage, &case.body);
        let expected = case.rows.doors_between(case.from, case.to, &open);
        let avoiding = DoorBody { doors: DoorPolicy::Avoid, ..case.body.clone() };
        let is_waited_for =
            case.body.doors == DoorPolicy::Wait && case.rows.open_to(&stage, &avoiding).contains(&false);
        case.send(&mut stage);
        let ends = stage.until_settled(1, WITHIN_TICKS);
        let settled = stage.facts("walkSettled").pop().unwrap_or_default();
        let end = match ends.as_slice() {
            [end] => end.as_str(),
            _ => "none",
        };
        let goal = case.rows.layered(case.to);
        let hero = stage.world().character(stage.hero()).unwrap();
        let is_there = hero.layer == goal.layer && hero.body.position.distance(goal.point) < 0.1;
        let is_right = match (expected, case.body.accept, end) {
            (Some(0), _, "arrived/reached" | "arrived/alreadyThere") => is_there,
            // The way to the goal, or as near to it as one gets, leads through a door that nobody opens.
            (Some(0), _, "blocked/doorClosed") => is_waited_for && settled["by"].is_string(),
            (None, AcceptEnd::Partial, "blocked/doorClosed") => is_waited_for && settled["by"].is_string(),
            (Some(1..), AcceptEnd::Exact, "blocked/doorClosed") => settled["by"].is_string(),
            (None, AcceptEnd::Exact, "blocked/noPath") => true,
            (Some(1..), AcceptEnd::Partial, "partial/nearest") => settled["by"].is_string(),
            (None, AcceptEnd::Partial, "partial/nearest") => true,
            _ => false,
        };
        if !is_right {
            failed.push(format!(
                "round {round}: {end} by {:?}, {:?}, expected {expected:?} doors, {} {:?} to {:?}, {:?}, {:?}",
                settled["by"], case.from, hero.layer, hero.body.position, goal, case.rows, case.body
            ));
        }
        reached += u32::from(end == "arrived/reached" && case.from.0 != case.to.0);
        shut += u32::from(end == "blocked/doorClosed");
        short += u32::from(end == "partial/nearest");
    }
    assert!(failed.is_empty(), "{}:\n{}", failed.len(), failed.join("\n"));
    assert!(reached > 150 && shut > 100 && short > 100, "{reached} {shut} {short}");
}

#[test]
fn walks_over_links_settle_while_doors_open_and_close() {
    const WITHIN_TICKS: u64 = 4 * 60 * 60;
    let mut ends = BTreeSet::new();
    for round in 0..500 {
        let mut rng = Rng::stream(round, "doors that move");
        let case = LinkCase::random(&mut rng);
        let mut stage = Stage::of(&case.rows.json(case.from));
        stage.tick();
        case.send(&mut stage);
        let period = 10 + rng.below(120);
        for tick in 1..WITHIN_TICKS {
            if !stage.ends.is_empty() {
                break;
            }
            if tick % period == 0 {
                let door = DoorId(below(&mut rng, case.rows.doors.len()) as u32);
                let order = DoorOrder { key: Some("k".to_owned()), ..DoorOrder::default() };
                doors::toggle(stage.game.world_mut(), door, &order);
            }
            stage.tick();
        }
        let [end] = stage.ends.as_slice() else {
            panic!(
                "round {round}: {:?}, {:?} {:?} to {:?}, {:?}",
                stage.ends, period, case.from, case.to, case.rows
            );
        };
        ends.insert(end.clone());
    }
    assert!(ends.len() >= 4, "{ends:?}");
}
