//! Columns over all characters that take up room, for steps 8 and 9 of one tick.
//!
//! Holds: one row for each, in order of creation; nothing in here outlasts the tick but the buffers, so none
//! of it is part of the state. Not here: what is done with them (`sim::avoid`, `sim::integrate`).

use glam::{Vec2, Vec3};
use slotmap::Key;

use crate::base::ids::{CharacterId, GenerationalKey};
use crate::base::spatial_hash::SpatialHash;
use crate::crowd::avoid::{Avoider, Walker};
use crate::crowd::resolve::{self, Resolver};
use crate::nav::Traversal;
use crate::world::character::Characters;

/// A number for each of some characters. Default: for nobody. Cheaper to fill every tick than a map of keys.
#[derive(Clone, Debug, Default)]
pub struct RowNumbers {
    /// By place of the character: ids that are in use at a time differ in it, and it is less than most there
    /// have ever been.
    slots: Vec<(CharacterId, u32)>,
}

impl RowNumbers {
    /// The number of a character.
    #[must_use]
    #[inline]
    pub fn get(&self, id: CharacterId) -> Option<u32> {
        self.slots.get(id.place()).filter(|(own, _)| *own == id).map(|&(_, number)| number)
    }

    /// Gives a character a number; the one that had the slot before loses its number.
    #[inline]
    pub fn insert(&mut self, id: CharacterId, number: u32) {
        let slot = id.place();
        if slot >= self.slots.len() {
            self.slots.resize(slot + 1, (CharacterId::null(), 0));
        }
        self.slots[slot] = (id, number);
    }

    /// Forgets every character and keeps the buffer.
    pub fn clear(&mut self) {
        self.slots.clear();
    }
}

/// The characters that take up room in this tick.
#[derive(Clone, Debug, Default)]
pub struct CrowdColumns {
    /// The characters.
    pub ids: Vec<CharacterId>,
    /// The row of each.
    pub rows: RowNumbers,
    /// The kind of ground under each (`sim::ground_queries`).
    pub kinds: Vec<u32>,
    /// What the kinds are.
    pub known: Vec<Traversal>,
    /// The move of each that is under way.
    pub movers: RowNumbers,
    /// As avoidance sees them.
    pub walkers: Vec<Walker>,
    /// The velocity that avoidance gives each, metres a second.
    pub velocities: Vec<Vec2>,
    /// Where each began the tick.
    pub began: Vec<Vec2>,
    /// As pushing sees them.
    pub columns: resolve::Bodies,
    /// Chooses velocities.
    pub avoider: Avoider,
    /// Pushes apart.
    pub resolver: Resolver,
    /// Every character by place after the pushes, where one is held up.
    pub after: SpatialHash,
}

/// Floors further apart than this lie above one another, metres: as for pushes (`PushSettings::storey_m`).
const STOREY_M: f32 = 1.5;

impl CrowdColumns {
    /// Where a character is in the world. Among bodies each layer of the map is a storey of its own.
    pub(crate) fn place_of(&self, characters: &Characters, row: u32) -> Vec3 {
        let mut place = self.columns.position(row as usize);
        // Most are on the lowest layer: nothing is read of them.
        let layer = self.known.get(self.kinds[row as usize] as usize).map_or(0, |kind| kind.layer);
        if layer > 0
            && let Some(character) = characters.get(self.ids[row as usize])
        {
            place.y = character.body.position.y;
        }
        place
    }

    /// Whether two characters stand on one floor.
    pub(crate) fn are_level(&self, one: u32, other: u32) -> bool {
        self.is_level_with(one, self.columns.floors_m[other as usize])
    }

    /// Whether a character stands on the floor of a place at a height, metres.
    pub(crate) fn is_level_with(&self, row: u32, height_m: f32) -> bool {
        (self.columns.floors_m[row as usize] - height_m).abs() < STOREY_M
    }

    /// Forgets every character and keeps the buffers.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.rows.clear();
        self.movers.clear();
        self.kinds.clear();
        self.known.clear();
        self.walkers.clear();
        self.velocities.clear();
        self.began.clear();
        self.columns.clear();
    }
}

#[cfg(test)]
mod tests {
    use slotmap::SlotMap;

    use super::*;

    #[test]
    fn a_row_belongs_to_whom_it_was_given_and_not_to_who_has_the_slot_next() {
        let mut people: SlotMap<CharacterId, ()> = SlotMap::with_key();
        let [first, second] = [people.insert(()), people.insert(())];
        let mut rows = RowNumbers::default();
        rows.insert(second, 7);
        assert_eq!((rows.get(first), rows.get(second)), (None, Some(7)));
        people.remove(second);
        let third = people.insert(());
        assert_eq!(third.place(), second.place(), "the slot is used again");
        assert_eq!(rows.get(third), None);
        rows.insert(third, 8);
        assert_eq!((rows.get(second), rows.get(third)), (None, Some(8)));
        rows.clear();
        assert_eq!(rows.get(third), None);
    }
}
