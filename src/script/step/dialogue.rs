//! Lines and choices: what a scene's task waits for until the host says so.
//!
//! In: answers of the host, or of a test; word that a line is over. Out: tasks that go on. Holds: an answer
//! counts for the choice under way and for every later one of that id; with no host to answer nothing waits
//! for a person, so a line is over after its seconds and a choice takes its answer by itself. Not here: what
//! is asked (`bind/scene`), how the time passes (`task`).

use std::collections::BTreeMap;

use mlua::{Lua, Value};

use crate::base::hash::StateHash;
use crate::base::time::Tick;
use crate::script::step::runtime::{self, ScriptWork};
use crate::script::step::task::{Answering, TaskPause};
use crate::script::step::testing;
use crate::script::step::wait::Outcome;

/// A line or a choice under way.
#[derive(Clone, Debug)]
pub(crate) struct Dialogue {
    /// The scene that asks.
    pub(crate) scene: u64,
    /// Id and options of a choice; none for a line.
    pub(crate) choice: Option<(String, Vec<String>)>,
    /// The answer when the time is over; none for a line.
    pub(crate) fallback: Option<String>,
    /// When its time is over; none: it waits for a person.
    pub(crate) deadline: Option<Tick>,
    /// Whether skipping passes over it; else skipping pauses until it is answered.
    pub(crate) is_skippable: bool,
}

impl Dialogue {
    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        hash.word(self.scene).word(self.deadline.map_or(0, |tick| tick.0 + 1)).flag(self.is_skippable);
        hash.text(self.choice.as_ref().map_or("", |(id, _)| id)).text(self.fallback.as_deref().unwrap_or(""));
    }
}

/// What answers there are, and whether a person gives more.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// By id of the choice.
    given: BTreeMap<String, String>,
    /// Whether a choice waits for the host.
    pub(crate) is_interactive: bool,
}

impl Answers {
    /// The answer given to a choice, if it is one of the options.
    pub(crate) fn to(&self, choice: &str, options: &[String]) -> Option<String> {
        self.given.get(choice).filter(|answer| options.contains(answer)).cloned()
    }

    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        hash.flag(self.is_interactive).word(self.given.len() as u64);
        for (choice, answer) in &self.given {
            hash.text(choice).text(answer);
        }
    }
}

/// Answers the choice of that id under way, and every later one. An answer that is none of the options is not
/// taken.
pub(crate) fn answer(lua: &Lua, id: &str, option: &str) {
    let offered = runtime::with(lua, |runtime| {
        // One whose time is over in the next step 3 takes its answer there.
        let next = runtime.now.after(1);
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
    let asked = runtime::with(lua, |runtime| {
        runtime.answers.given.insert(id.to_owned(), option.to_owned());
        waiting(runtime, |prompt| match &prompt.choice {
            Some((choice, options)) => choice == id && options.iter().any(|offered| offered == option),
            None => false,
        })
    });
    for answering in asked {
        let value = lua.create_string(option).map_or(Value::Nil, Value::String);
        runtime::push_work(lua, ScriptWork::Answer(answering, Outcome::Value(value)));
    }
}

/// Ends the lines under way: those of the scenes of that name, or all.
pub(crate) fn go_on(lua: &Lua, name: Option<&str>) {
    let spoken = runtime::with(lua, |runtime| {
        waiting(runtime, |prompt| {
            let scene = runtime.scenes.name(prompt.scene);
            prompt.choice.is_none() && name.is_none_or(|name| scene == Some(name))
        })
    });
    for answering in spoken {
        runtime::push_work(lua, ScriptWork::Answer(answering, Outcome::Value(Value::Nil)));
    }
}

fn waiting(runtime: &runtime::Runtime, fits: impl Fn(&Dialogue) -> bool) -> Vec<Answering> {
    let waits = runtime.tasks.waits(None);
    let fitting = waits.filter(|(_, _, pause)| matches!(pause, TaskPause::Host(prompt) if fits(prompt)));
    fitting.map(|(task, serial, _)| Answering { task, serial, entry: None }).collect()
}

/// The answer of a prompt whose time is over.
pub(crate) fn fallback(lua: &Lua, prompt: &Dialogue) -> Value {
    let text = prompt.fallback.as_ref().and_then(|text| lua.create_string(text).ok());
    text.map_or(Value::Nil, Value::String)
}
