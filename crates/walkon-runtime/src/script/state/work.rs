//! Queued work for step 12, and jobs that step 3 deferred.
//!
//! In: work with the number of facts that come before it, jobs. Out: the next piece. Holds: work made by
//! scripts and facts of the world are handled in the order in which they occurred. Not here: doing it
//! (`step::dispatch`, `step::schedule`).

use std::collections::VecDeque;

use slotmap::Key;

use crate::base::bytes::{ByteReader, ByteWriter, DecodeError, Saved};
use crate::base::hash::StateHash;
use crate::base::ids::{CharacterId, GenerationalKey};
use crate::base::value::Plain;
use crate::script::state::boards::KeyChange;
use crate::script::state::predicates::Job;
use crate::script::state::scenes::SceneEnd;
use crate::script::state::telling::Telling;
use crate::script::state::wait::{Outcome, Wait};
use crate::script::state::waits::{Answering, Delivery};
use crate::world::owner::Owner;
use crate::world::region::WatchId;

/// Work that scripts made for step 12.
#[derive(Debug)]
pub(crate) enum ScriptWork {
    /// A task to begin.
    Begin(u64),
    /// Something of the scripts' own is over.
    Settled(Wait, Outcome),
    /// A task waits for something that is over already.
    Answer(Answering, Outcome),
    /// A behaviour to begin.
    Attach { character: CharacterId, name: String, params: Plain },
    /// The behaviour of a character to end.
    Detach { character: CharacterId, why: &'static str },
    /// A scene to begin.
    BeginScene(u64),
    /// A scene to be skipped from now on.
    SkipScene(u64),
    /// A scene to end.
    EndScene(u64, SceneEnd),
    /// A watch found a character inside at its first look, of which it does not tell.
    FoundInside(WatchId, CharacterId),
    /// A character has stayed inside a watch for its interval.
    Stayed(WatchId, CharacterId),
    /// The answer of a predicate changed.
    Turned { predicate: u32, value: bool },
    /// What was kept for an owner that stood still.
    DeliverDeferred(Owner),
    /// A key of a board has another value.
    BoardChanged(Box<KeyChange>),
    /// News that listeners are told for whom the fuel of a tick did not suffice.
    Tell(Box<Telling>),
    /// A board has died, and every change of it was told.
    ForgetBoard(u64),
}

impl ScriptWork {
    /// Mixes in what is to be done.
    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        let (kind, number) = match self {
            Self::Begin(task) => (1, *task),
            Self::Settled(wait, _) => {
                wait.hash_into(hash);
                (2, 0)
            }
            Self::Answer(to, _) => (3, to.task),
            Self::Attach { character, name, params } => {
                hash.text(name);
                params.hash_into(hash);
                (4, character.bits())
            }
            Self::Detach { character, .. } => (5, character.bits()),
            Self::BeginScene(scene) => (6, *scene),
            Self::EndScene(scene, _) => (7, *scene),
            Self::Stayed(watch, character) => {
                hash.word(watch.data().as_ffi());
                (8, character.bits())
            }
            Self::Turned { predicate, value } => {
                hash.flag(*value);
                (9, u64::from(*predicate))
            }
            Self::DeliverDeferred(owner) => (10, u64::from(owner.0)),
            Self::BoardChanged(news) => {
                news.hash_into(hash);
                (11, news.board)
            }
            Self::SkipScene(scene) => (12, *scene),
            Self::FoundInside(watch, character) => {
                hash.word(watch.data().as_ffi());
                (13, character.bits())
            }
            Self::ForgetBoard(board) => (14, *board),
            Self::Tell(telling) => {
                telling.hash_into(hash);
                (15, 0)
            }
        };
        hash.word(kind).word(number);
    }
}

/// Pieces of work that may wait before scripts may add no more.
pub(crate) const WORK_MAX: usize = 65_536;

