//! Verbs of a `Character` that go on by themselves: `follow`, `flee`, `patrol`, `wander`.
//!
//! In: a target, options. Out: a walk with a mode. Holds: every option of a walk is an option of these too.
//! Not here: walks to one goal (`character`), how a mode is carried on (`sim::walk_modes`).

use mlua::Lua;

use crate::base::ids::CharacterId;
use crate::script::bind::call::{answer, myself, op, refuse_when_full, with};
use crate::script::bind::place::{self, PlaceValue};
use crate::script::bind::table::{ApiParam, Binding, HostResult, TableType, field, joined, names, param};
use crate::script::bind::walk_options::{self, SECONDS_MAX, WalkAsk, metres, places, seconds};
use crate::script::bind::{character, names as known, registration};
use crate::script::state::callback::WalkHandlers;
use crate::script::step::{handlers, owner};
use crate::script::vm::convert::{Args, Argument, Options, UsageError, has_more_than};
use crate::script::vm::handles;
use crate::world::World;
use crate::world::goal::Goal;
use crate::world::ops::{alive, walks};
use crate::world::place::Mark;
use crate::world::settings::Settings;
use crate::world::walk_mode::{Flee, Follow, Patrol, Pause, Stop, WalkMode, Wander};

const TYPE: &str = "Character";

/// Farthest that a mode keeps from or to anything, metres.
const DISTANCE_MAX_M: f64 = 1000.0;

const FOLLOW_FIELDS: [ApiParam; walk_options::FIELDS.len() + 4] = joined(
    walk_options::FIELDS,
    [
        field(
            "distance",
            "number?",
            "2",
            "metres from centre to centre, on its layer and floor, that are near enough, 0 to 1000; default `radius`, else 1.35",
        ),
        field("keep", "boolean?", "true", "never settle on reaching: stay close until stopped"),
        field(
            "loseBeyond",
            "number?",
            "14",
            "farther than these metres, 0 to 1000, the target is lost; default never",
        ),
        field("loseAfter", "number?", "4", "seconds that it must be so far away, 0 to 86400, default 0"),
    ],
);
const FOLLOW_NAMES: [&str; FOLLOW_FIELDS.len()] = names(&FOLLOW_FIELDS);

const FLEE_FIELDS: [ApiParam; walk_options::FIELDS.len() + 1] = joined(
    walk_options::FIELDS,
    [field(
        "distance",
        "number?",
        "6",
        "metres in a straight line over all floors that are far enough, 0 to 1000, default 8",
    )],
);
const FLEE_NAMES: [&str; FLEE_FIELDS.len()] = names(&FLEE_FIELDS);

const PAUSE: ApiParam = field(
    "pause",
    "(number | {number})?",
    "{ 1, 3 }",
    "seconds at each stop, 0 to 86400, or { least, most } to draw from; default 0",
);

const PATROL_FIELDS: [ApiParam; walk_options::FIELDS.len() + 4] = joined(
    walk_options::FIELDS,
    [
        field("loop", "boolean?", "false", "begin again after the last stop, default true"),
        field("first", "number?", "2", "index of the first stop, default 1"),
        PAUSE,
        field(
            "onStop",
            "Handler?",
            "function(stop) end",
            "runs at each stop, with character, mark, index and walk (its id); not at one that is passed over",
        ),
    ],
);
const PATROL_NAMES: [&str; PATROL_FIELDS.len()] = names(&PATROL_FIELDS);

const WANDER_FIELDS: [ApiParam; walk_options::FIELDS.len() + 4] = joined(
    walk_options::FIELDS,
    [
        field("area", "AreaName?", "\"yard\"", "only in this area"),
        field(
            "around",
            "Place?",
            "\"post\"",
            "only around this place; with `within` alone: around where it stands",
        ),
        field("within", "number?", "4", "metres around it, 0 to 1000, default 8"),
        PAUSE,
    ],
);
const WANDER_NAMES: [&str; WANDER_FIELDS.len()] = names(&WANDER_FIELDS);

