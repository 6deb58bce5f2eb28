//! Identities of the things in a level.
//!
//! In: nothing. Out: types of ids. Never: what an id stands for.
//!
//! Two kinds: generational keys for what comes and goes while a level runs (a stale key never means
//! another thing), and plain indices in level order for what a level defines once and keeps.

slotmap::new_key_type! {
    /// A character. Stale once the character has been despawned and culled.
    pub struct CharacterId;
    /// A walk. Stale once the walk has settled and been delivered.
    pub struct WalkId;
    /// A path request. Stale once its outcome was taken or it was cancelled.
    pub struct PathToken;
}

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the list that defines it, for indexing.
            #[must_use]
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            /// Panics above 2^32 - 1 entries, which every level limit excludes.
            #[inline]
            fn from(index: usize) -> Self {
                assert!(u32::try_from(index).is_ok(), "level limits keep lists far below 2^32 entries");
                Self(index as u32)
            }
        }
    };
}

index! {
    /// An area of the navigation map, by its place in the level.
    AreaId
}
index! {
    /// A door, by its place in the level.
    DoorId
}
index! {
    /// A region, by its place in the level.
    RegionId
}
