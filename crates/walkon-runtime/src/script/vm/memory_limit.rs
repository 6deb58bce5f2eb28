//! The memory limit of a VM, in force while script code runs.
//!
//! In: how many bytes the VM may use. Out: an error where it uses more. Holds: Luau refuses allocations
//! beyond the limit while scripts run; the host bounds the values that it makes for them in between, and a
//! host function that has made too much ends as if Luau had refused it. Why: as long as there is a limit,
//! mlua makes two closures and a protected call for everything that may need memory. Not here: data that the
//! host keeps (`account`, `room`).

use std::cell::Cell;

use mlua::Lua;

/// How much memory the VM may use, and whether that holds now.
#[derive(Debug, Default)]
pub(crate) struct MemoryLimit {
    /// 0 while there is no limit.
    bytes: Cell<usize>,
    state: Cell<LimitState>,
}

/// Whether the limit holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LimitState {
    /// The host makes what it likes.
    #[default]
    Lifted,
    /// Luau refuses what goes beyond it.
    Holds,
}

/// The limit holds, or is lifted, until this is dropped.
pub(crate) struct LimitScope<'vm> {
    lua: &'vm Lua,
    limit: &'vm MemoryLimit,
    before: LimitState,
}

impl Drop for LimitScope<'_> {
    fn drop(&mut self) {
        self.limit.switch(self.lua, self.before);
    }
}

impl MemoryLimit {
    /// How many bytes the VM may use; 0 while there is no limit.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.get()
    }

    /// The VM may use so many bytes from now on; 0 for any number.
    pub(crate) fn set(&self, lua: &Lua, bytes: usize) {
        self.bytes.set(bytes);
        if self.state.get() == LimitState::Holds {
            impose(lua, bytes);
        }
    }

    /// The limit holds: code of scripts runs next.
    pub(crate) fn hold<'vm>(&'vm self, lua: &'vm Lua) -> LimitScope<'vm> {
        LimitScope { lua, limit: self, before: self.switch(lua, LimitState::Holds) }
    }

    /// Runs `make`, a function of the host that makes things for scripts, without the limit.
    ///
    /// # Errors
    /// That of `make`; when more memory is used than may be afterwards.
    pub(crate) fn lift<R>(&self, lua: &Lua, make: impl FnOnce() -> mlua::Result<R>) -> mlua::Result<R> {
        let before = self.switch(lua, LimitState::Lifted);
        let scope = LimitScope { lua, limit: self, before };
        let made = make()?;
        drop(scope);
        let bytes = self.bytes.get();
        if before == LimitState::Holds && bytes > 0 && lua.used_memory() > bytes {
            return Err(mlua::Error::MemoryError("not enough memory".to_owned()));
        }
        Ok(made)
    }

    /// The state before.
    fn switch(&self, lua: &Lua, state: LimitState) -> LimitState {
        let before = self.state.replace(state);
        if before != state {
            impose(lua, if state == LimitState::Holds { self.bytes.get() } else { 0 });
        }
        before
    }
}

fn impose(lua: &Lua, bytes: usize) {
    // Luau takes any limit.
    let _ = lua.set_memory_limit(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit_of(lua: &Lua) -> usize {
        let bytes = lua.set_memory_limit(0).unwrap();
        lua.set_memory_limit(bytes).unwrap();
        bytes
    }

    #[test]
    fn the_limit_holds_while_scripts_run_and_nowhere_else() {
        let (lua, limit) = (Lua::new(), MemoryLimit::default());
        limit.set(&lua, 1 << 24);
        assert_eq!(limit_of(&lua), 0);
        let call = limit.hold(&lua);
        assert_eq!(limit_of(&lua), 1 << 24);
        limit
            .lift(&lua, || {
                assert_eq!(limit_of(&lua), 0);
                limit.set(&lua, 1 << 25);
                let inner = limit.hold(&lua);
                assert_eq!(limit_of(&lua), 1 << 25);
                drop(inner);
                assert_eq!(limit_of(&lua), 0);
                Ok(())
            })
            .unwrap();
        assert_eq!(limit_of(&lua), 1 << 25);
        drop(call);
        assert_eq!(limit_of(&lua), 0);
    }

    #[test]
    fn what_the_host_makes_beyond_the_limit_is_refused_afterwards() {
        let (lua, limit) = (Lua::new(), MemoryLimit::default());
        limit.set(&lua, lua.used_memory() + 100_000);
        let make = || limit.lift(&lua, || lua.create_string("x".repeat(200_000)));
        assert!(make().is_ok(), "no script runs");
        lua.gc_collect().unwrap();
        let _call = limit.hold(&lua);
        assert!(matches!(make(), Err(mlua::Error::MemoryError(_))));
        assert!(limit.lift(&lua, || Err::<(), _>(mlua::Error::runtime("no"))).is_err());
        assert_eq!(limit_of(&lua), limit.bytes(), "also after an error");
    }
}
