//! `walkon batch` and `watch` from outside.
//!
//! Goal: a line of a batch is the line of the run alone, and what is saved while a level runs gets into its
//! trace. Method: the real binary on projects in folders of their own; limits of time are generous.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

const ROOM: &str = r#"{ "name": "NAME", "script": "NAME.lua",
  "navigation": { "areas": [ { "name": "hall", "polygon": [[0,0],[20,0],[20,20],[0,20]] } ] },
  "characters": [ { "name": "hero", "position": [4, 4] } ] }"#;

const ROLL: &str = "function onStart()
  level.measure('roll', math.random(1, 1000))
  world.character('hero'):walkTo(math.random(2, 18), math.random(2, 18))
end
function onTick() if level.tick == 50 then level.finish(level.seed ~= 3, 'done') end end";

fn project(rooms: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("walkon.json", "{}");
    for (name, script) in rooms {
        write(&format!("levels/{name}.json"), &ROOM.replace("NAME", name));
        write(&format!("scripts/{name}.lua"), script);
    }
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(crate::place::program());
    command.current_dir(folder).args(arguments).env_remove("RUST_LOG").stdin(Stdio::null());
    command
}

fn ends(folder: &Path, code: i32, arguments: &[&str]) -> (String, String) {
    told(command(folder, arguments).output().unwrap(), code, arguments)
}

fn told(output: Output, code: i32, arguments: &[&str]) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "walkon {arguments:?}\n{out}\n{err}");
    (out, err)
}

/// The lines of a batch without what differs from run to run.
fn lines(out: &str) -> Vec<Value> {
    let mut lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines {
        let line = line.as_object_mut().unwrap();
        line.remove("wallSeconds");
        line.remove("speed");
    }
    lines
}

#[test]
fn a_batch_prints_a_line_for_each_seed_in_order_and_ends_with_the_highest_code() {
    let folder = project(&[("roll", ROLL)]);
    let (out, err) = ends(folder.path(), 1, &["batch", "roll", "--seeds", "1..6", "--jobs", "3"]);
    let all = lines(&out);
    let seeds: Vec<u64> = all.iter().map(|line| line["seed"].as_u64().unwrap()).collect();
    assert_eq!(seeds, [1, 2, 3, 4, 5, 6]);
    assert_eq!(all[2]["ok"], false, "seed 3 says so");
    let rolls: std::collections::BTreeSet<String> =
        all.iter().map(|line| line["measures"]["roll"].to_string()).collect();
    assert!(rolls.len() > 1 && !rolls.contains("null"), "seeds differ: {rolls:?}");
    for part in ["6 runs", "5 ok, 1 not", "roll", "mean", "failing: roll 3 (exit 1)"] {
        assert!(err.contains(part), "{part} in\n{err}");
    }
    for (number, line) in all.iter().enumerate() {
        let seed = (number + 1).to_string();
        let code = i32::from(seed == "3");
        let (alone, _) = ends(folder.path(), code, &["run", "roll", "--seed", &seed, "--format", "json"]);
        assert_eq!(&lines(&alone)[0], line, "seed {seed} alone");
    }
    let (one, _) = ends(folder.path(), 1, &["batch", "roll", "--seeds", "1..6", "--jobs", "1", "-q"]);
    assert_eq!(lines(&one), all, "the number of threads does not show");
    let mut shards = Vec::new();
    for shard in ["1/2", "2/2"] {
        let output = command(folder.path(), &["batch", "roll", "--seeds", "1..6", "--shard", shard]).output();
        shards.extend(lines(&String::from_utf8(output.unwrap().stdout).unwrap()));
    }
    shards.sort_by_key(|line| line["seed"].as_u64());
    assert_eq!(shards, all, "shards are parts of the whole");
}

