"""The ledger holds every claim of the sources, and nothing leaves it unnoticed."""

import re
from collections import Counter
from pathlib import Path

import pytest

from katachi.core.errors import ParseError, SettingsError, UnknownNameError
from katachi.experiments.ledger import SOURCES, LedgerRow, load_ledger, read_ledger, row, rows_of

IDS = Path(__file__).parents[1] / "data" / "ledger_ids.txt"

# Per source: prefix of the ids, letter and number of the headlines, and rows of each kind.
EXPECTED = {
    "Silver 2009": ("silver", "h", 19, {"table": 9, "figure": 38, "experiment": 7}),
    "Gelly & Silver 2008": ("mogo", "a", 9, {"table": 2, "figure": 2, "experiment": 1}),
    "Silver & Tesauro 2009": ("balancing", "k", 11, {"table": 1, "figure": 3, "experiment": 1}),
    "Vodopivec 2018": ("vodopivec", "h", 18, {"table": 12, "figure": 20, "experiment": 8}),
    "Ekker 2003": ("ekker", "h", 10, {"table": 1, "figure": 7, "experiment": 8}),
}

# The numbers of tables and figures that `where` must cite; "a-b" is every number from a to b. Those that are not here
# (rules of Go, diagrams of algorithms) show concepts, not results.
NUMBERED = {
    "Silver 2009": {
        "Table": ["4.1-4.2", "5.1-5.3", "7.1-7.1", "8.1-8.1", "9.1-9.2"],
        "Figure": ["5.3-5.18", "6.1-6.11", "7.3-7.4", "8.1-8.4", "9.1-9.5"],
    },
    "Gelly & Silver 2008": {"Table": ["1-2"], "Figure": ["2-3"]},
    "Silver & Tesauro 2009": {"Table": ["1-1"], "Figure": ["1-3"]},
    "Vodopivec 2018": {"Table": ["7.1-7.3", "A.1-A.1", "B.1-B.1"], "Figure": ["6.2-6.13", "7.1-7.8"]},
    "Ekker 2003": {"Table": ["1-1"], "Figure": ["13-20"]},
}

