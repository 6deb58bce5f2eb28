//! The options of a walk: read and checked once.
//!
//! In: an options table. Out: `WalkOptions` of the world, and the handlers. Holds: an option that is not
//! known here is a mistake, with the nearest known one named.

use std::collections::BTreeMap;
use std::sync::Arc;

use mlua::{Lua, Value};

use crate::base::ordered;
use crate::nav::OwnArea;
use crate::script::bind::call::{list, word};
use crate::script::bind::names as named;
use crate::script::bind::place::{self, PlaceValue};
use crate::script::bind::table::{ApiParam, TableType, field, names};
use crate::script::state::callback::{Underway, WalkHandlers};
use crate::script::step::handlers;
use crate::script::vm::convert::{Args, Argument, Options, UsageError};
use crate::script::vm::shown_names::shorten;
use crate::world::World;
use crate::world::character::Gait;
use crate::world::door::DoorPolicy;
use crate::world::ops::areas;
use crate::world::ops::checks::{KEYS_MAX, PLACES_MAX};
use crate::world::walk::{AcceptEnd, Crowd, LookTarget, Tells, WalkOptions, WalkPace};

/// What a `WalkOptions` table may hold.
pub const SHAPE: TableType = TableType {
    name: "WalkOptions",
    doc: "How a character is to walk. Everything may be left out.",
    fields: &FIELDS,
};

/// The options that every walk takes.
pub const FIELDS: [ApiParam; 22] = [
    field("speed", "number?", "1.5", "metres a second, 0.01 to 50; or gait, not both"),
    field("gait", "(\"walk\" | \"run\")?", "\"run\"", "default \"walk\""),
    field(
        "radius",
        "number?",
        "0.5",
        "metres from the goal that count as reached, 0 to 1000; default 0.05, for a character 1.35, for a door 0.6",
    ),
    field(
        "accept",
        "(\"partial\" | \"near\" | \"nearest\" | \"exact\")?",
        "\"near\"",
        "what counts when the goal cannot be had; default \"partial\"",
    ),
    field(
        "face",
        "(Place | number)?",
        "\"post\"",
        "turn there after arriving; the walk settles when the turn is done",
    ),
    field(
        "doors",
        "(\"avoid\" | \"open\" | \"wait\")?",
        "\"open\"",
        "what to do about doors that are not open; default: the character's own setting",
    ),
    field(
        "layer",
        "string?",
        "\"ground\"",
        "the layer of the goal, on maps that have layers; default: a character's own, else the walker's",
    ),
    field("keys", "{string}?", "{ \"bronze\" }", "keys carried, for doors = \"open\""),
    field(
        "crowd",
        "(\"push\" | \"yield\" | \"ghost\")?",
        "\"yield\"",
        "standing characters are asked aside, waited for, or passed through; default \"push\"",
    ),
    field(
        "patience",
        "number?",
        "2",
        "seconds without progress before the walk is blocked, 0 to 86400; default 3",
    ),
    field("timeout", "number?", "30", "seconds for the whole walk, 0 to 86400; default none"),
    field(
        "ensure",
        "boolean?",
        "true",
        "instead of partial or blocked: put it on the goal, facing `face`, arrived/forced; a goal more than 8 m from any ground stays partial/nearest",
    ),
    field("onArrived", "WalkHandler?", "function(result) end", "runs for arrived"),
    field("onFailed", "WalkHandler?", "function(result) end", "runs for partial and blocked"),
    field("onCancelled", "WalkHandler?", "function(result) end", "runs for cancelled"),
    field("onSettled", "WalkHandler?", "function(result) end", "runs always, last"),
    field(
        "via",
        "{Place}?",
        "{ \"post\", guard.position }",
        "places to pass first, in order; one out of reach is passed over",
    ),
    field(
        "avoid",
        "{AreaName}?",
        "{ \"inner\" }",
        "areas that are walls to this walk; one it stands in is left by the shortest way",
    ),
    field(
        "costs",
        "{[AreaName]: number}?",
        "{ yard = 3 }",
        "cost of a metre in areas for this walk, 0.1 to 100, in place of theirs",
    ),
    field(
        "onBlocked",
        "Handler?",
        "function(news) return \"wait\" end",
        "runs once for each obstruction that lasts half a second, with character, walk (its id), by, reason and seconds; answers \"wait\", \"repath\", \"push\" or \"giveUp\"; may not wait",
    ),
    field(
        "onWaypoint",
        "Handler?",
        "function(news) end",
        "runs at each corner of the way, with character, walk (its id), index and position",
    ),
    field(
        "onNear",
        "Handler?",
        "function(news) end",
        "runs once the way left is no more than the talk distance of 1.35 m, with character, walk (its id) and remaining",
    ),
];

