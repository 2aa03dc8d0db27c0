"""Labels and training runs of playout policies as work for an experiment, and the rows that are kept of them.

    [[labels]]                      # labels/NAME.parquet beside the rows
    name = "train-5"
    size = 5
    games = 1000
    [[run]]                         # training/NAME/ beside the rows
    name = "balancing-5"
    learner = "balancing"
    data = "train-5"
    test = "test-5"
    alpha = 3
    steps = 100_000
    [[run]]                         # in rounds of `every` steps, each with its own labels (.training.policy_cycle)
    name = "two-step-cycle-6"
    cycle = { name = "cycle-6", size = 6, games = 400, trees = 400, leaf_player = "policy:name={policy},sims=30" }
    ...

Rows are of three kinds: `labels` (a data set: how its values lie, and whether they are true), `run` (a policy after
some steps: its error and its weights), and `accuracy` (a policy at the end of its run, or a plain one, measured with
more playouts on the same positions).
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.core.errors import SettingsError
from katachi.core.settings import Settings
from katachi.experiments.experiment import Progress, Row, append_row, read_rows
from katachi.experiments.policy_accuracy import MEASURE, LabelsOf, accuracy_text, accuracy_work, make_labels
from katachi.games.go.game import GoGame
from katachi.games.go.vertex import point_at
from katachi.policies.playout_policies import policy_moves
from katachi.policies.policy_weights import load_policy_weights
from katachi.training.data_set import DataSet
from katachi.training.label_report import check_labels, summarise
from katachi.training.policy_cycle import PolicyCycleSettings, learn_in_cycle
from katachi.training.policy_learning import PolicyLearningSettings, PolicySchedule, learn_policy, snapshot_path

__all__ = ["LearningSettings", "learn", "report_labels", "run_learning"]

_HERE = "katachi.experiments.balancing_learning.rows"
_DIGITS = 4  # of weights in rows


class _Run(Settings):
    """A policy and how it is learnt."""

    name: str = Field(pattern=r"^[a-z0-9-]+$", description="training/NAME/.")
    learner: Literal["regression", "reinforcement", "balancing", "two-step"] = Field(description="Which of the four.")
    alpha: float = Field(gt=0, description="Step size.")
    steps: int = Field(ge=1, description="Positions, or games of self-play.")
    every: int = Field(ge=1, description="A row at every so many steps.")
    data: str | None = Field(default=None, description="The name of its labels; reinforcement needs none.")
    test: str = Field(description="The name of the labels that its error is measured on.")
    simulations: int = Field(default=100, ge=1, description="M and N of balancing.")
    baseline: Literal["none", "mean", "critic"] = Field(default="none", description="Of balancing.")
    weight_decay: float = Field(default=0.0, ge=0, description="λ: what large weights are punished with.")
    largest_bias: float = Field(default=1.0, gt=0, le=1, description="Larger ones of balancers count as so much.")
    cycle: LabelsOf | None = Field(
        default=None, description="The labels of each round, instead of data: {policy} is the policy so far."
    )
    alpha_factor: float = Field(default=1.0, gt=0, le=1, description="Of a round in a cycle, to the round before.")
    start: str | None = Field(default=None, description="The name of a run whose last weights it starts with.")
    test_positions: int = Field(default=1000, ge=1, description="For each row.")
    test_simulations: int = Field(default=100, ge=2, description="From each of them.")

    def __init__(self, **values: Any) -> None:  # noqa: ANN401
        if isinstance(told := values.pop("cycle", None), Mapping):
            told = LabelsOf.from_mapping(told)
        super().__init__(cycle=told, **values)
        if told is None and self.alpha_factor != 1:
            raise SettingsError(f"the run {self.name!r} is no cycle: it has no alpha_factor={self.alpha_factor:g}")
        if told is not None and self.data is not None:
            raise SettingsError(f"the run {self.name!r} is a cycle: it makes its own data, not {self.data!r}")
        if told is not None and self.steps % self.every:
            raise SettingsError(
                f"the run {self.name!r} is a cycle: {self.steps} steps are no whole rounds of {self.every}"
            )

    @property
    def stops(self) -> list[int]:
        """After how many steps there is a row."""
        return sorted({*range(0, self.steps, self.every), self.steps})


class LearningSettings(Settings):
    """All that the rows depend on."""

    seed: int = Field(ge=0, lt=2**63, description="Same seed, same labels, same policies.")
    labels: list[LabelsOf] = Field(min_length=1, description="Data sets.")
    run: list[_Run] = Field(min_length=1, description="Policies; one that starts with another comes after it.")
    plain: list[str] = Field(default=["uniform"], description="Policies that are measured beside them.")
    accuracy_simulations: int = Field(default=100, ge=2, description="Playouts from each position at the end.")

    def __init__(self, **values: Any) -> None:  # noqa: ANN401
        labels = [told if isinstance(told, LabelsOf) else LabelsOf.from_mapping(told) for told in values.pop("labels")]
        runs = [told if isinstance(told, _Run) else _Run.from_mapping(told) for told in values.pop("run")]
        super().__init__(labels=labels, run=runs, **values)
        known = {told.name for told in labels}
        earlier: set[str] = set()
        for told in runs:
            missing = ({told.test, told.data} - {None} - known) | ({told.start} - {None} - earlier)
            if missing or told.name in earlier:
                raise SettingsError(
                    f"the run {told.name!r} needs a name of its own, and labels and runs before it: "
                    f"{sorted(map(str, missing))}"
                )
            earlier.add(told.name)
            if told.cycle is not None:
                self.cycle_of(told)  # whether it fits

    def learning_of(self, run: _Run) -> PolicyLearningSettings:
        """How its policy is learnt."""
        test = self.labels_of(run.test)
        return PolicyLearningSettings(
            learner=run.learner,
            size=test.size,
            seed=self.seed,
            alpha=run.alpha,
            komi=test.komi,
            bias_simulations=run.simulations,
            gradient_simulations=run.simulations,
            baseline=run.baseline,
            weight_decay=run.weight_decay,
            largest_bias=run.largest_bias,
        )

    def cycle_of(self, run: _Run) -> PolicyCycleSettings:
        """The rounds of a run that is a cycle."""
        assert run.cycle is not None
        return PolicyCycleSettings(
            labels=run.cycle.settings(self.seed),
            learning=self.learning_of(run),
            steps=run.every,
            alpha_factor=run.alpha_factor,
        )

    def labels_of(self, name: str) -> LabelsOf:
        """The data set of that name."""
        return next(told for told in self.labels if told.name == name)

    def size(self, run: _Run) -> int:
        """Of its board."""
        return self.labels_of(run.test).size

    @property
    def sets(self) -> list[str]:
        """Those that errors are measured on."""
        return list(dict.fromkeys(run.test for run in self.run))

    def count_rows(self) -> int:
        """How many there will be."""
        curves = sum(len(run.stops) for run in self.run)
        return len(self.labels) + curves + len(self.run) + len(self.plain) * len(self.sets)


def run_learning(told: LearningSettings, rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Labels, then policies, then their errors: what is missing."""
    rows = read_rows(rows_path)
    there = {_key(row) for row in rows}
    if len(rows) >= told.count_rows():
        return
    places = {one.name: str(rows_path.parent / "labels" / f"{one.name}.parquet") for one in told.labels}
    runs = {one.name: rows_path.parent / "training" / one.name for one in told.run}

    def keep(result: dict[str, Any]) -> None:
        for row in result.get("rows", [result]):
            if _key(row) not in there:  # a run that was killed may have written some of them
                append_row(rows_path, row)
                rows.append(row)
                there.add(_key(row))
        tell(result["text"] if "text" in result else accuracy_text(result))

    def tell(text: str) -> None:
        progress(len(rows), text)

    def do(works: list[dict[str, Any]], function: str) -> None:
        results = executor.run(function, works)
        with closing(results):  # type: ignore[type-var]
            for _, result in results:
                keep(result)

    reports = [{"labels": one.name, "file": places[one.name], "checked": one.checked} for one in told.labels]
    reports = [work for work in reports if _key(work) not in there]
    errors = [
        accuracy_work(name, policy, test, places[test], told.accuracy_simulations, told.seed)
        for name, test, policy in _policies(told, runs)
    ]
    errors = [work for work in errors if _key(work) not in there]
    missing = _missing(told, there, {work["accuracy"] for work in errors}, runs)
    needed = {work["labels"] for work in reports} | {work["test"] for work in errors}
    needed |= {name for run in missing for name in (run.data, run.test) if name is not None}
    for one in told.labels:
        if one.name in needed:
            make_labels(one, told.seed, Path(places[one.name]), executor, tell)
    do(reports, f"{_HERE}:report_labels")
    for wave in _waves(told.run):
        works = [(run, _work(told, run, places, runs)) for run in wave if run in missing]
        do([work for run, work in works if run.cycle is None], f"{_HERE}:learn")
        for run, work in works:
            if run.cycle is not None:  # its labels are work for all
                keep(_learn_in_cycle(run, told.cycle_of(run), work, executor, tell))
    do(errors, MEASURE)


