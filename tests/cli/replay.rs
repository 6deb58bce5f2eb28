//! Traces run again: nothing differs, or what differs is named.
//!
//! Goal: a trace is evidence. Method: levels are recorded and replayed inside the library; traces are then
//! cut, edited and shortened, and the verdict must name the place; the command line is tried on whole
//! projects.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use serde_json::Value;
use walkon_runtime::base::time::TickRate;
use walkon_runtime::base::value::{Plain, PlainKey};
use walkon_runtime::game::fixed_timestep::FixedTimestep;
use walkon_runtime::game::header::{Header, RunSetup};
use walkon_runtime::game::headless::{Bound, Host, Onlooker, run_hosted};
use walkon_runtime::game::inputs::{DoorCommand, Input, InputGoal, InputSpawn, InputTeleport, Reload};
use walkon_runtime::game::recorder::{RecordOptions, Recorder};
use walkon_runtime::game::recording::{Recording, tick_of};
use walkon_runtime::game::replay::{DifferenceKind, ReplayResult, replay};
use walkon_runtime::game::tick::Tick;
use walkon_runtime::game::{Game, Setup};
use walkon_runtime::level::{Level, MemorySource, load};
use walkon_runtime::script::vm::fuel::Signals;
use walkon_runtime::world::World;

use crate::fixture::{HALL, Stage};
use crate::level::levels::scripts;

/// A level and its scripts.
struct Piece {
    path: String,
    level: String,
    scripts: BTreeMap<String, String>,
}

impl Piece {
    fn shipped(name: &str) -> Self {
        let path = format!("levels/{name}.json");
        let level = std::fs::read_to_string(crate::place::root().join(&path)).unwrap();
        Self { path, level, scripts: scripts() }
    }

    /// A room with `hero` and a level script.
    fn room(script: &str) -> Self {
        let level = r#"{ "name": "room", "script": "room.lua",
          "navigation": { "areas": [ { "name": "hall", "polygon": [[0,0],[20,0],[20,20],[0,20]] } ] },
          "characters": [ { "name": "hero", "position": [4, 4] } ] }"#;
        let scripts = BTreeMap::from([("room.lua".to_owned(), script.to_owned())]);
        Self { path: "levels/room.json".to_owned(), level: level.to_owned(), scripts }
    }

    fn load(&self) -> Level {
        let source = MemorySource::new().with(&self.path, self.level.as_bytes());
        load(&self.path, &source).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The trace of a run, with what the host says by tick; it is stopped from outside at `stop`.
    fn record(&self, ticks_max: u64, inputs: BTreeMap<u64, Vec<Input>>, stop: Option<u64>) -> String {
        self.record_until(ticks_max, inputs, stop.map_or(Stop::Never, Stop::After))
    }

    fn record_until(&self, ticks_max: u64, inputs: BTreeMap<u64, Vec<Input>>, stop: Stop) -> String {
        let signals = Arc::new(Signals::default());
        let options = RecordOptions { trace: true, hash_every: 1, positions_every: 10, ..Default::default() };
        let bound = Bound { ticks_max, until: None, is_strict: false };
        let level = self.load();
        let made = RunSetup {
            level_file: &self.path,
            seed: 7,
            bound: bound.clone(),
            args: vec!["fast".to_owned()],
            options,
        };
        let header = Header::of(&level, &self.scripts, BTreeMap::new(), made);
        let setup = Setup {
            scripts: self.scripts.clone(),
            seed: Some(7),
            args: vec!["fast".to_owned()],
            recorder: Recorder::new(options),
            signals: Arc::clone(&signals),
            ..Setup::default()
        };
        let mut game = Game::load(level, setup).unwrap_or_else(|error| panic!("{error}"));
        let mut author = Author { lines: vec![header.line()], inputs, stop, signals };
        let report = run_hosted(&mut game, &bound, &mut author);
        author.lines.push(report.last_line());
        author.lines.join("\n") + "\n"
    }

    fn replay(&self, trace: &str) -> ReplayResult {
        let recording = Recording::read(trace).unwrap_or_else(|error| panic!("{error}"));
        let started =
            replay(&recording, self.load(), self.scripts.clone(), Default::default(), &mut || false);
        started.unwrap_or_else(|error| panic!("{error}"))
    }
}

/// When a run is stopped from outside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    Never,
    After(u64),
    /// In the midst of a tick: its scripts end where they are.
    Within(u64),
}

