"""FedConD: concept drift, detected and met (Chen et al. 2021; ch. 6 of the dissertation)."""

from dataclasses import dataclass, replace
from math import ceil
from typing import Literal

import numpy as np

from fedreact.algorithms.asynchronous.contract import Algorithm
from fedreact.algorithms.synchronous.contract import Algorithm as ClientHalf
from fedreact.clients.drift_test import QUEUE, detected
from fedreact.clients.goodness import goodness
from fedreact.options import NonNegative, Positive, Probability, Share
from fedreact.rng import generator


@dataclass(frozen=True)
class Watching(ClientHalf):
    """The client of Algorithm 4, lines 9 to 20: it tests the model before it trains.

    Attributes
    ----------
    lam, test, delta, level, factor
        See :class:`FedConD`.
    """

    lam: NonNegative
    test: Literal["counts", "printed", "never"]
    delta: NonNegative
    level: Probability
    factor: Positive

    def start(self, theta, n_clients):
        """An empty queue of scores, and of the samples they are of; no sample seen, no drift."""
        queue, count = np.full((n_clients, QUEUE), np.nan, np.float32), np.zeros(n_clients)
        return {"scores": queue, "counts": queue.copy(), "seen": count, "weight": count + 1}

    def local(self, training, sent, state, work):
        """Test, change lambda, train."""
        import torch

        kept, pull = {name: of.clone() for name, of in state.items()}, []
        found = torch.zeros(len(work.clients))
        for k, held in enumerate(work.clients):
            new = held[int(state["seen"][k]) :]
            if len(new):
                score = goodness(training.objective, sent["theta"], work.data, new)
                queue, counts = (state[n][k].cpu().numpy() for n in ("scores", "counts"))
                drifts = self.test != "never" and detected(
                    queue, counts, score, len(new), self.test == "printed", self.delta, self.level
                )
                kept["weight"][k] = state["weight"][k] * self.factor if drifts else 1.0
                found[k] = drifts  # without new samples there is no test, and lambda stays
                for name, value in (("scores", score), ("counts", len(new))):
                    last = state[name][k].roll(-1)
                    last[-1] = value
                    kept[name][k] = last
            kept["seen"][k] = len(held)
            pull.append(self.lam * float(kept["weight"][k]))
        start = work.of_each(sent["theta"])
        # The pull is one number for the clients that train together; on the clock that is one.
        rows = [
            training.descend(
                start[[k]],
                replace(work, clients=[work.clients[k]]),
                [draws],
                (pull[k], sent["theta"]),
            )
            for k, draws in enumerate(training.draw(work))
        ]
        return {"theta": torch.cat(rows), "drifts": found}, kept


@dataclass(frozen=True)
class FedConD(Algorithm):
    """Clients test for drift; the server asks those that it has heard of least (Algorithm 4).

    Attributes
    ----------
    lam
        Weight of the pull towards the model received, lambda of eq. 6.3.
    gamma
        Share of the clients that train at a time.
    test
        Eq. 6.4 as ``printed``, with one score where the test has a count of samples; by ``counts``
        of samples, as in the test that it is taken from (STEPD, Nishida and Yamauchi 2007); or
        ``never``, so that lambda stays as it is.
    delta
        A fall of the score that is needed besides.
    level
        Of significance.
    factor
        That lambda grows by with each trip in which drift is found; below 1 it falls (Fig. 6.8).
    """

    lam: NonNegative = 1.0
    gamma: Share = 0.2
    test: Literal["counts", "printed", "never"] = "counts"
    delta: NonNegative = 0.2
    level: Probability = 0.05
    factor: Positive = 2.0

    def half(self):
        """Clients that test."""
        return Watching(self.lam, self.test, self.delta, self.level, self.factor)

    def begin(self, clock):
        """Line 2: a share of the devices."""
        there = clock.there()
        rng = generator(clock.devices.seed, "participants", 0)
        for k in sorted(rng.choice(there, ceil(self.gamma * len(there) - 1e-9), replace=False)):
            clock.send([k])

    def proceed(self, clock, flight, server):
        """Line 7: the device with the fewest updates; ties are drawn."""
        there = clock.there()
        if len(there):
            fewest = there[clock.trips[there] == clock.trips[there].min()]
            rng = generator(clock.devices.seed, "participants", 1 + flight.number)
            clock.send([rng.choice(fewest)])

    def server(self, half, theta, n_clients):
        """The model, and how often drift was found."""
        return {"theta": theta, "drifts": np.zeros((), np.int64)}

    def arrived(self, half, server, uploads, sent, flight, clock):
        """Eq. 6.5."""
        share = flight.held[0] / clock.held.sum()
        theta = server["theta"] - share * (sent["theta"].astype(np.float64) - uploads["theta"][0])
        found = server["drifts"] + int(uploads["drifts"][0])
        return {"theta": theta.astype(np.float32), "drifts": found}


ALGORITHM = FedConD
