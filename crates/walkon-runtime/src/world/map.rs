//! The map of a level: the ground, named things on it, and edits that wait.
//!
//! In: verbs (`ops::{areas, blocks, doors, graph, tiles}`), doors under way. Out: answers about ground, read
//! back at once where scripts wrote. Holds: the navigation map changes in step 5 only, by all edits that
//! wait together. Not here: searches under way (`paths`).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::geom::{flat_distance, ground};
use crate::base::ids::{AreaId, CharacterId, DoorId};
use crate::nav::{AreaEdit, GraphEdit, LayerChange, NavMap, PathFailure, TileEdit, Traversal};
use crate::world::area::Area;
use crate::world::block::Block;
use crate::world::character::{Character, Characters, standing_on};
use crate::world::door::{Door, DoorPolicy};
use crate::world::outcome::{Blocker, Reason};
use crate::world::tiles::{TileSpot, Tiles};
use crate::world::walk::{Following, Walk};

/// The ground of a level, with the doors in it.
#[derive(Clone, Debug, Default)]
pub struct LevelMap {
    /// The navigation map; changed in step 5 only.
    pub(crate) nav: NavMap,
    /// Areas, then obstacles, in level order.
    pub(crate) areas: Vec<Area>,
    /// Doors in level order.
    pub(crate) doors: Vec<Door>,
    /// Number of the last request about a door.
    pub(crate) door_moves: u64,
    /// Blocks that scripts made, in order of creation.
    pub(crate) blocks: Vec<Block>,
    /// Number of the last block.
    pub(crate) blocks_made: u64,
    /// The actions of links by number.
    pub(crate) link_actions: Arc<[String]>,
    /// What the tiles are made of, where the map is one of tiles.
    pub(crate) tiles: Option<Arc<Tiles>>,
    /// Whether the map is a precomputed grid, whose areas cannot be toggled.
    pub(crate) is_precomputed: bool,
    /// What waits for step 5.
    pub(crate) edits: PendingEdits,
}

/// Edits of the navigation map that wait for step 5.
#[derive(Clone, Debug, Default)]
pub struct PendingEdits {
    /// The last wish for each area.
    pub(crate) areas: BTreeMap<AreaId, AreaEdit>,
    /// Of tiles.
    pub(crate) tiles: BTreeMap<TileSpot, TileEdit>,
    /// Of points and links, in order.
    pub(crate) graph: Vec<GraphEdit>,
}

impl PendingEdits {
    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.areas.is_empty() && self.tiles.is_empty() && self.graph.is_empty()
    }
}

/// How far a door reaches out of its area at most, metres: a cell at the rim by half its size, and no map has
/// larger cells.
const MARGIN_M: f64 = 1.0;

impl LevelMap {
    /// The characters that stand in a door's area, in order of creation.
    #[must_use]
    pub fn occupants(&self, characters: &Characters, id: DoorId) -> Vec<CharacterId> {
        let Some(door) = self.doors.get(id.index()) else {
            return Vec::new();
        };
        let bounds = door.bounds.grown(MARGIN_M);
        characters
            .iter()
            .filter(|(_, character)| bounds.contains(ground(character.body.position)))
            .filter(|(_, character)| self.stands_in(character, door.area))
            .map(|(id, _)| id)
            .collect()
    }

    /// Whether a body's place, or the cell below it, belongs to an area.
    fn stands_in(&self, character: &Character, area: AreaId) -> bool {
        let (place, ground) = (character.body.position, self.nav.on_layer(character.layer));
        let mut areas = Vec::new();
        ground.areas_at(place, &mut areas);
        // By the cells that the map counts to the area, because those close: the middle of a cell may lie on
        // the very edge of it.
        areas.contains(&area) || ground.holds(area, place)
    }

    /// The reason and the blocker behind what the map said.
    #[must_use]
    pub fn reason_of(&self, trouble: PathFailure) -> (Reason, Option<Blocker>) {
        match trouble {
            PathFailure::NoPath => (Reason::NoPath, None),
            PathFailure::StartOffNav => (Reason::StartOffNav, None),
            PathFailure::TooWide => (Reason::TooWide, None),
            PathFailure::Limit => (Reason::Limit, None),
            PathFailure::Occupied => (Reason::Occupied, None),
            PathFailure::Area(area) => match self.areas.get(area.index()).and_then(|area| area.door) {
                Some(door) => (Reason::DoorClosed, Some(Blocker::Door(door))),
                None => (Reason::NoPath, None),
            },
        }
    }

    /// The doors that a body may plan through although they are closed.
    #[must_use]
    pub(crate) fn doors_through(&self, by: &Traversal) -> Vec<DoorId> {
        let areas = by.through.iter().flat_map(|areas| areas.iter());
        areas.filter_map(|(area, _)| self.areas.get(area.index())?.door).collect()
    }

    /// The doors that were closed when the way of a walk was planned, and that it has yet to pass.
    pub(crate) fn doors_ahead(&self, following: &Following) -> Vec<DoorId> {
        let along_m = following.cursor.along_m;
        let ahead = following.path.crossings.iter().filter(|crossing| crossing.leave_m > along_m);
        ahead.filter_map(|crossing| self.areas.get(crossing.area.index())?.door).collect()
    }

