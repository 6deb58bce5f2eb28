//! Saves all characters: each as its differences from the one before.
//!
//! In, out: fields, one by one. Holds: a character that stands costs some thirty bytes, one that walks thirty
//! more. Not here: its walk (`walks`).

use std::collections::BTreeMap;

use glam::Vec3;

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::ids::{CharacterId, WalkId};
use crate::base::ordered::CollectOrdered;
use crate::base::rng::Rng;
use crate::world::arena::Arena;
use crate::world::character::{Body, Character, Characters, Displaced, Gait, Replan};
use crate::world::door::DoorPolicy;
use crate::world::interpolation::Interpolation;
use crate::world::ops::characters::{Spawn, stream_name};
use crate::world::shortlist::Shortlist;
use crate::world::walks::Walks;

/// What people of a level mostly have in common: told once for as many as follow one another.
#[derive(Clone, Debug, Default, PartialEq)]
struct Build {
    radius_m: f32,
    height_m: f32,
    gait: Gait,
    doors: DoorPolicy,
    layer: u8,
    is_player: bool,
    /// Tags without its own name, sorted.
    tags: Vec<String>,
}

walkon_nav::saved!(Build { radius_m, height_m, gait, doors, layer, is_player, tags });

/// Writes every character; `walks` to tell which walk is whose.
pub(super) fn save(out: &mut ByteWriter, characters: &Characters, walks: &Walks) {
    let Characters {
        slots,
        order,
        // Told by the characters.
        by_name: _,
        removed: _,
        displaced: _,
        displacements: _,
        posing: _,
        asked_aside: _,
        players: _,
        gone,
        created,
        turns,
        plays,
        noted,
        departed,
    } = characters;
    let (mut build, mut serial) = (Build::default(), 0);
    let known = order.iter().filter_map(|&id| Some((id, slots.get(id)?)));
    out.list(known.collect::<Vec<_>>().into_iter(), |out, (id, one)| {
        id.save(out);
        out.word(u64::from(one.serial - serial));
        serial = one.serial;
        save_one(out, one, &mut build, walks);
    });
    slots.save_free(out);
    gone.save(out);
    (*created).save(out);
    (*turns).save(out);
    (*plays).save(out);
    noted.save(out);
    departed.save(out);
}

fn save_one(out: &mut ByteWriter, one: &Character, last: &mut Build, walks: &Walks) {
    let Character {
        // Told by the list.
        serial: _,
        name,
        body: Body { position, velocity, radius_m, height_m },
        facing_rad,
        gait,
        tags,
        is_player,
        doors,
        layer,
        walk,
        is_moving,
        is_still,
        drift,
        came_to,
        short_of,
        desired,
        nudge,
        nudged,
        turn,
        play,
        // A scene that goes on takes its characters again.
        held: _,
        removed,
        displaced,
        replan: Replan { from, stood, since },
        rng,
    } = one;
    out.name(name);
    let build = Build {
        radius_m: *radius_m,
        height_m: *height_m,
        gait: *gait,
        doors: *doors,
        layer: *layer,
        is_player: *is_player,
        tags: tags.iter().filter(|tag| *tag != name).cloned().collect(),
    };
    out.flag(build == *last);
    if build != *last {
        build.save(out);
        *last = build;
    }
    out.flag(tags.contains(name));
    out.vector(*position);
    out.vector(*velocity);
    out.vector_near(*desired, *velocity);
    out.vector_near(*drift, *velocity);
    out.vector_near(*from, *position);
    out.float(*facing_rad);
    // An open walk says whose it is.
    let is_told = walk.is_none_or(|walk| walks.open(walk).is_some());
    out.flag(is_told);
    if !is_told {
        walk.save(out);
    }
    [*is_moving, *is_still, *stood].into_iter().for_each(|flag| out.flag(flag));
    displaced.save(out);
    let has_more = came_to.is_some() || nudge.is_some() || nudged.is_some() || turn.is_some();
    let has_more = has_more
        || short_of.is_some()
        || play.is_some()
        || removed.is_some()
        || since.is_some()
        || rng.drawn() > 0;
    out.flag(has_more);
    if has_more {
        came_to.save(out);
        short_of.save(out);
        nudge.save(out);
        nudged.save(out);
        turn.save(out);
        play.save(out);
        removed.save(out);
        since.save(out);
        out.word(rng.drawn());
    }
}

