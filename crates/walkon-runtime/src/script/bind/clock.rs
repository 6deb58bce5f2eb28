//! `clock`: the time of day, on levels whose file has the key `clock`.
//!
//! Holds: texts and numbers mean the same time; the clock goes forward only. Not here: how the time passes
//! (`world::day`), appointments (`scripts/lib/schedule.lua`).

use mlua::{Lua, Value};

use crate::base::time::{TickNumber, TickRate};
use crate::script::bind::call::{BindingError, ask, nothing, with};
use crate::script::bind::table::{Binding, HostResult, Library, param};
use crate::script::step::owner;
use crate::script::vm::convert::{Args, Argument, UsageError};
use crate::world::World;
use crate::world::day::{self, DayTime};
use crate::world::event::Fact;
use crate::world::event_name::CLOCK_CHANGED;

const CLOCK: &str = "clock";

/// What stands above the entries.
pub const GROUP: Library = Library {
    name: CLOCK,
    is_type: false,
    doc: "The time of day, on levels that have the key `clock`. A time is a text such as \"6:30\", or minutes since midnight.",
};

/// The longest that a minute may take, game seconds, and the shortest.
const PACE_S: std::ops::RangeInclusive<f64> = 0.001..=3600.0;

/// Everything `clock` has.
pub const ENTRIES: &[Binding] = &[
    Binding {
        doc: "Whether the level has a time of day. Without one, everything else here is refused.",
        example: "assert(clock.exists)",
        ..Binding::field(CLOCK, "clock.exists", "boolean", exists)
    },
    Binding {
        doc: "Minutes since midnight, from 0 to less than 1440.",
        example: "assert(clock.minutes >= 0 and clock.minutes < 1440)",
        ..Binding::field(CLOCK, "clock.minutes", "number", minutes)
    },
    Binding {
        doc: "The time as people write it, such as `06:30`.",
        example: "assert(#clock.text == 5)",
        ..Binding::field(CLOCK, "clock.text", "string", text)
    },
    Binding {
        doc: "The day, from 1. It begins at midnight.",
        example: "assert(clock.day >= 1)",
        ..Binding::field(CLOCK, "clock.day", "number", day_number)
    },
    Binding {
        doc: "Game seconds that a minute takes.",
        example: "assert(clock.secondsPerMinute > 0)",
        ..Binding::field(CLOCK, "clock.secondsPerMinute", "number", pace)
    },
    Binding {
        doc: "Whether the time stands still.",
        example: "assert(not clock.paused)",
        ..Binding::field(CLOCK, "clock.paused", "boolean", paused)
    },
    Binding {
        params: &[param("from", "string | number", "\"22:00\""), param("to", "string | number", "\"6:00\"")],
        returns: "boolean",
        raises: "range",
        doc: "Whether it is `from` or later, and not yet `to`. A span may go over midnight.",
        example: "assert(clock.isBetween(\"22:00\", \"6:00\") ~= clock.isBetween(\"6:00\", \"22:00\"))",
        ..Binding::function(CLOCK, "clock.isBetween", is_between)
    },
    Binding {
        params: &[param("time", "string | number", "\"18:00\"")],
        returns: "number",
        raises: "range",
        doc: "Game seconds until it is that time the next time, a tick at least; `math.huge` while the clock stands still.",
        example: "assert(clock.secondsUntil(\"18:00\") > 0)",
        ..Binding::function(CLOCK, "clock.secondsUntil", seconds_until)
    },
    Binding {
        params: &[param("time", "string | number", "\"18:00\"")],
        raises: "range",
        doc: "Puts the clock forward to that time, of the next day where it has passed on this one.",
        example: "clock.set(\"18:00\")\nassert(clock.text == \"18:00\")",
        ..Binding::function(CLOCK, "clock.set", set)
    },
    Binding {
        params: &[param("seconds", "number", "0.5")],
        raises: "range",
        doc: "Lets a minute take so many game seconds from now on, 0.001 to 3600.",
        example: "clock.setPace(0.5)\nassert(clock.secondsPerMinute == 0.5)",
        ..Binding::function(CLOCK, "clock.setPace", set_pace)
    },
    Binding {
        doc: "Stops the clock.",
        example: "clock.pause()\nassert(clock.paused and clock.secondsUntil(\"0:00\") == math.huge)",
        ..Binding::function(CLOCK, "clock.pause", pause)
    },
    Binding {
        doc: "Lets the clock go on.",
        example: "clock.pause()\nclock.resume()\nassert(not clock.paused)",
        ..Binding::function(CLOCK, "clock.resume", resume)
    },
];

