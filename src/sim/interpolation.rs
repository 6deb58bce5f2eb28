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
use crate::world::World;
use crate::world::ops::characters::{ActEnd, angle_of, end_play, end_turn};
use crate::world::walk::{Ask, Phase};

/// Shows everybody a tick further on.
pub fn run(world: &mut World) {
    let ticks = world.clock.rate.ticks_per_step();
    if world.clock.begins_step() {
        begin(world, ticks);
    }
    let left_ticks = world.clock.landing().since(world.clock.tick);
    let part = (ticks - left_ticks) as f32 / ticks as f32;
    let World { glides, characters, .. } = &mut *world;
    glides.retain_mut(|glide| glide.advance(characters, part) && left_ticks > 0);
    world.scratch.bystanders.forget();
    stand(world);
}

/// Everybody who has made a step begins it again, tick by tick. Anyone who went along the very edge of the
/// ground, where a part of a line is not clear although the whole of it is, is there at once. Anyone who
/// leaves ground that went away is seen to leave it.
fn begin(world: &mut World, ticks: u64) {
    let World { map, characters, glides, scratch, .. } = world;
    let bodies = &scratch.step.bodies;
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
fn stand(world: &mut World) {
    for at in 0..world.characters.ids().len() {
        let id = world.characters.ids()[at];
        if world.scratch.step.cast.as_ref().is_some_and(|cast| !cast.is_of_scene(id)) {
            continue;
        }
        let Some(character) = world.characters.get(id) else {
            continue;
        };
        let (may_turn, plays) = (!character.is_moving, character.play.is_some());
        if may_turn {
            turn(world, id);
        }
        if plays {
            expire_play(world, id);
        }
    }
}

/// The map has changed within bounds: who is on its way to where it may not go any more stays where it is,
/// and asks for another way.
pub(crate) fn check(world: &mut World, changed: &Bounds) {
    let World { map, characters, glides, walks, .. } = world;
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
pub(crate) fn land(world: &mut World, who: &[CharacterId]) {
    let World { glides, characters, .. } = world;
    glides.retain_mut(|glide| {
        let lands = who.contains(&glide.who);
        if lands {
            glide.advance(characters, 1.0);
        }
        !lands
    });
}

/// Turns somebody who stands, towards what a verb or the end of a walk asked for.
fn turn(world: &mut World, id: CharacterId) {
    let Some(character) = world.characters.get(id) else {
        return;
    };
    if character.is_moving {
        return;
    }
    let look = character.walk.and_then(|walk| world.walks.get(walk)).and_then(|walk| match walk.phase {
        Phase::Turning(_) => walk.options.face,
        _ => None,
    });
    let wanted = match (look, character.turn) {
        (Some(look), _) => angle_of(&world.characters, id, look),
        (None, Some(turn)) => turn.facing_rad,
        (None, None) => return,
    };
    let seconds = world.clock.rate.tick_seconds();
    let Some(character) = world.characters.get_mut(id) else {
        return;
    };
    character.facing_rad =
        trig::turn_towards(character.facing_rad, wanted, character.gait.turn_radps * seconds);
    let done = trig::wrap(character.facing_rad - wanted).abs() < 1e-4;
    if done && look.is_none() {
        end_turn(&mut world.characters, &mut world.events, id, ActEnd::Done);
    }
}

fn expire_play(world: &mut World, id: CharacterId) {
    let over = world
        .characters
        .get(id)
        .and_then(|character| character.play.as_ref())
        .and_then(|play| play.until)
        .is_some_and(|until| world.clock.tick >= until);
    if over {
        end_play(&mut world.characters, &mut world.events, id, ActEnd::Done);
    }
}
