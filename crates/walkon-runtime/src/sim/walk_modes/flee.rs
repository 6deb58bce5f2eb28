//! Flee: where to run, and when there is nowhere to run.
//!
//! In: where the threat is, the map. Out: a point to run to. Holds: the point is reachable and far enough, or
//! farther than where the walker stands; no way there leads nearer to the threat than where it begins, but
//! for one that moves, which is slipped past where there is room; one that is far enough stays where it is;
//! the choice costs a fixed number of questions and at most one search; every leg that does not get far
//! enough ends farther away than it began, or it is the last, so a cornered walker stands in the end. Method:
//! points on a circle around the threat, straight away first, then to both sides in turn; those in a clear
//! line before those that are only reachable; last, the best of a star of points around the walker.

use glam::Vec3;

use crate::base::geom::{flat_distance, floor_distance, ground, segment_distance_sq};
use crate::base::ids::WalkId;
use crate::base::trig;
use crate::nav::{LayerPoint, NavMap, PathAnswer, Reach, Traversal};
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
    let Some(threat) = Threat::of(parts, walk.goal) else {
        return;
    };
    let position = parts.characters.get(walk.character).map(|own| own.body.position);
    if position.is_some_and(|position| flat_distance(position, threat.position) >= flee.distance_m) {
        // Step 10 ends it.
        parts.walks.get_mut(id).into_iter().for_each(|walk| walk.ask = None);
        return;
    }
    let rested = is_rested(parts, walk);
    let threshold_m = parts.settings.crowd.target_replan_threshold_m;
    let moved = flee.seen.is_some_and(|seen| flat_distance(seen, threat.position) > threshold_m);
    let asks = matches!(walk.ask, Some(Ask::First | Ask::Leg));
    let is_idle = walk.token.is_none() && walk.ask.is_none();
    if !(asks || moved && rested && is_idle) {
        return;
    }
    // The leg that has just ended was to lead there as well, and could not: so would this one.
    let was_tried =
        |point: &Vec3| walk.ask == Some(Ask::Leg) && !moved && flat_distance(*point, walk.aim) < GAIN_M;
    let ways = Flight::of(parts, walk, threat);
    let chosen = ways.and_then(|ways| ways.choose(flee.distance_m)).filter(|point| !was_tried(point));
    flee.seen = Some(threat.position);
    run_to(parts, id, flee, chosen);
}

/// Has a walk run to a point, or stand where none is better.
fn run_to(parts: &mut Wayfinding<'_>, id: WalkId, mut flee: Flee, chosen: Option<Vec3>) {
    flee.is_cornered = chosen.is_none();
    let tick = parts.clock.landing();
    let leads_near = parts.walker(id).is_some_and(|(walk, own)| {
        let found = Threat::of(parts, walk.goal).zip(walk.following.as_ref());
        found.is_some_and(|(threat, way)| threat.is_near(own.body.position, way.cursor.ahead(&way.path)))
    });
    if let Some(walk) = parts.walks.get_mut(id) {
        walk.retargeted = walk.clock(tick);
        walk.mode = WalkMode::Flee(flee);
        match chosen {
            Some(point) => {
                walk.aim = point;
                walk.ask.get_or_insert(Ask::Target);
            }
            None => {
                walk.ask = None;
                // The threat has moved onto the way that it was on.
                walk.following = walk.following.take().filter(|_| !leads_near);
            }
        }
    }
}

/// Step 6, last part: does not take a way that leads too near to the threat, and runs to where a straight
/// line leads instead. Whether it did.
pub(super) fn shuns(parts: &mut Wayfinding<'_>, id: WalkId, mut flee: Flee, answer: &PathAnswer) -> bool {
    let [from, points @ ..] = &answer.path.points[..] else {
        return false;
    };
    let refused = parts.walks.get(id).and_then(|walk| {
        let threat = Threat::of(parts, walk.goal).filter(|threat| threat.is_near(*from, points))?;
        let elsewhere = Flight::of(parts, walk, threat)?.retreat();
        // Where others stand in that line it was tried already.
        Some((threat, elsewhere.filter(|point| flat_distance(*point, walk.aim) >= GAIN_M)))
    });
    let Some((threat, point)) = refused else {
        return false;
    };
    flee.seen = Some(threat.position);
    run_to(parts, id, flee, point);
    true
}

/// What a walker flees from.
#[derive(Clone, Copy)]
struct Threat {
    position: Vec3,
    /// Whether it comes or goes, so that to stand where one is far from it is no way out.
    is_moving: bool,
}

impl Threat {
    fn of(parts: &Wayfinding<'_>, goal: Goal) -> Option<Self> {
        let still = |position| Self { position, is_moving: false };
        match goal {
            Goal::Point(point) => Some(still(point)),
            Goal::Character(id) => parts
                .characters
                .alive(id)
                .map(|threat| Self { position: threat.body.position, is_moving: threat.is_moving }),
            Goal::Door(id) => parts.map.doors.get(id.index()).map(|door| still(door.position)),
        }
    }

