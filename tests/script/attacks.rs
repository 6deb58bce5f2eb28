//! Scripts that ask for too much: of time, of memory, of the queues.
//!
//! Goal: code that asks for too much is told so and stopped, and the level goes on for all other code.
//! Method: as in `hostile_world`: each script runs in a process of its own and writes what it found; what
//! counts is what is counted, fuel and bytes and lengths of queues, never a clock.

use std::fs;

use crate::fixture::TWO_ROOMS;

/// What a run left behind.
struct Ran {
    /// What was logged, and `fault <kind>` for each fault, in order.
    lines: Vec<String>,
    messages: Vec<String>,
    code: Option<i32>,
    trace: String,
}

/// Runs `script` for `ticks` ticks; `more` are files beside it, `limits` stands in the level.
fn run(script: &str, ticks: u32, limits: &str, more: &[(&str, &str)]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let head = format!("{{ \"script\": \"attack.lua\", \"limits\": {{ {limits} }},");
    fs::write(folder.path().join("stage.json"), TWO_ROOMS.replacen('{', &head, 1)).unwrap();
    fs::write(folder.path().join("attack.lua"), script).unwrap();
    for (name, text) in more {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let run = crate::place::walkon(
        folder.path(),
        &["run", "stage.json", "--ticks", &ticks.to_string(), "--trace", "trace.jsonl", "-q"],
    );
    let trace = fs::read_to_string(folder.path().join("trace.jsonl")).unwrap_or_default();
    let (mut lines, mut messages) = (Vec::new(), Vec::new());
    for line in trace.lines() {
        let fact: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| fact[key].as_str().unwrap_or_default().to_owned();
        match fact["e"].as_str() {
            Some("log") => lines.push(text("message")),
            Some("scriptFault") => {
                lines.push(format!("fault {}", text("kind")));
                messages.push(text("message"));
            }
            _ => {}
        }
    }
    Ran { lines, messages, code: run.status.code(), trace }
}

/// How many turns of a loop were told once its fault had ended it.
fn turns_told(ran: &Ran, what: &str) -> u32 {
    assert_eq!((ran.lines.len(), ran.code), (2, Some(0)), "{what} {:?} {:?}", ran.lines, ran.messages);
    ran.lines[1].parse().unwrap()
}

#[test]
fn fault_a12_ordinary_loops_over_dear_verbs_end_by_fuel_and_the_level_goes_on() {
    let loops = [
        "event.emit('x', t)",
        "event.send(hero, 'x', t)",
        "blackboard.level:set('k', t)",
        "hero:patrol(stops)",
        "hero:walkTo(2, 5, { via = stops })",
        "hero:walkTo(2, 5, { keys = names, doors = 'open' })",
        "timer.after(1, function() end, t):cancel()",
        "world.spawn({ name = 'n' .. tostring({}), at = vector.create(2, 0, 5) }):despawn()",
        "pcall(nav.mark, long)",
        "pcall(require, long)",
        "local n = tonumber(digits)",
        "pcall(string.packsize, letters)",
        "local s = long:sub(1, -2)",
        "local s = buffer.tostring(bytes)",
        "local s = buffer.readstring(bytes, 0, 1000000)",
        "local s = string.unpack('c1000000', long)",
        "pcall(task.all, many)",
        "pcall(bt.sequence, many)",
        "pcall(cinematic.define, 'scene', { script = print, holds = many })",
    ];
    for body in loops {
        let script = format!(
            "local t, stops, names = {{}}, {{}}, {{}}
            for i = 1, 100 do t['key' .. i] = i stops[i] = vector.create(2 + i % 2, 0, 5) names[i] = 'k' .. i end
            while #names > 60 do names[#names] = nil end
            while #stops > 60 do stops[#stops] = nil end
            local long, digits, letters = ('x'):rep(1000000), ('1'):rep(4000), ('b'):rep(1000000)
            local bytes, many = buffer.fromstring(long), table.create(4000, 'name')
            function onStart()
              local hero = world.character('hero')
              timer.after(0.1, function() log.info('still here') end)
              while true do {body} end
            end"
        );
        // Fuel ends them, however slow the machine.
        let ran = run(&script, 12, "\"watchdogMs\": 10000", &[]);
        assert_eq!(
            (ran.lines, ran.code),
            (vec!["fault fuel".to_owned(), "still here".to_owned()], Some(0)),
            "{body} {:?}",
            ran.messages
        );
    }
}

#[test]
fn fault_a12_files_that_do_not_load_are_paid_for_each_time_they_are_required() {
    let (early, late) = (format!("local local\n{}", "-- text\n".repeat(25_000)), "-- text\n".repeat(25_000));
    let late = format!("{late}local way = nothing.at");
    for bad in [early, late] {
        let script = "local turns = 0 function onStart()
            timer.after(0.1, function() log.info('%d', turns) end)
            while true do turns += 1 pcall(require, 'bad') end
        end";
        let ran = run(script, 12, "\"watchdogMs\": 60000", &[("bad.lua", &bad)]);
        // A file of 200 KiB may take thirty milliseconds to compile.
        let turns = turns_told(&ran, &bad[..12]);
        assert!((2..10).contains(&turns), "{turns} turns");
    }
}

/// What a call copies or unwinds is paid for: so many turns of a loop spend the fuel of a call.
#[test]
fn fault_a3_values_that_calls_return_and_calls_that_overflow_are_paid_for() {
    let cases = [
        (
            "local t = setmetatable({}, { __index = function(t, k) return t[k + 1] end })",
            "pcall(function() return t[1] end)",
            50,
        ),
        ("local s = ('x'):rep(30000)", "s:byte(1, 7000)", 230),
        ("local s = ('x'):rep(30000)", "utf8.codepoint(s, 1, 7000)", 230),
        ("local f, s = ('b'):rep(7000), ('a'):rep(7000)", "string.unpack(f, s)", 115),
        ("local t, r = table.create(90000, 1), rng.stream('x')", "r:shuffle(t)", 2),
    ];
    for (before, body, most) in cases {
        let script = format!(
            "local turns = 0 function onStart()
                timer.after(0.1, function() log.info('%d', turns) end)
                {before}
                while true do turns += 1 {body} end
            end"
        );
        let turns = turns_told(&run(&script, 12, "\"watchdogMs\": 60000", &[]), body);
        assert!((1..=most).contains(&turns), "{body}: {turns} turns, expected at most {most}");
    }
}

/// Calls that hand on ever more values need a wide stack, and that of the first thread of a level counts as
/// any other does.
#[test]
fn fault_a3_values_that_are_handed_on_are_paid_for_in_calls_of_every_kind() {
    let kinds = [
        "function onStart() work() end",
        "function onTick() if level.tick == 2 then work() end end",
        "function onStart() event.on('go', work) event.emit('go') end",
        "function onStart() timer.after(0.02, work) end",
        "function onStart() task.spawn(work) end",
        "function onStart() world.character('hero'):attach('minded', {}) end",
    ];
    let bodies = [
        ("f(4000)", "memory"),
        ("pcall(f, 4000) f(4000)", "memory"),
        ("local s = ('x'):rep(8000) loop(s:byte(1, 7000))", "fuel"),
        (
            "local m = setmetatable({}, { __tostring = function() return long end }) while true do tostring(m) end",
            "fuel",
        ),
        (
            "local m = setmetatable({}, { __tostring = function() return long end }) while true do log.debug('%s', m) end",
            "fuel",
        ),
    ];
    let defined = "local long = ('x'):rep(1000000)
        local function f(n, ...) if n == 0 then return 0 end return f(n - 1, n, ...) end
        local function g(...) return ... end
        local function loop(...) while true do g(...) end end\n";
    for kind in kinds {
        for (body, fault) in bodies {
            let work = format!("{defined}local function work() {body} end\n");
            let minded = format!("{work}return {{ update = function() work() end }}\n");
            // The clock ends none of them, however slow the machine.
            let limits = "\"watchdogMs\": 10000, \"memoryMiB\": 256";
            let ran = run(&format!("{work}{kind}\n"), 4, limits, &[("minded.lua", &minded)]);
            let faults: Vec<&String> = ran.lines.iter().filter(|line| line.starts_with("fault")).collect();
            let is_right = !faults.is_empty() && faults.iter().all(|line| **line == format!("fault {fault}"));
            assert!(
                is_right && ran.code == Some(0),
                "{kind} {body} {faults:?} {:?} {:?}",
                ran.messages,
                ran.code
            );
        }
    }
}

#[test]
fn fault_a12_single_instructions_on_long_texts_end_by_count_and_never_by_the_clock() {
    let ones = "('1'):rep(4000)";
    let (one, other) = ("('x'):rep(1000000) .. 'a'", "('x'):rep(1000000) .. 'b'");
    let cases = [
        (ones, "1", "r = s + u", "fault fuel"),
        (ones, "vector.one", "r = u * s", "fault fuel"),
        (ones, "1", "r = -s", "fault fuel"),
        (ones, "1", "for i = s, u do break end", "fault fuel"),
        (ones, "1", "r = math.floor(s)", "fault fuel"),
        ("(' '):rep(16000)", "1", "r = pcall(math.floor, s)", "fault fuel"),
        (one, other, "r = s < u", "fault fuel"),
        (one, other, "if s <= u then r = s end", "fault fuel"),
        (one, other, "table.sort({ s, u, s, u })", "fault fuel"),
        ("('1'):rep(1000000)", "1", "r = s + u", "fault memory"),
        ("('9'):rep(4000) .. ('9'):rep(4000)", "1", "r = s + u", "fault memory"),
        ("('x'):rep(8192):gsub('x', function() return '1' end)", "1", "r = s + u", "fault memory"),
    ];
    for (s, u, body, ends) in cases {
        let many = format!("{body} ").repeat(40);
        let script = format!(
            "function onStart()
              timer.after(0.1, function() log.info('still here') end)
              local r, s, u = nil, {s}, {u}
              while true do {many} end
            end"
        );
        let ran = run(&script, 12, "\"watchdogMs\": 10000", &[]);
        let expected = vec![ends.to_owned(), "still here".to_owned()];
        assert_eq!((ran.lines, ran.code), (expected, Some(0)), "{body} {:?}", ran.messages);
    }
}

#[test]
fn a_text_of_many_digits_in_a_script_is_told_at_the_start() {
    let script = format!("local s = '{}' function onStart() log.info(s + 1) end", "1".repeat(5000));
    let ran = run(&script, 2, "", &[]);
    assert_eq!((ran.lines.len(), ran.code), (0, Some(4)));
}

#[test]
fn fault_b2_texts_have_one_limit_wherever_they_are_made() {
    let script = "
        local big = ('x'):rep(1024 * 1024 - 1)
        local function try(f) local ok, what = pcall(f) log.info('%s %s', ok, if ok then #what else what:match(': (.*)') or what) end
        function onStart()
          try(function() return big .. 'y' end)
          try(function() return string.format(('%99.99f'):rep(7000), table.unpack(table.create(7000, 1e300))) end)
          timer.after(0.1, function() log.info('still here') end)
          local more = big .. big
          log.info('never %d', #more)
        end";
    let ran = run(script, 12, "\"fuelPerCall\": 10000000, \"watchdogMs\": 10000", &[]);
    let expected = [
        "true 1048576",
        "false string.format result too large: expected at most 1048576 bytes",
        "fault memory",
        "still here",
    ];
    assert_eq!((ran.lines, ran.code), (expected.map(str::to_owned).to_vec(), Some(0)));
    assert!(ran.messages[0].contains("larger than any may be"), "{:?}", ran.messages);
}

#[test]
fn fault_b6_what_the_host_keeps_for_scripts_is_in_the_memory_of_the_level() {
    let keepers = [
        "timer.after(1000, function() end, p)",
        "blackboard.group('g' .. n):set('k', p)",
        "world.spawn({ name = 's' .. n, at = vector.create(2, 0, 5) }).blackboard:set('k', p)",
        "event.emit('x', p)",
    ];
    for keep in keepers {
        let script = format!(
            "local p, n = ('x'):rep(200000), 0
            function onStart()
              local ok, what
              repeat n += 1 ok, what = pcall(function() {keep} end) until not ok or n > 250
              log.info('%s', n > 30 and n < 90)
              log.info('%s', what:match('no memory is left') or what)
            end"
        );
        let ran = run(&script, 2, "\"memoryMiB\": 16, \"fuelPerCall\": 10000000, \"watchdogMs\": 60000", &[]);
        assert_eq!(
            (ran.lines, ran.code),
            (vec!["true".to_owned(), "no memory is left".to_owned()], Some(0)),
            "{keep}"
        );
    }
}

/// Luau itself makes nothing in this loop: what it is given goes into a table that is there.
#[test]
fn fault_b5_what_functions_of_the_host_make_is_in_the_memory_of_the_level() {
    let script = "
        local kept = table.create(100000, false)
        function onStart()
          for n = 1, 100000 do kept[n] = nav.findPath(vector.create(2, 0, 5), vector.create(4, 0, 5)) end
          log.info('all kept')
        end";
    let ran = run(script, 2, "\"memoryMiB\": 8, \"fuelPerCall\": 10000000, \"watchdogMs\": 60000", &[]);
    assert_eq!((ran.lines, ran.code), (vec!["fault memory".to_owned()], Some(5)));
    assert!(
        ran.messages.iter().any(|line| line.contains("the memory of the level is spent")),
        "{:?}",
        ran.messages
    );
}

#[test]
fn fault_b8_the_queue_of_events_has_a_length() {
    let script = "
        function onStart()
          local n, ok, what = 0, true, nil
          repeat n += 1 ok, what = pcall(event.emit, 'x') until not ok or n > 100000
          log.info('%d %s', n, what:match('65536 events wait') or what)
          timer.after(0.1, function() log.info('still here') event.emit('x') end)
        end";
    let ran = run(script, 12, "\"fuelPerCall\": 10000000, \"watchdogMs\": 10000", &[]);
    assert_eq!(ran.lines.last().map(String::as_str), Some("still here"));
    assert!(ran.lines[0].ends_with("65536 events wait"), "{:?}", ran.lines);
}

#[test]
fn attaching_from_within_start_and_stop_is_bounded_in_a_tick() {
    let doubling =
        "local b = {} function b:start() self.character:attach('loop') self.character:attach('loop') end
        function b:stop() self.character:attach('loop') end return b";
    let script = "
        function onStart()
          world.character('hero'):attach('loop')
          timer.after(0.4, function() log.info('still here') end)
        end";
    let ran = run(script, 60, "", &[("loop.lua", doubling)]);
    assert!(ran.lines.iter().any(|line| line == "still here"), "{:?}", ran.messages);
    assert_eq!(ran.code, Some(0));
    assert!(ran.trace.contains("roundsExhausted") || ran.trace.contains("scriptDeferred"));
}

#[test]
fn fault_c14_tables_inside_a_module_are_read_only_too() {
    let module = "return { settings = { speed = 1 }, list = { { 1 } } }";
    let script = "
        local m = require('shared')
        function onStart()
          log.info('%s', pcall(function() m.settings.speed = 2 end))
          log.info('%s', pcall(function() m.list[1][1] = 2 end))
          log.info('%d', m.settings.speed)
        end";
    assert_eq!(run(script, 2, "", &[("shared.lua", module)]).lines, ["false", "false", "1"]);
}

#[test]
fn fault_b7_long_data_is_marked_in_a_trace_and_not_written_down() {
    let script = "
        local p = ('x'):rep(100000)
        function onStart() for i = 1, 40 do event.emit('long', p) end event.emit('short', { 1, 2 }) end";
    let ran = run(script, 2, "", &[]);
    assert!(ran.trace.len() < 40_000, "{}", ran.trace.len());
    assert!(ran.trace.contains("bytes that are not written down"));
    assert!(ran.trace.contains("\"payload\":[1,2]"), "{}", ran.trace);
}

#[test]
fn too_many_watches_for_the_people_there_are_take_turns() {
    let script = "
        local entered = 0
        function onStart()
          local free = 0
          for i = 1, 300 do world.spawn({ name = 'w' .. i, at = vector.create(2 + i % 20 / 10, 0, 5) }) end
          for i = 1, 200 do region.near(vector.create(2, 0, 5), 5, { initial = true, lineOfWalk = true, onEnter = function() entered += 1 end }) end
          timer.after(0.9, function() log.info('%s', entered > 0) end)
        end";
    let limits = "\"fuelPerCall\": 10000000, \"fuelPerTick\": 100000000, \"watchdogMs\": 60000";
    let ran = run(script, 60, limits, &[]);
    assert_eq!((ran.lines, ran.code), (vec!["true".to_owned()], Some(0)));
    assert!(ran.trace.contains("watchesDeferred"));
}

/// Loops whose texts and tables come and go: what the collector has freed must not show in the fuel.
const COMING_AND_GOING: [&str; 23] = [
    "local s = 'k' .. n",
    "local s = ('ab'):rep(3000) .. n % 7",
    "local s = long:sub(1 + n % 9, 4200)",
    "local s = long:match('^(x+)y')",
    "local parts = long:split('y')",
    "local s = buffer.tostring(bytes)",
    "local s = buffer.readstring(bytes, n % 9, 5000)",
    "local s = string.unpack('c5000', long)",
    "local t = {} for i = 1, 9 do t[i] = { n } end",
    "keys['k' .. n] = {} keys['k' .. n - 50] = nil",
    "local t = table.create(600, n)",
    "keys[{}] = n if n % 500 == 0 then keys = {} end",
    "coroutine.wrap(function() coroutine.yield(n) end)()",
    "for k in wide do end",
    "keys['k' .. n % 900] = {} keys['k' .. (n + 450) % 900] = nil keys[1] = n keys[1] = nil",
    "if next(wide) then n += 0 end",
    "local is_inside = watch:contains(hero)",
    "local is_occupied = watch:occupied()",
    "local inside = watch:inside()",
    "local is_seen = heard:sees(other)",
    "local seen = heard:seen()",
    "local last = heard.lastSeen",
    "watch:disable() watch:enable() heard:disable() heard:enable()",
];

/// The same for tags of tiles, on a map that has tiles.
const TAGS_COMING_AND_GOING: [&str; 4] = [
    "nav.setTile(vector.create(n % 64 + 0.5, 0, 0.5), { tags = { 'kind' .. n % 61 } })",
    "nav.setTile(vector.create(n % 64 + 0.5, 0, 0.5), { tags = tags })",
    "nav.setTile(vector.create(0.5, 0, 0.5), { tags = tags }) nav.setTile(vector.create(0.5, 0, 0.5), { tags = {} })",
    "local found = nav.tileAt(vector.create(n % 64 + 0.5, 0, 0.5)).tags",
];

/// The same for texts of 1 to 3 KiB, and those just beyond the 640 bytes from which texts are counted: an
/// equal one may still be there, or not.
const MEDIUM_TEXTS: [&str; 21] = [
    "local s = medium:gsub('c', 'd')",
    "local s = medium:gsub('^(a+)c', '%1%1')",
    "local s = ('ab'):gsub('a', function() return medium end)",
    "local s = medium:gsub('b+$', function(found) return found end)",
    "local s = medium:gsub('^a+c(a+b+)$', function(found) return found end)",
    "local s = ('ab'):gsub('a', { a = medium })",
    "local s = string.format('%s%s', opaque, 'x')",
    "local s = string.format('%q', quotes .. n % 61)",
    "local s = string.format('%99s%99s%99s%99s%99s%99s%99s', 'a', 'b', 'c', 'd', 'e', 'f', n % 61)",
    "local s = string.pack('z', medium)",
    "local s = string.pack('zz', n % 7, medium)",
    "local s = medium:sub(-700 - n % 61):upper()",
    "local s = ('ab'):rep(300 + n % 61)",
    "local s = (pieces .. n % 61):split(',')",
    "local s = board:get('k' .. n % 61)",
    "pcall(world.character, 'nobody' .. n % 61)",
    "pcall(string.find, medium, '[') local s = medium:gsub('c', 'd')",
    "local s = string.char(table.unpack(codes, 1 + n % 61))",
    "local s = utf8.char(table.unpack(codes, 1 + n % 61))",
    "pcall(error, medium)",
    "local s = tostring(opaque)",
];

/// What a function of the library pays for in one go ends with its error: a handler pays for its own texts.
#[test]
fn fault_a12_long_texts_cost_as_much_in_a_handler_of_an_error() {
    let turns = |start: &str| {
        let script = format!(
            "local n, big = 0, ('x'):rep(500000)
            local function fill() while true do n += 1 local s = big .. n end end
            function onStart() timer.after(0.1, function() log.info('%d', n) end) {start} end"
        );
        let ran = run(&script, 12, "\"memoryMiB\": 64, \"watchdogMs\": 60000", &[]);
        assert_eq!(ran.lines[0], "fault fuel", "{start} {:?}", ran.messages);
        ran.lines[1].parse::<f64>().unwrap()
    };
    let plain = turns("fill()");
    for raising in [
        "xpcall(string.format, fill, '%y', ('x'):rep(1000))",
        "xpcall(string.unpack, fill, 'y', ('x'):rep(1000))",
        "xpcall(string.pack, fill, 'z', ('x\\0'):rep(1000))",
        "xpcall(string.gsub, fill, ('x'):rep(1000), '%', 'y')",
        "pcall(string.format, '%y', ('x'):rep(1000)) fill()",
        "coroutine.wrap(function() pcall(string.format, '%y', ('x'):rep(1000)) fill() end)()",
    ] {
        let caught = turns(raising);
        assert!((caught / plain - 1.0).abs() < 0.1, "{raising}: {caught} turns, {plain} without an error");
    }
}

/// What the loops have at hand.
const AT_HAND: &str = "
    local n, keys, long = 0, {}, ('x'):rep(6000) .. 'y' .. ('z'):rep(6000)
    local bytes, wide = buffer.fromstring(long), {}
    for i = 1, 5000 do wide['k' .. i] = i end
    table.clear(wide)
    local medium, codes = ('a'):rep(1500) .. 'c' .. ('a'):rep(1400), table.create(700, 65)
    local opaque, many = setmetatable({}, { __tostring = function() return medium end }), {}
    for i = 1, 61 do many[i] = medium .. ('b'):rep(i) end
    local quotes, pieces = ('\"'):rep(500), ''
    for i = 1, 40 do pieces = pieces .. ('p'):rep(640 + i) .. ',' end";

/// Law: a loop ends after as many turns in every process, wherever the collector stands. `level` is another
/// level than that of two rooms, if it is one.
fn ends_at_the_same_turn_whatever_the_collector_does(body: &str, fuel: u32, level: Option<&str>) {
    let script = format!(
        "{AT_HAND}
        local tags = {{}}
        for i = 1, 60 do tags[i] = 'kind' .. i end
        function onStart()
          local board, hero = blackboard.level, world.character('hero')
          local other = world.spawn({{ name = 'other', at = hero }})
          local watch = region.near(hero.position, 5, {{ initial = true }})
          local heard = sense.watch(hero, other, {{ degrees = 360 }})
          for i = 0, 60 do board:set('k' .. i, ('z'):rep(2000 + i)) end
          timer.after(0.1, function() while true do n += 1 {body} end end)
          timer.after(0.2, function() log.info('%d', n) end)
        end"
    );
    // With less room the collector comes sooner, and with a long past it stands elsewhere.
    let past = format!("local past = {{}} for i = 1, 9000 do past[i] = {{ i }} end past = nil {script}");
    let turns = |script: &str, memory_mib: u32| {
        // No clock decides, however busy the machine is.
        let limits = format!("\"watchdogMs\": 60000, \"memoryMiB\": {memory_mib}, \"fuelPerCall\": {fuel}");
        let level = level.map(|level| level.replacen('{', &format!("{{ \"limits\": {{ {limits} }},"), 1));
        let ran =
            run(script, 24, &limits, level.as_ref().map(|level| ("stage.json", level.as_str())).as_slice());
        assert_eq!((ran.lines.len(), ran.code), (2, Some(0)), "{body} {:?}", ran.messages);
        assert_eq!(ran.lines[0], "fault fuel", "{body} {:?}", ran.messages);
        ran.lines
    };
    let first = turns(&script, 256);
    assert_eq!(first, turns(&script, 256), "{body}: another process");
    assert_eq!(first, turns(&script, 4), "{body}: less room");
    assert_eq!(first, turns(&past, 64), "{body}: another past");
}

#[test]
fn inv_d1_fuel_is_the_same_in_every_process_whatever_the_collector_does() {
    for body in COMING_AND_GOING {
        ends_at_the_same_turn_whatever_the_collector_does(body, 100_000, None);
    }
    let row = format!("\"{}\"", ".".repeat(64));
    let tiles = format!(
        "{{ \"script\": \"attack.lua\", \"navigation\": {{ \"kind\": \"tiles\",
            \"layers\": [ {{ \"name\": \"ground\", \"rows\": [ {row}, {row}, {row}, {row} ] }} ] }},
        \"characters\": [ {{ \"name\": \"hero\", \"position\": [2.5, 2.5] }} ] }}"
    );
    for body in TAGS_COMING_AND_GOING {
        ends_at_the_same_turn_whatever_the_collector_does(body, 100_000, Some(&tiles));
    }
}

#[test]
fn inv_d1_fuel_is_the_same_whether_an_equal_text_is_still_there() {
    for body in MEDIUM_TEXTS {
        // Each text comes again after so many turns; what is thrown away beside it keeps the collector busy.
        let body = format!("local junk = table.create(60, n) medium = many[1 + n % 61] {body}");
        ends_at_the_same_turn_whatever_the_collector_does(&body, 1_000_000, None);
    }
}

/// Calls whose arguments may be small or large: what makes a small one, a large one, and the call.
const SIZED: &[(&str, &str, &str)] = &[
    ("'x'", "('x'):rep(2000)", "local text = it .. n"),
    ("'x'", "('x'):rep(2000)", "local text = `{it}{n}`"),
    ("{ 'x', 'y' }", "{ ('x'):rep(1950), ('y'):rep(1950) }", "local text = table.concat(it, n)"),
    ("'x'", "('x'):rep(3900)", "local text = string.format('%s%d', it, n)"),
    ("{ 1 }", "table.create(1000, 1)", "event.emit('x', it)"),
    ("{ 1 }", "table.create(1000, 1)", "event.send(hero, 'x', it)"),
    ("{ 1 }", "table.create(1000, 1)", "blackboard.level:set('k', it)"),
    ("{ 1 }", "table.create(1000, 1)", "timer.after(1, print, it):cancel()"),
    ("{ 1 }", "table.create(1000, 1)", "rng.stream('x'):shuffle(it)"),
    ("{ 1 }", "table.create(1000, 1)", "table.sort(it)"),
    ("{ 1 }", "table.create(1000, 1)", "local copy = table.clone(it)"),
    ("{ 1 }", "table.create(1000, 1)", "local text = table.concat(it)"),
    ("{ 1 }", "table.create(1000, 1)", "local at = table.find(it, 2)"),
    ("{ 1 }", "table.create(1000, 1)", "table.move(it, 1, #it, 2, {})"),
    ("{ 1 }", "table.create(1000, 1)", "local first = table.unpack(it)"),
    ("{ 1 }", "table.create(1000, 1)", "table.insert(it, 1, table.remove(it, 1))"),
    ("{ 1 }", "table.create(1000, 1)", "for _ in it do end"),
    ("stops(2)", "stops(1000)", "hero:patrol(it)"),
    ("stops(1)", "stops(1000)", "hero:walkTo(2, 5, { via = it })"),
    ("{ 'k' }", "table.create(64, 'k')", "hero:walkTo(2, 5, { keys = it, doors = 'open' })"),
    ("'x'", "('x'):rep(900000)", "pcall(nav.mark, it)"),
    ("'x'", "('x'):rep(900000)", "pcall(require, it)"),
    ("'1'", "('1'):rep(4000)", "local number = tonumber(it)"),
    ("'1'", "('1'):rep(4000)", "local number = it + 1"),
    ("'x'", "('x'):rep(900000)", "local text = it:sub(1, -2)"),
    ("'x'", "('x'):rep(900000)", "local text = it:upper()"),
    ("'x'", "('x'):rep(900000)", "local text = it:reverse()"),
    ("'x'", "('x'):rep(900000)", "local at = it:find('y', 1, true)"),
    ("'x'", "('x'):rep(60000)", "local at = it:match('y')"),
    ("'x'", "('x'):rep(60000)", "local text = it:gsub('x', 'y')"),
    ("'x'", "('x'):rep(60000)", "local parts = it:split('x')"),
    ("'x'", "('x'):rep(900000)", "local text = it .. n"),
    ("'x'", "('x'):rep(900000)", "local text = ('%s'):format(it)"),
    ("'x'", "('x'):rep(90000)", "local text = it:rep(2)"),
    ("'x'", "('x'):rep(900000)", "local count = utf8.len(it)"),
    ("buffer.create(9)", "buffer.create(900000)", "local text = buffer.tostring(it)"),
    ("buffer.create(9)", "buffer.create(900000)", "buffer.fill(it, 0, 1)"),
    ("buffer.create(9)", "buffer.create(900000)", "buffer.copy(it, 0, it)"),
];

#[test]
fn prices_grow_with_the_size_of_what_a_function_is_given() {
    for (small, large, body) in SIZED {
        let turns = |made: &str| {
            let script = format!(
                "local n = 0
                local function stops(count)
                  local made = {{}} for i = 1, count do made[i] = vector.create(2 + i % 2, 0, 5) end return made
                end
                function onStart()
                  local hero, it = world.character('hero'), {made}
                  timer.after(0.1, function() log.info('%d', n) end)
                  while true do n += 1 {body} end
                end"
            );
            let ran = run(&script, 12, "\"watchdogMs\": 10000, \"eventsPerTick\": 65536", &[]);
            turns_told(&ran, body)
        };
        let (many, few) = (turns(small), turns(large));
        assert!(many >= 4 * few, "{body}: {many} times with a small argument, {few} with a large one");
    }
}

/// Law: going over places of tables that hold nothing costs as many turns as there are places, however the
/// script goes over them.
#[test]
fn fault_a12_going_over_emptied_tables_ends_by_count_and_sooner_the_wider_they_are() {
    let bodies = [
        "for k in wide do end",
        "for k, v in pairs(wide) do end",
        "for k, v in next, wide do end",
        "for i = 1, 2 do for k in wide do break end end",
        "next(wide)",
        "local k = next(wide, first)",
        "local k = pairs(wide)(wide)",
        "coroutine.wrap(function() for k in wide do end end)()",
    ];
    let tables = [
        ("for i = 1, 100 do wide['k' .. i] = i end", "'k1'", 128),
        ("for i = 1, 20000 do wide['k' .. i] = i end", "'k1'", 32_768),
        ("for i = 1, 20000 do wide[i] = i end", "1", 20_000),
        ("for i = 1, 200000 do wide['k' .. i] = i end", "'k1'", 262_144),
    ];
    for body in bodies {
        let turns = tables.map(|(fill, first, places)| {
            let script = format!(
                "local wide, n, first = {{}}, 0, {first}
                {fill}
                for k in wide do if k ~= first then wide[k] = nil end end
                function onStart()
                  timer.after(0.1, function() log.info('%d', n) end)
                  while true do n += 1 {body} end
                end"
            );
            let limits = "\"watchdogMs\": 60000, \"fuelAtLoad\": 10000000";
            let ran = run(&script, 12, limits, &[]);
            assert_eq!(
                (ran.lines.first().map(String::as_str), ran.lines.len(), ran.code),
                (Some("fault fuel"), 2, Some(0)),
                "{body} {fill} {:?}",
                ran.messages
            );
            (ran.lines[1].parse::<u64>().unwrap(), places)
        });
        let (ordinary, _) = turns[0];
        for (many, places) in &turns[1..] {
            // A unit of fuel, of which a call has 100,000, pays for 2,048 places at most.
            assert!(many * places <= 100_000 * 2048 * 2, "{body}: {many} turns over {places} places");
            assert!(*many <= ordinary, "{body}: {many} turns, {ordinary} over a small table");
        }
    }
}

/// Law: a table that is filled in the ordinary way costs nothing beside its statements, and one that is made
/// again and again costs what is made.
#[test]
fn fault_a12_tables_made_anew_again_and_again_end_by_count() {
    let turns = |before: &str, body: &str| {
        let script = format!(
            "local n, some = 0, {{}}
            {before}
            function onStart()
              timer.after(0.1, function() log.info('%d', n) end)
              while true do n += 1 {body} end
            end"
        );
        let ran = run(&script, 12, "\"watchdogMs\": 60000, \"fuelAtLoad\": 10000000", &[]);
        assert_eq!(
            (ran.lines.first().map(String::as_str), ran.lines.len(), ran.code),
            (Some("fault fuel"), 2, Some(0)),
            "{body} {:?}",
            ran.messages
        );
        ran.lines[1].parse::<u64>().unwrap()
    };
    let plain = turns("", "local it = n");
    for filled in ["some[n] = 1", "some[n + 0.5] = 1", "some[n] = { x = 1, y = 2, z = 3 }", "some[{}] = n"] {
        assert_eq!(turns("", filled), plain, "{filled}");
    }
    let anew = [
        // A number that belongs behind the numbers there are has the whole table looked over.
        (500, "some[1] = 1 some[1] = nil some[2] = 1 some[2] = nil", 2 * 512),
        (30_000, "some[1] = 1 some[1] = nil some[2] = 1 some[2] = nil", 2 * 32_768),
        // A full table makes room for one more name by being made again.
        (1023, "some['k' .. n] = nil some['k' .. n + 1023] = 1 some['l'] = 1 some['l'] = nil", 1),
    ];
    for (count, body, places) in anew {
        let many = turns(&format!("for i = 1, {count} do some['k' .. i] = 1 end"), body);
        let (made, paid) = (many * places * 32, (100_000 * 2 + 16 * 1024) * 1024);
        assert!(made <= paid, "{body}: {many} turns make {made} bytes again, {paid} are paid for");
    }
    // A key that is no place of the list has all of the list counted, once in so many turns.
    let holes = [
        ("some[-n] = 1 some[-n + 3] = nil", 4),
        ("some[-n] = 1 some[-n + 1] = nil", 2),
        ("rawset(some, -n, 1) rawset(some, -n + 3, nil)", 4),
        ("some[2 ^ 40 + n] = 1 some[2 ^ 40 + n - 3] = nil", 4),
    ];
    let count = 300_000;
    for (body, every) in holes {
        let many = turns(&format!("for i = 1, {count} do some[i] = 1 end"), body);
        let (counted, paid) = (many / every * count, 100_000 * 2 * 1024);
        assert!(counted <= paid, "{body}: {many} turns count {counted} places, {paid} are paid for");
    }
}

/// A floor of points half a metre apart with a wall across that has a gap, as a level.
fn graph_of_points(side: usize) -> String {
    let is_wall = |x: usize, z: usize| x == side / 2 && z != side / 4;
    let mut links = Vec::new();
    for (z, x) in (0..side * side).map(|at| (at / side, at % side)).filter(|&(z, x)| !is_wall(x, z)) {
        for (to_x, to_z) in [(x + 1, z), (x, z + 1), (x + 1, z + 1)] {
            if to_x < side && to_z < side && !is_wall(to_x, to_z) {
                links.push(format!("[{}, {}]", z * side + x, to_z * side + to_x));
            }
        }
    }
    let points =
        (0..side * side).map(|at| format!("[{}, 0, {}]", (at % side) as f32 / 2.0, (at / side) as f32 / 2.0));
    format!(
        "{{ \"name\": \"floor\", \"script\": \"attack.lua\", \"limits\": {{ \"watchdogMs\": 60000 }},
        \"navigation\": {{ \"kind\": \"graph\", \"width\": 0.15, \"agentRadius\": 0.3,
          \"points\": [{}], \"links\": [{}] }} }}",
        points.collect::<Vec<_>>().join(", "),
        links.join(", ")
    )
}

/// Law: what scripts ask of a graph costs by the links that are looked at for it, which grow with the length
/// of a line or a way, and with the graph where all of it is looked over.
#[test]
fn fault_a12_questions_to_a_graph_cost_as_much_as_links_are_looked_at() {
    let turns = |side: usize, body: &str| {
        let far = (side - 1) as f64 / 2.0;
        let script = format!(
            "local n, here, there, far = 0, vector.create(0, 0, 0), vector.create(2, 0, 1), vector.create({far}, 0, {far})
            local edge = vector.create(0, 0, {far})
            function onStart()
              timer.after(0.1, function() log.info('%d', n) end)
              while true do n += 1 {body} end
            end"
        );
        let ran = run(&script, 12, "", &[("stage.json", &graph_of_points(side))]);
        assert_eq!(
            (ran.lines.first().map(String::as_str), ran.lines.len(), ran.code),
            (Some("fault fuel"), 2, Some(0)),
            "{body} {:?}",
            ran.messages
        );
        ran.lines[1].parse::<u64>().unwrap()
    };
    // On 60 by 60 points a way from corner to corner leads over some hundred links.
    let (near, way) = (turns(60, "nav.findPath(here, there)"), turns(60, "nav.findPath(here, far)"));
    assert!(way * 8 <= near && way * 100 <= 100_000 * 2, "{near} ways nearby, {way} ways across");
    let (near, line) = (turns(60, "nav.lineOfWalk(here, there)"), turns(60, "nav.lineOfWalk(here, edge)"));
    assert!(line * 2 < near && line * 60 <= 100_000 * 4, "{near} lines nearby, {line} lines along the edge");
    // Of one group of links a point is drawn without a look at each.
    let (small, large) = (turns(12, "nav.randomPoint()"), turns(60, "nav.randomPoint()"));
    assert_eq!(small, large, "points of a small graph and of a large one");
    let wide = "nav.randomPoint({ around = here, within = 100 })";
    let (few, many) = (turns(12, wide), turns(60, wide));
    // 10,000 links, at some 32 for a unit.
    assert!(
        many < few && many * 10_000 <= 100_000 * 32 * 2,
        "{few} points of a small graph, {many} of a large one"
    );
}

/// Law: however much the scripts of a level ask for, a tick runs little of it, the rest waits, and all of it
/// runs in the end. What a function of the host does takes longer than a safepoint, and counts for more.
#[test]
fn fault_a12_work_beyond_what_a_tick_affords_waits_for_the_next() {
    let bodies = [
        ("for i = 1, 90000 do end", 3),
        ("for i = 1, 4000 do local it = world.findCharacter('hero') end", 3),
        ("for i = 1, 200 do timer.after(1, nothing, wide):cancel() end", 3),
        ("for i = 1, 500 do local all = world.characters() all = world.characters() end", 8),
        ("for i = 1, 100 do pcall(world.character, 'nobody') end", 2),
        ("for i = 1, 20 do local parts = long:split('x') end", 4),
    ];
    for (body, most) in bodies {
        let script = format!(
            "local wide, long = {{}}, ('x'):rep(10000)
            for i = 1, 100 do wide['key' .. i] = i end
            local function nothing() end
            function onStart()
                for i = 1, 24 do timer.after(0.1, function() log.info('%d', level.tick) {body} end) end
            end"
        );
        // No clock decides, however busy the machine is.
        let ran = run(&script, 240, "\"watchdogMs\": 60000", &[]);
        let mut by_tick = std::collections::BTreeMap::<&str, u32>::new();
        ran.lines.iter().for_each(|tick| *by_tick.entry(tick).or_default() += 1);
        assert_eq!(ran.lines.len(), 24, "{body}: all of them run, without a fault: {:?}", ran.lines);
        let largest = by_tick.values().copied().max().unwrap_or(0);
        assert!(largest <= most, "{body}: {largest} in one tick");
    }
}

/// A hall of 40 by 40 m with many of everything that a level may have many of, and few of the same.
fn crowded_hall() -> String {
    let star: Vec<String> = (0..4096)
        .map(|corner| {
            let (sin, cos) = (f64::from(corner) * std::f64::consts::TAU / 4096.0).sin_cos();
            let reach = if corner % 2 == 0 { 19.0 } else { 18.0 };
            format!("[{:.4}, {:.4}]", 20.0 + reach * cos, 20.0 + reach * sin)
        })
        .collect();
    let areas: Vec<String> = (0..200)
        .map(|number| {
            let x = 50 + 2 * number;
            format!(
                "{{ \"name\": \"step{number}\", \"polygon\": [[{x},0],[{},0],[{},1],[{x},1]] }}",
                x + 1,
                x + 1
            )
        })
        .collect();
    let doors: Vec<String> = (0..200)
        .map(|number| format!("{{ \"name\": \"door{number}\", \"area\": \"step{number}\" }}"))
        .collect();
    let people: Vec<String> = (0..300)
        .map(|number| {
            let (x, z) = (10.0 + f64::from(number % 20), 10.0 + f64::from(number / 20));
            format!("{{ \"name\": \"c{number}\", \"position\": [{x}, {z}] }}")
        })
        .collect();
    let tags: Vec<String> = (0..64).map(|number| format!("\"tag{number}\"")).collect();
    let stops = vec!["\"post\""; 2000].join(", ");
    format!(
        "{{ \"script\": \"attack.lua\", \"limits\": {{ \"watchdogMs\": 60000 }},
        \"navigation\": {{ \"areas\": [
          {{ \"name\": \"hall\", \"polygon\": [[0,0],[40,0],[40,40],[0,40]] }}, {} ] }},
        \"marks\": {{ \"post\": [3, 3] }},
        \"routes\": {{ \"short\": [\"post\", \"post\"], \"long\": [{stops}] }},
        \"regions\": [
          {{ \"name\": \"square\", \"polygon\": [[0,0],[40,0],[40,40],[0,40]] }},
          {{ \"name\": \"star\", \"polygon\": [{}] }} ],
        \"doors\": [ {} ],
        \"characters\": [ {{ \"name\": \"tagged\", \"position\": [5, 5], \"tags\": [{}] }}, {} ] }}",
        areas.join(", "),
        star.join(", "),
        doors.join(", "),
        tags.join(", "),
        people.join(", "),
    )
}

/// Law: what scripts ask about a level costs by how much of it is looked at and handed out.
#[test]
fn fault_a12_questions_cost_as_much_of_the_level_as_is_looked_at() {
    let turns = |body: &str| {
        let script = format!(
            "local n, bytes, wide, node = 0, buffer.create(12 * 400), table.create(2000, 1), bt.wait(1)
            local nodes = table.create(2000, node)
            function onStart()
              local tagged, plain = world.character('tagged'), world.character('c1')
              timer.after(0.1, function() log.info('%d', n) end)
              while true do n += 1 {body} end
            end"
        );
        let ran = run(&script, 12, "", &[("stage.json", &crowded_hall())]);
        assert_eq!(
            (ran.lines.first().map(String::as_str), ran.lines.len(), ran.code),
            (Some("fault fuel"), 2, Some(0)),
            "{body} {:?}",
            ran.messages
        );
        ran.lines[1].parse::<u64>().unwrap()
    };
    // What is asked of little and of much, and how often a call may ask for the second: a unit of fuel, of
    // which it has 100,000, pays for some 100 corners, 4 tags, and one half of a stop or of a door.
    let questions = [
        ("pcall(task.all, { 1 })", "pcall(task.all, wide)", 100),
        ("bt.sequence({ node })", "bt.sequence(nodes)", 100),
        ("world.positions(bytes, { region = 'square' })", "world.positions(bytes, { region = 'star' })", 12),
        ("world.characters({ region = 'square' })", "world.characters({ region = 'star' })", 12),
        ("local tags = plain.tags", "local tags = tagged.tags", 6_000),
        ("nav.route('short')", "nav.route('long')", 50),
        ("world.doors({ prefix = 'door199' })", "world.doors()", 500),
    ];
    for (of_little, of_much, most) in questions {
        let (many, few) = (turns(of_little), turns(of_much));
        assert!(few * 2 <= many && few <= most, "{of_much}: {few} times, and {many} times {of_little}");
    }
}

/// Law: what a watch knows is asked at one price, however many are inside; who asks for all of them pays for
/// each.
#[test]
fn fault_a12_what_watches_know_costs_what_is_looked_at() {
    let turns = |radius: u32, body: &str| {
        let script = format!(
            "local n, kinds = 0, {{ 'kind' }}
            function onStart()
              local tagged, someone = world.character('tagged'), world.character('c1')
              local watch = region.near(vector.create(11, 0, 10), {radius}, {{ initial = true }})
              local heard = sense.watch(tagged, someone, {{ range = {radius}, degrees = 360 }})
              for i = 1, 200 do world.spawn({{ name = 'k' .. i, at = vector.create(9, 0, 9), tags = kinds }}) end
              local of_kind = sense.watch(tagged, {{ tag = 'kind' }}, {{ range = {radius}, degrees = 360 }})
              timer.after(0.1, function() while true do n += 1 {body} end end)
              timer.after(0.2, function() log.info('%d', n) end)
            end"
        );
        let ran = run(&script, 24, "", &[("stage.json", &crowded_hall())]);
        turns_told(&ran, body)
    };
    for body in ["watch:occupied()", "watch:contains(someone)", "heard:sees(someone)"] {
        let (few, many) = (turns(1, body), turns(40, body));
        // A call costs no less than its price, 4 units.
        assert!(few == many && many <= 100_000 / 4, "{body}: {few} with few inside, {many} with many");
    }
    let (few, many) = (turns(1, "watch:inside()"), turns(40, "watch:inside()"));
    assert!(many * 4 <= few, "{few} times with few inside, {many} with many");
    // 200 that it knows, at 64 for a unit.
    let switched = "of_kind:disable() of_kind:enable()";
    let (few, many) = (turns(1, switched), turns(40, switched));
    assert!(many * 10 <= few * 9, "{few} times with few that it knows, {many} with many");
    assert!(turns(40, "local at = heard.lastSeen") <= 100_000 / 16, "a place and a table are made");
}

/// Law: the end of a listener costs by the listeners among which it is looked for.
#[test]
fn fault_a12_listeners_cost_those_who_end_them() {
    let turns = |others: u32| {
        let script = format!(
            "local n = 0
            local function nothing() end
            function onStart()
              for i = 1, {others} do event.on('event' .. i, nothing) end
              timer.after(0.1, function() while true do n += 1 event.on('one', nothing):remove() end end)
              timer.after(0.2, function() log.info('%d', n) end)
            end"
        );
        let ran = run(&script, 24, "\"watchdogMs\": 60000", &[]);
        turns_told(&ran, "")
    };
    let (few, many) = (turns(1), turns(250));
    // 250 at 16 for a unit.
    assert!(many * (100_000 / few + 15) <= 100_000, "{few} times among few, {many} times among many");
}

/// Law: a watch that lets everybody go pays for each of them.
#[test]
fn fault_a12_watches_that_let_many_go_end_by_fuel() {
    let let_go = |radius: u32, verb: &str| {
        let script = format!(
            "local n, watches = 0, {{}}
            function onStart()
              for i = 1, 200 do watches[i] = region.near(vector.create(11, 0, 10), {radius}) end
              timer.after(0.1, function() for _, one in watches do one:{verb}() n += 1 end end)
              timer.after(0.2, function() log.info('%d', n) end)
            end"
        );
        let level = crowded_hall().replacen("60000", "60000, \"fuelPerCall\": 20000", 1);
        let ran = run(&script, 24, "", &[("stage.json", &level)]);
        assert_eq!(ran.code, Some(0), "{verb} {:?} {:?}", ran.lines, ran.messages);
        ran.lines.last().and_then(|line| line.parse::<u32>().ok()).unwrap_or_default()
    };
    for verb in ["disable", "remove"] {
        let (few, many) = (let_go(1, verb), let_go(40, verb));
        assert!(few == 200 && many < 200, "{verb}: {few} watches with few inside, {many} with many");
    }
}

/// Law: step 11 looks at as much in a tick as it affords, whatever the watches ask for: corners of regions
/// and tags count as well.
#[test]
fn watches_that_look_at_many_corners_or_tags_take_turns() {
    let watched = |watch: &str, count: u32| {
        let script = format!(
            "local tags = {{}}
            for i = 1, 64 do tags[i] = 'kind' .. i end
            function onStart()
              for i = 1, 64 do
                world.spawn({{ name = 'w' .. i, at = vector.create(30, 0, 30), tags = tags }})
              end
              for i = 1, {count} do {watch} end
            end"
        );
        let ran = run(&script, 12, "", &[("stage.json", &crowded_hall())]);
        assert_eq!((ran.messages.len(), ran.code), (0, Some(0)), "{:?}", ran.messages);
        ran.trace.contains("watchesDeferred")
    };
    let corners = "region.on('star', { onEnter = function() end })";
    let rims = "region.on('star', { edge = 'full', onEnter = function() end })";
    let tags = "region.on('square', { filter = tags, onEnter = function() end })";
    let one = "region.on('star', { filter = world.character('c1'), onEnter = function() end })";
    let plain = "region.on('square', { onEnter = function() end })";
    for (watch, few, many) in [(corners, 4, 16), (rims, 2, 8), (tags, 16, 128)] {
        assert!(!watched(watch, few), "{few} watches: {watch}");
        assert!(watched(watch, many), "{many} watches: {watch}");
    }
    for watch in [plain, one] {
        assert!(!watched(watch, 128), "{watch}");
    }
}

/// The same for regions of the level, which nobody has asked for.
#[test]
fn regions_with_many_corners_take_turns_in_front_of_a_crowd() {
    let star = |number: usize| {
        let corners: Vec<String> = (0..4096)
            .map(|corner| {
                let (sin, cos) = (f64::from(corner) * std::f64::consts::TAU / 4096.0).sin_cos();
                format!("[{:.3}, {:.3}]", 50.0 + 49.0 * cos, 50.0 + 49.0 * sin)
            })
            .collect();
        format!("{{ \"name\": \"r{number}\", \"polygon\": [{}] }}", corners.join(", "))
    };
    let level = |regions: usize| {
        let regions: Vec<String> = (0..regions).map(star).collect();
        let people: Vec<String> = (0..2000)
            .map(|number| {
                let (x, z) = (5 + 2 * (number % 45), 5 + 2 * (number / 45));
                format!("{{ \"name\": \"c{number}\", \"position\": [{x}, {z}] }}")
            })
            .collect();
        format!(
            "{{ \"script\": \"attack.lua\",
            \"navigation\": {{ \"areas\": [ {{ \"name\": \"hall\", \"polygon\": [[0,0],[100,0],[100,100],[0,100]] }} ] }},
            \"regions\": [ {} ], \"characters\": [ {} ] }}",
            regions.join(", "),
            people.join(", ")
        )
    };
    let few = run("", 4, "", &[("stage.json", &level(8))]);
    assert!(few.code == Some(0) && !few.trace.contains("regionsDeferred"), "{:?}", few.messages);
    let many = run("", 4, "", &[("stage.json", &level(20))]);
    assert!(many.code == Some(0) && many.trace.contains("regionsDeferred"), "{:?}", many.messages);
}

/// Names that the level keeps for scripts are no longer than names may be.
#[test]
fn fault_b6_names_that_are_kept_have_a_length_wherever_they_are_given() {
    let script = "
        local long = ('x'):rep(1000000)
        function onStart()
          local hero, gate = world.character('hero'), world.door('gate')
          local keepers = {
            function() gate:lock(long) end,
            function() gate:open({ key = long }) end,
            function() hero:walkTo(3, 5, { doors = 'open', keys = { long } }) end,
            function() nav.findPath(hero, vector.create(3, 0, 5), { keys = { long } }) end,
            function() nav.findPath(hero, vector.create(3, 0, 5), { tags = { long } }) end,
            function() world.spawn({ name = 's', at = hero, tags = { long } }) end,
            function() region.near(hero, 3, { filter = long }) end,
            function() region.near(hero, 3, { filter = { long } }) end,
            function() sense.watch(hero, { tag = long }) end,
            function() hero:walkTo(3, 5, { avoid = { long } }) end,
            function() cinematic.define('a', { script = print, holds = { long } }) end,
            function() cinematic.define('a', { script = print, locks = { long } }) end,
          }
          for index, keep in keepers do
            local ok, what = pcall(keep)
            if ok or not what:find('at most 128 bytes') then log.info('%d: %s', index, ok or what) end
          end
        end";
    let ran = run(script, 2, "", &[]);
    assert_eq!((ran.lines, ran.code), (Vec::new(), Some(0)), "{:?}", ran.messages);
}

/// Definitions of scenes are in the account as well: a script cannot make them without end.
#[test]
fn fault_b6_definitions_of_scenes_are_in_the_memory_of_the_level() {
    let script = "
        local names, n = table.create(1300, ('x'):rep(128)), 0
        function onStart()
          local ok
          repeat
            n += 1
            ok = pcall(function() cinematic.define('scene' .. n, { script = print, holds = names }) end)
          until not ok or n > 250
          log.info('%s', n > 30 and n < 90)
        end";
    let ran = run(script, 2, "\"memoryMiB\": 16, \"fuelPerCall\": 10000000, \"watchdogMs\": 60000", &[]);
    assert_eq!(
        (ran.lines.first().map(String::as_str), ran.code),
        (Some("true"), Some(0)),
        "{:?}",
        ran.messages
    );
}

/// So are tags that scripts give to tiles, and watches with what they ask for.
#[test]
fn fault_b6_tags_of_tiles_and_of_watches_are_in_the_memory_of_the_level() {
    let row = format!("\"{}\"", ".".repeat(64));
    let tiles = format!(
        "{{ \"script\": \"attack.lua\", \"limits\": {{ \"memoryMiB\": 16, \"fuelPerCall\": 10000000, \"watchdogMs\": 60000 }},
        \"navigation\": {{ \"kind\": \"tiles\", \"layers\": [ {{ \"name\": \"ground\", \"rows\": [ {} ] }} ] }} }}",
        vec![row; 64].join(", ")
    );
    let crowd = crowded_hall().replace(
        "\"watchdogMs\": 60000",
        "\"watchdogMs\": 60000, \"memoryMiB\": 16, \"fuelPerCall\": 10000000, \"watchesPerOwner\": 4096",
    );
    let cases = [
        (tiles, "nav.setTile(vector.create(n % 64 + 0.5, 0, n // 64 + 0.5), { tags = tags() })", 250..1500),
        (crowd, "region.on('square', { filter = tags() })", 500..2500),
    ];
    for (level, keep, range) in cases {
        let script = format!(
            "local n = 0
            local function tags()
              local made = {{}} for i = 1, 64 do made[i] = ('%d %d '):format(n, i) .. ('x'):rep(100) end return made
            end
            function onStart()
              local ok, what
              repeat n += 1 ok, what = pcall(function() {keep} end) until not ok or n > 4000
              log.info('%d', n)
              log.info('%s', what and what:match('no memory is left') or what)
            end"
        );
        let ran = run(&script, 2, "", &[("stage.json", &level)]);
        assert_eq!(ran.code, Some(0), "{keep}: {:?}", ran.messages.first());
        assert_eq!(ran.lines.get(1).map(String::as_str), Some("no memory is left"), "{keep} {:?}", ran.lines);
        assert!(range.contains(&ran.lines[0].parse::<i32>().unwrap()), "{keep} {:?}", ran.lines);
    }
}

/// Those who are inside of watches are in the memory as well, as soon as they are inside: a level that they
/// fill ends, and its script is told of them.
#[test]
fn fault_b6_those_inside_of_watches_are_in_the_memory_of_the_level() {
    let script = "
        function onStart()
          for i = 1, 3000 do region.on('square', { initial = true }) end
          timer.after(0.3, function() log.info('never') end)
        end";
    let more = "\"memoryMiB\": 16, \"fuelPerCall\": 10000000, \"watchesPerOwner\": 4096";
    let level = crowded_hall().replace("\"watchdogMs\": 60000", &format!("\"watchdogMs\": 60000, {more}"));
    let ran = run(script, 24, "", &[("stage.json", &level)]);
    assert_eq!((ran.lines, ran.code), (vec!["fault memory".to_owned()], Some(5)), "{:?}", ran.messages);
    let expected = "watches and those inside of them take";
    assert!(ran.messages[0].contains(expected), "{:?}", ran.messages);
    let told = ran.trace.lines().find(|line| line.contains("scriptFault")).unwrap_or_default();
    assert!(told.contains("\"owner\":\"level script\""), "{told}");
}

/// What scenes say to the host waits with them: it has a length.
#[test]
fn fault_b6_lines_and_answers_of_scenes_have_a_length() {
    let script = "
        local long = ('x'):rep(1000000)
        local function try(what) local ok, why = pcall(what) log.info('%s', ok or why:match('at most.*') or why) end
        function onStart()
          cinematic.define('talk', { holds = { 'hero' }, script = function(c)
            local hero = world.character('hero')
            try(function() c:say(hero, long) end)
            try(function() c:choice('q', { long, 'no' }) end)
            try(function() c:say(hero, ('x'):rep(4096), { seconds = 0.1 }) end)
            try(function() c:choice('q', { ('x'):rep(256), 'no' }, { default = 'no', seconds = 0.1 }) end)
          end })
          cinematic.play('talk')
        end";
    let ran = run(script, 60, "", &[]);
    assert_eq!(ran.lines, ["at most 4096 bytes", "at most 256 bytes", "true", "true"], "{:?}", ran.messages);
}

/// How often a call with a text of so many bytes is made before its fuel ends.
fn calls_with_a_text(bytes: u32, body: &str) -> u32 {
    let script = format!(
        "local long, n = ('x'):rep({bytes}), 0
        function onStart()
          local hero = world.character('hero')
          timer.after(0.1, function() log.info('%d', n) end)
          while true do n += 1 {body} end
        end"
    );
    let ran = run(&script, 12, "\"watchdogMs\": 60000", &[]);
    turns_told(&ran, body)
}

/// A text costs by its length wherever it is given, in a table of options as well.
#[test]
fn fault_a12_long_texts_in_options_end_by_fuel() {
    let loops = [
        "pcall(world.characters, { tag = long })",
        "pcall(world.doors, { prefix = long })",
        "pcall(world.spawn, { name = 'x', at = long })",
        "pcall(world.spawn, { name = 'x', at = hero, like = long })",
        "pcall(hero.walkTo, hero, 2, 5, { costs = { [long] = 2 } })",
    ];
    for body in loops {
        let turns = calls_with_a_text(1_000_000, body);
        assert!(turns <= 60, "{body}: {turns} times");
    }
}

/// Law: the length of a text counts once, where it is an argument and where it stands in options.
#[test]
fn fault_a12_a_text_costs_its_length_once() {
    let calls = [
        "pcall(nav.mark, long)",
        "pcall(world.characters, { tag = long })",
        "pcall(world.isLocked, long)",
        "pcall(hero.walkTo, hero, long)",
    ];
    for body in calls {
        let turns = calls_with_a_text(512_000, body);
        // 2,000 units for the text, fewer than 1,000 for the mistake, and a call has 100,000.
        assert!((33..=50).contains(&turns), "{body}: {turns} times");
    }
}

/// Law: whether something is locked costs by the names that scenes have locked.
#[test]
fn fault_a12_what_scenes_lock_costs_those_who_ask() {
    let turns = |locks: u32| {
        let script = format!(
            "local n = 0
            function onStart()
              local locks = {{}}
              for i = 1, {locks} do locks[i] = 'lock' .. i end
              cinematic.define('long', {{ locks = locks, script = function(c) c:wait(9) end }})
              cinematic.play('long')
              timer.after(0.1, function() while true do n += 1 world.isLocked('nothing') end end)
              timer.after(0.2, function() log.info('%d', n) end)
            end"
        );
        let ran = run(&script, 12, "\"watchdogMs\": 60000", &[]);
        turns_told(&ran, "")
    };
    let (one, many) = (turns(1), turns(8000));
    assert!(many * 8 <= one, "{one} times with one lock, {many} times with 8,000");
}

/// Who goes in and out of watches that tell nobody takes no memory of the scripts.
#[test]
fn fault_b6_watches_without_handlers_leave_the_memory_of_the_level_alone() {
    let script = "
        function onStart()
          for i = 1, 256 do region.on('square', { initial = true }) end
          timer.after(0.3, function() log.info('still here') end)
        end";
    let level = crowded_hall().replace("\"watchdogMs\": 60000", "\"watchdogMs\": 60000, \"memoryMiB\": 8");
    let ran = run(script, 24, "", &[("stage.json", &level)]);
    assert_eq!((ran.messages.len(), ran.code), (0, Some(0)), "{:?}", ran.messages.first());
    assert_eq!(ran.lines.last().map(String::as_str), Some("still here"));
}

/// How often something was done in each tick: from lines that say `tick name`, with the names in order.
fn names_by_tick(ran: &Ran) -> std::collections::BTreeMap<u32, Vec<u32>> {
    let mut by_tick = std::collections::BTreeMap::<u32, Vec<u32>>::new();
    for line in ran.lines.iter().filter(|line| !line.starts_with("fault")) {
        let (tick, name) = line.split_once(' ').unwrap();
        by_tick.entry(tick.parse().unwrap()).or_default().push(name.parse().unwrap());
    }
    by_tick
}

/// Law: those who hear of one thing take turns when the fuel of a tick does not suffice for all of them; each
/// hears of it once, in order, before anything that came later.
#[test]
fn fault_a24_many_who_hear_of_one_thing_take_turns() {
    let listeners = [
        ("event.on('go', hear(i))", "event.emit('go')"),
        ("event.once('go', hear(i))", "event.emit('go')"),
        ("blackboard.level:watch('go', hear(i))", "blackboard.level:set('go', 1)"),
        (
            "task.spawn(function() task.waitEvent('go', { where = function() hear(i)() return false end }) end)",
            "event.emit('go')",
        ),
        (
            "world.spawn({ name = 'n' .. i, at = vector.create(1 + i % 8, 0, 1 + i // 8), behaviour = 'hearer',
               params = { number = i } })",
            "event.emit('go')",
        ),
    ];
    let hearer = "return { params = { number = { type = 'number' } }, on = { go = function(self)
        log.info('%d %d', level.tick, self.params.number) for j = 1, 50000 do end
    end } }";
    for (listen, tell) in listeners {
        let script = format!(
            "local function hear(i) return function()
               log.info('%d %d', level.tick, i) for j = 1, 50000 do end
             end end
             function onStart()
               for i = 1, 30 do {listen} end
               event.on('later', function() end)
               timer.after(0.2, function() {tell} end)
             end
             function onTick() event.emit('later') end"
        );
        let ran = run(&script, 60, "\"watchdogMs\": 60000", &[("hearer.lua", hearer)]);
        let by_tick = names_by_tick(&ran);
        let context = format!("{listen} {by_tick:?} {:?}", ran.messages);
        // Fifty thousand turns each, and two hundred thousand in a tick.
        assert!(by_tick.values().all(|names| names.len() <= 5), "{context}");
        let all: Vec<u32> = by_tick.into_values().flatten().collect();
        assert_eq!(all, (1..=30).collect::<Vec<_>>(), "{context}");
    }
}

/// Law: scenes that end together take turns with their ends as well.
#[test]
fn fault_a24_many_scenes_that_end_at_once_take_turns() {
    let script = "function onStart()
        for i = 1, 20 do
          cinematic.define('s' .. i, { script = function(c) c:wait(0.1) end, onEnd = function()
            log.info('%d %d', level.tick, i) for j = 1, 50000 do end
          end })
          cinematic.play('s' .. i)
        end
      end";
    let ran = run(script, 60, "\"watchdogMs\": 60000", &[]);
    let by_tick = names_by_tick(&ran);
    assert!(by_tick.values().all(|names| names.len() <= 6), "{by_tick:?} {:?}", ran.messages);
    assert_eq!(by_tick.values().map(Vec::len).sum::<usize>(), 20, "{by_tick:?} {:?}", ran.messages);
}

/// Law: functions of `task.onCancel` run whatever happens, and many of them do little once the fuel of the
/// tick is spent.
#[test]
fn fault_a24_many_tasks_that_are_cancelled_at_once_clean_up_in_short() {
    let script = "function onStart()
        local all = {}
        for i = 1, 40 do
          all[i] = task.spawn(function()
            task.onCancel(function()
              for j = 1, if i % 2 == 0 then 50000 else 500 do end
              log.info('%d %d', level.tick, i)
            end)
            task.sleep(100)
          end)
        end
        timer.after(0.1, function() for _, one in all do one:cancel() end end)
      end";
    let ran = run(script, 40, "\"watchdogMs\": 60000", &[]);
    let done: Vec<u32> = names_by_tick(&ran).into_values().flatten().collect();
    let (long, short): (Vec<u32>, Vec<u32>) = done.iter().partition(|name| *name % 2 == 0);
    assert_eq!(short, (1..=40).step_by(2).collect::<Vec<_>>(), "{done:?} {:?}", ran.messages);
    assert!((1..=5).contains(&long.len()), "{done:?} {:?}", ran.messages);
}

/// Law: a call costs by the values that it is given or gives back, whatever it calls.
#[test]
fn fault_a12_calls_of_many_values_cost_by_their_number() {
    let calls = [
        "nothing(...)",
        "local a = math.max(...)",
        "local a = bit32.band(...)",
        "local a = select(-1, ...)",
        "local a = pcall(nothing, ...)",
        "local a = all(...)",
        "wrapped(...)",
        "pcall(nav.mark, ...)",
        "local a = deeper(30, ...)",
    ];
    for call in calls {
        let turns = |values: u32| {
            let script = format!(
                "local n = 0
                local function nothing(...) end
                local function all(...) return ... end
                local function deeper(n, ...) if n == 0 then return 0 end return (deeper(n - 1, ...)) end
                local function begin(...)
                  local wrapped = coroutine.wrap(function() while true do coroutine.yield() end end)
                  while true do n += 1 {call} end
                end
                function onStart()
                  local values = table.create({values}, 1)
                  timer.after(0.1, function() begin(table.unpack(values)) end)
                  timer.after(0.3, function() log.info('%d', n) end)
                end"
            );
            turns_told(&run(&script, 30, "\"watchdogMs\": 60000", &[]), call)
        };
        let (few, many) = (turns(1), turns(7000));
        // A unit for 32 values.
        assert!(many * (100_000 / few + 7000 / 32) <= 110_000, "{call}: {few} times and {many} times");
    }
}

/// Law: a skipped scene pays for all that it waits for, at each of its moments.
#[test]
fn fault_a12_skipped_scenes_cost_by_what_they_wait_for() {
    let moments = |cues: u32| {
        let script = format!(
            "local n, first = 0, nil
            function onStart()
              cinematic.define('s', {{ script = function(c)
                for i = 1, {cues} do c:cue('x', {{ seconds = 1000 }}) end
                while true do
                  first = first or level.tick
                  if level.tick == first then n += 1 end
                  c:wait(0.01)
                end
              end }})
              timer.after(0.1, function() cinematic.play('s'):skip() end)
              timer.after(0.3, function() log.info('%d', n) end)
            end"
        );
        let ran = run(&script, 30, "\"watchdogMs\": 60000", &[]);
        assert_eq!((ran.lines.len(), ran.code), (1, Some(0)), "{:?} {:?}", ran.lines, ran.messages);
        ran.lines[0].parse::<u32>().unwrap()
    };
    let (few, many) = (moments(1), moments(1000));
    assert!(few > 1000, "{few} moments");
    // Four for each cue.
    assert!(many <= 200_000 / 4000 + 1, "{many} moments of {few}");
}

/// Law: at one moment of a skipped scene each of its tasks is asked once, in order, however many ticks that
/// takes and whichever of them end meanwhile; and the scene gets on.
#[test]
fn tasks_of_a_skipped_scene_that_are_cancelled_meanwhile_leave_the_others_their_turn() {
    // The first tick leaves fuel for half of them, the next one tests all that are left before it goes on.
    let script = "local all, asked, first, cancelled = {}, {}, nil, false
        function onStart()
          cinematic.define('s', { script = function(c)
            for i = 1, 6 do
              all[i] = task.spawn(function()
                task.waitUntil(function()
                  for j = 1, 25000 do end
                  first = first or level.tick
                  table.insert(asked, i)
                  return false
                end)
              end)
            end
            for j = 1, 70000 do end
            c:wait(1000)
            log.info('%s', table.concat(asked, ' '))
          end })
          timer.after(0.1, function() cinematic.play('s'):skip() for j = 1, 60000 do end end)
        end
        function onTick()
          if first and not cancelled then
            cancelled = true
            for _, i in table.clone(asked) do all[i]:cancel() end
          end
        end";
    let ran = run(script, 120, "\"watchdogMs\": 60000", &[]);
    let told = ran.lines.first().map_or("", String::as_str);
    let asked: Vec<u32> = told.split(' ').filter_map(|task| task.parse().ok()).collect();
    assert!(asked.starts_with(&[1, 2, 3, 4, 5, 6]), "{told} {:?}", ran.messages);
    let counts = (1..=6).map(|task| asked.iter().filter(|&&other| other == task).count());
    let counts: Vec<usize> = counts.collect();
    assert_eq!(counts[..3], [1, 1, 1], "{told}");
    assert!(counts[3..].iter().all(|count| counts[3].abs_diff(*count) <= 1), "{told}");
}

/// Law: a skipped scene gets on however little of the fuel of a tick is left for it.
#[test]
fn a_skipped_scene_asks_a_task_in_every_tick_that_leaves_it_any_fuel() {
    let script = "local at = 0
        local function burn() for i = 1, 98600 do end end
        function onStart()
          cinematic.define('s', { script = function(c)
            for i = 1, 1000 do c:cue('x', { seconds = 1000 }) end
            task.waitUntil(function()
              local is_again = at == level.tick
              at = level.tick
              return is_again
            end)
            log.info('went on')
            c:wait(1000)
          end })
          timer.every(0.01, burn)
          timer.every(0.01, burn)
          timer.after(0.1, function() cinematic.play('s'):skip() end)
        end";
    let ran = run(script, 60, "\"watchdogMs\": 60000", &[]);
    assert_eq!(ran.lines, ["went on"], "{:?}", ran.messages);
}

/// Law: the more scripts a level has, the more it costs to say that there is none of a name.
#[test]
fn fault_a12_unknown_scripts_cost_by_the_scripts_there_are() {
    let turns = |scripts: usize, name: &str| {
        let names: Vec<String> = (0..scripts).map(|at| format!("module{at}.lua")).collect();
        let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "return {}")).collect();
        let script = format!(
            "local n, name = 0, {name}
            function onStart()
              timer.after(0.1, function() while true do n += 1 pcall(require, name) end end)
              timer.after(0.3, function() log.info('%d', n) end)
            end"
        );
        turns_told(&run(&script, 30, "\"watchdogMs\": 60000", &files), name)
    };
    let (few, many) = (turns(1, "'modul'"), turns(600, "'modul'"));
    assert!(few > 100 && many <= 20, "{few} times and {many} times");
    // In folders that are not there, every name is tried without them.
    let deep = turns(600, "('a/'):rep(500000) .. 'modul'");
    assert!(deep <= 3, "{deep} times");
}

/// Law: asking for a scene costs by the scenes there are, and no more than may wait are taken.
#[test]
fn fault_a12_scenes_cost_by_the_scenes_there_are() {
    let script = "local n, refused = 0, 0
      function onStart()
        for i = 1, 40 do
          cinematic.define('s' .. i, { script = function(c)
            for j = 1, 40 do n += 1 if not pcall(cinematic.play, 's' .. j) then refused += 1 end end
          end })
        end
        timer.after(0.1, function() cinematic.play('s1') end)
        timer.after(3, function() log.info('%s', refused > 0 or n < 65536) end)
      end";
    let ran = run(script, 200, "\"watchdogMs\": 60000", &[]);
    assert_eq!((ran.lines, ran.code), (vec!["true".to_owned()], Some(0)), "{:?}", ran.messages);
}
