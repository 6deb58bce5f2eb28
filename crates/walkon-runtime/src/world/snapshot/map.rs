//! Saves the ground of a level: its differences from the level file, by name.
//!
//! In: the map as it is. Out: bytes; on the fresh map of the same level the same ground, on that of a changed
//! level what its reload asks for. Holds: edits that wait for step 5 wait again. Not here: moving on to the
//! changed level (`game::level_reload`).

use std::sync::Arc;

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::ids::AreaId;
use crate::base::ordered::{self, CollectOrdered};
use crate::base::time::TickRate;
use crate::nav::{AreaEdit, GraphEdit, LayerPoint, NavEdit, NavMap, TileEdit};
use crate::world::area::{Area, AreaKind};
use crate::world::block::Block;
use crate::world::door::Door;
use crate::world::map::{LevelMap, PendingEdits};
use crate::world::ops::blocks::BLOCKS_MAX;
use crate::world::tiles::{Tile, TileSpot, Tiles};

/// Whether a tile is to be walkable, and what it is to cost, as far as that changes.
type TileWish = (Option<bool>, Option<f32>);

/// Largest block, metres.
const BLOCK_M: f32 = 1e4;

/// What ground a world is read onto.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreGround {
    /// That of the level it was saved in.
    Same,
    /// That of a level that has changed since: the areas, doors and regions that were there are known by name
    /// alone, and a reload of the level has to follow.
    Changed,
}

/// Writes the map.
pub(super) fn save(out: &mut ByteWriter, map: &LevelMap) {
    let LevelMap {
        nav,
        areas,
        doors,
        door_moves,
        blocks,
        blocks_made,
        tiles,
        // As the level says.
        is_precomputed: _,
        link_actions: _,
        edits: PendingEdits { areas: area_edits, tiles: tile_edits, graph: graph_edits },
    } = map;
    out.list(areas.iter().enumerate(), |out, (at, area)| save_area(out, area, nav.area_state(at.into())));
    let waiting: Vec<&AreaEdit> =
        area_edits.values().filter(|edit| edit.area.index() < areas.len()).collect();
    out.list(waiting.into_iter(), |out, edit| edit.save(out));
    out.list(doors.iter(), save_door);
    door_moves.save(out);
    blocks_made.save(out);
    out.list(blocks.iter(), |out, block| {
        let Block { serial, owner, name, centre, radius_m, area, is_over } = block;
        serial.save(out);
        owner.save(out);
        name.save(out);
        out.vector(centre.point);
        centre.layer.save(out);
        out.float(*radius_m);
        area.save(out);
        out.flag(*is_over);
        out.flag(nav.area_state(*area).is_some_and(|(is_there, _)| is_there));
    });
    save_cells(out, nav);
    out.option(tiles.as_deref(), save_tiles);
    out.list(tile_edits.iter(), |out, (spot, edit)| {
        // Layer and cell are those of the tile; no verb changes ways out.
        let TileEdit { layer: _, cell: _, walkable, factor, leave: _ } = edit;
        spot.save(out);
        walkable.save(out);
        factor.save(out);
    });
    out.option(nav.graph(), |out, graph| {
        out.whole(graph.authored_hash());
        graph.edits().save(out);
    });
    graph_edits.save(out);
    nav.revision().save(out);
}

