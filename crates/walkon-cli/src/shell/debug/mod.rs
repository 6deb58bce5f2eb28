//! The Debug Adapter Protocol for editors, on standard input and output or on a port of this machine.
//!
//! In: requests of a client. Out: answers and events; the client's requests to running levels. Holds: one
//! client; a run waits for it while it stands still, and ends or goes on alone when it leaves. Not here: the
//! state of a level for clients (`walkon_runtime::script::debug::Paused`).

mod adapter;
mod connection;
mod wire;

use std::sync::Arc;

use walkon_runtime::script::debug::Debugger;
use walkon_runtime::script::vm::fuel::Signals;

use crate::shell::debug::adapter::{Adapter, ScriptPlaces};

pub(super) use connection::Connection;

impl Connection {
    /// A debugger for one level, whose scripts lie at `places`; `signals` end what runs in it.
    pub fn debugger(self: &Arc<Self>, places: ScriptPlaces, signals: Arc<Signals>) -> Debugger {
        Debugger::new(Box::new(Adapter::new(Arc::clone(self), places, signals)))
    }
}
