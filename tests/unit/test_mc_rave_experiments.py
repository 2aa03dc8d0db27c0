"""The experiments on MC-RAVE: each once, small, and their verdicts on rows made by hand."""

from pathlib import Path

import pytest

from katachi import check_game
from katachi.core.errors import InvalidArgumentError
from katachi.experiments.experiment import Row
from katachi.experiments.ledger import load_ledger
from katachi.experiments.rave_example.runner import Example, count
from katachi.experiments.registry import experiment, load_experiments
from tests.unit.experiment_smoke import check_smoke
from tests.unit.go_duel_checks import answers, check_bars, check_players, games

OTHERS = {"even": (52, 50), "grandfather": (50, 35), "handcrafted": (65, 60)}  # priors at M = 50 and 200
EXPERIMENTS = [id for id in load_experiments() if id.startswith(("mc-rave-", "mogo-", "rave-"))]


def verdicts(id: str, rows: list[Row], *names: str) -> tuple[str, ...]:
    found = answers(id, *rows)
    return tuple(found[name].verdict for name in names)


class TestExperiments:
    @pytest.mark.parametrize("id", EXPERIMENTS)
    def test_smoke(self, id: str, tmp_path: Path) -> None:
        check_smoke(id, tmp_path)

    @pytest.mark.parametrize("id", EXPERIMENTS)
    def test_nothing_is_there(self, id: str) -> None:
        with pytest.raises(InvalidArgumentError, match="yet"):
            answers(id)

    @pytest.mark.parametrize("id", EXPERIMENTS)
    def test_bars(self, id: str) -> None:
        check_bars(id)

    @pytest.mark.parametrize("id", EXPERIMENTS)
    def test_players(self, id: str) -> None:
        check_players(id)

    def test_every_claim_about_mc_rave_has_its_experiment(self) -> None:
        answered = [row for id in EXPERIMENTS for row in experiment(id).description.rows]
        assert len(answered) == len(set(answered))
        known = {row.id for row in load_ledger() if row.status != "not reproducible"}
        chapter = {id for id in known if id.startswith(("silver-fig-8-", "silver-sec-8-", "silver-table-8-"))}
        headlines = {f"silver-h{number}" for number in range(14, 18)}
        paper = {id for id in known if id.startswith("mogo-")}
        assert set(answered) == (chapter | headlines | paper) - {"mogo-a9"}  # which counts features


class TestExample:
    def rows(self, **changes: list[float]) -> list[Row]:
        return [{**count({"node": node, "seed": 3}), **changes} for node in ("upper", "lower")]

    def test_what_is_counted(self) -> None:
        upper, lower = self.rows()
        assert (upper["monte-carlo"], upper["rave"]) == ([0, 1], [3, 5])
        assert (lower["monte-carlo"], lower["rave"]) == ([1, 1], [2, 3])

    def test_one_count_wrong(self) -> None:
        assert verdicts("rave-example", self.rows(), "silver-fig-8-1") == ("reproduced",)
        assert verdicts("rave-example", self.rows(rave=[2, 3]), "silver-fig-8-1") == ("not",)

    def test_the_game_keeps_its_promises(self) -> None:
        check_game(Example())


