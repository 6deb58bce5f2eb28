//! Generated graphs beside the ground itself: places connected on foot are connected in the graph, and
//! no others are.
//!
//! Goal: one main island for each piece of ground, however many rays fall. Method: the scene of
//! `../shared/data/meshes` as columns 0.2 m apart, each with every height at which one can stand, flooded
//! from column to column: nothing of what the product does. A flood that keeps off edges and walls by more
//! than the body needs says what must be connected; one that keeps off nothing says what may be. Without the
//! data nothing is tested. Source: seed 003, "Island Detection"; height fields as Recast has them.

use std::collections::{BTreeMap, VecDeque};

use glam::Vec3;
use walkon_runtime::nav::graph::{
    EditableGraph, Floors, GenerateOptions, LinkOptions, SceneBox, generate, groups, link,
};
use walkon_runtime::nav::solids::{Room, Solids};

use crate::cli::graph_tool::{shared, triangles};

const CELL_M: f32 = 0.2;
const ROOM: Room = Room { radius_m: 0.4, step_m: 0.5, height_m: 1.8 };
/// Ground is not steeper than this: the cosine of its slope.
const LEVEL: f32 = std::f32::consts::FRAC_1_SQRT_2;
/// What lies lower than this over a floor is in nobody's way, metres: a little less than a step, for what
/// stands on a slope.
const LOW_M: f32 = 0.45;
/// Ground that must be connected is at least this far from edges and walls: the radius, and what rows of
/// points may miss.
const INNER_M: f32 = ROOM.radius_m + 0.5;

/// A place to stand: its column, and which of the floors there.
type Place = ([i32; 2], usize);

/// Where a face of the scene looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Face {
    Up,
    Down,
    Wall,
}

/// Where one can stand, in columns.
struct Ground {
    floors: BTreeMap<[i32; 2], Vec<f32>>,
}

