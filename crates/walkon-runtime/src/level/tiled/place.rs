//! Converts pixels to metres and cells, for every layout of tiles.
//!
//! In: sizes of a map, its scale. Out: world positions of pixels, outlines of cells, the cells that a shape
//! touches. Holds: one scale for both axes, taken once; +y of the picture is +z of the world, or -z when the
//! map is flipped, which mirrors it in its place; isometric positions come in heights of a tile along both
//! axes, so an isometric map is a map of squares here and everywhere after. Not here: which cells a thing
//! needs (`ground`, `things`). Source: the layout of hexagons and staggered tiles as Tiled draws them: a row
//! (column) follows after the mean of a tile's height and its straight side, every second one moved by half a
//! tile.

use super::raw::{GID_MASK, Orientation, RawMap, Rect};
use super::types::Types;
use crate::base::geom::Point;
use crate::base::ordered;
use crate::level::tiled::TiledOptions;

/// How a map lies in the world.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MapPlacement {
    orientation: Orientation,
    stagger_x: bool,
    stagger_even: bool,
    /// Width, height and straight side of a tile as objects count them, pixels.
    tile_px: [f64; 2],
    side_px: f64,
    /// Width and height of a tile as it is drawn, pixels.
    screen_px: [f64; 2],
    metres_per_pixel: f64,
    /// The cells of the map.
    pub rect: Rect,
    is_flipped: bool,
}

/// A map, and how it lies in the world.
#[derive(Clone, Copy)]
pub(super) struct PlacedMap<'a> {
    /// The map as it was read.
    pub map: &'a RawMap,
    /// The defaults of classes.
    pub types: &'a Types,
    /// How it lies.
    pub place: &'a MapPlacement,
}

impl MapPlacement {
    /// The place of a map; without a scale a tile is one metre wide.
    pub(super) fn new(map: &RawMap, options: &TiledOptions) -> Self {
        let (width, height) = (f64::from(map.tile_width_px), f64::from(map.tile_height_px));
        // Tiled draws staggered tiles and hexagons on whole half pixels.
        let even = |size: f64| if size >= 2.0 { 2.0 * (size / 2.0).floor() } else { size };
        let (tile_px, side_px) = match map.orientation {
            Orientation::Orthogonal => ([width, height], 0.0),
            Orientation::Isometric => ([height, height], 0.0),
            Orientation::Staggered => ([even(width), even(height)], 0.0),
            Orientation::Hexagonal => {
                let tile = [even(width), even(height)];
                (tile, drawn_side(tile[usize::from(!map.stagger_x)], f64::from(map.hex_side_px)))
            }
        };
        let mut rect = map.bounds;
        if matches!(map.orientation, Orientation::Staggered | Orientation::Hexagonal) {
            // Every second row is moved: which, must not depend on where the first one lies.
            let (odd_x, odd_y) = (rect.x.rem_euclid(2), rect.y.rem_euclid(2));
            rect.x -= odd_x;
            rect.y -= odd_y;
            rect.width += odd_x as u32;
            rect.height += odd_y as u32;
        }
        Self {
            orientation: map.orientation,
            stagger_x: map.stagger_x,
            stagger_even: map.stagger_even,
            tile_px,
            side_px,
            screen_px: [width, height],
            metres_per_pixel: options.metres_per_pixel.unwrap_or(1.0 / tile_px[0]),
            rect,
            is_flipped: options.is_flipped,
        }
    }

    pub(super) fn metres_per_pixel(&self) -> f64 {
        self.metres_per_pixel
    }

    /// Whether the even rows or columns are moved, in the world: the first row of a flipped map is the last
    /// of the file.
    pub(super) fn is_even_moved(&self) -> bool {
        let turns = self.is_flipped
            && if self.stagger_x { self.rect.width > 1 } else { self.rect.height.is_multiple_of(2) };
        self.is_staggered() && (self.stagger_even != turns)
    }

    pub(super) fn is_isometric(&self) -> bool {
        self.orientation == Orientation::Isometric
    }

