//! The owner on whose behalf something is done.
//!
//! In: a number. Out: [`Owner`]. Not here: which script an owner is (`script::state::owners`).

/// The owner of a walk, a watch and the like: a behaviour, a scene, a level script, a test, or the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner(pub u32);

impl Owner {
    /// The game that embeds the level; never ends.
    pub const HOST: Self = Self(0);
}
