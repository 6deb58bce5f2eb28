"""What a host may say to a level: for ``Game.tick``. Inputs stand in traces, and a replay says them again.

Each function makes the object that docs/traces.md describes; places are ``(x, z)`` or ``(x, y, z)`` in metres.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Input = Mapping[str, Any]
"""One input, as JSON has it."""
Place = Sequence[float]


def _place(place: Place) -> list[float]:
    numbers = [float(number) for number in place]
    if len(numbers) == 2:
        return [numbers[0], 0.0, numbers[1]]
    if len(numbers) == 3:
        return numbers
    raise ValueError(f"a place has two or three numbers, not {len(numbers)}")


def emit(name: str, payload: Any = None) -> Input:
    """An event under this name: a key, a click, a message."""
    return {"name": name} if payload is None else {"name": name, "payload": payload}


def answer(id: str, option: str) -> Input:
    """The answer to a choice: to the one of that id under way, and to every later one."""
    return {"kind": "answer", "id": id, "option": option}


def go_on(scene: str | None = None) -> Input:
    """The line under way in a scene is over; in every scene when none is named."""
    return {"kind": "continue", **({"scene": scene} if scene else {})}


def skip(scene: str | None = None) -> Input:
    """Skips a scene; the oldest when none is named."""
    return {"kind": "skip", **({"scene": scene} if scene else {})}


def reload(scripts: Mapping[str, str | None]) -> Input:
    """Takes changed scripts: texts by path below the script folder, ``None`` for one that is deleted."""
    return {"kind": "reload", "scripts": dict(scripts)}


def walk(character: str, to: str | Place) -> Input:
    """Sends a character to a place, a mark or a character."""
    return {"kind": "walk", "character": character, "to": to if isinstance(to, str) else _place(to)}


def stop(character: str) -> Input:
    """Cancels the walk of a character."""
    return {"kind": "stop", "character": character}


def teleport(character: str, to: Place, facing: float | None = None) -> Input:
    """Puts a character on the walkable point nearest to a place; ``facing`` in radians about +y."""
    turned = {} if facing is None else {"facing": float(facing)}
    return {"kind": "teleport", "character": character, "to": _place(to), **turned}


def spawn(
    name: str,
    at: Place,
    *,
    behaviour: str | None = None,
    params: Mapping[str, Any] | None = None,
    tags: Sequence[str] = (),
) -> Input:
    """A character appears."""
    more: dict[str, Any] = {"behaviour": behaviour, "params": params, "tags": list(tags) or None}
    given = {key: value for key, value in more.items() if value is not None}
    return {"kind": "spawn", "name": name, "at": _place(at), **given}


def remove(character: str) -> Input:
    """A character is removed."""
    return {"kind": "remove", "character": character}


def door(door: str, order: str) -> Input:
    """``open``, ``close``, ``lock`` or ``unlock``."""
    return {"kind": "door", "door": door, "order": order}


def area(area: str, available: bool) -> Input:
    """Puts an area or an obstacle in force or out of it."""
    return {"kind": "area", "area": area, "available": available}


def block(name: str, at: Place, radius: float, layer: str | None = None) -> Input:
    """Blocks the ground within ``radius`` metres of a place: a barrel, a fallen tree."""
    named = {"layer": layer} if layer else {}
    return {"kind": "block", "name": name, "at": _place(at), "radius": float(radius), **named}


def unblock(name: str) -> Input:
    """Frees the ground of a block again."""
    return {"kind": "unblock", "name": name}


def evaluate(text: str) -> Input:
    """Runs a text of Luau in the environment of the level's script."""
    return {"kind": "evaluate", "text": text}


def attend(attended: bool) -> Input:
    """Whether a person is there to answer choices."""
    return {"kind": "attend", "attended": attended}
