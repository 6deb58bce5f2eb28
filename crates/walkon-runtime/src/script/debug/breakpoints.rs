//! Breakpoints: the lines asked for, the lines where they are set, when they stop; and other stops.
//!
//! In: requests by file. Out: their places, and which stop at a line. Holds: a request stays when its file is
//! loaded again, or for the first time, and finds its place again. Not here: stopping (`debug`), conditions
//! and texts, which are code (`paused`).

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use mlua::Lua;

use crate::base::ordered::CollectOrdered;
use crate::script::vm::debug::DebugPort;
use crate::script::vm::{lines_to_stop_at, machine_of};

/// A breakpoint as it is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BreakpointWish {
    /// Its number, chosen by the client.
    pub id: u64,
    /// The line, from 1.
    pub line: u32,
    /// It is passed over where this expression is false or nil.
    pub condition: Option<String>,
    /// Which of the times that it is come to count.
    pub hits: Option<HitRule>,
    /// It tells this text instead of stopping; expressions in braces are replaced by what they come to.
    pub log: Option<String>,
}

/// Which of the times that a breakpoint is come to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitRule {
    /// This one: `5`, `== 5`.
    Exactly(u64),
    /// From this one on: `>= 5`.
    From(u64),
    /// All before this one: `< 5`.
    Before(u64),
    /// Every so many: `% 5`.
    Every(u64),
}

impl HitRule {
    /// The rule that a text says.
    ///
    /// # Errors
    /// A sentence, where it says none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let digits = text.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let sign = text[..text.len() - digits.len()].trim();
        let expected =
            || format!("\"{text}\" is not a count, expected a number, or one behind ==, >, >=, <, <= or %");
        let count: u64 = digits.parse().map_err(|_| expected())?;
        match sign {
            "" | "=" | "==" => Ok(Self::Exactly(count)),
            ">=" => Ok(Self::From(count)),
            ">" => Ok(Self::From(count.saturating_add(1))),
            "<" => Ok(Self::Before(count)),
            "<=" => Ok(Self::Before(count.saturating_add(1))),
            "%" if count > 0 => Ok(Self::Every(count)),
            _ => Err(expected()),
        }
    }

    /// Whether the `hits`th time counts.
    #[must_use]
    pub fn holds(self, hits: u64) -> bool {
        match self {
            Self::Exactly(count) => hits == count,
            Self::From(count) => hits >= count,
            Self::Before(count) => hits < count,
            Self::Every(count) => hits.is_multiple_of(count),
        }
    }
}

/// Where a breakpoint is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakpointState {
    /// Its number.
    pub id: u64,
    /// Its file, below the script folders.
    pub file: String,
    /// The line where it stops; the one that was asked for, where it stops nowhere.
    pub line: u32,
    /// Why it stops nowhere.
    pub trouble: Option<String>,
}

#[derive(Debug)]
struct Breakpoint {
    wish: BreakpointWish,
    line: Option<u32>,
    hits: u64,
}

/// What the client wants the level to stop at.
#[derive(Debug, Default)]
pub(super) struct DebugStops {
    pub(super) breakpoints: RefCell<Breakpoints>,
    pub(super) at_faults: Cell<bool>,
    /// Ticks in which one of these happened.
    pub(super) events: RefCell<BTreeSet<String>>,
}

/// All breakpoints of a level, by file.
#[derive(Debug, Default)]
pub(super) struct Breakpoints(BTreeMap<String, Vec<Breakpoint>>);

impl Breakpoints {
    /// These take the place of those that a file had. One that was there already goes on counting.
    pub(super) fn set(&mut self, lua: &Lua, file: &str, wishes: Vec<BreakpointWish>) -> Vec<BreakpointState> {
        let before = self.0.remove(file).unwrap_or_default();
        let counted = |wish: &BreakpointWish| {
            before.iter().find(|old| old.wish.id == wish.id).map_or(0, |old| old.hits)
        };
        let new = |wish: BreakpointWish| Breakpoint { hits: counted(&wish), wish, line: None };
        self.0.insert(file.to_owned(), wishes.into_iter().map(new).collect());
        self.place(lua, file)
    }

    /// Finds the places of the breakpoints of a file.
    pub(super) fn place(&mut self, lua: &Lua, file: &str) -> Vec<BreakpointState> {
        let Some(all) = self.0.get_mut(file) else { return Vec::new() };
        let lines = lines_to_stop_at(lua, file);
        for breakpoint in all.iter_mut() {
            let from = breakpoint.wish.line;
            breakpoint.line = lines.as_ref().and_then(|lines| lines.range(from..).next().copied());
        }
        let places: BTreeSet<u32> = all.iter().filter_map(|one| one.line).collect_set();
        if let Some(machine) = machine_of(lua)
            && let Some(port) = machine.debug.get()
        {
            port.stop_at(lua, file, places);
        }
        let trouble = || match lines {
            Some(_) => "no code at this line or behind it".to_owned(),
            None => "no script of this level".to_owned(),
        };
        let state = |one: &Breakpoint| BreakpointState {
            id: one.wish.id,
            file: file.to_owned(),
            line: one.line.unwrap_or(one.wish.line),
            trouble: one.line.is_none().then(trouble),
        };
        all.iter().map(state).collect()
    }

    /// The breakpoints at a line.
    pub(super) fn at(&self, file: &str, line: u32) -> Vec<BreakpointWish> {
        let all = self.0.get(file).map_or(&[][..], Vec::as_slice).iter();
        all.filter(|one| one.line == Some(line)).map(|one| one.wish.clone()).collect()
    }

    /// A breakpoint was come to; how often that makes.
    pub(super) fn hit(&mut self, id: u64) -> u64 {
        let found = self.0.values_mut().flatten().find(|one| one.wish.id == id);
        found.map_or(0, |one| {
            one.hits += 1;
            one.hits
        })
    }

    pub(super) fn clear(&mut self, lua: &Lua, port: &DebugPort) {
        for file in std::mem::take(&mut self.0).into_keys() {
            port.stop_at(lua, &file, BTreeSet::new());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::script::debug::HitRule;

    #[test]
    fn counts_are_numbers_behind_signs() {
        let holds = |text: &str| -> Vec<u64> {
            let rule = HitRule::parse(text).expect(text);
            (1..=6).filter(|&hits| rule.holds(hits)).collect()
        };
        assert_eq!(holds("3"), [3]);
        assert_eq!(holds(" == 3"), [3]);
        assert_eq!(holds(">= 5"), [5, 6]);
        assert_eq!(holds(">5"), [6]);
        assert_eq!(holds("<2"), [1]);
        assert_eq!(holds("<= 2"), [1, 2]);
        assert_eq!(holds("% 2"), [2, 4, 6]);
        for text in ["", "x", "% 0", "3x", "!3"] {
            assert!(HitRule::parse(text).is_err(), "{text}");
        }
    }
}
