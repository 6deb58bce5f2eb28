//! Turns layers of tiles into ground: walkable or not, its cost, the ways out of it.
//!
//! In: a [`RawMap`]. Out: [`TileGround`]: one kind for each cell of each layer that is walked on, door tiles,
//! the numbers of the report. Holds: layers add up in their order, a walkable one never opens what another
//! one blocks; as soon as one layer says that it is walkable, only painted cells are; a layer that says
//! nothing is a picture; a layer counts where it is drawn; cells of an infinite map that no layer paints are
//! no ground. Not here: objects (`things`), where cells lie (`place`).

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;

use super::distinct::{DISTINCT_MAX, Distinct};
use super::files::short;
use super::inheritance::Inheritance;
use super::place::MapPlacement;
use super::raw::{
    GID_MASK, Properties, Property, PropertyValue, RawContent, RawLayer, RawMap, RawTile, Rect,
};
use super::types::Types;
use super::words::{self, LeftOut, Said, truth, truth_of};
use crate::level::def::POLYGONS_MAX;
use crate::level::diagnostic::{Findings, PendingDiagnostic, Span, code};
use crate::level::numbers;
use crate::level::tiled::place::PlacedMap;
use crate::world::tiles::Terrain;

/// Names of the layers that are walked on, by their number.
pub(super) const LAYER_NAMES: [&str; 8] =
    ["ground", "sky", "underground", "volume", "custom1", "custom2", "custom3", "custom4"];

/// A flag of [`CellKind::closed`]: the tile may not be left towards the north, and so on.
pub(super) const NORTH: u8 = 0x02;
pub(super) const EAST: u8 = 0x04;
pub(super) const SOUTH: u8 = 0x08;
pub(super) const WEST: u8 = 0x10;
/// Flags of a door tile.
const DOOR_OPEN: u32 = 0x01;
const DOOR_LOCKED: u32 = 0x02;
const DOOR_SECRET: u32 = 0x04;

/// What a cell is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CellKind {
    pub walkable: bool,
    /// Price of a metre, when it is not that of the terrain.
    pub cost: Option<f64>,
    pub terrain: Terrain,
    pub tags: Vec<String>,
    /// Ways out that are forbidden: [`NORTH`] and so on.
    pub closed: u8,
    /// Index into [`TileGround::areas`].
    pub area: Option<u16>,
}

impl CellKind {
    /// An order in which only equal ones are alike.
    fn compare(&self, other: &Self) -> Ordering {
        let cost = |one: &Self| one.cost.map(f64::to_bits);
        let numbers = |one: &Self| (one.area, one.walkable, cost(one), one.terrain, one.closed);
        numbers(self).cmp(&numbers(other)).then_with(|| self.tags.cmp(&other.tags))
    }
}

/// A door drawn with tiles.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DoorTile {
    pub open: bool,
    pub locked: bool,
    pub key: Option<String>,
    pub name: Option<String>,
    pub area: u16,
}

/// What the layers of a map make of its cells.
#[derive(Clone, Debug, Default)]
pub(super) struct TileGround {
    /// The layers that are walked on: for each cell its kind.
    pub layers: Vec<Vec<u16>>,
    pub kinds: Distinct<CellKind>,
    /// Whether there were more kinds than there may be. Their cells are of the first kind then.
    pub has_too_many_kinds: bool,
    /// Names of areas and where they are named.
    pub areas: Vec<(String, Span)>,
    /// By index of the areas that say so: whether they hide what is behind them.
    pub sights: BTreeMap<u16, bool>,
    pub doors: Vec<DoorTile>,
}

/// What the layers of a map made of its cells, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TiledReport {
    /// `orthogonal`, `isometric`, `staggered` or `hexagonal`.
    pub orientation: &'static str,
    /// Columns of the map that was made.
    pub width: u32,
    /// Rows of the map that was made.
    pub height: u32,
    /// Width of a tile, pixels, as the file states it.
    #[serde(rename = "tileWidth")]
    pub tile_width_px: u32,
    /// Height of a tile, pixels, as the file states it.
    #[serde(rename = "tileHeight")]
    pub tile_height_px: u32,
    /// Whether the map's cells come in chunks.
    pub infinite: bool,
    /// Each layer of the file in its order.
    pub layers: Vec<LayerReport>,
    /// All layers that are walked on together: cells that can be walked on, that cannot, that a border
    /// blocks.
    pub total: Counts,
    /// What has no place in the level, by name: objects, properties, elements.
    #[serde(rename = "leftOut")]
    pub left_out: Vec<LeftOut>,
}

