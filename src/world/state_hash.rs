//! The hash of the world: every field that can change the future, in a fixed order.
//!
//! Out: one 64-bit hash for each part of the state, as traces name them. Holds: what is taken apart is taken
//! apart by all of its fields, so that a new field does not compile until somebody has said whether it
//! counts; what may be absent says whether it is there, so that no two states look alike because one value
//! took another's place. Not here: what scripts keep (`script::host` adds its part), counters that nothing
//! reads, what a level settles once and for all.

mod walks;

use crate::base::hash::StateHash;
use crate::base::ids::CharacterId;
use crate::nav::GraphEdit;
use crate::world::World;
use crate::world::character::{Body, Character, Displaced, Gait, Hold, Nudge, Play, Replan, Turn};
use crate::world::door::{Door, DoorWish};
use crate::world::interpolation::Interpolation;

use crate::world::region::{Filter, Watch, WatchShape};
use crate::world::walk::Goal;

/// Hashes by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorldHash {
    /// Bodies, gaits, holds.
    pub characters: u64,
    /// Walks, their paths, requests.
    pub walks: u64,
    /// Doors, locks, wishes.
    pub doors: u64,
    /// The map, pending edits, regions and watches.
    pub map: u64,
    /// Random streams; the script host fills it in.
    pub random: u64,
    /// Timers, tasks and what they wait for, boards; the script host fills it in.
    pub scripts: u64,
}

impl WorldHash {
    /// One hash for the whole state.
    #[must_use]
    pub fn whole(&self) -> u64 {
        let mut hash = StateHash::default();
        hash.word(self.characters).word(self.walks).word(self.doors);
        hash.word(self.map).word(self.random).word(self.scripts);
        hash.finish()
    }
}

/// The fingerprint of the world between ticks.
#[must_use]
pub fn of(world: &World) -> WorldHash {
    let mut characters = StateHash::default();
    characters.word(u64::from(world.characters.created())).word(world.seed);
    characters.word(world.serials.turn).word(world.serials.play);
    for who in world.characters.ids().iter().filter_map(|&id| world.characters.get(id)) {
        hash_character(&mut characters, world, who);
    }
    hash_standing(&mut characters, world);
    hash_glides(&mut characters, world);
    let mut doors = StateHash::default();
    doors.word(world.serials.door_move);
    for door in &world.doors {
        hash_door(&mut doors, world, door);
    }
    WorldHash {
        characters: characters.finish(),
        walks: walks::of(world),
        doors: doors.finish(),
        map: hash_map(world),
        ..WorldHash::default()
    }
}

/// Mixes in whether there is a value, and the value.
fn optional<T>(hash: &mut StateHash, value: Option<T>, mix: impl FnOnce(&mut StateHash, T)) {
    hash.flag(value.is_some());
    if let Some(value) = value {
        mix(hash, value);
    }
}

fn hash_texts(hash: &mut StateHash, texts: &[String]) {
    hash.word(texts.len() as u64);
    for text in texts {
        hash.text(text);
    }
}

/// The number of a character, also of one that is gone; 0 for one that is forgotten.
fn serial(world: &World, id: CharacterId) -> u64 {
    let gone = || world.characters.gone(id).map(|gone| gone.serial);
    u64::from(world.characters.get(id).map(|who| who.serial).or_else(gone).unwrap_or(0))
}

