//! Random commands against a plain table of walks, doors, timers and listeners.
//!
//! Goal: "a walk settles exactly once", "a request about a door is answered exactly once" and "a handler is
//! called when it is due and not otherwise", whatever is asked in whatever order. Method: a level script
//! obeys commands that arrive as inputs, some in step 12, some in the next step 3, and writes a line for
//! whatever it is told. The table below says which lines there must be; only the moment at which somebody
//! arrives is left to the walk, within a bound.
//! `WALKON_COMMANDS=10000000 cargo test --release --test suite model` is the long run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Formatter, Write as _};

use walkon_runtime::base::rng::Rng;
use walkon_runtime::base::value::Plain;
use walkon_runtime::game::inputs::Input;
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};

use crate::long_form::number;

/// Ticks that a door moves for: 0.1 s.
const DOOR_TICKS: u64 = 6;
/// Doors, none of which a character stands in.
const DOORS: usize = 3;
/// Names that characters may have.
const NAMES: usize = 8;
/// Side of the hall, metres.
const SIDE_M: u64 = 20;
/// Ticks within which every walk of the hall is over: 28.3 m at 1.4 m/s, and two seconds to turn.
const WALK_TICKS_MAX: u64 = 1400;
/// Commands of one run.
const COMMANDS: u64 = 5000;

fn level() -> String {
    let mut json = format!(
        r#"{{ "script": "model.lua", "limits": {{ "timersPerOwner": 4096, "handlersPerOwner": 4096,
        "tasksPerOwner": 4096, "logLinesPerTick": 1000 }},
        "navigation": {{ "agentRadius": 0.35, "objectPadding": 0.0, "areas": [
        {{ "name": "hall", "polygon": [[0,0],[{SIDE_M},0],[{SIDE_M},{SIDE_M}],[0,{SIDE_M}]] }}"#
    );
    for door in 0..DOORS {
        let (x, end) = (40 + 4 * door, 41 + 4 * door);
        write!(json, r#", {{ "name": "d{door}", "polygon": [[{x},0],[{end},0],[{end},2],[{x},2]] }}"#)
            .unwrap();
    }
    json.push_str("] }, \"doors\": [");
    for door in 0..DOORS {
        let comma = if door == 0 { "" } else { "," };
        write!(json, r#"{comma}{{ "name": "d{door}", "area": "d{door}", "seconds": 0.1 }}"#).unwrap();
    }
    json.push_str("] }");
    json
}

/// How a script waits for a walk.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Style {
    /// Handlers alone.
    Handlers,
    /// Handlers, and a task that waits for the handle.
    Handle,
    /// `character:walk` in a task of its own, which ends the walk when it ends.
    Task,
}

/// One thing to do. Things that are made carry a number of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Command {
    Spawn { who: usize, x: u64, z: u64 },
    Despawn { who: usize },
    Walk { id: u64, who: usize, x: u64, z: u64, style: Style },
    Chase { id: u64, who: usize, whom: usize },
    Stop { who: usize },
    Teleport { who: usize, x: u64, z: u64 },
    CancelTask { id: u64 },
    Open { id: u64, door: usize },
    Close { id: u64, door: usize },
    Toggle { id: u64, door: usize },
    Set { id: u64, door: usize, open: bool, instant: bool },
    Lock { door: usize },
    Unlock { door: usize },
    After { id: u64, ticks: u64 },
    CancelTimer { id: u64 },
    Listen { id: u64, once: bool },
    Unlisten { id: u64 },
    Emit { id: u64 },
}

impl Display for Command {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Spawn { who, x, z } => write!(out, "spawn c{who} {x} {z}"),
            Self::Despawn { who } => write!(out, "despawn c{who}"),
            Self::Walk { id, who, x, z, style } => write!(out, "walk {id} c{who} {x} {z} {style:?}"),
            Self::Chase { id, who, whom } => write!(out, "chase {id} c{who} c{whom}"),
            Self::Stop { who } => write!(out, "stop c{who}"),
            Self::Teleport { who, x, z } => write!(out, "teleport c{who} {x} {z}"),
            Self::CancelTask { id } => write!(out, "cancelTask {id}"),
            Self::Open { id, door } => write!(out, "open {id} d{door}"),
            Self::Close { id, door } => write!(out, "close {id} d{door}"),
            Self::Toggle { id, door } => write!(out, "toggle {id} d{door}"),
            Self::Set { id, door, open, instant } => write!(out, "set {id} d{door} {open} {instant}"),
            Self::Lock { door } => write!(out, "lock d{door}"),
            Self::Unlock { door } => write!(out, "unlock d{door}"),
            Self::After { id, ticks } => write!(out, "after {id} {ticks}"),
            Self::CancelTimer { id } => write!(out, "cancelTimer {id}"),
            Self::Listen { id, once } => write!(out, "listen {id} {once}"),
            Self::Unlisten { id } => write!(out, "unlisten {id}"),
            Self::Emit { id } => write!(out, "emit {id}"),
        }
    }
}

