//! The command line from outside: exit codes, help, the form of every result.
//!
//! Goal: what the README promises holds for the program that people run. Method: the real binary in a folder
//! of its own, with a project as an author would lay it out; nothing is shared between tests.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::when_at_hand::at_hand;

const YARD: &str = r#"{
  "name": "yard",
  "navigation": {
    "cellSize": 0.5, "agentRadius": 0.3, "objectPadding": 0.0,
    "areas": [
      { "name": "yard", "polygon": [[0,0],[10,0],[10,8],[0,8]] },
      { "name": "gateway", "polygon": [[10,3],[11,3],[11,5],[10,5]] },
      { "name": "hall", "polygon": [[11,0],[18,0],[18,8],[11,8]] },
      { "name": "mud", "cost": 2, "polygon": [[6,6],[10,6],[10,8],[6,8]] }
    ],
    "obstacles": [ { "name": "well", "polygon": [[4,3],[6,3],[6,5],[4,5]] } ]
  },
  "doors": [ { "name": "gate", "area": "gateway" } ],
  "marks": { "post": [1,1] },
  "regions": [ { "name": "entry", "polygon": [[11,3],[12,3],[12,5],[11,5]] } ],
  "characters": [ { "name": "guard", "position": [1,1] }, { "name": "player", "position": [8,2], "player": true } ]
}"#;

/// A project in a folder of its own.
pub struct Project(tempfile::TempDir);

impl Project {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = Self(folder);
        project.write("walkon.json", "{ \"name\": \"mine\" }");
        project.write("levels/yard.json", YARD);
        project
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The folder, for another owner.
    pub fn into_folder(self) -> tempfile::TempDir {
        self.0
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    pub fn has(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(crate::place::program());
        command.current_dir(self.path()).args(arguments).env_remove("RUST_LOG").stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs, expects an exit code, returns stdout and stderr.
    pub fn expect(&self, code: i32, arguments: &[&str]) -> (String, String) {
        let output = self.run(arguments);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "walkon {arguments:?}\nstdout: {out}\nstderr: {err}");
        (out, err)
    }

    pub fn json(&self, code: i32, arguments: &[&str]) -> Value {
        let (out, err) = self.expect(code, arguments);
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error} in\n{out}\n{err}"))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn sorted<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut names = names.to_vec();
    names.sort_unstable();
    names
}

#[test]
fn levels_are_known_however_many_other_files_a_project_has_and_however_deep_they_lie() {
    let project = Project::new();
    for number in 0..2500 {
        project.write(&format!("assets/{number}.png"), "");
    }
    project.write("levels/a/b/c/d/e/deep.json", YARD);
    let named = ["yard", "a/b/c/d/e/deep"].map(|name| {
        format!("test.level(\"in {name}\", {{ level = \"{name}\" }}, function(t) assert(world.character(\"guard\")) end)\n")
    });
    project.write("scripts/yard_test.lua", &named.concat());
    project.expect(0, &["test"]);
    let (found, _) = project.expect(0, &["check", "scripts"]);
    assert!(found.ends_with("1 file checked: 0 errors, 0 warnings\n"), "{found}");
    let (_, help) = project.expect(6, &["run", "yarn"]);
    assert!(help.contains("did you mean \"yard\""), "{help}");
}

#[test]
fn a_script_that_is_not_there_is_told_with_one_that_is() {
    let project = Project::new();
    project.write("scripts/behaviours/guard.lua", "return { update = function() end }\n");
    for asked in ["scripts/behaviours/gaurd.lua", "behaviours/guard.lua", "guard.lua"] {
        let (_, err) = project.expect(6, &["check", asked]);
        assert!(err.contains(&format!("{asked}: there is no such script")), "{err}");
        assert!(err.contains("did you mean \"scripts/behaviours/guard.lua\"?"), "{err}");
    }
    // A folder without anything to check says so; that is a mistake where the folder was named.
    std::fs::create_dir(project.path().join("bare")).unwrap();
    let (out, err) = project.expect(2, &["check", "bare"]);
    assert!(out.is_empty() && err.contains("there are no levels and no scripts"), "{out}{err}");
    let (_, err) = project.expect(6, &["check", "nothing/at_all.lua"]);
    assert!(err.contains("there is no such script") && !err.contains("did you mean"), "{err}");
}

/// The names that help lists.
fn commands_of(help: &str) -> Vec<&str> {
    let listed = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let first = listed.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    first.filter(|name| !name.is_empty() && *name != "help").collect()
}

#[test]
fn every_command_has_help_with_an_example_and_a_row_in_the_readme() {
    let project = Project::new();
    let readme = std::fs::read_to_string(crate::place::root().join("README.md")).unwrap();
    let (help, _) = project.expect(0, &["--help"]);
    let commands = commands_of(&help);
    assert!(commands.len() > 15, "{commands:?}");
    for command in commands {
        let (help, err) = project.expect(0, &[command, "--help"]);
        assert!(help.contains(&format!("walkon {command}")) && help.contains("Example"), "{help}");
        assert_eq!(err, "", "help goes to stdout");
        let row = readme.lines().find(|line| line.starts_with(&format!("| `{command}`")));
        let row = row.unwrap_or_else(|| panic!("README.md has no row for {command}"));
        for option in row.split('`').filter(|word| word.starts_with("--")) {
            assert!(help.contains(option.split(' ').next().unwrap()), "README.md: {command} {option}");
        }
    }
    assert!(project.expect(0, &["--version"]).0.starts_with("walkon "));
}

#[test]
fn wrong_arguments_end_with_two_and_a_suggestion() {
    let project = Project::new();
    for (arguments, part) in [
        (&["rum", "yard"] as &[&str], "run"),
        (&["run", "yard", "--secnods", "1"], "--seconds"),
        (&["run", "yard", "--seconds", "nan"], "expected 0 to 1000000000 seconds"),
        (&["run", "yard", "--seconds", "1", "--ticks", "1"], "cannot be used with"),
        (&["path", "yard", "--from", "1,1"], "--to"),
        (&["path", "yard", "--from", "1,1", "--to", "1"], "X,Z"),
        (&["draw", "yard", "--out", "a.bmp"], ".png"),
        (&["path", "yard", "--from", "1,2,3", "--to", "1,1"], "flat"),
        (&["run", ""], "required"),
        (&["draw", "yard", "--scale", "100000", "--out", "a.png"], "smaller scale"),
        (&[], "Usage"),
    ] {
        let (out, err) = project.expect(2, arguments);
        assert!(err.contains(part), "{arguments:?}: {part} in\n{err}");
        assert_eq!(out, "", "{arguments:?}: messages go to stderr");
    }
}

#[test]
fn a_level_is_found_by_path_and_by_name_and_a_missing_one_gets_a_suggestion() {
    let project = Project::new();
    for name in ["levels/yard.json", "yard", "yard.json", "./levels/../levels/yard.json"] {
        project.expect(0, &["run", name, "--ticks", "1"]);
    }
    let (_, err) = project.expect(6, &["run", "yart"]);
    assert!(err.contains("did you mean \"yard\"?"), "{err}");
    // A folder stands for its one level; a folder without any says so.
    project.expect(0, &["run", "levels", "--ticks", "1"]);
    let (_, err) = project.expect(6, &["run", "scripts"]);
    assert!(err.contains("folder") || err.contains("level"), "{err}");
}

#[test]
fn run_prints_one_object_with_the_documented_keys() {
    let project = Project::new();
    let report = project.json(0, &["run", "yard", "--ticks", "30", "--format", "json"]);
    let expected = [
        "level",
        "seed",
        "ticks",
        "seconds",
        "ended",
        "ok",
        "note",
        "hash",
        "reproducible",
        "characters",
        "walks",
        "faults",
        "switchedOff",
        "reloads",
        "paths",
        "crowd",
        "measures",
        "wallSeconds",
        "speed",
    ];
    assert_eq!(keys(&report), sorted(&expected));
    assert_eq!((&report["ticks"], &report["seconds"]), (&30.into(), &0.5.into()));
    assert_eq!((&report["ended"], &report["ok"]), (&"bound".into(), &true.into()));
    assert_eq!(keys(&report["crowd"]), sorted(&["nudges", "replans"]));
    assert_eq!(keys(&report["crowd"]["replans"]), sorted(&["crowd", "door", "map", "target"]));
    let hash = report["hash"].as_str().unwrap();
    assert!(
        hash.len() == 16 && hash.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c)),
        "{hash}"
    );
    let again = project.json(0, &["run", "yard", "--ticks", "30", "--format", "json"]);
    assert_eq!(report["hash"], again["hash"]);
    let (out, err) = project.expect(0, &["run", "yard", "--seconds", "2"]);
    assert!(out.contains("120 ticks") && out.contains("hash"), "{out}");
    assert_eq!(err, "");
}

#[test]
fn an_event_that_does_not_happen_fails_the_run() {
    let project = Project::new();
    let report = project.json(1, &["run", "yard", "--ticks", "5", "--until", "rang", "--format", "json"]);
    assert_eq!((&report["ended"], &report["ok"]), (&"bound".into(), &false.into()));
}

#[test]
fn an_event_that_a_run_waits_for_in_vain_is_named_with_the_nearest_that_came() {
    let project = Project::new();
    scripted(&project, "function onStart() event.emit(\"bellRang\") event.emit(\"other\") end", "");
    let run = |name: &str, more: &[&str]| {
        let arguments = ["run", "room", "--ticks", "5", "--until", name];
        project.expect(1, &[arguments.as_slice(), more].concat())
    };
    let sentence = "the event \"bellrang\" of --until did not happen; did you mean \"bellRang\"?";
    for more in [&[] as &[&str], &["--quiet"]] {
        let (out, _) = run("bellrang", more);
        assert!(out.contains(&format!("ended by bound, not ok: {sentence}")), "{out}");
    }
    let (_, err) = run("bellrang", &["--format", "json"]);
    assert!(err.contains(&format!("error: {sentence}")), "{err}");
    // An event of the runtime, also when none came.
    let (out, _) = run("doorchanged", &[]);
    assert!(out.contains("did you mean \"doorChanged\"?"), "{out}");
    let (out, _) = run("doorChanged", &[]);
    assert!(out.contains("\"doorChanged\" of --until did not happen\n"), "{out}");
    let (out, _) = run("nothing like it", &[]);
    assert!(out.contains("\"nothing like it\" of --until did not happen\n"), "{out}");
    // What hosts alone are told of, unless a script emits one.
    for name in ["said", "choice", "camera", "walkStarted", "log", "nudged", "replanned"] {
        let (out, _) = run(name, &[]);
        let expected = format!("of --until did not happen: \"{name}\" of traces is told to hosts alone");
        assert!(out.contains(&expected), "{out}");
    }
    scripted(&project, "function onStart() event.emit(\"said\") end", "");
    project.expect(0, &["run", "room", "--ticks", "5", "--until", "said"]);
}

