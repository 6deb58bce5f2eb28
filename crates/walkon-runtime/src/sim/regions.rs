//! Step 11: updates who is inside which region and which watch.
//!
//! In: positions. Out: insiders, facts. Holds: every enter is followed by exactly one exit; exits come
//! before enters, then level order, then order of creation; all watches together hold a bounded number of
//! characters, and one that finds no room counts as outside until there is some. Not here: the memory that
//! insiders take from scripts (`script::step::watch_memory`).

use std::collections::BTreeMap;

use glam::Vec3;

use crate::base::geom::flat_distance;
use crate::base::ids::{CharacterId, RegionId};
use crate::base::ordered::{self, CollectOrdered};
use crate::base::time::TickNumber;
use crate::nav::{NavMap, Traversal};
use crate::world::character::{Character, Characters, Displaced};
use crate::world::event::{EventQueue, Fact, NoticeKind};
use crate::world::region::{CrossingKind, Edge, Filter, Region, Triggers, Watch, WatchId, WatchShape};
use crate::world::settings::LevelLimits;

type Inside = BTreeMap<u32, CharacterId>;

/// Looks at somebody that one tick affords.
#[derive(Clone, Copy, Debug)]
struct LookBudget {
    /// Of the regions of the level.
    regions: u64,
    /// Of watches; a look along the ground counts for [`SIGHT_LOOKS`].
    watches: u64,
}

const BUDGET: LookBudget = LookBudget { regions: 8_000_000, watches: 1_000_000 };

/// What a look along the ground counts for.
const SIGHT_LOOKS: u64 = 32;

/// Corners of a region that count for a look.
const CORNERS_PER_LOOK: u64 = 16;

/// Tags that are compared and count for a look.
const TAGS_PER_LOOK: u64 = 16;

/// What is looked at: the ground, and everybody.
#[derive(Clone, Copy)]
struct RegionView<'a> {
    nav: &'a NavMap,
    characters: &'a Characters,
    /// How characters came to be elsewhere in earlier ticks, see [`Triggers::displaced`].
    displaced: &'a BTreeMap<u32, (Displaced, TickNumber)>,
    /// So many characters watches may hold inside, all together.
    insiders_max: usize,
    /// The tick that the looks are of.
    tick: TickNumber,
}

/// What watches look at: the same, and the regions that they may be around.
#[derive(Clone, Copy)]
struct WatchView<'a> {
    view: RegionView<'a>,
    regions: &'a [Region],
}

/// What the step is given.
#[derive(Debug)]
pub(crate) struct RegionParts<'a> {
    pub(crate) tick: TickNumber,
    pub(crate) insiders_max: usize,
    pub(crate) nav: &'a NavMap,
    pub(crate) characters: &'a mut Characters,
    pub(crate) triggers: &'a mut Triggers,
    pub(crate) events: &'a mut EventQueue,
}

/// How many characters watches may hold inside, all together: as many as fill the memory of scripts by
/// themselves.
pub(crate) fn insiders_max(limits: &LevelLimits) -> usize {
    (limits.memory_mib as usize).saturating_mul(1 << 20) / Watch::INSIDER_BYTES
}

/// Exits and entries, each in the order in which they were found.
#[derive(Debug)]
struct Changes {
    exits: Vec<Fact>,
    enters: Vec<Fact>,
    /// Those of them that scripts hear of.
    for_scripts: usize,
    /// Characters that were inside at a first look which tells nobody.
    silent: usize,
    /// So many more characters may be inside of watches.
    room: usize,
}

impl Changes {
    fn begin(view: RegionView<'_>, triggers: &Triggers) -> Self {
        let room = view.insiders_max.saturating_sub(triggers.insider_count());
        Self { exits: Vec::new(), enters: Vec::new(), for_scripts: 0, silent: 0, room }
    }

    /// What they come to for the queue of events, and for the memory.
    fn count(&self) -> usize {
        self.for_scripts + self.silent
    }

    fn exit(&mut self, fact: Fact) {
        self.for_scripts += usize::from(fact.is_for_scripts());
        self.exits.push(fact);
    }

    fn enter(&mut self, fact: Fact) {
        self.for_scripts += usize::from(fact.is_for_scripts());
        self.enters.push(fact);
    }

    /// Takes the newcomers for whom there is no room out of `now`, the last of them first.
    fn admit(&mut self, before: &Inside, now: &mut Inside) {
        let most = self.room + before.len();
        if let Some(beyond) = now.len().checked_sub(most).filter(|&beyond| beyond > 0) {
            let newcomers = now.keys().rev().filter(|serial| !before.contains_key(serial));
            let outside: Vec<u32> = newcomers.take(beyond).copied().collect();
            outside.iter().for_each(|serial| _ = now.remove(serial));
        }
        self.room = most - now.len();
    }

