//! The interrupt counter: how much a script may run, and what ends it.
//!
//! In: a number of safepoints for one call from the host, flags of the shell. Out: the reason a call was ended, if it was.
//! Holds: a call passes at most its number of safepoints; once it is spent, every further safepoint raises again, so no
//! `pcall` or coroutine outlasts it. What decides is a count, never a clock: the same script stops at the same place.
//! Large allocations count too, four safepoints for each KiB, so that copying is not free. Luau's own collector paces itself by a
//! clock, and what it has freed decides which texts and tables are made again; so it is off, and collects at safepoints, by
//! the bytes in use alone. Not here: who is told (`fault`).
//! Source: `lua_callbacks` of Luau. mlua's own `set_interrupt` costs 1.6 to 1.8 times on tight loops, this about 1.1 times.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use mlua::Lua;

/// Safepoints between two looks at the memory in use.
const SLICE: u64 = 1024;

/// New bytes that are worth a step of the collector.
const STEP_BYTES: usize = 64 * 1024;

/// Bytes in use below which nothing is collected.
const HEAP_MIN_BYTES: usize = 1024 * 1024;

/// Why a running call was ended. None of them can be caught by a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trip {
    /// The safepoints of the call are spent.
    Fuel,
    /// The memory of the level is spent.
    Memory,
    /// A text or a table was made that is larger than any may be.
    Size,
    /// The shell asked everything to stop.
    Stopped,
    /// The watchdog of the shell found that the call took too long; the run is not repeatable.
    Watchdog,
    /// The task that runs has ended: it stops where it would wait. Nobody's mistake.
    Ended,
}

/// What the shell asks of a VM, from any thread; every safepoint looks. The only thing a VM shares with other threads.
#[derive(Debug, Default)]
pub struct Signals {
    asked: AtomicU8,
    /// Odd while a call runs; one more at its beginning and at its end. The watchdog compares two readings.
    pub calls: AtomicU64,
}

impl Signals {
    const STOP: u8 = 1;
    const LATE: u8 = 2;

    /// The running call ends, and so does every later one.
    pub fn stop(&self) {
        self.asked.fetch_or(Self::STOP, Ordering::Relaxed);
    }

    /// The running call ends: it took too long. Forgotten when the next one begins.
    pub fn end_call(&self) {
        self.asked.fetch_or(Self::LATE, Ordering::Relaxed);
    }