class TestGnuGo:
    def rows(self, random: int, uct: int, rave: int, scaling: tuple[int, ...], of: int = 200, k: int = 0) -> list[Row]:
        """`k`: how much less the hand-selected schedule wins."""
        rows = [games(random, of, player="UCT, random", sims=3000), games(uct, of, player="UCT", sims=3000)]
        for schedule, less in ((", min-MSE", 0), ("", k)):
            rows.append(games(rave - less, of, player=f"MC-RAVE{schedule}", sims=3000))
            rows.append(games(scaling[0] - less, of, player=f"heuristic{schedule}", sims=3000))
        return rows + [
            games(rate - k, 40 if sims == 70_000 else of, player="heuristic, C = 10", sims=sims)
            for sims, rate in zip((3_000, 10_000, 70_000), scaling, strict=True)
        ]

    @pytest.mark.parametrize(
        ("rates", "expected"),
        [
            ((2, 24, 60, (69, 82, 92)), ("reproduced", "reproduced", "reproduced", "reproduced")),
            ((2, 21, 56, (64, 78, 85)), ("reproduced", "reproduced", "reproduced", "reproduced")),
            ((2, 15, 60, (69, 82, 92)), ("partly", "reproduced", "reproduced", "reproduced")),
            ((20, 24, 60, (69, 82, 92)), ("partly", "reproduced", "reproduced", "reproduced")),  # random playouts win
            ((2, 24, 30, (58, 60, 92)), ("partly", "partly", "partly", "reproduced")),
            ((2, 24, 60, (69, 82, 70)), ("reproduced", "partly", "partly", "reproduced")),
            ((2, 24, 60, (40, 82, 92)), ("partly", "partly", "partly", "not")),
            ((30, 10, 1, (40, 30, 10)), ("not", "not", "not", "not")),
        ],
    )
    def test_verdicts(self, rates: tuple[int, int, int, tuple[int, ...]], expected: tuple[str, ...]) -> None:
        names = ("mogo-table-1", "mogo-table-2", "silver-table-8-1", "mogo-a8")
        assert verdicts("mc-rave-gnugo", self.rows(*rates), *names) == expected

    def test_one_of_the_schedules_is_enough_for_a_part(self) -> None:
        rows = self.rows(2, 24, 60, (69, 82, 92), k=30)
        assert verdicts("mc-rave-gnugo", rows, "mogo-table-1", "mogo-table-2", "mogo-a8") == ("partly",) * 3

    def test_few_games_are_not_certain(self) -> None:
        rows = self.rows(0, 24, 60, (69, 82, 92), of=20)
        assert verdicts("mc-rave-gnugo", rows, "mogo-table-1", "mogo-table-2", "mogo-a8") == ("partly",) * 3


class TestK:
    def rows(self, small: int, large: int, uct: int, *gnugo: int) -> list[Row]:
        rows = [games(rate, against="k", k=k, sims=1000) for k, rate in ((10, small), (10_000, large))]
        bars = [bar["labels"] for bar in experiment("mc-rave-k").claim.numbers["bars"]]
        rows += [games(uct, **labels) for labels in bars if labels["against"] == "uct"]
        return rows + [
            games(rate, against="gnugo", k=k, sims=3000) for k, rate in zip((1000, "none"), gnugo, strict=False)
        ]

    @pytest.mark.parametrize(
        ("rates", "expected"),
        [
            ((70, 50, 80), ("reproduced", "reproduced", "reproduced")),
            ((70, 65, 80), ("partly", "reproduced", "reproduced")),  # k = 10,000 is worse: not flat
            ((70, 50, 72), ("reproduced", "partly", "reproduced")),
            ((40, 50, 80), ("partly", "not", "not")),
            ((30, 30, 30), ("not", "not", "not")),
            ((70, 50, 80, 55, 20), ("reproduced", "reproduced", "reproduced")),
            ((70, 50, 80, 55, 60), ("partly", "reproduced", "reproduced")),  # UCT is no worse against GNU Go
            ((70, 50, 80, 35, 20), ("partly", "reproduced", "reproduced")),
        ],
    )
    def test_verdicts(self, rates: tuple[int, ...], expected: tuple[str, ...]) -> None:
        rows = self.rows(*rates)
        assert verdicts("mc-rave-k", rows, "silver-fig-8-2", "silver-h14", "mogo-a4") == expected
        assert verdicts("mc-rave-k", rows, "mogo-fig-2") == expected[:1]

    def test_greedy_search_that_wins_nothing_is_told_and_no_bar(self) -> None:
        rows = [*self.rows(70, 50, 80), games(50, against="uct", rave_c=0.0, c=0.2, sims=3000)]
        assert verdicts("mc-rave-k", rows, "silver-fig-8-2", "silver-h14") == ("partly", "reproduced")
        assert "MC-RAVE against UCT of c = 0.2 at 3,000" in answers("mc-rave-k", *rows)["silver-fig-8-2"].result


