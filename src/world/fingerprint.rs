//! The hash of the world: every field that can change the future, in a fixed order (house.md, section 11).
//!
//! Out: one 64-bit hash for each part of the state, as traces name them. Not here: what scripts keep
//! (`script::host` adds its part), counters that nothing reads.

use crate::base::hash::StateHash;
use crate::world::World;
use crate::world::character::{Character, Displaced};
use crate::world::door::Door;
use crate::world::region::{Ground, Watch};
use crate::world::walk::{Goal, Look, Pace, Phase, Tells, Walk};

/// Hashes by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
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

impl Fingerprint {
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
pub fn of(world: &World) -> Fingerprint {
    let mut characters = StateHash::default();
    for (_, character) in world.characters.iter() {
        hash_character(&mut characters, character);
    }
    let mut walks = StateHash::default();
    walks.word(world.serials.walk).word(world.tick.0);
    for &id in &world.walk_order {
        if let Some(walk) = world.walks.get(id) {
            hash_walk(&mut walks, world, walk);
        }
    }
    world.requests.hash_into(&mut walks);
    let mut doors = StateHash::default();
    doors.word(world.serials.door_move);
    for door in &world.doors {
        hash_door(&mut doors, door);
    }
    Fingerprint {
        characters: characters.finish(),
        walks: walks.finish(),
        doors: doors.finish(),
        map: hash_map(world),
        ..Fingerprint::default()
    }
}

fn hash_character(hash: &mut StateHash, character: &Character) {
    hash.word(u64::from(character.serial)).text(&character.name);
    hash.vector(character.body.position).vector(character.body.velocity);
    hash.float(character.body.radius_m).float(character.body.height_m).float(character.facing_rad);
    hash.float(character.gait.walk_mps).float(character.gait.run_mps).float(character.gait.turn_radps);
    for tag in &character.tags {
        hash.text(tag);
    }
    hash.flag(character.is_player).flag(character.is_moving).word(character.doors as u64);
    hash.word(match character.displaced {
        Displaced::No => 0,
        Displaced::Spawned => 1,
        Displaced::Teleported => 2,
        Displaced::Skipped => 3,
    });
    // Streams that nobody drew from are as they were born.
    if character.rng.drawn() > 0 {
        hash.word(character.rng.drawn());
    }
    hash.vector(character.replan.from).flag(character.replan.stood);
    hash.word(character.replan.since.map_or(0, |tick| tick.0 + 1));
    if let Some(turn) = &character.turn {
        hash.word(turn.serial).float(turn.facing_rad);
    }
    if let Some(play) = &character.play {
        hash.word(play.serial).text(&play.animation).word(play.until.map_or(0, |tick| tick.0 + 1));
    }
    // Where nobody was asked aside, hashes are as if nobody could be.
    if let Some(nudge) = &character.nudge {
        hash.vector(nudge.to).word(nudge.until.0);
    }
    if let Some(tick) = character.nudged {
        hash.word(tick.0);
    }
    if let Some(hold) = &character.held {
        hash.text(&hold.scene).word(u64::from(hold.owner.0));
    }
}

fn hash_walk(hash: &mut StateHash, world: &World, walk: &Walk) {
    hash.word(walk.serial).vector(walk.aim).vector(walk.planned_aim);
    hash.word(world.characters.get(walk.character).map_or(0, |character| u64::from(character.serial)));
    match walk.goal {
        Goal::Point(point) => hash.word(0).vector(point),
        Goal::Character(id) => {
            hash.word(1).word(world.characters.get(id).map_or(0, |target| u64::from(target.serial)))
        }
        Goal::Door(id) => hash.word(2).word(u64::from(id.0)),
    };
    hash_options(hash, world, walk);
    walk.course.hash_into(hash);
    hash.text(walk.state_name()).word(u64::from(walk.owner.0)).word(u64::from(walk.repaths));
    match &walk.phase {
        Phase::AtDoor(door) => hash.word(u64::from(door.0)),
        Phase::Turning { already } => hash.flag(*already),
        Phase::Settled(result) => hash.text(result.reason().name()),
        Phase::Pausing { until } => hash.word(until.0),
        Phase::Beside(_) => hash.flag(true),
        Phase::Planning | Phase::Moving | Phase::Content => hash,
    };
    hash.word(walk.issued.0).word(walk.progress_tick.0).word(walk.retargeted.0).word(walk.skipped_ticks);
    if walk.is_door_plan {
        hash.flag(true);
    }
    hash.flag(walk.is_crowded).word(u64::from(walk.looked_at));
    if let Some(holder) = walk.held_by.and_then(|id| world.characters.get(id)) {
        hash.word(u64::from(holder.serial));
    }
    if let Some(seen) = &walk.seen {
        seen.hash_into(hash);
    }
    hash.float(walk.travelled_m).float(walk.progress_m).flag(walk.is_delivered);
    hash.float(walk.nearest_m).word(walk.nearest_tick.0).word(walk.queue_tick.0);
    hash.word(walk.ahead.and_then(|who| world.characters.get(who)).map_or(0, |who| u64::from(who.serial)));
    hash.word(walk.ask.map_or(0, |ask| 1 + ask as u64)).word(walk.token.map_or(0, |(_, ask)| 1 + ask as u64));
    if let Some(following) = &walk.following {
        hash.word(u64::from(following.cursor.segment)).float(following.cursor.along_m);
        hash.flag(following.path.whole).word(following.path.revision.0).float(following.path.length_m);
        for &point in &following.path.points {
            hash.vector(point);
        }
        for crossing in &following.path.crossings {
            hash.word(u64::from(crossing.area.0)).float(crossing.enter_m).float(crossing.leave_m);
        }
    }
}

fn hash_options(hash: &mut StateHash, world: &World, walk: &Walk) {
    let options = &walk.options;
    match options.pace {
        Pace::Walk => hash.word(0),
        Pace::Run => hash.word(1),
        Pace::Speed(speed) => hash.word(2).float(speed),
    };
    hash.float(walk.radius_m(world)).word(options.accept as u64).word(options.crowd as u64);
    hash.word(options.doors.map_or(0, |doors| 1 + doors as u64));
    match options.face {
        None => hash.word(0),
        Some(Look::Angle(angle)) => hash.word(1).float(angle),
        Some(Look::Point(point)) => hash.word(2).vector(point),
        Some(Look::Character(id)) => {
            hash.word(3).word(world.characters.get(id).map_or(0, |target| u64::from(target.serial)))
        }
    };
    for key in &options.keys {
        hash.text(key);
    }
    hash.word(options.patience_ticks).word(options.timeout_ticks.map_or(0, |ticks| ticks + 1));
    hash.flag(options.ensure);
    for (area, factor) in options.areas.as_deref().unwrap_or(&[]) {
        hash.word(u64::from(area.0)).float(factor.unwrap_or(-1.0));
    }
    if let Some(via) = &walk.via {
        hash.word(via.left.len() as u64).vector(via.last);
    }
    if options.tells != Tells::default() {
        hash.flag(options.tells.waypoint).flag(options.tells.near).flag(options.tells.blocked);
        hash.word(u64::from(walk.waypoints)).flag(walk.told_near).flag(walk.told_blocked);
    }
}

fn hash_door(hash: &mut StateHash, door: &Door) {
    hash.text(door.state.name()).word(door.left_ticks).flag(door.is_locked);
    hash.text(door.key.as_deref().unwrap_or(""));
    if door.is_gone() {
        hash.text(&door.name);
    }
    if let Some([x, z]) = door.one_way {
        hash.float(x).float(z);
    }
    for tag in &door.teams {
        hash.text(tag);
    }
    if let Some(wish) = &door.wish {
        hash.flag(wish.open).flag(wish.is_instant).word(wish.when_occupied as u64);
        hash.word(wish.give_up.map_or(0, |tick| tick.0 + 1)).word(u64::from(wish.owner.0));
        for &serial in &wish.serials {
            hash.word(serial);
        }
    }
}

fn hash_map(world: &World) -> u64 {
    let mut hash = StateHash::default();
    world.nav.hash_into(&mut hash);
    for edit in world.edits.values() {
        hash.word(u64::from(edit.area.0));
        hash.word(edit.available.map_or(2, u64::from)).float(edit.factor.unwrap_or(-1.0));
    }
    for area in &world.areas {
        hash.flag(area.available).float(area.factor);
    }
    for block in &world.blocks {
        hash.word(block.serial).word(u64::from(block.owner.0)).word(u64::from(block.area.0));
        hash.vector(block.centre).float(block.radius_m).flag(block.is_over);
    }
    for mark in world.made_marks.iter().filter_map(|name| world.marks.get(name)) {
        hash.text(&mark.name).vector(mark.position);
    }
    for region in &world.regions {
        hash_inside(&mut hash, region.inside.keys());
    }
    let mut watches: Vec<&Watch> = world.watches.values().collect();
    watches.sort_by_key(|watch| watch.serial);
    for watch in watches {
        hash.word(watch.serial).word(u64::from(watch.owner.0)).flag(watch.enabled);
        hash.word(watch.fresh.map_or(0, |how| 1 + how as u64));
        if let Ground::Near { centre, radius_m, .. } = watch.ground {
            hash.vector(centre).float(radius_m);
        }
        hash_inside(&mut hash, watch.inside.keys());
    }
    hash.finish()
}

fn hash_inside<'a>(hash: &mut StateHash, inside: impl ExactSizeIterator<Item = &'a u32>) {
    hash.word(inside.len() as u64);
    for &serial in inside {
        hash.word(u64::from(serial));
    }
}