#[test]
fn an_event_without_a_name_is_not_waited_for() {
    let project = Project::new();
    for command in [&["run", "yard"][..], &["debug", "yard"], &["batch", "yard", "--seeds", "1..2"]] {
        for name in ["", " "] {
            let (_, err) = project.expect(2, &[command, &["--until", name]].concat());
            assert!(err.contains("expected the name of an event"), "{command:?}: {err}");
        }
    }
}

#[test]
fn a_file_of_tests_that_is_invalid_has_no_tick_and_no_seed() {
    let project = Project::new();
    for text in [
        "test.level(\"a\", { level = \"yard\" }, print)\n".repeat(2),
        "test.level(\"a\", { level = \"yard\", maxTicks = 0 }, print)\n".to_owned(),
    ] {
        project.write("scripts/yard_test.lua", &text);
        let (out, _) = project.expect(1, &["test", "--junit", "report.xml", "--force"]);
        assert!(out.contains(": invalid\n") && !out.contains("seed"), "{out}");
        let report = project.read("report.xml");
        assert!(report.contains("invalid") && !report.contains("seed"), "{report}");
    }
}

/// Law: whatever is run of a file, its report counts the elements that it has, and no test is missing.
#[test]
fn a_report_of_tests_has_each_test_and_says_which_were_not_run() {
    let project = Project::new();
    let good = "test.level(\"NAME\", { level = \"yard\" }, function(t) t:run(0.1) end)\n";
    let bad = "test.level(\"NAME\", { level = \"yard\" }, function(t) t:fail(\"no\") end)\n";
    for first_bad in 0..4 {
        let test =
            |at: usize| if at == first_bad { bad } else { good }.replace("NAME", &format!("-{at} & on"));
        project.write("scripts/yard_test.lua", &(0..3).map(test).collect::<String>());
        let code = i32::from(first_bad < 3);
        for goes_on in [&[][..], &["--keep-going"]] {
            let given = ["test", "--format", "json", "--junit", "report.xml", "--force"];
            let told = project.json(code, &[&given, goes_on].concat());
            let not_run = if goes_on.is_empty() { 2_usize.saturating_sub(first_bad) } else { 0 };
            assert_eq!(told["notRun"], not_run, "{told}");
            assert_eq!(told["interrupted"], false);
            assert_eq!(told["tests"].as_array().unwrap().len() + not_run, 3);
            let report = project.read("report.xml");
            assert_eq!(report.matches("<testcase ").count(), 3, "{report}");
            assert_eq!(report.matches("<skipped/>").count(), not_run, "{report}");
            assert_eq!(report.matches("tests=\"3\"").count(), 2, "the file and all of them: {report}");
            assert_eq!(report.matches(&format!("skipped=\"{not_run}\"")).count(), 2, "{report}");
        }
        if first_bad < 3 {
            // The command that repeats it is one that can be given, whatever the name begins with.
            let (out, _) = project.expect(1, &["test"]);
            let repeat = out.lines().find_map(|line| line.trim().strip_prefix("repeat: walkon ")).unwrap();
            let words = repeat.replace('\'', "").replace(" & ", "~");
            let words: Vec<String> = words.split(' ').map(|word| word.replace('~', " & ")).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let (out, _) = project.expect(1, &words);
            assert!(out.contains("0 passed, 1 failed"), "{out}");
        }
    }
}

#[test]
fn fault_f42_a_level_with_nobody_in_it_runs_to_its_end() {
    let project = Project::new();
    project.write(
        "levels/bare.json",
        r#"{ "areas": [ { "name": "a", "polygon": [[0,0],[4,0],[4,4],[0,4]] } ] }"#,
    );
    let report = project.json(0, &["run", "bare", "--format", "json"]);
    assert_eq!((&report["ticks"], &report["characters"]), (&3600.into(), &0.into()));
}

#[test]
fn a_trace_has_a_header_facts_hashes_and_a_last_line() {
    let project = Project::new();
    let arguments =
        ["run", "yard", "--ticks", "4", "--trace", "t.jsonl", "--hash-every", "2", "--positions", "4"];
    project.expect(0, &arguments);
    let trace = project.read("t.jsonl");
    let lines: Vec<Value> = trace.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected = [
        "walkon",
        "trace",
        "level",
        "levelFile",
        "levelHash",
        "scripts",
        "seed",
        "tickRate",
        "ticks",
        "until",
        "strict",
        "args",
        "pathBudget",
        "limits",
        "luau",
        "hashEvery",
        "positions",
        "detail",
    ];
    assert_eq!(keys(&lines[0]), sorted(&expected));
    assert_eq!(lines[0]["levelFile"], "levels/yard.json");
    assert_eq!(lines[1]["e"], "spawned");
    let hashes = lines.iter().filter(|line| line["parts"].is_object()).count();
    assert_eq!(hashes, 2, "{trace}");
    assert!(lines.iter().any(|line| line["positions"]["guard"].is_array()), "{trace}");
    assert_eq!(lines.last().unwrap()["end"], "bound");
    let report = project.json(0, &["run", "yard", "--ticks", "4", "--format", "json"]);
    assert_eq!(lines.last().unwrap()["hash"], report["hash"], "a traced run is the same run");
}

#[test]
fn a_trace_on_stdout_sends_the_result_to_stderr() {
    let project = Project::new();
    let (out, err) = project.expect(0, &["run", "yard", "--ticks", "2", "--trace", "-", "--format", "json"]);
    for line in out.lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
    assert!(out.starts_with("{\"walkon\":"), "{out}");
    assert_eq!(serde_json::from_str::<Value>(&err).unwrap()["ticks"], 2);
}

#[test]
fn a_rejected_level_ends_with_three_and_shows_the_line() {
    let project = Project::new();
    project.write("levels/bad.json", &YARD.replace("\"doors\"", "\"dors\""));
    for command in ["run", "draw", "bake", "check"] {
        let target = if command == "check" { "levels/bad.json" } else { "bad" };
        let (_, err) = project.expect(3, &[command, target]);
        for part in
            ["error[unknown-field]", "levels/bad.json:13:3", "\"dors\"", "^^^", "did you mean \"doors\"?"]
        {
            assert!(err.contains(part), "{command}: {part} in\n{err}");
        }
    }
}

#[test]
fn check_lists_diagnostics_as_json_and_exits_by_the_worst() {
    let project = Project::new();
    let list = project.json(0, &["check", "levels/yard.json", "--format", "json"]);
    assert!(list.as_array().unwrap().iter().all(|entry| entry["severity"] != "error"), "{list}");
    project.write("levels/bad.json", &YARD.replace("[1,1]", "[1,\"one\"]"));
    let list = project.json(3, &["check", "levels", "--format", "json"]);
    let error = list.as_array().unwrap().iter().find(|entry| entry["severity"] == "error").unwrap();
    let expected = ["code", "severity", "path", "line", "column", "pointer", "message", "help"];
    assert_eq!(keys(error), sorted(&expected));
    let (out, err) = project.expect(3, &["check", "levels"]);
    assert!(out.contains("2 files checked") && err.contains("levels/bad.json"), "{out}\n{err}");
    project.expect(6, &["check", "nowhere.json"]);
}

#[test]
fn path_answers_in_the_documented_form() {
    let project = Project::new();
    let answer = project.json(0, &["path", "yard", "--from", "1,1", "--to", "9,7", "--format", "json"]);
    let expected = ["status", "reason", "cost", "length", "waypoints", "nearest", "expansions", "micros"];
    assert_eq!(keys(&answer), sorted(&expected));
    assert_eq!(answer["status"], "complete");
    let points = answer["waypoints"].as_array().unwrap();
    assert_eq!(
        (&points[0], &points[points.len() - 1]),
        (&serde_json::json!([1, 1]), &serde_json::json!([9, 7]))
    );
    let answer = project.json(0, &["path", "yard", "--from", "1,1", "--to", "15,4", "--format", "json"]);
    assert_eq!((&answer["status"], &answer["reason"]), (&"partial".into(), &"doorClosed".into()));
    assert!(answer["nearest"].is_array());
    let answer = project.json(0, &["path", "yard", "--from", "-90,1", "--to", "15,4", "--format", "json"]);
    assert_eq!((&answer["status"], &answer["cost"]), (&"none".into(), &Value::Null));
    let raw = project.json(0, &["path", "yard", "--from", "1,1", "--to", "9,7", "--raw", "--format", "json"]);
    assert!(raw["waypoints"].as_array().unwrap().len() > points.len());
    let (out, _) = project.expect(0, &["path", "yard", "--from", "1,1", "--to", "15,4"]);
    assert!(out.starts_with("partial (doorClosed by door \"gate\")"), "{out}");
}

#[test]
fn path_names_the_action_that_a_link_takes() {
    let project = Project::new();
    project.write(
        "levels/leap.json",
        r#"{ "name": "leap", "navigation": { "kind": "graph",
            "points": [[0,0,0],[4,0,0],[8,0,0],[12,0,0]], "links": [[0,1],[2,3]],
            "actionLinks": [{ "action": "jump", "from": [4,0,0], "to": [8,0,0], "cost": 1 }] } }"#,
    );
    for words in [&["path", "leap"] as &[&str], &["graph", "path", "leap"]] {
        let (out, _) = project.expect(0, &[words, &["--from", "0,0,0", "--to", "12,0,0"]].concat());
        let link = "\n  4.00, 0.00, 0.00 over a link by the action \"jump\"\n  8.00, 0.00, 0.00";
        assert!(out.contains(link), "{out}");
    }
}

