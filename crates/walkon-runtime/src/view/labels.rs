//! Places labels, and drops those that find no room.
//!
//! In: a picture and the way from metres to pixels. Out: places in pixels. Holds: no two placed
//! labels overlap; the more important one stays, then the earlier; nothing leaves the map.
//! Source: greedy placement over a fixed list of positions, as in Christensen, Marks and Shieber 1995.

use std::collections::{BTreeMap, BTreeSet};

use super::clip::Box4;
use super::hatch::Pixel;
use super::picture::{Label, LabelSpread, Picture};
use crate::base::geom::{Bounds, Point, polygon_contains};
use crate::base::ordered::{self, CollectOrdered};

/// Width of a character over the height of its line, in every font we draw with.
pub(super) const ADVANCE: f32 = 0.6;

/// Most labels of one picture: more cannot be read.
const LABELS_MAX: usize = 400;
/// Part of the map that the names of one kind may cover: a twentieth, as seen on a market of 200 people,
/// where more hides the ground.
const COVERED_MAX: f32 = 0.05;
/// Importance from which a label is never crowded out: the player, the ends of a search.
const ALWAYS: u8 = 8;
/// Pixels between a body and its name, and around every label.
const GAP_PX: f32 = 2.0;

/// Places tried on either side of the middle of a polygon, along each axis.
const STEPS: i32 = 6;

/// How many columns a letter takes where all letters are of one width: none what joins the letter before it,
/// two the letters of East Asia and small pictures.
#[must_use]
pub fn letter_columns(letter: char) -> u16 {
    match letter {
        '\u{300}'..='\u{36F}' | '\u{200B}'..='\u{200F}' | '\u{FE00}'..='\u{FE0F}' => 0,
        '\u{1100}'..='\u{115F}'
        | '\u{2E80}'..='\u{A4CF}'
        | '\u{AC00}'..='\u{D7A3}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE6F}'
        | '\u{FF01}'..='\u{FF60}'
        | '\u{FFE0}'..='\u{FFE6}'
        | '\u{1F300}'..='\u{1FAFF}'
        | '\u{20000}'..='\u{3FFFD}' => 2,
        _ => 1,
    }
}

/// Columns of a line of text.
#[must_use]
pub fn text_columns(text: &str) -> u32 {
    text.chars().map(|letter| u32::from(letter_columns(letter))).sum()
}

/// Width of a line of text, pixels.
pub(super) fn text_width_px(text: &str, size_px: f32) -> f32 {
    text_columns(text) as f32 * size_px * ADVANCE
}

/// A label that found a place.
pub(super) struct Placed<'a> {
    pub label: &'a Label,
    /// Its middle.
    pub at: Pixel,
    /// Which of its possible places this is.
    pub index: usize,
}

/// Each label that found a place, in order of importance. A label that stood somewhere in the picture before
/// stays there while there is room; only labels of moving things may then stand elsewhere.
pub(super) fn place(
    picture: &Picture,
    to_pixel: impl Fn([f64; 2]) -> Pixel,
    scale: f32,
    map: Box4,
) -> Vec<Placed<'_>> {
    let crowded = crowded_kinds(picture, map);
    let is_wanted = |label: &&Label| label.importance >= ALWAYS || !crowded.contains(label.tag.kind());
    let mut order: Vec<&Label> = picture.labels.iter().filter(is_wanted).collect();
    ordered::sort_by_key(&mut order, |label| std::cmp::Reverse(label.importance));
    let clear = |bounds: &Bounds| {
        let Bounds { min, max } = *bounds;
        let corners = [min, [max[0], min[1]], max, [min[0], max[1]]].map(&to_pixel);
        let least = |axis: usize| corners.iter().map(|at| at[axis]).fold(f32::INFINITY, f32::min);
        let most = |axis: usize| corners.iter().map(|at| at[axis]).fold(f32::NEG_INFINITY, f32::max);
        [least(0), least(1), most(0), most(1)]
    };
    let mut taken: Vec<Box4> = picture.keep_clear.iter().map(clear).collect();
    let mut placed = Vec::new();
    for label in order {
        if placed.len() == LABELS_MAX {
            break;
        }
        let (width, height) = (text_width_px(&label.text, label.size_px), label.size_px);
        let at = to_pixel(label.at);
        let free = |middle: &Pixel| {
            let room = around(*middle, width, height);
            inside(room, map) && !taken.iter().any(|other| overlap(room, *other))
        };
        let places = match &label.spread {
            LabelSpread::Within(face) => {
                let face: Vec<Pixel> = face.iter().map(|&corner| to_pixel(corner)).collect();
                within(&face, width, height)
            }
            LabelSpread::Beside(radius_m) => beside(at, *radius_m as f32 * scale, width, height),
        };
        let stood = picture.stood.get(&(label.tag.kind(), label.tag.key())).copied();
        // A still thing keeps its name where it was, or goes without while a character passes over it.
        let others = if stood.is_some() && !label.tag.moves() { 0..0 } else { 0..places.len() };
        let tried = stood.into_iter().chain(others);
        let found = tried.filter_map(|index| Some((index, *places.get(index)?))).find(|(_, at)| free(at));
        if let Some((index, at)) = found {
            taken.push(around(at, width, height));
            placed.push(Placed { label, at, index });
        }
    }
    placed
}

