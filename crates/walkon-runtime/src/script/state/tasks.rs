//! All tasks, and what each of them waits for.
//!
//! In: tasks to be, waits that begin and end. Out: which tasks are due, which of them wait for a result or an
//! event. Holds: every task that waits stands in exactly the lists of what it waits for, and in none when it
//! does not; a task that is called at once lies beside the others until it waits, and answers every question
//! as they do. Not here: running a task (`step::task`), what a wait is (`waits`).

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use mlua::{Function, MultiValue, Thread};

use crate::base::hash::StateHash;
use crate::base::ids::WalkId;
use crate::base::time::TickNumber;
use crate::script::state::code_name::CodeName;
use crate::script::state::tracked_map::TrackedMap;
use crate::script::state::wait::{Outcome, Wait};
use crate::script::state::waits::{Answering, Pending, TaskPause};
use crate::world::outcome::Reason;
use crate::world::owner::Owner;

/// Why a task ended unfinished, as `task.onCancel` functions get it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// `tk:cancel()`, or a task of the same name was started.
    Cancelled,
    /// Another entry of a race won, or its time was over.
    LostRace,
    /// It failed.
    Fault,
    /// Its owner ended.
    OwnerGone,
    /// The code of its owner was replaced; walks go on.
    Reload,
    /// The level ended.
    LevelEnd,
}

impl Why {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::LostRace => "lostRace",
            Self::Fault => "fault",
            Self::OwnerGone => "ownerGone",
            Self::Reload => "reload",
            Self::LevelEnd => "levelEnd",
        }
    }

    /// How walks that end with a task settle.
    pub(crate) fn reason(self) -> Reason {
        match self {
            Self::LostRace => Reason::LostRace,
            Self::LevelEnd => Reason::LevelEnd,
            Self::Cancelled | Self::Fault | Self::OwnerGone | Self::Reload => Reason::OwnerGone,
        }
    }
}

/// What becomes of the end of a task, beyond its waiters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TaskRole {
    /// Nothing more.
    #[default]
    Plain,
    /// An entry of a group: its waiters are told of its failure, and it is not a fault by itself.
    Entry,
    /// The handler of a timer: a result of false ends the timer.
    TimerHandler(u64),
    /// The `run` of a behaviour: begins again after a fault.
    Run,
    /// The `script` of a scene.
    SceneScript(u64),
    /// The function of a level test.
    Test,
    /// An action of a behaviour tree: its end is its tree's to see.
    TreeAction,
    /// `onTraverse` of a behaviour, which takes a walk over a link. A fault of it is the behaviour's, also
    /// where a scene owns the task.
    Traverse { walk: WalkId, behaviour: Owner },
}

/// One task.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) owner: Owner,
    pub(crate) callback: CodeName,
    pub(crate) role: TaskRole,
    pub(crate) thread: Option<Thread>,
    /// What it runs, as long as it has not begun. Apart, because most records are of tasks that have.
    pub(crate) start: Option<Box<(Function, MultiValue)>>,
    /// Serial of the wait under way; 0 when it is not waiting.
    pub(crate) serial: u64,
    pub(crate) pause: Option<TaskPause>,
    /// When that wait began; for viewers, and never part of the state.
    pub(crate) since: TickNumber,
    pub(crate) cleanups: Vec<Function>,
    pub(crate) name: Option<String>,
    /// Whether a script has been given its handle.
    pub(crate) has_handle: bool,
}

impl Task {
    /// A task that has not begun, with nothing to run.
    pub(crate) fn new(owner: Owner, callback: CodeName, role: TaskRole) -> Self {
        Self {
            owner,
            callback,
            role,
            thread: None,
            start: None,
            serial: 0,
            pause: None,
            since: TickNumber::default(),
            cleanups: Vec::new(),
            name: None,
            has_handle: false,
        }
    }
}

/// When the time of tasks is over; tasks that wait for something else by then are passed over.
#[derive(Debug, Default)]
struct Deadlines {
    by_tick: BTreeMap<TickNumber, Vec<u64>>,
    /// Those of one tick beside the others: in a row, tasks mostly wait for the same.
    last: (TickNumber, Vec<u64>),
}

impl Deadlines {
    #[inline]
    fn add(&mut self, tick: TickNumber, task: u64) {
        if self.last.0 != tick {
            self.settle();
            self.last.0 = tick;
        }
        self.last.1.push(task);
    }