    fn tell(self, events: &mut EventQueue) {
        for event in self.exits.into_iter().chain(self.enters) {
            events.push(event);
        }
    }
}

/// Looks at every region and every enabled watch, then forgets the displaced. Where there are too many
/// regions or watches for the people there are, a part of them is looked at in each tick, those first that
/// have waited longest; while too many facts wait for scripts, no watch is. Who looks later is told how
/// people came there all the same.
pub(crate) fn run(parts: RegionParts<'_>) {
    let RegionParts { tick, insiders_max, nav, characters, triggers, events } = parts;
    let displaced = std::mem::take(&mut triggers.displaced);
    let view = RegionView { nav, characters, displaced: &displaced, insiders_max, tick };
    look_around(view, triggers, events, BUDGET);
    triggers.displaced = displaced;
    settle_displaced(tick, characters, triggers);
    characters.forget_displaced();
}

/// Looks at as much as the budget affords, and notes whether something is put off.
fn look_around(view: RegionView<'_>, triggers: &mut Triggers, events: &mut EventQueue, budget: LookBudget) {
    let mut changes = Changes::begin(view, triggers);
    let turns = turns_of_regions(&triggers.regions, view.characters, budget.regions);
    let waiting = |index: usize, region: &Region| WaitingLook { looked: region.looked, number: index as u64 };
    let all = triggers.regions.iter().enumerate().map(|(index, region)| waiting(index, region));
    let due = LooksDue::of(all, turns);
    let mut regions_put_off = 0;
    for (index, region) in triggers.regions.iter_mut().enumerate() {
        if due.holds(waiting(index, region)) {
            look_at_region(view, RegionId::from(index), region, &mut changes);
            region.looked = view.tick;
        } else {
            regions_put_off += 1;
        }
    }
    let turns = turns_of(triggers, view.characters, budget.watches);
    let waiting = |watch: &Watch| WaitingLook { looked: watch.looked, number: watch.serial };
    let enabled = triggers.watches.values().filter(|watch| watch.enabled);
    let due = LooksDue::of(enabled.map(waiting), turns);
    let mut watches_put_off = 0;
    let mut ids = triggers.watch_ids();
    if triggers.is_behind {
        // Where there is no room to tell more, those that wait longest come first.
        ordered::sort_by_key(&mut ids, |&id| triggers.watches.get(id).map(|watch| watch.looked));
    }
    for id in ids {
        let Triggers { regions, watches, .. } = triggers;
        let Some(watch) = watches.get_mut(id).filter(|watch| watch.enabled) else { continue };
        let has_room = changes.count() + events.waiting() < EventQueue::WAITING_MAX;
        if has_room && due.holds(waiting(watch)) {
            look_at_watch(WatchView { view, regions }, id, watch, &mut changes);
        } else {
            // Who came in after it was made is not known any more at its first look.
            watch.placed_before = if watch.fresh.is_some() { u32::MAX } else { 0 };
            watches_put_off += 1;
        }
    }
    changes.tell(events);
    for (what, count) in
        [(NoticeKind::RegionsDeferred, regions_put_off), (NoticeKind::WatchesDeferred, watches_put_off)]
    {
        if count > 0 {
            events.push(Fact::notice(what, count));
        }
    }
    triggers.is_behind = regions_put_off + watches_put_off > 0;
}

/// One that waits for a look: in the order in which they are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct WaitingLook {
    looked: TickNumber,
    number: u64,
}

/// Who is looked at in a tick: the last of those that have waited longest; all for none.
#[derive(Clone, Copy, Debug)]
struct LooksDue(Option<WaitingLook>);

impl LooksDue {
    /// As many of those that wait as that all of them are looked at in so many turns.
    fn of(waiting: impl Iterator<Item = WaitingLook>, turns: u64) -> Self {
        if turns <= 1 {
            return Self(None);
        }
        let mut waiting: Vec<WaitingLook> = waiting.collect();
        waiting.sort_unstable();
        let count = (waiting.len() as u64).div_ceil(turns) as usize;
        Self(waiting.get(count.saturating_sub(1)).copied())
    }

    fn holds(self, one: WaitingLook) -> bool {
        self.0.is_none_or(|last| one <= last)
    }
}

