"""Devices that are slow, leave, and whose data arrives over time: what a trip of each takes.

A trip of a client: it receives a model, trains it, and its update arrives at the server.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import numpy as np

from fedreact.rng import generator

Range = tuple[float, float]


class ClientTrip(NamedTuple):
    """A trip of a client.

    Attributes
    ----------
    seconds
        How long it takes.
    arrives
        Whether its update arrives.
    held, new
        Samples that it trains on, and how many of them have arrived since its trip before.
    """

    seconds: float
    arrives: bool
    held: int
    new: int


@dataclass(frozen=True)
class Network:
    """Devices and their connections, as a run's options say.

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
            leaving = generator(seed, "leaving")  # so that all else is the same without
            gone = leaving.permutation(K)[: network.leaving]
            self.leaves[gone] = leaving.uniform(0, horizon, len(gone))
        low, high = np.array(network.delays, float)[self.part].T
        # Numbers of one client are read, which takes longer of arrays than of lists.
        self._delays: list[float] | None = None
        if not network.redrawn:
            self._delays = rng.uniform(low, high).tolist()
        self._low: list[float] = low.tolist()
        self._high: list[float] = high.tolist()
        self._start: list[float] = start.tolist()
        self._growth: list[float] = growth.tolist()
        self._n: list[int] = self.n_samples.tolist()
        self._gflops = gflops
        self._seconds: dict[tuple[int, int], float] = {}
        self._drawn: dict[int, tuple[np.random.Generator, np.random.Generator]] = {}

    def held(self, client: int, trip: int) -> int:
        """Count the samples that a client has in its trip 0, 1, 2, ...; they arrive in order."""
        share = min(self._start[client] + trip * self._growth[client], 1.0)
        return max(1, ceil(share * self._n[client] - 1e-9))

    def trip(self, client: int, trip: int) -> ClientTrip:
        """Draw the next trip of a client; its first has no new samples.

        Its trips are asked for in their order, each once.
        """
        if client not in self._drawn:
            self._drawn[client] = (
                generator(self.seed, "trips", client),
                generator(self.seed, "lost", client),
            )
        rng, losses = self._drawn[client]
        held = self.held(client, trip)
        samples = held, held - self.held(client, trip - 1) if trip else 0
        if samples not in self._seconds:
            self._seconds[samples] = self._gflops(*samples) / self.network.rate
        if self._delays is None:
            low = self._low[client]
            delay = low + (self._high[client] - low) * rng.random()
        else:
            delay = self._delays[client]
        arrives = not self.network.lost or losses.random() >= self.network.lost
        return ClientTrip(delay + self._seconds[samples], arrives, *samples)
