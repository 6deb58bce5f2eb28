//! The interrupt counter (fuel): how much a script may run, and what ends it.
//!
//! In: a number of safepoints for one call from the host, flags of the shell. Out: the reason a call was
//! ended, if it was. Holds: a call passes at most its number of safepoints; once it is spent, every further
//! safepoint raises again, so no `pcall` or coroutine outlasts it. A count decides, never a clock: the same
//! script stops at the same place. Large texts and buffers count too, four safepoints for each KiB, so that
//! copying is not free. Luau's own collector paces itself by a clock, and the memory that it has freed
//! decides which texts and tables are made again; so it is off, and collects at safepoints, by the bytes in
//! use alone. Texts that make single instructions expensive make safepoints expensive (`census`). A loop over
//! a wide table counts by the width of the table, and a call of many values by their number. Repeated growth
//! of a table is charged too, as are keys outside the list part of a table, because the VM then counts the
//! list. Not here: reporting (`fault`).
//! Source: `lua_callbacks` of Luau. mlua's own `set_interrupt` costs 1.6 to 1.8 times on tight loops, this
//! about 1.1 times.

mod aside;
pub(crate) mod batch;
pub(crate) mod batch_plan;
mod sampling;
mod tripped;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

use mlua::{Lua, LuaString, Table};

use crate::script::state::call_memory::TableEntries;
use crate::script::state::census::Census;
use crate::script::state::profile::stacks::Stacks;
use crate::script::vm::stack_frame::StackFrame;

/// Safepoints between two looks at the memory in use.
const SLICE: u64 = 1024;

/// New bytes that are worth a step of the collector.
const STEP_BYTES: usize = 64 * 1024;

/// Bytes in use below which nothing is collected.
const HEAP_MIN_BYTES: usize = 1024 * 1024;

/// Bytes of a large allocation, or of a text that the host makes, in a unit of fuel.
const BYTES_PER_UNIT: usize = 256;

/// Places of a table that are passed over in the time of a unit of fuel.
const PLACES_PER_UNIT: usize = 256;

/// The same where `next` begins at a key: it looks the key up as well.
const PLACES_PER_UNIT_OF_NEXT: usize = 384;

/// Parts of tables of more bytes than this are wide: to go over those of smaller ones, all of them empty,
/// takes no longer than the safepoints of the loop pay for.
const WIDE_BYTES: usize = 64 * 1024;

/// Stacks of more bytes than this are wide: what a call of so many values costs is paid for by its
/// safepoints.
const WIDE_STACK_BYTES: usize = 8 * 1024;

/// Values that a call is given, or gives back, in the time of a unit of fuel: they are copied.
const VALUES_PER_UNIT: usize = 32;

/// Bytes of tables that a safepoint pays for, and a unit of fuel: a table that is filled in a loop takes 128
/// for each name.
const ROOM_PER_SAFEPOINT: u64 = 1024;

/// Bytes of tables that are paid for in advance, at most: the largest table grows once.
const ROOM_MAX: u64 = 16 * 1024 * 1024;

/// A part of a table of so many bytes takes twice as long for each of them, because memory is far away then;
/// one of more up to so many times more.
const FAR_BYTES: usize = 1024 * 1024;
const FAR_TIMES_MAX: usize = 3;

/// Making parts of tables of so few bytes costs nothing that counts.
const ROOM_FREE_BYTES: usize = 64;

/// Why a running call was ended. None of them can be caught by a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trip {
    /// The safepoints of the call are spent.
    Fuel,
    /// The memory of the level is spent.
    Memory,
    /// A text or a table was made that is larger than any may be.
    Size,
    /// A text was made that begins with more digits than any may.
    Digits,
    /// The shell asked everything to stop.
    Stopped,
    /// The watchdog of the shell found that the call took too long; the run is not repeatable.
    Watchdog,
    /// The task that runs has ended: it stops where it would wait. Nobody's mistake.
    Ended,
}

/// What the shell asks of a VM, from any thread; every safepoint looks. The only thing a VM shares with other
/// threads.
#[derive(Debug, Default)]
pub struct Signals {
    asked: AtomicU8,
    /// Odd while a call runs; one more at its beginning and at its end. The watchdog compares two readings.
    pub calls: AtomicU64,
    /// Files that load, one inside another.
    loading: AtomicU32,
}

impl Signals {
    const STOP: u8 = 1;
    const LATE: u8 = 2;
    /// The level ends, and its scripts are told so.
    const LAST_CALLS: u8 = 4;
    /// Everything was asked to stop before.
    const STOPPED_BEFORE: u8 = 8;
    const OF_THE_END: u8 = Self::LAST_CALLS | Self::STOPPED_BEFORE;

    /// The running call ends, and so does every later one.
    pub fn stop(&self) {
        self.asked.fetch_or(Self::STOP, Ordering::Relaxed);
    }

    /// The same, but for the calls that are made as the level ends: those run, until [`Signals::stop`].
    pub fn end_run(&self) {
        let stop = |asked| (asked & Self::LAST_CALLS == 0).then_some(asked | Self::STOP);
        // Nothing to do where it says no.
        let _ = self.asked.fetch_update(Ordering::Relaxed, Ordering::Relaxed, stop);
    }

    /// The calls that follow are those of the end of the level: what was asked before does not end them.
    pub(crate) fn begin_last_calls(&self) {
        if self.asked.swap(Self::LAST_CALLS, Ordering::Relaxed) & Self::STOP != 0 {
            self.asked.fetch_or(Self::STOPPED_BEFORE, Ordering::Relaxed);
        }
    }

    /// They are over; everything stops again, if it was asked to.
    pub(crate) fn end_last_calls(&self) {
        if self.asked.fetch_and(!Self::OF_THE_END, Ordering::Relaxed) & Self::STOPPED_BEFORE != 0 {
            self.stop();
        }
    }

    /// Later calls run again.
    pub fn take_back_stop(&self) {
        self.asked.fetch_and(!Self::STOP, Ordering::Relaxed);
    }

    /// The running call ends: it took too long. Forgotten when the next one begins.
    pub fn end_call(&self) {
        self.asked.fetch_or(Self::LATE, Ordering::Relaxed);
    }

    /// Whether the call that runs loads a file.
    #[must_use]
    pub fn is_loading(&self) -> bool {
        self.loading.load(Ordering::Relaxed) > 0
    }