TABLE = """\
[[row]]
id = "some-row"
source = "Silver 2009"
kind = "table"
where = "Table 1"
claim = "It works."
status = "pending"
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "ledger.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_ids_are_the_committed_ones() -> None:
    committed = IDS.read_text(encoding="utf-8").splitlines()
    assert committed == sorted(set(committed))
    assert sorted(entry.id for entry in load_ledger()) == committed


@pytest.mark.parametrize("source", SOURCES)
def test_counts(source: str) -> None:
    prefix, letter, headlines, kinds = EXPECTED[source]
    rows = rows_of(source)
    assert Counter(entry.kind for entry in rows) == {**kinds, "headline": headlines}
    assert all(entry.id.startswith(f"{prefix}-") for entry in rows)
    assert [entry.id for entry in rows if entry.kind == "headline"] == [
        f"{prefix}-{letter}{number}" for number in range(1, headlines + 1)
    ]


def test_every_row_has_a_source() -> None:
    assert sum(len(rows_of(source)) for source in SOURCES) == len(load_ledger()) == 187


@pytest.mark.parametrize("source", SOURCES)
def test_every_number_is_cited(source: str) -> None:
    for word, ranges in NUMBERED[source].items():
        cited = set()
        for entry in rows_of(source):
            if entry.kind == word.lower():
                cited |= set(re.findall(r"(?:[0-9AB]+\.)?[0-9]+", entry.where.split(f"{word}", 1)[1]))
        for span in ranges:
            first, last = span.split("-")
            chapter, dot, start = first.rpartition(".")
            end = last.rpartition(".")[2]
            for number in range(int(start), int(end) + 1):
                assert f"{chapter}{dot}{number}" in cited, f"{source}, {word} {chapter}{dot}{number}"


def test_nothing_is_done_without_an_experiment() -> None:
    for entry in load_ledger():
        assert (entry.experiment is not None) == (entry.status == "done"), entry.id


def test_texts_speak_of_the_sources_only() -> None:
    ours = re.compile(
        r"\bspecs?\b|specification|\bnotes?\b|/work|\.md\b|annex|\[[A-Z]\]|prototype|scaled-down", re.IGNORECASE
    )
    for entry in load_ledger():
        for text in (entry.where, entry.claim, entry.bar, entry.reason):
            assert text is None or not ours.search(text), f"{entry.id}: {text}"
        assert entry.claim.endswith(".")
        assert entry.bar is None or entry.bar.endswith(".")
        assert entry.reason is None or entry.reason.endswith(".")


def test_reasons_name_rows_that_exist() -> None:
    ids = {entry.id for entry in load_ledger()}
    named = re.compile(r"\b(?:silver|mogo|balancing|vodopivec|ekker)(?:-[a-z0-9]+)+")
    found = [name for entry in load_ledger() for name in named.findall(entry.reason or "")]
    assert found
    assert set(found) <= ids


def test_row_by_id() -> None:
    assert row("silver-h14").where == "Section 8.4.2, Figure 8.2"
    with pytest.raises(UnknownNameError, match=r"called 'silver-fig-6-12': did you mean '.*silver-fig-6-1'"):
        row("silver-fig-6-12")
    with pytest.raises(UnknownNameError, match="called 'zzz': `katachi reproduce list` shows all 187"):
        row("zzz")


def test_unknown_source() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'Silver 2009'"):
        rows_of("Silver 2008")


def test_a_good_file(tmp_path: Path) -> None:
    done = TABLE.replace('"some-row"', '"other-row"').replace('"pending"', '"done"\nexperiment = "other-experiment"')
    first, second = read_ledger(write(tmp_path, TABLE + done))
    assert first == LedgerRow(
        id="some-row", source="Silver 2009", kind="table", where="Table 1", claim="It works.", status="pending"
    )
    assert second.experiment == "other-experiment"
    assert read_ledger(write(tmp_path, "")) == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"pending"', '"done"', "row 1 .some-row.: .*'done' needs a value for 'experiment'"),
        ('"pending"', '"not reproducible"', "'not reproducible' needs a value for 'reason'"),
        ('"pending"', '"pending"\nexperiment = "early"', "'pending' has no 'experiment'"),
        ('"pending"', '"pending"\nreason = "None."', "'pending' has no 'reason'"),
        ('"pending"', '"pending"\nbar = "More."', "kind 'table' has no 'bar'"),
        ('"pending"', '"reproduced"', "LedgerRow.status: .*not 'reproduced'"),
        ('"table"', '"headline"', "kind 'headline' needs a value for 'bar'"),
        ('"table"', '"picture"', "LedgerRow.kind: .*not 'picture'"),
        ('"Silver 2009"', '"Silver 2010"', "LedgerRow.source: .*not 'Silver 2010'"),
        ('"It works."', '""', "LedgerRow.claim: .*not ''"),
        ('"It works."', '" It works."', "LedgerRow.claim: .*not ' It works.'"),
        ('"It works."', '"It\\nworks."', "LedgerRow.claim"),
        ('"some-row"', '"Some_Row"', "LedgerRow.id: .*not 'Some_Row'"),
        ("claim =", "clam =", "no setting 'clam': did you mean 'claim'"),
        ('id = "some-row"\n', "", "row 1 .without id.: LedgerRow needs a value for 'id'"),
    ],
)
def test_bad_rows(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TABLE
    with pytest.raises(SettingsError, match=message):
        read_ledger(write(tmp_path, TABLE.replace(old, new)))


def test_an_id_occurs_once(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="more than one row called 'some-row'"):
        read_ledger(write(tmp_path, TABLE + TABLE))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[row", "ledger.toml is not TOML"),
        ("[[rows]]\n", "holds tables .* not rows"),
        ("row = 1\n", "holds tables .* not row"),
        ("row = [1]\n", "holds tables .* not row"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        read_ledger(write(tmp_path, text))
