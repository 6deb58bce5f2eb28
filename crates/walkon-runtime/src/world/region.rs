//! Regions, and watches: which characters stand inside a shape.
//!
//! In: shapes, filters. Out: whether a body is inside. Holds: insiders are kept by serial, so in order of
//! creation. Not here: step 11 (`sim::regions`).
//!
//! A region is a named shape of the level. A watch is a question about a shape: a region, an area, a circle
//! that may travel with a character. Step 11 keeps the insiders of both.

use std::collections::BTreeMap;

use glam::Vec3;
use slotmap::SlotMap;

use crate::base::geom::{Bounds, Point, Segment, edges, ground, polygon_contains, segment_distance_sq};
use crate::base::ids::{AreaId, CharacterId, RegionId};
use crate::base::ordered;
use crate::base::time::TickNumber;
use crate::world::character::{Character, Displaced};
use crate::world::owner::Owner;

slotmap::new_key_type! {
    /// A watch. Stale once it was removed or its owner ended.
    pub struct WatchId;
}

/// A named trigger volume of the level.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Unique in the level.
    pub name: String,
    /// What it covers.
    pub shape: RegionShape,
    /// The layer of the map that it lies on; all of them for none.
    pub layer: Option<u8>,
    /// Least and greatest height of the characters that stand in it, metres; any height for none.
    pub heights_m: Option<[f32; 2]>,
    /// The characters inside at the last step 11 that looked at it, by serial.
    pub inside: BTreeMap<u32, CharacterId>,
    /// The tick of that step.
    pub looked: TickNumber,
}

impl Region {
    /// Whether a character counts as inside, by `edge`: over it, and on its layer and at its height if it has
    /// them.
    #[must_use]
    #[inline]
    pub fn holds(&self, who: &Character, edge: Edge) -> bool {
        let is_on_layer = self.layer.is_none_or(|layer| layer == who.layer);
        let is_at_height =
            self.heights_m.is_none_or(|[least, most]| (least..=most).contains(&who.body.position.y));
        is_on_layer && is_at_height && self.shape.holds(who.body.position, who.body.radius_m, edge)
    }
}

/// What a region covers, on the ground plane.
#[derive(Clone, Debug, PartialEq)]
pub enum RegionShape {
    /// A polygon, with the rectangle around it.
    Polygon(Vec<Point>, Bounds),
    /// A circle: centre and radius in metres.
    Circle(Point, f64),
}

impl RegionShape {
    /// The corners of a polygon; a circle has none.
    #[must_use]
    pub fn corner_count(&self) -> usize {
        if let Self::Polygon(points, _) = self { points.len() } else { 0 }
    }

    /// A polygon, with its bounds worked out.
    #[must_use]
    pub fn polygon(points: Vec<Point>) -> Self {
        let bounds = Bounds::of(&points);
        Self::Polygon(points, bounds)
    }

    /// The middle of what it covers, or of the rectangle around that.
    #[must_use]
    pub fn middle(&self) -> Point {
        match self {
            Self::Circle(centre, _) => *centre,
            Self::Polygon(_, bounds) => bounds.centre(),
        }
    }

    /// Whether a body counts as inside, by `edge`.
    #[must_use]
    #[inline]
    pub fn holds(&self, position: Vec3, radius_m: f32, edge: Edge) -> bool {
        let point = ground(position);
        let radius = f64::from(radius_m);
        match self {
            Self::Circle(centre, reach) => {
                let distance = libm::sqrt((point[0] - centre[0]).powi(2) + (point[1] - centre[1]).powi(2));
                match edge {
                    Edge::Centre => distance <= *reach,
                    Edge::Any => distance <= *reach + radius,
                    Edge::Full => distance + radius <= *reach,
                }
            }
            Self::Polygon(points, bounds) => {
                if !bounds.grown(radius).contains(point) {
                    return false;
                }
                let inside = polygon_contains(points, point);
                let near = || {
                    edges(points)
                        .any(|Segment { from: a, to: b }| segment_distance_sq(point, a, b) <= radius * radius)
                };
                match edge {
                    Edge::Centre => inside,
                    Edge::Any => inside || near(),
                    Edge::Full => inside && !near(),
                }
            }
        }
    }
}

/// Which part of a body must be inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edge {
    /// Its centre.
    #[default]
    Centre,
    /// Any part of it.
    Any,
    /// All of it.
    Full,
}

/// What a watch looks at.
#[derive(Clone, Debug, PartialEq)]
pub enum WatchShape {
    /// A region of the level.
    Region(RegionId),
    /// An area of the map, available or not.
    Area(AreaId),
    /// A circle around a place.
    Near {
        /// The middle, metres.
        centre: Vec3,
        /// Metres.
        radius_m: f32,
        /// Only along walkable straight lines.
        line_of_walk: bool,
    },
    /// A circle that travels with a character and leaves that character out.
    Around {
        /// The character in the middle.
        character: CharacterId,
        /// Metres.
        radius_m: f32,
        /// Only along walkable straight lines.
        line_of_walk: bool,
    },
}

/// The characters that count for a watch.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Filter {
    /// Every character.
    #[default]
    All,
    /// Characters with one of these tags.
    Tags(Vec<String>),
    /// One character.
    Only(CharacterId),
}

