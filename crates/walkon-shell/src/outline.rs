//! Lists the contents of a level without running it, for hosts that build spaces and tables from it.
//!
//! In: a level. Out: names, tags and places as one JSON object. Holds: lists have the order of the level,
//! marks that of their names. Not here: what becomes of it (`walkon_runtime::game::Game::inspect`).

use std::collections::BTreeMap;

use walkon_runtime::base::ordered::CollectOrdered;
use walkon_runtime::game::line::{JsonLine, float, place_in_space, quoted};
use walkon_runtime::level::{CharacterDef, Level, world};

fn list(texts: impl Iterator<Item = String>) -> String {
    format!("[{}]", texts.collect::<Vec<_>>().join(","))
}

/// The outline of a level: `name`, `tickRate`, `seed`, `bounds` (least x and z, greatest x and z),
/// `characters` (`name`, `tags`, `player`, `position`), `marks` (places by name), `doors` and `regions`
/// (names).
#[must_use]
pub fn outline(level: &Level) -> String {
    let marks: BTreeMap<&str, String> = level
        .resolved
        .marks
        .iter()
        .filter_map(|mark| Some((mark.name.as_deref()?, place_in_space(mark.position))))
        .collect_map();
    let marks = marks.iter().fold(JsonLine::default(), |line, (name, place)| line.raw(name, place));
    let def = &level.def;
    let bounds = level.map.bounds();
    let [least, most] = [bounds.min, bounds.max].map(|corner| corner.map(|number| number as f32));
    JsonLine::default()
        .text("name", &def.name)
        .count("tickRate", def.tick_rate.into())
        .count("seed", def.seed)
        .raw(
            "bounds",
            &format!("[{},{},{},{}]", float(least[0]), float(least[1]), float(most[0]), float(most[1])),
        )
        .raw("characters", &list(def.characters.iter().map(character)))
        .raw("marks", &marks.finish())
        .raw("doors", &list(def.doors.iter().map(|door| quoted(&door.name.value))))
        .raw("regions", &list(def.regions.iter().map(|region| quoted(&region.name.value))))
        .finish()
}

fn character(def: &CharacterDef) -> String {
    JsonLine::default()
        .text("name", &def.name.value)
        .raw("tags", &list(def.tags.iter().map(|tag| quoted(tag))))
        .flag("player", def.player)
        .raw("position", &place_in_space(world(def.position.value, None)))
        .finish()
}