/// What waits to be done.
#[derive(Debug, Default)]
pub(crate) struct WorkQueue {
    /// Owners for whom what was kept is handed out before all that waits.
    deliveries: VecDeque<Owner>,
    /// News among the work that listeners are told.
    tellings: usize,
    /// Work for step 12, each with the number of facts that come before it.
    work: VecDeque<(u64, ScriptWork)>,
    /// What step 3 has to run and did not get to.
    pub(crate) jobs: VecDeque<Job>,
    /// Facts of the world that were taken so far.
    pub(crate) facts_taken: u64,
    /// Facts from before the scripts were there: the characters of the level are no news to them.
    pub(crate) facts_before: u64,
    /// Facts that were left for the next tick because the fuel of this one was spent.
    pub(crate) is_behind: bool,
}

impl WorkQueue {
    /// Pieces of work that wait.
    pub(crate) fn len(&self) -> usize {
        self.deliveries.len() + self.work.len()
    }

    /// Whether scripts may add no more.
    pub(crate) fn is_full(&self) -> bool {
        self.len() >= WORK_MAX
    }

    /// Adds work behind the facts that wait now.
    pub(crate) fn push(&mut self, work: ScriptWork, facts_waiting: u64) {
        self.tellings += usize::from(matches!(work, ScriptWork::Tell(_)));
        self.work.push_back((self.facts_taken + facts_waiting, work));
    }

    /// Puts work that is not done yet before all that waits.
    pub(crate) fn put_back(&mut self, work: ScriptWork) {
        match work {
            ScriptWork::DeliverDeferred(owner) => self.deliveries.push_front(owner),
            work => {
                self.tellings += usize::from(matches!(work, ScriptWork::Tell(_)));
                self.work.push_front((self.facts_taken, work));
            }
        }
    }

    /// What was kept for an owner is handed out before all that waits, but behind what is for owners already.
    pub(crate) fn deliver_soon(&mut self, owner: Owner) {
        self.deliveries.push_back(owner);
    }

    /// Whether what was kept for an owner has yet to be handed out: what comes for it now comes behind that.
    pub(crate) fn delivers_soon(&self, owner: Owner) -> bool {
        self.deliveries.contains(&owner)
    }

    /// Takes the first piece when its turn has come: every fact before it was taken, or none is left of those
    /// that end at `facts_end`.
    pub(crate) fn take_next(&mut self, facts_end: u64) -> Option<ScriptWork> {
        if let Some(owner) = self.deliveries.pop_front() {
            return Some(ScriptWork::DeliverDeferred(owner));
        }
        let &(position, _) = self.work.front()?;
        let is_next = position <= self.facts_taken || self.facts_taken == facts_end;
        let (_, work) = is_next.then(|| self.work.pop_front()).flatten()?;
        self.tellings -= usize::from(matches!(work, ScriptWork::Tell(_)));
        Some(work)
    }

    /// What listeners of `owner` would be told that were not yet, as far as it may outlive their code.
    pub(crate) fn deliveries(&self, owner: Owner) -> Vec<Delivery> {
        // They are in front of nearly all that waits: nothing behind the last of them is looked at.
        let tellings = self.work.iter().filter_map(|(_, work)| match work {
            ScriptWork::Tell(telling) => Some(telling),
            _ => None,
        });
        tellings.take(self.tellings).flat_map(|telling| telling.deliveries(owner)).collect()
    }

    /// The code of an owner is replaced: its listeners are told nothing any more.
    pub(crate) fn forget_listeners(&mut self, owner: Owner) {
        let tellings = self.work.iter_mut().filter_map(|(_, work)| match work {
            ScriptWork::Tell(telling) => Some(telling),
            _ => None,
        });
        tellings.take(self.tellings).for_each(|telling| telling.forget(owner));
    }