    /// A file loads until [`Signals::end_load`].
    pub(crate) fn begin_load(&self) {
        self.loading.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn end_load(&self) {
        self.loading.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether everything was asked to stop.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.asked.load(Ordering::Relaxed) & Self::STOP != 0
    }

    /// Only the thread of the VM counts calls and forgets that one was late, so neither has to be done in one
    /// step with the look that comes before it.
    fn begin_call(&self) {
        self.forget_late();
        self.calls.store(self.calls.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// One call ends and the next begins.
    fn next_call(&self) {
        self.forget_late();
        self.calls.store(self.calls.load(Ordering::Relaxed).wrapping_add(2), Ordering::Relaxed);
    }

    fn end_of_call(&self) {
        self.calls.store(self.calls.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    fn forget_late(&self) {
        if self.asked.load(Ordering::Relaxed) & Self::LATE != 0 {
            self.asked.fetch_and(!Self::LATE, Ordering::Relaxed);
        }
    }

    #[inline]
    fn trip(&self) -> Option<Trip> {
        match self.asked.load(Ordering::Relaxed) & !Self::OF_THE_END {
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
    /// Units that library functions and the host have taken in this call.
    charged: Cell<u64>,
    /// Units that a function asked for when there were not so many.
    overdraft: Cell<u64>,
    trip: Cell<Option<Trip>>,
    /// Bytes in use above which the next look around collects everything.
    collect_above: Cell<usize>,
    memory_cap: Cell<usize>,
    /// Bytes of the longest text; a longer one ends the call that made it.
    text_max: Cell<usize>,
    /// Whether the texts that are made now are paid for already, by their length.
    is_paid: Cell<bool>,
    /// Whether room for tables is counted.
    counts_tables: Cell<bool>,
    /// Whether there are tables so wide that loops over them have to be looked for.
    has_wide_tables: Cell<bool>,
    /// The same, or stacks so wide that calls of many values have to be.
    has_wide: Cell<bool>,
    room: TableRoom,
    /// The price of a safepoint.
    price: Cell<u64>,
    census: RefCell<Census>,
    /// Whether the call under way rests while a debugger looks around: nothing is collected meanwhile.
    is_aside: Cell<bool>,
    /// Bytes in use for a debugger alone: when is collected does not depend on them.
    extra_bytes: Cell<usize>,
    /// Calls that have begun; for a debugger, to know one from another.
    calls: Cell<u64>,
    fresh: raw::Fresh,
    pace: CollectorPace,
    batch: batch_plan::UpdateBatch,
    sampler: sampling::Sampler,
    tripped: tripped::Tripped,
    signals: Arc<Signals>,
}

/// Bytes for tables: those paid for, and those made. The safepoints that fill a growing table pay for its
/// growth, whenever it grows: with keys that lie at some address in memory, the address decides when. A
/// script that takes from a table and puts into it so that the table is made again each time pays for that.
#[derive(Debug, Default)]
struct TableRoom {
    /// The rest of the bytes that earlier calls paid for.
    left: Cell<u64>,
    /// Made in this call.
    made: Cell<u64>,
    /// Paid for in this call by more than its safepoints.
    paid: Cell<u64>,
}

impl TableRoom {
    /// Makes `bytes` in a call that has passed `safepoints`; the units that are due for it.
    fn make(&self, bytes: u64, safepoints: u64) -> u64 {
        self.made.set(self.made.get().saturating_add(bytes));
        let there = self.there(safepoints);
        let units = self.made.get().saturating_sub(there).div_ceil(ROOM_PER_SAFEPOINT);
        self.paid.set(self.paid.get().saturating_add(units.saturating_mul(ROOM_PER_SAFEPOINT)));
        units
    }

    fn there(&self, safepoints: u64) -> u64 {
        let now = safepoints.saturating_mul(ROOM_PER_SAFEPOINT).saturating_add(self.paid.get());
        self.left.get().saturating_add(now)
    }

    /// The call is over, and another one begins.
    fn settle(&self, safepoints: u64) {
        // A call passes one safepoint more than it counts.
        let left = self.there(safepoints.saturating_add(1)).saturating_sub(self.made.get());
        self.left.set(left.min(ROOM_MAX));
        self.made.set(0);
        self.paid.set(0);
    }
}

/// When the collector works next, and how much: a function of the bytes in use and of nothing else.
#[derive(Debug, Default)]
struct CollectorPace {
    is_collecting: Cell<bool>,
    /// Bytes in use when the collector last worked, or at which it begins.
    mark: Cell<usize>,
}

impl CollectorPace {
    /// The KiB a step is to go over now; none when nothing is due. Twice what is new, and more where little
    /// room is left.
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

    /// After a step that leaves something to go over.
    fn stepped(&self, used: usize) {
        self.is_collecting.set(true);
        self.mark.set(used);
    }

    /// Once everything has been gone over. The next round begins at twice what is left, or where half of the
    /// room is used.
    fn ended(&self, used: usize, cap: usize) {
        self.is_collecting.set(false);
        let room = if cap > used { (cap - used) / 2 } else { used };
        self.mark.set(used + used.min(room));
    }
}

/// What a call costs the tick beside its safepoints.
const CALL_PRICE: u64 = 8;

/// The extra price for the tick of a unit of fuel that a function takes: the unit buys up to a microsecond of
/// work, while a safepoint is passed in a quarter of one.
const WORK_PRICE: u64 = 3;

impl Gauge {
    #[inline]
    fn left(&self) -> u64 {
        self.slice.get() + self.rest.get()
    }

    /// A call of at most `limit` safepoints begins; the first `slice` of them before the next look around.
    #[inline]
    fn fill(&self, limit: u64, slice: u64) {
        self.room.settle(self.passed());
        self.calls.set(self.calls.get().wrapping_add(1));
        self.sampler.forget_stack();
        self.tripped.forget();
        self.trip.set(None);
        self.limit.set(limit);
        self.is_paid.set(false);
        self.counts_tables.set(false);
        self.unspent.set(0);
        self.charged.set(0);
        self.overdraft.set(0);
        self.slice.set(slice);
        self.rest.set(limit - slice);
    }

    fn spent(&self) -> u64 {
        if self.trip.get() == Some(Trip::Fuel) {
            self.limit.get()
        } else {
            self.limit.get() - self.left() - self.unspent.get()
        }
    }

    fn charged(&self) -> u64 {
        self.charged.get().min(self.spent())
    }

    /// Safepoints that the call has passed, without the units that functions took.
    fn passed(&self) -> u64 {
        (self.limit.get().saturating_sub(self.left())).saturating_sub(self.charged.get())
    }

    /// Takes a part of a table into account that was made or has grown. What grows where it lies (lists, and
    /// the stack of calls) doubles each time.
    fn make_room(&self, old_bytes: usize, new_bytes: usize) {
        if new_bytes > WIDE_BYTES {
            self.has_wide_tables.set(true);
            self.has_wide.set(true);
        }
        // A stack is one of those that grow where they lie.
        if old_bytes > 0 && new_bytes > WIDE_STACK_BYTES {
            self.has_wide.set(true);
        }
        if old_bytes > 0 || self.counts_tables.get() {
            return;
        }
        let dear = 1 + (new_bytes / FAR_BYTES).min(FAR_TIMES_MAX);
        let units = self.room.make((new_bytes * dear) as u64, self.passed());
        if units > 0 {
            self.charge(units);
            self.look_soon();
        }
    }

    /// Takes what going over so many places of a table costs beside the safepoints.
    fn charge_places(&self, places: usize, per_unit: usize) {
        let units = places / per_unit;
        if units > 0 {
            self.charge(units as u64);
        }
    }

    /// What the call costs the tick.
    fn cost(&self) -> u64 {
        self.spent() + WORK_PRICE * self.charged() + CALL_PRICE
    }

    /// Takes `units` for work of a function; false when there were not so many, and then nothing is left.
    fn charge(&self, units: u64) -> bool {
        self.charged.set(self.charged.get().saturating_add(units.min(self.left())));
        self.sampler.note(units);
        self.take(units)
    }

    /// Takes `units`; false when there were not so many, and then nothing is left.
    fn take(&self, units: u64) -> bool {
        let left = self.left();
        if units > left {
            self.overdraft.set(units);
            self.end(Trip::Fuel);
            return false;
        }
        let slice = self.slice.get().saturating_sub(units);
        self.slice.set(slice);
        self.rest.set(left - units - slice);
        true
    }

    /// Takes a text into account that a script has made; false when it may not be as it is.
    fn see(&self, text: &[u8]) -> bool {
        // Nothing else borrows the census; if something did, the text would be passed over, and the watchdog
        // is left.
        let Ok(mut census) = self.census.try_borrow_mut() else { return true };
        let is_allowed = census.add(text);
        if !is_allowed {
            self.end(Trip::Digits);
        }
        self.price.set(census.price());
        is_allowed
    }

    fn end(&self, trip: Trip) {
        if self.trip.get().is_none() {
            self.trip.set(Some(trip));
            self.unspent.set(if trip == Trip::Ended { self.left() } else { 0 });
        }
        self.slice.set(0);
        self.rest.set(0);
    }

    /// Has the next safepoint look around.
    fn look_soon(&self) {
        let left = self.left();
        self.slice.set(0);
        self.rest.set(left);
    }

    /// The next slice; the reason to end when there is none.
    fn refill(&self) -> Option<Trip> {
        if self.trip.get().is_none() {
            if let Some(trip) = self.signals.trip() {
                self.end(trip);
            } else if self.left() < self.price.get() {
                self.end(Trip::Fuel);
            } else {
                let (left, price) = (self.left(), self.price.get());
                let slice = left.min(SLICE.max(price));
                self.rest.set(left - slice);
                // The safepoint that asked is the first of the new slice.
                self.slice.set(slice - price);
            }
        }
        self.trip.get()
    }

    /// Where to collect everything at once: at seven eighths of the cap, or a sixteenth above what a
    /// collection could not free.
    fn plan_collection(&self, used: usize) {
        let cap = self.memory_cap.get();
        self.collect_above.set((cap / 8 * 7).max(used.saturating_add(cap / 16)));
    }
}

impl Fuel {
    /// The largest part of a table, bytes: half a million names, or a million numbers. Going over an emptied
    /// table takes as long as going over a full one.
    pub const TABLE_MAX_BYTES: usize = 16 * 1024 * 1024;

    /// What the shell asks of it.
    pub(crate) fn signals(&self) -> &Arc<Signals> {
        &self.0.signals
    }

    /// The counter of `lua`, installed in it. Nothing is counted before the first [`Fuel::enter`].
    #[must_use]
    pub fn install(lua: &Lua, signals: Arc<Signals>) -> Self {
        let gauge = Gauge {
            signals,
            collect_above: Cell::new(usize::MAX),
            text_max: Cell::new(usize::MAX),
            price: Cell::new(1),
            fresh: raw::install(lua),
            ..Gauge::default()
        };
        gauge.room.left.set(ROOM_MAX);
        lua.gc_stop();
        Self(Rc::new(gauge))
    }

    /// Collects everything that nothing reaches, outside of a call.
    ///
    /// # Errors
    /// When the memory of the VM is spent.
    pub fn collect(&self, lua: &Lua) -> mlua::Result<()> {
        raw::look_at_texts(&self.0);
        self.0.sampler.forget_stack();
        // Twice: the first cycle may have been under way already.
        let collected = lua.gc_collect().and_then(|()| lua.gc_collect());
        // A full collection switches the collector on.
        lua.gc_stop();
        let used = lua.used_memory().saturating_sub(self.0.extra_bytes.get());
        self.0.pace.ended(used, self.0.memory_cap.get());
        collected
    }

    /// Where the entries of a table of this VM that have names lie; none when the layout of tables is not
    /// known. To be fetched, never to be read.
    pub(crate) fn names_of(&self, table: &Table) -> Option<TableEntries> {
        raw::names_of(&self.0, table)
    }

    /// Takes what going over all places of a table costs, full and empty.
    ///
    /// # Errors
    /// When there is not so much left.
    pub(crate) fn charge_places_of(&self, table: &Table) -> mlua::Result<()> {
        self.charge((raw::places_of(&self.0, table) / PLACES_PER_UNIT) as u64)
    }

    /// Has the stack looked at once in so many safepoints from now on, which must be some; between calls.
    ///
    /// # Errors
    /// When the memory of the VM is spent.
    pub(crate) fn begin_sampling(&self, lua: &Lua, every: u32) -> mlua::Result<()> {
        raw::pass_samples(lua)?;
        self.0.sampler.begin(every.max(1));
        Ok(())
    }

    /// What is called next, as the ledger of a profile numbers it.
    #[inline]
    pub(crate) fn set_context(&self, context: u32) {
        self.0.sampler.context.set(context);
    }

    /// The stacks that were looked at so far.
    pub(crate) fn stacks(&self) -> Stacks {
        self.0.sampler.stacks.try_borrow().map(|stacks| stacks.clone()).unwrap_or_default()
    }

    /// Tells how long a text may be, in bytes.
    pub fn set_text_max(&self, bytes: usize) {
        self.0.text_max.set(bytes);
    }

    /// Tells where the memory of the VM ends, in bytes; from seven eighths of it on everything is collected
    /// at a safepoint.
    pub fn set_memory_cap(&self, cap_bytes: usize) {
        self.0.memory_cap.set(cap_bytes);
        self.0.plan_collection(0);
    }

    /// Begins a call of at most `limit` safepoints; it ends when the guard is dropped.
    #[must_use]
    #[inline]
    pub fn enter(&self, limit: u64) -> RunningCall<'_> {
        let gauge = &*self.0;
        gauge.fill(limit, 0);
        gauge.signals.begin_call();
        RunningCall { fuel: self, before: raw::activate(gauge) }
    }

    /// Why the running call, or the last one, was ended; none when it was not.
    #[must_use]
    pub fn trip(&self) -> Option<Trip> {
        self.0.trip.get()
    }

    /// Where scripts stood when the running call, or the last one, was ended at a safepoint, innermost first.
    pub(super) fn tripped(&self) -> Vec<StackFrame> {
        self.0.tripped.frames()
    }

    /// Ends the running call at its next safepoint.
    pub fn end(&self, trip: Trip) {
        self.0.end(trip);
    }

    /// Safepoints the running call, or the last one, has passed.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.0.spent()
    }

    /// Safepoints that the running call has left.
    pub(crate) fn left(&self) -> u64 {
        self.0.left()
    }

    /// The number of the call under way.
    pub(crate) fn call(&self) -> u64 {
        self.0.calls.get()
    }

    /// What the last call costs the tick.
    pub(crate) fn cost(&self) -> u64 {
        self.0.cost()
    }

    /// The safepoints the running call, or the last one, was given.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.0.limit.get()
    }

    /// The units of a single function that has ended the running call, or the last one, if they were more
    /// than the call was given.
    pub(crate) fn overdraft(&self) -> Option<u64> {
        let units = self.0.overdraft.get();
        (self.trip() == Some(Trip::Fuel) && units > self.limit()).then_some(units)
    }

    /// The price of a safepoint: more than one after texts were made that make single instructions expensive.
    #[must_use]
    pub fn price(&self) -> u64 {
        self.0.price.get()
    }

    /// Lets texts be made for nothing from now on, because they are paid for by their length: whether a text
    /// that is there already has to be made is up to the collector.
    pub fn begin_paid(&self) {
        self.0.is_paid.set(true);
    }

    /// Texts cost what is made of them again.
    pub fn end_paid(&self) {
        self.0.is_paid.set(false);
    }

    /// Room for tables counts from now on, as that for texts does. Not while they grow: entries that are put
    /// into them are counted, and with keys that lie at some address in memory, that address decides when
    /// they grow.
    pub fn begin_counting_tables(&self) {
        self.0.counts_tables.set(true);
    }

    /// Room for tables counts no longer.
    pub fn end_counting_tables(&self) {
        self.0.counts_tables.set(false);
    }

    /// Counts a text that a script has made in parts, where its making cannot be seen.
    pub fn see(&self, text: &[u8]) {
        self.0.see(text);
    }

    /// Counts `units` as if the script had passed so many safepoints: for library functions that loop by
    /// themselves.
    ///
    /// # Errors
    /// When there are not so many left. The call ends at its next safepoint whatever the caller does with the
    /// error.
    pub fn charge(&self, units: u64) -> mlua::Result<()> {
        let is_there = self.0.charge(units);
        sampling::account(&self.0.sampler);
        if is_there { Ok(()) } else { Err(mlua::Error::runtime("out of fuel")) }
    }
}

/// Counts `units` against the call that runs on this thread, if one does. False when there are not so many
/// left: the call ends at its next safepoint.
pub(crate) fn charge_running(units: u64) -> bool {
    let charge = |gauge: &Gauge| {
        let is_there = gauge.charge(units);
        sampling::account(&gauge.sampler);
        is_there
    };
    raw::with_active(charge).unwrap_or(true)
}

/// Makes texts for a script that are paid for by their length, whether they have to be made or are there
/// already.
pub(crate) fn paid<R>(make: impl FnOnce() -> R) -> R {
    let before = raw::with_active(|gauge| gauge.is_paid.replace(true));
    let made = make();
    if let Some(before) = before {
        raw::with_active(|gauge| gauge.is_paid.set(before));
    }
    made
}

/// Counts the bytes of a text that the host makes for the call that runs, and makes it.
///
/// # Errors
/// When the memory of the VM is spent.
pub(crate) fn text(lua: &Lua, text: &str) -> mlua::Result<LuaString> {
    charge_running((text.len() / BYTES_PER_UNIT) as u64);
    paid(|| lua.create_string(text))
}

/// A call that is under way; dropping it ends the count.
#[derive(Debug)]
pub struct RunningCall<'fuel> {
    fuel: &'fuel Fuel,
    before: raw::Active,
}

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        raw::look_at_texts(&self.fuel.0);
        self.fuel.0.sampler.forget_stack();
        raw::restore(self.before);
        self.fuel.0.signals.end_of_call();
    }
}

/// The callbacks Luau calls at safepoints and after allocations.
///
/// Why this is sound:
/// 1. `lua_callbacks` returns the callback record of the VM, which lives as long as the VM; two of its fields
///    are written at setup, and one of them once more when a run is profiled, through mlua's own lock. mlua
///    writes `interrupt` only in `set_interrupt` and `remove_interrupt`, which this crate does not call, and
///    never `onallocate`.
/// 2. `ACTIVE` is null or points to the `Gauge` of a call under way: [`activate`] stores it, [`RunningCall`]
///    holds a borrow of the `Fuel` that owns the gauge, and its drop puts the former value back. One that is
///    leaked leaves a pointer behind; the type is private to this module's callers, who keep it in a local.
///    `ACTIVE` has no destructor, so reading it cannot fail, not even while the thread ends. A VM is
///    not `Send`, so one thread sees one call.
/// 3. The callbacks use `Cell`s and relaxed atomics only, but for those of a profiled run (`sampling`) and of
///    a call that ends (`tripped`), which borrow what nobody else holds and grow tables of their own: nothing
///    here formats or panics; the arithmetic cannot overflow (each subtraction is guarded by a comparison).
/// 4. Raising: `lua_error` unwinds through this function as a C++ exception, which `extern "C-unwind"`
///    allows; no value with a destructor is alive at that point. mlua raises from its own callbacks in the
///    same way. The error value is a null light userdata, which needs one stack slot (`lua_rawcheckstack`, as
///    in Luau issue 446) and no allocation. `allocated` never raises: the block it is told of is not yet an
///    object.
/// 5. `lua_gc` inside the interrupt is legal where allocating is: Luau itself collects in the middle of
///    instructions, and at a safepoint `L->top` covers every live register. The callback never raises for
///    `gc >= 0`, when the collector itself is running, and never from `onallocate`, where the caller cannot
///    unwind.
/// 6. Texts are looked at after they were made: `onallocate` notes their blocks, and they are read before
///    anything can be freed, which happens in [`collect`] and [`Fuel::collect`] alone, because the collector
///    is off; at the end of a call none is left. Where the bytes of a text lie in its block was measured at
///    setup, with the length and the hash beside them; if these were not found, nothing is noted. A text that
///    is not finished has no hash yet, and is not read. Of one that is refused the first byte is written
///    over: the host has no reference to it, because what one of its functions is given was looked at at the
///    safepoint of that call.
/// 7. At a safepoint the registers of the running function are its stack, from 1 to its top, and reading them
///    by number reads no other; beyond the top is nothing. Only where three of them are those of a loop over
///    a table, which scripts cannot make, one is written, with a pointer that stands for the same. They are
///    read where they lie: the VM's own functions refuse registers beyond the frame, where many values that a
///    call is given lie, and to put a value there they would widen the frame. Of a table the first 40 bytes
///    are read. Where a thread keeps its first register, what a register looks like and where the sizes of a
///    table lie was measured at setup; if they were not found, nothing is read or written. The same holds
///    where a part of a table is made: what the registers hold is alive, because nothing is collected but at
///    a safepoint, where all below the top is marked and all above it is wiped; where a stack itself moves,
///    nothing is looked at.
#[allow(unsafe_code)]
mod raw {
    use crate::script::state::call_memory::TableEntries;
    use crate::script::vm::fuel::{Fuel, Gauge, PLACES_PER_UNIT, PLACES_PER_UNIT_OF_NEXT, Trip, sampling};
    use mlua::{Lua, Table, ffi};
    use std::cell::Cell;
    use std::ffi::{c_int, c_void};
    use std::{ptr, slice};

