//! The running level: its thread, its time, its inputs.
//!
//! In: orders of clients, saved texts, the clock. Out: ticks, told to clients (`course`); a record from which
//! the run can be repeated. Holds: everything that reaches the level is an input of a tick and stands in the
//! record; without inputs the run is that of `walkon run`. It always runs under the debugger, which changes
//! nothing of it. Not here: updates for clients (`course`), stops (`debugging`), the past (`replica`), the
//! future (`forecast`), files (`desk`).

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use walkon_runtime::game::Game;
use walkon_runtime::game::headless::{self, Bound, RunEnd};
use walkon_runtime::game::inputs::{Input, Reload};
use walkon_runtime::game::recorder::RecordOptions;
use walkon_runtime::level::base64;
use walkon_runtime::script::vm::fuel::Signals;

use crate::client::{CALLED_OFF, Client, Reply};
use crate::course::{Course, GameMarks, Shared};
use crate::debugging::{Passing, Port};
use crate::orders::{Order, Ordered, Orders, Speed};
use crate::past::ShownPast;
use crate::replica::Wish;
use crate::run_record::{RunRecord, RunStart};
use crate::trace_lines::{LineStore, TraceLines};

/// Longest time without a look at the orders.
const PATIENCE: Duration = Duration::from_millis(100);
/// Time for ticks at full speed between two looks at the orders.
const BURST: Duration = Duration::from_millis(10);

/// The level that runs.
pub struct Running {
    shared: Shared,
    signals: Arc<Signals>,
    game: Game,
    /// Never borrowed while the game is asked for anything: a debugger may hold it there, and clients are
    /// served meanwhile.
    course: Rc<RefCell<Course>>,
    orders: Rc<Orders>,
    port: Rc<Port>,
    /// What a trace has of the run, where one is written.
    lines: Option<TraceLines>,
}

/// The ways to a running level and to its past.
#[derive(Debug)]
pub struct Ways {
    /// Orders.
    pub orders: Receiver<Ordered>,
    /// The past.
    pub replicas: Sender<Wish>,
    /// Where the lines of a trace are kept, where one is written.
    pub trace: Option<Box<dyn LineStore>>,
}

/// What is written down of the level that runs.
fn recording_of(lines: Option<&TraceLines>) -> RecordOptions {
    let options = RecordOptions { sentences: true, ..RecordOptions::default() };
    if lines.is_some() { RecordOptions { trace: true, hash_every: 1, ..options } } else { options }
}

impl Running {
    /// A level at tick 0 that stands still.
    ///
    /// # Errors
    /// A sentence about what is wrong with the level or its scripts.
    pub fn begin(shared: Shared, signals: Arc<Signals>, speed: Speed, ways: Ways) -> Result<Self, String> {
        let lines = ways.trace.map(TraceLines::new);
        let start = Arc::clone(&shared.record.lock().start);
        // Its rate is known when the level is.
        let course = Course::new(shared.clone(), walkon_runtime::base::time::TickRate::default(), speed);
        let (course, orders) = (Rc::new(RefCell::new(course)), Rc::new(Orders::new(ways.orders)));
        let port = Port::new(Rc::clone(&course), Rc::clone(&orders), ways.replicas);
        let options = recording_of(lines.as_ref());
        let game = start.begin_debugged(Arc::clone(&signals), port.debugger(), options)?;
        if !game.is_reproducible() {
            shared.record.lock().disturb_beginning();
        }
        course.borrow_mut().set_speed(speed, game.rate());
        let mut running = Self { shared, signals, game, course, orders, port, lines };
        running.first_tick();
        Ok(running)
    }

    /// Ends the level, where a trace is written. Nobody watches its calls any more: what asked for the end
    /// must not keep the handlers of the end from running.
    pub fn end(mut self) {
        let Some(lines) = self.lines else { return };
        self.signals.take_back_stop();
        self.port.pass(Passing::Everything);
        let bound = Bound { ticks_max: self.game.world().tick().0, until: None, is_strict: false };
        let ended = if lines.is_cut_short { RunEnd::Signal } else { headless::end_of(&self.game) };
        let (last, report) = headless::end(&mut self.game, &bound, ended);
        let mut ending = last.lines;
        ending.push(report.last_line());
        lines.end(&ending);
    }

