//! Draws the scene below a graph: its floors by height, its walls, the edges of its steps.
//!
//! In: triangles, the points of a graph. Out: layer `scene` of a picture, and its part of the legend. Holds:
//! a triangle above points, without points of its own, is a ceiling and left out; from the side, walls with
//! points behind them are left out too, so that the rooms are visible; lower triangles are drawn below higher
//! ones. Not here: the graph (`draw_graph`), reading scenes (`level/scene`).

use std::collections::BTreeMap;

use glam::Vec3;

use super::picture::{Colour, Figure, Picture, Shape, Slant, Style, Swatch, Tag};
use super::theme;
use crate::base::geom::{Point, ground};
use crate::base::ordered;

/// Triangles that are shown; a larger scene is left out, because nobody would see more than a blot.
const TRIANGLES_MAX: usize = 100_000;
/// Ground is level whose normal points up at least as much as this.
const LEVEL: f32 = 0.7;
/// A point belongs to a floor that it is nearer to in height than this, metres.
const ON_M: f32 = 0.3;
/// How far beside a triangle a point may lie and still belong to it, metres.
const BESIDE_M: f32 = 0.25;
/// What is so much higher than a point lies over it, metres.
const OVER_M: f32 = 1.0;
/// Walls lower than this are those of steps, metres.
const STEP_MAX_M: f32 = 0.5;
/// A triangle smaller than this is seen edge-on, square metres.
const AREA_MIN: f64 = 1e-6;
/// The side of the squares that points are sorted by, metres.
const SQUARE_M: f32 = 1.0;
/// Shades of floors from the lowest to the highest.
const SHADES: u8 = 12;

/// The least and the greatest height of a graph, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Heights {
    pub low_m: f32,
    pub high_m: f32,
}

impl Heights {
    pub fn of(points: &[Vec3]) -> Self {
        let heights = points.iter().map(|point| point.y);
        let (low_m, high_m) =
            heights.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
        if low_m <= high_m { Self { low_m, high_m } } else { Self { low_m: 0.0, high_m: 0.0 } }
    }

    /// Whether there is more than one floor to tell apart.
    pub fn has_floors(self) -> bool {
        self.high_m - self.low_m > OVER_M
    }

