//! What a tick costs through the C interface, over the bare tick: `cargo bench -p walkon-c`.
//!
//! The functions are called as C calls them: through the symbols that the library exports.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::disallowed_types, unsafe_code)]

#[path = "../../bench/crowd.rs"]
mod crowd;

use std::ptr::null_mut;
use std::sync::Arc;

use walkon_c::{
    WalkonBuffer, WalkonGame, WalkonLevel, WalkonStatus, WalkonText, walkon_game_events, walkon_game_free,
    walkon_game_hash, walkon_game_positions, walkon_game_start, walkon_game_tick, walkon_level_free,
    walkon_level_texts,
};
use walkon_shell::{LiveGame, StartSetup};

fn text(words: &str) -> WalkonText {
    WalkonText { data: words.as_ptr(), length: words.len() }
}

fn fine(status: WalkonStatus) {
    assert_eq!(status, WalkonStatus::Ok);
}

/// A game behind a handle.
fn started(level: *mut WalkonLevel, args: &[String], events: bool) -> *mut WalkonGame {
    let setup = serde_json::json!({ "seed": 1, "args": args, "events": events }).to_string();
    let mut game = null_mut();
    // SAFETY: the level was not freed, and the text lives until the call is over.
    fine(unsafe { walkon_game_start(level, text(&setup), &raw mut game) });
    game
}

fn main() {
    println!("| characters | bare tick us | tick | tick with positions | with positions and events |");
    println!("| --- | --- | --- | --- | --- |");
    for count in [10, 1000, 10_000] {
        row(count);
    }
}

fn row(count: usize) {
    let (field, args) = crowd::crowd(count);
    let texts = serde_json::json!({ "path": field.path, "files": field.files, "scripts": field.scripts });
    let mut level = null_mut();
    // SAFETY: the text lives until the call is over.
    fine(unsafe { walkon_level_texts(text(&texts.to_string()), &raw mut level) });
    let with = StartSetup { seed: Some(1), args: args.clone(), ..StartSetup::default() };
    let mut bare = LiveGame::start(&Arc::new(field.clone()), field.level().unwrap(), with).unwrap();
    let games = [false, false, true].map(|events| started(level, &args, events));
    let (mut xyz, mut all) = (vec![0.0_f32; 3 * count], 0);
    let mut bytes = vec![0_u8; 1 << 20];
    let mut out = WalkonBuffer { data: bytes.as_mut_ptr(), size: bytes.len(), length: 0 };
    let ticks = crowd::ticks(count);
    let tick = |game| {
        // SAFETY: the game was not freed.
        fine(unsafe { walkon_game_tick(game, text("")) });
    };
    let mut positions = |game| {
        // SAFETY: there is room for everybody.
        fine(unsafe { walkon_game_positions(game, xyz.as_mut_ptr(), count, &raw mut all) });
    };
    let places = std::cell::RefCell::new(&mut positions);
    let (microseconds, ratios) = crowd::ratios(
        ticks,
        &mut [
            &mut || (0..ticks).for_each(|_| drop(bare.tick(&[]).unwrap())),
            &mut || (0..ticks).for_each(|_| tick(games[0])),
            &mut || {
                for _ in 0..ticks {
                    tick(games[1]);
                    places.borrow_mut()(games[1]);
                }
            },
            &mut || {
                for _ in 0..ticks {
                    tick(games[2]);
                    places.borrow_mut()(games[2]);
                    // SAFETY: the buffer has the room that it says.
                    fine(unsafe { walkon_game_events(games[2], &raw mut out) });
                }
            },
        ],
    );
    for game in games {
        let mut hash = 0;
        // SAFETY: the game was not freed before.
        unsafe {
            fine(walkon_game_hash(game, &raw mut hash));
            fine(walkon_game_free(game));
        }
        assert_eq!(hash, bare.game().fingerprint().whole(), "all have played the same game");
    }
    // SAFETY: as above.
    unsafe { walkon_level_free(level) };
    let shown: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.3}")).collect();
    println!("| {count} | {microseconds:.0} | {} |", shown.join(" | "));
}
