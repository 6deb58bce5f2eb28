//! `cinematic`, `Scene` and `Cue`: scenes from outside, and what a scene's own code does.
//!
//! Holds: methods that belong to a scene's own code raise when others call them; without a host, a line ends after its seconds
//! and a choice takes its default. Not here: how scenes begin and end (`script::cinematic`), the waiting halves (`prelude`).

use mlua::{Function, Lua, MultiValue, Table, Value};

use crate::base::ids::CharacterId;
use crate::base::plain::{Plain, PlainKey};
use crate::script::bind::call::{Raise, answer, handle, list, myself, nothing, thing, with};
use crate::script::bind::handles;
use crate::script::bind::place;
use crate::script::bind::table::{Answer, Entry, Group, Param, Shape, field, param};
use crate::script::bind::{character, names};
use crate::script::cinematic::{self, Definition};
use crate::script::convert::{Args, Mistake, Named, suggestion};
use crate::script::fault;
use crate::script::keeper::{load, stem};
use crate::script::owner;
use crate::script::request::{self, may_wait, seconds};
use crate::script::runtime::{self, Runtime};
use crate::script::task::{GroupKind, Pause};
use crate::script::timer::{self, TimerOrder};
use crate::script::wait::{self, CueId, Outcome, SceneId, Wait};
use crate::script::{invoke, payload};
use crate::world::cue::{Cue, CueKind};
use crate::world::event::{Event, LogLine};

const CINEMATIC: &str = "cinematic";
const SCENE: &str = "Scene";

/// What stands above the entries.
pub const GROUPS: &[Group] = &[
    Group { name: CINEMATIC, is_type: false, doc: "Scenes: code that holds characters for a while." },
    Group {
        name: SCENE,
        is_type: true,
        doc: "A scene. From outside it can be waited for and cancelled; its own script, which gets it as first argument, \
              walks, speaks and waits with it.",
    },
    Group { name: "Cue", is_type: true, doc: "Something the host was asked for; over after its seconds." },
];

/// Tables that these functions take and give.
pub const SHAPES: &[Shape] = &[
    Shape {
        name: "SceneInfo",
        doc: "How a scene ended.",
        fields: &[
            field("name", "string", "", "its name"),
            field("ok", "boolean", "", "whether it finished"),
            field("outcome", "\"finished\" | \"cancelled\" | \"fault\" | \"levelEnd\"", "", "how it ended"),
            field("skipped", "boolean", "", "whether it was skipped"),
            field("mark", "string?", "", "its last mark"),
            field("ticks", "number", "", "how long it ran"),
            field("error", "string?", "", "the message of the fault"),
        ],
    },
    Shape {
        name: "SayOptions",
        doc: "How a line is spoken.",
        fields: &[
            field("seconds", "number?", "2", "default 2"),
            field("vars", "{[string]: any}?", "{}", "values for the line"),
        ],
    },
    Shape {
        name: "ChoiceOptions",
        doc: "What is chosen when nobody answers.",
        fields: &[
            field("default", "string?", "\"pay\"", "default: the first option"),
            field("seconds", "number?", "1", "how long the question stands"),
        ],
    },
];

/// A scene that holds the guard and runs one line.
macro_rules! in_scene {
    ($line:literal) => {
        concat!(
            "cinematic.define(\"talk\", { holds = { \"guard\" }, script = function(c)\n    ",
            $line,
            "\nend })\nassert(cinematic.play(\"talk\"):wait().ok)"
        )
    };
}

const NAME: Param = param("name", "string", "\"talk\"");
const CHARACTER: Param = param("character", "Character", "guard");
const GOAL: Param = param("goal", "Place", "\"gate\"");
const WALK_OPTIONS: Param = param("options", "WalkOptions?", "{ gait = \"run\" }");
const ENTRY_MAP: Param = param("entries", "{[any]: Awaitable | () -> any}", "{ function() end }");
const RUN: Param = param("fn", "() -> ()", "function() end");
const FIELDS: Param = param("options", "{[string]: any}?", "{ seconds = 0.1 }");

