//! The laws of save games over every shipped level, at random ticks.
//!
//! Goal: save, load, save is the same to the byte; two loads run on with equal hashes; every walk that was
//! accepted settles once, also over a load; what the world hashes of people and doors is what it was; a game
//! that has run on and takes its own save back, as level tests do, goes on as a new one does. Method: a level
//! runs to a tick drawn from a seed; it is saved there, or where the scene under way lets it, and loaded
//! twice; itself it runs on and takes the save back. The short form draws one point a level and runs on for
//! 200 ticks; `tests/README.md` has the long ones.

use walkon_runtime::base::rng::Rng;
use walkon_runtime::game::headless::{Bound, Onlooker, run};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{Level, load};
use walkon_runtime::world::state_hash::WorldHash;

use crate::level::levels::{levels, scripts, shipped};
use crate::long_form::number;

/// Ticks of a level among which points are drawn, and how many points at most, and ticks of each: in a large
/// level a tick takes long.
fn extent(name: &str) -> (u64, u64, u64) {
    match name {
        "town_trees" => (120, 4, 60),
        "hamlet_night" => (8400, u64::MAX, u64::MAX),
        _ => (3600, u64::MAX, u64::MAX),
    }
}

fn setup() -> Setup {
    Setup { scripts: scripts(), ..Setup::default() }
}

fn level(name: &str) -> Level {
    load(&format!("{name}.json"), &levels()).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs on until the game can be saved.
fn saved(game: &mut Game, name: &str) -> Vec<u8> {
    // Bounded: no shipped scene lasts that long.
    for _ in 0..20_000 {
        match game.save() {
            Ok(bytes) => return bytes,
            Err(refused) => {
                assert!(refused.0.contains("is under way and does not say"), "{name}: {refused}");
                game.tick(&[]);
            }
        }
    }
    panic!("{name}: it could never be saved");
}

fn settles_all_it_accepts(mut game: Game, name: &str) {
    let ticks_max = game.world().tick().0 + 1;
    let report = run(&mut game, &Bound { ticks_max, until: None, is_strict: false }, |_, _| Onlooker::GoOn);
    let walks = report.walks;
    let settled = walks.arrived + walks.partial + walks.blocked + walks.cancelled;
    assert_eq!(walks.accepted, settled, "{name}: {walks:?}");
}

/// Saves a game where it is, loads it twice, takes it back after some ticks, and runs all three on.
fn check(game: &mut Game, (name, ticks, undone_ticks): (&str, u64, u64)) {
    let bytes = saved(game, name);
    let at = game.world().tick().0;
    let restore = || {
        Game::restore(level(name), setup(), &bytes).unwrap_or_else(|error| panic!("{name} at {at}: {error}"))
    };
    let (mut one, mut other) = (restore(), restore());
    assert_eq!(one.world().tick().0, at);
    assert!(one.save().unwrap() == bytes, "{name} at {at}: save, load, save");
    let (was, is) = (game.fingerprint(), one.fingerprint());
    assert_eq!((was.characters, was.doors), (is.characters, is.doors), "{name} at {at}");
    (0..undone_ticks).for_each(|_| drop(game.tick(&[])));
    game.restore_here(level(name), &bytes).unwrap_or_else(|error| panic!("{name} at {at}: {error}"));
    assert!(game.save().unwrap() == bytes, "{name} at {at}: save, go on, take back, save");
    for _ in 0..ticks {
        one.tick(&[]);
        other.tick(&[]);
        game.tick(&[]);
        let (one, other, here) = (one.fingerprint(), other.fingerprint(), game.fingerprint());
        assert_eq!(one, other, "{name} at {at}: two loads differ");
        // The VM that goes on counts its tasks and numbers its random streams on; saves do not tell.
        let here = WorldHash { random: one.random, scripts: one.scripts, ..here };
        assert_eq!(
            one, here,
            "{name} at {at}: taken back after {undone_ticks} ticks, it goes on differently"
        );
    }
    if let Ok(bytes) = one.save() {
        let is_same = game.save().unwrap() == bytes;
        assert!(is_same, "{name} at {at}: taken back after {undone_ticks} ticks, another state");
    }
    assert_eq!(one.fault_count(), 0, "{name} at {at}: its scripts begin again without a fault");
    settles_all_it_accepts(one, name);
}

#[test]
fn every_level_goes_on_alike_from_wherever_it_was_saved() {
    let (points, ticks) = (number("SAVE_POINTS", 1), number("SAVE_TICKS", 200));
    for name in &shipped() {
        let (span, points_max, ticks_max) = extent(name);
        let (points, ticks) = (points.min(points_max), ticks.min(ticks_max));
        let mut rng = Rng::stream(number("SEED", 1), &format!("save points of {name}"));
        let mut at: Vec<u64> = (0..points).map(|_| rng.below(span)).collect();
        at.sort_unstable();
        let mut game = Game::load(level(name), setup()).unwrap_or_else(|error| panic!("{name}: {error}"));
        for tick in at {
            // A level that is over goes on with nobody's code running.
            while game.world().tick().0 < tick && game.outcome().is_none() {
                game.tick(&[]);
            }
            check(&mut game, (name, ticks, 1 + rng.below(ticks)));
        }
    }
}

#[test]
fn a_level_is_saved_before_its_first_tick_and_in_every_tick_of_a_second() {
    for name in ["courtyard", "market"] {
        let mut game = Game::load(level(name), setup()).unwrap();
        for _ in 0..60 {
            let bytes = saved(&mut game, name);
            let loaded = Game::restore(level(name), setup(), &bytes).unwrap();
            assert!(loaded.save().unwrap() == bytes, "{name} at {}", game.world().tick().0);
            assert_eq!(loaded.fingerprint().characters, game.fingerprint().characters);
            game.tick(&[]);
        }
    }
}
