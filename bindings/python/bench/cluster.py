"""What a batch on Ray costs over one without, on the same cores of this machine.

    python bench/cluster.py [--runs 400] [--cores 2]

Both make the same runs of about 50 ms, in turns; each turn gives a ratio, and the median counts. Ray is there already, as a
cluster is; what is measured is a batch on it, with its rows on disk and its table.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import ray

import walkon
import walkon.ray

ROOT = Path(__file__).resolve().parents[3]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=30.0)
    asked = parser.parse_args()
    level = walkon.Level.load(ROOT / "levels" / "courtyard.json")
    ray.init(num_cpus=asked.cores, log_to_driver=False, include_dashboard=False)
    # Its processes are there before anything is measured.
    walkon.ray.run(level, range(8 * asked.cores), seconds=1)
    ratios, lengths = [], []
    for turn in range(5):
        seeds = range(turn * asked.runs, (turn + 1) * asked.runs)
        began = time.monotonic()
        alone = {result.seed: result for result in walkon.batch(level, seeds, jobs=asked.cores, seconds=asked.seconds)}
        middle = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            walkon.ray.run(level, seeds, seconds=asked.seconds, out=folder)
            rows = [walkon.Result.read(row) for row in (Path(folder) / "rows.jsonl").read_text().splitlines()]
        ended = time.monotonic()
        assert {row.seed: row.hash for row in rows} == {seed: result.hash for seed, result in alone.items()}
        lengths.append(statistics.median(result.wall_seconds for result in alone.values()))
        ratios.append((ended - middle) / (middle - began))
    ray.shutdown()
    print(f"runs of {statistics.median(lengths) * 1e3:.0f} ms on {asked.cores} cores, {asked.runs} in a turn")
    print(f"Ray over the batch alone: {statistics.median(ratios):.3f} of {', '.join(f'{ratio:.3f}' for ratio in ratios)}")


if __name__ == "__main__":
    main()
