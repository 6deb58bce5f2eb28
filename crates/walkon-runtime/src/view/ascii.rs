//! Draws a picture as rows of characters.
//!
//! In: a [`Picture`] and how wide the text may be. Out: lines, the first at the smallest z, and the legend
//! below. Holds: one character a cell while the map fits; else a character stands for k cells of a row
//! and 2k rows, because characters are twice as tall as wide. Tiles in lines that are moved by half a tile
//! have every other character, those of moved lines one further on, while that fits. The last shape with a
//! glyph over a character's centre is shown. Names stand in the legend.

use super::picture::{Figure, Picture, Shape};
use crate::base::geom::{Bounds, Point, polygon_contains};
use crate::nav::Layout;
use crate::nav::cells::Stagger;

/// Columns of the widest map that is shown cell by cell, unless told otherwise.
pub const COLUMNS: u32 = 160;
/// Most characters of a map.
const CHARACTERS_MAX: u64 = 16_777_216;

/// The text, ending with a line break; at most `columns` characters wide, the legend apart.
#[must_use]
pub fn render(picture: &Picture, columns: u32) -> String {
    let mut canvas = Canvas::new(picture, columns.max(8));
    for shape in picture.layers.iter().flat_map(|layer| &layer.shapes) {
        canvas.paint(shape);
    }
    let mut text = format!("{}\n", plain(&picture.title));
    for row in canvas.glyphs.chunks(canvas.width) {
        let line: String = row.iter().collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let entries: Vec<String> = picture
        .legend
        .iter()
        .filter_map(|entry| entry.glyph.map(|glyph| format!("{glyph} {}", plain(&entry.text))))
        .collect();
    for line in wrapped(&entries, 100) {
        text.push_str(&line);
        text.push('\n');
    }
    let [across, down] = canvas.raster.per_character;
    if across > 1 {
        text.push_str(&format!("each character: {across} x {down} cells\n"));
    }
    text
}

/// A name in one line of printable characters.
fn plain(text: &str) -> String {
    text.chars().map(|c| if is_unseen(c) { '?' } else { c }).collect()
}

/// Whether a character shows nothing of its own on a terminal and may change what others show: control
/// characters, and marks of direction and width.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

fn wrapped(entries: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for entry in entries {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 3 + entry.chars().count() <= width => {
                line.push_str("   ");
                line.push_str(entry);
            }
            _ => lines.push(entry.clone()),
        }
    }
    lines
}

/// Lines of tiles of which every other one is moved by half a tile.
#[derive(Clone, Copy, Debug)]
struct MovedLines {
    /// Along which axis: 0 for rows, which are moved to the right, 1 for columns, which are moved down.
    axis: usize,
    /// Which of them are moved.
    stagger: Stagger,
}

/// Where the characters of a text lie.
#[derive(Clone, Copy, Debug)]
struct Raster {
    /// The middle of the first tile, world metres.
    first: Point,
    /// From one tile to the next, metres.
    pitch: [f64; 2],
    /// Columns and rows of tiles.
    tiles: [usize; 2],
    /// How many of them a character stands for: it shows the one in their middle.
    per_character: [usize; 2],
    /// Where every other character lies between two tiles: what is left of column and row, taken by two, of
    /// those that do not.
    checker: Option<usize>,
}