impl Ground {
    fn new(triangles: &[[Vec3; 3]]) -> Self {
        let mut hits: BTreeMap<[i32; 2], Vec<(f32, Face)>> = BTreeMap::new();
        for triangle in triangles {
            let normal = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]).normalize_or_zero();
            if normal.y.abs() < LEVEL {
                walls(triangle, &mut hits);
                continue;
            }
            let low = triangle[0].min(triangle[1]).min(triangle[2]) / CELL_M;
            let high = triangle[0].max(triangle[1]).max(triangle[2]) / CELL_M;
            for x in low.x.ceil() as i32..=high.x.floor() as i32 {
                for z in low.z.ceil() as i32..=high.z.floor() as i32 {
                    if let Some(y) = height(triangle, [x as f32 * CELL_M, z as f32 * CELL_M]) {
                        hits.entry([x, z])
                            .or_default()
                            .push((y, if normal.y > 0.0 { Face::Up } else { Face::Down }));
                    }
                }
            }
        }
        let floors = hits.into_iter().map(|(column, mut hits)| {
            hits.sort_by(|one, two| one.0.total_cmp(&two.0));
            let has_room = |y: f32| {
                // What lies level above a floor is what one stands on, however low.
                let is_in_the_way = |hit: &(f32, Face)| {
                    hit.0 > y + if hit.1 == Face::Wall { LOW_M } else { 0.02 } && hit.0 < y + ROOM.height_m
                };
                !hits.iter().any(is_in_the_way)
            };
            let is_floor = |hit: &&(f32, Face)| hit.1 == Face::Up && has_room(hit.0);
            let mut floors: Vec<f32> = hits.iter().filter(is_floor).map(|hit| hit.0).collect();
            floors.dedup_by(|one, two| (*one - *two).abs() < 0.02);
            (column, floors)
        });
        Self { floors: floors.collect() }
    }

    fn places(&self) -> impl Iterator<Item = Place> + '_ {
        self.floors.iter().flat_map(|(&column, floors)| (0..floors.len()).map(move |at| (column, at)))
    }

    fn y(&self, place: Place) -> f32 {
        self.floors[&place.0][place.1]
    }

    /// The four places beside one, so many columns away, a step up or down at most.
    fn beside(&self, place: Place, hop: i32) -> [Option<Place>; 4] {
        [[hop, 0], [-hop, 0], [0, hop], [0, -hop]].map(|[x, z]| {
            let column = [place.0[0] + x, place.0[1] + z];
            let rise = |y: f32| (y - self.y(place)).abs();
            let floors = self.floors.get(&column)?.iter().enumerate();
            let near = floors.filter(|(_, y)| rise(**y) <= ROOM.step_m);
            near.min_by(|one, two| rise(*one.1).total_cmp(&rise(*two.1))).map(|(at, _)| (column, at))
        })
    }

    /// The places that are further than a distance from where the ground ends.
    fn inner(&self, keep_m: f32) -> Vec<Place> {
        let rims = self.places().filter(|&place| self.beside(place, 1).contains(&None));
        let mut nearest: BTreeMap<Place, [i32; 2]> = rims.map(|place| (place, place.0)).collect();
        let mut waiting: VecDeque<Place> = nearest.keys().copied().collect();
        let away =
            |at: [i32; 2], rim: [i32; 2]| CELL_M * ((at[0] - rim[0]) as f32).hypot((at[1] - rim[1]) as f32);
        while let Some(place) = waiting.pop_front() {
            let rim = nearest[&place];
            for next in self.beside(place, 1).into_iter().flatten() {
                let is_nearer = nearest.get(&next).is_none_or(|own| away(next.0, rim) < away(next.0, *own));
                if is_nearer && away(next.0, rim) <= keep_m {
                    nearest.insert(next, rim);
                    waiting.push_back(next);
                }
            }
        }
        let is_inner = |place: &Place| nearest.get(place).is_none_or(|rim| away(place.0, *rim) > keep_m);
        self.places().filter(is_inner).collect()
    }

    /// The number of the piece of ground of each place, over those places alone, by hops of so many columns.
    fn pieces(&self, places: Vec<Place>, hops: &[i32]) -> BTreeMap<Place, usize> {
        let mut pieces: BTreeMap<Place, usize> = places.iter().map(|&place| (place, usize::MAX)).collect();
        let mut count = 0;
        for place in places {
            if pieces[&place] != usize::MAX {
                continue;
            }
            pieces.insert(place, count);
            let mut waiting = vec![place];
            while let Some(at) = waiting.pop() {
                for next in hops.iter().flat_map(|&hop| self.beside(at, hop)).flatten() {
                    if pieces.get(&next) == Some(&usize::MAX) {
                        pieces.insert(next, count);
                        waiting.push(next);
                    }
                }
            }
            count += 1;
        }
        pieces
    }

    /// The place at a point of the graph.
    fn under(&self, point: Vec3) -> Option<Place> {
        let column = [point.x, point.z].map(|value| (value / CELL_M).round() as i32);
        let away = |y: &f32| (y - point.y).abs();
        let floors = self.floors.get(&column)?.iter().enumerate().filter(|(_, y)| away(y) < 0.3);
        floors.min_by(|one, two| away(one.1).total_cmp(&away(two.1))).map(|(at, _)| (column, at))
    }
}

/// Puts a wall into the columns next to it, so that no flood comes through.
fn walls([a, b, c]: &[Vec3; 3], hits: &mut BTreeMap<[i32; 2], Vec<(f32, Face)>>) {
    let steps = |along: Vec3| (along.length() / (0.4 * CELL_M)).ceil().max(1.0) as u32;
    let (rows, columns) = (steps(*b - *a), steps(*c - *a).max(steps(*c - *b)));
    for row in 0..=rows {
        let from = a.lerp(*b, row as f32 / rows as f32);
        for column in 0..=columns {
            let at = from.lerp(*c, column as f32 / columns as f32);
            let place = [at.x, at.z].map(|value| (value / CELL_M).round() as i32);
            hits.entry(place).or_default().push((at.y, Face::Wall));
        }
    }
}

/// The height of a triangle over a place of the ground.
fn height([a, b, c]: &[Vec3; 3], [x, z]: [f32; 2]) -> Option<f32> {
    let side = |p: &Vec3, q: &Vec3| {
        let [px, pz, qx, qz] = [p.x, p.z, q.x, q.z].map(f64::from);
        (qx - px) * (f64::from(z) - pz) - (qz - pz) * (f64::from(x) - px)
    };
    let parts = [side(b, c), side(c, a), side(a, b)];
    let all = parts.iter().sum::<f64>();
    let is_inside = parts.iter().all(|part| part * all >= -1e-9);
    let heights = [a, b, c].map(|corner| f64::from(corner.y));
    (is_inside && all.abs() > 1e-9)
        .then(|| (parts.iter().zip(heights).map(|(part, y)| part * y).sum::<f64>() / all) as f32)
}