/// What a walk takes where nothing can be called at its end: in a behaviour tree.
pub const TREE_SHAPE: TableType = TableType {
    name: "TreeWalkOptions",
    doc: "How a character is to walk in a behaviour tree: `WalkOptions` without handlers, because the node succeeds or fails.",
    fields: &WITHOUT_HANDLERS,
};

/// Options that name functions.
const HANDLER_COUNT: usize = 7;

const WITHOUT_HANDLERS: [ApiParam; FIELDS.len() - HANDLER_COUNT] = without_handlers();

const fn without_handlers() -> [ApiParam; FIELDS.len() - HANDLER_COUNT] {
    let mut kept = [FIELDS[0]; FIELDS.len() - HANDLER_COUNT];
    let (mut from, mut to) = (0, 0);
    while from < FIELDS.len() {
        if !is_handler(FIELDS[from].name) {
            kept[to] = FIELDS[from];
            to += 1;
        }
        from += 1;
    }
    assert!(to == kept.len(), "all handlers are counted");
    kept
}

/// Whether an option names a function: `onArrived`.
#[must_use]
pub const fn is_handler(name: &str) -> bool {
    matches!(name.as_bytes(), [b'o', b'n', b'A'..=b'Z', ..])
}

/// Names of the options, as `Args::options` takes them.
pub const NAMES: [&str; FIELDS.len()] = names(&FIELDS);

/// Longest time an option may name, seconds.
pub const SECONDS_MAX: f64 = WalkOptions::SECONDS_MAX;

/// Most areas of one list.
const AREAS_MAX: usize = 1024;

/// Options of a walk as a script gave them; those that need the world are not worked out yet.
#[derive(Clone, Debug)]
pub struct WalkAsk {
    pace: WalkPace,
    pub(super) radius_m: Option<f32>,
    accept: AcceptEnd,
    face: Option<Gaze>,
    doors: Option<DoorPolicy>,
    layer: Option<String>,
    keys: Vec<String>,
    crowd: Crowd,
    patience_s: f64,
    timeout_s: Option<f64>,
    ensure: bool,
    via: Vec<PlaceValue>,
    avoid: Vec<String>,
    costs: Vec<(String, f32)>,
    tells: Tells,
}

/// Where to look, as a script said it.
#[derive(Clone, Debug)]
pub enum Gaze {
    /// Radians about +y.
    Angle(f32),
    /// Towards a place.
    At(PlaceValue),
}

impl Gaze {
    /// With the world.
    ///
    /// # Errors
    /// As [`PlaceValue::look`].
    pub fn look(&self, world: &World, function: &'static str) -> Result<LookTarget, UsageError> {
        match self {
            Self::Angle(angle) => Ok(LookTarget::Angle(*angle)),
            Self::At(place) => place.look(world, function),
        }
    }
}

/// The options of a walk, from the last argument.
///
/// # Errors
/// Names the option, and what was expected.
pub fn read(lua: &Lua, args: &mut Args) -> Result<(WalkAsk, WalkHandlers), UsageError> {
    let options = args.options(&NAMES)?;
    from(lua, args, &options)
}

