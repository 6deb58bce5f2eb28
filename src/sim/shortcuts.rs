//! Parts of steps 5 and 6: walks look for a better way because the map changed.
//!
//! In: changes of the map, walks whose way is still clear. Out: walks that ask for a path, as `Ask::Better`;
//! the answer is taken only if it is cheaper by a tenth (`paths`). Holds: a walk asks only where a better way
//! is possible, by a bound that needs no search: a way through what changed is no shorter than straight lines
//! there and on to the end, or what it walks on costs something else now; it asks at once when the change
//! lies near it, else within a bounded time, a few walks in each step; who was turned back on a shortcut
//! rests from them, each time twice as long, so that a door which opens and closes all the time sends nobody
//! back and forth. Not here: ways that are not clear any more, which are asked for at once (`edits`).

use glam::Vec3;

use crate::base::geom::{Bounds, Point, flat_distance, ground};
use crate::base::ids::WalkId;
use crate::nav::MapChange;
use crate::sim::repath;
use crate::sim::wayfinding::Wayfinding;
use crate::world::walk::{Ask, Following, Walk};

/// How near a change is seen at once, metres: across a room.
const NEAR_M: f64 = 12.0;
/// Looks that are let begin in one step while so many searches or fewer are under way: enough that a thousand
/// walks have all looked within two seconds, few enough that the searches of others do not wait for them.
const TOGETHER: usize = 16;
/// Seconds between two looks of one walk, unless the change is near.
const APART_S: f64 = 1.0;
/// Seconds for which who was turned back for the first time rests from shortcuts.
const REST_S: f64 = 4.0;
/// The longest that it rests, as a number of doublings: a minute.
const DOUBLINGS_MAX: u32 = 4;

/// Has a walk look for a better way if a change of the map may have made one, now or later.
pub(crate) fn note(parts: &mut Wayfinding<'_>, id: WalkId, change: &MapChange) {
    let Some(walk) = parts.walks.get(id) else {
        return;
    };
    // An answer that is on its way, and is not left unused, will be about the map as it is now.
    let asks = walk.ask.or(walk.token.map(|(_, why)| why));
    if asks.is_some_and(|why| !why.is_look()) || !may_be_better(parts, walk, change) {
        return;
    }
    let now = walk.clock(parts.clock.landing());
    let is_near = distance_m(change, place_of(parts, walk)) <= NEAR_M;
    if let Some(walk) = parts.walks.get_mut(id) {
        let is_resting = walk.shortcuts.rests_until > now && (walk.shortcuts.turned_back > 0 || !is_near);
        let from = if is_resting { walk.shortcuts.rests_until } else { now };
        walk.shortcuts.due = Some(walk.shortcuts.due.map_or(from, |due| due.min(from)));
    }
}

/// The way of a walk was closed before it. On a shortcut that counts: it rests from them, twice as long each
/// time.
pub(crate) fn note_turned_back(parts: &mut Wayfinding<'_>, id: WalkId, change: &MapChange) {
    let rest_ticks = |times: u32| parts.clock.rate.ticks(REST_S) << times.min(DOUBLINGS_MAX);
    let Some(walk) = parts.walks.get(id) else {
        return;
    };
    if !change.closed || !walk.shortcuts.is_on_one {
        return;
    }
    let until = walk.clock(parts.clock.landing()).after(rest_ticks(walk.shortcuts.turned_back));
    if let Some(walk) = parts.walks.get_mut(id) {
        walk.shortcuts.is_on_one = false;
        walk.shortcuts.turned_back += 1;
        walk.shortcuts.rests_until = until;
    }
}

/// A walk that is to look now, with the time since when.
pub(crate) fn due(parts: &Wayfinding<'_>, id: WalkId) -> Option<(u64, WalkId)> {
    let walk = parts.walks.get(id).filter(|walk| walk.is_open())?;
    let due = walk.shortcuts.due?;
    let is_idle = walk.ask.is_none() && walk.token.is_none();
    (is_idle && due <= walk.clock(parts.clock.landing())).then_some((due.0, id))
}

/// Those of the walks that are to look whose turn it is: who has waited longest, then in order of creation.
/// At least one, so that everybody has its turn however many searches are under way.
pub(crate) fn first_of(
    parts: &Wayfinding<'_>,
    mut due: Vec<(u64, WalkId)>,
) -> impl Iterator<Item = WalkId> + use<> {
    // Stable: among equals the order is that of creation.
    due.sort_by_key(|&(since, _)| since);
    let room = TOGETHER.saturating_sub(parts.paths.requests.waiting()).max(1);
    due.into_iter().take(room).map(|(_, id)| id)
}

/// Has a walk look for a better way.
pub(crate) fn ask(parts: &mut Wayfinding<'_>, id: WalkId) {
    let (landing, apart_ticks) = (parts.clock.landing(), parts.clock.rate.ticks(APART_S));
    if let Some(walk) = parts.walks.get_mut(id) {
        let next = walk.clock(landing).after(apart_ticks);
        walk.shortcuts.due = None;
        walk.shortcuts.rests_until = walk.shortcuts.rests_until.max(next);
        walk.ask_for(Ask::Better);
    }
}

fn place_of(parts: &Wayfinding<'_>, walk: &Walk) -> Vec3 {
    parts.characters.get(walk.character).map_or(walk.aim, |character| character.body.position)
}

/// Whether another way may be better than the one in use, now that the map has changed.
fn may_be_better(parts: &Wayfinding<'_>, walk: &Walk, change: &MapChange) -> bool {
    let Some(following) = &walk.following else {
        return false;
    };
    let position = place_of(parts, walk);
    let Some(&end) = following.cursor.ahead(&following.path).last() else {
        return false;
    };
    // A door that closes before anyone who can open it makes the way longer too.
    let is_dearer = || {
        (change.recosted || change.closed && !following.path.crossings.is_empty())
            && crosses(walk, position, change)
    };
    let is_shorter = || {
        let own = walk.options.areas.as_deref().unwrap_or(&[]).iter().filter_map(|(_, factor)| *factor);
        let least = f64::from(own.fold(parts.map.nav.cheapest_factor(), f32::min));
        let rest_m = f64::from(repath::CHEAPER) * planned_cost_m(following, position, least);
        let margin_m = f64::from(2.0 * parts.map.nav.node_m());
        let through_m = |bounds: &Bounds| {
            let bounds = bounds.grown(margin_m);
            away_m(&bounds, ground(position)) + away_m(&bounds, ground(end))
        };
        let is_possible = |bounds: &Bounds| least * through_m(bounds) < rest_m;
        (change.opened || change.recosted) && change.parts.iter().any(|part| is_possible(&part.bounds))
    };
    is_dearer() || is_shorter()
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
pub(crate) fn rest_cost_m(parts: &Wayfinding<'_>, walk: &Walk, following: &Following) -> Option<f32> {
    let mut by = parts.traversal_of(walk);
    let position = place_of(parts, walk);
    // Anyone who stands where the ground went away is led out of it first, by any way.
    let mut is_judged = parts.map.nav.is_walkable(position, &by);
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
                true => parts.map.nav.metres(parts.map.nav.straight(from, to, &by)?) as f32,
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
