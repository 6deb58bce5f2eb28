//! Paints cells of maps that are drawn with characters.
//!
//! In: the text of a level or of the text grid that it names, cells, a character. Out: the text with those
//! characters changed and nothing else. Holds: a character that means nothing on that map is refused, and so
//! are cells outside of it; the ends of lines stay as they are. Not here: whether the map still loads
//! (`document`).

use std::ops::Range;

use serde_json::Value;
use walkon_runtime::base::ordered;
use walkon_runtime::level::tiled::is_tiled;

use super::json::quoted;
use super::span::{open, value_span};

/// Where the rows of a map stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridPlace {
    /// The file, from the root of the project.
    pub file: String,
    /// JSON pointer to the list of rows; None where the file is a text grid.
    pub rows: Option<String>,
    /// The characters that mean something there.
    pub symbols: Vec<char>,
}

/// Why cells cannot be painted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PaintError {
    /// The map is not drawn with characters.
    #[error("the map of this level cannot be painted: {0}")]
    NoGrid(String),
    /// A map without that layer.
    #[error("there is no layer {layer}: the map has {layers}, counted from 0")]
    Layer {
        /// What was asked for.
        layer: usize,
        /// How many there are.
        layers: usize,
    },
    /// A character without a meaning.
    #[error("{symbol:?} means nothing on this map, expected one of {known}: add it to the legend first")]
    Symbol {
        /// What was asked for.
        symbol: char,
        /// Those that mean something.
        known: String,
    },
    /// A cell that is not on the map.
    #[error(
        "there is no cell in column {column} of row {row}: the map has {columns} columns and {rows} rows"
    )]
    Outside {
        /// From 0.
        column: u32,
        /// From 0.
        row: u32,
        /// Columns of that row; of the first row where there is no such row.
        columns: usize,
        /// Rows of the map.
        rows: usize,
    },
}

/// Where the rows of a level's map stand: in the text of the level at that path, or in the file that it
/// names.
///
/// # Errors
/// Why there is nothing to paint.
pub fn grid_place(level: &str, text: &str, layer: usize) -> Result<GridPlace, PaintError> {
    let no_grid = |why: String| PaintError::NoGrid(why);
    if ends_with(level, ".txt") {
        return text_grid(level.to_owned(), layer);
    }
    let plain = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let value: Value = serde_json::from_str(plain).map_err(|error| no_grid(format!("no JSON: {error}")))?;
    let map = &value["navigation"];
    if let Some(file) = map.as_str() {
        return match ends_with(file, ".txt") {
            true => text_grid(beside(level, file), layer),
            false => Err(no_grid(format!("it stands in {file}, expected rows of characters or a text grid"))),
        };
    }
    let rows = match (map["kind"].as_str(), map["file"].as_str()) {
        (Some("ascii"), _) => in_layers(layer, 1).map(|()| "/navigation/rows".to_owned())?,
        (Some("tiles"), _) => {
            in_layers(layer, map["layers"].as_array().map_or(0, Vec::len))?;
            format!("/navigation/layers/{layer}/rows")
        }
        (Some("textGrid"), Some(file)) => return text_grid(beside(level, file), layer),
        (kind, _) => {
            let kind = kind.unwrap_or("grid");
            return Err(no_grid(format!("it is of kind \"{kind}\", expected ascii, tiles or textGrid")));
        }
    };
    let mut symbols = vec!['#', '.'];
    let legend = map["legend"].as_object().into_iter().flatten();
    symbols.extend(legend.filter_map(|(key, _)| key.chars().next()));
    Ok(GridPlace { file: level.to_owned(), rows: Some(rows), symbols })
}

/// The map of Tiled that a level is or names, by its path from the root of the project; None where its map is
/// another.
#[must_use]
pub fn tiled_map(level: &str, text: &str) -> Option<String> {
    if is_tiled(level) {
        return Some(level.to_owned());
    }
    let value: Value = serde_json::from_str(text.strip_prefix('\u{FEFF}').unwrap_or(text)).ok()?;
    let map = &value["navigation"];
    let file = map.as_str().or_else(|| map["file"].as_str())?;
    (is_tiled(file) || map["kind"] == "tiled").then(|| beside(level, file))
}