    /// The first door on the rest of the way of a walk that is not open, and where along its path the area of
    /// the door begins, metres.
    #[inline]
    pub(crate) fn closed_door_ahead(&self, walk: &Walk, who: &Character) -> Option<(DoorId, f32)> {
        let following = walk.following.as_ref()?;
        let along_m = following.cursor.along_m;
        let mut ahead = following.path.crossings.iter().filter(|crossing| crossing.leave_m > along_m);
        let crossed = ahead.find_map(|crossing| {
            let door = self.areas.get(crossing.area.index())?.door?;
            let closed = !self.doors.get(door.index()).is_some_and(Door::is_passable);
            closed.then_some((door, crossing.enter_m))
        });
        let link = following.path.layers.first().filter(|link| !link.is_climb());
        match (link, crossed) {
            (Some(link), Some((_, enter_m))) if enter_m < link.at_m => crossed,
            (Some(link), _) => self.door_beyond(link, walk, who).map(|door| (door, link.at_m)).or(crossed),
            (None, _) => crossed,
        }
    }

    /// The closed door because of which a walker that goes through doors may not stand at the far end of a
    /// link: a way that goes no further crosses none there.
    #[inline(never)]
    fn door_beyond(&self, link: &LayerChange, walk: &Walk, who: &Character) -> Option<DoorId> {
        let by = Traversal { layer: link.layer, ..standing_on(who) };
        if walk.options.doors.unwrap_or(who.doors) == DoorPolicy::Avoid || self.nav.is_walkable(link.to, &by)
        {
            return None;
        }
        let (place, ground) = (ground(link.to), self.nav.on_layer(link.layer));
        let reach_m = f64::from(self.nav.kept_off_m(who.body.radius_m).max(who.body.radius_m));
        let closed = (0..).map(DoorId).zip(&self.doors).filter(|(_, door)| !door.is_passable());
        let near = closed.filter(|(_, door)| door.bounds.grown(reach_m + MARGIN_M).contains(place));
        // One that holds the place, else the nearest.
        let away_m = |door: &Door| {
            if ground.holds(door.area, link.to) { -1.0 } else { flat_distance(door.position, link.to) }
        };
        near.min_by(|(_, a), (_, b)| away_m(a).total_cmp(&away_m(b))).map(|(id, _)| id)
    }

    /// The first door on the rest of the way of a walk that is not open, and the metres to where the body
    /// stops for it: in front of it, or where its ground ends.
    #[inline]
    pub(crate) fn stop_before_door(&self, walk: &Walk, who: &Character) -> Option<(DoorId, f32)> {
        let (door, enter_m) = self.closed_door_ahead(walk, who)?;
        let following = walk.following.as_ref()?;
        let along_m = following.cursor.along_m;
        if let Some(link) = following.path.layers.first().filter(|link| !link.is_climb())
            && enter_m >= link.at_m
        {
            // Between the ends of a link nobody stands.
            let by = Traversal { layer: link.layer, ..standing_on(who) };
            let waits_here = !self.nav.is_walkable(link.to, &by);
            return Some((door, if waits_here { link.at_m - along_m } else { f32::INFINITY }));
        }
        let left_m = self.ground_left_m(walk, who.body.radius_m, enter_m - along_m).unwrap_or(f32::INFINITY);
        Some((door, left_m.min(enter_m - Door::STANDOFF_M - along_m)))
    }

    /// How far a walk leads over the ground that there is for its body while a door, so many metres ahead, is
    /// closed. None where the body comes as near to the door as others. Bounded: a look at the ground for
    /// each part of the last metres before the door.
    fn ground_left_m(&self, walk: &Walk, radius_m: f32, enter_m: f32) -> Option<f32> {
        /// Metres from look to look.
        const LOOK_M: f32 = 0.1;
        /// Ways lead to doors at an angle; by so much at most the last stretch is longer for it.
        const ANGLED: f32 = 3.0;
        let kept_off_m = self.nav.kept_off_m(radius_m);
        if ANGLED * kept_off_m <= Door::STANDOFF_M {
            return None;
        }
        let following = walk.following.as_ref()?;
        let first_m = (enter_m - ANGLED * kept_off_m - Door::STANDOFF_M).max(0.0);
        let by = Traversal { radius_m, ..Traversal::default() };
        let looks = (0..).map(|nth: u16| first_m + LOOK_M * f32::from(nth)).take_while(|&at| at < enter_m);
        let (along_m, mut last) = (following.cursor.along_m, None);
        for left_m in looks {
            let is_ground = self.nav.is_walkable(following.path.place_at(along_m + left_m), &by);
            match last {
                Some(_) if !is_ground => break,
                _ if is_ground => last = Some(left_m),
                _ => {}
            }
        }
        // A body at the edge of its ground may stand off it by a hair.
        Some(last.unwrap_or(first_m)).filter(|_| first_m < enter_m)
    }
}
