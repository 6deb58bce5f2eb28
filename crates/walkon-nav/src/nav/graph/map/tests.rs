//! The graph as a map: a house of two floors, random graphs, and a plain look at every link beside them.

use glam::Vec3;

use super::*;
use crate::nav::graph::editable_graph::GraphPart;
use crate::nav::graph::link::{LinkOptions, link};
use crate::nav::graph::{GraphGroundQuery, RouteSource};
use crate::nav::plan::PlanTask;
use crate::nav::{
    AreaEdit, Backend, Disc, LayerPoint, NavMap, Others, PathQuery, PathStatus, RandomPoint, Reach, Search,
};

impl PointGraph {
    /// Carries out one edit; None where it is not possible.
    pub(super) fn edit(&mut self, edit: &PointEdit) -> Option<MapChange> {
        let mut change = MapChange::default();
        self.redraft(std::slice::from_ref(edit), &mut change);
        if change.bounds.is_empty() {
            return None;
        }
        self.revision += 1;
        change.revision = self.revision();
        Some(change)
    }
}

/// Two floors of 11 by 11 points half a metre apart, three metres above each other, and stairs between them
/// along x = 0 to 5 at z = 6.
fn house(areas: Vec<GraphArea>) -> PointGraph {
    let mut points = Vec::new();
    for y in [0.0, 3.0] {
        for at in 0..121u8 {
            points.push(Vec3::new(f32::from(at % 11) * 0.5, y, f32::from(at / 11) * 0.5));
        }
    }
    for step in 0..=12u8 {
        points.push(Vec3::new(f32::from(step) * 5.0 / 12.0, f32::from(step) * 0.25, 6.0));
    }
    let mut draft = EditableGraph::new(points, &[], Vec::new()).unwrap();
    link(&mut draft, None, &LinkOptions::default(), &mut |_, _| {}).unwrap();
    // Into the stairs at the bottom, out of them at the top.
    for ends in [[110, 242], [241, 254]] {
        draft.apply(&PointEdit::Link { ends }).unwrap();
    }
    // Steps beside the edge of the upper floor are near it: only the last one leads there.
    let beside: Vec<[u32; 2]> = draft
        .links()
        .filter(|&[a, b]| a < 242 && b >= 242 && [a, b] != [110, 242] && [a, b] != [241, 254])
        .collect();
    for ends in beside {
        draft.apply(&PointEdit::Unlink { ends }).unwrap();
    }
    PointGraph::new(GraphSource { draft, width_m: 0.125, agent_radius_m: 0.45, areas, uses_parts: false })
}

fn door(available: bool) -> GraphArea {
    let polygon = vec![[-0.5, 5.4], [0.5, 5.4], [0.5, 5.8], [-0.5, 5.8]];
    GraphArea { polygon, heights_m: [-0.5, 1.0], available, factor: 1.0, is_obstacle: false }
}

fn body() -> Traversal {
    Traversal { radius_m: 0.3, ..Traversal::default() }
}

fn query(start: Vec3, goal: Vec3, by: Traversal) -> PathQuery {
    PathQuery {
        start,
        goal,
        by,
        goal_layer: None,
        accept: Accept::Nearest,
        expansions_max: u32::MAX,
        others: None,
    }
}

use crate::base::rng::Rng;
use crate::nav::Accept;

fn plan(map: &PointGraph, query: &PathQuery) -> crate::nav::PathAnswer {
    NavMap::from(map.clone()).plan(query, &mut Search::default())
}

#[test]
fn seed_v1_a_way_leads_up_the_stairs_to_the_floor_above() {
    let map = house(Vec::new());
    let (below, above) = (Vec3::new(5.0, 0.0, 0.0), Vec3::new(0.1, 3.0, 0.05));
    let answer = plan(&map, &query(below, above, body()));
    assert_eq!(answer.status, PathStatus::Complete);
    let points = &answer.path.points;
    assert_eq!((points[0], *points.last().unwrap()), (below, above));
    // Every straight line stays on the ground, at the height it says.
    let body = body();
    let ground = GraphGroundQuery::new(&map, &body);
    for pair in points.windows(2) {
        let (clear, reached) = ground.sight(pair[0], pair[1]);
        assert!(clear && (reached.y - pair[1].y).abs() < 0.1, "{pair:?} {reached}");
    }
    assert!(points.len() < 16, "straight where it can be: {points:?}");
}

