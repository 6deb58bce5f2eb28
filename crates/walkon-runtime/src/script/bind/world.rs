//! `world`: characters and things of the level, by name and by query.
//!
//! In: names and queries of scripts. Out: handles; characters that appear or go. Not here: the methods of
//! what is found (`character`, `door`, `region`).

use mlua::Lua;

use crate::base::geom::flat_distance;
use crate::base::ids::{CharacterId, DoorId};
use crate::nav::Traversal;
use crate::script::bind::call::{answer, ask, list, op, preparing, refuse_when_full, with, word};
use crate::script::bind::place::{self, PlaceValue};
use crate::script::bind::table::{ApiParam, Binding, HostResult, Library, TableType, field, param};
use crate::script::bind::walk_options::{metres, radians, speed_mps};
use crate::script::bind::{door, names, registration};
use crate::script::step::cinematic;
use crate::script::vm::convert::{Args, Argument, Options, UsageError};
use crate::script::vm::{charge, handles};
use crate::world::World;
use crate::world::character::Character;
use crate::world::door::DoorPolicy;
use crate::world::ops::characters::{self, Spawn};
use crate::world::ops::doors::{self, DoorOrder};
use crate::world::region::Edge;
use crate::world::settings::Settings;

const WORLD: &str = "world";

/// What stands above the entries.
pub const GROUP: Library =
    Library { name: WORLD, is_type: false, doc: "What is in the level: characters and things." };

const CHARACTER_QUERY: &[&str] = &["tag", "near", "radius", "region"];
const DOOR_QUERY: &[&str] = &["prefix", "open"];
const SPAWN_OPTIONS: &[&str] = &[
    "name",
    "at",
    "facing",
    "tags",
    "like",
    "radius",
    "walkSpeed",
    "runSpeed",
    "rotationSpeed",
    "doors",
    "layer",
    "behaviour",
    "params",
];

/// Characters looked at, or handed out, for a unit of fuel.
const CHARACTERS_PER_UNIT: u64 = 16;
/// Tags of characters and corners of a region that are compared for a unit of fuel.
const COMPARED_PER_UNIT: u64 = 128;
/// Tables that these functions take.
pub const SHAPES: &[TableType] = &[
    TableType {
        name: "CharacterQuery",
        doc: "Which characters are meant: all of what is given must hold.",
        fields: &[
            field("tag", "string?", "\"watch\"", "has this tag"),
            field("near", "Place?", "guard", "stands near this place; needs radius"),
            field("radius", "number?", "10", "metres around `near`, 0 to 1000000"),
            field("region", "RegionName?", "\"hall\"", "stands in this region"),
        ],
    },
    TableType {
        name: "DoorQuery",
        doc: "Which doors are meant: all of what is given must hold.",
        fields: &[
            field("prefix", "string?", "\"ga\"", "the name begins with this"),
            field("open", "boolean?", "false", "open (or not), wholly"),
        ],
    },
    TableType {
        name: "SpawnOptions",
        doc: "A character to be.",
        fields: &[
            field("name", "string", "\"scout\"", "unique among the living"),
            field("at", "Place", "\"post\"", "the nearest walkable point within 8 m is taken"),
            field("facing", "number?", "0", "radians about +y"),
            field("tags", "{string}?", "{ \"watch\" }", "its own name is added"),
            field("like", "CharacterName?", "\"guard\"", "copies the settings of that character"),
            field("radius", "number?", "0.4", "metres, 0.05 to 10"),
            field("walkSpeed", "number?", "1.2", "metres a second, 0.01 to 50"),
            field("runSpeed", "number?", "3", "metres a second; default twice the walking speed"),
            field("rotationSpeed", "number?", "8", "radians a second, 0.1 to 100"),
            field("doors", "(\"avoid\" | \"open\" | \"wait\")?", "\"open\"", "what its walks do about doors"),
            field(
                "layer",
                "string?",
                "\"ground\"",
                "the layer of the map; default: that of a character that is named as the place, else the first",
            ),
            field("behaviour", "BehaviourName?", "\"idle\"", "started at the next dispatch"),
            field("params", "{[string]: any}?", "{}", "parameters of the behaviour"),
        ],
    },
];

