//! `Character`: fields and verbs.
//!
//! Holds: `name`, `id` and `alive` answer for ever; everything else on a removed character raises, and says
//! what removed it and when. Not here: behaviours (`behaviour`), the options of a walk (`walk_options`).

use mlua::Lua;

use crate::base::geom::flat_distance;
use crate::base::ids::CharacterId;
use crate::nav::{LayerPoint, Reach, Traversal};
use crate::script::bind::call::{
    UNITS_PER_EXPANSION, answer, ask, ask_map, myself, nothing, op, pay_for_tags, place_of_caller,
    prepare_reach, refuse_when_full, with,
};
use crate::script::bind::path_options::{self, Standpoint};
use crate::script::bind::place::{self, PlaceValue};
use crate::script::bind::table::{ApiParam, Binding, HostResult, Library, TableType, field, param};
use crate::script::bind::walk_options::{self, Gaze};
use crate::script::bind::{names, registration};
use crate::script::step::cinematic::note_removal;
use crate::script::step::owner;
use crate::script::vm::convert::{Args, UsageError, setting, vector};
use crate::script::vm::handles::{self, PlayId, TurnId};
use crate::world::World;
use crate::world::character::Character;
use crate::world::ops::{alive, characters, walks};
use crate::world::props::Subject;

const TYPE: &str = "Character";

/// What stands above the entries.
pub const GROUP: Library = Library {
    name: TYPE,
    is_type: true,
    doc: "A character in the level. The same character is always the same value. After `despawn`, `alive` is false, `name` \
          and `id` stay readable and everything else raises.",
};

const TELEPORT_OPTIONS: &[&str] = &["facing", "layer"];
const PLAY_OPTIONS: &[&str] = &["seconds", "loop"];

/// Tables that these functions take.
pub const SHAPES: &[TableType] = &[
    TableType {
        name: "TeleportOptions",
        doc: "How a character is put down.",
        fields: &[
            field("facing", "number?", "0", "radians about +y; default: as it faced"),
            field("layer", "string?", "\"ground\"", "the layer of the map; default: the one it is on"),
        ],
    },
    TableType {
        name: "PlayOptions",
        doc: "How long an animation plays.",
        fields: &[
            field("seconds", "number?", "2", "0 to 86400, default 1"),
            field("loop", "boolean?", "true", "stays until it is replaced"),
        ],
    },
];

const GOAL: ApiParam = param("goal", "Place", "\"gate\"");

