//! Step 9, in every tick: everybody is on its way to where the crowd's step leads it, who stands turns,
//! animations run out.
//!
//! In: where the step that began with this tick, or one before, leads everybody (`integrate`). Out: positions
//! and facings of this tick, ended turns and animations. Holds: the line of every step was tested when it was
//! taken, and is again when the map changes under it, so nobody is ever shown inside a wall. Not here: where
//! steps lead.

use glam::Vec3;

use crate::base::geom::{Bounds, flat_distance, ground};
use crate::base::ids::CharacterId;
use crate::base::trig;
use crate::sim::ground_queries::GroundQueries;
use crate::sim::integrate::FINGER_M;
use crate::world::character::Characters;
use crate::world::clock::Clock;
use crate::world::crowd_step::CrowdStep;
use crate::world::event::EventQueue;
use crate::world::interpolation::Interpolation;
use crate::world::map::LevelMap;
use crate::world::ops::characters::{ActEnd, angle_of, end_play, end_turn};
use crate::world::walk::{Ask, Phase};
use crate::world::walks::Walks;

/// What step 9 reads and writes in every tick.
#[derive(Debug)]
pub(crate) struct InterpolationParts<'a> {
    pub(crate) clock: &'a Clock,
    pub(crate) map: &'a LevelMap,
    pub(crate) characters: &'a mut Characters,
    pub(crate) walks: &'a Walks,
    pub(crate) glides: &'a mut Vec<Interpolation>,
    pub(crate) events: &'a mut EventQueue,
    pub(crate) step: &'a CrowdStep,
}

/// Shows everybody a tick further on.
pub(crate) fn run(parts: &mut InterpolationParts<'_>) {
    let clock = parts.clock;
    let ticks = clock.rate.ticks_per_step();
    if clock.begins_step() {
        begin(parts, ticks);
    }
    let left_ticks = clock.landing().since(clock.tick);
    let part = (ticks - left_ticks) as f32 / ticks as f32;
    let InterpolationParts { glides, characters, .. } = &mut *parts;
    glides.retain_mut(|glide| glide.advance(characters, part) && left_ticks > 0);
    stand(parts);
}

/// Everybody who has made a step begins it again, tick by tick. Anyone who went along the very edge of the
/// ground, where a part of a line is not clear although the whole of it is, is there at once. Anyone who
/// leaves ground that went away is seen to leave it.
fn begin(parts: &mut InterpolationParts<'_>, ticks: u64) {
    let InterpolationParts { map, characters, glides, step, .. } = parts;
    let bodies = &step.bodies;
    let mut grounds = GroundQueries::again(map, &bodies.known);
    glides.retain_mut(|glide| {
        let Some(character) = characters.get_mut(glide.who) else {
            return false;
        };
        (glide.to, glide.walks) = ((character.body.position, character.facing_rad), character.is_moving);
        let row = bodies.rows.get(glide.who);
        let kind = row.map_or_else(|| grounds.kind(character), |row| bodies.kinds[row as usize]);
        let footing = grounds.footing(kind);
        let (from, to) = (glide.from.0, glide.to.0);
        let place = |tick: u64| glide.place(tick as f32 / ticks as f32);
        let is_clear = footing.is_open(from, flat_distance(from, to) + FINGER_M)
            || (1..=ticks).all(|tick| footing.clear(place(tick - 1), place(tick)))
            || !footing.is_walkable(from);
        if is_clear {
            (character.body.position, character.facing_rad) = glide.from;
        }
        is_clear
    });
}

/// Who stands turns, and animations run out.
fn stand(parts: &mut InterpolationParts<'_>) {
    for at in 0..parts.characters.ids().len() {
        let id = parts.characters.ids()[at];
        if parts.step.cast.as_ref().is_some_and(|cast| !cast.is_of_scene(id)) {
            continue;
        }
        let Some(character) = parts.characters.get(id) else {
            debug_assert!(false, "a character in the order is there");
            continue;
        };
        let (may_turn, play) = (!character.is_moving, &character.play);
        let until = play.as_ref().and_then(|play| play.until);
        let is_over = until.is_some_and(|until| parts.clock.tick >= until);
        if may_turn {
            turn(parts, id);
        }
        if is_over {
            end_play(parts.characters, parts.events, id, ActEnd::Done);
        }
    }
}

/// The map has changed within bounds: who is on its way to where it may not go any more stays where it is,
/// and asks for another way.
pub(crate) fn check(
    map: &LevelMap,
    glides: &mut Vec<Interpolation>,
    characters: &mut Characters,
    walks: &mut Walks,
    changed: &Bounds,
) {
    let mut grounds = GroundQueries::new(map);
    glides.retain(|glide| {
        let Some(character) = characters.get_mut(glide.who) else {
            return false;
        };
        let (at, to) = (glide.at.0, glide.to.0);
        let concerned = changed.grown(f64::from(character.body.radius_m));
        if !concerned.overlaps(&Bounds::of(&[ground(at), ground(to)])) {
            return true;
        }
        let kind = grounds.kind(character);
        let is_clear = grounds.footing(kind).clear(at, to);
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
pub(crate) fn land(glides: &mut Vec<Interpolation>, characters: &mut Characters, who: &[CharacterId]) {
    glides.retain_mut(|glide| {
        let lands = who.contains(&glide.who);
        if lands {
            glide.advance(characters, 1.0);
        }
        !lands
    });
}

/// Turns somebody who stands, towards what a verb or the end of a walk asked for.
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
        (Some(look), _) => angle_of(characters, id, look),
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
