//! Verbs and queries about tiles: the terrain of one, and changing it. The map changes in step 5.
//!
//! In: a layer and a point, changes. Out: tiles; edits for step 5. Holds: a change is read back at once. Not
//! here: the table of tiles (`world::tiles`), rebuilding the map (`sim::edits`).

use std::sync::Arc;

use glam::Vec3;

use crate::base::geom::ground;
use crate::base::ordered;
use crate::nav::TileEdit;
use crate::world::World;
use crate::world::ops::areas::FACTOR_RANGE;
use crate::world::ops::{OpError, in_range};
use crate::world::tiles::{Terrain, Tile, TileSpot, Tiles};

/// A change of a tile; fields that are None stay. `Default` is no change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TileChange {
    /// Whether one can walk there; it opens or closes the tile, whatever closed or opened it before.
    pub navigable: Option<bool>,
    /// Cost of a metre on it, 0.1 to 100.
    pub cost: Option<f32>,
    /// Its terrain. Brings its own cost, and whether one can walk on it, when those are not given.
    pub terrain: Option<Terrain>,
    /// Words for scripts.
    pub tags: Option<Vec<String>>,
}

impl TileChange {
    /// The bytes that it takes to keep a tile that was changed so, at most: what it was, what it is, and its
    /// kind.
    pub(crate) fn bytes(&self) -> usize {
        let after = Tile { tags: self.tags.clone().unwrap_or_default(), ..Tile::default() };
        2 * after.bytes() + Tile::default().bytes()
    }

    /// What becomes of a tile.
    fn made_of(self, before: &Tile) -> Tile {
        let own = self.terrain.map(Tile::of);
        let (navigable, cost) = own.map_or((before.navigable, before.cost), |own| (own.navigable, own.cost));
        let mut tags = self.tags.unwrap_or_else(|| before.tags.clone());
        ordered::sort_by(&mut tags, Ord::cmp);
        tags.dedup();
        Tile {
            navigable: self.navigable.unwrap_or(navigable),
            cost: self.cost.unwrap_or(cost),
            terrain: self.terrain.unwrap_or(before.terrain),
            tags,
        }
    }
}

/// The tiles of the map.
///
/// # Errors
/// Where the map is not one of tiles.
pub fn tiles(world: &World) -> Result<&Tiles, OpError> {
    world.map.tiles.as_deref().ok_or(OpError::NoTiles)
}

/// Which tile of a layer holds a point; None off the map.
///
/// # Errors
/// Where the map is not one of tiles.
pub fn spot(world: &World, layer: u8, point: Vec3) -> Result<Option<TileSpot>, OpError> {
    tiles(world)?;
    let tile = world.map.nav.layer(layer).and_then(|cells| cells.frame().tile_at(ground(point)));
    Ok(tile.map(|[column, row]| TileSpot { layer, column, row }))
}

/// The tile of a layer at a point, as last asked for; None off the map.
///
/// # Errors
/// Where the map is not one of tiles.
pub fn tile_at(world: &World, layer: u8, point: Vec3) -> Result<Option<&Tile>, OpError> {
    let spot = spot(world, layer, point)?;
    Ok(spot.and_then(|spot| world.map.tiles.as_deref()?.tile(spot)))
}

/// Changes a tile, read back at once; the map follows in step 5. Whether that was a change; false off the
/// map.
///
/// # Errors
/// Where the map is not one of tiles, for a cost outside [`FACTOR_RANGE`], and when the map has as many
/// different tiles as there may be.
pub fn set(world: &mut World, spot: TileSpot, change: TileChange) -> Result<bool, OpError> {
    if let Some(cost) = change.cost {
        in_range("cost", cost, FACTOR_RANGE)?;
    }
    let Some(before) = tiles(world)?.tile(spot).cloned() else { return Ok(false) };
    let after = change.made_of(&before);
    put(world, spot, &before, after)
}

fn put(world: &mut World, spot: TileSpot, before: &Tile, after: Tile) -> Result<bool, OpError> {
    if after == *before {
        return Ok(false);
    }
    let (navigable, cost) = (after.navigable, after.cost);
    let table = world.map.tiles.as_mut().map(Arc::make_mut);
    if !table.is_some_and(|table| table.set(spot, after)) {
        return Err(OpError::TooManyTiles);
    }
    let Some(cell) = cell_of(world, spot) else { return Ok(true) };
    if navigable == before.navigable && cost == before.cost {
        return Ok(true);
    }
    let untouched = TileEdit { layer: spot.layer, cell, walkable: None, factor: None, leave: None };
    let edit = world.map.edits.tiles.entry(spot).or_insert(untouched);
    if navigable != before.navigable {
        edit.walkable = Some(navigable);
    }
    if cost != before.cost {
        edit.factor = Some(cost);
    }
    Ok(true)
}

/// Where the map stores a tile.
fn cell_of(world: &World, spot: TileSpot) -> Option<[u32; 2]> {
    let frame = world.map.nav.layer(spot.layer)?.frame();
    frame.cell_of_tile([spot.column, spot.row]).map(|(x, z)| [x, z])
}

/// Makes what scripts changed of tiles hold on a map that has taken the place of the one before, where its
/// author has not changed the same tile.
pub(crate) fn move_to(world: &mut World, before: Option<Arc<Tiles>>) {
    world.map.edits.tiles.clear();
    let (Some(before), Some(now)) = (before, world.map.tiles.clone()) else { return };
    for (spot, was, is) in before.edited() {
        let layer = before.layer_names().nth(usize::from(spot.layer)).and_then(|name| now.layer(name));
        let Some(spot) = layer.map(|layer| TileSpot { layer, ..spot }) else { continue };
        if now.tile(spot) == Some(was) {
            // A map of as many different tiles as there may be keeps what its author wrote.
            let _ = put(world, spot, was, is.clone());
        }
    }
}
