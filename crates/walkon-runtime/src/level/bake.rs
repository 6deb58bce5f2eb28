//! Builds the map of a level as cells, and reports mistakes in the level and its map together.
//!
//! In: a [`LevelDef`] with its names resolved. Out: a [`NavMap`] as the level begins, the text grid of the
//! same map, and findings: too many cells, areas without one, doors that close nothing, characters in walls.
//! Holds: the number of cells is known and refused before anything is allocated; an area's number is its
//! place in [`Resolved::areas`]. Not here: how polygons become cells (`nav`).

use super::actions;
use super::ascii::AsciiCells;
use super::def::{
    AreaDef, AsciiDef, GridDef, Hierarchy, LevelDef, LinkDef, LinkEnd, NavigationDef, TilesDef,
};
use super::diagnostic::{Findings, PendingDiagnostic, Span, code};
use super::loaded::Level;
use super::mesh::build::grid_source;
use super::numbers;
use super::resolve::{self, NamedArea, Resolved};
use super::textgrid::TextGrid;
use super::tiles::TileCells;
use crate::base::geom::{Bounds, EDGE_M, Point, ground, polygon_contains};
use crate::base::ids::AreaId;
use crate::nav::cells::{self, CellArea, CellMap, CellMapError, CellSource, MapFrame, grid_frame};
use crate::nav::{LayerLink, LayerPoint, Layers, LayersError, NavMap, Traversal};

/// Most cells of one door that are looked at to see whether it closes anything.
const SAMPLES_MAX: u64 = 100_000;
/// Most comparisons of a cell with a corner that looking at the cells of all doors may take: a second or two.
const COMPARISONS_MAX: u64 = 1 << 27;

/// How far a character is moved at most when the level puts it where it cannot stand, metres.
pub const SNAP_M: f32 = 8.0;

/// The text grid of a layer of a level's map as the level begins: what `walkon bake` writes. None where the
/// map has no cells, or others than squares with eight neighbours, or no such layer.
#[must_use]
pub fn text_grid(level: &Level, layer: u8) -> Option<TextGrid> {
    let cells = level.map.layer(layer)?;
    let frame = cells.frame();
    let sizes = match &level.def.navigation {
        NavigationDef::Grid(grid) => grid.sizes,
        NavigationDef::Ascii(ascii) => ascii.sizes,
        NavigationDef::Tiles(tiles) if tiles.is_plain_grid() => tiles.sizes(),
        NavigationDef::TextGrid(grid) => grid.sizes,
        NavigationDef::Tiles(_) | NavigationDef::Graph(_) | NavigationDef::File(_) => return None,
    };
    let (width, depth) = (frame.width, frame.depth);
    let walkable = (0..depth).flat_map(|z| (0..width).map(move |x| cells.walkable(x, z))).collect();
    Some(TextGrid { sizes, min_x: frame.min_x, min_z: frame.min_z, width, depth, walkable })
}

/// The map of a level, or findings that say why there is none.
pub(crate) fn build(findings: &mut Findings, def: &LevelDef, resolved: &Resolved) -> Option<NavMap> {
    if let NavigationDef::Graph(graph) = &def.navigation {
        let mut map = NavMap::Graph(super::graph::build::build(graph, resolved));
        actions::join(findings, &def.navigation, None, &mut map);
        return Some(map);
    }
    if let NavigationDef::Grid(GridDef { mesh: Some(mesh), .. }) = &def.navigation {
        let mut map = super::mesh::build::build(findings, def, mesh, resolved).map(NavMap::Mesh)?;
        let floor_y_m = resolve::floor_y_m(def);
        actions::join(findings, &def.navigation, floor_y_m, &mut map);
        return Some(map);
    }
    if let NavigationDef::Tiles(tiles) = &def.navigation {
        return tile_map(findings, def, tiles, resolved);
    }
    let built = match &def.navigation {
        NavigationDef::Grid(grid) => CellMap::from_grid(&grid_source(grid, resolved)),
        NavigationDef::Ascii(ascii) => {
            CellMap::from_cells(&ascii_source(ascii, resolved.ascii.as_ref()?, resolved))
        }
        NavigationDef::TextGrid(grid) => CellMap::from_cells(&text_source(grid)),
        // Graphs and tiles were built above; a file that could not be read was reported where it was named.
        NavigationDef::Graph(_) | NavigationDef::Tiles(_) | NavigationDef::File(_) => return None,
    };
    match built {
        Ok(cells) => Some(NavMap::Cells(cells)),
        Err(error) => {
            refuse(findings, def, &error);
            None
        }
    }
}