/// Each cause of a goal that is not reached has words of its own, in `path` and in what a walk says at its
/// end.
#[test]
fn a_goal_that_is_not_reached_is_told_with_its_own_cause() {
    let project = Project::new();
    project.write(
        "levels/islands.json",
        r#"{"navigation": {"kind": "tiles", "agentRadius": 0.3, "layers": [{"name": "ground", "rows": ["....#....#####", ".##.#....#####", "....#....#####"]}]},
            "characters": [{"name": "bo", "position": [0.5, 0.5]}], "script": "islands.lua"}"#,
    );
    project.write(
        "scripts/islands.lua",
        "function onStart()\n    local x = tonumber(level.args[1])\n    assert(world.character(\"bo\")):walkTo(x, 1.5, { onSettled = function(result) log.info(\"%s\", result.detail) end })\nend\n",
    );
    let cases = [
        ("6.5", "nothing joins the ground at the goal with the ground at the start"),
        ("12.5", "the goal is on blocked ground"),
        ("4.05", "the goal is on blocked ground"),
        ("1.9", "the goal is on blocked ground"),
        ("24", "the goal lies 10.0 m beyond the map"),
    ];
    for (x, why) in cases {
        let goal = format!("{x},1.5");
        let asked = ["path", "islands", "--from", "0.5,0.5", "--to", &goal, "--radius", "0.3"];
        let (out, _) = project.expect(0, &asked);
        assert!(out.contains(&format!("\nbecause {why}\n")), "{x}: {out}");
        let answer = project.json(0, &[&asked[..], &["--format", "json"]].concat());
        assert_eq!(answer["because"], why, "{x}");
        let (out, _) = project.expect(0, &["run", "islands", "--", x]);
        assert!(out.contains(why), "{x}: {out}");
    }
    project.write(
        "levels/hall.json",
        r#"{"navigation": {"kind": "mesh", "agentRadius": 0, "objectPadding": 0, "areas": [{"name": "hall", "polygon": [[0, 0], [8, 0], [8, 8], [0, 8]]}],
            "obstacles": [{"name": "chest", "polygon": [[0, 1], [1, 1], [1, 7], [0, 7]]}]}}"#,
    );
    let (out, _) = project.expect(0, &["path", "hall", "--from", "4,4", "--to", "1.2,4", "--radius", "0.5"]);
    assert!(out.contains("\nbecause the goal is too near a wall for a body of radius 0.50 m\n"), "{out}");
    let (out, _) = project.expect(0, &["path", "islands", "--from=-40,1", "--to", "1,0.5"]);
    assert!(out.contains("\nbecause the start is farther than 8 m from walkable ground"), "{out}");
}

#[test]
fn a_scenario_file_is_answered_line_by_line_and_a_wrong_cost_fails() {
    let project = Project::new();
    project.write("a.map", "type octile\nheight 3\nwidth 4\nmap\n....\n.@@.\n....\n");
    project.write("a.scen", "version 1\n0\ta.map\t4\t3\t0\t0\t3\t2\t5\n0\ta.map\t4\t3\t0\t0\t1\t1\t0\n");
    let (out, _) = project.expect(0, &["path", "--map", "a.map", "--scen", "a.scen", "--format", "json"]);
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(keys(&lines[0]), sorted(&["bucket", "cost", "optimal", "micros"]));
    assert_eq!((&lines[0]["cost"], &lines[1]["cost"]), (&5.0.into(), &Value::Null));
    assert_eq!((&lines[2]["queries"], &lines[2]["wrong"]), (&2.into(), &0.into()));
    project.write("b.scen", "version 1\n0\ta.map\t4\t3\t0\t0\t3\t2\t4.5\n");
    let (out, _) = project.expect(1, &["path", "--map", "a.map", "--scen", "b.scen"]);
    assert!(out.contains("\"wrong\":1"), "{out}");
    // A length printed with two digits counts as rounded, a whole one does not.
    project.write("d.scen", "version 1\n0\ta.map\t4\t3\t0\t0\t3\t1\t3.41\n");
    project.write("e.map", "type octile\nheight 3\nwidth 4\nmap\n....\n....\n....\n");
    project.expect(0, &["path", "--map", "e.map", "--scen", "d.scen"]);
    for wrong in ["3.42", "3.40", "3"] {
        project.write("f.scen", &format!("version 1\n0\ta.map\t4\t3\t0\t0\t3\t1\t{wrong}\n"));
        project.expect(1, &["path", "--map", "e.map", "--scen", "f.scen"]);
    }
    // From a blocked cell there is no way, and from a map of another size none of these lines is right.
    project.write("g.scen", "version 1\n0\ta.map\t4\t3\t1\t1\t0\t0\t0\n0\ta.map\t4\t3\t1\t1\t1\t1\t0\n");
    let (out, _) = project.expect(0, &["path", "--map", "a.map", "--scen", "g.scen", "--format", "json"]);
    assert_eq!(out.matches("\"cost\":null").count(), 2, "{out}");
    project.write("h.scen", "version 1\n0\tb.map\t9\t3\t0\t0\t0\t0\t0\n");
    let (_, err) = project.expect(0, &["path", "--map", "a.map", "--scen", "h.scen"]);
    assert!(
        err.contains("h.scen: the scenario is for a map of 9 x 3 cells, but a.map is not that size"),
        "{err}"
    );
    project.write("c.map", "type octile\nheight 3\nwidth 4\nmap\n....\n");
    let (_, err) = project.expect(3, &["path", "--map", "c.map", "--scen", "a.scen"]);
    assert!(err.contains("c.map:6:"), "{err}");
    project.expect(6, &["path", "--map", "none.map", "--scen", "a.scen"]);
}

#[test]
fn published_scenarios_are_answered_with_their_optimal_cost() {
    if let Some(data) = at_hand("movingai") {
        answers(&data.join("dao/arena.map"));
    }
}

#[test]
fn scenarios_of_our_own_are_answered_with_their_optimal_cost() {
    answers(&crate::place::root().join("tests/data/movingai/own/rooms.map"));
}

/// All scenarios of a map, which stand beside it.
fn answers(map: &std::path::Path) {
    let scen = map.with_extension("map.scen");
    let project = Project::new();
    let (map, scen) = (map.to_string_lossy().into_owned(), scen.to_string_lossy().into_owned());
    let (out, _) = project.expect(0, &["path", "--map", &map, "--scen", &scen]);
    let summary: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert!(summary["queries"].as_u64().unwrap() > 100 && summary["wrong"] == 0, "{summary}");
}

#[test]
fn seed_n11_a_search_is_drawn_in_its_colours() {
    let project = Project::new();
    project.expect(0, &["draw", "yard", "--from", "1,4", "--to", "9,4", "--out", "s.svg"]);
    let svg = project.read("s.svg");
    for kind in ["free", "blocked", "searched", "frontier", "path"] {
        assert!(svg.contains(&format!("data-kind=\"cells\" data-key=\"{kind}\"")), "{kind}");
    }
    for line in ["raw", "smooth", "start", "goal"] {
        assert!(svg.contains(&format!("data-kind=\"search\" data-key=\"{line}\"")), "{line}");
    }
    project.expect(0, &["path", "yard", "--from", "1,1", "--to", "9,7", "--out", "p.svg"]);
    assert!(project.read("p.svg").contains("data-key=\"searched\""));
}

#[test]
fn text_shows_the_path_on_every_kind_of_map() {
    let project = Project::new();
    let tiles =
        r#""kind": "tiles", "layers": [{ "name": "ground", "rows": ["........", "........", "........"] }]"#;
    let mesh = r#""kind": "mesh", "areas": [{ "name": "hall", "polygon": [[0,0],[8,0],[8,3],[0,3]] }]"#;
    for (name, navigation) in [("tiles", tiles), ("mesh", mesh)] {
        let level = format!(r#"{{ "navigation": {{ {navigation} }} }}"#);
        project.write(&format!("levels/{name}.json"), &level);
        let (out, _) = project.expect(0, &["draw", name, "--from", "1.5,1.5", "--to", "6.5,1.5"]);
        assert!(out.lines().any(|row| row.contains("S*") && row.contains("*G")), "{out}");
        assert!(out.contains("* path"), "{out}");
    }
}

#[test]
fn seed_t14_and_o23_a_map_shows_costs_areas_doors_and_bodies() {
    let project = Project::new();
    project.expect(0, &["draw", "yard", "--out", "y.svg"]);
    let svg = project.read("y.svg");
    for (kind, key) in
        [("cells", "free"), ("cells", "dearest"), ("cells", "blocked"), ("door", "0"), ("area", "4")]
    {
        assert!(svg.contains(&format!("data-kind=\"{kind}\" data-key=\"{key}\"")), "{kind} {key}");
    }
    for name in [">guard<", ">player<", ">gate<", ">entry<", ">post<", "area &quot;mud&quot;, cost 2"] {
        assert!(svg.contains(name), "{name}");
    }
    let (out, _) = project.expect(0, &["draw", "yard"]);
    assert!(out.contains("####") && out.contains("@ player") && out.contains("+ closed door"), "{out}");
    project.expect(0, &["draw", "yard", "--tick", "3", "--out", "t.txt"]);
    assert!(project.read("t.txt").starts_with("yard  tick 3"));
}

#[test]
fn pictures_are_the_same_every_time_and_png_has_its_signature() {
    let project = Project::new();
    for name in ["a.png", "b.png", "a.svg", "b.svg"] {
        project.expect(0, &["draw", "yard", "--scale", "10", "--out", name]);
    }
    let bytes = |name: &str| std::fs::read(project.path().join(name)).unwrap();
    assert!(bytes("a.png").starts_with(b"\x89PNG\r\n\x1a\n"));
    assert_eq!(bytes("a.png"), bytes("b.png"));
    assert_eq!(bytes("a.svg"), bytes("b.svg"));
    let left: Vec<_> =
        std::fs::read_dir(project.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".tmp")), "{left:?}");
}

#[test]
fn a_film_that_goes_beyond_the_end_of_its_run_says_so() {
    let project = Project::new();
    project.expect(0, &["run", "yard", "--ticks", "30", "--trace", "t.jsonl"]);
    let drawn = |arguments: &[&str]| {
        let options = ["--gif", "a.gif", "--scale", "4"];
        project.expect(0, &[&["draw"][..], arguments, &options].concat()).1
    };
    assert_eq!(drawn(&["t.jsonl", "--ticks", "20..30", "--every", "5"]), "");
    assert_eq!(drawn(&["t.jsonl"]), "", "all of it");
    assert_eq!(drawn(&["t.jsonl", "--ticks", "20..40", "--every", "5", "-q"]), "");
    let err = drawn(&["t.jsonl", "--ticks", "20..40", "--every", "5"]);
    assert_eq!(
        err,
        "warning: the trace ends in tick 30; ticks 31 to 40 show how the run would have continued\n"
    );
    let err = drawn(&["t.jsonl", "--ticks", "35..40", "--every", "5"]);
    assert_eq!(
        err,
        "warning: the trace ends in tick 30; ticks 35 to 40 show how the run would have continued\n"
    );
    // A trace that somebody has lengthened by a line ends where its run did.
    let trace = project.read("t.jsonl");
    let cut = trace[..trace.len() - 1].rfind('\n').unwrap() + 1;
    project.write("far.jsonl", &format!("{}{{\"t\":1000000000000,\"hash\":\"00\"}}\n", &trace[..cut]));
    let (out, _) = project.expect(0, &["draw", "far.jsonl"]);
    assert!(out.starts_with("yard  tick 30 "), "{out}");
    drawn(&["far.jsonl"]);
    // A script that ends the run ends its film.
    project.write(
        "levels/short.json",
        &YARD.replace("\"name\": \"yard\",\n  \"nav", "\"script\": \"short.lua\",\n  \"nav"),
    );
    project.write(
        "scripts/short.lua",
        "function onStart()\n    timer.after(0.2, function() level.finish(true) end)\nend\n",
    );
    assert_eq!(drawn(&["short"]), "");
    let err = drawn(&["short", "--ticks", "0..40", "--every", "5"]);
    assert!(err.starts_with("warning: the level's script ends the run in tick 1"), "{err}");
}

