"""
The native core of Katachi. Use it through the packages around it: katachi.games, katachi.search, …
"""

import enum
from collections.abc import Sequence
from typing import Annotated, Any, NoReturn, SupportsIndex, overload

import numpy
from numpy.typing import NDArray

def build_info() -> tuple[str, str]:
    """(compiler, flags) of this build."""

def calibrate(steps: int) -> int:
    """
    A fixed loop of arithmetic, for comparing machines: draws that many random numbers and returns their sum.
    """

def pass_around(rounds: int) -> None:
    """
    Two threads hand a number to each other and back, that many times: how far apart their cores are.
    """

class Player(enum.IntEnum):
    """Player 0 is Black, or the first, or the only player."""

    BLACK = 0

    WHITE = 1

    @property
    def opponent(self) -> Player:
        """The other player."""

class Rng:
    """
    The one random generator (xoshiro256++, seeded through SplitMix64). Pass it to whatever needs chance;
    `split` it by name for independent streams.
    """

    def __init__(self, seed: SupportsIndex) -> None: ...
    def next(self) -> int:
        """The next 64 random bits."""

    def below(self, bound: int) -> int:
        """A whole number, uniform on [0, bound)."""

    def uniform(self) -> float:
        """A float, uniform on [0, 1)."""

    def normal(self) -> float:
        """A float, normally distributed: mean 0, variance 1."""

    def choice(self, items: Sequence[Any]) -> Any:
        """An item of a sequence, each equally likely."""

    def split(self, name: str, index: int = 0) -> Rng:
        """An independent generator for (name, index). This one does not advance."""

    @property
    def state(self) -> list[int]:
        """The four words of state."""

    @staticmethod
    def from_state(state: Sequence[int]) -> Rng: ...
    def __eq__(self, other: object | None) -> bool: ...
    def __getstate__(self) -> list[int]: ...
    def __setstate__(self, state: Sequence[int]) -> None: ...
    def __hash__(self) -> NoReturn: ...
    def __copy__(self) -> Rng: ...
    def __deepcopy__(self, memo: object) -> Rng: ...
    def __repr__(self) -> str: ...

class KeyKind(enum.Enum):
    """How far the key of a state can be trusted."""

    NONE = 0
    """There is no key."""

    APPROXIMATE = 1
    """Equal keys: treating the states as one is reasonable."""

    EXACT = 2
    """Equal keys: equal futures, up to collisions of 64 bits."""

class GameFacts:
    """What does not change during a game."""

    def __init__(
        self,
        *,
        players: int,
        action_space: int,
        return_bounds: tuple[float, float] | None = None,
        max_length: int | None = None,
        deterministic: bool = True,
        key: KeyKind = KeyKind.NONE,
        final_reward: bool = False,
    ) -> None: ...
    @property
    def players(self) -> int:
        """1, or 2 with constant sum."""

    @property
    def action_space(self) -> int:
        """Actions are the numbers below this."""

    @property
    def return_bounds(self) -> tuple[float, float] | None:
        """Lowest and highest return of player 0, or None."""

    @property
    def max_length(self) -> int | None:
        """The most steps that a game can take, or None."""

    @property
    def deterministic(self) -> bool:
        """False: play needs an Rng."""

    @property
    def key(self) -> KeyKind: ...
    @property
    def final_reward(self) -> bool:
        """True: only the last step of a game earns anything."""

    def value_for(self, player: Player, value: float) -> float:
        """
        A value of player 0 as `player` sees it, and back. The only place where a value changes sides.
        """

    def __eq__(self, other: object | None) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class PlayoutBatch:
    """Many playouts from one state."""

    def run(self, progress: object | None = None) -> bool: ...
    @property
    def done(self) -> int:
        """How many have been played."""

    @property
    def steps(self) -> int:
        """Steps of all of them."""

    @property
    def cut(self) -> int:
        """How many met the length cap."""

    @property
    def total(self) -> float:
        """The sum of their returns, player 0's."""

class State:
    """
    One state of some game, native or not, as searches and playouts take it. Immutable.
    """

    @property
    def facts(self) -> GameFacts: ...
    @property
    def to_play(self) -> Player: ...
    @property
    def is_terminal(self) -> bool: ...
    @property
    def key(self) -> int: ...
    def legal_actions(self) -> list[int]:
        """By the rules, ascending; empty when the game is over."""

    def candidates(self) -> list[int]:
        """What searches and playouts consider."""

    def only(self, actions: Sequence[int]) -> State:
        """
        The same state, in which searches and playouts may begin with these actions only: legal ones, each once.
        """

    def play(self, action: int, rng: Rng | None = None) -> tuple[State, float]:
        """
        (next state, reward of player 0). Illegal actions raise IllegalMoveError.
        """

    def uniform_playout(self, rng: Rng, most_steps: int = 100000) -> tuple[float, int, bool]:
        """
        One uniform playout: (return of player 0, steps, was it cut?). The generator moves on as in a batch.
        """

    def watched_playout(self, rng: Rng, most_steps: int = 100000) -> tuple[float, list[tuple[Player, int]], bool]:
        """
        One uniform playout of a search with RAVE: (return of player 0, its steps, was it cut?).
        """

    def playouts(self, count: int, rng: Rng, policy: str | Policy = "uniform") -> PlayoutBatch:
        """A batch of playouts; call its run()."""

    def has_policy(self, policy: str | Policy) -> bool:
        """Can this game be played out so?"""

    def policy_action(self, policy: str | Policy, rng: Rng) -> int:
        """What a playout policy plays here."""

    def policy_moves(self, policy: str | Policy) -> tuple[str, list[tuple[int, float]]]:
        """
        (the deciding stage, [(action, probability), …]): what a playout policy may play here.
        """

    def is_same_kind(self, other: State) -> bool:
        """Is the other one a state of the same game, whatever its size?"""

    def __str__(self) -> str: ...

def tic_tac_toe() -> State:
    """The empty board of tic-tac-toe."""

def pig(target: int) -> State:
    """The beginning of a game of Pig."""

def connect_four() -> State:
    """The empty board of connect four."""

def gomoku(size: int, line: int) -> State:
    """The empty board of Gomoku."""

def hex(size: int) -> State:
    """The empty board of Hex."""

def random_walk(size: int, cap: int) -> State:
    """The middle of a random walk."""

def shortest_walk(size: int, cap: int) -> State:
    """The middle of a shortest walk."""

def explicit_tree(root: object, players: int = 2) -> State:
    """The root of a hand-written tree: nested lists, numbers at the leaves."""

def python_state(facts: GameFacts, game: object, state: object) -> State:
    """A state of a game written in Python."""

def python_object(state: State) -> object:
    """The Python state inside, or None for a native one."""

class Ko(enum.Enum):
    SIMPLE = 0

    POSITIONAL = 1

    SITUATIONAL = 2

class HandicapBonus(enum.Enum):
    NONE = 0

    STONES = 1

    STONES_LESS_ONE = 2

class EyeRule(enum.Enum):
    """What a simulation does not fill."""

    SIMPLE = 0
    """
    Own neighbours, and fewer than two enemies on the diagonals (none at the edge).
    """

    SURROUNDED = 1
    """Own neighbours, none of their chains in atari."""

    STRICT = 2
    """Own neighbours."""

    NONE = 3
    """Nothing is an eye, and a pass is always a candidate."""

class Rules:
    """
    The parts of a rule set that the core acts on; see katachi.games.go.Rules.
    """

    def __init__(self, *, ko: Ko, suicide: bool, komi: float, handicap_bonus: HandicapBonus) -> None: ...
    @property
    def ko(self) -> Ko: ...
    @property
    def suicide(self) -> bool: ...
    @property
    def komi(self) -> float: ...
    @property
    def handicap_bonus(self) -> HandicapBonus: ...

