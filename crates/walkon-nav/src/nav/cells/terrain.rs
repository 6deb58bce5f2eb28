//! The terrain of a map of cells, and the cells that are walkable in a given state of its areas.
//!
//! In: a source; which areas and obstacles are available, and their factors. Out: rows of walkable cells and
//! of factors, for any window. Holds: a row depends on the source and the state alone, so that redoing a
//! window after an edit gives what a full rebuild gives, bit for bit. Where areas overlap, the factor of a
//! cell is that of the last listed available area around its centre; where none is available, of the last
//! listed. Not here: what keeps the state (`map`), bodies wider than the map's own (`clearance`).

use std::collections::BTreeMap;

use glam::Vec3;

use crate::base::geom::{self, Bounds, Point};
use crate::base::hash::StateHash;
use crate::base::ids::AreaId;
use crate::base::ordered;
use crate::nav::cell::Cell;
use crate::nav::cells::boundary_padding::{self, EdgePiece};
use crate::nav::cells::cell_directions::CellDirections;
use crate::nav::cells::raster::{self, Spans, Window};
use crate::nav::cells::source::{CellMapError, CellSource, GridSource, MapFrame, grid_frame};
use crate::nav::cells::{Bits, FACTOR_ONE, Unit, fixed_factor};
use crate::nav::edits::AreaState;

/// One cell by itself, whatever the areas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TileState {
    pub(crate) walkable: bool,
    /// Fixed point.
    pub(crate) factor: u16,
    /// Directions in which it may not be left.
    pub(crate) leave: u8,
}

/// The part of a cell map that its areas do not change; single cells of it may be edited.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellTerrain {
    pub(crate) frame: MapFrame,
    /// Cells that are of no area and yet ground, as packed rows; empty when there are none.
    fixed: Vec<u64>,
    /// Cells that are walls by themselves, whatever lies there, as packed rows; empty when there are none.
    solid: Vec<u64>,
    /// The cells of each area, walls included.
    areas: Vec<Spans>,
    /// The cells that each obstacle blocks.
    obstacles: Vec<Spans>,
    /// Pieces of the outer edge of the union, in order of area.
    pieces: Vec<EdgePiece>,
    /// Outlines of areas, then obstacles; empty for a `CellSource`.
    outlines: Vec<BoundedPolygon>,
    /// Factor of each cell by itself; empty when all are 1.
    cell_factor: Vec<u16>,
    /// How many cells have each factor by themselves; empty when all have 1.
    factor_counts: BTreeMap<u16, u32>,
    /// Where cells may not be left.
    exits: CellDirections,
}

/// A polygon and the rectangle around it.
#[derive(Clone, Debug)]
pub(crate) struct BoundedPolygon {
    pub(crate) polygon: Vec<Point>,
    pub(crate) bounds: Bounds,
}

impl CellTerrain {
    /// The unit of costs, where no cell has a greater factor than this.
    pub(crate) fn unit_for(&self, costliest: f32) -> Unit {
        let shape = self.frame.tiling.shape();
        // As many more cells as the longest step is longer than those of squares.
        let longest = if shape.is_plain() { 1.0 } else { shape.longest_step() };
        let cells = (f64::from(self.frame.cell_count()) * longest.max(1.0)).ceil() as u64;
        Unit::for_map(cells, fixed_factor(costliest))
    }

    /// Cut from polygons.
    pub(crate) fn from_grid(source: &GridSource) -> Result<(Self, Vec<AreaState>), CellMapError> {
        let frame = grid_frame(source)?;
        let polygons: Vec<Vec<Point>> = source.areas.iter().map(|area| area.polygon.clone()).collect();
        let keep_away_m = source.agent_radius_m + source.object_padding_m;
        let outlines = source.areas.iter().chain(&source.obstacles).map(|shape| BoundedPolygon {
            polygon: shape.polygon.clone(),
            bounds: Bounds::of(&shape.polygon),
        });
        let terrain = Self {
            frame,
            areas: polygons.iter().map(|polygon| raster::inside(&frame, polygon)).collect(),
            obstacles: source
                .obstacles
                .iter()
                .map(|obstacle| obstacle_cells(&frame, &obstacle.polygon, keep_away_m))
                .collect(),
            pieces: boundary_padding::pieces(&frame, &polygons, source.boundary_padding_m)?,
            outlines: outlines.collect(),
            ..Self::default()
        };
        let states = source.areas.iter().chain(&source.obstacles);
        let states = states.map(|shape| AreaState { available: shape.available, factor: shape.factor });
        Ok((terrain, states.collect()))
    }