/// The clock of the level with the time, for a question.
fn look<R: mlua::IntoLuaMulti>(
    lua: &Lua,
    args: &mut Args,
    look: impl FnOnce(&DayTime, TickNumber, TickRate) -> R,
) -> HostResult {
    let function = args.function();
    ask(lua, args, |world| {
        let day = world.day.as_ref().ok_or_else(|| no_clock(function))?;
        Ok(look(day, world.tick(), world.rate()))
    })
}

/// The same, for a change. The event `clockChanged` tells it to code that waits for an hour.
fn change(lua: &Lua, args: &mut Args, change: impl FnOnce(&mut DayTime, TickNumber, TickRate)) -> HostResult {
    let function = args.function();
    let by = owner::label(lua, owner::current(lua));
    with(lua, args, |world: &mut World| {
        let (now, rate) = (world.tick(), world.rate());
        let day = world.day.as_mut().ok_or_else(|| no_clock(function))?;
        change(day, now, rate);
        // The last of those that wait says it all: a script that sets the clock in a loop fills nothing.
        if !world.events.is_last(CLOCK_CHANGED) {
            world.events.push(Fact::Emitted { name: CLOCK_CHANGED.to_owned(), payload: None, to: None, by });
        }
        Ok(())
    })?;
    nothing()
}

fn no_clock(function: &'static str) -> UsageError {
    UsageError::new(function, "the level has no time of day; give it the key \"clock\"".to_owned())
}

/// A time of day: a text, or minutes since midnight.
fn time(given: &Argument) -> Result<f64, BindingError> {
    const EXPECTED: &str = "a time such as \"6:30\", or minutes since midnight";
    match given.value() {
        Value::String(_) => {
            let text = given.text(EXPECTED)?;
            day::minute_of(&text).ok_or_else(|| {
                UsageError::new(
                    given.function(),
                    format!("{} is \"{text}\", expected {EXPECTED}", given.name()),
                )
                .into()
            })
        }
        Value::Number(_) | Value::Integer(_) => {
            let minutes = given.number("")?;
            if (0.0..day::DAY_MIN).contains(&minutes) {
                return Ok(minutes);
            }
            let what = format!("{} is {minutes}, expected 0 to less than 1440", given.name());
            Err(UsageError::new(given.function(), what).into())
        }
        _ => Err(given.not(EXPECTED).into()),
    }
}

fn exists(lua: &Lua, args: &mut Args) -> HostResult {
    ask(lua, args, |world| Ok(world.day.is_some()))
}

fn minutes(lua: &Lua, args: &mut Args) -> HostResult {
    look(lua, args, DayTime::minute_of_day)
}

fn text(lua: &Lua, args: &mut Args) -> HostResult {
    look(lua, args, |day, now, rate| day::text_of(day.minute_of_day(now, rate)))
}

fn day_number(lua: &Lua, args: &mut Args) -> HostResult {
    look(lua, args, |day, now, rate| day.day(now, rate) as f64)
}

fn pace(lua: &Lua, args: &mut Args) -> HostResult {
    look(lua, args, |day, _, _| day.seconds_per_minute)
}

fn paused(lua: &Lua, args: &mut Args) -> HostResult {
    look(lua, args, |day, _, _| day.is_paused)
}

fn is_between(lua: &Lua, args: &mut Args) -> HostResult {
    let (from, to) = (time(&args.take("from"))?, time(&args.take("to"))?);
    look(lua, args, |day, now, rate| {
        let minute = day.minute_of_day(now, rate);
        if from <= to { (from..to).contains(&minute) } else { minute >= from || minute < to }
    })
}

fn seconds_until(lua: &Lua, args: &mut Args) -> HostResult {
    let minute = time(&args.take("time"))?;
    look(lua, args, |day, now, rate| {
        let ticks = day.ticks_until(minute, now, rate);
        ticks.map_or(f64::INFINITY, |ticks| rate.seconds(TickNumber(ticks)))
    })
}

fn set(lua: &Lua, args: &mut Args) -> HostResult {
    let minute = time(&args.take("time"))?;
    change(lua, args, |day, now, rate| day.put_forward(minute, now, rate))
}

fn set_pace(lua: &Lua, args: &mut Args) -> HostResult {
    let seconds = args.take("seconds").number_in(PACE_S, "seconds")?;
    change(lua, args, |day, now, rate| day.set_pace(seconds, now, rate))
}

fn pause(lua: &Lua, args: &mut Args) -> HostResult {
    change(lua, args, |day, now, rate| day.pause(now, rate))
}

fn resume(lua: &Lua, args: &mut Args) -> HostResult {
    change(lua, args, |day, now, rate| day.resume(now, rate))
}
