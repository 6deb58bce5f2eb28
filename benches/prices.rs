//! What a unit of fuel buys: microseconds of work for each unit, function by function.
//!
//! Goal: that no function does much for little, so that fuel ends a call before its time does. Method: a
//! timer calls one function over and over until its fuel is spent; the tick in which that happens is timed,
//! the fastest of three fresh games counts. First come the examples of the table of entries, then calls with
//! arguments as wide as they may be, and questions to maps of the size that games have.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{MemorySource, load};
use walkon_runtime::script::bind;
use walkon_runtime::script::bind::table::Binding;

/// Units of fuel of one call at the defaults.
const CALL_UNITS: f64 = 100_000.0;

/// Work for a unit that is still right, microseconds.
const AIM_US: f64 = 2.0;

const LEVEL: &str = r#"{ "name": "courtyard", "script": "level.lua", "limits": { "watchdogMs": 60000 },
  "navigation": { "agentRadius": 0.35, "objectPadding": 0.0,
    "areas": [
      { "name": "yard", "polygon": [[0,0],[20,0],[20,12],[0,12]] },
      { "name": "gateway", "polygon": [[20,5],[21,5],[21,7],[20,7]], "available": false },
      { "name": "inner", "polygon": [[21,0],[34,0],[34,12],[21,12]] }
    ] },
  "doors": [ { "name": "gate", "area": "gateway", "seconds": 0.5 } ],
  "marks": { "post": [3, 3], "gate": { "position": [18, 6], "facingDegrees": 90 }, "throne": [32, 6] },
  "routes": { "rounds": ["gate", "post", [5, 9]] },
  "regions": [ { "name": "hall", "polygon": [[24,2],[32,2],[32,10],[24,10]] } ],
  "characters": [
    { "name": "guard", "position": [6, 6], "tags": ["watch"] },
    { "name": "player", "position": [10, 6], "player": true }
  ] }"#;

const TILES: &str = r##"{ "name": "meadow", "script": "level.lua", "limits": { "watchdogMs": 60000 },
  "navigation": { "kind": "tiles",
    "legend": { ",": { "terrain": "grass" }, "~": { "terrain": "water" }, "b": { "area": "yard", "terrain": "grass" },
      "D": { "area": "gateway" } },
    "layers": [ { "name": "ground", "rows": [
      ",,,,,,,,,,,,~~,,,,,,,,", ",,,,,,,,,,,,~~,,,,,,,,", ",,,,,,,,,,,,~~,,,,,,,,", ",,,,,,,,,,,,~~,,####,,",
      ",,bb,,,,,,,,~~,,#..#,,", ",,bb,,,,,,,,~~,,D..#,,", ",,,,,,,,,,,,~~,,####,,", ",,,,,,,,,,,,,,,,,,,,,,"] } ] },
  "doors": [ { "name": "gate", "area": "gateway", "seconds": 0.5 } ],
  "marks": { "post": [3, 3], "gate": { "position": [14.5, 5.5], "facingDegrees": 90 }, "throne": [18, 5] },
  "characters": [
    { "name": "guard", "position": [6, 6], "tags": ["watch"] }, { "name": "player", "position": [10, 6], "player": true }
  ] }"##;

const GRAPH: &str = r#"{ "name": "ridge", "script": "level.lua", "limits": { "watchdogMs": 60000 },
  "navigation": { "kind": "graph", "width": 0.3, "agentRadius": 0.4,
    "points": [[3, 0, 3], [6, 0, 6], [10, 0, 6], [14.5, 0, 6.5], [18, 0, 6]],
    "links": [[0, 1], [1, 2], [2, 3], [3, 4]],
    "areas": [ { "name": "gateway", "polygon": [[14, 6], [15, 6], [15, 7], [14, 7]] } ] },
  "doors": [ { "name": "gate", "area": "gateway", "seconds": 0.5 } ],
  "marks": { "post": [3, 3], "gate": { "position": [14.5, 6.5], "facingDegrees": 90 }, "throne": [18, 6] },
  "characters": [
    { "name": "guard", "position": [6, 6], "tags": ["watch"] }, { "name": "player", "position": [10, 6], "player": true }
  ] }"#;

