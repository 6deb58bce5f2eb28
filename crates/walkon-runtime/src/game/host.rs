//! The interface of a running level for the game that embeds it: characters, walks, doors, paths, between
//! ticks.
//!
//! In: names, ids, places as `[x, y, z]` in metres. Out: ids, poses, answers. Holds: a request takes effect
//! in the next tick, and events of that tick report it; an impossible request changes nothing and is an
//! error, as is every request once the level has ended. No verb leaves a line in a trace: a game that is to
//! be replayed gives inputs instead (`inputs`). Not here: the verbs of scripts (`script::bind`); both use the
//! same verbs (`world::ops`), which check their arguments.

use glam::Vec3;

use crate::base::ids::{AreaId, CharacterId, DoorId};
use crate::base::trig;
use crate::game::Game;
use crate::nav::{LayerPoint, PathAnswer};
use crate::world::World;
use crate::world::area::Availability;
use crate::world::character::Character;
use crate::world::goal::Goal;
use crate::world::ops::characters::{self, Spawn};
use crate::world::ops::doors::{self, DoorOrder};
use crate::world::ops::walks::{self, WalkOrder};
use crate::world::ops::{OpError, areas, blocks, checks, door_there, paths};
use crate::world::outcome::Reason;
use crate::world::owner::Owner;
use crate::world::walk::{LookTarget, WalkOptions};

/// Where a character is after a tick, for the engine that draws it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The character.
    pub character: CharacterId,
    /// The point on the ground below its middle, metres.
    pub position: [f32; 3],
    /// Which way it looks, radians about +y: 0 along +z, pi/2 along +x.
    pub facing_rad: f32,
    /// Metres a second.
    pub speed_mps: f32,
}

impl Pose {
    fn of(character: CharacterId, who: &Character) -> Self {
        Self {
            character,
            position: who.body.position.to_array(),
            facing_rad: who.facing_rad,
            speed_mps: who.body.velocity.length(),
        }
    }

    /// The pose between this one and that of the next tick; `part` is how much of the tick has passed, 0 to 1
    /// ([`FixedTimestep::part`](crate::game::fixed_timestep::FixedTimestep::part)).
    ///
    /// ```
    /// use walkon::{CharacterId, Pose};
    ///
    /// let character = CharacterId::default();
    /// let now = Pose { character, position: [0.0; 3], facing_rad: 3.0, speed_mps: 1.0 };
    /// let next = Pose { position: [1.0, 0.0, 2.0], facing_rad: -3.0, ..now };
    /// let half = now.towards(&next, 0.5);
    /// assert_eq!(half.position, [0.5, 0.0, 1.0]);
    /// assert!(half.facing_rad.abs() > 3.0, "the short way round");
    /// ```
    #[must_use]
    pub fn towards(&self, next: &Self, part: f32) -> Self {
        if part >= 1.0 {
            return *next;
        }
        let part = part.max(0.0);
        // Whatever is alike in both stays so to the bit, so that nothing that stands trembles.
        let position = Vec3::from(self.position).lerp_monotonic(next.position.into(), part);
        let turned_rad = trig::wrap(next.facing_rad - self.facing_rad) * part;
        let is_turned = turned_rad != 0.0;
        Self {
            position: position.to_array(),
            facing_rad: if is_turned { trig::wrap(self.facing_rad + turned_rad) } else { self.facing_rad },
            speed_mps: self.speed_mps + part * (next.speed_mps - self.speed_mps),
            ..*self
        }
    }
}

impl From<[f32; 3]> for Goal {
    fn from(point: [f32; 3]) -> Self {
        Self::Point(point.into())
    }
}

impl From<Vec3> for Goal {
    fn from(place: Vec3) -> Self {
        Self::Point(place)
    }
}

impl From<CharacterId> for Goal {
    fn from(character: CharacterId) -> Self {
        Self::Character(character)
    }
}

impl From<DoorId> for Goal {
    fn from(door: DoorId) -> Self {
        Self::Door(door)
    }
}

impl Game {
    /// The living character of that name.
    #[must_use]
    pub fn character(&self, name: &str) -> Option<CharacterId> {
        self.world().find_character(name)
    }

