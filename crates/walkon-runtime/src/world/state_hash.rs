//! The hash of the world: every field that can change the future, in a fixed order.
//!
//! Out: one 64-bit hash for each part of the state, as traces name them. Holds: every struct is taken apart
//! by all of its fields, so that a new field does not compile until the code says whether it counts; optional
//! values say whether they are there, so that no two states look alike because one value took another's
//! place. Cost: a pass over the characters and their walks, which waits for memory more than for arithmetic:
//! so truth values share words, characters are hashed by their ids, which need no look-up, and paths and
//! bystanders keep their hashes with them. Not here: data of scripts (`script::host` adds its part), counters
//! that nothing reads, facts that a level settles once and for all.

mod facts;
mod values;
mod walks;

use std::collections::BTreeMap;

use crate::base::hash::StateHash;
use crate::base::ids::GenerationalKey;
use crate::base::prefetch;
use crate::nav::{AreaEdit, GraphEdit, TileEdit};
use crate::world::World;
use crate::world::area::Area;
use crate::world::block::Block;
use crate::world::bystander_index::People;
use crate::world::character::{Body, Character, Characters, Gait, Hold, Nudge, Play, Replan, Turn};
use crate::world::day::DayTime;
use crate::world::door::{Door, DoorRequest};
use crate::world::interpolation::Interpolation;
use crate::world::leaders::Leaders;
use crate::world::level_info::LevelInfo;
use crate::world::map::{LevelMap, PendingEdits};
use crate::world::place::{Mark, Places};
use crate::world::region::{Filter, Region, Triggers, Watch, WatchShape};
use crate::world::sense::{Eyes, Noise, SenseTarget, SenseWatch, Senses, Sighting};
use crate::world::state_hash::values::{hash_id, optional};
use crate::world::tiles::TileSpot;

/// Hashes by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorldHash {
    /// Bodies, gaits, holds.
    pub characters: u64,
    /// Walks, their paths, requests.
    pub walks: u64,
    /// Doors, locks, requests.
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

/// The fingerprint of the world between ticks. The state is taken apart here and in the functions that are
/// called; the parts and fields that are left out are named with the reason.
#[must_use]
pub fn of(world: &World) -> WorldHash {
    let World {
        clock,
        day,
        level,
        // As the level says; the radius of walks is hashed with them.
        settings,
        map,
        places,
        characters,
        interpolations,
        walks,
        paths,
        triggers,
        senses,
        events,
        // Never part of the state.
        scratch: _,
    } = world;
    // A character stands no matter which other it follows.
    let leaders = &Leaders::default();
    let who = People { characters, walks, crowd: &settings.crowd, leaders };
    WorldHash {
        characters: hash_characters(characters, level, *day, interpolations),
        walks: walks::of(who, clock, paths, events),
        doors: hash_doors(map),
        map: hash_map(map, places, triggers, senses),
        ..WorldHash::default()
    }
}

fn hash_characters(
    characters: &Characters,
    level: &LevelInfo,
    day: Option<DayTime>,
    interpolations: &[Interpolation],
) -> u64 {
    let LevelInfo {
        seed,
        // As the level says.
        name: _,
        props: _,
    } = level;
    let Characters {
        slots,
        order,
        // Follows from the characters.
        by_name: _,
        removed: _,
        displaced: _,
        displacements: _,
        posing: _,
        asked_aside: _,
        players: _,
        // For messages.
        gone: _,
        created,
        turns,
        plays,
        noted,
        departed,
    } = characters;
    let mut hash = StateHash::default();
    hash.word(u64::from(*created)).word(*seed).word(*turns).word(*plays);
    for (at, &id) in order.iter().enumerate() {
        fetch(characters, at);
        if let Some(character) = slots.get(id) {
            hash_character(&mut hash, character);
        }
    }
    // Characters that have come to stand or have gone since walks last looked.
    hash.word(noted.len() as u64).word(departed.len() as u64);
    for &id in noted {
        hash_id(&mut hash, id);
    }
    for &(id, place) in departed {
        hash_id(&mut hash, id).vector(place);
    }
    hash_interpolations(&mut hash, interpolations);
    if let Some(day) = day {
        day.hash_into(&mut hash);
    }
    hash.finish()
}

