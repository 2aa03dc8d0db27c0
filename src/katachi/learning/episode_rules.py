"""Temporal-difference rules as functions of one finished game (Ekker, 3.1 to 3.2): what was wrong with its values.

    lesson_of(Episode(values=..., rewards=..., ...), EpisodeRuleSettings(rule="td-mu")).errors

All values are the learner's. After the last position comes one step more, in which nobody moves: it earns the final
reward and leads to a state of value 0. Names of rules are in `RULES`; what they are is docs/td_networks.md. The native
half is cpp/learning/episode_rules.hpp, the slow twins are in katachi.reference.episode_rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self, get_args

from pydantic import ConfigDict, Field, model_validator

from katachi import _core
from katachi.core.errors import InvalidArgumentError
from katachi.core.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["RULES", "Episode", "EpisodeRuleSettings", "Lesson", "RuleName", "lesson_of"]

RuleName = Literal["td-0", "td-lambda", "td-directed", "td-leaf", "td-mu", "td-leaf-mu"]
RULES: tuple[RuleName, ...] = get_args(RuleName)


class EpisodeRuleSettings(Settings):
    """Which states of a game learn, and what from."""

    model_config = ConfigDict(populate_by_name=True)

    rule: RuleName = Field(
        default="td-mu",
        description="td-0 (eq. 4), td-lambda (eq. 7, 8): all positions; td-directed (3.2.1): those in which the "
        "learner is to move; td-leaf (3.2.1): leaves of the searches from those; td-mu (eq. 9 to 14): all positions, "
        "and bad moves are not learnt from; td-leaf-mu (7.4): the same for leaves.",
    )
    lambda_: float = Field(default=0.5, ge=0, le=1, alias="lambda", description="Decay of later returns (6.1).")
    squash: Literal["logistic", "none"] = Field(
        default="logistic",
        description="Values are stones, and returns are squashed into the range of the network, sigma(return / c) "
        "(eq. 13); or values are outputs of the network, and so is what they are to be.",
    )
    score_scale: float = Field(default=1.0, gt=0, description="c: stones for one unit of the sum x (eq. 13: 1).")
    mu_delta_includes_reward: bool = Field(
        default=False, description="Of mu: a move is judged with what it earns (eq. 9 as printed: without)."
    )
    updates: Literal["all", "learner"] = Field(
        default="all",
        description="All states of the rule learn, or only those in which the learner is to move, and the last.",
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.rule == "td-0" and self.lambda_ != 0:
            raise ValueError(f"rule=td-0 has lambda=0, not {self.lambda_:g}: with more it is td-lambda")
        if self.mu_delta_includes_reward and not self.rule.endswith("mu"):
            raise ValueError(f"mu_delta_includes_reward is for td-mu and td-leaf-mu, not for {self.rule}")
        return self

    @property
    def learns_leaves(self) -> bool:
        """Does it need the leaves of searches?"""
        return self.rule in ("td-leaf", "td-leaf-mu")

    def to_native(self) -> _core.EpisodeRuleOptions:
        """What native code takes."""
        options = _core.EpisodeRuleOptions()
        for name in type(self).model_fields:
            setattr(options, name, getattr(self, name))
        return options


@dataclass(frozen=True)
class Episode:
    """A game as rules see it: its positions in order, the last one being that in which it ended."""

    values: Sequence[float]  # V(s) of each position
    rewards: Sequence[float]  # of the ply that led to each position
    by_learner: Sequence[bool]  # who made that ply; of the first position it does not matter
    learner_to_move: Sequence[bool]
    final_reward: float
    leaf_values: Sequence[float] | None = None  # of the leaves of searches from each, with what their lines earn
    best_values: Sequence[float] | None = None  # of the best leaves, if those are of moves that were explored
    leaf_learns: Sequence[bool] | None = None  # not where a referee has valued the leaf; None: all learn


@dataclass(frozen=True)
class Lesson:
    """The states that a rule is about, by their numbers, and the error of each; 0 for those that do not learn."""

    states: list[int]
    errors: "NDArray[np.float64]"


def lesson_of(episode: Episode, settings: EpisodeRuleSettings) -> Lesson:
    """What a rule makes of a game."""
    import numpy as np

    if settings.learns_leaves and episode.leaf_values is None:
        raise InvalidArgumentError(f"rule={settings.rule} needs an episode with leaf_values")
    values = np.asarray(episode.values, dtype=np.float64)
    leaves = values if episode.leaf_values is None else np.asarray(episode.leaf_values, dtype=np.float64)
    best = leaves if episode.best_values is None else np.asarray(episode.best_values, dtype=np.float64)
    learns = [True] * len(values) if episode.leaf_learns is None else list(episode.leaf_learns)
    rewards = np.asarray(episode.rewards, dtype=np.float64)
    turns = list(episode.by_learner), list(episode.learner_to_move)
    options = settings.to_native()
    states, errors = _core.episode_lesson(values, leaves, best, learns, rewards, *turns, episode.final_reward, options)
    return Lesson(states, errors)
