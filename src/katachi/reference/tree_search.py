"""Temporal-difference tree search, written from the equations: the slow twin that the native search is compared with.

What lives here: the whole family of katachi.search.tree_settings (Vodopivec 2018, chapters 3 and 4; Silver 2009,
chapter 8) over any game, with the draws of the native search, so that one seed gives the same visits and, up to
rounding, the same values. What does not: memory caps, and moving the root.

Nothing is fast here, and little is shared with native code. A node is an entry of a dict, named by the actions that
lead to it (with the outcomes, where they are observed) or by the key of its state; it is there exactly if it is
memorised. Every step of an episode is stored, playouts too. What a state learns is summed from the definition: for each
of its occurrences, all TD errors that its trace reaches. Only a game's own uniform playout is called where native code
calls it, since its draws are its own; it stands in the episode as steps that earn nothing before the last.

What an episode teaches is katachi.reference.tree_episodes. Values are player 0's.

Pinned by tests/differential/test_tree_twin.py.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from math import exp, inf, log, sqrt
from typing import Any, NamedTuple

from katachi._core import Player, Rng, State, python_object
from katachi.core.errors import InvalidArgumentError
from katachi.core.limit import Limit
from katachi.core.types import Action
from katachi.games.contract import Game, native_state
from katachi.reference.tree_episodes import Entry, Episode, Node
from katachi.search.tree_settings import TreeSearchSettings

__all__ = ["TreeSearchTwin"]

FAINTEST_TRACE = 1e-9  # online, what is weaker is not followed
NARROWEST_RANGE = 1e-9  # bounds that differ by rounding only are none
LONGEST_EPISODE = 100_000
UNLIMITED = 10**18


class _Look(NamedTuple):
    """An action as the control policy sees it."""

    value: float
    visits: int


class _Compared(NamedTuple):
    """The same with RAVE's share in its value, and with what priors are worth."""

    value: float
    visits: float  # n + C
    rave_count: float  # n~
    beta: float

    @property
    def is_tried(self) -> bool:
        return self.visits > 0 or self.beta > 0


class _Meter:
    """What has been spent of a limit."""

    def __init__(self, limit: Limit) -> None:
        self.limit, self.simulations, self.steps = limit, 0, 0

    @property
    def is_spent(self) -> bool:
        limit = self.limit
        return (limit.simulations is not None and self.simulations >= limit.simulations) or (
            limit.steps is not None and self.steps >= limit.steps
        )

    @property
    def steps_left(self) -> int:
        return UNLIMITED if self.limit.steps is None else self.limit.steps - self.steps


