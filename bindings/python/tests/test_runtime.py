"""Levels, games, batches: what the bindings promise beside what the runtime does."""

from __future__ import annotations

import gc
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import walkon
from walkon import events, inputs

from conftest import ROOT, hall, hears_ctrl_c, room


def test_a_run_has_the_hash_of_the_program(courtyard, golden):
    result = courtyard.start(seed=1).run()
    assert (result.hash, result.ok, result.ended) == (golden, True, "bound")
    assert result.walks.accepted == 18 and result.paths.requests > 0 and result.crowd.replans.door >= 0
    assert result.same(courtyard.run(seed=1)), "a batch of one is the same run"


def test_ticks_come_to_the_same_as_a_run(courtyard, golden):
    game = courtyard.start(seed=1)
    for _ in range(60):
        game.tick(ticks=60)
    assert game.tick_number == 3600 and game.seconds == 60.0
    assert game.hash == golden


def test_every_line_of_every_level_is_a_typed_event():
    seen = set()
    for name in ("courtyard", "house", "bridge", "burrow", "tavern", "village"):
        game = walkon.Level.load(ROOT / "levels" / f"{name}.json").start()
        for event in game.tick(ticks=1800).events:
            assert not isinstance(event, events.Other), event
            known = {key for key, _ in walkon._fields.names(type(event))} | {"t", "e"}
            entries = isinstance(event, (events.SceneEnded, events.ScriptFault))
            assert entries or set(event.raw) <= known, event.raw
            seen.add(type(event))
    assert len(seen) >= 12, seen


def test_every_event_that_traces_know_has_a_class():
    source = ROOT / "crates" / "walkon-runtime" / "src"
    recorder = (source / "game" / "recorder.rs").read_text()
    names = dict(re.findall(r'const (\w+): &str = "(\w+)"', (source / "world" / "event_name.rs").read_text()))
    named = re.findall(r"event_name::(\w+)", (source / "game" / "event.rs").read_text())
    written = set(re.findall(r'fact\("(\w+)"\)', recorder)) | {names[name] for name in named} | {"input"}
    assert len(written) > 20 and written == set(events.KINDS) - {"other"}


def test_a_walk_settles_with_its_number():
    game = room().start()
    walk = game.walk("anna", "bench", gait="run")
    settled = []
    while not settled:
        settled = game.tick().settled
    assert (settled[0].walk, settled[0].status, settled[0].character) == (walk, "arrived", "anna")
    x, _, z = game.positions()[0]
    assert abs(x - 17) < 0.1 and abs(z - 9) < 0.1
    game.walk("anna", (3.0, 3.0))
    assert game.stop("anna") and not game.stop("anna")
    with pytest.raises(KeyError, match="did you mean"):
        game.walk("ana", "bench")
    with pytest.raises(KeyError, match="benhc"):
        game.walk("anna", "benhc")
    with pytest.raises(ValueError, match="gait"):
        game.walk("anna", "bench", gait="fly")
    with pytest.raises(ValueError, match="finite"):
        game.walk("anna", (float("nan"), 1.0))


def test_what_scripts_emit_comes_back_as_data():
    script = """
    function onStart()
      event.on("bell", function(e) event.emit("rung", { times = e.times * 2, list = { 1, true, "x" } }) end)
    end
    """
    game = room(script).start()
    tick = game.emit("bell", {"times": 3})
    assert tick.emitted("rung") == [{"times": 6, "list": [1, True, "x"]}]
    assert tick.has("rung") and tick.has("bell") and not tick.has("bells")
    tick = game.tick([inputs.teleport("anna", (5, 5)), inputs.walk("nobody", "bench")])
    refused = [event for event in tick.events if isinstance(event, events.InputRefused)]
    assert len(refused) == 1 and "nobody" in refused[0].why
    assert game.positions()[0, 0] == 5
    with pytest.raises(walkon.InputError, match="dance"):
        game.tick({"kind": "dance"})
    assert game.tick(inputs.evaluate("1 + 1")).events[-1].result == "2"


