//! Reloads a changed level file: the running level becomes what the new file says, and keeps what is alive.
//!
//! In: the new level, loaded; the values that the old one gave. Out: the world on the new map, the characters
//! whose behaviours changed, messages about state that could not be kept. Holds: an invalid level changes
//! nothing; things are known by name: a character stays where it stands while the new map is walkable there,
//! else it is put on the nearest ground within eight metres, else it is removed; doors keep their state;
//! changes by scripts stay unless the file now says something else. Where nothing has changed that decides
//! about the ground, the map and all walks stay as they are. A door keeps its number, so handles go on
//! meaning it; one that is gone leaves its number and its place behind. Not here: scripts
//! (`script::host::reload`), what refers to areas by number (`area_numbers`).

mod area_numbers;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::Vec3;

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::ids::{AreaId, CharacterId, DoorId, RegionId};
use crate::base::ordered::CollectOrdered;
use crate::game::by_name::ByName;
use crate::game::inputs::LevelTexts;
use crate::game::level_reload::area_numbers::AreaNumbers;
use crate::game::reload_errors::{self, Written};
use crate::level::spawn::{self, Spawned};
use crate::level::{Level, MemorySource, load};
use crate::nav::{AreaEdit, NavEdit};
use crate::script::host::reload::{ChangedTexts, LevelBehaviours, ReloadError};
use crate::script::host::{GivenBehaviour, ScriptHost};
use crate::script::vm::files::ScriptTexts;
use crate::world::World;
use crate::world::area::Area;
use crate::world::character::{Character, Gait, standing_on};
use crate::world::day::DayTime;
use crate::world::door::{Door, DoorPolicy, DoorReason, DoorRemoval, DoorState};
use crate::world::event::Fact;
use crate::world::ops::characters::{Spawn, despawn, recheck_plans_around};
use crate::world::ops::doors::answer;
use crate::world::ops::{blocks, tiles};
use crate::world::region::{WatchId, WatchShape};
use crate::world::settings::Settings;
use crate::world::walk::{Ask, Phase};

/// What a level file gave, to tell which parts an edit has changed.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    areas: Vec<Area>,
    doors: Vec<Door>,
    marks: BTreeSet<String>,
    routes: BTreeSet<String>,
    people: ByName<Given>,
    behaviours: ByName<Option<GivenBehaviour>>,
    settings: Settings,
    day: Option<DayTime>,
    rate: u32,
    given: LevelGiven,
    /// A later level, which was refused.
    pub(super) refused: Option<RefusedLevel>,
}

/// A level that was refused: it is tried again with what it needs.
#[derive(Clone, Debug)]
pub(super) struct RefusedLevel {
    pub(super) texts: LevelTexts,
    /// The scripts that were saved with it, those with the mistakes, and the names of those that code has run
    /// on in it; none where it was refused before, since any script may bring what it lacks.
    with: Option<BTreeSet<String>>,
}

impl RefusedLevel {
    /// One that names what is not there, or cannot be read.
    pub(super) fn unfit(texts: LevelTexts) -> Self {
        Self { texts, with: None }
    }

    /// One in which the code of scripts has failed; `scripts` were given with it.
    pub(super) fn by_scripts(texts: LevelTexts, scripts: &ChangedTexts, refusal: &ReloadError) -> Self {
        let wrong = std::iter::once(refusal).chain(&refusal.more).map(|mistake| mistake.file.clone());
        let ran = refusal.ran.iter().cloned();
        Self { texts, with: Some(scripts.keys().cloned().chain(wrong).chain(ran).collect_set()) }
    }

    /// The same after it was refused before, if it was.
    pub(super) fn after(mut self, before: Option<Self>) -> Self {
        let before = before.filter(|before| before.texts == self.texts).and_then(|before| before.with);
        if let (Some(with), Some(before)) = (&mut self.with, before) {
            with.extend(before);
        }
        self
    }

    /// Whether it is to be tried again with these scripts.
    pub(super) fn comes_with(&self, scripts: &ChangedTexts) -> bool {
        let name = |path: &str| ScriptTexts::name_of_path(path).unwrap_or_default().to_owned();
        let is_of =
            |with: &BTreeSet<String>, path: &String| with.contains(path) || with.contains(&name(path));
        self.with.as_ref().is_none_or(|with| scripts.keys().any(|path| is_of(with, path)))
    }
}

