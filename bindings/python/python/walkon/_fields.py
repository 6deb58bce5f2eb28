"""JSON objects of the runtime as dataclasses: ``wallSeconds`` becomes ``wall_seconds``."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, TypeVar

T = TypeVar("T")


def camel(name: str) -> str:
    """The name in JSON of a field."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


@functools.cache
def names(kind: type) -> tuple[tuple[str, str], ...]:
    """Name in JSON and name of every field that is read."""
    fields = (field for field in dataclasses.fields(kind) if field.metadata.get("read", True))
    return tuple((field.metadata.get("json", camel(field.name)), field.name) for field in fields)


def read(kind: type[T], json: dict[str, Any], **more: Any) -> T:
    """An object as a dataclass; what it lacks has its default."""
    values = {name: json[key] for key, name in names(kind) if key in json}
    return kind(**values, **more)