    /// Taken cell by cell.
    pub(crate) fn from_cells(source: &CellSource) -> Result<(Self, Vec<AreaState>), CellMapError> {
        source.check()?;
        let frame = source.frame;
        let at = |x: u32, z: u32| (z * frame.width + x) as usize;
        let area_of = |cell: usize| source.area.get(cell).map_or(0, |&area| usize::from(area));
        let row_words = frame.width.div_ceil(64) as usize;
        let mut fixed = vec![0; row_words * frame.depth as usize];
        let mut solid = fixed.clone();
        let mut cells = vec![Vec::new(); source.areas.len()];
        for z in 0..frame.depth {
            for x in (0..frame.width).filter(|&x| frame.has_tile(x, z)) {
                let (word, bit) = (z as usize * row_words + x as usize / 64, 1 << (x % 64));
                match area_of(at(x, z)) {
                    0 => fixed[word] |= bit,
                    area => cells[area - 1].push([z, x]),
                }
                if !source.walkable[at(x, z)] {
                    solid[word] |= bit;
                }
            }
        }
        let mut terrain = Self {
            frame,
            fixed,
            solid,
            areas: cells.iter().map(|cells| raster::of_list(&frame, cells)).collect(),
            exits: CellDirections::new(&frame, &source.leave),
            ..Self::default()
        };
        if source.factor.iter().any(|&factor| factor != 1.0) {
            terrain.set_factors(source.factor.iter().map(|&factor| fixed_factor(factor)).collect());
        }
        let states = source.areas.iter();
        let states = states.map(|area| AreaState { available: area.available, factor: area.factor });
        Ok((terrain, states.collect()))
    }

    /// Number of areas; obstacles have the ids from here on.
    pub(crate) fn area_count(&self) -> usize {
        self.areas.len()
    }

    /// Puts an obstacle of these cells in the place of the one with that id, or behind the last.
    pub(crate) fn put_obstacle(&mut self, id: usize, cells: Spans) {
        match self.obstacles.get_mut(id - self.areas.len()) {
            Some(obstacle) => *obstacle = cells,
            None => self.obstacles.push(cells),
        }
    }

    /// The cells whose centre an area holds: it makes those of them walkable that are no walls.
    pub(crate) fn area(&self, area: usize) -> Option<&Spans> {
        self.areas.get(area)
    }

    /// Whether a cell is ground whatever the areas, unless it is a wall.
    pub(crate) fn is_fixed(&self, x: u32, z: u32) -> bool {
        self.is_set(&self.fixed, x, z)
    }

    /// Whether a cell is a wall by itself.
    pub(crate) fn is_solid(&self, x: u32, z: u32) -> bool {
        self.is_set(&self.solid, x, z)
    }

    fn is_set(&self, rows: &[u64], x: u32, z: u32) -> bool {
        let row_words = self.frame.width.div_ceil(64) as usize;
        let word = rows.get(z as usize * row_words + x as usize / 64);
        word.is_some_and(|word| word >> (x % 64) & 1 != 0)
    }

    /// Where cells may not be left.
    pub(crate) fn exits(&self) -> &CellDirections {
        &self.exits
    }

    /// A cell of the map by itself.
    pub(crate) fn tile(&self, x: u32, z: u32) -> TileState {
        let cell = (z * self.frame.width + x) as usize;
        TileState {
            walkable: !self.is_solid(x, z),
            factor: self.cell_factor.get(cell).copied().unwrap_or(FACTOR_ONE),
            leave: self.exits.leave(cell),
        }
    }

    /// Changes a cell of the map. Cost: constant, but for the first cell of a kind and the last.
    pub(crate) fn set_tile(&mut self, x: u32, z: u32, tile: TileState) {
        let now = self.tile(x, z);
        if tile.walkable != now.walkable {
            let row_words = self.frame.width.div_ceil(64) as usize;
            self.solid.resize(row_words * self.frame.depth as usize, 0);
            self.solid[z as usize * row_words + x as usize / 64] ^= 1 << (x % 64);
        }
        if tile.factor != now.factor {
            self.set_factor((z * self.frame.width + x) as usize, tile.factor);
        }
        if tile.leave != now.leave {
            self.exits.set(&self.frame, Cell { x, z }, tile.leave);
        }
    }

