"""What docs/tutorial.md promises: its row is accepted, what it says runs, and nothing else."""

import re

import pandas as pd
import pytest
from helpers import ROOT, SMOKE, edit, planned, snakemake

pytestmark = [pytest.mark.workflow, pytest.mark.campaign]

PAGE = (ROOT / "docs/tutorial.md").read_text()
TABLES = "config/papers/fed_react/tables.yaml"


def test_a_row_with_another_beta_runs_what_the_page_says(copy):
    before, added = re.search(r"^```yaml\n(.*\n)(.*\n)```$", PAGE, re.MULTILINE).groups()
    given = (copy / TABLES).read_text()
    place = given.index(before, given.index("\ntable05:"))
    (copy / TABLES).write_text(given[:place] + before + added + given[place + len(before) :])
    said = re.search(r"^job +count\n.*\n((?:\w+ +\d+\n)+)```", PAGE, re.MULTILINE)[1]
    wanted = {name: int(n) for name, n in re.findall(r"(\w+) +(\d+)", said)}
    assert planned("table05", *SMOKE, cwd=copy) == wanted
    snakemake("--cores", "2", "table05", *SMOKE, cwd=copy)
    cells = pd.read_csv(copy / "results/smoke/tables/table05.csv")
    row = cells[cells["row"] == re.search(r'"(.*?)"', added)[1]]
    assert row["mean"].between(0, 1).all()
    assert row["published"].isna().all()
    edit(copy / TABLES, added, "")
    undone = planned("table05", *SMOKE, cwd=copy)
    assert set(undone) == {"make_table", "table05", "total"}
