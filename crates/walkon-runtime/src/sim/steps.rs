//! The parts of the world that each step reads and writes.
//!
//! In: the world. Out: the world one step later. Holds: the order of the steps stands in `game`, and again,
//! for a scene that is skipped, in `scene_fast_forward`; this is where both find them.

use crate::base::time::TickNumber;
use crate::sim::cull::{self, Culled};
use crate::sim::doors::DoorParts;
use crate::sim::follow::FollowParts;
use crate::sim::integrate::IntegrateParts;
use crate::sim::interpolation::InterpolationParts;
use crate::sim::regions::RegionParts;
use crate::sim::senses::SenseParts;
use crate::sim::wayfinding::Wayfinding;
use crate::sim::yielding::YieldingParts;
use crate::sim::{
    arrivals, avoid, doors, edits, follow, ground_queries, integrate, interpolation, paths, regions, senses,
    yielding,
};
use crate::world::World;
use crate::world::bystander_index::People;
use crate::world::owner::Owner;
use crate::world::scratch::Scratch;

/// Step 4.
pub fn doors(world: &mut World) {
    doors::run(&mut door_parts(world));
}

pub(crate) fn door_parts(world: &mut World) -> DoorParts<'_> {
    let World { clock, map, characters, events, .. } = world;
    DoorParts { tick: clock.tick, rate: clock.rate, map, characters, events }
}

/// Step 5.
pub fn edits(world: &mut World) {
    let (mut parts, interpolations) = Wayfinding::with_interpolations(world);
    edits::run(&mut parts, interpolations);
}

/// Step 6.
pub fn paths(world: &mut World) {
    paths::run(&mut Wayfinding::of(world));
}

/// Step 7.
pub fn follow(world: &mut World) {
    let World { clock, settings, map, characters, walks, events, scratch, .. } = world;
    let (crowd, step) = (&settings.crowd, &mut scratch.step);
    follow::run(&mut FollowParts { clock, crowd, map, characters, walks, events, step });
}

/// Step 8.
pub fn avoid(world: &mut World) {
    let World { clock, map, characters, walks, settings, scratch, .. } = world;
    ground_queries::prepare(map, characters, scratch.step.cast.as_ref(), scratch.step.threads);
    let Scratch { leaders, step, .. } = scratch;
    avoid::run(clock, map, People { characters, walks, crowd: &settings.crowd, leaders }, step);
}

/// Step 9, as a step of the crowd begins.
pub fn integrate(world: &mut World) {
    let World { clock, settings, map, characters, walks, interpolations, events, scratch, .. } = world;
    let Scratch { leaders, step, .. } = scratch;
    let crowd = &settings.crowd;
    integrate::run(&mut IntegrateParts {
        clock,
        crowd,
        map,
        characters,
        walks,
        interpolations,
        events,
        step,
    });
    yielding::run(&mut YieldingParts { clock, crowd, map, characters, walks, leaders, events, step });
}

/// Step 9, in every tick.
pub fn interpolate(world: &mut World) {
    let World { clock, map, characters, walks, interpolations, events, scratch, .. } = world;
    let step = &scratch.step;
    interpolation::run(&mut InterpolationParts {
        clock,
        map,
        characters,
        walks,
        interpolations,
        events,
        step,
    });
    scratch.bystanders.forget();
    scratch.leaders.forget();
}

/// Step 10.
pub fn arrivals(world: &mut World) {
    arrivals::run(&mut Wayfinding::of(world));
}

/// Step 11.
pub fn regions(world: &mut World) {
    let now = world.clock.tick;
    regions::run(region_parts(world, now));
}

pub(crate) fn region_parts(world: &mut World, tick: TickNumber) -> RegionParts<'_> {
    let World { settings, map, characters, triggers, events, .. } = world;
    let insiders_max = regions::insiders_max(&settings.limits);
    RegionParts { tick, insiders_max, nav: &map.nav, characters, triggers, events }
}

/// Step 11, after regions: what characters see and hear.
pub fn senses(world: &mut World) {
    senses::run(&mut sense_parts(world));
}

/// The same for watches of these owners alone; how often they looked along the ground.
pub(crate) fn senses_of(world: &mut World, owners: &[Owner]) -> u64 {
    senses::run_for(&mut sense_parts(world), owners)
}

fn sense_parts(world: &mut World) -> SenseParts<'_> {
    let World { clock, settings, map, characters, senses, events, .. } = world;
    let looks_max = settings.limits.looks_per_tick;
    let sightings_max = senses::sightings_max(&settings.limits);
    SenseParts { clock, looks_max, sightings_max, map, characters, senses, events }
}

/// Step 13.
pub fn cull(world: &mut World) -> Culled {
    cull::run(&mut world.characters, &mut world.walks)
}
