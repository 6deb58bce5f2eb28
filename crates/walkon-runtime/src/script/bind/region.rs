//! `region` and `Watch`: which characters are inside a shape, and calls when one enters or leaves.
//!
//! In: shapes, filters and handlers of scripts. Out: watches, and the characters inside. Not here: step 11,
//! which finds out (`sim::regions`); predicates, which the scheduler tests.

use mlua::{Lua, Value};

use crate::base::ids::CharacterId;
use crate::script::bind::call::{self, answer, ask, myself, nothing, with};
use crate::script::bind::place::{self, PlaceValue};
use crate::script::bind::table::{ApiParam, Binding, HostResult, Library, TableType, field, param};
use crate::script::bind::walk_options::{chosen, metres, seconds};
use crate::script::bind::{character, door, names, registration};
use crate::script::state::callback::{WatchHandlers, WhenOrder};
use crate::script::state::handlers::WatchRecord;
use crate::script::state::owners::Counted;
use crate::script::step::{handlers, owner};
use crate::script::vm::convert::{Args, Argument, Options, UsageError};
use crate::script::vm::handles::{self, WatchRef, thing};
use crate::script::vm::{charge, room, store};
use crate::world::World;
use crate::world::ops::alive;
use crate::world::ops::watches::{self, WatchOrder};
use crate::world::props::Subject;
use crate::world::region::{Edge, Filter, Watch, WatchId, WatchShape};

const REGION: &str = "region";
const WATCH: &str = "Watch";

/// What stands above the entries.
pub const GROUPS: &[Library] = &[
    Library {
        name: REGION,
        is_type: false,
        doc: "Which characters are inside which shape, as of step 11 of the last tick.",
    },
    Library {
        name: WATCH,
        is_type: true,
        doc: "A shape, or a predicate, that is being watched. It ends with its owner.",
    },
];

const OPTION_NAMES: &[&str] =
    &["filter", "edge", "initial", "once", "lineOfWalk", "onEnter", "onExit", "onStay", "every"];
const WHEN_OPTIONS: &[&str] = &["onTrue", "onFalse", "every"];

/// Most tags of a filter.
const TAGS_MAX: usize = 64;

/// Tables that these functions take, and the payload of their handlers.
pub const SHAPES: &[TableType] = &[
    TableType {
        name: "RegionOptions",
        doc: "Which characters count and which handlers run. Everything may be left out.",
        fields: &[
            field(
                "filter",
                "Filter?",
                "\"player\"",
                "a tag, a list of tags, a character, or a function that says yes",
            ),
            field(
                "edge",
                "(\"centre\" | \"any\" | \"full\")?",
                "\"centre\"",
                "which part of a body must be inside: its centre (default, and the only one for areas), any part, all of it",
            ),
            field(
                "initial",
                "boolean?",
                "true",
                "those already inside enter; else they count as inside without a word",
            ),
            field("once", "boolean?", "true", "remove itself after the first enter"),
            field("lineOfWalk", "boolean?", "false", "region.near: only along walkable straight lines"),
            field("onEnter", "RegionHandler?", "function(event) end", "runs for characters that come in"),
            field("onExit", "RegionHandler?", "function(event) end", "runs for characters that go out"),
            field(
                "onStay",
                "RegionHandler?",
                "function(event) end",
                "runs each `every` seconds for those inside",
            ),
            field(
                "every",
                "number?",
                "2",
                "seconds between onStay, 0 to 86400, rounded up to whole ticks, default 1",
            ),
        ],
    },
    TableType {
        name: "WhenOptions",
        doc: "Which handlers run when a predicate changes.",
        fields: &[
            field("onTrue", "Handler?", "function(event) end", "payload { watch }"),
            field("onFalse", "Handler?", "function(event) end", "payload { watch }"),
            field(
                "every",
                "number?",
                "0.5",
                "seconds between tests, 0 to 86400, rounded up to whole ticks, default each tick",
            ),
        ],
    },
    TableType {
        name: "RegionEvent",
        doc: "A character came in or went out.",
        fields: &[
            field("character", "Character", "", "the character"),
            field("region", "string?", "", "name of the region, if it is one of the level"),
            field("watch", "Watch", "", "the watch that saw it"),
            field(
                "how",
                "string",
                "",
                "walked, teleported, spawned, despawned (they, or whom the circle is around), initial, moved, \
                 enabled, disabled or skipped",
            ),
        ],
    },
];