fn text_grid(file: String, layer: usize) -> Result<GridPlace, PaintError> {
    in_layers(layer, 1)?;
    Ok(GridPlace { file, rows: None, symbols: vec!['0', '1'] })
}

fn in_layers(layer: usize, layers: usize) -> Result<(), PaintError> {
    if layer < layers { Ok(()) } else { Err(PaintError::Layer { layer, layers }) }
}

fn ends_with(path: &str, ending: &str) -> bool {
    path.to_ascii_lowercase().ends_with(ending)
}

fn beside(level: &str, file: &str) -> String {
    match level.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{file}"),
        None => file.to_owned(),
    }
}

/// The text of the file of a place with one character in some cells, `[column, row]` from 0.
///
/// # Errors
/// Why nothing was painted.
pub fn paint(place: &GridPlace, text: &str, cells: &[[u32; 2]], symbol: char) -> Result<String, PaintError> {
    if !place.symbols.contains(&symbol) {
        let known: String = place.symbols.iter().collect();
        return Err(PaintError::Symbol { symbol, known });
    }
    let (rows, spelling, new) = match &place.rows {
        Some(pointer) => (rows_of_list(text, pointer)?, Spelling::Json, in_string(symbol)),
        None => (rows_of_text(text), Spelling::Plain, symbol.to_string()),
    };
    let mut cells = cells.to_vec();
    ordered::sort_by_key(&mut cells, |[column, row]| [*row, *column]);
    cells.dedup();
    let (mut painted, mut done) = (String::with_capacity(text.len() + cells.len()), 0);
    let mut opened: Option<(u32, Vec<Range<usize>>)> = None;
    for [column, row] in cells {
        let known = opened.take().filter(|(number, _)| *number == row);
        let (_, places) = opened.insert(match known {
            Some(known) => known,
            None => (row, rows.get(row as usize).map_or_else(Vec::new, |at| characters(text, at, spelling))),
        });
        let Some(at) = places.get(column as usize).cloned() else {
            let columns = match places.len() {
                0 => rows.first().map_or(0, |at| characters(text, at, spelling).len()),
                count => count,
            };
            return Err(PaintError::Outside { column, row, columns, rows: rows.len() });
        };
        painted.push_str(&text[done..at.start]);
        painted.push_str(&new);
        done = at.end;
    }
    painted.push_str(&text[done..]);
    Ok(painted)
}

/// A character as it stands in a string of JSON.
fn in_string(symbol: char) -> String {
    let quoted = quoted(&symbol.to_string());
    quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
}

/// What lies between the quotes of each row.
fn rows_of_list(text: &str, pointer: &str) -> Result<Vec<Range<usize>>, PaintError> {
    let list = value_span(text, pointer).and_then(|at| open(text, &at));
    let list = list.ok_or_else(|| PaintError::NoGrid(format!("there are no rows at {pointer}")))?;
    let is_text = |at: &Range<usize>| {
        text.get(at.clone()).is_some_and(|row| row.len() > 1 && row.starts_with('"') && row.ends_with('"'))
    };
    let rows = list.items.into_iter().map(|item| item.value);
    Ok(rows.map(|at| if is_text(&at) { at.start + 1..at.end - 1 } else { at.start..at.start }).collect())
}

/// The rows of a text grid: the lines after its header, without their ends.
fn rows_of_text(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut rows = Vec::new();
    for line in text.split_inclusive('\n') {
        let plain = line.trim_end_matches(['\n', '\r']);
        let is_header = rows.is_empty()
            && (plain.trim().is_empty()
                || plain.trim_start_matches('\u{FEFF}').trim_start().starts_with(char::is_alphabetic));
        if !is_header {
            rows.push(at..at + plain.len());
        }
        at += line.len();
    }
    while rows.last().is_some_and(|row: &Range<usize>| text[row.clone()].trim().is_empty()) {
        rows.pop();
    }
    rows
}

