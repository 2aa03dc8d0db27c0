"""The language of player specs, and the players that need no knowledge."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi import ParseError, Rng, SettingsError, make_game, make_player, play_match
from katachi.games.go import Position
from katachi.players.gtp_player import GtpPlayer
from katachi.players.registry import change_settings
from katachi.players.spec import PlayerSpec, format_spec, parse_spec


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("random", "random", {}),
        ("flat-mc:sims=100", "flat-mc", {"sims": 100}),
        ("mc-rave:sims=3000,prior=shapes", "mc-rave", {"sims": 3000, "prior": "shapes"}),
        (
            'x:a.b=1,a.c=-2.5,d="x, \\"y\\"=1",e=true,f=1e-3',
            "x",
            {"a": {"b": 1, "c": -2.5}, "d": 'x, "y"=1', "e": True, "f": 1e-3},
        ),
        ("x:file='a b.bin'", "x", {"file": "a b.bin"}),
    ],
)
def test_parse(text: str, name: str, options: dict[str, object]) -> None:
    spec = parse_spec(text)
    assert (spec.name, spec.options, spec.command) == (name, options, None)
    assert parse_spec(format_spec(spec)) == spec


def test_everything_after_gtp_is_the_command() -> None:
    spec = parse_spec("gtp:gnugo --mode gtp --level 10 --seed {seed}, x=1")
    assert spec == PlayerSpec("gtp", {}, "gnugo --mode gtp --level 10 --seed {seed}, x=1")
    assert parse_spec(format_spec(spec)) == spec
    assert make_player(spec).name == format_spec(spec)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("gtp[timeout=120]:gnugo --mode gtp", {"timeout": 120}),
        ("gtp[timeout=0.5,seed=7]:gnugo --mode gtp", {"timeout": 0.5, "seed": 7}),
        ("gtp[a.b=\"]: x\",c='d]']:gnugo --mode gtp", {"a": {"b": "]: x"}, "c": "d]"}),
    ],
)
def test_options_of_an_engine_stand_before_its_command(text: str, options: dict[str, object]) -> None:
    spec = parse_spec(text)
    assert spec == PlayerSpec("gtp", options, "gnugo --mode gtp")
    assert parse_spec(format_spec(spec)) == spec
    assert PlayerSpec.from_table({"player": "gtp", "command": "gnugo --mode gtp", **options}) == spec
    assert parse_spec("gtp:[x]") == PlayerSpec("gtp", {}, "[x]")


def test_options_of_an_engine_are_its_settings() -> None:
    player = make_player("gtp[timeout=120,seed=7]:gnugo --mode gtp")
    assert isinstance(player, GtpPlayer)
    assert (player.settings.timeout, player.settings.seed) == (120, 7)
    assert parse_spec(player.name) == PlayerSpec("gtp", {"timeout": 120, "seed": 7}, "gnugo --mode gtp")
    table = make_player({"player": "gtp", "command": "gnugo", "timeout": 0.5})
    assert table.name == "gtp[timeout=0.5]:gnugo"
    with pytest.raises(SettingsError, match="has no setting 'timeot': did you mean 'timeout'"):
        make_player("gtp[timeot=120]:gnugo")
    with pytest.raises(SettingsError, match="timeout"):
        make_player({"player": "gtp", "command": "gnugo", "timeout": -1})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gtp[", "expected key=value at column 5"),
        ("gtp[]:x", "expected key=value at column 5: ']:x'"),
        ("gtp[timeout]:x", "expected key=value at column 5"),
        ("gtp[timeout=]:x", "a value is missing at column 13"),
        ("gtp[timeout=1:x", "expected ,key=value or ] at column 16: ''"),
        ("gtp[timeout=1,]:x", "expected key=value at column 15"),
        ("gtp[timeout=1]x", "expected ]:COMMAND at column 14: ']x'"),
        ("gtp[timeout=1]", "expected ]:COMMAND at column 14"),
        ("gtp[timeout=1]: ", "needs the engine's command after the colon, column 15"),
        ('gtp["x', "expected key=value at column 5"),
        ('gtp[a="x]:y', "quote at column 7 is not closed"),
        ("flat-mc[sims=3]", "'flat-mc[sims=3]' is not a player's name"),
        ("", "not a player's name"),
        ("Flat", "'Flat' is not a player's name"),
        ("gtp:  ", "needs the engine's command"),
        ("x:", "expected key=value"),
        ("x:a", "column 3"),
        ("x:a=", "value is missing at column 5"),
        ("x:a=1,", "column 6"),
        ("x:a=1,,b=2", "column 7"),
        ('x:a="1', "quote at column 5 is not closed"),
        ('x:a="1"b', "expected ,key=value at column 8"),
        ("x:a=1,a=2", "'a' is given twice"),
        ("x:a=1,a.b=2", "'a' is both a value and a table"),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=re.escape(message)):
        parse_spec(text)


def test_tables() -> None:
    assert PlayerSpec.from_table({"player": "flat-mc", "sims": 3}) == parse_spec("flat-mc:sims=3")
    assert PlayerSpec.from_table({"player": "gtp", "command": "gnugo"}) == parse_spec("gtp:gnugo")
    for table in ({"sims": 3}, {"player": 3}, {"player": "gtp"}, {"player": "gtp", "command": " ", "timeout": 1}):
        with pytest.raises(ParseError):
            PlayerSpec.from_table(table)


names = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)
values = st.one_of(
    st.integers(-(10**6), 10**6), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.text(max_size=12)
)
options = st.recursive(
    st.dictionaries(names, values, min_size=1, max_size=4),
    lambda d: st.dictionaries(names, d, min_size=1),
    max_leaves=3,
)


@given(options)
def test_format_and_parse_are_inverse(table: dict[str, object]) -> None:
    for spec in (PlayerSpec("x", table), PlayerSpec("gtp", table, "engine [a]: b")):
        assert parse_spec(format_spec(spec)) == spec


def test_random_player_is_uniform_over_candidates() -> None:
    game = make_game("tic-tac-toe")
    player = make_player("random")
    state = game.initial_state()
    chosen = [player.choose(game, state, Rng(seed)).action for seed in range(300)]
    assert set(chosen) == set(range(9))


def test_flat_mc_takes_the_win_and_needs_its_setting() -> None:
    game = make_game("tic-tac-toe")
    state = game.initial_state()
    for action in (0, 3, 1, 4):  # X X . / O O . / . . .
        state, _ = game.play(state, action)
    decision = make_player("flat-mc:sims=50").choose(game, state, Rng(1))
    assert decision.action == 2
    assert decision.value == 1.0
    assert decision.simulations == 50 * 5
    with pytest.raises(SettingsError, match="needs a value for 'sims'"):
        make_player("flat-mc")
    with pytest.raises(SettingsError, match="did you mean 'sims'"):
        make_player("flat-mc:sim=3")


def test_alpha_beta_plays_what_it_sees_to_the_end() -> None:
    game = make_game("tic-tac-toe")
    player = make_player("alpha-beta:depth=9")
    assert player.name == "alpha-beta:depth=9"
    assert change_settings(player, {"moves": "legal"}).name == "alpha-beta:depth=9,moves=legal"
    state = game.initial_state()
    for action in (0, 4, 8, 1):  # White threatens 7
        state, _ = game.play(state, action)
    decision = player.choose(game, state, Rng(1))
    assert decision.action == 7
    assert decision.value == 0.5
    result = play_match(game, player, make_player("random"), games=20, seed=1)
    assert all(outcome.total in (0.5, float(outcome.black.startswith("alpha"))) for outcome in result.outcomes)
    early = make_player("alpha-beta:depth=9,iterative=false").choose(
        make_game("go"), Position(9), Rng(1), lambda _: False
    )
    assert early.action is not None
    Position(9).play(early.action)  # the best of one ply
