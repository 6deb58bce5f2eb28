//! Leads a body that stands where it may not (in a closed door, in a wall) back onto walkable cells.
//!
//! In: a point. Out: the point itself when legal, else the nearest legal cell within eight metres in a clear
//! line. Holds: the line crosses no obstacle, no closed area and nothing off the ground, except what the
//! point itself lies in; so it moves nobody through a wall. Not here: goals, which may be moved anywhere
//! within reach (`plan`).

use glam::Vec3;

use crate::base::geom::{self, Bounds, Point, Segment};
use crate::base::ids::AreaId;
use crate::base::ordered;
use crate::nav::cell::Cell;
use crate::nav::cells::line::cells_along;
use crate::nav::cells::map::CellMap;
use crate::nav::cells::raster::Window;
use crate::nav::cells::view::{CellView, distance_sq};
use crate::nav::{Location, Traversal};

/// How far a body that stands off the map may be from it, metres.
pub(crate) const SNAP_M: f64 = 8.0;
/// Cells to try. More lie within eight metres only where cells are smaller than 0.06 m.
const TRIES_MAX: usize = 65_536;

/// What a cell off limits is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum OffLimits {
    /// Available ground, perhaps too near to something.
    Free,
    /// A wall cell.
    Solid,
    /// Where no area lies, within the cells.
    Empty,
    /// Beyond the cells.
    Outside,
    /// Ground of a closed area.
    Closed,
}

/// What is near a body that stands off limits.
struct StartSurroundings<'a> {
    map: &'a CellMap,
    point: Point,
    /// Areas nearby that are available, or count as available for it.
    open: Vec<usize>,
    /// Areas nearby that are not.
    closed: Vec<usize>,
    /// Those of them that it shuns, whatever else lies there.
    shunned: Vec<usize>,
    /// Those around its own cell.
    own_closed: Vec<usize>,
    /// Obstacles nearby that do not hold it.
    walls: Vec<usize>,
    own_kind: OffLimits,
}

impl CellMap {
    pub(super) fn start_in(&self, view: &CellView, point: Vec3, by: &Traversal) -> Option<Location> {
        if !point.is_finite() {
            return None;
        }
        if let Some(cell) = self.cell_of(point).filter(|&Cell { x, z }| view.bits().get(x, z)) {
            return Some(Location { node: self.node(cell), point: self.floored(point) });
        }
        let at = self.to_cells(point);
        let furthest = SNAP_M / self.frame().cell_size_m;
        view.closest(&|_| true, at, furthest)?;
        let surroundings = StartSurroundings::new(self, geom::ground(point), by);
        // Most bodies are just beside legal ground: look there before everywhere.
        let mut tried = 0;
        let mut inner = 0.0;
        let mut outer = 2.0_f64;
        // Bounded by the doubling: furthest is 800 cells at most.
        loop {
            outer = outer.min(furthest);
            let ring = ring(view, at, inner, outer);
            for &(_, z, x) in &ring {
                tried += 1;
                if tried > TRIES_MAX {
                    return None;
                }
                if surroundings.is_clear(Cell { x, z }) {
                    return Some(Location {
                        node: self.node(Cell { x, z }),
                        point: self.centre(Cell { x, z }),
                    });
                }
            }
            if outer >= furthest {
                return None;
            }
            (inner, outer) = (outer, 2.0 * outer);
        }
    }
}

