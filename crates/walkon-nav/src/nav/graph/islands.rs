//! Islands: the connected groups of points of a graph.
//!
//! In: a draft, or a map. Out: the groups of a draft, largest first, each with its size, its box and one of
//! its points; the draft without the small ones, or with a link that joins one to the main group; the groups
//! that each closed area of a map keeps apart. Not here: pictures of them. Source: seed 003, "Island
//! Detection".

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use crate::base::ids::AreaId;
use crate::base::ordered::{self, CollectOrdered};
use crate::nav::Traversal;
use crate::nav::graph::connected_components::labels;
use crate::nav::graph::editable_graph::{EditableGraph, PointEdit};
use crate::nav::graph::map::PointGraph;

/// Points that are linked with one another, directly or over others.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedGroup {
    /// Its points, sorted.
    pub points: Vec<u32>,
    /// The least corner of the box around it, world metres.
    pub min: Vec3,
    /// The greatest corner.
    pub max: Vec3,
}

/// The groups of a graph, largest first, then by least point: the first is the main group, the others are
/// islands. Cost: points and links.
#[must_use]
pub fn groups(draft: &EditableGraph) -> Vec<LinkedGroup> {
    let labels = labels(draft.points().len(), draft.links());
    let mut groups: Vec<LinkedGroup> = Vec::new();
    let mut of_label: Vec<Option<usize>> = vec![None; labels.len()];
    for (at, (&label, &point)) in (0..).zip(labels.iter().zip(draft.points())) {
        let group = *of_label[label as usize].get_or_insert_with(|| {
            groups.push(LinkedGroup { points: Vec::new(), min: point, max: point });
            groups.len() - 1
        });
        let group = &mut groups[group];
        group.points.push(at);
        (group.min, group.max) = (group.min.min(point), group.max.max(point));
    }
    ordered::sort_by_key(&mut groups, |group| (std::cmp::Reverse(group.points.len()), group.points[0]));
    groups
}

/// Takes away all groups but the main one that have at most so many points; how many points went.
pub fn remove_islands(draft: &mut EditableGraph, points_max: usize) -> usize {
    let islands = groups(draft).into_iter().skip(1).filter(|group| group.points.len() <= points_max);
    let gone: BTreeSet<u32> = islands.flat_map(|group| group.points).collect_set();
    draft.remove_all(&gone);
    gone.len()
}

/// Takes away one island: the `number`th of the groups after the main one, from 1. How many points went; None
/// when there is no such island.
pub fn remove_island(draft: &mut EditableGraph, number: usize) -> Option<usize> {
    let gone = groups(draft).into_iter().nth(number).filter(|_| number > 0)?;
    let gone: BTreeSet<u32> = gone.points.into_iter().collect_set();
    draft.remove_all(&gone);
    Some(gone.len())
}

/// The link that joins an island to the main group: the shortest one, ties to the lower points. None for a
/// graph in one piece. Cost: the product of their sizes.
#[must_use]
pub fn stitch(draft: &EditableGraph, island: &LinkedGroup, main: &LinkedGroup) -> Option<PointEdit> {
    let points = draft.points();
    let mut best: Option<(f32, [u32; 2])> = None;
    for &a in &island.points {
        for &b in &main.points {
            let offer = (points[a as usize].distance_squared(points[b as usize]), [a, b]);
            if best.is_none_or(|best| offer.0 < best.0) {
                best = Some(offer);
            }
        }
    }
    best.map(|(_, ends)| PointEdit::Link { ends })
}

/// Points of a map that open links connect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphIsland {
    /// How many points.
    pub points: u32,
    /// The first of them that lies outside the area that was asked about.
    pub at: Vec3,
}

/// What each area keeps apart that is not available: the pieces of the map that would be connected if it
/// alone were open, the largest first, for each place where it would join some. Pieces that lie within the
/// area do not count. Cost: points and links.
#[must_use]
pub fn kept_apart(map: &PointGraph) -> BTreeMap<AreaId, Vec<Vec<GraphIsland>>> {
    let own = map.labels(&Traversal::default());
    let mut links: BTreeMap<AreaId, Vec<[u32; 2]>> = BTreeMap::new();
    for (link, ends) in (0u32..).zip(map.net().links()) {
        if let Some(area) = map.closed_by(link) {
            links.entry(area).or_default().push(ends.map(|end| own[end as usize]));
        }
    }
    let pieces = pieces_of(map, &own);
    let kept = links.into_iter().map(|(area, joints)| (area, joined(&joints, area, &pieces)));
    kept.filter(|(_, groups)| !groups.is_empty()).collect_map()
}

