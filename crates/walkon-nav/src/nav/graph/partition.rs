//! Parts of a graph: grown from a point by walking distance, or all at once.
//!
//! In: a draft, a point and a distance, or a size. Out: the points of a part, or all parts. Holds: distance
//! counts along links; every part is connected; a point belongs to one part at most, the first that took
//! it. Not here: paths between them (`precomputed_routes`). Source: seed 003, "Space Partitioning".

use std::collections::BTreeMap;

use glam::Vec3;

use crate::nav::graph::adjacency::Adjacency;
use crate::nav::graph::dijkstra::Dijkstra;
use crate::nav::graph::editable_graph::{
    EditableGraph, GraphPart, PART_NAME_BYTES_MAX, PARTS_MAX, PointEditError,
};

/// What growing a part came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grown {
    /// Points that it took.
    pub taken: usize,
    /// Points within reach that belong to other parts and stay there.
    pub others: usize,
}

/// Adds all points within a walking distance of a point to a part, which is made when there is none of that
/// name.
///
/// # Errors
/// An unknown point; a new part that has no name or no points, or is one too many. The draft is as it was.
pub fn grow(
    draft: &mut EditableGraph,
    name: &str,
    from: u32,
    within_m: f32,
) -> Result<Grown, PointEditError> {
    draft.point(from)?;
    check_name(name)?;
    let net = Adjacency::new(draft);
    let mut spread = Dijkstra::default();
    // The cast saturates: without limit, everything.
    spread.run(&net, [(from, 0)], (f64::from(within_m) * 1000.0) as u32, |_, _| true);
    let owners = draft.owners();
    let mut parts = draft.parts().to_vec();
    let at = parts.iter().position(|part| part.name == name).unwrap_or_else(|| {
        parts.push(GraphPart { name: name.to_owned(), points: Vec::new() });
        parts.len() - 1
    });
    if parts.len() > PARTS_MAX {
        return Err(PointEditError::Limit { what: "parts", count: parts.len(), limit: PARTS_MAX });
    }
    let mut grown = Grown::default();
    for &point in spread.reached() {
        match owners[point as usize] {
            None => {
                parts[at].points.push(point);
                grown.taken += 1;
            }
            Some(owner) if usize::from(owner) != at => grown.others += 1,
            Some(_) => {}
        }
    }
    if parts[at].points.is_empty() {
        return Err(PointEditError::NoPoints { name: name.to_owned(), others: grown.others });
    }
    draft.set_parts(parts)?;
    Ok(grown)
}

/// Whether a part may be called that.
fn check_name(name: &str) -> Result<(), PointEditError> {
    let what = if name.trim().is_empty() {
        "is empty"
    } else if name.len() > PART_NAME_BYTES_MAX {
        "is too long"
    } else if name.chars().any(char::is_control) {
        "has a control character"
    } else {
        return Ok(());
    };
    Err(PointEditError::Name { what })
}

/// Gives a graph that was made again the parts of the one before: each point belongs to the part of the point
/// that was nearest to it, within a distance. The names of parts that are left without points, which go.
/// Cost: the points around each.
///
/// # Errors
/// None that a draft with parts does not have already.
pub fn carry_parts(
    before: &EditableGraph,
    draft: &mut EditableGraph,
    within_m: f32,
) -> Result<Vec<String>, PointEditError> {
    let cell_m = within_m.max(1e-3);
    let place = |point: Vec3| [point.x, point.z].map(|value| (value / cell_m).floor() as i64);
    let mut known: BTreeMap<[i64; 2], Vec<u32>> = BTreeMap::new();
    for (at, &point) in (0..).zip(before.points()) {
        known.entry(place(point)).or_default().push(at);
    }
    let owners = before.owners();
    let mut points: Vec<Vec<u32>> = vec![Vec::new(); before.parts().len()];
    for (at, &point) in (0..).zip(draft.points()) {
        let [x, z] = place(point);
        let around = (-1..=1).flat_map(|dx| (-1..=1).map(move |dz| [x + dx, z + dz]));
        let near = around.filter_map(|place| known.get(&place)).flatten();
        let ranked = near.map(|&old| (before.points()[old as usize].distance(point), old));
        let nearest = ranked.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let owner =
            nearest.filter(|(away_m, _)| *away_m <= within_m).and_then(|(_, old)| owners[old as usize]);
        if let Some(owner) = owner {
            points[usize::from(owner)].push(at);
        }
    }
    let mut lost = Vec::new();
    let mut parts = Vec::new();
    for (part, points) in before.parts().iter().zip(points) {
        match points.is_empty() {
            true => lost.push(part.name.clone()),
            false => parts.push(GraphPart { name: part.name.clone(), points }),
        }
    }
    draft.set_parts(parts)?;
    Ok(lost)
}

