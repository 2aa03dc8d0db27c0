"""The experiments on simulation balancing: each once, small, and their verdicts on rows made by hand."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from katachi.arena.executor import InProcess
from katachi.core.errors import InvalidArgumentError, SettingsError
from katachi.experiments.balancing_learning.rows import LearningSettings, run_learning
from katachi.experiments.balancing_learning.runner import curves_of
from katachi.experiments.balancing_learning.shipping import ship
from katachi.experiments.balancing_players.runner import policy_of, spec_of_player
from katachi.experiments.experiment import Row, append_row, read_rows
from katachi.experiments.ledger import load_ledger
from katachi.experiments.playout_accuracy.suite import SuiteSettings, suite_of
from katachi.experiments.registry import experiment
from katachi.features.local_shapes import LocalShapes
from katachi.policies.playout_policies import PlayoutPolicy
from katachi.policies.policy_weights import load_policy_weights, policy_shapes
from katachi.training.policy_learning import snapshot_path
from tests.unit.experiment_smoke import check_smoke
from tests.unit.go_duel_checks import answers, check_bars, check_players
from tests.unit.test_duels import chunk

EXPERIMENTS = (
    "balanced-search", "balancing-cycle", "balancing-cycle-players", "balancing-learning", "balancing-players",
    "error-game", "playout-accuracy", "playout-search",
)  # fmt: skip
KNOWLEDGE = {"1x1 X": 1.0, "2x2 OX/XX": 0.5, "2x2 XX/X.": -0.4, "2x2 XX/XX": -0.5}


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

    @pytest.mark.parametrize("id", EXPERIMENTS)
    def test_bars_and_players(self, id: str) -> None:
        if "bars" in experiment(id).claim.numbers:
            check_bars(id)
        check_players(id)

    def test_every_claim_has_its_experiment(self) -> None:
        answered = [row for id in EXPERIMENTS for row in experiment(id).description.rows]
        assert len(answered) == len(set(answered))
        paper = {row.id for row in load_ledger() if row.id.startswith("balancing-")} - {"balancing-k10"}
        chapter = ("silver-fig-9-", "silver-table-9-", "silver-sec-9-")
        thesis = {row.id for row in load_ledger() if row.id.startswith(chapter)} | {"silver-h18", "silver-h19"}
        assert set(answered) == paper | thesis


class TestErrorGame:
    @staticmethod
    def rows(weak: float, strong: float) -> list[Row]:
        shared = {"repeats": 2000, "simulations": 30, "moves": 100, "values": [0.0]}
        balanced = {"name": "balanced", "rates": [2, 2], "mean": 0.0, "deviation": 0.9129, "exact": 0.9129}
        unequal = {"name": "unbalanced", "rates": [10, 5], "mean": 5.0, "deviation": 0.29, "exact": 5.0083}
        return [{**shared, **balanced, "rms": weak}, {**shared, **unequal, "rms": strong}]

    @pytest.mark.parametrize(
        ("weak", "strong", "expected"),
        [(0.92, 5.01, "reproduced"), (1.2, 5.01, "not"), (0.92, 4.0, "not"), (0.92, 5.2, "not")],
    )
    def test_bars_and_calculation(self, weak: float, strong: float, expected: str) -> None:
        assert verdict("error-game", "balancing-fig-1", *self.rows(weak, strong)) == expected
        assert verdict("error-game", "silver-fig-9-3", *self.rows(weak, strong)) == expected


def theta(size: int, scale: float = 1.0, **changes: float) -> list[float]:
    """Weights that know what the source says."""
    shapes = LocalShapes(size, policy_shapes())
    weights = np.zeros(shapes.weights)
    for name, value in {**KNOWLEDGE, **changes}.items():
        weight, sign = shapes.parse_weight(name)
        weights[weight] = sign * value * scale
    return [float(weight) for weight in weights]


def learnt(
    learner: str,
    size: int,
    ratio: float,
    *,
    least: float | None = None,
    scale: float = 1.0,
    early: float = 0.99,
    **changes: float,
) -> list[Row]:
    """A run whose error ends at so many times uniform's; `early`: its weights after 1,000 of 10,000 steps."""
    own: Row = {"run": f"{learner}-{size}", "learner": learner, "size": size, "alpha": 1.0}
    first = {"centre": 2.0, "edge": 1.0, "corner": 0.5}
    rows: list[Row] = [{**own, "steps": 0, "mse": 0.1, "corrected_mse": 0.1}]
    for steps, share in ((1_000, early), (8_000, 0.99), (10_000, 1.0)):
        mse = 0.1 * (least if least is not None and steps == 1_000 else ratio)
        weights = theta(size, scale * share, **changes)
        rows.append({**own, "steps": steps, "mse": mse, "corrected_mse": mse, "theta": weights, "first": first})
    return [*rows, accuracy(own["run"], 0.1 * ratio, f"test-{size}", size)]


