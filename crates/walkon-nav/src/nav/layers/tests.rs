//! Ways over layers against Dijkstra on a sorted list over (layer, tile), and answers of the layers against a
//! flood.

use glam::Vec3;

use super::*;
use crate::base::hash::StateHash;
use crate::base::rng::Rng;
use crate::nav::LayerLink;
use crate::nav::cells::{CellMap, CellSource, MapFrame};
use crate::nav::plan::{Plan, PlanTask};
use crate::nav::{
    Accept, Backend, LayerPoint, NavEdit, NavMap, PathAnswer, PathFailure, PathQuery, PathStatus,
    RandomPoint, Reach, Search, TileEdit, Traversal,
};

const WIDTH: u32 = 9;
const DEPTH: u32 = 7;

/// A tile: layer, x, z.
type Spot = (u8, i64, i64);

/// A house as authored.
struct House {
    walkable: Vec<Vec<bool>>,
    /// In fiftieths.
    factor: Vec<Vec<u32>>,
    leave: Vec<Vec<u8>>,
    /// From, to, both ways, metres.
    links: Vec<(Spot, Spot, bool, f32)>,
}

impl House {
    fn random(rng: &mut Rng) -> Self {
        let count = (WIDTH * DEPTH) as usize;
        let layers = 1 + rng.below(4) as usize;
        let (weighted, directed) = (rng.chance(0.5), rng.chance(0.3));
        let spot = |rng: &mut Rng| {
            (
                rng.below(layers as u64) as u8,
                rng.below(u64::from(WIDTH)) as i64,
                rng.below(u64::from(DEPTH)) as i64,
            )
        };
        let links = (0..rng.below(9))
            .map(|_| (spot(rng), spot(rng), rng.chance(0.6), [0.0, 1.0, 2.5, 20.0][rng.below(4) as usize]))
            .collect();
        let mut each = |make: &mut dyn FnMut(&mut Rng) -> u32| -> Vec<Vec<u32>> {
            (0..layers).map(|_| (0..count).map(|_| make(rng)).collect()).collect()
        };
        let walkable = each(&mut |rng| u32::from(rng.chance(0.72)));
        let factor = each(&mut |rng| if weighted { [40, 50, 100][rng.below(3) as usize] } else { 50 });
        let leave =
            each(&mut |rng| if directed && rng.chance(0.1) { rng.below(256) as u32 & 0x55 } else { 0 });
        Self {
            walkable: walkable.iter().map(|layer| layer.iter().map(|&cell| cell != 0).collect()).collect(),
            factor,
            leave: leave.iter().map(|layer| layer.iter().map(|&cell| cell as u8).collect()).collect(),
            links,
        }
    }

    fn layers(&self) -> Layers {
        self.layers_of(|map| map)
    }

    /// With landmarks, which are made on larger maps.
    fn layers_with_landmarks(&self) -> Layers {
        self.layers_of(|map| {
            let mut map = map.with_landmarks_anywhere();
            map.prepare(&Traversal::default());
            map
        })
    }

    fn layers_of(&self, made: impl Fn(CellMap) -> CellMap) -> Layers {
        let maps = (0..self.walkable.len()).map(|layer| {
            let floor_y_m = 3.0 * layer as f64;
            CellMap::from_cells(&CellSource {
                frame: MapFrame {
                    width: WIDTH,
                    depth: DEPTH,
                    cell_size_m: 1.0,
                    floor_y_m,
                    ..MapFrame::default()
                },
                walkable: self.walkable[layer].clone(),
                factor: self.factor[layer].iter().map(|&factor| factor as f32 / 50.0).collect(),
                leave: self.leave[layer].clone(),
                ..CellSource::default()
            })
            .map(&made)
            .expect("a map")
        });
        let links = self.links.iter().map(|&(from, to, both_ways, cost_m)| LayerLink {
            from: place(from),
            to: place(to),
            both_ways,
            cost_m,
            action: None,
        });
        Layers::new(maps.collect(), links.collect()).expect("layers")
    }

    fn is_open(&self, (layer, x, z): Spot) -> bool {
        (0..i64::from(WIDTH)).contains(&x)
            && (0..i64::from(DEPTH)).contains(&z)
            && self.walkable[usize::from(layer)][at(x, z)]
    }

