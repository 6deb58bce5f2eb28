//! The characters that a plan goes around, and the straight line beside which they stand.
//!
//! Not here: how they are found (`bystander_index`).

use std::sync::Arc;

use glam::Vec3;

use crate::base::ids::CharacterId;
use crate::nav::Disc;

/// Those whom a plan was made around, in order of creation, and their circles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bystanders {
    /// Who they are.
    pub who: Arc<[CharacterId]>,
    /// Their circles, one for each.
    pub discs: Arc<[Disc]>,
}

impl Bystanders {
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

    /// The circle of somebody among them.
    #[must_use]
    pub fn disc_of(&self, id: CharacterId) -> Option<Disc> {
        let at = self.who.iter().position(|&who| who == id)?;
        self.discs.get(at).copied()
    }
}

/// A straight line that somebody wants to walk.
#[derive(Clone, Copy, Debug)]
pub struct Straight<'a> {
    /// From here, metres.
    pub from: Vec3,
    /// To here, metres.
    pub to: Vec3,
    /// On this layer of the map.
    pub layer: u8,
    /// Who is not in the way: the walker itself, and whom it is told to ignore.
    pub but: &'a [CharacterId],
}
