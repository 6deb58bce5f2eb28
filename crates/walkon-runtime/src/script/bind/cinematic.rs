//! `cinematic`, `Scene` and `Cue`: scenes from outside, and what a scene's own code does.
//!
//! Holds: methods that belong to a scene's own code raise when others call them; without a host, a line ends
//! after its seconds and a choice takes its default. Not here: how scenes begin and end
//! (`script::cinematic`), the waiting halves (`prelude`).

use mlua::{Lua, Table, Value};

use crate::script::bind::call::{answer, myself, nothing, with};
use crate::script::bind::registration::load;
use crate::script::bind::scene;
use crate::script::bind::table::{ApiParam, Binding, HostResult, Library, TableType, field, param};
use crate::script::state::runtime::Runtime;
use crate::script::state::scenes::Definition;
use crate::script::state::wait::{Outcome, Wait};
use crate::script::step::cinematic::definition;
use crate::script::step::wait::{self, SceneId};
use crate::script::step::{cinematic, owner, skipping};
use crate::script::vm;
use crate::script::vm::convert::{Args, price_of_unknown};
use crate::script::vm::files::short_name;
use crate::script::vm::shown_names::suggestion;
use crate::script::vm::{fuel, handles, room, store};

const CINEMATIC: &str = "cinematic";
const SCENE: &str = "Scene";

/// What stands above the entries.
pub const GROUPS: &[Library] = &[
    Library { name: CINEMATIC, is_type: false, doc: "Scenes: code that holds characters for a while." },
    Library {
        name: SCENE,
        is_type: true,
        doc: "A scene. From outside it can be waited for and cancelled; its own script, which gets it as first argument, \
              walks, speaks and waits with it.",
    },
    Library { name: "Cue", is_type: true, doc: "Something the host was asked for; over after its seconds." },
];

