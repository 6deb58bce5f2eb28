//! The recorded past: the place of every character in each tick, and the events.
//!
//! In: rows and items, tick by tick. Out: the rows of a tick, the way a character went, items of a span of
//! ticks. Holds: a bound on its memory: the oldest ticks are forgotten first; ticks are kept as differences
//! from the one before, and whole every `WHOLE_EVERY` ticks. Not here: ticks that were not shown (`replica`).

use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::frame::FrameRow;
use crate::happened::Item;

/// Ticks from one that is kept whole to the next.
const WHOLE_EVERY: u64 = 64;
/// Most bytes of rows.
const ROWS_BYTES_MAX: usize = 256 << 20;
/// Most items.
const ITEMS_MAX: usize = 200_000;

/// Bytes of what happened that are kept; then the oldest goes.
const ITEMS_BYTES_MAX: usize = 128 << 20;

/// The past, which several threads look at.
#[derive(Clone, Debug, Default)]
pub struct SharedPast(Arc<Mutex<ShownPast>>);

impl SharedPast {
    /// The past, for a moment.
    pub fn lock(&self) -> MutexGuard<'_, ShownPast> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Rows of ticks in a row, the first of them whole.
#[derive(Clone, Debug, Default)]
struct TickRows {
    /// Tick of the first.
    first: u64,
    /// Every character in the first tick.
    whole: Vec<FrameRow>,
    /// For each later tick: the characters that have changed, and those that are gone.
    changes: Vec<RowChange>,
}

#[derive(Clone, Debug, Default)]
struct RowChange {
    rows: Vec<FrameRow>,
    gone: Vec<u32>,
}

impl TickRows {
    fn last(&self) -> u64 {
        self.first + self.changes.len() as u64
    }

    fn bytes(&self) -> usize {
        let changes = self.changes.iter().map(|change| {
            change.rows.len() * size_of::<FrameRow>() + change.gone.len() * 4 + size_of::<RowChange>()
        });
        self.whole.len() * size_of::<FrameRow>() + changes.sum::<usize>()
    }

    /// Every character in a tick of it.
    fn at(&self, tick: u64) -> Vec<FrameRow> {
        let mut rows = self.whole.clone();
        for change in self.changes.iter().take((tick - self.first) as usize) {
            change.apply(&mut rows);
        }
        rows
    }
}

impl RowChange {
    fn between(before: &[FrameRow], after: &[FrameRow]) -> Self {
        let mut change = Self::default();
        let (mut old, mut new) = (before.iter().peekable(), after.iter().peekable());
        loop {
            match (old.peek(), new.peek()) {
                (Some(was), Some(is)) if was.key == is.key => {
                    if was != is {
                        change.rows.push(**is);
                    }
                    old.next();
                    new.next();
                }
                (Some(was), Some(is)) if was.key < is.key => {
                    change.gone.push(was.key);
                    old.next();
                }
                (Some(was), None) => {
                    change.gone.push(was.key);
                    old.next();
                }
                (_, Some(is)) => {
                    change.rows.push(**is);
                    new.next();
                }
                (None, None) => return change,
            }
        }
    }

    fn apply(&self, rows: &mut Vec<FrameRow>) {
        if !self.gone.is_empty() {
            rows.retain(|row| self.gone.binary_search(&row.key).is_err());
        }
        for row in &self.rows {
            match rows.binary_search_by_key(&row.key, |other| other.key) {
                Ok(at) => rows[at] = *row,
                Err(at) => rows.insert(at, *row),
            }
        }
    }
}

/// Everything that was shown.
#[derive(Clone, Debug)]
pub struct ShownPast {
    stretches: VecDeque<TickRows>,
    newest: Vec<FrameRow>,
    bytes: usize,
    bytes_max: usize,
    items: VecDeque<Item>,
    items_bytes: usize,
}

impl Default for ShownPast {
    fn default() -> Self {
        Self::bounded(ROWS_BYTES_MAX)
    }
}

impl ShownPast {
    /// Of a run that has not begun, in so many bytes.
    #[must_use]
    pub fn bounded(bytes_max: usize) -> Self {
        Self {
            stretches: VecDeque::new(),
            newest: Vec::new(),
            bytes: 0,
            bytes_max,
            items: VecDeque::new(),
            items_bytes: 0,
        }
    }

