"""The contract of a regime: a file of this folder that defines ``REGIME``.

A regime limits what clients have, or who takes part in the training: few labels, clients that join
late, few clients. A partition names it by its file (``regime: {kind: few-labels, per_label: 2}``).
A regime is a frozen dataclass, whose fields are its options (:mod:`fedreact.options`). Test
samples stay as they are, so that regimes of one partition are tested on the same.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Protocol, runtime_checkable

from fedreact import plugins
from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.contract import Partitioner
from fedreact.data.dataset import SeriesDataset

FOLDER = "clients/regimes"


class Regime(Protocol):
    """What clients have, and who takes part."""

    def limit(self, partition: Partition, data: SeriesDataset, seed: int) -> Partition:
        """Return a partition with less.

        Raises
        ------
        UserError
            The data or the clients do not allow it.
        """


@dataclass(frozen=True, kw_only=True)
class InRegime:
    """Base of partitioners: their clients may be in a regime.

    Attributes
    ----------
    regime
        ``kind``, a file of ``clients/regimes/``, and its options; ``null``: none.
    """

    regime: Annotated[dict[str, Any] | None, plugins.Named(FOLDER, "REGIME")] = None


@runtime_checkable
class _HasRegime(Protocol):
    """A partitioner with this option; one of your own need not have it."""

    @property
    def regime(self) -> dict[str, Any] | None:
        """Its regime."""


def limited(partitioner: Partitioner, data: SeriesDataset, seed: int) -> Partition:
    """Deal the samples, then limit the clients by the partitioner's regime, if it has one."""
    partition = partitioner.deal(data, seed)
    if not isinstance(partitioner, _HasRegime) or partitioner.regime is None:
        return partition
    regime: Regime = plugins.make(FOLDER, partitioner.regime, "REGIME", "regime")
    return regime.limit(partition, data, seed)