/// The map of a tile map: a grid, or several with the links between them.
fn tile_map(
    findings: &mut Findings,
    def: &LevelDef,
    tiles: &TilesDef,
    resolved: &Resolved,
) -> Option<NavMap> {
    let cells = resolved.tiles.as_ref()?;
    let layer = |layer| CellMap::from_cells(&tile_source(tiles, cells, layer, resolved));
    let built: Result<Vec<CellMap>, CellMapError> = (0..cells.layers.len()).map(layer).collect();
    let mut maps = match built {
        Ok(maps) => maps,
        Err(error) => {
            refuse(findings, def, &error);
            return None;
        }
    };
    for map in &mut maps {
        map.set_hierarchy(match tiles.hierarchy {
            Hierarchy::Auto => cells::HierarchyUse::Auto,
            Hierarchy::On => cells::HierarchyUse::On,
            Hierarchy::Off => cells::HierarchyUse::Off,
        });
    }
    if maps.len() == 1 && tiles.links.is_empty() {
        return maps.pop().map(NavMap::Cells);
    }
    let names = actions::checked_names(findings, &def.navigation)?;
    let links: Vec<Option<LayerLink>> = tiles
        .links
        .iter()
        .enumerate()
        .map(|(index, link)| layer_link(findings, tiles, &names, index, link))
        .collect();
    let links: Option<Vec<LayerLink>> = links.into_iter().collect();
    match Layers::new(maps, links?) {
        Ok(layers) => Some(NavMap::Layers(layers)),
        Err(error) => {
            findings.error(|| bad_links(tiles, &error));
            None
        }
    }
}

/// A link, its layers by number; None, and a finding, for a layer that is not there.
fn layer_link(
    findings: &mut Findings,
    tiles: &TilesDef,
    actions: &[String],
    index: usize,
    link: &LinkDef,
) -> Option<LayerLink> {
    let names = || tiles.layers.iter().map(|layer| layer.name.value.as_str());
    let mut end = |end: &LinkEnd, key: &str| {
        let wanted = end.layer.value.as_str();
        let Some(layer) = names().position(|name| name == wanted).and_then(|layer| u8::try_from(layer).ok())
        else {
            findings.error(|| {
                let message =
                    format!("links[{index}].{key}.layer is \"{wanted}\", which is not a layer of this map");
                PendingDiagnostic::new(code::UNRESOLVED, end.layer.span, message)
                    .at(format!("/navigation/links/{index}/{key}/layer"))
                    .suggest(wanted, names())
            });
            return None;
        };
        Some(LayerPoint { layer, point: resolve::world(end.position.value, Some(tiles.floor_y_m)) })
    };
    let (from, to) = (end(&link.from, "from"), end(&link.to, "to"));
    let action = link.action.as_ref().and_then(|action| actions::number(actions, action));
    Some(LayerLink { from: from?, to: to?, both_ways: link.both_ways, cost_m: link.cost_m as f32, action })
}