/// Asks for the memory of characters that are hashed soon after the one at a place: for each, then for its
/// name and the list of its tags, then for the tags.
#[inline]
fn fetch(characters: &Characters, at: usize) {
    let ahead = |places: usize| characters.order.get(at + places).and_then(|&id| characters.slots.get(id));
    characters.order.get(at + 18).into_iter().for_each(|&id| characters.slots.fetch_whole(id));
    if let Some(character) = ahead(12) {
        prefetch::value(character.name.as_str());
        prefetch::value(&character.tags[..]);
    }
    if let Some(character) = ahead(6) {
        character.tags.iter().for_each(|tag| prefetch::value(tag.as_str()));
    }
}

fn hash_doors(map: &LevelMap) -> u64 {
    let mut hash = StateHash::default();
    hash.word(map.door_moves);
    for door in &map.doors {
        hash_door(&mut hash, door);
    }
    hash.finish()
}

fn hash_texts(hash: &mut StateHash, texts: &[String]) {
    hash.word(texts.len() as u64);
    for text in texts {
        hash.text(text);
    }
}

fn hash_character(hash: &mut StateHash, character: &Character) {
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
        short_of,
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
    let Replan { from, stood, since } = *replan;
    hash.word(u64::from(*own)).text(name);
    hash_texts(hash, tags);
    let [place, speed, wish, push] = [position, velocity, *desired, *drift];
    #[rustfmt::skip]
    hash.floats([
        place.x, place.y, place.z, speed.x, speed.y, speed.z,
        wish.x, wish.y, wish.z, push.x, push.y, push.z,
        from.x, from.y, from.z, *facing_rad, radius_m, height_m,
        walk_mps, run_mps, turn_radps,
    ]);
    hash.word(u64::from_le_bytes([*doors as u8, *displaced as u8, *layer, 0, 0, 0, 0, 0]));
    // With the seed and its name, which are hashed, the whole state of the stream.
    hash.word(rng.drawn());
    hash.flags([
        *is_player,
        *is_moving,
        *is_still,
        stood,
        walk.is_some(),
        since.is_some(),
        turn.is_some(),
        play.is_some(),
        nudge.is_some(),
        nudged.is_some(),
        held.is_some(),
        removed.is_some(),
        came_to.is_some(),
    ]);
    if let Some(walk) = walk {
        hash.word(walk.bits());
    }
    if let Some(past) = since {
        past.hash_into(hash);
    }
    if let Some(past) = *nudged {
        past.hash_into(hash);
    }
    if let Some(Turn { serial, facing_rad }) = *turn {
        hash.word(serial).float(facing_rad);
    }
    if let Some(Play { serial, animation, until }) = play {
        hash.word(*serial).text(animation);
        optional(hash, *until, |hash, tick| _ = hash.word(tick.0));
    }
    if let Some(Nudge { to, via, by, until }) = *nudge {
        hash_id(hash, by).vector(to).vector(via.unwrap_or(to)).word(until.0);
    }
    if let Some(Hold { scene, owner }) = held {
        hash.text(scene).word(u64::from(owner.0));
    }
    if let Some((goal, place)) = *came_to {
        goal.hash_into(hash);
        hash.vector(place);
    }
    if let Some((goal, place)) = *short_of {
        goal.hash_into(hash);
        hash.text("short").vector(place);
    }
}

/// Characters on their way, and where to; nothing where there are none.
fn hash_interpolations(hash: &mut StateHash, interpolations: &[Interpolation]) {
    hash.word(interpolations.len() as u64);
    for Interpolation { who, from, to, at, aside, layer, walks } in interpolations {
        hash_id(hash, *who).pair(u32::from(*layer), u32::from(*walks));
        // Most go straight.
        if *aside != glam::Vec3::ZERO {
            hash.vector(*aside);
        }
        let [(from, from_rad), (to, to_rad), (at, at_rad)] = [from, to, at];
        #[rustfmt::skip]
        hash.floats([
            from.x, from.y, from.z, *from_rad, to.x, to.y, to.z, *to_rad, at.x, at.y, at.z, *at_rad,
        ]);
    }
}

