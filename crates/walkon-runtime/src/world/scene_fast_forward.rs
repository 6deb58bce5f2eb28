//! The world while a scene is skipped: its own walks, doors, turns and animations go on, and nothing else.
//!
//! In: the owner of the scene, what its tasks wait for. Out: whether there is anything to do. Holds: nobody
//! else moves meanwhile. Also here: the cast, the characters that take part in the steps of the crowd
//! meanwhile. A character that walks for another owner stands still. A standing character takes part as
//! usual: it is avoided, pushed, asked to step aside. Not here: the passing of the time
//! (`sim::scene_fast_forward`), the order in which its waits end (`script::step::skipping`).

use crate::base::ids::{CharacterId, PathToken, WalkId};
use crate::base::ordered;
use crate::world::character::{Character, Characters};
use crate::world::door::{Door, DoorRequest};
use crate::world::owner::Owner;
use crate::world::walk::Walk;
use crate::world::walks::Walks;

/// The characters that take part in the crowd's steps while a scene is skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cast {
    /// Those of the scene, sorted: they turn and play on.
    bodies: Vec<CharacterId>,
    /// Characters that may move, sorted: the scene's, and those that stand near them.
    free: Vec<CharacterId>,
    /// Characters that are looked at, in order of creation; none when all are.
    near: Option<Vec<CharacterId>>,
}

impl Cast {
    /// How far from a character of the scene others are looked at in a level of many people, metres.
    /// Neighbours are avoided at 3.5; the rest is what people walk between two looks.
    const NEAR_M: f32 = 12.0;
    /// Up to so many people every character is looked at, wherever they are: a step is then the one it would
    /// have been, to the bit. Among more a jam may be solved another way, because turns go by a character's
    /// number among those that are looked at.
    const EVERYBODY_MAX: usize = 256;

    /// The characters that take part now.
    #[must_use]
    pub fn of(characters: &Characters, walks: &Walks, forward: &FastForward) -> Self {
        let own = forward.open_walks(walks);
        let mut bodies = forward.bodies(characters, walks, &own);
        bodies.sort_unstable();
        let places: Vec<_> = bodies.iter().filter_map(|&id| characters.get(id)).collect();
        let is_near = |character: &Character| {
            let near_m_sq = Self::NEAR_M * Self::NEAR_M;
            let from = character.body.position;
            places.iter().any(|other| other.body.position.distance_squared(from) <= near_m_sq)
        };
        let is_free = |id: CharacterId, character: &Character| {
            let walks_for_others = character.walk.is_some_and(|walk| !own.contains(&walk));
            let is_under_way = walks_for_others && character.is_moving && character.nudge.is_none();
            bodies.binary_search(&id).is_ok() || !is_under_way
        };
        let many = characters.ids().len() > Self::EVERYBODY_MAX;
        let around = characters.iter().filter(|(_, character)| !many || is_near(character));
        let mut near = Vec::new();
        let mut free = Vec::new();
        for (id, character) in around {
            near.push(id);
            free.extend(is_free(id, character).then_some(id));
        }
        free.sort_unstable();
        Self { bodies, free, near: many.then_some(near) }
    }

    /// Whether it is of the scene.
    #[must_use]
    pub fn is_of_scene(&self, id: CharacterId) -> bool {
        self.bodies.binary_search(&id).is_ok()
    }

    /// Whether it may move.
    #[must_use]
    pub fn is_free(&self, id: CharacterId) -> bool {
        self.free.binary_search(&id).is_ok()
    }

    /// The characters that may move.
    #[must_use]
    pub fn free(&self) -> &[CharacterId] {
        &self.free
    }

    /// The characters that a step looks at, in order of creation: all without a cast.
    #[must_use]
    pub fn looked_at<'a>(cast: Option<&'a Self>, characters: &'a Characters) -> &'a [CharacterId] {
        cast.and_then(|cast| cast.near.as_deref()).unwrap_or(characters.ids())
    }
}

/// The predicates that a scene asks meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PredicateQuestions {
    /// Ticks until the next of them is asked, at least one.
    pub next_ticks: u64,
    /// The most ticks between two questions of one: when nothing has changed for so long, all have answered
    /// what they will answer until something does.
    pub longest_ticks: u64,
}

impl PredicateQuestions {
    /// These and others.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            next_ticks: self.next_ticks.min(other.next_ticks),
            longest_ticks: self.longest_ticks.max(other.longest_ticks),
        }
    }
}

/// How far a scene has come in the tick under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkipProgress {
    /// Ticks that have passed for it.
    pub ticks: u64,
    /// The last of them in which nobody moved and no code ran but predicates that said what they had said
    /// before.
    pub quiet_ticks: u64,
}

