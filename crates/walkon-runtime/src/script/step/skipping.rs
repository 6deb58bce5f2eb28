//! Skipping a scene: its code runs on, and its waits end in the order in which they would have.
//!
//! In: a scene to skip, what its tasks wait for. Out: stretches of its time that pass at once
//! (`world::scene_fast_forward`), tasks and timers whose time has come by them. Holds: game time passes for
//! the scene alone; every wait of its tasks has an end, whichever function waits: by its own time, else after
//! [`PATIENCE_S`]; code within `noSkip` and choices that a person has to make run at normal speed; a scene
//! that goes on for [`PASSED_MAX_S`] without end is not skipped any further. Scenes that a skipped one plays
//! or waits for have the same time: they are carried along as long as it is skipped, and go on at normal
//! speed afterwards. Where one that is waited for cannot be skipped, all of them go on at normal speed. Not
//! here: walks, doors and regions (`sim::scene_fast_forward`), the loop (`game::skipping`).

use std::collections::BTreeMap;

use mlua::{Lua, Value};

use crate::base::time::TickNumber;
use crate::script::state::runtime::Runtime;
use crate::script::state::scenes::{AskedPredicates, BeforeStart};
use crate::script::state::wait::{Outcome, Wait};
use crate::script::state::waits::{Answering, GroupEntry, GroupKind, TaskPause, WaitResult};
use crate::script::state::work::ScriptWork;
use crate::script::step::{dialogue, dispatch, invoke, schedule, task};
use crate::script::vm::{ScriptVm, lend, store};
use crate::world::World;
use crate::world::event::{Fact, LogLine};
use crate::world::owner::Owner;
use crate::world::scene_fast_forward::{FastForward, Passed, PredicateQuestions};

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
        if let Some((skip, _)) = runtime.cinematics.scenes.skip_mut(id).filter(|_| may) {
            skip.is_carried = false;
        }
        may
    });
    if may {
        begin_soon(lua, id);
    }
    may
}

/// A scene is skipped from the next dispatch on, and from its first line on when it has not begun.
fn begin_soon(lua: &Lua, id: u64) {
    store::with(lua, |runtime| runtime.cinematics.scenes.ask_before_start(id, BeforeStart::Skip));
    store::push_work(lua, ScriptWork::SkipScene(id));
}

/// Scenes that are carried along with one that is skipped, at most; others go on at normal speed.
const CARRIED_MAX: usize = 16;

/// Scenes and tasks of the level that are passed over for a unit of fuel, for each scene that is carried
/// along.
const PASSED_PER_UNIT: u64 = 4;

/// A scene for which time passes while another is skipped.
#[derive(Clone, Copy, Debug)]
struct SceneMember {
    id: u64,
    /// Whether the other goes on only once it has ended.
    is_waited: bool,
}

/// The scenes that are skipped by themselves, oldest first, each with those that it plays or waits for and
/// theirs. Those that were carried along by none of them any more go on at normal speed.
fn groups(runtime: &mut Runtime) -> Vec<Vec<SceneMember>> {
    let scenes = &mut runtime.cinematics.scenes;
    let roots: Vec<u64> = scenes.skipped().filter(|(_, skip)| !skip.is_carried).map(|(id, _)| id).collect();
    let mut groups: Vec<Vec<SceneMember>> = Vec::new();
    let is_in = |groups: &[Vec<SceneMember>], id: u64| groups.iter().flatten().any(|member| member.id == id);
    for root in roots {
        if !is_in(&groups, root) {
            let mut members = members(runtime, root);
            members.retain(|member| !is_in(&groups, member.id));
            groups.push(members);
        }
    }
    let scenes = &mut runtime.cinematics.scenes;
    let skipped: Vec<u64> = scenes.skipped().map(|(id, _)| id).filter(|&id| !is_in(&groups, id)).collect();
    for id in skipped {
        if let Some((skip, _)) = scenes.skip_mut(id).filter(|(skip, _)| skip.is_carried) {
            (skip.is_on, skip.is_carried) = (false, false);
        }
    }
    groups
}

/// A scene, and those inside it.
fn members(runtime: &Runtime, root: u64) -> Vec<SceneMember> {
    let scenes = &runtime.cinematics.scenes;
    let mut members = vec![SceneMember { id: root, is_waited: true }];
    let mut next = 0;
    // Bounded by the scenes that have not ended.
    while let Some(&SceneMember { id, is_waited }) = members.get(next) {
        next += 1;
        let Some(owner) = scenes.owner(id) else { continue };
        let waited = waited_for(runtime, owner).into_iter().map(|scene| (scene, is_waited));
        let played = scenes.played_by(owner).map(|scene| (scene, false));
        let inner = waited.chain(played).filter(|&(scene, _)| scenes.may_be_skipped(scene));
        for (id, is_waited) in inner.take(CARRIED_MAX) {
            let has_room = members.len() <= CARRIED_MAX;
            match members.iter_mut().find(|member| member.id == id) {
                Some(member) => member.is_waited |= is_waited,
                None if has_room => members.push(SceneMember { id, is_waited }),
                None => {}
            }
        }
    }
    members
}

