"""The contract of a partitioner: a file of this folder that defines ``PARTITIONER``.

A partitioner is a frozen dataclass, whose fields are its options (:mod:`fedreact.options`). A line
of a paper's ``experiment.yaml`` names it by its file (``by: dirichlet``). It defines what
:class:`Partitioner` has. Sizes of clients are known before the data is read where it also has the
fields of :class:`Sampling` or of :class:`OwnerParts`.
"""

from typing import Protocol, runtime_checkable

from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset


class Partitioner(Protocol):
    """Deals the samples of a dataset to clients."""

    @property
    def n_clients(self) -> int | None:
        """Number of clients; ``None`` if only the data tells."""

    def deal(self, data: SeriesDataset, seed: int) -> Partition:
        """Draw clusters and clients.

        Raises
        ------
        UserError
            The data cannot be dealt in this way, or sizes are impossible.
        """


@runtime_checkable
class Sampling(Protocol):
    """Optional: a partitioner whose clients draw a number of samples that it states.

    Attributes
    ----------
    samples_per_client
        Samples that a client draws, train and test together.
    test_share
        Share of the test set.
    """

    @property
    def samples_per_client(self) -> int:
        """Samples that a client draws."""

    @property
    def test_share(self) -> float:
        """Share of the test set."""


@runtime_checkable
class OwnerParts(Protocol):
    """Optional: a partitioner that cuts the first owners into parts, each a client.

    Attributes
    ----------
    owners
        Number of owners to use; ``None``: all.
    parts
        Clients that each owner is cut into.
    min_samples
        Series that an owner needs to be a client; ``None``: any number.
    """

    @property
    def owners(self) -> int | None:
        """Number of owners to use."""

    @property
    def parts(self) -> int:
        """Clients of each owner."""

    @property
    def min_samples(self) -> int | None:
        """Series that an owner needs."""


def train_samples(partitioner: Partitioner) -> int | None:
    """Return how many train samples a client has at most; ``None`` if only the data tells."""
    if not isinstance(partitioner, Sampling):
        return None
    n = partitioner.samples_per_client
    return n - max(1, round(partitioner.test_share * n))


def clients_of(partitioner: Partitioner, owners: int | None) -> int | None:
    """Return the number of clients of data with so many owners; ``None`` if only the data tells."""
    if partitioner.n_clients is not None or owners is None:
        return partitioner.n_clients
    if not isinstance(partitioner, OwnerParts):
        return owners
    if partitioner.min_samples is not None:
        return None
    return min(partitioner.owners or owners, owners) * partitioner.parts