/// Everything a `Character` has.
pub const ENTRIES: &[Binding] = &[
    Binding {
        doc: "Its name, unique among the living. Readable for ever.",
        example: "assert(guard.name == \"guard\")",
        ..Binding::field(TYPE, "name", "string", name)
    },
    Binding {
        doc: "Its number, in order of creation. Readable for ever.",
        example: "assert(guard.id < player.id)",
        ..Binding::field(TYPE, "id", "number", id)
    },
    Binding {
        doc: "Whether it has not been removed.",
        example: "assert(guard.alive)",
        ..Binding::field(TYPE, "alive", "boolean", is_alive)
    },
    Binding {
        doc: "Where it stands, metres.",
        example: "local height = guard.position.y",
        ..Binding::field(TYPE, "position", "vector", position)
    },
    Binding {
        doc: "Which way it looks, radians about +y: 0 along +z, pi/2 along +x.",
        example: "assert(guard.facing <= math.pi)",
        ..Binding::field(TYPE, "facing", "number", facing)
    },
    Binding {
        doc: "Its walking speed, metres a second.",
        example: "assert(guard.walkSpeed == 1.4)",
        ..Binding::field(TYPE, "walkSpeed", "number", walk_speed)
    },
    Binding {
        doc: "Its running speed, metres a second.",
        example: "assert(guard.runSpeed == 2.8)",
        ..Binding::field(TYPE, "runSpeed", "number", run_speed)
    },
    Binding {
        doc: "Its turning speed, radians a second.",
        example: "assert(guard.rotationSpeed == 8)",
        ..Binding::field(TYPE, "rotationSpeed", "number", rotation_speed)
    },
    Binding {
        doc: "Half the width of its body, metres.",
        example: "assert(guard.radius == 0.35)",
        ..Binding::field(TYPE, "radius", "number", radius)
    },
    Binding {
        doc: "Name of the layer of the map that it is on; a map without layers has one, \"ground\".",
        example: "assert(guard.layer == \"ground\")",
        ..Binding::field(TYPE, "layer", "string", layer)
    },
    Binding {
        doc: "Tags of the level, its own name, and `player` for the player; a fresh list, sorted.",
        example: "assert(table.find(guard.tags, \"guard\"))",
        ..Binding::field(TYPE, "tags", "{string}", tags)
    },
    Binding {
        doc: "What the level says under `props` of the character of that name: read-only, empty when it says nothing.",
        example: "assert(next(guard.props) == nil)",
        ..Binding::field(TYPE, "props", "{ [string]: any }", props)
    },
    Binding {
        doc: "`stand`, `walk`, `run`, or what `play` set.",
        example: "assert(guard.animation == \"stand\")",
        ..Binding::field(TYPE, "animation", "string", animation)
    },
    Binding {
        doc: "The walk under way.",
        example: "local walk = guard:walkTo(\"gate\")\nassert(guard.currentWalk == walk)",
        ..Binding::field(TYPE, "currentWalk", "Walk?", current_walk)
    },
    Binding {
        doc: "Name of the cinematic that holds it.",
        example: "assert(guard.heldBy == nil)",
        ..Binding::field(TYPE, "heldBy", "string?", held_by)
    },
    Binding {
        params: &[GOAL, param("options", "WalkOptions?", "{ gait = \"run\" }")],
        returns: "Walk",
        raises: "name range gone",
        doc: "Starts a walk and returns its handle; it is the `currentWalk` at once, its path is searched in step 6. The walk \
              before it settles `cancelled/superseded`.",
        example: "guard:walkTo(\"gate\", { onArrived = function(result) log.info(\"%s\", result) end })\nguard:walkTo(4, 2)",
        price: 32,
        ..Binding::method(TYPE, "walkTo", walk_to)
    },
    Binding {
        params: &[GOAL, param("options", "WalkOptions?", "{ gait = \"run\" }")],
        returns: "WalkResult",
        raises: "name range gone wait",
        doc: "The same as `walkTo`, and waits for the result; the walk belongs to the calling task and ends with it.",
        example: "local result = guard:walk(\"gate\")\nassert(result.status ~= nil)",
        ..Binding::waiting_method(TYPE, "walk")
    },
    Binding {
        returns: "boolean",
        raises: "gone",
        doc: "Ends the walk where it stands, `cancelled/stopped`; false if there was none.",
        example: "assert(guard:stopInPlace() == false)",
        price: 12,
        ..Binding::method(TYPE, "stopInPlace", stop)
    },
    Binding {
        returns: "boolean",
        raises: "gone",
        doc: "The same as `stopInPlace`.",
        example: "guard:walkTo(\"gate\")\nassert(guard:stop())",
        price: 12,
        ..Binding::method(TYPE, "stop", stop)
    },
    Binding {
        params: &[param("to", "Place", "\"post\""), param("options", "TeleportOptions?", "{ facing = 0 }")],
        returns: "vector?",
        raises: "name gone",
        doc: "Puts it on the nearest walkable point within 8 m and returns that, else nil. A walk under way settles \
              `cancelled/stopped`.",
        example: "local point = guard:teleport(\"post\", { facing = 0 })\nassert(point == guard.position)",
        price: 16,
        ..Binding::method(TYPE, "teleport", teleport)
    },
    Binding {
        params: &[param("target", "Place | number", "player")],
        returns: "Turn",
        raises: "name gone",
        doc: "Turns towards a place, or to an angle in radians: one number is an angle, two are x and z.",
        example: "guard:face(player)\nguard:face(math.pi)\nguard:face(4, 2)",
        price: 12,
        ..Binding::method(TYPE, "face", face)
    },
    Binding {
        params: &[
            param("animation", "string", "\"wave\""),
            param("options", "PlayOptions?", "{ seconds = 2 }"),
        ],
        returns: "Play",
        raises: "range gone",
        doc: "Sets the animation state for some seconds (1 by default); does not stop a walk.",
        example: "guard:play(\"wave\", { seconds = 2 })\nassert(guard.animation == \"wave\")",
        price: 12,
        ..Binding::method(TYPE, "play", play)
    },
    Binding {
        params: &[param("walkSpeed", "number", "2"), param("runSpeed", "number?", "4")],
        raises: "range gone",
        doc: "Changes the settings, metres a second, 0.01 to 50.",
        example: "guard:setSpeed(2, 4)\nassert(guard.runSpeed == 4)",
        ..Binding::method(TYPE, "setSpeed", set_speed)
    },
    Binding {
        returns: "boolean",
        raises: "gone",
        doc: "Whether it is seen to walk: a walk, or a step aside, moves it, or did until just now. One that plans, \
              waits, turns or is held up for longer is not.",
        example: "assert(not guard:isMoving())",
        ..Binding::method(TYPE, "isMoving", is_moving)
    },
    Binding {
        params: &[param("other", "Place", "player")],
        returns: "number",
        raises: "name gone",
        doc: "Straight metres on the ground plane.",
        example: "assert(guard:distanceTo(player) > 0)\nassert(guard:distanceTo(guard.position) == 0)",
        ..Binding::method(TYPE, "distanceTo", distance_to)
    },
    Binding {
        params: &[GOAL, param("options", "PathOptions?", "{ doors = \"open\" }")],
        returns: "boolean, PathReason?",
        raises: "name range gone",
        doc: "Whether there is a way, without a search; a reason when there is none: noPath, startOffNav, doorClosed, tooWide.",
        example: "local yes, why = guard:canReach(player)\nassert(yes or why)",
        ..Binding::method(TYPE, "canReach", can_reach)
    },
    Binding {
        params: &[param("tag", "string", "\"watch\"")],
        returns: "boolean",
        raises: "gone",
        doc: "Whether it has a tag.",
        example: "assert(player:hasTag(\"player\"))",
        ..Binding::method(TYPE, "hasTag", has_tag)
    },
    Binding {
        raises: "gone",
        doc: "Removes it: `alive` is false at once, its walk settles `cancelled/despawned`, walks towards it \
              `cancelled/targetGone`.",
        example: "player:despawn()\nassert(not player.alive and player.name == \"player\")",
        price: 64,
        ..Binding::method(TYPE, "despawn", despawn)
    },
];

