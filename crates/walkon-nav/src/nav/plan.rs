//! The common part of plans on every kind of map: how they begin, go on and end, and what they report.
//!
//! In: a map, a query, allowances. Out: an answer. Holds: a step ends with an answer or spends its allowance.
//! Not here: how each kind finds its ways (`plan` of each), which kind there is (`map`).

use std::sync::Arc;

use glam::Vec3;

use crate::nav::backend::Backend;
use crate::nav::node::Revision;
use crate::nav::path::{Accept, Others, Path, PathAnswer, PathFailure, PathQuery, PathStatus, Reach};
use crate::nav::search::Search;
use crate::nav::smooth::Effort;
use crate::nav::traversal::{PassRules, Traversal};

/// What a plan works on: the same from its beginning to its end.
pub(crate) struct PlanTask<'a> {
    pub(crate) query: &'a PathQuery,
    pub(crate) search: &'a mut Search,
}

/// A plan under way, or the answer, when it needs no search.
pub(crate) type Begun<P> = Result<P, Box<PathAnswer>>;

/// The paused work on one query. Goes with the search that it was begun with, and with one revision of the
/// map.
pub(crate) trait Plan: Sized {
    /// The map that it is made on.
    type Map: Backend;

    /// Decides all that needs no search: the answer, or the work that is left.
    fn begin(map: &Self::Map, query: &PathQuery) -> Begun<Self>;

    /// What beginning it took, as expansions, without the marking of people in the way.
    fn begun_for(&self) -> u32 {
        0
    }

    /// Expansions charged so far, those of its search included.
    fn spent(&self, search: &Search) -> u32;

    /// Goes on until there is an answer or the allowance is spent.
    fn step(&mut self, map: &Self::Map, task: PlanTask<'_>, allowance: u32) -> Option<PathAnswer>;

    /// Goes on to the end.
    fn finish(mut self, map: &Self::Map, task: PlanTask<'_>) -> PathAnswer {
        // Bounded by the limit of the query: every step with a full allowance ends.
        loop {
            let task = PlanTask { query: task.query, search: &mut *task.search };
            if let Some(answer) = self.step(map, task, u32::MAX) {
                return answer;
            }
        }
    }
}

impl PathAnswer {
    /// That there is no path.
    pub(crate) fn none(trouble: PathFailure, revision: Revision) -> Self {
        Self { trouble: Some(trouble), revision, ..Self::default() }
    }
}

/// What is said of a way beside where it leads.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Remarks {
    /// None when it leads to the goal itself.
    pub(crate) trouble: Option<PathFailure>,
    pub(crate) others: Others,
    pub(crate) covered: Option<u32>,
    pub(crate) expansions: u32,
    pub(crate) granted: u32,
}

impl Remarks {
    /// The answer that a path is.
    pub(crate) fn of(self, path: Path) -> PathAnswer {
        let Self { trouble, others, covered, expansions, granted } = self;
        let is_whole = trouble.is_none();
        PathAnswer {
            status: if is_whole { PathStatus::Complete } else { PathStatus::Partial },
            trouble,
            nearest: path.points.last().copied().filter(|_| !is_whole),
            expansions,
            granted,
            revision: path.revision,
            others,
            covered,
            path,
        }
    }
}

/// Whether one point can be reached from another. Labels, which `by_labels` asks for a goal, decide unless
/// the answer depends on the direction of areas; then a search does, which is counted.
pub(crate) fn reach<P: Plan>(
    map: &P::Map,
    [from, to]: [Vec3; 2],
    by: &Traversal,
    effort: &Effort,
    by_labels: &dyn Fn(Vec3, &Traversal) -> Reach,
) -> Reach {
    let Some(walled) = by.walled() else {
        return by_labels(to, by);
    };
    let both_ways = PassRules { barred: by.barred().to_vec(), one_way: Vec::new() };
    let both_ways = Traversal { rules: Some(Arc::new(both_ways)), ..by.clone() };
    let to_goal = |goal: Vec3| {
        let wide = by_labels(goal, &both_ways);
        if wide != Reach::Yes || by_labels(goal, &walled) == Reach::Yes {
            return wide;
        }
        let query = PathQuery { accept: Accept::Exact, ..PathQuery::new(from, goal, by.clone()) };
        let mut search = Search::default();
        let answer = match P::begin(map, &query) {
            Ok(plan) => plan.finish(map, PlanTask { query: &query, search: &mut search }),
            Err(answer) => *answer,
        };
        effort.add_expansions(u64::from(answer.expansions) * map.expansion_price());
        answer.trouble.map_or(Reach::Yes, Reach::No)
    };
    let found = to_goal(to);
    let comes_in = |way_in: &Vec3| to_goal(*way_in) == Reach::Yes;
    let is_in_front = found != Reach::Yes && map.way_in(to, by).filter(comes_in).is_some();
    if is_in_front { Reach::Yes } else { found }
}
