"""What can go wrong, as exceptions that say where: file, line, and everything that was found wrong with a level."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Diagnostic:
    """One thing that is wrong with a level."""

    code: str
    """The kind of mistake, such as ``unknown-field``."""
    severity: str
    """``error``, ``warning`` or ``note``."""
    path: str
    """The file, below the root of its project."""
    line: int
    """From 1."""
    column: int
    """From 1."""
    pointer: str
    """JSON pointer to the value, empty for the whole file."""
    message: str
    """What is wrong and what was expected."""
    help: str | None = None
    """What to do about it."""

    def __str__(self) -> str:
        advice = f"; {self.help}" if self.help else ""
        return f"{self.path}:{self.line}:{self.column}: {self.message}{advice}"


class WalkonError(Exception):
    """Anything that walkon refuses."""


class _PlacedError(WalkonError):
    def __init__(
        self,
        message: str,
        *,
        file: str = "",
        line: int = 0,
        column: int = 0,
        help: str | None = None,
        traceback: str = "",
        diagnostics: tuple[Diagnostic, ...] = (),
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column
        self.help = help
        self.script_traceback = traceback
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        advice = f"; {self.help}" if self.help else ""
        return f"{self.args[0]}{advice}"

    def __reduce__(self):  # type: ignore[no-untyped-def]
        fields = ("file", "line", "column", "help", "diagnostics")
        state = {name: getattr(self, name) for name in fields}
        return (_again, (type(self), self.args[0], {**state, "traceback": self.script_traceback}))


def _again(kind: type[_PlacedError], message: str, fields: dict[str, object]) -> _PlacedError:
    return kind(message, **fields)  # type: ignore[arg-type]


class LevelError(_PlacedError):
    """A level was refused: ``file``, ``line``, ``column`` and ``help`` of the first mistake, ``diagnostics`` has all."""


class ScriptError(_PlacedError):
    """A script failed as the level started: ``file``, ``line`` and ``script_traceback`` say where."""


class SaveError(_PlacedError):
    """A game cannot be saved now, or bytes are no save game that fits the level: ``file`` and ``line`` say where, when it is a
    script that does not fit."""


class NotFoundError(_PlacedError, FileNotFoundError):
    """There is no such level, or it cannot be read. Also a ``FileNotFoundError``."""

    def __str__(self) -> str:
        return _PlacedError.__str__(self)


class InputError(WalkonError, ValueError):
    """Something that was said to a game is no input."""


class ThreadError(WalkonError, RuntimeError):
    """A game was used by another thread than the one that started it."""


class EndedError(WalkonError, RuntimeError):
    """A game has ended, and something more was asked of it."""


class BugError(WalkonError):
    """A bug of walkon. Please report it. The game that had it answers nothing else from then on."""


def of_problem(text: str) -> _PlacedError:
    """The exception for a problem of the native half."""
    problem = json.loads(text)
    kind = {"level": LevelError, "script": ScriptError, "save": SaveError}.get(problem["kind"], NotFoundError)
    found = tuple(Diagnostic(**{**fields}) for fields in problem["diagnostics"])
    return kind(
        problem["message"],
        file=problem["file"],
        line=problem["line"],
        column=problem["column"],
        help=problem["help"],
        traceback=problem["traceback"],
        diagnostics=found,
    )
