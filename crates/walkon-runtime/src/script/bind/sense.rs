//! `sense` and `SenseWatch`: what characters see and hear, and calls when it changes.
//!
//! In: watchers, targets and handlers of scripts. Out: watches, noises, answers. Not here: what is seen
//! (`world::ops::senses`), when watches look (`sim::senses`).

use glam::Vec3;
use mlua::{Lua, Table, Value};

use crate::base::ids::CharacterId;
use crate::script::bind::call::{answer, myself, nothing, op, with};
use crate::script::bind::character;
use crate::script::bind::place::{self, PlaceValue};
use crate::script::bind::table::{Alias, ApiParam, Binding, HostResult, Library, TableType, field, param};
use crate::script::bind::walk_options::{metres, seconds};
use crate::script::state::callback::SenseHandlers;
use crate::script::state::handlers::SenseRecord;
use crate::script::state::owners::Counted;
use crate::script::step::{handlers, owner};
use crate::script::vm::convert::{Args, Argument, Options, UsageError, vector};
use crate::script::vm::handles::{self, thing};
use crate::script::vm::{fuel, room};
use crate::world::ops::alive;
use crate::world::ops::senses::{self, WatchSwitch};
use crate::world::sense::{Eyes, Noise, SenseId, SenseTarget, SenseWatch, Unseen};

const SENSE: &str = "sense";
const WATCH: &str = "SenseWatch";

/// What stands above the entries.
pub const GROUPS: &[Library] = &[
    Library {
        name: SENSE,
        is_type: false,
        doc: "What characters see and hear. Areas and obstacles hide as the level says (`blocksSight`), closed doors hide.",
    },
    Library {
        name: WATCH,
        is_type: true,
        doc: "A character that watches for others. It ends with its owner, and when a reload replaces the owner's code.",
    },
];

/// Farthest that a character sees, hears or is heard, metres.
const METRES_MAX: f64 = 10_000.0;
/// How long a watch remembers, unless asked otherwise, seconds.
const MEMORY_S: f64 = 10.0;
/// The target of a watch, in messages.
const TARGET: &str = "a character or { tag = ... }";

/// Handlers of watches.
pub const HANDLER_ALIAS: Alias = Alias {
    name: "SenseHandler",
    luau: "((event: SenseEvent) -> ...any) | string",
    doc: "A handler that is told of a character that was noticed, lost or heard.",
};

const RANGE: ApiParam =
    field("range", "number?", "7", "metres from middle to middle, 0 to 10000, default 10");
const DEGREES: ApiParam = field(
    "degrees",
    "number?",
    "120",
    "field of view: the full angle around where it faces, 0 to 360; default 180",
);

