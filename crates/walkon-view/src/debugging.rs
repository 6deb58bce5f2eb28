//! The debugger of the running level: its stops, and the service of clients meanwhile.
//!
//! In: orders and questions of clients, a level that stands still. Out: stops, told to all clients; answers.
//! Holds: the thread of the level waits here, and serves clients meanwhile: a copy of the level at its last
//! whole tick answers questions about it, or the level itself, as it stands, where no copy can reproduce that
//! tick; a stop ends when the last client has left. Breakpoints are those of the view, not of a run or a
//! page: they stay when the level begins again. Not here: the lines and frames themselves
//! (`walkon_runtime::script::debug::Debugger`), orders while the level runs (`running`).

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use walkon_runtime::base::ordered::CollectOrdered;
use walkon_runtime::game::Game;
use walkon_runtime::game::debugging::unknown_event;
use walkon_runtime::game::look::GameLook;
use walkon_runtime::script::debug::{
    BreakpointState, BreakpointWish, DebugClient, DebugOrder, Debugger, FaultStops, Paused, Pauses,
    StopReason, Variable,
};

use crate::client::{Client, Reply};
use crate::course::Course;
use crate::edit::merge::same_ends;
use crate::orders::{DebugAsk, LineWish, Order, Ordered, Orders, Speed};
use crate::question::Question;
use crate::replica::Wish;

/// Longest time between two looks at the clients.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long a stop is kept while nobody looks on: a page that is loaded again finds it as it was.
const ALONE: Duration = Duration::from_secs(2);
/// How long a stop waits for the order that asked for it, to answer that first.
const ANSWER_PATIENCE: Duration = Duration::from_secs(1);
/// Most breakpoints of one file, and most files and events with some.
const LINES_MAX: usize = 1_000;
const NAMES_MAX: usize = 1_000;
/// Most things that one answer holds.
const ROWS_MAX: usize = 1_000;

/// What a level that runs is answered with where it would have to stand still.
const IT_RUNS: &str = "the level is not stopped: set a breakpoint, or ask for \"pause\" first";

/// A breakpoint, and where it has come to.
#[derive(Debug)]
struct PageBreakpoint {
    wish: BreakpointWish,
    /// Its count, as it was written.
    hits: Option<String>,
    line: u32,
    trouble: Option<String>,
}

impl PageBreakpoint {
    fn json(&self) -> Value {
        json!({
            "id": self.wish.id, "asked": self.wish.line, "line": self.line, "condition": self.wish.condition,
            "hits": self.hits, "log": self.wish.log, "trouble": self.trouble,
        })
    }
}

/// What the level is to be stopped at.
#[derive(Debug, Default)]
struct StopWishes {
    breakpoints: BTreeMap<String, Vec<PageBreakpoint>>,
    events: BTreeSet<String>,
    faults: bool,
    /// The number of the last breakpoint.
    last: u64,
}

impl StopWishes {
    fn fault_stops(&self) -> FaultStops {
        if self.faults { FaultStops::Every } else { FaultStops::Never }
    }

    fn json(&self) -> Value {
        let files: BTreeMap<&String, Vec<Value>> = self
            .breakpoints
            .iter()
            .map(|(file, standing)| (file, standing.iter().map(PageBreakpoint::json).collect()))
            .collect_map();
        json!({ "files": files, "events": self.events, "faults": self.faults })
    }

    /// Takes in where breakpoints have come to; whether that is otherwise than before.
    fn take_in(&mut self, states: &[BreakpointState]) -> bool {
        let mut is_otherwise = false;
        for state in states {
            let standing = self.breakpoints.get_mut(&state.file).into_iter().flatten();
            for one in standing.filter(|one| one.wish.id == state.id) {
                is_otherwise |= one.line != state.line || one.trouble != state.trouble;
                (one.line, one.trouble) = (state.line, state.trouble.clone());
            }
        }
        is_otherwise
    }
}

