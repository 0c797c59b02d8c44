"""Cells of a run that is kept, run again: FedST's on the watch, whose data is in a package."""

import json
import random
import time
from importlib import metadata

import pandas as pd
import pytest
from helpers import ROOT, copy_project, snakemake, write_paper

from fedreact.provenance import machine
from fedreact.reading import read_yaml

pytestmark = [pytest.mark.workflow, pytest.mark.campaign]

KEPT = ROOT / "reference/quick/fedst"
ROW, PICKED = "Watch 20", 3


def test_a_few_cells_come_out_again(tmp_path, monkeypatch):
    """Other ones each day; the same numbers on the same versions and processor.

    Processors of other vectors add up in another order, which training makes more of.
    """
    monkeypatch.chdir(copy_project(tmp_path / "project"))
    table = pd.read_csv(KEPT / "tables/fedst_table02.csv")
    kept = table[(table["row"] == ROW) & (table["metric"] == "accuracy") & (table["n_seeds"] > 0)]
    day = int(time.time()) // 86400
    picked = random.Random(day).sample(sorted(kept["column"]), PICKED)
    columns = read_yaml(ROOT / "config/papers/fedst/tables.yaml")["table02"]["columns"]
    columns = {name: columns[name] for name in picked}
    columns = {n: c if isinstance(c, dict) else {"method": c} for n, c in columns.items()}
    write_paper(
        "again",
        paper={"title": "Again", "cite": "Nobody (2026)"},
        tables={
            "few": {
                "title": "Again",
                "rows": {ROW: {"setting": "fedst/watch20"}},
                "columns": {n: c | {"method": f"fedst/{c['method']}"} for n, c in columns.items()},
                "score": "last",
                "metrics": ["accuracy"],
            }
        },
        **{"scales/quick": {"seeds": {"synchronous": [0, 1, 2], "clustered": [0, 1, 2]}}},
    )
    snakemake("--cores", "2", "again_few", "--config", "scale=quick", cwd=".", timeout=1200)
    found = pd.read_csv("results/quick/tables/again_few.csv").set_index("column")["mean"]
    expected = kept.set_index("column")["mean"][picked]
    run = json.loads((KEPT / "run.json").read_text())
    same = run["packages"]["torch"].split("+")[0] == metadata.version("torch").split("+")[0]
    same = same and any(of.startswith(machine()["processor"]) for of in run["processors"])
    assert found[picked].to_dict() == pytest.approx(
        expected.to_dict(), abs=1e-6 if same else 0.05
    ), f"picked on day {day}"
