//! A queue of path requests that are worked on a little every tick.
//!
//! In: queries, then a budget of expansions a step. Out: each answer once, under its token. Holds: on a still
//! map the answers do not depend on the budget, only when they come; requests begin in the order in which
//! they come, and a few searches share the budget equally; a step pays for the overrun of the one before, so
//! the mean never exceeds the budget; nothing is delivered after it was cancelled. A map that changes under a
//! search starts it again; one that was started again three times goes on to its end at once when the map
//! changes once more, unless it is so long that a step would be felt. So changes, however many, keep no
//! request from its answer but the longest while they come faster than it ends.
//!
//! Nobody starves, neither short requests nor long ones (fault:G23, G24). One slot is kept for requests of
//! few expansions and one for those of a middle size: a request that needs more than its slot allows goes on
//! in a slot that allows more, or waits for one and begins again there. So every request has a slot that only
//! requests up to its own size can hold; the first request of its size has that slot, and a fifth of the
//! budget, whatever else is under way. Beginning again loses at most `SHORT_EXPANSIONS` and
//! `MIDDLE_EXPANSIONS` for each request, and nothing while no more than three long searches are under way. On
//! several threads, requests are searched before their turn (`speculative`), which changes only the time that
//! it takes. Not here: where requests come from, when to ask again.

use std::collections::VecDeque;

use slotmap::SlotMap;

use crate::base::hash::StateHash;
use crate::base::ids::{GenerationalKey, PathToken};
use crate::base::threads::Threads;
use crate::nav::map::BackendPlan;
use crate::nav::plan::PlanTask;
use crate::nav::requests::speculative::{Replay, SpeculatedSearch, SpeculativeSearches, TURN_EXPANSIONS};
use crate::nav::{
    Accept, LinkActions, NavMap, OneWay, PassRules, PathAnswer, PathFailure, PathQuery, Revision, Search,
    Traversal,
};

mod speculative;

/// Searches that share the budget. Each needs 12 bytes a node of the map once it is used.
const POOL: usize = 5;
/// Sizes of requests that are told apart: short, middle, long.
const SIZES: usize = 3;
/// Up to so many expansions a request is short. 256: a way across a few rooms.
const SHORT_EXPANSIONS: u32 = 256;
/// Up to so many expansions a request is of middle size: a way across a large level.
const MIDDLE_EXPANSIONS: u32 = 16_384;
/// What a request may spend in each slot. A request of size s may have the first `POOL - s` slots.
const LIMITS: [u32; POOL] = [u32::MAX, u32::MAX, u32::MAX, MIDDLE_EXPANSIONS, SHORT_EXPANSIONS];
/// Memory set aside before it is needed, about; searches beyond it make theirs when they begin.
const ROOM_BYTES: usize = 48 << 20;
/// How often a search starts again because the map changed under it, and still shares the budget.
const RESTARTS_MAX: u32 = 3;
/// What a search that goes to its end at once may take, in expansions over squares: some twenty milliseconds.
const AT_ONCE_MAX: u64 = 200_000;

/// Requests waiting for an answer. `Default` has none.
#[derive(Clone, Debug, Default)]
pub struct PathRequests {
    requests: SlotMap<PathToken, Request>,
    /// Those without a slot, by size; cancelled ones stay in until they come up. All that are new count as
    /// short.
    queues: [VecDeque<PathToken>; SIZES],
    /// The first of the short ones when it needs a search and no search is free.
    next: Option<OpenRequest>,
    pool: [Slot; POOL],
    /// Expansions that earlier steps spent beyond their budget.
    debt: u64,
    /// Searches begun again so far because the map had changed. Never part of the state.
    restarts: u64,
    /// Expansions of searches that made room for others, and began again. Never part of the state.
    repeated: u64,
    /// What is known of requests before their turn. Empty between steps.
    speculative: SpeculativeSearches,
}

/// Everything known about a request until it is answered.
#[derive(Clone, Debug)]
struct Request {
    query: PathQuery,
    /// How often it was begun again because the map had changed.
    restarts: u32,
    /// Spent before the last of these restarts.
    lost: u32,
    /// Spent before it last made room for others. The reported cost leaves them out, because they depend on
    /// other requests.
    repeated: u32,
}

