//! Turns a [`RawMap`] into a level.
//!
//! In: the contents of the files, the defaults of classes. Out: a [`LevelDef`] and the report of its layers.
//! Holds: every kind of cell is one character of the legend; the level's own keys (`script`, `seed`, ...) are
//! properties of the map in Tiled. Not here: what layers and objects mean (`ground`, `things`).

use super::TiledOptions;
use super::ground::{self, CellKind, EAST, LAYER_NAMES, NORTH, SOUTH, TileGround, TiledReport, WEST, shown};
use super::place::MapPlacement;
use super::raw::{Orientation, PropertyValue, RawMap};
use super::things;
use super::types::Types;
use super::words::Said;
use crate::level::def::{
    Heading, LayerDef, LevelDef, NavigationDef, Projection, StaggerAxis, StaggerIndex, TileLayout,
    TileLegendDef, TilesDef,
};
use crate::level::diagnostic::{Findings, Located, PendingDiagnostic, code};
use crate::level::numbers::{self, Number};
use crate::level::source::{checked_path, stem};
use crate::level::tiled::place::PlacedMap;
use crate::world::tiles::Terrain;

/// Characters of a legend in the order in which kinds take them; kinds beyond take what Unicode has.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789~=+*:;,^-_|/<>!?%&$@";

/// A map that was read.
pub(super) struct ReadMap<'a> {
    /// The map.
    pub map: &'a RawMap,
    /// The defaults of classes.
    pub types: &'a Types,
    /// Its file.
    pub path: &'a str,
}

/// Makes the level of a map.
pub(super) fn make(
    findings: &mut Findings,
    said: &mut Said,
    read: &ReadMap<'_>,
    options: &TiledOptions,
) -> (LevelDef, TiledReport) {
    let ReadMap { map, types, path } = *read;
    let place = MapPlacement::new(map, options);
    let placed = PlacedMap { map, types, place: &place };
    let (mut ground, mut report) = ground::lay(findings, said, placed);
    let things = things::put(findings, said, placed, &mut ground, &mut report);
    count(&ground, &mut report);
    let mut tiles = navigation(findings, &ground, placed, options);
    tiles.links = things.links;
    let mut def = LevelDef::of_map(stem(path), NavigationDef::Tiles(Box::new(tiles)));
    say(findings, said, map, &mut def);
    def.characters = things.characters;
    def.doors = things.doors;
    def.marks = things.marks;
    def.routes = things.routes;
    def.regions = things.regions;
    (def, report)
}

/// What the map says of the level: its script and seed, and how it is counted.
fn say(findings: &mut Findings, said: &mut Said, map: &RawMap, def: &mut LevelDef) {
    let mut whole = |name: &str, range: &Number| {
        let property = map.properties.get(name)?;
        match property.value {
            PropertyValue::Number(number) if range.holds(number) && number == number.trunc() => Some(number),
            _ => {
                let stated = shown(&property.value);
                let sentence = format!("{name} is {stated}, expected a whole number, {}", range.range());
                said.odd(findings, property, &sentence);
                None
            }
        }
    };
    if let Some(rate) = whole("tickRate", &numbers::TICK_RATE) {
        def.tick_rate = rate as u32;
    }
    if let Some(seed) = whole("seed", &numbers::SEED) {
        def.seed = seed as u64;
    }
    if let Some(budget) = whole("pathBudget", &numbers::PATH_BUDGET) {
        def.path_budget = budget as u32;
    }
    let Some(property) = map.properties.get("script") else { return };
    let name = ground::text_of(&property.value);
    match checked_path(&name) {
        Ok(()) => def.script = Some(Located::new(name, property.span)),
        Err(_) if name.is_empty() => {}
        Err(error) => {
            said.odd(findings, property, &format!("script is {}: {error}", shown(&property.value)));
        }
    }
}

fn count(ground: &TileGround, report: &mut TiledReport) {
    for layer in &ground.layers {
        let open =
            layer.iter().filter(|kind| ground.kinds.values[usize::from(**kind)].walkable).count() as u64;
        report.total.navigable += open;
        report.total.blocked += layer.len() as u64 - open;
    }
}

