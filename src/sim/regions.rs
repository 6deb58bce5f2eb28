//! Step 11: who is inside which region and which watch.
//!
//! In: positions. Out: insiders, facts. Holds: every enter is followed by exactly one exit; exits come
//! before enters, then level order, then order of creation.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::base::geom::flat_distance;
use crate::base::ids::{CharacterId, RegionId};
use crate::nav::Traversal;
use crate::world::World;
use crate::world::character::{Character, Displaced};
use crate::world::event::{EventQueue, Fact};
use crate::world::region::{CrossingKind, Edge, Filter, Watch, WatchId, WatchShape};

type Inside = BTreeMap<u32, CharacterId>;

/// Looks of a watch at somebody, in one tick; a look along the ground counts for [`SIGHT_LOOKS`].
const LOOKS_MAX: u64 = 1_000_000;

/// What a look along the ground counts for.
const SIGHT_LOOKS: u64 = 32;

/// Looks at every region and every enabled watch, then forgets who was displaced. Where there are too many
/// watches for the people there are, each is looked at in every so many ticks, in turn; while too many facts
/// wait for scripts, none is.
pub fn run(world: &mut World) {
    let mut exits = Vec::new();
    let mut enters = Vec::new();
    for index in 0..world.triggers.regions.len() {
        look_at_region(world, RegionId::from(index), &mut exits, &mut enters);
    }
    let mut watches: Vec<(u64, WatchId)> =
        world.triggers.watches.iter().map(|(id, watch)| (watch.serial, id)).collect();
    watches.sort_unstable_by_key(|(serial, _)| *serial);
    let turns = turns_of(world);
    let mut put_off = 0;
    for (_, id) in watches {
        let is_its_turn = world
            .triggers
            .watches
            .get(id)
            .is_some_and(|watch| (watch.serial + world.clock.tick.0).is_multiple_of(turns));
        if is_its_turn && exits.len() + enters.len() + world.events.waiting() < EventQueue::WAITING_MAX {
            look_at_watch(world, id, &mut exits, &mut enters);
        } else {
            put_off += 1;
        }
    }
    for event in exits.into_iter().chain(enters) {
        world.events.push(event);
    }
    if put_off > 0 {
        world.events.push(Fact::Notice { what: "watchesDeferred", count: put_off, walk: None, why: None });
    }
    for (_, character) in world.characters.iter_mut() {
        character.displaced = Displaced::No;
    }
}

/// The ticks in which every watch is looked at once.
fn turns_of(world: &World) -> u64 {
    let people = world.characters.iter().count() as u64;
    let looks = |watch: &Watch| if watch.needs_sight() { SIGHT_LOOKS } else { 1 };
    let all: u64 =
        world.triggers.watches.iter().filter(|(_, watch)| watch.enabled).map(|(_, watch)| looks(watch)).sum();
    (all * people).div_ceil(LOOKS_MAX).max(1)
}

/// The same for a few, whom a skipped scene has moved: nobody else is looked at, and their displacement
/// stays.
pub(crate) fn look_for(world: &mut World, moved: &[CharacterId]) {
    let mut exits = Vec::new();
    let mut enters = Vec::new();
    for index in 0..world.triggers.regions.len() {
        look_at_some(world, RegionId::from(index), moved, &mut exits, &mut enters);
    }
    let mut watches: Vec<(u64, WatchId)> =
        world.triggers.watches.iter().map(|(id, watch)| (watch.serial, id)).collect();
    watches.sort_unstable_by_key(|(serial, _)| *serial);
    for (_, id) in watches {
        let travels = |watch: &Watch| matches!(watch.ground, WatchShape::Around { character, .. } if moved.contains(&character));
        if world.triggers.watches.get(id).is_some_and(|watch| watch.fresh.is_some() || travels(watch)) {
            look_at_watch(world, id, &mut exits, &mut enters);
        } else {
            watch_some(world, id, moved, &mut exits, &mut enters);
        }
    }
    for event in exits.into_iter().chain(enters) {
        world.events.push(event);
    }
}

