//! Tiles that may not be left in every direction, on every layout.
//!
//! Goal: on squares, diamonds and hexagons what a search finds costs what Dijkstra over the tiles finds, and
//! what can be reached is what a flood reaches; sectors and gates, which know no directions, keep out of such
//! maps. Method: random maps; an oracle that knows tiles by column and row, and who shares an edge with whom
//! from tables by parity; a step across a corner needs the two tiles beside it and the permission of all four
//! edges there.

use glam::Vec3;
use walkon_runtime::base::geom::Point;
use walkon_runtime::base::rng::Rng;
use walkon_runtime::nav::cells::{HierarchyUse, Method};
use walkon_runtime::nav::{
    Backend, CellMap, CellSource, Layout, MapFrame, NavEdit, NavMap, PathStatus, Reach, Search, Stagger,
    TileEdit, TileGrid, Traversal,
};

use crate::nav::one_way::query;

type Tile = [i64; 2];

/// Directions of travel from cell to cell: offsets in x and z.
const STEPS: [Tile; 8] = [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]];

/// A map by tiles.
struct Field {
    layout: Layout,
    frame: MapFrame,
    size: [u32; 2],
    open: Vec<bool>,
    factor: Vec<f32>,
    /// By tile, in the directions of its cell.
    leave: Vec<u8>,
}

impl Field {
    fn random(rng: &mut Rng, layout: Layout) -> Self {
        let size = [3 + rng.below(8) as u32, 3 + rng.below(8) as u32];
        let tile_m = [rng.float(0.5, 3.0), rng.float(0.5, 3.0)];
        let grid =
            TileGrid { layout, columns: size[0], rows: size[1], tile_m, min: [-4.0, 7.0], floor_y_m: 0.0 };
        let count = (size[0] * size[1]) as usize;
        let share = [0.05, 0.2, 0.5][rng.below(3) as usize];
        let is_even = rng.chance(0.4);
        Self {
            layout,
            frame: grid.frame().unwrap(),
            size,
            open: (0..count).map(|_| rng.chance(0.85)).collect(),
            factor: (0..count)
                .map(|_| if is_even { 1.0 } else { [0.8, 1.0, 1.5, 2.0, 3.0][rng.below(5) as usize] })
                .collect(),
            leave: (0..count).map(|_| if rng.chance(share) { rng.below(256) as u8 } else { 0 }).collect(),
        }
    }

    fn source(&self) -> CellSource {
        let cells = (self.frame.width * self.frame.depth) as usize;
        let (mut walkable, mut factor, mut leave) = (vec![false; cells], vec![1.0; cells], vec![0; cells]);
        for (index, tile) in self.tiles().enumerate() {
            let [x, z] = self.cell(tile);
            let cell = z as usize * self.frame.width as usize + x as usize;
            (walkable[cell], factor[cell], leave[cell]) =
                (self.open[index], self.factor[index], self.leave[index]);
        }
        CellSource { frame: self.frame, walkable, factor, leave, ..CellSource::default() }
    }

    /// All tiles, row by row.
    fn tiles(&self) -> impl Iterator<Item = Tile> + use<> {
        let [columns, rows] = self.size.map(i64::from);
        (0..rows).flat_map(move |row| (0..columns).map(move |column| [column, row]))
    }

    fn index(&self, [column, row]: Tile) -> usize {
        row as usize * self.size[0] as usize + column as usize
    }

    fn is_open(&self, [column, row]: Tile) -> bool {
        let inside =
            (0..i64::from(self.size[0])).contains(&column) && (0..i64::from(self.size[1])).contains(&row);
        inside && self.open[self.index([column, row])]
    }

    fn cell(&self, [column, row]: Tile) -> Tile {
        let (x, z) = self.frame.cell_of_tile([column as u32, row as u32]).unwrap();
        [i64::from(x), i64::from(z)]
    }

    fn centre(&self, [column, row]: Tile) -> Point {
        self.frame.tile_centre([column as u32, row as u32]).unwrap()
    }

