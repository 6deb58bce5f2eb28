//! Blackboards: plain data that scripts share by key, for the level, for a group, for a character.
//!
//! In: keys and values, ticks to keep them. Out: the values; the changes. Holds: setting an equal value is
//! not a change; a board stays within its limits; a character's board ends with it. Not here: reporting a
//! change (`step::blackboard`), the Lua side (`bind::blackboard`).

use std::collections::{BTreeMap, BTreeSet};

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::hash::StateHash;
use crate::base::ids::{CharacterId, GenerationalKey};
use crate::base::ordered::CollectOrdered;
use crate::base::time::TickNumber;
use crate::base::value::{Plain, PlainKey};
use crate::script::state::tracked_map::TrackedMap;

/// Whose board it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum BoardOf {
    /// The level's.
    Level,
    /// Of every owner that names this group.
    Group(String),
    /// A character's.
    Character(CharacterId),
}

walkon_nav::saved_choice!(BoardOf, 2: 0: Level, 1: Group(name), 2: Character(id));

/// A value with the tick in which it clears itself.
#[derive(Clone, Debug)]
pub(crate) struct KeptValue {
    value: Plain,
    until: Option<TickNumber>,
    bytes: usize,
}

/// One board.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    of: BoardOf,
    values: BTreeMap<String, KeptValue>,
    bytes: usize,
    /// The change that tasks wait for since the last one, by key.
    awaited: BTreeMap<String, u64>,
}

/// All boards, by number in order of their first use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Boards {
    boards: TrackedMap<u64, Board>,
    numbers: BTreeMap<BoardOf, u64>,
    /// How many of them are of groups.
    group_count: usize,
    /// When values clear themselves; those that were set again since are passed over.
    due: BTreeSet<(TickNumber, u64, String)>,
    last: u64,
    last_change: u64,
}

/// What became of a key, for its watchers at that time.
#[derive(Clone, Debug)]
pub(crate) struct KeyChange {
    pub(crate) board: u64,
    pub(crate) key: String,
    pub(crate) value: Option<Plain>,
    pub(crate) old: Option<Plain>,
    /// The change that is over now.
    pub(crate) change: Option<u64>,
    /// The last listener there was.
    pub(crate) listeners_until: u64,
}

impl KeyChange {
    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        hash.word(self.board).text(&self.key).word(self.change.unwrap_or(0)).word(self.listeners_until);
        for value in [&self.value, &self.old] {
            hash.flag(value.is_some());
            if let Some(value) = value {
                value.hash_into(hash);
            }
        }
    }
}

/// Why a board does not take a value or a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoardRefusal {
    /// Its character was removed.
    Gone,
    /// It holds as much as it may.
    Full,
    /// Changes of as many keys are waited for as may be.
    Awaited,
}

impl Boards {
    /// Groups with a board of their own.
    pub(crate) const GROUPS_MAX: usize = 4096;
    /// Keys of one board whose changes may be waited for.
    pub(crate) const AWAITED_MAX: usize = 4096;

    /// The number of a board; none when there are too many.
    pub(crate) fn number(&mut self, of: BoardOf) -> Option<u64> {
        if let Some(&number) = self.numbers.get(&of) {
            return Some(number);
        }
        if matches!(of, BoardOf::Group(_)) {
            if self.group_count >= Self::GROUPS_MAX {
                return None;
            }
            self.group_count += 1;
        }
        self.last += 1;
        let board = Board { of: of.clone(), values: BTreeMap::new(), bytes: 0, awaited: BTreeMap::new() };
        self.boards.insert(self.last, board);
        self.numbers.insert(of, self.last);
        Some(self.last)
    }

    /// The number of the last board that was used first.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Forgets the boards that were used first after that of number `last`: a debugger only looked, and they
    /// are empty.
    pub(crate) fn forget_after(&mut self, last: u64) {
        let new: Vec<u64> = self.numbers.values().copied().filter(|number| *number > last).collect();
        for number in new {
            self.boards.remove(number);
        }
        self.numbers.retain(|_, number| *number <= last);
        self.group_count = self.numbers.keys().filter(|of| matches!(of, BoardOf::Group(_))).count();
        self.last = self.last.min(last);
    }

