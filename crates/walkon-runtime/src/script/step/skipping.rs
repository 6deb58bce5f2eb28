//! Skipping: the code of a scene runs on, and its waits are over in the order in which they would have been.
//!
//! In: a scene to skip, what its tasks wait for. Out: stretches of its time that pass at once
//! (`world::scene_fast_forward`), tasks and timers whose time has come by them. Holds: game time passes for
//! the scene alone; every wait of its tasks has an end, whichever function waits: by its own time, else after
//! [`PATIENCE_S`]; code within `noSkip` and choices that a person has to make run at normal speed; a scene
//! that goes on for [`PASSED_MAX_S`] without end is not skipped any further. Not here: walks, doors and
//! regions (`sim::scene_fast_forward`), the loop (`game::skipping`).

use std::collections::BTreeMap;

use mlua::{Function, Lua, Value};

use crate::base::ordered::CollectOrdered;
use crate::base::time::TickNumber;
use crate::script::state::runtime::Runtime;
use crate::script::state::scenes::{AskedPredicates, BeforeStart};
use crate::script::state::wait::{Outcome, Wait};
use crate::script::state::waits::{Answering, GroupEntry, GroupKind, TaskPause, WaitResult};
use crate::script::state::work::ScriptWork;
use crate::script::step::invoke::{self, Call};
use crate::script::step::{dialogue, dispatch, schedule, task};
use crate::script::vm::{ScriptVm, lend, store};
use crate::world::World;
use crate::world::event::{Fact, LogLine};
use crate::world::owner::Owner;
use crate::world::scene_fast_forward::FastForward;

/// Seconds of a scene after which a wait without an end of its own is over while it is skipped.
const PATIENCE_S: f64 = 60.0;

/// Seconds of a scene that one skip passes over at most; it goes on at normal speed then. Scenes last
/// minutes: half an hour is one that waits for something that never comes.
const PASSED_MAX_S: f64 = 1800.0;

/// Asks for a scene to be skipped from the next dispatch on, and from its first line on when it has not
/// begun; false when it may not be, or is over.
pub(crate) fn ask(lua: &Lua, id: u64) -> bool {
    let may = store::with(lua, |runtime| {
        let may = runtime.cinematics.scenes.is_skippable(id);
        if may {
            runtime.cinematics.scenes.ask_before_start(id, BeforeStart::Skip);
        }
        may
    });
    if may {
        store::push_work(lua, ScriptWork::SkipScene(id));
    }
    may
}

/// What the tasks of a scene wait for.
#[derive(Debug, Default)]
struct WaitSurvey {
    forward: FastForward,
    due: Option<TickNumber>,
    tests: Vec<(u64, u64, Function)>,
    inner: Vec<u64>,
    is_asking: bool,
}

impl WaitSurvey {
    fn ends_at(&mut self, tick: TickNumber) {
        self.due = Some(self.due.map_or(tick, |due| due.min(tick)));
    }

    /// Takes note of a wait; true when nothing of the scene's own brings it to its end.
    fn waits_for(&mut self, runtime: &Runtime, owner: Owner, wait: Wait) -> bool {
        match wait {
            Wait::Walk(walk) => self.forward.walks.push(walk),
            Wait::DoorMove(serial) => self.forward.door_moves.push(serial),
            Wait::Path(token) => self.forward.paths.push(token),
            Wait::Turn(serial) => self.forward.turns.push(serial),
            Wait::Play(serial) => self.forward.plays.push(serial),
            Wait::Scene(scene) => self.inner.push(scene),
            Wait::Timer(_) | Wait::Task(_) | Wait::Change(_) => {}
        }
        is_endless(runtime, owner, wait)
    }

