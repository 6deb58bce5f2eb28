//! Hostile scripts with a world in their hands: rows of the fault catalogue's parts A to C and I that need
//! bindings.
//!
//! Goal: handles and verbs are no way out of the sandbox, and no way into each other. Method: each script
//! runs as the level script of a small level in a process of its own, through the command line, and writes
//! what it found; the process must end by itself, well, with exactly those lines.

use std::fs;
use std::process::Command;

use crate::fixture::TWO_ROOMS;

/// Runs `script` and compares the lines it logs, without their place.
fn check(script: &str, expected: &[&str]) {
    let (lines, code) = run(script, &[]);
    assert_eq!(code, Some(0), "{lines:#?}");
    assert_eq!(lines, expected);
}

fn run(script: &str, more: &[&str]) -> (Vec<String>, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let level = TWO_ROOMS.replacen('{', "{ \"script\": \"hostile.lua\",", 1);
    fs::write(folder.path().join("stage.json"), level).unwrap();
    fs::write(folder.path().join("hostile.lua"), script).unwrap();
    let run = Command::new(crate::place::program())
        .args(["run", "stage.json", "--ticks", "120", "--trace", "trace.jsonl", "--hash-every", "0"])
        .args(more)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let trace = fs::read_to_string(folder.path().join("trace.jsonl")).unwrap_or_default();
    let logged = trace.lines().filter_map(|line| {
        let fact: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| fact[key].as_str().unwrap_or_default().to_owned();
        match fact["e"].as_str() {
            Some("log") => Some(text("message")),
            Some("scriptFault") => Some(format!("fault {}", text("kind"))),
            _ => None,
        }
    });
    (logged.collect(), run.status.code())
}

#[test]
fn fault_a19_a_verb_that_takes_a_function_only_stores_it() {
    check(
        r#"
        function onStart()
          local inside = true
          local function never() log.info(inside and "inside the call" or "after it") end
          world.character("hero"):walkTo(2, 5, { onArrived = never, onSettled = never })
          timer.after(0, never)
          event.on("ping", never)
          event.emit("ping")
          task.spawn(never)
          inside = false
        end"#,
        &["after it", "after it", "after it", "after it", "after it"],
    );
}

#[test]
fn fault_a25_a_loop_behind_every_kind_of_callback_ends_by_fuel_and_the_run_goes_on() {
    check(
        r#"
        local function loop() while true do end end
        function onStart()
          world.character("hero"):walkTo(2, 5, { onArrived = loop })
          timer.after(1, function() log.info("still here") end)
        end"#,
        &["fault fuel", "still here"],
    );
}

#[test]
fn fault_c11_metatables_of_handles_are_closed() {
    check(
        r#"
        function onStart()
          local hero = world.character("hero")
          for _, thing in { hero, world.door("gate"), hero:walkTo(3, 5), world } do
            log.info("%s", getmetatable(thing))
          end
          log.info("%s", pcall(function() hero.name = "x" end))
          log.info("%s", pcall(function() hero.__index = {} end))
          log.info("%s", pcall(setmetatable, hero, {}))
          log.info("%s", pcall(function() return hero.__gc end))
        end"#,
        &["false"; 8],
    );
}

