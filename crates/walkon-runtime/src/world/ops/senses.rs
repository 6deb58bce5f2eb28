//! Verbs and queries of senses: watch for a character, make a noise, what is seen and heard.
//!
//! Holds: a question answers for this moment and leaves no trace; a watch looks for the first time in the
//! next step 11. Not here: when watches look (`sim::senses`).

use glam::Vec3;

use crate::base::ids::CharacterId;
use crate::world::World;
use crate::world::ops::{OpError, alive};
use crate::world::sense::{Eyes, Noise, SenseId, SenseWatch, Sighting, Unseen};

/// Why nothing is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unheard {
    /// Nobody makes a noise.
    Silent,
    /// Every noise is too far away.
    TooFar,
}

impl Unheard {
    /// The word scripts use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Silent => "silent",
            Self::TooFar => "tooFar",
        }
    }
}

/// Why a character does not see a place on a layer; None when it does.
///
/// # Errors
/// When the character is gone.
pub fn miss(
    world: &World,
    who: CharacterId,
    eyes: Eyes,
    place: Vec3,
    layer: u8,
) -> Result<Option<Unseen>, OpError> {
    let watcher = alive(&world.characters, who)?;
    Ok(world.map.miss(watcher, eyes, place, layer))
}

/// Where the watches of a character saw another last, at most so many ticks ago; the latest sighting of them
/// that their watch remembers still. Cost: a pass over all watches.
pub fn remembered(
    world: &World,
    who: CharacterId,
    target: CharacterId,
    within_ticks: u64,
) -> Option<Sighting> {
    let serial = world.characters.get(target)?.serial;
    let now = world.tick();
    let of_watcher = world.senses.watches.values().filter(|watch| watch.character == who);
    let sightings = of_watcher.filter_map(|watch| {
        let known = watch.known.get(&serial).filter(|sighting| sighting.character == target)?;
        (watch.remembers(known, now) && now.since(known.tick) <= within_ticks).then_some(*known)
    });
    sightings.max_by_key(|sighting| sighting.tick)
}

/// The noise that a character hears best: the one whose reach it stands farthest inside; of two alike the
/// later. Its own do not count.
///
/// # Errors
/// When the character is gone.
pub fn hear(world: &World, who: CharacterId, range_m: f32) -> Result<Result<Noise, Unheard>, OpError> {
    let ear = alive(&world.characters, who)?;
    let (now, lasts) = (world.tick(), world.rate().ticks(Noise::HEARD_S));
    let mut others = world.senses.noises.iter();
    let in_the_air = |noise: &&Noise| noise.by != who && now.since(noise.tick) <= lasts;
    let mut best: Result<(f32, Noise), Unheard> = Err(Unheard::Silent);
    for noise in others.by_ref().filter(in_the_air) {
        match (noise.reaches(ear.body.position, ear.layer, range_m), &best) {
            (Some(inside_m), Ok((other_m, _))) if inside_m < *other_m => {}
            (Some(inside_m), _) => best = Ok((inside_m, *noise)),
            (None, Err(_)) => best = Err(Unheard::TooFar),
            (None, Ok(_)) => {}
        }
    }
    Ok(best.map(|(_, noise)| noise))
}

/// Makes a noise where a character stands.
///
/// # Errors
/// When the character is gone.
pub fn emit_noise(world: &mut World, who: CharacterId, loudness_m: f32) -> Result<(), OpError> {
    let by = alive(&world.characters, who)?;
    let (position, layer, tick) = (by.body.position, by.layer, world.clock.tick);
    let senses = &mut world.senses;
    if senses.noises.len() >= Noise::COUNT_MAX {
        senses.noises.remove(0);
        world.events.note_dropped_noise();
    }
    senses.noises_made += 1;
    senses.noises.push(Noise { serial: senses.noises_made, by: who, position, layer, loudness_m, tick });
    Ok(())
}

/// Begins to watch for a character.
pub fn watch(world: &mut World, order: SenseWatch) -> SenseId {
    world.senses.made += 1;
    let id = SenseId(world.senses.made);
    let heard = world.senses.noises_made;
    world.senses.watches.insert(id, SenseWatch { heard, ..order });
    id
}

/// Whether a watch looks and listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchSwitch {
    /// It does.
    On,
    /// It does not.
    Off,
}

/// Switches a watch on or off: off, it forgets without a word what it saw.
pub fn enable(world: &mut World, id: SenseId, switch: WatchSwitch) {
    let enabled = switch == WatchSwitch::On;
    let heard = world.senses.noises_made;
    if let Some(watch) = world.senses.watches.get_mut(&id)
        && watch.enabled != enabled
    {
        watch.enabled = enabled;
        watch.heard = heard;
        for sighting in watch.known.values_mut() {
            sighting.is_seen = false;
        }
    }
}

/// Ends a watch without a word; false when it is over already.
pub fn remove(world: &mut World, id: SenseId) -> bool {
    world.senses.watches.remove(&id).is_some()
}