    /// What was active before a call began.
    pub(super) type Active = *const Gauge;

    thread_local! {
        static ACTIVE: Cell<*const Gauge> = const { Cell::new(ptr::null()) };
    }

    /// Smaller allocations are free: the code that makes them passes safepoints enough.
    const LARGE_BYTES: usize = 4096;

    /// Blocks of texts that are smaller are free. Texts that `..` puts together are made whether they are
    /// there already or not only from this size on; so nothing that the collector decides counts. What makes
    /// longer ones otherwise pays for them by their length ([`super::paid`], `beginPaid` in
    /// `prelude/base.lua`). Those of 4 KiB that a script keeps would take up to three times as long as their
    /// safepoints pay for.
    const LONG_TEXT_BYTES: usize = 512 + 2 * TEXT_HEAD_BYTES;

    /// What a text takes beside its bytes, at most.
    const TEXT_HEAD_BYTES: usize = 64;

    /// The category of memory that scripts make. Memory that is left at 0 is Luau's own: its table of all
    /// texts, which grows with the number of texts that are not collected yet, and so is nobody's to pay for.
    const SCRIPTS: u8 = 1;

    /// Blocks of texts that are too short to matter.
    const SHORT_BYTES: usize = 46;

    /// Blocks of texts that are looked at by the dozen; longer ones at the next safepoint.
    const MIDDLING_BYTES: usize = 256;