/// Libraries that draw say something of shapes without width; that is nothing for people who draw.
#[test]
fn what_libraries_log_is_shown_only_when_more_is_asked_for() {
    let project = Project::new();
    let far = r#"{ "navigation": { "kind": "mesh", "areas": [
        { "name": "a", "polygon": [[0, 0], [1000000, 0], [1000000, 1000000], [0, 1000000]] },
        { "name": "b", "polygon": [[0, 0], [0.001, 0], [0.001, 0.001]], "cost": 100 }] } }"#;
    project.write("levels/far.json", far);
    let (_, err) = project.expect(0, &["draw", "far", "--out", "a.png"]);
    assert!(!err.contains("WARN") && err.contains("warning[extent]"), "{err}");
    let (_, err) = project.expect(0, &["draw", "far", "--out", "a.png", "-v"]);
    assert!(err.contains("tiny_skia"), "the level is still one of which a library says something: {err}");
}

#[test]
fn a_run_is_drawn_as_the_same_animation_every_time() {
    let project = Project::new();
    for name in ["a.gif", "b.gif"] {
        let options = ["--ticks", "0..30", "--every", "10", "--scale", "10"];
        project.expect(0, &[&["draw", "yard", "--gif", name][..], &options].concat());
    }
    let bytes = |name: &str| std::fs::read(project.path().join(name)).unwrap();
    let gif = bytes("a.gif");
    assert!(gif.starts_with(b"GIF89a") && gif.ends_with(b"\x3b"));
    assert_eq!(gif, bytes("b.gif"));
    // Each frame opens with a control block: four bytes, of them two for its time.
    let times: Vec<u16> = gif
        .windows(7)
        .filter(|block| block[..3] == *b"\x21\xf9\x04")
        .map(|block| u16::from_le_bytes([block[4], block[5]]))
        .collect();
    // 10 of 60 ticks a second: what rounding leaves goes to the next frame.
    assert_eq!(times, [17, 16, 17, 17 + 100], "four frames, and a second at the end");
    let left: Vec<_> =
        std::fs::read_dir(project.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".tmp")), "{left:?}");
    project.expect(0, &["draw", "yard", "--gif", "c.gif", "--ticks", "0..3", "--layers", "cells,doors"]);
    assert_ne!(bytes("c.gif"), gif);
}

#[test]
fn an_animation_that_would_be_too_large_is_refused_before_its_first_tick() {
    let project = Project::new();
    let huge = ["--ticks", "0..200000000", "--every", "2"];
    let (_, err) = project.expect(2, &[&["draw", "yard", "--gif", "a.gif"][..], &huge].concat());
    assert!(err.contains("100000001 frames of") && err.contains("1000 million pixels"), "{err}");
    assert!(err.contains("--scale") && err.contains("--every"), "{err}");
    let cases: [(&[&str], &str); 5] = [
        (&["--gif", "a.png"], "ends in .gif"),
        (&["--gif", "a.gif", "--ticks", "9..3"], "A <= B"),
        (&["--gif", "a.gif", "--out", "a.png"], "cannot be used with"),
        (&["--ticks", "0..3"], "--gif"),
        (&["--out", "a.svg", "--layers", "cels"], "did you mean \"cells\"?"),
    ];
    for (options, expected) in cases {
        let (_, err) = project.expect(2, &[&["draw", "yard"][..], options].concat());
        assert!(err.contains(expected), "{options:?}: {err}");
    }
    project.expect(6, &["draw", "yard", "--gif", "no/such/folder/a.gif"]);
    assert!(!project.path().join("a.gif").exists());
}

#[test]
fn a_picture_shows_the_layers_that_were_asked_for() {
    let project = Project::new();
    project.expect(0, &["draw", "yard", "--layers", "cells,characters", "--out", "a.svg"]);
    let svg = project.read("a.svg");
    assert!(svg.contains("data-kind=\"cells\"") && svg.contains("data-kind=\"character\""));
    assert!(!svg.contains("data-kind=\"door\"") && !svg.contains("data-kind=\"mark\""));
    assert_eq!(svg.matches(">guard<").count(), 1, "names are a layer of their own, beside the legend");
    project.expect(0, &["draw", "yard", "--layers", "all", "--out", "b.svg"]);
    project.expect(0, &["draw", "yard", "--out", "c.svg"]);
    assert_eq!(project.read("b.svg"), project.read("c.svg"));
}

#[test]
fn a_baked_grid_lies_beside_its_level_and_bakes_to_itself() {
    let project = Project::new();
    let report = project.json(0, &["bake", "yard", "--format", "json"]);
    assert_eq!(report["file"], "levels/yard.grid.txt");
    let grid = project.read("levels/yard.grid.txt");
    assert!(grid.starts_with("cellSize 0.5\nagentRadius 0.3\n"), "{grid}");
    project.write("levels/again.json", r#"{ "navigation": "yard.grid.txt" }"#);
    project.expect(0, &["bake", "again"]);
    assert_eq!(project.read("levels/again.grid.txt"), grid);
}

#[test]
fn schema_limits_and_completions_print_what_they_are_for() {
    let project = Project::new();
    let schema = project.json(0, &["schema"]);
    assert!(schema["properties"]["navigation"].is_object(), "{schema}");
    let limits = project.json(0, &["limits", "--format", "json"]);
    assert_eq!((&limits["fuelPerCall"], &limits["pathBudget"]), (&100_000.into(), &2000.into()));
    project
        .write("levels/small.json", &YARD.replacen("\"name\"", "\"limits\": { \"tasks\": 7 }, \"name\"", 1));
    let (out, _) = project.expect(0, &["limits", "small"]);
    assert!(
        out.lines().any(|line| line.starts_with("tasks ") && line.contains('7') && line.contains("set by")),
        "{out}"
    );
    for shell in ["bash", "zsh", "fish"] {
        assert!(project.expect(0, &["completions", shell]).0.contains("walkon"));
    }
}

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    let project = Project::new();
    project.write("levels/bad.json", "{");
    let (_, plain) = project.expect(3, &["run", "bad"]);
    assert!(!plain.contains('\u{1b}'), "{plain}");
    let (_, coloured) = project.expect(3, &["run", "bad", "--color", "always"]);
    assert!(coloured.contains('\u{1b}'), "{coloured}");
}

#[test]
fn fault_h10_an_output_that_cannot_be_written_is_refused_before_tick_0() {
    let project = Project::new();
    std::fs::create_dir(project.path().join("folder.svg")).unwrap();
    let mut cases = vec![
        vec!["run", "yard", "--trace", "."],
        vec!["run", "yard", "--trace", "no/such/folder/t.jsonl"],
        vec!["draw", "yard", "--out", "folder.svg"],
        vec!["draw", "yard", "--out", "no/such/folder/a.svg"],
    ];
    if Path::new("/dev/full").exists() {
        std::os::unix::fs::symlink("/dev/full", project.path().join("full.svg")).unwrap();
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut help = std::process::Command::new(crate::place::program());
        let ended = help.arg("--help").stdout(full).output().unwrap();
        assert_eq!(ended.status.code(), Some(6), "{}", String::from_utf8_lossy(&ended.stderr));
        cases.push(vec!["run", "yard", "--trace", "/dev/full"]);
        cases.push(vec!["draw", "yard", "--out", "full.svg"]);
    }
    for case in cases {
        let (out, err) = project.expect(6, &case);
        assert!(out.is_empty() && err.starts_with("error"), "{case:?}: {out}{err}");
    }
}

#[test]
fn fault_h10_results_that_no_longer_fit_on_a_disk_end_a_run_with_an_error() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let project = Project::new();
    project.write("levels/talks.json", &YARD.replacen("\"name\"", "\"script\": \"talks.lua\", \"name\"", 1));
    let talks = "function onTick() for i = 1, 40 do log.info(\"%s\", (\"x\"):rep(200)) end end\n";
    project.write("scripts/talks.lua", talks);
    // Within the buffer, which is found not to fit at the end, and beyond it.
    for ticks in ["1", "60", "200"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut run = std::process::Command::new(crate::place::program());
        let run = run.current_dir(project.path()).args(["run", "talks", "--ticks", ticks]).stdout(full);
        let ended = run.output().unwrap();
        let told = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(6), "{ticks} ticks: {told}");
        assert!(told.contains("stdout"), "{ticks} ticks: {told}");
    }
}

