//! Tasks: coroutines that the host resumes, and what each waits for.
//!
//! In: functions to run, waits that tasks ask for, results. Out: tasks resumed, failed, cancelled. Holds: a task is resumed
//! once for each wait (a late or second answer finds another serial and is dropped); nothing runs inside the call that started
//! or cancelled it; a task that ends unfinished ends what it waited for and runs its `onCancel` functions, last in, first out.
//! Not here: in which order tasks are resumed (`schedule`, `dispatch`), timers (`timer`).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use mlua::{Function, Lua, MultiValue, Thread, Value};

use crate::base::hash::StateHash;
use crate::base::time::Tick;
use crate::script::bind::handles;
use crate::script::bind::keep::Callback;
use crate::script::convert::describe;
use crate::script::fault::{Failure, FaultKind};
use crate::script::handlers;
use crate::script::invoke::{self, Call};
use crate::script::lend;
use crate::script::prompt::{self, Prompt};
use crate::script::runtime::{self, Cleanup, Runtime, Work};
use crate::script::testing;
use crate::script::timer;
use crate::script::tree::ActionEnd;
use crate::script::vm::{Resumed, ScriptVm};
use crate::script::wait::{self, Outcome, TaskId, Wait};
use crate::world::World;
use crate::world::ops;
use crate::world::outcome::Reason;
use crate::world::walk::Owner;

/// Why a task ended unfinished, as `task.onCancel` functions are told.
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

/// Whom a result is for: a task, one of its waits, and the entry of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answering {
    pub(crate) task: u64,
    pub(crate) serial: u64,
    pub(crate) entry: Option<usize>,
}

/// What a wait returns in the task.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// These values.
    Values(Vec<Value>),
    /// A table of these entries.
    Table(Vec<(Value, Value)>),
    /// It raises.
    Error(String),
}

impl Answer {
    pub(crate) fn one(value: Value) -> Self {
        Self::Values(vec![value])
    }

    /// The values the waiting wrapper is resumed with: whether the wait went well, then its results.
    fn into_values(self, lua: &Lua) -> mlua::Result<MultiValue> {
        let mut values = MultiValue::new();
        match self {
            Self::Values(results) => {
                values.push_back(Value::Boolean(true));
                values.extend(results);
            }
            Self::Table(entries) => {
                values.push_back(Value::Boolean(true));
                let table = lua.create_table()?;
                for (key, value) in entries {
                    table.raw_set(key, value)?;
                }
                values.push_back(Value::Table(table));
            }
            Self::Error(message) => {
                values.push_back(Value::Boolean(false));
                values.push_back(Value::String(lua.create_string(message)?));
            }
        }
        Ok(values)
    }
}

impl From<Outcome> for Answer {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Value(value) => Self::one(value),
            Outcome::Failed(message) => Self::Error(message),
            Outcome::Cancelled => Self::one(Value::Nil),
        }
    }
}

/// Which wait over several entries it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupKind {
    All,
    Race,
    Timeout,
}

/// One entry of a group.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Value,
    pub(crate) wait: Wait,
    pub(crate) outcome: Option<Value>,
}

/// What a task waits for.
#[derive(Clone, Debug)]
pub(crate) enum Pause {
    /// A tick.
    Until(Tick),
    /// A predicate, tested each tick.
    Test { predicate: Function, deadline: Option<Tick> },
    /// An event.
    Event { name: String, test: Option<Function>, deadline: Option<Tick> },
    /// One thing; when `owned`, it ends with the task.
    One { wait: Wait, owned: bool },
    /// A line or a choice: until the host says so, or its time is over.
    Host(Box<Prompt>),
    /// Several things, which end with the task.
    Group { kind: GroupKind, entries: Vec<Entry>, deadline: Option<Tick> },
}

impl Pause {
    fn deadline(&mut self) -> Option<&mut Tick> {
        match self {
            Self::Until(tick) => Some(tick),
            Self::Test { deadline, .. } | Self::Event { deadline, .. } | Self::Group { deadline, .. } => {
                deadline.as_mut()
            }
            Self::Host(prompt) => prompt.deadline.as_mut(),
            Self::One { .. } => None,
        }
    }

