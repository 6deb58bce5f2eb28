//! Verbs about watches: make, switch, remove.
//!
//! In: shapes, filters, owners. Out: ids of watches. Holds: a watch looks for the first time in the next step
//! 11; one that is removed tells nothing more. Not here: looking (`sim::regions`).

use crate::world::World;
use crate::world::event::Fact;
use crate::world::owner::Owner;
use crate::world::region::{CrossingKind, Edge, Filter, Watch, WatchId, WatchShape};

/// A watch to be.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchOrder {
    /// On whose behalf.
    pub owner: Owner,
    /// What to look at.
    pub ground: WatchShape,
    /// The characters that count.
    pub filter: Filter,
    /// Which part of a body counts.
    pub edge: Edge,
    /// Report those already inside.
    pub report_initial: bool,
}

/// Begins to watch; it looks for the first time in the next step 11.
pub fn watch(world: &mut World, order: WatchOrder) -> WatchId {
    world.triggers.watches_made += 1;
    let serial = world.triggers.watches_made;
    let placed_before = world.characters.displacements();
    world.triggers.watches.insert(Watch {
        serial,
        owner: order.owner,
        ground: order.ground,
        filter: order.filter,
        edge: order.edge,
        enabled: true,
        report_initial: order.report_initial,
        fresh: Some(CrossingKind::Initial),
        placed_before,
        inside: Default::default(),
        looked: world.clock.tick,
    })
}

/// Switches a watch on: those inside by then enter as `enabled`. It waits for its look from now on, like one
/// that is made now.
pub fn enable(world: &mut World, id: WatchId) {
    if let Some(watch) = world.triggers.watches.get_mut(id)
        && !std::mem::replace(&mut watch.enabled, true)
    {
        watch.fresh = Some(CrossingKind::Enabled);
        watch.looked = world.clock.tick;
    }
}

/// Switches a watch off: every character inside leaves as `disabled`.
pub fn disable(world: &mut World, id: WatchId) {
    let Some(watch) = world.triggers.watches.get_mut(id) else {
        return;
    };
    if std::mem::replace(&mut watch.enabled, false) {
        for character in std::mem::take(&mut watch.inside).into_values() {
            world.events.push(Fact::WatchLeft { watch: id, character, how: CrossingKind::Disabled });
        }
    }
}

/// Ends all watches of an owner without a word.
pub fn end_owner(world: &mut World, owner: Owner) {
    world.triggers.end_owner(owner);
    world.senses.end_owner(owner);
}

/// Ends a watch without a word; false when it is over already.
pub fn remove(world: &mut World, id: WatchId) -> bool {
    world.triggers.watches.remove(id).is_some()
}