const NAME: ApiParam = param("name", "RegionName", "\"hall\"");
const HANDLER: ApiParam = param("handler", "RegionHandler", "function(event) end");
const OPTIONS: ApiParam = param("options", "RegionOptions?", "{ filter = \"player\" }");

/// Everything `region` and a `Watch` have.
pub const ENTRIES: &[Binding] = &[
    Binding {
        params: &[NAME, OPTIONS],
        returns: "Watch",
        raises: "name range limit",
        doc: "Watches a region of the level.",
        example: "local watch = region.on(\"hall\", { onEnter = function(event) log.info(\"%s\", event.character) end })",
        price: 48,
        ..Binding::function(REGION, "region.on", on)
    },
    Binding {
        params: &[NAME, HANDLER, OPTIONS],
        returns: "Watch",
        raises: "name range limit",
        doc: "Short for `region.on` with `onEnter`.",
        example: "region.onEnter(\"hall\", function(event) event.character:stop() end, { filter = \"player\" })",
        price: 48,
        ..Binding::function(REGION, "region.onEnter", on_enter)
    },
    Binding {
        params: &[NAME, HANDLER, OPTIONS],
        returns: "Watch",
        raises: "name range limit",
        doc: "Short for `region.on` with `onExit`.",
        example: "region.onExit(\"hall\", function(event) log.info(\"left %s\", event.how) end)",
        price: 48,
        ..Binding::function(REGION, "region.onExit", on_exit)
    },
    Binding {
        params: &[NAME],
        returns: "{ [string]: any }",
        raises: "name",
        doc: "What the level says of a region under `props`: read-only, empty when it says nothing.",
        example: "assert(next(region.props(\"hall\")) == nil)",
        ..Binding::function(REGION, "region.props", props)
    },
    Binding {
        params: &[param("area", "AreaName", "\"yard\""), OPTIONS],
        returns: "Watch",
        raises: "name range limit",
        doc: "Watches a navigation area, available or not.",
        example: "region.area(\"yard\", { initial = true })",
        price: 48,
        ..Binding::function(REGION, "region.area", area)
    },
    Binding {
        params: &[param("place", "Place", "guard"), param("radius", "number", "3"), OPTIONS],
        returns: "Watch",
        raises: "name range limit",
        doc: "Watches a circle of 0 to 10000 metres; around a character it moves along and leaves that character out.",
        example: "region.near(guard, 3, { filter = \"player\", lineOfWalk = true })",
        price: 48,
        ..Binding::function(REGION, "region.near", near)
    },
    Binding {
        params: &[
            param("predicate", "() -> boolean", "function() return true end"),
            param("options", "WhenOptions", "{ every = 0.5 }"),
        ],
        returns: "Watch",
        raises: "range limit",
        doc: "Runs `onTrue` and `onFalse` when the answer changes; it counts as false before the first test.",
        example: "region.when(function() return door.passable end, { onTrue = function() log.info(\"open\") end })",
        price: 32,
        ..Binding::function(REGION, "region.when", when)
    },
    Binding {
        returns: "{Character}",
        doc: "The characters inside, in id order.",
        example: "assert(#region.on(\"hall\"):inside() == 0)",
        ..Binding::method(WATCH, "inside", inside)
    },
    Binding {
        returns: "boolean",
        doc: "Whether a character is inside.",
        example: "assert(not region.on(\"hall\"):occupied())",
        ..Binding::method(WATCH, "occupied", is_occupied)
    },
    Binding {
        params: &[param("character", "Character", "guard")],
        returns: "boolean",
        doc: "Whether this character is inside.",
        example: "assert(not region.on(\"hall\"):contains(guard))",
        ..Binding::method(WATCH, "contains", contains)
    },
    Binding {
        doc: "Looks again after `disable`: those inside by then enter as `enabled`.",
        example: "local watch = region.on(\"hall\")\nwatch:disable()\nwatch:enable()",
        ..Binding::method(WATCH, "enable", enable)
    },
    Binding {
        doc: "Looks no more for now: everybody inside leaves as `disabled`.",
        example: "region.on(\"hall\"):disable()",
        ..Binding::method(WATCH, "disable", disable)
    },
    Binding {
        doc: "Ends the watch without a word.",
        example: "region.on(\"hall\"):remove()",
        ..Binding::method(WATCH, "remove", remove)
    },
];

