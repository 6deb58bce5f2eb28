"""Levels, games and batches."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _fields, _native
from . import events as happenings
from .inputs import Input, emit
from .inputs import answer as _answer

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Walks:
    """Ends of walks."""

    accepted: int = 0
    arrived: int = 0
    partial: int = 0
    blocked: int = 0
    cancelled: int = 0


@dataclass(frozen=True)
class Paths:
    """Cost of searching."""

    requests: int = 0
    expansions: int = 0
    max_per_tick: int = 0
    restarts: int = 0


@dataclass(frozen=True)
class Replans:
    """New plans, by what for."""

    door: int = 0
    map: int = 0
    crowd: int = 0
    target: int = 0


@dataclass(frozen=True)
class Crowd:
    """What walkers did because of doors, the map and one another."""

    replans: Replans = field(default_factory=Replans)
    nudges: int = 0


@dataclass(frozen=True)
class Result:
    """What a run came to: the object that ``walkon run --format json`` prints."""

    level: str
    seed: int
    ok: bool
    """Whether it ended well."""
    ended: str = ""
    """``bound``, ``finish``, ``until``, ``fault``, ``limit`` or ``signal``; empty when it did not begin."""
    note: str | None = None
    """What ``level.finish`` had to say."""
    hash: str = ""
    """The state at the end, 16 hexadecimal digits."""
    reproducible: bool = True
    ticks: int = 0
    seconds: float = 0.0
    characters: int = 0
    walks: Walks = field(default_factory=Walks)
    faults: int = 0
    switched_off: tuple[str, ...] = ()
    reloads: int = 0
    paths: Paths = field(default_factory=Paths)
    crowd: Crowd = field(default_factory=Crowd)
    measures: Mapping[str, float] = field(default_factory=dict)
    """The last values of ``level.measure``."""
    wall_seconds: float = 0.0
    speed: float = 0.0
    """Times real time."""
    error: str | None = None
    """Why it did not begin, or what panicked."""
    bug: bool = False
    """Whether a bug of walkon ended it: please report it, with level and seed."""
    row: str = field(default="", repr=False, compare=False, metadata={"read": False})
    """The line as it stands."""

    @staticmethod
    def read(row: str) -> Result:
        """The result of a row: a line of ``walkon run --format json`` or of ``walkon batch``."""
        raw = json.loads(row)
        for name, kind in (("walks", Walks), ("paths", Paths)):
            if name in raw:
                raw[name] = _fields.read(kind, raw[name])
        if "crowd" in raw:
            replans = _fields.read(Replans, raw["crowd"]["replans"])
            raw["crowd"] = Crowd(replans=replans, nudges=raw["crowd"]["nudges"])
        if "switchedOff" in raw:
            raw["switchedOff"] = tuple(raw["switchedOff"])
        return _fields.read(Result, raw, row=row)

    def same(self, other: Result) -> bool:
        """Whether it is the same run, whatever time it took."""
        return self.row.partition(',"wallSeconds":')[0] == other.row.partition(',"wallSeconds":')[0]


@dataclass(frozen=True)
class Outcome:
    """What the level's script said by ``level.finish``."""

    ok: bool
    note: str | None


