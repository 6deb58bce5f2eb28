//! `nav`: queries about the map, availability and cost of areas, named places.
//!
//! Holds: questions answer for the map of `nav.revision`; `isAreaAvailable` and `areaCost` read one's own
//! edits back at once.

use mlua::{Lua, Value};

use crate::base::ids::{CharacterId, PathToken};
use crate::nav::{LayerPoint, NavMap, PathQuery, RandomPoint};
use crate::script::bind::call::{
    self, UNITS_PER_EXPANSION, answer, ask, ask_map, handle, myself, nothing, op, prepare_reach, preparing,
    with,
};
use crate::script::bind::character::{reach, standpoint};
use crate::script::bind::path_options::{self, PathAsk, Standpoint};
use crate::script::bind::place::{self, PlaceValue};
use crate::script::bind::results::{cancelled_path_result, path_result};
use crate::script::bind::table::{ApiParam, Binding, HostResult, Library, TableType, field, param};
use crate::script::bind::walk_options::metres;
use crate::script::bind::{names, registration, rng};
use crate::script::step::handlers;
use crate::script::vm::convert::{Args, UsageError, setting, vector};
use crate::script::vm::handles::{self, StreamId};
use crate::script::vm::{charge, fuel, store};
use crate::world::World;
use crate::world::area::Availability;
use crate::world::bystanders::Bystanders;
use crate::world::ops::{areas, paths};
use crate::world::props::Subject;
use crate::world::settings::Settings;

const NAV: &str = "nav";

/// What stands above the entries.
pub const GROUPS: &[Library] = &[
    Library { name: NAV, is_type: false, doc: "The navigation map: ways, areas, named places." },
    Library {
        name: "PathRequest",
        is_type: true,
        doc: "A path being searched over the next ticks, within the level's `pathBudget`.",
    },
];

const NEAREST_OPTIONS: &[&str] = &["within", "radius", "layer"];
const WALKABLE_OPTIONS: &[&str] = &["radius", "layer"];
const POINT_OPTIONS: &[&str] = &["area", "around", "within", "reachableFrom", "layer", "rng"];

/// Farthest a question looks, metres.
const WITHIN_MAX_M: f64 = 10_000.0;
/// Characters in the way of a path that are looked at for a unit of fuel.
const OTHERS_PER_UNIT: u64 = 8;
/// Points of a path that are handed out for a unit of fuel.
const POINTS_PER_UNIT: u64 = 4;
/// Fuel of handing out a stop of a route.
const UNITS_PER_STOP: u64 = 2;
/// Path requests of a level that may wait at a time.
const REQUESTS_MAX: usize = 4096;

const LAYER: ApiParam = field(
    "layer",
    "string?",
    "\"ground\"",
    "the layer of the map; default: that of a character that is named as the place, else the first",
);

/// Tables that these functions take.
pub const SHAPES: &[TableType] = &[
    TableType {
        name: "NearestOptions",
        doc: "How far to look, and for which body.",
        fields: &[
            field("within", "number?", "4", "metres, 0 to 10000, default 8"),
            field("radius", "number?", "0.5", "half the width of the body, metres, 0 to 10, default 0"),
            LAYER,
        ],
    },
    TableType {
        name: "WalkableOptions",
        doc: "For which body.",
        fields: &[
            field("radius", "number?", "0.5", "half the width of the body, metres, 0 to 10, default 0"),
            LAYER,
        ],
    },
    TableType {
        name: "PointOptions",
        doc: "Where a random point may be.",
        fields: &[
            field("area", "AreaName?", "\"yard\"", "in this area"),
            field("around", "Place?", "\"post\"", "near this place"),
            field("within", "number?", "3", "metres around it, 0 to 10000, default 8"),
            field("reachableFrom", "Place?", "guard", "with a way from here"),
            LAYER,
            field(
                "rng",
                "Rng?",
                "rng.stream(\"points\")",
                "the numbers to draw from; default a stream of the level",
            ),
        ],
    },
];

const FROM: ApiParam = param("from", "Place", "guard");
const TO: ApiParam = param("to", "Place", "\"gate\"");
const PATH: ApiParam = param("options", "PathOptions?", "{ doors = \"open\" }");
const PLACE: ApiParam = param("place", "Place", "\"post\"");
const AREA: ApiParam = param("area", "AreaName", "\"yard\"");

