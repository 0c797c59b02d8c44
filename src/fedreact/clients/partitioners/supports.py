"""Clusters with labels of their own, for Strategies 2 and 3 (Fed-REACT, arXiv section 4.2, G.2)."""

from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np

from fedreact.clients.partitioners.distributions import DistributionPartitioner
from fedreact.errors import UserError
from fedreact.options import InnerShare, Sizes
from fedreact.rng import generator


@dataclass(frozen=True)
class Supports(DistributionPartitioner):
    """Clients in clusters with disjoint labels.

    Attributes
    ----------
    supports
        Labels in each cluster, e.g. 3,3,4 of ten; which ones is drawn.
    """

    cluster_sizes: Sizes
    supports: Sizes
    samples_per_client: Annotated[int, msgspec.Meta(ge=5)] = 2400
    test_share: InnerShare = 0.1

    def distributions(self, y: np.ndarray, seed: int) -> np.ndarray:
        """Draw the labels ``[C, 1, labels]`` of each cluster.

        Raises
        ------
        UserError
            The numbers of labels do not give all labels to the clusters.
        """
        supports, n_labels = list(self.supports), int(y.max()) + 1
        if len(supports) != len(self.cluster_sizes) or sum(supports) != n_labels:
            raise UserError(
                f"partition: supports {supports} must give {len(self.cluster_sizes)} clusters "
                f"{n_labels} labels in all"
            )
        return disjoint_supports(supports, generator(seed, "supports"))


def disjoint_supports(sizes: list[int], rng: np.random.Generator) -> np.ndarray:
    """Draw ``[C, 1, labels]``: clusters uniform over labels of their own, e.g. 3, 3 and 4."""
    owner = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    member = owner == np.arange(len(sizes))[:, None]
    return (member / member.sum(1, keepdims=True))[:, None]


PARTITIONER = Supports