class TreeSearchTwin:
    """The same arguments as katachi.search.searches.TreeSearch, and the same answers.

    `prior` stands for priors of Go, too.
    """

    def __init__(
        self,
        game: Game[Any],
        state: Any,  # noqa: ANN401
        *,
        rng: Rng,
        settings: TreeSearchSettings,
        value: Callable[[Any], float] | None = None,
        playout: Callable[[Any, Sequence[Action]], Sequence[float]] | None = None,
        prior: Callable[[Any, Sequence[Action]], Sequence[float]] | None = None,
    ) -> None:
        if settings.memory != TreeSearchSettings().memory or settings.when_full != "stop-expanding":
            raise InvalidArgumentError("the twin of the tree search knows no memory and no when_full")
        if settings.threads != 1:
            raise InvalidArgumentError(f"the twin of the tree search has one thread, not {settings.threads}")
        self.settings = settings
        self.root_state = native_state(game, state)
        self.facts = self.root_state.facts
        settings.check_game(self.facts, game.name)
        self.rng = Rng.from_state(rng.state)
        self.searcher = self.root_state.to_play
        self.value_function, self.playout_function, self.prior_function = value, playout, prior
        initial = settings.to_native(self.facts).v_init
        self.initial = None if initial is None else self.facts.value_for(self.searcher, initial)
        self.blank = self.facts.value_for(self.searcher, initial or 0.0)  # where nothing at all is known
        self.is_graph = settings.structure != "tree"
        self.is_observed = not self.facts.deterministic and settings.transitions == "observed"
        self.is_online = settings.timing == "online" and self.is_graph
        self.in_states = settings.convention == "state"
        # An afterstate's value is that of entering it, which never happens to the root: coming back is another node.
        self.root: Hashable = self.root_state.key if self.is_graph and self.in_states else ()
        first = self._initial_value(self.root_state)
        self.nodes: dict[Hashable, Node] = {self.root: Node(first)}
        if self.is_graph:
            self.nodes.setdefault(self.root_state.key, Node(first))
        self.actions: dict[Hashable, list[int]] = {}  # of a node, as they were met
        self.outcomes: dict[tuple[Hashable, int], list[Hashable]] = {}  # of an action, where they are observed
        # Behind an action: the node, the reward, V_init; of a graph, and where V_init is a heuristic.
        self.edges: dict[Hashable, dict[int, tuple[Hashable, float, float]]] = {}
        self.edge_visits: dict[tuple[Hashable, int], int] = {}
        self.mast: dict[tuple[Player, int], list[float]] = {}  # (visits, mean) of a player's action
        self.raves: dict[tuple[Hashable, int], list[float]] = {}  # (sum, count) of all moves as first, of an action
        self.priors: dict[tuple[Hashable, int], float] = {}  # H of an action
        self.prior_visits = 0.0 if settings.prior == "none" else settings.prior_visits
        self.low, self.high = inf, -inf  # of what has been observed
        self.simulations = self.steps = 0

    # ---- what it shows -----------------------------------------------------------------------------------------------

    def run(self, limit: Limit) -> None:
        """Searches until the limit, of simulations or steps, is reached."""
        if limit.seconds is not None:
            raise InvalidArgumentError("the twin of the tree search knows no seconds")
        self.meter = _Meter(limit)
        while not self.meter.is_spent:
            steps = self._simulate()
            self.meter.simulations += 1
            self.meter.steps += steps
            self.simulations += 1
            self.steps += steps

    def __len__(self) -> int:
        """How many states are memorised: the root, and all that were visited."""
        return sum(name == self.root or node.visits > 0 for name, node in self.nodes.items())

    def to_dict(self, depth: int) -> dict[str, Any]:
        """As katachi.search.tree.Tree.to_dict has it."""
        return self._node_dict(self.root, -1, self.nodes[self.root].value, depth)

    def _node_dict(self, name: Hashable, action: int, value: float, depth: int) -> dict[str, Any]:
        node = self.nodes[name]
        found: dict[str, Any] = {"action": action, "visits": node.visits, "value": value}
        if node.low <= node.high:
            found["range"] = [node.low, node.high]
        if depth > 0:
            found["children"] = list(self._children(name, depth - 1))
        return found

    def _children(self, name: Hashable, depth: int) -> Iterator[dict[str, Any]]:
        for action in self.actions.get(name, ()):
            total, rave_count = self.raves.get((name, action), (0.0, 0.0))
            rave = {"rave_value": total / rave_count, "rave_count": rave_count} if rave_count else {}
            if self.is_observed:
                look = self._slot(name, action)
                if look.visits:
                    outcomes = self.outcomes[name, action]
                    below = [self._node_dict(o, action, self._seen(self.nodes[o]), depth - 1) for o in outcomes]
                    found: dict[str, Any] = {"action": action, "visits": look.visits, "value": look.value, **rave}
                    yield found | ({"children": below} if depth > 0 else {})
                continue
            child = self.edges[name][action][0] if self.is_graph else (*_path(name), action)
            node = self.nodes.get(child)
            if node is not None and node.visits:
                reward = self.edges[name][action][1] if self.is_graph else node.reward
                yield self._node_dict(child, action, self._through(reward, node.value), depth) | rave

    # ---- one iteration -----------------------------------------------------------------------------------------------

    def _simulate(self) -> int:
        """Generates an episode, memorises, learns (4.2); returns its steps."""
        s = self.settings
        self.episode = Episode(s, self.simulations)
        self.firsts: dict[Hashable, int] = {}  # of each memorised state, its first entry
        self.created: list[Hashable] = []
        self.taken: list[tuple[Player, int]] = []  # who did what, playouts too
        self.met: Counter[Hashable] = Counter()  # visits of this episode, of states and of (state, action)
        self.episode_steps, self.gain = 0, 0.0
        self.running: list[float] = []  # returns so far
        self.weights: list[float] | None = None
        self.most_steps = min(self.meter.steps_left, LONGEST_EPISODE, s.horizon or UNLIMITED)
        last_state, is_over = self._walk()
        if s.reward_timing == "final-sum":
            self.episode.entries[-1].reward = self.gain
        if not is_over and s.cut_rule == "drop":
            return self.episode_steps
        self.episode.beyond = 0.0 if is_over else self._value_beyond(last_state)
        if s.v_playout == "converged-next":
            self.episode.converge()
        for name in self.created if not self.is_online else ():
            self._memorise(name)
        if self.is_online:
            if not self.in_states:
                self._give_online(len(self.episode.entries) - 1, self.episode.beyond)
        else:
            self._learn()
        self._count_actions()
        self._widen(is_over)
        if s.rave != "none":
            self._learn_raves()
        if s.playout_policy == "mast" or s.v_playout == "memory":
            self._learn_mast()
        return self.episode_steps

    def _walk(self) -> tuple[State | None, bool]:
        """An episode: where it stopped (None: unknown, within a playout of the game's own), and is that the end?"""
        s = self.settings
        state = self.root_state
        has_left = False  # for good, where untried actions are left to the playout policy
        self._enter(self.root, -1, 0.0, state)
        while True:
            entry = self.episode.entries[-1]
            if entry.is_end:
                return state, True
            if self.episode_steps >= self.most_steps:
                return state, False
            name = None if has_left else entry.name
            is_known = name is not None and (
                name == self.root
                or s.structure == "fixed"
                or (name in self.nodes and name not in self.created)
                or self.firsts[name] < len(self.episode.entries) - 1  # of a graph: met again
            )
            grows = not self.is_graph and len(self.created) < self._most_new and name is not None
            if not is_known and not self.is_graph and not grows and self._leaves_playout_to_game:
                return self._play_out(state)
            actions = state.candidates() if name != self.root else self.root_state.candidates()
            if is_known and s.expansion == "all-children":
                self._meet_actions(name, actions, state)
                has_left = any(self._look(name, action).visits == 0 for action in actions)
            if has_left:
                action = actions[self._choose_playout(state, actions)]
            elif is_known:
                self._meet_actions(name, actions, state)
                entry.is_chosen = True
                action = actions[self._choose(name, actions, entry)]
            else:
                if grows:
                    self._meet_actions(name, actions, state)
                action = actions[self._choose_playout(state, actions)]
            self.taken.append((state.to_play, action))
            following, reward = state.play(action, self.rng)
            self._step(reward)
            self.met[name, action] += int(is_known)
            self._enter(self._name_behind(name, action, following), action, reward, following)
            state = following

    @property
    def _most_new(self) -> int:
        new_nodes = self.settings.new_nodes
        return UNLIMITED if new_nodes == "all" or self.settings.structure == "fixed" else int(new_nodes)

    def _step(self, reward: float) -> None:
        self.episode_steps += 1
        self.gain += reward
        self.running.append(self.gain)

    def _name_behind(self, name: Hashable | None, action: int, following: State) -> Hashable | None:
        """The node that a step leads to, if it is memorised or will be."""
        if self.is_graph:
            behind: Hashable = following.key
        elif name is None:
            return None
        else:
            behind = (*_path(name), (action, following.key) if self.is_observed else action)
        if behind in self.nodes or behind in self.created:
            return behind
        return behind if len(self.created) < self._most_new else None

    def _enter(self, name: Hashable | None, action: int, reward: float, state: State) -> None:
        s = self.settings
        is_terminal = state.is_terminal
        is_end = is_terminal or (s.horizon is not None and self.episode_steps >= s.horizon)
        node = self.nodes.get(name) if name is not None else None
        if node is not None and node.visits:
            value = node.value
        elif self.in_states and is_terminal:
            value = 0.0
        elif name is not None and self.prior_visits and name != self.root:
            value = self.priors[_path(name)[:-1], action]
        elif name is not None:
            value = self._initial_value(state)
        else:
            value = self._playout_value(state, action)
        if name is not None and name not in self.nodes and name not in self.created:
            self.created.append(name)
        if name is not None:
            self.firsts.setdefault(name, len(self.episode.entries))
            self.met[name] += 1
        timed = reward if s.reward_timing == "timed" else 0.0
        initial = self._initial_value(state) if name is None else 0.0
        self.episode.entries.append(Entry(name, action, state.to_play, timed, value, is_end, initial))
        if self.is_online:
            self._learn_online()

    def _meet_actions(self, name: Hashable, actions: Sequence[int], state: State) -> None:
        if name not in self.actions and self.settings.prior != "none":
            for action, value in zip(actions, self._prior_values(name, actions, state), strict=True):
                self.priors[name, action] = value
                if self.settings.rave != "none":
                    self.raves[name, action] = [self.settings.prior_count * value, self.settings.prior_count]
        known = self.actions.setdefault(name, [])
        known += [action for action in actions if action not in known]
        if self.is_graph and name not in self.edges:
            self.edges[name] = {}
            for action in actions:
                following, reward = state.play(action)
                self.edges[name][action] = (following.key, reward, self._initial_value(following))
        elif self.initial is None and self.facts.deterministic and name not in self.edges:
            self.edges[name] = {}
            for action in actions:
                following, reward = state.play(action)
                self.edges[name][action] = ((*_path(name), action), reward, self._initial_value(following))

    def _prior_values(self, name: Hashable, actions: Sequence[int], state: State) -> Sequence[float]:
        """H (Silver 8.6) of the actions of a new node, the last one of the episode."""
        if self.settings.prior not in ("even", "grandfather"):
            assert self.prior_function is not None
            return self.prior_function(self._face(state), [Action(action) for action in actions])
        bounds = self.facts.return_bounds
        even = sum(bounds) / 2 if self.facts.players == 2 and bounds is not None else 0.0
        if self.settings.prior == "even" or len(_path(name)) < 2 or self.episode.entries[-3].player != state.to_play:
            return [even for _ in actions]
        nodes = [self.nodes.get((*_path(name)[:-2], action)) for action in actions]
        return [self._seen(node) if node is not None and node.visits else even for node in nodes]

    # ---- beyond the memorised part -----------------------------------------------------------------------------------

    def _face(self, state: State) -> Any:  # noqa: ANN401
        inside = python_object(state)
        return state if inside is None else inside

    def _heuristic(self, state: State) -> float:
        if self.value_function is None:
            raise InvalidArgumentError("these settings ask for a heuristic value: give the search value=FUNCTION")
        return self.value_function(self._face(state))

    def _initial_value(self, state: State) -> float:
        return self._heuristic(state) if self.initial is None else self.initial

    def _mast_value(self, player: Player, action: int) -> float:
        visits, mean = self.mast.get((player, action), (0.0, 0.0))
        return mean if visits else self.blank

    def _playout_value(self, state: State | None, action: int) -> float:
        """V_playout (4.1, 4.5) of the state that comes next; `state` may be unknown to a constant."""
        s, rule = self.settings, self.settings.v_playout
        if isinstance(rule, float):
            return self.facts.value_for(self.searcher, rule)
        if rule in ("last-memorised", "leaf-over-gamma"):
            depth = self.episode.playout_depth()
            leaf = self.episode.entries[-depth].value
            return leaf if rule == "last-memorised" else leaf / s.gamma**depth
        if rule == "memory":
            return self._mast_value(self.episode.entries[-1].player, action)
        if rule == "heuristic":
            assert state is not None
            return self._heuristic(state)
        return self._initial_value(state) if state is not None else self.blank

    def _value_beyond(self, state: State | None) -> float:
        """What is assumed behind a cut (V_playout, not 0: a cut is no loss)."""
        if self.in_states:
            return self.episode.entries[-1].value
        if self.settings.v_playout == "memory":
            assert state is not None
            return (
                self.episode.entries[-1].value if self.episode.entries[-1].name is None else self._initial_value(state)
            )
        return self._playout_value(state, -1)

    @property
    def _leaves_playout_to_game(self) -> bool:
        """Is the rest one uniform playout of the game, of which only the sum and the length are known?"""
        s = self.settings
        is_seen = (
            s.playout_policy != "uniform"
            or s.plies == 2
            or self.in_states
            or s.v_playout in ("memory", "heuristic")
            or self.initial is None
        )
        if is_seen:
            return False
        counts_time = s.gamma != 1 or s.learner != "monte-carlo"
        observes_steps = s.global_source == "running-return" and not (
            s.normalisation == "none" or (s.normalisation == "known" and self.facts.return_bounds is not None)
        )
        return self.facts.final_reward or not (counts_time or observes_steps)

    def _play_out(self, state: State) -> tuple[State | None, bool]:
        most = self.most_steps - self.episode_steps
        if self.settings.rave == "none":
            total, length, is_cut = state.uniform_playout(self.rng, most)
        else:
            total, steps, is_cut = state.watched_playout(self.rng, most)
            self.taken += [(player, int(action)) for player, action in steps]
            length = len(steps)
        horizon, longest = self.settings.horizon, self.facts.max_length
        for k in range(length):
            reward = total if k == length - 1 else 0.0
            self._step(reward)
            timed = reward if self.settings.reward_timing == "timed" else 0.0
            value = self._playout_value(None, -1)
            self.episode.entries.append(Entry(None, -1, Player.BLACK, timed, value, is_end=False, initial=self.blank))
        is_over = not is_cut or (longest is not None and self.episode_steps >= longest)
        return None, is_over or (horizon is not None and self.episode_steps >= horizon)

    # ---- choosing ----------------------------------------------------------------------------------------------------

    def _through(self, reward: float, value: float) -> float:
        return reward + self.settings.gamma * value if self.in_states else value

    def _seen(self, node: Node) -> float:
        return self._through(node.reward, node.value)

    def _slot(self, name: Hashable, action: int) -> _Look:
        """An action whose outcomes are observed: their mean, by how often each occurred (3.4)."""
        nodes = [self.nodes[outcome] for outcome in self.outcomes.get((name, action), ())]
        visits = sum(node.visits for node in nodes)
        if not visits:
            return _Look(self.blank, 0)
        return _Look(sum(node.visits * self._seen(node) for node in nodes) / visits, visits)

    def _visits(self, name: Hashable) -> int:
        """n, with the visits of this episode: in a graph they count at once, or a greedy policy runs in circles."""
        node = self.nodes.get(name)
        now = self.met[name] if self.is_graph and not self.is_online else 0
        return now + (0 if node is None else node.visits)

    def _look(self, name: Hashable, action: int) -> _Look:
        if self.is_observed:
            return self._slot(name, action)
        if self.is_graph:
            child, reward, initial = self.edges[name][action]
            visits = self._visits(child)
            if not visits:
                return _Look(initial, 0)
            node = self.nodes.get(child)
            value = self.episode.entries[self.firsts[child]].value if node is None else node.value
            if self.settings.graph_counts == "edge":
                visits = self.edge_visits.get((name, action), 0) + (0 if self.is_online else self.met[name, action])
            return _Look(self._through(reward, value), visits)
        node = self.nodes.get((*_path(name), action))
        if node is not None and node.visits:
            return _Look(self._seen(node), node.visits)
        if self.prior_visits:
            return _Look(self.priors[name, action], 0)
        if self.initial is None and self.facts.deterministic:
            return _Look(self.edges[name][action][2], 0)
        return _Look(self.blank, 0)

    def _compared(self, name: Hashable, actions: Sequence[int], looks: Sequence[_Look]) -> list[_Compared]:
        """Q* = (1 - beta) Q + beta Q~ (Silver 8.4)."""
        s, found = self.settings, []
        total = self._parent_visits(name, looks)
        for action, look in zip(actions, looks, strict=True):
            n = look.visits + self.prior_visits
            rave_sum, m = self.raves.get((name, action), (0.0, 0.0))
            if m == 0:
                beta = 0.0
            elif s.rave == "rave":
                beta = 1.0
            elif s.rave_schedule == "min-mse":
                beta = m / (n + m + 4 * n * m * s.rave_bias**2)
            elif s.rave_k == 0:
                beta = 0.0
            else:
                beta = sqrt(s.rave_k / (3 * total + s.rave_k)) if n else 1.0
            mixed = (1 - beta) * look.value + beta * rave_sum / m if beta else look.value
            found.append(_Compared(mixed, n, m, beta))
        return found

    def _parent_visits(self, name: Hashable, looks: Sequence[_Look]) -> float:
        of_actions = self.settings.parent_count == "children"
        return (sum(look.visits for look in looks) if of_actions else self._visits(name)) + self.prior_visits * len(
            looks
        )

    def _maximises(self, player: Player) -> bool:
        is_helper = player != self.searcher and self.settings.opponent == "cooperative"
        return (player == Player.BLACK) != is_helper

    def _epsilon(self) -> float:
        s, meter = self.settings, self.meter
        if s.epsilon_decay == "linear":
            if meter.limit.steps is not None:
                done, whole = meter.steps + self.episode_steps, meter.limit.steps
            else:
                done, whole = meter.simulations, meter.limit.simulations or 0
            return 0.0 if whole <= 1 else s.epsilon * max(0.0, 1 - done / (whole - 1))
        return s.epsilon * (s.epsilon_factor**meter.simulations if s.epsilon_decay == "exponential" else 1.0)

    def _choose(self, name: Hashable, actions: Sequence[int], entry: Entry) -> int:
        """The control policy (2.3, 3.4); an index of `actions`."""
        s, rng = self.settings, self.rng
        looks = [self._look(name, action) for action in actions]
        compared = self._compared(name, actions, looks)
        maximises = self._maximises(entry.player)
        control: str = s.control
        if entry.player != self.searcher and s.opponent in ("random", "greedy"):
            control = s.opponent
        if control == "epsilon-greedy":
            epsilon = self._epsilon()
            control = "random" if epsilon > 0 and rng.uniform() < epsilon else "greedy"
        scaled, is_scaled = self._scaled(name, [one.value for one in compared], maximises)
        if control == "random" or (control in ("ucb1", "softmax") and not is_scaled and s.unscaled == "random"):
            index = rng.below(len(looks))
        elif control == "greedy":
            index = self._highest([one.value if maximises else -one.value for one in compared])
        elif control == "softmax":
            scores = [value / s.temperature for value in scaled]
            index = self._draw([exp(score - max(scores)) for score in scores])
        else:
            index = self._ucb1(self._parent_visits(name, looks), compared, scaled)
        if s.learner in ("q-naive", "q-watkins"):
            values = [look.value for look in looks]
            entry.best = max(values) if maximises else min(values)
            entry.is_greedy = abs(values[index] - entry.best) <= s.tie_tolerance
        return index

    def _scaled(self, name: Hashable, values: Sequence[float], maximises: bool) -> tuple[list[float], bool]:
        """Values from 0 to 1 for the player to move (4.4), and could they be brought there?"""
        kind, bounds, node = self.settings.normalisation, self.facts.return_bounds, self.nodes.get(name) or Node(0.0)
        low, high = self.low, self.high
        if kind == "known" and bounds is not None:
            low, high = bounds
        elif kind.startswith("local") and node.high - node.low > NARROWEST_RANGE:
            low, high = node.low, node.high
        if kind == "none" or not high - low > NARROWEST_RANGE:
            both_ends = sum(bounds) if bounds is not None else 0.0
            return [v if maximises else both_ends - v for v in values], kind == "none"
        return [(v - low) / (high - low) if maximises else (high - v) / (high - low) for v in values], True

    def _ucb1(self, total: float, compared: Sequence[_Compared], scaled: Sequence[float]) -> int:
        s = self.settings
        untried = [i for i, one in enumerate(compared) if not one.is_tried]
        if untried and s.first_play_urgency == "first":
            return untried[0] if len(untried) == 1 else untried[self.rng.below(len(untried))]
        c_p = 0.0 if s.rave in ("rave", "mc-rave") else s.c_p
        twice = 2 if s.ucb_form == "thesis" else 1
        log_total = twice * log(max(total, 1))
        log_raves = twice * log(max(sum(one.rave_count for one in compared), 1))
        scores = []
        for one, value in zip(compared, scaled, strict=True):
            n = one.visits + (s.ucb_form == "fuego")
            if not one.is_tried:
                bonus = c_p * sqrt(log_total) if s.ucb_form == "fuego" else 0.0
                scores.append(float(s.first_play_urgency) + bonus)
                continue
            bonus = c_p * sqrt(log_total / max(n, 1))  # a RAVE value alone has that of one visit
            if s.rave == "uct-rave-2007" and one.beta:
                bonus = (1 - one.beta) * bonus + one.beta * c_p * sqrt(log_raves / one.rave_count)
            scores.append(value + bonus)
        return self._highest(scores)

    def _highest(self, scores: Sequence[float]) -> int:
        ties = [i for i, score in enumerate(scores) if score >= max(scores) - self.settings.tie_tolerance]
        return ties[0] if len(ties) == 1 else ties[self.rng.below(len(ties))]

    def _draw(self, weights: Sequence[float]) -> int:
        if not sum(weights) > 0:
            return self.rng.below(len(weights))
        mark = self.rng.uniform() * sum(weights)
        for i, weight in enumerate(weights[:-1]):
            mark -= weight
            if mark < 0:
                return i
        return len(weights) - 1

    def _choose_playout(self, state: State, actions: Sequence[int]) -> int:
        """The playout policy (4.1); an index of `actions`."""
        s = self.settings
        if s.playout_policy == "weighted":
            if self.weights is None:
                self.weights = [self.rng.uniform() for _ in range(self.facts.action_space)]
            return self._draw([self.weights[action] for action in actions])
        if s.playout_policy == "mast":
            player = state.to_play
            values = [self.facts.value_for(player, self._mast_value(player, action)) for action in actions]
            return self._draw([exp((value - max(values)) / s.mast_temperature) for value in values])
        if s.playout_policy == "heuristic":
            assert self.playout_function is not None
            return self._draw(self.playout_function(self._face(state), [Action(action) for action in actions]))
        assert s.playout_policy == "uniform", "the policies of Go have a twin of their own: playout_policies.py"
        return self.rng.below(len(actions))

    # ---- learning ----------------------------------------------------------------------------------------------------

    def _memorise(self, name: Hashable) -> None:
        first = next(entry for entry in self.episode.entries if entry.name == name)
        self.nodes[name] = Node(first.value, mean=first.value)
        if self.is_observed:
            path = _path(name)
            self.outcomes.setdefault((path[:-1], path[-1][0]), []).append(name)

    def _alpha(self, node: Node) -> float:
        """The step size of a node whose visits have been counted (4.5)."""
        s = self.settings
        if s.step_size == "visits":
            return 1 / (node.visits + s.step_prior + self.prior_visits)
        if s.step_size == "episodes":
            return 1 / (node.episodes + s.step_prior + self.prior_visits)
        if s.step_size == "linear":
            return max(0.0, s.step - s.step_decay * (node.visits - 1))
        if s.step_size == "exponential":
            return float(s.step * s.step_decay ** (node.visits - 1))
        return s.step

    def _learn(self) -> None:
        s = self.settings
        if s.learner in ("monte-carlo", "max", "mixed"):
            self._learn_returns()
        elif s.timing == "in-place":
            self._learn_in_place()
        else:
            self._learn_errors()

    def _learn_errors(self) -> None:
        """Offline: V += alpha * sum over t of delta_t E_t (3.5), with the trace of the visit mode."""
        errors, size = self.episode.errors(), len(self.episode.entries)
        for name, places in self.episode.occurrences().items():
            node = self.nodes[name]
            node.visits += len(places)
            node.episodes += 1
            if self.settings.visit_mode == "every":
                total = sum(self.episode.error_sum(errors, i) for i in places)
            elif self.settings.visit_mode == "first":
                total = self.episode.error_sum(errors, places[0])
            else:  # replacing: an error reaches a state through its most recent occurrence
                total = sum(
                    self.episode.error_sum(errors, i, end) for i, end in zip(places, [*places[1:], size], strict=True)
                )
            node.value += self._alpha(node) * total

    def _learn_in_place(self) -> None:
        """From the end to the beginning, each state with what it holds when its turn comes (4.3)."""
        values = [entry.value for entry in self.episode.entries]
        last_place = {name: places[-1] for name, places in self.episode.occurrences().items()}
        for i in range(len(self.episode.entries) - 1, -1, -1):
            name = self.episode.entries[i].name
            if name is None:
                continue
            node = self.nodes[name]
            node.visits += 1
            node.episodes += last_place[name] == i
            values[i] = node.value
            node.value += self._alpha(node) * self.episode.error_sum(self.episode.errors(values), i)

    def _learn_returns(self) -> None:
        """Means of returns (3.5); max backups put the best action's value in their place, or beside them (3.7)."""
        s = self.settings
        returns, occurrences = self.episode.returns(), self.episode.occurrences()
        mix = {"monte-carlo": 0.0, "max": 1.0, "mixed": s.mix}[s.learner]
        for i in range(len(self.episode.entries) - 1, -1, -1):
            entry = self.episode.entries[i]
            if entry.name is None:
                continue
            node, places = self.nodes[entry.name], occurrences[entry.name]
            if node.visits == 0:
                node.mean = entry.value
            node.visits += 1
            node.episodes += i == places[-1]
            learns = not (self.in_states and self.episode.is_last(i))
            if learns and (s.visit_mode == "every" or i == places[0]):
                node.mean += self._alpha(node) * (returns[i] - node.mean)
            node.value = node.mean
            best = self._best_memorised(entry) if mix else None
            if best is not None:
                node.value = (1 - mix) * node.mean + mix * (entry.reward + s.gamma * best)

    def _best_memorised(self, entry: Entry) -> float | None:
        looks = []
        for action in self.actions.get(entry.name, ()):
            if self.is_graph:
                node = self.nodes.get(self.edges[entry.name][action][0])
                looks += [node.value] if node is not None and node.visits else []
            else:
                look = self._look(entry.name, action)
                looks += [look.value] if look.visits else []
        return None if not looks else max(looks) if self._maximises(entry.player) else min(looks)

    # Online (4.6.1): an error is given to all that led to it as soon as the next state is known.

    def _learn_online(self) -> None:
        entry = self.episode.entries[-1]
        i = len(self.episode.entries) - 1
        if entry.name is not None:
            if entry.name not in self.nodes:
                self._memorise(entry.name)
            node = self.nodes[entry.name]
            if node.visits == 0:
                node.value = entry.value
            node.visits += 1
            node.episodes += self.firsts[entry.name] == i
        if i > 0:
            before = self.episode.entries[i - 1]
            if before.is_chosen:
                self._count_edge(before, entry)
            self._give_online(i - 1, self.episode.end_value(i))

    def _count_edge(self, before: Entry, entry: Entry) -> None:
        edge = (before.name, entry.action)
        self.edge_visits[edge] = self.edge_visits.get(edge, 0) + 1

    def _give_online(self, last: int, value_behind: float) -> None:
        s, entries = self.settings, self.episode.entries
        entry = entries[last]
        held = entry.value if entry.name is None else self.nodes[entry.name].value
        if self.in_states:
            error = entries[last + 1].reward + s.gamma * value_behind - held
        else:
            error = entry.reward + s.gamma * value_behind - held
        if s.learner.startswith("q-") and entry.best is not None:
            error = entry.best - held if self.in_states else entry.reward + s.gamma * entry.best - held
        weight, seen = 1.0, set[Hashable]()
        for i in range(last, -1, -1):
            if weight < FAINTEST_TRACE or (i < last and s.learner == "q-watkins" and not entries[i].is_greedy):
                break
            name = entries[i].name
            if name is not None:
                gets = {"every": True, "first": i == self.firsts[name], "replacing": name not in seen}[s.visit_mode]
                if gets:
                    self.nodes[name].value += self._alpha(self.nodes[name]) * weight * error
                seen.add(name)
            weight *= s.gamma * self.episode.lambda_

    # ---- after an episode --------------------------------------------------------------------------------------------

    def _count_actions(self) -> None:
        for before, entry in zip(self.episode.entries, self.episode.entries[1:], strict=False):
            if entry.name is not None and not self.is_graph:
                node = self.nodes[entry.name]
                node.reward += (entry.reward - node.reward) / node.visits
            if self.is_graph and not self.is_online and before.is_chosen:
                self._count_edge(before, entry)

    def _successor_value(self, i: int) -> float:
        """What the control policy sees of entry i from the state before it."""
        before, entry = self.episode.entries[i - 1], self.episode.entries[i]
        node = self.nodes[entry.name]
        if self.is_observed:
            return self._slot(before.name, entry.action).value
        return self._through(entry.reward if self.is_graph else node.reward, node.value)

    def _widen(self, is_over: bool) -> None:
        """The bounds of what has been observed, and of every state's successors (4.4)."""
        s, entries = self.settings, self.episode.entries
        memorised = [i for i, entry in enumerate(entries) if entry.name is not None]
        if s.global_source == "running-return":
            seen = self.running
        elif s.global_source == "episode-return":
            seen = [self.gain + (0.0 if is_over else self.episode.beyond)]
        else:
            targets = self.episode.targets()
            learners = [i for i in memorised if not (self.in_states and self.episode.is_last(i))]
            is_target = s.global_source == "target"
            seen = [targets[i] - (0.0 if is_target else entries[i].value) for i in learners]
        self.low, self.high = min([self.low, *seen]), max([self.high, *seen])
        if not s.normalisation.startswith("local"):
            return
        returns = self.episode.returns()
        for i in memorised:
            node = self.nodes[entries[i].name]
            successors = [j for j in memorised if j > i] if s.normalisation == "local-branch" else [i + 1]
            for j in successors:
                if j not in memorised:
                    continue
                if s.normalisation == "local-return":
                    node.widen(self._through(entries[j].reward, returns[j]))
                else:
                    node.widen(s.gamma ** (j - i - 1) * self._successor_value(j))
        if s.bounds_include_init and memorised[-1] < len(entries) - 1:
            self.nodes[entries[memorised[-1]].name].widen(entries[memorised[-1] + 1].initial)

    def _action_targets(self) -> list[float]:
        """What the action that led to each entry was to learn, with its reward."""
        targets = self.episode.targets()
        if self.in_states:
            targets[-1] = self.episode.end_value(len(targets) - 1)
        return [
            self._through(entry.reward, target) for entry, target in zip(self.episode.entries, targets, strict=True)
        ]

    def _learn_raves(self) -> None:
        """All that the player to move did from a memorised state on gets what the chosen action gets (Silver 8.3)."""
        entries, targets = self.episode.entries, self._action_targets()
        for i, entry in enumerate(entries[:-1]):
            if entries[i + 1].name is None:
                break
            steps = self.taken[i:]
            if self.settings.rave_moves == "first":
                first = {action: player for player, action in reversed(steps)}
                steps = [(player, action) for action, player in first.items()]
            later = {action for player, action in steps if player == entry.player}
            for action in later.intersection(self.actions[entry.name]):
                cell = self.raves.setdefault((entry.name, action), [0.0, 0.0])
                cell[0] += targets[i + 1]
                cell[1] += 1

    def _learn_mast(self) -> None:
        """Mean returns of actions, from the action on (3.7), as the learner measures them."""
        targets = self._action_targets()
        for i in range(1, len(self.episode.entries)):
            cell = self.mast.setdefault(
                (self.episode.entries[i - 1].player, self.episode.entries[i].action), [0.0, 0.0]
            )
            cell[0] += 1
            cell[1] += (targets[i] - cell[1]) / cell[0]


def _path(name: Hashable) -> tuple[Any, ...]:
    assert isinstance(name, tuple)
    return name
