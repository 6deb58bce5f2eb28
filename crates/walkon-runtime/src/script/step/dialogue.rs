//! Resumes tasks on answers to choices, and on orders that end a line.
//!
//! In: answers of the host, or of a test. Out: work for step 12. Holds: with no host to answer nothing waits
//! for a person, so a line is over after its seconds and a choice takes its answer by itself. Not here: the
//! answers so far (`state::dialogue`), asking (`bind::scene`), how the time passes (`task`).

use mlua::{Lua, Value};

use crate::script::state::dialogue::{self, Dialogue};
use crate::script::state::tasks::Tasks;
use crate::script::state::wait::Outcome;
use crate::script::state::waits::{Answering, TaskPause};
use crate::script::state::work::ScriptWork;
use crate::script::step::testing;
use crate::script::vm::shown_names::{shorten, suggestion};
use crate::script::vm::store;

/// Answers the choice of that id under way, and every later one. An answer that is none of the options is not
/// taken.
///
/// # Errors
/// A sentence that names the option: none of the choices under way offers it. No choice can have that id or
/// that option; no choice of that id is under way, and as many answers are kept as may be.
pub(crate) fn answer(lua: &Lua, id: &str, option: &str) -> Result<(), String> {
    dialogue::check(id, option)?;
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
        let mut others = Vec::new();
        let asked = waiting(&runtime.tasks, |prompt| match &prompt.choice {
            Some((choice, options)) if choice == id => {
                let is_offered = options.iter().any(|offered| offered == option);
                others.extend((!is_offered).then(|| options.clone()));
                is_offered
            }
            _ => false,
        });
        if asked.is_empty() && !others.is_empty() {
            let hint = suggestion(option, others.iter().flatten().map(String::as_str));
            return Err(format!(
                "the choice \"{}\" has no option \"{}\"{hint}",
                shorten(id),
                shorten(option)
            ));
        }
        let kept = runtime.cinematics.answers.give(id, option);
        if asked.is_empty() { kept.map(|()| asked) } else { Ok(asked) }
    });
    for answering in asked? {
        let value = lua.create_string(option).map_or(Value::Nil, Value::String);
        store::push_work(lua, ScriptWork::Answer(answering, Outcome::Value(value)));
    }
    Ok(())
}

/// Ends the lines under way: those of the scenes of that name, or all.
///
/// # Errors
/// A sentence: there is none.
pub(crate) fn go_on(lua: &Lua, name: Option<&str>) -> Result<(), String> {
    let spoken = store::with(lua, |runtime| {
        waiting(&runtime.tasks, |prompt| {
            let scene = runtime.cinematics.scenes.name(prompt.scene);
            prompt.choice.is_none() && name.is_none_or(|name| scene == Some(name))
        })
    });
    if spoken.is_empty() {
        return Err(format!("{} has a line under way", none_of("scene", name)));
    }
    for answering in spoken {
        store::push_work(lua, ScriptWork::Answer(answering, Outcome::Value(Value::Nil)));
    }
    Ok(())
}

/// The beginning of a sentence about things that are not there: `no scene "bridge"`, or `no scene`.
pub(crate) fn none_of(kind: &str, name: Option<&str>) -> String {
    name.map_or_else(|| format!("no {kind}"), |name| format!("no {kind} \"{}\"", shorten(name)))
}

fn waiting(tasks: &Tasks, mut fits: impl FnMut(&Dialogue) -> bool) -> Vec<Answering> {
    let waits = tasks.waits(None);
    let fitting = waits.filter(|(_, _, pause)| matches!(pause, TaskPause::Host(prompt) if fits(prompt)));
    fitting.map(|(task, serial, _)| Answering { task, serial, entry: None }).collect()
}

/// The answer of a prompt whose time is over.
pub(crate) fn fallback(lua: &Lua, prompt: &Dialogue) -> Value {
    let text = prompt.fallback.as_ref().and_then(|text| lua.create_string(text).ok());
    text.map_or(Value::Nil, Value::String)
}