/// Cells of one layer of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LayerReport {
    /// Its name, with those of its groups.
    pub name: String,
    /// `walkable`, `obstacle`, `picture` or `objects`.
    pub role: &'static str,
    /// The layer it belongs to of those that are walked on.
    pub on: &'static str,
    /// Its cells that are not empty, or its objects.
    pub filled: u64,
    /// What became of them.
    #[serde(flatten)]
    pub counts: Counts,
}

/// Numbers of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Can be walked on.
    pub navigable: u64,
    /// Cannot be walked on.
    pub blocked: u64,
    /// Blocked because they lie beside a painted one.
    pub border: u64,
}

/// What a layer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LayerRole {
    Walkable,
    Obstacle,
    Picture,
}

/// What a tile says that matters to walkers.
#[derive(Clone, Debug, Default, PartialEq)]
struct Meaning {
    terrain: Option<Terrain>,
    cost: Option<f64>,
    slow: Option<f64>,
    tags: Vec<String>,
    closed: u8,
    is_blocked: bool,
    door: Option<(u32, Option<String>, Option<String>)>,
}

impl Meaning {
    /// An order in which only equal ones are alike.
    fn compare(&self, other: &Self) -> Ordering {
        let bits = |number: Option<f64>| number.map(f64::to_bits);
        let numbers = |one: &Self| (one.terrain, bits(one.cost), bits(one.slow), one.closed, one.is_blocked);
        let texts = || self.tags.cmp(&other.tags).then_with(|| self.door.cmp(&other.door));
        numbers(self).cmp(&numbers(other)).then_with(texts)
    }
}

/// Flags of a cell while layers add up.
const BLOCKED: u8 = 1;
const FLOOR: u8 = 2;
const BORDER: u8 = 4;
const PAINTED: u8 = 8;

/// Adds up the layers of a map.
pub(super) fn lay(
    findings: &mut Findings,
    said: &mut Said,
    PlacedMap { map, types, place }: PlacedMap<'_>,
) -> (TileGround, TiledReport) {
    let mut laying = Laying {
        findings,
        said,
        map,
        types,
        inheritance: Inheritance::default(),
        place,
        table: Vec::new(),
        meanings: Distinct::default(),
        has_roles: map.layers.iter().any(|layer| is_for_walking(&layer.properties)),
    };
    laying.read_meanings();
    laying.lay()
}

fn is_for_walking(properties: &Properties) -> bool {
    ["isTilesetWalkable", "useTilesetBorder"].iter().any(|name| properties.get(name).is_some())
}

struct Laying<'r, 'f> {
    findings: &'f mut Findings,
    said: &'r mut Said,
    map: &'r RawMap,
    types: &'r Types,
    /// What tiles may still take over from their classes.
    inheritance: Inheritance,
    place: &'r MapPlacement,
    /// Global ids of tiles with a meaning, sorted, and the place of the meaning in `meanings`.
    table: Vec<(u32, u16)>,
    /// The first is that of every other tile.
    meanings: Distinct<Meaning>,
    has_roles: bool,
}

/// The cells of a layer where they are drawn: a rectangle, row after row.
struct DrawnCells<'l> {
    rect: Rect,
    gids: Cow<'l, [u32]>,
}

impl Laying<'_, '_> {
    fn lay(&mut self) -> (TileGround, TiledReport) {
        self.names();
        let count = self.navigation_layers();
        let painted = self.painted();
        let rect = self.place.rect;
        let mut report = TiledReport {
            orientation: self.map.orientation.name(),
            width: rect.width,
            height: rect.height,
            tile_width_px: self.map.tile_width_px,
            tile_height_px: self.map.tile_height_px,
            infinite: self.map.infinite,
            ..TiledReport::default()
        };
        let mut ground = TileGround::default();
        let mut numbers: Vec<(usize, Option<usize>)> = Vec::new();
        for (index, layer) in self.map.layers.iter().enumerate() {
            let on = self.layer_number(layer, count);
            numbers.push((index, on));
            let role = match &layer.content {
                RawContent::Objects(_) => "objects",
                RawContent::Picture => "picture",
                RawContent::Tiles { .. } => match self.role(layer) {
                    LayerRole::Walkable => "walkable",
                    LayerRole::Obstacle => "obstacle",
                    LayerRole::Picture => "picture",
                },
            };
            let on = LAYER_NAMES[on.unwrap_or(0)];
            let filled = match &layer.content {
                RawContent::Objects(objects) => objects.len(),
                RawContent::Picture => 0,
                RawContent::Tiles { gids, .. } => gids.iter().filter(|gid| *gid & GID_MASK != 0).count(),
            } as u64;
            let counts = Counts::default();
            report.layers.push(LayerReport { name: layer.name.clone(), role, on, filled, counts });
        }
        for number in 0..count {
            let own = numbers.iter().filter(|(_, on)| *on == Some(number)).map(|(index, _)| *index);
            let own: Vec<usize> = own.collect();
            self.layer(&mut ground, &mut report, number, &own, painted.as_deref());
        }
        (ground, report)
    }

