//! The lines of a trace, tick by tick, as the level runs.
//!
//! In: ticks, the tick to go back to. Out: lines, kept by somebody else. Holds: lines leave memory with their
//! tick; a level that goes back has the lines of the ticks before alone. Not here: where they are kept.

use std::fmt;

use walkon_runtime::game::tick::Tick;

/// Keeps lines, in order. Reading them returns the first error of keeping them.
pub trait LineStore: Send {
    /// Keeps one more.
    fn add(&mut self, line: &str);
    /// Where the next one will lie.
    fn end(&self) -> u64;
    /// Forgets all that lie from a place on.
    fn cut(&mut self, from: u64);
}

/// What it holds is not shown: all of it would have to be compiled to be shown.
impl fmt::Debug for dyn LineStore + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LineStore")
    }
}

/// The lines of a level that runs.
#[derive(Debug)]
pub(crate) struct TraceLines {
    store: Box<dyn LineStore>,
    /// The end of the lines of each tick so far, from tick 0.
    ends: Vec<u64>,
    /// Whether the end was asked for in the last tick: calls of scripts may not have come to theirs.
    pub(crate) is_cut_short: bool,
}

impl TraceLines {
    pub(crate) fn new(store: Box<dyn LineStore>) -> Self {
        Self { store, ends: Vec::new(), is_cut_short: false }
    }

    /// The level has begun: these are the lines of tick 0, and all there are.
    pub(crate) fn begin(&mut self, recorded: &Tick) {
        self.store.cut(0);
        self.ends.clear();
        self.took(recorded);
        self.is_cut_short = false;
    }

    /// One more tick.
    pub(crate) fn took(&mut self, recorded: &Tick) {
        recorded.lines.iter().for_each(|line| self.store.add(line));
        self.ends.push(self.store.end());
    }

    /// The level goes on from a tick that it has run.
    pub(crate) fn go_back(&mut self, tick: u64) {
        let count = usize::try_from(tick).unwrap_or(usize::MAX).saturating_add(1);
        self.ends.truncate(count);
        self.store.cut(self.ends.last().copied().unwrap_or(0));
        self.is_cut_short = false;
    }

    /// The level has ended, with these lines.
    pub(crate) fn end(mut self, last: &[String]) {
        last.iter().for_each(|line| self.store.add(line));
    }
}