def test_choices_wait_in_interactive_games(courtyard):
    game = courtyard.start(seed=1, interactive=True)
    choice = None
    while choice is None:
        choice = next(iter(game.tick().choices), None)
    assert choice.id == "audience.answer" and "grant" in choice.options
    told = game.answer(choice.id, "grant").events
    assert [event.line for event in told if isinstance(event, events.Said)] == ["audience.granted"], told


def test_doors_open_when_they_are_asked_to(courtyard):
    game = courtyard.start(seed=3)
    game.open_door("gate")
    changed = [event for event in game.tick(ticks=60).events if isinstance(event, events.DoorChanged)]
    assert changed[-1].state == "open" and game.level.outline["doors"] == ["gate"]
    with pytest.raises(KeyError):
        game.open_door("gtae")


def test_positions_are_one_array_that_is_written_in_place(courtyard):
    game = courtyard.start()
    positions = game.positions()
    assert positions.shape == (4, 3) and positions.dtype == np.float32 and positions.flags.owndata
    assert game.names == ["guard", "messenger", "regent", "player"]
    assert positions[3].tolist() == [6, 0, 6]
    room_for_more = np.full((9, 3), -1, dtype=np.float32)
    assert game.positions(room_for_more) is room_for_more
    assert (room_for_more[:4] == positions).all() and (room_for_more[4:] == -1).all()
    poses = game.poses()
    assert poses.shape == (4, 5) and (poses[:, :3] == positions).all()
    # In the order of Fortran the numbers would be written, each to a place of another.
    fortran = np.zeros((4, 3), np.float32, order="F")
    apart = np.zeros((4, 6), np.float32)[:, ::2]
    for wrong in (np.zeros((3, 3), np.float32), np.zeros((4, 5), np.float32), apart, fortran):
        with pytest.raises(ValueError, match="out"):
            game.positions(wrong)
    frozen = np.zeros((4, 3), np.float32)
    frozen.flags.writeable = False
    with pytest.raises(ValueError):
        game.positions(frozen)
    with pytest.raises(TypeError):
        game.positions(np.zeros((4, 3)))


def test_a_refused_level_says_where_and_what_to_do(tmp_path):
    path = tmp_path / "a.json"
    area = '{ "areas": [{ "name": "a", "polygon": [[0, 0], [9, 0], [9, 9]] }] }'
    path.write_text('{\n  "navigation": ' + area + ',\n  "charaters": []\n}')
    with pytest.raises(walkon.LevelError) as caught:
        walkon.Level.load(path)
    error = caught.value
    assert (error.file, error.line, error.column) == ("a.json", 3, 3)
    assert 'did you mean "characters"?' in str(error) and error.diagnostics[0].severity == "error"
    assert pickle.loads(pickle.dumps(error)).line == 3
    with pytest.raises(FileNotFoundError):
        walkon.Level.load(tmp_path / "b.json")
    with pytest.raises(walkon.ScriptError) as caught:
        room("local x = nil\nx.y = 1").start()
    assert (caught.value.file, caught.value.line) == ("hall.lua", 2)
    with pytest.raises(walkon.LevelError, match='unknown script "hal.lua"; did you mean "hall'):
        walkon.Level.load(hall(script="hal.lua"), scripts={"hall.lua": ""})
    with pytest.raises(TypeError):
        walkon.Level.load(path, scripts={})


def test_a_restored_game_is_what_was_saved_and_goes_on(tmp_path):
    script = "function onStart(why) level.measure('begun', why == 'load' and 2 or 1) end"
    level = room(script)
    game = level.start(seed=7, args=["easy"])
    game.tick(inputs.walk("anna", "bench"))
    game.tick(ticks=60)
    save = game.save()
    assert isinstance(save, bytes) and len(save) < 5000
    again = room(script).restore(save)
    assert again.tick_number == 61 and again.save() == save
    others = [pickle.loads(pickle.dumps(level)).restore(save, events=False), again]
    for _ in range(20):
        arrived = [other.tick(ticks=30) for other in others]
        assert arrived[0].lines == [] and others[0].hash == others[1].hash
    assert again.measures == {"begun": 2} and game.measures == {"begun": 1}
    x, _, z = again.positions()[0]
    assert abs(x - 17) < 0.1 and abs(z - 9) < 0.1
    for bytes_ in (b"", b"no save game", save[:-1], save[:80] + b"?" + save[81:]):
        with pytest.raises(walkon.SaveError, match="cannot be read"):
            level.restore(bytes_)
    other = walkon.Level.load(hall(name="yard"), scripts={"hall.lua": script})
    with pytest.raises(walkon.SaveError, match='of level "hall"'):
        other.restore(save)
    with pytest.raises(walkon.ScriptError):
        room("local x = nil\nx.y =").restore(save)
    game.end()
    with pytest.raises(walkon.EndedError):
        game.save()


