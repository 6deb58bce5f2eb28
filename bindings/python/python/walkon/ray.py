"""Batches over many machines, on Ray: ``pip install walkon[ray]``.

On a terminal::

    python -m walkon.ray levels/*.json --seeds 0..100000 --out results

or from a program::

    summary = walkon.ray.run(["levels/courtyard.json"], range(100_000), out="results")

The folder then has ``rows.jsonl``, a line of ``walkon batch`` for each run as it ended (``walkon batch --merge rows.jsonl`` puts
them in order), and ``rows.parquet``, a table of them. What is done is not run again: called again with the same folder, a
batch goes on where it was stopped. Runs of a machine that goes away are run again elsewhere, and a row that comes twice
must have one hash. Levels travel as texts: the machines need walkon, and no files.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import IO, Any

import ray

from ._native import __version__
from .errors import WalkonError
from .runtime import Level, batch

__all__ = ["DifferingHashError", "MissingRunsError", "Summary", "main", "run"]

ROWS, TABLE, ABOUT = "rows.jsonl", "rows.parquet", "batch.json"
CHUNK_SECONDS = 2.0
"""How long a task is meant to take: long beside what a task costs, short beside a machine that goes away."""
CHUNK_FIRST, CHUNK_MAX = 4, 4096

Run = tuple[int, int]
"""The number of a level, and a seed."""
Ends = dict[str, Any]


class DifferingHashError(WalkonError):
    """One run had different hashes on two machines: they have not played the same game."""


class MissingRunsError(WalkonError):
    """Some runs could not be made, whatever was tried."""


@dataclass
class Summary:
    """What a batch came to."""

    runs: int = 0
    """Rows that are there."""
    ok: int = 0
    """Runs that ended well."""
    made: int = 0
    """Runs that were made now; the others were there."""
    again: int = 0
    """Rows that came twice, or were made again, and had the same hash."""
    seconds: float = 0.0
    rows: list[str] = field(default_factory=list, repr=False)
    """The rows by level and seed, when there is no folder."""


@functools.lru_cache(maxsize=16)
def _level(texts: bytes) -> Level:
    return Level.from_bytes(texts)


def _play(version: str, texts: bytes, seeds: list[int], ends: Ends, args: list[str]) -> list[str]:
    """One task: some runs of a level, one after another, on one core of a machine that has this version."""
    if version != __version__:
        raise WalkonError(f"the batch is of walkon {version}, and a machine has {__version__}")
    return list(batch(_level(texts), seeds, jobs=1, ordered=True, args=args, **ends).rows())


def _chunks(runs: Iterable[Run], size: Any) -> Iterator[tuple[int, list[int]]]:
    """Runs of one level that follow one another, as many as `size` says at the time."""
    level = -1
    seeds: list[int] = []
    for number, seed in runs:
        if seeds and (number != level or len(seeds) >= size()):
            yield level, seeds
            seeds = []
        level = number
        seeds.append(seed)
    if seeds:
        yield level, seeds


class _Ledger:
    """The rows that are there, in memory and in the folder."""

    def __init__(self, levels: list[Level], folder: Path | None, about: dict[str, Any]) -> None:
        self.number_of = {level.name: number for number, level in enumerate(levels)}
        if len(self.number_of) < len(levels):
            raise ValueError("two levels have one name, by which rows are told apart")
        self.hashes: dict[Run, str | None] = {}
        self.ok = self.again = 0
        self.rows: dict[Run, str] | None = None if folder else {}
        self.file: IO[str] | None = None
        if folder:
            self._open(folder, about)

    def _open(self, folder: Path, about: dict[str, Any]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        said, rows = folder / ABOUT, folder / ROWS
        if said.exists():
            before = json.loads(said.read_text())
            changed = sorted(key for key in about if before.get(key) != about[key])
            if changed:
                what = ", ".join(changed)
                raise ValueError(f"{folder} has rows of another batch ({what} differ), expected an empty folder")
        else:
            said.write_text(json.dumps(about, indent=1) + "\n")
        whole = 0
        if rows.exists():
            # A process that was killed may leave a torn last line; its run is made again.
            with rows.open("rb") as file:
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._count(line.decode())
                    whole += len(line)
        self.file = rows.open("a", encoding="utf-8")
        self.file.truncate(whole)

    def _count(self, line: str) -> bool:
        """Whether the row is new."""
        row = json.loads(line)
        run, hash = (self.number_of[row["level"]], row["seed"]), row.get("hash")
        if run in self.hashes:
            if self.hashes[run] != hash:
                level, seed = row["level"], row["seed"]
                raise DifferingHashError(f"{level} seed {seed}: hash {self.hashes[run]}, and {hash} when run again")
            self.again += 1
            return False
        self.hashes[run] = hash
        self.ok += bool(row["ok"])
        if self.rows is not None:
            self.rows[run] = line
        return True

    def take(self, lines: list[str]) -> None:
        fresh = [line for line in lines if self._count(line)]
        if self.file:
            self.file.writelines(line + "\n" for line in fresh)
            self.file.flush()

    def close(self) -> None:
        if self.file:
            self.file.close()


def run(
    levels: Level | str | PathLike[str] | Sequence[Level | str | PathLike[str]],
    seeds: Iterable[int],
    *,
    out: str | PathLike[str] | None = None,
    seconds: float | None = None,
    ticks: int | None = None,
    until: str | None = None,
    strict: bool = False,
    args: Sequence[str] = (),
    retries: int = 3,
    recheck: int = 0,
    chunk: int | None = None,
    progress: bool = False,
    parquet: bool = True,
) -> Summary:
    """Runs every level with every seed on the cluster that Ray is connected to, or on one of this machine.

    ``out`` is the folder of the rows; without one they are in the summary. A task whose machine goes away, or that fails, is
    tried ``retries`` times more. ``recheck`` rows that are there already are run again and compared. ``chunk`` is the number
    of runs of a task; left out it is so many as take about two seconds. Raises ``DifferingHashError``, and ``MissingRunsError``
    when tries are used up.
    """
    given = [levels] if isinstance(levels, (Level, str, PathLike)) else list(levels)
    opened = [level if isinstance(level, Level) else Level.load(level) for level in given]
    numbers = list(seeds)
    ends: Ends = {"seconds": seconds, "ticks": ticks, "until": until, "strict": strict}
    texts = [level.to_bytes() for level in opened]
    about = {
        "walkon": __version__,
        "levels": {level.name: hashlib.sha256(_portable(text)).hexdigest() for level, text in zip(opened, texts)},
        "ends": ends,
        "args": list(args),
    }
    ledger = _Ledger(opened, Path(out) if out is not None else None, about)
    all_runs = [(number, seed) for number in range(len(opened)) for seed in numbers]
    began = time.monotonic()
    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    try:
        again = [run for run in all_runs if run in ledger.hashes][:recheck]
        todo = [run for run in all_runs if run not in ledger.hashes]
        before = len(ledger.hashes)
        work = _Work(ledger, [ray.put(text) for text in texts], (ends, list(args)), retries, chunk)
        work.all(again + todo, len(all_runs) if progress else 0)
        missing = [run for run in all_runs if run not in ledger.hashes]
        if missing:
            number, seed = missing[0]
            what = f"{len(missing)} runs could not be made, the first is {opened[number].name} seed {seed}"
            raise MissingRunsError(f"{what}: {work.last_failure}")
    finally:
        ledger.close()
    if out is not None and parquet:
        write_parquet(Path(out) / ROWS, Path(out) / TABLE)
    summary = Summary(len(ledger.hashes), ledger.ok, len(ledger.hashes) - before, ledger.again, time.monotonic() - began)
    if ledger.rows is not None:
        summary.rows = [ledger.rows[run] for run in all_runs]
    return summary


def _portable(texts: bytes) -> bytes:
    """The texts without where they lie on this machine."""
    level = json.loads(texts)
    level.pop("root", None)
    return json.dumps(level, sort_keys=True).encode()


class _Work:
    """Tasks under way."""

    def __init__(
        self,
        ledger: _Ledger,
        texts: list[Any],
        asked: tuple[Ends, list[str]],
        retries: int,
        chunk: int | None,
    ) -> None:
        self.ledger, self.texts, self.asked = ledger, texts, asked
        self.retries, self.chunk = retries, chunk
        # Ray itself tries again when a machine goes away; what fails otherwise is tried again here.
        self.task = ray.remote(max_retries=retries, num_cpus=1)(_play)
        self.under_way: dict[Any, tuple[int, list[int], int]] = {}
        self.per_run: float | None = None
        self.last_failure = "nothing failed"

    def size(self) -> int:
        if self.chunk is not None:
            return self.chunk
        if self.per_run is None:
            return CHUNK_FIRST
        return max(1, min(CHUNK_MAX, round(CHUNK_SECONDS / max(self.per_run, 1e-6))))

    def submit(self, number: int, seeds: list[int], tried: int) -> None:
        ends, args = self.asked
        self.under_way[self.task.remote(__version__, self.texts[number], seeds, ends, args)] = (number, seeds, tried)

    def all(self, runs: list[Run], shown_of: int) -> None:
        chunks = _chunks(runs, self.size)
        bar = _Progress(shown_of, len(self.ledger.hashes))
        more = True
        # After Ctrl-C, tasks under way run to the end of their few seconds, or of this process. They are not cancelled:
        # Ray ends the process by a failed check when one of them answers meanwhile (ray-project/ray, issue 54846).
        try:
            while more or self.under_way:
                cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
                # Two tasks for each core: one runs, one waits for it.
                while more and len(self.under_way) < 2 * cores:
                    chunk = next(chunks, None)
                    more = chunk is not None
                    if chunk is not None:
                        self.submit(*chunk, 0)
                # All that are done, or the first that will be.
                ready, _ = ray.wait(list(self.under_way), num_returns=1, timeout=1.0)
                for task in ready:
                    self.settle(task)
                bar.show(len(self.ledger.hashes))
        finally:
            bar.end()

    def settle(self, task: Any) -> None:
        number, seeds, tried = self.under_way.pop(task)
        try:
            lines = ray.get(task)
        except ray.exceptions.RayError as error:
            self.last_failure = str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__
            if tried < self.retries:
                self.submit(number, seeds, tried + 1)
            return
        self.ledger.take(lines)
        spent = [json.loads(line).get("wallSeconds", 0.0) for line in lines]
        mean = sum(spent) / max(1, len(spent))
        self.per_run = mean if self.per_run is None else 0.7 * self.per_run + 0.3 * mean


class _Progress:
    """How far it has come, on a terminal or in a log."""

    def __init__(self, of: int, before: int) -> None:
        self.of, self.before = of, before
        self.began = self.last = time.monotonic()

    def show(self, done: int) -> None:
        now = time.monotonic()
        pause = 0.5 if sys.stderr.isatty() else 10.0
        if not self.of or (now - self.last < pause and done < self.of):
            return
        self.last = now
        rate = (done - self.before) / max(now - self.began, 1e-9)
        left = f", {(self.of - done) / rate:.0f} s left" if rate > 0 and done < self.of else ""
        end = "" if sys.stderr.isatty() else "\n"
        start = "\r\x1b[K" if sys.stderr.isatty() else ""
        print(f"{start}{done}/{self.of} runs, {rate:.1f} a second{left}", end=end, file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.of and sys.stderr.isatty():
            print(file=sys.stderr)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row as columns: ``walks.arrived``, ``measures.roll``."""
    columns: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            columns.update({f"{key}.{inner}": one for inner, one in _flat(value).items()})
        else:
            columns[key] = json.dumps(value) if isinstance(value, list) else value
    return columns


