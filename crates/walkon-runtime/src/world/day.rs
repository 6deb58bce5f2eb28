//! The time of day, on levels that have one: how it passes, and when an hour comes.
//!
//! In: ticks, settings of a level or script. Out: minutes since midnight, the day, ticks until an hour.
//! Holds: the time follows from the tick, so nothing has to be done for it to pass; it never runs backwards
//! by itself; an hour that is asked for comes in one tick, not a tick late. Not here: what people do then
//! (`scripts/lib/schedule.lua`).

use crate::base::hash::StateHash;
use crate::base::time::{TickNumber, TickRate};

/// Minutes of a day.
pub const DAY_MIN: f64 = 1440.0;

/// Less than this is no time: an hour that a product of fractions misses by it has come.
const NOTHING_MIN: f64 = 1e-6;

/// The time of day of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DayTime {
    /// Minutes since the midnight before the first day, when the clock was set last.
    pub(crate) set_min: f64,
    /// When that was.
    pub(crate) set_at: TickNumber,
    /// Game seconds that a minute takes.
    pub(crate) seconds_per_minute: f64,
    /// Whether the time stands still.
    pub(crate) is_paused: bool,
}

impl DayTime {
    /// A clock that shows `minutes` after midnight of its first day at tick 0.
    #[must_use]
    pub fn new(minutes: f64, seconds_per_minute: f64) -> Self {
        Self { set_min: minutes, set_at: TickNumber(0), seconds_per_minute, is_paused: false }
    }

    /// The same clock, which stands still.
    #[must_use]
    pub fn paused(self) -> Self {
        Self { is_paused: true, ..self }
    }

    /// Minutes since the midnight before the first day.
    #[must_use]
    pub fn minutes(&self, now: TickNumber, rate: TickRate) -> f64 {
        if self.is_paused {
            return self.set_min;
        }
        let passed = now.since(self.set_at) as f64 / self.ticks_per_minute(rate);
        let minutes = self.set_min + passed;
        let whole = libm::round(minutes);
        if (minutes - whole).abs() < NOTHING_MIN { whole } else { minutes }
    }

    /// Minutes since midnight.
    #[must_use]
    pub fn minute_of_day(&self, now: TickNumber, rate: TickRate) -> f64 {
        let minutes = self.minutes(now, rate);
        minutes - libm::floor(minutes / DAY_MIN) * DAY_MIN
    }

    /// The day, from 1.
    #[must_use]
    pub fn day(&self, now: TickNumber, rate: TickRate) -> u64 {
        // The saturating cast takes nothing: clocks are set to less than a thousand years.
        libm::floor(self.minutes(now, rate) / DAY_MIN) as u64 + 1
    }

    /// Ticks until the clock shows `minute` of the day the next time, at least one; none while it stands
    /// still.
    #[must_use]
    pub fn ticks_until(&self, minute: f64, now: TickNumber, rate: TickRate) -> Option<u64> {
        if self.is_paused {
            return None;
        }
        let mut left = minute - self.minute_of_day(now, rate);
        if left < NOTHING_MIN {
            left += DAY_MIN;
        }
        let target = self.minutes(now, rate) + left;
        let guess = libm::floor(left * self.ticks_per_minute(rate)) as u64;
        // The clock itself says when it is there: a tick either way is the most that rounding makes.
        let is_there = |ticks: u64| self.minutes(now.after(ticks), rate) >= target - NOTHING_MIN;
        let first = (guess.saturating_sub(1)..=guess + 2).find(|ticks| is_there(*ticks));
        Some(first.unwrap_or(guess + 2).max(1))
    }

    /// Stops the clock.
    pub(crate) fn pause(&mut self, now: TickNumber, rate: TickRate) {
        (self.set_min, self.set_at) = (self.minutes(now, rate), now);
        self.is_paused = true;
    }

    /// Lets the clock go on.
    pub(crate) fn resume(&mut self, now: TickNumber, rate: TickRate) {
        (self.set_min, self.set_at) = (self.minutes(now, rate), now);
        self.is_paused = false;
    }

    /// Lets a minute take so many game seconds from now on.
    pub(crate) fn set_pace(&mut self, seconds_per_minute: f64, now: TickNumber, rate: TickRate) {
        (self.set_min, self.set_at) = (self.minutes(now, rate), now);
        self.seconds_per_minute = seconds_per_minute;
    }