#[test]
fn the_ground_under_a_place_is_that_of_its_floor() {
    let map = house(Vec::new());
    for y in [0.0, 3.0] {
        let here = map.locate(Vec3::new(2.3, y + 0.2, 2.2), &body()).unwrap();
        assert!((here.point.y - y).abs() < 1e-5);
    }
    assert!(map.locate(Vec3::new(2.3, 1.5, 2.2), &body()).is_none(), "between the floors there is none");
    assert!(!map.is_walkable(Vec3::new(-0.2, 0.0, 2.0), &body()));
    assert_eq!(map.nearest(Vec3::new(-0.2, 0.0, 2.0), 1.0, &body()).unwrap().point, Vec3::new(0.0, 0.0, 2.0));
    assert!(!map.is_walkable(Vec3::new(2.3, 0.0, 2.2), &Traversal { radius_m: 0.6, ..Traversal::default() }));
}

#[test]
fn a_line_is_clear_where_every_point_of_it_is_on_the_ground() {
    let mut rng = Rng::stream(5, "lines");
    let points: Vec<Vec3> =
        (0..60).map(|_| Vec3::new((rng.unit() * 6.0) as f32, 0.0, (rng.unit() * 6.0) as f32)).collect();
    let mut draft = EditableGraph::new(points, &[], Vec::new()).unwrap();
    link(&mut draft, None, &LinkOptions { distance_max_m: 1.4, ..LinkOptions::default() }, &mut |_, _| {})
        .unwrap();
    let source = GraphSource { draft, width_m: 0.2, agent_radius_m: 0.5, ..GraphSource::default() };
    let map = PointGraph::new(source);
    let ends = |link: &[u32; 2]| link.map(|end| ground(map.net().points()[end as usize]));
    let links: Vec<_> = map.net().links().iter().map(ends).collect();
    let nearest = |at: Vec3| {
        let away = links.iter().map(|&[a, b]| geom::segment_distance_sq(ground(at), a, b).sqrt());
        away.fold(f64::INFINITY, f64::min)
    };
    // Of a point that is surely on the ground the exact distance says nothing more.
    let is_within =
        |at: Vec3| links.iter().any(|&[a, b]| geom::segment_distance_sq(ground(at), a, b) < 0.19 * 0.19);
    let (mut clear, mut cut) = (0, 0);
    for _ in 0..3000 {
        let mut place = || Vec3::new((rng.unit() * 6.0) as f32, 0.0, (rng.unit() * 6.0) as f32);
        let (from, to) = (place(), place());
        let mut worst = 0.0;
        for part in 0..=400 {
            let at = from.lerp(to, part as f32 / 400.0);
            if !is_within(at) {
                worst = f64::max(worst, nearest(at));
            }
            if worst > 0.201 {
                break;
            }
        }
        let (is_clear, reached) = map.sight(from, to, &body());
        if worst < 0.195 {
            assert!(is_clear && reached == to, "{from} {to} {worst}");
            clear += 1;
        } else if worst > 0.201 {
            assert!(!is_clear, "{from} {to} {worst}");
            cut += 1;
            assert!(nearest(reached) < 0.201 || reached == from);
        }
    }
    assert!(clear > 20 && cut > 20, "{clear} {cut}");
}

#[test]
fn a_closed_door_is_named_planned_through_at_its_price_and_opens() {
    let (below, above) = (Vec3::new(0.0, 0.0, 0.0), Vec3::new(0.0, 3.0, 0.0));
    let mut map = house(vec![door(false)]);
    assert_eq!(map.reach(below, above, &body()), Reach::No(PathFailure::Area(AreaId::from(0))));
    let partial = plan(&map, &query(below, above, body()));
    assert_eq!(partial.status, PathStatus::Partial);
    assert_eq!(partial.trouble, Some(PathFailure::Area(AreaId::from(0))));
    let opener = Traversal { through: Some(vec![(AreaId::from(0), 4.0)].into()), ..body() };
    let whole = plan(&map, &query(below, above, opener));
    assert_eq!(whole.status, PathStatus::Complete);
    assert_eq!(whole.path.crossings.len(), 1);
    let crossing = whole.path.crossings[0];
    assert_eq!(crossing.area, AreaId::from(0));
    assert!(crossing.enter_m < crossing.leave_m);
    let open = NavEdit::Area(AreaEdit { area: AreaId::from(0), available: Some(true), factor: None });
    let change = map.apply(&[open]).unwrap();
    assert!(change.opened && !change.closed && change.bounds.contains([0.0, 5.6]));
    assert_eq!(map.reach(below, above, &body()), Reach::Yes);
    let opened = plan(&map, &query(below, above, body()));
    assert!(
        (whole.path.cost_m - opened.path.cost_m - 4.0).abs() < 0.5,
        "{} {}",
        whole.path.cost_m,
        opened.path.cost_m
    );
    assert!(map.apply(&[open]).is_none(), "nothing changed");
}

