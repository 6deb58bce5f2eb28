//! Tiles and back, against nearest centres and corners written down by hand.

use super::*;
use crate::base::geom::Bounds;
use crate::base::rng::Rng;
use crate::nav::MapFrame;

fn grids() -> Vec<TileGrid> {
    let mut rng = Rng::stream(1, "tiling");
    let mut sizes = vec![[58.3, 27.7], [32.0, 28.0], [1.0, 1.0], [2.0, 4.0 / 3.0_f64.sqrt()]];
    sizes.extend((0..6).map(|_| [rng.float(0.3, 90.0), rng.float(0.3, 90.0)]));
    sizes.retain(|size| size[0] / size[1] < TILE_RATIO_MAX && size[1] / size[0] < TILE_RATIO_MAX);
    let mut grids = Vec::new();
    for layout in Layout::ALL {
        for &tile_m in &sizes {
            let (columns, rows) = (1 + rng.below(14) as u32, 1 + rng.below(14) as u32);
            let min = [rng.float(-500.0, 500.0), rng.float(-500.0, 500.0)];
            grids.push(TileGrid { layout, columns, rows, tile_m, min, floor_y_m: 0.5 });
        }
    }
    grids
}

fn frame(grid: &TileGrid) -> MapFrame {
    grid.frame().unwrap_or_else(|error| panic!("{grid:?}: {error}"))
}

fn tiles(grid: &TileGrid) -> impl Iterator<Item = [u32; 2]> + use<> {
    let (columns, rows) = (grid.columns, grid.rows);
    (0..rows).flat_map(move |row| (0..columns).map(move |column| [column, row]))
}

/// Where the middle of a tile is drawn, written down from the layouts' pictures.
fn expected_centre(grid: &TileGrid, [column, row]: [u32; 2]) -> Point {
    let [w, h] = grid.tile_m;
    let (column_m, row_m) = (f64::from(column), f64::from(row));
    let moved = |index: Stagger, line: u32| {
        if (line % 2 == 1) == (index == Stagger::Odd) { 0.5 } else { 0.0 }
    };
    let [x, z] = match grid.layout {
        Layout::Square8 | Layout::Square4 => [column_m * w, row_m * h],
        Layout::StaggeredRows(index) => [(column_m + moved(index, row)) * w, row_m * h / 2.0],
        Layout::StaggeredColumns(index) => [column_m * w / 2.0, (row_m + moved(index, column)) * h],
        Layout::HexPointy(index) => [(column_m + moved(index, row)) * w, row_m * h * 0.75],
        Layout::HexFlat(index) => [column_m * w * 0.75, (row_m + moved(index, column)) * h],
    };
    [grid.min[0] + x + w / 2.0, grid.min[1] + z + h / 2.0]
}

/// How far out of a tile a place lies, by the shape of the tile: below 0.5 inside.
fn away(layout: Layout, [w, h]: [f64; 2], dx: f64, dz: f64) -> f64 {
    let (x, z) = ((dx / w).abs(), (dz / h).abs());
    match layout {
        Layout::Square8 | Layout::Square4 => x.max(z),
        Layout::StaggeredRows(_) | Layout::StaggeredColumns(_) => x + z,
        Layout::HexPointy(_) => x.max(z + x / 2.0),
        Layout::HexFlat(_) => z.max(x + z / 2.0),
    }
}

#[test]
fn seed_o25_every_tile_round_trips_and_its_centre_is_its_centre() {
    for grid in grids() {
        let frame = frame(&grid);
        assert_eq!((frame.layout(), frame.tile_count()), (grid.layout, [grid.columns, grid.rows]));
        assert_eq!(frame.tile_size_m(), grid.tile_m);
        let mut cells = std::collections::BTreeSet::new();
        for tile in tiles(&grid) {
            let (x, z) = frame.cell_of_tile(tile).unwrap();
            assert!(x < frame.width && z < frame.depth && cells.insert((x, z)), "{grid:?} {tile:?}");
            assert_eq!(frame.tile_of_cell(x, z), Some(tile), "{grid:?}");
            let (centre, expected) = (frame.tile_centre(tile).unwrap(), expected_centre(&grid, tile));
            let apart = (0..2).map(|axis| (centre[axis] - expected[axis]).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-9, "{grid:?} {tile:?}: {centre:?}, expected {expected:?}");
            assert_eq!(frame.tile_at(centre), Some(tile), "{grid:?}");
            assert_eq!(frame.cell_in(centre), Some((x, z)), "{grid:?}");
        }
        let with_tile = (0..frame.depth).flat_map(|z| (0..frame.width).map(move |x| (x, z)));
        assert_eq!(with_tile.filter(|&(x, z)| frame.tile_of_cell(x, z).is_some()).count(), cells.len());
        assert_eq!(frame.cell_of_tile([grid.columns, 0]), None);
        assert_eq!(frame.cell_of_tile([0, grid.rows]), None);
    }
}

