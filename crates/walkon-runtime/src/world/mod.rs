//! The state of a running level, and the only legal ways to change it.
//!
//! In: verbs (`ops`), the steps of the tick (`sim`). Out: questions (`query`), facts (`event`), a hash.
//! Holds: every walk settles exactly once; a name belongs to one living character; questions skip removed
//! things, and step 13 frees them. Not here: Lua values, paths on disk, clocks, systems.

pub mod area;
mod arena;
pub mod asker;
pub mod block;
pub mod bystander_index;
pub mod bystanders;
pub mod character;
pub mod clock;
pub mod crowd_columns;
pub mod crowd_step;
pub mod cue;
pub mod day;
mod disjoint;
pub mod door;
pub mod event;
pub mod event_name;
#[cfg(test)]
pub(crate) mod fixture;
pub mod goal;
pub mod interpolation;
pub(crate) mod leaders;
pub mod level_info;
pub mod map;
pub mod ops;
pub mod outcome;
pub mod owner;
pub mod paths;
pub mod place;
pub mod props;
pub mod query;
pub mod region;
pub mod scene_fast_forward;
pub mod scratch;
pub mod sense;
pub mod settings;
pub(crate) mod shortlist;
pub mod sight;
pub mod snapshot;
pub mod state_hash;
pub mod tiles;
mod unreached;
pub mod walk;
pub mod walk_mode;
pub mod walk_path;
pub mod walks;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::ids::CharacterId;
use crate::base::threads::Threads;
use crate::base::time::TickRate;
use crate::nav::{NavMap, Traversal};
use crate::world::area::Area;
use crate::world::character::{Characters, Gait};
use crate::world::clock::Clock;
use crate::world::day::DayTime;
use crate::world::door::Door;
use crate::world::event::EventQueue;
use crate::world::interpolation::Interpolation;
use crate::world::level_info::LevelInfo;
use crate::world::map::LevelMap;
use crate::world::paths::PathWork;
use crate::world::place::{Mark, Places};
use crate::world::props::Props;
use crate::world::region::{Region, Triggers};
use crate::world::scratch::Scratch;
use crate::world::sense::Senses;
use crate::world::settings::Settings;
use crate::world::tiles::Tiles;
use crate::world::walks::Walks;

/// Everything that is simulated. A clone is for going back to; it costs a pass over everything.
///
/// All parts but the last are the state: the hash covers them, and a save game holds them.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// The time.
    pub(crate) clock: Clock,
    /// The time of day, where the level has one.
    pub(crate) day: Option<DayTime>,
    /// What the level settles once and for all.
    pub(crate) level: LevelInfo,
    /// Crowd constants and limits.
    pub(crate) settings: Settings,
    /// Where one can walk, doors, and edits that wait.
    pub(crate) map: LevelMap,
    /// Marks and routes.
    pub(crate) places: Places,
    /// Every character.
    pub(crate) characters: Characters,
    /// Characters on their way to where the crowd's step under way leads them; empty where a step is one
    /// tick.
    pub(crate) interpolations: Vec<Interpolation>,
    /// Walks that have not been freed.
    pub(crate) walks: Walks,
    /// Searches under way.
    pub(crate) paths: PathWork,
    /// Regions and watches, with the characters inside.
    pub(crate) triggers: Triggers,
    /// Watches of characters for others, what was seen last, and noises in the air.
    pub(crate) senses: Senses,
    /// Facts.
    pub(crate) events: EventQueue,
    /// What is never part of the state.
    pub(crate) scratch: Scratch,
}

/// What a level gives to a new world; see `level::spawn`.
#[derive(Debug, Default)]
pub struct WorldParts {
    /// Name of the level.
    pub level_name: String,
    /// Seed of the run.
    pub seed: u64,
    /// Ticks a second.
    pub rate: TickRate,
    /// The time of day, where the level has one.
    pub day: Option<DayTime>,
    /// The map, with closed doors' areas unavailable.
    pub nav: NavMap,
    /// Areas, then obstacles, in level order.
    pub areas: Vec<Area>,
    /// Doors in level order.
    pub doors: Vec<Door>,
    /// Regions in level order.
    pub regions: Vec<Region>,
    /// Marks by name.
    pub marks: BTreeMap<String, Mark>,
    /// Routes by name.
    pub routes: BTreeMap<String, Vec<Mark>>,
    /// What the level says of its things to scripts.
    pub props: Props,
    /// Crowd constants and limits.
    pub settings: Settings,
    /// The actions of links by number: a character with a tag of that name can take them.
    pub link_actions: Vec<String>,
    /// What the tiles are made of, where the map is one of tiles.
    pub tiles: Option<Tiles>,
    /// Whether the map is a precomputed grid, whose areas cannot be toggled.
    pub is_precomputed: bool,
}

impl World {
    /// A world at tick 0 with nobody in it.
    #[must_use]
    pub fn new(parts: WorldParts) -> Self {
        let map = LevelMap {
            nav: parts.nav,
            areas: parts.areas,
            doors: parts.doors,
            tiles: parts.tiles.map(Arc::new),
            link_actions: parts.link_actions.into(),
            is_precomputed: parts.is_precomputed,
            ..LevelMap::default()
        };
        let mut world = Self {
            clock: Clock { rate: parts.rate, ..Clock::default() },
            day: parts.day,
            level: LevelInfo { name: parts.level_name, seed: parts.seed, props: parts.props },
            settings: parts.settings,
            map,
            places: Places { marks: parts.marks, routes: parts.routes, ..Places::default() },
            triggers: Triggers { regions: parts.regions, ..Triggers::default() },
            ..Self::default()
        };
        world.make_room();
        world
    }

    /// Makes what the first questions to the map would wait for: what bodies without width and those of the
    /// default width need, and the memory of searches.
    pub(crate) fn make_room(&mut self) {
        for radius_m in [0.0, Gait::RADIUS_M] {
            self.map.nav.prepare(&Traversal { radius_m, ..Traversal::default() });
        }
        self.paths.requests.make_room(&self.map.nav);
        self.map.nav.make_room(&mut self.scratch.search);
    }

    /// On how many threads the crowd is worked out.
    pub(crate) fn threads(&self) -> Threads {
        self.scratch.step.threads
    }

    /// On how many threads the crowd is worked out.
    pub(crate) fn set_threads(&mut self, threads: Threads) {
        self.scratch.step.threads = threads;
        self.scratch.bystanders.threads = threads;
    }

    /// Name of a character, also of one that is gone; for messages.
    #[must_use]
    pub fn name_of(&self, id: CharacterId) -> &str {
        self.characters.name_of(id)
    }
}
