//! Debounces file changes: noticed paths and times in, batches of files to read out.
//!
//! In: paths that something happened to, the time, whether a file has content. Out: batches of paths. Holds:
//! a lone save is a batch after [`QUIET`]; files that are saved together come together; a file that is empty
//! or gone waits longer, for it may be half written (fault:E4); under a storm there is a batch a second and
//! nothing is lost (fault:E5, fault:E10). Not here: the clock, the disk, what changed in a file (`watch`).

use std::collections::BTreeMap;
use std::time::Duration;

/// Time without an event after which what was noticed counts as saved. Editors that write a file beside its
/// place and rename it take a few milliseconds.
pub(super) const QUIET: Duration = Duration::from_millis(50);
/// The same for a file that is empty or gone.
pub(super) const HOLLOW_QUIET: Duration = Duration::from_millis(100);
/// Longest time that events without an end keep a batch back.
pub(super) const PENDING_MAX: Duration = Duration::from_secs(1);
/// Least time between two batches that changed something.
pub(super) const BETWEEN: Duration = Duration::from_secs(1);

/// What is found at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileState {
    /// A file with something in it.
    Whole,
    /// An empty file, or none.
    Hollow,
}

/// Paths to read now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReadyPaths {
    /// In order.
    pub paths: Vec<String>,
    /// When the first event about one of them came.
    pub since: Duration,
}

/// Paths that were noticed and are not read yet. Times are spans since any fixed moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Debouncer {
    pending: BTreeMap<String, Noticed>,
    changed: Option<Duration>,
}

#[derive(Clone, Copy, Debug)]
struct Noticed {
    first: Duration,
    last: Duration,
}

impl Debouncer {
    /// Something happened to a path.
    pub fn notice(&mut self, path: &str, now: Duration) {
        let noticed = self.pending.entry(path.to_owned()).or_insert(Noticed { first: now, last: now });
        noticed.last = noticed.last.max(now);
    }

    /// The paths that are to be read now, if it is time. `look` is asked at most once for each path.
    pub fn take(&mut self, now: Duration, mut look: impl FnMut(&str) -> FileState) -> Option<ReadyPaths> {
        let since = self.pending.values().map(|noticed| noticed.first).min()?;
        let last = self.pending.values().map(|noticed| noticed.last).max()?;
        if self.changed.is_some_and(|changed| now < changed + BETWEEN) {
            return None;
        }
        let has_waited = now >= since + PENDING_MAX;
        if now < last + QUIET && !has_waited {
            return None;
        }
        let is_young = |noticed: &Noticed| now < noticed.last + HOLLOW_QUIET;
        let mut young = self.pending.iter().filter(|(_, noticed)| is_young(noticed));
        if !has_waited && young.any(|(path, _)| look(path) == FileState::Hollow) {
            return None;
        }
        let paths = std::mem::take(&mut self.pending).into_keys().collect();
        Some(ReadyPaths { paths, since })
    }

    /// The last batch changed something: the next one waits its time.
    pub fn changed(&mut self, now: Duration) {
        self.changed = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `events` (time, path) against the clock, looking every 10 ms as a loop of ticks does; the times
    /// of the batches. Every batch changes something. `hollow` says when a file is empty.
    fn batches(events: &[(u64, &str)], until: u64, hollow: impl Fn(u64) -> bool) -> Vec<(u64, Vec<String>)> {
        let mut debouncer = Debouncer::default();
        let mut events = events.iter().peekable();
        let mut batches = Vec::new();
        for now in 0..until {
            while let Some((_, path)) = events.next_if(|(at, _)| *at <= now) {
                debouncer.notice(path, Duration::from_millis(now));
            }
            let look = |_: &str| if hollow(now) { FileState::Hollow } else { FileState::Whole };
            if now % 10 == 0
                && let Some(batch) = debouncer.take(Duration::from_millis(now), look)
            {
                debouncer.changed(Duration::from_millis(now));
                batches.push((now, batch.paths));
            }
        }
        batches
    }

    fn times(batches: &[(u64, Vec<String>)]) -> Vec<u64> {
        batches.iter().map(|(at, _)| *at).collect()
    }

    #[test]
    fn a_lone_save_is_read_after_fifty_milliseconds() {
        assert_eq!(times(&batches(&[(5, "a"), (6, "a"), (9, "a")], 3000, |_| false)), [60]);
    }

    #[test]
    fn what_is_saved_together_is_read_together() {
        let found = batches(&[(0, "b"), (30, "a"), (60, "c")], 3000, |_| false);
        assert_eq!(found, [(110, vec!["a".to_owned(), "b".to_owned(), "c".to_owned()])]);
    }

    #[test]
    fn fault_e4_a_file_that_is_empty_for_fifty_milliseconds_is_read_once_it_is_written() {
        let empty = |now| (0..50).contains(&now);
        assert_eq!(times(&batches(&[(0, "a"), (50, "a")], 3000, empty)), [100]);
        // Slower than that, the cut being the only event: it is not read before it had 100 ms.
        assert_eq!(times(&batches(&[(0, "a")], 3000, |now| now < 99)), [100]);
        assert_eq!(times(&batches(&[(0, "a")], 3000, |_| true)), [100], "one that stays empty is read");
    }

    #[test]
    fn fault_e4_nothing_waits_longer_than_a_second() {
        let events: Vec<(u64, &str)> = (0..200).map(|at| (at * 20, "a")).collect();
        assert_eq!(times(&batches(&events, 1500, |_| true)), [1000]);
    }

    #[test]
    fn fault_e5_twenty_chunks_in_five_seconds_are_read_once_a_second_and_the_last_within_1_2() {
        let events: Vec<(u64, &str)> = (0..20).map(|chunk| (chunk * 250, "a")).collect();
        let found = times(&batches(&events, 8000, |_| false));
        assert!(found.windows(2).all(|pair| pair[1] - pair[0] >= 1000), "{found:?}");
        let last = *found.last().unwrap();
        assert!((4750..4750 + 1200).contains(&last), "{found:?}");
    }

    #[test]
    fn fault_e10_a_thousand_events_a_second_make_one_batch_a_second() {
        let events: Vec<(u64, &str)> = (0..10_000).map(|at| (at, "a")).collect();
        let found = times(&batches(&events, 12_000, |_| false));
        assert!((8..=11).contains(&found.len()), "{found:?}");
        assert!(found.windows(2).all(|pair| pair[1] - pair[0] >= 1000), "{found:?}");
        let last = *found.last().unwrap();
        assert!((9999..=9999 + 1200).contains(&last), "the last event is read too: {found:?}");
    }

    #[test]
    fn fault_e6_a_hundred_replacements_are_all_noticed() {
        let events: Vec<(u64, &str)> = (0..100).map(|at| (at * 1300, "a")).collect();
        assert_eq!(batches(&events, 131_000, |_| false).len(), 100);
    }

    #[test]
    fn a_batch_that_changed_nothing_does_not_keep_the_next_one_back() {
        let mut debouncer = Debouncer::default();
        let at = Duration::from_millis;
        debouncer.notice("a", at(0));
        assert!(debouncer.take(at(50), |_| FileState::Whole).is_some());
        debouncer.notice("a", at(60));
        assert_eq!(debouncer.take(at(110), |_| FileState::Whole).unwrap().since, at(60));
    }
}
