"""Go as the game contract sees it: states are Positions, the return is Black's z in {0, 0.5, 1}."""

from collections.abc import Sequence

from katachi._core import EyeRule, GameFacts, KeyKind, Player, State
from katachi.core.arguments import as_text, as_whole_number
from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Action
from katachi.games.contract import BaseGame
from katachi.games.go.position import Position
from katachi.games.go.rules import Rules
from katachi.games.go.svg import draw_svg
from katachi.games.go.vertex import parse_size

__all__ = ["GoGame"]


class GoGame(BaseGame[Position]):
    """Go on a board of a given size under a given rule set.

    `size` is a number, a pair (width, height) or text such as "9x13"; `rules` a name or a Rules object; `komi` replaces
    that of the rules. The key of a position does not know its history, so it is approximate under superko.
    """

    name = "go"

    def __init__(
        self,
        size: int | tuple[int, int] | str = 9,
        rules: Rules | str = "cgos",
        komi: float | None = None,
        eye_rule: EyeRule | str = EyeRule.SIMPLE,
    ) -> None:
        if isinstance(size, str):
            self.width, self.height = parse_size(size)
        else:
            width, height = size if isinstance(size, tuple) and len(size) == 2 else (size, size)
            self.width, self.height = as_whole_number("go: size", width), as_whole_number("go: size", height)
        chosen = rules if isinstance(rules, Rules) else Rules.named(as_text("go: rules", rules))
        self.rules = chosen if komi is None else chosen.replace(komi=komi)
        self.eye_rule = eye_rule if isinstance(eye_rule, EyeRule) else _eye_rule(as_text("go: eye_rule", eye_rule))
        self._initial = Position(self.width, self.height, self.rules)
        self.facts = GameFacts(
            players=2,
            action_space=self.width * self.height + 1,
            return_bounds=(0.0, 1.0),
            max_length=None,
            deterministic=True,
            key=KeyKind.APPROXIMATE,
            final_reward=True,
        )

    @property
    def board_shape(self) -> tuple[int, int]:
        """(width, height)."""
        return self.width, self.height

    def stones(self, state: Position) -> str:
        """One character a point, `.`, `X` or `O`, row by row from the top."""
        return state.stones()

    def svg(self, state: Position) -> str:
        """The board as a picture."""
        return draw_svg(state)

    def initial_state(self) -> Position:
        """The empty board."""
        return self._initial

    def legal_actions(self, state: Position) -> Sequence[Action]:
        """By the rules, superko and pass included."""
        return state.legal_actions()

    def candidates(self, state: Position) -> Sequence[Action]:
        """The eye filter; a pass only when nothing else is left."""
        return state.candidates(self.eye_rule)

    def play(self, state: Position, action: Action) -> tuple[Position, float]:
        """(next position, Black's z once the game is over, before that 0)."""
        following = state.play(action)
        return following, outcome(following) if following.is_over else 0.0

    def is_terminal(self, state: Position) -> bool:
        """Have both players passed in turn?"""
        return state.is_over

    def to_play(self, state: Position) -> Player:
        """Who moves."""
        return state.to_play

    def key(self, state: Position) -> int:
        """The position's key: stones, player to move, ko, passes."""
        return state.key

    def native_state(self, state: Position) -> State:
        """What searches and playouts start from."""
        if not isinstance(state, Position):
            raise InvalidArgumentError(f"this is no Go position: {state!r}")
        if (state.width, state.height, state.rules) != (self.width, self.height, self.rules):
            raise InvalidArgumentError(f"{state!r} is no position of {self!r}")
        return state.search_state(self.eye_rule)

    def __repr__(self) -> str:
        rules = f"{self.rules.name} komi {self.rules.komi:g}"
        return f"<GoGame {self.width}x{self.height} {rules}, eye rule {self.eye_rule.name.lower()}>"

    def format_action(self, state: Position, action: Action) -> str:
        """`E5` or `pass`."""
        return state.vertex(action)

    def parse_action(self, state: Position, text: str) -> Action:
        """The inverse of `format_action`."""
        return state.action(text)


def outcome(position: Position) -> float:
    """Black's z by area: 1 win, 0 loss, 0.5 draw."""
    margin = position.score()
    return 1.0 if margin > 0 else 0.0 if margin < 0 else 0.5


def _eye_rule(name: str) -> EyeRule:
    rules = {rule.name.lower(): rule for rule in EyeRule}
    if name not in rules:
        raise InvalidArgumentError(f"there is no eye rule {name!r}; known: {', '.join(rules)}")
    return rules[name]
