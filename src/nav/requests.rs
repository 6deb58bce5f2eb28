//! Path requests that are worked on a little every tick.
//!
//! In: queries, then a budget of expansions a step. Out: each answer once, under its token. Holds: on a still map the
//! answers do not depend on the budget, only when they come; requests begin first come first served and a few searches
//! share the budget equally, so a short one passes a long one; what a step overran is a debt of the next, so the mean
//! never exceeds the budget; nothing is delivered after it was cancelled. Nobody starves: on a still map a request that needs
//! e expansions begins once those before it are begun, gets a quarter of the budget at least from then on, and all that were
//! asked together are answered within their sum, divided by the budget, and one step (fault:G23, G24). A map that changes under a search starts it
//! again, three times at most. Not here: who asked, when to ask again.

use std::collections::VecDeque;

use slotmap::{Key, SlotMap};

use crate::base::hash::StateHash;
use crate::base::ids::PathToken;
use crate::nav::map::Plan;
use crate::nav::{Accept, NavMap, PathAnswer, PathQuery, PathTrouble, Revision, Search};

/// Searches that share the budget. Each needs 12 bytes a node of the map once it is used.
const POOL: usize = 4;
/// Expansions of one search before the next has its turn: small beside a budget, large beside the cost of a turn.
const TURN_EXPANSIONS: u32 = 64;
/// How often a search starts again because the map changed under it.
const RESTARTS_MAX: u32 = 3;

/// Requests waiting for an answer. `Default` has none.
#[derive(Clone, Debug, Default)]
pub struct PathRequests {
    queries: SlotMap<PathToken, PathQuery>,
    /// Those not begun; cancelled ones stay in until they come up.
    queue: VecDeque<PathToken>,
    /// The first of the queue when it needs a search and no search is free.
    next: Option<Work>,
    pool: [Slot; POOL],
    /// Expansions that earlier steps spent beyond their budget.
    debt: u64,
    /// Searches begun again so far. Never part of the state.
    restarts: u64,
}

/// How far a request has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Expansions spent on it, those before a restart included.
    pub spent: u32,
    /// How often it was begun again because the map had changed.
    pub restarts: u32,
    /// Whether its search has begun, or waits in the queue.
    pub has_begun: bool,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    work: Option<Work>,
    search: Search,
    /// Expansions that this slot has had, whoever was in it; the busy slot with the fewest is next.
    served: u64,
}

/// A request under way.
#[derive(Clone, Debug)]
struct Work {
    token: PathToken,
    plan: Plan,
    revision: Revision,
    restarts: u32,
    /// Spent before the last restart.
    lost: u32,
}

/// One call of `step`.
struct Round<'a> {
    map: &'a NavMap,
    /// Budget left; below zero it is a debt.
    left: i64,
    out: &'a mut Vec<(PathToken, PathAnswer)>,
}

impl PathRequests {
    /// Adds a request. It is served from the next step on, after those before it.
    pub fn push(&mut self, query: PathQuery) -> PathToken {
        let token = self.queries.insert(query);
        self.queue.push_back(token);
        token
    }

    /// Forgets a request: nothing is delivered for it afterwards. A stale token is ignored.
    pub fn cancel(&mut self, token: PathToken) {
        self.queries.remove(token);
        let is_its = |work: &mut Work| work.token == token;
        self.next.take_if(is_its);
        self.pool.iter_mut().for_each(|slot| {
            slot.work.take_if(is_its);
        });
        if self.queries.is_empty() {
            self.queue.clear();
        }
    }

    /// Takes a request back, to be answered by whoever asks; None when it was answered or cancelled.
    pub fn take(&mut self, token: PathToken) -> Option<PathQuery> {
        let query = self.queries.get(token).cloned()?;
        self.cancel(token);
        Some(query)
    }

    /// Whether a request has no answer yet.
    #[must_use]
    pub fn is_open(&self, token: PathToken) -> bool {
        self.queries.contains_key(token)
    }