struct Author {
    lines: Vec<String>,
    inputs: BTreeMap<u64, Vec<Input>>,
    stop: Stop,
    signals: Arc<Signals>,
}

impl Host for Author {
    fn inputs(&mut self, _: &World, tick: u64) -> Vec<Input> {
        if self.stop == Stop::Within(tick) {
            self.signals.stop();
        }
        self.inputs.remove(&tick).unwrap_or_default()
    }

    fn watch(&mut self, world: &World, recorded: &Tick) -> Onlooker {
        self.lines.extend(recorded.lines.iter().cloned());
        match self.stop {
            Stop::After(stop) | Stop::Within(stop) if world.tick().0 >= stop => Onlooker::Stop,
            _ => Onlooker::GoOn,
        }
    }
}

const WALKER: &str = r#"
local hero = nil
function onStart()
  hero = world.character("hero")
  hero:walkTo(15, 12)
  event.on("bell", function(payload)
    local times = payload and payload.times or 0
    log.info("bell %d at %.1f by %s", times, payload.at.x, payload.who.name)
    payload.who:walkTo(math.random(2, 18), math.random(2, 18))
  end)
end
"#;

/// A payload with everything that JSON has no form for.
fn bell(game: &World) -> Input {
    let key = |name: &str| PlainKey::Name(name.to_owned());
    let payload = Plain::Map(BTreeMap::from([
        (key("times"), Plain::Number(3.0)),
        (key("at"), Plain::Vector(glam::Vec3::new(0.1, 0.0, 2.0))),
        (key("who"), Plain::Character(game.find_character("hero").unwrap())),
    ]));
    Input::Event { name: "bell".to_owned(), payload: Some(payload) }
}

fn rung(piece: &Piece) -> String {
    let world = walkon_runtime::level::spawn::build(piece.load(), None).world;
    let inputs = BTreeMap::from([(30, vec![bell(&world)]), (90, vec![bell(&world), Input::event("nobody")])]);
    piece.record(150, inputs, None)
}

#[test]
fn fault_h18_every_shipped_level_replays_without_a_difference() {
    for (name, ticks) in [("courtyard", 1500), ("house", 600), ("ruins", 600), ("market", 60)] {
        let piece = Piece::shipped(name);
        let trace = piece.record(ticks, BTreeMap::new(), None);
        let verdict = piece.replay(&trace);
        assert!(verdict.is_same(), "{name}: {verdict:?}");
        assert_eq!((verdict.hashes, verdict.is_cut), (ticks, false), "{name}");
        assert_eq!(verdict.lines, trace.lines().count() - 1, "{name}: every line but the header is compared");
    }
}

#[test]
fn inputs_are_said_again_by_the_replay_with_their_handles() {
    let piece = Piece::room(WALKER);
    let trace = rung(&piece);
    assert_eq!(trace.matches("bell 3 at 0.1 by hero").count(), 2, "{trace}");
    let verdict = piece.replay(&trace);
    assert!(verdict.is_same(), "{verdict:?}");
    let silent: String =
        trace.lines().filter(|line| !line.contains("\"input\"")).map(|l| format!("{l}\n")).collect();
    let found = piece.replay(&silent).difference.unwrap();
    assert_eq!(found.tick, 30, "without its input the tick goes otherwise: {found:?}");
}

#[test]
fn fault_i13_the_moment_of_a_reload_is_an_input_with_its_texts() {
    let piece = Piece::room(WALKER);
    let text = WALKER.replace("bell %d", "BELL %d");
    let reload = Reload { scripts: BTreeMap::from([("room.lua".to_owned(), Some(text))]), level: None };
    let world = walkon_runtime::level::spawn::build(piece.load(), None).world;
    let inputs = BTreeMap::from([(40, vec![Input::Reload(reload)]), (90, vec![bell(&world)])]);
    let trace = piece.record(150, inputs, None);
    let line = trace.lines().find(|line| line.contains("\"kind\":\"reload\"")).unwrap();
    assert_eq!(tick_of(line), Some(40));
    assert!(line.contains("BELL %d"), "{line}");
    let verdict = piece.replay(&trace);
    assert!(verdict.is_same(), "{verdict:?}");
}

