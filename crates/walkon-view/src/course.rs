//! The pace of a run, its pending inputs, and updates for clients.
//!
//! In: a world to show, results of ticks, requests of clients. Out: frames, pictures, messages about the
//! state. Holds: sending never waits for a client; clients are served from the world alone, also while a
//! debugger holds the game in the middle of a tick. Not here: ticks (`running`), stops (`debugging`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use walkon_runtime::base::time::TickRate;
use walkon_runtime::game::Game;
use walkon_runtime::game::event::Event;
use walkon_runtime::game::fixed_timestep::FixedTimestep;
use walkon_runtime::game::inputs::Input;
use walkon_runtime::game::roster::Stance;
use walkon_runtime::game::tick::Tick;
use walkon_runtime::script::debug::Pauses;
use walkon_runtime::world::World;
use walkon_runtime::world::door::{Door, DoorState};

use crate::client::{Client, Clients};
use crate::frame::{Frame, FrameRow, PAUSED};
use crate::happened::{self, Item};
use crate::orders::Speed;
use crate::past::SharedPast;
use crate::picture::{self, Scenery};
use crate::roster::{self, KnownPeople};
use crate::run_record::SharedRecord;

/// Least time between two pictures of what stands still, and between two words about the state.
const SCENE_EVERY: Duration = Duration::from_millis(100);
const STATE_EVERY: Duration = Duration::from_millis(250);

/// What the running level shares with other threads.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// All clients.
    pub clients: Arc<Clients>,
    /// The run so far.
    pub record: SharedRecord,
    /// What was shown so far.
    pub past: SharedPast,
    /// Triangles below a graph.
    pub scenery: Arc<Vec<[walkon_runtime::glam::Vec3; 3]>>,
    /// Name and file of the level.
    pub file: Arc<str>,
    /// Pauses asked of code that runs: read in the middle of a tick.
    pub pauses: Arc<Pauses>,
}

/// What is known of a game when it is not asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct GameMarks {
    /// The last tick that it has come to.
    pub tick: u64,
    /// Whether the same inputs come to the same.
    pub is_reproducible: bool,
    /// Faults of scripts.
    pub faults: u64,
    /// The seed of the run.
    pub seed: u64,
}

impl GameMarks {
    /// Those of a game between two ticks.
    #[must_use]
    pub fn of(game: &Game) -> Self {
        Self {
            tick: game.world().tick().0,
            is_reproducible: game.is_reproducible(),
            faults: game.fault_count(),
            seed: game.world().seed(),
        }
    }
}

/// How a run goes on.
#[derive(Debug)]
pub struct Course {
    /// What it shares with other threads.
    pub shared: Shared,
    /// What is said in the next tick.
    pub pending: Vec<Input>,
    /// Whether somebody is there who answers choices, as it was said last: also what is still to be heard.
    pub is_attended: bool,
    /// How long to wait for the next tick.
    pub pace: FixedTimestep,
    /// Up to when time was counted.
    pub seen: Instant,
    /// How fast it goes.
    pub speed: Speed,
    /// Whether it goes on by itself.
    pub is_playing: bool,
    /// Ticks that are to be run although it stands still.
    pub steps: u64,
    /// Why it does not go on any more.
    pub ended: Option<&'static str>,
    /// The characters that clients were told of.
    pub roster: KnownPeople,
    /// What is known of the game.
    pub marks: GameMarks,
    /// Where a debugger holds it.
    pub stopped: Option<Value>,
    /// Whether something of the state was not told yet.
    pub is_state_old: bool,
    scene: SceneMark,
    scene_drawn: Instant,
    state_told: Instant,
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
    state: DoorState,
    is_locked: bool,
}

impl SceneMark {
    fn of(game: &Game) -> Self {
        let world = game.world();
        let door = |door: &Door| DoorMark { state: door.state, is_locked: door.is_locked };
        Self {
            revision: world.nav().revision().0,
            doors: world.doors().iter().map(door).collect(),
            areas: world.areas().len(),
            reloads: game.reload_count(),
        }
    }
}

impl Course {
    /// That of a level that stands still.
    #[must_use]
    pub fn new(shared: Shared, rate: TickRate, speed: Speed) -> Self {
        let now = Instant::now();
        let mut course = Self {
            shared,
            pending: Vec::new(),
            is_attended: false,
            pace: FixedTimestep::new(rate, 1.0),
            seen: now,
            speed,
            is_playing: false,
            steps: 0,
            ended: None,
            roster: KnownPeople::default(),
            marks: GameMarks::default(),
            stopped: None,
            is_state_old: true,
            scene: SceneMark::default(),
            scene_drawn: now,
            state_told: now,
        };
        course.set_speed(speed, rate);
        course
    }