/// What the wide calls use.
const WIDE_SETUP: &str = "
local wide, list, numbers, stops, keys, items = {}, {}, {}, {}, {}, {}
for i = 1, 1000 do wide['key' .. i] = i list[i] = 'text' .. i numbers[i] = i * 7919 % 1000 items[i] = { item = i, weight = i } end
for i = 1, 1024 do stops[i] = vector.create(3 + i % 2, 0, 3) end
for i = 1, 64 do keys[i] = 'k' .. i end
local long = ('x'):rep(1000000)
local bytes = buffer.fromstring(long)
local middling = ('x'):rep(60000)
local values = table.create(7000, 1)
local function taken(...) end
local function given(...) return ... end
local function handedOn(...) for i = 1, 100 do taken(...) end end
local function greatest(...) for i = 1, 100 do local most = math.max(...) end end
local function protected(...) for i = 1, 100 do pcall(taken, ...) end end
local function resumed(...)
  local one = coroutine.wrap(function(...) while true do coroutine.yield(...) end end)
  for i = 1, 100 do one(...) end
end
local function deeper(n, ...) if n == 0 then return 0 end return (deeper(n - 1, n, ...)) end
";

/// What calls with texts use that make every step of a script more expensive; so nothing else is measured
/// beside them.
const EXPENSIVE_SETUP: &str = "
local digits = ('1'):rep(4000)
";
const TWINS_SETUP: &str = "
local one, other = ('x'):rep(1000000) .. 'a', ('x'):rep(1000000) .. 'b'
";

/// Calls as wide as they may be, by what they show.
const WIDE: &[(&str, &str)] = &[
    ("event.emit, 1000 keys", "event.emit('x', wide)"),
    ("event.emit, 200 kB", "event.emit('x', long:sub(1, 200000))"),
    ("event.send, 1000 keys", "event.send(guard, 'x', wide)"),
    ("Blackboard:set, 1000 keys", "blackboard.level:set('k', wide)"),
    ("timer.after, 1000 keys", "timer.after(9, function() end, wide):cancel()"),
    ("Character:walkTo, 1024 via", "guard:walkTo('post', { via = stops })"),
    ("Character:walkTo, 64 keys", "guard:walkTo('post', { keys = keys, doors = 'open' })"),
    ("Character:walkTo, a function each", "guard:walkTo('post', { onArrived = function() end })"),
    ("Character:patrol, 1024 stops", "guard:patrol(stops)"),
    ("world.spawn and despawn", "world.spawn({ name = 'n' .. turn, at = 'post' }):despawn()"),
    ("nav.findPath, far", "nav.findPath('post', vector.create(19, 0, 1))"),
    ("nav.findPath, another body each", "nav.findPath('post', 'gate', { radius = 0.1 + turn % 999 / 1000 })"),
    ("nav.nearest", "nav.nearest(vector.create(100, 0, 100))"),
    ("nav.block and remove", "nav.block('gate', 3):remove()"),
    ("unknown name", "pcall(nav.mark, 'gatte')"),
    ("unknown name, 1 MB", "pcall(nav.mark, long)"),
    ("require of 1 MB", "pcall(require, long)"),
    ("Rng:shuffle, 1000", "rng.stream('x'):shuffle(list)"),
    ("Rng:weighted, 1000", "rng.stream('x'):weighted(items)"),
    ("string.rep, 1 MB", "local r = ('ab'):rep(500000)"),
    ("string.sub, 1 MB", "local r = long:sub(1, -2)"),
    ("string.find, 60 kB", "local r = middling:find('x*y')"),
    ("string.gsub, 60 kB", "local r = middling:gsub('x', 'y')"),
    ("string.format, 100 kB", "local r = ('%s%s'):format(middling, middling)"),
    ("string.split, 60 kB", "local r = middling:split('x')"),
    ("string.byte, 8000", "local r = middling:byte(1, 8000)"),
    ("string.upper, 1 MB", "local r = long:upper()"),
    ("string.unpack, 1 MB", "local r = ('c1000000'):unpack(long)"),
    ("buffer.tostring, 1 MB", "local r = buffer.tostring(bytes)"),
    ("buffer.fill, 1 MB", "buffer.fill(bytes, 0, 120)"),
    ("text .. text, 1 MB", "local r = long:sub(1, 500000) .. turn"),
    ("table.sort, 1000", "table.sort(table.clone(numbers))"),
    ("table.sort, 1000 texts", "table.sort(table.clone(list))"),
    ("table.concat, 1000", "local r = table.concat(list, ', ')"),
    ("table.clone, 1000", "local r = table.clone(wide)"),
    ("table.move, 1000", "table.move(numbers, 1, 1000, 2, {})"),
    ("table.unpack, 1000", "local r = table.unpack(numbers)"),
    ("table.insert in front, 1000", "table.insert(numbers, 1, 1) table.remove(numbers, 1)"),
    ("table.create, 100000", "local r = table.create(100000, 1)"),
    ("pairs, 1000", "for key in wide do end"),
    ("utf8.len, 1 MB", "local r = utf8.len(long)"),
    ("log.debug, 60 kB", "log.debug('%s', middling)"),
    ("print, 60 kB", "print(middling)"),
    ("calls of 7000 values", "handedOn(table.unpack(values))"),
    ("7000 values given back", "given(given(given(table.unpack(values))))"),
    ("math.max of 7000", "greatest(table.unpack(values))"),
    ("pcall with 7000", "protected(table.unpack(values))"),
    ("coroutine with 7000", "resumed(table.unpack(values))"),
    ("a host function with 7000", "pcall(nav.mark, table.unpack(values))"),
    ("calls 1200 deep, a value more in each", "deeper(1200)"),
    ("an error in a coroutine", "pcall(coroutine.wrap(error), 'oh')"),
    ("require of an unknown name", "pcall(require, 'unknown')"),
    ("an empty turn", ""),
];