const CHARACTER_NAME: ApiParam = param("name", "CharacterName", "\"guard\"");
const DOOR_NAME: ApiParam = param("name", "DoorName", "\"gate\"");

/// Everything `world` has.
pub const ENTRIES: &[Binding] = &[
    Binding {
        params: &[CHARACTER_NAME],
        returns: "Character",
        raises: "name",
        doc: "The character of that name; raises when there is none.",
        example: "assert(world.character(\"guard\") == guard)",
        ..Binding::function(WORLD, "world.character", character)
    },
    Binding {
        params: &[param("name", "string", "\"guard\"")],
        returns: "Character?",
        doc: "The character of that name, or nil.",
        example: "assert(world.findCharacter(\"nobody\") == nil)",
        ..Binding::function(WORLD, "world.findCharacter", find_character)
    },
    Binding {
        params: &[param("query", "CharacterQuery?", "{ tag = \"watch\" }")],
        returns: "{Character}",
        raises: "name range",
        doc: "All characters that match, in id order.",
        example: "assert(#world.characters() == 2)\nassert(world.characters({ near = guard, radius = 0.5 })[1] == guard)",
        ..Binding::function(WORLD, "world.characters", characters)
    },
    Binding {
        params: &[
            param("into", "buffer", "buffer.create(24)"),
            param("query", "CharacterQuery?", "{ tag = \"watch\" }"),
        ],
        returns: "number",
        raises: "name range",
        doc: "Writes where all characters are that match, in id order: `x`, `y` and `z` of each as 32-bit floats, twelve bytes. Returns how \
              many match; those for whom there is no room are left out. For thousands at once: no handle or vector is made.",
        example: "local places = buffer.create(12 * 2)\nassert(world.positions(places) == 2)\nassert(buffer.readf32(places, 0) == \
                  world.characters()[1].position.x)",
        ..Binding::function(WORLD, "world.positions", positions)
    },
    Binding {
        returns: "Character?",
        doc: "The character with `\"player\": true`.",
        example: "assert(world.player() == player)",
        ..Binding::function(WORLD, "world.player", player)
    },
    Binding {
        params: &[param("options", "SpawnOptions", "{ name = \"scout\", at = \"post\" }")],
        returns: "Character?, string?",
        raises: "name range state limit data",
        doc: "A new character; nil and a sentence when no walkable point lies within 8 m of `at`.",
        example: "local scout = world.spawn({ name = \"scout\", at = \"post\", like = \"guard\" })\nassert(scout and scout.walkSpeed == guard.walkSpeed)",
        price: 96,
        ..Binding::function(WORLD, "world.spawn", spawn)
    },
    Binding {
        params: &[DOOR_NAME],
        returns: "Door",
        raises: "name",
        doc: "The door of that name; raises when there is none.",
        example: "assert(world.door(\"gate\") == door)",
        ..Binding::function(WORLD, "world.door", find)
    },
    Binding {
        params: &[param("name", "string", "\"gate\"")],
        returns: "Door?",
        doc: "The door of that name, or nil.",
        example: "assert(world.findDoor(\"nowhere\") == nil)",
        ..Binding::function(WORLD, "world.findDoor", find_door)
    },
    Binding {
        params: &[param("query", "DoorQuery?", "{ open = false }")],
        returns: "{Door}",
        doc: "Doors in level order.",
        example: "assert(world.doors({ prefix = \"ga\" })[1] == door)",
        price: 16,
        ..Binding::function(WORLD, "world.doors", doors)
    },
    Binding {
        params: &[DOOR_NAME],
        returns: "DoorMove",
        raises: "name",
        doc: "Short for `toggle()` of that door.",
        example: "world.toggleDoor(\"gate\")\nassert(door.state == \"opening\")",
        price: 24,
        ..Binding::function(WORLD, "world.toggleDoor", toggle_door)
    },
    Binding {
        params: &[DOOR_NAME, param("open", "boolean", "true")],
        returns: "DoorMove",
        raises: "name",
        doc: "Short for `open()` or `close()` of that door.",
        example: "world.setDoor(\"gate\", true)\nassert(door.state == \"opening\")",
        price: 24,
        ..Binding::function(WORLD, "world.setDoor", set_door)
    },
    Binding {
        params: &[param("what", "string", "\"input\"")],
        returns: "boolean",
        doc: "Whether a running cinematic locks `what`, such as `\"input\"`.",
        example: "assert(not world.isLocked(\"input\"))",
        ..Binding::function(WORLD, "world.isLocked", is_locked)
    },
];