    /// Texts that are noted before they are looked at.
    const FRESH_MAX: usize = 64;

    /// Texts that were made and not looked at yet: their blocks in the VM.
    #[derive(Debug)]
    pub(super) struct Fresh {
        /// The main state of the VM; null when the layout of its texts is not known.
        main: Cell<*mut ffi::lua_State>,
        /// Where the bytes of a text begin in its block; the length lies 4 bytes before, the hash 8.
        offset: Cell<usize>,
        blocks: [Cell<*const u8>; FRESH_MAX],
        count: Cell<usize>,
        /// How wide tables are; none when the layout of threads and tables is not known.
        pub(super) widths: Cell<Option<Widths>>,
    }

    /// The tag of the value in which a loop over a table keeps its place.
    const ITERATOR: u32 = 128;

    /// The VM reads the lower 32 bits only.
    const PAID_BIT: usize = 1 << (usize::BITS - 8);

    /// Registers of a function, at most.
    const REGISTERS_MAX: usize = 255;

    /// A register of a function, as it lies in memory, which was measured.
    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Register {
        value: usize,
        tag: u32,
        kind: c_int,
    }

    impl Register {
        fn is(self, kind: c_int) -> bool {
            self.kind == kind
        }

        /// Whether it holds where a loop that has not begun will go on.
        fn is_fresh_iterator(self) -> bool {
            self.is(ffi::LUA_TLIGHTUSERDATA) && self.tag == ITERATOR && self.value == 0
        }
    }

