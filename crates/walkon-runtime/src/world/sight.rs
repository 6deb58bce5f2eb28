//! Tests whether one place of the world can be seen from another.
//!
//! In: two places of a layer. Out: hidden or not, and the last place that is seen. Holds: areas and obstacles
//! hide as the level says, doors as they stand, and blocks like obstacles, except those around an end of the
//! look. People hide nothing. Not here: range and direction of looks (`sense`).

use glam::Vec3;

use crate::base::geom::{STOREY_M, ground, segment_distance_sq};
use crate::base::ids::AreaId;
use crate::nav::{Look, Veil};
use crate::world::character::Character;
use crate::world::map::LevelMap;
use crate::world::sense::{Eyes, Unseen};

impl LevelMap {
    /// Why a character with such eyes does not see a place on a layer; None when it does. What hides the
    /// place is looked at only where it lies within range and view.
    pub(crate) fn miss(&self, watcher: &Character, eyes: Eyes, place: Vec3, layer: u8) -> Option<Unseen> {
        let from = watcher.body.position;
        let is_hidden = || layer != watcher.layer || self.is_hidden(from, place, layer);
        eyes.miss(from, watcher.facing_rad, place).or_else(|| is_hidden().then_some(Unseen::Blocked))
    }

    /// Whether something hides a place from another of the same layer.
    #[must_use]
    pub fn is_hidden(&self, from: Vec3, to: Vec3, layer: u8) -> bool {
        self.is_behind_block(from, to, layer) || !self.nav.sees(&self.look(from, to, layer, &self.veils()))
    }

    /// The last place up to which a look is clear: `to`, when it is seen. For pictures; blocks are left out.
    #[must_use]
    pub fn seen_to(&self, from: Vec3, to: Vec3, layer: u8) -> Vec3 {
        self.nav.seen_to(&self.look(from, to, layer, &self.veils()))
    }

    fn veils(&self) -> impl Fn(AreaId) -> Veil + '_ {
        |area| self.areas.get(area.index()).map_or(Veil::default(), |area| area.veil)
    }

    fn look<'a>(&self, from: Vec3, to: Vec3, layer: u8, veil: &'a dyn Fn(AreaId) -> Veil) -> Look<'a> {
        Look { from, to, layer, veil }
    }

    fn is_behind_block(&self, from: Vec3, to: Vec3, layer: u8) -> bool {
        let (start, end) = (ground(from), ground(to));
        let mut there = self.blocks.iter().filter(|block| !block.is_over && block.centre.layer == layer);
        there.any(|block| {
            let middle = block.centre.point;
            let (centre, reach_sq) = (ground(middle), f64::from(block.radius_m).powi(2));
            let holds = |place| segment_distance_sq(centre, place, place) < reach_sq;
            let rise_m = (middle.y - from.y).abs().min((middle.y - to.y).abs());
            rise_m <= STOREY_M
                && segment_distance_sq(centre, start, end) < reach_sq
                && !holds(start)
                && !holds(end)
        })
    }
}