/// What running level and debugger share.
#[derive(Debug)]
pub struct Port {
    course: Rc<RefCell<Course>>,
    orders: Rc<Orders>,
    replicas: Sender<Wish>,
    wanted: RefCell<StopWishes>,
    /// What is to be answered as soon as the debugger is at hand.
    asked: RefCell<VecDeque<(DebugAsk, Option<Reply>)>>,
    pauses: Arc<Pauses>,
    /// Nothing stops until the thread of the level looks at its orders again.
    is_passing: Cell<bool>,
    /// The game does not have the breakpoints as they are now.
    is_unarmed: Cell<bool>,
    /// It has texts that are replaced in the next tick.
    is_outdated: Cell<bool>,
    /// The tick under way, or the last.
    tick: Cell<u64>,
    /// How many stops there were.
    stops: Cell<u64>,
}

/// The client of one game's debugger.
#[derive(Debug)]
struct AtPort(Rc<Port>);

/// What comes of a question.
enum Answer {
    Value(Value),
    /// Answered, and then the level goes on.
    Go(DebugOrder),
}

impl Port {
    /// One without breakpoints.
    #[must_use]
    pub fn new(course: Rc<RefCell<Course>>, orders: Rc<Orders>, replicas: Sender<Wish>) -> Rc<Self> {
        let pauses = Arc::clone(&course.borrow().shared.pauses);
        Rc::new(Self {
            course,
            pauses,
            orders,
            replicas,
            wanted: RefCell::default(),
            asked: RefCell::default(),
            is_passing: Cell::new(false),
            is_unarmed: Cell::new(false),
            is_outdated: Cell::new(false),
            tick: Cell::new(0),
            stops: Cell::new(0),
        })
    }

    /// A debugger for a game that is about to begin.
    #[must_use]
    pub fn debugger(self: &Rc<Self>) -> Debugger {
        Debugger::new(Box::new(AtPort(Rc::clone(self))))
    }

    /// Lets everything pass from now on, or no longer.
    pub fn pass(&self, passing: Passing) {
        self.is_passing.set(passing == Passing::Everything);
    }