#[test]
fn shards_of_machines_that_find_their_part_by_themselves_join_to_the_whole() {
    let folder = project(&[("roll", ROLL), ("still", "")]);
    let all = ["batch", "roll", "still", "--seeds", "1..6", "--ticks", "60", "-q"];
    let (whole, _) = ends(folder.path(), 1, &all);
    let write = |name: &str, part: &str| std::fs::write(folder.path().join(name), part).unwrap();
    let mut kubernetes = Vec::new();
    for index in 0..3 {
        let arguments = [&all[..], &["--shard", "auto/3"]].concat();
        let mut pod = command(folder.path(), &arguments);
        let out = pod.env("JOB_COMPLETION_INDEX", index.to_string()).output().unwrap();
        kubernetes.push(String::from_utf8(out.stdout).unwrap());
        let mut task = command(folder.path(), &[&all[..], &["--shard", "auto"]].concat());
        task.env("SLURM_ARRAY_TASK_ID", (2 * index + 1).to_string()).env("SLURM_ARRAY_TASK_COUNT", "3");
        let out = task.env("SLURM_ARRAY_TASK_MIN", "1").env("SLURM_ARRAY_TASK_MAX", "5").output().unwrap();
        assert_eq!(lines(&String::from_utf8(out.stdout).unwrap()), lines(&kubernetes[index]));
        write(&format!("{index}.jsonl"), &kubernetes[index]);
    }
    let merge = ["batch", "--merge", "2.jsonl", "0.jsonl", "1.jsonl"];
    let (joined, table) = ends(folder.path(), 1, &merge);
    assert!(table.contains("12 runs") && table.contains("failing: roll 3 (exit 1)"), "{table}");
    assert_eq!(lines(&joined), lines(&whole), "by level and seed, whatever the order of the files");
    let cut: String = kubernetes[1].lines().skip(1).map(|line| format!("{line}\n")).collect();
    write("1.jsonl", &cut);
    let (out, err) = ends(folder.path(), 1, &merge);
    assert!(out.is_empty() && err.contains("roll seed 2 is missing"), "{out}{err}");
    write("1.jsonl", &kubernetes[1]);
    let (out, err) = ends(folder.path(), 1, &[&merge[..], &["0.jsonl"]].concat());
    assert!(out.is_empty() && err.contains("is there twice") && err.contains("0.jsonl:1"), "{out}{err}");
    let hash = lines(&kubernetes[0])[0]["hash"].as_str().unwrap().to_owned();
    write("again.jsonl", &kubernetes[0].replace(&hash, "0123456789abcdef"));
    let (out, err) = ends(folder.path(), 5, &[&merge[..], &["again.jsonl"]].concat());
    assert!(out.is_empty() && err.contains(&format!("{hash} in 0.jsonl:1")), "{out}{err}");
    write("torn.jsonl", &kubernetes[0][..kubernetes[0].len() / 2]);
    let (_, err) = ends(folder.path(), 6, &["batch", "--merge", "torn.jsonl"]);
    assert!(err.contains("not a batch row"), "{err}");
}

#[test]
fn fault_f44_the_second_level_of_a_batch_is_what_it_is_alone_whatever_the_first_does() {
    let hostile = "local t = {}
      function onStart() while true do table.insert(t, string.rep('x', 1000)) end end
      function onTick() while true do pcall(function() while true do end end) end end";
    let folder = project(&[("hostile", hostile), ("roll", ROLL)]);
    let arguments = ["batch", "hostile", "roll", "--seeds", "1..2", "--ticks", "60", "--jobs", "2"];
    let output = command(folder.path(), &arguments).output().unwrap();
    let all = lines(&String::from_utf8(output.stdout).unwrap());
    let names: Vec<&str> = all.iter().map(|line| line["level"].as_str().unwrap()).collect();
    assert_eq!(names, ["hostile", "hostile", "roll", "roll"]);
    assert!(all[0]["faults"].as_u64().unwrap() > 0, "{}", all[0]);
    let (alone, _) = ends(folder.path(), 0, &["batch", "roll", "--seeds", "1..2", "--ticks", "60"]);
    assert_eq!(lines(&alone), all[2..]);
}

