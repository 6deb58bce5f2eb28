//! Getting away: where to run, and when there is nowhere to run.
//!
//! In: where the threat is, the map. Out: a point to run to. Holds: the point is reachable and far enough, or
//! farther than where the walker stands; one that is far enough stays where it is; the choice costs a fixed
//! number of questions; every leg that does not get far enough ends farther away than it began, or it is the
//! last, so a cornered walker stands in the end. Method: points on a circle around the threat, straight away
//! first, then to both sides in turn; those in a clear line before those that are only reachable; last, the
//! best of a star of points around the walker.

use glam::Vec3;

use crate::base::geom::{flat_distance, floor_distance};
use crate::base::ids::WalkId;
use crate::base::trig;
use crate::nav::{LayerPoint, NavMap, Reach, Traversal};
use crate::sim::walk_modes::progress::{ModeStep, RouteProgress, is_rested, way};
use crate::sim::wayfinding::Wayfinding;
use crate::world::character::standing_on;
use crate::world::goal::Goal;
use crate::world::outcome::{Reason, Status};
use crate::world::settings::Settings;
use crate::world::walk::{AcceptEnd, Ask, Phase, Walk};
use crate::world::walk_mode::{Flee, WalkMode};

/// Directions around the threat that are tried; an even number.
const SPOKES: u16 = 24;
/// Spokes to each side of straight away that may be reached by a way round, 105 degrees: beyond, the way
/// would lead past the threat.
const SPOKES_ROUND: u16 = 7;
/// Metres beyond the distance, so that a point snapped to a cell is far enough all the same.
const MARGIN_M: f32 = 0.5;
/// How far a point is snapped to ground, metres.
const SNAP_M: f32 = 1.0;
/// A step that gains less than this, metres, is none.
const GAIN_M: f32 = 0.25;

/// Step 6: chooses where to run when it has to, at most once in the cooldown.
pub(super) fn aim(parts: &mut Wayfinding<'_>, id: WalkId, mut flee: Flee) {
    let Some(walk) = parts.walks.get(id) else {
        return;
    };
    let Some(threat) = threat(parts, walk.goal) else {
        return;
    };
    let position = parts.characters.get(walk.character).map(|own| own.body.position);
    if position.is_some_and(|position| flat_distance(position, threat) >= flee.distance_m) {
        // Step 10 ends it.
        parts.walks.get_mut(id).into_iter().for_each(|walk| walk.ask = None);
        return;
    }
    let rested = is_rested(parts, walk);
    let threshold_m = parts.settings.crowd.target_replan_threshold_m;
    let moved = flee.seen.is_some_and(|seen| flat_distance(seen, threat) > threshold_m);
    let asks = matches!(walk.ask, Some(Ask::First | Ask::Leg));
    let is_idle = walk.token.is_none() && walk.ask.is_none();
    if !(asks || moved && rested && is_idle) {
        return;
    }
    // The leg that has just ended was to lead there as well, and could not: so would this one.
    let was_tried =
        |point: &Vec3| walk.ask == Some(Ask::Leg) && !moved && flat_distance(*point, walk.aim) < GAIN_M;
    let chosen = choose(parts, walk, threat, flee.distance_m).filter(|point| !was_tried(point));
    flee.seen = Some(threat);
    flee.is_cornered = chosen.is_none();
    let tick = parts.clock.landing();
    if let Some(walk) = parts.walks.get_mut(id) {
        walk.retargeted = walk.clock(tick);
        walk.mode = WalkMode::Flee(flee);
        match chosen {
            Some(point) => {
                walk.aim = point;
                walk.ask.get_or_insert(Ask::Target);
            }
            None => walk.ask = None,
        }
    }
}

fn threat(parts: &Wayfinding<'_>, goal: Goal) -> Option<Vec3> {
    match goal {
        Goal::Point(point) => Some(point),
        Goal::Character(id) => parts.characters.alive(id).map(|threat| threat.body.position),
        Goal::Door(id) => parts.map.doors.get(id.index()).map(|door| door.position),
    }
}

