//! Step 12: runs handlers of events.
//!
//! In: the facts of the world and the work that scripts made, in one order of occurrence. Out: handlers
//! called, waiting tasks resumed. Holds: first in, first out, in rounds: facts and work that a round causes
//! are dealt with in the next one; after the last round, or when the fuel of the tick is spent, the rest
//! waits for the next tick and nothing is lost. For one walk: its own handler, `onSettled`, then waiting
//! tasks. For one event: listeners by registration, then waiting tasks. Not here: code that runs because of
//! the time (`schedule`).
//!
//! A settled walk comes to its `onArrived` by `ScriptHost::phase`, `lend::phase`, `dispatch::run`, `drain`,
//! `fact`, `walk_settled`, `handlers::deliver`, `task::begin`, `invoke::within`, `ScriptVm::resume`.

use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{Lua, Value};

use crate::base::ids::{CharacterId, DoorId, WalkId};
use crate::base::time::TickNumber;
use crate::base::value::Plain;
use crate::script::bind::results;
use crate::script::state::callback::Callback;
use crate::script::state::handlers::{Listener, Lost, WalkRecord};
use crate::script::state::telling::Telling;
use crate::script::state::wait::{Outcome, Wait};
use crate::script::state::work::ScriptWork;
use crate::script::step::handlers::{self, Delivering};
use crate::script::step::invoke::{self, Call, text};
use crate::script::step::senses::{self, SenseCall, SenseNews};
use crate::script::step::{
    behaviour, blackboard, cinematic, first_looks, progress_handlers, runtime_events, task, testing, wait,
};
use crate::script::vm::fault::{CallFailure, FaultKind, text_of_error};
use crate::script::vm::payload::frozen;
use crate::script::vm::{ScriptVm, handles, lend, payload, store};
use crate::world::World;
use crate::world::door::DoorSignal;
use crate::world::event::{Fact, NoticeKind};
use crate::world::event_name;
use crate::world::ops;
use crate::world::outcome::Status;
use crate::world::owner::Owner;
use crate::world::region::WatchId;
use crate::world::sense::SenseId;

/// What is handed out next.
enum NextDelivery {
    Fact(Fact),
    Work(ScriptWork),
}

/// Runs step 12; whether there was anything to hand out. The world is lent.
pub(crate) fn run(vm: &ScriptVm) -> bool {
    let lua = vm.lua();
    let (rounds_max, items_max) = store::with(lua, |runtime| {
        runtime.clock.step = 12;
        runtime.queue.is_behind = false;
        (runtime.limits.event_rounds, runtime.limits.events_per_tick)
    });
    first_looks::queue(lua);
    queue_stays(lua);
    let spent_before = vm.tick_spent();
    let mut left = BoundsLeft { rounds: rounds_max, items: items_max, begun: Vec::new(), spent_before };
    drain(vm, &mut left);
    // The test comes last; its effects are dealt with in the rounds that are left.
    while testing::turns::take_turn(vm) {
        drain(vm, &mut left);
    }
    testing::turns::after_tick(vm);
    left.items < items_max
}

/// The rest of the bounds of a step 12.
struct BoundsLeft {
    rounds: u32,
    items: u32,
    /// How many facts the tick had when each round so far began.
    begun: Vec<usize>,
    /// What the steps before had spent of the fuel of the tick.
    spent_before: u64,
}