def accuracy(name: str, mse: float, test: str = "test-5", size: int = 5) -> Row:
    told = {"accuracy": name, "test": test, "size": size, "simulations": 100, "positions": 500}
    return {**told, "mse": mse, "corrected_mse": mse, "bias": 0.0, "error": 0.001}


def good(*, without: str = "") -> list[Row]:
    """What the source found."""
    rows = []
    for size in (5, 6):
        rows.append(accuracy("uniform", 0.1, f"test-{size}", size))
        rows += learnt("regression", size, 0.7)
        rows += learnt("reinforcement", size, 0.8, least=0.6, scale=3, early=0.3)
        rows += learnt("balancing", size, 0.4, early=0.5)
        rows += learnt("two-step", size, 0.45, early=0.6)
    return [row for row in rows if not without or row.get("run") != without]


class TestLearning:
    ROWS = ("balancing-fig-2", "balancing-fig-3", "balancing-k1", "balancing-k5", "balancing-k11")

    def test_what_the_source_found(self) -> None:
        found = answers("balancing-learning", *good())
        for row in self.ROWS:
            assert found[row].verdict == "reproduced", found[row].result
        assert found["silver-fig-9-4"] == found["balancing-fig-2"]
        assert found["silver-fig-9-5"] == found["balancing-fig-3"]

    @pytest.mark.parametrize(
        ("ratio", "expected"), [(0.55, "reproduced"), (0.56, "partly"), (0.7, "not")]
    )  # the interval is about 0.025 wide
    def test_error_against_uniform(self, ratio: float, expected: str) -> None:
        rows = [row for row in good() if row.get("run") != "balancing-6" and row.get("accuracy") != "balancing-6"]
        assert verdict("balancing-learning", "balancing-k1", *rows, *learnt("balancing", 6, ratio)) == expected

    def test_what_was_not_learnt_is_not_certain(self) -> None:
        assert verdict("balancing-learning", "balancing-k1", *good(without="balancing-6")) == "partly"
        assert verdict("balancing-learning", "balancing-k11", *good(without="two-step-5")) == "partly"

    def test_reinforcement_must_turn(self) -> None:
        rows = [row for row in good() if "reinforcement-6" not in (row.get("run"), row.get("accuracy"))]
        rows += learnt("reinforcement", 6, 0.8, least=0.75, scale=3)
        assert verdict("balancing-learning", "balancing-k5", *rows) == "not"

    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            ({}, "reproduced"),
            ({"1x1 X": -1.0}, "partly"),
            ({"2x2 OX/X.": 2.0}, "partly"),
            ({"1x1 X": -1.0, "2x2 OX/X.": 2.0, "2x2 X./..": -3.0}, "not"),
        ],
    )
    def test_knowledge(self, changes: dict[str, float], expected: str) -> None:
        rows = [row for row in good() if "regression-5" not in (row.get("run"), row.get("accuracy"))]
        assert (
            verdict("balancing-learning", "balancing-k11", *rows, *learnt("regression", 5, 0.7, **changes)) == expected
        )

    def test_weights_that_move_have_not_converged(self) -> None:
        rows = good()
        for row in rows:
            if row.get("run") == "balancing-5" and row["steps"] == 8_000:
                row["theta"] = theta(5, 0.5)
        found = answers("balancing-learning", *rows)["balancing-fig-2"]
        assert found.verdict == "partly"
        assert "balancing converges: its weights change by 50 %" in found.result
        # What is not near its end at 8,000 steps has arrived at 10,000.
        arrivals = {curve.name: curve.arrival for curve in curves_of(rows)}
        assert (arrivals["balancing-5"], arrivals["regression-5"]) == (10_000, 1_000)

    def test_labels(self) -> None:
        told: Row = {"labels": "train-5", "size": 5, "komi": 7.5, "positions": 2000, "games": 1000, "trees": 0}
        told |= {"leaves": 0, "simulations": 10_000.0, "below": 0.4, "above": 0.6, "uniform_mse": 0.06}
        told |= {"uniform_mse_corrected": 0.05, "check": {"tried": 60, "solved": 50, "mean_error": 0.001, "wrong": 0}}

        def found(**changes: Any) -> str:  # noqa: ANN401
            return verdict("balancing-learning", "balancing-sec-6-labels", *good(), {**told, **changes})

        assert found() == "reproduced"
        assert found(games=100) == "partly"
        assert found(trees=1000, leaf_player="mc-rave:sims=2000") == "reproduced"
        assert found(trees=300, leaf_player="mc-rave:sims=2000") == "partly"
        assert found(trees=1000, leaf_player="mc-rave:sims=200") == "partly"
        assert found(below=0.01, above=0.99) == "not"
        assert found(check={"tried": 60, "solved": 50, "mean_error": 0.2, "wrong": 9}) == "not"

    @pytest.mark.parametrize(
        ("dropped", "labels"),
        [
            ({"two-step-5"}, {"trees-5", "test-5"}),
            ({"regression-balancing-5"}, {"train-5", "test-5"}),  # starts with a run whose weights are not there
            ({"uniform"}, {"test-5", "test-6"}),
            (set(), set()),
        ],
    )
    def test_only_what_is_missing_is_made_again(self, dropped: set[str], labels: set[str], tmp_path: Path) -> None:
        told = LearningSettings.from_mapping(experiment("balancing-learning").settings("smoke", 1))
        whole, rest = tmp_path / "whole" / "rows.jsonl", tmp_path / "rest" / "rows.jsonl"
        for path in (whole, rest):
            path.parent.mkdir()
        run_learning(told, whole, InProcess(), lambda _done, _text: None)
        kept = [row for row in read_rows(whole) if not {row.get("run"), row.get("accuracy")} & dropped]
        assert (len(kept) < told.count_rows()) == bool(dropped)
        for row in kept:
            append_row(rest, row)
        run_learning(told, rest, InProcess(), lambda _done, _text: None)
        assert sorted(map(str, read_rows(rest))) == sorted(map(str, read_rows(whole)))
        assert {path.stem for path in rest.parent.glob("labels/*.parquet")} == labels

    def test_settings_that_name_what_is_not_there(self) -> None:
        told = experiment("balancing-learning").settings("smoke", 1)
        run = told["run"][0]
        for change in ({"test": "nowhere"}, {"data": "nowhere"}, {"start": "reinforcement-5"}):
            with pytest.raises(SettingsError, match="needs a name of its own, and labels and runs before it"):
                LearningSettings.from_mapping({**told, "run": [{**run, **change}]})
        with pytest.raises(SettingsError, match="needs a name of its own"):
            LearningSettings.from_mapping({**told, "run": [run, run]})

    def test_goes_on_where_it_was_killed(self, tmp_path: Path) -> None:
        """Rows of a run that were written before a kill are not written twice."""
        found, path = experiment("balancing-learning"), tmp_path / "rows.jsonl"
        settings = found.settings("smoke", 1)
        found.runner.run(settings, path, InProcess(), lambda _done, _text: None)
        rows = read_rows(path)
        runs = [number for number, row in enumerate(rows) if "run" in row]
        path.write_text("")
        for row in rows[: runs[4]]:  # in the middle of a run
            append_row(path, row)
        found.runner.run(settings, path, InProcess(), lambda _done, _text: None)
        assert sorted(map(str, read_rows(path))) == sorted(map(str, rows))
        assert snapshot_path(tmp_path / "training" / "regression-5", 25).exists()  # its end is between two snapshots
        # What `make policies` takes from a run.
        shipped = {path.stem: path for path in ship(tmp_path, tmp_path / "shipped")}
        rivals = {f"5x5-{name}" for name in ("regression", "reinforcement", "reinforcement-early", "two-step")}
        assert shipped.keys() == {"5x5", *rivals, "6x6-reinforcement", "6x6-reinforcement-early"}
        assert load_policy_weights(shipped["5x5"]).header.configuration["learner"] == "balancing"
        assert load_policy_weights(shipped["5x5-regression"]).header.games == 25


