//! Step 6: path requests, worked off within the budget.
//!
//! In: walks that ask, requests under way, the map. Out: paths on walks, walks settled for want of one,
//! answers for scripts. Holds: at most the budget of expansions a tick; a walk keeps its old path until
//! the new one is there; a new path is joined where the body stands by then, never walked back (seed:N4); who made a
//! plan because of a door does not swing between the door and the detour (lua-api 9, rule 4).

use crate::base::geom::flat_distance;
use crate::base::ids::WalkId;
use crate::crowd::follow::Cursor;
use crate::nav::{Accept, Path, PathAnswer, PathQuery, PathStatus, Traversal};
use crate::sim::courses;
use crate::world::World;
use crate::world::course::Course;
use crate::world::event::Event;
use crate::world::ops::walks::{conclude, retarget_path, traversal_of};
use crate::world::outcome::{Reason, Status};
use crate::world::walk::{Ask, Following, Goal, Phase, Walk};

/// Sends what is asked, works, hands out what is ready.
pub fn run(world: &mut World) {
    for id in world.open_walks() {
        courses::aim(world, id);
        send(world, id);
    }
    let mut answers = Vec::new();
    let budget = world.settings.path_budget;
    let spent = world.requests.step(&world.nav, budget, &mut answers);
    world.path_counts.expansions += u64::from(spent);
    world.path_counts.max_per_tick = world.path_counts.max_per_tick.max(u64::from(spent));
    world.path_counts.in_tick = u64::from(spent);
    world.path_counts.restarts = world.requests.restarts();
    for (token, answer) in answers {
        match world.askers.remove(token) {
            Some(walk) => deliver(world, walk, answer),
            None => world.events.push(Event::PathAnswered { token, answer: Box::new(answer) }),
        }
    }
}

fn send(world: &mut World, id: WalkId) {
    let Some(walk) = world.walks.get(id) else {
        return;
    };
    let (Some(ask), Some(character)) = (walk.ask, world.characters.get(walk.character)) else {
        return;
    };
    let accept = if walk.sets_out_for_exact_goals_only() { Accept::Exact } else { Accept::Nearest };
    let (start, by) = (character.body.position, traversal_of(world, walk));
    let expansions_max = world.settings.limits.expansions_per_path.unwrap_or(u32::MAX);
    let query = PathQuery { start, goal: walk.aim, by, accept, expansions_max, others: None };
    if let Some((stale, _)) = walk.token {
        world.requests.cancel(stale);
        world.askers.remove(stale);
    }
    world.nav.prepare(&query.by);
    let token = world.requests.push(query);
    world.askers.insert(token, id);
    world.path_counts.requests += 1;
    if let Some(walk) = world.walks.get_mut(id) {
        walk.planned_aim = walk.aim;
        walk.token = Some((token, ask));
        walk.ask = None;
    }
}

/// Serves what a walk asks, or has asked, at once and whatever the budget: for scenes that are skipped.
pub(crate) fn serve(world: &mut World, id: WalkId) {
    courses::aim(world, id);
    send(world, id);
    let Some((token, _)) = world.walks.get(id).and_then(|walk| walk.token) else {
        return;
    };
    world.askers.remove(token);
    if let Some(query) = world.requests.take(token) {
        let answer = world.nav.plan(&query, &mut world.scratch);
        world.path_counts.expansions += u64::from(answer.expansions);
        deliver(world, id, answer);
    }
}

fn deliver(world: &mut World, id: WalkId, answer: PathAnswer) {
    let Some(walk) = world.walks.get_mut(id).filter(|walk| walk.is_open()) else {
        return;
    };
    let why = walk.token.take().map_or(Ask::First, |(_, why)| why);
    if let Some(kept) = kept_plan(world, id, (why, &answer)) {
        if let Some(walk) = world.walks.get_mut(id) {
            walk.following = Some(kept);
        }
        return;
    }
    let Some(walk) = world.walks.get_mut(id) else {
        return;
    };
    walk.is_door_plan = why == Ask::Door;
    if !matches!(why, Ask::First | Ask::Leg) {
        walk.repaths += 1;
        world.events.push(Event::Replanned { walk: id, why });
    }
    let is_exact = walk.sets_out_for_exact_goals_only();
    let trouble = answer.trouble.map(|trouble| world.reason_of(trouble));
    let (reason, by) = trouble.unwrap_or((Reason::NoPath, None));
    if let Some(walk) = world.walks.get_mut(id) {
        walk.by = by;
    }
    if courses::answered(world, id, &answer) {
        return;
    }
    let other_aim = world.walks.get(id).is_some_and(aims_elsewhere);
    if other_aim && answer.status != PathStatus::Complete {
        // It was about a point beside the goal, and this one may do.
        if let Some(walk) = world.walks.get_mut(id) {
            walk.ask = Some(why);
        }
        return;
    }
    let refused = answer.status == PathStatus::None || (answer.status == PathStatus::Partial && is_exact);
    if refused {
        conclude(world, id, Status::Blocked, reason);
    } else {
        take(world, id, answer);
        bend(world, id);
    }
}

