"""The experiments on TD search and Dyna-2: each once, small, and their verdicts on rows made by hand."""

import copy
from pathlib import Path
from typing import Any

import pytest

from katachi._core import Rng
from katachi.arena.executor import InProcess
from katachi.core.errors import InvalidArgumentError, SettingsError
from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import DuelsSettings, Label, values_of
from katachi.experiments.experiment import Row, read_rows
from katachi.experiments.go_duels import (
    Finding,
    all_of,
    beats,
    best_within,
    count_rows,
    does_not_win,
    duel_settings,
    elo,
    is_alike,
    is_even,
    is_stronger,
    mixed,
    played,
    rate_duels,
    reaches,
    rises,
    run_duels,
    shown,
    stays_below,
)
from katachi.experiments.ledger import load_ledger
from katachi.experiments.registry import experiment, load_experiments
from katachi.experiments.td_search_example.runner import BEST, POSITION, look
from katachi.games.go import GoGame, Position
from katachi.players.registry import make_player
from tests.unit.experiment_smoke import check_smoke
from tests.unit.go_duel_checks import answers, check_bars, check_players, games, one

EXPERIMENTS = [id for id in load_experiments() if id.startswith(("td-search-", "dyna2-", "hybrid-"))]


def verdict(id: str, row: str, *rows: Row) -> str:
    return answers(id, *rows)[f"silver-{row}"].verdict


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

    def test_every_claim_of_the_two_chapters_has_its_experiment(self) -> None:
        answered = [row for id in EXPERIMENTS for row in experiment(id).description.rows]
        assert len(answered) == len(set(answered))
        chapters = ("silver-fig-6-", "silver-fig-7-", "silver-sec-6-", "silver-figs-6-", "silver-table-7-")
        headlines = {f"silver-h{number}" for number in range(7, 14)}
        assert set(answered) == headlines | {row.id for row in load_ledger() if row.id.startswith(chapters)}


class TestSettings:
    def test_short_settings_become_those_of_duels(self) -> None:
        duel = {"first": "td-search:sims={sims}", "second": "gnugo:level=0", "games": 2, "labels": {"sims": [1, 2]}}
        first, second = DuelsSettings.from_mapping(duel_settings({"seed": 1, "duel": [duel]})).cells()
        assert (first.game, first.options) == ("go", {"size": 9, "komi": 7.5, "rules": "cgos"})
        assert (first.first, second.first) == ("td-search:sims=1", "td-search:sims=2")
        assert "--level 0 " in first.second
        assert first.second.endswith("--seed {seed}")
        assert shown(first.second) == "gnugo:level=0"
        assert shown("td-search:sims=1") == "td-search:sims=1"
        (small,) = DuelsSettings.from_mapping(
            duel_settings({"seed": 1, "duel": [{**duel, "labels": {"sims": 1}, "size": 5}]})
        ).cells()
        assert small.options["size"] == 5

    def test_weights_are_learnt_once_and_only_if_games_are_missing(self, tmp_path: Path) -> None:
        settings = {
            "seed": 1,
            "training": [{"name": "stones", "games": 20, "size": 5, "sizes": ["1x1"]}],
            "duel": [{"first": "shapes:weights=@stones", "second": "random", "size": 5, "games": 2, "chunk": 2}],
        }
        told: list[str] = []
        path, folder = tmp_path / "rows.jsonl", tmp_path / "training"

        def run() -> None:
            run_duels(settings, path, InProcess(), lambda _done, text: told.append(text))

        run()
        assert count_rows(settings) == len(read_rows(path)) == 1
        assert any("stones: 20 of 20 training games" in text for text in told)
        metrics = (folder / "stones" / "metrics.jsonl").read_bytes()  # a line for each time that it went on
        path.write_text("")
        run()
        assert (folder / "stones" / "metrics.jsonl").read_bytes() == metrics
        for file in sorted(folder.rglob("*"), reverse=True):
            file.unlink() if file.is_file() else file.rmdir()
        run()
        assert not list(folder.rglob("*.safetensors"))

    def test_wrong_trainings_are_named(self, tmp_path: Path) -> None:
        duel = {"first": "random", "second": "random", "games": 2}
        for training, text in (
            ({"name": "x"}, "games"),
            ({"name": "x", "games": 1, "sizes": ["4x4"]}, "4x4"),
            ({"name": "x", "games": 1, "seeds": 2}, "seeds"),
        ):
            with pytest.raises(SettingsError, match=text):
                run_duels(
                    {"seed": 1, "training": [training], "duel": [duel]},
                    tmp_path / "rows.jsonl",
                    InProcess(),
                    lambda _done, _text: None,
                )