class TestCycle:
    @pytest.mark.parametrize(("ratio", "expected"), [(0.6, "reproduced"), (0.61, "partly"), (0.7, "not")])
    def test_error_against_uniform(self, ratio: float, expected: str) -> None:
        rows = [accuracy("uniform", 0.1, f"test-{size}", size) for size in (5, 6)]
        for size, own in ((5, 0.5), (6, ratio)):
            learnt_rows = learnt("two-step-cycle", size, own)
            rows += [{**row, "learner": "two-step"} if "run" in row else row for row in learnt_rows]
        found = experiment("balancing-cycle")
        summary = found.runner.summarise(rows, found.claim)
        assert summary.verdict == expected
        assert f"two-step on 6x6: {ratio:.2f} (" in summary.result

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"data": "test-5"}, "it makes its own data, not 'test-5'"),
            ({"steps": 25}, "25 steps are no whole rounds of 10"),
            ({"cycle": None}, "is no cycle: it has no alpha_factor=0.5"),
            ({"cycle": {"name": "c", "size": 6, "games": 2, "trees": 2, "player": "mc-rave:sims=9"}}, "labels of 6x6"),
            (
                {"cycle": {"name": "c", "size": 5, "games": 2, "trees": 2, "player": "mc-rave:sims=9"}},
                "has no {policy}",
            ),
        ],
    )
    def test_what_is_no_cycle_is_refused_when_it_is_read(self, change: dict[str, object], message: str) -> None:
        told = experiment("balancing-cycle").settings("smoke", 1)
        (run,) = told["run"]
        with pytest.raises(SettingsError, match=re.escape(message)):
            LearningSettings.from_mapping({**told, "run": [{**run, **change}]})

    def test_what_is_missing_is_made_again_and_what_is_shipped(self, tmp_path: Path) -> None:
        told = LearningSettings.from_mapping(experiment("balancing-cycle").settings("smoke", 1))
        whole, rest = tmp_path / "whole" / "rows.jsonl", tmp_path / "rest" / "rows.jsonl"
        for path in (whole, rest):
            path.parent.mkdir()
        run_learning(told, whole, InProcess(), lambda _done, _text: None)
        rows = read_rows(whole)
        assert [row["steps"] for row in rows if "run" in row] == [0, 10, 20]
        for row in rows[:2]:
            append_row(rest, row)
        run_learning(told, rest, InProcess(), lambda _done, _text: None)
        assert sorted(map(str, read_rows(rest))) == sorted(map(str, rows))
        (shipped,) = ship(whole.parent, tmp_path / "shipped")
        assert shipped.name == "5x5-two-step-cycle.safetensors"
        kept = load_policy_weights(shipped)
        assert (kept.header.games, kept.header.configuration["round"]) == (20, 2)
        assert kept.theta == pytest.approx(rows[3]["theta"], abs=1e-4)

    def test_the_test_sets_are_those_of_the_other_learners(self) -> None:
        for scale in ("quick", "full"):
            own, other = (
                {told.name: told for told in LearningSettings.from_mapping(experiment(id).settings(scale, 1)).labels}
                for id in ("balancing-cycle", "balancing-learning")
            )
            assert all(told == other[name] for name, told in own.items())

    @pytest.mark.parametrize(
        ("rates", "expected"),
        [((80, 60, 50), "reproduced"), ((80, 60, 40), "partly"), ((80, 50, 50), "partly"), ((20, 30, 80), "not")],
    )
    def test_games(self, rates: tuple[int, int, int], expected: str) -> None:
        """Against the weaker ones and in direct play, against two-step on 6x6, and balancing against it."""
        own, weaker = "softmax-shapes(shipped-two-step-cycle)", ("uniform", "regression", "reinforcement")
        rows = []
        for size in (5, 6):
            rows += [met("mc", own, name, rates[0], size=size) for name in weaker]
            even = 50 if rates[0] > 50 else 20
            rows.append(met("mc", own, "two-step", rates[1] if size == 6 else even, size=size))
            rows.append(met("mc", "balancing", own, rates[2], size=size))
            rows.append(met("direct", "reinforcement", own, rates[0], size=size))
        found = experiment("balancing-cycle-players")
        assert found.runner.summarise(rows, found.claim).verdict == expected