    /// Whether a stop was left for an order that is still to be obeyed.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        self.is_passing.get()
    }

    /// A tick begins.
    pub fn ticks(&self, tick: u64) {
        self.tick.set(tick);
    }

    /// Keeps a question until the debugger is at hand.
    pub fn keep(&self, ask: DebugAsk, reply: Option<Reply>) {
        self.asked.borrow_mut().push_back((ask, reply));
    }

    /// Whether the debugger has something to do between two ticks.
    #[must_use]
    pub fn wants_to_look(&self) -> bool {
        self.is_unarmed.get() || !self.asked.borrow().is_empty()
    }

    /// Says no to what the debugger was not there for.
    pub fn refuse_kept(&self, why: &str) {
        let asked = std::mem::take(&mut *self.asked.borrow_mut());
        for (ask, reply) in asked {
            self.count_answer(&ask);
            reply.into_iter().for_each(|reply| reply.send(Err(why.to_owned())));
        }
    }

    /// What there is to stop at, as it is told.
    #[must_use]
    pub fn told(&self) -> Value {
        let mut told = self.wanted.borrow().json();
        told["tell"] = "breakpoints".into();
        told
    }

    /// Moves the breakpoints of a file with its text: each stays at the line that it was set at.
    pub fn text_changed(&self, file: &str, before: &str, after: &str) {
        let mut wanted = self.wanted.borrow_mut();
        let Some(standing) = wanted.breakpoints.get_mut(file) else { return };
        let lines = moved_lines(before, after, standing.iter().map(|one| one.wish.line));
        for (one, line) in standing.iter_mut().zip(lines) {
            (one.wish.line, one.line) = (line, line);
        }
        drop(wanted);
        self.is_unarmed.set(true);
        self.is_outdated.set(true);
        self.tell_everybody();
    }

    fn tell_everybody(&self) {
        let told = self.told();
        self.course.borrow().shared.clients.tell(&told);
    }

    fn count_answer(&self, ask: &DebugAsk) {
        if matches!(ask, DebugAsk::Pause) {
            self.pauses.answer();
        }
    }

    /// Whether a client looks on.
    fn is_watched(&self) -> bool {
        !self.course.borrow().shared.clients.all().is_empty()
    }

    /// Tells the game everything that it is to stop at.
    fn arm(&self, at: &Paused<'_>) {
        self.is_unarmed.set(false);
        let wanted = self.wanted.borrow();
        at.stop_at_events(wanted.events.clone());
        at.stop_at_faults(wanted.fault_stops());
        let wishes = wanted.breakpoints.iter().map(|(file, standing)| {
            (file.clone(), standing.iter().map(|one| one.wish.clone()).collect::<Vec<_>>())
        });
        let wishes: Vec<_> = wishes.collect();
        drop(wanted);
        let mut is_otherwise = false;
        // Where they come to in a text that is about to be replaced is of no interest.
        let is_outdated = self.is_outdated.take();
        for (file, wishes) in wishes {
            let states = at.set_breakpoints(&file, wishes);
            is_otherwise |= !is_outdated && self.wanted.borrow_mut().take_in(&states);
        }
        if is_otherwise {
            self.tell_everybody();
        }
    }

    fn answer(&self, ask: DebugAsk, at: &Paused<'_>) -> Result<Answer, String> {
        Ok(Answer::Value(match ask {
            DebugAsk::Go(order) => return Ok(Answer::Go(order)),
            DebugAsk::Pause => json!({}),
            DebugAsk::Breakpoints { file, lines } => self.set_breakpoints(file, lines, at)?,
            DebugAsk::Stops { events, faults } => self.set_stops(events, faults, at)?,
            DebugAsk::Lines { file } => {
                let lines = at.lines_of(&file);
                let lines = lines.ok_or_else(|| format!("no script of this level is called \"{file}\""))?;
                json!({ "lines": lines })
            }
            DebugAsk::Threads => threads(at),
            DebugAsk::Frames { thread } => frames(at, thread.unwrap_or_else(|| at.running_thread())),
            DebugAsk::Scopes { frame } => {
                let scopes = at.scopes(frame).into_iter().map(
                    |scope| json!({ "name": scope.name, "reference": scope.reference, "count": scope.named }),
                );
                json!({ "scopes": scopes.collect::<Vec<_>>() })
            }
            DebugAsk::Variables { reference, mut page } => {
                page.count = Some(page.count.map_or(ROWS_MAX, |count| count.min(ROWS_MAX)));
                let found = at.variables(reference, page);
                json!({ "variables": found.iter().map(variable).collect::<Vec<_>>() })
            }
            DebugAsk::Evaluate { text, frame, asking } => {
                variable(&at.evaluate(frame.filter(|frame| *frame > 0), text.trim(), asking)?)
            }
        }))
    }

    fn set_breakpoints(&self, file: String, lines: Vec<LineWish>, at: &Paused<'_>) -> Result<Value, String> {
        let mut wanted = self.wanted.borrow_mut();
        let before = wanted.breakpoints.remove(&file).unwrap_or_default();
        if lines.len() > LINES_MAX || wanted.breakpoints.len() >= NAMES_MAX {
            wanted.breakpoints.insert(file, before);
            return Err(format!("too many breakpoints: at most {LINES_MAX} in a file, in {NAMES_MAX} files"));
        }
        let mut standing: Vec<PageBreakpoint> = Vec::new();
        for LineWish { line, condition, hits, log } in lines {
            let old = before.iter().find(|old| old.wish.line == line);
            let id = old.map_or(wanted.last + 1, |old| old.wish.id);
            wanted.last = wanted.last.max(id);
            let (hits, rule) = hits.unzip();
            let wish = BreakpointWish { id, line, condition, hits: rule, log };
            // Of several at one line the last counts.
            standing.retain(|one| one.wish.line != line);
            standing.push(PageBreakpoint { wish, hits, line, trouble: None });
        }
        let wishes = standing.iter().map(|one| one.wish.clone()).collect();
        if !standing.is_empty() {
            wanted.breakpoints.insert(file.clone(), standing);
        }
        drop(wanted);
        let states = at.set_breakpoints(&file, wishes);
        self.wanted.borrow_mut().take_in(&states);
        self.tell_everybody();
        let wanted = self.wanted.borrow();
        let standing = wanted.breakpoints.get(&file).map_or(&[][..], Vec::as_slice);
        Ok(
            json!({ "file": file, "breakpoints": standing.iter().map(PageBreakpoint::json).collect::<Vec<_>>() }),
        )
    }

    fn set_stops(
        &self,
        events: Option<Vec<String>>,
        faults: Option<bool>,
        at: &Paused<'_>,
    ) -> Result<Value, String> {
        let is_changed = events.is_some() || faults.is_some();
        if let Some(events) = events {
            if events.len() > NAMES_MAX {
                return Err(format!("too many events: at most {NAMES_MAX}"));
            }
            let events: BTreeSet<String> = events.iter().map(|name| name.trim().to_owned()).collect_set();
            if let Some(why) = events.iter().find_map(|name| unknown_event(name)) {
                return Err(why);
            }
            self.wanted.borrow_mut().events = events.clone();
            at.stop_at_events(events);
        }
        if let Some(faults) = faults {
            self.wanted.borrow_mut().faults = faults;
            let stops = self.wanted.borrow().fault_stops();
            at.stop_at_faults(stops);
        }
        if is_changed {
            self.tell_everybody();
        }
        let wanted = self.wanted.borrow();
        Ok(json!({ "events": wanted.events, "faults": wanted.faults, "names": Game::EVENT_NAMES }))
    }

    /// What has come while code ran, without the pauses among it, which are answered first.
    fn come_before(&self) -> VecDeque<Ordered> {
        let mut held = VecDeque::new();
        let until = Instant::now() + ANSWER_PATIENCE;
        while self.pauses.answered() < self.pauses.asked() && Instant::now() < until {
            match self.orders.newest(PATIENCE) {
                Ok(Ordered { order: Order::Debug(ask @ DebugAsk::Pause), reply }) => {
                    self.count_answer(&ask);
                    reply.into_iter().for_each(|reply| reply.send(Ok(json!({}))));
                }
                Ok(other) => held.push_back(other),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.pauses.take(self.pauses.asked());
        held
    }

    /// Obeys an order while the level stands still; how it goes on, if it does.
    fn obey(&self, ordered: Ordered, at: &Paused<'_>, later: &mut Vec<Ordered>) -> Option<DebugOrder> {
        let Ordered { order, reply } = ordered;
        let tick = self.tick.get();
        let in_tick = |tick: u64| Answer::Value(json!({ "tick": tick }));
        let outcome = match order {
            Order::Play => {
                self.course.borrow_mut().play();
                Ok(Answer::Go(DebugOrder::Continue))
            }
            Order::Pause => {
                let mut course = self.course.borrow_mut();
                (course.is_playing, course.steps, course.is_state_old) = (false, 0, true);
                Ok(in_tick(tick))
            }
            // The tick under way is the first of them.
            Order::Step(ticks) => {
                let mut course = self.course.borrow_mut();
                (course.is_playing, course.steps) = (false, ticks);
                Ok(Answer::Go(DebugOrder::Continue))
            }
            Order::Speed(speed) => {
                self.set_speed(speed, at);
                Ok(in_tick(tick))
            }
            Order::Input(input) => {
                self.course.borrow_mut().say(input);
                Ok(in_tick(tick + 1))
            }
            Order::Save => Err(format!("{}: a game is saved between two ticks; go on first", self.shown())),
            Order::Ask(question) => {
                self.ask(question, reply?, at);
                return None;
            }
            Order::Draw(client) => self.draw(client, at).map(|()| in_tick(tick)),
            Order::Welcome(client) => {
                if !self.welcome(&client, at) {
                    later.push(Ordered { order: Order::Welcome(client), reply });
                    return None;
                }
                Ok(Answer::Value(json!({})))
            }
            Order::Debug(ask) => {
                self.count_answer(&ask);
                // It stands still already.
                self.pauses.take(self.pauses.answered());
                self.answer(ask, at)
            }
            // What begins another run waits until this tick is over, which nothing stops any more.
            order @ (Order::Restart(_) | Order::GoOn(_) | Order::Stop) => {
                self.is_passing.set(true);
                self.orders.put_back(Ordered { order, reply });
                return Some(DebugOrder::Continue);
            }
        };
        let (answer, goes_on) = match outcome {
            Ok(Answer::Value(value)) => (Ok(value), None),
            Ok(Answer::Go(order)) => (Ok(json!({ "tick": tick })), Some(order)),
            Err(why) => (Err(why), None),
        };
        reply.into_iter().for_each(|reply| reply.send(answer.clone()));
        goes_on
    }

    /// How fast the level goes once it goes on.
    fn set_speed(&self, speed: Speed, at: &Paused<'_>) {
        let rate = at.with_world(walkon_runtime::world::World::rate);
        let mut course = self.course.borrow_mut();
        course.speed = speed;
        rate.into_iter().for_each(|rate| course.set_speed(speed, rate));
        course.is_state_old = true;
    }

    /// Has a copy of the last whole tick answer a question: the level itself stands in the middle of a tick.
    /// No copy comes to what a text that acted has changed, in this tick or before: then the level answers as
    /// it stands.
    fn ask(&self, question: Question, reply: Reply, at: &Paused<'_>) {
        let shared = self.course.borrow().shared.clone();
        let record = shared.record.lock();
        let (tick, is_repeatable) = (record.tick, record.disturbed_from.is_none());
        drop(record);
        if is_repeatable && !at.has_acted() {
            let _ = self.replicas.send(Wish::Ask { tick, question, reply });
            return;
        }
        let answer = at.with_world(|world| question.answer(GameLook::held(world, at.looks()), &shared.past));
        reply.send(answer.unwrap_or_else(|| Err(format!("{}, and its files load", self.shown()))));
    }

    /// Draws the world as it stands for a client; refused where no code runs that has it.
    fn draw(&self, client: Arc<Client>, at: &Paused<'_>) -> Result<(), String> {
        let drawn = at.with_world(|world| {
            let course = self.course.borrow();
            course.draw_still(world, &client);
            course.show(world, &[client]);
        });
        drawn.ok_or_else(|| self.shown())
    }

    /// Takes in a new client and tells it where the level stands; whether the world could be told.
    fn welcome(&self, client: &Arc<Client>, at: &Paused<'_>) -> bool {
        let known = at.with_world(|world| self.course.borrow().welcome(world, client, None));
        if known.is_none() {
            return false;
        }
        client.tell(&self.told());
        self.course.borrow().shared.clients.add(Arc::clone(client));
        true
    }

    /// Where it stands, in a few words.
    fn shown(&self) -> String {
        let course = self.course.borrow();
        let stopped = course.stopped.as_ref();
        let place = stopped.and_then(|stop| Some((stop["file"].as_str()?, stop["line"].as_u64()?)));
        match place {
            Some((file, line)) => format!("the level is stopped at {file}:{line}"),
            None => "the level is stopped".to_owned(),
        }
    }

    /// Tells all clients that the level stands still.
    fn tell_stop(&self, why: &StopReason, at: &Paused<'_>) {
        let thread = at.running_thread();
        let place = at.frames(thread).into_iter().next();
        let tick = at.with_world(|world| world.tick().0);
        let mut stop = stop_json(why);
        stop["number"] = self.stops.replace(self.stops.get() + 1).into();
        stop["thread"] = thread.into();
        stop["tick"] = tick.into();
        if let Some(frame) = &place {
            (stop["file"], stop["line"]) = (frame.file.as_str().into(), frame.line.into());
            stop["function"] = frame.function.as_str().into();
        }
        let mut course = self.course.borrow_mut();
        // Where no code runs the tick is over: copies may show it.
        let mut record = course.shared.record.lock();
        if let (None, Some(tick)) = (&place, tick) {
            record.tick = record.tick.max(tick);
        }
        let last = record.tick;
        drop(record);
        course.marks.tick = last;
        course.stopped = Some(stop.clone());
        stop["tell"] = "stopped".into();
        course.shared.clients.tell(&stop);
        course.tell_state(None);
        at.with_world(|world| course.show(world, &course.shared.clients.all()));
    }

    fn tell_go(&self) {
        let mut course = self.course.borrow_mut();
        course.stopped = None;
        course.seen = Instant::now();
        course.is_state_old = true;
        course.shared.clients.tell(&json!({ "tell": "continued" }));
    }
}

/// What passes without a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// Nothing.
    Nothing,
    /// Everything, as while ticks are run again.
    Everything,
}