/// What a level file says of the whole.
#[derive(Clone, Debug)]
pub(super) struct LevelGiven {
    /// The name of its script.
    pub(super) script: Option<String>,
    pub(super) seed: u64,
    /// Over the level and every file it names.
    pub(super) hash: u64,
    /// Over what decides about the ground.
    pub(super) ground: u64,
}

impl LevelGiven {
    pub(super) fn of(level: &Level) -> Self {
        Self {
            script: level.def.script.as_ref().map(|script| script.value.clone()),
            seed: level.def.seed,
            hash: level.hash(),
            ground: level.ground_hash(),
        }
    }
}

/// What a level file says of a character.
#[derive(Clone, Debug, PartialEq)]
struct Given {
    position: Vec3,
    facing_rad: f32,
    layer: u8,
    radius_m: f32,
    height_m: f32,
    gait: Gait,
    tags: Vec<String>,
    is_player: bool,
    doors: DoorPolicy,
}

walkon_nav::saved!(Given { position, facing_rad, layer, radius_m, height_m, gait, tags, is_player, doors });

impl From<&Character> for Given {
    fn from(one: &Character) -> Self {
        Self {
            position: one.body.position,
            facing_rad: one.facing_rad,
            layer: one.layer,
            radius_m: one.body.radius_m,
            height_m: one.body.height_m,
            gait: one.gait,
            tags: one.tags.clone(),
            is_player: one.is_player,
            doors: one.doors,
        }
    }
}

impl Origin {
    /// What the level gave, as far as an edit can change it.
    pub(super) fn of(built: &Spawned, given: LevelGiven) -> Self {
        let world = &built.world;
        let name_of = |id: CharacterId| world.name_of(id).to_owned();
        let behaviours = built.characters.iter().map(|(id, found)| {
            let given = found
                .as_ref()
                .map(|found| GivenBehaviour { name: found.script.clone(), params: found.params.clone() });
            (name_of(*id), given)
        });
        Self {
            areas: world.map.areas.clone(),
            doors: world.map.doors.clone(),
            marks: world.places.marks.keys().cloned().collect(),
            routes: world.places.routes.keys().cloned().collect(),
            people: world.characters().map(|(_, one)| (one.name.clone(), one.into())).collect(),
            behaviours: behaviours.collect(),
            settings: world.settings.clone(),
            day: world.day,
            rate: world.clock.rate.per_second(),
            given,
            refused: None,
        }
    }

    /// The hash of the level.
    pub(super) fn hash(&self) -> u64 {
        self.given.hash
    }

    /// The hash of what decides about its ground.
    pub(super) fn ground(&self) -> u64 {
        self.given.ground
    }

    /// Writes what a level gave, next to the world made from it: most characters are still as the level gave
    /// them.
    pub(super) fn save(&self, out: &mut ByteWriter, world: &World) {
        let Self {
            areas,
            doors,
            marks,
            routes,
            people,
            behaviours,
            // They count from the load on.
            settings: _,
            day,
            // The world's.
            rate: _,
            // The script counts from the load on, the hashes are in the header.
            given: LevelGiven { seed, script: _, hash: _, ground: _ },
            // A load takes in the level as it is by then.
            refused: _,
        } = self;
        out.list(areas.iter(), |out, area| {
            area.name.save(out);
            area.available.save(out);
            area.factor.save(out);
        });
        out.list(doors.iter(), |out, door| {
            door.name.save(out);
            door.is_locked.save(out);
            door.key.save(out);
        });
        marks.iter().cloned().collect::<Vec<_>>().save(out);
        routes.iter().cloned().collect::<Vec<_>>().save(out);
        out.whole(*seed);
        day.save(out);
        save_people(out, world, people, behaviours);
    }

