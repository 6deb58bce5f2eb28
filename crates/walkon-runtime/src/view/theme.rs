//! Every colour and size of every picture.
//!
//! Holds: cells in the colours of seed 004 (green up to a factor of 1, yellow above it, red above 1.5, black
//! where blocked; half transparent over paper), searches in those of seed 001 (blocked red, searched
//! yellow, frontier white, path green, full path orange), paths green with yellow waypoints and a red end.
//! They are toned down so that bodies and words stay readable on them.

use super::picture::Colour;

/// Behind everything.
pub const PAPER: Colour = Colour::hex(0xFAF9F6);
/// Words and thin lines of the frame.
pub const INK: Colour = Colour::hex(0x2B2F36);
/// Words of less weight.
pub const INK_SOFT: Colour = Colour::hex(0x757A82);
/// Behind words that lie on the map.
pub const HALO: Colour = Colour::hex(0xFFFFFF).with_opacity(200);

/// Walkable at a factor of 1 or less: green, 0.3 over paper.
pub const CELL_PLAIN: Colour = Colour::hex(0xD3E6CC);
/// Walkable at a factor above 1: yellow.
pub const CELL_EXPENSIVE: Colour = Colour::hex(0xF4E3A6);
/// Walkable at a factor above 1.5: red.
pub const CELL_MOST_EXPENSIVE: Colour = Colour::hex(0xEEBFAE);
/// What the most expensive ground tends to, the more expensive it is.
pub const CELL_BEYOND: Colour = Colour::hex(0xB5402C);
/// How much nearer to that every doubling of the cost brings it.
pub const CELL_BEYOND_STEP: f32 = 0.3;
/// Not walkable: black, toned to slate.
pub const CELL_BLOCKED: Colour = Colour::hex(0x5B6068);
/// Behind a map, where nothing lies: blocked, a quarter of it over paper.
pub const NO_GROUND: Colour = Colour::hex(0xD2D3D3);
/// Not walkable because too near to an obstacle or an edge: between free and blocked.
pub const CELL_PADDING: Colour = Colour::hex(0x9DA3A0);
/// Lines between cells, where cells are large enough to show them.
pub const GRID_LINE: Colour = Colour::hex(0x2B2F36).with_opacity(18);

/// Where a floor of a mesh ends.
pub const RIM: Colour = Colour::hex(0x5B6068);

/// Points and links of a graph.
pub const GRAPH: Colour = Colour::hex(0x6A7A86);
/// Points that are not connected to the rest, and the box around them.
pub const ISLAND: Colour = Colour::hex(0xD6332B);

/// Points and links by their height, from the lowest to the highest.
pub const HEIGHTS: [Colour; 5] = [
    Colour::hex(0x2F5FA8),
    Colour::hex(0x1E8C9B),
    Colour::hex(0x4C8F3A),
    Colour::hex(0xB07A1E),
    Colour::hex(0xA0378A),
];
/// The lowest floor of a scene.
pub const SCENE_LOW: Colour = Colour::hex(0xE3E7EA);
/// The highest.
pub const SCENE_HIGH: Colour = Colour::hex(0xFBF0D9);
/// Level ground of a scene without points.
pub const SCENE_TOP: Colour = Colour::hex(0xC4C4C0);
/// The edge of a step.
pub const SCENE_STEP: Colour = Colour::hex(0x9C9082);
/// A wall.
pub const SCENE_WALL: Colour = Colour::hex(0x5B6068);

/// A factor above this is shown as expensive.
pub const EXPENSIVE_ABOVE: f32 = 1.0;
/// A factor above this is shown as most expensive.
pub const MOST_EXPENSIVE_ABOVE: f32 = 1.5;

/// Outline of an area.
pub const AREA_LINE: Colour = Colour::hex(0x4E7D57).with_opacity(170);
/// Name of an area.
pub const AREA_NAME: Colour = Colour::hex(0x3C6646);
/// Outline and slanted lines of an area that is not available.
pub const AREA_CLOSED: Colour = Colour::hex(0xA9ADB3);
/// Outline of an obstacle.
pub const OBSTACLE_LINE: Colour = Colour::hex(0x22252A);
/// Inside of an obstacle in force.
pub const OBSTACLE: Colour = Colour::hex(0x3A3D43);
/// Name of an obstacle.
pub const OBSTACLE_NAME: Colour = Colour::hex(0x22252A);

/// A link between layers.
pub const LINK: Colour = Colour::hex(0x6B3FA0);

/// An open door.
pub const DOOR_OPEN: Colour = Colour::hex(0x2E9E6B);
/// A door that moves.
pub const DOOR_MOVING: Colour = Colour::hex(0xE09F2B);
/// A closed door.
pub const DOOR_CLOSED: Colour = Colour::hex(0x9B4A32);

/// Outline of a region.
pub const REGION: Colour = Colour::hex(0x7A5BB0);
/// A circle that a script watches.
pub const WATCH: Colour = Colour::hex(0xB0598F);
/// A mark.
pub const MARK: Colour = Colour::hex(0x2F6FB5);
/// A route.
pub const ROUTE: Colour = Colour::hex(0x2F6FB5).with_opacity(110);

