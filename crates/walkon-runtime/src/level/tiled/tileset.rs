//! Tilesets, in a map or in files of their own.
//!
//! In: the element that names one. Out: its first id and a [`RawTileset`]. Holds: a file is read once for all
//! that name it. Not here: what its tiles mean (`ground`).

use std::sync::Arc;

use super::attribute::{class_of, optional_whole, whole};
use super::files::{Here, Import};
use super::property;
use super::raw::{GID_MASK, RawTile, RawTileset};
use super::tree::Element;
use crate::base::ordered;
use crate::level::diagnostic::code;

/// Largest side of a tile, pixels.
pub(super) const TILE_PX_MAX: i64 = 65_536;
/// Most tiles of one set.
const TILES_MAX: i64 = 16_777_216;

/// A tileset as a map or template names it: the first id, and the set itself, which may be a file of its own.
pub(super) fn tileset_of_map(
    import: &mut Import<'_>,
    here: Here<'_, '_>,
    element: &Element<'_>,
) -> Option<(u32, Arc<RawTileset>)> {
    let found = named_tileset(import, here, element);
    import.lacks_tileset |= found.is_none();
    found
}

fn named_tileset(
    import: &mut Import<'_>,
    here: Here<'_, '_>,
    element: &Element<'_>,
) -> Option<(u32, Arc<RawTileset>)> {
    let first = whole(import, here, element, "firstgid", 1..=i64::from(GID_MASK))? as u32;
    let Some(source) = element.attribute("source") else {
        return Some((first, Arc::new(tileset(import, here, element)?)));
    };
    let path = import.path_of(here, &source.value, source.span)?;
    if let Some(known) = import.tilesets.get(&path) {
        return Some((first, Arc::clone(known)));
    }
    let read = import.opened(here, &path, source.span, |import, there| {
        if there.root.name != "tileset" {
            let message = format!("the file is a {}, expected a tileset", there.root.name);
            import.error(there, code::CHOICE, there.root.span, message);
            return None;
        }
        tileset(import, there, there.root)
    })?;
    let read = Arc::new(read);
    import.tilesets.insert(path, Arc::clone(&read));
    Some((first, read))
}

fn tileset(import: &mut Import<'_>, here: Here<'_, '_>, element: &Element<'_>) -> Option<RawTileset> {
    let count = optional_whole(import, here, element, "tilecount", 0..=TILES_MAX);
    for name in ["tilewidth", "tileheight"] {
        // A set of single pictures states the largest of them, and nothing when it has none yet.
        optional_whole(import, here, element, name, 0..=TILE_PX_MAX);
    }
    let mut tiles = Vec::new();
    for tile in element.all("tile") {
        let Some(id) = whole(import, here, tile, "id", 0..=TILES_MAX) else { continue };
        let properties = property::properties(import, here, tile);
        let tile = RawTile { id: id as u32, class: class_of(tile), properties, span: tile.span };
        tiles.push(Arc::new(tile));
    }
    ordered::sort_by_key(&mut tiles, |tile| tile.id);
    tiles.dedup_by_key(|tile| tile.id);
    // Sets of single pictures have gaps: the last id may lie above the number of tiles.
    let last = tiles.last().map_or(0, |tile| tile.id + 1);
    let stated =
        count.map(|count| count as u32).or_else(|| counted(element)).unwrap_or(RawTileset::UNCOUNTED);
    tiles.retain(|tile| !tile.class.is_empty() || !tile.properties.0.is_empty());
    Some(RawTileset {
        name: element.value("name").to_owned(),
        tiles_max: stated.max(last),
        tiles,
        object_alignment: element.value("objectalignment").to_owned(),
    })
}

/// How many tiles a set has when it does not say so, from its picture: files before 0.18.
fn counted(element: &Element<'_>) -> Option<u32> {
    let image = element.child("image")?;
    let side = |of: &Element<'_>, name: &str| of.value(name).trim().parse::<u32>().ok();
    let (spacing, margin) = (side(element, "spacing").unwrap_or(0), side(element, "margin").unwrap_or(0));
    let along = |size: &str, tile: &str| {
        let (size, tile) = (side(image, size)?, side(element, tile)?);
        let room = size.checked_sub(margin)?.checked_add(spacing)?;
        room.checked_div(tile.checked_add(spacing)?)
    };
    along("width", "tilewidth")?.checked_mul(along("height", "tileheight")?)
}