    /// The door of that name.
    #[must_use]
    pub fn door(&self, name: &str) -> Option<DoorId> {
        self.world().find_door(name)
    }

    /// The area or obstacle of that name.
    #[must_use]
    pub fn area(&self, name: &str) -> Option<AreaId> {
        if name.is_empty() { None } else { self.world().find_area(name) }
    }

    /// The place of the mark of that name.
    #[must_use]
    pub fn mark(&self, name: &str) -> Option<[f32; 3]> {
        self.world().mark(name).map(|mark| mark.position.to_array())
    }

    /// What a character is called, also one that was removed.
    #[must_use]
    pub fn name_of(&self, character: CharacterId) -> &str {
        self.world().name_of(character)
    }

    /// The animation state of a character: what a script plays, else `run`, `walk` or `stand`; empty when it
    /// was removed.
    #[must_use]
    pub fn animation(&self, character: CharacterId) -> &str {
        self.living(character).map_or("", Character::animation)
    }

    /// Where a character is; none when it was removed.
    #[must_use]
    pub fn pose(&self, character: CharacterId) -> Option<Pose> {
        self.living(character).map(|who| Pose::of(character, who))
    }

    fn living(&self, character: CharacterId) -> Option<&Character> {
        self.world().character(character).filter(|who| who.is_alive())
    }

    /// The world, to be changed; only while the level goes on.
    fn world_to_change(&mut self) -> Result<&mut World, OpError> {
        if self.has_ended() { Err(OpError::Ended) } else { Ok(self.world_mut()) }
    }

    /// The same, while the door is there.
    fn world_with(&mut self, door: DoorId) -> Result<&mut World, OpError> {
        let world = self.world_to_change()?;
        door_there(world, door)?;
        Ok(world)
    }

    /// Where every character is, in order of creation.
    pub fn poses(&self) -> impl Iterator<Item = Pose> {
        self.world().characters().map(|(character, who)| Pose::of(character, who))
    }

    /// Adds a character; none, and nothing changes, when there is no walkable ground near its place.
    ///
    /// # Errors
    /// A bad or taken name, a bad tag or more than 64, a number out of range, a layer that is none, too many
    /// characters; when the level has ended.
    pub fn add_character(&mut self, spawn: Spawn) -> Result<Option<CharacterId>, OpError> {
        characters::spawn(self.world_to_change()?, spawn)
    }

    /// Removes a character; its walk settles as `despawned`.
    ///
    /// # Errors
    /// When it was removed before, or the level has ended.
    pub fn remove_character(&mut self, character: CharacterId) -> Result<(), OpError> {
        characters::despawn(self.world_to_change()?, character, "the host")
    }

    /// Puts a character on the walkable point nearest to a place and returns it; none, and nothing changes,
    /// when there is none near. For a player that the engine moves by itself, once a tick. A character that a
    /// scene holds is moved as well.
    ///
    /// # Errors
    /// When it was removed, or the level has ended; a place or an angle of which a number is none or out of
    /// range.
    pub fn teleport(
        &mut self,
        character: CharacterId,
        to: impl Into<[f32; 3]>,
        facing_rad: Option<f32>,
    ) -> Result<Option<[f32; 3]>, OpError> {
        let to = Vec3::from(to.into());
        let stands = characters::teleport(self.world_to_change()?, character, to, facing_rad)?;
        Ok(stands.map(|point| point.to_array()))
    }

    /// Sends a character to a point, a character or a door, with the default options, and returns the number
    /// of the walk. It settles exactly once, by
    /// [`Event::WalkSettled`](crate::game::event::Event::WalkSettled).
    ///
    /// Verbs like this one leave no line in a trace. A game that is to be replayed says
    /// [`Input::Walk`](crate::game::inputs::Input::Walk) to [`Game::tick`] in its place. That input is
    /// refused while a scene holds the character; this verb is not, and its walk settles as `superseded`.
    ///
    /// # Errors
    /// When the walker, or the character or door that it is to walk to, was removed; a place of which a
    /// number is none or out of range; when the level has ended.
    pub fn walk_to(&mut self, character: CharacterId, goal: impl Into<Goal>) -> Result<u64, OpError> {
        let options = WalkOptions::at(self.world().rate());
        self.walk_with(character, goal, options)
    }

