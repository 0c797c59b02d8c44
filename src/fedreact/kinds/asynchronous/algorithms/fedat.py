"""FedAT: synchronous within tiers, asynchronous across them (Chai et al. 2021; ch. 7)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fedreact.aggregation.mean import weighted_mean
from fedreact.clock.clock import Clock, Flight
from fedreact.compression import polyline
from fedreact.kinds.asynchronous.contract import Algorithm
from fedreact.kinds.synchronous.algorithms.fedprox import FedProx
from fedreact.kinds.synchronous.contract import Algorithm as ClientAlgorithm
from fedreact.kinds.synchronous.contract import Arrays
from fedreact.options import Count, Natural, NonNegative
from fedreact.rng import generator


@dataclass(frozen=True)
class FedAT(Algorithm):
    """Each tier of equally fast clients has rounds of its own (section 7.2).

    Attributes
    ----------
    lam
        Weight of the proximal term towards the received model, lambda of eq. 7.3.
    clients
        Clients per round of a tier.
    precision
        Decimals of the sent weights, in both directions; ``null``: full precision.
    weights
        Weights of the tiers' models: the counts of the tiers opposite in speed (``opposite``, eq.
        7.1), ``equal``, or ``waiting``: as eq. 7.1, but equal among the tiers that have answered
        until all have. By eq. 7.1 the model does not change until a tier and its opposite have
        answered, which tier M // 2 + 1 does first, and the fastest tier's model has weight 0 until
        the slowest has answered.
    """

    lam: NonNegative = 0.4
    clients: Count = 10
    precision: Natural | None = 4
    weights: Literal["opposite", "equal", "waiting"] = "opposite"

    def client(self) -> ClientAlgorithm:
        """Return FedProx's client."""
        return FedProx(mu=self.lam)

    def begin(self, clock: Clock) -> None:
        """Begin the first round of every tier."""
        for tier in range(len(clock.devices.network.delays)):
            self._round(clock, tier)

    def proceed(self, clock: Clock, flight: Flight, server: Arrays | None) -> None:
        """Begin the next round of the tier that has ended one."""
        self._round(clock, flight.tier)

    def _round(self, clock: Clock, tier: int) -> None:
        available = clock.available(np.flatnonzero(clock.devices.part == tier))
        if len(available):
            rng = generator(clock.devices.seed, "tier", tier, int(clock.trips.sum()))
            n = min(self.clients, len(available))
            clock.send(np.sort(rng.choice(available, n, replace=False)), tier)

    def server(self, client: ClientAlgorithm, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return the model, those of the tiers, and how often each has answered; no tier has.

        Tiers are made when the first answers, since only the clock knows how many there are.
        """
        return {"theta": theta, "tiers": theta[None], "updates": np.zeros(0, np.int64)}

    def coded(self, theta: np.ndarray) -> tuple[np.ndarray, int]:
        """Return weights that travelled as a polyline, and their bytes."""
        if self.precision is None:
            return super().coded(theta)
        return polyline.rounded(theta, self.precision)

    def arrived(
        self,
        client: ClientAlgorithm,
        server: Arrays,
        uploads: Arrays,
        sent: Arrays,
        flight: Flight,
        clock: Clock,
    ) -> Arrays:
        """Average within the tier and over tiers: eqs. 7.2 (here 7.4) and 7.1."""
        M = len(clock.devices.network.delays)
        tiers, updates = server["tiers"], server["updates"].copy()
        tiers = np.repeat(tiers, M, axis=0) if len(updates) == 0 else tiers.copy()
        updates = np.zeros(M, np.int64) if len(updates) == 0 else updates
        tiers[flight.tier] = weighted_mean(uploads["theta"], flight.held)
        updates[flight.tier] += 1
        share = self.shares(updates)
        theta = (share @ tiers.astype(np.float64)).astype(np.float32)
        return {"theta": theta, "tiers": tiers, "updates": updates}

    def shares(self, updates: np.ndarray) -> np.ndarray:
        """Weigh the tiers' models ``[M]``, fastest first, given how often each answered."""
        if self.weights == "waiting" and not updates.all():
            return (updates > 0) / (updates > 0).sum()
        if self.weights == "equal":
            return np.full(len(updates), 1 / len(updates))
        return updates[::-1] / updates.sum()


ALGORITHM = FedAT