/// Hands out facts and work, round by round, until there is none or the bounds are reached.
fn drain(vm: &ScriptVm, left: &mut BoundsLeft) {
    let lua = vm.lua();
    while left.rounds > 0 {
        left.rounds -= 1;
        cinematic::end_those_that_are_over(vm);
        let facts = waiting_facts(lua);
        let (facts_end, mut work_left) =
            store::with(lua, |runtime| (runtime.queue.facts_taken + facts, runtime.queue.len()));
        if facts == 0 && work_left == 0 {
            return;
        }
        left.begun.push(recorded_facts(lua));
        while let Some(item) = next(lua, facts_end, &mut work_left) {
            let result = match item {
                NextDelivery::Fact(event) => fact(vm, event),
                NextDelivery::Work(work) => self::work(vm, work),
            };
            if let Err(error) = result {
                report_no_memory(vm, &error);
            }
            left.items = left.items.saturating_sub(1);
            if left.items == 0 {
                return exhausted(vm, emitted_beyond_its_part(vm));
            }
            // What nobody hears takes nothing: where step 3 left no fuel, one piece that takes some has its
            // turn all the same, else what tells of ticks without fuel would keep it waiting for ever.
            if vm.tick_left() == 0 && vm.tick_spent() > left.spent_before {
                return deferred(vm);
            }
        }
    }
    cinematic::end_those_that_are_over(vm);
    if waiting(lua) > 0 {
        exhausted(vm, emitted_on_and_on(vm, &left.begun));
    }
}

fn recorded_facts(lua: &Lua) -> usize {
    lend::with_world(lua, |world: &mut World| world.events.recorded().len()).unwrap_or(0)
}

fn waiting_facts(lua: &Lua) -> u64 {
    lend::with_world(lua, |world: &mut World| world.events.waiting()).unwrap_or(0) as u64
}

/// Facts and work that wait.
pub(crate) fn waiting(lua: &Lua) -> u64 {
    waiting_facts(lua) + store::with(lua, |runtime| runtime.queue.len() as u64)
}

/// The next item of this round, in order of occurrence.
fn next(lua: &Lua, facts_end: u64, work_left: &mut usize) -> Option<NextDelivery> {
    let work =
        store::with(lua, |runtime| (*work_left > 0).then(|| runtime.queue.take_next(facts_end)).flatten());
    if let Some(work) = work {
        *work_left -= 1;
        return Some(NextDelivery::Work(work));
    }
    if store::with(lua, |runtime| runtime.queue.facts_taken >= facts_end) {
        return None;
    }
    let fact = lend::with_world(lua, |world: &mut World| world.events.pop()).ok().flatten()?;
    store::with(lua, |runtime| runtime.queue.facts_taken += 1);
    Some(NextDelivery::Fact(fact))
}

/// The fuel of the tick is spent: the rest waits.
fn deferred(vm: &ScriptVm) {
    let count = waiting(vm.lua());
    if count > 0 {
        store::with(vm.lua(), |runtime| runtime.queue.is_behind = true);
        invoke::push(vm, Fact::notice(NoticeKind::ScriptDeferred, count));
    }
}

/// A script that is to blame for events that wait for the next tick.
struct Culprit {
    /// What it is to blame for.
    what: &'static str,
    /// The label of its owner.
    by: String,
    /// Events that it emitted in this tick.
    emitted: u64,
}

/// How often a script emitted events in a tick.
#[derive(Clone, Copy, Debug, Default)]
struct EmittedCount {
    in_all: u64,
    /// In the last round.
    in_last: u64,
    /// In how many rounds.
    rounds: u32,
    /// The last round in which it did, from 1; 0 before the first.
    round: usize,
}

/// What scripts emitted in this tick, by the label of their owner; `begun` says how many facts there were as
/// each round began.
fn emitted(vm: &ScriptVm, begun: &[usize]) -> BTreeMap<String, EmittedCount> {
    let counted = lend::with_world(vm.lua(), |world: &mut World| {
        let mut by_script: BTreeMap<String, EmittedCount> = BTreeMap::new();
        for (at, event) in world.events.recorded().iter().enumerate() {
            let Fact::Emitted { by, .. } = event else { continue };
            let round = begun.partition_point(|first| *first <= at);
            let count = by_script.entry(by.clone()).or_default();
            count.in_all += 1;
            count.rounds += u32::from(round > count.round);
            count.in_last += u64::from(round == begun.len());
            count.round = round;
        }
        by_script
    });
    counted.unwrap_or_default()
}