class Tick:
    """What a tick came to, or several."""

    __slots__ = ("__dict__", "lines", "number")

    def __init__(self, number: int, lines: list[str]) -> None:
        self.number = number
        """Number of the last of them."""
        self.lines = lines
        """What happened, as lines of a trace."""

    @cached_property
    def events(self) -> list[happenings.Event]:
        """What happened, in order."""
        read = (happenings.read(line) for line in self.lines)
        return [event for event in read if event is not None]

    def emitted(self, name: str) -> list[Any]:
        """Payloads of the events of that name that scripts emitted."""
        found = (event for event in self.events if isinstance(event, happenings.Emitted))
        return [event.payload for event in found if event.name == name]

    @property
    def settled(self) -> list[happenings.WalkSettled]:
        """The walks that ended."""
        return [event for event in self.events if isinstance(event, happenings.WalkSettled)]

    @property
    def faults(self) -> list[happenings.ScriptFault]:
        """The faults of scripts."""
        return [event for event in self.events if isinstance(event, happenings.ScriptFault)]

    @property
    def choices(self) -> list[happenings.Choice]:
        """What scenes ask and nobody has answered."""
        found = (event for event in self.events if isinstance(event, happenings.Choice))
        return [event for event in found if event.answer is None]

    def has(self, name: str) -> bool:
        """Whether an event of this name happened: one of scripts, or of the runtime, such as ``walkSettled``."""
        return any(event.name_of_event == name for event in self.events)

    def __repr__(self) -> str:
        return f"Tick({self.number}, {len(self.lines)} lines)"


class Level:
    """A level with its scripts.

    It never changes and belongs to no thread; pickled it is its texts, so that any machine may run it.
    """

    __slots__ = ("_native", "_outline")

    def __init__(self, native: _native.Level) -> None:
        self._native = native
        self._outline: dict[str, Any] | None = None

    @staticmethod
    def load(
        level: str | PathLike[str] | Mapping[str, Any],
        *,
        scripts: Mapping[str, str] | None = None,
        files: Mapping[str, str] | None = None,
    ) -> Level:
        """Loads a level: a path, the name of one in the project around the current folder, or the level itself as a dict.

        A level that is a dict brings its ``scripts`` along (texts by path below the script folder) and the ``files``
        that it names. One from the disk has those of its project.

        Raises ``LevelError``, ``ScriptError`` or ``NotFoundError``, with file, line and diagnostics.
        """
        if not isinstance(level, Mapping):
            if scripts is not None or files is not None:
                raise TypeError("scripts and files are for levels that are a dict, others have those of their project")
            return Level(_native.Level.open(level))
        path = "level.json"
        texts = {**(files or {}), path: json.dumps(level, ensure_ascii=False)}
        return Level(_native.Level.from_texts(path, texts, dict(scripts or {})))

    @property
    def name(self) -> str:
        """What it is called."""
        return self._native.name

    @property
    def path(self) -> str:
        """The file that it came from."""
        return str(self._native.path)

    @property
    def tick_rate(self) -> int:
        """Ticks in a game second."""
        return self._native.tick_rate

    @property
    def outline(self) -> dict[str, Any]:
        """Names, tags and places: ``characters``, ``marks``, ``doors``, ``regions``, ``bounds``, ``seed``."""
        if self._outline is None:
            self._outline = json.loads(self._native.outline())
        return self._outline

    def tagged(self, tag: str) -> list[str]:
        """Names of the characters that have a tag, in the order of the level."""
        return [one["name"] for one in self.outline["characters"] if tag in one["tags"]]

    def start(
        self,
        seed: int | None = None,
        args: Sequence[str] = (),
        *,
        interactive: bool = False,
        events: bool = True,
        threads: int = 1,
    ) -> Game:
        """Starts it: behaviours are attached, ``onStart`` has run. The game lives on this thread.

        ``seed`` is the level's own when none is given, ``args`` are ``level.args``. In an ``interactive`` game the choices
        of scenes wait for an answer. Without ``events`` ticks tell nothing and cost less. ``threads`` share out the
        movement of crowds of thousands; nothing but the time can be told by it.
        """
        return Game(self, self._native.start(seed, list(args), interactive, events, threads))

    def restore(
        self,
        save: bytes,
        args: Sequence[str] = (),
        *,
        interactive: bool = False,
        events: bool = True,
        threads: int = 1,
    ) -> Game:
        """Starts it as it was saved: ``save`` is what ``Game.save`` made, here or elsewhere. The game lives on this thread and
        goes on from the tick after which it was saved; the seed is that of the save, and so are ``args`` when none are
        given. The code of scripts begins again in the first tick.

        Raises ``SaveError`` for bytes that are no save game of this level or do not fit its scripts, ``ScriptError`` when
        a script does not start.
        """
        return Game(self, self._native.restore(bytes(save), list(args), interactive, events, threads))

    def run(
        self,
        seed: int | None = None,
        *,
        seconds: float | None = None,
        ticks: int | None = None,
        until: str | None = None,
        strict: bool = False,
        args: Sequence[str] = (),
    ) -> Result:
        """Runs it from its first tick to its end, as ``walkon run`` does."""
        seed = self.outline["seed"] if seed is None else seed
        ends = {"seconds": seconds, "ticks": ticks, "until": until, "strict": strict}
        return next(batch(self, [seed], jobs=1, args=args, **ends))  # type: ignore[arg-type]

    def to_bytes(self) -> bytes:
        """All of its texts, for another process."""
        return self._native.to_bytes()

    @staticmethod
    def from_bytes(texts: bytes) -> Level:
        """A level from what ``to_bytes`` made."""
        return Level(_native.Level.from_bytes(texts))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Level.from_bytes, (self.to_bytes(),))

    def __repr__(self) -> str:
        return f"Level({self.name!r})"