    fn settle(&mut self) {
        let (tick, tasks) = &mut self.last;
        if !tasks.is_empty() {
            self.by_tick.entry(*tick).or_default().append(tasks);
        }
    }

    /// Takes out those until `now`, in no order; some may be there twice.
    fn take(&mut self, now: TickNumber) -> Vec<u64> {
        self.settle();
        let later = self.by_tick.split_off(&now.after(1));
        let mut due = std::mem::replace(&mut self.by_tick, later).into_values();
        let first = due.next().unwrap_or_default();
        due.fold(first, |mut all, mut tasks| {
            all.append(&mut tasks);
            all
        })
    }
}

/// All tasks.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    tasks: TrackedMap<u64, Task>,
    /// The handler that is being called, as long as it has not waited: most never do.
    called: Option<(u64, Task)>,
    last: u64,
    serial: u64,
    /// The task that runs, when it has ended by what it did itself, and its coroutine.
    leaving: Option<(u64, Thread)>,
    /// Tasks that were started in step 3 and have not begun, in order. Those that the fuel of a tick does not
    /// suffice for are jobs from then on.
    pub(crate) spawned: std::collections::VecDeque<u64>,
    due: Deadlines,
    /// Tasks that test a predicate each tick.
    tested: BTreeSet<u64>,
    waiters: BTreeMap<Wait, Vec<Answering>>,
    by_event: BTreeMap<String, Vec<Answering>>,
    /// The same by owner.
    own_by_event: BTreeMap<(Owner, String), Vec<Answering>>,
    by_name: BTreeMap<(Owner, String), u64>,
    /// For the law that short ways change nothing.
    #[cfg(test)]
    pub(crate) goes_the_plain_way: bool,
}

impl Tasks {
    pub(crate) fn len(&self) -> usize {
        self.tasks.len() + usize::from(self.called.is_some())
    }

    /// Adds a task that has not begun; its number.
    pub(crate) fn add(&mut self, spawn: NewTask) -> u64 {
        self.last += 1;
        let id = self.last;
        if let Some(name) = &spawn.name {
            self.by_name.insert((spawn.owner, name.clone()), id);
        }
        let mut task = Task::new(spawn.owner, spawn.callback, spawn.role);
        task.start = Some(Box::new((spawn.function, spawn.args)));
        task.name = spawn.name;
        self.tasks.insert(id, task);
        id
    }

    /// Adds a task that begins right now, in a coroutine of its own; its number.
    pub(crate) fn add_called(&mut self, task: Task) -> u64 {
        self.settle_called();
        self.last += 1;
        self.called = Some((self.last, task));
        self.last
    }

    /// Whether what is usual with tasks is done in a shorter way that comes to the same.
    pub(crate) fn go_the_short_way(&self) -> bool {
        #[cfg(test)]
        return !self.goes_the_plain_way;
        #[cfg(not(test))]
        true
    }

    /// The handler that is being called becomes a task among the others.
    fn settle_called(&mut self) {
        if let Some((id, task)) = self.called.take() {
            self.tasks.insert(id, task);
        }
    }

    #[inline]
    fn is_called(&self, id: u64) -> bool {
        self.called.as_ref().is_some_and(|(called, _)| *called == id)
    }

    /// All tasks with their ids, by id.
    fn iter(&self) -> impl Iterator<Item = (u64, &Task)> {
        let called = self.called.as_ref();
        let id = called.map_or(u64::MAX, |(id, _)| *id);
        let called = called.map(|(id, task)| (*id, task));
        self.tasks.range(..id).chain(called).chain(self.tasks.range(id..))
    }

    /// All tasks, by id.
    pub(crate) fn all(&self) -> Vec<u64> {
        self.iter().map(|(id, _)| id).collect()
    }

    /// The tasks of an owner, by id.
    pub(crate) fn of(&self, owner: Owner) -> Vec<u64> {
        self.of_owner(owner).map(|(id, _)| id).collect()
    }

    /// The tasks of an owner with their ids, by id.
    pub(crate) fn of_owner(&self, owner: Owner) -> impl Iterator<Item = (u64, &Task)> {
        self.iter().filter(move |(_, task)| task.owner == owner)
    }

    #[inline]
    pub(crate) fn get(&self, id: u64) -> Option<&Task> {
        match &self.called {
            Some((called, task)) if *called == id => Some(task),
            _ => self.tasks.get(id),
        }
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: u64) -> Option<&mut Task> {
        if self.is_called(id) {
            return self.called.as_mut().map(|(_, task)| task);
        }
        self.tasks.get_mut(id)
    }