    /// Reads what a level gave when its world was saved. From the load on the values of `now`, the present
    /// level, count, but for the ground: `ground` is the hash of that when it was saved.
    pub(super) fn load(
        input: &mut ByteReader<'_>,
        world: &World,
        now: LevelGiven,
        ground: u64,
    ) -> Result<Self, DecodeError> {
        let areas = input.list(|input| {
            let (name, available, factor) = (input.text()?, input.flag()?, input.float()?);
            let kind = crate::world::area::AreaKind::Ground;
            Ok(Area { name, kind, available, factor, door: None, veil: Default::default() })
        })?;
        let doors = input.list(|input| {
            let (name, is_locked, key) = (input.text()?, input.flag()?, Saved::load(input)?);
            Ok(Door { is_locked, key, ..Door::blank(name) })
        })?;
        let (marks, routes): (Vec<String>, Vec<String>) = (Saved::load(input)?, Saved::load(input)?);
        let (seed, day) = (input.whole()?, Saved::load(input)?);
        let (people, behaviours) = load_people(input, world)?;
        Ok(Self {
            areas,
            doors,
            marks: marks.into_iter().collect(),
            routes: routes.into_iter().collect(),
            people,
            behaviours,
            settings: world.settings.clone(),
            day,
            rate: world.clock.rate.per_second(),
            given: LevelGiven { seed, ground, ..now },
            refused: None,
        })
    }
}

/// Writes what a level gave to each character of the world, then to those that are gone.
fn save_people(
    out: &mut ByteWriter,
    world: &World,
    people: &ByName<Given>,
    behaviours: &ByName<Option<GivenBehaviour>>,
) {
    let mut last: Option<&GivenBehaviour> = None;
    let mut there = 0;
    // Most are there in the order of the level.
    let (mut next, mut next_behaviour) = (0, 0);
    for (_, one) in world.characters() {
        let given = people.next(&mut next, &one.name);
        there += usize::from(given.is_some());
        out.option(given, |out, given| {
            let is_so = given.is_of(one);
            out.flag(is_so);
            if !is_so {
                given.save(out);
            }
        });
        save_behaviour(out, behaviours.next(&mut next_behaviour, &one.name), &mut last);
    }
    let is_gone = |name: &&str| world.find_character(name).is_none();
    let names = || people.in_order().map(|(name, _)| name);
    // Names are given once, so mostly there is nobody to look for.
    let gone: Vec<&str> = if there < people.len() { names().filter(is_gone).collect() } else { Vec::new() };
    out.list(gone.into_iter(), |out, name| {
        out.text(name);
        people.get(name).cloned().save(out);
        save_behaviour(out, behaviours.get(name), &mut last);
    });
}

/// Reads what a level gave to the characters of the world, and to those that are gone.
fn load_people(
    input: &mut ByteReader<'_>,
    world: &World,
) -> Result<(ByName<Given>, ByName<Option<GivenBehaviour>>), DecodeError> {
    let (mut people, mut behaviours) = (Vec::new(), Vec::new());
    let mut last: Option<GivenBehaviour> = None;
    let mut load_behaviour = |input: &mut ByteReader<'_>| {
        input.option(|input| {
            input.option(|input| {
                if !input.flag()? {
                    last = Some(GivenBehaviour { name: input.text()?, params: Saved::load(input)? });
                }
                let given = last.clone().ok_or_else(|| DecodeError::new("a behaviour that is none"))?;
                input.pay(given.name.len() + given.params.bytes())?;
                Ok(given)
            })
        })
    };
    for (_, one) in world.characters() {
        input.pay(2 * one.name.len() + one.tags.iter().map(String::len).sum::<usize>())?;
        let given = input.option(|input| if input.flag()? { Ok(one.into()) } else { Given::load(input) })?;
        people.extend(given.map(|given| (one.name.clone(), given)));
        behaviours.extend(load_behaviour(input)?.map(|given| (one.name.clone(), given)));
    }
    let gone =
        input.list(|input| Ok((input.text()?, Option::<Given>::load(input)?, load_behaviour(input)?)))?;
    for (name, given, behaviour) in gone {
        people.extend(given.map(|given| (name.clone(), given)));
        behaviours.extend(behaviour.map(|behaviour| (name, behaviour)));
    }
    Ok((people.into_iter().collect(), behaviours.into_iter().collect()))
}

/// Writes the behaviour that a level gives to a character; a single bit when it is that of the one before.
fn save_behaviour<'a>(
    out: &mut ByteWriter,
    given: Option<&'a Option<GivenBehaviour>>,
    last: &mut Option<&'a GivenBehaviour>,
) {
    out.option(given, |out, given| {
        out.option(given.as_ref(), |out, given| {
            let GivenBehaviour { name, params } = given;
            out.flag(*last == Some(given));
            if *last != Some(given) {
                name.save(out);
                params.save(out);
                *last = Some(given);
            }
        });
    });
}

