//! Handlers of watches for characters: noticed, lost, heard.
//!
//! In: facts of step 11. Out: handlers with their arguments. Holds: a watch that was removed meanwhile tells
//! nothing. Not here: calling them (`dispatch`), the table (`state::handlers`), when watches look
//! (`sim::senses`).

use mlua::Value;

use crate::base::ids::CharacterId;
use crate::script::state::callback::{Callback, SenseHandlers};
use crate::script::state::handlers::SenseRecord;
use crate::script::vm::convert::vector;
use crate::script::vm::{ScriptVm, handles, store};
use crate::world::owner::Owner;
use crate::world::sense::{SenseId, Unseen};

/// What it costs the tick, beside the handler, to tell a watch of a character: a table is made each time.
const SENSE_PRICE: u64 = 40;

/// What a watch reports.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SenseNews {
    Noticed,
    Lost(Unseen),
    Heard {
        /// Metres that the noise reaches.
        loudness_m: f32,
    },
}

impl SenseNews {
    /// The handler that is called, and its name.
    fn handler(self, handlers: SenseHandlers) -> (Option<Callback>, &'static str) {
        match self {
            Self::Noticed => (handlers.notice, "onNotice"),
            Self::Lost(_) => (handlers.lose, "onLose"),
            Self::Heard { .. } => (handlers.hear, "onHear"),
        }
    }
}

/// A handler that is to be called.
pub(crate) struct SenseCall {
    pub(crate) owner: Owner,
    pub(crate) callback: Callback,
    pub(crate) payload: Value,
    /// What faults call it: `onNotice`.
    pub(crate) label: &'static str,
}

/// The handler of a watch for a character at a place, and its argument; None when there is none.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn call_for(
    vm: &ScriptVm,
    watch: SenseId,
    character: CharacterId,
    position: glam::Vec3,
    news: SenseNews,
) -> mlua::Result<Option<SenseCall>> {
    let lua = vm.lua();
    let found = store::with(lua, |runtime| runtime.registered.handlers.senses.get(&watch).cloned());
    let Some(SenseRecord { owner, handlers }) = found else { return Ok(None) };
    let (Some(callback), label) = news.handler(handlers) else { return Ok(None) };
    vm.spend(SENSE_PRICE);
    let table = lua.create_table()?;
    table.raw_set("watch", handles::make(lua, watch)?)?;
    table.raw_set("character", handles::character(lua, character)?)?;
    table.raw_set("position", vector(position))?;
    match news {
        SenseNews::Noticed => {}
        SenseNews::Lost(why) => table.raw_set("reason", why.name())?,
        SenseNews::Heard { loudness_m } => table.raw_set("loudness", loudness_m)?,
    }
    table.set_readonly(true);
    Ok(Some(SenseCall { owner, callback, payload: Value::Table(table), label }))
}
