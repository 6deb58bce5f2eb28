"""Gymnasium environments of levels: ``pip install walkon[gym]``.

What is controlled, seen and rewarded is said by the level, by tags and by an event (``walkon._stage``)::

    env = walkon.gym.WalkonEnv("levels/guard.json", seconds=30)
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

An environment plays one game and so lives on the thread that resets it. ``WalkonVectorEnv`` plays many, on threads of
its own, and resets those that have ended in the step after (``AutoresetMode.NEXT_STEP``).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ._stage import Reward, Stage, seed_of
from .runtime import Floats, Level

__all__ = ["WalkonEnv", "WalkonVectorEnv"]


class WalkonEnv(gym.Env[Floats, np.int64]):
    """A level as an environment of one who acts.

    ``every`` is the game seconds of a step, ``seconds`` those of an episode. ``goals`` are the marks that can be walked to,
    all of the level by default. ``reward`` takes the tick and the game and says what the step was worth; without it that
    is what scripts emit as ``reward``.
    """

    metadata: dict[str, Any] = {"render_modes": []}

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
        self.render_mode = render_mode
        self.stage = Stage(level, seconds=seconds, every=every, goals=goals, reward=reward)
        if len(self.stage.actors) != 1:
            raise ValueError(f"{len(self.stage.actors)} characters act, expected one; walkon.pettingzoo takes several")
        self.action_space = self.stage.action_space()
        self.observation_space = self.stage.observation_space()  # type: ignore[assignment]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Begins an episode. The seed of its level is drawn from ``seed``, and so are those of all later episodes; it is the
        ``seed`` of the info."""
        super().reset(seed=seed)
        self.stage.begin(seed_of(self.np_random))
        return self.stage.observe(), {**self.stage.info(), "seed": self.stage.seed}

    def step(self, action: np.int64) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Walks to a goal, or on, for a step."""
        actor = self.stage.actors[0]
        tick = self.stage.step({actor: int(action)})
        terminated, truncated = self.stage.ends()
        return self.stage.observe(), self.stage.rewards(tick)[actor], terminated, truncated, self.stage.info()

    def close(self) -> None:
        """Lets the game go."""
        self.stage.close()


class _Share:
    """Environments of one thread: made, used and let go there."""

    def __init__(self, indices: range, make: Any) -> None:
        self.indices = indices
        self.make = make
        self.thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="walkon")
        self.environments: list[WalkonEnv] = []
        self.ended: list[bool] = []

    def reset(self, seeds: list[int | None], where: list[bool]) -> list[Any]:
        if not self.environments:
            self.environments = [self.make() for _ in self.indices]
            self.ended = [False for _ in self.indices]
        told: list[Any] = []
        for at, environment in enumerate(self.environments):
            told.append(environment.reset(seed=seeds[at]) if where[at] else None)
            self.ended[at] = self.ended[at] and not where[at]
        return told

    def step(self, actions: Any) -> list[Any]:
        if not self.environments:
            raise RuntimeError("the episodes have not begun, expected reset() first")
        told = []
        for at, environment in enumerate(self.environments):
            if self.ended[at]:
                observation, info = environment.reset()
                told.append((observation, 0.0, False, False, info))
                self.ended[at] = False
            else:
                step = environment.step(actions[at])
                self.ended[at] = bool(step[2] or step[3])
                told.append(step)
        return told

    def close(self) -> None:
        for environment in self.environments:
            environment.close()
        self.environments.clear()

    def submit(self, work: Any, *arguments: Any) -> Future[Any]:
        return self.thread.submit(work, *arguments)


class WalkonVectorEnv(VectorEnv[Floats, np.ndarray[Any, Any], np.ndarray[Any, Any]]):
    """Many games of one level at the same time, shared out to ``threads``, which run beside one another.

    An episode that has ended is begun anew in the step after, whatever the action (``AutoresetMode.NEXT_STEP``): that step
    has no reward and the first observation of the new episode. The other arguments are those of ``WalkonEnv``.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, level: Level | str | Path, num_envs: int, *, threads: int = 1, **options: Any) -> None:
        level = level if isinstance(level, Level) else Level.load(level)
        if num_envs < 1 or threads < 1:
            raise ValueError("num_envs and threads: expected at least 1")
        one = WalkonEnv(level, **options)
        self.num_envs = num_envs
        self.render_mode = None
        self.single_action_space = one.action_space
        self.single_observation_space = one.observation_space
        self.action_space = batch_space(one.action_space, num_envs)
        self.observation_space = batch_space(one.observation_space, num_envs)
        threads = min(threads, num_envs)
        edges = [num_envs * at // threads for at in range(threads + 1)]
        ranges = [range(first, last) for first, last in zip(edges, edges[1:])]
        self._shares = [_Share(indices, lambda: WalkonEnv(level, **options)) for indices in ranges]
        shape = one.stage.observation_space().shape
        self._observations: Floats = np.zeros((num_envs, *shape), dtype=np.float32)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Floats, dict[str, Any]]:
        """Begins all episodes, or those where ``options["reset_mask"]`` is true; a single ``seed`` counts on from game to
        game."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        seeds = [None] * self.num_envs if seed is None else seed
        if isinstance(seeds, int):
            seeds = [seeds + at for at in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed: {len(seeds)} seeds for {self.num_envs} games")
        mask = (options or {}).get("reset_mask")
        where = [True] * self.num_envs if mask is None else [bool(one) for one in mask]
        infos: dict[str, Any] = {}
        asked = [
            share.submit(share.reset, [seeds[at] for at in share.indices], [where[at] for at in share.indices])
            for share in self._shares
        ]
        for share, told in zip(self._shares, asked):
            for at, begun in zip(share.indices, told.result()):
                if begun is not None:
                    self._observations[at] = begun[0]
                    infos = self._add_info(infos, begun[1], at)
        return self._observations.copy(), infos

    def step(self, actions: Any) -> tuple[Floats, Any, Any, Any, dict[str, Any]]:
        """One step in every game. Raises ``RuntimeError`` before ``reset``."""
        asked = [share.submit(share.step, [actions[at] for at in share.indices]) for share in self._shares]
        rewards = np.zeros(self.num_envs, dtype=np.float64)
        terminated, truncated = np.zeros(self.num_envs, dtype=np.bool_), np.zeros(self.num_envs, dtype=np.bool_)
        infos: dict[str, Any] = {}
        for share, told in zip(self._shares, asked):
            for at, step in zip(share.indices, told.result()):
                self._observations[at], rewards[at], terminated[at], truncated[at] = step[:4]
                infos = self._add_info(infos, step[4], at)
        return self._observations.copy(), rewards, terminated, truncated, infos

    def close_extras(self, **_: Any) -> None:
        """Lets the games go, each on its thread."""
        for share in self._shares:
            share.submit(share.close).result()
            share.thread.shutdown()
