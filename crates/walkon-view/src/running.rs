//! The level that runs: its thread, its time, its inputs.
//!
//! In: orders of clients, saved texts, the clock. Out: frames, pictures and items for clients; a record from
//! which the same run can be made again. Holds: everything that reaches the level is an input of a tick and
//! stands in the record; without inputs the run is that of `walkon run`; telling clients never waits for
//! them. Not here: the past (`replica`), the future (`forecast`), files (`desk`).

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use walkon::level::base64;
use walkon::world::World;
use walkon::{FixedTimestep, Game, Input, Reload, Signals, Tick};

use crate::client::{Client, Clients, Reply};
use crate::frame::{Frame, PAUSED};
use crate::happened::{self, Item};
use crate::past::Past;
use crate::picture::{self, Scenery};
use crate::question::Question;
use crate::replica::CALLED_OFF;
use crate::roster::{self, Roster};
use crate::run_record::{RunRecord, RunStart, SharedRecord};

/// Longest time without a look at the orders.
const PATIENCE: Duration = Duration::from_millis(100);
/// Time for ticks at full speed between two looks at the orders.
const BURST: Duration = Duration::from_millis(10);
/// Least time between two pictures of what stands still, and between two words about the state.
const SCENE_EVERY: Duration = Duration::from_millis(100);
const STATE_EVERY: Duration = Duration::from_millis(250);

/// How fast the level runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// A multiple of real time.
    Times(f64),
    /// As fast as it goes.
    Max,
}

impl Speed {
    fn json(self) -> Value {
        match self {
            Self::Times(times) => json!(times),
            Self::Max => json!("max"),
        }
    }
}

/// What somebody wants of the running level.
#[derive(Debug)]
pub enum Order {
    /// Runs on.
    Play,
    /// Stands still.
    Pause,
    /// So many ticks, then stands still.
    Step(u64),
    /// Runs so fast.
    Speed(Speed),
    /// From tick 0, with the texts as they are now and perhaps another seed.
    Restart(Option<u64>),
    /// From a tick of the past.
    GoOn(u64),
    /// The game as it is now, as a file to go on from.
    Save,
    /// Something to say to the level.
    Input(Input),
    /// Something to find out.
    Ask(Question),
    /// Tells a client all that it has to know.
    Welcome(Arc<Client>),
    /// Draws everything again for a client, which wants to see something else.
    Draw(Arc<Client>),
    /// The end.
    Stop,
}

/// An order, and who waits for its answer.
#[derive(Debug)]
pub struct Ordered {
    /// The order.
    pub order: Order,
    /// Who waits.
    pub reply: Option<Reply>,
}

/// What the running level shares with other threads.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// Everybody who looks on.
    pub clients: Arc<Clients>,
    /// The run so far.
    pub record: SharedRecord,
    /// What was shown so far.
    pub past: SharedPast,
    /// Triangles below a graph.
    pub scenery: Arc<Vec<[walkon::glam::Vec3; 3]>>,
    /// Name and file of the level.
    pub file: Arc<str>,
}

/// The past, which several threads look at.
#[derive(Clone, Debug, Default)]
pub struct SharedPast(Arc<Mutex<Past>>);

