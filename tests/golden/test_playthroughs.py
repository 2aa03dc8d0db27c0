"""One recorded game per game: every state, action and reward, so that no change of rules goes unnoticed.

After a deliberate change: pytest tests/golden --regen, and read the difference.
"""

from pathlib import Path
from typing import Any

import pytest

from katachi import Rng, TreeSearch, make_game
from katachi.core.limit import Limit
from katachi.games.contract import Game
from katachi.games.native import ExplicitTree

FOLDER = Path(__file__).parent / "playthroughs"

GAMES: dict[str, Game[Any]] = {
    "go-5x5-cgos": make_game("go", size=5),
    "go-4x3-new-zealand": make_game("go", size="4x3", rules="new-zealand"),
    "tic-tac-toe": make_game("tic-tac-toe"),
    "pig-20": make_game("pig"),
    "connect-four": make_game("connect-four"),
    "gomoku-6x6-4": make_game("gomoku", size=6, line=4),
    "hex-5x5": make_game("hex", size=5),
    "random-walk-7": make_game("random-walk", size=7),
    "shortest-walk-7": make_game("shortest-walk", size=7),
    "gridworld-corner": make_game("gridworld"),
    "explicit-tree": ExplicitTree([[3, 12], [2, [4, 6]]]),
}


def playthrough(game: Game[Any], seed: int) -> str:
    rng = Rng(seed)
    state = game.initial_state()
    lines = [f"game: {game.name}", f"facts: {game.facts}", f"seed: {seed}"]
    total = 0.0
    for step in range(200):
        lines += ["", f"# state {step}", game.format_state(state).rstrip()]  # type: ignore[attr-defined]
        lines.append(f"key: {game.key(state):016x}")  # type: ignore[attr-defined]
        if game.is_terminal(state):
            break
        legal, candidates = game.legal_actions(state), game.candidates(state)  # type: ignore[attr-defined]
        lines.append(f"to play: {int(game.to_play(state))}")
        lines.append("legal: " + " ".join(map(str, legal)))
        if list(candidates) != list(legal):
            lines.append("candidates: " + " ".join(map(str, candidates)))
        search = TreeSearch(game, state, rng=rng.split("search", step))
        search.run(Limit(simulations=30))
        lines.append("visits: " + " ".join(str(root.visits) for root in search.root_actions()))
        action = candidates[rng.below(len(candidates))]
        text = game.format_action(state, action)  # type: ignore[attr-defined]
        arguments = () if game.facts.deterministic else (rng,)
        state, reward = game.play(state, action, *arguments)
        total += reward
        lines.append(f"action: {text} ({action}), reward: {reward:g}")
    return "\n".join([*lines, "", f"return: {total:g}", ""])


@pytest.mark.parametrize("name", GAMES)
def test_playthrough(name: str, regen: bool) -> None:
    text = playthrough(GAMES[name], seed=20261115)
    path = FOLDER / f"{name}.txt"
    if regen:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
