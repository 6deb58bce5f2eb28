//! All behaviours side by side, in the order of their characters, for the calls of a tick.
//!
//! In: owners and instances, whenever they change. Out: which `update`s are due, in rows that the VM calls
//! one after another. Holds: it is made again whenever an owner begins or ends to run, so a row that is found
//! is there. Not here: the calls (`step::schedule`), what else of a behaviour is due (`runtime`).

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use mlua::Table;

use crate::base::time::TickNumber;
use crate::script::state::behaviours::Behaviours;
use crate::script::state::call_memory::CallMemory;
use crate::script::state::owners::Owners;
use crate::world::owner::Owner;

/// One behaviour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RosterRow {
    pub(crate) owner: Owner,
    /// The number of its character.
    serial: u32,
    every_ticks: u64,
    has_update: bool,
    pub(crate) has_tree: bool,
    /// Whether it runs at all: it does not stand still, and its character is there.
    pub(crate) is_free: bool,
    pub(crate) run_again: Option<TickNumber>,
}

impl RosterRow {
    /// Whether a behaviour that runs every so many ticks has its turn.
    fn is_due(&self, now: TickNumber) -> bool {
        self.every_ticks == 1 || (now.0 + u64::from(self.serial)).is_multiple_of(self.every_ticks)
    }

    /// Whether `update` is due.
    pub(crate) fn updates_at(&self, now: TickNumber) -> bool {
        self.has_update && self.is_due(now)
    }

    /// Whether its tree has its turn.
    pub(crate) fn ticks_tree_at(&self, now: TickNumber) -> bool {
        self.has_tree && self.is_due(now)
    }
}

/// The `update`s and the `self`s of all rows, as lists of the VM.
#[derive(Clone, Debug)]
pub(crate) struct UpdateLists {
    pub(crate) updates: Table,
    pub(crate) selves: Table,
    /// What each call reads first, by row, once it was looked at; none where no behaviour reads anything
    /// of its `self`.
    pub(crate) memory: Option<Rc<[Cell<CallMemory>]>>,
}

/// One `update` that is due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DueUpdate {
    pub(crate) row: u32,
    pub(crate) every_ticks: u64,
}

/// All behaviours.
#[derive(Debug, Default)]
pub(crate) struct Roster {
    rows: Vec<RosterRow>,
    owners: Rc<[Owner]>,
    /// None until they are asked for.
    lists: Option<UpdateLists>,
    /// Changes of owners that it was made after.
    made_after: u64,
    /// `update`s that are due in this tick, in order.
    due: Vec<DueUpdate>,
    /// Call each alone, for the law that this changes nothing.
    #[cfg(test)]
    pub(crate) is_one_by_one: bool,
}

impl Roster {
    /// Makes it again if anything has changed.
    pub(crate) fn refresh(&mut self, owners: &Owners, behaviours: &Behaviours) {
        if self.is_fresh(owners) {
            return;
        }
        let rows = behaviours.in_order().filter_map(|(serial, owner)| {
            let (class, record) = (&behaviours.get(owner)?.class, owners.get(owner)?);
            Some(RosterRow {
                owner,
                serial,
                every_ticks: class.update_every_ticks,
                has_update: class.update.is_some(),
                has_tree: class.tree.is_some(),
                is_free: !owners.is_paused(owner),
                run_again: record.run_again(),
            })
        });
        self.rows = rows.collect();
        self.owners = self.rows.iter().map(|row| row.owner).collect();
        self.lists = None;
        self.made_after = owners.changes();
    }

    /// Whether nothing has changed since it was made.
    pub(crate) fn is_fresh(&self, owners: &Owners) -> bool {
        self.made_after == owners.changes()
    }

    /// Whether `update`s may be called in a row.
    pub(crate) fn calls_in_rows(&self) -> bool {
        #[cfg(test)]
        return !self.is_one_by_one;
        #[cfg(not(test))]
        true
    }

    pub(crate) fn rows(&self) -> &[RosterRow] {
        &self.rows
    }

    /// Whose each row is.
    pub(crate) fn owners(&self) -> &Rc<[Owner]> {
        &self.owners
    }

    pub(crate) fn lists(&self) -> Option<UpdateLists> {
        self.lists.clone()
    }

    pub(crate) fn set_lists(&mut self, lists: UpdateLists) {
        self.lists = Some(lists);
    }

    /// A new tick: the `update`s that are due will be given to [`Roster::add_due`].
    pub(crate) fn clear_due(&mut self) {
        self.due.clear();
    }

    /// The `update` of a row is due; its place among those that are.
    pub(crate) fn add_due(&mut self, row: usize) -> u32 {
        let every_ticks = self.rows.get(row).map_or(1, |row| row.every_ticks);
        self.due.push(DueUpdate { row: row as u32, every_ticks });
        self.due.len() as u32 - 1
    }

    /// The `update`s that are due at these places.
    pub(crate) fn due(&self, places: Range<u32>) -> &[DueUpdate] {
        self.due.get(places.start as usize..places.end as usize).unwrap_or_default()
    }

    /// Whose the `update` at a place is.
    pub(crate) fn owner_at(&self, place: u32) -> Owner {
        let row = self.due.get(place as usize).map_or(usize::MAX, |due| due.row as usize);
        self.owners.get(row).copied().unwrap_or(Owner::HOST)
    }
}