impl SharedPast {
    /// The past, for a moment.
    pub fn lock(&self) -> MutexGuard<'_, Past> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The level that runs.
pub struct Running {
    shared: Shared,
    signals: Arc<Signals>,
    game: Game,
    /// What is said in the next tick.
    pending: Vec<Input>,
    pace: FixedTimestep,
    seen: Instant,
    speed: Speed,
    is_playing: bool,
    /// Ticks that are to be run although it stands still.
    steps: u64,
    ended: Option<&'static str>,
    roster: Roster,
    scene: SceneMark,
    scene_drawn: Instant,
    state_told: Instant,
    is_state_old: bool,
}

/// What pictures of what stands still depend on.
#[derive(Clone, Debug, Default, PartialEq)]
struct SceneMark {
    revision: u64,
    doors: Vec<DoorMark>,
    areas: usize,
    reloads: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct DoorMark {
    state: walkon::DoorState,
    is_locked: bool,
}

impl Running {
    /// A level at tick 0 that stands still.
    ///
    /// # Errors
    /// A sentence about what is wrong with the level or its scripts.
    pub fn begin(shared: Shared, signals: Arc<Signals>, speed: Speed) -> Result<Self, String> {
        let start = Arc::clone(&shared.record.lock().start);
        let game = start.begin(Arc::clone(&signals))?;
        let now = Instant::now();
        let mut running = Self {
            pace: FixedTimestep::new(game.world().rate(), 1.0),
            shared,
            signals,
            game,
            pending: Vec::new(),
            seen: now,
            speed,
            is_playing: false,
            steps: 0,
            ended: None,
            roster: Roster::default(),
            scene: SceneMark::default(),
            scene_drawn: now,
            state_told: now,
            is_state_old: true,
        };
        running.set_speed(speed);
        running.first_tick();
        Ok(running)
    }

