use super::place::{MapPlacement, common_area};
use super::raw::{Orientation, RawMap, Rect};
use crate::level::diagnostic::Span;
use crate::level::tiled::TiledOptions;

/// Every kind of map: its orientation, the size of its tiles in pixels, the side of its hexagons.
const KINDS: [(Orientation, [u32; 2], u32); 5] = [
    (Orientation::Orthogonal, [16, 24], 0),
    (Orientation::Isometric, [64, 32], 0),
    (Orientation::Staggered, [64, 32], 0),
    (Orientation::Hexagonal, [14, 12], 6),
    (Orientation::Hexagonal, [60, 60], 20),
];

fn map(orientation: Orientation, [width, height]: [u32; 2], tile: [u32; 2], side: u32) -> RawMap {
    RawMap {
        orientation,
        width,
        height,
        tile_width_px: tile[0],
        tile_height_px: tile[1],
        hex_side_px: side,
        stagger_x: false,
        stagger_even: false,
        infinite: false,
        bounds: Rect { x: 0, y: 0, width, height },
        properties: Default::default(),
        tilesets: Vec::new(),
        layers: Vec::new(),
        span: Span::default(),
        folder: String::new(),
    }
}

#[test]
fn seed_t19_isometric_objects_count_heights_of_a_tile_along_both_axes() {
    let map = map(Orientation::Isometric, [100, 100], [58, 27], 0);
    let place = MapPlacement::new(&map, &TiledOptions::default());
    let object = [1818.4, 1064.26];
    // A tile is a metre: the world position is the tile with its fraction.
    let [x, z] = place.world(object);
    assert!((x - 67.35).abs() < 0.005 && (z - 39.42).abs() < 0.005, "{x}, {z}");
    assert_eq!(place.cell_at(object), [67, 39]);
    let [right, down] = place.screen_px(58.0, object);
    assert!((right - 810.0).abs() < 0.5 && (down - 1441.0).abs() < 0.5, "{right}, {down}");
}

#[test]
fn every_cell_is_found_by_its_own_middle_on_every_kind_of_map() {
    for (orientation, tile, side) in KINDS {
        for (stagger_x, stagger_even) in [(false, false), (false, true), (true, false), (true, true)] {
            let map = RawMap { stagger_x, stagger_even, ..map(orientation, [7, 6], tile, side) };
            let options = TiledOptions { metres_per_pixel: Some(0.01), ..TiledOptions::default() };
            let place = MapPlacement::new(&map, &options);
            for cell in (0..6).flat_map(|row| (0..7).map(move |column| [column, row])) {
                let outline = place.outline_px(cell);
                assert_eq!(
                    place.cell_at(place.centre_px(cell)),
                    cell,
                    "{orientation:?} {stagger_x} {stagger_even}"
                );
                // Cells share edges and no ground.
                for beside in place.around(cell) {
                    let shared = common_area(&outline, &place.outline_px(beside));
                    assert!(shared < 1e-6, "{orientation:?}: {cell:?} and {beside:?} share {shared}");
                }
            }
        }
    }
}

#[test]
fn what_lies_around_a_cell_depends_on_the_parity_of_its_column_and_row_alone() {
    for (orientation, tile, side) in KINDS {
        for (stagger_x, stagger_even) in [(false, false), (false, true), (true, false), (true, true)] {
            let map = RawMap { stagger_x, stagger_even, ..map(orientation, [7, 6], tile, side) };
            let place = MapPlacement::new(&map, &TiledOptions::default());
            let surroundings = place.surroundings();
            for cell in (-5..6).flat_map(|row| (-5..6).map(move |column| [column, row])) {
                let (mut told, mut worked_out) =
                    (surroundings.of(cell).collect::<Vec<_>>(), place.around(cell));
                told.sort_unstable();
                worked_out.sort_unstable();
                assert_eq!(told, worked_out, "{orientation:?} {stagger_x} {stagger_even} {cell:?}");
                assert!(told.len() >= 6, "{orientation:?}");
            }
        }
    }
}