    fn place(&self, tile: Tile) -> Vec3 {
        let [x, z] = self.centre(tile);
        Vec3::new(x as f32, 0.0, z as f32)
    }

    /// Tiles that share an edge with one, whether they are there or not.
    fn beside(&self, [column, row]: Tile) -> Vec<Tile> {
        let moved = |line: i64, stagger| (line % 2 != 0) == (stagger == Stagger::Odd);
        // In rows: those in the row above and below stand half a tile to the left and right.
        let shifted = |column: i64, row: i64, is_moved: bool| {
            let left = if is_moved { column } else { column - 1 };
            vec![[left, row - 1], [left + 1, row - 1], [left, row + 1], [left + 1, row + 1]]
        };
        let turned =
            |tiles: Vec<Tile>| tiles.into_iter().map(|[row, column]| [column, row]).collect::<Vec<_>>();
        match self.layout {
            Layout::Square4 | Layout::Square8 => {
                vec![[column + 1, row], [column - 1, row], [column, row + 1], [column, row - 1]]
            }
            Layout::StaggeredRows(stagger) => shifted(column, row, moved(row, stagger)),
            Layout::StaggeredColumns(stagger) => turned(shifted(row, column, moved(column, stagger))),
            Layout::HexPointy(stagger) => {
                [shifted(column, row, moved(row, stagger)), vec![[column - 1, row], [column + 1, row]]]
                    .concat()
            }
            Layout::HexFlat(stagger) => {
                let aside = turned(shifted(row, column, moved(column, stagger)));
                [aside, vec![[column, row - 1], [column, row + 1]]].concat()
            }
        }
    }

    /// Whether a tile may be left towards another, as far as it alone is asked.
    fn lets(&self, from: Tile, to: Tile) -> bool {
        let (a, b) = (self.cell(from), self.cell(to));
        let direction =
            STEPS.iter().position(|&[dx, dz]| [a[0] + dx, a[1] + dz] == b).expect("cells side by side");
        self.leave[self.index(from)] >> direction & 1 == 0
    }

    /// Where one may go from a tile, by the plain rule.
    fn steps(&self, from: Tile) -> Vec<Tile> {
        let beside =
            |tile: Tile| self.beside(tile).into_iter().filter(|&tile| self.is_open(tile)).collect::<Vec<_>>();
        let own = beside(from);
        let mut steps: Vec<Tile> = own.iter().copied().filter(|&to| self.lets(from, to)).collect();
        if matches!(self.layout, Layout::Square4 | Layout::HexPointy(_) | Layout::HexFlat(_)) {
            return steps;
        }
        // Across a corner lies what shares an edge with two of the tiles beside this one.
        for to in self.tiles().filter(|&to| to != from && self.is_open(to) && !own.contains(&to)) {
            let between: Vec<Tile> = beside(to).into_iter().filter(|tile| own.contains(tile)).collect();
            if between.len() == 2
                && self.lets(from, to)
                && between.iter().all(|&side| self.lets(from, side) && self.lets(side, to))
            {
                steps.push(to);
            }
        }
        steps
    }

    /// What the cheapest way to every tile costs, metres: Dijkstra on a sorted list.
    fn costs(&self, start: Tile) -> Vec<Option<f64>> {
        let mut costs = vec![None; self.open.len()];
        let mut waiting = vec![(0.0, start)];
        while let Some((cost, from)) = waiting.pop() {
            if costs[self.index(from)].is_some() {
                continue;
            }
            costs[self.index(from)] = Some(cost);
            let [x, z] = self.centre(from);
            for to in self.steps(from) {
                let [to_x, to_z] = self.centre(to);
                let length = (to_x - x).hypot(to_z - z);
                waiting.push((cost + length * f64::from(self.factor[self.index(to)]), to));
            }
            waiting.sort_by(|a, b| b.0.total_cmp(&a.0));
        }
        costs
    }
}