def met(kind: str, one: str, other: str, rate: int, of: int = 2000, size: int = 5) -> Row:
    """Games between two players of the table."""
    won = 2 * round(of * rate / 200)
    labels: dict[str, Any] = {"kind": kind, "one": policy_of(one), "other": policy_of(other)}
    if kind != "direct":
        labels["sims"] = 100
    kinds = ("mc", "direct") if kind == "bridge" else (kind, kind)
    specs = [spec_of_player(name, own, 100) for name, own in zip((one, other), kinds, strict=True)]
    board = {"game": "go", "options": {"size": size}}
    return {**chunk(won, 0, of - won, **labels), **board, "first": specs[0], "second": specs[1]}


def tournament(mc: dict[str, int], direct: dict[str, int], size: int = 5) -> list[Row]:
    """Win rates against uniform of the same kind, and searches against direct players."""
    rows = [met("mc", name, "uniform", rate, size=size) for name, rate in mc.items()]
    rows += [met("direct", name, "uniform", rate, size=size) for name, rate in direct.items()]
    return [*rows, met("bridge", "uniform", "uniform", 98, size=size)]


MC = {"balancing": 88, "two-step": 87, "reinforcement": 68, "regression": 60, "mogo": 30}
MC_6 = {**MC, "two-step": 70}
DIRECT = {"balancing": 90, "two-step": 90, "reinforcement": 97, "regression": 90}


