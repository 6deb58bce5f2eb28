//! Describes in words what a task waits for.
//!
//! In: a wait, the world for names. Out: `walk 12 of "anna"`, `event "bell"`. Not here: where it waits
//! (`inspect`).

use mlua::Lua;

use crate::base::ids::WalkId;
use crate::script::state::dialogue::Dialogue;
use crate::script::state::wait::Wait;
use crate::script::state::waits::{GroupEntry, GroupKind, TaskPause};
use crate::script::vm::shown::place_of;
use crate::script::vm::store;
use crate::world::World;

/// Entries of a wait over several things that are named.
const NAMED_MAX: usize = 8;

/// What a task waits for.
pub(crate) fn words_of(lua: &Lua, world: &World, pause: &TaskPause) -> String {
    match pause {
        TaskPause::Until(_) => "time".to_owned(),
        TaskPause::Test { predicate, .. } => match place_of(predicate) {
            Some(place) => format!("a predicate ({}:{})", place.file, place.line),
            None => "a predicate".to_owned(),
        },
        TaskPause::Event { name, .. } => format!("event \"{name}\""),
        TaskPause::One { wait, .. } => words_of_wait(lua, world, *wait),
        TaskPause::Host(asked) => words_of_dialogue(asked),
        TaskPause::Group { kind, entries, .. } => words_of_group(lua, world, *kind, entries),
    }
}

fn words_of_group(lua: &Lua, world: &World, kind: GroupKind, entries: &[GroupEntry]) -> String {
    let open = entries.iter().filter(|entry| entry.outcome.is_none());
    let mut words: Vec<String> =
        open.clone().take(NAMED_MAX).map(|entry| words_of_wait(lua, world, entry.wait)).collect();
    if open.count() > NAMED_MAX {
        words.push("...".to_owned());
    }
    let words = words.join(", ");
    match kind {
        GroupKind::All => format!("all of: {words}"),
        GroupKind::Race => format!("the first of: {words}"),
        GroupKind::Timeout => format!("{words}, for a time"),
    }
}

fn words_of_wait(lua: &Lua, world: &World, wait: Wait) -> String {
    match wait {
        Wait::Walk(walk) => words_of_walk(world, walk),
        Wait::DoorMove(serial) => {
            let has =
                |request: &crate::world::door::DoorRequest| request.serials.binary_search(&serial).is_ok();
            let mut doors = world.doors().iter();
            let door = doors.find(|door| door.request.as_ref().is_some_and(has));
            door.map_or_else(|| "a door".to_owned(), |door| format!("door \"{}\"", door.name))
        }
        Wait::Path(_) => "a path".to_owned(),
        Wait::Turn(_) => "a turn".to_owned(),
        Wait::Play(_) => "an animation".to_owned(),
        Wait::Timer(timer) => format!("timer {timer}"),
        Wait::Task(task) => format!("task {task}"),
        Wait::Scene(scene) => {
            let name = store::with(lua, |runtime| runtime.cinematics.scenes.name(scene).map(str::to_owned));
            name.map_or_else(|| "a scene".to_owned(), |name| format!("scene \"{name}\""))
        }
        Wait::Change(_) => "a change of a blackboard".to_owned(),
    }
}

fn words_of_walk(world: &World, walk: WalkId) -> String {
    match world.walk(walk) {
        Some(walk) => format!("walk {} of \"{}\"", walk.serial, world.name_of(walk.character)),
        None => "a walk".to_owned(),
    }
}

fn words_of_dialogue(asked: &Dialogue) -> String {
    match &asked.choice {
        Some((id, _)) => format!("choice \"{id}\""),
        None => "a line".to_owned(),
    }
}
