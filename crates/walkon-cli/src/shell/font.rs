//! The font of pictures: outlines of DejaVu Sans Mono, all of one width.
//!
//! In: a character. Out: its outline, as commands in units of [`EM_UNITS`] to the height of a line; y points
//! down and is 0 on the line that letters stand on. Holds: a character that the file does not have is an
//! empty box. Not here: pixels. Source: `font/outlines.txt`, the glyphs of Latin script out of DejaVu Sans
//! Mono 2.37 as text, under `font/LICENSE`.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::{LazyLock, OnceLock};

use flate2::read::ZlibDecoder;
use walkon_runtime::base::ordered::CollectOrdered;

/// Units of a line's height.
pub(super) const EM_UNITS: f32 = 256.0;
/// Units from one character to the next.
pub(super) const ADVANCE_UNITS: f32 = 154.125;
/// Height of a capital letter, units.
pub(super) const CAPITAL_UNITS: f32 = 186.6;

/// The first line is the box; every other begins with its character. The program carries it compressed.
static OUTLINES: LazyLock<String> = LazyLock::new(|| {
    let packed: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/outlines"));
    let mut text = String::new();
    let unpacked = ZlibDecoder::new(packed).read_to_string(&mut text);
    debug_assert!(unpacked.is_ok(), "build.rs has packed it");
    text
});

/// A part of an outline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum OutlinePart {
    /// A closed outline begins here.
    Move([f32; 2]),
    /// A straight line.
    Line([f32; 2]),
    /// A curve with one control point.
    Curve([f32; 2], [f32; 2]),
    /// Back to where the outline began.
    Close,
}

/// The outline of a character, outer ones and holes, each in its own direction; nothing for a space.
pub(super) fn outline(character: char) -> impl Iterator<Item = OutlinePart> {
    let own = if character.is_whitespace() { "" } else { text_of(character) };
    own.split(' ').filter_map(command)
}

fn text_of(character: char) -> &'static str {
    static BY_CHARACTER: OnceLock<BTreeMap<char, &str>> = OnceLock::new();
    let known = BY_CHARACTER.get_or_init(|| {
        let lines = OUTLINES.lines().skip(1);
        lines.filter_map(|line| Some((line.chars().next()?, line.split_once(' ')?.1))).collect_map()
    });
    let missing = || OUTLINES.lines().next().unwrap_or_default();
    known.get(&character).copied().unwrap_or_else(missing)
}

/// `M12,3`, `L12,3`, `Q1,2,3,4` or `Z`.
fn command(text: &str) -> Option<OutlinePart> {
    let mut numbers = text.get(1..)?.split(',').map(str::parse);
    let mut point = || Some([numbers.next()?.ok()?, numbers.next()?.ok()?]);
    match text.as_bytes().first()? {
        b'M' => Some(OutlinePart::Move(point()?)),
        b'L' => Some(OutlinePart::Line(point()?)),
        b'Q' => Some(OutlinePart::Curve(point()?, point()?)),
        _ => Some(OutlinePart::Close),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outline_is_closed_and_stays_in_its_line() {
        let all: Vec<char> = OUTLINES.lines().skip(1).filter_map(|line| line.chars().next()).collect();
        assert!((' '..='~').skip(1).all(|character| all.contains(&character)));
        for character in all {
            let text = text_of(character);
            assert_eq!(outline(character).count(), text.split(' ').count(), "{character}: {text}");
            let starts = text.matches('M').count();
            assert!(starts > 0 && starts == text.matches('Z').count(), "{character}: {text}");
            let points = outline(character).flat_map(|command| match command {
                OutlinePart::Move(at) | OutlinePart::Line(at) => vec![at],
                OutlinePart::Curve(by, to) => vec![by, to],
                OutlinePart::Close => Vec::new(),
            });
            for [x, y] in points {
                // An accent may lean a little over the edge; nothing reaches into the next line but one.
                let is_inside =
                    (-16.0..=ADVANCE_UNITS + 16.0).contains(&x) && (-EM_UNITS..=96.0).contains(&y);
                assert!(is_inside, "{character}: {x}, {y}");
            }
        }
    }

    #[test]
    fn capitals_are_as_high_as_said_and_what_is_missing_is_a_box() {
        let height = outline('H').filter_map(|command| match command {
            OutlinePart::Move([_, y]) | OutlinePart::Line([_, y]) => Some(-y),
            _ => None,
        });
        assert!((height.fold(0.0, f32::max) - CAPITAL_UNITS).abs() < 1.0);
        assert_eq!(outline(' ').count(), 0);
        assert_eq!(outline('漢').collect::<Vec<_>>(), outline('\u{1}').collect::<Vec<_>>());
        assert_ne!(outline('é').collect::<Vec<_>>(), outline('漢').collect::<Vec<_>>());
    }
}