    /// What the map and its layers say that nobody here knows.
    fn names(&mut self) {
        let map = self.map;
        for property in &map.properties.0 {
            self.said.check_name(self.findings, property, words::OF_MAPS, "the map");
            if !words::OF_MAPS.contains(&property.name.as_str()) {
                let what = format!("property \"{}\" of the map", short(&property.name));
                self.said.leave_out(what, property.span);
            }
        }
        for layer in &map.layers {
            let known = match &layer.content {
                RawContent::Tiles { .. } => words::OF_LAYERS,
                RawContent::Objects(_) => words::OF_OBJECT_LAYERS,
                RawContent::Picture => continue,
            };
            let whose = format!("layer \"{}\"", short(&layer.name));
            // What a group says may be meant for layers of the other kind in it.
            let all = [words::OF_LAYERS, words::OF_OBJECT_LAYERS].concat();
            for property in layer.properties.0.iter().filter(|one| !all.contains(&one.name.as_str())) {
                self.said.check_name(self.findings, property, known, &whose);
                let what = format!("property \"{}\" of {whose}", short(&property.name));
                self.said.leave_out(what, property.span);
            }
            let truths =
                layer.properties.0.iter().filter(|one| !matches!(one.name.as_str(), "collisionLayer"));
            for property in truths.filter(|one| known.contains(&one.name.as_str())) {
                if truth_of(&property.value).is_none() {
                    let said = shown(&property.value);
                    let sentence = format!("{} of {whose} is {said}, expected true or false", property.name);
                    self.said.odd(self.findings, property, &sentence);
                }
            }
        }
    }

    /// On an infinite map the cells that any layer paints: all cells between and around them are no ground.
    /// None on other maps, and on a map without any painted cell.
    fn painted(&self) -> Option<Vec<bool>> {
        if !self.map.infinite {
            return None;
        }
        let mut painted = vec![false; self.place.rect.cells() as usize];
        for layer in &self.map.layers {
            let Some(DrawnCells { rect, gids }) = self.cells(layer) else { continue };
            for (at, _) in gids.iter().enumerate().filter(|(_, gid)| *gid & GID_MASK != 0) {
                if let Some(cell) = self.place.index(rect.cell(at)) {
                    painted[cell] = true;
                }
            }
        }
        painted.contains(&true).then_some(painted)
    }