/// Everything `cinematic`, a `Scene` and a `Cue` have.
pub const ENTRIES: &[Entry] = &[
    Entry {
        params: &[param("name", "CinematicName", "\"talk\""), param("args", "{[string]: any}?", "{}")],
        returns: "Scene",
        raises: "name data state gone",
        doc: "Starts a scene at the next dispatch.",
        example: "cinematic.define(\"talk\", { holds = { \"guard\" }, script = function(c, args) c:wait(0.1) end })\nassert(cinematic.play(\"talk\", { gold = 3 }):wait().ok)",
        ..Entry::function(CINEMATIC, "cinematic.play", play)
    },
    Entry {
        params: &[NAME, param("definition", "SceneDefinition", "{ script = function(c) end }")],
        raises: "state",
        doc: "A scene written inside another script, from its `start` or `onStart`.",
        example: "cinematic.define(\"nod\", { script = function(c) c:mark(\"nodded\") end })",
        ..Entry::function(CINEMATIC, "cinematic.define", define)
    },
    Entry {
        params: &[param("name", "string?", "\"talk\"")],
        returns: "Scene?",
        doc: "The running scene of that name, or the oldest.",
        example: "assert(cinematic.running() == nil)",
        ..Entry::function(CINEMATIC, "cinematic.running", running)
    },
    Entry {
        doc: "Its name.",
        example: "cinematic.define(\"a\", { script = function(c) assert(c.name == \"a\") end })",
        ..Entry::field(SCENE, "name", "string", name)
    },
    Entry {
        doc: "The mark it passed last.",
        example: "cinematic.define(\"b\", { script = function(c) assert(c.lastMark == nil) end })",
        ..Entry::field(SCENE, "lastMark", "string?", last_mark)
    },
    Entry {
        doc: "How it ended; nil until it has.",
        example: "cinematic.define(\"d\", { script = function(c) assert(c.info == nil) end })",
        ..Entry::field(SCENE, "info", "SceneInfo?", info)
    },
    Entry {
        returns: "boolean",
        doc: "Ends it at the next dispatch; false when it is over.",
        example: "cinematic.define(\"e\", { script = function(c) c:wait(9) end })\nassert(cinematic.play(\"e\"):cancel())",
        ..Entry::method(SCENE, "cancel", cancel)
    },
    Entry {
        params: &[param("seconds", "number?", "0.1")],
        returns: "SceneInfo",
        raises: "wait range",
        doc: "From outside: waits until the scene is over. In the scene's own code, with seconds: a pause.",
        example: "cinematic.define(\"f\", { script = function(c) c:wait(0.1) end })\nassert(cinematic.play(\"f\"):wait().outcome == \"finished\")",
        ..Entry::waiting_method(SCENE, "wait")
    },
    Entry {
        params: &[CHARACTER, GOAL, WALK_OPTIONS],
        returns: "WalkResult",
        raises: "name gone state wait",
        doc: "`character:walk` with accept near, crowd push, patience 2, timeout 60, ensure: it always arrives. The scene must \
              hold the character.",
        example: in_scene!("assert(c:walk(guard, \"gate\", { gait = \"run\" }).ok)"),
        ..Entry::waiting_method(SCENE, "walk")
    },
    Entry {
        params: &[CHARACTER, GOAL, WALK_OPTIONS],
        returns: "Walk",
        raises: "name gone state",
        doc: "The same without waiting.",
        example: in_scene!("assert(c:start(guard, \"gate\"):wait().ok)"),
        ..Entry::method(SCENE, "start", start)
    },
    Entry {
        params: &[ENTRY_MAP],
        returns: "{[any]: any}",
        raises: "wait state limit",
        doc: "`task.all`.",
        example: in_scene!(
            "c:parallel({ way = c:start(guard, \"post\"), pan = c:camera(\"pan\", { to = \"gate\", seconds = 0.5 }) })"
        ),
        ..Entry::waiting_method(SCENE, "parallel")
    },
    Entry {
        params: &[ENTRY_MAP],
        returns: "any, any",
        raises: "wait state limit",
        doc: "`task.race`.",
        example: in_scene!(
            "assert(c:race({ way = c:start(guard, \"post\"), soon = function() task.sleep(0.1) end }) == \"soon\")"
        ),
        ..Entry::waiting_method(SCENE, "race")
    },
    Entry {
        params: &[
            param("entry", "Awaitable | () -> any", "function() end"),
            param("options", "UntilOptions?", "{ timeout = 1 }"),
        ],
        returns: "any",
        raises: "wait state range limit",
        doc: "The result, or nil after `timeout` seconds, 60 by default.",
        example: in_scene!("assert(c:waitFor(door:open(), { timeout = 6 }).ok)"),
        ..Entry::waiting_method(SCENE, "waitFor")
    },
    Entry {
        params: &[
            param("who", "Character", "guard"),
            param("line", "string", "\"hello\""),
            param("options", "SayOptions?", "{ seconds = 0.1 }"),
        ],
        raises: "wait state data",
        doc: "Asks the host to speak a line; over after `seconds`.",
        example: in_scene!("c:say(guard, \"gate.closed\", { seconds = 0.1, vars = { hour = 9 } })"),
        ..Entry::waiting_method(SCENE, "say")
    },
    Entry {
        params: &[
            param("id", "string", "\"toll\""),
            param("options", "{string}", "{ \"pay\", \"refuse\" }"),
            param("settings", "ChoiceOptions?", "{ default = \"pay\" }"),
        ],
        returns: "string",
        raises: "wait state range",
        doc: "Asks the host a question; with no host to answer: `default`, else the first option, with a warning.",
        example: in_scene!(
            "assert(c:choice(\"toll\", { \"pay\", \"refuse\" }, { default = \"pay\" }) == \"pay\")"
        ),
        ..Entry::waiting_method(SCENE, "choice")
    },
    Entry {
        params: &[param("kind", "string", "\"pan\""), FIELDS],
        returns: "Cue",
        raises: "state name data range",
        doc: "Asks the host to move the camera: pan, follow, cut, shake, zoom or reset. Reset by itself when the scene ends.",
        example: in_scene!("c:camera(\"pan\", { to = \"gate\", seconds = 0.1 }):wait()"),
        ..Entry::method(SCENE, "camera", camera)
    },
    Entry {
        params: &[param("kind", "string", "\"fadeOut\""), FIELDS],
        returns: "Cue",
        raises: "state data range",
        doc: "Asks the host for anything else: fades, sound. Over after `seconds`, 0 by default.",
        example: in_scene!("c:cue(\"fadeOut\", { seconds = 0.1 }):wait()"),
        ..Entry::method(SCENE, "cue", cue)
    },
    Entry {
        params: &[param("name", "string", "\"nodded\"")],
        raises: "state",
        doc: "A point of the scene, for logs, tests and `SceneInfo`.",
        example: in_scene!("c:mark(\"nodded\")"),
        ..Entry::method(SCENE, "mark", mark)
    },
    Entry {
        params: &[RUN],
        raises: "state",
        doc: "Runs the function; what is in it is never skipped.",
        example: in_scene!("c:noSkip(function() c:wait(0.1) end)"),
        ..Entry::waiting_method(SCENE, "noSkip")
    },
    Entry {
        params: &[RUN],
        raises: "state",
        doc: "Runs the function; it is left out while a scene is skipped.",
        example: in_scene!("c:cosmetic(function() guard:play(\"nod\", { seconds = 0.1 }):wait() end)"),
        ..Entry::waiting_method(SCENE, "cosmetic")
    },
    Entry {
        returns: "boolean",
        raises: "wait",
        doc: "Waits until it is over.",
        example: in_scene!("assert(c:cue(\"bell\"):wait())"),
        ..Entry::waiting_method("Cue", "wait")
    },
];