class Position:
    """
    A Go position with rules and history. Immutable; see katachi.games.go.Position.
    """

    def __init__(self, width: int, height: int, rules: Rules) -> None: ...
    @staticmethod
    def set_up(
        width: int,
        height: int,
        rules: Rules,
        *,
        black: Sequence[int],
        white: Sequence[int],
        to_play: Player,
        ko: int | None = None,
        passes: int = 0,
        handicap: int = 0,
    ) -> Position: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def to_play(self) -> Player: ...
    @property
    def passes(self) -> int: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def handicap(self) -> int: ...
    @property
    def turned_plies(self) -> list[int]: ...
    @property
    def movers(self) -> list[Player]: ...
    @property
    def moves(self) -> list[int]: ...
    @property
    def last_removed(self) -> list[int]: ...
    @property
    def ko(self) -> int | None: ...
    @property
    def key(self) -> int: ...
    @property
    def stones_key(self) -> int: ...
    def stones(self) -> str:
        """One character a point, '.', 'X' or 'O', row by row from the top."""

    def snapshot(self, ply: int) -> tuple[str, Player, int | None, int]:
        """(stones, player to move, ko point, passes) after that many moves."""

    def captured(self, player: Player) -> int:
        """Stones of that player taken so far."""

    def illegality(self, action: int, player: Player | None = None) -> str | None:
        """Why an action is illegal, or None."""

    def legal_actions(self) -> list[int]: ...
    def candidates(self, eye_rule: EyeRule) -> list[int]: ...
    def is_eye(self, point: int, player: Player, rule: EyeRule) -> bool: ...
    def in_atari(self, point: int) -> bool: ...
    def last_liberty(self, point: int) -> int | None:
        """The only liberty of a chain in atari, or None."""

    def chain(self, point: int) -> list[int]:
        """
        The stones of the chain at a point, ascending; empty for an empty point.
        """

    def play(self, action: int, player: Player | None = None, forced: bool = False) -> Position:
        """
        The position after a move, of the player to move or of the one named; see Position::play_as.
        """

    def play_all(self, moves: Sequence[tuple[Player, int]], forced: bool = False) -> tuple[Position, int]:
        """
        The position after as many of these moves as are legal, and how many that are.
        """

    def turned_to(self, player: Player) -> Position:
        """
        The same stones and history with that player to move; see Position::turn_to.
        """

    def with_rules(self, rules: Rules, handicap: int) -> Position:
        """The same history under other rules from here on."""

    def start(self) -> Position: ...
    def undo(self) -> Position: ...
    def area_score(self) -> int: ...
    def score(self) -> float: ...
    def search_state(self, eye_rule: EyeRule, max_plies: int | None = None) -> State:
        """
        What a search or a playout starts from: simple ko, superko obeyed at the root.
        """

    def playout_moves(
        self, rng: Rng, eye_rule: EyeRule, max_plies: int | None = None, policy: str | Policy = "uniform"
    ) -> list[int]:
        """The moves of one playout."""

def board_bytes(width: int, height: int) -> int:
    """What a search copies."""

def count_sequences(position: Position, depth: int, progress: object | None = None) -> list[int] | None:
    """
    Move sequences of exactly 1, 2, …, depth plies; None if progress stopped it.
    """

def count_games(position: Position, progress: object | None = None) -> int | None:
    """
    Whole games from here, each ended by two passes; None if progress stopped it.
    """

def ownership(
    position: Position, playouts: int, eye_rule: EyeRule, rng: Rng, progress: object | None = None
) -> list[float] | None:
    """
    By point, how much more often Black than White held it after a playout, -1 to 1; None if progress stopped it.
    """

def count_positions(width: int, height: int, progress: object | None = None) -> int | None:
    """
    Legal positions: every chain has a liberty; None if progress stopped it.
    """

class Placements:
    """What one stone more changes of local shapes of 1x1 and 2x2."""

    def __init__(self, representation: ShapeRepresentation) -> None:
        """
        With an error for other shapes, other sharing, and weights by turn or stage.
        """

    @property
    def side(self) -> int: ...
    @property
    def weights(self) -> int:
        """How many there are."""

