//! Answers to choices, and orders that end a line: they let tasks go on.
//!
//! In: answers of the host, or of a test. Out: work for step 12. Holds: with no host to answer nothing waits
//! for a person, so a line is over after its seconds and a choice takes its answer by itself. Not here: the
//! answers so far (`state::dialogue`), asking (`bind::scene`), how the time passes (`task`).

use mlua::{Lua, Value};

use crate::script::state::dialogue::Dialogue;
use crate::script::state::tasks::Tasks;
use crate::script::state::wait::Outcome;
use crate::script::state::waits::{Answering, TaskPause};
use crate::script::state::work::ScriptWork;
use crate::script::step::testing;
use crate::script::vm::store;

/// Answers the choice of that id under way, and every later one. An answer that is none of the options is not
/// taken.
pub(crate) fn answer(lua: &Lua, id: &str, option: &str) {
    let offered = store::with(lua, |runtime| {
        // A choice whose time is over in the next step 3 takes its answer there.
        let next = runtime.clock.now.after(1);
        let choices = runtime.tasks.waits(None).filter_map(|(_, _, pause)| match pause {
            TaskPause::Host(prompt) => prompt
                .choice
                .clone()
                .filter(|(choice, _)| choice == id && prompt.deadline.is_none_or(|tick| tick > next)),
            _ => None,
        });
        choices.map(|(_, options)| options).collect::<Vec<_>>()
    });
    for options in offered {
        testing::answers::asked(lua, id, &options);
    }
    let asked = store::with(lua, |runtime| {
        runtime.cinematics.answers.give(id, option);
        waiting(&runtime.tasks, |prompt| match &prompt.choice {
            Some((choice, options)) => choice == id && options.iter().any(|offered| offered == option),
            None => false,
        })
    });
    for answering in asked {
        let value = lua.create_string(option).map_or(Value::Nil, Value::String);
        store::push_work(lua, ScriptWork::Answer(answering, Outcome::Value(value)));
    }
}

/// Ends the lines under way: those of the scenes of that name, or all.
pub(crate) fn go_on(lua: &Lua, name: Option<&str>) {
    let spoken = store::with(lua, |runtime| {
        waiting(&runtime.tasks, |prompt| {
            let scene = runtime.cinematics.scenes.name(prompt.scene);
            prompt.choice.is_none() && name.is_none_or(|name| scene == Some(name))
        })
    });
    for answering in spoken {
        store::push_work(lua, ScriptWork::Answer(answering, Outcome::Value(Value::Nil)));
    }
}

fn waiting(tasks: &Tasks, fits: impl Fn(&Dialogue) -> bool) -> Vec<Answering> {
    let waits = tasks.waits(None);
    let fitting = waits.filter(|(_, _, pause)| matches!(pause, TaskPause::Host(prompt) if fits(prompt)));
    fitting.map(|(task, serial, _)| Answering { task, serial, entry: None }).collect()
}

/// The answer of a prompt whose time is over.
pub(crate) fn fallback(lua: &Lua, prompt: &Dialogue) -> Value {
    let text = prompt.fallback.as_ref().and_then(|text| lua.create_string(text).ok());
    text.map_or(Value::Nil, Value::String)
}