/// How far a request has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestProgress {
    /// Expansions spent on it, those before a restart included.
    pub spent: u32,
    /// How often it was begun again because the map had changed.
    pub restarts: u32,
    /// Whether its search has begun, or waits in the queue.
    pub has_begun: bool,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    work: Option<OpenRequest>,
    search: Search,
    /// Expansions that this slot has had over all its requests; the busy slot with the fewest is next.
    served: u64,
}

impl Slot {
    /// Expansions spent on what is in it.
    fn spent(&self) -> u32 {
        self.work.as_ref().map_or(0, |open| match &open.work {
            Work::Searching(plan) => plan.spent(&self.search),
            Work::Speculated(replay) => replay.spent,
        })
    }
}

/// A request under way.
#[derive(Clone, Debug)]
struct OpenRequest {
    token: PathToken,
    work: Work,
    revision: Revision,
}

/// How the work on a request goes on.
#[derive(Clone, Debug)]
enum Work {
    /// By its search.
    Searching(BackendPlan),
    /// By what is known of its search. Never between steps.
    Speculated(Replay),
}

/// One call of `step`.
struct Round<'a> {
    map: &'a NavMap,
    threads: Threads,
    /// Budget left; below zero it is a debt.
    left: i64,
    out: &'a mut Vec<(PathToken, PathAnswer)>,
}

impl OpenRequest {
    /// Goes on for a turn: the answer, if it ends with it.
    fn take_turn(
        &mut self,
        speculative: &mut SpeculativeSearches,
        map: &NavMap,
        task: PlanTask<'_>,
        allowance: u32,
    ) -> Option<PathAnswer> {
        let PlanTask { query, search } = task;
        if let Work::Speculated(replay) = &mut self.work
            && let Some(turn) = speculative.take_turn(self.token, replay, allowance)
        {
            return turn;
        }
        match self.search_on(map, PlanTask { query, search: &mut *search }) {
            Ok(plan) => map.step(plan, PlanTask { query, search }, allowance),
            Err(answer) => Some(*answer),
        }
    }

    /// Goes on by its search, from where it had come by what was known of it.
    fn search_on(&mut self, map: &NavMap, task: PlanTask<'_>) -> Result<&mut BackendPlan, Box<PathAnswer>> {
        let PlanTask { query, search } = task;
        if let Work::Speculated(Replay { turn_count, .. }) = self.work {
            let mut plan = map.begin(query)?;
            for _ in 0..turn_count {
                let answer = map.step(&mut plan, PlanTask { query, search: &mut *search }, TURN_EXPANSIONS);
                debug_assert!(answer.is_none(), "the last turn of a request is not taken back");
            }
            self.work = Work::Searching(plan);
        }
        match &mut self.work {
            Work::Searching(plan) => Ok(plan),
            Work::Speculated(_) => Err(Box::new(PathAnswer::none(PathFailure::Limit, map.revision()))),
        }
    }
}

impl PathRequests {
    /// Sets aside the memory that searches over a map need, so that the first requests do not wait for it:
    /// for one search at least, for all where that is not much.
    pub fn make_room(&mut self, map: &NavMap) {
        let mut bytes = 0;
        for slot in &mut self.pool {
            map.make_room(&mut slot.search);
            bytes += slot.search.bytes();
            if bytes > ROOM_BYTES {
                break;
            }
        }
    }

    /// Adds a request. It is served from the next step on, after those before it.
    pub fn push(&mut self, query: PathQuery) -> PathToken {
        let token = self.requests.insert(Request { query, restarts: 0, lost: 0, repeated: 0 });
        self.queues[0].push_back(token);
        token
    }