/// Tables that these functions take and give.
pub const SHAPES: &[TableType] = &[
    TableType {
        name: "SeeOptions",
        doc: "How far and how wide a character sees, and how long it remembers.",
        fields: &[
            RANGE,
            DEGREES,
            field(
                "memory",
                "number?",
                "5",
                "seconds within which a watch of the character may have seen the target, 0 to 86400; default: only what is in sight counts",
            ),
        ],
    },
    TableType {
        name: "SeeResult",
        doc: "Whether something is seen.",
        fields: &[
            field("seen", "boolean", "", "whether it is seen"),
            field(
                "reason",
                "(\"tooFar\" | \"outOfView\" | \"blocked\")?",
                "",
                "why not; the first that holds",
            ),
            field("position", "vector", "", "where it is; when remembered, where it was seen last"),
            field("distance", "number", "", "metres to there from middle to middle"),
            field(
                "remembered",
                "boolean",
                "",
                "whether it is not seen, and was within `memory` seconds by a watch of the character",
            ),
            field(
                "age",
                "number?",
                "",
                "seconds since it was seen: 0 while it is, nil when that is not known",
            ),
        ],
    },
    TableType {
        name: "HearOptions",
        doc: "How far a character hears.",
        fields: &[field("range", "number?", "15", "metres, 0 to 10000; default as far as noises reach")],
    },
    TableType {
        name: "HearResult",
        doc: "What is heard best.",
        fields: &[
            field("heard", "boolean", "", "whether there is something"),
            field("reason", "(\"silent\" | \"tooFar\")?", "", "why not"),
            field("character", "Character?", "", "the character that made the noise, if it is still there"),
            field("position", "vector?", "", "where it was made"),
            field("loudness", "number?", "", "metres that it reaches"),
            field("distance", "number?", "", "metres to where it was made"),
            field("age", "number?", "", "seconds since it was made"),
        ],
    },
    TableType {
        name: "SenseOptions",
        doc: "How a character watches, and which handlers run.",
        fields: &[
            RANGE,
            DEGREES,
            field(
                "hearing",
                "number?",
                "15",
                "metres within which noises of the target are told, 0 to 10000; default 0",
            ),
            field(
                "memory",
                "number?",
                "5",
                "seconds that the last known place is remembered, 0 to 86400, default 10",
            ),
            field(
                "onNotice",
                "SenseHandler?",
                "function(event) end",
                "runs when a character comes into sight",
            ),
            field(
                "onLose",
                "SenseHandler?",
                "function(event) end",
                "runs when a character is lost from sight",
            ),
            field("onHear", "SenseHandler?", "function(event) end", "runs for a noise of the target"),
        ],
    },
    TableType {
        name: "SenseEvent",
        doc: "A character was noticed, lost or heard.",
        fields: &[
            field("watch", "SenseWatch", "", "the watch"),
            field("character", "Character", "", "the character"),
            field("position", "vector", "", "where they are; when lost, where they were seen last"),
            field(
                "reason",
                "(\"tooFar\" | \"outOfView\" | \"blocked\" | \"gone\")?",
                "",
                "onLose: why they are not seen",
            ),
            field("loudness", "number?", "", "onHear: metres that the noise reaches"),
        ],
    },
    TableType {
        name: "LastSeen",
        doc: "Where a character was seen last.",
        fields: &[
            field("character", "Character", "", "the character"),
            field("position", "vector", "", "where"),
            field("age", "number", "", "seconds since, 0 while in sight"),
            field("seen", "boolean", "", "whether they are in sight"),
        ],
    },
];

const WATCHER: ApiParam = param("character", "Character", "guard");

/// Everything `sense` and a `SenseWatch` have.
pub const ENTRIES: &[Binding] = &[
    Binding {
        params: &[
            WATCHER,
            param("target", "Place", "player"),
            param("options", "SeeOptions?", "{ range = 7, degrees = 120 }"),
        ],
        returns: "SeeResult",
        raises: "name range gone",
        doc: "Whether a character sees another, or a place, at this moment; with `memory` also whether its watches saw the other a while ago.",
        example: "local look = sense.see(guard, player, { degrees = 360 })\nassert(look.seen, look.reason)",
        price: 32,
        ..Binding::function(SENSE, "sense.see", see)
    },
    Binding {
        params: &[WATCHER, param("options", "HearOptions?", "{ range = 15 }")],
        returns: "HearResult",
        raises: "range gone",
        doc: "The noise of others that a character hears best: the one whose reach it stands farthest inside. A noise is heard for half a second.",
        example: "player:emitNoise(12)\nlocal noise = sense.hear(guard)\nassert(noise.heard and noise.character == player)",
        price: 32,
        ..Binding::function(SENSE, "sense.hear", hear)
    },
    Binding {
        params: &[
            WATCHER,
            param("target", "Character | { tag: string }", "player"),
            param("options", "SenseOptions?", "{ range = 7, onNotice = function(event) end }"),
        ],
        returns: "SenseWatch",
        raises: "range gone limit",
        doc: "Watches for a character, or for all with a tag. It looks first in step 11; a target is lost a tenth farther away, and 20 degrees wider, than it is noticed.",
        example: "local watch = sense.watch(guard, { tag = \"player\" }, { range = 7, onNotice = function(event) log.info(\"%s\", event.character) end })\nassert(watch.lastSeen == nil)",
        price: 48,
        ..Binding::function(SENSE, "sense.watch", watch)
    },
    Binding {
        params: &[param("loudness", "number", "8")],
        raises: "range gone",
        doc: "Makes a noise where it stands, heard by others within `loudness` metres, 0 to 10000, for half a second. Walls take nothing from it.",
        example: "player:emitNoise(8)",
        ..Binding::method("Character", "emitNoise", emit_noise)
    },
    Binding {
        doc: "The character that watches.",
        example: "assert(sense.watch(guard, player).character == guard)",
        ..Binding::field(WATCH, "character", "Character?", watcher)
    },
    Binding {
        doc: "Where a character was seen last: one in sight before others, then the latest; nil when none was, or too long ago.",
        example: "assert(sense.watch(guard, player).lastSeen == nil)",
        price: 16,
        ..Binding::field(WATCH, "lastSeen", "LastSeen?", last_seen)
    },
    Binding {
        returns: "{Character}",
        doc: "The characters in sight at the last look, in id order.",
        example: "assert(#sense.watch(guard, player):seen() == 0)",
        ..Binding::method(WATCH, "seen", seen)
    },
    Binding {
        params: &[param("character", "Character", "player")],
        returns: "boolean",
        doc: "Whether this character was in sight at the last look.",
        example: "assert(not sense.watch(guard, player):sees(player))",
        ..Binding::method(WATCH, "sees", sees)
    },
    Binding {
        doc: "Looks again after `disable`: those in sight by then are noticed again.",
        example: "local watch = sense.watch(guard, player)\nwatch:disable()\nwatch:enable()",
        ..Binding::method(WATCH, "enable", enable)
    },
    Binding {
        doc: "Looks no more for now, and loses everybody without a word; what it remembers stays.",
        example: "sense.watch(guard, player):disable()",
        ..Binding::method(WATCH, "disable", disable)
    },
    Binding {
        doc: "Ends the watch without a word.",
        example: "sense.watch(guard, player):remove()",
        ..Binding::method(WATCH, "remove", remove)
    },
];

