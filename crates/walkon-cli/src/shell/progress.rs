//! Progress bars for long work, on a terminal.
//!
//! In: the share of the work that is done. Out: one line on stderr that is drawn again and again, and taken
//! away at the end. Holds: nothing is drawn when stderr is no terminal, when only errors were asked for, or
//! before the work has taken a moment; lines that are written meanwhile stand above the bar. Not here: what
//! the work is.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that is over sooner shows no bar.
const PATIENCE: Duration = Duration::from_millis(600);

/// The bar on the terminal, for code that writes lines.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Writes something while no bar is in the way.
pub(super) fn aside<T>(write: impl FnOnce() -> T) -> T {
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Work that is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProgressWork<'a> {
    /// What is done, as in `testing`.
    pub name: &'a str,
    /// What is counted, as in `tests`.
    pub unit: &'a str,
    /// How many there are.
    pub all: u64,
}

/// A bar; gone when this is dropped.
pub(super) struct ProgressLine {
    bar: ProgressBar,
    /// When it began, until it is drawn.
    hidden_since: Option<Instant>,
}

impl ProgressLine {
    /// A bar for `work`.
    pub fn new(work: ProgressWork<'_>) -> Self {
        let mut progress = Self::hidden(work);
        progress.hidden_since = Some(Instant::now());
        progress
    }

    /// The same, hidden: it never appears.
    pub fn hidden(work: ProgressWork<'_>) -> Self {
        let bar = ProgressBar::with_draw_target(Some(work.all), ProgressDrawTarget::hidden());
        let template = format!("{} [{{bar:24}}] {{pos}}/{{len}} {}, {{eta}} left", work.name, work.unit);
        // The words are ours and hold no braces; a bar of the plain kind would do as well.
        let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("=> "));
        Self { bar, hidden_since: None }
    }

    /// So many are done.
    pub fn reach(&mut self, done: u64) {
        self.bar.set_position(done);
        self.look();
    }

    /// Time goes by: the bar appears once it is due.
    pub fn look(&mut self) {
        if self.hidden_since.is_some_and(|since| since.elapsed() >= PATIENCE) {
            self.hidden_since = None;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            if !self.bar.is_hidden() {
                *BAR.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.bar.clone());
            }
        }
        self.bar.tick();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        *BAR.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.bar.finish_and_clear();
    }
}
