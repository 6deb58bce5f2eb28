//! The parts of the world that wayfinding steps read and write: edits of the map, path requests and arrivals
//! (5, 6, 10).
//!
//! Not here: regions and watches, bodies between two ticks, the step of the crowd under way, which these
//! steps never touch.

use std::cell::OnceCell;

use glam::{Vec2, Vec3};

use crate::base::ids::{CharacterId, WalkId};
use crate::base::prefetch;
use crate::base::spatial_hash::{Lookup, SpatialHash};
use crate::base::threads::Threads;
use crate::crowd::steer::flat;
use crate::nav::Traversal;
use crate::world::World;
use crate::world::asker;
use crate::world::bystander_index::{BystanderIndex, People};
use crate::world::bystanders::{Bystanders, Straight};
use crate::world::character::{Character, Characters};
use crate::world::clock::Clock;
use crate::world::event::EventQueue;
use crate::world::interpolation::Interpolation;
use crate::world::leaders::Leaders;
use crate::world::map::LevelMap;
use crate::world::ops::walks::WalkEnds;
use crate::world::outcome::{Reason, Status};
use crate::world::paths::PathWork;
use crate::world::scene_fast_forward::Cast;
use crate::world::scratch::{PathCounts, Scratch};
use crate::world::settings::Settings;
use crate::world::walk::Walk;
use crate::world::walks::{Walks, by_creation};

/// Walks, and what they find their way by.
#[derive(Debug)]
pub(crate) struct Wayfinding<'a> {
    pub(crate) clock: &'a Clock,
    pub(crate) settings: &'a Settings,
    pub(crate) map: &'a mut LevelMap,
    pub(crate) characters: &'a mut Characters,
    pub(crate) walks: &'a mut Walks,
    pub(crate) paths: &'a mut PathWork,
    pub(crate) events: &'a mut EventQueue,
    pub(crate) bystanders: &'a mut BystanderIndex,
    pub(crate) leaders: &'a mut Leaders,
    pub(crate) counts: &'a mut PathCounts,
    /// Who takes part in the step; none when everybody does.
    pub(crate) cast: Option<&'a Cast>,
    /// The threads that look through the walks: the same outcome for any number of them.
    pub(crate) threads: Threads,
    /// Once somebody asks for it. No step moves a body by more than [`Everyone::MOVED_MAX_M`].
    pub(crate) everyone: OnceCell<Everyone>,
    /// What drawing places for those that wander took in this tick so far, in expansions.
    pub(crate) drawn: u64,
}

/// All characters by place, as a step finds them.
#[derive(Debug, Default)]
pub(crate) struct Everyone {
    near: SpatialHash,
    /// By number of the point, in order of creation.
    who: Vec<CharacterId>,
    widest_m: f32,
}

impl Everyone {
    /// A walker that has all but come to its goal is put onto it.
    pub(crate) const MOVED_MAX_M: f32 = 0.01;

    /// Cost: a pass over all.
    pub(crate) fn of(characters: &Characters) -> Self {
        /// A few people in a line.
        const CELL_M: f32 = 4.0;
        let mut new = Self { who: characters.ids().to_vec(), ..Self::default() };
        let bodies = || new.who.iter().filter_map(|&id| Some(&characters.get(id)?.body));
        let places: Vec<Vec2> = bodies().map(|body| flat(body.position)).collect();
        new.widest_m = bodies().map(|body| body.radius_m).fold(0.0, f32::max);
        new.near.build(&places, CELL_M);
        new
    }

    /// The characters whose bodies may come within a distance of a place, in order of creation.
    pub(crate) fn near(&self, place: Vec3, reach_m: f32) -> impl Iterator<Item = CharacterId> + '_ {
        let reach_m = reach_m + self.widest_m + 2.0 * Self::MOVED_MAX_M;
        let mut found = Vec::new();
        self.near.visit(flat(place), reach_m, Lookup::ALL, |at, _| found.push(at));
        found.sort_unstable();
        found.into_iter().filter_map(|at| self.who.get(at as usize).copied())
    }
}

