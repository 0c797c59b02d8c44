"""FLSC: IFCA whose clusters overlap.

Li, Li and Varshney (2021), "Federated Learning with Soft Clustering". A client's training starts
from the mean of the models that it chose, and it holds their mean.
"""

from dataclasses import dataclass

from fedreact.kinds.clustered.algorithms.ifca import IFCA
from fedreact.options import Count


@dataclass(frozen=True)
class FLSC(IFCA):
    """IFCA with several memberships.

    Attributes
    ----------
    memberships
        Clusters of each client (n), at most C.
    """

    memberships: Count = 2


ALGORITHM = FLSC
