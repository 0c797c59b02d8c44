"""Any synchronous algorithm on the clock: a round lasts as long as the slowest client in it."""

from dataclasses import dataclass, field
from math import ceil
from typing import Annotated, Any

from fedreact import options as opts
from fedreact import plugins
from fedreact.clock.clock import Clock, Flight
from fedreact.errors import UserError
from fedreact.kinds.asynchronous.contract import Algorithm, Arrays
from fedreact.kinds.synchronous.contract import Algorithm as ClientAlgorithm
from fedreact.options import Count, Share
from fedreact.rng import generator


@dataclass(frozen=True)
class Rounds(Algorithm):
    """Rounds of clients that are drawn anew in each (McMahan et al. 2017; Algorithm 2 of ch. 5).

    Attributes
    ----------
    of
        A file of ``kinds/synchronous/algorithms/``, and its options, if any.
    options
        Options of that algorithm.
    share
        Share of all clients that takes part in a round, or as many as answer.
    clients
        Participants per round; replaces ``share``.
    """

    of: Annotated[str, plugins.Named("kinds/synchronous/algorithms", "ALGORITHM")] = "fedavg"
    options: dict[str, Any] = field(default_factory=dict)
    share: Share = 0.2
    clients: Count | None = None

    def client(self) -> ClientAlgorithm:
        """Return the synchronous algorithm, whose server's side is used, too.

        Raises
        ------
        UserError
            It has no such option.
        """
        kind = plugins.load("kinds/synchronous/algorithms", self.of, "ALGORITHM")
        if unknown := [name for name in self.options if name not in opts.names(kind)]:
            raise UserError(f"{self.of} has no option {unknown[0]}")
        return kind(**self.options)

    def begin(self, clock: Clock) -> None:
        """Begin the first round."""
        available = clock.available()
        n = self.clients or ceil(self.share * len(clock.trips) - 1e-9)
        rng = generator(clock.devices.seed, "participants", int(clock.trips.sum()))
        clock.send(sorted(rng.choice(available, min(n, len(available)), replace=False)))

    def proceed(self, clock: Clock, flight: Flight, server: Arrays | None) -> None:
        """Begin the next one."""
        self.begin(clock)


ALGORITHM = Rounds