class TestSchedules:
    def rows(self, tuned: int, other: int, *large: int) -> list[Row]:
        b = experiment("mc-rave-schedules").claim.numbers["b"]
        rows = [games(rate, 400, b=bias, sims=3000, board=9) for bias, rate in ((b, tuned), (0.001, other))]
        return rows + [games(rate, 400, b=b, sims=3000, board=19) for rate in large]

    @pytest.mark.parametrize(
        ("rates", "expected"),
        [
            ((60, 20, 75), ("reproduced", "reproduced")),
            ((60, 20), ("partly", "reproduced")),  # nothing on 19x19
            ((60, 20, 50), ("partly", "reproduced")),
            ((54, 20, 70), ("partly", "partly")),
            ((45, 70, 30), ("not", "not")),  # another b would be better
        ],
    )
    def test_verdicts(self, rates: tuple[int, ...], expected: tuple[str, ...]) -> None:
        names = ("silver-sec-8-4-3-minimum-mse", "silver-h15")
        assert verdicts("mc-rave-schedules", self.rows(*rates), *names) == expected

    def test_headlines_take_400_games(self) -> None:
        b = experiment("mc-rave-schedules").claim.numbers["b"]
        assert verdicts("mc-rave-schedules", [games(57, 200, b=b, sims=3000, board=9)], "silver-h15") == ("partly",)


class TestPriors:
    def rows(self, shapes: dict[int, int], others: dict[str, tuple[int, int]], direct: int) -> list[Row]:
        rows = [games(rate, 400, against="none", prior="shapes", M=M, sims=1000) for M, rate in shapes.items()]
        for prior, rates in others.items():
            rows += [
                games(rate, against="none", prior=prior, M=M, sims=1000)
                for M, rate in zip((50, 200), rates, strict=True)
            ]
        return [*rows, games(direct, against="grandfather", M=200, sims=1000)]

    @pytest.mark.parametrize(
        ("shapes", "others", "direct", "expected"),
        [
            ({5: 60, 50: 85, 200: 75}, OTHERS, 70, ("reproduced",) * 5),
            ({5: 60, 50: 75, 200: 85}, OTHERS, 70, ("partly", "reproduced", "reproduced", "not", "reproduced")),
            (
                {5: 60, 50: 75, 200: 60},
                {**OTHERS, "handcrafted": (90, 90)},
                30,
                ("partly", "reproduced", "partly", "reproduced", "not"),
            ),
            (
                {5: 60, 50: 40, 200: 30},
                {"even": (60, 60), "grandfather": (60, 60), "handcrafted": (60, 60)},
                50,
                ("not", "not", "partly", "not", "reproduced"),
            ),
        ],
    )
    def test_verdicts(
        self,
        shapes: dict[int, int],
        others: dict[str, tuple[int, int]],
        direct: int,
        expected: tuple[str, ...],
    ) -> None:
        names = ("silver-fig-8-3", "silver-h16", "mogo-fig-3", "mogo-a5", "mogo-a6")
        assert verdicts("mc-rave-priors", self.rows(shapes, others, direct), *names) == expected

    def test_the_order_is_told(self) -> None:
        found = answers("mc-rave-priors", *self.rows({50: 85}, OTHERS, 70))["silver-h16"]
        assert "shapes 85.0 %, handcrafted 65.0 %, even 52.0 %, grandfather 50.0 %" in found.result

    def test_against_gnu_go(self) -> None:
        """Where it was played it counts: here even games are far better against it."""
        rows = self.rows({5: 60, 50: 85, 200: 75}, OTHERS, 70)
        rows += [games(rate, against="gnugo", prior=x, M=50, sims=3000) for x, rate in (("shapes", 50), ("even", 80))]
        assert verdicts("mc-rave-priors", rows, "silver-fig-8-3", "silver-h16", "mogo-a5") == (
            "partly",
            "reproduced",
            "reproduced",
        )

    def test_a_figure_of_the_other_games_alone(self, tmp_path: Path) -> None:
        found = experiment("mc-rave-priors")
        found.runner.draw([games(70, against="grandfather", M=200, sims=1000)], found.claim, tmp_path / "a")
        assert (tmp_path / "a.png").stat().st_size > 1000

    def test_an_order_of_three_is_not_certain(self) -> None:
        rows = self.rows({50: 85}, {"even": (50, 50), "grandfather": (50, 50)}, 70)
        assert verdicts("mc-rave-priors", rows, "silver-h16") == ("partly",)


