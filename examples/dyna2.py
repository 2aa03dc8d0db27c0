"""Dyna-2 in a maze: learning, search, and both, by the steps that each episode takes (Sutton's maze of 9x6).

Simulations stop after ten steps, before they have seen the goal: only what was learnt tells them where it is. Run it
with the number of runs to be averaged: python examples/dyna2.py 5
"""

import sys

from katachi import Action, Rng
from katachi.games.gridworld import Gridworld
from katachi.planning.dyna2 import Dyna2, Dyna2Settings
from katachi.planning.memories import SparseMemory
from katachi.planning.td_search import LinearTdSettings

MAZE = ".......#G\n..#....#.\nS.#....#.\n..#......\n.....#...\n........."
GAME = Gridworld(MAZE, slip=0, step_reward=-1.0, goal_reward=0.0)  # the shortest way takes 14 steps
EPISODES, SIMULATIONS, HORIZON = 25, 10, 10


def cells(state: int, action: Action) -> list[tuple[object, float]]:
    """Table lookup."""
    return [((state, action), 1.0)]


def nothing(state: int, action: Action) -> list[tuple[object, float]]:
    """No memory at all."""
    return []


def lengths(long: bool, short: bool, rng: Rng) -> list[int]:
    """The steps of one episode after the other."""
    search = LinearTdSettings(alpha=0.1, lambda_=0.8, epsilon=0.1, traces="replacing", horizon=HORIZON)
    settings = Dyna2Settings(
        alpha=0.3, lambda_=0.8, traces="replacing", epsilon=0.1, simulations=SIMULATIONS if short else 0, search=search
    )
    agent = Dyna2(GAME, SparseMemory(cells if long else nothing), SparseMemory(cells if short else nothing), settings)
    return [len(agent.play_episode(rng.split("episode", i), most_steps=100_000).actions) for i in range(EPISODES)]


if __name__ == "__main__":
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    print("mean steps of episodes      1    2    3    5   10   25   all (least, most)")
    for name, long, short in (("Sarsa", True, False), ("TD search", False, True), ("Dyna-2", True, True)):
        every = [lengths(long, short, Rng(2).split("run", run)) for run in range(runs)]
        means = [sum(steps) / runs for steps in zip(*every, strict=True)]
        shown = "".join(f"{means[number - 1]:5.0f}" for number in (1, 2, 3, 5, 10, 25))
        totals = sorted(map(sum, every))
        print(f"{name:22}{shown}{sum(means):6.0f} ({totals[0]}, {totals[-1]})")