/// Draws commands that make sense at the time they will be obeyed.
struct Author {
    rng: Rng,
    last: u64,
    alive: BTreeSet<usize>,
    /// Names that are not free before the next tick.
    leaving: BTreeSet<usize>,
    tasks: Vec<u64>,
    timers: Vec<u64>,
    listeners: Vec<u64>,
}

impl Author {
    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn one_of<T: Copy>(rng: &mut Rng, list: &[T]) -> Option<T> {
        (!list.is_empty()).then(|| list[rng.below(list.len() as u64) as usize])
    }

    fn place(&mut self) -> (u64, u64) {
        (1 + self.rng.below(SIDE_M - 2), 1 + self.rng.below(SIDE_M - 2))
    }

    fn someone(&mut self) -> Option<usize> {
        let alive: Vec<usize> = self.alive.iter().copied().collect();
        Self::one_of(&mut self.rng, &alive)
    }

    fn draw(&mut self) -> Option<Command> {
        let door = self.rng.below(DOORS as u64) as usize;
        Some(match self.rng.below(30) {
            0..=2 => {
                let who = self.rng.below(NAMES as u64) as usize;
                if self.alive.contains(&who) || self.leaving.contains(&who) {
                    return None;
                }
                self.alive.insert(who);
                let (x, z) = self.place();
                Command::Spawn { who, x, z }
            }
            3 => {
                let who = self.someone()?;
                self.alive.remove(&who);
                self.leaving.insert(who);
                Command::Despawn { who }
            }
            4..=8 => {
                let (who, id, (x, z)) = (self.someone()?, self.next(), self.place());
                let style = Self::one_of(&mut self.rng, &[Style::Handlers, Style::Handle, Style::Task])?;
                if style == Style::Task {
                    self.tasks.push(id);
                }
                Command::Walk { id, who, x, z, style }
            }
            9 => {
                let (who, whom) = (self.someone()?, self.someone()?);
                if who == whom {
                    return None;
                }
                Command::Chase { id: self.next(), who, whom }
            }
            10 => Command::Stop { who: self.someone()? },
            11 => {
                let (who, (x, z)) = (self.someone()?, self.place());
                Command::Teleport { who, x, z }
            }
            12 | 13 => {
                // Mostly a young one: the old ones are over.
                let young = self.tasks.len().saturating_sub(4);
                Command::CancelTask { id: Self::one_of(&mut self.rng, &self.tasks[young..])? }
            }
            14 | 15 => Command::Open { id: self.next(), door },
            16 | 17 => Command::Close { id: self.next(), door },
            18 => Command::Toggle { id: self.next(), door },
            19 => {
                let (open, instant) = (self.rng.chance(0.5), self.rng.chance(0.5));
                Command::Set { id: self.next(), door, open, instant }
            }
            20 => Command::Lock { door },
            21 => Command::Unlock { door },
            22 | 23 => {
                let id = self.next();
                self.timers.push(id);
                Command::After { id, ticks: self.rng.below(20) }
            }
            24 => {
                let young = self.timers.len().saturating_sub(4);
                Command::CancelTimer { id: Self::one_of(&mut self.rng, &self.timers[young..])? }
            }
            25 if self.listeners.len() < 8 => {
                let (id, once) = (self.next(), self.rng.chance(0.3));
                self.listeners.push(id);
                Command::Listen { id, once }
            }
            26 => {
                let id = Self::one_of(&mut self.rng, &self.listeners)?;
                self.listeners.retain(|&other| other != id);
                Command::Unlisten { id }
            }
            _ => Command::Emit { id: self.next() },
        })
    }

    /// What is obeyed in one phase.
    fn draw_some(&mut self) -> Vec<Command> {
        let count = self.rng.below(5);
        (0..count).filter_map(|_| self.draw()).collect()
    }
}

