//! Requests that are searched on several threads before their turn comes.
//!
//! In: requests that wait, the map. Out: for each, how its search goes, turn by turn. Holds: a request that
//! was searched beforehand costs, ends and makes room for others as if its search took its turns now. If it
//! gets another turn than was computed, its search begins again and catches up. The results are discarded as
//! a step ends, so they are never state. Not here: whose turn it is.

use std::sync::{Mutex, PoisonError};

use slotmap::SecondaryMap;

use crate::base::ids::PathToken;
use crate::base::threads::Threads;
use crate::nav::plan::PlanTask;
use crate::nav::{NavMap, PathAnswer, PathQuery, Search};

/// Expansions of one search before the next has its turn: small beside a budget, large beside the cost of a
/// turn.
pub(super) const TURN_EXPANSIONS: u32 = 64;
/// Searches that need more are not worked out beforehand: one that is given up here is done twice. 2,048:
/// many times what a request in a town needs, 72 in the mean.
const SPECULATED_EXPANSIONS_MAX: u32 = 2_048;
/// From so many requests on a thread more pays: one in a town takes about 30 microseconds, as long as it
/// takes to start a thread.
const REQUESTS_MIN: usize = 32;
/// Requests worked out together, at most.
const REQUESTS_MAX: usize = 512;
/// Expansions that a request is taken to need before any was answered.
const EXPANSIONS_AT_FIRST: u64 = 64;

/// How the search for a request goes.
#[derive(Clone, Debug)]
pub(super) enum SpeculatedSearch {
    /// It needs no search.
    Answered(PathAnswer),
    /// It is searched for.
    Searched(Turns),
    /// Its search is too long.
    Long,
}

/// A search, turn by turn.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    /// What beginning it took.
    pub(super) begun: u32,
    /// Expansions spent when each turn ended but the last.
    spent: Vec<u32>,
    /// How it ended.
    answer: PathAnswer,
}

impl SpeculatedSearch {
    /// Works a request out.
    fn of(map: &NavMap, query: &PathQuery, search: &mut Search) -> Self {
        let mut plan = match map.begin(query) {
            Ok(plan) => plan,
            Err(answer) => return Self::Answered(*answer),
        };
        let (begun, mut spent) = (plan.begun_for(), Vec::new());
        while spent.last().is_none_or(|spent| *spent < SPECULATED_EXPANSIONS_MAX) {
            let task = PlanTask { query, search: &mut *search };
            match map.step(&mut plan, task, TURN_EXPANSIONS) {
                Some(answer) => return Self::Searched(Turns { begun, spent, answer }),
                None => spent.push(plan.spent(search)),
            }
        }
        Self::Long
    }
}

/// How far a request has come that is worked out already.
#[derive(Clone, Copy, Debug)]
pub(super) struct Replay {
    /// Turns it has had.
    pub(super) turn_count: usize,
    /// Expansions spent.
    pub(super) spent: u32,
}

/// What is known of requests.
#[derive(Debug, Default)]
pub(super) struct SpeculativeSearches {
    known: SecondaryMap<PathToken, SpeculatedSearch>,
    /// Expansions and answers lately, for a guess how many requests a budget is enough for.
    lately: [u64; 2],
    /// Memory of searches that no thread uses now.
    searches: Mutex<Vec<Search>>,
    /// Answers that were worked out beforehand.
    #[cfg(test)]
    pub(super) speculated_count: u64,
}

/// A copy knows nothing: what is known is not state.
impl Clone for SpeculativeSearches {
    fn clone(&self) -> Self {
        Self { lately: self.lately, ..Self::default() }
    }
}

impl SpeculativeSearches {
    /// How many requests to work out together where a budget is left: none when threads do not pay.
    pub(super) fn room_for(&self, threads: Threads, left: i64) -> usize {
        if threads.count().get() == 1 {
            return 0;
        }
        let [expansions, answers] = self.lately;
        let each = expansions.checked_div(answers).unwrap_or(EXPANSIONS_AT_FIRST).max(1);
        let count = usize::try_from(left).unwrap_or(0) / usize::try_from(each).unwrap_or(usize::MAX);
        if count < REQUESTS_MIN { 0 } else { count.min(REQUESTS_MAX) }
    }

    /// Works out those requests.
    pub(super) fn look_ahead(&mut self, threads: Threads, map: &NavMap, asked: &[(PathToken, &PathQuery)]) {
        if asked.len() < REQUESTS_MIN {
            return;
        }
        let mut found = vec![SpeculatedSearch::Long; asked.len()];
        let searches = &self.searches;
        threads.from_rows(REQUESTS_MIN).share(
            &mut found[..],
            || LentMemory::of(searches),
            |lent, first, found| {
                for ((_, query), found) in asked[first..].iter().zip(found) {
                    *found = SpeculatedSearch::of(map, query, &mut lent.search);
                }
            },
        );
        for (&(token, _), found) in asked.iter().zip(found) {
            self.known.insert(token, found);
        }
    }

    /// How the search for a request goes; None when it was not looked at in this step.
    pub(super) fn get(&self, token: PathToken) -> Option<&SpeculatedSearch> {
        self.known.get(token)
    }

    /// The next turn of a request, when it is of the usual length and known: the answer, if it ends with it.
    pub(super) fn take_turn(
        &mut self,
        token: PathToken,
        replay: &mut Replay,
        allowance: u32,
    ) -> Option<Option<PathAnswer>> {
        let Some(SpeculatedSearch::Searched(turns)) =
            self.known.get(token).filter(|_| allowance == TURN_EXPANSIONS)
        else {
            return None;
        };
        replay.turn_count += 1;
        if let Some(&spent) = turns.spent.get(replay.turn_count - 1) {
            replay.spent = spent;
            return Some(None);
        }
        let answer = match self.known.remove(token) {
            Some(SpeculatedSearch::Searched(turns)) => turns.answer,
            _ => return None,
        };
        replay.spent = answer.expansions;
        #[cfg(test)]
        {
            self.speculated_count += 1;
        }
        Some(Some(answer))
    }

    /// Forgets everything as a step ends that spent so much on so many answers.
    pub(super) fn forget(&mut self, spent: u64, answer_count: usize) {
        self.known.clear();
        if answer_count > 0 {
            self.lately = [spent, answer_count as u64];
        }
    }
}

/// The memory of a search in the hands of a thread.
struct LentMemory<'a> {
    search: Search,
    home: &'a Mutex<Vec<Search>>,
}

impl<'a> LentMemory<'a> {
    fn of(home: &'a Mutex<Vec<Search>>) -> Self {
        let search = home.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        Self { search, home }
    }
}

impl Drop for LentMemory<'_> {
    fn drop(&mut self) {
        let search = std::mem::take(&mut self.search);
        self.home.lock().unwrap_or_else(PoisonError::into_inner).push(search);
    }
}
