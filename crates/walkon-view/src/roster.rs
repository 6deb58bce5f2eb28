//! The roster of a level: what a page has to know of each character once, and where each is.
//!
//! In: a game. Out: rows of a frame; names, colours and sizes of new characters, and the keys of those that
//! are gone. Not here: bytes (`frame`).

use std::collections::BTreeMap;

use serde_json::{Value, json};
use walkon_runtime::base::ordered::{self, CollectOrdered};
use walkon_runtime::game::Game;
use walkon_runtime::game::roster::Stance;
use walkon_runtime::view::{Colour, character_colours};

use crate::frame::FrameRow;

/// The most characters that are remembered once they are gone; then the earliest are forgotten.
const FORMER_MAX: usize = 10_000;

/// What a page has to know of a character once.
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

/// Where every character is, in order of their keys.
#[must_use]
pub fn rows(game: &Game) -> Vec<FrameRow> {
    rows_of(game.stances())
}

/// The same of stances.
#[must_use]
pub fn rows_of(stances: impl Iterator<Item = Stance>) -> Vec<FrameRow> {
    let row = |stance: Stance| FrameRow {
        key: stance.serial,
        position: stance.position,
        facing: FrameRow::turn(stance.facing_rad),
        state: stance.state,
        layer: stance.layer,
    };
    let mut rows: Vec<FrameRow> = stances.map(row).collect();
    // Places in the table are used again, keys are not.
    if !rows.is_sorted_by_key(|row| row.key) {
        ordered::sort_by_key(&mut rows, |row| row.key);
    }
    rows
}

/// The characters that a page knows.
#[derive(Clone, Debug, Default)]
pub struct KnownPeople {
    known: BTreeMap<u32, Person>,
    /// The characters that are gone since: the past still shows them.
    former: BTreeMap<u32, Person>,
}

impl KnownPeople {
    /// Takes in the characters that are there now; what is new for a page, if anything is.
    pub fn update(&mut self, game: &Game) -> Option<Value> {
        let now = people(game);
        let rows: Vec<Value> = now
            .iter()
            .filter(|(key, row)| self.known.get(key) != Some(row))
            .map(|(key, row)| json(*key, row))
            .collect();
        let gone: Vec<u32> = self.known.keys().filter(|key| !now.contains_key(key)).copied().collect();
        self.former.extend(gone.iter().filter_map(|key| Some((*key, self.known.remove(key)?))));
        self.former.retain(|key, _| !now.contains_key(key));
        while self.former.len() > FORMER_MAX {
            self.former.pop_first();
        }
        self.known = now;
        if rows.is_empty() && gone.is_empty() {
            return None;
        }
        Some(json!({ "tell": "roster", "isWhole": false, "rows": rows, "gone": gone }))
    }

    /// Every character, for a page that knows nobody.
    #[must_use]
    pub fn whole(&self) -> Value {
        let all = |people: &BTreeMap<u32, Person>| -> Vec<Value> {
            people.iter().map(|(key, person)| json(*key, person)).collect()
        };
        json!({
            "tell": "roster", "isWhole": true, "rows": all(&self.known), "gone": [], "former": all(&self.former),
        })
    }

    /// One of the same level that begins or goes on at an earlier tick, with this game: every character is
    /// new for a page, and those that had appeared by then are remembered. The numbers of the others are
    /// given again.
    #[must_use]
    pub fn turned_back(mut self, to: &Game) -> Self {
        self.former.append(&mut self.known);
        let last = to.world().last_character_key();
        self.former.retain(|key, _| *key <= last);
        self
    }
}

fn people(game: &Game) -> BTreeMap<u32, Person> {
    let colours = character_colours(game.world());
    let person = |(row, (_, Colour(red, green, blue, _))): (walkon_runtime::game::roster::Row<'_>, _)| {
        let person = Person {
            name: row.name.to_owned(),
            behaviour: row.behaviour,
            tags: row.tags.to_vec(),
            radius_m: row.radius_m,
            height_m: row.height_m,
            colour: format!("#{red:02x}{green:02x}{blue:02x}"),
            is_player: row.is_player,
        };
        (row.serial, person)
    };
    game.rows().zip(colours).map(person).collect_map()
}

fn json(key: u32, person: &Person) -> Value {
    json!({
        "key": key, "name": person.name, "behaviour": person.behaviour, "tags": person.tags,
        "radius": person.radius_m, "height": person.height_m, "isPlayer": person.is_player, "colour": person.colour,
    })
}