    /// How high up something is, 0 to 1.
    pub fn part(self, y_m: f32) -> f32 {
        let rise = self.high_m - self.low_m;
        if rise > 0.0 { ((y_m - self.low_m) / rise).clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// What a triangle of a scene is to walkers, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TriangleKind {
    /// Ground with points on it, by its shade.
    Floor(u8),
    /// Level ground without any: tops of blocks, places without room.
    Top,
    Step,
    Wall,
}

impl TriangleKind {
    fn look(self, slant: Slant) -> Style {
        match (self, slant) {
            (Self::Floor(shade), _) => {
                let part = f32::from(shade) / f32::from(SHADES - 1);
                Style::filled(theme::SCENE_HIGH.over(theme::SCENE_LOW, part))
            }
            (Self::Top, _) => Style::filled(theme::SCENE_TOP).glyph('#'),
            (Self::Step, Slant::Top) => Style::line(theme::SCENE_STEP, 1.0),
            (Self::Wall, Slant::Top) => Style::line(theme::SCENE_WALL, 1.6).glyph('#'),
            (Self::Step, Slant::Oblique | Slant::Lifted(_)) => Style::filled(theme::SCENE_STEP),
            (Self::Wall, Slant::Oblique | Slant::Lifted(_)) => {
                Style::filled(theme::SCENE_WALL.over(theme::PAPER, 0.6))
            }
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Floor(_) => "floor",
            Self::Top => "no points on it",
            Self::Step => "step",
            Self::Wall => "wall",
        }
    }
}

/// A triangle of a scene, to be looked at from anywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneTriangle {
    /// Its corners, metres.
    pub corners: [Vec3; 3],
    /// What it is to walkers: `floor`, `step`, `wall`, `no points on it`.
    pub kind: &'static str,
    /// Its colour in full light.
    pub fill: Colour,
}

/// The triangles of a scene without its ceilings; none of a scene that is too large to be shown. Cost: the
/// triangles, and the points around each.
#[must_use]
pub fn scene_triangles(triangles: &[[Vec3; 3]], points: &[Vec3]) -> Vec<SceneTriangle> {
    if triangles.len() > TRIANGLES_MAX {
        return Vec::new();
    }
    let (heights, squares) = (Heights::of(points), Squares::of(points));
    let seen = |corners: &[Vec3; 3]| {
        let kind = kind_of(corners, &squares, heights)?;
        let fill = kind.look(Slant::Oblique).fill.unwrap_or(theme::SCENE_TOP);
        Some(SceneTriangle { corners: *corners, kind: kind.words(), fill })
    };
    triangles.iter().filter_map(seen).collect()
}

/// Draws a scene. Cost: the triangles, and the points around each.
pub fn draw_scenery(picture: &mut Picture, triangles: &[[Vec3; 3]], points: &[Vec3]) {
    if triangles.len() > TRIANGLES_MAX {
        return;
    }
    let heights = Heights::of(points);
    let squares = Squares::of(points);
    let slant = picture.slant;
    let flat: Vec<Vec3> = points.iter().map(|&point| as_seen(slant, point)).collect();
    let seen = Squares::of(&flat);
    let mut shown: Vec<(f32, TriangleKind, &[Vec3; 3])> = Vec::new();
    for triangle in triangles.iter().filter(|triangle| is_seen(picture, triangle)) {
        let kind = kind_of(triangle, &squares, heights);
        if let Some(kind) = kind.filter(|&kind| !is_curtain(slant, kind, triangle, &seen)) {
            shown.push((depth(slant, kind, triangle), kind, triangle));
        }
    }
    // Stable: triangles that lie equally deep stay in the order of the scene.
    ordered::sort_by(&mut shown, |one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let shape = |(_, kind, triangle): &(f32, TriangleKind, &[Vec3; 3])| {
        let corners: Vec<Point> = triangle.iter().map(|&corner| slant.place(corner)).collect();
        // From above a wall is a line, and from the side one that is seen edge-on.
        let is_edge_on = area(&corners) < AREA_MIN;
        let (form, look) = match kind {
            TriangleKind::Step | TriangleKind::Wall if slant == Slant::Top || is_edge_on => {
                (Figure::Line(longest_side(&corners)), kind.look(Slant::Top))
            }
            _ => (Figure::Facets(vec![corners]), kind.look(slant)),
        };
        let y_m = triangle.iter().map(|corner| f64::from(corner.y)).fold(f64::INFINITY, f64::min);
        Shape::new(form, look, Tag::Cells("scene")).at_height(y_m)
    };
    let shapes = shown.iter().map(shape).collect();
    let mut kinds: Vec<TriangleKind> = shown.iter().map(|(_, kind, _)| *kind).collect();
    ordered::sort_by_key(&mut kinds, |kind| *kind);
    kinds.dedup_by_key(|kind| kind.words());
    for kind in kinds {
        let look = kind.look(slant);
        let swatch = if look.fill.is_some() { Swatch::Patch(look) } else { Swatch::Line(look) };
        picture.explain(swatch, kind.words());
    }
    picture.add("scene", shapes);
}

/// Whether any of it lies within the picture.
fn is_seen(picture: &Picture, triangle: &[Vec3; 3]) -> bool {
    let places = triangle.map(|corner| picture.slant.place(corner));
    (0..2).all(|axis| {
        let side = places.map(|place| place[axis]);
        let (low, high) = side.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| {
            (low.min(value), high.max(value))
        });
        high >= picture.bounds.min[axis] && low <= picture.bounds.max[axis]
    })
}

/// A place as it lies in the picture, with how far to the south it is instead of its height.
fn as_seen(slant: Slant, place: Vec3) -> Vec3 {
    let [x, z] = slant.place(place);
    Vec3::new(x as f32, place.z, z as f32)
}

/// Whether a wall hides points when one looks from the side.
fn is_curtain(slant: Slant, kind: TriangleKind, triangle: &[Vec3; 3], seen: &Squares<'_>) -> bool {
    if slant == Slant::Top || !matches!(kind, TriangleKind::Wall | TriangleKind::Step) {
        return false;
    }
    let nearest = triangle.iter().fold(f32::INFINITY, |least, corner| least.min(corner.z));
    let flat = triangle.map(|corner| as_seen(slant, corner));
    // By the rectangle around it, so that both halves of a wall go or stay.
    let (low, high) = (flat[0].min(flat[1]).min(flat[2]), flat[0].max(flat[1]).max(flat[2]));
    let is_behind = |point: Vec3| {
        point.y < nearest && (low.x..=high.x).contains(&point.x) && (low.z..=high.z).contains(&point.z)
    };
    seen.around(low, high).any(is_behind)
}

/// What is drawn first: from above the lowest, from the side what lies furthest off.
fn depth(slant: Slant, kind: TriangleKind, triangle: &[Vec3; 3]) -> f32 {
    let middle = (triangle[0] + triangle[1] + triangle[2]) / 3.0;
    match slant {
        // Edges lie on the floors that they part.
        Slant::Top if kind == TriangleKind::Step || kind == TriangleKind::Wall => f32::INFINITY,
        Slant::Top => middle.y,
        Slant::Oblique | Slant::Lifted(_) => middle.z + middle.y,
    }
}

/// The kind of a triangle; None for a ceiling, and for one without a face.
fn kind_of(triangle: &[Vec3; 3], squares: &Squares<'_>, heights: Heights) -> Option<TriangleKind> {
    let [a, b, c] = *triangle;
    let normal = (b - a).cross(c - a).normalize_or_zero();
    if normal == Vec3::ZERO {
        return None;
    }
    if normal.y.abs() < LEVEL {
        let rise = a.y.max(b.y).max(c.y) - a.y.min(b.y).min(c.y);
        return Some(if rise > STEP_MAX_M { TriangleKind::Wall } else { TriangleKind::Step });
    }
    let height = |point: Vec3| a.y - (normal.x * (point.x - a.x) + normal.z * (point.z - a.z)) / normal.y;
    let mut is_over = false;
    for point in squares.within(triangle) {
        let off = height(point) - point.y;
        // A tread of stairs may be narrower than the rows of points.
        if off.abs() < ON_M {
            let shade = heights.part((a.y + b.y + c.y) / 3.0) * f32::from(SHADES - 1);
            return Some(TriangleKind::Floor(shade as u8));
        }
        is_over |= off > OVER_M && holds(triangle, point, 0.0);
    }
    (!is_over).then_some(TriangleKind::Top)
}

/// The area of a triangle, square metres.
fn area(corners: &[Point]) -> f64 {
    match corners {
        &[a, b, c] => crate::base::geom::cross(a, b, c).abs() / 2.0,
        _ => 0.0,
    }
}

fn longest_side(corners: &[Point]) -> Vec<Point> {
    let length_sq = |a: Point, b: Point| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
    let sides = (0..corners.len()).map(|at| [corners[at], corners[(at + 1) % corners.len()]]);
    let longest =
        sides.max_by(|one, other| length_sq(one[0], one[1]).total_cmp(&length_sq(other[0], other[1])));
    longest.map_or_else(Vec::new, |side| side.to_vec())
}

/// Points by the squares of ground that they lie in.
struct Squares<'a> {
    points: &'a [Vec3],
    by_square: BTreeMap<[i64; 2], Vec<u32>>,
}

