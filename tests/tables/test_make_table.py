"""The command that makes a table: its forms, its notes, and where its cells came from."""

import json
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import make_table
import pandas as pd
import pytest
import yaml
from small_table import LAYOUT, METRICS, PUBLISHED, RESULTS, folder, scores

from fedreact.reading import as_json

SPEC = {"title": "Accuracy", "metrics": METRICS, "notes": ["A note of tables.yaml."]}


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Run the command on the small table, with other arguments or another entry."""
    monkeypatch.chdir(tmp_path)
    for path, lines in scores().groupby("file"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        lines.drop(columns=["file", "folder"]).to_csv(tmp_path / path, index=False)
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(PUBLISHED))

    def run(spec=SPEC, **changes):
        (tmp_path / "tables.yaml").write_text(yaml.safe_dump({"t5": spec}))
        given = {
            "tables": tmp_path / "tables.yaml",
            "name": "t5",
            "published": tmp_path / "p.yaml",
            "layout": as_json(LAYOUT),
            "scores": sorted(Path(RESULTS).rglob("seed*.csv")),
            "scale": "quick",
            "differences": [],
            "trivial": [],
            "own": None,
            "names": json.dumps({"of_roles": {"digits": "RTD"}, "titles": {"rtd": "RTD, digits"}}),
            "output": Path(RESULTS, "tables/table05.csv"),
        }
        args = Namespace(**given | changes)
        make_table.main(args)
        text = args.output.with_suffix(".md").read_text()
        told = json.loads(args.output.with_suffix(".provenance.json").read_text())
        assert args.output.with_suffix(".tex").read_text().startswith(r"\begin{table}")
        return pd.read_csv(args.output), text, told

    return run


def test_all_forms_are_of_the_same_cells(make):
    table, text, told = make()
    assert table["table"].unique().tolist() == ["table05"]
    assert len(table) == len(told["cells"]) == 8
    assert set(table["verdict"]) == {"reproduced", "differs", "not-comparable"}
    assert "| RTD, 10 clients | 0.900 ± 0.025 [0.900] = | 0.700 ± 0.025 [0.750] = |" in text
    assert table["row"][0] == "RTD - 10 clients"
    assert told["notes"] == ["A note of tables.yaml."]
    assert text.startswith(told["caption"])
    assert told["caption"] == (
        "Accuracy. Rebuilt at scale quick on RTD, digits: mean over clients and all rounds, "
        "3 seeds. Published values: Paper, Table 5."
    )
    assert told["cells"][0]["runs"] == [f"{folder('s10')}/seed{seed}.csv" for seed in (0, 1, 2)]


def test_scores_are_those_of_the_last_round_where_the_table_says_so(make):
    table, _, told = make(SPEC | {"score": "last"})
    assert table["mean"][0] == pytest.approx(0.91)
    assert told["cells"][0]["values"] == {"0": 0.9, "1": 0.91, "2": 0.92}


def test_cells_left_out_stand_in_the_notes_with_their_reason(make):
    skipped = replace(LAYOUT[3], skipped="it predicts numbers only")
    table, text, told = make(layout=as_json([*LAYOUT[:3], skipped]))
    assert len(table) == 6
    assert told["notes"] == [
        "Left out: RTD & more, SC. Reason: it predicts numbers only.",
        "A note of tables.yaml.",
    ]
    assert told["notes"][0] in text


def test_what_a_scale_does_otherwise_is_told_even_if_nothing_is_published(make):
    _, _, told = make(differences=["fewer rounds"])
    assert told["notes"][0] == "Unlike the paper: fewer rounds."
    _, text, told = make(differences=["fewer rounds"], published=None)
    assert told["notes"][0] == "Unlike the paper: fewer rounds."
    assert "Published" not in text
    assert "published" not in text


def test_what_makes_rows_mean_nothing_is_noted_and_kept_by_row(make, monkeypatch):
    findings = {"RTD & more": ["One cluster."]}
    monkeypatch.setattr(make_table.cells, "findings", lambda layout, scores: findings)
    _, text, told = make()
    assert told["findings"] == findings
    assert told["notes"][0] == "RTD & more: Caution: One cluster."
    assert "- ¹ Caution: One cluster." in text
    assert "| RTD & more¹ " in text


def test_a_study_becomes_a_table(make, tmp_path):
    study = Path(RESULTS, "studies/t5.csv")
    study.parent.mkdir(parents=True)
    study.write_text("row,column,value\nWeights,LSTM,398.346\nWeights,CNN,156.6\nBytes,CNN,8.0\n")
    costs = {"columns": ["LSTM", "CNN"], "rows": {"Weights": [398.35, 156.59]}}
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(PUBLISHED | costs | {"metric": "costs"}))
    spec = {"title": "Costs", "notes": ["Counted."]}
    table, text, told = make(spec, layout=None, scores=[study], differences=["fewer rounds"])
    assert table["verdict"].tolist() == ["reproduced", "differs", "not-comparable"]
    assert text.startswith("Costs. Published values: Paper, Table 5.")
    assert told["notes"] == ["Counted."]
    assert [cell["runs"] for cell in told["cells"]] == [[str(study)]] * 3
    assert list(told["records"]) == [str(study)]


def test_a_table_of_a_users_own_data_speaks_of_no_paper_and_has_notes_on_the_result(make):
    labels = {source.column for source in LAYOUT} | {source.row for source in LAYOUT}
    own = {"roles": dict.fromkeys(labels, "federated"), "margins": {}}
    _, text, told = make(published=None, own=json.dumps(own), differences=["fewer rounds"])
    assert "Run at scale quick on" in text
    assert "A cell is the mean ±" in text
    assert "At this scale: fewer rounds." in text
    said = (told["caption"] + text).lower()
    assert not [word for word in ("paper", "published", "rebuilt") if word in said]
    assert any("Nothing trivial or simple stands beside the methods" in n for n in told["notes"])
