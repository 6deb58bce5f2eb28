//! The characters of a level for drawing: rows of a roster, and rows of a frame.
//!
//! In: a game between ticks. Out: rows in order of creation. Holds: a row of a frame costs no allocation, so
//! that ten thousand of them are cheap; nothing is changed. Not here: other facts about a character
//! (`inspect`).

use crate::base::ids::CharacterId;
use crate::base::time::TickRate;
use crate::game::Game;
use crate::world::World;
use crate::world::character::Character;

/// How long a new plan is shown after it was asked for, seconds.
const REPLAN_SHOWN_S: f64 = 0.5;

/// The facts about a character that stay for many ticks.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<'a> {
    /// The character.
    pub character: CharacterId,
    /// Its number over the level, which nobody else ever has; `character.id` in scripts.
    pub serial: u32,
    /// Its name.
    pub name: &'a str,
    /// The name of its behaviour, while that runs.
    pub behaviour: Option<String>,
    /// Its tags, sorted.
    pub tags: &'a [String],
    /// Half its width, metres.
    pub radius_m: f32,
    /// Metres.
    pub height_m: f32,
    /// Whether it is the player.
    pub is_player: bool,
}

/// Where a character is, and what it does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stance {
    /// The character.
    pub character: CharacterId,
    /// Its number, as in its [`Row`].
    pub serial: u32,
    /// The point on the ground below its middle, metres.
    pub position: [f32; 3],
    /// Which way it looks, radians about +y.
    pub facing_rad: f32,
    /// The layer of the map that it is on.
    pub layer: u8,
    /// The sum of the flags that hold for it: [`Stance::MOVING`] and the others.
    pub state: u8,
}

impl Stance {
    /// It is seen to move.
    pub const MOVING: u8 = 1;
    /// It has a walk.
    pub const HAS_WALK: u8 = 2;
    /// Its walk waits for a path.
    pub const WAITS_FOR_PATH: u8 = 4;
    /// A scene holds it.
    pub const HELD: u8 = 8;
    /// Its walk has asked for a new plan within the last half second.
    pub const REPLANNED: u8 = 16;
    /// Its behaviour was switched off after its faults.
    pub const SWITCHED_OFF: u8 = 32;
}

impl Game {
    /// Ticks a second.
    #[must_use]
    pub fn rate(&self) -> TickRate {
        self.world().rate()
    }

    /// Every character, in order of creation. Cost: a look at each, and a name for each with a behaviour.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let mut behaviours = self.look().scripts.map(|scripts| scripts.behaviour_names()).unwrap_or_default();
        self.world().characters().map(move |(character, who)| Row {
            character,
            serial: who.serial,
            name: &who.name,
            behaviour: behaviours.remove(&character),
            tags: &who.tags,
            radius_m: who.body.radius_m,
            height_m: who.body.height_m,
            is_player: who.is_player,
        })
    }

    /// Where every character is and what it does, in order of creation.
    pub fn stances(&self) -> impl Iterator<Item = Stance> {
        let off = self.look().scripts.map(|scripts| scripts.switched_off_characters()).unwrap_or_default();
        stances(self.world()).map(move |stance| {
            let of_scripts = if off.contains(&stance.character) { Stance::SWITCHED_OFF } else { 0 };
            Stance { state: stance.state | of_scripts, ..stance }
        })
    }
}

/// Where every character is and what it is at, as far as the world knows: not whose behaviour is switched
/// off.
pub fn stances(world: &World) -> impl Iterator<Item = Stance> {
    world.characters().map(|(character, who)| Stance {
        character,
        serial: who.serial,
        position: who.body.position.to_array(),
        facing_rad: who.facing_rad,
        layer: who.layer,
        state: state_of(world, who),
    })
}

fn state_of(world: &World, who: &Character) -> u8 {
    let walk = who.walk.and_then(|walk| world.walk(walk)).filter(|walk| walk.is_open());
    let waits = walk.is_some_and(|walk| walk.waits_for_path(world.nav().revision()));
    let asked = who.replan.since.and_then(|since| since.ago_ticks(world.tick()));
    let has_replanned = asked.is_some_and(|ago| ago < world.rate().ticks(REPLAN_SHOWN_S));
    let bits = [
        (who.is_walking(), Stance::MOVING),
        (walk.is_some(), Stance::HAS_WALK),
        (waits, Stance::WAITS_FOR_PATH),
        (who.held.is_some(), Stance::HELD),
        (has_replanned, Stance::REPLANNED),
    ];
    bits.into_iter().filter(|(holds, _)| *holds).map(|(_, bit)| bit).sum()
}