#[test]
fn one_way_tiles_cost_and_let_through_what_dijkstra_over_tiles_says_on_every_layout() {
    let (mut search, by) = (Search::default(), Traversal::default());
    let (mut reached, mut shut) = (0, 0);
    for round in 0..40 {
        for layout in Layout::ALL {
            let mut rng = Rng::stream(round, "one-way layouts");
            let field = Field::random(&mut rng, layout);
            let nav = NavMap::from(CellMap::from_cells(&field.source()).unwrap());
            let open: Vec<Tile> = field.tiles().filter(|&tile| field.is_open(tile)).collect();
            if open.is_empty() {
                continue;
            }
            for _ in 0..8 {
                let [start, goal] = [0, 1].map(|_| open[rng.below(open.len() as u64) as usize]);
                let label = format!("round {round}, {layout:?}: {start:?} to {goal:?} on {:?}", field.frame);
                let best = field.costs(start)[field.index(goal)];
                let (from, to) = (field.place(start), field.place(goal));
                let answer = nav.plan(&query(from, to), &mut search);
                assert_eq!(nav.reach(from, to, &by) == Reach::Yes, best.is_some(), "{label}");
                assert_eq!(answer.status == PathStatus::Complete, best.is_some(), "{label}");
                for pair in answer.path.points.windows(2) {
                    assert!(nav.straight(pair[0], pair[1], &by).is_some(), "{label}: {pair:?}");
                }
                let Some(best) = best else {
                    shut += 1;
                    continue;
                };
                reached += 1;
                if start != goal {
                    let found = nav.metres(search.cost());
                    assert!((found - best).abs() < 1e-3 * best, "{label}: {found}, expected {best}");
                }
            }
        }
    }
    assert!(reached > 1200 && shut > 400, "{reached} {shut}");
}

#[test]
fn sectors_and_gates_keep_out_of_maps_with_one_way_tiles() {
    let (mut search, by) = (Search::default(), Traversal::default());
    let mut compared = 0;
    for round in 0..30 {
        let mut rng = Rng::stream(round, "one-way sectors");
        let mut field = Field::random(&mut rng, Layout::Square8);
        // Rectangles have no sectors, whatever their tiles are like.
        let [columns, rows] = field.size;
        let grid = TileGrid {
            layout: Layout::Square8,
            columns,
            rows,
            tile_m: [1.0; 2],
            min: [0.0; 2],
            floor_y_m: 0.0,
        };
        field.frame = grid.frame().unwrap();
        // Ground of two kinds, so that gates are of use.
        field.factor[0] = 2.0;
        let leave = std::mem::replace(&mut field.leave, vec![0; field.open.len()]);
        let mut map = CellMap::from_cells(&field.source()).unwrap();
        map.set_hierarchy(HierarchyUse::On);
        map.prepare(&by);
        assert_eq!(map.method(&by), Method::Gates, "round {round}");
        // They come at run time, and with them the end of the gates.
        let edits: Vec<NavEdit> = field
            .tiles()
            .zip(&leave)
            .filter(|(_, leave)| **leave != 0)
            .map(|([column, row], &leave)| {
                let cell = [column as u32, row as u32];
                NavEdit::Tile(TileEdit { layer: 0, cell, walkable: None, factor: None, leave: Some(leave) })
            })
            .collect();
        if edits.is_empty() {
            continue;
        }
        assert!(map.apply(&edits).is_some());
        field.leave = leave;
        assert_ne!(map.method(&by), Method::Gates, "round {round}");
        let nav = NavMap::from(map);
        let open: Vec<Tile> = field.tiles().filter(|&tile| field.is_open(tile)).collect();
        for _ in 0..10 {
            let [start, goal] = [0, 1].map(|_| open[rng.below(open.len() as u64) as usize]);
            let best = field.costs(start)[field.index(goal)];
            let answer = nav.plan(&query(field.place(start), field.place(goal)), &mut search);
            assert_eq!(
                answer.status == PathStatus::Complete,
                best.is_some(),
                "round {round}: {start:?} to {goal:?}"
            );
            if let (Some(best), true) = (best, start != goal) {
                let found = nav.metres(search.cost());
                assert!((found - best).abs() < 1e-3 * best, "round {round}: {found}, expected {best}");
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared}");
}
