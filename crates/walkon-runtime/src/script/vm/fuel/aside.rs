//! Suspends fuel accounting while a debugger evaluates code in the middle of a call.
//!
//! In: the work meanwhile. Out: its result. Holds: the count is restored exactly afterwards: safepoints,
//! texts and collections of that work are charged to nobody; no clock runs for the call. Not here: that work
//! (`script::debug`).

use std::sync::atomic::Ordering;

use super::sampling::SamplerAside;
use super::tripped::TrippedAside;
use super::{Fuel, Gauge, Signals, Trip, raw};
use crate::script::state::census::Census;

/// What a gauge says of the call under way.
struct CallAside {
    slice: u64,
    rest: u64,
    limit: u64,
    unspent: u64,
    charged: u64,
    trip: Option<Trip>,
    is_paid: bool,
    counts_tables: bool,
    has_wide_tables: bool,
    has_wide: bool,
    room: [u64; 3],
    price: u64,
    census: Census,
    fresh: raw::Noted,
    was_aside: bool,
    calls: u64,
    sampler: SamplerAside,
    tripped: TrippedAside,
}

impl Fuel {
    /// Runs `run` in the middle of a call, or between two.
    pub(crate) fn aside<R>(&self, run: impl FnOnce() -> R) -> R {
        let gauge = &*self.0;
        let kept = gauge.put_aside();
        let before = gauge.signals.rest();
        let active = raw::deactivate();
        let result = run();
        raw::restore(active);
        gauge.take_up(kept);
        gauge.signals.go_on(before);
        result
    }

    /// Tells how many bytes are in use that no run without a debugger would use.
    pub(crate) fn set_extra_bytes(&self, bytes: usize) {
        self.0.extra_bytes.set(bytes);
    }
}

impl Gauge {
    fn put_aside(&self) -> CallAside {
        let room = &self.room;
        CallAside {
            was_aside: self.is_aside.replace(true),
            calls: self.calls.get(),
            slice: self.slice.get(),
            rest: self.rest.get(),
            limit: self.limit.get(),
            unspent: self.unspent.get(),
            charged: self.charged.get(),
            trip: self.trip.get(),
            is_paid: self.is_paid.get(),
            counts_tables: self.counts_tables.get(),
            has_wide_tables: self.has_wide_tables.get(),
            has_wide: self.has_wide.get(),
            room: [room.left.get(), room.made.get(), room.paid.get()],
            price: self.price.get(),
            census: self.census.borrow().clone(),
            fresh: self.fresh.put_aside(),
            sampler: self.sampler.put_aside(),
            tripped: self.tripped.put_aside(),
        }
    }

    fn take_up(&self, kept: CallAside) {
        self.slice.set(kept.slice);
        self.rest.set(kept.rest);
        self.limit.set(kept.limit);
        self.unspent.set(kept.unspent);
        self.charged.set(kept.charged);
        self.trip.set(kept.trip);
        self.is_paid.set(kept.is_paid);
        self.counts_tables.set(kept.counts_tables);
        self.has_wide_tables.set(kept.has_wide_tables);
        self.has_wide.set(kept.has_wide);
        let [left, made, paid] = kept.room;
        self.room.left.set(left);
        self.room.made.set(made);
        self.room.paid.set(paid);
        self.price.set(kept.price);
        self.census.replace(kept.census);
        self.fresh.take_up(kept.fresh);
        self.calls.set(kept.calls);
        self.sampler.take_up(&kept.sampler);
        self.tripped.take_up(kept.tripped);
        self.is_aside.set(kept.was_aside);
    }
}

/// Whether a call runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallState {
    Running,
    Idle,
}

impl Signals {
    /// No call runs for now; whether one did.
    fn rest(&self) -> CallState {
        let calls = self.calls.load(Ordering::Relaxed);
        if calls.is_multiple_of(2) {
            return CallState::Idle;
        }
        self.calls.store(calls.wrapping_add(1), Ordering::Relaxed);
        CallState::Running
    }

    /// The call that rested goes on, with all its time before it.
    fn go_on(&self, before: CallState) {
        self.forget_late();
        if before == CallState::Running {
            self.calls.store(self.calls.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        }
    }
}