    /// Runs until the end is ordered, or nobody is left to order anything.
    pub fn run(mut self, orders: &Receiver<Ordered>) {
        loop {
            let first = match orders.recv_timeout(self.patience()) {
                Ok(ordered) => Some(ordered),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            for Ordered { order, reply } in first.into_iter().chain(orders.try_iter()) {
                if matches!(order, Order::Stop) {
                    return;
                }
                let answer = self.obey(order, reply.as_ref());
                if let Some(reply) = reply {
                    reply.send(answer);
                }
            }
            self.advance();
            self.tell_state();
        }
    }

    fn is_moving(&self) -> bool {
        self.ended.is_none() && (self.is_playing || self.steps > 0)
    }

    fn patience(&self) -> Duration {
        match self.speed {
            _ if !self.is_moving() => PATIENCE,
            Speed::Max => Duration::ZERO,
            Speed::Times(_) if self.steps > 0 => Duration::ZERO,
            Speed::Times(_) => Duration::from_secs_f64(self.pace.wait_seconds()).min(PATIENCE),
        }
    }

    fn obey(&mut self, order: Order, reply: Option<&Reply>) -> Result<Value, String> {
        self.is_state_old |= !matches!(order, Order::Ask(_) | Order::Draw(_) | Order::Input(_) | Order::Save);
        match order {
            Order::Play => self.play(),
            Order::Pause => (self.is_playing, self.steps) = (false, 0),
            // Steps that are asked for before the last are done come after them.
            Order::Step(ticks) => {
                (self.is_playing, self.steps) = (false, self.steps.saturating_add(ticks));
            }
            Order::Speed(speed) => self.set_speed(speed),
            Order::Restart(seed) => self.restart(seed)?,
            Order::GoOn(tick) => self.go_on(tick, reply)?,
            Order::Save => {
                let bytes = self.game.save().map_err(|refused| refused.to_string())?;
                return Ok(json!({ "tick": self.tick(), "save": base64::text_of(&bytes) }));
            }
            Order::Input(input) => {
                self.say(input);
                return Ok(json!({ "tick": self.tick() + 1 }));
            }
            Order::Ask(question) => {
                return question.answer(&self.game, &self.shared.past);
            }
            Order::Welcome(client) => {
                self.welcome(&client);
                // From here on it hears what everybody hears.
                self.shared.clients.add(client);
            }
            Order::Draw(client) => {
                self.draw_still(&client);
                self.show(&[client]);
            }
            Order::Stop => {}
        }
        Ok(json!({ "tick": self.tick() }))
    }

    /// Says something in the next tick. Texts that are saved before it are one reload.
    fn say(&mut self, input: Input) {
        match (self.pending.last_mut(), input) {
            (Some(Input::Reload(last)), Input::Reload(new)) => last.merge(new),
            (_, input) => self.pending.push(input),
        }
    }

    fn tick(&self) -> u64 {
        self.game.world().tick().0
    }

    fn play(&mut self) {
        (self.is_playing, self.steps, self.seen) = (true, 0, Instant::now());
    }

    fn set_speed(&mut self, speed: Speed) {
        self.speed = speed;
        let times = if let Speed::Times(times) = speed { times } else { 1.0 };
        self.pace = FixedTimestep::new(self.game.world().rate(), times);
        self.seen = Instant::now();
    }

    /// Runs the ticks that are due.
    fn advance(&mut self) {
        if !self.is_moving() {
            self.redraw();
            return;
        }
        let began = Instant::now();
        let mut due = match self.speed {
            _ if self.steps > 0 => self.steps,
            Speed::Max => u64::MAX,
            Speed::Times(_) => {
                let due = u64::from(self.pace.advance((began - self.seen).as_secs_f64()).ticks);
                self.seen = began;
                due
            }
        };
        let before = self.tick();
        while due > 0
            && self.is_moving()
            && (began.elapsed() < BURST || self.steps == 0 && self.speed != Speed::Max)
        {
            self.one_tick();
            due -= 1;
            self.steps = self.steps.saturating_sub(1);
        }
        if self.tick() > before {
            self.show(&self.shared.clients.all());
        }
        self.redraw();
        self.is_state_old |= !self.is_moving();
    }

    fn one_tick(&mut self) {
        let inputs = std::mem::take(&mut self.pending);
        let next = self.tick() + 1;
        let recorded = self.game.tick(&inputs);
        let mut record = self.shared.record.lock();
        if !inputs.is_empty() {
            record.inputs.insert(next, inputs);
        }
        record.tick = next;
        drop(record);
        self.took(&recorded);
    }

    /// Tick 0 of a game that was just begun.
    fn first_tick(&mut self) {
        let recorded = self.game.start_facts();
        self.ended = None;
        self.roster = Roster::default();
        self.took(&recorded);
    }

    /// Tells what a tick came to.
    fn took(&mut self, recorded: &Tick) {
        let items = happened::items(self.game.world(), recorded);
        let rows = roster::rows(&self.game);
        let mut past = self.shared.past.lock();
        past.push(recorded.number, rows);
        past.note(&items);
        drop(past);
        if recorded.number == 0
            || !recorded.reloads.is_empty()
            || recorded.events.iter().any(changes_who_is_there)
        {
            self.tell_roster();
        }
        if !items.is_empty() {
            self.tell_items(recorded, &items);
        }
        if self.game.outcome().is_some() {
            self.ended = Some("finish");
        } else if self.game.is_memory_exhausted() {
            self.ended = Some("limit");
        }
    }

    fn tell_roster(&mut self) {
        if let Some(message) = self.roster.update(&self.game) {
            self.shared.clients.tell(&message);
        }
    }

    fn tell_items(&self, recorded: &Tick, items: &[Item]) {
        let clients = &self.shared.clients;
        clients.tell(&json!({ "tell": "happened", "tick": recorded.number, "items": items }));
        for cue in items.iter().filter(|item| item.kind == "cue") {
            if let Some(message) = cue_message(cue) {
                clients.tell(&message);
            }
        }
        for note in &recorded.reloads {
            let text = walkon::game::log_text::reloaded(note, "", "");
            clients.tell(&match &note.refused {
                None => json!({ "tell": "reloaded", "tick": recorded.number, "ok": true, "text": text }),
                Some(fault) => json!({
                    "tell": "reloaded", "tick": recorded.number, "ok": false, "text": fault.message,
                    "file": fault.file, "line": fault.line, "message": fault.message,
                }),
            });
        }
    }

    /// Shows clients of the running level where everybody is.
    fn show(&self, clients: &[Arc<Client>]) {
        let mut frame = None;
        for client in clients {
            let frame = frame.get_or_insert_with(|| Arc::new(self.frame()));
            let wishes = client.wishes();
            if wishes.tick.is_some() {
                continue;
            }
            client.frame(Arc::clone(frame));
            drop(wishes);
            if client.wants_overlay() {
                overlay(self.game.world(), client);
            }
        }
    }

    fn frame(&self) -> Frame {
        let flags = if self.is_moving() { 0 } else { PAUSED };
        let tick = self.tick();
        let kept = self.shared.past.lock().newest(tick).map(<[_]>::to_vec);
        Frame { tick, flags, rows: kept.unwrap_or_else(|| roster::rows(&self.game)) }
    }

    /// Draws what stands still again, if it does not any more.
    fn redraw(&mut self) {
        if self.scene_drawn.elapsed() < SCENE_EVERY {
            return;
        }
        let mark = self.scene_mark();
        if mark == self.scene {
            return;
        }
        (self.scene, self.scene_drawn) = (mark, Instant::now());
        for client in self.shared.clients.all().iter().filter(|client| client.wishes().tick.is_none()) {
            self.draw_still(client);
        }
    }

    fn scene_mark(&self) -> SceneMark {
        let world = self.game.world();
        let door =
            |door: &walkon::world::door::Door| DoorMark { state: door.state, is_locked: door.is_locked };
        SceneMark {
            revision: world.nav().revision().0,
            doors: world.doors().iter().map(door).collect(),
            areas: world.areas().len(),
            reloads: self.game.reload_count(),
        }
    }

    fn draw_still(&self, client: &Client) {
        let wishes = client.wishes().clone();
        client.tell(&scene(self.game.world(), &wishes, &self.shared.scenery));
    }

    fn welcome(&mut self, client: &Arc<Client>) {
        client.tell(&self.welcome_message());
        self.tell_roster();
        client.tell(&self.roster.whole());
        self.draw_still(client);
        self.show(std::slice::from_ref(client));
    }

    fn welcome_message(&self) -> Value {
        let world = self.game.world();
        let bounds = world.nav().bounds();
        let heights = picture::heights_m(world);
        let parts: Vec<&str> = walkon::view::PicturePart::ALL.iter().map(|part| part.name()).collect();
        json!({
            "tell": "welcome", "protocol": 1, "version": env!("CARGO_PKG_VERSION"),
            "level": world.level_name(), "file": &*self.shared.file, "seed": world.seed(),
            "tickRate": world.rate().per_second(),
            "bounds": [bounds.min[0], bounds.min[1], bounds.max[0], bounds.max[1]],
            "heights": heights,
            "projection": if picture::is_isometric(world) { "isometric" } else { "flat" },
            "slants": heights[1] - heights[0] > 0.01,
            "layers": world.nav().layer_count(), "layerNames": picture::layer_names(world), "tileSize": picture::tile_m(world),
            "hasPlayer": world.characters().any(|(_, who)| who.is_player),
            "parts": parts, "behaviours": self.behaviours(),
            "state": self.state(),
        })
    }

    /// The behaviours that somebody new may get.
    fn behaviours(&self) -> Vec<String> {
        let texts = self.shared.record.lock().texts_now();
        let names = texts.scripts.into_keys().filter(|name| name.starts_with("behaviours/"));
        names.collect()
    }

    fn tell_state(&mut self) {
        let is_due = self.is_moving() && self.state_told.elapsed() > STATE_EVERY;
        if !self.is_state_old && !is_due {
            return;
        }
        (self.is_state_old, self.state_told) = (false, Instant::now());
        let mut state = self.state();
        state["tell"] = "state".into();
        self.shared.clients.tell(&state);
    }

    fn state(&self) -> Value {
        let kept = self.shared.past.lock().span().unwrap_or_default();
        // A hash is a pass over everything: it is made when nobody waits for the next tick.
        let hash = (!self.is_moving()).then(|| format!("{:016x}", self.game.fingerprint().whole()));
        json!({
            "tick": self.tick(), "playing": self.is_playing && self.ended.is_none(), "speed": self.speed.json(),
            "kept": [kept.0, kept.1], "hash": hash, "isReproducible": self.game.is_reproducible(),
            "ended": self.ended, "faults": self.game.fault_count(), "seed": self.game.world().seed(),
        })
    }

    fn restart(&mut self, seed: Option<u64>) -> Result<(), String> {
        let mut texts = self.shared.record.lock().texts_now();
        // What was saved while the level stood still.
        for input in &self.pending {
            if let Input::Reload(reload) = input {
                texts = texts.with(reload);
            }
        }
        let start = RunStart { seed: seed.or(texts.seed), ..texts };
        let game = start.begin(Arc::clone(&self.signals))?;
        let generation = self.shared.record.lock().generation + 1;
        *self.shared.record.lock() = RunRecord { generation, ..RunRecord::new(start) };
        *self.shared.past.lock() = Past::default();
        self.game = game;
        self.steps = 0;
        self.pending.clear();
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
        let mut game = record.start.begin(Arc::clone(&self.signals))?;
        game.start_facts();
        // Bounded by the ticks that were run before.
        while game.world().tick().0 < tick && !self.signals.is_stopped() {
            let next = game.world().tick().0 + 1;
            game.tick(&record.inputs_for(next));
            if reply.is_some_and(|reply| !reply.progress("going back", next, tick)) {
                return Err(CALLED_OFF.to_owned());
            }
        }
        self.shared.record.lock().cut(tick);
        self.shared.past.lock().cut(tick);
        (self.game, self.ended, self.is_playing, self.steps) = (game, None, false, 0);
        // What was saved after that tick is on the disk, and stays in force.
        let mut saved = Reload::default();
        let later = record.inputs.range(tick + 1..).flat_map(|(_, inputs)| inputs);
        for input in later.chain(&self.pending) {
            if let Input::Reload(reload) = input {
                saved.merge(reload.clone());
            }
        }
        self.pending.clear();
        if !saved.is_empty() {
            self.pending.push(Input::Reload(saved));
        }
        self.roster = std::mem::take(&mut self.roster).turned_back();
        self.everything_is_new();
        Ok(())
    }

    fn everything_is_new(&mut self) {
        self.set_speed(self.speed);
        for client in self.shared.clients.all() {
            client.wishes().tick = None;
            self.welcome(&client);
        }
    }
}

/// Whether an event means that a page has to learn names again.
fn changes_who_is_there(event: &walkon::Event) -> bool {
    matches!(event, walkon::Event::Spawned { .. } | walkon::Event::Despawned { .. })
}

/// What stands still, for a client.
#[must_use]
pub fn scene(world: &World, wishes: &crate::client::Wishes, scenery: &Scenery) -> Value {
    let bounds = world.nav().bounds();
    json!({
        "tell": "scene", "tick": world.tick().0, "picture": picture::still(world, wishes, scenery),
        "bounds": [bounds.min[0], bounds.min[1], bounds.max[0], bounds.max[1]],
    })
}

/// Shows a client what moves and is no body, if it wants to see any of it.
pub fn overlay(world: &World, client: &Client) {
    let wishes = client.wishes().clone();
    if let Some(moving) = picture::moving(world, &wishes) {
        let (layers, legend) = (moving.layers, moving.legend);
        let told = json!({ "tell": "overlay", "tick": world.tick().0, "layers": layers, "legend": legend });
        client.overlay(told.to_string());
    }
}

/// What a scene asks for, with the fields of its trace line.
fn cue_message(item: &Item) -> Option<Value> {
    let mut message: Value = serde_json::from_str(item.line.as_ref()?.get()).ok()?;
    let object = message.as_object_mut()?;
    let kind = object.remove("e")?;
    object.remove("t");
    // A camera and a cue of a script say what kind of it they mean.
    if let Some(what) = object.remove("kind") {
        object.insert("what".to_owned(), what);
    }
    object.insert("kind".to_owned(), kind);
    object.insert("tell".to_owned(), "cue".into());
    object.insert("tick".to_owned(), item.tick.into());
    Some(message)
}
