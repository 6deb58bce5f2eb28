//! Describes one thing of a running level in full, as JSON for viewers.
//!
//! In: what to look at, a level that stands still. Out: the fields of docs/protocol.md, "Inspection", except
//! those that need a memory of events. Holds: looking changes nothing, so a run that is looked at is the same
//! run; the output is bounded. Not here: the activity of scripts (`script::inspect`), finding things by name
//! (`find`).

mod code;
mod values;
mod walks;

use serde_json::{Value, json};

use crate::base::ids::{CharacterId, DoorId};
use crate::game::Game;
use crate::game::inspect::values::{place, plain};
use crate::game::look::GameLook;
use crate::script::vm::convert::setting;
use crate::world::World;
use crate::world::area::{Area, AreaKind};
use crate::world::character::Character;
use crate::world::door::Door;
use crate::world::place::Mark;
use crate::world::walk::Walk;

/// What to look at, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inspected {
    /// A living character.
    Character(String),
    /// A door.
    Door(String),
    /// A region.
    Region(String),
    /// A mark.
    Mark(String),
    /// A route.
    Route(String),
    /// An area or an obstacle.
    Area(String),
    /// The oldest scene of that name that has not ended.
    Scene(String),
    /// The level.
    Level,
}

impl Inspected {
    /// The thing of a kind (`character`, `door`, `region`, `mark`, `route`, `area`, `scene`, `level`) and a
    /// name; none for other kinds.
    #[must_use]
    pub fn of(kind: &str, name: &str) -> Option<Self> {
        let name = name.to_owned();
        Some(match kind {
            "character" => Self::Character(name),
            "door" => Self::Door(name),
            "region" => Self::Region(name),
            "mark" => Self::Mark(name),
            "route" => Self::Route(name),
            "area" => Self::Area(name),
            "scene" => Self::Scene(name),
            "level" => Self::Level,
            _ => return None,
        })
    }
}

impl Game {
    /// Everything about a thing of the level, an object; none when there is no such thing. Between ticks.
    #[must_use]
    pub fn inspect(&self, what: &Inspected) -> Option<Value> {
        self.look().inspect(what)
    }
}

impl GameLook<'_> {
    /// Everything about a thing of the level, an object; none when there is no such thing, and of the level
    /// itself in the middle of a tick.
    #[must_use]
    pub fn inspect(&self, what: &Inspected) -> Option<Value> {
        let world = self.world;
        match what {
            Inspected::Character(name) => Some(self.inspect_character(world.find_character(name)?)),
            Inspected::Door(name) => inspect_door(world, world.find_door(name)?),
            Inspected::Region(name) => {
                let region = world.regions().get(world.find_region(name)?.index())?;
                Some(json!({ "inside": names(world, region.inside.values().copied()) }))
            }
            Inspected::Mark(name) => Some(json!({ "position": place(world.mark(name)?.position) })),
            Inspected::Route(name) => world.route(name).map(inspect_route),
            Inspected::Area(name) => {
                let found = if name.is_empty() { None } else { world.find_area(name) };
                world.areas().get(found?.index()).map(inspect_area)
            }
            Inspected::Scene(name) => {
                let scene = self.scripts?.inspect_scene(name)?;
                Some(json!({
                    "cast": names(world, scene.cast.iter().copied()),
                    "since": scene.since,
                    "mark": scene.mark,
                    "line": code::place(scene.place.as_ref()),
                }))
            }
            Inspected::Level => self.game.map(Game::inspect_level),
        }
    }

    fn inspect_character(&self, id: CharacterId) -> Value {
        let world = self.world;
        let mut fields = world.character(id).map_or_else(|| json!({}), |who| body(world, who));
        let code = self.scripts.map(|scripts| scripts.inspect_character(world, id));
        let code = code::fields(world, code.as_ref());
        if let (Value::Object(fields), Value::Object(code)) = (&mut fields, code) {
            fields.extend(code);
        }
        fields
    }
}

