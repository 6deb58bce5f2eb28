//! The loan of the world: how bindings reach it, and only while a script phase runs.
//!
//! In: the world, moved in for a phase. Out: one borrow for one host call. Holds: the world goes home on
//! return, error and panic alike; the borrow cannot escape the closure it is given to, and the closure is not
//! given the VM, so no script runs while the world is borrowed. Not here: when phases happen (`host`). It
//! asks that `T::default()` is empty and cheap: that is what stands in for the world while it is away.

use std::cell::Cell;

use mlua::Lua;

use crate::script::vm::convert::Mistake;

/// The slot of a VM for the world of its level. Installed once, filled and emptied in place.
#[derive(Debug)]
pub struct Lent<T>(Option<T>);

/// Why a binding got no world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// A file touches the world while it loads, or code runs outside the two script phases.
    #[error("there is no world while a file loads; call it from start or onStart")]
    NoWorld,
    /// A host call inside a host call. A mistake of ours.
    #[error("world used outside a script phase: this is a bug in walkon, please report it")]
    Reentrant,
}

/// Puts an empty slot for a `T` into the VM. Called once, at setup.
pub fn install<T: Default + 'static>(lua: &Lua) {
    let before = lua.set_app_data(Lent::<T>(None));
    assert!(before.is_none(), "the slot for the world is installed once");
}

/// Runs `run` while `world` is lent to the VM's bindings; about 0.1 us.
///
/// # Panics
/// When a phase of the same world is under way already.
pub fn phase<T: Default + 'static, R>(lua: &Lua, world: &mut T, run: impl FnOnce(&Lua) -> R) -> R {
    let _home = Home::leave(lua, world);
    run(lua)
}

/// Calls `work` with the world that is lent to this VM, for the time of one host call; 70 to 100 ns.
///
/// # Errors
/// [`BindError::NoWorld`] outside a phase, [`BindError::Reentrant`] inside another `with_world`.
pub fn with_world<T: Default + 'static, R>(
    lua: &Lua,
    work: impl FnOnce(&mut T) -> R,
) -> Result<R, BindError> {
    let mut slot = lua.try_app_data_mut::<Lent<T>>().map_err(|_| BindError::Reentrant)?;
    let world = slot.as_mut().and_then(|slot| slot.0.as_mut()).ok_or(BindError::NoWorld)?;
    let _watch = PanicWatch;
    Ok(work(world))
}

impl BindError {
    /// The error a script sees from the function called `function`.
    #[must_use]
    pub fn mistake(self, function: &str) -> Mistake {
        Mistake::new(function, self.to_string())
    }
}

thread_local! {
    static PANICKED: Cell<bool> = const { Cell::new(false) };
}

/// Lies in a local of host code that scripts call: notes a panic that passes by. Lua turns a panic into an
/// error, which a script might swallow; the note is read when the call from the host ends, and the panic goes
/// on from there.
pub(crate) struct PanicWatch;

impl Drop for PanicWatch {
    fn drop(&mut self) {
        if std::thread::panicking() {
            PANICKED.set(true);
        }
    }
}

/// Whether host code panicked since [`take_panicked`].
pub(crate) fn has_panicked() -> bool {
    PANICKED.get()
}

/// Whether host code panicked since the last call.
pub(crate) fn take_panicked() -> bool {
    PANICKED.take()
}

/// Moves the world out on construction and home on drop.
struct Home<'a, T: Default + 'static> {
    lua: &'a Lua,
    world: &'a mut T,
}

impl<'a, T: Default + 'static> Home<'a, T> {
    fn leave(lua: &'a Lua, world: &'a mut T) -> Self {
        let mut slot = lua.try_app_data_mut::<Lent<T>>().ok().flatten();
        let empty = slot.as_ref().is_some_and(|slot| slot.0.is_none());
        assert!(
            empty,
            "a phase begins with an empty slot: no phase is under way, no binding holds the world"
        );
        if let Some(slot) = slot.as_mut() {
            slot.0 = Some(std::mem::take(world));
        }
        drop(slot);
        Self { lua, world }
    }
}

impl<T: Default + 'static> Drop for Home<'_, T> {
    fn drop(&mut self) {
        let mut slot = self.lua.try_app_data_mut::<Lent<T>>().ok().flatten();
        if let Some(lent) = slot.as_mut().and_then(|slot| slot.0.take()) {
            *self.world = lent;
        }
    }
}

#[cfg(test)]
mod tests;