def test_a_restored_game_runs_as_many_ticks_as_are_asked_for():
    game = room().start()
    game.tick(ticks=90)
    result = room().restore(game.save()).run(ticks=30)
    assert result.ticks == 30


def test_the_first_tick_tells_what_happened_before_it():
    script = "function onStart() event.emit('begun', { n = 1 }) end"
    tick = room(script).start().tick()
    assert [line for line in tick.lines if '"begun"' in line][0].startswith('{"t":0,')
    told = tick.emitted("begun")[0]["n"]
    assert told == 1 and isinstance(told, int), "a whole number is one"


def test_scripts_are_changed_by_an_input():
    game = room("function onStart() end").start()
    tick = game.tick(inputs.reload({"hall.lua": "function onStart(why) event.emit('new', why) end"}))
    assert tick.emitted("new") == ["reload"]
    for wrong in ({"kind": "skip", "scen": "a"}, {"kind": "skip", "scene": 5}, {"kind": 7, "name": "q"}):
        with pytest.raises(walkon.InputError, match="scene|kind"):
            game.tick(wrong)


def test_what_the_program_refuses_is_refused_here():
    level = room()
    for seed in (2**53, 2**64 - 1):
        with pytest.raises(ValueError, match="seed is"):
            level.start(seed)
        with pytest.raises(ValueError, match="seed is"):
            walkon.batch(level, [1, seed])
    game = level.start(2**53 - 1)
    for timeout in (float("nan"), float("inf"), -1.0, 86401.0):
        with pytest.raises(ValueError, match="timeout is"):
            game.walk("anna", "bench", timeout=timeout)


def test_a_game_is_not_saved_in_the_middle_of_a_scene(courtyard):
    game = courtyard.start(seed=1, interactive=True)
    while not game.tick().choices:
        pass
    with pytest.raises(walkon.SaveError, match="resumable"):
        game.save()
    assert game.tick().number > 0


def test_a_game_that_had_a_bug_answers_nothing_else():
    game = room().start()
    game.tick()
    with pytest.raises(walkon.BugError, match="please report it: a test asked for it"):
        game._native._panic()
    for ask in (game.tick, game.positions, game.save, game.end, game.run, lambda: game.hash, lambda: game.names):
        with pytest.raises(walkon.BugError, match="has broken it"):
            ask()
    assert room().start().tick().number == 1


def test_a_game_lives_on_one_thread_and_says_so():
    game = room().start()
    caught = []

    def elsewhere():
        for ask in (game.tick, game.positions, lambda: game.hash, game.run):
            try:
                ask()
            except walkon.ThreadError as error:
                caught.append(str(error))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert len(caught) == 4 and "another" in caught[0]
    assert game.tick().number == 1, "and goes on here"


def test_a_game_that_another_thread_drops_does_no_harm():
    holder = [room().start()]
    thread = threading.Thread(target=holder.clear)
    thread.start()
    thread.join()
    gc.collect()
    assert room().start().tick().number == 1


def test_what_has_ended_runs_no_more():
    game = room("function onTick() level.finish(false, 'enough') end").start()
    result = game.run(seconds=5)
    assert (result.ended, result.ok, result.note) == ("finish", False, "enough")
    assert game.is_over and game.outcome == walkon.Outcome(False, "enough")
    for ask in (game.tick, game.run, game.end, lambda: game.walk("anna", "bench")):
        with pytest.raises(walkon.EndedError):
            ask()
    ended = room().start()
    ended.walk("anna", "bench")
    ended.tick()
    assert ended.end().settled[0].reason == "levelEnd"
    with pytest.raises(ValueError, match="seconds"):
        room().start().run(seconds=-1)


