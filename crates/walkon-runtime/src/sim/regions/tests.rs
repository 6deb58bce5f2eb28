use std::collections::BTreeSet;

use super::*;
use crate::base::rng::Rng;
use crate::sim::steps::region_parts;
use crate::world::World;
use crate::world::character::Removal;
use crate::world::fixture::{sample, someone};
use crate::world::ops::watches::{WatchOrder, disable, enable, watch};
use crate::world::owner::Owner;
use crate::world::region::RegionShape;

/// Regions in a row, each with room for one place in it.
const REGIONS: usize = 12;

/// Ticks in which something happens; in four times as many everything has been looked at.
const BUSY: u64 = 40;

/// A world with regions and watches in a row, of which one tick does not afford all.
fn row() -> World {
    let mut world = World::default();
    world.triggers.regions = (0..REGIONS)
        .map(|number| Region {
            name: format!("r{number}"),
            shape: RegionShape::Circle([number as f64 * 10.0, 0.0], 2.0),
            layer: None,
            heights_m: None,
            inside: Default::default(),
            looked: Default::default(),
        })
        .collect();
    for number in 0..REGIONS {
        let order = WatchOrder {
            owner: Owner::HOST,
            ground: WatchShape::Region(RegionId::from(number)),
            filter: Filter::All,
            edge: Edge::Centre,
            report_initial: true,
        };
        watch(&mut world, order);
    }
    world
}

fn place_of(number: i64) -> Vec3 {
    Vec3::new(number as f32 * 10.0, 0.0, 0.0)
}

/// One step 11 of a world within a budget.
fn step(world: &mut World, budget: LookBudget) {
    world.clock.tick = TickNumber(world.clock.tick.0 + 1);
    let (tick, displaced) = (world.clock.tick, std::mem::take(&mut world.triggers.displaced));
    let view = RegionView {
        nav: &world.map.nav,
        characters: &world.characters,
        displaced: &displaced,
        insiders_max: usize::MAX,
        tick,
    };
    look_around(view, &mut world.triggers, &mut world.events, budget);
    world.triggers.displaced = displaced;
    settle_displaced(tick, &world.characters, &mut world.triggers);
    world.characters.forget_displaced();
}

/// The same, and all events are handed out.
fn step_and_tell(world: &mut World, budget: LookBudget) {
    step(world, budget);
    while world.events.pop().is_some() {}
}

/// A character that stands at the middle of a place of the row.
fn put(world: &mut World, name: &str, place: i64) -> CharacterId {
    let who = someone(1, name, place_of(place));
    world.characters.insert(|serial| Character { serial, ..who })
}

/// The watches that are on, in the order in which they are to be looked at.
fn order_of_looks(world: &World) -> Vec<WatchId> {
    let Triggers { watches, is_behind, .. } = &world.triggers;
    let mut order: Vec<WatchId> = watches.iter().filter(|(_, one)| one.enabled).map(|(id, _)| id).collect();
    order.sort_by_key(|&id| (is_behind.then_some(watches[id].looked), watches[id].serial));
    order
}

/// Which characters went in and out, and how, in no order.
fn crossings(world: &mut World) -> Vec<String> {
    let told = world.events.take_recorded().into_iter().filter_map(|fact| match fact {
        Fact::RegionEntered { region, character, how } => Some(format!("{region:?} + {character:?} {how:?}")),
        Fact::RegionLeft { region, character, how } => Some(format!("{region:?} - {character:?} {how:?}")),
        Fact::WatchEntered { watch, character, how } => Some(format!("{watch:?} + {character:?} {how:?}")),
        Fact::WatchLeft { watch, character, how } => Some(format!("{watch:?} - {character:?} {how:?}")),
        _ => None,
    });
    let mut told: Vec<String> = told.collect();
    told.sort();
    told
}

/// Something that happens to a character.
fn happen(world: &mut World, rng: &mut Rng, moved: &mut BTreeSet<CharacterId>) {
    let everybody: Vec<CharacterId> = world.characters.iter().map(|(id, _)| id).collect();
    let place = place_of(rng.int(0, REGIONS as i64 - 1));
    let someone_there = everybody.get(rng.int(0, everybody.len() as i64 - 1) as usize).copied();
    match (rng.int(0, 2), someone_there.filter(|id| !moved.contains(id))) {
        (0, _) => {
            let who = someone(1, &format!("n{}", world.characters.count()), place);
            let make = |serial| Character { serial, displaced: Displaced::Spawned, ..who };
            moved.insert(world.characters.insert(make));
        }
        (1, Some(id)) => {
            world.characters.place(id, place);
            moved.insert(id);
        }
        (_, Some(id)) => {
            if let Some(who) = world.characters.get_mut(id) {
                who.body.position = place;
                who.is_moving = true;
            }
            moved.insert(id);
        }
        _ => {}
    }
}