impl Raster {
    /// Of a picture in text of at most so many columns.
    fn new(picture: &Picture, columns: u32) -> Self {
        let Some(frame) = &picture.frame else { return Self::even(picture, columns).fit(columns) };
        let ([width, depth], tiles) = (frame.tile_size_m(), frame.tile_count());
        let (pitch, moved) = match frame.layout() {
            Layout::Square4 | Layout::Square8 => ([width, depth], None),
            Layout::HexPointy(stagger) => ([width, 0.75 * depth], Some(MovedLines { axis: 0, stagger })),
            Layout::HexFlat(stagger) => ([0.75 * width, depth], Some(MovedLines { axis: 1, stagger })),
            Layout::StaggeredRows(stagger) => ([width, 0.5 * depth], Some(MovedLines { axis: 0, stagger })),
            Layout::StaggeredColumns(stagger) => {
                ([0.5 * width, depth], Some(MovedLines { axis: 1, stagger }))
            }
        };
        let corner = picture.bounds.min;
        let first = [corner[0] + 0.5 * width, corner[1] + 0.5 * depth];
        let tiles = tiles.map(|count| count.max(1) as usize);
        let even = Self { first, pitch, tiles, per_character: [1; 2], checker: None };
        let Some(moved) = moved else { return even.fit(columns) };
        let checkered = even.checkered(moved);
        match checkered.count()[0] <= columns as usize && checkered.size() <= CHARACTERS_MAX {
            true => checkered,
            false => even.between(moved).fit(columns),
        }
    }

    /// Squares, as large as the cells of the picture, or as a character of text of so many columns.
    fn even(picture: &Picture, columns: u32) -> Self {
        let size = picture.size_m();
        let cell_m = if picture.cell_m > 0.0 { picture.cell_m } else { size[0] / f64::from(columns) };
        let pitch = [cell_m.max(1e-9); 2];
        let tiles = [0, 1].map(|axis| ((size[axis] / pitch[axis] - 1e-6).ceil().max(1.0)) as usize);
        let first = [0, 1].map(|axis| picture.bounds.min[axis] + 0.5 * pitch[axis]);
        Self { first, pitch, tiles, per_character: [1; 2], checker: None }
    }

    /// The same with two characters for each tile along lines: one at its middle, one between it and the
    /// next.
    fn checkered(mut self, MovedLines { axis, stagger }: MovedLines) -> Self {
        self.pitch[axis] *= 0.5;
        self.tiles[axis] *= 2;
        self.checker = Some(usize::from(stagger == Stagger::Even));
        self
    }

    /// The same with characters beside the middles of tiles, so that each lies within a tile of every line,
    /// moved or not.
    fn between(mut self, MovedLines { axis, .. }: MovedLines) -> Self {
        self.first[axis] += 0.25 * self.pitch[axis];
        self
    }

    /// The same with as few tiles for each character as the width of the text allows.
    fn fit(mut self, columns: u32) -> Self {
        let mut across = self.tiles[0].div_ceil(columns as usize);
        loop {
            self.per_character = if across > 1 { [across, 2 * across] } else { [1; 2] };
            // Bounded by the size of the map in tiles: doubling ends at one character.
            if self.size() <= CHARACTERS_MAX {
                return self;
            }
            across *= 2;
        }
    }

    /// Columns and rows of characters.
    fn count(&self) -> [usize; 2] {
        [0, 1].map(|axis| self.tiles[axis].div_ceil(self.per_character[axis]))
    }

    /// Characters.
    fn size(&self) -> u64 {
        self.count().into_iter().map(|side| side as u64).product()
    }

    /// Whether a character shows the ground: it does not between two tiles.
    fn is_ground(&self, [column, row]: [usize; 2]) -> bool {
        self.checker.is_none_or(|rest| (column + row) % 2 == rest)
    }

    /// The place that a character shows.
    fn centre(&self, at: [usize; 2]) -> Point {
        [0, 1].map(|axis| {
            let per_character = self.per_character[axis];
            let tile = (at[axis] * per_character + per_character / 2).min(self.tiles[axis] - 1);
            self.first[axis] + tile as f64 * self.pitch[axis]
        })
    }

    /// The character along an axis that a place belongs to, the nearest one beyond the map.
    fn nearest(&self, axis: usize, place_m: f64) -> usize {
        let tile = ((place_m - self.first[axis]) / self.pitch[axis] + 0.5).floor().max(0.0) as usize;
        tile.min(self.tiles[axis] - 1) / self.per_character[axis]
    }
}

struct Canvas {
    raster: Raster,
    /// What is shown of the world, metres.
    bounds: Bounds,
    width: usize,
    glyphs: Vec<char>,
}

