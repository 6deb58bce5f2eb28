//! Step 11, after regions: watches look and listen.
//!
//! In: positions, facings, the ground, noises. Out: sightings, facts. Holds: so many looks along the ground a
//! tick and no more; when they are spent the watches that are left come first in the next tick, so each has
//! its turn, in order of creation; one watch looks at all it is for, or waits. A look that ends at range or
//! view costs a small part of one. Listening takes no looks: every watch hears every noise once, in the tick
//! in which it is made unless there are very many, and a noise stays until all have heard it. While a scene
//! is skipped its own watches look in each of its ticks. Not here: what blocks a line of sight
//! (`world::sight`).

use std::cell::Cell;
use std::collections::btree_map::RangeMut;
use std::collections::{BTreeMap, BTreeSet};

use crate::base::ids::CharacterId;
use crate::base::ordered::{self, CollectOrdered};
use crate::base::time::TickNumber;
use crate::world::character::{Character, Characters};
use crate::world::clock::Clock;
use crate::world::event::{EventQueue, Fact};
use crate::world::map::LevelMap;
use crate::world::owner::Owner;
use crate::world::sense::{Noise, SenseId, SenseTarget, SenseWatch, Senses, Sighting, Unseen};
use crate::world::settings::LevelLimits;

/// Parts of a look along the ground that a look at range and view takes.
const GLANCES_PER_LOOK: u64 = 32;
/// Noises that watches hear out in a tick, all together, about two milliseconds; those that have heard the
/// least come first.
const HEARD_MAX: usize = 1 << 18;

/// What the step is given.
#[derive(Debug)]
pub(crate) struct SenseParts<'a> {
    pub(crate) clock: &'a Clock,
    pub(crate) looks_max: u32,
    /// So many sightings watches may keep, all together.
    pub(crate) sightings_max: usize,
    pub(crate) map: &'a LevelMap,
    pub(crate) characters: &'a Characters,
    pub(crate) senses: &'a mut Senses,
    pub(crate) events: &'a mut EventQueue,
}

/// How many sightings watches may keep, all together: as many as fill the memory of scripts by themselves.
pub(crate) fn sightings_max(limits: &LevelLimits) -> usize {
    (limits.memory_mib as usize).saturating_mul(1 << 20) / SenseWatch::SIGHTING_BYTES
}

/// What watches look at.
struct SenseInputs<'a> {
    now: TickNumber,
    /// So many more sightings may be kept; what forgets leaves its room to the next tick.
    room: Cell<usize>,
    map: &'a LevelMap,
    characters: &'a Characters,
    noises: &'a [Noise],
    /// The characters with each tag that a watch is for.
    tagged: BTreeMap<String, Vec<CharacterId>>,
    turn: ListeningTurn,
}

/// When watches listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListeningTurn {
    /// Each after its look, then those that wait for one.
    WithLooks,
    /// After all looks, those that have heard the least first: not all can be served.
    LongestFirst,
}

/// Watches look until the looks of the tick are spent; noises that are over end.
pub(crate) fn run(parts: &mut SenseParts<'_>) {
    let SenseParts { clock, looks_max, sightings_max, map, characters, senses, events } = parts;
    let lasts = clock.rate.ticks(Noise::HEARD_S);
    let Senses { watches, next, noises, .. } = &mut **senses;
    let is_over = |noise: &Noise| clock.tick.since(noise.tick) > lasts;
    if noises.first().is_some_and(is_over) {
        let listeners = watches.values().filter(|watch| listens(watch, characters));
        let heard_by_all = listeners.map(|watch| watch.heard).min().unwrap_or(u64::MAX);
        noises.retain(|noise| !is_over(noise) || noise.serial > heard_by_all);
    }
    if watches.is_empty() {
        return;
    }
    let tagged = tagged(watches, characters);
    let room = room(watches, *sightings_max);
    let (now, turn) = (clock.tick, ListeningTurn::WithLooks);
    let mut view = SenseInputs { now, room, map, characters, noises, tagged, turn };
    let news = watches.values().map(|watch| view.news(watch).len()).sum::<usize>();
    if news > HEARD_MAX {
        view.turn = ListeningTurn::LongestFirst;
    }
    let first = SenseId(*next);
    let mut left = u64::from(*looks_max) * GLANCES_PER_LOOK;
    // From the one whose turn it is to the last, then from the first.
    let waits = attend_to(watches.range_mut(first..), &view, &mut left, events)
        .or_else(|| attend_to(watches.range_mut(..first), &view, &mut left, events));
    *next = waits.map_or(0, |id| id.0);
    if news > 0 {
        view.listen_all(watches, events);
    }
}