/// Notes who was displaced in this tick, for those that are put off; forgets what all have seen.
fn settle_displaced(tick: TickNumber, characters: &Characters, triggers: &mut Triggers) {
    if !triggers.is_behind {
        triggers.displaced.clear();
        return;
    }
    for character in characters.displaced() {
        triggers.displaced.insert(character.serial, (character.displaced, tick));
    }
    let regions = triggers.regions.iter().map(|region| region.looked);
    let watches = triggers.watches.values().filter(|watch| watch.enabled).map(|watch| watch.looked);
    let oldest = regions.chain(watches).min().unwrap_or(tick);
    triggers.displaced.retain(|_, (_, since)| *since > oldest);
}

/// The ticks in which every region is looked at once.
fn turns_of_regions(regions: &[Region], characters: &Characters, budget: u64) -> u64 {
    let looks = |region: &Region| 1 + region.shape.corner_count() as u64 / CORNERS_PER_LOOK;
    let all: u64 = regions.iter().map(looks).sum();
    let people = if all > 0 { characters.iter().count() as u64 } else { 0 };
    (all * people).div_ceil(budget).max(1)
}

/// The ticks in which every watch is looked at once.
fn turns_of(triggers: &Triggers, characters: &Characters, budget: u64) -> u64 {
    let enabled = || triggers.watches.values().filter(|watch| watch.enabled);
    if enabled().next().is_none() {
        return 1;
    }
    let (people, tags) = characters
        .iter()
        .fold((0, 0), |(people, tags), (_, character)| (people + 1, tags + character.tags.len() as u64));
    let tags_asked: u64 = enabled().map(|watch| watch.filter.tag_count() as u64).sum();
    let looks: u64 = enabled().map(|watch| looks_of(watch, &triggers.regions, people)).sum();
    (looks + tags_asked * tags / TAGS_PER_LOOK).div_ceil(budget).max(1)
}

/// What the looks of a watch at so many people count for, beside the tags that are compared.
fn looks_of(watch: &Watch, regions: &[Region], people: u64) -> u64 {
    let region = match watch.ground {
        WatchShape::Region(region) => regions.get(region.index()),
        _ => None,
    };
    let corners = region.map_or(0, |region| region.shape.corner_count() as u64);
    // A character that is not meant is passed over before the corners are looked at; where the rim matters
    // they are looked at twice.
    let looked_at = if let Filter::Only(_) = watch.filter { 1 } else { people };
    let times = if watch.edge == Edge::Centre { 1 } else { 2 };
    let each = if watch.needs_sight() { SIGHT_LOOKS } else { 1 };
    each * people + times * corners * looked_at / CORNERS_PER_LOOK
}

/// The same for a few characters of a skipped scene, which has moved them unless something else did: nobody
/// else is looked at, and the displacement of others stays. Nothing is put off: from here on all know where
/// the few are, and how they came there.
pub(crate) fn run_for(parts: RegionParts<'_>, moved: &[CharacterId]) {
    for &id in moved {
        if let Some(character) = parts.characters.get_mut(id).filter(|one| one.displaced == Displaced::No) {
            character.displaced = Displaced::Skipped;
        }
    }
    run_before(parts, moved);
}

/// The same before the scene has moved anybody: what was put off of them is looked at.
pub(crate) fn run_before(parts: RegionParts<'_>, moved: &[CharacterId]) {
    let RegionParts { tick, insiders_max, nav, characters, triggers, events } = parts;
    let mut displaced = std::mem::take(&mut triggers.displaced);
    let view = RegionView { nav, characters, displaced: &displaced, insiders_max, tick };
    look_for(view, triggers, events, moved);
    for &id in moved {
        if let Some(character) = characters.get_mut(id) {
            character.displaced = Displaced::No;
            displaced.remove(&character.serial);
        }
    }
    triggers.displaced = displaced;
}

fn look_for(view: RegionView<'_>, triggers: &mut Triggers, events: &mut EventQueue, moved: &[CharacterId]) {
    let mut changes = Changes::begin(view, triggers);
    for (index, region) in triggers.regions.iter_mut().enumerate() {
        look_at_some(view, RegionId::from(index), region, moved, &mut changes);
    }
    for id in triggers.watch_ids() {
        let Triggers { regions, watches, .. } = triggers;
        let Some(watch) = watches.get_mut(id).filter(|watch| watch.enabled) else { continue };
        let travels =
            matches!(watch.ground, WatchShape::Around { character, .. } if moved.contains(&character));
        if watch.fresh.is_some() || travels {
            look_at_watch(WatchView { view, regions }, id, watch, &mut changes);
        } else {
            watch_some(WatchView { view, regions }, id, watch, moved, &mut changes);
        }
    }
    changes.tell(events);
}

