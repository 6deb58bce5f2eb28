//! Reads rows of characters with a legend, for ascii maps and the layers of tile maps.
//!
//! In: rows as written, and a meaning for each character. Out: one call a cell, row by row, and findings for
//! rows of another length and characters without a meaning. Holds: every finding points at the character or
//! row it is about. Not here: what a meaning is (`ascii`, `tiles`).

use std::collections::BTreeMap;

use super::areas::POLYGONS_MAX;
use super::diagnostic::{Findings, Located, PendingDiagnostic, Span, code};
use super::json::escaped;
use crate::base::geom::Bounds;

/// Rows, and where they stand.
pub(crate) struct Drawing<'a> {
    pub rows: &'a [Located<String>],
    /// As people write it: `navigation.rows`.
    pub words: String,
    /// As a JSON pointer: `/navigation/rows`.
    pub pointer: String,
}

impl<'a> Drawing<'a> {
    /// The rows of a map that is one drawing.
    pub(crate) fn of_navigation(rows: &'a [Located<String>]) -> Self {
        Self { rows, words: "navigation.rows".to_owned(), pointer: "/navigation/rows".to_owned() }
    }

    /// Characters of the first row. None, and a finding, when there are none.
    pub(crate) fn width(&self, findings: &mut Findings) -> Option<usize> {
        let width = self.rows.first().map_or(0, |row| row.value.chars().count());
        if width > 0 {
            return Some(width);
        }
        let span = self.rows.first().map_or(Span::default(), |row| row.span);
        findings.error(|| {
            let message =
                format!("{} has no cells, expected at least one row with one character", self.words);
            PendingDiagnostic::new(code::ROWS, span, message).at(self.pointer.as_str())
        });
        None
    }

    /// Visits the meaning of every character, row by row; `meanings` are sorted by character. False after an
    /// error in the rows, or when a visit answers false.
    pub(crate) fn read<M: Copy>(
        &self,
        findings: &mut Findings,
        width: usize,
        meanings: &[(char, M)],
        mut visit: impl FnMut(&mut Findings, M, usize, usize) -> bool,
    ) -> bool {
        let mut sound = true;
        for (z, row) in self.rows.iter().enumerate() {
            let length = row.value.chars().count();
            if length != width {
                self.odd_length(findings, z, length, width);
                sound = false;
                continue;
            }
            for (x, character) in row.value.chars().enumerate() {
                match meanings.binary_search_by_key(&character, |(known, _)| *known) {
                    Ok(found) => sound &= visit(findings, meanings[found].1, x, z),
                    Err(_) => {
                        self.unknown_character(findings, x, z, character);
                        sound = false;
                    }
                }
            }
        }
        sound
    }

    /// JSON pointer to a row.
    pub(crate) fn row_pointer(&self, z: usize) -> String {
        format!("{}/{z}", self.pointer)
    }

    fn odd_length(&self, findings: &mut Findings, z: usize, length: usize, width: usize) {
        findings.error(|| {
            let message =
                format!("{}[{z}] has {length} characters, expected {width} as the first row has", self.words);
            PendingDiagnostic::new(code::ROWS, self.rows[z].span, message).at(self.row_pointer(z))
        });
    }

    fn unknown_character(&self, findings: &mut Findings, x: usize, z: usize, character: char) {
        findings.error(|| {
            let message = format!(
                "{}[{z}] has {character:?} in column {}, which means nothing here",
                self.words,
                x + 1
            );
            PendingDiagnostic::new(code::ROWS, self.character_span(x, z, character), message)
                .at(self.row_pointer(z))
                .help(format!("add {character:?} to the legend, or draw # (blocked) or . (walkable)"))
        });
    }

    /// Where a character stands in the file; of a row with escapes, where the row begins. Costs as many steps
    /// as there are characters before it.
    pub(crate) fn character_span(&self, x: usize, z: usize, character: char) -> Span {
        let row = &self.rows[z];
        let offset: usize = row.value.chars().take(x).map(char::len_utf8).sum();
        // Without escapes the character stands where it looks.
        let plain = row.span.end.saturating_sub(row.span.start) as usize == row.value.len() + 2;
        let start = row.span.start as usize + if plain { 1 + offset } else { 0 };
        Span::new(row.span.file, start, start + if plain { character.len_utf8() } else { 1 })
    }
}

