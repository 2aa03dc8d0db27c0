"""Learning from one game, written from the equations (Silver 2009, 5.5 and appendix A; 10.3.1): the slow twin.

A state is a list of signed entries: weight i counts +1 as entry i + 1 and -1 as entry -(i + 1), as often as it stands
there. The fast twin is cpp/learning; tests/differential/test_shape_learning_twin.py compares them.
"""

from collections.abc import Sequence
from math import exp, log

from katachi.learning.td_settings import TdSettings

__all__ = ["ShapeLearningTwin"]

State = Sequence[int]


class ShapeLearningTwin:
    """Weights that learn from games, in plain Python."""

    def __init__(self, settings: TdSettings, weights: int) -> None:
        self.settings = settings
        self.theta = [0.0] * weights
        self.counts = [0] * weights  # of the step rule `counts`
        self.variances = [settings.variance] * weights  # P of `kalman`
        self.log_steps = [log(settings.alpha) if settings.alpha > 0 else 0.0] * weights  # beta of `idbd`
        self.step_traces = [0.0] * weights  # h of `idbd`
        self._eligibility: list[dict[int, float]] = [{}, {}]

    def total(self, state: State) -> float:
        """phi(s) · theta."""
        return sum(sign * self.theta[weight] for weight, sign in _signed(state))

    def value(self, state: State) -> float:
        """V(s), for Black."""
        if self.settings.head == "linear":
            return self.total(state) + self.settings.linear_offset
        return 1 / (1 + exp(-self.total(state)))

    def learn_game(self, states: Sequence[State], outcome: float) -> None:
        """All states of a game but the terminal one, and how it ended."""
        self._eligibility = [{}, {}]
        if self.settings.update_mode == "online":
            self._learn_online(states, outcome)
            return
        met = [self.value(state) for state in states]
        for t in range(self._states_that_learn(states)):
            fresh = self.settings.update_mode == "end-refresh"
            value = self.value(states[t]) if fresh else met[t]
            after = self._after(t, states)
            target = outcome if after is None else self.value(states[after]) if fresh else met[after]
            self._learn(states, t, value, target)

    def _learn_online(self, states: Sequence[State], outcome: float) -> None:
        """Algorithm 3: a state learns when its target is met; its own value is as it was when it was met."""
        met: list[float] = []
        for now, state in enumerate(states):
            met.append(self.value(state))
            t = now - self.settings.plies
            if t >= 0:
                self._learn(states, t, met[t], met[now])
        for t in range(max(0, len(states) - self.settings.plies), self._states_that_learn(states)):
            self._learn(states, t, met[t], outcome)

    def _states_that_learn(self, states: Sequence[State]) -> int:
        left_out = 0 if self.settings.learns_last else self.settings.plies - 1
        return max(0, len(states) - left_out)

    def _after(self, t: int, states: Sequence[State]) -> int | None:
        """The state whose value is the target; None: the outcome is."""
        is_inside = self.settings.target == "td" and t + self.settings.plies < len(states)
        return t + self.settings.plies if is_inside else None

    def _learn(self, states: Sequence[State], t: int, value: float, target: float) -> None:
        settings, state, delta = self.settings, states[t], target - value
        slope = value * (1 - value) if settings.head == "non-linear" else 1.0
        of_k = t if settings.normaliser == "state" else min(t + settings.plies, len(states) - 1)
        k = len(states[of_k])
        if settings.lambda_ > 0:
            self._learn_with_traces(state, t % 2, delta, slope, k)
        elif settings.step_rule == "kalman":
            self._learn_by_kalman(state, value, delta)
        elif settings.step_rule == "idbd":
            self._learn_by_idbd(state, delta * slope)
        elif k > 0:
            for weight, sign in _signed(state):
                fading = settings.count_scale / (settings.count_scale + self.counts[weight])
                step = settings.alpha / k * (fading if settings.step_rule == "counts" else 1.0)
                self.theta[weight] += step * delta * slope * sign
                self.counts[weight] += 1

    def _learn_with_traces(self, state: State, colour: int, delta: float, slope: float, k: int) -> None:
        """Equations 5.4 to 5.6 in the right order: decay, add the state, then update."""
        settings = self.settings
        eligibility = self._eligibility[colour if settings.trace_parity == "per-colour" else 0]
        for weight in list(eligibility):
            eligibility[weight] *= settings.lambda_
            if abs(eligibility[weight]) <= settings.trace_cutoff:
                del eligibility[weight]
        at_add = settings.trace_norm == "at-add"
        if k == 0 and (state or not at_add):  # nothing to divide by; a state without features still teaches the others
            return
        if settings.traces == "replacing":
            for weight, _ in _signed(state):
                eligibility[weight] = 0.0
        for weight, sign in _signed(state):
            eligibility[weight] = eligibility.get(weight, 0.0) + sign * slope / (k if at_add else 1)
        for weight, trace in eligibility.items():
            self.theta[weight] += settings.alpha * delta * trace / (1 if at_add else k)

    def _learn_by_kalman(self, state: State, value: float, delta: float) -> None:
        """An extended Kalman filter with a diagonal covariance (10.3.1): h_i = c_i V (1 - V), noise V (1 - V)."""
        noise = max(value * (1 - value), 1e-6)
        h = {weight: count * noise for weight, count in _multiplicities(state).items()}
        total = sum(self.variances[i] * h[i] ** 2 for i in h) + noise
        for i in h:
            gain = self.variances[i] * h[i] / total
            self.theta[i] += gain * delta
            self.variances[i] -= gain * h[i] * self.variances[i]

    def _learn_by_idbd(self, state: State, error: float) -> None:
        """Incremental delta-bar-delta (Sutton 1992, figure 2) with steps divided by k."""
        for i, x in _multiplicities(state).items():
            change = self.settings.meta_step * error * x * self.step_traces[i]
            self.log_steps[i] += min(2.0, max(-2.0, change))
            step = exp(self.log_steps[i]) / len(state)
            self.theta[i] += step * error * x
            self.step_traces[i] = self.step_traces[i] * max(0.0, 1 - step * x * x) + step * error * x


def _signed(state: State) -> list[tuple[int, int]]:
    """Weights and signs, one by one."""
    return [(abs(entry) - 1, 1 if entry > 0 else -1) for entry in state]


def _multiplicities(state: State) -> dict[int, int]:
    """c_i: how often each weight counts, with signs added up."""
    found: dict[int, int] = {}
    for weight, sign in _signed(state):
        found[weight] = found.get(weight, 0) + sign
    return found
