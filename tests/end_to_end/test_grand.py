"""All methods on all data at scale smoke: two datasets that can be had everywhere."""

import shutil

import pandas as pd
import pytest
from helpers import SMOKE, planned, snakemake

pytestmark = [pytest.mark.workflow, pytest.mark.campaign]


@pytest.fixture(scope="module")
def project(built, tmp_path_factory):
    """The built project after ``snakemake grand benchmark``."""
    copy = tmp_path_factory.mktemp("grand") / "project"
    shutil.copytree(built, copy)
    snakemake("--cores", "2", "grand", "benchmark", *SMOKE, cwd=copy, timeout=1200)
    return copy


def test_every_method_runs_on_every_dataset(project):
    table = pd.read_csv(project / "results/smoke/tables/grand_all.csv")
    accuracy = table[table["metric"] == "accuracy"].pivot(
        index="column", columns="row", values="mean"
    )
    assert accuracy.shape == (40, 2)
    assert accuracy.notna().all(axis=None)
    assert accuracy.stack().between(0, 1).all()
    worst = table[table["metric"] == "accuracy@worst_fifth"].set_index(["column", "row"])["mean"]
    assert (worst <= accuracy.stack()[worst.index] + 1e-9).all()
    sent = table[table["metric"] == "bytes"].groupby("column")["mean"].max()
    assert sent[["Alone", "Most frequent label", "Untrained encoder, own SVM"]].eq(0).all()
    assert sent["FedAvg"] > 0


def test_every_regime_has_a_row_and_is_on_the_page(project):
    results = project / "results/smoke"
    regimes = ("usual", "labels", "newcomers", "later", "participation", "size")
    for regime in regimes:
        table = pd.read_csv(results / f"tables/grand_{regime}.csv")
        scores = table[table["metric"].str.startswith("accuracy")]
        assert scores["mean"].notna().any(), regime
        assert {"Alone", "Fed-REACT"} <= set(scores["column"])
        # Few clients would train MiniRocket if a tenth of them took part.
        assert ("MiniRocket, own ridge" in set(scores["column"])) == (regime != "participation")
    newcomers = pd.read_csv(results / "tables/grand_newcomers.csv")
    of = newcomers.set_index(["metric", "column"])["mean"]
    assert of["accuracy@zero_shot"].notna().sum() > 10
    assert ("accuracy@zero_shot", "Alone") not in of.index
    assert of["accuracy@adapted"].notna().all()
    page = (results / "benchmark.html").read_text()
    assert all(f'<section class="regime" id="{regime}">' in page for regime in regimes)
    assert "there is one seed, so no difference is judged" in page


def test_what_cannot_run_is_left_out_with_its_reason(project):
    text = (project / "results/smoke/tables/grand_all.md").read_text()
    assert "HAR, people" in text
    assert "scale smoke takes two datasets" in text


def test_ranks_and_claims_are_there_and_nothing_is_left_to_do(project):
    results = project / "results/smoke"
    assert (results / "figures/grand_ranks.png").stat().st_size > 0
    claims = pd.read_csv(results / "claims/grand.csv", keep_default_na=False)
    assert (claims["at"] == "").sum() == 5
    assert planned("grand", *SMOKE, cwd=project) == {}