/// Reads every character of a run with this seed, on a map of so many layers; whose walk is whose comes with
/// the walks.
pub(super) fn load(input: &mut ByteReader<'_>, seed: u64, layers: usize) -> Result<Characters, DecodeError> {
    let (mut build, mut serial) = (Build::default(), 0u32);
    let everybody: Vec<(CharacterId, Character)> = input.list(|input| {
        let id = CharacterId::load(input)?;
        serial =
            serial.checked_add(input.count()?.max(1)).ok_or_else(|| DecodeError::new("too many people"))?;
        Ok((id, load_one(input, serial, &mut build, seed)?))
    })?;
    if everybody.iter().any(|(_, one)| usize::from(one.layer) >= layers) {
        return Err(DecodeError::new("somebody on a layer that is none"));
    }
    let order: Vec<CharacterId> = everybody.iter().map(|(id, _)| *id).collect();
    let alive = everybody.iter().filter(|(_, one)| one.is_alive());
    let by_name: std::collections::BTreeMap<_, _> =
        alive.map(|(id, one)| (one.name.clone(), *id)).collect_map();
    let removed = everybody.iter().filter(|(_, one)| !one.is_alive()).count();
    let displaced = everybody.iter().filter(|(_, one)| one.displaced != Displaced::No);
    let displaced: BTreeMap<CharacterId, u32> =
        displaced.zip(1..).map(|((id, _), number)| (*id, number)).collect_map();
    if by_name.len() + removed != everybody.len() {
        return Err(DecodeError::new("two characters of one name"));
    }
    let slots = Arena::load(input, everybody)?;
    let (gone, created) = (Saved::load(input)?, u32::load(input)?);
    if created < serial {
        return Err(DecodeError::new("more people than were made"));
    }
    let (turns, plays, noted, departed) =
        (Saved::load(input)?, Saved::load(input)?, Saved::load(input)?, Saved::load(input)?);
    let (posing, asked_aside) = (Shortlist::default(), Shortlist::default());
    let mut characters = Characters {
        slots,
        order,
        by_name,
        gone,
        created,
        turns,
        plays,
        noted,
        departed,
        removed,
        displacements: displaced.len() as u32,
        displaced,
        posing,
        asked_aside,
        players: Vec::new(),
    };
    // The first look at them finds out which do.
    for id in characters.order.clone() {
        characters.note_posing(id);
        characters.note_asked_aside(id);
        if characters.get(id).is_some_and(|character| character.is_player) {
            characters.note_player(id);
        }
    }
    Ok(characters)
}

