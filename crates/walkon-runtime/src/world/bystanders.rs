//! The characters that a plan goes around, and the straight line beside which they stand.
//!
//! In: characters, with the circle of each. Out: the same, shared by plans and walks, with a hash. Not here:
//! how they are found (`bystander_index`).

use std::sync::Arc;

use glam::Vec3;

use crate::base::hash::StateHash;
use crate::base::ids::{CharacterId, DoorId, GenerationalKey};
use crate::nav::Disc;

/// The characters that a plan was made around, in order of creation, and their circles.
#[derive(Clone, Debug, PartialEq)]
pub struct Bystanders {
    who: Arc<[CharacterId]>,
    discs: Arc<[Disc]>,
    /// The hash of both, worked out once: in a crowd a walk knows a dozen of them.
    hash: u64,
}

impl Bystanders {
    /// Those, with one circle for each.
    #[must_use]
    pub fn new(who: Arc<[CharacterId]>, discs: Arc<[Disc]>) -> Self {
        let mut hash = StateHash::default();
        hash.word(who.len() as u64);
        for (id, &Disc { centre, radius_m }) in who.iter().zip(discs.iter()) {
            hash.word(id.bits()).floats([centre.x, centre.y, centre.z, radius_m]);
        }
        Self { who, discs, hash: hash.finish() }
    }

    /// The radius of a circle of which it is not settled whether a way leads past it, metres.
    const UNSETTLED_M: f32 = -1.0;

    /// Whether it is not settled of a circle whether a way leads past it.
    pub(crate) fn is_unsettled(disc: &Disc) -> bool {
        disc.radius_m == Self::UNSETTLED_M
    }

    /// The same, where that is not settled of some characters.
    pub(crate) fn unsettled(&self, is_so: impl Fn(CharacterId) -> bool) -> Self {
        let circle = |(&who, &disc): (&CharacterId, &Disc)| match is_so(who) {
            true => Disc { radius_m: Self::UNSETTLED_M, ..disc },
            false => disc,
        };
        Self::new(Arc::clone(&self.who), self.who.iter().zip(self.discs.iter()).map(circle).collect())
    }

    /// The characters.
    #[must_use]
    pub fn who(&self) -> &[CharacterId] {
        &self.who
    }

    /// Their circles, one for each, to be shared.
    #[must_use]
    pub fn discs(&self) -> &Arc<[Disc]> {
        &self.discs
    }

    /// The hash of the characters and of where they stood. Cost: constant.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.who.len()
    }

    /// Whether nobody stands in the way.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.who.is_empty()
    }

    /// The circle of a character among them.
    #[must_use]
    pub fn disc_of(&self, id: CharacterId) -> Option<Disc> {
        let at = self.who.iter().position(|&who| who == id)?;
        self.discs.get(at).copied()
    }
}

/// How far a body keeps off those that stand and do not step aside: as far as both need.
#[derive(Clone, Copy, Debug)]
pub struct KeepOff {
    /// Its radius, metres.
    pub radius_m: f32,
    /// How far from a point of the map its node may lie (`NavMap::node_m`), metres.
    pub node_m: f32,
}

/// A straight line that a character wants to walk.
#[derive(Clone, Copy, Debug)]
pub struct Straight<'a> {
    /// From here, metres.
    pub from: Vec3,
    /// To here, metres.
    pub to: Vec3,
    /// On this layer of the map.
    pub layer: u8,
    /// How far it keeps off characters that keep their places; None: as far as off the others.
    pub keeps_off: Option<KeepOff>,
    /// Doors that it means to go through: of those that wait at doors only the ones at others are in the way.
    /// None: nobody that waits at a door is.
    pub goes_through: Option<&'a [DoorId]>,
    /// Characters that are not in the way: the walker itself, and those that it is told to ignore.
    pub but: &'a [CharacterId],
}