/// How much of a scene's time has passed in a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Ticks of the scene.
    pub ticks: u64,
    /// Whether the last of them has only begun: as in any tick, scripts come before doors and bodies.
    pub has_begun: bool,
    /// Whether nobody moved meanwhile, nor is about to.
    pub is_quiet: bool,
}

/// A stretch of a scene to pass over at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FastForward {
    /// The scene that is skipped, then those inside it: their walks and their requests about doors go on.
    pub owners: Vec<Owner>,
    /// The characters that they hold: they turn and play on.
    pub characters: Vec<CharacterId>,
    /// Walks of others that its tasks wait for.
    pub walks: Vec<WalkId>,
    /// Numbers of requests about doors that its tasks wait for.
    pub door_moves: Vec<u64>,
    /// Paths that its tasks wait for.
    pub paths: Vec<PathToken>,
    /// Numbers of turns that its tasks wait for.
    pub turns: Vec<u64>,
    /// Numbers of animations that its tasks wait for.
    pub plays: Vec<u64>,
    /// Ticks until the next of its waits is over; none when no wait ends by time.
    pub ticks: Option<u64>,
    /// The predicates that are asked meanwhile; none when there are none.
    pub questions: Option<PredicateQuestions>,
}

impl FastForward {
    /// The scene that is skipped.
    #[must_use]
    pub fn root(&self) -> Owner {
        self.owners.first().copied().unwrap_or_default()
    }

    /// Ticks until it has to stop, as far as that is known: where nothing has changed for long enough, no
    /// predicate is asked.
    #[must_use]
    pub fn ticks_to_stop(&self, quiet_ticks: u64) -> Option<u64> {
        let asked = self.questions.filter(|questions| quiet_ticks < questions.longest_ticks);
        let next = asked.map(|questions| questions.next_ticks);
        self.ticks.into_iter().chain(next).min()
    }

    /// Whether it asks the rest of the predicates of a tick that began before, and lets no time pass.
    #[must_use]
    pub fn asks_on(&self) -> bool {
        self.ticks == Some(0) && self.questions.is_some()
    }

    /// Its open walks, in order of creation.
    #[must_use]
    pub fn open_walks(&self, walks: &Walks) -> Vec<WalkId> {
        let is_its = |id: WalkId, walk: &Walk| self.owners.contains(&walk.owner) || self.walks.contains(&id);
        let mut open = walks.open_ids();
        open.retain(|&id| walks.get(id).is_some_and(|walk| is_its(id, walk)));
        open
    }

    /// Those it moves, turns or lets play: held, waited for, or walking for it.
    #[must_use]
    pub fn bodies(&self, characters: &Characters, walks: &Walks, own: &[WalkId]) -> Vec<CharacterId> {
        let walking = own.iter().filter_map(|&walk| walks.get(walk)).map(|walk| walk.character);
        let waited = characters.iter().filter(|(_, character)| self.is_awaited(character));
        let waited = waited.map(|(id, _)| id);
        let mut bodies: Vec<CharacterId> =
            self.characters.iter().copied().chain(walking).chain(waited).collect();
        bodies.retain(|&id| characters.alive(id).is_some());
        ordered::sort_by_key(&mut bodies, |&id| characters.get(id).map_or(0, |character| character.serial));
        bodies.dedup();
        bodies
    }

    fn is_awaited(&self, character: &Character) -> bool {
        let turns = character.turn.is_some_and(|turn| self.turns.contains(&turn.serial));
        turns || character.play.as_ref().is_some_and(|play| self.plays.contains(&play.serial))
    }

    /// Whether a request about a door is of the scene's making, or waited for by it.
    #[must_use]
    pub fn wants(&self, request: &DoorRequest) -> bool {
        self.owners.contains(&request.owner)
            || request.serials.iter().any(|serial| self.door_moves.contains(serial))
    }

    /// Whether time alone changes this character: it turns, or plays something that ends.
    #[must_use]
    pub fn is_busy(character: &Character) -> bool {
        character.turn.is_some() || character.play.as_ref().is_some_and(|play| play.until.is_some())
    }

    /// Whether nothing of the scene goes on by itself: it waits for something outside the scene.
    #[must_use]
    pub fn is_idle(&self, doors: &[Door], characters: &Characters, walks: &Walks) -> bool {
        let has_request =
            || doors.iter().any(|door| door.request.as_ref().is_some_and(|request| self.wants(request)));
        let is_busy = || {
            let bodies = self.bodies(characters, walks, &[]);
            bodies.iter().any(|&id| characters.get(id).is_some_and(Self::is_busy))
        };
        self.ticks.is_none()
            && self.paths.is_empty()
            && self.open_walks(walks).is_empty()
            && !has_request()
            && !is_busy()
    }
}