    /// Where the sizes of a table lie in it, as measured.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Widths {
        /// The addresses of `next` and of the function that `pairs` returns, which is the same function once
        /// more.
        nexts: [usize; 2],
        /// Where a thread keeps the address of its first register, in words.
        first: usize,
        /// The address of the place that tables without names share.
        nameless: usize,
    }

    /// Words of a thread that are looked at, fewer than it has.
    const THREAD_WORDS: usize = 8;

    /// Where a table keeps the binary logarithm of its places for names, one byte.
    const NAMES_AT: usize = 6;

    /// Where it keeps its places for numbers, four bytes.
    const NUMBERS_AT: usize = 8;

    /// Where it keeps how many of its places for names may be free, four bytes, and where they lie.
    const FREE_AT: usize = 12;
    const NODES_AT: usize = 32;
    /// Bytes of an entry with a name.
    const NODE_BYTES: usize = 32;

    impl Widths {
        /// Measures threads and tables of a VM; none when they are not as they are known.
        unsafe fn measure(state: *mut ffi::lua_State) -> Option<Self> {
            const SIZES: [(c_int, c_int); 4] = [(1000, 2048), (37, 4), (5, 256), (70_000, 32)];
            if usize::BITS < 64 {
                return None;
            }
            // SAFETY: reads the heads of a thread and of tables, and leaves the stack as it was.
            unsafe {
                let first = find_first_register(state)?;
                ffi::lua_getfield(state, ffi::LUA_GLOBALSINDEX, c"next".as_ptr());
                ffi::lua_getfield(state, ffi::LUA_GLOBALSINDEX, c"pairs".as_ptr());
                ffi::lua_createtable(state, 0, 0);
                ffi::lua_call(state, 1, 1);
                let nexts = [-2, -1].map(|at| ffi::lua_topointer(state, at) as usize);
                ffi::lua_settop(state, -3);
                let mut nameless = [0, 5].map(|numbers| {
                    ffi::lua_createtable(state, numbers, 0);
                    let table: *const u8 = ffi::lua_topointer(state, -1).cast();
                    ffi::lua_settop(state, -2);
                    table.add(NODES_AT).cast::<usize>().read_unaligned()
                });
                if nameless[0] != nameless[1] || nameless[0] == 0 {
                    nameless = [0; 2];
                }
                let widths = Self { nexts, first, nameless: nameless[0] };
                let is_known = SIZES.iter().all(|&(numbers, names)| {
                    ffi::lua_createtable(state, numbers, names);
                    let places = widths.places(ffi::lua_topointer(state, -1).cast());
                    ffi::lua_settop(state, -2);
                    places == (numbers + names) as usize
                });
                is_known.then_some(widths)
            }
        }

