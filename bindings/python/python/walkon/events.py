"""What happens in a level, typed. Every event knows its ``tick``, and ``raw`` is its line of the trace as it stands.

Places are ``(x, z)`` in metres; of what is told of characters, doors and regions these are the names.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar

from . import _fields

Place = tuple[float, float]

KINDS: dict[str, type[Event]] = {}
"""The class of every kind of event, by its word in traces."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened."""

    kind: ClassVar[str] = ""
    """The word for it in traces."""
    tick: int = field(default=0, metadata={"json": "t"})
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False, metadata={"read": False})

    def __init_subclass__(cls, kind: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.kind = kind
        KINDS[kind] = cls

    @property
    def name_of_event(self) -> str:
        """The name under which ``until`` knows it: that of an event of scripts, or of the runtime."""
        return self.kind


@dataclass(frozen=True, kw_only=True)
class Spawned(Event, kind="spawned"):
    """A character appeared."""

    character: str
    position: list[float] | None = None


@dataclass(frozen=True, kw_only=True)
class Despawned(Event, kind="despawned"):
    """A character was removed."""

    character: str
    position: list[float] | None = None


@dataclass(frozen=True, kw_only=True)
class WalkStarted(Event, kind="walkStarted"):
    """A walk was accepted; ``owner`` is 0 for the host."""

    walk: int
    character: str
    goal: list[float]
    owner: int


@dataclass(frozen=True, kw_only=True)
class WalkSettled(Event, kind="walkSettled"):
    """A walk ended; each does once."""

    ok: bool
    status: str
    """``arrived``, ``partial``, ``blocked`` or ``cancelled``."""
    reason: str
    walk: int
    character: str
    position: list[float]
    goal: list[float]
    remaining: float
    travelled: float
    ticks: int
    repaths: int
    by: str | None = None
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class Replanned(Event, kind="replanned"):
    """A walk took a new path."""

    character: str
    walk: int
    why: str


@dataclass(frozen=True, kw_only=True)
class Nudged(Event, kind="nudged"):
    """A character that stood in the way was asked to step aside."""

    character: str
    by: str
    to: list[float]


@dataclass(frozen=True, kw_only=True)
class DoorChanged(Event, kind="doorChanged"):
    """A door entered a state, or its lock changed."""

    door: str
    locked: bool
    state: str
    by: str | None = None


@dataclass(frozen=True, kw_only=True)
class LinkBegun(Event, kind="linkBegun"):
    """A character begins a link with an action: a jump, a ladder."""

    character: str
    action: str
    start: list[float] = field(metadata={"json": "from"})
    to: list[float]
    seconds: float


@dataclass(frozen=True, kw_only=True)
class AreaChanged(Event, kind="areaChanged"):
    """An area was toggled or priced."""

    area: str
    available: bool
    cost: float


@dataclass(frozen=True, kw_only=True)
class MapChanged(Event, kind="mapRevision"):
    """The map took its edits."""

    revision: int


@dataclass(frozen=True, kw_only=True)
class RegionEntered(Event, kind="regionEntered"):
    """A character came into a region."""

    region: str
    character: str
    how: str


@dataclass(frozen=True, kw_only=True)
class RegionLeft(Event, kind="regionLeft"):
    """A character left a region."""

    region: str
    character: str
    how: str


@dataclass(frozen=True, kw_only=True)
class Emitted(Event, kind="event"):
    """A script emitted an event."""

    name: str
    payload: Any = None

    @property
    def name_of_event(self) -> str:
        return self.name


@dataclass(frozen=True, kw_only=True)
class Input(Event, kind="input"):
    """What the host said, as the level heard it: ``name`` and ``payload`` of an event, ``kind_of_input`` of all else."""

    name: str | None = None
    payload: Any = None
    kind_of_input: str | None = field(default=None, metadata={"json": "kind"})

    @property
    def name_of_event(self) -> str:
        return self.name or "input"


@dataclass(frozen=True, kw_only=True)
class InputRefused(Event, kind="inputRefused"):
    """An input could not be carried out, and has changed nothing."""

    what: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Evaluated(Event, kind="evaluated"):
    """A text of ``inputs.evaluate`` has run."""

    chunk: str
    ok: bool
    result: str = ""
    message: str = ""
    file: str = ""
    line: int = 0
    traceback: str = ""


@dataclass(frozen=True, kw_only=True)
class Said(Event, kind="said"):
    """A character says a line in a scene."""

    scene: str
    character: str
    line: str
    vars: Any = None
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Choice(Event, kind="choice"):
    """A scene asks; without ``answer`` it waits for one (``inputs.answer``), in interactive games."""

    scene: str
    id: str
    options: list[str]
    answer: str | None = None


@dataclass(frozen=True, kw_only=True)
class Camera(Event, kind="camera"):
    """A scene moves the camera; ``kind_of_move`` says how."""

    scene: str
    kind_of_move: str = field(metadata={"json": "kind"})
    options: Any = None


@dataclass(frozen=True, kw_only=True)
class Cue(Event, kind="cue"):
    """A scene asks something else of the host: a fade, a sound."""

    scene: str
    kind_of_cue: str = field(metadata={"json": "kind"})
    options: Any = None


@dataclass(frozen=True, kw_only=True)
class SceneStarted(Event, kind="cinematicStarted"):
    """A scene began."""

    name: str
    locks: list[str]


@dataclass(frozen=True, kw_only=True)
class SceneEnded(Event, kind="cinematicEnded"):
    """A scene ended; ``raw`` says how, by the names of ``SceneInfo``."""

    name: str = ""


@dataclass(frozen=True, kw_only=True)
class Logged(Event, kind="log"):
    """A script wrote a line."""

    level: str
    owner: str
    file: str
    line: int
    message: str


@dataclass(frozen=True, kw_only=True)
class ScriptFault(Event, kind="scriptFault"):
    """A script faulted."""

    message: str = ""
    file: str = ""
    line: int = 0
    owner: str = ""
    callback: str = ""
    traceback: str = ""


@dataclass(frozen=True, kw_only=True)
class SwitchedOff(Event, kind="switchedOff"):
    """The code of an owner was switched off after its faults."""

    owner: str
    again: str
    character: str | None = None


@dataclass(frozen=True, kw_only=True)
class Reloaded(Event, kind="reloaded"):
    """Changed texts took effect."""

    files: dict[str, Any]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class ReloadRefused(Event, kind="reloadRefused"):
    """Changed texts were refused; the old ones run on."""

    file: str
    line: int
    message: str
    files: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Notice(Event, kind="notice"):
    """The runtime has something to say: ``scriptDeferred``, ``printDropped``, ``undelivered`` and the like."""

    what: str
    count: int
    walk: int | None = None
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class Other(Event, kind="other"):
    """An event of a later version of the runtime; ``raw`` has its fields."""

    word: str = field(default="", metadata={"json": "e"})

    @property
    def name_of_event(self) -> str:
        return self.word


def read(line: str) -> Event | None:
    """The event of a line of a trace; None for lines of other things, such as hashes."""
    raw = json.loads(line)
    word = raw.get("e")
    if word is None:
        return None
    return _fields.read(KINDS.get(word, Other), raw, raw=raw)
