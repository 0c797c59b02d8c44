"""What a cell of a table came from."""

import json
from argparse import Namespace
from pathlib import Path

import explain_cell
import pandas as pd
import pytest
from small_records import SCRIPT, record, tell
from small_table import LAYOUT, LOST, METRICS, PUBLISHED, folder, scores

from fedreact import provenance
from fedreact.cli import explaining
from fedreact.digest import code_digest
from fedreact.errors import UserError
from fedreact.tables import cells, origins
from fedreact.tables.files import ORIGINS
from fedreact.tables.sources import CellSource


@pytest.fixture
def told(tmp_path, monkeypatch):
    """The current folder is empty but for a script, and the workflow has told what to record."""
    return tell(monkeypatch, tmp_path)


def of_table(told, lines, published=PUBLISHED, differences=(), layout=LAYOUT, **more):
    found = cells.build(
        "t", layout, cells.CellRules(METRICS, **more), published, lines, differences
    )
    csv = told / "tables/t.csv"
    csv.parent.mkdir(exist_ok=True, parents=True)
    found.to_csv(csv)
    source = origins.ScoredRuns(layout, lines, differences, more.get("last", False))
    return origins.origins(csv, found, published, "p.yaml", source)


@pytest.fixture
def table(told):
    """Origins of a table of two settings and three seeds; one run has no record."""
    lines = scores("pendigits")
    Path("raw.txt").write_text("raw")
    record(told / "data/d.npz", ["raw.txt"])
    for path in dict.fromkeys(lines["file"]):
        record(path, [told / "data/d.npz"], seed=int(path[-5]), rounds=60)
    provenance.record_file(told, Path(folder("s10"), "seed2.csv")).unlink()
    return json.loads(json.dumps(of_table(told, lines, differences=["fewer rounds"])))


def test_a_cell_names_its_runs_seeds_and_published_value(table):
    cell = origins.find(table["cells"], "10 clients", "a1")
    assert (cell["setting"], cell["method"], cell["metric"]) == ("s10", "a1", "accuracy")
    assert cell["runs"] == [f"{folder('s10')}/seed{seed}.csv" for seed in (0, 1, 2)]
    assert cell["values"] == {"0": 0.89, "1": 0.9, "2": 0.91}
    place = {"row": "RTD - 10 clients", "column": "A1", "file": "p.yaml"}
    assert cell["published"] == {"value": 0.9, "source": "Paper, Table 5", **place}
    assert cell["why_not"] == ["the paper uses rtd, this run pendigits", "fewer rounds"]
    assert len(table["cells"]) == 8
    assert len(table["records"]) == 7
    assert table["records"][f"{folder('s10')}/seed2.csv"] is None


def test_values_of_a_cell_are_those_that_its_mean_is_of(told):
    for last, value in ((False, 0.9), (True, 0.91)):
        made = of_table(told, scores(), last=last)
        cell = origins.find(made["cells"], "10 clients", "a1")
        assert cell["values"]["1"] == value
        assert sum(cell["values"].values()) / 3 == pytest.approx(cell["mean"])


def test_cells_of_methods_that_cannot_run_have_no_origins(told):
    skipped = CellSource("RTD & more", "Picky", folder("s100"), "picky", "it predicts numbers only")
    made = of_table(told, scores(), layout=[*LAYOUT, skipped])
    assert made["cells"] == of_table(told, scores())["cells"]


def test_a_doubt_about_a_published_value_is_told(told):
    doubt = {"RTD & more": {"SC": "it stands twice"}}
    made = of_table(told, scores(), PUBLISHED | {"unsure": doubt})
    assert origins.find(made["cells"], "more", "SC")["why_not"] == ["it stands twice"]
    assert origins.find(made["cells"], "more", "A1")["why_not"] == []


def test_a_published_row_that_stands_alone_has_no_runs(told):
    made = of_table(told, scores().assign(file="f.csv"), LOST)
    cell = origins.find(made["cells"], "label lost", "IFCA")
    assert cell["published"]["value"] == 0.701
    text = "\n".join(origins.describe(origins.part(made, cell)))
    assert "lacks the labels" in text
    assert "no record" in text


@pytest.mark.parametrize(
    ("row", "column", "message"),
    [
        ("rtd", "A1", "row 'rtd' fits several: RTD - 10 clients; RTD & more"),
        ("RTD - 10", "A2", "column 'A2' is unknown; known: A1; SC"),
    ],
)
def test_labels_that_fit_none_or_several_list_the_candidates(table, row, column, message):
    with pytest.raises(UserError) as caught:
        origins.find(table["cells"], row, column)
    assert str(caught.value) == message


def test_a_table_without_its_origins_says_how_to_get_them(table):
    csv = Path(table["csv"]["path"])
    with pytest.raises(UserError, match=r"make it again: snakemake --force results/quick/tables/t"):
        origins.read(csv)
    with pytest.raises(UserError, match="no such file"):
        origins.read(csv.with_name("u.csv"))
    csv.with_suffix(ORIGINS).write_text("{")
    with pytest.raises(UserError, match="not JSON"):
        origins.read(csv)


