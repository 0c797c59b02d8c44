"""Values by seed: every number of a kept run comes out again, with code that shares nothing."""

import json
import re

import numpy as np
import pandas as pd
import pytest
import yaml
from helpers import ROOT, slowly
from second_opinion import cells, claims, differing, references, universes
from small_records import start, tell

from fedreact import atomic, plugins
from fedreact.claims import judged
from fedreact.claims.readings import ClaimReading, Contrast
from fedreact.errors import UserError
from fedreact.reading import as_json
from fedreact.reference import store, values
from fedreact.reference.keep import keep
from fedreact.tables import origins
from fedreact.tables.cells import CellRules, build, computed, read_scores
from fedreact.tables.files import ORIGINS
from fedreact.tables.published import read as no_paper
from fedreact.tables.sources import CellSource, ScoreSource

REFERENCES = ROOT / "reference"
WITH_VALUES = sorted(path.parent for path in REFERENCES.glob(f"*/*/{store.VALUES}"))
FED_REACT = REFERENCES / "quick/fed_react"
NAMED = [
    "a1-beats-clustered-stationary",
    "a1-beats-snapshots-stationary",
    "memory-helps-stationary",
    "best-under-drift",
    "best-under-migration",
    "switching-10",
]
"""Claims of Fed-REACT that it stands or falls with."""
BUDGET, BLOCK = 4 * 2**20, 4096
"""Bytes of all that is kept, and of a block of a disk."""


# ---- The runs that are kept ---------------------------------------------------------------------


@pytest.fixture(
    params=slowly({f"{path.parent.name}-{path.name}": path for path in WITH_VALUES}, "quick-m_att")
)
def kept(request):
    return request.param


def test_cells_of_kept_runs_come_out_again(kept):
    n, wrong = differing(cells(kept, references(ROOT / "config/papers" / kept.name)))
    assert n > 100
    assert wrong == []


def test_claims_of_kept_runs_come_out_again(kept):
    n, wrong = differing(claims(kept))
    assert n > 20
    assert wrong == []


@pytest.mark.parametrize("folder", sorted(REFERENCES.glob("*/*/multiverse")), ids=str)
def test_multiverses_come_out_again(folder):
    """Seven numbers of each claim, and the first index of each choice."""
    n, wrong = differing(universes(folder))
    claims, indices = (len(pd.read_csv(folder / f"{name}.csv")) for name in ("claims", "matters"))
    assert n == 7 * claims + indices
    assert wrong == []


def test_the_multiverse_of_the_main_paper_is_kept():
    assert list(REFERENCES.glob("*/fed_react/multiverse/universes.csv.gz"))


@pytest.mark.campaign
@pytest.mark.skipif(FED_REACT not in WITH_VALUES, reason="was kept before values were")
@pytest.mark.parametrize("claim", NAMED)
def test_a_claim_of_fed_react_comes_out_again(claim):
    numbers = [line for line in claims(FED_REACT) if line[0]["claim"] == claim]
    n, wrong = differing(numbers)
    assert n >= 5
    assert wrong == []


