//! The cost of ground and the tolls of doors.
//!
//! In: a view, the state of the areas, the walker. Out: by polygon the factor and the toll; costs and
//! crossings of lines. Holds: where areas overlap the factor is that of the last listed one that is
//! available, else of the last listed; a toll is paid for every crossing. Not here: which ground there is
//! (`build`).

use glam::Vec3;

use crate::base::geom;
use crate::base::ids::AreaId;
use crate::nav::Crossing;
use crate::nav::mesh::polyanya::Tolls;
use crate::nav::mesh::polygon::length;
use crate::nav::mesh::topology::Topology;

/// Prices of the polygons of a view.
#[derive(Clone, Debug, Default)]
pub(crate) struct TraversalCosts {
    /// By polygon; empty when all are 1.
    pub(crate) factors: Vec<f64>,
    /// By polygon: a closed area to be opened (id + 1; 0: none) and the metres that this adds; empty when
    /// there are none.
    pub(super) tolls: Vec<(u32, f64)>,
}

impl TraversalCosts {
    pub(crate) fn tolls(&self) -> Tolls<'_> {
        Tolls { by_polygon: &self.tolls }
    }

    pub(crate) fn is_even(&self) -> bool {
        self.factors.is_empty()
    }

    pub(crate) fn factor(&self, polygon: u32) -> f64 {
        self.factors.get(polygon as usize).copied().unwrap_or(1.0)
    }

    /// The least factor of any polygon.
    pub(crate) fn cheapest(&self) -> f64 {
        self.factors.iter().copied().fold(1.0, f64::min)
    }

    /// The cost of a line of points, metres of plain ground; and the closed areas that it goes through. A
    /// part that is not on the ground, such as a beginning off it, counts as plain.
    pub(crate) fn along(
        &self,
        surface: &Topology,
        points: &[Vec3],
        mut crossings: Option<&mut Vec<Crossing>>,
    ) -> f64 {
        let (mut cost_m, mut before_m, mut inside) = (0.0, 0.0, 0);
        for pair in points.windows(2) {
            let (from, to) = (geom::ground(pair[0]), geom::ground(pair[1]));
            let whole_m = length(from, to);
            let Some(spot) = surface.spot(pair[0]) else {
                (cost_m, before_m, inside) = (cost_m + whole_m, before_m + whole_m, 0);
                continue;
            };
            let mut done_m = 0.0;
            surface.line(spot, to, &mut |polygon, enter, leave| {
                let stretch_m = length(enter, leave);
                cost_m += surface.stretch_m(polygon, enter, leave) * self.factor(polygon);
                let (group, toll) = self.tolls.get(polygon as usize).copied().unwrap_or_default();
                if group != 0 && stretch_m > 0.0 {
                    let ends = [before_m + done_m, before_m + done_m + stretch_m].map(|at| at as f32);
                    let area = AreaId(group - 1);
                    if group != inside {
                        cost_m += toll;
                    }
                    if let Some(list) = crossings.as_deref_mut() {
                        match list.last_mut() {
                            Some(last) if last.area == area && group == inside => last.leave_m = ends[1],
                            _ => list.push(Crossing { area, enter_m: ends[0], leave_m: ends[1] }),
                        }
                    }
                }
                if stretch_m > 0.0 {
                    inside = group;
                }
                done_m += stretch_m;
            });
            cost_m += (whole_m - done_m).max(0.0);
            before_m += whole_m;
        }
        cost_m
    }
}