/// Where to run; none when every place that can be seen is worse than where the walker stands.
fn choose(parts: &Wayfinding<'_>, walk: &Walk, threat: Vec3, distance_m: f32) -> Option<Vec3> {
    let character = parts.characters.get(walk.character)?;
    let (by, bare) = (parts.traversal_of(walk), standing_on(character));
    let place = character.body.position;
    // From ground that was taken away the way leads to the nearest that there is.
    let from = parts.map.nav.nearest(place, Settings::SNAP_M, &bare).map_or(place, |ground| ground.point);
    let layer = walk.options.layer.unwrap_or(by.layer);
    let there = Traversal { layer, ..by.clone() };
    let is_here = layer == by.layer;
    let away = from - threat;
    let straight = if away.length() > 1e-4 { trig::facing(away) } else { character.facing_rad };
    // A threat on another floor is fled from on one's own.
    let height_m = if floor_distance(from, threat).is_finite() { threat.y } else { from.y };
    let middle = Vec3::new(threat.x, height_m, threat.z);
    let on_circle = |spoke: u16| {
        let point =
            middle + trig::direction(straight + trig::turn_to_spoke(spoke, SPOKES)) * (distance_m + MARGIN_M);
        let ground = parts.map.nav.nearest(point, SNAP_M, &there)?.point;
        (flat_distance(ground, threat) >= distance_m).then_some(ground)
    };
    // Of doors and areas the body may not enter what the walker may not, whatever others may.
    let may_walk =
        |point: &Vec3| [&bare, &by].into_iter().all(|by| parts.map.nav.straight(from, *point, by).is_some());
    let clear = (0..SPOKES).filter_map(on_circle).find(|point| is_here && may_walk(point));
    let round = || {
        let mut near = (0..2 * SPOKES_ROUND + 1).filter_map(on_circle);
        near.find(|&point| parts.map.nav.reach_on(from, LayerPoint { layer, point }, &by) == Reach::Yes)
    };
    let retreat = || retreat(&parts.map.nav, from, threat, &bare, may_walk);
    clear.or_else(round).or_else(|| if is_here { retreat() } else { None })
}

/// The point farthest from the threat that can be walked to straight on, when that gains anything.
fn retreat(
    nav: &NavMap,
    from: Vec3,
    threat: Vec3,
    bare: &Traversal,
    may_walk: impl Fn(&Vec3) -> bool,
) -> Option<Vec3> {
    let mut best = (flat_distance(from, threat) + GAIN_M, None);
    for spoke in 0..SPOKES {
        for length_m in [1.0, 2.0, 4.0, 8.0] {
            let to = from + trig::direction(trig::turn_to_spoke(spoke, SPOKES)) * length_m;
            let point = nav.slide(from, to, bare);
            let away_m = flat_distance(point, threat);
            if away_m > best.0 && may_walk(&point) {
                best = (away_m, Some(point));
            }
        }
    }
    best.1
}

/// Step 10: far enough, cornered, or on to the next leg.
pub(super) fn look(parts: &mut Wayfinding<'_>, id: WalkId, flee: &Flee) -> ModeStep {
    let Some(walk) = parts.walks.get(id) else {
        return ModeStep::Over;
    };
    let Some(threat) = threat(parts, walk.goal) else {
        return ModeStep::On;
    };
    let Some(position) = parts.characters.get(walk.character).map(|own| own.body.position) else {
        return ModeStep::Over;
    };
    if flat_distance(position, threat) >= flee.distance_m {
        return ModeStep::Arrived;
    }
    let has_run = walk.following.is_none()
        || matches!(way(walk), RouteProgress::AtEnd | RouteProgress::WholeAtEnd)
        || matches!(walk.phase, Phase::Beside(_));
    let is_idle = walk.token.is_none() && walk.ask.is_none();
    if flee.is_cornered && is_idle && has_run {
        let is_enough = walk.options.accept == AcceptEnd::Nearest;
        parts.conclude(id, if is_enough { Status::Arrived } else { Status::Partial }, Reason::Nearest);
        return ModeStep::Over;
    }
    if is_idle
        && has_run
        && let Some(walk) = parts.walks.get_mut(id)
    {
        walk.ask = Some(Ask::Leg);
    }
    ModeStep::On
}
