"""One table from raw data on, with every step between; ``make check`` builds all of them."""

import pandas as pd
import pytest
from helpers import SMOKE, copy_project, edit, planned, snakemake

pytestmark = pytest.mark.workflow

TABLE = "table05"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with one table at scale smoke."""
    project = copy_project(tmp_path_factory.mktemp("one") / "project")
    snakemake("--cores", "2", TABLE, *SMOKE, cwd=project)
    return project


def test_each_cell_has_a_score_and_its_published_value(project):
    cells = pd.read_csv(project / f"results/smoke/tables/{TABLE}.csv")
    assert cells["mean"].between(0, 1).all()
    assert (cells["n_seeds"] == 2).all()
    assert cells["published"].notna().sum() > 10
    page = (project / f"results/smoke/tables/{TABLE}.md").read_text()
    assert all(method in page for method in cells["column"].unique())


def test_nothing_is_left_to_do(project):
    assert planned(TABLE, *SMOKE, cwd=project) == {}


@pytest.mark.campaign
def test_an_edit_of_the_merge_over_time_repeats_runs_and_no_encoder(project):
    edit(project / "src/fedreact/aggregation/temporal.py", "(count - 1) / count", "1 - 1 / count")
    jobs = planned(TABLE, *SMOKE, cwd=project)
    assert {"run", "make_table"} <= jobs.keys()
    assert not {"prepare_data", "train_encoder", "extract_features"} & jobs.keys()