class TestPlayers:
    @staticmethod
    def rows(**changes: int) -> list[Row]:
        """What the source found, and changes of what search makes of policies on 5x5."""
        names = {name.replace("_", "-"): rate for name, rate in changes.items()}
        errors = [accuracy("uniform", 0.1, "new-5"), accuracy("balancing", 0.05, "new-5")]
        return [*tournament({**MC, **names}, DIRECT), *tournament(MC_6, DIRECT, 6), *errors]

    def test_what_the_source_found(self) -> None:
        found = answers("balancing-players", *self.rows())
        for row in ("k2", "k3", "k4", "k6", "k7", "k9"):
            assert found[f"balancing-{row}"].verdict == "reproduced", found[f"balancing-{row}"].result
        assert found["silver-h19"].verdict == "reproduced", found["silver-h19"].result
        assert found["balancing-k8"].verdict == "partly"  # no game against GNU Go
        assert found["silver-table-9-2"] == found["balancing-table-1"]

    def test_what_search_makes_of_strength(self) -> None:
        assert verdict("balancing-players", "balancing-k3", *self.rows(reinforcement=85)) == "not"
        assert verdict("balancing-players", "balancing-k6", *self.rows(regression=85)) == "not"
        assert verdict("balancing-players", "balancing-k2", *self.rows(balancing=60)) == "not"
        assert verdict("balancing-players", "balancing-k7", *self.rows(two_step=60)) == "not"
        assert verdict("balancing-players", "balancing-k9", *self.rows(mogo=60)) == "not"
        assert verdict("balancing-players", "silver-h19", *self.rows(two_step=65)) == "not"

    def test_a_run_that_is_not_finished(self) -> None:
        """Searches and direct players that have not met yet are rated apart."""
        rows = [row for row in self.rows() if row.get("labels", {}).get("kind") != "bridge"]
        found = experiment("balancing-players")
        told = found.runner.summarise(rows, found.claim)
        assert told.answers["balancing-k3"].verdict == told.answers["balancing-k4"].verdict == "reproduced"
        rated = [line[0] for line in told.table if line[1] == "all"]
        assert "balancing, direct play" in rated
        assert "balancing, Monte-Carlo search" not in rated

    def test_an_error_that_is_too_large(self) -> None:
        rows = [row for row in self.rows() if row.get("accuracy") != "balancing"]
        assert verdict("balancing-players", "silver-h19", *rows) == "partly"
        assert verdict("balancing-players", "silver-h19", *rows, accuracy("balancing", 0.08, "new-5")) == "not"

    @pytest.mark.parametrize(("rate", "expected"), [(50, "reproduced"), (38, "partly"), (10, "not"), (90, "not")])
    def test_gnugo(self, rate: int, expected: str) -> None:
        row = {**met("mc", "balancing", "uniform", rate, of=100), "labels": {"kind": "gnugo", "sims": 100}}
        row["second"] = "gtp:gnugo --mode gtp --level 10 --seed {seed}"
        assert verdict("balancing-players", "balancing-k8", *self.rows(), row) == expected

    def test_gnugo_is_judged_by_the_larger_search(self) -> None:
        rows = self.rows()
        for sims, rate in ((1, 10), (5000, 50), (300, 90)):
            row = {**met("mc", "balancing", "uniform", rate, of=100), "labels": {"kind": "gnugo", "sims": sims}}
            row |= {"first": f"flat-mc:sims={sims},policy=softmax-shapes(shipped)"}
            rows.append(row | {"second": "gtp:gnugo --mode gtp --level 10 --seed {seed}"})
        found = answers("balancing-players", *rows)
        assert found["balancing-k8"].verdict == "reproduced"
        assert "5000 simulations for each move 50.0 %" in found["balancing-k8"].result
        assert found["balancing-k3"].verdict == "reproduced"  # other searches have a budget of their own

    @pytest.mark.parametrize("scale", ["quick", "full"])
    def test_every_policy_plays_1000_games_of_each_kind(self, scale: str) -> None:
        played: dict[tuple[str, str, int], int] = {}
        for duel in experiment("balancing-players").settings(scale, 1)["duel"]:
            size, kind = duel.get("size") or duel["options"]["size"], duel["labels"]["kind"]
            for pair in duel.get("variants", ()):
                for policy in (pair["one"], pair["other"]) if kind in ("mc", "direct") else ():
                    key = (policy, kind, size)
                    played[key] = played.get(key, 0) + pair.get("games", duel["games"])
        assert len(played) == 2 * 2 * 8  # policies by themselves and in search, on two boards
        assert min(played.values()) >= 1000

    def test_pairings_of_the_bars_have_2000_games(self) -> None:
        for duel in experiment("balancing-players").settings("quick", 1)["duel"]:
            for pair in duel.get("variants", ()):
                named = {policy_of(name) for name in ("reinforcement", "regression")}
                if duel["labels"]["kind"] == "mc" and pair["one"] == policy_of("balancing") and pair["other"] in named:
                    assert pair.get("games", duel["games"]) >= 2000

    def test_every_learnt_policy_is_in_the_package(self) -> None:
        from katachi.games.go import GoGame

        learnt = ("balancing", "regression", "reinforcement", "reinforcement-early", "two-step")
        policies = [*map(policy_of, learnt), "softmax-shapes(shipped-two-step-cycle)"]
        for size in (5, 6):
            for policy in policies:
                assert PlayoutPolicy(policy).native(GoGame(size)) is not None


