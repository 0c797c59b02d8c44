"""The contract of an algorithm on the simulated clock: a file here that defines ``ALGORITHM``.

An algorithm is a frozen dataclass below :class:`Algorithm`, whose fields are its options. Its
clients' half is a synchronous algorithm (:mod:`fedreact.kinds.synchronous.contract`). Its
server's half is here: whom it sends off and when, with what, and what it makes of an update.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fedreact.clock.clock import Clock, Flight
from fedreact.task import Task

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    from fedreact.kinds.synchronous.contract import Algorithm as ClientHalf

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Algorithm:
    """What most have in common: every client trains all the time, and each update is taken at once.

    Attributes
    ----------
    pooled
        Whether there is one client that has the samples of all.
    travels
        Whether models travel; where they do not, trips have no delays.
    chooses
        Whether whom it sends off depends on what is learnt, so that no time is known beforehand.
    finds
        Metrics that :meth:`found` gives.
    """

    pooled: ClassVar[bool] = False
    travels: ClassVar[bool] = True
    chooses: ClassVar[bool] = False
    finds: ClassVar[tuple[str, ...]] = ()

    @staticmethod
    def skip(task: Task) -> str | None:
        """Why it cannot run on a task; ``None`` if it can."""
        return None

    def half(self) -> "ClientHalf":
        """The clients' half.

        If it tests the model on samples before it trains, ``tested(training, held, new)`` of it
        says on how many, where a client holds so many and so many have arrived since its trip
        before: they take time and compute.
        """
        raise NotImplementedError

    def begin(self, clock: Clock) -> None:
        """Send off the first flights: each client by itself."""
        for k in clock.there():
            clock.send([k])

    def proceed(self, clock: Clock, flight: Flight, server: Arrays | None) -> None:
        """Send off what follows the end of a flight: its clients, who begin anew at once.

        ``server`` is what the server keeps by now, or later where a run is resumed; ``None`` where
        only the time is reckoned.
        """
        clock.send(flight.all)

    def server(self, half: "ClientHalf", theta: np.ndarray, n_clients: int) -> Arrays:
        """What the server keeps before anything has come: as in the synchronous algorithm."""
        return half.server(theta, n_clients)

    def sent(self, half: "ClientHalf", server: Arrays, flight: Flight) -> Arrays:
        """What the clients of a flight receive; ``theta [S]`` is among it."""
        return half.sent(server)

    def coded(self, theta: np.ndarray) -> tuple[np.ndarray, int]:
        """Weights ``[S]`` as they arrive at the other side, and the bytes that they travel in."""
        return theta, theta.nbytes

    def arrived(
        self,
        half: "ClientHalf",
        server: Arrays,
        uploads: Arrays,
        sent: Arrays,
        flight: Flight,
        clock: Clock,
    ) -> Arrays:
        """What the server keeps after the updates of a flight, arrays ``[n, ...]``, have come."""
        return half.aggregate(server, uploads, flight.held)

    def personal(self, half: "ClientHalf", server: Arrays, state: Arrays) -> np.ndarray:
        """Weights ``[K, P]`` that clients are scored with, or ``[1, P]``: the same for all."""
        return half.personal(server, state)

    def hearers(self, n_clients: int) -> float:
        """To how many clients each update goes as a paper counts it; NaN where none does."""
        return np.nan

    def found(self, state: Arrays, drifting: np.ndarray) -> dict[str, float]:
        """What it finds beside scores, by metric; ``drifting [K]``: whose data changes."""
        return {}