/// The scene called `asked`: defined by a script, or a file. A sentence about what is wrong.
fn definition(lua: &Lua, asked: &str) -> Result<Definition, String> {
    let known = runtime::with(lua, |runtime| runtime.scenes.definition(asked));
    if let Some(definition) = known {
        return Ok(definition);
    }
    let result = load(lua, asked).map_err(|what| {
        let known = runtime::with(lua, |runtime| runtime.scenes.names());
        format!("{what}{}", suggestion(asked, known.iter().map(String::as_str)))
    })?;
    let definition =
        cinematic::check(stem(asked), &result).map_err(|what| format!("cinematic \"{asked}\": {what}"))?;
    Ok(definition)
}

fn play(lua: &Lua, args: &mut Args) -> Answer {
    with(lua, args, |_| Ok(()))?;
    let asked = args.take("name").text("the name of a cinematic")?;
    let given = plain_map(lua, args.take("args"))?;
    let definition = definition(lua, &asked).map_err(|what| args.mistake(what))?;
    let id = cinematic::play(lua, definition, given).map_err(|what| args.mistake(what))?;
    answer(lua, handles::make(lua, SceneId(id))?)
}

/// A table of plain data with names as keys; empty when nothing is given.
fn plain_map(lua: &Lua, given: Named) -> Result<Plain, Mistake> {
    if given.value().is_nil() {
        return Ok(invoke::map([]));
    }
    given.table("a table")?;
    let limit = runtime::with(lua, |runtime| runtime.limits.state_kib);
    payload::read(lua, &given, u32::try_from(limit).unwrap_or(u32::MAX))
}