    /// Takes a handler that has returned without having waited; none when there is anything about it that the
    /// end of a task has to see to, or when something waits for it.
    pub(crate) fn take_returned(&mut self, id: u64) -> Option<Task> {
        let is_plain = |task: &Task| {
            task.role == TaskRole::Plain
                && task.cleanups.is_empty()
                && !task.has_handle
                && task.name.is_none()
        };
        let (called, task) = self.called.as_ref()?;
        let is_plain = *called == id && is_plain(task) && !self.has_waiters(Wait::Task(id));
        if is_plain { self.called.take().map(|(_, task)| task) } else { None }
    }

    /// Takes a task out of all tables; while it runs, its coroutine stays known.
    pub(crate) fn take(&mut self, id: u64, running: Option<u64>) -> Option<Task> {
        self.unwait(id);
        let task = if self.is_called(id) { self.called.take()?.1 } else { self.tasks.remove(id)? };
        if running == Some(id) {
            self.leaving = task.thread.clone().map(|thread| (id, thread));
        }
        if let Some(name) = &task.name {
            let key = (task.owner, name.clone());
            if self.by_name.get(&key) == Some(&id) {
                self.by_name.remove(&key);
            }
        }
        Some(task)
    }

    /// The task that ran has returned to the host.
    #[inline]
    pub(crate) fn has_left(&mut self) {
        self.leaving = None;
    }

    /// Tasks that were to begin while their owner stood still, by id.
    pub(crate) fn not_begun(&self, owner: Owner) -> Vec<u64> {
        let waiting = |task: &Task| task.owner == owner && task.start.is_some() && task.serial == u64::MAX;
        self.iter().filter(|(_, task)| waiting(task)).map(|(id, _)| id).collect()
    }

    pub(crate) fn named(&self, owner: Owner, name: &str) -> Option<u64> {
        self.by_name.get(&(owner, name.to_owned())).copied()
    }

    /// A fresh serial for a wait.
    #[inline]
    pub(crate) fn next_serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    /// Whether `thread` is the coroutine of task `id`.
    pub(crate) fn is_thread_of(&self, id: u64, thread: &Thread) -> bool {
        let own = self.get(id).and_then(|task| task.thread.as_ref());
        let leaving = self.leaving.as_ref().filter(|(left, _)| *left == id).map(|(_, thread)| thread);
        own.or(leaving) == Some(thread)
    }

    /// Whether a coroutine is that of task `id`, which has not ended.
    #[inline]
    pub(crate) fn runs_in(&self, id: u64, coroutine: usize) -> bool {
        let thread = self.get(id).and_then(|task| task.thread.as_ref());
        thread.is_some_and(|thread| thread.state().addr() == coroutine)
    }

    /// Whether a coroutine is that of any task that has not ended.
    pub(crate) fn has_coroutine(&self, coroutine: usize) -> bool {
        let own = |task: &Task| task.thread.as_ref().is_some_and(|thread| thread.state().addr() == coroutine);
        self.iter().any(|(_, task)| own(task))
    }

    /// A script is given the handle of a task.
    pub(crate) fn note_handle(&mut self, id: u64) {
        // No change that is hashed; but most tasks are given a handle when they are made, and are to be
        // hashed anyway.
        if let Some(task) = self.get_mut(id) {
            task.has_handle = true;
        }
    }

    pub(crate) fn add_cleanup(&mut self, id: u64, function: Function) {
        if let Some(task) = self.get_mut(id) {
            task.cleanups.push(function);
        }
    }

    pub(crate) fn cleanup_count(&self, id: u64) -> usize {
        self.get(id).map_or(0, |task| task.cleanups.len())
    }

    /// Those whose time has come, and those that test a predicate, by id.
    pub(crate) fn take_due(&mut self, now: TickNumber) -> Vec<u64> {
        let mut due = self.due.take(now);
        due.extend(&self.tested);
        due.sort_unstable();
        due.dedup();
        due
    }

    /// What a task waits for, and the serial of that wait.
    pub(crate) fn pause_of(&self, id: u64) -> Option<(u64, &TaskPause)> {
        let task = self.get(id)?;
        Some((task.serial, task.pause.as_ref()?))
    }