impl Given {
    /// Whether a character is in all that an edit of the level may change what the level said.
    fn is_of(&self, one: &Character) -> bool {
        let Self {
            // The place where a character appears counts once.
            position: _,
            facing_rad: _,
            layer: _,
            radius_m,
            height_m,
            gait,
            tags,
            is_player,
            doors,
        } = self;
        radius_m.to_bits() == one.body.radius_m.to_bits()
            && height_m.to_bits() == one.body.height_m.to_bits()
            && *gait == one.gait
            && *tags == one.tags
            && *is_player == one.is_player
            && *doors == one.doors
    }
}

/// A new level, ready to take effect.
#[derive(Clone, Debug)]
pub(super) struct StagedLevel {
    /// Its definition, for mistakes that scripts find in it.
    pub(super) written: Written,
    /// Its files.
    pub(super) texts: LevelTexts,
    built: Spawned,
    origin: Origin,
}

/// The result of an edit of a level.
#[derive(Debug, Default)]
pub(super) struct Edited {
    /// Characters to which the level now gives another behaviour, other parameters, or none.
    pub(super) behaviours: LevelBehaviours,
    /// Watches that are over, because what they looked at is gone.
    pub(super) watches: Vec<WatchId>,
    /// What could not be kept.
    pub(super) notes: Vec<String>,
}

/// Loads the new level; `scripts` are those it can name, what is staged included.
///
/// # Errors
/// The first mistake in it.
pub(super) fn stage(texts: &LevelTexts, scripts: Option<&ScriptHost>) -> Result<StagedLevel, ReloadError> {
    let mut source = MemorySource::new();
    for (path, bytes) in &texts.files {
        source = source.with(path, bytes.clone());
    }
    let level: Level = load(&texts.path, &source).map_err(|refused| {
        let first = refused.diagnostics.iter().find(|found| found.severity == crate::level::Severity::Error);
        match first {
            Some(first) => ReloadError {
                file: first.path.clone(),
                line: first.line,
                message: format!("{}:{}: {}", first.path, first.line, first.message),
                ..ReloadError::default()
            },
            None => ReloadError { message: refused.to_string(), ..ReloadError::default() },
        }
    })?;
    let unknown = |scripts: &ScriptHost| reload_errors::unknown_script(&level, &scripts.texts_to_be());
    if let Some(refusal) = scripts.and_then(unknown) {
        return Err(refusal);
    }
    let written = Written::of(&level);
    let staged = StagedLevel { written, texts: texts.clone(), ..StagedLevel::of(level) };
    scripts.map_or(Ok(()), |scripts| staged.fits(scripts))?;
    Ok(staged)
}

impl StagedLevel {
    /// Whether the parameters of its characters name what is in it.
    ///
    /// # Errors
    /// The first that does not, at its place in the level.
    pub(super) fn fits(&self, scripts: &ScriptHost) -> Result<(), ReloadError> {
        let given = self.origin.behaviours.in_order();
        let given = given.filter_map(|(name, given)| Some((name, given.as_ref()?)));
        scripts.fits_level(&self.built.world, given).map_err(|refusal| self.written.blame(refusal))
    }

    /// A level that a load finds changed.
    pub(super) fn of(level: Level) -> Self {
        let given = LevelGiven::of(&level);
        let built = spawn::build(level, None);
        let origin = Origin::of(&built, given);
        Self { written: Written::default(), texts: LevelTexts::default(), built, origin }
    }
}

/// Puts the world on the new level.
pub(super) fn apply(world: &mut World, old: &mut Origin, staged: StagedLevel) -> Edited {
    let walkable: BTreeSet<CharacterId> =
        world.characters().filter(|(_, one)| stands(world, one)).map(|(id, _)| id).collect_set();
    apply_to(world, old, staged, &walkable)
}

/// The same for a world that was loaded: if its ground has changed, nobody knows any more what they stood on,
/// so every character is put on that of the new level.
pub(super) fn apply_loaded(world: &mut World, old: &mut Origin, staged: StagedLevel) -> Edited {
    if old.ground() == staged.origin.ground() {
        return apply(world, old, staged);
    }
    let everybody = world.characters().map(|(id, _)| id).collect_set();
    apply_to(world, old, staged, &everybody)
}