fn eyes(options: &Options) -> Result<Eyes, UsageError> {
    let given = Eyes::default();
    let range_m = options.find("range").map(|range| metres(&range, 0.0, METRES_MAX)).transpose()?;
    let degrees = options.find("degrees").map(|wide| wide.number_in(0.0..=360.0, "degrees")).transpose()?;
    Ok(Eyes {
        range_m: range_m.unwrap_or(given.range_m),
        degrees: degrees.map_or(given.degrees, |degrees| degrees as f32),
    })
}

/// The answer to a question.
struct SenseAnswer {
    missed: Option<Unseen>,
    is_remembered: bool,
    age_s: Option<f64>,
    position: Vec3,
    distance_m: f32,
}

/// Sightings of a watch that are looked at for a unit of fuel.
const SIGHTINGS_PER_UNIT: u64 = 64;

/// Watches that a unit of fuel pays for to look through.
const WATCHES_PER_UNIT: u64 = 64;

fn see(lua: &Lua, args: &mut Args) -> HostResult {
    let (function, who) = (args.function(), character::expected(&args.take("character"))?);
    let target = place::single(&args.take("target"))?;
    let options = args.options(&["range", "degrees", "memory"])?;
    let (eyes, memory_s) = (eyes(&options)?, seconds(&options, "memory")?);
    let look = with(lua, args, |world| {
        let watcher = alive(&world.characters, who).map_err(op(function))?;
        let stand = place::stand_of(watcher);
        let from = stand.point;
        let (layer, other) = match &target {
            PlaceValue::Character(id) => {
                (alive(&world.characters, *id).map_err(op(function))?.layer, Some(*id))
            }
            _ => (watcher.layer, None),
        };
        let place = target.point(world, function, Some(stand))?;
        let missed = senses::miss(world, who, eyes, place, layer).map_err(op(function))?;
        let asked = missed.and(other).zip(memory_s);
        let last = asked.and_then(|(other, memory_s)| {
            fuel::charge_running(world.senses.watches.len() as u64 / WATCHES_PER_UNIT);
            senses::remembered(world, who, other, world.rate().ticks(memory_s))
        });
        let position = last.map_or(place, |last| last.position);
        let age_ticks = match last {
            Some(last) => Some(world.tick().since(last.tick)),
            None => missed.is_none().then_some(0),
        };
        Ok(SenseAnswer {
            missed,
            is_remembered: last.is_some(),
            age_s: age_ticks.map(|ticks| ticks as f64 / f64::from(world.rate().per_second())),
            position,
            distance_m: from.distance(position),
        })
    })?;
    let table = lua.create_table()?;
    table.raw_set("seen", look.missed.is_none())?;
    table.raw_set("reason", look.missed.map(Unseen::name))?;
    table.raw_set("position", vector(look.position))?;
    table.raw_set("distance", look.distance_m)?;
    table.raw_set("remembered", look.is_remembered)?;
    table.raw_set("age", look.age_s)?;
    table.set_readonly(true);
    answer(lua, table)
}

