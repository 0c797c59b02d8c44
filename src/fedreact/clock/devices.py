"""Devices that are slow, leave, and whose data arrives over time: what a trip of each takes.

A trip of a client: it receives a model, trains it, and its update arrives at the server.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from fedreact.rng import generator

Range = tuple[float, float]


@dataclass(frozen=True)
class Network:
    """What devices and their connections are like, as a run's options say.

    Attributes
    ----------
    delays
        Seconds from and to, between which a trip's delay lies. Clients are dealt at random to as
        many equal parts as there are ranges; they are FedAT's tiers (section 7.4.1).
    redrawn
        Whether each trip has a delay of its own; else a client has one for all of its trips.
    rate
        GFLOPs that a device computes in a second.
    start
        Share of its train samples that a client has at the start, from and to.
    growth
        Share that arrives with each of its trips, from and to.
    silent
        Share of the clients that never answer (Fig. 5.3).
    leaving
        Clients that leave for good, at any time before the end (section 7.4.1).
    lost
        Probability that an update does not arrive (Fig. 5.4).
    """

    delays: tuple[Range, ...] = ((0.0, 0.0),)
    redrawn: bool = False
    rate: float = 1.0
    start: Range = (1.0, 1.0)
    growth: Range = (0.0, 0.0)
    silent: float = 0.0
    leaving: int = 0
    lost: float = 0.0


class Devices:
    """The devices of K clients, drawn from a seed.

    Parameters
    ----------
    network
        What they are like.
    n_samples
        ``[K]`` train samples of each client, once all have arrived.
    gflops
        ``gflops(held, new)``: what a trip takes with so many samples, so many of which are new.
    seed
        Seed of the generators.
    horizon
        Seconds within which clients leave.

    Attributes
    ----------
    part
        ``int [K]``: the range of delays that a client's lie in.
    silent
        ``bool [K]``: whether it never answers.
    leaves
        ``float [K]``: seconds at which it leaves; infinite, if it stays.
    """

    def __init__(
        self,
        network: Network,
        n_samples: Sequence[int],
        gflops: Callable[[int, int], float],
        seed: int,
        horizon: float = np.inf,
    ):
        K, rng = len(n_samples), generator(seed, "devices")
        self.network, self.n_samples, self.seed = network, np.asarray(n_samples), seed
        self.part = rng.permutation(K) * len(network.delays) // K
        self.silent = np.zeros(K, bool)
        self.silent[rng.permutation(K)[: round(network.silent * K)]] = True
        start, growth = rng.uniform(*network.start, K), rng.uniform(*network.growth, K)
        self.leaves = np.full(K, np.inf)
        if network.leaving and np.isfinite(horizon):
            of_leaving = generator(seed, "leaving")  # so that all else is the same without
            gone = of_leaving.permutation(K)[: network.leaving]
            self.leaves[gone] = of_leaving.uniform(0, horizon, len(gone))
        low, high = np.array(network.delays, float)[self.part].T
        once = None if network.redrawn else rng.uniform(low, high)
        # Numbers of one client are read, which takes longer of arrays than of lists.
        self._start, self._growth, self._low, self._high, self._n, self._once = (
            None if of is None else of.tolist()
            for of in (start, growth, low, high, self.n_samples, once)
        )
        self._gflops, self._seconds = gflops, {}
        self._drawn: dict[int, tuple[np.random.Generator, np.random.Generator]] = {}

    def held(self, client: int, trip: int) -> int:
        """Samples that a client has in its trip 0, 1, 2, ...; they arrive in their order."""
        share = min(self._start[client] + trip * self._growth[client], 1.0)
        return max(1, ceil(share * self._n[client] - 1e-9))

    def trip(self, client: int, trip: int) -> tuple[float, bool, int, int]:
        """Seconds of the next trip of a client, whether its update arrives, and on what it trains.

        These are the samples that it has, and how many of them have arrived since its trip before;
        none in its first. Its trips are asked for in their order, each once.
        """
        if client not in self._drawn:
            self._drawn[client] = tuple(
                generator(self.seed, of, client) for of in ("trips", "lost")
            )
        rng, of_lost = self._drawn[client]
        held = self.held(client, trip)
        had = held, held - self.held(client, trip - 1) if trip else 0
        if had not in self._seconds:
            self._seconds[had] = self._gflops(*had) / self.network.rate
        if self._once is None:
            low = self._low[client]
            delay = low + (self._high[client] - low) * rng.random()
        else:
            delay = self._once[client]
        arrives = not self.network.lost or of_lost.random() >= self.network.lost
        return delay + self._seconds[had], arrives, *had