fn hash_door(hash: &mut StateHash, door: &Door) {
    let Door {
        name,
        // As the level says.
        area: _,
        position: _,
        bounds: _,
        moving_s: _,
        state,
        left_ticks,
        is_locked,
        key,
        one_way,
        teams,
        request,
        removed,
    } = door;
    hash.text(state.name()).word(*left_ticks).flag(*is_locked);
    optional(hash, key.as_ref(), |hash, key| _ = hash.text(key));
    optional(hash, removed.as_ref(), |hash, _| _ = hash.text(name));
    optional(hash, *one_way, |hash, [x, z]| _ = hash.float(x).float(z));
    hash_texts(hash, teams);
    optional(hash, request.as_ref(), |hash, request| {
        let DoorRequest { serials, open, by, owner, when_occupied, give_up, is_instant } = request;
        hash.flag(*open).flag(*is_instant).word(*when_occupied as u64).word(u64::from(owner.0));
        optional(hash, *by, |hash, by| _ = hash_id(hash, by));
        optional(hash, *give_up, |hash, tick| _ = hash.word(tick.0));
        hash.word(serials.len() as u64);
        for &serial in serials {
            hash.word(serial);
        }
    });
}

fn hash_map(map: &LevelMap, places: &Places, triggers: &Triggers, senses: &Senses) -> u64 {
    let LevelMap {
        nav,
        areas,
        // A part of their own: see `hash_doors`.
        doors: _,
        door_moves: _,
        blocks,
        blocks_made,
        tiles,
        // As the level says.
        link_actions: _,
        is_precomputed: _,
        edits: PendingEdits { areas: area_edits, tiles: tile_edits, graph: graph_edits },
    } = map;
    let mut hash = StateHash::default();
    nav.hash_into(&mut hash);
    hash.word(area_edits.len() as u64);
    for AreaEdit { area, available, factor } in area_edits.values() {
        hash.word(u64::from(area.0)).word(available.map_or(2, u64::from));
        optional(&mut hash, *factor, |hash, factor| _ = hash.float(factor));
    }
    if let Some(tiles) = tiles {
        tiles.hash_into(&mut hash);
        hash_tile_edits(&mut hash, tile_edits);
    }
    hash_graph_edits(&mut hash, graph_edits);
    // The level says what an area hides.
    for Area { name: _, kind: _, available, factor, door: _, veil: _ } in areas {
        hash.flag(*available).float(*factor);
    }
    hash.word(*blocks_made).word(blocks.len() as u64);
    for Block { serial, owner, name, centre, radius_m, area, is_over } in blocks {
        hash.word(*serial).word(u64::from(owner.0));
        hash.word(u64::from(centre.layer) << 32 | u64::from(area.0));
        hash.vector(centre.point).float(*radius_m).flag(*is_over);
        if !name.is_empty() {
            hash.text(name);
        }
    }
    hash_places(&mut hash, places);
    hash_triggers(&mut hash, triggers);
    hash_senses(&mut hash, senses);
    hash.finish()
}

fn hash_tile_edits(hash: &mut StateHash, edits: &BTreeMap<TileSpot, TileEdit>) {
    hash.word(edits.len() as u64);
    for (TileSpot { layer, column, row }, edit) in edits {
        // Layer and cell are those of the tile; no verb changes ways out.
        let TileEdit { layer: _, cell: _, walkable, factor, leave: _ } = edit;
        hash.word(u64::from(*layer)).word(u64::from(*column)).word(u64::from(*row));
        hash.word(walkable.map_or(2, u64::from));
        optional(hash, *factor, |hash, factor| _ = hash.float(factor));
    }
}

/// Points and links that wait for step 5; nothing where none do.
fn hash_graph_edits(hash: &mut StateHash, edits: &[GraphEdit]) {
    for edit in edits {
        match edit {
            GraphEdit::Add(point) => hash.word(1).vector(*point),
            GraphEdit::Link([a, b]) => hash.word(2).word(u64::from(*a) << 32 | u64::from(*b)),
            GraphEdit::Unlink([a, b]) => hash.word(3).word(u64::from(*a) << 32 | u64::from(*b)),
        };
    }
}

/// The marks that scripts made; the others, and routes, are as the level says.
fn hash_places(hash: &mut StateHash, Places { marks, made, routes: _ }: &Places) {
    hash.word(made.len() as u64);
    for mark in made.iter().filter_map(|name| marks.get(name)) {
        // Marks of scripts have no props.
        let Mark { name, position, facing_rad, props: _ } = mark;
        hash.text(name).vector(*position);
        optional(hash, *facing_rad, |hash, facing_rad| _ = hash.float(facing_rad));
    }
}