/// Why there can be no such layers, where it stands in the file.
fn bad_links(tiles: &TilesDef, error: &LayersError) -> PendingDiagnostic {
    let at = match *error {
        LayersError::UnknownLayer { link, .. }
        | LayersError::Beyond { link, .. }
        | LayersError::LinkCost { link, .. } => Some(link),
        LayersError::TooManyLinks { .. } | LayersError::Count { .. } | LayersError::Areas { .. } => None,
    };
    let span = at.and_then(|link| tiles.links.get(link)).map_or(tiles.span, |link| link.spot.span);
    let pointer = at.map_or("/navigation".to_owned(), |link| format!("/navigation/links/{link}"));
    PendingDiagnostic::new(code::MAP, span, error.to_string()).at(pointer)
}

/// Whether the map of a level has too many cells, without building it. Other faults of a map that could not
/// be read whole were reported where they stand.
pub(crate) fn check_size(findings: &mut Findings, def: &LevelDef, resolved: &Resolved) {
    if let NavigationDef::Grid(grid) = &def.navigation
        && grid.mesh.is_none()
        && let Err(error @ CellMapError::TooBig { .. }) = grid_frame(&grid_source(grid, resolved))
    {
        refuse(findings, def, &error);
    }
}

fn refuse(findings: &mut Findings, def: &LevelDef, error: &CellMapError) {
    let (span, pointer, sizes) = match &def.navigation {
        NavigationDef::Grid(grid) => (grid.span, grid.pointer.as_str(), grid.sizes),
        NavigationDef::Ascii(ascii) => (ascii.span, "/navigation", ascii.sizes),
        NavigationDef::Tiles(tiles) => (tiles.span, "/navigation", tiles.sizes()),
        NavigationDef::TextGrid(grid) => (Span::new(findings.last_file(), 0, 0), "", grid.sizes),
        NavigationDef::Graph(_) | NavigationDef::File(_) => return,
    };
    findings.error(|| match error {
        CellMapError::TooBig { cells } => {
            let limit = super::textgrid::CELLS_MAX;
            let least = rounded_up(sizes.cell_size_m * libm::sqrt(cells / limit as f64));
            let message = format!("the grid needs {} cells, limit {}", rough(*cells), grouped(limit));
            let finding = PendingDiagnostic::new(code::GRID_TOO_BIG, span, message).at(pointer);
            if least <= super::numbers::CELL_SIZE.max {
                finding.help(format!("set cellSize to {least} or more, or make the areas smaller"))
            } else {
                finding.help("make the areas smaller")
            }
        }
        CellMapError::TileRatio { .. } => {
            PendingDiagnostic::new(code::RANGE, span, error.to_string()).at(format!("{pointer}/tileWidth"))
        }
        CellMapError::Coordinate { .. } => {
            PendingDiagnostic::new(code::EXTENT, span, error.to_string()).at(pointer)
        }
        _ => PendingDiagnostic::new(code::RANGE, span, error.to_string()).at(pointer),
    });
}

/// Two digits, never less than the value.
fn rounded_up(value: f64) -> f64 {
    let mut unit = 1000.0;
    // Bounded: cell sizes end at 0.01.
    while unit > 0.001 && value < unit * 10.0 {
        unit /= 10.0;
    }
    let tens = (value / unit).ceil();
    if unit >= 1.0 { tens * unit } else { tens / (1.0 / unit).round() }
}

/// A count as people read it: in groups of three digits.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count beyond counting: `10^16`, `3.2 x 10^12`, or its digits while they are few.
fn rough(count: f64) -> String {
    if count < 1e9 {
        return grouped(count as u64);
    }
    let (mut mantissa, mut exponent) = (count, 0);
    // Bounded: a double has at most 308 of these.
    while mantissa >= 9.95 {
        mantissa /= 10.0;
        exponent += 1;
    }
    if mantissa < 1.05 { format!("10^{exponent}") } else { format!("{mantissa:.1} x 10^{exponent}") }
}