def test_what_is_kept_is_small():
    """No pictures but the figures that pages show: those of claims are drawn from their csv."""
    files = [path for path in REFERENCES.rglob("*") if path.is_file()]
    assert sum(-(-path.stat().st_size // BLOCK) * BLOCK for path in files) <= BUDGET
    assert {path.parent.name for path in files if path.suffix == ".png"} <= {"figures"}


# ---- A made run ---------------------------------------------------------------------------------

METHODS = ("A", "B", "C")
RATES = {"A": 0.95, "B": 0.93, "C": 0.6}


def scores_of(setting, seed, n_rounds=4):
    """Scores of three methods: A and B are near, and near 1; C learns slowly and sends more."""
    rng = np.random.default_rng([seed, len(setting)])
    for method in METHODS:
        for k in range(n_rounds):
            learnt = RATES[method] * (1 - 0.5 ** (k + 1 + (method != "C")))
            yield {
                "setting": setting,
                "data": "digits",
                "seed": seed,
                "method": method,
                "round": k,
                "accuracy": min(1, learnt + rng.normal(0, 0.02)),
                "bytes": (k + 1) * (100.0 if method == "C" else 70.0) + rng.normal(0, 5),
            }


def claim(name, contrasts, **changes):
    """A claim as the workflow asks for it; a contrast is ``(at, left, right)``."""
    entry = {"claim": name, "reading": "", "relation": "better", "sign": 1, "metric": "accuracy"}
    entry |= {"margin": 0.005, "over": "every", "last": False} | changes
    compared = [
        Contrast(at, left, str(right), ScoreSource(folder(at), left), _theirs(at, right), 0.1)
        for at, left, right in contrasts
    ]
    return ClaimReading(**entry, contrasts=compared)


def folder(setting):
    return f"results/quick/runs/clustered/{setting}"


def _theirs(at, right):
    return ScoreSource(folder(at), right) if isinstance(right, str) else right


SETTINGS = {"few": 2, "three": 3, "many": 6}
"""With their seeds."""
BOTH = [(at, "A", right) for at in ("three", "many") for right in ("B", "C")]
CLAIMS = [
    claim("every", BOTH),
    claim("over-all", BOTH, over="average"),
    claim("above-half", [("three", "A", 0.5), ("many", "A", 0.5)]),
    claim("below", [("many", "A", "C")], relation="lower", sign=-1),
    claim("even", [("many", "A", "B")], relation="equal", sign=0, margin=0.1),
    claim("not-even", [("many", "A", "C")], relation="equal", sign=0),
    claim("small", [("many", "A", "B")], margin=0.5),
    claim("too-few", [("few", "A", "C")]),
    claim("unequal-seeds", [("few", "A", "C"), ("many", "A", "C")], over="average"),
    claim("at-the-end", BOTH, last=True),
    claim("other", [("many", "A", "C")], reading="rate: 3"),
    claim("sooner", BOTH, relation="lower", sign=-1, metric="bytes", reaching="accuracy"),
]


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A run with a table, a count, and claims that come out in each way; its folder of results."""
    results = tell(monkeypatch, tmp_path)
    for setting, n in SETTINGS.items():
        for seed in range(n):
            text = pd.DataFrame(scores_of(setting, seed)).to_csv(index=False)
            atomic.write_text(tmp_path / folder(setting) / f"seed{seed}.csv", text)
    files = sorted(results.glob("runs/*/*/*.csv"))
    scores = read_scores(files)
    layout = [CellSource(at, method, folder(at), method) for at in SETTINGS for method in METHODS]
    rules = CellRules(["accuracy", "bytes"], reference="A")
    table = build("toy_t1", layout, rules, no_paper(None), scores, [])
    write_table(table, results / "tables/toy_t1.csv", origins.ScoredRuns(layout, scores))
    table_of_count = pd.DataFrame([{"row": "weights", "column": "A", "value": 3.0}])
    count = computed("toy_t2", table_of_count, no_paper(None))
    write_table(count, results / "tables/toy_t2.csv", results / "studies/t2.csv")
    table = judged.judged("toy", CLAIMS, scores)
    monkeypatch.setattr(plugins, "loaded", [])  # of the package, not of this folder
    recording = start(results / "claims/toy.csv", files, asked=as_json(CLAIMS))
    judged.write(table, results / "claims/toy.csv")
    recording.end()
    return results


def write_table(table, csv, source):
    """Write a table and where it came from, as its command does."""
    as_csv = {"index": False, "float_format": "%.6f", "lineterminator": "\n"}
    atomic.write_text(csv, table.to_csv(**as_csv))
    content = origins.origins(csv, table, no_paper(None), "", source)
    csv.with_suffix(ORIGINS).write_text(json.dumps(content))


@pytest.fixture
def kept_small(made, tmp_path):
    (paper := tmp_path / "papers/toy").mkdir(parents=True)
    (paper / "paper.yaml").write_text("title: Toy\n")
    (paper / "tables.yaml").write_text(yaml.safe_dump({"t1": {"reference": "A"}, "t2": {}}))
    keep(made, tmp_path / "kept", {"toy", "toy_t1", "toy_t2"}, [])
    return tmp_path / "kept"


def test_every_number_of_a_made_run_comes_out_again(kept_small, tmp_path):
    n, wrong = differing(cells(kept_small, references(tmp_path / "papers/toy")))
    assert wrong == []
    n_cells, n_gaps = 9 * 2 + 1, 6 * 2
    assert n == 6 * n_cells + 5 * n_gaps
    n, wrong = differing(claims(kept_small))
    assert wrong == []
    # Holm's correction and its p-value are those of claims under their default reading.
    defaults = [one for one in CLAIMS if not one.reading]
    assert n == 5 * sum(1 + len(one.contrasts) for one in CLAIMS) + 2 * len(defaults)
    outcomes = set(judged.read(kept_small / "claims/toy.csv")["outcome"])
    assert outcomes == {"holds", "negligible", "reversed", "undecided"}


def test_the_lines_of_the_page_give_means_and_intervals(kept_small):
    page = (ROOT / "docs/howto/run.md").read_text()
    code = re.search(r"^```python\n(import pandas.*?)^```", page, re.MULTILINE | re.DOTALL)[1]
    for shown, small in {
        "reference/quick/fed_react/values.csv.gz": str(kept_small / store.VALUES),
        "'table05'": "'toy_t1'",
    }.items():
        assert shown in code
        code = code.replace(shown, small)
    printed = []
    exec(code, {"print": printed.append})
    (numbers,) = printed
    cells_kept = pd.read_csv(kept_small / store.TABLES)[lambda lines: lines["table"] == "toy_t1"]
    cells_kept = cells_kept.set_index(["row", "column", "metric"]).loc[numbers.index]
    assert numbers["mean"].tolist() == pytest.approx(cells_kept["mean"].tolist(), abs=1e-6)
    # Bounds of the metric do not cut off the intervals of bytes.
    bytes_ = cells_kept.index.get_level_values("metric") == "bytes"
    wide = (cells_kept["ci_high"] - cells_kept["ci_low"])[bytes_]
    assert (2 * numbers["half"][bytes_]).tolist() == pytest.approx(wide.tolist(), abs=1e-5)


@pytest.mark.parametrize(
    ("file", "n", "parts"),
    [("tables.csv.gz", 1, (cells,)), ("claims/toy.csv", 2, (claims,)), ("values.csv.gz", 1, ())],
)
def test_a_number_that_is_changed_is_noticed(kept_small, tmp_path, file, n, parts):
    path = kept_small / file
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    name = next(name for name in ("mean", "difference", "value") if name in table)
    table.loc[n, name] = str(float(table.loc[n, name]) + 0.001)
    table.to_csv(path, index=False)
    beside = references(tmp_path / "papers/toy")
    assert bool(differing(cells(kept_small, beside))[1]) == (parts != (claims,))
    assert bool(differing(claims(kept_small))[1]) == (parts == (claims,))


def test_values_are_those_of_the_scores(kept_small):
    table = pd.read_csv(kept_small / store.VALUES, keep_default_na=False, dtype={"seed": str})
    assert table.columns.tolist() == values.COLUMNS
    lines = pd.DataFrame(scores_of("many", 4))
    mean = lines.groupby("method")["accuracy"].mean()
    of_seed = table[(table["seed"] == "4") & (table["metric"] == "accuracy")]
    cell = of_seed.query("row == 'many' and column == 'C'")
    assert cell["value"].tolist() == pytest.approx([mean["C"]], rel=1e-8)
    contrast = of_seed.query("claim == 'below' and at == 'many' and right == 'C'")
    assert contrast["value"].tolist() == pytest.approx([mean["C"] - mean["A"]], rel=1e-7)
    assert table.query("table == 'toy_t2'")[["seed", "value"]].values.tolist() == [["", 3.0]]
    bounds = table.query("claim == 'sooner' and right == 'C'")
    assert (bounds["most"] != "").all()  # A has what C comes to in its first round
    assert (bounds["value"] < pd.to_numeric(bounds["most"])).all()
    assert (table.query("claim != 'sooner'")["most"] == "").all()


def test_the_same_run_is_kept_in_the_same_bytes(made, tmp_path):
    names = {"toy", "toy_t1", "toy_t2"}
    for name in ("a", "b"):
        keep(made, tmp_path / name, names, [])
    for file in (store.TABLES, store.VALUES):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_claims_without_a_record_are_refused(made, tmp_path):
    (made / "provenance/claims/toy.json").unlink()
    with pytest.raises(UserError, match=r"toy\.csv: nothing says what it was judged on; make it"):
        keep(made, tmp_path / "kept", {"toy", "toy_t1"}, [])
    assert not (tmp_path / "kept").exists()


def test_claims_of_runs_elsewhere_are_refused(made, tmp_path):
    path = made / "provenance/claims/toy.json"
    record = json.loads(path.read_text())
    record["inputs"] = {f"elsewhere/{name}": made for name, made in record["inputs"].items()}
    path.write_text(json.dumps(record))
    with pytest.raises(UserError, match=r"toy\.csv: made from elsewhere/.*, which is not below "):
        keep(made, tmp_path / "kept", {"toy", "toy_t1"}, [])
    assert not (tmp_path / "kept").exists()


def test_tables_are_read_as_they_were_written(made, kept_small):
    assert store.names(kept_small) == ["toy_t1", "toy_t2"]
    for name in store.names(kept_small):
        path = store.where(kept_small.parent, f"tables/{name}.csv")
        text = store.text(path, f"tables/{name}.csv")
        assert text == (made / f"tables/{name}.csv").read_text()
    assert store.where(kept_small.parent, "tables/toy_t3.csv") is None
    assert store.where(kept_small.parent, "claims/toy.csv") == kept_small / "claims/toy.csv"


def test_columns_of_tables_may_differ():
    text = store.joined(["table,a\nx,1\n", 'table,b\ny,"2,3"\n'])
    assert text == 'table,a,b\nx,1,\ny,,"2,3"\n'