fn hash_triggers(hash: &mut StateHash, triggers: &Triggers) {
    let Triggers { regions, watches, watches_made, is_behind, displaced } = triggers;
    // Regions lie where the level says.
    for Region { name: _, shape: _, layer: _, heights_m: _, inside, looked } in regions {
        hash_inside(hash, inside.keys());
        // While none is put off, all were looked at in the same tick.
        if *is_behind {
            hash.word(looked.0);
        }
    }
    if *is_behind {
        hash.word(1);
    }
    for (serial, (how, tick)) in displaced {
        hash.word(u64::from(*serial)).word(*how as u64).word(tick.0);
    }
    hash.word(*watches_made).word(watches.len() as u64);
    for watch in triggers.watch_ids().into_iter().filter_map(|id| watches.get(id)) {
        hash_watch(hash, watch);
        // One that is switched off waits for no look.
        if *is_behind && watch.enabled {
            hash.word(watch.looked.0);
        }
    }
}

fn hash_watch(hash: &mut StateHash, watch: &Watch) {
    let Watch {
        serial: own,
        owner,
        ground,
        filter,
        edge,
        enabled,
        report_initial,
        fresh,
        placed_before,
        inside,
        // Where some are put off alone.
        looked: _,
    } = watch;
    hash.word(*own).word(u64::from(owner.0)).flag(*enabled).flag(*report_initial).word(*edge as u64);
    hash.word(fresh.map_or(0, |how| 1 + how as u64));
    if *placed_before > 0 {
        hash.word(u64::from(*placed_before));
    }
    match ground {
        WatchShape::Region(region) => hash.word(0).word(u64::from(region.0)),
        WatchShape::Area(area) => hash.word(1).word(u64::from(area.0)),
        WatchShape::Near { centre, radius_m, line_of_walk } => {
            hash.word(2).vector(*centre).float(*radius_m).flag(*line_of_walk)
        }
        WatchShape::Around { character, radius_m, line_of_walk } => {
            hash_id(hash.word(3), *character).float(*radius_m).flag(*line_of_walk)
        }
    };
    match filter {
        Filter::All => _ = hash.word(0),
        Filter::Tags(tags) => hash_texts(hash.word(1), tags),
        Filter::Only(id) => _ = hash_id(hash.word(2), *id),
    }
    hash_inside(hash, inside.keys());
}

/// Nothing in a level without any watch or noise so far.
fn hash_senses(hash: &mut StateHash, senses: &Senses) {
    let Senses { watches, made, next, noises, noises_made } = senses;
    if *made == 0 && *noises_made == 0 {
        return;
    }
    hash.word(*made).word(*next).word(*noises_made).word(noises.len() as u64);
    for Noise { serial, by, position, layer, loudness_m, tick } in noises {
        hash_id(hash.word(*serial), *by).vector(*position).word(u64::from(*layer));
        hash.float(*loudness_m).word(tick.0);
    }
    hash.word(watches.len() as u64);
    for (id, watch) in watches {
        hash_sense_watch(hash.word(id.0), watch);
    }
}

fn hash_sense_watch(hash: &mut StateHash, watch: &SenseWatch) {
    let SenseWatch { owner, character, target, eyes, hearing_m, memory_ticks, enabled, heard, known } = watch;
    let Eyes { range_m, degrees } = *eyes;
    hash_id(hash.word(u64::from(owner.0)), *character).flag(*enabled);
    hash.floats([range_m, degrees, *hearing_m]).word(*memory_ticks).word(*heard);
    match target {
        SenseTarget::Character(id) => hash_id(hash.word(0), *id),
        SenseTarget::Tag(tag) => hash.word(1).text(tag),
    };
    hash.word(known.len() as u64);
    for (serial, Sighting { character, is_seen, position, tick }) in known {
        hash_id(hash.word(u64::from(*serial)), *character).flag(*is_seen).vector(*position).word(tick.0);
    }
}

fn hash_inside<'a>(hash: &mut StateHash, inside: impl ExactSizeIterator<Item = &'a u32>) {
    hash.word(inside.len() as u64);
    for &serial in inside {
        hash.word(u64::from(serial));
    }
}

#[cfg(test)]
mod tests;
