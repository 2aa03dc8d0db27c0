"""The experiments on networks that learn: each once, small, and their verdicts on rows made by hand."""

import json
import shutil
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_ind

from katachi.arena.executor import InProcess
from katachi.arena.statistics import Score
from katachi.core.errors import EngineError, InvalidArgumentError, SettingsError, StoreError
from katachi.experiments.duels import at_least
from katachi.experiments.experiment import Row, append_row, read_rows
from katachi.experiments.ledger import load_ledger
from katachi.experiments.network_players.ends import call_ends
from katachi.experiments.network_players.findings import end_findings, factor, widths
from katachi.experiments.network_players.games import (
    best_candidate,
    best_of_all,
    calls_of,
    shown_of_cell,
    used_to_choose,
)
from katachi.experiments.network_results import (
    Cell,
    Mean,
    cells_of,
    chi_square,
    gap_between,
    is_above,
    is_as_good,
    is_equal,
    reaches,
    reaches_before,
    stays_below,
)
from katachi.experiments.network_runs import NetworkRuns, TestOf, run_network, snapshot_path, train_networks
from katachi.experiments.registry import experiment
from katachi.experiments.results import run_experiment
from katachi.games.go.game import GoGame
from katachi.training.network_learning import LearningSchedule, NetworkLearningSettings, learn
from katachi.values.network import NetworkSettings
from katachi.values.network_file import NetworkHeader, save_network
from tests.unit.experiment_smoke import check_smoke
from tests.unit.go_duel_checks import answers

EXPERIMENTS = (
    "network-ablations", "network-beyond", "network-grid", "network-inputs", "network-long", "network-mu",
    "network-opponents", "network-players",
)  # fmt: skip
SMALL: dict[str, Any] = {
    "seed": 1,
    "window": 10,
    "run": [{"games": 30, "runs": 1}],
    "test": [{"opponent": "wally", "games": 4, "after": [10, 30]}, {"opponent": "wally", "games": 6}],
}


def a_test(after: int, share: float, score: float = 4.0, games: int = 200, **told: Any) -> Row:  # noqa: ANN401
    """A test in which so many per cent were won."""
    shared = {"opponent": "wally", "depth": 2, "opening_plies": 2, "positive_score": max(score, 0.0)}
    return {**shared, "after": after, "games": games, "wins": round(games * share / 100), "score": score, **told}


def run_row(
    shares: dict[int, float], *, trainer: str = "rprop", rule: str = "td-mu", name: str = "", number: int = 1,
    score: float = 4.0, tests: tuple[Row, ...] = (),
) -> Row:  # fmt: skip
    """A run that won so many per cent after so many games."""
    games = max(shares)
    curve = {"games": [games], "wins": [0.5], "score": [1.0], "positive_score": [2.0]}
    own = {"name": name, "trainer": trainer, "rule": rule, "number": number, "kind": "run", "games": games, "seed": 1}
    told = [a_test(after, share, score) for after, share in shares.items()]
    return {**own, "curve": curve, "tests": [*told, *tests], "seconds": 1.0}


def cell(*shares: dict[int, float], **told: Any) -> Cell:  # noqa: ANN401
    """A cell whose runs won so much."""
    rows = [run_row(own, number=number, **told) for number, own in enumerate(shares, 1)]
    (found,) = cells_of(rows)
    return found


def three(shares: dict[int, float], **told: Any) -> list[Row]:  # noqa: ANN401
    """Three runs that hardly differ."""
    return [
        run_row({after: share + gap for after, share in shares.items()}, number=number, **told)
        for number, gap in enumerate((-1, 0, 1), 1)
    ]


def verdict(id: str, row: str, *rows: Row) -> str:
    return answers(id, *rows)[row].verdict


class TestExperiments:
    @pytest.mark.parametrize("id", EXPERIMENTS)
    def test_smoke(self, id: str, tmp_path: Path) -> None:
        check_smoke(id, tmp_path)

    @pytest.mark.parametrize("id", EXPERIMENTS)
    def test_nothing_is_there(self, id: str) -> None:
        with pytest.raises(InvalidArgumentError, match="yet"):
            answers(id)

    def test_every_claim_has_its_experiment(self) -> None:
        answered = [row for id in EXPERIMENTS for row in experiment(id).description.rows]
        assert len(answered) == len(set(answered))
        assert set(answered) == {row.id for row in load_ledger() if row.source == "Ekker 2003"}