    fn set_factors(&mut self, factors: Vec<u16>) {
        self.factor_counts.clear();
        for &factor in &factors {
            *self.factor_counts.entry(factor).or_insert(0) += 1;
        }
        self.cell_factor = factors;
    }

    fn set_factor(&mut self, cell: usize, factor: u16) {
        if self.cell_factor.is_empty() {
            self.set_factors(vec![FACTOR_ONE; self.frame.cell_count() as usize]);
        }
        let before = std::mem::replace(&mut self.cell_factor[cell], factor);
        if let Some(count) = self.factor_counts.get_mut(&before) {
            *count -= 1;
        }
        self.factor_counts.retain(|_, count| *count > 0);
        *self.factor_counts.entry(factor).or_insert(0) += 1;
        if self.factor_counts.len() == 1 && self.factor_counts.contains_key(&FACTOR_ONE) {
            self.set_factors(Vec::new());
        }
    }

    /// Outlines of areas, then obstacles, each with its place; none for a `CellSource`.
    pub(crate) fn outlines(&self) -> &[BoundedPolygon] {
        &self.outlines
    }

    /// The middle of a cell on the floor.
    pub(crate) fn centre(&self, Cell { x, z }: Cell) -> Vec3 {
        self.frame.on_floor(self.frame.centre(x, z))
    }

    /// Whether an area holds a point, or the cell around it.
    pub(crate) fn is_around(&self, area: AreaId, point: Vec3) -> bool {
        let at = geom::ground(point);
        let is_inside = |outline: &BoundedPolygon| geom::polygon_contains(&outline.polygon, at);
        let is_owner = |Cell { x, z }| self.area(area.index()).is_some_and(|spans| spans.contains(x, z));
        self.outlines.get(area.index()).is_some_and(is_inside)
            || self.frame.cell_holding(at).is_some_and(is_owner)
    }

    /// Where toggling an area or obstacle can change walkable cells or factors; None when nowhere.
    pub(crate) fn footprint(&self, id: usize) -> Option<Window> {
        let Some(area) = self.areas.get(id) else {
            return self.obstacles.get(id - self.areas.len())?.window();
        };
        let mut all = area.window();
        // With a padding also cells of neighbours: a doorway that closes gives them an outer edge.
        let touching = self.pieces.iter().filter(|piece| piece.concerns(id as u32));
        for window in touching.filter_map(|piece| piece.spans.window()) {
            all = Some(all.map_or(window, |all| all.union(window)));
        }
        all
    }

