//! A door: a named area that opens and closes over time.
//!
//! In: requests (`ops::doors`), bodies in the doorway (`sim::doors`). Out: a state, and the answer to
//! every request. Holds: passable only while wholly open; a request is answered exactly once; an opposite
//! request answers the older one `cancelled`; nobody is ever crushed (fault:G9).

use crate::base::geom::Bounds;
use crate::base::ids::{AreaId, CharacterId};
use crate::base::time::TickNumber;
use crate::world::owner::Owner;

/// Where a door is in its movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoorState {
    /// Wholly open: the only state in which it can be walked through.
    Open,
    /// On its way to open.
    Opening,
    /// Wholly closed.
    Closed,
    /// On its way to closed; impassable from the first tick.
    Closing,
}

/// How a door is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoorAim {
    /// Wholly open.
    Open,
    /// Wholly closed.
    Closed,
}

impl DoorAim {
    /// As scripts say it.
    #[must_use]
    pub fn of(is_open: bool) -> Self {
        if is_open { Self::Open } else { Self::Closed }
    }
}

impl DoorState {
    /// The word scripts and traces use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Opening => "opening",
            Self::Closed => "closed",
            Self::Closing => "closing",
        }
    }
}

/// What a walk does about doors that are not open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DoorPolicy {
    /// They are walls.
    #[default]
    Avoid,
    /// Those it can open are planned through, opened, and left open.
    Open,
    /// All are planned through; it stands in front until the door is opened.
    Wait,
}

impl DoorPolicy {
    /// Every policy, with the word levels and scripts use.
    pub const NAMES: [(&str, Self); 3] = [("avoid", Self::Avoid), ("open", Self::Open), ("wait", Self::Wait)];
}

/// What to do when a character stands in a door that is to close.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenOccupied {
    /// Stay open until the doorway is clear.
    #[default]
    Wait,
    /// Give up at once: `occupied`.
    Refuse,
    /// Move them to a free cell within [`Door::PUSH_M`], else wait.
    Push,
}

/// A request about a door that has not been answered.
#[derive(Clone, Debug, PartialEq)]
pub struct DoorRequest {
    /// Numbers of the askers, in order of asking; each is answered.
    pub serials: Vec<u64>,
    /// Open it, or close it.
    pub open: bool,
    /// On whose account.
    pub by: Option<CharacterId>,
    /// The owner that asked last.
    pub owner: Owner,
    /// For closing.
    pub when_occupied: WhenOccupied,
    /// When waiting for a clear doorway ends; never, if none.
    pub give_up: Option<TickNumber>,
    /// Move at once, without taking time.
    pub is_instant: bool,
}

/// How a request about a door ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoorReason {
    /// The door moved as asked.
    Done,
    /// It was so already.
    Already,
    /// Its lock refused.
    Locked,
    /// A character stood in the way.
    Occupied,
    /// A later request took over.
    Cancelled,
}

impl DoorReason {
    /// The word scripts use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Already => "already",
            Self::Locked => "locked",
            Self::Occupied => "occupied",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the door is as it was asked to be.
    #[must_use]
    pub fn is_ok(self) -> bool {
        matches!(self, Self::Done | Self::Already)
    }
}

/// What a door tells its listeners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoorSignal {
    /// It begins to open.
    Opening,
    /// It is open.
    Opened,
    /// It begins to close.
    Closing,
    /// It is closed.
    Closed,
    /// It was locked.
    Locked,
    /// It was unlocked.
    Unlocked,
    /// It refused to open.
    Refused,
}

impl DoorSignal {
    /// Every signal.
    pub const ALL: [Self; 7] = [
        Self::Opening,
        Self::Opened,
        Self::Closing,
        Self::Closed,
        Self::Locked,
        Self::Unlocked,
        Self::Refused,
    ];

    /// The word scripts use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Opened => "opened",
            Self::Closing => "closing",
            Self::Closed => "closed",
            Self::Locked => "locked",
            Self::Unlocked => "unlocked",
            Self::Refused => "refused",
        }
    }
}

/// A door of the level.
#[derive(Clone, Debug, PartialEq)]
pub struct Door {
    /// Unique in the level.
    pub name: String,
    /// The area it rules.
    pub area: AreaId,
    /// The middle of the area's bounds, metres.
    pub position: glam::Vec3,
    /// The area's bounds on the ground.
    pub bounds: Bounds,
    /// How long a whole movement takes, seconds.
    pub moving_s: f64,
    /// Where it is in its movement.
    pub state: DoorState,
    /// Ticks of movement left, 0 when it stands still.
    pub left_ticks: u64,
    /// Whether it refuses to open.
    pub is_locked: bool,
    /// The key its lock wants, if any.
    pub key: Option<String>,
    /// The direction on the ground, along x and z, in which alone it may be walked through; any, if none.
    pub one_way: Option<[f32; 2]>,
    /// Tags that let a character pass when it has one of them; for others the door is a wall however it
    /// stands. Empty: every character.
    pub teams: Vec<String>,
    /// The request it is carrying out or waiting to.
    pub request: Option<DoorRequest>,
    /// When an edit of the level has taken it away; its number goes on meaning it, its name is free.
    pub removed: Option<DoorRemoval>,
}

/// That an edit of the level has taken a door away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoorRemoval {
    /// In which tick.
    pub tick: TickNumber,
    /// The name of the area it ruled.
    pub area: String,
}

impl DoorRequest {
    /// Askers of one request, at most; the oldest are answered as cancelled.
    pub(crate) const SERIALS_MAX: usize = 4096;
}

impl Door {
    /// How far in front of a closed door a walker stops, metres from where its area begins. Far enough that
    /// the body stands clear of the doorway, near enough to reach the handle.
    pub const STANDOFF_M: f32 = 0.6;
    /// How far a character is moved out of a door that pushes, metres (fault:G9).
    pub const PUSH_M: f32 = 1.2;

    /// A door of that name; nothing else is known of it.
    pub(crate) fn blank(name: String) -> Self {
        Self {
            name,
            area: AreaId(u32::MAX),
            position: glam::Vec3::ZERO,
            bounds: Bounds::of(&[[0.0, 0.0]]),
            moving_s: 0.0,
            state: DoorState::Closed,
            left_ticks: 0,
            is_locked: false,
            key: None,
            one_way: None,
            teams: Vec::new(),
            request: None,
            removed: None,
        }
    }

    /// Whether an edit of the level has taken it away.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.removed.is_some()
    }

    /// Whether it can be walked through.
    #[must_use]
    pub fn is_passable(&self) -> bool {
        self.shown_state() == DoorState::Open
    }

    /// The state scripts see: a request counts from the moment it was made, although step 4 carries it out.
    #[must_use]
    pub fn shown_state(&self) -> DoorState {
        match (&self.request, self.state) {
            (Some(request), DoorState::Closed | DoorState::Closing) if request.open => DoorState::Opening,
            (_, state) => state,
        }
    }

    /// Whether it is open, or will be when the request under way is done.
    #[must_use]
    pub fn is_opening_or_open(&self) -> bool {
        match &self.request {
            Some(request) => request.open,
            None => matches!(self.state, DoorState::Open | DoorState::Opening),
        }
    }

    /// Whether a character with these tags may pass at all.
    #[must_use]
    pub fn admits(&self, tags: &[String]) -> bool {
        self.teams.is_empty() || self.teams.iter().any(|team| tags.contains(team))
    }

    /// Whether a character with these keys could open it.
    #[must_use]
    pub fn opens_for(&self, keys: &[String]) -> bool {
        !self.is_locked || self.key.as_ref().is_some_and(|key| keys.contains(key))
    }
}