    /// Whether everything was asked to stop.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.asked.load(Ordering::Relaxed) & Self::STOP != 0
    }

    fn begin_call(&self) {
        self.asked.fetch_and(!Self::LATE, Ordering::Relaxed);
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    fn end_of_call(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    fn trip(&self) -> Option<Trip> {
        match self.asked.load(Ordering::Relaxed) {
            0 => None,
            asked if asked & Self::STOP != 0 => Some(Trip::Stopped),
            _ => Some(Trip::Watchdog),
        }
    }
}

/// The counter of one VM.
#[derive(Clone, Debug)]
pub struct Fuel(Rc<Gauge>);

#[derive(Debug, Default)]
struct Gauge {
    /// Safepoints until the next look around.
    slice: Cell<u64>,
    /// Safepoints of this call beyond the slice.
    rest: Cell<u64>,
    limit: Cell<u64>,
    /// Safepoints that were left when the call ended for no mistake of its own.
    unspent: Cell<u64>,
    trip: Cell<Option<Trip>>,
    /// Bytes in use above which the next look around collects everything.
    collect_above: Cell<usize>,
    memory_cap: Cell<usize>,
    /// Bytes of the longest text; a longer one ends the call that made it.
    text_max: Cell<usize>,
    pace: Pace,
    signals: Arc<Signals>,
}

/// When the collector works next, and how much: a function of the bytes in use and of nothing else.
#[derive(Debug, Default)]
struct Pace {
    is_collecting: Cell<bool>,
    /// Bytes in use when the collector last worked, or at which it begins.
    mark: Cell<usize>,
}

impl Pace {
    /// The KiB a step is to go over now; none when nothing is due. Twice what is new, and more where little room is left.
    fn due_kib(&self, used: usize, cap: usize) -> Option<usize> {
        let new = used.saturating_sub(self.mark.get());
        if self.is_collecting.get() {
            if new < STEP_BYTES {
                return None;
            }
        } else if used < self.mark.get().max(HEAP_MIN_BYTES) {
            return None;
        }
        let haste = 1 + if cap > used { 2 * used / (cap - used) } else { 0 };
        Some((new.max(STEP_BYTES) / 1024).saturating_mul(haste.min(64)))
    }

    /// After a step: `is_over` when everything has been gone over. The next round begins at twice what is left, or where
    /// half of the room is used.
    fn stepped(&self, used: usize, cap: usize, is_over: bool) {
        self.is_collecting.set(!is_over);
        let room = if cap > used { (cap - used) / 2 } else { used };
        self.mark.set(if is_over { used + used.min(room) } else { used });
    }
}

impl Gauge {
    fn left(&self) -> u64 {
        self.slice.get() + self.rest.get()
    }

    /// Takes `units`; false when there were not so many, and then nothing is left.
    fn take(&self, units: u64) -> bool {
        let left = self.left();
        if units > left {
            self.end(Trip::Fuel);
            return false;
        }
        let slice = self.slice.get().saturating_sub(units);
        self.slice.set(slice);
        self.rest.set(left - units - slice);
        true
    }

    fn end(&self, trip: Trip) {
        if self.trip.get().is_none() {
            self.trip.set(Some(trip));
            self.unspent.set(if trip == Trip::Ended { self.left() } else { 0 });
        }
        self.slice.set(0);
        self.rest.set(0);
    }

    /// The next slice; the reason to end when there is none.
    fn refill(&self) -> Option<Trip> {
        if self.trip.get().is_none() {
            if let Some(trip) = self.signals.trip() {
                self.end(trip);
            } else if self.rest.get() == 0 {
                self.end(Trip::Fuel);
            } else {
                let slice = self.rest.get().min(SLICE);
                self.rest.set(self.rest.get() - slice);
                // The safepoint that asked is the first of the new slice.
                self.slice.set(slice - 1);
            }
        }
        self.trip.get()
    }

    /// Where to collect everything at once: at seven eighths of the cap, or a sixteenth above what a collection could not free.
    fn plan_collection(&self, used: usize) {
        let cap = self.memory_cap.get();
        self.collect_above.set((cap / 8 * 7).max(used.saturating_add(cap / 16)));
    }
}

impl Fuel {
    /// The largest part of a table, bytes: half a million names, or a million numbers. Going over an emptied table takes as
    /// long as going over a full one.
    pub const TABLE_MAX_BYTES: usize = 16 * 1024 * 1024;

    /// The counter of `lua`, installed in it. Nothing is counted before the first [`Fuel::enter`].
    #[must_use]
    pub fn install(lua: &Lua, signals: Arc<Signals>) -> Self {
        let gauge = Gauge {
            signals,
            collect_above: Cell::new(usize::MAX),
            text_max: Cell::new(usize::MAX),
            ..Gauge::default()
        };
        raw::install(lua);
        lua.gc_stop();
        Self(Rc::new(gauge))
    }

    /// Collects everything that nothing reaches, outside of a call.
    ///
    /// # Errors
    /// When the memory of the VM is spent.
    pub fn collect(&self, lua: &Lua) -> mlua::Result<()> {
        // Twice: the first cycle may have been under way already.
        let collected = lua.gc_collect().and_then(|()| lua.gc_collect());
        // A full collection switches the collector on.
        lua.gc_stop();
        self.0.pace.stepped(lua.used_memory(), self.0.memory_cap.get(), true);
        collected
    }

    /// Tells how long a text may be, in bytes.
    pub fn set_text_max(&self, bytes: usize) {
        self.0.text_max.set(bytes);
    }

    /// Tells where the memory of the VM ends, in bytes; from seven eighths of it on everything is collected at a safepoint.
    pub fn set_memory_cap(&self, cap_bytes: usize) {
        self.0.memory_cap.set(cap_bytes);
        self.0.plan_collection(0);
    }

    /// Begins a call of at most `limit` safepoints; it ends when the guard is dropped.
    #[must_use]
    pub fn enter(&self, limit: u64) -> Running<'_> {
        let gauge = &*self.0;
        gauge.trip.set(None);
        gauge.limit.set(limit);
        gauge.unspent.set(0);
        gauge.slice.set(0);
        gauge.rest.set(limit);
        gauge.signals.begin_call();
        Running { fuel: self, before: raw::activate(gauge) }
    }

    /// Why the running call, or the last one, was ended; none when it was not.
    #[must_use]
    pub fn trip(&self) -> Option<Trip> {
        self.0.trip.get()
    }

    /// Ends the running call at its next safepoint.
    pub fn end(&self, trip: Trip) {
        self.0.end(trip);
    }

    /// Safepoints the running call, or the last one, has passed.
    #[must_use]
    pub fn spent(&self) -> u64 {
        if self.0.trip.get() == Some(Trip::Fuel) {
            self.0.limit.get()
        } else {
            self.0.limit.get() - self.0.left() - self.0.unspent.get()
        }
    }

    /// The safepoints the running call, or the last one, was given.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.0.limit.get()
    }

    /// Counts `units` as if the script had passed so many safepoints: for library functions that loop by themselves.
    ///
    /// # Errors
    /// When there are not so many left. The call ends at its next safepoint whatever the caller does with the error.
    pub fn charge(&self, units: u64) -> mlua::Result<()> {
        if self.0.take(units) { Ok(()) } else { Err(mlua::Error::runtime("out of fuel")) }
    }
}