    /// The same with options.
    ///
    /// ```
    /// use walkon::{AcceptEnd, Goal, LookTarget, WalkOptions, WalkPace};
    /// # let mut game = walkon_runtime::example::game()?;
    ///
    /// let anna = game.character("anna").ok_or("there is no anna")?;
    /// let options = WalkOptions {
    ///     pace: WalkPace::Run,
    ///     accept: AcceptEnd::Exact,
    ///     face: Some(LookTarget::point([16.0, 0.0, 12.0])),
    ///     ..WalkOptions::at(game.rate())
    /// };
    /// let options = options.passing([[8.0, 0.0, 2.0], [12.0, 0.0, 10.0]]);
    /// game.walk_with(anna, Goal::point([16.0, 0.0, 6.0]), options)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Game::walk_to`], and for an option out of its range.
    pub fn walk_with(
        &mut self,
        character: CharacterId,
        goal: impl Into<Goal>,
        options: WalkOptions,
    ) -> Result<u64, OpError> {
        let order = WalkOrder { character, goal: goal.into(), options, owner: Owner::HOST };
        let walk = walks::walk_to(self.world_to_change()?, order)?;
        Ok(self.world().walk(walk).map_or(0, |walk| walk.serial))
    }

    /// Stops the walk of a character, which settles as `stopped`; whether there was one.
    pub fn stop(&mut self, character: CharacterId) -> bool {
        let walk = self.world().character(character).and_then(|who| who.walk);
        let Ok(world) = self.world_to_change() else { return false };
        walk.is_some_and(|walk| walks::cancel(world, walk, Reason::Stopped))
    }

    /// Turns a character towards something, over the next ticks; what it was turning to is over. One that a
    /// scene holds turns as well.
    ///
    /// # Errors
    /// When it was removed, one cannot look there, or the level has ended.
    pub fn face(&mut self, character: CharacterId, look: LookTarget) -> Result<(), OpError> {
        characters::face(self.world_to_change()?, character, look).map(drop)
    }

    /// Has a character show an animation until it shows another, also while a scene holds it; see
    /// [`Game::animation`].
    ///
    /// # Errors
    /// When it was removed, the animation has no name, or the level has ended.
    pub fn play(&mut self, character: CharacterId, animation: &str) -> Result<(), OpError> {
        characters::play(self.world_to_change()?, character, animation, None).map(drop)
    }

    /// Has a character walk and run at other speeds, 0.01 to 50 metres a second; walks under way as well.
    ///
    /// # Errors
    /// When it was removed, a speed is out of range, or the level has ended.
    pub fn set_speeds(&mut self, character: CharacterId, walk_mps: f32, run_mps: f32) -> Result<(), OpError> {
        characters::set_speed(self.world_to_change()?, character, walk_mps, Some(run_mps))
    }

    /// Has a metre in an area cost so many metres of plain ground, 0.1 to 100, in searches from the next tick
    /// on. [`Input::Area`](crate::game::inputs::Input::Area) puts areas in force and out of it.
    ///
    /// # Errors
    /// When it is out of range, the level has no area of that number, or the level has ended.
    pub fn set_area_cost(&mut self, area: AreaId, factor: f32) -> Result<(), OpError> {
        areas::set_factor(self.world_to_change()?, area, factor)
    }

    /// Puts an area or an obstacle in force; whether that was a change. The map follows in the next tick. The
    /// area of a door opens the door, at once and whatever its lock says. A game that is to be replayed says
    /// [`Input::Area`](crate::game::inputs::Input::Area).
    ///
    /// # Errors
    /// On a precomputed grid; when the level has no area of that number, or the level has ended.
    pub fn enable_area(&mut self, area: AreaId) -> Result<bool, OpError> {
        areas::set_available(self.world_to_change()?, area, Availability::Available)
    }

    /// Puts an area or an obstacle out of force; whether that was a change. An area is a wall then, and an
    /// obstacle is none. The area of a door closes the door.
    ///
    /// # Errors
    /// As [`Game::enable_area`].
    pub fn disable_area(&mut self, area: AreaId) -> Result<bool, OpError> {
        areas::set_available(self.world_to_change()?, area, Availability::Unavailable)
    }

