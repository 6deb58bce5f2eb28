//! Links in groups with the sums of their lengths, to draw a random place in proportion to length.
//!
//! In: points, links, the set of areas across each. Out: groups of links; the place at a distance along a
//! group. Holds: all links of a group cross the same areas and are connected, so a body that can walk one of
//! them can walk them all. Groups are in order of their first links, and links in order of their numbers.
//! The numbers of the sets do not matter. Cost: the points and n log n over the links, once; a binary search
//! for a place. Not here: whether a body may walk a group (`map`).

use std::collections::BTreeMap;
use std::ops::Range;

use glam::Vec3;

use crate::base::disjoint_sets::DisjointSets;
use crate::base::ordered;
use crate::nav::graph::adjacency::Adjacency;

/// Connected links that cross the same areas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LinkGroup {
    /// The number of the set of areas across each of them.
    pub(crate) set: u32,
    /// A point that one of them begins at.
    pub(crate) point: u32,
    /// Length of all of them, metres.
    pub(crate) length_m: f64,
    /// Where they begin in the list of links.
    first: u32,
    end: u32,
}

impl LinkGroup {
    fn range(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// The links of a graph in groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LinkLengths {
    groups: Vec<LinkGroup>,
    /// Group by group.
    links: Vec<u32>,
    /// By link of that list: metres from the beginning of its group to its end.
    ends_m: Vec<f64>,
}

impl LinkLengths {
    /// Groups the links of a net, given the number of the set of areas across each.
    pub(crate) fn new(net: &Adjacency, set_of: &[u32]) -> Self {
        let group_of = group(net, set_of);
        let count = group_of.iter().max().map_or(0, |&last| last as usize + 1);
        let mut first = vec![0_u32; count + 1];
        group_of.iter().for_each(|&group| first[group as usize + 1] += 1);
        (0..count).for_each(|group| first[group + 1] += first[group]);
        let mut next = first.clone();
        let mut links = vec![0; group_of.len()];
        for (link, &group) in (0..).zip(&group_of) {
            links[next[group as usize] as usize] = link;
            next[group as usize] += 1;
        }
        let mut ends_m = Vec::with_capacity(links.len());
        let mut groups = Vec::with_capacity(count);
        for ends in first.windows(2) {
            let mut length_m = 0.0;
            for &link in &links[ends[0] as usize..ends[1] as usize] {
                let [a, b] = net.places(link);
                length_m += f64::from(a.distance(b));
                ends_m.push(length_m);
            }
            let link = links[ends[0] as usize] as usize;
            let (set, point) = (set_of[link], net.links()[link][0]);
            groups.push(LinkGroup { set, point, length_m, first: ends[0], end: ends[1] });
        }
        Self { groups, links, ends_m }
    }

    pub(crate) fn groups(&self) -> &[LinkGroup] {
        &self.groups
    }

    /// The links of a group.
    #[cfg(test)]
    pub(crate) fn links_of(&self, group: &LinkGroup) -> &[u32] {
        &self.links[group.range()]
    }

    /// The place that lies so far along the links of a group, one after another; the end of the last one at
    /// the most.
    pub(crate) fn place(&self, net: &Adjacency, group: &LinkGroup, along_m: f64) -> Option<Vec3> {
        let ends_m = &self.ends_m[group.range()];
        let at = ends_m.partition_point(|&end_m| end_m < along_m).min(ends_m.len().checked_sub(1)?);
        let begins_m = at.checked_sub(1).map_or(0.0, |before| ends_m[before]);
        let [a, b] = net.places(self.links[group.first as usize + at]);
        let length_m = ends_m[at] - begins_m;
        let part = if length_m > 0.0 { ((along_m - begins_m) / length_m).clamp(0.0, 1.0) } else { 0.0 };
        Some(a.lerp(b, part as f32))
    }
}

/// The number of the group of each link, in order of first links.
fn group(net: &Adjacency, set_of: &[u32]) -> Vec<u32> {
    let mut by_set: Vec<u32> = (0..net.links().len() as u32).collect();
    ordered::sort_by_key(&mut by_set, |&link| set_of[link as usize]);
    // Of every link the point that all of its group share, for each set by itself.
    let mut joined = DisjointSets::new(net.points().len());
    let mut shared = vec![0; by_set.len()];
    for alike in by_set.chunk_by(|&one, &other| set_of[one as usize] == set_of[other as usize]) {
        let ends = || alike.iter().map(|&link| net.links()[link as usize]);
        ends().for_each(|[a, b]| joined.join(a, b));
        for (&link, [a, _]) in alike.iter().zip(ends()) {
            shared[link as usize] = joined.lowest(a);
        }
        ends().flatten().for_each(|point| joined.part(point));
    }
    number(&shared, set_of)
}

/// Numbers groups in order of their first links. Links are of one group if they have the same set and share
/// the same point.
fn number(shared: &[u32], set_of: &[u32]) -> Vec<u32> {
    let mut numbers = BTreeMap::new();
    let group = |(&set, &point)| {
        let next = numbers.len() as u32;
        *numbers.entry((set, point)).or_insert(next)
    };
    set_of.iter().zip(shared).map(group).collect()
}