    /// Requests without an answer yet.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.queries.len()
    }

    /// How far a request has come; None when it was answered or cancelled.
    #[must_use]
    pub fn progress(&self, token: PathToken) -> Option<Progress> {
        self.queries.get(token)?;
        let running = self.pool.iter().filter_map(|slot| Some((slot.work.as_ref()?, Some(&slot.search))));
        let begun = running.chain(self.next.iter().map(|work| (work, None)));
        let found = begun.into_iter().find(|(work, _)| work.token == token);
        Some(found.map_or_else(Progress::default, |(work, search)| {
            let spent = search.map_or(0, |search| work.plan.spent(search)).saturating_add(work.lost);
            Progress { spent, restarts: work.restarts, has_begun: search.is_some() }
        }))
    }

    /// Searches that were begun again so far because the map had changed.
    #[must_use]
    pub fn restarts(&self) -> u64 {
        self.restarts
    }

    /// Works on requests for `budget_expansions` and appends the answers that are ready. An answer that needs no
    /// search counts as one expansion. Returns what is charged to this step, never more than the budget.
    pub fn step(
        &mut self,
        map: &NavMap,
        budget_expansions: u32,
        out: &mut Vec<(PathToken, PathAnswer)>,
    ) -> u32 {
        if budget_expansions == 0 {
            return 0;
        }
        let left = i64::from(budget_expansions) - i64::try_from(self.debt).unwrap_or(i64::MAX);
        let mut round = Round { map, left, out };
        if left > 0 {
            self.restart_stale(&mut round);
            // Bounded by the budget: every pass spends some, or there is nothing left to do. A search that ended
            // exactly with the budget is let to find that out: what it may spend beyond is a debt.
            while round.left >= 0 && (self.admit(&mut round) || self.take_turn(&mut round)) {}
        }
        self.debt = u64::try_from(-round.left).unwrap_or(0);
        budget_expansions - u32::try_from(round.left.max(0)).unwrap_or(budget_expansions)
    }

    /// Begins the first request of the queue; whether something happened.
    fn admit(&mut self, round: &mut Round) -> bool {
        if let Some(work) = self.next.take() {
            // Decided on an older map.
            if work.revision != round.map.revision() {
                self.queue.push_front(work.token);
                return true;
            }
            return self.start(work);
        }
        let Some(token) = self.queue.pop_front() else { return false };
        let Some(query) = self.queries.get(token) else { return true };
        match round.map.begin(query) {
            Ok(plan) => {
                let revision = round.map.revision();
                self.start(Work { token, plan, revision, restarts: 0, lost: 0 })
            }
            Err(answer) => {
                round.left -= 1;
                self.deliver(token, *answer, round);
                true
            }
        }
    }

    /// Puts work into a free slot, or keeps it until there is one; whether there was.
    fn start(&mut self, work: Work) -> bool {
        // A slot that stood empty has not saved up for later.
        let busy = self.pool.iter().filter(|slot| slot.work.is_some());
        let least = busy.map(|slot| slot.served).min().unwrap_or(0);
        match self.pool.iter_mut().find(|slot| slot.work.is_none()) {
            Some(slot) => (slot.work, slot.served) = (Some(work), slot.served.max(least)),
            None => self.next = Some(work),
        }
        self.next.is_none()
    }

    /// Gives the next search its turn; whether there was one.
    fn take_turn(&mut self, round: &mut Round) -> bool {
        let busy = self.pool.iter_mut().filter(|slot| slot.work.is_some());
        let Some(slot) = busy.min_by_key(|slot| slot.served) else { return false };
        let Some(work) = &mut slot.work else { return false };
        let Some(query) = self.queries.get(work.token) else { return false };
        let before = work.plan.spent(&slot.search);
        let allowance = u32::try_from(round.left).unwrap_or(0).clamp(1, TURN_EXPANSIONS);
        let answer = round.map.step(&mut work.plan, (query, &mut slot.search), allowance);
        let spent = match &answer {
            Some(answer) => answer.expansions,
            None => work.plan.spent(&slot.search),
        };
        let spent = spent.saturating_sub(before);
        round.left -= i64::from(spent);
        slot.served += u64::from(spent);
        if let Some(mut answer) = answer {
            let token = work.token;
            answer.expansions = answer.expansions.saturating_add(work.lost);
            slot.work = None;
            self.deliver(token, answer, round);
        }
        true
    }

    fn deliver(&mut self, token: PathToken, answer: PathAnswer, round: &mut Round) {
        if self.queries.remove(token).is_some() {
            round.out.push((token, answer));
        }
    }

    /// Begins again what was begun on another revision, or gives it up.
    fn restart_stale(&mut self, round: &mut Round) {
        for at in 0..POOL {
            let slot = &mut self.pool[at];
            let revision = round.map.revision();
            let Some(mut work) = slot.work.take_if(|work| work.revision != revision) else { continue };
            work.lost = work.lost.saturating_add(work.plan.spent(&slot.search));
            work.restarts += 1;
            self.restarts += 1;
            let begun = match self.queries.get(work.token) {
                Some(query) if work.restarts <= RESTARTS_MAX => round.map.begin(query),
                _ => Err(Box::new(PathAnswer {
                    trouble: Some(PathTrouble::Limit),
                    revision,
                    ..PathAnswer::default()
                })),
            };
            match begun {
                Ok(plan) => self.pool[at].work = Some(Work { plan, revision, ..work }),
                Err(mut answer) => {
                    round.left -= 1;
                    answer.expansions = work.lost;
                    self.deliver(work.token, *answer, round);
                }
            }
        }
    }

    /// Mixes in everything that decides which answers come and when.
    pub fn hash_into(&self, hash: &mut StateHash) {
        hash.word(self.queries.len() as u64).word(self.debt);
        let least = self.pool.iter().map(|slot| slot.served).min().unwrap_or(0);
        self.pool.iter().for_each(|slot| {
            hash.word(slot.served - least);
        });
        for (token, query) in &self.queries {
            hash.word(token.data().as_ffi());
            hash_query(query, hash);
        }
        for token in self.queue.iter().filter(|token| self.queries.contains_key(**token)) {
            hash.word(token.data().as_ffi());
        }
        let running = self.pool.iter().map(|slot| (slot.work.as_ref(), Some(&slot.search)));
        for (work, search) in running.chain([(self.next.as_ref(), None)]) {
            let Some(work) = work else {
                hash.word(0);
                continue;
            };
            let spent = search.map_or(0, |search| work.plan.spent(search));
            hash.word(work.token.data().as_ffi()).word(work.revision.0);
            hash.word(u64::from(work.restarts)).word(u64::from(work.lost)).word(u64::from(spent));
        }
    }
}

