//! Answers questions about a level in a tick of the present or the past.
//!
//! In: a question, a level that stands still, what happened so far. Out: JSON, as `docs/protocol.md` has it.
//! Holds: asking changes nothing that the hash covers. Not here: which client asks (`commands`), which level
//! is asked (`running`, `replica`, `debugging`).

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use walkon_runtime::game::inspect::Inspected;
use walkon_runtime::game::look::GameLook;
use walkon_runtime::glam::Vec3;
use walkon_runtime::nav::{Disc, PathQuery, PathStatus, Traversal};
use walkon_runtime::view::{Parts, SearchScene};
use walkon_runtime::world::World;
use walkon_runtime::world::asker::Asker;
use walkon_runtime::world::character::Gait;
use walkon_runtime::world::door::DoorPolicy;
use walkon_runtime::world::ops::paths;

use crate::client::Wishes;
use crate::edit::expectations::Doors;
use crate::past::SharedPast;
use crate::picture;

/// Lines of the log, and events, that an inspection holds.
const LINES_MAX: usize = 50;

/// Something to find out.
#[derive(Clone, Debug)]
pub enum Question {
    /// Everything about a thing.
    Inspect {
        /// Its kind: `character`, `door`, and so on.
        kind: String,
        /// Its name.
        name: String,
    },
    /// Things by a part of their name.
    Find {
        /// The part.
        text: String,
    },
    /// What the scripts of every character cost.
    Heat,
    /// A path.
    Path(PathTest),
    /// The way that a character walks, asked for again: what the search looks at.
    Walk {
        /// The character.
        name: String,
        /// What is to be drawn, as the client looks at it.
        wishes: Wishes,
    },
}

/// A path that a client asks for.
#[derive(Clone, Debug)]
pub struct PathTest {
    /// Where it begins, metres.
    pub from: Vec3,
    /// Where it is to end, metres.
    pub to: Vec3,
    /// Half the width of the body, metres.
    pub radius_m: f32,
    /// What doors are to it.
    pub doors: Doors,
    /// Keys that are carried, for doors that want one.
    pub keys: Vec<String>,
    /// Whether standing characters are in the way.
    pub others: OthersAsked,
    /// What of the search is to be drawn, as the client looks at it.
    pub wishes: Wishes,
}

/// What standing characters are to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OthersAsked {
    /// Nobody is in the way.
    Ignored,
    /// It leads around them.
    Avoided,
}

impl Question {
    /// The answer.
    ///
    /// # Errors
    /// A sentence when there is no such thing.
    pub fn answer(&self, level: GameLook<'_>, past: &SharedPast) -> Result<Value, String> {
        match self {
            Self::Inspect { kind, name } => inspect(level, past, kind, name),
            Self::Find { text } => Ok(find(level, text)),
            Self::Heat => {
                let rows = level.fuel_of_people();
                let rows = rows.into_iter().map(|(key, fuel)| json!([key, tenths(fuel)]));
                Ok(json!({ "rows": rows.collect::<Vec<_>>() }))
            }
            Self::Walk { name, wishes } => walk_again(&mut level.world().clone(), name, wishes),
            // On a copy: the map would remember what it was made ready for, and scripts pay for that.
            Self::Path(test) => Ok(test.answer(&mut level.world().clone())),
        }
    }
}

fn inspect(level: GameLook<'_>, past: &SharedPast, kind: &str, name: &str) -> Result<Value, String> {
    let kinds = ["character", "door", "region", "mark", "route", "area", "scene", "level"];
    let what = Inspected::of(kind, name).ok_or_else(|| {
        format!("there is no kind of thing \"{kind}\", expected one of {}", kinds.join(", "))
    })?;
    let mut found = level.inspect(&what).ok_or_else(|| match what {
        Inspected::Level => {
            "the level as a whole can be inspected between two ticks only; continue first".to_owned()
        }
        _ => format!("there is no {kind} \"{name}\" now"),
    })?;
    let tick = level.world().tick().0;
    let past = past.lock();
    // What the script of the level says is about the level.
    let name = if kind == "level" { level.world().level_name() } else { name };
    let about = past.items(0, tick).rev().filter(|item| item.name.as_deref() == Some(name));
    let mut log = Vec::new();
    let mut events = Vec::new();
    for item in about {
        let list = if item.lane == "log" { &mut log } else { &mut events };
        if list.len() < LINES_MAX {
            list.push(item);
        }
    }
    if let Value::Object(object) = &mut found {
        if kind == "character" {
            let fuel = level.find(name).into_iter().find(|one| one.kind == kind && one.name == name);
            object.insert("fuel".to_owned(), json!(fuel.and_then(|one| one.fuel).map(tenths)));
        }
        object.insert("log".to_owned(), json!(log));
        object.insert("events".to_owned(), json!(events));
        object.insert("tick".to_owned(), tick.into());
    }
    Ok(found)
}