fn navigation(
    findings: &mut Findings,
    ground: &TileGround,
    PlacedMap { map, place, .. }: PlacedMap<'_>,
    options: &TiledOptions,
) -> TilesDef {
    let letters = letters(ground);
    let layout = match (map.orientation, map.stagger_x) {
        (Orientation::Orthogonal | Orientation::Isometric, _) => TileLayout::Square8,
        (Orientation::Staggered, _) => TileLayout::Staggered,
        (Orientation::Hexagonal, false) => TileLayout::HexPointy,
        (Orientation::Hexagonal, true) => TileLayout::HexFlat,
    };
    let layer = |(number, cells): (usize, &Vec<u16>)| {
        let row = |row: &[u16]| row.iter().map(|kind| letters[usize::from(*kind)]).collect::<String>();
        let rows = cells.chunks_exact(place.rect.width as usize);
        let mut rows: Vec<Located<String>> = rows.map(|cells| Located::new(row(cells), map.span)).collect();
        if place.is_flipped() {
            rows.reverse();
        }
        LayerDef { name: Located::new(LAYER_NAMES[number].to_owned(), map.span), rows }
    };
    let kinds = ground.kinds.values.iter().zip(&letters).filter(|(_, letter)| !"#.".contains(**letter));
    let legend =
        kinds.map(|(kind, letter)| (Located::new(*letter, map.span), legend(ground, kind, layout, place)));
    let [tile_width_m, tile_height_m] = place.tile_m();
    for size in [tile_width_m, tile_height_m] {
        if !numbers::TILE_SIZE.holds(size) {
            let range = numbers::TILE_SIZE.range();
            findings.error(|| {
                let message = format!("a tile is {tile_width_m} x {tile_height_m} m, expected {range}");
                PendingDiagnostic::new(code::RANGE, map.span, message)
                    .help("set metresPerPixel to another number")
            });
            break;
        }
    }
    TilesDef {
        agent_radius_m: options.sizes.agent_radius_m,
        object_padding_m: options.sizes.object_padding_m,
        boundary_padding_m: options.sizes.boundary_padding_m,
        floor_y_m: options.sizes.floor_y_m,
        layout,
        projection: if place.is_isometric() { Projection::Isometric } else { Projection::Flat },
        stagger_index: if place.is_even_moved() { StaggerIndex::Even } else { StaggerIndex::Odd },
        stagger_axis: if map.stagger_x { StaggerAxis::X } else { StaggerAxis::Z },
        tile_width_m,
        tile_height_m,
        origin: place.origin_m(),
        layers: ground.layers.iter().enumerate().map(layer).collect(),
        legend: legend.collect(),
        links: Vec::new(),
        hierarchy: options.hierarchy,
        span: map.span,
    }
}

fn legend(ground: &TileGround, kind: &CellKind, layout: TileLayout, place: &MapPlacement) -> TileLegendDef {
    let area = kind.area.map(|area| &ground.areas[usize::from(area)]);
    let is_open = kind.terrain.is_navigable();
    TileLegendDef {
        area: area.map(|(name, span)| Located::new(name.clone(), *span)),
        cost: kind.cost,
        mark: None,
        walkable: (kind.walkable != is_open).then_some(kind.walkable),
        blocks_sight: kind.area.and_then(|area| ground.sights.get(&area).copied()),
        terrain: kind.terrain,
        tags: kind.tags.clone(),
        one_way: (kind.closed != 0).then(|| ways_out(kind.closed, layout, place)),
    }
}

/// The ways out that are left: one between two sides of the compass needs both.
fn ways_out(closed: u8, layout: TileLayout, place: &MapPlacement) -> Vec<Heading> {
    let (north, south) = if place.is_flipped() { (SOUTH, NORTH) } else { (NORTH, SOUTH) };
    let needs = |heading: Heading| match heading {
        Heading::North => north,
        Heading::NorthEast => north | EAST,
        Heading::East => EAST,
        Heading::SouthEast => south | EAST,
        Heading::South => south,
        Heading::SouthWest => south | WEST,
        Heading::West => WEST,
        Heading::NorthWest => north | WEST,
    };
    layout.exits().into_iter().flatten().filter(|heading| needs(*heading) & closed == 0).collect()
}

/// A character for each kind: `#` and `.` keep their usual meanings.
fn letters(ground: &TileGround) -> Vec<char> {
    let mut free =
        LETTERS.chars().chain((0x00C0..0xFFFF).filter_map(char::from_u32).filter(|c| c.is_alphabetic()));
    let plain = |kind: &ground::CellKind| {
        kind.terrain == Terrain::Ground
            && kind.cost.is_none()
            && kind.tags.is_empty()
            && kind.closed == 0
            && kind.area.is_none()
    };
    let letter = |kind: &ground::CellKind| match (plain(kind), kind.walkable) {
        (true, true) => '.',
        (true, false) => '#',
        // There are more letters than there may be kinds.
        (false, _) => free.next().unwrap_or('\u{FFFD}'),
    };
    ground.kinds.values.iter().map(letter).collect()
}
