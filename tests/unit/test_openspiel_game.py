"""Games of OpenSpiel keep our contract, say what OpenSpiel says, and what does not fit is refused by name."""

import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import pytest

from katachi import (
    Action,
    FlatMonteCarlo,
    GameContractError,
    IllegalMoveError,
    InvalidArgumentError,
    KeyKind,
    Limit,
    ParseError,
    Player,
    Rng,
    TreeSearch,
    UnknownNameError,
    check_game,
    make_game,
)
from katachi.arena.match import MatchSettings, run_match
from katachi.games import openspiel
from katachi.games.openspiel_game import OpenSpielGame
from tests.programs import require

TWO_PLAYERS = ["tic_tac_toe", "connect_four", "hex(board_size=4)", "breakthrough(rows=4,columns=4)", "pig(winscore=15)"]
OTHERS = [
    "2048",  # one player, begins with chance, earns on the way
    "backgammon",  # begins with chance
    "catch",
    "cliff_walking(horizon=30)",
    "misere(game=tic_tac_toe())",
    "nim(pile_sizes=1;2;3)",
]


@pytest.fixture(autouse=True)
def _openspiel() -> None:
    require(find_spec("pyspiel"), "OpenSpiel is not installed (pip install 'katachi[openspiel]')")


@pytest.mark.parametrize("name", [*TWO_PLAYERS, *OTHERS])
def test_the_contract_is_kept(name: str) -> None:
    report = check_game(openspiel(name), games=10, seed=1)
    assert report.games == 10
    assert report.cut == 0


@pytest.mark.parametrize("name", TWO_PLAYERS)
@pytest.mark.parametrize("make", [FlatMonteCarlo, TreeSearch])
def test_searches_run_and_repeat_themselves(name: str, make: type[FlatMonteCarlo] | type[TreeSearch]) -> None:
    game = openspiel(name)
    visits = []
    for _ in range(2):
        search = make(game, game.initial_state(), rng=Rng(3))
        search.run(Limit(simulations=100))
        visits.append([(root.action, root.visits, root.value) for root in search.root_actions()])
    assert visits[0] == visits[1]
    assert sum(row[1] for row in visits[0]) == 100


def after(game: OpenSpielGame, *actions: int) -> Any:  # noqa: ANN401
    state = game.initial_state()
    for action in actions:
        state, _ = game.play(state, Action(action))
    return state


@pytest.mark.parametrize(("moves", "best"), [((0, 3, 1, 4), 2), ((0, 3, 1, 4, 8), 5)], ids=["first", "second"])
def test_a_search_finds_the_win_of_either_player(moves: tuple[int, ...], best: int) -> None:
    game = openspiel("tic_tac_toe")
    search = TreeSearch(game, after(game, *moves), rng=Rng(1))
    search.run(Limit(simulations=300))
    assert search.best_by_visits(Rng(1)) == best


def test_facts() -> None:
    facts = openspiel("connect_four").facts
    assert (facts.players, facts.action_space, facts.return_bounds, facts.max_length) == (2, 7, (-1, 1), 42)
    assert facts.deterministic
    assert facts.key is KeyKind.NONE
    assert not openspiel("pig").facts.deterministic
    assert openspiel("cliff_walking").facts.players == 1
    assert openspiel("catch(rows=5)").facts.max_length == 6, "four falls and more, and the chance before them"


def test_bounds_add_up_to_the_constant_sum() -> None:
    """A value changes sides as low + high - value."""
    spiel = openspiel("tic_tac_toe")._game

    class Loose:
        """OpenSpiel's tic-tac-toe with a looser lower bound and another sum."""

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401
            return getattr(spiel, name)

        def min_utility(self) -> float:
            return -3.0

        def utility_sum(self) -> float:
            return 1.0

    assert OpenSpielGame(Loose()).facts.return_bounds == (-3, 4)