/// Counts `units` against the call that runs on this thread, if one does. False when there are not so many left: the call
/// ends at its next safepoint.
pub(crate) fn charge_running(units: u64) -> bool {
    raw::with_active(|gauge| gauge.take(units)).unwrap_or(true)
}

/// A call that is under way; dropping it ends the count.
#[derive(Debug)]
pub struct Running<'fuel> {
    fuel: &'fuel Fuel,
    before: raw::Active,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        raw::restore(self.before);
        self.fuel.0.signals.end_of_call();
    }
}

/// The callbacks Luau calls at safepoints and after allocations.
///
/// Why this is sound:
/// 1. `lua_callbacks` returns the callback record of the VM, which lives as long as the VM; two of its fields are
///    written once, at setup, through mlua's own lock. mlua writes `interrupt` only in `set_interrupt` and
///    `remove_interrupt`, which this crate does not call, and never `onallocate`.
/// 2. `ACTIVE` is null or points to the `Gauge` of a call under way: [`activate`] stores it, [`Running`] holds a borrow
///    of the `Fuel` that owns the gauge, and its drop puts the former value back. A `Running` that is leaked leaves a
///    pointer behind; the type is private to this module's callers, who keep it in a local. `ACTIVE` has no destructor,
///    so reading it cannot fail, not even while the thread ends. A VM is not `Send`, so one thread sees one call.
/// 3. The callbacks use `Cell`s and relaxed atomics only: nothing here borrows, allocates, formats or panics; the
///    arithmetic cannot overflow (each subtraction is guarded by a comparison).
/// 4. Raising: `lua_error` unwinds through this function as a C++ exception, which `extern "C-unwind"` allows; no value
///    with a destructor is alive at that point. mlua raises from its own callbacks in the same way. The error value is a
///    null light userdata, which needs one stack slot (`lua_rawcheckstack`, as in Luau issue 446) and no allocation.
///    `allocated` never raises: the block it is told of is not yet an object.
/// 5. `lua_gc` inside the interrupt is legal where allocating is: Luau itself collects in the middle of instructions, and
///    at a safepoint `L->top` covers every live register. The callback never raises for `gc >= 0`, when the collector
///    itself is running, and never from `onallocate`, where the caller cannot unwind.
#[allow(unsafe_code)]
mod raw {
    use super::{Fuel, Gauge, Trip};
    use mlua::{Lua, ffi};
    use std::cell::Cell;
    use std::ffi::{c_int, c_void};
    use std::ptr;

    /// What was active before a call began.
    pub(super) type Active = *const Gauge;

    thread_local! {
        static ACTIVE: Cell<*const Gauge> = const { Cell::new(ptr::null()) };
    }

    /// Smaller allocations are free: what they are for passes safepoints enough.
    const LARGE_BYTES: usize = 4096;

    /// Bytes of a large allocation in a unit of fuel.
    const BYTES_PER_UNIT: usize = 256;

    /// What a text takes beside its bytes, at most.
    const TEXT_HEAD_BYTES: usize = 64;

