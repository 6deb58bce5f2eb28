use std::collections::BTreeSet;

use super::*;
use crate::base::rng::Rng;
use crate::world::World;
use crate::world::character::Removal;
use crate::world::fixture::{sample, someone};
use crate::world::ops::watches::{WatchOrder, watch};
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
    let view = RegionView { nav: &world.map.nav, characters: &world.characters, displaced: &displaced };
    look_around(tick, view, &mut world.triggers, &mut world.events, budget);
    world.triggers.displaced = displaced;
    settle_displaced(tick, &world.characters, &mut world.triggers);
    world.characters.forget_displaced();
    while world.events.pop().is_some() {}
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
                step(&mut plain, BUDGET);
                step(&mut behind, few);
                put_off += u64::from(behind.triggers.is_behind);
            }
            for _ in 0..4 * BUSY {
                step(&mut plain, BUDGET);
                step(&mut behind, few);
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
            step(&mut world, budget);
            let now = world.clock.tick.0;
            let regions = world.triggers.regions.iter().map(|region| region.looked);
            let looked = regions.chain(world.triggers.watches.values().map(|watch| watch.looked));
            let oldest = looked.min().expect("there are regions");
            assert!(now - oldest.0 <= longest, "seed {seed}: {} ticks, {longest} turns", now - oldest.0);
        }
    }
}