    /// The cells of a layer where they are drawn: an offset moves them by whole tiles. None for layers of
    /// other kinds.
    fn cells<'l>(&self, layer: &'l RawLayer) -> Option<DrawnCells<'l>> {
        let RawContent::Tiles { rect, gids } = &layer.content else { return None };
        if layer.offset_px == [0.0, 0.0] {
            return Some(DrawnCells { rect: *rect, gids: Cow::Borrowed(gids) });
        }
        let moved = self.place.drawn_tiles(*rect, gids, layer.offset_px);
        let around = Rect::around_cells(moved.iter().map(|(cell, _)| *cell));
        let mut drawn = vec![0; around.cells() as usize];
        for ([x, y], gid) in moved {
            drawn[(y - around.y) as usize * around.width as usize + (x - around.x) as usize] = gid;
        }
        Some(DrawnCells { rect: around, gids: Cow::Owned(drawn) })
    }

    /// The effect of an offset on a layer that is walked on, where it is not plain.
    fn note_offset(&mut self, layer: &RawLayer, cells: &DrawnCells<'_>) {
        if layer.offset_px == [0.0, 0.0] {
            return;
        }
        let name = short(&layer.name);
        let [x, y] = layer.offset_px;
        if !self.place.drawn_at([0, 0], layer.offset_px).1 {
            let message = format!(
                "layer \"{name}\" is drawn {x}, {y} pixels away, which is not a whole number of tiles: each of its tiles counts in the \
                 cell that its middle lies in"
            );
            self.findings
                .note(|| PendingDiagnostic::new(code::MAP, layer.span, message).at(layer.pointer.as_str()));
        }
        let outside = cells
            .gids
            .iter()
            .enumerate()
            .filter(|(at, gid)| *gid & GID_MASK != 0 && self.place.index(cells.rect.cell(*at)).is_none());
        let outside = outside.count() as u64;
        if outside > 0 {
            let what = format!("tiles of layer \"{name}\", which its offset moves off the map");
            self.said.leave_out_times(what, outside, layer.span);
        }
    }

    /// How many layers are walked on.
    fn navigation_layers(&mut self) -> usize {
        if let Some(property) = self.map.properties.get("navigationLayers") {
            return match &property.value {
                PropertyValue::Number(count) if *count == count.trunc() && (1.0..=8.0).contains(count) => {
                    *count as usize
                }
                other => {
                    let sentence =
                        format!("navigationLayers is {}, expected a whole number, 1 to 8", shown(other));
                    self.said.odd(self.findings, property, &sentence);
                    self.named_layers()
                }
            };
        }
        self.named_layers()
    }

    /// As many layers as the layers of the file name.
    fn named_layers(&self) -> usize {
        let layers =
            self.map.layers.iter().filter_map(|layer| number_of(&layer.properties, "collisionLayer"));
        layers.max().map_or(1, |most| most + 1)
    }

    /// The layer of those walked on that a layer of the file belongs to: the first when it names none of
    /// them.
    fn layer_number(&mut self, layer: &RawLayer, count: usize) -> Option<usize> {
        let Some(property) = layer.properties.get("collisionLayer") else { return Some(0) };
        let number = number_of(&layer.properties, "collisionLayer");
        if number.is_some_and(|number| number < count) {
            return number;
        }
        let sentence = format!(
            "collisionLayer of layer \"{}\" is {}, expected {}",
            short(&layer.name),
            shown(&property.value),
            layers_expected(count)
        );
        self.said.odd(self.findings, property, &sentence);
        Some(0)
    }

    fn role(&self, layer: &RawLayer) -> LayerRole {
        match truth(&layer.properties, "isTilesetWalkable") {
            Some(true) => LayerRole::Walkable,
            Some(false) => LayerRole::Obstacle,
            None => LayerRole::Picture,
        }
    }

    fn layer(
        &mut self,
        ground: &mut TileGround,
        report: &mut TiledReport,
        number: usize,
        own: &[usize],
        painted: Option<&[bool]>,
    ) {
        let cells = self.place.rect.cells() as usize;
        let mut flags = vec![0u8; cells];
        let mut tops = vec![0u16; cells];
        let mut has_floor = false;
        for index in own {
            let layer = &self.map.layers[*index];
            let Some(drawn) = self.cells(layer) else { continue };
            let role = self.role(layer);
            has_floor |= role == LayerRole::Walkable;
            let counts = &mut report.layers[*index].counts;
            self.paint(role, &drawn, &mut flags, &mut tops, counts);
            if role != LayerRole::Picture || !self.has_roles {
                self.note_offset(layer, &drawn);
            }
            if truth(&layer.properties, "useTilesetBorder") == Some(true) {
                counts.border = self.border(layer, &drawn, &mut flags, role);
            }
        }
        for (flag, painted) in flags.iter_mut().zip(painted.unwrap_or_default()) {
            *flag |= if *painted { PAINTED } else { 0 };
        }
        let needs_paint = painted.is_some();
        // One kind for each meaning, open and closed, looked up once.
        let mut known: Vec<[Option<u16>; 2]> = vec![[None; 2]; self.meanings.values.len()];
        let mut layer = Vec::with_capacity(cells);
        for (flag, top) in flags.iter().zip(&tops) {
            let is_there = if has_floor { flag & FLOOR != 0 } else { !needs_paint || flag & PAINTED != 0 };
            let open = flag & (BLOCKED | BORDER) == 0 && is_there;
            let own = &mut known[usize::from(*top)][usize::from(open)];
            let kind = if open { open_kind } else { blocked_kind };
            layer.push(
                *own.get_or_insert_with(|| ground.number(kind(&self.meanings.values[usize::from(*top)]))),
            );
            report.total.border += u64::from(flag & BORDER != 0);
        }
        self.doors(ground, number, &mut layer, &flags, &tops);
        ground.layers.push(layer);
    }

    /// Adds the cells of a layer to those below it.
    fn paint(
        &self,
        role: LayerRole,
        DrawnCells { rect, gids }: &DrawnCells<'_>,
        flags: &mut [u8],
        tops: &mut [u16],
        counts: &mut Counts,
    ) {
        let mut last = (0, 0u16);
        for (at, gid) in gids.iter().enumerate() {
            let id = gid & GID_MASK;
            let Some(cell) = self.place.index(rect.cell(at)) else { continue };
            if id == 0 {
                continue;
            }
            if last.0 != id {
                last = (id, self.meaning(id));
            }
            let meaning = &self.meanings.values[usize::from(last.1)];
            let is_told = role != LayerRole::Picture || !self.has_roles;
            if is_told && last.1 != 0 {
                tops[cell] = last.1;
            }
            // A door is an opening also where it is drawn among the walls.
            let is_door = is_told && meaning.door.is_some();
            let is_lava = is_told
                && (meaning.is_blocked || meaning.terrain.is_some_and(|terrain| !terrain.is_navigable()));
            if is_lava || (role == LayerRole::Obstacle && !is_door) {
                flags[cell] |= BLOCKED;
                counts.blocked += 1;
            } else if role == LayerRole::Walkable || is_door {
                flags[cell] |= FLOOR;
                counts.navigable += 1;
            }
        }
    }

    /// Blocks the empty cells beside those of a layer, and counts them.
    fn border(
        &mut self,
        layer: &RawLayer,
        DrawnCells { rect, gids }: &DrawnCells<'_>,
        flags: &mut [u8],
        role: LayerRole,
    ) -> u64 {
        if role == LayerRole::Obstacle {
            let name = short(&layer.name);
            self.findings.warn(|| {
                let message = format!(
                    "layer \"{name}\" is an obstacle with a border, which closes ways of up to two tiles"
                );
                PendingDiagnostic::new(code::CHOICE, layer.span, message)
                    .at(layer.pointer.as_str())
                    .help("set useTilesetBorder on the layer that is walked on")
            });
        }
        let painted = |[column, row]: [i32; 2]| {
            let (x, y) = (i64::from(column) - i64::from(rect.x), i64::from(row) - i64::from(rect.y));
            let inside = (0..i64::from(rect.width)).contains(&x) && (0..i64::from(rect.height)).contains(&y);
            inside && gids[y as usize * rect.width as usize + x as usize] & GID_MASK != 0
        };
        let surroundings = self.place.surroundings();
        let mut count = 0;
        for at in 0..gids.len() {
            let cell = rect.cell(at);
            if !painted(cell) {
                continue;
            }
            for beside in surroundings.of(cell) {
                if painted(beside) {
                    continue;
                }
                let Some(index) = self.place.index(beside) else { continue };
                // Counted once, however many painted cells lie around it.
                count += u64::from(flags[index] & BORDER == 0);
                flags[index] |= BORDER;
            }
        }
        count
    }

    /// Doors: tiles that are one, those of one kind that touch one another together.
    fn doors(
        &mut self,
        ground: &mut TileGround,
        number: usize,
        cells: &mut [u16],
        flags: &[u8],
        tops: &[u16],
    ) {
        if self.meanings.values.iter().all(|meaning| meaning.door.is_none()) {
            return;
        }
        let rect = self.place.rect;
        let is_door = |index: usize| {
            self.meanings.values[usize::from(tops[index])].door.is_some() && flags[index] & BLOCKED == 0
        };
        let mut taken = vec![false; cells.len()];
        for start in 0..cells.len() {
            if taken[start] || !is_door(start) {
                continue;
            }
            let Some((door, key, name)) = self.meanings.values[usize::from(tops[start])].door.clone() else {
                continue;
            };
            if ground.areas.len() > POLYGONS_MAX {
                return; // One more than there may be, for which the map is refused.
            }
            let (column, row) = (start as u32 % rect.width, start as u32 / rect.width);
            let (x, y) = (rect.x + column as i32, rect.y + row as i32);
            let layer = if number == 0 { String::new() } else { format!("{} ", LAYER_NAMES[number]) };
            let area = ground.areas.len().min(usize::from(u16::MAX)) as u16;
            ground.areas.push((format!("{layer}door {x},{y}"), self.map.span));
            let mut open = vec![start];
            taken[start] = true;
            // By kind of a cell: what it is as part of this door.
            let mut kinds: BTreeMap<u16, u16> = BTreeMap::new();
            while let Some(index) = open.pop() {
                let kind = cells[index];
                cells[index] = *kinds.entry(kind).or_insert_with(|| ground.door_kind(kind, area));
                let cell = [
                    rect.x + (index as u32 % rect.width) as i32,
                    rect.y + (index as u32 / rect.width) as i32,
                ];
                for beside in self.place.around(cell).into_iter().filter_map(|cell| self.place.index(cell)) {
                    if !taken[beside] && is_door(beside) && tops[beside] == tops[start] {
                        taken[beside] = true;
                        open.push(beside);
                    }
                }
            }
            let (open, locked) = (door & DOOR_OPEN != 0, door & DOOR_LOCKED != 0);
            ground.doors.push(DoorTile { open, locked, key, name, area });
        }
    }

    fn meaning(&self, id: u32) -> u16 {
        self.table.binary_search_by_key(&id, |(known, _)| *known).map_or(0, |at| self.table[at].1)
    }

    fn read_meanings(&mut self) {
        let map = self.map;
        self.meanings.number(Meaning::default(), Meaning::compare);
        for (index, (first, tileset)) in map.tilesets.iter().enumerate() {
            let end = map.tilesets.get(index + 1).map_or(GID_MASK, |(next, _)| *next);
            for tile in tileset.tiles.iter().filter(|tile| first.saturating_add(tile.id) < end) {
                let tile = self.with_defaults(tile);
                let meaning = self.meaning_of(&tile);
                match self.meanings.number(meaning, Meaning::compare) {
                    Some(0) => {}
                    Some(number) => self.table.push((first + tile.id, number)),
                    None => {
                        self.refuse_meanings(tile.span);
                        return;
                    }
                }
            }
        }
    }

    /// A tile with the defaults of its class.
    fn with_defaults<'t>(&mut self, tile: &'t RawTile) -> Cow<'t, RawTile> {
        let Some(defaults) = self.types.of(&tile.class) else { return Cow::Borrowed(tile) };
        if !self.inheritance.takes(self.findings, tile.span, defaults) {
            return Cow::Borrowed(tile);
        }
        let mut whole = tile.clone();
        whole.properties.add_missing(defaults);
        Cow::Owned(whole)
    }

    fn refuse_meanings(&mut self, span: Span) {
        self.findings.error(|| {
            let message =
                format!("the tiles of the map have more than {DISTINCT_MAX} meanings, which is the limit");
            PendingDiagnostic::new(code::LIMIT, span, message)
        });
    }

    fn meaning_of(&mut self, tile: &RawTile) -> Meaning {
        let mut meaning = Meaning { terrain: self.terrain(tile), ..Meaning::default() };
        meaning.cost = self.factor(tile, "cost");
        meaning.slow = self.factor(tile, "slowMultiplier");
        let base = meaning.terrain.map_or(1.0, price);
        let cost = meaning.cost.unwrap_or(base) * meaning.slow.unwrap_or(1.0);
        if !numbers::COST.holds(cost) {
            let name = if meaning.slow.is_some() { "slowMultiplier" } else { "cost" };
            self.odd(tile, name, &format!("makes a metre cost {cost}, expected {}", numbers::COST.range()));
            (meaning.cost, meaning.slow) = (None, None);
        }
        for property in &tile.properties.0 {
            let name = property.name.as_str();
            let text = text_of(&property.value);
            match name {
                "isSafeZone" if self.is_true(tile, property) == Some(true) => {
                    meaning.tags.push("safeZone".to_owned());
                }
                "isDynamic" if self.is_true(tile, property) == Some(true) => {
                    meaning.tags.push("dynamic".to_owned());
                }
                "tags" => meaning.tags.extend(split(&text).map(str::to_owned)),
                "blocked" | "isBlocked" => meaning.is_blocked |= self.is_true(tile, property) == Some(true),
                "walkable" | "isNavigable" => {
                    meaning.is_blocked |= self.is_true(tile, property) == Some(false);
                }
                "oneWay" | "oneWayFlags" => meaning.closed = self.closed(tile, name),
                "door" | "doorFlags" => meaning.door = self.door(tile, name).or(meaning.door.take()),
                _ if name.ends_with("State") => meaning.tags.push(format!("{name}={text}")),
                _ if words::OF_TILES.contains(&name) => {}
                _ => self.unknown(tile, property),
            }
        }
        if meaning.door.as_ref().is_some_and(|(flags, ..)| flags & DOOR_SECRET != 0) {
            meaning.tags.push("secret".to_owned());
        }
        meaning.tags.retain(|tag| !tag.trim().is_empty() && tag.len() <= crate::level::json::NAME_BYTES_MAX);
        meaning.tags.retain(|tag| !tag.chars().any(char::is_control));
        meaning.tags.truncate(crate::level::forms::TAGS_MAX);
        meaning
    }

    /// A property of a tile that is true or false; a note when it is neither.
    fn is_true(&mut self, tile: &RawTile, property: &Property) -> Option<bool> {
        let truth = truth_of(&property.value);
        if truth.is_none() {
            let what = format!("is {}, expected true or false", shown(&property.value));
            self.odd(tile, &property.name, &what);
        }
        truth
    }

    /// A property of a tile that nobody here knows: scripts do not see it either.
    fn unknown(&mut self, tile: &RawTile, property: &Property) {
        let whose = format!("tile {}", tile.id);
        self.said.check_name(self.findings, property, words::OF_TILES, &whose);
        let what = format!("property \"{}\" of tiles", short(&property.name));
        self.said.leave_out(what, property.span);
    }

    fn terrain(&mut self, tile: &RawTile) -> Option<Terrain> {
        let property = tile.properties.get("terrainType")?;
        let PropertyValue::Text(name) = &property.value else {
            let what = format!("is {}, expected the name of a terrain", shown(&property.value));
            self.odd(tile, "terrainType", &what);
            return None;
        };
        let lower = name.trim().to_lowercase();
        let found = Terrain::find(&lower);
        if found.is_none() && !lower.is_empty() {
            let names = Terrain::ALL.map(Terrain::name);
            self.findings.warn(|| {
                let message = format!(
                    "terrainType is \"{}\", which is not a terrain: it is taken for ground",
                    short(name)
                );
                PendingDiagnostic::new(code::CHOICE, property.span, message).suggest(&lower, names)
            });
        }
        found
    }

    /// A number that makes ground more expensive or cheaper.
    fn factor(&mut self, tile: &RawTile, name: &str) -> Option<f64> {
        let property = tile.properties.get(name)?;
        let number = match &property.value {
            PropertyValue::Number(number) => Some(*number),
            PropertyValue::Text(text) => text.trim().parse().ok(),
            _ => None,
        };
        match number {
            Some(number) if number.is_finite() && number > 0.0 => Some(number),
            _ => {
                self.odd(tile, name, &format!("is {}, expected a number above 0", shown(&property.value)));
                None
            }
        }
    }

    fn odd(&mut self, tile: &RawTile, name: &str, what: &str) {
        let Some(property) = tile.properties.get(name) else { return };
        self.said.odd(self.findings, property, &format!("{name} of tile {} {what}", tile.id));
    }

    /// The ways out that a tile forbids: flags, or words.
    fn closed(&mut self, tile: &RawTile, name: &str) -> u8 {
        const ALL: u8 = NORTH | EAST | SOUTH | WEST;
        const WORDS: [(&str, u8); 4] = [("north", NORTH), ("east", EAST), ("south", SOUTH), ("west", WEST)];
        let Some(property) = tile.properties.get(name) else { return 0 };
        match &property.value {
            PropertyValue::Number(flags) if *flags == flags.trunc() && (0.0..=31.0).contains(flags) => {
                *flags as u8 & ALL
            }
            PropertyValue::Text(text) => {
                let mut closed = 0;
                for word in split(text) {
                    let Some((_, flag)) = WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word))
                    else {
                        let what = format!("has \"{}\", expected north, east, south or west", short(word));
                        self.odd(tile, name, &what);
                        return 0;
                    };
                    closed |= flag;
                }
                closed
            }
            other => {
                let what = format!("is {}, expected flags (2 north, 4 east, 8 south, 16 west)", shown(other));
                self.odd(tile, name, &what);
                0
            }
        }
    }

    /// The door of a tile. None when it says that it is no door, or says nothing known.
    fn door(&mut self, tile: &RawTile, name: &str) -> Option<(u32, Option<String>, Option<String>)> {
        let flags = self.door_flags(tile, name)?;
        let key = ["key", "requiresKey"].iter().find_map(|key| tile.properties.get(key));
        let key = key.map(|key| text_of(&key.value)).filter(|key| !key.is_empty());
        let own = tile.properties.get("name").map(|name| text_of(&name.value));
        // An object that wants a key is locked.
        let flags = if key.is_some() { flags | DOOR_LOCKED } else { flags };
        Some((flags, key, own.filter(|name| !name.is_empty())))
    }

    fn door_flags(&mut self, tile: &RawTile, name: &str) -> Option<u32> {
        const WORDS: [(&str, u32); 4] =
            [("open", DOOR_OPEN), ("locked", DOOR_LOCKED), ("secret", DOOR_SECRET), ("closed", 0)];
        let property = tile.properties.get(name)?;
        let expected =
            "expected true, false, flags (1 open, 2 locked, 4 secret), or open, closed, locked, secret";
        match &property.value {
            PropertyValue::Number(flags) if *flags == flags.trunc() && (0.0..=7.0).contains(flags) => {
                return Some(*flags as u32);
            }
            PropertyValue::Text(text) if text.trim().is_empty() => return None,
            PropertyValue::Text(text) if truth_of(&property.value).is_none() => {
                let known = |word: &str| WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
                match split(text).find(|word| known(word).is_none()) {
                    None => {
                        return Some(split(text).filter_map(known).fold(0, |flags, (_, flag)| flags | flag));
                    }
                    Some(word) => self.odd(tile, name, &format!("has \"{}\", {expected}", short(word))),
                }
            }
            PropertyValue::Number(number) => self.odd(tile, name, &format!("is {number}, {expected}")),
            other => match truth_of(other) {
                Some(is_door) => return is_door.then_some(0),
                None => self.odd(tile, name, &format!("is {}, {expected}", shown(other))),
            },
        }
        None
    }
}