class FrozenPlacements:
    """Weights of softmax over local shapes, made ready for playouts."""

    def __init__(
        self,
        placements: Placements,
        weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...

class Policy:
    """
    What plays simulated games, as native code takes it; see katachi.policies.
    """

    @staticmethod
    def named(name: str) -> Policy:
        """uniform, mogo or fuego."""

    @staticmethod
    def learnt(name: str, number: float, shapes: ShapeEvaluator) -> Policy:
        """
        greedy(epsilon), gaussian(sd) or softmax(tau) over values of local shapes.
        """

    @staticmethod
    def softmax_shapes(placements: FrozenPlacements) -> Policy:
        """Softmax over local shapes."""

    @staticmethod
    def mix(parts: Sequence[tuple[float, Policy]]) -> Policy:
        """One of the parts at each move, by their shares."""

    @staticmethod
    def two_stages(moves: float, first: Policy, second: Policy) -> Policy:
        """The first for so many moves of a playout, then the second."""

    def __str__(self) -> str: ...

class Pattern:
    """A 3x3 pattern of playouts; see katachi.policies."""

    @staticmethod
    def parse(name: str, text: str) -> Pattern:
        """Three rows of three signs; blanks do not count."""

    @property
    def name(self) -> str: ...
    def matches(self, neighbourhood: str, to_play: Player) -> bool:
        """In any orientation and with either colour as X."""

    def __str__(self) -> str: ...

def playout_patterns() -> list[Pattern]:
    """Those that policies play by."""

def matches_any_pattern(neighbourhood: str, to_play: Player) -> bool:
    """
    By the table that policies read. A neighbourhood is nine of X (Black), O, '.' and '#', row by row.
    """

class RootAction:
    """What a search knows of one action at the root."""

    @property
    def action(self) -> int: ...
    @property
    def visits(self) -> int: ...
    @property
    def value(self) -> float:
        """Expected return of player 0, by these visits."""

    def __repr__(self) -> str: ...

class Search:
    """A search of one root state. It can be run again to go on."""

    def run(
        self,
        *,
        simulations: int | None = None,
        steps: int | None = None,
        seconds: float | None = None,
        progress: object | None = None,
    ) -> bool:
        """
        Searches until the first limit is reached (True) or progress returns False.
        """

    def root_actions(self) -> list[RootAction]: ...
    @property
    def simulations(self) -> int:
        """Simulations so far, over all runs."""

    @property
    def steps(self) -> int:
        """Simulated steps so far."""

def flat_monte_carlo(root: State, rng: Rng, policy: str | Policy = "uniform") -> Search: ...

class TreeSearchOptions:
    """
    The settings of a tree search, as native code takes them: katachi.search.tree_settings.
    """

    def __init__(self) -> None: ...
    @property
    def learner(self) -> str: ...
    @learner.setter
    def learner(self, arg: str, /) -> None: ...
    @property
    def step_size(self) -> str: ...
    @step_size.setter
    def step_size(self, arg: str, /) -> None: ...
    @property
    def timing(self) -> str: ...
    @timing.setter
    def timing(self, arg: str, /) -> None: ...
    @property
    def visit_mode(self) -> str: ...
    @visit_mode.setter
    def visit_mode(self, arg: str, /) -> None: ...
    @property
    def convention(self) -> str: ...
    @convention.setter
    def convention(self, arg: str, /) -> None: ...
    @property
    def reward_timing(self) -> str: ...
    @reward_timing.setter
    def reward_timing(self, arg: str, /) -> None: ...
    @property
    def cut_rule(self) -> str: ...
    @cut_rule.setter
    def cut_rule(self, arg: str, /) -> None: ...
    @property
    def control(self) -> str: ...
    @control.setter
    def control(self, arg: str, /) -> None: ...
    @property
    def ucb_form(self) -> str: ...
    @ucb_form.setter
    def ucb_form(self, arg: str, /) -> None: ...
    @property
    def parent_count(self) -> str: ...
    @parent_count.setter
    def parent_count(self, arg: str, /) -> None: ...
    @property
    def rave(self) -> str: ...
    @rave.setter
    def rave(self, arg: str, /) -> None: ...
    @property
    def rave_moves(self) -> str: ...
    @rave_moves.setter
    def rave_moves(self, arg: str, /) -> None: ...
    @property
    def rave_schedule(self) -> str: ...
    @rave_schedule.setter
    def rave_schedule(self, arg: str, /) -> None: ...
    @property
    def prior(self) -> str: ...
    @prior.setter
    def prior(self, arg: str, /) -> None: ...
    @property
    def expansion(self) -> str: ...
    @expansion.setter
    def expansion(self, arg: str, /) -> None: ...
    @property
    def epsilon_decay(self) -> str: ...
    @epsilon_decay.setter
    def epsilon_decay(self, arg: str, /) -> None: ...
    @property
    def opponent(self) -> str: ...
    @opponent.setter
    def opponent(self, arg: str, /) -> None: ...
    @property
    def normalisation(self) -> str: ...
    @normalisation.setter
    def normalisation(self, arg: str, /) -> None: ...
    @property
    def global_source(self) -> str: ...
    @global_source.setter
    def global_source(self, arg: str, /) -> None: ...
    @property
    def unscaled(self) -> str: ...
    @unscaled.setter
    def unscaled(self, arg: str, /) -> None: ...
    @property
    def structure(self) -> str: ...
    @structure.setter
    def structure(self, arg: str, /) -> None: ...
    @property
    def transitions(self) -> str: ...
    @transitions.setter
    def transitions(self, arg: str, /) -> None: ...
    @property
    def graph_counts(self) -> str: ...
    @graph_counts.setter
    def graph_counts(self, arg: str, /) -> None: ...
    @property
    def when_full(self) -> str: ...
    @when_full.setter
    def when_full(self, arg: str, /) -> None: ...
    @property
    def playout_policy(self) -> str: ...
    @playout_policy.setter
    def playout_policy(self, arg: str, /) -> None: ...
    @property
    def v_playout(self) -> str: ...
    @v_playout.setter
    def v_playout(self, arg: str, /) -> None: ...
    @property
    def policy(self) -> Policy: ...
    @policy.setter
    def policy(self, arg: Policy, /) -> None: ...
    @property
    def rave_k(self) -> float: ...
    @rave_k.setter
    def rave_k(self, arg: float, /) -> None: ...
    @property
    def rave_bias(self) -> float: ...
    @rave_bias.setter
    def rave_bias(self, arg: float, /) -> None: ...
    @property
    def prior_count(self) -> float: ...
    @prior_count.setter
    def prior_count(self, arg: float, /) -> None: ...
    @property
    def prior_visits(self) -> float: ...
    @prior_visits.setter
    def prior_visits(self, arg: float, /) -> None: ...
    @property
    def prior_rules(self) -> float: ...
    @prior_rules.setter
    def prior_rules(self, arg: float, /) -> None: ...
    @property
    def prior_shapes(self) -> ShapeEvaluator: ...
    @prior_shapes.setter
    def prior_shapes(self, arg: ShapeEvaluator | None, /) -> None: ...
    @property
    def lambda_rise(self) -> float: ...
    @lambda_rise.setter
    def lambda_rise(self, arg: float, /) -> None: ...
    @property
    def gamma(self) -> float: ...
    @gamma.setter
    def gamma(self, arg: float, /) -> None: ...
    @property
    def step(self) -> float: ...
    @step.setter
    def step(self, arg: float, /) -> None: ...
    @property
    def step_decay(self) -> float: ...
    @step_decay.setter
    def step_decay(self, arg: float, /) -> None: ...
    @property
    def step_prior(self) -> float: ...
    @step_prior.setter
    def step_prior(self, arg: float, /) -> None: ...
    @property
    def plies(self) -> int: ...
    @plies.setter
    def plies(self, arg: int, /) -> None: ...
    @property
    def horizon(self) -> int | None: ...
    @horizon.setter
    def horizon(self, arg: int | None, /) -> None: ...
    @property
    def mix(self) -> float: ...
    @mix.setter
    def mix(self, arg: float, /) -> None: ...
    @property
    def c_p(self) -> float: ...
    @c_p.setter
    def c_p(self, arg: float, /) -> None: ...
    @property
    def first_play_urgency(self) -> float | None: ...
    @first_play_urgency.setter
    def first_play_urgency(self, arg: float | None, /) -> None: ...
    @property
    def epsilon(self) -> float: ...
    @epsilon.setter
    def epsilon(self, arg: float, /) -> None: ...
    @property
    def epsilon_factor(self) -> float: ...
    @epsilon_factor.setter
    def epsilon_factor(self, arg: float, /) -> None: ...
    @property
    def temperature(self) -> float: ...
    @temperature.setter
    def temperature(self, arg: float, /) -> None: ...
    @property
    def tie_tolerance(self) -> float: ...
    @tie_tolerance.setter
    def tie_tolerance(self, arg: float, /) -> None: ...
    @property
    def bounds_include_init(self) -> bool: ...
    @bounds_include_init.setter
    def bounds_include_init(self, arg: bool, /) -> None: ...
    @property
    def new_nodes(self) -> int | None: ...
    @new_nodes.setter
    def new_nodes(self, arg: int | None, /) -> None: ...
    @property
    def memory(self) -> float: ...
    @memory.setter
    def memory(self, arg: float, /) -> None: ...
    @property
    def v_init(self) -> float | None: ...
    @v_init.setter
    def v_init(self, arg: float | None, /) -> None: ...
    @property
    def playout_constant(self) -> float: ...
    @playout_constant.setter
    def playout_constant(self, arg: float, /) -> None: ...
    @property
    def mast_temperature(self) -> float: ...
    @mast_temperature.setter
    def mast_temperature(self, arg: float, /) -> None: ...
    @property
    def threads(self) -> int: ...
    @threads.setter
    def threads(self, arg: int, /) -> None: ...

class NodeView:
    """What a tree search knows of a state."""

    @property
    def index(self) -> int: ...
    @property
    def action(self) -> int: ...
    @property
    def visits(self) -> int: ...
    @property
    def episodes(self) -> int: ...
    @property
    def value(self) -> float:
        """Expected return of player 0."""

    @property
    def combined(self) -> float:
        """The same with RAVE's share in it; of an action."""

    @property
    def rave(self) -> tuple[float, float] | None:
        """
        RAVE value of an action, player 0's, and its count; None while there is none.
        """

    @property
    def range(self) -> tuple[float, float] | None: ...

class Snapshot:
    """How a search stood after a number of steps."""

    @property
    def steps(self) -> int: ...
    @property
    def gain(self) -> float:
        """The rewards of all steps until then."""

    @property
    def actions(self) -> list[RootAction]:
        """Of the root, as of the last episode that had ended."""

class TreeMemory(Search):
    """A tree search and what it has memorised."""

    @property
    def root(self) -> int: ...
    def node(self, index: int) -> NodeView: ...
    def children(self, index: int) -> list[NodeView]: ...
    def root_priors(self) -> list[tuple[int, float]]:
        """
        What the prior says of the actions at the root, player 0's; empty without one, or where it depends on the way.
        """

    @property
    def bytes(self) -> int:
        """What its nodes take."""

    @property
    def nodes(self) -> int:
        """How many states are memorised."""

    def keep_ownership(self, keeps: bool) -> None:
        """In Go: counts from now on who holds which point when episodes end."""

    @property
    def ownership(self) -> list[float]:
        """By point, Black's share less White's; empty where nothing was counted."""

    @property
    def is_full(self) -> bool:
        """Has it met its memory cap?"""

    def watch(self, steps: Sequence[int]) -> None:
        """Snapshots will be taken after these numbers of steps."""

    @property
    def snapshots(self) -> list[Snapshot]: ...
    def forget(self, share: float) -> None: ...
    def move_root(self, state: State, path: Sequence[int], rng: Rng) -> bool:
        """
        Goes on from a state that the actions lead to. False: nothing was known of it.
        """

def tree_search(
    root: State,
    options: TreeSearchOptions,
    rng: Rng,
    value: object | None = None,
    weights: object | None = None,
    prior: object | None = None,
) -> TreeMemory: ...
def rave_weight(options: TreeSearchOptions, visits: float, rave_count: float, parent_visits: float) -> float:
    """beta: the share of the RAVE value of an action."""

class AlphaBetaSearch(Search):
    """Alpha-beta from one root state: what the last finished depth found."""

    @property
    def depth(self) -> int:
        """The depth that was finished; 0 before the first."""

    @property
    def value(self) -> float:
        """Return of player 0."""

    @property
    def line(self) -> list[int]:
        """The principal variation."""

    @property
    def is_exact(self) -> bool:
        """No leaf was evaluated: this is the value of the game."""

    @property
    def table_bytes(self) -> int:
        """What its table takes."""

class AlphaBetaOptions:
    """See katachi.search.alpha_beta.AlphaBetaSettings."""

    def __init__(self) -> None: ...
    @property
    def depth(self) -> int: ...
    @depth.setter
    def depth(self, arg: int, /) -> None: ...
    @property
    def is_iterative(self) -> bool: ...
    @is_iterative.setter
    def is_iterative(self, arg: bool, /) -> None: ...
    @property
    def legal_moves(self) -> bool: ...
    @legal_moves.setter
    def legal_moves(self, arg: bool, /) -> None: ...
    @property
    def all_root_values(self) -> bool: ...
    @all_root_values.setter
    def all_root_values(self, arg: bool, /) -> None: ...
    @property
    def table_bytes(self) -> int: ...
    @table_bytes.setter
    def table_bytes(self, arg: int, /) -> None: ...
    @property
    def killers(self) -> bool: ...
    @killers.setter
    def killers(self, arg: bool, /) -> None: ...
    @property
    def history(self) -> bool: ...
    @history.setter
    def history(self, arg: bool, /) -> None: ...
    @property
    def outlook(self) -> bool: ...
    @outlook.setter
    def outlook(self, arg: bool, /) -> None: ...
    @property
    def null_reduction(self) -> int: ...
    @null_reduction.setter
    def null_reduction(self, arg: int, /) -> None: ...

def alpha_beta(root: State, actions: Sequence[int], options: AlphaBetaOptions, evaluate: object) -> AlphaBetaSearch:
    """
    `evaluate`: a number, weights of local shapes, a network, or a function of a state as the game has it.
    """

class EndingVerdict(enum.Enum):
    """What has become of an attempt to solve an ending."""

    PROVEN = 0

    OUT_OF_NODES = 1

    SUPERKO = 2
    """Proven under simple ko, but superko may forbid a move of the proof."""

def solve_ending(
    position: Position, nodes: int, progress: object | None = None
) -> tuple[EndingVerdict, float, int, int] | None:
    """
    (verdict, Black's z if proven, depth in plies, nodes); None if progress stopped it. See katachi.search.endings.
    """

def safe_area(position: Position, player: Player) -> tuple[list[int], list[int]]:
    """
    Stones of a player that live for ever, and the single points between such stones.
    """

class Sharing(enum.Enum):
    """
    Which local shapes have one weight; see cpp/features/weight_sharing.hpp.
    """

    NONE = 0

    INVERSION = 1

    TURNED = 2

    ANYWHERE = 3

    DEPENDENT = 4

    INDEPENDENT = 5

class Turns(enum.Enum):
    """
    Vectors of weights: for all states, for each player to move, or both kinds.
    """

    BOTH = 0

    EACH = 1

    EACH_AND_BOTH = 2

class ShapeRepresentation:
    """
    Local shapes of a square board and how they share weights; see katachi.features.local_shapes.
    """

    def __init__(
        self,
        *,
        side: int,
        sizes: Sequence[tuple[int, int]],
        sharing: Sequence[Sharing],
        turns: Turns = Turns.BOTH,
        stage_length: int = 0,
    ) -> None: ...
    @staticmethod
    def none(side: int) -> ShapeRepresentation:
        """No shapes, for a search that has other features."""

    @property
    def side(self) -> int: ...
    @property
    def sizes(self) -> list[tuple[int, int]]:
        """(width, height) of each family."""

    @property
    def tables(self) -> list[Sharing]:
        """
        The schemes of its tables; where turns count, those of the player to move come first.
        """

    @property
    def features(self) -> int: ...
    @property
    def weights(self) -> int:
        """Of all stages."""

    @property
    def stages(self) -> int: ...
    @property
    def max_active(self) -> int:
        """Weights that can count in one state."""

    @property
    def windows(self) -> list[tuple[int, int, int, int, int, int]]:
        """(first feature, family, width, height, row, column) of each."""

    def features_of(self, family: int) -> int: ...
    def weights_of(self, family: int, table: int) -> int:
        """In one stage."""

    def first_weight(self, family: int, table: int) -> int:
        """In the first stage; a later one has + stage * weights / stages."""

    def window_of(self, feature: int) -> int: ...
    def stage(self, moves: int) -> int:
        """Of a state after so many moves."""

    def entries(
        self, table: int, to_play: Player = Player.BLACK
    ) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        By feature: +(weight + 1), -(weight + 1), or 0 for what has no weight; in the first stage.
        """

    def active(self, position: Position) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The entries that count in a position, window by window, without zeros."""

class ShapeWeights:
    """Weights of local shapes, zero at first."""

    def __init__(self, count: int, is_signed: bool = True) -> None:
        """Without signs they are for shapes that share no weight."""

    @property
    def count(self) -> int: ...
    @property
    def is_signed(self) -> bool: ...
    def values(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """A copy."""

    def assign(
        self, values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    ) -> None:
        """All of them."""

    def set(self, index: int, value: float) -> None: ...

class ShapeEvaluator:
    """
    Weights of local shapes that stay as they are, rounded a little so that sums are exact.
    """

    def __init__(
        self, representation: ShapeRepresentation, weights: ShapeWeights, linear_offset: float | None = None
    ) -> None: ...
    @property
    def unit(self) -> float:
        """What weights are rounded to multiples of."""

    @property
    def linear_offset(self) -> float | None:
        """Of weights that were learnt with a linear head; None: of any other."""

    @property
    def side(self) -> int: ...
    @property
    def sizes(self) -> list[tuple[int, int]]:
        """(width, height) of its shapes."""

    def chance(self, sum: float) -> float:
        """What a sum says about Black's chance to win."""

    def sum(self, position: Position) -> float:
        """The sum of a position, recomputed."""

    def afterstates(self, position: Position) -> list[tuple[int, float]]:
        """
        (action, sum of the state after it) for every legal action but suicides.
        """

class LookupKind(enum.Enum):
    """Through which tables sums of local shapes are kept."""

    SHARED = 0
    """Those of the sharing: weights may change."""

    FROZEN = 1
    """One worth for each feature."""

    FUSED = 2
    """One worth for each feature of the largest size."""

def shape_sum(representation: ShapeRepresentation, weights: ShapeWeights, position: Position) -> float:
    """The sum of the weights that count in a position, recomputed."""

def shape_afterstates(
    representation: ShapeRepresentation, weights: ShapeWeights, position: Position, kind: LookupKind = LookupKind.SHARED
) -> list[tuple[int, float]]:
    """
    (action, sum of the state after it) for every legal action but suicides, none of which is played.
    """

class ShapeAuditTally:
    """What a comparison of sums that are kept with recomputed ones has seen."""

    @property
    def games(self) -> int: ...
    @property
    def positions(self) -> int: ...
    @property
    def captures(self) -> int:
        """Positions reached by taking stones."""

    @property
    def afterstates(self) -> int:
        """That were compared."""

    @property
    def taking(self) -> int:
        """Afterstates with stones taken."""

    @property
    def sum_error(self) -> float:
        """The largest difference of a sum."""

    @property
    def afterstate_error(self) -> float:
        """The largest difference of an afterstate's sum."""

def audit_shapes(
    representation: ShapeRepresentation,
    weights: ShapeWeights,
    rng: Rng,
    positions: int,
    kind: LookupKind = LookupKind.SHARED,
    all: bool = False,
    progress: object | None = None,
) -> ShapeAuditTally:
    """
    Plays games, half of the moves random and half the best, and compares sums that are kept with recomputed ones:
    those of the moves chosen and of all that take stones; with `all` those of all candidates.
    """

class TdOptions:
    """
    How weights learn from games, as native code takes it: katachi.learning.td_settings.
    """

    def __init__(self) -> None: ...
    @property
    def head(self) -> str: ...
    @head.setter
    def head(self, arg: str, /) -> None: ...
    @property
    def target(self) -> str: ...
    @target.setter
    def target(self, arg: str, /) -> None: ...
    @property
    def traces(self) -> str: ...
    @traces.setter
    def traces(self, arg: str, /) -> None: ...
    @property
    def trace_norm(self) -> str: ...
    @trace_norm.setter
    def trace_norm(self, arg: str, /) -> None: ...
    @property
    def trace_parity(self) -> str: ...
    @trace_parity.setter
    def trace_parity(self, arg: str, /) -> None: ...
    @property
    def update_mode(self) -> str: ...
    @update_mode.setter
    def update_mode(self, arg: str, /) -> None: ...
    @property
    def normaliser(self) -> str: ...
    @normaliser.setter
    def normaliser(self, arg: str, /) -> None: ...
    @property
    def step_rule(self) -> str: ...
    @step_rule.setter
    def step_rule(self, arg: str, /) -> None: ...
    @property
    def plies(self) -> int: ...
    @plies.setter
    def plies(self, arg: int, /) -> None: ...
    @property
    def trace_cutoff(self) -> float: ...
    @trace_cutoff.setter
    def trace_cutoff(self, arg: float, /) -> None: ...
    @property
    def learns_last(self) -> bool: ...
    @learns_last.setter
    def learns_last(self, arg: bool, /) -> None: ...
    @property
    def linear_offset(self) -> float: ...
    @linear_offset.setter
    def linear_offset(self, arg: float, /) -> None: ...
    @property
    def alpha(self) -> float: ...
    @alpha.setter
    def alpha(self, arg: float, /) -> None: ...
    @property
    def count_scale(self) -> float: ...
    @count_scale.setter
    def count_scale(self, arg: float, /) -> None: ...
    @property
    def variance(self) -> float: ...
    @variance.setter
    def variance(self, arg: float, /) -> None: ...
    @property
    def meta_step(self) -> float: ...
    @meta_step.setter
    def meta_step(self, arg: float, /) -> None: ...

class SelfPlayOptions:
    """
    How games of self-play go, as native code takes it: katachi.training.self_play.
    """

    def __init__(self) -> None: ...
    @property
    def eye_rule(self) -> str: ...
    @eye_rule.setter
    def eye_rule(self, arg: str, /) -> None: ...
    @property
    def ties(self) -> str: ...
    @ties.setter
    def ties(self, arg: str, /) -> None: ...
    @property
    def komi(self) -> float: ...
    @komi.setter
    def komi(self, arg: float, /) -> None: ...
    @property
    def epsilon(self) -> float: ...
    @epsilon.setter
    def epsilon(self, arg: float, /) -> None: ...
    @property
    def longest_game(self) -> int: ...
    @longest_game.setter
    def longest_game(self, arg: int, /) -> None: ...
    @property
    def count_occurrences(self) -> bool: ...
    @count_occurrences.setter
    def count_occurrences(self, arg: bool, /) -> None: ...
    @property
    def threads(self) -> int: ...
    @threads.setter
    def threads(self, arg: int, /) -> None: ...
    @property
    def td(self) -> TdOptions: ...
    @td.setter
    def td(self, arg: TdOptions, /) -> None: ...

class GameErrors:
    """
    What was wrong with the values of a game before it was learnt from; of a tally, sums over games.
    """

    @property
    def cross_entropy(self) -> float:
        """Mean over states, between targets and values."""

    @property
    def mean(self) -> float:
        """Of target - value."""

    @property
    def rms(self) -> float: ...
    @property
    def rms_to_outcome(self) -> float: ...

class TdLearner:
    """
    Weights that learn from games given as data: for each state its signed entries, weight number + 1.
    """

    def __init__(self, options: TdOptions, weights: int) -> None: ...
    @property
    def weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    @weights.setter
    def weights(
        self, arg: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)], /
    ) -> None: ...
    @property
    def step_memories(self) -> list[Annotated[NDArray[numpy.float32], dict(shape=(None,))]]: ...
    @step_memories.setter
    def step_memories(
        self,
        arg: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)]],
        /,
    ) -> None: ...
    def value(self, state: Sequence[int]) -> float:
        """Of a state by the weights of now."""

    def learn_game(self, states: Sequence[Sequence[int]], outcome: float) -> GameErrors:
        """Learns from a game; the terminal state is not among its states."""

    def learn_steps(self, states: Sequence[Sequence[int]]) -> None:
        """
        Learns from a game that was broken off, online: as far as a state's target is one of its states.
        """