fn name(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<CharacterId>(args)?;
    ask(lua, args, |world| Ok(world.name_of(id).to_owned()))
}

fn id(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<CharacterId>(args)?;
    ask(lua, args, |world| {
        let living = world.characters.get(id).map(|character| character.serial);
        Ok(living.or_else(|| world.characters.gone(id).map(|gone| gone.serial)))
    })
}

fn is_alive(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<CharacterId>(args)?;
    ask(lua, args, |world| Ok(world.characters.alive(id).is_some()))
}

/// A field of a living character.
fn of_living<R: mlua::IntoLuaMulti>(
    lua: &Lua,
    args: &mut Args,
    read: impl FnOnce(&Character) -> R,
) -> HostResult {
    let id = myself::<CharacterId>(args)?;
    let function = args.function();
    ask(lua, args, |world| alive(&world.characters, id).map(read).map_err(op(function)))
}

fn position(lua: &Lua, args: &mut Args) -> HostResult {
    of_living(lua, args, |character| vector(character.body.position))
}

fn facing(lua: &Lua, args: &mut Args) -> HostResult {
    of_living(lua, args, |character| character.facing_rad)
}

fn walk_speed(lua: &Lua, args: &mut Args) -> HostResult {
    of_living(lua, args, |character| setting(character.gait.walk_mps))
}

fn run_speed(lua: &Lua, args: &mut Args) -> HostResult {
    of_living(lua, args, |character| setting(character.gait.run_mps))
}