/// Reads the map onto the fresh one of the level.
pub(super) fn load(
    input: &mut ByteReader<'_>,
    ground: RestoreGround,
    rate: TickRate,
    mut map: LevelMap,
) -> Result<LevelMap, DecodeError> {
    let mut applied = load_areas(input, ground, &mut map)?;
    let waiting: Vec<AreaEdit> = Saved::load(input)?;
    if waiting.iter().any(|edit| edit.area.index() >= map.areas.len()) {
        return Err(DecodeError::new("an edit of an area that is none"));
    }
    map.edits.areas = waiting.into_iter().map(|edit| (edit.area, edit)).collect_map();
    let fresh = std::mem::take(&mut map.doors);
    map.doors = input.list(|input| load_door(input, ground, &fresh))?;
    for door in map.doors.iter_mut().filter(|_| ground == RestoreGround::Same) {
        door.left_ticks = door.left_ticks.min(rate.ticks(door.moving_s));
    }
    if ground == RestoreGround::Same {
        let missing = fresh.iter().any(|door| !map.doors.iter().any(|one| one.name == door.name));
        (!missing).then_some(()).ok_or_else(|| DecodeError::new("doors of another level"))?;
        tell_areas(&mut map);
    }
    (map.door_moves, map.blocks_made) = (Saved::load(input)?, Saved::load(input)?);
    let blocks: Vec<(Block, bool)> = input.list(load_block)?;
    applied.extend(load_cells(input, &map.nav)?);
    load_tiles(input, ground, &mut map)?;
    load_waiting_tiles(input, ground, &mut map)?;
    let graph = input.option(|input| Ok((input.whole()?, Vec::<GraphEdit>::load(input)?)))?;
    if let Some((authored, edits)) = graph {
        let is_of_it = map.nav.graph().is_some_and(|graph| graph.authored_hash() == authored);
        applied.extend(edits.into_iter().filter(|_| is_of_it).map(NavEdit::Graph));
    }
    map.edits.graph = Saved::load(input)?;
    let revision = u64::load(input)?;
    map.nav.apply(&applied);
    put_blocks(input, &mut map, blocks, ground)?;
    map.nav.set_revision(revision);
    Ok(map)
}

fn save_area(out: &mut ByteWriter, area: &Area, state: Option<(bool, f32)>) {
    let Area {
        name,
        kind,
        available,
        factor,
        // As the level says.
        door: _,
        veil: _,
    } = area;
    out.text(name);
    out.flag(*kind == AreaKind::Obstacle);
    out.flag(*available);
    factor.save(out);
    let state = state.unwrap_or((*available, *factor));
    let is_done = state.0 == *available && state.1.to_bits() == factor.to_bits();
    out.flag(is_done);
    if !is_done {
        state.save(out);
    }
}

/// Areas as last asked for; what the map is to be told of them.
fn load_areas(
    input: &mut ByteReader<'_>,
    ground: RestoreGround,
    map: &mut LevelMap,
) -> Result<Vec<NavEdit>, DecodeError> {
    let mut fresh = std::mem::take(&mut map.areas).into_iter();
    let mut applied = Vec::new();
    let mut at = 0;
    map.areas = input.list(|input| {
        let name = input.text()?;
        let kind = if input.flag()? { AreaKind::Obstacle } else { AreaKind::Ground };
        let available = input.flag()?;
        let factor = input.float_in(0.0..=1e3)?;
        let (is_there, cost) =
            if input.flag()? { (available, factor) } else { (input.flag()?, input.float_in(0.0..=1e3)?) };
        let known = fresh.next();
        if ground == RestoreGround::Same {
            let known = known.filter(|area| area.name == name && area.kind == kind);
            let known = known.ok_or_else(|| DecodeError::new("areas of another level"))?;
            let factor_is_told = kind == AreaKind::Ground;
            let edit = AreaEdit {
                area: AreaId::from(at),
                available: Some(is_there),
                factor: factor_is_told.then_some(cost),
            };
            applied.push(NavEdit::Area(edit));
            at += 1;
            return Ok(Area { available, factor, ..known });
        }
        Ok(Area { name, kind, available, factor, door: None, veil: Default::default() })
    })?;
    if ground == RestoreGround::Same && fresh.next().is_some() {
        return Err(DecodeError::new("areas of another level"));
    }
    Ok(applied)
}

fn save_door(out: &mut ByteWriter, door: &Door) {
    let Door {
        name,
        area,
        // As the level says.
        position: _,
        bounds: _,
        moving_s: _,
        one_way: _,
        teams: _,
        state,
        left_ticks,
        is_locked,
        key,
        request,
        removed,
    } = door;
    out.text(name);
    area.save(out);
    state.save(out);
    left_ticks.save(out);
    is_locked.save(out);
    key.save(out);
    request.save(out);
    removed.save(out);
}