fn ascii_source(ascii: &AsciiDef, cells: &AsciiCells, resolved: &Resolved) -> CellSource {
    let uniform = cells.factor.iter().all(|factor| *factor == 1.0);
    let state = |area: &NamedArea| CellArea { available: area.available, factor: area.cost };
    CellSource {
        frame: MapFrame {
            min_x: ascii.origin[0],
            min_z: ascii.origin[1],
            cell_size_m: ascii.sizes.cell_size_m,
            width: cells.width,
            depth: cells.depth,
            floor_y_m: ascii.sizes.floor_y_m,
            ..MapFrame::default()
        },
        agent_radius_m: ascii.sizes.agent_radius_m,
        object_padding_m: ascii.sizes.object_padding_m,
        boundary_padding_m: ascii.sizes.boundary_padding_m,
        walkable: cells.walkable.clone(),
        factor: if uniform { Vec::new() } else { cells.factor.clone() },
        area: if resolved.areas.is_empty() { Vec::new() } else { cells.area.clone() },
        areas: resolved.areas.iter().map(state).collect(),
        leave: Vec::new(),
    }
}

/// One layer of a tile map.
fn tile_source(tiles: &TilesDef, cells: &TileCells, layer: usize, resolved: &Resolved) -> CellSource {
    let frame = cells.frame;
    let [columns, _] = frame.tile_count();
    // Cells without a tile, which hexagons and diamonds have, are blocked ground.
    let kinds: Vec<u16> = (0..frame.depth)
        .flat_map(|z| (0..frame.width).map(move |x| frame.tile_of_cell(x, z)))
        .map(|tile| {
            tile.map_or(TileCells::BLOCKED, |[column, row]| {
                cells.layers[layer][row as usize * columns as usize + column as usize]
            })
        })
        .collect();
    let meaning = |kind: &u16| &cells.meanings[usize::from(*kind)];
    let uniform = kinds.iter().all(|kind| meaning(kind).tile.cost == 1.0);
    let open = kinds.iter().all(|kind| meaning(kind).one_way.is_none());
    let leave = |kind: &u16| meaning(kind).one_way.as_ref().map_or(0, |ways| tiles.layout.forbidden(ways));
    let state = |area: &NamedArea| CellArea { available: area.available, factor: area.cost };
    let list = |is_empty: bool| if is_empty { &[][..] } else { kinds.as_slice() };
    CellSource {
        frame,
        agent_radius_m: tiles.agent_radius_m,
        object_padding_m: tiles.object_padding_m,
        boundary_padding_m: tiles.boundary_padding_m,
        walkable: kinds.iter().map(|kind| meaning(kind).tile.navigable).collect(),
        factor: list(uniform).iter().map(|kind| meaning(kind).tile.cost).collect(),
        area: list(resolved.areas.is_empty()).iter().map(|kind| meaning(kind).area).collect(),
        areas: resolved.areas.iter().map(state).collect(),
        leave: list(open).iter().map(leave).collect(),
    }
}

fn text_source(grid: &TextGrid) -> CellSource {
    CellSource {
        frame: MapFrame {
            min_x: grid.min_x,
            min_z: grid.min_z,
            cell_size_m: grid.sizes.cell_size_m,
            width: grid.width,
            depth: grid.depth,
            floor_y_m: grid.sizes.floor_y_m,
            ..MapFrame::default()
        },
        agent_radius_m: grid.sizes.agent_radius_m,
        object_padding_m: grid.sizes.object_padding_m,
        boundary_padding_m: grid.sizes.boundary_padding_m,
        walkable: grid.walkable.clone(),
        factor: Vec::new(),
        area: Vec::new(),
        areas: Vec::new(),
        leave: Vec::new(),
    }
}

