//! How a walk ended: statuses, reasons, the table of legal pairs, and the one way to make a result.
//!
//! In: a status, a reason, where and when. Out: a [`WalkResult`] that the table allows.
//! Holds: the list of reasons is closed and only ever grows; a pair outside the table is refused, so no walk
//! ends in a way that scripts have never heard of.

use crate::base::ids::{CharacterId, DoorId};

/// The four ways in which a walk settles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// The character stands where it was to go, or as near as the walk accepts.
    Arrived,
    /// The goal cannot be reached; the character stands at the reachable point nearest to it.
    Partial,
    /// Something in the world is in the way; the reason says what.
    Blocked,
    /// A script or the host ended the walk.
    Cancelled,
}

/// Why a walk settled. One closed list; see [`Reason::status_allowed`] for what goes with what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Within the walk's radius of the goal.
    Reached,
    /// It stood there from the start.
    AlreadyThere,
    /// The goal was held by a character; it stands beside it.
    CloseEnough,
    /// At the reachable point nearest to the goal.
    Nearest,
    /// Moved there by a skipped cinematic.
    Skipped,
    /// Put there by `ensure`.
    Forced,
    /// There is no way.
    NoPath,
    /// It stands farther than eight metres from walkable ground.
    StartOffNav,
    /// A character holds the goal and does not leave.
    Occupied,
    /// A closed door is in the way.
    DoorClosed,
    /// No progress for the walk's patience.
    Stuck,
    /// The walk's own time is over.
    Timeout,
    /// The body does not fit through.
    TooWide,
    /// The search, or the number of walks, was beyond a limit.
    Limit,
    /// A verb stopped it.
    Stopped,
    /// A newer walk, or a cinematic, took the character.
    Superseded,
    /// The character it walked to is gone.
    TargetGone,
    /// The walker is gone.
    Despawned,
    /// The code that started it has ended.
    OwnerGone,
    /// Another entry of a race won.
    LostRace,
    /// The level ended.
    LevelEnd,
}

impl Status {
    /// Every status, in the order of the documents.
    pub const ALL: [Self; 4] = [Self::Arrived, Self::Partial, Self::Blocked, Self::Cancelled];

    /// The word scripts and traces use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Arrived => "arrived",
            Self::Partial => "partial",
            Self::Blocked => "blocked",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Reason {
    /// Every reason, in the order of the documents.
    pub const ALL: [Self; 21] = [
        Self::Reached,
        Self::AlreadyThere,
        Self::CloseEnough,
        Self::Nearest,
        Self::Skipped,
        Self::Forced,
        Self::NoPath,
        Self::StartOffNav,
        Self::Occupied,
        Self::DoorClosed,
        Self::Stuck,
        Self::Timeout,
        Self::TooWide,
        Self::Limit,
        Self::Stopped,
        Self::Superseded,
        Self::TargetGone,
        Self::Despawned,
        Self::OwnerGone,
        Self::LostRace,
        Self::LevelEnd,
    ];

    /// The word scripts and traces use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reached => "reached",
            Self::AlreadyThere => "alreadyThere",
            Self::CloseEnough => "closeEnough",
            Self::Nearest => "nearest",
            Self::Skipped => "skipped",
            Self::Forced => "forced",
            Self::NoPath => "noPath",
            Self::StartOffNav => "startOffNav",
            Self::Occupied => "occupied",
            Self::DoorClosed => "doorClosed",
            Self::Stuck => "stuck",
            Self::Timeout => "timeout",
            Self::TooWide => "tooWide",
            Self::Limit => "limit",
            Self::Stopped => "stopped",
            Self::Superseded => "superseded",
            Self::TargetGone => "targetGone",
            Self::Despawned => "despawned",
            Self::OwnerGone => "ownerGone",
            Self::LostRace => "lostRace",
            Self::LevelEnd => "levelEnd",
        }
    }

    /// Whether the table has this reason under `status`.
    #[must_use]
    pub fn status_allowed(self, status: Status) -> bool {
        match self {
            Self::Reached | Self::AlreadyThere | Self::CloseEnough | Self::Skipped | Self::Forced => {
                status == Status::Arrived
            }
            Self::Nearest => matches!(status, Status::Arrived | Status::Partial),
            Self::NoPath
            | Self::StartOffNav
            | Self::Occupied
            | Self::DoorClosed
            | Self::Stuck
            | Self::Timeout
            | Self::TooWide
            | Self::Limit => status == Status::Blocked,
            Self::Stopped
            | Self::Superseded
            | Self::TargetGone
            | Self::Despawned
            | Self::OwnerGone
            | Self::LostRace
            | Self::LevelEnd => status == Status::Cancelled,
        }
    }

    /// The status of a reason that stands under one only; `Nearest` counts as partial.
    #[must_use]
    pub fn usual_status(self) -> Status {
        if self == Self::Nearest {
            return Status::Partial;
        }
        Status::ALL.into_iter().find(|&status| self.status_allowed(status)).unwrap_or(Status::Blocked)
    }
}