/// Law: a late look finds the same: as long as no character moves twice meanwhile, all crossings and their
/// causes are those of a run that puts nothing off.
#[test]
fn causes_are_those_of_a_run_that_puts_nothing_off() {
    let mut put_off = 0;
    for seed in 0..60 {
        let mut rng = Rng::stream(seed, "regions");
        // Sixty people at most, so that all regions are looked at in 120 turns.
        let looks = rng.int(6, 60) as u64;
        let few = LookBudget { regions: looks, watches: looks };
        let (mut plain, mut behind) = (row(), row());
        for _ in 0..4 {
            let mut moved = BTreeSet::new();
            for _ in 0..BUSY {
                let mut other = rng.clone();
                let mut also_moved = moved.clone();
                happen(&mut plain, &mut rng, &mut moved);
                happen(&mut behind, &mut other, &mut also_moved);
                step_and_tell(&mut plain, BUDGET);
                step_and_tell(&mut behind, few);
                put_off += u64::from(behind.triggers.is_behind);
            }
            for _ in 0..4 * BUSY {
                step_and_tell(&mut plain, BUDGET);
                step_and_tell(&mut behind, few);
            }
            assert_eq!(crossings(&mut plain), crossings(&mut behind), "seed {seed}, {looks} looks");
        }
    }
    assert!(put_off > 1000, "{put_off}");
}

/// Law: nobody waits longer for a look than there are turns, however the number of people changes meanwhile.
#[test]
fn nobody_waits_longer_than_there_are_turns() {
    for seed in 0..200 {
        let mut rng = Rng::stream(seed, "turns");
        let mut world = sample().world;
        let made = row();
        world.triggers = made.triggers;
        // As many looks as make the number of turns change with the number of people.
        let budget = LookBudget { regions: 13 + rng.int(0, 8) as u64, watches: 13 + rng.int(0, 8) as u64 };
        let mut longest = 1;
        for tick in 0..120 {
            if tick % 2 == rng.int(0, 1) {
                let who = someone(1, &format!("n{tick}"), place_of(tick % 12));
                world.characters.insert(|serial| Character { serial, ..who });
            } else if let Some((id, _)) = world.characters.iter().last() {
                let removal = Removal { tick: world.clock.tick, by: String::new() };
                world.characters.remove(id, removal);
                world.characters.cull();
            }
            let regions = turns_of_regions(&world.triggers.regions, &world.characters, budget.regions);
            longest = longest.max(regions).max(turns_of(&world.triggers, &world.characters, budget.watches));
            step_and_tell(&mut world, budget);
            let now = world.clock.tick.0;
            let regions = world.triggers.regions.iter().map(|region| region.looked);
            let looked = regions.chain(world.triggers.watches.values().map(|watch| watch.looked));
            let oldest = looked.min().expect("there are regions");
            assert!(now - oldest.0 <= longest, "seed {seed}: {} ticks, {longest} turns", now - oldest.0);
        }
    }
}

/// Law: while the queue of events is almost full, watches are looked at in the order in which they have
/// waited, as long as there is room; regions, of which scripts hear nothing, are looked at all the same.
#[test]
fn where_the_queue_is_full_those_that_have_waited_longest_are_told_first() {
    let (mut put_off, mut looked_at) = (0, 0);
    for seed in 0..12 {
        let mut rng = Rng::stream(seed, "full");
        let mut world = row();
        let people: Vec<CharacterId> =
            (0..REGIONS).map(|at| put(&mut world, &format!("p{at}"), at as i64)).collect();
        let filler = Fact::Despawned(people[0]);
        (0..EventQueue::WAITING_MAX).for_each(|_| world.events.push(filler.clone()));
        for _ in 0..120 {
            for (at, &id) in people.iter().enumerate() {
                // Beyond the row, or in its place.
                let place = if rng.int(0, 1) == 0 { -20 } else { at as i64 };
                world.characters.place(id, place_of(place));
            }
            let ids = world.triggers.watch_ids();
            let switched = ids[rng.int(0, ids.len() as i64 - 1) as usize];
            match rng.int(0, 3) {
                0 => disable(&mut world, switched),
                1 => enable(&mut world, switched),
                _ => {}
            }
            (0..rng.int(0, 6)).for_each(|_| _ = world.events.pop());
            let order = order_of_looks(&world);
            step(&mut world, BUDGET);
            let now = world.clock.tick;
            let has_looked = |id: &WatchId| world.triggers.watches[*id].looked == now;
            let looked = order.iter().take_while(|id| has_looked(id)).count();
            assert!(
                !order[looked..].iter().any(has_looked),
                "seed {seed}, tick {now:?}: {looked} were first"
            );
            assert!(looked == order.len() || world.events.is_full(), "seed {seed}: there was room");
            assert!(world.triggers.regions.iter().all(|region| region.looked == now), "seed {seed}");
            put_off += order.len() - looked;
            looked_at += looked;
        }
    }
    assert!(put_off > 1000 && looked_at > 1000, "{put_off} put off, {looked_at} looked at");
}