fn rotation_speed(lua: &Lua, args: &mut Args) -> HostResult {
    of_living(lua, args, |character| setting(character.gait.turn_radps))
}

fn radius(lua: &Lua, args: &mut Args) -> HostResult {
    of_living(lua, args, |character| setting(character.body.radius_m))
}

fn layer(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<CharacterId>(args)?, args.function());
    ask(lua, args, |world| {
        let layer = alive(&world.characters, id).map_err(op(function))?.layer;
        let named = world.tiles().and_then(|tiles| tiles.layer_names().nth(usize::from(layer)));
        Ok(named.unwrap_or(World::LAYER).to_owned())
    })
}

fn props(lua: &Lua, args: &mut Args) -> HostResult {
    let id = myself::<CharacterId>(args)?;
    let function = args.function();
    let (name, said) = with(lua, args, |world| {
        let name = alive(&world.characters, id).map_err(op(function))?.name.clone();
        let said = world.level.props.of(Subject::Character, &name).cloned();
        Ok((name, said))
    })?;
    answer(lua, handles::props(lua, "character", &name, said.as_ref())?)
}

fn tags(lua: &Lua, args: &mut Args) -> HostResult {
    of_living(lua, args, |character| {
        pay_for_tags(&character.tags);
        character.tags.clone()
    })
}

fn animation(lua: &Lua, args: &mut Args) -> HostResult {
    of_living(lua, args, |character| character.animation().to_owned())
}

fn held_by(lua: &Lua, args: &mut Args) -> HostResult {
    of_living(lua, args, |character| character.held.as_ref().map(|hold| hold.scene.clone()))
}

fn current_walk(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<CharacterId>(args)?, args.function());
    let walk =
        with(lua, args, |world| alive(&world.characters, id).map(|own| own.walk).map_err(op(function)))?;
    answer(lua, walk.map(|walk| handles::walk(lua, walk)).transpose()?)
}

/// Starts a walk; also what `walk` of the prelude begins with, under its own name.
pub(crate) fn walk_to(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<CharacterId>(args)?, args.function());
    let goal = place::take(args, "goal")?;
    let (asked, handlers) = walk_options::read(lua, args)?;
    let owner = owner::current(lua);
    let walk = with(lua, args, |world| {
        refuse_when_full(world, function)?;
        let goal = goal.goal(world, function, id)?;
        let options = asked.options(world, function)?;
        let order = walks::WalkOrder { character: id, goal, options, owner };
        walks::walk_to(world, order).map_err(op(function))
    })?;
    registration::set_walk(lua, walk, handlers);
    answer(lua, handles::walk(lua, walk)?)
}

fn stop(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<CharacterId>(args)?, args.function());
    ask(lua, args, |world| walks::stop_in_place(world, id).map_err(op(function)))
}

fn teleport(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<CharacterId>(args)?, args.function());
    let to = place::take(args, "to")?;
    let options = args.options(TELEPORT_OPTIONS)?;
    let facing = options.find("facing").map(|facing| walk_options::radians(&facing)).transpose()?;
    let layer = options.find("layer").map(|layer| layer.text("a layer's name")).transpose()?;
    ask(lua, args, |world| {
        let from = place::stand_of(alive(&world.characters, id).map_err(op(function))?);
        let layer = layer.map_or(Ok(from.layer), |layer| names::layer(world, function, &layer))?;
        let to = to.point(world, function, Some(LayerPoint { layer, ..from }))?;
        let point = characters::teleport_to(world, id, layer, to, facing).map_err(op(function))?;
        Ok(point.map(vector))
    })
}

fn face(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<CharacterId>(args)?, args.function());
    let is_number = matches!(args.peek(), mlua::Value::Number(_) | mlua::Value::Integer(_));
    let gaze = if is_number && args.left() >= 2 {
        Gaze::At(place::take(args, "target")?)
    } else {
        walk_options::gaze(&args.take("target"))?
    };
    let turn = with(lua, args, |world| {
        refuse_when_full(world, function)?;
        let look = gaze.look(world, function)?;
        characters::face(world, id, look).map_err(op(function))
    })?;
    answer(lua, handles::make(lua, TurnId(turn))?)
}