fn define(lua: &Lua, args: &mut Args) -> Answer {
    with(lua, args, |_| Ok(()))?;
    let name = args.take("name").new_name()?;
    let given = args.take("definition");
    let definition = cinematic::check(&name, given.value()).map_err(|what| args.mistake(what))?;
    // Code that a reload brings defines its scenes anew: those under way finish on their old code.
    let is_running = |runtime: &mut Runtime| {
        runtime.scenes.definition(&name).is_some() && runtime.scenes.running(Some(&name)).is_some()
    };
    if runtime::with(lua, is_running) {
        return Err(args
            .mistake(format!("cinematic \"{name}\" is running; define it before it is played"))
            .into());
    }
    let owner = owner::current(lua);
    runtime::with(lua, |runtime| runtime.scenes.define(owner, definition));
    nothing()
}

fn running(lua: &Lua, args: &mut Args) -> Answer {
    with(lua, args, |_| Ok(()))?;
    let name = args.take("name").present().map(|name| name.text("the name of a cinematic")).transpose()?;
    let id = runtime::with(lua, |runtime| runtime.scenes.running(name.as_deref()));
    answer(lua, id.map(|id| handles::make(lua, SceneId(id))).transpose()?)
}

/// The info of a scene that is over.
fn info_of(lua: &Lua, id: SceneId) -> Option<Table> {
    match wait::known(lua, Wait::Scene(id.0)) {
        Some(Outcome::Value(Value::Table(info))) => Some(info),
        _ => None,
    }
}

fn name(lua: &Lua, args: &mut Args) -> Answer {
    let id = myself::<SceneId>(args)?;
    let name = runtime::with(lua, |runtime| runtime.scenes.name(id.0).map(str::to_owned));
    match name {
        Some(name) => answer(lua, name),
        None => answer(lua, info_of(lua, id).map(|info| info.raw_get::<Value>("name")).transpose()?),
    }
}

fn last_mark(lua: &Lua, args: &mut Args) -> Answer {
    let id = myself::<SceneId>(args)?;
    let mark = runtime::with(lua, |runtime| runtime.scenes.mark(id.0).map(str::to_owned));
    match mark {
        Some(mark) => answer(lua, mark),
        None => answer(lua, info_of(lua, id).map(|info| info.raw_get::<Value>("mark")).transpose()?),
    }
}

fn info(lua: &Lua, args: &mut Args) -> Answer {
    let id = myself::<SceneId>(args)?;
    answer(lua, info_of(lua, id))
}

fn cancel(lua: &Lua, args: &mut Args) -> Answer {
    let id = myself::<SceneId>(args)?;
    answer(lua, cinematic::cancel(lua, id.0))
}

/// The scene a method of its own code was called on.
fn own_scene(lua: &Lua, args: &mut Args) -> Result<SceneId, Mistake> {
    let id = myself::<SceneId>(args)?;
    if is_own(lua, id) {
        return Ok(id);
    }
    Err(args.mistake("called from outside the scene; only the tasks of the scene itself may"))
}