#[test]
fn fault_c12_a_method_of_one_type_is_refused_by_another() {
    check(
        r#"
        function onStart()
          local hero, gate = world.character("hero"), world.door("gate")
          local walk = hero:walkTo(3, 5)
          local wrong = { gate, walk, {}, "x", 1, true, vector.create(0, 0, 0), function() end }
          local told, raised, kinds = {}, 0, 0
          for _, method in { "walkTo", "stopInPlace", "teleport", "face", "play", "setSpeed", "isMoving",
                             "distanceTo", "canReach", "hasTag", "attach", "detach", "despawn" } do
            for _, other in wrong do
              kinds += 1
              local ok, why = pcall(hero[method], other, "gate")
              if not ok and string.find(why, "dot", 1, true) then raised += 1 end
              if ok then table.insert(told, method) end
            end
            local ok = pcall(hero[method])
            if ok then table.insert(told, method .. " without self") end
          end
          log.info("%d of %d, %d let through, hero %s", raised, kinds, #told, hero.alive)
          log.info("%s", (pcall(gate.open, hero)))
        end"#,
        &["104 of 104, 0 let through, hero true", "false"],
    );
}

#[test]
fn fault_c13_a_stale_handle_raises_and_never_means_another() {
    check(
        r#"
        function onStart()
          local hero = world.character("hero")
          local anna = world.spawn({ name = "anna", at = vector.create(4, 0, 4) })
          state.anna = anna.name
          anna:despawn()
          log.info("%s", anna.alive)
          timer.after(0.1, function()
            local again = world.spawn({ name = "anna", at = vector.create(4, 0, 4) })
            log.info("%s", again == anna)
            log.info("%s %s", anna.alive, again.alive)
            local ok, why = pcall(anna.walkTo, anna, 1, 1)
            log.info("%s %s", ok, string.find(why, "was removed at tick", 1, true) ~= nil)
          end)
        end"#,
        &["false", "false", "false true", "false true"],
    );
}

#[test]
fn fault_c15_functions_of_the_api_cannot_be_replaced() {
    check(
        r#"
        function onStart()
          for _, library in { nav, world, event, timer, task, log, rng, region, level, cinematic } do
            log.info("%s", (pcall(function() library.walkTo = print end)))
          end
        end"#,
        &["false"; 10],
    );
}

#[test]
fn fault_i1_strings_as_keys_iterate_alike_in_every_process() {
    let script = r#"
        function onStart()
          local t, out = {}, {}
          for i = 1, 50 do t["key" .. (i * 7919 % 1000)] = i end
          for key in pairs(t) do table.insert(out, key) end
          log.info("%s", table.concat(out, " "))
        end"#;
    let (first, _) = run(script, &[]);
    for _ in 0..3 {
        assert_eq!(run(script, &[]).0, first);
    }
}

#[test]
fn fault_i12_a_run_that_the_watchdog_ended_is_marked_and_ends_with_five() {
    let script = r#"
        function onStart()
          local s = string.rep("x", 4000)
          local t = {}
          while true do for i = 1, 1000 do t[i] = s .. i end end
        end"#;
    // A budget of fuel far beyond what ten milliseconds can spend, so that only the clock can end the call.
    let folder = tempfile::tempdir().unwrap();
    let limits = r#"{ "limits": { "fuelPerCall": 10000000, "fuelPerTick": 1000000000, "watchdogMs": 10 }, "script": "hostile.lua","#;
    fs::write(folder.path().join("stage.json"), TWO_ROOMS.replacen('{', limits, 1)).unwrap();
    fs::write(folder.path().join("hostile.lua"), script).unwrap();
    let run =
        crate::place::walkon(folder.path(), &["run", "stage.json", "--ticks", "60", "--format", "json"]);
    let text = String::from_utf8_lossy(&run.stdout);
    assert_eq!(run.status.code(), Some(5), "{text}{}", String::from_utf8_lossy(&run.stderr));
    assert!(text.contains("\"reproducible\":false"), "{text}");
}

#[test]
#[cfg(unix)]
fn fault_h6_a_signal_ends_a_script_that_loops() {
    let folder = tempfile::tempdir().unwrap();
    let limits = r#"{ "limits": { "fuelPerCall": 10000000, "fuelPerTick": 1000000000, "watchdogMs": 60000 }, "script": "hostile.lua","#;
    fs::write(folder.path().join("stage.json"), TWO_ROOMS.replacen('{', limits, 1)).unwrap();
    let script =
        "function onTick() local s = string.rep('x', 4000) for i = 1, 2000000 do local t = s .. i end end";
    fs::write(folder.path().join("hostile.lua"), script).unwrap();
    let mut child = Command::new(crate::place::program())
        .args(["run", "stage.json", "--ticks", "1000000", "--trace", "trace.jsonl"])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // The trace exists once the run is under way; bounded by the waits.
    for _ in 0..500 {
        if fs::metadata(folder.path().join("trace.jsonl")).is_ok() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::thread::sleep(std::time::Duration::from_millis(100));
    crate::place::send_signal("-TERM", &child);
    assert_eq!(child.wait().unwrap().code(), Some(143));
    let trace = fs::read_to_string(folder.path().join("trace.jsonl")).unwrap();
    assert!(trace.lines().last().unwrap().contains("\"end\":\"signal\""), "the last line says why");
}