    /// Puts the clock forward to `minute` of this day, or of the next one where that has passed.
    pub(crate) fn put_forward(&mut self, minute: f64, now: TickNumber, rate: TickRate) {
        let (minutes, of_day) = (self.minutes(now, rate), self.minute_of_day(now, rate));
        let days = if minute < of_day - NOTHING_MIN { 1.0 } else { 0.0 };
        (self.set_min, self.set_at) = (minutes - of_day + minute + days * DAY_MIN, now);
    }

    fn ticks_per_minute(&self, rate: TickRate) -> f64 {
        self.seconds_per_minute * f64::from(rate.per_second())
    }

    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        let Self { set_min, set_at, seconds_per_minute, is_paused } = self;
        hash.word(set_min.to_bits()).word(set_at.0).word(seconds_per_minute.to_bits()).flag(*is_paused);
    }
}

/// The minute of the day that a text says, as in `6:30` or `18:05`; none where it says none.
#[must_use]
pub fn minute_of(text: &str) -> Option<f64> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |part: &str, most: u32| {
        let is_plain = (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<u32>().ok().filter(|number| is_plain && *number <= most)
    };
    if minutes.len() != 2 {
        return None;
    }
    Some(f64::from(number(hours, 23)? * 60 + number(minutes, 59)?))
}

/// A minute of the day as people write it: `06:30`.
#[must_use]
pub fn text_of(minute_of_day: f64) -> String {
    let whole = libm::floor(minute_of_day).clamp(0.0, DAY_MIN - 1.0) as u32;
    format!("{:02}:{:02}", whole / 60, whole % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate() -> TickRate {
        TickRate::default()
    }

    #[test]
    fn texts_say_minutes_and_minutes_texts() {
        for minute in 0..1440 {
            assert_eq!(minute_of(&text_of(f64::from(minute))), Some(f64::from(minute)));
        }
        assert_eq!((minute_of("6:30"), minute_of("23:59")), (Some(390.0), Some(1439.0)));
        for wrong in ["24:00", "6", "6:5", "06:60", "-1:00", "+6:00", "6:30 ", "", ":", "006:00", "６:30"] {
            assert_eq!(minute_of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_hour_comes_in_the_tick_that_was_foretold_whatever_the_pace() {
        for pace in [1.0 / 24.0, 0.041_666_7, 0.25, 1.0, 0.37, 7.3, 60.0] {
            let clock = DayTime::new(1430.0, pace);
            for minute in [0.0, 1.0, 430.0, 1429.0, 1430.0, 1431.0] {
                let now = TickNumber(17);
                let ticks = clock.ticks_until(minute, now, rate()).unwrap_or(0);
                let at = |ticks: u64| clock.minutes(now.after(ticks), rate());
                let shown = clock.minute_of_day(now.after(ticks), rate());
                let since = (shown - minute + DAY_MIN) % DAY_MIN;
                assert!(since <= 1.0 / (pace * 60.0) + 1e-6, "{pace} {minute}: {shown}");
                assert!(
                    at(ticks) > at(0) && at(ticks) - at(0) <= DAY_MIN + 1.0 / (pace * 60.0),
                    "{pace} {minute}"
                );
                let before = clock.minute_of_day(now.after(ticks - 1), rate());
                assert!(
                    ticks == 1 || before < minute || minute < 1.0 && before > 1438.0,
                    "{pace} {minute}: {before}"
                );
            }
        }
    }

    #[test]
    fn midnight_begins_a_day() {
        let clock = DayTime::new(1439.0, 1.0);
        let shown =
            |tick: u64| (clock.day(TickNumber(tick), rate()), clock.minute_of_day(TickNumber(tick), rate()));
        assert_eq!((shown(0), shown(60)), ((1, 1439.0), (2, 0.0)));
        assert_eq!(clock.day(TickNumber(59), rate()), 1);
    }

    #[test]
    fn a_clock_that_stood_still_goes_on_where_it_stood() {
        let mut clock = DayTime::new(60.0, 1.0);
        clock.pause(TickNumber(120), rate());
        assert_eq!(
            (clock.minutes(TickNumber(9000), rate()), clock.ticks_until(90.0, TickNumber(9000), rate())),
            (62.0, None)
        );
        clock.resume(TickNumber(9000), rate());
        assert_eq!(clock.minutes(TickNumber(9060), rate()), 63.0);
        clock.put_forward(50.0, TickNumber(9060), rate());
        assert_eq!(
            (clock.day(TickNumber(9060), rate()), clock.minute_of_day(TickNumber(9060), rate())),
            (2, 50.0)
        );
        clock.set_pace(2.0, TickNumber(9060), rate());
        assert_eq!(clock.minute_of_day(TickNumber(9180), rate()), 51.0);
    }
}