    /// Runs until the end is ordered, or nobody is left to order anything.
    pub fn run(&mut self) {
        loop {
            let mut next = match self.orders.next(self.patience()) {
                Ok(ordered) => Some(ordered),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            // Whatever was left for an order is obeyed here.
            self.port.pass(Passing::Nothing);
            while let Some(Ordered { order, reply }) = next {
                if matches!(order, Order::Stop) {
                    return;
                }
                self.obey(order, reply);
                next = self.orders.next(Duration::ZERO).ok();
            }
            self.advance();
            self.tell_state();
        }
    }

    fn patience(&self) -> Duration {
        let course = self.course.borrow();
        match course.speed {
            _ if !course.is_moving() => PATIENCE,
            Speed::Max => Duration::ZERO,
            Speed::Times(_) if course.steps > 0 => Duration::ZERO,
            Speed::Times(_) => Duration::from_secs_f64(course.pace.wait_seconds()).min(PATIENCE),
        }
    }

    fn obey(&mut self, order: Order, reply: Option<Reply>) {
        let answer = match order {
            // The debugger answers it, at once or when the level goes on.
            Order::Debug(ask) => {
                self.port.keep(ask, reply);
                return self.let_debugger_look();
            }
            order => self.answer(order, reply.as_ref()),
        };
        reply.into_iter().for_each(|reply| reply.send(answer.clone()));
    }

    fn answer(&mut self, order: Order, reply: Option<&Reply>) -> Result<Value, String> {
        self.course.borrow_mut().is_state_old |=
            !matches!(order, Order::Ask(_) | Order::Draw(_) | Order::Input(_) | Order::Save);
        match order {
            Order::Play => self.course.borrow_mut().play(),
            Order::Pause => {
                let mut course = self.course.borrow_mut();
                (course.is_playing, course.steps) = (false, 0);
                // A client that lags behind gets what it would have got in a moment.
                course.show(self.game.world(), &self.shared.clients.all());
            }
            // Steps that are asked for before the last are done come after them.
            Order::Step(ticks) => {
                let mut course = self.course.borrow_mut();
                (course.is_playing, course.steps) = (false, course.steps.saturating_add(ticks));
            }
            Order::Speed(speed) => self.course.borrow_mut().set_speed(speed, self.game.rate()),
            Order::Restart(seed) => self.restart(seed)?,
            Order::GoOn(tick) => self.go_on(tick, reply)?,
            Order::Save => {
                let bytes = self.game.save().map_err(|refused| refused.to_string())?;
                return Ok(json!({ "tick": self.tick(), "save": base64::text_of(&bytes) }));
            }
            Order::Input(input) => {
                self.course.borrow_mut().say(input);
                return Ok(json!({ "tick": self.tick() + 1 }));
            }
            Order::Ask(question) => return question.answer(self.game.look(), &self.shared.past),
            Order::Welcome(client) => {
                self.welcome(&client);
                // From here on it hears what all clients hear.
                self.shared.clients.add(client);
            }
            Order::Draw(client) => {
                let course = self.course.borrow();
                course.draw_still(self.game.world(), &client);
                course.show(self.game.world(), &[client]);
            }
            Order::Debug(_) | Order::Stop => {}
        }
        Ok(json!({ "tick": self.tick() }))
    }

    fn tick(&self) -> u64 {
        self.game.world().tick().0
    }

    /// Has the debugger do what it was asked for.
    fn let_debugger_look(&mut self) {
        if self.port.wants_to_look() {
            self.game.let_debugger_look();
            self.port.refuse_kept("this level has no scripts to debug");
            self.course.borrow_mut().is_state_old = true;
        }
    }

    /// Runs the ticks that are due.
    fn advance(&mut self) {
        let began = Instant::now();
        let before = self.tick();
        let mut due = {
            let mut course = self.course.borrow_mut();
            if !course.is_moving() {
                return course.redraw(&self.game);
            }
            match course.speed {
                _ if course.steps > 0 => course.steps,
                Speed::Max => u64::MAX,
                Speed::Times(_) => {
                    let passed = (began - course.seen).as_secs_f64();
                    course.seen = began;
                    u64::from(course.pace.advance(passed).ticks)
                }
            }
        };
        while due > 0 && self.goes_on(began) {
            self.one_tick();
            due -= 1;
            let mut course = self.course.borrow_mut();
            course.steps = course.steps.saturating_sub(1);
        }
        let mut course = self.course.borrow_mut();
        if self.tick() > before {
            course.show(self.game.world(), &self.shared.clients.all());
        }
        course.redraw(&self.game);
        course.is_state_old |= !course.is_moving();
    }

    /// Whether another tick is run before the next look at the orders.
    fn goes_on(&self, began: Instant) -> bool {
        let course = self.course.borrow();
        let has_time = began.elapsed() < BURST || course.steps == 0 && course.speed != Speed::Max;
        course.is_moving() && has_time && !self.port.is_passing() && !self.signals.is_stopped()
    }

    fn one_tick(&mut self) {
        let inputs = std::mem::take(&mut self.course.borrow_mut().pending);
        let next = self.tick() + 1;
        self.move_breakpoints(&inputs);
        // Noted first: while a debugger holds the tick, copies answer questions, and have heard it too.
        if !inputs.is_empty() {
            self.shared.record.lock().inputs.insert(next, inputs.clone());
        }
        self.port.ticks(next);
        let recorded = self.game.tick(&inputs);
        let mut record = self.shared.record.lock();
        if !self.game.is_reproducible() {
            record.disturb();
        }
        record.tick = next;
        drop(record);
        if let Some(lines) = &mut self.lines {
            lines.took(&recorded);
            lines.is_cut_short = self.signals.is_stopped();
        }
        self.course.borrow_mut().took(&self.game, &recorded);
    }

    /// Breakpoints go with the texts of scripts that were saved.
    fn move_breakpoints(&mut self, inputs: &[Input]) {
        let reloads = inputs.iter().filter_map(|input| match input {
            Input::Reload(reload) if !reload.scripts.is_empty() => Some(reload),
            _ => None,
        });
        let reloads: Vec<&Reload> = reloads.collect();
        if reloads.is_empty() {
            return;
        }
        let mut texts = self.shared.record.lock().texts_now();
        for reload in reloads {
            for (file, text) in &reload.scripts {
                if let (Some(before), Some(after)) = (texts.scripts.get(file), text) {
                    self.port.text_changed(file, before, after);
                }
            }
            texts = texts.with(reload);
        }
        self.let_debugger_look();
    }

    /// Tick 0 of a game that was just begun.
    fn first_tick(&mut self) {
        let recorded = self.game.start_facts();
        if let Some(lines) = &mut self.lines {
            lines.begin(&recorded);
        }
        self.port.ticks(0);
        let mut course = self.course.borrow_mut();
        course.ended = None;
        course.roster = Default::default();
        course.marks = GameMarks::of(&self.game);
        course.took(&self.game, &recorded);
    }

    fn welcome(&self, client: &Arc<Client>) {
        let mut course = self.course.borrow_mut();
        course.marks = GameMarks::of(&self.game);
        course.tell_roster(&self.game);
        let hash = self.hash(&course);
        course.welcome(self.game.world(), client, hash);
        client.tell(&self.port.told());
    }

    /// A hash is a pass over everything: it is made when nobody waits for the next tick.
    fn hash(&self, course: &Course) -> Option<u64> {
        (!course.is_moving()).then(|| self.game.fingerprint().whole())
    }

    fn tell_state(&self) {
        let mut course = self.course.borrow_mut();
        if course.wants_state() {
            course.marks = GameMarks::of(&self.game);
            let hash = self.hash(&course);
            course.tell_state(hash);
        }
    }

    fn restart(&mut self, seed: Option<u64>) -> Result<(), String> {
        let mut texts = self.shared.record.lock().texts_now();
        // What was saved while the level stood still.
        for input in &self.course.borrow().pending {
            if let Input::Reload(reload) = input {
                texts = texts.with(reload);
            }
        }
        let start = RunStart { seed: seed.or(texts.seed), ..texts };
        self.port.ticks(0);
        let disturbed_from = self.shared.record.lock().disturbed_from;
        // What changed the run that was to begin has not changed the one that goes on.
        let game = self.begun(&start).inspect_err(|_| {
            self.shared.record.lock().disturbed_from = disturbed_from;
        })?;
        let generation = self.shared.record.lock().generation + 1;
        let mut record = RunRecord { generation, ..RunRecord::new(start) };
        if !game.is_reproducible() {
            record.disturb_beginning();
        }
        *self.shared.record.lock() = record;
        *self.shared.past.lock() = ShownPast::default();
        self.game = game;
        let mut course = self.course.borrow_mut();
        (course.steps, course.is_attended) = (0, false);
        course.pending.clear();
        drop(course);
        self.first_tick();
        self.everything_is_new();
        Ok(())
    }

    /// Runs up to a tick of the past again and goes on from there.
    fn go_on(&mut self, tick: u64, reply: Option<&Reply>) -> Result<(), String> {
        let record = self.shared.record.now();
        if tick > record.tick {
            return Err(format!("tick {tick} has not been run yet, expected at most {}", record.tick));
        }
        record.check_repeatable(tick)?;
        // What was stopped at on the way there was seen already.
        self.port.pass(Passing::Everything);
        let came = self.run_again(&record, tick, reply);
        self.port.pass(Passing::Nothing);
        let game = came?;
        // Those of the ticks before are the same again.
        if let Some(lines) = &mut self.lines {
            lines.go_back(tick);
        }
        self.shared.record.lock().cut(tick);
        self.shared.past.lock().cut(tick);
        self.game = game;
        self.port.ticks(tick);
        let mut course = self.course.borrow_mut();
        (course.ended, course.is_playing, course.steps) = (None, false, 0);
        course.is_attended = record.is_attended(tick);
        // What was saved after that tick is on the disk, and stays in force.
        let mut saved = Reload::default();
        let later = record.inputs.range(tick + 1..).flat_map(|(_, inputs)| inputs);
        for input in later.chain(&course.pending) {
            if let Input::Reload(reload) = input {
                saved.merge(reload.clone());
            }
        }
        course.pending.clear();
        if !saved.is_empty() {
            course.pending.push(Input::Reload(saved));
        }
        course.roster = std::mem::take(&mut course.roster).turned_back(&self.game);
        drop(course);
        self.let_debugger_look();
        self.everything_is_new();
        Ok(())
    }

    fn begun(&self, start: &RunStart) -> Result<Game, String> {
        let options = recording_of(self.lines.as_ref());
        start.begin_debugged(Arc::clone(&self.signals), self.port.debugger(), options)
    }

    fn run_again(&self, record: &RunRecord, tick: u64, reply: Option<&Reply>) -> Result<Game, String> {
        let mut game = self.begun(&record.start)?;
        // What it tells of its beginning was told.
        drop(game.start_facts());
        // Bounded by the ticks that were run before.
        while game.world().tick().0 < tick {
            let next = game.world().tick().0 + 1;
            game.tick(&record.inputs_for(next));
            if self.signals.is_stopped()
                || reply.is_some_and(|reply| !reply.progress("going back", next, tick))
            {
                return Err(CALLED_OFF.to_owned());
            }
        }
        Ok(game)
    }

    fn everything_is_new(&self) {
        let mut course = self.course.borrow_mut();
        let speed = course.speed;
        course.set_speed(speed, self.game.rate());
        drop(course);
        for client in self.shared.clients.all() {
            client.wishes().tick = None;
            self.welcome(&client);
        }
    }
}
