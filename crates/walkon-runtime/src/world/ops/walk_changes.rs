//! Verbs that change a walk under way: goal, speed, pause.
//!
//! Holds: no verb here ends the walk; on a settled walk they change nothing and report it.

use crate::base::ids::WalkId;
use crate::world::World;
use crate::world::character::Gait;
use crate::world::goal::Goal;
use crate::world::ops::{OpError, in_range, walks};
use crate::world::walk::{Ask, Phase, Walk, WalkPace};
use crate::world::walk_mode::WalkMode;

/// Gives a walk another goal; false when it has settled. The old path is walked until the new one is there. A
/// walk that follows a character follows the new character; any other mode ends, and the walk is one to that
/// goal.
///
/// # Errors
/// When the character it is to go to was removed.
pub fn retarget(world: &mut World, id: WalkId, goal: Goal) -> Result<bool, OpError> {
    let Some(walk) = world.walks.get(id).filter(|walk| walk.is_open()) else {
        return Ok(false);
    };
    let aim = walks::aim_of(&world.map, &world.characters, walk.character, goal)?;
    let walker = world.characters.get(walk.character);
    let half_turn_s = walker.map_or(0.0, |who| who.gait.half_turn_s());
    let layer = walker.map_or(0, |who| who.layer);
    let (tick, turn_ticks) = (world.clock.tick, world.clock.rate.ticks(half_turn_s));
    if let Some(walk) = world.walks.get_mut(id) {
        // An answer about the old goal says nothing about this one.
        if let Some((search, _)) = walk.token.take() {
            world.paths.drop_search(search);
            walk.asked_around = None;
        }
        (walk.goal, walk.aim, walk.via) = (goal, aim, None);
        if matches!(goal, Goal::Character(_)) {
            walk.options.layer = None;
        }
        walks::note_layer(&world.map, &mut walk.options.layer, goal, layer);
        (walk.goal_occupant, walk.goal_slot) = (None, None);
        match (&mut walk.mode, goal) {
            (WalkMode::Follow(follow), Goal::Character(target)) if target != walk.character => {
                follow.restart_patience();
            }
            (mode, _) => *mode = WalkMode::Once,
        }
        walk.ask_for(if walk.phase == Phase::Planning { Ask::First } else { Ask::Target });
        if walk.phase != Phase::Planning {
            walk.phase = Phase::Moving;
        }
        walk.retargeted = walk.clock(tick);
        restart(walk, tick);
        // It may have to turn right round before it gets on.
        walk.progress_tick = walk.progress_tick.after(turn_ticks);
    }
    Ok(true)
}

/// Changes how fast a walk goes, metres a second; false when it has settled.
///
/// # Errors
/// A speed outside the range.
pub fn set_speed(world: &mut World, id: WalkId, speed_mps: f32) -> Result<bool, OpError> {
    let speed_mps = in_range("speed", speed_mps, Gait::SPEED_RANGE_MPS)?;
    let walk = world.walks.get_mut(id).filter(|walk| walk.is_open());
    Ok(walk.map(|walk| walk.options.pace = WalkPace::Speed(speed_mps)).is_some())
}

/// Lets a walk stand until [`resume`]; false when it has settled or stands so already. Its patience does not
/// count meanwhile, its timeout and the rest at a stop do.
pub fn pause(world: &mut World, id: WalkId) -> bool {
    let walk = world.walks.get_mut(id).filter(|walk| walk.is_open() && !walk.is_paused);
    let Some(walk) = walk else {
        return false;
    };
    walk.is_paused = true;
    let character = walk.character;
    world.characters.note_standing(character);
    true
}

/// Lets a walk go on; false when it was not paused.
pub fn resume(world: &mut World, id: WalkId) -> bool {
    let tick = world.clock.tick;
    let Some(walk) = world.walks.get_mut(id).filter(|walk| walk.is_open() && walk.is_paused) else {
        return false;
    };
    walk.is_paused = false;
    restart(walk, tick);
    // Nobody comes nearer while it stands because it was told to.
    walk.nearest_tick = walk.progress_tick;
    if let WalkMode::Follow(follow) = &mut walk.mode {
        follow.restart_patience();
    }
    true
}

/// Asks a walk for a new way; nothing happens while one is being searched.
pub fn ask_again(world: &mut World, id: WalkId) {
    if let Some(walk) = world.walks.get_mut(id).filter(|walk| walk.is_open() && walk.token.is_none()) {
        walk.ask_for(Ask::Crowd);
    }
}

/// Seconds that what is left of the way takes at its speed, doors and others aside; none while there is no
/// way.
#[must_use]
pub fn eta_s(world: &World, walk: &Walk) -> Option<f32> {
    let character = world.characters.get(walk.character)?;
    if walk.phase == Phase::Planning || !walk.is_open() {
        return None;
    }
    Some(walk.remaining_m(character.body.position)? / walk.speed_mps(character))
}

fn restart(walk: &mut Walk, tick: crate::base::time::TickNumber) {
    walk.restart_progress(None, tick);
    (walk.told_near, walk.told_blocked) = (false, false);
}
