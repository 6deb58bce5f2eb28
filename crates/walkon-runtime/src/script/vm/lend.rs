//! Lends the world to bindings, only while a script phase runs.
//!
//! In: the world, moved in for a phase. Out: one borrow for one host call. Holds: the world goes home on
//! return, error and panic alike; the borrow cannot escape the closure it is given to, and the closure is not
//! given the VM, so no script runs while the world is borrowed. Not here: when phases happen (`host`).
//! An empty `T`, made once, changes places with the world for each phase.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use mlua::Lua;

/// The slot of a VM for the world of its level. Installed once, filled and emptied in place.
#[derive(Debug)]
pub struct Lent<T>(Rc<RefCell<LentSlot<T>>>);

/// What lies in the slot.
#[derive(Debug)]
struct LentSlot<T> {
    /// The world while it is lent, else what stands in for it; none only while they change places.
    held: Option<T>,
    is_lent: bool,
}

impl<T> LentSlot<T> {
    fn world(&self) -> Option<&T> {
        self.held.as_ref().filter(|_| self.is_lent)
    }

    fn world_mut(&mut self) -> Option<&mut T> {
        self.held.as_mut().filter(|_| self.is_lent)
    }

    /// The world changes places with what stands in for it.
    fn swap(&mut self, world: &mut T) {
        // Copies are quicker than a swap where code is to be small, and as quick where it is to be fast.
        self.held = self.held.take().map(|stand_in| std::mem::replace(world, stand_in));
        self.is_lent = !self.is_lent;
    }
}

impl<T> Lent<T> {
    /// Looks at the world, if it is there and nobody changes it, for a function that keeps the slot.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&T) -> Option<R>) -> Option<R> {
        look(self.0.try_borrow().ok()?.world()?)
    }
}

impl<T> Clone for Lent<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

/// The slot itself, for a function that keeps it. None where none is installed.
pub(crate) fn slot<T: 'static>(lua: &Lua) -> Option<Lent<T>> {
    lua.app_data_ref::<Lent<T>>().map(|slot| slot.clone())
}

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
    let before =
        lua.set_app_data(Lent(Rc::new(RefCell::new(LentSlot { held: Some(T::default()), is_lent: false }))));
    assert!(before.is_none(), "the slot for the world is installed once");
}

/// Runs `run` while `world` is lent to the VM's bindings; about 0.1 us.
///
/// # Panics
/// When a phase of the same world is under way already.
#[inline]
pub fn phase<T: 'static, R>(lua: &Lua, world: &mut T, run: impl FnOnce(&Lua) -> R) -> R {
    let _home = Home::leave(lua, world);
    run(lua)
}

/// Calls `work` with the world that is lent to this VM, for the time of one host call; 70 to 100 ns.
///
/// # Errors
/// [`BindError::NoWorld`] outside a phase, [`BindError::Reentrant`] inside another `with_world`.
pub fn with_world<T: 'static, R>(lua: &Lua, work: impl FnOnce(&mut T) -> R) -> Result<R, BindError> {
    let slot = lua.app_data_ref::<Lent<T>>().ok_or(BindError::NoWorld)?;
    let mut slot = slot.0.try_borrow_mut().map_err(|_| BindError::Reentrant)?;
    let world = slot.world_mut().ok_or(BindError::NoWorld)?;
    let _watch = PanicWatch;
    Ok(work(world))
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
#[inline]
pub(crate) fn has_panicked() -> bool {
    PANICKED.get()
}

/// Whether host code panicked since the last call.
#[inline]
pub(crate) fn take_panicked() -> bool {
    PANICKED.take()
}

/// Moves the world out on construction and home on drop.
struct Home<'a, T: 'static> {
    slot: Option<Lent<T>>,
    world: &'a mut T,
}

impl<'a, T: 'static> Home<'a, T> {
    fn leave(lua: &Lua, world: &'a mut T) -> Self {
        let slot = slot::<T>(lua);
        let mut lent = slot.as_ref().and_then(|slot| slot.0.try_borrow_mut().ok());
        let empty = lent.as_ref().is_some_and(|lent| !lent.is_lent);
        assert!(
            empty,
            "a phase begins with an empty slot: no phase is under way, no binding holds the world"
        );
        if let Some(lent) = lent.as_mut() {
            lent.swap(world);
        }
        drop(lent);
        Self { slot, world }
    }
}

impl<T: 'static> Drop for Home<'_, T> {
    fn drop(&mut self) {
        let lent = self.slot.as_ref().and_then(|slot| slot.0.try_borrow_mut().ok());
        if let Some(mut lent) = lent {
            lent.swap(self.world);
        }
    }
}

#[cfg(test)]
mod tests;