fn load_door(input: &mut ByteReader<'_>, ground: RestoreGround, fresh: &[Door]) -> Result<Door, DecodeError> {
    let name = input.text()?;
    let blank = Door {
        area: Saved::load(input)?,
        state: Saved::load(input)?,
        left_ticks: Saved::load(input)?,
        is_locked: Saved::load(input)?,
        key: Saved::load(input)?,
        request: Saved::load(input)?,
        removed: Saved::load(input)?,
        ..Door::blank(name.clone())
    };
    if ground == RestoreGround::Changed || blank.is_gone() {
        return Ok(blank);
    }
    let known = fresh.iter().find(|door| door.name == name);
    let known = known.ok_or_else(|| DecodeError::new("doors of another level"))?;
    input.pay(known.teams.iter().map(|team| team.len() + size_of::<String>()).sum())?;
    Ok(Door {
        area: known.area,
        position: known.position,
        bounds: known.bounds,
        moving_s: known.moving_s,
        one_way: known.one_way,
        teams: known.teams.clone(),
        ..blank
    })
}

/// Areas know the number of their door, which an edit of the level may have moved.
fn tell_areas(map: &mut LevelMap) {
    map.areas.iter_mut().for_each(|area| area.door = None);
    for (index, door) in map.doors.iter().enumerate().filter(|(_, door)| !door.is_gone()) {
        if let Some(area) = map.areas.get_mut(door.area.index()) {
            area.door = Some(index.into());
        }
    }
}

fn load_block(input: &mut ByteReader<'_>) -> Result<(Block, bool), DecodeError> {
    let block = Block {
        serial: Saved::load(input)?,
        owner: Saved::load(input)?,
        name: Saved::load(input)?,
        centre: LayerPoint { point: input.vector()?, layer: Saved::load(input)? },
        radius_m: input.float_in(0.0..=BLOCK_M)?,
        area: Saved::load(input)?,
        is_over: input.flag()?,
    };
    Ok((block, input.flag()?))
}

/// Blocks on the map: those that were in force are, the others wait for step 5.
fn put_blocks(
    input: &mut ByteReader<'_>,
    map: &mut LevelMap,
    blocks: Vec<(Block, bool)>,
    ground: RestoreGround,
) -> Result<(), DecodeError> {
    if blocks.len() > BLOCKS_MAX {
        return Err(DecodeError::new("more blocks than there may be"));
    }
    if ground == RestoreGround::Same {
        lay_blocks(input, map, &blocks)?;
    }
    let mut in_force = Vec::new();
    for (block, is_there) in blocks {
        // A changed level puts them where they belong.
        if ground == RestoreGround::Same {
            let edit = |available| AreaEdit { area: block.area, available: Some(available), factor: None };
            if is_there {
                in_force.push(NavEdit::Area(edit(true)));
            }
            if block.is_over || !is_there {
                map.edits.areas.insert(block.area, edit(!block.is_over));
            }
        }
        map.blocks.push(block);
    }
    map.nav.apply(&in_force);
    Ok(())
}

/// Adds the obstacles of blocks to the map, under the numbers that they had: the hash of the ground tells of
/// them. Between them lie those of blocks that are gone.
fn lay_blocks(
    input: &mut ByteReader<'_>,
    map: &mut LevelMap,
    blocks: &[(Block, bool)],
) -> Result<(), DecodeError> {
    let mut order: Vec<&Block> = blocks.iter().map(|(block, _)| block).collect();
    ordered::sort_by_key(&mut order, |block| block.area);
    let mut used = Vec::new();
    for block in order {
        let across = 2.0 * block.radius_m / map.nav.node_m().max(1e-3) + 2.0;
        input.pay((across * across).min(map.nav.node_count() as f32) as usize * size_of::<[u32; 2]>())?;
        let first = used.first().map_or_else(|| map.nav.add_obstacle(&[], block.centre, 0.0), |first| *first);
        let place = block.area.index().checked_sub(first.index()).filter(|&place| place < BLOCKS_MAX);
        let place = place.filter(|&place| place >= used.len());
        let place = place.ok_or_else(|| DecodeError::new("a block that has the number of another thing"))?;
        while used.len() < place {
            input.pay(used.len() * size_of::<AreaId>())?;
            used.push(map.nav.add_obstacle(&used, block.centre, 0.0));
        }
        used.push(map.nav.add_obstacle(&used, block.centre, block.radius_m));
    }
    Ok(())
}

