//! Gathers the runs of one test, one a seed, into its result.
//!
//! In: results by seed, in any order. Out: the result of the test, as if its seeds had run one after another
//! up to the first that does not end as expected. Holds: results of later seeds do not count, and neither do
//! their times and costs. Not here: running them, the order of tests (`suite`).

use std::collections::BTreeMap;
use std::time::Duration;

use crate::game::testing::TestResult;
use crate::script::state::profile::Profile;

/// A test that was run, with one seed or several, and how long that took.
#[derive(Clone, Debug)]
pub(in crate::shell) struct Timed {
    pub result: TestResult,
    pub took: Duration,
    /// What its scripts cost, where that was asked for.
    pub profile: Option<Profile>,
}

/// What has come of a test so far.
#[derive(Clone, Debug, Default)]
pub(super) struct GatheredTest {
    /// How many seeds it has.
    seeds: usize,
    /// How many of them, from the first on, are in `result`.
    gathered: usize,
    /// That of the last seed that is gathered, with what all of them took and cost.
    result: Option<Timed>,
    /// What came before the result of an earlier seed. It waits here for its turn.
    ahead: BTreeMap<usize, Timed>,
}

impl GatheredTest {
    /// The test has one seed more.
    pub(super) fn awaits_one_more(&mut self) {
        self.seeds += 1;
    }

    /// The run with the seed of this turn has ended.
    pub(super) fn hear(&mut self, turn: usize, ended: Timed) {
        self.ahead.insert(turn, ended);
        while !self.is_decided() {
            let Some(next) = self.ahead.remove(&self.gathered) else {
                return;
            };
            self.gathered += 1;
            self.result = Some(match self.result.take() {
                Some(earlier) => follow(earlier, next),
                None => next,
            });
        }
        self.ahead.clear();
    }

    /// The result of the test, once it is known.
    pub(super) fn take_result(&mut self) -> Option<Timed> {
        if self.is_decided() { self.result.take() } else { None }
    }

    fn is_decided(&self) -> bool {
        let has_failed = self.result.as_ref().is_some_and(|ended| !ended.result.passed);
        has_failed || self.gathered == self.seeds
    }
}

/// The result of `next`, with what it and all before it took and cost.
fn follow(earlier: Timed, next: Timed) -> Timed {
    let profile = match (earlier.profile, next.profile) {
        (Some(mut sum), Some(profile)) => {
            sum.add(&profile);
            Some(sum)
        }
        (one, other) => one.or(other),
    };
    Timed { result: next.result, took: earlier.took + next.took, profile }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::game::testing;

    /// How a run with the seed of this turn ended, after so many milliseconds.
    fn ended(turn: usize, passed: bool) -> Timed {
        let result = testing::invalid("a_test.lua", 1, "it ended".to_owned());
        let result = testing::TestResult { passed, seed: turn as u64 + 1, ..result };
        Timed { result, took: Duration::from_millis(1 << turn), profile: None }
    }

    /// The seed and the milliseconds of the result, where seeds end in this order; and after how many.
    fn gathered(order: [usize; 4], failing: &[usize]) -> (usize, u64, u128) {
        let mut test = GatheredTest::default();
        order.iter().for_each(|_| test.awaits_one_more());
        for (count, turn) in (1..).zip(order) {
            test.hear(turn, ended(turn, !failing.contains(&turn)));
            if let Some(timed) = test.take_result() {
                return (count, timed.result.seed, timed.took.as_millis());
            }
        }
        panic!("all seeds have come");
    }

    #[test]
    fn the_last_seed_is_the_result_when_all_pass() {
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
            assert_eq!(gathered(order, &[]), (4, 4, 15));
        }
    }

    #[test]
    fn the_smallest_seed_that_fails_is_the_result_as_soon_as_all_before_it_have_ended() {
        assert_eq!(gathered([0, 1, 2, 3], &[1, 3]), (2, 2, 3));
        assert_eq!(gathered([3, 2, 1, 0], &[1, 3]), (4, 2, 3));
        assert_eq!(gathered([3, 1, 0, 2], &[1, 3]), (3, 2, 3));
        assert_eq!(gathered([2, 0, 3, 1], &[0, 2]), (2, 1, 1));
    }
}