    /// Tasks that wait for `wait`, in the order they began to.
    pub(crate) fn take_waiters(&mut self, wait: Wait) -> Vec<Answering> {
        self.waiters.remove(&wait).unwrap_or_default()
    }

    pub(crate) fn has_waiters(&self, wait: Wait) -> bool {
        self.waiters.contains_key(&wait)
    }

    /// Whether a task waits for the event `name`.
    pub(crate) fn awaits_event(&self, name: &str) -> bool {
        self.by_event.contains_key(name)
    }

    /// Tasks that wait for the event `name`, in the order they began to.
    pub(crate) fn event_waiters(&self, name: &str) -> Vec<Answering> {
        self.by_event.get(name).cloned().unwrap_or_default()
    }

    /// The same, of one owner.
    pub(crate) fn own_event_waiters(&self, name: &str, owner: Owner) -> Vec<Answering> {
        self.own_by_event.get(&(owner, name.to_owned())).cloned().unwrap_or_default()
    }

    pub(crate) fn role_of(&self, id: u64) -> Option<TaskRole> {
        self.get(id).map(|task| task.role)
    }

    pub(crate) fn owner_of(&self, id: u64) -> Option<Owner> {
        self.get(id).map(|task| task.owner)
    }

    /// The time that tasks of `owner` wait for moves on by `ticks`.
    pub(crate) fn shift(&mut self, owner: Owner, ticks: u64) {
        let Self { tasks, due, .. } = self;
        for (id, task) in tasks.iter_mut().filter(|(_, task)| task.owner == owner) {
            if let Some(tick) = task.pause.as_mut().and_then(TaskPause::deadline) {
                *tick = tick.after(ticks);
                due.add(*tick, id);
            }
        }
    }

    /// The waiting tasks of an owner, or of all: id, serial of the wait, awaited thing.
    pub(crate) fn waits(&self, owner: Option<Owner>) -> impl Iterator<Item = (u64, u64, &TaskPause)> {
        let tasks = self.iter().filter(move |(_, task)| owner.is_none_or(|owner| task.owner == owner));
        tasks.filter_map(|(id, task)| Some((id, task.serial, task.pause.as_ref()?)))
    }

    /// The time that tasks of `owner` wait for comes nearer by `ticks`.
    pub(crate) fn rewind(&mut self, owner: Owner, ticks: u64, now: TickNumber) {
        let Self { tasks, due, .. } = self;
        for (id, task) in tasks.iter_mut().filter(|(_, task)| task.owner == owner) {
            if let Some(tick) = task.pause.as_mut().and_then(TaskPause::deadline) {
                tick.0 = tick.0.saturating_sub(ticks).max(now.0);
                due.add(*tick, id);
            }
        }
    }

    /// A task begins to sleep, at `now`.
    pub(crate) fn sleep(&mut self, id: u64, serial: u64, until: TickNumber, now: TickNumber) {
        if self.is_called(id) {
            self.settle_called();
        }
        if let Some(task) = self.tasks.get_mut(id) {
            (task.serial, task.since) = (serial, now);
            task.pause = Some(TaskPause::Until(until));
            self.due.add(until, id);
        }
    }

    /// A task begins to wait, at `now`. Gives the results that are known already.
    pub(crate) fn wait_for(
        &mut self,
        id: u64,
        pending: Pending,
        now: TickNumber,
    ) -> Vec<(Option<usize>, Outcome)> {
        if self.is_called(id) {
            self.settle_called();
        }
        let Pending { serial, mut pause, known } = pending;
        let Some(task) = self.tasks.get_mut(id) else {
            return known;
        };
        (task.serial, task.since) = (serial, now);
        let owner = task.owner;
        if let Some(tick) = pause.deadline() {
            self.due.add(*tick, id);
        }
        let answering = |entry| Answering { task: id, serial, entry };
        let is_known = |entry| known.iter().any(|(known, _)| *known == entry);
        match &pause {
            TaskPause::Until(_) | TaskPause::Host(_) => {}
            TaskPause::Test { .. } => {
                self.tested.insert(id);
            }
            TaskPause::Event { name, .. } => {
                self.by_event.entry(name.clone()).or_default().push(answering(None));
                self.own_by_event.entry((owner, name.clone())).or_default().push(answering(None));
            }
            TaskPause::One { wait, .. } => {
                if !is_known(None) {
                    self.waiters.entry(*wait).or_default().push(answering(None));
                }
            }
            TaskPause::Group { entries, .. } => {
                for (at, entry) in entries.iter().enumerate().filter(|(at, _)| !is_known(Some(*at))) {
                    self.waiters.entry(entry.wait).or_default().push(answering(Some(at)));
                }
            }
        }
        task.pause = Some(pause);
        known
    }

