//! Converts real time into a number of fixed ticks.
//!
//! In: seconds that went by, as the host measured them. Out: ticks to run now, ticks that were given up.
//! Holds: a tick is always of the same length, whatever the host measures; after a pause at most the ticks of
//! [`CATCH_UP_SECONDS`] are caught up with, the rest is dropped and counted; zero time gives no tick, and so
//! does speed 0; a negative or non-numeric time or speed counts as zero and is reported; the rest of the tick
//! under way is kept through all of it. Not here: clocks (`shell`).

use std::ops::RangeInclusive;

use crate::base::time::TickRate;

/// Real time that is made up for after a pause, seconds, whatever the rate and the speed: eight ticks at 60 a
/// second.
pub const CATCH_UP_SECONDS: f64 = 8.0 / 60.0;
/// Fewest and most ticks that this may be.
pub const CATCH_UP_RANGE: RangeInclusive<f64> = 8.0..=1000.0;

/// Real time that was not turned into ticks yet.
///
/// One call makes at most the ticks of 133 ms, and eight at least. So no tick is dropped as long as eight
/// frames a second or more are drawn, at every rate and speed, up to 1,000 ticks a call. A machine that
/// takes longer for ticks than they last drops some: the game is slower than real time there.
///
/// ```
/// use walkon::{FixedTimestep, TickRate};
///
/// // Sixty ticks a second; frames of 25 ms.
/// let mut pace = FixedTimestep::new(TickRate::DEFAULT, 1.0);
/// assert_eq!(pace.advance(0.025).ticks, 1);
/// assert!((pace.part() - 0.5).abs() < 0.01, "half of the next tick has passed: draw between two poses");
/// assert_eq!(pace.advance(0.025).ticks, 2);
/// assert_eq!(pace.advance(60.0).dropped, 3592, "after a pause at most eight ticks are caught up with");
///
/// pace.set_speed(0.0);
/// assert_eq!(pace.advance(60.0).ticks, 0, "the game stands, and what is drawn with it");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedTimestep {
    /// Length of a tick, game seconds.
    tick_seconds: f64,
    /// Game seconds that a second of real time is.
    speed: f64,
    /// Game seconds that were not turned into ticks yet.
    left_seconds: f64,
}

/// The ticks of a span of real time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DueTicks {
    /// Ticks to run now.
    pub ticks: u32,
    /// Ticks that will never be run.
    pub dropped: u64,
    /// Whether the span or the speed was negative or no number, and was taken for nothing.
    pub is_ignored: bool,
}

impl FixedTimestep {
    /// The pace of a level at a multiple of real time: 1 is as fast, 0 stands still.
    #[must_use]
    pub fn new(rate: TickRate, speed: f64) -> Self {
        Self { tick_seconds: 1.0 / f64::from(rate.per_second()), speed, left_seconds: 0.0 }
    }

    /// Goes on at another multiple of real time. The tick under way stays as far as it has come.
    pub fn set_speed(&mut self, speed: f64) {
        self.speed = speed;
    }

    /// Takes in a span of real time.
    pub fn advance(&mut self, seconds: f64) -> DueTicks {
        let is_speed = self.speed.is_finite() && self.speed >= 0.0;
        if seconds.is_nan() || seconds < 0.0 || !is_speed {
            return DueTicks { is_ignored: true, ..DueTicks::default() };
        }
        if !self.goes_on() {
            return DueTicks::default();
        }
        self.left_seconds += seconds * self.speed;
        let whole = (self.left_seconds / self.tick_seconds).floor();
        // Nothing is left of a span without an end.
        self.left_seconds = (self.left_seconds - whole * self.tick_seconds).max(0.0).min(self.tick_seconds);
        let due = whole.min(self.catch_up());
        DueTicks { ticks: due as u32, dropped: (whole - due) as u64, ..DueTicks::default() }
    }

    /// How much of the tick under way has passed, 0 to 1: for drawing between two ticks.
    #[must_use]
    pub fn part(&self) -> f32 {
        (self.left_seconds / self.tick_seconds).clamp(0.0, 1.0) as f32
    }

    /// Seconds of real time until the next tick is due; infinite where none is to come.
    #[must_use]
    pub fn wait_seconds(&self) -> f64 {
        let left_seconds = (self.tick_seconds - self.left_seconds).max(0.0);
        if self.goes_on() { left_seconds / self.speed } else { f64::INFINITY }
    }

    /// Most ticks that are run at once.
    fn catch_up(&self) -> f64 {
        let ticks = (CATCH_UP_SECONDS * self.speed / self.tick_seconds).round();
        ticks.clamp(*CATCH_UP_RANGE.start(), *CATCH_UP_RANGE.end())
    }

