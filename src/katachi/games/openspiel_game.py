"""Games of OpenSpiel as games of the contract (extra `katachi[openspiel]`).

`openspiel("connect_four")` is a Python game whose states are OpenSpiel's own, cloned before every move. It takes what
the contract can say: perfect information, one mover at a time, one player or two with constant sum, chance only in
nodes of its own. Whatever else OpenSpiel has is refused by name. Why no state has a key unasked: docs/adapters.md.

Chance is part of the move before it: `play(state, action, rng)` draws outcomes until somebody has to decide. A game
that begins with chance (backgammon's first dice) has a first state with the one action 0, called `chance`.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any, TypeAlias

from katachi._core import GameFacts, KeyKind, Player, Rng
from katachi.core.arguments import as_text
from katachi.core.errors import GameContractError, IllegalMoveError, InvalidArgumentError, ParseError, UnknownNameError
from katachi.core.settings import did_you_mean
from katachi.core.types import Action
from katachi.games.contract import BaseGame

__all__ = ["OpenSpielGame", "openspiel"]

# A pyspiel.State, which has no types of its own.
SpielState: TypeAlias = Any

_CHANCE = Action(0)  # the only action where a game begins with chance
_CHANCE_TEXT = "chance"


def openspiel(name: str, *, key: KeyKind | str = KeyKind.NONE) -> "OpenSpielGame":
    """A game of OpenSpiel by its name with parameters: `openspiel("hex(board_size=5)")`.

    With `key` you vouch that the observation string of a state tells its future, wholly ("exact") or nearly
    ("approximate").
    """
    return OpenSpielGame(_load(as_text("the name of a game of OpenSpiel", name)), key=_key_kind(key))


class OpenSpielGame(BaseGame[SpielState]):
    """A `pyspiel.Game` that the contract can describe. Its states must not be changed behind our back."""

    def __init__(self, game: Any, *, key: KeyKind = KeyKind.NONE) -> None:  # noqa: ANN401
        self._game = game
        self.name = f"openspiel:{str(game).removesuffix('()')}"
        kind = game.get_type()
        _check_kind(self.name, game, kind)
        if key is not KeyKind.NONE and not kind.provides_observation_string:
            raise InvalidArgumentError(f"{self.name} has no observation strings to make keys of")
        self._rewards_on_the_way = kind.reward_model == kind.RewardModel.REWARDS
        self._deterministic = kind.chance_mode == kind.ChanceMode.DETERMINISTIC
        self._initial = _told(self.name, game.new_initial_state)
        if self._initial.is_terminal() or not self.legal_actions(self._initial):
            raise InvalidArgumentError(f"{self.name} leaves nothing to play\n{self._initial}")
        self.facts = GameFacts(
            players=game.num_players(),
            action_space=game.num_distinct_actions(),
            return_bounds=_return_bounds(game),
            max_length=game.max_game_length() + int(self._initial.is_chance_node()),
            deterministic=self._deterministic,
            key=key,
        )

    def initial_state(self) -> SpielState:
        """Where every game begins."""
        return self._initial

    def legal_actions(self, state: SpielState) -> Sequence[Action]:
        """By OpenSpiel's rules, ascending."""
        if state.is_chance_node():
            return [_CHANCE]
        return state.legal_actions()  # type: ignore[no-any-return]

    def is_terminal(self, state: SpielState) -> bool:
        """Is the game over?"""
        return state.is_terminal()  # type: ignore[no-any-return]

    def to_play(self, state: SpielState) -> Player:
        """Who moves; before a first chance node, and when the game is over, player 0."""
        return Player(max(0, state.current_player()))

    def key(self, state: SpielState) -> int:
        """64 bits of the observation string and the player to move."""
        text = f"{state.current_player()} {state.observation_string(0)}"
        return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")

    def uniform_playout(self, state: SpielState, rng: Rng) -> tuple[float, int]:
        """To the end in one clone, or to max_length; the moves are OpenSpiel's own and not checked again."""
        following = state.clone()
        length, cap = 0, self.facts.max_length or 0
        if following.is_chance_node():
            length = 1
            _draw_chance(following, rng)
        while length < cap and not following.is_terminal():
            actions = following.legal_actions()
            if not actions:
                raise GameContractError(f"{self.name}: no legal action in a state that is not terminal\n{following}")
            following.apply_action(actions[rng.below(len(actions))])
            length += 1
            if not self._deterministic:
                _draw_chance(following, rng)
        return following.player_return(0) - self._return_so_far(state), length

    def format_state(self, state: SpielState) -> str:
        """As OpenSpiel shows it."""
        return str(state)

    def format_action(self, state: SpielState, action: Action) -> str:
        """As OpenSpiel writes it."""
        if state.is_chance_node():
            return _CHANCE_TEXT
        if action not in state.legal_actions():  # where some games of OpenSpiel would do anything
            raise IllegalMoveError(f"illegal action {action!r} in {self.name}\n{state}")
        return str(state.action_to_string(state.current_player(), action))

    def parse_action(self, state: SpielState, text: str) -> Action:
        """The legal action that OpenSpiel writes so, or whose number stands after `#`."""
        legal = self.legal_actions(state)
        written = {Action(action): self.format_action(state, action) for action in legal}
        wanted = text.strip()
        found = [action for action, name in written.items() if wanted in (name, f"#{action}")]
        if len(found) == 1:
            return found[0]
        if found:
            raise ParseError(f"{text!r} is more than one action of {self.name}: write one of {_numbers(found)}")
        known = did_you_mean(wanted, set(written.values()))
        raise ParseError(f"{text!r} is not a legal action of {self.name}: {known}")

    def play(self, state: SpielState, action: Action, rng: Rng | None = None) -> tuple[SpielState, float]:
        """The move and the chance after it, with player 0's reward for both. A game without chance needs no rng."""
        if state.is_terminal() or action not in self.legal_actions(state):
            raise IllegalMoveError(f"illegal action {action!r} in {self.name}\n{state}")
        following = state.clone()
        if not following.is_chance_node():
            following.apply_action(action)
        if not self._deterministic:
            if rng is None:
                raise InvalidArgumentError(f"{self.name} is a game of chance: play needs an Rng")
            _draw_chance(following, rng)
        return following, self._reward(state, following)

    def _reward(self, state: SpielState, following: SpielState) -> float:
        if not self._rewards_on_the_way and not following.is_terminal():
            return 0.0
        return following.player_return(0) - self._return_so_far(state)  # type: ignore[no-any-return]

    def _return_so_far(self, state: SpielState) -> float:
        return state.player_return(0) if self._rewards_on_the_way else 0.0