impl<'a> Wayfinding<'a> {
    /// Those parts of the world.
    pub(crate) fn of(world: &'a mut World) -> Self {
        Self::with_interpolations(world).0
    }

    /// Those parts of the world, and the bodies between two steps of the crowd.
    pub(crate) fn with_interpolations(world: &'a mut World) -> (Self, &'a mut Vec<Interpolation>) {
        let World { clock, settings, map, characters, interpolations, walks, paths, events, scratch, .. } =
            world;
        let Scratch { bystanders, leaders, path_counts: counts, step, .. } = scratch;
        let (threads, cast) = (step.threads, step.cast.as_ref());
        let parts = Self {
            clock,
            settings,
            map,
            characters,
            walks,
            paths,
            events,
            bystanders,
            leaders,
            counts,
            cast,
            threads,
            everyone: OnceCell::new(),
            drawn: 0,
        };
        (parts, interpolations)
    }

    /// What `look` finds of the walks, in order of creation. It may look at a walk and its character, and at
    /// nothing that another walk changes.
    pub(crate) fn look_through<R: Clone + Send>(
        &self,
        look: impl Fn(WalkId, &Walk, &Character) -> Option<R> + Sync,
    ) -> Vec<R> {
        let (walks, characters) = (&*self.walks, &*self.characters);
        let fetch = |ids: &[WalkId], at: usize| {
            ids.get(at + prefetch::AHEAD).into_iter().for_each(|&id| walks.fetch(id));
        };
        let found = self.threads.filter_map_ahead(&walks.ids_by_place(), fetch, |&id| {
            let walk = walks.get(id)?;
            Some((walk.serial, look(id, walk, characters.get(walk.character)?)?))
        });
        by_creation(&found, |&(serial, _)| serial).into_iter().map(|(_, found)| found).collect()
    }

    /// Forgets where characters stand and which they follow: both have changed.
    pub(crate) fn forget_others(&mut self) {
        self.bystanders.forget();
        self.leaders.forget();
    }

    /// All characters with their walks.
    pub(crate) fn people(&self) -> People<'_> {
        let Self { settings, characters, walks, leaders, .. } = self;
        People { characters, walks, crowd: &settings.crowd, leaders }
    }

    /// The characters that stand beside the straight way of a walker, which is the first of those left out;
    /// None when there are none.
    pub(crate) fn beside(&mut self, line: Straight<'_>) -> Option<Bystanders> {
        let Self { settings, characters, walks, leaders, bystanders, .. } = self;
        bystanders.beside_way(People { characters, walks, crowd: &settings.crowd, leaders }, line)
    }

    /// The traversal of a walk, as the doors stand now.
    pub(crate) fn traversal_of(&self, walk: &Walk) -> Traversal {
        asker::traversal_of(self.map, self.characters, self.clock.rate, walk)
    }

    /// A walk and its character.
    #[inline]
    pub(crate) fn walker(&self, id: WalkId) -> Option<(&Walk, &Character)> {
        let walk = self.walks.get(id)?;
        Some((walk, self.characters.get(walk.character)?))
    }

    /// A walk and its character, to be changed.
    pub(crate) fn walker_mut(&mut self, id: WalkId) -> Option<(&mut Walk, &mut Character)> {
        let walk = self.walks.get_mut(id)?;
        let character = self.characters.get_mut(walk.character)?;
        Some((walk, character))
    }

    /// Ends a walk, once; see [`WalkEnds::settle`].
    pub(crate) fn settle(&mut self, id: WalkId, status: Status, reason: Reason) -> bool {
        self.walk_ends().settle(id, status, reason)
    }

    /// Ends a walk in the way the world decided; see [`WalkEnds::conclude`].
    pub(crate) fn conclude(&mut self, id: WalkId, status: Status, reason: Reason) -> bool {
        self.walk_ends().conclude(id, status, reason)
    }

    fn walk_ends(&mut self) -> WalkEnds<'_> {
        let Self { map, walks, characters, paths, events, clock, .. } = self;
        WalkEnds { nav: &map.nav, walks, characters, paths, events, clock }
    }
}
