//! Maps and scenarios of the MovingAI benchmarks.
//!
//! In: the text of a `.map` and of a `.scen`. Out: a map of unit cells, and the queries with the costs they
//! should have. Holds: `.` and `G` are walkable, everything else is not; sizes are checked before anything is
//! allocated; a mistake is named with its line. Not here: answering the queries. Source: Sturtevant 2012,
//! "Benchmarks for Grid-Based Pathfinding".

use crate::nav::NavMap;
use crate::nav::cells::{CELLS_MAX, CellMap, CellSource, MapFrame};

/// Most queries of one scenario file.
const QUERIES_MAX: usize = 1_000_000;

/// What is wrong with a file, and in which line, from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct MovingAiError {
    /// From 1.
    pub line: usize,
    /// What is wrong and what was expected.
    pub message: String,
}

/// A query of a scenario: cells, and the length of the best path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scenario {
    /// The group it belongs to, by length.
    pub bucket: u32,
    /// Size of the map it was made for, cells.
    pub size: [u32; 2],
    /// Cell to start from: x, and y as z.
    pub start: [u32; 2],
    /// Cell to reach.
    pub goal: [u32; 2],
    /// Length of the best path over square cells, diagonals between two free neighbours only; 0 for no path
    /// where start and goal differ.
    pub optimal: f64,
    /// How far that length may be from the true one because it was printed with few digits: half of the last
    /// one. 0 when fewer than two digits stand after the point: such files print short numbers exactly.
    pub rounding: f64,
}

fn wrong(line: usize, message: impl Into<String>) -> MovingAiError {
    MovingAiError { line: line + 1, message: message.into() }
}

/// The map of a `.map` file: unit cells, the first at (0, 0) to (1, 1).
///
/// # Errors
/// The first line that is not as it should be.
pub fn map(text: &str) -> Result<NavMap, MovingAiError> {
    let mut lines = without_mark(text).lines().enumerate();
    let (mut width, mut depth) = (None, None);
    for (index, line) in lines.by_ref() {
        let mut words = line.split_whitespace();
        let before = match (words.next(), words.next()) {
            (Some("type"), Some("octile")) => None,
            (Some("width"), Some(value)) => width.replace(side(index, value)?),
            (Some("height"), Some(value)) => depth.replace(side(index, value)?),
            (Some("map"), None) => break,
            _ => return Err(wrong(index, "expected type octile, height, width or map")),
        };
        if before.is_some() {
            return Err(wrong(index, "it is given twice, expected height and width once each"));
        }
    }
    let (Some(width), Some(depth)) = (width, depth) else {
        return Err(wrong(0, "expected a header with height, width and map"));
    };
    if u64::from(width) * u64::from(depth) > CELLS_MAX {
        return Err(wrong(0, format!("{width} x {depth} cells, limit {CELLS_MAX}")));
    }
    let mut walkable = Vec::with_capacity(width as usize * depth as usize);
    for z in 0..depth {
        let Some((index, row)) = lines.next() else {
            return Err(wrong(text.lines().count(), format!("{z} rows, expected {depth}")));
        };
        // Spaces after a row that is whole say nothing.
        let row = if row.len() > width as usize { row.trim_end() } else { row };
        if row.len() != width as usize {
            return Err(wrong(index, format!("{} cells, expected {width}", row.len())));
        }
        walkable.extend(row.bytes().map(|cell| matches!(cell, b'.' | b'G')));
    }
    if let Some((index, _)) = lines.find(|(_, line)| !line.trim().is_empty()) {
        return Err(wrong(index, format!("more rows than the height, {depth}")));
    }
    let frame = MapFrame { cell_size_m: 1.0, width, depth, ..MapFrame::default() };
    let source = CellSource { frame, walkable, ..CellSource::default() };
    let cells = CellMap::from_cells(&source).map_err(|error| wrong(0, error.to_string()))?;
    Ok(NavMap::from(cells))
}

/// The queries of a `.scen` file.
///
/// # Errors
/// The first line that is not as it should be.
pub fn scenarios(text: &str) -> Result<Vec<Scenario>, MovingAiError> {
    let mut list = Vec::new();
    for (index, line) in without_mark(text).lines().enumerate() {
        let is_version =
            line.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("version"));
        if line.trim().is_empty() || is_version {
            continue;
        }
        if list.len() == QUERIES_MAX {
            return Err(wrong(index, format!("more than {QUERIES_MAX} queries")));
        }
        list.push(scenario(index, line)?);
    }
    Ok(list)
}

