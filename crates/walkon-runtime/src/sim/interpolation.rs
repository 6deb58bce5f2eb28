//! Step 9, in every tick: moves every character towards the end of the crowd's step, turns standing
//! characters, ends animations.
//!
//! In: where the step that began with this tick, or one before, leads every character (`integrate`). Out:
//! positions and facings of this tick, ended turns and animations. Holds: the line of every step was tested
//! when it was taken, and is again when the map changes under it, so nobody is ever shown inside a wall. Not
//! here: where steps lead.

use glam::Vec3;

use crate::base::geom::{Bounds, flat_distance, ground};
use crate::base::ids::CharacterId;
use crate::base::threads::Threads;
use crate::base::time::TickNumber;
use crate::base::trig;
use crate::sim::ground_queries::GroundQueries;
use crate::sim::integrate::FINGER_M;
use crate::world::character::{Character, Characters};
use crate::world::clock::Clock;
use crate::world::crowd_step::CrowdStep;
use crate::world::event::EventQueue;
use crate::world::interpolation::Interpolation;
use crate::world::map::LevelMap;
use crate::world::ops::characters::{ActEnd, end_play, end_turn};
use crate::world::walk::{Ask, Phase, Walk};
use crate::world::walks::Walks;

/// What step 9 reads and writes in every tick.
#[derive(Debug)]
pub(crate) struct InterpolationParts<'a> {
    pub(crate) clock: &'a Clock,
    pub(crate) map: &'a LevelMap,
    pub(crate) characters: &'a mut Characters,
    pub(crate) walks: &'a Walks,
    pub(crate) interpolations: &'a mut Vec<Interpolation>,
    pub(crate) events: &'a mut EventQueue,
    pub(crate) step: &'a CrowdStep,
}

/// Advances every character by one tick.
pub(crate) fn run(parts: &mut InterpolationParts<'_>) {
    let clock = parts.clock;
    let ticks = clock.rate.ticks_per_step();
    let left_ticks = clock.landing().since(clock.tick);
    let part = (ticks - left_ticks) as f32 / ticks as f32;
    if clock.begins_step() {
        begin(parts, ticks, part);
    } else {
        go_on(parts, part);
    }
    stand(parts);
}

/// Moves a body along its step to a share of it, from 0 to 1, and returns whether it is still on its way.
fn bring(interpolation: &mut Interpolation, character: &mut Character, part: f32) -> bool {
    interpolation.bring(character, part) && part < 1.0
}

/// How far beside a line along the very edge of the ground a body is shown, metres.
const ASIDE_M: [f32; 2] = [2.5e-4, 2e-3];

/// Every character that has made a step begins it again, tick by tick. Along the very edge of the ground a
/// part of a line may not be clear although the whole of it is: there a body is shown a hair beside the line,
/// and where that is not clear either it is there at once. A character that leaves ground that went away is
/// seen to leave it.
fn begin(parts: &mut InterpolationParts<'_>, ticks: u64, part: f32) {
    let InterpolationParts { map, characters, interpolations, step, .. } = parts;
    let CrowdStep { bodies, moves, .. } = step;
    let is_in_the_open = |who: CharacterId, from: Vec3, to: Vec3| {
        let made = bodies.movers.get(who).and_then(|at| moves.get(at as usize));
        made.is_some_and(|made| made.open.shrunk(FINGER_M).holds(from, to))
    };
    retain(
        interpolations,
        characters,
        step.threads,
        || GroundQueries::again(map, &bodies.known),
        |grounds, interpolation, character| {
            (interpolation.to, interpolation.walks) =
                ((character.body.position, character.facing_rad), character.is_moving);
            let row = bodies.rows.get(interpolation.who);
            let kind = row.map_or_else(|| grounds.kind(character), |row| bodies.kinds[row as usize]);
            let ground = grounds.query(kind);
            let (from, to) = (interpolation.from.0, interpolation.to.0);
            let is_shown = |interpolation: &Interpolation| {
                let place = |tick: u64| interpolation.place(tick as f32 / ticks as f32);
                (1..=ticks).all(|tick| ground.clear(place(tick - 1), place(tick)))
            };
            let is_clear = is_in_the_open(interpolation.who, from, to)
                || ground.is_open(from, flat_distance(from, to) + FINGER_M)
                || is_shown(interpolation)
                || !ground.is_walkable(from)
                || goes_beside(interpolation, is_shown);
            if is_clear {
                (character.body.position, character.facing_rad) = interpolation.from;
            }
            is_clear && bring(interpolation, character, part)
        },
    );
}

/// Has a character go a hair beside its line, where it can be shown there; whether it can.
fn goes_beside(interpolation: &mut Interpolation, is_shown: impl Fn(&Interpolation) -> bool) -> bool {
    let along = interpolation.to.0 - interpolation.from.0;
    let across = Vec3::new(-along.z, 0.0, along.x).normalize_or_zero();
    let asides = ASIDE_M.into_iter().flat_map(|away_m| [across * away_m, across * -away_m]);
    let found = asides.map(|aside| Interpolation { aside, ..*interpolation }).find(|bowed| is_shown(bowed));
    *interpolation = found.unwrap_or(*interpolation);
    found.is_some()
}