#[test]
fn fault_h11_a_command_never_writes_over_what_it_reads() {
    let project = Project::new();
    let before = project.read("levels/yard.json");
    let (_, err) = project.expect(6, &["run", "yard", "--trace", "levels/yard.json"]);
    assert!(err.contains("reads it"), "{err}");
    assert_eq!(project.read("levels/yard.json"), before);
    std::os::unix::fs::symlink("levels/yard.json", project.path().join("y.txt")).unwrap();
    project.expect(6, &["draw", "yard", "--out", "y.txt"]);
    assert_eq!(project.read("levels/yard.json"), before);
    project.write("scripts/guard.lua", "-- a guard");
    project.write("scripts/yard_test.lua", "-- no test");
    // Read by a level, from its own folder.
    project.write("levels/hall/mesh.obj", "v 0 0 0\nv 0 0 4\nv 4 0 0\nf 1 2 3\n");
    project.write("levels/hall.json", r#"{ "navigation": { "kind": "mesh", "file": "hall/mesh.obj" } }"#);
    let read = [
        "scripts/guard.lua",
        "scripts/yard_test.lua",
        "levels/yard.json",
        "walkon.json",
        "levels/hall/mesh.obj",
    ];
    for name in read {
        let before = project.read(name);
        project.expect(6, &["test", "--profile", name, "--profile-form", "folded"]);
        project.expect(6, &["test", "--junit", name, "--force"]);
        assert_eq!(project.read(name), before);
    }
    std::fs::hard_link(project.path().join("levels/yard.json"), project.path().join("twin.txt")).unwrap();
    for case in [["run", "yard", "--trace", "twin.txt"], ["draw", "yard", "--out", "twin.txt"]] {
        let (_, err) = project.expect(6, &case);
        assert!(err.contains("reads it"), "{err}");
    }
    assert_eq!(project.read("levels/yard.json"), before);
    project.write("old.svg", "old");
    project.expect(0, &["draw", "yard", "--out", "old.svg"]);
    assert!(project.read("old.svg").starts_with("<svg"), "what was there is replaced");
}

#[test]
fn fault_h11_two_options_never_write_one_file() {
    let project = Project::new();
    project.write("scripts/yard_test.lua", "-- no test");
    project.write("x", "old");
    std::os::unix::fs::symlink("x", project.path().join("y")).unwrap();
    let run = |words: &[&'static str]| [&["run", "yard", "--ticks", "9"], words].concat();
    let folded = ["--profile-form", "folded"];
    for (case, who) in [
        (run(&["--save-at", "5", "x", "--trace", "./x"]), "--trace and --save-at both"),
        (run(&["--save-at", "5", "y", "--trace", "x"]), "--trace and --save-at both"),
        (run(&["--profile", "c.json", "--trace", "c.json"]), "--trace and --profile both"),
        (run(&["--save-at", "5", "a", "--save-at", "7", "levels/../a"]), "--save-at writes to it twice"),
        (run(&[&["--save-at", "5", "p", "--profile", "p"], folded.as_slice()].concat()), "--profile and"),
        (run(&[&["--trace", "-", "--profile", "-"], folded.as_slice()].concat()), "stdout: --trace and"),
        ([&["test", "--junit", "j.xml", "--profile", "j.xml"], folded.as_slice()].concat(), "--junit and"),
        ([&["test", "--junit", "-", "--profile", "-"], folded.as_slice()].concat(), "stdout: --junit and"),
    ] {
        let (out, err) = project.expect(2, &case);
        assert!(out.is_empty() && err.contains(who), "{case:?}: {out}{err}");
        assert!(err.contains("name another file to write to"), "{case:?}: {err}");
    }
    assert_eq!(project.read("x"), "old");
    for name in ["a", "c.json", "p", "j.xml"] {
        assert!(!project.has(name), "{name}");
    }
    project.expect(0, &run(&["--save-at", "5", "a", "--save-at", "7", "b", "--trace", "a.part"]));
    assert!(project.read("a.part").starts_with("{\"walkon\":"));
    let (_, err) = project.expect(2, &["view", "yard", "--stdio", "--trace", "-"]);
    assert!(err.contains("--trace - cannot be used with --stdio"), "{err}");
}

#[test]
fn fault_h11_a_second_writer_of_a_trace_is_refused() {
    let project = Project::new();
    let arguments = ["run", "yard", "--trace", "t.jsonl", "--speed", "1", "--seconds", "30"];
    let mut first = project.command(&arguments).stdout(Stdio::null()).spawn().unwrap();
    wait_for(|| project.has("t.jsonl") && !project.read("t.jsonl").is_empty());
    let (_, err) = project.expect(6, &["run", "yard", "--trace", "t.jsonl"]);
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(err.contains("another run"), "{err}");
}

/// Polls a condition that another process makes true, at most ten seconds.
fn wait_for(mut condition: impl FnMut() -> bool) {
    for _ in 0..1000 {
        if condition() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("waited ten seconds in vain");
}

#[test]
fn fault_h3_a_killed_run_leaves_a_trace_of_whole_lines_up_to_the_last() {
    let project = Project::new();
    let arguments = ["run", "yard", "--trace", "t.jsonl", "--speed", "1", "--seconds", "30"];
    let mut run = project.command(&arguments).stdout(Stdio::null()).spawn().unwrap();
    wait_for(|| project.has("t.jsonl") && project.read("t.jsonl").lines().count() > 3);
    run.kill().unwrap();
    run.wait().unwrap();
    let trace = project.read("t.jsonl");
    let whole = &trace[..trace.rfind('\n').unwrap()];
    for line in whole.lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn fault_h5_a_signal_ends_the_run_with_its_code_and_a_last_line() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let project = Project::new();
        let arguments = ["run", "yard", "--trace", "t.jsonl", "--speed", "1", "--seconds", "60"];
        let mut run = project.command(&arguments).stdout(Stdio::null()).spawn().unwrap();
        wait_for(|| project.has("t.jsonl") && !project.read("t.jsonl").is_empty());
        crate::place::send_signal(signal, &run);
        assert_eq!(run.wait().unwrap().code(), Some(code), "{signal}");
        let trace = project.read("t.jsonl");
        let last: Value = serde_json::from_str(trace.lines().last().unwrap()).unwrap();
        assert_eq!((&last["end"], &last["ok"]), (&"signal".into(), &false.into()));
    }
}

/// Also one whose scripts would never come to their end: they have a moment.
#[cfg(unix)]
#[test]
fn fault_h5_scripts_hear_of_the_end_of_a_run_that_a_signal_ends() {
    let told = "task.onCancel(function(why) log.info(\"task: %s\", why) end)";
    let beats = "function onTick() if level.tick % 9 == 0 then event.emit(\"beat\") end end";
    let begun = format!("{beats} function onStart() task.spawn(function() {told} task.sleep(99) end) end");
    let limits = ", \"limits\": { \"fuelPerCall\": 10000000, \"watchdogMs\": 60000 }";
    for command in ["run", "watch"] {
        for does in ["", " while true do end"] {
            let project = Project::new();
            let script = format!("{begun} function onStop(why) log.info(\"level: %s\", why){does} end");
            scripted(&project, &script, limits);
            let mut arguments = vec![command, "room", "--trace", "t.jsonl", "--speed", "1"];
            arguments.extend(["--seconds", "60"]);
            let mut going = project.command(&arguments);
            let going = going.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            wait_for(|| project.has("t.jsonl") && project.read("t.jsonl").lines().count() > 3);
            crate::place::send_signal("-INT", &going);
            let output = going.wait_with_output().unwrap();
            let (out, err) = (text(&output.stdout), text(&output.stderr));
            assert_eq!(output.status.code(), Some(130), "{command}: {out}\n{err}");
            for line in ["task: levelEnd", "level: levelEnd"] {
                assert!(out.contains(line), "{command}: {line} in\n{out}\n{err}");
            }
            let trace = project.read("t.jsonl");
            let last: Value = serde_json::from_str(trace.lines().last().unwrap()).unwrap();
            assert_eq!(&last["end"], "signal", "{command}");
            if does.is_empty() {
                assert!(!err.contains("shutting down"), "{command}: {err}");
                project.expect(0, &["replay", "t.jsonl"]);
            }
        }
    }
}

/// A reader that has stopped reading keeps a run from its next tick, and from its end.
#[cfg(unix)]
#[test]
fn fault_h5_a_signal_ends_a_run_whose_output_nobody_takes() {
    let ends = |signal: &str, code: i32| {
        let project = Project::new();
        let arguments = ["run", "yard", "--trace", "-", "--positions", "1", "--ticks", "1000000"];
        let mut run =
            project.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        // More than a pipe holds is written by then: the first line alone comes from a run that goes on.
        let mut first = [0; 1];
        std::io::Read::read_exact(run.stdout.as_mut().unwrap(), &mut first).unwrap();
        std::thread::sleep(std::time::Duration::from_secs(1));
        crate::place::send_signal(signal, &run);
        let ended = (0..3000).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            run.try_wait().unwrap()
        });
        let _ = run.kill();
        assert_eq!(ended.and_then(|status| status.code()), Some(code), "{signal}: {ended:?}");
    };
    // Both wait for most of the time.
    std::thread::scope(|scope| {
        scope.spawn(|| ends("-INT", 130));
        scope.spawn(|| ends("-TERM", 143));
    });
}

#[cfg(unix)]
#[test]
fn fault_h5_a_profile_is_written_whole_when_a_signal_ends_the_run() {
    for (signal, code, form) in
        [("-INT", 130, "json"), ("-TERM", 143, "speedscope.json"), ("-INT", 130, "folded")]
    {
        let project = Project::new();
        scripted(&project, "function onTick() for n = 1, 100 do level.measure('n', n) end end", "");
        let file = format!("p.{form}");
        let arguments =
            ["run", "room", "--trace", "t.jsonl", "--profile", &file, "--speed", "1", "--seconds", "600"];
        let command = project.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut run = command.unwrap();
        wait_for(|| project.has("t.jsonl") && project.read("t.jsonl").contains("\"t\":9,"));
        crate::place::send_signal(signal, &run);
        assert_eq!(run.wait().unwrap().code(), Some(code), "{signal}");
        let text = project.read(&file);
        assert!(text.contains("onTick"), "{form}: {text}");
        if form == "folded" {
            let fuel = text.lines().map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap());
            assert!(fuel.sum::<u64>() > 0, "{text}");
        } else {
            serde_json::from_str::<Value>(&text).unwrap();
        }
    }
}