/// How characters are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    Plain,
    /// As in strings of JSON, with escapes.
    Json,
}

/// The bytes of each character of a row.
fn characters(text: &str, at: &Range<usize>, spelling: Spelling) -> Vec<Range<usize>> {
    let row = &text[at.clone()];
    let mut found = Vec::with_capacity(row.len());
    let mut here = 0;
    while let Some(first) = row[here..].chars().next() {
        let length = match (spelling, first) {
            (Spelling::Json, '\\') => escape_length(&row[here..]),
            _ => first.len_utf8(),
        };
        found.push(at.start + here..at.start + here + length);
        here += length;
    }
    found
}

/// Bytes of the character that an escape stands for: two of them where it takes a pair.
fn escape_length(text: &str) -> usize {
    let code =
        |text: &str| text.strip_prefix("\\u").and_then(|rest| u16::from_str_radix(rest.get(..4)?, 16).ok());
    match code(text) {
        Some(0xD800..=0xDBFF) if text.get(6..).is_some_and(|rest| code(rest).is_some()) => 12,
        Some(_) => 6,
        None => text.chars().take(2).map(char::len_utf8).sum(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use crate::edit::paint::{GridPlace, PaintError, grid_place, paint};

    const RUINS: &str = include_str!("../../../../levels/ruins.json");
    const BATTLEFIELD: &str = include_str!("../../../../levels/battlefield.json");

    #[test]
    fn cells_of_an_ascii_map_are_painted_where_they_stand() {
        let place = grid_place("levels/ruins.json", RUINS, 0).unwrap();
        assert_eq!(place.file, "levels/ruins.json");
        let text = paint(&place, RUINS, &[[1, 1], [3, 1], [1, 1], [2, 2]], ',').unwrap();
        let (one, two) = ("\"#.......#......,,", "\"#.h.....#");
        assert_eq!(text, RUINS.replacen(one, "\"#,.,....#......,,", 1).replace(two, "\"#.,.....#"));
        let said = |cells: &[[u32; 2]], symbol| paint(&place, RUINS, cells, symbol).unwrap_err().to_string();
        assert!(said(&[[1, 1]], 'x').starts_with("'x' means nothing on this map, expected one of #."));
        assert_eq!(
            said(&[[40, 1]], '#'),
            "there is no cell in column 40 of row 1: the map has 40 columns and 25 rows"
        );
        assert_eq!(
            said(&[[1, 1], [0, 25]], '#'),
            "there is no cell in column 0 of row 25: the map has 40 columns and 25 rows"
        );
    }

    #[test]
    fn layers_of_tiles_are_painted_each_by_itself() {
        let place = grid_place("levels/battlefield.json", BATTLEFIELD, 1).unwrap();
        let text = paint(&place, BATTLEFIELD, &[[0, 0]], '#').unwrap();
        assert_eq!(text, BATTLEFIELD.replacen("\"...............#", "\"#..............#", 1));
        let layer = PaintError::Layer { layer: 3, layers: 3 };
        assert_eq!(grid_place("levels/battlefield.json", BATTLEFIELD, 3), Err(layer));
    }

    #[test]
    fn text_grids_keep_their_header_and_the_ends_of_their_lines() {
        let text = "cellSize 0.5\r\nminX 0\r\nminZ 0\r\n\r\ngridWidth 3\r\ngridDepth 2\r\n101\r\n000\r\n\r\n";
        for level in [
            "{\"navigation\": \"maps/a.txt\"}",
            "{\"navigation\": {\"kind\": \"textGrid\", \"file\": \"maps/a.txt\"}}",
        ] {
            let place = grid_place("levels/a.json", level, 0).unwrap();
            assert_eq!(
                place,
                GridPlace { file: "levels/maps/a.txt".into(), rows: None, symbols: vec!['0', '1'] }
            );
            let painted = paint(&place, text, &[[1, 0], [2, 1]], '1').unwrap();
            assert_eq!(painted, text.replace("101\r\n000", "111\r\n001"));
            assert!(matches!(paint(&place, text, &[[0, 2]], '1'), Err(PaintError::Outside { rows: 2, .. })));
        }
        assert_eq!(grid_place("maps/a.TXT", text, 0).unwrap().rows, None);
    }

    #[test]
    fn other_maps_cannot_be_painted() {
        for (map, why) in [
            ("\"a.tmx\"", "it stands in a.tmx, expected rows of characters or a text grid"),
            ("{\"areas\": []}", "it is of kind \"grid\", expected ascii, tiles or textGrid"),
            ("{\"kind\": \"graph\"}", "it is of kind \"graph\", expected ascii, tiles or textGrid"),
        ] {
            let error = grid_place("a.json", &format!("{{\"navigation\": {map}}}"), 0).unwrap_err();
            assert_eq!(error.to_string(), format!("the map of this level cannot be painted: {why}"));
        }
        assert!(matches!(grid_place("a.json", "{", 0), Err(PaintError::NoGrid(_))));
        let place = grid_place("levels/ruins.json", RUINS, 0).unwrap();
        for text in ["{\"navigation\": {\"rows\": [\"", "{\"navigation\": {\"rows\": [1, \"\u{e9}", "[]", ""]
        {
            assert!(paint(&place, text, &[[0, 0], [0, 1]], '#').is_err(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn painting_is_what_one_expects_however_the_rows_are_spelled(
            rows in prop::collection::vec(prop::collection::vec(0_usize..7, 4), 1..5),
            spelling in prop::collection::vec(0_usize..3, 20),
            cells in prop::collection::vec((0_u32..4, 0_u32..5), 0..6),
            symbol in 0_usize..7,
        ) {
            let symbols = ['#', '.', '"', '\\', 'é', '\u{1F333}', '/'];
            let spelled = |number: usize, how: usize| match (symbols[number], how) {
                ('"', 0) => "\\\"".to_owned(),
                ('\\', 0) => "\\\\".to_owned(),
                ('/', 0) => "\\/".to_owned(),
                ('"' | '\\', _) | (_, 1) => {
                    let mut units = [0; 2];
                    symbols[number].encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
                }
                (symbol, _) => symbol.to_string(),
            };
            let mut how = spelling.iter().cycle();
            let list: Vec<String> = rows
                .iter()
                .map(|row| {
                    let row: String = row.iter().map(|&number| spelled(number, *how.next().unwrap())).collect();
                    format!("\"{row}\"")
                })
                .collect();
            let legend = r#"{"\"": {}, "\\": {}, "é": {}, "\ud83c\udf33": {}, "/": {}}"#;
            let rows_text = list.join(",\r\n");
            let text = format!("{{\"navigation\": {{\"kind\": \"ascii\", \"legend\": {legend}, \"rows\": [{rows_text}]}}}}");
            let place = grid_place("a.json", &text, 0).unwrap();
            let asked: Vec<[u32; 2]> = cells.iter().map(|&(column, row)| [column, row]).collect();
            let painted = paint(&place, &text, &asked, symbols[symbol]);
            if asked.iter().any(|cell| cell[1] as usize >= rows.len()) {
                let is_outside = matches!(painted, Err(PaintError::Outside { .. }));
                prop_assert!(is_outside);
                return Ok(());
            }
            let painted = painted.unwrap();
            let mut expected = rows.clone();
            asked.iter().for_each(|cell| expected[cell[1] as usize][cell[0] as usize] = symbol);
            let expected: Vec<String> =
                expected.iter().map(|row| row.iter().map(|&number| symbols[number]).collect()).collect();
            let value: Value = serde_json::from_str(&painted).unwrap();
            prop_assert_eq!(&value["navigation"]["rows"], &Value::from(expected));
            prop_assert_eq!(painted.matches("\r\n").count(), text.matches("\r\n").count());
            if asked.is_empty() {
                prop_assert_eq!(painted, text);
            }
        }
    }
}
