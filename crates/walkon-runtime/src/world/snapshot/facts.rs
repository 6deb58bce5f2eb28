//! Facts that wait for scripts, as a save game holds them: those of a tick that was too full, and of verbs of
//! the host between two ticks.
//!
//! In, out: fields, one by one. Holds: a fact that only tells what a load ends (watches, paths that scripts
//! asked for, results of code) is not written. Not here: facts for the host, which were told.

use walkon_nav::saved;

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::value::Plain;
use crate::world::event::{EventQueue, Fact, ReloadedFile, WalkNews};

saved!(ReloadedFile { hash, text });

/// Writes what waits.
pub(super) fn save(out: &mut ByteWriter, events: &EventQueue) {
    let EventQueue {
        waiting,
        // Told to the host, which changes nothing.
        recorded: _,
        dropped: _,
        // No tick comes after the end.
        after_end: _,
    } = events;
    let kept: Vec<&Fact> = waiting.iter().filter(|fact| number(fact).is_some()).collect();
    out.list(kept.into_iter(), |out, fact| _ = save_one(out, fact));
}

/// How many of the first `count` facts that wait are written.
pub(crate) fn kept_of(events: &EventQueue, count: u64) -> u64 {
    let first = events.waiting.iter().take(usize::try_from(count).unwrap_or(usize::MAX));
    first.filter(|fact| number(fact).is_some()).count() as u64
}

/// The number of a kind of fact; none for those that are not written.
fn number(fact: &Fact) -> Option<u8> {
    Some(match fact {
        Fact::Spawned(_) => 0,
        Fact::Despawned(_) => 1,
        Fact::WalkSettled(_) => 2,
        Fact::WalkNews { .. } => 3,
        Fact::DoorChanged { .. } => 4,
        Fact::DoorSignal { .. } => 5,
        Fact::DoorMoveEnded { .. } => 6,
        Fact::AreaChanged { .. } => 7,
        Fact::MapRevision(_) => 8,
        Fact::TurnEnded { .. } => 9,
        Fact::PlayEnded { .. } => 10,
        Fact::Emitted { .. } => 11,
        Fact::Input { .. } => 12,
        Fact::SceneStarted { .. } => 13,
        Fact::SceneEnded { .. } => 14,
        Fact::Faulted(_) => 15,
        Fact::Reloaded { .. } => 16,
        Fact::ReloadRefused { .. } => 17,
        Fact::LinkBegun { .. } => 18,
        // Of watches and searches that a load ends.
        Fact::WatchEntered { .. }
        | Fact::WatchLeft { .. }
        | Fact::Noticed { .. }
        | Fact::SightLost { .. }
        | Fact::NoiseHeard { .. }
        | Fact::PathAnswered { .. } => return None,
        // For the host alone.
        Fact::WalkStarted(_)
        | Fact::Replanned { .. }
        | Fact::Nudged { .. }
        | Fact::RegionEntered { .. }
        | Fact::RegionLeft { .. }
        | Fact::InputRefused { .. }
        | Fact::Evaluated(_)
        | Fact::Cue(_)
        | Fact::Logged(_)
        | Fact::SwitchedOff(_)
        | Fact::Notice { .. } => return None,
    })
}

/// Writes a fact; false for one that is not written.
pub(in crate::world) fn save_one(out: &mut ByteWriter, fact: &Fact) -> bool {
    let Some(number) = number(fact) else { return false };
    out.byte(number);
    save_fields(out, fact);
    true
}

fn save_fields(out: &mut ByteWriter, fact: &Fact) {
    match fact {
        Fact::Spawned(id) | Fact::Despawned(id) => id.save(out),
        Fact::WalkSettled(walk) => walk.save(out),
        Fact::WalkNews { walk, news } => {
            walk.save(out);
            news.save(out);
        }
        Fact::DoorChanged { door, state, by } => {
            door.save(out);
            state.save(out);
            by.save(out);
        }
        Fact::DoorSignal { door, what, by } => {
            door.save(out);
            what.save(out);
            by.save(out);
        }
        Fact::DoorMoveEnded { serial, door, reason, by } => {
            serial.save(out);
            door.save(out);
            reason.save(out);
            by.save(out);
        }
        Fact::AreaChanged { area, available, factor } => {
            area.save(out);
            available.save(out);
            factor.save(out);
        }
        Fact::MapRevision(revision) => revision.save(out),
        Fact::TurnEnded { serial, ok } | Fact::PlayEnded { serial, ok } => {
            serial.save(out);
            ok.save(out);
        }
        Fact::Emitted { name, payload, to, by } => {
            name.save(out);
            payload.save(out);
            to.save(out);
            by.save(out);
        }
        Fact::Input { name, payload } => {
            name.save(out);
            payload.save(out);
        }
        Fact::SceneStarted { name, locks } => {
            name.save(out);
            locks.save(out);
        }
        Fact::SceneEnded { name, info } => {
            name.save(out);
            info.save(out);
        }
        Fact::LinkBegun { walk, character, action, ends, seconds } => {
            walk.save(out);
            character.save(out);
            action.save(out);
            out.vector(ends[0]);
            out.vector(ends[1]);
            out.number(*seconds);
        }
        Fact::Faulted(fault) => fault.save(out),
        Fact::Reloaded { files, notes } => {
            files.save(out);
            notes.save(out);
        }
        Fact::ReloadRefused { file, line, message, files } => {
            file.save(out);
            line.save(out);
            message.save(out);
            files.save(out);
        }
        // Not written: see `number`.
        _ => {}
    }
}