    /// Takes a tick in; rows in order of their keys.
    pub fn push(&mut self, tick: u64, rows: Vec<FrameRow>) {
        let follows = self.stretches.back().is_some_and(|stretch| {
            stretch.last() + 1 == tick && (stretch.changes.len() as u64) < WHOLE_EVERY - 1
        });
        if follows && let Some(stretch) = self.stretches.back_mut() {
            let change = RowChange::between(&self.newest, &rows);
            self.bytes +=
                change.rows.len() * size_of::<FrameRow>() + change.gone.len() * 4 + size_of::<RowChange>();
            stretch.changes.push(change);
        } else {
            let stretch = TickRows { first: tick, whole: rows.clone(), changes: Vec::new() };
            self.bytes += stretch.bytes();
            self.stretches.push_back(stretch);
        }
        self.newest = rows;
        while self.bytes > self.bytes_max && self.stretches.len() > 1 {
            let oldest = self.stretches.pop_front().unwrap_or_default();
            self.bytes = self.bytes.saturating_sub(oldest.bytes());
        }
    }

    /// Notes what happened.
    pub fn note(&mut self, items: &[Item]) {
        self.items_bytes += items.iter().map(Item::bytes).sum::<usize>();
        self.items.extend(items.iter().cloned());
        while self.items.len() > ITEMS_MAX || self.items_bytes > ITEMS_BYTES_MAX {
            let Some(oldest) = self.items.pop_front() else { break };
            self.items_bytes = self.items_bytes.saturating_sub(oldest.bytes());
        }
    }

    /// First and last tick whose rows are kept.
    #[must_use]
    pub fn span(&self) -> Option<(u64, u64)> {
        Some((self.stretches.front()?.first, self.stretches.back()?.last()))
    }

    /// Every character in a tick, if it is kept.
    #[must_use]
    pub fn at(&self, tick: u64) -> Option<Vec<FrameRow>> {
        let after = self.stretches.partition_point(|stretch| stretch.first <= tick);
        let stretch = self.stretches.get(after.checked_sub(1)?)?;
        (tick <= stretch.last()).then(|| stretch.at(tick))
    }

    /// Every character in the newest tick, if that is `tick`.
    #[must_use]
    pub fn newest(&self, tick: u64) -> Option<&[FrameRow]> {
        let is_newest = self.span().is_some_and(|(_, last)| last == tick);
        is_newest.then_some(self.newest.as_slice())
    }

    /// Every character in the newest tick, whichever that is.
    #[must_use]
    pub fn last(&self) -> &[FrameRow] {
        self.newest.as_slice()
    }

    /// Forgets everything after a tick.
    pub fn cut(&mut self, tick: u64) {
        while self.stretches.back().is_some_and(|stretch| stretch.first > tick) {
            let newest = self.stretches.pop_back().unwrap_or_default();
            self.bytes = self.bytes.saturating_sub(newest.bytes());
        }
        if let Some(stretch) = self.stretches.back_mut() {
            self.bytes = self.bytes.saturating_sub(stretch.bytes());
            stretch.changes.truncate((tick - stretch.first) as usize);
            self.bytes += stretch.bytes();
            self.newest = stretch.at(tick);
        }
        self.items.retain(|item| item.tick <= tick);
        self.items_bytes = self.items.iter().map(Item::bytes).sum();
    }

    /// What happened from one tick to another, both included.
    pub fn items(&self, from: u64, to: u64) -> impl DoubleEndedIterator<Item = &Item> {
        let first = self.items.partition_point(|item| item.tick < from);
        let end = self.items.partition_point(|item| item.tick <= to);
        self.items.range(first..end.max(first))
    }

