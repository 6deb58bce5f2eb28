//! On whose behalf something is done.

/// Anyone who asked for a walk or a watch: a behaviour, a scene, a level script, a test, or the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner(pub u32);

impl Owner {
    /// The game that embeds the level; never ends.
    pub const HOST: Self = Self(0);
}