def duel(policy: str, against: str, rate: int, of: int = 400, **labels: Any) -> Row:  # noqa: ANN401
    won = 2 * round(of * rate / 200)
    told = {**chunk(won, 0, of - won, policy=policy, against=against, **labels), "game": "go", "options": {"size": 9}}
    return {**told, "first": f"policy:name={policy}", "second": f"policy:name={against}"}


class TestPlayoutAccuracy:
    @staticmethod
    def rows(**errors: float) -> list[Row]:
        told = {"uniform": 0.2, "mogo": 0.1, "greedy(0)": 0.4, "softmax(0.05)": 0.15, **errors}
        rows = [accuracy(name, mse, "suite", 9) for name, mse in told.items()]
        for family in ("greedy", "gaussian", "softmax"):
            rows.append(duel(f"{family}(0)", "uniform", 99, family=family, noise=0))
            rows.append(duel(f"{family}(9)", "uniform", 52, family=family, noise=9))
        rows.append(duel("greedy(0)", "mogo", 97, family="greedy", noise=0))
        return [*rows, {"restarts": 200, "one": "greedy(0)", "other": "mogo", "wins": 300, "draws": 0, "losses": 100}]

    def test_what_the_source_found(self) -> None:
        found = answers("playout-accuracy", *self.rows())
        assert {answer.verdict for answer in found.values()} == {"reproduced"}

    def test_errors(self) -> None:
        assert verdict("playout-accuracy", "silver-fig-9-2", *self.rows(mogo=0.3)) == "partly"
        worse = self.rows(**{"mogo": 0.3, "greedy(0)": 0.21, "softmax(0.05)": 0.25, "uniform": 0.15})
        assert verdict("playout-accuracy", "silver-fig-9-2", *worse) == "partly"

    def test_restarts(self) -> None:
        other = {"restarts": 200, "one": "greedy(0)", "other": "mogo", "wins": 100, "draws": 0, "losses": 300}
        rows = [row for row in self.rows() if "restarts" not in row]
        assert verdict("playout-accuracy", "silver-sec-9-2-3-restarts", *rows, other) == "not"
        assert verdict("playout-accuracy", "silver-sec-9-2-3-restarts", *rows) == "partly"

    def test_suite(self) -> None:
        told = {"candidates": 4, "positions": 2, "player": "random", "expert": "flat-mc:sims=1", "plies": [1, 2]}
        settings = SuiteSettings.from_mapping(told)
        values = [0.95, 0.5, 0.02, 0.01]
        rows: list[Row] = [
            {"candidate": number, "moves": [number], "value": value, "best": 40, "simulations": 1}
            for number, value in enumerate(values)
        ]
        found = suite_of(list(reversed(rows)), settings)
        assert [(position.group, position.value) for position in found.positions] == [(0, 1.0), (2, 0.0)]