/// Everything that a viewer can do, by tick.
fn meddling(world: &World) -> BTreeMap<u64, Vec<Input>> {
    let hero = || "hero".to_owned();
    let walk = |to| Input::Walk { character: hero(), to };
    let door = |order| Input::Door { door: "gate".to_owned(), order };
    let area = |is_available| Input::Area { area: "shed".to_owned(), is_available };
    let teleport = |to, facing_rad| Input::Teleport(InputTeleport { character: hero(), to, facing_rad });
    let guest = InputSpawn { name: "guest".to_owned(), at: [3.0, 0.0, 7.3], ..InputSpawn::default() };
    let who = Plain::Character(world.find_character("hero").unwrap());
    let led = InputSpawn {
        name: "led".to_owned(),
        behaviour: Some("tail.lua".to_owned()),
        params: Some(Plain::map([("whom", who)])),
        tags: vec!["tail".to_owned()],
        ..guest.clone()
    };
    let evaluate = |text: &str| Input::Evaluate { text: text.to_owned() };
    BTreeMap::from([
        (3, vec![walk(InputGoal::Point([15.1, 0.0, 5.0])), evaluate("rung = (rung or 0) + math.random()")]),
        (20, vec![door(DoorCommand::Unlock), door(DoorCommand::Open)]),
        (40, vec![Input::Spawn(guest.clone()), Input::Spawn(led), Input::Spawn(guest)]),
        (45, vec![evaluate("world.character('guest'):walkTo(8, 8) return rung")]),
        (
            60,
            vec![
                area(false),
                evaluate("error('x')"),
                evaluate("task.spawn(function() task.sleep(1) rung = 9 end)"),
            ],
        ),
        (80, vec![teleport([8.0, 0.0, 2.5], Some(0.3)), walk(InputGoal::Named("guest".to_owned()))]),
        (
            100,
            vec![area(true), teleport([f32::INFINITY, 0.0, 0.0], Some(f32::NAN)), door(DoorCommand::Close)],
        ),
        (120, vec![Input::Stop { character: hero() }, Input::Remove { character: "guest".to_owned() }]),
        (130, vec![evaluate("return rung, world.characters()"), door(DoorCommand::Lock)]),
    ])
}