/// The watches of these owners look and listen, all of them; how often they looked along the ground.
pub(crate) fn run_for(parts: &mut SenseParts<'_>, owners: &[Owner]) -> u64 {
    let SenseParts { clock, looks_max: _, sightings_max, map, characters, senses, events } = parts;
    let Senses { watches, noises, .. } = &mut **senses;
    let looks = |watch: &SenseWatch| watch.enabled && owners.contains(&watch.owner);
    if !watches.values().any(looks) {
        return 0;
    }
    let tagged = tagged(watches, characters);
    let room = room(watches, *sightings_max);
    let (now, turn) = (clock.tick, ListeningTurn::WithLooks);
    let view = SenseInputs { now, room, map, characters, noises, tagged, turn };
    let mut glances = 0;
    for (&id, watch) in watches.iter_mut().filter(|(_, watch)| looks(watch)) {
        if !events.is_full() {
            glances += view.attend(id, watch, events);
        }
    }
    glances / GLANCES_PER_LOOK
}

/// How many more sightings may be kept.
fn room(watches: &BTreeMap<SenseId, SenseWatch>, sightings_max: usize) -> Cell<usize> {
    let kept: usize = watches.values().map(|watch| watch.known.len()).sum();
    Cell::new(sightings_max.saturating_sub(kept))
}

/// Whether a watch is told of noises.
fn listens(watch: &SenseWatch, characters: &Characters) -> bool {
    watch.enabled && watch.hearing_m > 0.0 && characters.alive(watch.character).is_some()
}

/// Lets watches look one after another until no looks are left. Returns the watch that has to wait.
fn attend_to(
    mut watches: RangeMut<'_, SenseId, SenseWatch>,
    view: &SenseInputs<'_>,
    left: &mut u64,
    events: &mut EventQueue,
) -> Option<SenseId> {
    watches.find_map(|(&id, watch)| {
        let is_over = *left == 0 || events.is_full();
        if !is_over && watch.enabled {
            *left = left.saturating_sub(view.attend(id, watch, events));
        }
        is_over.then_some(id)
    })
}

/// Every character with a tag that is watched for, by tag. Cost: a pass over every character, when there is
/// such a tag.
fn tagged(
    watches: &BTreeMap<SenseId, SenseWatch>,
    characters: &Characters,
) -> BTreeMap<String, Vec<CharacterId>> {
    let tags: BTreeSet<&String> = watches
        .values()
        .filter_map(|watch| match &watch.target {
            SenseTarget::Tag(tag) => Some(tag),
            SenseTarget::Character(_) => None,
        })
        .collect_set();
    let with = |tag: &str| characters.iter().filter(|(_, one)| one.has_tag(tag)).map(|(id, _)| id).collect();
    tags.into_iter().map(|tag| (tag.clone(), with(tag))).collect_map()
}

/// A character that a watcher may see.
#[derive(Clone, Copy)]
struct LookedAt<'a> {
    watcher: &'a Character,
    character: CharacterId,
    who: &'a Character,
}