class TestFindings:
    @pytest.mark.parametrize(
        ("rate", "of", "verdict"),
        [
            (62, 200, "reproduced"),
            (62, 100, "partly"),  # reached, but with few games
            (90, 100, "reproduced"),  # few, and the interval is above
            (57, 200, "partly"),
            (50, 200, "not"),
        ],
    )
    def test_bars(self, rate: int, of: int, verdict: str) -> None:
        assert reaches("one", one(rate, of), 60).verdict == verdict

    @pytest.mark.parametrize(
        ("rate", "wins", "loses", "even"),
        [(60, "reproduced", "not", "not"), (50, "partly", "partly", "reproduced"), (40, "not", "reproduced", "not")],
    )
    def test_against_each_other(self, rate: int, wins: str, loses: str, even: str) -> None:
        duel = one(rate)
        assert beats("one", duel).verdict == wins
        assert beats("one", duel, loses=True).verdict == loses
        assert is_even("one", duel).verdict == even

    @pytest.mark.parametrize(("rate", "verdict"), [(60, "not"), (50, "reproduced"), (30, "reproduced")])
    def test_not_winning(self, rate: int, verdict: str) -> None:
        assert does_not_win("one", one(rate)).verdict == verdict

    @pytest.mark.parametrize(("rate", "verdict"), [(4, "reproduced"), (7, "partly"), (20, "not")])
    def test_bars_from_above(self, rate: int, verdict: str) -> None:
        assert stays_below("one", one(rate), 5).verdict == verdict

    @pytest.mark.parametrize(
        ("rates", "verdict"), [((40, 70, 50), "reproduced"), ((71, 70, 50), "partly"), ((90, 50, 40), "not")]
    )
    def test_where_the_best_is(self, rates: tuple[int, ...], verdict: str) -> None:
        line = [one(rate, M=count) for count, rate in zip((5, 50, 500), rates, strict=True)]
        found = best_within("shapes", line, "M", 20, 100)
        assert found.verdict == verdict
        assert f"M = 50: {rates[1]}.0 %" in found.text

    @pytest.mark.parametrize(
        ("high", "low", "stronger", "by_15", "alike"),
        [
            (70, 50, "reproduced", "reproduced", "not"),
            (60, 50, "reproduced", "partly", "not"),
            (51, 50, "partly", "not", "reproduced"),
            (40, 60, "not", "not", "not"),
        ],
    )
    def test_against_a_third(self, high: int, low: int, stronger: str, by_15: str, alike: str) -> None:
        a, b = one(high, 400), one(low, 400)
        assert is_stronger("a", a, b).verdict == stronger
        assert is_stronger("a", a, b, by=15).verdict == by_15
        assert is_alike("a", a, b).verdict == alike

    @pytest.mark.parametrize(
        ("rates", "verdict"), [((40, 50, 60), "reproduced"), ((40, 52, 50), "partly"), ((40, 60, 45), "not")]
    )
    def test_trends(self, rates: tuple[int, ...], verdict: str) -> None:
        duels = [one(rate, x=place) for place, rate in enumerate(rates)]
        assert rises("up", duels, "x").verdict == verdict
        assert rises("up", duels[:1], "x").verdict == "partly"

    def test_what_was_not_played_is_neither(self) -> None:
        missing = [reaches("a", None, 50), beats("a", None), is_even("a", None), is_stronger("a", None, one(50))]
        for found in [*missing, is_alike("a", one(50), None), does_not_win("a", None), stays_below("a", None, 5)]:
            assert found == Finding("partly", "a: not played at this scale")
        assert best_within("a", [one(50, M=1)], "M", 0, 9) == Finding("partly", "a, best M: not played at this scale")

    @pytest.mark.parametrize(
        ("verdicts", "strict", "loose"),
        [
            (["reproduced", "reproduced"], "reproduced", "reproduced"),
            (["reproduced", "not"], "not", "partly"),
            (["reproduced", "partly"], "partly", "partly"),
            (["not", "not"], "not", "not"),
        ],
    )
    def test_together(self, verdicts: list[Any], strict: str, loose: str) -> None:
        findings = [Finding(verdict, "x") for verdict in verdicts]
        assert all_of(findings).verdict == strict
        assert mixed(findings).verdict == loose

    def test_lines_are_in_an_order_for_people(self) -> None:
        rows = [games(50, sims=sims) for sims in (1000, 300, 20)]
        assert [duel["sims"] for duel in played(rows)] == [20, 300, 1000]
        duels = [one(50, t=value) for value in ("never", 6, "soon", 0.5)]
        assert values_of(duels, "t") == [0.5, 6, "never", "soon"]

    def test_elo(self) -> None:
        assert [elo(one(rate).score) for rate in (0, 50, 76, 100)] == ["all lost", "+0", "+200", "all won"]

    def test_ratings(self) -> None:
        ratings = rate_duels([one(75, 400, player="a"), one(50, 400, player="b")], {"other": 1800.0})
        assert ratings["other"].elo == pytest.approx(1800)
        assert ratings.difference("one:player=a", "one:player=b")[0] == pytest.approx(190, abs=15)

    def test_a_panel_with_words_and_one_without_games(self, tmp_path: Path) -> None:
        duels = [one(50, t=value, sims=10) for value in (1, "never")]
        printed: dict[Label, float] = {1: 70.0, "never": 20.0, 3: 50.0}  # 3 was not played
        some = Panel("some", "t", "sims", bar=60, published=printed)
        draw_panels(duels, [some, Panel("none", "t", "sims", {"t": 5})], tmp_path / "a")
        assert (tmp_path / "a.png").stat().st_size > 1000


