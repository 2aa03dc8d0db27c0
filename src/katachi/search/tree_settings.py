"""The settings of the one tree search, and the algorithms of the sources as points among them.

Sections are of Vodopivec (2018) where nothing else is said; 8.1 to 8.8 of RAVE and priors are of Silver (2009).
Every setting can be combined with every other, but for the few that contradict each other; those are refused by name.
The native twin is cpp/search/tree_options.hpp.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from katachi._core import GameFacts, KeyKind, Policy, ShapeEvaluator, TreeSearchOptions, rave_weight
from katachi.core.errors import InvalidArgumentError, ParseError, UnknownNameError
from katachi.core.settings import Settings, did_you_mean
from katachi.policies.playout_policies import PlayoutPolicy, check_weights_are_used
from katachi.policies.policy_text import canonical_policy
from katachi.values.weights_reader import SHIPPED

__all__ = ["BY_SHAPES", "PRESETS", "TreeSearchSettings", "preset"]

_MOST_STEPS = 100_000  # of an episode (cpp/games/game_state.hpp)
_LARGEST_VALUE = 1e100  # cpp/search/tree_options.hpp
_NOT_NATIVE = frozenset(("final_move", "between_moves", "forget_share", "weights"))
BY_SHAPES = ("shapes", "shapes-or-handcrafted")  # priors that weights of local shapes are for
_OWN_POLICIES = ("weighted", "mast", "heuristic")  # they need what only a tree search has


def _canonical_playout_policy(text: str) -> str:
    if text in _OWN_POLICIES:
        return text
    try:
        return canonical_policy(text)
    except ParseError as error:
        raise ValueError(f"{error} (of a tree search also {', '.join(_OWN_POLICIES)})") from None


class TreeSearchSettings(Settings):
    """A learning rule, a control policy, a representation, and what is assumed beyond it."""

    model_config = ConfigDict(populate_by_name=True)

    # Learning
    learner: Literal["monte-carlo", "td", "q-naive", "q-watkins", "max", "mixed"] = Field(
        default="monte-carlo",
        description="monte-carlo: mean returns (3.5). td: TD(lambda), Sarsa (4.3). q-naive, q-watkins: Q(lambda) "
        "(3.4). max, mixed: the best action's value, alone or mixed with the mean (3.7).",
    )
    lambda_: float = Field(
        default=1.0, ge=0, le=1, alias="lambda", description="Decay of eligibility traces; of td and Q(lambda)."
    )
    lambda_rise: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description="lambda of episode i of a search is 1 - (1 - lambda) (1 - lambda_rise)^i: it rises to 1 with the "
        "budget (8.2 suggests to adapt it; ours).",
    )
    gamma: float = Field(default=1.0, ge=0, le=1, description="Discount of rewards (4.5).")
    step_size: Literal["visits", "episodes", "constant", "linear", "exponential"] = Field(
        default="visits",
        description="alpha: 1/n, 1/n_e, step, step - step_decay (n - 1), step * step_decay^(n - 1) (4.5).",
    )
    step: float = Field(default=1.0, gt=0, le=1, description="alpha, or its first value.")
    step_decay: float = Field(default=0.0, ge=0, le=1, description="How alpha falls; of linear and exponential.")
    step_prior: float = Field(default=0.0, ge=0, description="n_0 in 1/(n + n_0): how long V_init is remembered (4.5).")
    timing: Literal["offline", "in-place", "online"] = Field(
        default="offline", description="When values change: after an episode, after it in place, at every step (4.6.1)."
    )
    visit_mode: Literal["every", "first", "replacing"] = Field(
        default="every", description="What a state learns that occurs twice in an episode of a graph (3.4, 4.6.4)."
    )
    convention: Literal["afterstate", "state"] = Field(
        default="afterstate", description="Does V(s) contain the reward of entering s? (4.3; `state`: 6.3)"
    )
    plies: Literal[1, 2] = Field(
        default=1, description="TD errors to the next state, or to the next one of the same player (8.2)."
    )
    reward_timing: Literal["timed", "final-sum"] = Field(
        default="timed", description="Rewards when they come, or their sum at the end of the episode (4.6.3)."
    )
    cut_rule: Literal["back-up", "drop"] = Field(
        default="back-up",
        description="An episode that the budget cuts: learn from it with V_playout at its end, or not.",
    )
    horizon: int | None = Field(
        default=None, ge=1, le=_MOST_STEPS, description="Episodes end after so many steps (7.2)."
    )
    mix: float = Field(default=0.5, ge=0, le=1, description="Of the mixed backup: the weight of the best action.")

    # Control
    control: Literal["ucb1", "epsilon-greedy", "softmax", "greedy", "random"] = Field(
        default="ucb1", description="How actions are chosen where values are memorised (2.3, 3.4)."
    )
    c_p: float = Field(default=1.0, ge=0, description="C_p of UCB1 (2.3: 1 for values from 0 to 1).")
    ucb_form: Literal["thesis", "no-two", "fuego"] = Field(
        default="thesis",
        description="C_p sqrt(2 ln N / n); without the 2; or C_p sqrt(ln N / (n + 1)) (Silver 2009, 3.4 and 6.9).",
    )
    parent_count: Literal["children", "node"] = Field(
        default="children", description="N of UCB1: the visits of all actions, or of the node (4.3)."
    )
    first_play_urgency: float | Literal["first"] = Field(
        default="first", description="The score of untried actions, for values from 0 to 1; first: they come first."
    )
    epsilon: float = Field(default=0.1, ge=0, le=1, description="Of epsilon-greedy (6.1: 0.1).")
    epsilon_decay: Literal["none", "linear", "exponential"] = Field(
        default="none", description="epsilon falls to 0 over the budget (6.1), or by epsilon_factor each episode."
    )
    epsilon_factor: float = Field(default=1.0, gt=0, le=1, description="Of the exponential decay.")
    temperature: float = Field(default=1.0, gt=0, description="Of softmax (Silver 2009, 2.8).")
    tie_tolerance: float = Field(default=1e-9, ge=0, description="Scores so near to the best are ties.")
    opponent: Literal["adversary", "cooperative", "greedy", "random"] = Field(
        default="adversary", description="How the opponent of the searching player chooses (4.3)."
    )

    # Sharing between actions (docs/mc_rave.md)
    rave: Literal["none", "rave", "mc-rave", "uct-rave", "uct-rave-2007"] = Field(
        default="none",
        description="What UCB1 makes of all moves as first: nothing; their value alone (Silver 8.3); mixed with V, "
        "without an exploration bonus (8.4); with it (8.4.1); with one on RAVE counts, too (Gelly and Silver 2007). "
        "Other control policies take the value.",
    )
    rave_moves: Literal["all", "first"] = Field(
        default="all",
        description="Which later moves count as first: all of the player's (Silver 8.3), or those that the opponent "
        "did not make before (ours): in Go, first stones at a point.",
    )
    rave_schedule: Literal["hand-selected", "min-mse"] = Field(
        default="hand-selected",
        description="beta, the share of the RAVE value: sqrt(k / (3 N(s) + k)) (Silver 8.4.2), or "
        "n~ / (n + n~ + 4 n n~ b^2) (8.4.3).",
    )
    rave_k: float = Field(
        default=1000.0, ge=0, le=1e9, description="k: where N(s) = k both values count the same (8.4.2: 1000 and more)."
    )
    rave_bias: float = Field(
        default=0.03,
        ge=0,
        le=1e3,
        description="b: how wrong RAVE values are in the end (8.4.3; tuned there, the value is not told: ours).",
    )
    prior: Literal["none", "even", "grandfather", "handcrafted", "shapes", "shapes-or-handcrafted", "heuristic"] = (
        Field(
            default="none",
            description="H(s, a), what the actions of a new node begin with (Silver 8.6): the middle of the game's "
            "bounds; V of the same action two plies before; in Go by the rules of mogo (of fuego, if that plays), by "
            "local shapes, or by shapes where there are weights and by rules elsewhere; heuristic: the function given "
            "to the search.",
        )
    )
    prior_count: float = Field(
        default=50.0, ge=0, le=1e9, description="M: the RAVE returns that H is worth (8.6: 50 for local shapes)."
    )
    prior_visits: float = Field(
        default=0.0, ge=0, le=1e9, description="C: the visits that H is worth (8.5; Gelly and Silver 2008: 0)."
    )
    prior_rules: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="w: a prior by local shapes is (1 - w) shapes + w handcrafted (ours); other priors have none.",
    )

    # Normalisation
    normalisation: Literal["none", "known", "observed", "local", "local-branch", "local-return"] = Field(
        default="known",
        description="Values are scaled to 0..1 for the control policy by the game's bounds (by the observed ones if it "
        "has none), by those observed, or by those of the state's successors: space-local (4.4).",
    )
    global_source: Literal["running-return", "episode-return", "delta-sum", "target"] = Field(
        default="running-return", description="What the observed bounds are of (4.4)."
    )
    bounds_include_init: bool = Field(
        default=True, description="Is V_init of a successor that is not memorised within the local bounds? (6.1)"
    )
    unscaled: Literal["raw", "random"] = Field(
        default="raw", description="While there are no bounds: values as they are, or a random choice."
    )

    # Representation
    structure: Literal["tree", "graph", "fixed"] = Field(
        default="tree",
        description="Sequences of actions; states by their keys; the same with all states from the start.",
    )
    transitions: Literal["open-loop", "observed"] = Field(
        default="open-loop",
        description="In a tree, after chance: one node for an action, or one for each outcome (4.3).",
    )
    graph_counts: Literal["node", "edge"] = Field(
        default="node", description="Visits of an action in a graph: of the state, or of the edge (UCT2) (4.6.4)."
    )
    new_nodes: int | Literal["all"] = Field(
        default=1, description="States memorised per episode: 1 and more, or all (6.1)."
    )
    memory: float = Field(
        default=1024.0, ge=4, le=1e9, description="Cap on what is memorised, in megabytes (2^20 bytes), from 4."
    )
    when_full: Literal["stop-expanding", "stop", "collect"] = Field(
        default="stop-expanding",
        description="What happens at the cap; collect: the least visited half of a tree is forgotten, and grows anew.",
    )
    expansion: Literal["node", "all-children"] = Field(
        default="node",
        description="Where an action of a node is untried: the control policy chooses, or the playout policy, which "
        "goes on to the end (Gelly and Silver 2008).",
    )
    between_moves: Literal["keep", "discard", "forget"] = Field(
        default="keep", description="What a player does with its memory after a move (4.1)."
    )
    forget_share: float = Field(default=0.5, gt=0, lt=1, description="Of forget: the share of counts that stays (7.2).")

    # Beyond the memorised part
    v_init: float | Literal["neutral", "heuristic"] = Field(
        default="neutral",
        description="V_init for the searching player: a number; neutral: the middle of the game's bounds for two "
        "players, 0 for one; heuristic: the value function given to the search (4.5).",
    )
    playout_policy: Annotated[str, AfterValidator(_canonical_playout_policy)] = Field(
        default="uniform",
        description="uniform; weighted: random weights per episode (7.2); mast: by mean returns of actions; heuristic: "
        "given; in Go also mogo, fuego, greedy(EPSILON) and others (Silver 2009, 4.6.3, 6.9 and 9.2; "
        "docs/playout_policies.md).",
    )
    weights: str = Field(
        default=SHIPPED,
        min_length=1,
        description="Of learnt playout policies and prior=shapes: a file (katachi train), or shipped: those of the "
        "package.",
    )
    v_playout: (
        float
        | Literal[
            "initial", "last-memorised", "leaf-over-gamma", "converged-next", "memory", "heuristic", "leaf-terminal"
        ]
    ) = Field(default="initial", description="V_playout for the searching player (4.1, 4.5).")
    mast_temperature: float = Field(default=1.0, gt=0, description="Of the MAST playout policy.")

    threads: int = Field(
        default=1,
        ge=1,
        le=64,
        description="Searching one tree together, without waiting for each other; one is reproducible.",
    )

    # The answer
    final_move: Literal["value", "visits"] = Field(
        default="value",
        description="The action with the highest value (with RAVE's share, Silver 8.6), or with the most visits (7.1, "
        "7.2). By value a search without exploration may end on an action that was lucky once.",
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        means = self.learner in ("monte-carlo", "max", "mixed")
        two_ply = self.plies == 2
        for is_wrong, text in (
            (means and (self.lambda_ != 1 or self.lambda_rise != 0), "lambda is for td and Q(lambda)"),
            (means and self.timing != "offline", "only td and Q(lambda) learn online or in place"),
            (
                isinstance(self.new_nodes, int) and not 1 <= self.new_nodes <= _MOST_STEPS,
                f"new_nodes is from 1 to {_MOST_STEPS}, or all, not {self.new_nodes}",
            ),
            *(
                (
                    isinstance(value, float) and not abs(value) <= _LARGEST_VALUE,
                    f"{name} is from {-_LARGEST_VALUE:g} to {_LARGEST_VALUE:g}, not {value}",
                )
                for name, value in (
                    ("v_init", self.v_init),
                    ("v_playout", self.v_playout),
                    ("first_play_urgency", self.first_play_urgency),
                    ("c_p", self.c_p),
                )
            ),
            (
                self.step_size in ("linear", "exponential") and self.step_decay == 0,
                f"step_size={self.step_size} needs a step_decay above 0",
            ),
            (
                self.epsilon_decay == "exponential" and self.epsilon_factor == 1,
                "epsilon_decay=exponential needs an epsilon_factor below 1",
            ),
            (
                self.visit_mode != "every" and self.step_size == "visits",
                f"visit_mode={self.visit_mode} learns once in an episode: step_size=episodes fits it, visits does not",
            ),
            (
                self.visit_mode != "every" and self.timing == "in-place",
                f"visit_mode={self.visit_mode} is learnt offline or online, not in place",
            ),
            (two_ply and self.learner != "td", "two-ply errors are for learner=td"),
            (two_ply and self.timing != "offline", "two-ply errors are learnt offline"),
            (two_ply and self.convention == "state", "two-ply errors are for afterstates"),
            (two_ply and self.visit_mode != "every", "two-ply errors are learnt at every visit"),
            (self.convention == "state" and self.learner in ("max", "mixed"), "max backups are for afterstates"),
            (self.convention == "state" and self.reward_timing == "final-sum", "final-sum is for afterstates"),
            (self.timing == "online" and self.cut_rule == "drop", "what is learnt online cannot be dropped"),
            (self.timing == "online" and self.v_playout == "converged-next", "converged-next is not known online"),
            (self.transitions == "observed" and self.structure != "tree", "observed outcomes are for trees"),
            (self.v_playout == "leaf-over-gamma" and self.gamma == 0, "leaf-over-gamma needs gamma above 0"),
            (self.rave != "none" and self.structure != "tree", f"rave={self.rave} is for trees"),
            (self.when_full == "collect" and self.structure != "tree", "when_full=collect is for trees"),
            *(
                (self.threads > 1 and rule, f"threads={self.threads} are for {name}")
                for name, rule in (
                    ("trees", self.structure != "tree"),
                    ("learner=monte-carlo or td", self.learner not in ("monte-carlo", "td")),
                    ("afterstates with one-ply errors", self.convention == "state" or two_ply),
                    ("normalisation=known or none", self.normalisation not in ("known", "none")),
                    ("observed returns", self.global_source not in ("running-return", "episode-return")),
                    ("playouts that learn nothing", self.playout_policy == "mast" or self.v_playout == "memory"),
                    (
                        "what needs no Python: no heuristic",
                        self.needs_value or "heuristic" in (self.playout_policy, self.prior),
                    ),
                )
            ),
            (self.expansion != "node" and self.structure != "tree", f"expansion={self.expansion} is for trees"),
            (
                self.expansion != "node" and (self.rave != "none" or self.prior != "none"),
                f"expansion={self.expansion} leaves untried actions to the playout policy: RAVE and priors need node",
            ),
            (self.prior != "none" and self.structure != "tree", f"prior={self.prior} is for trees"),
            (
                self.prior != "none" and self.rave == "none" and self.prior_visits == 0,
                f"prior={self.prior} counts for nothing: give prior_visits above 0, or RAVE",
            ),
            *(
                (self.prior != "none" and self.prior_visits > 0 and rule, f"prior_visits are for {name}")
                for name, rule in (
                    ("v_init=neutral or a number: actions have one first value", self.v_init == "heuristic"),
                    ("afterstates", self.convention == "state"),
                )
            ),
            *(
                (
                    rule and self._records_playouts,
                    f"{name} is for trees of afterstates with one-ply errors, without MAST",
                )
                for name, rule in (
                    ("leaf-terminal", self.v_playout == "leaf-terminal"),
                    # The value of a playout's state number k is leaf / gamma^k, which grows without bound.
                    ("leaf-over-gamma", self.v_playout == "leaf-over-gamma" and self.gamma < 1),
                )
            ),
        ):
            if is_wrong:
                raise ValueError(text)
        if self.prior not in BY_SHAPES:
            check_weights_are_used(self._default_policy, self.weights)
        return self

    @property
    def _records_playouts(self) -> bool:
        return (
            self.structure != "tree"
            or self.plies == 2
            or self.convention == "state"
            or self.playout_policy == "mast"
            or self.v_init == "heuristic"
        )

    @property
    def default_policy(self) -> PlayoutPolicy:
        """Of those that play a whole game by themselves the one that is asked for; uniform if none is."""
        return PlayoutPolicy(self._default_policy, self.weights)

    @property
    def _default_policy(self) -> str:
        return "uniform" if self.playout_policy in _OWN_POLICIES else self.playout_policy

    @property
    def needs_value(self) -> bool:
        """Must a value function be given?"""
        return "heuristic" in (self.v_init, self.v_playout)

    def rave_weight(self, visits: float, rave_count: float, parent_visits: float) -> float:
        """beta: the share of an action's RAVE value, by n(s, a), n~(s, a) and N(s)."""
        return rave_weight(self._options(), visits, rave_count, parent_visits)

    def check_game(self, facts: GameFacts, name: str) -> None:
        """Raises if a game cannot be searched so."""
        if self.prior != "none" and not facts.deterministic:
            raise InvalidArgumentError(f"prior={self.prior} is for games without chance, unlike {name}")
        if self.threads > 1 and not facts.deterministic:
            raise InvalidArgumentError(f"threads={self.threads} are for games without chance, unlike {name}")
        if self.threads > 1 and self.normalisation == "known" and facts.return_bounds is None:
            raise InvalidArgumentError(f"threads={self.threads} need the bounds of returns, and {name} has none")
        if self.structure != "tree":
            if facts.key == KeyKind.NONE:
                raise InvalidArgumentError(
                    f"structure={self.structure} finds states by their keys, and {name} has none"
                )
            if not facts.deterministic:
                raise InvalidArgumentError(f"structure={self.structure} is for games without chance, unlike {name}")
        if self.learner in ("max", "mixed") and not facts.deterministic and self.transitions != "observed":
            raise InvalidArgumentError(
                f"learner={self.learner} in a game of chance, {name}, needs transitions=observed"
            )
        if self.transitions == "observed" and not facts.deterministic and facts.key == KeyKind.NONE:
            raise InvalidArgumentError(f"transitions=observed tells outcomes by their keys, and {name} has none")

    def to_native(
        self, facts: GameFacts, policy: Policy | None = None, shapes: ShapeEvaluator | None = None
    ) -> TreeSearchOptions:
        """What native code takes, for a game.

        `policy` is `default_policy` of that game, if it is not uniform, and `shapes` are those of the prior.
        """
        options = self._options()
        options.v_init = self._initial(facts)
        options.prior_shapes = shapes
        if policy is not None:
            options.policy = policy
        return options

    def _options(self) -> TreeSearchOptions:
        """What does not depend on the game."""
        options = TreeSearchOptions()
        values: dict[str, Any] = {
            name: getattr(self, name)
            for name in TreeSearchSettings.model_fields
            if name not in _NOT_NATIVE and name != "v_init"
        }
        values["new_nodes"] = None if self.new_nodes == "all" else self.new_nodes
        values["first_play_urgency"] = None if self.first_play_urgency == "first" else self.first_play_urgency
        if isinstance(self.v_playout, float):
            values["v_playout"], values["playout_constant"] = "constant", self.v_playout
        values["playout_policy"] = self.playout_policy if self.playout_policy in _OWN_POLICIES else "policy"
        for name, value in values.items():
            setattr(options, name, value)
        return options

    def _initial(self, facts: GameFacts) -> float | None:
        if self.v_init == "heuristic":
            return None
        if self.v_init == "neutral":
            return sum(facts.return_bounds) / 2 if facts.players == 2 and facts.return_bounds is not None else 0.0
        return float(self.v_init)