def test_rewards_are_differences_of_returns() -> None:
    for name in ("cliff_walking(horizon=30)", "2048", "connect_four"):
        game, rng = openspiel(name), Rng(5)
        state, total = game.initial_state(), 0.0
        while not game.is_terminal(state):
            state, reward = game.play(state, rng.choice(game.legal_actions(state)), rng)
            total += reward
        assert total == pytest.approx(state.returns()[0])


def test_playouts_return_what_is_still_to_come() -> None:
    game, rng = openspiel("cliff_walking(horizon=30)"), Rng(2)
    state = game.initial_state()
    up = next(action for action in game.legal_actions(state) if "UP" in game.format_action(state, action))
    state, reward = game.play(state, up)
    assert reward == -1
    for _ in range(50):
        total, length = game.uniform_playout(state, rng)
        assert 1 <= length <= 29
        assert total in (-length, -length - 99), "one a step, and a hundred for the cliff, which ends it"


def test_a_game_of_openspiel_that_is_broken() -> None:
    game = openspiel("hex(board_size=-1)")
    with pytest.raises(GameContractError, match="no legal action in a state that is not terminal"):
        game.uniform_playout(after(game, 0), Rng(1))


def test_chance_is_drawn_by_its_probabilities() -> None:
    game, rng = openspiel("pig"), Rng(1)
    counts: dict[int, int] = {}
    for _ in range(6000):
        state, _ = game.play(game.initial_state(), Action(0), rng)
        counts[state.history()[-1]] = counts.get(state.history()[-1], 0) + 1
    assert len(counts) == 6
    assert all(abs(count - 1000) < 5 * 29 for count in counts.values()), counts
    with pytest.raises(InvalidArgumentError, match="game of chance: play needs an Rng"):
        game.play(game.initial_state(), Action(0))


def test_a_game_that_begins_with_chance() -> None:
    game = openspiel("backgammon")
    start = game.initial_state()
    assert list(game.legal_actions(start)) == [0]
    assert game.to_play(start) is Player.BLACK
    assert game.format_action(start, Action(0)) == "chance"
    assert game.parse_action(start, "chance") == 0
    openings = {str(game.play(start, Action(0), Rng(seed))[0]) for seed in range(20)}
    assert len(openings) > 5


def test_keys_are_made_on_request() -> None:
    game = openspiel("tic_tac_toe", key="exact")
    assert game.facts.key is KeyKind.EXACT
    check_game(game, games=30)
    assert game.key(after(game, 0, 4, 8)) == game.key(after(game, 8, 4, 0))
    assert game.key(after(game, 0, 4)) != game.key(after(game, 4, 0))
    assert openspiel("tic_tac_toe", key=KeyKind.APPROXIMATE).facts.key is KeyKind.APPROXIMATE
    with pytest.raises(InvalidArgumentError, match="no kind of key 'exat': did you mean 'exact'"):
        openspiel("tic_tac_toe", key="exat")


def test_actions_are_written_as_openspiel_writes_them() -> None:
    game = openspiel("breakthrough(rows=4,columns=4)")
    state = game.initial_state()
    for action in game.legal_actions(state):
        text = game.format_action(state, action)
        assert game.parse_action(state, text) == action
        assert game.parse_action(state, f" #{action} ") == action
    with pytest.raises(ParseError, match=r"'a9a8' is not a legal action of openspiel:breakthrough.*did you mean 'a"):
        game.parse_action(state, "a9a8")
    with pytest.raises(IllegalMoveError, match="illegal action 99999"):
        game.format_action(state, Action(99999))


def test_two_actions_with_one_name() -> None:
    class Mumbling(OpenSpielGame):
        def format_action(self, state: Any, action: Action) -> str:  # noqa: ANN401
            return "here" if action < 2 else "there"

    game = Mumbling(openspiel("tic_tac_toe")._game)
    with pytest.raises(ParseError, match=r"more than one action .*: write one of #0, #1$"):
        game.parse_action(game.initial_state(), "here")
    assert game.parse_action(game.initial_state(), "#1") == 1