class TestScaling:
    @pytest.mark.parametrize(
        ("doubling", "late", "more", "expected"),
        [
            (65, 60, 75, ("reproduced", "reproduced")),
            (65, 53, 75, ("partly", "reproduced")),
            (65, 45, 50, ("not", "not")),
        ],
    )
    def test_verdicts(self, doubling: int, late: int, more: int, expected: tuple[str, ...]) -> None:
        rows = [games(doubling, sims=2 * sims, than=sims) for sims in (200, 400, 800)]
        rows += [games(late, sims=3200, than=1600), games(more, sims=10_000, than=3_000)]
        assert verdicts("mc-rave-scaling", rows, "silver-h17", "mogo-a7") == expected


class TestExploration:
    @pytest.mark.parametrize(
        ("little", "much", "expected"),
        [(52, 10, "reproduced"), (30, 10, "reproduced"), (65, 10, "partly"), (50, 48, "partly"), (65, 60, "not")],
    )
    def test_verdicts(self, little: int, much: int, expected: str) -> None:
        rows = [
            games(rate, schedule=schedule, form="uct-rave", c=c, sims=3000)
            for schedule in ("min-mse", "hand-selected")
            for c, rate in ((0.1, little), (1.0, much))
        ]
        assert verdicts("mc-rave-exploration", rows, "silver-sec-8-7-exploration") == (expected,)


class TestSteps:
    @pytest.mark.parametrize(
        ("rates", "of", "expected"),
        [
            ((94, 83, 59), 1000, ("reproduced", "reproduced", "reproduced")),
            ((94, 83, 59), 200, ("reproduced", "reproduced", "partly")),  # 1,000 games are asked for
            ((94, 83, 75), 200, ("reproduced", "reproduced", "reproduced")),  # or an interval that is above
            ((78, 50, 50), 200, ("partly", "not", "partly")),
        ],
    )
    def test_verdicts(self, rates: tuple[int, ...], of: int, expected: tuple[str, ...]) -> None:
        steps = zip(("playouts", "rave", "prior"), rates, strict=True)
        rows = [games(rate, of, step=step, sims=3000) for step, rate in steps]
        rows.append(games(10, step="expansion", sims=3000))  # told, not judged
        assert verdicts("mogo-steps", rows, "mogo-a1", "mogo-a2", "mogo-a3") == expected


class TestSarsa:
    @pytest.mark.parametrize(
        ("rates", "without", "expected"),
        [
            ((50, 62), 80, "reproduced"),
            ((50, 54), 80, "partly"),
            ((57, 50), 80, "partly"),  # 57 % of 200 would be enough for one lambda, not for the best of two
            ((45, 50), 80, "partly"),
            ((45, 40), 30, "not"),
        ],
    )
    def test_verdicts(self, rates: tuple[int, int], without: int, expected: str) -> None:
        lambdas = zip((0.9, 0.99), rates, strict=True)
        rows = [games(rate, against="heuristic", lambda_=x, sims=1000) for x, rate in lambdas]
        rows.append(games(without, against="mc-rave", lambda_=0.9, sims=1000))
        found = experiment("mc-rave-sarsa")
        told = found.runner.summarise(rows, found.claim)
        assert told.verdict == expected
        assert not told.answers