/// The options of a walk, out of a table that may hold more.
///
/// # Errors
/// As [`read`].
pub fn from(lua: &Lua, args: &Args, options: &Options) -> Result<(WalkAsk, WalkHandlers), UsageError> {
    let handler = |name| options.find(name).map(|given| handlers::read(lua, &given)).transpose();
    let underway = Underway {
        stop: None,
        waypoint: handler("onWaypoint")?,
        near: handler("onNear")?,
        blocked: handler("onBlocked")?,
    };
    let ask = WalkAsk {
        pace: pace(args, options)?,
        radius_m: options.find("radius").map(|radius| metres(&radius, 0.0, 1000.0)).transpose()?,
        accept: chosen(options, "accept", &AcceptEnd::NAMES)?.unwrap_or_default(),
        face: options.find("face").map(|face| gaze(&face)).transpose()?,
        doors: chosen(options, "doors", &DoorPolicy::NAMES)?,
        layer: options.find("layer").map(|layer| layer.text("a layer's name")).transpose()?,
        keys: keys(options)?,
        crowd: chosen(options, "crowd", &Crowd::NAMES)?.unwrap_or_default(),
        patience_s: seconds(options, "patience")?.unwrap_or(WalkOptions::PATIENCE_S),
        timeout_s: seconds(options, "timeout")?,
        ensure: options.find("ensure").map_or(Ok(false), |ensure| ensure.boolean())?,
        via: options.find("via").map_or(Ok(Vec::new()), |given| places(&given))?,
        avoid: options.find("avoid").map_or(Ok(Vec::new()), |given| shunned(&given))?,
        costs: options.find("costs").map_or(Ok(Vec::new()), |given| costs(&given))?,
        tells: Tells {
            waypoint: underway.waypoint.is_some(),
            near: underway.near.is_some(),
            blocked: underway.blocked.is_some(),
        },
    };
    let handlers = WalkHandlers {
        arrived: handler("onArrived")?,
        failed: handler("onFailed")?,
        cancelled: handler("onCancelled")?,
        settled: handler("onSettled")?,
        underway,
    };
    Ok((ask, handlers))
}

fn pace(args: &Args, options: &Options) -> Result<WalkPace, UsageError> {
    let gait = chosen(options, "gait", &[("walk", WalkPace::Walk), ("run", WalkPace::Run)])?;
    let speed = options.find("speed").map(|speed| speed_mps(&speed)).transpose()?;
    match (gait, speed) {
        (Some(_), Some(_)) => Err(args.mistake("speed and gait are both given, expected one of them")),
        (gait, None) => Ok(gait.unwrap_or_default()),
        (None, Some(speed)) => Ok(WalkPace::Speed(speed)),
    }
}

/// A speed, metres a second.
///
/// # Errors
/// Outside [`Gait::SPEED_RANGE_MPS`].
pub fn speed_mps(given: &Argument) -> Result<f32, UsageError> {
    // Written out: the bounds are shown in messages, and 0.01 is no exact f32.
    debug_assert_eq!(0.01..=50.0, Gait::SPEED_RANGE_MPS, "messages name the range of speeds");
    Ok(given.number_in(0.01..=50.0, "metres a second")? as f32)
}

/// An angle; several turns are as good as none.
///
/// # Errors
/// Beyond a million radians, where an `f32` holds no direction any more.
pub fn radians(given: &Argument) -> Result<f32, UsageError> {
    Ok(given.number_in(-1e6..=1e6, "radians")? as f32)
}

/// A length, metres.
///
/// # Errors
/// Outside the range.
pub fn metres(given: &Argument, low: f64, high: f64) -> Result<f32, UsageError> {
    Ok(given.number_in(low..=high, "metres")? as f32)
}

