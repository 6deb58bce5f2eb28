//! Finds the first closed door on the way over links from one place to another.
//!
//! In: layers, two places, a body. Out: an area. Holds: the way is one with the fewest closed doors, with or
//! without links; if there are several, one that leads over the fewest parts of ground. Method: the parts of
//! connected ground and the doors of all layers are the nodes of one graph; its edges are contacts and links.
//! Not here: doors of one layer (`cells::doors`).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::base::ids::AreaId;
use crate::nav::cells::{CellView, DoorPlace};
use crate::nav::layers::Layers;
use crate::nav::links::Hop;
use crate::nav::{LayerPoint, Traversal};

/// A part of a layer.
type LayerPlace = (u8, DoorPlace);

impl Layers {
    /// The first area that would have to be opened for a body, whose `views` these are. None where there is
    /// no way, or one without doors.
    pub(crate) fn first_door_between(
        &self,
        views: &[CellView],
        by: &Traversal,
        [start, goal]: [LayerPoint; 2],
    ) -> Option<AreaId> {
        let doors = |layer: u8| Some(&views.get(usize::from(layer))?.walkability.doors);
        let place_of = |at: LayerPoint| -> Option<LayerPlace> {
            let labels = &views.get(usize::from(at.layer))?.walkability.labels;
            Some((at.layer, doors(at.layer)?.place(labels, self.cell(at)?)?))
        };
        let known = by.through.as_deref().unwrap_or(&[]);
        let closed = |(layer, place): LayerPlace| {
            let area = doors(layer)?.area(place)?;
            known.binary_search_by_key(&area, |entry| entry.0).is_err().then_some(area)
        };
        let (start, goal) = (place_of(start)?, place_of(goal)?);
        let ends = |hop: Hop| place_of(hop.from).zip(place_of(hop.to));
        let hops: Vec<(LayerPlace, LayerPlace)> = self.hops(by.actions).filter_map(ends).collect();
        // From the goal, so that each part knows the next one on the way.
        let mut next: BTreeMap<LayerPlace, LayerPlace> = BTreeMap::new();
        let mut open = BinaryHeap::from([Reverse((u32::from(closed(goal).is_some()), 0_u32, goal, goal))]);
        // Bounded by what touches and by the links: each is offered once from either side.
        while let Some(Reverse((opens, parts, at, towards))) = open.pop() {
            if next.contains_key(&at) {
                continue;
            }
            next.insert(at, towards);
            if at == start {
                break;
            }
            let beside =
                doors(at.0).into_iter().flat_map(|doors| doors.beside(at.1)).map(|place| (at.0, place));
            let before = hops.iter().filter(|hop| hop.1 == at).map(|hop| hop.0);
            for beyond in beside.chain(before).filter(|beyond| !next.contains_key(beyond)) {
                let is_more = closed(beyond).is_some_and(|area| closed(at) != Some(area));
                open.push(Reverse((opens + u32::from(is_more), parts + 1, beyond, at)));
            }
        }
        let mut at = start;
        // Bounded by the parts: the last one is its own next.
        loop {
            let towards = *next.get(&at)?;
            match closed(at) {
                Some(area) => return Some(area),
                None if towards == at => return None,
                None => at = towards,
            }
        }
    }
}