impl SenseInputs<'_> {
    /// One watch looks and listens; what it took.
    fn attend(&self, id: SenseId, watch: &mut SenseWatch, events: &mut EventQueue) -> u64 {
        let Some(watcher) = self.characters.alive(watch.character) else {
            self.forget(id, watch, events);
            return 1;
        };
        let mut spent = 1;
        let (own, only);
        let targets: &[CharacterId] = match &watch.target {
            SenseTarget::Character(target) => {
                only = [*target];
                &only
            }
            SenseTarget::Tag(tag) => self.tagged.get(tag).map_or(&[], Vec::as_slice),
        };
        own = watch.character;
        self.forget(id, watch, events);
        for &target in targets.iter().filter(|target| **target != own) {
            if let Some(who) = self.characters.alive(target) {
                spent += 1;
                spent += self.look(id, watch, LookedAt { watcher, character: target, who }, events);
            }
        }
        if self.turn == ListeningTurn::WithLooks {
            self.listen(id, watch, watcher, events);
        }
        spent
    }

    /// Whether a watch with that target is for a character.
    fn is_target(&self, target: &SenseTarget, one: CharacterId) -> bool {
        match target {
            SenseTarget::Character(own) => *own == one,
            SenseTarget::Tag(tag) => self.characters.alive(one).is_some_and(|who| who.has_tag(tag)),
        }
    }

    /// Loses the characters that are gone, and forgets what is too long ago.
    fn forget(&self, id: SenseId, watch: &mut SenseWatch, events: &mut EventQueue) {
        if watch.known.is_empty() {
            return;
        }
        let has_watcher = self.characters.alive(watch.character).is_some();
        let (own, target) = (watch.character, &watch.target);
        for sighting in watch.known.values_mut().filter(|sighting| sighting.is_seen) {
            let Sighting { character, position, .. } = *sighting;
            let counts = has_watcher && character != own && self.is_target(target, character);
            if !counts || self.characters.alive(character).is_none() {
                sighting.is_seen = false;
                events.push(Fact::SightLost { watch: id, character, position, why: Unseen::Gone });
            }
        }
        let (now, memory_ticks) = (self.now, watch.memory_ticks);
        let lasts = |sighting: &Sighting| sighting.is_seen || now.since(sighting.tick) <= memory_ticks;
        if !watch.known.values().all(lasts) {
            watch.known.retain(|_, sighting| lasts(sighting));
        }
    }

    /// Whether a sighting of a character may be kept; one that is remembered has its room.
    fn has_room_for(&self, watch: &SenseWatch, serial: u32) -> bool {
        if watch.known.contains_key(&serial) {
            return true;
        }
        let room = self.room.get();
        self.room.set(room.saturating_sub(1));
        room > 0
    }

    /// A look at one; what it took.
    fn look(
        &self,
        id: SenseId,
        watch: &mut SenseWatch,
        LookedAt { watcher, character, who }: LookedAt<'_>,
        events: &mut EventQueue,
    ) -> u64 {
        let was_seen = watch.known.get(&who.serial).filter(|sighting| sighting.is_seen).copied();
        let eyes = if was_seen.is_some() { watch.eyes.losing() } else { watch.eyes };
        let position = who.body.position;
        let missed = self.map.miss(watcher, eyes, position, who.layer);
        // Range and view alone take no look along the ground.
        let has_looked = matches!(missed, None | Some(Unseen::Blocked));
        match (missed, was_seen) {
            // One without room is not seen until there is some.
            (None, None) if !self.has_room_for(watch, who.serial) => {}
            (None, was_seen) => {
                let sighting = Sighting { character, is_seen: true, position, tick: self.now };
                watch.known.insert(who.serial, sighting);
                if was_seen.is_none() {
                    events.push(Fact::Noticed { watch: id, character, position });
                }
            }
            (Some(why), Some(last)) => {
                watch.known.insert(who.serial, Sighting { is_seen: false, ..last });
                events.push(Fact::SightLost { watch: id, character, position: last.position, why });
            }
            (Some(_), None) => {}
        }
        if has_looked { GLANCES_PER_LOOK } else { 0 }
    }

    /// The noises that a watch has yet to hear out.
    fn news(&self, watch: &SenseWatch) -> &[Noise] {
        let has_some = self.noises.last().is_some_and(|noise| noise.serial > watch.heard);
        if !has_some || !listens(watch, self.characters) {
            return &[];
        }
        &self.noises[self.noises.partition_point(|noise| noise.serial <= watch.heard)..]
    }

    /// Lets the watches that have yet to hear something listen; what is too much for one tick waits.
    fn listen_all(&self, watches: &mut BTreeMap<SenseId, SenseWatch>, events: &mut EventQueue) {
        let has_news = |(&id, watch): (&SenseId, &SenseWatch)| {
            (!self.news(watch).is_empty()).then_some((watch.heard, id))
        };
        let mut due: Vec<(u64, SenseId)> = watches.iter().filter_map(has_news).collect();
        if self.turn == ListeningTurn::LongestFirst {
            ordered::sort_by_key(&mut due, |&due| due);
        }
        let mut left = HEARD_MAX;
        for (_, id) in due {
            let Some(watch) = watches.get_mut(&id).filter(|_| left > 0 && !events.is_full()) else {
                return;
            };
            if let Some(watcher) = self.characters.alive(watch.character) {
                left = left.saturating_sub(self.news(watch).len());
                self.listen(id, watch, watcher, events);
            }
        }
    }

    /// Tells of noises that it has not heard yet, of those it watches for.
    fn listen(&self, id: SenseId, watch: &mut SenseWatch, watcher: &Character, events: &mut EventQueue) {
        for noise in self.news(watch).iter().filter(|noise| noise.by != watch.character) {
            let is_heard = noise.reaches(watcher.body.position, watcher.layer, watch.hearing_m).is_some();
            if is_heard && self.is_target(&watch.target, noise.by) {
                let Noise { by, position, loudness_m, .. } = *noise;
                events.push(Fact::NoiseHeard { watch: id, character: by, position, loudness_m });
            }
        }
        watch.heard = self.noises.last().map_or(watch.heard, |noise| noise.serial.max(watch.heard));
    }
}
