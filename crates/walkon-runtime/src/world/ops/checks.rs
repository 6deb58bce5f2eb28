//! Checks of the numbers given to verbs.
//!
//! In: places, angles, names, plain data, options of walks. Out: nothing, or an [`OpError`] with what was
//! given and what was expected. Holds: a value that passes can be simulated, hashed, saved and loaded. Not
//! here: whether somebody can stand there (`nav`), ranges of single verbs.

use std::ops::RangeInclusive;

use glam::Vec3;

use crate::base::bytes::KeyRef;
use crate::base::value::{Plain, PlainKey};
use crate::nav::OwnArea;
use crate::world::World;
use crate::world::character::{Character, Gait};
use crate::world::event_name;
use crate::world::goal::Goal;
use crate::world::ops::areas::FACTOR_RANGE;
use crate::world::ops::{OpError, alive, door_there, in_range};
use crate::world::walk::{LookTarget, WalkOptions, WalkPace};

/// Farthest coordinate that is a place, metres.
pub(crate) const COORDINATE_MAX_M: f32 = 1e6;

/// Angles, radians: beyond, an `f32` holds no direction any more.
const ANGLE_RANGE_RAD: RangeInclusive<f32> = -1e6..=1e6;

/// Most places of one walk.
pub(crate) const PLACES_MAX: usize = 1024;

/// Most tables of plain data inside one another.
pub(crate) const PLAIN_DEPTH_MAX: usize = 32;

/// Most keys that a walk carries.
pub(crate) const KEYS_MAX: usize = 64;

/// Whether it is a name to give to something.
pub(crate) fn name(name: &str) -> Result<(), OpError> {
    wrong_name(name).map_or(Ok(()), |what| Err(OpError::BadName(what)))
}

/// Whether a character may have those tags.
pub(crate) fn tags(tags: &[String]) -> Result<(), OpError> {
    at_most("tags", tags.len(), Character::TAGS_MAX)?;
    tags.iter().find_map(|tag| wrong_name(tag)).map_or(Ok(()), |what| Err(OpError::BadTag(what)))
}

/// What keeps it from being a name.
fn wrong_name(name: &str) -> Option<String> {
    match name.len() {
        0 => Some("is empty".to_owned()),
        bytes @ 129.. => Some(format!("\"{}\" has {bytes} bytes", shown(name))),
        _ if name.chars().any(char::is_control) => {
            Some(format!("\"{}\" has a control character", shown(name)))
        }
        _ => None,
    }
}

/// Whether it is an event that a script or a host may send.
pub(crate) fn event(name: &str, payload: Option<&Plain>, limit_kib: u32) -> Result<(), OpError> {
    self::name(name)?;
    if event_name::is_heard(name) {
        return Err(OpError::RuntimeEvent(name.to_owned()));
    }
    payload.map_or(Ok(()), |payload| plain("payload", payload, limit_kib))
}

/// Whether it is plain data of at most so many KiB, as scripts may give it.
pub(crate) fn plain(what: &str, data: &Plain, limit_kib: u32) -> Result<(), OpError> {
    let mut look = PlainLook { path: what.to_owned(), left: limit_kib as usize * 1024, depth: 0 };
    look.at(data).map_err(|trouble| {
        OpError::Data(match trouble {
            PlainTrouble::NotFinite => format!("{} is not a finite number, expected plain data", look.path),
            PlainTrouble::TooDeep => {
                format!("{} is deeper than {PLAIN_DEPTH_MAX} tables, expected plain data", look.path)
            }
            PlainTrouble::TooLarge => format!("{what} is larger than {limit_kib} KiB, the most allowed"),
        })
    })
}

/// A look through plain data.
struct PlainLook {
    /// Where it has come to.
    path: String,
    /// Bytes that may still come: the length of texts, and sixteen for every value.
    left: usize,
    depth: usize,
}

/// Why data is not plain, or too much.
enum PlainTrouble {
    NotFinite,
    TooDeep,
    TooLarge,
}

impl PlainLook {
    fn at(&mut self, data: &Plain) -> Result<(), PlainTrouble> {
        self.pay(16)?;
        let is_finite = match data {
            Plain::Number(number) => number.is_finite(),
            Plain::Vector(vector) => vector.is_finite(),
            Plain::Text(text) => return self.pay(text.len()),
            Plain::List(values) => return self.inside((1..).map(KeyRef::Index).zip(values)),
            Plain::Map(entries) => {
                return self.inside(entries.iter().map(|(key, value)| (key_ref(key), value)));
            }
            Plain::Bool(_) | Plain::Character(_) | Plain::Door(_) => true,
        };
        if is_finite { Ok(()) } else { Err(PlainTrouble::NotFinite) }
    }