fn character(lua: &Lua, args: &mut Args) -> HostResult {
    let (function, name) = (args.function(), args.take("name").text("a character's name")?);
    let id = with(lua, args, |world| names::character(world, function, &name))?;
    answer(lua, handles::character(lua, id)?)
}

fn find_character(lua: &Lua, args: &mut Args) -> HostResult {
    let name = args.take("name").text("a character's name")?;
    let id = with(lua, args, |world| Ok(world.find_character(&name)))?;
    answer(lua, id.map(|id| handles::character(lua, id)).transpose()?)
}

fn characters(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.function();
    let options = args.take("query").options(CHARACTER_QUERY)?;
    let query = CharacterQuery::read(args, &options)?;
    let (ids, units) = with(lua, args, |world| query.find(world, function))?;
    charge(lua, units)?;
    answer(lua, handles::characters(lua, &ids)?)
}

/// Bytes of a place: three floats.
const PLACE_BYTES: usize = 12;

fn positions(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.function();
    let into = args.take("into").buffer()?;
    let options = args.take("query").options(CHARACTER_QUERY)?;
    let query = CharacterQuery::read(args, &options)?;
    let room = into.len() / PLACE_BYTES;
    let (count, units) = with(lua, args, |world| {
        let (ids, units) = query.find(world, function)?;
        let places = ids.iter().take(room).filter_map(|&id| Some(world.character(id)?.body.position));
        for (index, place) in places.enumerate() {
            let mut bytes = [0; PLACE_BYTES];
            for (float, part) in place.to_array().iter().zip(bytes.chunks_exact_mut(4)) {
                part.copy_from_slice(&float.to_le_bytes());
            }
            into.write_bytes(index * PLACE_BYTES, &bytes);
        }
        Ok((ids.len(), units))
    })?;
    charge(lua, units)?;
    answer(lua, count)
}

/// The characters that a question means.
struct CharacterQuery {
    tag: Option<String>,
    near: Option<(PlaceValue, f32)>,
    region: Option<String>,
}

impl CharacterQuery {
    fn read(args: &Args, options: &Options) -> Result<Self, UsageError> {
        let radius_m = options.find("radius").map(|radius| metres(&radius, 0.0, 1e6)).transpose()?;
        let near = match (options.find("near"), radius_m) {
            (Some(near), Some(radius_m)) => Some((place::single(&near)?, radius_m)),
            (Some(near), None) => {
                place::single(&near)?;
                return Err(options.get("radius").not("a finite number of metres, because near is given"));
            }
            (None, Some(_)) => {
                return Err(args.mistake("radius is given without near, expected both or none"));
            }
            (None, None) => None,
        };
        Ok(Self {
            tag: options.find("tag").map(|tag| tag.text("a tag")).transpose()?,
            near,
            region: options.find("region").map(|region| region.text("a region's name")).transpose()?,
        })
    }

    /// The characters that are meant, and the fuel of finding them.
    fn find(&self, world: &World, function: &'static str) -> Result<(Vec<CharacterId>, u64), UsageError> {
        let circle = match &self.near {
            Some((place, radius_m)) => Some((place.point(world, function, None)?, *radius_m)),
            None => None,
        };
        let region = match &self.region {
            Some(name) => world.regions().get(names::region(world, function, name)?.index()),
            None => None,
        };
        let corners = region.map_or(0, |region| region.shape.corner_count() as u64);
        let mut compared = 0;
        let matching = world.characters().filter(|(_, own)| {
            let body = &own.body;
            self.tag.as_ref().is_none_or(|tag| {
                compared += own.tags.len() as u64;
                own.has_tag(tag)
            }) && circle.is_none_or(|(centre, radius_m)| flat_distance(centre, body.position) <= radius_m)
                && region.is_none_or(|region| {
                    compared += corners;
                    region.holds(own, Edge::Centre)
                })
        });
        let found = matching.map(|(id, _)| id).collect();
        let looked_at = world.character_count() as u64 / CHARACTERS_PER_UNIT;
        Ok((found, looked_at + compared / COMPARED_PER_UNIT))
    }
}