fn look_at_some(
    world: &mut World,
    id: RegionId,
    moved: &[CharacterId],
    exits: &mut Vec<Fact>,
    enters: &mut Vec<Fact>,
) {
    for &character in moved {
        let region = &world.triggers.regions[id.index()];
        let Some(body) = world.characters.alive(character) else {
            continue;
        };
        let serial = body.serial;
        let is_inside = region.holds(body, Edge::Centre);
        match (region.inside.contains_key(&serial), is_inside) {
            (true, false) => {
                exits.push(Fact::RegionLeft { region: id, character, how: how_out(world, character) });
                world.triggers.regions[id.index()].inside.remove(&serial);
            }
            (false, true) => {
                enters.push(Fact::RegionEntered { region: id, character, how: how_in(world, character) });
                world.triggers.regions[id.index()].inside.insert(serial, character);
            }
            _ => {}
        }
    }
}

fn watch_some(
    world: &mut World,
    id: WatchId,
    moved: &[CharacterId],
    exits: &mut Vec<Fact>,
    enters: &mut Vec<Fact>,
) {
    for &character in moved {
        let Some(watch) = world.triggers.watches.get(id).filter(|watch| watch.enabled) else {
            return;
        };
        let Some(body) = world.characters.alive(character) else {
            continue;
        };
        let serial = body.serial;
        let counts = passes(&watch.filter, character, body) && is_inside(world, watch, character, body);
        let change = match (watch.inside.contains_key(&serial), counts) {
            (true, false) => {
                Some((Fact::WatchLeft { watch: id, character, how: how_out(world, character) }, false))
            }
            (false, true) => {
                Some((Fact::WatchEntered { watch: id, character, how: how_in(world, character) }, true))
            }
            _ => None,
        };
        let (Some((event, entered)), Some(watch)) = (change, world.triggers.watches.get_mut(id)) else {
            continue;
        };
        if entered {
            watch.inside.insert(serial, character);
            enters.push(event);
        } else {
            watch.inside.remove(&serial);
            exits.push(event);
        }
    }
}

fn look_at_region(world: &mut World, id: RegionId, exits: &mut Vec<Fact>, enters: &mut Vec<Fact>) {
    let region = &world.triggers.regions[id.index()];
    let now: Inside = world
        .characters
        .iter()
        .filter(|(_, character)| region.holds(character, Edge::Centre))
        .map(|(id, character)| (character.serial, id))
        .collect();
    if now == region.inside {
        return;
    }
    for (_, &character) in region.inside.iter().filter(|(serial, _)| !now.contains_key(serial)) {
        exits.push(Fact::RegionLeft { region: id, character, how: how_out(world, character) });
    }
    for (_, &character) in now.iter().filter(|(serial, _)| !region.inside.contains_key(serial)) {
        enters.push(Fact::RegionEntered { region: id, character, how: how_in(world, character) });
    }
    world.triggers.regions[id.index()].inside = now;
}

fn look_at_watch(world: &mut World, id: WatchId, exits: &mut Vec<Fact>, enters: &mut Vec<Fact>) {
    let Some(watch) = world.triggers.watches.get(id).filter(|watch| watch.enabled) else {
        return;
    };
    let now = insiders(world, watch);
    let centre_moves = centre_moves(world, watch);
    let is_silent = watch.fresh == Some(CrossingKind::Initial) && !watch.report_initial;
    for (_, &character) in watch.inside.iter().filter(|(serial, _)| !now.contains_key(serial)) {
        let how = by_motion(world, character, how_out(world, character), centre_moves);
        exits.push(Fact::WatchLeft { watch: id, character, how });
    }
    if !is_silent {
        for (_, &character) in now.iter().filter(|(serial, _)| !watch.inside.contains_key(serial)) {
            let usual = by_motion(world, character, how_in(world, character), centre_moves);
            enters.push(Fact::WatchEntered { watch: id, character, how: watch.fresh.unwrap_or(usual) });
        }
    }
    if let Some(watch) = world.triggers.watches.get_mut(id) {
        watch.inside = now;
        watch.fresh = None;
    }
}

