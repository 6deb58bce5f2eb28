//! Step 9: bodies move and turn; animations run out.
//!
//! In: the moves of step 7. Out: positions, velocities, facings, ended turns and animations. Holds: every
//! straight piece of a move is tested against the map, exactly, before it is taken, so that no body ever
//! crosses a wall at any speed (inv:N2, fault:G19); who stands on ground that went away may leave it.

use crate::base::ids::CharacterId;
use crate::base::trig;
use crate::crowd::follow::{Advance, advance};
use crate::nav::Traversal;
use crate::sim::news;
use crate::world::ops::characters::{angle_of, end_play, end_turn};
use crate::world::walk::{Ask, Phase, pass_rules};
use crate::world::{Move, World};

/// Moves and turns everybody.
pub fn run(world: &mut World) {
    for (_, character) in world.characters.iter_mut() {
        character.body.velocity = glam::Vec3::ZERO;
        character.is_moving = false;
    }
    for index in 0..world.moves.len() {
        go(world, world.moves[index]);
    }
    for id in world.characters.ids().to_vec() {
        turn(world, id);
        expire_play(world, id);
    }
}

pub(crate) fn go(world: &mut World, step: Move) {
    let Some(walk) = world.walks.get(step.walk) else {
        return;
    };
    let (Some(following), Some(character)) = (&walk.following, world.characters.get(step.character)) else {
        return;
    };
    // Nobody walks through what is closed, whatever the path was planned through.
    let rules = pass_rules(world, Some(character));
    let by = Traversal { radius_m: character.body.radius_m, rules, ..Traversal::default() };
    let nav = &world.nav;
    let from = character.body.position;
    let mut refused = false;
    let moved = advance(&following.path, following.cursor, from, step.budget_m, |from, to| {
        let free = nav.straight(from, to, &by).is_some() || !nav.is_walkable(from, &by);
        refused = !free;
        free
    });
    let seconds = world.rate.tick_seconds();
    let before = following.cursor.segment;
    if let Some(walk) = world.walks.get_mut(step.walk) {
        walk.travelled_m += moved.gone_m;
        if let Some(following) = &mut walk.following {
            following.cursor = moved.cursor;
        }
        if refused && walk.token.is_none() {
            walk.ask.get_or_insert(Ask::Map);
        }
    }
    news::corners(world, step.walk, before, moved.cursor.segment);
    settle_body(world, step.character, &moved, seconds);
}

fn settle_body(world: &mut World, id: CharacterId, moved: &Advance, seconds: f32) {
    let Some(character) = world.characters.get_mut(id) else {
        return;
    };
    character.body.velocity = (moved.position - character.body.position) / seconds;
    character.body.position = moved.position;
    character.is_moving = moved.gone_m > 0.0;
    if let Some(heading) = moved.heading {
        let step_rad = character.gait.turn_radps * seconds;
        character.facing_rad = trig::turn_towards(character.facing_rad, trig::facing(heading), step_rad);
        end_turn(world, id, false);
    }
}

/// Turns somebody who stands, towards what a verb or the end of a walk asked for.
pub(crate) fn turn(world: &mut World, id: CharacterId) {
    let Some(character) = world.characters.get(id) else {
        return;
    };
    if character.is_moving {
        return;
    }
    let look = character.walk.and_then(|walk| world.walks.get(walk)).and_then(|walk| match walk.phase {
        Phase::Turning { .. } => walk.options.face,
        _ => None,
    });
    let wanted = match (look, character.turn) {
        (Some(look), _) => angle_of(world, id, look),
        (None, Some(turn)) => turn.facing_rad,
        (None, None) => return,
    };
    let seconds = world.rate.tick_seconds();
    let Some(character) = world.characters.get_mut(id) else {
        return;
    };
    character.facing_rad =
        trig::turn_towards(character.facing_rad, wanted, character.gait.turn_radps * seconds);
    let done = trig::wrap(character.facing_rad - wanted).abs() < 1e-4;
    if done && look.is_none() {
        end_turn(world, id, true);
    }
}

pub(crate) fn expire_play(world: &mut World, id: CharacterId) {
    let over = world
        .characters
        .get(id)
        .and_then(|character| character.play.as_ref())
        .and_then(|play| play.until)
        .is_some_and(|until| world.tick >= until);
    if over {
        end_play(world, id, true);
    }
}