    /// Height of a tile as objects count it, pixels.
    pub(super) fn tile_side_px(&self) -> f64 {
        self.tile_px[1]
    }

    pub(super) fn is_flipped(&self) -> bool {
        self.is_flipped
    }

    fn is_staggered(&self) -> bool {
        matches!(self.orientation, Orientation::Staggered | Orientation::Hexagonal)
    }

    /// Pixels from a column to the next, and from a row to the next.
    fn pitch_px(&self) -> [f64; 2] {
        let [width, height] = self.tile_px;
        match (self.is_staggered(), self.stagger_x) {
            (false, _) => [width, height],
            (true, false) => [width, (height + self.side_px) / 2.0],
            (true, true) => [(width + self.side_px) / 2.0, height],
        }
    }

    /// Width and height of a tile in the world, metres. Of a hexagon that is not regular along the staggered
    /// axis the size is that of the regular one whose rows (columns) follow one another like its own.
    pub(super) fn tile_m(&self) -> [f64; 2] {
        self.drawn_px().map(|size| size * self.metres_per_pixel)
    }

    fn drawn_px(&self) -> [f64; 2] {
        let ([width, height], pitch) = (self.tile_px, self.pitch_px());
        match (self.orientation, self.stagger_x) {
            (Orientation::Hexagonal, false) => [width, pitch[1] * 4.0 / 3.0],
            (Orientation::Hexagonal, true) => [pitch[0] * 4.0 / 3.0, height],
            _ => [width, height],
        }
    }

    /// The outer corner of the map at the smallest x and z, metres.
    pub(super) fn origin_m(&self) -> Point {
        let pitch = self.pitch_px();
        [f64::from(self.rect.x) * pitch[0], f64::from(self.rect.y) * pitch[1]]
            .map(|px| px * self.metres_per_pixel)
    }

    /// Metres that the map reaches from its origin along z.
    fn depth_m(&self) -> f64 {
        let (pitch, height) = (self.pitch_px()[1], self.drawn_px()[1]);
        let rows = f64::from(self.rect.height);
        let depth_px = match (self.is_staggered(), self.stagger_x) {
            (false, _) => rows * height,
            (true, false) => (rows - 1.0) * pitch + height,
            // A single column is moved down as a whole, or not at all.
            (true, true) => match (self.rect.width > 1, self.stagger_even) {
                (true, _) => (rows + 0.5) * height,
                (false, true) => (rows + 1.0) * height,
                (false, false) => rows * height,
            },
        };
        depth_px * self.metres_per_pixel
    }

    /// The painted cells of a layer with an offset, each where it is drawn.
    pub(super) fn drawn_tiles(&self, rect: Rect, gids: &[u32], offset_px: [f64; 2]) -> Vec<([i32; 2], u32)> {
        let painted = gids.iter().enumerate().filter(|(_, gid)| *gid & GID_MASK != 0);
        painted.map(|(at, gid)| (self.drawn_at(rect.cell(at), offset_px).0, *gid)).collect()
    }

    /// How far objects are moved, in their units, by an offset of a layer, which is in pixels of the picture.
    pub(super) fn offset(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        if !self.is_isometric() {
            return [x, y];
        }
        let [width, height] = self.screen_px;
        [(x / width + y / height) * height, (y / height - x / width) * height]
    }

    /// How far apart on the picture two points are drawn that lie so far apart in units of objects.
    pub(super) fn drawn_offset(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        if !self.is_isometric() {
            return [x, y];
        }
        let ([width, height], side) = (self.screen_px, self.tile_px[1]);
        [(x - y) / side * width / 2.0, (x + y) / side * height / 2.0]
    }

    /// The ground below a picture of some width on an isometric map, whose lowest point lies so many pixels
    /// of the picture away: four corners around that place, the second and the fourth beside the picture.
    pub(super) fn diamond(&self, lowest_px: [f64; 2], width_px: f64) -> Vec<[f64; 2]> {
        let ([x, y], side) = (self.offset(lowest_px), self.ground_side_px(width_px));
        vec![[x - side, y - side], [x, y - side], [x, y], [x - side, y]]
    }