#[test]
fn what_somebody_does_who_looks_on_is_repeated_by_the_replay() {
    let level = r#"{ "name": "rooms", "script": "level.lua",
      "navigation": { "areas": [ { "name": "left", "polygon": [[0,0],[10,0],[10,10],[0,10]] },
        { "name": "doorway", "polygon": [[10,4],[11,4],[11,6],[10,6]] },
        { "name": "right", "polygon": [[11,0],[21,0],[21,10],[11,10]] },
        { "name": "shed", "polygon": [[0,10],[4,10],[4,14],[0,14]] } ] },
      "doors": [ { "name": "gate", "area": "doorway", "open": false, "locked": true, "key": "iron" } ],
      "characters": [ { "name": "hero", "position": [2, 5] } ] }"#;
    let tail = "return { params = { whom = { type = 'any' } },
      run = function(self) while true do self.character:walkTo(self.params.whom):wait() task.sleep(0.2) end end }";
    let scripts = [("level.lua", "function onStart() end"), ("tail.lua", tail)];
    let scripts = scripts.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
    let piece = Piece { path: "levels/rooms.json".to_owned(), level: level.to_owned(), scripts };
    let world = walkon_runtime::level::spawn::build(piece.load(), None).world;
    let trace = piece.record(200, meddling(&world), None);
    let count = |part: &str| trace.matches(part).count();
    assert_eq!(count("\"e\":\"input\""), 20, "{trace}");
    assert_eq!(count("\"e\":\"inputRefused\""), 2, "the second guest, and the place that is none");
    assert_eq!((count("\"e\":\"evaluated\""), count("\"ok\":true,\"result\"")), (5, 4), "{trace}");
    assert_eq!(count("\"e\":\"scriptFault\""), 0, "{trace}");
    assert!(count("\"e\":\"walkStarted\"") >= 4, "{trace}");
    let verdict = piece.replay(&trace);
    assert!(verdict.is_same(), "{verdict:?}");
    assert_eq!(verdict.hashes, 200);
    let quiet: String = trace
        .lines()
        .filter(|line| !line.contains("math.random()"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(!piece.replay(&quiet).is_same(), "a text changes the state");
}

#[test]
fn a_run_that_was_stopped_replays_to_where_it_stopped() {
    let piece = Piece::room(WALKER);
    let trace = piece.record(500, BTreeMap::new(), Some(77));
    assert!(trace.ends_with("\"ok\":false}\n") && trace.contains("{\"t\":77,\"end\":\"signal\""), "{trace}");
    let verdict = piece.replay(&trace);
    assert!(verdict.is_same() && verdict.ticks == 77 && !verdict.is_cut, "{verdict:?}");
}

#[test]
fn fault_h6_a_run_that_was_stopped_within_a_tick_replays_to_the_tick_before() {
    let piece = Piece::room(
        "function onTick()
          for i = 1, 50 do world.character('hero'):walkTo(2 + i % 7, 5) log.info('step %d', i) end
        end",
    );
    let whole = piece.record(30, BTreeMap::new(), None);
    let trace = piece.record_until(500, BTreeMap::new(), Stop::Within(20));
    assert!(trace.contains("{\"t\":20,\"end\":\"signal\""), "{trace}");
    let of_tick = |trace: &str| trace.lines().filter(|line| tick_of(line) == Some(20)).count();
    assert!(of_tick(&trace) < of_tick(&whole), "the signal cut the tick short");
    let verdict = piece.replay(&trace);
    assert!(verdict.is_same() && verdict.ticks == 19 && verdict.is_cut, "{verdict:?}");
}

#[test]
fn a_flipped_digit_of_a_hash_is_named_with_tick_and_part() {
    let piece = Piece::room(WALKER);
    let trace = piece.record(100, BTreeMap::new(), None);
    let line = trace.lines().find(|line| line.starts_with("{\"t\":60,\"hash\":")).unwrap();
    let at = line.find("\"doors\":\"").unwrap() + "\"doors\":\"".len();
    let digit = if line.as_bytes()[at] == b'0' { "1" } else { "0" };
    let edited = format!("{}{digit}{}", &line[..at], &line[at + 1..]);
    let verdict = piece.replay(&trace.replace(line, &edited));
    let found = verdict.difference.unwrap();
    assert_eq!(found.tick, 60);
    assert!(
        matches!(&found.what, DifferenceKind::Field { field, .. } if field == "parts.doors"),
        "{found:?}"
    );
    let hash = verdict.hash_difference.unwrap();
    assert_eq!((hash.tick, hash.parts), (60, vec!["doors".to_owned()]));
}

#[test]
fn an_edited_position_is_named_with_its_field_and_both_values() {
    let piece = Piece::room(WALKER);
    let trace = piece.record(400, BTreeMap::new(), None);
    let line = trace.lines().find(|line| line.contains("walkSettled")).unwrap();
    let fact: Value = serde_json::from_str(line).unwrap();
    let x = fact["position"][0].to_string();
    let edited = line.replacen(&format!("\"position\":[{x},"), "\"position\":[3.25,", 1);
    assert_ne!(line, edited);
    let verdict = piece.replay(&trace.replace(line, &edited));
    let found = verdict.difference.unwrap();
    assert_eq!(Some(found.tick), fact["t"].as_u64());
    assert_eq!(trace.lines().position(|one| one == line), Some(found.line - 1), "the line in the file");
    let DifferenceKind::Field { field, expected, got } = found.what else { panic!("{found:?}") };
    assert_eq!((field.as_str(), expected.as_str(), got), ("position[0]", "3.25", x));
    assert_eq!(verdict.hash_difference, None, "the state itself was the same");
}

#[test]
fn a_fact_that_was_taken_out_or_put_in_is_named() {
    let piece = Piece::room(WALKER);
    let trace = piece.record(100, BTreeMap::new(), None);
    let line = trace.lines().find(|line| line.contains("walkStarted")).unwrap();
    let without = trace.replacen(&format!("{line}\n"), "", 1);
    let found = piece.replay(&without).difference.unwrap();
    assert_eq!((&found.what, found.got.as_deref()), (&DifferenceKind::Missing, Some(line)), "{found:?}");
    let twice = trace.replacen(line, &format!("{}\n{line}", line.replace("hero", "villain")), 1);
    let found = piece.replay(&twice).difference.unwrap();
    assert_eq!(found.what, DifferenceKind::Extra, "{found:?}");
    assert!(found.expected.unwrap().contains("villain"));
}

#[test]
fn another_code_shows_in_the_tick_in_which_it_acts_and_in_the_parts_it_changes() {
    let mut piece = Piece::room(
        "function onStart() task.spawn(function() task.ticks(20) world.character('hero'):walkTo(15, 12) end) end",
    );
    let trace = piece.record(100, BTreeMap::new(), None);
    let script = piece.scripts.get_mut("room.lua").unwrap();
    *script = script.replace("15, 12", "15, 11");
    let verdict = piece.replay(&trace);
    let found = verdict.difference.unwrap();
    let DifferenceKind::Field { field, .. } = &found.what else { panic!("{found:?}") };
    assert_eq!((found.tick, field.as_str()), (21, "goal[1]"), "a task begins in the tick after the start");
    let hash = verdict.hash_difference.unwrap();
    assert!(hash.tick == 21 && hash.parts.contains(&"walks".to_owned()), "{hash:?}");
}

#[test]
fn fault_f38_a_trace_cut_at_any_byte_replays_to_its_last_whole_line() {
    let piece = Piece::room(WALKER);
    let trace = rung(&piece);
    let header = trace.find('\n').unwrap() + 1;
    assert!(Recording::read(&trace[..header - 1]).is_err(), "without a header nobody knows what it is of");
    let mut cuts: Vec<usize> = (header..trace.len()).step_by(997).collect();
    cuts.extend([header, header + 1, trace.len() - 1]);
    for cut in cuts {
        let verdict = piece.replay(&trace[..cut]);
        assert!(verdict.is_same() && verdict.is_cut, "cut at {cut}: {verdict:?}");
        assert_eq!(
            verdict.lines,
            trace[..cut].lines().count() - 1 - usize::from(!trace[..cut].ends_with('\n'))
        );
    }
}

#[test]
fn a_line_of_a_tick_that_no_run_came_to_does_not_move_the_end_of_a_trace() {
    let piece = Piece::room(WALKER);
    let trace = rung(&piece);
    let last = Recording::read(&trace).unwrap().last_tick();
    assert!(last > 20, "{last}");
    let lines: Vec<&str> = trace.lines().collect();
    for tick in [last + 1, last + 1_000_000, 1_000_000_000_000, u64::MAX] {
        for rest in
            ["\"hash\":\"0000000000000000\"", "\"end\":\"bound\",\"hash\":\"0\",\"ok\":true", "\"e\":\"log\""]
        {
            let far = format!("{{\"t\":{tick},{rest}}}");
            for at in [1, lines.len() / 2, lines.len() - 1, lines.len()] {
                let mut hostile = lines.clone();
                hostile.insert(at, &far);
                let hostile = hostile.join("\n") + "\n";
                let told = Recording::read(&hostile).unwrap().last_tick();
                assert_eq!(told, last, "{far} as line {at}");
            }
        }
    }
    // Cut anywhere it ends with what is left.
    for cut in 1..lines.len() {
        let left = lines[..cut].join("\n") + "\n";
        let told = Recording::read(&left).unwrap().last_tick();
        let expected = lines[1..cut].last().map_or(0, |line| tick_of(line).unwrap());
        assert_eq!(told, expected, "{cut} lines");
    }
}

#[test]
fn fault_f38_a_flipped_bit_is_named_as_the_first_line_that_differs() {
    let piece = Piece::room(WALKER);
    let trace = rung(&piece);
    let header = trace.find('\n').unwrap() + 1;
    for at in (header..trace.len() - 1).step_by(1499) {
        let mut bytes = trace.clone().into_bytes();
        if bytes[at] == b'\n' || bytes[at] ^ 1 == b'\n' {
            continue;
        }
        bytes[at] ^= 1;
        let flipped = String::from_utf8_lossy(&bytes).into_owned();
        let line = trace[..at].matches('\n').count() + 1;
        let verdict = piece.replay(&flipped);
        let found = verdict.difference.unwrap_or_else(|| panic!("bit at {at} goes unseen"));
        // What an input lacks shows in the line itself, or in what comes of it right after.
        assert!(found.line == line, "bit at {at} in line {line}: {found:?}");
    }
}

/// A project on disk with a traced run.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let piece = Piece::room(WALKER);
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("walkon.json", "{}");
    write("levels/room.json", &piece.level);
    write("scripts/room.lua", WALKER);
    let ran = walkon(folder.path(), &["run", "room", "--ticks", "120", "--trace", "t.jsonl", "--seed", "5"]);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    folder
}