        unsafe fn first_register(self, state: *mut ffi::lua_State) -> *mut Register {
            // SAFETY: where the address lies was measured.
            unsafe { state.cast::<*mut Register>().add(self.first).read() }
        }

        /// The places for numbers of a table that has to make room for the next name, because it has places
        /// for names and none is free; 0 for any other.
        unsafe fn counted_for_room(self, table: *const u8) -> usize {
            // SAFETY: a table has more bytes than are read of it.
            unsafe {
                let free = table.add(FREE_AT).cast::<i32>().read_unaligned();
                let nodes = table.add(NODES_AT).cast::<usize>().read_unaligned();
                let has_room = free > 0 || nodes == self.nameless || self.nameless == 0;
                if has_room { 0 } else { table.add(NUMBERS_AT).cast::<u32>().read_unaligned() as usize }
            }
        }

        /// Where the entries of a table that have names lie.
        unsafe fn names(self, table: *const u8) -> TableEntries {
            // SAFETY: a table has more bytes than are read of it.
            unsafe {
                let address = table.add(NODES_AT).cast::<usize>().read_unaligned();
                let count = 1_usize.checked_shl(u32::from(table.add(NAMES_AT).read())).unwrap_or(0);
                TableEntries { address, bytes: count.saturating_mul(NODE_BYTES) }
            }
        }

        /// The places of a table, full and empty.
        unsafe fn places(self, table: *const u8) -> usize {
            // SAFETY: a table has more bytes than are read of it.
            unsafe {
                let numbers = table.add(NUMBERS_AT).cast::<u32>().read_unaligned() as usize;
                let names = 1_usize.checked_shl(u32::from(table.add(NAMES_AT).read())).unwrap_or(0);
                numbers.saturating_add(names)
            }
        }
    }

    impl Default for Fresh {
        fn default() -> Self {
            Self {
                main: Cell::new(ptr::null_mut()),
                offset: Cell::new(0),
                blocks: [const { Cell::new(ptr::null()) }; FRESH_MAX],
                count: Cell::new(0),
                widths: Cell::new(None),
            }
        }
    }

    impl Fresh {
        /// Whether texts of this VM can be looked at.
        #[cfg(test)]
        pub(super) fn is_known(&self) -> bool {
            !self.main.get().is_null()
        }
    }

    /// Finds out where a thread keeps the address of its first register: beside that of its top, which moves
    /// when something is pushed.
    unsafe fn find_first_register(state: *mut ffi::lua_State) -> Option<usize> {
        const TOLD: (usize, c_int) = (0x5eed_f00d, 5);
        const BYTES: usize = size_of::<Register>();
        // SAFETY: reads the head of a thread, and what lies between the two addresses found there.
        unsafe {
            let words = || state.cast::<[usize; THREAD_WORDS]>().read();
            let before = words();
            ffi::lua_pushlightuserdatatagged(state, ptr::without_provenance_mut(TOLD.0), TOLD.1);
            let (after, count) = (words(), ffi::lua_gettop(state) as usize);
            let mut tops = (1..THREAD_WORDS - 1).filter(|&at| after[at].wrapping_sub(before[at]) == BYTES);
            let first = tops.next().filter(|_| tops.next().is_none()).and_then(|top| {
                let is_first = |first: &usize| after[top].wrapping_sub(after[*first]) == count * BYTES;
                [top - 1, top + 1].into_iter().find(is_first)
            });
            let is_pushed = |first: &usize| {
                let register = (after[*first] as *const Register).add(count - 1).read();
                (register.value, register.tag) == (TOLD.0, TOLD.1 as u32)
                    && register.is(ffi::LUA_TLIGHTUSERDATA)
            };
            let first = first.filter(is_pushed);
            ffi::lua_settop(state, -2);
            first
        }
    }

    /// See [`Fuel::names_of`].
    pub(super) fn names_of(gauge: &Gauge, table: &Table) -> Option<TableEntries> {
        let widths = gauge.fresh.widths.get()?;
        // SAFETY: the layout was measured, and a `Table` that is held stays alive.
        Some(unsafe { widths.names(table.to_pointer().cast()) })
    }

    /// The places of a table; 0 when the layout of tables is not known.
    pub(super) fn places_of(gauge: &Gauge, table: &Table) -> usize {
        // SAFETY: the layout was measured, and a `Table` that is held stays alive.
        gauge.fresh.widths.get().map_or(0, |widths| unsafe { widths.places(table.to_pointer().cast()) })
    }

    pub(super) fn install(lua: &Lua) -> Fresh {
        let fresh = Fresh::default();
        // SAFETY: points 1 and 3 above; the closure does not panic and leaves the Lua stack as it was.
        let done: mlua::Result<()> = unsafe {
            lua.exec_raw((), |state| {
                let callbacks = ffi::lua_callbacks(state);
                (*callbacks).interrupt = Some(safepoint::<false>);
                measure(state, &fresh);
                fresh.widths.set(Widths::measure(state));
                ffi::lua_setmemcat(state, c_int::from(SCRIPTS));
                (*callbacks).onallocate = Some(allocated);
            })
        };
        assert!(done.is_ok(), "a fresh VM has room for its callbacks");
        fresh
    }

    thread_local! {
        /// The block of the text that was made last, while texts are measured.
        static MEASURED: Cell<*const u8> = const { Cell::new(ptr::null()) };
    }

