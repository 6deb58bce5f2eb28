//! Verbs about paths asked for by scripts and hosts: searched at once, or over the next ticks.

use glam::Vec3;

use crate::base::ids::PathToken;
use crate::nav::{Accept, PathAnswer, PathQuery, Traversal};
use crate::world::World;

/// The query of a path between two points, under the level's limit of expansions.
#[must_use]
pub fn query(world: &World, start: Vec3, goal: Vec3, by: Traversal) -> PathQuery {
    let expansions_max = world.settings.limits.expansions_per_path.unwrap_or(u32::MAX);
    PathQuery { start, goal, by, accept: Accept::Nearest, expansions_max, others: None }
}

/// Searches at once, to the end. Cost: the expansions of the answer.
pub fn find(world: &mut World, query: &PathQuery) -> PathAnswer {
    world.nav.prepare(&query.by);
    let answer = world.nav.plan(query, &mut world.scratch);
    world.path_counts.requests += 1;
    world.path_counts.expansions += u64::from(answer.expansions);
    answer
}

/// Asks for a path; the answer comes as an event.
pub fn request(world: &mut World, query: PathQuery) -> PathToken {
    world.nav.prepare(&query.by);
    world.path_counts.requests += 1;
    world.requests.push(query)
}

/// Takes a request back; it delivers nothing afterwards.
pub fn cancel(world: &mut World, token: PathToken) {
    world.requests.cancel(token);
}