fn walkon(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(crate::place::program());
    command.current_dir(folder).args(arguments).env_remove("RUST_LOG").output().unwrap()
}

fn ends(folder: &Path, code: i32, arguments: &[&str]) -> (String, String) {
    let output = walkon(folder, arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "walkon {arguments:?}\n{out}\n{err}");
    (out, err)
}

#[test]
fn the_command_replays_a_trace_and_ends_with_zero_or_five() {
    let project = project();
    let (out, err) = ends(project.path(), 0, &["replay", "t.jsonl"]);
    assert!(out.contains("room: the same in 120 ticks") && err.is_empty(), "{out}{err}");
    let (out, _) = ends(project.path(), 0, &["replay", "t.jsonl", "--format", "json"]);
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((json["same"].as_bool(), json["hashes"].as_u64()), (Some(true), Some(120)), "{out}");

    let path = project.path().join("t.jsonl");
    let trace = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, trace.replacen("\"owner\":", "\"owner\":1", 1)).unwrap();
    let (out, _) = ends(project.path(), 5, &["replay", "t.jsonl"]);
    assert!(out.contains("differs at tick 0: owner: expected 1"), "{out}");
    assert!(out.contains("no hash differs"), "{out}");
    let (out, _) = ends(project.path(), 5, &["replay", "t.jsonl", "--format", "json"]);
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["difference"]["field"], "owner", "{out}");

    let at = trace.find("\"hash\":\"").unwrap() + 8;
    let other = if &trace[at..=at] == "0" { "1" } else { "0" };
    std::fs::write(&path, format!("{}{other}{}", &trace[..at], &trace[at + 1..])).unwrap();
    let (out, _) = ends(project.path(), 5, &["replay", "t.jsonl"]);
    assert!(out.contains("is of tick ") && !out.contains(", in :"), "the whole alone differs: {out}");

    std::fs::write(&path, &trace[..trace.len() - 9]).unwrap();
    let (out, err) = ends(project.path(), 0, &["replay", "t.jsonl"]);
    assert!(out.contains("the same") && err.contains("cut"), "a cut trace says so: {out}{err}");
}