class TestRuns:
    @staticmethod
    def works(folder: Path) -> dict[str, Any]:
        (run,) = NetworkRuns.from_mapping(SMALL).runs()
        return {
            **run.key, "kind": "run", "games": run.games, "window": 10, "points": run.points(),
            "settings": run.settings.to_json(), "tests": [test.model_dump(mode="json") for test in run.tests],
            "test_seed": 1501, "folder": str(folder),
        }  # fmt: skip

    @staticmethod
    def told(row: Row) -> Row:
        return {key: value for key, value in row.items() if key != "seconds"}

    def test_goes_on_from_any_window(self, tmp_path: Path) -> None:
        whole = run_network(self.works(tmp_path / "whole"))
        work = self.works(tmp_path / "parts")
        settings = NetworkLearningSettings.from_json(work["settings"])
        schedule = LearningSchedule(checkpoint_games=10, metrics_games=10, snapshot_games=10, curves=False)
        learn(settings, games=20, folder=tmp_path / "parts", schedule=schedule)
        assert self.told(run_network(work)) == self.told(whole)
        assert whole["curve"]["games"] == [10, 20, 30]
        assert [(test["after"], test["games"]) for test in whole["tests"]] == [(10, 4), (30, 4), (30, 6)]

    def test_a_lost_snapshot_comes_back(self, tmp_path: Path) -> None:
        whole = run_network(self.works(tmp_path))
        snapshot_path(tmp_path, 10).unlink()
        assert self.told(run_network(self.works(tmp_path))) == self.told(whole)

    def test_runs_of_one_number_have_one_seed(self) -> None:
        told = NetworkRuns.from_mapping({**SMALL, "run": [{"trainers": ["rprop", "residual"], "games": 5, "runs": 2}]})
        assert [(run.trainer, run.number, run.settings.seed) for run in told.runs()] == [
            ("rprop", 1, 1001), ("residual", 1, 1001), ("rprop", 2, 1002), ("residual", 2, 1002),
        ]  # fmt: skip
        assert {run.settings.schedule_games for run in told.runs()} == {5}
        assert {run.trainer: run.settings.lambda_ for run in told.runs()} == {"rprop": 0.5, "residual": 0.0}

    def test_runs_that_cannot_be_told_apart(self) -> None:
        with pytest.raises(SettingsError, match="need names"):
            NetworkRuns.from_mapping({**SMALL, "run": [{"games": 5}, {"games": 6}]})

    def test_rows_of_something_else_are_named(self, tmp_path: Path) -> None:
        append_row(tmp_path / "rows.jsonl", {"game": 1})
        with pytest.raises(StoreError, match="line 1 is no row of networks"):
            train_networks(
                NetworkRuns.from_mapping(SMALL), tmp_path / "rows.jsonl", InProcess(), lambda _done, _text: None
            )

    def test_points_beyond_the_training_are_left_out(self) -> None:
        (run,) = NetworkRuns.from_mapping({**SMALL, "test": [TestOf(opponent="wally", after=[10, 90])]}).runs()
        assert run.points([20]) == [10, 20, 30]


class TestStatistics:
    def test_mean_of_runs(self) -> None:
        mean = Mean((70.0, 74.0, 78.0))
        assert mean.value == 74
        assert mean.error == pytest.approx(4 / 3**0.5)
        # 4.3027 is the 97.5 % quantile of Student's t with 2 degrees of freedom.
        assert mean.interval == pytest.approx((74 - 4.30265 * mean.error, 74 + 4.30265 * mean.error), abs=1e-3)
        assert Mean((70.0,)).interval == (-inf, inf)

    def test_gap_is_welchs(self) -> None:
        one, other = (1.0, 2.0, 3.0), (4.0, 6.0, 8.0)
        gap, low, high = gap_between(Mean(one), Mean(other))
        expected = ttest_ind(one, other, equal_var=False).confidence_interval()
        assert gap == -4
        assert (low, high) == pytest.approx((expected.low, expected.high))
        assert gap_between(Mean((1.0,)), Mean((2.0, 3.0)))[1:] == (-inf, inf)
        assert gap_between(Mean((1.0, 1.0)), Mean((3.0, 3.0))) == (-2, -2, -2)

    def test_chi_square_of_the_printed_table(self) -> None:
        """Pooled percentages of Table 1 with about 2,000 games for each rule give the printed p = 0.0005."""
        rules = [Score(round(20.0 * share), 2000) for share in (98 / 3, 96 / 3, 112 / 3)]
        statistic, degrees, p = chi_square(rules)
        assert degrees == 2
        assert statistic == pytest.approx(14.3, abs=1)
        assert p == pytest.approx(0.0005, abs=0.0005)
        trainers = [Score(round(20.0 * share), 2000) for share in (41 / 3, 130 / 3, 135 / 3)]
        assert chi_square(trainers)[2] < 1e-4
        assert chi_square([Score(3, 3), Score(2, 2)])[2] == 1.0

    def test_chi_square_by_hand(self) -> None:
        # 30 of 100 and 50 of 100: expected 40 and 60 each, 2 * (100/40 + 100/60).
        assert chi_square([Score(30, 100), Score(50, 100)])[0] == pytest.approx(25 / 3)