/// Brings every character on its way a part of the step along, and keeps those that have not stopped.
fn go_on(parts: &mut InterpolationParts<'_>, part: f32) {
    let InterpolationParts { interpolations, characters, step, .. } = parts;
    retain(
        interpolations,
        characters,
        step.threads,
        || (),
        |(), interpolation, character| bring(interpolation, character, part),
    );
}

/// Keeps those on their way for which `keeps` is true, which may change them and their bodies and look at
/// nobody else.
fn retain<S>(
    interpolations: &mut Vec<Interpolation>,
    characters: &mut Characters,
    threads: Threads,
    scratch: impl Fn() -> S + Sync,
    keeps: impl Fn(&mut S, &mut Interpolation, &mut Character) -> bool + Sync,
) {
    let mut people = characters.disjoint_mut(interpolations.iter().map(|interpolation| interpolation.who));
    let mut are_kept = vec![false; interpolations.len()];
    threads.share(
        ((&mut interpolations[..], &mut people[..]), &mut are_kept[..]),
        scratch,
        |scratch, _, ((interpolations, people), are_kept)| {
            for ((interpolation, character), is_kept) in interpolations.iter_mut().zip(people).zip(are_kept) {
                *is_kept = character.get().is_some_and(|body| keeps(scratch, interpolation, body));
            }
        },
    );
    let mut are_kept = are_kept.into_iter();
    interpolations.retain(|_| are_kept.next() == Some(true));
}

/// Standing characters turn, and animations run out.
fn stand(parts: &mut InterpolationParts<'_>) {
    let (walks, tick) = (parts.walks, parts.clock.tick);
    for id in parts.characters.posing(|who| turns(walks, who) || plays_until(who).is_some()) {
        if parts.step.cast.as_ref().is_some_and(|cast| !cast.is_of_scene(id)) {
            continue;
        }
        let Some(character) = parts.characters.get(id) else {
            debug_assert!(false, "a character that was looked at is there");
            continue;
        };
        let (may_turn, until) = (!character.is_moving, plays_until(character));
        if may_turn {
            turn(parts, id);
        }
        if until.is_some_and(|until| tick >= until) {
            end_play(parts.characters, parts.events, id, ActEnd::Done);
        }
    }
}

/// Whether a character is to turn on the spot.
fn turns(walks: &Walks, who: &Character) -> bool {
    let ends_with_look = |walk: &Walk| matches!(walk.phase, Phase::Turning(_));
    who.turn.is_some() || who.walk.and_then(|walk| walks.get(walk)).is_some_and(ends_with_look)
}

/// When the animation of a character runs out.
fn plays_until(who: &Character) -> Option<TickNumber> {
    who.play.as_ref().and_then(|play| play.until)
}

/// The map has changed within bounds: a character on its way to where it may not go any more stays where it
/// is, and asks for another way.
pub(crate) fn check(
    map: &LevelMap,
    interpolations: &mut Vec<Interpolation>,
    characters: &mut Characters,
    walks: &mut Walks,
    changed: &Bounds,
) {
    let mut grounds = GroundQueries::new(map);
    interpolations.retain(|interpolation| {
        let Some(character) = characters.get_mut(interpolation.who) else {
            return false;
        };
        let (at, to) = (interpolation.at.0, interpolation.to.0);
        let concerned = changed.grown(f64::from(character.body.radius_m));
        if !concerned.overlaps(&Bounds::of(&[ground(at), ground(to)])) {
            return true;
        }
        let kind = grounds.kind(character);
        let is_clear = grounds.query(kind).clear(at, to);
        if !is_clear {
            character.body.velocity = Vec3::ZERO;
            // How far along its path it is was noted as if it had come there.
            if let Some(walk) = character.walk.and_then(|walk| walks.get_mut(walk)) {
                walk.ask_for(Ask::Map);
            }
        }
        is_clear
    });
}

/// Brings a few to where their steps lead at once: for scenes that are skipped.
pub(crate) fn land(
    interpolations: &mut Vec<Interpolation>,
    characters: &mut Characters,
    who: &[CharacterId],
) {
    interpolations.retain_mut(|interpolation| {
        let lands = who.contains(&interpolation.who);
        if lands {
            interpolation.advance(characters, 1.0);
        }
        !lands
    });
}

/// Turns a standing character towards what a verb or the end of a walk asked for.
fn turn(parts: &mut InterpolationParts<'_>, id: CharacterId) {
    let InterpolationParts { clock, characters, walks, events, .. } = parts;
    let Some(character) = characters.get(id) else {
        return;
    };
    let look = character.walk.and_then(|walk| walks.get(walk)).and_then(|walk| match walk.phase {
        Phase::Turning(_) => walk.options.face,
        _ => None,
    });
    let wanted = match (look, character.turn) {
        (Some(look), _) => look.angle_from(characters, id),
        (None, Some(turn)) => turn.facing_rad,
        (None, None) => return,
    };
    let Some(character) = characters.get_mut(id) else {
        return;
    };
    let most_rad = character.gait.turn_radps * clock.rate.tick_seconds();
    character.facing_rad = trig::turn_towards(character.facing_rad, wanted, most_rad);
    let done = trig::wrap(character.facing_rad - wanted).abs() < 1e-4;
    if done && look.is_none() {
        end_turn(characters, events, id, ActEnd::Done);
    }
}