/// An area that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DrawnArea {
    pub name: Located<String>,
    pub pointer: String,
    /// What its characters say of it; the last that says anything.
    pub blocks_sight: Option<bool>,
    /// Around the outer corners of its cells, metres; empty when no cell is its own.
    pub bounds: Bounds,
    pub cells: u32,
}

/// The areas of a legend while it is read.
#[derive(Default)]
pub(crate) struct LegendAreas<'a> {
    /// In the order in which they are first named.
    pub list: Vec<DrawnArea>,
    number_by_name: BTreeMap<&'a str, u16>,
}

impl<'a> LegendAreas<'a> {
    /// The number of the area that a character names, from 1; a new one for a name that is not there yet. 0
    /// where it names none, and after a finding where there are too many.
    pub(crate) fn number(
        &mut self,
        findings: &mut Findings,
        character: char,
        name: Option<&'a Located<String>>,
    ) -> u16 {
        let Some(name) = name else { return 0 };
        if let Some(known) = self.number_by_name.get(name.value.as_str()) {
            return *known;
        }
        let pointer = format!("{}/area", legend_pointer(character));
        if self.list.len() >= POLYGONS_MAX {
            findings.error(|| {
                let message = format!("the legend names more than {POLYGONS_MAX} areas, which is the limit");
                PendingDiagnostic::new(code::LIMIT, name.span, message).at(pointer)
            });
            return 0;
        }
        let (bounds, name_here) = (Bounds::EMPTY, name.clone());
        self.list.push(DrawnArea { name: name_here, pointer, blocks_sight: None, bounds, cells: 0 });
        let number = self.list.len() as u16; // No more than POLYGONS_MAX.
        self.number_by_name.insert(&name.value, number);
        number
    }
}

/// What a character says of looks: to its area, or a finding when it has none.
pub(crate) fn set_sight(
    findings: &mut Findings,
    areas: &mut [DrawnArea],
    character: &Located<char>,
    area: u16,
    blocks_sight: Option<bool>,
) {
    match usize::from(area).checked_sub(1).and_then(|area| areas.get_mut(area)) {
        Some(area) => area.blocks_sight = blocks_sight.or(area.blocks_sight),
        // Of an area without a name that was told.
        None if findings.has_error_at(&format!("{}/area", legend_pointer(character.value))) => {}
        None if blocks_sight.is_some() => findings.error(|| {
            let message = format!("legend {:?} has blocksSight without an area", character.value);
            PendingDiagnostic::new(code::MISSING_FIELD, character.span, message)
                .at(format!("{}/blocksSight", legend_pointer(character.value)))
                .help("give its cells an area")
        }),
        None => {}
    }
}

/// The marks of a legend with their pointers and where their characters were drawn; a finding for each that
/// was not.
pub(crate) fn placed_marks<'a, T>(
    findings: &mut Findings,
    legend: impl Iterator<Item = (&'a Located<char>, &'a Option<Located<String>>, Option<T>)>,
) -> Vec<(Located<String>, String, T)> {
    let mut marks = Vec::new();
    for (character, name, at) in legend {
        let Some(name) = name else { continue };
        let pointer = format!("{}/mark", legend_pointer(character.value));
        match at {
            Some(at) => marks.push((name.clone(), pointer, at)),
            None => findings.error(|| {
                let message = format!(
                    "mark \"{}\" is nowhere on the map, expected {:?} in a row",
                    name.value, character.value
                );
                PendingDiagnostic::new(code::UNRESOLVED, name.span, message).at(pointer)
            }),
        }
    }
    marks
}

/// JSON pointer to the entry of a character in the legend of the map.
fn legend_pointer(character: char) -> String {
    format!("/navigation/legend/{}", escaped(&character.to_string()))
}