    /// Takes note of what a task waits for; true when nothing of the scene's own brings it to its end.
    fn pauses_at(&mut self, runtime: &Runtime, owner: Owner, pause: &TaskPause) -> bool {
        match pause {
            TaskPause::Until(tick) => self.ends_at(*tick),
            TaskPause::Test { deadline, .. } | TaskPause::Event { deadline, .. } => {
                deadline.iter().for_each(|&tick| self.ends_at(tick));
                return deadline.is_none();
            }
            TaskPause::Host(prompt) if !prompt.is_skippable => self.is_asking = true,
            // Without a time of its own it takes its default at once, which is in the next tick, as when it
            // is watched.
            TaskPause::Host(prompt) => {
                let next = runtime.clock.now.after(1);
                self.ends_at(prompt.deadline.map_or(next, |tick| tick.max(next)));
            }
            TaskPause::One { wait, .. } => return self.waits_for(runtime, owner, *wait),
            TaskPause::Group { kind, entries, deadline } => {
                let open = || entries.iter().filter(|entry| entry.outcome.is_none());
                // A scene inside this one is skipped to its end before time passes for this one.
                let scenes = &runtime.cinematics.scenes;
                let comes_first = |entry: &GroupEntry| matches!(entry.wait, Wait::Scene(scene) if scenes.may_be_skipped(scene));
                if !open().any(comes_first) {
                    deadline.iter().for_each(|&tick| self.ends_at(tick));
                }
                let endless: Vec<bool> =
                    open().map(|entry| self.waits_for(runtime, owner, entry.wait)).collect();
                // All of them have to end, or one of them is enough.
                return deadline.is_none()
                    && match kind {
                        GroupKind::All => endless.contains(&true),
                        GroupKind::Race | GroupKind::Timeout => !endless.contains(&false),
                    };
            }
        }
        false
    }
}

/// Whether nothing of the scene's own brings a wait of its owner to its end.
fn is_endless(runtime: &Runtime, owner: Owner, wait: Wait) -> bool {
    match wait {
        Wait::Timer(timer) => runtime.registered.timers.get(timer).is_some_and(|timer| timer.owner != owner),
        Wait::Task(task) => runtime.tasks.owner_of(task).is_some_and(|other| other != owner),
        Wait::Turn(_) | Wait::Play(_) | Wait::Change(_) => true,
        Wait::Walk(_) | Wait::DoorMove(_) | Wait::Path(_) | Wait::Scene(_) => false,
    }
}

/// The next stretch of the oldest skipped scene that can go on; none when all that is left needs game time or
/// fuel.
pub(crate) fn next(vm: &ScriptVm) -> Option<FastForward> {
    let lua = vm.lua();
    if vm.tick_left() == 0 || dispatch::waiting(lua) > 0 {
        return None;
    }
    for id in store::with(lua, |runtime| runtime.cinematics.scenes.fast_forwarding()) {
        if give_up(vm, id) {
            continue;
        }
        let Some((survey, price)) = store::with(lua, |runtime| survey(runtime, id)) else {
            continue;
        };
        vm.spend(price);
        for &scene in &survey.inner {
            if !store::with(lua, |runtime| runtime.cinematics.scenes.is_skipping(scene)) {
                ask(lua, scene);
            }
        }
        if survey.is_asking {
            continue;
        }
        let mut forward = survey.forward;
        if test(vm, forward.owner, survey.tests)? {
            // A predicate is tested at the head of a tick: the next one of the scene has begun.
            forward.ticks = Some(1);
            return Some(forward);
        }
        let now = store::with(lua, |runtime| runtime.clock.now);
        forward.ticks = survey.due.map(|due| due.since(now));
        let is_idle = lend::with_world(lua, |world: &mut World| {
            forward.is_idle(&world.map.doors, &world.characters, &world.walks)
        })
        .unwrap_or(true);
        if !is_idle {
            return Some(forward);
        }
    }
    None
}

/// A scene that would never end is not skipped any further.
fn give_up(vm: &ScriptVm, id: u64) -> bool {
    let given_up = store::with(vm.lua(), |runtime| {
        let most = runtime.clock.ticks(PASSED_MAX_S);
        let owner = runtime.cinematics.scenes.owner(id)?;
        let (skip, _) = runtime.cinematics.scenes.skip_mut(id).filter(|(skip, _)| skip.passed >= most)?;
        skip.is_on = false;
        skip.passed = 0;
        Some(runtime.owners.label(owner).to_string())
    });
    let Some(owner) = given_up else {
        return false;
    };
    let message = format!("{PASSED_MAX_S} seconds were skipped without end; it goes on at normal speed");
    let line = LogLine { level: "warn", owner, file: String::new(), line: 0, message };
    invoke::push(vm, Fact::Logged(Box::new(line)));
    true
}