    /// When it is over by time alone.
    pub(crate) fn end(&self) -> Option<Tick> {
        match self {
            Self::Until(tick) => Some(*tick),
            Self::Test { deadline, .. } | Self::Event { deadline, .. } | Self::Group { deadline, .. } => {
                *deadline
            }
            Self::Host(prompt) => prompt.deadline,
            Self::One { .. } => None,
        }
    }
}

/// A wait that the running task has asked for: it begins when the task yields this serial.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) serial: u64,
    pub(crate) pause: Pause,
    /// Results that are there already, by entry.
    pub(crate) known: Vec<(Option<usize>, Outcome)>,
}

/// What reaches an owner; kept when it stands still.
#[derive(Debug)]
pub(crate) enum Delivery {
    /// A handler to be called.
    Handler { callback: Callback, payload: Value, label: Rc<str>, is_event: bool, with_receiver: bool },
    /// A task to be resumed.
    Resume { task: u64, serial: u64, answer: Answer },
}

impl Delivery {
    /// The same for the code that has come in place of the old: handlers given by name, and events for those who listen by
    /// `on`. What is left of the old code is gone.
    pub(crate) fn under(self, on: &BTreeMap<String, Function>) -> Option<Self> {
        match self {
            Self::Handler { payload, label, is_event, with_receiver: true, .. } => {
                let callback = Callback::Function(on.get(&*label)?.clone());
                Some(Self::Handler { callback, payload, label, is_event, with_receiver: true })
            }
            Self::Handler { callback: Callback::Named(_), .. } => Some(self),
            Self::Handler { .. } | Self::Resume { .. } => None,
        }
    }
}

/// What becomes of the end of a task, beyond its waiters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// Nothing more.
    #[default]
    Plain,
    /// An entry of a group: whoever waits is told of its failure, and it is not a fault by itself.
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
}

/// One task.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) owner: Owner,
    pub(crate) callback: Rc<str>,
    pub(crate) role: Role,
    thread: Option<Thread>,
    start: Option<(Function, MultiValue)>,
    /// Serial of the wait under way; 0 when it is not waiting.
    serial: u64,
    pause: Option<Pause>,
    cleanups: Vec<Function>,
    name: Option<String>,
}

/// All tasks.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    tasks: BTreeMap<u64, Task>,
    last: u64,
    serial: u64,
    /// Tasks that were started in step 3 and have not begun, in order.
    pub(crate) spawned: std::collections::VecDeque<u64>,
    /// Deadlines; those whose task waits for something else by now are skipped.
    due: BTreeMap<Tick, BTreeSet<u64>>,
    /// Tasks that test a predicate each tick.
    tested: BTreeSet<u64>,
    waiters: BTreeMap<Wait, Vec<Answering>>,
    by_event: BTreeMap<String, Vec<Answering>>,
    by_name: BTreeMap<(Owner, String), u64>,
}

impl Tasks {
    pub(crate) fn len(&self) -> usize {
        self.tasks.len()
    }

    /// The tasks of an owner, by id.
    pub(crate) fn of(&self, owner: Owner) -> Vec<u64> {
        self.tasks.iter().filter(|(_, task)| task.owner == owner).map(|(&id, _)| id).collect()
    }

    pub(crate) fn named(&self, owner: Owner, name: &str) -> Option<u64> {
        self.by_name.get(&(owner, name.to_owned())).copied()
    }

    /// A fresh serial for a wait.
    pub(crate) fn next_serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    /// Whether `thread` is the coroutine of task `id`.
    pub(crate) fn is_thread_of(&self, id: u64, thread: &Thread) -> bool {
        self.tasks.get(&id).and_then(|task| task.thread.as_ref()) == Some(thread)
    }

    pub(crate) fn add_cleanup(&mut self, id: u64, function: Function) {
        if let Some(task) = self.tasks.get_mut(&id) {
            task.cleanups.push(function);
        }
    }