    pub(super) fn install(lua: &Lua) {
        // SAFETY: points 1 and 3 above; the closure neither panics nor touches the Lua stack.
        let done: mlua::Result<()> = unsafe {
            lua.exec_raw((), |state| {
                let callbacks = ffi::lua_callbacks(state);
                (*callbacks).interrupt = Some(safepoint);
                (*callbacks).onallocate = Some(allocated);
            })
        };
        assert!(done.is_ok(), "a fresh VM has room for its callbacks");
    }

    pub(super) fn activate(gauge: &Gauge) -> Active {
        ACTIVE.replace(ptr::from_ref(gauge))
    }

    pub(super) fn with_active<R>(look: impl FnOnce(&Gauge) -> R) -> Option<R> {
        let gauge = ACTIVE.get();
        // SAFETY: point 2; the borrow ends with this call.
        (!gauge.is_null()).then(|| look(unsafe { &*gauge }))
    }

    pub(super) fn restore(before: Active) {
        ACTIVE.set(before);
    }

    unsafe extern "C-unwind" fn safepoint(state: *mut ffi::lua_State, gc: c_int) {
        let gauge = ACTIVE.get();
        if gc >= 0 || gauge.is_null() {
            return;
        }
        // SAFETY: point 2.
        let gauge = unsafe { &*gauge };
        let slice = gauge.slice.get();
        if slice > 0 && gauge.signals.trip().is_none() {
            gauge.slice.set(slice - 1);
            return;
        }
        // SAFETY: called by Luau with a live state.
        unsafe { look_around(state, gauge) }
    }

    #[cold]
    #[inline(never)]
    unsafe fn look_around(state: *mut ffi::lua_State, gauge: &Gauge) {
        // SAFETY: points 4 and 5.
        unsafe {
            if gauge.refill().is_some() {
                ffi::lua_rawcheckstack(state, 1);
                ffi::lua_pushlightuserdatatagged(state, ptr::null_mut(), 0);
                ffi::lua_error(state);
            }
            collect(state, gauge);
        }
    }

    /// Lets the collector work as much as is due, and switches it off again.
    unsafe fn collect(state: *mut ffi::lua_State, gauge: &Gauge) {
        // SAFETY: point 5.
        unsafe {
            let (used, cap) = (used_bytes(state), gauge.memory_cap.get());
            let is_over = if used > gauge.collect_above.get() {
                ffi::lua_gc(state, ffi::LUA_GCCOLLECT, 0);
                gauge.plan_collection(used_bytes(state));
                true
            } else if let Some(kib) = gauge.pace.due_kib(used, cap) {
                ffi::lua_gc(state, ffi::LUA_GCSTEP, kib as c_int) == 1
            } else {
                return;
            };
            ffi::lua_gc(state, ffi::LUA_GCSTOP, 0);
            gauge.pace.stepped(used_bytes(state), cap, is_over);
        }
    }

    unsafe fn used_bytes(state: *mut ffi::lua_State) -> usize {
        // SAFETY: only reads counters of the VM.
        let (kib, rest) =
            unsafe { (ffi::lua_gc(state, ffi::LUA_GCCOUNT, 0), ffi::lua_gc(state, ffi::LUA_GCCOUNTB, 0)) };
        (kib.max(0) as usize).saturating_mul(1024).saturating_add(rest.max(0) as usize)
    }

    unsafe extern "C-unwind" fn allocated(
        _state: *mut ffi::lua_State,
        _block: *mut c_void,
        old_bytes: usize,
        new_bytes: usize,
        _category: u8,
        kind: c_int,
        _tag: c_int,
    ) {
        let gauge = ACTIVE.get();
        if new_bytes < LARGE_BYTES || new_bytes <= old_bytes || gauge.is_null() {
            return;
        }
        // SAFETY: point 2.
        let gauge = unsafe { &*gauge };
        let is_text = kind == ffi::LUA_TSTRING;
        if is_text && new_bytes > gauge.text_max.get().saturating_add(TEXT_HEAD_BYTES)
            || kind != ffi::LUA_TBUFFER && !is_text && new_bytes > Fuel::TABLE_MAX_BYTES
        {
            gauge.end(Trip::Size);
        }
        gauge.take((new_bytes / BYTES_PER_UNIT) as u64);
        // The memory in use is looked at before the next slice of safepoints has passed.
        let left = gauge.left();
        gauge.slice.set(0);
        gauge.rest.set(left);
    }
}

#[cfg(test)]
mod tests;