class Game:
    """A level that runs. It lives on the thread that started it: others get a ``ThreadError``."""

    __slots__ = ("_native", "level")

    def __init__(self, level: Level, native: _native.Game) -> None:
        self._native = native
        self.level = level

    def tick(self, inputs: Input | Iterable[Input] | None = None, *, ticks: int = 1) -> Tick:
        """Advances it by a tick, or by several, and says what happened. ``inputs`` are heard in the first of them; the tick in
        which the level's script finishes it is the last.

        Other threads of Python run meanwhile. Ctrl-C ends several after the tick that is under way and is raised; the game
        may go on. Raises ``InputError`` for what is no input and ``EndedError`` once the game has ended.
        """
        said = None
        if inputs is not None:
            said = json.dumps(inputs if isinstance(inputs, Mapping) else list(inputs))
        lines = self._native.tick(said, ticks)
        return Tick(self._native.tick_number, lines)

    def run(
        self,
        seconds: float | None = None,
        ticks: int | None = None,
        until: str | None = None,
        strict: bool = False,
    ) -> Result:
        """Runs it to its end: at so many game seconds or ticks counted from its start, or from its save (60 seconds when
        neither is given), when an event named ``until`` happens, at the first fault when ``strict``, or when its script ends it.

        The result is that of ``walkon run``. The game has ended then. Ctrl-C ends the run and is raised.
        """
        row, _ = self._native.run((ticks, seconds, until, strict), False)
        return Result.read(row)

    def save(self) -> bytes:
        """The whole game as bytes, between two ticks, for ``Level.restore``. It changes nothing. Cost: a pass over everything.

        Raises ``SaveError`` while a scene is under way that does not say ``resumable = true``, ``EndedError`` once the game
        has ended.
        """
        return self._native.save()

    def end(self) -> Tick:
        """Ends it: every open walk settles."""
        return Tick(self.tick_number, self._native.end())

    @property
    def tick_number(self) -> int:
        """Number of the last tick, 0 before the first."""
        return self._native.tick_number

    @property
    def seconds(self) -> float:
        """Game seconds so far."""
        return self.tick_number / self.level.tick_rate

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self._native.is_over

    @property
    def outcome(self) -> Outcome | None:
        """What the level's script said by ``level.finish``, once it has."""
        outcome = self._native.outcome()
        return None if outcome is None else Outcome(*outcome)

    @property
    def measures(self) -> dict[str, float]:
        """The last values of ``level.measure``."""
        return self._native.measures()

    @property
    def hash(self) -> str:
        """The state as 16 hexadecimal digits. Cost: a pass over everything that is simulated."""
        return f"{self._native.hash():016x}"

    @property
    def names(self) -> list[str]:
        """Names of the characters in order of creation: those of the rows of ``positions``."""
        return self._native.names()

    def positions(self, out: Floats | None = None) -> Floats:
        """Where everybody is: an array of shape (characters, 3), x, y and z in metres.

        The numbers are written straight into the array. Given ``out``, a contiguous float32 array of at least that many
        rows, they are written there, nothing is allocated, and ``out`` is returned.
        """
        return self._native.positions(out)

    def poses(self, out: Floats | None = None) -> Floats:
        """The same with which way everybody looks (radians about +y: 0 along +z) and how fast they are (metres a second):
        shape (characters, 5)."""
        return self._native.poses(out)

    def walk(
        self,
        character: str,
        to: str | Sequence[float],
        *,
        gait: str | None = None,
        doors: str | None = None,
        accept: str | None = None,
        radius: float | None = None,
        timeout: float | None = None,
    ) -> int:
        """Sends a character to a place, a mark, a door or a character, from the next tick on; the number of the walk, which
        its ``WalkSettled`` has.

        ``gait`` is ``walk`` or ``run``, ``doors`` ``avoid``, ``open`` or ``wait``; ``radius`` metres and ``timeout`` seconds. It
        is a verb of the host and stands in no trace: ``inputs.walk`` does.
        """
        goal = to if isinstance(to, str) else tuple(float(number) for number in to)
        return self._native.walk(character, goal, (gait, doors, accept, radius, timeout))

    def stop(self, character: str) -> bool:
        """Stops the walk of a character; whether there was one."""
        return self._native.stop(character)

    def open_door(self, door: str) -> None:
        """Wishes a door open. A locked door refuses."""
        self._native.door(door, True)

    def close_door(self, door: str) -> None:
        """Wishes a door closed; it waits until its doorway is clear."""
        self._native.door(door, False)

    def emit(self, name: str, payload: Any = None) -> Tick:
        """Advances it by a tick in which scripts hear an event."""
        return self.tick(emit(name, payload))

    def answer(self, id: str, option: str) -> Tick:
        """Advances it by a tick in which a choice is answered."""
        return self.tick(_answer(id, option))

    def __repr__(self) -> str:
        return f"Game({self.level.name!r})"