fn look_at_some(
    view: RegionView<'_>,
    id: RegionId,
    region: &mut Region,
    moved: &[CharacterId],
    changes: &mut Changes,
) {
    for &character in moved {
        let Some(body) = view.characters.alive(character) else {
            continue;
        };
        match (region.inside.contains_key(&body.serial), region.holds(body, Edge::Centre)) {
            (true, false) => {
                let how = view.how_out(character, region.looked);
                changes.exit(Fact::RegionLeft { region: id, character, how });
                region.inside.remove(&body.serial);
            }
            (false, true) => {
                let how = view.how_in(character, region.looked);
                changes.enter(Fact::RegionEntered { region: id, character, how });
                region.inside.insert(body.serial, character);
            }
            _ => {}
        }
    }
}

fn watch_some(
    watches: WatchView<'_>,
    id: WatchId,
    watch: &mut Watch,
    moved: &[CharacterId],
    changes: &mut Changes,
) {
    let view = watches.view;
    for &character in moved {
        let Some(body) = view.characters.alive(character) else {
            continue;
        };
        let counts = passes(&watch.filter, character, body) && watches.is_inside(watch, character, body);
        match (watch.inside.contains_key(&body.serial), counts) {
            (true, false) => {
                let how = view.how_out(character, watch.looked);
                changes.exit(Fact::WatchLeft { watch: id, character, how });
                watch.inside.remove(&body.serial);
                changes.room += 1;
            }
            (false, true) if changes.room > 0 => {
                changes.room -= 1;
                let how = view.how_in(character, watch.looked);
                changes.enter(Fact::WatchEntered { watch: id, character, how });
                watch.inside.insert(body.serial, character);
            }
            _ => {}
        }
    }
}

fn look_at_region(view: RegionView<'_>, id: RegionId, region: &mut Region, changes: &mut Changes) {
    let now: Inside = view
        .characters
        .iter()
        .filter(|(_, character)| region.holds(character, Edge::Centre))
        .map(|(id, character)| (character.serial, id))
        .collect_map();
    if now == region.inside {
        return;
    }
    for (_, &character) in region.inside.iter().filter(|(serial, _)| !now.contains_key(serial)) {
        let how = view.how_out(character, region.looked);
        changes.exit(Fact::RegionLeft { region: id, character, how });
    }
    for (_, &character) in now.iter().filter(|(serial, _)| !region.inside.contains_key(serial)) {
        let how = view.how_in(character, region.looked);
        changes.enter(Fact::RegionEntered { region: id, character, how });
    }
    region.inside = now;
}

fn look_at_watch(watches: WatchView<'_>, id: WatchId, watch: &mut Watch, changes: &mut Changes) {
    let view = watches.view;
    let mut now = watches.insiders(watch);
    changes.admit(&watch.inside, &mut now);
    let centre = view.centre(watch);
    let since = std::mem::replace(&mut watch.looked, view.tick);
    let is_silent = watch.fresh == Some(CrossingKind::Initial) && !watch.report_initial;
    for (_, &character) in watch.inside.iter().filter(|(serial, _)| !now.contains_key(serial)) {
        let how = view.by_motion(character, view.how_out(character, since), centre);
        changes.exit(Fact::WatchLeft { watch: id, character, how });
    }
    let usual = |character| view.by_motion(character, view.how_in(character, since), centre);
    if is_silent {
        let is_new =
            |character: &&CharacterId| view.characters.is_displaced_after(**character, watch.placed_before);
        changes.silent += now.len();
        for &character in now.values().filter(is_new) {
            changes.silent -= 1;
            changes.enter(Fact::WatchEntered { watch: id, character, how: usual(character) });
        }
    } else {
        for (_, &character) in now.iter().filter(|(serial, _)| !watch.inside.contains_key(serial)) {
            let how = watch.fresh.unwrap_or_else(|| usual(character));
            changes.enter(Fact::WatchEntered { watch: id, character, how });
        }
    }
    watch.inside = now;
    (watch.fresh, watch.placed_before) = (None, 0);
}

/// What the middle of a watched circle does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Centre {
    /// It stays where it is.
    Rests,
    /// It goes along with somebody who walks, or came here at once.
    Moves,
    /// The one it goes along with was removed: there is no circle any more.
    Removed,
}

