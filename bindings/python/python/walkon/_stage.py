"""What environments share: spaces that are made from a level's tags, what is seen, what is done, what it is worth.

A level says by tags what an environment is made of:

* a character with the tag ``acts`` is controlled: an action is where to walk, to one of the level's marks;
* a character with the tag ``seen`` is observed: where it is, which way it looks, how fast it is, whether it is there;
* what a script emits as ``reward`` with ``{ value = 1 }`` is the reward, of all, or of the character named ``to``;
* ``level.finish`` ends an episode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from . import events, inputs
from .runtime import Floats, Game, Level, Tick

ACTS = "acts"
"""The tag of characters that are controlled."""
SEEN = "seen"
"""The tag of characters that are observed."""
NUMBERS = 7
"""Numbers that are observed of each: x, y, z, sine and cosine of where it looks, metres a second, whether it is there."""

Reward = Callable[[Tick, Game], float]


class Stage:
    """A level as an environment sees it, and the game under way."""

    def __init__(
        self,
        level: Level | str | Path,
        *,
        seconds: float = 60.0,
        every: float = 0.5,
        goals: Sequence[str] | None = None,
        reward: Reward | None = None,
    ) -> None:
        self.level = level if isinstance(level, Level) else Level.load(level)
        self.actors = self.level.tagged(ACTS)
        self.seen = self.level.tagged(SEEN)
        if not self.actors:
            raise ValueError(f'level "{self.level.name}": nobody has the tag "{ACTS}", expected somebody to control')
        if not self.seen:
            raise ValueError(f'level "{self.level.name}": nobody has the tag "{SEEN}", expected somebody to observe')
        marks = self.level.outline["marks"]
        self.goals = sorted(marks) if goals is None else list(goals)
        unknown = [goal for goal in self.goals if goal not in marks]
        if unknown or not self.goals:
            raise ValueError(f'level "{self.level.name}": the goals {unknown} are not marks of {sorted(marks)}')
        self.ticks_a_step = max(1, round(every * self.level.tick_rate))
        self.ticks_max = round(seconds * self.level.tick_rate)
        self._reward = reward
        self.seed = 0
        """That of the episode under way."""
        self._game: Game | None = None
        self._poses: Floats = np.zeros((0, 5), dtype=np.float32)

    def action_space(self) -> gym.spaces.Discrete:
        """0: go on as before; n: walk to the n-th goal."""
        return gym.spaces.Discrete(1 + len(self.goals))

    def observation_space(self) -> gym.spaces.Box:
        """Seven numbers for each that is seen, in the order of the level."""
        left, near, right, far = self.level.outline["bounds"]
        low = [left, -np.inf, near, -1, -1, 0, 0]
        high = [right, np.inf, far, 1, 1, np.inf, 1]
        # A body may stand a little beside the ground while it is pushed.
        slack = np.array([1, 0, 1, 0, 0, 0, 0], dtype=np.float32)
        count = len(self.seen)
        return gym.spaces.Box(
            np.tile(np.minimum(low - slack, 0), count).astype(np.float32),
            np.tile(np.maximum(high + slack, 0), count).astype(np.float32),
            dtype=np.float32,
        )

    @property
    def game(self) -> Game:
        """The game under way."""
        if self._game is None:
            raise RuntimeError("the episode has not begun, expected reset() first")
        return self._game

    def begin(self, seed: int) -> None:
        """A new episode."""
        self.seed = seed
        self._game = self.level.start(seed)

    def close(self) -> None:
        """Lets the game go."""
        self._game = None

    def observe(self) -> Floats:
        """What is seen."""
        game = self.game
        names = game.names
        if len(self._poses) < len(names):
            self._poses = np.zeros((len(names), 5), dtype=np.float32)
        poses = game.poses(self._poses)
        row_of = {name: row for row, name in enumerate(names)}
        told = np.zeros((len(self.seen), NUMBERS), dtype=np.float32)
        for index, name in enumerate(self.seen):
            row = row_of.get(name)
            if row is not None:
                x, y, z, facing, speed = poses[row]
                told[index] = (x, y, z, np.sin(facing), np.cos(facing), speed, 1.0)
        return told.ravel()

    def step(self, actions: dict[str, int]) -> Tick:
        """Does what was chosen and goes on by a step; it ends early when the level finishes."""
        game = self.game
        said = []
        for name, action in actions.items():
            if action > 0:
                said.append(inputs.walk(name, self.goals[int(action) - 1]))
        left = min(self.ticks_a_step, max(1, self.ticks_max - game.tick_number))
        return game.tick(said, ticks=left)

    def rewards(self, tick: Tick) -> dict[str, float]:
        """What a step was worth, for each actor."""
        if self._reward is not None:
            worth = float(self._reward(tick, self.game))
            return {name: worth for name in self.actors}
        worths = {name: 0.0 for name in self.actors}
        for event in tick.events:
            if isinstance(event, events.Emitted) and event.name == "reward" and isinstance(event.payload, dict):
                to = event.payload.get("to")
                for name in self.actors:
                    if to in (None, name):
                        worths[name] += float(event.payload.get("value", 0.0))
        return worths

    def ends(self) -> tuple[bool, bool]:
        """Whether the level has finished, and whether its time is up."""
        finished = self.game.outcome is not None
        return finished, not finished and self.game.tick_number >= self.ticks_max

    def info(self) -> dict[str, Any]:
        """What else there is to know."""
        outcome = self.game.outcome
        known: dict[str, Any] = {"tick": self.game.tick_number}
        if outcome is not None:
            known["ok"] = outcome.ok
        return known


def seed_of(random: np.random.Generator) -> int:
    """A seed for a level: levels count them up to 2**53."""
    return int(random.integers(0, 2**53))