    /// Side of the square of ground below a picture of some width on an isometric map, in units of objects.
    pub(super) fn ground_side_px(&self, width_px: f64) -> f64 {
        width_px / self.screen_px[0] * self.tile_px[1]
    }

    /// How far objects are moved by an offset, in widths and heights of a tile.
    pub(super) fn offset_tiles(&self, offset_px: [f64; 2]) -> [f64; 2] {
        let ([x, y], [width, height]) = (self.offset(offset_px), self.drawn_px());
        [x / width, y / height]
    }

    /// The cell that a cell of a layer with an offset is drawn over, and whether it covers that one to the
    /// pixel.
    pub(super) fn drawn_at(&self, cell: [i32; 2], offset_px: [f64; 2]) -> ([i32; 2], bool) {
        let (centre, moved) = (self.centre_px(cell), self.offset(offset_px));
        let middle = [centre[0] + moved[0], centre[1] + moved[1]];
        let drawn = self.cell_at(middle);
        let own = self.centre_px(drawn);
        (drawn, (own[0] - middle[0]).abs() < 1e-6 && (own[1] - middle[1]).abs() < 1e-6)
    }

    /// The world position of a pixel.
    pub(super) fn world(&self, [x, y]: [f64; 2]) -> Point {
        // The first tile begins at its outer corner, drawn or stretched: its middle stays its middle.
        let (tile, drawn) = (self.tile_px, self.drawn_px());
        let moved = [x + (drawn[0] - tile[0]) / 2.0, y + (drawn[1] - tile[1]) / 2.0];
        let [x, z] = moved.map(|px| px * self.metres_per_pixel);
        if self.is_flipped { [x, 2.0 * self.origin_m()[1] + self.depth_m() - z] } else { [x, z] }
    }

    /// Where the rectangle around a cell begins, pixels.
    fn corner_px(&self, [column, row]: [i32; 2]) -> [f64; 2] {
        let pitch = self.pitch_px();
        let mut corner = [f64::from(column) * pitch[0], f64::from(row) * pitch[1]];
        let is_moved = |number: i32| (number.rem_euclid(2) == 1) != self.stagger_even;
        if self.is_staggered() {
            if self.stagger_x && is_moved(column) {
                corner[1] += self.tile_px[1] / 2.0;
            } else if !self.stagger_x && is_moved(row) {
                corner[0] += self.tile_px[0] / 2.0;
            }
        }
        corner
    }

    /// The corners of a cell, pixels, all the same way round.
    pub(super) fn outline_px(&self, cell: [i32; 2]) -> Vec<[f64; 2]> {
        let ([x, y], [width, height]) = (self.corner_px(cell), self.tile_px);
        let (middle_x, middle_y) = (x + width / 2.0, y + height / 2.0);
        if !self.is_staggered() {
            return vec![[x, y], [x + width, y], [x + width, y + height], [x, y + height]];
        }
        let half = self.side_px / 2.0;
        if self.stagger_x {
            let (left, right) = (middle_x - half, middle_x + half);
            return vec![
                [left, y],
                [right, y],
                [x + width, middle_y],
                [right, y + height],
                [left, y + height],
                [x, middle_y],
            ];
        }
        let (top, bottom) = (middle_y - half, middle_y + half);
        vec![
            [middle_x, y],
            [x + width, top],
            [x + width, bottom],
            [middle_x, y + height],
            [x, bottom],
            [x, top],
        ]
    }

    /// The corners of a cell a thousandth of it further in: rounding makes such differences, and authors do
    /// not draw them.
    pub(super) fn inner_outline_px(&self, cell: [i32; 2]) -> Vec<[f64; 2]> {
        self.inner_outline_moved(cell, 0.0)
    }

    /// The same for lines: up and to the left by a little more, so that what lies on the border of two cells
    /// lies in one of them.
    pub(super) fn line_outline_px(&self, cell: [i32; 2]) -> Vec<[f64; 2]> {
        self.inner_outline_moved(cell, 1.5 * ROUNDING)
    }

