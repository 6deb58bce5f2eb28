//! Queries: by name, by place, about ways. They change nothing.
//!
//! In: names, ids, places. Out: parts of the world, by reference; sentences about walks. Not here: verbs
//! (`ops`).

use glam::Vec3;

use crate::base::geom::flat_distance;
use crate::base::ids::{AreaId, CharacterId, DoorId, RegionId, WalkId};
use crate::base::suggestions;
use crate::base::time::{TickNumber, TickRate};
use crate::nav::{LinkAction, NavMap, PathFailure, Traversal};
use crate::world::World;
use crate::world::area::Area;
use crate::world::asker;
use crate::world::bystander_index::People;
use crate::world::bystanders::{Bystanders, Straight};
use crate::world::character::{Character, Gait, standing_on};
use crate::world::door::{Door, DoorPolicy};
use crate::world::event::Fact;
use crate::world::outcome::{Blocker, Journey, Reason, WalkResult};
use crate::world::place::Mark;
use crate::world::region::Region;
use crate::world::region::Watch;
use crate::world::scratch::{PathCounts, Scratch};
use crate::world::sense::Senses;
use crate::world::settings::Settings;
use crate::world::tiles::Tiles;
use crate::world::walk::Walk;
use crate::world::walks::WalkCounts;

impl World {
    /// The tick under way, or the last one between ticks.
    #[must_use]
    pub fn tick(&self) -> TickNumber {
        self.clock.tick
    }

    /// Ticks a second.
    #[must_use]
    pub fn rate(&self) -> TickRate {
        self.clock.rate
    }

