"""The Python face of the native searches: make one for a root state, run it under a limit, read what it found.

A search can be stopped (Ctrl-C, or `progress` returning False) and run again to go on; one seed gives one result. It
takes a copy of its generator: split one by name for each search.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from katachi import _core
from katachi._core import GameFacts, Player, RootAction
from katachi.core.errors import InvalidArgumentError
from katachi.core.limit import Limit
from katachi.core.types import Action
from katachi.games.contract import Game, is_same_state, native_state
from katachi.policies.playout_policies import PlayoutPolicy
from katachi.search.tree import Tree, TreeNode
from katachi.search.tree_priors import prior_shapes
from katachi.search.tree_settings import BY_SHAPES, TreeSearchSettings, preset

__all__ = ["FlatMonteCarlo", "Progress", "RootSearch", "TreeSearch"]

# Told the share of work done (0 to 1) every 50 ms; returning False stops.
Progress: TypeAlias = Callable[[float], object]


class RootSearch:
    """What the searches share: a native search, and reading off its root."""

    _native: _core.Search
    _facts: GameFacts
    _to_play: Player

    def _hold(self, game: Game[Any], state: Any) -> _core.State:  # noqa: ANN401
        if game.is_terminal(state):
            raise InvalidArgumentError(f"there is nothing to search: this game of {game.name} is over")
        self._facts = game.facts
        self._to_play = game.to_play(state)
        return native_state(game, state)

    @property
    def simulations(self) -> int:
        """Simulations so far."""
        return self._native.simulations

    @property
    def steps(self) -> int:
        """Simulated steps so far."""
        return self._native.steps

    def run(self, limit: Limit, progress: Progress | None = None) -> bool:
        """Searches until the limit is reached (True) or `progress` returns False. The first run does at least one."""
        if not isinstance(limit, Limit):
            raise InvalidArgumentError(f"a search runs under a Limit, such as Limit(simulations=100), not {limit!r}")
        return self._native.run(
            simulations=limit.simulations, steps=limit.steps, seconds=limit.seconds, progress=progress
        )

    def root_actions(self) -> list[RootAction]:
        """Visits and value (player 0's expected return) of every action at the root."""
        return self._native.root_actions()

    def value_to_play(self, root_action: RootAction) -> float:
        """Its value as the player to move sees it."""
        return self._facts.value_for(self._to_play, root_action.value)

    def best_by_value(self, rng: _core.Rng) -> Action:
        """The visited action with the highest value for the player to move; ties are broken uniformly at random."""
        return self._best(lambda root: self.value_to_play(root) if root.visits else float("-inf"), rng)

    def best_by_visits(self, rng: _core.Rng) -> Action:
        """The action with the most visits; ties are broken uniformly at random."""
        return self._best(lambda root: float(root.visits), rng)

    def _best(self, score: Callable[[RootAction], float], rng: _core.Rng) -> Action:
        if self.simulations == 0:
            raise InvalidArgumentError("nothing has been searched yet: call run first")
        scored = [(score(root), root.action) for root in self.root_actions()]
        highest = max(value for value, _ in scored)
        ties = [action for value, action in scored if value == highest]
        return Action(rng.choice(ties))


class FlatMonteCarlo(RootSearch):
    """Flat Monte-Carlo (Silver 3.3.4, 4.6.2): playouts after each action in turn, by a policy or its text."""

    def __init__(
        self,
        game: Game[Any],
        state: Any,  # noqa: ANN401
        *,
        rng: _core.Rng,
        policy: str | PlayoutPolicy = "uniform",
    ) -> None:
        root = self._hold(game, state)
        ready = policy if isinstance(policy, PlayoutPolicy) else PlayoutPolicy(policy)
        self._native = _core.flat_monte_carlo(root, rng, ready.native(game, state))


class TreeSearch(RootSearch):
    """The one tree search, over any game: UCT unless the settings say otherwise (katachi.search.tree_settings).

    `value(state)` is player 0's expected return in a state, `playout(state, actions)` the weights of actions in it, and
    `prior(state, actions)` player 0's expected return after each of them, where the settings ask for a heuristic.
    They get states as the game has them; of a native game, its `katachi._core.State`. `value` is asked of terminal
    states too, and is to contain the reward of entering the state where the convention is afterstate. `policy` is the
    playout policy of the settings, for one who makes many searches and wants its weights to be read once. `shapes` are
    those of a prior by local shapes, instead of the weights that the settings name. `actions` are all that is tried at
    the root, instead of the game's candidates; after `move_to` it is the game's candidates again.
    """

    _native: _core.TreeMemory

    def __init__(
        self,
        game: Game[Any],
        state: Any,  # noqa: ANN401
        *,
        rng: _core.Rng,
        settings: TreeSearchSettings | None = None,
        value: Callable[[Any], float] | None = None,
        playout: Callable[[Any, Sequence[Action]], Sequence[float]] | None = None,
        prior: Callable[[Any, Sequence[Action]], Sequence[float]] | None = None,
        policy: PlayoutPolicy | None = None,
        shapes: _core.ShapeEvaluator | None = None,
        actions: Sequence[Action] | None = None,
    ) -> None:
        self.settings = preset("uct") if settings is None else settings
        if not isinstance(self.settings, TreeSearchSettings):
            raise InvalidArgumentError(f"settings are TreeSearchSettings, such as preset('uct'), not {settings!r}")
        for name, function in (("value", value), ("playout", playout), ("prior", prior)):
            if function is not None and not callable(function):
                raise InvalidArgumentError(f"{name} is a function, not {function!r}")
        self._check_functions(value, playout, prior)
        if shapes is not None and self.settings.prior not in BY_SHAPES:
            raise InvalidArgumentError(f"shapes are for prior=shapes, not for prior={self.settings.prior}")
        root = self._hold(game, state)
        if actions is not None:
            root = root.only(list(actions))
        self.settings.check_game(root.facts, game.name)
        ready = self.settings.default_policy if policy is None else policy
        self._policy = ready.native(game, state)
        self._shapes = prior_shapes(self.settings.prior, ready.reader, game) if shapes is None else shapes
        self._game, self._state, self._heuristics = game, state, (value, playout, prior)
        self._keeps_ownership = False
        self._native = self._planted(root, rng)

    def _check_functions(self, value: object, playout: object, prior: object) -> None:
        """What the settings ask for is there, and nothing else, which would never be called."""
        if self.settings.needs_value and value is None:
            raise InvalidArgumentError("these settings ask for a heuristic value: give the search value=FUNCTION")
        if self.settings.playout_policy == "heuristic" and playout is None:
            raise InvalidArgumentError("playout_policy=heuristic asks for a policy: give the search playout=FUNCTION")
        if self.settings.prior == "heuristic" and prior is None:
            raise InvalidArgumentError("prior=heuristic asks for values of actions: give the search prior=FUNCTION")
        if not self.settings.needs_value and value is not None:
            raise InvalidArgumentError("a heuristic value is of no use to these settings: v_init=heuristic asks for it")
        if self.settings.playout_policy != "heuristic" and playout is not None:
            raise InvalidArgumentError(
                f"playout=FUNCTION is for playout_policy=heuristic, not for {self.settings.playout_policy}"
            )
        if self.settings.prior != "heuristic" and prior is not None:
            raise InvalidArgumentError(f"prior=FUNCTION is for prior=heuristic, not for prior={self.settings.prior}")

    @property
    def tree(self) -> Tree:
        """What is memorised."""
        return Tree(self._native)

    @property
    def bytes(self) -> int:
        """What the memory takes."""
        return self._native.bytes

    @property
    def is_full(self) -> bool:
        """Has the memory cap been met?"""
        return self._native.is_full

    def root_priors(self) -> dict[Action, float]:
        """H of the actions at the root: what player 0 may expect by the prior that they began with.

        Empty without a prior, and with that of the grandfather, which depends on the way to the root.
        """
        return {Action(action): value for action, value in self._native.root_priors()}

    def keep_ownership(self, keeps: bool = True) -> None:
        """In Go: counts from now on who holds which point when an episode ends."""
        self._keeps_ownership = keeps
        self._native.keep_ownership(keeps)

    def ownership(self) -> list[float]:
        """By point, how much more often Black than White held it: -1 to 1; empty where nothing was counted."""
        return self._native.ownership

    def move_to(self, state: Any, actions: Sequence[Action], rng: _core.Rng) -> bool:  # noqa: ANN401
        """Goes on from a state that `actions` lead to from the present root.

        What is memorised below it stays, as the setting between_moves says. False: nothing was, the search begins anew.
        """
        self._check_path(state, actions)
        native = self._hold(self._game, state)
        self._state = state
        if self.settings.between_moves == "discard":
            self._native = self._planted(native, rng)
            return False
        is_known = self._native.move_root(native, list(actions), rng)
        if is_known and self.settings.between_moves == "forget":
            self._native.forget(self.settings.forget_share)
        return is_known

    def _planted(self, root: _core.State, rng: _core.Rng) -> _core.TreeMemory:
        options = self.settings.to_native(root.facts, self._policy, self._shapes)
        native = _core.tree_search(root, options, rng, *self._heuristics)
        native.keep_ownership(self._keeps_ownership)
        return native

    def _check_path(self, state: Any, actions: Sequence[Action]) -> None:  # noqa: ANN401
        """Do the actions lead to the state? After chance, and where states cannot be compared, nobody knows."""
        if not self._facts.deterministic:
            return
        reached = self._state
        for action in actions:
            reached, _ = self._game.play(reached, action)
        if is_same_state(self._game, reached, state) is False:
            text = getattr(self._game, "format_state", repr)
            raise InvalidArgumentError(
                f"the actions {list(actions)} lead from the root to\n{text(reached)}\nand not to\n{text(state)}"
            )

    def best(self, rng: _core.Rng) -> Action:
        """The answer, as the setting final_move says; ties are broken uniformly at random.

        By value, an action that was never tried is worth V_init (Vodopivec 7.1); with RAVE it is no answer.
        """
        if self.settings.final_move == "visits":
            return self.best_by_visits(rng)
        if self.settings.rave != "none":
            return self.best_by_value(rng)
        return self._best(self.value_to_play, rng)

    def ranked(self) -> list[TreeNode]:
        """What is known of the actions that were tried at the root, the best first, as the setting final_move says."""
        by_visits = self.settings.final_move == "visits"

        def rank(node: TreeNode) -> tuple[float, float]:
            value = self._facts.value_for(self._to_play, node.combined)
            return (node.visits, value) if by_visits else (value, node.visits)

        return sorted(self.tree.root.children(), key=rank, reverse=True) if self.simulations else []