    /// Ends the sleep of a task. Gives its owner, its name, its coroutine.
    pub(crate) fn end_sleep(&mut self, id: u64) -> Option<(Owner, CodeName, Thread)> {
        debug_assert!(matches!(self.pause_of(id), Some((_, TaskPause::Until(_)))));
        let task = self.tasks.get_mut(id)?;
        (task.serial, task.pause) = (0, None);
        Some((task.owner, task.callback.clone(), task.thread.clone()?))
    }

    /// Ends the wait of a task; what it waited for, when it still did.
    pub(crate) fn unwait(&mut self, id: u64) -> Option<TaskPause> {
        if self.is_called(id) {
            // It has not waited.
            return None;
        }
        let task = self.tasks.get_mut(id)?;
        let (owner, serial) = (task.owner, std::mem::take(&mut task.serial));
        let pause = task.pause.take()?;
        let drop_waiter = |list: &mut Vec<Answering>| {
            // They wait in the order of their serials, a task perhaps for several parts of one wait.
            let first = list.partition_point(|waiter| waiter.serial < serial);
            let count = list[first..].iter().take_while(|waiter| waiter.task == id).count();
            list.drain(first..first + count);
            debug_assert!(list.iter().all(|waiter| waiter.task != id), "a list of waiters is in order");
        };
        let drop_from = |waiters: &mut BTreeMap<Wait, Vec<Answering>>, wait: &Wait| {
            if let Some(list) = waiters.get_mut(wait) {
                drop_waiter(list);
                if list.is_empty() {
                    waiters.remove(wait);
                }
            }
        };
        match &pause {
            TaskPause::Until(_) | TaskPause::Host(_) => {}
            TaskPause::Test { .. } => {
                self.tested.remove(&id);
            }
            TaskPause::Event { name, .. } => {
                if let Some(list) = self.by_event.get_mut(name) {
                    drop_waiter(list);
                    if list.is_empty() {
                        self.by_event.remove(name);
                    }
                }
                if let Entry::Occupied(mut own) = self.own_by_event.entry((owner, name.clone())) {
                    drop_waiter(own.get_mut());
                    if own.get().is_empty() {
                        own.remove();
                    }
                }
            }
            TaskPause::One { wait, .. } => drop_from(&mut self.waiters, wait),
            TaskPause::Group { entries, .. } => {
                entries.iter().for_each(|entry| drop_from(&mut self.waiters, &entry.wait));
            }
        }
        Some(pause)
    }

    /// Mixes in the tasks and what they wait for.
    pub(crate) fn hash_into(&mut self, hash: &mut StateHash) {
        self.settle_called();
        hash.word(self.last).word(self.serial).word(self.spawned.len() as u64);
        self.tasks.hash_into(hash, |id, task, hash| {
            hash.word(id).word(u64::from(task.owner.0)).word(task.serial).flag(task.start.is_some());
            match &task.pause {
                None => hash.word(0),
                Some(TaskPause::Until(tick)) => hash.word(1).word(tick.0),
                Some(TaskPause::Test { deadline, .. }) => {
                    hash.word(2).word(deadline.map_or(0, |tick| tick.0))
                }
                Some(TaskPause::Event { name, deadline, .. }) => {
                    hash.word(3).text(name).word(deadline.map_or(0, |tick| tick.0))
                }
                Some(TaskPause::Host(prompt)) => {
                    prompt.hash_into(hash);
                    hash.word(6)
                }
                Some(TaskPause::One { wait, owned }) => {
                    wait.hash_into(hash);
                    hash.word(4).flag(*owned)
                }
                Some(TaskPause::Group { entries, deadline, .. }) => {
                    for entry in entries {
                        entry.wait.hash_into(hash);
                        hash.flag(entry.outcome.is_some());
                    }
                    hash.word(5).word(deadline.map_or(0, |tick| tick.0))
                }
            };
        });
    }
}

/// A task to be.
#[derive(Debug)]
pub(crate) struct NewTask {
    pub(crate) owner: Owner,
    pub(crate) callback: CodeName,
    pub(crate) role: TaskRole,
    pub(crate) function: Function,
    pub(crate) args: MultiValue,
    pub(crate) name: Option<String>,
}
