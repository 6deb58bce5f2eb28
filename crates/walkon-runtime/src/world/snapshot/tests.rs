//! Tests of saved worlds: what comes back after a load.

use crate::base::bytes::{ByteReader, ByteWriter};
use crate::base::time::TickNumber;
use crate::world::World;
use crate::world::character::{Nudge, Past, Play, Turn};
use crate::world::fixture::sample;
use crate::world::snapshot::{RestoreGround, load, save};
use crate::world::state_hash;
use crate::world::walk::BackingOut;

fn bytes_of(world: &World) -> Vec<u8> {
    let mut out = ByteWriter::at(world.clock.tick);
    save(world, &mut out);
    out.finish()
}

fn again(world: &World) -> World {
    let bytes = bytes_of(world);
    let mut input = ByteReader::at(world.clock.tick, &bytes);
    let loaded = load(&mut input, RestoreGround::Same, World::default()).expect("these are bytes of a world");
    input.end().expect("all of it was read");
    assert_eq!(bytes_of(&loaded), bytes, "save, load, save");
    loaded
}

#[test]
fn a_world_comes_back_with_the_same_hash() {
    let mut scene = sample();
    let world = &mut scene.world;
    world.clock.tick = TickNumber(500);
    let one = world.characters.get_mut(scene.one).expect("it is there");
    one.nudged = Some(Past::at(TickNumber(3)));
    one.turn = Some(Turn { serial: 1, facing_rad: 1.0 });
    one.play = Some(Play { serial: 2, animation: "wave".to_owned(), until: Some(TickNumber(900)) });
    one.rng.bits();
    let by = scene.other;
    // A map without ground has one layer.
    let walk = world.walks.get_mut(scene.walk).and_then(|walk| walk.following.as_mut());
    walk.expect("it has a path").path.change(|path| path.layers.clear());
    let walk = world.walks.get_mut(scene.walk).expect("it is there");
    let way = walk.following.clone().expect("it has a path");
    let (from, junction) = (glam::Vec3::X, glam::Vec3::Z);
    walk.backing_out =
        Some(Box::new(BackingOut { way, from, junction, yields_to: vec![by], until: TickNumber(600) }));
    let one = world.characters.get_mut(scene.one).expect("it is there");
    one.nudge = Some(Nudge { to: glam::Vec3::X, via: None, by, until: TickNumber(510) });
    // A character that waits in a queue of events is told of again.
    assert_eq!(state_hash::of(&again(world)), state_hash::of(world));
    let loaded = again(world);
    let (was, is) = (world.walks.get(scene.walk), loaded.walks.get(scene.walk));
    assert_eq!(was, is, "also what is not hashed");
    assert_eq!(world.characters.get(scene.one), loaded.characters.get(scene.one));
}

#[test]
fn bytes_of_a_world_that_were_cut_are_refused() {
    let scene = sample();
    let bytes = bytes_of(&scene.world);
    for end in 0..bytes.len() {
        let mut input = ByteReader::at(TickNumber(0), &bytes[..end]);
        let loaded = load(&mut input, RestoreGround::Same, World::default());
        assert!(loaded.is_err() || input.end().is_err(), "{end}");
    }
}