    /// Seed of the run.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.level.seed
    }

    /// Name of the level.
    #[must_use]
    pub fn level_name(&self) -> &str {
        &self.level.name
    }

    /// The navigation map, as of the last step 5.
    #[must_use]
    pub fn nav(&self) -> &NavMap {
        &self.map.nav
    }

    /// Whether something hides a place from another of the same layer: areas, obstacles, closed doors,
    /// blocks.
    #[must_use]
    pub fn is_hidden(&self, from: Vec3, to: Vec3, layer: u8) -> bool {
        self.map.is_hidden(from, to, layer)
    }

    /// What the tiles are made of, as last asked for, where the map is one of tiles.
    #[must_use]
    pub fn tiles(&self) -> Option<&Tiles> {
        self.map.tiles.as_deref()
    }

    /// What a map without layers calls its only one.
    pub const LAYER: &str = "ground";

    /// The number of the layer of the map of that name; a map without layers is one, [`World::LAYER`].
    #[must_use]
    pub fn find_layer(&self, name: &str) -> Option<u8> {
        self.tiles().map_or_else(|| (name == Self::LAYER).then_some(0), |tiles| tiles.layer(name))
    }

    /// Names of the layers of the map, in their order.
    #[must_use]
    pub fn layer_names(&self) -> Vec<&str> {
        self.tiles().map_or_else(|| vec![Self::LAYER], |tiles| tiles.layer_names().collect())
    }

    /// What has to be done to get over a link, by its number.
    #[must_use]
    pub fn link_action(&self, action: LinkAction) -> Option<&str> {
        self.map.link_actions.get(usize::from(action.0)).map(String::as_str)
    }

    /// Crowd constants and limits.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether edits wait for step 5.
    #[must_use]
    pub fn has_pending_edits(&self) -> bool {
        !self.map.edits.is_empty()
    }

    /// All facts since the last step 14, in order.
    #[must_use]
    pub fn facts(&self) -> &[Fact] {
        self.events.recorded()
    }

    /// How many walks ended in which way.
    #[must_use]
    pub fn walk_counts(&self) -> WalkCounts {
        self.walks.counts
    }

    /// What path searching cost.
    #[must_use]
    pub fn path_counts(&self) -> PathCounts {
        self.scratch.path_counts
    }

    /// A character that is alive, or was removed in this tick.
    #[must_use]
    pub fn character(&self, id: CharacterId) -> Option<&Character> {
        self.characters.get(id)
    }

    /// The living character of that name.
    #[must_use]
    pub fn find_character(&self, name: &str) -> Option<CharacterId> {
        self.characters.find(name)
    }

    /// Every character alive, in order of creation.
    pub fn characters(&self) -> impl Iterator<Item = (CharacterId, &Character)> {
        self.characters.iter()
    }

    /// The number of the last character that was created (`character.id` in scripts); 0 before the first.
    #[must_use]
    pub fn last_character_key(&self) -> u32 {
        self.characters.created()
    }

    /// How many are alive.
    #[must_use]
    pub fn character_count(&self) -> usize {
        self.characters.count()
    }

    /// The living player.
    #[must_use]
    pub fn player(&self) -> Option<CharacterId> {
        self.characters.player()
    }

    /// A walk that has not been freed.
    #[must_use]
    pub fn walk(&self, id: WalkId) -> Option<&Walk> {
        self.walks.get(id)
    }

    /// Doors in level order, by their ids: those too that an edit of the level has taken away.
    #[must_use]
    pub fn doors(&self) -> &[Door] {
        &self.map.doors
    }

    /// The doors that are there, in level order.
    pub fn standing_doors(&self) -> impl Iterator<Item = (DoorId, &Door)> {
        let doors = self.map.doors.iter().enumerate().filter(|(_, door)| !door.is_gone());
        doors.map(|(index, door)| (DoorId::from(index), door))
    }

    /// The door of that name.
    #[must_use]
    pub fn find_door(&self, name: &str) -> Option<DoorId> {
        self.standing_doors().find(|(_, door)| door.name == name).map(|(id, _)| id)
    }

    /// The characters that stand in a door's area, in order of creation.
    #[must_use]
    pub fn occupants(&self, id: DoorId) -> Vec<CharacterId> {
        self.map.occupants(&self.characters, id)
    }

    /// The characters that stand beside a straight line; None for nobody. Cost: each character near the line;
    /// for the first question of a phase, a pass over every character.
    pub fn bystanders(&mut self, line: Straight<'_>) -> Option<Bystanders> {
        let Self { settings, characters, walks, scratch, .. } = self;
        let Scratch { bystanders, leaders, .. } = scratch;
        bystanders.beside(People { characters, walks, crowd: &settings.crowd, leaders }, line)
    }

    /// The traversal of an asker, as the doors stand now.
    #[must_use]
    pub fn traversal_for(&self, asker: asker::Asker<'_>) -> Traversal {
        asker::traversal(&self.map, self.clock.rate, asker)
    }

    /// The traversal of a body that is nobody in particular, as the doors stand now: it opens none, and obeys
    /// those that let people through in one direction only.
    #[must_use]
    pub fn traversal_of_nobody(&self, layer: u8, radius_m: f32) -> Traversal {
        let (doors, speed_mps) = (DoorPolicy::Avoid, Gait::WALK_MPS);
        self.traversal_for(asker::Asker { tags: None, layer, radius_m, doors, keys: &[], speed_mps })
    }

    /// The traversal of a walk, as the doors stand now.
    #[must_use]
    pub fn traversal_of(&self, walk: &Walk) -> Traversal {
        asker::traversal_of(&self.map, &self.characters, self.clock.rate, walk)
    }

    /// Watches of characters for others, and noises in the air.
    #[must_use]
    pub fn senses(&self) -> &Senses {
        &self.senses
    }

    /// Regions in level order.
    #[must_use]
    pub fn regions(&self) -> &[Region] {
        &self.triggers.regions
    }

    /// The region of that name.
    #[must_use]
    pub fn find_region(&self, name: &str) -> Option<RegionId> {
        self.triggers.regions.iter().position(|region| region.name == name).map(RegionId::from)
    }

    /// Every watch there is, in order of creation.
    #[must_use]
    pub fn watches(&self) -> Vec<&Watch> {
        self.triggers.watch_ids().into_iter().filter_map(|id| self.triggers.watches.get(id)).collect()
    }

    /// Areas, then obstacles, in level order.
    #[must_use]
    pub fn areas(&self) -> &[Area] {
        &self.map.areas
    }

    /// The area or obstacle of that name.
    #[must_use]
    pub fn find_area(&self, name: &str) -> Option<AreaId> {
        self.map.areas.iter().position(|area| area.name == name).map(AreaId::from)
    }

    /// The mark of that name.
    #[must_use]
    pub fn mark(&self, name: &str) -> Option<&Mark> {
        self.places.marks.get(name)
    }

    /// Marks by name, sorted.
    pub fn marks(&self) -> impl Iterator<Item = &Mark> {
        self.places.marks.values()
    }

    /// The stops of the route of that name.
    #[must_use]
    pub fn route(&self, name: &str) -> Option<&[Mark]> {
        self.places.routes.get(name).map(Vec::as_slice)
    }

    /// Names of routes, sorted.
    pub fn route_names(&self) -> impl Iterator<Item = &str> {
        self.places.routes.keys().map(String::as_str)
    }

    /// What a walk's end reads like: `blocked/doorClosed by door "vault" at (12.0, 7.0) after 83 ticks`.
    #[must_use]
    pub fn summary(&self, result: &WalkResult) -> String {
        let journey = &result.journey;
        let by = match journey.by {
            Some(blocker) => format!(" by {}", self.blocker(blocker)),
            None => String::new(),
        };
        let at = suggestions::decimals_of(&[journey.position[0], journey.position[2]], 1);
        let (status, reason) = (result.status().name(), result.reason().name());
        format!("{status}/{reason}{by} at ({at}) after {} ticks", journey.ticks)
    }

    /// A blocker by name, with its kind: `door "vault"`.
    #[must_use]
    pub fn blocker(&self, blocker: Blocker) -> String {
        match blocker {
            Blocker::Character(id) => format!("character \"{}\"", self.name_of(id)),
            Blocker::Door(id) => {
                format!("door \"{}\"", self.map.doors.get(id.index()).map_or("", |door| door.name.as_str()))
            }
        }
    }

    /// One sentence about a walk's end.
    #[must_use]
    pub fn detail(&self, result: &WalkResult) -> String {
        let journey = &result.journey;
        let who = self.name_of(journey.character);
        let by = journey.by.map(|blocker| self.blocker(blocker));
        let left_m = flat_distance(journey.position.into(), journey.goal.into());
        if let Some(because) = &journey.because {
            return format!("{who} ended {}, because {because}", result.reason().name());
        }
        match (result.reason(), by) {
            (Reason::Reached | Reason::AlreadyThere, _) => format!("{who} stands at the goal"),
            (Reason::Nearest, Some(by)) => {
                format!("{who} stands {left_m:.1} m from the goal, as near as it gets: {by} is closed")
            }
            (Reason::Nearest, None) => {
                let why = self.why_not(journey);
                format!("{who} stands {left_m:.1} m from the goal, as near as it gets: {why}")
            }
            (Reason::NoPath, _) => {
                format!("there is no way from {who} to the goal: {}", self.why_not(journey))
            }
            (Reason::StartOffNav, _) => self.why_off(journey, who),
            (Reason::DoorClosed, Some(by)) => format!("{by} is closed and {who} does not open it"),
            (Reason::TooWide, _) => format!("the body of {who} does not fit through"),
            (Reason::Limit, _) => "the search, or the number of walks, was beyond a limit".to_owned(),
            (Reason::Forced, _) if left_m >= 0.05 => {
                format!(
                    "{who} could not walk there and was put {left_m:.1} m from the goal, as near as there is room"
                )
            }
            (Reason::Forced, _) => format!("{who} could not walk there and was put on the goal"),
            (Reason::Timeout, _) => format!("{who} had {left_m:.1} m to go when the time was over"),
            (reason, Some(by)) => format!("{who} ended {} by {by}", reason.name()),
            (reason, None) => format!("{who} ended {}, {left_m:.1} m from the goal", reason.name()),
        }
    }

    /// Why a walk could not begin where its character stands.
    fn why_off(&self, journey: &Journey, who: &str) -> String {
        let place: Vec3 = journey.position.into();
        let layer = self.characters.get(journey.character).map_or(0, |who| who.layer);
        let thin = Traversal { layer, ..Traversal::default() };
        match self.map.nav.nearest(place, Settings::SNAP_M, &thin) {
            Some(ground) => {
                let away_m = flat_distance(place, ground.point);
                format!(
                    "{who} stands on no ground that it may walk on; the nearest, {away_m:.1} m away, cannot be stepped on from there"
                )
            }
            None => format!("{who} stands farther than {} m from walkable ground", Settings::SNAP_M),
        }
    }

    /// Why no way led to the goal of a walk that has ended.
    fn why_not(&self, journey: &Journey) -> String {
        let by = self.characters.get(journey.character).map(standing_on).unwrap_or_default();
        self.why_not_there(journey.position.into(), journey.goal.into(), &by)
    }

    /// The reason and the blocker behind what the map said.
    #[must_use]
    pub fn reason_of(&self, trouble: PathFailure) -> (Reason, Option<Blocker>) {
        self.map.reason_of(trouble)
    }
}