/// What only the map can tell: areas without cells, doors that close nothing, characters in walls.
pub(crate) fn settle(findings: &mut Findings, def: &LevelDef, resolved: &Resolved, map: &NavMap) {
    let cells = map.cells_by_area(resolved.areas.len());
    // Of a graph only links can be walked on.
    let is_without_links = map.graph().is_some_and(|graph| graph.net().links().is_empty());
    if map.islands().is_empty() || is_without_links {
        no_ground(findings, def, shut_ground(def, resolved, map, &cells));
    } else {
        far_out(findings, map);
    }
    let is_mesh = matches!(&def.navigation, NavigationDef::Grid(GridDef { mesh: Some(_), .. }));
    let (what, help) = if is_mesh {
        ("has no polygon: the paddings leave nothing of it", "make it larger, or the paddings smaller")
    } else {
        ("owns no cell: the middle of none lies inside it", "make it wider than a cell, or the cells smaller")
    };
    for (area, cells) in resolved.areas.iter().zip(cells).filter(|(area, _)| !area.obstacle) {
        if cells == 0 {
            findings.warn(|| {
                let message = format!("area \"{}\" {what}", area.name);
                PendingDiagnostic::new(code::NO_CELLS, area.span, message)
                    .at(area.pointer.as_str())
                    .help(help)
            });
        }
    }
    if let NavigationDef::Grid(grid) = &def.navigation {
        doors_that_close_nothing(findings, def, grid, resolved, map);
    }
    characters_in_walls(findings, def, map);
}

/// A map without ground to walk on; `shut` says what lies over its ground, if it has some.
fn no_ground(findings: &mut Findings, def: &LevelDef, shut: Option<String>) {
    let span = Span::new(findings.last_file(), 0, 0);
    let (what, help) = match &def.navigation {
        NavigationDef::Graph(_) => ("point", "give the graph points, and links between them"),
        NavigationDef::Tiles(_) => ("tile", "draw tiles that can be walked on"),
        NavigationDef::Ascii(_) => ("cell", "draw cells that can be walked on"),
        NavigationDef::Grid(GridDef { mesh: Some(_), .. }) => ("polygon", "give the mesh polygons"),
        _ => ("cell", "make the areas larger, or cellSize and the paddings smaller"),
    };
    findings.warn(|| {
        let message = format!("no {what} of this map can be walked on");
        let finding = PendingDiagnostic::new(code::NO_CELLS, span, message);
        finding.help(shut.unwrap_or_else(|| help.to_owned()))
    });
}

/// The first area with ground that is not there as the level begins, and what to do about it. `cells` are
/// those of each area.
fn shut_ground(def: &LevelDef, resolved: &Resolved, map: &NavMap, cells: &[u32]) -> Option<String> {
    let is_shut = |at: usize| map.area_state(AreaId::from(at)).is_some_and(|(is_there, _)| !is_there);
    let mut areas = resolved.areas.iter().zip(cells).enumerate();
    let (at, (area, _)) = areas.find(|(at, (area, cells))| **cells > 0 && !area.obstacle && is_shut(*at))?;
    let mut doors = def.doors.iter().zip(&resolved.door_areas);
    let name = &area.name;
    Some(match doors.find(|(_, own)| own.index() == at) {
        Some((door, _)) => {
            let door = &door.name.value;
            format!(
                "door \"{door}\" is closed over area \"{name}\": open it, or lay ground that is not part of a door"
            )
        }
        None => format!("area \"{name}\" is not available: make it available, or lay other ground"),
    })
}

/// A map so far from the origin that bodies cannot be told apart from where they were a step before.
fn far_out(findings: &mut Findings, map: &NavMap) {
    let Bounds { min, max } = map.bounds();
    let reach = |axis: usize| if max[axis] > -min[axis] { max[axis] } else { min[axis] };
    let [x, z] = [0, 1].map(reach);
    let far_m = x.abs().max(z.abs());
    if far_m <= numbers::NEAR_ORIGIN_M {
        return;
    }
    let (span, at_m) = (Span::new(findings.last_file(), 0, 0), far_m as f32);
    findings.warn(|| {
        let (near_m, rounded_m) = (numbers::NEAR_ORIGIN_M, at_m.next_up() - at_m);
        let message = format!(
            "the map reaches to [{x:.0}, {z:.0}], expected -{near_m} to {near_m} metres: places there are rounded \
             to {rounded_m:.3} m, and walks may get stuck"
        );
        PendingDiagnostic::new(code::EXTENT, span, message)
            .at("/navigation")
            .help("move the whole level near to [0, 0]")
    });
}