class TestFindings:
    @pytest.mark.parametrize(
        ("one", "other", "by", "expected"),
        [
            ((80, 81, 82), (60, 61, 62), 0, "reproduced"),
            ((60, 70, 80), (58, 68, 78), 0, "partly"),
            ((60, 61, 62), (80, 81, 82), 0, "not"),
            ((80, 81, 82), (60, 61, 62), 20, "reproduced"),
            ((80, 81, 82), (60, 61, 62), 30, "not"),
            ((80, 81, 82), (60, 61, 62), 21, "partly"),
            ((60, 61, 62), (61, 62, 63), -1, "reproduced"),
        ],
    )
    def test_above(self, one: tuple[float, ...], other: tuple[float, ...], by: float, expected: str) -> None:
        assert is_above("", Mean(one), Mean(other), by=by).verdict == expected

    def test_single_runs_are_never_certain(self) -> None:
        assert is_above("", Mean((90.0,)), Mean((10.0,))).verdict == "partly"
        assert is_as_good("", Mean((90.0,)), Mean((10.0,))).verdict == "partly"
        assert is_above("", None, Mean((10.0,))).verdict == "partly"

    @pytest.mark.parametrize(
        ("one", "other", "expected"),
        [
            ((70, 72, 74), (71, 73, 75), "reproduced"),
            ((70, 72, 74), (73, 75, 77), "partly"),
            ((50, 52, 54), (73, 75, 77), "not"),
        ],
    )
    def test_as_good(self, one: tuple[float, ...], other: tuple[float, ...], expected: str) -> None:
        assert is_as_good("", Mean(one), Mean(other)).verdict == expected

    @pytest.mark.parametrize(
        ("one", "other", "within", "expected"),
        [
            ((70, 72, 74), (71, 73, 75), 3, "reproduced"),
            ((70, 72, 74), (74, 76, 78), 3, "partly"),
            ((50, 52, 54), (73, 75, 77), 3, "not"),
            ((70, 72, 74), (74, 76, 78), None, "reproduced"),
            ((50, 52, 54), (73, 75, 77), None, "not"),
        ],
    )
    def test_equal(self, one: tuple[float, ...], other: tuple[float, ...], within: float | None, expected: str) -> None:
        assert is_equal("", Mean(one), Mean(other), within).verdict == expected

    def test_reaches(self) -> None:
        found = cell(
            {1000: 50, 5000: 75, 10_000: 72}, {1000: 52, 5000: 73, 10_000: 70}, {1000: 51, 5000: 74, 10_000: 71}
        )  # fmt: skip
        assert found.first_at(70) == 5000
        assert reaches("", found, 70, 10_000).verdict == "reproduced"
        assert reaches("", found, 70, 1000).verdict == "not"
        assert reaches("", found, 90, 10_000).verdict == "not"
        assert reaches("", found, 77, 10_000).verdict == "partly"
        assert reaches("", found, 90, 20_000).verdict == "partly"  # it was not trained so long
        assert reaches("", found, 70, 500).verdict == "partly"
        assert reaches("", None, 70, 500).verdict == "partly"

    def test_a_bar_is_missed_if_runs_exclude_it_too(self) -> None:
        # 440 of 600 are 73.3 %, up to 76.7 by games alone; runs that differ like that reach to 104.6.
        apart = cell(*({1000: share} for share in (60.0, 75.0, 85.0)))
        assert at_least(Score(440, 600), 80) == "not"
        assert reaches("", apart, 80, 1000).verdict == "partly"
        assert reaches("", cell(*({1000: share} for share in (73.0, 73.0, 74.0))), 80, 1000).verdict == "not"
        # One run tells nothing about others: its games decide.
        assert reaches("", cell({1000: 60}), 80, 1000).verdict == "not"

    def test_interval_of_the_best_of_several(self) -> None:
        # Student's t of 2 degrees: 4.3027 at 97.5 %, 9.9248 at 99.5 %.
        mean = Mean((70.0, 74.0, 78.0))
        assert mean.interval_of_best(1) == mean.interval
        assert mean.interval_of_best(5)[1] == pytest.approx(74 + 9.9248 * 4 / 3**0.5, abs=1e-3)

    def test_before(self) -> None:
        fast, slow = cell({1000: 75, 10_000: 75}), cell({1000: 40, 10_000: 75})
        never = cell({1000: 40, 10_000: 45})
        assert reaches_before("", fast, slow, 70).verdict == "reproduced"
        assert reaches_before("", fast, fast, 70).verdict == "not"
        assert reaches_before("", slow, fast, 70).verdict == "not"
        assert reaches_before("", fast, slow, 70, factor=5).verdict == "reproduced"
        assert reaches_before("", fast, slow, 70, factor=20).verdict == "not"
        assert reaches_before("", fast, never, 70, factor=5).verdict == "reproduced"
        assert reaches_before("", fast, never, 70, factor=20).verdict == "partly"
        assert reaches_before("", never, fast, 70).verdict == "not"
        assert reaches_before("", never, never, 70).verdict == "partly"
        # The means say so, and one of two pairs of runs does not.
        mixed = cell({1000: 72, 10_000: 75}, {1000: 40, 10_000: 75})
        found = reaches_before("", cell({1000: 75, 10_000: 75}, {1000: 75, 10_000: 75}), mixed, 70)
        assert found.verdict == "partly"
        assert "so in 1 of 2 pairs" in found.text

    def test_below(self) -> None:
        low, high = cell({1000: 30, 10_000: 35}), cell({1000: 30, 10_000: 45})
        assert stays_below("", low, 40, 10_000).verdict == "reproduced"
        assert stays_below("", low, 40, 100_000).verdict == "partly"
        assert stays_below("", high, 40, 100_000).verdict == "not"

    def test_tests_of_one_point_are_added(self) -> None:
        found = cell({10: 50}, tests=(a_test(10, 80, games=600), a_test(10, 10, opening_plies=0)))
        assert found.tested() == Score(100 + 480, 800)
        assert found.shares() == Mean((100 * 580 / 800,))
        assert found.shares(opening_plies=0) == Mean((10.0,))
        assert found.shares(opponent="random") is None