/// Divides all points that belong to no part into parts of about so many points, each grown from the least
/// point left over in order of walking distance; named `1`, `2` and on, past names in use. `progress` hears
/// how many points are done, of how many. Cost: points and links, once for each part.
///
/// # Errors
/// More parts than a graph may have; the draft is as it was.
pub fn divide(
    draft: &mut EditableGraph,
    points_each: usize,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<usize, PointEditError> {
    let net = Adjacency::new(draft);
    let mut taken: Vec<bool> = draft.owners().iter().map(Option::is_some).collect();
    let mut parts = draft.parts().to_vec();
    let (before, mut number) = (parts.len(), 0);
    let mut spread = Dijkstra::default();
    let mut radius_mm = 1000u32;
    for from in 0..draft.points().len() as u32 {
        if taken[from as usize] {
            continue;
        }
        progress(u64::from(from), draft.points().len() as u64);
        // The nearest so many that are free: far enough, then cut.
        let mut near = loop {
            spread.run(&net, [(from, 0)], radius_mm, |_, step| !taken[step.to as usize]);
            let near: Vec<(u32, u32)> = spread.reached().iter().map(|&at| (spread.cost_mm(at), at)).collect();
            if near.len() >= points_each || radius_mm == u32::MAX {
                break near;
            }
            radius_mm = radius_mm.saturating_mul(2);
        };
        near.sort_unstable();
        near.truncate(points_each.max(1));
        radius_mm = near.last().map_or(1000, |last| last.0.max(1000));
        near.iter().for_each(|&(_, at)| taken[at as usize] = true);
        // Bounded: names in use are finite.
        let name = loop {
            number += 1;
            let name = number.to_string();
            if parts.iter().all(|part| part.name != name) {
                break name;
            }
        };
        parts.push(GraphPart { name, points: near.into_iter().map(|(_, at)| at).collect() });
        if parts.len() > PARTS_MAX {
            return Err(PointEditError::Limit { what: "parts", count: parts.len(), limit: PARTS_MAX });
        }
    }
    let made = parts.len() - before;
    draft.set_parts(parts)?;
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nav::graph::editable_graph::EditableGraph;

    /// A corridor bent like a U: its two legs lie a metre apart.
    fn bent() -> EditableGraph {
        let mut points: Vec<Vec3> = (0..20).map(|at| Vec3::new(at as f32, 0.0, 0.0)).collect();
        points.extend((0..20).map(|at| Vec3::new(19.0 - at as f32, 0.0, 1.0)));
        let links: Vec<[u32; 2]> = (0..39).map(|at| [at, at + 1]).collect();
        EditableGraph::new(points, &links, Vec::new()).unwrap()
    }

    #[test]
    fn parts_are_carried_over_to_a_graph_made_again_and_those_without_points_are_named() {
        let row = |first: u8, count: u8| {
            let points = (first..first + count).map(|at| Vec3::new(f32::from(at), 0.0, 0.0)).collect();
            let links: Vec<[u32; 2]> = (1..u32::from(count)).map(|at| [at - 1, at]).collect();
            EditableGraph::new(points, &links, Vec::new()).unwrap()
        };
        let mut before = row(0, 10);
        grow(&mut before, "hall", 0, 2.0).unwrap();
        grow(&mut before, "court", 9, 3.0).unwrap();
        // Made again with two points before all others, and only as far as the middle: every number is
        // another one.
        let points = [-2.0, -1.0, 0.2, 1.1, 2.0, 3.0, 4.0].map(|x| Vec3::new(x, 0.0, 0.0)).to_vec();
        let mut again = EditableGraph::new(points, &[], Vec::new()).unwrap();
        assert_eq!(carry_parts(&before, &mut again, 0.5).unwrap(), ["court"]);
        assert_eq!(again.parts(), [GraphPart { name: "hall".to_owned(), points: vec![2, 3, 4] }]);
        let mut same = row(0, 10);
        assert_eq!(carry_parts(&before, &mut same, 0.5).unwrap(), Vec::<String>::new());
        assert_eq!(same, before);
    }

    #[test]
    fn seed_v17_the_far_leg_of_a_bent_corridor_is_not_included() {
        let mut draft = bent();
        let grown = grow(&mut draft, "west", 0, 5.0).unwrap();
        assert_eq!(
            (grown, &draft.parts()[0].points),
            (Grown { taken: 6, others: 0 }, &vec![0, 1, 2, 3, 4, 5])
        );
        let again = grow(&mut draft, "middle", 7, 3.0).unwrap();
        assert_eq!(again, Grown { taken: 5, others: 2 }, "two belong to the west already");
        assert_eq!(grow(&mut draft, "west", 39, 1.0).unwrap().taken, 2, "a part can be added to");
        assert_eq!(draft.parts()[0].points, [0, 1, 2, 3, 4, 5, 38, 39]);
    }

    #[test]
    fn a_part_without_a_name_or_without_points_is_refused_and_nothing_changes() {
        let mut draft = bent();
        grow(&mut draft, "west", 0, 5.0).unwrap();
        let before = draft.clone();
        let long = "x".repeat(129);
        let names = [
            ("", "is empty"),
            ("  ", "is empty"),
            (long.as_str(), "is too long"),
            ("a\nb", "has a control character"),
        ];
        for (name, what) in names {
            for from in [0, 20] {
                assert_eq!(grow(&mut draft, name, from, 3.0), Err(PointEditError::Name { what }), "{name:?}");
                assert_eq!(draft, before);
            }
        }
        for (from, within_m, others) in [(0, 0.0, 1), (2, 0.9, 1), (2, 3.0, 6)] {
            let error = grow(&mut draft, "a", from, within_m).unwrap_err();
            assert_eq!(error, PointEditError::NoPoints { name: "a".to_owned(), others }, "{from} {within_m}");
            assert_eq!(draft, before);
        }
        // One more metre finds a point that is free. A part that has points need not find another.
        assert_eq!(grow(&mut draft, "a", 2, 4.0).unwrap(), Grown { taken: 1, others: 6 });
        assert_eq!(grow(&mut draft, "a", 0, 0.0).unwrap(), Grown { taken: 0, others: 1 });
        assert_eq!(grow(&mut draft, &"x".repeat(128), 20, 0.0).unwrap().taken, 1);
    }

    #[test]
    fn dividing_gives_every_point_one_part_that_hangs_together() {
        let mut draft = bent();
        grow(&mut draft, "2", 10, 2.0).unwrap();
        divide(&mut draft, 8, &mut |_, _| {}).unwrap();
        let owners = draft.owners();
        assert!(owners.iter().all(Option::is_some));
        let names: Vec<&str> = draft.parts().iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names[..3], ["2", "1", "3"]);
        for part in draft.parts() {
            assert!(part.points.windows(2).all(|pair| pair[1] == pair[0] + 1), "{part:?}");
            assert!(part.points.len() <= 8);
        }
    }
}