    fn goes_on(&self) -> bool {
        self.speed.is_finite() && self.speed > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace() -> FixedTimestep {
        FixedTimestep::new(TickRate::DEFAULT, 1.0)
    }

    #[test]
    fn fault_g20_no_time_at_all_is_no_tick_and_changes_nothing() {
        let mut pace = pace();
        pace.advance(0.01);
        let before = pace;
        assert_eq!(pace.advance(0.0), DueTicks::default());
        assert_eq!(pace, before);
    }

    #[test]
    fn fault_g21_a_pause_is_caught_up_with_by_eight_ticks_and_the_rest_is_dropped() {
        let mut pace = pace();
        assert_eq!(pace.advance(5.0), DueTicks { ticks: 8, dropped: 292, is_ignored: false });
        assert_eq!(pace.advance(0.0), DueTicks::default(), "no tick of the pause is left");
        assert_eq!(pace.advance(f64::INFINITY).ticks, 8);
        assert_eq!(pace.advance(1.0 / 59.0).ticks, 1);
    }

    #[test]
    fn fault_g21_time_that_runs_backwards_or_is_no_number_is_told_and_counts_as_none() {
        let mut pace = pace();
        for seconds in [-1.0, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(pace.advance(seconds), DueTicks { is_ignored: true, ..DueTicks::default() });
        }
        assert_eq!(pace, self::pace());
    }

    #[test]
    fn a_game_stands_at_speed_0_and_at_a_speed_of_no_number_and_what_is_drawn_stands_with_it() {
        for (speed, is_ignored) in [(0.0, false), (f64::NAN, true), (f64::INFINITY, true), (-1.0, true)] {
            let mut pace = pace();
            pace.advance(0.01);
            let (part, fresh) = (pace.part(), FixedTimestep::new(TickRate::DEFAULT, speed));
            pace.set_speed(speed);
            for (mut pace, part) in [(pace, part), (fresh, 0.0)] {
                for seconds in [0.0, 0.016, 5.0, f64::INFINITY] {
                    let due = DueTicks { is_ignored, ..DueTicks::default() };
                    assert_eq!((pace.advance(seconds), pace.part()), (due, part), "{speed}");
                }
                assert_eq!(pace.wait_seconds(), f64::INFINITY);
                pace.set_speed(1.0);
                assert_eq!(pace.advance(1.0 / 60.0).ticks, 1, "it goes on");
            }
        }
    }

    #[test]
    fn another_speed_keeps_the_tick_under_way() {
        let mut pace = pace();
        pace.advance(0.0125);
        pace.set_speed(0.5);
        assert!((pace.part() - 0.75).abs() < 1e-6);
        assert!((pace.wait_seconds() - 0.5 / 60.0).abs() < 1e-9);
        assert_eq!(pace.advance(0.0084).ticks, 1);
    }

    /// Rates and speeds, at frames from 144 a second down to the eight that are always made up for.
    #[test]
    fn no_tick_is_lost_at_any_rate_and_speed_as_long_as_frames_are_drawn() {
        for rate in [10, 30, 60, 120, 144, 240].map(|rate| TickRate::new(rate).expect("a rate")) {
            for speed in [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0] {
                for frames in [8, 10, 14, 25, 29, 30, 60, 144] {
                    let mut pace = FixedTimestep::new(rate, speed);
                    let (mut ticks, mut dropped) = (0, 0);
                    for _ in 0..frames * 10 {
                        let due = pace.advance(1.0 / f64::from(frames));
                        (ticks, dropped) = (ticks + u64::from(due.ticks), dropped + due.dropped);
                    }
                    let expected = f64::from(rate.per_second()) * 10.0 * speed;
                    let is_whole = (ticks as f64 - expected).abs() <= 1.0;
                    assert!(
                        is_whole && dropped == 0,
                        "{rate:?} x {speed}, {frames}: {ticks}, {dropped} lost"
                    );
                }
            }
        }
    }

    /// What is run, dropped and left is the time that went by, whatever it was.
    #[test]
    fn ticks_run_dropped_and_left_are_the_time_that_went_by() {
        let mut rng = crate::base::rng::Rng::stream(6, "paces");
        for rate in [10, 33, 60, 240].map(|rate| TickRate::new(rate).expect("a rate")) {
            let mut pace = FixedTimestep::new(rate, 1.0);
            let (mut counted, mut game_seconds) = (0.0, 0.0);
            for _ in 0..500 {
                pace.set_speed(rng.float(0.0, 30.0));
                let seconds = rng.float(0.0, 2.0).powi(3);
                let due = pace.advance(seconds);
                game_seconds += seconds * pace.speed;
                counted += f64::from(due.ticks) + due.dropped as f64;
                assert!(f64::from(due.ticks) <= pace.catch_up(), "{due:?}");
            }
            let expected = game_seconds * f64::from(rate.per_second());
            let told = counted + f64::from(pace.part());
            assert!((told - expected).abs() < 0.01, "{rate:?}: {told} of {expected}");
        }
        assert_eq!(FixedTimestep::new(TickRate::DEFAULT, 1e9).advance(1.0).ticks, 1000);
    }

    #[test]
    fn spans_of_any_length_add_up_to_the_same_ticks() {
        for parts in [8, 60, 61, 144, 1000] {
            let mut pace = pace();
            let ticks: u32 = (0..parts).map(|_| pace.advance(1.0 / f64::from(parts)).ticks).sum();
            assert!((59..=60).contains(&ticks), "{parts} parts of a second make {ticks} ticks");
            assert!(pace.wait_seconds() <= 1.0 / 60.0);
        }
        let mut fast = FixedTimestep::new(TickRate::DEFAULT, 2.0);
        assert_eq!(fast.advance(0.0501).ticks, 6);
    }
}