    pub(crate) fn cleanup_count(&self, id: u64) -> usize {
        self.tasks.get(&id).map_or(0, |task| task.cleanups.len())
    }

    /// Those whose time has come, and those that test a predicate, by id.
    pub(crate) fn take_due(&mut self, now: Tick) -> BTreeSet<u64> {
        let later = self.due.split_off(&now.after(1));
        let mut due: BTreeSet<u64> =
            std::mem::replace(&mut self.due, later).into_values().flatten().collect();
        due.extend(&self.tested);
        due
    }

    /// What a task waits for, and the serial of that wait.
    pub(crate) fn pause_of(&self, id: u64) -> Option<(u64, &Pause)> {
        let task = self.tasks.get(&id)?;
        Some((task.serial, task.pause.as_ref()?))
    }

    /// Tasks that wait for `wait`, in the order they began to.
    pub(crate) fn take_waiters(&mut self, wait: Wait) -> Vec<Answering> {
        self.waiters.remove(&wait).unwrap_or_default()
    }

    pub(crate) fn has_waiters(&self, wait: Wait) -> bool {
        self.waiters.contains_key(&wait)
    }

    /// Tasks that wait for the event `name`, in the order they began to.
    pub(crate) fn event_waiters(&self, name: &str) -> Vec<Answering> {
        self.by_event.get(name).cloned().unwrap_or_default()
    }

    pub(crate) fn role_of(&self, id: u64) -> Option<Role> {
        self.tasks.get(&id).map(|task| task.role)
    }

    pub(crate) fn owner_of(&self, id: u64) -> Option<Owner> {
        self.tasks.get(&id).map(|task| task.owner)
    }

    /// The time that tasks of `owner` wait for moves on by `ticks`.
    pub(crate) fn shift(&mut self, owner: Owner, ticks: u64) {
        let Self { tasks, due, .. } = self;
        for (&id, task) in tasks.iter_mut().filter(|(_, task)| task.owner == owner) {
            if let Some(tick) = task.pause.as_mut().and_then(Pause::deadline) {
                *tick = tick.after(ticks);
                due.entry(*tick).or_default().insert(id);
            }
        }
    }

    /// The tasks of an owner, or all, that wait: their id, the serial of the wait, what they wait for.
    pub(crate) fn waits(&self, owner: Option<Owner>) -> impl Iterator<Item = (u64, u64, &Pause)> {
        let tasks = self.tasks.iter().filter(move |(_, task)| owner.is_none_or(|owner| task.owner == owner));
        tasks.filter_map(|(&id, task)| Some((id, task.serial, task.pause.as_ref()?)))
    }

    /// The time that tasks of `owner` wait for comes nearer by `ticks`.
    pub(crate) fn rewind(&mut self, owner: Owner, ticks: u64, now: Tick) {
        let Self { tasks, due, .. } = self;
        for (&id, task) in tasks.iter_mut().filter(|(_, task)| task.owner == owner) {
            if let Some(tick) = task.pause.as_mut().and_then(Pause::deadline) {
                tick.0 = tick.0.saturating_sub(ticks).max(now.0);
                due.entry(*tick).or_default().insert(id);
            }
        }
    }

    fn wait_for(&mut self, id: u64, pending: &Pending) {
        let Some(task) = self.tasks.get_mut(&id) else {
            return;
        };
        task.serial = pending.serial;
        let mut pause = pending.pause.clone();
        if let Some(tick) = pause.deadline() {
            self.due.entry(*tick).or_default().insert(id);
        }
        let answering = |entry| Answering { task: id, serial: pending.serial, entry };
        let is_known = |entry| pending.known.iter().any(|(known, _)| *known == entry);
        match &pause {
            Pause::Until(_) | Pause::Host(_) => {}
            Pause::Test { .. } => {
                self.tested.insert(id);
            }
            Pause::Event { name, .. } => self.by_event.entry(name.clone()).or_default().push(answering(None)),
            Pause::One { wait, .. } => {
                if !is_known(None) {
                    self.waiters.entry(*wait).or_default().push(answering(None));
                }
            }
            Pause::Group { entries, .. } => {
                for (at, entry) in entries.iter().enumerate().filter(|(at, _)| !is_known(Some(*at))) {
                    self.waiters.entry(entry.wait).or_default().push(answering(Some(at)));
                }
            }
        }
        task.pause = Some(pause);
    }