/// A watch that is switched off looks at nothing: nothing is kept for it, and once it is on again it waits
/// like one that was made then.
#[test]
fn a_watch_that_is_off_waits_for_no_look() {
    let mut world = row();
    let ids = world.triggers.watch_ids();
    let who = put(&mut world, "who", 0);
    let few = LookBudget { regions: 2, watches: 2 };
    (0..40).for_each(|_| step_and_tell(&mut world, few));
    disable(&mut world, ids[0]);
    let before = world.triggers.watches[ids[0]].looked;
    world.characters.place(who, place_of(3));
    for _ in 0..40 {
        step_and_tell(&mut world, few);
    }
    assert_eq!(world.triggers.watches[ids[0]].looked, before);
    assert!(world.triggers.is_behind && world.triggers.displaced.is_empty(), "all others have seen it");
    enable(&mut world, ids[0]);
    let looked = |id: &WatchId| world.triggers.watches[*id].looked;
    assert_eq!(looked(&ids[0]), world.clock.tick);
    let order = order_of_looks(&world);
    let before = order.iter().take_while(|id| **id != ids[0]).count();
    assert_eq!(before, order.iter().filter(|id| looked(id) < world.clock.tick).count(), "they have waited");
}

/// All regions and watches know the characters that a skipped scene has moved: how one had come to a place
/// before says nothing of where it goes next. Of other characters it still does.
#[test]
fn what_a_skipped_scene_has_told_is_not_told_again() {
    let mut world = row();
    let (moved, other) = (put(&mut world, "moved", 0), put(&mut world, "other", 0));
    (0..4).for_each(|_| step_and_tell(&mut world, BUDGET));
    let ids = world.triggers.watch_ids();
    disable(&mut world, ids[11]);
    [moved, other].into_iter().for_each(|id| world.characters.place(id, place_of(5)));
    // So little that the places where they have gone are not looked at.
    step_and_tell(&mut world, LookBudget { regions: 1, watches: 1 });
    enable(&mut world, ids[11]);
    crossings(&mut world);
    let now = world.clock.tick;
    run_for(region_parts(&mut world, now), &[moved]);
    let told = crossings(&mut world);
    assert!(told.iter().any(|line| line.ends_with(&format!("+ {moved:?} Teleported"))), "{told:?}");
    assert!(!told.iter().any(|line| line.contains(&format!("{other:?}"))), "{told:?}");
    assert_eq!(world.triggers.watches[ids[11]].looked, now, "it looked for the first time, at everybody");
    for id in [moved, other] {
        let who = world.characters.get_mut(id).expect("it is there");
        (who.body.position, who.is_moving) = (place_of(7), true);
    }
    while world.events.pop().is_some() {}
    (0..4).for_each(|_| step_and_tell(&mut world, BUDGET));
    let told = crossings(&mut world);
    let enters = |id: CharacterId, how: &str| {
        told.iter().filter(|line| line.ends_with(&format!("+ {id:?} {how}"))).count()
    };
    assert_eq!((enters(moved, "Walked"), enters(moved, "Teleported")), (2, 0), "{told:?}");
    assert_eq!((enters(other, "Walked"), enters(other, "Teleported")), (0, 2), "{told:?}");
}

/// Law: what a skipped scene is told of nobody has walked: each region and watch tells of the teleport that
/// it has not seen yet, and else of the scene.
#[test]
fn a_skipped_scene_tells_of_an_earlier_teleport_to_those_who_have_not_seen_it_and_to_no_others() {
    let mut told_as = BTreeSet::new();
    for seed in 0..200 {
        let mut rng = Rng::stream(seed, "skipped");
        let mut world = row();
        let who = put(&mut world, "who", 0);
        (0..4).for_each(|_| step_and_tell(&mut world, BUDGET));
        world.characters.place(who, place_of(rng.int(1, 5)));
        let teleported = world.clock.tick.0 + 1;
        for _ in 0..rng.int(1, 4) {
            let few = LookBudget { regions: rng.int(1, 8) as u64, watches: rng.int(1, 8) as u64 };
            step_and_tell(&mut world, few);
        }
        crossings(&mut world);
        world.characters.get_mut(who).expect("it is there").body.position = place_of(rng.int(6, 11));
        let now = world.clock.tick;
        run_for(region_parts(&mut world, now), &[who]);
        for fact in world.events.take_recorded() {
            let (looked, how) = match fact {
                Fact::RegionEntered { region, how, .. } | Fact::RegionLeft { region, how, .. } => {
                    (world.triggers.regions[region.index()].looked, how)
                }
                Fact::WatchEntered { watch, how, .. } | Fact::WatchLeft { watch, how, .. } => {
                    (world.triggers.watches[watch].looked, how)
                }
                _ => continue,
            };
            let has_seen = looked.0 >= teleported;
            let expected = if has_seen { CrossingKind::Skipped } else { CrossingKind::Teleported };
            assert_eq!(how, expected, "seed {seed}: {fact:?}");
            told_as.insert(how.name());
        }
    }
    assert_eq!(told_as.len(), 2, "{told_as:?}");
}

