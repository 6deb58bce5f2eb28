//! Modes of a walk: to one goal, after a character, away from one, from stop to stop, anywhere.
//!
//! In: checked options of the verb. Out: a plan that `sim::walk_modes` carries on. Holds: whatever the
//! mode, there is one walk with one result; the number of new aims of a mode is bounded. Not here:
//! options that every walk has (`walk`), how a mode is carried on (`sim::walk_modes`).

use std::sync::Arc;

use glam::Vec3;

use crate::base::hash::StateHash;
use crate::base::ids::AreaId;
use crate::base::rng::Rng;
use crate::base::time::TickNumber;
use crate::world::goal::Goal;
use crate::world::place::Mark;

/// What a walk does when it has come to where it aims, and where it aims next.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum WalkMode {
    /// To its goal, then it is over.
    #[default]
    Once,
    /// Keeps up with the character that is its goal.
    Follow(Follow),
    /// Away from its goal.
    Flee(Flee),
    /// From stop to stop.
    Patrol(Patrol),
    /// To random points; never arrives.
    Wander(Wander),
}

/// How long to stand at a stop, seconds: drawn again each time, as the same time at every tick rate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pause {
    /// At least.
    pub least_s: f64,
    /// And less than this, where it is more.
    pub most_s: f64,
}

impl Pause {
    /// One pause, seconds. Draws nothing when both ends are the same.
    pub fn draw(self, rng: &mut Rng) -> f64 {
        if self.least_s < self.most_s { rng.float(self.least_s, self.most_s) } else { self.least_s }
    }

    fn hash_into(self, hash: &mut StateHash) {
        hash.number(self.least_s).number(self.most_s);
    }
}

/// Getting away from a character or a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Flee {
    /// Metres in a straight line that are far enough.
    pub distance_m: f32,
    /// Where the threat was when the walker last chose where to run.
    pub seen: Option<Vec3>,
    /// Whether there is nowhere better to go.
    pub is_cornered: bool,
}

impl Flee {
    /// Metres that are far enough when nothing is said.
    pub const DISTANCE_M: f32 = 8.0;
}

/// A stop of a patrol.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// Where to.
    pub goal: Goal,
    /// As scripts see it.
    pub mark: Mark,
}

/// Walking stops in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Patrol {
    /// The stops, one or more.
    pub stops: Arc<[Stop]>,
    /// The stop it is on its way to or stands at, from 0.
    pub at: usize,
    /// Begin again after the last.
    pub is_loop: bool,
    /// At each stop.
    pub pause: Pause,
    /// Stops out of reach since the last one reached.
    pub misses: usize,
}

/// Walking about.
#[derive(Clone, Debug, PartialEq)]
pub struct Wander {
    /// Only in this area.
    pub area: Option<AreaId>,
    /// Only around this point; anywhere, if none.
    pub around: Option<Vec3>,
    /// And so far around it, metres.
    pub within_m: f32,
    /// At each point.
    pub pause: Pause,
    /// Points that turned out to be out of reach, one after the other.
    pub misses: u32,
}

impl Wander {
    /// Points out of reach in a row after which there is no way.
    pub const MISSES_MAX: u32 = 8;
}

/// Places to pass on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoints {
    /// Those left, the next one last.
    pub left: Vec<Vec3>,
    /// Where the walk goes after them, as a point.
    pub last: Vec3,
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
    pub far_since: Option<TickNumber>,
    /// Since when the walker has stood at the end of a way that does not lead to the target. A way that does
    /// clears it; a target that walks back and forth behind a wall does not.
    pub stranded_since: Option<TickNumber>,
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

    /// Counts how long the target is lost or out of reach from the beginning.
    pub(crate) fn restart_patience(&mut self) {
        (self.far_since, self.stranded_since) = (None, None);
    }
}

impl Patrol {
    /// Whether the stop that it is on its way to, or stands at, is its last.
    pub(crate) fn ends_here(&self) -> bool {
        !self.is_loop && self.at + 1 == self.stops.len()
    }
}

impl WalkMode {
    /// Mixes in everything that decides where the walk goes.
    pub fn hash_into(&self, hash: &mut StateHash) {
        match self {
            Self::Once => _ = hash.word(0),
            Self::Follow(follow) => {
                hash.word(1).float(follow.distance_m).flag(follow.keep);
                hash.float(follow.lose_beyond_m.unwrap_or(-1.0)).word(follow.lose_after_ticks);
                hash_tick(hash, follow.far_since);
                hash_tick(hash, follow.stranded_since);
            }
            Self::Flee(flee) => {
                hash.word(2).float(flee.distance_m).flag(flee.is_cornered);
                hash.flag(flee.seen.is_some()).vector(flee.seen.unwrap_or_default());
            }
            Self::Patrol(patrol) => {
                hash.word(3).word(patrol.at as u64).flag(patrol.is_loop).word(patrol.misses as u64);
                patrol.pause.hash_into(hash);
                for Stop { goal, mark } in patrol.stops.iter() {
                    hash.vector(mark.position);
                    // A point is that of the mark.
                    if !matches!(goal, Goal::Point(_)) {
                        goal.hash_into(hash);
                    }
                }
            }
            Self::Wander(wander) => {
                let around = wander.around.unwrap_or_default();
                hash.word(4).word(wander.area.map_or(0, |area| u64::from(area.0) + 1));
                hash.pair(u32::from(wander.around.is_some()), wander.misses);
                hash.floats([around.x, around.y, around.z, wander.within_m]);
                wander.pause.hash_into(hash);
            }
        }
    }
}

fn hash_tick(hash: &mut StateHash, tick: Option<TickNumber>) {
    hash.word(tick.map_or(0, |tick| tick.0 + 1));
}