/// The owner that emitted most in the last round, among those that emitted in a round before as well. A
/// script that emits once in a while is not to blame for being the last of a chain.
fn emitted_on_and_on(vm: &ScriptVm, begun: &[usize]) -> Option<Culprit> {
    let goes_on = emitted(vm, begun).into_iter().filter(|(_, count)| count.in_last > 0 && count.rounds > 1);
    let worst = goes_on.max_by(|one, other| one.1.in_last.cmp(&other.1.in_last).then(other.0.cmp(&one.0)));
    let what = "events cause events without end";
    worst.map(|(by, count)| Culprit { what, by, emitted: count.in_all })
}

/// The owner that emitted most, when that is more than its part of the events that a tick hands out. The part
/// is the same for all that emit.
fn emitted_beyond_its_part(vm: &ScriptVm) -> Option<Culprit> {
    let most = store::with(vm.lua(), |runtime| u64::from(runtime.limits.events_per_tick));
    let all = emitted(vm, &[]);
    let part = most / (all.len() as u64).max(1);
    let beyond = all.into_iter().filter(|(_, count)| count.in_all > part);
    let worst = beyond.max_by(|one, other| one.1.in_all.cmp(&other.1.in_all).then(other.0.cmp(&one.0)));
    let what = "there are more events than a tick hands out";
    worst.map(|(by, count)| Culprit { what, by, emitted: count.in_all })
}

/// The bounds of the tick are reached: the rest waits. A fault names the script that is to blame, if one is.
fn exhausted(vm: &ScriptVm, culprit: Option<Culprit>) {
    let lua = vm.lua();
    let count = waiting(lua);
    if count == 0 {
        return;
    }
    invoke::push(vm, Fact::notice(NoticeKind::RoundsExhausted, count));
    let Some(Culprit { what, by, emitted }) = culprit else {
        return;
    };
    let message =
        format!("{what}: {by} emitted {emitted} of them in this tick; the rest waits for the next tick");
    let owner = store::with(lua, |runtime| {
        runtime.owners.iter().find(|(_, record)| *record.label == *by).map(|(owner, _)| owner)
    });
    let call = Call::plain(owner.unwrap_or(Owner::HOST), "event");
    invoke::report(vm, &call, CallFailure::new(FaultKind::Error, message, None));
}

/// A payload could not be made: the memory of the level is spent.
fn report_no_memory(vm: &ScriptVm, error: &mlua::Error) {
    let failure = CallFailure::new(FaultKind::Memory, text_of_error(error), None);
    invoke::report(vm, &Call::plain(Owner::HOST, "event"), failure);
}

fn work(vm: &ScriptVm, work: ScriptWork) -> mlua::Result<()> {
    let lua = vm.lua();
    match work {
        ScriptWork::Begin(task) => task::begin(vm, task),
        ScriptWork::Settled(wait, outcome) => task::settle(vm, wait, &outcome),
        ScriptWork::Answer(to, outcome) => task::answer(vm, to, outcome),
        ScriptWork::Attach { character, name, params } => {
            behaviour::attach_now(vm, character, &name, &params)
        }
        ScriptWork::Detach { character, why } => behaviour::detach_now(vm, character, why),
        ScriptWork::BeginScene(scene) => cinematic::begin(vm, scene),
        ScriptWork::SkipScene(scene) => cinematic::begin_to_skip(vm, scene),
        ScriptWork::EndScene(scene, end) => cinematic::end(vm, scene, end),
        ScriptWork::FoundInside(watch, character) => first_looks::count(vm, watch, character)?,
        ScriptWork::Stayed(watch, character) => stayed(vm, watch, character),
        ScriptWork::Turned { predicate, value } => {
            if let Some((owner, callback)) =
                store::with(lua, |runtime| runtime.registered.predicates.handler(predicate, value))
            {
                let payload = watch_payload(lua, predicate).unwrap_or(Value::Nil);
                let label = if value { "onTrue" } else { "onFalse" };
                handlers::deliver(vm, Delivering::new(owner, &callback, &payload, label));
            }
        }
        ScriptWork::DeliverDeferred(owner) => behaviour::hand_out_kept(vm, owner),
        ScriptWork::BoardChanged(news) => return blackboard::tell(vm, &news),
        ScriptWork::Tell(telling) => tell_or_put_back(vm, *telling),
        ScriptWork::ForgetBoard(board) => handlers::forget_board(lua, board),
    }
    Ok(())
}