/// What scripts keep fills the memory while somebody is on the way: the level ends, and the walk is told of
/// it.
#[test]
fn fault_b6_a_walk_under_way_settles_once_when_the_memory_of_the_level_is_full() {
    let project = Project::new();
    let script = "local keep = {}
        function onStart()
            world.character('bob'):walkTo(7, 7, { onCancelled = function(it) log.info(it.reason) end })
        end
        function onTick()
            for i = 1, 40 do keep[#keep + 1] = ('x'):rep(10000) .. i .. level.tick end
        end";
    scripted(&project, script, ", \"limits\": { \"memoryMiB\": 4 }");
    let report =
        project.json(5, &["run", "room", "--format", "json", "--ticks", "600", "--trace", "t.jsonl"]);
    assert_eq!((&report["ended"], &report["walks"]["cancelled"]), (&"limit".into(), &1.into()), "{report}");
    let trace = project.read("t.jsonl");
    let lines: Vec<Value> = trace.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |event: &str| lines.iter().filter(|line| line["e"] == event).collect::<Vec<_>>();
    assert_eq!((of("scriptFault").len(), of("walkSettled").len(), of("log").len()), (1, 1, 1), "{trace}");
    assert_eq!(of("scriptFault")[0]["kind"], "memory");
    assert_eq!(of("walkSettled")[0]["reason"], "levelEnd");
    assert_eq!(of("log")[0]["message"], "levelEnd", "its handler has run");
    assert_eq!(lines.last().unwrap()["end"], "limit");
}

#[cfg(unix)]
#[test]
fn fault_h7_a_closed_pipe_ends_quietly() {
    let project = Project::new();
    for arguments in [
        &["schema"] as &[&str],
        &["draw", "yard"],
        &["run", "yard", "--trace", "-"],
        &["run", "yard", "--format", "json"],
        &["completions", "bash"],
        &["--help"],
    ] {
        let mut child =
            project.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn fault_h9_a_closed_stderr_is_no_panic() {
    let project = Project::new();
    for arguments in [&["run", "nowhere"] as &[&str], &["run"], &["run", "yard", "--ticks", "1"]] {
        let mut child =
            project.command(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stderr.take());
        let code = child.wait().unwrap().code();
        assert!(matches!(code, Some(0 | 2 | 6)), "{arguments:?}: {code:?}");
    }
}

#[cfg(unix)]
#[test]
fn fault_h14_a_small_stack_is_enough() {
    // Calls of Lua from C from Lua, as deep as Luau allows, take native stack. Seen to crash with a thread of
    // 128 KiB.
    let project = Project::new();
    let deep = "local function down(n)\n  if n > 0 then string.gsub(\"a\", \"a\", function() down(n - 1) end) end\nend\n\
        function onStart() down(150) log.info(\"came back\") end\n";
    scripted(&project, deep, "");
    let run = "ulimit -s 256 && exec \"$0\" run room --ticks 10";
    let mut command = Command::new("sh");
    command.arg("-c").arg(run).arg(crate::place::program()).current_dir(project.path());
    let output = command.output().unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}\n{err}");
    assert!(out.contains("came back"), "{out}\n{err}");
}

#[test]
fn fault_h16_runs_in_one_folder_do_not_disturb_each_other() {
    let project = Project::new();
    let runs: Vec<_> = (0..6)
        .map(|_| {
            let mut command = project.command(&["draw", "yard", "--out", "same.svg"]);
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for run in runs {
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    assert!(project.read("same.svg").ends_with("</svg>\n"));
}

#[cfg(unix)]
#[test]
fn fault_h17_names_that_are_not_utf8_work_or_end_with_usage() {
    use std::os::unix::ffi::OsStrExt;
    let project = Project::new();
    let name = std::ffi::OsStr::from_bytes(b"y\xffrd.json");
    let path = project.path().join("levels").join(name);
    if std::fs::write(&path, YARD).is_err() {
        println!("skipped: this file system refuses such names");
        return;
    }
    let status = project.command(&["run"]).arg(&path).arg("--ticks").arg("1").output().unwrap().status;
    assert!(matches!(status.code(), Some(0 | 2)), "{status}");
    project.expect(0, &["run", "--ticks", "1", "yard", "--", "--strict"]);
}

#[cfg(unix)]
#[test]
fn fault_f23_and_f24_a_level_that_leads_out_or_is_no_file_is_refused() {
    let project = Project::new();
    project.write("levels/link.json", r#"{ "navigation": "map.json" }"#);
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("map.json"), "{}").unwrap();
    std::os::unix::fs::symlink(outside.path().join("map.json"), project.path().join("levels/map.json"))
        .unwrap();
    let (_, err) = project.expect(3, &["run", "link"]);
    assert!(err.contains("outside the project"), "{err}");
    std::fs::remove_file(project.path().join("levels/map.json")).unwrap();
    std::fs::create_dir(project.path().join("levels/map.json")).unwrap();
    let (_, err) = project.expect(3, &["run", "link"]);
    assert!(err.contains("not a regular file"), "{err}");
    if Path::new("/dev/null").exists() {
        let (_, err) = project.expect(3, &["run", "/dev/null"]);
        assert!(err.contains("not a regular file") && err.contains("- reads a level from stdin"), "{err}");
    }
}

#[test]
fn fault_f41_diagnostics_end_and_say_how_many_more_there_are() {
    let project = Project::new();
    let areas: Vec<String> =
        (0..300).map(|index| format!("{{ \"name\": \"a{index}\", \"polygon\": 1 }}")).collect();
    project.write("levels/many.json", &format!("{{ \"areas\": [{}] }}", areas.join(",")));
    let (_, err) = project.expect(3, &["run", "many"]);
    assert!(err.len() < 200_000 && err.contains("more"), "{} bytes", err.len());
    let (out, _) = project.expect(3, &["check", "levels/many.json"]);
    assert!(out.contains("1 file checked: at least 100 errors, 0 warnings"), "{out}");
}

#[test]
fn a_map_of_tiled_that_makes_no_level_is_not_imported() {
    let project = Project::new();
    let map = |x: u32| {
        format!(
            "<map version=\"1.10\" orientation=\"orthogonal\" width=\"3\" height=\"1\" tilewidth=\"16\" tileheight=\"16\">\
             <tileset firstgid=\"1\" name=\"s\" tilewidth=\"16\" tileheight=\"16\" tilecount=\"1\" columns=\"1\"/>\
             <layer id=\"1\" name=\"floor\" width=\"3\" height=\"1\"><properties><property name=\"isTilesetWalkable\" \
             type=\"bool\" value=\"true\"/></properties><data encoding=\"csv\">1,1,1</data></layer>\
             <objectgroup id=\"2\"><object id=\"1\" name=\"ghost\" type=\"guard\" x=\"{x}\" y=\"8\"><point/></object>\
             </objectgroup></map>"
        )
    };
    let level = project.path().join("levels/ghost.json");
    project.write("ghost.tmx", &map(800));
    let (_, err) = project.expect(3, &["import", "ghost.tmx", "-o", "levels/ghost.json"]);
    assert!(err.contains("\"ghost\"") && !level.exists(), "{err}");
    project.write("ghost.tmx", &map(24));
    project.expect(0, &["import", "ghost.tmx", "-o", "levels/ghost.json"]);
    assert!(level.exists());
}

#[test]
fn a_project_file_that_is_wrong_is_named_with_its_line() {
    let project = Project::new();
    project.write("walkon.json", "{ \"scirpts\": [] }");
    let (_, err) = project.expect(3, &["run", "levels/yard.json"]);
    assert!(err.contains("walkon.json:1:") && err.contains("scirpts"), "{err}");
    project.write("walkon.json", "{ \"scripts\": [\"../elsewhere\"] }");
    let (_, err) = project.expect(3, &["run", "levels/yard.json"]);
    assert!(err.contains("../elsewhere"), "{err}");
}

/// The yard with a behaviour for its guard.
fn guarded(behaviour: &str) -> String {
    YARD.replace("\"guard\",", &format!("\"guard\", \"behaviour\": \"{behaviour}\","))
}

#[test]
fn fault_f19_check_names_a_script_that_is_missing_and_the_nearest_one() {
    let project = Project::new();
    project.write("scripts/behaviours/guard.lua", "return {}\n");
    project.write("levels/typo.json", &guarded("gaurd"));
    let list = project.json(3, &["check", "levels/typo.json", "--format", "json"]);
    let error = list.as_array().unwrap().iter().find(|entry| entry["severity"] == "error").unwrap();
    assert_eq!(
        (&error["code"], &error["pointer"]),
        (&"unresolved".into(), &"/characters/0/behaviour".into())
    );
    assert!(error["help"].as_str().unwrap().contains("guard"), "{error}");
    project.write("levels/right.json", &guarded("guard"));
    project.expect(0, &["check", "levels/right.json"]);
}

#[test]
fn check_shows_the_line_of_a_mistake_in_a_script_without_running_any() {
    let project = Project::new();
    project.write("scripts/behaviours/guard.lua", "local a = 1\nlocal = 2\n");
    project.write("scripts/never.lua", "error('this must not run')\n");
    project.write("scripts/types/walkon.d.lua", "this is no script\n");
    project.write("levels/yard.json", &guarded("guard"));
    for path in ["levels/yard.json", "scripts", "scripts/behaviours/guard.lua", "."] {
        let (out, err) = project.expect(4, &["check", path]);
        assert!(
            err.contains("scripts/behaviours/guard.lua:2:1") && err.contains("local = 2"),
            "{path}: {err}"
        );
        assert!(out.contains("1 error,"), "{path}: said once however often it is named: {out}");
    }
    project.expect(0, &["check", "scripts/never.lua"]);
    project.write("levels/yard.json", &guarded("guard").replace("\"doors\"", "\"dors\""));
    project.expect(3, &["check", "."]);
}

#[test]
fn fault_f23_a_script_that_links_out_of_the_project_is_refused() {
    let project = Project::new();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.lua"), "return {}").unwrap();
    project.write("scripts/own.lua", "return {}");
    std::os::unix::fs::symlink(outside.path().join("secret.lua"), project.path().join("scripts/out.lua"))
        .unwrap();
    let (_, err) = project.expect(4, &["check", "levels/yard.json"]);
    assert!(err.contains("scripts/out.lua") && err.contains("outside the project"), "{err}");
}

#[test]
fn types_are_written_for_both_editors_and_are_those_of_the_repository() {
    let project = Project::new();
    project.expect(0, &["types"]);
    project.expect(0, &["types", "--out", "elsewhere"]);
    let own = crate::place::root().join("scripts/types");
    for name in ["walkon.d.lua", "walkon.d.luau"] {
        let written = project.read(&format!("scripts/types/{name}"));
        assert_eq!(written, project.read(&format!("elsewhere/{name}")));
        // Those of the repository are for every project: any text is a name.
        let without_names = |text: String| {
            let is_name = |line: &&str| {
                let rest = line.strip_prefix("export type ").or_else(|| line.strip_prefix("---@alias "));
                rest.and_then(|rest| rest.split(' ').next()).is_some_and(|name| name.ends_with("Name"))
            };
            text.lines().filter(|line| !is_name(line)).map(str::to_owned).collect::<Vec<_>>()
        };
        let shipped = std::fs::read_to_string(own.join(name)).unwrap();
        assert!(without_names(written) == without_names(shipped), "{name}: run the tests with UPDATE=1");
    }
}

/// A level of one room with a level script.
fn scripted(project: &Project, script: &str, more: &str) {
    project.write("scripts/room.lua", script);
    let areas = r#""navigation": { "areas": [ { "name": "a", "polygon": [[0,0],[8,0],[8,8],[0,8]] } ] }"#;
    let who = r#""characters": [ { "name": "bob", "position": [4,4] } ]"#;
    project.write("levels/room.json", &format!("{{ {areas}, {who}, \"script\": \"room\"{more} }}"));
}

/// A script that never leaves a call, with fuel that would last for minutes.
const ENDLESS: &str = "function onTick() local n = 0 while true do n = n + 1 end end";

#[test]
fn a_level_that_ends_itself_badly_ends_with_one_and_its_note() {
    let project = Project::new();
    scripted(&project, "function onTick() level.finish(level.tick > 99, \"no luck\") end", "");
    let report = project.json(1, &["run", "room", "--format", "json"]);
    let found = (&report["ended"], &report["ok"], &report["note"]);
    assert_eq!(found, (&"finish".into(), &false.into(), &"no luck".into()));
}

/// A fault, a judgement, and walks of a scene, whose handlers hear how they ended.
#[test]
fn what_scripts_do_as_the_level_ends_counts() {
    let project = Project::new();
    let faults = [
        "function onStop() error(\"x\") end",
        "function onStart() task.spawn(function() task.onCancel(function() error(\"x\") end) task.sleep(9) end) end",
    ];
    for script in faults {
        scripted(&project, script, "");
        let report = project.json(4, &["run", "room", "--seconds", "1", "--strict", "--format", "json"]);
        assert_eq!((&report["ended"], &report["ok"]), (&"fault".into(), &false.into()), "{script}");
        let report = project.json(0, &["run", "room", "--seconds", "1", "--format", "json"]);
        assert_eq!((&report["faults"], &report["ok"]), (&1.into(), &true.into()), "{script}");
        project.expect(4, &["batch", "room", "--seeds", "1..2", "--seconds", "1", "--strict"]);
    }
    scripted(&project, "function onStop() level.finish(false, \"too late\") end", "");
    let report = project.json(1, &["run", "room", "--seconds", "1", "--format", "json"]);
    let found = (&report["ended"], &report["ok"], &report["note"]);
    assert_eq!(found, (&"bound".into(), &false.into(), &"too late".into()));
    let scene = "function onStart() cinematic.define(\"s\", { holds = { \"bob\" }, script = function(c)
        c:start(world.character(\"bob\"), vector.create(7, 0, 7), { onSettled = function(r) log.info(\"held %s\", r.reason) end })
        world.spawn({ name = \"ann\", at = vector.create(1, 0, 1) }):walkTo(vector.create(7, 0, 1), { onSettled = function(r)
            log.info(\"free %s\", r.reason) end })
        c:wait(50) log.info(\"went on\")
    end, onEnd = function(info) log.info(\"scene %s\", info.outcome) end }) cinematic.play(\"s\") end";
    scripted(&project, scene, "");
    let (out, err) = project.expect(0, &["run", "room", "--ticks", "30"]);
    for line in ["held levelEnd", "free levelEnd", "scene levelEnd"] {
        assert_eq!(out.matches(line).count(), 1, "{line} in\n{out}\n{err}");
    }
    assert!(!out.contains("went on"), "{out}");
}

#[test]
fn what_on_start_did_counts_before_the_first_tick() {
    let project = Project::new();
    scripted(&project, "function onStart() event.emit(\"rang\") end", "");
    let report = project.json(0, &["run", "room", "--until", "rang", "--format", "json"]);
    assert_eq!((&report["ended"], &report["ticks"]), (&"until".into(), &0.into()));
    scripted(&project, "function onStart() error(\"boom\") end", "");
    let (out, _) = project.expect(4, &["run", "room", "--strict", "--format", "json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&report["ended"], &report["ticks"]), (&"fault".into(), &0.into()));
}

#[test]
fn a_fault_is_shown_with_its_line_and_frames_and_only_strict_fails_the_run() {
    let project = Project::new();
    let script =
        "local function inner(x)\n    return x.missing.field\nend\nfunction onStart()\n    inner({})\nend\n";
    scripted(&project, script, "");
    for (code, strict) in [(0, &[] as &[&str]), (4, &["--strict"])] {
        let (out, err) = project.expect(code, &[&["run", "room", "--ticks", "3"], strict].concat());
        for part in [
            "scripts/room.lua:2:5",
            "return x.missing.field",
            "^^^^",
            "in level script onStart",
            "at room.lua:5",
        ] {
            assert!(err.contains(part), "{part} in\n{err}");
        }
        assert!(out.contains(" 1 fault, hash"), "{out}");
    }
    let (out, err) = project.expect(0, &["run", "room", "--ticks", "3", "--format", "json"]);
    assert!(
        err.contains("scripts/room.lua:2:5") && out.lines().count() == 1,
        "faults never spoil the object"
    );
}

#[test]
fn a_summary_names_ten_that_were_switched_off_and_counts_the_others() {
    let project = Project::new();
    project
        .write("scripts/behaviours/broken.lua", "return { update = function(self, dt) error('broken') end }");
    scripted(
        &project,
        "function onStart()
          for i = 1, 12 do world.spawn({ name = 's' .. i, at = world.character('bob'), behaviour = 'broken' }) end
        end",
        "",
    );
    let (out, _) = project.expect(0, &["run", "room", "--ticks", "60"]);
    assert_eq!(out.matches("  off     behaviour \"broken\" of ").count(), 10, "{out}");
    assert!(out.contains("  off     2 more after their faults; --format json names them all"), "{out}");
}

#[test]
fn a_script_that_fails_while_it_loads_ends_with_four_and_shows_the_line() {
    let project = Project::new();
    for (script, part) in [("error(\"at load\")", "at load"), ("local = 1", "Expected identifier")] {
        scripted(&project, script, "");
        for command in ["run", "draw"] {
            let arguments = [command, "room", if command == "run" { "--ticks" } else { "--tick" }, "2"];
            let (out, err) = project.expect(4, &arguments);
            assert!(err.contains(part) && err.contains("scripts/room.lua:1:1") && out.is_empty(), "{err}");
        }
    }
}

#[test]
fn fault_f19_a_level_that_names_no_script_is_rejected_before_anything_runs() {
    let project = Project::new();
    scripted(&project, "error(\"this must not run\")", "");
    let level = project.read("levels/room.json").replace("\"script\": \"room\"", "\"script\": \"rom\"");
    project.write("levels/room.json", &level);
    let (_, err) = project.expect(3, &["run", "room"]);
    assert!(
        err.contains("error[unresolved]") && err.contains("room") && !err.contains("must not run"),
        "{err}"
    );
}

#[test]
fn the_watchdog_ends_a_call_and_marks_the_run() {
    let project = Project::new();
    let limits = ", \"limits\": { \"fuelPerCall\": 10000000, \"watchdogMs\": 10 }";
    scripted(&project, ENDLESS, limits);
    let (out, err) = project.expect(5, &["run", "room", "--ticks", "3", "--format", "json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&report["ended"], &report["reproducible"]), (&"bound".into(), &false.into()));
    assert!(err.contains("watchdog"), "{err}");
}

#[test]
fn fault_c19_a_script_cannot_forge_a_line_or_command_the_terminal() {
    let project = Project::new();
    scripted(
        &project,
        "function onStart() log.warn(\"a\\n    9.99 s  forged \\27[31m\") error(\"b\\27[2J\\nforged\") end",
        "",
    );
    let (out, err) = project.expect(0, &["run", "room", "--ticks", "1", "--trace", "t.jsonl"]);
    for text in [&out, &err] {
        assert!(!text.contains('\u{1b}'), "{text:?}");
        assert!(
            !text.lines().any(|line| line.trim_start().starts_with("9.99") || line.starts_with("forged")),
            "{text}"
        );
    }
    for line in project.read("t.jsonl").lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
}

#[test]
fn stats_are_a_table_that_never_spoils_a_json_result() {
    let project = Project::new();
    let (out, _) = project.expect(0, &["run", "yard", "--ticks", "5", "--stats"]);
    assert!(out.contains("us a tick") && out.contains("6 path requests"), "{out}");
    let (out, err) = project.expect(0, &["run", "yard", "--ticks", "5", "--stats", "--format", "json"]);
    assert!(serde_json::from_str::<Value>(&out).is_ok() && err.contains("us a tick"), "{out}\n{err}");
}

#[cfg(unix)]
#[test]
fn fault_h6_a_signal_ends_a_script_that_loops() {
    // While a file loads there is no end of a tick at which the signal could be seen: only the flag that the
    // VM reads ends the call early, else its fuel does, with 4. An endless `onTick` would prove nothing: it
    // is suspended after three faults, and the run then ends between ticks. Seen to fail with the flag never
    // set.
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        let project = Project::new();
        let limits = ", \"limits\": { \"fuelAtLoad\": 100000000, \"watchdogMs\": 60000 }";
        scripted(&project, "while true do end", limits);
        let mut command = project.command(&["run", "room", "--trace", "t.jsonl"]);
        let run = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(|| project.has("t.jsonl") && !project.read("t.jsonl").is_empty());
        crate::place::send_signal(signal, &run);
        let output = run.wait_with_output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(code), String::new()), "{signal}");
        let trace = project.read("t.jsonl");
        let last: Value = serde_json::from_str(trace.lines().last().unwrap()).unwrap();
        assert_eq!((&last["end"], &last["ok"]), (&"signal".into(), &false.into()));
    }
}

#[cfg(unix)]
#[test]
fn fault_h1_a_disk_that_fills_stops_the_trace_and_not_the_run() {
    let project = Project::new();
    // Files may hold 8 KiB; the signal that says so is ignored, so that the write fails as on a full disk.
    let run = "trap '' XFSZ; ulimit -f 16; exec \"$0\" run yard --ticks 2000 --trace t.jsonl --format json";
    let mut command = Command::new("sh");
    command.arg("-c").arg(run).arg(crate::place::program()).current_dir(project.path());
    let output = command.output().unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(6), "{out}\n{err}");
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["ticks"], 2000, "the run went on");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.contains("tracing stops"), "{err}");
    let trace = project.read("t.jsonl");
    assert!(trace.ends_with('\n') && trace.len() <= 16 * 1024, "{} bytes", trace.len());
    for line in trace.lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn fault_h13_few_files_little_memory_one_cpu_and_no_temporary_folder_are_enough() {
    let project = Project::new();
    let one_cpu = if Command::new("taskset").arg("--version").output().is_ok() { "taskset -c 0" } else { "" };
    if one_cpu.is_empty() {
        println!("without taskset all CPUs are used");
    }
    let run =
        format!("ulimit -n 16; ulimit -v 262144; exec {one_cpu} \"$0\" run yard --ticks 20 --trace t.jsonl");
    let mut command = Command::new("sh");
    command.arg("-c").arg(run).arg(crate::place::program()).current_dir(project.path());
    let output = command.env("TMPDIR", "/no/such/folder").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

/// No number is below zero by the width of a hair, and what is shown raw is measured as it is shown.
#[test]
fn path_says_lengths_of_what_it_shows_and_no_minus_zero() {
    let project = Project::new();
    let output = project.run(&["path", "yard", "--from", "1,1", "--to", "1,1", "--radius", "0"]);
    let none = String::from_utf8(output.stdout).unwrap();
    assert!(none.contains(": 0.00 m, cost 0.00"), "{none}");
    let measured = |more: &[&str]| {
        let question = ["path", "yard", "--from", "1.1,1.2", "--to", "9,7.1", "--format", "json"];
        let answer = project.json(0, &[&question, more].concat());
        let number = |at: &Value| at.as_f64().unwrap();
        let points: Vec<[f64; 2]> = answer["waypoints"]
            .as_array()
            .unwrap()
            .iter()
            .map(|at| [number(&at[0]), number(&at[1])])
            .collect();
        let length: f64 =
            points.windows(2).map(|two| (two[1][0] - two[0][0]).hypot(two[1][1] - two[0][1])).sum();
        assert!((length - number(&answer["length"])).abs() < 1e-3, "{answer}");
        length
    };
    assert!(measured(&["--raw"]) > measured(&[]));
}

/// Two halls with a doorway between them, whose open door lets people through along `direction` only.
fn halls(kind: &str, direction: &str) -> String {
    let hall = |name: &str, west: u32, east: u32| {
        format!("{{ \"name\": \"{name}\", \"polygon\": [[{west},0],[{east},0],[{east},10],[{west},10]] }}")
    };
    let door = "{ \"name\": \"doorway\", \"polygon\": [[10,4],[11,4],[11,6],[10,6]] }";
    let (west, east) = (hall("west", 0, 10), hall("east", 11, 21));
    format!(
        "{{ \"navigation\": {{ \"kind\": \"{kind}\", \"areas\": [{west}, {door}, {east}] }},
        \"doors\": [{{ \"name\": \"way\", \"area\": \"doorway\", \"oneWay\": {direction}, \"open\": true }}],
        \"marks\": {{ \"west\": [2,5], \"east\": [19,5], \"far\": [20,1] }},
        \"characters\": [{{ \"name\": \"guard\", \"position\": [3,5] }}], \"script\": \"ask.lua\" }}"
    )
}

#[test]
fn a_door_that_lets_people_through_one_way_does_so_for_every_command_that_asks_for_a_way() {
    let project = Project::new();
    project.write(
        "scripts/ask.lua",
        "function onStart() for _, ends in { { 'west', 'east' }, { 'east', 'west' } } do
  local path = nav.findPath(ends[1], ends[2], { radius = 0.35 })
  log.info('found %s %s', path.status, tostring(path.reason))
end end",
    );
    for (kind, direction) in ["grid", "mesh"]
        .into_iter()
        .flat_map(|kind| ["[1,0]", "[-1,0]", "[3,1]", "[0,1]"].map(|way| (kind, way)))
    {
        project.write("levels/halls.json", &halls(kind, direction));
        let (told, _) = project.expect(0, &["run", "halls", "--ticks", "2"]);
        let found: Vec<&str> = told.lines().filter_map(|line| Some(line.split_once("found ")?.1)).collect();
        assert_eq!(found.len(), 2, "{told}");
        for (found, [from, to]) in found.iter().zip([["2,5", "19,5"], ["19,5", "2,5"]]) {
            let asked = |command| [command, "halls", "--from", from, "--to", to];
            let path =
                project.json(0, &[&asked("path")[..], &["--radius", "0.35", "--format", "json"]].concat());
            let status = path["status"].as_str().unwrap();
            let reason = path["reason"].as_str().unwrap_or("nil");
            assert_eq!(format!("{status} {reason}"), *found, "{kind} {direction} {from}");
            if status == "partial" {
                let because = "that door lets nobody through in this direction";
                assert_eq!(path["because"], because);
            }
            let (drawn, _) = project.expect(0, &asked("draw"));
            let length = path["length"].as_f64().unwrap();
            assert!(drawn.contains(&format!("path: {length:.2} m")), "{kind} {direction} {from}:\n{drawn}");
        }
        let (_, told) = project.expect(0, &["check", "levels/halls.json"]);
        let lost: Vec<&str> = ["west", "east", "far"]
            .into_iter()
            .filter(|mark| told.contains(&format!("mark \"{mark}\" is cut off")))
            .collect();
        let expected: &[&str] = if found[0].starts_with("complete") { &[] } else { &["east", "far"] };
        assert_eq!(lost, expected, "{kind} {direction}: {told}");
    }
}

#[test]
fn a_level_without_a_name_is_called_like_its_file_dots_and_all() {
    let project = Project::new();
    let text =
        project.read("levels/yard.json").replacen("\"name\": \"yard\",", "\"script\": \"say.lua\",", 1);
    project.write("scripts/say.lua", "function onStart() log.info('it is %s', level.name) end");
    for name in ["part.1", "part.2", "v1.0.3"] {
        project.write(&format!("levels/{name}.json"), &text);
        let (told, _) = project.expect(0, &["run", name, "--ticks", "2"]);
        assert!(told.contains(&format!("it is {name}\n")), "{told}");
        let row = project.json(0, &["run", name, "--ticks", "2", "--format", "json"]);
        assert_eq!(row["level"], name);
    }
    project.expect(0, &["batch", "part.1", "part.2", "v1.0.3", "--seeds", "1..2", "--ticks", "2"]);
}

#[test]
fn a_script_that_is_named_with_the_folder_of_scripts_is_told_without_it() {
    let project = Project::new();
    project.write("scripts/first.lua", "function onStart() end");
    project.write("scripts/behaviours/guard.lua", "return { update = function() end }");
    for (key, asked, expected) in [
        ("script", "scripts/first.lua", "expected \"first.lua\""),
        ("script", "scripts/first", "expected \"first\""),
        ("script", "scripts/frist.lua", "did you mean \"first\"?"),
        ("behaviour", "scripts/behaviours/guard.lua", "expected \"behaviours/guard.lua\""),
        ("behaviour", "game/scripts/behaviours/guard", "expected \"behaviours/guard\""),
    ] {
        let text = project.read("levels/yard.json");
        let text = match key {
            "script" => text.replacen("\"name\": \"yard\",", &format!("\"script\": \"{asked}\","), 1),
            _ => text.replace(
                "\"position\": [1,1] }",
                &format!("\"position\": [1,1], \"behaviour\": \"{asked}\" }}"),
            ),
        };
        project.write("levels/named.json", &text);
        for command in ["check", "run"] {
            let (_, err) = project.expect(3, &[command, "levels/named.json"]);
            assert!(err.contains("unknown script") && err.contains(expected), "{asked}: {err}");
        }
    }
}

#[test]
fn a_project_is_checked_in_its_own_folders_and_another_folder_whole() {
    let project = Project::new();
    for (path, text) in [
        ("package.json", "{}"),
        ("data/items.json", "{\"sword\": 1}"),
        ("node_modules/a/package.json", "{}"),
        ("tools/build.lua", "return {"),
        ("scripts/yard.lua", "return 1"),
    ] {
        project.write(path, text);
    }
    for command in [&["check"][..], &["check", "."]] {
        let (out, err) = project.expect(0, command);
        assert!(!format!("{out}{err}").contains("items"), "{out}{err}");
    }
    let (_, err) = project.expect(3, &["check", "data"]);
    assert!(err.contains("data/items.json"), "who names a folder means it: {err}");
    let (_, err) = project.expect(4, &["check", "tools"]);
    assert!(err.contains("build.lua"), "{err}");
    project.write("walkon.json", "[]");
    let (_, err) = project.expect(3, &["check"]);
    assert!(err.contains("walkon.json: it is a list, expected an object"), "{err}");
    project.write("walkon.json", " \n");
    let (_, err) = project.expect(3, &["check"]);
    assert!(err.contains("walkon.json: it is empty, expected an object"), "{err}");
    project.write("walkon.json", "{");
    let (_, err) = project.expect(3, &["check"]);
    assert!(err.contains("walkon.json:1:1: EOF while parsing an object"), "{err}");
    project.write("walkon.json", "{ \"levls\": [] }");
    let (_, err) = project.expect(3, &["check"]);
    assert!(err.contains("unknown field `levls`") && err.contains("did you mean \"levels\"?"), "{err}");
    project.write("walkon.json", "\u{feff}{}");
    project.expect(0, &["check"]);
}

#[cfg(unix)]
#[test]
fn fault_f24_pipes_in_place_of_files_are_refused_and_not_waited_for() {
    let project = Project::new();
    let pipe = project.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()));
    for command in [
        &["draw", "pipe"][..],
        &["replay", "pipe"],
        &["run", "pipe"],
        &["run", "yard", "--from", "pipe"],
        &["path", "--map", "pipe", "--scen", "pipe"],
        &["batch", "--merge", "pipe"],
    ] {
        let output = project.run(command);
        let err = text(&output.stderr);
        let is_refused = !output.status.success() && err.contains("not a regular file");
        assert!(is_refused, "{command:?}: {} {err}", output.status);
    }
}

#[test]
fn with_v_every_file_that_is_written_is_named() {
    let project = Project::new();
    let options =
        ["--seconds", "0.2", "--trace", "t.jsonl", "--profile", "p.json", "--save-at", "3", "s.save"];
    let (_, quiet) = project.expect(0, &[&["run", "yard"][..], &options].concat());
    assert!(!quiet.contains("wrote"), "{quiet}");
    let (_, err) = project.expect(0, &[&["run", "yard", "-v"][..], &options].concat());
    for file in ["t.jsonl", "p.json", "s.save"] {
        assert_eq!(err.matches(&format!("wrote {file}\n")).count(), 1, "{file}: {err}");
    }
}

/// A grid has a margin of cells around its ground. A path that starts beyond the margin still reaches the
/// ground, but never through a wall.
#[test]
fn a_start_beyond_the_edge_of_a_grid_finds_the_ground_in_a_clear_line() {
    let project = Project::new();
    let level = |obstacles: &str| {
        format!(
            r#"{{ "navigation": {{ "areas": [{{ "name": "yard", "polygon": [[0,0],[16,0],[16,10],[0,10]] }}],
            "obstacles": [{obstacles}] }} }}"#
        )
    };
    let wall = r#"{ "name": "wall", "polygon": [[-1,-12],[-0.5,-12],[-0.5,22],[-1,22]] }"#;
    for (obstacles, from_x, status) in [
        ("", -0.5, "complete"),
        ("", -1.5, "complete"),
        ("", -3.0, "complete"),
        ("", -7.0, "complete"),
        ("", -9.0, "none"),
        (wall, -3.0, "none"),
    ] {
        project.write("levels/edge.json", &level(obstacles));
        let from = format!("--from={from_x},3");
        let answer = project.json(0, &["path", "edge", &from, "--to", "4,4", "--format", "json"]);
        assert_eq!(answer["status"], status, "from {from_x}, {obstacles}: {answer}");
    }
}
