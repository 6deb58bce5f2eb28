//! Laws of the ends of ways on random ground whose links come, go, cross and are closed: the answers to all
//! questions agree, and no way leads over empty ground.

use glam::Vec3;

use super::*;
use crate::base::rng::Rng;
use crate::nav::graph::lookup::spot;
use crate::nav::{Backend, NavMap, OneWay, PassRules, PathQuery, PathStatus, Reach, Search};

/// Points anywhere on one floor, with links between any two: many cross; some points have none.
fn tangle(rng: &mut Rng) -> PointGraph {
    let mut place = || Vec3::new((rng.unit() * 12.0) as f32, 0.0, (rng.unit() * 12.0) as f32);
    let points: Vec<Vec3> = (0..10).map(|_| place()).collect();
    let mut any = || rng.below(10) as u32;
    let mut links: Vec<[u32; 2]> = (0..9).map(|_| [any(), any()]).filter(|[a, b]| a != b).collect();
    links.iter_mut().for_each(|ends| ends.sort_unstable());
    links.sort_unstable();
    links.dedup();
    let draft = EditableGraph::new(points, &links, Vec::new()).unwrap();
    let mut areas: Vec<GraphArea> = (0..3).map(|_| across_some_link(&draft, rng)).collect();
    (areas[2].is_obstacle, areas[2].available) = (true, true);
    PointGraph::new(GraphSource { draft, width_m: 0.1, agent_radius_m: 0.3, areas, uses_parts: false })
}

/// A square with its middle on a link.
fn across_some_link(draft: &EditableGraph, rng: &mut Rng) -> GraphArea {
    let ends: Vec<[u32; 2]> = draft.links().collect();
    let link = ends.get(rng.below(ends.len().max(1) as u64) as usize).copied().unwrap_or([0, 1]);
    let [a, b] = link.map(|end| draft.points()[end as usize]);
    let [x, z] = ground(a.lerp(b, 0.3 + 0.4 * rng.unit() as f32));
    let reach = 0.1 + 0.6 * rng.unit();
    let polygon =
        [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[u, v]| [x + u * reach, z + v * reach]);
    let available = rng.unit() < 0.5;
    let heights_m = [-1.0, 1.0];
    GraphArea { polygon: polygon.to_vec(), heights_m, available, factor: 1.0, is_obstacle: false }
}

/// A body for which an area may be barred, and another may have a direction.
fn anyone(map: &PointGraph, rng: &mut Rng) -> Traversal {
    let barred = if rng.unit() < 0.3 { vec![AreaId::from(0)] } else { Vec::new() };
    let middle = Bounds::of(&map.areas[1].polygon);
    let [x, z] = [0, 1].map(|axis| middle.min[axis].midpoint(middle.max[axis]) as f32);
    let direction = [rng.unit() as f32 - 0.5, rng.unit() as f32 - 0.5];
    let gate = OneWay { area: AreaId::from(1), middle: Vec3::new(x, 0.0, z), direction };
    let one_way = if rng.unit() < 0.5 { vec![gate] } else { Vec::new() };
    Traversal { radius_m: 0.2, rules: Some(PassRules { barred, one_way }.into()), ..Traversal::default() }
}

/// A place on a link, or at a point.
fn somewhere(map: &PointGraph, rng: &mut Rng) -> Vec3 {
    let links = map.net().links().len() as u64;
    if links == 0 || rng.unit() < 0.4 {
        return map.net().points()[rng.below(map.net().points().len() as u64) as usize];
    }
    let [a, b] = map.net().places(rng.below(links) as u32);
    a.lerp(b, rng.unit() as f32)
}

/// Whether a place lies on a link, closed or not, or at a point.
fn is_ground(map: &PointGraph, place: Vec3) -> bool {
    let near = |other: Vec3| geom::flat_distance(other, place) <= map.width_m() + 2e-3;
    (0..map.net().links().len() as u32).any(|link| near(spot(map.net(), link, place).point))
        || map.net().points().iter().any(|&point| near(point))
}

/// Law: a way is complete exactly where its goal can be reached, for the same reason if not, and leads over
/// links alone; but who stands within what closes a link may leave it.
#[test]
fn ways_over_changing_links_agree_with_what_can_be_reached_and_keep_to_them() {
    let mut search = Search::default();
    let (mut complete, mut partial) = (0, 0);
    for seed in 0..400 {
        let mut rng = Rng::stream(seed, "starts");
        let mut map = tangle(&mut rng);
        for _ in 0..3 {
            let by = anyone(&map, &mut rng);
            for _ in 0..8 {
                let [start, goal] = [0; 2].map(|_| somewhere(&map, &mut rng));
                let nav = NavMap::from(map.clone());
                let answer = nav.plan(&PathQuery::new(start, goal, by.clone()), &mut search);
                let reach = answer.trouble.map_or(Reach::Yes, Reach::No);
                let asked = map.reach(start, goal, &by);
                assert_eq!(reach, asked, "seed {seed}: {start} to {goal} by {by:?}");
                assert_eq!(answer.status == PathStatus::Complete, reach == Reach::Yes);
                (complete, partial) = match answer.status {
                    PathStatus::Complete => (complete + 1, partial),
                    PathStatus::Partial | PathStatus::None => (complete, partial + 1),
                };
                let is_within = |at: &usize| map.is_within(AreaId::from(*at), start);
                if (0..map.areas.len()).any(|at| is_within(&at)) {
                    continue;
                }
                assert!(!answer.path.points.is_empty(), "seed {seed}: {start} is ground");
                for pair in answer.path.points.windows(2) {
                    for part in 0..=20u8 {
                        let place = pair[0].lerp(pair[1], f32::from(part) / 20.0);
                        assert!(is_ground(&map, place), "seed {seed}: {place} of {start} to {goal}");
                    }
                }
                assert!(by.wrong_way_along(&answer.path.points, map.gate()).is_none(), "seed {seed}");
            }
            let links = map.net().links().len() as u64;
            if links > 0 {
                let ends = map.net().links()[rng.below(links) as usize];
                map.edit(&PointEdit::Unlink { ends }).unwrap();
            }
        }
    }
    assert!(complete > 1500 && partial > 1500, "{complete} complete, {partial} partial");
}