    /// Its parameters are those that the VM calls `onallocate` with.
    unsafe extern "C-unwind" fn note_measured(
        _state: *mut ffi::lua_State,
        block: *mut c_void,
        _old_bytes: usize,
        _new_bytes: usize,
        _category: u8,
        kind: c_int,
        _tag: c_int,
    ) {
        if kind == ffi::LUA_TSTRING {
            MEASURED.set(block.cast());
        }
    }

    /// Finds out where in their blocks the bytes of texts lie. Reads only what the VM has just written.
    unsafe fn measure(state: *mut ffi::lua_State, fresh: &Fresh) {
        const TEXTS: [&[u8]; 3] =
            [b"a text that is measured, not a short one", &[b'm'; 300], &[b'l'; super::STEP_BYTES]];
        let mut offsets = [None; 3];
        for (text, found) in TEXTS.iter().zip(&mut offsets) {
            // SAFETY: pushes one text and takes it off again; the bytes before it belong to its header, which
            // is of 16 bytes at least.
            unsafe {
                MEASURED.set(ptr::null());
                (*ffi::lua_callbacks(state)).onallocate = Some(note_measured);
                ffi::lua_pushlstring(state, text.as_ptr().cast(), text.len());
                let bytes: *const u8 = ffi::lua_tolstring(state, -1, ptr::null_mut()).cast();
                let offset = (bytes as usize).wrapping_sub(MEASURED.get() as usize);
                if (16..=TEXT_HEAD_BYTES).contains(&offset) && !MEASURED.get().is_null() {
                    let length = bytes.sub(4).cast::<u32>().read_unaligned();
                    let hash = bytes.sub(8).cast::<u32>().read_unaligned();
                    *found = (length as usize == text.len() && hash != 0).then_some(offset);
                }
                ffi::lua_settop(state, -2);
            }
        }
        if let [Some(one), Some(other), Some(third)] = offsets
            && one == other
            && other == third
        {
            fresh.offset.set(one);
            // SAFETY: reads a field of the VM.
            fresh.main.set(unsafe { ffi::lua_mainthread(state) });
        }
    }

    /// Looks at the texts that were made, and forgets them. One that is refused begins with a letter from
    /// then on: a script may have kept it already, and until it is collected the VM gives the same text to
    /// all that make it again, without a block that would be noted.
    #[inline]
    pub(super) fn look_at_texts(gauge: &Gauge) {
        if gauge.fresh.count.get() > 0 {
            look_at_noted_texts(gauge);
        }
    }

    fn look_at_noted_texts(gauge: &Gauge) {
        let fresh = &gauge.fresh;
        for block in &fresh.blocks[..fresh.count.get().min(FRESH_MAX)] {
            // SAFETY: point 6.
            unsafe {
                let bytes = block.get().add(fresh.offset.get());
                let length = bytes.sub(4).cast::<u32>().read_unaligned() as usize;
                let is_made = bytes.sub(8).cast::<u32>().read_unaligned() != 0;
                if is_made && !gauge.see(slice::from_raw_parts(bytes, length)) {
                    // The VM finds a text by its hash, which stays, and by all of its bytes.
                    bytes.cast_mut().write(b'x');
                }
            }
        }
        fresh.count.set(0);
    }

    /// Notes a text that is being made.
    unsafe fn note(state: *mut ffi::lua_State, gauge: &Gauge, block: *const u8, bytes: usize) {
        let fresh = &gauge.fresh;
        // SAFETY: reads a field of the VM. Another VM may allocate while this one calls the host.
        if fresh.main.get().is_null() || fresh.main.get() != unsafe { ffi::lua_mainthread(state) } {
            return;
        }
        if fresh.count.get() >= FRESH_MAX {
            look_at_texts(gauge);
        }
        fresh.blocks[fresh.count.get()].set(block);
        fresh.count.set(fresh.count.get() + 1);
        if bytes >= MIDDLING_BYTES || fresh.count.get() >= FRESH_MAX / 2 {
            gauge.look_soon();
        }
    }

    /// Texts that were noted when a call was put aside.
    pub(super) struct Noted {
        blocks: [*const u8; FRESH_MAX],
        count: usize,
    }

    impl Fresh {
        pub(super) fn put_aside(&self) -> Noted {
            Noted { blocks: self.blocks.each_ref().map(Cell::get), count: self.count.replace(0) }
        }

        /// Nothing was freed since they were put aside; later notes are forgotten.
        pub(super) fn take_up(&self, noted: Noted) {
            for (block, kept) in self.blocks.iter().zip(noted.blocks) {
                block.set(kept);
            }
            self.count.set(noted.count);
        }
    }

