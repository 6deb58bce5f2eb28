//! The colour palette of every animation.
//!
//! In: an opaque pixel. Out: the index of the nearest of 255 colours. Holds: the palette is the same for
//! every frame of every animation, so nothing flickers and equal pictures give equal bytes; every colour of
//! the theme that covers an area is in it exactly; the rest are the colours in between, for smooth edges: a
//! line of each colour over each ground at a third and at two thirds. Never: dithering, because it would
//! move. Not here: the pixels.

use std::collections::HashMap;

use crate::view::{Colour, theme};

/// Index of the colour that shows the frame before.
pub(super) const UNCHANGED: u8 = 255;
/// Colours, without that one.
const COLOURS: usize = 255;
/// Two colours nearer than this are one: nobody sees the difference between neighbours in a picture.
const SAME: u32 = 3 * 5 * 5 * 5;

/// What lines and bodies lie on, the most frequent first.
const GROUNDS: [Colour; 6] = [
    theme::CELL_PLAIN,
    theme::PAPER,
    theme::CELL_BLOCKED,
    theme::SEARCH_FRONTIER,
    theme::CELL_EXPENSIVE,
    theme::CELL_MOST_EXPENSIVE,
];

/// What lies on it, the most frequent first.
const INKS: [Colour; 25] = [
    theme::CHARACTER,
    theme::CHARACTER_LINE,
    theme::PATH,
    theme::DESIRED,
    theme::REAL,
    theme::INK,
    theme::SEARCH_SMOOTH,
    theme::PLAYER,
    theme::PATH_END,
    theme::INK_SOFT,
    theme::DOOR_CLOSED,
    theme::DOOR_OPEN,
    theme::DOOR_MOVING,
    theme::AREA_NAME,
    theme::REGION,
    theme::MARK,
    theme::PATH_CORNER,
    theme::AREA_CLOSED,
    theme::OBSTACLE,
    theme::OBSTACLE_LINE,
    theme::AREA_LINE,
    theme::SEARCH_RAW,
    theme::SEARCH_START,
    theme::DISC,
    theme::NUDGE,
];

/// What else is drawn in a colour of its own.
const OTHERS: [Colour; 12] = [
    theme::NO_GROUND,
    theme::CELL_PADDING,
    theme::LINK,
    theme::WATCH,
    theme::GRAPH,
    theme::ISLAND,
    theme::SCENE_LOW,
    theme::SCENE_HIGH,
    theme::SCENE_TOP,
    theme::SCENE_STEP,
    theme::SCENE_WALL,
    theme::CELL_BEYOND,
];

/// The palette, and what was looked up in it.
pub(super) struct ColourPalette {
    colours: Vec<[u8; 3]>,
    known: HashMap<[u8; 3], u8>,
    /// The last pixel and its index: neighbours are mostly equal.
    last: ([u8; 3], u8),
}

impl ColourPalette {
    /// The palette of every animation.
    pub fn new() -> Self {
        let mut colours: Vec<[u8; 3]> = Vec::with_capacity(COLOURS);
        let wanted = whole().map(|colour| (colour, 1)).chain(edges().map(|colour| (colour, SAME)));
        for (Colour(red, green, blue, _), least) in wanted {
            let colour = [red, green, blue];
            if colours.len() < COLOURS && !colours.iter().any(|&other| distance(colour, other) < least) {
                colours.push(colour);
            }
        }
        colours.resize(COLOURS, [0, 0, 0]);
        let last = (colours[0], 0);
        Self { colours, known: HashMap::new(), last }
    }

    /// Red, green and blue of every index, [`UNCHANGED`] included.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.colours.concat();
        bytes.extend([0, 0, 0]);
        bytes
    }

    /// The index of the colour that comes nearest to a pixel. Cost: a look at every colour, the first time.
    pub fn index(&mut self, pixel: [u8; 3]) -> u8 {
        if self.last.0 != pixel {
            let colours = &self.colours;
            let index = *self.known.entry(pixel).or_insert_with(|| nearest(colours, pixel));
            self.last = (pixel, index);
        }
        self.last.1
    }
}

/// What covers areas, and lines.
fn whole() -> impl Iterator<Item = Colour> {
    let region = theme::REGION.over(theme::CELL_PLAIN, 26.0 / 255.0);
    let doors = [theme::DOOR_OPEN, theme::DOOR_MOVING, theme::DOOR_CLOSED];
    let opacities = [40.0, 120.0, 220.0];
    let doors = doors.into_iter().zip(opacities).flat_map(|(door, opacity)| {
        [theme::CELL_PLAIN, theme::CELL_BLOCKED].map(|ground| door.over(ground, opacity / 255.0))
    });
    // Expensive ground by how much it costs.
    let beyond = (1..=3_u8).map(|power| {
        let weight = f32::from(power) * theme::CELL_BEYOND_STEP;
        theme::CELL_BEYOND.over(theme::CELL_MOST_EXPENSIVE, weight)
    });
    let own = theme::PEOPLE.into_iter().chain(theme::HEIGHTS).chain(OTHERS);
    GROUNDS.into_iter().chain([region]).chain(INKS).chain(own).chain(doors).chain(beyond)
}

/// The colours in between, the most wanted first.
fn edges() -> impl Iterator<Item = Colour> {
    let over = |part: f32| {
        INKS.into_iter()
            .flat_map(move |ink| GROUNDS.into_iter().take(4).map(move |ground| (ink, ground, part)))
    };
    over(0.5).chain(over(0.25)).chain(over(0.75)).map(|(ink, ground, part)| ink.over(ground, part))
}

fn nearest(colours: &[[u8; 3]], pixel: [u8; 3]) -> u8 {
    let nearest = colours.iter().enumerate().min_by_key(|(_, colour)| distance(**colour, pixel));
    nearest.map_or(0, |(index, _)| index as u8)
}

/// How different two colours look: squares weighted by how well the eye tells red, green and blue apart.
/// Source: "Colour metric", T. Riemersma, CompuPhase 2001, without its dependence on the mean red.
fn distance(a: [u8; 3], b: [u8; 3]) -> u32 {
    let square = |axis: usize| u32::from(a[axis].abs_diff(b[axis])).pow(2);
    2 * square(0) + 4 * square(1) + 3 * square(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_areas_and_lines_are_in_the_palette_as_they_are() {
        let mut palette = ColourPalette::new();
        let colours = palette.bytes();
        assert_eq!(colours.len(), 256 * 3);
        for Colour(red, green, blue, _) in GROUNDS.into_iter().chain(INKS).chain(whole()) {
            let at = usize::from(palette.index([red, green, blue])) * 3;
            let found = [colours[at], colours[at + 1], colours[at + 2]];
            assert_eq!(found, [red, green, blue]);
        }
        assert!(theme::PEOPLE.into_iter().all(|own| whole().any(|colour| colour == own)));
    }

    #[test]
    fn whatever_is_mixed_of_them_has_a_near_one() {
        let mut palette = ColourPalette::new();
        let colours = palette.bytes();
        for ink in INKS {
            for ground in GROUNDS.into_iter().take(2) {
                for tenths in 0..=10u8 {
                    let Colour(red, green, blue, _) = ink.over(ground, f32::from(tenths) / 10.0);
                    let at = usize::from(palette.index([red, green, blue])) * 3;
                    let found = [colours[at], colours[at + 1], colours[at + 2]];
                    // An eighth of the range in each channel.
                    assert!(distance(found, [red, green, blue]) < 9 * 32 * 32, "{ink:?} over {ground:?}");
                }
            }
        }
    }
}
