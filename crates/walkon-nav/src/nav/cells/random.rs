//! Random points to walk to.
//!
//! In: a disc, an area, a place it must be reachable from, a stream. Out: a point. Holds: uniform over the
//! disc (the root of the radius, or the points would crowd in the middle); when drawing misses, all cells
//! that qualify are equally likely; the same stream gives the same points. Not here: whose stream.

use glam::Vec3;

use crate::base::geom;
use crate::base::rng::Rng;
use crate::base::trig;
use crate::nav::RandomPoint;
use crate::nav::cell::Cell;
use crate::nav::cells::map::CellMap;
use crate::nav::cells::raster::{Spans, Window};
use crate::nav::cells::reached::ReachedCells;
use crate::nav::cells::view::CellView;
use crate::nav::smooth::Effort;

/// What it takes to try a point, and to see twice whether a cell would do.
const DRAW_EFFORT: u64 = 128;
const CHOICE_EFFORT: u64 = 8;

/// What a point must satisfy.
struct PointCondition<'a> {
    map: &'a CellMap,
    query: &'a RandomPoint,
    view: CellView,
    reached: Option<ReachedCells>,
    area: Option<&'a Spans>,
    /// See [`PointCondition::window_of_wide_disc`].
    drawn_from: Option<Window>,
}

impl CellMap {
    /// A random point; None only when no cell qualifies.
    #[must_use]
    pub(crate) fn draw_point(&self, query: &RandomPoint, rng: &mut Rng, effort: &Effort) -> Option<Vec3> {
        let view = self.view(&query.by);
        let reached = match query.reachable_from {
            None => None,
            Some(from) => {
                let start = self.start_in(&view, from.point, &query.by)?;
                let mut reached = ReachedCells::none(self, view.clone(), &query.by);
                reached.add(self.cell_of(start.point)?);
                Some(reached)
            }
        };
        self.random_point_in(query, view, reached, rng, effort)
    }

    /// The same among what is reached.
    pub(crate) fn random_point_among(
        &self,
        query: &RandomPoint,
        reached: ReachedCells,
        rng: &mut Rng,
        effort: &Effort,
    ) -> Option<Vec3> {
        self.random_point_in(query, self.view(&query.by), Some(reached), rng, effort)
    }

    fn random_point_in(
        &self,
        query: &RandomPoint,
        view: CellView,
        reached: Option<ReachedCells>,
        rng: &mut Rng,
        effort: &Effort,
    ) -> Option<Vec3> {
        let area = match query.area {
            None => None,
            Some(area) => Some(self.terrain.area(area.index())?),
        };
        let mut wanted = PointCondition { map: self, query, view, reached, area, drawn_from: None };
        wanted.drawn_from = wanted.window_of_wide_disc();
        let tried = |_| {
            effort.add(DRAW_EFFORT);
            wanted.draw(rng)
        };
        if let Some(drawn) = (0..query.attempts).find_map(tried) {
            return Some(drawn);
        }
        effort.add(CHOICE_EFFORT * wanted.window().cell_count());
        wanted.choose(rng)
    }
}

