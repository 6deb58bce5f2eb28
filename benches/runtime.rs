//! What the script side of a tick costs when there is much of everything.
//!
//! Goal: to see what the scheduler adds to the calls themselves. Method: a hall full of characters, one kind
//! of work at a time; the steps of scripts are timed (3 for `update`, timers and tasks, 12 for callbacks and
//! events) in the time of the thread, the median of the ticks counts. Beside it stands a bare mlua loop that
//! makes the same calls, as a good author would write it without walkon: tables for `self`, userdata for
//! characters with fields and methods of mlua, a coroutine only where something waits; no fuel, no owners, no
//! errors with places.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Instant;

use cpu_time::ThreadTime;
use mlua::{Function, Lua, Table, UserData, UserDataFields, UserDataMethods, Vector};
use walkon_runtime::game::inputs::{Input, Reload};
use walkon_runtime::game::{Game, Setup, TickStep};
use walkon_runtime::level::{MemorySource, load};

/// Ticks that are measured, after as many that warm up.
const TICKS: usize = 60;

/// A hall with `characters`, each with the behaviour `npc` if that is wanted, and a level script.
fn level(characters: usize, has_behaviour: bool) -> String {
    let behaviour = if has_behaviour { r#", "behaviour": "npc.lua""# } else { "" };
    let mut json = String::from(
        r#"{ "script": "level.lua", "limits": { "eventsPerTick": 65536, "fuelPerTick": 8000000, "handlersPerOwner": 4096 }, "navigation": { "areas": [ { "name": "hall",
        "polygon": [[0,0],[210,0],[210,210],[0,210]] } ] }, "characters": ["#,
    );
    for index in 0..characters {
        let (x, z) = (2 + index % 100 * 2, 2 + index / 100 * 2);
        let comma = if index == 0 { "" } else { "," };
        write!(json, r#"{comma}{{ "name": "c{index}", "position": [{x},{z}]{behaviour} }}"#).unwrap();
    }
    json.push_str("] }");
    json
}

fn game(characters: usize, behaviour: Option<&str>, script: &str) -> Game {
    let json = level(characters, behaviour.is_some());
    let source = MemorySource::new().with("hall.json", json.as_str());
    let level = load("hall.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
    let mut scripts = BTreeMap::from([("level.lua".to_owned(), script.to_owned())]);
    if let Some(behaviour) = behaviour {
        scripts.insert("npc.lua".to_owned(), behaviour.to_owned());
    }
    Game::load(level, Setup { scripts, ..Setup::default() }).unwrap()
}

/// Median microseconds of `step` over the ticks.
fn step_us(game: &mut Game, step: TickStep) -> f64 {
    let mut spent = Vec::new();
    for tick in 0..2 * TICKS {
        let mut last = ThreadTime::now();
        let mut took = 0.0;
        game.tick_watched(&[], &mut |done| {
            let now = ThreadTime::now();
            if done == step {
                took = now.duration_since(last).as_nanos() as f64 / 1e3;
            }
            last = now;
        });
        if tick >= TICKS {
            spent.push(took);
        }
    }
    assert_eq!(game.fault_count(), 0, "no script may fault while it is measured");
    median(spent)
}

fn median(mut spent: Vec<f64>) -> f64 {
    spent.sort_by(f64::total_cmp);
    spent[spent.len() / 2]
}

/// Median microseconds of one turn of a bare loop.
fn bare_us(mut turn: impl FnMut()) -> f64 {
    let time = |turn: &mut dyn FnMut()| {
        let begun = ThreadTime::now();
        turn();
        begun.elapsed().as_nanos() as f64 / 1e3
    };
    (0..TICKS).for_each(|_| turn());
    median((0..TICKS).map(|_| time(&mut turn)).collect())
}

/// Median microseconds of one turn of a bare loop with `rest` of a tick before each.
fn bare_between_us(mut turn: impl FnMut(), mut rest: impl FnMut()) -> f64 {
    let mut time = || {
        rest();
        let begun = ThreadTime::now();
        turn();
        begun.elapsed().as_nanos() as f64 / 1e3
    };
    median((0..2 * TICKS).map(|_| time()).skip(TICKS).collect())
}

fn show(name: &str, count: usize, ours_us: f64, bare_us: f64) {
    let each = |us: f64| us * 1e3 / count as f64;
    println!(
        "| {name} | {:.2} | {:.0} | {:.0} | {:.2} |",
        ours_us / 1e3,
        each(ours_us),
        each(bare_us),
        ours_us / bare_us
    );
}

/// What a bare host would give scripts as a character.
struct Npc {
    position: Vector,
    id: u64,
}

impl UserData for Npc {
    fn add_fields<F: UserDataFields<Self>>(fields: &mut F) {
        fields.add_field_method_get("position", |_, npc| Ok(npc.position));
        fields.add_field_method_get("id", |_, npc| Ok(npc.id));
    }

    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_method("isMoving", |_, _, ()| Ok(false));
        methods.add_method("distanceTo", |_, npc, other: mlua::UserDataRef<Npc>| {
            let (dx, dz) = (npc.position.x() - other.position.x(), npc.position.z() - other.position.z());
            Ok((dx * dx + dz * dz).sqrt())
        });
    }
}