class SelfPlayTally:
    """Sums over games, since they were last taken."""

    @property
    def games(self) -> int: ...
    @property
    def moves(self) -> int: ...
    @property
    def values(self) -> int:
        """Afterstates that were valued."""

    @property
    def cut(self) -> int:
        """Games that were too long."""

    @property
    def black_wins(self) -> float:
        """A draw counts half."""

    @property
    def errors(self) -> GameErrors: ...

class SelfPlay:
    """
    Learning by self-play. Between two games all that the next one depends on can be read and set.
    """

    def run(self, until: int, progress: object | None = None) -> bool:
        """
        Plays until there have been so many games (True) or progress returns False.
        """

    def take_tally(self) -> SelfPlayTally:
        """Sums over the games since the last time."""

    @property
    def games(self) -> int:
        """How many there have been."""

    @games.setter
    def games(self, arg: int, /) -> None: ...
    @property
    def weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    @weights.setter
    def weights(
        self, arg: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)], /
    ) -> None: ...
    @property
    def step_memories(self) -> list[Annotated[NDArray[numpy.float32], dict(shape=(None,))]]:
        """
        What steps that adapt remember: an array or two by weight; of the constant step, none.
        """

    @step_memories.setter
    def step_memories(
        self,
        arg: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)]],
        /,
    ) -> None: ...
    @property
    def occurrences(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
        """
        By weight: how often it was active in the states of all games; for count_occurrences.
        """

    @occurrences.setter
    def occurrences(
        self, arg: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)], /
    ) -> None: ...
    @property
    def rng(self) -> Rng:
        """A copy of its generator."""

    @rng.setter
    def rng(self, arg: Rng, /) -> None: ...