/// Cells that are not as the level says.
fn save_cells(out: &mut ByteWriter, nav: &NavMap) {
    let layers = (0..nav.layer_count() as u8).filter_map(|layer| Some((layer, nav.layer(layer)?)));
    let cells: Vec<_> =
        layers.flat_map(|(layer, map)| map.edited_cells().map(move |cell| (layer, cell))).collect();
    out.list(cells.into_iter(), |out, (layer, (cell, tile))| {
        layer.save(out);
        cell.save(out);
        out.flag(tile.walkable);
        out.float(tile.factor);
        out.byte(tile.leave);
    });
}

fn load_cells(input: &mut ByteReader<'_>, nav: &NavMap) -> Result<Vec<NavEdit>, DecodeError> {
    let layers = nav.layer_count();
    let cells = input.list(|input| {
        Ok(TileEdit {
            layer: Saved::load(input)?,
            cell: Saved::load(input)?,
            walkable: Some(input.flag()?),
            factor: Some(input.float_in(0.0..=1e3)?),
            leave: Some(input.byte()?),
        })
    })?;
    Ok(cells.into_iter().filter(|edit| usize::from(edit.layer) < layers).map(NavEdit::Tile).collect())
}

/// Tiles that are not as at first: where, by the name of the layer, what they were, what they are.
fn save_tiles(out: &mut ByteWriter, tiles: &Tiles) {
    let names: Vec<&str> = tiles.layer_names().collect();
    let edited: Vec<_> = tiles.edited().collect();
    out.list(edited.into_iter(), |out, (spot, was, is)| {
        out.text(names.get(usize::from(spot.layer)).copied().unwrap_or_default());
        out.word(u64::from(spot.column));
        out.word(u64::from(spot.row));
        was.save(out);
        is.save(out);
    });
}

fn load_tiles(
    input: &mut ByteReader<'_>,
    ground: RestoreGround,
    map: &mut LevelMap,
) -> Result<(), DecodeError> {
    let edited = input.option(|input| {
        input.list(|input| {
            let layer = input.text()?;
            let (column, row) = (input.count()?, input.count()?);
            Ok((layer, (column, row), Tile::load(input)?, Tile::load(input)?))
        })
    })?;
    let (Some(edited), Some(tiles)) = (edited, map.tiles.as_mut()) else { return Ok(()) };
    let tiles = Arc::make_mut(tiles);
    for (layer, (column, row), was, is) in edited {
        let spot = tiles.layer(&layer).map(|layer| TileSpot { layer, column, row });
        let is_as_it_was = |spot| tiles.tile(spot) == Some(&was);
        match spot.filter(|spot| is_as_it_was(*spot)) {
            Some(spot) => _ = tiles.set(spot, is),
            None if ground == RestoreGround::Same => return Err(DecodeError::new("tiles of another level")),
            None => {}
        }
    }
    Ok(())
}

fn load_waiting_tiles(
    input: &mut ByteReader<'_>,
    ground: RestoreGround,
    map: &mut LevelMap,
) -> Result<(), DecodeError> {
    let waiting: Vec<(TileSpot, TileWish)> = Saved::load(input)?;
    for (spot, (walkable, factor)) in waiting.into_iter().filter(|_| ground == RestoreGround::Same) {
        let frame = map.nav.layer(spot.layer).map(|layer| *layer.frame());
        let cell = frame.and_then(|frame| frame.cell_of_tile([spot.column, spot.row]));
        let (x, z) = cell.ok_or_else(|| DecodeError::new("tiles of another level"))?;
        let edit = TileEdit { layer: spot.layer, cell: [x, z], walkable, factor, leave: None };
        map.edits.tiles.insert(spot, edit);
    }
    Ok(())
}
