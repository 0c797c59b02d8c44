"""The contract of an algorithm on the simulated clock: a file here that defines ``ALGORITHM``.

An algorithm is a frozen dataclass below :class:`Algorithm`, whose fields are its options. Its
client side is a synchronous algorithm (:mod:`fedreact.kinds.synchronous.contract`), which
:meth:`Algorithm.client` must return. Its server side is here, and may be left out: whom it sends
off and when, with what, and what it makes of an update.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fedreact.clock.clock import Clock, Flight
from fedreact.task import Task

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    from fedreact.kinds.synchronous.contract import Algorithm as ClientAlgorithm

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Algorithm:
    """Base of algorithms on the clock: clients train all the time, each update is used at once.

    Attributes
    ----------
    pooled
        Whether there is one client that has the samples of all.
    travels
        Whether models travel; where they do not, trips have no delays.
    chooses
        Whether whom it sends off depends on what is learnt, so that no time is known beforehand.
    role
        Part of the method in a comparison (:data:`fedreact.kinds.contract.Role`).
    recorded
        Metrics that :meth:`record` gives.
    """

    pooled: ClassVar[bool] = False
    travels: ClassVar[bool] = True
    chooses: ClassVar[bool] = False
    role: ClassVar[str] = "federated"
    recorded: ClassVar[tuple[str, ...]] = ()

    @staticmethod
    def skip(task: Task) -> str | None:
        """Say why it cannot run on a task; ``None`` if it can."""
        return None

    def client(self) -> "ClientAlgorithm":
        """Return the client side, a synchronous algorithm."""
        raise NotImplementedError

    def begin(self, clock: Clock) -> None:
        """Send off the first flights: each client by itself."""
        for k in clock.available():
            clock.send([k])

    def proceed(self, clock: Clock, flight: Flight, server: Arrays | None) -> None:
        """Send off what follows the end of a flight: its clients, who begin anew at once.

        ``server`` is what the server keeps by now, or later where a run is resumed; ``None`` where
        only the time is reckoned.
        """
        clock.send(flight.all)

    def server(self, client: "ClientAlgorithm", theta: np.ndarray, n_clients: int) -> Arrays:
        """Return what the server keeps before any update: as in the synchronous algorithm."""
        return client.server(theta, n_clients)

    def sent(self, client: "ClientAlgorithm", server: Arrays, flight: Flight) -> Arrays:
        """Return what the clients of a flight receive; ``theta [S]`` is among it."""
        return client.sent(server)

    def coded(self, theta: np.ndarray) -> tuple[np.ndarray, int]:
        """Return weights ``[S]`` as they arrive at the other side, and the bytes they travel in."""
        return theta, theta.nbytes

    def arrived(
        self,
        client: "ClientAlgorithm",
        server: Arrays,
        uploads: Arrays,
        sent: Arrays,
        flight: Flight,
        clock: Clock,
    ) -> Arrays:
        """Return what the server keeps after the updates of a flight, arrays ``[n, ...]``."""
        return client.aggregate(server, uploads, flight.held)

    def personal(self, client: "ClientAlgorithm", server: Arrays, state: Arrays) -> np.ndarray:
        """Return weights ``[K, P]`` that clients are scored with, or ``[1, P]``: one of all."""
        return client.personal(server, state)

    def hearers(self, n_clients: int) -> float:
        """Count the clients that each update goes to, as a paper does; NaN if none does."""
        return np.nan

    def record(self, state: Arrays, drifting: np.ndarray) -> dict[str, float]:
        """Return what it records beside scores, by metric; ``drifting [K]``: whose data changes."""
        return {}