/// The scenes that tasks of an owner wait for.
fn waited_for(runtime: &Runtime, owner: Owner) -> Vec<u64> {
    let scene = |wait: Wait| match wait {
        Wait::Scene(scene) => Some(scene),
        _ => None,
    };
    let scenes_of = |pause: &TaskPause| match pause {
        TaskPause::One { wait, .. } => scene(*wait).into_iter().collect(),
        TaskPause::Group { entries, .. } => {
            let open = entries.iter().filter(|entry| entry.outcome.is_none());
            open.filter_map(|entry| scene(entry.wait)).collect::<Vec<_>>()
        }
        _ => Vec::new(),
    };
    runtime.tasks.waits(Some(owner)).flat_map(|(.., pause)| scenes_of(pause)).collect()
}

/// Has those members of a group skipped that are not yet; whether there were any.
fn carry_along(lua: &Lua, members: &[SceneMember]) -> bool {
    let to_carry = store::with(lua, |runtime| {
        let scenes = &mut runtime.cinematics.scenes;
        let is_new = |id: &u64| scenes.is_skippable(*id) && !scenes.is_skipping(*id);
        let new: Vec<u64> = members.iter().map(|member| member.id).filter(is_new).collect();
        new.iter().for_each(|&id| {
            scenes.skip_mut(id).into_iter().for_each(|(skip, _)| skip.is_carried = true);
        });
        new
    });
    to_carry.iter().for_each(|&id| begin_soon(lua, id));
    !to_carry.is_empty()
}

/// What the tasks of a scene wait for.
#[derive(Debug, Default)]
struct WaitSurvey {
    forward: FastForward,
    due: Option<TickNumber>,
    is_asking: bool,
}

/// What the tasks of a group wait for, and what looking at that costs the tick; none while one of those that
/// are waited for goes on at normal speed.
fn survey_all(runtime: &mut Runtime, members: &[SceneMember]) -> Option<(WaitSurvey, u64)> {
    let all_there = (runtime.cinematics.scenes.count() + runtime.tasks.waits(None).count()) as u64;
    let carried = members.len() as u64 - 1;
    let (mut all, mut price) = (WaitSurvey::default(), all_there * carried / PASSED_PER_UNIT);
    for &SceneMember { id, is_waited } in members {
        let is_on = runtime.cinematics.scenes.is_fast_forwarding(id);
        let surveyed = if is_on { survey(runtime, id) } else { None };
        let surveyed = surveyed.filter(|(survey, _)| !survey.is_asking);
        match surveyed {
            Some((survey, own_price)) => {
                price += own_price;
                all.join(survey);
            }
            None if is_waited => return None,
            None => {}
        }
    }
    Some((all, price))
}

impl WaitSurvey {
    /// What another waits for, too.
    fn join(&mut self, other: Self) {
        let FastForward { owners, characters, walks, door_moves, paths, turns, plays, ticks: _, questions } =
            other.forward;
        self.forward.owners.extend(owners);
        self.forward.characters.extend(characters);
        self.forward.walks.extend(walks);
        self.forward.door_moves.extend(door_moves);
        self.forward.paths.extend(paths);
        self.forward.turns.extend(turns);
        self.forward.plays.extend(plays);
        questions.into_iter().for_each(|questions| self.asks(questions));
        other.due.into_iter().for_each(|tick| self.ends_at(tick));
    }

    fn ends_at(&mut self, tick: TickNumber) {
        self.due = Some(self.due.map_or(tick, |due| due.min(tick)));
    }

    fn asks(&mut self, questions: PredicateQuestions) {
        let asked = &mut self.forward.questions;
        *asked = Some(asked.map_or(questions, |others| others.and(questions)));
    }

    /// Takes note of a wait; true when nothing of the scene's own brings it to its end.
    fn waits_for(&mut self, runtime: &Runtime, owner: Owner, wait: Wait) -> bool {
        match wait {
            Wait::Walk(walk) => self.forward.walks.push(walk),
            Wait::DoorMove(serial) => self.forward.door_moves.push(serial),
            Wait::Path(token) => self.forward.paths.push(token),
            Wait::Turn(serial) => self.forward.turns.push(serial),
            Wait::Play(serial) => self.forward.plays.push(serial),
            Wait::Scene(_) | Wait::Timer(_) | Wait::Task(_) | Wait::Change(_) => {}
        }
        is_endless(runtime, owner, wait)
    }

