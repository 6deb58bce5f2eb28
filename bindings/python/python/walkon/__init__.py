"""walkon: a gameplay runtime, for Python.

Rust owns the map, the characters and the loop; Lua scripts decide what the characters want. From here a level is
loaded, started, advanced tick by tick or run to its end, and run thousands of times over all cores::

    import walkon

    level = walkon.Level.load("levels/courtyard.json")
    game = level.start(seed=1)
    while not game.outcome:
        for event in game.tick().events:
            print(event)

    for result in walkon.batch(level, range(1000)):
        print(result.seed, result.measures)

The same level, scripts, seed and inputs give the same state hash here, in ``walkon run`` and on every other machine.
``walkon.gym`` and ``walkon.pettingzoo`` make environments of levels, ``walkon.ray`` runs batches on a cluster.
"""

from . import errors, events, inputs
from ._native import __version__
from .errors import (
    BugError,
    Diagnostic,
    EndedError,
    InputError,
    LevelError,
    NotFoundError,
    SaveError,
    ScriptError,
    ThreadError,
    WalkonError,
)
from .runtime import (
    Crowd,
    Game,
    Level,
    Outcome,
    Paths,
    Replans,
    Result,
    Tick,
    Walks,
    batch,
)

__all__ = [
    "BugError",
    "Crowd",
    "Diagnostic",
    "EndedError",
    "Game",
    "InputError",
    "Level",
    "LevelError",
    "NotFoundError",
    "Outcome",
    "Paths",
    "Replans",
    "Result",
    "SaveError",
    "ScriptError",
    "ThreadError",
    "Tick",
    "Walks",
    "WalkonError",
    "__version__",
    "batch",
    "errors",
    "events",
    "inputs",
]