def self_play(representation: ShapeRepresentation, options: SelfPlayOptions, rng: Rng) -> SelfPlay:
    """Weights of 0 and no game yet."""

class BoardInputs:
    """A Go board as numbers for a network: katachi.features.board_inputs."""

    def __init__(self, width: int, height: int, groups: Sequence[str], scaled: bool = False) -> None: ...
    @property
    def size(self) -> int:
        """How many numbers."""

    @property
    def names(self) -> list[str]:
        """What they are called."""

    def read(self, position: Position, viewpoint: Player) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """All numbers, as a player sees the board."""

class Network:
    """
    A multilayer perceptron with one logistic output: katachi.values.network.
    """

    def __init__(self, layers: Sequence[int], hidden: str = "logistic", bias: bool = True) -> None: ...
    @property
    def layers(self) -> list[int]: ...
    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        Layer by layer: for each unit below its weights to all units above; then their biases.
        """

    @weights.setter
    def weights(
        self, arg: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)], /
    ) -> None: ...
    def randomise(self, rng: Rng, range: float) -> None:
        """Uniform on [-range, range)."""

    def value(
        self, inputs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]
    ) -> tuple[float, float]:
        """The sum x before the output unit's function, and the output y."""

    def gradient(
        self, inputs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Of the sum x by each weight."""

class EpisodeRuleOptions:
    """
    How errors come of a game, as native code takes it: katachi.learning.episode_rules.
    """

    def __init__(self) -> None: ...
    @property
    def rule(self) -> str: ...
    @rule.setter
    def rule(self, arg: str, /) -> None: ...
    @property
    def squash(self) -> str: ...
    @squash.setter
    def squash(self, arg: str, /) -> None: ...
    @property
    def updates(self) -> str: ...
    @updates.setter
    def updates(self, arg: str, /) -> None: ...
    @property
    def score_scale(self) -> float: ...
    @score_scale.setter
    def score_scale(self, arg: float, /) -> None: ...
    @property
    def mu_delta_includes_reward(self) -> bool: ...
    @mu_delta_includes_reward.setter
    def mu_delta_includes_reward(self, arg: bool, /) -> None: ...

def episode_lesson(
    values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    leaf_values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    best_values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    leaf_learns: Sequence[bool],
    rewards: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    by_learner: Sequence[bool],
    learner_to_move: Sequence[bool],
    final_reward: float,
    options: EpisodeRuleOptions,
) -> tuple[list[int], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """Which states of a game a rule is about, and their errors."""

class NetworkTrainerOptions:
    """
    How weights follow errors, as native code takes it: katachi.learning.network_trainers.
    """

    def __init__(self) -> None: ...
    @property
    def phi_rule(self) -> str: ...
    @phi_rule.setter
    def phi_rule(self, arg: str, /) -> None: ...
    @property
    def phi_per(self) -> str: ...
    @phi_per.setter
    def phi_per(self, arg: str, /) -> None: ...
    @property
    def residual_pair(self) -> str: ...
    @residual_pair.setter
    def residual_pair(self, arg: str, /) -> None: ...
    @property
    def gradient_of(self) -> str: ...
    @gradient_of.setter
    def gradient_of(self, arg: str, /) -> None: ...
    @property
    def step(self) -> str: ...
    @step.setter
    def step(self, arg: str, /) -> None: ...
    @property
    def mix(self) -> float | None: ...
    @mix.setter
    def mix(self, arg: float | None, /) -> None: ...
    @property
    def phi_margin(self) -> float: ...
    @phi_margin.setter
    def phi_margin(self, arg: float, /) -> None: ...
    @property
    def eta(self) -> float: ...
    @eta.setter
    def eta(self, arg: float, /) -> None: ...
    @property
    def rprop_growth(self) -> float: ...
    @rprop_growth.setter
    def rprop_growth(self, arg: float, /) -> None: ...
    @property
    def rprop_shrinkage(self) -> float: ...
    @rprop_shrinkage.setter
    def rprop_shrinkage(self, arg: float, /) -> None: ...
    @property
    def rprop_first(self) -> float: ...
    @rprop_first.setter
    def rprop_first(self, arg: float, /) -> None: ...
    @property
    def rprop_smallest(self) -> float: ...
    @rprop_smallest.setter
    def rprop_smallest(self, arg: float, /) -> None: ...
    @property
    def rprop_largest(self) -> float: ...
    @rprop_largest.setter
    def rprop_largest(self, arg: float, /) -> None: ...
    @property
    def batch_games(self) -> int: ...
    @batch_games.setter
    def batch_games(self, arg: int, /) -> None: ...

class NetworkTrainer:
    """Moves the weights of a network after every batch of games."""

    def __init__(self, options: NetworkTrainerOptions, weights: int) -> None: ...
    def add_game(
        self,
        network: Network,
        states: Sequence[
            Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)] | None
        ],
        errors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> bool:
        """
        Inputs (None: not valued by the network) and errors of a game's states. True: the weights have moved.
        """

    @property
    def memories(self) -> list[Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Sums of the batch (direct, residual); steps, gradients and changes of RPROP. What is not needed is empty.
        """

    @memories.setter
    def memories(
        self,
        arg: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]],
        /,
    ) -> None: ...
    @property
    def games_in_batch(self) -> int: ...
    @games_in_batch.setter
    def games_in_batch(self, arg: int, /) -> None: ...
    @property
    def last_mix(self) -> float | None:
        """Phi of the last step, if it had one."""