/// `Moved` for somebody who stood still while the circle came or went.
fn by_motion(world: &World, id: CharacterId, usual: CrossingKind, centre_moves: bool) -> CrossingKind {
    let stood = world.characters.get(id).is_some_and(|character| !character.is_moving);
    if usual == CrossingKind::Walked && centre_moves && stood { CrossingKind::Moved } else { usual }
}

fn centre_moves(world: &World, watch: &Watch) -> bool {
    match watch.ground {
        WatchShape::Around { character, .. } => world
            .characters
            .get(character)
            .is_some_and(|centre| centre.is_moving || centre.displaced != Displaced::No),
        _ => false,
    }
}

fn how_in(world: &World, id: CharacterId) -> CrossingKind {
    match world.characters.get(id).map(|character| character.displaced) {
        Some(Displaced::Spawned) => CrossingKind::Spawned,
        Some(Displaced::Teleported) => CrossingKind::Teleported,
        Some(Displaced::Skipped) => CrossingKind::Skipped,
        _ => CrossingKind::Walked,
    }
}

fn how_out(world: &World, id: CharacterId) -> CrossingKind {
    match world.characters.alive(id) {
        None => CrossingKind::Despawned,
        Some(character) => match character.displaced {
            Displaced::Teleported => CrossingKind::Teleported,
            Displaced::Skipped => CrossingKind::Skipped,
            _ => CrossingKind::Walked,
        },
    }
}

fn insiders(world: &World, watch: &Watch) -> Inside {
    world
        .characters
        .iter()
        .filter(|&(id, character)| passes(&watch.filter, id, character))
        .filter(|&(id, character)| is_inside(world, watch, id, character))
        .map(|(id, character)| (character.serial, id))
        .collect()
}

fn passes(filter: &Filter, id: CharacterId, character: &Character) -> bool {
    match filter {
        Filter::All => true,
        Filter::Tags(tags) => tags.iter().any(|tag| character.has_tag(tag)),
        Filter::Only(only) => *only == id,
    }
}

fn is_inside(world: &World, watch: &Watch, id: CharacterId, character: &Character) -> bool {
    let position = character.body.position;
    match &watch.ground {
        WatchShape::Region(region) => world
            .triggers
            .regions
            .get(region.index())
            .is_some_and(|region| region.holds(character, watch.edge)),
        WatchShape::Area(area) => {
            let mut areas = Vec::new();
            world.map.nav.areas_at(position, &mut areas);
            areas.contains(area)
        }
        WatchShape::Near { centre, radius_m: reach_m, line_of_walk } => {
            in_circle((*centre, *reach_m), character, watch.edge)
                && (!line_of_walk || sees(world, (*centre, character.layer), character))
        }
        WatchShape::Around { character: centre, radius_m: reach_m, line_of_walk } => {
            let Some(middle) = world.characters.alive(*centre).filter(|_| *centre != id) else {
                return false;
            };
            let (middle, layer) = (middle.body.position, middle.layer);
            in_circle((middle, *reach_m), character, watch.edge)
                && (!line_of_walk || sees(world, (middle, layer), character))
        }
    }
}

fn in_circle(circle: (Vec3, f32), character: &Character, edge: Edge) -> bool {
    let distance_m = flat_distance(circle.0, character.body.position);
    match edge {
        Edge::Centre => distance_m <= circle.1,
        Edge::Any => distance_m <= circle.1 + character.body.radius_m,
        Edge::Full => distance_m + character.body.radius_m <= circle.1,
    }
}

fn sees(world: &World, (from, layer): (Vec3, u8), who: &Character) -> bool {
    let by = Traversal { layer, ..Traversal::default() };
    layer == who.layer && world.map.nav.straight(from, who.body.position, &by).is_some()
}