    /// The parts of the map that shape a window, in a state of the areas.
    pub(crate) fn sheet(&self, window: Window, available: impl Fn(usize) -> bool) -> WindowSheet<'_> {
        let touches = |spans: &Spans| {
            let rows = spans.rows();
            rows.start < window.end_z && window.first_z < rows.end
        };
        let areas = self.areas.iter().enumerate().filter(|(at, spans)| available(*at) && touches(spans));
        let first_obstacle = self.areas.len();
        let obstacles = self.obstacles.iter().enumerate();
        let obstacles = obstacles.filter(|(at, spans)| available(first_obstacle + at) && touches(spans));
        let outer = self.pieces.iter().filter(|piece| touches(&piece.spans));
        let outer = outer.filter(|piece| piece.is_outer(|area| available(area as usize)));
        WindowSheet {
            terrain: self,
            window,
            ground: SpanRows::new(areas.map(|(_, spans)| (0, spans))),
            blocked: SpanRows::new(
                obstacles
                    .map(|(_, spans)| spans)
                    .chain(outer.map(|piece| &piece.spans))
                    .map(|spans| (0, spans)),
            ),
            row: vec![0; window.words().len()],
        }
    }

    /// All walkable cells in a state of the areas.
    pub(crate) fn walkable(&self, available: impl Fn(usize) -> bool) -> Bits {
        let window = Window::all(&self.frame);
        let mut sheet = self.sheet(window, available);
        let mut rows = Vec::with_capacity(window.words().len() * self.frame.depth as usize);
        for z in 0..self.frame.depth {
            rows.extend_from_slice(sheet.walkable_row(z));
        }
        Bits::from_rows(self.frame.width, self.frame.depth, &rows).shaped(self.frame.tiling.shape())
    }

    /// Whether cells have other factors than 1 in this state.
    pub(crate) fn is_weighted(&self, states: &[AreaState]) -> bool {
        !self.cell_factor.is_empty() || states[..self.areas.len()].iter().any(|state| state.factor != 1.0)
    }

    /// The smallest and the largest factor that cells can have in this state.
    pub(crate) fn factor_range(&self, states: &[AreaState]) -> (f32, f32) {
        let factors = || states[..self.areas.len()].iter().map(|state| state.factor);
        let (low, high) = (factors().fold(1.0, f32::min), factors().fold(1.0, f32::max));
        let own = |factor: Option<&u16>| factor.map_or(1.0, |&own| f32::from(own) / f32::from(FACTOR_ONE));
        let (least, most) = (self.factor_counts.keys().next(), self.factor_counts.keys().next_back());
        (low * own(least), high * own(most))
    }

    /// Writes the factors of a window into `factors`, one entry for each cell of the map. Whether any
    /// changed.
    pub(crate) fn paint_factors(&self, window: Window, states: &[AreaState], factors: &mut [u16]) -> bool {
        let (unavailable, available): (Vec<usize>, Vec<usize>) =
            (0..self.areas.len()).partition(|&area| !states[area].available);
        let order: Vec<usize> = unavailable
            .into_iter()
            .chain(available)
            .filter(|&area| self.areas[area].window().is_some_and(|around| around.overlaps(&window)))
            .collect();
        let mut row = vec![FACTOR_ONE; (window.end_x - window.first_x) as usize];
        let mut changed = false;
        for z in window.first_z..window.end_z {
            let first = (z * self.frame.width + window.first_x) as usize;
            let cells = first..first + row.len();
            match self.cell_factor.is_empty() {
                true => row.fill(FACTOR_ONE),
                false => row.copy_from_slice(&self.cell_factor[cells.clone()]),
            }
            for &area in &order {
                for &[from, to] in self.areas[area].row(z) {
                    let (from, to) = (from.max(window.first_x), to.min(window.end_x));
                    if from < to {
                        let span = (from - window.first_x) as usize..(to - window.first_x) as usize;
                        self.paint_span(
                            &mut row[span],
                            first + (from - window.first_x) as usize,
                            states[area].factor,
                        );
                    }
                }
            }
            changed |= factors[cells.clone()] != row;
            factors[cells].copy_from_slice(&row);
        }
        changed
    }

    /// Writes one factor into cells from `first` on, times their own.
    fn paint_span(&self, cells: &mut [u16], first: usize, factor: f32) {
        if self.cell_factor.is_empty() {
            cells.fill(fixed_factor(factor));
            return;
        }
        for (cell, &own) in cells.iter_mut().zip(&self.cell_factor[first..]) {
            *cell = fixed_factor(f32::from(own) / f32::from(FACTOR_ONE) * factor);
        }
    }

    /// Mixes in everything that decides walkable cells and factors at first.
    pub(crate) fn hash(&self, walkable: &Bits, factors: &[u16]) -> u64 {
        let mut hash = StateHash::default();
        let frame = &self.frame;
        for value in [frame.min_x, frame.min_z, frame.cell_size_m, frame.floor_y_m] {
            hash.number(value);
        }
        hash.word(u64::from(frame.width)).word(u64::from(frame.depth));
        // Grids of squares hash as they did before there were other layouts.
        if !frame.tiling.is_plain() {
            hash.text(&format!("{:?}", frame.layout()));
            frame.tile_size_m().into_iter().for_each(|value| {
                hash.number(value);
            });
        }
        for z in 0..frame.depth {
            for word in 0..frame.width.div_ceil(64) as usize {
                hash.word(walkable.row_word(z, word));
            }
        }
        factors.iter().for_each(|&factor| {
            hash.word(u64::from(factor));
        });
        self.exits.hash_into(&mut hash);
        hash.finish()
    }
}