    /// Ends the wait of a task; what it waited for, when it still did.
    fn unwait(&mut self, id: u64) -> Option<Pause> {
        let task = self.tasks.get_mut(&id)?;
        task.serial = 0;
        let pause = task.pause.take()?;
        let drop_from = |waiters: &mut BTreeMap<Wait, Vec<Answering>>, wait: &Wait| {
            if let Some(list) = waiters.get_mut(wait) {
                list.retain(|waiter| waiter.task != id);
                if list.is_empty() {
                    waiters.remove(wait);
                }
            }
        };
        match &pause {
            Pause::Until(_) | Pause::Host(_) => {}
            Pause::Test { .. } => {
                self.tested.remove(&id);
            }
            Pause::Event { name, .. } => {
                if let Some(list) = self.by_event.get_mut(name) {
                    list.retain(|waiter| waiter.task != id);
                    if list.is_empty() {
                        self.by_event.remove(name);
                    }
                }
            }
            Pause::One { wait, .. } => drop_from(&mut self.waiters, wait),
            Pause::Group { entries, .. } => {
                entries.iter().for_each(|entry| drop_from(&mut self.waiters, &entry.wait));
            }
        }
        Some(pause)
    }

    /// Mixes in the tasks and what they wait for.
    pub(crate) fn hash_into(&self, hash: &mut StateHash) {
        hash.word(self.last).word(self.serial).word(self.spawned.len() as u64);
        for (&id, task) in &self.tasks {
            hash.word(id).word(u64::from(task.owner.0)).word(task.serial).flag(task.start.is_some());
            match &task.pause {
                None => hash.word(0),
                Some(Pause::Until(tick)) => hash.word(1).word(tick.0),
                Some(Pause::Test { deadline, .. }) => hash.word(2).word(deadline.map_or(0, |tick| tick.0)),
                Some(Pause::Event { name, deadline, .. }) => {
                    hash.word(3).text(name).word(deadline.map_or(0, |tick| tick.0))
                }
                Some(Pause::Host(prompt)) => {
                    prompt.hash_into(hash);
                    hash.word(6)
                }
                Some(Pause::One { wait, owned }) => {
                    wait.hash_into(hash);
                    hash.word(4).flag(*owned)
                }
                Some(Pause::Group { entries, deadline, .. }) => {
                    for entry in entries {
                        entry.wait.hash_into(hash);
                        hash.flag(entry.outcome.is_some());
                    }
                    hash.word(5).word(deadline.map_or(0, |tick| tick.0))
                }
            };
        }
    }
}

/// A task to be.
#[derive(Debug)]
pub(crate) struct Spawn {
    pub(crate) owner: Owner,
    pub(crate) callback: Rc<str>,
    pub(crate) role: Role,
    pub(crate) function: Function,
    pub(crate) args: MultiValue,
    pub(crate) name: Option<String>,
}

fn insert(runtime: &mut Runtime, spawn: Spawn) -> u64 {
    runtime.tasks.last += 1;
    let id = runtime.tasks.last;
    if let Some(record) = runtime.owners.get_mut(spawn.owner) {
        record.tasks += 1;
    }
    if let Some(name) = &spawn.name {
        runtime.tasks.by_name.insert((spawn.owner, name.clone()), id);
    }
    let task = Task {
        owner: spawn.owner,
        callback: spawn.callback,
        role: spawn.role,
        thread: None,
        start: Some((spawn.function, spawn.args)),
        serial: 0,
        pause: None,
        cleanups: Vec::new(),
        name: spawn.name,
    };
    runtime.tasks.tasks.insert(id, task);
    id
}

