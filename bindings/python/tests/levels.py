"""Levels for environments, as dicts with their scripts."""

from __future__ import annotations

import walkon

AREA = [[0, 0], [20, 0], [20, 12], [0, 12]]

ONE = """
function onStart()
  local anna = world.character("anna")
  timer.every(0.5, function()
    if anna:distanceTo("bench") < 1 then
      event.emit("reward", { value = 1 })
      level.finish(true, "there")
    else
      event.emit("reward", { value = -0.01 })
    end
  end)
end
"""

TWO = """
function onStart()
  timer.every(1, function()
    for _, name in { "anna", "bert" } do
      local who = world.character(name)
      if who then event.emit("reward", { value = who.position.x / 20, to = name }) end
    end
  end)
  timer.after(6, function() world.character("bert"):despawn() end)
end
"""


def one() -> walkon.Level:
    """Anna is to find the bench; a wanderer is in her way."""
    level = {
        "name": "one",
        "navigation": {"areas": [{"name": "hall", "polygon": AREA}]},
        "marks": {"bench": [17, 9], "door": [1, 6], "well": [10, 2]},
        "characters": [
            {"name": "anna", "position": [2, 6], "tags": ["acts", "seen"]},
            {"name": "carl", "position": [8, 6], "tags": ["seen"]},
        ],
        "script": "one.lua",
    }
    return walkon.Level.load(level, scripts={"one.lua": ONE})


def two() -> walkon.Level:
    """Anna and Bert act; Bert leaves early."""
    level = {
        "name": "two",
        "navigation": {"areas": [{"name": "hall", "polygon": AREA}]},
        "marks": {"bench": [17, 9], "door": [1, 6]},
        "characters": [
            {"name": "anna", "position": [2, 6], "tags": ["acts", "seen"]},
            {"name": "bert", "position": [4, 3], "tags": ["acts", "seen"]},
        ],
        "script": "two.lua",
    }
    return walkon.Level.load(level, scripts={"two.lua": TWO})