def write_parquet(rows: Path, table: Path) -> None:
    """Rows as a table, by level and seed; what only some of them have is empty in the others."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with rows.open(encoding="utf-8") as file:
        flat = [_flat(json.loads(line)) for line in file]
    flat.sort(key=lambda row: (row["level"], row["seed"]))
    columns = list(dict.fromkeys(key for row in flat for key in row))
    made = pa.table({column: [row.get(column) for row in flat] for column in columns})
    temporary = table.with_suffix(".tmp")
    pq.write_table(made, temporary)
    temporary.replace(table)


def _seeds(text: str) -> range:
    first, _, last = text.partition("..")
    try:
        span = range(int(first), int(last) + 1)
    except ValueError:
        raise argparse.ArgumentTypeError("expected A..B, as in 0..100000") from None
    if not span or span[0] < 0:
        raise argparse.ArgumentTypeError("expected A..B with A <= B, as in 0..100000")
    return span


def main(words: Sequence[str] | None = None) -> int:
    """What ``python -m walkon.ray`` does."""
    parser = argparse.ArgumentParser(
        prog="python -m walkon.ray",
        description="Runs levels with many seeds on a Ray cluster. Called again with the same folder it goes on.",
        epilog="Ends with 0, with 1 when a run ended badly, with 5 when hashes differ, with 130 after Ctrl-C.",
    )
    parser.add_argument("levels", nargs="+", help="paths or names")
    parser.add_argument("--seeds", type=_seeds, required=True, metavar="A..B", help="from A to B, both included")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder of rows.jsonl and rows.parquet")
    parser.add_argument("--seconds", type=float, metavar="S", help="end each run after so many game seconds (60)")
    parser.add_argument("--ticks", type=int, metavar="N", help="or after so many ticks")
    parser.add_argument("--until", metavar="EVENT", help="end a run at this event; it fails if that does not happen")
    parser.add_argument("--strict", action="store_true", help="a script fault ends and fails a run")
    parser.add_argument("--arg", action="append", default=[], metavar="WORD", help="what scripts read as level.args")
    parser.add_argument("--address", metavar="HOST:PORT", help="of the cluster; auto: the one this machine is in")
    parser.add_argument("--retries", type=int, default=3, metavar="N", help="tries more of a task that fails (3)")
    parser.add_argument("--recheck", type=int, default=0, metavar="N", help="run N rows that are there again, and compare")
    parser.add_argument("--chunk", type=int, metavar="N", help="runs of a task (as many as take two seconds)")
    parser.add_argument("--no-parquet", action="store_true", help="JSON lines only")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    asked = parser.parse_args(words)
    if asked.address:
        ray.init(address=asked.address, log_to_driver=False)
    try:
        summary = run(
            asked.levels,
            asked.seeds,
            out=asked.out,
            seconds=asked.seconds,
            ticks=asked.ticks,
            until=asked.until,
            strict=asked.strict,
            args=asked.arg,
            retries=asked.retries,
            recheck=asked.recheck,
            chunk=asked.chunk,
            progress=not asked.quiet,
            parquet=not asked.no_parquet,
        )
    except KeyboardInterrupt:
        print(f"interrupted: what is done stands in {asked.out}, the same command goes on", file=sys.stderr)
        return 130
    except DifferingHashError as error:
        print(error, file=sys.stderr)
        return 5
    except (WalkonError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    if not asked.quiet:
        bad = summary.runs - summary.ok
        print(
            f"{summary.runs} runs, {summary.made} made now in {summary.seconds:.1f} s: {summary.ok} ok, {bad} not",
            file=sys.stderr,
        )
    return 0 if summary.ok == summary.runs else 1


if __name__ == "__main__":
    # The functions of the module, not of `__main__`, travel to the machines by name.
    from walkon.ray import main as _main

    sys.exit(_main())
