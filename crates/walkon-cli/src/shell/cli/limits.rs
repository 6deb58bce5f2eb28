//! `walkon limits`: prints the limits in force, of a level or by default.

use walkon_runtime::base::ordered::CollectOrdered;
use walkon_shell::project::find_level;
use walkon_shell::{CommandFailure, Exit};

use super::args::{Format, LimitsArgs};
use super::shell::Shell;
use crate::script::state::owners::{TIMERS_MAX, WATCHES_MAX};
use crate::script::vm::fuel::Fuel;
use crate::shell::output::Results;
use crate::world::event::EventQueue;
use crate::world::settings::{LevelLimits, Settings};

pub(super) fn run(shell: &Shell, args: &LimitsArgs, results: &mut Results) -> Result<Exit, CommandFailure> {
    let settings = match &args.level {
        Some(level) => {
            let found = find_level(level)?;
            crate::level::spawn::settings(&shell.load(&found)?.def)
        }
        None => Settings::default(),
    };
    let all = |settings| named(settings).into_iter().chain(fixed()).collect::<Vec<_>>();
    let (list, defaults) = (all(&settings), all(&Settings::default()));
    match args.format {
        Format::Json => {
            let mut object = serde_json::Map::new();
            object.extend(list.iter().map(|limit| (limit.name.to_owned(), limit.value.into())));
            results.line(&serde_json::Value::Object(object).to_string())?;
        }
        Format::Human => {
            for (limit, default) in list.iter().zip(&defaults) {
                let value =
                    limit.value.map_or_else(|| "the nodes of the map".to_owned(), |value| value.to_string());
                let own = if limit.value == default.value { "" } else { "  (set by the level)" };
                results.line(&format!("{:<22} {value:>10}  {}{own}", limit.name, limit.what))?;
            }
        }
    }
    Ok(Exit::Ok)
}

/// A limit, for people and programs.
pub(super) struct NamedLimit {
    /// As levels spell it.
    pub name: &'static str,
    /// None: as large as the map asks for.
    pub value: Option<u64>,
    what: &'static str,
}

/// Limits that no level changes.
fn fixed() -> impl Iterator<Item = NamedLimit> {
    let fixed = |name, value: usize, what| NamedLimit { name, value: Some(value as u64), what };
    [
        fixed("watches", WATCHES_MAX, "watches of the level"),
        fixed("timers", TIMERS_MAX, "timers of the level"),
        fixed("eventsWaiting", EventQueue::WAITING_MAX, "events that wait to be heard"),
        fixed("tableMiB", Fuel::TABLE_MAX_BYTES >> 20, "one part of a table"),
    ]
    .into_iter()
}

/// Every limit by its name, as the header of a trace holds them.
pub(super) fn by_name(settings: &Settings) -> std::collections::BTreeMap<String, Option<u64>> {
    named(settings).into_iter().map(|limit| (limit.name.to_owned(), limit.value)).collect_map()
}

/// Every limit by the name that levels use.
pub(super) fn named(settings: &Settings) -> Vec<NamedLimit> {
    let LevelLimits {
        fuel_per_call,
        fuel_per_tick,
        fuel_at_load,
        memory_mib,
        coroutine_depth,
        tasks_per_owner,
        tasks,
        timers_per_owner,
        handlers_per_owner,
        watches_per_owner,
        looks_per_tick,
        walks_per_owner_per_tick,
        expansions_per_path,
        events_per_tick,
        event_rounds,
        characters,
        state_kib,
        string_kib,
        pattern_bytes,
        table_elements,
        log_lines_per_tick,
        watchdog_ms,
    } = settings.limits.clone();
    let one = |name, value: u64, what| NamedLimit { name, value: Some(value), what };
    vec![
        one("fuelPerCall", fuel_per_call, "safepoints for one call"),
        one("fuelPerTick", fuel_per_tick, "safepoints for all scripts of a tick"),
        one("fuelAtLoad", fuel_at_load, "safepoints for the body of a file"),
        one("memoryMiB", memory_mib, "memory of the level's scripts"),
        one("coroutineDepth", coroutine_depth.into(), "coroutines resumed inside one another"),
        one("tasksPerOwner", tasks_per_owner.into(), "tasks of one owner"),
        one("tasks", tasks.into(), "tasks of the level"),
        one("timersPerOwner", timers_per_owner.into(), "timers of one owner"),
        one("handlersPerOwner", handlers_per_owner.into(), "handlers and listeners of one owner"),
        one("watchesPerOwner", watches_per_owner.into(), "watches of one owner"),
        one("looksPerTick", looks_per_tick.into(), "looks of senses along the ground in one tick"),
        one("walksPerOwnerPerTick", walks_per_owner_per_tick.into(), "walks of one owner in one tick"),
        NamedLimit {
            name: "expansionsPerPath",
            value: expansions_per_path.map(u64::from),
            what: "expansions of one search",
        },
        one("eventsPerTick", events_per_tick.into(), "events handed to scripts in one tick"),
        one("eventRounds", event_rounds.into(), "rounds of step 12"),
        one("characters", characters.into(), "living characters"),
        one("stateKiB", state_kib, "one state, board or payload"),
        one("stringKiB", string_kib, "result of one string operation"),
        one("patternBytes", pattern_bytes, "length of a pattern"),
        one("tableElements", table_elements, "elements of one table operation"),
        one("logLinesPerTick", log_lines_per_tick.into(), "lines written in one tick"),
        one("watchdogMs", watchdog_ms, "time of one call on a processor"),
        one("pathBudget", settings.path_budget.into(), "expansions of all searches in a tick"),
    ]
}
