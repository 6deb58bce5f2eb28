//! The state of a running level, and the only legal ways to change it.
//!
//! In: verbs (`ops`), the steps of the tick (`sim`). Out: questions (`query`), facts (`event`), a hash.
//! Holds: every walk settles exactly once; a name belongs to one living character; what is removed is
//! skipped by questions and freed in step 13. Not here: Lua values, paths on disk, clocks, systems.

pub mod area;
pub mod block;
pub mod bystanders;
pub mod character;
pub mod crowd_columns;
pub mod cue;
pub mod door;
pub mod event;
#[cfg(test)]
pub(crate) mod fixture;
pub mod interpolation;
pub mod ops;
pub mod outcome;
pub mod place;
pub mod props;
pub mod query;
pub mod region;
pub mod scene_fast_forward;
pub mod settings;
pub mod state_hash;
pub mod tiles;
mod unreached;
pub mod walk;
pub mod walk_mode;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use slotmap::{SecondaryMap, SlotMap};

use crate::base::ids::{AreaId, CharacterId, PathToken, WalkId};
use crate::base::time::{Tick, TickRate};
use crate::crowd::follow::{Gait, Stride};
use crate::nav::{AreaEdit, GraphEdit, NavMap, PathRequests, Search, TileEdit};
use crate::world::area::Area;
use crate::world::block::Block;
use crate::world::bystanders::{BystanderIndex, Bystanders};
use crate::world::character::Characters;
use crate::world::crowd_columns::CrowdColumns;
use crate::world::door::Door;
use crate::world::event::EventQueue;
use crate::world::interpolation::Interpolation;
use crate::world::place::Mark;
use crate::world::props::Props;
use crate::world::region::{Region, Watch, WatchId};
use crate::world::scene_fast_forward::Cast;
use crate::world::settings::Settings;
use crate::world::tiles::{TileSpot, Tiles};
use crate::world::walk::{Owner, Walk};

/// How many walks came to which end, over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WalkCounts {
    /// Walks asked for and accepted; the sum of the others once the level has ended.
    pub accepted: u64,
    /// Settled as arrived.
    pub arrived: u64,
    /// Settled as partial.
    pub partial: u64,
    /// Settled as blocked.
    pub blocked: u64,
    /// Settled as cancelled.
    pub cancelled: u64,
}

/// What path searching cost, over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathCounts {
    /// Requests made.
    pub requests: u64,
    /// Nodes expanded.
    pub expansions: u64,
    /// Most nodes expanded in one tick.
    pub max_per_tick: u64,
    /// Nodes expanded in the tick under way, or the last one between ticks.
    pub in_tick: u64,
    /// Searches begun again because the map changed under them.
    pub restarts: u64,
}