def _missing(
    told: LearningSettings, there: Container[tuple[Any, ...]], measured: Container[str], runs: Mapping[str, Path]
) -> list[_Run]:
    """Runs that lack rows, and those whose weights are to be measured or started from and are not there."""
    found: list[_Run] = []
    for run in reversed(told.run):  # those that start with others come after them
        has_rows = all(_key({"run": run.name, "steps": stop}) in there for stop in run.stops)
        is_used = run.name in measured or any(other.start == run.name for other in found)
        if not has_rows or (is_used and not snapshot_path(runs[run.name], run.steps).exists()):
            found.append(run)
    return found[::-1]


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a row is about, or the row that some work will make."""
    return tuple(row.get(name) for name in ("labels", "run", "steps", "accuracy", "test"))


def _waves(runs: Sequence[_Run]) -> Iterator[list[_Run]]:
    """Those that start with nothing, then those that start with one of them, and so on."""
    done: set[str] = set()
    left = list(runs)
    while left:
        wave = [run for run in left if run.start is None or run.start in done]
        yield wave
        done |= {run.name for run in wave}
        left = [run for run in left if run.name not in done]


def _work(told: LearningSettings, run: _Run, places: Mapping[str, str], runs: Mapping[str, Path]) -> dict[str, Any]:
    start = None
    if run.start is not None:
        first = next(one for one in told.run if one.name == run.start)
        start = str(snapshot_path(runs[run.start], first.steps))
    return {
        "run": run.name,
        "settings": told.learning_of(run).to_json(),
        "steps": run.steps,
        "stops": run.stops,
        "every": run.every,
        "data": None if run.data is None else places[run.data],
        "test": places[run.test],
        "start": start,
        "test_positions": run.test_positions,
        "test_simulations": run.test_simulations,
        "folder": str(runs[run.name]),
    }


def _policies(told: LearningSettings, runs: Mapping[str, Path]) -> Iterator[tuple[str, str, str]]:
    """(name, labels, policy) of all that is measured at the end."""
    for test in told.sets:
        yield from ((policy, test, policy) for policy in told.plain)
    for run in told.run:
        yield run.name, run.test, f"softmax-shapes({snapshot_path(runs[run.name], run.steps)})"


# ---- work for an executor --------------------------------------------------------------------------------------------


def report_labels(work: dict[str, Any]) -> dict[str, Any]:
    """What the labels of a file say, and whether they are true."""
    data = DataSet.load(work["file"])
    found = summarise(data, Rng(1).split("summary")).to_json()
    row: Row = {"labels": work["labels"], "size": data.width, **found}
    row |= {"player": data.settings["player"], "leaf_player": data.settings.get("leaf_player")}
    if work["checked"]:
        check = check_labels(data, most=work["checked"])
        row["check"] = {
            "tried": check.tried,
            "solved": check.solved,
            "mean_error": None if check.mean_error is None else round(check.mean_error, 6),
            "wrong": check.wrong,
        }
    text = f"{work['labels']}: {found['positions']:,} positions, {100 * found['above']:.0f} % above one half"
    return {"rows": [row], "text": text}


def learn(work: dict[str, Any]) -> dict[str, Any]:
    """Learns a policy, or what is left of it; a row for each stop."""
    folder = Path(work["folder"])
    settings = PolicyLearningSettings.from_mapping(work["settings"])
    result = learn_policy(
        settings,
        None if work["data"] is None else DataSet.load(work["data"]),
        steps=work["steps"],
        folder=folder,
        test=DataSet.load(work["test"]),
        start=work["start"],
        schedule=_schedule(work),
    )
    _keep_last(folder, result.weights_file, work["steps"])
    return _rows_of(work, settings)


def _learn_in_cycle(
    run: _Run, settings: PolicyCycleSettings, work: dict[str, Any], executor: Executor, tell: Callable[[str], object]
) -> dict[str, Any]:
    """The same in rounds."""
    learn_in_cycle(
        settings,
        rounds=run.steps // run.every,
        folder=Path(work["folder"]),
        executor=executor,
        test=DataSet.load(work["test"]),
        start=work["start"],
        schedule=_schedule(work),
        on_progress=lambda _, text: tell(f"{run.name}: {text}"),
    )
    return _rows_of(work, settings.learning)


def _schedule(work: Mapping[str, Any]) -> PolicySchedule:
    every = work["every"]
    return PolicySchedule(
        metrics_steps=every,
        snapshot_steps=every,
        test_positions=work["test_positions"],
        test_simulations=work["test_simulations"],
    )


def _rows_of(work: Mapping[str, Any], settings: PolicyLearningSettings) -> dict[str, Any]:
    """One for each stop, from what the folder says. They follow from the settings."""
    folder = Path(work["folder"])
    metrics = {row["steps"]: row for row in read_rows(folder / "metrics.jsonl")}
    own = {"run": work["run"], "learner": settings.learner, "size": settings.size, "alpha": settings.alpha}
    rows = [{**own, **_point(folder, settings.size, metrics[stop])} for stop in work["stops"]]
    return {"rows": rows, "text": f"{work['run']}: MSE {rows[0]['mse']:.4f} at first, {rows[-1]['mse']:.4f} at last"}


def _keep_last(folder: Path, checkpoint: Path, steps: int) -> None:
    """The end of a run is no snapshot if it is between two."""
    last = snapshot_path(folder, steps)
    if not last.exists():
        last.write_bytes(checkpoint.read_bytes())


def _point(folder: Path, size: int, metrics: Mapping[str, Any]) -> Row:
    steps = metrics["steps"]
    row: Row = {"steps": steps, "mse": round(metrics["mse"], 6), "corrected_mse": round(metrics["corrected_mse"], 6)}
    file = snapshot_path(folder, steps)
    if file.exists():
        row["theta"] = [round(float(weight), _DIGITS) for weight in load_policy_weights(file, board_size=size).theta]
        row["first"] = _first_moves(file, size)
    return row


def _first_moves(file: Path, size: int) -> dict[str, float]:
    """The chance of a first move in the corner, amid an edge and in the centre, in those of a uniform one."""
    game = GoGame(size)
    _, moves = policy_moves(game, game.initial_state(), f"softmax-shapes({file})")
    middle = size // 2
    places = {"corner": (0, 0), "edge": (0, middle), "centre": (middle, middle)}
    return {name: round(moves[point_at(*place, size)] * size * size, 6) for name, place in places.items()}  # type: ignore[index]