impl<'a> Squares<'a> {
    fn of(points: &'a [Vec3]) -> Self {
        let mut by_square: BTreeMap<[i64; 2], Vec<u32>> = BTreeMap::new();
        for (at, point) in (0..).zip(points) {
            by_square.entry(square(*point)).or_default().push(at);
        }
        Self { points, by_square }
    }

    /// The points over and under a triangle, or beside it. Cost: the rows of squares it lies in, and the
    /// points there.
    fn within<'s>(&'s self, triangle: &'s [Vec3; 3]) -> impl Iterator<Item = Vec3> + 's {
        let [a, b, c] = *triangle;
        let beside = Vec3::splat(BESIDE_M);
        let points = self.around(a.min(b).min(c) - beside, a.max(b).max(c) + beside);
        points.filter(move |&point| holds(triangle, point, f64::from(BESIDE_M)))
    }

    /// The points of the squares between two places. Cost: the squares of the columns between them.
    fn around<'s>(&'s self, low: Vec3, high: Vec3) -> impl Iterator<Item = Vec3> + use<'s, 'a> {
        let low = square(low);
        // A range may not end before it begins, wherever the corners of a scene lie.
        let [x, z] = square(high);
        let high = [x.max(low[0]), z.max(low[1])];
        let columns = self.by_square.range([low[0], low[1]]..=[high[0], high[1]]);
        let squares = columns.filter(move |(square, _)| (low[1]..=high[1]).contains(&square[1]));
        squares.flat_map(|(_, points)| points).map(|&at| self.points[at as usize])
    }
}