/// An option that is one of some words.
///
/// # Errors
/// When it is another.
pub fn chosen<T: Copy>(
    options: &Options,
    name: &'static str,
    names: &[(&'static str, T)],
) -> Result<Option<T>, UsageError> {
    options.find(name).map(|given| word(&given, names)).transpose()
}

/// The option `keys`.
///
/// # Errors
/// When it is no list of names.
pub fn keys(options: &Options) -> Result<Vec<String>, UsageError> {
    let given = options.find("keys");
    let read = |key: Argument| key.name_to_keep("the name of a key");
    given.map_or(Ok(Vec::new()), |given| list(&given, "a list of keys", KEYS_MAX, read))
}

/// A list of places.
///
/// # Errors
/// When it is none, or an entry is no place.
pub fn places(given: &Argument) -> Result<Vec<PlaceValue>, UsageError> {
    list(given, "a list of places", PLACES_MAX, |place| place::single(&place))
}

fn shunned(given: &Argument) -> Result<Vec<String>, UsageError> {
    list(given, "a list of areas", AREAS_MAX, |area| area.name_to_keep("an area's name"))
}

/// Areas and factors, in the order of their names.
fn costs(given: &Argument) -> Result<Vec<(String, f32)>, UsageError> {
    debug_assert_eq!(0.1..=100.0, areas::FACTOR_RANGE, "messages name the range of factors");
    let table = given.table("a table of areas and factors")?;
    // Counted no further than it takes to refuse it, and before anything of it is copied.
    if table.pairs::<Value, Value>().nth(AREAS_MAX).is_some() {
        let what =
            format!("{} has more than {AREAS_MAX} entries, expected at most {AREAS_MAX}", given.name());
        return Err(UsageError::new(given.function(), what));
    }
    let mut costs = Vec::new();
    for pair in table.pairs::<Value, Value>() {
        let Ok((key, value)) = pair else { continue };
        let name = Argument::new(given.function(), &format!("a key of {}", given.name()), key);
        costs.push((name.text("an area's name")?, value));
    }
    ordered::sort_by(&mut costs, |a, b| a.0.cmp(&b.0));
    let factor = |(area, value): (String, Value)| {
        let named = Argument::new(given.function(), &format!("{}.{}", given.name(), shorten(&area)), value);
        Ok((area, named.number_in(0.1..=100.0, "")? as f32))
    };
    costs.into_iter().map(factor).collect()
}

/// An option that is a time in seconds.
///
/// # Errors
/// When it is no number from 0 to a day.
pub fn seconds(options: &Options, name: &'static str) -> Result<Option<f64>, UsageError> {
    options.find(name).map(|given| given.number_in(0.0..=SECONDS_MAX, "seconds")).transpose()
}

/// A place or an angle.
///
/// # Errors
/// When it is neither.
pub fn gaze(given: &Argument) -> Result<Gaze, UsageError> {
    match given.value() {
        Value::Number(_) | Value::Integer(_) => Ok(Gaze::Angle(radians(given)?)),
        _ => place::single(given)
            .map(Gaze::At)
            .map_err(|_| given.not("an angle, a mark's name, a vector, a mark, a character or a door")),
    }
}

impl WalkAsk {
    /// The same for a character that has no goal to be put on.
    #[must_use]
    pub fn without_ensure(self) -> Self {
        Self { ensure: false, ..self }
    }

    /// With the world: seconds become ticks, names of marks become points.
    ///
    /// # Errors
    /// As [`PlaceValue::look`].
    pub fn options(self, world: &World, function: &'static str) -> Result<WalkOptions, UsageError> {
        let rate = world.rate();
        Ok(WalkOptions {
            pace: self.pace,
            radius_m: self.radius_m,
            accept: self.accept,
            face: self.face.map(|face| face.look(world, function)).transpose()?,
            doors: self.doors,
            layer: self.layer.map(|name| named::layer(world, function, &name)).transpose()?,
            keys: self.keys,
            crowd: self.crowd,
            patience_ticks: rate.ticks(self.patience_s),
            timeout_ticks: self.timeout_s.map(|seconds| rate.ticks(seconds)),
            ensure: self.ensure,
            areas: own_areas(world, function, &self.avoid, &self.costs)?,
            via: self.via.iter().map(|place| place.point(world, function, None)).collect::<Result<_, _>>()?,
            tells: self.tells,
        })
    }
}

/// How a walk treats areas: it shuns some and has factors of its own for others.
fn own_areas(
    world: &World,
    function: &str,
    avoid: &[String],
    costs: &[(String, f32)],
) -> Result<Option<Arc<[OwnArea]>>, UsageError> {
    let mut own = BTreeMap::new();
    for (name, factor) in costs {
        own.insert(named::area(world, function, name)?, Some(*factor));
    }
    for name in avoid {
        if own.insert(named::area(world, function, name)?, None).flatten().is_some() {
            let what = format!("\"{}\" is in avoid and in costs, expected one of them", shorten(name));
            return Err(UsageError::new(function, what));
        }
    }
    Ok((!own.is_empty()).then(|| own.into_iter().collect()))
}