/// Everything `nav` and a `PathRequest` have.
pub const ENTRIES: &[Binding] = &[
    Binding {
        params: &[FROM, TO, PATH],
        returns: "PathResult",
        raises: "name range",
        doc: "Searches at once, to the end; every node it looks at costs a unit of fuel.",
        example: "local path = nav.findPath(guard, \"post\")\nassert(path.status == \"complete\" and path.length > 0)",
        price: 48,
        ..Binding::function(NAV, "nav.findPath", find_path)
    },
    Binding {
        params: &[FROM, TO, param("options", "PathRequestOptions?", "{ doors = \"open\" }")],
        returns: "PathRequest",
        raises: "name range limit",
        doc: "Asks for a path; the search is spread over ticks, first come first served.",
        example: "local request = nav.requestPath(guard, \"post\", { onPath = function(path) log.info(\"%s\", path.status) end })",
        price: 64,
        ..Binding::function(NAV, "nav.requestPath", request_path)
    },
    Binding {
        params: &[FROM, TO, PATH],
        returns: "boolean, PathReason?",
        raises: "name range",
        doc: "Whether there is a way, without a search; a reason when there is none: noPath, startOffNav, doorClosed, tooWide.",
        example: "local yes, why = nav.reachable(\"post\", \"gate\")\nassert(yes or why)",
        ..Binding::function(NAV, "nav.reachable", reachable)
    },
    Binding {
        params: &[PLACE, param("options", "NearestOptions?", "{ within = 4 }")],
        returns: "vector?",
        raises: "name range",
        doc: "The nearest walkable point, within 8 m unless said otherwise.",
        example: "assert(nav.nearest(guard) == guard.position)",
        ..Binding::function(NAV, "nav.nearest", nearest)
    },
    Binding {
        params: &[param("options", "PointOptions?", "{ area = \"yard\" }")],
        returns: "vector?",
        raises: "name range",
        doc: "A random walkable point; nil if none was found.",
        example: "local point = nav.randomPoint({ area = \"yard\" })\nassert(point and nav.isWalkable(point))",
        price: 24,
        ..Binding::function(NAV, "nav.randomPoint", random_point)
    },
    Binding {
        params: &[FROM, TO, PATH],
        returns: "boolean, vector",
        raises: "name range",
        doc: "Whether the straight segment stays on walkable ground; its last walkable point.",
        example: "local clear, last = nav.lineOfWalk(guard, \"post\")\nassert(clear and last == nav.mark(\"post\").position)",
        ..Binding::function(NAV, "nav.lineOfWalk", line_of_walk)
    },
    Binding {
        params: &[PLACE, param("options", "WalkableOptions?", "{ radius = 0.5 }")],
        returns: "boolean",
        raises: "name range",
        doc: "Whether one can stand there.",
        example: "assert(nav.isWalkable(\"post\"))",
        ..Binding::function(NAV, "nav.isWalkable", is_walkable)
    },
    Binding {
        params: &[AREA, param("available", "boolean", "false")],
        returns: "boolean",
        raises: "name",
        doc: "Puts an area in force or out of it; whether that was a change. The map follows in step 5.",
        example: "nav.setAreaAvailable(\"yard\", false)\nassert(not nav.isAreaAvailable(\"yard\"))",
        price: 48,
        ..Binding::function(NAV, "nav.setAreaAvailable", set_area_available)
    },
    Binding {
        params: &[AREA],
        returns: "boolean",
        raises: "name",
        doc: "Whether an area is in force, as last asked for.",
        example: "assert(nav.isAreaAvailable(\"yard\"))",
        ..Binding::function(NAV, "nav.isAreaAvailable", is_area_available)
    },
    Binding {
        params: &[AREA, param("factor", "number", "2")],
        raises: "name range",
        doc: "Cost of a metre in the area, 0.1 to 100; 1 is plain ground. The map follows in step 5.",
        example: "nav.setAreaCost(\"yard\", 2.5)\nassert(nav.areaCost(\"yard\") == 2.5)",
        price: 48,
        ..Binding::function(NAV, "nav.setAreaCost", set_area_cost)
    },
    Binding {
        params: &[AREA],
        returns: "number",
        raises: "name",
        doc: "Cost of a metre in the area, as last asked for.",
        example: "assert(nav.areaCost(\"yard\") == 1)",
        ..Binding::function(NAV, "nav.areaCost", area_cost)
    },
    Binding {
        params: &[param("name", "MarkName", "\"gate\"")],
        returns: "Mark",
        raises: "name",
        doc: "A named place; raises when there is none.",
        example: "assert(nav.mark(\"gate\").name == \"gate\")",
        ..Binding::function(NAV, "nav.mark", mark)
    },
    Binding {
        params: &[param("name", "string", "\"gate\"")],
        returns: "Mark?",
        doc: "A named place, or nil.",
        example: "assert(nav.findMark(\"nowhere\") == nil)",
        ..Binding::function(NAV, "nav.findMark", find_mark)
    },
    Binding {
        params: &[param("name", "RouteName", "\"rounds\"")],
        returns: "{Mark}",
        raises: "name",
        doc: "The stops of a route, a fresh list.",
        example: "assert(nav.route(\"rounds\")[1].name == \"gate\")",
        price: 24,
        ..Binding::function(NAV, "nav.route", route)
    },
    Binding {
        params: &[param("name", "RouteName", "\"rounds\"")],
        returns: "{ [string]: any }",
        raises: "name",
        doc: "What the level says of a route under `props`: read-only, empty when it says nothing.",
        example: "assert(next(nav.routeProps(\"rounds\")) == nil)",
        ..Binding::function(NAV, "nav.routeProps", route_props)
    },
    Binding {
        doc: "Revision of the map: one more for every tick in which it was edited.",
        example: "assert(nav.revision >= 0)",
        ..Binding::field(NAV, "nav.revision", "number", revision)
    },
    Binding {
        doc: "Whether edits wait for step 5.",
        example: "nav.setAreaCost(\"yard\", 3)\nassert(nav.pending)",
        ..Binding::field(NAV, "nav.pending", "boolean", pending)
    },
    Binding {
        doc: "The result; nil until the search has ended.",
        example: "assert(nav.requestPath(guard, \"post\").result == nil)",
        ..Binding::field("PathRequest", "result", "PathResult?", request_result)
    },
    Binding {
        returns: "PathResult",
        raises: "wait",
        doc: "Waits for the result.",
        example: "local path = nav.requestPath(guard, \"post\"):wait()\nassert(path.status == \"complete\")",
        ..Binding::waiting_method("PathRequest", "wait")
    },
    Binding {
        doc: "Takes the request back: its result is `none`, `cancelled`.",
        example: "local request = nav.requestPath(guard, \"post\")\nrequest:cancel()\nassert(request.result.reason == \"cancelled\")",
        ..Binding::method("PathRequest", "cancel", cancel)
    },
];

