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

/// A key of a table whose places are used again: where its value lies, and how often that place was used.
pub trait GenerationalKey: slotmap::Key {
    /// The place in the lower 32 bits, the generation in the upper. `Key::data` tells the same, by a call
    /// from another crate, which a table cannot afford for every look.
    #[must_use]
    fn bits(self) -> u64;

    /// The key of these bits, whether there is a value behind it or not.
    #[must_use]
    fn from_bits(bits: u64) -> Self {
        slotmap::KeyData::from_ffi(bits).into()
    }

    /// Where the value lies.
    #[must_use]
    #[inline]
    fn place(self) -> usize {
        self.bits() as u32 as usize
    }

    /// How often the place was taken and left.
    #[must_use]
    #[inline]
    fn generation(self) -> u32 {
        (self.bits() >> 32) as u32
    }
}

macro_rules! generational {
    ($($name:ident),*) => {
        $(impl GenerationalKey for $name {
            #[inline]
            fn bits(self) -> u64 {
                self.0.as_ffi()
            }
        })*
    };
}

generational!(CharacterId, WalkId, PathToken);

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
