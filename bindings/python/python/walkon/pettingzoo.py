"""A PettingZoo parallel environment of a level with several who act: ``pip install walkon[pettingzoo]``.

Those with the tag ``acts`` are its agents. All see the same (those with the tag ``seen``) and choose among the same goals; a
reward that names a character (``{ value = 1, to = "anna" }``) is for it alone. An agent that is removed from the level is
terminated, and all are when the level finishes. A game lives on the thread that resets the environment.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from pettingzoo import ParallelEnv

from ._stage import Reward, Stage, seed_of
from .runtime import Floats, Level

__all__ = ["WalkonParallelEnv"]


class WalkonParallelEnv(ParallelEnv[str, Floats, int]):
    """A level as an environment of several who act at the same time. The arguments are those of ``WalkonEnv``."""

    metadata: dict[str, Any] = {"name": "walkon_v0", "render_modes": [], "is_parallelizable": True}

    def __init__(
        self,
        level: Level | str | Path,
        *,
        seconds: float = 60.0,
        every: float = 0.5,
        goals: Sequence[str] | None = None,
        reward: Reward | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.stage = Stage(level, seconds=seconds, every=every, goals=goals, reward=reward)
        self.possible_agents = list(self.stage.actors)
        self.agents: list[str] = []
        self.render_mode = render_mode
        self._random = np.random.default_rng()
        # Always the same object for an agent: a space that was seeded goes on from there.
        self.observation_spaces: dict[str, gym.Space[Any]] = {
            agent: self.stage.observation_space() for agent in self.possible_agents
        }
        self.action_spaces: dict[str, gym.Space[Any]] = {agent: self.stage.action_space() for agent in self.possible_agents}

    def observation_space(self, agent: str) -> gym.Space[Any]:
        """The same for everybody."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gym.Space[Any]:
        """0: go on as before; n: walk to the n-th goal."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Floats], dict[str, dict[str, Any]]]:
        """Begins an episode. The seed of its level is drawn from ``seed``, and so are those of all later episodes; it is the
        ``seed`` of the infos."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.stage.begin(seed_of(self._random))
        self.agents = list(self.possible_agents)
        seen = self.stage.observe()
        told = {**self.stage.info(), "seed": self.stage.seed}
        return {agent: seen.copy() for agent in self.agents}, {agent: dict(told) for agent in self.agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Floats],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Everybody walks to a goal, or on, for a step."""
        agents = self.agents
        tick = self.stage.step({agent: int(action) for agent, action in actions.items() if agent in agents})
        finished, late = self.stage.ends()
        there = set(self.stage.game.names)
        worths, seen = self.stage.rewards(tick), self.stage.observe()
        gone = {agent: finished or agent not in there for agent in agents}
        self.agents = [agent for agent in agents if not gone[agent] and not late]
        return (
            {agent: seen.copy() for agent in agents},
            {agent: worths[agent] for agent in agents},
            gone,
            {agent: late for agent in agents},
            {agent: self.stage.info() for agent in agents},
        )

    def render(self) -> None:
        """Nothing is drawn."""

    def close(self) -> None:
        """Lets the game go."""
        self.stage.close()