/// A new task that begins after the running code has returned: at the end of step 3, or in the next round of step 12.
pub(crate) fn spawn(lua: &Lua, spawn: Spawn) -> u64 {
    let (id, later) = runtime::with(lua, |runtime| {
        let id = insert(runtime, spawn);
        let later = runtime.step == 12;
        if !later {
            runtime.tasks.spawned.push_back(id);
        }
        (id, later)
    });
    if later {
        runtime::push_work(lua, Work::Begin(id));
    }
    id
}

/// A new task that somebody else begins when its turn comes: the level test.
pub(crate) fn prepare(lua: &Lua, spawn: Spawn) -> u64 {
    runtime::with(lua, |runtime| insert(runtime, spawn))
}

/// A new task that begins now: handlers and actions of trees, which are called by the host only.
pub(crate) fn run_now(vm: &ScriptVm, spawn: Spawn) -> u64 {
    let id = runtime::with(vm.lua(), |runtime| insert(runtime, spawn));
    begin(vm, id);
    id
}

/// The handle of a task.
pub(crate) fn handle(lua: &Lua, id: u64) -> mlua::Result<Value> {
    handles::make(lua, TaskId(id))
}

/// Begins a task that has not begun.
pub(crate) fn begin(vm: &ScriptVm, id: u64) {
    let thread = vm.task();
    let found = runtime::with(vm.lua(), |runtime| {
        let paused = runtime.tasks.owner_of(id).is_some_and(|owner| runtime.owners.is_paused(owner));
        let task = runtime.tasks.tasks.get_mut(&id)?;
        if paused {
            // Begins when the owner goes on: a sleep that is over at once.
            task.serial = u64::MAX;
            return None;
        }
        let (function, args) = task.start.take()?;
        Some((
            Call { owner: task.owner, callback: Rc::clone(&task.callback), task: Some(id) },
            function,
            args,
        ))
    });
    let Some((call, function, args)) = found else {
        return;
    };
    let result = match thread {
        Ok(thread) => {
            runtime::with(vm.lua(), |runtime| {
                if let Some(task) = runtime.tasks.tasks.get_mut(&id) {
                    task.thread = Some(thread.clone());
                }
            });
            invoke::within(vm, &call, || vm.start(&thread, &function, args, vm.limits().fuel_per_call))
        }
        Err(error) => Err(Failure::new(FaultKind::Memory, error.to_string(), None)),
    };
    after(vm, id, &call, result);
}

/// Tasks that were to begin while their owner stood still.
pub(crate) fn not_begun(runtime: &Runtime, owner: Owner) -> Vec<u64> {
    let waiting = |task: &Task| task.owner == owner && task.start.is_some() && task.serial == u64::MAX;
    runtime.tasks.tasks.iter().filter(|(_, task)| waiting(task)).map(|(&id, _)| id).collect()
}

/// Lets a waiting task go on with `answer`, unless it waits for something else by now.
pub(crate) fn resume(vm: &ScriptVm, id: u64, serial: u64, answer: Answer) {
    let lua = vm.lua();
    let Some(answer) = testing::hold(lua, id, serial, answer) else {
        return;
    };
    let found = runtime::with(lua, |runtime| {
        let task = runtime.tasks.tasks.get(&id).filter(|task| task.serial == serial)?;
        let (owner, callback, thread) = (task.owner, Rc::clone(&task.callback), task.thread.clone()?);
        if let Some(record) = runtime.owners.get_mut(owner)
            && record.paused.is_some()
        {
            record.kept.push_back(Delivery::Resume { task: id, serial, answer: answer.clone() });
            return None;
        }
        runtime.tasks.unwait(id);
        Some((Call { owner, callback, task: Some(id) }, thread))
    });
    let Some((call, thread)) = found else {
        return;
    };
    let result = match answer.into_values(lua) {
        Ok(values) => invoke::within(vm, &call, || vm.resume(&thread, values, vm.limits().fuel_per_call)),
        Err(error) => Err(Failure::new(FaultKind::Memory, error.to_string(), None)),
    };
    after(vm, id, &call, result);
}

