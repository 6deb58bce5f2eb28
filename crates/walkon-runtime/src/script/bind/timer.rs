//! `timer` and `Timer`: handlers that run when their time has come.
//!
//! In: seconds, handlers, payloads. Out: timers under the owner of the call. Not here: when they are due
//! (`state::timers`), calling their handlers (`step::schedule`).

use mlua::Lua;

use crate::base::time::TickNumber;
use crate::base::value::Plain;
use crate::script::bind::call::{answer, myself, nothing, with};
use crate::script::bind::table::{ApiParam, Binding, HostResult, Library, TableType, field, param};
use crate::script::bind::wait_requests::seconds;
use crate::script::state::owners::Counted;
use crate::script::state::runtime::Runtime;
use crate::script::state::timers::TimerOrder;
use crate::script::state::waits::SECONDS_MAX;
use crate::script::step::wait::TimerId;
use crate::script::step::{handlers, owner, timer};
use crate::script::vm::convert::{Args, Argument, UsageError};
use crate::script::vm::{handles, payload, store};

const TIMER: &str = "timer";
const TYPE: &str = "Timer";

/// What stands above the entries.
pub const GROUPS: &[Library] = &[
    Library {
        name: TIMER,
        is_type: false,
        doc: "Handlers that run later, in step 3. Those given by name outlive a reload and a load; `start`, `onStart` \
              and `run` may make them again, and none is there twice.",
    },
    Library {
        name: TYPE,
        is_type: true,
        doc: "A timer; its result is true when its time came, false when it was cancelled.",
    },
];

/// Tables that these functions take.
pub const SHAPES: &[TableType] = &[TableType {
    name: "EveryOptions",
    doc: "How often, and with what.",
    fields: &[
        field("times", "number?", "3", "how often, 1 to 1000000000; default: unlimited"),
        field("payload", "any", "{ lamp = 2 }", "plain data for the handler"),
    ],
}];

const SECONDS: ApiParam = param("seconds", "number", "0.1");

/// Everything `timer` and a `Timer` have.
pub const ENTRIES: &[Binding] = &[
    Binding {
        params: &[
            SECONDS,
            param("handler", "Handler?", "function(payload) end"),
            param("payload", "any", "{ lamp = 2 }"),
        ],
        returns: "Timer",
        raises: "range data limit",
        doc: "Runs the handler once, so many seconds from now, 0 to 1000000, in the next tick at the earliest.",
        example: "timer.after(2, function(payload) log.info(\"lamp %d\", payload.lamp) end, { lamp = 2 })\ntimer.after(0.1):wait()",
        price: 12,
        ..Binding::function(TIMER, "timer.after", after)
    },
    Binding {
        params: &[
            SECONDS,
            param("handler", "Handler", "function() end"),
            param("options", "EveryOptions?", "{ times = 3 }"),
        ],
        returns: "Timer",
        raises: "range data limit",
        doc: "Runs the handler again and again, after 0 to 1000000 seconds each time; a function that returns false ends it.",
        example: "timer.every(0.5, function() return guard.alive end, { times = 3 })",
        price: 12,
        ..Binding::function(TIMER, "timer.every", every)
    },
    Binding {
        returns: "boolean",
        doc: "Ends it; false when it is over.",
        example: "local t = timer.after(1)\nassert(t:cancel() and not t:cancel())",
        ..Binding::method(TYPE, "cancel", cancel)
    },
    Binding {
        returns: "number",
        doc: "Seconds until it is due; 0 when it is over.",
        example: "assert(timer.after(1):remaining() == 1)",
        ..Binding::method(TYPE, "remaining", remaining)
    },
    Binding {
        doc: "Lets its time stand still.",
        example: "timer.after(1):pause()",
        ..Binding::method(TYPE, "pause", pause)
    },
    Binding {
        doc: "Lets its time go on.",
        example: "local t = timer.after(1)\nt:pause()\nt:resume()",
        ..Binding::method(TYPE, "resume", resume)
    },
    Binding {
        returns: "boolean",
        raises: "wait",
        doc: "Waits until its time has come: true; false when it is cancelled.",
        example: "assert(timer.after(0.1):wait() == true)",
        ..Binding::waiting_method(TYPE, "wait")
    },
];

fn read_payload(lua: &Lua, given: Option<Argument>) -> Result<Option<Plain>, UsageError> {
    let limit = store::with(lua, |runtime| runtime.limits.state_kib);
    given.map(|given| payload::read(lua, &given, u32::try_from(limit).unwrap_or(u32::MAX))).transpose()
}

fn refuse_at_limit(lua: &Lua, args: &Args) -> Result<(), UsageError> {
    owner::at_limit(lua, Counted::Timers).map_or(Ok(()), |what| Err(args.mistake(what)))
}

fn start(lua: &Lua, args: &Args, order: TimerOrder) -> HostResult {
    let id = match timer::take_up(lua, &order) {
        Some(id) => id,
        None => {
            if refuse_at_limit(lua, args).is_err() {
                timer::end_replaced(lua);
                refuse_at_limit(lua, args)?;
            }
            store::with(lua, |runtime| runtime.start_timer(order))
        }
    };
    answer(lua, handles::make(lua, TimerId(id))?)
}

fn after(lua: &Lua, args: &mut Args) -> HostResult {
    with(lua, args, |_| Ok(()))?;
    let seconds = seconds(&args.take("seconds"))?;
    let callback = handlers::read_option(lua, args.take("handler").present())?;
    let payload = read_payload(lua, args.take("payload").present())?;
    let owner = owner::current(lua);
    start(lua, args, TimerOrder { owner, callback, payload, seconds, turns_max: Some(1) })
}

fn every(lua: &Lua, args: &mut Args) -> HostResult {
    with(lua, args, |_| Ok(()))?;
    let seconds = args.take("seconds").number_in(0.0..=SECONDS_MAX, "seconds")?;
    let callback = Some(handlers::read(lua, &args.take("handler"))?);
    let options = args.options(&["times", "payload"])?;
    let times = options.find("times").map(|times| times.integer_in(1..=1_000_000_000)).transpose()?;
    let payload = read_payload(lua, options.find("payload"))?;
    let owner = owner::current(lua);
    let turns_max = times.map(i64::unsigned_abs);
    start(lua, args, TimerOrder { owner, callback, payload, seconds, turns_max })
}

fn cancel(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<TimerId>(args)?;
    answer(lua, timer::end(lua, id.0))
}

/// The time as the owner of a timer has it.
fn time_of(runtime: &Runtime, id: TimerId) -> TickNumber {
    runtime
        .registered
        .timers
        .get(id.0)
        .map_or(runtime.clock.now, |timer| runtime.owners.time_of(timer.owner, runtime.clock.now))
}

fn remaining(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<TimerId>(args)?;
    let seconds = store::with(lua, |runtime| {
        runtime.registered.timers.left(id.0, time_of(runtime, id)) as f64
            / f64::from(runtime.clock.rate.per_second())
    });
    answer(lua, seconds)
}

fn pause(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<TimerId>(args)?;
    store::with(lua, |runtime| runtime.registered.timers.pause(id.0, time_of(runtime, id)));
    nothing()
}

fn resume(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<TimerId>(args)?;
    store::with(lua, |runtime| runtime.registered.timers.resume(id.0, time_of(runtime, id)));
    nothing()
}