/// Tables that these functions take.
pub const SHAPES: &[TableType] = &[
    TableType {
        name: "FollowOptions",
        doc: "How a character is to follow: the options of a walk, and when it is near enough or has lost its target.",
        fields: &FOLLOW_FIELDS,
    },
    TableType {
        name: "FleeOptions",
        doc: "How a character is to flee: the options of a walk, and how far. `ensure` changes nothing: there is no \
              goal to be put on.",
        fields: &FLEE_FIELDS,
    },
    TableType {
        name: "PatrolOptions",
        doc: "How a character is to walk its rounds: the options of a walk, and what it does at its stops.",
        fields: &PATROL_FIELDS,
    },
    TableType {
        name: "WanderOptions",
        doc: "How a character is to walk about: the options of a walk, and where.",
        fields: &WANDER_FIELDS,
    },
];

const TARGET: ApiParam = param("target", "Character", "player");

/// The verbs.
pub const ENTRIES: &[Binding] = &[
    Binding {
        params: &[
            TARGET,
            param("options", "FollowOptions?", "{ gait = \"run\", loseBeyond = 14, loseAfter = 4 }"),
        ],
        returns: "Walk",
        raises: "range gone",
        doc: "Keeps up with a character: `arrived/reached` once within `distance` and the target stands; no way for \
              `patience`: `blocked/noPath` or `blocked/doorClosed`; lost: `cancelled/targetGone` with `goal` where it was last.",
        example: "local walk = guard:follow(player, { distance = 1.2, gait = \"run\" })\nassert(guard.currentWalk == walk)",
        price: 48,
        ..Binding::method(TYPE, "follow", follow)
    },
    Binding {
        params: &[
            param("from", "Place", "player"),
            param("options", "FleeOptions?", "{ gait = \"run\", distance = 6 }"),
        ],
        returns: "Walk",
        raises: "name range gone",
        doc: "Moves off, never past it but where one that moves leaves room, until it is `distance` away in a straight line: `arrived/reached`; cornered: `partial/nearest`.",
        example: "local walk = guard:flee(player, { gait = \"run\" })\nassert(walk.state == \"planning\")",
        price: 48,
        ..Binding::method(TYPE, "flee", flee)
    },
    Binding {
        params: &[
            param("route", "RouteName | {Place}", "\"rounds\""),
            param("options", "PatrolOptions?", "{ pause = { 1, 3 } }"),
        ],
        returns: "Walk",
        raises: "name range gone",
        doc: "Walks the stops in turn, for ever or once; a stop out of reach is passed over, and so is one whose character is gone, and one that a door or a character on it keeps it from for all of its patience; all out of reach in one round: \
              `blocked/noPath`; all but one: a round a second. Without `loop` it is `arrived/reached` at the last stop; out of reach, that ends it as `walkTo` would.",
        example: "guard:patrol(\"rounds\", { pause = 2, onStop = function(stop) log.info(\"%d\", stop.index) end })\nguard:patrol({ \"post\", player.position }, { loop = false })",
        price: 48,
        ..Binding::method(TYPE, "patrol", patrol)
    },
    Binding {
        params: &[param("options", "WanderOptions?", "{ area = \"yard\", pause = { 1, 3 } }")],
        returns: "Walk",
        raises: "name range gone",
        doc: "Walks to random reachable points of the character's own stream, pausing; never arrives.",
        example: "local walk = guard:wander({ around = \"post\", within = 4, pause = { 1, 3 } })\nassert(walk:stop())",
        price: 64,
        ..Binding::method(TYPE, "wander", wander)
    },
];

/// A walk to be with a mode, as a script asked for it.
struct WalkRequest {
    character: CharacterId,
    walk: WalkAsk,
    handlers: WalkHandlers,
}

/// Starts it; `goal_and_mode` says where it begins and how it goes on.
fn start(
    lua: &Lua,
    args: &Args,
    asked: WalkRequest,
    goal_and_mode: impl FnOnce(&World) -> Result<(Goal, WalkMode), UsageError>,
) -> HostResult {
    let function = args.function();
    let owner = owner::current(lua);
    let walk = with(lua, args, |world| {
        refuse_when_full(world, function)?;
        alive(&world.characters, asked.character).map_err(op(function))?;
        let (goal, mode) = goal_and_mode(world)?;
        let options = asked.walk.options(world, function)?;
        let order = walks::WalkOrder { character: asked.character, goal, options, owner };
        walks::start(world, order, mode).map_err(op(function))
    })?;
    registration::set_walk(lua, walk, asked.handlers);
    answer(lua, handles::walk(lua, walk)?)
}

