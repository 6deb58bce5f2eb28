//! Verbs about path requests of scripts and hosts: searched at once, or over the next ticks.
//!
//! In: queries. Out: answers, or a token whose answer comes in step 6. Holds: a search changes nothing of the
//! state. Not here: searching (`nav`), ways of walks (`walks`).

use std::sync::Arc;

use glam::Vec3;

use crate::base::ids::{CharacterId, PathToken};
use crate::nav::{PathAnswer, PathFailure, PathQuery, Search, SearchRecord, Traversal};
use crate::world::World;
use crate::world::bystanders::{Bystanders, Straight};

/// The query of a path between two points, under the level's limit of expansions, with nobody in the way.
#[must_use]
pub fn query(world: &World, start: Vec3, goal: Vec3, by: Traversal) -> PathQuery {
    let expansions_max = world.settings.limits.expansions_per_path.unwrap_or(u32::MAX);
    PathQuery { expansions_max, ..PathQuery::new(start, goal, by) }
}

/// The same around the people now in the way, but for some; and those people. Cost: as [`World::bystanders`].
pub fn query_around(
    world: &mut World,
    start: Vec3,
    goal: Vec3,
    by: Traversal,
    but: &[CharacterId],
) -> (PathQuery, Option<Bystanders>) {
    let doors = world.map.doors_through(&by);
    let goes_through = Some(doors.as_slice());
    let line = Straight { from: start, to: goal, layer: by.layer, keeps_off: None, goes_through, but };
    let around = world.bystanders(line);
    let others = around.as_ref().map(|around| Arc::clone(around.discs()));
    (PathQuery { others, ..query(world, start, goal, by) }, around)
}

/// Makes the map ready for a kind of body, as it is for walkers: questions to the map itself then get the
/// same answers.
pub fn prepare(world: &mut World, by: &Traversal) {
    world.map.nav.prepare(by);
}

/// Searches at once, to the end. Cost: the expansions of the answer.
pub fn find(world: &mut World, query: &PathQuery) -> PathAnswer {
    world.map.nav.prepare(&query.by);
    let answer = world.map.nav.plan(query, &mut world.scratch.search);
    world.scratch.path_counts.requests += 1;
    world.scratch.path_counts.expansions += u64::from(answer.expansions);
    answer
}

/// A path with what was looked at for it.
#[derive(Clone, Debug)]
pub struct RecordedPath {
    /// The path.
    pub answer: PathAnswer,
    /// What was looked at.
    pub record: SearchRecord,
    /// How long the search took.
    pub seconds: f64,
}

/// Asks the map as walkers do: once for the time it takes by the clock of the host, once more for what is
/// looked at. Cost: three searches.
pub fn find_recorded(world: &mut World, query: &PathQuery, clock_s: &mut dyn FnMut() -> f64) -> RecordedPath {
    prepare(world, &query.by);
    let nav = world.nav();
    let mut search = Search::default();
    // The first answer pays for memory that later ones find ready.
    let _ = nav.plan(query, &mut search);
    let began_s = clock_s();
    let answer = nav.plan(query, &mut search);
    let seconds = clock_s() - began_s;
    let (_, record) = nav.plan_recorded(query, &mut search);
    RecordedPath { answer, record, seconds }
}

/// Asks for a path; the answer comes as an event, with the character of `around` that stands on the goal.
pub fn request(world: &mut World, query: PathQuery, around: Option<Bystanders>) -> PathToken {
    world.map.nav.prepare(&query.by);
    world.scratch.path_counts.requests += 1;
    let token = world.paths.requests.push(query);
    if let Some(around) = around {
        world.paths.asked_around.insert(token, around);
    }
    token
}

/// Takes a request back; it delivers nothing afterwards.
pub fn cancel(world: &mut World, token: PathToken) {
    world.paths.requests.cancel(token);
    world.paths.asked_around.remove(token);
}

/// The character of `around` that stands on the goal of a path: none when the goal cannot be reached anyway.
#[must_use]
pub fn holder(around: Option<&Bystanders>, answer: &PathAnswer) -> Option<CharacterId> {
    let covered = answer.covered.filter(|_| answer.trouble == Some(PathFailure::Occupied))?;
    around?.who().get(covered as usize).copied()
}
