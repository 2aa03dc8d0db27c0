"""TD search with features of your own: the lines of four of connect four, against random play and against UCT.

A feature is a line of four places with what lies on it, as a local shape is in Go; lines without a stone are left out.
Run it with the games and the simulations per move: python examples/td_search.py 20 100
"""

import sys
import time
from collections.abc import Callable
from operator import itemgetter

from katachi import Action, Limit, Player, Rng, TreeSearch
from katachi._core import State
from katachi.games.grid import ConnectFour
from katachi.planning.memories import Correction, SparseMemory
from katachi.planning.td_search import LinearTdSearch, LinearTdSettings

GAME = ConnectFour()
WIDTH, HEIGHT = GAME.board_shape
LINES = [
    itemgetter(*((row + i * down) * WIDTH + col + i * right for i in range(4)))
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    for row in range(HEIGHT)
    for col in range(WIDTH)
    if 0 <= row + 3 * down < HEIGHT and 0 <= col + 3 * right < WIDTH
]
Mover = Callable[[State, Rng], Action]


class Lines:
    """φ(s, a) of the board after the move: (line, what lies on it). Boards come back, so they are remembered."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, Action], list[tuple[object, float]]] = {}

    def __call__(self, state: State, action: Action) -> list[tuple[object, float]]:
        name = (state.key, action)
        if name not in self.known:
            stones = GAME.stones(GAME.play(state, action)[0])
            contents = (line(stones) for line in LINES)
            self.known[name] = [((i, on), 1.0) for i, on in enumerate(contents) if set(on) != {"."}]
        return self.known[name]


def td_player(simulations: int) -> Mover:
    """A new search for each game: weights stay from move to move. Games are even before anything is learnt."""
    even = SparseMemory(lambda state, action: [("even", 1.0)])
    even.theta["even"] = 0.5
    settings = LinearTdSettings(alpha=0.1, normalised=True, lambda_=0.9, epsilon=0.1, switch=6.0)
    search = LinearTdSearch(GAME, Correction(even, SparseMemory(Lines())), settings)

    def choose(state: State, rng: Rng) -> Action:
        search.run(state, Limit(simulations=simulations), rng)
        return search.best(state, rng)

    return choose


def uct_player(simulations: int) -> Mover:
    """The usual UCT, a new tree for each move."""

    def choose(state: State, rng: Rng) -> Action:
        search = TreeSearch(GAME, state, rng=rng.split("uct"))
        search.run(Limit(simulations=simulations))
        return search.best(rng)

    return choose


def random_player(state: State, rng: Rng) -> Action:
    """Any legal move."""
    return Action(rng.choice(list(GAME.legal_actions(state))))


def match(numbers: range, simulations: int, opponent: Callable[[], Mover]) -> float:
    """Points of TD search, colours alternating."""
    points = 0.0
    for number in numbers:
        rng = Rng(1).split("game", number)
        seat = Player.BLACK if number % 2 == 0 else Player.WHITE
        movers = {seat: td_player(simulations), seat.opponent: opponent()}
        state, total = GAME.initial_state(), 0.0
        while not GAME.is_terminal(state):
            state, reward = GAME.play(state, movers[GAME.to_play(state)](state, rng))
            total += reward
        points += GAME.facts.value_for(seat, total)
    return points


if __name__ == "__main__":
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    simulations = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    begin = time.process_time()
    for name, opponent in (
        ("random", lambda: random_player),
        (f"uct with {simulations}", lambda: uct_player(simulations)),
    ):
        points = match(range(games), simulations, opponent)
        print(f"TD search with {simulations} simulations against {name}: {points} of {games}")
    print(f"{time.process_time() - begin:.0f} s")