def adaptive_mix(
    direct: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    residual: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    rule: str,
    margin: float,
) -> float:
    """Phi for two sums (Ekker, eq. 28)."""

class NetworkValue:
    """What a network makes of states: katachi.values.network."""

    @overload
    def __init__(self, network: Network, inputs: BoardInputs, unit: str, score_scale: float = 1.0) -> None:
        """On inputs of a board."""

    @overload
    def __init__(self, network: Network, shapes: ShapeRepresentation, unit: str, score_scale: float = 1.0) -> None:
        """On local shapes."""

    @overload
    def __init__(
        self,
        network: Network,
        keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        unit: str,
        score_scale: float = 1.0,
    ) -> None:
        """On a table of states, of which these are known by their keys."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @weights.setter
    def weights(
        self, arg: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)], /
    ) -> None: ...
    @property
    def keys(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
        """Of the states that a table knows, by place."""

    @property
    def unit(self) -> str: ...
    @property
    def score_scale(self) -> float: ...

class NetworkLearningOptions:
    """
    How a network learns from games, as native code takes it: katachi.training.network_learning.
    """

    def __init__(self) -> None: ...
    @property
    def ends(self) -> str: ...
    @ends.setter
    def ends(self, arg: str, /) -> None: ...
    @property
    def explored_leaf(self) -> str: ...
    @explored_leaf.setter
    def explored_leaf(self, arg: str, /) -> None: ...
    @property
    def colour(self) -> str: ...
    @colour.setter
    def colour(self, arg: str, /) -> None: ...
    @property
    def ko(self) -> str: ...
    @ko.setter
    def ko(self, arg: str, /) -> None: ...
    @property
    def eye_rule(self) -> str: ...
    @eye_rule.setter
    def eye_rule(self, arg: str, /) -> None: ...
    @property
    def reward(self) -> str: ...
    @reward.setter
    def reward(self, arg: str, /) -> None: ...
    @property
    def referee(self) -> str: ...
    @referee.setter
    def referee(self, arg: str, /) -> None: ...
    @property
    def opponents(self) -> list[str]: ...
    @opponents.setter
    def opponents(self, arg: Sequence[str], /) -> None: ...
    @property
    def rule(self) -> EpisodeRuleOptions: ...
    @rule.setter
    def rule(self, arg: EpisodeRuleOptions, /) -> None: ...
    @property
    def trainer(self) -> NetworkTrainerOptions: ...
    @trainer.setter
    def trainer(self, arg: NetworkTrainerOptions, /) -> None: ...
    @property
    def learns(self) -> bool: ...
    @learns.setter
    def learns(self, arg: bool, /) -> None: ...
    @property
    def depth(self) -> int: ...
    @depth.setter
    def depth(self, arg: int, /) -> None: ...
    @property
    def epsilon(self) -> float: ...
    @epsilon.setter
    def epsilon(self, arg: float, /) -> None: ...
    @property
    def search_adds_path_rewards(self) -> bool: ...
    @search_adds_path_rewards.setter
    def search_adds_path_rewards(self, arg: bool, /) -> None: ...
    @property
    def opening_plies(self) -> int: ...
    @opening_plies.setter
    def opening_plies(self, arg: int, /) -> None: ...
    @property
    def opening_varies(self) -> bool: ...
    @opening_varies.setter
    def opening_varies(self, arg: bool, /) -> None: ...
    @property
    def random_start(self) -> float: ...
    @random_start.setter
    def random_start(self, arg: float, /) -> None: ...
    @property
    def random_hold(self) -> float: ...
    @random_hold.setter
    def random_hold(self, arg: float, /) -> None: ...
    @property
    def random_end(self) -> float: ...
    @random_end.setter
    def random_end(self, arg: float, /) -> None: ...
    @property
    def schedule_games(self) -> int: ...
    @schedule_games.setter
    def schedule_games(self, arg: int, /) -> None: ...
    @property
    def population_size(self) -> int: ...
    @population_size.setter
    def population_size(self, arg: int, /) -> None: ...
    @property
    def population_games(self) -> int: ...
    @population_games.setter
    def population_games(self, arg: int, /) -> None: ...
    @property
    def komi(self) -> float: ...
    @komi.setter
    def komi(self, arg: float, /) -> None: ...
    @property
    def longest_game(self) -> int: ...
    @longest_game.setter
    def longest_game(self, arg: int, /) -> None: ...
    @property
    def capture_rewards(self) -> bool: ...
    @capture_rewards.setter
    def capture_rewards(self, arg: bool, /) -> None: ...
    @property
    def referee_playouts(self) -> int: ...
    @referee_playouts.setter
    def referee_playouts(self, arg: int, /) -> None: ...
    @property
    def dead_share(self) -> float: ...
    @dead_share.setter
    def dead_share(self, arg: float, /) -> None: ...

def random_share(options: NetworkLearningOptions, game: int) -> float:
    """How often moves of the opponent are random in a game, counted from 0."""

class NetworkLearningTally:
    """Sums over games, since they were last taken."""

    def __init__(self) -> None: ...
    @property
    def games(self) -> int: ...
    @games.setter
    def games(self, arg: int, /) -> None: ...
    @property
    def wins(self) -> int:
        """Of the learner."""

    @wins.setter
    def wins(self, arg: int, /) -> None: ...
    @property
    def scores(self) -> float:
        """The learner's: points, or shares of 0 to 1."""

    @scores.setter
    def scores(self, arg: float, /) -> None: ...
    @property
    def positive_scores(self) -> float:
        """The same, lost games counting 0."""

    @positive_scores.setter
    def positive_scores(self, arg: float, /) -> None: ...
    @property
    def moves(self) -> int: ...
    @moves.setter
    def moves(self, arg: int, /) -> None: ...
    @property
    def cut(self) -> int:
        """Games that were too long."""

    @cut.setter
    def cut(self, arg: int, /) -> None: ...
    @property
    def states(self) -> int:
        """That learnt."""

    @states.setter
    def states(self, arg: int, /) -> None: ...
    @property
    def squared_errors(self) -> float:
        """Of those."""

    @squared_errors.setter
    def squared_errors(self, arg: float, /) -> None: ...
    @property
    def nodes(self) -> int:
        """Of the learner's searches."""

    @nodes.setter
    def nodes(self, arg: int, /) -> None: ...
    @property
    def rewards(self) -> float:
        """All that the learner was given."""

    @rewards.setter
    def rewards(self, arg: float, /) -> None: ...