#[test]
fn a_trace_that_another_program_saved_replays_and_is_drawn() {
    let project = project();
    let folder = project.path();
    let trace = std::fs::read_to_string(folder.join("t.jsonl")).unwrap();
    let drawn = ends(folder, 0, &["draw", "t.jsonl"]).0;
    for (name, text) in [
        ("mark.jsonl", format!("\u{feff}{trace}")),
        ("windows.jsonl", trace.replace('\n', "\r\n")),
        ("both.jsonl", format!("\u{feff}{}", trace.replace('\n', "\r\n"))),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
        let (out, err) = ends(folder, 0, &["replay", name]);
        assert!(out.contains("the same in 120 ticks") && err.is_empty(), "{name}: {out}{err}");
        assert_eq!(ends(folder, 0, &["draw", name]).0, drawn, "{name}");
    }
}

#[test]
fn fault_f38_a_trace_of_another_version_level_or_script_is_refused_by_name() {
    let project = project();
    let path = project.path().join("t.jsonl");
    let trace = std::fs::read_to_string(&path).unwrap();
    let header = trace.lines().next().unwrap();
    let refused = |edited: String, part: &str| {
        std::fs::write(&path, trace.replacen(header, &edited, 1)).unwrap();
        let (_, err) = ends(project.path(), 3, &["replay", "t.jsonl"]);
        assert!(err.contains(part), "{part} in\n{err}");
    };
    refused(header.replace("\"walkon\":\"", "\"walkon\":\"9"), "it is of walkon \"90.");
    refused(header.replace("\"trace\":1", "\"trace\":2"), "trace form \"2\"");
    refused(header.replace("\"level\":\"room\"", "\"level\":\"hall\""), "level \"hall\"");
    refused(header.replace("levels/room.json", "levels/gone.json"), "levels/gone.json");
    refused(header.replace("\"room.lua\":", "\"other.lua\":"), "the script \"other.lua\", which is missing");
    std::fs::write(&path, &trace).unwrap();
    std::fs::write(project.path().join("scripts/added.lua"), "return {}").unwrap();
    ends(project.path(), 0, &["replay", "t.jsonl"]);
    std::fs::write(project.path().join("scripts/room.lua"), WALKER.replace("bell", "gong")).unwrap();
    let (_, err) = ends(project.path(), 3, &["replay", "t.jsonl"]);
    assert!(err.contains("another version of the script \"room.lua\""), "{err}");
    std::fs::write(project.path().join("scripts/room.lua"), WALKER).unwrap();
    let level = std::fs::read_to_string(project.path().join("levels/room.json")).unwrap();
    std::fs::write(project.path().join("levels/room.json"), level.replace("[4, 4]", "[4, 5]")).unwrap();
    let (_, err) = ends(project.path(), 3, &["replay", "t.jsonl"]);
    assert!(err.contains("a level levels/room.json with the hash"), "{err}");
}

