"""Games, matches, tables, intervals."""

import pytest

from katachi import (
    Action,
    BaseGame,
    GameFacts,
    InvalidArgumentError,
    Player,
    Rng,
    make_game,
    make_player,
    play_match,
)
from katachi.arena.match import MatchResult
from katachi.arena.referee import GameOutcome, GameTask, play_game
from katachi.arena.statistics import wilson_interval
from katachi.games.native import ExplicitTree
from katachi.players.basic import RandomSettings
from katachi.players.player import Decision
from katachi.search.searches import Progress


def test_wilson_interval_by_hand() -> None:
    # 8 of 10: (0.8 + 0.19207 -/+ 1.95996 * sqrt(0.016 + 0.0096036)) / 1.38415
    low, high = wilson_interval(8, 10)
    assert low == pytest.approx(0.4901625, abs=1e-6)
    assert high == pytest.approx(0.9433178, abs=1e-6)
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert wilson_interval(0, 20)[0] == 0.0
    assert wilson_interval(20, 20)[1] == pytest.approx(1.0)


def untimed(result: MatchResult) -> list[GameOutcome]:
    return [outcome.untimed() for outcome in result.outcomes]


class FirstWins(BaseGame[int]):
    """One move each, and player 0 has won."""

    name = "first-wins"
    facts = GameFacts(players=2, action_space=1, return_bounds=(0, 1), max_length=2)

    def initial_state(self) -> int:
        return 0

    def legal_actions(self, state: int) -> list[Action]:
        return [Action(0)] if state < 2 else []

    def play(self, state: int, action: Action) -> tuple[int, float]:
        return state + 1, float(state == 1)

    def is_terminal(self, state: int) -> bool:
        return state == 2

    def to_play(self, state: int) -> Player:
        return Player(state % 2)


def test_seats_alternate_and_results_are_the_first_players() -> None:
    result = play_match(FirstWins(), make_player("random"), make_player("flat-mc:sims=1"), games=5, seed=1)
    assert (result.wins, result.draws, result.losses) == (3, 0, 2)
    assert [outcome.black for outcome in result.outcomes] == ["random", "flat-mc:sims=1"] * 2 + ["random"]
    assert play_match(FirstWins(), make_player("random"), make_player("random"), games=0, seed=1).score.win_rate == 0.5


def test_a_cut_game_is_a_draw() -> None:
    players = (make_player("random"), make_player("random"))
    result = play_match(make_game("go", size=9), *players, games=2, seed=1, max_length=10)
    assert result.draws == 2
    assert [(o.reason, len(o.moves)) for o in result.outcomes] == [("cap", 10)] * 2


def test_stochastic_games_are_played_and_repeatable() -> None:
    game = make_game("pig", target=10)
    players = (make_player("flat-mc:sims=8"), make_player("random"))
    first, again = (play_match(game, *players, games=6, seed=2) for _ in range(2))
    assert untimed(first) == untimed(again)


def test_a_match_needs_two_players() -> None:
    with pytest.raises(InvalidArgumentError, match="two players"):
        play_match(ExplicitTree([1], players=1), make_player("random"), make_player("random"), games=1, seed=1)


def test_the_referee_checks() -> None:
    class Cheat:
        name = "cheat"
        settings = RandomSettings()

        def choose(self, game: object, state: object, rng: Rng, progress: Progress | None = None) -> Decision:
            return Decision(Action(1))

    result = play_match(FirstWins(), Cheat(), "random", games=2, seed=1)
    assert (result.wins, result.losses) == (0, 2)
    assert result.fouls == {"cheat": {"illegal move": 2}, "random": {}}
    assert "1 is illegal in" in result.outcomes[0].detail
    with pytest.raises(InvalidArgumentError, match="-3"):
        play_match(FirstWins(), "random", "random", games=-3, seed=1)


@pytest.mark.parametrize("quitter", list(Player))
def test_a_resignation_loses(quitter: Player) -> None:
    class Quitter:
        name = "quitter"
        settings = RandomSettings()

        def choose(self, game: object, state: object, rng: Rng, progress: Progress | None = None) -> Decision:
            return Decision(None)

    seats = (Quitter(), make_player("random")) if quitter is Player.BLACK else (make_player("random"), Quitter())
    for allowed in (True, False):
        black, white = seats[0].name, seats[1].name
        task = GameTask(index=0, game="go", seed=1, resignation=allowed, black=black, white=white)
        outcome = play_game(task, make_game("go", size=5), seats)
        assert outcome.reason == "resignation"
        assert outcome.is_foul is not allowed
        assert outcome.loser == quitter.name.lower()
        assert outcome.total == (0.0 if quitter is Player.BLACK else 1.0)
        assert len(outcome.moves) == int(quitter)
        assert bool(outcome.detail) is not allowed
