//! Path requests: tokens, worked off under a budget of expansions.
//!
//! In: queries, a map, an allowance. Out: answers by token. Holds: first come, first served; a cancelled request
//! never delivers. Not here: who asked.

use std::collections::VecDeque;

use slotmap::SlotMap;

use crate::base::hash::StateHash;
use crate::base::ids::PathToken;
use crate::nav::{NavMap, PathAnswer, PathQuery, Search};

/// Requests that wait for an answer.
#[derive(Debug, Default)]
pub struct PathRequests {
    tokens: SlotMap<PathToken, ()>,
    queue: VecDeque<(PathToken, PathQuery)>,
    search: Search,
}

impl PathRequests {
    /// Queues a request.
    pub fn push(&mut self, query: PathQuery) -> PathToken {
        let token = self.tokens.insert(());
        self.queue.push_back((token, query));
        token
    }

    /// Takes a request back; it delivers nothing afterwards.
    pub fn cancel(&mut self, token: PathToken) {
        self.tokens.remove(token);
        self.queue.retain(|(queued, _)| *queued != token);
    }

    /// Answers requests in order until the allowance is spent; returns what was spent.
    pub fn step(
        &mut self,
        map: &NavMap,
        budget_expansions: u32,
        out: &mut Vec<(PathToken, PathAnswer)>,
    ) -> u32 {
        let mut spent = 0;
        while spent < budget_expansions {
            let Some((token, query)) = self.queue.pop_front() else {
                break;
            };
            let answer = map.plan(&query, &mut self.search);
            spent += answer.expansions;
            self.tokens.remove(token);
            out.push((token, answer));
        }
        spent
    }

    /// Requests that wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Mixes what waits into `hash`.
    pub fn hash_into(&self, hash: &mut StateHash) {
        hash.word(self.queue.len() as u64);
        for (_, query) in &self.queue {
            hash.vector(query.start).vector(query.goal).float(query.by.radius_m);
        }
    }
}