#[test]
fn wrong_arguments_of_batch_and_watch_end_with_two() {
    let folder = project(&[("roll", ROLL)]);
    for (arguments, part) in [
        (&["batch", "roll"] as &[&str], "--seeds"),
        (&["batch", "roll", "--seeds", "5..1"], "1..100"),
        (&["batch", "roll", "--seeds", "1..2", "--shard", "3/2"], "2/4"),
        (&["batch", "roll", "--seeds", "1..2", "--shard", "auto"], "JOB_COMPLETION_INDEX"),
        (&["batch", "--merge", "a.jsonl", "--jobs", "2"], "--merge"),
        (&["batch", "roll", "--seeds", "1..2", "--jobs", "0"], "1 to 1024"),
        (&["watch", "roll", "--speed", "max"], "multiple of real time"),
        (&["watch", "roll", "--sped", "1"], "--speed"),
    ] {
        let (out, err) = ends(folder.path(), 2, arguments);
        assert!(err.contains(part) && out.is_empty(), "{arguments:?}: {part} in\n{err}");
    }
    ends(folder.path(), 6, &["batch", "rol", "--seeds", "1..2"]);
    std::os::unix::fs::symlink("roll.json", folder.path().join("levels/link.json")).unwrap();
    let level = ROOM.replace("NAME", "roll");
    std::fs::write(folder.path().join("levels/same.json"), level + "\n").unwrap();
    for (levels, part) in [
        (["roll", "roll"], "\"roll\" (levels/roll.json) is given twice"),
        (["roll", "./levels/roll.json"], "\"roll\" (levels/roll.json) is given twice"),
        (["roll", "same"], "levels/roll.json and levels/same.json are both called \"roll\""),
        (["levels/link.json", "roll"], "\"roll\" (levels/roll.json) is given twice"),
    ] {
        let arguments = [&["batch"][..], levels.as_slice(), &["--seeds", "1..2"]].concat();
        let (out, err) = ends(folder.path(), 2, &arguments);
        assert!(err.contains(part) && out.is_empty(), "{arguments:?}: {part} in\n{err}");
    }
    let (out, err) = ends(project(&[("bad", "error('no')")]).path(), 4, &["batch", "bad", "--seeds", "1..2"]);
    assert_eq!(out.lines().count(), 2, "{out}");
    assert!(out.contains("\"ok\":false,\"error\":\"bad.lua:1: no\"") && err.contains("2 not"), "{out}{err}");
}

