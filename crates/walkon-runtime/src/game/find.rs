//! Searches for things of a level by a part of their name.
//!
//! In: a text, a game. Out: the things that have it in their name, best first: the whole name, its beginning,
//! the beginning of a word in it, any part. Holds: case does not count; equal places keep the order of the
//! level; at most [`FOUND_MAX`]. Not here: what is known of a thing (`inspect`).

use std::collections::BTreeMap;

use crate::base::ordered;
use crate::game::Game;
use crate::game::look::GameLook;
use crate::world::World;

/// Things that are found at most.
pub const FOUND_MAX: usize = 50;

/// Something that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// `character`, `door`, `region`, `mark`, `area`, `route` or `scene`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Where it is, metres; none for things without a place.
    pub at: Option<[f32; 3]>,
    /// The fuel that its code takes in a tick, on average, where scripts are profiled.
    pub fuel: Option<f64>,
}

/// How well a name fits; the best comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Whole,
    Beginning,
    Word,
    Part,
}

impl Game {
    /// What has `text` in its name, best first. Cost: a look at each name.
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<Found> {
        self.look().find(text)
    }

    /// The fuel that the code of each character takes in a tick, on average, by its number (`character.id`);
    /// empty where scripts are not profiled. Cost: a look at every character whose code was called.
    #[must_use]
    pub fn fuel_of_people(&self) -> Vec<(u32, f64)> {
        self.look().fuel_of_people()
    }
}

impl GameLook<'_> {
    /// What has `text` in its name, best first. Cost: a look at each name.
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<Found> {
        let wanted = folded(text);
        let scenes = self.scripts.map(|scripts| scripts.scenes_under_way()).unwrap_or_default();
        let scenes = scenes.into_iter().map(|name| Found { kind: "scene", name, at: None, fuel: None });
        let all = things(self.world).chain(scenes);
        let fits = all.filter_map(|found| Some((fit(&found.name, &wanted)?, found)));
        let mut found: Vec<(Fit, Found)> = fits.collect();
        // Stable: what fits equally well keeps its order.
        ordered::sort_by_key(&mut found, |(fit, _)| *fit);
        let mut found: Vec<Found> = found.into_iter().take(FOUND_MAX).map(|(_, found)| found).collect();
        self.price(&mut found);
        found
    }

    /// The fuel that the code of each character takes in a tick, on average, by its number (`character.id`);
    /// empty where scripts are not profiled. Cost: a look at every character whose code was called.
    #[must_use]
    pub fn fuel_of_people(&self) -> Vec<(u32, f64)> {
        let world = self.world;
        let ticks = world.tick().0.max(1) as f64;
        let mut all: BTreeMap<u32, u64> = BTreeMap::new();
        for (who, fuel) in self.scripts.map(|scripts| scripts.fuel_by_who()).unwrap_or_default() {
            let found = world.find_character(&who.name).and_then(|id| world.character(id));
            if let Some(character) = found {
                let own = all.entry(character.serial).or_default();
                *own = own.saturating_add(fuel);
            }
        }
        all.into_iter().map(|(serial, fuel)| (serial, fuel as f64 / ticks)).collect()
    }

    /// Notes what the code of characters costs.
    fn price(&self, found: &mut [Found]) {
        let by_who = self.scripts.map(|scripts| scripts.fuel_by_who()).unwrap_or_default();
        let ticks = self.world.tick().0.max(1) as f64;
        for found in found.iter_mut().filter(|found| found.kind == "character") {
            let own = by_who.iter().filter(|(who, _)| who.name == found.name).map(|(_, fuel)| *fuel);
            found.fuel = (!by_who.is_empty()).then(|| own.sum::<u64>() as f64 / ticks);
        }
    }
}

/// Everything with a name, kind by kind, in the order of the level.
fn things(world: &World) -> impl Iterator<Item = Found> {
    let thing =
        |kind, name: &str, at: Option<[f32; 3]>| Found { kind, name: name.to_owned(), at, fuel: None };
    let people = world.characters();
    let people = people.map(move |(_, who)| thing("character", &who.name, Some(who.body.position.into())));
    let doors = world.standing_doors();
    let doors = doors.map(move |(_, door)| thing("door", &door.name, Some(door.position.into())));
    let regions = world.regions().iter().map(move |region| {
        let [x, z] = region.shape.middle();
        thing("region", &region.name, Some([x as f32, 0.0, z as f32]))
    });
    let marks = world.marks().map(move |mark| thing("mark", &mark.name, Some(mark.position.into())));
    let areas = world.areas().iter().filter(|area| !area.name.is_empty());
    let areas = areas.map(move |area| thing("area", &area.name, None));
    let routes = world.route_names().map(move |name| {
        let first = world.route(name).and_then(|stops| stops.first());
        thing("route", name, first.map(|stop| stop.position.into()))
    });
    people.chain(doors).chain(regions).chain(marks).chain(areas).chain(routes)
}

fn folded(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).collect()
}

fn fit(name: &str, wanted: &[char]) -> Option<Fit> {
    let letters = folded(name);
    let is_at = |at: usize| letters[at..].starts_with(wanted);
    let places = 0..letters.len().checked_sub(wanted.len())? + 1;
    let first = places.clone().find(|&at| is_at(at))?;
    Some(match first {
        0 if letters.len() == wanted.len() => Fit::Whole,
        0 => Fit::Beginning,
        _ if places.filter(|&at| begins_word(name, at)).any(is_at) => Fit::Word,
        _ => Fit::Part,
    })
}

/// Whether a word of a name begins with its letter at `at`: `chair` and `3` of `hall_chair3`, `Front` of
/// `gateFront`.
fn begins_word(name: &str, at: usize) -> bool {
    let mut letters = name.chars().skip(at.saturating_sub(1));
    let (Some(before), Some(letter)) = (letters.next(), letters.next()) else { return at == 0 };
    let is_border = !before.is_alphanumeric() || before.is_numeric() != letter.is_numeric();
    at == 0 || letter.is_alphanumeric() && (is_border || before.is_lowercase() && letter.is_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_names_come_before_beginnings_words_and_parts() {
        let of = |name: &str, text: &str| fit(name, &folded(text));
        assert_eq!(of("Gate", "gate"), Some(Fit::Whole));
        assert_eq!(of("gateFront", "GATE"), Some(Fit::Beginning));
        assert_eq!(of("gateFront", "front"), Some(Fit::Word));
        assert_eq!(of("hall chair_3", "chair"), Some(Fit::Word));
        assert_eq!(of("hall_3", "3"), Some(Fit::Word));
        assert_eq!(of("refronts front", "front"), Some(Fit::Word), "a later word counts");
        assert_eq!(of("confront", "front"), Some(Fit::Part));
        assert_eq!(of("gate", "gates"), None);
        assert_eq!(of("gate", ""), Some(Fit::Beginning));
        assert!(of("\u{130}stanbul", "stan").is_some(), "a letter that is two in lower case");
    }
}