/// A piece as far as any area needs to know it: its size, its first point and the first that lies in another
/// area than that.
struct KnownIslands {
    points: u32,
    samples: Vec<(Option<AreaId>, Vec3)>,
}

/// The pieces of a map by their labels.
fn pieces_of(map: &PointGraph, labels: &[u32]) -> BTreeMap<u32, KnownIslands> {
    let mut pieces: BTreeMap<u32, KnownIslands> = BTreeMap::new();
    for ((at, &label), &point) in (0u32..).zip(labels).zip(map.net().points()) {
        let piece = pieces.entry(label).or_insert(KnownIslands { points: 0, samples: Vec::new() });
        piece.points += 1;
        let area = map.area_of_point(at);
        if piece.samples.len() < 2 && piece.samples.iter().all(|sample| sample.0 != area) {
            piece.samples.push((area, point));
        }
    }
    pieces
}

/// The pieces that links between labels join, in groups of two or more that reach out of an area.
fn joined(joints: &[[u32; 2]], area: AreaId, pieces: &BTreeMap<u32, KnownIslands>) -> Vec<Vec<GraphIsland>> {
    let mut numbers: BTreeMap<u32, u32> = joints.iter().flatten().map(|&label| (label, 0)).collect_map();
    (0..).zip(numbers.values_mut()).for_each(|(at, number)| *number = at);
    let among = labels(numbers.len(), joints.iter().map(|ends| ends.map(|label| numbers[&label])));
    let mut groups: BTreeMap<u32, Vec<GraphIsland>> = BTreeMap::new();
    for (&label, &group) in numbers.keys().zip(&among) {
        let known = &pieces[&label];
        if let Some(&(_, at)) = known.samples.iter().find(|sample| sample.0 != Some(area)) {
            groups.entry(group).or_default().push(GraphIsland { points: known.points, at });
        }
    }
    let mut groups: Vec<Vec<GraphIsland>> = groups.into_values().filter(|group| group.len() > 1).collect();
    groups.iter_mut().for_each(|group| ordered::sort_by_key(group, |piece| std::cmp::Reverse(piece.points)));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planted() -> EditableGraph {
        let place = |at: usize| Vec3::new(at as f32, (at / 10) as f32, 0.0);
        let links: Vec<[u32; 2]> = (0..9u32)
            .map(|at| [at, at + 1])
            .chain((10..13).map(|at| [at, at + 1]))
            .chain([[20, 21]])
            .collect();
        let points = (0..10).chain(10..14).chain(14..15).map(place).collect::<Vec<_>>();
        // 0..10 the main group, 10..14 and 14 alone and two more.
        let mut points = points;
        points.extend([place(30), place(31), place(33), place(34), place(35), place(40), place(41)]);
        EditableGraph::new(points, &links, Vec::new()).unwrap()
    }

    #[test]
    fn seed_v11_planted_islands_are_found_largest_first() {
        let draft = planted();
        let found = groups(&draft);
        let sizes: Vec<usize> = found.iter().map(|group| group.points.len()).collect();
        assert_eq!(sizes, [10, 4, 2, 1, 1, 1, 1, 1, 1]);
        assert_eq!((found[1].min, found[1].max), (Vec3::new(10.0, 1.0, 0.0), Vec3::new(13.0, 1.0, 0.0)));
        assert_eq!(found.iter().map(|group| group.points.len()).sum::<usize>(), draft.points().len());
    }

    #[test]
    fn seed_v12_removing_leaves_one_group_and_one_link_joins_two() {
        let mut draft = planted();
        let found = groups(&draft);
        let edit = stitch(&draft, &found[1], &found[0]).unwrap();
        assert_eq!(edit, PointEdit::Link { ends: [10, 9] });
        draft.apply(&edit).unwrap();
        assert_eq!(groups(&draft).len(), found.len() - 1);
        assert_eq!((remove_island(&mut draft, 0), remove_island(&mut draft, 9)), (None, None));
        assert_eq!(remove_island(&mut draft, 2), Some(1));
        assert_eq!(remove_islands(&mut draft, 1), 5);
        assert_eq!(groups(&draft).len(), 2);
        assert_eq!(remove_islands(&mut draft, usize::MAX), 2);
        assert_eq!(groups(&draft).len(), 1);
    }
}
