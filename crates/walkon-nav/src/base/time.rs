//! Game time: ticks, and the way from seconds to ticks and back.
//!
//! In: a tick rate and seconds. Out: whole ticks. Holds: nothing here reads a clock.

/// A count of ticks since the level was loaded. Tick 0 is the level as loaded, the first step makes tick 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TickNumber(pub u64);

impl TickNumber {
    /// The tick that never comes.
    pub const NEVER: Self = Self(u64::MAX);

    /// The tick that lies `ticks` later; stays at the largest tick instead of overflowing.
    #[must_use]
    pub fn after(self, ticks: u64) -> Self {
        Self(self.0.saturating_add(ticks))
    }

    /// The tick that lay `ticks` earlier; tick 0 when there was none.
    #[must_use]
    pub fn before(self, ticks: u64) -> Self {
        Self(self.0.saturating_sub(ticks))
    }

    /// Ticks from `earlier` to `self`, 0 when `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Steps a second, 10 to 240. Fixed while a level runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TickRate(u32);

impl TickRate {
    /// The rate of a level that names none, ticks a second.
    pub const DEFAULT: Self = Self(60);
    /// The slowest rate a level may ask for, ticks a second.
    pub const MIN: u32 = 10;
    /// The fastest rate a level may ask for, ticks a second.
    pub const MAX: u32 = 240;

    /// None outside [`TickRate::MIN`] to [`TickRate::MAX`].
    #[must_use]
    pub fn new(ticks_per_second: u32) -> Option<Self> {
        (Self::MIN..=Self::MAX).contains(&ticks_per_second).then_some(Self(ticks_per_second))
    }

    /// Ticks a second.
    #[must_use]
    pub fn per_second(self) -> u32 {
        self.0
    }

    /// Seconds that one tick lasts.
    #[must_use]
    pub fn tick_seconds(self) -> f32 {
        1.0 / self.0 as f32
    }

    /// Seconds from the start of the level to `tick`.
    #[must_use]
    pub fn seconds(self, tick: TickNumber) -> f64 {
        tick.0 as f64 / f64::from(self.0)
    }

    /// Steps of the crowd a second, where that many go into the ticks of one. 30: people go about as they do
    /// with 60, at half the cost, and a rate of 30, 60 or 120 ticks a second changes nothing about where
    /// people go and when.
    pub const CROWD_STEPS_PER_S: u32 = 30;

    /// Ticks that one step of the crowd takes, 1 to 8: people decide, move and meet in its first and arrive
    /// in its last.
    #[must_use]
    pub fn ticks_per_step(self) -> u64 {
        u64::from((self.0 / Self::CROWD_STEPS_PER_S).max(1))
    }

    /// Seconds that a step of the crowd lasts.
    #[must_use]
    pub fn step_seconds(self) -> f32 {
        // One division, so that it is the same number at 30, 60 and 120 ticks a second.
        self.ticks_per_step() as f32 / self.0 as f32
    }

    /// Whether a step of the crowd begins with that tick; the first tick, 1, begins one.
    #[must_use]
    pub fn begins_step(self, tick: TickNumber) -> bool {
        tick.0.saturating_sub(1).is_multiple_of(self.ticks_per_step())
    }

    /// The last tick of the crowd's step that a tick belongs to.
    #[must_use]
    #[inline]
    pub fn landing(self, tick: TickNumber) -> TickNumber {
        let ticks = self.ticks_per_step();
        // Each walk asks for it several times a step, and a division takes as long as all the rest.
        if ticks.is_power_of_two() {
            let before = tick.0.checked_sub(1).map(|before| before | (ticks - 1));
            return TickNumber(before.map_or(0, |last| last.saturating_add(1)));
        }
        TickNumber(tick.0.div_ceil(ticks).saturating_mul(ticks))
    }

    /// Whole ticks that last at least `seconds`, rounded up; 0 for zero, negative and NaN. A thousandth
    /// of a tick is forgiven, so that 0.1 s at 60 Hz is 6 ticks although 0.1 is no exact binary number.
    #[must_use]
    pub fn ticks(self, seconds: f64) -> u64 {
        let exact = seconds * f64::from(self.0);
        if exact.is_nan() || exact <= 0.0 { 0 } else { libm::ceil(exact - 1e-3).max(0.0) as u64 }
    }
}

impl Default for TickRate {
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_whole_ticks_rounded_up() {
        let rate = TickRate::DEFAULT;
        let cases =
            [(0.0, 0), (-1.0, 0), (f64::NAN, 0), (0.1, 6), (1.0, 60), (0.01, 1), (1.001, 61), (0.6, 36)];
        for (seconds, ticks) in cases {
            assert_eq!(rate.ticks(seconds), ticks, "{seconds} s at 60 Hz");
        }
    }

    #[test]
    fn steps_of_the_crowd_are_the_same_at_30_60_and_120_ticks_a_second() {
        for (per_second, ticks) in [(10, 1), (30, 1), (59, 1), (60, 2), (100, 3), (120, 4), (240, 8)] {
            let rate = TickRate(per_second);
            assert_eq!(rate.ticks_per_step(), ticks);
            for step in 0..100 {
                let of_step: Vec<TickNumber> =
                    (1..=ticks).map(|tick| TickNumber(step * ticks + tick)).collect();
                let begun: Vec<bool> = of_step.iter().map(|&tick| rate.begins_step(tick)).collect();
                assert_eq!(begun.iter().filter(|&&begins| begins).count(), 1);
                assert!(begun[0]);
                assert!(of_step.iter().all(|&tick| rate.landing(tick) == TickNumber((step + 1) * ticks)));
            }
        }
        let seconds = [30, 60, 120].map(|rate| TickRate(rate).step_seconds().to_bits());
        assert!(seconds.iter().all(|&bits| bits == seconds[0]));
    }

    #[test]
    fn rates_outside_the_range_are_refused() {
        assert_eq!(TickRate::new(9), None);
        assert_eq!(TickRate::new(241), None);
        assert_eq!(TickRate::new(30).map(TickRate::per_second), Some(30));
    }
}