/// A path that was searched for the walk before, to the same goal within the threshold, is bent to end at this one's.
fn bend(world: &mut World, id: WalkId) {
    let Some(walk) = world.walks.get(id) else {
        return;
    };
    let Some(following) = walk.following.clone().filter(|way| way.path.whole) else {
        return;
    };
    if !aims_elsewhere(walk) || walk.ask.is_some() {
        return;
    }
    let bent = retarget_path(world, following, walk.aim, &traversal_of(world, walk));
    if let Some(walk) = world.walks.get_mut(id) {
        match bent {
            Some(following) => (walk.following, walk.planned_aim) = (Some(following), walk.aim),
            None => walk.ask = Some(Ask::Target),
        }
    }
}

/// Whether what was searched for is not quite where it is to go: the search was taken over from the walk before.
fn aims_elsewhere(walk: &Walk) -> bool {
    matches!(walk.goal, Goal::Point(_)) && walk.course == Course::Once && walk.aim != walk.planned_aim
}

/// The plan that a walk stays with although it has a new one, led to where that leads: one made for a door, still clear
/// without opening any, unless the new one is at least a fifth cheaper.
fn kept_plan(world: &World, id: WalkId, (why, answer): (Ask, &PathAnswer)) -> Option<Following> {
    /// What a new plan may cost of the old one to be taken.
    const CHEAPER: f32 = 0.8;
    let walk = world.walks.get(id).filter(|walk| walk.is_door_plan)?;
    let is_led = matches!(walk.course, Course::Once | Course::Follow(_)) && walk.via.is_none();
    let following = walk.following.as_ref().filter(|following| following.path.whole)?;
    if !is_led || matches!(why, Ask::First | Ask::Leg) || answer.status != PathStatus::Complete {
        return None;
    }
    let character = world.characters.get(walk.character)?;
    let by = Traversal { through: None, ..traversal_of(world, walk) };
    let mut points = vec![character.body.position];
    points.extend_from_slice(following.cursor.ahead(&following.path));
    if points.len() > 1 {
        points.pop();
    }
    points.push(*answer.path.points.last()?);
    let mut path = Path { whole: true, revision: world.nav.revision(), ..Path::default() };
    for leg in points.windows(2) {
        path.cost_m += world.nav.metres(world.nav.straight(leg[0], leg[1], &by)?) as f32;
        path.length_m += flat_distance(leg[0], leg[1]);
    }
    path.points = points;
    let is_kept = answer.path.cost_m > CHEAPER * path.cost_m;
    is_kept.then(|| Following { path, cursor: Cursor::default(), trouble: None })
}

/// Puts a new path under the walk, joined where the body stands.
fn take(world: &mut World, id: WalkId, answer: PathAnswer) {
    let Some(walk) = world.walks.get(id) else {
        return;
    };
    let by = traversal_of(world, walk);
    let Some(position) = world.characters.get(walk.character).map(|character| character.body.position) else {
        return;
    };
    let joined = join(world, answer.path, position, &by);
    let trouble = answer.trouble;
    if let Some(walk) = world.walks.get_mut(id) {
        match joined {
            Some((path, cursor)) => {
                walk.following = Some(Following { path, cursor, trouble });
                // Who stands because it wants to goes on standing.
                if !matches!(walk.phase, Phase::Content | Phase::Pausing { .. }) {
                    walk.phase = Phase::Moving;
                }
            }
            // The body was moved meanwhile to where the new path cannot be seen: ask from there.
            None => walk.ask = Some(Ask::Crowd),
        }
    }
}

/// The path and the place on it for a body that has moved on since it asked: the furthest of the next
/// points that it can walk straight to, so that it never turns back (seed:N4).
fn join(world: &World, mut path: Path, position: glam::Vec3, by: &Traversal) -> Option<(Path, Cursor)> {
    /// How many points ahead are tried; a body walks past few corners while it waits for an answer.
    const TRIED: usize = 8;
    let start = *path.points.first()?;
    if flat_distance(start, position) < 1e-4 {
        return Some((path, Cursor::default()));
    }
    let seen = (1..path.points.len().min(TRIED + 1))
        .rev()
        .find(|&index| world.nav.straight(position, path.points[index], by).is_some())?;
    let skipped_m: f32 = path.points[..=seen].windows(2).map(|pair| flat_distance(pair[0], pair[1])).sum();
    let gained_m = skipped_m - flat_distance(position, path.points[seen]);
    path.points.splice(..seen, [position]);
    path.length_m -= gained_m;
    for crossing in &mut path.crossings {
        crossing.enter_m = (crossing.enter_m - gained_m).max(0.0);
        crossing.leave_m = (crossing.leave_m - gained_m).max(0.0);
    }
    Some((path, Cursor::default()))
}