/// What a metre costs on a terrain, as people write it: 1.2, not the nearest single-precision number.
fn price(terrain: Terrain) -> f64 {
    (f64::from(terrain.cost()) * 1000.0).round() / 1000.0
}

/// The kind of an open cell with a tile of some meaning.
fn open_kind(meaning: &Meaning) -> CellKind {
    let terrain = meaning.terrain.unwrap_or_default();
    let base = price(terrain);
    let cost = match (meaning.cost, meaning.slow) {
        (None, None) => None,
        (cost, slow) => Some(cost.unwrap_or(base) * slow.unwrap_or(1.0)),
    };
    let (tags, closed) = (meaning.tags.clone(), meaning.closed);
    CellKind { walkable: true, cost, terrain, tags, closed, area: None }
}

/// The kind of a cell with such a tile that is not open.
fn blocked_kind(meaning: &Meaning) -> CellKind {
    CellKind { walkable: false, closed: 0, ..open_kind(meaning) }
}

impl TileGround {
    /// The number of a kind; a new one when it was not met before.
    pub(super) fn number(&mut self, kind: CellKind) -> u16 {
        let number = self.kinds.number(kind, CellKind::compare);
        self.has_too_many_kinds |= number.is_none();
        number.unwrap_or(0)
    }

    /// The kind of a cell of a kind that becomes part of a door.
    fn door_kind(&mut self, kind: u16, area: u16) -> u16 {
        let before = self.kinds.values[usize::from(kind)].clone();
        self.number(CellKind { area: Some(area), walkable: true, ..before })
    }
}