class TestPlayoutSearch:
    @staticmethod
    def rows(mogo: int, noisy: int = 10, uct: int = 80, of: int = 200) -> list[Row]:
        rates = {"uniform": 9, "gaussian(0.15)": noisy, "mogo": mogo}
        rows = [duel(name, "gnugo", rate, of, kind="uct", sims=5000) for name, rate in rates.items()]
        direct = duel("greedy(0)", "mogo", 95, of, kind="direct")
        return [*rows, direct, duel("mogo", "gaussian", uct, of, kind="uct", sims=200)]

    def test_table(self) -> None:
        assert verdict("playout-search", "silver-table-9-1", *self.rows(49)) == "reproduced"
        assert verdict("playout-search", "silver-table-9-1", *self.rows(15)) == "partly"
        assert verdict("playout-search", "silver-h18", *self.rows(49)) == "reproduced"
        assert verdict("playout-search", "silver-h18", *self.rows(49, uct=50)) == "not"


class TestBalancedSearch:
    @pytest.mark.parametrize(("rates", "expected"), [((70, 60), "reproduced"), ((70, 50), "partly"), ((30, 30), "not")])
    def test_games(self, rates: tuple[int, int], expected: str) -> None:
        found = experiment("balanced-search")
        rows = []
        for budget, rate in zip(("simulations", "time"), rates, strict=True):
            labels: dict[str, Any] = {
                "budget": budget,
                "sims": 1000,
                "rival_sims": 1000 if budget == "simulations" else 1500,
            }
            won = 4 * rate
            row = {**chunk(won, 0, 400 - won, rival="mogo", **labels), "game": "go", "options": {"size": 9}}
            rows.append({**row, "first": "balanced", "second": budget})
        speed = [{"speed": {"policy": name, "sims": 1000}, "seconds": cost} for name, cost in (("a", 0.1), ("b", 0.2))]
        told = found.runner.summarise([*rows, *speed], found.claim)
        assert told.verdict == expected
        assert told.result.endswith("CPU microseconds of a simulation: a 100, b 200")
