"""What Fed-REACT's folder says, beyond what holds for every paper."""

import re
from pathlib import Path

import pandas as pd
import pytest
from helpers import ROOT, SCALES, make_plan, slowly

from fedreact.encoding.train import gflops_of_features, make_encoder
from fedreact.estimates.work import PlannedWork
from fedreact.kinds import contract as runs
from fedreact.reading import read_yaml

PUBLISHED = Path("config/papers/fed_react/published")


@pytest.fixture
def paper(unchanged, monkeypatch):
    monkeypatch.chdir(unchanged)
    plan = make_plan(scale="paper", dataset="rtd", eeg_dataset="eegmmidb")
    return plan.settings.paper("fed_react")


def test_published_values_that_stand_in_two_tables_agree(project):
    tables = {p.stem: read_yaml(p) for p in PUBLISHED.glob("*.yaml")}

    def row(table, label, columns):
        values = dict(zip(tables[table]["columns"], tables[table]["rows"][label]))
        return [values[column] for column in columns]

    columns = tables["table05"]["columns"]
    for C in (4, 5, 6, 7):
        label = f"{C} clusters"
        assert row("table03", label, columns) == row("table08", label, columns)
    for beta in (0.25, 0.5, 2.0):
        in_3, in_7 = f"beta = {beta}", f"beta = {beta:.2f}"
        assert row("table03", in_3, columns) == row("table07", in_7, columns)
    ours = {"SC (No Past Value)": "SC + MMA", "EC (No Past Value)": "EC + MMA"}
    shared = tables["iclr_table03"]["columns"]
    for label in tables["iclr_table03"]["rows"]:
        in_7 = f"beta = {float(label.split()[-1]):.2f}"
        assert row("iclr_table03", label, shared) == row(
            "table07", in_7, [ours.get(c, c) for c in shared]
        )


def test_partitions_have_the_clients_that_their_names_say(paper):
    plan = make_plan()
    for name in paper.partitions:
        n_clients = plan.settings.n_clients("fed_react", name)
        if name == "air-people":
            assert n_clients == 4  # at scale smoke
            continue
        if name.startswith(("eeg", "sumo", "writers")):
            assert n_clients == int(re.search(r"\d+", name)[0])
            continue
        stated = [n for n in (100, 50, 10) if f"clients{n}-" in name or name.endswith(f"g{n}")]
        assert n_clients == (stated[0] if stated else 100), name
        if name.startswith("clusters"):
            dealer = plan.settings.partition("fed_react", name)[1]
            assert len(dealer.cluster_sizes) == int(name[-1])


def test_methods_options_are_the_papers(paper):
    """ICLR section 4.1.1: lambda of Ditto 0.0001, alpha of APFL 0.5, adapted."""
    from fedreact.kinds.synchronous.algorithms.apfl import APFL
    from fedreact.kinds.synchronous.algorithms.ditto import Ditto

    assert Ditto.__dataclass_fields__["lam"].default == 0.0001
    assert APFL.__dataclass_fields__["alpha"].default == 0.5
    for kind, method in paper.methods.values():
        if kind == "synchronous":
            assert not method.options, method.name


@pytest.mark.parametrize("search", ["search", "tune"])
def test_options_are_the_best_that_the_kept_searches_found(search):
    """The search compares options with the start and the learning that the papers state."""
    found = pd.read_csv(ROOT / f"reference/quick/fed_react/searches/{search}.csv")
    taken = found[found["taken"]].set_index("method")
    assert len(taken) == found["method"].nunique()
    for method, own in found.groupby("method"):
        given = re.findall(r"(?:start|learn)=\w+", taken["variant"][method])
        alike = own[[all(text in variant for text in given) for variant in own["variant"]]]
        assert taken["mean"][method] >= alike["mean"].max() - 0.001, method


# Scale quick trains no baselines of Table 1.
@pytest.mark.parametrize(
    "scale", slowly({scale: scale for scale in SCALES if scale != "quick"}, "overnight")
)
def test_columns_of_a_row_of_table_1_have_the_same_compute(project, scale):
    """GFLOPs of a client within a tenth; how many windows a vehicle has only the data tells."""
    plan = make_plan(scale=scale, dataset="rtd", eeg_dataset="eegmmidb")
    work, found = PlannedWork(plan), {}
    for (row, column), cell in plan.experiments.cells("fed_react").table("table01").items():
        if cell.skipped or column == "Untrained encoder" or row.startswith("SUMO"):
            continue
        run = plan.runs.run(cell.kind, "fed_react", cell.data, cell.setting, cell.job)
        task = plan.datasets.task(cell.data)
        partition = plan.files.partition(run.owner, cell.data, run.partition, 0)
        sizes = work._sizes(None, partition)
        if cell.kind == "synchronous":
            total = runs.part_of(cell.kind, "run").work(run.options, [cell.method], task, sizes)
        else:
            paper, encoder, _ = run.encoder
            of = {"paper": paper, "dataset": cell.data, "encoder": encoder, "seed": "0"}
            of_encoder = plan.settings.n_clients(paper, encoder.split("+")[0])
            total = work.gflops("train_encoder", of) * len(sizes) / of_encoder
            made = make_encoder(plan.settings.encoder(paper, encoder).encoder, task.channels)
            total += sum(sizes) * gflops_of_features(made, task.steps)
        found.setdefault(row, {})[column] = total / len(sizes)
    assert len(found) == 4
    for row, of_columns in found.items():
        assert len(of_columns) > 15
        # A tenth about what lies in the middle of them.
        middle = (max(of_columns.values()) + min(of_columns.values())) / 2
        assert of_columns == pytest.approx(dict.fromkeys(of_columns, middle), rel=0.1), row