fn apply_to(
    world: &mut World,
    old: &mut Origin,
    staged: StagedLevel,
    walkable: &BTreeSet<CharacterId>,
) -> Edited {
    let StagedLevel { built, origin, .. } = staged;
    let before = std::mem::replace(old, origin);
    let mut edited = Edited::default();
    let mut new = built.world;
    let has_new_ground = before.ground() != old.ground();
    if has_new_ground {
        ground(world, &before, &mut new, &mut edited);
    }
    (world.level.name, world.level.props) = (new.level.name, std::mem::take(&mut new.level.props));
    regions(world, new.triggers.regions, &mut edited);
    places(world, &before, new.places.marks, new.places.routes);
    settings(world, &before, old, &mut edited);
    people(world, &before, old, walkable, &mut edited);
    for (name, given) in old.behaviours.in_order() {
        if let Some(id) = world.find_character(name)
            && before.behaviours.get(name) != Some(given)
            && (before.behaviours.contains(name) || given.is_some())
        {
            edited.behaviours.push((id, given.clone()));
        }
    }
    if has_new_ground {
        replan(world);
        world.events.push(Fact::MapRevision(world.map.nav.revision()));
    }
    edited
}

/// The new map with its areas and doors, in place of the old one.
fn ground(world: &mut World, before: &Origin, new: &mut World, edited: &mut Edited) {
    let areas = areas(world, before, new);
    doors(world, before, new, edited);
    map(world, std::mem::take(&mut new.map.nav), &areas, edited);
    world.map.is_precomputed = new.map.is_precomputed;
    world.map.link_actions = Arc::clone(&new.map.link_actions);
    let tiles = std::mem::replace(&mut world.map.tiles, new.map.tiles.take());
    tiles::move_to(world, tiles);
}

fn stands(world: &World, one: &Character) -> bool {
    let by = standing_on(one);
    world.map.nav.is_walkable(one.body.position, &by)
}

/// The new areas, with what scripts have made of the old; and which number an old area has now.
fn areas(world: &mut World, before: &Origin, new: &World) -> AreaNumbers {
    let old = std::mem::replace(&mut world.map.areas, new.map.areas.clone());
    let mut moved = AreaNumbers::default();
    for (index, was) in old.iter().enumerate().filter(|(_, was)| !was.name.is_empty()) {
        let Some(now) = new.map.areas.iter().position(|area| area.name == was.name) else { continue };
        moved.note(AreaId::from(index), AreaId::from(now));
        let given = before.areas.iter().find(|area| area.name == was.name);
        let (is_same, is_same_cost) = given.map_or((false, false), |given| {
            (
                given.available == new.map.areas[now].available,
                given.factor.to_bits() == new.map.areas[now].factor.to_bits(),
            )
        });
        if is_same {
            world.map.areas[now].available = was.available;
        }
        if is_same_cost {
            world.map.areas[now].factor = was.factor;
        }
    }
    moved
}

/// Doors keep their numbers; new ones come behind, those that are gone stay as doors without ground.
fn doors(world: &mut World, before: &Origin, new: &World, edited: &mut Edited) {
    let (count, rate) = (world.map.doors.len(), world.rate());
    for index in 0..count {
        let name = world.map.doors[index].name.clone();
        let Some(now) = new.map.doors.iter().find(|door| door.name == name) else {
            remove_door(world, index, before, edited);
            continue;
        };
        let given = before.doors.iter().find(|door| door.name == name);
        let door = &mut world.map.doors[index];
        if door.is_gone() {
            // It comes back as the file says: of what it was nothing is left.
            door.clone_from(now);
            continue;
        }
        door.area = now.area;
        door.position = now.position;
        door.bounds = now.bounds;
        door.one_way = now.one_way;
        door.teams.clone_from(&now.teams);
        door.moving_s = now.moving_s;
        door.left_ticks = door.left_ticks.min(rate.ticks(now.moving_s));
        if given.is_none_or(|given| given.is_locked != now.is_locked || given.key != now.key) {
            door.is_locked = now.is_locked;
            door.key = now.key.clone();
        }
    }
    for door in &new.map.doors {
        if !world.map.doors.iter().any(|known| known.name == door.name) {
            world.map.doors.push(door.clone());
        }
    }
    for area in &mut world.map.areas {
        area.door = None;
    }
    for (index, door) in world.map.doors.iter().enumerate().filter(|(_, door)| !door.is_gone()) {
        if let Some(area) = world.map.areas.get_mut(door.area.index()) {
            area.door = Some(DoorId::from(index));
            area.available = door.state == DoorState::Open;
        }
    }
}