    /// Changes what a request asks for, as when the asker may no longer go through a door. The request keeps
    /// its place, and its search begins again. False when it was answered or cancelled.
    pub fn change(&mut self, token: PathToken, query: PathQuery) -> bool {
        let Some(request) = self.requests.get_mut(token) else { return false };
        request.query = query;
        let slots = self.pool.iter_mut().map(|slot| &mut slot.work).chain([&mut self.next]);
        for work in slots.flatten().filter(|work| work.token == token) {
            // Not that of the map, whatever that is.
            work.revision = Revision(u64::MAX);
        }
        true
    }

    /// Forgets a request: nothing is delivered for it afterwards. A stale token is ignored.
    pub fn cancel(&mut self, token: PathToken) {
        self.requests.remove(token);
        let is_its = |work: &mut OpenRequest| work.token == token;
        self.next.take_if(is_its);
        self.pool.iter_mut().for_each(|slot| {
            slot.work.take_if(is_its);
        });
        if self.requests.is_empty() {
            self.queues.iter_mut().for_each(VecDeque::clear);
        }
    }

    /// Takes a request back, so that the caller answers it; None when it was answered or cancelled.
    pub fn take(&mut self, token: PathToken) -> Option<PathQuery> {
        let query = self.requests.get(token)?.query.clone();
        self.cancel(token);
        Some(query)
    }

    /// Changes the askers of all requests without an answer: on a map that comes in place of another, areas
    /// may have other numbers. That map is of another revision, so searches under way begin again on it.
    pub fn change_askers(&mut self, mut change: impl FnMut(&mut Traversal)) {
        self.requests.values_mut().for_each(|request| change(&mut request.query.by));
    }

    /// Whether a request has no answer yet.
    #[must_use]
    pub fn is_open(&self, token: PathToken) -> bool {
        self.requests.contains_key(token)
    }