impl Game {
    fn inspect_level(&self) -> Value {
        let world = self.world();
        let code = self.look().scripts.map(|scripts| scripts.inspect_level());
        let shared = code.as_ref().map(|code| plain(world, &code.state));
        let off = self.switched_off().into_iter().map(|off| {
            let character = off.character.map(|id| world.name_of(id).to_owned());
            json!({ "owner": off.owner, "character": character, "again": off.again })
        });
        json!({
            "state": shared.unwrap_or_else(|| json!({})),
            "measures": self.measures(),
            "boards": code::boards(world, code.as_ref()),
            "faults": self.fault_list.iter().map(code::fault).collect::<Vec<_>>(),
            "switchedOff": off.collect::<Vec<_>>(),
            "counts": counts(world, code.as_ref().map_or(&[][..], |code| &code.counts)),
        })
    }
}

/// What the world knows of a character.
fn body(world: &World, who: &Character) -> Value {
    json!({
        "name": who.name,
        "key": who.serial,
        "position": place(who.body.position),
        "facing": setting(who.facing_rad),
        "velocity": place(who.body.velocity),
        "desired": place(who.desired),
        "radius": setting(who.body.radius_m),
        "speed": setting(who.gait.walk_mps),
        "tags": who.tags,
        "animation": who.animation(),
        "heldBy": who.held.as_ref().map(|hold| hold.scene.as_str()),
        "walk": who.walk.and_then(|walk| world.walk(walk)).map(|walk| walks::fields(world, who, walk)),
    })
}

fn inspect_door(world: &World, id: DoorId) -> Option<Value> {
    let door = world.doors().get(id.index())?;
    let by = door.request.as_ref().and_then(|request| request.by).map(|by| world.name_of(by).to_owned());
    Some(json!({
        "state": door.shown_state().name(),
        "isLocked": door.is_locked,
        "area": world.areas().get(door.area.index()).map(|area| area.name.as_str()),
        "users": users(world, id, door),
        "by": by,
    }))
}

/// The characters that stand in a doorway, wait before it, or are on their way through it while it is closed;
/// in order of creation.
fn users(world: &World, id: DoorId, door: &Door) -> Vec<String> {
    let inside = world.occupants(id);
    let passes = |walk: &Walk| {
        let waits = walk.phase == crate::world::walk::Phase::AtDoor(id);
        let way = walk.following.as_ref();
        waits
            || way.is_some_and(|way| {
                let mut ahead =
                    way.path.crossings.iter().filter(|crossing| crossing.leave_m > way.cursor.along_m);
                ahead.any(|crossing| crossing.area == door.area)
            })
    };
    let walks = |who: &Character| who.walk.and_then(|walk| world.walk(walk)).is_some_and(passes);
    let users = world.characters().filter(|(id, who)| inside.contains(id) || walks(who));
    users.map(|(_, who)| who.name.clone()).collect()
}

/// The stops of a route in their order, with the names of those that are marks, and how long it is from the
/// first to the last.
fn inspect_route(stops: &[Mark]) -> Value {
    let stop = |stop: &Mark| {
        let name = (!stop.name.is_empty()).then_some(stop.name.as_str());
        json!({ "mark": name, "position": place(stop.position) })
    };
    let legs = stops.windows(2).map(|pair| pair[0].position.distance(pair[1].position));
    json!({ "stops": stops.iter().map(stop).collect::<Vec<_>>(), "length": setting(legs.sum()) })
}

fn inspect_area(area: &Area) -> Value {
    let class = match (area.door, area.kind) {
        (Some(_), _) => "door",
        (None, AreaKind::Ground) => "ground",
        (None, AreaKind::Obstacle) => "obstacle",
    };
    json!({ "isAvailable": area.available, "factor": setting(area.factor), "class": class })
}

fn counts(world: &World, of_scripts: &[(&'static str, u64)]) -> Value {
    let walks = world.characters().filter(|(_, who)| who.walk.is_some()).count();
    let of_world = [
        ("characters", world.character_count()),
        ("walks", walks),
        ("doors", world.standing_doors().count()),
        ("regions", world.regions().len()),
        ("marks", world.marks().count()),
        ("areas", world.areas().len()),
    ];
    let of_world = of_world.into_iter().map(|(name, count)| (name, count as u64));
    let all = of_world.chain(of_scripts.iter().copied());
    let mut counts = serde_json::Map::new();
    counts.extend(all.map(|(name, count)| (name.to_owned(), Value::from(count))));
    Value::Object(counts)
}

fn names(world: &World, ids: impl Iterator<Item = CharacterId>) -> Vec<String> {
    ids.map(|id| world.name_of(id).to_owned()).collect()
}