/// A walk of the table.
#[derive(Debug)]
struct Walk {
    id: u64,
    style: Style,
    whom: Option<usize>,
    since: u64,
}

/// A request about a door.
#[derive(Debug, Default)]
struct ModelRequest {
    ids: Vec<u64>,
    open: bool,
    instant: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum DoorState {
    Open,
    Opening,
    #[default]
    Closed,
    Closing,
}

#[derive(Debug, Default)]
struct Door {
    state: DoorState,
    left: u64,
    locked: bool,
    request: Option<ModelRequest>,
}

/// The plain table: who walks, what each door does, which handlers are due.
#[derive(Debug, Default)]
struct Model {
    tick: u64,
    /// Walks under way, by character.
    walks: BTreeMap<usize, Walk>,
    doors: [Door; DOORS],
    /// Timers that are not over, with the tick they are due in.
    timers: BTreeMap<u64, u64>,
    listeners: Vec<(u64, bool)>,
    emitted: Vec<u64>,
    /// Tasks that begin at the end of the step, with what they will do.
    beginning: Vec<(u64, usize)>,
    /// Lines to come in this tick, by the thing they are about.
    expected: BTreeMap<String, Vec<String>>,
}

impl Model {
    fn expect(&mut self, key: String, line: impl Into<String>) {
        self.expected.entry(key).or_default().push(line.into());
    }

    /// The lines of a walk that is over: its handler, the one for all ends, tasks that wait.
    fn settle(&mut self, walk: &Walk, handler: &str, end: &str, is_task_gone: bool) {
        let key = format!("w{}", walk.id);
        self.expect(key.clone(), format!("{handler} {end}"));
        self.expect(key.clone(), format!("onSettled {end}"));
        match walk.style {
            Style::Handlers => {}
            Style::Handle => self.expect(key, format!("waited {end}")),
            Style::Task if is_task_gone => {}
            Style::Task => self.expect(key, format!("task {end}")),
        }
    }

    fn cancel(&mut self, who: usize, reason: &str) {
        if let Some(walk) = self.walks.remove(&who) {
            self.settle(&walk, "onCancelled", &format!("cancelled/{reason}"), false);
        }
    }

    fn begin(&mut self, who: usize, walk: Walk) {
        self.cancel(who, "superseded");
        self.walks.insert(who, walk);
    }

    fn obey(&mut self, command: Command) {
        let since = self.tick;
        match command {
            Command::Spawn { .. } => {}
            Command::Despawn { who } => {
                self.cancel(who, "despawned");
                let chasing = |(&by, walk): (&usize, &Walk)| (walk.whom == Some(who)).then_some(by);
                let chasers: Vec<usize> = self.walks.iter().filter_map(chasing).collect();
                for by in chasers {
                    self.cancel(by, "targetGone");
                }
                self.beginning.retain(|&(_, walker)| walker != who);
            }
            Command::Walk { id, who, style: Style::Task, .. } => self.beginning.push((id, who)),
            Command::Walk { id, who, style, .. } => {
                self.begin(who, Walk { id, style, whom: None, since });
            }
            Command::Chase { id, who, whom } => {
                self.begin(who, Walk { id, style: Style::Handlers, whom: Some(whom), since });
            }
            Command::Stop { who } | Command::Teleport { who, .. } => self.cancel(who, "stopped"),
            Command::CancelTask { id } => self.cancel_task(id),
            Command::Open { id, door } => self.open(id, door),
            Command::Close { id, door } => self.request(id, door, false, false),
            Command::Toggle { id, door } => {
                if self.is_opening(door) {
                    self.request(id, door, false, false)
                } else {
                    self.open(id, door)
                }
            }
            Command::Set { id, door, open, instant } => self.request(id, door, open, instant),
            Command::Lock { door } => {
                if !std::mem::replace(&mut self.doors[door].locked, true) {
                    self.expect(format!("d{door}"), "locked");
                }
            }
            Command::Unlock { door } => {
                if std::mem::replace(&mut self.doors[door].locked, false) {
                    self.expect(format!("d{door}"), "unlocked");
                }
            }
            Command::After { id, ticks } => {
                self.timers.insert(id, self.tick + ticks.max(1));
            }
            Command::CancelTimer { id } => {
                self.timers.remove(&id);
            }
            Command::Listen { id, once } => self.listeners.push((id, once)),
            Command::Unlisten { id } => self.listeners.retain(|&(other, _)| other != id),
            Command::Emit { id } => self.emitted.push(id),
        }
    }

