"""What runs again after an edit, at another scale, with other data; and what is refused."""

import pandas as pd
import pytest
from helpers import SCALES, SMOKE, command, digits, edit, planned, snakemake

pytestmark = [pytest.mark.workflow, pytest.mark.campaign]

TABLES = {"make_table", "make_metrics", "make_claims", "claims", "report", "all"}
OUTPUTS = TABLES | {"make_figure"}


def test_nothing_to_do_the_second_time(built):
    assert planned("all", *SMOKE, cwd=built) == {}


@pytest.mark.parametrize(
    ("file", "old", "new", "rules"),
    [
        (
            "src/fedreact/aggregation/temporal.py",
            "(count - 1) / count",
            "1 - 1 / count",
            OUTPUTS | {"run"},
        ),
        ("src/fedreact/aggregation/temporal.py", "(eq. 5)", "(equation 5)", set()),
        ("src/fedreact/tables/render.py", '"rebuilt"', '"ours"', OUTPUTS),
        ("config/papers/fed_react/published/table05.yaml", "0.909", "0.908", OUTPUTS),
        (
            "config/papers/fed_react/experiment.yaml",
            "stationary10: {partition: clients10-beta1.5, clustered: {rounds: 60}}",
            "stationary10: {partition: clients10-beta1.5, clustered: {rounds: 60, C: 2.0}}",
            OUTPUTS | {"run"},
        ),
        (
            "src/fedreact/models/architectures/patchtst.py",
            "import torch\n",
            "import torch\n\nADDED = 1\n",
            OUTPUTS | {"train", "study"},
        ),
        (
            "src/fedreact/figures/trip.py",
            "FIGURE =",
            "ADDED = 1\nFIGURE =",
            {"make_figure", "report", "all"},
        ),
    ],
)
def test_an_edit_runs_what_it_touches_and_no_more(copy, file, old, new, rules):
    edit(copy / file, old, new)
    jobs = planned("all", *SMOKE, cwd=copy)
    assert jobs.keys() - {"total"} == rules
    if "patchtst" in file:
        # Five settings of Tables 1 and 11 and of Table 1 with little compute; the tables of costs.
        assert jobs["train"] == 5
        assert jobs["study"] == 2
    if "trip" in file:
        assert jobs["make_figure"] == 1
    if "settings" in file:
        assert jobs["run"] == 2 * 9  # seeds; the setting itself, and its changes that are shown


def test_a_new_file_runs_nothing(copy):
    for folder in ("kinds/clustered/algorithms", "models/architectures", "metrics", "figures"):
        here = copy / "src/fedreact" / folder
        files = sorted(path for path in here.glob("*.py") if path.stem[0] not in "_c")
        sample = files[0]
        (here / "new_one.py").write_text(sample.read_text())
    assert planned("all", *SMOKE, cwd=copy) == {}


def test_dry_run_of_the_papers_scale_needs_no_data(built):
    words = ["all_tables", "--config", "scale=paper"]
    jobs = planned(*words, cwd=built, env={"FEDREACT_DATA_MIRROR": ""})
    # An encoder for each partition and seed; architectures by setting and seed.
    assert jobs["train_encoder"] == 46 * 5
    assert jobs["train"] == 5 * 4 * 5  # no rates were searched at that scale
    assert jobs["run"] == 117 * 5
    assert jobs["prepare_part"] == 5


@pytest.mark.rare
def test_missing_rtd_says_where_to_get_it(built):
    words = ["--cores", "1", "table05", "--config", "scale=paper"]
    printed, status = command("snakemake", *words, cwd=built)
    assert status != 0
    lines = [line for line in printed.splitlines() if line.startswith("error:")]
    line, again = lines  # where it happens, and at the end
    assert again.startswith(line)
    assert "shahinur.com" in line
    assert "data/rtd" in line
    assert "Traceback" not in printed
    assert "CalledProcessError" not in printed  # with the whole command


def test_a_wrong_setting_is_one_clear_line(built):
    printed, status = command("snakemake", "-n", "--config", "scale=smok", cwd=built)
    assert status != 0
    assert f"'smok' is unknown; known scales: {', '.join(SCALES)}" in printed
    assert "Traceback" not in printed


def test_a_misspelt_target_is_one_clear_line(built):
    printed, status = command("snakemake", "-n", "tabel05", *SMOKE, cwd=built)
    assert status != 0
    assert printed.rstrip().endswith("did you mean table05?")
    assert "Exception" not in printed


@pytest.mark.rare
def test_digits_can_be_simulated(copy):
    words = ["--cores", "2", "fig07", *SMOKE, "dataset=air-writing-sim"]
    snakemake(*words, cwd=copy)
    paths = list((digits(copy).parent / "air-writing-sim").rglob("*.csv"))
    assert paths
    for path in paths:
        assert set(pd.read_csv(path)["data"]) == {"air-writing-sim"}


@pytest.mark.rare
def test_without_network_and_mirror_the_digits_are_simulated(built):
    # Forced, at another scale: the one that is built keeps to the data that it has.
    words = ["-n", "-F", "fig07", "--quiet", "host", "--config", "scale=quick"]
    printed, status = command("snakemake", *words, cwd=built, env={"FEDREACT_DATA_MIRROR": ""})
    assert status == 0, printed
    assert "clustered/fed_react/air-writing-sim/stationary10/all/seed0.csv" in printed


@pytest.mark.rare
def test_real_data_at_hand_is_not_replaced_by_simulated(built):
    printed, status = command(
        "snakemake", "-n", "all", *SMOKE, cwd=built, env={"FEDREACT_DATA_MIRROR": ""}
    )
    assert status == 0, printed
    assert "Nothing to be done" in printed


@pytest.mark.rare
def test_what_no_paper_asks_for_is_one_clear_line(built):
    folder = (digits(built) / "stationary10-0123abcd/all").relative_to(built)
    printed, status = command("snakemake", "-n", f"{folder}/seed0.csv", *SMOKE, cwd=built)
    assert status != 0
    assert "no table, figure, search or ledger of fed_react asks for it" in printed
