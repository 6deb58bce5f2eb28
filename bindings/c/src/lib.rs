//! The C interface of walkon: levels and games behind handles, bytes in, bytes and numbers out.
//!
//! In: handles, pointers with lengths. Out: a [`WalkonStatus`] from every function that can fail, results in memory
//! of the caller. Holds: nothing calls back; no panic crosses; a handle that this library made is valid until it is
//! freed; a game is used by the thread that started it and by no other, which is checked in every call; a level
//! may be shared. Whatever fails changes nothing and leaves a text ([`walkon_last_error`]). Not here: what a game
//! does (`walkon`), which is not written again.
//!
//! The header `include/walkon.h` and the declarations for C# are made of this file (`cargo test -p walkon-c`).
#![allow(unsafe_code, reason = "this is the border: every pointer is looked at here and nowhere else")]
#![deny(unsafe_op_in_unsafe_fn)]

mod border;
mod game;
mod level;
mod status;

pub use border::{WalkonBuffer, WalkonText};
pub use game::{WalkonGame, WalkonPose};
pub use level::WalkonLevel;
pub use status::WalkonStatus;

pub use game::{
    walkon_game_character_count, walkon_game_door, walkon_game_end, walkon_game_events, walkon_game_free,
    walkon_game_hash, walkon_game_names, walkon_game_outcome, walkon_game_poses, walkon_game_positions,
    walkon_game_restore, walkon_game_row, walkon_game_run, walkon_game_save, walkon_game_start,
    walkon_game_stop, walkon_game_tick, walkon_game_tick_number, walkon_game_walk,
};
pub use level::{
    walkon_level_free, walkon_level_name, walkon_level_open, walkon_level_run, walkon_level_texts,
    walkon_level_tick_rate,
};
pub use status::{walkon_last_error, walkon_last_problem, walkon_status_name, walkon_version};