fn bare_behaviours(source: &str, count: usize) -> BareLoop {
    let lua = Lua::new();
    let class: Table = lua.load(source).eval().unwrap();
    let update: Function = class.get("update").unwrap();
    lua.sandbox(true).unwrap();
    let npcs: Vec<mlua::AnyUserData> = (0..count)
        .map(|index| Npc { position: Vector::new(index as f32, 0.0, 0.0), id: index as u64 })
        .map(|npc| lua.create_userdata(npc).unwrap())
        .collect();
    let selves: Vec<Table> = (0..count)
        .map(|index| {
            let this = lua.create_table().unwrap();
            this.set("character", &npcs[index]).unwrap();
            this.set("other", &npcs[index * 7919 % count]).unwrap();
            this.set("state", lua.create_table().unwrap()).unwrap();
            this
        })
        .collect();
    let mut turn = || selves.iter().for_each(|this| update.call::<()>((this, 1.0 / 60.0)).unwrap());
    let alone_us = bare_us(&mut turn);
    let mut crowd = game(count, None, "");
    let in_ticks_us = bare_between_us(&mut turn, || drop(crowd.tick(&[])));
    BareLoop { alone_us, in_ticks_us }
}

/// What a turn of the bare loop takes.
struct BareLoop {
    /// One turn after another, with nothing in between: everything is in the caches.
    alone_us: f64,
    /// One turn in each tick of a game that has as many characters and no scripts: the world that a host of
    /// any kind has to move between two turns.
    in_ticks_us: f64,
}

fn behaviours() {
    let cases = [
        ("`update` that does nothing", "return { update = function(self, dt) end }"),
        (
            "`update` with state of its own",
            "return { update = function(self, dt) local s = self.state s.t = (s.t or 0) + dt end }",
        ),
        (
            "`update` with three questions",
            "return { update = function(self, dt) local c = self.character
             self.state.x = c.position.x + c.id self.state.moving = c:isMoving() end }",
        ),
        (
            "`update` with positions and distances",
            "return { init = function(self) self.other = world.character('c' .. (self.character.id * 7919) % 10000) end,
             update = function(self, dt) local c = self.character local p = c.position
             self.d = c:distanceTo(self.other) + p.x end }",
        ),
    ];
    for (name, source) in cases {
        let mut game = game(10_000, Some(source), "");
        let ours = step_us(&mut game, TickStep::Scripts);
        let bare = bare_behaviours(source, 10_000);
        show(&format!("10,000 behaviours, {name}"), 10_000, ours, bare.in_ticks_us);
        show(&format!("the same, the bare loop alone, {name}"), 10_000, ours, bare.alone_us);
    }
}

fn sleepers() {
    // A hundred tasks for each of a hundred characters.
    let tasks = |wait: &str| {
        format!(
            "return {{ start = function(self) for i = 1, 100 do
             task.spawn(function() while true do {wait} end end) end end }}"
        )
    };
    let idle = step_us(&mut game(100, Some("return {}"), ""), TickStep::Scripts);
    let ours = step_us(&mut game(100, Some(&tasks("task.sleep(1000)")), ""), TickStep::Scripts);
    println!("| 10,000 tasks asleep | {:.4} | | | {:.2} of a tick without tasks |", ours / 1e3, ours / idle);
    let ours = step_us(&mut game(100, Some(&tasks("task.ticks(1)")), ""), TickStep::Scripts);
    let lua = Lua::new();
    let body: Function =
        lua.load("return function() while true do coroutine.yield() end end").eval().unwrap();
    let threads: Vec<_> = (0..10_000).map(|_| lua.create_thread(body.clone()).unwrap()).collect();
    let bare = bare_us(|| threads.iter().for_each(|thread| thread.resume::<()>(()).unwrap()));
    show("10,000 tasks that wait a tick", 10_000, ours, bare);
}