impl DebugClient for AtPort {
    fn began(&mut self, at: &Paused<'_>) -> DebugOrder {
        if self.0.is_passing() {
            self.0.is_unarmed.set(true);
        } else {
            self.0.arm(at);
        }
        DebugOrder::Continue
    }

    fn is_pause_asked(&self) -> bool {
        self.0.pauses.is_asked() && !self.0.is_passing()
    }

    fn stopped(&mut self, why: &StopReason, at: &Paused<'_>) -> DebugOrder {
        let port = &self.0;
        if port.is_passing() || !port.is_watched() {
            port.pauses.take(port.pauses.asked());
            return DebugOrder::Continue;
        }
        let mut held = port.come_before();
        port.tell_stop(why, at);
        let (mut later, mut alone) = (Vec::new(), None);
        let order = loop {
            let next = held.pop_front().map_or_else(|| port.orders.next(PATIENCE), Ok);
            match next {
                Ok(ordered) => {
                    if let Some(order) = port.obey(ordered, at, &mut later) {
                        break order;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break DebugOrder::Detach,
            }
            let mut course = port.course.borrow_mut();
            if course.is_state_old {
                course.tell_state(None);
            }
            drop(course);
            let since = if port.is_watched() { None } else { alone.or_else(|| Some(Instant::now())) };
            if since.is_some_and(|since| since.elapsed() > ALONE) {
                break DebugOrder::Continue;
            }
            alone = since;
        };
        held.into_iter().chain(later).for_each(|ordered| port.orders.put_back(ordered));
        port.tell_go();
        order
    }

    fn wants_to_look(&self) -> bool {
        self.0.wants_to_look() && !self.0.is_passing()
    }

    fn between_ticks(&mut self, at: &Paused<'_>) -> DebugOrder {
        let port = &self.0;
        if port.is_passing() {
            return DebugOrder::Continue;
        }
        if port.is_unarmed.get() {
            port.arm(at);
        }
        // Bounded by what was kept: nothing is added meanwhile.
        while let Some((ask, reply)) = { port.asked.borrow_mut().pop_front() } {
            port.count_answer(&ask);
            let is_about_stops = matches!(
                ask,
                DebugAsk::Breakpoints { .. }
                    | DebugAsk::Stops { .. }
                    | DebugAsk::Lines { .. }
                    | DebugAsk::Pause
            );
            let answer = match is_about_stops.then(|| port.answer(ask, at)) {
                Some(Ok(Answer::Value(value))) => Ok(value),
                Some(Err(why)) => Err(why),
                Some(Ok(Answer::Go(_))) | None => Err(IT_RUNS.to_owned()),
            };
            reply.into_iter().for_each(|reply| reply.send(answer.clone()));
        }
        DebugOrder::Continue
    }

    fn told(&mut self, text: &str, file: &str, line: u32) {
        let tick = self.0.tick.get();
        self.0.course.borrow().shared.clients.tell(&json!({
            "tell": "logPoint", "tick": tick, "text": text, "file": file, "line": line,
        }));
    }

    fn moved(&mut self, breakpoints: &[BreakpointState]) {
        let is_otherwise = self.0.wanted.borrow_mut().take_in(breakpoints);
        if is_otherwise {
            self.0.tell_everybody();
        }
    }

    fn disturbed(&mut self) {
        let mut course = self.0.course.borrow_mut();
        course.shared.record.lock().disturb();
        if !std::mem::replace(&mut course.marks.is_reproducible, false) {
            return;
        }
        course.is_state_old = true;
        let text = "the run is not repeatable any more: an evaluated text was allowed to change it; what comes from here \
                    on cannot be seen again, and there is no trace of it";
        course.shared.clients.tell(&json!({ "tell": "log", "text": text }));
    }
}

fn stop_json(why: &StopReason) -> Value {
    match why {
        StopReason::Entry => json!({ "reason": "entry" }),
        StopReason::Breakpoint(ids) => json!({ "reason": "breakpoint", "breakpoints": ids }),
        StopReason::Step => json!({ "reason": "step" }),
        StopReason::Pause => json!({ "reason": "pause" }),
        StopReason::Fault(message) => json!({ "reason": "fault", "text": message }),
        StopReason::Event { name, what } => json!({ "reason": "event", "event": name, "text": what }),
    }
}

fn threads(at: &Paused<'_>) -> Value {
    let running = at.running_thread();
    let is_in_code = !at.frames(running).is_empty();
    let threads = at.threads().into_iter().map(|thread| {
        json!({ "id": thread.id, "name": thread.name, "isRunning": is_in_code && thread.id == running })
    });
    json!({ "threads": threads.collect::<Vec<_>>() })
}

fn frames(at: &Paused<'_>, thread: u64) -> Value {
    let frames = at.frames(thread).into_iter().map(
        |frame| json!({ "id": frame.id, "function": frame.function, "file": frame.file, "line": frame.line }),
    );
    json!({ "thread": thread, "frames": frames.take(ROWS_MAX).collect::<Vec<_>>() })
}

fn variable(one: &Variable) -> Value {
    json!({
        "name": one.name, "value": one.value, "type": one.kind, "reference": one.reference,
        "indexed": one.indexed, "named": one.named,
    })
}

/// Where lines of a text are in another: those before and behind what was changed stay with their text; one
/// inside goes to the next line there that says the same, else as far down as it was.
fn moved_lines(before: &str, after: &str, lines: impl Iterator<Item = u32>) -> Vec<u32> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let [first, last] = same_ends(&old, &new);
    let changed = first..new.len() - last;
    let moved = |line: u32| {
        let at = (line as usize).saturating_sub(1);
        if at < first || at >= old.len() {
            return line;
        }
        if at >= old.len() - last {
            return (at + new.len() - old.len() + 1) as u32;
        }
        let same = new[changed.clone()].iter().position(|text| text == &old[at]);
        let there =
            same.map_or(at.min(changed.end.saturating_sub(1)).max(changed.start), |found| first + found);
        there as u32 + 1
    };
    lines.map(moved).collect()
}

#[cfg(test)]
mod tests {
    use super::moved_lines;

    fn moved(before: &str, after: &str, lines: &[u32]) -> Vec<u32> {
        moved_lines(before, after, lines.iter().copied())
    }

    #[test]
    fn breakpoints_stay_with_the_text_of_their_lines() {
        let text = "a\nb\nc\nd\ne\n";
        assert_eq!(moved(text, text, &[1, 3, 5, 9]), [1, 3, 5, 9]);
        assert_eq!(moved(text, "x\ny\na\nb\nc\nd\ne\n", &[1, 3, 5]), [3, 5, 7]);
        assert_eq!(moved(text, "a\nb\nd\ne\n", &[1, 3, 4, 5]), [1, 3, 3, 4]);
        assert_eq!(moved(text, "a\nd\nc\nb\ne\n", &[2, 3, 4]), [4, 3, 2], "those that were swapped");
        assert_eq!(moved(text, "a\nB\nC\nC2\nD\ne\n", &[2, 4, 5]), [2, 4, 6]);
        assert_eq!(moved(text, "", &[1, 3]), [1, 1]);
        assert_eq!(moved("", text, &[1]), [1]);
    }
}
