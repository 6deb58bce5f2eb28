//! Shares work on many rows out to a few threads.
//!
//! In: rows, and the work on a stretch of them. Out: the rows, done. Holds: rows are shared out in contiguous
//! stretches, and the work on a row writes to that row alone, so that neither the number of threads nor their
//! speed decides anything, as long as the work on a row looks at nothing that the work on another changes.
//! With one thread, or few rows, the caller does everything, stretch by stretch, in order. Where the system
//! gives no more threads, the caller does the rest. Cost of a second thread: 30 microseconds a call, 150 to
//! 200 on a busy machine, because threads live as long as the call, so that rows may be borrowed without
//! unsafe code. The pool of the crate `rayon-core` in their place takes as long: its threads look for more
//! work for a while after each call. Not here: the number of threads, which the host decides.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::thread;

#[cfg(test)]
mod tests;

/// How many threads share work, and from how many rows on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    count: NonZeroUsize,
    rows_min: usize,
}

impl Default for Threads {
    fn default() -> Self {
        Self::ONE
    }
}

impl Threads {
    /// Everything is done by the caller.
    pub const ONE: Self = Self { count: NonZeroUsize::MIN, rows_min: Self::ROWS_MIN };
    /// Rows from which on threads pay: work of half a microsecond each takes a millisecond.
    pub const ROWS_MIN: usize = 2_000;
    /// The longest stretch. 512: a quarter of a millisecond of work, so that nobody waits longer for the last
    /// of them.
    const STRETCH_MAX: usize = 512;
    /// Stretches for each thread, at least, where there are enough rows.
    const STRETCHES_EACH: usize = 8;

    /// So many threads, the caller among them, from [`Threads::ROWS_MIN`] rows on.
    #[must_use]
    pub fn new(count: NonZeroUsize) -> Self {
        Self { count, ..Self::ONE }
    }

    /// The same, from so many rows on.
    #[must_use]
    pub fn from_rows(self, rows_min: usize) -> Self {
        Self { rows_min, ..self }
    }

    /// How many there are.
    #[must_use]
    pub fn count(self) -> NonZeroUsize {
        self.count
    }

    /// How many are used for so many rows.
    fn used_for(self, row_count: usize) -> usize {
        if row_count < self.rows_min { 1 } else { self.count.get().min(row_count.max(1)) }
    }

    /// The threads that are used for so many rows, whatever is shared out on their behalf.
    #[must_use]
    pub fn for_rows(self, row_count: usize) -> Self {
        if self.used_for(row_count) == 1 { Self::ONE } else { self.from_rows(0) }
    }

    /// Does `work` on stretches of `rows`, together all of them. It is given what `begin` made for its
    /// thread, the number of the first row and the rows.
    pub fn share<R: Rows, S>(
        self,
        rows: R,
        begin: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, usize, R) + Sync,
    ) {
        let row_count = rows.row_count();
        let used = self.used_for(row_count);
        let length = (row_count / (used * Self::STRETCHES_EACH)).clamp(1, Self::STRETCH_MAX);
        let left = Mutex::new((0, rows));
        let next = || {
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
            let (first, rows) = std::mem::take(&mut *left);
            let count = length.min(rows.row_count());
            let (stretch, rest) = rows.split(count);
            *left = (first + count, rest);
            (count > 0).then_some((first, stretch))
        };
        let run = || {
            let mut scratch = begin();
            // Bounded by the rows: each stretch has one at least.
            while let Some((first, stretch)) = next() {
                work(&mut scratch, first, stretch);
            }
        };
        on_threads(used, &run);
    }

    /// Those of `items` of which `holds` is true, in order. It may look at nothing that changes meanwhile.
    #[inline]
    pub fn filter<T: Copy + Send + Sync>(self, items: &[T], holds: impl Fn(T) -> bool + Sync) -> Vec<T> {
        self.filter_map(items, |&item| holds(item).then_some(item))
    }

    /// What `look` finds of `items`, in their order. It may look at nothing that changes meanwhile.
    pub fn filter_map<T: Sync, R: Send + Clone>(
        self,
        items: &[T],
        look: impl Fn(&T) -> Option<R> + Sync,
    ) -> Vec<R> {
        self.filter_map_ahead(items, |_, _| (), look)
    }

    /// The same; before it looks at an item, `fetch` is given the items and the place of that one, to ask for
    /// the memory of those that come soon after it.
    pub fn filter_map_ahead<T: Sync, R: Send + Clone>(
        self,
        items: &[T],
        fetch: impl Fn(&[T], usize) + Sync,
        look: impl Fn(&T) -> Option<R> + Sync,
    ) -> Vec<R> {
        let look_through = |items: &[T], found: &mut Vec<R>| {
            // Written out: where little is inlined, each iterator is a call of its own for every item.
            for (at, item) in items.iter().enumerate() {
                fetch(items, at);
                if let Some(one) = look(item) {
                    found.push(one);
                }
            }
        };
        if self.used_for(items.len()) == 1 {
            let mut found = Vec::new();
            collect_into(items, &mut found, &look_through);
            return found;
        }
        let mut found: Vec<Vec<R>> = items.chunks(Self::STRETCH_MAX).map(|_| Vec::new()).collect();
        self.from_rows(0).share(
            &mut found[..],
            || (),
            |(), first, found| {
                let items = items.chunks(Self::STRETCH_MAX).skip(first);
                items.zip(found).for_each(|(items, found)| collect_into(items, found, &look_through));
            },
        );
        found.concat()
    }
}

/// Has `look_through` add what it finds of `items`, compiled once as well.
#[inline(never)]
fn collect_into<T, R>(items: &[T], found: &mut Vec<R>, look_through: &dyn Fn(&[T], &mut Vec<R>)) {
    look_through(items, found);
}

/// Has so many threads do `run`, the caller among them. What is run is compiled once, not for each place that
/// runs it.
#[inline(never)]
fn on_threads(count: usize, run: &(dyn Fn() + Sync)) {
    if count == 1 {
        return run();
    }
    thread::scope(|scope| {
        for _ in 1..count {
            // Without it the others do its part.
            let _ = thread::Builder::new().name("rows".to_owned()).spawn_scoped(scope, run);
        }
        run();
    });
}

/// Columns of equal length that can be cut.
pub trait Rows: Default + Send {
    /// How many rows there are.
    fn row_count(&self) -> usize;

    /// The first `count` rows, and the others.
    fn split(self, count: usize) -> (Self, Self);
}

impl<T: Send> Rows for &mut [T] {
    fn row_count(&self) -> usize {
        self.len()
    }

    fn split(self, count: usize) -> (Self, Self) {
        self.split_at_mut(count)
    }
}

impl<A: Rows, B: Rows> Rows for (A, B) {
    fn row_count(&self) -> usize {
        self.0.row_count().min(self.1.row_count())
    }

    fn split(self, count: usize) -> (Self, Self) {
        let ((first, first_rest), (second, second_rest)) = (self.0.split(count), self.1.split(count));
        ((first, second), (first_rest, second_rest))
    }
}