    /// Whose board it is; none when its character was removed.
    pub(crate) fn of(&self, board: u64) -> Option<&BoardOf> {
        self.boards.get(board).map(|board| &board.of)
    }

    pub(crate) fn get(&self, board: u64, key: &str) -> Result<Option<&Plain>, BoardRefusal> {
        let board = self.boards.get(board).ok_or(BoardRefusal::Gone)?;
        Ok(board.values.get(key).map(|kept| &kept.value))
    }

    /// Every value that is kept.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Plain> {
        self.boards.values().flat_map(|board| board.values.values().map(|kept| &kept.value))
    }

    /// What a board holds, by key; none before its first use.
    pub(crate) fn entries(&self, of: &BoardOf) -> Option<Plain> {
        let board = self.boards.get(*self.numbers.get(of)?)?;
        let entry = |(key, kept): (&String, &KeptValue)| (PlainKey::Name(key.clone()), kept.value.clone());
        Some(Plain::Map(board.values.iter().map(entry).collect_map()))
    }

    /// Names of the groups that have a board, in order.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &str> {
        self.numbers.keys().filter_map(|of| match of {
            BoardOf::Group(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Keys in order.
    pub(crate) fn keys(&self, board: u64) -> Result<Vec<String>, BoardRefusal> {
        let board = self.boards.get(board).ok_or(BoardRefusal::Gone)?;
        Ok(board.values.keys().cloned().collect())
    }

    /// The change that comes next for a key: the same for all that ask before it.
    pub(crate) fn change(&mut self, board: u64, key: &str) -> Result<u64, BoardRefusal> {
        let board = self.boards.get_mut(board).ok_or(BoardRefusal::Gone)?;
        if let Some(&change) = board.awaited.get(key) {
            return Ok(change);
        }
        if board.awaited.len() >= Self::AWAITED_MAX {
            return Err(BoardRefusal::Awaited);
        }
        self.last_change += 1;
        board.awaited.insert(key.to_owned(), self.last_change);
        Ok(self.last_change)
    }

    /// Keeps a value for a time, or clears it; the news of it, when that is a change.
    pub(crate) fn put(
        &mut self,
        number: u64,
        key: &str,
        value: Option<Plain>,
        until: Option<TickNumber>,
        bytes_max: usize,
    ) -> Result<Option<KeyChange>, BoardRefusal> {
        let board = self.boards.get_mut(number).ok_or(BoardRefusal::Gone)?;
        let bytes = value.as_ref().map_or(0, |value| size_of(value) + key.len());
        let freed = board.values.get(key).map_or(0, |kept| kept.bytes);
        if value.is_some() && board.bytes - freed + bytes > bytes_max {
            return Err(BoardRefusal::Full);
        }
        let key = key.to_owned();
        if let Some(tick) = board.values.get(&key).and_then(|kept| kept.until) {
            self.due.remove(&(tick, number, key.clone()));
        }
        if let Some(tick) = until {
            self.due.insert((tick, number, key.clone()));
        }
        let old = board.values.remove(&key).map(|kept| kept.value);
        board.bytes = board.bytes - freed + bytes;
        if let Some(value) = value.clone() {
            board.values.insert(key.clone(), KeptValue { value, until, bytes });
        }
        if old == value {
            return Ok(None);
        }
        let change = board.awaited.remove(&key);
        Ok(Some(KeyChange { board: number, key, value, old, change, listeners_until: 0 }))
    }

    /// Values whose time is over, in order of their time, board and key.
    pub(crate) fn take_due(&mut self, now: TickNumber) -> Vec<(u64, String)> {
        let later = self.due.split_off(&(now.after(1), 0, String::new()));
        let due = std::mem::replace(&mut self.due, later);
        let is_over = |(tick, number, key): &(TickNumber, u64, String)| {
            let kept = self.boards.get(*number).and_then(|board| board.values.get(key));
            kept.is_some_and(|kept| kept.until == Some(*tick))
        };
        due.into_iter().filter(is_over).map(|(_, number, key)| (number, key)).collect()
    }

    /// The board of a character dies with it: its number, and the changes that were waited for.
    pub(crate) fn remove_of(&mut self, character: CharacterId) -> Option<(u64, Vec<u64>)> {
        let number = self.numbers.remove(&BoardOf::Character(character))?;
        Some((number, self.boards.remove(number)?.awaited.into_values().collect()))
    }

    /// All boards are again as they were `before`. A younger board stays under its number, empty: a script
    /// may know it.
    pub(crate) fn go_back(&mut self, before: Self) {
        let Self { boards: mut old, due, .. } = before;
        for (number, board) in self.boards.iter_mut() {
            let (values, bytes, awaited) =
                old.remove(number).map(|was| (was.values, was.bytes, was.awaited)).unwrap_or_default();
            (board.values, board.bytes, board.awaited) = (values, bytes, awaited);
        }
        self.due = due;
    }

    /// Writes all boards, by owner. Waits for changes end.
    pub(crate) fn save(&self, out: &mut ByteWriter) {
        let Self {
            boards,
            numbers,
            // Follow from the boards.
            group_count: _,
            due: _,
            // Given again: files may know boards by number, and have run again.
            last: _,
            // It belongs to waits.
            last_change: _,
        } = self;
        let known = numbers.iter().filter_map(|(of, &number)| Some((of, boards.get(number)?)));
        out.list(known.collect::<Vec<_>>().into_iter(), |out, (of, board)| {
            let Board { of: _, values, bytes: _, awaited: _ } = board;
            of.save(out);
            out.list(values.iter(), |out, (key, KeptValue { value, until, bytes: _ })| {
                key.save(out);
                value.save(out);
                until.save(out);
            });
        });
    }

    /// Reads what boards hold, at most so many bytes each; boards that are there keep their numbers.
    pub(crate) fn load(&mut self, input: &mut ByteReader<'_>, bytes_max: usize) -> Result<(), DecodeError> {
        self.due.clear();
        for (_, board) in self.boards.iter_mut() {
            (board.values, board.bytes) = (BTreeMap::new(), 0);
        }
        let boards = input.list(|input| {
            let of = BoardOf::load(input)?;
            let values = input.list(|input| {
                Ok((String::load(input)?, Plain::load(input)?, Option::<TickNumber>::load(input)?))
            })?;
            Ok((of, values))
        })?;
        for (of, values) in boards {
            let number = self.number(of).ok_or_else(|| DecodeError::new("more boards than there may be"))?;
            for (key, value, until) in values {
                let put = self.put(number, &key, Some(value), until, bytes_max);
                put.map_err(|_| DecodeError::new("a board that holds too much"))?;
            }
        }
        Ok(())
    }

    pub(crate) fn hash_into(&mut self, hash: &mut StateHash) {
        hash.word(self.last).word(self.last_change);
        self.boards.hash_into(hash, |number, board, hash| {
            hash.word(number);
            match &board.of {
                BoardOf::Level => hash.word(1),
                BoardOf::Group(name) => hash.word(2).text(name),
                BoardOf::Character(id) => hash.word(3).word(id.bits()),
            };
            hash.pair(board.values.len() as u32, board.awaited.len() as u32);
            for (key, kept) in &board.values {
                hash.text(key).word(kept.until.map_or(0, |tick| tick.0 + 1));
                kept.value.hash_into(hash);
            }
            for (key, change) in &board.awaited {
                hash.text(key).word(*change);
            }
        });
    }
}

/// Bytes a value counts for, as they are counted when it is read.
pub(crate) fn size_of(value: &Plain) -> usize {
    let key_of = |key: &PlainKey| match key {
        PlainKey::Index(_) => 0,
        PlainKey::Name(name) => name.len(),
    };
    16 + match value {
        Plain::Text(text) => text.len(),
        Plain::List(values) => values.iter().map(size_of).sum(),
        Plain::Map(entries) => entries.iter().map(|(key, value)| key_of(key) + size_of(value)).sum(),
        _ => 0,
    }
}