fn remove_door(world: &mut World, index: usize, before: &Origin, edited: &mut Edited) {
    let tick = world.tick();
    let door = &mut world.map.doors[index];
    if door.is_gone() {
        return;
    }
    let area = before.areas.get(door.area.index()).map_or_else(String::new, |area| area.name.clone());
    door.removed = Some(DoorRemoval { tick, area });
    edited.notes.push(format!("door \"{}\" is gone", door.name));
    door.state = DoorState::Open;
    door.left_ticks = 0;
    door.area = AreaId(u32::MAX);
    if let Some(request) = door.request.take() {
        answer(&mut world.events, DoorId::from(index), &request.serials, DoorReason::Cancelled, None);
    }
}

/// The new map, its areas as they are by now, one revision on; what referred to areas by number follows.
fn map(world: &mut World, mut nav: crate::nav::NavMap, moved: &AreaNumbers, edited: &mut Edited) {
    let edits: Vec<NavEdit> = world
        .map
        .areas
        .iter()
        .enumerate()
        .map(|(index, area)| AreaEdit {
            area: AreaId::from(index),
            available: Some(area.available),
            factor: (area.kind == crate::world::area::AreaKind::Ground).then_some(area.factor),
        })
        .map(NavEdit::Area)
        .collect();
    nav.apply(&edits);
    blocks::move_to(&mut world.map.blocks, &mut nav);
    nav.succeed(&world.map.nav);
    world.map.nav = nav;
    world.make_room();
    // A character in the middle of a step stands where it is until the next. Its way was found clear on the
    // old map.
    world.interpolations.clear();
    // What waited for step 5 is in the areas already; points and links have other numbers, perhaps.
    world.map.edits.areas.clear();
    world.map.edits.graph.clear();
    moved.renumber(world);
    keep_watches(world, edited, |ground| match ground {
        WatchShape::Area(area) => moved.follow(area),
        _ => true,
    });
}

/// Ends the watches for which `keep` says no. It may change what they look at.
fn keep_watches(world: &mut World, edited: &mut Edited, mut keep: impl FnMut(&mut WatchShape) -> bool) {
    world.triggers.watches.retain(|id, watch| {
        let is_kept = keep(&mut watch.ground);
        if !is_kept {
            edited.watches.push(id);
        }
        is_kept
    });
}

fn regions(world: &mut World, new: Vec<crate::world::region::Region>, edited: &mut Edited) {
    let old = std::mem::replace(&mut world.triggers.regions, new);
    let mut moved: BTreeMap<RegionId, RegionId> = BTreeMap::new();
    for (index, was) in old.into_iter().enumerate() {
        match world.triggers.regions.iter().position(|region| region.name == was.name) {
            Some(now) => {
                world.triggers.regions[now].inside = was.inside;
                world.triggers.regions[now].looked = was.looked;
                moved.insert(RegionId::from(index), RegionId::from(now));
            }
            None => edited.notes.push(format!("region \"{}\" is gone", was.name)),
        }
    }
    keep_watches(world, edited, |ground| match ground {
        WatchShape::Region(region) => moved.get(region).map(|now| *region = *now).is_some(),
        _ => true,
    });
}

/// Marks and routes of the file; those that scripts have added stay.
fn places(
    world: &mut World,
    before: &Origin,
    marks: BTreeMap<String, crate::world::place::Mark>,
    routes: BTreeMap<String, Vec<crate::world::place::Mark>>,
) {
    world.places.marks.retain(|name, _| !before.marks.contains(name));
    world.places.made.retain(|name| !marks.contains_key(name));
    world.places.marks.extend(marks);
    world.places.routes.retain(|name, _| !before.routes.contains(name));
    world.places.routes.extend(routes);
}

