//! Draws the reasons behind a crowd: characters that walks avoid, characters that wait for a path, desired
//! and real movement.
//!
//! In: a world. Out: layers `requests`, `obstacles`, `steering`, `nudges`, `replans` of a picture. Holds: an
//! obstacle is drawn as large as plans take it, and only if a walk under way was planned around it; a line of
//! steering is as long as the way of [`AHEAD_S`] at that speed. Not here: bodies and paths (`draw_world`),
//! what one search saw (`draw_search`). Source: seed 001: an orange line for the direction that the path asks
//! for, a green one for the real direction.

use std::collections::BTreeMap;

use super::draw_world::on_layer;
use super::picture::{Figure, Picture, Shape, Style, Swatch, Tag};
use super::theme;
use crate::base::ids::CharacterId;
use crate::nav::Disc;
use crate::world::World;
use crate::world::character::Character;

/// Seconds that a line of steering looks ahead.
const AHEAD_S: f32 = 0.75;
/// Slower than this nobody is seen to move, metres a second.
const STILL_MPS: f32 = 0.02;
/// Requests that are drawn in full; more are drawn faint.
const BOLD_MAX: usize = 40;
/// Seconds for which a new plan is shown.
const FRESH_S: f64 = 0.3;
/// Room between a body and the ring of a new plan, metres.
const RING_M: f64 = 0.15;

/// Straight lines from characters that wait for a path to where it is to lead.
pub(super) fn draw_requests(picture: &mut Picture, world: &World) {
    let slant = picture.slant;
    let is_busy = on_layer(world, picture.map_layer).filter(|(_, character)| waits(world, character)).count()
        > BOLD_MAX;
    let colour = if is_busy { theme::REQUEST.with_opacity(70) } else { theme::REQUEST };
    let look = Style::line(colour, if is_busy { 1.0 } else { 1.25 }).dashed();
    let mut shapes = Vec::new();
    for (_, character) in on_layer(world, picture.map_layer) {
        let walk = character.walk.and_then(|id| Some((id, world.walk(id)?)));
        let Some((id, walk, why)) = walk.and_then(|(id, walk)| Some((id, walk, walk.token?.1))) else {
            continue;
        };
        let ends = vec![slant.place(character.body.position), slant.place(walk.aim)];
        let hint = format!("walk {} of \"{}\" waits for a path: {}", walk.serial, character.name, why.name());
        picture.explain(Swatch::Line(look), "waiting for a path");
        shapes.push(Shape::new(Figure::Line(ends), look, Tag::Request(id)).hint(hint));
    }
    picture.add("requests", shapes);
}

/// Whether a character waits for a path.
fn waits(world: &World, character: &Character) -> bool {
    character.walk.and_then(|id| world.walk(id)).is_some_and(|walk| walk.token.is_some())
}

/// The characters that a walk under way was planned around.
pub(super) fn draw_obstacles(picture: &mut Picture, world: &World) {
    let slant = picture.slant;
    // A ring, so that the colour of the character in it stays visible.
    let look = Style::line(theme::DISC, 2.0);
    let shape = |(who, (disc, count)): (CharacterId, (Disc, usize))| {
        let form = Figure::Circle { centre: slant.place(disc.centre), radius_m: f64::from(disc.radius_m) };
        let words = if count == 1 { "a walk goes" } else { "walks go" };
        let hint = format!("{words} around \"{}\"", world.name_of(who));
        Shape::new(form, look, Tag::Obstacle(who)).hint(hint)
    };
    let shapes: Vec<Shape> = planned_around(world, picture.map_layer).into_iter().map(shape).collect();
    if !shapes.is_empty() {
        picture.explain(Swatch::Dot(look), "planned around");
    }
    picture.add("obstacles", shapes);
}

/// The circles that walks under way were planned around, the newest of each, and for how many walks.
fn planned_around(world: &World, layer: u8) -> BTreeMap<CharacterId, (Disc, usize)> {
    let mut around = BTreeMap::new();
    for (_, character) in on_layer(world, layer) {
        let walk = character.walk.and_then(|id| world.walk(id)).filter(|walk| walk.is_open());
        let Some(bystanders) = walk.and_then(|walk| walk.planned_around.as_ref()) else { continue };
        for (&who, &disc) in bystanders.who().iter().zip(bystanders.discs().iter()) {
            let entry = around.entry(who).or_insert((disc, 0));
            *entry = (disc, entry.1 + 1);
        }
    }
    around
}

/// Where every character wants to go, and where it really goes.
pub(super) fn draw_steering(picture: &mut Picture, world: &World) {
    let slant = picture.slant;
    let mut shapes = Vec::new();
    let kinds = [(theme::DESIRED, "desired velocity"), (theme::REAL, "velocity")];
    let looks = kinds.map(|(colour, words)| (Style::line(colour, 3.0), words));
    for (id, character) in on_layer(world, picture.map_layer) {
        let lines = [(character.desired, Tag::Desired(id)), (character.body.velocity, Tag::Velocity(id))];
        for ((velocity, tag), (look, words)) in lines.into_iter().zip(looks) {
            if velocity.length() < STILL_MPS {
                continue;
            }
            let from = character.body.position;
            let line = vec![slant.place(from), slant.place(from + velocity * AHEAD_S)];
            picture.explain(Swatch::Line(look), words);
            let hint = format!("\"{}\" {words}: {:.2} m/s", character.name, velocity.length());
            shapes.push(Shape::new(Figure::Line(line), look, tag).hint(hint));
        }
    }
    picture.add("steering", shapes);
}

/// Where characters step aside to.
pub(super) fn draw_nudges(picture: &mut Picture, world: &World) {
    let slant = picture.slant;
    let look = Style::line(theme::NUDGE, 2.0).dashed();
    let end = Style::filled(theme::SEARCH_FRONTIER).stroked(theme::NUDGE, 1.5);
    let mut shapes = Vec::new();
    for (id, character) in on_layer(world, picture.map_layer) {
        let Some(nudge) = &character.nudge else { continue };
        let ends = vec![slant.place(character.body.position), slant.place(nudge.to)];
        let hint = format!("\"{}\" steps aside for \"{}\"", character.name, world.name_of(nudge.by));
        picture.explain(Swatch::Line(look), "stepping aside");
        let dot = Figure::Dot { centre: ends[1], radius_px: 3.0 };
        shapes.push(Shape::new(Figure::Line(ends), look, Tag::Nudge(id)).hint(hint));
        shapes.push(Shape::new(dot, end, Tag::Nudge(id)));
    }
    picture.add("nudges", shapes);
}

/// Rings around characters that have just planned again because of others.
pub(super) fn draw_replans(picture: &mut Picture, world: &World) {
    let slant = picture.slant;
    let look = Style::line(theme::REPLAN, 2.0);
    let fresh = world.rate().ticks(FRESH_S);
    let mut shapes = Vec::new();
    for (id, character) in on_layer(world, picture.map_layer) {
        if character
            .replan
            .since
            .and_then(|since| since.ago_ticks(world.tick()))
            .is_some_and(|ago| ago < fresh)
        {
            let radius_m = f64::from(character.body.radius_m) + RING_M;
            let form = Figure::Circle { centre: slant.place(character.body.position), radius_m };
            picture.explain(Swatch::Dot(look), "replanning");
            shapes.push(Shape::new(form, look, Tag::Replan(id)));
        }
    }
    picture.add("replans", shapes);
}
