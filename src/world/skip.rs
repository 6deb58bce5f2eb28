//! What goes on while a scene is skipped: its own walks, doors, turns and animations, and nothing else.
//!
//! In: whose scene it is, what its tasks wait for. Out: whether there is anything to do. Holds: nobody else moves meanwhile.
//! Not here: the passing of the time (`sim::skip`), whose turn it is (`script::skipping`).

use crate::base::ids::{CharacterId, PathToken, WalkId};
use crate::world::World;
use crate::world::character::Character;
use crate::world::door::DoorWish;
use crate::world::walk::{Owner, Walk};

/// A stretch of a scene to pass over in no time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rush {
    /// The scene: its walks and its wishes about doors go on.
    pub owner: Owner,
    /// Whom it holds: they turn and play on.
    pub characters: Vec<CharacterId>,
    /// Walks of others that its tasks wait for.
    pub walks: Vec<WalkId>,
    /// Numbers of wishes about doors that its tasks wait for.
    pub door_moves: Vec<u64>,
    /// Paths that its tasks wait for.
    pub paths: Vec<PathToken>,
    /// Numbers of turns that its tasks wait for.
    pub turns: Vec<u64>,
    /// Numbers of animations that its tasks wait for.
    pub plays: Vec<u64>,
    /// Ticks until the next of its waits is over; none when no wait ends by time.
    pub ticks: Option<u64>,
}

impl Rush {
    /// Its open walks, in order of creation.
    #[must_use]
    pub fn open_walks(&self, world: &World) -> Vec<WalkId> {
        let is_its = |id: WalkId, walk: &Walk| walk.owner == self.owner || self.walks.contains(&id);
        let mut open = world.open_walks();
        open.retain(|&id| world.walks.get(id).is_some_and(|walk| is_its(id, walk)));
        open
    }

    /// Those it moves, turns or lets play: held, waited for, or walking for it.
    #[must_use]
    pub fn bodies(&self, world: &World, walks: &[WalkId]) -> Vec<CharacterId> {
        let walking = walks.iter().filter_map(|&walk| world.walks.get(walk)).map(|walk| walk.character);
        let waited = world.characters.iter().filter(|(_, character)| self.is_awaited(character));
        let waited = waited.map(|(id, _)| id);
        let mut bodies: Vec<CharacterId> =
            self.characters.iter().copied().chain(walking).chain(waited).collect();
        bodies.retain(|&id| world.characters.alive(id).is_some());
        bodies.sort_by_key(|&id| world.characters.get(id).map_or(0, |character| character.serial));
        bodies.dedup();
        bodies
    }

    fn is_awaited(&self, character: &Character) -> bool {
        let turns = character.turn.is_some_and(|turn| self.turns.contains(&turn.serial));
        turns || character.play.as_ref().is_some_and(|play| self.plays.contains(&play.serial))
    }

    /// Whether a wish about a door is of the scene's making, or waited for by it.
    #[must_use]
    pub fn wants(&self, wish: &DoorWish) -> bool {
        wish.owner == self.owner || wish.serials.iter().any(|serial| self.door_moves.contains(serial))
    }

    /// Whether time alone changes this character: it turns, or plays something that ends.
    #[must_use]
    pub fn is_busy(character: &Character) -> bool {
        character.turn.is_some() || character.play.as_ref().is_some_and(|play| play.until.is_some())
    }

    /// Whether nothing of the scene goes on by itself: it waits for somebody else.
    #[must_use]
    pub fn is_idle(&self, world: &World) -> bool {
        let has_wish =
            || world.doors.iter().any(|door| door.wish.as_ref().is_some_and(|wish| self.wants(wish)));
        let is_busy = || {
            let bodies = self.bodies(world, &[]);
            bodies.iter().any(|&id| world.characters.get(id).is_some_and(Self::is_busy))
        };
        self.ticks.is_none()
            && self.paths.is_empty()
            && self.open_walks(world).is_empty()
            && !has_wish()
            && !is_busy()
    }
}