impl RegionView<'_> {
    /// `Moved` for somebody who stood still while the circle came or went, `Despawned` for anyone around
    /// somebody who was removed.
    fn by_motion(&self, id: CharacterId, usual: CrossingKind, centre: Centre) -> CrossingKind {
        let stood = self.characters.get(id).is_some_and(|character| !character.is_moving);
        match (usual, centre) {
            (CrossingKind::Walked, Centre::Removed) => CrossingKind::Despawned,
            (CrossingKind::Walked, Centre::Moves) if stood => CrossingKind::Moved,
            _ => usual,
        }
    }

    fn centre(&self, watch: &Watch) -> Centre {
        let WatchShape::Around { character, .. } = watch.ground else { return Centre::Rests };
        match self.characters.alive(character) {
            None => Centre::Removed,
            Some(middle) if middle.is_moving => Centre::Moves,
            Some(_) if self.displaced_since(character, watch.looked) != Displaced::No => Centre::Moves,
            Some(_) => Centre::Rests,
        }
    }

    /// How somebody came to be elsewhere in this tick, or after the tick in which was looked last.
    fn displaced_since(&self, id: CharacterId, looked: TickNumber) -> Displaced {
        let Some(character) = self.characters.get(id) else { return Displaced::No };
        let earlier = || self.displaced.get(&character.serial).filter(|(_, since)| *since > looked);
        match character.displaced {
            // A skipped scene leads on from where it had come to.
            last @ (Displaced::No | Displaced::Skipped) => earlier().map_or(last, |(how, _)| *how),
            now => now,
        }
    }

    fn how_in(&self, id: CharacterId, looked: TickNumber) -> CrossingKind {
        match self.displaced_since(id, looked) {
            Displaced::Spawned => CrossingKind::Spawned,
            Displaced::Teleported => CrossingKind::Teleported,
            Displaced::Skipped => CrossingKind::Skipped,
            Displaced::No => CrossingKind::Walked,
        }
    }

    fn how_out(&self, id: CharacterId, looked: TickNumber) -> CrossingKind {
        if self.characters.alive(id).is_none() {
            return CrossingKind::Despawned;
        }
        match self.displaced_since(id, looked) {
            Displaced::Teleported => CrossingKind::Teleported,
            Displaced::Skipped => CrossingKind::Skipped,
            Displaced::Spawned | Displaced::No => CrossingKind::Walked,
        }
    }

    fn sees(&self, from: Vec3, layer: u8, who: &Character) -> bool {
        let by = Traversal { layer, ..Traversal::default() };
        layer == who.layer && self.nav.straight(from, who.body.position, &by).is_some()
    }
}

impl WatchView<'_> {
    fn insiders(&self, watch: &Watch) -> Inside {
        self.view
            .characters
            .iter()
            .filter(|&(id, character)| passes(&watch.filter, id, character))
            .filter(|&(id, character)| self.is_inside(watch, id, character))
            .map(|(id, character)| (character.serial, id))
            .collect_map()
    }

    fn is_inside(&self, watch: &Watch, id: CharacterId, character: &Character) -> bool {
        let view = self.view;
        match &watch.ground {
            WatchShape::Region(region) => {
                self.regions.get(region.index()).is_some_and(|region| region.holds(character, watch.edge))
            }
            WatchShape::Area(area) => {
                let mut areas = Vec::new();
                view.nav.on_layer(character.layer).areas_at(character.body.position, &mut areas);
                areas.contains(area)
            }
            WatchShape::Near { centre, radius_m: reach_m, line_of_walk } => {
                in_circle(*centre, *reach_m, character, watch.edge)
                    && (!line_of_walk || view.sees(*centre, character.layer, character))
            }
            WatchShape::Around { character: centre, radius_m: reach_m, line_of_walk } => {
                let Some(middle) = view.characters.alive(*centre).filter(|_| *centre != id) else {
                    return false;
                };
                let (middle, layer) = (middle.body.position, middle.layer);
                in_circle(middle, *reach_m, character, watch.edge)
                    && (!line_of_walk || view.sees(middle, layer, character))
            }
        }
    }
}

fn passes(filter: &Filter, id: CharacterId, character: &Character) -> bool {
    match filter {
        Filter::All => true,
        Filter::Tags(tags) => tags.iter().any(|tag| character.has_tag(tag)),
        Filter::Only(only) => *only == id,
    }
}

#[inline]
fn in_circle(centre: Vec3, radius_m: f32, character: &Character, edge: Edge) -> bool {
    let distance_m = flat_distance(centre, character.body.position);
    match edge {
        Edge::Centre => distance_m <= radius_m,
        Edge::Any => distance_m <= radius_m + character.body.radius_m,
        Edge::Full => distance_m + character.body.radius_m <= radius_m,
    }
}

#[cfg(test)]
mod tests;
