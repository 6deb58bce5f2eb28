//! The world as a save game holds it: the state that the hash covers, field by field.
//!
//! In: a world between two ticks; the bytes of one and the fresh ground of its level. Out: bytes; the same
//! world. Holds: every part is taken apart by all of its fields, so that a new field does not compile until
//! it is written or the reason why not stands beside it; what the level says is not written; two worlds made
//! of the same bytes go on alike. Searches under way are asked again, watches end, scenes give their
//! characters back: so it is at a reload, too. Not here: scripts (`script::host::saving`), the header and the
//! sum (`game::save`), levels that have changed (`game::level_reload`).

mod bystanders;
mod characters;
pub(crate) mod facts;
mod map;
mod walks;
mod words;

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::geom::ground;
use crate::base::ids::CharacterId;
use crate::base::time::TickRate;
use crate::nav::Traversal;
use crate::world::World;
use crate::world::character::Characters;
use crate::world::clock::Clock;
use crate::world::level_info::LevelInfo;
use crate::world::map::LevelMap;
use crate::world::paths::PathWork;
use crate::world::place::{Mark, Places};
use crate::world::region::{Region, RegionShape, Triggers};
use crate::world::sense::Senses;

pub use map::RestoreGround;

/// Writes a world. Between ticks.
pub fn save(world: &World, out: &mut ByteWriter) {
    let World {
        clock:
            Clock {
                // In the header, and with what all other ticks are told by.
                tick: _,
                rate,
                // Nothing between ticks.
                is_skipping: _,
                fast_forwarded_ticks: _,
            },
        level:
            LevelInfo {
                seed,
                // As the level says.
                name: _,
                props: _,
            },
        // As the level says.
        settings: _,
        map,
        places,
        characters,
        interpolations,
        walks,
        // Asked again: see `walks`.
        paths: PathWork { requests: _, askers: _, asked_around: _ },
        triggers,
        senses,
        events,
        day,
        // Never part of the state.
        scratch: _,
    } = world;
    out.word(u64::from(rate.per_second()));
    out.whole(*seed);
    characters::save(out, characters, walks);
    characters::save_interpolations(out, interpolations, characters);
    walks::save(out, walks, characters);
    map::save(out, map);
    save_places(out, places);
    save_triggers(out, triggers);
    save_senses(out, senses);
    facts::save(out, events, characters);
    day.save(out);
    map.nav.unmade().save(out);
}

/// Reads a world onto the fresh ground of its level, on which nobody stands.
///
/// # Errors
/// When the bytes are not those of a world on this ground.
pub fn load(
    input: &mut ByteReader<'_>,
    ground: RestoreGround,
    mut fresh: World,
) -> Result<World, DecodeError> {
    let rate = u32::try_from(input.word()?).ok().and_then(TickRate::new);
    let rate = rate.ok_or_else(|| DecodeError::new("a tick rate that cannot be"))?;
    fresh.clock = Clock { tick: input.now(), rate, ..Clock::default() };
    fresh.level.seed = input.whole()?;
    let layers = match ground {
        RestoreGround::Same => fresh.map.nav.layer_count(),
        RestoreGround::Changed => crate::nav::LAYERS_MAX,
    };
    fresh.characters = characters::load(input, fresh.level.seed, layers)?;
    fresh.interpolations = characters::load_interpolations(input, &fresh.characters)?;
    fresh.walks = walks::load(input, &mut fresh.characters)?;
    fresh.map = map::load(input, ground, rate, fresh.map)?;
    load_places(input, ground, &mut fresh.places)?;
    load_triggers(input, ground, &mut fresh.triggers)?;
    fresh.senses = load_senses(input)?;
    fresh.events = facts::load(input)?;
    fresh.day = Saved::load(input)?;
    let unmade: Vec<(u8, u32)> = Saved::load(input)?;
    check(&fresh, layers)?;
    if ground == RestoreGround::Same {
        check_places(&fresh)?;
    }
    prepare(&mut fresh.map, &fresh.characters);
    if ground == RestoreGround::Same {
        fresh.map.nav.restore_unmade(&unmade);
    }
    Ok(fresh)
}

/// Whether what is told of one part can be, given the others.
fn check(world: &World, layers: usize) -> Result<(), DecodeError> {
    let doors = world.map.doors.len();
    let is_door = |id: crate::base::ids::DoorId| id.index() < doors;
    use crate::world::goal::Goal;
    use crate::world::walk::Phase;
    let is_goal = |goal: &Goal| !matches!(goal, Goal::Door(id) if !is_door(*id));
    for walk in world.walks.iter() {
        let is_sound = is_goal(&walk.goal)
            && !matches!(walk.phase, Phase::AtDoor(id) if !is_door(id))
            && walk.options.layer.is_none_or(|layer| usize::from(layer) < layers)
            && walk.on_link.is_none_or(|link| usize::from(link.layer) < layers)
            && walk.following.iter().all(|following| {
                following.path.layers.iter().all(|change| usize::from(change.layer) < layers)
            });
        if !is_sound {
            return Err(DecodeError::new("a walk to what is not there"));
        }
    }
    let known = |id: CharacterId| world.characters.get(id).is_some();
    let is_sound = world
        .interpolations
        .iter()
        .all(|interpolation| usize::from(interpolation.layer) < layers && known(interpolation.who))
        && world.characters.iter().all(|(_, one)| {
            let ended = one.came_to.into_iter().chain(one.short_of);
            ended.into_iter().all(|(goal, _)| is_goal(&goal))
        })
        && world.senses.noises.iter().all(|noise| usize::from(noise.layer) < layers);
    if is_sound { Ok(()) } else { Err(DecodeError::new("a character that is not there")) }
}