fn play(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<CharacterId>(args)?, args.function());
    let animation = args.take("animation").new_name()?;
    let options = args.options(PLAY_OPTIONS)?;
    let seconds = walk_options::seconds(&options, "seconds")?.unwrap_or(1.0);
    let is_loop = options.find("loop").map_or(Ok(false), |given| given.boolean())?;
    if is_loop && options.find("seconds").is_some() {
        let what = "seconds and loop are both given, expected one of them: loop stays until it is replaced";
        return Err(UsageError::new(function, what).into());
    }
    let play = with(lua, args, |world| {
        refuse_when_full(world, function)?;
        let ticks = if is_loop { None } else { Some(world.rate().ticks(seconds)) };
        characters::play(world, id, &animation, ticks).map_err(op(function))
    })?;
    answer(lua, handles::make(lua, PlayId(play))?)
}

fn set_speed(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<CharacterId>(args)?, args.function());
    let walk_mps = walk_options::speed_mps(&args.take("walkSpeed"))?;
    let run_mps = args.take("runSpeed").present().map(|speed| walk_options::speed_mps(&speed)).transpose()?;
    with(lua, args, |world| characters::set_speed(world, id, walk_mps, run_mps).map_err(op(function)))?;
    nothing()
}

fn is_moving(lua: &Lua, args: &mut Args) -> HostResult {
    of_living(lua, args, Character::is_walking)
}

fn distance_to(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<CharacterId>(args)?, args.function());
    let other = place::take(args, "other")?;
    ask(lua, args, |world| {
        let from = place::stand_of(alive(&world.characters, id).map_err(op(function))?);
        Ok(flat_distance(from.point, other.point(world, function, Some(from))?))
    })
}

fn can_reach(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<CharacterId>(args)?, args.function());
    let goal = place::take(args, "goal")?;
    let options = path_options::read(args)?;
    ask_map(lua, args, |world| {
        let from = alive(&world.characters, id).map_err(op(function))?.body.position;
        let by = options.traversal(world, function, Standpoint::Character(id))?;
        let layer = options.goal_layer(world, function, by.layer)?;
        let to = goal.goal_from(world, function, LayerPoint { layer, point: from })?;
        Ok(reach(world, from, to, &by))
    })
}

/// Whether there is a way, the reason if not, and the fuel that it took to find out.
pub(crate) fn reach(
    world: &mut World,
    from: glam::Vec3,
    to: LayerPoint,
    by: &Traversal,
) -> ((bool, Option<&'static str>), u64) {
    let units = prepare_reach(world, by);
    let (reach, looked) = world.map.nav.reach_on_counted(from, to, by);
    let reached = match reach {
        Reach::Yes => (true, None),
        Reach::No(trouble) => (false, Some(world.reason_of(trouble).0.name())),
    };
    (reached, units + UNITS_PER_EXPANSION * looked)
}

fn has_tag(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<CharacterId>(args)?, args.function());
    let tag = args.take("tag").text("a tag")?;
    ask(lua, args, |world| alive(&world.characters, id).map(|own| own.has_tag(&tag)).map_err(op(function)))
}

fn despawn(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (myself::<CharacterId>(args)?, args.function());
    let by = place_of_caller(lua);
    with(lua, args, |world| characters::despawn(world, id, &by).map_err(op(function)))?;
    note_removal(lua, id);
    nothing()
}

/// The character that a function of a library was given.
pub(crate) fn expected(given: &crate::script::vm::convert::Argument) -> Result<CharacterId, UsageError> {
    crate::script::bind::call::handle(given, "a character")
}

/// What stands at a place, for functions that take the place as `from`.
pub(crate) fn standpoint(place: &PlaceValue) -> Standpoint {
    match place {
        PlaceValue::Character(id) => Standpoint::Character(*id),
        _ => Standpoint::Nobody,
    }
}
