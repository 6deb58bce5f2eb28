//! Access from the VM to the tables that the script side keeps beside it.
//!
//! In: bindings and steps, each for one short look. Out: the same. Holds: no Lua runs while it is looked at;
//! work is put behind the facts of the world there are; while a phase runs nothing is looked up in the data
//! of the VM. Not here: the tables (`state`), the world (`lend`).

use std::cell::RefCell;
use std::rc::Rc;

use mlua::Lua;

use crate::script::state::runtime::Runtime;
use crate::script::state::work::{ScriptWork, WORK_MAX};
use crate::script::vm::lend;
use crate::world::World;

/// The runtime of a VM, as its app data.
#[derive(Clone, Debug)]
struct KeptRuntime(Rc<RefCell<Runtime>>);

thread_local! {
    /// That of the VM whose phase runs on this thread.
    static UNDER_WAY: RefCell<Option<KeptRuntime>> = const { RefCell::new(None) };
}

/// Gives a VM its runtime. Called once, at setup.
pub(crate) fn install(lua: &Lua, runtime: Runtime) {
    lua.set_app_data(KeptRuntime(Rc::new(RefCell::new(runtime))));
}

/// Lies in a local while a phase of a VM runs: until then its runtime is at hand.
#[derive(Debug)]
pub(crate) struct AtHand {
    before: Option<KeptRuntime>,
}

impl AtHand {
    pub(crate) fn begin(lua: &Lua) -> Self {
        Self { before: UNDER_WAY.replace(kept(lua)) }
    }
}

impl Drop for AtHand {
    fn drop(&mut self) {
        UNDER_WAY.set(self.before.take());
    }
}

fn kept(lua: &Lua) -> Option<KeptRuntime> {
    lua.app_data_ref::<KeptRuntime>().map(|kept| kept.clone())
}

/// Whether `kept` is the runtime of `lua`: no VM runs inside a phase of another.
fn is_of(kept: &KeptRuntime, lua: &Lua) -> bool {
    lua.app_data_ref::<KeptRuntime>().is_some_and(|own| Rc::ptr_eq(&own.0, &kept.0))
}

/// Looks at the runtime of this VM. No Lua may run meanwhile.
#[inline]
pub(crate) fn with<R>(lua: &Lua, look: impl FnOnce(&mut Runtime) -> R) -> R {
    UNDER_WAY.with_borrow(|at_hand| {
        let looked_up;
        let kept = match at_hand {
            Some(kept) => kept,
            None => {
                looked_up = look_up(lua);
                &looked_up
            }
        };
        debug_assert!(is_of(kept, lua));
        look(&mut kept.0.borrow_mut())
    })
}

#[cold]
#[inline(never)]
fn look_up(lua: &Lua) -> KeptRuntime {
    match kept(lua) {
        Some(kept) => kept,
        None => unreachable!("the host installs the runtime before any script is loaded"),
    }
}

/// Looks at the runtime of the VM whose phase runs, for a function of the VM that was not given it. None
/// outside of phases, and when a caller looks at it already.
#[inline]
pub(crate) fn with_at_hand<R>(look: impl FnOnce(&mut Runtime) -> Option<R>) -> Option<R> {
    let look = |at_hand: &RefCell<Option<KeptRuntime>>| {
        look(&mut *at_hand.try_borrow().ok()?.as_ref()?.0.try_borrow_mut().ok()?)
    };
    UNDER_WAY.try_with(look).ok().flatten()
}

/// Looks at the runtime of this VM, if it has one; tools that only bind names do without.
pub(crate) fn find<R>(lua: &Lua, look: impl FnOnce(&mut Runtime) -> Option<R>) -> Option<R> {
    look(&mut kept(lua)?.0.borrow_mut())
}

/// Looks at the runtime of this VM, unless it has none or a caller looks at it already.
pub(crate) fn find_free<R>(lua: &Lua, look: impl FnOnce(&Runtime) -> R) -> Option<R> {
    kept(lua)?.0.try_borrow().ok().map(|runtime| look(&runtime))
}

/// The mistake of a script that asks for more work than may wait; none while there is room.
pub(crate) fn work_at_limit(lua: &Lua) -> Option<String> {
    let is_full = with(lua, |runtime| runtime.queue.is_full());
    is_full.then(|| {
        format!("{WORK_MAX} pieces of work are waiting already, the most allowed; ask for fewer in a tick")
    })
}

/// Adds work for step 12, behind all facts there are now.
pub(crate) fn push_work(lua: &Lua, work: ScriptWork) {
    let waiting = lend::with_world(lua, |world: &mut World| world.events.waiting()).unwrap_or(0) as u64;
    with(lua, |runtime| runtime.queue.push(work, waiting));
}