    /// Requests without an answer yet.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.requests.len()
    }

    /// How far a request has come; None when it was answered or cancelled.
    #[must_use]
    pub fn progress(&self, token: PathToken) -> Option<RequestProgress> {
        let request = self.requests.get(token)?;
        let is_its = |slot: &&Slot| slot.work.as_ref().is_some_and(|work| work.token == token);
        let slot = self.pool.iter().find(is_its);
        let before = request.lost.saturating_add(request.repeated);
        let spent = slot.map_or(0, Slot::spent).saturating_add(before);
        Some(RequestProgress { spent, restarts: request.restarts, has_begun: slot.is_some() })
    }

    /// Searches that were begun again so far because the map had changed.
    #[must_use]
    pub fn restarts(&self) -> u64 {
        self.restarts
    }

    /// Works on requests for `budget_expansions` and appends the answers that are ready. An answer that needs
    /// no search counts as one expansion. Returns what is charged to this step, never more than the budget.
    pub fn step(
        &mut self,
        map: &NavMap,
        budget_expansions: u32,
        out: &mut Vec<(PathToken, PathAnswer)>,
    ) -> u32 {
        self.step_on(Threads::ONE, map, budget_expansions, out)
    }

    /// The same on several threads, where many requests wait: to the bit, whatever their number.
    pub fn step_on(
        &mut self,
        threads: Threads,
        map: &NavMap,
        budget_expansions: u32,
        out: &mut Vec<(PathToken, PathAnswer)>,
    ) -> u32 {
        if budget_expansions == 0 {
            return 0;
        }
        let left = i64::from(budget_expansions) - i64::try_from(self.debt).unwrap_or(i64::MAX);
        let answered_before = out.len();
        let mut round = Round { map, threads, left, out };
        if left > 0 {
            self.restart_stale(&mut round);
            // Bounded by the budget: every pass spends some, or there is nothing left to do. A search that
            // ended exactly with the budget may find that out: expansions beyond the budget are a debt.
            while round.left >= 0
                && (self.admit_waiting(&mut round) || self.admit(&mut round) || self.take_turn(&mut round))
            {
            }
        }
        self.search_on(map);
        let answer_count = round.out.len() - answered_before;
        self.speculative.forget(u64::try_from(left - round.left).unwrap_or(0), answer_count);
        self.debt = u64::try_from(-round.left).unwrap_or(0);
        budget_expansions - u32::try_from(round.left.max(0)).unwrap_or(budget_expansions)
    }

    /// Begins the first of those again that wait for a slot of their size, the longest first; whether
    /// something happened.
    fn admit_waiting(&mut self, round: &mut Round) -> bool {
        let has_room = |size: &usize| self.pool[..POOL - size].iter().any(|slot| slot.work.is_none());
        let waits = (1..SIZES).rev().find(|size| !self.queues[*size].is_empty() && has_room(size));
        waits.is_some_and(|size| self.begin_first(size, round))
    }

    /// Begins the first of the new requests; whether something happened.
    fn admit(&mut self, round: &mut Round) -> bool {
        if let Some(work) = self.next.take() {
            // Decided on an older map.
            if work.revision != round.map.revision() {
                self.queues[0].push_front(work.token);
                return true;
            }
            return self.start(work, 0);
        }
        self.begin_first(0, round)
    }

    /// Begins the first request of a queue, or answers it without a search; whether something happened.
    fn begin_first(&mut self, size: usize, round: &mut Round) -> bool {
        let Some(token) = self.queues[size].pop_front() else { return false };
        if size == 0 && self.requests.contains_key(token) && self.speculative.get(token).is_none() {
            self.look_ahead(token, round);
        }
        let Some(request) = self.requests.get(token) else { return true };
        let begun = match self.speculative.get(token) {
            Some(SpeculatedSearch::Answered(answer)) => Err(answer.clone()),
            Some(SpeculatedSearch::Searched(turns)) => {
                Ok((Work::Speculated(Replay { turn_count: 0, spent: turns.begun }), turns.begun))
            }
            Some(SpeculatedSearch::Long) | None => match round.map.begin(&request.query) {
                Ok(plan) => {
                    let begun = plan.begun_for();
                    Ok((Work::Searching(plan), begun))
                }
                Err(answer) => Err(*answer),
            },
        };
        let PathQuery { others, by, .. } = &request.query;
        let detour = others.as_deref().map_or(0, |others| round.map.detour_price(others, by));
        match begun {
            Ok((work, begun)) => {
                // A plan that has begun already is one that looked beside a goal that is held.
                round.left -= i64::from(detour.saturating_add(begun));
                self.start(OpenRequest { token, work, revision: round.map.revision() }, size)
            }
            Err(answer) => {
                round.left -= i64::from(detour.saturating_add(answer.expansions).max(1));
                self.deliver(token, answer, round);
                true
            }
        }
    }

    /// Works out the first of the new requests, that one before them, as many as the budget may be enough
    /// for.
    fn look_ahead(&mut self, first: PathToken, round: &Round<'_>) {
        let room = self.speculative.room_for(round.threads, round.left);
        if room == 0 {
            return;
        }
        let waiting = [first].into_iter().chain(self.queues[0].iter().copied());
        let query = |token| Some((token, &self.requests.get(token)?.query));
        let asked: Vec<_> = waiting.filter_map(query).take(room).collect();
        self.speculative.look_ahead(round.threads, round.map, &asked);
    }

    /// Has everything under way go on by its search, at the end of a step.
    fn search_on(&mut self, map: &NavMap) {
        for slot in &mut self.pool {
            let Some(open) = &mut slot.work else { continue };
            if let Some(request) = self.requests.get(open.token) {
                // What cannot begin again is answered in its next turn.
                let _ = open.search_on(map, PlanTask { query: &request.query, search: &mut slot.search });
            }
        }
        if let Some(open) = &mut self.next
            && let Some(request) = self.requests.get(open.token)
        {
            // It had no turn yet, and so needs no memory.
            let _ = open.search_on(map, PlanTask { query: &request.query, search: &mut Search::default() });
        }
    }

    /// Puts work of a size into a free slot, or keeps it until there is one; whether there was.
    fn start(&mut self, work: OpenRequest, size: usize) -> bool {
        // A slot that stood empty has not saved up for later.
        let busy = self.pool.iter().filter(|slot| slot.work.is_some());
        let least = busy.map(|slot| slot.served).min().unwrap_or(0);
        match self.pool[..POOL - size].iter_mut().find(|slot| slot.work.is_none()) {
            Some(slot) => (slot.work, slot.served) = (Some(work), slot.served.max(least)),
            None => self.next = Some(work),
        }
        self.next.is_none()
    }

    /// Gives the next search its turn; whether there was one.
    fn take_turn(&mut self, round: &mut Round) -> bool {
        let busy = (0..POOL).filter(|&at| self.pool[at].work.is_some());
        let Some(at) = busy.min_by_key(|&at| self.pool[at].served) else { return false };
        let slot = &mut self.pool[at];
        let before = slot.spent();
        let Some(open) = &mut slot.work else { return false };
        let Some(request) = self.requests.get(open.token) else { return false };
        let most = TURN_EXPANSIONS.min(LIMITS[at].saturating_sub(before)).max(1);
        let allowance = u32::try_from(round.left).unwrap_or(0).clamp(1, most);
        let task = PlanTask { query: &request.query, search: &mut slot.search };
        let token = open.token;
        let answer = open.take_turn(&mut self.speculative, round.map, task, allowance);
        let spent_in_all = answer.as_ref().map_or_else(|| slot.spent(), |answer| answer.expansions);
        let spent = spent_in_all.saturating_sub(before);
        round.left -= i64::from(spent);
        slot.served += u64::from(spent);
        if let Some(mut answer) = answer {
            answer.expansions = answer.expansions.saturating_add(request.lost);
            slot.work = None;
            self.deliver(token, answer, round);
        } else if spent_in_all >= LIMITS[at] {
            self.leave_slot(at);
        }
        true
    }

    /// Has a search leave a slot that is for smaller ones: into one that allows more, or back into a queue.
    fn leave_slot(&mut self, at: usize) {
        let free = self.pool[..at].iter().position(|slot| slot.work.is_none());
        let spent = self.pool[at].spent();
        let Some(work) = self.pool[at].work.take() else { return };
        if let Some(free) = free {
            let (roomier, tighter) = self.pool.split_at_mut(at);
            std::mem::swap(&mut roomier[free].search, &mut tighter[0].search);
            roomier[free].served = roomier[free].served.max(tighter[0].served);
            roomier[free].work = Some(work);
            return;
        }
        if let Some(request) = self.requests.get_mut(work.token) {
            request.repeated = request.repeated.saturating_add(spent);
            self.repeated += u64::from(spent);
            self.queues[POOL - at].push_back(work.token);
        }
    }

    fn deliver(&mut self, token: PathToken, answer: PathAnswer, round: &mut Round) {
        if self.requests.remove(token).is_some() {
            round.out.push((token, answer));
        }
    }

    /// Begins again what was begun on another revision. What has been so too often goes to its end at once,
    /// whatever is left: later steps pay for it, and the others wait until they have. One that is too long
    /// for that begins again as often as the map changes.
    fn restart_stale(&mut self, round: &mut Round) {
        let revision = round.map.revision();
        for at in 0..POOL {
            if round.left < 0 {
                return;
            }
            let slot = &mut self.pool[at];
            let spent = slot.spent();
            let Some(work) = slot.work.take_if(|work| work.revision != revision) else { continue };
            let Some(request) = self.requests.get_mut(work.token) else { continue };
            request.lost = request.lost.saturating_add(spent);
            request.restarts += 1;
            self.restarts += 1;
            let lost = request.lost;
            let ended = (request.restarts > RESTARTS_MAX)
                .then(|| plan_within(AT_ONCE_MAX, round.map, &request.query, &mut slot.search));
            let begun = match ended {
                Some(Ok(answer)) => Err(Box::new(answer)),
                Some(Err(spent)) => {
                    round.left -= i64::from(spent);
                    round.map.begin(&request.query)
                }
                None => round.map.begin(&request.query),
            };
            match begun {
                Ok(plan) => {
                    let (token, work) = (work.token, Work::Searching(plan));
                    slot.work = Some(OpenRequest { token, work, revision });
                }
                Err(mut answer) => {
                    round.left -= i64::from(answer.expansions.max(1));
                    answer.expansions = answer.expansions.saturating_add(lost);
                    self.deliver(work.token, *answer, round);
                }
            }
        }
    }

    /// Mixes in everything that decides which answers come and when.
    pub fn hash_into(&self, hash: &mut StateHash) {
        hash.word(self.requests.len() as u64).word(self.debt);
        let least = self.pool.iter().map(|slot| slot.served).min().unwrap_or(0);
        self.pool.iter().for_each(|slot| {
            hash.word(slot.served - least);
        });
        for (token, request) in &self.requests {
            hash.word(token.bits());
            hash_query(&request.query, hash);
            hash.word(u64::from(request.restarts))
                .word(u64::from(request.lost))
                .word(u64::from(request.repeated));
        }
        for queue in &self.queues {
            let waiting = queue.iter().filter(|token| self.requests.contains_key(**token));
            hash.word(waiting.clone().count() as u64);
            waiting.for_each(|token| {
                hash.word(token.bits());
            });
        }
        let running = self.pool.iter().map(|slot| (slot.work.as_ref(), slot.spent()));
        for (work, spent) in running.chain([(self.next.as_ref(), 0)]) {
            let Some(work) = work else {
                hash.word(0);
                continue;
            };
            hash.word(work.token.bits()).word(work.revision.0).word(u64::from(spent));
        }
    }
}

