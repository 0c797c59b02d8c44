"""A result whose order turns with training carries the note that scores still improve.

Clients share one rule, and have too few series to learn it alone. The federation learns slowly:
after few rounds clients that train alone are ahead, after many the federation is.
"""

import numpy as np
import pytest

from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.engine.place import Place
from fedreact.kinds import contract, jobs
from fedreact.kinds.synchronous import run as synchronous
from fedreact.kinds.synchronous.spec import INDEX, Options
from fedreact.metrics.grammar import load_metric
from fedreact.notes.contract import of_result
from fedreact.notes.scores import read_results
from fedreact.notes.sources import Comparison
from fedreact.tables.cells import CellRules, read_scores
from fedreact.tables.sources import CellSource

pytestmark = pytest.mark.campaign  # half a minute

K, EACH, STEPS = 6, 60, 20
RATES = {"fedavg": 0.006, "alone": 0.05}


def made_set():
    """Series of six clients; the sign of one weighted sum of their steps is the label."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(K * EACH, 1, STEPS)).astype(np.float32)
    y = (X[:, 0] @ rng.normal(size=STEPS) > 0).astype(np.int64)
    data = SeriesDataset("made", X, np.full(len(X), STEPS), y)
    samples = np.arange(K * EACH).reshape(K, EACH)
    return data, Partition(
        np.zeros(K, int),
        [own[:15] for own in samples],
        [own[15:] for own in samples],
        np.zeros((1, 0), int),
        np.zeros((1, 1, 0)),
        np.zeros(0, int),
        names=np.array(["Anna", "Ben", "Cleo", "Dan", "Eva", "Finn"]),
    )


def compared(folder, rounds):
    """Train both methods with three seeds, and read the result of the table."""
    data, partition = made_set()
    inputs = contract.Inputs(data, partition, setting="people")
    layout, paths = [], []
    for name, rate in RATES.items():
        options = Options(
            architecture="logistic", rounds=rounds, epochs=1, batch_size=15, learning_rate=rate
        )
        made = [contract.method("synchronous", name, {}, "here")]
        layout.append(CellSource("People", name, str(folder / name), name))
        for seed in range(3):
            place = Place("cpu", 1, folder / f"{name}{seed}.npz")
            metrics = {"accuracy": load_metric("accuracy")}
            lines = synchronous.run(inputs, options, made, metrics, seed, place)
            paths.append(folder / name / f"seed{seed}.csv")
            jobs.write(paths[-1], lines, inputs, INDEX, seed, "accuracy", [])
    rules = CellRules(["accuracy"], last=True)
    roles = {"fedavg": "federated", "alone": "alone"}
    (result,) = read_results(layout, rules, read_scores(paths), Comparison(roles, {}))
    return result


@pytest.mark.parametrize(("rounds", "first"), [(8, "alone"), (120, "fedavg")])
def test_the_mistake_of_few_rounds_is_noted(tmp_path, rounds, first):
    result = compared(tmp_path, rounds)
    assert result.methods[0].label == first
    rising = [text for title, text in of_result(result) if title == "Still improving"]
    if rounds == 8:
        assert "fedavg +" in rising[0]
    else:
        assert not rising
