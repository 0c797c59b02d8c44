"""FedConD: concept drift, detected and met (Chen et al. 2021; ch. 6 of the dissertation)."""

from dataclasses import dataclass, replace
from math import ceil
from typing import ClassVar, Literal

import numpy as np

from fedreact.clients.drifts.detection import QUEUE, detected, testable
from fedreact.clients.goodness import goodness
from fedreact.kinds.asynchronous.algorithms.aso_fed import moved_by_counts
from fedreact.kinds.asynchronous.contract import Algorithm
from fedreact.kinds.synchronous.contract import Algorithm as ClientHalf
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
        """An empty queue of scores, and of the samples they are of; nothing seen or found."""
        queue, count = np.full((n_clients, QUEUE), np.nan, np.float32), np.zeros(n_clients)
        return {"scores": queue, "counts": queue.copy()} | {
            name: count.copy() for name in ("seen", "tests", "drifts")
        }

    def tested(self, training, held, new):
        """All new samples; none where nothing is tested."""
        return 0 if self.test == "never" else new

    def local(self, training, sent, state, work):
        """Test, change lambda, train."""
        import torch

        kept, pull = {name: of.clone() for name, of in state.items()}, []
        for k, held in enumerate(work.clients):
            seen, drifts = int(state["seen"][k]), False
            new = held[seen:] if seen else held[:0]  # what is there at first did not arrive
            if len(new) and self.test != "never":
                score = goodness(training.objective, sent["theta"], work.data, new)
                queue, counts = (state[n][k].cpu().numpy() for n in ("scores", "counts"))
                drifts = detected(
                    queue, counts, score, len(new), self.test == "printed", self.delta, self.level
                )
                kept["tests"][k] += testable(queue)
                for name, value in (("scores", score), ("counts", len(new))):
                    last = state[name][k].roll(-1)
                    last[-1] = value
                    kept[name][k] = last
            kept["seen"][k] = len(held)
            kept["drifts"][k] += drifts
            pull.append(self.lam * (self.factor if drifts else 1.0))  # line 18
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
        return {"theta": torch.cat(rows)}, kept


@dataclass(frozen=True)
class FedConD(Algorithm):
    """Clients test for drift; the server asks the clients with the fewest updates (Algorithm 4).

    Attributes
    ----------
    lam
        Weight of the proximal term towards the received model, lambda of eq. 6.3.
    gamma
        Share of the clients that train at a time.
    test
        Drift test: eq. 6.4 as ``printed``, with one score in place of a sample count; by ``counts``
        of samples, as in the test that it builds on (STEPD, Nishida and Yamauchi 2007); or
        ``never``, which leaves lambda unchanged.
    delta
        Fall of the score that an alarm requires besides significance; the printed test ignores it.
    level
        Significance level of the test.
    factor
        Factor of lambda in a trip that detects drift; below 1 lambda falls (Fig. 6.8). In all other
        trips, including those without new samples, lambda is ``lam``.
    """

    finds: ClassVar[tuple[str, ...]] = ("drift_tests", "true_alarms", "false_alarms")

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
        """Line 7: the device that was asked least often; ties are drawn."""
        there = clock.there()
        if len(there):
            fewest = there[clock.trips[there] == clock.trips[there].min()]
            rng = generator(clock.devices.seed, "participants", 1 + flight.number)
            clock.send([rng.choice(fewest)])

    def server(self, half, theta, n_clients):
        """The model."""
        return {"theta": theta}

    def arrived(self, half, server, uploads, sent, flight, clock):
        """Eq. 6.5, which is eq. 5.4."""
        return {"theta": moved_by_counts(server, uploads, sent, flight, clock)}

    def hearers(self, n_clients):
        """Those who train at a time (Table 6.3); here a model goes to who begins to train."""
        return ceil(self.gamma * n_clients - 1e-9)

    def found(self, state, drifting):
        """Tests of a client on average; shares of the tests of some clients that find drift."""
        tests, drifts = state["tests"], state["drifts"]
        shares = [
            drifts[of].sum() / tests[of].sum() if tests[of].any() else np.nan
            for of in (drifting, ~drifting)
        ]
        return dict(zip(self.finds, [tests.mean(), *shares]))


ALGORITHM = FedConD