/// Law: when a scene is skipped, what regions and watches have put off of those in it is told first, with the
/// causes of a run that puts nothing off.
#[test]
fn a_skipped_scene_first_tells_what_was_put_off_with_its_own_causes() {
    for seed in 0..200 {
        let mut rng = Rng::stream(seed, "put off");
        let (mut late, mut prompt) = (row(), row());
        let people: Vec<CharacterId> = (0..4).map(|at| put(&mut late, &format!("p{at}"), at)).collect();
        (0..4).for_each(|at| _ = put(&mut prompt, &format!("p{at}"), at));
        for world in [&mut late, &mut prompt] {
            (0..4).for_each(|_| step_and_tell(world, BUDGET));
            crossings(world);
        }
        let few = LookBudget { regions: rng.int(1, 8) as u64, watches: rng.int(1, 8) as u64 };
        for &id in &people {
            let (place, walks) = (place_of(rng.int(4, 11)), rng.int(0, 1) == 0);
            for world in [&mut late, &mut prompt] {
                if walks {
                    let who = world.characters.get_mut(id).expect("it is there");
                    (who.body.position, who.is_moving) = (place, true);
                } else {
                    world.characters.place(id, place);
                }
            }
            step_and_tell(&mut late, few);
            step_and_tell(&mut prompt, BUDGET);
        }
        let now = late.clock.tick;
        run_before(region_parts(&mut late, now), &people);
        assert_eq!(crossings(&mut late), crossings(&mut prompt), "seed {seed}");
    }
}

/// Law: watches hold no more characters than they may, together; one that found no room comes in once there
/// is some, and every enter is followed by its exit.
#[test]
fn watches_hold_as_many_as_they_may_and_the_others_come_in_later() {
    let mut full = 0;
    for seed in 0..40 {
        let mut rng = Rng::stream(seed, "room");
        let mut world = row();
        let people: Vec<CharacterId> =
            (0..24).map(|at| put(&mut world, &format!("p{at}"), at % 12)).collect();
        let most = rng.int(1, 30) as usize;
        let mut told_inside: BTreeSet<(String, CharacterId)> = BTreeSet::new();
        for tick in 1..60 {
            for &id in &people {
                if rng.int(0, 3) == 0 {
                    world.characters.place(id, place_of(rng.int(-20, REGIONS as i64 - 1)));
                }
            }
            let parts = RegionParts { insiders_max: most, ..region_parts(&mut world, TickNumber(tick)) };
            match rng.int(0, 3) {
                0 => run_for(parts, &people[..6]),
                _ => run(parts),
            }
            let inside = world.triggers.insider_count();
            assert!(inside <= most, "seed {seed}: {inside} of {most}");
            full += usize::from(inside == most);
            while world.events.pop().is_some() {}
            for fact in world.events.take_recorded() {
                match fact {
                    Fact::WatchEntered { watch, character, .. } => {
                        assert!(
                            told_inside.insert((format!("{watch:?}"), character)),
                            "seed {seed}: twice in"
                        );
                    }
                    Fact::WatchLeft { watch, character, .. } => {
                        assert!(
                            told_inside.remove(&(format!("{watch:?}"), character)),
                            "seed {seed}: twice out"
                        );
                    }
                    _ => {}
                }
            }
            assert_eq!(told_inside.len(), inside, "seed {seed}");
        }
        // With room for all, all are known in the next look.
        run(region_parts(&mut world, TickNumber(60)));
        let standing = |region: &Region| {
            world.characters.iter().filter(|(_, who)| region.holds(who, Edge::Centre)).count()
        };
        let expected: usize = world.triggers.regions.iter().map(standing).sum();
        assert_eq!(world.triggers.insider_count(), expected, "seed {seed}");
    }
    assert!(full > 100, "{full} ticks without room");
}
