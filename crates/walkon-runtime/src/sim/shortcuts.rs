//! Parts of steps 5 and 6: walks look for a better way because the map changed.
//!
//! In: changes of the map, walks whose way is still clear. Out: walks that ask for a path, as `Ask::Better`;
//! the answer is taken only if it is cheaper by a tenth (`paths`). Holds: a walk asks only where a better way
//! is possible, by a bound that needs no search: a way through what changed is no shorter than straight lines
//! there and on to the end, or what it walks on costs something else now; it asks at once when the change
//! lies near it, else within a bounded time, a few walks in each step; a walker that was turned back on a
//! shortcut rests from them, each time twice as long, so that a door which opens and closes all the time
//! sends nobody back and forth. Not here: ways that are not clear any more, which are asked for at once
//! (`edits`).

use glam::Vec3;

use crate::base::geom::{Bounds, Point, flat_distance, ground};
use crate::base::ids::WalkId;
use crate::base::ordered;
use crate::base::time::TickNumber;
use crate::nav::{MapChange, NavMap, Traversal};
use crate::sim::repath;
use crate::world::clock::Clock;
use crate::world::walk::{Ask, Following, Walk};

/// How near a change is seen at once, metres: across a room.
const NEAR_M: f64 = 12.0;
/// Looks that are let begin in one step while so many searches or fewer are under way: enough that a thousand
/// walks have all looked within two seconds, few enough that the searches of others do not wait for them.
const SEARCHES_PER_STEP_MAX: usize = 16;
/// Seconds between two looks of one walk, unless the change is near.
const COOLDOWN_S: f64 = 1.0;
/// Seconds for which a walker that was turned back for the first time rests from shortcuts.
const REST_S: f64 = 4.0;
/// The longest that it rests, as a number of doublings: a minute.
const DOUBLINGS_MAX: u32 = 4;

/// Has a walk look for a better way if a change of the map may have made one, now or later. Its character
/// stands at `place`.
pub(crate) fn note(clock: &Clock, nav: &NavMap, walk: &mut Walk, place: Vec3, change: &MapChange) {
    // An answer that is on its way, and is not left unused, will be about the map as it is now.
    let asks = walk.ask.or(walk.token.map(|(_, why)| why));
    if asks.is_some_and(|why| !why.is_look()) || !may_be_better(nav, walk, place, change) {
        return;
    }
    let now = walk.clock(clock.landing());
    let is_near = distance_m(change, place) <= NEAR_M;
    let is_resting = walk.shortcuts.rests_until > now && (walk.shortcuts.turned_back > 0 || !is_near);
    let from = if is_resting { walk.shortcuts.rests_until } else { now };
    walk.shortcuts.due = Some(walk.shortcuts.due.map_or(from, |due| due.min(from)));
}

/// The way of a walk was closed before it. On a shortcut that counts: it rests from them, twice as long each
/// time.
pub(crate) fn note_turned_back(clock: &Clock, walk: &mut Walk, change: &MapChange) {
    if !change.closed || !walk.shortcuts.is_on_one {
        return;
    }
    let rest_ticks = clock.rate.ticks(REST_S) << walk.shortcuts.turned_back.min(DOUBLINGS_MAX);
    walk.shortcuts.is_on_one = false;
    walk.shortcuts.turned_back += 1;
    walk.shortcuts.rests_until = walk.clock(clock.landing()).after(rest_ticks);
}

/// The tick in which a walk became due to look, if it is due and waits for no other answer.
pub(crate) fn due(landing: TickNumber, walk: &Walk) -> Option<TickNumber> {
    let due = walk.shortcuts.due.filter(|_| walk.is_open())?;
    let is_idle = walk.ask.is_none() && walk.token.is_none();
    (is_idle && due <= walk.clock(landing)).then_some(due)
}

/// Those of the walks that are to look whose turn it is while so many searches are under way: the one that
/// has waited longest first, then in order of creation. At least one, so that every walk has its turn however
/// many there are.
pub(crate) fn first_of(searches: usize, mut due: Vec<(TickNumber, WalkId)>) -> impl Iterator<Item = WalkId> {
    // Stable: among equals the order is that of creation.
    ordered::sort_by_key(&mut due, |&(since, _)| since);
    let room = SEARCHES_PER_STEP_MAX.saturating_sub(searches).max(1);
    due.into_iter().take(room).map(|(_, id)| id)
}