#[test]
fn a_point_lies_in_the_tile_whose_shape_holds_it() {
    let mut rng = Rng::stream(2, "tiling");
    for grid in grids() {
        let frame = frame(&grid);
        let bounds = frame.bounds();
        let mut inside = 0;
        for _ in 0..400 {
            let point = [0, 1].map(|axis| rng.float(bounds.min[axis] - 3.0, bounds.max[axis] + 3.0));
            let shape = |tile: [u32; 2]| {
                let centre = expected_centre(&grid, tile);
                away(grid.layout, grid.tile_m, point[0] - centre[0], point[1] - centre[1])
            };
            let holder = tiles(&grid).min_by(|&a, &b| shape(a).total_cmp(&shape(b))).unwrap();
            if (shape(holder) - 0.5).abs() < 5e-4 {
                continue;
            }
            inside += u32::from(shape(holder) < 0.5);
            assert_eq!(frame.tile_at(point), (shape(holder) < 0.5).then_some(holder), "{grid:?} {point:?}");
        }
        assert!(inside > 10, "{grid:?}: {inside} of 400 points were inside");
    }
}

#[test]
fn a_point_on_a_border_belongs_to_one_of_the_tiles_that_share_it() {
    for grid in grids() {
        let frame = frame(&grid);
        for tile in tiles(&grid) {
            let (x, z) = frame.cell_of_tile(tile).unwrap();
            let mut corners = Vec::new();
            frame.outline(x, z, &mut corners);
            let sides = if frame.tiling.neighbours() == Neighbours::Six { 6 } else { 4 };
            assert_eq!(corners.len(), sides);
            let centre = expected_centre(&grid, tile);
            for (at, &[cx, cz]) in corners.iter().enumerate() {
                let shape = away(grid.layout, grid.tile_m, cx - centre[0], cz - centre[1]);
                assert!((shape - 0.5).abs() < 1e-6, "{grid:?}: a corner lies on the border");
                let next = corners[(at + 1) % sides];
                let middle = [(cx + next[0]) / 2.0, (cz + next[1]) / 2.0];
                let turned =
                    (cx - centre[0]) * (next[1] - centre[1]) - (cz - centre[1]) * (next[0] - centre[0]);
                assert!(turned > 0.0, "clockwise seen from above");
                for point in [[cx, cz], middle] {
                    let (hx, hz) = frame.cell_at(point);
                    assert!((hx - i64::from(x)).abs() <= 1 && (hz - i64::from(z)).abs() <= 1);
                    assert_eq!(frame.cell_at(point), (hx, hz));
                }
            }
        }
    }
}

#[test]
fn bounds_hold_the_corners_of_all_tiles_and_no_more() {
    for grid in grids() {
        let frame = frame(&grid);
        let mut corners = Vec::new();
        for tile in tiles(&grid) {
            let (x, z) = frame.cell_of_tile(tile).unwrap();
            frame.outline(x, z, &mut corners);
        }
        let (around, bounds) = (Bounds::of(&corners), frame.bounds());
        // The empty half line before a single line of moved tiles belongs to the map as well.
        let moved = matches!(
            grid.layout,
            Layout::StaggeredRows(Stagger::Even) | Layout::HexPointy(Stagger::Even) if grid.rows == 1
        ) || matches!(
            grid.layout,
            Layout::StaggeredColumns(Stagger::Even) | Layout::HexFlat(Stagger::Even) if grid.columns == 1
        );
        for axis in 0..2 {
            assert!((around.max[axis] - bounds.max[axis]).abs() < 1e-6, "{grid:?} {around:?} {bounds:?}");
            assert!(
                moved || (around.min[axis] - bounds.min[axis]).abs() < 1e-6,
                "{grid:?} {around:?} {bounds:?}"
            );
        }
    }
}