/// Two places and the asker.
struct AskedPath {
    from: PlaceValue,
    to: PlaceValue,
    options: PathAsk,
}

impl AskedPath {
    fn take(args: &mut Args) -> Result<Self, UsageError> {
        let (from, to) = ends(args)?;
        Ok(Self { from, to, options: path_options::read(args)? })
    }

    /// Start, goal and traversal. As for walks, a character stands on its own layer.
    fn resolve(
        &self,
        world: &World,
        function: &'static str,
    ) -> Result<(glam::Vec3, LayerPoint, crate::nav::Traversal), UsageError> {
        let from = self.from.point(world, function, None)?;
        let by = self.options.traversal(world, function, standpoint(&self.from))?;
        let layer = self.options.goal_layer(world, function, by.layer)?;
        let to = self.to.goal_from(world, function, LayerPoint { layer, point: from })?;
        Ok((from, to, by))
    }

    /// The question around people in the way: everybody but the characters at either end and those to be
    /// ignored.
    fn query(
        &self,
        world: &mut World,
        start: glam::Vec3,
        goal: LayerPoint,
        by: crate::nav::Traversal,
    ) -> (PathQuery, Option<Bystanders>) {
        let at_ends = [&self.from, &self.to].into_iter().filter_map(|place| match standpoint(place) {
            Standpoint::Character(id) => Some(id),
            Standpoint::Nobody => None,
        });
        let but: Vec<CharacterId> = at_ends.chain(self.options.ignored().iter().copied()).collect();
        let (query, around) = paths::query_around(world, start, goal.point, by, &but);
        (PathQuery { goal_layer: Some(goal.layer), ..query }, around)
    }
}

