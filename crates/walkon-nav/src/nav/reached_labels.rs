//! Reachability for random points, by the labels of connected ground.
//!
//! In: a place and a body, the labels of the place. Out: whether the ground of a label is reached. Holds:
//! where areas have a direction, labels are of the ground between them, which is reached as a whole or not at
//! all; then each label is looked up once, when it is first needed. Not here: labels, points (each kind of
//! map).

use std::cell::RefCell;
use std::collections::BTreeMap;

use glam::Vec3;

use crate::base::ordered::CollectOrdered;
use crate::nav::smooth::Effort;
use crate::nav::{Backend, Reach, Traversal};

/// What can be reached from a place.
pub(crate) struct ReachedLabels {
    known: RefCell<BTreeMap<u32, bool>>,
    /// From where, by whom, where labels alone do not tell.
    asked: Option<(Vec3, Traversal)>,
}

impl ReachedLabels {
    /// What a body can reach from a place, which has the labels `own`.
    pub(crate) fn new(from: Vec3, by: &Traversal, own: impl IntoIterator<Item = u32>) -> Self {
        let asked = (!by.one_way().is_empty()).then(|| (from, by.clone()));
        let own = own.into_iter().filter(|_| asked.is_none());
        Self { known: own.map(|label| (label, true)).collect_map().into(), asked }
    }

    /// Whether what has a label is reached, to which a place belongs. Cost: a question to the map for a new
    /// label, where areas have a direction.
    pub(crate) fn holds(
        &self,
        label: u32,
        map: &impl Backend,
        place: impl FnOnce() -> Vec3,
        effort: &Effort,
    ) -> bool {
        let Some((from, by)) = &self.asked else {
            return self.known.borrow().contains_key(&label);
        };
        *self.known.borrow_mut().entry(label).or_insert_with(|| {
            let (reach, looked) = map.reach_counted(*from, place(), by);
            effort.add_expansions(looked);
            reach == Reach::Yes
        })
    }
}
