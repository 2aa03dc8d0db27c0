"""Tuning: settings of a player that win more often against an opponent (extra `katachi[tune]`: Optuna).

A trial is a match with the settings that Optuna proposes, and its value is the win rate. The trials are kept in an
SQLite file of Optuna's and their games in a folder each, so that a run that was killed goes on with the game where it
stopped. What is proposed depends on the seed, the number of the trial and the results before it, not on how often the
run was interrupted.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args

from pydantic import Field

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.arena.match import MatchResult, MatchSettings, run_match
from katachi.arena.statistics import Score
from katachi.arena.store import lock_folder
from katachi.core.errors import InvalidArgumentError, KatachiError, ParseError, StoreError
from katachi.core.settings import Settings, did_you_mean
from katachi.games.registry import make_game
from katachi.players.player import GamePlayer, check_player
from katachi.players.registry import make_player
from katachi.players.spec import PlayerSpec, format_spec, parse_spec

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution

__all__ = ["Param", "Trial", "TuneResult", "TuneSettings", "parse_param", "run_tune", "spec_with"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
_STUDY = "tune"


@dataclass(frozen=True)
class Param:
    """A setting to be tuned: a range, or some choices."""

    name: str  # dotted, if it is nested
    choices: tuple[Any, ...] = ()
    low: float = 0
    high: float = 0
    log: bool = False

    @property
    def ends(self) -> tuple[Any, ...]:
        """Values that a player must accept if it accepts all."""
        return self.choices or (self.low, self.high)


def parse_param(text: str) -> Param:
    """`name=low:high`, `name=low:high:log` or `name=a|b|c`."""
    name, equals, rest = text.partition("=")
    if not equals or _NAME.fullmatch(name) is None:
        raise ParseError(f"{text!r} is no parameter: expected NAME=LOW:HIGH, NAME=LOW:HIGH:log or NAME=A|B|C")
    if "|" in rest:
        choices = tuple(_value(word, text) for word in rest.split("|"))
        if len(set(map(repr, choices))) != len(choices):
            raise ParseError(f"{text!r} has a choice twice")
        return Param(name, choices)
    words = rest.split(":")
    if len(words) not in (2, 3) or words[2:] not in ([], ["log"]):
        raise ParseError(f"{text!r}: expected LOW:HIGH, LOW:HIGH:log or A|B|C after {name}=")
    low, high = (_value(word, text) for word in words[:2])
    for end in (low, high):
        if isinstance(end, bool) or not isinstance(end, (int, float)) or not isfinite(end):
            raise ParseError(f"{text!r}: {end!r} is no number")
    if low >= high:
        raise ParseError(f"{text!r}: the range must go up, not from {low} to {high}")
    if len(words) == 3 and low <= 0:
        raise ParseError(f"{text!r}: a logarithmic range begins above 0, not at {low}")
    return Param(name, (), low, high, len(words) == 3)


def _value(word: str, text: str) -> Any:  # noqa: ANN401
    """Read as in a player's spec."""
    try:
        return parse_spec(f"player:value={word.strip()}").options["value"]
    except ParseError:
        raise ParseError(f"{text!r}: {word!r} is no value") from None


class TuneSettings(Settings):
    """All that a run depends on."""

    player: str = Field(description="The spec of the player to be tuned; what is tuned may be left out.")
    opponent: str = Field(description="The spec of its opponent.")
    params: list[str] = Field(min_length=1, description="What is tuned, as `parse_param` reads it.")
    trials: int = Field(ge=1, description="How many settings are tried.")
    games: int = Field(ge=2, multiple_of=2, description="Of each trial, with alternating colours.")
    seed: int = Field(ge=0, lt=2**63, description="Same seed, same trials.")
    game: str = Field(default="go", description="A game of the registry.")
    options: dict[str, Any] = Field(default_factory=dict, description="Its options, such as size and komi.")
    opening_plies: int = Field(default=0, ge=0, description="Random plies, the same for both colours.")
    max_moves: int | None = Field(default=1000, ge=1, description="Longer games are draws.")
    scoring: str = Field(default="area", description="area, agreement or gtp:COMMAND.")

    def match(self, number: int, values: Mapping[str, Any]) -> MatchSettings:
        """The match of a trial. Each has its own games: the best must not be the best at one set of openings."""
        return MatchSettings(
            first=spec_with(self.player, values),
            second=self.opponent,
            games=self.games,
            seed=Rng(self.seed).split("trial", number).next() % 2**63,
            game=self.game,
            options=self.options,
            opening_plies=self.opening_plies,
            max_moves=self.max_moves,
            scoring=self.scoring,
        )