    /// Whether ticks are to be run.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        self.ended.is_none() && (self.is_playing || self.steps > 0)
    }

    /// Goes on by itself from now on.
    pub fn play(&mut self) {
        (self.is_playing, self.steps, self.seen) = (true, 0, Instant::now());
    }

    /// Goes so fast from now on.
    pub fn set_speed(&mut self, speed: Speed, rate: TickRate) {
        self.speed = speed;
        let times = if let Speed::Times(times) = speed { times } else { 1.0 };
        self.pace = FixedTimestep::new(rate, times);
        self.seen = Instant::now();
    }

    /// Says something in the next tick. Texts that are saved before it are one reload.
    pub fn say(&mut self, input: Input) {
        if let Input::Attend { is_attended } = input {
            (self.is_attended, self.is_state_old) = (is_attended, true);
        }
        match (self.pending.last_mut(), input) {
            (Some(Input::Reload(last)), Input::Reload(new)) => last.merge(new),
            (_, input) => self.pending.push(input),
        }
    }

    /// Tells what a tick came to.
    pub fn took(&mut self, game: &Game, recorded: &Tick) {
        let items = happened::items(game.world(), recorded);
        let rows = roster::rows(game);
        let mut past = self.shared.past.lock();
        past.push(recorded.number, rows);
        past.note(&items);
        drop(past);
        if recorded.number == 0
            || !recorded.reloads.is_empty()
            || recorded.events.iter().any(changes_who_is_there)
        {
            self.tell_roster(game);
        }
        if !items.is_empty() {
            self.tell_items(recorded, &items);
        }
        if game.outcome().is_some() {
            self.ended = Some("finish");
        } else if game.is_memory_exhausted() {
            self.ended = Some("limit");
        }
    }

    /// Tells the roster, where it has changed.
    pub fn tell_roster(&mut self, game: &Game) {
        if let Some(message) = self.roster.update(game) {
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
            let text = walkon_runtime::game::log_text::reloaded(note, "", "");
            clients.tell(&match &note.refused {
                None => json!({ "tell": "reloaded", "tick": recorded.number, "ok": true, "text": text }),
                Some(fault) => json!({
                    "tell": "reloaded", "tick": recorded.number, "ok": false, "text": fault.message,
                    "file": fault.file, "line": fault.line, "message": fault.message,
                }),
            });
        }
    }

    /// Shows clients of the running level where every character is.
    pub fn show(&self, world: &World, clients: &[Arc<Client>]) {
        let mut frame = None;
        for client in clients {
            let frame = frame.get_or_insert_with(|| Arc::new(self.frame(world)));
            let wishes = client.wishes();
            if wishes.tick.is_some() {
                continue;
            }
            client.frame(Arc::clone(frame));
            drop(wishes);
            // At rest nothing follows that would replace an old one.
            if !self.is_moving() || client.wants_overlay() {
                overlay(world, client);
            }
        }
    }

    /// Where every character is: as it was noted after the tick, or, in the middle of one, as it is; that one
    /// is not counted yet.
    fn frame(&self, world: &World) -> Frame {
        let is_held = self.stopped.is_some();
        let flags = if self.is_moving() && !is_held { 0 } else { PAUSED };
        let tick = if is_held { self.marks.tick } else { world.tick().0 };
        let past = self.shared.past.lock();
        let kept = past.newest(tick).filter(|_| !is_held).map(<[_]>::to_vec);
        let rows = kept.unwrap_or_else(|| {
            let before = past.last();
            let is_off = |key: u32| {
                let row = before.binary_search_by_key(&key, |row| row.key);
                row.ok().is_some_and(|at| before[at].state & Stance::SWITCHED_OFF != 0)
            };
            let shown = |row: FrameRow| if is_off(row.key) { row.switched_off() } else { row };
            roster::rows_of(walkon_runtime::game::roster::stances(world)).into_iter().map(shown).collect()
        });
        Frame { tick, flags, rows }
    }

    /// Draws what stands still again, if it does not any more.
    pub fn redraw(&mut self, game: &Game) {
        if self.scene_drawn.elapsed() < SCENE_EVERY {
            return;
        }
        let mark = SceneMark::of(game);
        if mark == self.scene {
            return;
        }
        (self.scene, self.scene_drawn) = (mark, Instant::now());
        for client in self.shared.clients.all().iter().filter(|client| client.wishes().tick.is_none()) {
            self.draw_still(game.world(), client);
        }
    }

    /// Draws for a client what stands still.
    pub fn draw_still(&self, world: &World, client: &Client) {
        let wishes = client.wishes().clone();
        client.tell(&scene(world, &wishes, &self.shared.scenery));
    }

    /// Tells a client all that it has to know.
    pub fn welcome(&self, world: &World, client: &Arc<Client>, hash: Option<u64>) {
        client.tell(&self.welcome_message(world, hash));
        client.tell(&self.roster.whole());
        self.draw_still(world, client);
        self.show(world, std::slice::from_ref(client));
    }

    fn welcome_message(&self, world: &World, hash: Option<u64>) -> Value {
        let bounds = world.nav().bounds();
        let heights = picture::heights_m(world);
        let parts: Vec<&str> =
            walkon_runtime::view::PicturePart::ALL.iter().map(|part| part.name()).collect();
        json!({
            "tell": "welcome", "protocol": 1, "version": env!("CARGO_PKG_VERSION"),
            "level": world.level_name(), "file": &*self.shared.file, "seed": world.seed(),
            "tickRate": world.rate().per_second(),
            "bounds": [bounds.min[0], bounds.min[1], bounds.max[0], bounds.max[1]],
            "heights": heights,
            "projection": if picture::is_isometric(world) { "isometric" } else { "flat" },
            "slants": heights[1] - heights[0] > 0.01,
            "layers": world.nav().layer_count(), "layerNames": world.layer_names(),
            "tiling": picture::tiling_json(world),
            "hasPlayer": world.characters().any(|(_, who)| who.is_player),
            "parts": parts, "behaviours": self.behaviours(),
            "state": self.state(hash),
        })
    }

    /// The behaviours that a new character may get.
    fn behaviours(&self) -> Vec<String> {
        let texts = self.shared.record.lock().texts_now();
        let names = texts.scripts.into_keys().filter(|name| name.starts_with("behaviours/"));
        names.collect()
    }

    /// Whether it is time to tell the state.
    #[must_use]
    pub fn wants_state(&self) -> bool {
        self.is_state_old || self.is_moving() && self.state_told.elapsed() > STATE_EVERY
    }

    /// Tells the state.
    pub fn tell_state(&mut self, hash: Option<u64>) {
        (self.is_state_old, self.state_told) = (false, Instant::now());
        let mut state = self.state(hash);
        state["tell"] = "state".into();
        self.shared.clients.tell(&state);
    }

    fn state(&self, hash: Option<u64>) -> Value {
        let (first, last) = self.shared.past.lock().span().unwrap_or_default();
        let disturbed_from = self.shared.record.lock().disturbed_from;
        // None of them, where even the first tick cannot be run again.
        let kept = match disturbed_from {
            Some(0) => (1, 0),
            Some(from) => (first, last.min(from - 1)),
            None => (first, last),
        };
        let is_playing = self.is_playing && self.ended.is_none() && self.stopped.is_none();
        json!({
            "tick": self.marks.tick, "playing": is_playing, "speed": self.speed.json(),
            "kept": [kept.0, kept.1], "hash": hash.map(|hash| format!("{hash:016x}")),
            "isReproducible": self.marks.is_reproducible,
            "ended": self.ended, "faults": self.marks.faults, "seed": self.marks.seed,
            "attends": self.is_attended, "stopped": self.stopped,
        })
    }
}

/// Whether an event means that a page has to learn names again.
fn changes_who_is_there(event: &Event) -> bool {
    matches!(event, Event::Spawned { .. } | Event::Despawned { .. })
}

/// What stands still, for a client.
#[must_use]
pub fn scene(world: &World, wishes: &crate::client::Wishes, scenery: &Scenery) -> Value {
    let bounds = world.nav().bounds();
    json!({
        "tell": "scene", "tick": world.tick().0, "picture": picture::still(world, wishes, scenery),
        "bounds": [bounds.min[0], bounds.min[1], bounds.max[0], bounds.max[1]],
        "tiling": picture::tiling_json(world),
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
