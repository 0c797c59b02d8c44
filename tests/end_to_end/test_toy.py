"""A paper as new files only: its own dataset, kind of run, algorithms, metrics, table and ledger.

The files of ``toy/`` are laid over a copy of the built project. Nothing of the project is edited.
"""

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from helpers import SMOKE, VERBOSE, command, planned, snakemake

pytestmark = [pytest.mark.workflow, pytest.mark.campaign]

TOY = Path(__file__).parent / "toy"
BOTH = ["--config", "scale=smoke", "papers=[fed_react,toy]"]


@pytest.fixture(scope="module")
def project(built, tmp_path_factory):
    """The built project with the toy paper, as it is after ``snakemake toy``."""
    copy = tmp_path_factory.mktemp("toy") / "project"
    shutil.copytree(built, copy)
    for path in TOY.rglob("*.*"):
        assert not (copy / path.relative_to(TOY)).exists(), "the toy paper edits the project"
    shutil.copytree(TOY, copy, dirs_exist_ok=True)
    # Nothing of the other paper runs again, before or after.
    assert planned("all", *SMOKE, cwd=copy) == {}
    printed = snakemake("--cores", "2", "toy", *SMOKE, cwd=copy, env=VERBOSE)
    assert "train_encoder" not in printed
    return copy


def test_it_runs_from_raw_data_to_latex(project):
    tables = project / "results/smoke/tables"
    table = pd.read_csv(tables / "toy_table1.csv").set_index(["row", "column", "metric"])
    cell = table.loc["Waves", "Nearest", "accuracy"]
    assert 0.5 < cell["mean"] <= 1
    assert cell["n_seeds"] == 2
    assert cell["published"] == 1.0
    assert cell["data"] == "toy-waves"
    assert "\\begin{tabular}" in (tables / "toy_table1.tex").read_text()
    assert (project / "results/smoke/figures/toy_fig1.png").stat().st_size > 0
    # Its own metrics, one of outputs and one that its runs find.
    assert 0 <= table.loc["Waves", "Nearest", "brier"]["mean"] <= 2
    assert table.loc["Waves, one round", "Nearest", "rounds_taken"]["mean"] == 1


def test_its_claim_of_a_number_is_judged(project):
    claims = pd.read_csv(project / "results/smoke/claims/toy.csv", keep_default_na=False)
    whole = claims[claims["at"] == ""].iloc[0]
    assert whole["claim"] == "better-than-chance"
    assert whole["outcome"] == "undecided"  # two seeds
    assert float(whole["difference"]) > 0.15
    assert "Waves are told apart" in (project / "results/smoke/claims/toy.md").read_text()


def test_what_changes_nothing_is_the_same_job(project):
    runs = project / "results/smoke/runs/centroids/toy/toy-waves"
    one, other = sorted(path.name for path in runs.iterdir())
    assert one == "waves"
    assert re.fullmatch("waves-[0-9a-f]{8}", other)


def test_a_method_that_cannot_run_is_left_out_with_its_reason(project):
    text = (project / "results/smoke/tables/toy_table1.md").read_text()
    assert "Left out: Picky" in text
    assert not list((project / "results/smoke/runs/centroids/toy").rglob("picky"))


def test_both_papers_together_have_nothing_left_to_do_but_to_put_them_side_by_side(project):
    assert planned("all_tables", *BOTH, cwd=project).keys() - {"total"} == {
        "make_metrics",
        "all_tables",
    }
    jobs = planned("all", *BOTH, cwd=project)
    assert jobs.keys() - {"total"} == {"make_metrics", "claims", "report", "all"}
    snakemake("--cores", "2", "all", *BOTH, cwd=project)
    assert "Toy paper" in (project / "results/smoke/report.html").read_text()


def test_its_ledger_is_measured_like_any_other(project):
    snakemake("--cores", "2", "results/smoke/assumptions/toy.md", *SMOKE, cwd=project)
    effects = pd.read_csv(project / "results/smoke/assumptions/toy.csv")
    of = effects[["assumption", "taken", "alternative", "setting"]].drop_duplicates()
    assert of.to_numpy().tolist() == [["rounds", 3, 1, "waves"]]
    assert set(effects["method"]) >= {"nearest"}
    text = (project / "results/smoke/assumptions/toy.md").read_text()
    changed = effects["difference"].abs().max() >= 0.0005
    assert ("| rounds | 3 | 1 | waves |" if changed else "rounds: 1 (waves)") in text


def test_commands_know_it(project):
    words = ["python", "scripts/explain_cell.py", "results/smoke/tables/toy_table1.csv"]
    printed, status = command(*words, "Waves, one", "Nearest", cwd=project)
    assert status == 0, printed
    assert re.search("runs/centroids/toy/toy-waves/waves-[0-9a-f]{8}/nearest/seed0.csv", printed)
    words = ["python", "-m", "fedreact", "plan", "toy", "--scale", "smoke"]
    printed, status = command(*words, cwd=project)
    assert status == 0, printed
    printed, status = command("python", "scripts/run.py", "centroids", "--help", cwd=project)
    assert status == 0
    assert "--rounds INT" in printed