/// The options of a watch.
struct WatchAsk {
    filter: Filter,
    edge: Edge,
    initial: bool,
    line_of_walk: bool,
    every_s: f64,
    handlers: WatchHandlers,
}

fn read(lua: &Lua, args: &mut Args) -> Result<WatchAsk, UsageError> {
    const EDGES: [(&str, Edge); 3] = [("centre", Edge::Centre), ("any", Edge::Any), ("full", Edge::Full)];
    let options = args.options(OPTION_NAMES)?;
    let flag = |name| options.find(name).map_or(Ok(false), |given: Argument| given.boolean());
    let mut handlers = WatchHandlers { once: flag("once")?, ..WatchHandlers::default() };
    let filter = match options.find("filter") {
        Some(given) => filter(&given, &mut handlers)?,
        None => Filter::All,
    };
    let handler = |name| options.find(name).map(|given| handlers::read(lua, &given)).transpose();
    handlers.enter = handler("onEnter")?;
    handlers.exit = handler("onExit")?;
    handlers.stay = handler("onStay")?;
    Ok(WatchAsk {
        filter,
        edge: chosen(&options, "edge", &EDGES)?.unwrap_or_default(),
        initial: flag("initial")?,
        line_of_walk: flag("lineOfWalk")?,
        every_s: seconds(&options, "every")?.unwrap_or(1.0),
        handlers,
    })
}

fn filter(given: &Argument, handlers: &mut WatchHandlers) -> Result<Filter, UsageError> {
    const EXPECTED: &str = "a tag, a list of tags, a character or a function";
    Ok(match given.value() {
        Value::String(_) => Filter::Tags(vec![given.name_to_keep(EXPECTED)?]),
        Value::Table(_) => Filter::Tags(door::names(given, TAGS_MAX)?),
        Value::Function(accept) => {
            handlers.filter = Some(accept.clone());
            Filter::All
        }
        value => Filter::Only(thing::<CharacterId>(value).ok_or_else(|| given.not(EXPECTED))?),
    })
}

fn on(lua: &Lua, args: &mut Args) -> HostResult {
    let name = args.take("name").text("a region's name")?;
    let asked = read(lua, args)?;
    on_region(lua, args, &name, asked)
}

fn props(lua: &Lua, args: &mut Args) -> HostResult {
    call::props(lua, args, "region", Subject::Region, |world, function, name| {
        names::region(world, function, name).map(drop)
    })
}

fn on_region(lua: &Lua, args: &mut Args, name: &str, asked: WatchAsk) -> HostResult {
    let function = args.function();
    refuse_line_of_walk(function, &asked)?;
    begin(lua, args, asked, |world, _| Ok(WatchShape::Region(names::region(world, function, name)?)))
}

fn on_enter(lua: &Lua, args: &mut Args) -> HostResult {
    let name = args.take("name").text("a region's name")?;
    let handler = handlers::read(lua, &args.take("handler"))?;
    let mut asked = read(lua, args)?;
    asked.handlers.enter = Some(handler);
    on_region(lua, args, &name, asked)
}

fn on_exit(lua: &Lua, args: &mut Args) -> HostResult {
    let name = args.take("name").text("a region's name")?;
    let handler = handlers::read(lua, &args.take("handler"))?;
    let mut asked = read(lua, args)?;
    asked.handlers.exit = Some(handler);
    on_region(lua, args, &name, asked)
}