#[test]
fn slices_change_nothing_but_when() {
    let map = NavMap::from(house(Vec::new()));
    let query = query(Vec3::new(5.0, 0.0, 5.0), Vec3::new(5.0, 3.0, 5.0), body());
    let whole = map.plan(&query, &mut Search::default());
    let mut search = Search::default();
    let mut work = map.begin(&query).unwrap();
    let mut slices = 0;
    let sliced = loop {
        slices += 1;
        if let Some(answer) = map.step(&mut work, PlanTask { query: &query, search: &mut search }, 3) {
            break answer;
        }
    };
    assert_eq!(sliced, whole);
    assert!(slices > 10);
    let limited = PathQuery { expansions_max: 5, ..query };
    assert_eq!(map.plan(&limited, &mut Search::default()).trouble, Some(PathFailure::Limit));
}

#[test]
fn who_stands_in_the_way_is_gone_around_or_ignored_where_there_is_no_other() {
    let map = house(Vec::new());
    let on_floor = Disc { centre: Vec3::new(2.5, 0.0, 2.5), radius_m: 0.4 };
    let around = PathQuery {
        others: Some(vec![on_floor].into()),
        ..query(Vec3::new(0.0, 0.0, 2.5), Vec3::new(5.0, 0.0, 2.5), body())
    };
    let answer = plan(&map, &around);
    assert_eq!((answer.status, answer.others), (PathStatus::Complete, Others::Avoided));
    assert!(answer.path.points.windows(2).all(|pair| !disc_meets(&on_floor, pair[0], pair[1])));
    let above =
        PathQuery { start: Vec3::new(0.0, 3.0, 2.5), goal: Vec3::new(5.0, 3.0, 2.5), ..around.clone() };
    assert!(
        (plan(&map, &above).path.length_m - 5.0).abs() < 1e-3,
        "somebody a floor below is in nobody's way"
    );
    let on_stairs = Disc { centre: Vec3::new(2.5, 1.5, 6.0), radius_m: 0.4 };
    let stairs = PathQuery {
        others: Some(vec![on_stairs].into()),
        ..query(Vec3::ZERO, Vec3::new(0.0, 3.0, 0.0), body())
    };
    let answer = plan(&map, &stairs);
    assert_eq!((answer.status, answer.others), (PathStatus::Complete, Others::Ignored));
    let goal =
        PathQuery { others: Some(vec![on_floor].into()), ..query(Vec3::ZERO, on_floor.centre, body()) };
    let answer = plan(&map, &goal);
    assert_eq!((answer.trouble, answer.covered), (Some(PathFailure::Occupied), Some(0)));
    let end = *answer.path.points.last().unwrap();
    assert!((geom::flat_distance(end, on_floor.centre) - 0.4).abs() < 0.01, "{end}");
}

#[test]
fn points_and_links_change_at_run_time() {
    let mut map = house(Vec::new());
    let before = plan(&map, &query(Vec3::ZERO, Vec3::new(0.0, 3.0, 0.0), body()));
    let change = map.edit(&PointEdit::Unlink { ends: [110, 242] }).unwrap();
    assert!(change.closed && !change.opened);
    assert_eq!(map.reach(Vec3::ZERO, Vec3::new(0.0, 3.0, 0.0), &body()), Reach::No(PathFailure::NoPath));
    let lift = PointEdit::Link { ends: [0, 122] };
    assert!(map.edit(&lift).unwrap().opened);
    let after = plan(&map, &query(Vec3::ZERO, Vec3::new(0.0, 3.0, 0.0), body()));
    assert!(after.path.cost_m < before.path.cost_m && (3.0..4.0).contains(&after.path.cost_m), "{after:?}");
    assert!(map.edit(&lift).is_none(), "linked already");
    let mut hash = [StateHash::default(), StateHash::default()];
    map.hash_into(&mut hash[0]);
    house(Vec::new()).hash_into(&mut hash[1]);
    assert_ne!(hash[0].finish(), hash[1].finish());
}