/// A header with everything that one may have.
fn whole_header() -> Value {
    let trace = Piece::room(WALKER).record(3, BTreeMap::new(), None);
    let mut header: Value = serde_json::from_str(trace.lines().next().unwrap()).unwrap();
    header["limits"] = serde_json::json!({ "fuelPerCall": 100_000, "nodes": null });
    header["from"] = "AAAA".into();
    header["interactive"] = true.into();
    header["texts"] = serde_json::json!({ "scripts": { "a.lua": "" }, "files": {} });
    header
}

/// Values of every type, and the fields of a header in which each may stand.
const VALUES: [(&str, &[&str]); 14] = [
    ("null", &["until"]),
    ("true", &["strict", "interactive"]),
    ("5", &COUNTS),
    ("-1", &[]),
    ("1.5", &[]),
    ("1e300", &[]),
    ("\"x\"", &["walkon", "luau", "level", "levelFile", "until"]),
    ("\"5\"", &["walkon", "luau", "level", "levelFile", "until"]),
    ("[]", &["args"]),
    ("[1]", &[]),
    ("[null]", &[]),
    ("{}", &["scripts", "limits"]),
    ("{\"a\":\"x\"}", &[]),
    ("{\"a\":-1}", &[]),
];
const COUNTS: [&str; 8] =
    ["trace", "seed", "tickRate", "ticks", "hashEvery", "positions", "detail", "pathBudget"];

/// Fields that other hosts and older traces may leave out.
const MAY_BE_MISSING: [&str; 8] =
    ["luau", "until", "hashEvery", "positions", "detail", "texts", "from", "interactive"];

#[test]
fn every_field_of_a_header_that_is_of_another_type_is_refused_by_its_name() {
    let whole = whole_header();
    let read =
        |header: &Value| Recording::read(&format!("{header}\n")).map(|_| ()).map_err(|e| e.to_string());
    assert_eq!(read(&whole), Ok(()));
    let refused_by = |name: &str, why: &str| match name {
        "walkon" | "trace" => why == "line 1: it is not the header of a trace",
        _ => why.starts_with(&format!("line 1: \"{name}\"")),
    };
    let names: Vec<&String> = whole.as_object().unwrap().keys().collect();
    assert!(names.len() >= 21, "{names:?}");
    for name in names {
        for (value, fields) in VALUES {
            let mut header = whole.clone();
            header[name] = serde_json::from_str(value).unwrap();
            match read(&header) {
                Ok(()) => assert!(fields.contains(&name.as_str()), "{name} = {value} is taken"),
                Err(why) => assert!(
                    !fields.contains(&name.as_str()) && refused_by(name, &why),
                    "{name} = {value}: {why}"
                ),
            }
        }
        let mut header = whole.clone();
        header.as_object_mut().unwrap().remove(name);
        match read(&header) {
            Ok(()) => assert!(MAY_BE_MISSING.contains(&name.as_str()), "{name} is left out"),
            Err(why) => assert!(
                !MAY_BE_MISSING.contains(&name.as_str()) && refused_by(name, &why),
                "without {name}: {why}"
            ),
        }
    }
}

#[test]
fn a_header_with_a_field_of_another_type_ends_the_command_with_six() {
    let project = project();
    let path = project.path().join("t.jsonl");
    let trace = std::fs::read_to_string(&path).unwrap();
    let header = trace.lines().next().unwrap();
    let whole: Value = serde_json::from_str(header).unwrap();
    for name in whole.as_object().unwrap().keys().map(String::as_str).chain(["from", "interactive", "texts"])
    {
        let mut edited = whole.clone();
        edited[name] = serde_json::json!([1]);
        std::fs::write(&path, trace.replacen(header, &edited.to_string(), 1)).unwrap();
        let (_, err) = ends(project.path(), 6, &["replay", "t.jsonl"]);
        assert!(err.contains("t.jsonl: line 1: ") && err.contains("walkon run --trace"), "{name}: {err}");
    }
}