    fn forbids(&self, (layer, x, z): Spot, direction: usize) -> bool {
        self.leave[usize::from(layer)][at(x, z)] >> direction & 1 != 0
    }

    /// The tiles one step on, each with the metres to it.
    fn steps(&self, (layer, x, z): Spot) -> Vec<(Spot, f64)> {
        let mut steps = Vec::new();
        let open = |spot: Spot| self.is_open(spot);
        let straight = [(1, 0, 0), (0, 1, 2), (-1, 0, 4), (0, -1, 6)];
        for (dx, dz, direction) in straight {
            let to = (layer, x + dx, z + dz);
            if open(to) && !self.forbids((layer, x, z), direction) {
                steps.push((to, 1.0));
            }
        }
        for (dx, along_x) in [(1, 0), (-1, 4)] {
            for (dz, along_z) in [(1, 2), (-1, 6)] {
                let (to, one, other) = ((layer, x + dx, z + dz), (layer, x + dx, z), (layer, x, z + dz));
                let crosses = |side: Spot, first: usize, second: usize| {
                    open(side) && !self.forbids((layer, x, z), first) && !self.forbids(side, second)
                };
                if open(to) && crosses(one, along_x, along_z) && crosses(other, along_z, along_x) {
                    steps.push((to, 19_601.0 / 13_860.0));
                }
            }
        }
        for step in &mut steps {
            step.1 *= f64::from(self.factor[usize::from(layer)][at(step.0.1, step.0.2)]) / 50.0;
        }
        for &(from, to, both_ways, cost_m) in &self.links {
            let mut hop = |from: Spot, to: Spot| {
                if from == (layer, x, z) && open(to) {
                    steps.push((to, f64::from(cost_m)));
                }
            };
            hop(from, to);
            if both_ways {
                hop(to, from);
            }
        }
        steps
    }

    /// Dijkstra on a sorted list.
    fn costs(&self, start: Spot) -> std::collections::BTreeMap<Spot, f64> {
        let mut costs = std::collections::BTreeMap::new();
        let mut waiting = vec![(0.0, start)];
        while let Some((cost, spot)) = waiting.pop() {
            if costs.contains_key(&spot) {
                continue;
            }
            costs.insert(spot, cost);
            waiting.extend(self.steps(spot).into_iter().map(|(to, step)| (cost + step, to)));
            waiting.sort_by(|a: &(f64, Spot), b| b.0.total_cmp(&a.0));
        }
        costs
    }

    fn spot(&self, rng: &mut Rng) -> Option<Spot> {
        let layer = rng.below(self.walkable.len() as u64) as u8;
        let spot = (layer, rng.below(u64::from(WIDTH)) as i64, rng.below(u64::from(DEPTH)) as i64);
        self.is_open(spot).then_some(spot)
    }
}

fn at(x: i64, z: i64) -> usize {
    z as usize * WIDTH as usize + x as usize
}

fn place((layer, x, z): Spot) -> LayerPoint {
    LayerPoint { layer, point: Vec3::new(x as f32 + 0.5, 3.0 * f32::from(layer), z as f32 + 0.5) }
}

fn walker(layer: u8) -> Traversal {
    Traversal { layer, ..Traversal::default() }
}

fn query(start: Spot, goal: Spot) -> PathQuery {
    PathQuery {
        start: place(start).point,
        goal: place(goal).point,
        by: walker(start.0),
        goal_layer: Some(goal.0),
        accept: Accept::Nearest,
        expansions_max: u32::MAX,
        others: None,
    }
}

/// Plans in slices; the answer, and what its cells and links cost.
fn plan(layers: &Layers, query: &PathQuery, allowance: u32) -> (PathAnswer, f64) {
    let mut search = Search::default();
    match LayersPlan::begin(layers, query) {
        Err(answer) => (*answer, 0.0),
        Ok(mut plan) => loop {
            if let Some(answer) = plan.step(layers, PlanTask { query, search: &mut search }, allowance) {
                return (answer, plan.cost_m());
            }
        },
    }
}