#[test]
fn what_changed_at_run_time_stays_when_the_same_graph_takes_its_place() {
    let (mut changed, unlinked) = (house(Vec::new()), [110, 242]);
    changed.edit(&PointEdit::Unlink { ends: unlinked }).unwrap();
    let before = NavMap::from(changed);
    let mut same = NavMap::from(house(vec![door(true)]));
    same.succeed(&before);
    assert_eq!(same.graph().unwrap().net().step(110, 242), None);
    assert_eq!(same.revision().0, before.revision().0 + 1);
    let mut other = house(Vec::new()).draft().clone();
    other.apply(&PointEdit::Unlink { ends: [0, 1] }).unwrap();
    let mut edited = NavMap::from(PointGraph::new(GraphSource { draft: other, ..GraphSource::default() }));
    edited.succeed(&before);
    assert!(edited.graph().unwrap().net().step(110, 242).is_some(), "its author has changed it");
}

/// What a map adds to the hash of the state.
fn state_hash(map: &NavMap) -> u64 {
    let mut hash = StateHash::default();
    map.hash_into(&mut hash);
    hash.finish()
}

#[test]
fn the_hash_is_the_same_after_a_reload_and_after_loading_a_save() {
    let mut changed = NavMap::from(house(vec![door(true)]));
    let point = changed.node_count() as u32;
    let edits = [
        GraphEdit::Unlink([110, 242]),
        GraphEdit::Add(Vec3::new(9.0, 0.0, 0.0)),
        GraphEdit::Link([point, 0]),
        GraphEdit::Link([122, 0]),
    ];
    changed.apply(&edits.map(NavEdit::Graph)).unwrap();
    // The level is loaded again, and a script changes one more link.
    let mut reloaded = NavMap::from(house(vec![door(true)]));
    reloaded.succeed(&changed);
    let late = NavEdit::Graph(GraphEdit::Link([0, 123]));
    reloaded.apply(&[late]).unwrap();
    // A save holds the edits that lead from what the author gave to what there is.
    let kept: Vec<NavEdit> = reloaded.graph().unwrap().edits().into_iter().map(NavEdit::Graph).collect();
    let mut loaded = NavMap::from(house(vec![door(true)]));
    loaded.apply(&kept).unwrap();
    loaded.set_revision(reloaded.revision().0);
    assert_eq!(loaded.graph().unwrap().draft(), reloaded.graph().unwrap().draft());
    assert_eq!(state_hash(&loaded), state_hash(&reloaded));
    // As if there had been no reload.
    changed.apply(&[late]).unwrap();
    changed.set_revision(reloaded.revision().0);
    assert_eq!(state_hash(&changed), state_hash(&reloaded));
}

#[test]
fn the_hash_of_a_map_that_is_laid_out_again_is_that_of_what_differs() {
    let mut map = house(vec![door(true)]);
    let fresh = state_hash(&NavMap::from(map.clone()));
    let close = NavEdit::Area(AreaEdit { area: AreaId::from(0), available: Some(false), factor: None });
    map.apply(&[close, NavEdit::Graph(GraphEdit::Link([0, 122]))]).unwrap();
    let [there, home] = [Vec3::new(0.1, 0.0, 0.0), Vec3::ZERO].map(|point| PointEdit::Move { at: 0, point });
    map.edit(&there).unwrap();
    map.edit(&home).unwrap();
    map.edit(&PointEdit::Unlink { ends: [0, 122] }).unwrap();
    let open = NavEdit::Area(AreaEdit { area: AreaId::from(0), available: Some(true), factor: None });
    map.apply(&[open]).unwrap();
    map.set_revision(0);
    assert_eq!(state_hash(&NavMap::from(map)), fresh);
}