/// Only a watch around a place looks along lines.
fn refuse_line_of_walk(function: &'static str, asked: &WatchAsk) -> Result<(), UsageError> {
    if asked.line_of_walk {
        let what = "lineOfWalk is given, expected none: only region.near looks along lines";
        return Err(UsageError::new(function, what));
    }
    Ok(())
}

fn area(lua: &Lua, args: &mut Args) -> HostResult {
    let (function, name) = (args.function(), args.take("area").text("an area's name")?);
    let asked = read(lua, args)?;
    refuse_line_of_walk(function, &asked)?;
    if asked.edge != Edge::Centre {
        let what = "edge is given, expected none or \"centre\": areas go by the centres of bodies";
        return Err(UsageError::new(function, what).into());
    }
    begin(lua, args, asked, |world, _| Ok(WatchShape::Area(names::area(world, function, &name)?)))
}

fn near(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.function();
    let place = place::single(&args.take("place"))?;
    let radius_m = metres(&args.take("radius"), 0.0, 10_000.0)?;
    let asked = read(lua, args)?;
    begin(lua, args, asked, |world, line_of_walk| match place {
        PlaceValue::Character(character) => {
            alive(&world.characters, character)
                .map_err(|error| UsageError::new(function, error.to_string()))?;
            Ok(WatchShape::Around { character, radius_m, line_of_walk })
        }
        place => {
            let centre = place.point(world, function, None)?;
            Ok(WatchShape::Near { centre, radius_m, line_of_walk })
        }
    })
}

/// Begins to watch what `ground` finds, for the current owner.
fn begin(
    lua: &Lua,
    args: &Args,
    asked: WatchAsk,
    ground: impl FnOnce(&World, bool) -> Result<WatchShape, UsageError>,
) -> HostResult {
    let owner = owner::current(lua);
    let line_of_walk = asked.line_of_walk;
    let (ground, every_ticks) =
        with(lua, args, |world| Ok((ground(world, line_of_walk)?, world.rate().ticks(asked.every_s))))?;
    check_count(lua, args)?;
    let WatchAsk { filter, edge, initial, handlers, .. } = asked;
    room::reserve_for_watch(lua, size_of::<Watch>() + size_of::<WatchRecord>() + filter.kept_bytes())
        .map_err(|full| args.mistake(full))?;
    let order = WatchOrder { owner, ground, filter, edge, report_initial: initial };
    let watch = with(lua, args, |world| Ok(watches::watch(world, order)))?;
    handlers::set_watch(lua, watch, WatchHandlers { every_ticks: every_ticks.max(1), initial, ..handlers });
    answer(lua, handles::watch(lua, watch)?)
}

/// `region.on: behaviour "guard" has 256 watches, the most allowed (limits.watchesPerOwner); remove some`.
fn check_count(lua: &Lua, args: &Args) -> Result<(), UsageError> {
    owner::at_limit(lua, Counted::Watches).map_or(Ok(()), |what| Err(args.mistake(what)))
}

fn when(lua: &Lua, args: &mut Args) -> HostResult {
    let predicate = args.take("predicate").callable()?;
    let given = args.take("options");
    given.table("a table of options")?;
    let options: Options = given.options(WHEN_OPTIONS)?;
    let handler = |name| options.find(name).map(|given| handlers::read(lua, &given)).transpose();
    let (on_true, on_false) = (handler("onTrue")?, handler("onFalse")?);
    let every_s = seconds(&options, "every")?.unwrap_or(0.0);
    let every_ticks = with(lua, args, |world| Ok(world.rate().ticks(every_s).max(1)))?;
    check_count(lua, args)?;
    let when = registration::set_when(lua, WhenOrder { predicate, on_true, on_false, every_ticks });
    answer(lua, handles::make(lua, WatchRef::When(when))?)
}

