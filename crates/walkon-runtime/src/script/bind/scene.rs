//! Functions for a scene's own code: walks, lines, choices, cues, marks, and parts that skipping plays or
//! leaves out.
//!
//! In: calls of the scene's own tasks. Out: walks, cues for the host, waits. Holds: methods raise when others
//! call them; while the scene is skipped, lines are not sent to the host, and choices take their default. Not
//! here: scenes from outside and the table of entries (`bind/cinematic`), the waiting halves
//! (`prelude/scene.lua`).

use mlua::{Function, Lua, MultiValue, Table, Value};

use crate::base::ids::CharacterId;
use crate::base::value::{Plain, PlainKey};
use crate::script::bind::call::{BindingError, answer, handle, list, myself, nothing, op, with};
use crate::script::bind::table::HostResult;
use crate::script::bind::wait_requests::{self, may_wait, seconds};
use crate::script::bind::{character, names, place};
use crate::script::state::dialogue::{ANSWER_BYTES_MAX, Dialogue};
use crate::script::state::timers::TimerOrder;
use crate::script::state::waits::{GroupKind, SECONDS_MAX, TaskPause};
use crate::script::step::wait::{CueId, SceneId};
use crate::script::step::{invoke, owner, testing};
use crate::script::vm::convert::{Args, Argument, UsageError, describe};
use crate::script::vm::handles::thing;
use crate::script::vm::library::refuse_while_looking;
use crate::script::vm::limits::ScriptLimits;
use crate::script::vm::shown_names::{shorten, suggestion};
use crate::script::vm::{fault, handles, machine_of, payload, store};
use crate::world::cue::{Cue, CueKind};
use crate::world::event::{Fact, LogLine};
use crate::world::ops::alive;

/// The scene a method of its own code was called on.
fn own_scene(lua: &Lua, args: &mut Args) -> Result<SceneId, UsageError> {
    let id = myself::<SceneId>(args)?;
    if is_own(lua, id) {
        return Ok(id);
    }
    Err(args.mistake("called from outside the scene; only the tasks of the scene itself may"))
}

pub(super) fn is_own(lua: &Lua, id: SceneId) -> bool {
    let owner = owner::current(lua);
    store::with(lua, |runtime| runtime.cinematics.scenes.owner(id.0)) == Some(owner)
}

/// The options of a scene's walk unless it sets others: it arrives wherever there is ground near its goal.
fn with_defaults(lua: &Lua, given: Option<&Table>) -> mlua::Result<Table> {
    let options = lua.create_table()?;
    options.raw_set("accept", "near")?;
    options.raw_set("crowd", "push")?;
    options.raw_set("patience", 2)?;
    options.raw_set("timeout", 60)?;
    options.raw_set("ensure", true)?;
    if let Some(given) = given {
        for pair in given.pairs::<Value, Value>() {
            let (key, value) = pair?;
            options.raw_set(key, value)?;
        }
    }
    Ok(options)
}

pub(super) fn start(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.function();
    let id = own_scene(lua, args)?;
    let given = args.take("character");
    let character = handle::<CharacterId>(&given, "a character")?;
    if !store::with(lua, |runtime| runtime.cinematics.scenes.holds(id.0, character)) {
        let name = with(lua, args, |world| Ok(world.name_of(character).to_owned()))?;
        let scene =
            store::with(lua, |runtime| runtime.cinematics.scenes.name(id.0).unwrap_or_default().to_owned());
        let what = format!("character \"{name}\" is not held by cinematic \"{scene}\"; add it to holds");
        return Err(args.mistake(what).into());
    }
    let mut values = MultiValue::from_iter([given.into_value(), args.take("goal").into_value()]);
    if matches!(args.peek(), Value::Number(_) | Value::Integer(_)) {
        values.push_back(args.take("z").into_value());
    }
    let options = args.take("options");
    match options.value() {
        Value::Nil => values.push_back(Value::Table(with_defaults(lua, None)?)),
        Value::Table(table) => values.push_back(Value::Table(with_defaults(lua, Some(table))?)),
        other => values.push_back(other.clone()),
    }
    character::walk_to(lua, &mut Args::new(function, values))
}

fn push(lua: &Lua, args: &Args, id: SceneId, kind: CueKind) -> Result<(), BindingError> {
    let scene =
        store::with(lua, |runtime| runtime.cinematics.scenes.name(id.0).unwrap_or_default().to_owned());
    with(lua, args, |world| {
        world.events.push(Fact::Cue(Box::new(Cue { scene, kind })));
        Ok(())
    })
}