/// Numbered lists of spans, those with spans in a row found without looking at all.
pub(crate) struct SpanRows<'a> {
    /// By first row.
    waiting: Vec<(u32, &'a Spans)>,
    next: usize,
    open: Vec<(u32, &'a Spans)>,
    row: u32,
}

impl<'a> SpanRows<'a> {
    pub(crate) fn new(lists: impl Iterator<Item = (u32, &'a Spans)>) -> Self {
        let mut waiting: Vec<_> = lists.collect();
        ordered::sort_by_key(&mut waiting, |(_, spans)| spans.rows().start);
        Self { waiting, next: 0, open: Vec::new(), row: 0 }
    }

    /// The lists that reach row `z`, in no particular order; rows must be asked for in rising order.
    pub(crate) fn at(&mut self, z: u32) -> &[(u32, &'a Spans)] {
        debug_assert!(self.row <= z, "rows are read in rising order");
        self.row = z;
        while self.next < self.waiting.len() && self.waiting[self.next].1.rows().start <= z {
            self.open.push(self.waiting[self.next]);
            self.next += 1;
        }
        self.open.retain(|(_, spans)| z < spans.rows().end);
        &self.open
    }
}

/// What shapes a window: rows are read from it, in rising order.
pub(crate) struct WindowSheet<'a> {
    terrain: &'a CellTerrain,
    window: Window,
    ground: SpanRows<'a>,
    blocked: SpanRows<'a>,
    row: Vec<u64>,
}

impl WindowSheet<'_> {
    /// The words of row `z` that the window touches: bit set, cell walkable.
    pub(crate) fn walkable_row(&mut self, z: u32) -> &[u64] {
        let words = self.window.words();
        let row_words = self.terrain.frame.width.div_ceil(64) as usize;
        match self.terrain.fixed.is_empty() {
            true => self.row.fill(0),
            false => {
                let start = z as usize * row_words;
                self.row.copy_from_slice(&self.terrain.fixed[start + words.start..start + words.end]);
            }
        }
        for (_, spans) in self.ground.at(z) {
            spans.row(z).iter().for_each(|&span| paint(&mut self.row, words.start, span, TerrainPaint::Set));
        }
        for (_, spans) in self.blocked.at(z) {
            spans
                .row(z)
                .iter()
                .for_each(|&span| paint(&mut self.row, words.start, span, TerrainPaint::Clear));
        }
        if !self.terrain.solid.is_empty() {
            let start = z as usize * row_words + words.start;
            let solid = &self.terrain.solid[start..start + self.row.len()];
            self.row.iter_mut().zip(solid).for_each(|(word, solid)| *word &= !solid);
        }
        &self.row
    }
}

#[derive(Clone, Copy, PartialEq)]
enum TerrainPaint {
    Set,
    Clear,
}

/// Sets or clears the bits of a span in a row that begins with word `first_word`.
fn paint(row: &mut [u64], first_word: usize, [from, to]: [u32; 2], paint: TerrainPaint) {
    let (low, high) = (first_word as u64 * 64, (first_word + row.len()) as u64 * 64);
    let (from, to) = (u64::from(from).max(low), u64::from(to).min(high));
    if from >= to {
        return;
    }
    let (first, last) = (((from - low) / 64) as usize, ((to - 1 - low) / 64) as usize);
    for (at, word) in row.iter_mut().enumerate().take(last + 1).skip(first) {
        let mut mask = !0u64;
        if at == first {
            mask &= !0 << (from % 64);
        }
        if at == last {
            mask &= !0 >> (63 - (to - 1) % 64);
        }
        match paint {
            TerrainPaint::Set => *word |= mask,
            TerrainPaint::Clear => *word &= !mask,
        }
    }
}

/// What an obstacle blocks; nothing when its corners lie on one line, which levels warn of.
fn obstacle_cells(frame: &MapFrame, polygon: &[Point], keep_away_m: f64) -> Spans {
    let flat = match polygon {
        [first, second, rest @ ..] => {
            let other = std::iter::once(second).chain(rest).find(|point| *point != first).unwrap_or(second);
            rest.iter().all(|&point| geom::cross(*first, *other, point) == 0.0)
        }
        _ => true,
    };
    if flat { Spans::default() } else { raster::inflated(frame, polygon, keep_away_m) }
}
