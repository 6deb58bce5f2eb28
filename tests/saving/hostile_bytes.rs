//! Bytes that are none of a save game, or not whole: refused with a reason, whatever they say.
//!
//! Goal: no bytes make a load panic, hang or fill the memory; the short form of the fuzz target `save`.
//! Method: a save game is cut at every length and changed at random, with and without its sum put right.

use walkon_runtime::base::rng::Rng;
use walkon_runtime::game::Game;
use walkon_runtime::game::save::{SAVE_FORM, seal};

use super::contract::Piece;
use crate::laws::fuzzed::checks;
use crate::long_form::number;

/// Save games on every kind of map; with `UPDATE=1` what the fuzz target begins with is written again.
fn games() -> Vec<(&'static str, Vec<u8>)> {
    let games = checks::SAVED_LEVELS.map(|kind| (kind, checks::save_game(kind)));
    if std::env::var_os("UPDATE").is_some() {
        for (kind, bytes) in &games {
            let path = format!("fuzz/seeds/save/{kind}.save");
            std::fs::write(crate::place::root().join(path), bytes).unwrap();
        }
    }
    games.into()
}

/// Writes a count as save games do, seven bits a byte.
fn count(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
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
    form[8] = SAVE_FORM as u8 + 1;
    let told = format!("it is of form {}, this version reads form {SAVE_FORM}", SAVE_FORM + 1);
    assert_eq!(refused(&form), format!("the save game cannot be read: {told}"));
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

/// One change of a kind that hides in a file: bits, bytes, pieces that are gone, doubled, moved or taken from
/// another save game, and counts that promise more than there is.
fn change(changed: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let at = rng.below(changed.len() as u64) as usize;
    let piece_end = |length: usize, at: usize, rng: &mut Rng| (at + 1 + rng.below(24) as usize).min(length);
    match rng.below(10) {
        0..=2 => changed[at] ^= 1 << rng.below(8),
        3 => changed[at] = rng.below(256) as u8,
        4 => _ = changed.drain(at..piece_end(changed.len(), at, rng)),
        5 => {
            let piece = changed[at..piece_end(changed.len(), at, rng)].to_vec();
            changed.splice(at..at, piece);
        }
        6 => {
            let from = rng.below(other.len() as u64) as usize;
            let piece = other[from..piece_end(other.len(), from, rng)].to_vec();
            let end = (at + piece.len()).min(changed.len());
            changed.splice(at..end, piece);
        }
        7 => {
            let numbers = [127, 128, 65_535, 1 << 20, 1 << 31, 1 << 32, (1 << 53) - 1, 1 << 53, u64::MAX];
            changed.splice(at..=at, count(numbers[rng.below(numbers.len() as u64) as usize]));
        }
        8 => {
            let patterns = [f64::NAN, f64::INFINITY, -0.0, f64::MAX, f64::MIN_POSITIVE];
            let pattern = patterns[rng.below(patterns.len() as u64) as usize].to_le_bytes();
            let end = (at + pattern.len()).min(changed.len());
            changed.splice(at..end, pattern);
        }
        _ => {
            let end = piece_end(changed.len(), at, rng);
            changed[at..end].reverse();
        }
    }
}

#[test]
fn bytes_changed_at_random_are_read_or_refused_and_what_is_read_runs() {
    let games = games();
    for (index, (kind, whole)) in games.iter().enumerate() {
        let other = &games[(index + 1) % games.len()].1;
        let mut read = 0;
        for round in 0..number("SAVE_ROUNDS", 600) {
            let mut rng = Rng::stream(round, &format!("save of {kind}"));
            let mut changed = whole.clone();
            for _ in 0..1 + rng.below(3) {
                change(&mut changed, other, &mut rng);
            }
            read += u32::from(checks::save(&changed));
        }
        assert!(read > 15, "{kind}: {read} of them were read, so the checks behind the sum are reached");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn counts_that_promise_more_than_there_is_take_no_memory() {
    use std::process::Command;
    let folder = tempfile::tempdir().unwrap();
    let walkon = |args: &[&str], folder: &std::path::Path| {
        let program = crate::place::program();
        let limited = format!("ulimit -v 1500000; exec {} \"$@\"", program.display());
        Command::new("sh").arg("-c").arg(limited).arg("sh").args(args).current_dir(folder).output().unwrap()
    };
    assert!(walkon(&["new", "game"], folder.path()).status.success());
    let game = folder.path().join("game");
    let saved = walkon(&["run", "first", "--ticks", "100", "--save-at", "100", "whole.save"], &game);
    assert!(saved.status.success(), "{}", String::from_utf8_lossy(&saved.stderr));
    let whole = std::fs::read(game.join("whole.save")).unwrap();
    // 48 places all over the save, each with the largest count that may be written: what is promised there is
    // not taken from the system before it is read.
    for part in 0..48 {
        let at = 24 + part * (whole.len() - 40) / 48;
        let mut changed = whole.clone();
        changed.splice(at..=at, count((1 << 53) - 1));
        seal(&mut changed);
        std::fs::write(game.join("large.save"), &changed).unwrap();
        let run = walkon(&["run", "first", "--ticks", "1", "--from", "large.save"], &game);
        // Refused with a reason, or a number of no weight: never out of memory, which ends a program by a
        // signal.
        let told = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(run.status.code().is_some_and(|code| code != 101), "at {at}: {:?} {told}", run.status);
        assert!(!told.contains("memory allocation"), "at {at}: {told}");
    }
}