fn player(lua: &Lua, args: &mut Args) -> HostResult {
    let id = with(lua, args, |world| Ok(world.player()))?;
    answer(lua, id.map(|id| handles::character(lua, id)).transpose()?)
}

fn spawn(lua: &Lua, args: &mut Args) -> HostResult {
    let function = args.function();
    let given = args.take("options");
    given.table("a table with name and at")?;
    let options = given.options(SPAWN_OPTIONS)?;
    let order = SpawnAsk::read(&options)?;
    let behaviour = options
        .find("behaviour")
        .map(|name| registration::check_behaviour(lua, &name, &options.get("params")))
        .transpose()?;
    if behaviour.is_none()
        && let Some(params) = options.find("params")
    {
        params.table("a table of parameters")?;
        return Err(args.mistake("params is given without behaviour, expected both or none").into());
    }
    let name = order.name.clone();
    let (id, units) = with(lua, args, |world| {
        refuse_when_full(world, function)?;
        let spawn = order.resolve(world, function)?;
        let (radius_m, layer) = (spawn.radius_m, spawn.layer);
        let units = preparing(world, &Traversal { radius_m, layer, ..Traversal::default() });
        Ok((characters::spawn(world, spawn).map_err(op(function))?, units))
    })?;
    charge(lua, units)?;
    let Some(id) = id else {
        let why = format!("no walkable point lies within {} m of the place for \"{name}\"", Settings::SNAP_M);
        return answer(lua, (mlua::Nil, why));
    };
    if let Some(behaviour) = behaviour {
        registration::attach(lua, id, behaviour);
    }
    answer(lua, handles::character(lua, id)?)
}

/// A character to be, as a script said it.
struct SpawnAsk {
    name: String,
    at: PlaceValue,
    facing_rad: Option<f32>,
    tags: Option<Vec<String>>,
    like: Option<String>,
    radius_m: Option<f32>,
    walk_mps: Option<f32>,
    run_mps: Option<f32>,
    turn_radps: Option<f32>,
    doors: Option<DoorPolicy>,
    layer: Option<String>,
}

impl SpawnAsk {
    fn read(options: &Options) -> Result<Self, UsageError> {
        let number = |name, low: f64, high: f64, of: &str| {
            let given: Option<Argument> = options.find(name);
            given.map(|given| given.number_in(low..=high, of).map(|number| number as f32)).transpose()
        };
        let speed = |name| options.find(name).map(|given: Argument| speed_mps(&given)).transpose();
        Ok(Self {
            name: options.get("name").new_name()?,
            at: place::single(&options.get("at"))?,
            facing_rad: options.find("facing").map(|facing| radians(&facing)).transpose()?,
            tags: options.find("tags").map(|tags| new_tags(&tags)).transpose()?,
            like: options.find("like").map(|like| like.text("a character's name")).transpose()?,
            radius_m: number("radius", 0.05, 10.0, "metres")?,
            walk_mps: speed("walkSpeed")?,
            run_mps: speed("runSpeed")?,
            turn_radps: number("rotationSpeed", 0.1, 100.0, "radians a second")?,
            layer: options.find("layer").map(|layer| layer.text("a layer's name")).transpose()?,
            doors: options.find("doors").map(|doors| word(&doors, &DoorPolicy::NAMES)).transpose()?,
        })
    }