    fn inner_outline_moved(&self, cell: [i32; 2], part: f64) -> Vec<[f64; 2]> {
        const INNER: f64 = 1.0 - 2.0 * ROUNDING;
        let middle = self.centre_px(cell);
        let inner = |corner: [f64; 2]| {
            [0, 1]
                .map(|axis| middle[axis] - part * self.tile_px[axis] + INNER * (corner[axis] - middle[axis]))
        };
        self.outline_px(cell).into_iter().map(inner).collect()
    }

    /// Whether a side of a shape leads through a convex outline for more than rounding makes.
    /// Source: Cyrus and Beck, 1978.
    pub(super) fn leads_through(&self, [from, to]: [[f64; 2]; 2], outline: &[[f64; 2]]) -> bool {
        let turn = area(outline).signum();
        let (mut first, mut last) = (0.0_f64, 1.0_f64);
        for (a, b) in outline.iter().zip(outline.iter().cycle().skip(1)) {
            let inside = |p: [f64; 2]| turn * ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]));
            let (begin, end) = (inside(from), inside(to));
            if begin < 0.0 && end < 0.0 {
                return false;
            }
            if (begin < 0.0) != (end < 0.0) {
                let part = begin / (begin - end);
                if begin < 0.0 { first = first.max(part) } else { last = last.min(part) }
            }
        }
        let length_px = libm::hypot(to[0] - from[0], to[1] - from[1]);
        (last - first) * length_px > 2.0 * ROUNDING * self.tile_px[0].min(self.tile_px[1])
    }

    /// The middle of a cell, pixels.
    pub(super) fn centre_px(&self, cell: [i32; 2]) -> [f64; 2] {
        let corner = self.corner_px(cell);
        [corner[0] + self.tile_px[0] / 2.0, corner[1] + self.tile_px[1] / 2.0]
    }

    /// The cell that a pixel lies in, which may lie outside the map.
    pub(super) fn cell_at(&self, point: [f64; 2]) -> [i32; 2] {
        let pitch = self.pitch_px();
        let near = |axis: usize| (point[axis] / pitch[axis]).floor().clamp(-1e9, 1e9) as i32;
        let (column, row) = (near(0), near(1));
        if !self.is_staggered() {
            return [column, row];
        }
        // The cell lies around one of the nine nearest places: the one whose outline is around the point.
        let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| [column + dx, row + dy]));
        let mut cells: Vec<[i32; 2]> = around.collect();
        let distance = |cell: &[i32; 2]| {
            let centre = self.centre_px(*cell);
            let [dx, dy] = [(point[0] - centre[0]).abs(), (point[1] - centre[1]).abs()];
            self.reach([dx, dy])
        };
        ordered::sort_by(&mut cells, |a, b| distance(a).total_cmp(&distance(b)));
        cells[0]
    }

    /// How far from its middle a point lies, in sizes of a staggered cell: 1 on its outline.
    fn reach(&self, [dx, dy]: [f64; 2]) -> f64 {
        let [width, height] = self.tile_px;
        // Along the staggered axis the cell narrows from its straight side to a corner.
        let (along, across) =
            if self.stagger_x { ([dx, width], [dy, height]) } else { ([dy, height], [dx, width]) };
        let slope = (along[1] - self.side_px) / 2.0;
        let slanted = if slope > 0.0 {
            (along[0] + across[0] / (across[1] / 2.0) * slope) / (along[1] / 2.0)
        } else {
            along[0] / (along[1] / 2.0)
        };
        slanted.max(across[0] / (across[1] / 2.0))
    }

    /// The cells of the map that may touch a rectangle of pixels.
    pub(super) fn near(&self, low: [f64; 2], high: [f64; 2]) -> Near {
        let pitch = self.pitch_px();
        let margin = if self.is_staggered() { 1.0 } else { 0.0 };
        let range = |axis: usize, first: i32, size: u32| {
            let last = i64::from(first) + i64::from(size) - 1;
            let clamp = |value: f64| (value.clamp(-1e9, 1e9) as i64).clamp(i64::from(first), last) as i32;
            let from = clamp((low[axis] / pitch[axis]).floor() - margin - 1.0);
            [from, clamp((high[axis] / pitch[axis]).ceil() + margin)]
        };
        let rect = self.rect;
        Near { columns: range(0, rect.x, rect.width), rows: range(1, rect.y, rect.height) }
    }

    /// The place of a cell in the arrays of the map, before it is flipped. None outside the map.
    pub(super) fn index(&self, [column, row]: [i32; 2]) -> Option<usize> {
        let (x, y) = (i64::from(column) - i64::from(self.rect.x), i64::from(row) - i64::from(self.rect.y));
        let inside =
            (0..i64::from(self.rect.width)).contains(&x) && (0..i64::from(self.rect.height)).contains(&y);
        inside.then(|| y as usize * self.rect.width as usize + x as usize)
    }

    /// The cells beside a cell that a border is drawn over: the eight around it, or those that share an edge
    /// or a corner with it on other maps.
    pub(super) fn around(&self, [column, row]: [i32; 2]) -> Vec<[i32; 2]> {
        if !self.is_staggered() {
            let all = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| [column + dx, row + dy]));
            return all.filter(|cell| *cell != [column, row]).collect();
        }
        let own = self.outline_px([column, row]);
        let near = (-2..=2).flat_map(|dy| (-2..=2).map(move |dx| [column + dx, row + dy]));
        near.filter(|cell| *cell != [column, row] && shares_a_corner(&own, &self.outline_px(*cell))).collect()
    }

    /// The same for any cell, worked out once: the neighbours of a cell depend on whether its column and its
    /// row are even.
    pub(super) fn surroundings(&self) -> BorderCells {
        let offsets = |[column, row]: [i32; 2]| {
            self.around([column, row]).into_iter().map(|[x, y]| [x - column, y - row]).collect()
        };
        BorderCells([[0, 0], [1, 0], [0, 1], [1, 1]].map(offsets))
    }
}