/// Reads what waits.
pub(super) fn load(input: &mut ByteReader<'_>) -> Result<EventQueue, DecodeError> {
    // As many as there are: only scripts and watches stop adding when many wait.
    let waiting = input.list(load_one)?;
    Ok(EventQueue { waiting: waiting.into(), ..EventQueue::default() })
}

fn load_one(input: &mut ByteReader<'_>) -> Result<Fact, DecodeError> {
    Ok(match input.byte()? {
        0 => Fact::Spawned(Saved::load(input)?),
        1 => Fact::Despawned(Saved::load(input)?),
        2 => Fact::WalkSettled(Saved::load(input)?),
        3 => Fact::WalkNews { walk: Saved::load(input)?, news: Saved::load(input)? },
        4 => Fact::DoorChanged {
            door: Saved::load(input)?,
            state: Saved::load(input)?,
            by: Saved::load(input)?,
        },
        5 => {
            Fact::DoorSignal { door: Saved::load(input)?, what: Saved::load(input)?, by: Saved::load(input)? }
        }
        6 => Fact::DoorMoveEnded {
            serial: Saved::load(input)?,
            door: Saved::load(input)?,
            reason: Saved::load(input)?,
            by: Saved::load(input)?,
        },
        7 => Fact::AreaChanged {
            area: Saved::load(input)?,
            available: Saved::load(input)?,
            factor: Saved::load(input)?,
        },
        8 => Fact::MapRevision(Saved::load(input)?),
        9 => Fact::TurnEnded { serial: Saved::load(input)?, ok: Saved::load(input)? },
        10 => Fact::PlayEnded { serial: Saved::load(input)?, ok: Saved::load(input)? },
        11 => Fact::Emitted {
            name: Saved::load(input)?,
            payload: Saved::load(input)?,
            to: Saved::load(input)?,
            by: Saved::load(input)?,
        },
        12 => Fact::Input { name: Saved::load(input)?, payload: Saved::load(input)? },
        13 => Fact::SceneStarted { name: Saved::load(input)?, locks: Saved::load(input)? },
        14 => Fact::SceneEnded { name: Saved::load(input)?, info: Saved::load(input)? },
        15 => Fact::Faulted(Plain::load(input)?),
        16 => Fact::Reloaded { files: Saved::load(input)?, notes: Saved::load(input)? },
        17 => Fact::ReloadRefused {
            file: Saved::load(input)?,
            line: Saved::load(input)?,
            message: Saved::load(input)?,
            files: Saved::load(input)?,
        },
        18 => Fact::LinkBegun {
            walk: Saved::load(input)?,
            character: Saved::load(input)?,
            action: Saved::load(input)?,
            ends: [input.vector()?, input.vector()?],
            seconds: input.number()?,
        },
        _ => return Err(DecodeError::new("a choice that is none")),
    })
}

impl Saved for WalkNews {
    fn save(&self, out: &mut ByteWriter) {
        match self {
            Self::Stop { index, mark } => {
                out.small(0, 2);
                index.save(out);
                mark.save(out);
            }
            Self::Waypoint { index, position } => {
                out.small(1, 2);
                index.save(out);
                position.save(out);
            }
            Self::Near { remaining_m } => {
                out.small(2, 2);
                remaining_m.save(out);
            }
            Self::Blocked { reason, by, ticks } => {
                out.small(3, 2);
                reason.save(out);
                by.save(out);
                ticks.save(out);
            }
        }
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        Ok(match input.small(2)? {
            0 => Self::Stop { index: Saved::load(input)?, mark: Saved::load(input)? },
            1 => Self::Waypoint { index: Saved::load(input)?, position: Saved::load(input)? },
            2 => Self::Near { remaining_m: Saved::load(input)? },
            _ => Self::Blocked {
                reason: Saved::load(input)?,
                by: Saved::load(input)?,
                ticks: Saved::load(input)?,
            },
        })
    }
}