fn watch_payload(lua: &Lua, predicate: u32) -> mlua::Result<Value> {
    let table = lua.create_table()?;
    table.raw_set("watch", handles::make(lua, handles::WatchRef::When(predicate))?)?;
    table.set_readonly(true);
    Ok(Value::Table(table))
}

fn settle_value(vm: &ScriptVm, wait: Wait, value: Value) {
    task::settle(vm, wait, &Outcome::Value(value));
}

fn fact(vm: &ScriptVm, event: Fact) -> mlua::Result<()> {
    let lua = vm.lua();
    match event {
        Fact::WalkSettled(walk) => {
            task::traverse::settled(vm, walk);
            walk_settled(vm, walk)?;
        }
        Fact::LinkBegun { walk, character, action, ends, seconds } => {
            let link = task::traverse::Link { action, ends, seconds };
            task::traverse::begin(vm, walk, character, &link)?;
        }
        Fact::WalkNews { walk, news } => progress_handlers::tell(vm, walk, &news)?,
        Fact::TurnEnded { serial, ok } => settle_value(vm, Wait::Turn(serial), Value::Boolean(ok)),
        Fact::PlayEnded { serial, ok } => settle_value(vm, Wait::Play(serial), Value::Boolean(ok)),
        Fact::DoorMoveEnded { serial, door, reason, by } => {
            let result = results::door_result(lua, door, reason, by)?;
            settle_value(vm, Wait::DoorMove(serial), Value::Table(result));
        }
        Fact::PathAnswered { token, answer, by } => {
            let result =
                lend::with_world(lua, |world: &mut World| results::path_result(lua, world, &answer, by));
            if let Ok(result) = result {
                path_answered(vm, token, Value::Table(result?));
            }
        }
        Fact::DoorSignal { door, what, by } => door_signalled(vm, door, what, by)?,
        Fact::WatchEntered { watch, character, how } => watch_entered(vm, watch, character, how.name())?,
        Fact::WatchLeft { watch, character, how } => watch_left(vm, watch, character, how.name())?,
        Fact::Noticed { watch, character, position } => {
            sensed(vm, watch, character, position, SenseNews::Noticed)?;
        }
        Fact::SightLost { watch, character, position, why } => {
            sensed(vm, watch, character, position, SenseNews::Lost(why))?;
        }
        Fact::NoiseHeard { watch, character, position, loudness_m } => {
            sensed(vm, watch, character, position, SenseNews::Heard { loudness_m })?;
        }
        Fact::Emitted { name, payload, to, .. } => event_emitted(vm, &name, payload.as_ref(), to)?,
        Fact::Input { name, payload } => deliver_event(vm, &name, heard(lua, payload.as_ref())?, None),
        Fact::Spawned(_) => {
            let is_news = store::with(lua, |runtime| runtime.queue.facts_taken > runtime.queue.facts_before);
            if is_news {
                tell(vm, event)?;
            }
        }
        Fact::Despawned(id) => {
            cinematic::despawned(vm, id);
            behaviour::detach_now(vm, id, "despawned");
            blackboard::character_gone(lua, id);
            tell(vm, event)?;
        }
        other => tell(vm, other)?,
    }
    Ok(())
}