impl Filter {
    /// The bytes of the tags it asks for.
    pub(crate) fn kept_bytes(&self) -> usize {
        let Self::Tags(tags) = self else { return 0 };
        tags.iter().map(|tag| tag.len() + size_of::<String>()).sum()
    }

    /// Tags that characters are asked for.
    #[must_use]
    pub fn tag_count(&self) -> usize {
        if let Self::Tags(tags) = self { tags.len() } else { 0 }
    }
}

/// A question about a shape, kept until it is removed or its owner ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Watch {
    /// Number in order of creation, from 1.
    pub serial: u64,
    /// On whose behalf.
    pub owner: Owner,
    /// What it looks at.
    pub ground: WatchShape,
    /// The characters that count.
    pub filter: Filter,
    /// Which part of a body counts.
    pub edge: Edge,
    /// Whether it looks at all.
    pub enabled: bool,
    /// Report those already inside when it first looks.
    pub report_initial: bool,
    /// Whether it has looked since it was made or enabled, and how newcomers count until then.
    pub fresh: Option<CrossingKind>,
    /// So many characters had been put somewhere since the last step 11 when it was made: those put inside
    /// after them were not there yet.
    pub placed_before: u32,
    /// The characters inside at the last step 11 that looked at it, by serial.
    pub inside: BTreeMap<u32, CharacterId>,
    /// The tick of that step, or in which it was made.
    pub looked: TickNumber,
}

impl Watch {
    /// Bytes that a character inside takes: an entry of a tree whose leaves are half full.
    pub(crate) const INSIDER_BYTES: usize = 24;

    /// The bytes that it takes with those inside.
    pub(crate) fn kept_bytes(&self) -> usize {
        size_of::<Self>() + self.filter.kept_bytes() + self.inside.len() * Self::INSIDER_BYTES
    }

    /// Whether it asks for walkable lines, which take longer to look along than a distance.
    pub(crate) fn needs_sight(&self) -> bool {
        matches!(
            self.ground,
            WatchShape::Near { line_of_walk: true, .. } | WatchShape::Around { line_of_walk: true, .. }
        )
    }
}

/// All regions and watches.
#[derive(Clone, Debug, Default)]
pub struct Triggers {
    /// Regions in level order.
    pub(crate) regions: Vec<Region>,
    /// Watches.
    pub(crate) watches: SlotMap<WatchId, Watch>,
    /// Number of the last watch.
    pub(crate) watches_made: u64,
    /// Whether the last step 11 has put some of them off: then those that wait longest come first in the
    /// next.
    pub(crate) is_behind: bool,
    /// How characters came to be elsewhere, by serial, and when: as long as a watch is put off that has not
    /// looked since.
    pub(crate) displaced: BTreeMap<u32, (Displaced, TickNumber)>,
}

impl Triggers {
    /// Every watch there is, in order of creation.
    pub(crate) fn watch_ids(&self) -> Vec<WatchId> {
        let mut ids: Vec<WatchId> = self.watches.keys().collect();
        ordered::sort_by_key(&mut ids, |&id| self.watches.get(id).map(|watch| watch.serial));
        ids
    }

    /// The characters inside of all watches, each as often as it is inside of one. Cost: the number of
    /// watches.
    pub(crate) fn insider_count(&self) -> usize {
        self.watches.values().map(|watch| watch.inside.len()).sum()
    }

    /// Ends all watches of an owner without a word.
    pub(crate) fn end_owner(&mut self, owner: Owner) {
        self.watches.retain(|_, watch| watch.owner != owner);
    }
}

/// How a character came in or went out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrossingKind {
    /// On foot.
    Walked,
    /// By `teleport`.
    Teleported,
    /// It appeared inside.
    Spawned,
    /// It was removed, or the character in the middle of the circle was.
    Despawned,
    /// It stood inside when the watch began.
    Initial,
    /// The circle came to it or left it.
    Moved,
    /// The watch was switched on.
    Enabled,
    /// The watch was switched off.
    Disabled,
    /// A skipped scene led it through.
    Skipped,
}

impl CrossingKind {
    /// The word scripts and traces use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Walked => "walked",
            Self::Teleported => "teleported",
            Self::Spawned => "spawned",
            Self::Despawned => "despawned",
            Self::Initial => "initial",
            Self::Moved => "moved",
            Self::Enabled => "enabled",
            Self::Disabled => "disabled",
            Self::Skipped => "skipped",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_a_body_count_as_asked() {
        let square = RegionShape::polygon(vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]);
        let circle = RegionShape::Circle([2.0, 2.0], 2.0);
        for shape in [&square, &circle] {
            let at = |x: f32, edge| shape.holds(Vec3::new(x, 0.0, 2.0), 0.5, edge);
            assert!(at(2.0, Edge::Full) && at(2.0, Edge::Centre) && at(2.0, Edge::Any));
            assert!(!at(3.7, Edge::Full) && at(3.7, Edge::Centre) && at(3.7, Edge::Any));
            assert!(!at(4.3, Edge::Centre) && at(4.3, Edge::Any));
            assert!(!at(4.6, Edge::Any));
        }
    }
}
