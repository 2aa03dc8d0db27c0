"""A game of your own, searched by every preset: take one to three sticks of ten; who takes the last one wins."""

from katachi import Action, BaseGame, GameFacts, KeyKind, Limit, Player, Rng, TreeSearch, check_game
from katachi.search.tree_settings import PRESETS, preset

State = tuple[int, Player]  # sticks left, who moves


class Sticks(BaseGame[State]):
    name = "sticks"
    facts = GameFacts(
        players=2, action_space=3, return_bounds=(0, 1), max_length=10, key=KeyKind.EXACT, final_reward=True
    )

    def initial_state(self) -> State:
        return 10, Player.BLACK

    def legal_actions(self, state: State) -> list[Action]:
        return [Action(taken - 1) for taken in (1, 2, 3) if taken <= state[0]]

    def play(self, state: State, action: Action) -> tuple[State, float]:
        left, player = state[0] - action - 1, state[1]
        return (left, player.opponent), float(left == 0 and player is Player.BLACK)

    def is_terminal(self, state: State) -> bool:
        return state[0] == 0

    def to_play(self, state: State) -> Player:
        return state[1]

    def key(self, state: State) -> int:
        return state[0] * 2 + int(state[1])


if __name__ == "__main__":
    check_game(Sticks())
    for name in PRESETS:
        search = TreeSearch(Sticks(), (10, Player.BLACK), rng=Rng(1), settings=preset(name))
        search.run(Limit(simulations=5000))
        print(f"{name:13} takes {search.best(Rng(1)) + 1}")  # 2 leaves 8, a multiple of four
