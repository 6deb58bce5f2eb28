//! Reads and writes precomputed grids as text: a header of `key value` lines, then rows of 1 and 0.
//!
//! In: the text of a file. Out: a [`TextGrid`], and from one the same text again. Holds: a written text that
//! is read and written again gives the same bytes, whatever the locale; sizes are checked before anything is
//! allocated; every finding has its line. Not here: areas; this form has none.
//! Source: the grid format of seed 000, its elided keys filled in.

use std::fmt::Write as _;

use super::cell_sizes::CellSizes;
use super::diagnostic::{PendingDiagnostic, Span, code};
use super::json::JsonReader;
use super::numbers::{self, Number};
use crate::base::suggestions;

/// Most cells of a map.
pub const CELLS_MAX: u64 = 16_777_216;

/// The keys of the header, in the order they are written.
const KEYS: [&str; 9] = [
    "cellSize",
    "agentRadius",
    "objectPadding",
    "boundaryPadding",
    "floorY",
    "minX",
    "minZ",
    "gridWidth",
    "gridDepth",
];
const REQUIRED: [&str; 5] = ["cellSize", "minX", "minZ", "gridWidth", "gridDepth"];

/// A grid of walkable and blocked cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextGrid {
    /// Cell size and paddings. The paddings only record how the grid was made.
    pub sizes: CellSizes,
    /// Outer corner of the first cell along x, metres.
    pub min_x: f64,
    /// Outer corner of the first cell along z, metres.
    pub min_z: f64,
    /// Cells along x.
    pub width: u32,
    /// Cells along z.
    pub depth: u32,
    /// Whether a body can stand there: `width * depth` cells, the one at (x, z) at `z * width + x`.
    pub walkable: Vec<bool>,
}

impl TextGrid {
    /// The file: nine header lines in a fixed order, then a line for each row, row 0 at `minZ`. Decimals are
    /// the shortest text that reads back equal, with at least one digit after the point.
    #[must_use]
    pub fn text(&self) -> String {
        let sizes = &self.sizes;
        let decimals = [
            sizes.cell_size_m,
            sizes.agent_radius_m,
            sizes.object_padding_m,
            sizes.boundary_padding_m,
            sizes.floor_y_m,
            self.min_x,
            self.min_z,
        ];
        let mut text = String::with_capacity(256 + self.walkable.len() + self.depth as usize);
        for (key, value) in KEYS.iter().zip(decimals) {
            let _ = writeln!(text, "{key} {}", decimal(value));
        }
        let _ = writeln!(text, "gridWidth {}\ngridDepth {}", self.width, self.depth);
        for row in self.walkable.chunks(self.width.max(1) as usize) {
            text.extend(row.iter().map(|walkable| if *walkable { '1' } else { '0' }));
            text.push('\n');
        }
        text
    }
}

/// Rust prints the shortest digits that read back equal, and never an exponent in this form.
fn decimal(value: f64) -> String {
    let text = format!("{}", value + 0.0);
    if text.contains('.') { text } else { text + ".0" }
}

/// A line of the file without its end.
#[derive(Clone, Copy)]
struct TextLine<'a> {
    text: &'a str,
    at: usize,
}

/// Reads a text grid that begins `base` bytes into its file. None when there is any error.
pub(crate) fn parse(reader: &mut JsonReader<'_>, text: &str, base: usize) -> Option<TextGrid> {
    let mut at = base;
    let mut lines: Vec<TextLine<'_>> = Vec::new();
    for whole in text.split_inclusive('\n') {
        lines.push(TextLine { text: whole.trim_end_matches(['\n', '\r']), at });
        at += whole.len();
    }
    // Empty lines at the end are no rows.
    while lines.last().is_some_and(|line| line.text.trim().is_empty()) {
        lines.pop();
    }
    let header_len = lines.iter().position(|line| !begins_like_a_key(line.text)).unwrap_or(lines.len());
    let (header, rows) = lines.split_at(header_len);
    let mut grid = GridReader { reader, end: at }.header(header)?;
    grid.walkable = GridReader { reader, end: at }.rows(rows, &grid)?;
    Some(grid)
}

fn begins_like_a_key(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with(|c: char| c.is_alphabetic())
}

struct GridReader<'r, 'f> {
    reader: &'r mut JsonReader<'f>,
    end: usize,
}

impl GridReader<'_, '_> {
    fn error(&mut self, code: &'static str, line: TextLine<'_>, message: String) {
        let span = Span::new(self.reader.file, line.at, line.at + line.text.len());
        self.reader.findings.error(|| PendingDiagnostic::new(code, span, message));
    }

