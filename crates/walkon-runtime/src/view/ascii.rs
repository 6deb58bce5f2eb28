//! A picture as rows of characters.
//!
//! In: a [`Picture`] and how wide the text may be. Out: lines, the first at the smallest z, and the legend
//! below. Holds: one character a cell while the map fits; else a character stands for k cells of a row
//! and 2k rows, because characters are twice as tall as wide. Of the shapes over a character's
//! centre the last one with a glyph is shown. Names stand in the legend.

use super::picture::{Figure, Picture, Shape};
use crate::base::geom::{Bounds, Point, polygon_contains};

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
    if canvas.cells > 1 {
        text.push_str(&format!("each character: {} x {} cells\n", canvas.cells, canvas.cells * 2));
    }
    text
}

/// A name in one line of printable characters.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
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

struct Canvas {
    min: Point,
    pitch: [f64; 2],
    width: usize,
    height: usize,
    cells: u32,
    glyphs: Vec<char>,
}

impl Canvas {
    fn new(picture: &Picture, columns: u32) -> Self {
        let size = picture.size_m();
        let cell_m = if picture.cell_m > 0.0 { picture.cell_m } else { size[0] / f64::from(columns) };
        let across = (size[0] / cell_m - 1e-6).ceil().max(1.0);
        let mut cells = (across / f64::from(columns)).ceil().max(1.0);
        let counts = |cells: f64| {
            let rows = if cells > 1.0 { cells * 2.0 } else { 1.0 };
            [cell_m * cells, cell_m * rows].map(|pitch| pitch.max(1e-9))
        };
        let count =
            |pitch: [f64; 2]| [0, 1].map(|axis| ((size[axis] / pitch[axis] - 1e-6).ceil().max(1.0)) as u64);
        // Bounded by the size of the map in cells: doubling ends at one character.
        while count(counts(cells)).iter().product::<u64>() > CHARACTERS_MAX {
            cells *= 2.0;
        }
        let pitch = counts(cells);
        let [width, height] = count(pitch).map(|side| side as usize);
        let glyphs = vec![' '; width * height];
        Self { min: picture.bounds.min, pitch, width, height, cells: cells as u32, glyphs }
    }

    fn centre(&self, column: usize, row: usize) -> Point {
        [
            self.min[0] + (column as f64 + 0.5) * self.pitch[0],
            self.min[1] + (row as f64 + 0.5) * self.pitch[1],
        ]
    }

    fn put(&mut self, point: Point, glyph: char) {
        let [x, y] = [0, 1].map(|axis| ((point[axis] - self.min[axis]) / self.pitch[axis]).floor());
        if x >= 0.0 && y >= 0.0 && (x as usize) < self.width && (y as usize) < self.height {
            self.glyphs[y as usize * self.width + x as usize] = glyph;
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
        let range = |axis: usize, count: usize| {
            let at = |value: f64| {
                ((value - self.min[axis]) / self.pitch[axis] - 0.5 - 1e-9).ceil().max(0.0) as usize
            };
            at(bounds.min[axis])..at(bounds.max[axis]).min(count)
        };
        let (columns, rows) = (range(0, self.width), range(1, self.height));
        for row in rows {
            for column in columns.clone() {
                if holds(self.centre(column, row)) {
                    self.glyphs[row * self.width + column] = glyph;
                }
            }
        }
    }

    fn line(&mut self, a: Point, b: Point, glyph: char) {
        let spans = [0, 1].map(|axis| ((b[axis] - a[axis]) / self.pitch[axis]).abs());
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
        picture.explain(Swatch::Patch(wall), "blocked");
        assert_eq!(render(&picture, 80), "yard\n######\n......\n.****.\n# blocked\n");
    }
}