fn made(solids: &Solids, boxes: &[SceneBox], spacing_m: f32, floors: Floors) -> EditableGraph {
    let options = GenerateOptions { spacing_m, room: ROOM, floors, ..GenerateOptions::default() };
    let found = generate(solids, boxes, &options, &mut |_, _| {});
    let mut draft = EditableGraph::new(found.points, &[], Vec::new()).unwrap();
    let options = LinkOptions { distance_max_m: 1.5 * spacing_m, room: ROOM, ..LinkOptions::default() };
    link(&mut draft, Some(solids), &options, &mut |_, _| {}).unwrap();
    draft
}

const WHOLE: SceneBox = SceneBox { min: Vec3::new(-28.8, -5.0, -46.0), max: Vec3::new(62.4, 17.2, 31.0) };

#[test]
fn seed_v3_one_island_for_each_piece_of_ground() {
    let Some(path) = shared("nav_test.obj") else { return };
    let all = triangles(&path);
    let (ground, solids) = (Ground::new(&all), Solids::new(&all).unwrap());
    // A gap of less than two columns is half as wide as the body.
    let may = ground.pieces(ground.places().collect(), &[1, 2]);
    let must = ground.pieces(ground.inner(INNER_M), &[1]);
    for spacing_m in [0.5, 0.8] {
        let draft = made(&solids, &[WHOLE], spacing_m, Floors::All);
        let islands = groups(&draft);
        let mut island_of = vec![0; draft.points().len()];
        for (number, island) in islands.iter().enumerate() {
            island.points.iter().for_each(|&at| island_of[at as usize] = number);
        }
        let piece = |pieces: &BTreeMap<Place, usize>, at: u32| {
            ground.under(draft.points()[at as usize]).and_then(|place| pieces.get(&place).copied())
        };
        // No link leads from one piece of ground to another.
        for ends in draft.links() {
            let [Some(one), Some(two)] = ends.map(|at| piece(&may, at)) else { continue };
            assert_eq!(one, two, "{:?}", ends.map(|at| draft.points()[at as usize]));
        }
        // Every point of a piece is connected to every other.
        let mut island_by_piece: BTreeMap<usize, (usize, Vec3)> = BTreeMap::new();
        let mut known = 0;
        for at in 0..draft.points().len() as u32 {
            let Some(number) = piece(&must, at) else { continue };
            let own = (island_of[at as usize], draft.points()[at as usize]);
            let first = island_by_piece.entry(number).or_insert(own);
            assert_eq!(first.0, own.0, "{} and {} at {spacing_m}", first.1, own.1);
            known += 1;
        }
        assert!(known * 10 > draft.points().len() * 6, "{known} of {}", draft.points().len());
        // The three bodies of the scene lie metres apart: each is one island, and no other is a third as
        // large.
        let sizes: Vec<usize> = islands.iter().map(|island| island.points.len()).collect();
        assert!(sizes[3] * 3 < sizes[2], "{sizes:?}");
    }
}

#[test]
fn seed_v3_a_box_around_a_body_of_a_scene_gives_one_main_island() {
    let Some(path) = shared("nav_test.obj") else { return };
    let all = triangles(&path);
    let (ground, solids) = (Ground::new(&all), Solids::new(&all).unwrap());
    let pieces = ground.pieces(ground.inner(INNER_M), &[1]);
    let body = |min: [f32; 3], max: [f32; 3]| SceneBox { min: Vec3::from(min), max: Vec3::from(max) };
    // Tops below the roofs, from which no way leads down.
    for (around, share) in [
        (body([-28.8, -5.0, -26.2], [27.2, 0.5, 31.0]), 92),
        (body([28.6, -5.0, -9.0], [62.4, 8.5, 26.0]), 97),
        (body([23.8, -5.0, -46.0], [57.6, 4.0, -12.4]), 98),
    ] {
        let draft = made(&solids, &[around], 0.8, Floors::All);
        let islands = groups(&draft);
        let main = &islands[0].points;
        assert!(
            main.len() * 100 >= draft.points().len() * share,
            "{} of {}",
            main.len(),
            draft.points().len()
        );
        // What is beside it is no part of its ground: inside of pillars, tops of blocks.
        let piece =
            |at: u32| ground.under(draft.points()[at as usize]).and_then(|place| pieces.get(&place).copied());
        let own = main.iter().find_map(|&at| piece(at)).unwrap();
        for island in &islands[1..] {
            assert!(island.points.iter().all(|&at| piece(at) != Some(own)), "{:?}", island.min);
        }
    }
}
