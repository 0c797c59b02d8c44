"""The contract of a partitioner: a file of this folder that defines ``PARTITIONER``.

A partitioner is a frozen dataclass, whose fields are its options (:mod:`fedreact.options`). A line
of a paper's ``experiment.yaml`` names it by its file (``by: dirichlet``).
"""

from typing import Any, Protocol

from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset


class Partitioner(Protocol):
    """Deals the samples of a dataset to clients."""

    @property
    def n_clients(self) -> int | None:
        """Clients that there will be; ``None`` if only the data tells."""

    def deal(self, data: SeriesDataset, seed: int) -> Partition:
        """Draw clusters and clients.

        Raises
        ------
        UserError
            The data cannot be dealt in this way, or sizes are impossible.
        """


def train_samples(partitioner: Any) -> int | None:
    """Most train samples that a client may have; ``None`` if only the data tells."""
    n = getattr(partitioner, "samples_per_client", None)
    if n is None:
        return None
    return n - max(1, round(getattr(partitioner, "test_share", 0.0) * n))


def clients_of(partitioner: Any, owners: int | None) -> int | None:
    """Clients there will be of data of so many owners; ``None`` if only the data tells."""
    if partitioner.n_clients is not None or owners is None:
        return partitioner.n_clients
    first = getattr(partitioner, "owners", None) or owners
    return min(first, owners) * getattr(partitioner, "parts", 1)
