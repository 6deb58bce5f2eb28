"""What a tick costs through Python, with the positions of everybody read in each, over the bare tick.

    python bench/ticks.py [CHARACTERS...]

The bare tick is many ticks in one call of the native half, without events. Three games play the same ticks in turns, in
processor time of the thread; each turn gives ratios, and their median counts.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

import walkon

SCRIPT = """
local function stroll(who)
  who:walkTo(math.random() * level.args[1], math.random() * level.args[1], {
    onSettled = function() timer.after(0.2, function() stroll(who) end) end,
  })
end
function onStart()
  for _, who in world.characters() do stroll(who) end
end
"""


def crowd(count: int) -> tuple[walkon.Level, str]:
    """So many who stroll on a field, four square metres and a half for each."""
    side = max(12.0, (4.5 * count) ** 0.5)
    per_row = max(1, int(count**0.5))
    step = side / (per_row + 2)
    characters = [
        {"name": f"c{n}", "position": [step * (1 + n % per_row), step * (1 + n // per_row)]} for n in range(count)
    ]
    level = {
        "name": "field",
        "navigation": {"areas": [{"name": "field", "polygon": [[0, 0], [side, 0], [side, side], [0, side]]}]},
        "characters": characters,
        "script": "field.lua",
    }
    return walkon.Level.load(level, scripts={"field.lua": SCRIPT}), str(side)


def turns(count: int) -> tuple[float, float, float]:
    """Microseconds of a bare tick; ratio of a tick with positions, and of one with its events read too."""
    level, side = crowd(count)
    games = [level.start(seed=1, args=[side], events=events) for events in (False, True, True)]
    out = np.zeros((count, 3), dtype=np.float32)
    ticks = max(20, min(1000, 200_000 // count))

    def bare() -> None:
        games[0].tick(ticks=ticks)

    def positions() -> None:
        for _ in range(ticks):
            games[1].tick()
            games[1].positions(out)

    def events() -> None:
        for _ in range(ticks):
            for _ in games[2].tick().events:
                pass
            games[2].positions(out)

    def spent(work: Callable[[], None]) -> float:
        # Of this thread: others on the machine do not count.
        began = time.thread_time()
        work()
        return (time.thread_time() - began) / ticks

    for work in (bare, positions, events):
        work()
    rounds = []
    for _ in range(9):
        # The three play the same ticks, one after another.
        rounds.append([spent(work) for work in (bare, positions, events)])
    assert len({game.hash for game in games}) == 1, "all have played the same game"
    ratio = lambda at: statistics.median(told[at] / told[0] for told in rounds)
    return statistics.median(told[0] for told in rounds) * 1e6, ratio(1), ratio(2)


def main() -> None:
    counts = [int(word) for word in sys.argv[1:]] or [10, 1000, 10_000]
    print("| characters | bare tick us | with positions | with positions and typed events |")
    print("| --- | --- | --- | --- |")
    for count in counts:
        spent, positions, events = turns(count)
        print(f"| {count} | {spent:.0f} | {positions:.3f} | {events:.3f} |", flush=True)


if __name__ == "__main__":
    main()