/// Fuel for the people that a question leads around.
fn met(nav: &NavMap, query: &PathQuery) -> u64 {
    /// For each expansion that they are worth where they are carved out of the ground.
    const UNITS: u64 = 48;
    let others = query.others.as_deref().unwrap_or(&[]);
    let carved =
        if nav.mesh().is_some() { UNITS * u64::from(nav.detour_price(others, &query.by)) } else { 0 };
    others.len() as u64 / OTHERS_PER_UNIT + carved
}

fn ends(args: &mut Args) -> Result<(PlaceValue, PlaceValue), UsageError> {
    Ok((place::single(&args.take("from"))?, place::single(&args.take("to"))?))
}

fn find_path(lua: &Lua, args: &mut Args) -> HostResult {
    let (way, function) = (AskedPath::take(args)?, args.function());
    let (answered, units) = with(lua, args, |world| {
        let (from, to, by) = way.resolve(world, function)?;
        let units = preparing(world, &by);
        let (query, around) = way.query(world, from, to, by);
        let answered = paths::find(world, &query);
        let holder = paths::holder(around.as_ref(), &answered);
        // Cells are expanded in a fraction of that time.
        let price = match world.nav().expansion_price() {
            1 => 1,
            more => UNITS_PER_EXPANSION * more,
        };
        let searched = u64::from(answered.expansions) * price;
        let looked = UNITS_PER_EXPANSION * u64::from(answered.granted)
            + answered.path.points.len() as u64 / POINTS_PER_UNIT;
        Ok(((answered, holder), units + met(world.nav(), &query) + searched + looked))
    })?;
    charge(lua, units)?;
    let table = with(lua, args, |world| Ok(path_result(lua, world, &answered.0, answered.1)))?;
    answer(lua, table?)
}

fn request_path(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.function();
    let (from, to) = ends(args)?;
    let options = args.options(&path_options::REQUEST_NAMES)?;
    let way = AskedPath { from, to, options: path_options::from(&options)? };
    let handler = options.find("onPath").map(|given| handlers::read(lua, &given)).transpose()?;
    let (token, units) = with(lua, args, |world| {
        let (from, to, by) = way.resolve(world, function)?;
        let units = preparing(world, &by);
        if world.paths.requests.waiting() >= REQUESTS_MAX {
            let what = format!("{REQUESTS_MAX} paths are being searched, the most allowed; wait for some");
            return Err(UsageError::new(function, what));
        }
        let (query, around) = way.query(world, from, to, by);
        let units = units + met(world.nav(), &query);
        Ok((paths::request(world, query, around), units))
    })?;
    handlers::set_path(lua, token, handler);
    charge(lua, units)?;
    answer(lua, handles::make(lua, token)?)
}

fn request_result(lua: &Lua, args: &mut Args) -> HostResult {
    let token = myself::<PathToken>(args)?;
    answer(lua, handles::latched(lua, token)?.unwrap_or(Value::Nil))
}

fn cancel(lua: &Lua, args: &mut Args) -> HostResult {
    let token = myself::<PathToken>(args)?;
    if handles::latched(lua, token)?.is_some() {
        return nothing();
    }
    let result = with(lua, args, |world| {
        paths::cancel(world, token);
        Ok(cancelled_path_result(lua, world))
    })??;
    handles::latch(lua, token, &result)?;
    registration::path_cancelled(lua, token, Value::Table(result));
    nothing()
}

fn reachable(lua: &Lua, args: &mut Args) -> HostResult {
    let (way, function) = (AskedPath::take(args)?, args.function());
    ask_map(lua, args, |world| {
        let (from, to, by) = way.resolve(world, function)?;
        Ok(reach(world, from, to, &by))
    })
}

