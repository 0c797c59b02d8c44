"""Scores of clients' neural models, each on its own test samples."""

from collections.abc import Mapping, Sequence

import numpy as np

from fedreact.engine.engine import Arrays, Stacked, Workers
from fedreact.engine.predicting import BATCH, Request
from fedreact.errors import UserError
from fedreact.metrics.contract import Metric
from fedreact.rng import generator


def client_scores(
    engine: Workers | Stacked,
    algorithm,
    server: Arrays,
    state: Arrays,
    tests: Sequence[np.ndarray],
    y: np.ndarray,
    metrics: Mapping[str, Metric],
    unit: float | np.ndarray = 1.0,
    centre: float | np.ndarray = 0.0,
) -> dict[str, np.ndarray]:
    """Score ``[K]`` of each client by each metric.

    Parameters
    ----------
    engine
        It puts the test series through the models.
    algorithm, server, state
        An algorithm of :mod:`fedreact.kinds.synchronous.algorithms`, and what its two halves keep.
    tests
        K arrays of test samples.
    y
        Labels or targets of all samples ``[N]`` or ``[N, M]``, which were divided by ``unit`` after
        ``centre`` was taken off.

    Raises
    ------
    UserError
        The weights that clients are tested with are no numbers.
    """
    weights = algorithm.personal(server, state)
    if bad := sum(not np.isfinite(of_client).all() for of_client in weights):
        raise UserError(f"the models of {bad} of {len(weights)} clients are NaN or infinite")
    adapts = hasattr(algorithm, "adapt")
    if len(weights) == 1 and not adapts:  # clients share many of their test samples
        anyones = np.unique(np.concatenate(tests))
        parts = [anyones[first : first + BATCH] for first in range(0, len(anyones), BATCH)]
        found = np.concatenate(engine.predict([Request(weights[0], part) for part in parts]))
        outputs = [found[np.searchsorted(anyones, test)] for test in tests]
    else:
        kept = algorithm.at_test(server, state) if adapts else None
        # Test sets lie in the order of owners, often by label; a stream is seen in a drawn one.
        orders = [
            generator(engine.job.seed, "test stream", k).permutation(len(test))
            if adapts
            else np.arange(len(test))
            for k, test in enumerate(tests)
        ]
        requests = [
            Request(
                weights[min(k, len(weights) - 1)],
                test[orders[k]],
                None if kept is None else {name: values[k] for name, values in kept.items()},
            )
            for k, test in enumerate(tests)
        ]
        seen = engine.predict(requests)
        outputs = [of[np.argsort(order)] for of, order in zip(seen, orders)]
    result = {}
    for name, metric in metrics.items():
        own = metric.power != 1 or np.ndim(unit) > 0
        given = [(out, y[test]) for out, test in zip(outputs, tests)]
        if own and y.dtype.kind == "f":
            given = [(out * unit + centre, t * unit + centre) for out, t in given]
        values = [metric.score(*of) for of in given]
        result[name] = (1.0 if own else unit) * np.array(values)
    return result