#[test]
fn a_trace_that_leaves_out_a_script_of_its_level_is_of_another_one() {
    let project = project();
    let path = project.path().join("t.jsonl");
    let trace = std::fs::read_to_string(&path).unwrap();
    let header = trace.lines().next().unwrap();
    let mut edited: Value = serde_json::from_str(header).unwrap();
    edited["scripts"] = serde_json::json!({});
    let edited = trace.replacen(header, &edited.to_string(), 1);
    std::fs::write(&path, &edited).unwrap();
    let (_, err) = ends(project.path(), 3, &["replay", "t.jsonl"]);
    assert!(err.contains("it does not list the script \"room.lua\", which its level names"), "{err}");
    // A script that lies beside the level's own and is nearer to its name was added since.
    std::fs::create_dir_all(project.path().join("scripts/sub")).unwrap();
    std::fs::rename(project.path().join("scripts/room.lua"), project.path().join("scripts/sub/room.lua"))
        .unwrap();
    let ran = walkon(project.path(), &["run", "room", "--ticks", "60", "--trace", "t.jsonl"]);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    std::fs::write(project.path().join("scripts/room.lua"), "error('added')").unwrap();
    ends(project.path(), 0, &["replay", "t.jsonl"]);
    // What the project does not have either is the fault of its scripts, as it is for `run`.
    std::fs::write(&path, &edited).unwrap();
    for script in ["scripts/room.lua", "scripts/sub/room.lua"] {
        std::fs::remove_file(project.path().join(script)).unwrap();
    }
    let (_, err) = ends(project.path(), 4, &["replay", "t.jsonl"]);
    assert!(err.contains("unknown script \"room.lua\""), "{err}");
}

#[test]
fn fault_i11_another_vm_or_other_limits_refuse_the_trace() {
    let project = project();
    let path = project.path().join("t.jsonl");
    let trace = std::fs::read_to_string(&path).unwrap();
    let header = trace.lines().next().unwrap();
    for (from, to, part) in [
        ("\"luau\":\"0.", "\"luau\":\"9.", "it is of Luau \"9."),
        ("\"fuelPerCall\":100000", "\"fuelPerCall\":100001", "fuelPerCall = 100001, here it is 100000"),
        ("\"pathBudget\":2000,\"limits\"", "\"pathBudget\":1999,\"limits\"", "pathBudget"),
    ] {
        assert!(header.contains(from), "{from} in {header}");
        std::fs::write(&path, trace.replacen(header, &header.replace(from, to), 1)).unwrap();
        let (_, err) = ends(project.path(), 3, &["replay", "t.jsonl"]);
        assert!(err.contains(part), "{part} in\n{err}");
    }
}

#[test]
fn what_is_no_trace_is_refused_before_anything_runs() {
    let project = project();
    for (text, part) in
        [("", "first line"), ("{\"t\":1}\n", "header"), ("hello\n", "JSON"), ("{\"walkon\":1", "incomplete")]
    {
        std::fs::write(project.path().join("bad.jsonl"), text).unwrap();
        let (out, err) = ends(project.path(), 6, &["replay", "bad.jsonl"]);
        assert!(err.contains(part) && out.is_empty(), "{part} in\n{err}");
    }
    ends(project.path(), 6, &["replay", "missing.jsonl"]);
    ends(project.path(), 2, &["replay"]);
}

#[test]
fn fault_i10_a_difference_after_a_fault_of_memory_or_clock_says_that_it_cannot_be_repeated() {
    let piece = Piece::room(WALKER);
    let trace = piece.record(100, BTreeMap::new(), None);
    let line = trace.lines().find(|line| line.starts_with("{\"t\":60,\"hash\":")).unwrap();
    let fault = "{\"t\":59,\"e\":\"scriptFault\",\"kind\":\"memory\"}";
    let edited = trace.replace(line, &format!("{fault}\n{line}"));
    let verdict = piece.replay(&edited);
    assert_eq!(verdict.difference.unwrap().expected.as_deref(), Some(fault));
    assert!(matches!(verdict.because, Some((59, why)) if why.contains("memory")), "{:?}", verdict.because);
}

#[test]
fn fault_g21_time_that_was_dropped_or_ignored_is_told_and_changes_nothing() {
    let (mut stage, mut plain) = (Stage::of(HALL), Stage::of(HALL));
    let mut pace = FixedTimestep::new(TickRate::DEFAULT, 1.0);
    for seconds in [5.0, -1.0, f64::NAN, 0.0] {
        let steps = pace.advance(seconds);
        stage.game.note_time(steps);
        stage.ticks(1);
        plain.ticks(1);
    }
    let counts: Vec<_> = stage.facts("notice").iter().map(|fact| fact["count"].as_u64()).collect();
    assert_eq!(counts, [Some(292), Some(0), Some(0)], "and no time at all is nothing to tell");
    assert!(stage.facts("notice").iter().all(|fact| fact["what"] == "timeDropped"));
    assert_eq!(stage.game.fingerprint(), plain.game.fingerprint());
}