/// Rows of points a metre apart, linked with their four neighbours; parts by the letters of the rows.
fn lettered(rows: &[&str]) -> (EditableGraph, Vec<char>) {
    let letters: Vec<char> = rows.iter().flat_map(|row| row.chars()).collect();
    let width = rows[0].len();
    let points = (0..letters.len()).map(|at| Vec3::new((at % width) as f32, 0.0, (at / width) as f32));
    let mut links = Vec::new();
    for at in 0..letters.len() {
        let beside = (at % width + 1 < width).then_some(at + 1);
        let below = (at + width < letters.len()).then_some(at + width);
        let open = beside.into_iter().chain(below).filter(|&to| letters[at] != '#' && letters[to] != '#');
        links.extend(open.map(|to| [at as u32, to as u32]));
    }
    let mut names: Vec<char> = letters.iter().copied().filter(|letter| letter.is_alphabetic()).collect();
    names.sort_unstable();
    names.dedup();
    let of = |name: char| (0..).zip(&letters).filter(move |(_, letter)| **letter == name).map(|(at, _)| at);
    let parts =
        names.iter().map(|&name| GraphPart { name: name.into(), points: of(name).collect() }).collect();
    (EditableGraph::new(points.collect(), &links, parts).unwrap(), letters)
}

fn divided(draft: &EditableGraph, uses_parts: bool) -> PointGraph {
    let draft = draft.clone();
    PointGraph::new(GraphSource { draft, width_m: 0.2, agent_radius_m: 0.4, areas: Vec::new(), uses_parts })
}

#[test]
fn seed_v14_the_short_way_out_of_a_part_is_taken() {
    // Within part a the way leads round the wall; over b it is two metres.
    let (draft, _) = lettered(&["aaaaa", "a###a", "a###a", "a.bba"]);
    let (from, to) = (Vec3::new(0.0, 0.0, 3.0), Vec3::new(4.0, 0.0, 3.0));
    let [plain, parted] =
        [false, true].map(|uses_parts| plan(&divided(&draft, uses_parts), &query(from, to, body())));
    assert_eq!(plain.path.length_m, 4.0);
    assert_eq!((parted.path.points, parted.path.cost_m), (plain.path.points, plain.path.cost_m));
    // Where no way outside is shorter, only the part is looked at.
    let (draft, _) = lettered(&["aaaaaa......", "aaaaaa......", "aaaaaa......", "aaaaaa......"]);
    let (from, to) = (Vec3::new(0.0, 0.0, 0.0), Vec3::new(2.0, 0.0, 3.0));
    let map = divided(&draft, true);
    let route = |from, to| map.routes().find(map.net(), from, to, |_| true, &mut Search::default()).unwrap();
    let inside = route(0, 38);
    assert_eq!(inside.how, crate::nav::graph::RouteSource::Inside);
    assert!(inside.points.iter().all(|&at| map.routes().part_of(at) == Some(0)));
    assert_eq!(plan(&map, &query(from, to, body())).status, PathStatus::Complete);
}

#[test]
fn ways_between_parts_stay_in_use_when_points_and_links_come() {
    // A corridor of two parts, and a room without a door between them.
    let (draft, _) =
        lettered(&["aaaaaaaa......bbbbbbbb", "######################", "......................"]);
    let mut map = divided(&draft, true);
    let how = |map: &PointGraph, (from, to)| {
        let route = map.routes().find(map.net(), from, to, |_| true, &mut Search::default()).expect("a way");
        (route.how, route.cost_mm)
    };
    assert_eq!(how(&map, (0, 21)), (RouteSource::Joined, 21_000));
    let edit = |map: &mut PointGraph, edits: &[GraphEdit]| {
        let edits: Vec<NavEdit> = edits.iter().copied().map(NavEdit::Graph).collect();
        map.apply(&edits).expect("a change");
    };
    // Elsewhere: a link comes back, a point is new.
    edit(&mut map, &[GraphEdit::Unlink([44, 45]), GraphEdit::Link([44, 45])]);
    let point = map.net().points().len() as u32;
    edit(&mut map, &[GraphEdit::Add(Vec3::new(4.0, 0.0, -2.0)), GraphEdit::Link([4, point])]);
    assert_eq!(how(&map, (0, 21)), (RouteSource::Joined, 21_000));
    // Within the part, because what came is no way out that is shorter.
    assert_eq!(how(&map, (0, 6)), (RouteSource::Inside, 6000));
    let mut ring = divided(&lettered(&["aaaaa", "a###a", "a###a", "a#.#a"]).0, true);
    assert_eq!(how(&ring, (15, 19)), (RouteSource::Inside, 10_000));
    edit(&mut ring, &[GraphEdit::Link([15, 17]), GraphEdit::Link([17, 19])]);
    assert_eq!(how(&ring, (15, 19)), (RouteSource::Direct, 4000), "out of the part and back into it");
    // What renumbers points has its ways worked out again.
    map.edit(&PointEdit::Remove { at: 40 }).expect("a change");
    assert_eq!(how(&map, (14, 21)), (RouteSource::Inside, 7000));
    assert_eq!(map.routes().part_count(), 2);
    // A level that is loaded again with the same graph takes over what was changed, and the ways.
    let before = NavMap::from(map);
    let mut again = NavMap::from(divided(&draft, true));
    again.succeed(&before);
    let again = again.graph().expect("a graph");
    assert_eq!((again.routes(), again.routes().part_count()), (before.graph().unwrap().routes(), 2));
}