class NetworkLearning:
    """
    A network that learns from games. Between two games all that the next one depends on can be read and set.
    """

    def run(self, until: int, progress: object | None = None) -> bool:
        """
        Plays until there have been so many games or it waits (True), or progress returns False.
        """

    @property
    def waiting(self) -> str:
        """
        What is asked for: nothing, a move of an external opponent, or a score.
        """

    @property
    def opponent(self) -> int:
        """Its number in this game."""

    @property
    def start(self) -> int:
        """The number of the state in which this game began."""

    @property
    def moves(self) -> list[int]:
        """Of this game."""

    def answer_move(self, action: int) -> None: ...
    def answer_score(self, score: float) -> None:
        """Player 0's margin on the board, without prisoners and komi."""

    def abandon(self) -> None:
        """Forgets the game that is being played."""

    def take_tally(self) -> NetworkLearningTally:
        """Sums over the games since the last time."""

    @property
    def tally(self) -> NetworkLearningTally:
        """A copy of the same sums, which goes on with what it is set to."""

    @tally.setter
    def tally(self, arg: NetworkLearningTally, /) -> None: ...
    @property
    def games(self) -> int:
        """How many there have been."""

    @games.setter
    def games(self, arg: int, /) -> None: ...
    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @weights.setter
    def weights(
        self, arg: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)], /
    ) -> None: ...
    @property
    def keys(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
        """Of the states that a table knows."""

    @keys.setter
    def keys(
        self, arg: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)], /
    ) -> None: ...
    @property
    def trainer_memories(self) -> list[Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...
    @trainer_memories.setter
    def trainer_memories(
        self,
        arg: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]],
        /,
    ) -> None: ...
    @property
    def games_in_batch(self) -> int: ...
    @games_in_batch.setter
    def games_in_batch(self, arg: int, /) -> None: ...
    @property
    def population(self) -> list[Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """Weights of the past that are opponents."""

    @population.setter
    def population(
        self,
        arg: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]],
        /,
    ) -> None: ...

def network_learning(
    starts: Sequence[State], value: NetworkValue, options: NetworkLearningOptions, rng: Rng
) -> NetworkLearning:
    """
    A loop with a copy of the value, and no game yet. A game begins in any of the states.
    """

def wally_move(position: Position) -> int:
    """What the Wally-like player plays."""

def territory_margin(position: Position, playouts: int, dead_share: float) -> tuple[int, list[bool]]:
    """
    Black's margin by territory and dead stones, without prisoners and komi; and which stones are dead.
    """

class PolicyLearningOptions:
    """
    How a playout policy is learnt, as native code takes it: katachi.training.policy_learning.
    """

    def __init__(self) -> None: ...
    @property
    def learner(self) -> str: ...
    @learner.setter
    def learner(self, arg: str, /) -> None: ...
    @property
    def rl_reward(self) -> str: ...
    @rl_reward.setter
    def rl_reward(self, arg: str, /) -> None: ...
    @property
    def baseline(self) -> str: ...
    @baseline.setter
    def baseline(self, arg: str, /) -> None: ...
    @property
    def eye_rule(self) -> str: ...
    @eye_rule.setter
    def eye_rule(self, arg: str, /) -> None: ...
    @property
    def alpha(self) -> float: ...
    @alpha.setter
    def alpha(self, arg: float, /) -> None: ...
    @property
    def bias_simulations(self) -> int: ...
    @bias_simulations.setter
    def bias_simulations(self, arg: int, /) -> None: ...
    @property
    def gradient_simulations(self) -> int: ...
    @gradient_simulations.setter
    def gradient_simulations(self, arg: int, /) -> None: ...
    @property
    def length_normalise(self) -> bool: ...
    @length_normalise.setter
    def length_normalise(self, arg: bool, /) -> None: ...
    @property
    def critic_alpha(self) -> float: ...
    @critic_alpha.setter
    def critic_alpha(self, arg: float, /) -> None: ...
    @property
    def largest_weight(self) -> float: ...
    @largest_weight.setter
    def largest_weight(self, arg: float, /) -> None: ...
    @property
    def weight_decay(self) -> float: ...
    @weight_decay.setter
    def weight_decay(self, arg: float, /) -> None: ...
    @property
    def largest_bias(self) -> float: ...
    @largest_bias.setter
    def largest_bias(self, arg: float, /) -> None: ...
    @property
    def komi(self) -> float: ...
    @komi.setter
    def komi(self, arg: float, /) -> None: ...
    @property
    def longest_simulation(self) -> int: ...
    @longest_simulation.setter
    def longest_simulation(self, arg: int, /) -> None: ...
    @property
    def threads(self) -> int: ...
    @threads.setter
    def threads(self, arg: int, /) -> None: ...