    /// Counts nothing from now on.
    pub(super) fn deactivate() -> Active {
        ACTIVE.replace(ptr::null())
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

    /// Has the stack looked at on the way (`sampling`).
    pub(super) fn pass_samples(lua: &Lua) -> mlua::Result<()> {
        // SAFETY: point 1; the closure does not panic and leaves the Lua stack as it was.
        unsafe {
            lua.exec_raw((), |state| {
                (*ffi::lua_callbacks(state)).interrupt = Some(safepoint::<true>);
            })
        }
    }

    /// A safepoint; in a profiled run the stack is looked at now and then.
    unsafe extern "C-unwind" fn safepoint<const IS_SAMPLED: bool>(state: *mut ffi::lua_State, gc: c_int) {
        let gauge = ACTIVE.get();
        if gc >= 0 || gauge.is_null() {
            return;
        }
        // SAFETY: point 2.
        let gauge = unsafe { &*gauge };
        if IS_SAMPLED {
            // SAFETY: called by Luau with a live state.
            unsafe { sampling::pass(&gauge.sampler, state, gauge.price.get()) };
        }
        if gauge.has_wide.get() {
            // SAFETY: called by Luau with a live state.
            unsafe { look_at_width(state, gauge) };
        }
        let (slice, price) = (gauge.slice.get(), gauge.price.get());
        if slice >= price && gauge.signals.trip().is_none() {
            gauge.slice.set(slice - price);
            return;
        }
        // SAFETY: called by Luau with a live state.
        unsafe { look_around(state, gauge) }
    }

    /// What is wide at a safepoint is paid for by its width.
    #[inline(never)]
    unsafe fn look_at_width(state: *mut ffi::lua_State, gauge: &Gauge) {
        // SAFETY: reads how many values lie in the frame: more than a function has registers only when these
        // are about to be handed over.
        let count = usize::try_from(unsafe { ffi::lua_gettop(state) }).unwrap_or(0);
        if count > REGISTERS_MAX {
            gauge.charge_places(count, super::VALUES_PER_UNIT);
        }
        if gauge.has_wide_tables.get() {
            // SAFETY: as the caller says.
            unsafe { look_at_loops(state, gauge) };
        }
    }

    /// When a loop over a table is about to begin, or a call of `next`, the whole width of the table is paid
    /// for: empty places pass no safepoint. A loop keeps nil, the table and how far it came in three
    /// registers; once it is paid for, a bit that the VM does not read is set in the last of them.
    #[inline(never)]
    unsafe fn look_at_loops(state: *mut ffi::lua_State, gauge: &Gauge) {
        let Some(widths) = gauge.fresh.widths.get() else { return };
        // SAFETY: point 7.
        unsafe {
            let count = usize::try_from(ffi::lua_gettop(state)).unwrap_or(0).min(REGISTERS_MAX);
            let first = widths.first_register(state);
            for at in 1..count {
                let register = first.add(at).read();
                if !register.is(ffi::LUA_TTABLE) {
                    continue;
                }
                let before = first.add(at - 1).read();
                let after = first.add(at + 1);
                let is_begun = before.is(ffi::LUA_TNIL) && at + 1 < count && after.read().is_fresh_iterator();
                if is_begun {
                    (*after).value = PAID_BIT;
                    gauge.charge_places(widths.places(register.value as *const u8), PLACES_PER_UNIT);
                } else if before.is(ffi::LUA_TFUNCTION) && widths.nexts.contains(&before.value) {
                    gauge.charge_places(widths.places(register.value as *const u8), PLACES_PER_UNIT_OF_NEXT);
                }
            }
        }
    }

    /// Where room for keys is made again, the VM counts the list of the table: that is paid for by its
    /// length. It does not show which of the tables at hand is meant, so the longest full one is paid for.
    #[inline(never)]
    unsafe fn look_at_lists(state: *mut ffi::lua_State, gauge: &Gauge) {
        let Some(widths) = gauge.fresh.widths.get() else { return };
        // SAFETY: point 7.
        unsafe {
            let count = usize::try_from(ffi::lua_gettop(state)).unwrap_or(0).min(REGISTERS_MAX);
            let first = widths.first_register(state);
            let registers = (0..count).map(|at| first.add(at).read());
            let tables = registers.filter(|register| register.is(ffi::LUA_TTABLE));
            let longest = tables.map(|table| widths.counted_for_room(table.value as *const u8)).max();
            gauge.charge_places(longest.unwrap_or(0), PLACES_PER_UNIT);
        }
    }

    #[cold]
    #[inline(never)]
    unsafe fn look_around(state: *mut ffi::lua_State, gauge: &Gauge) {
        look_at_texts(gauge);
        // SAFETY: points 4 and 5.
        unsafe {
            if gauge.refill().is_some() {
                let most = gauge.tripped.room_for(state.addr());
                if most > 0 {
                    gauge.tripped.add(sampling::frames_of_scripts(state, most));
                }
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
            if gauge.is_aside.get() {
                return;
            }
            let own_bytes = || used_bytes(state).saturating_sub(gauge.extra_bytes.get());
            let (used, cap) = (own_bytes(), gauge.memory_cap.get());
            let is_over = if used > gauge.collect_above.get() {
                ffi::lua_gc(state, ffi::LUA_GCCOLLECT, 0);
                gauge.plan_collection(own_bytes());
                true
            } else if let Some(kib) = gauge.pace.due_kib(used, cap) {
                ffi::lua_gc(state, ffi::LUA_GCSTEP, kib as c_int) == 1
            } else {
                return;
            };
            ffi::lua_gc(state, ffi::LUA_GCSTOP, 0);
            if is_over {
                gauge.pace.ended(own_bytes(), cap);
            } else {
                gauge.pace.stepped(own_bytes());
            }
        }
    }

    unsafe fn used_bytes(state: *mut ffi::lua_State) -> usize {
        // SAFETY: only reads counters of the VM.
        let (kib, rest) =
            unsafe { (ffi::lua_gc(state, ffi::LUA_GCCOUNT, 0), ffi::lua_gc(state, ffi::LUA_GCCOUNTB, 0)) };
        (kib.max(0) as usize).saturating_mul(1024).saturating_add(rest.max(0) as usize)
    }

    /// Its parameters are those that the VM calls `onallocate` with.
    unsafe extern "C-unwind" fn allocated(
        state: *mut ffi::lua_State,
        block: *mut c_void,
        old_bytes: usize,
        new_bytes: usize,
        category: u8,
        kind: c_int,
        _tag: c_int,
    ) {
        let gauge = ACTIVE.get();
        let is_stack = old_bytes > 0 && kind > ffi::LUA_TBUFFER;
        // The main thread is older than the category. SAFETY: called by Luau with a live state.
        let is_of_main = || is_stack && unsafe { ffi::lua_mainthread(state) == state };
        if gauge.is_null() || category != SCRIPTS && !is_of_main() {
            return;
        }
        // SAFETY: point 2.
        let gauge = unsafe { &*gauge };
        if gauge.has_wide_tables.get() && old_bytes == 0 && kind > ffi::LUA_TBUFFER {
            // SAFETY: called by Luau with a live state.
            unsafe { look_at_lists(state, gauge) };
        }
        if new_bytes < SHORT_BYTES {
            return;
        }
        // Blocks that are no value of a script: parts of tables, stacks.
        if kind > ffi::LUA_TBUFFER && new_bytes > old_bytes && new_bytes > super::ROOM_FREE_BYTES {
            gauge.make_room(old_bytes, new_bytes);
        }
        let is_text = kind == ffi::LUA_TSTRING;
        if is_text {
            // SAFETY: called by Luau with a live state.
            unsafe { note(state, gauge, block.cast(), new_bytes) };
        }
        let counted_from = if is_text { LONG_TEXT_BYTES } else { LARGE_BYTES };
        if new_bytes < counted_from || new_bytes <= old_bytes {
            return;
        }
        if is_text && new_bytes > gauge.text_max.get().saturating_add(TEXT_HEAD_BYTES)
            || kind != ffi::LUA_TBUFFER && !is_text && new_bytes > Fuel::TABLE_MAX_BYTES
        {
            gauge.end(Trip::Size);
        }
        let is_counted = if is_text {
            !gauge.is_paid.get()
        } else {
            kind == ffi::LUA_TBUFFER || gauge.counts_tables.get()
        };
        if is_counted {
            gauge.charge((new_bytes / super::BYTES_PER_UNIT) as u64);
        }
        // The memory in use is looked at before the next slice of safepoints has passed.
        if new_bytes >= LARGE_BYTES {
            gauge.look_soon();
        }
    }
}

#[cfg(test)]
mod tests;