class TestGrid:
    ID = "network-grid"

    @staticmethod
    def as_printed() -> list[Row]:
        """What the source says."""
        rows = three({500: 20, 1000: 30, 2000: 40, 100_000: 58}, trainer="backpropagation", score=0)
        for rule in ("td-directed", "td-leaf"):
            rows += three({1000: 30, 100_000: 50}, trainer="backpropagation", rule=rule, score=0)
        rows += three({500: 30, 1000: 50, 2000: 62, 10_000: 76}, trainer="rprop", score=4)
        rows += three({500: 60, 1000: 71, 2000: 72, 10_000: 73}, trainer="residual", score=1)
        rows += three({500: 40, 1000: 60, 2000: 70, 10_000: 84}, trainer="residual-lambda", score=9)
        for rule, gap in (("td-directed", 0), ("td-leaf", 1)):
            start = 10 if rule == "td-leaf" else 0
            rows += three({1000: 40 + start, 10_000: 68 + gap}, trainer="rprop", rule=rule)
            rows += three({1000: 40, 10_000: 60 + gap}, trainer="residual-lambda", rule=rule)
            rows += three({1000: 40, 10_000: 73}, trainer="residual", rule=rule)
        for row in rows:
            if row["trainer"] == "residual-lambda" and row["rule"] == "td-mu":
                row["tests"] = [{**test, "score": 9 + row["number"] / 10} for test in row["tests"]]
        return rows

    def test_as_printed(self) -> None:
        found = answers(self.ID, *self.as_printed())
        assert {id: answer.verdict for id, answer in found.items()} == dict.fromkeys(found, "reproduced")

    def test_back_propagation_that_is_as_fast(self) -> None:
        rows = [row for row in self.as_printed() if row["trainer"] != "backpropagation"]
        rows += three({500: 30, 1000: 50, 2000: 62, 10_000: 80}, trainer="backpropagation", score=5)
        assert verdict(self.ID, "ekker-h2", *rows) == "not"
        assert verdict(self.ID, "ekker-fig-14", *rows) == "partly"

    def test_back_propagation_that_wins_more_than_residual_lambda(self) -> None:
        rows = [row for row in self.as_printed() if row["trainer"] != "backpropagation"]
        rows += three({10_000: 90}, trainer="backpropagation")
        found = answers(self.ID, *rows)["ekker-x12"]
        assert found.verdict == "partly"
        assert "td-mu, Residual-lambda above back-propagation: 84.0 and 90.0, -6.0 points (-8.3 to -3.7) [not so]" in (
            found.result
        )
        assert "td-leaf, Residual-lambda above back-propagation: not run" in found.result

    def test_rules_the_other_way_round(self) -> None:
        swapped = {"td-mu": "td-directed", "td-directed": "td-mu", "td-leaf": "td-leaf"}
        rows = [{**row, "rule": swapped[row["rule"]]} for row in self.as_printed()]
        assert verdict(self.ID, "ekker-h6", *rows) == "not"
        assert verdict(self.ID, "ekker-h7", *rows) == "not"

    def test_a_part_is_not_certain(self) -> None:
        rows = [row for row in self.as_printed() if row["trainer"] == "rprop"]
        assert verdict(self.ID, "ekker-h3", *rows) == "reproduced"
        assert verdict(self.ID, "ekker-h4", *rows) == "partly"


