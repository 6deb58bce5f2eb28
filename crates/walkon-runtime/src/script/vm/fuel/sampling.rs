//! A sampling profiler: looks at the stack of a script now and then, to attribute fuel to functions and
//! lines.
//!
//! In: safepoints as they are passed, units that functions of the host took. Out: stacks with weights. Holds:
//! a look is due after so many safepoints, or as many units of the host, and never by time, so all runs of a
//! level see the same; where there are many looks they become rarer, once; it changes nothing that a script
//! or the counter of fuel can notice. Not here: the owners of calls (`state::profile`).

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::ptr;

use mlua::ffi;

use crate::script::state::profile::stacks::{FRAMES_MAX, SeenFrame, Stacks};
use crate::script::vm::chunk_names;
use crate::script::vm::stack_frame::StackFrame;

/// What is seen of the call under way, and of those before it.
#[derive(Debug)]
pub(super) struct Sampler {
    /// Safepoints between two looks; 0 while nobody looks.
    every: Cell<u64>,
    /// Safepoints until the next look.
    due: Cell<u64>,
    /// Looks until they become rarer.
    frequent: Cell<u32>,
    /// What is called, as the ledger of the profile numbers it.
    pub(super) context: Cell<u32>,
    /// Units of the host that no look has accounted for, in this call and those before it: as safepoints do,
    /// they count for the function that is looked at next.
    units: Cell<u64>,
    /// Whose safepoint was passed last in this call; null before the first.
    state: Cell<*mut ffi::lua_State>,
    pub(super) stacks: RefCell<Stacks>,
}

/// Looks that are taken before they become rarer: enough for the lines of a level that does little, while a
/// level that does much has thousands a second anyway, and they cost it half.
const FREQUENT_LOOKS: u32 = 1024;

/// The state with which a sampler that is put aside goes on.
pub(super) struct SamplerAside {
    every: u64,
    due: u64,
    units: u64,
}

impl Default for Sampler {
    fn default() -> Self {
        Self {
            every: Cell::new(0),
            due: Cell::new(0),
            frequent: Cell::new(0),
            context: Cell::new(0),
            units: Cell::new(0),
            state: Cell::new(ptr::null_mut()),
            stacks: RefCell::default(),
        }
    }
}

impl Sampler {
    pub(super) fn begin(&self, every: u32) {
        self.every.set(u64::from(every));
        self.due.set(u64::from(every));
        self.frequent.set(FREQUENT_LOOKS);
    }

    /// Counts a look; after enough of them the next are nearly twice as far apart. One of every safepoint
    /// stays one of every safepoint.
    fn count_look(&self) {
        match self.frequent.get() {
            0 => {}
            1 => {
                self.frequent.set(0);
                self.every.set(2 * self.every.get() - 1);
            }
            more => self.frequent.set(more - 1),
        }
    }

    /// Looks at nothing until [`Sampler::take_up`].
    pub(super) fn put_aside(&self) -> SamplerAside {
        self.forget_stack();
        let (every, due) = (self.every.replace(0), self.due.replace(u64::MAX));
        SamplerAside { every, due, units: self.units.get() }
    }

    /// Looks again, as if nothing had been passed meanwhile.
    pub(super) fn take_up(&self, kept: &SamplerAside) {
        self.forget_stack();
        self.every.set(kept.every);
        self.due.set(kept.due);
        self.units.set(kept.units);
    }

    pub(super) fn is_on(&self) -> bool {
        self.every.get() > 0
    }

    /// The stack of the last safepoint is not to be looked at any more: the call is over, or something may be
    /// freed.
    pub(super) fn forget_stack(&self) {
        self.state.set(ptr::null_mut());
    }

    /// Functions of the host have taken units.
    #[inline]
    pub(super) fn note(&self, units: u64) {
        if self.is_on() {
            self.units.set(self.units.get().saturating_add(units));
        }
    }
}

/// Notes a safepoint, and looks at the stack when that is due.
///
/// # Safety
/// `state` is the live state that passes a safepoint.
#[allow(unsafe_code)]
#[inline]
pub(super) unsafe fn pass(sampler: &Sampler, state: *mut ffi::lua_State, price: u64) {
    sampler.state.set(state);
    let due = sampler.due.get();
    if due > 1 {
        sampler.due.set(due - 1);
        return;
    }
    let passed = sampler.every.get();
    sampler.count_look();
    sampler.due.set(sampler.every.get());
    // SAFETY: as said above.
    unsafe { look(sampler, state, passed.saturating_mul(price)) };
}

/// Looks at the callers of functions of the host, when these have taken enough.
///
/// Why this is sound: the state passed a safepoint in the call under way, and nothing of a VM is freed
/// between two safepoints, where the collector works; `forget_stack` is called where it works elsewhere and
/// when the call ends. This is called by functions of the host, which scripts call, never by the allocator:
/// so the stack is whole.
#[allow(unsafe_code)]
#[inline]
pub(super) fn account(sampler: &Sampler) {
    let (units, state) = (sampler.units.get(), sampler.state.get());
    if units >= sampler.every.get() && !state.is_null() && sampler.is_on() {
        sampler.units.set(0);
        sampler.count_look();
        // SAFETY: as said above.
        unsafe { look(sampler, state, units) };
    }
}