/// Tables that these functions take and give.
pub const SHAPES: &[TableType] = &[
    TableType {
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
    TableType {
        name: "SayOptions",
        doc: "How a line is spoken.",
        fields: &[
            field("seconds", "number?", "2", "default 2"),
            field("vars", "{[string]: any}?", "{}", "values for the line"),
        ],
    },
    TableType {
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

const NAME: ApiParam = param("name", "string", "\"talk\"");
const CHARACTER: ApiParam = param("character", "Character", "guard");
const GOAL: ApiParam = param("goal", "Place", "\"gate\"");
const WALK_OPTIONS: ApiParam = param("options", "WalkOptions?", "{ gait = \"run\" }");
const ENTRY_MAP: ApiParam = param("entries", "{[any]: Awaitable | () -> ...any}", "{ function() end }");
const RUN: ApiParam = param("fn", "() -> ()", "function() end");
const FIELDS: ApiParam = param("options", "{[string]: any}?", "{ seconds = 0.1 }");

/// Everything `cinematic`, a `Scene` and a `Cue` have.
pub const ENTRIES: &[Binding] = &[
    Binding {
        params: &[param("name", "CinematicName", "\"talk\""), param("args", "{[string]: any}?", "{}")],
        returns: "Scene",
        raises: "name data state gone",
        doc: "Starts a scene at the next dispatch.",
        example: "cinematic.define(\"talk\", { holds = { \"guard\" }, script = function(c, args) c:wait(0.1) end })\nassert(cinematic.play(\"talk\", { gold = 3 }):wait().ok)",
        price: 256,
        ..Binding::function(CINEMATIC, "cinematic.play", play)
    },
    Binding {
        params: &[NAME, param("definition", "SceneDefinition", "{ script = function(c) end }")],
        raises: "state",
        doc: "A scene written inside another script, from its `start` or `onStart`.",
        example: "cinematic.define(\"nod\", { script = function(c) c:mark(\"nodded\") end })",
        price: 128,
        ..Binding::function(CINEMATIC, "cinematic.define", define)
    },
    Binding {
        params: &[param("name", "string?", "\"talk\"")],
        returns: "Scene?",
        doc: "The running scene of that name, or the oldest.",
        example: "assert(cinematic.running() == nil)",
        ..Binding::function(CINEMATIC, "cinematic.running", running)
    },
    Binding {
        doc: "Its name.",
        example: "cinematic.define(\"a\", { script = function(c) assert(c.name == \"a\") end })",
        ..Binding::field(SCENE, "name", "string", name)
    },
    Binding {
        doc: "The mark it passed last. In the scene's own code it is the method `mark` that sets it.",
        example: "cinematic.define(\"b\", { script = function(c) c:mark(\"met\") end })\nlocal scene = cinematic.play(\"b\")\nscene:wait()\nassert(scene.mark == \"met\")",
        ..Binding::field(SCENE, "mark", "string?", mark)
    },
    Binding {
        doc: "The mark from which it goes on after a load, for scenes that say `resumable = true`; nil when it began from its start.",
        example: "cinematic.define(\"e\", { resumable = true, script = function(c) assert(c.resumedFrom == nil) end })\nassert(cinematic.play(\"e\"):wait().ok)",
        ..Binding::field(SCENE, "resumedFrom", "string?", resumed_from)
    },
    Binding {
        doc: "Whether it is being skipped.",
        example: "cinematic.define(\"c\", { script = function(c) assert(not c.skipping) end })\ncinematic.play(\"c\"):wait()",
        ..Binding::field(SCENE, "skipping", "boolean", is_skipping)
    },
    Binding {
        doc: "How it ended; nil until it has.",
        example: "cinematic.define(\"d\", { script = function(c) assert(c.info == nil) end })",
        ..Binding::field(SCENE, "info", "SceneInfo?", info)
    },
    Binding {
        returns: "boolean",
        doc: "Ends it at the next dispatch; false when it is over. A scene that is played after this may hold its characters.",
        example: "cinematic.define(\"e\", { script = function(c) c:wait(9) end })\nassert(cinematic.play(\"e\"):cancel())",
        ..Binding::method(SCENE, "cancel", cancel)
    },
    Binding {
        returns: "boolean",
        doc: "Skips it from the next dispatch on: its code runs on in no time. False when it is not skippable, or over.",
        example: "cinematic.define(\"s\", { script = function(c) c:wait(9) end })\nlocal scene = cinematic.play(\"s\")\nassert(scene:skip() and scene:wait().skipped)",
        ..Binding::method(SCENE, "skip", skip)
    },
    Binding {
        params: &[param("seconds", "number?", "0.1")],
        returns: "SceneInfo",
        raises: "wait range",
        doc: "From outside: waits until the scene is over. In the scene's own code, with seconds: a pause.",
        example: "cinematic.define(\"f\", { script = function(c) c:wait(0.1) end })\nassert(cinematic.play(\"f\"):wait().outcome == \"finished\")",
        ..Binding::waiting_method(SCENE, "wait")
    },
    Binding {
        params: &[CHARACTER, GOAL, WALK_OPTIONS],
        returns: "WalkResult",
        raises: "name gone state wait",
        doc: "`character:walk` with accept near, crowd push, patience 2, timeout 60, ensure: it arrives, unless the goal is more \
              than 8 m from any ground. The scene must hold the character.",
        example: in_scene!("assert(c:walk(guard, \"gate\", { gait = \"run\" }).ok)"),
        ..Binding::waiting_method(SCENE, "walk")
    },
    Binding {
        params: &[CHARACTER, GOAL, WALK_OPTIONS],
        returns: "Walk",
        raises: "name gone state",
        doc: "The same without waiting.",
        example: in_scene!("assert(c:start(guard, \"gate\"):wait().ok)"),
        ..Binding::method(SCENE, "start", scene::start)
    },
    Binding {
        params: &[ENTRY_MAP],
        returns: "{[any]: any}",
        raises: "wait state limit",
        doc: "`task.all`.",
        example: in_scene!(
            "c:parallel({ way = c:start(guard, \"post\"), pan = c:camera(\"pan\", { to = \"gate\", seconds = 0.5 }) })"
        ),
        ..Binding::waiting_method(SCENE, "parallel")
    },
    Binding {
        params: &[ENTRY_MAP],
        returns: "any, any",
        raises: "wait state limit",
        doc: "`task.race`.",
        example: in_scene!(
            "assert(c:race({ way = c:start(guard, \"post\"), soon = function() task.sleep(0.1) end }) == \"soon\")"
        ),
        ..Binding::waiting_method(SCENE, "race")
    },
    Binding {
        params: &[
            param("entry", "Awaitable | () -> ...any", "function() end"),
            param("options", "UntilOptions?", "{ timeout = 1 }"),
        ],
        returns: "any",
        raises: "wait state range limit",
        doc: "The result, or nil after `timeout` seconds, 60 by default.",
        example: in_scene!("assert(c:waitFor(door:open(), { timeout = 6 }).ok)"),
        ..Binding::waiting_method(SCENE, "waitFor")
    },
    Binding {
        params: &[
            param("who", "Character", "guard"),
            param("line", "string", "\"hello\""),
            param("options", "SayOptions?", "{ seconds = 0.1 }"),
        ],
        raises: "wait state data",
        doc: "Asks the host to speak a line, of at most 4,096 bytes; over after `seconds`.",
        example: in_scene!("c:say(guard, \"gate.closed\", { seconds = 0.1, vars = { hour = 9 } })"),
        ..Binding::waiting_method(SCENE, "say")
    },
    Binding {
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
        ..Binding::waiting_method(SCENE, "choice")
    },
    Binding {
        params: &[
            param("kind", "\"pan\" | \"follow\" | \"cut\" | \"shake\" | \"zoom\" | \"reset\"", "\"pan\""),
            FIELDS,
        ],
        returns: "Cue",
        raises: "state name data range",
        doc: "Asks the host to move the camera: pan, follow, cut, shake, zoom or reset. Reset by itself when the scene ends.",
        example: in_scene!("c:camera(\"pan\", { to = \"gate\", seconds = 0.1 }):wait()"),
        ..Binding::method(SCENE, "camera", scene::camera)
    },
    Binding {
        params: &[param("kind", "string", "\"fadeOut\""), FIELDS],
        returns: "Cue",
        raises: "state data range",
        doc: "Asks the host for anything else: fades, sound. Over after `seconds`, 0 by default.",
        example: in_scene!("c:cue(\"fadeOut\", { seconds = 0.1 }):wait()"),
        ..Binding::method(SCENE, "cue", scene::cue)
    },
    Binding {
        params: &[param("name", "string", "\"nodded\"")],
        raises: "state range",
        doc: "A point of the scene, for logs, tests and `SceneInfo`; a name of 1 to 128 bytes.",
        example: in_scene!("c:mark(\"nodded\")"),
        ..Binding::method(SCENE, "mark", scene::mark)
    },
    Binding {
        params: &[RUN],
        raises: "state",
        doc: "Runs the function; what is in it is never skipped.",
        example: in_scene!("c:noSkip(function() c:wait(0.1) end)"),
        ..Binding::waiting_method(SCENE, "noSkip")
    },
    Binding {
        params: &[RUN],
        raises: "state",
        doc: "Runs the function; it is left out while a scene is skipped.",
        example: in_scene!("c:cosmetic(function() guard:play(\"nod\", { seconds = 0.1 }):wait() end)"),
        ..Binding::waiting_method(SCENE, "cosmetic")
    },
    Binding {
        returns: "boolean",
        raises: "wait",
        doc: "Waits until it is over.",
        example: in_scene!("assert(c:cue(\"bell\"):wait())"),
        ..Binding::waiting_method("Cue", "wait")
    },
];

/// The scene called `asked`: defined by a script, or a file. Else a sentence about the mistake.
fn definition(lua: &Lua, asked: &str) -> Result<Definition, String> {
    let known = store::with(lua, |runtime| runtime.cinematics.scenes.definition(asked));
    if let Some(definition) = known {
        return Ok(definition);
    }
    let result = load(lua, asked).map_err(|what| {
        let known = store::with(lua, |runtime| runtime.cinematics.scenes.names());
        fuel::charge_running(price_of_unknown(known.len() as u64));
        format!("{what}{}", suggestion(asked, known.iter().map(String::as_str)))
    })?;
    let mut definition = definition::check(short_name(asked), &result)
        .map_err(|what| format!("cinematic \"{asked}\": {what}"))?;
    definition.file = vm::resolve_name(lua, asked);
    Ok(definition)
}

fn play(lua: &Lua, args: &mut Args) -> HostResult {
    with(lua, args, |_| Ok(()))?;
    let asked = args.take("name").text("the name of a cinematic")?;
    let given = scene::plain_map(lua, args.take("args"))?;
    let definition = definition(lua, &asked).map_err(|what| args.mistake(what))?;
    if let Some(what) = store::work_at_limit(lua) {
        return Err(args.mistake(what).into());
    }
    let id = cinematic::play(lua, definition, given).map_err(|what| args.mistake(what))?;
    answer(lua, handles::make(lua, SceneId(id))?)
}

fn define(lua: &Lua, args: &mut Args) -> HostResult {
    with(lua, args, |_| Ok(()))?;
    let name = args.take("name").new_name()?;
    let given = args.take("definition");
    let definition = definition::check(&name, given.value()).map_err(|what| args.mistake(what))?;
    // Code that a reload brings defines its scenes again: those under way finish on their old code.
    let owner = owner::current(lua);
    let is_running = |runtime: &mut Runtime| {
        runtime.cinematics.scenes.is_defined_against(&name, owner)
            && running_scene(runtime, Some(&name)).is_some()
    };
    if store::with(lua, is_running) {
        return Err(args
            .mistake(format!("cinematic \"{name}\" is running; define it before it is played"))
            .into());
    }
    room::reserve(lua, definition.bytes()).map_err(|what| args.mistake(what))?;
    store::with(lua, |runtime| runtime.cinematics.scenes.define(owner, definition));
    nothing()
}

/// The running scene of that name, or the oldest, among as many as are paid for.
fn running_scene(runtime: &Runtime, name: Option<&str>) -> Option<u64> {
    const SCENES_PER_UNIT: usize = 64;
    fuel::charge_running((runtime.cinematics.scenes.count() / SCENES_PER_UNIT) as u64);
    runtime.cinematics.scenes.running(name)
}

fn running(lua: &Lua, args: &mut Args) -> HostResult {
    with(lua, args, |_| Ok(()))?;
    let name = args.take("name").present().map(|name| name.text("the name of a cinematic")).transpose()?;
    let id = store::with(lua, |runtime| running_scene(runtime, name.as_deref()));
    answer(lua, id.map(|id| handles::make(lua, SceneId(id))).transpose()?)
}

/// The info of a scene that is over.
fn info_of(lua: &Lua, id: SceneId) -> Option<Table> {
    match wait::known(lua, Wait::Scene(id.0)) {
        Some(Outcome::Value(Value::Table(info))) => Some(info),
        _ => None,
    }
}

fn name(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<SceneId>(args)?;
    let name = store::with(lua, |runtime| runtime.cinematics.scenes.name(id.0).map(str::to_owned));
    match name {
        Some(name) => answer(lua, name),
        None => answer(lua, info_of(lua, id).map(|info| info.raw_get::<Value>("name")).transpose()?),
    }
}

fn resumed_from(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<SceneId>(args)?;
    answer(lua, store::with(lua, |runtime| runtime.cinematics.scenes.resumed_from(id.0).map(str::to_owned)))
}

/// The name of the mark passed last; for the scene's own code the method that sets it, because `c:mark(name)`
/// and `scene.mark` are one name on one value.
fn mark(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<SceneId>(args)?;
    if scene::is_own(lua, id) {
        return answer(lua, scene::mark_method(lua)?);
    }
    let mark = store::with(lua, |runtime| runtime.cinematics.scenes.mark(id.0).map(str::to_owned));
    match mark {
        Some(mark) => answer(lua, mark),
        None => answer(lua, info_of(lua, id).map(|info| info.raw_get::<Value>("mark")).transpose()?),
    }
}

fn info(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<SceneId>(args)?;
    answer(lua, info_of(lua, id))
}

fn is_skipping(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<SceneId>(args)?;
    answer(lua, store::with(lua, |runtime| runtime.cinematics.scenes.is_skipping(id.0)))
}

fn skip(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<SceneId>(args)?;
    answer(lua, skipping::ask(lua, id.0))
}

fn cancel(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<SceneId>(args)?;
    answer(lua, cinematic::cancel(lua, id.0))
}
