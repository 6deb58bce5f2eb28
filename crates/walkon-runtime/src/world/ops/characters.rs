//! Verbs about characters: spawn, remove, teleport, turn, animate, hold for a scene.
//!
//! In: ids, places, speeds, animations. Out: facts and changed characters. Holds: a character is put on
//! walkable ground or not at all; a turn or an animation ends once. Not here: walks (`walks`), turning over
//! the ticks (`sim`).

use std::ops::RangeInclusive;

use glam::Vec3;

use crate::base::ids::CharacterId;
use crate::base::ordered;
use crate::base::rng::Rng;
use crate::base::trig;
use crate::nav::Traversal;
use crate::world::World;
use crate::world::character::standing_on;
use crate::world::character::{
    Body, Character, Characters, Displaced, Gait, Hold, Play, Removal, Replan, Turn,
};
use crate::world::door::DoorPolicy;
use crate::world::event::{EventQueue, Fact};
use crate::world::goal::Goal;
use crate::world::ops::{OpError, alive, alive_mut, checks, in_range, walks};
use crate::world::outcome::Reason;
use crate::world::owner::Owner;
use crate::world::settings::Settings;
use crate::world::walk::LookTarget;
use crate::world::walk_mode::WalkMode;

/// A character to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Spawn {
    /// 1 to 128 bytes without control characters; no living character has it.
    pub name: String,
    /// Metres; snapped to walkable ground within [`Settings::SNAP_M`].
    pub position: Vec3,
    /// Radians about +y.
    pub facing_rad: f32,
    /// Half its width, metres, 0.05 to 10.
    pub radius_m: f32,
    /// Metres, 0.1 to 100.
    pub height_m: f32,
    /// Speeds.
    pub gait: Gait,
    /// At most [`Character::TAGS_MAX`], each as a name; its own name is added, and `player` for the player.
    pub tags: Vec<String>,
    /// Whether it is the player.
    pub is_player: bool,
    /// What its walks do about doors unless they say otherwise.
    pub doors: DoorPolicy,
    /// The layer of the map that it appears on; 0 on maps without layers.
    pub layer: u8,
}

impl Spawn {
    /// Smallest and largest radius, metres (fault:G18).
    pub const RADIUS_RANGE_M: RangeInclusive<f32> = 0.05..=10.0;
    /// Smallest and largest height, metres.
    pub const HEIGHT_RANGE_M: RangeInclusive<f32> = 0.1..=100.0;

    /// A character with the defaults of a level file.
    #[must_use]
    pub fn new(name: impl Into<String>, position: impl Into<Vec3>) -> Self {
        Self {
            name: name.into(),
            position: position.into(),
            facing_rad: 0.0,
            radius_m: Gait::RADIUS_M,
            height_m: Gait::HEIGHT_M,
            gait: Gait::default(),
            tags: Vec::new(),
            is_player: false,
            doors: DoorPolicy::default(),
            layer: 0,
        }
    }
}

/// A new character, or None when no walkable point lies within [`Settings::SNAP_M`] of its place.
///
/// # Errors
/// A bad or taken name, a bad tag or too many, a number out of range, or too many characters; nothing has
/// changed then.
pub fn spawn(world: &mut World, spawn: Spawn) -> Result<Option<CharacterId>, OpError> {
    checks::name(&spawn.name)?;
    checks::tags(&spawn.tags)?;
    if world.characters.find(&spawn.name).is_some() {
        return Err(OpError::NameTaken(spawn.name));
    }
    if spawn.is_player
        && let Some(player) = world.player()
    {
        return Err(OpError::SecondPlayer(world.name_of(player).to_owned()));
    }
    let most = world.settings.limits.characters;
    if world.characters.count() >= most as usize {
        let (what, limit, mend) = ("characters", "characters", "despawn some");
        return Err(OpError::Limit { what, max: most, limit, mend });
    }
    checks::place("position", spawn.position)?;
    checks::angle("facing", spawn.facing_rad)?;
    checks::layer(world, spawn.layer)?;
    in_range("radius", spawn.radius_m, Spawn::RADIUS_RANGE_M)?;
    in_range("height", spawn.height_m, Spawn::HEIGHT_RANGE_M)?;
    in_range("walkSpeed", spawn.gait.walk_mps, Gait::SPEED_RANGE_MPS)?;
    in_range("runSpeed", spawn.gait.run_mps, Gait::SPEED_RANGE_MPS)?;
    in_range("rotationSpeed", spawn.gait.turn_radps, Gait::TURN_RANGE_RADPS)?;
    let thin = Traversal { layer: spawn.layer, ..Traversal::default() };
    let by = Traversal { radius_m: spawn.radius_m, ..thin.clone() };
    world.map.nav.prepare(&by);
    let nav = &world.map.nav;
    let near = |by: &Traversal| nav.nearest(spawn.position, Settings::SNAP_M, by).map(|near| near.point);
    let ground = nav.closed_ground(spawn.position, &by).or_else(|| near(&by)).or_else(|| near(&thin));
    let Some(ground) = ground else {
        return Ok(None);
    };
    let rng = Rng::stream(world.level.seed, &stream_name(&spawn.name));
    let id = world.characters.insert(|serial| born(spawn, serial, ground, rng));
    world.characters.note_standing(id);
    world.events.push(Fact::Spawned(id));
    Ok(Some(id))
}