fn hash_character(hash: &mut StateHash, world: &World, character: &Character) {
    let Character {
        serial: own,
        name,
        body,
        facing_rad,
        gait,
        tags,
        is_player,
        doors,
        layer,
        walk,
        is_moving,
        is_still,
        drift,
        came_to,
        desired,
        nudge,
        nudged,
        turn,
        play,
        held,
        removed,
        displaced,
        replan,
        rng,
    } = character;
    let Body { position, velocity, radius_m, height_m } = *body;
    let Gait { walk_mps, run_mps, turn_radps } = *gait;
    hash.word(u64::from(*own)).text(name).vector(position).vector(velocity);
    hash.float(radius_m).float(height_m).float(*facing_rad);
    hash.float(walk_mps).float(run_mps).float(turn_radps);
    hash_texts(hash, tags);
    hash.flag(*is_player).flag(*is_moving).word(*doors as u64).vector(*desired);
    hash.word(walk.and_then(|walk| world.walks.get(walk)).map_or(0, |walk| walk.serial));
    hash.word(match displaced {
        Displaced::No => 0,
        Displaced::Spawned => 1,
        Displaced::Teleported => 2,
        Displaced::Skipped => 3,
    });
    // On maps without layers hashes are as if there were none.
    if *layer > 0 {
        hash.word(u64::from(*layer));
    }
    let Replan { from, stood, since } = *replan;
    hash.vector(from).flag(stood);
    optional(hash, since, |hash, since| since.hash_into(hash));
    // With the seed and its name, which are hashed, the whole state of the stream.
    hash.word(rng.drawn());
    optional(hash, *turn, |hash, Turn { serial, facing_rad }| _ = hash.word(serial).float(facing_rad));
    optional(hash, play.as_ref(), |hash, Play { serial, animation, until }| {
        hash.word(*serial).text(animation);
        optional(hash, *until, |hash, tick| _ = hash.word(tick.0));
    });
    optional(hash, *nudge, |hash, Nudge { to, via, by, until }| {
        hash.vector(to).vector(via.unwrap_or(to)).word(serial(world, by)).word(until.0);
    });
    optional(hash, *nudged, |hash, nudged| nudged.hash_into(hash));
    optional(hash, held.as_ref(), |hash, Hold { scene, owner }| {
        hash.text(scene).word(u64::from(owner.0));
    });
    hash.flag(removed.is_some());
    // Of those who have gone nowhere yet hashes are as if there were neither.
    if !is_still || *drift != glam::Vec3::ZERO {
        hash.flag(*is_still).vector(*drift);
    }
    if let Some((goal, place)) = *came_to {
        hash_goal(hash, world, goal);
        hash.vector(place);
    }
}

fn hash_goal(hash: &mut StateHash, world: &World, goal: Goal) {
    match goal {
        Goal::Point(point) => hash.word(0).vector(point),
        Goal::Character(id) => hash.word(1).word(serial(world, id)),
        Goal::Door(id) => hash.word(2).word(u64::from(id.0)),
    };
}

/// Who has come to stand or has gone since walks last looked.
fn hash_standing(hash: &mut StateHash, world: &World) {
    let (noted, removed) = world.standing.since_last_look();
    hash.word(noted.len() as u64).word(removed.len() as u64);
    for &id in noted {
        hash.word(serial(world, id));
    }
    for &(id, place) in removed {
        hash.word(serial(world, id)).vector(place);
    }
}

/// Who is on its way, and where to; nothing where nobody is.
fn hash_glides(hash: &mut StateHash, world: &World) {
    for Interpolation { who, from, to, at, layer, walks } in &world.glides {
        hash.word(serial(world, *who)).word(u64::from(*layer)).flag(*walks);
        for (place, facing_rad) in [from, to, at] {
            hash.vector(*place).float(*facing_rad);
        }
    }
}

fn hash_door(hash: &mut StateHash, world: &World, door: &Door) {
    let Door {
        name,
        area: _,
        position: _,
        bounds: _,
        moving_ticks: _,
        state,
        left_ticks,
        is_locked,
        key,
        one_way,
        teams,
        wish,
        removed,
    } = door;
    hash.text(state.name()).word(*left_ticks).flag(*is_locked);
    optional(hash, key.as_ref(), |hash, key| _ = hash.text(key));
    optional(hash, removed.as_ref(), |hash, _| _ = hash.text(name));
    optional(hash, *one_way, |hash, [x, z]| _ = hash.float(x).float(z));
    hash_texts(hash, teams);
    optional(hash, wish.as_ref(), |hash, wish| {
        let DoorWish { serials, open, by, owner, when_occupied, give_up, is_instant } = wish;
        hash.flag(*open).flag(*is_instant).word(*when_occupied as u64).word(u64::from(owner.0));
        optional(hash, *by, |hash, by| _ = hash.word(serial(world, by)));
        optional(hash, *give_up, |hash, tick| _ = hash.word(tick.0));
        hash.word(serials.len() as u64);
        for &serial in serials {
            hash.word(serial);
        }
    });
}

