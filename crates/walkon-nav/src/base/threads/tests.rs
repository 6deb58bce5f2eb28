use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn threads(count: usize) -> Threads {
    Threads::new(NonZeroUsize::new(count).unwrap()).from_rows(0)
}

proptest! {
    #[test]
    fn every_row_is_done_once_by_any_number_of_threads(row_count in 0usize..5_000, count in 1usize..9) {
        let mut sums = vec![0u64; row_count];
        let mut numbers: Vec<u64> = (0..row_count as u64).collect();
        threads(count).share((&mut sums[..], &mut numbers[..]), || (), |(), first, (sums, numbers)| {
            for (at, (sum, number)) in sums.iter_mut().zip(numbers).enumerate() {
                *sum += (first + at) as u64 * 3 + 1;
                *number *= 2;
            }
        });
        let expected: Vec<usize> = (0..row_count).filter(|at| at % 7 == 3).collect();
        let all: Vec<usize> = (0..row_count).collect();
        prop_assert_eq!(threads(count).filter(&all, |at| at % 7 == 3), &expected[..]);
        let found = threads(count).filter_map(&all, |&at| (at % 7 == 3).then_some(at + 1));
        prop_assert_eq!(found, expected.iter().map(|at| at + 1).collect::<Vec<_>>());
        prop_assert!(sums.iter().zip(0..).all(|(&sum, at)| sum == at * 3 + 1));
        prop_assert!(numbers.iter().zip(0..).all(|(&number, at)| number == at * 2));
    }
}

#[test]
fn stretches_go_to_several_threads_from_the_least_number_of_rows_on() {
    let used = |threads: Threads, row_count: usize| {
        let mut by = vec![None; row_count];
        threads.share(
            &mut by[..],
            || thread::current().id(),
            |id, _, rows| {
                // So that nobody is through before another has begun.
                thread::sleep(std::time::Duration::from_millis(1));
                rows.fill(Some(*id));
            },
        );
        by.into_iter().flatten().map(|id| format!("{id:?}")).collect::<BTreeSet<_>>().len()
    };
    assert!(used(threads(3), 240) > 1);
    assert_eq!(used(threads(3).from_rows(241), 240), 1);
    assert_eq!(used(Threads::ONE.from_rows(0), 240), 1);
    assert_eq!(used(threads(8), 1), 1, "a row is done by one");
    assert_eq!(used(threads(8), 0), 0);
}

#[test]
#[should_panic(expected = "a scoped thread panicked")]
fn a_panic_of_a_thread_reaches_the_caller() {
    let caller = thread::current().id();
    let mut rows = vec![0; 64];
    threads(2).share(
        &mut rows[..],
        || (),
        |(), _, _| {
            thread::sleep(std::time::Duration::from_millis(1));
            assert_eq!(thread::current().id(), caller, "the work of another thread failed");
        },
    );
}