    fn resolve(self, world: &World, function: &'static str) -> Result<Spawn, UsageError> {
        let position = self.at.point(world, function, None)?;
        let mut spawn = Spawn::new(self.name, position);
        if let Some(like) = self.like {
            let id = names::character(world, function, &like)?;
            if let Some(model) = world.character(id) {
                spawn.radius_m = model.body.radius_m;
                spawn.height_m = model.body.height_m;
                spawn.gait = model.gait;
                spawn.doors = model.doors;
                spawn.layer = model.layer;
                spawn.facing_rad = model.facing_rad;
                let own = |tag: &&String| **tag != model.name && *tag != "player";
                spawn.tags = model.tags.iter().filter(own).cloned().collect();
            }
        }
        if let PlaceValue::Character(id) = self.at
            && let Some(beside) = world.character(id)
        {
            spawn.layer = beside.layer;
        }
        spawn.facing_rad = self.facing_rad.unwrap_or(spawn.facing_rad);
        spawn.tags = self.tags.unwrap_or(spawn.tags);
        spawn.radius_m = self.radius_m.unwrap_or(spawn.radius_m);
        if let Some(walk_mps) = self.walk_mps {
            spawn.gait.walk_mps = walk_mps;
            spawn.gait.run_mps = 2.0 * walk_mps;
        }
        spawn.gait.run_mps = self.run_mps.unwrap_or(spawn.gait.run_mps.min(50.0));
        spawn.gait.turn_radps = self.turn_radps.unwrap_or(spawn.gait.turn_radps);
        spawn.doors = self.doors.unwrap_or(spawn.doors);
        if let Some(layer) = self.layer {
            spawn.layer = names::layer(world, function, &layer)?;
        }
        Ok(spawn)
    }
}

fn door_named(lua: &Lua, args: &mut Args) -> Result<DoorId, super::call::BindingError> {
    let (function, name) = (args.function(), args.take("name").text("a door's name")?);
    with(lua, args, |world| names::door(world, function, &name))
}

fn find(lua: &Lua, args: &mut Args) -> HostResult {
    let id = door_named(lua, args)?;
    answer(lua, handles::door(lua, id)?)
}

fn find_door(lua: &Lua, args: &mut Args) -> HostResult {
    let name = args.take("name").text("a door's name")?;
    let id = with(lua, args, |world| Ok(world.find_door(&name)))?;
    answer(lua, id.map(|id| handles::door(lua, id)).transpose()?)
}

fn doors(lua: &Lua, args: &mut Args) -> HostResult {
    let options = args.take("query").options(DOOR_QUERY)?;
    let prefix = options.find("prefix").map(|prefix| prefix.text("the beginning of a name")).transpose()?;
    let open = options.find("open").map(|open| open.boolean()).transpose()?;
    let ids: Vec<DoorId> = with(lua, args, |world| {
        let matching = world.standing_doors().filter(|(_, door)| {
            prefix.as_ref().is_none_or(|prefix| door.name.starts_with(prefix.as_str()))
                && open.is_none_or(|open| door.is_passable() == open)
        });
        Ok(matching.map(|(id, _)| id).collect())
    })?;
    door::list_of(lua, &ids)
}

fn toggle_door(lua: &Lua, args: &mut Args) -> HostResult {
    let (id, function) = (door_named(lua, args)?, args.function());
    let serial = with(lua, args, |world| {
        refuse_when_full(world, function)?;
        Ok(doors::toggle(world, id, &DoorOrder::default()))
    })?;
    door::moves(lua, id, serial)
}

fn set_door(lua: &Lua, args: &mut Args) -> HostResult {
    let (function, name) = (args.function(), args.take("name").text("a door's name")?);
    let open = args.take("open").boolean()?;
    let (id, serial) = with(lua, args, |world| {
        refuse_when_full(world, function)?;
        let id = names::door(world, function, &name)?;
        let order = DoorOrder::default();
        Ok((id, if open { doors::open(world, id, &order) } else { doors::close(world, id, &order) }))
    })?;
    door::moves(lua, id, serial)
}

fn is_locked(lua: &Lua, args: &mut Args) -> HostResult {
    let what = args.take("what").text("what is locked")?;
    ask(lua, args, |_| Ok(()))?;
    answer(lua, cinematic::is_locked(lua, &what))
}

/// Tags to give to somebody, as names are: what a level refuses as a tag is none here either.
fn new_tags(given: &Argument) -> Result<Vec<String>, UsageError> {
    list(given, "a list of names", Character::TAGS_MAX, |tag| {
        tag.name_to_keep("a tag").and_then(|_| tag.new_name())
    })
}