/// Whether every character stands somewhere near the map.
fn check_places(world: &World) -> Result<(), DecodeError> {
    /// How far beyond the map a body may be, metres.
    const BEYOND_M: f64 = 1e3;
    let bounds = world.map.nav.bounds();
    let around = bounds.grown(BEYOND_M);
    let is_near = |place: glam::Vec3| bounds.is_empty() || around.contains(ground(place));
    let bodies = world.characters.iter().map(|(_, one)| one.body.position);
    let interpolations =
        world.interpolations.iter().flat_map(|interpolation| [interpolation.from.0, interpolation.to.0]);
    if bodies.chain(interpolations).all(is_near) {
        Ok(())
    } else {
        Err(DecodeError::new("a place that is nowhere"))
    }
}

/// Prepares the map for the first kinds of characters, as when they appear.
fn prepare(map: &mut LevelMap, characters: &Characters) {
    let mut known: Vec<(u32, u8)> = Vec::new();
    for (_, one) in characters.iter() {
        let kind = (one.body.radius_m.to_bits(), one.layer);
        if known.len() < KINDS && !known.contains(&kind) {
            known.push(kind);
        }
    }
    for (radius, layer) in known {
        let by = Traversal { radius_m: f32::from_bits(radius), layer, ..Traversal::default() };
        map.nav.prepare(&by);
    }
}

/// Kinds of bodies that a map keeps beside what is asked of it.
const KINDS: usize = 12;

/// The marks that scripts made; the others, and routes, are as the level says.
fn save_places(out: &mut ByteWriter, Places { marks, made, routes: _ }: &Places) {
    let made: Vec<&Mark> = made.iter().filter_map(|name| marks.get(name)).collect();
    out.list(made.into_iter(), |out, mark| mark.save(out));
}

fn load_places(
    input: &mut ByteReader<'_>,
    ground: RestoreGround,
    places: &mut Places,
) -> Result<(), DecodeError> {
    let made: Vec<Mark> = Saved::load(input)?;
    if ground == RestoreGround::Changed {
        *places = Places::default();
    }
    for mark in made {
        if places.marks.contains_key(&mark.name) {
            return Err(DecodeError::new("two marks of one name"));
        }
        places.made.insert(mark.name.clone());
        places.marks.insert(mark.name.clone(), mark);
    }
    Ok(())
}

fn save_triggers(out: &mut ByteWriter, triggers: &Triggers) {
    let Triggers {
        regions,
        // They end, as at a reload, and `start` makes them again.
        watches: _,
        watches_made,
        is_behind,
        displaced,
    } = triggers;
    out.list(regions.iter(), |out, region| {
        let Region {
            name,
            // As the level says.
            shape: _,
            layer: _,
            heights_m: _,
            inside,
            looked,
        } = region;
        out.text(name);
        inside.save(out);
        looked.save(out);
    });
    watches_made.save(out);
    is_behind.save(out);
    displaced.save(out);
}

fn load_triggers(
    input: &mut ByteReader<'_>,
    ground: RestoreGround,
    triggers: &mut Triggers,
) -> Result<(), DecodeError> {
    let mut fresh = std::mem::take(&mut triggers.regions).into_iter();
    triggers.regions = input.list(|input| {
        let name = input.text()?;
        let known = match ground {
            RestoreGround::Same => fresh.next().filter(|region| region.name == name),
            RestoreGround::Changed => {
                let shape = RegionShape::Circle([0.0, 0.0], 0.0);
                let (inside, looked) = Default::default();
                Some(Region { name, shape, layer: None, heights_m: None, inside, looked })
            }
        };
        let known = known.ok_or_else(|| DecodeError::new("regions of another level"))?;
        Ok(Region { inside: Saved::load(input)?, looked: Saved::load(input)?, ..known })
    })?;
    if ground == RestoreGround::Same && fresh.next().is_some() {
        return Err(DecodeError::new("regions of another level"));
    }
    triggers.watches_made = Saved::load(input)?;
    triggers.is_behind = Saved::load(input)?;
    triggers.displaced = Saved::load(input)?;
    Ok(())
}

fn save_senses(out: &mut ByteWriter, senses: &Senses) {
    let Senses {
        // They end, as at a reload, and `start` makes them again.
        watches: _,
        made,
        // Whose turn it is among them.
        next: _,
        noises,
        noises_made,
    } = senses;
    made.save(out);
    noises.save(out);
    noises_made.save(out);
}

fn load_senses(input: &mut ByteReader<'_>) -> Result<Senses, DecodeError> {
    let (made, noises, noises_made) = (Saved::load(input)?, Saved::load(input)?, Saved::load(input)?);
    Ok(Senses { made, noises, noises_made, ..Senses::default() })
}

#[cfg(test)]
mod tests;