fn follow(lua: &Lua, args: &mut Args) -> HostResult {
    let character = myself::<CharacterId>(args)?;
    let target = character::expected(&args.take("target"))?;
    if target == character {
        return Err(args.mistake("a character cannot follow itself").into());
    }
    let options = args.options(&FOLLOW_NAMES)?;
    let (walk, handlers) = walk_options::from(lua, args, &options)?;
    let length =
        |name: &'static str| options.find(name).map(|given| metres(&given, 0.0, DISTANCE_MAX_M)).transpose();
    let (distance_m, lose_beyond_m) = (length("distance")?, length("loseBeyond")?);
    let distance_m = distance_m.or(walk.radius_m);
    let keep = options.find("keep").map_or(Ok(false), |keep| keep.boolean())?;
    let lose_after_s = seconds(&options, "loseAfter")?.unwrap_or(0.0);
    let asked = WalkRequest { character, walk, handlers };
    start(lua, args, asked, |world| {
        let near_m = distance_m.unwrap_or(world.settings().crowd.npc_talk_distance_m);
        let lose_after_ticks = world.rate().ticks(lose_after_s);
        let follow = Follow { keep, lose_beyond_m, lose_after_ticks, ..Follow::within(near_m) };
        Ok((Goal::Character(target), WalkMode::Follow(follow)))
    })
}

fn length(options: &Options, name: &'static str) -> Result<Option<f32>, UsageError> {
    options.find(name).map(|given| metres(&given, 0.0, DISTANCE_MAX_M)).transpose()
}

fn flee(lua: &Lua, args: &mut Args) -> HostResult {
    let (character, function) = (myself::<CharacterId>(args)?, args.function());
    let from = place::take(args, "from")?;
    if from == PlaceValue::Character(character) {
        return Err(args.mistake("a character cannot flee from itself").into());
    }
    let options = args.options(&FLEE_NAMES)?;
    let (walk, handlers) = walk_options::from(lua, args, &options)?;
    let distance_m = length(&options, "distance")?.unwrap_or(Flee::DISTANCE_M);
    let asked = WalkRequest { character, walk: walk.without_ensure(), handlers };
    start(lua, args, asked, |world| {
        let flee = Flee { distance_m, seen: None, is_cornered: false };
        Ok((from.goal(world, function, character)?, WalkMode::Flee(flee)))
    })
}

/// Seconds to stand at a stop, as a script said them.
fn pause(options: &Options) -> Result<Pause, UsageError> {
    let Some(given) = options.find("pause") else {
        return Ok(Pause::default());
    };
    let expected = "seconds or { least, most }";
    let Some(table) = given.value().as_table() else {
        if given.value().as_number().is_none() && given.value().as_integer().is_none() {
            return Err(given.not(expected));
        }
        let seconds = given.number_in(0.0..=SECONDS_MAX, "seconds")?;
        return Ok(Pause { least_s: seconds, most_s: seconds });
    };
    let entry = |index: usize| {
        let value = table.raw_get(index).unwrap_or(mlua::Value::Nil);
        let entry = Argument::new(given.function(), &format!("pause[{index}]"), value);
        entry.number_in(0.0..=SECONDS_MAX, "seconds")
    };
    let (least_s, most_s) = (entry(1)?, entry(2)?);
    if least_s > most_s {
        let what = format!("pause is {{ {least_s}, {most_s} }}, expected least not above most");
        return Err(UsageError::new(given.function(), what));
    }
    if has_more_than(table, 2) {
        let what = "pause has more than two entries, expected { least, most }";
        return Err(UsageError::new(given.function(), what));
    }
    Ok(Pause { least_s, most_s })
}

