//! Hashes of values that several parts of the state share.

use crate::base::hash::StateHash;
use crate::base::ids::{CharacterId, GenerationalKey};
use crate::nav::PathFailure;

/// Mixes in whether there is a value, and the value.
pub(super) fn optional<T>(hash: &mut StateHash, value: Option<T>, mix: impl FnOnce(&mut StateHash, T)) {
    hash.flag(value.is_some());
    if let Some(value) = value {
        mix(hash, value);
    }
}

/// Mixes in the character that is meant: an id is given out once.
#[inline]
pub(super) fn hash_id(hash: &mut StateHash, id: CharacterId) -> &mut StateHash {
    hash.word(id.bits())
}

/// Mixes in why a path does not lead to its goal.
pub(super) fn hash_failure(hash: &mut StateHash, trouble: Option<PathFailure>) {
    match trouble {
        None => hash.word(0),
        Some(PathFailure::NoPath) => hash.word(1),
        Some(PathFailure::StartOffNav) => hash.word(2),
        Some(PathFailure::Area(area)) => hash.word(3).word(u64::from(area.0)),
        Some(PathFailure::TooWide) => hash.word(4),
        Some(PathFailure::Occupied) => hash.word(5),
        Some(PathFailure::Limit) => hash.word(6),
    };
}