/// A closed door whose area another area covers stops no one.
fn doors_that_close_nothing(
    findings: &mut Findings,
    def: &LevelDef,
    grid: &GridDef,
    resolved: &Resolved,
    map: &NavMap,
) {
    let Some(cells) = map.cells() else { return };
    let outline = |(area, named): (_, &NamedArea)| BoundedArea { area, bounds: named.bounds };
    let outlines: Vec<BoundedArea<'_>> = grid.areas.iter().zip(&resolved.areas).map(outline).collect();
    let mut comparisons_left = COMPARISONS_MAX;
    for (door, area_id) in def.doors.iter().zip(&resolved.door_areas) {
        let area = &resolved.areas[area_id.index()];
        let (own, all) = covered_cells(&outlines, area_id.index(), cells.frame(), &mut comparisons_left);
        // Cells on the edge belong to both sides of it, so a few are always shared.
        if all == 0 || 2 * own < all {
            continue;
        }
        findings.warn(|| {
            let message = format!(
                "door \"{}\" closes nothing: {own} of the {all} cells of area \"{}\" belong to other areas too",
                door.name.value, area.name
            );
            PendingDiagnostic::new(code::DOOR, area.span, message)
                .at(area.pointer.as_str())
                .help("give the doorway ground of its own: cut it out of the areas around it")
        });
    }
}

/// An area of a grid, and the rectangle around it.
struct BoundedArea<'a> {
    area: &'a AreaDef,
    bounds: Bounds,
}

impl BoundedArea<'_> {
    fn holds(&self, point: Point) -> bool {
        self.bounds.grown(EDGE_M).contains(point) && polygon_contains(&self.area.polygon, point)
    }
}

