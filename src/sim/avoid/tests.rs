//! When everybody decides.

use crate::base::time::{Tick, TickRate};
use crate::sim::avoid::Moment;

/// The ticks of the first so many seconds in which everybody decides, as the seconds at which they begin.
fn decisions_s(per_second: u32, seconds: u64) -> Vec<f64> {
    let rate = TickRate::new(per_second).unwrap();
    let ticks = 1..=u64::from(per_second) * seconds;
    let deciding = ticks.filter(|&tick| Moment::of(rate, Tick(tick)).decides);
    deciding.map(|tick| rate.seconds(Tick(tick - 1))).collect()
}

#[test]
fn decisions_are_made_at_the_same_moments_at_every_rate_that_thirty_divides() {
    let slowest = decisions_s(30, 2);
    assert_eq!(slowest.len(), 60);
    for per_second in [60, 120] {
        let moments = decisions_s(per_second, 2);
        assert_eq!(moments.len(), slowest.len(), "{per_second}");
        for (one, other) in moments.iter().zip(&slowest) {
            assert!((one - other).abs() < 1e-9, "{per_second}: {one} and {other}");
        }
    }
}

#[test]
fn slow_ticks_are_all_decided_in() {
    for per_second in [10, 25, 30, 50] {
        assert_eq!(decisions_s(per_second, 1).len() as u32, per_second);
    }
}

#[test]
fn a_decision_holds_until_the_next_and_seconds_begin_at_the_same_moments() {
    for per_second in [30, 60, 120] {
        let rate = TickRate::new(per_second).unwrap();
        assert!((Moment::of(rate, Tick(1)).for_s - 1.0 / 30.0).abs() < 1e-6, "{per_second}");
        for second in 0..3 {
            let first = u64::from(per_second) * u64::from(second) + 1;
            assert_eq!(Moment::of(rate, Tick(first)).epoch, second, "{per_second}");
            assert_eq!(
                Moment::of(rate, Tick(first + u64::from(per_second) - 1)).epoch,
                second,
                "{per_second}"
            );
        }
    }
}