fn hear(lua: &Lua, args: &mut Args) -> HostResult {
    let (function, who) = (args.function(), character::expected(&args.take("character"))?);
    let options = args.options(&["range"])?;
    let range_m = options.find("range").map(|range| metres(&range, 0.0, METRES_MAX)).transpose()?;
    let found = with(lua, args, |world| {
        let ear = alive(&world.characters, who).map_err(op(function))?.body.position;
        let heard = senses::hear(world, who, range_m.unwrap_or(METRES_MAX as f32)).map_err(op(function))?;
        let rate = f64::from(world.rate().per_second());
        let now = world.tick();
        Ok(heard.map(|noise| {
            let is_there = world.characters.alive(noise.by).is_some();
            (noise, is_there, ear.distance(noise.position), now.since(noise.tick) as f64 / rate)
        }))
    })?;
    let table = lua.create_table()?;
    table.raw_set("heard", found.is_ok())?;
    match found {
        Err(why) => table.raw_set("reason", why.name())?,
        Ok((Noise { by, position, loudness_m, .. }, is_there, distance_m, age_s)) => {
            if is_there {
                table.raw_set("character", handles::character(lua, by)?)?;
            }
            table.raw_set("position", vector(position))?;
            table.raw_set("loudness", loudness_m)?;
            table.raw_set("distance", distance_m)?;
            table.raw_set("age", age_s)?;
        }
    }
    table.set_readonly(true);
    answer(lua, table)
}

fn target(given: Argument) -> Result<SenseTarget, UsageError> {
    if let Some(id) = thing::<CharacterId>(given.value()) {
        return Ok(SenseTarget::Character(id));
    }
    if !matches!(given.value(), Value::Table(_)) {
        return Err(given.not(TARGET));
    }
    let wrong = given.not(TARGET);
    let options = given.options(&["tag"])?;
    let tag = options.find("tag").ok_or(wrong)?;
    Ok(SenseTarget::Tag(tag.name_to_keep("a tag")?))
}

const WATCH_OPTIONS: &[&str] = &["range", "degrees", "hearing", "memory", "onNotice", "onLose", "onHear"];

fn watch(lua: &Lua, args: &mut Args) -> HostResult {
    let (function, character) = (args.function(), character::expected(&args.take("character"))?);
    let target = target(args.take("target"))?;
    let options = args.options(WATCH_OPTIONS)?;
    let eyes = eyes(&options)?;
    let hearing_m = options.find("hearing").map(|range| metres(&range, 0.0, METRES_MAX)).transpose()?;
    let memory_s = seconds(&options, "memory")?.unwrap_or(MEMORY_S);
    let handler = |name| handlers::read_option(lua, options.find(name));
    let told =
        SenseHandlers { notice: handler("onNotice")?, lose: handler("onLose")?, hear: handler("onHear")? };
    if let Some(what) = owner::at_limit(lua, Counted::Watches) {
        return Err(args.mistake(what).into());
    }
    let tag = if let SenseTarget::Tag(tag) = &target { tag.len() } else { 0 };
    room::reserve_for_watch(lua, size_of::<SenseWatch>() + size_of::<SenseRecord>() + tag)
        .map_err(|full| args.mistake(full))?;
    let owner = owner::current(lua);
    let id = with(lua, args, |world| {
        alive(&world.characters, character).map_err(op(function))?;
        if let SenseTarget::Character(id) = target {
            alive(&world.characters, id).map_err(op(function))?;
        }
        let memory_ticks = world.rate().ticks(memory_s);
        let order = SenseWatch {
            owner,
            character,
            target,
            eyes,
            hearing_m: hearing_m.unwrap_or(0.0),
            memory_ticks,
            enabled: true,
            heard: 0,
            known: Default::default(),
        };
        Ok(senses::watch(world, order))
    })?;
    handlers::set_sense(lua, id, told);
    answer(lua, handles::make(lua, id)?)
}