/// The random stream that a character of that name walks about by.
pub(crate) fn stream_name(name: &str) -> String {
    format!("walks of {name}")
}

/// A character that stands where it was put, with its random stream, and does nothing yet.
pub(crate) fn born(spawn: Spawn, serial: u32, position: Vec3, rng: Rng) -> Character {
    let mut tags = spawn.tags;
    tags.push(spawn.name.clone());
    if spawn.is_player {
        tags.push("player".to_owned());
    }
    ordered::sort_by(&mut tags, Ord::cmp);
    tags.dedup();
    Character {
        serial,
        name: spawn.name,
        body: Body { position, velocity: Vec3::ZERO, radius_m: spawn.radius_m, height_m: spawn.height_m },
        facing_rad: trig::wrap(spawn.facing_rad),
        gait: spawn.gait,
        tags,
        is_player: spawn.is_player,
        doors: spawn.doors,
        layer: spawn.layer,
        walk: None,
        is_moving: false,
        is_still: true,
        drift: Vec3::ZERO,
        came_to: None,
        short_of: None,
        desired: Vec3::ZERO,
        nudge: None,
        nudged: None,
        turn: None,
        play: None,
        held: None,
        removed: None,
        displaced: Displaced::Spawned,
        replan: Replan::default(),
        rng,
    }
}

/// Removes a character: dead at once, its walk and walks towards it settle, freed in step 13.
///
/// # Errors
/// When it was removed before.
pub fn despawn(world: &mut World, id: CharacterId, by: &str) -> Result<(), OpError> {
    let walk = alive(&world.characters, id)?.walk;
    end_turn(&mut world.characters, &mut world.events, id, ActEnd::CutShort);
    end_play(&mut world.characters, &mut world.events, id, ActEnd::CutShort);
    if let Some(walk) = walk {
        walks::settle(world, walk, Reason::Despawned.usual_status(), Reason::Despawned);
    }
    world.characters.note_removal(id);
    let removal = Removal { tick: world.clock.tick, by: format!("despawned by {by}") };
    world.characters.remove(id, removal);
    world.events.push(Fact::Despawned(id));
    for walk_id in world.walks.open_ids() {
        let Some(walk) = world.walks.get_mut(walk_id).filter(|walk| walk.goal == Goal::Character(id)) else {
            continue;
        };
        match &walk.mode {
            // Step 6 passes the stop over.
            WalkMode::Patrol(patrol) if patrol.stops.iter().any(|stop| stop.goal != walk.goal) => {
                walk.goal = Goal::Point(walk.aim);
            }
            _ => _ = walks::settle(world, walk_id, Reason::TargetGone.usual_status(), Reason::TargetGone),
        }
    }
    Ok(())
}

/// Puts a character on the nearest walkable point within [`Settings::SNAP_M`] of `to` and returns that
/// point; None, and nothing changes, when there is none. A walk under way settles as stopped.
///
/// # Errors
/// When it was removed; a place or an angle of which a number is none or out of range.
pub fn teleport(
    world: &mut World,
    id: CharacterId,
    to: Vec3,
    facing_rad: Option<f32>,
) -> Result<Option<Vec3>, OpError> {
    let layer = alive(&world.characters, id)?.layer;
    teleport_to(world, id, layer, to, facing_rad)
}

/// The same to a place on a layer of the map.
///
/// # Errors
/// As [`teleport`], and for a layer that the map has not.
pub fn teleport_to(
    world: &mut World,
    id: CharacterId,
    layer: u8,
    to: Vec3,
    facing_rad: Option<f32>,
) -> Result<Option<Vec3>, OpError> {
    let character = alive(&world.characters, id)?;
    checks::layer(world, layer)?;
    checks::place("place", to)?;
    facing_rad.map_or(Ok(()), |facing_rad| checks::angle("facing", facing_rad))?;
    let walk = character.walk;
    let by = Traversal { layer, ..standing_on(character) };
    let Some(ground) = world.map.nav.nearest(to, Settings::SNAP_M, &by) else {
        return Ok(None);
    };
    if let Some(walk) = walk {
        walks::settle(world, walk, Reason::Stopped.usual_status(), Reason::Stopped);
    }
    if let Some(character) = world.characters.get_mut(id) {
        character.layer = layer;
    }
    world.characters.place(id, ground.point);
    if let Some(facing_rad) = facing_rad {
        end_turn(&mut world.characters, &mut world.events, id, ActEnd::CutShort);
        if let Some(character) = world.characters.get_mut(id) {
            character.facing_rad = trig::wrap(facing_rad);
        }
    }
    Ok(Some(ground.point))
}