    fn header(&mut self, lines: &[TextLine<'_>]) -> Option<TextGrid> {
        let mut values: [Option<f64>; 9] = [None; 9];
        let mut seen = [false; 9];
        let mut failed = false;
        for line in lines.iter().filter(|line| !line.text.trim().is_empty()) {
            let mut parts = line.text.split_whitespace();
            let (Some(key), value, None) = (parts.next(), parts.next(), parts.next()) else {
                self.error(
                    code::SYNTAX,
                    *line,
                    format!("\"{}\" is not a header line, expected a key and a value", line.text),
                );
                failed = true;
                continue;
            };
            let Some(index) = KEYS.iter().position(|known| *known == key) else {
                self.unknown_key(*line, key);
                continue;
            };
            if seen[index] {
                self.error(code::DUPLICATE_KEY, *line, format!("the header has the key \"{key}\" twice"));
                failed = true;
                continue;
            }
            seen[index] = true;
            values[index] = self.value(*line, index, value.unwrap_or_default());
            failed |= values[index].is_none();
        }
        for key in REQUIRED.iter().filter(|key| !seen[index_of(key)]) {
            let end = lines.last().copied().unwrap_or(TextLine { text: "", at: 0 });
            self.error(code::MISSING_FIELD, end, format!("the header has no \"{key}\""));
            failed = true;
        }
        if failed { None } else { self.sized(lines, values) }
    }

    fn unknown_key(&mut self, line: TextLine<'_>, key: &str) {
        let span = Span::new(self.reader.file, line.at, line.at + line.text.len());
        self.reader.findings.warn(|| {
            let found = PendingDiagnostic::new(
                code::UNKNOWN_FIELD,
                span,
                format!("unknown key \"{key}\" in the header, ignored"),
            );
            match suggestions::nearest(key, KEYS) {
                Some(near) => found.help(format!("did you mean \"{near}\"?")),
                None => found,
            }
        });
    }

    fn value(&mut self, line: TextLine<'_>, index: usize, text: &str) -> Option<f64> {
        const COUNT: Number = Number { default: 1.0, min: 1.0, max: CELLS_MAX as f64, unit: "cells" };
        let key = KEYS[index];
        let number = match key {
            "cellSize" => numbers::CELL_SIZE,
            "agentRadius" => numbers::AGENT_RADIUS,
            "objectPadding" => numbers::OBJECT_PADDING,
            "boundaryPadding" => numbers::BOUNDARY_PADDING,
            "gridWidth" | "gridDepth" => COUNT,
            _ => numbers::COORDINATE,
        };
        let Ok(value) = text.parse::<f64>() else {
            self.error(code::TYPE, line, format!("{key} is \"{text}\", expected a number"));
            return None;
        };
        let whole_or_free = number.unit != "cells" || value == value.trunc();
        if number.holds(value) && whole_or_free {
            return Some(value + 0.0);
        }
        self.error(code::RANGE, line, format!("{key} is {text}, expected {}", number.range()));
        None
    }

    fn sized(&mut self, lines: &[TextLine<'_>], values: [Option<f64>; 9]) -> Option<TextGrid> {
        let value = |key: &str, default: f64| values[index_of(key)].unwrap_or(default);
        let (width, depth) = (value("gridWidth", 1.0) as u32, value("gridDepth", 1.0) as u32);
        let cells = u64::from(width) * u64::from(depth);
        if cells > CELLS_MAX {
            let line = lines.iter().find(|line| line.text.starts_with("gridDepth"));
            let line = line.or(lines.last()).copied().unwrap_or(TextLine { text: "", at: 0 });
            self.error(
                code::GRID_TOO_BIG,
                line,
                format!("{width} x {depth} cells are {cells}, the limit is {CELLS_MAX}"),
            );
            return None;
        }
        let sizes = CellSizes {
            cell_size_m: value("cellSize", numbers::CELL_SIZE.default),
            agent_radius_m: value("agentRadius", numbers::AGENT_RADIUS.default),
            object_padding_m: value("objectPadding", numbers::OBJECT_PADDING.default),
            boundary_padding_m: value("boundaryPadding", numbers::BOUNDARY_PADDING.default),
            floor_y_m: value("floorY", numbers::FLOOR_Y.default),
        };
        let (min_x, min_z) = (value("minX", 0.0), value("minZ", 0.0));
        Some(TextGrid { sizes, min_x, min_z, width, depth, walkable: Vec::new() })
    }

    fn rows(&mut self, rows: &[TextLine<'_>], grid: &TextGrid) -> Option<Vec<bool>> {
        let (width, depth) = (grid.width as usize, grid.depth as usize);
        let mut walkable = Vec::with_capacity(width * depth.min(rows.len()));
        let mut failed = false;
        for row in rows.iter().take(depth) {
            if let Some((at, character)) = row.text.char_indices().find(|(_, c)| !matches!(c, '0' | '1')) {
                let place = TextLine { text: &row.text[at..at + character.len_utf8()], at: row.at + at };
                self.error(
                    code::ROWS,
                    place,
                    format!("a row has the character {character:?}, expected 0 or 1"),
                );
                failed = true;
            } else if row.text.len() != width {
                let length = row.text.len();
                self.error(
                    code::ROWS,
                    *row,
                    format!("a row has {length} cells, expected {width} (gridWidth)"),
                );
                failed = true;
            } else {
                walkable.extend(row.text.bytes().map(|byte| byte == b'1'));
            }
        }
        if rows.len() != depth {
            let place = rows.get(depth).copied().unwrap_or(TextLine { text: "", at: self.end });
            self.error(
                code::ROWS,
                place,
                format!("there are {} rows, expected {depth} (gridDepth)", rows.len()),
            );
            failed = true;
        }
        (!failed).then_some(walkable)
    }
}

fn index_of(key: &str) -> usize {
    KEYS.iter().position(|known| *known == key).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_the_shortest_text_with_a_digit_after_the_point() {
        for (value, text) in [
            (-5.0, "-5.0"),
            (0.4, "0.4"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e-7, "0.0000001"),
            (-0.0, "0.0"),
            (1e6, "1000000.0"),
        ] {
            assert_eq!(decimal(value), text);
            assert_eq!(text.parse::<f64>().unwrap(), value);
        }
    }
}
