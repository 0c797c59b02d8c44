"""Pages of kept tables: they are those of their csv, and say what a reader has to know."""

import json
import re

import pytest
from helpers import ROOT

from fedreact.errors import UserError
from fedreact.metrics.grammar import load_metric
from fedreact.reference import store, tables
from fedreact.reference.keep import DIFFERENCES
from fedreact.reference.tables import KeptTables
from fedreact.tables import grid

SCALES = sorted({path.parents[1] for path in ROOT.glob(f"reference/*/*/{store.TABLES}")})


TABLE = store.table(ROOT / "reference/quick/fed_react", "table05").getvalue()


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch):
    """The configuration is that of the current folder."""
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module", params=SCALES, ids=lambda path: path.name)
def tables_(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return KeptTables(request.param)


def test_pages_are_those_of_their_csv(tables_):
    """After `make docs` they are."""
    stale = [path for path in tables_.pages() if path.read_text() != tables_.page(path)]
    assert stale == [], "run: make docs"


def test_no_page_is_left_without_its_table(tables_):
    assert set(tables_.folder.glob("*/tables/*")) == set(tables_.pages())


def test_each_mean_of_a_table_stands_on_its_page(tables_):
    for path in tables_.pages():
        numbers = set(re.findall(r"-?\d[\d,]*(?:\.\d+)?", path.read_text()))
        lines = tables_.lines(path).dropna(subset="mean")
        for metric, means in lines.groupby("metric")["mean"]:
            decimals = load_metric(metric).decimals
            assert {grid.number(mean, decimals) for mean in means} <= numbers, path


@pytest.fixture
def small(tmp_path):
    """One kept table, at the scale quick, of a run that lacks a row and has no findings."""
    folder = tmp_path / "reference/quick/fed_react"
    store.write(folder / store.TABLES, TABLE)
    return folder


PAGE = "tables/table05.md"


def test_a_row_of_data_that_a_run_lacks_is_left_out_with_the_reason(small):
    lines = TABLE.splitlines(keepends=True)
    row = "RTD - 100 clients (Stationary)"
    store.write(small / store.TABLES, "".join(line for line in lines if row not in line))

    def reason():
        page = KeptTables(small.parent).page(small / PAGE).splitlines()
        (line,) = [line for line in page if line.startswith("- Left out:") and row in line]
        return line.partition("Reason: ")[2]

    assert reason() == (
        "the data (air-writing-sim or pendigits or rtd or sheffield-air) could not be had."
    )
    (small / "run.json").write_text(json.dumps({"data": {"pendigits": "0"}}))
    assert reason() == "this run does not have it."


def test_a_page_says_what_was_unlike_the_paper_when_the_run_was_kept(small):
    today, page = KeptTables(small.parent), small / PAGE
    said = today.settings.paper("fed_react").scale.differences_of["clustered"]
    assert all(text in today.page(page) for text in said)
    content = {"differences_of": {"clustered": ["each client is asked twice"]}}
    (small / DIFFERENCES).write_text(json.dumps(content))
    then = KeptTables(small.parent).page(page)
    assert "each client is asked twice" in then
    assert not any(text in then for text in said)


def test_findings_of_a_run_are_cautions(small):
    assert "Caution" not in KeptTables(small.parent).page(small / PAGE)
    rows = {"RTD - 10 clients (Stationary)": ["Some have identical samples."]}
    (small / "findings.json").write_text(json.dumps({"table05": rows}))
    page = KeptTables(small.parent).page(small / PAGE)
    assert "Caution: Some have identical samples." in page


def test_pages_are_written_beside_their_csv(small):
    assert tables.write(small.parents[1]) == 1
    page = (small / PAGE).read_text()
    title = "# Accuracy of clustered federated learning on handwritten digits"
    assert page.splitlines()[:3] == [
        "<!-- Made by `make docs` from ../tables.csv.gz. -->",
        "",
        title,
    ]


def test_a_title_stands_once_where_there_is_nothing_else_to_say():
    page = (ROOT / "reference/quick/fed_react/tables/communication.md").read_text()
    assert page.count("Bytes that a client receives and sends per round") == 1


def test_a_table_that_is_none_any_more_is_a_clear_error(small):
    store.write(small / store.TABLES, TABLE.replace("\ntable05,", "\ntable99,"))
    with pytest.raises(UserError, match=r"tables\.csv\.gz: .*tables\.yaml lacks table99; keep"):
        tables.write(small.parents[1])


def test_a_kept_cell_in_words(small):
    tables_ = KeptTables(small.parent)
    row = "RTD - 10 clients (Stationary)"
    text = tables_.annotated("table05", row, "IFCA")
    assert text.startswith(
        "Digits (pendigits; paper: RTD), 10 clients (Stationary), IFCA (table05)"
    )
    assert "metric        Accuracy (higher is better)\n" in text
    assert "Fed-REACT (arXiv 2509.07198), Table 5, appendix G\n" in text
    assert "not comparable: the paper uses rtd, this run pendigits; " in text
    assert text.endswith("from          reference/quick/fed_react/tables/table05.md")
    assert "Rand score" in tables_.annotated("table05", row, "IFCA", "rand")
    doubtful = tables_.annotated("table05", "RTD - 100 clients (Stationary)", "IFCA")
    assert "one column off" in doubtful


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (("table06", "x", "y"), "no run keeps a table table06"),
        (("table05", "x", "IFCA"), "has no cell x, IFCA"),
        (("table05", "RTD - 10 clients (Stationary)", "IFCA", "rmse"), "IFCA, rmse"),
    ],
)
def test_a_cell_that_is_not_kept_is_a_clear_error(small, place, words):
    with pytest.raises(UserError, match=re.escape(words)):
        KeptTables(small.parent).annotated(*place)