/// Turns towards something, over the next ticks; returns the number of the turn. One under way ends.
///
/// # Errors
/// When the character was removed, or one cannot look there.
pub fn face(world: &mut World, id: CharacterId, look: LookTarget) -> Result<u64, OpError> {
    alive(&world.characters, id)?;
    checks::look(world, look)?;
    end_turn(&mut world.characters, &mut world.events, id, ActEnd::CutShort);
    let serial = world.characters.next_turn();
    let facing_rad = look.angle_from(&world.characters, id);
    alive_mut(&mut world.characters, id)?.turn = Some(Turn { serial, facing_rad });
    world.characters.note_posing(id);
    Ok(serial)
}

/// How a turn or an animation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ActEnd {
    /// It was carried out.
    Done,
    /// Something else took its place.
    CutShort,
}

/// Ends the turn under way, if any, and says how.
pub(crate) fn end_turn(characters: &mut Characters, events: &mut EventQueue, id: CharacterId, end: ActEnd) {
    if let Some(turn) = characters.get_mut(id).and_then(|character| character.turn.take()) {
        events.push(Fact::TurnEnded { serial: turn.serial, ok: end == ActEnd::Done });
    }
}

/// Sets the animation for some ticks, or until replaced; returns the number of the play.
///
/// # Errors
/// When the character was removed, or the animation has no name.
pub fn play(world: &mut World, id: CharacterId, animation: &str, ticks: Option<u64>) -> Result<u64, OpError> {
    alive(&world.characters, id)?;
    checks::name(animation)?;
    end_play(&mut world.characters, &mut world.events, id, ActEnd::CutShort);
    let serial = world.characters.next_play();
    let until = ticks.map(|ticks| world.clock.tick.after(ticks));
    alive_mut(&mut world.characters, id)?.play =
        Some(Play { serial, animation: animation.to_owned(), until });
    if until.is_some() {
        world.characters.note_posing(id);
    }
    Ok(serial)
}

/// Ends the animation under way, if any, and says how.
pub(crate) fn end_play(characters: &mut Characters, events: &mut EventQueue, id: CharacterId, end: ActEnd) {
    if let Some(play) = characters.get_mut(id).and_then(|character| character.play.take()) {
        events.push(Fact::PlayEnded { serial: play.serial, ok: end == ActEnd::Done });
    }
}

/// Changes the speeds, metres a second.
///
/// # Errors
/// When the character was removed, or a speed is out of range.
pub fn set_speed(
    world: &mut World,
    id: CharacterId,
    walk_mps: f32,
    run_mps: Option<f32>,
) -> Result<(), OpError> {
    let character = alive_mut(&mut world.characters, id)?;
    in_range("walkSpeed", walk_mps, Gait::SPEED_RANGE_MPS)?;
    run_mps.map_or(Ok(0.0), |run_mps| in_range("runSpeed", run_mps, Gait::SPEED_RANGE_MPS))?;
    character.gait.walk_mps = walk_mps;
    character.gait.run_mps = run_mps.unwrap_or(character.gait.run_mps);
    Ok(())
}

/// A scene takes a character: it stops, its walk settles as superseded, other owners' walks are refused.
///
/// # Errors
/// When it was removed, or another scene holds it.
pub fn hold(world: &mut World, id: CharacterId, scene: &str, owner: Owner) -> Result<(), OpError> {
    let walk = alive(&world.characters, id)?.walk;
    hold_walking(world, id, scene, owner)?;
    if let Some(walk) = walk {
        walks::settle(world, walk, Reason::Superseded.usual_status(), Reason::Superseded);
    }
    Ok(())
}

/// The same, and its walk goes on: it is one of the scene.
///
/// # Errors
/// As [`hold`].
pub fn hold_walking(world: &mut World, id: CharacterId, scene: &str, owner: Owner) -> Result<(), OpError> {
    let character = alive_mut(&mut world.characters, id)?;
    if let Some(hold) = &character.held {
        return Err(OpError::Held { name: character.name.clone(), scene: hold.scene.clone() });
    }
    character.held = Some(Hold { scene: scene.to_owned(), owner });
    // A step aside is nothing to a scene.
    if character.nudge.take().is_some() {
        character.is_moving = false;
    }
    Ok(())
}

/// Has walks check their plans against a character that keeps its place from now on: those plans counted on
/// its stepping aside.
pub fn recheck_plans_around(world: &mut World, id: CharacterId) {
    if let Some(character) = world.characters.get_mut(id) {
        character.replan.stood = false;
    }
}

/// Gives a character back. Nothing happens when that owner does not hold it.
pub fn release(world: &mut World, id: CharacterId, owner: Owner) {
    if let Some(character) = world.characters.get_mut(id)
        && character.held.as_ref().is_some_and(|hold| hold.owner == owner)
    {
        character.held = None;
    }
}