impl PointCondition<'_> {
    /// The cells to look at: the disc, the area, or all.
    fn window(&self) -> Window {
        let frame = self.map.frame();
        let mut window = Window::all(frame);
        if let Some(centre) = self.query.centre {
            let centre = geom::ground(centre);
            let disc =
                geom::Bounds { min: centre, max: centre }.grown(f64::from(self.query.within_m.max(0.0)));
            window = window.intersection(Window::around(frame, disc));
        }
        if let Some(area) = self.area {
            let around = area.window().unwrap_or(Window { end_x: 0, end_z: 0, ..window });
            window = window.intersection(around);
        }
        window
    }

    /// The cells around what is left of the disc, where most of its points lie off the map, or the
    /// area: places are drawn from them then, or nearly all draws would miss.
    fn window_of_wide_disc(&self) -> Option<Window> {
        /// The disc is so many times larger.
        const MOSTLY: f64 = 4.0;
        self.query.centre?;
        let (frame, window) = (self.map.frame(), self.window());
        let corner = |x: u32, z: u32| frame.to_world([f64::from(x), f64::from(z)]);
        let ([min_x, min_z], [max_x, max_z]) =
            (corner(window.first_x, window.first_z), corner(window.end_x, window.end_z));
        let within_m = f64::from(self.query.within_m.max(0.0));
        let is_wide = std::f64::consts::PI * within_m * within_m > MOSTLY * (max_x - min_x) * (max_z - min_z);
        is_wide.then_some(window)
    }

    fn draw(&self, rng: &mut Rng) -> Option<Vec3> {
        let frame = self.map.frame();
        let point = match (self.query.centre, self.area) {
            _ if let Some(Window { first_x, end_x, first_z, end_z }) = self.drawn_from => {
                let mut along = |first: u32, end: u32| {
                    f64::from(first) + rng.unit() * f64::from(end.saturating_sub(first))
                };
                frame.to_world([along(first_x, end_x), along(first_z, end_z)])
            }
            (Some(centre), _) => {
                let angle_rad = (rng.unit() * std::f64::consts::TAU) as f32;
                let away = libm::sqrt(rng.unit()) * f64::from(self.query.within_m.max(0.0));
                let [x, z] = geom::ground(centre);
                [x + away * f64::from(trig::cos(angle_rad)), z + away * f64::from(trig::sin(angle_rad))]
            }
            (None, Some(area)) => {
                let Cell { x, z } = area.cell(rng.below(u64::from(area.cell_count())) as u32)?;
                let point = [f64::from(x) + rng.unit(), f64::from(z) + rng.unit()];
                // What lies in another hexagon lies where it would in this one: the two halves of the square
                // make one hexagon.
                let Cell { x: held_x, z: held_z } = frame.cell_around(point);
                let away = [held_x - i64::from(x), held_z - i64::from(z)];
                frame.to_world([point[0] - away[0] as f64, point[1] - away[1] as f64])
            }
            (None, None) => {
                frame.to_world([rng.unit() * f64::from(frame.width), rng.unit() * f64::from(frame.depth)])
            }
        };
        let point = frame.on_floor(point);
        // Judged as it is handed out, in single precision.
        let Cell { x, z } = self.map.cell_of(point)?;
        let inside =
            self.query.centre.is_none_or(|centre| geom::flat_distance(centre, point) <= self.query.within_m);
        let by = &self.query.by;
        let is_reached =
            || self.reached.as_ref().is_none_or(|reached| reached.holds_point(self.map, point, by));
        (inside && self.is_within_outline(point) && self.admits(x, z) && is_reached()).then_some(point)
    }

    /// Whether a point lies within the outline of the area: a cell of it may lie in it in part.
    fn is_within_outline(&self, point: Vec3) -> bool {
        let outline = self.query.area.and_then(|area| self.map.area_outline(area));
        outline.is_none_or(|outline| geom::polygon_contains(outline, geom::ground(point)))
    }

    fn choose(&self, rng: &mut Rng) -> Option<Vec3> {
        let cells: Vec<Cell> = self.cells().collect();
        let chosen = rng.below(cells.len() as u64) as usize;
        cells.get(chosen).map(|cell| self.map.centre(*cell))
    }

    fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let window = self.window();
        let rows = window.first_z..window.end_z;
        rows.flat_map(move |z| (window.first_x..window.end_x).map(move |x| Cell { x, z })).filter(
            |&Cell { x, z }| {
                let near = |centre| {
                    geom::flat_distance(centre, self.map.centre(Cell { x, z })) <= self.query.within_m
                };
                self.admits(x, z) && self.query.centre.is_none_or(near)
            },
        )
    }

    fn admits(&self, x: u32, z: u32) -> bool {
        self.view.bits().get(x, z)
            && self.area.is_none_or(|area| area.contains(x, z))
            && self.reached.as_ref().is_none_or(|reached| reached.holds(Cell { x, z }))
    }
}
