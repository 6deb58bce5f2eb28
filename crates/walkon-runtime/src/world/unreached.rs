//! Explains in words why no way leads to a goal: beyond the map, on blocked ground, too near a wall, apart.
//!
//! In: a goal, the body that was to go there, the answer of the map. Out: a clause such as `the goal lies 3.0
//! m beyond the map`. Changes nothing, decides nothing: the reason of a result comes from the map, this only
//! explains it.

use glam::Vec3;

use crate::base::geom::ground;
use crate::base::suggestions;
use crate::nav::{PathFailure, Reach, Traversal};
use crate::world::World;
use crate::world::area::Area;
use crate::world::settings::Settings;

/// On maps of more nodes no question is asked for a narrower body, which takes a pass over the map: a tenth
/// of a millisecond here.
const NARROW_NODES_MAX: u64 = 16_384;

impl World {
    /// Why a goal was not reached, given what the map said of it.
    #[must_use]
    pub fn why_unreached(&self, goal: Vec3, by: &Traversal, trouble: PathFailure) -> String {
        match trouble {
            PathFailure::NoPath => self.why_no_way(goal, by),
            PathFailure::StartOffNav => {
                format!("the start is farther than {} m from walkable ground", Settings::SNAP_M)
            }
            PathFailure::TooWide => self.why_too_wide(goal, by),
            PathFailure::Occupied => "somebody stands on the goal".to_owned(),
            PathFailure::Limit => "the search reached its limit of expansions".to_owned(),
            PathFailure::Area(area) => match self.map.areas.get(area.index()) {
                Some(area) if area.door.is_some() => self.why_shut(area, by).to_owned(),
                Some(area) => format!("area \"{}\" is not available", area.name),
                None => self.why_no_way(goal, by),
            },
        }
    }

    /// Why a body does not pass a door.
    fn why_shut(&self, area: &Area, by: &Traversal) -> &'static str {
        let open =
            area.door.and_then(|door| self.doors().get(door.index())).filter(|door| door.is_passable());
        match open.map(|door| by.barred().contains(&door.area)) {
            None => "that door is closed",
            Some(true) => "that door lets only others through",
            Some(false) => "that door lets nobody through in this direction",
        }
    }

    /// Why no way leads to a goal, whatever is opened on the way.
    #[must_use]
    pub fn why_no_way(&self, goal: Vec3, by: &Traversal) -> String {
        let beyond_m = self.beyond_the_map_m(goal);
        if beyond_m > 0.0 {
            return format!("the goal lies {} m beyond the map", suggestions::decimals(beyond_m, 1));
        }
        match (self.may_stand(goal, by, by.radius_m), self.may_stand(goal, by, 0.0)) {
            (true, _) => "nothing joins the ground at the goal with the ground at the start".to_owned(),
            (false, true) => self.why_too_wide(goal, by),
            (false, false) => "the goal is on blocked ground".to_owned(),
        }
    }

    /// Why a body does not come from a place to a goal, where it is not known whether a narrower one would.
    #[must_use]
    pub(crate) fn why_not_there(&self, from: Vec3, goal: Vec3, by: &Traversal) -> String {
        let nav = &self.map.nav;
        let is_wide = nav.body_class(by.radius_m) != nav.body_class(0.0);
        if !is_wide || !nav.is_walkable(goal, by) {
            return self.why_no_way(goal, by);
        }
        if nav.node_count() > NARROW_NODES_MAX {
            let radius_m = suggestions::decimals(by.radius_m, 2);
            return format!(
                "nothing that a body of radius {radius_m} m fits through joins the ground at the goal with the \
                 ground at the start"
            );
        }
        let narrow = Traversal { radius_m: 0.0, ..by.clone() };
        match nav.reach(from, goal, &narrow) {
            Reach::Yes => self.why_too_wide(goal, by),
            Reach::No(_) => self.why_no_way(goal, by),
        }
    }

    /// Where a body that is too wide does not fit: at the goal, or on the way.
    fn why_too_wide(&self, goal: Vec3, by: &Traversal) -> String {
        let radius_m = suggestions::decimals(by.radius_m, 2);
        match self.may_stand(goal, by, by.radius_m) {
            true => format!("a body of radius {radius_m} m does not fit through, a narrower one does"),
            false => format!("the goal is too near a wall for a body of radius {radius_m} m"),
        }
    }

    /// Whether a body of this radius may stand at a point, on any layer.
    fn may_stand(&self, point: Vec3, by: &Traversal, radius_m: f32) -> bool {
        let mut layers = 0..self.map.nav.layer_count() as u8;
        layers.any(|layer| self.map.nav.is_walkable(point, &Traversal { radius_m, layer, ..by.clone() }))
    }

    /// How far a point lies outside the rectangle around the map, metres; 0 within.
    fn beyond_the_map_m(&self, point: Vec3) -> f32 {
        let bounds = self.map.nav.bounds();
        let at = ground(point);
        let outside = |axis: usize| (bounds.min[axis] - at[axis]).max(at[axis] - bounds.max[axis]).max(0.0);
        libm::hypot(outside(0), outside(1)) as f32
    }
}
