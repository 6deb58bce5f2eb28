//! Verbs of a `Character` that go on by themselves: `follow`.
//!
//! In: a target, options. Out: a walk with a course. Holds: every option of a walk is an option of these too. Not here:
//! walks to one goal (`character`), how a course is carried on (`sim::courses`).

use mlua::Lua;

use crate::base::ids::CharacterId;
use crate::script::bind::call::{answer, myself, op, with};
use crate::script::bind::character;
use crate::script::bind::handles;
use crate::script::bind::keep::{WalkHandlers, keeper};
use crate::script::bind::table::{Answer, Entry, Param, Shape, field, joined, names, param};
use crate::script::bind::walk_options::{self, WalkAsk, metres, seconds};
use crate::script::convert::{Args, Mistake};
use crate::world::World;
use crate::world::course::{Course, Follow};
use crate::world::ops::{alive, walks};
use crate::world::walk::Goal;

const TYPE: &str = "Character";

/// Farthest that a course keeps from or to anything, metres.
const DISTANCE_MAX_M: f64 = 1000.0;

const FOLLOW_FIELDS: [Param; walk_options::FIELDS.len() + 4] = joined(
    walk_options::FIELDS,
    [
        field("distance", "number?", "2", "metres from centre to centre that are near enough, default 1.35"),
        field("keep", "boolean?", "true", "never settle on reaching: stay close until stopped"),
        field("loseBeyond", "number?", "14", "farther than these metres the target is lost; default never"),
        field("loseAfter", "number?", "4", "seconds that it must be so far away, default 0"),
    ],
);
const FOLLOW_NAMES: [&str; FOLLOW_FIELDS.len()] = names(&FOLLOW_FIELDS);

/// Tables that these functions take.
pub const SHAPES: &[Shape] = &[Shape {
    name: "FollowOptions",
    doc: "How a character is to follow: the options of a walk, and when it is near enough or has lost its target.",
    fields: &FOLLOW_FIELDS,
}];

/// The verbs.
pub const ENTRIES: &[Entry] = &[Entry {
    params: &[
        param("target", "Character", "player"),
        param("options", "FollowOptions?", "{ gait = \"run\", loseBeyond = 14, loseAfter = 4 }"),
    ],
    returns: "Walk",
    raises: "gone",
    doc: "Keeps up with a character: `arrived/reached` once within `distance` and the target stands; no way for `patience`: \
          `blocked/noPath` or `blocked/doorClosed`; lost: `cancelled/targetGone` with `goal` where it was last.",
    example: "local walk = guard:follow(player, { distance = 1.2, gait = \"run\" })\nassert(guard.currentWalk == walk)",
    ..Entry::method(TYPE, "follow", follow)
}];

/// A walk to be with a course, as a script asked for it.
struct Asked {
    character: CharacterId,
    walk: WalkAsk,
    handlers: WalkHandlers,
}

/// Starts it; `course` says where it begins and how it goes on.
fn start(
    lua: &Lua,
    args: &Args,
    asked: Asked,
    course: impl FnOnce(&World) -> Result<(Goal, Course), Mistake>,
) -> Answer {
    let function = args.function();
    let keeper = keeper(lua);
    let owner = keeper.owner(lua);
    let walk = with(lua, args, |world| {
        alive(world, asked.character).map_err(op(function))?;
        let (goal, course) = course(world)?;
        let options = asked.walk.options(world, function)?;
        let order = walks::WalkOrder { character: asked.character, goal, options, owner };
        walks::start(world, order, course).map_err(op(function))
    })?;
    keeper.set_walk(lua, walk, asked.handlers);
    answer(lua, handles::walk(lua, walk)?)
}

fn follow(lua: &Lua, args: &mut Args) -> Answer {
    let character = myself::<CharacterId>(args)?;
    let target = character::expected(&args.take("target"))?;
    let options = args.options(&FOLLOW_NAMES)?;
    let (walk, handlers) = walk_options::from(lua, args, &options)?;
    let length =
        |name: &'static str| options.find(name).map(|given| metres(&given, 0.0, DISTANCE_MAX_M)).transpose();
    let (distance_m, lose_beyond_m) = (length("distance")?, length("loseBeyond")?);
    let keep = options.find("keep").map_or(Ok(false), |keep| keep.boolean())?;
    let lose_after_s = seconds(&options, "loseAfter")?.unwrap_or(0.0);
    let asked = Asked { character, walk, handlers };
    start(lua, args, asked, |world| {
        let near_m = distance_m.unwrap_or(world.settings().crowd.npc_talk_distance_m);
        let lose_after_ticks = world.rate().ticks(lose_after_s);
        let follow = Follow { keep, lose_beyond_m, lose_after_ticks, ..Follow::within(near_m) };
        Ok((Goal::Character(target), Course::Follow(follow)))
    })
}