/// What a stretch costs the tick beside the code that runs, and for each wait and timer of the scene: they
/// are looked at, and come nearer.
const STRETCH_PRICE: u64 = 16;
const WAIT_PRICE: u64 = 4;

/// What the tasks of a scene wait for and when the first of these waits is over, and what that costs the
/// tick.
fn survey(runtime: &mut Runtime, id: u64) -> Option<(WaitSurvey, u64)> {
    let owner = runtime.cinematics.scenes.owner(id)?;
    let patience = runtime.clock.after_seconds(PATIENCE_S);
    let forward =
        FastForward { owner, characters: runtime.cinematics.scenes.held_by(id), ..FastForward::default() };
    let mut survey = WaitSurvey { forward, ..WaitSurvey::default() };
    let mut ends = BTreeMap::new();
    let before = runtime
        .cinematics
        .scenes
        .skip_mut(id)
        .map(|(skip, _)| std::mem::take(&mut skip.ends))
        .unwrap_or_default();
    let mut waits = 0;
    for (task, serial, pause) in runtime.tasks.waits(Some(owner)) {
        waits += 1;
        if let TaskPause::Test { predicate, .. } = pause {
            survey.tests.push((task, serial, predicate.clone()));
        }
        if survey.pauses_at(runtime, owner, pause) {
            let known = before.get(&task).filter(|(known, _)| *known == serial);
            let end = known.map_or(patience, |(_, tick)| *tick);
            ends.insert(task, (serial, end));
            survey.ends_at(end);
        }
    }
    let timers = runtime.registered.timers.of(owner);
    for &timer in &timers {
        runtime.registered.timers.due_of(timer).into_iter().for_each(|tick| survey.ends_at(tick));
    }
    if let Some((skip, _)) = runtime.cinematics.scenes.skip_mut(id) {
        skip.ends = ends;
    }
    Some((survey, STRETCH_PRICE + WAIT_PRICE * (waits + timers.len() as u64)))
}

/// Asks the predicates that tasks wait for and those of `region.when`; whether one let a task go on. None
/// when the fuel of the tick does not suffice for all of them: the rest is asked in the next one. At least
/// one is asked, so that a scene gets on however little is left.
fn test(vm: &ScriptVm, owner: Owner, tests: Vec<(u64, u64, Function)>) -> Option<bool> {
    let lua = vm.lua();
    let predicates = store::with(lua, |runtime| runtime.registered.predicates.of_owner(owner));
    let mut asked = store::with(lua, |runtime| {
        runtime.skip_of(owner).map_or_else(AskedPredicates::default, |skip| std::mem::take(&mut skip.asked))
    });
    let before = asked;
    for id in predicates.into_iter().filter(|&id| id > before.predicate) {
        schedule::run_predicate(vm, id);
        asked.predicate = id;
        if vm.tick_left() == 0 {
            return ask_on(lua, owner, asked);
        }
    }
    for (task, serial, predicate) in tests.into_iter().filter(|&(task, ..)| task > before.task) {
        asked.task = task;
        let call = Call::plain(owner, "waitUntil");
        let answer = match invoke::test(vm, &call, &predicate, ()) {
            Ok(true) => Some(WaitResult::one(Value::Boolean(true))),
            Ok(false) => None,
            Err(failure) => Some(WaitResult::Error(failure.message)),
        };
        if let Some(answer) = answer {
            asked.went_on = true;
            task::resume(vm, task, serial, answer);
        }
        if vm.tick_left() == 0 {
            return ask_on(lua, owner, asked);
        }
    }
    Some(asked.went_on)
}

/// A scene's predicates were asked up to these; the others are in the next tick.
fn ask_on(lua: &Lua, owner: Owner, asked: AskedPredicates) -> Option<bool> {
    store::with(lua, |runtime| runtime.skip_of(owner).map(|skip| skip.asked = asked));
    None
}