/// Adds a weight to the stack of `state`.
///
/// # Safety
/// `state` is live, and its stack is whole: it passes a safepoint, or has called a function that runs, or
/// rests.
#[allow(unsafe_code)]
#[cold]
#[inline(never)]
unsafe fn look(sampler: &Sampler, state: *mut ffi::lua_State, weight: u64) {
    // Nothing else borrows it while a script runs; if something did, the look would be left out.
    let Ok(mut stacks) = sampler.stacks.try_borrow_mut() else { return };
    let mut frames = [SeenFrame::default(); FRAMES_MAX];
    let mut count = 0;
    let mut debug = MaybeUninit::<ffi::lua_Debug>::zeroed();
    // Bounded by twice the frames that are kept: those of walkon's own are passed over.
    for level in 0..2 * FRAMES_MAX as i32 {
        if count == FRAMES_MAX {
            break;
        }
        // SAFETY: a record of zeros is valid; with these letters nothing is pushed, raised or allocated. The
        // texts it points to belong to functions of the stack.
        unsafe {
            if ffi::lua_getinfo(state, level, c"sln".as_ptr(), debug.as_mut_ptr()) == 0 {
                break;
            }
            let debug = debug.assume_init_ref();
            if let Some(frame) = seen(&mut stacks, debug, count) {
                frames[count] = frame;
                count += 1;
            }
        }
    }
    stacks.add(sampler.context.get(), &frames[..count], weight);
}

/// A frame that is shown: a function of a script, or the innermost one of the host if it has a name.
///
/// # Safety
/// The record was filled in by Luau, and the function it tells of is on the stack.
#[allow(unsafe_code)]
unsafe fn seen(stacks: &mut Stacks, debug: &ffi::lua_Debug, inner_count: usize) -> Option<SeenFrame> {
    let line = u32::try_from(debug.currentline).unwrap_or(0);
    if line == 0 {
        // SAFETY: as said above.
        let name = unsafe { text(debug.name) }.to_str().unwrap_or("");
        if name.is_empty() || inner_count > 0 {
            return None;
        }
        return Some(SeenFrame { function: stacks.function("", name, 0)?, line });
    }
    // SAFETY: as said above.
    let source = unsafe { text(debug.source) };
    let file = source.to_bytes().strip_prefix(b"=").or(source.to_bytes().strip_prefix(b"@"));
    let file = file.unwrap_or(source.to_bytes());
    let begins = u32::try_from(debug.linedefined).unwrap_or(0);
    if let Some(function) = stacks.recent_function(file, begins) {
        return Some(SeenFrame { function, line });
    }
    let file = std::str::from_utf8(file).unwrap_or("");
    if chunk_names::is_own(file) {
        return None;
    }
    // SAFETY: as said above.
    let name = unsafe { text(debug.name) }.to_str().unwrap_or("");
    let function = stacks.function(file, name, begins)?;
    Some(SeenFrame { function, line })
}

/// Levels of a stack that are looked at for frames of scripts, those of walkon's own among them.
const LEVELS_MAX: i32 = 256;

/// Where scripts stand on `state`, innermost first, at most `most` frames.
///
/// # Safety
/// `state` is the live state that passes a safepoint.
#[allow(unsafe_code)]
#[cold]
pub(super) unsafe fn frames_of_scripts(state: *mut ffi::lua_State, most: usize) -> Vec<StackFrame> {
    let mut frames = Vec::new();
    let mut debug = MaybeUninit::<ffi::lua_Debug>::zeroed();
    for level in 0..LEVELS_MAX {
        // SAFETY: a record of zeros is valid; with these letters nothing is pushed, raised or allocated. The
        // texts it points to belong to functions of the stack, and are copied.
        let (file, line, function) = unsafe {
            let is_there = ffi::lua_getinfo(state, level, c"sln".as_ptr(), debug.as_mut_ptr()) != 0;
            if !is_there || frames.len() == most {
                break;
            }
            let debug = debug.assume_init_ref();
            (text(debug.short_src).to_string_lossy(), debug.currentline, text(debug.name).to_string_lossy())
        };
        let line = u32::try_from(line).unwrap_or(0);
        if line > 0 && !chunk_names::is_own(&file) {
            let function = Some(function.into_owned()).filter(|name| !name.is_empty());
            frames.push(StackFrame { file: file.into_owned(), line, function });
        }
    }
    frames
}

/// A text of Luau; empty where there is none.
///
/// # Safety
/// `text` is null or ends in a zero, and lives as long as the result is used.
#[allow(unsafe_code)]
unsafe fn text<'text>(text: *const c_char) -> &'text CStr {
    // SAFETY: as said above.
    if text.is_null() { c"" } else { unsafe { CStr::from_ptr(text) } }
}

#[cfg(test)]
mod tests {
    use crate::script::state::profile::ProfileSetup;
    use crate::script::vm::fuel::sampling::{FREQUENT_LOOKS, Sampler};

    #[test]
    fn looks_become_rarer_once_unless_every_safepoint_is_wanted() {
        let after = |every: u32, looks: u32| {
            let sampler = Sampler::default();
            sampler.begin(every);
            (0..looks).for_each(|_| sampler.count_look());
            sampler.every.get()
        };
        let usual = ProfileSetup::SAMPLE_EVERY;
        assert_eq!(after(usual, FREQUENT_LOOKS - 1), u64::from(usual));
        assert_eq!(after(usual, FREQUENT_LOOKS), 2 * u64::from(usual) - 1);
        assert_eq!(after(usual, 9 * FREQUENT_LOOKS), 2 * u64::from(usual) - 1);
        assert_eq!(after(1, 2 * FREQUENT_LOOKS), 1);
        let is_prime = |number: u32| (2..number).all(|factor| !number.is_multiple_of(factor));
        assert!(is_prime(usual) && is_prime(2 * usual - 1), "loops do not keep step");
    }
}
