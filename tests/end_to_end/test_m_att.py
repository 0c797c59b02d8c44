"""M-Att and FATHOM at scale smoke, on data from a mirror, since none of theirs is in a package."""

import os
import shutil

import numpy as np
import pandas as pd
import pytest
from helpers import SMOKE, check_claims, planned, snakemake

MIRROR = os.environ.get("FEDREACT_DATA_MIRROR")
PAPERS = ("m_att", "fathom")

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.campaign,
    pytest.mark.skipif(not MIRROR, reason="needs ExtraSensory and Beijing's air from a mirror"),
]


@pytest.fixture(scope="module")
def project(built, tmp_path_factory):
    """The built project after ``snakemake m_att fathom``."""
    copy = tmp_path_factory.mktemp("m_att") / "project"
    shutil.copytree(built, copy)
    snakemake("--cores", "2", *PAPERS, *SMOKE, cwd=copy, timeout=2400)
    return copy


def read(project, name):
    table = pd.read_csv(project / f"results/smoke/tables/{name}.csv")
    return table[table["n_seeds"] > 0]


def test_all_outputs_are_there_and_nothing_is_left_to_do(project):
    results = project / "results/smoke"
    assert {f"m_att_fig3_{n}.png" for n in range(4, 9)} <= {
        path.name for path in results.glob("figures/*.png")
    }
    for paper in PAPERS:
        assert len(list(results.glob(f"tables/{paper}_*.tex"))) > 8
        check_claims(project, paper)
    assert planned(*PAPERS, *SMOKE, cwd=project) == {}


def test_what_is_sent_is_as_large_as_what_comes_back_in_training(project):
    """And nothing is where a client is alone, or one has all."""
    costs = read(project, "fathom_costs").set_index(["row", "column", "metric"])["mean"]
    of = costs["ExtraSensory"]
    assert of["S-LSTM", "bytes_up"] == of["LR", "bytes_down"] == 0
    assert of["FATHOM", "bytes_up"] > of["FATHOM", "bytes_down"] > 0
    owners = read(project, "fathom_owners").set_index(["column", "metric"])["mean"]
    assert owners["FATHOM, one owner", "bytes_up"] == 0
    assert owners["FATHOM, one owner", "f1"] == pytest.approx(owners["FATHOM", "f1"], abs=0.01)


def test_what_costs_nothing_stands_beside_it(project):
    f1 = read(project, "m_att_table3_2").set_index("column")["mean"]
    assert np.isfinite(f1).all()
    assert f1["Persistence"] > f1["Constant"]
    beyond = read(project, "fathom_beyond")
    changed = beyond[beyond["metric"] == "balanced_accuracy@changed_labels"]
    assert set(changed["column"]) == {"S-LSTM", "M-Att", "FATHOM", "Ridge"}


def test_errors_of_single_windows_stand_beside_those_of_all(project):
    table = read(project, "fathom_table4_1_mae").set_index(["metric", "column"])
    published = table.loc["mae@window_per_target"]["published"].dropna()
    assert len(published) == 9
    assert table.loc["mae"]["published"].isna().all()