/// A character.
pub const CHARACTER: Colour = Colour::hex(0x2C7DC4);
/// Characters told apart: colours that differ from one another and from the ground, for people who see no red
/// or no green, too.
pub const PEOPLE: [Colour; 10] = [
    CHARACTER,
    Colour::hex(0xD9822B),
    Colour::hex(0x98469C),
    Colour::hex(0x0F8761),
    Colour::hex(0xCF4F3C),
    Colour::hex(0x5D6B1F),
    Colour::hex(0x6F4E37),
    Colour::hex(0x334AA6),
    Colour::hex(0xC3579C),
    Colour::hex(0x313C4D),
];
/// The player.
pub const PLAYER: Colour = Colour::hex(0xE25A8B);
/// Outline of a character.
pub const CHARACTER_LINE: Colour = Colour::hex(0x142B42);
/// The tick that shows where a character looks.
pub const FACING: Colour = Colour::hex(0x142B42);

/// The way that is left of a walk.
pub const PATH: Colour = Colour::hex(0x1F9D45);
/// The same where there are so many that they would hide the map.
pub const PATH_FAINT: Colour = Colour::hex(0x1F9D45).with_opacity(90);
/// Its corners.
pub const PATH_CORNER: Colour = Colour::hex(0xF5C518);
/// Its end.
pub const PATH_END: Colour = Colour::hex(0xD6332B);

/// Where a character wants to go (seed 001: orange).
pub const DESIRED: Colour = Colour::hex(0xF07A13);
/// Where a character really goes (seed 001: green).
pub const REAL: Colour = Colour::hex(0x00C44F);
/// A character that plans keep out of, as large as they take it.
pub const DISC: Colour = Colour::hex(0xCB7469);
/// From a character that waits for a path to where it is to lead.
pub const REQUEST: Colour = Colour::hex(0x757A82);
/// A step aside.
pub const NUDGE: Colour = Colour::hex(0xA13FA8);
/// Around a character that has just planned again.
pub const REPLAN: Colour = Colour::hex(0xF07A13);

/// A search: walkable and not looked at.
pub const SEARCH_FREE: Colour = Colour::hex(0xE4E6E3);
/// A search: not walkable.
pub const SEARCH_BLOCKED: Colour = Colour::hex(0xCB7469);
/// A search: not walkable for this plan, because a character stands there.
pub const SEARCH_OCCUPIED: Colour = Colour::hex(0xE3AAA2);
/// A search: looked at and done with.
pub const SEARCH_DONE: Colour = Colour::hex(0xF6DD7B);
/// A search: seen, not looked at.
pub const SEARCH_FRONTIER: Colour = Colour::hex(0xFFFFFF);
/// A search: cells of the path found.
pub const SEARCH_PATH: Colour = Colour::hex(0x6BBF73);
/// A search: the line through those cells.
pub const SEARCH_RAW: Colour = Colour::hex(0x246B3C);
/// A search: the path that is walked.
pub const SEARCH_SMOOTH: Colour = Colour::hex(0xE86A10);
/// A search: where it starts.
pub const SEARCH_START: Colour = Colour::hex(0x2C7DC4);

/// Height of names on the map, pixels.
pub const NAME_PX: f32 = 11.0;
/// Height of the title, pixels.
pub const TITLE_PX: f32 = 14.0;
/// Height of legend, axes and scale bar, pixels.
pub const SMALL_PX: f32 = 10.5;
/// Cells smaller than this are drawn without lines between them, pixels.
pub const GRID_LINES_FROM_PX: f64 = 7.0;
/// Distance between slanted lines, pixels.
pub const HATCH_PX: f32 = 7.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// What people see of linear red, green and blue: all, without the cones for red, without those for
    /// green. Source: Machado, Oliveira and Fernandes 2009, at full severity.
    const EYES: [[[f64; 3]; 3]; 3] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    ];

    /// A colour in CIELAB, as such eyes see it.
    fn seen(Colour(red, green, blue, _): Colour, eyes: &[[f64; 3]; 3]) -> [f64; 3] {
        let linear = [red, green, blue].map(|part| {
            let part = f64::from(part) / 255.0;
            let power = (part + 0.055) / 1.055;
            // To the power of 2.4, but for a thousandth: of two, and a quarter, an eighth and so on.
            let root = |times: u32| (0..times).fold(power, |root: f64, _| root.sqrt());
            let curved = power * power * root(2) * root(3) * root(6) * root(7);
            if part <= 0.04045 { part / 12.92 } else { curved }
        });
        let dot = |row: &[f64; 3], at: [f64; 3]| row[0] * at[0] + row[1] * at[1] + row[2] * at[2];
        let left = [0, 1, 2].map(|row| dot(&eyes[row], linear).clamp(0.0, 1.0));
        let rows = [[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1095, 0.8728]];
        let [x, y, z] = rows.map(|row| {
            let part = dot(&row, left);
            if part > 0.008856 { part.cbrt() } else { 7.787 * part + 16.0 / 116.0 }
        });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    #[test]
    fn people_can_be_told_apart_by_whatever_eyes_and_from_the_ground() {
        let told: Vec<Colour> = PEOPLE.into_iter().chain([PLAYER]).collect();
        for (index, one) in told.iter().enumerate() {
            let grounds = [CELL_PLAIN, CELL_BLOCKED, CELL_PADDING, PAPER];
            let others = told[..index].iter().map(|other| (other, 12.5));
            for (other, least) in others.chain(grounds.iter().map(|ground| (ground, 8.0))) {
                for eyes in &EYES {
                    let apart = [seen(*one, eyes), seen(*other, eyes)];
                    let square: f64 = (0..3).map(|axis| (apart[0][axis] - apart[1][axis]).powi(2)).sum();
                    assert!(square.sqrt() > least, "{one:?} and {other:?}: {}", square.sqrt());
                }
            }
        }
    }
}
