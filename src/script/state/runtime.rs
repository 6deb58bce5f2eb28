//! Everything the script side keeps beside the VM.
//!
//! In: steps and bindings, each for one short look. Out: the same. Holds: no Lua runs while it is looked at;
//! work made by scripts and facts of the world are dealt with in one order, that of their occurrence. Not
//! here: the world, the way to it from the VM (`vm::store`).

use crate::base::hash::StateHash;
use crate::base::ids::CharacterId;
use crate::base::time::{Tick, TickRate};
use crate::base::value::Plain;
use crate::script::state::behaviours::Behaviours;
use crate::script::state::boards::{Boards, KeyChange};
use crate::script::state::code_name::CodeName;
use crate::script::state::dialogue::Answers;
use crate::script::state::handlers::Handlers;
use crate::script::state::owners::Owners;
use crate::script::state::predicates::{Job, Predicates};
use crate::script::state::scenes::{SceneEnd, Scenes};
use crate::script::state::state_checks::StateChecks;
use crate::script::state::strikes::Strikes;
use crate::script::state::tasks::{Tasks, Why};
use crate::script::state::timers::Timers;
use crate::script::state::trees::Trees;
use crate::script::state::wait::{Outcome, Wait};
use crate::script::state::waits::{Answering, Pending};
use crate::world::region::WatchId;
use crate::world::settings::LevelLimits;
use crate::world::walk::Owner;
use mlua::{Function, Table};
use slotmap::Key;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Whose code runs right now.
#[derive(Clone, Debug)]
pub(crate) struct Current {
    pub(crate) owner: Owner,
    /// What runs: `update`, `onArrived`, ...
    pub(crate) callback: CodeName,
    /// The task it runs in; none where it may not wait.
    pub(crate) task: Option<u64>,
}

/// Work that scripts made for step 12.
#[derive(Debug)]
pub(crate) enum ScriptWork {
    /// A task to begin.
    Begin(u64),
    /// Something of the scripts' own is over.
    Settled(Wait, Outcome),
    /// A task waits for what is over already.
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
    /// Somebody has stayed inside a watch for its interval.
    Stayed(WatchId, CharacterId),
    /// The answer of a predicate changed.
    Turned { predicate: u32, value: bool },
    /// What was kept for an owner that stood still.
    Kept(Owner),
    /// A key of a board has another value.
    BoardChanged(Box<KeyChange>),
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
                (4, character.data().as_ffi())
            }
            Self::Detach { character, .. } => (5, character.data().as_ffi()),
            Self::BeginScene(scene) => (6, *scene),
            Self::EndScene(scene, _) => (7, *scene),
            Self::Stayed(watch, character) => {
                hash.word(watch.data().as_ffi());
                (8, character.data().as_ffi())
            }
            Self::Turned { predicate, value } => {
                hash.flag(*value);
                (9, u64::from(*predicate))
            }
            Self::Kept(owner) => (10, u64::from(owner.0)),
            Self::BoardChanged(news) => {
                news.hash_into(hash);
                (11, news.board)
            }
            Self::SkipScene(scene) => (12, *scene),
        };
        hash.word(kind).word(number);
    }
}

/// A function of `task.onCancel` to run once the code under way has returned.
#[derive(Debug)]
pub(crate) struct Cleanup {
    pub(crate) owner: Owner,
    pub(crate) function: Function,
    pub(crate) why: Why,
}

/// Everything the script side keeps. Part of the VM's app data.
#[derive(Debug)]
pub(crate) struct Runtime {
    pub(crate) limits: LevelLimits,
    pub(crate) now: Tick,
    pub(crate) rate: TickRate,
    /// The step of the tick under way: 0 at the start of the level, 3, 12.
    pub(crate) step: u32,
    pub(crate) owners: Owners,
    pub(crate) tasks: Tasks,
    pub(crate) timers: Timers,
    pub(crate) handlers: Handlers,
    pub(crate) predicates: Predicates,
    pub(crate) behaviours: Behaviours,
    pub(crate) scenes: Scenes,
    pub(crate) boards: Boards,
    pub(crate) trees: Trees,
    pub(crate) answers: Answers,
    pub(crate) strikes: Strikes<Owner>,
    pub(crate) current: Option<Current>,
    /// The wait that the running task has asked for and not begun.
    pub(crate) pending: Option<Pending>,
    pub(crate) cleanups: VecDeque<Cleanup>,
    /// The entry of a group whose failure is ending the others: `branch "scout" failed`.
    pub(crate) failed_branch: Option<String>,
    /// Work for step 12, each with the number of facts that come before it.
    pub(crate) work: VecDeque<(u64, ScriptWork)>,
    /// Facts of the world that were taken so far.
    pub(crate) facts_taken: u64,
    /// What step 3 has to run and did not get to.
    pub(crate) jobs: VecDeque<Job>,
    /// The level script's owner and environment.
    pub(crate) level: Option<(Owner, Table)>,
    /// Who removed a character in this tick.
    pub(crate) removed_by: BTreeMap<CharacterId, Owner>,
    /// What was reported of states that are not plain data.
    pub(crate) told_states: BTreeMap<Owner, String>,
    pub(crate) state_checks: StateChecks,
    pub(crate) fault_count: u64,
    /// Whether the watchdog has ended a call.
    pub(crate) is_disturbed: bool,
    /// Facts from before the scripts were there: who stands in the level is no news to them.
    pub(crate) facts_before: u64,
    /// Facts that were left for the next tick because the fuel of this one was spent.
    pub(crate) is_behind: bool,
    /// A hash of what reloads have left that can change the future; none before the first.
    pub(crate) reloads: Option<u64>,
}

impl Runtime {
    /// The owner as messages name it.
    pub(crate) fn label(&self, owner: Owner) -> Rc<str> {
        self.owners.get(owner).map_or_else(|| Rc::from("host"), |record| Rc::clone(&record.label))
    }

    /// A character is removed: nothing of its behaviour runs from here on but `stop`, and what its tasks want
    /// done at their end.
    pub(crate) fn silence(&mut self, character: CharacterId) {
        if let Some(owner) = self.behaviours.of(character)
            && let Some(record) = self.owners.get_mut(owner)
        {
            record.is_gone = true;
        }
    }

    /// The time of an owner: it stands still while the owner does.
    pub(crate) fn time_of(&self, owner: Owner) -> Tick {
        self.owners.get(owner).and_then(|record| record.paused).unwrap_or(self.now)
    }

    /// Watches of all owners.
    pub(crate) fn watches(&self) -> usize {
        self.handlers.watches.len() + self.predicates.count()
    }

    /// Whole ticks that last at least `seconds`, one or more.
    pub(crate) fn ticks(&self, seconds: f64) -> u64 {
        self.rate.ticks(seconds).max(1)
    }
}

/// Pieces of work that may wait before scripts may add no more.
pub(crate) const WORK_MAX: usize = 65_536;