/// Kinds of things whose names would cover too much of the map. SVG still tells each name to a pointer.
fn crowded_kinds(picture: &Picture, map: Box4) -> BTreeSet<&'static str> {
    let mut covered: BTreeMap<&'static str, f32> = BTreeMap::new();
    for label in picture.labels.iter().filter(|label| label.importance < ALWAYS) {
        *covered.entry(label.tag.kind()).or_default() +=
            text_width_px(&label.text, label.size_px) * label.size_px;
    }
    let room = (map[2] - map[0]) * (map[3] - map[1]) * COVERED_MAX;
    covered.into_iter().filter(|(_, area)| *area > room).map(|(kind, _)| kind).collect_set()
}

/// Places wholly inside a polygon, the nearest to its middle first.
fn within(face: &[Pixel], width: f32, height: f32) -> Vec<Pixel> {
    let corners: Vec<Point> = face.iter().map(|corner| corner.map(f64::from)).collect();
    let bounds = Bounds::of(&corners);
    let (centre, size) = (bounds.centre(), [0, 1].map(|axis| bounds.max[axis] - bounds.min[axis]));
    let steps = -STEPS..=STEPS;
    let mut places: Vec<(i32, Pixel)> = steps
        .clone()
        .flat_map(|down| steps.clone().map(move |across| [across, down]))
        .map(|step| {
            let part = step.map(|step| f64::from(step) / f64::from(2 * STEPS + 1));
            let at = [0, 1].map(|axis| (centre[axis] + part[axis] * size[axis]) as f32);
            (step[0] * step[0] + step[1] * step[1], at)
        })
        .filter(|(_, at)| {
            let [left, top, right, bottom] = around(*at, width, height).map(f64::from);
            let points = [[left, top], [right, top], [right, bottom], [left, bottom], at.map(f64::from)];
            points.iter().all(|point| polygon_contains(&corners, *point))
        })
        .collect();
    ordered::sort_by_key(&mut places, |(distance, _)| *distance);
    places.into_iter().map(|(_, at)| at).collect()
}

/// Places around a body: below, above, right, left, then farther away.
fn beside([x, y]: Pixel, radius_px: f32, width: f32, height: f32) -> Vec<Pixel> {
    let ring = |more: f32| {
        let away = radius_px + GAP_PX + more;
        let (dx, dy) = (away + width / 2.0 + 1.0, away + height / 2.0);
        [[x, y + dy], [x, y - dy], [x + dx, y], [x - dx, y], [x + dx, y + dy], [x - dx, y - dy]]
    };
    [ring(0.0), ring(height)].concat()
}

fn around([x, y]: Pixel, width: f32, height: f32) -> Box4 {
    let (dx, dy) = (width / 2.0 + GAP_PX, height / 2.0 + GAP_PX / 2.0);
    [x - dx, y - dy, x + dx, y + dy]
}

fn overlap(a: Box4, b: Box4) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

fn inside(a: Box4, map: Box4) -> bool {
    a[0] >= map[0] && a[1] >= map[1] && a[2] <= map[2] && a[3] <= map[3]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::CharacterId;
    use crate::view::{Tag, theme};

    fn picture(tag: Tag, stood: Option<usize>) -> Picture {
        let stood = stood.map(|index| ((tag.kind(), tag.key()), index));
        let mut picture = Picture::new("t", Bounds { min: [0.0, 0.0], max: [100.0, 100.0] }, 1.0);
        picture.labels.push(Label {
            at: [50.0, 50.0],
            text: "anna".to_owned(),
            colour: theme::INK,
            size_px: theme::NAME_PX,
            spread: LabelSpread::Beside(1.0),
            importance: 7,
            tag,
        });
        picture.stood = stood.into_iter().collect();
        picture
    }

    /// The place of the one label, if it has found one.
    fn index(picture: &Picture) -> Option<usize> {
        let placed = place(picture, |[x, z]| [x as f32, z as f32], 1.0, [0.0, 0.0, 100.0, 100.0]);
        placed.first().map(|placed| placed.index)
    }

    #[test]
    fn letters_take_the_room_that_they_are_drawn_in() {
        let accent = "e\u{301}".repeat(20);
        for (text, columns) in
            [("anna", 4), ("Žižka", 5), (accent.as_str(), 20), ("守衛", 4), ("🛡\u{FE0F}", 2)]
        {
            assert_eq!(text_columns(text), columns, "{text}");
        }
    }

    #[test]
    fn a_name_stays_where_it_stood_while_there_is_room() {
        let (still, moving) = (Tag::Mark("anna".to_owned()), Tag::Character(CharacterId::default()));
        for (tag, elsewhere) in [(still, None), (moving, Some(0))] {
            assert_eq!(index(&picture(tag.clone(), None)), Some(0), "below, when nothing is known");
            let mut picture = picture(tag, Some(2));
            assert_eq!(index(&picture), Some(2), "to the right, as before");
            picture.keep_clear.push(Bounds { min: [66.0, 46.0], max: [80.0, 54.0] });
            assert_eq!(index(&picture), elsewhere, "until something is there");
        }
    }
}
