"""Clusters with labels of their own, for Strategies 2 and 3 (Fed-REACT, arXiv section 4.2, G.2)."""

from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np

from fedreact.clients.partitioners.distributions import of_distributions
from fedreact.clients.partitioners.pools import labels_of
from fedreact.errors import UserError
from fedreact.options import InnerShare, Sizes
from fedreact.rng import generator


@dataclass(frozen=True)
class Supports:
    """Clients in clusters with disjoint labels.

    Attributes
    ----------
    cluster_sizes
        Clients in each cluster, e.g. 3,3,4.
    supports
        Labels in each cluster, e.g. 3,3,4 of ten; which ones is drawn.
    samples_per_client
        Samples that a client draws, train and test together.
    test_share
        Share of the test set.
    """

    cluster_sizes: Sizes
    supports: Sizes
    samples_per_client: Annotated[int, msgspec.Meta(ge=5)] = 2400
    test_share: InnerShare = 0.1

    @property
    def n_clients(self):
        """All clusters' clients."""
        return sum(self.cluster_sizes)

    def deal(self, data, seed):
        """Draw each cluster's labels, then clients."""
        y, sizes, supports = labels_of(data), list(self.cluster_sizes), list(self.supports)
        n_labels = int(y.max()) + 1
        if len(supports) != len(sizes) or sum(supports) != n_labels:
            raise UserError(
                f"partition: supports {supports} must give {len(sizes)} clusters {n_labels} labels "
                "in all"
            )
        distributions = disjoint_supports(supports, generator(seed, "supports"))
        rng = generator(seed, "partition")
        amounts = (self.samples_per_client, self.test_share)
        return of_distributions(y, sizes, distributions, rng, *amounts)


def disjoint_supports(sizes: list[int], rng: np.random.Generator) -> np.ndarray:
    """``[C, 1, labels]``: clusters uniform over labels of their own, e.g. 3, 3 and 4 of them."""
    owner = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    member = owner == np.arange(len(sizes))[:, None]
    return (member / member.sum(1, keepdims=True))[:, None]


PARTITIONER = Supports
