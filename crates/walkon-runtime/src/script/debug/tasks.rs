//! The tasks of a level, as the threads of a debugger.
//!
//! In: the tables of the scheduler, the world for names. Out: rows. Holds: a task is shown by whose it is,
//! what messages call it, and what it waits for. Not here: its frames (`paused`).

use mlua::{Function, Lua, Thread};

use crate::script::inspect::words_of;
use crate::script::state::waits::TaskPause;
use crate::script::vm::{lend, store};
use crate::world::World;

/// Tasks that are shown.
const TASKS_MAX: usize = 1000;

/// A task.
#[derive(Debug)]
pub(super) struct TaskRow {
    pub(super) id: u64,
    /// Whose it is, and what it is called.
    pub(super) name: String,
    /// What it waits for; none while it runs.
    pub(super) waits: Option<String>,
    pub(super) thread: Option<Thread>,
    /// Where it begins, before it has begun.
    pub(super) start: Option<Function>,
    pause: Option<TaskPause>,
}

/// All tasks, by number.
pub(super) fn rows(lua: &Lua) -> Vec<TaskRow> {
    let mut rows = store::find(lua, |runtime| {
        let running = runtime.running.task();
        let ids = runtime.tasks.all();
        let row = |id: u64| {
            let task = runtime.tasks.get(id)?;
            let label = runtime.owners.label(task.owner);
            let called = task.name.clone().unwrap_or_else(|| task.callback.to_string());
            let waits = (running != Some(id)).then(|| match (&task.pause, &task.start) {
                (Some(_), _) => String::new(),
                (None, Some(_)) => "its beginning".to_owned(),
                (None, None) => "its turn".to_owned(),
            });
            Some(TaskRow {
                id,
                name: format!("{label} {called}"),
                waits,
                thread: task.thread.clone(),
                start: task.start.as_ref().map(|start| start.0.clone()),
                pause: task.pause.clone(),
            })
        };
        Some(ids.into_iter().filter_map(row).take(TASKS_MAX).collect::<Vec<_>>())
    })
    .unwrap_or_default();
    // The world is away while files load: then no task waits for anything.
    let _ = lend::with_world(lua, |world: &mut World| {
        for row in &mut rows {
            if let (Some(waits), Some(pause)) = (&mut row.waits, &row.pause) {
                *waits = words_of(lua, world, pause);
            }
        }
    });
    rows
}

/// The task under way.
pub(super) fn running(lua: &Lua) -> Option<u64> {
    store::find(lua, |runtime| runtime.running.task())
}

/// Whose call is under way, and which: `behaviour "guard" of "anna" update`.
pub(super) fn call(lua: &Lua) -> Option<String> {
    store::find(lua, |runtime| {
        let call = runtime.running.current()?;
        Some(format!("{} {}", runtime.owners.label(call.owner), call.callback))
    })
}
