//! Senses: watches of characters for others, what was seen last, and noises in the air.
//!
//! In: questions and watches (`ops::senses`). Out: seen or why not, heard or not. Holds: a watch loses its
//! target a little farther away and a little wider than it notices it, so that nobody flickers at the edge;
//! it knows the last place of a target for as long as it remembers; a noise is heard for [`Noise::HEARD_S`]
//! and ends by itself, once all watches have listened. Not here: what hides a character (`sight`), when
//! watches look (`sim::senses`).

use std::collections::BTreeMap;

use glam::Vec3;

use crate::base::ids::CharacterId;
use crate::base::time::TickNumber;
use crate::base::trig;
use crate::world::owner::Owner;

/// A watch for a character, by its number; numbers begin at 1 and are given once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SenseId(pub u64);

/// How far and how wide a character sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eyes {
    /// As far as this, metres.
    pub range_m: f32,
    /// Field of view: the full angle around where they face, degrees; 360 is all around.
    pub degrees: f32,
}

impl Default for Eyes {
    fn default() -> Self {
        Self { range_m: Self::RANGE_M, degrees: Self::DEGREES }
    }
}

impl Eyes {
    /// How far a character sees, unless asked otherwise, metres.
    pub const RANGE_M: f32 = 10.0;
    /// Half of everything around (seed:BT8).
    pub const DEGREES: f32 = 180.0;
    /// A target is lost this much farther away than it is noticed.
    pub const LOSE_RANGE: f32 = 1.1;
    /// And in a field of view this much wider, degrees.
    pub const LOSE_DEGREES: f32 = 20.0;
    /// What rounding may move a direction by, as a share of the distance.
    const SPARE: f32 = 1e-5;

    /// Eyes that lose what these notice.
    #[must_use]
    pub fn losing(self) -> Self {
        Self {
            range_m: self.range_m * Self::LOSE_RANGE,
            degrees: (self.degrees + Self::LOSE_DEGREES).min(360.0),
        }
    }

    /// Why a place is not within range and view of a watcher that stands at `from` and faces so; None when it
    /// is. Things that hide it are left aside.
    #[must_use]
    pub fn miss(self, from: Vec3, facing_rad: f32, to: Vec3) -> Option<Unseen> {
        let away = to - from;
        if away.length_squared() > self.range_m * self.range_m {
            return Some(Unseen::TooFar);
        }
        if self.degrees >= 360.0 {
            return None;
        }
        let flat_m = trig::sqrt(away.x * away.x + away.z * away.z);
        let ahead_m = away.dot(trig::direction(facing_rad));
        let least = trig::cos(self.degrees.to_radians() * 0.5);
        (ahead_m < flat_m * (least - Self::SPARE)).then_some(Unseen::OutOfView)
    }
}

/// Why a character is not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unseen {
    /// Beyond the range.
    TooFar,
    /// Beside the field of view.
    OutOfView,
    /// Behind something, or on another layer.
    Blocked,
    /// Removed, or no longer a target; or the watcher was removed.
    Gone,
}

impl Unseen {
    /// The word scripts use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TooFar => "tooFar",
            Self::OutOfView => "outOfView",
            Self::Blocked => "blocked",
            Self::Gone => "gone",
        }
    }
}

/// The target of a watch.
#[derive(Clone, Debug, PartialEq)]
pub enum SenseTarget {
    /// One character.
    Character(CharacterId),
    /// Any character with this tag.
    Tag(String),
}

/// A target that was seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sighting {
    /// The target.
    pub character: CharacterId,
    /// Whether they were in sight at the last look.
    pub is_seen: bool,
    /// Where they were seen last, metres.
    pub position: Vec3,
    /// When that was.
    pub tick: TickNumber,
}

/// A character's watch for others.
#[derive(Clone, Debug, PartialEq)]
pub struct SenseWatch {
    /// On whose behalf.
    pub owner: Owner,
    /// The watcher.
    pub character: CharacterId,
    /// The target.
    pub target: SenseTarget,
    /// How far and how wide it notices.
    pub eyes: Eyes,
    /// How far it hears noises of those it watches for, metres; 0 for not at all.
    pub hearing_m: f32,
    /// How long it remembers where a character was that it lost.
    pub memory_ticks: u64,
    /// Whether it looks at all.
    pub enabled: bool,
    /// Number of the last noise it heard.
    pub heard: u64,
    /// Those it sees or remembers, by serial of the character.
    pub known: BTreeMap<u32, Sighting>,
}

impl SenseWatch {
    /// Bytes that a sighting takes: an entry of a tree whose leaves are half full.
    pub(crate) const SIGHTING_BYTES: usize = 72;