fn nearest(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.function();
    let place = place::single(&args.take("place"))?;
    let options = args.options(NEAREST_OPTIONS)?;
    let within_m = options.find("within").map(|within| metres(&within, 0.0, WITHIN_MAX_M)).transpose()?;
    let body = body(&options, &place)?;
    ask_map(lua, args, |world| {
        let (point, by, units) = body.at(world, function)?;
        let (found, looked) = world.map.nav.nearest_counted(point, within_m.unwrap_or(Settings::SNAP_M), &by);
        Ok((found.map(|found| vector(found.point)), units + UNITS_PER_EXPANSION * looked))
    })
}

fn is_walkable(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.function();
    let place = place::single(&args.take("place"))?;
    let options = args.options(WALKABLE_OPTIONS)?;
    let body = body(&options, &place)?;
    ask_map(lua, args, |world| {
        let (point, by, units) = body.at(world, function)?;
        Ok((world.map.nav.is_walkable(point, &by), units))
    })
}

/// A body at a place.
struct PlacedBody<'a> {
    place: &'a PlaceValue,
    radius_m: Option<f32>,
    layer: Option<String>,
}

fn body<'a>(
    options: &crate::script::vm::convert::Options,
    place: &'a PlaceValue,
) -> Result<PlacedBody<'a>, UsageError> {
    let radius_m = options.find("radius").map(|radius| metres(&radius, 0.0, 10.0)).transpose()?;
    let layer = options.find("layer").map(|layer| layer.text("a layer's name")).transpose()?;
    Ok(PlacedBody { place, radius_m, layer })
}

impl PlacedBody<'_> {
    fn at(
        &self,
        world: &mut World,
        function: &'static str,
    ) -> Result<(glam::Vec3, crate::nav::Traversal, u64), UsageError> {
        let point = self.place.point(world, function, None)?;
        let own = match standpoint(self.place) {
            Standpoint::Character(id) => world.character(id).map(|character| character.layer),
            Standpoint::Nobody => None,
        };
        let named = self.layer.as_ref().map(|name| names::layer(world, function, name)).transpose()?;
        let by = crate::nav::Traversal {
            radius_m: self.radius_m.unwrap_or(0.0),
            layer: named.or(own).unwrap_or(0),
            ..crate::nav::Traversal::default()
        };
        let units = preparing(world, &by);
        world.map.nav.prepare(&by);
        Ok((point, by, units))
    }
}

fn random_point(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.function();
    let options = args.options(POINT_OPTIONS)?;
    let area = options.find("area").map(|area| area.text("an area's name")).transpose()?;
    let around = options.find("around").map(|around| place::single(&around)).transpose()?;
    let within_m = options.find("within").map(|within| metres(&within, 0.0, WITHIN_MAX_M)).transpose()?;
    let from = options.find("reachableFrom").map(|from| place::single(&from)).transpose()?;
    let layer = options.find("layer").map(|layer| layer.text("a layer's name")).transpose()?;
    let stream = options.find("rng").map(|rng| handle::<StreamId>(&rng, "a random stream")).transpose()?;
    let stream = match stream {
        Some(stream) => stream,
        None => rng::stream(lua, args, "nav.randomPoint")?,
    };
    let mut numbers = store::with(lua, |runtime| runtime.streams.lend(stream.0));
    let found = with(lua, args, |world| {
        let at = from.as_ref().map_or(Standpoint::Nobody, standpoint);
        let is_named = layer.is_some() || matches!(at, Standpoint::Character(_));
        let mut by = PathAsk::default().traversal(world, function, at)?;
        if let Some(name) = layer {
            by.layer = names::layer(world, function, &name)?;
        }
        if let Some(around) = around.as_ref().filter(|_| !is_named) {
            by.layer = around.layer_or(world, by.layer);
        }
        let stand = |from: &PlaceValue| {
            let point = from.point(world, function, None)?;
            Ok(LayerPoint { layer: from.layer_or(world, by.layer), point })
        };
        let reachable_from = from.as_ref().map(stand).transpose()?;
        let query = RandomPoint {
            centre: around.map(|around| around.point(world, function, None)).transpose()?,
            within_m: within_m.unwrap_or(Settings::SNAP_M),
            area: area.map(|area| names::area(world, function, &area)).transpose()?,
            reachable_from,
            by,
            attempts: RandomPoint::ATTEMPTS,
        };
        let units = match query.reachable_from {
            Some(_) => prepare_reach(world, &query.by),
            None => preparing(world, &query.by),
        };
        world.map.nav.prepare(&query.by);
        let (point, looked) = world.map.nav.random_point_counted(&query, &mut numbers);
        Ok((point.map(vector), units + UNITS_PER_EXPANSION * looked))
    });
    store::with(lua, |runtime| runtime.streams.give_back(stream.0, numbers));
    let (point, units) = found?;
    charge(lua, units)?;
    answer(lua, point)
}