    /// Where some went: for each key at most `points` places, each with its tick.
    #[must_use]
    pub fn tracks(&self, keys: &[u32], span: RangeInclusive<u64>, points: u64) -> Vec<Vec<(u64, [f32; 3])>> {
        let mut tracks = vec![Vec::new(); keys.len()];
        let Some((first, last)) = self.span() else { return tracks };
        let (from, to) = ((*span.start()).max(first), (*span.end()).min(last));
        let every = to.saturating_sub(from) / points.max(1) + 1;
        for stretch in self.stretches.iter().filter(|stretch| stretch.last() >= from && stretch.first <= to) {
            let mut rows = stretch.whole.clone();
            for tick in stretch.first..=stretch.last().min(to) {
                if tick > stretch.first
                    && let Some(change) = stretch.changes.get((tick - stretch.first - 1) as usize)
                {
                    change.apply(&mut rows);
                }
                if tick < from || !(tick - from).is_multiple_of(every) {
                    continue;
                }
                for (track, key) in tracks.iter_mut().zip(keys) {
                    if let Ok(at) = rows.binary_search_by_key(key, |row| row.key) {
                        track.push((tick, rows[at].position));
                    }
                }
            }
        }
        tracks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of a small crowd in which some move, some come and some go.
    fn rows(tick: u64) -> Vec<FrameRow> {
        let there = (0..20_u32).filter(|key| !(tick / 7 + u64::from(*key)).is_multiple_of(5));
        there
            .map(|key| {
                let moved = if key % 3 == 0 { 0.0 } else { tick as f32 };
                FrameRow {
                    key,
                    position: [moved, 0.0, key as f32],
                    state: (tick % 2) as u8,
                    ..FrameRow::default()
                }
            })
            .collect()
    }

    #[test]
    fn every_tick_that_is_kept_comes_back_as_it_was() {
        let mut past = ShownPast::default();
        (0..300).for_each(|tick| past.push(tick, rows(tick)));
        assert_eq!(past.span(), Some((0, 299)));
        assert!((0..300).all(|tick| past.at(tick) == Some(rows(tick))));
        assert_eq!(past.at(300), None);
        assert_eq!((past.newest(299), past.newest(300)), (Some(rows(299).as_slice()), None));
        past.cut(100);
        assert_eq!(past.span(), Some((0, 100)));
        (101..200).for_each(|tick| past.push(tick, rows(tick + 1)));
        assert!((101..200).all(|tick| past.at(tick) == Some(rows(tick + 1))));
        assert!((0..=100).all(|tick| past.at(tick) == Some(rows(tick))));
    }

    #[test]
    fn the_oldest_ticks_are_forgotten_when_there_are_too_many() {
        let mut past = ShownPast::bounded(100_000);
        (0..10_000).for_each(|tick| past.push(tick, rows(tick)));
        let (first, last) = past.span().unwrap();
        assert!(first > 9_000 && last == 9_999, "{first}..{last}");
        assert!(past.bytes <= 100_000 + WHOLE_EVERY as usize * 20 * size_of::<FrameRow>());
        assert_eq!(past.at(first - 1), None);
        assert_eq!(past.at(first), Some(rows(first)));
        let counted: usize = past.stretches.iter().map(TickRows::bytes).sum();
        assert_eq!(past.bytes, counted);
    }

    #[test]
    fn tracks_are_the_places_of_the_kept_ticks() {
        let mut past = ShownPast::default();
        (0..200).for_each(|tick| past.push(tick, rows(tick)));
        let tracks = past.tracks(&[1, 99], 10..=150, 20);
        assert!(tracks[1].is_empty());
        let expected: Vec<_> = (10..=150)
            .step_by(8)
            .filter_map(|tick| {
                let row = rows(tick).into_iter().find(|row| row.key == 1)?;
                Some((tick, row.position))
            })
            .collect();
        assert_eq!(tracks[0], expected);
    }
}