fn is_own(lua: &Lua, id: SceneId) -> bool {
    let owner = owner::current(lua);
    runtime::with(lua, |runtime| runtime.scenes.owner(id.0)) == Some(owner)
}

/// What a scene's walk has unless its options say otherwise: it always arrives.
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

fn start(lua: &Lua, args: &mut Args) -> Answer {
    let function = args.function();
    let id = own_scene(lua, args)?;
    let given = args.take("character");
    let character = handle::<CharacterId>(&given, "a character")?;
    if !runtime::with(lua, |runtime| runtime.scenes.holds(id.0, character)) {
        let name = with(lua, args, |world| Ok(world.name_of(character).to_owned()))?;
        let scene = runtime::with(lua, |runtime| runtime.scenes.name(id.0).unwrap_or_default().to_owned());
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

fn push(lua: &Lua, args: &Args, id: SceneId, kind: CueKind) -> Result<(), Raise> {
    let scene = runtime::with(lua, |runtime| runtime.scenes.name(id.0).unwrap_or_default().to_owned());
    with(lua, args, |world| {
        world.events.push(Event::Cue(Box::new(Cue { scene, kind })));
        Ok(())
    })
}

const CAMERA_KINDS: [&str; 6] = ["pan", "follow", "cut", "shake", "zoom", "reset"];

fn camera(lua: &Lua, args: &mut Args) -> Answer {
    let id = own_scene(lua, args)?;
    let kind = args.take("kind").one_of(&CAMERA_KINDS)?.to_owned();
    let options = args.take("options");
    if let Some(table) = options.value().as_table() {
        let to = table.raw_get::<Value>("to")?;
        if let Some(name) = to.as_string().map(|name| name.to_string_lossy()) {
            let function = args.function();
            with(lua, args, |world| names::mark(world, function, &name).map(|_| ()))?;
        } else if !to.is_nil() && thing::<CharacterId>(&to).is_none() {
            place::single(&Named::new(args.function(), "options.to", to))?;
        }
    }
    runtime::with(lua, |runtime| runtime.scenes.note_camera(id.0));
    ask_host(lua, args, id, options, |options| CueKind::Camera { kind, options })
}

fn cue(lua: &Lua, args: &mut Args) -> Answer {
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
    options: Named,
    kind: impl FnOnce(Plain) -> CueKind,
) -> Answer {
    let options = plain_map(lua, options)?;
    let lasting = match &options {
        Plain::Map(entries) => entries.get(&PlainKey::Name("seconds".to_owned())),
        _ => None,
    };
    let lasting = match lasting {
        None => 0.0,
        Some(Plain::Number(number)) if (0.0..=request::SECONDS_MAX).contains(number) => *number,
        Some(_) => {
            return Err(args
                .mistake("options.seconds is wrong, expected a number of seconds, 0 or more")
                .into());
        }
    };
    push(lua, args, id, kind(options))?;
    let owner = owner::current(lua);
    let order = TimerOrder { owner, callback: None, payload: None, seconds: lasting, turns_max: Some(1) };
    let cue = runtime::with(lua, |runtime| timer::start(runtime, order));
    answer(lua, handles::make(lua, CueId(cue))?)
}

fn mark(lua: &Lua, args: &mut Args) -> Answer {
    let id = own_scene(lua, args)?;
    let mark = args.take("name").new_name()?;
    runtime::with(lua, |runtime| runtime.scenes.set_mark(id.0, mark));
    nothing()
}

fn scene_wait(lua: &Lua, args: &mut Args) -> Result<f64, Raise> {
    let id = thing::<SceneId>(args.peek());
    if id.is_some_and(|id| is_own(lua, id)) {
        args.take("self");
        return request::sleep(lua, args);
    }
    request::wait_for(lua, args, false)
}

fn scene_group(lua: &Lua, args: &mut Args, kind: GroupKind) -> Result<f64, Raise> {
    own_scene(lua, args)?;
    request::group(lua, args, kind)
}

/// Seconds after which `c:waitFor` gives up, unless it says otherwise: no wait of a scene is without end.
const WAIT_FOR_S: f64 = 60.0;

fn scene_wait_for(lua: &Lua, args: &mut Args) -> Result<f64, Raise> {
    own_scene(lua, args)?;
    let entry = args.take("entry");
    let options = args.options(&["timeout"])?;
    let timeout = options.find("timeout").map_or(Ok(WAIT_FOR_S), |given| seconds(&given))?;
    request::timeout(lua, timeout, &entry, args)
}

fn pause(lua: &Lua, seconds: f64) -> f64 {
    let until = runtime::with(lua, |runtime| runtime.now.after(runtime.ticks(seconds)));
    request::file(lua, Pause::Until(until), Vec::new())
}

fn scene_say(lua: &Lua, args: &mut Args) -> Result<f64, Raise> {
    let id = own_scene(lua, args)?;
    let who = handle::<CharacterId>(&args.take("who"), "a character")?;
    let line = args.take("line").text("a line")?;
    let options = args.options(&["seconds", "vars"])?;
    let lasting = options.find("seconds").map_or(Ok(2.0), |given| seconds(&given))?;
    let vars = plain_map(lua, options.get("vars"))?;
    may_wait(lua, args.function())?;
    let character = with(lua, args, |world| Ok(world.name_of(who).to_owned()))?;
    push(lua, args, id, CueKind::Said { character, line, vars, seconds: lasting })?;
    Ok(pause(lua, lasting))
}

fn scene_choice(lua: &Lua, args: &mut Args) -> Result<(f64, String), Raise> {
    let id = own_scene(lua, args)?;
    let question = args.take("id").new_name()?;
    let options = list(&args.take("options"), "a list of answers", 64, |given| given.text("a text"))?;
    let settings = args.take("settings").options(&["default", "seconds"])?;
    let default = settings.find("default").map(|given| given.text("one of the options")).transpose()?;
    let lasting = settings.find("seconds").map_or(Ok(0.0), |given| seconds(&given))?;
    if options.is_empty() {
        return Err(args.mistake("options is empty, expected at least one answer").into());
    }
    if let Some(default) = &default
        && !options.contains(default)
    {
        let hint = suggestion(default, options.iter().map(String::as_str));
        return Err(args
            .mistake(format!("default is \"{default}\", expected one of the options{hint}"))
            .into());
    }
    may_wait(lua, args.function())?;
    let picked = match default {
        Some(default) => default,
        None => {
            let first = options.first().cloned().unwrap_or_default();
            warn(
                lua,
                args,
                &format!("choice \"{question}\" has nobody to answer and no default: \"{first}\" is taken"),
            )?;
            first
        }
    };
    push(lua, args, id, CueKind::Choice { id: question, options, answer: picked.clone() })?;
    Ok((pause(lua, lasting), picked))
}

fn warn(lua: &Lua, args: &Args, message: &str) -> Result<(), Raise> {
    let owner = owner::label(lua, owner::current(lua));
    let place = fault::frames(lua, 1).pop();
    let (file, line) = place.map_or((String::new(), 0), |frame| (frame.file, frame.line));
    let logged = LogLine { level: "warn", owner, file, line, message: message.to_owned() };
    with(lua, args, |world| {
        world.events.push(Event::Logged(Box::new(logged)));
        Ok(())
    })
}

/// Checks that a scene's own code gives a function.
fn scene_own(lua: &Lua, args: &mut Args) -> Result<(), Raise> {
    own_scene(lua, args)?;
    args.take("fn").callable()?;
    Ok(())
}

/// Adds what the prelude asks for scenes.
pub(crate) fn add_natives(lua: &Lua, natives: &Table) -> mlua::Result<()> {
    fn native<R: mlua::IntoLuaMulti + 'static>(
        lua: &Lua,
        name: &'static str,
        body: fn(&Lua, &mut Args) -> Result<R, Raise>,
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
    natives.raw_set("sceneNoSkip", native(lua, "noSkip", scene_own)?)?;
    natives.raw_set("sceneCosmetic", native(lua, "cosmetic", scene_own)?)
}
