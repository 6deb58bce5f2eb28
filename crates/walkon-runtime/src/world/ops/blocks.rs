//! Verbs about blocks of scripts and of the host, and marks that scripts make. The map changes in step 5,
//! once for all edits of a tick.
//!
//! In: places, radii, names. Out: numbers of blocks; edits for step 5. Holds: a block ends with its owner; of
//! the blocks that are there no two have one name.
//! Not here: rebuilding the map (`sim::edits`).

use std::ops::RangeInclusive;

use glam::Vec3;

use crate::base::ids::AreaId;
use crate::nav::{AreaEdit, LayerPoint, NavEdit, NavMap};
use crate::world::World;
use crate::world::area::Availability;
use crate::world::block::Block;
use crate::world::ops::{OpError, checks, in_range};
use crate::world::owner::Owner;
use crate::world::place::Mark;

/// Blocks of a level at a time.
pub const BLOCKS_MAX: usize = 1024;
/// Narrowest and widest block, metres.
pub const RADIUS_RANGE_M: RangeInclusive<f32> = 0.01..=50.0;

/// Blocks the ground of a layer around a point; its number.
///
/// # Errors
/// A place or a radius that is none or out of range, a layer that is none; when the level has as many as it
/// may.
pub fn add(world: &mut World, owner: Owner, centre: LayerPoint, radius_m: f32) -> Result<u64, OpError> {
    lay(world, Block { owner, ..of_host("", centre, radius_m) })
}

/// Blocks the ground of a layer around a point on behalf of the host, which names the block.
///
/// # Errors
/// As [`add`]; when the name is none, or a block of that name is there.
pub fn add_named(world: &mut World, name: &str, centre: LayerPoint, radius_m: f32) -> Result<(), OpError> {
    checks::name(name)?;
    if find(world, name).is_some() {
        return Err(OpError::BlockThere(checks::shown(name)));
    }
    lay(world, of_host(name, centre, radius_m)).map(drop)
}

/// Frees the ground of a block of the host again.
///
/// # Errors
/// When no block of that name is there.
pub fn remove_named(world: &mut World, name: &str) -> Result<(), OpError> {
    let serial = find(world, name).ok_or_else(|| OpError::NoBlock(checks::shown(name)))?;
    remove(world, serial);
    Ok(())
}

/// The number of the block of that name.
fn find(world: &World, name: &str) -> Option<u64> {
    let mut there = world.map.blocks.iter().filter(|block| !block.is_over && !block.name.is_empty());
    there.find(|block| block.name == name).map(|block| block.serial)
}

/// A block of the host, without its number and its obstacle.
fn of_host(name: &str, centre: LayerPoint, radius_m: f32) -> Block {
    let (name, area) = (name.to_owned(), AreaId(u32::MAX));
    Block { serial: 0, owner: Owner::HOST, name, centre, radius_m, area, is_over: false }
}

fn lay(world: &mut World, block: Block) -> Result<u64, OpError> {
    checks::place("place", block.centre.point)?;
    in_range("radius", block.radius_m, RADIUS_RANGE_M)?;
    checks::layer(world, block.centre.layer)?;
    if world.map.blocks.len() >= BLOCKS_MAX {
        return Err(OpError::TooManyBlocks { max: BLOCKS_MAX });
    }
    world.map.blocks_made += 1;
    let serial = world.map.blocks_made;
    let area = claim(world, block.centre, block.radius_m);
    world.map.blocks.push(Block { serial, area, ..block });
    edit(world, area, Availability::Available);
    Ok(serial)
}

/// Frees the ground again; false when that was done before.
pub fn remove(world: &mut World, serial: u64) -> bool {
    let open = world.map.blocks.iter_mut().find(|block| block.serial == serial && !block.is_over);
    let Some(block) = open else {
        return false;
    };
    block.is_over = true;
    let area = block.area;
    edit(world, area, Availability::Unavailable);
    true
}

/// Removes all blocks of an owner.
pub fn end_owner(world: &mut World, owner: Owner) {
    let own = world.map.blocks.iter().filter(|block| block.owner == owner);
    for serial in own.map(|block| block.serial).collect::<Vec<_>>() {
        remove(world, serial);
    }
}

/// An obstacle of the map for a new block; one that a block before used, when there is one.
fn claim(world: &mut World, centre: LayerPoint, radius_m: f32) -> AreaId {
    let used: Vec<AreaId> = world.map.blocks.iter().map(|block| block.area).collect();
    world.map.nav.add_obstacle(&used, centre, radius_m)
}

fn edit(world: &mut World, area: AreaId, wanted: Availability) {
    let edit = AreaEdit { area, available: Some(wanted.is_available()), factor: None };
    world.map.edits.areas.insert(area, edit);
}

/// Puts the blocks on a map that has taken the place of the one before.
pub(crate) fn move_to(blocks: &mut Vec<Block>, nav: &mut NavMap) {
    blocks.retain(|block| !block.is_over);
    let mut used = Vec::new();
    for block in blocks {
        block.area = nav.add_obstacle(&used, block.centre, block.radius_m);
        used.push(block.area);
    }
    let edit = |&area: &AreaId| NavEdit::Area(AreaEdit { area, available: Some(true), factor: None });
    nav.apply(&used.iter().map(edit).collect::<Vec<_>>());
}

/// Gives a place a name; false when the level has a mark of that name. One that a script made is moved, so
/// that code that makes it may run again after a reload.
pub fn add_mark(world: &mut World, name: &str, position: Vec3) -> bool {
    if world.places.marks.contains_key(name) && !world.places.made.contains(name) {
        return false;
    }
    let mark = Mark { name: name.to_owned(), position, facing_rad: None, props: None };
    world.places.marks.insert(name.to_owned(), mark);
    world.places.made.insert(name.to_owned());
    true
}