/// What a task did: it waits, it is done, it failed.
fn after(vm: &ScriptVm, id: u64, call: &Call, result: Result<Resumed, Failure>) {
    let lua = vm.lua();
    match result {
        Ok(Resumed::Yielded(values)) => wait_or_tick(lua, id, values),
        Ok(Resumed::Done(values)) => {
            let first = values.into_iter().next().unwrap_or(Value::Nil);
            done(lua, id, first);
        }
        Err(failure) => failed(vm, id, call, failure),
    }
    invoke::clean_up(vm);
}

/// Begins the wait that was asked for; a bare yield waits a tick.
fn wait_or_tick(lua: &Lua, id: u64, values: MultiValue) {
    let asked = match values.front() {
        Some(Value::Integer(serial)) => u64::try_from(*serial).ok(),
        Some(Value::Number(serial)) => Some(*serial as u64),
        _ => None,
    };
    let known = runtime::with(lua, |runtime| {
        let pending = runtime.pending.take().filter(|pending| Some(pending.serial) == asked);
        let pending = pending.unwrap_or_else(|| Pending {
            serial: runtime.tasks.next_serial(),
            pause: Pause::Until(runtime.now.after(1)),
            known: Vec::new(),
        });
        runtime.tasks.wait_for(id, &pending);
        let serial = pending.serial;
        pending
            .known
            .into_iter()
            .map(move |(entry, outcome)| (Answering { task: id, serial, entry }, outcome))
    });
    for (answering, outcome) in known {
        runtime::push_work(lua, Work::Answer(answering, outcome));
    }
}

fn done(lua: &Lua, id: u64, value: Value) {
    let Some(task) = take(lua, id) else {
        return;
    };
    if let Role::TimerHandler(timer) = task.role
        && value == Value::Boolean(false)
    {
        timer::end(lua, timer);
    }
    if let Role::SceneScript(scene) = task.role {
        crate::script::cinematic::script_returned(lua, scene);
    }
    if task.role == Role::Test {
        testing::returned(lua, value.clone());
    }
    if task.role == Role::TreeAction {
        let end = ActionEnd::Returned(value != Value::Boolean(false));
        runtime::with(lua, |runtime| runtime.trees.action_over(id, end));
    }
    tell(lua, id, Outcome::Value(value));
}

fn failed(vm: &ScriptVm, id: u64, call: &Call, failure: Failure) {
    let lua = vm.lua();
    let Some(task) = take(lua, id) else {
        invoke::report(vm, call, failure);
        return;
    };
    queue_cleanups(lua, &task, Why::Fault);
    let message = failure.message.clone();
    let is_budget = !matches!(failure.kind, FaultKind::Error | FaultKind::Data);
    let is_heard = runtime::with(lua, |runtime| runtime.tasks.has_waiters(Wait::Task(id)));
    tell(lua, id, Outcome::Failed(message));
    match task.role {
        Role::Run => runtime::with(lua, |runtime| {
            let again = runtime.now.after(runtime.ticks(1.0));
            if let Some(record) = runtime.owners.get_mut(task.owner) {
                record.run_again = Some(again);
            }
        }),
        Role::TreeAction => runtime::with(lua, |runtime| runtime.trees.action_over(id, ActionEnd::Faulted)),
        Role::Test => testing::broken(lua, &failure),
        // The fault itself ends the scene: see `invoke::report`.
        Role::SceneScript(_) | Role::Plain | Role::Entry | Role::TimerHandler(_) => {}
    }
    if !is_heard || is_budget || task.role == Role::TreeAction {
        invoke::report(vm, call, failure);
    }
}

/// Takes a task out of all tables.
fn take(lua: &Lua, id: u64) -> Option<Task> {
    runtime::with(lua, |runtime| {
        runtime.tasks.unwait(id);
        let task = runtime.tasks.tasks.remove(&id)?;
        if let Some(skip) = runtime.scenes.skip_of(task.owner) {
            skip.forget(id);
        }
        if let Some(record) = runtime.owners.get_mut(task.owner) {
            record.tasks = record.tasks.saturating_sub(1);
        }
        if let Some(name) = &task.name {
            let key = (task.owner, name.clone());
            if runtime.tasks.by_name.get(&key) == Some(&id) {
                runtime.tasks.by_name.remove(&key);
            }
        }
        Some(task)
    })
}