class TestUct:
    def rows(self, without: int, with_policy: int) -> list[Row]:
        rates = {"none": without, "fuego": with_policy}
        return [games(rate, policy=policy, sims=sims) for policy, rate in rates.items() for sims in (300, 1000)]

    @pytest.mark.parametrize(
        ("without", "with_policy", "figure", "headline"),
        [
            (65, 52, "reproduced", "reproduced"),
            (54, 52, "partly", "partly"),
            (65, 30, "partly", "not"),
            (30, 30, "not", "not"),
        ],
    )
    def test_verdicts(self, without: int, with_policy: int, figure: str, headline: str) -> None:
        rows = self.rows(without, with_policy)
        assert verdict("td-search-uct", "fig-6-1", *rows) == figure
        assert verdict("td-search-uct", "h8", *rows) == headline

    def test_many_simulations_need_no_lead(self) -> None:
        rows = [*self.rows(65, 52), games(48, policy="fuego", sims=5000)]
        assert verdict("td-search-uct", "fig-6-1", *rows) == "reproduced"

    def test_the_table_tells_what_became_of_a_bar(self) -> None:
        found = experiment("td-search-uct")
        table = found.runner.summarise(self.rows(65, 30), found.claim).table
        assert [line[-1] for line in table if "sims=300" in line[0]] == [
            "at least 50 %: not",
            "at least 55 %: reproduced",
        ]


