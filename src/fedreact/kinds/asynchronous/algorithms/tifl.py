"""TiFL (Chai et al. 2020, "TiFL: A tier-based federated learning system")."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fedreact.aggregation.mean import weighted_mean
from fedreact.clients.goodness import goodness
from fedreact.clock.clock import Clock, Flight
from fedreact.kinds.asynchronous.contract import Algorithm
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.contract import Algorithm as ClientAlgorithm
from fedreact.kinds.synchronous.contract import Arrays, Tensors
from fedreact.options import Count
from fedreact.rng import generator

if TYPE_CHECKING:
    from fedreact.engine.local_training import LocalTraining, Work


@dataclass(frozen=True)
class Reporting(FedAvg):
    """FedAvg's client, which also reports the score of the received model."""

    def tested(self, training: "LocalTraining", held: int, new: int) -> int:
        """Count the samples that the client trains on in the trip, or all if it has fewer."""
        return min(held, training.n_drawn(held))

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Test on some of one's own train samples, drawn anew, then train."""
        import torch

        from fedreact.kinds.supervised import supervised_loss

        loss, scores = supervised_loss(training.objective), []
        for held, rng in zip(work.clients, work.generators("test of the tier")):
            samples = rng.choice(held, self.tested(training, len(held), 0), replace=False)
            scores.append(goodness(loss, sent["theta"], work.data, samples))
        uploads, state = super().local(training, sent, state, work)
        return uploads | {"score": torch.tensor(scores)}, state


@dataclass(frozen=True)
class TiFL(Algorithm):
    """Rounds of clients of one tier, drawn more often if its accuracy is low.

    Attributes
    ----------
    clients
        Clients per round.
    interval
        Rounds between updates of the probabilities (I of Algorithm 2 there).
    """

    chooses: ClassVar[bool] = True

    clients: Count = 10
    interval: Count = 10

    def client(self) -> ClientAlgorithm:
        """Return clients that report."""
        return Reporting()

    def server(self, client: ClientAlgorithm, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return the model, the chosen tiers, and scores of tiers, now and at the last look."""
        return {
            "theta": theta,
            "chosen": np.zeros(0, np.int64),
            "scores": np.zeros((2, 0)),
            "shares": np.zeros(0),
        }

    def sent(self, client: ClientAlgorithm, server: Arrays, flight: Flight) -> Arrays:
        """Return the model."""
        return {"theta": server["theta"]}

    def begin(self, clock: Clock) -> None:
        """Begin a round of any tier."""
        self._round(clock, 0, None)

    def proceed(self, clock: Clock, flight: Flight, server: Arrays | None) -> None:
        """Begin a round of the tier that was drawn when the last one ended."""
        self._round(clock, flight.number + 1, server)

    def _round(self, clock: Clock, number: int, server: Arrays | None) -> None:
        available = clock.available()
        tiers = np.unique(clock.devices.part[available])
        if not len(available):
            return
        rng = generator(clock.devices.seed, "tier", number)
        tier = int(rng.choice(tiers))
        if server is not None and number < len(server["chosen"]):
            wanted = int(server["chosen"][number])
            tier = wanted if wanted in tiers else tier
        of_tier = available[clock.devices.part[available] == tier]
        n = min(self.clients, len(of_tier))
        clock.send(np.sort(rng.choice(of_tier, n, replace=False)), tier)

    def arrived(
        self,
        client: ClientAlgorithm,
        server: Arrays,
        uploads: Arrays,
        sent: Arrays,
        flight: Flight,
        clock: Clock,
    ) -> Arrays:
        """Average as FedAvg does, and draw the tier of the next round (Algorithm 2 there)."""
        M, number = len(clock.devices.network.delays), flight.number + 1
        new = not len(server["shares"])
        now, before = np.full((2, M), np.nan) if new else server["scores"].copy()
        shares = np.full(M, 1 / M) if new else server["shares"]
        now[flight.tier] = np.average(uploads["score"], weights=flight.held)
        before = np.where(np.isnan(before), now, before)  # of tiers that answered since the look
        if number % self.interval == 0:
            if not now[flight.tier] > before[flight.tier]:  # it has not become better
                shares = self.shares(now)
            before = now.copy()
        chosen = np.full(number + 1, -1)
        chosen[: len(server["chosen"])] = server["chosen"]
        rng = generator(clock.devices.seed, "next tier", number)
        chosen[number] = rng.choice(M, p=shares)
        return {
            "theta": weighted_mean(uploads["theta"], flight.held),
            "chosen": chosen,
            "scores": np.stack([now, before]),
            "shares": shares,
        }

    @staticmethod
    def shares(scores: np.ndarray) -> np.ndarray:
        """Return probabilities ``[M]`` of tiers: (M - i) / (M (M + 1) / 2) of the i-th worst.

        i counts from 0. A tier that has no score yet is the worst.
        """
        M = len(scores)
        rank = np.argsort(np.argsort(np.nan_to_num(scores, nan=-1.0), kind="stable"))
        return (M - rank) / (M * (M + 1) / 2)


ALGORITHM = TiFL