    /// Blocks the ground around a place on a layer of the map, 0 where it has no layers: a barrel, a fallen
    /// tree. The map follows in the next tick, and walks that the block bars look for a way again. The block
    /// stays over saves and edits of the level until [`Game::remove_block`]. A game that is to be replayed
    /// says [`Input::Block`](crate::game::inputs::Input::Block).
    ///
    /// ```
    /// # let mut game = walkon_runtime::example::game()?;
    /// let (from, to) = ([2.0, 0.0, 6.0], [18.0, 0.0, 6.0]);
    /// let way = |game: &mut walkon::Game| game.find_path(from, to, 0.3).path.length_m;
    /// let before_m = way(&mut game);
    /// game.add_block("barrel", [10.0, 0.0, 6.0], 1.5, 0)?;
    /// game.tick(&[]);
    /// assert!(way(&mut game) > before_m, "the way leads around it");
    ///
    /// game.remove_block("barrel")?;
    /// game.tick(&[]);
    /// assert_eq!(way(&mut game), before_m);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A name that is none, or that a block of the host has already; a place or a radius (0.01 to 50 metres)
    /// out of range, a layer that is none; when the level has 1,024 blocks, or has ended.
    pub fn add_block(
        &mut self,
        name: &str,
        at: impl Into<[f32; 3]>,
        radius_m: f32,
        layer: u8,
    ) -> Result<(), OpError> {
        let centre = LayerPoint { layer, point: Vec3::from(at.into()) };
        blocks::add_named(self.world_to_change()?, name, centre, radius_m)
    }

    /// Frees the ground of a block of the host again, in the next tick.
    ///
    /// # Errors
    /// When no block of the host has that name, or the level has ended.
    pub fn remove_block(&mut self, name: &str) -> Result<(), OpError> {
        blocks::remove_named(self.world_to_change()?, name)
    }

    /// Locks a door, for walkers and scripts that have another key than this; with no key, than the one
    /// before. [`Input::Door`](crate::game::inputs::Input::Door) unlocks it.
    ///
    /// # Errors
    /// As [`Game::open_door`], and for a key that is no name: 1 to 128 bytes without control characters.
    pub fn lock_door(&mut self, door: DoorId, key: Option<&str>) -> Result<(), OpError> {
        key.map_or(Ok(()), checks::name)?;
        doors::lock(self.world_with(door)?, door, key.map(str::to_owned));
        Ok(())
    }

    /// Wishes a door open. A locked door refuses, as
    /// [`Event::DoorSignal`](crate::game::event::Event::DoorSignal) tells.
    ///
    /// # Errors
    /// When an edit of the level took it away, the level has no door of that number, or the level has ended.
    pub fn open_door(&mut self, door: DoorId) -> Result<(), OpError> {
        doors::open(self.world_with(door)?, door, &DoorOrder::default());
        Ok(())
    }

    /// Wishes a door closed; it waits until its doorway is clear.
    ///
    /// # Errors
    /// As [`Game::open_door`].
    pub fn close_door(&mut self, door: DoorId) -> Result<(), OpError> {
        doors::close(self.world_with(door)?, door, &DoorOrder::default());
        Ok(())
    }

    /// A path for a body between two places on the map as it is, searched at once. Cost: the search.
    ///
    /// ```
    /// use walkon::PathStatus;
    /// # let mut game = walkon_runtime::example::game()?;
    ///
    /// let answer = game.find_path([2.0, 0.0, 6.0], [18.0, 0.0, 6.0], 0.3);
    /// assert_eq!(answer.status, PathStatus::Complete);
    /// assert!((answer.path.length_m - 16.0).abs() < 0.01);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find_path(
        &mut self,
        from: impl Into<[f32; 3]>,
        to: impl Into<[f32; 3]>,
        radius_m: f32,
    ) -> PathAnswer {
        let by = self.world().traversal_of_nobody(0, radius_m);
        let (from, to) = (Vec3::from(from.into()), Vec3::from(to.into()));
        let query = paths::query(self.world(), from, to, by);
        paths::find(self.world_mut(), &query)
    }
}