fn queue_cleanups(lua: &Lua, task: &Task, why: Why) {
    runtime::with(lua, |runtime| {
        for function in task.cleanups.iter().rev() {
            let cleanup = Cleanup { owner: task.owner, function: function.clone(), why };
            runtime.cleanups.push_back(cleanup);
        }
    });
}

/// Keeps the result with the handle, and queues it for those who wait.
fn tell(lua: &Lua, id: u64, outcome: Outcome) {
    let wait = Wait::Task(id);
    // Without memory for the result there is none; the task is over all the same.
    let _ = wait::latch(lua, wait, &outcome);
    if runtime::with(lua, |runtime| runtime.tasks.has_waiters(wait)) {
        runtime::push_work(lua, Work::Settled(wait, outcome));
    }
}

/// Ends a task unfinished, with what it waits for; false when it is over.
pub(crate) fn cancel(lua: &Lua, id: u64, why: Why) -> bool {
    let pause = runtime::with(lua, |runtime| runtime.tasks.unwait(id));
    let Some(task) = take(lua, id) else {
        return false;
    };
    queue_cleanups(lua, &task, why);
    if task.role == Role::TreeAction {
        runtime::with(lua, |runtime| runtime.trees.action_over(id, ActionEnd::Returned(false)));
    }
    match pause {
        // The code that waited is gone, the walk goes on: its result is news to the code that comes.
        Some(Pause::One { wait: Wait::Walk(walk), .. }) if why == Why::Reload => {
            handlers::note_reload(lua, task.owner, walk);
        }
        Some(Pause::One { wait, owned: true }) => cancel_wait(lua, wait, why),
        Some(Pause::Group { entries, .. }) => {
            for entry in entries.iter().filter(|entry| entry.outcome.is_none()) {
                match entry.wait {
                    Wait::Walk(walk) if why == Why::Reload => {
                        handlers::note_reload(lua, task.owner, walk);
                    }
                    wait => cancel_wait(lua, wait, why),
                }
            }
        }
        _ => {}
    }
    tell(lua, id, Outcome::Cancelled);
    true
}

/// Ends what somebody waited for: walks, timers, paths, tasks. A door goes on moving.
pub(crate) fn cancel_wait(lua: &Lua, wait: Wait, why: Why) {
    match wait {
        Wait::Walk(walk) => {
            let because = runtime::with(lua, |runtime| runtime.failed_branch.clone());
            let _ = lend::with_world(lua, |world: &mut World| match because {
                Some(because) => ops::walks::cancel_because(world, walk, why.reason(), &because),
                None => ops::walks::cancel(world, walk, why.reason()),
            });
        }
        Wait::Path(token) => {
            let _ = lend::with_world(lua, |world: &mut World| ops::paths::cancel(world, token));
            runtime::with(lua, |runtime| runtime.handlers.forget_path(token));
        }
        Wait::Timer(timer) => {
            timer::end(lua, timer);
        }
        Wait::Task(task) => {
            cancel(lua, task, why);
        }
        Wait::DoorMove(_) | Wait::Turn(_) | Wait::Play(_) | Wait::Scene(_) | Wait::Change(_) => {}
    }
}

/// What the end of an entry means for its group.
enum Step {
    Nothing,
    /// `failed` is the key of the entry that did.
    Resume {
        answer: Answer,
        cancel: Vec<Wait>,
        why: Why,
        failed: Option<Value>,
    },
}