fn emit_noise(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<CharacterId>(args)?, args.function());
    let loudness_m = metres(&args.take("loudness"), 0.0, METRES_MAX)?;
    with(lua, args, |world| senses::emit_noise(world, id, loudness_m).map_err(op(function)))?;
    nothing()
}

fn watcher(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<SenseId>(args)?;
    let who = with(lua, args, |world| Ok(world.senses.watches.get(&id).map(|watch| watch.character)))?;
    answer(lua, who.map(|who| handles::character(lua, who)).transpose()?)
}

fn last_seen(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<SenseId>(args)?;
    let found = with(lua, args, |world| {
        let (now, rate) = (world.tick(), f64::from(world.rate().per_second()));
        let watch = world.senses.watches.get(&id);
        fuel::charge_running(watch.map_or(0, |watch| watch.known.len() as u64) / SIGHTINGS_PER_UNIT);
        let sighting = watch.and_then(|watch| watch.last_seen(now)).copied();
        Ok(sighting.map(|sighting| {
            let ago = if sighting.is_seen { 0 } else { now.since(sighting.tick) };
            (sighting, ago as f64 / rate)
        }))
    })?;
    let Some((sighting, age_s)) = found else { return answer(lua, Value::Nil) };
    let table: Table = lua.create_table()?;
    table.raw_set("character", handles::character(lua, sighting.character)?)?;
    table.raw_set("position", vector(sighting.position))?;
    table.raw_set("age", age_s)?;
    table.raw_set("seen", sighting.is_seen)?;
    table.set_readonly(true);
    answer(lua, table)
}

fn in_sight(lua: &Lua, args: &Args, id: SenseId) -> Result<Vec<CharacterId>, super::call::BindingError> {
    with(lua, args, |world| {
        let known = world.senses.watches.get(&id).map(|watch| watch.known.values());
        fuel::charge_running(known.as_ref().map_or(0, |known| known.len() as u64) / SIGHTINGS_PER_UNIT);
        let seen = known.into_iter().flatten().filter(|sighting| sighting.is_seen);
        Ok(seen.map(|sighting| sighting.character).collect())
    })
}

fn seen(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<SenseId>(args)?;
    let seen = in_sight(lua, args, id)?;
    answer(lua, handles::characters(lua, &seen)?)
}

fn sees(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<SenseId>(args)?;
    let who = character::expected(&args.take("character"))?;
    let sees = with(lua, args, |world| {
        let serial = world.characters.get(who).map(|character| character.serial);
        let watch = world.senses.watches.get(&id);
        let sighting = watch.zip(serial).and_then(|(watch, serial)| watch.known.get(&serial));
        Ok(sighting.is_some_and(|sighting| sighting.is_seen))
    })?;
    answer(lua, sees)
}

fn enable(lua: &Lua, args: &mut Args) -> HostResult {
    switch(lua, args, WatchSwitch::On)
}

fn disable(lua: &Lua, args: &mut Args) -> HostResult {
    switch(lua, args, WatchSwitch::Off)
}

fn switch(lua: &Lua, args: &mut Args, to: WatchSwitch) -> HostResult {
    let id = myself::<SenseId>(args)?;
    with(lua, args, |world| {
        // All that it knows of is lost from sight.
        let known = world.senses.watches.get(&id).map_or(0, |watch| watch.known.len() as u64);
        fuel::charge_running(known / SIGHTINGS_PER_UNIT);
        senses::enable(world, id, to);
        Ok(())
    })?;
    nothing()
}

fn remove(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<SenseId>(args)?;
    with(lua, args, |world| Ok(senses::remove(world, id)))?;
    handlers::forget_sense(lua, id);
    nothing()
}