    /// The bytes that it takes with those it knows of.
    pub(crate) fn kept_bytes(&self) -> usize {
        let tag = if let SenseTarget::Tag(tag) = &self.target { tag.len() } else { 0 };
        size_of::<Self>() + tag + self.known.len() * Self::SIGHTING_BYTES
    }

    /// The sighting that is freshest and still remembered at a tick: one in sight before others, then the
    /// later, then the character that was created first.
    #[must_use]
    pub fn last_seen(&self, now: TickNumber) -> Option<&Sighting> {
        let mut best: Option<&Sighting> = None;
        for sighting in self.known.values().filter(|sighting| self.remembers(sighting, now)) {
            let rank = |sighting: &Sighting| (sighting.is_seen, sighting.tick);
            if best.is_none_or(|best| rank(sighting) > rank(best)) {
                best = Some(sighting);
            }
        }
        best
    }

    /// Whether a sighting counts at a tick.
    #[must_use]
    pub fn remembers(&self, sighting: &Sighting, now: TickNumber) -> bool {
        sighting.is_seen || now.since(sighting.tick) <= self.memory_ticks
    }
}

/// Something to be heard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Its number, from 1 over the level.
    pub serial: u64,
    /// The character that made it.
    pub by: CharacterId,
    /// Where, metres.
    pub position: Vec3,
    /// On which layer.
    pub layer: u8,
    /// How far it reaches, metres. Walls take nothing from it.
    pub loudness_m: f32,
    /// When it was made.
    pub tick: TickNumber,
}

impl Noise {
    /// How long a noise is heard, seconds of game time.
    pub const HEARD_S: f64 = 0.5;
    /// Most noises of a level at a time; the oldest makes room, and hosts are told.
    pub const COUNT_MAX: usize = 1024;

    /// How far inside its reach and that of an ear a character stands, metres; None beyond either.
    #[must_use]
    pub fn reaches(&self, ear: Vec3, layer: u8, hearing_m: f32) -> Option<f32> {
        let distance_m = ear.distance(self.position);
        let is_heard = layer == self.layer && distance_m <= self.loudness_m && distance_m <= hearing_m;
        is_heard.then_some(self.loudness_m - distance_m)
    }
}

/// All of it.
#[derive(Clone, Debug, Default)]
pub struct Senses {
    /// Watches, in order of creation.
    pub(crate) watches: BTreeMap<SenseId, SenseWatch>,
    /// Number of the last watch.
    pub(crate) made: u64,
    /// The watch that looks first in the next tick, by number.
    pub(crate) next: u64,
    /// Noises in the air, oldest first.
    pub(crate) noises: Vec<Noise>,
    /// Number of the last noise.
    pub(crate) noises_made: u64,
}

impl Senses {
    /// Ends all watches of an owner without a word.
    pub(crate) fn end_owner(&mut self, owner: Owner) {
        self.watches.retain(|_, watch| watch.owner != owner);
    }

    /// Every watch there is, in order of creation.
    pub fn watches(&self) -> impl Iterator<Item = (SenseId, &SenseWatch)> {
        self.watches.iter().map(|(&id, watch)| (id, watch))
    }

    /// Noises in the air, oldest first.
    #[must_use]
    pub fn noises(&self) -> &[Noise] {
        &self.noises
    }
}

#[cfg(test)]
mod tests {
    use crate::world::sense::{Eyes, Unseen};
    use glam::Vec3;

    #[test]
    fn range_and_view_end_where_they_are_said_to() {
        let eyes = Eyes { range_m: 10.0, degrees: 90.0 };
        // Looks along +x.
        let miss = |x: f32, z: f32| eyes.miss(Vec3::ZERO, std::f32::consts::FRAC_PI_2, Vec3::new(x, 0.0, z));
        assert_eq!(miss(10.0, 0.0), None);
        assert_eq!(miss(10.01, 0.0), Some(Unseen::TooFar));
        assert_eq!(miss(5.0, 5.0), None);
        assert_eq!(miss(5.0, 5.01), Some(Unseen::OutOfView));
        assert_eq!(miss(-1.0, 0.0), Some(Unseen::OutOfView));
        assert_eq!(miss(0.0, 0.0), None, "the place it stands on");
        let wide = Eyes { degrees: 360.0, ..eyes };
        assert_eq!(wide.miss(Vec3::ZERO, 0.0, Vec3::new(0.0, 0.0, -9.0)), None);
        assert_eq!(eyes.losing(), Eyes { range_m: 11.0, degrees: 110.0 });
    }
}