class TestSwitch:
    def rows(self, rates: dict[int, int], never: float, switch: float, uct: float) -> list[Row]:
        paces = {"never": never, "switch": switch, "uct": uct}
        own: list[Row] = [
            {"speed": name, "repetition": number, "simulations": pace * factor, "seconds": 1.0}
            for name, pace in paces.items()
            for number, factor in enumerate((1.0, 0.5))  # the best counts
        ]
        return own + [games(rate, switch=after, sims=300) for after, rate in rates.items()]

    @pytest.mark.parametrize(
        ("rates", "paces", "verdicts"),
        [
            ({1: 70, 6: 90, 64: 52}, (1000, 8000, 20000), ("reproduced", "reproduced", "reproduced")),
            ({1: 70, 6: 75, 64: 52}, (1000, 8000, 20000), ("partly", "reproduced", "reproduced")),
            ({1: 70, 6: 90, 64: 52}, (3000, 8000, 20000), ("reproduced", "not", "not")),
            ({1: 70, 6: 50, 64: 90}, (1000, 8000, 4000), ("not", "not", "not")),
            ({1: 70, 6: 90, 64: 52}, (100, 800, 20000), ("reproduced", "not", "reproduced")),  # slower than printed
        ],
    )
    def test_verdicts(self, rates: dict[int, int], paces: tuple[int, ...], verdicts: tuple[str, ...]) -> None:
        found = answers("td-search-switch", *self.rows(rates, *paces))
        rows = ("silver-fig-6-2", "silver-sec-6-9-1-speed", "silver-h9")
        assert tuple(found[row].verdict for row in rows) == verdicts

    def test_without_speeds(self) -> None:
        found = answers("td-search-switch", games(90, switch=6, sims=300))
        assert found["silver-h9"].verdict == "partly"


class TestSizes:
    def rows(self, small: int, every: int, stones: int, pairs: int) -> list[Row]:
        against = {"1x1": 20, "1x1+2x2": small, "1x1+2x2+3x3": every}
        rows = [games(rate, against="uct", sizes=sizes, sims=1000) for sizes, rate in against.items()]
        rows.append(games(stones, against="one ply", sizes="1x1", sims=1000))
        return [*rows, games(pairs, against="one ply", sizes="1x1+2x2", sims=1000)]

    @pytest.mark.parametrize(
        ("rates", "figure", "headline"),
        [
            ((55, 58, 98, 90), "reproduced", "reproduced"),
            ((55, 80, 98, 90), "partly", "reproduced"),  # 3x3 adds much
            ((55, 58, 98, 60), "reproduced", "not"),
            ((10, 40, 80, 60), "not", "not"),
        ],
    )
    def test_verdicts(self, rates: tuple[int, int, int, int], figure: str, headline: str) -> None:
        rows = self.rows(*rates)
        assert verdict("td-search-sizes", "fig-6-3", *rows) == figure
        assert verdict("td-search-sizes", "h7", *rows) == headline


class TestSteps:
    @pytest.mark.parametrize(
        ("careful", "boldest", "late", "expected"),
        [(20, 60, 40, "reproduced"), (20, 60, None, "partly"), (70, 30, 60, "not"), (20, 60, 80, "partly")],
    )
    def test_alpha(self, careful: int, boldest: int, late: int | None, expected: str) -> None:
        rows = [games(careful, alpha=0.01, sims=1000), games(boldest, alpha=1.0, sims=1000)]
        rows += [games(late, alpha=1.0, sims=5000)] if late is not None else []
        assert verdict("td-search-steps", "fig-6-4-alpha", *rows, games(50, epsilon=0.3, sims=300)) == expected

    @pytest.mark.parametrize(
        ("rates", "expected"), [((20, 50, 10), "reproduced"), ((20, 70, 10), "partly"), ((70, 70, 80), "not")]
    )
    def test_epsilon(self, rates: tuple[int, ...], expected: str) -> None:
        rows = [games(rate, epsilon=epsilon, sims=300) for rate, epsilon in zip(rates, (0.0, 0.3, 1.0), strict=True)]
        assert verdict("td-search-steps", "fig-6-4-epsilon", *rows, games(50, alpha=0.3, sims=300)) == expected