/// The cells beside any cell that a border is drawn over, as offsets, by the parity of its column and row.
#[derive(Clone, Debug)]
pub(super) struct BorderCells([Vec<[i32; 2]>; 4]);

impl BorderCells {
    pub(super) fn of(&self, [column, row]: [i32; 2]) -> impl Iterator<Item = [i32; 2]> {
        let kind = column.rem_euclid(2) + 2 * row.rem_euclid(2);
        self.0[kind as usize].iter().map(move |[x, y]| [column + x, row + y])
    }
}

/// A rectangle of cells, first and last of both axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    columns: [i32; 2],
    rows: [i32; 2],
}

impl Near {
    pub(super) fn count(self) -> u64 {
        let side = |[first, last]: [i32; 2]| (i64::from(last) - i64::from(first) + 1).max(0) as u64;
        // Places without end are those of the least and the greatest number: 2^32 cells along both axes.
        side(self.columns).saturating_mul(side(self.rows))
    }

    pub(super) fn cells(self) -> impl Iterator<Item = [i32; 2]> {
        let ([left, right], [top, bottom]) = (self.columns, self.rows);
        (top..=bottom).flat_map(move |row| (left..=right).map(move |column| [column, row]))
    }
}

/// What rounding makes of the size of a tile.
const ROUNDING: f64 = 0.001;

/// The straight side of a hexagon with which rows (columns) follow one another as Tiled draws them: what its
/// slanted sides take is rounded to whole pixels.
fn drawn_side(size: f64, side: f64) -> f64 {
    let slanted = ((size - side) / 2.0).trunc();
    2.0 * (slanted + side) - size
}

fn shares_a_corner(one: &[[f64; 2]], other: &[[f64; 2]]) -> bool {
    let near = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).abs() < 1e-6 && (a[1] - b[1]).abs() < 1e-6;
    one.iter().any(|corner| other.iter().any(|own| near(corner, own)))
}

/// Twice the area of a shape, its sign telling which way round it goes.
pub(super) fn area(shape: &[[f64; 2]]) -> f64 {
    let next = shape.iter().cycle().skip(1);
    shape.iter().zip(next).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum()
}