/// Most answers that a choice offers.
const OPTIONS_MAX: usize = 64;

const CAMERA_KINDS: [&str; 6] = ["pan", "follow", "cut", "shake", "zoom", "reset"];

pub(super) fn camera(lua: &Lua, args: &mut Args) -> HostResult {
    let id = own_scene(lua, args)?;
    let kind = args.take("kind").one_of(&CAMERA_KINDS)?.to_owned();
    let options = args.take("options");
    if let Some(table) = options.value().as_table() {
        let to = table.raw_get::<Value>("to")?;
        if let Some(name) = to.as_string().map(|name| name.to_string_lossy()) {
            let function = args.function();
            with(lua, args, |world| names::mark_of_place(world, function, &name).map(|_| ()))?;
        } else if let Some(who) = thing::<CharacterId>(&to) {
            let function = args.function();
            with(lua, args, |world| alive(&world.characters, who).map(|_| ()).map_err(op(function)))?;
        } else if !to.is_nil() {
            place::single(&Argument::new(args.function(), "options.to", to))?;
        }
    }
    store::with(lua, |runtime| runtime.cinematics.scenes.note_camera(id.0));
    ask_host(lua, args, id, options, |options| CueKind::Camera { kind, options })
}

pub(super) fn cue(lua: &Lua, args: &mut Args) -> HostResult {
    let id = own_scene(lua, args)?;
    let kind = args.take("kind").new_name()?;
    let options = args.take("options");
    ask_host(lua, args, id, options, |options| CueKind::Other { kind, options })
}

/// Tells the host, and starts what lasts as long as the host needs.
fn ask_host(
    lua: &Lua,
    args: &Args,
    id: SceneId,
    options: Argument,
    kind: impl FnOnce(Plain) -> CueKind,
) -> HostResult {
    let given = options.value().as_table().map(|given| given.raw_get::<Value>("seconds"));
    let options = plain_map(lua, options)?;
    let lasting = match &options {
        Plain::Map(entries) => entries.get(&PlainKey::Name("seconds".to_owned())),
        _ => None,
    };
    let lasting = match lasting {
        None => 0.0,
        Some(Plain::Number(number)) if (0.0..=SECONDS_MAX).contains(number) => *number,
        Some(_) => {
            let shown = given.and_then(Result::ok).map_or_else(String::new, |given| describe(&given));
            let what =
                format!("options.seconds is {shown}, expected a number of seconds, 0 to {SECONDS_MAX}");
            return Err(args.mistake(what).into());
        }
    };
    push(lua, args, id, kind(options))?;
    let owner = owner::current(lua);
    let order = TimerOrder { owner, callback: None, payload: None, seconds: lasting, turns_max: Some(1) };
    let cue = store::with(lua, |runtime| runtime.start_timer(order));
    answer(lua, handles::make(lua, CueId(cue))?)
}

/// `c:mark`, which shares its name with the field `scene.mark`.
pub(super) fn mark_method(lua: &Lua) -> mlua::Result<Function> {
    lua.create_function(|lua, values: MultiValue| {
        mark(lua, &mut Args::new("mark", values)).map_err(|raise| raise.error(lua))
    })
}

pub(super) fn mark(lua: &Lua, args: &mut Args) -> HostResult {
    let id = own_scene(lua, args)?;
    if let Some(machine) = machine_of(lua) {
        refuse_while_looking(&machine, args.function(), "it changes the run")?;
    }
    let mark = args.take("name").new_name()?;
    store::with(lua, |runtime| runtime.cinematics.scenes.set_mark(id.0, mark));
    nothing()
}

fn scene_wait(lua: &Lua, args: &mut Args) -> Result<f64, BindingError> {
    let id = thing::<SceneId>(args.peek());
    if id.is_some_and(|id| is_own(lua, id)) {
        args.take("self");
        return wait_requests::sleep(lua, args);
    }
    wait_requests::wait_for(lua, args, wait_requests::Ownership::Shared)
}

fn scene_group(lua: &Lua, args: &mut Args, kind: GroupKind) -> Result<f64, BindingError> {
    own_scene(lua, args)?;
    wait_requests::group(lua, args, kind)
}

/// Seconds after which `c:waitFor` gives up, unless it says otherwise: no wait of a scene is without end.
const WAIT_FOR_S: f64 = 60.0;

