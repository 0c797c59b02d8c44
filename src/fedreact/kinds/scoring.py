"""Scores of clients' neural models, each on its own test samples."""

from collections.abc import Mapping, Sequence

import numpy as np

from fedreact.engine.engine import Arrays, Engine
from fedreact.engine.predicting import BATCH, Request
from fedreact.errors import UserError
from fedreact.kinds.supervised import ScaledTargets
from fedreact.metrics.contract import Metric
from fedreact.rng import generator


def client_scores(
    engine: Engine,
    weights: np.ndarray,
    state: Arrays | None,
    tests: Sequence[np.ndarray],
    targets: ScaledTargets,
    metrics: Mapping[str, Metric],
    clients: Sequence[int] | None = None,
) -> dict[str, np.ndarray]:
    """Score ``[K]`` of each client by each metric.

    Parameters
    ----------
    engine
        It puts the test series through the models.
    weights
        ``[K, P]``, each client's, or ``[1, P]``, the same for all.
    state
        What the algorithm's ``adapt`` needs, each ``[K, ...]``; ``None``: it does not adapt.
    tests
        K arrays of test samples.
    targets
        Labels or targets of all samples.
    clients
        Numbers of the K clients, which key their draws; ``None``: from 0.

    Raises
    ------
    UserError
        The weights that clients are tested with are no numbers.
    """
    if bad := sum(not np.isfinite(theta).all() for theta in weights):
        raise UserError(f"the models of {bad} of {len(weights)} clients are NaN or infinite")
    if len(weights) == 1 and state is None:
        outputs = _outputs_of_one_model(engine, weights[0], tests)
    else:
        outputs = _outputs_of_each(engine, weights, state, tests, clients or range(len(tests)))
    return score_outputs(outputs, tests, targets, metrics)


def score_outputs(
    outputs: Sequence[np.ndarray],
    tests: Sequence[np.ndarray],
    targets: ScaledTargets,
    metrics: Mapping[str, Metric],
) -> dict[str, np.ndarray]:
    """Score ``[K]`` of each client's outputs ``[N_k, c]`` by each metric, in the targets' units."""
    scores = {}
    y, unit, centre = targets.y, targets.unit, targets.centre
    for name, metric in metrics.items():
        in_own_unit = metric.power != 1 or np.ndim(unit) > 0
        pairs = [(output, y[test]) for output, test in zip(outputs, tests)]
        if in_own_unit and y.dtype.kind == "f":
            pairs = [(output * unit + centre, t * unit + centre) for output, t in pairs]
        values = [metric.score(output, t) for output, t in pairs]
        scores[name] = (1.0 if in_own_unit else unit) * np.array(values)
    return scores


def _outputs_of_one_model(
    engine: Engine, theta: np.ndarray, tests: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """Outputs for each client's test samples; clients share many of these."""
    samples = np.unique(np.concatenate(tests))
    batches = [samples[first : first + BATCH] for first in range(0, len(samples), BATCH)]
    outputs = np.concatenate(engine.predict([Request(theta, batch) for batch in batches]))
    return [outputs[np.searchsorted(samples, test)] for test in tests]


def _outputs_of_each(
    engine: Engine,
    weights: np.ndarray,
    state: Arrays | None,
    tests: Sequence[np.ndarray],
    clients: Sequence[int],
) -> list[np.ndarray]:
    """Outputs for each client's test samples, by its own model.

    Test sets lie in the order of owners, often by label; a client that adapts sees them in an order
    that is drawn.
    """
    orders, requests = [], []
    for k, test in enumerate(tests):
        own = None if state is None else {name: values[k] for name, values in state.items()}
        order = np.arange(len(test))
        if state is not None:
            order = generator(engine.job.seed, "test stream", clients[k]).permutation(len(test))
        orders.append(order)
        requests.append(Request(weights[min(k, len(weights) - 1)], test[order], own))
    outputs = engine.predict(requests)
    return [output[np.argsort(order)] for output, order in zip(outputs, orders)]