    /// All work that waits but for what is handed out to owners first, first to last.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &ScriptWork> {
        self.work.iter().map(|(_, work)| work)
    }

    /// Writes the work that does not end with the code that made it: behaviours that were attached and taken
    /// away, each with the number of facts that come before it, as `facts` counts them.
    pub(crate) fn save(&self, out: &mut ByteWriter, facts: impl Fn(u64) -> u64) {
        let Self {
            // What is kept for owners is saved beside.
            deliveries: _,
            tellings: _,
            work,
            // Timers are due again; the others are of tasks, of predicates, and of every tick.
            jobs: _,
            facts_taken,
            facts_before,
            is_behind: _,
        } = self;
        let waiting = |position: u64| facts(position.saturating_sub(*facts_taken));
        let kept: Vec<_> = work
            .iter()
            .filter_map(|(position, work)| match work {
                ScriptWork::Attach { character, name, params } => {
                    Some((waiting(*position), *character, Some((name, params))))
                }
                ScriptWork::Detach { character, why: _ } => Some((waiting(*position), *character, None)),
                // Of tasks, watches, predicates, handlers and scenes; what news may outlive them is kept
                // beside.
                ScriptWork::Begin(_)
                | ScriptWork::Settled(..)
                | ScriptWork::Answer(..)
                | ScriptWork::BeginScene(_)
                | ScriptWork::SkipScene(_)
                | ScriptWork::EndScene(..)
                | ScriptWork::FoundInside(..)
                | ScriptWork::Stayed(..)
                | ScriptWork::Turned { .. }
                | ScriptWork::DeliverDeferred(_)
                | ScriptWork::BoardChanged(_)
                | ScriptWork::Tell(_)
                | ScriptWork::ForgetBoard(_) => None,
            })
            .collect();
        out.list(kept.into_iter(), |out, (position, character, attached)| {
            out.word(position);
            character.save(out);
            out.option(attached, |out, (name, params)| {
                name.save(out);
                params.save(out);
            });
        });
        out.word(waiting(*facts_before));
    }

    /// Reads work in place of all there is; the names of behaviours that are to be attached.
    pub(crate) fn load(&mut self, input: &mut ByteReader<'_>) -> Result<Vec<String>, DecodeError> {
        let work = input.list(|input| {
            let (position, character) = (input.word()?, CharacterId::load(input)?);
            let attached = input.option(|input| Ok((String::load(input)?, Plain::load(input)?)))?;
            Ok((
                position,
                match attached {
                    Some((name, params)) => ScriptWork::Attach { character, name, params },
                    None => ScriptWork::Detach { character, why: "detached" },
                },
            ))
        })?;
        if work.len() > WORK_MAX {
            return Err(DecodeError::new("more work than may wait"));
        }
        let name = |(_, work): &(u64, ScriptWork)| match work {
            ScriptWork::Attach { name, .. } => Some(name.clone()),
            _ => None,
        };
        let names = work.iter().filter_map(name).collect();
        *self = Self { work: work.into(), facts_before: input.word()?, ..Self::default() };
        Ok(names)
    }

    /// Forgets all work.
    pub(crate) fn clear(&mut self) {
        self.deliveries.clear();
        self.work.clear();
        self.tellings = 0;
    }

    /// How many pieces there are but for what is handed out to owners, which may come before all that waits.
    pub(crate) fn behind_deliveries(&self) -> usize {
        self.work.len()
    }

    /// Forgets what was ordered of behaviours and scenes behind the first `kept` pieces of work, counted as
    /// by [`WorkQueue::behind_deliveries`]; of the facts that come before the others only the first `facts`
    /// are left.
    pub(crate) fn forget_orders(&mut self, kept: usize, facts: u64) {
        let (mut index, last) = (0, self.facts_taken + facts);
        self.work.retain_mut(|(position, piece)| {
            index += 1;
            *position = last.min(*position);
            let is_order = matches!(
                piece,
                ScriptWork::Attach { .. }
                    | ScriptWork::Detach { .. }
                    | ScriptWork::BeginScene(_)
                    | ScriptWork::SkipScene(_)
                    | ScriptWork::EndScene(..)
            );
            index <= kept || !is_order
        });
    }

    /// Forgets news of boards behind the first `kept` pieces of work, counted as by
    /// [`WorkQueue::behind_deliveries`].
    pub(crate) fn forget_board_changes(&mut self, kept: usize) {
        let mut index = 0;
        self.work.retain(|(_, piece)| {
            index += 1;
            index <= kept || !matches!(piece, ScriptWork::BoardChanged(_))
        });
    }

    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        for job in &self.jobs {
            job.hash_into(hash);
        }
        for owner in &self.deliveries {
            hash.word(0);
            ScriptWork::DeliverDeferred(*owner).hash_into(hash);
        }
        for (position, work) in &self.work {
            hash.word(position.wrapping_sub(self.facts_taken));
            work.hash_into(hash);
        }
        hash.flag(self.is_behind);
    }
}
