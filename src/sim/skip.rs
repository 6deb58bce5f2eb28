//! The part of a tick that a skipped scene needs, as often as it needs it: its doors, paths, walks, turns and regions.
//!
//! In: a stretch of a scene (`world::skip`), steps that may be spent. Out: how many ticks of the scene passed, none of which
//! passed for anybody else. Holds: it is the usual steps for a few characters, so that they come to stand where they would
//! have come to stand; a door reaches its final state at once, and is `occupied` when somebody is in its way; it stops as
//! soon as something is to be told, so that whoever hears of it can act on it before the scene goes on.
//! Not here: what the scene's tasks do (`script::skipping`).

use crate::base::ids::{CharacterId, DoorId, WalkId};
use crate::sim::{arrivals, doors, edits, follow, glide, integrate, paths, regions, replans};
use crate::world::World;
use crate::world::character::Displaced;
use crate::world::skip::Rush;

/// How much of a scene's time has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Ticks of the scene.
    pub ticks: u64,
    /// Whether the last of them has only begun: as in any tick, scripts come before doors and bodies. [`finish`] ends it.
    pub has_begun: bool,
}

/// Lets the time of a scene pass, until something is to be told, its ticks are over or the steps are spent: a step is a tick of
/// one body. So many ticks of the scene have passed in this tick before.
pub fn run(world: &mut World, rush: &Rush, before_ticks: u64, steps_left: &mut u64) -> Passed {
    let (start, told) = (world.tick, world.events.waiting());
    (world.is_skipping, world.rushed_ticks) = (true, before_ticks);
    finish_doors(world, rush);
    edits::run(world);
    answer_paths(world, rush);
    let mut walks = rush.open_walks(world);
    let bodies = rush.bodies(world, &walks);
    glide::land(world, &bodies);
    look_at_regions(world, &bodies);
    let (mut passed, mut has_begun) = (0, false);
    // Bounded by the steps: every round spends some.
    while world.events.waiting() == told && rush.ticks != Some(passed) && *steps_left > 0 {
        let is_busy = |&id: &CharacterId| world.characters.get(id).is_some_and(Rush::is_busy);
        let is_still = walks.is_empty() && !bodies.iter().any(is_busy);
        if let Some(ticks) = rush.ticks.filter(|&ticks| is_still || ticks == passed + 1) {
            (passed, has_begun) = (ticks, true);
            break;
        }
        if is_still {
            break;
        }
        *steps_left = steps_left.saturating_sub(bodies.len().max(1) as u64);
        passed += 1;
        world.tick = start.after(passed);
        step(world, rush, &walks, &bodies);
        walks.retain(|&id| world.walks.get(id).is_some_and(|walk| walk.is_open()));
    }
    give_back_time(world, &walks, &bodies, passed);
    world.forget_standing();
    world.tick = start;
    (world.is_skipping, world.rushed_ticks) = (false, 0);
    Passed { ticks: passed, has_begun }
}

/// Ends a tick that has begun: what the scene's scripts have asked for in it is done. So many ticks of the scene have passed in this
/// tick, the one that has begun among them.
pub fn finish(world: &mut World, rush: &Rush, passed_ticks: u64) {
    (world.is_skipping, world.rushed_ticks) = (true, passed_ticks);
    let walks = rush.open_walks(world);
    let bodies = rush.bodies(world, &walks);
    glide::land(world, &bodies);
    step(world, rush, &walks, &bodies);
    give_back_time(world, &walks, &bodies, 0);
    world.forget_standing();
    (world.is_skipping, world.rushed_ticks) = (false, 0);
}

/// Steps 4 to 11 for a few, without avoiding or pushing others, who do not move meanwhile.
fn step(world: &mut World, rush: &Rush, walks: &[WalkId], bodies: &[CharacterId]) {
    finish_doors(world, rush);
    edits::run(world);
    if world.begins_step() {
        go_on(world, rush, walks, bodies);
    }
    for &id in bodies {
        glide::turn(world, id);
        glide::expire_play(world, id);
    }
    if world.lands_step() {
        for &id in walks {
            arrivals::look(world, id);
        }
    }
    look_at_regions(world, bodies);
}

/// Steps 6 to 9: a step of the crowd, made at once, for nobody looks.
fn go_on(world: &mut World, rush: &Rush, walks: &[WalkId], bodies: &[CharacterId]) {
    replans::run_for(world, walks, bodies);
    for &id in walks {
        paths::serve(world, id);
    }
    for &id in bodies {
        if let Some(character) = world.characters.get_mut(id) {
            character.begin_step();
        }
    }
    world.moves.clear();
    for &id in walks {
        follow::step(world, id);
    }
    finish_doors(world, rush);
    edits::run(world);
    follow::stride(world, 0);
    integrate::run_alone(world);
    world.moves.clear();
}

/// Brings doors to their final state; who waits for a clear doorway is told that it is occupied.
fn finish_doors(world: &mut World, rush: &Rush) {
    for index in 0..world.doors.len() {
        let wish = world.doors[index].wish.as_mut();
        if let Some(wish) = wish.filter(|wish| rush.wants(wish)) {
            wish.is_instant = true;
            doors::finish_now(world, DoorId::from(index));
        }
    }
}

fn answer_paths(world: &mut World, rush: &Rush) {
    for &token in &rush.paths {
        if let Some(query) = world.requests.take(token) {
            let answer = world.nav.plan(&query, &mut world.scratch);
            world.path_counts.expansions += u64::from(answer.expansions);
            paths::tell(world, token, answer);
        }
    }
}

fn look_at_regions(world: &mut World, bodies: &[CharacterId]) {
    for &id in bodies {
        if let Some(character) = world.characters.get_mut(id)
            && character.displaced == Displaced::No
        {
            character.displaced = Displaced::Skipped;
        }
    }
    regions::look_for(world, bodies);
    for &id in bodies {
        if let Some(character) = world.characters.get_mut(id) {
            character.displaced = Displaced::No;
        }
    }
}

/// The ticks that passed have passed for the walks and animations that go on, and for nothing else.
fn give_back_time(world: &mut World, walks: &[WalkId], bodies: &[CharacterId], passed: u64) {
    for &id in walks {
        if let Some(walk) = world.walks.get_mut(id) {
            walk.skipped_ticks += passed;
        }
    }
    for &id in bodies {
        if let Some(character) = world.characters.get_mut(id) {
            character.body.velocity = glam::Vec3::ZERO;
            if let Some(until) = character.play.as_mut().and_then(|play| play.until.as_mut()) {
                until.0 = until.0.saturating_sub(passed);
            }
        }
    }
}