    fn cancel_task(&mut self, id: u64) {
        self.beginning.retain(|&(other, _)| other != id);
        let walking = self.walks.iter().find(|(_, walk)| walk.id == id).map(|(&who, _)| who);
        if let Some(walk) = walking.and_then(|who| self.walks.remove(&who)) {
            self.settle(&walk, "onCancelled", "cancelled/ownerGone", true);
        } else if let Some(lines) = self.expected.get_mut(&format!("w{id}")) {
            // It has settled in this tick and has not heard of it.
            lines.retain(|line| !line.starts_with("task"));
        }
    }

    /// Tasks that were started in this step begin at its end.
    fn begin_tasks(&mut self) {
        for (id, who) in std::mem::take(&mut self.beginning) {
            self.begin(who, Walk { id, style: Style::Task, whom: None, since: self.tick });
        }
    }

    fn is_opening(&self, door: usize) -> bool {
        let door = &self.doors[door];
        match &door.request {
            Some(request) => request.open,
            None => matches!(door.state, DoorState::Open | DoorState::Opening),
        }
    }

    fn answer(&mut self, ids: &[u64], reason: &str) {
        for id in ids {
            self.expect(format!("m{id}"), reason);
        }
    }

    fn open(&mut self, id: u64, door: usize) {
        if self.doors[door].locked && !self.is_opening(door) {
            self.expect(format!("d{door}"), "refused");
            self.answer(&[id], "locked");
        } else {
            self.request(id, door, true, false);
        }
    }

    fn request(&mut self, id: u64, door: usize, open: bool, instant: bool) {
        let older = self.doors[door].request.take();
        let mut request = ModelRequest { ids: Vec::new(), open, instant };
        match older {
            Some(older) if older.open == open => {
                request.ids = older.ids;
                request.instant |= older.instant;
            }
            Some(older) => self.answer(&older.ids, "cancelled"),
            None => {}
        }
        let rest = if open { DoorState::Open } else { DoorState::Closed };
        if self.doors[door].state == rest {
            self.answer(&[id], "already");
        } else {
            request.ids.push(id);
            self.doors[door].request = Some(request);
        }
    }

    /// Step 4.
    fn move_doors(&mut self) {
        for index in 0..DOORS {
            let Some(request) = self.doors[index].request.take() else {
                continue;
            };
            let (rest, moving, goal) = if request.open {
                (DoorState::Closed, DoorState::Opening, DoorState::Open)
            } else {
                (DoorState::Open, DoorState::Closing, DoorState::Closed)
            };
            let door = &mut self.doors[index];
            let begins = door.state != moving;
            door.left = match (request.instant, begins) {
                (true, _) => 0,
                (false, false) => door.left - 1,
                (false, true) if door.state == rest => DOOR_TICKS,
                (false, true) => DOOR_TICKS - door.left,
            };
            door.state = if door.left == 0 { goal } else { moving };
            let is_over = door.left == 0;
            let (begun, ended) = if request.open { ("opening", "opened") } else { ("closing", "closed") };
            if begins {
                self.expect(format!("d{index}"), begun);
            }
            if is_over {
                self.expect(format!("d{index}"), ended);
                self.answer(&request.ids, "done");
            } else {
                self.doors[index].request = Some(request);
            }
        }
    }

    /// Timers that are due, at the head of step 3.
    fn run_timers(&mut self) {
        let tick = self.tick;
        let due: Vec<u64> = self.timers.iter().filter(|&(_, &at)| at == tick).map(|(&id, _)| id).collect();
        for id in due {
            self.timers.remove(&id);
            self.expect(format!("t{id}"), "");
        }
    }

    /// What was emitted reaches those who listen once everything asked in step 12 has been obeyed.
    fn deliver(&mut self) {
        for id in std::mem::take(&mut self.emitted) {
            for (listener, _) in self.listeners.clone() {
                self.expect(format!("l{listener}"), format!("e{id}"));
            }
            self.listeners.retain(|&(_, once)| !once);
        }
    }

