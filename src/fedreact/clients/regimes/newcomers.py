"""Clients that join after the training, with few labelled series."""

from dataclasses import dataclass, replace

import numpy as np

from fedreact.clients.partition import Partition
from fedreact.clients.regimes.few_labels import few_of_each
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.options import Count, InnerShare
from fedreact.rng import generator


@dataclass(frozen=True)
class Newcomers:
    """A share of the clients that never trains.

    They are tested with what the federation has for them (``accuracy@zero_shot``), and after they
    have adapted on a few series (``accuracy@adapted``).

    Attributes
    ----------
    share
        Share of the clients that join late, at least one.
    per_label
        Labelled series of each label that they adapt on.
    """

    share: InnerShare = 0.2
    per_label: Count = 4

    def limit(self, partition: Partition, data: SeriesDataset, seed: int) -> Partition:
        """Draw the newcomers, and leave each a few series."""
        K = len(partition.train)
        J = max(1, round(self.share * K))
        if J >= K:
            raise UserError(f"regime: {J} of {K} clients would join late; one must train")
        newcomers = np.sort(generator(seed, "newcomers").choice(K, J, replace=False))
        few = few_of_each(partition, data, seed, self.per_label)
        train = [few[k] if k in newcomers else samples for k, samples in enumerate(partition.train)]
        return replace(partition, train=train, newcomers=newcomers)


REGIME = Newcomers
