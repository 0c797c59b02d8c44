"""Checks of a partition that runs but whose results would mean nothing."""

import numpy as np

from fedreact.clients.partition import Partition


def findings(drawn: Partition, y: np.ndarray | None = None) -> list[str]:
    """A sentence for each thing that is suspicious; none, if nothing is.

    ``y`` are the labels ``[N]`` where it is no intention that clients have one alone.
    """
    K, held, found = len(drawn.train), {samples.tobytes() for samples in drawn.train}, []
    if len(held) < K:
        found.append(
            f"{K} clients hold {len(held)} different train sets: some have identical samples."
        )
    if y is not None and y.dtype.kind == "i":
        alone = sum(len(np.unique(y[of])) == 1 for of in drawn.train)
        if alone:
            found.append(
                f"{alone} of {K} clients have one label alone, which they predict without learning."
            )
    return found


def whole_train_sets(drawn: Partition, samples_per_round: int) -> int:
    """Clients that have no more train samples than are drawn in a round."""
    return sum(len(samples) <= samples_per_round for samples in drawn.train)