_ENGINE = {"playout_policy": "mogo", "when_full": "collect", "final_move": "visits"}
# The algorithms of the sources. A value that a source tunes for each task (lambda, C_p) is ours: a place to start from.
PRESETS: dict[str, dict[str, Any]] = {
    # One node per episode, the final outcome for all (Vodopivec 2.3: the usual UCT; C_p = 1).
    "uct": {"reward_timing": "final-sum"},
    # Kocsis and Szepesvari (2006), as in Vodopivec 2.3: all states memorised, by their keys; returns from each on.
    "uct-original": {"structure": "graph", "new_nodes": "all"},
    # Silver 6.9, as Fuego has it: bound mean + sqrt(ln N / (n + 1)), first-play urgency 1, the most visited move.
    "uct-vanilla": {
        "reward_timing": "final-sum",
        "ucb_form": "fuego",
        "parent_count": "node",
        "first_play_urgency": 1.0,
        "final_move": "visits",
    },
    # On-policy first-visit Monte-Carlo control (Vodopivec 3.4), on all states that were met.
    "mc-control": {
        "structure": "fixed",
        "control": "epsilon-greedy",
        "visit_mode": "first",
        "step_size": "episodes",
    },
    # Tabular Sarsa(lambda) with replacing traces (Vodopivec 3.5, 6.1). lambda is tuned there.
    "sarsa": {
        "learner": "td",
        "lambda": 0.8,
        "structure": "fixed",
        "control": "epsilon-greedy",
        "visit_mode": "replacing",
        "step_size": "episodes",
    },
    # RAVE alone (Silver 8.3). This one and the next have MoGo's playouts, as there, and may fill their memory.
    "rave": {"rave": "rave", **_ENGINE},
    # Silver 8.4: k = 1000 and no exploration, which were best there.
    "mc-rave": {"rave": "mc-rave", **_ENGINE},
    # Silver 8.4.1: bound c sqrt(ln N / n). The best c was 0, which is mc-rave; 0.1 is ours.
    "uct-rave": {"rave": "uct-rave", "ucb_form": "no-two", "c_p": 0.1, **_ENGINE},
    # Silver 8.6: M = 50 by local shapes; where no weights are shipped, by MoGo's rules.
    "heuristic-mc-rave": {"rave": "mc-rave", "prior": "shapes-or-handcrafted", **_ENGINE},
    # Ours, for the engine; where the values come from is told in docs/mc_rave.md, Strength.
    "tournament": {
        "rave": "mc-rave",
        "rave_moves": "first",
        "rave_schedule": "min-mse",
        "rave_bias": 0.02,
        "prior": "shapes-or-handcrafted",
        "prior_rules": 0.3,
        **_ENGINE,
        "playout_policy": "fuego",
    },
    # Vodopivec 4.3, Algorithm 1. lambda is tuned there (0.65 to 0.95 at 1,000 steps per move).
    "sarsa-uct": {"learner": "td", "lambda": 0.8},
}  # fmt: skip


def preset(name: str, **changes: Any) -> TreeSearchSettings:  # noqa: ANN401
    """The settings of a known algorithm, some of them changed: `preset("sarsa-uct", lambda_=0.95)`."""
    if name not in PRESETS:
        raise UnknownNameError(f"there is no preset called {name!r}: {did_you_mean(name, PRESETS)}")
    if "lambda_" in changes:
        changes["lambda"] = changes.pop("lambda_")
    return TreeSearchSettings(**{**PRESETS[name], **changes})
