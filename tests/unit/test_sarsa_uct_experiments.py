"""The experiments on Sarsa-UCT against UCT: each once, small, and the verdicts of the largest on rows made by hand."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest

from katachi.core.errors import InvalidArgumentError
from katachi.experiments.duels import DuelsSettings
from katachi.experiments.experiment import Row
from katachi.experiments.registry import experiment, load_experiments
from tests.unit.experiment_smoke import check_smoke
from tests.unit.test_duels import chunk

Rates: TypeAlias = Mapping[tuple[float, float], Sequence[int]]  # per cent by setting, one for each budget

EXPERIMENTS = [id for id in load_experiments() if id.startswith("sarsa-uct-")]


class TestExperiments:
    @pytest.mark.parametrize("id", EXPERIMENTS)
    def test_smoke(self, id: str, tmp_path: Path) -> None:
        check_smoke(id, tmp_path)

    def test_nothing_was_played(self) -> None:
        for id in EXPERIMENTS:
            with pytest.raises(InvalidArgumentError, match="there are no games"):
                experiment(id).runner.summarise([], experiment(id).claim)

    def test_every_claim_of_the_chapter_has_its_experiment(self) -> None:
        answered = [row for id in EXPERIMENTS for row in experiment(id).description.rows]
        assert len(answered) == len(set(answered))
        for number in range(1, 9):
            assert f"vodopivec-fig-7-{number}" in answered
        for number in (1, 2, 3, 4, 5, 6, 7, 8, 14, 18):
            assert f"vodopivec-h{number}" in answered


class TestTable:
    claim = experiment("sarsa-uct-table").claim

    def answer(self, row: str, *rows: Row) -> str:
        found = experiment("sarsa-uct-table").runner.summarise(rows, self.claim).answers
        return found[f"vodopivec-{row}"].verdict

    def cell(self, table: str, steps: int, won: int, lambda_: float = 0.95, games: int = 2000) -> Row:
        return chunk(won, 0, games - won, table=table, steps=steps, lambda_=lambda_, c_p=0.1, opponent_c_p=0.1)

    @pytest.mark.parametrize(("won", "verdict"), [(1100, "reproduced"), (1060, "partly"), (1000, "not")])
    def test_headline_2(self, won: int, verdict: str) -> None:
        assert self.answer("h2", self.cell("tic-tac-toe", 100, won)) == verdict

    @pytest.mark.parametrize(
        ("small", "large", "verdict"),
        [(1440, 1760, "reproduced"), (1440, 1620, "partly"), (1440, 1400, "not"), (1600, 1760, "not")],
    )
    def test_headline_5(self, small: int, large: int, verdict: str) -> None:
        rows = self.cell("hex-7", 1000, small), self.cell("hex-11", 1000, large)
        assert self.answer("h5", *rows) == verdict

    @pytest.mark.parametrize(
        ("rates", "verdict"),
        [((77, 69, 58, 51), "reproduced"), ((77, 69, 58, 70), "partly"), ((90, 40, 80, 70), "not")],
    )
    def test_a_table(self, rates: tuple[int, ...], verdict: str) -> None:
        budgets = (1000, 2000, 5000, 10000)
        rows = [self.cell("gomoku-7", n, 20 * rate) for n, rate in zip(budgets, rates, strict=True)]
        assert self.answer("table-a-1-gomoku-7", *rows) == verdict

    def test_a_table_with_cells_left_out(self) -> None:
        assert self.answer("table-a-1-gomoku-7", self.cell("gomoku-7", 1000, 1540)) == "partly"

    def test_a_printed_range(self) -> None:
        """94.0 % for 0.9 to 0.95: between 85 and 99 %, but not between 80 and 85 %."""
        high = self.cell("gomoku-13", 100000, 1540)
        for wins, verdict in (((1700, 1980), "reproduced"), ((1600, 1700), "partly")):
            ends = [self.cell("gomoku-13", 10000, won, x) for x, won in zip((0.9, 0.95), wins, strict=True)]
            assert self.answer("table-a-1-gomoku-13", *ends, high) == verdict

    def test_connect_four_has_a_direction(self) -> None:
        falls = [self.cell("connect-four", n, won) for n, won in ((100, 1300), (500, 1240), (5000, 1010))]
        assert self.answer("table-a-1-connect-four", *falls) == "partly"
        lost = [self.cell("connect-four", n, won) for n, won in ((100, 1300), (500, 800), (5000, 1010))]
        assert self.answer("table-a-1-connect-four", *lost) == "not"

    @pytest.mark.parametrize(("rates", "verdict"), [((51, 67, 84, 94), "reproduced"), ((67, 51, 84, 94), "not")])
    def test_headline_7(self, rates: tuple[int, ...], verdict: str) -> None:
        sizes = (7, 9, 11, 13)
        rows = [self.cell(f"gomoku-{size}", 10000, 20 * rate) for size, rate in zip(sizes, rates, strict=True)]
        assert self.answer("h7", *rows) == verdict

    def test_headline_6(self) -> None:
        rows = []
        for name in ("hex-7", "gomoku-7"):
            rows += [self.cell(name, n, won) for n, won in ((1000, 1500), (2000, 1300), (5000, 1100))]
            for lambda_, won in ((0.8, 900), (0.9, 960), (0.95, 1010), (0.999, 1000)):
                rows.append(chunk(won, 0, 2000 - won, scan=name, steps=10000, lambda_=lambda_))
        assert self.answer("h6", *rows) == "reproduced"
        worse = [row for row in rows if row["labels"].get("lambda") != 0.8 or "scan" not in row["labels"]]
        for name in ("hex-7", "gomoku-7"):
            worse.append(chunk(1300, 0, 700, scan=name, steps=10000, lambda_=0.8))
        assert self.answer("h6", *worse) == "not"


class TestRise:
    """One setting that rises, judged at each budget and in the mean over them."""

    found = experiment("sarsa-uct-rise")
    judged = (found.claim.numbers["lambda"], found.claim.numbers["rise"])

    def cells(self, rates: Rates, games: int = 4000) -> list[Row]:
        rows = []
        for (lambda_, rise), line in rates.items():
            for steps, rate in zip((100, 1000), line, strict=False):
                won = games // 100 * rate
                rows.append(chunk(won, 0, games - won, board="Tic-tac-toe", steps=steps, lambda_=lambda_, rise=rise))
        return rows

    def verdict(self, rates: Rates, games: int = 4000) -> str:
        return self.found.runner.summarise(self.cells(rates, games), self.found.claim).verdict

    @pytest.mark.parametrize(
        ("rising", "verdict"),
        [
            ((70, 60), "reproduced"),  # as good as the best at each budget, and better than both in the mean
            ((69, 59), "reproduced"),  # a little less than each
            ((70, 50), "partly"),  # far below the best at 1,000 steps, no better in the mean
            ((56, 46), "not"),  # worse in both ways
            ((78, 54), "partly"),  # better in the mean, but not at each budget
        ],
    )
    def test_verdicts(self, rising: tuple[int, int], verdict: str) -> None:
        assert self.verdict({(0.5, 0.0): (70, 50), (1.0, 0.0): (50, 60), self.judged: rising}) == verdict

    def test_few_games_are_not_enough(self) -> None:
        assert self.verdict({(0.5, 0.0): (70, 50), (1.0, 0.0): (50, 60), self.judged: (70, 60)}, 100) == "partly"

    def test_other_settings_that_rise_are_not_judged(self) -> None:
        rates = {(0.5, 0.0): (70, 50), (1.0, 0.0): (50, 60), (0.1, 0.5): (90, 90), self.judged: (56, 46)}
        assert self.verdict(rates) == "not"
        assert any("lambda from 0.1, rise 0.5" in line for line in self.table(rates))

    def test_a_mean_needs_every_budget(self) -> None:
        means = [line for line in self.table({(0.5, 0.0): (70, 50), self.judged: (70,)}) if line[1] == "mean"]
        assert [(line[2], line[4]) for line in means] == [("lambda 0.5", "8,000")]

    def table(self, rates: Rates) -> list[list[str]]:
        return [list(line) for line in self.found.runner.summarise(self.cells(rates), self.found.claim).table]

    @pytest.mark.parametrize("scale", ["quick", "full"])
    def test_settings_meet_the_same_opponents_equally_often(self, scale: str) -> None:
        """Else their means over budgets could not be compared, nor added up from games."""
        cells = DuelsSettings.from_mapping(self.found.settings(scale, 1)).cells()
        for board in {cell.labels["board"] for cell in cells}:
            lines: dict[tuple[object, object], list[tuple[object, str, int]]] = {}
            for cell in cells:
                if cell.labels["board"] == board:
                    line = lines.setdefault((cell.labels["lambda"], cell.labels["rise"]), [])
                    line.append((cell.labels["steps"], cell.second, cell.games))
            assert self.judged in lines
            assert all(line == lines[self.judged] for line in lines.values())
            assert len({games for _, _, games in lines[self.judged]}) == 1