fn load_one(
    input: &mut ByteReader<'_>,
    serial: u32,
    last: &mut Build,
    seed: u64,
) -> Result<Character, DecodeError> {
    let name = input.name()?;
    input.pay(name.len() * 2)?;
    if !input.flag()? {
        *last = checked(Build::load(input)?)?;
    }
    input.pay(last.tags.iter().map(|tag| tag.len() + size_of::<String>()).sum())?;
    let mut tags = last.tags.clone();
    if input.flag()?
        && let Err(at) = tags.binary_search(&name)
    {
        tags.insert(at, name.clone());
    }
    let position = input.vector()?;
    let velocity = input.vector()?;
    let desired = input.vector_near(velocity)?;
    let drift = input.vector_near(velocity)?;
    let from = input.vector_near(position)?;
    let facing_rad = input.float_in(f32::MIN..=f32::MAX)?;
    let walk: Option<WalkId> = if input.flag()? { None } else { Saved::load(input)? };
    let [is_moving, is_still, stood] = Saved::load(input)?;
    let displaced = Saved::load(input)?;
    let mut one = Character {
        rng: Rng::stream(seed, &stream_name(&name)),
        serial,
        name,
        body: Body { position, velocity, radius_m: last.radius_m, height_m: last.height_m },
        facing_rad,
        gait: last.gait,
        tags,
        is_player: last.is_player,
        doors: last.doors,
        layer: last.layer,
        walk,
        is_moving,
        is_still,
        drift,
        came_to: None,
        short_of: None,
        desired,
        nudge: None,
        nudged: None,
        turn: None,
        play: None,
        held: None,
        removed: None,
        displaced,
        replan: Replan { from, stood, since: None },
    };
    if input.flag()? {
        one.came_to = Saved::load(input)?;
        one.short_of = Saved::load(input)?;
        one.nudge = Saved::load(input)?;
        one.nudged = Saved::load(input)?;
        one.turn = Saved::load(input)?;
        one.play = Saved::load(input)?;
        one.removed = Saved::load(input)?;
        one.replan.since = Saved::load(input)?;
        one.rng = Rng::stream_after(seed, &stream_name(&one.name), input.word()?);
    }
    Ok(one)
}

fn checked(build: Build) -> Result<Build, DecodeError> {
    let Build { radius_m, height_m, gait, tags, .. } = &build;
    let is_sound = Spawn::RADIUS_RANGE_M.contains(radius_m)
        && (0.0..=1e3).contains(height_m)
        && Gait::SPEED_RANGE_MPS.contains(&gait.walk_mps)
        && Gait::SPEED_RANGE_MPS.contains(&gait.run_mps)
        && (0.0..=1e6).contains(&gait.turn_radps)
        && tags.is_sorted();
    if is_sound { Ok(build) } else { Err(DecodeError::new("a body that cannot be")) }
}

/// Writes those on their way through a step of the crowd; nothing but a byte where nobody is.
pub(super) fn save_interpolations(
    out: &mut ByteWriter,
    interpolations: &[Interpolation],
    characters: &Characters,
) {
    out.list(interpolations.iter(), |out, interpolation| {
        let Interpolation { who, from, to, at, aside, layer, walks } = interpolation;
        let (place, facing_rad) = stand(characters, *who);
        who.save(out);
        out.vector(from.0);
        out.vector(to.0);
        out.vector_near(at.0, place);
        // Most go on as they look.
        for angle in [from.1, to.1, at.1] {
            let is_same = angle.to_bits() == facing_rad.to_bits();
            out.flag(is_same);
            if !is_same {
                out.float(angle);
            }
        }
        // Nothing but a bit where they go straight.
        out.vector(*aside);
        out.flag(*layer == 0);
        if *layer != 0 {
            layer.save(out);
        }
        out.flag(*walks);
    });
}

/// Reads those on their way.
pub(super) fn load_interpolations(
    input: &mut ByteReader<'_>,
    characters: &Characters,
) -> Result<Vec<Interpolation>, DecodeError> {
    input.list(|input| {
        let who = CharacterId::load(input)?;
        let (place, facing_rad) = stand(characters, who);
        let places = [input.vector()?, input.vector()?, input.vector_near(place)?];
        let mut angles = [facing_rad; 3];
        for angle in &mut angles {
            if !input.flag()? {
                *angle = input.float_in(f32::MIN..=f32::MAX)?;
            }
        }
        let aside = input.vector()?;
        let layer = if input.flag()? { 0 } else { input.byte()? };
        let walks = input.flag()?;
        let [from, to, at] = [0, 1, 2].map(|index| (places[index], angles[index]));
        Ok(Interpolation { who, from, to, at, aside, layer, walks })
    })
}

fn stand(characters: &Characters, who: CharacterId) -> (Vec3, f32) {
    characters.get(who).map_or((Vec3::ZERO, 0.0), |one| (one.body.position, one.facing_rad))
}