fn callbacks() {
    // Everybody is where he is to go: a thousand walks settle in every tick.
    let script = "local count = 0
        local function arrived(result) count += result.ticks end
        function onTick() for _, c in ipairs(world.characters()) do c:walkTo(c.position, { onArrived = arrived }) end end";
    let ours = step_us(&mut game(1000, None, script), TickStep::Events);
    let lua = Lua::new();
    let arrived: Function =
        lua.load("local count = 0 return function(result) count += result.ticks end").eval().unwrap();
    let body: Function = lua.load("local f = ... return function(r) f(r) end").call(arrived).unwrap();
    let bare = bare_us(|| {
        for index in 0..1000 {
            let result = lua.create_table().unwrap();
            for key in ["ok", "status", "reason", "walk", "character", "position", "goal", "remaining"] {
                result.raw_set(key, index).unwrap();
            }
            for key in ["travelled", "ticks", "repaths", "by", "detail"] {
                result.raw_set(key, index).unwrap();
            }
            lua.create_thread(body.clone()).unwrap().resume::<()>(result).unwrap();
        }
    });
    show("1,000 callbacks of walks", 1000, ours, bare);
}

/// What of a tick is left when the same without the calls that count is taken off, of 1,000 characters.
fn verbs() {
    let all = |body: &str| {
        format!(
            "local list local function f(result) end function onStart() list = world.characters() end
            function onTick() for _, c in ipairs(list) do {body} end end"
        )
    };
    let loops = step_us(&mut game(1000, None, &all("local p = 1")), TickStep::Scripts);
    let positions = step_us(&mut game(1000, None, &all("local p = c.position")), TickStep::Scripts);
    println!("| `character.position` | | {:.0} | | |", positions - loops);
    let walks =
        step_us(&mut game(1000, None, &all("c:walkTo(c.position, { onArrived = f })")), TickStep::Scripts);
    println!("| `walkTo(position, {{ onArrived = f }})` | | {:.0} | | |", walks - positions);
}

fn events() {
    let script = "local count = 0
        function onStart() for i = 1, 1000 do event.on('beat', function(e) count += e.n end) end end
        function onTick() event.emit('beat', { n = 1 }) end";
    let ours = step_us(&mut game(1, None, script), TickStep::Events);
    let lua = Lua::new();
    let make: Function =
        lua.load("local count = 0 return function() return function(e) count += e.n end end").eval().unwrap();
    let make: Function = make.call(()).map_or(make.clone(), |_: Function| make);
    let handlers: Vec<Function> = (0..1000).map(|_| make.call(()).unwrap()).collect();
    let bare = bare_us(|| {
        let payload = lua.create_table().unwrap();
        payload.raw_set("n", 1).unwrap();
        for handler in &handlers {
            lua.create_thread(handler.clone()).unwrap().resume::<()>(&payload).unwrap();
        }
    });
    show("one event to 1,000 handlers", 1000, ours, bare);
}

/// A module of some size; `turn` makes its text another one.
fn module(turn: usize) -> String {
    let mut text = format!("local module = {{ turn = {turn} }}\n");
    for function in 0..20 {
        write!(
            text,
            "function module.f{function}(a, b)\n  if a > b then return a - b end\n  return {{ a, b }}\nend\n"
        )
        .unwrap();
    }
    text.push_str("return module\n");
    text
}

fn reload() {
    let script = "for i = 1, 50 do require('lib/m' .. i) end function onStart() end";
    let source = MemorySource::new().with("hall.json", level(1, false).as_str());
    let level = load("hall.json", &source).unwrap_or_else(|refused| panic!("{refused:?}"));
    let mut scripts = BTreeMap::from([("level.lua".to_owned(), script.to_owned())]);
    scripts.extend((1..=50).map(|index| (format!("lib/m{index}.lua"), module(0))));
    let mut game = Game::load(level, Setup { scripts, ..Setup::default() }).unwrap();
    let mut spent = Vec::new();
    for turn in 1..=TICKS {
        let scripts = (1..=50).map(|index| (format!("lib/m{index}.lua"), Some(module(turn)))).collect();
        let input = Input::Reload(Reload { scripts, level: None });
        let begun = Instant::now();
        game.tick(&[input]);
        spent.push(begun.elapsed().as_nanos() as f64 / 1e3);
    }
    assert_eq!(game.reload_count(), TICKS as u64, "every reload took effect");
    let lua = Lua::new();
    lua.sandbox(true).unwrap();
    let mut turn = 0;
    let bare = bare_us(|| {
        turn += 1;
        let text = module(turn);
        (0..50).for_each(|_| drop(lua.load(&text).eval::<Table>().unwrap()));
    });
    show("reload of 50 modules", 50, median(spent), bare);
}

fn main() {
    // Names of parts to measure; all without any.
    let asked: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let parts: [(&str, fn()); 6] = [
        ("behaviours", behaviours),
        ("tasks", sleepers),
        ("callbacks", callbacks),
        ("events", events),
        ("verbs", verbs),
        ("reload", reload),
    ];
    println!("| work of one tick | ms | ns each | bare mlua ns | ratio |\n|---|---|---|---|---|");
    for (name, measure) in parts {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            measure();
        }
    }
}