/// Calls the handlers of a door.
fn door_signalled(
    vm: &ScriptVm,
    door: DoorId,
    what: DoorSignal,
    by: Option<CharacterId>,
) -> mlua::Result<()> {
    let lua = vm.lua();
    let listeners = store::with(lua, |runtime| runtime.registered.handlers.door(door, what));
    if listeners.is_empty() {
        return Ok(());
    }
    let payload = runtime_events::fields(
        lua,
        [
            ("door", Some(Plain::Door(door))),
            ("what", Some(text(what.name()))),
            ("by", by.map(Plain::Character)),
        ],
    )?;
    tell_or_put_back(vm, Telling::new(what.name().into(), payload, listeners, Vec::new()));
    Ok(())
}

/// Hands the event of a script to its handlers, and to the tasks that wait for it.
fn event_emitted(
    vm: &ScriptVm,
    name: &str,
    payload: Option<&Plain>,
    to: Option<CharacterId>,
) -> mlua::Result<()> {
    let lua = vm.lua();
    let listeners = event_listeners(lua, name, to);
    if listeners.is_empty() && !store::with(lua, |runtime| runtime.tasks.awaits_event(name)) {
        return Ok(());
    }
    vm.spend(payload.map_or(0, payload::price_of));
    deliver_event(vm, name, heard(lua, payload)?, to);
    Ok(())
}

/// Tells those who listen to events of the runtime of a fact that is one. Nothing is made where nobody does.
fn tell(vm: &ScriptVm, fact: Fact) -> mlua::Result<()> {
    let lua = vm.lua();
    if let Some(name) = fact.name().filter(|name| event_name::is_heard(name) && is_heard(lua, name)) {
        deliver_event(vm, name, runtime_events::payload_of(lua, fact)?, None);
    }
    Ok(())
}

/// A walk's own handlers, waiting tasks, then the listeners to `walkSettled`.
fn walk_settled(vm: &ScriptVm, walk: WalkId) -> mlua::Result<()> {
    let lua = vm.lua();
    let found = lend::with_world(lua, |world: &mut World| {
        world.walks.deliver(walk);
        let own = world.walks.get(walk)?;
        let serial = own.serial;
        let result = own.result()?.clone();
        let table = results::walk_result(lua, world, &result);
        Some((serial, result.status(), table))
    });
    let taken = store::with(lua, |runtime| runtime.registered.handlers.take_walk(walk));
    let Ok(Some((serial, status, table))) = found else {
        return Ok(());
    };
    let kept = wait::known(lua, Wait::Walk(walk));
    let result = match kept {
        // The script has read `walk.result` before: it is the same table.
        Some(Outcome::Value(value)) => value,
        _ => Value::Table(table?),
    };
    if let Some(WalkRecord { owner, handlers, lost }) = taken {
        let (label, specific) = match status {
            Status::Arrived => ("onArrived", handlers.arrived),
            Status::Partial | Status::Blocked => ("onFailed", handlers.failed),
            Status::Cancelled => ("onCancelled", handlers.cancelled),
        };
        let (mut told, mut missed) = (false, false);
        for (label, callback) in [(label, specific), ("onSettled", handlers.settled)] {
            if let Some(callback) = callback {
                let done = handlers::deliver(vm, Delivering::new(owner, &callback, &result, label));
                told |= done;
                missed |= !done;
            }
        }
        if missed {
            undelivered(vm, serial, "ownerGone");
        } else if lost != Lost::Nothing && !told {
            let told = behaviour::walk_settled(vm, owner, result.clone());
            if !told && lost == Lost::Functions {
                undelivered(vm, serial, "reloaded");
            }
        }
    }
    settle_value(vm, Wait::Walk(walk), result.clone());
    deliver_event(vm, event_name::WALK_SETTLED, result, None);
    Ok(())
}

/// Says that a walk's result found no listener.
pub(crate) fn undelivered(vm: &ScriptVm, walk: u64, why: &str) {
    let why = Some(why.to_owned());
    invoke::push(vm, Fact::Notice { what: NoticeKind::Undelivered, count: 1, walk: Some(walk), why });
}