    /// How near to it a way from a place may come, metres. A walker slips past one that moves where there is
    /// room.
    fn least_m(self, from: Vec3) -> f32 {
        /// A part of the distance is nearer, where the threat is next to it.
        const NEARER: f32 = 0.1;
        /// Room to slip past: half of the distance, and no less than two metres.
        const ROOM: f32 = 0.5;
        const ROOM_M: f32 = 2.0;
        let away_m = flat_distance(from, self.position);
        let least_m = away_m - GAIN_M.min(NEARER * away_m);
        if self.is_moving { least_m.min(ROOM_M.max(ROOM * away_m)) } else { least_m }
    }

    /// Whether a way from a place through points comes too near to it.
    fn is_near(self, from: Vec3, points: &[Vec3]) -> bool {
        let least_m = f64::from(self.least_m(from));
        let begins = [from].into_iter().chain(points.iter().copied());
        begins.zip(points).any(|(begin, &end)| {
            segment_distance_sq(ground(self.position), ground(begin), ground(end)) < least_m * least_m
        })
    }
}

/// A walker that flees: its place, its threat, and where it may go.
struct Flight<'a> {
    nav: &'a NavMap,
    from: Vec3,
    threat: Threat,
    facing_rad: f32,
    by: Traversal,
    /// The body without what the walk may and may not.
    bare: Traversal,
    /// The layer to flee to.
    layer: u8,
}

impl<'a> Flight<'a> {
    fn of(parts: &'a Wayfinding<'_>, walk: &Walk, threat: Threat) -> Option<Self> {
        let character = parts.characters.get(walk.character)?;
        let (by, bare, nav) = (parts.traversal_of(walk), standing_on(character), &parts.map.nav);
        let place = character.body.position;
        // From ground that was taken away the way leads to the nearest that there is.
        let from = nav.nearest(place, Settings::SNAP_M, &bare).map_or(place, |ground| ground.point);
        let layer = walk.options.layer.unwrap_or(by.layer);
        Some(Self { nav, from, threat, facing_rad: character.facing_rad, by, bare, layer })
    }

    /// Where to run; none when every place that can be seen is worse than where the walker stands.
    fn choose(&self, distance_m: f32) -> Option<Vec3> {
        let Self { nav, from, ref by, layer, .. } = *self;
        let threat = self.threat.position;
        let there = Traversal { layer, ..by.clone() };
        let away = from - threat;
        let straight = if away.length() > 1e-4 { trig::facing(away) } else { self.facing_rad };
        // A threat on another floor is fled from on one's own.
        let height_m = if floor_distance(from, threat).is_finite() { threat.y } else { from.y };
        let middle = Vec3::new(threat.x, height_m, threat.z);
        let on_circle = |spoke: u16| {
            let point = middle
                + trig::direction(straight + trig::turn_to_spoke(spoke, SPOKES)) * (distance_m + MARGIN_M);
            let ground = nav.nearest(point, SNAP_M, &there)?.point;
            (flat_distance(ground, threat) >= distance_m).then_some(ground)
        };
        let clear = (0..SPOKES).filter_map(on_circle).find(|&point| self.may_run_to(point));
        let round = || {
            let mut near = (0..2 * SPOKES_ROUND + 1).filter_map(on_circle);
            near.find(|&point| nav.reach_on(from, LayerPoint { layer, point }, by) == Reach::Yes)
        };
        clear.or_else(round).or_else(|| self.retreat())
    }

    /// Whether it may walk straight to a point, and that does not come too near to the threat.
    fn may_run_to(&self, point: Vec3) -> bool {
        // Of doors and areas the body may not enter what the walker may not, whatever others may.
        let may_walk = |by: &Traversal| self.nav.straight(self.from, point, by).is_some();
        self.layer == self.by.layer
            && !self.threat.is_near(self.from, &[point])
            && may_walk(&self.bare)
            && may_walk(&self.by)
    }

    /// The point farthest from the threat that can be walked to straight on, when that gains anything.
    fn retreat(&self) -> Option<Vec3> {
        let mut best = (flat_distance(self.from, self.threat.position) + GAIN_M, None);
        for spoke in 0..SPOKES {
            for length_m in [1.0, 2.0, 4.0, 8.0] {
                let to = self.from + trig::direction(trig::turn_to_spoke(spoke, SPOKES)) * length_m;
                let point = self.nav.slide(self.from, to, &self.bare);
                let away_m = flat_distance(point, self.threat.position);
                if away_m > best.0 && self.may_run_to(point) {
                    best = (away_m, Some(point));
                }
            }
        }
        best.1
    }
}

/// Step 10: far enough, cornered, or on to the next leg.
pub(super) fn look(parts: &mut Wayfinding<'_>, id: WalkId, flee: &Flee) -> ModeStep {
    let Some(walk) = parts.walks.get(id) else {
        return ModeStep::Over;
    };
    let Some(threat) = Threat::of(parts, walk.goal) else {
        return ModeStep::On;
    };
    let Some(position) = parts.characters.get(walk.character).map(|own| own.body.position) else {
        return ModeStep::Over;
    };
    if flat_distance(position, threat.position) >= flee.distance_m {
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