fn line_of_walk(lua: &Lua, args: &mut Args) -> HostResult {
    let (way, function) = (AskedPath::take(args)?, args.function());
    ask_map(lua, args, |world| {
        let (from, to, by) = way.resolve(world, function)?;
        let units = preparing(world, &by);
        world.map.nav.prepare(&by);
        let ((clear, last), looked) = world.map.nav.sight_counted(from, to.point, &by);
        Ok(((clear && to.layer == by.layer, vector(last)), units + UNITS_PER_EXPANSION * looked))
    })
}

fn area_name(args: &mut Args) -> Result<String, UsageError> {
    args.take("area").text("an area's name")
}

fn set_area_available(lua: &Lua, args: &mut Args) -> HostResult {
    let (function, area) = (args.function(), area_name(args)?);
    let wanted = Availability::of(args.take("available").boolean()?);
    ask(lua, args, |world| {
        let area = names::area(world, function, &area)?;
        areas::set_available(world, area, wanted).map_err(op(function))
    })
}

fn is_area_available(lua: &Lua, args: &mut Args) -> HostResult {
    let (function, area) = (args.function(), area_name(args)?);
    ask(lua, args, |world| {
        let id = names::area(world, function, &area)?;
        Ok(world.areas().get(id.index()).is_some_and(|area| area.available))
    })
}

fn set_area_cost(lua: &Lua, args: &mut Args) -> HostResult {
    let (function, area) = (args.function(), area_name(args)?);
    debug_assert_eq!(0.1..=100.0, areas::FACTOR_RANGE, "messages name the range of factors");
    let factor = args.take("factor").number_in(0.1..=100.0, "")? as f32;
    with(lua, args, |world| {
        let area = names::area(world, function, &area)?;
        areas::set_factor(world, area, factor).map_err(op(function))
    })?;
    nothing()
}

fn area_cost(lua: &Lua, args: &mut Args) -> HostResult {
    let (function, area) = (args.function(), area_name(args)?);
    ask(lua, args, |world| {
        let id = names::area(world, function, &area)?;
        Ok(world.areas().get(id.index()).map(|area| setting(area.factor)))
    })
}

fn mark(lua: &Lua, args: &mut Args) -> HostResult {
    let (function, name) = (args.function(), args.take("name").text("a mark's name")?);
    let mark = with(lua, args, |world| names::mark(world, function, &name).cloned())?;
    answer(lua, handles::mark(lua, &mark)?)
}

fn find_mark(lua: &Lua, args: &mut Args) -> HostResult {
    let name = args.take("name").text("a mark's name")?;
    let mark = with(lua, args, |world| Ok(world.mark(&name).cloned()))?;
    answer(lua, mark.map(|mark| handles::mark(lua, &mark)).transpose()?)
}

fn route(lua: &Lua, args: &mut Args) -> HostResult {
    let (function, name) = (args.function(), args.take("name").text("a route's name")?);
    let stops = with(lua, args, |world| {
        let stops = names::route(world, function, &name)?;
        fuel::charge_running(UNITS_PER_STOP * stops.len() as u64);
        Ok(stops.to_vec())
    })?;
    let table = lua.create_table_with_capacity(stops.len(), 0)?;
    for stop in &stops {
        table.raw_push(handles::mark(lua, stop)?)?;
    }
    answer(lua, table)
}

fn route_props(lua: &Lua, args: &mut Args) -> HostResult {
    call::props(lua, args, "route", Subject::Route, |world, function, name| {
        names::route(world, function, name).map(drop)
    })
}

fn revision(lua: &Lua, args: &mut Args) -> HostResult {
    ask(lua, args, |world| Ok(world.nav().revision().0))
}

fn pending(lua: &Lua, args: &mut Args) -> HostResult {
    ask(lua, args, |world| Ok(world.has_pending_edits()))
}