class TestLambda:
    def rows(self, sum_up: int, between: int, early: int, late: int) -> list[Row]:
        accumulating = [
            games(r, traces="accumulating", lambda_=x, sims=1000) for x, r in ((0.8, between), (1.0, sum_up))
        ]
        replacing = [games(r, traces="replacing", lambda_=1.0, sims=n) for n, r in ((1000, early), (5000, late))]
        return accumulating + replacing

    @pytest.mark.parametrize(
        ("rates", "expected"),
        [((20, 60, 55, 30), "reproduced"), ((80, 50, 20, 70), "not"), ((20, 60, 55, 50), "partly")],
    )
    def test_verdicts(self, rates: tuple[int, int, int, int], expected: str) -> None:
        assert verdict("td-search-lambda", "fig-6-5", *self.rows(*rates)) == expected

    def test_without_many_simulations(self) -> None:
        assert verdict("td-search-lambda", "fig-6-5", *self.rows(20, 60, 55, 30)[:-1]) == "partly"


class TestTemporality:
    def rows(self, stale: tuple[int, ...], kept: tuple[int, ...]) -> list[Row]:
        rows = [games(rate, stale=k, sims=1000) for k, rate in zip((2, 4, 6, 8), stale, strict=True)]
        return rows + [games(rate, kept="weights", sims=n) for n, rate in zip((300, 1000), kept, strict=True)]

    @pytest.mark.parametrize(
        ("stale", "kept", "verdicts"),
        [
            ((70, 85, 96, 95), (93, 95), ("reproduced", "reproduced", "reproduced")),
            ((70, 80, 85, 90), (80, 88), ("partly", "partly", "reproduced")),
            ((70, 60, 40, 30), (60, 70), ("not", "not", "not")),
        ],
    )
    def test_verdicts(self, stale: tuple[int, ...], kept: tuple[int, ...], verdicts: tuple[str, ...]) -> None:
        found = answers("td-search-temporality", *self.rows(stale, kept))
        assert tuple(found[f"silver-{row}"].verdict for row in ("fig-6-6", "fig-6-7", "h10")) == verdicts


class TestBoards:
    @pytest.mark.parametrize(
        ("rates", "figure", "headline"),
        [
            ((30, 60, 80), "reproduced", "reproduced"),
            ((30, 60, 58), "partly", "partly"),
            ((80, 40, 20), "not", "not"),
            ((60, 40, 80), "partly", "not"),
        ],
    )
    def test_verdicts(self, rates: tuple[int, ...], figure: str, headline: str) -> None:
        rows = [games(rate, board=side, sims=1000) for side, rate in zip((5, 9, 13), rates, strict=True)]
        assert verdict("td-search-boards", "fig-6-8", *rows) == figure
        assert verdict("td-search-boards", "h11", *rows) == headline

    def test_two_boards_are_no_trend(self) -> None:
        rows = [games(rate, board=side, sims=1000) for side, rate in ((9, 60), (13, 80))]
        assert verdict("td-search-boards", "h11", *rows) == "partly"


class TestMemories:
    @pytest.mark.parametrize(
        ("rates", "figure"),
        [((5, 60, 75, 58), "reproduced"), ((5, 30, 75, 58), "partly"), ((30, 20, 30, 70), "not")],
    )
    def test_verdicts(self, rates: tuple[int, int, int, int], figure: str) -> None:
        long, *others = rates
        rows = [games(long, player="long", against="gnugo", sims=0)]
        for name, rate in zip(("short", "both", "uct"), others, strict=True):
            rows.append(games(rate, player=name, against="gnugo", sims=5000))
        assert verdict("dyna2-memories", "fig-7-3", *rows) == figure