/// Every leg is clear on its layer, and every change of layer a link.
fn check_path(house: &House, layers: &Layers, query: &PathQuery, answer: &PathAnswer) {
    let mut layer = query.by.layer;
    let mut changes = answer.path.layers.iter().peekable();
    let mut along_m = 0.0;
    for pair in answer.path.points.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let link = changes.next_if(|change| {
            (change.at_m - along_m).abs() < 1e-3 && {
                let ends = |link: &(Spot, Spot, bool, f32)| {
                    let [a, b] = [place(link.0), place(link.1)];
                    let there =
                        a.layer == layer && a.point == from && b.layer == change.layer && b.point == to;
                    let back =
                        b.layer == layer && b.point == from && a.layer == change.layer && a.point == to;
                    there || link.2 && back
                };
                house.links.iter().any(ends)
            }
        });
        match link {
            Some(change) => layer = change.layer,
            None => assert!(
                layers.straight(from, to, &walker(layer)).is_some(),
                "{from} to {to} on layer {layer} of {:?}, {:?}",
                answer.path,
                house.links
            ),
        }
        along_m += crate::base::geom::flat_distance(from, to);
    }
    assert!((along_m - answer.path.length_m).abs() < 1e-2, "{along_m} {:?}", answer.path);
}

#[test]
fn seed_o14_ways_over_links_cost_what_dijkstra_over_all_layers_costs() {
    let (mut over, mut alone, mut none) = (0, 0, 0);
    for round in 0..500 {
        let mut rng = Rng::stream(round, "layers");
        let house = House::random(&mut rng);
        let layers = if round % 2 == 0 { house.layers() } else { house.layers_with_landmarks() };
        for _ in 0..8 {
            let (Some(start), Some(goal)) = (house.spot(&mut rng), house.spot(&mut rng)) else { continue };
            let (costs, query) = (house.costs(start), query(start, goal));
            let (answer, cost_m) = plan(&layers, &query, u32::MAX);
            let place = format!("round {round}: {start:?} to {goal:?}, {:?}", house.links);
            let reach = layers.reach_on(query.start, place_of(&query), &query.by);
            check_path(&house, &layers, &query, &answer);
            match costs.get(&goal) {
                Some(&best) => {
                    assert_eq!((answer.status, reach), (PathStatus::Complete, Reach::Yes), "{place}");
                    assert!((cost_m - best).abs() < 1e-3, "{cost_m} instead of {best}, {place}");
                    over += u32::from(!answer.path.layers.is_empty());
                    alone += u32::from(answer.path.layers.is_empty());
                }
                None => {
                    none += 1;
                    assert_eq!(reach, Reach::No(PathFailure::NoPath), "{place}");
                    assert_eq!(answer.trouble, Some(PathFailure::NoPath), "{place}");
                }
            }
            let (sliced, _) = plan(&layers, &query, 1 + rng.below(5) as u32);
            assert_eq!(sliced, answer, "slices change nothing, {place}");
        }
    }
    assert!(over > 200 && alone > 500 && none > 300, "{over} {alone} {none}");
}

#[test]
fn as_many_links_as_there_may_be_are_weighed_without_a_look_at_all_that_wait_for_each() {
    // The goal is behind a wall, so every one of the 131 000 pairs of link ends seems shorter than the way
    // there. Each that is taken used to be looked for among all that wait: that took the better part of a
    // minute.
    let mut walled = House {
        walkable: vec![vec![true; 63]],
        factor: vec![vec![50; 63]],
        leave: vec![vec![0; 63]],
        links: vec![((0, 0, 0), (0, 1, 0), true, 0.0); crate::nav::LINKS_MAX],
    };
    (0..6).for_each(|z| walled.walkable[0][at(4, z)] = false);
    let (start, goal) = ((0, 0, 0), (0, 8, 0));
    let (layers, query) = (walled.layers(), query(start, goal));
    let (answer, cost_m) = plan(&layers, &query, u32::MAX);
    assert_eq!(answer.status, PathStatus::Complete);
    assert!((cost_m - walled.costs(start)[&goal]).abs() < 1e-3, "{cost_m}");
    check_path(&walled, &layers, &query, &answer);
}

