//! The options of path queries, and the body that they are for.
//!
//! In: an options table, and the character that stands at the start, if one does. Out: a `Traversal`. Holds:
//! the character gives what the options leave open: its radius, its setting about doors.

use crate::base::ids::CharacterId;
use crate::nav::Traversal;
use crate::script::bind::call::{handle, list};
use crate::script::bind::names;
use crate::script::bind::table::{self, ApiParam, TableType, field, joined};
use crate::script::bind::walk_options::{chosen, keys, metres};
use crate::script::vm::convert::{Args, Argument, Options, UsageError};
use crate::world::World;
use crate::world::asker::{Asker, traversal};
use crate::world::character::Gait;
use crate::world::door::DoorPolicy;

/// What a `PathOptions` table may hold.
pub const SHAPE: TableType = TableType {
    name: "PathOptions",
    doc: "For which body a way is asked for. Everything may be left out.",
    fields: &FIELDS,
};

/// What `nav.requestPath` takes.
pub const REQUEST_SHAPE: TableType = TableType {
    name: "PathRequestOptions",
    doc: "`PathOptions`, and what to do with the answer.",
    fields: &joined::<7, 1, 8>(FIELDS, [ON_PATH]),
};

const FIELDS: [ApiParam; 7] = [
    field(
        "radius",
        "number?",
        "0.5",
        "half the width of the body, metres, 0 to 10; default: that of the character at the start, else 0",
    ),
    field(
        "doors",
        "(\"avoid\" | \"open\" | \"wait\")?",
        "\"open\"",
        "what to do about doors that are not open; default: as the character at the start, else \"avoid\"",
    ),
    field("keys", "{string}?", "{ \"bronze\" }", "keys carried, for doors = \"open\""),
    field(
        "tags",
        "{string}?",
        "{ \"watch\" }",
        "tags of the character that is to go there, for doors of teams and links with an action; default: those of the character at the start, else these are for all",
    ),
    field(
        "layer",
        "string?",
        "\"ground\"",
        "the layer of the goal; default: that of the start; a map without layers has one, \"ground\"",
    ),
    field(
        "fromLayer",
        "string?",
        "\"ground\"",
        "the layer of the start, where no character stands there; default: `layer`, else the first",
    ),
    field(
        "ignore",
        "{Character}?",
        "{ player }",
        "characters that do not count as obstacles; those at either end of the way never do, nor does one that moves",
    ),
];

const ON_PATH: ApiParam = field("onPath", "PathHandler?", "function(result) end", "runs when it is found");

const NAMES: [&str; FIELDS.len()] = table::names(&FIELDS);

/// What `nav.requestPath` takes.
pub const REQUEST_NAMES: [&str; FIELDS.len() + 1] = table::names(&joined::<7, 1, 8>(FIELDS, [ON_PATH]));

/// Most characters of one list.
const IGNORED_MAX: usize = 4096;

/// Most tags of one list.
const TAGS_MAX: usize = 64;

/// Widest body that is asked about, metres.
const RADIUS_MAX_M: f64 = 10.0;

/// The options of a path question.
#[derive(Clone, Debug, Default)]
pub struct PathAsk {
    radius_m: Option<f32>,
    doors: Option<DoorPolicy>,
    keys: Vec<String>,
    tags: Option<Vec<String>>,
    layer: Option<String>,
    from_layer: Option<String>,
    /// The characters that are not in the way.
    ignored: Vec<CharacterId>,
}

/// What stands at the start.
#[derive(Clone, Copy, Debug)]
pub enum Standpoint {
    /// A character.
    Character(CharacterId),
    /// Nobody: a point, a mark, a door.
    Nobody,
}

/// The options of a path question, from the last argument.
///
/// # Errors
/// Names the option, and what was expected.
pub fn read(args: &mut Args) -> Result<PathAsk, UsageError> {
    from(&args.options(&NAMES)?)
}

/// The options of a path question, out of a table that may hold more.
///
/// # Errors
/// As [`read`].
pub fn from(options: &Options) -> Result<PathAsk, UsageError> {
    let ignored = options.find("ignore").map_or(Ok(Vec::new()), |given| {
        list(&given, "a list of characters", IGNORED_MAX, |one| handle::<CharacterId>(&one, "a character"))
    })?;
    Ok(PathAsk {
        layer: options.find("layer").map(|layer| layer.text("a layer's name")).transpose()?,
        from_layer: options.find("fromLayer").map(|layer| layer.text("a layer's name")).transpose()?,
        radius_m: options.find("radius").map(|radius| metres(&radius, 0.0, RADIUS_MAX_M)).transpose()?,
        doors: chosen(options, "doors", &DoorPolicy::NAMES)?,
        keys: keys(options)?,
        tags: options.find("tags").map(|given| tags(&given)).transpose()?,
        ignored,
    })
}

fn tags(given: &Argument) -> Result<Vec<String>, UsageError> {
    list(given, "a list of tags", TAGS_MAX, |tag| tag.name_to_keep("a tag"))
}

impl PathAsk {
    /// The characters that are not to count as obstacles.
    #[must_use]
    pub fn ignored(&self) -> &[CharacterId] {
        &self.ignored
    }

    /// The layer on which a place lies that is the goal of a way from that layer.
    ///
    /// # Errors
    /// When there is no such layer.
    pub fn goal_layer(&self, world: &World, function: &'static str, start: u8) -> Result<u8, UsageError> {
        self.layer.as_ref().map_or(Ok(start), |name| names::layer(world, function, name))
    }

    /// The asker, as the map knows it, on the layer of the start.
    ///
    /// # Errors
    /// When there is no such layer.
    pub fn traversal(
        &self,
        world: &World,
        function: &'static str,
        at: Standpoint,
    ) -> Result<Traversal, UsageError> {
        let named = self.from_layer.as_ref().or(self.layer.as_ref());
        let named = named.map(|name| names::layer(world, function, name)).transpose()?;
        let character = match at {
            Standpoint::Character(id) => world.characters.get(id),
            Standpoint::Nobody => None,
        };
        let own = character.map_or((0.0, DoorPolicy::Avoid, Gait::WALK_MPS), |own| {
            (own.body.radius_m, own.doors, own.gait.walk_mps)
        });
        let asker = Asker {
            tags: self.tags.as_deref().or(character.map(|own| &*own.tags)),
            layer: character.map(|own| own.layer).or(named).unwrap_or(0),
            radius_m: self.radius_m.unwrap_or(own.0),
            doors: self.doors.unwrap_or(own.1),
            keys: &self.keys,
            speed_mps: own.2,
        };
        Ok(traversal(&world.map, world.clock.rate, asker))
    }
}