impl Canvas {
    fn new(picture: &Picture, columns: u32) -> Self {
        let raster = Raster::new(picture, columns);
        let [width, height] = raster.count();
        Self { raster, bounds: picture.bounds, width, glyphs: vec![' '; width * height] }
    }

    fn put(&mut self, point: Point, glyph: char) {
        let Bounds { min, max } = self.bounds;
        if (0..2).all(|axis| point[axis] >= min[axis] && point[axis] < max[axis]) {
            let [column, row] = [0, 1].map(|axis| self.raster.nearest(axis, point[axis]));
            self.glyphs[row * self.width + column] = glyph;
        }
    }

    fn paint(&mut self, shape: &Shape) {
        let Some(glyph) = shape.look.glyph else { return };
        match &shape.form {
            Figure::Blocks(blocks) => {
                for block in blocks {
                    self.fill(*block, glyph, |_| true);
                }
            }
            Figure::Facets(facets) => {
                for corners in facets {
                    self.fill(Bounds::of(corners), glyph, |centre| polygon_contains(corners, centre));
                }
            }
            Figure::Polygon(corners) => {
                self.fill(Bounds::of(corners), glyph, |centre| polygon_contains(corners, centre));
            }
            Figure::Line(points) => points.windows(2).for_each(|pair| self.line(pair[0], pair[1], glyph)),
            Figure::Circle { centre, .. } | Figure::Dot { centre, .. } => self.put(*centre, glyph),
        }
    }

    fn fill(&mut self, bounds: Bounds, glyph: char, holds: impl Fn(Point) -> bool) {
        let Bounds { min, max } = bounds.grown(1e-9);
        if (0..2).any(|axis| max[axis] <= self.bounds.min[axis] || min[axis] >= self.bounds.max[axis]) {
            return;
        }
        let range = |axis: usize| self.raster.nearest(axis, min[axis])..=self.raster.nearest(axis, max[axis]);
        for row in range(1) {
            for column in range(0).filter(|&column| self.raster.is_ground([column, row])) {
                let centre = self.raster.centre([column, row]);
                let is_near = (0..2).all(|axis| centre[axis] >= min[axis] && centre[axis] < max[axis] - 2e-9);
                if is_near && holds(centre) {
                    self.glyphs[row * self.width + column] = glyph;
                }
            }
        }
    }

    fn line(&mut self, a: Point, b: Point, glyph: char) {
        let spans = [0, 1].map(|axis| ((b[axis] - a[axis]) / self.raster.pitch[axis]).abs());
        // Bounded by the characters that a line can cross.
        let steps = (spans[0].max(spans[1]) * 2.0).ceil().clamp(1.0, CHARACTERS_MAX as f64) as u64;
        for step in 0..=steps {
            let part = step as f64 / steps as f64;
            self.put([a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part], glyph);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::theme;
    use crate::view::{Style, Swatch, Tag};

    #[test]
    fn cells_lines_and_bodies_stand_where_they_are() {
        let mut picture = Picture::new("yard", Bounds { min: [0.0, 0.0], max: [6.0, 3.0] }, 1.0);
        let free = Style::filled(theme::CELL_PLAIN).glyph('.');
        let wall = Style::filled(theme::CELL_BLOCKED).glyph('#');
        let block = |min: Point, max: Point| Figure::Blocks(vec![Bounds { min, max }]);
        picture.add(
            "cells",
            vec![
                Shape::new(block([0.0, 0.0], [6.0, 3.0]), free, Tag::Cells("free")),
                Shape::new(block([0.0, 0.0], [6.0, 1.0]), wall, Tag::Cells("blocked")),
            ],
        );
        let path = Style::line(theme::PATH, 2.0).glyph('*');
        picture.add(
            "path",
            vec![Shape::new(Figure::Line(vec![[1.5, 2.5], [4.5, 2.5]]), path, Tag::Search("smooth"))],
        );
        picture.explain(Swatch::Patch(wall), "blocked\u{202e}\u{1b}[2J");
        assert_eq!(render(&picture, 80), "yard\n######\n......\n.****.\n# blocked??[2J\n");
    }
}