/// The answer of a requested path, or of one that was taken back.
pub(crate) fn path_answered(vm: &ScriptVm, token: crate::base::ids::PathToken, result: Value) {
    let lua = vm.lua();
    if let Some((owner, Some(callback))) =
        store::with(lua, |runtime| runtime.registered.handlers.take_path(token))
    {
        handlers::deliver(vm, Delivering::new(owner, &callback, &result, "onPath"));
    }
    settle_value(vm, Wait::Path(token), result);
}

/// The payload of an event; nil when none was given.
fn heard(lua: &Lua, payload: Option<&Plain>) -> mlua::Result<Value> {
    payload.map_or(Ok(Value::Nil), |payload| frozen(lua, payload))
}

fn is_heard(lua: &Lua, name: &str) -> bool {
    store::with(lua, |runtime| runtime.registered.handlers.hears(name) || runtime.tasks.awaits_event(name))
}

fn event_listeners(lua: &Lua, name: &str, to: Option<CharacterId>) -> Rc<Vec<Listener>> {
    store::with(lua, |runtime| match to {
        None => runtime.registered.handlers.event(name),
        Some(character) => Rc::new(runtime.registered.handlers.sent_event(name, character)),
    })
}

/// Listeners in order of registration, then waiting tasks; of an event sent to a character, only those of its
/// behaviour.
fn deliver_event(vm: &ScriptVm, name: &str, payload: Value, to: Option<CharacterId>) {
    let lua = vm.lua();
    let listeners = event_listeners(lua, name, to);
    let behaviour = to.and_then(|to| store::with(lua, |runtime| runtime.actors.behaviours.of(to)));
    let waiters = store::with(lua, |runtime| match (to, behaviour) {
        (None, _) => runtime.tasks.event_waiters(name),
        (Some(_), Some(owner)) => runtime.tasks.own_event_waiters(name, owner),
        (Some(_), None) => Vec::new(),
    });
    if !listeners.is_empty() || !waiters.is_empty() {
        tell_or_put_back(vm, Telling::new(name.to_owned().into(), payload, listeners, waiters));
    }
}

/// Tells all listeners; those for whom the fuel of the tick does not suffice come first in the next one.
fn tell_or_put_back(vm: &ScriptVm, telling: Telling) {
    if let Some(left) = handlers::tell(vm, telling) {
        store::with(vm.lua(), |runtime| runtime.queue.put_back(ScriptWork::Tell(Box::new(left))));
    }
}

fn region_payload(lua: &Lua, watch: WatchId, character: CharacterId, how: &str) -> mlua::Result<Value> {
    let region = lend::with_world(lua, |world: &mut World| match world.triggers.watches.get(watch)?.ground {
        crate::world::region::WatchShape::Region(region) => {
            world.triggers.regions.get(region.index()).map(|region| region.name.clone())
        }
        _ => None,
    });
    let (character, watch) = (handles::character(lua, character)?, handles::watch(lua, watch)?);
    let maker = handles::maker(lua, |makers| &makers.crossing)?;
    let table: mlua::Table = maker.call((character, region.ok().flatten(), watch, how))?;
    table.set_readonly(true);
    Ok(Value::Table(table))
}

fn watch_entered(
    vm: &ScriptVm,
    watch: WatchId,
    character: CharacterId,
    how: &'static str,
) -> mlua::Result<()> {
    let lua = vm.lua();
    let Some((owner, watching)) = store::with(lua, |runtime| {
        let record = runtime.registered.handlers.watches.get(&watch)?;
        Some((record.owner, record.handlers.clone()))
    }) else {
        return Ok(());
    };
    if !first_looks::passes(vm, owner, watching.filter.as_ref(), character)? {
        return Ok(());
    }
    first_looks::note_inside(lua, watch, character, how);
    let callback = watching.enter.clone();
    let told = region_news(vm, callback, watch, character, how)?;
    if watching.once {
        handlers::forget_watch(lua, watch);
        let _ = lend::with_world(lua, |world: &mut World| ops::watches::remove(world, watch));
    }
    deliver_region(vm, owner, told, "onEnter");
    Ok(())
}