fn insiders(lua: &Lua, args: &mut Args) -> Result<Vec<CharacterId>, super::call::BindingError> {
    match myself::<WatchRef>(args)? {
        WatchRef::Shape(id) => {
            if let Some(inside) = handlers::with_insiders(lua, id, |inside| inside.keys().copied().collect())
            {
                return Ok(inside);
            }
            with(lua, args, |world| {
                let watch = world.triggers.watches.get(id);
                Ok(watch.map_or(Vec::new(), |watch| watch.inside.values().copied().collect()))
            })
        }
        WatchRef::When(_) => Ok(Vec::new()),
    }
}

fn inside(lua: &Lua, args: &mut Args) -> HostResult {
    let inside = insiders(lua, args)?;
    answer(lua, handles::characters(lua, &inside)?)
}

fn is_occupied(lua: &Lua, args: &mut Args) -> HostResult {
    let is_occupied = match myself::<WatchRef>(args)? {
        WatchRef::Shape(id) => match handlers::with_insiders(lua, id, |inside| !inside.is_empty()) {
            Some(is_occupied) => is_occupied,
            None => with(lua, args, |world| {
                Ok(world.triggers.watches.get(id).is_some_and(|watch| !watch.inside.is_empty()))
            })?,
        },
        WatchRef::When(_) => false,
    };
    answer(lua, is_occupied)
}

fn contains(lua: &Lua, args: &mut Args) -> HostResult {
    let watch = myself::<WatchRef>(args)?;
    let who = character::expected(&args.take("character"))?;
    let is_inside = match watch {
        WatchRef::Shape(id) => match handlers::with_insiders(lua, id, |inside| inside.contains_key(&who)) {
            Some(is_inside) => is_inside,
            None => with(lua, args, |world| {
                let serial = world.characters.get(who).map(|character| character.serial);
                let watch = world.triggers.watches.get(id);
                Ok(watch.zip(serial).is_some_and(|(watch, serial)| watch.inside.contains_key(&serial)))
            })?,
        },
        WatchRef::When(_) => false,
    };
    answer(lua, is_inside)
}

fn enable(lua: &Lua, args: &mut Args) -> HostResult {
    let watch = myself::<WatchRef>(args)?;
    switch(lua, args, watch, watches::enable, |lua, when| {
        store::with(lua, |runtime| runtime.registered.predicates.enable(when))
    })
}

/// Watches that wait for their first look and are looked through for a unit of fuel.
const FIRST_LOOKS_PER_UNIT: u64 = 64;

/// Charges the fuel of letting go of everybody inside of a watch: each is a fact.
fn pay_for_insiders(lua: &Lua, args: &Args, id: WatchId) -> Result<(), super::call::BindingError> {
    let inside =
        with(lua, args, |world| Ok(world.triggers.watches.get(id).map_or(0, |watch| watch.inside.len())))?;
    Ok(charge(lua, inside as u64)?)
}

fn disable(lua: &Lua, args: &mut Args) -> HostResult {
    let watch = myself::<WatchRef>(args)?;
    if let WatchRef::Shape(id) = watch {
        pay_for_insiders(lua, args, id)?;
        charge(lua, handlers::forget_first_look(lua, id) / FIRST_LOOKS_PER_UNIT)?;
    }
    switch(lua, args, watch, watches::disable, |lua, when| {
        store::with(lua, |runtime| runtime.registered.predicates.disable(when))
    })
}

fn remove(lua: &Lua, args: &mut Args) -> HostResult {
    match myself::<WatchRef>(args)? {
        WatchRef::Shape(id) => {
            pay_for_insiders(lua, args, id)?;
            with(lua, args, |world| Ok(watches::remove(world, id)))?;
            handlers::forget_watch(lua, id);
        }
        WatchRef::When(when) => registration::remove_when(lua, when),
    }
    nothing()
}

fn switch(
    lua: &Lua,
    args: &Args,
    watch: WatchRef,
    shape: impl FnOnce(&mut World, WatchId),
    when: impl FnOnce(&Lua, u32),
) -> HostResult {
    match watch {
        WatchRef::Shape(id) => ask(lua, args, |world| {
            shape(world, id);
            Ok(())
        })
        .and_then(|_| nothing()),
        WatchRef::When(serial) => {
            when(lua, serial);
            nothing()
        }
    }
}
