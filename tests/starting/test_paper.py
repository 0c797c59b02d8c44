"""The configuration of own data: it loads, and suits the data."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import yaml
from helpers import BASE

from fedreact.benchmark import additions
from fedreact.cli import searching
from fedreact.cli.starting import explain
from fedreact.data import own
from fedreact.errors import UserError
from fedreact.resolve.plan import Plan
from fedreact.starting import paper

RNG = np.random.default_rng(0)
N = 120


def arrays(**changes):
    """Series of six clients with three labels."""
    made = {
        "X": RNG.normal(size=(N, 2, 30)).astype(np.float32),
        "y": np.arange(N) % 3,
        "client": np.repeat(np.arange(6), N // 6),
    }
    return {key: value for key, value in (made | changes).items() if value is not None}


def written(**changes):
    """Write a dataset and its paper into the current project; return what was started."""
    content = arrays(**changes)
    file = own.path(Path("data"), "toy-data")
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savez(file, **content)
    started = paper.start(own.dataset_of(content, "toy-data"))
    additions.write(Path("config/papers/toy_data"), started.files)
    return started


def test_the_configuration_loads_and_has_all_methods(project):
    started = written()
    plan = Plan(BASE | {"scale": "quick", "papers": ["toy_data"]})
    plan.check(["toy_data"])
    cells = plan.outputs.cells("toy_data_methods")
    assert not any(cell.skipped for cell in cells.values())
    columns = {column for _, column in cells}
    assert columns == set(paper.METHODS) - {"Persistence", "Mean of earlier days"}
    roles = plan.outputs.roles_of_methods("toy_data_methods")
    assert roles["Alone"] == "alone"
    assert roles["Shared encoder, own model"] == "federated"
    assert not started.left_out
    assert {"toy_data_rounds", "toy_data_gains"} <= set(plan.figures)
    text = started.files["experiment.yaml"]
    options = yaml.safe_load(text)["settings"]["clients"]
    assert options["synchronous"]["rounds"] >= 20
    for reason in started.recipe.reasons[:-1]:
        assert reason[:40] in text.replace("\n    # ", " ").replace("\n# ", " ")
    Plan(BASE | {"scale": "smoke", "papers": ["toy_data"]}).check(["toy_data"])


def test_a_comparison_whose_data_is_gone_stops_no_other_run(project, caplog):
    written()
    own.path(Path("data"), "toy-data").unlink()
    plan = Plan(BASE | {"scale": "quick"})
    plan.check()
    assert "toy_data" not in plan.targets()
    assert "config/papers/toy_data is left out: data/own/toy-data.npz is missing" in caplog.text
    named = Plan(BASE | {"scale": "quick", "papers": ["toy_data"]})
    named.check()
    assert "no data/own/toy-data.npz" in " ".join(named.outputs.left_out())


def test_each_searched_method_has_as_many_trials_and_its_options_first(project):
    written()
    plan = Plan(BASE | {"scale": "quick", "papers": ["toy_data"]})
    searches = plan.experiments.workload("toy_data").searches
    trials = Counter(column.split("+")[0] for _, column in searches.compared("options"))
    gradient = {name: n for name, n in trials.items() if "minirocket" not in name}
    assert set(gradient.values()) == {12}
    assert {"fedst.alone", "fedst.fedavg", "fed_react.fed-react-a1"} <= set(gradient)
    assert searching.targets(plan, "toy_data") == ["toy_data_options"]
    with pytest.raises(UserError, match=r"paper 'toy_dat' is unknown; .*did you mean toy_data"):
        searching.targets(plan, "toy_dat")
    assert searches.by_dataset("options") == {"clients+validate=true": "toy-data"}


def test_a_forecast_has_the_methods_that_can_run(project):
    time = np.tile(np.arange(N // 6), 6).astype(float)
    y = RNG.normal(size=N).astype(np.float32)
    started = written(y=y, previous=y, time=time)
    columns = yaml.safe_load(started.files["tables.yaml"])["methods"]["columns"]
    assert {"Alone", "Fed-REACT", "MiniRocket, ridge", "Persistence"} <= set(columns)
    assert not {"FedProto", "IFCA"} & set(columns)
    assert started.left_out["FedProto"] == "its prototypes are of labels"
    assert not set(started.left_out) & set(columns)
    assert "# Left out: FedProto (its prototypes are of labels).\n" in started.files["tables.yaml"]
    assert "Left out: FedProto (its prototypes are of labels)." in explain(started).replace(
        "\n", " "
    )
    assert started.recipe.partition.options["split"] == "chronological"
    assert all(train.max() < test.min() for train, test in zip(*drawn(started)))
    plan = Plan(BASE | {"scale": "quick", "papers": ["toy_data"]})
    plan.check(["toy_data"])
    assert not any(cell.skipped for cell in plan.outputs.cells("toy_data_methods").values())


def drawn(started):
    return started.drawn.train, started.drawn.test


def test_several_labels_at_once(project):
    written(y=RNG.random((N, 4)) < 0.5)
    Plan(BASE | {"scale": "quick", "papers": ["toy_data"]}).check(["toy_data"])


def test_simulated_clients(project):
    started = written(client=None)
    assert len(started.drawn.train) == 5
    Plan(BASE | {"scale": "quick", "papers": ["toy_data"]}).check(["toy_data"])


def test_overlapping_windows_are_split_with_a_gap():
    recordings = RNG.normal(size=(6, 2, 200)).astype(np.float32)
    starts = range(0, 160, 5)
    X = np.concatenate([[one[:, s : s + 20] for s in starts] for one in recordings])
    client = np.repeat(np.arange(6), len(starts))
    content = {"X": X, "y": np.arange(len(X)) % 3, "client": client}
    started = paper.start(own.dataset_of(content, "toy"))
    options = started.recipe.partition.options
    assert (options["split"], options["gap"]) == ("chronological-by-label", 3)


def test_too_little_data_is_refused():
    content = arrays(client=np.arange(N) // 2)
    with pytest.raises(UserError, match="0 of 60 clients have 8 series"):
        paper.start(own.dataset_of(content, "toy"))
