"""Batches on a real cluster of this machine, one of whose nodes goes away in the middle."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

pytest.importorskip("pyarrow")
ray = pytest.importorskip("ray")

import pyarrow.parquet as pq
from ray.cluster_utils import Cluster

import walkon
import walkon.ray
from conftest import ROOT, hears_ctrl_c, room

PROGRAM = os.environ.get("WALKON", str(ROOT / "target" / "release" / "walkon"))
COURTYARD = str(ROOT / "levels" / "courtyard.json")


@pytest.fixture()
def cluster():
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    other = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster, other
    ray.shutdown()
    cluster.shutdown()


def left_alone():
    """Whether one node is left: the cluster takes seconds to notice, two minutes at most."""
    for _ in range(1200):
        if len([node for node in ray.nodes() if node["Alive"]]) == 1:
            return True
        time.sleep(0.1)
    return False


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_all_rows_are_there_once_when_a_node_ends_in_the_middle(cluster, tmp_path):
    cluster, other = cluster
    path = tmp_path / "out" / "rows.jsonl"

    def end_it():
        while not path.exists() or path.stat().st_size < 20_000:
            time.sleep(0.02)
        # The node's own process and those of its workers, without a farewell.
        cluster.remove_node(other, allow_graceful=False)

    thread = threading.Thread(target=end_it)
    thread.start()
    summary = walkon.ray.run(COURTYARD, range(1, 401), seconds=20, chunk=10, out=tmp_path / "out")
    thread.join()
    assert left_alone(), "one node is gone"
    assert summary.runs == summary.made == 400
    there = rows(path)
    assert sorted(row["seed"] for row in there) == list(range(1, 401)), "all are there, each once"
    # The program itself, which knows neither Ray nor Python.
    words = [PROGRAM, "batch", COURTYARD, "--seeds", "1..400", "--seconds", "20", "-q"]
    said = subprocess.run(words, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    alone = {row["seed"]: row["hash"] for row in map(json.loads, said.stdout.splitlines())}
    assert {row["seed"]: row["hash"] for row in there} == alone
    table = pq.read_table(tmp_path / "out" / "rows.parquet").to_pydict()
    assert table["seed"] == list(range(1, 401)) and table["hash"] == [alone[seed] for seed in range(1, 401)]
    assert sum(table["walks.arrived"]) > 0
    merged = subprocess.run([PROGRAM, "batch", "-q", "--merge", str(path), "--seeds", "1..400"], capture_output=True)
    assert merged.returncode == 0 and len(merged.stdout.splitlines()) == 400, merged.stderr


def test_a_batch_goes_on_where_it_was_stopped_and_compares_what_it_makes_again(cluster, tmp_path):
    level = room("function onStart() level.measure('roll', math.random(1, 1000)) end")
    out = tmp_path / "out"
    first = walkon.ray.run(level, range(30), ticks=30, out=out)
    assert (first.runs, first.made) == (30, 30)
    path = out / "rows.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    # Stopped in the middle of a line.
    path.write_text("".join(lines[:20]) + lines[20][:37])
    again = walkon.ray.run(level, range(40), ticks=30, out=out, recheck=5)
    assert (again.runs, again.made, again.again) == (40, 20, 5)
    assert sorted(row["seed"] for row in rows(path)) == list(range(40))
    nothing = walkon.ray.run(level, range(40), ticks=30, out=out)
    assert (nothing.made, nothing.runs) == (0, 40)
    with pytest.raises(ValueError, match="another batch"):
        walkon.ray.run(level, range(40), ticks=31, out=out)
    with pytest.raises(ValueError, match="levels differ"):
        walkon.ray.run(room("-- changed"), range(40), ticks=30, out=out)
    about = out / "batch.json"
    assert json.loads(about.read_text())["walkon"] == walkon.__version__
    of_now = about.read_text()
    about.write_text(of_now.replace(f'"walkon": "{walkon.__version__}"', '"walkon": "0.0.1"'))
    with pytest.raises(ValueError, match="walkon differ"):
        walkon.ray.run(level, range(40), ticks=30, out=out)
    about.write_text(of_now)
    hash = json.loads(lines[0])["hash"]
    path.write_text(path.read_text().replace(hash, "0123456789abcdef"))
    with pytest.raises(walkon.ray.DifferingHashError, match="0123456789abcdef"):
        walkon.ray.run(level, range(40), ticks=30, out=out, recheck=40)
    kept = walkon.ray.run(level, range(5), ticks=30)
    assert [json.loads(row)["seed"] for row in kept.rows] == list(range(5))


def test_what_fails_is_tried_again_and_what_goes_on_failing_is_named(cluster, tmp_path, monkeypatch):
    level = room()
    play = walkon.ray._play
    tries = tmp_path / "tries"
    tries.mkdir()

    def fails_twice(version, texts, seeds, ends, args):
        before = [name for name in os.listdir(tries) if name.startswith(f"{seeds[0]}-")]
        (tries / f"{seeds[0]}-{len(before)}").touch()
        if seeds[0] == 10 and len(before) < 2:
            raise OSError("the disk is full")
        return play(version, texts, seeds, ends, args)

    monkeypatch.setattr(walkon.ray, "_play", fails_twice)
    summary = walkon.ray.run(level, range(20), ticks=30, chunk=5, retries=2, out=tmp_path / "out")
    assert (summary.runs, summary.made) == (20, 20)
    assert sorted(os.listdir(tries)) == ["0-0", "10-0", "10-1", "10-2", "15-0", "5-0"]
    for name in os.listdir(tries):
        (tries / name).unlink()
    with pytest.raises(walkon.ray.MissingRunsError, match="5 runs .* hall seed 10: .*the disk is full"):
        walkon.ray.run(level, range(20), ticks=30, chunk=5, retries=1, out=tmp_path / "less")
    there = sorted(row["seed"] for row in rows(tmp_path / "less" / "rows.jsonl"))
    assert there == [*range(10), *range(15, 20)], "what could be made is kept"
    again = walkon.ray.run(level, range(20), ticks=30, chunk=5, retries=0, out=tmp_path / "less")
    assert (again.runs, again.made) == (20, 5)
    monkeypatch.setattr(walkon.ray, "_play", play)
    monkeypatch.setattr(walkon.ray, "__version__", "0.0.1")
    with pytest.raises(walkon.ray.MissingRunsError, match="the batch is of walkon 0.0.1, and a machine has"):
        walkon.ray.run(level, range(2), ticks=30, retries=0)


def test_the_command_runs_goes_on_and_can_be_interrupted(tmp_path):
    out = tmp_path / "out"
    words = [sys.executable, "-m", "walkon.ray", COURTYARD, "--seeds", "0..5999", "--seconds", "30", "--out", str(out)]
    child = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, preexec_fn=hears_ctrl_c)
    path = out / "rows.jsonl"
    while child.poll() is None and (not path.exists() or path.stat().st_size < 10_000):
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=120)
    assert child.returncode == 130 and "goes on" in said, said
    before = len(rows(path))
    assert before > 0
    words[words.index("0..5999")] = f"0..{before + 9}"
    done = subprocess.run([*words, "-q"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert {row["seed"] for row in rows(path)} >= set(range(before + 10))
    wrong = subprocess.run([*words[:5], "5..1", "--out", str(out)], capture_output=True, text=True)
    assert wrong.returncode == 2 and "A..B" in wrong.stderr