fn scene_wait_for(lua: &Lua, args: &mut Args) -> Result<f64, BindingError> {
    own_scene(lua, args)?;
    let entry = args.take("entry");
    let options = args.options(&["timeout"])?;
    let timeout = options.find("timeout").map_or(Ok(WAIT_FOR_S), |given| seconds(&given))?;
    wait_requests::timeout(lua, timeout, &entry, args)
}

/// Waits for the host, or for the time of the prompt.
fn ask(lua: &Lua, prompt: Dialogue) -> f64 {
    wait_requests::file(lua, TaskPause::Host(Box::new(prompt)), Vec::new())
}

/// Whether the code of a scene runs without being seen.
fn is_fast_forwarding(lua: &Lua, id: SceneId) -> bool {
    store::with(lua, |runtime| runtime.cinematics.scenes.is_fast_forwarding(id.0))
}

fn scene_say(lua: &Lua, args: &mut Args) -> Result<f64, BindingError> {
    let id = own_scene(lua, args)?;
    let who = handle::<CharacterId>(&args.take("who"), "a character")?;
    let line = args.take("line").text_up_to(ScriptLimits::LINE_BYTES, "a line")?;
    let options = args.options(&["seconds", "vars"])?;
    let lasting = options.find("seconds").map_or(Ok(2.0), |given| seconds(&given))?;
    let vars = plain_map(lua, options.get("vars"))?;
    may_wait(lua, args.function())?;
    let function = args.function();
    let character =
        with(lua, args, |world| Ok(alive(&world.characters, who).map_err(op(function))?.name.clone()))?;
    if !is_fast_forwarding(lua, id) {
        push(lua, args, id, CueKind::Said { character, line, vars, seconds: lasting })?;
    }
    let deadline = store::with(lua, |runtime| runtime.clock.after_seconds(lasting));
    Ok(ask(
        lua,
        Dialogue { scene: id.0, choice: None, fallback: None, deadline: Some(deadline), is_skippable: true },
    ))
}

fn scene_choice(lua: &Lua, args: &mut Args) -> Result<f64, BindingError> {
    let id = own_scene(lua, args)?;
    let question = args.take("id").new_name()?;
    let options = list(&args.take("options"), "a list of answers", OPTIONS_MAX, |given| {
        given.text_up_to(ANSWER_BYTES_MAX, "a text")
    })?;
    let settings = args.take("settings").options(&["default", "seconds"])?;
    let default = settings.find("default").map(|given| given.text("one of the options")).transpose()?;
    let lasting = settings.find("seconds").map(|given| seconds(&given)).transpose()?;
    if options.is_empty() {
        return Err(args.mistake("options is empty, expected at least one answer").into());
    }
    for (at, option) in options.iter().enumerate() {
        if option.is_empty() {
            return Err(args.mistake(format!("options[{}] is empty, expected a text", at + 1)).into());
        }
        if options[..at].contains(option) {
            let shown = shorten(option);
            return Err(args
                .mistake(format!("options has \"{shown}\" twice; no host could tell them apart"))
                .into());
        }
    }
    if let Some(default) = &default
        && !options.contains(default)
    {
        let hint = suggestion(default, options.iter().map(String::as_str));
        return Err(args
            .mistake(format!("default is \"{}\", expected one of the options{hint}", shorten(default)))
            .into());
    }
    may_wait(lua, args.function())?;
    let is_skippable = default.is_some();
    let tested = testing::answers::asked(lua, &question, &options);
    let (given, is_interactive) = store::with(lua, |runtime| {
        (runtime.cinematics.answers.to(&question, &options), runtime.cinematics.answers.is_interactive)
    });
    let (picked, lasting) = match (tested.or(given), is_interactive) {
        (Some(given), _) => (Some(given), Some(0.0)),
        (None, true) => (None, lasting),
        (None, false) => {
            (Some(pick(lua, args, &question, &options, default.clone())?), lasting.or(Some(0.0)))
        }
    };
    let fallback = picked.clone().or(default).or_else(|| lasting.and_then(|_| options.first().cloned()));
    let is_skippable = is_skippable || picked.is_some();
    if !(is_fast_forwarding(lua, id) && is_skippable) {
        let (id_of_choice, options) = (question.clone(), options.clone());
        push(lua, args, id, CueKind::Choice { id: id_of_choice, options, answer: picked })?;
    }
    let deadline = lasting.map(|seconds| store::with(lua, |runtime| runtime.clock.after_seconds(seconds)));
    let choice = Some((question, options));
    Ok(ask(lua, Dialogue { scene: id.0, choice, fallback, deadline, is_skippable }))
}