def spec_with(text: str, values: Mapping[str, Any]) -> str:
    """A player's spec with some settings changed or added; names may be dotted."""
    spec = parse_spec(text)
    options = _copied(spec.options)
    for dotted, value in values.items():
        *parents, last = dotted.split(".")
        place = options
        for parent in parents:
            place = place.setdefault(parent, {})
            if not isinstance(place, dict):
                raise ParseError(f"{dotted!r} cannot be set in {text!r}: {parent!r} is a value there")
        place[last] = value
    return format_spec(PlayerSpec(spec.name, options, spec.command))


def _copied(options: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _copied(value) if isinstance(value, Mapping) else value for key, value in options.items()}


@dataclass(frozen=True)
class Trial:
    """Settings that were tried, and what came of it."""

    number: int
    values: Mapping[str, Any]
    spec: str
    score: Score

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "trial": self.number,
            "values": dict(self.values),
            "player": self.spec,
            "games": self.score.games,
            "win_rate": self.score.win_rate,
            "win_rate_interval": list(self.score.interval),
        }


@dataclass(frozen=True)
class TuneResult:
    """All trials. The best of many looks better than it is: only a new match tells how good."""

    settings: TuneSettings
    trials: tuple[Trial, ...]

    @property
    def best(self) -> Trial:
        """The highest win rate; of equals the first."""
        return max(self.trials, key=lambda trial: (trial.score.win_rate, -trial.number))

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "player": self.settings.player,
            "opponent": self.settings.opponent,
            "params": self.settings.params,
            "best": self.best.to_json(),
            "trials": [trial.to_json() for trial in self.trials],
        }


def run_tune(
    settings: TuneSettings,
    folder: Path,
    *,
    executor: Executor | None = None,
    on_result: Callable[[tuple[Trial, ...], MatchResult], object] | None = None,
) -> TuneResult:
    """Tries settings, or what is left to try in the folder. `on_result` hears of the trials done and the match played.

    More `trials` than before go on after those in the folder; other changes are refused.
    """
    distributions = _distributions(settings)
    with _open_study(settings, folder) as study:
        while len(_finished(settings, study)) < settings.trials:
            number, values = _begin(settings, study, distributions)
            done = _finished(settings, study)
            result = run_match(
                settings.match(number, values),
                folder=folder / "trials" / f"{number:04}",
                executor=executor,
                on_result=None if on_result is None else lambda match, done=done: on_result(done, match),  # type: ignore[misc]
            )
            study.tell(number, result.score.win_rate)
        return TuneResult(settings, _finished(settings, study)[: settings.trials])


def _begin(
    settings: TuneSettings, study: "Study", distributions: "dict[str, BaseDistribution]"
) -> tuple[int, dict[str, Any]]:
    """The trial that was interrupted, or another one."""
    import optuna

    trials = study.get_trials(deepcopy=False)
    for trial in trials:
        if trial.state is optuna.trial.TrialState.RUNNING:
            return trial.number, trial.params
    # A sampler of its own for each trial, and a trial that is written with all its values at once: nothing that an
    # interruption could lose.
    seed = Rng(settings.seed).split("sampler", len(trials)).next() % 2**32
    copy = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    copy.add_trials(trials)
    values = copy.ask(distributions).params
    running = optuna.trial.TrialState.RUNNING
    study.add_trial(optuna.trial.create_trial(state=running, params=values, distributions=distributions))
    return len(trials), values


def _finished(settings: TuneSettings, study: "Study") -> tuple[Trial, ...]:
    return tuple(
        Trial(
            trial.number,
            trial.params,
            spec_with(settings.player, trial.params),
            Score(round(2 * trial.value * settings.games) / 2, settings.games),
        )
        for trial in study.get_trials(deepcopy=False)
        if trial.value is not None
    )