    /// A character has arrived, as the lines say: it must have been on its way.
    fn arrive(&mut self, lines: &[(String, String)]) {
        for (key, line) in lines.iter().filter(|(_, line)| line.starts_with("onArrived")) {
            let id: u64 = key[1..].parse().unwrap();
            let who = self.walks.iter().find(|(_, walk)| walk.id == id).map(|(&who, _)| who);
            let walk = who.and_then(|who| self.walks.remove(&who));
            let walk = walk.unwrap_or_else(|| panic!("{key} arrived and was not on its way"));
            let words: Vec<&str> = line.split(' ').collect();
            assert!(["arrived/reached", "arrived/alreadyThere"].contains(&words[1]), "{key} {line}");
            let radius_m = if walk.whom.is_some() { 1.35 } else { 0.05 };
            assert!(words[2].parse::<f64>().unwrap() <= radius_m + 0.002, "{key} {line}");
            self.settle(&walk, "onArrived", words[1], false);
        }
        let late =
            self.walks.values().find(|walk| walk.whom.is_none() && self.tick > walk.since + WALK_TICKS_MAX);
        assert!(late.is_none(), "{late:?} never ends");
    }

    /// The lines there must be, without the distances.
    fn check(&mut self, lines: &[(String, String)]) {
        let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (key, line) in lines {
            let known: Vec<&str> = line.split(' ').take(2).collect();
            told.entry(key.clone()).or_default().push(known.join(" "));
        }
        assert_eq!(told, std::mem::take(&mut self.expected), "in tick {}", self.tick);
    }
}

fn input(name: &str, commands: &[Command]) -> Input {
    let lines = commands.iter().map(|command| Plain::Text(command.to_string())).collect();
    Input::Event { name: name.to_owned(), payload: Some(Plain::List(lines)) }
}

/// Log lines by the thing they are about; a fault fails the test.
fn told(lines: &[String]) -> Vec<(String, String)> {
    let tell = |line: &String| {
        let fact: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_ne!(fact["e"], "scriptFault", "{line}");
        let message = (fact["e"] == "log").then(|| fact["message"].as_str())??;
        let (key, rest) = message.split_once(' ').unwrap_or((message, ""));
        Some((key.to_owned(), rest.to_owned()))
    };
    lines.iter().filter_map(tell).collect()
}

/// Obeys `commands` random commands; how many there were.
fn run(seed: u64, commands: u64) -> u64 {
    let source = MemorySource::new().with("model.json", level().as_str());
    let level = load("model.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
    let recorder = Recorder::new(RecordOptions { trace: true, ..RecordOptions::default() });
    let scripts = BTreeMap::from([("model.lua".to_owned(), include_str!("model.lua").to_owned())]);
    let mut game = Game::load(level, Setup { scripts, recorder, ..Setup::default() }).unwrap();
    let mut author = Author {
        rng: Rng::stream(seed, "model"),
        last: 0,
        alive: BTreeSet::new(),
        leaving: BTreeSet::new(),
        tasks: Vec::new(),
        timers: Vec::new(),
        listeners: Vec::new(),
    };
    let mut model = Model::default();
    let mut later: Vec<Command> = Vec::new();
    let mut obeyed = 0;
    while obeyed < commands {
        let now = author.draw_some();
        author.leaving.clear();
        let next = author.draw_some();
        author.leaving.clear();
        obeyed += (now.len() + later.len()) as u64;
        let recorded = game.tick(&[input("now", &now), input("later", &next)]);
        let lines = told(&recorded.lines);
        model.tick += 1;
        model.run_timers();
        later.iter().for_each(|&command| model.obey(command));
        model.begin_tasks();
        model.move_doors();
        model.arrive(&lines);
        now.iter().for_each(|&command| model.obey(command));
        model.begin_tasks();
        model.deliver();
        model.check(&lines);
        later = next;
    }
    let lines = told(&game.end().lines);
    for walk in std::mem::take(&mut model.walks).into_values() {
        model.settle(&walk, "onCancelled", "cancelled/levelEnd", true);
    }
    let told: BTreeSet<&String> =
        lines.iter().filter(|(key, _)| key.starts_with('w')).map(|(key, _)| key).collect();
    let open: Vec<&String> = model.expected.keys().filter(|key| key.starts_with('w')).collect();
    assert_eq!(told.into_iter().collect::<Vec<_>>(), open, "what ends with the level");
    obeyed
}

#[test]
fn random_commands_come_out_as_in_the_table() {
    let wanted = number("WALKON_COMMANDS", 40_000);
    let mut obeyed = 0;
    for seed in 0.. {
        if obeyed >= wanted {
            break;
        }
        println!("seed {seed}");
        obeyed += run(seed, COMMANDS);
    }
}