fn settings(world: &mut World, before: &Origin, now: &Origin, edited: &mut Edited) {
    world.settings.crowd = now.settings.crowd.clone();
    world.settings.path_budget = now.settings.path_budget;
    let kept = [
        (before.rate != now.rate, "tickRate"),
        (before.given.seed != now.given.seed, "seed"),
        (before.day != now.day, "clock"),
        (before.settings.limits != now.settings.limits, "limits"),
        (before.given.script != now.given.script, "script"),
    ];
    for (_, key) in kept.iter().filter(|(changed, _)| *changed) {
        edited.notes.push(format!("{key} counts from the next start"));
    }
}

/// Adds new characters, removes those that are gone, and moves those whose ground is gone.
fn people(
    world: &mut World,
    before: &Origin,
    now: &Origin,
    stood: &BTreeSet<CharacterId>,
    edited: &mut Edited,
) {
    let everybody: Vec<(CharacterId, String)> =
        world.characters().map(|(id, one)| (id, one.name.clone())).collect();
    for (id, name) in everybody {
        let (was, is) = (before.people.get(&name), now.people.get(&name));
        if was.is_some() && is.is_none() {
            remove(world, id, format!("character \"{name}\" is gone"), edited);
            continue;
        }
        if let (Some(was), Some(is)) = (was, is) {
            change(world, id, was, is);
        }
        if let Some(one) = world.character(id).cloned()
            && stood.contains(&id)
            && !stands(world, &one)
        {
            settle_on_ground(world, id, &one, edited);
        }
    }
    for (name, is) in now.people.in_order() {
        if !before.people.contains(name) && world.find_character(name).is_none() {
            let wanted = Spawn {
                name: name.to_owned(),
                position: is.position,
                facing_rad: is.facing_rad,
                radius_m: is.radius_m,
                height_m: is.height_m,
                gait: is.gait,
                tags: is.tags.clone(),
                is_player: is.is_player,
                doors: is.doors,
                layer: is.layer,
            };
            if !matches!(crate::world::ops::characters::spawn(world, wanted), Ok(Some(_))) {
                edited.notes.push(format!("character \"{name}\" finds no place"));
            }
        }
    }
}

fn settle_on_ground(world: &mut World, id: CharacterId, one: &Character, edited: &mut Edited) {
    let by = standing_on(one);
    match world.map.nav.nearest(one.body.position, Settings::SNAP_M, &by) {
        Some(ground) => world.characters.place(id, ground.point),
        None => {
            let note =
                format!("character \"{}\" is removed: no ground within {} m", one.name, Settings::SNAP_M);
            remove(world, id, note, edited);
        }
    }
}

fn remove(world: &mut World, id: CharacterId, note: String, edited: &mut Edited) {
    if despawn(world, id, "an edit of the level").is_ok() {
        edited.notes.push(note);
    }
}

/// What the file says of a character, where it says something else than before.
fn change(world: &mut World, id: CharacterId, was: &Given, is: &Given) {
    let Some(one) = world.characters.get_mut(id) else { return };
    if was.gait != is.gait {
        one.gait = is.gait;
    }
    if was.tags != is.tags {
        one.tags = is.tags.clone();
    }
    if was.radius_m.to_bits() != is.radius_m.to_bits() {
        one.body.radius_m = is.radius_m;
    }
    if was.height_m.to_bits() != is.height_m.to_bits() {
        one.body.height_m = is.height_m;
    }
    if was.doors != is.doors {
        one.doors = is.doors;
    }
    if was.is_player != is.is_player && one.is_player != is.is_player {
        one.is_player = is.is_player;
        world.characters.note_player(id);
        recheck_plans_around(world, id);
    }
}

/// Every walk under way asks for a path on the new map, and goes on meanwhile.
fn replan(world: &mut World) {
    for id in world.walks.open_ids() {
        let Some(walk) = world.walks.get_mut(id) else { continue };
        let (token, ask) = match walk.token.take() {
            Some((token, ask)) if !ask.is_look() => (Some(token), ask),
            search => (search.map(|(token, _)| token), Ask::Map),
        };
        walk.ask_for(ask);
        if matches!(walk.phase, Phase::AtDoor(_)) && walk.following.is_some() {
            walk.phase = Phase::Moving;
        }
        if let Some(token) = token {
            world.paths.requests.cancel(token);
            world.paths.askers.remove(token);
        }
    }
}
