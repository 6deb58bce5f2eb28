//! Fast-forwards a skipped scene: runs the same steps as a tick, for the characters that take part.
//!
//! In: a stretch of a scene (`world::scene_fast_forward`), steps that may be spent. Out: how many ticks of
//! the scene passed, none of which passed for any other character. Holds: paths are searched within the
//! budget of a tick, bodies follow, avoid, are pushed and arrive by the same functions and in the same order
//! as in a tick that is watched, so that every character comes to stand where it would have come to stand, to
//! the bit, as long as no character outside the scene walks there; a door reaches its final state at once,
//! and is `occupied` when a character is in its way; it stops as soon as there is an event, so that its
//! listeners can act on it before the scene goes on. Not here: the tasks of the scene
//! (`script::step::skipping`), which characters take part (`world::scene_fast_forward`).

use glam::Vec3;

use crate::base::ids::{CharacterId, DoorId, WalkId};
use crate::base::ordered;
use crate::base::time::TickNumber;
use crate::sim::{doors, interpolation, regions, steps};
use crate::world::World;
use crate::world::interpolation::Interpolation;
use crate::world::region::{Triggers, Watch, WatchShape};
use crate::world::scene_fast_forward::{Cast, FastForward, Passed, SkipProgress};

/// Ticks between two looks at the characters nearby: half a second at the usual rate.
const LOOK_TICKS: u64 = 30;

/// Looks of watches along the ground for the cost of a step.
const LOOKS_PER_STEP: u64 = 4;

/// What waits aside while the time of a scene passes: the walks and the steps of every other character.
struct SetAside {
    walks: Vec<WalkId>,
    interpolations: Vec<Interpolation>,
}

/// From here on only the scene's walks go on, and only the characters that take part move.
fn begin(world: &mut World, forward: &FastForward, fast_forwarded_ticks: u64) -> SetAside {
    (world.clock.is_skipping, world.clock.fast_forwarded_ticks) = (true, fast_forwarded_ticks);
    let cast = Cast::of(&world.characters, &world.walks, forward);
    let open = forward.open_walks(&world.walks);
    let (own, interpolations) = std::mem::take(&mut world.interpolations)
        .into_iter()
        .partition(|interpolation| cast.is_free(interpolation.who));
    world.interpolations = own;
    world.scratch.step.cast = Some(cast);
    SetAside { walks: world.walks.look_at_only(open), interpolations }
}

/// Every other character goes on where it was.
fn end(world: &mut World, aside: SetAside) {
    world.walks.look_at_only(aside.walks);
    world.interpolations.extend(aside.interpolations);
    world.scratch.bystanders.forget();
    world.scratch.leaders.forget();
    (world.clock.is_skipping, world.clock.fast_forwarded_ticks, world.scratch.step.cast) = (false, 0, None);
}

/// Lets the time of a scene pass, until something is to be told, its ticks are over, a predicate or a first
/// look is due, or the steps are spent: a step is a tick of one body. A tick that has begun is left to
/// [`finish`].
pub fn run(world: &mut World, forward: &FastForward, before: SkipProgress, steps_left: &mut u64) -> Passed {
    let (start, told) = (world.clock.tick, world.events.waiting());
    let aside = begin(world, forward, before.ticks);
    // Whether whole steps of the crowd have moved nobody: then none will.
    let has_been_quiet = before.quiet_ticks >= world.clock.rate.ticks_per_step();
    let mut ticks = forward.ticks_to_stop(if has_been_quiet { before.quiet_ticks } else { 0 });
    if world.triggers.watches.values().any(|watch| watch.enabled && watch.fresh.is_some()) {
        // What it finds is counted before anybody leaves again.
        ticks = Some(ticks.map_or(1, |ticks| ticks.min(1)));
    }
    // Looking for those that take part.
    *steps_left = steps_left.saturating_sub(passing(world));
    finish_doors(world, forward);
    steps::edits(world);
    let walks = forward.open_walks(&world.walks);
    let bodies = forward.bodies(&world.characters, &world.walks, &walks);
    if world.triggers.is_behind {
        regions::run_before(steps::region_parts(world, start), &bodies);
    }
    let (mut passed, mut has_begun) = (0, false);
    let (mut is_quiet, mut has_moved) = (has_been_quiet, false);
    // Bounded by the steps: every round spends some. A step of the crowd that has begun is not left before it
    // lands.
    while world.events.waiting() == told
        && ticks != Some(passed)
        && (*steps_left > 0 || !world.clock.lands_step())
    {
        let is_still = is_quiet && waits_for_nothing(world, forward, &bodies);
        if let Some(ticks) = ticks.filter(|&ticks| is_still || ticks == passed + 1) {
            (passed, has_begun) = (ticks, true);
            break;
        }
        if is_still {
            break;
        }
        if passed > 0 && passed.is_multiple_of(LOOK_TICKS) {
            world.scratch.step.cast = Some(Cast::of(&world.characters, &world.walks, forward));
        }
        passed += 1;
        world.clock.tick = start.after(passed);
        *steps_left = steps_left.saturating_sub(cost(world, &bodies));
        let begins = world.clock.begins_step();
        let moves = step_on(world, forward, StepOfScene { bodies: &bodies, now: start }, steps_left);
        has_moved |= moves;
        is_quiet = (is_quiet || begins) && !moves;
    }
    let is_quiet = !has_moved && waits_for_nothing(world, forward, &bodies);
    pass_time(world, forward, passed);
    world.clock.tick = start;
    end(world, aside);
    Passed { ticks: passed, has_begun, is_quiet }
}

