//! How a walk goes on: to one goal, after somebody, away from somebody, from stop to stop, anywhere.
//!
//! In: checked options of the verb. Out: a plan that `sim::courses` carries on. Holds: whatever the course, there is one walk
//! with one result; a course that aims again and again has a bound on how often. Not here: options that every walk has
//! (`walk`), how a course is carried on (`sim::courses`).

use crate::base::hash::StateHash;
use crate::base::time::Tick;

/// What a walk does when it has come to where it aims, and where it aims next.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Course {
    /// To its goal, then it is over.
    #[default]
    Once,
    /// Keeps up with the character that is its goal.
    Follow(Follow),
}

/// Keeping up with a character.
#[derive(Clone, Debug, PartialEq)]
pub struct Follow {
    /// Metres from centre to centre that are near enough.
    pub distance_m: f32,
    /// Never settle on reaching: stay close until stopped.
    pub keep: bool,
    /// The target is lost when it is farther than this, metres; never, if none.
    pub lose_beyond_m: Option<f32>,
    /// And has been so for this long.
    pub lose_after_ticks: u64,
    /// Since when it has been farther.
    pub far_since: Option<Tick>,
    /// Since when the walker has stood at the end of a way that does not lead to the target. A way that does clears it; a
    /// target that walks to and fro behind a wall does not.
    pub stranded_since: Option<Tick>,
}

impl Follow {
    /// Following that says nothing: near enough at `distance_m`, never lost.
    #[must_use]
    pub fn within(distance_m: f32) -> Self {
        Self {
            distance_m,
            keep: false,
            lose_beyond_m: None,
            lose_after_ticks: 0,
            far_since: None,
            stranded_since: None,
        }
    }
}

impl Course {
    /// Mixes in everything that decides where the walk goes; nothing for a walk to one goal.
    pub fn hash_into(&self, hash: &mut StateHash) {
        match self {
            Self::Once => {}
            Self::Follow(follow) => {
                hash.word(1).float(follow.distance_m).flag(follow.keep);
                hash.float(follow.lose_beyond_m.unwrap_or(-1.0)).word(follow.lose_after_ticks);
                hash_tick(hash, follow.far_since);
                hash_tick(hash, follow.stranded_since);
            }
        }
    }
}

fn hash_tick(hash: &mut StateHash, tick: Option<Tick>) {
    hash.word(tick.map_or(0, |tick| tick.0 + 1));
}