class TestOthers:
    @staticmethod
    def inputs(board: float, last: int) -> list[Row]:
        rows = []
        for rule in ("td-mu", "td-directed"):
            rows += three({1000: 65, 10_000: 76}, name="full", rule=rule)
            rows += three({1000: 30, 10_000: board, last: board}, name="board", rule=rule)
        return rows

    @pytest.mark.parametrize(
        ("board", "last", "headline", "figure"),
        [
            (35, 300_000, "reproduced", "reproduced"),
            (35, 20_000, "reproduced", "partly"),  # not long enough
            (55, 300_000, "reproduced", "partly"),
            (70, 300_000, "not", "partly"),
        ],
    )
    def test_inputs(self, board: float, last: int, headline: str, figure: str) -> None:
        rows = self.inputs(board, last)
        assert verdict("network-inputs", "ekker-h1", *rows) == headline
        assert verdict("network-inputs", "ekker-fig-13", *rows) == figure

    def test_inputs_by_one_rule(self) -> None:
        rows = [row for row in self.inputs(35, 300_000) if row["rule"] == "td-mu"]
        assert verdict("network-inputs", "ekker-h1", *rows) == "partly"

    @pytest.mark.parametrize(
        ("wins", "score", "expected"), [(74, 3.0, "reproduced"), (74, 6.0, "partly"), (50, 6.0, "not")]
    )
    def test_long_runs(self, wins: float, score: float, expected: str) -> None:
        rows = []
        for trainer in ("rprop", "residual-lambda"):
            for number in (1, 2, 3):
                own = run_row({10_000: 75 + number, 40_000: wins + number}, trainer=trainer, number=number)
                own["tests"][0]["score"], own["tests"][1]["score"] = 5.0 + number / 10, score + number / 10
                rows.append(own)
        assert verdict("network-long", "ekker-figs-19-20", *rows) == expected

    @pytest.mark.parametrize(
        ("name", "row", "share", "expected"),
        [
            ("fills-eyes", "ekker-x3", 40, "reproduced"),
            ("fills-eyes", "ekker-x3", 75, "not"),
            ("no-captures", "ekker-x4", 60, "reproduced"),
            ("no-captures", "ekker-x4", 75, "partly"),
            ("ko-input", "ekker-x6", 75, "reproduced"),
            ("ko-input", "ekker-x6", 60, "not"),
            ("other", "ekker-x6", 60, "partly"),
        ],
    )
    def test_ablations(self, name: str, row: str, share: float, expected: str) -> None:
        rows = three({10_000: 75}, name="base") + three({10_000: share}, name=name)
        assert verdict("network-ablations", row, *rows) == expected

    @pytest.mark.parametrize(("share", "expected"), [(60, "reproduced"), (75, "reproduced"), (85, "not")])
    def test_win_or_loss_is_beside_stones_without_captures(self, share: float, expected: str) -> None:
        rows = three({10_000: 50}, name="base") + three({10_000: share}, name="win-reward")
        assert verdict("network-ablations", "ekker-x2", *rows) == "partly"
        rows += three({10_000: 80}, name="no-captures")
        assert verdict("network-ablations", "ekker-x2", *rows) == expected

    @pytest.mark.parametrize(
        ("plans", "after_openings", "headline", "both"),
        [
            ((100, 100, 100), 60, "reproduced", "reproduced"),
            ((100, 100, 100), 99, "reproduced", "partly"),
            ((50, 100, 50), 60, "partly", "partly"),
            ((50, 50, 50), 60, "not", "not"),
        ],
    )
    def test_one_opening(self, plans: tuple[int, ...], after_openings: float, headline: str, both: str) -> None:
        rows = [
            run_row(
                {30_000: after_openings}, name="one-opening", rule="td-directed", number=number,
                tests=(a_test(30_000, plan, games=100, opening_plies=0),),
            )
            for number, plan in enumerate(plans, 1)
        ]  # fmt: skip
        assert verdict("network-ablations", "ekker-h8", *rows) == headline
        assert verdict("network-ablations", "ekker-x1", *rows) == both

    @pytest.mark.parametrize(("share", "expected"), [(40, "reproduced"), (74, "not"), (56, "partly")])
    def test_self_play(self, share: float, expected: str) -> None:
        rows = three({10_000: 75}, name="wally") + three({10_000: share}, name="self")
        assert verdict("network-opponents", "ekker-x5", *rows) == expected

    @pytest.mark.parametrize(
        ("whole", "directed", "expected"),
        [(85, 85.5, "reproduced"), (76, 76, "partly"), (85, 95, "not"), (60, 60, "not"), (60, 95, "not")],
    )
    def test_readings_of_mu(self, whole: float, directed: float, expected: str) -> None:
        rows = []
        for trainer in ("rprop", "residual-lambda"):
            rows += three({10_000: 75}, trainer=trainer, name="printed")
            rows += three({10_000: whole}, trainer=trainer, name="with-reward")
            rows += three({10_000: directed}, trainer=trainer, name="directed", rule="td-directed")
        found = experiment("network-mu")
        assert found.runner.summarise(rows, found.claim).verdict == expected

    @pytest.mark.parametrize(
        ("both", "leaves", "expected"),
        [(91, 90, "reproduced"), (70, 90, "partly"), (91, 60, "partly"), (70, 60, "not")],
    )
    def test_what_is_made_of_two(self, both: float, leaves: float, expected: str) -> None:
        rows = []
        for rule in ("td-directed", "td-mu"):
            rows += three({10_000: 90}, trainer="rprop", rule=rule) + three({10_000: 88}, trainer="residual", rule=rule)
            rows += three({10_000: both}, trainer="residual-rprop", rule=rule)
        rows += three({10_000: 85}, rule="td-leaf") + three({10_000: leaves}, rule="td-leaf-mu")
        found = experiment("network-beyond")
        summary = found.runner.summarise(rows, found.claim)
        assert summary.verdict == expected
        assert "TD-leaf(mu) and td-mu, with RPROP" in summary.result