/// Legal cells farther than `inner` and no farther than `outer`, all in cells, as (distance squared, z, x) in
/// order.
fn ring(view: &CellView, at: Point, inner: f64, outer: f64) -> Vec<(f64, u32, u32)> {
    let bits = view.bits();
    let (metric, [reach_x, reach_z]) = (bits.shape().metric, bits.shape().reach(outer));
    let rows = clamp_range(at[1], reach_z, bits.depth());
    let columns = clamp_range(at[0], reach_x, bits.width());
    let mut cells = Vec::new();
    for z in rows {
        for x in columns.clone().filter(|&x| bits.get(x, z)) {
            let distance = distance_sq(metric, Cell { x, z }, at);
            if distance <= outer * outer && (distance > inner * inner || inner == 0.0) {
                cells.push((distance, z, x));
            }
        }
    }
    ordered::sort_by(&mut cells, |a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    cells
}

fn clamp_range(middle: f64, reach: f64, count: u32) -> std::ops::Range<u32> {
    let clamp = |value: f64| value.clamp(0.0, f64::from(count)) as u32;
    clamp((middle - reach).floor())..clamp((middle + reach).ceil() + 1.0)
}

impl<'a> StartSurroundings<'a> {
    fn new(map: &'a CellMap, point: Point, by: &Traversal) -> Self {
        let around = Bounds { min: point, max: point }.grown(SNAP_M + map.frame().cell_size_m);
        let window = Window::around(map.frame(), around);
        let terrain = &map.terrain;
        let own = by.areas.as_deref().unwrap_or(&[]).iter();
        let shunned: Vec<usize> = own.filter(|own| own.1.is_none()).map(|own| own.0.index()).collect();
        let passable = |area: usize| {
            let listed = by
                .through
                .as_ref()
                .is_some_and(|list| list.binary_search_by_key(&AreaId::from(area), |entry| entry.0).is_ok());
            let is_barred = by.barred().binary_search(&AreaId::from(area)).is_ok();
            (map.states[area].available && !is_barred || listed) && !shunned.contains(&area)
        };
        let nearby = (0..terrain.area_count()).filter(|&area| {
            terrain.area(area).and_then(|spans| spans.window()).is_some_and(|w| w.overlaps(&window))
        });
        let (open, closed): (Vec<usize>, Vec<usize>) = nearby.partition(|&area| passable(area));
        let walls = (terrain.area_count()..terrain.outlines().len()).filter(|&id| {
            let outline = &terrain.outlines()[id];
            map.states[id].available
                && outline.bounds.overlaps(&around)
                && !geom::polygon_contains(&outline.polygon, point)
        });
        let walls = walls.collect();
        let mut new = Self {
            map,
            point,
            open,
            closed,
            shunned,
            own_closed: Vec::new(),
            walls,
            own_kind: OffLimits::Free,
        };
        let (x, z) = map.frame().cell_at(point);
        new.own_kind = new.kind(x, z);
        if let Some((x, z)) = map.frame().cell_in(point) {
            new.own_closed = new.closed.iter().copied().filter(|&area| new.holds(area, x, z)).collect();
        }
        new
    }

    fn holds(&self, area: usize, x: u32, z: u32) -> bool {
        let terrain = &self.map.terrain;
        !terrain.is_solid(x, z) && terrain.area(area).is_some_and(|spans| spans.contains(x, z))
    }

    fn kind(&self, x: i64, z: i64) -> OffLimits {
        let frame = self.map.frame();
        if !(0..i64::from(frame.width)).contains(&x) || !(0..i64::from(frame.depth)).contains(&z) {
            return OffLimits::Outside;
        }
        let (x, z) = (x as u32, z as u32);
        let holds = |areas: &[usize]| areas.iter().any(|&area| self.holds(area, x, z));
        if self.map.terrain.is_solid(x, z) {
            OffLimits::Solid
        } else if holds(&self.shunned) {
            OffLimits::Closed
        } else if self.map.terrain.is_fixed(x, z) || holds(&self.open) {
            OffLimits::Free
        } else if holds(&self.closed) {
            OffLimits::Closed
        } else {
            OffLimits::Empty
        }
    }

    /// Whether a cell is of what the point itself lies in: the ground ends beyond the cells as it does within
    /// them.
    fn is_as_own(&self, kind: OffLimits) -> bool {
        match self.own_kind {
            OffLimits::Solid | OffLimits::Empty => matches!(kind, OffLimits::Solid | OffLimits::Empty),
            OffLimits::Outside => matches!(kind, OffLimits::Outside | OffLimits::Empty),
            OffLimits::Free | OffLimits::Closed => false,
        }
    }

    /// Whether the straight line from the point to the centre of a legal cell is clear.
    fn is_clear(&self, Cell { x, z }: Cell) -> bool {
        let frame = self.map.frame();
        let target = frame.centre(x, z);
        if self
            .walls
            .iter()
            .any(|&wall| crosses(&self.map.terrain.outlines()[wall].polygon, self.point, target))
        {
            return false;
        }
        // What the point itself lies in may be crossed until the line leaves it for the first time.
        let mut leaving = true;
        let (from, to) = (frame.to_cells(self.point), frame.to_cells(target));
        cells_along(frame.tiling.shape(), from, to).all(|stretch| {
            let kind = self.kind(stretch.x, stretch.z);
            leaving &= self.is_as_own(kind);
            match kind {
                OffLimits::Free => true,
                OffLimits::Solid | OffLimits::Empty => {
                    leaving || (stretch.x, stretch.z) == (i64::from(x), i64::from(z))
                }
                OffLimits::Outside => leaving,
                OffLimits::Closed => {
                    let (x, z) = (stretch.x as u32, stretch.z as u32);
                    self.own_closed.iter().any(|&area| self.holds(area, x, z))
                }
            }
        })
    }
}

/// Whether a segment that begins outside a polygon meets it.
fn crosses(polygon: &[Point], from: Point, to: Point) -> bool {
    geom::polygon_contains(polygon, to) || geom::edges(polygon).any(|edge| meets(Segment { from, to }, edge))
}

/// Whether two segments share a point.
fn meets(one: Segment<Point>, other: Segment<Point>) -> bool {
    let (Segment { from: a, to: b }, Segment { from: c, to: d }) = (one, other);
    let (side_c, side_d) = (geom::cross(a, b, c), geom::cross(a, b, d));
    let (side_a, side_b) = (geom::cross(c, d, a), geom::cross(c, d, b));
    let apart = |p: f64, q: f64| p > 0.0 && q > 0.0 || p < 0.0 && q < 0.0;
    Bounds::of(&[a, b]).overlaps(&Bounds::of(&[c, d])) && !apart(side_c, side_d) && !apart(side_a, side_b)
}
