"""A guard learns its route: where to be when, from nothing but which thieves it caught.

    python examples/learn_route.py

Five thieves come, one after another, each to a place of its own; a thief that finds the guard there is caught. When exactly they
come depends on the seed. Q-learning on a table of (round, place) finds the route in a few hundred episodes, eight games
at a time.
"""

from __future__ import annotations

import numpy as np

import walkon
import walkon.gym

ROUND_SECONDS = 9.0
LEVEL = {
    "name": "manor",
    "navigation": {"areas": [{"name": "manor", "polygon": [[0, 0], [20, 0], [20, 12], [0, 12]]}]},
    "marks": {"cellar": [2, 2], "kitchen": [18, 2], "stable": [2, 10], "tower": [18, 10]},
    "characters": [{"name": "guard", "position": [10, 6], "walkSpeed": 2.6, "tags": ["acts", "seen"]}],
    "script": "manor.lua",
}
SCRIPT = """
local comes = { "kitchen", "tower", "stable", "kitchen", "cellar" }
local round_seconds = %g

function onStart()
  local guard = world.character("guard")
  for number, place in comes do
    -- Late in the round, so that there is time to walk there.
    timer.after(round_seconds * number - 1 + math.random() * 0.8, function()
      if guard:distanceTo(place) < 1 then event.emit("reward", { value = 1 }) end
      if number == #comes then timer.after(0.1, function() level.finish(true, "day breaks") end) end
    end)
  end
end
""" % ROUND_SECONDS
GAMES, EPISODES, ROUNDS = 8, 400, 5


def learn(env: walkon.gym.WalkonVectorEnv, random: np.random.Generator) -> tuple[np.ndarray, list[float]]:
    """The value of every goal in every round from every place, and what each episode was worth."""
    goals = env.single_action_space.n - 1
    values = np.zeros((ROUNDS + 1, goals + 1, goals))
    worth: list[float] = []
    env.reset(seed=1)
    for episode in range(EPISODES // GAMES):
        curious = max(0.05, 1 - 1.5 * episode * GAMES / EPISODES)
        place = np.zeros(GAMES, dtype=int)
        total = np.zeros(GAMES)
        for number in range(ROUNDS):
            best = values[number, place].argmax(axis=1)
            goal = np.where(random.random(GAMES) < curious, random.integers(0, goals, GAMES), best)
            _, reward, *_ = env.step(goal + 1)
            # The last thief of all is in the last round: nothing is worth anything after it.
            later = values[number + 1, goal + 1].max(axis=1) if number + 1 < ROUNDS else np.zeros(GAMES)
            for at in range(GAMES):
                value = values[number, place[at], goal[at] : goal[at] + 1]
                value += 0.4 * (reward[at] + later[at] - value)
            total += reward
            place = goal + 1
        worth.extend(total)
        # All episodes end in the same step; the next one begins them anew.
        env.step(np.zeros(GAMES, dtype=int))
    return values, worth


def follow(values: np.ndarray, goals: list[str]) -> list[str]:
    """The route that the values lead to."""
    place, route = 0, []
    for number in range(ROUNDS):
        goal = int(values[number, place].argmax())
        route.append(goals[goal])
        place = goal + 1
    return route


def main() -> None:
    level = walkon.Level.load(LEVEL, scripts={"manor.lua": SCRIPT})
    env = walkon.gym.WalkonVectorEnv(level, GAMES, threads=2, every=ROUND_SECONDS, seconds=60)
    values, worth = learn(env, np.random.default_rng(1))
    env.close()
    route = follow(values, sorted(LEVEL["marks"]))
    first, last = float(np.mean(worth[:80])), float(np.mean(worth[-80:]))
    print(f"thieves caught, of {ROUNDS}: {first:.2f} at first, {last:.2f} at last")
    print("the route:", ", ".join(route))
    assert route == ["kitchen", "tower", "stable", "kitchen", "cellar"], route
    assert last > 4 > 2.5 > first


if __name__ == "__main__":
    main()
