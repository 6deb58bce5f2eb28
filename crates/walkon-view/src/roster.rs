//! Who is there: what a page has to know of somebody once, and where everybody is.
//!
//! In: a game. Out: rows of a frame; names, colours and sizes of those who are new, and the keys of those who
//! are gone. Not here: bytes (`frame`).

use std::collections::BTreeMap;

use serde_json::{Value, json};
use walkon::Game;
use walkon::world::World;
use walkon::world::character::Character;

use crate::frame::Row;

/// Bits of what somebody does.
const MOVING: u8 = 1;
const HAS_WALK: u8 = 2;
const WAITS_FOR_PATH: u8 = 4;
const HELD: u8 = 8;
const REPLANNED: u8 = 16;
const SWITCHED_OFF: u8 = 32;

/// What a page has to know of somebody once.
#[derive(Clone, Debug, PartialEq)]
struct Person {
    name: String,
    behaviour: Option<String>,
    tags: Vec<String>,
    radius_m: f32,
    height_m: f32,
    colour: String,
    is_player: bool,
}

/// Where everybody is, in order of creation.
#[must_use]
pub fn rows(game: &Game) -> Vec<Row> {
    let world = game.world();
    let off: Vec<u32> =
        game.switched_off().iter().filter_map(|off| Some(world.character(off.character?)?.serial)).collect();
    let row = |who: &Character| Row {
        key: who.serial,
        position: who.body.position.to_array(),
        facing: Row::turn(who.facing_rad),
        state: state(world, who) | if off.contains(&who.serial) { SWITCHED_OFF } else { 0 },
        layer: who.layer,
    };
    let mut rows: Vec<Row> = world.characters().map(|(_, who)| row(who)).collect();
    // Places in the table are used again, keys are not.
    if !rows.is_sorted_by_key(|row| row.key) {
        rows.sort_by_key(|row| row.key);
    }
    rows
}

fn state(world: &World, who: &Character) -> u8 {
    let walk = who.walk.and_then(|walk| world.walk(walk)).filter(|walk| walk.is_open());
    let half_second = world.rate().ticks(0.5);
    let has_replanned = who
        .replan
        .since
        .and_then(|since| since.ago_ticks(world.tick()))
        .is_some_and(|ago| ago <= half_second);
    let bits = [
        (who.is_moving, MOVING),
        (walk.is_some(), HAS_WALK),
        (walk.is_some_and(|walk| walk.following.is_none()), WAITS_FOR_PATH),
        (who.held.is_some(), HELD),
        (has_replanned, REPLANNED),
    ];
    bits.into_iter().filter(|(is_set, _)| *is_set).fold(0, |all, (_, bit)| all | bit)
}

/// Who is known to be there.
#[derive(Clone, Debug, Default)]
pub struct Roster {
    known: BTreeMap<u32, Person>,
}

impl Roster {
    /// Takes in who is there now; what is new for a page, if anything is.
    pub fn update(&mut self, game: &Game) -> Option<Value> {
        let now = people(game);
        let rows: Vec<Value> = now
            .iter()
            .filter(|(key, row)| self.known.get(key) != Some(row))
            .map(|(key, row)| json(*key, row))
            .collect();
        let gone: Vec<u32> = self.known.keys().filter(|key| !now.contains_key(key)).copied().collect();
        self.known = now;
        if rows.is_empty() && gone.is_empty() {
            return None;
        }
        Some(json!({ "tell": "roster", "isWhole": false, "rows": rows, "gone": gone }))
    }

    /// Everybody, for a page that knows nobody.
    #[must_use]
    pub fn whole(&self) -> Value {
        let rows: Vec<Value> = self.known.iter().map(|(key, person)| json(*key, person)).collect();
        json!({ "tell": "roster", "isWhole": true, "rows": rows, "gone": [] })
    }
}

fn people(game: &Game) -> BTreeMap<u32, Person> {
    let world = game.world();
    let person = |who: &Character| Person {
        name: who.name.clone(),
        behaviour: None,
        tags: who.tags.clone(),
        radius_m: who.body.radius_m,
        height_m: who.body.height_m,
        colour: "#2c7dc4".to_owned(),
        is_player: who.is_player,
    };
    world.characters().map(|(_, who)| (who.serial, person(who))).collect()
}

fn json(key: u32, person: &Person) -> Value {
    json!({
        "key": key, "name": person.name, "behaviour": person.behaviour, "tags": person.tags,
        "radius": person.radius_m, "height": person.height_m, "isPlayer": person.is_player, "colour": person.colour,
    })
}
