"""Abrupt drift (in no paper): from one round on, all clients have labels of another cluster.

Strategies 1 to 3 of Fed-REACT change a few clients a round, or a cluster at a time. Here nothing
changes but once, and then for all, so that what a method remembers is wrong at once.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fedreact.errors import UserError
from fedreact.options import Probability


@dataclass(frozen=True)
class Swap:
    """Clusters, or clients, swap their labels in one round.

    Attributes
    ----------
    after
        Share of the rounds before the swap.
    groups
        ``kept``: each cluster takes the labels of the next one, so the same clients belong
        together; ``mixed``: clients are dealt anew to clusters of the same sizes, so memory of the
        groups is wrong, too. Then some clients keep their labels by chance.
    """

    after: Probability = 0.5
    groups: Literal["kept", "mixed"] = "kept"

    def draw(
        self,
        clusters: np.ndarray,
        distributions: np.ndarray,
        rounds: int,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw the clusters; each has the first of its label distributions."""
        at = round(self.after * rounds)
        if not 0 < at < rounds:
            raise UserError(f"drift swap: {self.after} of {rounds} rounds is none or all of them")
        C = len(distributions)
        other = (clusters + 1) % C if self.groups == "kept" else rng.permutation(clusters)
        labels = np.tile(clusters, (rounds, 1))
        labels[at:] = other
        shares = distributions[labels, 0]
        return labels, shares, shares


DRIFT = Swap