/// Everything that is simulated. A clone is for going back to; it costs a pass over everything.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// The tick under way, or the last one between ticks.
    pub(crate) tick: Tick,
    /// Ticks a second.
    pub(crate) rate: TickRate,
    /// Seed of the run.
    pub(crate) seed: u64,
    /// Name of the level.
    pub(crate) level_name: String,
    /// The navigation map; changed in step 5 only.
    pub(crate) nav: NavMap,
    /// Edits that wait for step 5, the last wish for each area.
    pub(crate) edits: BTreeMap<AreaId, AreaEdit>,
    /// Edits of tiles that wait for step 5.
    pub(crate) tile_edits: BTreeMap<TileSpot, TileEdit>,
    /// Edits of points and links that wait for step 5, in order.
    pub(crate) graph_edits: Vec<GraphEdit>,
    /// Paths being searched.
    pub(crate) requests: PathRequests,
    /// The walk a request belongs to; requests of scripts have none.
    pub(crate) askers: SecondaryMap<PathToken, WalkId>,
    /// Buffers for questions that search at once. Never part of the state.
    pub(crate) scratch: Search,
    /// Where those are who stand in the way of plans: a look-up that is never part of the state, and who has
    /// changed.
    pub(crate) standing: BystanderIndex,
    /// Whom a path that a script asked for was planned around.
    pub(crate) asked_around: SecondaryMap<PathToken, Bystanders>,
    /// Facts.
    pub(crate) events: EventQueue,
    /// Everybody.
    pub(crate) characters: Characters,
    /// Walks that have not been freed.
    pub(crate) walks: SlotMap<WalkId, Walk>,
    /// Those walks in order of creation.
    pub(crate) walk_order: Vec<WalkId>,
    /// Those whose result has been handed out, for step 13: the list of what is told of each walk by
    /// `is_delivered`.
    pub(crate) delivered: Vec<WalkId>,
    /// Areas, then obstacles, in level order.
    pub(crate) areas: Vec<Area>,
    /// Blocks that scripts made, in order of creation.
    pub(crate) blocks: Vec<Block>,
    /// Doors in level order.
    pub(crate) doors: Vec<Door>,
    /// Regions in level order.
    pub(crate) regions: Vec<Region>,
    /// Watches.
    pub(crate) watches: SlotMap<WatchId, Watch>,
    /// Marks by name.
    pub(crate) marks: BTreeMap<String, Mark>,
    /// Names of those marks that scripts made.
    pub(crate) made_marks: BTreeSet<String>,
    /// Routes by name.
    pub(crate) routes: BTreeMap<String, Vec<Mark>>,
    /// What the level says of its things to scripts. Never part of the state.
    pub(crate) props: Props,
    /// Crowd constants and limits.
    pub(crate) settings: Settings,
    /// Numbers given out, each from 1.
    pub(crate) serials: Serials,
    /// Where everybody under way goes in this step: from step 7 to step 9. Never part of the state.
    pub(crate) moves: Vec<Move>,
    /// Who is on its way to where the crowd's step under way leads it; nobody where a step is one tick.
    pub(crate) glides: Vec<Interpolation>,
    /// Columns over everybody, for steps 8 and 9. Never part of the state.
    pub(crate) bodies: CrowdColumns,
    /// What the tiles are made of, where the map is one of tiles.
    pub(crate) tiles: Option<Arc<Tiles>>,
    /// Whether the map is a precomputed grid, whose areas cannot be toggled.
    pub(crate) is_precomputed: bool,
    /// Whether the steps under way are those of a skipped scene. False between steps, so never part of the
    /// state.
    pub(crate) is_skipping: bool,
    /// Ticks of the scene that is skipped which have passed in this one before: so far on are the steps of
    /// those in it. Zero between steps.
    pub(crate) rushed_ticks: u64,
    /// Who takes part in the steps under way, when they are those of a skipped scene; everybody else stands
    /// still. None between steps.
    pub(crate) cast: Option<Cast>,
    /// Walks asked for in this tick, by owner; for the limit.
    pub(crate) walks_this_tick: BTreeMap<Owner, u32>,
    /// Ends of walks.
    pub(crate) walk_counts: WalkCounts,
    /// Cost of searching.
    pub(crate) path_counts: PathCounts,
}

/// What step 7 asks of steps 8 and 9.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// The walk to go on with; none for somebody who steps aside.
    pub walk: Option<WalkId>,
    /// Who.
    pub character: CharacterId,
    /// How it goes.
    pub gait: Gait,
    /// Where it comes to if nobody is in the way.
    pub stride: Stride,
    /// Metres of its way that are left as the step begins.
    pub left_m: f32,
    /// Ticks since it last got on along its way.
    pub held_ticks: u64,
    /// Metres that its own step came to.
    pub stepped_m: f32,
    /// Whether it passes through others.
    pub is_ghost: bool,
    /// Whether the map did not let it, although nobody was in the way.
    pub is_clipped: bool,
    /// Whether it had been told to turn.
    pub was_turning: bool,
}

impl Move {
    /// Of somebody who goes like that, where to is yet to be worked out.
    pub(crate) fn of(character: CharacterId, gait: Gait) -> Self {
        let (is_ghost, is_clipped, was_turning) = (false, false, false);
        let (left_m, held_ticks, stepped_m) = (0.0, 0, 0.0);
        Self {
            walk: None,
            character,
            gait,
            stride: Stride::NONE,
            left_m,
            held_ticks,
            stepped_m,
            is_ghost,
            is_clipped,
            was_turning,
        }
    }
}