/// What telling a watch of a character costs the tick beside the handler: a table is made for each.
const REGION_PRICE: u64 = 40;

/// A callback with its arguments. Without a callback nothing is made: outside of calls nothing is collected.
fn region_news(
    vm: &ScriptVm,
    callback: Option<Callback>,
    watch: WatchId,
    character: CharacterId,
    how: &'static str,
) -> mlua::Result<Option<(Callback, Value)>> {
    let Some(callback) = callback else {
        return Ok(None);
    };
    vm.spend(REGION_PRICE);
    Ok(Some((callback, region_payload(vm.lua(), watch, character, how)?)))
}

fn deliver_region(vm: &ScriptVm, owner: Owner, told: Option<(Callback, Value)>, label: &'static str) {
    if let Some((callback, payload)) = told {
        let handler = Delivering::new(owner, &callback, &payload, label);
        handlers::deliver(vm, Delivering { is_event: true, ..handler });
    }
}

fn watch_left(vm: &ScriptVm, watch: WatchId, character: CharacterId, how: &'static str) -> mlua::Result<()> {
    let lua = vm.lua();
    let found = store::with(lua, |runtime| {
        let record = runtime.registered.handlers.watches.get_mut(&watch)?;
        record.inside.remove(&character)?;
        Some((record.owner, record.handlers.exit.clone()))
    });
    if let Some((owner, exit)) = found {
        let told = region_news(vm, exit, watch, character, how)?;
        deliver_region(vm, owner, told, "onExit");
    }
    Ok(())
}

/// A watch hears of a character at a place.
fn sensed(
    vm: &ScriptVm,
    watch: SenseId,
    character: CharacterId,
    position: glam::Vec3,
    news: SenseNews,
) -> mlua::Result<()> {
    if let Some(SenseCall { owner, callback, payload, label }) =
        senses::call_for(vm, watch, character, position, news)?
    {
        let handler = Delivering::new(owner, &callback, &payload, label);
        handlers::deliver(vm, Delivering { is_event: true, ..handler });
    }
    Ok(())
}

/// Queues `onStay` for everybody whose interval is over, in order of watches, then of characters.
fn queue_stays(lua: &Lua) {
    let due = store::with(lua, |runtime| {
        let now = runtime.clock.now;
        let mut due = Vec::new();
        for (&watch, record) in &mut runtime.registered.handlers.watches {
            // The time of an owner that stands still does so too: they would only pile up.
            if record.handlers.stay.is_none() || runtime.owners.is_paused(record.owner) {
                continue;
            }
            for (&character, (_, next)) in &mut record.inside {
                if *next <= now {
                    *next = TickNumber::NEVER;
                    due.push((watch, character));
                }
            }
        }
        due
    });
    for (watch, character) in due {
        store::push_work(lua, ScriptWork::Stayed(watch, character));
    }
}

fn stayed(vm: &ScriptVm, watch: WatchId, character: CharacterId) {
    let lua = vm.lua();
    let found = store::with(lua, |runtime| {
        let now = runtime.clock.now;
        let record = runtime.registered.handlers.watches.get_mut(&watch)?;
        let (how, next) = record.inside.get_mut(&character)?;
        let how = *how;
        *next = now.after(record.handlers.every_ticks.max(1));
        Some((record.owner, record.handlers.stay.clone()?, how))
    });
    if let Some((owner, stay, how)) = found
        && let Ok(told) = region_news(vm, Some(stay), watch, character, how)
    {
        deliver_region(vm, owner, told, "onStay");
    }
}