/// Whether none of its walks, searches, turns and animations is under way.
fn waits_for_nothing(world: &World, forward: &FastForward, bodies: &[CharacterId]) -> bool {
    let is_busy = |&id: &CharacterId| world.characters.get(id).is_some_and(FastForward::is_busy);
    let searches = forward.paths.iter().any(|&token| world.paths.requests.is_open(token));
    !searches && !bodies.iter().any(is_busy) && forward.open_walks(&world.walks).is_empty()
}

/// Who takes a step of a scene, while everybody else is in tick `now`.
struct StepOfScene<'a> {
    bodies: &'a [CharacterId],
    now: TickNumber,
}

/// Steps 4 to 11, as in any tick, but for doors; whether they moved anybody, or will.
fn step_on(world: &mut World, forward: &FastForward, of: StepOfScene<'_>, steps_left: &mut u64) -> bool {
    let before = places(world);
    finish_doors(world, forward);
    steps::edits(world);
    steps::paths(world);
    if world.clock.begins_step() {
        steps::follow(world);
        steps::avoid(world);
        steps::integrate(world);
    }
    steps::interpolate(world);
    steps::arrivals(world);
    let moved = moved_since(world, &before, of.bodies);
    regions::run_for(steps::region_parts(world, of.now), &moved);
    let looks = steps::senses_of(world, &forward.owners);
    *steps_left = steps_left.saturating_sub(searched(world) + looks / LOOKS_PER_STEP);
    !world.interpolations.is_empty() || places(world) != before
}

/// Ends a tick that has begun: what the scene's scripts have asked for in it is done. So many ticks of the
/// scene have passed in this tick, the one that has begun among them. Whether it moved anybody, or will.
pub fn finish(world: &mut World, forward: &FastForward, passed_ticks: u64, steps_left: &mut u64) -> bool {
    let aside = begin(world, forward, passed_ticks);
    let walks = forward.open_walks(&world.walks);
    let bodies = forward.bodies(&world.characters, &world.walks, &walks);
    *steps_left = steps_left.saturating_sub(cost(world, &bodies));
    let now = world.clock.tick;
    let has_moved = step_on(world, forward, StepOfScene { bodies: &bodies, now }, steps_left);
    let is_quiet = !has_moved && waits_for_nothing(world, forward, &bodies);
    end(world, aside);
    !is_quiet
}

/// Nothing of a scene is skipped any more in this tick: a body within a step of the crowd comes to its end,
/// because the steps of the world begin and land at other times.
pub fn land(world: &mut World, forward: &FastForward) {
    let cast = Cast::of(&world.characters, &world.walks, forward);
    interpolation::land(&mut world.interpolations, &mut world.characters, cast.free());
}

/// What a tick costs before its searches: those of the scene are looked at from all sides, each of them looks
/// at those near it, others are looked at in passing, and all of the level by number.
fn cost(world: &World, bodies: &[CharacterId]) -> u64 {
    /// Other characters that are looked at for the cost of one of the scene.
    const OTHERS: usize = 16;
    /// Characters that one of the scene looks at, at most.
    const NEIGHBOURS_MAX: usize = 64;
    let all = passing(world);
    if !world.clock.begins_step() {
        // Between two steps of the crowd every character is only brought along.
        return all;
    }
    let others = Cast::looked_at(world.scratch.step.cast.as_ref(), &world.characters).len();
    // What the ground under a body costs, and how many neighbours it looks at for as much: on a mesh and on a
    // graph the ground between the two is looked for as well. In one crowd, measured over a grid and a mesh,
    // a body with forty others about takes 8 and 45 microseconds.
    let (ground, neighbours) = if world.map.nav.cells().is_some() { (1, 32) } else { (2, 6) };
    let pairs = bodies.len() * others.min(NEIGHBOURS_MAX);
    all + (bodies.len() * ground + pairs / neighbours + (others + glances(world, bodies)) / OTHERS) as u64
}

