//! Lists of those in the way, written and read again.

use glam::Vec3;
use slotmap::KeyData;

use super::*;
use crate::base::geom::{ground, segment_distance_sq};
use crate::base::rng::Rng;
use crate::base::time::TickNumber;
use crate::world::World;
use crate::world::character::Character;
use crate::world::fixture::someone;
use crate::world::ops;

fn somewhere(rng: &mut Rng, side_m: f64) -> Vec3 {
    Vec3::new(rng.float(0.0, side_m) as f32, 0.0, rng.float(0.0, side_m) as f32)
}

fn put(world: &mut World, index: u64, position: Vec3) {
    let who = someone(world.level.seed, &format!("p{index}"), position);
    world.characters.insert(|serial| Character { serial, ..who });
}

/// A crowd at random places; some of its characters are gone.
fn crowd(rng: &mut Rng) -> World {
    let mut world = World::default();
    let count = 1 + rng.below(300);
    for index in 0..count {
        put(&mut world, index, somewhere(rng, 60.0));
        if rng.below(10) == 0 {
            let ids = world.characters.ids().to_vec();
            let gone = ids[rng.below(ids.len() as u64) as usize];
            let _ = ops::characters::despawn(&mut world, gone, "test");
            world.characters.cull();
        }
    }
    world
}

/// Those in the way of a walk.
type Case = Vec<(CharacterId, Disc)>;

/// The characters beside a line, but for some that were not seen, stood elsewhere, or are gone; or any
/// characters.
fn case(rng: &mut Rng, world: &World, moved: &[Vec3]) -> Case {
    let line = (somewhere(rng, 60.0), somewhere(rng, 60.0));
    let line = if rng.below(8) == 0 { (line.0, line.0) } else { line };
    let kind = rng.below(4);
    let first = rng.below(100) as usize;
    let mut list = Vec::new();
    for (index, (id, one)) in world.characters().enumerate() {
        let centre = moved.get(index).copied().unwrap_or(one.body.position);
        let is_beside = segment_distance_sq(ground(centre), ground(line.0), ground(line.1)) <= 36.0;
        let is_in = match kind {
            0 => is_beside,
            1 => is_beside && index >= first,
            2 => is_beside && rng.below(3) > 0,
            _ => rng.below(10) == 0,
        };
        let radius_m = if rng.below(40) == 0 { 0.5 } else { 0.3 };
        if is_in {
            list.push((id, Disc { centre, radius_m }));
        }
    }
    if rng.below(20) == 0 {
        let gone = KeyData::from_ffi(77 << 32 | 5_000).into();
        list.insert(
            rng.below(list.len() as u64 + 1) as usize,
            (gone, Disc { centre: Vec3::X, radius_m: 1.0 }),
        );
    }
    list
}

fn bystanders(list: &[(CharacterId, Disc)]) -> Bystanders {
    let (who, discs): (Vec<_>, Vec<_>) = list.iter().copied().unzip();
    Bystanders::new(who.into(), discs.into())
}

#[test]
fn every_list_comes_back_as_it_was() {
    for seed in 0..200 {
        let mut rng = Rng::stream(seed, "lists of bystanders");
        let world = crowd(&mut rng);
        let count = world.characters().count();
        let moved: Vec<Vec<Vec3>> =
            (0..3).map(|_| (0..count).map(|_| somewhere(&mut rng, 90.0)).collect()).collect();
        let cases: Vec<Case> = (0..40)
            .map(|_| {
                let places = rng.below(6) as usize;
                case(&mut rng, &world, moved.get(places).map_or(&[][..], Vec::as_slice))
            })
            .collect();
        let lists: Vec<Bystanders> = cases.iter().map(|list| bystanders(list)).collect();
        let mut out = ByteWriter::at(TickNumber(0));
        let mut told = ToldDiscs::begin(&mut out, &world.characters, lists.iter());
        lists.iter().for_each(|list| told.save(&mut out, list));
        let bytes = out.finish();
        let mut input = ByteReader::at(TickNumber(0), &bytes);
        let mut told = ToldDiscs::read(&mut input, &world.characters).expect("it was written");
        for (index, list) in cases.iter().enumerate() {
            let read = told.load(&mut input).unwrap_or_else(|broken| panic!("{seed} {index}: {broken:?}"));
            assert_eq!(read, bystanders(list), "{seed} {index}");
        }
        assert_eq!(input.end(), Ok(()));
    }
}

#[test]
fn hundreds_who_stand_along_a_way_take_less_than_a_byte_each() {
    let mut rng = Rng::stream(1, "a crowd that sets out");
    let mut world = World::default();
    for index in 0..2_000 {
        put(&mut world, index, somewhere(&mut rng, 60.0));
    }
    let all: Vec<(CharacterId, Disc)> =
        world.characters().map(|(id, one)| (id, Disc { centre: one.body.position, radius_m: 0.3 })).collect();
    let mut out = ByteWriter::at(TickNumber(0));
    let everybody = bystanders(&all);
    let mut told = ToldDiscs::begin(&mut out, &world.characters, std::iter::once(&everybody));
    told.save(&mut out, &everybody);
    let before = out.clone().finish().len();
    let mut listed = 0;
    for first in 0..100 {
        let line = (somewhere(&mut rng, 60.0), somewhere(&mut rng, 60.0));
        let (a, b) = (ground(line.0), ground(line.1));
        let is_in = |disc: &Disc| segment_distance_sq(ground(disc.centre), a, b) <= 36.0;
        let list: Vec<_> = all[first..].iter().copied().filter(|(_, disc)| is_in(disc)).collect();
        listed += list.len();
        told.save(&mut out, &bystanders(&list));
    }
    let bytes = out.finish().len() - before;
    assert!(listed > 20_000, "{listed} are in lists");
    assert!(bytes * 10 < listed * 8, "{bytes} bytes for {listed}");
}

#[test]
fn bytes_of_anybody_are_refused_or_end() {
    let mut rng = Rng::stream(2, "bytes of anybody");
    let world = crowd(&mut rng);
    for _ in 0..5_000 {
        let bytes: Vec<u8> =
            (0..rng.below(60)).map(|_| rng.below(256) as u8 | (rng.below(2) as u8 * 255)).collect();
        let mut input = ByteReader::at(TickNumber(0), &bytes);
        let Ok(mut told) = ToldDiscs::read(&mut input, &world.characters) else { continue };
        for _ in 0..4 {
            let Ok(list) = told.load(&mut input) else { break };
            let mut out = ByteWriter::at(TickNumber(0));
            ToldDiscs::begin(&mut out, &world.characters, std::iter::once(&list)).save(&mut out, &list);
        }
    }
}
