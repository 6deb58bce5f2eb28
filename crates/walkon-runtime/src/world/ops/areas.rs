//! Verbs about areas: availability and cost. The map changes in step 5, once for all edits of a tick.
//!
//! In: an area, a state or a factor. Out: whether it changed; an edit for step 5. Holds: the area of a door
//! moves its door. Not here: rebuilding the map (`sim::edits`).

use std::ops::RangeInclusive;

use crate::base::ids::AreaId;
use crate::nav::{self, AreaEdit};
use crate::world::World;
use crate::world::area::Availability;
use crate::world::door::DoorAim;
use crate::world::map::LevelMap;
use crate::world::ops::doors::{self, DoorSpeed};
use crate::world::ops::{OpError, in_range};

/// Cheapest and most expensive metre, as a factor (fault:F35).
pub const FACTOR_RANGE: RangeInclusive<f32> = nav::FACTOR_RANGE;

/// Puts an area in force or out of it; whether that was a change. The area of a door moves the door,
/// at once and whatever its lock says.
///
/// # Errors
/// On a precomputed grid; for an area of another level.
pub fn set_available(world: &mut World, id: AreaId, wanted: Availability) -> Result<bool, OpError> {
    let door = world.map.areas.get(id.index()).ok_or(OpError::ForeignArea)?.door;
    if world.map.is_precomputed {
        return Err(OpError::Precomputed);
    }
    if let Some(door) = door {
        let before = world.map.doors.get(door.index()).is_some_and(|door| door.is_opening_or_open());
        let is_open = wanted.is_available();
        doors::set(world, door, DoorAim::of(is_open), DoorSpeed::Instant);
        return Ok(before != is_open);
    }
    Ok(edit_available(&mut world.map, id, wanted))
}

/// The same without a look at doors, for step 4.
pub(crate) fn edit_available(map: &mut LevelMap, id: AreaId, wanted: Availability) -> bool {
    let available = wanted.is_available();
    let Some(area) = map.areas.get_mut(id.index()) else {
        return false;
    };
    let changed = std::mem::replace(&mut area.available, available) != available;
    if changed {
        edit(map, id).available = Some(available);
    }
    changed
}

/// Sets the cost of a metre in an area.
///
/// # Errors
/// A factor outside [`FACTOR_RANGE`], or an area of another level.
pub fn set_factor(world: &mut World, id: AreaId, factor: f32) -> Result<(), OpError> {
    let factor = in_range("factor", factor, FACTOR_RANGE)?;
    let area = world.map.areas.get_mut(id.index()).ok_or(OpError::ForeignArea)?;
    if area.factor != factor {
        area.factor = factor;
        edit(&mut world.map, id).factor = Some(factor);
    }
    Ok(())
}

fn edit(map: &mut LevelMap, id: AreaId) -> &mut AreaEdit {
    map.edits.areas.entry(id).or_insert(AreaEdit { area: id, available: None, factor: None })
}