    fn inside<'a>(
        &mut self,
        entries: impl Iterator<Item = (KeyRef<'a>, &'a Plain)>,
    ) -> Result<(), PlainTrouble> {
        if self.depth >= PLAIN_DEPTH_MAX {
            return Err(PlainTrouble::TooDeep);
        }
        self.depth += 1;
        let length = self.path.len();
        for (key, value) in entries {
            match key {
                KeyRef::Index(index) => self.path.push_str(&format!("[{index}]")),
                KeyRef::Name(name) => {
                    self.pay(name.len())?;
                    self.path.push_str(&format!(".{}", shown(name)));
                }
            }
            self.at(value)?;
            self.path.truncate(length);
        }
        self.depth -= 1;
        Ok(())
    }

    fn pay(&mut self, bytes: usize) -> Result<(), PlainTrouble> {
        self.left = self.left.checked_sub(bytes).ok_or(PlainTrouble::TooLarge)?;
        Ok(())
    }
}

fn key_ref(key: &PlainKey) -> KeyRef<'_> {
    match key {
        PlainKey::Index(index) => KeyRef::Index(*index),
        PlainKey::Name(name) => KeyRef::Name(name),
    }
}

/// The beginning of a name, with what cannot be seen written out.
pub(crate) fn shown(name: &str) -> String {
    let more = if name.chars().nth(32).is_some() { "..." } else { "" };
    format!("{}{more}", name.chars().take(32).flat_map(char::escape_debug).collect::<String>())
}

/// Whether it is a place.
pub(crate) fn place(what: &'static str, place: Vec3) -> Result<(), OpError> {
    // No number is below any other.
    let is_place = place.to_array().iter().all(|part| part.abs() <= COORDINATE_MAX_M);
    if is_place { Ok(()) } else { Err(OpError::Place { what, place, max_m: COORDINATE_MAX_M }) }
}

/// Whether it is an angle.
pub(crate) fn angle(what: &'static str, angle_rad: f32) -> Result<(), OpError> {
    in_range(what, angle_rad, ANGLE_RANGE_RAD).map(drop)
}

/// Whether the map has the layer.
pub(crate) fn layer(world: &World, layer: u8) -> Result<(), OpError> {
    whole("layer", u64::from(layer), world.map.nav.layer_count().saturating_sub(1) as u64)
}

/// Whether one can look there.
pub(crate) fn look(world: &World, look: LookTarget) -> Result<(), OpError> {
    match look {
        LookTarget::Angle(angle_rad) => angle("face", angle_rad),
        LookTarget::Point(point) => place("face", point),
        LookTarget::Character(target) => alive(&world.characters, target).map(drop),
    }
}

/// Whether a walk may have that goal.
pub(crate) fn goal(world: &World, goal: Goal) -> Result<(), OpError> {
    match goal {
        Goal::Point(point) => place("goal", point),
        Goal::Character(target) => alive(&world.characters, target).map(drop),
        Goal::Door(door) => door_there(world, door),
    }
}

/// Whether a walk may have those options.
pub(crate) fn options(world: &World, options: &WalkOptions) -> Result<(), OpError> {
    let WalkOptions {
        accept: _,
        doors: _,
        crowd: _,
        tells: _,
        pace,
        radius_m,
        areas,
        layer: asked_layer,
        patience_ticks,
        timeout_ticks,
        ensure: _,
        face,
        keys,
        via,
    } = options;
    if let WalkPace::Speed(speed_mps) = *pace {
        in_range("speed", speed_mps, Gait::SPEED_RANGE_MPS)?;
    }
    if let Some(radius_m) = *radius_m {
        in_range("radius", radius_m, WalkOptions::RADIUS_RANGE_M)?;
    }
    if let Some(asked) = *asked_layer {
        layer(world, asked)?;
    }
    let longest_ticks = world.clock.rate.ticks(WalkOptions::SECONDS_MAX);
    whole("patience in ticks", *patience_ticks, longest_ticks)?;
    whole("timeout in ticks", timeout_ticks.unwrap_or_default(), longest_ticks)?;
    face.map_or(Ok(()), |face| look(world, face))?;
    at_most("keys", keys.len(), KEYS_MAX)?;
    at_most("via", via.len(), PLACES_MAX)?;
    via.iter().try_for_each(|&point| place("via", point))?;
    areas.as_ref().map_or(Ok(()), |areas| own_areas(world, areas))
}

fn own_areas(world: &World, areas: &[OwnArea]) -> Result<(), OpError> {
    if !areas.is_sorted_by(|(one, _), (next, _)| one < next) {
        return Err(OpError::AreaOrder);
    }
    for (area, factor) in areas {
        world.map.areas.get(area.index()).ok_or(OpError::ForeignArea)?;
        if let Some(factor) = *factor {
            in_range("factor", factor, FACTOR_RANGE)?;
        }
    }
    Ok(())
}

fn at_most(what: &'static str, count: usize, max: usize) -> Result<(), OpError> {
    if count <= max { Ok(()) } else { Err(OpError::TooMany { what, count, max }) }
}

fn whole(what: &'static str, value: u64, most: u64) -> Result<(), OpError> {
    if value <= most {
        return Ok(());
    }
    Err(OpError::Range { what, value: value as f64, low: 0.0, high: most as f64 })
}