#[test]
fn seed_v16_points_of_interlocking_parts_belong_each_to_its_own_and_the_rest_to_none() {
    let (draft, letters) = lettered(&["aaaa.", "abbb.", "ab...", "abcc."]);
    let map = divided(&draft, true);
    for (at, &letter) in (0..).zip(&letters) {
        let name = map.routes().part_of(at).map(|part| draft.parts()[part].name.chars().next().unwrap());
        assert_eq!(name, letter.is_alphabetic().then_some(letter), "point {at}");
    }
    // From and to a point of no part: the full search.
    let (from, to) = (Vec3::new(4.0, 0.0, 0.0), Vec3::new(3.0, 0.0, 2.0));
    assert_eq!(plan(&map, &query(from, to, body())).path.points.len(), 3);
}

#[test]
fn random_points_lie_on_links_within_the_disc_and_can_be_reached() {
    let map = house(vec![door(false)]);
    let mut rng = Rng::stream(2, "points");
    let query = RandomPoint {
        centre: Some(Vec3::new(2.5, 0.0, 2.5)),
        within_m: 2.0,
        area: None,
        reachable_from: Some(LayerPoint { layer: 0, point: Vec3::ZERO }),
        by: body(),
        attempts: 10,
    };
    for _ in 0..500 {
        let point = map.random_point(&query, &mut rng).unwrap();
        assert!(map.is_walkable(point, &body()) && point.y == 0.0);
        assert!(geom::flat_distance(point, Vec3::new(2.5, 0.0, 2.5)) <= 2.001);
    }
    let nowhere = RandomPoint { centre: Some(Vec3::new(90.0, 0.0, 0.0)), ..query };
    assert_eq!(map.random_point(&nowhere, &mut rng), None);
}

#[test]
fn r6_places_on_a_link_that_leads_straight_up_are_found_at_their_height() {
    // Found by the fuzz target `graph`: on the ground all of a ladder is one place, and its lower end was
    // taken for every height.
    let points =
        vec![Vec3::ZERO, Vec3::new(1.0, 0.0, 0.0), Vec3::new(1.0, 4.0, 0.0), Vec3::new(2.0, 4.0, 0.0)];
    let draft = EditableGraph::new(points, &[[0, 1], [1, 2], [2, 3]], Vec::new()).unwrap();
    let map = PointGraph::new(GraphSource {
        draft,
        width_m: 0.1,
        agent_radius_m: 0.3,
        areas: Vec::new(),
        uses_parts: false,
    });
    for tenths in 0..=40u8 {
        let place = Vec3::new(1.0, f32::from(tenths) * 0.1, 0.0);
        let found = map.locate(place, &body()).expect("on the ladder").point;
        assert!(found.distance(place) < 1e-4, "{place}: {found}");
    }
    assert_eq!(plan(&map, &query(Vec3::ZERO, Vec3::new(2.0, 4.0, 0.0), body())).status, PathStatus::Complete);
}

/// Points and links on level ground, with areas across.
fn flat(points: &[[f32; 2]], links: &[[u32; 2]], areas: Vec<GraphArea>) -> PointGraph {
    let points = points.iter().map(|&[x, z]| Vec3::new(x, 0.0, z)).collect();
    let draft = EditableGraph::new(points, links, Vec::new()).unwrap();
    PointGraph::new(GraphSource { draft, width_m: 0.1, agent_radius_m: 0.45, areas, uses_parts: false })
}