fn hash_query(query: &PathQuery, hash: &mut StateHash) {
    let PathQuery { start, goal, by, accept, goal_layer, expansions_max, others } = query;
    let Traversal { radius_m, through, areas, layer, rules, actions } = by;
    hash.vector(*start).vector(*goal).float(*radius_m);
    let through = through.as_deref().unwrap_or(&[]);
    hash.word(through.len() as u64);
    for (area, extra_m) in through {
        hash.word(u64::from(area.0)).float(*extra_m);
    }
    // Optional parts say whether they are there, so that nothing takes another's place.
    hash.flag(areas.is_some());
    if let Some(areas) = areas.as_deref() {
        hash.word(areas.len() as u64);
        for (area, factor) in areas {
            hash.word(u64::from(area.0)).float(factor.unwrap_or(-1.0));
        }
    }
    hash.flag(rules.is_some());
    if let Some(rules) = rules {
        let PassRules { barred, one_way } = &**rules;
        hash.word(barred.len() as u64).word(one_way.len() as u64);
        for area in barred {
            hash.word(u64::from(area.0));
        }
        for OneWay { area, middle, direction } in one_way {
            hash.word(u64::from(area.0)).vector(*middle).floats(*direction);
        }
    }
    // Where there are no layers, hashes are as if there never were; likewise with actions that all can do.
    let layers = [*layer, goal_layer.unwrap_or(*layer)];
    if layers != [0, 0] {
        hash.word(u64::from(layers[0])).word(u64::from(layers[1]));
    }
    if *actions != LinkActions::ALL {
        hash.word(u64::from(actions.barred()));
    }
    hash.flag(*accept == Accept::Exact).word(u64::from(*expansions_max));
    hash.flag(others.is_some());
    if let Some(others) = others {
        hash.word(others.len() as u64);
        for disc in others.iter() {
            hash.vector(disc.centre).float(disc.radius_m);
        }
    }
}

/// The whole of a search; what it took where that would be more than so many expansions over squares.
fn plan_within(
    squares_max: u64,
    map: &NavMap,
    query: &PathQuery,
    search: &mut Search,
) -> Result<PathAnswer, u32> {
    let most = u32::try_from(squares_max / map.expansion_price().max(1)).unwrap_or(u32::MAX);
    let bounded = PathQuery { expansions_max: query.expansions_max.min(most), ..query.clone() };
    let answer = map.plan(&bounded, search);
    if query.expansions_max <= most {
        return Ok(answer);
    }
    // Near the limit it ended, but was not made as short as it can be.
    let is_cut = answer.trouble == Some(PathFailure::Limit);
    if is_cut { Err(answer.expansions) } else { Ok(map.plan(query, search)) }
}

#[cfg(test)]
mod tests;
