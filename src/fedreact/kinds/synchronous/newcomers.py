"""Clients that join after the training: tested as they come, and after they have adapted.

No method says how a client joins late, so it does what others do: it receives what the server sends
in a round, and trains once by the method's own local work. Where a method keeps no model at its
clients, what they would upload is their model, so FedAvg adapts by fine-tuning.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from fedreact.engine.engine import Arrays, Engine, open_engine, resolve_device
from fedreact.engine.place import Place
from fedreact.kinds.scoring import client_scores
from fedreact.kinds.supervised import ScaledTargets
from fedreact.kinds.synchronous.contract import JOIN, Algorithm
from fedreact.metrics.contract import Metric


@dataclass(frozen=True)
class Newcomers:
    """Tests of clients that join late.

    Attributes
    ----------
    clients
        ``int64 [J]``: which they are.
    tests
        J arrays of their test samples.
    targets
        Labels or targets of all samples.
    metrics
        The metric that they are scored by, under its name.
    place
        Where they adapt.
    """

    clients: np.ndarray
    tests: list[np.ndarray]
    targets: ScaledTargets
    metrics: Mapping[str, Metric]
    place: Place

    def zero_shot(
        self, engine: Engine, algorithm: Algorithm, server: Arrays, state: Arrays
    ) -> np.ndarray:
        """Score ``[J]`` with what the server has for a client that never trained.

        NaN where it has nothing.
        """
        theta = algorithm.zero_shot(server)
        if theta is None:
            return np.full(len(self.clients), np.nan)
        return self._scores(engine, algorithm, theta[None], server, self._own(state))

    def adapted(
        self,
        engine: Engine,
        algorithm: Algorithm,
        server: Arrays,
        state: Arrays,
        t: int,
        steps: int,
    ) -> np.ndarray:
        """Score ``[J]`` after so many steps of the method's local work, in round ``t``."""
        job = replace(engine.job, training=replace(engine.job.training, steps=steps))
        device = resolve_device(self.place.device)
        with open_engine(job, device, self.place.workers) as joining:
            uploads, own = joining.round(
                algorithm.sent(server) | {JOIN: np.ones(1, np.float32)},
                self._own(state),
                t,
                clients=self.clients.tolist(),
            )
            keeps = type(algorithm).personal is not Algorithm.personal
            weights = algorithm.personal(server, own) if keeps else uploads["theta"].copy()
        return self._scores(engine, algorithm, weights, server, own)

    def _own(self, state: Arrays) -> Arrays:
        """Return what the newcomers keep, each ``[J, ...]``."""
        return {name: values[self.clients] for name, values in state.items()}

    def _scores(
        self,
        engine: Engine,
        algorithm: Algorithm,
        weights: np.ndarray,
        server: Arrays,
        own: Arrays,
    ) -> np.ndarray:
        """Score ``[J]`` of weights ``[J, P]``, or ``[1, P]``."""
        at_test = algorithm.at_test(server, own) if algorithm.adapts else None
        scores = client_scores(engine, weights, at_test, self.tests, self.targets, self.metrics)
        return next(iter(scores.values()))