/// A number to one digit.
fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// The search for the way of a walk, made again from where its character stands now.
fn walk_again(world: &mut World, name: &str, wishes: &Wishes) -> Result<Value, String> {
    let who = world.find_character(name).and_then(|id| world.character(id));
    let who = who.ok_or_else(|| format!("there is no character \"{name}\" now"))?;
    let (from, layer) = (who.body.position, who.layer);
    let Some(walk) = who.walk.and_then(|walk| world.walk(walk)).filter(|walk| walk.is_open()) else {
        return Ok(json!({ "status": Value::Null, "points": [], "searched": [], "legend": [] }));
    };
    let asked = Asked { from, to: walk.target(), by: world.traversal_of(walk), others: None };
    Ok(asked.answer(world, &Wishes { layer, ..wishes.clone() }))
}

/// A path, and the body that it is for.
struct Asked {
    from: Vec3,
    to: Vec3,
    by: Traversal,
    /// The characters in the way.
    others: Option<Arc<[Disc]>>,
}

impl PathTest {
    fn traversal(&self, world: &World) -> Traversal {
        let asker = Asker {
            tags: None,
            layer: self.wishes.layer,
            radius_m: self.radius_m,
            doors: match (self.doors, self.keys.is_empty()) {
                (Doors::Closed, _) => DoorPolicy::Avoid,
                // Through every door, as expected paths have it.
                (Doors::Open, true) => DoorPolicy::Wait,
                (Doors::Open, false) => DoorPolicy::Open,
            },
            keys: &self.keys,
            speed_mps: Gait::WALK_MPS,
        };
        world.traversal_for(asker)
    }

    fn answer(&self, world: &mut World) -> Value {
        let (from, to, by) = (self.from, self.to, self.traversal(world));
        let others = match self.others {
            OthersAsked::Ignored => None,
            OthersAsked::Avoided => paths::query_around(world, from, to, by.clone(), &[]).0.others,
        };
        Asked { from, to, by, others }.answer(world, &self.wishes)
    }
}

impl Asked {
    fn answer(&self, world: &mut World, wishes: &Wishes) -> Value {
        let Self { from, to, by, others } = self;
        let query = PathQuery { others: others.clone(), ..paths::query(world, *from, *to, by.clone()) };
        let clock = Instant::now();
        let found = paths::find_recorded(world, &query, &mut || clock.elapsed().as_secs_f64());
        let paths::RecordedPath { answer, record, seconds } = found;
        let microseconds = seconds * 1e6;
        let searched = picture::of_search(
            world,
            wishes,
            &SearchScene {
                world,
                from: *from,
                to: *to,
                by,
                record: &record,
                answer: &answer,
                others: others.as_deref().unwrap_or(&[]),
                parts: Parts::all(),
            },
        );
        let status = match answer.status {
            PathStatus::Complete => "complete",
            PathStatus::Partial => "partial",
            PathStatus::None => "none",
        };
        let points: Vec<[f32; 3]> = answer.path.points.iter().map(|point| point.to_array()).collect();
        json!({
            "status": status,
            "reason": answer.trouble.map(|trouble| world.reason_of(trouble).0.name()),
            "why": answer.trouble.map(|trouble| world.why_unreached(*to, by, trouble)),
            "points": points,
            "length": world.nav().length_in_space_m(&answer.path),
            "cost": answer.path.cost_m,
            "expansions": answer.expansions,
            "microseconds": tenths(microseconds),
            "nearest": answer.nearest.map(|point| point.to_array()),
            "searched": searched.layers,
            "legend": searched.legend,
        })
    }
}

fn find(level: GameLook<'_>, text: &str) -> Value {
    let one = |found: walkon_runtime::game::find::Found| json!({ "kind": found.kind, "name": found.name, "at": found.at, "fuel": found.fuel });
    let found: Vec<Value> = level.find(text).into_iter().map(one).collect();
    json!({ "found": found })
}
