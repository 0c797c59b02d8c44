"""FedConD: concept drift, detected and met (Chen et al. 2021; ch. 6 of the dissertation)."""

from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from fedreact.clients.drifts.detection import QUEUE, detected, testable
from fedreact.clients.goodness import goodness
from fedreact.clock.clock import Clock, Flight
from fedreact.kinds.asynchronous.algorithms.aso_fed import moved_by_counts
from fedreact.kinds.asynchronous.contract import Algorithm
from fedreact.kinds.synchronous.contract import Algorithm as ClientAlgorithm
from fedreact.kinds.synchronous.contract import Arrays, Tensors
from fedreact.options import NonNegative, Positive, Probability, Share
from fedreact.rng import generator

if TYPE_CHECKING:
    from fedreact.engine.local_training import LocalTraining, Work


@dataclass(frozen=True)
class Watching(ClientAlgorithm):
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

    def start(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return empty queues of scores and of their sample counts; nothing is seen or detected."""
        queue, count = np.full((n_clients, QUEUE), np.nan, np.float32), np.zeros(n_clients)
        return {"scores": queue, "counts": queue.copy()} | {
            name: count.copy() for name in ("seen", "tests", "drifts")
        }

    def tested(self, training: "LocalTraining", held: int, new: int) -> int:
        """Count all new samples; none if nothing is tested."""
        return 0 if self.test == "never" else new

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Test, change lambda, train."""
        import torch

        from fedreact.kinds.supervised import supervised_loss

        after, pulls = {name: values.clone() for name, values in state.items()}, []
        for k, held in enumerate(work.clients):
            seen, drifts = int(state["seen"][k]), False
            new = held[seen:] if seen else held[:0]  # what is there at first did not arrive
            if len(new) and self.test != "never":
                loss = supervised_loss(training.objective)
                score = goodness(loss, sent["theta"], work.data, new)
                queue, counts = (state[n][k].cpu().numpy() for n in ("scores", "counts"))
                drifts = detected(
                    queue, counts, score, len(new), self.test == "printed", self.delta, self.level
                )
                after["tests"][k] += testable(queue)
                for name, value in (("scores", score), ("counts", len(new))):
                    last = state[name][k].roll(-1)
                    last[-1] = value
                    after[name][k] = last
            after["seen"][k] = len(held)
            after["drifts"][k] += drifts
            pulls.append(self.lam * (self.factor if drifts else 1.0))  # line 18
        start = work.start_weights(sent["theta"])
        # The pull is one number for the clients that train together; on the clock that is one.
        rows = [
            training.descend(
                start[[k]],
                replace(work, clients=[work.clients[k]]),
                [draws],
                (pulls[k], sent["theta"]),
            )
            for k, draws in enumerate(training.draw(work))
        ]
        return {"theta": torch.cat(rows)}, after


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

    recorded: ClassVar[tuple[str, ...]] = ("drift_tests", "true_alarms", "false_alarms")

    lam: NonNegative = 1.0
    gamma: Share = 0.2
    test: Literal["counts", "printed", "never"] = "counts"
    delta: NonNegative = 0.2
    level: Probability = 0.05
    factor: Positive = 2.0

    def client(self) -> ClientAlgorithm:
        """Return clients that test for drift."""
        return Watching(self.lam, self.test, self.delta, self.level, self.factor)

    def begin(self, clock: Clock) -> None:
        """Send off a share of the devices (line 2)."""
        available = clock.available()
        rng = generator(clock.devices.seed, "participants", 0)
        n = ceil(self.gamma * len(available) - 1e-9)
        for k in sorted(rng.choice(available, n, replace=False)):
            clock.send([k])

    def proceed(self, clock: Clock, flight: Flight, server: Arrays | None) -> None:
        """Send off the device that was asked least often (line 7); ties are drawn."""
        available = clock.available()
        if len(available):
            fewest = available[clock.trips[available] == clock.trips[available].min()]
            rng = generator(clock.devices.seed, "participants", 1 + flight.number)
            clock.send([rng.choice(fewest)])

    def server(self, client: ClientAlgorithm, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return the model."""
        return {"theta": theta}

    def arrived(
        self,
        client: ClientAlgorithm,
        server: Arrays,
        uploads: Arrays,
        sent: Arrays,
        flight: Flight,
        clock: Clock,
    ) -> Arrays:
        """Move the model by the update: eq. 6.5, which is eq. 5.4."""
        return {"theta": moved_by_counts(server, uploads, sent, flight, clock)}

    def hearers(self, n_clients: int) -> float:
        """Count those who train at a time (Table 6.3); here a model goes to who begins to train."""
        return ceil(self.gamma * n_clients - 1e-9)

    def record(self, state: Arrays, drifting: np.ndarray) -> dict[str, float]:
        """Average the tests of a client; return the shares of tests that detect drift.

        One share is of the clients that drift, the other of the rest.
        """
        tests, drifts = state["tests"], state["drifts"]
        shares = [
            float(drifts[clients].sum() / tests[clients].sum()) if tests[clients].any() else np.nan
            for clients in (drifting, ~drifting)
        ]
        return dict(zip(self.recorded, [float(tests.mean()), *shares]))


ALGORITHM = FedConD