/// Hands a result to a waiting task, or to the group it waits for.
pub(crate) fn answer(vm: &ScriptVm, to: Answering, outcome: Outcome) {
    let lua = vm.lua();
    let Some(at) = to.entry else {
        resume(vm, to.task, to.serial, outcome.into());
        return;
    };
    let step = runtime::with(lua, |runtime| {
        let task = runtime.tasks.tasks.get_mut(&to.task).filter(|task| task.serial == to.serial);
        match task.and_then(|task| task.pause.as_mut()) {
            Some(Pause::Group { kind, entries, .. }) => step(*kind, entries, at, outcome),
            _ => Step::Nothing,
        }
    });
    if let Step::Resume { answer, cancel, why, failed } = step {
        let branch = failed.map(|key| format!("branch {} failed", describe(&key)));
        runtime::with(lua, |runtime| runtime.failed_branch = branch);
        cancel.into_iter().for_each(|wait| cancel_wait(lua, wait, why));
        runtime::with(lua, |runtime| runtime.failed_branch = None);
        invoke::clean_up(vm);
        resume(vm, to.task, to.serial, answer);
    }
}

fn step(kind: GroupKind, entries: &mut [Entry], at: usize, outcome: Outcome) -> Step {
    let Some(entry) = entries.get_mut(at).filter(|entry| entry.outcome.is_none()) else {
        return Step::Nothing;
    };
    let key = entry.key.clone();
    let (value, failure) = match outcome {
        Outcome::Value(value) => (value, None),
        Outcome::Cancelled => (Value::Nil, None),
        Outcome::Failed(message) => (Value::Nil, Some(message)),
    };
    entry.outcome = Some(value.clone());
    let why = if kind == GroupKind::All { Why::Cancelled } else { Why::LostRace };
    let failed = failure.is_some().then(|| key.clone());
    let answer = match (failure, kind) {
        (Some(message), _) => Answer::Error(message),
        (None, GroupKind::Race) => Answer::Values(vec![key, value]),
        (None, GroupKind::Timeout) => Answer::Values(vec![Value::Boolean(true), value]),
        (None, GroupKind::All) if entries.iter().any(|entry| entry.outcome.is_none()) => {
            return Step::Nothing;
        }
        (None, GroupKind::All) => Answer::Table(
            entries
                .iter()
                .map(|entry| (entry.key.clone(), entry.outcome.clone().unwrap_or(Value::Nil)))
                .collect(),
        ),
    };
    let cancel = entries.iter().filter(|entry| entry.outcome.is_none()).map(|entry| entry.wait).collect();
    Step::Resume { answer, cancel, why, failed }
}

/// The time of a task is over, or its predicate is to be tested: what step 3 does with it.
pub(crate) fn wake(vm: &ScriptVm, id: u64) {
    let lua = vm.lua();
    let found = runtime::with(lua, |runtime| {
        let now = runtime.now;
        let owner = runtime.tasks.owner_of(id)?;
        if runtime.owners.is_paused(owner) {
            return None;
        }
        let (serial, pause) = runtime.tasks.pause_of(id)?;
        let mut pause = pause.clone();
        let is_over = pause.deadline().is_some_and(|tick| *tick <= now);
        Some((owner, serial, pause, is_over))
    });
    let Some((owner, serial, pause, is_over)) = found else {
        return;
    };
    match pause {
        Pause::Test { predicate, .. } => {
            let call = Call { owner, callback: Rc::from("waitUntil"), task: None };
            match invoke::test(vm, &call, &predicate, ()) {
                Ok(true) => resume(vm, id, serial, Answer::one(Value::Boolean(true))),
                Ok(false) if is_over => resume(vm, id, serial, Answer::one(Value::Boolean(false))),
                Ok(false) => {}
                // The error is the task's: it is raised where it waits.
                Err(failure) => resume(vm, id, serial, Answer::Error(failure.message)),
            }
        }
        _ if !is_over => {}
        Pause::Until(_) => resume(vm, id, serial, Answer::Values(Vec::new())),
        Pause::Event { .. } => resume(vm, id, serial, Answer::one(Value::Nil)),
        Pause::Host(asked) => resume(vm, id, serial, Answer::one(prompt::fallback(lua, &asked))),
        Pause::Group { entries, .. } => {
            for entry in entries.iter().filter(|entry| entry.outcome.is_none()) {
                cancel_wait(lua, entry.wait, Why::LostRace);
            }
            invoke::clean_up(vm);
            resume(vm, id, serial, Answer::one(Value::Boolean(false)));
        }
        Pause::One { .. } => {}
    }
}