/// What the searches of a tick cost.
fn searched(world: &World) -> u64 {
    /// Expansions of a search over squares for the cost of a step of one body.
    const EXPANSIONS: u64 = 64;
    world.scratch.path_counts.in_tick * world.map.nav.expansion_price() / EXPANSIONS
}

/// What it costs to pass over all characters of the level.
fn passing(world: &World) -> u64 {
    /// Characters that are passed over for the cost of one of the scene.
    const PASSED: usize = 512;
    // On a mesh bodies are looked for among triangles.
    let ground = if world.map.nav.mesh().is_some() { 2 } else { 1 };
    ground + (world.characters.ids().len() / PASSED) as u64
}

/// How often regions and watches look at a character in a tick: at those of the scene, and a watch around one
/// of them at every character.
fn glances(world: &World, bodies: &[CharacterId]) -> usize {
    let Triggers { regions, watches, .. } = &world.triggers;
    let travels = |watch: &&Watch| matches!(watch.ground, WatchShape::Around { character, .. } if bodies.contains(&character));
    let travelling = watches.values().filter(travels).count();
    (regions.len() + watches.len()) * bodies.len() + travelling * world.characters.count()
}

/// Where every character is that may move, and who it is.
fn places(world: &World) -> Vec<(CharacterId, Vec3)> {
    let free = world.scratch.step.cast.as_ref().map_or(&[][..], Cast::free);
    let place = |&id: &CharacterId| Some((id, world.characters.get(id)?.body.position));
    free.iter().filter_map(place).collect()
}

/// Those of a scene, and others that are elsewhere than before because they were asked aside or pushed, in
/// order of creation.
fn moved_since(world: &World, before: &[(CharacterId, Vec3)], bodies: &[CharacterId]) -> Vec<CharacterId> {
    let is_elsewhere = |id: CharacterId, place: Vec3| {
        world.characters.get(id).is_some_and(|character| character.body.position != place)
    };
    let others = before.iter().filter(|(id, place)| !bodies.contains(id) && is_elsewhere(*id, *place));
    let others: Vec<CharacterId> = others.map(|&(id, _)| id).collect();
    let mut moved = bodies.to_vec();
    if !others.is_empty() {
        moved.extend(others);
        ordered::sort_by_key(&mut moved, |&id| world.characters.get(id).map_or(0, |one| one.serial));
    }
    moved
}

/// Brings doors to their final state; those that wait for a clear doorway are told that it is occupied.
fn finish_doors(world: &mut World, forward: &FastForward) {
    for index in 0..world.map.doors.len() {
        let request = world.map.doors[index].request.as_mut();
        if let Some(request) = request.filter(|request| forward.wants(request)) {
            request.is_instant = true;
            doors::finish_now(&mut steps::door_parts(world), DoorId::from(index));
        }
    }
}

/// The ticks that passed have passed for the scene's walks, for the animations of those in it, for those that
/// were asked aside, and for those that asked for another way.
fn pass_time(world: &mut World, forward: &FastForward, passed: u64) {
    let walks = forward.open_walks(&world.walks);
    for &id in &walks {
        if let Some(walk) = world.walks.get_mut(id) {
            walk.skipped_ticks += passed;
        }
    }
    for id in forward.bodies(&world.characters, &world.walks, &walks) {
        let play = world.characters.get_mut(id).and_then(|character| character.play.as_mut());
        if let Some(until) = play.and_then(|play| play.until.as_mut()) {
            until.0 = until.0.saturating_sub(passed);
        }
    }
    let World { scratch, characters, .. } = world;
    for &id in scratch.step.cast.as_ref().map_or(&[][..], Cast::free) {
        let Some(character) = characters.get_mut(id) else { continue };
        if let Some(nudge) = &mut character.nudge {
            nudge.until.0 = nudge.until.0.saturating_sub(passed);
        }
        for past in character.nudged.iter_mut().chain(&mut character.replan.since) {
            past.pass(passed);
        }
    }
    let own = world.senses.watches.values_mut().filter(|watch| forward.owners.contains(&watch.owner));
    for sighting in own.flat_map(|watch| watch.known.values_mut()) {
        sighting.tick.0 = sighting.tick.0.saturating_sub(passed);
    }
}
