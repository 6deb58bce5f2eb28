//! Batched calls: many calls in a row, each on its own fuel, without the host in between.
//!
//! In: which rows of two lists to call, functions and their first arguments. Out: how many calls have begun,
//! what those that returned cost. Holds: each call passes as many safepoints as it would alone and ends at
//! the same one; an error ends the batch with the call that made it; between two calls the batch stops when
//! something has to be done first, or the fuel of the tick is spent. Also here: a coroutine that slept goes
//! on, without what mlua does for any values and any outcome. Not here: the work between two calls
//! (`step::schedule`).

use std::cell::Cell;
use std::ffi::c_int;

use mlua::{Function, Lua, Thread, Value, ffi};

use super::batch_plan::{BatchCall, BatchPlan};
use super::{Fuel, Gauge, raw};
use crate::script::state::call_memory::CallMemory;
use crate::script::vm::lend;

/// How many calls ahead the memory of one is asked for.
const FETCHED_AHEAD: usize = 8;

/// Asks for the memory of the call that is made some calls after a place. Apart, because a batch that needs
/// it not is a fourth slower with it.
#[inline(never)]
fn fetch_ahead(memory: &[Cell<CallMemory>], calls: &[BatchCall], place: usize) {
    let ahead = calls.get(place + FETCHED_AHEAD).and_then(|call| memory.get(call.row as usize));
    ahead.into_iter().for_each(|memory| memory.get().fetch());
}

impl Gauge {
    /// The next call begins, and the one before has returned; none when the batch stops here.
    fn next_call(&self) -> Option<BatchCall> {
        let batch = &self.batch;
        // The host puts a plan there before the batch and looks again after it.
        let plan = batch.plan.try_borrow().ok()?;
        let begun = batch.begun.get();
        if begun > 0 {
            raw::look_at_texts(self);
            batch.cost.set(batch.cost.get() + self.cost());
            if plan.contexts.is_some()
                && let Ok(mut spent) = batch.spent.try_borrow_mut()
            {
                spent.push(self.spent());
            }
            if plan.interrupt.is_raised() || batch.cost.get() >= plan.cost_max || lend::has_panicked() {
                return None;
            }
        }
        let call = *plan.calls.get(begun)?;
        if let Some(memory) = &plan.memory {
            fetch_ahead(memory, &plan.calls, begun);
        }
        batch.begun.set(begun + 1);
        plan.row.set(call.row);
        // The slice goes on, so flags and memory are looked at as often as in one long call.
        self.fill(plan.fuel_per_call, self.slice.get().min(plan.fuel_per_call));
        if let Some(context) = plan.contexts.as_ref().and_then(|contexts| contexts.get(call.row as usize)) {
            self.sampler.context.set(*context);
        }
        self.signals.next_call();
        Some(call)
    }
}

impl Fuel {
    /// The function of the VM that makes the calls of the plan: `calls(functions, arguments)`. For the host
    /// alone.
    ///
    /// # Errors
    /// When the memory of the VM is spent.
    pub(crate) fn batch_function(lua: &Lua) -> mlua::Result<Function> {
        // SAFETY: see `make_calls`.
        #[allow(unsafe_code)]
        unsafe {
            lua.create_c_function(make_calls)
        }
    }

    /// Before a batch.
    pub(crate) fn plan_batch(&self, plan: BatchPlan) {
        plan.interrupt.clear();
        self.0.batch.begun.set(0);
        self.0.batch.cost.set(0);
        self.0.batch.spent.take();
        self.0.batch.plan.replace(plan);
    }

    /// After a batch: its calls that have begun; all but the last have returned.
    pub(crate) fn take_batch(&self) -> Vec<BatchCall> {
        let mut calls = self.0.batch.plan.take().calls;
        calls.truncate(self.0.batch.begun.get());
        calls
    }