/// The last numbers given out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Serials {
    /// Of walks.
    pub walk: u64,
    /// Of turns.
    pub turn: u64,
    /// Of animations.
    pub play: u64,
    /// Of wishes about doors.
    pub door_move: u64,
    /// Of watches.
    pub watch: u64,
    /// Of blocks.
    pub block: u64,
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
    /// What the tiles are made of, where the map is one of tiles.
    pub tiles: Option<Tiles>,
    /// Whether the map is a precomputed grid, whose areas cannot be toggled.
    pub is_precomputed: bool,
}

impl World {
    /// A world at tick 0 with nobody in it.
    #[must_use]
    pub fn new(parts: WorldParts) -> Self {
        let mut world = Self {
            level_name: parts.level_name,
            seed: parts.seed,
            rate: parts.rate,
            nav: parts.nav,
            areas: parts.areas,
            doors: parts.doors,
            regions: parts.regions,
            marks: parts.marks,
            routes: parts.routes,
            props: parts.props,
            settings: parts.settings,
            tiles: parts.tiles.map(Arc::new),
            is_precomputed: parts.is_precomputed,
            ..Self::default()
        };
        world.make_room();
        world
    }

    /// Sets aside the memory that searches over the map need.
    pub(crate) fn make_room(&mut self) {
        self.requests.make_room(&self.nav);
        self.nav.make_room(&mut self.scratch);
    }

    /// Whether a step of the crowd begins in the tick under way.
    pub(crate) fn begins_step(&self) -> bool {
        self.rate.begins_step(self.tick.after(self.rushed_ticks))
    }

    /// Whether a step of the crowd lands in the tick under way.
    pub(crate) fn lands_step(&self) -> bool {
        self.landing() == self.tick
    }

    /// The tick in which the crowd's step under way lands. What people do in it counts as done then, whenever
    /// it is worked out, so that times between steps are the same at every rate.
    pub(crate) fn landing(&self) -> Tick {
        let now = self.tick.after(self.rushed_ticks);
        self.tick.after(self.rate.landing(now).since(now))
    }

    /// The walks asked for since the last tick began, in order of creation: what is plain from the start does
    /// not wait for a step.
    pub(crate) fn fresh_walks(&self) -> Vec<WalkId> {
        let is_old = |&id: &WalkId| {
            self.walks.get(id).is_some_and(|walk| walk.issued.after(1) < walk.clock(self.tick))
        };
        let first = self.walk_order.iter().rposition(is_old).map_or(0, |old| old + 1);
        self.walk_order[first..].to_vec()
    }

    /// The result of a walk has been handed out.
    pub(crate) fn deliver(&mut self, id: WalkId) {
        if let Some(walk) = self.walks.get_mut(id).filter(|walk| !walk.is_delivered) {
            walk.is_delivered = true;
            self.delivered.push(id);
        }
    }

    /// Frees the walks that have settled and whose result has been handed out; in order of creation. Cost: a
    /// look at the ids of the others, at none of the others themselves.
    pub(crate) fn free_walks(&mut self) -> Vec<WalkId> {
        let is_open = |id: WalkId| self.walks.get(id).is_some_and(Walk::is_open);
        let (open, mut over): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.delivered).into_iter().partition(|&id| is_open(id));
        self.delivered = open;
        if over.is_empty() {
            return over;
        }
        over.sort_unstable_by_key(|&id| self.walks.get(id).map(|walk| walk.serial));
        for &id in &over {
            self.walks.remove(id);
        }
        // Both are in order of creation.
        let mut freed = over.iter().peekable();
        self.walk_order.retain(|id| freed.next_if_eq(&id).is_none());
        over
    }

    /// Id and walk of everybody under way, in order of creation.
    pub(crate) fn open_walks(&self) -> Vec<WalkId> {
        self.walk_order.iter().copied().filter(|&id| self.walks.get(id).is_some_and(Walk::is_open)).collect()
    }

    /// Name of a character, also of one that is gone; for messages.
    #[must_use]
    pub fn name_of(&self, id: CharacterId) -> &str {
        match (self.characters.get(id), self.characters.gone(id)) {
            (Some(character), _) => &character.name,
            (None, Some(gone)) => &gone.name,
            (None, None) => "unknown",
        }
    }
}