/// The neighbours of tiles in even and odd lines, as drawn: for the first kind of map column and row
/// differences by hand.
#[test]
fn seed_o10_the_six_neighbours_of_an_odd_and_an_even_line_are_those_around_it_in_all_four_layouts() {
    let around = |odd: bool, index: Stagger| -> [[i64; 2]; 6] {
        if odd == (index == Stagger::Odd) {
            [[1, 0], [1, 1], [0, 1], [-1, 0], [0, -1], [1, -1]]
        } else {
            [[1, 0], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1]]
        }
    };
    for index in [Stagger::Odd, Stagger::Even] {
        for pointy in [true, false] {
            let layout = if pointy { Layout::HexPointy(index) } else { Layout::HexFlat(index) };
            let grid =
                TileGrid { layout, columns: 6, rows: 6, tile_m: [32.0, 28.0], min: [0.0; 2], floor_y_m: 0.0 };
            let frame = frame(&grid);
            for tile in [[2, 2], [2, 3], [3, 2], [3, 3]] {
                let odd = if pointy { tile[1] % 2 == 1 } else { tile[0] % 2 == 1 };
                let mut expected: Vec<[i64; 2]> = around(odd, index)
                    .map(|[a, b]| if pointy { [a, b] } else { [b, a] })
                    .map(|step| [0, 1].map(|axis| i64::from(tile[axis]) + step[axis]))
                    .to_vec();
                let (x, z) = frame.cell_of_tile(tile).unwrap();
                let steps = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)];
                let mut found: Vec<[i64; 2]> = steps
                    .map(|(dx, dz)| frame.tile_of_cell(x.wrapping_add_signed(dx), z.wrapping_add_signed(dz)))
                    .map(|tile| tile.unwrap().map(i64::from))
                    .to_vec();
                expected.sort_unstable();
                found.sort_unstable();
                assert_eq!(found, expected, "{layout:?} {tile:?}");
            }
        }
    }
}

#[test]
fn tile_maps_beyond_their_limits_are_refused_before_anything_is_made() {
    let good = TileGrid {
        layout: Layout::HexPointy(Stagger::Odd),
        columns: 8,
        rows: 8,
        tile_m: [1.0, 1.0],
        min: [0.0; 2],
        floor_y_m: 0.0,
    };
    let refused = |grid: TileGrid| grid.frame().unwrap_err().to_string();
    assert!(refused(TileGrid { tile_m: [1.0, 0.04], ..good }).contains("20 times"));
    assert!(refused(TileGrid { tile_m: [f64::NAN, 1.0], ..good }).starts_with("cell size: NaN"));
    assert!(refused(TileGrid { columns: u32::MAX, rows: u32::MAX, ..good }).starts_with("grid: needs"));
    assert!(refused(TileGrid { columns: 4096, rows: 4096, ..good }).starts_with("grid: needs"));
    assert!(refused(TileGrid { min: [2e6, 0.0], ..good }).starts_with("coordinate"));
    let none = TileGrid { columns: 0, ..good }.frame().unwrap();
    assert_eq!((none.cell_count(), none.tile_count()), (0, [0, 8]));
}

#[test]
fn the_metric_measures_what_the_world_does() {
    let mut rng = Rng::stream(3, "tiling");
    for grid in grids() {
        let frame = frame(&grid);
        let metric = frame.tiling.metric;
        for _ in 0..20 {
            let mut point = || [rng.float(-9.0, 9.0), rng.float(-9.0, 9.0)];
            let (a, b) = (point(), point());
            let (from, to) = (frame.to_world(a), frame.to_world(b));
            let apart = ((to[0] - from[0]).powi(2) + (to[1] - from[1]).powi(2)).sqrt() / frame.cell_size_m;
            let measured = metric.length_sq(b[0] - a[0], b[1] - a[1]).sqrt();
            assert!((apart - measured).abs() < 1e-6 * (1.0 + apart), "{grid:?}: {apart} {measured}");
            let back = frame.to_cells(from);
            assert!((0..2).all(|axis| (back[axis] - a[axis]).abs() < 1e-6));
            let reach = metric.reach(apart);
            assert!(
                (0..2).all(|axis| (b[axis] - a[axis]).abs() <= reach[axis] + 1e-6),
                "a disc fits its reach"
            );
        }
        let turned = grid.tile_m[0] == grid.tile_m[1] && frame.tiling.neighbours() == Neighbours::Eight;
        assert!(!turned || metric == Metric::default(), "turned squares are squares");
    }
}
