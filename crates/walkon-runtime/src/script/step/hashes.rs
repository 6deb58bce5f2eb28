//! Hashes of the data that the host keeps for scripts.
//!
//! In: the VM and the tables beside it. Out: one hash for the random streams, one for everything else that
//! can change the future. Not here: the hash of the world (`world::state_hash`).

use mlua::Lua;

use crate::base::hash::StateHash;
use crate::script::step::testing;
use crate::script::vm::{self, store};

/// Hashes of the random streams, and of everything else the host keeps for scripts.
pub(crate) fn hashes(lua: &Lua) -> (u64, u64) {
    let mut random = StateHash::default();
    vm::hash_streams(lua, &mut random);
    store::with(lua, |runtime| runtime.streams.hash_into(&mut random));
    let mut scripts = StateHash::default();
    store::with(lua, |runtime| runtime.hash_into(&mut scripts));
    testing::hash_into(lua, &mut scripts);
    if let Some(reloads) = store::with(lua, |runtime| runtime.reloads) {
        scripts.word(reloads);
    }
    (random.finish(), scripts.finish())
}