fn square(point: Vec3) -> [i64; 2] {
    [point.x, point.z].map(|value| (value / SQUARE_M).floor() as i64)
}

/// Whether a point lies within a triangle as seen from above, or so near to its sides; its edges included.
fn holds(triangle: &[Vec3; 3], point: Vec3, beside_m: f64) -> bool {
    let at = ground(point);
    let [a, b, c] = triangle.map(ground);
    let away = [(a, b), (b, c), (c, a)].map(|(from, to)| {
        let [x, z] = [to[0] - from[0], to[1] - from[1]];
        let side_m = (x * x + z * z).sqrt().max(1e-9);
        crate::base::geom::cross(from, to, at) / side_m
    });
    away.iter().all(|&away_m| away_m >= -beside_m) || away.iter().all(|&away_m| away_m <= beside_m)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat([x0, x1]: [f32; 2], y: f32, [z0, z1]: [f32; 2]) -> Vec<[Vec3; 3]> {
        let [a, b, c, d] = [[x0, z0], [x1, z0], [x1, z1], [x0, z1]].map(|[x, z]| Vec3::new(x, y, z));
        vec![[a, b, c], [a, c, d]]
    }

    #[test]
    fn a_scene_without_its_ceilings_is_looked_at_from_anywhere() {
        let points: Vec<Vec3> = (0..20u8).map(|at| Vec3::new(f32::from(at) * 0.4 + 0.2, 0.0, 2.0)).collect();
        let wall = [[Vec3::ZERO, Vec3::X, Vec3::Y * 2.0]];
        let all =
            [flat([0.0, 8.0], 0.0, [0.0, 4.0]), flat([0.0, 8.0], 2.5, [0.0, 4.0]), wall.to_vec()].concat();
        let kinds: Vec<&str> = scene_triangles(&all, &points).iter().map(|triangle| triangle.kind).collect();
        assert_eq!(kinds, ["floor", "floor", "wall"]);
    }

    #[test]
    fn floors_have_points_ceilings_lie_over_them_and_other_level_faces_are_tops() {
        let points: Vec<Vec3> = (0..20u8).map(|at| Vec3::new(f32::from(at) * 0.4 + 0.2, 0.0, 2.0)).collect();
        let squares = Squares::of(&points);
        let kinds = |triangles: &[[Vec3; 3]]| -> Vec<Option<TriangleKind>> {
            triangles.iter().map(|triangle| kind_of(triangle, &squares, Heights::of(&points))).collect()
        };
        assert_eq!(kinds(&flat([0.0, 8.0], 0.0, [0.0, 4.0])), [Some(TriangleKind::Floor(0)); 2]);
        assert_eq!(kinds(&flat([0.0, 8.0], 2.5, [0.0, 4.0])), [None; 2]);
        assert_eq!(kinds(&flat([0.0, 8.0], 2.5, [6.0, 9.0])), [Some(TriangleKind::Top); 2]);
        let upright = |top: f32| [[Vec3::ZERO, Vec3::X, Vec3::Y * top]];
        assert_eq!(
            (kinds(&upright(0.2)), kinds(&upright(2.0))),
            (vec![Some(TriangleKind::Step)], vec![Some(TriangleKind::Wall)])
        );
    }
}
