//! The numbers of areas after an edit of the level.
//!
//! In: which number an old area has now. Out: walks and requests that mean the same areas as before. Holds:
//! an area is known by its name; references of walks and requests to an area that is gone are dropped, and
//! nobody wanders anywhere else than before. Not here: doors, whose areas the new level names; watches of
//! areas that are gone, which end (`level_reload`).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::ids::AreaId;
use crate::base::ordered;
use crate::nav::{PassRules, Traversal};
use crate::world::World;
use crate::world::walk::{Following, Walk};
use crate::world::walk_mode::WalkMode;

/// An area that no map has.
const NOWHERE: AreaId = AreaId(u32::MAX);

/// Which number an old area has now, for those that are still there.
#[derive(Debug, Default)]
pub(super) struct AreaNumbers {
    now_by_old: BTreeMap<AreaId, AreaId>,
}

impl AreaNumbers {
    /// Takes note of the number that an old area has now.
    pub(super) fn note(&mut self, old: AreaId, now: AreaId) {
        self.now_by_old.insert(old, now);
    }

    /// Gives an area its new number; false when it is gone.
    pub(super) fn follow(&self, area: &mut AreaId) -> bool {
        self.now_by_old.get(area).map(|now| *area = *now).is_some()
    }

    /// Gives all areas their new numbers, wherever walks and requests for paths name them.
    pub(super) fn renumber(&self, world: &mut World) {
        world.walks.iter_mut().for_each(|walk| self.renumber_walk(walk));
        world.paths.requests.change_askers(|asker| self.renumber_asker(asker));
    }

    fn renumber_walk(&self, walk: &mut Walk) {
        let backing_out = walk.backing_out.as_mut().map(|backing_out| &mut backing_out.way);
        walk.following.iter_mut().chain(backing_out).for_each(|following| self.renumber_way(following));
        walk.options.areas = self.renumbered(walk.options.areas.take());
        if let WalkMode::Wander(wander) = &mut walk.mode
            && let Some(area) = &mut wander.area
            && !self.follow(area)
        {
            // It finds no next point, and ends as blocked.
            *area = NOWHERE;
        }
    }

    fn renumber_way(&self, following: &mut Following) {
        following.path.change(|path| path.crossings.retain_mut(|crossing| self.follow(&mut crossing.area)));
    }

    fn renumber_asker(&self, asker: &mut Traversal) {
        asker.areas = self.renumbered(asker.areas.take());
        asker.through = self.renumbered(asker.through.take());
        asker.rules = asker.rules.take().and_then(|rules| self.renumbered_rules(&rules));
    }

    fn renumbered_rules(&self, rules: &PassRules) -> Option<Arc<PassRules>> {
        let mut rules = rules.clone();
        rules.barred.retain_mut(|area| self.follow(area));
        ordered::sort_by_key(&mut rules.barred, |area| *area);
        rules.one_way.retain_mut(|one_way| self.follow(&mut one_way.area));
        let is_empty = rules.barred.is_empty() && rules.one_way.is_empty();
        (!is_empty).then(|| Arc::new(rules))
    }

    /// The same list about the areas that are still there, in the order of their new numbers; none when that
    /// is nothing.
    fn renumbered<T: Copy>(&self, list: Option<Arc<[(AreaId, T)]>>) -> Option<Arc<[(AreaId, T)]>> {
        let mut list = list?.to_vec();
        list.retain_mut(|(area, _)| self.follow(area));
        ordered::sort_by_key(&mut list, |(area, _)| *area);
        (!list.is_empty()).then(|| Arc::from(list))
    }
}
