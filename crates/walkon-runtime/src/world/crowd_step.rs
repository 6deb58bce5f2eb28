//! The intermediate results of a crowd step, from step 7 to step 9: never part of the state.
//!
//! Holds: at most one move for each body. Not here: the steps themselves (`sim::{follow, avoid, integrate}`).

use slotmap::Key;

use crate::base::ids::{CharacterId, WalkId};
use crate::base::threads::Threads;
use crate::crowd::follow::{StepGait, Stride};
use crate::nav::OpenGround;
use crate::world::crowd_columns::CrowdColumns;
use crate::world::scene_fast_forward::Cast;

/// What steps 7 to 9 hand on to one another.
#[derive(Clone, Debug, Default)]
pub struct CrowdStep {
    /// The walks that may go on, in the order of their places in memory.
    pub(crate) walks: Vec<WalkId>,
    /// Where every character under way goes in this step.
    pub(crate) moves: Vec<Move>,
    /// Columns over every character, for steps 8 and 9.
    pub(crate) bodies: CrowdColumns,
    /// The characters that take part, when the step is one of a skipped scene; all others stand still. None
    /// between ticks.
    pub(crate) cast: Option<Cast>,
    /// The result of the look at each walk, in step 7.
    pub(crate) looks: Vec<WalkLook>,
    /// The threads that work it out; the result is the same for any number of them.
    pub(crate) threads: Threads,
}

/// The result of the look at a walk in step 7.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WalkLook {
    /// It makes no move in this step.
    #[default]
    Stands,
    /// It makes its move.
    Goes,
    /// It stands at a door, takes a link or the like, and changes something as it does: one after another.
    Acts,
}

/// What step 7 asks of steps 8 and 9.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// The walk to go on with; none for a character that steps aside.
    pub walk: Option<WalkId>,
    /// The character.
    pub character: CharacterId,
    /// How it goes.
    pub gait: StepGait,
    /// Where it comes to if nobody is in the way.
    pub stride: Stride,
    /// Ground around it that step 7 found open.
    pub open: OpenGround,
    /// Metres of its way that are left as the step begins.
    pub left_m: f32,
    /// Ticks since it last got on along its way.
    pub held_ticks: u64,
    /// Whether it has left where it set out from.
    pub has_set_out: bool,
    /// Whether its walk is [`Phase::Moving`](crate::world::walk::Phase::Moving).
    pub is_moving: bool,
    /// Metres of its own step.
    pub stepped_m: f32,
    /// Whether it passes through others.
    pub is_ghost: bool,
    /// Whether it climbs: no ground is asked for its step.
    pub is_climb: bool,
    /// Whether the map did not let it, although nobody was in the way.
    pub is_clipped: bool,
    /// Whether it had been told to turn.
    pub was_turning: bool,
}

impl Move {
    /// Nobody's.
    pub(crate) fn none() -> Self {
        let gait = StepGait {
            speed_mps: 0.0,
            turn_radps: 0.0,
            step_s: 0.0,
            reach_m: 0.0,
            brakes: false,
            is_exact: false,
            is_open: false,
        };
        Self::of(CharacterId::null(), gait)
    }

    /// The move of a character with this gait; where to is yet to be worked out.
    #[inline]
    pub(crate) fn of(character: CharacterId, gait: StepGait) -> Self {
        Self {
            walk: None,
            character,
            gait,
            stride: Stride::NONE,
            open: OpenGround::NONE,
            left_m: 0.0,
            held_ticks: 0,
            has_set_out: false,
            is_moving: false,
            stepped_m: 0.0,
            is_ghost: false,
            is_climb: false,
            is_clipped: false,
            was_turning: false,
        }
    }
}
