"""The environments, judged by the checkers of their libraries and by runs without them."""

from __future__ import annotations

import gc
import warnings
import weakref

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
pettingzoo = pytest.importorskip("pettingzoo")

from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from pettingzoo.test import parallel_api_test, parallel_seed_test

import levels
import walkon.gym
import walkon.pettingzoo
from conftest import room


def test_gymnasiums_own_checker_has_nothing_against_it():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Height and speed have no bounds, and there is nothing to render.
        for harmless in (".*infinity.*", ".*render.*", ".*spec.*"):
            warnings.filterwarnings("ignore", harmless)
        check_env(walkon.gym.WalkonEnv(levels.one(), seconds=10))


def test_spaces_are_made_from_the_tags_of_the_level():
    env = walkon.gym.WalkonEnv(levels.one())
    assert env.action_space.n == 1 + len(["bench", "door", "well"])
    assert env.observation_space.shape == (2 * 7,)
    told, info = env.reset(seed=1)
    assert env.observation_space.contains(told) and info["tick"] == 0
    assert env.stage.level.start(info["seed"]).hash == env.stage.game.hash, "the seed is that of the level"
    assert told[:3].tolist() == [2, 0, 6] and told[6] == 1 and told[7] == 8
    for make, part in (
        (lambda: walkon.gym.WalkonEnv(room()), '"acts"'),
        (lambda: walkon.gym.WalkonEnv(levels.two()), "walkon.pettingzoo"),
        (lambda: walkon.gym.WalkonEnv(levels.one(), goals=["bnech"]), "bnech"),
        (lambda: walkon.gym.WalkonVectorEnv(levels.one(), 0), "at least 1"),
    ):
        with pytest.raises(ValueError, match=part):
            make()
    with pytest.raises(RuntimeError, match="reset"):
        walkon.gym.WalkonEnv(levels.one()).step(0)
    many = walkon.gym.WalkonVectorEnv(levels.one(), 3, threads=2)
    with pytest.raises(RuntimeError, match="reset"):
        many.step(np.zeros(3, dtype=int))
    many.reset(seed=1, options={"reset_mask": np.array([True, False, True])})
    with pytest.raises(RuntimeError, match="reset"):
        many.step(np.zeros(3, dtype=int))
    many.close()


def test_an_episode_ends_with_the_level_or_with_its_time():
    env = walkon.gym.WalkonEnv(levels.one(), seconds=30, goals=["bench"])
    env.reset(seed=1)
    total, steps = 0.0, 0
    while True:
        _, reward, terminated, truncated, info = env.step(1 if steps == 0 else 0)
        total, steps = total + reward, steps + 1
        if terminated or truncated:
            break
    assert terminated and not truncated and info["ok"] and total > 0.5
    env.reset()
    flags = [env.step(0)[2:4] for _ in range(60)]
    assert flags[-1] == (False, True) and not any(any(flag) for flag in flags[:-1])
    late = walkon.gym.WalkonEnv(levels.one(), seconds=10, reward=lambda tick, game: game.seconds)
    late.reset(seed=1)
    assert late.step(0)[1] == 0.5


def test_games_of_a_vector_are_those_of_environments_alone_on_any_number_of_threads():
    make = lambda: walkon.gym.WalkonEnv(levels.one(), seconds=4)
    alone = SyncVectorEnv([make] * 5, autoreset_mode=AutoresetMode.NEXT_STEP)
    envs = [walkon.gym.WalkonVectorEnv(levels.one(), 5, threads=threads, seconds=4) for threads in (1, 3, 9)]
    assert envs[0].metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    random = np.random.default_rng(3)
    begun = [env.reset(seed=11)[0] for env in [alone, *envs]]
    assert all((one == begun[0]).all() for one in begun) and begun[0].shape == (5, 14)
    for _ in range(25):
        actions = random.integers(0, 4, 5)
        steps = [env.step(actions) for env in [alone, *envs]]
        for step in steps[1:]:
            for told, expected in zip(step[:4], steps[0][:4]):
                assert (np.asarray(told) == expected).all()
            assert (step[4]["tick"] == steps[0][4]["tick"]).all()
    mask = np.array([True, False, True, False, False])
    kept = envs[1].step(np.zeros(5, dtype=int))[0]
    told, _ = envs[1].reset(seed=[1, None, 2, None, None], options={"reset_mask": mask})
    assert (told[1] == kept[1]).all() and (told[0, :3] == [2, 0, 6]).all()
    for env in [alone, *envs]:
        env.close()


def test_pettingzoos_own_checkers_have_nothing_against_it():
    make = lambda: walkon.pettingzoo.WalkonParallelEnv(levels.two(), seconds=12)
    parallel_api_test(make(), num_cycles=200)
    parallel_seed_test(make)


def test_an_environment_that_nobody_has_is_let_go():
    env = walkon.pettingzoo.WalkonParallelEnv(levels.two(), seconds=12)
    assert env.action_space("anna") is env.action_space("anna") is not env.action_space("bert")
    assert env.observation_space("anna") is env.observation_space("anna")
    env.reset(seed=1)
    kept = weakref.ref(env)
    del env
    gc.collect()
    assert kept() is None


def test_agents_have_rewards_of_their_own_and_leave_one_by_one():
    env = walkon.pettingzoo.WalkonParallelEnv(levels.two(), seconds=12)
    env.reset(seed=1)
    assert env.agents == ["anna", "bert"]
    worth = {"anna": 0.0, "bert": 0.0}
    left = None
    while env.agents:
        actions = {agent: 1 if agent == "anna" else 2 for agent in env.agents}
        _, rewards, terminated, truncated, infos = env.step(actions)
        for agent, reward in rewards.items():
            worth[agent] += reward
        if left is None and terminated.get("bert"):
            left = infos["bert"]["tick"]
    assert 360 <= left <= 420 and worth["anna"] > worth["bert"] > 0 and truncated["anna"]