fn hash_query(query: &PathQuery, hash: &mut StateHash) {
    hash.vector(query.start).vector(query.goal).float(query.by.radius_m);
    let through = query.by.through.as_deref().unwrap_or(&[]);
    hash.word(through.len() as u64);
    for (area, extra_m) in through {
        hash.word(u64::from(area.0)).float(*extra_m);
    }
    // What may be absent says whether it is there, so that nothing takes another's place.
    hash.flag(query.by.areas.is_some());
    if let Some(areas) = query.by.areas.as_deref() {
        hash.word(areas.len() as u64);
        for (area, factor) in areas {
            hash.word(u64::from(area.0)).float(factor.unwrap_or(-1.0));
        }
    }
    hash.flag(query.by.rules.is_some());
    if let Some(rules) = &query.by.rules {
        hash.word(rules.barred.len() as u64).word(rules.one_way.len() as u64);
        for area in rules.barred.iter().copied().chain(rules.one_way.iter().map(|gate| gate.area)) {
            hash.word(u64::from(area.0));
        }
    }
    // Where there are no layers, hashes are as if there never were.
    let layers = [query.by.layer, query.goal_layer.unwrap_or(query.by.layer)];
    if layers != [0, 0] {
        hash.word(u64::from(layers[0])).word(u64::from(layers[1]));
    }
    hash.flag(query.accept == Accept::Exact).word(u64::from(query.expansions_max));
    hash.flag(query.others.is_some());
    if let Some(others) = &query.others {
        hash.word(others.len() as u64);
        for disc in others.iter() {
            hash.vector(disc.centre).float(disc.radius_m);
        }
    }
}

#[cfg(test)]
mod tests;