/// What is asked of maps, with the names of two marks of each.
const OF_MAPS: &[(&str, &str)] = &[
    ("nav.findPath, far", "nav.findPath(FROM, TO)"),
    ("nav.findPath, near", "nav.findPath(FROM, beside)"),
    ("nav.reachable", "nav.reachable(FROM, TO)"),
    ("nav.lineOfWalk", "nav.lineOfWalk(FROM, TO)"),
    ("nav.lineOfWalk, near", "nav.lineOfWalk(FROM, beside)"),
    ("nav.randomPoint", "nav.randomPoint()"),
    ("nav.randomPoint, around", "nav.randomPoint({ around = FROM, within = 5 })"),
    ("nav.randomPoint, reachable", "nav.randomPoint({ reachableFrom = FROM })"),
    ("nav.nearest, off the ground", "nav.nearest(outside, { within = 30 })"),
    ("nav.isWalkable", "nav.isWalkable(FROM)"),
];

/// The same with texts of many digits.
const EXPENSIVE: &[(&str, &str)] = &[
    ("string + string, 4000 digits", "local r = digits + 1 r = digits + r r = -digits"),
    ("tonumber, 4000 digits", "local r = tonumber(digits)"),
    (
        "math.max of 9 x 4000 digits",
        "local r = math.max(digits, digits, digits, digits, digits, digits, digits, digits, digits)",
    ),
    ("an empty turn beside 4000 digits", ""),
];

/// The same with two long texts that begin alike.
const TWINS: &[(&str, &str)] = &[
    ("string < string, 1 MB alike", "local r = one < other r = other < one r = one <= other"),
    ("an empty turn beside them", ""),
];

/// The level that an entry is shown on.
fn level_of(entry: &Binding) -> &'static str {
    let is_among = |entries: &[Binding]| entries.iter().any(|other| other.called == entry.called);
    match () {
        () if is_among(bind::tiles::ENTRIES) => TILES,
        () if is_among(bind::graph::ENTRIES) => GRAPH,
        () => LEVEL,
    }
}

/// A map of a level: its files, its script and two marks.
struct Stage {
    name: &'static str,
    source: MemorySource,
    script: &'static str,
    marks: [&'static str; 2],
}

impl Stage {
    /// A level of the project.
    fn of(name: &'static str, script: &'static str, marks: [&'static str; 2]) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../levels");
        let text = fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
        let mut level: serde_json::Value = serde_json::from_str(&text).unwrap();
        level["limits"] = serde_json::json!({ "watchdogMs": 60000 });
        // What the characters of a level do is not what is measured.
        for character in level["characters"].as_array_mut().into_iter().flatten() {
            let character = character.as_object_mut().unwrap();
            character.retain(|key, _| key != "behaviour" && key != "params");
        }
        let text = level.to_string();
        let mut source = MemorySource::new().with("level.json", text);
        if let Ok(scene) = fs::read(folder.join(format!("scenes/{name}.obj"))) {
            source = source.with(&format!("scenes/{name}.obj"), scene);
        }
        if let Ok(graph) = fs::read(folder.join(format!("paths/{name}.graph.json"))) {
            source = source.with("paths/level.graph.json", graph);
        }
        Self { name, source, script, marks }
    }

    /// Four rooms of 100 by 100 points, joined by doors.
    fn rooms() -> Self {
        let (side, room) = (200, 100);
        let is_wall = |x: usize, z: usize| {
            (x.is_multiple_of(room) && z % room != 50) || (z.is_multiple_of(room) && x % room != 50)
        };
        let mut links = Vec::new();
        for (z, x) in (0..side * side).map(|at| (at / side, at % side)).filter(|&(z, x)| !is_wall(x, z)) {
            for (to_x, to_z) in [(x + 1, z), (x, z + 1), (x + 1, z + 1), (x.wrapping_sub(1), z + 1)] {
                if to_x < side && to_z < side && !is_wall(to_x, to_z) {
                    links.push(format!("[{},{}]", z * side + x, to_z * side + to_x));
                }
            }
        }
        let at = |at: usize| at as f64 / 4.0;
        let points = (0..side * side).map(|place| format!("[{},0,{}]", at(place % side), at(place / side)));
        let text = format!(
            r#"{{ "name": "rooms", "script": "rooms.lua", "limits": {{ "watchdogMs": 60000 }},
              "navigation": {{ "kind": "graph", "width": 0.1, "agentRadius": 0.3, "points": [{}], "links": [{}] }},
              "marks": {{ "one": [1, 1], "other": [48, 48] }} }}"#,
            points.collect::<Vec<_>>().join(","),
            links.join(",")
        );
        let source = MemorySource::new().with("level.json", text);
        Self { name: "rooms of 40,000 points", source, script: "rooms.lua", marks: ["one", "other"] }
    }