def test_illegal_actions_do_not_reach_openspiel() -> None:
    game = openspiel("tic_tac_toe")
    state = after(game, 4)
    for action in (4, 9, -1):
        with pytest.raises(IllegalMoveError, match=rf"illegal action {action} in openspiel:tic_tac_toe\n"):
            game.play(state, Action(action))
    over = after(game, 0, 3, 1, 4, 2)
    with pytest.raises(IllegalMoveError):
        game.play(over, Action(8))


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("kuhn_poker", "it has hidden information"),
        ("matrix_rps", "players move at the same time"),
        ("goofspiel", "players move at the same time"),
        ("chinese_checkers(players=3)", "it has 3 players"),
        ("stones_and_gems", "its chance is hidden inside its moves"),
    ],
)
def test_what_does_not_fit_is_refused(name: str, problem: str) -> None:
    with pytest.raises(InvalidArgumentError, match=rf"openspiel:{name.split('(')[0]}.* does not fit .*: {problem}"):
        openspiel(name)


def test_general_sums_are_refused() -> None:
    import pyspiel

    data = 'EFG 2 R "sharing" { "A" "B" }\n""\np "" 1 1 "" { "l" "r" } 0\nt "" 1 "" { 1, 2 }\nt "" 2 "" { 3, 5 }\n'
    with pytest.raises(InvalidArgumentError, match="do not add up to a constant"):
        OpenSpielGame(pyspiel.load_efg_game(data))


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("tictactoe", UnknownNameError, "no game called 'tictactoe': did you mean 'tic_tac_toe'"),
        ("", UnknownNameError, "no game called ''"),
        (5, InvalidArgumentError, "the name of a game of OpenSpiel is text, not 5"),
        ("hex(board_size=3", InvalidArgumentError, "refuses openspiel:hex.board_size=3: Missing closing bracket"),
        ("hex(side=3)", InvalidArgumentError, "refuses .*Unknown parameter 'side'"),
        ("hex(board_size=x)", InvalidArgumentError, "refuses .*Wrong type for parameter board_size"),
        ("start_at(game=tic_tac_toe(),history=0;3;1;4;2)", InvalidArgumentError, "leaves nothing to play"),
        ("misere", InvalidArgumentError, "refuses .*Missing parameter game"),
    ],
)
def test_bad_names(name: Any, error: type[Exception], message: str) -> None:  # noqa: ANN401
    with pytest.raises(error, match=message):
        openspiel(name)


def test_by_name_in_the_registry() -> None:
    game = make_game("openspiel:hex(board_size=3)", key="approximate")
    assert game.name.startswith("openspiel:hex(")
    assert game.facts.key is KeyKind.APPROXIMATE
    with pytest.raises(UnknownNameError, match=r"no game called 'openspeil:hex'.*known: .*openspiel:NAME"):
        make_game("openspeil:hex")
    with pytest.raises(InvalidArgumentError, match=r"does not take these options: {'board_size': 3}"):
        make_game("openspiel:hex", board_size=3)
    with pytest.raises(UnknownNameError, match="OpenSpiel has no game called 'hix'"):
        make_game("openspiel:hix")


def test_a_match() -> None:
    settings = MatchSettings(
        first="flat-mc:sims=20", second="random", games=6, seed=1, game="openspiel:connect_four(rows=4,columns=5)"
    )
    result = run_match(settings)
    assert len(result.outcomes) == 6
    assert {outcome.reason for outcome in result.outcomes} == {"count"}
    assert result.wins >= 4


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(InvalidArgumentError, match=r"pip install 'katachi\[openspiel\]'"):
        openspiel("tic_tac_toe")


def test_other_libraries_are_loaded_when_called() -> None:
    program = (
        "import sys, katachi.games as games; games.openspiel, games.gymnasium; "
        "sys.exit(not {'pyspiel', 'gymnasium'}.isdisjoint(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