/// The answer when there is nobody to give one: the default, else the first option, with a warning.
fn pick(
    lua: &Lua,
    args: &Args,
    question: &str,
    options: &[String],
    default: Option<String>,
) -> Result<String, BindingError> {
    if let Some(default) = default {
        return Ok(default);
    }
    let first = options.first().cloned().unwrap_or_default();
    let what = format!("choice \"{question}\" has nobody to answer and no default: \"{first}\" is taken");
    warn(lua, args, &what)?;
    Ok(first)
}

fn warn(lua: &Lua, args: &Args, message: &str) -> Result<(), BindingError> {
    let owner = owner::label(lua, owner::current(lua));
    let place = fault::frames(lua, 1).pop();
    let (file, line) = place.map_or((String::new(), 0), |frame| (frame.file, frame.line));
    let logged = LogLine { level: "warn", owner, file, line, message: message.to_owned() };
    with(lua, args, |world| {
        world.events.push(Fact::Logged(Box::new(logged)));
        Ok(())
    })
}

/// Checks that a scene's own code gives a function.
fn given_function(lua: &Lua, args: &mut Args) -> Result<SceneId, BindingError> {
    let id = own_scene(lua, args)?;
    args.take("fn").callable()?;
    Ok(id)
}

/// Whether `cosmetic` runs its function: not while the scene is skipped.
fn cosmetic(lua: &Lua, args: &mut Args) -> Result<bool, BindingError> {
    let id = given_function(lua, args)?;
    Ok(!is_fast_forwarding(lua, id))
}

/// The running task enters `noSkip`.
fn watch(lua: &Lua, args: &mut Args) -> Result<(), BindingError> {
    let id = given_function(lua, args)?;
    let task = may_wait(lua, args.function())?;
    store::with(lua, |runtime| runtime.cinematics.scenes.skip_mut(id.0).map(|(skip, _)| skip.watch(task)));
    Ok(())
}

/// The running task leaves `noSkip`.
fn unwatch(lua: &Lua, args: &mut Args) -> Result<(), BindingError> {
    let id = own_scene(lua, args)?;
    store::with(lua, |runtime| {
        let task = runtime.running.task()?;
        runtime.cinematics.scenes.skip_mut(id.0).map(|(skip, _)| skip.unwatch(task))
    });
    Ok(())
}

/// A table of plain data with names as keys; empty when nothing is given.
pub(super) fn plain_map(lua: &Lua, given: Argument) -> Result<Plain, UsageError> {
    if given.value().is_nil() {
        return Ok(invoke::map([]));
    }
    given.table("a table")?;
    let limit = store::with(lua, |runtime| runtime.limits.state_kib);
    payload::read(lua, &given, u32::try_from(limit).unwrap_or(u32::MAX))
}

/// Adds what the prelude asks for scenes.
pub(crate) fn add_natives(lua: &Lua, natives: &Table) -> mlua::Result<()> {
    fn native<R: mlua::IntoLuaMulti + 'static>(
        lua: &Lua,
        name: &'static str,
        body: fn(&Lua, &mut Args) -> Result<R, BindingError>,
    ) -> mlua::Result<Function> {
        lua.create_function(move |lua, values: MultiValue| {
            body(lua, &mut Args::new(name, values)).map_err(|raise| raise.error(lua))
        })
    }
    natives.raw_set(
        "sceneWalk",
        native(lua, "walk", |lua, args| {
            may_wait(lua, "walk")?;
            start(lua, args)
        })?,
    )?;
    natives.raw_set("sceneWait", native(lua, "wait", scene_wait)?)?;
    natives.raw_set(
        "sceneParallel",
        native(lua, "parallel", |lua, args| scene_group(lua, args, GroupKind::All))?,
    )?;
    natives
        .raw_set("sceneRace", native(lua, "race", |lua, args| scene_group(lua, args, GroupKind::Race))?)?;
    natives.raw_set("sceneWaitFor", native(lua, "waitFor", scene_wait_for)?)?;
    natives.raw_set("sceneSay", native(lua, "say", scene_say)?)?;
    natives.raw_set("sceneChoice", native(lua, "choice", scene_choice)?)?;
    natives.raw_set("sceneWatch", native(lua, "noSkip", watch)?)?;
    natives.raw_set("sceneUnwatch", native(lua, "noSkip", unwatch)?)?;
    natives.raw_set("sceneCosmetic", native(lua, "cosmetic", cosmetic)?)
}