/// Has a walk look for a better way.
pub(crate) fn ask(clock: &Clock, walk: &mut Walk) {
    let next = walk.clock(clock.landing()).after(clock.rate.ticks(COOLDOWN_S));
    walk.shortcuts.due = None;
    walk.shortcuts.rests_until = walk.shortcuts.rests_until.max(next);
    walk.ask_for(Ask::Better);
}

/// Whether another way may be better than the one in use, now that the map has changed.
fn may_be_better(nav: &NavMap, walk: &Walk, position: Vec3, change: &MapChange) -> bool {
    let Some(following) = &walk.following else {
        return false;
    };
    let Some(&end) = following.cursor.ahead(&following.path).last() else {
        return false;
    };
    // A door that closes makes the way longer too for a walker that can open it.
    let is_costlier = || {
        (change.recosted || change.closed && !following.path.crossings.is_empty())
            && crosses(walk, position, change)
    };
    let is_shorter = || {
        let least = f64::from(nav.cheapest_factor_for(walk.options.areas.as_deref()));
        let rest_m = f64::from(repath::CHEAPER) * planned_cost_m(following, position, least);
        let margin_m = f64::from(2.0 * nav.node_m());
        let through_m = |bounds: &Bounds| {
            let bounds = bounds.grown(margin_m);
            away_m(&bounds, ground(position)) + away_m(&bounds, ground(end))
        };
        let is_possible = |bounds: &Bounds| least * through_m(bounds) < rest_m;
        (change.opened || change.recosted) && change.parts.iter().any(|part| is_possible(&part.bounds))
    };
    is_costlier() || is_shorter()
}

/// The most that what is left of a way can have cost when it was planned, metres: what was walked cost the
/// least there is.
fn planned_cost_m(following: &Following, position: Vec3, least: f64) -> f64 {
    let path = &following.path;
    let walked_m = f64::from(path.length_m - following.cursor.left_m(path, position)).max(0.0);
    f64::from(path.cost_m) - least * walked_m
}

/// Whether what is left of a way meets the changed ground.
fn crosses(walk: &Walk, position: Vec3, change: &MapChange) -> bool {
    repath::legs(walk.following.as_ref(), position).any(|(from, to)| {
        let leg = Bounds::of(&[ground(from), ground(to)]);
        change.parts.iter().any(|part| leg.overlaps(&part.bounds))
    })
}

fn distance_m(change: &MapChange, place: Vec3) -> f64 {
    let distances = change.parts.iter().map(|part| away_m(&part.bounds, ground(place)));
    distances.fold(f64::INFINITY, f64::min)
}

/// Metres from a point to a rectangle.
fn away_m(bounds: &Bounds, point: Point) -> f64 {
    let beyond = |axis: usize| (bounds.min[axis] - point[axis]).max(point[axis] - bounds.max[axis]).max(0.0);
    libm::hypot(beyond(0), beyond(1))
}

/// What is left of a way costs on the map as it is, metres, doors that are yet to open included; None when
/// something is in its way.
pub(crate) fn rest_cost_m(
    nav: &NavMap,
    mut by: Traversal,
    position: Vec3,
    following: &Following,
) -> Option<f32> {
    // A walker that stands where the ground went away is led out of it first, by any way.
    let mut is_judged = nav.is_walkable(position, &by);
    let mut from = position;
    let mut cost_m = 0.0;
    let mut links = following.path.layers.iter().peekable();
    for &to in following.cursor.ahead(&following.path) {
        let mut is_link = false;
        if let Some(link) = links.next_if(|link| link.from == from) {
            by.layer = link.layer;
            cost_m += link.length_m;
            is_link = to == link.to;
        }
        if !is_link {
            cost_m += match is_judged {
                true => nav.metres(nav.straight(from, to, &by)?) as f32,
                false => flat_distance(from, to),
            };
        }
        is_judged = true;
        from = to;
    }
    let along_m = following.cursor.along_m;
    let ahead = following.path.crossings.iter().filter(|crossing| crossing.leave_m > along_m);
    let extra_m = |area| {
        let through = by.through.as_deref().unwrap_or(&[]);
        through.iter().find(|(other, _)| *other == area).map_or(0.0, |(_, extra_m)| *extra_m)
    };
    Some(cost_m + ahead.map(|crossing| extra_m(crossing.area)).sum::<f32>())
}