class TestHeadlines:
    def rows(self, short: int, half: int, most: int, deep: int, plies: int, of: int = 200) -> list[Row]:
        return [
            *(games(short, of, against="short", sims=sims, depth=1) for sims in (200, 500)),
            *(games(half, of, against="gnugo", sims=sims, depth=1) for sims in (2000, 5000)),
            games(most, of, against="gnugo", sims=5000, depth=5),
            games(deep, of, against="depth 1", sims=200, depth=3),
            games(plies, of, against="4 plies", sims=200, depth=1),
        ]

    @pytest.mark.parametrize(
        ("rates", "dyna2", "hybrid"),
        [
            ((66, 50, 76, 60, 50), "reproduced", "reproduced"),  # 76 % of 200: up to 81.4
            ((66, 45, 76, 60, 50), "partly", "reproduced"),
            ((50, 50, 72, 60, 50), "not", "not"),
            ((66, 30, 76, 50, 50), "not", "not"),
        ],
    )
    def test_verdicts(self, rates: tuple[int, int, int, int, int], dyna2: str, hybrid: str) -> None:
        assert verdict("dyna2-headlines", "h12", *self.rows(*rates)) == dyna2
        assert verdict("dyna2-headlines", "h13", *self.rows(*rates)) == hybrid

    def test_few_games_are_not_certain(self) -> None:
        rows = self.rows(66, 52, 76, 62, 52, of=40)
        assert verdict("dyna2-headlines", "h12", *rows) == verdict("dyna2-headlines", "h13", *rows) == "partly"


class TestHybrid:
    def rows(self, deep: int, flat: int, wide: int, direct: int, cost: float = 2.0) -> list[Row]:
        level: dict[str, Any] = {"against": "gnugo"}
        rows = [
            games(deep, depth=5, sims=5000, **level),
            games(flat, depth=1, sims=5000, **level),
            games(flat, depth=1, sims=200, **level),
            games(wide, depth=6, sims=0, **level),
            games(direct, depth=3, sims=200, against="depth 1"),
        ]
        ladder = {"alpha-beta": (wide, 0), "dyna2": (flat, 1000), "hybrid": (deep, 1000)}
        for name, (rate, sims) in ladder.items():
            seconds = cost if name == "hybrid" else 1.0
            rows.append({**games(rate, ladder=name, sims=sims), "moves": 100, "seconds": seconds})
        return rows

    @pytest.mark.parametrize(
        ("rates", "verdicts"),
        [
            ((82, 60, 20, 70), ("reproduced", "reproduced")),
            ((64, 60, 20, 70), ("partly", "partly")),
            ((50, 60, 80, 30), ("partly", "not")),
        ],
    )
    def test_verdicts(self, rates: tuple[int, int, int, int], verdicts: tuple[str, ...]) -> None:
        found = answers("hybrid-depths", *self.rows(*rates))
        assert tuple(found[f"silver-{row}"].verdict for row in ("fig-7-4", "table-7-1")) == verdicts

    def test_what_plies_cost(self) -> None:
        """Twice the time with 1,000 simulations: the plies take that of 1,000."""
        found = answers("hybrid-depths", *self.rows(82, 60, 20, 70))["silver-fig-7-4"]
        assert "simulations: of 1,000 here" in found.result
        assert verdict("hybrid-depths", "fig-7-4", *self.rows(82, 60, 20, 70, cost=9.0)) == "partly"

    def test_the_ladder_is_a_table_with_what_was_printed(self) -> None:
        found = experiment("hybrid-depths")
        table = found.runner.summarise(self.rows(82, 60, 20, 70), found.claim).table
        assert [line[-1] for line in table[-3:]] == [
            f"ladder; printed on CGOS: {elo}" for elo in (1350, 2030, 2130)
        ]  # fmt: skip