fn scenario(index: usize, line: &str) -> Result<Scenario, MovingAiError> {
    // The name of the map may hold spaces: the eight other fields are counted from both ends.
    let words: Vec<&str> = line.split_whitespace().collect();
    let (Some(&first), true) = (words.first(), words.len() >= 9) else {
        return Err(wrong(index, format!("{} fields, expected 9", words.len())));
    };
    let last = &words[words.len() - 7..];
    let number = |at: usize| whole(index, last[at]);
    let optimal = last[6].parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
    let digits = last[6].split_once('.').map_or(0, |(_, digits)| digits.len().min(12) as i32);
    Ok(Scenario {
        bucket: whole(index, first)?,
        size: [number(0)?, number(1)?],
        start: [number(2)?, number(3)?],
        goal: [number(4)?, number(5)?],
        optimal: optimal.ok_or_else(|| wrong(index, format!("\"{}\" is not a length", last[6])))?,
        rounding: if digits >= 2 { 0.5 * 10f64.powi(-digits) } else { 0.0 },
    })
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// How many cells a map is wide or high.
fn side(index: usize, text: &str) -> Result<u32, MovingAiError> {
    match whole(index, text)? {
        0 => Err(wrong(index, "0 cells, expected 1 or more")),
        cells => Ok(cells),
    }
}

fn whole(index: usize, text: &str) -> Result<u32, MovingAiError> {
    text.parse().map_err(|_| wrong(index, format!("\"{text}\" is not a whole number")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_and_its_queries_are_read() {
        let map = map("type octile\nheight 2\nwidth 3\nmap\n.@G\n...\n").unwrap();
        let cells = map.cells().unwrap();
        let row = |z: u32| (0..3).map(|x| cells.walkable(x, z)).collect::<Vec<_>>();
        assert_eq!((row(0), row(1)), (vec![true, false, true], vec![true, true, true]));
        let list = scenarios("version 1\n4\tmaps/a b.map\t3\t2\t0\t0\t2\t0\t4.0\n").unwrap();
        let expected =
            Scenario { bucket: 4, size: [3, 2], start: [0, 0], goal: [2, 0], optimal: 4.0, rounding: 0.0 };
        assert_eq!(list, vec![expected]);
    }

    #[test]
    fn marks_and_spaces_that_say_nothing_change_nothing() {
        let plain = "type octile\nheight 1\nwidth 3\nmap\n.@G\n";
        let odd = "\u{feff}type octile\r\nheight 1 \r\nwidth 3\r\nmap\r\n.@G  \r\n\r\n";
        let cells = |text: &str| {
            let map = map(text).unwrap();
            (0..3).map(|x| map.cells().unwrap().walkable(x, 0)).collect::<Vec<_>>()
        };
        assert_eq!(cells(odd), cells(plain));
        for version in ["version 1\n", "\u{feff}version 1.0\n", " Version 1\n", ""] {
            let list = scenarios(&format!("{version}0 a 3 1 0 0 0 0 0\n"));
            assert_eq!(list.map(|list| list.len()), Ok(1), "{version:?}");
        }
    }

    #[test]
    fn only_lengths_with_two_digits_or_more_count_as_rounded() {
        for (length, rounding) in [("5", 0.0), ("4.5", 0.0), ("3.41", 0.005), ("3.414", 0.0005)] {
            let list = scenarios(&format!("0 a 4 3 0 0 3 2 {length}\n")).unwrap();
            assert!((list[0].rounding - rounding).abs() < 1e-12, "{length}: {}", list[0].rounding);
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, line) in [
            ("", 1),
            ("type octile\nheight 2\nwidth 3\nmap\n...\n", 6),
            ("type octile\nheight 1\nwidth 3\nmap\n..\n", 5),
            ("type hex\n", 1),
            ("type octile\nheight x\n", 2),
            ("height 100000\nwidth 100000\nmap\n", 1),
            ("height 0\nwidth 3\nmap\n", 1),
            ("height 1\nheight 1\nwidth 3\nmap\n...\n", 2),
            ("height 1\nwidth 3\nmap\n...\n\n...\n", 6),
        ] {
            assert_eq!(map(text).unwrap_err().line, line, "{text:?}");
        }
        assert_eq!(scenarios("version 1\n1 a 2 3\n").unwrap_err().line, 2);
    }
}