def match(
    trainer: str, rule: str, won: float, *, stage: str = "judged", games: int = 200, after: int = 10_000,
    number: int = 1, chunk: int = 0,
) -> Row:  # fmt: skip
    """Games against GNU Go, of which so many per cent were won."""
    own = {"name": "", "trainer": trainer, "rule": rule, "number": number, "kind": "match", "stage": stage}
    told = {"chunk": chunk, "after": after, "opponent": "gnugo", "depth": 3, "games": games}
    return {**own, **told, "wins": round(games * won / 100), "score": -2.0, "positive_score": 5.0}


def called(trainer: str, rule: str, *shares: int, number: int = 1) -> Row:
    """Right calls in per cent, snapshot by snapshot."""
    calls = [
        {"after": 1000 * (1 + place), "right": 20 * share, "of": 2000, "mse": 0.1} for place, share in enumerate(shares)
    ]
    return {"name": "", "trainer": trainer, "rule": rule, "number": number, "kind": "ends", "calls": calls}


class TestPlayers:
    ID = "network-players"

    @classmethod
    def as_printed(cls, gaps: tuple[float, ...] = (0, -1, 1)) -> list[Row]:
        """The best run of a cell, which games choose, has what is printed; others differ by so much."""
        rows = []
        for trainer, own in experiment(cls.ID).claim.numbers["table"].items():
            for rule, (share, _) in own.items():
                for number, gap in enumerate(gaps, 1):
                    rows.append(match(trainer, rule, share + gap, number=number))
                    chosen = share + (5 if number == 1 else 0)
                    rows.append(match(trainer, rule, chosen, stage="choice", games=100, number=number))
                    start, end = (50, 62) if trainer == "residual-lambda" else (60, 60)
                    last = end + 5 * (rule == "td-mu") + number
                    rows.append(called(trainer, rule, start + number, last, number=number))
        rows += [match("rprop", "td-mu", 49, stage="headline", games=500, chunk=chunk) for chunk in (0, 1)]
        return rows

    def test_as_printed(self) -> None:
        found = answers(self.ID, *self.as_printed())
        # Intervals as narrow as those that are printed are not to be had with 1,000 games.
        assert {id: answer.verdict for id, answer in found.items() if id != "ekker-x16"} == dict.fromkeys(
            found.keys() - {"ekker-x16"}, "reproduced"
        )
        assert found["ekker-x16"].verdict == "partly"
        assert found["ekker-x16"].result.count("[not so]") == 1
        assert "run 1 after 10,000 games, which 152 of 300 games chose, wins 49.0 %" in found["ekker-h9"].result

    def test_the_best_is_judged_by_other_games(self) -> None:
        rows = [
            match("rprop", "td-mu", 60, stage="choice", after=5000), match("rprop", "td-mu", 40, stage="choice"),
            match("rprop", "td-mu", 50, stage="choice", number=2), match("residual", "td-mu", 50, stage="choice"),
        ]  # fmt: skip
        assert best_candidate(rows, "rprop", "td-mu", 1) == ("rprop", "td-mu", 1, 5000)
        assert best_candidate(rows, "rprop", "td-mu", 2) == ("rprop", "td-mu", 2, 10_000)
        with pytest.raises(InvalidArgumentError, match="no games have chosen"):
            best_of_all(rows)
        rows += [
            match("rprop", "td-mu", 30, after=5000), match("rprop", "td-mu", 40, number=2),
            match("residual", "td-mu", 36),
        ]  # fmt: skip
        assert shown_of_cell(rows, ("rprop", "td-mu")) == ("rprop", "td-mu", 1, 5000)
        # 45 % of 400 each for the first two; then 43 %. Of equals the score decides, then the name.
        assert used_to_choose(rows)["rprop", "td-mu", 1, 5000].score == Score(180, 400)
        rows.append(match("rprop", "td-mu", 41, number=2, chunk=1, games=100))
        assert best_of_all(rows) == ("rprop", "td-mu", 1, 5000)
        rows.append(match("rprop", "td-mu", 90, number=2, chunk=2, games=100))
        assert best_of_all(rows) == ("rprop", "td-mu", 2, 10_000)
        # What judges is neither of the two.
        assert verdict(self.ID, "ekker-h9", *rows) == "partly"
        assert "not run" in answers(self.ID, *rows)["ekker-h9"].result
        rows.append(match("rprop", "td-mu", 99, stage="headline", number=1, after=5000))
        assert verdict(self.ID, "ekker-h9", *rows) == "partly"
        rows.append(match("rprop", "td-mu", 30, stage="headline", number=2))
        assert verdict(self.ID, "ekker-h9", *rows) == "not"

    @pytest.mark.parametrize(
        ("won", "games", "expected"),
        [(60, 100, "partly"), (40, 1000, "reproduced"), (38, 1000, "partly"), (36, 1000, "not")],
    )
    def test_the_headline(self, won: int, games: int, expected: str) -> None:
        rows = [match("rprop", "td-mu", 60, stage="choice"), match("rprop", "td-mu", 60)]
        rows.append(match("rprop", "td-mu", won, stage="headline", games=games))
        assert verdict(self.ID, "ekker-h9", *rows) == expected

    @pytest.mark.parametrize(
        ("gaps", "trainer", "rule"),
        [
            ((0, -1, 1), "reproduced", "reproduced"),
            # Chi-square of all games is the same; runs differ by more than rules do.
            ((0, -10, 10), "reproduced", "partly"),
            ((0,), "partly", "not"),
        ],
    )
    def test_runs_decide_whether_a_factor_matters(self, gaps: tuple[float, ...], trainer: str, rule: str) -> None:
        rows = self.as_printed(gaps)
        numbers = experiment(self.ID).claim.numbers
        trainers, rules = (factor(rows, place, numbers["p"], numbers["table"]) for place in (0, 1))
        assert (trainers.verdict, rules.verdict) == (trainer, rule)
        assert ("F(2, 18)" in rules.text) == (len(gaps) > 1)

    def test_a_factor_that_matters_the_other_way_round(self) -> None:
        """TD(mu) loses what TD-directed wins, and the other way round."""
        turned = {"td-mu": "td-directed", "td-directed": "td-mu"}
        rows = [{**row, "rule": turned.get(row["rule"], row["rule"])} for row in self.as_printed()]
        numbers = experiment(self.ID).claim.numbers
        trainers, rules = (factor(rows, place, numbers["p"], numbers["table"]) for place in (0, 1))
        assert (trainers.verdict, rules.verdict) == ("reproduced", "partly")
        assert "td-directed is the best (printed td-mu)" in rules.text
        assert "rprop is the best (printed rprop)" in trainers.text

    def test_a_part_of_the_games_is_told(self) -> None:
        """The run that games have chosen is judged last."""
        rows = [
            row for row in self.as_printed() if row["number"] > 1 or row["kind"] != "match" or row["stage"] == "choice"
        ]
        found = experiment(self.ID)
        table = found.runner.summarise(rows, found.claim).table
        assert {line[4] for line in table} == {"10,000 games, run 3"}
        assert verdict(self.ID, "ekker-h9", *rows) == "partly"

    def test_back_propagation_is_beside_the_table(self) -> None:
        rows = self.as_printed()
        before = answers(self.ID, *rows)
        for rule in ("td-directed", "td-leaf", "td-mu"):
            for number in (1, 2, 3):
                rows.append(match("backpropagation", rule, 1, number=number))
                rows.append(match("backpropagation", rule, 1, stage="choice", number=number))
        assert answers(self.ID, *rows) == before
        found = experiment(self.ID)
        assert [line[0] for line in found.runner.summarise(rows, found.claim).table][-3:] == ["backpropagation"] * 3

    def test_trainers_are_compared_run_by_run(self) -> None:
        """Residual with 11, 11 and 19 %, RPROP with 42, 44 and 49: 31.3 points, whatever the games are."""
        text = answers(self.ID, *self.as_printed())["ekker-table-1"].result
        # Runs differ by -1, 0 and 1 within each of 9 cells: variance 1, t of 18 degrees 2.1009, sqrt(2 / 9) = 0.4714.
        assert "rprop above residual: 45.0 and 13.7 %, +31.3 points (+30.3 to +32.3)" in text
        one_run = answers(self.ID, *self.as_printed((0,)))["ekker-table-1"]
        assert one_run.verdict == "partly"
        assert "one run a cell" in one_run.result

    def test_intervals_of_games(self) -> None:
        """Ten chunks of 100 games, 40 of each won, scores -2 and 0 in turn: 1,000 games, and a t of 9 degrees."""
        rows = [match("rprop", "td-mu", 40, stage="headline", games=100, chunk=chunk) for chunk in range(10)]
        for row in rows[::2]:
            row["score"] = 0.0
        found = widths(rows, {"wins": 0.6, "score": 0.2, "games": 1000})
        # Wilson: 1.96 * sqrt(0.24 / 1000) = 3.04 points. Scores: sqrt(10 / 9) / sqrt(10) * 2.262 = 0.754.
        assert "± 3.0 points of wins and ± 0.8 of score over 1,000 games" in found.text
        assert found.verdict == "not"
        assert widths(rows, {"wins": 3.1, "score": 0.8, "games": 1000}).verdict == "reproduced"
        assert widths(rows[:9], {"wins": 0.6, "score": 0.2, "games": 1000}).verdict == "partly"

    @pytest.mark.parametrize(("share", "expected"), [(70, "reproduced"), (59, "partly"), (40, "not")])
    def test_end_positions(self, share: int, expected: str) -> None:
        rows = [match("rprop", "td-mu", 60, stage="choice"), match("rprop", "td-mu", 60)]
        for number in (1, 2, 3):
            rows += [
                called(trainer, "td-mu", 50, share + number - 2, number=number)
                for trainer in ("rprop", "residual-lambda")
            ]
        assert verdict(self.ID, "ekker-h10", *rows) == expected

    def test_positions_are_counted_once_for_all_runs(self) -> None:
        rows = [called("rprop", "td-mu", 60, 70 + number, number=number) for number in (3, 1, 2)]
        assert calls_of(rows) == {("rprop", "td-mu"): {1000: Mean((60.0,) * 3), 2000: Mean((71.0, 72.0, 73.0))}}
        assert calls_of(rows, "mse")["rprop", "td-mu"][1000] == Mean((0.1,) * 3)

    def test_runs_rise_or_not(self) -> None:
        """Each run gains 10 points, though runs differ by far more than that."""
        rows = [
            called("residual-lambda", "td-leaf", start, start + 10 + number, number=number)
            for number, start in enumerate((20, 50, 80))
        ]
        found = [one for one in end_findings(calls_of(rows), 60) if one.text.startswith("td-leaf rises")]
        assert [one.verdict for one in found] == ["reproduced"]
        assert "by 11.0 (8.5 to 13.5)" in found[0].text  # 4.3027 / sqrt(3) = 2.48

    def test_a_network_without_an_opinion_calls_everything_lost(self, tmp_path: Path) -> None:
        settings = NetworkSettings(hidden=(2,))
        header = NetworkHeader.of(GoGame(5), settings)
        (tmp_path / "snapshots").mkdir()
        save_network(snapshot_path(tmp_path, 7), header, np.zeros(32 * 2 + 2 + 2 + 1))
        ends = [{"stones": "X" * 5 + "." * 20, "margin": 25.0}, {"stones": "." * 20 + "O" * 5, "margin": -25.0}]
        (tmp_path / "ends.jsonl").write_text("".join(json.dumps(end) + "\n" for end in ends), encoding="utf-8")
        own = {"name": "", "trainer": "rprop", "rule": "td-mu", "number": 1, "kind": "ends"}
        row = call_ends({**own, "points": [7], "folder": str(tmp_path), "file": str(tmp_path / "ends.jsonl")})
        assert row["calls"] == [{"after": 7, "right": 2, "of": 4, "mse": 0.25}]

    def test_without_gnugo_nothing_is_trained(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("katachi.players.external._GAMES", ())
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(EngineError, match="install Debian package gnugo"):
            run_experiment(self.ID, "smoke", 1, tmp_path / "run", InProcess())
        assert not (tmp_path / "run" / "training").exists()

    def test_a_copy_of_the_rows_goes_on(self, tmp_path: Path) -> None:
        """Networks and end positions that are not there are made again, and say the same."""
        run_experiment(self.ID, "smoke", 1, tmp_path / "first", InProcess())
        whole = read_rows(tmp_path / "first" / "rows.jsonl")
        (tmp_path / "copy").mkdir()
        shutil.copy(tmp_path / "first" / "settings.json", tmp_path / "copy")
        for row in whole:
            if row["kind"] in ("run", "positions") or row.get("stage") == "choice":
                append_row(tmp_path / "copy" / "rows.jsonl", row)
        run_experiment(self.ID, "smoke", 1, tmp_path / "copy", InProcess())
        again = read_rows(tmp_path / "copy" / "rows.jsonl")
        assert sorted(map(json.dumps, again)) == sorted(map(json.dumps, whole))