    /// What was called in the last batch and the fuel that it took, by call, while a profile is made. To be
    /// asked before [`Fuel::take_batch`].
    pub(crate) fn batch_fuel(&self) -> Vec<(u32, u64)> {
        let Ok(plan) = self.0.batch.plan.try_borrow() else { return Vec::new() };
        let Some(contexts) = &plan.contexts else { return Vec::new() };
        let mut spent = self.0.batch.spent.take();
        if spent.len() < self.0.batch.begun.get() {
            // The last one has ended otherwise, or ended the batch.
            spent.push(self.0.spent());
        }
        let context = |call: &BatchCall| contexts.get(call.row as usize).copied().unwrap_or_default();
        plan.calls.iter().map(context).zip(spent).collect()
    }

    /// What the calls of the last batch that returned cost the tick.
    pub(crate) fn batch_cost(&self) -> u64 {
        self.0.batch.cost.get()
    }

    /// Something has to be done before the next call of a batch.
    pub(crate) fn interrupt(&self) {
        if let Ok(plan) = self.0.batch.plan.try_borrow() {
            plan.interrupt.raise();
        }
    }
}

/// Lets a coroutine that has yielded go on with true: the first two of the values that it yields or returns.
/// What `Thread::resume` does, sooner for one that yields a number. For the host, outside of all calls.
///
/// # Errors
/// What the coroutine raised.
///
/// Why this is sound: the thread keeps its coroutine alive. It is resumed only if it has yielded and its
/// stack is empty, so the value that is pushed is what the yield returns; there is room for it, as mlua makes
/// sure in the same way. `lua_resumex` raises nothing: what the coroutine raises comes as a status, with the
/// error on its stack. That, and results that are more than a number, are moved to the state of the host
/// where mlua catches errors and takes values; afterwards the stack is empty again, as mlua leaves it.
///
/// [`Thread::resume`]: mlua::Thread::resume
#[allow(unsafe_code)]
pub(crate) fn go_on(lua: &Lua, thread: &Thread) -> mlua::Result<(Value, Value)> {
    let coroutine = thread.state();
    // SAFETY: as said above.
    unsafe {
        let is_waiting = ffi::lua_status(coroutine) == ffi::LUA_YIELD && ffi::lua_gettop(coroutine) == 0;
        if !is_waiting || ffi::lua_checkstack(coroutine, 1) == 0 {
            return thread.resume(true);
        }
        ffi::lua_pushboolean(coroutine, 1);
        let mut count = 0;
        let status = ffi::lua_resumex(coroutine, ffi::lua_mainthread(coroutine), 1, &mut count);
        if status == ffi::LUA_YIELD && count == 1 && ffi::lua_type(coroutine, 1) == ffi::LUA_TNUMBER {
            let number = ffi::lua_tonumber(coroutine, 1);
            ffi::lua_settop(coroutine, 0);
            return Ok((Value::Number(number), Value::Nil));
        }
        let outcome = lua.exec_raw((), |state| {
            let is_error = !matches!(status, ffi::LUA_OK | ffi::LUA_YIELD);
            let count = if is_error { 1 } else { count };
            ffi::lua_rawcheckstack(state, count);
            ffi::lua_xmove(coroutine, state, count);
            if is_error {
                ffi::lua_error(state);
            }
        });
        ffi::lua_settop(coroutine, 0);
        outcome
    }
}

/// Calls `functions[row](arguments[row], argument)` for every call of the plan.
///
/// Why this is sound: the host alone has this function, and calls it with two lists; Luau gives a C function
/// twenty slots, it uses six. Nothing with a destructor is alive when a call raises, which unwinds through
/// here as through `safepoint`. What is no function or missing in the lists raises in `lua_call` like any
/// such call.
#[allow(unsafe_code)]
unsafe extern "C-unwind" fn make_calls(state: *mut ffi::lua_State) -> c_int {
    while let Some(Some(call)) = raw::with_active(Gauge::next_call) {
        // SAFETY: as said above.
        unsafe {
            let row = c_int::try_from(call.row).unwrap_or(c_int::MAX - 1) + 1;
            ffi::lua_rawgeti(state, 1, row as _);
            ffi::lua_rawgeti(state, 2, row as _);
            ffi::lua_pushnumber(state, call.argument);
            ffi::lua_call(state, 2, 0);
        }
    }
    0
}
