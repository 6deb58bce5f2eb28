"""Levels that the tests play."""

from __future__ import annotations

from pathlib import Path

import pytest

import walkon

ROOT = Path(__file__).resolve().parents[3]


def hall(**more: object) -> dict[str, object]:
    """A hall of twenty by twelve metres with one character."""
    return {
        "name": "hall",
        "navigation": {"areas": [{"name": "hall", "polygon": [[0, 0], [20, 0], [20, 12], [0, 12]]}]},
        "marks": {"bench": [17, 9], "post": [3, 3]},
        "characters": [{"name": "anna", "position": [2, 6]}],
        "script": "hall.lua",
        **more,
    }


def room(script: str = "") -> walkon.Level:
    """The hall with a script."""
    return walkon.Level.load(hall(), scripts={"hall.lua": script})


@pytest.fixture(scope="session")
def courtyard() -> walkon.Level:
    return walkon.Level.load(ROOT / "levels" / "courtyard.json")


@pytest.fixture(scope="session")
def golden() -> str:
    """The hash that `walkon run` has at the end of the courtyard."""
    line = (ROOT / "tests" / "golden" / "courtyard.txt").read_text().splitlines()[-1]
    return line.split('"hash":"')[1][:16]