class TestExample:
    found = look({"sims": 50, "repetition": 0, "seed": 1})

    def rows(self, best: str, fight: int, triangle: bool, searches: int = 2) -> list[Row]:
        row = copy.deepcopy(self.found)
        row["moves"] = {best: [0.9, 10], "J1": [0.1, 3]}
        near, far = "A9 3x3 .O./OOO/XXX", "E4 3x3 .XO/..O/.XO"
        row["top"]["3x3"] = [[near, -1.0]] * fight + [[far, 0.5]] * (10 - fight)
        row["top"]["2x2"] = [["A9 2x2 .O/OO" if triangle else "B3 2x2 .O/OO", -1.0]] * 10
        return [{**row, "repetition": number} for number in range(searches)]

    def test_one_move_is_best(self) -> None:
        """By another search; after any other move and White's answer in the corner, Black has lost."""
        game, position = GoGame(9), Position.from_diagram(POSITION)
        uct = "uct-vanilla:sims=3000,playout_policy=fuego"
        assert position.vertex(make_player(uct).choose(game, position, Rng(1)).action or 0) == BEST
        for other in ("A9", "C9", "G9", "H7", "C2"):
            answered = position.play(other).play(BEST)
            value = make_player(uct).choose(game, answered, Rng(1)).value
            assert value is not None
            assert value < 0.1

    def test_a_row(self) -> None:
        legal = {Position(9).vertex(action) for action in Position.from_diagram(POSITION).legal_actions()}
        assert set(self.found["moves"]) <= legal
        values = [value for value, _ in self.found["moves"].values()]
        assert values == sorted(values, reverse=True)
        assert sum(visits for _, visits in self.found["moves"].values()) == 50
        assert {size: len(weights) for size, weights in self.found["top"].items()} == {"1x1": 10, "2x2": 10, "3x3": 10}
        assert look({"sims": 50, "repetition": 0, "seed": 1}) == self.found

    @pytest.mark.parametrize(
        ("best", "fight", "triangle", "expected"),
        [
            (BEST, 9, True, "reproduced"),
            (BEST, 8, True, "partly"),
            ("C9", 10, True, "partly"),
            ("C9", 5, False, "not"),
        ],
    )
    def test_verdicts(self, best: str, fight: int, triangle: bool, expected: str) -> None:
        rows = self.rows(best, fight, triangle)
        assert verdict("td-search-example", "figs-6-9-to-6-11", *rows) == expected

    def test_only_the_longest_searches_count(self) -> None:
        early = [{**row, "sims": 10} for row in self.rows("C9", 0, False)]
        assert verdict("td-search-example", "figs-6-9-to-6-11", *early, *self.rows(BEST, 9, True)) == "reproduced"


class TestBeyond:
    @pytest.mark.parametrize(
        ("kalman", "softmax", "expected"),
        [(65, 50, "reproduced"), (65, 70, "partly"), (50, 30, "partly"), (40, 70, "not")],
    )
    def test_verdicts(self, kalman: int, softmax: int, expected: str) -> None:
        found = experiment("td-search-beyond")
        rows = [games(kalman, variant="kalman", sims=300), games(softmax, variant="softmax", sims=300)]
        told = found.runner.summarise(rows, found.claim)
        assert told.verdict == expected
        assert not told.answers
        assert len(told.table) == 2

    @pytest.mark.parametrize(
        ("variant", "rate", "expected"),
        [
            ("table", 52, "reproduced"),
            ("table", 75, "not"),
            ("table", 25, "not"),
            ("table only", 25, "reproduced"),
            ("table only", 50, "partly"),
            ("sequences only", 75, "not"),
            ("blocks", 50, "reproduced"),
            ("blocks", 75, "not"),
        ],
    )
    def test_what_is_said_of_features_that_grow(self, variant: str, rate: int, expected: str) -> None:
        found = experiment("td-search-beyond")
        assert found.runner.summarise([games(rate, variant=variant, sims=300)], found.claim).verdict == expected


class TestPolicyMoves:
    def rows(self, one_ply: int, half: int, most: int) -> list[Row]:
        shares = ("12+18", "6+24")
        return [
            games(one_ply, 200, against="one ply", player="td-search", moves="6+24", alpha=0.3),
            *(games(half, 200, against="gnugo", player=player, moves="6+24") for player in ("td-search", "dyna2")),
            *(games(most, 200, against="gnugo", player="hybrid", moves=moves) for moves in shares),
        ]

    @pytest.mark.parametrize(
        ("rates", "expected"),
        [
            ((80, 50, 76), "reproduced"),  # 76 % of 200: up to 81.4
            ((78, 50, 76), "partly"),
            ((80, 50, 70), "not"),
            ((80, 40, 80), "not"),
        ],
    )
    def test_verdicts(self, rates: tuple[int, int, int], expected: str) -> None:
        found = experiment("td-search-policy-moves")
        assert found.runner.summarise(self.rows(*rates), found.claim).verdict == expected