def _load(name: str) -> Any:  # noqa: ANN401
    """The pyspiel.Game. Names are looked up here first: OpenSpiel prints what it thinks of them."""
    try:
        import pyspiel
    except ImportError:
        raise InvalidArgumentError("games of OpenSpiel need the extra: pip install 'katachi[openspiel]'") from None
    short = name.partition("(")[0]
    if short not in pyspiel.registered_names():
        known = did_you_mean(short, pyspiel.registered_names())
        raise UnknownNameError(f"OpenSpiel has no game called {short!r}: {known}")
    return _told(f"openspiel:{name}", lambda: pyspiel.load_game(name))


def _told(name: str, make: Callable[[], Any]) -> Any:  # noqa: ANN401
    """What OpenSpiel makes of a name; its complaint, if it has one, as an error of ours."""
    try:
        return make()
    except Exception as error:  # its own SpielError, and what its containers throw
        raise InvalidArgumentError(f"OpenSpiel refuses {name}: {error}") from None


def _check_kind(name: str, game: Any, kind: Any) -> None:  # noqa: ANN401
    """Refuses what the contract cannot say."""
    problem = None
    if kind.dynamics != kind.Dynamics.SEQUENTIAL:
        problem = "players move at the same time in it"
    elif kind.information != kind.Information.PERFECT_INFORMATION:
        problem = "it has hidden information"
    elif kind.chance_mode == kind.ChanceMode.SAMPLED_STOCHASTIC:
        problem = "its chance is hidden inside its moves"
    elif game.num_players() > 2:
        problem = f"it has {game.num_players()} players"
    elif game.num_players() == 2 and kind.utility not in (kind.Utility.ZERO_SUM, kind.Utility.CONSTANT_SUM):
        problem = "the returns of its players do not add up to a constant"
    if problem is not None:
        raise InvalidArgumentError(
            f"{name} does not fit the game contract: {problem} "
            "(it takes perfect information, moves in turn, 1 player or 2 with constant sum)"
        )


def _return_bounds(game: Any) -> tuple[float, float]:  # noqa: ANN401
    """Player 0's. With two players the ends add up to the constant sum, as `GameFacts.value_for` takes it."""
    low, high = game.min_utility(), game.max_utility()
    if game.num_players() == 1:
        return low, high
    total = game.utility_sum()
    low = min(low, total - high)
    return low, total - low


def _key_kind(key: KeyKind | str) -> KeyKind:
    if isinstance(key, KeyKind):
        return key
    kinds = {kind.name.lower(): kind for kind in KeyKind}
    if str(key) not in kinds:
        raise InvalidArgumentError(f"there is no kind of key {key!r}: {did_you_mean(str(key), kinds)}")
    return kinds[str(key)]


def _draw_chance(state: SpielState, rng: Rng) -> None:
    """Draws outcomes until somebody decides or the game is over."""
    while state.is_chance_node():
        outcomes = state.chance_outcomes()
        left = rng.uniform() * sum(probability for _, probability in outcomes)
        drawn = outcomes[-1][0]
        for outcome, probability in outcomes:
            left -= probability
            if left < 0:
                drawn = outcome
                break
        state.apply_action(drawn)


def _numbers(actions: Sequence[Action]) -> str:
    return ", ".join(f"#{action}" for action in actions)
