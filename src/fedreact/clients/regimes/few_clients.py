"""Fewer clients: how many must federate until it pays?"""

from dataclasses import dataclass, replace

from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.options import Count
from fedreact.rng import generator


@dataclass(frozen=True)
class FewClients:
    """Some of the clients, drawn at random.

    For the same seed, the first of few clients are the first of more, so that the score of the
    same clients (``accuracy@first_two``) says what others bring them.

    Attributes
    ----------
    clients
        Number of clients; ``null``: all.
    """

    clients: Count | None = None

    def limit(self, partition: Partition, data: SeriesDataset, seed: int) -> Partition:
        """Draw the clients."""
        K = len(partition.train)
        n = K if self.clients is None else self.clients
        if n > K:
            raise UserError(f"regime: the partition has {K} clients, not {n}")
        order = generator(seed, "few clients").permutation(K)[:n]
        return replace(
            partition,
            clusters=partition.clusters[order],
            train=[partition.train[k] for k in order],
            test=[partition.test[k] for k in order],
            names=None if partition.names is None else partition.names[order],
        )


REGIME = FewClients