/// So many ticks have passed for a scene: what is due by now runs, timers first, then tasks by id.
pub(crate) fn pass(vm: &ScriptVm, owner: Owner, ticks: u64) {
    let lua = vm.lua();
    let (timers, tasks) = store::with(lua, |runtime| {
        let now = runtime.clock.now;
        runtime.registered.timers.rewind(owner, ticks, now);
        runtime.tasks.rewind(owner, ticks, now);
        let ended = runtime.skip_of(owner).map_or_else(BTreeMap::new, |skip| {
            skip.passed += ticks;
            for (_, tick) in skip.ends.values_mut() {
                tick.0 = tick.0.saturating_sub(ticks).max(now.0);
            }
            skip.ends
                .iter()
                .filter(|(_, (_, tick))| *tick <= now)
                .map(|(&task, &(serial, _))| (task, serial))
                .collect_map()
        });
        let timers: Vec<u64> = runtime
            .registered
            .timers
            .due(now)
            .into_iter()
            .filter(|&id| runtime.registered.timers.get(id).is_some_and(|timer| timer.owner == owner))
            .collect();
        let due = runtime.tasks.waits(Some(owner)).filter_map(|(task, serial, pause)| {
            let is_default =
                matches!(pause, TaskPause::Host(prompt) if prompt.is_skippable && prompt.deadline.is_none());
            let is_over = pause.end().is_some_and(|tick| tick <= now);
            let has_ended = ended.get(&task) == Some(&serial);
            let may_end = ticks > 0 || !matches!(pause, TaskPause::Host(_));
            (may_end && (is_over || is_default || has_ended)).then_some((task, serial))
        });
        (timers, due.collect::<Vec<_>>())
    });
    for timer in timers {
        if vm.tick_left() > 0 {
            schedule::run_timer(vm, timer);
        }
    }
    for (task, serial) in tasks {
        if vm.tick_left() > 0 {
            end_wait(vm, task, serial);
        }
    }
    schedule::run_spawned(vm, 0);
}

/// The time of a wait is over, by its own end or by that of its patience.
fn end_wait(vm: &ScriptVm, task: u64, serial: u64) {
    let lua = vm.lua();
    let pause = store::with(lua, |runtime| {
        let (now, pause) = runtime.tasks.pause_of(task)?;
        (now == serial).then(|| pause.clone())
    });
    let now = store::with(lua, |runtime| runtime.clock.now);
    match pause {
        None => {}
        Some(pause) if pause.end().is_some_and(|tick| tick <= now) => task::wake(vm, task),
        Some(TaskPause::Host(asked)) => {
            task::resume(vm, task, serial, WaitResult::one(dialogue::fallback(lua, &asked)))
        }
        Some(TaskPause::Event { .. }) => task::resume(vm, task, serial, WaitResult::one(Value::Nil)),
        Some(TaskPause::One { wait, .. }) => {
            task::resume(vm, task, serial, WaitResult::one(unanswered(wait)))
        }
        Some(TaskPause::Test { .. }) => {
            task::resume(vm, task, serial, WaitResult::one(Value::Boolean(false)));
        }
        Some(TaskPause::Group { entries, .. }) => {
            end_entries(vm, Answering { task, serial, entry: None }, &entries)
        }
        Some(TaskPause::Until(_)) => {}
    }
}

/// The result of something that never came.
fn unanswered(wait: Wait) -> Value {
    match wait {
        Wait::Task(_) | Wait::Change(_) => Value::Nil,
        _ => Value::Boolean(false),
    }
}

/// The patience with a group is over: those of its entries end that would not by themselves, as each would
/// alone. What comes for a task that has gone on by then is dropped.
fn end_entries(vm: &ScriptVm, group: Answering, entries: &[GroupEntry]) {
    let endless = store::with(vm.lua(), |runtime| {
        let Some(owner) = runtime.tasks.owner_of(group.task) else { return Vec::new() };
        let open = entries.iter().enumerate().filter(|(_, entry)| entry.outcome.is_none());
        let endless = open.filter(|(_, entry)| is_endless(runtime, owner, entry.wait));
        endless.map(|(at, entry)| (at, entry.wait)).collect::<Vec<_>>()
    });
    for (at, wait) in endless {
        task::answer(vm, Answering { entry: Some(at), ..group }, Outcome::Value(unanswered(wait)));
    }
}