    /// Takes note of what a task waits for; true when nothing of the scene's own brings it to its end.
    fn pauses_at(&mut self, runtime: &Runtime, owner: Owner, pause: &TaskPause) -> bool {
        match pause {
            TaskPause::Until(tick) => self.ends_at(*tick),
            TaskPause::Test { deadline, .. } | TaskPause::Event { deadline, .. } => {
                if matches!(pause, TaskPause::Test { .. }) {
                    self.asks(PredicateQuestions { next_ticks: 1, longest_ticks: 1 });
                }
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
                deadline.iter().for_each(|&tick| self.ends_at(tick));
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
    for members in store::with(lua, groups) {
        let Some(root) = members.first().map(|root| root.id).filter(|&root| !give_up(vm, root)) else {
            continue;
        };
        let owner = store::with(lua, |runtime| {
            let scenes = &runtime.cinematics.scenes;
            scenes.owner(root).filter(|_| scenes.is_fast_forwarding(root))
        });
        let Some(owner) = owner else { continue };
        if carry_along(lua, &members) {
            // They begin to be skipped before time passes for any.
            return Some(FastForward { owners: vec![owner], ticks: Some(0), ..FastForward::default() });
        }
        let Some((survey, price)) = store::with(lua, |runtime| survey_all(runtime, &members)) else {
            continue;
        };
        vm.spend(price);
        let WaitSurvey { mut forward, due, is_asking: _ } = survey;
        if store::with(lua, |runtime| runtime.skip_of(owner).is_some_and(|skip| skip.asked.is_some())) {
            // The rest of its predicates is asked before time passes.
            let FastForward { owners, questions, .. } = forward;
            return Some(FastForward { owners, questions, ticks: Some(0), ..FastForward::default() });
        }
        let now = store::with(lua, |runtime| runtime.clock.now);
        let is_still = lend::with_world(lua, |world: &mut World| {
            forward.is_idle(&world.map.doors, &world.characters, &world.walks)
        })
        .unwrap_or(true);
        forward.ticks = due.map(|due| due.since(now));
        if !is_still || forward.ticks.is_some() {
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
        (skip.is_on, skip.is_given_up) = (false, true);
        skip.passed = 0;
        Some(runtime.owners.label(owner).to_string())
    });
    let Some(owner) = given_up else {
        return false;
    };
    let message =
        format!("skipped {PASSED_MAX_S} seconds and the scene has not ended; it continues at normal speed");
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
    let forward = FastForward {
        owners: vec![owner],
        characters: runtime.cinematics.scenes.held_by(id),
        ..FastForward::default()
    };
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
        if survey.pauses_at(runtime, owner, pause) {
            let known = before.get(&task).filter(|(known, _)| *known == serial);
            let end = known.map_or(patience, |(_, tick)| *tick);
            ends.insert(task, (serial, end));
            survey.ends_at(end);
        }
    }
    let now = runtime.clock.now;
    for (next, every_ticks) in runtime.registered.predicates.questions(owner) {
        waits += 1;
        survey.asks(PredicateQuestions { next_ticks: next.since(now).max(1), longest_ticks: every_ticks });
    }
    for stay in runtime.registered.handlers.stays(owner) {
        waits += 1;
        survey.ends_at(stay);
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

/// What a skipped scene has to run, in the order of step 3.
#[derive(Debug, Default)]
struct DueOfScene {
    timers: Vec<u64>,
    predicates: Vec<u32>,
    tasks: Vec<DueWait>,
    /// How far predicates were asked before.
    asked: AskedPredicates,
}

/// A wait that is over, or whose predicate is to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DueWait {
    task: u64,
    serial: u64,
    /// Whether it has no end of its own, and has lasted long enough.
    is_overdue: bool,
    /// Whether its predicate is to be asked.
    is_asked: bool,
}

/// A stretch has passed for a scene and those inside it: what is due by now runs as in any tick, timers
/// first, then predicates, then tasks by id; predicates only as a tick begins, and the rest of them in the
/// next tick where the fuel of this one does not suffice. At least one is asked, so that a scene gets on
/// however little is left. Whether code ran, but for predicates that said what they had said before.
pub(crate) fn pass(vm: &ScriptVm, owners: &[Owner], passed: Passed) -> bool {
    let lua = vm.lua();
    let DueOfScene { timers, predicates, tasks, mut asked } =
        store::with(lua, |runtime| due(runtime, owners, passed));
    // What the fuel of the tick does not suffice for is as due in the next one.
    let mut has_run = !timers.is_empty() || asked.went_on;
    for timer in timers {
        if vm.tick_left() > 0 {
            schedule::run_timer(vm, timer);
        }
    }
    let (mut has_asked, mut is_cut) = (false, false);
    for predicate in predicates {
        if vm.tick_left() == 0 && has_asked {
            is_cut = true;
            break;
        }
        has_run |= schedule::run_predicate(vm, predicate);
        (asked.predicate, has_asked) = (predicate, true);
    }
    for wait in tasks {
        if vm.tick_left() == 0 && (has_asked || !wait.is_asked) {
            is_cut |= wait.is_asked;
            continue;
        }
        end_wait(vm, wait);
        has_run |= !store::with(lua, |runtime| is_waiting(runtime, wait));
        if wait.is_asked {
            (asked.task, has_asked) = (wait.task, true);
        }
    }
    if is_cut && let Some(&root) = owners.first() {
        asked.went_on = has_run;
        store::with(lua, |runtime| runtime.skip_of(root).map(|skip| skip.asked = Some(asked)));
        has_run = true;
    }
    has_run |= store::with(lua, |runtime| !runtime.tasks.spawned.is_empty());
    schedule::run_spawned(vm, 0);
    has_run
}

/// The time of a scene and of those inside it comes nearer by a stretch; what is due then.
fn due(runtime: &mut Runtime, owners: &[Owner], passed: Passed) -> DueOfScene {
    let (now, ticks) = (runtime.clock.now, passed.ticks);
    let before = owners.first().and_then(|&root| runtime.skip_of(root)?.asked.take());
    let (asks, asked) = (passed.has_begun || before.is_some(), before.unwrap_or_default());
    let mut ended: BTreeMap<u64, u64> = BTreeMap::new();
    for &owner in owners {
        let registered = &mut runtime.registered;
        registered.timers.rewind(owner, ticks, now);
        registered.predicates.rewind(owner, ticks, now);
        registered.handlers.rewind(owner, ticks, now);
        runtime.tasks.rewind(owner, ticks, now);
        let Some(skip) = runtime.skip_of(owner) else { continue };
        skip.passed += ticks;
        for (_, tick) in skip.ends.values_mut() {
            tick.0 = tick.0.saturating_sub(ticks).max(now.0);
        }
        let over = skip.ends.iter().filter(|(_, (_, tick))| *tick <= now);
        ended.extend(over.map(|(&task, &(serial, _))| (task, serial)));
    }
    let Runtime { registered, tasks, .. } = runtime;
    let is_own = |id: &u64| registered.timers.get(*id).is_some_and(|timer| owners.contains(&timer.owner));
    let timers = registered.timers.due(now).into_iter().filter(is_own).collect();
    let asking = owners.iter().filter(|_| asks);
    let predicates = asking.flat_map(|&owner| registered.predicates.due(owner, now));
    let predicates = predicates.filter(|&id| id > asked.predicate).collect();
    let waits = owners.iter().flat_map(|&owner| tasks.waits(Some(owner)));
    let due = waits.filter_map(|(task, serial, pause)| {
        let is_default =
            matches!(pause, TaskPause::Host(prompt) if prompt.is_skippable && prompt.deadline.is_none());
        let is_over = pause.end().is_some_and(|tick| tick <= now);
        let is_asked = asks && task > asked.task && matches!(pause, TaskPause::Test { .. });
        let is_overdue = ended.get(&task) == Some(&serial);
        let may_end = ticks > 0 || !matches!(pause, TaskPause::Host(_));
        (may_end && (is_over || is_default || is_asked || is_overdue)).then_some(DueWait {
            task,
            serial,
            is_overdue,
            is_asked,
        })
    });
    let mut tasks: Vec<DueWait> = due.collect();
    tasks.sort_unstable();
    DueOfScene { timers, predicates, tasks, asked }
}

/// Whether a task has not gone on.
fn is_waiting(runtime: &Runtime, wait: DueWait) -> bool {
    runtime.tasks.pause_of(wait.task).is_some_and(|(serial, _)| serial == wait.serial)
}

/// The time of a wait is over, by its own end or by that of its patience; or its predicate is asked.
fn end_wait(vm: &ScriptVm, wait: DueWait) {
    let lua = vm.lua();
    let DueWait { task, serial, is_overdue, .. } = wait;
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
            task::wake(vm, task);
            if is_overdue && store::with(lua, |runtime| is_waiting(runtime, wait)) {
                task::resume(vm, task, serial, WaitResult::one(Value::Boolean(false)));
            }
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