def test_batches_give_every_seed_once_in_any_order_or_in_order():
    level = room("function onStart() level.measure('roll', math.random(1, 1000)) end")
    ends = {"ticks": 30}
    alone = [level.run(seed, **ends) for seed in range(12)]
    results = list(walkon.batch(level, range(12), jobs=3, ordered=True, **ends))
    assert [result.seed for result in results] == list(range(12))
    assert all(one.same(other) for one, other in zip(results, alone))
    assert len({result.measures["roll"] for result in results}) > 1
    loose = list(walkon.batch([level, level], range(12), jobs=4, **ends))
    assert sorted(result.seed for result in loose) == sorted(list(range(12)) * 2)
    with walkon.batch(level, range(100_000), jobs=2, seconds=600) as running:
        assert running.count == 100_000 and next(running).ok
    for _ in walkon.batch(level, range(100_000), jobs=2, seconds=600):
        break
    bad = next(walkon.batch(room("error('no')"), [7]))
    assert (bad.ok, bad.seed, bad.error) == (False, 7, "hall.lua:1: no")
    with pytest.raises(ValueError, match="jobs"):
        walkon.batch(level, [1], jobs=0)


def test_batches_take_paths_and_levels_travel_as_texts(courtyard, golden):
    path = ROOT / "levels" / "courtyard.json"
    assert next(walkon.batch(path, [1])).hash == golden
    again = pickle.loads(pickle.dumps(courtyard))
    assert again.run(seed=1).hash == golden and again.name == "courtyard"


def test_runs_leave_the_interpreter_to_others(courtyard):
    counted = [0]
    over = threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    began = time.monotonic()
    courtyard.start(seed=1).run(seconds=600)
    took = time.monotonic() - began
    over.set()
    thread.join()
    assert counted[0] > 20 * min(took, 1), f"{counted[0]} turns in {took:.2f} s"


RUNS = {
    "run": "walkon.Level.load({level}).start().run(seconds=86400)",
    "ticks": "walkon.Level.load({level}).start().tick(ticks=10_000_000)",
    "batch": "list(walkon.batch({level}, range(100000), seconds=86400))",
}


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("what", sorted(RUNS))
def test_ctrl_c_ends_what_runs(what):
    level = repr(str(ROOT / "levels" / "market.json"))
    program = f"import walkon\nprint('on', flush=True)\n{RUNS[what].format(level=level)}\n"
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hears_ctrl_c,
    )
    assert child.stdout.readline() == "on\n"
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said and child.returncode != 0, said


def test_the_deepest_scripts_fit_on_a_small_stack():
    """Threads of Python may have a stack of half a MiB (macOS): the deepest calls of Lua are refused before it ends."""
    program = """
import threading, walkon
level = {"navigation": {"areas": [{"name": "a", "polygon": [[0, 0], [9, 0], [9, 9]]}]}, "script": "s.lua"}
script = '''
local function deep(n) return pcall(deep, n + 1) end
function onStart()
  local t = setmetatable({}, { __index = function(t, k) return t[k .. "x"] end })
  print(pcall(function() return t.a end), pcall(deep, 1))
  local function again(s) return (string.gsub(s, ".", again)) end
  print(pcall(again, "a"))
end
'''
def play():
    walkon.Level.load(level, scripts={"s.lua": script}).start().tick(ticks=3)
    print("whole")
threading.stack_size(512 * 1024)
thread = threading.Thread(target=play)
thread.start()
thread.join()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "whole" in done.stdout, (done.returncode, done.stderr)


def test_threads_of_python_each_have_games_of_their_own(courtyard):
    hashes = []

    def play():
        game = courtyard.start(seed=5)
        game.tick(ticks=300)
        hashes.append(game.hash)

    threads = [threading.Thread(target=play) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(hashes) == 4 and len(set(hashes)) == 1


def test_everything_public_is_documented_and_typed():
    for name in walkon.__all__:
        thing = getattr(walkon, name)
        assert getattr(thing, "__doc__", None) or name.startswith("__"), name
    for kind in (walkon.Level, walkon.Game, walkon.Tick):
        for name, thing in vars(kind).items():
            if not name.startswith("_") and callable(thing):
                assert thing.__doc__ and "return" in thing.__annotations__, f"{kind.__name__}.{name}"
