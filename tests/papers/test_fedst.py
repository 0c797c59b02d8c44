"""What FedST's folder says, beyond what holds for every paper."""

from pathlib import Path

import numpy as np
import pytest
from helpers import make_plan

from fedreact.encoding import train as encoding
from fedreact.kinds import contract as runs
from fedreact.kinds.synchronous.run import make, settled

SAMPLES = {"har30": 240, "har60": 120, "hhar9": 345, "hhar18": 172, "wisdm30": 131, "wisdm60": 66}
SAMPLES |= {"epilepsy100": 92, "epilepsy200": 46, "watch20": 64, "watch40": 32}
SAMPLES |= {"sleep20": 34, "sleep40": 17}
"""Samples that a client of a setting trains on at scale quick, on average."""


@pytest.fixture
def plan(project):
    """Quick, as if all datasets were prepared."""
    data = Path("results/quick/data")
    data.mkdir(parents=True)
    for name in ("har", "hhar", "wisdm", "sleep-edf", "bonn"):
        (data / f"{name}.npz").touch()
    return make_plan(scale="quick", papers=["fedst"])


def gflops_and_steps(plan, cell):
    """What a client's training takes, and its local steps a round."""
    run = plan.runs.run(cell.kind, "fedst", cell.data, cell.setting, cell.job)
    task = plan.datasets.task(cell.data)
    sizes = [SAMPLES[cell.setting]] * 4
    if cell.kind == "synchronous":
        algorithm = make(cell.method, run.options, task)
        work = runs.part_of(cell.kind, "run").work(run.options, [cell.method], task, sizes)
        return work / 4, settled(run.options, algorithm, task, sizes).steps
    options = plan.settings.encoder("fedst", run.encoder[1])
    features = encoding.gflops_of_features(
        encoding.make_encoder(options.encoder, task.channels), task.steps
    )
    training = encoding.work(options, task, sizes) / 4
    return training + sizes[0] * features, encoding.settled(options, task, sizes).steps


def test_methods_of_a_row_have_the_same_compute_and_some_steps_of_each_round(plan):
    found = {}
    free = ("Most frequent label", "Untrained encoder, own SVM")
    for (row, column), cell in plan.experiments.cells("fedst").table("table02").items():
        if column not in free:
            assert not cell.skipped, (row, column)
            found.setdefault(row, {})[column] = gflops_and_steps(plan, cell)
    assert len(found) == 12
    for row, of_columns in found.items():
        assert len(of_columns) == 16
        gflops = np.array([of for of, _ in of_columns.values()])
        middle = (gflops.max() + gflops.min()) / 2
        # Of Sleep-EDF a client has hardly more than a batch, of which steps are whole ones.
        sleep = row.startswith("Sleep-EDF")
        assert gflops == pytest.approx(middle, rel=0.2 if sleep else 0.1), (row, of_columns)
        assert of_columns["FedST"][1] >= (5 if sleep else 6), row


def test_changes_of_the_data_are_other_data(plan):
    cells = plan.experiments.cells("fedst")
    splits = {row: cell.data for (row, _), cell in cells.table("splits").items()}
    assert splits["Watch, random"] == "watch"
    assert splits["Watch, half-overlapping windows, random"] == "watch+step=64"
    assert splits["Watch, half-overlapping windows, in time"] == "watch+step=64"
    assert splits["Epilepsy, clients of one recording"] == "bonn+owner=recording"
    figure = cells.figure("fig06")
    assert {cell.data for cell in figure.values()} == {
        "watch",
        "watch+sensors=acceleration",
        "watch+sensors=rotation",
    }
