"""Checks of a partition that runs but whose results would mean nothing."""

import numpy as np

from fedreact.clients.partition import Partition


def findings(drawn: Partition, y: np.ndarray | None = None) -> list[str]:
    """Return a sentence for each thing that is suspicious.

    ``y [N]`` are the labels, unless clients are meant to have one label alone.
    """
    K, train_sets = len(drawn.train), {samples.tobytes() for samples in drawn.train}
    sentences = []
    if len(train_sets) < K:
        sentences.append(
            f"{K} clients hold {len(train_sets)} different train sets: some have identical samples."
        )
    if y is not None and y.dtype.kind == "i":
        single = sum(len(np.unique(y[samples])) == 1 for samples in drawn.train)
        if single:
            sentences.append(
                f"{single} of {K} clients have one label alone, which they predict without "
                "learning."
            )
    return sentences


def whole_train_sets(drawn: Partition, samples_per_round: int) -> int:
    """Count the clients that have no more train samples than are drawn in a round."""
    return sum(len(samples) <= samples_per_round for samples in drawn.train)
