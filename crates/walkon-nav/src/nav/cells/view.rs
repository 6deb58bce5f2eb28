//! A map of cells as one traversal sees it: the cells it can use and the places it can reach.
//!
//! In: what is walkable for a kind of body, doors it plans through, factors of its own. Out: bits, regions,
//! the nearest cell that can be reached. Not here: making and keeping these (`map`), changes for one walker
//! (`custom_costs`).

use std::sync::Arc;

use crate::base::geom::Point;
use crate::nav::cell::Cell;
use crate::nav::cells::Bits;
use crate::nav::cells::layout::Unit;
use crate::nav::cells::strong_components::StrongComponents;
use crate::nav::cells::tiling::Metric;
use crate::nav::cells::walkability::{Passage, Walkability};

/// Factors of one walker.
#[derive(Clone, Debug)]
pub(crate) struct Paint {
    /// By cell; empty when all are 1.
    pub(crate) factors: Vec<u16>,
    pub(crate) cheapest: u16,
    pub(crate) unit: Unit,
}

/// What a traversal can use: the bits and everything that follows from them.
#[derive(Clone, Debug)]
pub(crate) struct CellView {
    pub(crate) walkability: Arc<Walkability>,
    pub(crate) passage: Option<Arc<Passage>>,
    /// Factors of its own; None for those of the map.
    pub(crate) paint: Option<Arc<Paint>>,
}

/// What can be reached from a cell.
#[derive(Clone, Debug)]
pub(crate) enum Reached {
    /// All of a region.
    Region(CellRegion),
    /// Some rooms, where cells may not be left in every direction: by room.
    Rooms(Vec<bool>),
}

impl Reached {
    /// Whether a part of the cells, by its number, is among it.
    fn has(&self, part: u32) -> bool {
        match self {
            Self::Region(region) => region.number() == part,
            Self::Rooms(open) => open[part as usize],
        }
    }

    /// The numbers of all parts of it.
    pub(crate) fn parts(self) -> Vec<u32> {
        match self {
            Self::Region(region) => vec![region.number()],
            Self::Rooms(open) => (0..).zip(open).filter(|entry| entry.1).map(|(room, _)| room).collect(),
        }
    }
}

/// Cells that can be reached from one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellRegion {
    /// A component by its label.
    Alone(u32),
    /// Components joined by doors.
    Joined(u32),
}

impl CellRegion {
    /// One number for each.
    fn number(self) -> u32 {
        match self {
            Self::Alone(label) => 2 * label,
            Self::Joined(root) => 2 * root + 1,
        }
    }
}

impl CellView {
    /// The cells that can be planned through.
    pub(crate) fn bits(&self) -> &Bits {
        self.passage.as_ref().map_or(&self.walkability.bare, |passage| passage.bits())
    }

    /// The rooms of its cells, where there are directions.
    fn rooms(&self) -> Option<&StrongComponents> {
        match &self.passage {
            Some(passage) => passage.rooms.as_ref(),
            None => self.walkability.rooms.as_ref(),
        }
    }

    /// Whether some of its cells may not be left in every direction.
    pub(crate) fn is_directed(&self) -> bool {
        self.rooms().is_some()
    }

    /// What can be reached from a cell; None for a blocked one. Cost: labels, and where there are directions
    /// the rooms.
    pub(crate) fn reached_from(&self, x: u32, z: u32) -> Option<Reached> {
        match self.rooms() {
            None => self.region(x, z).map(Reached::Region),
            Some(rooms) => rooms.reached_from(x, z).map(Reached::Rooms),
        }
    }

    /// The number of the part of the cells that a cell belongs to: of a room where there are directions, else
    /// of a region.
    pub(crate) fn part(&self, x: u32, z: u32) -> Option<u32> {
        match self.rooms() {
            Some(rooms) => rooms.room(x, z),
            None => self.region(x, z).map(CellRegion::number),
        }
    }

    /// Whether a cell is among what can be reached.
    pub(crate) fn is_reached(&self, reached: &Reached, x: u32, z: u32) -> bool {
        self.part(x, z).is_some_and(|part| reached.has(part))
    }

    /// The cell of what can be reached whose centre is nearest to a point, in cells; ties by (distance, z,
    /// x).
    pub(crate) fn closest_reached(&self, reached: &Reached, point: Point) -> Option<Cell> {
        self.closest_part(&|part| reached.has(part), point)
    }

    /// The same of the cells that belong to some parts, by their numbers.
    pub(crate) fn closest_part(&self, is_wanted: &dyn Fn(u32) -> bool, point: Point) -> Option<Cell> {
        match self.rooms() {
            Some(rooms) => rooms.closest(is_wanted, point),
            None => self.closest(&|region| is_wanted(region.number()), point, f64::INFINITY),
        }
    }

    /// Cells that are joined with one another, directions aside; None for a blocked one.
    pub(crate) fn region(&self, x: u32, z: u32) -> Option<CellRegion> {
        let labels = &self.walkability.labels;
        let joined = self.passage.as_ref().and_then(|passage| passage.doors.root(labels, x, z));
        joined.map(CellRegion::Joined).or_else(|| labels.label(x, z).map(CellRegion::Alone))
    }

    /// The cell of some regions whose centre is nearest to a point, within a distance, all in cells; ties by
    /// (distance, z, x).
    pub(crate) fn closest(
        &self,
        is_wanted: &dyn Fn(CellRegion) -> bool,
        point: Point,
        within: f64,
    ) -> Option<Cell> {
        let labels = &self.walkability.labels;
        let Some(passage) = &self.passage else {
            return labels.closest_where(point, within, |label| is_wanted(CellRegion::Alone(label)));
        };
        let (doors, metric) = (&passage.doors, self.bits().shape().metric);
        let region_of =
            |label| doors.root_of_label(label).map_or(CellRegion::Alone(label), CellRegion::Joined);
        let mut best = labels
            .closest_where(point, within, |label| is_wanted(region_of(label)))
            .map(|cell| (distance_sq(metric, cell, point), cell));
        for run in doors.runs() {
            if !is_wanted(CellRegion::Joined(doors.root_of_run(run))) {
                continue;
            }
            let column = point[0] - metric.lean() * (f64::from(run.z) + 0.5 - point[1]);
            let x = (column.ceil() - 1.0).clamp(f64::from(run.from), f64::from(run.to - 1)) as u32;
            let cell = Cell { x, z: run.z };
            let offer = (distance_sq(metric, cell, point), cell);
            let rank = |(distance, Cell { x, z }): (f64, Cell)| (distance, z, x);
            if offer.0 <= within * within && best.is_none_or(|best| rank(offer) < rank(best)) {
                best = Some(offer);
            }
        }
        best.map(|(_, cell)| cell)
    }
}

/// From a point to the centre of a cell, squared, in the unit of length of the map.
pub(crate) fn distance_sq(metric: Metric, Cell { x, z }: Cell, point: Point) -> f64 {
    metric.length_sq(f64::from(x) + 0.5 - point[0], f64::from(z) + 0.5 - point[1])
}