/// A door across x = 4 to 6.
fn gate(available: bool) -> GraphArea {
    let polygon = vec![[4.0, -1.0], [6.0, -1.0], [6.0, 1.0], [4.0, 1.0]];
    GraphArea { polygon, heights_m: [-9.0, 9.0], available, factor: 1.0, is_obstacle: false }
}

/// Somebody who passes the gate only in a direction.
fn one_way(direction: [f32; 2]) -> Traversal {
    let gate = crate::nav::OneWay { area: AreaId::from(0), middle: Vec3::new(5.0, 0.0, 0.0), direction };
    let rules = crate::nav::PassRules { one_way: vec![gate], ..crate::nav::PassRules::default() };
    Traversal { rules: Some(Arc::new(rules)), ..body() }
}

/// A way along x, and one back at z = 4, joined at x = 10 or not.
fn hairpin(is_joined: bool, gate: GraphArea) -> PointGraph {
    let links = [[0, 1], [2, 3], [1, 2]];
    let links = if is_joined { &links[..] } else { &links[..2] };
    flat(&[[0.0, 0.0], [10.0, 0.0], [10.0, 4.0], [0.0, 4.0]], links, vec![gate])
}

#[test]
fn who_stands_on_a_link_that_is_closed_further_on_walks_up_to_what_closes_it_and_over_no_empty_ground() {
    let area = PathFailure::Area(AreaId::from(0));
    let barred = Traversal {
        rules: Some(Arc::new(crate::nav::PassRules {
            barred: vec![AreaId::from(0)],
            ..crate::nav::PassRules::default()
        })),
        ..body()
    };
    let cases = [
        (hairpin(true, gate(true)), one_way([-1.0, 0.0]), [0.0, 3.99]),
        (hairpin(true, gate(false)), body(), [0.0, 3.99]),
        (hairpin(true, gate(true)), barred, [2.0, 3.99]),
    ];
    for (map, by, [from, stops]) in cases {
        let (start, goal) = (Vec3::new(from, 0.0, 0.0), Vec3::new(10.0, 0.0, 4.0));
        let answer = plan(&map, &query(start, goal, by.clone()));
        assert_eq!((answer.status, answer.trouble), (PathStatus::Partial, Some(area)), "from {from}");
        let end = *answer.path.points.last().unwrap();
        assert!(end.z == 0.0 && (end.x - stops).abs() < 0.02, "from {from}: {end}");
        assert_eq!(map.reach(start, goal, &by), Reach::No(area));
    }
    let island = plan(
        &hairpin(false, gate(false)),
        &query(Vec3::new(2.0, 0.0, 0.0), Vec3::new(10.0, 0.0, 4.0), body()),
    );
    assert_eq!((island.status, island.trouble), (PathStatus::Partial, Some(PathFailure::NoPath)));
    assert!(island.path.points.iter().all(|point| point.z == 0.0 && point.x < 4.0), "{:?}", island.path);
    // Behind the door the way goes on.
    let map = hairpin(true, gate(false));
    let behind = plan(&map, &query(Vec3::new(7.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 4.0), body()));
    assert_eq!((behind.status, behind.path.length_m), (PathStatus::Complete, 17.0));
    // On the rest of the link itself.
    let [here, there] = [7.0, 9.0].map(|x| Vec3::new(x, 0.0, 0.05));
    for (from, to) in [(here, there), (there, here)] {
        let answer = plan(&map, &query(from, to, body()));
        assert_eq!((answer.status, answer.path.points), (PathStatus::Complete, vec![from, to]));
        assert_eq!(map.reach(from, to, &body()), Reach::Yes);
    }
    let beyond = Vec3::new(3.0, 0.0, 0.0);
    assert_eq!(map.reach(here, beyond, &body()), Reach::No(area));
    // Against a one-way door: up to its middle is allowed, but the door is named.
    let back = plan(&map, &query(Vec3::new(9.0, 0.0, 0.0), Vec3::ZERO, one_way([1.0, 0.0])));
    assert_eq!((back.status, back.trouble), (PathStatus::Partial, Some(area)));
}