class LabelledPosition:
    """
    What a playout policy is learnt from; katachi.training.data_set has it for Python.
    """

    def __init__(
        self,
        *,
        moves: Sequence[int],
        value: float,
        best: int,
        first: Sequence[int] = [],
        second: Sequence[Sequence[int]] = [],
        values: Sequence[Sequence[float]] = [],
    ) -> None: ...

class PolicyLearningTally:
    """Sums over steps, since they were last taken."""

    def __init__(self) -> None: ...
    @property
    def steps(self) -> int: ...
    @steps.setter
    def steps(self, arg: int, /) -> None: ...
    @property
    def skipped(self) -> int:
        """Steps whose expert's move the policy never plays."""

    @skipped.setter
    def skipped(self, arg: int, /) -> None: ...
    @property
    def simulations(self) -> int: ...
    @simulations.setter
    def simulations(self, arg: int, /) -> None: ...
    @property
    def moves(self) -> int:
        """Of the simulations."""

    @moves.setter
    def moves(self, arg: int, /) -> None: ...
    @property
    def cut(self) -> int:
        """Simulations that were too long."""

    @cut.setter
    def cut(self, arg: int, /) -> None: ...
    @property
    def black_wins(self) -> float:
        """Of the simulations; a draw counts half."""

    @black_wins.setter
    def black_wins(self, arg: float, /) -> None: ...
    @property
    def log_likelihood(self) -> float:
        """Of the expert's moves."""

    @log_likelihood.setter
    def log_likelihood(self, arg: float, /) -> None: ...
    @property
    def squared_bias(self) -> float:
        """Of the values of the balancing rules."""

    @squared_bias.setter
    def squared_bias(self, arg: float, /) -> None: ...

class PolicyLearning:
    """
    Learning a playout policy. Between two steps all that the next one depends on can be read and set.
    """

    def run(self, until: int, progress: object | None = None) -> bool:
        """
        Learns until there have been so many steps (True) or progress returns False.
        """

    def take_tally(self) -> PolicyLearningTally:
        """Sums over the steps since the last time."""

    @property
    def tally(self) -> PolicyLearningTally:
        """A copy of the same, which stay what they are."""

    @tally.setter
    def tally(self, arg: PolicyLearningTally, /) -> None: ...
    @property
    def steps(self) -> int:
        """How many there have been."""

    @steps.setter
    def steps(self, arg: int, /) -> None: ...
    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """theta"""

    @weights.setter
    def weights(
        self, arg: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)], /
    ) -> None: ...
    @property
    def critic(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Weights of the critic; zeros unless it is the baseline."""

    @critic.setter
    def critic(
        self, arg: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)], /
    ) -> None: ...
    def scores(
        self, moves: Sequence[int]
    ) -> tuple[
        list[int],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """
        (actions, pi, psi row by row) of the candidates after these moves from the empty board.
        """

def policy_learning(
    representation: ShapeRepresentation, positions: Sequence[LabelledPosition], options: PolicyLearningOptions, rng: Rng
) -> PolicyLearning:
    """Weights of 0 and no step yet."""

class GrownOptions:
    """See katachi.search.grown.GrownSettings."""

    def __init__(self) -> None: ...
    @property
    def table(self) -> bool: ...
    @table.setter
    def table(self, arg: bool, /) -> None: ...
    @property
    def blocks(self) -> bool: ...
    @blocks.setter
    def blocks(self, arg: bool, /) -> None: ...
    @property
    def sequences(self) -> bool: ...
    @sequences.setter
    def sequences(self, arg: bool, /) -> None: ...
    @property
    def squares(self) -> list[int]: ...
    @squares.setter
    def squares(self, arg: Sequence[int], /) -> None: ...
    @property
    def block_distance(self) -> int: ...
    @block_distance.setter
    def block_distance(self, arg: int, /) -> None: ...
    @property
    def sequence_length(self) -> int: ...
    @sequence_length.setter
    def sequence_length(self, arg: int, /) -> None: ...
    @property
    def limit(self) -> int: ...
    @limit.setter
    def limit(self, arg: int, /) -> None: ...
    @property
    def table_prior(self) -> float: ...
    @table_prior.setter
    def table_prior(self, arg: float, /) -> None: ...
    @property
    def table_value(self) -> str: ...
    @table_value.setter
    def table_value(self, arg: str, /) -> None: ...

class TdSearchOptions:
    """See katachi.search.td_search.TdSearchSettings."""

    def __init__(self) -> None: ...
    @property
    def exploration(self) -> str: ...
    @exploration.setter
    def exploration(self, arg: str, /) -> None: ...
    @property
    def epsilon(self) -> float: ...
    @epsilon.setter
    def epsilon(self, arg: float, /) -> None: ...
    @property
    def epsilon_policy(self) -> float: ...
    @epsilon_policy.setter
    def epsilon_policy(self, arg: float, /) -> None: ...
    @property
    def epsilon_half(self) -> float: ...
    @epsilon_half.setter
    def epsilon_half(self, arg: float, /) -> None: ...
    @property
    def temperature(self) -> float: ...
    @temperature.setter
    def temperature(self, arg: float, /) -> None: ...
    @property
    def switch_after(self) -> float: ...
    @switch_after.setter
    def switch_after(self, arg: float, /) -> None: ...
    @property
    def policy(self) -> Policy: ...
    @policy.setter
    def policy(self, arg: Policy, /) -> None: ...
    @property
    def record_limit(self) -> int: ...
    @record_limit.setter
    def record_limit(self, arg: int, /) -> None: ...
    @property
    def mercy(self) -> float: ...
    @mercy.setter
    def mercy(self, arg: float, /) -> None: ...
    @property
    def threads(self) -> int: ...
    @threads.setter
    def threads(self, arg: int, /) -> None: ...

class ShortTermMemory:
    """
    The weights that a temporal-difference search learns, and keeps from move to move.
    """

    def __init__(
        self, representation: ShapeRepresentation, options: TdOptions, grown: GrownOptions | None = None
    ) -> None: ...
    @property
    def weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """A copy; what is assigned are all of them."""

    @weights.setter
    def weights(
        self, arg: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)], /
    ) -> None: ...
    def grown(self) -> list[tuple[str, float, float, int]]:
        """
        The grown features in the order of their numbers: kind, weight, and of tables total outcome and visits.
        """

    def evaluator(self, linear_offset: float | None = None) -> ShapeEvaluator:
        """The weights as they are now."""

    def clear(self) -> None:
        """As if nothing had been learnt."""

    def add(self, evaluator: ShapeEvaluator) -> None:
        """
        Adds other weights to its own, shape by shape: what is known already before a search.
        """

def add_shapes(evaluator: ShapeEvaluator, representation: ShapeRepresentation, weights: ShapeWeights) -> None:
    """Adds what shapes are worth to weights of which every shape has one."""

class SimulatedGame:
    """One simulation of a search."""

    @property
    def moves(self) -> list[int]: ...
    @property
    def recorded(self) -> int:
        """How many of its states were learnt from."""

    @property
    def outcome(self) -> float:
        """1: Black has won."""

    @property
    def errors(self) -> GameErrors: ...

class TdSearch(Search):
    """Temporal-difference search from one root."""

    @property
    def value(self) -> float:
        """Black's chance to win in the root, by the memories."""

    def line(self, first: int, length: int) -> list[int]:
        """An action of the root and what follows by values."""

    @property
    def last_game(self) -> SimulatedGame: ...
    @property
    def errors(self) -> GameErrors:
        """Means over all simulations."""

def td_search(
    root: State, memory: ShortTermMemory, options: TdSearchOptions, rng: Rng, long_term: ShapeEvaluator | None = None
) -> TdSearch: ...
