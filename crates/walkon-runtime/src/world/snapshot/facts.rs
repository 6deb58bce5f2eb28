//! Saves facts that nobody has heard yet: those of a tick that was too full for scripts, and those of verbs
//! of the host between two ticks.
//!
//! In, out: fields, one by one. Holds: a fact that only tells what a load ends (watches, paths that scripts
//! asked for, results of code) is not written; neither is the appearance of a character, which a load reports
//! by itself.

use walkon_nav::{saved, saved_choice, saved_words};

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::ids::CharacterId;
use crate::world::character::{Character, Characters};
use crate::world::cue::{Cue, CueKind};
use crate::world::event::{EventQueue, Fact, LogLine, NoticeKind, ReloadedFile, SwitchedOff, WalkNews};

saved!(ReloadedFile { hash, text });
saved!(SwitchedOff { owner, character, again });

saved_words!(
    NoticeKind, 4: ScriptDeferred, ScriptStopped, WatchesDeferred, RegionsDeferred, RoundsExhausted,
    PrintDropped, EventsDropped, TimeDropped, Undelivered, NoisesDropped,
);

saved!(Cue { scene, kind });

saved_choice!(
    CueKind, 2: 0: Said { character, line, vars, seconds }, 1: Choice { id, options, answer },
    2: Camera { kind, options }, 3: Other { kind, options },
);

/// The levels of the log.
const LOG_LEVELS: [&str; 4] = ["debug", "info", "warn", "error"];

impl Saved for LogLine {
    fn save(&self, out: &mut ByteWriter) {
        let Self { level, owner, file, line, message } = self;
        out.text(level);
        owner.save(out);
        file.save(out);
        line.save(out);
        message.save(out);
    }

    fn load(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        let level = input.text()?;
        let known = LOG_LEVELS.into_iter().find(|known| *known == level);
        let level = known.ok_or_else(|| DecodeError::new("a choice that is none"))?;
        let (owner, file) = (Saved::load(input)?, Saved::load(input)?);
        Ok(Self { level, owner, file, line: Saved::load(input)?, message: Saved::load(input)? })
    }
}

/// Writes what waits for scripts, and what the next tick is to tell the host.
pub(super) fn save(out: &mut ByteWriter, events: &EventQueue, characters: &Characters) {
    let EventQueue {
        waiting,
        // See `untold`.
        recorded: _,
        of_start: _,
        // Told to the host by the next tick that scripts run in, which changes nothing.
        dropped: _,
        // No tick comes after the end.
        after_end: _,
    } = events;
    let is_there = |id: CharacterId| characters.get(id).is_some_and(Character::is_alive);
    let untold = events.untold();
    let is_written = |(at, fact): &(usize, &Fact)| match fact {
        Fact::Spawned(id) => !is_there(*id),
        Fact::Cue(cue) => is_over(&cue.scene, &untold[*at..]),
        _ => true,
    };
    save_all(out, waiting.iter());
    save_all(out, untold.iter().enumerate().filter(is_written).map(|(_, fact)| fact));
}

/// Whether a scene has ended: what it asked for is told by nobody else. One that goes on tells it again, but
/// for what it asked for before its last mark, which is lost.
fn is_over(scene: &str, later: &[Fact]) -> bool {
    later.iter().any(|fact| matches!(fact, Fact::SceneEnded { name, .. } if name == scene))
}

fn save_all<'a>(out: &mut ByteWriter, facts: impl Iterator<Item = &'a Fact>) {
    let kept: Vec<&Fact> = facts.filter(|fact| number(fact).is_some()).collect();
    out.list(kept.into_iter(), |out, fact| _ = save_one(out, fact));
}

/// How many of the first `count` facts that wait are written.
pub(crate) fn kept_of(events: &EventQueue, count: u64) -> u64 {
    let first = events.waiting.iter().take(usize::try_from(count).unwrap_or(usize::MAX));
    first.filter(|fact| number(fact).is_some()).count() as u64
}

/// Says by which number each kind of fact is saved, and with which fields in which order.
macro_rules! saved_facts {
    (
        $($number:literal: $word:ident $(($inner:ident))? $({ $($field:ident),* })?,)*
        but $($excused:ident),* $(,)?
    ) => {
        /// The number of a kind of fact; none for those that are not written.
        fn number(fact: &Fact) -> Option<u8> {
            match fact {
                $(Fact::$word { .. } => Some($number),)*
                $(Fact::$excused { .. } => None,)*
            }
        }

        fn save_fields(out: &mut ByteWriter, fact: &Fact) {
            match fact {
                $(Fact::$word $(($inner))? $({ $($field),* })? => {
                    $($inner.save(out);)?
                    $($($field.save(out);)*)?
                })*
                $(Fact::$excused { .. } => {})*
            }
        }

        fn load_one(input: &mut ByteReader<'_>) -> Result<Fact, DecodeError> {
            Ok(match input.byte()? {
                $($number => {
                    $(let $inner = Saved::load(input)?;)?
                    $($(let $field = Saved::load(input)?;)*)?
                    Fact::$word $(($inner))? $({ $($field),* })?
                })*
                _ => return Err(DecodeError::new("a choice that is none")),
            })
        }
    };
}

saved_facts!(
    0: Spawned(id),
    1: Despawned(id),
    2: WalkSettled(walk),
    3: WalkNews { walk, news },
    4: DoorChanged { door, state, by },
    5: DoorSignal { door, what, by },
    6: DoorMoveEnded { serial, door, reason, by },
    7: AreaChanged { area, available, factor },
    8: MapRevision(revision),
    9: TurnEnded { serial, ok },
    10: PlayEnded { serial, ok },
    11: Emitted { name, payload, to, by },
    12: Input { name, payload },
    13: SceneStarted { name, locks },
    14: SceneEnded { name, info },
    15: Faulted(fault),
    16: Reloaded { files, notes },
    17: ReloadRefused { file, line, message, files },
    18: LinkBegun { walk, character, action, ends, seconds },
    19: WalkStarted(walk),
    20: SwitchedOff(off),
    21: Logged(line),
    22: Notice { what, count, walk, why },
    23: Cue(cue),
    but
    // Of watches and searches that a load ends.
    WatchEntered, WatchLeft, Noticed, SightLost, NoiseHeard, PathAnswered,
    // For the host alone, of the steps of a tick, which tells them at its end.
    Replanned, Nudged, RegionEntered, RegionLeft, InputRefused, Evaluated,
);

/// Writes a fact; false for one that is not written.
pub(in crate::world) fn save_one(out: &mut ByteWriter, fact: &Fact) -> bool {
    let Some(number) = number(fact) else { return false };
    out.byte(number);
    save_fields(out, fact);
    true
}

/// Reads what waits.
pub(super) fn load(input: &mut ByteReader<'_>) -> Result<EventQueue, DecodeError> {
    // As many as there are: only scripts and watches stop adding when many wait.
    let waiting = input.list(load_one)?;
    let recorded = input.list(load_one)?;
    Ok(EventQueue { waiting: waiting.into(), recorded, ..EventQueue::default() })
}

saved_choice!(
    WalkNews, 2: 0: Stop { index, mark }, 1: Waypoint { index, position }, 2: Near { remaining_m },
    3: Blocked { reason, by, ticks },
);
