//! Encodes the enums and the smallest structs of the world for save games.
//!
//! In, out: fields, one by one. Holds: a word keeps its number for good; a field is in the list or excused.
//! Not here: what is told compactly, in relation to something else (`characters`, `walks`).

use walkon_nav::{saved, saved_choice, saved_words};

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::time::TickNumber;
use crate::world::character::{Displaced, Gait, Gone, Nudge, Past, Play, Removal, Turn};
use crate::world::day::DayTime;
use crate::world::door::{
    DoorPolicy, DoorReason, DoorRemoval, DoorRequest, DoorSignal, DoorState, WhenOccupied,
};
use crate::world::goal::Goal;
use crate::world::outcome::{Blocker, Journey, Reason, Status, WalkResult};
use crate::world::owner::Owner;
use crate::world::place::Mark;
use crate::world::sense::Noise;
use crate::world::tiles::{Terrain, Tile, TileSpot};
use crate::world::walk::{
    AcceptEnd, Ask, Crowd, GoalSlot, LinkTaking, LookTarget, OnLink, Shortcuts, Tells, WaitCause, WalkPace,
};
use crate::world::walk_mode::{Checkpoints, Flee, Follow, Patrol, Pause, Stop, WalkMode, Wander};
use crate::world::walks::WalkCounts;

saved_words!(DoorPolicy, 2: Avoid, Open, Wait);
saved_words!(DoorState, 2: Open, Opening, Closed, Closing);
saved_words!(WhenOccupied, 2: Wait, Refuse, Push);
saved_words!(DoorReason, 3: Done, Already, Locked, Occupied, Cancelled);
saved_words!(DoorSignal, 3: Opening, Opened, Closing, Closed, Locked, Unlocked, Refused);
saved_words!(Displaced, 2: No, Spawned, Teleported, Skipped);
saved_words!(AcceptEnd, 2: Partial, Near, Nearest, Exact);
saved_words!(Crowd, 2: Push, Yield, Ghost);
saved_words!(Ask, 3: First, Door, Map, Target, Crowd, Better, Leg);
saved_words!(Terrain, 4: Ground, Grass, Sand, Mud, Water, Ice, Snow, Rock, Bridge, Lava);
saved_words!(Status, 2: Arrived, Partial, Blocked, Cancelled);
saved_words!(
    Reason, 5: Reached, AlreadyThere, CloseEnough, Nearest, Skipped, Forced, NoPath, StartOffNav, Occupied,
    DoorClosed, Stuck, Timeout, TooWide, Limit, Stopped, Superseded, TargetGone, Despawned, OwnerGone,
    LostRace, LevelEnd,
);

impl Saved for OnLink {
    fn save(&self, out: &mut ByteWriter) {
        let Self { layer, to, until, by } = self;
        // What a script has taken over is over with its code, as at a reload.
        let (until, failure) = match by {
            LinkTaking::Walked => (*until, None),
            LinkTaking::Scripted => (TickNumber(0), None),
            LinkTaking::Failed(reason) => (*until, Some(*reason)),
        };
        layer.save(out);
        to.save(out);
        until.save(out);
        failure.save(out);
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        let (layer, to, until) = (Saved::load(input)?, Saved::load(input)?, Saved::load(input)?);
        let failure: Option<Reason> = Saved::load(input)?;
        Ok(Self { layer, to, until, by: failure.map_or(LinkTaking::Walked, LinkTaking::Failed) })
    }
}

// A thousand years, and the paces that a level may have.
saved!(
    DayTime { set_min, set_at, seconds_per_minute, is_paused }
    where day => (0.0..=1e9).contains(&day.set_min) && (0.001..=3600.0).contains(&day.seconds_per_minute),
    "a time of day that cannot be"
);
saved!(
    Patrol { stops, at, is_loop, pause, misses }
    where patrol => patrol.at < patrol.stops.len(), "a patrol beyond its stops"
);
saved!(Mark { name, position, facing_rad, props });
saved!(Gait { walk_mps, run_mps, turn_radps });
saved!(Turn { serial, facing_rad });
saved!(Play { serial, animation, until });
saved!(Nudge { to, via, by, until });
saved!(Removal { tick, by });
saved!(Gone { serial, name, removal });
saved!(DoorRequest { serials, open, by, owner, when_occupied, give_up, is_instant });
saved!(DoorRemoval { tick, area });
saved!(Noise { serial, by, position, layer, loudness_m, tick });
saved!(Tile { navigable, cost, terrain, tags });
saved!(TileSpot { layer, column, row });
saved!(GoalSlot { point, goal, beside });
saved!(Shortcuts { due, rests_until, is_on_one, turned_back });
saved!(Tells { waypoint, near, blocked });
saved!(Pause { least_s, most_s });
saved!(Follow { distance_m, keep, lose_beyond_m, lose_after_ticks, far_since, stranded_since });
saved!(Flee { distance_m, seen, is_cornered });
saved!(Wander { area, around, within_m, pause, misses });
saved!(Stop { goal, mark });
saved!(Checkpoints { left, last });
saved!(WalkCounts { accepted, arrived, partial, blocked, cancelled });
saved!(Journey { walk, character, position, goal, remaining_m, travelled_m, ticks, repaths, by, because });

impl Saved for Owner {
    fn save(&self, out: &mut ByteWriter) {
        out.word(u64::from(self.0));
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        input.count().map(Self)
    }
}

impl Saved for Past {
    fn save(&self, out: &mut ByteWriter) {
        out.signed(self.told());
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        let told = input.signed()?;
        let is_time = told.unsigned_abs() <= crate::base::bytes::COUNT_MAX;
        if is_time { Ok(Self::of(told)) } else { Err(DecodeError::new("a tick beyond all time")) }
    }
}

saved_choice!(Goal, 2: 0: Point(point), 1: Character(id), 2: Door(id));
saved_choice!(Blocker, 1: 0: Character(id), 1: Door(id));
saved_choice!(WaitCause, 1: 0: Door(id), 1: Others);
saved_choice!(WalkPace, 2: 0: Walk, 1: Run, 2: Speed(speed in 0.0..=1e3));
saved_choice!(LookTarget, 2: 0: Angle(angle in f32::MIN..=f32::MAX), 1: Point(point), 2: Character(id));
impl Saved for WalkResult {
    fn save(&self, out: &mut ByteWriter) {
        self.status().save(out);
        self.reason().save(out);
        self.journey.save(out);
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        let (status, reason) = (Status::load(input)?, Reason::load(input)?);
        if !reason.status_allowed(status) {
            return Err(DecodeError::new("a walk that ended as none does"));
        }
        Ok(Self::new(status, reason, Saved::load(input)?))
    }
}

impl Saved for WalkMode {
    fn save(&self, out: &mut ByteWriter) {
        out.flag(*self == Self::Once);
        match self {
            Self::Once => {}
            Self::Follow(follow) => {
                out.small(0, 2);
                follow.save(out);
            }
            Self::Flee(flee) => {
                out.small(1, 2);
                flee.save(out);
            }
            Self::Patrol(patrol) => {
                out.small(2, 2);
                patrol.save(out);
            }
            Self::Wander(wander) => {
                out.small(3, 2);
                wander.save(out);
            }
        }
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        if input.flag()? {
            return Ok(Self::Once);
        }
        Ok(match input.small(2)? {
            0 => Self::Follow(Saved::load(input)?),
            1 => Self::Flee(Saved::load(input)?),
            2 => Self::Patrol(Saved::load(input)?),
            _ => Self::Wander(Saved::load(input)?),
        })
    }
}
