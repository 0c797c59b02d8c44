"""Clients that know the labels of few of their series; the others have none."""

from dataclasses import dataclass, replace

import numpy as np

from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.options import Count
from fedreact.rng import generator


@dataclass(frozen=True)
class FewLabels:
    """A number of labelled series of each label and client, drawn at random.

    Methods that need no labels (Phase 1 of Fed-REACT) train on all series of a client. For the same
    seed, a smaller number is part of a larger one.

    Attributes
    ----------
    per_label
        Labelled series of each label that a client has; fewer where it has fewer.
    """

    per_label: Count = 4

    def limit(self, partition: Partition, data: SeriesDataset, seed: int) -> Partition:
        """Draw the labelled series of each client."""
        return replace(partition, labelled=few_of_each(partition, data, seed, self.per_label))


def few_of_each(
    partition: Partition, data: SeriesDataset, seed: int, per_label: int
) -> list[np.ndarray]:
    """Draw ``per_label`` train samples of each label for each client.

    Raises
    ------
    UserError
        The data has no label for each series.
    """
    if data.task.kind != "classification":
        raise UserError(
            f"regime: {data.name} has no label for each series ({data.task.kind}), so none can be "
            "few of; use another regime"
        )
    drawn = []
    for k, samples in enumerate(partition.train):
        order = generator(seed, "labelled series", k).permutation(samples)
        few = [order[data.y[order] == label][:per_label] for label in np.unique(data.y[order])]
        drawn.append(np.sort(np.concatenate(few)))
    return drawn


REGIME = FewLabels