/// On ground of several factors straight lines say little: legs to all links seemed cheap, and were searched
/// for.
#[test]
fn many_links_on_ground_of_several_factors_cost_no_more_than_a_look_at_the_map() {
    const SIDE: u32 = 60;
    let mut rng = Rng::stream(1, "stairs");
    let frame =
        |floor_y_m| MapFrame { width: SIDE, depth: SIDE, cell_size_m: 1.0, floor_y_m, ..MapFrame::default() };
    let mut floor = |layer: u32| {
        let factor = (0..SIDE * SIDE).map(|_| [0.8, 1.0, 3.0][rng.below(3) as usize]).collect();
        let frame = frame(3.0 * f64::from(layer));
        let walkable = vec![true; (SIDE * SIDE) as usize];
        CellMap::from_cells(&CellSource { frame, walkable, factor, ..CellSource::default() }).expect("a map")
    };
    let maps = vec![floor(0), floor(1)];
    let mut middle =
        |layer| place((layer, rng.below(u64::from(SIDE)) as i64, rng.below(u64::from(SIDE)) as i64));
    let (from, to): (Vec<LayerPoint>, Vec<LayerPoint>) = (0..64).map(|_| (middle(0), middle(1))).unzip();
    let link =
        |at: usize| LayerLink { from: from[at], to: to[at], both_ways: true, cost_m: 60.0, action: None };
    for count in [0, 8, 64] {
        let mut layers = Layers::new(maps.clone(), (0..count).map(link).collect()).expect("layers");
        layers.prepare(&Traversal::default());
        let (answer, _) = plan(&layers, &query((0, 1, 1), (0, 58, 58)), u32::MAX);
        assert_eq!(answer.status, PathStatus::Complete);
        assert!(answer.expansions < 2 * SIDE * SIDE, "{count} links: {} expansions", answer.expansions);
    }
}

fn place_of(query: &PathQuery) -> LayerPoint {
    LayerPoint { layer: query.goal_layer.unwrap_or(query.by.layer), point: query.goal }
}

#[test]
fn a_goal_out_of_reach_is_approached_on_its_own_layer_where_one_gets_there() {
    let mut seen = [0; 2];
    for round in 0..300 {
        let mut rng = Rng::stream(round, "approach");
        let house = House::random(&mut rng);
        let layers = house.layers();
        let (Some(start), Some(goal)) = (house.spot(&mut rng), house.spot(&mut rng)) else { continue };
        let costs = house.costs(start);
        if costs.contains_key(&goal) {
            continue;
        }
        let (answer, _) = plan(&layers, &query(start, goal), u32::MAX);
        let away = |spot: &Spot| (spot.1 - goal.1).pow(2) + (spot.2 - goal.2).pow(2);
        let on = |layer: u8| costs.keys().filter(move |spot| spot.0 == layer).map(away).min();
        let expected = on(goal.0).or_else(|| on(start.0));
        seen[usize::from(on(goal.0).is_some())] += 1;
        let end = answer.path.points[answer.path.points.len() - 1];
        let end = away(&(0, end.x.floor() as i64, end.z.floor() as i64));
        assert_eq!(Some(end), expected, "round {round}: {start:?} to {goal:?}, {:?}", answer.path);
    }
    assert!(seen[0] > 20 && seen[1] > 5, "{seen:?}");
}