/// Of the cells inside an area, how many lie inside another area as well; and all of them. Of a door as large
/// as a level some cells are looked at, and none once all doors together took as many comparisons as they
/// may.
fn covered_cells(
    outlines: &[BoundedArea<'_>],
    own: usize,
    frame: &MapFrame,
    comparisons_left: &mut u64,
) -> (u32, u32) {
    let Some(area) = outlines.get(own) else { return (0, 0) };
    let near = area.bounds.grown(EDGE_M);
    let is_other = |(index, other): &(usize, &BoundedArea<'_>)| *index != own && near.overlaps(&other.bounds);
    let others: Vec<&BoundedArea<'_>> =
        outlines.iter().enumerate().filter(is_other).map(|(_, other)| other).collect();
    if others.is_empty() {
        return (0, 0);
    }
    let corners = |outline: &BoundedArea<'_>| outline.area.polygon.len().max(1) as u64;
    let comparisons = corners(area) + others.iter().map(|other| corners(other)).sum::<u64>();
    let samples = SAMPLES_MAX.min(*comparisons_left / comparisons);
    let (low, high) = (frame.cell_at(area.bounds.min), frame.cell_at(area.bounds.max));
    let (mut covered, mut all) = (0, 0);
    let places = (low.1..=high.1).flat_map(|z| (low.0..=high.0).map(move |x| (x, z))).take(samples as usize);
    for (x, z) in places {
        *comparisons_left -= comparisons; // There are as many samples as it does for.
        let (Ok(x), Ok(z)) = (u32::try_from(x), u32::try_from(z)) else { continue };
        if x >= frame.width || z >= frame.depth {
            continue;
        }
        let middle = ground(frame.on_floor(frame.centre(x, z)));
        if area.holds(middle) {
            all += 1;
            covered += u32::from(others.iter().any(|other| other.holds(middle)));
        }
    }
    (covered, all)
}

fn characters_in_walls(findings: &mut Findings, def: &LevelDef, map: &NavMap) {
    let floor = resolve::floor_y_m(def);
    for (index, character) in def.characters.iter().enumerate() {
        let layer = character.layer.as_ref().map_or(0, |layer| def.layer_number(&layer.value));
        let by = Traversal { radius_m: character.radius_m as f32, layer, ..Traversal::default() };
        let wanted = resolve::world(character.position.value, floor);
        if map.is_walkable(wanted, &by) || map.closed_ground(wanted, &by).is_some() {
            continue;
        }
        let (span, pointer) = (character.position.span, format!("/characters/{index}/position"));
        let name = &character.name.value;
        match map.nearest(wanted, SNAP_M, &by) {
            Some(found) => findings.warn(|| {
                let [x, z] = shown(ground(found.point));
                let message = format!("character \"{name}\" cannot stand here and will begin at [{x}, {z}]");
                PendingDiagnostic::new(code::SPAWN, span, message).at(pointer)
            }),
            None => findings.error(|| {
                let message =
                    format!("character \"{name}\" cannot stand here, nor anywhere within {SNAP_M} m");
                let finding = PendingDiagnostic::new(code::SPAWN, span, message).at(pointer);
                match map.nearest(wanted, f32::MAX, &by) {
                    Some(found) => {
                        let [x, z] = shown(ground(found.point));
                        finding.help(format!("the nearest place to stand is [{x}, {z}]"))
                    }
                    None if map.islands().is_empty() => finding.help("this map has no ground to stand on"),
                    None => finding.help("no place of this map is open and wide enough for it"),
                }
            }),
        }
    }
}

/// A point as a sentence shows it: to the centimetre.
pub(crate) fn shown(point: Point) -> Point {
    point.map(|value| (value * 100.0).round() / 100.0 + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doors_are_sampled_only_as_long_as_comparisons_are_left() {
        let square = |side: f64| AreaDef {
            polygon: vec![[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]],
            ..AreaDef::default()
        };
        let (areas, frame) = ([square(20.0), square(10.0)], MapFrame { width: 20, depth: 20, ..frame() });
        let outline = |area| BoundedArea { area, bounds: Bounds::of(&area.polygon) };
        let outlines: Vec<BoundedArea<'_>> = areas.iter().map(outline).collect();
        let mut left = COMPARISONS_MAX;
        assert_eq!(covered_cells(&outlines, 0, &frame, &mut left), (100, 400));
        assert_eq!(covered_cells(&outlines, 1, &frame, &mut left), (100, 100));
        let mut left = 8 * 30 + 7;
        assert_eq!(covered_cells(&outlines, 0, &frame, &mut left).1, 30 - 1, "21 columns, the last outside");
        assert_eq!((covered_cells(&outlines, 1, &frame, &mut left), left), ((0, 0), 7));
        let apart = AreaDef { polygon: vec![[30.0, 0.0], [40.0, 0.0], [40.0, 9.0]], ..AreaDef::default() };
        let outlines = [outline(&areas[0]), outline(&apart)];
        assert_eq!((covered_cells(&outlines, 0, &frame, &mut left), left), ((0, 0), 7), "nothing is near");
    }

    fn frame() -> MapFrame {
        MapFrame { cell_size_m: 1.0, ..MapFrame::default() }
    }

    #[test]
    fn counts_are_shown_as_people_read_them() {
        assert_eq!(rough(1.000_06e16), "10^16");
        assert_eq!(rough(3.24e12), "3.2 x 10^12");
        assert_eq!(rough(20_000_000.0), "20,000,000");
        assert_eq!(grouped(16_777_216), "16,777,216");
    }

    #[test]
    fn suggested_sizes_are_short_and_never_too_small() {
        for value in [0.0123, 0.4001, 1.0, 3.47, 24.415, 99.0] {
            let least = rounded_up(value);
            assert!(least >= value && least <= value * 1.1, "{value}: {least}");
            assert!(format!("{least}").len() <= 6, "{least}");
        }
    }
}