/// What a sentence says of layers that there are.
pub(super) fn layers_expected(count: usize) -> String {
    format!("0 to {} (navigationLayers is {count})", count.saturating_sub(1))
}

/// The layer of those walked on that a property names, by its number or its name.
pub(super) fn number_of(properties: &Properties, name: &str) -> Option<usize> {
    let whole =
        |number: f64| (number == number.trunc() && (0.0..8.0).contains(&number)).then_some(number as usize);
    match &properties.get(name)?.value {
        PropertyValue::Number(number) => whole(*number),
        PropertyValue::Text(text) => {
            let named = LAYER_NAMES.iter().position(|known| known.eq_ignore_ascii_case(text.trim()));
            named.or_else(|| text.trim().parse().ok().and_then(whole))
        }
        _ => None,
    }
}

/// A value as text; empty for a value that has none.
pub(super) fn text_of(value: &PropertyValue) -> String {
    match value {
        PropertyValue::Text(text) => text.clone(),
        PropertyValue::Number(number) => number.to_string(),
        PropertyValue::Truth(truth) => truth.to_string(),
        _ => String::new(),
    }
}

/// A value as a sentence shows it.
pub(super) fn shown(value: &PropertyValue) -> String {
    match value {
        PropertyValue::Text(text) => format!("\"{}\"", short(text)),
        PropertyValue::Number(number) => number.to_string(),
        PropertyValue::Truth(truth) => truth.to_string(),
        PropertyValue::Object(id) => format!("object {id}"),
        PropertyValue::Class(_) => "a class of values".to_owned(),
    }
}

/// The words of a list: `north, east`.
pub(super) fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', '|', ' ']).map(str::trim).filter(|word| !word.is_empty())
}