/// What stood in the way: a character or a door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocker {
    /// A character.
    Character(CharacterId),
    /// A door.
    Door(DoorId),
}

/// The measures of a walk at the moment it settled.
#[derive(Clone, Debug, PartialEq)]
pub struct Journey {
    /// Number of the walk, counted from 1 over the level.
    pub walk: u64,
    /// The walker.
    pub character: CharacterId,
    /// Where it stands, metres.
    pub position: [f32; 3],
    /// Where it was to go, metres.
    pub goal: [f32; 3],
    /// Metres of way left, or the straight distance where there is no way.
    pub remaining_m: f32,
    /// Metres walked.
    pub travelled_m: f32,
    /// Ticks since the walk was asked for.
    pub ticks: u64,
    /// Plans made after the first.
    pub repaths: u32,
    /// The blocker.
    pub by: Option<Blocker>,
    /// What ended the code that the walk belonged to: `branch "scout" failed`.
    pub because: Option<String>,
}

/// The end of a walk: a legal pair and the measures of the way.
#[derive(Clone, Debug, PartialEq)]
pub struct WalkResult {
    status: Status,
    reason: Reason,
    /// The measures of the walk.
    pub journey: Journey,
}

impl WalkResult {
    /// The result of a walk. Panics on a pair that the table does not have: that is a bug of ours,
    /// never something a level or a script can cause.
    #[must_use]
    pub fn new(status: Status, reason: Reason, journey: Journey) -> Self {
        assert!(
            reason.status_allowed(status),
            "{}/{} is not in the table of outcomes",
            status.name(),
            reason.name()
        );
        Self { status, reason, journey }
    }

    /// How it ended.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// Why it ended.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// Whether it arrived.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.status == Status::Arrived
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_stands_under_one_status_but_nearest_under_two() {
        // Scripts are given them by their numbers.
        assert!(Status::ALL.iter().enumerate().all(|(place, &status)| status as usize == place));
        assert!(Reason::ALL.iter().enumerate().all(|(place, &reason)| reason as usize == place));
        for reason in Reason::ALL {
            let count = Status::ALL.into_iter().filter(|&status| reason.status_allowed(status)).count();
            assert_eq!(count, if reason == Reason::Nearest { 2 } else { 1 }, "{}", reason.name());
            assert!(reason.status_allowed(reason.usual_status()));
        }
    }

    #[test]
    #[should_panic(expected = "arrived/noPath is not in the table")]
    fn a_pair_outside_the_table_is_refused() {
        let journey = Journey {
            walk: 1,
            character: CharacterId::default(),
            position: [0.0; 3],
            goal: [0.0; 3],
            remaining_m: 0.0,
            travelled_m: 0.0,
            ticks: 0,
            repaths: 0,
            by: None,
            because: None,
        };
        let _ = WalkResult::new(Status::Arrived, Reason::NoPath, journey);
    }
}
