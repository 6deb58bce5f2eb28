//! Bytes that are none of a save game, or not whole: refused with a reason, whatever they say.
//!
//! Goal: no bytes make a load panic, hang or fill the memory; the short form of the fuzz target `save`.
//! Method: a save game is cut at every length and changed at random, with and without its sum put right.

use walkon::base::rng::Rng;
use walkon::game::Game;
use walkon::game::save::seal;

use super::contract::Piece;
use crate::laws::fuzzed::checks;

/// A save game; with `UPDATE=1` what the fuzz target begins with is written again.
fn bytes() -> Vec<u8> {
    let bytes = checks::save_game();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(crate::place::root().join("fuzz/seeds/save/hall.save"), &bytes).unwrap();
    }
    bytes
}

#[test]
fn what_is_no_save_game_is_refused_with_the_reason() {
    let piece = Piece::of(&[]);
    let mut game = Game::load(piece.level(), piece.setup()).unwrap();
    game.tick(&[]);
    let whole = game.save().unwrap();
    let refused = |bytes: &[u8]| Game::restore(piece.level(), piece.setup(), bytes).unwrap_err().to_string();
    assert_eq!(refused(b""), "the save game cannot be read: it is no save game of walkon");
    assert_eq!(refused(b"{\"walkon\": 1}"), "the save game cannot be read: it is no save game of walkon");
    let mut form = whole.clone();
    form[8] = 9;
    assert_eq!(refused(&form), "the save game cannot be read: it is of form 9, this version reads form 1");
    let mut other = whole.clone();
    let middle = other.len() / 2;
    other[middle] ^= 1;
    assert_eq!(refused(&other), "the save game cannot be read: its sum is wrong: it was cut or changed");
    for end in 0..whole.len() {
        let mut cut = whole[..end].to_vec();
        refused(&cut);
        if end > 24 {
            seal(&mut cut);
            refused(&cut);
        }
    }
}

#[test]
fn bytes_changed_at_random_are_read_or_refused_and_what_is_read_runs() {
    let whole = bytes();
    let mut read = 0;
    for round in 0..1500 {
        let mut rng = Rng::stream(round, "save");
        let mut changed = whole.clone();
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(changed.len() as u64) as usize;
            match rng.below(6) {
                0..=2 => changed[at] ^= 1 << rng.below(8),
                3 => changed[at] = rng.below(256) as u8,
                4 => _ = changed.drain(at..(at + 1 + rng.below(8) as usize).min(changed.len())),
                _ => {
                    let piece = changed[at..(at + 8).min(changed.len())].to_vec();
                    changed.splice(at..at, piece);
                }
            }
        }
        read += u32::from(checks::save(&changed));
    }
    assert!(read > 50, "{read} of them were read, so the checks behind the sum are reached");
}