class batch(Iterator[Result]):
    """Runs every level with every seed, over all cores, and yields results as runs end.

    ``levels`` is a level, a path, or a list of these; ``seeds`` any iterable of whole numbers; ``jobs`` how many run at a
    time, the number of cores by default. When each ends is as for ``Game.run``. With ``ordered`` results come in the
    order of levels and seeds. Runs never hold the lock of the interpreter. Ctrl-C ends all of them, and so does
    ``close`` or leaving a ``with``. The row of a run is the one it has alone, whatever runs beside it.
    """

    def __init__(
        self,
        levels: Level | str | PathLike[str] | Iterable[Level | str | PathLike[str]],
        seeds: Iterable[int],
        jobs: int | None = None,
        *,
        seconds: float | None = None,
        ticks: int | None = None,
        until: str | None = None,
        strict: bool = False,
        args: Sequence[str] = (),
        ordered: bool = False,
    ) -> None:
        given = [levels] if isinstance(levels, (Level, str, PathLike)) else list(levels)
        opened = [level if isinstance(level, Level) else Level.load(level) for level in given]
        numbers = [int(seed) for seed in seeds]
        runs = [(index, seed) for index in range(len(opened)) for seed in numbers]
        self.count = len(runs)
        """How many runs there are in all."""
        natives = [level._native for level in opened]
        ends = (ticks, seconds, until, strict)
        self._native = _native.Batch(natives, runs, jobs, ends, list(args), ordered)

    def __iter__(self) -> batch:
        return self

    def __next__(self) -> Result:
        return Result.read(next(self._native))

    def rows(self) -> Iterator[str]:
        """The results as lines of JSON, which is what ``walkon batch`` prints."""
        yield from self._native

    def close(self) -> None:
        """Ends the runs that have not ended."""
        self._native.close()

    def __enter__(self) -> batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
