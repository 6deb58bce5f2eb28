//! A bucket priority queue for whole-number keys that never fall by much.
//!
//! In: entries of a key and a value. Out: entries of the lowest range that holds any, last in, first out.
//! Holds: the order is a function of the pushes alone; keys of one range differ by less than its width, so a
//! caller that pops must be ready to see a slightly larger key first. Not here: decreasing a key; the better
//! entry is pushed again, and the caller that pops recognises the stale one. Source: Dial 1969; the lists are
//! chains in one array with a free list, so a search allocates nothing once warm.

const NONE: u32 = u32::MAX;

/// See the module. Cost: constant per push; per pop constant plus the empty ranges stepped over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buckets {
    heads: Vec<u32>,
    entries: Vec<BucketEntry>,
    free: Option<u32>,
    origin: u32,
    shift: u32,
    cursor: usize,
    /// One after the last range that was used since the queue was emptied.
    end: usize,
    len: usize,
}

#[derive(Clone, Copy, Debug)]
struct BucketEntry {
    key: u32,
    value: u32,
    next: u32,
}

impl Buckets {
    /// Empties the queue for keys from `origin` up, in ranges of 2^`shift` keys. Cost: the ranges that were
    /// used.
    pub(crate) fn reset(&mut self, origin: u32, shift: u32) {
        self.heads[self.cursor..self.end].fill(NONE);
        self.entries.clear();
        (self.free, self.origin, self.shift) = (None, origin, shift);
        (self.cursor, self.end, self.len) = (0, 0, 0);
    }

    /// Adds an entry. A key below the range being emptied is filed in that range.
    #[inline(always)]
    pub(crate) fn push(&mut self, key: u32, value: u32) {
        let range = ((key.saturating_sub(self.origin) >> self.shift) as usize).max(self.cursor);
        if range >= self.heads.len() {
            self.heads.resize(range + range / 2 + 64, NONE);
        }
        self.end = self.end.max(range + 1);
        let entry = BucketEntry { key, value, next: self.heads[range] };
        self.heads[range] = match self.free {
            Some(slot) => {
                let next = std::mem::replace(&mut self.entries[slot as usize], entry).next;
                self.free = (next != NONE).then_some(next);
                slot
            }
            None => {
                self.entries.push(entry);
                self.entries.len() as u32 - 1
            }
        };
        self.len += 1;
    }

    /// Takes the next entry, key and value, unless only ranges that begin at `limit` or above are left.
    #[inline(always)]
    pub(crate) fn pop_below(&mut self, limit: u32) -> Option<(u32, u32)> {
        if self.len == 0 || limit < self.origin {
            return None;
        }
        let end = (limit - self.origin).div_ceil(1 << self.shift) as usize;
        // Bounded by the ranges in use: the queue is not empty, so one of them holds an entry.
        while self.cursor < end {
            let slot = self.heads[self.cursor];
            if slot == NONE {
                self.cursor += 1;
                continue;
            }
            let entry = &mut self.entries[slot as usize];
            let found = (entry.key, entry.value);
            self.heads[self.cursor] = entry.next;
            entry.next = self.free.unwrap_or(NONE);
            self.free = Some(slot);
            self.len -= 1;
            return Some(found);
        }
        None
    }

    /// All values still waiting, in the order of their ranges.
    pub(crate) fn values(&self) -> impl Iterator<Item = u32> + '_ {
        let chain = |head: u32| {
            let entry = |slot: u32| (slot != NONE).then(|| self.entries[slot as usize]);
            std::iter::successors(entry(head), move |last| entry(last.next)).map(|entry| entry.value)
        };
        self.heads[self.cursor..self.end].iter().flat_map(move |&head| chain(head))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    #[test]
    fn entries_come_out_in_the_order_of_their_ranges_and_none_is_lost() {
        let mut rng = Rng::stream(3, "buckets");
        let mut queue = Buckets::default();
        for shift in [0, 3, 9] {
            queue.reset(1000, shift);
            let mut waiting: Vec<(u32, u32)> = Vec::new();
            let mut floor = 1000;
            for value in 0..20_000 {
                if rng.below(5) < 3 {
                    let key = floor + rng.below(3000) as u32;
                    queue.push(key, value);
                    waiting.push((key, value));
                } else if let Some(entry) = queue.pop_below(u32::MAX) {
                    let at = waiting.iter().position(|other| *other == entry).expect("a waiting entry");
                    waiting.swap_remove(at);
                    let range = |key: u32| (key - 1000) >> shift;
                    assert!(waiting.iter().all(|(key, _)| range(*key) >= range(entry.0)));
                    floor = floor.max(entry.0);
                }
            }
            let mut left: Vec<u32> = queue.values().collect();
            left.sort_unstable();
            let mut expected: Vec<u32> = waiting.iter().map(|(_, value)| *value).collect();
            expected.sort_unstable();
            assert_eq!(left, expected);
        }
    }

    #[test]
    fn ranges_at_the_limit_are_left_alone() {
        let mut queue = Buckets::default();
        queue.reset(100, 4);
        queue.push(119, 1);
        queue.push(150, 2);
        assert_eq!(queue.pop_below(99), None);
        assert_eq!(queue.pop_below(116), None);
        assert_eq!(queue.pop_below(117), Some((119, 1)));
        assert_eq!(queue.pop_below(148), None);
        assert_eq!(queue.pop_below(u32::MAX), Some((150, 2)));
        assert_eq!(queue.pop_below(u32::MAX), None);
    }

    #[test]
    fn a_reset_forgets_what_was_waiting() {
        let mut queue = Buckets::default();
        queue.reset(0, 0);
        (0..100).for_each(|key| queue.push(key, key));
        queue.reset(50, 1);
        assert_eq!((queue.pop_below(u32::MAX), queue.values().count()), (None, 0));
    }
}
