//! Verbs and questions about tiles: what one is made of, and changing it. The map follows in step 5.

use glam::Vec3;

use crate::base::geom::ground;
use crate::world::World;
use crate::world::ops::OpError;
use crate::world::tiles::{Tile, TileSpot, Tiles};

/// The tiles of the map.
///
/// # Errors
/// Where the map is not one of tiles.
pub fn tiles(world: &World) -> Result<&Tiles, OpError> {
    world.tiles.as_deref().ok_or(OpError::NoTiles)
}

/// Which tile of a layer holds a point; None off the map.
///
/// # Errors
/// Where the map is not one of tiles.
pub fn spot(world: &World, layer: u8, point: Vec3) -> Result<Option<TileSpot>, OpError> {
    tiles(world)?;
    let tile = world.nav.cells().and_then(|cells| cells.frame().tile_at(ground(point)));
    Ok(tile.map(|[column, row]| TileSpot { layer, column, row }))
}

/// The tile of a layer at a point, as last asked for; None off the map.
///
/// # Errors
/// Where the map is not one of tiles.
pub fn tile_at(world: &World, layer: u8, point: Vec3) -> Result<Option<&Tile>, OpError> {
    let spot = spot(world, layer, point)?;
    Ok(spot.and_then(|spot| world.tiles.as_deref()?.tile(spot)))
}