#[test]
fn an_edit_of_one_layer_leaves_the_others_as_they_are() {
    let open = House {
        walkable: vec![vec![true; 63]; 3],
        factor: vec![vec![50; 63]; 3],
        leave: vec![vec![0; 63]; 3],
        links: vec![((0, 8, 6), (1, 8, 6), true, 2.0)],
    };
    let mut map = NavMap::from(open.layers());
    let edit = |layer, walkable| {
        NavEdit::Tile(TileEdit { layer, cell: [8, 6], walkable: Some(walkable), factor: None, leave: None })
    };
    let revisions =
        |map: &NavMap| (0..3).map(|layer| map.layer(layer).unwrap().revision().0).collect::<Vec<_>>();
    let (ground, first) = (place((0, 0, 0)), place((1, 0, 0)));
    assert_eq!((map.layer_count(), map.reach_on(ground.point, first, &walker(0))), (3, Reach::Yes));
    let change = map.apply(&[edit(1, false)]).unwrap();
    assert_eq!((revisions(&map), map.revision(), change.revision.0), (vec![0, 1, 0], change.revision, 1));
    assert_eq!(change.parts.iter().map(|part| part.layer).collect::<Vec<_>>(), [1]);
    assert_eq!(
        map.reach_on(ground.point, first, &walker(0)),
        Reach::No(PathFailure::NoPath),
        "a link is closed"
    );
    assert!(map.apply(&[edit(7, false)]).is_none(), "there is no such layer");
    map.apply(&[edit(1, true)]).unwrap();
    assert_eq!(map.reach_on(ground.point, first, &walker(0)), Reach::Yes);
    let mut next = NavMap::from(open.layers());
    next.succeed(&map);
    assert_eq!(next.revision().0, map.revision().0 + 1);
    let hash = |map: &NavMap| {
        let mut hash = StateHash::default();
        map.hash_into(&mut hash);
        hash.finish()
    };
    let (mut once, mut often) = (NavMap::from(open.layers()), NavMap::from(open.layers()));
    once.apply(&[edit(1, false)]).unwrap();
    for walkable in [false, true, false] {
        often.apply(&[edit(1, walkable)]).unwrap();
    }
    once.set_revision(often.revision().0);
    assert_eq!(hash(&once), hash(&often), "what a save game tells of a map is all of its state");
}

#[test]
fn seed_o15_random_points_of_a_layer_are_reached_over_links() {
    let mut parted = House {
        walkable: vec![vec![true; 63]; 2],
        factor: vec![vec![50; 63]; 2],
        leave: vec![vec![0; 63]; 2],
        links: vec![((0, 0, 0), (1, 0, 0), true, 1.0), ((1, 8, 0), (0, 8, 0), false, 1.0)],
    };
    for z in 0..7 {
        parted.walkable[0][at(4, z)] = false;
    }
    let map = NavMap::from(parted.layers());
    let draw_on = |layer: u8, from: Spot| {
        let query = RandomPoint {
            centre: None,
            within_m: 0.0,
            area: None,
            reachable_from: Some(place(from)),
            by: walker(layer),
            attempts: 10,
        };
        let mut rng = Rng::stream(1, "points");
        let drawn = |_| map.random_point(&query, &mut rng).map(|point| point.x);
        (0..200).map(drawn).collect::<Option<Vec<f32>>>().unwrap_or_default()
    };
    let draw = |from: Spot| draw_on(from.0, from);
    assert!(draw((0, 1, 1)).iter().any(|&x| x > 5.0), "up, across and down again");
    assert!(draw((0, 7, 1)).iter().all(|&x| x > 5.0), "the way down is not one up");
    assert_eq!((draw_on(1, (0, 1, 1)).len(), draw_on(1, (0, 7, 1)).len()), (200, 0), "from below");
}

#[test]
fn links_that_lead_nowhere_and_layers_that_differ_are_refused() {
    let flat = || {
        CellMap::from_cells(&CellSource {
            frame: MapFrame { width: 2, depth: 1, cell_size_m: 1.0, ..MapFrame::default() },
            walkable: vec![true; 2],
            ..CellSource::default()
        })
        .expect("a map")
    };
    let link = |layer, x: f32, cost_m| LayerLink {
        from: place((0, 0, 0)),
        to: LayerPoint { layer, point: Vec3::new(x, 0.0, 0.5) },
        both_ways: true,
        cost_m,
        action: None,
    };
    let make =
        |count: usize, link: LayerLink| Layers::new((0..count).map(|_| flat()).collect(), vec![link]).err();
    assert_eq!(make(2, link(1, 0.5, 1.0)), None);
    assert_eq!(make(9, link(1, 0.5, 1.0)), Some(LayersError::Count { count: 9 }));
    assert_eq!(make(2, link(2, 0.5, 1.0)), Some(LayersError::UnknownLayer { link: 0, layer: 2, last: 1 }));
    assert_eq!(make(2, link(1, 5.5, 1.0)), Some(LayersError::Beyond { link: 0, layer: 1 }));
    assert_eq!(make(2, link(1, 0.5, -1.0)), Some(LayersError::LinkCost { link: 0, value: -1.0 }));
}