#[test]
fn who_stands_at_a_point_that_lost_its_links_stays_there() {
    let mut map = flat(&[[0.0, 0.0], [2.0, 0.0], [0.0, 3.0], [2.0, 3.0]], &[[0, 1], [2, 3]], Vec::new());
    map.edit(&PointEdit::Unlink { ends: [0, 1] }).unwrap();
    let answer = plan(&map, &query(Vec3::ZERO, Vec3::new(2.0, 0.0, 3.0), body()));
    assert_eq!((answer.status, answer.trouble), (PathStatus::Partial, Some(PathFailure::NoPath)));
    assert_eq!(answer.path.points, [Vec3::ZERO]);
    assert_eq!(map.reach(Vec3::ZERO, Vec3::new(2.0, 0.0, 3.0), &body()), Reach::No(PathFailure::NoPath));
    // Who stands on no point goes to the nearest link.
    let beside = plan(&map, &query(Vec3::new(0.5, 0.0, 1.0), Vec3::new(2.0, 0.0, 3.0), body()));
    assert_eq!(beside.status, PathStatus::Complete);
}

#[test]
fn a_place_where_links_cross_belongs_to_both() {
    let map = flat(&[[-5.0, 0.0], [5.0, 0.0], [0.0, -5.0], [0.0, 5.0]], &[[0, 1], [2, 3]], Vec::new());
    let crossing = [Vec3::ZERO, Vec3::new(0.0, 0.0, 0.05)];
    for end in map.net().points().to_vec() {
        for place in crossing {
            for (from, to) in [(place, end), (end, place)] {
                let answer = plan(&map, &query(from, to, body()));
                assert_eq!(answer.status, PathStatus::Complete, "{from} to {to}");
                assert_eq!(map.reach(from, to, &body()), Reach::Yes);
            }
        }
    }
    let across = plan(&map, &query(Vec3::new(-5.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 5.0), body()));
    assert_eq!((across.status, across.trouble), (PathStatus::Partial, Some(PathFailure::NoPath)));
}

#[test]
fn a_way_round_is_taken_where_it_is_cheaper_than_the_link_between() {
    let points = [[0.0, 0.0], [10.0, 0.0], [5.0, 3.0]];
    let mud = GraphArea { factor: 2.0, ..gate(true) };
    let map = flat(&points, &[[0, 1], [0, 2], [1, 2]], vec![mud]);
    let answer = plan(&map, &query(Vec3::ZERO, Vec3::new(10.0, 0.0, 0.0), body()));
    assert_eq!(answer.path.points.len(), 3, "{:?}", answer.path);
    assert!((answer.path.cost_m - 11.662).abs() < 0.01, "{}", answer.path.cost_m);
    // Bodies that stand where it begins and where it ends close no way from there.
    let at = |x: f32| Disc { centre: Vec3::new(x, 0.0, 0.0), radius_m: 0.6 };
    let others = Some(vec![at(0.0), at(10.0)].into());
    let among = plan(&map, &PathQuery { others, ..query(Vec3::ZERO, Vec3::new(10.0, 0.0, 0.0), body()) });
    assert_eq!((among.others, among.path.points.len()), (Others::Avoided, 3), "{:?}", among.path);
}

#[test]
fn a_way_that_costs_more_than_whole_millimetres_count_is_a_way() {
    let everywhere = vec![[-5e4, -5e4], [5e4, -5e4], [5e4, 5e4], [-5e4, 5e4]];
    let mud = GraphArea { polygon: everywhere, factor: 100.0, ..gate(true) };
    let ends = [Vec3::new(-40_000.0, 0.0, 0.0), Vec3::new(40_000.0, 0.0, 0.0)];
    let bent = [[-4e4, 0.0], [0.0, 100.0], [4e4, 0.0]];
    for map in [
        flat(&[[-4e4, 0.0], [4e4, 0.0]], &[[0, 1]], vec![mud.clone()]),
        flat(&bent, &[[0, 1], [1, 2]], vec![mud]),
    ] {
        let answer = plan(&map, &query(ends[0], ends[1], body()));
        assert_eq!((answer.status, map.reach(ends[0], ends[1], &body())), (PathStatus::Complete, Reach::Yes));
        assert!((answer.path.cost_m - 8e6).abs() < 200.0, "{}", answer.path.cost_m);
    }
}
