"""The simulated clock: the trainings that are under way, and the one that ends next.

When a training ends depends on delays, counts of samples and modelled compute, never on how long
this machine takes; so which update meets which model is the same on any machine, and trainings that
are under way together can be done on all cores.
"""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fedreact.clock.devices import Devices


@dataclass(frozen=True)
class Flight:
    """Trainings of some clients that the server sent off together and waits for together.

    Attributes
    ----------
    number
        From 0, in the order in which they were sent off.
    all
        The clients.
    clients
        The clients whose updates arrive; may be empty.
    trips
        ``int [n]``: how often each of them was sent off before.
    held
        ``int [n]``: samples that each had.
    waited
        ``float [n]``: mean seconds of each one's trips before; NaN before the first.
    new
        ``int [n]``: samples that have arrived since each one's trip before; 0 in its first.
    begun, ends
        Seconds on the clock.
    tier
        Tier of the clients, where there are tiers.
    """

    number: int
    all: np.ndarray
    clients: np.ndarray
    trips: np.ndarray
    held: np.ndarray
    waited: np.ndarray
    new: np.ndarray
    begun: float
    ends: float
    tier: int = 0

    @property
    def samples(self) -> list[tuple[int, int]]:
        """Samples that each of ``clients`` trains on, and how many of them are new."""
        return list(zip(self.held.tolist(), self.new.tolist()))


class Clock:
    """Time, and what is under way.

    Attributes
    ----------
    devices
        What clients are like.
    now
        Seconds since the start.
    trips
        ``int [K]``: how often each client was sent off.
    held
        ``int [K]``: samples that each client has, as far as the server knows.
    """

    def __init__(self, devices: Devices):
        K = len(devices.n_samples)
        self.devices, self.now = devices, 0.0
        self.trips = np.zeros(K, np.int64)
        self.held = np.array([devices.held(k, 0) for k in range(K)])
        self._seconds = np.zeros(K)
        self._away = np.zeros(K, bool)
        self._heap: list[tuple[float, int, Flight]] = []
        self._sent = 0
        self._new: list[Flight] = []

    def available(self, clients: Iterable[int] | None = None) -> np.ndarray:
        """Return those clients, of some or of all, that answer, have not left and are not away."""
        devices = self.devices
        if clients is None:
            busy = devices.silent | self._away | (devices.leaves <= self.now)
            return np.flatnonzero(~busy)
        numbers = np.asarray(clients, dtype=np.int64)
        busy = devices.silent[numbers] | self._away[numbers] | (devices.leaves[numbers] <= self.now)
        return numbers[~busy]

    def send(self, clients: Iterable[int], tier: int = 0) -> None:
        """Send clients off together; their flight ends when the last update arrives.

        The flight also waits for clients that leave on the way. An empty list sends nothing.
        """
        # One by one: most flights are of one client, for which arrays take several times as long.
        devices, ends = self.devices, self.now
        sent: list[int] = []
        arriving: list[int] = []
        trips: list[int] = []
        held: list[int] = []
        waited: list[float] = []
        new: list[int] = []
        for k in np.asarray(clients, dtype=np.int64).tolist():
            leaves = float(devices.leaves[k])
            if devices.silent[k] or self._away[k] or leaves <= self.now:
                continue
            n, before = int(self.trips[k]), float(self._seconds[k])
            trip = devices.trip(k, n)
            end = min(self.now + trip.seconds, leaves)
            sent.append(k)
            ends = max(ends, end)
            if trip.arrives and end < leaves:
                arriving.append(k)
                trips.append(n)
                held.append(trip.held)
                new.append(trip.new)
                waited.append(before / n if n else np.nan)
            self.trips[k] += 1
            self._seconds[k] = before + trip.seconds
            self._away[k] = True
        if not sent:
            return
        away = np.array(sent, np.int64)
        flight = Flight(
            number=self._sent,
            all=away,
            clients=away if arriving == sent else np.array(arriving, np.int64),
            trips=np.array(trips, np.int64),
            held=np.array(held, np.int64),
            waited=np.array(waited, np.float64),
            new=np.array(new, np.int64),
            begun=self.now,
            ends=ends,
            tier=tier,
        )
        heapq.heappush(self._heap, (flight.ends, flight.number, flight))
        self._sent += 1
        self._new.append(flight)

    def sent_off(self) -> list[Flight]:
        """Return the flights that began since the last call."""
        new, self._new = self._new, []
        return new

    @property
    def under_way(self) -> list[Flight]:
        """All flights that have not ended, in the order in which they began."""
        return sorted((entry[2] for entry in self._heap), key=lambda flight: flight.number)

    def next(self) -> Flight | None:
        """Go on to the next flight that ends; of several, the one that began first.

        ``None`` if nothing is under way.
        """
        if not self._heap:
            return None
        self.now, _, flight = heapq.heappop(self._heap)
        for k in flight.all.tolist():
            self._away[k] = False
        for k, held in zip(flight.clients.tolist(), flight.held.tolist()):
            self.held[k] = held
        return flight