@contextmanager
def _open_study(settings: TuneSettings, folder: Path) -> Iterator["Study"]:
    """Optuna's file in the folder, if it is of these settings. Only one process writes."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    path = folder.resolve() / "study.sqlite"
    with ExitStack() as stack:
        with _named_errors(path):
            folder.mkdir(parents=True, exist_ok=True)
            stack.callback(lock_folder(folder / "run.lock").close)
            storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
            stack.callback(storage.engine.dispose)
            stack.callback(storage.remove_session)
            sampler = optuna.samplers.RandomSampler(seed=0)  # never asked: `_begin` has its own
            study = optuna.create_study(
                storage=storage, study_name=_STUDY, direction="maximize", load_if_exists=True, sampler=sampler
            )
            _check_same(settings, study, folder)
        with _named_errors(path):
            yield study


@contextmanager
def _named_errors(path: Path) -> Iterator[None]:
    """What the disk and Optuna's database may raise."""
    from optuna.exceptions import StorageInternalError
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (SQLAlchemyError, StorageInternalError) as error:
        cause: BaseException = error
        while isinstance(cause, StorageInternalError) and cause.__cause__ is not None:
            cause = cause.__cause__
        said = getattr(cause, "orig", None) or cause
        raise StoreError(f"{path}: {said}; is it a file of Optuna's, and is there room on the disk?") from error
    except RuntimeError as error:
        if isinstance(error, KatachiError):
            raise
        raise StoreError(f"{path}: {error}; is it a file of Optuna's?") from error
    except OSError as error:
        raise StoreError(f"{error.filename or path}: {error.strerror or error}") from error


def _check_same(settings: TuneSettings, study: "Study", folder: Path) -> None:
    """`trials` may change, everything else must be equal."""
    now = settings.model_dump(mode="json", exclude={"trials"})
    before = study.user_attrs.get("settings")
    if before is None:
        study.set_user_attr("settings", now)
        return
    changed = [
        f"  {key}: {before.get(key)!r} there, {now.get(key)!r} now"
        for key in sorted(before.keys() | now.keys())
        if before.get(key) != now.get(key)
    ]
    if changed:
        raise InvalidArgumentError(
            f"{folder} holds a run with other settings: choose another folder\n" + "\n".join(changed)
        )


def _distributions(settings: TuneSettings) -> "dict[str, BaseDistribution]":
    """What Optuna draws from. The ends of every range and all choices have been tried on the player by then."""
    try:
        from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
    except ImportError:
        raise InvalidArgumentError("tuning needs the extra: pip install 'katachi[tune]'") from None
    params = [parse_param(text) for text in settings.params]
    names = [param.name for param in params]
    if len(set(names)) != len(names):
        raise InvalidArgumentError(f"a parameter is given twice: {names}")
    check_player(make_player(settings.opponent), make_game(settings.game, **settings.options))
    first = {param.name: param.ends[0] for param in params}
    _try(settings, first, first)
    found: dict[str, BaseDistribution] = {}
    for param in params:
        for value in param.ends:
            player = _try(settings, {**first, param.name: value}, {param.name: value})
        if param.choices:
            found[param.name] = CategoricalDistribution(param.choices)
        elif _is_whole(player.settings, param.name):
            found[param.name] = IntDistribution(int(param.low), int(param.high), log=param.log)
        else:
            found[param.name] = FloatDistribution(param.low, param.high, log=param.log)
    return found


def _try(settings: TuneSettings, values: Mapping[str, Any], new: Mapping[str, Any]) -> GamePlayer:
    """A player with these values; if it refuses them, the new ones are to blame."""
    try:
        player = make_player(spec_with(settings.player, values))
    except KatachiError as error:
        blamed = ", ".join(f"{name} = {value!r}" for name, value in new.items())
        raise InvalidArgumentError(f"{blamed} is refused by the player:\n{error}") from None
    check_player(player, make_game(settings.game, **settings.options))
    return player


def _is_whole(settings: Settings, dotted: str) -> bool:
    """Is a setting a whole number? By the type of its field."""
    *parents, last = dotted.split(".")
    for parent in parents:
        settings = getattr(settings, parent)
    fields = {field.alias or name: field for name, field in type(settings).model_fields.items()}
    if last not in fields:
        raise InvalidArgumentError(f"there is no setting {dotted!r}: {did_you_mean(last, fields)}")
    annotation = fields[last].annotation
    kinds = set(get_args(annotation) or (annotation,)) - {NoneType}
    if float not in kinds and int not in kinds:
        raise InvalidArgumentError(f"{dotted} is no number, so it has no range: name the choices, {dotted}=A|B|C")
    return float not in kinds