    fn show(&self) {
        println!("\n{:<40} {:>8}", self.name, "us a unit");
        let [from, to] = self.marks.map(|mark| format!("nav.mark('{mark}')"));
        let setup = format!(
            "local beside, outside
            local function places()
              if not beside then
                beside = {from}.position + vector.create(1, 0, 0.5)
                outside = {from}.position + vector.create(-12, 0, -12)
              end
            end"
        );
        for (name, turn) in OF_MAPS {
            let turn = turn.replace("FROM", &from).replace("TO", &to);
            show(name, measure_in(&self.source, self.script, &setup, &format!("places() {turn}")));
        }
    }
}

/// Microseconds for a unit of fuel where `turn` is all that is done; none when something else ends it.
fn measure(level: &'static str, setup: &str, turn: &str) -> Option<f64> {
    measure_in(&MemorySource::new().with("level.json", level), "level.lua", setup, turn)
}

fn measure_in(source: &MemorySource, file: &str, setup: &str, turn: &str) -> Option<f64> {
    let script = format!(
        "{setup}
        function onStart()
          local guard, player, door = world.findCharacter('guard'), world.player(), world.findDoor('gate')
          local turn = 0
          local function once() {turn}
          end
          timer.after(0.04, function() while true do turn += 1 pcall(once) end end)
        end"
    );
    let once = || {
        let level = load("level.json", source).unwrap_or_else(|refused| panic!("{refused:?}"));
        let mut scripts = BTreeMap::new();
        scripts.insert(file.to_owned(), script.clone());
        let mut game = Game::load(level, Setup { scripts, ..Setup::default() }).ok()?;
        let mut took_us = None;
        for _ in 0..12 {
            let begun = Instant::now();
            let tick = game.tick(&[]);
            if game.fault_count() > 0 {
                took_us.get_or_insert(begun.elapsed().as_nanos() as f64 / 1e3);
            }
            // Told in this tick or the next. Ended by something else, it has not spent all its fuel.
            if let Some(fault) = tick.faults().next() {
                let is_spent = fault.message.contains("stopped");
                return took_us.filter(|_| is_spent).map(|took_us| took_us / CALL_UNITS);
            }
        }
        None
    };
    let rounds = [once()?, once()?, once()?];
    rounds.into_iter().reduce(f64::min)
}

fn show(name: &str, us: Option<f64>) {
    match us {
        Some(us) => println!("{name:<40} {us:>8.3}{}", if us > AIM_US { "  above the aim" } else { "" }),
        None => println!("{name:<40} {:>8}", "-"),
    }
}

fn main() {
    println!("{:<40} {:>8}", "example", "us a unit");
    for entry in bind::entries().into_iter().filter(|entry| !entry.waits && !entry.example.is_empty()) {
        show(entry.called, measure(level_of(entry), "", entry.example));
    }
    println!("\n{:<40} {:>8}", "as wide as may be", "us a unit");
    for (setup, calls) in [(WIDE_SETUP, WIDE), (EXPENSIVE_SETUP, EXPENSIVE), (TWINS_SETUP, TWINS)] {
        for (name, turn) in calls {
            show(name, measure(LEVEL, setup, turn));
        }
    }
    let stages = [
        Stage::of("tower", "tower.lua", ["hearth", "window"]),
        Stage::rooms(),
        Stage::of("battlefield", "battlefield.lua", ["camp", "banner"]),
    ];
    stages.iter().for_each(Stage::show);
}