/// The stops of a patrol as a script said them.
enum PatrolStops {
    Name(String),
    Places(Vec<PlaceValue>),
}

impl PatrolStops {
    fn read(given: &Argument) -> Result<Self, UsageError> {
        let expected = "the name of a route or a list of places";
        if given.value().is_string() {
            return given.text(expected).map(Self::Name);
        }
        if !given.value().is_table() {
            return Err(given.not(expected));
        }
        let places = places(given)?;
        if places.is_empty() {
            return Err(UsageError::new(given.function(), "route is empty, expected at least one place"));
        }
        Ok(Self::Places(places))
    }

    fn stops(
        &self,
        world: &World,
        function: &'static str,
        walker: CharacterId,
    ) -> Result<Vec<Stop>, UsageError> {
        match self {
            Self::Name(name) => {
                let marks = known::route(world, function, name)?.iter();
                Ok(marks.map(|mark| Stop { goal: Goal::Point(mark.position), mark: mark.clone() }).collect())
            }
            Self::Places(places) => places.iter().map(|place| stop(world, function, walker, place)).collect(),
        }
    }
}

fn stop(
    world: &World,
    function: &'static str,
    walker: CharacterId,
    place: &PlaceValue,
) -> Result<Stop, UsageError> {
    let mark = match place {
        PlaceValue::Mark(name) => known::mark(world, function, name)?.clone(),
        place => {
            let from = alive(&world.characters, walker).map_err(op(function))?;
            let position = place.point(world, function, Some(place::stand_of(from)))?;
            Mark { name: String::new(), position, facing_rad: None, props: None }
        }
    };
    Ok(Stop { goal: place.goal(world, function, walker)?, mark })
}

fn patrol(lua: &Lua, args: &mut Args) -> HostResult {
    let (character, function) = (myself::<CharacterId>(args)?, args.function());
    let route = PatrolStops::read(&args.take("route"))?;
    let options = args.options(&PATROL_NAMES)?;
    let (walk, mut handlers) = walk_options::from(lua, args, &options)?;
    let is_loop = options.find("loop").map_or(Ok(true), |given| given.boolean())?;
    let first = options.find("first").map_or(Ok(1), |given| given.integer_in(1..=i64::from(u32::MAX)))?;
    let pause = pause(&options)?;
    handlers.underway.stop = options.find("onStop").map(|given| handlers::read(lua, &given)).transpose()?;
    start(lua, args, WalkRequest { character, walk, handlers }, |world| {
        let stops = route.stops(world, function, character)?;
        let at = usize::try_from(first - 1).unwrap_or(0);
        let Some(goal) = stops.get(at).map(|stop| stop.goal) else {
            let what = format!("first is {first}, expected 1 to {}", stops.len());
            return Err(UsageError::new(function, what));
        };
        let patrol = Patrol { stops: stops.into(), at, is_loop, pause, misses: 0 };
        Ok((goal, WalkMode::Patrol(patrol)))
    })
}

fn wander(lua: &Lua, args: &mut Args) -> HostResult {
    let (character, function) = (myself::<CharacterId>(args)?, args.function());
    let options = args.options(&WANDER_NAMES)?;
    let (walk, handlers) = walk_options::from(lua, args, &options)?;
    let area = options.find("area").map(|area| area.text("an area's name")).transpose()?;
    let around = options.find("around").map(|around| place::single(&around)).transpose()?;
    let within_m = length(&options, "within")?;
    let pause = pause(&options)?;
    start(lua, args, WalkRequest { character, walk, handlers }, |world| {
        let stand = place::stand_of(alive(&world.characters, character).map_err(op(function))?);
        let here = stand.point;
        let around = match (&around, within_m) {
            (Some(around), _) => Some(around.point(world, function, Some(stand))?),
            (None, Some(_)) => Some(here),
            (None, None) => None,
        };
        let wander = Wander {
            area: area.map(|area| known::area(world, function, &area)).transpose()?,
            around,
            within_m: within_m.unwrap_or(Settings::SNAP_M),
            pause,
            misses: 0,
        };
        Ok((Goal::Point(here), WalkMode::Wander(wander)))
    })
}