/// Points and links that wait for step 5; nothing where none do.
fn hash_graph_edits(world: &World, hash: &mut StateHash) {
    for edit in &world.graph_edits {
        match edit {
            GraphEdit::Add(point) => hash.word(1).vector(*point),
            GraphEdit::Link([a, b]) => hash.word(2).word(u64::from(*a) << 32 | u64::from(*b)),
            GraphEdit::Unlink([a, b]) => hash.word(3).word(u64::from(*a) << 32 | u64::from(*b)),
        };
    }
}

fn hash_map(world: &World) -> u64 {
    let mut hash = StateHash::default();
    world.nav.hash_into(&mut hash);
    hash.word(world.edits.len() as u64);
    for edit in world.edits.values() {
        hash.word(u64::from(edit.area.0)).word(edit.available.map_or(2, u64::from));
        optional(&mut hash, edit.factor, |hash, factor| _ = hash.float(factor));
    }
    if let Some(tiles) = &world.tiles {
        tiles.hash_into(&mut hash);
        hash.word(world.tile_edits.len() as u64);
        for (spot, edit) in &world.tile_edits {
            hash.word(u64::from(spot.layer)).word(u64::from(spot.column)).word(u64::from(spot.row));
            hash.word(edit.walkable.map_or(2, u64::from));
            optional(&mut hash, edit.factor, |hash, factor| _ = hash.float(factor));
        }
    }
    hash_graph_edits(world, &mut hash);
    for area in &world.areas {
        hash.flag(area.available).float(area.factor);
    }
    hash.word(world.serials.block).word(world.blocks.len() as u64);
    for block in &world.blocks {
        hash.word(block.serial).word(u64::from(block.owner.0)).word(u64::from(block.area.0));
        hash.vector(block.centre).float(block.radius_m).flag(block.is_over);
    }
    hash.word(world.made_marks.len() as u64);
    for mark in world.made_marks.iter().filter_map(|name| world.marks.get(name)) {
        hash.text(&mark.name).vector(mark.position);
        optional(&mut hash, mark.facing_rad, |hash, facing_rad| _ = hash.float(facing_rad));
    }
    for region in &world.regions {
        hash_inside(&mut hash, region.inside.keys());
    }
    let mut watches: Vec<&Watch> = world.watches.values().collect();
    watches.sort_by_key(|watch| watch.serial);
    hash.word(world.serials.watch).word(watches.len() as u64);
    for watch in watches {
        hash_watch(&mut hash, world, watch);
    }
    hash.finish()
}

fn hash_watch(hash: &mut StateHash, world: &World, watch: &Watch) {
    let Watch { serial: own, owner, ground, filter, edge, enabled, report_initial, fresh, inside } = watch;
    hash.word(*own).word(u64::from(owner.0)).flag(*enabled).flag(*report_initial).word(*edge as u64);
    hash.word(fresh.map_or(0, |how| 1 + how as u64));
    match ground {
        WatchShape::Region(region) => hash.word(0).word(u64::from(region.0)),
        WatchShape::Area(area) => hash.word(1).word(u64::from(area.0)),
        WatchShape::Near { centre, radius_m, line_of_walk } => {
            hash.word(2).vector(*centre).float(*radius_m).flag(*line_of_walk)
        }
        WatchShape::Around { character, radius_m, line_of_walk } => {
            hash.word(3).word(serial(world, *character)).float(*radius_m).flag(*line_of_walk)
        }
    };
    match filter {
        Filter::All => _ = hash.word(0),
        Filter::Tags(tags) => hash_texts(hash.word(1), tags),
        Filter::Only(id) => _ = hash.word(2).word(serial(world, *id)),
    }
    hash_inside(hash, inside.keys());
}

fn hash_inside<'a>(hash: &mut StateHash, inside: impl ExactSizeIterator<Item = &'a u32>) {
    hash.word(inside.len() as u64);
    for &serial in inside {
        hash.word(u64::from(serial));
    }
}

#[cfg(test)]
mod tests;