def test_a_whole_label_goes_before_a_part_of_another():
    lines = [{"row": "C = 1", "column": "x"}, {"row": "C = 10", "column": "x"}]
    assert origins.find(lines, "c = 1", "x") == lines[0]


def test_people_read_what_was_run_and_what_has_changed(table):
    origin = origins.part(table, origins.find(table["cells"], "10 clients", "SC", "accuracy"))
    made = provenance.read_record(Path("results/quick"), Path("results/quick/data/d.npz"))
    scripts = []

    def is_now(path, digest):
        return path != "raw.txt"

    def code_now(record):
        scripts.append(record["script"])
        return "def"

    lines = origins.describe(origin, made, is_now, code_now)
    text = "\n".join(lines)
    assert "published   0.75, Paper, Table 5" in text
    assert "s10/all/seed2.csv  no record" in text
    assert "/s100/" not in text
    assert f"code {code_digest(SCRIPT)} (changed since), no git commit" in text
    assert "options   rounds 60" in text
    assert "read      raw.txt" in text
    assert text.count("changed since") == 5  # the code of three steps, the raw file of two
    assert set(scripts) == {"s.py"}
    again = "snakemake results/quick/tables/t.csv --cores 1 --config scale=quick --forcerun"
    assert lines[-1] == f"rebuild     {again} {' '.join(origin['cell']['runs'])}"


def test_an_option_of_thousands_of_characters_is_cut(table):
    origin = origins.part(table, origins.find(table["cells"], "10 clients", "SC", "accuracy"))
    for known in filter(None, origin["records"].values()):
        known["options"]["layout"] = "x" * 5000
    text = "\n".join(origins.describe(origin))
    assert "xxx... (5,000 characters; all with --json)" in text
    assert max(map(len, text.splitlines())) < 400


def test_code_is_as_now_unknown_or_was_never_known(table):
    origin = origins.part(table, origins.find(table["cells"], "10 clients", "SC", "accuracy"))
    as_now = "\n".join(origins.describe(origin, code_now=explaining.code_now))
    assert f"code {code_digest(SCRIPT)} (as now)" in as_now
    assert "changed since" not in as_now
    gone = "\n".join(origins.describe(origin, code_now=lambda record: None))
    assert f"code {code_digest(SCRIPT)}, no git commit" in gone
    for known in filter(None, origin["records"].values()):
        known["code"] = None
    never = "\n".join(origins.describe(origin, code_now=explaining.code_now))
    assert "code no digest, no git commit" in never


@pytest.mark.parametrize("form", [".md", ".tex"])
def test_other_forms_of_a_table_are_the_same_table(table, capsys, form):
    csv = Path(table["csv"]["path"])
    csv.with_suffix(ORIGINS).write_text(json.dumps(table))
    csv.with_suffix(form).write_text("| |")
    words = {"row": "10 clients", "column": "sc", "metric": "rand", "json": False}
    explain_cell.main(Namespace(table=csv.with_suffix(form), **words))
    assert capsys.readouterr().out.startswith("t: RTD - 10 clients, SC, rand\n")


@pytest.mark.parametrize("as_json", [False, True])
def test_the_command_explains_a_cell_of_a_table(table, capsys, as_json):
    csv = Path(table["csv"]["path"])
    csv.with_suffix(ORIGINS).write_text(json.dumps(table))
    args = Namespace(table=csv, row="10 clients", column="sc", metric="rand", json=as_json)
    explain_cell.main(args)
    printed = capsys.readouterr().out
    if as_json:
        found = json.loads(printed)
        assert (found["cell"]["metric"], found["cell"]["mean"]) == ("rand", 1.0)
        assert found["rebuild"].startswith(f"snakemake {csv} ")
        return
    assert printed.startswith("t: RTD - 10 clients, SC, rand\n")
    assert "(as now)" in printed
    assert "changed since" not in printed
    csv.write_text("other cells")
    Path("raw.txt").write_text("another")
    explain_cell.main(args)
    printed = capsys.readouterr().out
    assert printed.startswith("results/quick/tables/t.csv has changed since this was written")
    assert printed.count(", changed since") == 1  # the raw file


def test_a_table_that_is_computed_needs_no_scores(told):
    study = Path("results/quick/studies/t.csv")
    csv = told / "tables/t.csv"
    csv.parent.mkdir(parents=True)
    csv.write_text("")
    line = {"table": "t", "row": "FLOPs", "column": "LSTM", "metric": "costs", "data": "computed"}
    line |= {"mean": 3.0, "n_seeds": 1, "published": 2.0, "difference": 1.0, "verdict": "differs"}
    found = pd.DataFrame([line], columns=cells.COLUMNS)
    made = origins.origins(csv, found, PUBLISHED, "p.yaml", study)
    cell = origins.find(made["cells"], "flops", "lstm")
    assert origins.rebuild(made, cell).endswith(f"--forcerun {study}")
    assert list(made["records"]) == [str(study)]
    assert "verdict     differs" in "\n".join(origins.describe(origins.part(made, cell)))