#[test]
fn fault_e20_what_is_saved_under_watch_is_an_input_of_the_trace_and_replays_from_it() {
    let folder = project(&[("roll", "function onTick() end")]);
    let arguments = ["watch", "roll", "--seconds", "4", "--trace", "t.jsonl"];
    let mut child =
        command(folder.path(), &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let said = Said::of(child.stderr.take().unwrap());
    said.wait_for("watching");
    // So that the save comes between two ticks of a level that runs.
    std::thread::sleep(Duration::from_millis(500));
    let saved = "function onTick() level.measure('saved', 1) end";
    std::fs::write(folder.path().join("scripts/roll.lua"), saved).unwrap();
    let (out, _) = told(child.wait_with_output().unwrap(), 0, &arguments);
    assert!(out.contains("ended by bound, ok"), "{out}");
    let trace = std::fs::read_to_string(folder.path().join("t.jsonl")).unwrap();
    let header: Value = serde_json::from_str(trace.lines().next().unwrap()).unwrap();
    assert_eq!(header["texts"]["scripts"]["roll.lua"], "function onTick() end");
    let inputs: Vec<&str> = trace.lines().filter(|line| line.contains("\"kind\":\"reload\"")).collect();
    assert_eq!(inputs.len(), 1, "saved once: {inputs:?}");
    assert!(inputs[0].contains("level.measure('saved', 1)"), "{}", inputs[0]);
    let (out, _) = ends(folder.path(), 0, &["replay", "t.jsonl"]);
    assert!(out.contains("the same in 240 ticks"), "the script on disk is another by now: {out}");
}

/// What a running command says, line by line.
struct Said(std::sync::mpsc::Receiver<String>);

impl Said {
    fn of(out: impl std::io::Read + Send + 'static) -> Self {
        let (sender, said) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let lines = std::io::BufRead::lines(std::io::BufReader::new(out));
            lines.map_while(Result::ok).for_each(|line| drop(sender.send(line)));
        });
        Self(said)
    }

    /// The next line with `part` in it. Others may go on for ever, so it is given up at a time, not after a
    /// silence.
    fn wait_for(&self, part: &str) -> String {
        let end = Instant::now() + Duration::from_secs(120);
        let mut before = Vec::new();
        loop {
            match self.0.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) if line.contains(part) => return line,
                Ok(line) => before.push(line),
                Err(error) => panic!("{error} for {part:?} after {before:#?}"),
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn an_edit_runs_at_once_a_broken_one_is_shown_once_and_mending_it_is_told() {
    let version = |number: u32| {
        format!("function onTick() if level.tick % 20 == 0 then log.info('version {number}') end end")
    };
    let folder = project(&[("roll", &version(0))]);
    let script = folder.path().join("scripts/roll.lua");
    let mut child = command(folder.path(), &["watch", "roll", "--trace", "t.jsonl"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let said = Said::of(child.stdout.take().unwrap());
    said.wait_for("version 0");
    let mut milliseconds = Vec::new();
    for number in 1..=2 {
        // Longer than the second that lies between two reloads: each of these stands alone.
        std::thread::sleep(Duration::from_millis(1100));
        std::fs::write(&script, version(number)).unwrap();
        let line = said.wait_for("reloaded roll.lua in ");
        let time = line.split(" in ").nth(1).unwrap().split(' ').next().unwrap().parse::<u64>().unwrap();
        milliseconds.push(time);
        said.wait_for(&format!("version {number}"));
    }
    println!("from the first event of a save to running code: {milliseconds:?} ms");
    assert!(milliseconds.iter().min().unwrap() < &1000, "generous, for a busy machine: {milliseconds:?}");
    // From here on each waits for the message of the one before it. What comes within the second between two
    // reloads is kept until it is over.
    std::fs::write(&script, "function onTick(\n  x\nend").unwrap();
    said.wait_for("reload refused");
    said.wait_for("version 2");
    std::fs::write(&script, "function onTick() if level.tick % 20 == 0 then lgo.info('x') end end").unwrap();
    // What `check` is sure of does not replace what works.
    said.wait_for("reload refused");
    said.wait_for("version 2");
    std::fs::write(&script, "function onTick() if level.tick % 20 == 0 then error('torn') end end").unwrap();
    // Three faults and its owner is switched off, which is told with what starts it again; the fault is told
    // once.
    said.wait_for("fault in");
    said.wait_for("level script is switched off after its faults; a reload of roll.lua starts it again");
    std::fs::write(&script, version(5)).unwrap();
    said.wait_for("reloaded roll.lua in ");
    said.wait_for("version 5");
    let level = folder.path().join("levels/roll.json");
    let text = std::fs::read_to_string(&level).unwrap();
    std::fs::write(&level, text.replace("navigation", "navigatoin")).unwrap();
    said.wait_for("reload refused");
    std::fs::write(&level, text.replace("[0,20]]", "[0,18]]")).unwrap();
    let mended = said.wait_for("reloaded ");
    assert!(mended.contains("levels/roll.json") && mended.contains("mended"), "{mended}");
    std::fs::write(&level, text.replace("\"roll.lua\"", "\"rol.lua\"")).unwrap();
    said.wait_for("reload refused");
    crate::place::send_signal("-INT", &child);
    let (_, err) = told(child.wait_with_output().unwrap(), 130, &["watch"]);
    assert_eq!(
        err.matches("--> scripts/roll.lua:").count(),
        3,
        "each mistake is shown once, in place:\n{err}"
    );
    assert!(err.contains("did you mean \"log\"?"), "{err}");
    assert!(err.contains("error('torn') end end"), "with the line as it is now:\n{err}");
    assert!(err.contains("did you mean \"navigation\"?"), "{err}");
    for part in
        ["error[unresolved]: unknown script \"rol.lua\"", "--> levels/roll.json:1:29", "did you mean \"roll"]
    {
        assert!(err.contains(part), "{part} in\n{err}");
    }
    let (out, _) = ends(folder.path(), 0, &["replay", "t.jsonl"]);
    assert!(out.contains("the same in"), "all of it replays from the trace alone: {out}");
}

#[cfg(unix)]
#[test]
fn a_watch_ends_cleanly_when_it_is_interrupted() {
    let folder = project(&[("roll", "function onTick() end function onStop() for _ = 1, 10000 do end end")]);
    let arguments = ["watch", "roll", "--trace", "t.jsonl", "--poll", "--speed", "4"];
    let mut child =
        command(folder.path(), &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let said = Said::of(child.stderr.take().unwrap());
    said.wait_for("watching");
    std::thread::sleep(Duration::from_millis(500));
    crate::place::send_signal("-INT", &child);
    let (out, _) = told(child.wait_with_output().unwrap(), 130, &arguments);
    assert!(out.contains("ended by signal"), "{out}");
    let trace = std::fs::read_to_string(folder.path().join("t.jsonl")).unwrap();
    let last: Value = serde_json::from_str(trace.lines().last().unwrap()).unwrap();
    assert_eq!(last["end"], "signal");
    // The trace is whole: the signal ended the script, and that is said.
    let (_, err) = ends(folder.path(), 0, &["replay", "t.jsonl"]);
    let ended = format!("t.jsonl: a signal ended the run while scripts ran in tick {}", last["t"]);
    assert_eq!(err.contains(&ended), trace.contains("scriptStopped"), "{err}");
    assert!(!err.contains("is cut"), "{err}");
}

/// A signal that comes between two ticks, where a level in real time spends its time, cuts no script off.
#[cfg(unix)]
#[test]
fn a_watch_that_is_interrupted_while_it_waits_runs_no_tick_more() {
    let folder = project(&[("roll", "function onTick() end")]);
    let arguments = ["watch", "roll", "--trace", "t.jsonl", "--poll", "--speed", "0.1"];
    let mut cut = 0;
    for round in 0..6 {
        let _ = std::fs::remove_file(folder.path().join("t.jsonl"));
        let mut child =
            command(folder.path(), &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Said::of(child.stderr.take().unwrap()).wait_for("watching");
        std::thread::sleep(Duration::from_millis(300 + 13 * round));
        crate::place::send_signal("-INT", &child);
        told(child.wait_with_output().unwrap(), 130, &arguments);
        let trace = std::fs::read_to_string(folder.path().join("t.jsonl")).unwrap();
        cut += usize::from(trace.contains("scriptStopped"));
        ends(folder.path(), 0, &["replay", "t.jsonl"]);
    }
    assert!(cut <= 1, "{cut} of 6 signals came in the thousandth of the time that ticks take");
}

/// What new code says in the tick that takes it in is told then, not with what is said next.
#[cfg(unix)]
#[test]
fn what_new_code_says_as_it_begins_is_told_at_once() {
    let folder = project(&[("roll", "function onTick() end")]);
    let mut child = command(folder.path(), &["watch", "roll"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    Said::of(child.stderr.take().unwrap()).wait_for("watching");
    let said = Said::of(child.stdout.take().unwrap());
    std::thread::sleep(Duration::from_millis(500));
    let script = folder.path().join("scripts/roll.lua");
    std::fs::write(&script, "function onStart(why) log.info('new by %s', why) end").unwrap();
    said.wait_for("new by reload");
    crate::place::send_signal("-INT", &child);
    told(child.wait_with_output().unwrap(), 130, &["watch"]);
}
